// SPDX-License-Identifier: MIT
// node_fuzz.js COUNT [SEED]: writes random and hostile values through the package userevents, none of
// which may throw or lose an event. Prints how many events were written, and how many values altered.
'use strict';
const userevents = require('userevents');

const count = Number(process.argv[2]);
let state = Number(process.argv[3] ?? 1);

function random(most) { // xorshift
	state ^= state << 13;
	state ^= state >>> 17;
	state ^= state << 5;
	return (state >>> 0) % most;
}

const session = new userevents.Session();
const tracepoint = session.tracepoint('JsFuzz', 5, 1);
const classic = session.event('js_fuzz u8 a; s16 b; u64 c; char d; char[4] e; unsigned char[3] f; ' +
	'__rel_loc char[] g; __data_loc u8[] h; struct point i 8');

class Unwilling {
	get member() { throw new Error('no member'); }
	toJSON() { throw new Error('no JSON'); }
}
class Writes {
	get member() {
		tracepoint.write('Inside', { a: 'x'.repeat(random(3000)) });
		return { b: 1 };
	}
	toJSON() { return { member: this.member, other: [this.member] }; }
}
class Wide extends Uint8Array {
	get byteLength() { return 2 ** 40; }
}
const hostile = { get() { throw undefined; }, ownKeys() { throw null; }, getPrototypeOf() { throw 5; } };
const cyclic = { name: 'cyclic' };
cyclic.itself = cyclic;
cyclic.all = [cyclic, cyclic, cyclic];

const LEAVES = [
	() => random(2 ** 32) - 2 ** 31, () => random(100) / 7, () => NaN, () => -Infinity, () => -0, () => 2 ** 60,
	() => BigInt(random(1000)) ** 3n, () => -(2n ** 63n), () => 2n ** 64n, () => 2n ** 100000n, () => true, () => null,
	() => undefined, () => 'tea', () => 'x'.repeat(random(9000)), () => '\u00e9'.repeat(random(3000)), () => '\ud800a\udc00',
	() => 'n\0l', () => Symbol('s'), () => () => 5, () => new Date(NaN), () => new Date(random(2 ** 31)), () => new Error('e'),
	() => Buffer.alloc(random(6000)), () => new Wide(5), () => new Float64Array(random(900)), () => new BigInt64Array(3),
	() => new DataView(new ArrayBuffer(4)), () => new SharedArrayBuffer(4), () => new Map([[1, 2]]), () => /x/g, () => new Unwilling(),
	() => new Writes(), () => new Proxy({}, hostile), () => new Proxy([], hostile), () => cyclic, () => globalThis,
	() => new Proxy([1, 2], { get: (target, name) => name === 'length' ? 2 ** 50 : random(2) ? 'x' : 5 }),
	() => Object.create(null), () => new WeakMap(), () => Promise.resolve(), () => userevents.u8(random(300)),
	() => userevents.time(1.5), () => userevents.time(NaN), () => userevents.hex64([1n, 'x']), () => userevents.uuid('no'),
	() => userevents.json('{'.repeat(random(3000))), () => new userevents.Activity(), () => process.env, () => [,, 1],
	() => Object.assign(Array(5), { length: 70000 }), () => new URL('http://a/'), () => Object(5n), () => arguments_of(1, 2),
	() => ({ toString() { throw 1; }, valueOf() { throw 2; } }), () => ({ [Symbol.toPrimitive]: 5, length: 3, charCodeAt: 5 }),
];

function arguments_of() {
	return arguments;
}

function value(depth) {
	if (depth > 0 && random(4) === 0)
		return random(2) ? Array.from({ length: random(6) }, () => value(depth - 1)) : fields(depth - 1, random(12));
	if (depth > 0 && random(12) === 0)
		return Array(random(5)).fill(value(depth - 1));
	return LEAVES[random(LEAVES.length)]();
}

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'n\0l', '', '__proto__', 'gr\u00f6\u00dfe', '\ud800', 'length',
	'x'.repeat(5000)];

function fields(depth, number) {
	const made = {};
	for (let i = 0; i < number; i++)
		Object.defineProperty(made, random(3) ? NAMES[random(NAMES.length)] : `name${random(500)}`,
			{ value: value(depth), enumerable: true, configurable: true });
	return made;
}

for (let i = 0; i < count; i++) {
	const given = random(20) ? fields(random(12), random(random(30) ? 8 : 2000)) : value(1);
	const name = random(9) ? 'Fuzz' : value(0);
	if (!(random(3) ? tracepoint.write(name, given) : classic.write(given)))
		throw new Error(`lost: ${JSON.stringify([tracepoint.losses, classic.losses])}`);
}
console.log(`${count} ${tracepoint.altered + classic.altered}`);
