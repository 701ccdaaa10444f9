#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Everything public has a manual page, and the pages say what headers and --help say."""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from manual import (BUILD, FILES, FOLDER, PAGES, SOURCE, commands, helps_of, link_of, page_of,
                    pressed, rendered, section)
import tap  # its folder is known now

sys.path.append(str(SOURCE / "doc/man"))
from headers import read_header  # noqa: E402


def has_pages(names):
    assert names
    tap.same([name for name in sorted(names) if not page_of(name)], [])


def whatis(path):
    """The names in the NAME section of a page."""
    return set(re.split(r",\s*", " ".join(section(rendered(path), "NAME").split())
                        .split(" - ")[0]))


def symbols():
    text = "".join(path.read_text() for path in (SOURCE / "lib").glob("*.map"))
    return set(re.findall(r"^\t(ue_[a-z]\w*);", text, re.M))


def headers():
    """All but the lists of names that those hide, which declare nothing."""
    return sorted(path for path in (SOURCE / "include").rglob("*.h")
                  if not path.match("abi/*_names.h"))


def macros():
    """Every public macro, as the compiler lists them: {name: has parameters}."""
    found = {}
    for header in headers():
        text = subprocess.run(["cc", "-E", "-dM", "-I", SOURCE / "include", header],
                              check=True, text=True, stdout=subprocess.PIPE).stdout
        for name, parameters in re.findall(r"^#define (UE_[A-Z0-9]\w*)(\(?)", text, re.M):
            found[name] = bool(parameters)
    for name in "userevents.hpp", "format.hpp":
        text = (SOURCE / "include/userevents" / name).read_text()
        found |= dict.fromkeys(re.findall(r"^#define (UE_[A-Z0-9]\w*)\(", text, re.M), True)
    return found


def every_exported_symbol_has_a_page():
    has_pages(symbols())


def comments_of_functions_have_threads_and_the_first_version():
    """The comment of each, or the one at the head of its header, which its page shows."""
    exported, seen = symbols(), set()
    for path in headers():
        entries = read_header(path)
        for entry in entries:
            names = {each.name for each in entry.declarations if each.kind == "function"}
            text = entries[0].comment + entry.comment
            if not names & exported:
                continue
            seen |= names & exported
            for fact in r"\b[Tt]hreads?\b|\bsafety as of\b", r"\b[Ss]ince\s+\d":
                assert re.search(fact, text), f"{path.name}: {names}: no {fact}"
    tap.same(exported - seen, set())


def every_inline_function_has_a_page():
    text = "".join(header.read_text() for header in headers())
    has_pages(set(re.findall(r"^(?:static inline|UE__INLINE)\s[\w\s*]*?(ue_[a-z]\w*)\(", text,
                             re.M)))


def every_public_macro_has_a_page():
    has_pages(macros())


def every_public_struct_and_enum_has_a_page():
    text = "".join(header.read_text() for header in headers())
    has_pages(set(re.findall(r"^(?:struct|enum) (ue_[a-z]\w*) \{", text, re.M)))


def functions_and_macros_are_in_the_name_section_of_their_page():
    named = {path: whatis(path) for path in PAGES if path.suffix == ".3"}
    names = symbols() | {name for name, is_function in macros().items() if is_function}
    tap.same([name for name in sorted(names) if name not in named[page_of(name)]], [])


def a_page_begins_with_its_own_name():
    tap.same([path.name for path in PAGES if path.stem not in whatis(path)], [])


def links_lead_to_pages_that_describe_the_name():
    for path in FILES:
        target = link_of(path)
        if target:
            assert target in PAGES, f"{path.name} leads to {target.name}, which is no page"
            assert re.search(rf"\b{path.stem}\b", rendered(target)), path.name


def every_command_has_a_page():
    tap.same([each for each in commands() if not page_of(f"userevents-{each}", "1")], [])


