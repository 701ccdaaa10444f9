#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The sender of OTLP, to receivers that behave badly. Argument: the program sending.

Each test: what was put is what the receiver accepted and what is counted as lost, each once.
The times are those of the sender, which waits for a receiver; so the tests wait beside each other.
"""
import email.utils
import json
import os
import pathlib
import re
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

from receiver import (Receiver, answer, cut_before_answer, cut_request, endless, field, items,
                      of, ok, partial, raw, silent)
from tap import beside, run, same

program = sys.argv[1]
folder = pathlib.Path(tempfile.mkdtemp())
LOSSES = "queue", "refused", "rejected", "gave_up"
DEADLINE = 300
making_certificates = threading.Lock()


class Sent:
    """when_said: words, and what is called once the program has said them."""

    def __init__(self, receiver, *args, status=None, env=(), limits=(), when_said=None,
                 **options):
        options = {"endpoint": receiver.url if receiver else None, **options}
        args = [*args, *(f"{name}={value}" for name, value in options.items()
                         if value is not None)]
        process = subprocess.Popen([*limits, program, *args], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, bufsize=0,
                                   env={**clean_environment(), **dict(env)})
        try:
            heard = hear(process.stderr, *when_said) if when_said else b""
            out, said = process.communicate(timeout=DEADLINE)
        finally:
            process.kill()
            process.wait()
        self.said, self.status = (heard + said).decode(), process.returncode
        assert self.status == status if status is not None \
            else self.status in (0, 1), (self.status, self.said)
        self.counts = json.loads(out) if out else None

    def __getattr__(self, name):
        value = self.counts[name]
        return value["items"] if isinstance(value, dict) else value


def hear(stderr, words, act):
    heard = b""
    while words.encode() not in heard and (line := stderr.readline()):
        heard += line
    act()
    return heard


def clean_environment():
    """Where a test names no time, even a busy machine answers within it."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith("OTEL_") and "proxy" not in name.lower()}
    return {**kept, "OTEL_EXPORTER_OTLP_TIMEOUT": "120000"}


def numbers(request):
    """The numbers of the items."""
    return [of(item, 1 if request.path.endswith("/v1/logs") else 7)[0] for item in items(request)]


def arrived(receiver):
    return [number for request in receiver.accepted for number in numbers(request)]


def balanced(sent, receiver, delivered, **lost):
    """All that was put is accounted for, and the receiver has what is counted as delivered."""
    lost = {reason: lost.get(reason, 0) for reason in LOSSES}
    same({"delivered": sent.delivered, **{reason: getattr(sent, reason) for reason in LOSSES}},
         {"delivered": delivered, **lost})
    same(sent.put, delivered + sum(lost.values()))
    same(sent.queued, 0)
    same(sent.status, 1 if sum(lost.values()) else 0)
    same(sent.lost, sum(lost.values()))
    got = arrived(receiver)
    same(len(set(got)), len(got))
    same(len(got), delivered + lost["rejected"])


# All is well

def all_arrive_at_the_paths_of_their_signals():
    with Receiver(ok) as receiver:
        sent = Sent(receiver, batches=9, metrics=1, traces=4)
    balanced(sent, receiver, 90)
    same(sorted(request.path for request in receiver.requests),
         ["/v1/logs"] * 4 + ["/v1/metrics"] + ["/v1/traces"] * 4)
    for request in receiver.requests:
        same(request.method, "POST")
        same(request.headers["content-type"], "application/x-protobuf")
        assert request.headers["user-agent"].startswith("userevents/")
        assert "expect" not in request.headers and "content-encoding" not in request.headers
    same((sent.retries, sent.unclear, sent.latencies, sent.said), (0, 0, 9, ""))
    same(sent.counts["delivered"]["requests"], 9)
    same(sent.counts["delivered"]["bytes"],
         sum(len(request.body) for request in receiver.requests))
    assert 0 < sent.last <= sent.sum


def connections_are_kept():
    with Receiver(ok) as receiver:
        count = 0
        accept = receiver.serve

        def serve(connection):
            nonlocal count
            count += 1
            accept(connection)
        receiver.serve = serve
        balanced(Sent(receiver, batches=200), receiver, 2000)
    assert count <= 4, count


