#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The harness of these tests, on the kernel alone."""
import re

from control import (REQUESTS, Requests, get, instance, is_6_1, lines, put, run, same, state,
                     unchanged, user_events)


def a_user_event_comes_and_goes():
    with unchanged(), user_events(*REQUESTS):
        assert "u:" + REQUESTS[0] in lines("dynamic_events")


def a_change_is_seen():
    with user_events(REQUESTS[0]):
        before = state()
        put("events/user_events/req_start/filter", "id == 1")
        assert state() != before
        put("events/user_events/req_start/filter", "0")
        same(state(), before)


def an_instance_comes_and_goes():
    with unchanged(), instance("one") as directory:
        assert (directory / "events").exists()
        same(get("instances/one/tracing_on"), "1\n")


def requests_write_events():
    with instance("two") as directory, Requests() as program:
        put("instances/two/events/user_events/enable", "1")
        program.do("start 1 2 /a GET")
        program.do("done 1 200 -5 /a GET")
        program.do("pairs 3 10 0")
        text = (directory / "trace").read_text()
        same(len(re.findall(r" requests-\d+ ", text)), 8)
        if not is_6_1:  # which shows user events as bytes
            assert re.search(r"req_done: id=.* status=.* delta=.*-5.* path=/a verb=GET", text), text
        put("instances/two/events/user_events/enable", "0")  # or 6.1 keeps them
        program.finish()


run([requests_write_events, a_user_event_comes_and_goes, a_change_is_seen, an_instance_comes_and_goes])