def the_readme_has_those_to_begin_with():
    """And says how many there are; "userevents help" prints the others."""
    text = (SOURCE / "README.md").read_text()
    table = re.findall(r"^\| (`userevents [^|]+) \|", text, re.M)
    named = [name.removeprefix("userevents ") for row in table
             for name in re.findall(r"`([^`]+)`", row)]
    assert len(named) == 12 and set(named) <= set(commands()), named
    assert f"`userevents help` lists all {len(commands())} commands" in text


def every_command_is_in_the_changelog():
    """And each binding."""
    changes = (SOURCE / "CHANGELOG.md").read_text()
    named = " ".join(re.findall(r"`([^`\n]+)`", changes)).split()
    tap.same([each for each in commands() if each not in named], [])
    for folder in (SOURCE / "bindings").iterdir():
        if folder.is_dir():
            assert {"cpp": "C++"}.get(folder.name, folder.name.capitalize()) in changes, folder


def every_page_of_a_command_has_a_command():
    names = {path.stem for path in PAGES if path.suffix == ".1"}
    tap.same(names, {"userevents"} | {f"userevents-{each}" for each in commands()})


def options_of_help(text):
    return re.findall(r"^ {2,6}(?:(-\w), )?(--[\w-]+)", text.split("Options:\n")[-1], re.M) \
        if "Options:\n" in text else []


def options_of_page(text, command):
    titles = re.findall(rf"^(OPTIONS|{command.upper()} [A-Z]+)$", text, re.M)
    options = "".join(section(text, title) for title in titles)
    return re.findall(r"^ {7}(?:(-\w), )?(--[\w-]+)(?: \S.*)?$", options, re.M)


def options_of_pages_and_of_help_are_the_same():
    for command in commands():
        expected = [option for text in helps_of(command) for option in options_of_help(text)]
        page = rendered(page_of(f"userevents-{command}", "1"))
        tap.same((command, options_of_page(page, command)), (command, expected))


def pages_have_the_text_of_help():
    for command in commands():
        page = pressed(rendered(page_of(f"userevents-{command}", "1")))
        for text in helps_of(command):
            text = text.split("\nExamples:\n")[0]  # the page has its own
            for paragraph in re.split(r"\n\n|\n(?= {2,6}-)|^Options:\n", text, flags=re.M):
                words = pressed(paragraph.removeprefix("Usage: "))
                assert words in page, f"userevents-{command}(1) lacks: {paragraph}"


def examples_of_commands_have_options_that_exist():
    seen = 0
    for command in commands():
        text = section(rendered(page_of(f"userevents-{command}", "1")), "EXAMPLES")
        text += "".join(f"\n         {line}" for part in helps_of(command)
                        for line in part.partition("\nExamples:\n")[2].splitlines())
        for line in re.findall(r"^ {11}(?:\w+=\S+ )?userevents (.*)$", text, re.M):
            seen += 1
            name = line.split()[0]
            known = {each for part in helps_of(name)
                     for option in options_of_help(part) for each in option}
            own = re.split(r" \./\S+ ", line)[0]  # those of a program follow its name
            bare = re.sub(r"'[^']*'|\"[^\"]*\"", "TEXT", own)
            used = set(re.findall(r"(?<=\s)-{1,2}[a-z][\w-]*", bare))
            tap.same((line, used - known), (line, set()))
    assert seen >= len(commands())


def examples_are_the_programs_of_the_examples_folder():
    built = (SOURCE / "examples/meson.build").read_text()
    seen = 0
    for template in (SOURCE / "doc/man").glob("*.scd"):
        page = pressed(rendered(FOLDER / template.stem)) if "@example" in template.read_text() \
            else ""
        for path in re.findall(r"^@example examples/(\S+)", template.read_text(), re.M):
            text = re.split(r"MIT(?: \*/|\n//)\n", (SOURCE / "examples" / path).read_text())[1]
            assert pressed(text) in page, f"{template.stem} differs from {path}"
            assert path in built or path.endswith(".h"), f"{path} is not built"
            seen += 1
    assert seen > 0


