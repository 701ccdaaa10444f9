#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents enable --at-boot: the unit of systemd, run as a boot would, and kernel arguments."""
import os
import pathlib
import re
import shlex
import subprocess

from control import (DEADLINE, REQUESTS, Requests, ask, get, is_6_1, lines, list_events, path, put,
                     refused, run, same, tool, tracing, unchanged, user_events)

UNIT = pathlib.Path("/etc/systemd/system/userevents-enable.service")


def settings(unit):
    """[(key, value)] of the lines of a unit, in order."""
    return [tuple(line.split("=", 1)) for line in unit.read_text().splitlines()
            if "=" in line and not line.startswith("#")]


def words(command):
    """As systemd splits a command: systemd.service(5), "Command lines"."""
    found = []
    for word in shlex.split(re.sub(r"\\x([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), command)):
        found.append(word.replace("%%", "%").replace("$$", "$").encode("latin-1"))
    return found


def start(unit):
    """Runs its commands in order, as systemd does with Type=oneshot."""
    for key, value in settings(unit):
        if key == "ExecStart":
            subprocess.run(words(value), check=True, timeout=DEADLINE,
                           stdout=subprocess.DEVNULL)


def requests_are_recorded(directory, count):
    with Requests() as program:
        program.do("start 1 2 /a GET")
        program.do("done 1 200 -5 /a GET")
        text = (directory / "trace").read_text(errors="replace")
        same(len(re.findall(rf" requests-{program.process.pid} ", text)), count)
        program.process.stdin.close()
        program.wait()


def the_unit_records_events_of_programs_that_start_later():
    with unchanged():
        with user_events(*REQUESTS):
            text = ask("enable", "--at-boot", "req_*", "sched:sched_switch", "!sched:*")
            same(text, "user_events:req_done: the unit, which registers it; the kernel cannot\n"
                 "user_events:req_start: the unit, which registers it; the kernel cannot\n"
                 f"Written: {UNIT}\nActivate it: systemctl enable userevents-enable.service\n")
        with unchanged():  # as after a boot: there are no user events
            start(UNIT)
            same(set(lines("set_event")), {"user_events:req_start", "user_events:req_done"})
            requests_are_recorded(tracing, 2)
            ask("disable", "*")
            ask("delete", "req_start", "req_done")
        same(ask("disable", "--at-boot"), f"Removed: {UNIT}\nEvents that are on stay so until "
             '"userevents disable".\n')
        assert not UNIT.exists()


def the_unit_makes_the_instance():
    with unchanged():
        text = ask("enable", "--at-boot", "--instance", "booted", "--register", REQUESTS[0],
                   "cpuhp:cpuhp_enter", "--output", path("booted.service"))
        assert ("the unit; this kernel has no argument for instances (Linux 6.3)\n"
                "user_events:" if is_6_1 else
                "Kernel argument: trace_instance=booted,cpuhp:cpuhp_enter\n") in text, text
        assert "req_start" not in list_events()  # nothing is done now
        for _ in range(2):
            start(pathlib.Path(path("booted.service")))
        directory = tracing / "instances/booted"
        same(set(lines("instances/booted/set_event")),
             {"user_events:req_start", "cpuhp:cpuhp_enter"})
        requests_are_recorded(directory, 1)
        ask("disable", "-i", "booted", "*:*")
        os.rmdir(directory)
        ask("delete", "req_start", *(["req_done"] if is_6_1 else []))
        ask("disable", "--at-boot", "--output", path("booted.service"))


def definitions_of_any_characters_survive():
    odd = ("b$HOME%u u32 x", 'q"\\" u64 y', "g\xe9*[a u8 z")
    with unchanged(), user_events(*odd):
        ask("enable", "--at-boot", "*", "-o", path("odd.service"))
    with unchanged():
        start(pathlib.Path(path("odd.service")))
        shown = list_events()
        for definition in odd:
            assert definition + "\n" in shown, (definition, shown)
        same(get("events/user_events/enable"), "1\n")
        ask("disable", "*")
        ask("delete", "--all")


def the_unit_comes_after_tracefs_and_before_services():
    with user_events(*REQUESTS):
        ask("enable", "--at-boot", "req_start", "-o", path("order.service"))
    found = settings(pathlib.Path(path("order.service")))
    for wanted in [("DefaultDependencies", "no"), ("Wants", "sys-kernel-tracing.mount"),
                   ("After", "local-fs.target sys-kernel-tracing.mount"),
                   ("Before", "sysinit.target shutdown.target"), ("Type", "oneshot"),
                   ("WantedBy", "sysinit.target"), ("RequiresMountsFor", os.path.realpath(tool))]:
        assert wanted in found, (wanted, found)
    command = dict(found)["ExecStart"]
    assert command.startswith(os.path.realpath(tool) + " enable "), command
    same(os.stat(path("order.service")).st_mode & 0o777, 0o644)


def standard_output_gets_the_unit_alone():
    with unchanged(), user_events(*REQUESTS):
        ask("enable", "--at-boot", "req_start", "-o", path("same.service"))
        same(ask("enable", "--at-boot", "req_start", "-o", "-"),
             pathlib.Path(path("same.service")).read_text())


def a_unit_is_replaced_and_removed_with_its_links():
    wanted = UNIT.parent / "sysinit.target.wants" / UNIT.name
    other = wanted.parent / "other.service"
    with unchanged(), user_events(*REQUESTS):
        ask("enable", "--at-boot", "req_start")
        ask("enable", "--at-boot", "req_done")
        assert "req_start" not in UNIT.read_text()
        wanted.parent.mkdir(exist_ok=True)
        wanted.symlink_to(UNIT)
        other.symlink_to("/dev/null")
        ask("disable", "--at-boot")
        assert not UNIT.exists() and not wanted.is_symlink() and other.is_symlink()
        other.unlink()
        same(sorted(UNIT.parent.glob(UNIT.name + "*")), [])


def a_link_to_a_unit_elsewhere_is_removed():
    unit = pathlib.Path(path("linked.service"))
    link = UNIT.parent / unit.name
    with unchanged(), user_events(*REQUESTS):
        text = ask("enable", "--at-boot", "req_start", "-o", str(unit))
        assert text.endswith(f"Activate it: systemctl enable {unit}\n"), text
        link.symlink_to(unit)
        ask("disable", "--at-boot", "-o", str(unit))
        assert not unit.exists() and not link.is_symlink()


def files_of_others_stay():
    other = pathlib.Path(path("other.service"))
    other.write_text("[Unit]\n")
    null = pathlib.Path(path("masked.service"))
    null.symlink_to("/dev/null")
    with user_events(*REQUESTS):
        for file in other, null:
            refused("enable", "--at-boot", "req_start", "-o", str(file),
                    said=f"cannot write {file}: it exists, and not from this command; --output "
                    "takes another place")
            refused("disable", "--at-boot", "-o", str(file), said=f"cannot remove {file}: it is "
                    'not from "userevents enable --at-boot"')
    same(other.read_text(), "[Unit]\n")
    same(os.readlink(null), "/dev/null")


def kernel_arguments_are_for_events_of_the_kernel():
    with unchanged(), user_events(*REQUESTS):
        same(ask("enable", "--print-arguments", "sched:sched_switch", "irq_handler_e*"),
             "trace_event=irq:irq_handler_entry,irq:irq_handler_exit,sched:sched_switch\n")
        text = ask("enable", "--at-boot", "sched:sched_switch", "req_done", "-o",
                   path("both.service"))
        assert ("sched:sched_switch: the unit; earlier: the kernel argument\n"
                "user_events:req_done: the unit, which registers it; the kernel cannot\n"
                "Kernel argument: trace_event=sched:sched_switch\n") in text, text
        if is_6_1:
            refused("enable", "--print-arguments", "-i", "early", "sched:sched_switch",
                    said="cannot enable events of an instance by an argument of the kernel: that is "
                    "trace_instance, of Linux 6.3; use --at-boot, which writes a unit")
        else:
            same(ask("enable", "--print-arguments", "-i", "early", "sched:sched_switch"),
                 "trace_instance=early,sched:sched_switch\n")


def wrong_input_is_refused():
    put("dynamic_events", "p:mine/kp vfs_read")
    nowhere = path("nowhere/x.service")
    with user_events(*REQUESTS):
        for options, status, said in [
                (["--at-boot"], 2, "cannot enable: no event is given"),
                (["--print-arguments"], 2, "cannot enable: no event is given"),
                (["--at-boot", "not_there"], 1, 'cannot find the event "not_there"'),
                (["--at-boot", "not_there"], 1, "A user event exists while a program has it "
                 'registered. To switch it on before that, give its definition: --register '
                 '"NAME FIELDS"; for each boot, with --at-boot.'),
                (["--at-boot", "!req_start"], 1,
                 "cannot enable at boot: no event is left to be switched on"),
                (["--print-arguments", "!sched:sched_switch"], 1,
                 "cannot enable at boot: no event is left to be switched on"),
                (["--at-boot", "mine:kp"], 1, "cannot enable mine:kp at boot: it was made while "
                 "the kernel runs, and is not there after a boot"),
                (["--print-arguments", "mine:kp"], 1, "cannot enable mine:kp by an argument of "
                 "the kernel: it was made while the kernel runs, and is not there after a boot"),
                (["--print-arguments", "req_start"], 1, "cannot enable user_events:req_start by an "
                 "argument of the kernel: it does not exist yet as the kernel starts; use "
                 "--at-boot, which writes a unit"),
                (["--print-arguments", "[!m]*:*", "!user_events:*"], 1, "cannot enable these "
                 "events by arguments of the kernel: they take "),
                (["--at-boot", "req_start", "--pid", "1"], 2, "for the next boot, only events can "
                 "be given: processes have other numbers then"),
                (["--at-boot", "req_start", "--print-arguments"], 2,
                 "--at-boot and --print-arguments exclude each other"),
                (["req_start", "--output", "x.service"], 2, "--output is for --at-boot"),
                (["--at-boot", "req_start", "-o", "x"], 2, "systemd takes only units whose names "
                 'end with .service, not "x"'),
                (["--at-boot", "req_start", "-o", ""], 2,
                 "the option --output needs a value that is not empty"),
                (["--at-boot", "req_start", "-o", nowhere], 1, f"cannot write {nowhere}: No such "
                 "file or directory; --output takes another place"),
                (["--at-boot", "req_start", "-i", "a/b"], 2,
                 'cannot enable at boot: "a/b" is no name of an instance'),
                (["--print-arguments", "sched:sched_switch", "-i", "a,b"], 2, "cannot enable at "
                 'boot: the instance "a,b" has a character that arguments of the kernel cannot '
                 "have"),
                (["--at-boot", "--register", "x u33 y"], 2, 'cannot register "x u33 y"'),
        ]:
            refused("enable", *options, said=said, status=status)
        for options, status, said in [
                (["--at-boot"], 1, f"cannot remove {UNIT}: there is none"),
                (["--at-boot", "req_start"], 2, "--at-boot removes the whole unit, so it takes "
                 "only --output"),
                (["req_start", "--output", "x.service"], 2, "--output is for --at-boot"),
        ]:
            refused("disable", *options, said=said, status=status)
    assert not UNIT.exists()
    put("dynamic_events", "-:mine/kp")


run([the_unit_records_events_of_programs_that_start_later, the_unit_makes_the_instance,
     definitions_of_any_characters_survive, the_unit_comes_after_tracefs_and_before_services,
     standard_output_gets_the_unit_alone, a_unit_is_replaced_and_removed_with_its_links,
     a_link_to_a_unit_elsewhere_is_removed, files_of_others_stay,
     kernel_arguments_are_for_events_of_the_kernel, wrong_input_is_refused])
