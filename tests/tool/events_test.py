#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents list, status, register, delete, write, without a kernel. Argument: the tool."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from tap import run, same

tool = os.path.abspath(sys.argv[1])
folder = pathlib.Path(tempfile.mkdtemp())
tracefs = folder / "tracefs"

HEADER = [("u8", "eventheader_flags", 1), ("u8", "version", 1), ("u16", "id", 2),
          ("u16", "tag", 2), ("u8", "opcode", 1), ("u8", "level", 1)]
TICK = [("u32", "status", 4), ("char", "path[<1852>]", 20), ("__rel_loc char", "text[]", 4),
        ("struct point", "at", 8), ("__rel_loc u16", "numbers[]", 4),
        ("__data_loc char[]", "old", 4), ("unsigned char", "mac[6]", 6), ("char", "c", 1)]


def event(system, name, number, fields):
    lines = [("unsigned short", "common_type", 2), ("unsigned char", "common_flags", 1),
             ("unsigned char", "common_preempt_count", 1), ("int", "common_pid", 4),
             None, *fields]
    text, offset = f"name: {name}\nID: {number}\nformat:\n", 0
    for line in lines:
        if not line:
            text += "\n"
            continue
        kind, field, size = line
        text += f"\tfield:{kind} {field};\toffset:{offset};\tsize:{size};\tsigned:0;\n"
        offset += size
    path = tracefs / "events" / system / name
    path.mkdir(parents=True)
    (path / "format").write_text(text + '\nprint fmt: ""\n')


def tree():
    event("user_events", "tick", 1234, TICK)
    event("user_events", "empty", 1235, [])
    event("user_events", "My_Shop_L4K1fGweb", 7, HEADER)
    event("user_events_multi", "tick.0", 1236, [("u64", "other", 8)])
    (tracefs / "events/user_events/enable").write_text("0\n")
    (tracefs / "user_events_status").write_text(
        "tick # Used by ftrace perf\nempty\nMy_Shop_L4K1fGweb # Used by other\ntick.0\n\n"
        "Active: 4\nBusy: 2\n")


def called(*args, status=0, said="", **kwargs):
    done = subprocess.run([tool, *args], capture_output=True, text=True, timeout=600, **kwargs)
    same(done.returncode, status)
    if said:
        assert said in done.stderr, f"{said!r} is not in {done.stderr!r}"
    else:
        same(done.stderr, "")
    return done.stdout


def on_tree(command, *args, **kwargs):
    return called(command, "--tracefs", str(tracefs), *args, **kwargs)


def written(*args):
    """The event that write sends, as run prints it."""
    return called("run", "--meta", "n", "--", tool, "write", *args)


def refused(said, *args):
    done = subprocess.run([tool, "write", *args], capture_output=True, text=True, timeout=600)
    same(done.returncode, 2)
    assert said in done.stderr, f"{said!r} is not in {done.stderr!r}"


DEFINITION = ("tick u32 status; char[20] path; __rel_loc char[] text; struct point at 8; "
              "__rel_loc u16[] numbers; __data_loc char[] old; unsigned char[6] mac; char c")


def list_prints_definitions():
    same(on_tree("list"), f"""\
My_Shop_L4K1fGweb  # provider My_Shop, level 4 (information), keyword 0x1f, group web
empty
{DEFINITION}
tick u64 other  # user_events_multi:tick.0
""")


def list_takes_globs():
    same(on_tree("list", "e*"), "empty\n")
    same(on_tree("list", "user_events:e*", "nothing"), "empty\n")
    same(on_tree("status", "e*", "nothing"), "empty  none\n")


def nothing_that_matches_is_a_failure():
    empty = folder / "empty"
    (empty / "events/user_events").mkdir(parents=True)
    (empty / "user_events_status").write_text("\nActive: 0\nBusy: 0\n")
    for command in "list", "status":
        same(on_tree(command, "nothing", status=1, said='no event that "nothing" matches'), "")
        same(on_tree(command, "--json", "not*", "none", status=1, said="any of these"), "")
        same(called(command, "--tracefs", str(empty), said="no event exists"), "")