def references_lead_to_pages():
    for path in PAGES:
        for name, number in re.findall(r"\b((?:ue_|UE_|userevents)[\w-]*)\((\d)\)",
                                       rendered(path)):
            assert page_of(name, number), f"{path.name} refers to {name}({number})"


def each_parameter_has_an_entry():
    for path in PAGES:
        for part in re.findall(r"^ +Parameters\n((?: {11}.*\n|\n)+)", rendered(path), re.M):
            names = set(re.findall(r"^ {11}(\w+(?:, \w+)*)$", part, re.M))
            assert names, part
            hidden = re.search(r"[.;] ([a-z_]+(?:, [a-z_]+)*): ", part)
            assert not hidden, f"{path.name}: {hidden[1]} is described with another"


def variables_of_the_environment_are_on_the_overviews():
    names = {name for path in headers() + sorted((SOURCE / "lib").rglob("*.c"))
             for name in re.findall(r'"(USEREVENTS_\w+)"', path.read_text())}
    assert len(names) > 2, names
    for page in "userevents.1", "userevents.7":
        found = set(re.findall(r"^ {7}(\w+)$", section(rendered(FOLDER / page), "ENVIRONMENT"),
                               re.M))
        tap.same((page, found), (page, names))


def every_page_is_installed():
    places = json.loads(subprocess.check_output(["meson", "introspect", "--installed", BUILD]))
    for path in FILES:
        place = places.get(str(path))
        assert place and place.endswith(f"/man{path.suffix[1]}/{path.name}"), path.name


def man_finds_each_name():
    with tempfile.TemporaryDirectory() as folder:
        for path in FILES:
            place = Path(folder) / f"man{path.suffix[1]}"
            place.mkdir(exist_ok=True)
            (place / path.name).write_bytes(path.read_bytes())
        for name in ["UE_WRITE", "ue_write", "UE_EVENT", "ue_event", "UE_U32", "ue_close",
                     "userevents-record"]:
            shown = subprocess.run(["man", "-M", folder, name], text=True, check=True,
                                   stdout=subprocess.PIPE).stdout
            assert re.search(rf"\b{name}\b", re.sub(r".\x08", "", shown)), name
            found = subprocess.check_output(["man", "-M", folder, "-w", name], text=True)
            number = "1" if "-" in name else "3"
            tap.same(Path(found.strip()).name, page_of(name, number).name)


def the_errors_page_has_every_sentence_of_ue_explain():
    page = pressed(rendered(FOLDER / "userevents_errors.7"))
    text = (SOURCE / "lib/describe/explain.c").read_text()
    found = re.findall(r"UE_CALL_(\w+), (-E\w+),((?:\s*\"[^\"]*\")+)", text)
    assert len(found) > 50
    for call, error, strings in found:
        sentence = "".join(re.findall(r'"([^"]*)"', strings))
        assert pressed(f"{error}{sentence}") in page, (call, error, sentence)


tap.run([
    every_exported_symbol_has_a_page,
    comments_of_functions_have_threads_and_the_first_version,
    every_inline_function_has_a_page,
    every_public_macro_has_a_page,
    every_public_struct_and_enum_has_a_page,
    functions_and_macros_are_in_the_name_section_of_their_page,
    a_page_begins_with_its_own_name,
    links_lead_to_pages_that_describe_the_name,
    every_command_has_a_page,
    every_command_is_in_the_changelog, the_readme_has_those_to_begin_with,
    every_page_of_a_command_has_a_command,
    options_of_pages_and_of_help_are_the_same,
    pages_have_the_text_of_help,
    examples_of_commands_have_options_that_exist,
    examples_are_the_programs_of_the_examples_folder,
    references_lead_to_pages,
    each_parameter_has_an_entry,
    variables_of_the_environment_are_on_the_overviews,
    every_page_is_installed,
    man_finds_each_name,
    the_errors_page_has_every_sentence_of_ue_explain,
])
