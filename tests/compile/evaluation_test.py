#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A macro evaluates each argument once while its event is enabled, and not at all while it is
disabled. Each macro of each public header is tried, in C and C++, or EXCEPTIONS has the reason.
Those of format.hpp are tried with libc++ 19, which has std::format().

Arguments: the tree, the folder of the built library.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

tree, library = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
include = tree / "include"
# It has std::format() (scripts/packages).
WITH_LIBCPP = "clang++-19"

NUMBERS = """U8 U16 U32 U64 S8 S16 S32 S64 HEX8 HEX16 HEX32 HEX64 INT UINT SHORT USHORT CHAR UCHAR
    LONG ULONG SIZE BOOL PID ERRNO TIME32 TIME64""".split()
ONLY_EVENTHEADER = "F32 F64 CHAR16 CHAR32 PORT IPV4".split()
# Fields, with @ where values are if the event is written in place; the values; whether a classic
# event can have such a field, and whether it can be written in place.
FIELDS = [(f"UE_{name}(f@)", ["1"], True, True) for name in NUMBERS] + [
    ("UE_POINTER(f@)", ["place"], True, True),
    ("UE_STRING(f@)", ['"t"'], True, True),
    ("UE_STRING_MAX(f, 3@)", ['"t"'], True, True),
    ("UE_COUNTED_STRING(f@)", ['"t"', "1"], True, True),
    ("UE_BLOB(f@)", ["place", "1"], True, True),
    ("UE_CHARS(f, 8@)", ['"t"'], True, True),
    ("UE_BYTES(f, 2@)", ["place"], True, True),
    ("UE_STRUCT_BYTES(point, f, 8@)", ["points"], True, True),
    ('UE_DECLARED(uint16_t, f, "u16 f")', ["1"], True, False),
    *[(f"UE_{name}(f@)", ["1"], False, True) for name in ONLY_EVENTHEADER],
    *[(f"UE_{name}(f@)", ["place"], False, True) for name in ("IPV6", "UUID", "VALUE128")],
    ("UE_STRING16(f@)", ['u"t"'], False, True),
    ("UE_STRING32(f@)", ['U"t"'], False, True),
    ("UE_WSTRING(f@)", ['L"t"'], False, True),
    ("UE_COUNTED_STRING16(f@)", ['u"t"', "1"], False, True),
    ("UE_COUNTED_STRING32(f@)", ['U"t"', "1"], False, True),
    ("UE_AS(UE_FORMAT_STRING_JSON, UE_STRING(f@))", ['"t"'], False, True),
    ("UE_TAGGED(5, UE_U32(f@))", ["1"], False, True),
    ('UE_NAMED("a name", UE_U32(f@))', ["1"], False, True),
    ("UE_NULLABLE(UE_U32(f@))", ["numbers"], False, True),
    ("UE_NULLABLE(UE_UUID(f@))", ["place"], False, True),
    ("UE_ARRAY(UE_U32(f@), 2)", ["numbers"], False, True),
    ("UE_ARRAY(UE_STRING(f@), 2)", ["words"], False, True),
    ("UE_SEQUENCE(UE_U32(f@))", ["numbers", "2"], False, True),
    ("UE_SEQUENCE(UE_STRING(f@))", ["words", "2"], False, True),
    ("UE_STRUCT(f, UE_U32(a@))", ["1"], False, True),
    ("UE_STRUCTS(struct point, f, UE_S32(x))", ["points", "2"], False, False),
    ("UE_STRUCT_ARRAY(struct point, f, 2, UE_S32(x))", ["points"], False, False)]
# The same of userevents.hpp.
VIEWS = [
    ("UE_STRING_VIEW(f@)", ['"t"'], True, True),
    ("UE_BLOB_VIEW(f@)", ["place"], True, True),
    ("UE_STRING16_VIEW(f@)", ['u"t"'], False, True),
    ("UE_STRING32_VIEW(f@)", ['U"t"'], False, True),
    ("UE_SPAN(UE_U32(f@))", ["numbers"], False, True)]