def a_file_here_is_named():
    """list PROGRAM without a '/' takes it for the name of an event."""
    (folder / "prog").write_bytes(b"")
    for args in ("--tracefs", str(tracefs), "prog"), ("--tracefs", "/nonexistent", "tick*", "prog"):
        same(called("list", *args, status=1, cwd=folder,
                    said="prog is also a file here: userevents list ./prog"), "")
    same(on_tree("list", "e*", "prog", cwd=folder), "empty\n")


def list_has_json():
    found = [json.loads(line) for line in on_tree("list", "--json").splitlines()]
    same([f["event"] for f in found], ["My_Shop_L4K1fGweb", "empty", "tick", "tick.0"])
    same({k: found[0][k] for k in ("provider", "level", "keyword", "options", "listeners")},
         {"provider": "My_Shop", "level": 4, "keyword": "0x1F", "options": "Gweb",
          "listeners": ["other"]})
    same(found[1], {"event": "empty", "system": "user_events", "id": 1235, "fields": [],
                    "listeners": []})
    same(found[2]["fields"][3], {"name": "at", "type": "struct point", "offset": 28, "size": 8})
    same(found[2]["listeners"], ["ftrace", "perf"])


def what_is_listed_can_be_registered():
    """The tool accepts its own output: without a kernel, only the registration fails."""
    called("register", "--tracefs", str(folder), "--file", "-", status=1,
           said="There is no user_events_data", input=on_tree("list"))


def status_and_list_have_one_order():
    def names(command):
        return [json.loads(line)["event"] for line in on_tree(command, "--json").splitlines()]
    same(names("status"), names("list"))


def status_prints_the_listeners():
    same(on_tree("status"), """\
My_Shop_L4K1fGweb  other; provider My_Shop, level 4 (information), keyword 0x1f, group web
empty              none
tick               ftrace perf
tick.0             none
""")
    same(on_tree("status", "--json", "tick", "My*"), """\
{"event":"My_Shop_L4K1fGweb","provider":"My_Shop","level":4,"keyword":"0x1F","options":"Gweb",\
"listeners":["other"]}
{"event":"tick","listeners":["ftrace","perf"]}
""")


def names_do_not_steer_a_terminal():
    """A process that may register an event can choose any name."""
    name = "a\x1b[2J\x7f\u009b2Jb\u00e9"
    with_tree = tracefs / "events/user_events" / name
    event("user_events", name, 99, [("u32", "x\x1b", 4)])
    status = tracefs / "user_events_status"
    before = status.read_text()
    status.write_text(f"{name}\n\nActive: 1\nBusy: 0\n")
    try:
        same(on_tree("list", "a*"), "a?[2J???2Jb\u00e9 u32 x?\n")
        same(on_tree("status", "a*"), "a?[2J???2Jb\u00e9  none\n")
        for command in ("list", "status"):
            text = on_tree(command, "--json", "a*")
            assert not any(c in text for c in "\x1b\x7f\u009b"), repr(text)
            same(json.loads(text)["event"], name)
    finally:
        status.write_text(before)
        shutil.rmtree(with_tree)
    on_tree("list", "--wrong\x1b\u009b", status=2, said="--wrong???")


def status_of_linux_6_1():
    other = folder / "old"
    other.mkdir()
    (other / "user_events_status").write_text(
        "2:tock\n1:tick # Used by perf\n\nActive: 2\nBusy: 1\nMax: 32768\n")
    same(called("status", "--tracefs", str(other)), "tick  perf\ntock  none\n")
    (other / "user_events_status").write_text("1:tick\nwhat is this line?\n")
    same(called("status", "--tracefs", str(other), status=1, said="cannot parse 1 line of"),
         "tick  none\n")


def a_missing_tracefs_is_reported():
    for command in ("list", "status"):
        called(command, "--tracefs", "/nonexistent", status=1, said="No such file")
    called("write", "--tracefs", "/nonexistent", "tick", status=1,
           said='there is no event "tick"')
    called("delete", "--tracefs", "/nonexistent", "tick", status=1,
           said="cannot delete tick: There is no")


