# SPDX-License-Identifier: MIT
"""
names_test.py [--write]: macros of a program do not change the headers, nor what the macros of
the headers expand to.

Each identifier of the headers that a program may define is defined as a macro that does not
compile: before the headers are included, and afterwards. Programs with every macro must compile
all the same, as C11 and as C++17, by gcc and clang. What they call their own begins with my_.

Two ways lead there. Macros expand to names that begin with ue__ or __. All other names are in
abi/hidden_names.h and abi/restored_names.h: each header hides the program's macros of these
names while it declares something, userevents.h once for all that it includes, as compilers take
some time to compare the names. --write makes the files.
"""
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tool"))
import tap  # noqa: E402

INCLUDE = os.path.join(HERE, "../../include")
NAMES = os.path.join(INCLUDE, "userevents/abi")
KEYWORDS = set("""alignas alignof asm auto bool break case catch char char16_t char32_t class
const const_cast constexpr continue decltype default defined delete do double dynamic_cast else
enum explicit export extern false final float for friend goto if inline int long mutable namespace
new noexcept nullptr operator override private protected public register reinterpret_cast restrict
return short signed sizeof static static_assert static_cast struct switch template this
thread_local throw true try typedef typeid typename typeof union unsigned using virtual void
volatile wchar_t while _Bool _Pragma _Static_assert""".split())
# Of the headers of libc that ours include.
LIBC = set("""EBADF EFAULT EINVAL ENOMEM NULL SIZE_MAX UINT32_MAX UINT64_C errno int16_t int32_t int64_t
int8_t iovec memchr memcpy offsetof pid_t ptrdiff_t size_t uint16_t uint32_t uint64_t uint8_t
uint_least16_t uint_least32_t uintptr_t""".split())
FIRST = """#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
"""
FIRST_IN_CPP = FIRST + """#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>
using my_string = std::string_view;
using my_string16 = std::u16string_view;
using my_string32 = std::u32string_view;
"""
# Every macro of userevents.hpp.
VIEWS = """
namespace my_space {
UE_EVENT(my_view, UE_STRING_VIEW(my_text), UE_BLOB_VIEW(my_blob));
UE_PROVIDER(my_provider, "P");
UE_TRACEPOINT(my_tracepoint, my_provider, UE_LEVEL_ERROR, 1);
UE_EVENTHEADER(my_tracepoint, my_log, UE_STRING_VIEW(my_text), UE_BLOB_VIEW(my_blob),
	       UE_STRING16_VIEW(my_text16), UE_STRING32_VIEW(my_text32),
	       UE_SPAN(UE_U32(my_numbers)));
UE_ACTIVITY(my_tracepoint, my_activity, UE_STRING_VIEW(my_text));
UE_ACTIVITY(my_tracepoint, my_other);
}
int my_write(int my_fd, my_string my_text, my_string16 my_text16, my_string32 my_text32);
int my_write(int my_fd, my_string my_text, my_string16 my_text16, my_string32 my_text32)
{
	const uint32_t my_numbers[] = { 1, 2 };
	const auto my_running = UE_START_ACTIVITY(my_fd, my_space::my_activity, my_text);
	const auto my_second = UE_START_ACTIVITY(my_fd, my_space::my_other);
	return UE_WRITE(my_fd, my_space::my_view, my_text, my_text) |
	       UE_WRITE_WITHIN(my_fd, my_space::my_log, my_text, my_text, my_text16, my_text32, my_numbers) |
	       UE_WRITE(my_fd, my_space::my_log, my_text, my_text, my_text16, my_text32, my_numbers) |
	       UE_WRITE_EVENTHEADER(my_fd, my_space::my_tracepoint, "placed",
				    UE_STRING_VIEW(my_text, my_text),
				    UE_SPAN(UE_U32(my_numbers, my_numbers)));
}
"""
COMMENTS_AND_TEXTS = re.compile(
    r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.S)
IDENTIFIER = re.compile(r"\b[A-Za-z_]\w*")
OURS = re.compile(r"_?ue_|UE_|USEREVENTS_|__")


