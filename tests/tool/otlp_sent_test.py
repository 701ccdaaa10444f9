#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents export --to otlp: from a recording to receivers, ours and another one.

Arguments: the program, scripts/npm-package, hello, and traced. What was written is delivered, or counted
as lost by its reason.
"""
import json
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

from otlp_schema import Schema, attributes
from receiver import Receiver, answer, items, ok, partial, silent
from recordings import EVENTHEADER, Recording, eventheader
from tap import run, same

tool, npm_package, hello, traced = sys.argv[1:]
here = pathlib.Path(__file__).resolve().parent
folder = pathlib.Path(tempfile.mkdtemp())
WALL = 1_700_000_000_000_000_000
U64, TEXT = b"\x05", b"\x07"


def package(*args):
    return subprocess.run([npm_package, *args], check=True, capture_output=True,
                          text=True).stdout.strip()


def recording(logs, spans=0):
    made = Recording(clock=(WALL, 0))
    event = made.event("user_events", "Shop_L5K1", 500, EVENTHEADER)
    for i in range(logs):
        made.sample(event, i, eventheader("Order", [("id", U64)], struct.pack("<Q", i)),
                    cpu=1, pid=100, tid=101)
    for i in range(spans):
        activity = struct.pack(">QQ", 1, i + 1)
        for at, (opcode, name) in enumerate(((1, "PayStart"), (2, "PayStop"))):
            made.sample(event, logs + 2 * i + at, eventheader(
                name, [("id", U64)], struct.pack("<Q", i), opcode=opcode,
                activity=activity), cpu=1, pid=100, tid=101)
    path = folder / f"{logs}-{spans}"
    path.write_bytes(made.file())
    return path


def environment():
    return {name: value for name, value in os.environ.items()
            if not name.startswith("OTEL_") and "proxy" not in name.lower()}


def export(*args, status=0, env=None):
    """The sentences."""
    done = subprocess.run([tool, "export", "--to", "otlp", *map(str, args)],
                          capture_output=True, timeout=300, env={**environment(), **(env or {})})
    said = done.stderr.decode()
    assert done.returncode == status, (done.returncode, said)
    same(done.stdout, b"")
    return said


def summary(said):
    return said.splitlines()[-1].removeprefix("userevents: ")


def all_events_arrive_and_protoc_reads_them():
    schema = Schema(pathlib.Path(package("--alone", "dd-trace", "5.132.0"))
                    / "packages/dd-trace/src/opentelemetry/otlp")
    with Receiver(ok) as receiver:
        said = export("--endpoint", receiver.url, recording(2000, 700))
    same(said, f"userevents: 2700 of 2700 records and spans were delivered to {receiver.url} in "
         f"{len(receiver.requests)} requests; 0 are lost.\n")
    found = {"logs": [], "traces": []}
    for request in receiver.requests:
        signal = request.path.removeprefix("/v1/")
        (resources,) = schema.decode(signal, request.body).values()
        for resource in resources:
            for scope in resource["scopeLogs" if signal == "logs" else "scopeSpans"]:
                found[signal] += scope["logRecords" if signal == "logs" else "spans"]
    for signal, name, count in ("logs", "eventName", 2000), ("traces", "name", 700):
        same({record[name] for record in found[signal]},
             {"Order" if signal == "logs" else "Pay"})
        same(sorted(attributes(record["attributes"])["id"] for record in found[signal]),
             list(range(count)))


def another_receiver_has_all_events():
    node = subprocess.Popen(["node", here / "mock_receiver.js",
                             package("@elastic/mockotlpserver", "0.10.0")],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = node.stdout.readline().strip()
    said = export("--endpoint", url, recording(2000, 700))
    assert summary(said).startswith("2700 of 2700 records and spans were delivered"), said
    requests = int(summary(said).split(" requests")[0].split()[-1])
    lines = [json.loads(node.stdout.readline()) for _ in range(requests)]
    node.stdin.close()
    same(node.stdout.read(), "")
    same(node.wait(60), 0)
    for signal, count in ("logs", 2000), ("traces", 700):
        same(sorted(int(record["attributes"]["id"]) for line in lines
                    if line["signal"] == signal for record in line["records"]),
             list(range(count)))


def events_are_in_the_trace_of_an_sdk():
    """A program of ours runs in a span of OpenTelemetry's own SDK; one receiver has both."""
    node = subprocess.Popen(["node", here / "mock_receiver.js",
                             package("@elastic/mockotlpserver", "0.10.0")],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    url = node.stdout.readline().strip()
    context = json.loads(subprocess.run(
        ["node", here / "sdk_span.js", package("@opentelemetry/exporter-trace-otlp-proto", "0.203.0"),
         url, tool, "export", "--to", "otlp", "--endpoint", url, "--run", "--", traced],
        check=True, stdout=subprocess.PIPE, text=True, env=environment()).stdout)
    found = {"logs": [], "traces": []}
    while not (found["logs"] and len(found["traces"]) == 2):
        line = json.loads(node.stdout.readline())
        assert "signal" in line, line
        found[line["signal"]] += line["records"]
    node.stdin.close()
    same(node.wait(60), 0)
    spans = {span["name"]: span for span in found["traces"]}
    note, = found["logs"]
    trace, checkout, pay = context["traceId"], spans["checkout"], spans["Pay"]
    same({part["traceId"] for part in (note, checkout, pay)}, {trace})
    same((checkout["spanId"], note["spanId"], pay["parentSpanId"]), (context["spanId"],) * 3)
    assert "parentSpanId" not in checkout or not checkout["parentSpanId"], checkout


def losses_are_summed_up_by_their_reasons():
    with Receiver(answer(400), partial(7), ok) as receiver:
        said = export("--endpoint", receiver.url, recording(3000), status=1)
    same(len(receiver.requests), 6)
    lost = 3000 - sum(len(items(request)) for request in receiver.accepted)
    same(summary(said), f"{2993 - lost} of 3000 records were delivered to {receiver.url} "
         f"in 5 requests; {lost + 7} are lost: {lost} in requests that were refused, 7 rejected "
         "by a partial success.")


def a_receiver_that_is_down_costs_the_time_that_was_asked_for():
    with Receiver(ok, listens=False) as receiver:
        for seconds in 0, 1:
            said = export("--endpoint", receiver.url, "--retry-for", seconds, recording(3000),
                          status=1)
            same(summary(said), f"0 of 3000 records were delivered to {receiver.url} in 0 "
                 "requests; 3000 are lost: 3000 given up, as the receiver did not take "
                 "them.")


def headers_and_the_timeout_are_options():
    with Receiver(answer(503), ok) as receiver:
        export("--endpoint", receiver.url, "--header", "X-Token: a b", "--timeout", 60000,
               recording(1))
    same([request.headers["x-token"] for request in receiver.requests], ["a b"] * 2)


def no_events_are_no_requests():
    with Receiver(ok) as receiver:
        said = export("--endpoint", receiver.url, "--where", "id > 5", recording(3), status=1)
    same(receiver.requests, [])
    same(said.splitlines()[0], f"userevents: 0 of 0 records were delivered to {receiver.url} in 0 requests; "
         "0 are lost.")  # the status is that of a question without an answer


def events_of_a_program_are_sent():
    with Receiver(ok) as receiver:
        said = export("--endpoint", receiver.url, "--run", "--", hello, "3")
    same(sum(len(items(request)) for request in receiver.accepted), 3)
    assert summary(said).startswith("3 of 3 records were delivered"), said


def a_signal_ends_waiting_for_a_receiver():
    """After the program; or before its end, by the signal that it is sent, too."""
    with Receiver(silent) as receiver:
        for program, is_last in (f"{hello} 3; echo", True), \
                (f"{hello} 3; echo; exec sleep 600", False):
            live = subprocess.Popen(
                [tool, "export", "--to", "otlp", "--endpoint", receiver.url, "--timeout",
                 "600000", "--retry-for", "600", "--run", "--", "sh", "-c", program],
                env=environment(), stderr=subprocess.PIPE, text=True, start_new_session=True)
            children = pathlib.Path(f"/proc/{live.pid}/task/{live.pid}/children")
            while live.stderr.readline() != "\n":
                pass
            # It sends when the program has ended, and on a busy machine before that, too.
            while is_last and (children.read_text() or not receiver.arrived):
                time.sleep(0.01)
            os.killpg(live.pid, signal.SIGINT)
            said = live.communicate(timeout=300)[1]
            same((live.returncode, "0 of 3 records were delivered" in said,
                  "3 given up" in said), (1 if is_last else 130, True, True))


def a_program_is_started_before_any_thread():
    """fork(2) copies the locks that another thread holds."""
    with Receiver(ok) as receiver:
        said = export("--endpoint", receiver.url, "--run", "--", "sh", "-c",
                      "echo $(ls /proc/$PPID/task | wc -l) threads", status=1)
    same(said.splitlines()[0], "1 threads")


def only_sending_needs_libcurl():
    broken = folder / "broken"
    broken.mkdir()
    (broken / "libcurl.so.4").write_bytes(b"no library")
    path = {"LD_LIBRARY_PATH": str(broken)}
    subprocess.run([tool, "decode", recording(1)], check=True, capture_output=True,
                   env={**environment(), **path})
    same(export(recording(1), status=1, env=path),
         f"userevents: cannot send to a receiver: {broken}/libcurl.so.4: file too short; libcurl "
         "7.87 or later is needed (apt-get install libcurl4)\n")


def an_old_libcurl_is_refused():
    """Options that it does not know would be without effect."""
    old = folder / "old"
    old.mkdir()
    header = (here.parents[1] / "tools/export/send/http_request.h").read_text()
    functions = set(re.findall(r"DO\((\w+)\)", header)) - {"version_info"}
    assert len(functions) > 20, functions
    (old / "curl.c").write_text(
        "".join(f"void curl_{name}(void) {{}}\n" for name in sorted(functions)) +
        "static struct { int age; const char *version; unsigned number; } info = "
        '{ 0, "7.81.0", 0x075100 };\n'
        "void *curl_version_info(int age) { return &info; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", "-fno-builtin", "-o", old / "libcurl.so.4",
                    old / "curl.c"], check=True)
    same(export(recording(1), status=1, env={"LD_LIBRARY_PATH": str(old)}),
         "userevents: cannot send to a receiver: libcurl 7.81.0 is too old; install version "
         "7.87 or later\n")


