#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs with events of other libraries, turned by scripts/migrate, compile without a
warning, and deliver the values that they wrote before.

Arguments: the program, the tree, the folder of the built library, "none" or the sanitizers
that it was built with.
"""
import pathlib
import re
import shutil
import subprocess
import sys

from document import Workshop
from tap import run, same

tool, tree, library, sanitizers = sys.argv[1:5]
script = pathlib.Path(tree).resolve() / "scripts/migrate"
inputs = pathlib.Path(__file__).parent / "migrating"
shop = Workshop(tool, tree, library, sanitizers)
WARNINGS = "-Wall -Wextra -Werror -Wno-unused-parameter"


def migrate(*arguments):
    done = subprocess.run([script, *arguments], cwd=shop.folder, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def events_of(*names):
    """Lines of the events that a turned program writes."""
    for name in names:
        shutil.copy(inputs / name, shop.folder)
    same(migrate("--in-place", *names), (0, "", ""))
    sources = " ".join(name for name in names if name.endswith(".c"))
    for standard in ("c11", "gnu17"):
        shop.run(f"cc -std={standard} {WARNINGS} {sources} "
                 "$(pkg-config --cflags --libs libuserevents) -o program")
    lines = shop.run("userevents run -- ./program").splitlines()
    return [re.sub(r" +", " ", line.split(" ", 2)[2]) for line in lines]


def lttng_ust():
    same(events_of("shop_tp.h", "shop_tp.c", "shop.c"), [
        'user_events:shop_request status=200 latency_ns=1234567 path="/a, (b)"',
        'user_events:shop_stock first=17 port=80 length=5 start="app" word="appl"',
        "shop:paid total=2.5 two=[17 4] all=[17 4 2] meta={level=warning}"])
    same("lttng_ust_tracepoint(shop, request) in a comment" in
         (shop.folder / "shop.c").read_text(), True)


def usdt():
    lines = events_of("usdt.c")
    same(re.sub(r"(?<=request=)[1-9]\d*", "PLACE", lines[2]),
         "user_events:shop_place request=PLACE arg2=4")
    same(lines[:2] + lines[3:], [
        "user_events:shop_start",
        'user_events:shop_request_done status=404 path="/basket" tries=3 '
        "latency_ns=18446744073709551615",
        'user_events:shop_literals arg1="text" arg2=-42 arg3=3'])


def usdt_by_a_generated_header():
    """A type by #define, a path with its length, parameters without names, a body of if."""
    lines = events_of("probes.d", "probes.c")
    same([re.sub(r"(?<=arg4=).*", "PLACE", line) for line in lines], [
        "user_events:shop_idle", 'user_events:shop_request_start number=7 path="/basket"',
        'user_events:shop_request_done arg1=200 arg2=37 arg3="text" arg4=PLACE'])
    shop.write([("probes.d", "provider a { probe b(struct c); probe d(int); };\n")])
    same(left("probe.c", '#include "probes.h"\nA_B(c);\nA_D();\nA_D_ENABLED(1);\n', "probes.d"),
         ["probe.c:2: left A_B: the size of the type struct c is not known"] +
         [f"probe.c:{line}: left {name}: a wrong number of arguments"
          for line, name in ((3, "A_D"), (4, "A_D_ENABLED"))])
    shop.write([("trace.d", "provider trace { probe b(int); };\n")])
    same(left("probe.c", '#include "trace.h"\nTRACE_B();\nTRACE_B_ENABLED(1);\n', "trace.d"),
         [f"probe.c:{line}: left {name}: a wrong number of arguments"
          for line, name in ((2, "TRACE_B"), (3, "TRACE_B_ENABLED"))])
    same(left("macro.c", "#define TRACE(x) A_D(x)\n", "probes.d"),
         ["macro.c:1: left A_D: it is in the definition of a macro"])


def tpp():
    same(events_of("tpp.c"), [
        'user_events:shop_request kind=7 balance=-1 path="/index.html" code="ABCD" '
        'key="01 02"',
        "user_events:shop_idle turns=3 zero=0", "user_events:shop_tick"])


