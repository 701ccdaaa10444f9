# SPDX-License-Identifier: MIT
"""writes.py RING: the cost of events in Python, as rows NAME <tab> nanoseconds.

The shortest of many short loops counts, as others were interrupted."""
import logging
import resource
import sys
import time

import userevents


def measure(name, call, calls=300):
    best = float("inf")
    for _ in range(300):
        begin = time.perf_counter_ns()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter_ns() - begin) / calls)
    print(f"python_{name}\t{best:.0f}")


def events(session, suffix):
    request = session.event("bench_py u32 status; u64 latency_ns; __rel_loc char[] path")
    orders = session.tracepoint("BenchPy", 4, 1)
    assert request.enabled == (suffix == ""), "is the argument a ring?"
    measure("classic" + suffix,
            lambda: request.write(status=200, latency_ns=1234567, path="/index.html"))
    measure("eventheader" + suffix,
            lambda: orders.write("Order", order=17, total=99.5, path="/index.html"))
    measure("eventheader_list" + suffix,
            lambda: orders.write("Order", order=17, total=99.5, items=["tea", "milk"]))
    if not suffix:
        def in_activity():
            with orders.activity("Checkout"):
                pass
        measure("activity", in_activity, 100)
        grown(lambda number: orders.write("Order", order=number, path=f"/{number}"))


def grown(write):
    """KiB by which the process grows while it writes so many events of different values."""
    write(0)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for number in range(1000000):
        write(number)
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"python_kib_after_1000000_events\t{after - before}")


def records(name, *handlers):
    log = logging.getLogger(name)
    log.propagate = False
    log.setLevel(1)
    for handler in handlers:
        log.addHandler(handler)
    measure(name, lambda: log.warning("%d left", 3, extra={"item": "tea"}), 50)


ring = userevents.Session(path=sys.argv[1], strict=True)
none = userevents.Session(path="/nowhere")
events(none, "_off")
events(ring, "")
records("logging_null", logging.NullHandler())
records("logging_off", userevents.Handler("BenchPyLog", session=none))
records("logging", userevents.Handler("BenchPyLog", session=ring))