def a_definition_is_checked():
    called("register", "tick u32", status=2, said='"u32" at byte 6: A field is')
    called("register", "tick u9 a", status=2, said='"u9" at byte 6: Not a type')
    called("register", "--wait", status=2, said="cannot register: no event is given")
    called("register", "-f", "/nonexistent", status=1, said="cannot read /nonexistent")
    called("register", "-f", "-", status=2, said=" in standard input, line 3: ",
           input="# one\n good u32 a # fine\nbad u32\n")


TYPES = ("Not a type of user_events: u8 u16 u32 u64 s8 s16 s32 s64, char, short, int (also "
         'unsigned), char[N], "__rel_loc T[]", "struct TAG name SIZE".')
LENGTH = ("The length of a char array is a decimal number from 1 to 1024, without leading zeros; "
          'for text of any length there is "__rel_loc char[]".')
SIZE = "The size of a struct is a decimal number from 1 to 65535, without leading zeros."
MALFORMED = (
    ("u:", '"" at byte 1: The event name is missing.'),
    ("u: u32 a", '"a" at byte 5: A field is a type, one blank, and a name.'),
    ("dyn/a u32 a", "\"/\" at byte 4: An event name has no '/': it becomes a directory of "
     "tracefs."),
    ("dyn:flag u32 a", "\":\" at byte 4: An event name has no ':': the kernel reads flags "
     "after it."),
    ("dyn;a", "\";\" at byte 4: An event name has no ';'; it ends at the first blank, and ';' "
     "separates fields."),
    ("..", "\"..\" at byte 1: '.' and '..' cannot be names of a directory of tracefs."),
    ("dyn ;", '"" at byte 5: A field is missing here.'),
    ("dyn u32", '"u32" at byte 5: A field is a type, one blank, and a name.'),
    ("dyn u32  a", '" " at byte 9: One blank too many: the kernel takes exactly one.'),
    ("dyn u32 a ; u32 b", "\" \" at byte 10: A blank before ';': the kernel takes none there."),
    ("dyn u32 a; ; u32 b", '"" at byte 12: A field is missing here.'),
    ("dyn u32\ta", '"?" at byte 8: Only blanks separate; the kernel does not take tabs or other '
     "control characters."),
    ("dyn long a", f'"long" at byte 5: {TYPES}'),
    ("dyn u32[4] a", '"u32[4]" at byte 5: The kernel has arrays of char only; for others there '
     'is "__rel_loc T[]".'),
    ("dyn char a[20]", '"a[20]" at byte 10: A name has no brackets, the kernel would take them '
     'for part of it: write "char[20] name"; for arrays of other types, "__rel_loc T[] name".'),
    ("dyn char[0x14] a", f'"char[0x14]" at byte 5: {LENGTH}'),
    ("dyn char[1025] a", f'"char[1025]" at byte 5: {LENGTH}'),
    ("dyn struct point at", '"struct point at" at byte 5: A struct is written "struct TAG name '
     'SIZE".'),
    ("dyn struct point at 8 9", f'"8 9" at byte 21: {SIZE}'),
    ("dyn __rel_loc char a", '"__rel_loc char" at byte 5: A location is written "__rel_loc T[]" '
     'or "__data_loc T[]", with T one word.'),
    ("dyn u32 a; u64 a", '"a" at byte 16: Two fields have this name.'),
    ("dyn u32 common_pid", '"common_pid" at byte 9: Every event has a field of this name '
     "already."),
    ("dyn u32 1a", '"1a" at byte 9: A field name is a C identifier: letters, digits and \'_\', '
     "with no digit first."),
)


def malformed_definitions_get_a_sentence_each():
    for definition, said in MALFORMED:
        shown = definition.removeprefix("u:").lstrip(" ").replace("\t", "?")
        for option in "--wait", "--dynamic-events":
            done = subprocess.run([tool, "register", option, definition], capture_output=True,
                                  text=True, timeout=600)
            same((done.returncode, done.stdout, done.stderr),
                 (2, "", f'userevents: cannot register "{shown}": {said}\n'))