def tracelogging():
    same(events_of("tracelogging.c"), [
        'MyCompany_Shop:Request status=404 "the path"="/basket" "ports[0]"=80 '
        '"flags;tag=0x7"=0x1F meta={level=warning}',
        'MyCompany_Shop:Paid amount={value=99.5 currency="EUR"} two=[80 443] some=[80] '
        "id=01020300-0000-0000-0000-000000000000 new=true meta={level=verbose}",
        "MyCompany_Shop:Step status=404 meta={level=verbose "
        "activity=01020300-0000-0000-0000-000000000000}"])


def a_patch_changes_no_file():
    shutil.copy(inputs / "tpp.c", shop.folder)
    before = (shop.folder / "tpp.c").read_text()
    status, patch, said = migrate("tpp.c")
    same((status, said, patch.splitlines()[:2]), (0, "", ["--- a/tpp.c", "+++ b/tpp.c"]))
    same((shop.folder / "tpp.c").read_text(), before)
    (shop.folder / "patch").write_text(patch)
    shop.run("patch -p1 < patch")
    turned = (shop.folder / "tpp.c").read_text()
    shutil.copy(inputs / "tpp.c", shop.folder)
    migrate("--in-place", "tpp.c")
    same((shop.folder / "tpp.c").read_text(), turned)


def left(name, text, *others):
    """What is listed for a file, which does not change where it is listed."""
    (shop.folder / name).write_text(text)
    status, _, said = migrate("--in-place", name, *others)
    same(status, 1 if said else 0)
    return said.splitlines()


def it_lists_what_it_leaves():
    main = "int main(void) { return 0; }\n"
    probe = '#include <sys/sdt.h>\nvoid f(void)\n{\n\tDTRACE_PROBE1(a, b, g() + 1);\n}\n' + main
    same(left("left.c", probe), ["left.c:4: left DTRACE_PROBE1: the type of g() + 1 is not "
                                 "known: cast it, and try again"])
    same((shop.folder / "left.c").read_text().count("DTRACE_PROBE1(a, b, g() + 1);"), 1)
    same("#include <sys/sdt.h>" in (shop.folder / "left.c").read_text(), True)
    same(left("macro.c", "#define TRACE(x) DTRACE_PROBE1(a, b, x)\n" + main),
         ["macro.c:1: left DTRACE_PROBE1: it is in the definition of a macro"])
    same(left("level.c", 'TRACELOGGING_DEFINE_PROVIDER(P, "P", (1));\nvoid f(int level)\n{\n'
                         '\tTraceLoggingWrite(P, "E", TraceLoggingLevel(level));\n}\n' + main),
         ["level.c:4: left TraceLoggingWrite: level may be a variable: levels and keywords "
          "are constants"])
    same(left("flags.c", 'TPP_DEFINE_PROVIDER(P);\nvoid f(void)\n{\n\tTPP_WRITE(P, "e:x");\n}\n'),
         ['flags.c:4: left TPP_WRITE: flags in the name "e:x": use UE_EVENT_FLAGS()'])
    same(left("enum.h", "TRACEPOINT_EVENT(a, b, TP_ARGS(int, x),\n"
                        "\tTP_FIELDS(ctf_enum(a, c, int, x, x)))\n"
                        "TRACEPOINT_EVENT(a, d, TP_ARGS(), TP_FIELDS())\n"),
         [f"enum.h:{line}: left TRACEPOINT_EVENT: the size of the type a of the field c is "
          "not known (line 1; a header is turned as a whole)" for line in (1, 3)])