def options_that_do_not_fit_are_refused():
    same(export("-o", "x", recording(1), status=2), "userevents: cannot write to x: the format "
         "otlp is sent; write a file with --to otlp-json or otlp-protobuf\n")
    for options in (["--endpoint", "http://x"], ["--header", "X: y"], ["--timeout", "60"],
                    ["--retry-for", "60"]):
        done = subprocess.run([tool, "export", "--to", "perfetto", *options, "y"],
                              capture_output=True, text=True)
        same((done.returncode, done.stdout), (2, ""))
        assert "perfetto is a file, and is not sent" in done.stderr, done.stderr
    export("--timeout", "0", recording(1), status=2)
    export("--endpoint", "localhost:4318", recording(1), status=2)


run([all_events_arrive_and_protoc_reads_them, another_receiver_has_all_events,
     events_are_in_the_trace_of_an_sdk,
     losses_are_summed_up_by_their_reasons,
     a_receiver_that_is_down_costs_the_time_that_was_asked_for,
     headers_and_the_timeout_are_options, no_events_are_no_requests,
     events_of_a_program_are_sent, only_sending_needs_libcurl, an_old_libcurl_is_refused,
     a_program_is_started_before_any_thread, a_signal_ends_waiting_for_a_receiver,
     options_that_do_not_fit_are_refused])