def bodies_are_compressed_on_request():
    with Receiver(ok) as receiver:
        sent = Sent(receiver, bytes=1000, env={"OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}.items())
    balanced(sent, receiver, 100)
    for request in receiver.requests:
        same(request.headers["content-encoding"], "gzip")
        assert len(request.body) < len(request.plain()) / 10


def a_body_larger_than_the_queue_is_sent():
    with Receiver(ok) as receiver:
        balanced(Sent(receiver, batches=5, items=1, bytes=200000, queue=10000), receiver, 5)


# Trouble that passes

def is_retried(*behaviours, count=None, **options):
    with Receiver(*behaviours, ok) as receiver:
        sent = Sent(receiver, batches=1, **options)
    balanced(sent, receiver, 10)
    same(sent.retries, len(behaviours) if count is None else count)
    return receiver, sent


def requests_are_sent_again_after_429_502_503_504():
    def check(status):
        receiver, sent = is_retried(answer(status))
        same([request.body for request in receiver.requests], [receiver.requests[0].body] * 2)
        assert f"it answered {status}; userevents tries again" in sent.said, sent.said
        assert "takes events again, after" in sent.said

    beside(check, (429, 502, 503, 504))


def requests_are_sent_again_when_the_connection_is_cut():
    is_retried(cut_before_answer)
    is_retried(raw(b""))
    is_retried(raw(b"HTTP/1.1 20"))
    is_retried(cut_request, bytes=1000000)
    is_retried(raw(b"HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\n12345"))


def a_request_without_an_answer_is_sent_again():
    _, sent = is_retried(silent, env={"OTEL_EXPORTER_OTLP_TIMEOUT": "5000"}.items())
    assert "timed out after" in sent.said, sent.said


def a_receiver_names_the_time_in_seconds_or_as_a_date():
    def check(value):
        def busy(conversation):
            return answer(503, headers=[f"Retry-After: {value()}"])(conversation)

        receiver, _ = is_retried(busy)
        waited = receiver.times[1] - receiver.times[0]
        assert waited >= 2, waited  # the backoff alone is at most 0.5 s

    beside(check, (lambda: "3", lambda: email.utils.formatdate(time.time() + 4, usegmt=True)))


def a_time_that_makes_no_sense_is_not_waited_for():
    for value in "0", "-5", "soon", "Thu, 01 Jan 1970 00:00:00 GMT", "":
        is_retried(answer(503, headers=[f"Retry-After: {value}"]))


def the_time_between_tries_grows():
    receiver, sent = is_retried(answer(503), answer(503), answer(503), waits=1)
    waits = [after - before for before, after in zip(receiver.times, receiver.times[1:])]
    for wait, least in zip(waits, (0.25, 0.5, 1)):
        assert wait >= least * 0.99, waits
    same(sent.said.count("tries again"), 1)


def a_receiver_that_starts_late_gets_everything():
    with Receiver(ok, listens=False) as receiver:
        sent = Sent(receiver, batches=50, when_said=("tries again", receiver.listen))
    balanced(sent, receiver, 500)
    assert "Connection refused" in sent.said or "connect" in sent.said, sent.said


def one_request_at_a_time_asks_a_receiver_that_fails():
    """The first four requests are on their way at the same time."""
    four = threading.Barrier(4)

    def busy(conversation):
        four.wait(DEADLINE)
        return answer(503)(conversation)

    with Receiver(*[busy] * 4, answer(503), answer(503), ok) as receiver:
        balanced(Sent(receiver, batches=20, waits=1), receiver, 200)
    gaps = [after - before for before, after in zip(receiver.times[4:6], receiver.times[5:7])]
    assert min(gaps) > 0.2, gaps


def an_answer_to_another_request_does_not_shorten_the_receivers_time():
    """Of four requests on their way, one is answered 503 first, and then the others."""
    def check(case):
        status, refused = case
        all_are_there, is_known = threading.Barrier(4), threading.Event()

        def later(conversation):
            all_are_there.wait(DEADLINE)
            assert is_known.wait(DEADLINE)
            return answer(status)(conversation)

        def busy(conversation):
            all_are_there.wait(DEADLINE)
            receiver.failed_at = time.monotonic()
            return answer(503, headers=["Retry-After: 2"])(conversation)

        with Receiver(busy, later, later, later, ok) as receiver:
            sent = Sent(receiver, batches=20, when_said=("it answered 503", is_known.set))
        balanced(sent, receiver, 200 - refused, refused=refused)
        same((sent.retries, len(receiver.requests)), (1, 21))
        waited = receiver.times[4] - receiver.failed_at
        assert waited > 1.9, waited
        same(sent.said.count("takes events again"), 1)

    beside(check, ((200, 0), (400, 30)))


# Trouble that does not

def what_is_refused_is_lost_and_counted():
    for status in 400, 401, 404, 413, 500, 501:
        with Receiver(answer(status), ok) as receiver:
            sent = Sent(receiver, batches=5)
        balanced(sent, receiver, 40, refused=10)
        same(len(receiver.requests), 5)
        assert f"it answered {status}; they are lost" in sent.said, sent.said


def the_receivers_reason_is_shown():
    status = field(1, 3) + field(2, b"bad\x1b[31m record")
    with Receiver(answer(400, status)) as receiver:
        sent = Sent(receiver, batches=3)
    balanced(sent, receiver, 0, refused=30)
    same(sent.said, f"userevents: cannot deliver 10 items to {receiver.url}/v1/logs: it "
         'answered 400: "bad?[31m record"; they are lost\n')
    with Receiver(answer(401, b"who are you?\n", kind="text/plain; charset=utf-8")) as receiver:
        sent = Sent(receiver, batches=1)
    assert '401: "who are you??"; they are lost; set what it asks for' in sent.said, sent.said
    with Receiver(answer(400, ("x" + "\xe9" * 500).encode(), kind="text/plain")) as receiver:
        sent = Sent(receiver, batches=1)  # is read as UTF-8
    assert '400: "x' + "\xe9" * 127 + '"; they are lost' in sent.said, sent.said


def redirects_are_not_followed():
    with Receiver(ok) as other, Receiver(answer(307, headers=[f"Location: {other.url}/v1/logs"])) \
            as receiver:
        sent = Sent(receiver, batches=2)
    balanced(sent, receiver, 0, refused=20)
    same(other.requests, [])
    assert "redirects are not followed" in sent.said, sent.said


def a_partial_success_is_counted_and_not_sent_again():
    with Receiver(partial(3, b"too old"), ok) as receiver:
        sent = Sent(receiver, batches=4)
    balanced(sent, receiver, 37, rejected=3)
    same(len(receiver.requests), 4)
    same(sent.said, f"userevents: {receiver.url}/v1/logs took a part: it rejected 3 of 10 items: "
         '"too old"\n')


def a_partial_success_cannot_reject_more_than_there_is():
    for rejected in 10, 11, 2**63 - 1:
        with Receiver(partial(rejected), ok) as receiver:
            balanced(Sent(receiver, batches=2), receiver, 10, rejected=10)
    with Receiver(partial(2**64 - 5), ok) as receiver:  # -5
        balanced(Sent(receiver, batches=2), receiver, 20)


def a_warning_of_the_receiver_is_no_loss():
    with Receiver(partial(0, b"use gzip")) as receiver:
        sent = Sent(receiver, batches=3)
    balanced(sent, receiver, 30)
    same(sent.said.count("use gzip"), 1)


def answers_that_are_not_of_otlp_are_no_loss():
    many = b"HTTP/1.1 200 OK\r\nContent-Type: application/x-protobuf\r\n"

    def check(behaviour):
        with Receiver(behaviour, ok) as receiver:
            sent = Sent(receiver, batches=3,
                        env={"OTEL_EXPORTER_OTLP_TIMEOUT": "5000"}.items())
        balanced(sent, receiver, 30)
        same(sent.unclear, 1)
        assert "cannot understand http://localhost" in sent.said, sent.said

    beside(check, (
            answer(200, b"<html>hello</html>", kind="text/html"),
            answer(200, b"\xff" * 99), answer(200, field(1, b"\x08")),
            answer(200, b"\x0a\xff\xff\xff\xff\x0f"),
            answer(200, b"x" * 100000),
            raw(many + b"Content-Length: 50\r\n\r\n123", accepts=True),
            endless(many + b"\r\n", b"x" * 5000, accepts=True),
            endless(many + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", True, 0.05),
            endless(many, b"X-More: 1234567890\r\n", accepts=True)))


def empty_answers_are_success():
    for behaviour in (answer(200, kind=None), answer(202, b"{}", kind="application/json"),
                      answer(204, kind=None), answer(200, field(9, b"new") + field(1, b""))):
        with Receiver(behaviour) as receiver:
            sent = Sent(receiver, batches=3)
        balanced(sent, receiver, 30)
        same((sent.unclear, sent.said), (0, ""))


def an_answer_that_is_no_http_is_a_refusal():
    for behaviour in (raw(b"SSH-2.0-OpenSSH_9.2\r\n"), raw(b"\0" * 1000), raw(b"\xff" * 300000),
                      raw(b"HTTP/1.1 999999 No\r\n\r\n")):
        with Receiver(behaviour) as receiver:
            sent = Sent(receiver, batches=2)
        balanced(sent, receiver, 0, refused=20)
        assert "its answer is not HTTP" in sent.said, sent.said


# The end

def a_receiver_that_is_down_ends_the_patience():
    with Receiver(ok, listens=False) as receiver:
        sent = Sent(receiver, batches=1000, patience=3000, queue=20000)
    balanced(sent, receiver, 0, gave_up=10000)
    same(sent.said.count("tries again"), 1)
    same(sent.said.count("gave up"), 1)


def a_receiver_that_asks_for_more_than_the_patience_is_not_waited_for():
    with Receiver(answer(503, headers=["Retry-After: 3600"])) as receiver:
        sent = Sent(receiver, batches=1000, patience=10000, queue=20000)
    balanced(sent, receiver, 0, gave_up=10000)
    assert len(receiver.requests) <= 4, len(receiver.requests)


def a_receiver_that_comes_back_after_the_patience_is_used():
    with Receiver(answer(503), answer(503), ok) as receiver:
        sent = Sent(receiver, batches=100, patience=0, pause=30)
    same(sent.delivered + sent.gave_up, 1000)
    balanced(sent, receiver, sent.delivered, gave_up=sent.gave_up)
    assert sent.delivered > 0 and sent.gave_up > 0, sent.counts


def the_deadline_holds_when_the_receiver_is_silent():
    with Receiver(silent) as receiver:
        sent = Sent(receiver, batches=30, deadline=500, patience=-1)
    balanced(sent, receiver, 0, gave_up=300)


def the_deadline_holds_when_the_receiver_is_down():
    with Receiver(ok, listens=False) as receiver:
        balanced(Sent(receiver, batches=30, deadline=1500, patience=-1), receiver, 0,
                 gave_up=300)


def what_is_queued_is_sent_until_the_deadline():
    with Receiver(answer(503), ok) as receiver:
        balanced(Sent(receiver, batches=100, deadline=120000, patience=-1), receiver, 1000)


def a_full_queue_drops_and_counts():
    with Receiver(silent) as receiver:
        sent = Sent(receiver, batches=200, bytes=100, queue=20000, drop=1, deadline=100)
    assert sent.queue > 1000, sent.queue
    balanced(sent, receiver, 0, queue=sent.queue, gave_up=sent.gave_up)
    same(sent.said.count("cannot queue 10 items"), 1)


def after_a_signal_nothing_waits_long():
    with Receiver(silent) as receiver:
        sent = Sent(receiver, batches=200, bytes=100, queue=20000, stop=10**6, patience=-1,
                    env={"OTEL_EXPORTER_OTLP_TIMEOUT": "600000"}.items())
    assert sent.queue > 1000, sent.queue
    balanced(sent, receiver, 0, queue=sent.queue, gave_up=2000 - sent.queue)


def after_a_signal_that_ended_nothing_callers_wait_again():
    """Some batches are lost, as the first ones fill the queue; the receiver answers afterwards."""
    is_over = threading.Event()

    def late(conversation):
        assert is_over.wait(DEADLINE)
        return ok(conversation)

    with Receiver(late, late, late, late, ok) as receiver:
        sent = Sent(receiver, batches=60, bytes=100, queue=20000, stop=18, patience=-1,
                    when_said=("the stop is over", is_over.set))
    balanced(sent, receiver, 600 - sent.queue, queue=sent.queue)
    assert 0 < sent.queue < 180, sent.queue


def a_full_queue_waits_and_loses_nothing():
    with Receiver(ok) as receiver:
        balanced(Sent(receiver, batches=500, queue=3000), receiver, 5000)


def one_dead_receiver_does_not_stop_another():
    with Receiver(ok) as receiver, Receiver(ok, listens=False) as dead:
        sent = Sent(receiver, batches=20, traces=10, patience=1000, endpoint=None, env={
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{dead.url}/x"}.items())
    balanced(sent, receiver, 100, gave_up=100)


def a_slow_receiver_does_not_delay_another():
    """It answers once the other one has everything, which fails first."""
    def slow(conversation):
        conversation.take(True)
        fast.done.wait(DEADLINE)
        return conversation.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    def done(conversation):
        going = ok(conversation)
        fast.done.set()
        return going

    with Receiver(slow) as receiver, Receiver(answer(503), done) as fast:
        fast.done = threading.Event()
        sent = Sent(receiver, batches=2, traces=1, endpoint=None, env={
            "OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url,
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"{fast.url}/x"}.items())
    same((sent.delivered, sent.retries, len(receiver.requests)), (20, 1, 1))


def without_a_thread_all_is_lost_and_counted():
    """A thread's stack is as large as the limit, so there is no room for one."""
    if program.endswith("-threads"):
        return  # ThreadSanitizer does not start under the limit
    with Receiver(ok) as receiver:
        sent = Sent(receiver, limits=["prlimit", f"--stack={1 << 46}", "--"])
    balanced(sent, receiver, 0, gave_up=100)
    assert re.fullmatch("userevents: cannot send: no thread can be started: .*; events are lost; "
                        "raise the limit of threads\n", sent.said), sent.said


def without_descriptors_the_receiver_is_not_blamed():
    """How many of them libcurl needs for itself depends on its version."""
    said = ""
    with Receiver(ok) as receiver:
        for limit in range(4, 9):
            sent = Sent(receiver, batches=2, patience=300,
                        endpoint=receiver.url.replace("localhost", "127.0.0.1"),
                        limits=["prlimit", f"--nofile={limit}", "--"])
            same(sent.put, sent.delivered + sent.lost)
            said += sent.said
    assert "no socket can be opened: Too many open files; userevents" in said, said
    assert "raise the limit of open files" in said, said
    assert "start a receiver" not in said, said


# Options

def paths_are_appended_to_a_base_alone():
    with Receiver(ok) as receiver:
        for endpoint, expected in ((receiver.url, "/v1/logs"), (f"{receiver.url}/", "/v1/logs"),
                                   (f"{receiver.url}/a", "/a/v1/logs"),
                                   (f"{receiver.url}/a/?t=1", "/a/v1/logs?t=1")):
            Sent(receiver, batches=1, endpoint=None, status=0,
                 env={"OTEL_EXPORTER_OTLP_ENDPOINT": endpoint}.items())
            same(receiver.requests[-1].path, expected)
        for path in "/v1/logs", "/in/v1/traces/", "/v1/metrics?t=1":
            refused = Sent(receiver, batches=1, endpoint=None, status=2,
                           env={"OTEL_EXPORTER_OTLP_ENDPOINT": receiver.url + path}.items())
            assert "OTEL_EXPORTER_OTLP_ENDPOINT names: it has the path of one signal" in \
                refused.said, refused.said
        for endpoint, expected in ((receiver.url, "/"), (f"{receiver.url}/in?a=b", "/in?a=b"),
                                   (f"{receiver.url}/v1/logs", "/v1/logs")):
            Sent(receiver, batches=1, endpoint=None, status=0,
                 env={"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": endpoint,
                      "OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:1"}.items())
            same(receiver.requests[-1].path, expected)
        Sent(receiver, batches=1, status=0,
             env={"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://localhost:1"}.items())
        same(receiver.requests[-1].path, "/v1/logs")


def headers_come_from_variables_and_the_command_line():
    with Receiver(ok) as receiver:
        Sent(receiver, "X-Key: mine", "X-Empty:", batches=1, status=0,
             env={"OTEL_EXPORTER_OTLP_HEADERS": "x-key=theirs, x-other = a%20b%2Cc ,,x-e="}.items())
        got = receiver.requests[-1].headers
        same([got.get(name) for name in ("x-key", "x-other", "x-e", "x-empty")],
             ["mine", "a b,c", "", ""])
        Sent(receiver, batches=1, status=0,
             env={"OTEL_EXPORTER_OTLP_HEADERS": "a=1",
                  "OTEL_EXPORTER_OTLP_LOGS_HEADERS": "b=2"}.items())
        got = receiver.requests[-1].headers
        same((got.get("a"), got.get("b")), (None, "2"))


def headers_cannot_break_the_request():
    for header in "X: a\nY: b", "X Y: a", ": a", "Content-Length: 5", "content-TYPE: x", "none":
        sent = Sent(None, header, status=2)
        same(len(sent.said.splitlines()), 1)
        assert sent.said.startswith("userevents: cannot send the header"), sent.said
    for value in "x=a%0ab", "x=a%00b", "x", "a b=c":
        sent = Sent(None, status=2, env={"OTEL_EXPORTER_OTLP_HEADERS": value}.items())
        assert "OTEL_EXPORTER_OTLP_HEADERS" in sent.said, sent.said


def secrets_are_not_shown():
    with Receiver(ok, listens=False) as receiver:
        url = receiver.url.replace("//", "//me:secret@") + "/?token=secret"
        sent = Sent(None, "Authorization: secret", endpoint=url, batches=1, patience=0)
    same(sent.gave_up, 10)
    assert "secret" not in sent.said and f"{receiver.url}/v1/logs" in sent.said, sent.said
    for sent in (Sent(None, "Authorization=Bearer secret:1", status=2),
                 Sent(None, status=2, env={"OTEL_EXPORTER_OTLP_HEADERS":
                                           "Authorization: Bearer secret=="}.items())):
        assert sent.said and "secret" not in sent.said, sent.said


def addresses_of_ipv6_are_taken():
    if not socket.has_dualstack_ipv6() or not pathlib.Path("/proc/net/if_inet6").read_text():
        raise AssertionError("this machine has no IPv6, of which the loopback is enough")
    with Receiver(ok, family=socket.AF_INET6) as receiver:
        url = f"http://[::1]:{receiver.port}"
        balanced(Sent(receiver, endpoint=url), receiver, 100)
    sent = Sent(receiver, endpoint=url, batches=1, patience=0)
    assert f"cannot send to {url}/v1/logs: " in sent.said, sent.said


def proxies_come_from_the_environment():
    with Receiver(ok) as proxy, Receiver(ok) as receiver:
        variables = {"http_proxy": proxy.url.replace("//", "//me:secret@")}
        balanced(Sent(receiver, endpoint="http://nowhere.invalid:4318", env=variables.items()),
                 proxy, 100)
        same({request.line for request in proxy.requests},
             {"POST http://nowhere.invalid:4318/v1/logs HTTP/1.1"})
        same(receiver.requests, [])
        balanced(Sent(receiver, env={**variables, "no_proxy": "localhost"}.items()), receiver, 100)
    for endpoint in "http://nowhere.invalid", "https://nowhere.invalid":
        for scheme in "http", "https":
            sent = Sent(receiver, endpoint=endpoint, batches=1, patience=0, env={
                "http_proxy": variables["http_proxy"].replace("http:", f"{scheme}:"),
                "https_proxy": variables["http_proxy"].replace("http:", f"{scheme}:")}.items())
            same(sent.gave_up, 10)
            assert "secret" not in sent.said, sent.said
    for wrong in "http://", "://:secret@x", "http://me:secret@:99999", "gopher://me:secret@x":
        sent = Sent(receiver, endpoint="http://nowhere.invalid", batches=1, patience=0,
                    env={"http_proxy": wrong}.items())
        same(sent.gave_up, 10)
        same(sent.said, "userevents: cannot send to http://nowhere.invalid/v1/logs: its proxy is no "
             "URL that libcurl knows; userevents gave up, and counts what is lost; correct "
             "http_proxy, https_proxy or all_proxy\n")


def wrong_urls_are_refused():
    for url in "localhost:4318", "ftp://localhost", "http://", "http://a b/", "http://x:99999/", \
            "file:///etc/passwd", "x", "http://[::1":
        sent = Sent(None, endpoint=url, status=2)
        same(len(sent.said.splitlines()), 1)
        assert sent.said.startswith("userevents: cannot send to the receiver that --endpoint "
                                    "names: "), sent.said


def values_that_make_no_sense_are_ignored():
    with Receiver(ok) as receiver:
        for name, value in (("TIMEOUT", "soon"), ("TIMEOUT", "0"), ("COMPRESSION", "zip"),
                            ("PROTOCOL", "grpc")):
            sent = Sent(receiver, batches=1, status=0,
                        env={f"OTEL_EXPORTER_OTLP_{name}": value}.items())
            assert re.fullmatch(f"userevents: OTEL_EXPORTER_OTLP_{name} is ignored: "
                                f'"{value}" is not .*\n', sent.said), sent.said
        sent = Sent(receiver, batches=1, status=0,
                    env={f"OTEL_EXPORTER_OTLP_{name}": "" for name in (
                        "ENDPOINT", "HEADERS", "TIMEOUT", "COMPRESSION", "CERTIFICATE")}.items())
        same(sent.said, "")


# TLS

def openssl(*args):
    subprocess.run(["openssl", *args], check=True, capture_output=True, cwd=folder)


def certificate(name, issuer=None):
    """NAME.pem and NAME.key, signed by the issuer or by itself."""
    openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", f"{name}.key", "-subj", f"/CN={name}",
            *(["-out", f"{name}.csr"] if issuer else ["-x509", "-days", "2", "-out",
                                                      f"{name}.pem"]))
    if issuer:
        (folder / "names").write_text("subjectAltName=DNS:localhost\n")
        openssl("x509", "-req", "-in", f"{name}.csr", "-CA", f"{issuer}.pem", "-CAkey",
                f"{issuer}.key", "-CAcreateserial", "-days", "2", "-extfile", "names", "-out",
                f"{name}.pem")


def context(asks=False):
    """A server's; it may ask for the client's certificate."""
    with making_certificates:
        if not (folder / "server.pem").exists():
            certificate("authority")
            certificate("server", "authority")
            certificate("client", "authority")
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    made.load_cert_chain(folder / "server.pem", folder / "server.key")
    if asks:
        made.verify_mode = ssl.CERT_REQUIRED
        made.load_verify_locations(folder / "authority.pem")
    return made


def variables(**files):
    return {f"OTEL_EXPORTER_OTLP_{name}": str(folder / file)
            for name, file in files.items()}.items()


def a_certificate_of_a_known_authority_is_taken():
    with Receiver(ok, context=context()) as receiver:
        balanced(Sent(receiver, env=variables(CERTIFICATE="authority.pem")), receiver, 100)


def a_certificate_of_an_unknown_authority_is_refused():
    with Receiver(ok, context=context()) as receiver:
        sent = Sent(receiver, patience=60000)
    balanced(sent, receiver, 0, gave_up=100)
    assert "certificate" in sent.said and "OTEL_EXPORTER_OTLP_CERTIFICATE" in sent.said, sent.said
    same(receiver.requests, [])


def each_refusal_of_a_certificate_has_its_own_fix():
    with Receiver(ok, context=context()) as receiver:
        other = Sent(receiver, env=variables(CERTIFICATE="client.pem"))
        name = Sent(receiver, endpoint=receiver.url.replace("localhost", "127.0.0.1"),
                    env=variables(CERTIFICATE="authority.pem"))
    for sent, fix in ((other, "; OTEL_EXPORTER_OTLP_CERTIFICATE names the certificate of another "
                       "authority\n"),
                      (name, "; the URL must have a name that is in the certificate\n")):
        balanced(sent, receiver, 0, gave_up=100)
        assert sent.said.endswith(fix), sent.said


def an_expired_certificate_is_named_with_its_fix():
    """Its authority is known, and it was valid for a day."""
    made = context()
    openssl("x509", "-req", "-in", "server.csr", "-CA", "authority.pem", "-CAkey", "authority.key",
            "-set_serial", "7", "-days", "-1", "-extfile", "names", "-out", "expired.pem")
    made.load_cert_chain(folder / "expired.pem", folder / "server.key")
    with Receiver(ok, context=made) as receiver:
        sent = Sent(receiver, patience=60000, env=variables(CERTIFICATE="authority.pem"))
    balanced(sent, receiver, 0, gave_up=100)
    assert sent.said.startswith(f"userevents: cannot send to {receiver.url}/v1/logs: "), sent.said
    assert "certificate has expired" in sent.said, sent.said
    assert sent.said.endswith("; renew it, or correct the clock of this machine\n"), sent.said


def a_trouble_of_the_host_is_reported_for_one_signal():
    with Receiver(ok, context=context()) as receiver:
        sent = Sent(receiver, batches=8, traces=4)
    balanced(sent, receiver, 0, gave_up=80)
    same(len(sent.said.splitlines()), 1)
    with Receiver(answer(404)) as receiver:
        sent = Sent(receiver, batches=8, traces=4)
    same([f"{receiver.url}/v1/{signal}: it answered 404" in sent.said
          for signal in ("logs", "traces")], [True, True])


def a_client_shows_its_certificate():
    with Receiver(ok, context=context(asks=True)) as receiver:
        balanced(Sent(receiver, env=variables(
            CERTIFICATE="authority.pem", CLIENT_CERTIFICATE="client.pem",
            CLIENT_KEY="client.key")), receiver, 100)
        refused = Sent(receiver, patience=0, env=variables(CERTIFICATE="authority.pem"))
    same((refused.delivered, refused.gave_up), (0, 100))


def files_that_cannot_be_read_are_named():
    sent = Sent(None, endpoint="https://localhost", status=1, env=variables(CERTIFICATE="none.pem"))
    same(sent.said, f"userevents: cannot read {folder}/none.pem: No such file or directory; "
         "correct OTEL_EXPORTER_OTLP_CERTIFICATE\n")


def a_certificate_that_is_none_loses_and_does_not_stop():
    context()
    (folder / "garbage.pem").write_bytes(b"garbage\n" * 99)
    with Receiver(ok, context=context()) as receiver:
        for name in "CERTIFICATE", "CLIENT_CERTIFICATE":
            files = {"CERTIFICATE": "authority.pem", name: "garbage.pem"}
            sent = Sent(receiver, batches=3, env=variables(**files))
            same((sent.delivered, sent.gave_up), (0, 30))


def plain_http_where_tls_is_expected_and_the_reverse():
    with Receiver(ok) as receiver:
        sent = Sent(receiver, endpoint=receiver.url.replace("http:", "https:"), patience=0,
                    env={"OTEL_EXPORTER_OTLP_TIMEOUT": "500"}.items())
    balanced(sent, receiver, 0, gave_up=100)
    with Receiver(ok, context=context()) as receiver:
        sent = Sent(receiver, endpoint=receiver.url.replace("https:", "http:"), patience=0)
    same(sent.delivered, 0)
    same(sent.gave_up + sent.refused, 100)


run([all_arrive_at_the_paths_of_their_signals, connections_are_kept,
     bodies_are_compressed_on_request, a_body_larger_than_the_queue_is_sent,
     requests_are_sent_again_after_429_502_503_504,
     requests_are_sent_again_when_the_connection_is_cut,
     a_request_without_an_answer_is_sent_again,
     a_receiver_names_the_time_in_seconds_or_as_a_date,
     a_time_that_makes_no_sense_is_not_waited_for, the_time_between_tries_grows,
     a_receiver_that_starts_late_gets_everything,
     one_request_at_a_time_asks_a_receiver_that_fails,
     an_answer_to_another_request_does_not_shorten_the_receivers_time, what_is_refused_is_lost_and_counted,
     the_receivers_reason_is_shown, redirects_are_not_followed,
     a_partial_success_is_counted_and_not_sent_again,
     a_partial_success_cannot_reject_more_than_there_is, a_warning_of_the_receiver_is_no_loss,
     answers_that_are_not_of_otlp_are_no_loss, empty_answers_are_success,
     an_answer_that_is_no_http_is_a_refusal, a_receiver_that_is_down_ends_the_patience,
     a_receiver_that_asks_for_more_than_the_patience_is_not_waited_for,
     a_receiver_that_comes_back_after_the_patience_is_used,
     the_deadline_holds_when_the_receiver_is_silent,
     the_deadline_holds_when_the_receiver_is_down, what_is_queued_is_sent_until_the_deadline,
     a_full_queue_drops_and_counts, a_full_queue_waits_and_loses_nothing,
     after_a_signal_nothing_waits_long,
     after_a_signal_that_ended_nothing_callers_wait_again,
     one_dead_receiver_does_not_stop_another, a_slow_receiver_does_not_delay_another,
     without_a_thread_all_is_lost_and_counted,
     without_descriptors_the_receiver_is_not_blamed,
     paths_are_appended_to_a_base_alone,
     headers_come_from_variables_and_the_command_line, headers_cannot_break_the_request,
     secrets_are_not_shown, addresses_of_ipv6_are_taken,
     proxies_come_from_the_environment, wrong_urls_are_refused, values_that_make_no_sense_are_ignored,
     a_certificate_of_a_known_authority_is_taken,
     a_certificate_of_an_unknown_authority_is_refused,
     each_refusal_of_a_certificate_has_its_own_fix,
     an_expired_certificate_is_named_with_its_fix,
     a_trouble_of_the_host_is_reported_for_one_signal,
     a_client_shows_its_certificate, files_that_cannot_be_read_are_named,
     a_certificate_that_is_none_loses_and_does_not_stop,
     plain_http_where_tls_is_expected_and_the_reverse], at_once=12)