def headers(pattern="h*"):
    names = glob.glob(f"userevents/**/*.{pattern}", root_dir=INCLUDE, recursive=True)
    return [name for name in sorted(names) if not re.search(r"/(hid|restor)\w+_names", name)]


def read(path):
    with open(path) as file:
        return file.read()


def code(header):
    """Of a header: without comments, texts, and #include."""
    text = COMMENTS_AND_TEXTS.sub(" ", read(os.path.join(INCLUDE, header)))
    return re.sub(r"^\s*#\s*include.*$", "", text.replace("\\\n", " "), flags=re.M)


def free_names(text):
    """Those that a program may define."""
    names = set(IDENTIFIER.findall(text)) - KEYWORDS - LIBC
    return {name for name in names if not OURS.match(name)}


def names_declared_in(header):
    return free_names(re.sub(r"^\s*#.*$", "", code(header), flags=re.M))


def declared_names():
    return sorted(set().union(*map(names_declared_in, headers())))


def all_names():
    """Those of the headers; X of __X__ and __builtin_X, as programs define attributes and
    replace functions; and one letter, as old programs do."""
    texts = [code(header) for header in headers()]
    within = {name for text in texts
              for name in re.findall(r"\b__(?:builtin_)?([a-z_]+?)(?:__)?\b", text)}
    letters = {chr(ord("A") + i) for i in range(26)}
    return sorted(set().union(letters, within - KEYWORDS - LIBC, *map(free_names, texts)))


# Programs

def renamed(text):
    """A program whose own names begin with my_."""
    def rename(match):
        name = match.group()
        is_own = IDENTIFIER.fullmatch(name) and name not in KEYWORDS | LIBC | {"NONE"} \
            and not OURS.match(name)
        return f"my_{name}" if is_own else name
    directive, number = r"#\s*(?:include.*|\w+)", r"\b\d[\w.]*"
    literal = r"[uUL]?\"(?:\\.|[^\"\\])*\"|[uUL]?'(?:\\.|[^'\\])*'"
    token = "|".join([directive, literal, number, IDENTIFIER.pattern])
    return re.sub(token, rename, re.sub(r"/\*.*?\*/", "", text, flags=re.S))


def macros(names):
    return "".join(f"#undef {name}\n#define {name} @\n" for name in names)


def program(names, place, is_view):
    """place: before or after the headers are included."""
    if is_view:
        first, included, used = FIRST_IN_CPP, ["userevents/userevents.hpp"], VIEWS
    else:
        first, included = FIRST, headers("h")
        used = renamed(read(os.path.join(HERE, "pass/everything.h")))
    includes = "".join(f"#include <{name}>\n" for name in included)
    defined = macros(names)
    return first + (defined + includes if place == "before" else includes + defined) + used


def compile_program(compiler, names, place, is_view=False):
    is_cpp = "++" in compiler
    command = [compiler, "-std=c++17" if is_cpp else "-std=c11", "-Wall", "-Wextra", "-Wpedantic",
               "-Werror", f"-I{INCLUDE}", "-fsyntax-only", "-x", "c++" if is_cpp else "c", "-"]
    return subprocess.run(command, input=program(names, place, is_view), text=True,
                          capture_output=True)


def leaks_among(names, *how):
    if not compile_program(how[0], names, *how[1:]).returncode:
        return []
    middle = len(names) // 2
    return names if len(names) < 2 else \
        leaks_among(names[:middle], *how) + leaks_among(names[middle:], *how)


def no_name_leaks(compiler, place, is_view=False):
    names = all_names()
    ended = compile_program(compiler, names, place, is_view)
    if ended.returncode:
        assert not compile_program(compiler, [], place, is_view).returncode, ended.stderr[:3000]
        leaks = leaks_among(names, compiler, place, is_view)
        raise AssertionError(f"{compiler}: {len(leaks)} names leak {place} the headers: "
                             f"{' '.join(leaks)}; the first errors are\n{ended.stderr[:1500]}")