FORMS = ("flow int src; int dst; char[4] tag", "flow int src;int dst;char[4] tag",
         "flow   int src;  int dst; char[4] tag;", "flow int src; int dst;char[4] tag; ",
         "u:flow int src; int dst; char[4] tag", "u: flow int src;int dst;char[4] tag")


def every_form_of_a_definition_is_one_event():
    shown = written(FORMS[0], "src=1", "dst=2", "tag=abc")
    for form in FORMS:
        same(written(form, "src=1", "dst=2", "tag=abc"), shown)
    same(called("run", "-o", "/dev/null", tool, "register", "--persist", *FORMS,
                said="wrote none"), "flow\n" * len(FORMS))


def every_type_is_written():
    values = ["status=0x10", "path=/index.html", "text=hello there", "at=0102 03040506aaFF",
              "numbers=1,0xffff", "old=x", "mac=1,2,3,4,5,255", "c=Z"]
    same(written(DEFINITION, *values),
         'user_events:tick status=16 path="/index.html" text="hello there" '
         'at="01 02 03 04 05 06 aa ff" numbers=[1 65535] old="x" mac="01 02 03 04 05 ff" c="Z"\n')
    same(written("e s8 a; s64 b; u64 c; __rel_loc u8[] d; __rel_loc char[] f; s16 g",
                 "c=18446744073709551615", "b=-9223372036854775808", "a=127", "d=", "f=",
                 "g=-1"),
         'user_events:e a=127 b=-9223372036854775808 c=18446744073709551615 d="" f="" g=-1\n')


def a_field_named_like_others_text_is_its_own():
    same(written("e char[4] a; char[4] ab", "ab=x=y", "a=abcd"),
         'user_events:e a="abcd" ab="x=y"\n')


def wrong_values_are_rejected():
    refused("does not fit", "e u8 a", "a=256")
    refused("does not fit", "e u8 a", "a=-1")
    refused("does not fit", "e s8 a", "a=-129")
    refused("does not fit", "e s8 a", "a=128")
    refused("does not fit", "e u64 a", "a=18446744073709551616")
    refused("decimal, or begins with 0x", "e u8 a", "a=x")
    refused("decimal, or begins with 0x", "e u8 a", "a=")
    refused("something behind", "e u8 a", "a=1x")
    refused("longer than the field", "e char[3] a", "a=abcd")
    refused("in hex", "e struct p a 2", "a=0x")
    refused("more bytes than", "e struct p a 2", "a=010203")
    refused("more elements", "e unsigned char[3] a", "a=1,2")
    refused("more numbers", "e unsigned char[3] a", "a=1,2,3,4")
    refused("behind the last comma", "e __rel_loc u8[] a", "a=1,")
    refused("value of b is missing", "e u8 a; u8 b", "a=1")
    refused("given twice", "e u8 a", "a=1", "a=2")
    refused("is not FIELD=VALUE", "e u8 a", "a")
    refused('no field "stats". Did you mean "status"?', "e u8 status", "stats=1")
    refused("longer than the field", "e __rel_loc char[] a", "a=" + "x" * 65535)


def an_eventheader_event_is_written():
    uuid = "01234567-89ab-cdef-0123-456789abcdef"
    same(written("-e", "OrderPlaced", "My_Shop_L4K1fGweb", "who=me", "u32 count=0x10", "s8 a=-3",
                 "x64 key=255", "f64 sum=2.5", "u16[] sizes=1,2,65535", "s64[] none=",
                 "bool paid=true", "bytes raw=0a ff", f"uuid id={uuid}", "ip from=192.0.2.1",
                 "ip to=2001:db8::1", "text=", "x=y=z"),
         'My_Shop:OrderPlaced who="me" count=16 a=-3 key=0xFF sum=2.5 sizes=[1 2 65535] '
         f'none=[] paid=true raw="0a ff" id={uuid} from=192.0.2.1 to=2001:db8::1 text="" '
         'x="y=z"\n')
    same(written("-e", "Float", "Shop_L4K1", "f32 a=3.4e38", "f32 b=inf", "f64 c=-Infinity",
                 "f32 d=1e-60", "f64 e=nan"), "Shop:Float a=3.4e+38 b=inf c=-inf d=0 e=nan\n")
    same(written("-e", "Nothing", "Shop_L2K0 u8 eventheader_flags; u8 version; u16 id; u16 tag; "
                 "u8 opcode; u8 level"), "Shop:Nothing\n")


