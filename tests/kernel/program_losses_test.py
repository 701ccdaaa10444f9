#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a command itself loses is reported by the tools that start it, on a kernel as under run.

Arguments: the tool, the programs writer and wrong.
"""
from recorders import decoded, numbers, others, out, path, run_chosen, same, tool

wrong, = others
LOST = "3 events were lost{}: 2 too large, 1 wrong descriptor or payload, or no memory."
COMMANDS = ("watch",), ("record", "-o", path("lossy.data")), ("stat", "--watch"), \
    ("hist", "wrong_size", "number", "--watch"), ("top", "--batch", "--watch")


def losses_of_a_command_are_reported():
    for command in COMMANDS:
        shown = out(tool, *command, "--", wrong, status=1)
        assert LOST.format(" in the program") in out.said, (command, out.said)
        assert "The command ended" not in out.said, out.said
        if command[0] == "watch":
            assert "number=1" in shown, shown
    same(numbers(decoded(path("lossy.data")), "user_events:wrong_size"), [1])


def a_program_that_a_script_starts_is_counted_too():
    out(tool, "watch", "--register", wrong, "--", "sh", "-c", f"{wrong}; {wrong} <&-", status=1)
    assert "6 events were lost in the program: 4 too large, 2 wrong" in out.said, out.said


def run_reports_the_same():
    out(tool, "run", wrong, status=1)
    assert LOST.format("") in out.said, out.said


def without_losses_nothing_is_said():
    same(len(out(tool, "watch", "--json", "-r", "right u32 number", "--", tool, "write", "right",
                 "number=1").splitlines()), 1)
    same(out.said, "")


run_chosen([losses_of_a_command_are_reported, a_program_that_a_script_starts_is_counted_too,
            run_reports_the_same, without_losses_nothing_is_said])