def all_compilers(place):
    for compiler in "gcc", "clang", "g++", "clang++":
        no_name_leaks(compiler, place)
    for compiler in "g++", "clang++":
        no_name_leaks(compiler, place, is_view=True)


# Hidden names

HEAD = "/* SPDX-License-Identifier: MIT */\n" \
    "/* {} Made by tests/compile/names_test.py --write. */\n"


def hide_names(names):
    tests = " || \\\n\t".join(" || ".join(f"defined({name})" for name in names[at:at + 3])
                           for at in range(0, len(names), 3))
    return HEAD.format("Hide macros of a program while a header declares something; few "
                          "programs have one.\n   restore_names.h ends it.") + f"""
#ifndef UE__NAMES_OF_ALL
#if {tests}
#define UE__NAMES_ARE_HIDDEN
#include <userevents/abi/hidden_names.h>
#endif
#endif
"""


def hidden_names(names):
    return HEAD.format("For hide_names.h.") + "\n" + "".join(
        f'#pragma push_macro("{name}")\n#undef {name}\n' for name in names)


def restored_names(names):
    return HEAD.format("For restore_names.h.") + "\n" + "".join(
        f'#pragma pop_macro("{name}")\n' for name in names)


FILES = {"hide_names.h": hide_names, "hidden_names.h": hidden_names,
         "restored_names.h": restored_names}


def names_are_hidden():
    for file, make in FILES.items():
        assert read(os.path.join(NAMES, file)) == make(declared_names()), \
            f"{file} is of earlier headers; run tests/compile/names_test.py --write"


def headers_hide_names():
    """The last one included hides, the last line but one restores."""
    for header in headers():
        lines = read(os.path.join(INCLUDE, header)).splitlines()
        included = [line for line in lines if line.startswith("#include ")]
        if names_declared_in(header):
            tap.same((header, included[-2:], lines[-2:]), (header, [
                "#include <userevents/abi/hide_names.h>",
                "#include <userevents/abi/restore_names.h>"],
                ["#include <userevents/abi/restore_names.h>", "#endif"]))


def the_umbrella_hides_names_of_the_program_alone():
    """Headers of libc come first, so that they are what they are without this library."""
    def included(header):
        return re.findall(r"^#include <(.*)>", read(f"{INCLUDE}/{header}"), re.M)
    umbrella = "userevents/userevents.h"
    names, seen = included(umbrella), set()
    left = names[:]
    while left:
        header = left.pop()
        if header not in seen and header.startswith("userevents/"):
            left += included(header)
            seen.add(header)
    of_libc = {name for header in seen for name in included(header) if "/" not in name}
    assert len(seen) > 10, seen
    tap.same([names[:len(of_libc) + 1], names[-1]], [
        [*sorted(of_libc), "userevents/abi/hide_names.h"], "userevents/abi/restore_names.h"])
    begin, *between, end = re.findall(r"^#(?:define UE__|undef|include <userevents).*",
                                      read(f"{INCLUDE}/{umbrella}"), re.M)[1:-1]
    assert (begin, end) == ("#define UE__NAMES_OF_ALL", "#undef UE__NAMES_OF_ALL"), (begin, end)
    assert all("#include" in line for line in between), between


def no_name_leaks_after_the_headers():
    all_compilers("after")


def no_name_leaks_before_the_headers():
    all_compilers("before")


def a_leak_is_found():
    """The test can fail: a name that a program must not define."""
    for place in "before", "after":
        assert compile_program("gcc", ["ue__fd"], place).returncode


if sys.argv[1:] == ["--write"]:
    for file, make in FILES.items():
        with open(os.path.join(NAMES, file), "w") as out:
            out.write(make(declared_names()))
else:
    tap.run([names_are_hidden, headers_hide_names,
             the_umbrella_hides_names_of_the_program_alone, no_name_leaks_after_the_headers,
             no_name_leaks_before_the_headers, a_leak_is_found])
