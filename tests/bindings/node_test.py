#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings/node. Arguments: the tool, the folder of libuserevents.so, and the source folder."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
from tap import run, same  # noqa: E402

tool, libraries, source = map(os.path.abspath, sys.argv[1:])
package = pathlib.Path(source) / "bindings/node"
folder = pathlib.Path(tempfile.mkdtemp())
FLAGS = {"FLAGS": f"-I{source}/include", "LIBRARIES": f"-L{libraries} -luserevents -Wl,-rpath,{libraries}",
         "CFLAGS": "-O2 -g -Wall -Wextra -Werror"}
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("USEREVENTS_")}
ENVIRONMENT.update(NODE_PATH=str(folder / "node_modules"), PATH="/usr/bin:" + os.environ["PATH"])
BEGIN = "'use strict'; const assert = require('node:assert'), ue = require('userevents');\n"


def node(code, *command, options=(), **more):
    return subprocess.run([*command, "node", *options, "-e", BEGIN + code], text=True, cwd=folder,
                          capture_output=True, timeout=600, env={**ENVIRONMENT, **more})


def traced(code, said="", **more):
    done = node(code, tool, "run", "--json", "--", **more)
    same((done.returncode, done.stderr), (1 if "lost" in said else 0, said))
    return [json.loads(line) for line in done.stdout.splitlines()]


def events(code, said="", **more):
    """The events that the code writes, without their meta."""
    return [{key: value for key, value in event.items() if key != "meta"}
            for event in traced(code, said, **more)]


def output(code, **more):
    done = node(code, **more)
    same((done.returncode, done.stderr), (0, ""))
    return done.stdout