# Statements of which (..., while disabled) lists how often the arguments are evaluated then.
OTHERS = [
    ("UE_WRITE_ACTIVITY(@, @, @, number, @)", ["fd", "&activity", "&activity", "1"], [0] * 4),
    ('UE_WRITE_EVENTHEADER_WITH(@, t, UE_ID(1, 2), @, @, "e", UE_U32(f, @))',
     ["fd", "&activity", "&activity", "1"], [0] * 4),
    ('UE_PRINTF(@, note, "%d", @)', ["fd", "1"], [0] * 2),
    ("UE_PRINTF(@, note, @)", ["fd", '"text"'], [0] * 2),
    ("UE_VPRINTF(@, note, @, values)", ["fd", "format"], [0] * 2),
    ('UE_SYSLOG(@, log, @, "%d", @)', ["fd", "3", "1"], [0, 1, 0]),
    ("UE_VSYSLOG(@, log, @, @, values)", ["fd", "3", "format"], [0, 1, 0]),
    ("UE_SYSLOG_ENABLED(log, @)", ["3"], [1]),
    ("UE_VERSION_NUMBER(@, @, @)", ["1", "2", "3"], [1] * 3),
    ("(int)UE_READER_STEPS_DEFAULT(@)", ["1"], [1]),
    ("__extension__({ struct ue_event made = UE_EVENT_INIT(made, @, @); (int)made.flags; })",
     ['"made u32 f"', "0u"], [1] * 2)]
IN_CPP = [
    ("UE_WRITE_WITHIN(@, number, @)", ["fd", "1"], [0] * 2),
    ("(void(UE_START_ACTIVITY(@, work, @)), 0)", ["fd", "1"], [0] * 2)]
# The format is a constant.
FORMATS = [
    ('UE_FORMAT(@, note, "{}", @)', ["fd", "1"], [0] * 2),
    ('UE_SYSLOG_FORMAT(@, log, @, "{}", @)', ["fd", "3", "1"], [0, 1, 0])]
DEFINITIONS = ["UE_TRACEPOINT(x, provider, {}, 1)", "UE_TRACEPOINT(x, provider, 1, {})",
               "UE_TRACEPOINT(x, provider, 1, 1, {})", "UE_EVENT_FLAGS({}, x, UE_U32(f))",
               "UE_TRACEPOINT_DECLARE(x, provider, 1, 1); UE_TRACEPOINT_DEFINE(x, {})",
               "UE_EVENT_DECLARE(x, UE_U32(f)); UE_EVENT_DEFINE(x, {})",
               "UE_LOGGER(x, provider, {})", "UE_EVENTHEADER(t, x, UE_ARRAY(UE_U32(f), {}))",
               "UE_EVENTHEADER(t, x, UE_TAGGED({}, UE_U32(f)))",
               "UE_EVENTHEADER(t, x, UE_AS({}, UE_U32(f)))", "UE_EVENT(x, UE_CHARS(f, {}))"]
CONSTANTS = ["UE_ID({}, 1)", "UE_ID(1, {})", "UE_OPCODE({})", "UE_EVENT_TAG({})"]
EXCEPTIONS = {
    "names and constants, in a definition": """UE_EVENT UE_EVENT_FLAGS UE_EVENT_DECLARE
        UE_EVENT_DEFINE UE_PROVIDER UE_TRACEPOINT UE_TRACEPOINT_DECLARE UE_TRACEPOINT_DEFINE
        UE_EVENTHEADER UE_EVENTHEADER_WITH UE_LOGGER UE_LOGGER_DECLARE UE_LOGGER_DEFINE
        UE_ACTIVITY""",
    "a name": "UE_ENABLED UE_EVENT_OF UE_TRACEPOINT_OF",
    "constants, see must_be_constant()": "UE_ID UE_OPCODE UE_EVENT_TAG"}

