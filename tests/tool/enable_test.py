#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents enable without a kernel: on an artificial tracefs. Argument: the tool."""
import pathlib
import subprocess
import sys
import tempfile

from tap import run, same

tool = str(pathlib.Path(sys.argv[1]).resolve())
folder = pathlib.Path(tempfile.mkdtemp()).resolve()
COMMON = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"


def tracefs(*events):
    """A directory with these events: (SYSTEM, NAME, STATE, fields)."""
    root = pathlib.Path(tempfile.mkdtemp(dir=folder))
    (root / "events").mkdir()
    for number, (system, name, state, fields) in enumerate(events, 1):
        event = root / "events" / system / name
        event.mkdir(parents=True)
        (event / "enable").write_text(state + "\n")
        (event / "format").write_text(f"name: {name}\nID: {number}\nformat:\n{COMMON}{fields}\n")
        (event.parent / "enable").write_text("X\n")
    for file in "available_events", "set_event_pid", "set_event_notrace_pid", "tracing_on":
        (root / file).write_text("")
    (root / "user_events_status").write_text("\nActive: 0\nBusy: 0\n")
    return root


def ask(*arguments, status=0, said="", before=(), **kwargs):
    done = subprocess.run([*before, tool, *map(str, arguments)], capture_output=True, **kwargs)
    same((done.returncode, done.stderr.decode()), (status, said))
    return done.stdout.decode()


X = "\tfield:u32 x;\toffset:8;\tsize:4;\tsigned:0;\n"


def the_unit_has_the_definitions_and_names():
    root = tracefs(("user_events", "my_event", "0", X), ("user_events", "50%$x\"'\\", "0", X),
                   ("sched", "sched_switch", "0", X))
    path = tool
    same(ask("enable", "--at-boot", "--tracefs", root, "-o", "-", "*", "sched_switch",
             "--register", "later u8 y"),
         f"""# Written by "userevents enable --at-boot", which replaces it; "userevents disable --at-boot" removes it.
# It registers user events so that they stay, and switches events on, before
# services start.
[Unit]
Description=Switch on events of programs and of the kernel
DefaultDependencies=no
Wants=sys-kernel-tracing.mount
After=local-fs.target sys-kernel-tracing.mount
RequiresMountsFor={path} {root}
Conflicts=shutdown.target
Before=sysinit.target shutdown.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart={path} enable --tracefs "{root}" --register "later u8 y" --register "50%%$$x\\"'\\\\ u32 x" --register "my_event u32 x" "sched:sched_switch"

[Install]
WantedBy=sysinit.target
""")


def paths_with_meaning_in_units_are_refused():
    root = tracefs(("user_events", "my_event", "0", X))
    odd = root.parent / "a %n"
    odd.symlink_to(root)  # which is resolved
    assert f'--tracefs "{root}"' in ask("enable", "--at-boot", "--tracefs", odd, "-o", "-", "*")
    odd.unlink()
    root.rename(odd)
    ask("enable", "--at-boot", "--tracefs", odd, "-o", "-", "*", status=1,
        said=f"userevents: cannot write a unit: the path {odd} has characters that mean "
             "something else there; use another one\n")


def a_relative_directory_becomes_absolute():
    root = tracefs(("user_events", "my_event", "0", X))
    text = ask("enable", "--at-boot", "--tracefs", root.name, "-o", "-", "-i", "one", "*",
               cwd=root.parent)
    assert f'ExecStart=/bin/mkdir -p "{root}/instances/one"\n' in text, text
    assert f'enable --tracefs "{root}" --instance "one" --register' in text, text


def events_that_cannot_be_registered_again_are_refused():
    root = tracefs(("user_events", "odd", "0", "\tfield:u33 x;\toffset:8;\tsize:4;\tsigned:0;\n"),
                   ("user_events_multi", "many.0", "0", X))
    ask("enable", "--at-boot", "--tracefs", root, "-o", "-", "odd", status=1,
        said="userevents: cannot enable user_events:odd at boot: its definition cannot be read "
             "from its format; give it with --register\n")
    ask("enable", "--at-boot", "--tracefs", root, "-o", "-", "many*", status=1,
        said="userevents: cannot enable user_events_multi:many.0 at boot: it was made while the "
             "kernel runs, and is not there after a boot\n")


def names_do_not_reach_the_terminal_unescaped():
    root = tracefs(("user_events", "a\033[2Jb", "0*", X))
    same(ask("enable", "--tracefs", root),
         "SYSTEM       EVENT   STATE  MEANING\n"
         "user_events          X      some of its events are on, or a trigger needs them\n"
         "user_events  a?[2Jb  0*     off, but a trigger needs it: it acts and is not recorded\n"
         "Recorded for all processes.\n")


def states_of_no_kernel_are_left_out():
    root = tracefs(("user_events", "good", "1", X), ("user_events", "bad", "1" * 5000, X))
    assert "bad" not in ask("enable", "--tracefs", root, "--json")


def a_switch_that_does_not_move_is_an_error():
    """As these files are not the kernel's, writing to them changes nothing that is read."""
    root = tracefs(("user_events", "stuck", "0", X))
    ask("enable", "--tracefs", root, "stuck", status=1,
        said="userevents: cannot enable user_events:stuck: another program has just switched it "
             "off\n")


def a_container_has_other_pids():
    command = ["unshare", "-Upf", "--mount-proc"]
    if subprocess.run([*command, "true"], capture_output=True).returncode:
        print("# cannot make a pid namespace here")
        return
    for name in "enable", "disable":
        ask(name, "--pid", "1", before=command, status=1,
            said=f"userevents: cannot {name}: processes have other numbers in this container than "
                 "in the kernel; give those of the host, there\n")


run([the_unit_has_the_definitions_and_names, paths_with_meaning_in_units_are_refused,
     a_relative_directory_becomes_absolute, events_that_cannot_be_registered_again_are_refused,
     names_do_not_reach_the_terminal_unescaped, states_of_no_kernel_are_left_out,
     a_switch_that_does_not_move_is_an_error, a_container_has_other_pids])