def an_eventheader_event_may_be_recorded():
    path = folder / "recording"
    called("run", "--record", str(path), "--", tool, "write", "Shop_L5K2", "--event", "Tick",
           "u64 number=7")
    event = json.loads(called("decode", "--json", str(path)))
    same({"n": event["n"], "number": event["number"], "level": event["meta"]["level"],
          "keyword": event["meta"]["keyword"]},
         {"n": "Shop:Tick", "number": 7, "level": 5, "keyword": "0x2"})


def wrong_eventheader_events_are_rejected():
    event = ("-e", "E", "Shop_L4K1")
    refused('no type "u9". Did you mean "u8"', *event, "u9 a=1")
    refused('no type "int"', *event, "int a=1")
    refused('no type "str[]"', *event, "str[] a=1")
    refused("not of the form", *event, "a")
    refused("not of the form", *event, "=1")
    refused("not of the form", *event, "u8 =1")
    refused("a=256: The number does not fit", *event, "u8 a=256")
    refused("behind the last comma", *event, "u8[] a=1,")
    refused("true or false", *event, "bool a=maybe")
    refused("32 hex digits", *event, "uuid a=0123")
    refused("32 hex digits", *event, "uuid a=" + "0" * 33)
    refused("32 hex digits", *event, "uuid a=" + "0" * 31 + " ")
    refused("An address is", *event, "ip a=1.2.3")
    refused("larger than 65535 bytes", *event, "a=" + "x" * 65536)
    refused("has no level", "-e", "E", "Shop_L0K1")
    refused('cannot write "tick": it is no EventHeader', "-e", "E", "tick")
    refused('cannot write "tick u32 status": it is no EventHeader', "-e", "E", "tick u32 status")
    refused('cannot write "Shop_L4K1 u32 a": it is no EventHeader', "-e", "E", "Shop_L4K1 u32 a")
    refused("choose one with --event", "-e", "", "Shop_L4K1")
    for wide in "f32 a=1e39", "f32 a=-3.5e38", "f64 a=1e309", "f32[] a=1,1e39":
        refused("The number does not fit", *event, wide)
    for tree in (tracefs, folder):  # the event exists, and does not exist
        refused("choose one with --event", "--tracefs", str(tree), "My_Shop_L4K1fGweb")


def the_fields_come_from_the_format():
    on_tree("write", "tick", "status=1", status=2, said="The value of path is missing")
    on_tree("write", "empty", "x=1", status=2, said='no field "x"')


def a_too_large_event_is_rejected():
    done = subprocess.run([tool, "run", "--", tool, "write", "e __rel_loc char[] a",
                           "a=" + "x" * 8000], capture_output=True, text=True, timeout=600)
    same(done.returncode, 1)
    assert "larger than every listener can receive" in done.stderr, done.stderr


def an_empty_name_is_printed_or_rejected():
    called("delete", "", status=2, said='cannot delete "": it is not the name of an event')
    called("record", "-o", "", status=2, said="cannot record: the option --output needs a value")
    called("run", "--record", "", "true", status=2, said="the option --record needs a value")
    called("list", "--tracefs=", status=2, said="the option --tracefs needs a value")
    called("decode", "", status=1, said='userevents: cannot read "": No such file')
    called("register", "-f", "", status=2, said="the option --file needs a value")
    on_tree("list", "", status=1, said='no event that "" matches')
    on_tree("write", "", status=1, said='there is no event ""')