def npm_installs_it_offline():
    """npm runs make, and asks no registry for anything."""
    copy = folder / "copy"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("*.node"))
    done = subprocess.run(["npm", "install", "--offline", "--install-links", "--no-audit", "--no-fund",
                           "--no-update-notifier", copy],
                          text=True, cwd=folder, capture_output=True, timeout=300,
                          env={**ENVIRONMENT, **FLAGS, "HOME": str(folder)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert (folder / "node_modules/userevents/userevents.node").exists()
    same(output("console.log(ue.version().length, ue.version() >= [0, 1, 0])"), "3 true\n")


def its_inside_is_not_reached():
    """Bytes of a record, or of an id, that others change would be a malformed event."""
    same(output("""
for (const inside of ['activity', 'pack', 'pack.js', 'native', 'session.js', 'userevents.node'])
	assert.throws(() => require('userevents/' + inside), { code: 'ERR_PACKAGE_PATH_NOT_EXPORTED' });
console.log(Reflect.ownKeys(ue.Activity), typeof require('userevents/pino'), require('userevents/package.json').name);
"""), "[ 'length', 'name', 'prototype' ] function userevents\n")
    done = subprocess.run(["node", "--input-type=module", "-e", "import ue, { Session } from 'userevents';\n"
                           "console.log(ue.Session === Session)"],
                          text=True, cwd=folder, capture_output=True, timeout=60, env=ENVIRONMENT)
    same((done.stdout, done.stderr), ("true\n", ""))


def a_classic_event_is_written():
    same(events("""
const s = new ue.Session({ strict: true });
const e = s.event('js_request u32 status; s64 at; u64 big; __rel_loc char[] path; char[4] code; __data_loc u8[] raw; char c');
assert(e.enabled);
e.write({ status: 200, at: -5, big: 2n ** 64n - 1n, path: '/caf\u00e9', code: 'abcd', raw: Buffer.from([1, 255]), c: 97 });
e.write({ raw: Buffer.alloc(0), path: '', code: '', at: 2 ** 53 - 1, big: 0, status: 2 ** 32 - 1, c: -1 });
assert.equal(e.altered, 0);
"""), [{"n": "user_events:js_request", "status": 200, "at": -5, "big": 2**64 - 1, "path": "/caf\u00e9",
        "code": "abcd", "raw": "01 ff", "c": "a"},
       {"n": "user_events:js_request", "status": 2**32 - 1, "at": 2**53 - 1, "big": 0, "path": "", "code": "",
        "raw": "", "c": "\xff"}])


def values_of_javascript_are_fields():
    same(events("""
const t = new ue.Session({ strict: true }).tracepoint('JsShop', ue.Level.INFORMATION, 1n);
t.write('All', { i: -1, least: -(2 ** 53 - 1), wide: 2 ** 53, big: 2n ** 64n - 1n, low: -(2n ** 63n), f: 0.5, b: true,
	none: null, not: undefined, s: 'h\u00e9\\0x', raw: Buffer.from('ab'), memory: new ArrayBuffer(1),
	at: new Date(60999), j: ue.json('{}'), id: ue.uuid('00000000-0000-0000-0000-000000000001') });
t.write('Typed', { a: ue.u8(255), b: ue.s16(-1), c: ue.hex32(255), d: ue.f32(0.5), e: ue.port(80), f: ue.errnoNumber(2),
	g: ue.pid(7), h: ue.u16([1, 2]), i: ue.boolean([true]), k: ue.time(60.9), l: ue.f64(1), m: ue.u64(5), o: ue.s64(-5n) });
t.write('Arrays', { a: [], b: [1, -2], c: [1, 2.5], d: [true, false], e: ['x', '\u00e9'], g: [2n ** 63n], h: [1, 2n],
	i: new Uint16Array([1, 2]), j: new Float32Array([0.5]), k: new BigInt64Array([-1n]) });
t.write('Structs', { a: { x: 1, in: { y: 'z' } }, nothing: {}, b: [{ n: 'a', c: 1 }, { n: 'b', c: 2.5 }],
	err: Object.assign(new TypeError('bad'), { code: 'E1', stack: 'at' }), url: new URL('http://a/'), p: Object.create(null) });
t.write('Nothing');
t.write('h\u00e9', { 'gr\u00f6\u00dfe': 1 });
assert.equal(t.altered, 0);
"""), [{"n": "JsShop:All", "i": -1, "least": -2**53 + 1, "wide": 2**53, "big": 2**64 - 1, "low": -2**63, "f": 0.5,
        "b": True, "none": None, "s": "h\u00e9\0x", "raw": "61 62", "memory": "00", "at": "1970-01-01T00:01:00Z",
        "j": "{}", "id": "00000000-0000-0000-0000-000000000001"},
       {"n": "JsShop:Typed", "a": 255, "b": -1, "c": "0xFF", "d": 0.5, "e": 80, "f": "ENOENT(2)", "g": 7,
        "h": [1, 2], "i": [True], "k": "1970-01-01T00:01:00Z", "l": 1, "m": 5, "o": -5},
       {"n": "JsShop:Arrays", "a": [], "b": [1, -2], "c": [1, 2.5], "d": [True, False], "e": ["x", "\u00e9"],
        "g": [2**63], "h": [1, 2], "i": [1, 2], "j": [0.5], "k": [-1]},
       {"n": "JsShop:Structs", "a": {"x": 1, "in": {"y": "z"}}, "b": [{"n": "a", "c": 1}, {"n": "b", "c": 2.5}],
        "err": {"type": "TypeError", "message": "bad", "code": "E1", "stack": "at"}, "url": "http://a/"},
       {"n": "JsShop:Nothing"}, {"n": "JsShop:h\u00e9", "gr\u00f6\u00dfe": 1}])


def events_have_ids_opcodes_and_activities():
    event, = traced("""
const t = new ue.Session({ strict: true }).tracepoint('JsShop', 5, 0xff, { group: 'g' });
const e = t.event('Start', { id: 7, version: 1, opcode: ue.Opcode.ACTIVITY_START, tag: 9 });
const id = Buffer.alloc(16);
id[15] = 1;
e.writeActivity(new ue.Activity(id), new ue.Activity('00000000-0000-0000-0000-000000000002'), { a: 1 });
assert.equal(new ue.Activity().id.length, 16);
""")
    meta = event["meta"]
    same({key: meta[key] for key in ("id", "version", "level", "keyword", "opcode", "tag", "activity",
                                     "relatedActivity")},
         {"id": 7, "version": 1, "level": 5, "keyword": "0xFF", "opcode": 1, "tag": "0x9",
          "activity": "00000000-0000-0000-0000-000000000001",
          "relatedActivity": "00000000-0000-0000-0000-000000000002"})


def mistakes_are_thrown():
    same(events("""
const s = new ue.Session({ strict: true });
const e = s.event('js_two u8 a; __rel_loc char[] b'), c = s.event('js_code char[4] code'), t = s.tracepoint('JsShop', 4);
const cyclic = {};
cyclic.itself = cyclic;
for (const call of [() => s.event('js_wrong u33 x'), () => s.event('js\\0 u32 x'), () => s.event(''), () => s.event(5),
	() => s.tracepoint('a b', 4), () => s.tracepoint('P', 0), () => s.tracepoint('P', 256), () => s.tracepoint('P', 4, 2n ** 64n),
	() => s.tracepoint('P', 4, -1), () => s.tracepoint('P'.repeat(300), 4), () => t.event('E', { id: 65536 }),
	() => new ue.Activity(Buffer.alloc(15)), () => new ue.Activity('x'), () => ue.within({}, () => 1),
	() => ue.within(new Proxy({}, { getPrototypeOf() { throw new Error('no'); } }), () => 1), () => new ue.Session({ fd: 1.5 }),
	() => new ue.Session({ path: '/nowhere', strict: true }), () => e.write({ a: 1 }), () => e.write({ a: 256, b: '' }),
	() => e.write({ a: '1', b: '' }), () => e.write({ a: 1, b: '', c: 1 }), () => c.write({ code: '12345' }), () => e.write(),
	() => e.write({ a: 1, b: 'x'.repeat(5000) }), () => t.write('E', { a: ue.u8(256) }), () => t.write('E', { a: 2n ** 64n }),
	() => t.write('E', { a: ue.u8(1.5) }), () => t.write('E', { a: [1, 'a'] }), () => t.write('E', { a: Symbol() }),
	() => t.write('E', { 'a\\0': 1 }), () => t.write('E\\0'), () => t.write(5), () => t.write('E', cyclic),
	() => t.write('E', { a: 'x'.repeat(5000) }), () => t.write('E', { a: [{ x: 1 }, { y: 1 }] }), () => t.write('E', { a: new Map() }),
	() => t.write('E', new Proxy({}, { ownKeys() { throw new Error('no'); } })), () => t.write('E', { get a() { throw new Error('no'); } })]) {
	assert.throws(call, (error) => error instanceof ue.UserEventsError || /^cannot |^an id /.test(error.message), String(call));
}
assert.throws(() => e.write({ a: 256, b: '' }), /cannot write the field a: the number does not fit/);
assert.throws(() => t.write('E', { a: { b: Symbol() } }), /cannot write the field b: its value is a symbol/);
e.write({ a: 1, b: 'ab' });
t.write('Still');
""", said="userevents: 2 events were lost: 2 too large.\n"),
         [{"n": "user_events:js_two", "a": 1, "b": "ab"}, {"n": "JsShop:Still"}])


def values_are_written_whatever_they_are():
    found = events("""
const s = new ue.Session(), t = s.tracepoint('JsShop', 4);
const e = s.event('js_bad u8 a; s16 b; char[3] c; __rel_loc char[] d; u64 e; __rel_loc u8[] f');
const cyclic = { name: 'c' };
cyclic.itself = cyclic;
const thrower = new Proxy({}, { ownKeys() { throw new Error('no'); } });
t.write('Odd', { s: '\\ud800', 'n\\0l': 1, big: 2n ** 64n, huge: 2n ** 5000n, f() {}, y: Symbol('y'), m: new Map([[1, 2]]),
	mixed: [1, 'a'], date: new Date(NaN), typed: ue.u8(256), get g() { throw new Error('no'); }, p: thrower,
	j: { toJSON() { throw 5; } }, inner: { get x() { throw 5; } }, elements: [{ x: 1 }, { y: 2 }] });
assert.equal(t.altered, 14);
t.write('Cyclic', cyclic);
t.write('Proxy', thrower);
t.write('Number', 5);
t.write(Symbol('name'), { a: 1 });
t.write('Nested\\0', { a: [cyclic] });
e.write({ a: 256, b: '-7', c: 'caf\u00e9', d: 'a\\0b', e: -1, f: 'x', g: 1 });
e.write({ a: NaN, b: 1.9, get c() { throw 5; }, d: {}, e: 2n ** 70n, f: null });
e.write(thrower);
e.write(undefined);
assert.deepEqual([t.losses, e.losses, s.losses], [{}, {}, {}]);
assert.equal(e.altered, 7 + 6 + 6 + 6);
""")
    odd = found[0]
    same({key: odd[key] for key in ("s", "n\ufffdl", "big", "huge", "mixed", "date", "typed", "g", "inner")},
         {"s": "\ufffd", "n\ufffdl": 1, "big": str(2**64), "huge": "a very large BigInt", "mixed": "[ 1, 'a' ]",
          "date": "Invalid Date", "typed": odd["typed"], "g": "<a getter that throws>",
          "inner": {"x": "<a getter that throws>"}})
    assert "Map(1)" in odd["m"] and "256" in odd["typed"] and "Symbol(y)" == odd["y"], odd
    inside = found[1]
    for _ in range(8):
        same(inside["name"], "c")
        inside = inside["itself"]
    same(found[1]["n"], "JsShop:Cyclic")
    same([event["n"] for event in found[3:6]], ["JsShop:Number", "JsShop:Symbol(name)", "JsShop:Nested\ufffd"])
    same(found[3]["value"], 5)
    same(found[6:], [
        {"n": "user_events:js_bad", "a": 255, "b": -7, "c": "caf", "d": "a\ufffdb", "e": 0, "f": "78"},
        {"n": "user_events:js_bad", "a": 0, "b": 1, "c": "", "d": "{}", "e": 2**64 - 1, "f": ""},
        *[{"n": "user_events:js_bad", "a": 0, "b": 0, "c": "", "d": "", "e": 0, "f": ""}] * 2])


def what_throws_again_when_it_is_looked_at_is_caught():
    same([event["n"] for event in events("""
const s = new ue.Session(), t = s.tracepoint('JsShop', 4), e = s.event('js_again u8 a');
const again = new Proxy({}, { getPrototypeOf() { throw again; }, get() { throw again; }, ownKeys() { throw again; } });
const thrower = { get a() { throw again; } };
assert(t.write('Getter', thrower) && t.write('Value', { a: again, b: [again] }) && t.write('Itself', again));
assert(e.write(thrower) && e.write({ a: again }) && e.write(again));
assert(t.activity('Returns', () => again) === again);
assert.throws(() => t.activity('Throws', () => { throw again; }), (thrown) => thrown === again);
""")], ["JsShop:Getter", "JsShop:Value", "JsShop:Itself", *["user_events:js_again"] * 3,
      *["JsShop:Returns"] * 2, *["JsShop:Throws"] * 2])


def values_that_are_too_long_are_cut():
    found = events("""
const s = new ue.Session(), t = s.tracepoint('JsShop', 4), e = s.event('js_long __rel_loc char[] a; __rel_loc u8[] b; u8 c');
t.write('One', { a: '\u00e9'.repeat(9000), b: 5 });
t.write('Two', { a: 'x'.repeat(9000), b: 'y'.repeat(9000), c: Buffer.alloc(9000), d: Array(9000).fill(1), e: 7 });
t.write('Many', Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`f${i}`, 'z'.repeat(99)])));
t.write('Members', { a: Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`f${i}`, 1])) });
t.write('N'.repeat(9000), { a: 1 });
t.write('Name', { ['n'.repeat(9000)]: 1 });
e.write({ a: '\u00e9'.repeat(9000), b: Buffer.alloc(9000), c: 9 });
assert.deepEqual([t.losses, e.losses], [{}, {}]);
""")
    assert found[0]["a"].endswith("\u00e9...") and found[0]["b"] == 5, found[0]
    same([len(found[1]["a"]), len(found[1]["b"]), len(found[1]["d"]), found[1]["e"]], [512, 512, 64, 7])
    assert len(found[2]) > 20 and found[2]["f0"].endswith("z..."), len(found[2])
    same(len(found[3]["a"]), 127)
    assert found[4]["n"].endswith("N...") and found[5]["n"] == "JsShop:Name", found[5]
    assert found[6]["a"].endswith("\u00e9...") and found[6]["c"] == 9


def random_values_are_written():
    """Hostile ones too. tests/bindings/node_fuzz.js COUNT SEED repeats a run."""
    done = subprocess.run([tool, "run", "--json", "--", "node", pathlib.Path(__file__).with_name("node_fuzz.js"), "300"],
                          text=True, capture_output=True, timeout=600, env=ENVIRONMENT, cwd=folder)
    same(done.returncode, 0)
    assert re.fullmatch("300 [0-9]+\n", done.stderr), done.stderr
    names = {json.loads(line)["n"].partition(":")[0] for line in done.stdout.splitlines()}
    same(names, {"JsFuzz", "user_events"})


def lost_events_are_counted():
    same(output("""
const s = new ue.Session({ path: '/nowhere' }), e = s.event('js_none u8 a'), t = s.tracepoint('JsNone', 4);
assert(s.error.errno === 2 && s.error.code === 'ENOENT' && !e.enabled && !t.enabled);
assert(e.write({ a: 1 }) && t.write('E', { get a() { assert.fail('evaluated'); } }));
assert.deepEqual([e.losses, t.losses, s.losses], [{}, {}, {}]);
s.close();
"""), "")


def a_closed_session_writes_nothing():
    same(events("""
const s = new ue.Session({ strict: true }), e = s.event('js_closed u8 a'), t = s.tracepoint('JsClosed', 4);
e.write({ a: 1 });
t.write('E', { get a() { s.close(); return 5; } }); // in the middle of a write
s.close();
assert(!e.enabled && !t.enabled && e.write({ a: 2 }) && t.write('E', { a: 2 }));
s.event('js_late u8 a').write({ a: 3 });
{ const again = new ue.Session(); again[Symbol.dispose](); }
""".replace("t.write('E', { get", "assert.throws(() => t.write('E', { get").replace("return 5; } });", "return 5; } }));")),
         [{"n": "user_events:js_closed", "a": 1}])


def getters_may_write():
    same([event["n"] for event in events("""
const t = new ue.Session({ strict: true }).tracepoint('JsShop', 4);
const e = t.session.event('js_inner __rel_loc char[] a; u8 b');
t.write('Outer', { before: 'x'.repeat(100), get a() { t.write('Inner', { b: 'y'.repeat(3000) }); return 1; }, after: [5, 6] });
e.write({ get a() { e.write({ a: 'inner', b: 1 }); return 'outer'; }, b: 2 });
""")], ["JsShop:Inner", "JsShop:Outer", "user_events:js_inner", "user_events:js_inner"])
    same(events("""
const t = new ue.Session({ strict: true }).tracepoint('JsShop', 4);
t.write('Outer', { before: 'x'.repeat(9), get a() { t.write('Inner', { b: 'y'.repeat(3000) }); return 1; }, after: [5, 6] });
""")[1], {"n": "JsShop:Outer", "before": "x" * 9, "a": 1, "after": [5, 6]})


def activities_follow_calls_and_promises():
    found = traced("""
const t = new ue.Session({ strict: true }).tracepoint('JsShop', 4);
const wait = () => new Promise((done) => setTimeout(done, 1));
const request = (n) => t.activity('Request', { n }, async (activity) => {
	assert(ue.currentActivity() === activity);
	await wait();
	t.write('In', { n });
	await t.activity('Inner', async () => { await wait(); t.write('InInner', { n }); });
	if (n === 1)
		throw new RangeError('no');
	return n;
});
(async () => {
	const done = await Promise.allSettled([request(0), request(1)]);
	assert.deepEqual(done.map((one) => one.status), ['fulfilled', 'rejected']);
	assert.equal(t.activity('Sync', () => 5), 5);
	assert.throws(() => t.activity('Throws', () => { throw null; }), (thrown) => thrown === null);
	t.write('Outside');
	ue.within(new ue.Activity('00000000-0000-0000-0000-000000000007'), () => t.write('Given'));
})();
""")
    requests = {event["n_"] if "n_" in event else event["_n"]: event["meta"]["activity"] for event in found
                if event["n"] == "JsShop:Request" and event["meta"]["opcode"] == 1}
    same(len(set(requests.values())), 2)
    for event in found:
        number = event.get("_n", event.get("n_"))
        if event["n"] == "JsShop:In":
            same(event["meta"]["activity"], requests[number])
        if event["n"] == "JsShop:Inner" and event["meta"]["opcode"] == 1:
            assert event["meta"]["relatedActivity"] in requests.values()
    stops = [event for event in found if event["meta"].get("opcode") == 2]
    same(len(stops), 6)
    same(sorted(event["error"] for event in stops if "error" in event), ["RangeError", "object"])
    outside, given = found[-2:]
    same((outside["n"], "activity" in outside["meta"], given["meta"]["activity"]),
         ("JsShop:Outside", False, "00000000-0000-0000-0000-000000000007"))


def threads_write_at_the_same_time():
    found = events("""
const { Worker } = require('node:worker_threads');
const code = `const ue = require('userevents'), { workerData } = require('node:worker_threads');
	const t = new ue.Session({ strict: true }).tracepoint('JsThreads', 4);
	for (let i = 0; i < 200; i++) t.write('E', { worker: workerData, i });`;
for (let i = 0; i < 4; i++)
	new Worker(code, { eval: true, workerData: i });
const t = new ue.Session({ strict: true }).tracepoint('JsThreads', 4);
for (let i = 0; i < 200; i++)
	t.write('E', { worker: 4, i });
""")
    same(sorted((event["worker"], event["i"]) for event in found), [(worker, i) for worker in range(5) for i in range(200)])


def children_write():
    """A ring, as a child of Node inherits no descriptors."""
    ring = folder / "children.ring"
    (folder / "child.js").write_text("const ue = require('userevents');\nconst s = new ue.Session({ strict: true });\n"
                                     "s.event('js_child u32 pid; u8 i').write({ pid: process.pid, i: Number(process.argv[2]) });\n")
    same(output("""
const { fork } = require('node:child_process');
const s = new ue.Session({ strict: true }), e = s.event('js_child u32 pid; u8 i');
for (let i = 1; i < 4; i++)
	fork('child.js', [i]);
e.write({ pid: process.pid, i: 0 });
""", USEREVENTS_RING=str(ring)), "")
    done = subprocess.run([tool, "decode", "--json", ring], text=True, capture_output=True, timeout=300)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    same(sorted(event["i"] for event in found), [0, 1, 2, 3])
    same([event["pid"] == event["meta"]["pid"] for event in found], [True] * 4)


def what_is_collected_is_unregistered_and_threads_close_their_sessions():
    """The tables of a ring hold some thousand events, and the process has few descriptors."""
    same(output("""
const { Worker } = require('node:worker_threads');
const s = new ue.Session({ strict: true });
const tick = () => new Promise(setImmediate);
(async () => {
	for (let i = 0; i < 20000; i++) {
		s.event(`js_gone${i % 100} u8 a`).write({ a: 1 });
		if (i % 1000 === 0) {
			gc();
			await tick();
		}
	}
	for (let i = 0; i < 300; i++) {
		new ue.Session({ strict: true });
		if (i % 20 === 0) {
			gc();
			await tick();
		}
	}
	const fds = () => require('node:fs').readdirSync('/proc/self/fd').length;
	const before = fds();
	for (let i = 0; i < 3; i++)
		await new Promise((done) => new Worker("new (require('userevents').Session)({ strict: true }).event('js_worker u8 a').write({ a: 1 })",
			{ eval: true }).on('exit', done));
	assert(fds() <= before, `${fds()} ${before}`);
})();
""", options=["--expose-gc"], USEREVENTS_RING=str(folder / "collected.ring")), "")


def a_million_events_take_no_memory():
    """Of its own, beside the ring. The heap grows by steps of its own; a leak grows always."""
    grown = int(output("""
const t = new ue.Session({ strict: true }).tracepoint('JsMemory', 4), e = t.session.event('js_memory u32 i; __rel_loc char[] s');
const write = (count) => {
	for (let i = 0; i < count; i++) {
		t.write('E', { i, text: `/${i}`, list: [i, 1] });
		e.write({ i, s: `/${i}` });
	}
};
const own = () => (gc(), Number(/RssAnon:\\s*(\\d+)/.exec(require('node:fs').readFileSync('/proc/self/status'))[1]));
let least = Infinity, before = 0;
for (let i = 0; i < 5; i++) {
	write(250000);
	const after = own();
	least = i ? Math.min(least, after - before) : least;
	before = after;
}
console.log(least);
""", options=["--expose-gc", "--max-semi-space-size=2"], USEREVENTS_RING=str(folder / "memory.ring")))
    assert grown < 3900, grown  # KiB of 500,000 events; 8 bytes an event would be as much


def lines_of_pino_are_events():
    found = traced(r"""
const stream = ue.pinoStream('JsPino');
const line = (level, rest) => { stream.lastLevel = level; stream.write(`{"level":${level},"time":1,"pid":7,"hostname":"a"${rest}}\n`); };
line(60, ',"msg":"fatal"');
line(50, ',"err":{"type":"Error","message":"bad","stack":"at"},"msg":"failed"');
line(40, ',"item":"tea","n":3,"req":{"id":1},"msg":"3 left"');
line(30, ',"tags":["a"],"__proto__":{"x":1},"message":"own"');
line(20, '');
line(10, ',"msg":5');
stream.lastLevel = undefined;
stream.write('{"level":"warn","msg":"label"}\n');
for (const other of ['no JSON\n', '[1]', 'null', '', undefined, Buffer.from('{"msg":"bytes"}'), '{"level":1e99,"msg":"odd"}', '{'.repeat(1e6)])
	stream.write(other);
""")
    same([(event["meta"]["level"], str(event["message"])[:9]) for event in found], [
        (1, "fatal"), (2, "failed"), (3, "3 left"), (4, "own"), (5, ""), (5, "5"), (3, "label"), (4, "no JSON"),
        (4, "[1]"), (4, "null"), (4, ""), (4, "undefined"), (4, "bytes"), (4, "odd"), (4, "{" * 9)])
    same([found[2][key] for key in ("severity", "item", "_n", "req", "pid")], [40, "tea", 3, {"id": 1}, 7])
    same(found[1]["err"], {"type": "Error", "message": "bad", "stack": "at"})
    same({event["n"] for event in found}, {"JsPino:Log"})


def the_transport_of_pino_splits_lines():
    same([event["message"] for event in events(r"""
const stream = require('userevents/pino')({ provider: 'JsPino' });
const text = Buffer.from('{"level":30,"msg":"caf\u00e9"}\n{"level":40,"msg":"b"}\n{"level":30,"msg":"last"}');
for (const byte of text)
	stream.write(Buffer.from([byte]));
stream.end();
""")], ["caf\u00e9", "b", "last"])


def calls_of_console_are_events():
    found = traced("""
const said = [];
const stream = new (require('node:stream').Writable)({ write(text, encoding, done) { said.push(String(text)); done(); } });
const target = new console.Console({ stdout: stream, stderr: stream });
const print = target.log, end = ue.captureConsole('JsConsole', { target });
target.log('%d left', 3, { a: 1 });
target.warn('hot');
target.error(new Error('bad').message);
target.debug(Symbol('s'));
target.info('x'.repeat(9000));
const hostile = { toString() { throw 5; }, [Symbol.toPrimitive]() { throw 5; } };
assert.throws(() => target.log('%s %d', hostile, hostile), undefined); // as without events
end();
target.log('after');
assert(target.log === print);
assert.equal(said[0], '3 left { a: 1 }\\n');
assert.equal(said.at(-1), 'after\\n');
""")
    same([(event["meta"]["level"], event["method"], event["message"][:15]) for event in found[:5]], [
        (4, "log", "3 left { a: 1 }"), (3, "warn", "hot"), (2, "error", "bad"), (5, "debug", "Symbol(s)"),
        (4, "info", "x" * 15)])
    same(len(found), 6)


def texts_of_loggers_that_are_cut_are_counted():
    """A text that fits an event is whole."""
    said = """
const session = new ue.Session(), target = { log() {}, info() {}, warn() {}, error() {}, debug() {}, trace() {} };
const stream = ue.pinoStream('JsCut', { session }), end = ue.captureConsole('JsCut', { session, target });
stream.write('p'.repeat(3000) + '\\n');
target.log('c'.repeat(3000));
target.log({ it: 'n'.repeat(3000) });
assert.equal(session.altered, 0);
"""
    found = events(said)
    same([event["message"].count(letter) for event, letter in zip(found, "pcn", strict=True)], [3000] * 3)
    found = events(said + """
stream.write('p'.repeat(9000));
assert.equal(session.altered, 1);
stream.write('{"level":30,"msg":"' + 'm'.repeat(2 ** 20));
assert.equal(session.altered, 2);
target.log('c'.repeat(9000));
target.log({ it: 'n'.repeat(9000) });
assert.equal(session.altered, 4);
""")
    same([(event["message"][:1], event["message"][-3:]) for event in found[3:]],
         [(first, "...") for first in "p{c{"])


def programs_of_the_readme_run():
    """That of pino with a line of its format."""
    pino = folder / "node_modules/pino"
    pino.mkdir()
    (pino / "index.js").write_text("""
module.exports = (stream) => ({ info(fields, msg) {
	stream.write(JSON.stringify({ level: 30, time: 1, ...fields, msg }) + '\\n');
} });
module.exports.multistream = (all) => ({ write: (line) => all.forEach(({ stream }) => stream.write(line)) });
""")
    programs = re.findall(r"```js\n(.*?)```", (package / "README.md").read_text(), re.S)
    names = []
    for program in programs:
        (folder / "program.js").write_text(program)
        done = subprocess.run([tool, "run", "--json", "--", "node", "program.js"], text=True, cwd=folder,
                              capture_output=True, timeout=300, env=ENVIRONMENT)
        same(done.returncode, 0)
        names.append([event["n"].partition(":")[2] for event in map(json.loads, done.stdout.splitlines()) if "n" in event])
    same(names, [["shop_request", "OrderPlaced"],
                 ["Checkout", "ItemAdded", "Payment", "CardCharged", "Payment", "Checkout"], ["Log"], ["Log"]])


def its_types_are_those_of_its_exports():
    declared = re.findall(r"^export declare (?:class|const|function) (\w+)", (package / "index.d.ts").read_text(), re.M)
    same(sorted(declared), sorted(json.loads(output("console.log(JSON.stringify(Object.keys(ue)))"))))


def compiled(text):
    (folder / "types.ts").write_text(text)
    options = {"target": "es2022", "module": "commonjs", "moduleResolution": "node", "esModuleInterop": True,
               "types": [], "lib": ["es2022"]}
    (folder / "tsconfig.json").write_text(json.dumps({"compilerOptions": options, "files": ["types.ts"]}))
    done = subprocess.run(["/usr/bin/tsc", "--strict", "--noEmit"], text=True, cwd=folder,
                          capture_output=True, timeout=300)
    return done.returncode, done.stdout


def typescript_takes_right_uses_and_no_wrong_ones():
    """Without the types of a browser, and of Node."""
    same(compiled(pathlib.Path(__file__).with_name("node_types.ts").read_text()), (0, ""))
    for wrong in ("session.tracepoint('Shop')", "session.event(5)", "session.tracepoint('Shop', 4).write({ a: 1 })",
                  "ue.u8('1')", "ue.time(new Date())", "ue.within(5, () => 1)", "ue.version().length = 5",
                  "new ue.EventHeader()", "new ue.Event()", "new ue.Tracepoint()", "session.strict = true", "new ue.Session({ name: '/run/ring' })",
                  "ue.captureConsole('Shop', { target: {} })", "ue.missing"):
        status, said = compiled(f"import * as ue from 'userevents';\nconst session = new ue.Session();\n{wrong};\n")
        assert status != 0 and re.match(r"types.ts\(3,\d+\): error TS", said), (wrong, said)


if __name__ == "__main__":
    run([npm_installs_it_offline, its_inside_is_not_reached, what_throws_again_when_it_is_looked_at_is_caught, a_classic_event_is_written, values_of_javascript_are_fields,
         events_have_ids_opcodes_and_activities, mistakes_are_thrown, values_are_written_whatever_they_are,
         values_that_are_too_long_are_cut, random_values_are_written, lost_events_are_counted,
         a_closed_session_writes_nothing, getters_may_write, activities_follow_calls_and_promises,
         threads_write_at_the_same_time, children_write,
         what_is_collected_is_unregistered_and_threads_close_their_sessions, a_million_events_take_no_memory,
         lines_of_pino_are_events, the_transport_of_pino_splits_lines, calls_of_console_are_events,
         texts_of_loggers_that_are_cut_are_counted, programs_of_the_readme_run, its_types_are_those_of_its_exports,
         typescript_takes_right_uses_and_no_wrong_ones])