def files_that_depend_on_each_other():
    """main() and a struct in other files, an include under a condition, a pointer to a value."""
    texts = {
        "conn.h": "struct conn {\n\tunsigned long bytes;\n};\nvoid f(struct conn *c, int *n);\n",
        "conn.c": "#include <sys/sdt.h>\n#include \"conn.h\"\n#ifdef NEVER\n#include <none.h>\n"
                  "#endif\n\nvoid f(struct conn *c, int *n)\n{\n"
                  "\tDTRACE_PROBE2(server, sent, c->bytes, *n);\n}\n",
        "run.c": '#include "conn.h"\n\nint main(void)\n{\n\tstruct conn c = { 7 };\n'
                 "\tint n = -1;\n\n\tf(&c, &n);\n\treturn 0;\n}\n"}
    shop.write(texts.items())
    same(migrate("--in-place", *texts), (0, "", ""))
    shop.run(f"cc {WARNINGS} conn.c run.c $(pkg-config --cflags --libs libuserevents) -o program")
    same(shop.run("userevents run -- ./program | cut -d ' ' -f 3-"),
         "user_events:server_sent bytes=7 n=-1\n")


def it_says_where_to_open_a_session():
    same(left("library.c", "#include <sys/sdt.h>\nvoid f(void)\n{\n\tDTRACE_PROBE(a, b);\n}\n"),
         ["library.c:1: left session: no file has main(): define int trace_session = -1, and "
          "call trace_session = ue_open(NULL) and ue_register_all(trace_session)"])


ENDS = b"""#include <sys/sdt.h>

/* caf\xe9 */
int main(void)
{
	DTRACE_PROBE1(shop, start, 1);
	return 0;
}"""


def other_bytes_and_ends_of_lines_stay():
    """Latin-1, CRLF, and no newline at the end: the patch applies, and makes what --in-place does."""
    file = shop.folder / "ends.c"
    for text in ENDS, ENDS.replace(b"\n", b"\r\n"), ENDS + b"\n":
        file.write_bytes(text)
        patch = subprocess.run([script, "ends.c"], cwd=shop.folder, capture_output=True).stdout
        subprocess.run(["patch", "-s", "--binary", "-p1"], cwd=shop.folder, input=patch, check=True)
        turned = file.read_bytes()
        file.write_bytes(text)
        same(migrate("--in-place", "ends.c", "ends.c"), (0, "", ""))
        same(file.read_bytes(), turned)
        same((b"\xe9" in turned, b"DTRACE" in turned, turned.count(b"\r"), turned[-2:]),
             (True, False, turned.count(b"\n") if b"\r" in text else 0, text[-2:]))


def calls_with_wrong_arguments_are_left():
    calls = ["TRACEPOINT_EVENT(a, b, TP_ARGS(int, x), TP_FIELDS(ctf_integer(int)))", "TRACEPOINT_EVENT(a)",
             "TRACEPOINT_EVENT_CLASS(a)", "TRACEPOINT_EVENT_INSTANCE(a)", "TRACEPOINT_LOGLEVEL(a)", "tracepoint()",
             "TRACELOGGING_DEFINE_PROVIDER(P)", "TraceLoggingWrite(P)", "TraceLoggingProviderEnabled(P)",
             "TPP_WRITE(p, \"a\", TPP_STRING())", "TPP_WRITE()", "TPP_FUNCTION(p)", "DTRACE_PROBE()"]
    for call in calls:
        found = left("wrong.c", f"{call};\n")
        assert found and found[0].startswith("wrong.c:1: left " + call.partition("(")[0] + ": "), (call, found)


def wrong_usage():
    same(migrate(), (2, "", "migrate: there is no file; run scripts/migrate --help\n"))
    same(migrate("nowhere.c"), (1, "", "migrate: cannot read nowhere.c: No such file or "
                                       "directory\n"))
    status, text, _ = migrate("--help")
    same((status, [line for line in text.splitlines() if len(line) > 80]), (0, []))


try:
    run([lttng_ust, usdt, usdt_by_a_generated_header, tpp, tracelogging, a_patch_changes_no_file, it_lists_what_it_leaves,
         files_that_depend_on_each_other,
         it_says_where_to_open_a_session, other_bytes_and_ends_of_lines_stay,
         calls_with_wrong_arguments_are_left, wrong_usage])
finally:
    shop.remove()