PROGRAM = """
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <uchar.h>
#include <wchar.h>
#include <userevents/capture.h>
#include <userevents/logger.h>
#include <userevents/printf.h>
#include <userevents/userevents.h>
#include <userevents/decode/reader.h>
#ifdef __cplusplus
#include <userevents/format.hpp>
#endif

struct point { int32_t x, y; };
static int seen[8];
/* Its type is one that no conversion to a flag or a number of elements narrows. */
static uint8_t varying __attribute__((unused));
static const struct point points[2] = { { 1, 2 }, { 3, 4 } };
static const uint32_t numbers[2] = { 1, 2 };
static const char *const words[2] = { "a", "b" };
static const uint8_t place[16] = { 1 };
static const struct ue_activity activity = { { 1 } };

UE_PROVIDER(provider, "P");
UE_TRACEPOINT(t, provider, UE_LEVEL_VERBOSE, 1);
UE_LOGGER(log, provider, 2);
UE_EVENT(note, UE_STRING(text));
UE_EVENTHEADER(t, number, UE_U32(f));
#ifdef __cplusplus
UE_ACTIVITY(t, work, UE_U32(f));
#endif
%s
static void report(const char *name, int number, int result)
{
	printf("%%s %%d:", name, number);
	if (result < 0)
		printf(" failed with %%d", result);
	for (int i = 0; i < 8; i++)
		printf(" %%d", seen[i]);
	printf("\\n");
	memset(seen, 0, sizeof(seen));
}

static int fd;

static void run(const char *when, const char *format, ...)
{
	va_list values;

	va_start(values, format);
%s	va_end(values);
}

int main(void)
{
	struct ue_capture *capture;
	struct ue_open_opts opts = {};

	if (ue_capture_open(NULL, &capture))
		return 1;
	opts.size = sizeof(opts);
	opts.flags = UE_OPEN_FD;
	opts.fd = ue_capture_writer_fd(capture);
	fd = ue_open(&opts);
	if (fd < 0 || ue_register_all(fd) < 0 || ue_capture_disable(capture, "*"))
		return 2;
	run("disabled", "%%d", 1);
	if (ue_capture_enable(capture, "*"))
		return 3;
	run("enabled", "%%d", 1);
	ue_close(fd);
	ue_capture_close(capture);
	return 0;
}
"""


def counted(values, first=0):
    """Each value counts how often it is evaluated."""
    return [f"(seen[{i}]++, {value})" for i, value in enumerate(values, first)]


def cases(is_cpp=True, has_format=True):
    """(definition, statement, how often its arguments are evaluated while disabled)."""
    fields = FIELDS + (VIEWS if is_cpp else [])
    for i, (field, values, is_classic, is_in_place) in enumerate(fields):
        bare = field.replace("@", "")
        given = ", ".join(counted(values, 1))
        none = [0] * (len(values) + 1)
        events = [f"UE_EVENTHEADER(t, e{i}, {bare});"] if "DECLARED" not in field else []
        events += [f"UE_EVENT(c{i}, {bare});"] if is_classic else []
        for event in events:
            name = re.search(r"\b[ec]\d+\b", event)[0]
            yield event, f"UE_WRITE((seen[0]++, fd), {name}, {given})", none
        if is_in_place:
            yield "", ('UE_WRITE_EVENTHEADER((seen[0]++, fd), t, "e", ' +
                       field.replace("@", ", " + given) + ")"), none
    others = OTHERS + (IN_CPP if is_cpp else []) + (FORMATS if has_format else [])
    for statement, values, disabled in others:
        for value in counted(values):
            statement = statement.replace("@", value, 1)
        yield "", statement, disabled


def has_std_format(compiler):
    test = "#include <version>\n#ifndef __cpp_lib_format\n#error\n#endif"
    return compiled(compiler, test, "-fsyntax-only").returncode == 0


