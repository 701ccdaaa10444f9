#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The harness of these tests, and the names of events that all commands take."""
import re

from control import (REQUESTS, Requests, Writer, ask, get, instance, is_6_1, lines, names, put,
                     refused, run, same, state, unchanged, user_events)


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


def names_are_those_of_tracepoints():
    # as EVENT and PROVIDER:EVENT of recordings, these would be any of the EventHeader tracepoint
    name = next(names)
    with Writer(name) as program:
        for word in "not_there", "*:not_there", f"{name}:not_there":
            refused("enable", word, said=f'cannot find the event "{word}": there is none')
        assert f"{name}_L4K1" in ask("enable", "--list", f"{name}_L*")
        program.finish()


run([names_are_those_of_tracepoints, requests_write_events, a_user_event_comes_and_goes, a_change_is_seen, an_instance_comes_and_goes])
