#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Events whose fields are larger than any record are not enabled. Nothing writes them here."""
import contextlib
import os
import tempfile

from control import (ask, get, is_patched, refused, run, same, state, tracing, unchanged,
                     user_events)

GOOD, BIG = "trust_good u32 a", "trust_big struct huge x 70000; u32 y"
FAULT = ("cannot enable user_events:trust_big: its field x ends at byte 70008, beyond what the "
         "kernel can record; writing it could crash the kernel; ")
NAMED, MATCHED = FAULT + "end the programs that register it", FAULT + "it is left out"
SIZES = "struct a x 2147483647; struct b y 2147483647; struct c z 10; __rel_loc char[] s"


def takes(definition):
    """Whether this kernel registers the event; a patched one refuses sizes that overflow."""
    try:
        with user_events(definition):
            return True
    except OSError:
        return False


@contextlib.contextmanager
def big_events():
    with unchanged(), user_events(GOOD, BIG):
        yield


def no_command_enables_one_that_is_named():
    with big_events(), tempfile.TemporaryDirectory() as directory:
        file = os.path.join(directory, "out")
        for command in (["enable", "trust_big"], ["enable", "trust_good", "user_events:trust_big"],
                        ["record", "-o", file, "-e", "trust_big", "-d", "0.1"],
                        ["record", "-o", file, "-e", "user_events:trust_big", "-d", "0.1"],
                        ["watch", "-e", "trust_big", "-d", "0.1"],
                        ["stat", "--watch", "-e", "trust_big", "-d", "0.1"],
                        ["trigger", "trust_big", "traceoff"],
                        ["trigger", "trust_good", "enable_event:user_events:trust_big"],
                        ["trigger", "trust_good", "enable_event", "user_events:trust_big"],
                        ["trigger", "trust_good", "enable_event: \t user_events:trust_big:1"],
                        ["khist", "trust_big", "y", "-d", "0.1"],
                        ["klatency", "trust_good", "trust_big", "--key", "a", "-d", "0.1"]):
            refused(*command, said=NAMED)
        same(state()["instances"], [])


def a_glob_leaves_it_out():
    with big_events():
        ask("enable", "trust_*", said=MATCHED)
        same(get("events/user_events/trust_big/enable"), "0\n")
        same(get("events/user_events/trust_good/enable"), "1\n")
        ask("disable", "trust_*")
        ask("enable", "trust_b*", status=1, said=MATCHED)
        ask("watch", "-e", "trust_*", "-d", "0.1", status=1, said=MATCHED)
        ask("watch", "-d", "0.1", status=1, said=MATCHED)


def a_definition_that_is_given_is_checked():
    definition = "trust_given struct a x 65535; u32 y"
    refused("enable", "--register", definition,
            said=NAMED.replace("trust_big", "trust_given").replace("70008", "65543"))
    assert not (tracing / "events/user_events/trust_given").exists()


def it_can_be_disabled_and_filtered():
    with big_events():
        ask("disable", "trust_big")
        ask("filter", "trust_big", "y == 1")
        ask("filter", "--clear", "trust_big")


def offsets_that_wrap_are_recognised():
    if is_patched:
        assert not takes("trust_wrap " + SIZES)
        return
    with unchanged(), user_events("trust_wrap " + SIZES):
        refused("enable", "trust_wrap", said="cannot enable user_events:trust_wrap: its ")


def a_patched_kernel_has_no_such_event():
    same(sorted(name for name in os.listdir(tracing / "events") if "trust" in name), [])


if takes(BIG):
    run([no_command_enables_one_that_is_named, a_glob_leaves_it_out,
         a_definition_that_is_given_is_checked,
         it_can_be_disabled_and_filtered, offsets_that_wrap_are_recognised])
else:
    run([a_patched_kernel_has_no_such_event])