def program(compiler):
    is_cpp = "++" in compiler
    all_of = list(cases(is_cpp, is_cpp and has_std_format(compiler)))
    calls = "".join(f"\treport(when, {i}, {statement});\n" for i, (_, statement, _) in
                    enumerate(all_of))
    return PROGRAM % ("\n".join(event for event, _, _ in all_of if event), calls), all_of


def command_of(compiler):
    if "++" not in compiler:
        return [compiler, "-std=gnu11"]
    libcpp = ["-stdlib=libc++"] if compiler == WITH_LIBCPP else []
    return [compiler, "-std=gnu++20" if libcpp else "-std=gnu++17", *libcpp]


def compiled(compiler, text, *options):
    language = "c++" if "++" in compiler else "c"
    command = [*command_of(compiler), "-x", language, "-", f"-I{include}", *options]
    return subprocess.run(command, input=text, text=True, capture_output=True, check=False)


def each_argument_once(compiler, folder):
    text, all_of = program(compiler)
    done = compiled(compiler, text, "-O1", "-o", f"{folder}/program", f"-L{library}",
                    "-luserevents-decode", "-luserevents", f"-Wl,-rpath,{library}")
    assert done.returncode == 0, done.stderr
    done = subprocess.run([f"{folder}/program"], capture_output=True, text=True, check=True)
    lines = iter(done.stdout.splitlines())
    for when in "disabled", "enabled":
        for i, (_, statement, disabled) in enumerate(all_of):
            counts = disabled if when == "disabled" else [1] * len(disabled)
            expected = f"{when} {i}: " + " ".join(map(str, counts + [0] * (8 - len(counts))))
            found = next(lines)
            assert found == expected, f"{statement}: {found}, expected {expected}"


def must_be_constant(compiler, _folder):
    for constant in CONSTANTS:
        for value, status in (("2", 0), ("seen[0]++", 1)):
            write = f'UE_WRITE_EVENTHEADER_WITH(1, t, {constant.format(value)}, NULL, NULL, "e")'
            text = PROGRAM % ("", f"\treport(when, 0, {write});\n")
            done = compiled(compiler, text, "-fsyntax-only")
            assert done.returncode == status, f"{write}: {done.stderr}"
    for definition in DEFINITIONS:
        for value, status in (("2", 0), ("varying", 1)):
            event = definition.format(value) + ";"
            done = compiled(compiler, PROGRAM % (event, ""), "-fsyntax-only")
            assert done.returncode == status, f"{event} {done.stderr}"


def each_macro_is_tried(_compiler, _folder):
    macros = set()
    for header in include.rglob("*.h*"):
        macros |= set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(UE_[A-Z0-9][A-Z0-9_]*)\(",
                                 header.read_text(), re.M))
    excepted = {name for names in EXCEPTIONS.values() for name in names.split()}
    tried = set(re.findall(r"\bUE_[A-Z0-9_]+\b", "\n".join(
        statement + event for event, statement, _ in cases())))
    assert macros, "no header has a macro"
    assert not macros - tried - excepted, f"not tried: {macros - tried - excepted}"
    assert not excepted - macros, f"not in a header: {excepted - macros}"


def formats_are_tried(compiler, _folder):
    assert has_std_format(compiler), "there is no std::format()"


TESTS = [(each_macro_is_tried, "gcc"), (formats_are_tried, WITH_LIBCPP)] + [
    (test, compiler) for compiler in ("gcc", "g++", "clang", "clang++")
    for test in (each_argument_once, must_be_constant)] + [(each_argument_once, WITH_LIBCPP)]
print(f"1..{len(TESTS)}")
FAILED = 0
for number, (test, with_compiler) in enumerate(TESTS, 1):
    with tempfile.TemporaryDirectory() as place:
        try:
            test(with_compiler, place)
            print(f"ok {number} - {test.__name__}, {with_compiler}")
        except AssertionError as error:
            FAILED = 1
            print("# " + str(error)[:3000].replace("\n", "\n# "))
            print(f"not ok {number} - {test.__name__}, {with_compiler}")
sys.exit(FAILED)
