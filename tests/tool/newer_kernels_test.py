#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Words and limits of newer kernels reach the kernel as they are: on an artificial tracefs, whose
files take everything. Argument: the tool."""
import pathlib
import subprocess
import sys
import tempfile

from tap import run, same

tool = str(pathlib.Path(sys.argv[1]).resolve())
folder = pathlib.Path(tempfile.mkdtemp()).resolve()
COMMON = "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
FIELDS = "abcdefgh"
FORMAT = "".join(f"\tfield:u32 {name};\toffset:{8 + 4 * number};\tsize:4;\tsigned:0;\n"
                 for number, name in enumerate(FIELDS))


def tracefs():
    """A directory with the event user_events:newer."""
    root = pathlib.Path(tempfile.mkdtemp(dir=folder))
    event = root / "events/user_events/newer"
    event.mkdir(parents=True)
    (event / "format").write_text(f"name: newer\nID: 1\nformat:\n{COMMON}{FORMAT}\n")
    for file in "enable", "filter", "hist", "trigger":
        (event / file).write_text("")
    for file in "available_events", "trace_clock", "error_log", "synthetic_events", \
            "dynamic_events":
        (root / file).write_text("")
    (root / "README").write_text("tracing mini-HOWTO:\n")
    return root


def ask(*arguments, status=0, said=""):
    done = subprocess.run([tool, *map(str, arguments)], capture_output=True)
    same((arguments, done.returncode, done.stderr.decode()), (arguments, status, said))
    return done.stdout.decode()


def list_of(count, text):
    return ",".join(text.format(number) for number in range(count))


TRIGGERS = [
    f"hist:keys={','.join(FIELDS)}",
    f"hist:keys=a:vals=hitcount,{','.join(FIELDS)}",
    f"hist:keys=a:{list_of(40, 'v{}=b')}",
    f"hist:keys=a:sort={','.join(FIELDS)}",
    "hist:keys=a:size=1048576",
    "hist:keys=a.buckets=10.newer",
    "hist:keys=a.buckets=10,20,40",
    "hist:keys=a.newer=5:vals=b.newest",
    "hist:keys=newer_field,common_newer",
    "hist:keys=a%b:x=a<<2,y=a&0xff",
    "hist:keys=a:newer:newest=5",
    "hist:keys=a:onmin($x).save(b):onnewer(c).trace(d, e)",
    "hist:keys=common_stacktrace.newer:vals=hitcount.percentile",
    "hist:keys=a,b if a in {1,2} || b matches /x  y/",
    "hist:newer",
    "newer",
    "newer:5:user if a > 4",
    "stacktrace:user",
    "stacktrace:5:user",
    "enable_event:newer",
    "enable_event:sched:*:5",
    "snapshot:newer",
    "traceoff if a like \"x  y\"",
]


def triggers_reach_the_kernel():
    for text in TRIGGERS:
        root = tracefs()
        # what the stacktrace of a user event shows is said of any stacktrace
        done = subprocess.run([tool, "trigger", "--tracefs", root, "newer", text],
                              capture_output=True)
        same((text, done.returncode), (text, 0))
        assert b"cannot" not in done.stderr and b"doubtful" not in done.stderr, done.stderr
        same(done.stdout.decode(), f"user_events:newer {text}\n")
        same((root / "events/user_events/newer/trigger").read_text(), text)


def triggers_are_listed():
    root = tracefs()
    lines = [f"{text} [active]" if text.startswith("hist") else text for text in TRIGGERS]
    (root / "events/user_events/newer/trigger").write_text("\n".join(lines) + "\n")
    shown = ask("trigger", "--tracefs", root, "--list").splitlines()
    same([line.split(None, 1)[0] for line in shown], ["EVENT"] + ["user_events:newer"] * len(lines))
    for line, text in zip(shown[1:], lines):
        assert line.endswith(f"  {text}"), (line, text)
    same(sum("a kind that is not known to this version" in line for line in shown), 2)


FILTERS = [
    "newer == 1",
    "a.newer == 1",
    "a in {1, 2}",
    "a =~ 5",
    "a == NEWER{0-3}",
    "a == 0x0000000000000000000000000000000000001",
    "a == 1 xor b == 2",
    f"comm == \"{'x' * 300}\"",
    "(((a == 1",
    "a == 1" + " " * 5000,
]


def filters_reach_the_kernel():
    """Where there is none: a filter that the kernel refuses would remove the one before."""
    for text in FILTERS:
        root = tracefs()
        file = root / "events/user_events/newer/filter"
        file.write_text("none\n")
        ask("filter", "--tracefs", root, "newer", text)
        # tried, removed, and set
        same(file.read_text(), f"none\n{text}0{text}")
        file.write_text("a == 5\n")
        done = subprocess.run([tool, "filter", "--tracefs", root, "newer", text],
                              capture_output=True)
        same((text, done.returncode, file.read_text()), (text, 1, "a == 5\n"))


def an_empty_filter_does_not_reach_the_kernel():
    root = tracefs()
    ask("filter", "--tracefs", root, "newer", " ", status=1,
        said="userevents: cannot set the filter of user_events:newer: it is empty; a filter is such as "
             "id == 1\n     \n     ^\n")
    same((root / "events/user_events/newer/filter").read_text(), "")


DEFINITIONS = [
    "lat " + "; ".join(f"u8 f{number}" for number in range(200)),
    "lat double a; newer_type b",
    "lat unsigned long long a",
    "lat u32 a[4]; char b[4096]; u8 c[n]",
    "lat struct point a; __newer char[] b",
    "lat-newer.name u8 a",
    "lat u8 a:4; u8 b newer",
    "lat",
]


def definitions_of_synthetic_events_reach_the_kernel():
    for text in DEFINITIONS:
        root = tracefs()
        ask("synth", "create", "--tracefs", root, text)
        same((root / "synthetic_events").read_text(), text)


def pairs_reach_the_kernel():
    """As many keys and fields as there are, and a size that no kernel takes yet."""
    root = tracefs()
    (root / "instances").mkdir()
    (root / "instances/one").symlink_to(root)
    (root / "events/synthetic/x").mkdir(parents=True)
    (root / "events/synthetic/x/enable").write_text("")
    keys = [word for name in FIELDS for word in ("--key", name)]
    fields = [word for number in range(40) for word in ("--field", f"f{number}=a")]
    shown = ask("synth", "create", "x", "--tracefs", root, "-i", "one", "--from", "newer", "--to",
                "newer", *keys, *fields, "--size", "4194304")
    definition = "x " + "; ".join(f"u32 f{number}" for number in range(40))
    same(shown.splitlines()[0], definition)
    same((root / "synthetic_events").read_text(), definition)
    same((root / "events/user_events/newer/trigger").read_text(),
         f"hist:keys={','.join(FIELDS)}:size=4194304:x__pid=common_pid"
         f"hist:keys={','.join(FIELDS)}:size=4194304:x__pair=common_pid-$x__pid:"
         f"onmatch(user_events.newer).trace(x,{','.join('a' * 40)})")


ADDRESS = "0xffffffff81000000"
PROBES = [
    "f:newer vfs_*%return $arg* file->f_path.dentry",
    "t:newer sched_switch prev->pid:u32",
    f"newer5:newer {ADDRESS} a=$newer",
    f"p:newer {ADDRESS} {' '.join(['%di'] * 500)}",
    f"r99999:newer {ADDRESS}",
    f"p:newer {ADDRESS}%newer $retval",
    f"p:newer {ADDRESS} a=%newer b=$newer c=+0(%di):newer[4096] d=%di:symstr:u8 e=$arg1:%newer",
    f"p:newer {ADDRESS} {'+0(' * 99}%di{')' * 99}:u32 a=\\\"a  b\"",
    f"p:{'newer' * 40} {ADDRESS} {'a' * 200}=%di",
    f"p:ue_probes.name-2 {ADDRESS}",
    "e:newer user_events/newer a=$a:newer b=$nope c=%di if a in {1, 2} || newer(a)",
    "e:newer newer-system/newer-event",
    "e:newer only_one_name",
    "p:newer /no/such/file:0x1000%newer(0x10,0x20) $arg2 @symbol:symbol",
]


def probes_reach_the_kernel():
    for text in PROBES:
        root = tracefs()
        name = text.split(" ")[0].partition(":")[2].removeprefix("ue_probes.")
        same(ask("probe", "add", "--tracefs", root, text), f"ue_probes:{name}\n")
        head, place = text.split(" ", 1)
        same((root / "dynamic_events").read_text(),
             f"{head.partition(':')[0]}:ue_probes/{name} {place}")


run([triggers_reach_the_kernel, triggers_are_listed, filters_reach_the_kernel,
     an_empty_filter_does_not_reach_the_kernel,
     definitions_of_synthetic_events_reach_the_kernel, pairs_reach_the_kernel,
     probes_reach_the_kernel])
