#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The examples of Documentation/trace/kprobetrace.rst, as they are written there.

Out of date in all of them: the compiler puts do_sys_open() into its callers, so a probe on
it is accepted and never hit. do_sys_openat2() stands for it.
"""
import re

from control import get, is_6_1, is_newest, lines, put, run, same, tracing
from examples import empty, error_log, fields, filter_of, is_on, sh, trace, triggers

USUAL = "do_sys_openat2"
# its arguments: int, the name in user space, struct open_how
DFD, NAME, HOW = "%di", "%si", "%dx"
# The descriptor that it returns. The newest kernel knows its type, a signed number.
RETURNED = "3" if is_newest else "0x3"
# It takes a struct filename. Linux 7.0 gave it another name.
INNER = "do_file_open" if is_newest else "do_filp_open"


def clear():
    sh("echo > /sys/kernel/debug/tracing/kprobe_events")
    same(lines("kprobe_events"), [])


def defines(definition, shown=None):
    """The definition is taken, and listed so (or matching so); it is removed again."""
    put("kprobe_events", definition)
    listed, = lines("kprobe_events")
    if isinstance(shown, re.Pattern):
        assert shown.fullmatch(listed), (shown, listed)
    else:
        same(listed, shown or definition)
    clear()


def refuses(definition, reason, at):
    """at: the part of the definition that the caret points to. reason "": none is given."""
    sh("echo > error_log")
    sh(f"echo '{definition}' >> kprobe_events", fails="write error")
    same(lines("kprobe_events"), [])
    if not reason:
        same(get("error_log"), "")
        return
    said, command, caret = error_log()
    same((said, command), (reason, definition))
    assert definition[caret:].startswith(at), (definition, caret)


def hits(definition):
    """The values of the probe named p1 that a program gets, which opens /etc/hostname."""
    put("kprobe_events", definition)
    put("events/kprobes/p1/enable", "1")
    empty()
    sh("cat /etc/hostname >/dev/null")
    put("events/kprobes/p1/enable", "0")
    shown = [line for line in trace() if " p1: " in line]
    clear()
    assert shown, definition
    return [dict(re.findall(r'(\w+)=("[^"]*"|\{[^}]*\}|\S+)', re.search(r" p1: \(.*?\)(.*)",
                                                                    line)[1]))
            for line in shown]


def of_hostname(arguments, function=USUAL, name=f"+0({NAME}):ustring"):
    """The values of the one hit that opens /etc/hostname."""
    found, = [values for values in hits(f"p:p1 {function} {arguments} name={name}")
              if values["name"] == '"/etc/hostname"']
    return found


def synopsis():
    address = re.search(rf"^([0-9a-f]+) . {USUAL}$", sh("cat /proc/kallsyms"), re.MULTILINE)[1]
    defines(f"p {USUAL}", f"p:kprobes/p_{USUAL}_0 {USUAL}")
    defines(f"p:mine {USUAL}", f"p:kprobes/mine {USUAL}")
    defines(f"p:group/mine {USUAL}+0", re.compile(rf"p:group/mine {USUAL}(\+0)?"))
    # MEMADDR: the list has a hash in place of the address
    defines(f"p:mine 0x{address}", re.compile(r"p:kprobes/mine 0x[0-9a-f]{16}"))
    defines(f"r {USUAL}", re.compile(rf"r\d*:kprobes/r_{USUAL}_0 {USUAL}"))
    defines(f"r5:mine {USUAL} $retval", f"r5:kprobes/mine {USUAL} arg1=$retval")
    # out of date: "or 0 for the default value"
    refuses(f"r0:mine {USUAL}", "Invalid maxactive number", "0:mine")
    defines(f"p:mine {USUAL}%return", re.compile(rf"r\d*:kprobes/mine {USUAL}"))
    # MOD: one that is not loaded is waited for
    defines("p:mine no_module:no_function", "p:kprobes/mine no_module:no_function")
    # "-:[GRP/]EVENT : Clear a probe"
    for clearing in "-:mine", "-:group/mine":
        put("kprobe_events", f"p:group/mine {USUAL}")
        put("kprobe_events", clearing)
        same(lines("kprobe_events"), [])
    refuses("p:mine no_such_function", "Invalid probed address or symbol", "no_such")
    refuses(f"r:mine {USUAL}+8", "Retprobe address must be an function entry", USUAL)


def arguments():
    found = of_hostname(f"reg={DFD} first=$arg1 code=@{USUAL} later=@{USUAL}+4 "
                        f"earlier=@{USUAL}-4 entry=$stack0 top=$stack task=$comm fixed=\\7 "
                        f"how=+0({HOW}) deep=-8($stack) user=+u0({NAME}):string")
    same(found["reg"], found["first"])
    code, later, earlier = (int(found[name], 16) for name in ("code", "later", "earlier"))
    same((later & 0xffffffff, earlier >> 32), (code >> 32, code & 0xffffffff))
    same((found["task"], found["fixed"], found["user"]), ('"cat"', "0x7", '"/etc/hostname"'))
    # 0xff11 with page tables of five levels, 0xffff with four
    same(int(found["top"], 16) >> 56, 0xff)
    returned = {values["arg1"] for values in hits(f"r:p1 {USUAL} $retval")}
    assert RETURNED in returned, returned


def data_symbols():
    """They need KALLSYMS_ALL. The text ends in a newline, so only bytes of it are shown."""
    found = of_hostname("first=@linux_banner:x8[5] later=@linux_banner+6:x8[7] "
                        "before=@linux_banner-6:x8[11]")
    texts = {name: bytes(int(byte, 16) for byte in found[name][1:-1].split(","))
             for name in ("first", "later", "before")}
    same((texts["first"], texts["later"], texts["before"][6:]), (b"Linux", b"version", b"Linux"))


def arguments_that_are_refused():
    # "only for the probe on function entry", "only for return probe"
    refuses(f"p:mine {USUAL}+4 $arg1", "Invalid $-variable specified" if is_6_1 else
            "$arg* can be used only on function entry or exit", "$arg1")
    refuses(f"p:mine {USUAL} $retval", "$retval is not available on probe",
            "$retval")
    # "'$stack1:x8[8]' is wrong, but '+8($stack):x8[8]' is OK"
    refuses(f"p:mine {USUAL} $stack1:x8[8]", "String accepts only memory argument", "x8[8]")
    defines(f"p:mine {USUAL} +8($stack):x8[8]",
            f"p:kprobes/mine {USUAL} arg1=+8($stack):x8[8]")
    # out of date: "where N is a fixed number, less than 64"; 64 is taken, too
    defines(f"p:mine {USUAL} +8($stack):x8[64]",
            f"p:kprobes/mine {USUAL} arg1=+8($stack):x8[64]")
    refuses(f"p:mine {USUAL} +8($stack):x8[65]", "Array number is too big", "65")
    # "For $comm, the default type is string; any other type is invalid."
    refuses(f"p:mine {USUAL} $comm:u32", "" if is_6_1 else
            "$comm and immediate-string only accepts string type", "u32")
    # "Each probe can have up to 128 args."
    many = " ".join(f"a{number}={DFD}:u8" for number in range(128))
    put("kprobe_events", f"p:mine {USUAL} {many}")
    clear()


def types():
    """AT_FDCWD, -100, in all of them."""
    expected = {"u8": "156", "u16": "65436", "u32": "4294967196", "s8": "-100", "s16": "-100",
                "s32": "-100", "x8": "0x9c", "x16": "0xff9c", "x32": "0xffffff9c",
                "b4@4/32": "0x9", "b8@8/32": "0xff", "b12@0/32": "0xf9c"}
    found = of_hostname(" ".join(f"a{number}={DFD}:{type}"
                                 for number, type in enumerate(expected)))
    same([int(found[f"a{number}"], 0) for number in range(len(expected))],
         [int(value, 0) for value in expected.values()])
    same([found[f"a{number}"] for number in range(9)], list(expected.values())[:9])
    found = of_hostname(f"big={DFD}:u64 signed={DFD}:s64 hex={DFD}:x64 usual={DFD} "
                        "from=$stack0:symbol")
    same((int(found["hex"], 16), int(found["usual"], 16)), (int(found["big"]),) * 2)
    same(int(found["signed"]) & (1 << 64) - 1, int(found["big"]))
    assert re.fullmatch(r"\w+\+0x[0-9a-f]+/0x[0-9a-f]+", found["from"]), found


def arrays_and_strings():
    found = of_hostname(f"one=+0({HOW}):x32[1] same=+0({HOW}):x32 two=+0({HOW}):x32[2]")
    # "<base-type>[1] is equal to <base-type>", but for its braces
    same(found["one"], "{%s}" % found["same"])
    same(found["two"].split(",")[0], "{" + found["same"])
    # "+0(%di):string[1] is equal to +0(+0(%di)):string"; struct filename begins with a char *
    found = of_hostname("array=+0(%si):string[1]", INNER, "+0(+0(%si)):string")
    same(found["array"], '{"/etc/hostname"}')


def user_memory_access():
    found = of_hostname(f"a=+u0({NAME}):string b=+0({NAME}):ustring c=+u4({NAME}):string "
                        f"d=+u4({NAME})")
    same((found["a"], found["b"], found["c"]), ('"/etc/hostname"',) * 2 + ('"/hostname"',))
    same(int(found["d"], 16).to_bytes(8, "little"), b"/hostnam")


def per_probe_event_filtering():
    put("kprobe_events", f"p:p1 {USUAL} dfd={DFD}:s32 flags=+0({HOW}):x64")
    directory = tracing / "events/kprobes/p1"
    for file in "enable", "format", "filter", "id", "trigger":
        assert (directory / file).exists(), file
    put("events/kprobes/p1/filter", "dfd == 77777")
    same(filter_of("kprobes:p1"), "dfd == 77777")
    put("events/kprobes/p1/enable", "1")
    empty()
    sh("cat /etc/hostname >/dev/null")
    same([line for line in trace() if " p1: " in line], [])
    put("events/kprobes/p1/trigger", "traceoff:1 if dfd == 88888")
    same(triggers("kprobes:p1"), ["traceoff:count=1 if dfd == 88888"])
    put("events/kprobes/p1/trigger", "!traceoff:1")
    put("events/kprobes/p1/enable", "0")
    # "the first column is event name, the second is the number of probe hits"
    name, hit, missed = lines("kprobe_profile")[0].split()
    same((name, int(hit) > 0, missed), ("p1", True, "0"))
    clear()


def usage_examples():
    """
    Out of date: do_sys_open() is not hit; the fields are those of 64 bits, and there is no
    __probe_nargs; the value is arg1, not $retval.
    """
    sh("echo 'p:myprobe do_sys_open dfd=%ax filename=%dx flags=%cx mode=+4($stack)' > "
       "/sys/kernel/debug/tracing/kprobe_events")
    sh("echo 'r:myretprobe do_sys_open $retval' >> /sys/kernel/debug/tracing/kprobe_events")
    shown = sh("cat /sys/kernel/debug/tracing/events/kprobes/myprobe/format")
    found = fields("kprobes:myprobe")
    same([found[name] for name in ("__probe_ip", "dfd", "filename", "flags", "mode")],
         [("unsigned long __probe_ip", 8, 8), ("u64 dfd", 16, 8), ("u64 filename", 24, 8),
          ("u64 flags", 32, 8), ("u64 mode", 40, 8)])
    same("__probe_nargs" in shown, False)
    assert 'print fmt: "(%lx) dfd=0x%Lx filename=0x%Lx flags=0x%Lx mode=0x%Lx", ' in shown, shown
    # "each event is disabled by default"
    same(is_on("kprobes"), "0")
    sh("""echo 1 > /sys/kernel/debug/tracing/events/kprobes/myprobe/enable
          echo 1 > /sys/kernel/debug/tracing/events/kprobes/myretprobe/enable""")
    sh("cat /etc/hostname >/dev/null")
    same([line.split()[1:] for line in lines("kprobe_profile")], [["0", "0"]] * 2)
    sh("echo > kprobe_events", fails="busy")  # while they are on
    sh("echo 0 > events/kprobes/enable")
    clear()


def usage_examples_on_what_exists_today():
    sh(f"echo 'p:myprobe {USUAL} dfd=%ax filename=%dx flags=%cx mode=+4($stack)' > "
       "kprobe_events")
    sh(f"echo 'r:myretprobe {USUAL} $retval' >> kprobe_events")
    sh("echo 1 > events/kprobes/enable; echo 0 > tracing_on; echo > trace")
    sh("echo 1 > tracing_on\ncat /etc/hostname >/dev/null\necho 0 > tracing_on")
    text = sh("cat /sys/kernel/debug/tracing/trace")
    for pattern in (rf"myprobe: \({USUAL}\+0x0/0x[0-9a-f]+\) dfd=0x[0-9a-f]+ "
                    r"filename=0x[0-9a-f]+ flags=0x[0-9a-f]+ mode=0x[0-9a-f]+\n",
                    rf"myretprobe: \(\w+\+0x[0-9a-f]+/0x[0-9a-f]+ <- {USUAL}\) arg1={RETURNED}\n"):
        assert re.search(pattern, text), (pattern, text[-600:])
    put("tracing_on", "1")
    sh("echo 0 > events/kprobes/enable")
    sh("echo -:myprobe >> kprobe_events")
    same(lines("kprobe_events")[0].split(":")[1].split()[0], "kprobes/myretprobe")
    clear()


run([synopsis, arguments, data_symbols, arguments_that_are_refused, types, arrays_and_strings,
     user_memory_access, per_probe_event_filtering, usage_examples,
     usage_examples_on_what_exists_today])
