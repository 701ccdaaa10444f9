#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
What the kernel measures takes time, on two processors whose counters may be no clock: a system
call lies between the events of a pair, and often a pause.
"""
import json
import re

from control import Requests, ask, get, others, put, run, same

COUNT, ROUNDS = 50, 20
PAUSES = [0, 100]  # microseconds, in turn
WRITE = ["sh", "-c", 'printf "%s\\n" "$@" | "$0" >/dev/null', others[0]]


def rounds():
    return [f"pairs {COUNT} {1 + i * COUNT} {PAUSES[i % 2]}" for i in range(ROUNDS)]


def no_pair_of_klatency_takes_no_time():
    for _ in range(3):
        answer = json.loads(ask("klatency", "req_start", "req_done", "--key", "id", "--json", "--",
                                *WRITE, *rounds()))
        same(answer["count"], COUNT * ROUNDS)
        assert answer["min"] > 0, answer


def klatency_asks_for_the_clock():
    """Where the processors' counters agree, any clock does."""
    triggers = "/sys/kernel/tracing/instances/userevents_*_hist/events/user_events/req_*/trigger"
    ask("klatency", "req_start", "req_done", "--key", "id", "--json", "--", "sh", "-c",
        f"cat {triggers} >/tmp/clock_test")
    with open("/tmp/clock_test") as file:
        same(len(re.findall(r"common_timestamp.*clock=mono", file.read())), 2)


def no_synthetic_event_takes_no_time():
    ask("synth", "create", "took", "--from", "req_start", "--to", "req_done", "--key", "id",
        "--field", "ns=elapsed.ns")
    try:
        put("instances/userevents/events/synthetic/took/enable", "1")
        for line in rounds():
            requests.do(line)
        found = [int(ns) for ns in re.findall(r" ns=(\d+)", get("instances/userevents/trace"))]
        put("instances/userevents/events/synthetic/took/enable", "0")
        assert "clock=mono" in get("instances/userevents/events/user_events/req_done/trigger")
        same((len(found), min(found) > 0), (ROUNDS * COUNT, True))
    finally:
        ask("synth", "delete", "took")


with Requests() as requests:
    try:
        run([no_pair_of_klatency_takes_no_time, klatency_asks_for_the_clock,
             no_synthetic_event_takes_no_time])
    finally:
        requests.finish()