def help_and_version():
    for option in "--help=3", "--help=":
        called("list", option, status=2, said="cannot list: the option --help takes no value;")
    called("list", "--hepl", status=2, said='did you mean "--help"?')
    version = called("--version")
    assert re.fullmatch(r"userevents \d+\.\d+\.\d+\n", version), version
    same(called("-V"), version)
    for command in commands():
        text = called(command, "--help")
        assert text.startswith(f"Usage: userevents {command} ")
        same([line for line in text.splitlines() if len(line) > 80], [])
    same([line for line in called("--help").splitlines() if len(line) > 80], [])


def commands():
    return [line.split()[0] for line in called("--help").splitlines()
            if line.startswith("  ")]


def usage_is_printed():
    called("nonsense", status=2, said="there is no such command")
    called("lst", status=2, said='did you mean "list"?')
    called("list", "--jsno", status=2, said='did you mean "--json"?')
    called("write", status=2, said="cannot write: no event is given")
    called("delete", status=2, said="cannot delete: no event is given")
    called("delete", "--all", "tick", status=2, said="--all and names exclude each other")
    for glob in "*", "**", "?*", "user_events:*":
        on_tree("delete", glob, status=2, said="use --all")
    on_tree("delete", "nothing*", status=1, said='no event that "nothing*" matches')
    called(status=2, said="no command is given")
    for command in "watch", "record":  # before the tool looks for tracefs
        for pid in "x", "0", "-1", "2147483648", "1x", "":
            called(command, f"--pid={pid}", status=2, said=f'cannot record process "{pid}": that is not the number')
        for size in "32", "0", "4095":
            called(command, "--buffer", size, status=2,
                   said=f"cannot {command}: the option --buffer needs at least 4096: digits, or")
        called(command, "--buffer", "4096", "--pid", "2147483647", status=1,
               said="cannot record process 2147483647: there is no such process")
        called(command, "--buffer", "17179869185G", status=2, said="--buffer needs a number")
        called(command, "--pid", "1", "true", status=2, said="--pid and a command exclude each other")
        called(command, "--pid", "2147483647", status=1, said="cannot record process 2147483647: there is no such process")
    assert {"run", "doctor", "list", "status", "losses", "register", "delete",
            "write"} <= set(commands())


def options_may_stand_behind_arguments():
    """Also where the environment asks for the ways of POSIX."""
    for more in {}, {"POSIXLY_CORRECT": "1"}:
        env = os.environ | more
        same(json.loads(on_tree("list", "empty", "--json", env=env))["event"], "empty")
        on_tree("list", "empty", "--", "--json", env=env)
        same(called("run", "--", "echo", "--json", status=1, said="registered no events", env=env),
             "--json\n")


def an_abbreviation_of_several_options_is_rejected():
    called("decode", "--f", "json", "a", status=2, said='"--f" may be "--format" or "--from"')
    called("decode", "--fo=nothing", "a", status=2, said='cannot print as "nothing"')


tree()
try:
    run([
        list_prints_definitions,
        list_takes_globs,
        nothing_that_matches_is_a_failure, a_file_here_is_named,
        list_has_json,
        what_is_listed_can_be_registered,
        status_prints_the_listeners,
        status_and_list_have_one_order,
        names_do_not_steer_a_terminal,
        status_of_linux_6_1,
        a_missing_tracefs_is_reported,
        a_definition_is_checked,
        every_form_of_a_definition_is_one_event,
        malformed_definitions_get_a_sentence_each,
        every_type_is_written,
        a_field_named_like_others_text_is_its_own,
        wrong_values_are_rejected,
        an_eventheader_event_is_written,
        an_eventheader_event_may_be_recorded,
        wrong_eventheader_events_are_rejected,
        the_fields_come_from_the_format,
        a_too_large_event_is_rejected,
        an_empty_name_is_printed_or_rejected,
        help_and_version,
        options_may_stand_behind_arguments,
        an_abbreviation_of_several_options_is_rejected,
        usage_is_printed,
    ])
finally:
    shutil.rmtree(folder)
