# SPDX-License-Identifier: MIT
"""
abi_test.py LIBRARIES [--renew]: the libraries keep what programs of the last release use.

symbols.expected lists the exported symbols; *.abi, written by abidw, describes the functions
and types of the last release on x86-64. Between releases, symbols may be added, and the structs
of growing.txt may get members at their end. --renew writes all three, see doc/abi.md.
"""
import copy
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../tool"))
import tap  # noqa: E402

FOLDER = sys.argv[1]
LIBRARIES = "libuserevents", "libuserevents-decode"
INCLUDE = os.path.join(HERE, "../../include/userevents")
SYMBOLS = os.path.join(HERE, "symbols.expected")


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def exported():
    """Lines "symbol@@version"."""
    rows = "".join(run("nm", "-D", "--defined-only", f"{FOLDER}/{library}.so")
                   for library in LIBRARIES).splitlines()
    return [row.split()[2] for row in rows if " A " not in row]


def describe(library, file):
    run("abidw", "--exported-interfaces-only", "--drop-private-types", "--headers-dir", INCLUDE,
        "--no-show-locs", "--no-corpus-path", "--no-comp-dir-path", "--no-elf-needed",
        "--type-id-style", "hash", "--out-file", file, f"{FOLDER}/{library}.so")


def structs(tree):
    return {each.get("name"): each for each in tree.iter("class-decl") if each.get("size-in-bits")}


def members(struct):
    return struct.findall("data-member")


def shorten(struct, before):
    """Take the members away that BEFORE lacks: all after its last one. Returns the bits."""
    for member in members(struct)[len(members(before)):]:
        struct.remove(member)
    bits = int(struct.get("size-in-bits")) - int(before.get("size-in-bits"))
    struct.set("size-in-bits", before.get("size-in-bits"))
    return bits


def move(struct, bits):
    """Undo the growth of a struct's first member."""
    for member in members(struct)[1:]:
        name = "layout-offset-in-bits"
        member.set(name, str(int(member.get(name)) - bits))
    struct.set("size-in-bits", str(int(struct.get("size-in-bits")) - bits))


def without_growth(tree, before):
    """The tree as if no struct had grown that may grow."""
    tree = copy.deepcopy(tree)
    old, new = structs(before), structs(tree)
    for name in growing():
        if name in old and name in new and len(members(new[name])) > len(members(old[name])):
            bits = shorten(new[name], old[name])
            for other in new.values():
                first = other.find("data-member/var-decl")
                if first is not None and first.get("type-id") == new[name].get("id"):
                    move(other, bits)
    return tree


def growing():
    with open(os.path.join(HERE, "growing.txt")) as text:
        return [line.split()[1] for line in text if line.strip() and line[0] != "#"]


def differences(library, tree):
    """What abidiff says about the tree; "" if it keeps all that the last release has."""
    baseline = os.path.join(HERE, f"{library}.abi")
    with tempfile.NamedTemporaryFile(suffix=".abi") as file:
        ET.ElementTree(without_growth(tree, ET.parse(baseline).getroot())).write(file.name)
        done = subprocess.run(["abidiff", "--no-added-syms", baseline, file.name],
                              capture_output=True, text=True)
    assert bool(done.returncode) == ("[" in done.stdout), done.stdout + done.stderr
    return done.stdout if done.returncode else ""


def today(library):
    with tempfile.NamedTemporaryFile(suffix=".abi") as file:
        describe(library, file.name)
        return ET.parse(file.name).getroot()


def libraries_export_the_listed_symbols():
    with open(SYMBOLS) as listed:
        tap.same(exported(), listed.read().splitlines())


def libraries_keep_the_types_of_the_last_release():
    for library in LIBRARIES:
        tap.same(differences(library, today(library)), "")


def symbols_of(tree):
    return {(each.get("name"), each.get("version")) for each in tree.iter("elf-symbol")}


def late(tree, library):
    """
    Symbols that the last release lacks, in a node that it has: a program that needs one would
    start with it, and end when it calls the symbol.
    """
    old = symbols_of(ET.parse(os.path.join(HERE, f"{library}.abi")))
    nodes = {version for _, version in old}
    return {name for name, version in symbols_of(tree) - old if version in nodes}


def new_symbols_are_in_a_new_node():
    for library in LIBRARIES:
        tap.same(late(today(library), library), set())
    tree = today("libuserevents")
    add_symbol(tree, "LIBUSEREVENTS_0.1")
    tap.same(late(tree, "libuserevents"), {"ue_zzz"})


# Changes of today's description that the comparison must accept, or refuse.

def struct_of(tree, name):
    return structs(tree)[name]


def member(name, type_id, offset):
    made = ET.Element("data-member", {"access": "public", "layout-offset-in-bits": str(offset)})
    ET.SubElement(made, "var-decl", {"name": name, "type-id": type_id, "visibility": "default"})
    return made


def append_member(tree, name, bits=64):
    struct = struct_of(tree, name)
    size = int(struct.get("size-in-bits"))
    type_id = struct.find("data-member/var-decl").get("type-id")
    struct.append(member("grown", type_id, size))
    struct.set("size-in-bits", str(size + bits))


def growth_of_the_listed_structs_is_accepted():
    for library in LIBRARIES:
        tree = today(library)
        for name in set(growing()) & set(structs(tree)):
            append_member(tree, name)
            for other in structs(tree).values():
                first = other.find("data-member/var-decl")
                if first is not None and first.get("type-id") == struct_of(tree, name).get("id"):
                    move(other, -64)
        tap.same(differences(library, tree), "")


def add_symbol(tree, version):
    symbols = tree.find("elf-function-symbols")
    added = copy.deepcopy(symbols[0])
    added.set("name", "ue_zzz")
    added.set("version", version)
    symbols.append(added)


def more_symbols_are_accepted():
    tree = today("libuserevents")
    add_symbol(tree, "LIBUSEREVENTS_0.2")
    function = copy.deepcopy(next(tree.iter("function-decl")))
    for key in "name", "mangled-name", "elf-symbol-id":
        if function.get(key):
            function.set(key, "ue_zzz@@LIBUSEREVENTS_0.2" if "elf" in key else "ue_zzz")
    tree.find("abi-instr").append(function)
    tap.same(differences("libuserevents", tree), "")
    tap.same(late(tree, "libuserevents"), set())


def refused(change, named, library="libuserevents"):
    tree = today(library)
    change(tree)
    found = differences(library, tree)
    assert named in found, found or "nothing was found"


def growth_of_another_struct_is_refused():
    refused(lambda tree: append_member(tree, "ue_tracepoint"), "ue_tracepoint")


def a_member_in_the_middle_is_refused():
    """Also together with one at the end, which alone may be."""
    def change(tree):
        struct = struct_of(tree, "ue_open_opts")
        for each in members(struct)[2:]:
            name = "layout-offset-in-bits"
            each.set(name, str(int(each.get(name)) + 64))
        old = struct.find("data-member/var-decl").get("type-id")
        struct.insert(2, member("between", old, 128))
        struct.set("size-in-bits", str(int(struct.get("size-in-bits")) + 64))
        append_member(tree, "ue_open_opts")
    refused(change, "ue_open_opts")


def another_type_of_a_member_is_refused():
    def change(tree):
        types = {each.find("var-decl").get("name"): each.find("var-decl")
                 for each in members(struct_of(tree, "ue_sample"))}
        types["time"].set("type-id", types["size"].get("type-id"))  # signed, and unsigned
        append_member(tree, "ue_sample")
    refused(change, "ue_sample", "libuserevents-decode")


def a_symbol_that_is_gone_is_refused():
    def change(tree):
        symbols = tree.find("elf-function-symbols")
        symbols.remove(next(each for each in symbols if each.get("name") == "ue_version"))
        for unit in tree.findall("abi-instr"):
            for function in unit.findall("function-decl"):
                if function.get("name") == "ue_version":
                    unit.remove(function)
    refused(change, "ue_version")


def another_parameter_is_refused():
    def change(tree):
        function = next(each for each in tree.iter("function-decl")
                        if each.get("name") == "ue_close")
        size = struct_of(tree, "ue_event").find("data-member/var-decl")
        function.find("parameter").set("type-id", size.get("type-id"))
    refused(change, "ue_close")


def another_value_of_a_constant_is_refused():
    def change(tree):
        enum = next(each for each in tree.iter("enum-decl") if each.get("name") == "ue_call")
        enum.find("enumerator").set("value", "77")
    refused(change, "ue_call")


def growing_structs_begin_with_their_size():
    texts = [line.split() for line in open(os.path.join(HERE, "growing.txt")) if line[0] != "#"]
    for header, name in texts:
        with open(os.path.join(INCLUDE, header)) as file:
            begin = rf"^struct {name} {{\n\t(size_t|uint32_t) size;"
            assert re.search(begin, file.read(), re.M), name


def renew():
    with open(SYMBOLS, "w") as listed:
        listed.writelines(f"{line}\n" for line in exported())
    for library in LIBRARIES:
        tree = today(library)
        # In an order that linking does not change.
        tree[:] = [each for each in tree if each.tag != "abi-instr"] \
            + sorted(tree.iter("abi-instr"), key=lambda unit: unit.get("path"))
        tree.tail = "\n"
        ET.ElementTree(tree).write(os.path.join(HERE, f"{library}.abi"))


if "--renew" in sys.argv:
    renew()
    sys.exit()
ON_BASELINE = [
    libraries_keep_the_types_of_the_last_release, growth_of_the_listed_structs_is_accepted,
    more_symbols_are_accepted, new_symbols_are_in_a_new_node,
    growth_of_another_struct_is_refused, a_member_in_the_middle_is_refused,
    another_type_of_a_member_is_refused, a_symbol_that_is_gone_is_refused,
    another_parameter_is_refused, another_value_of_a_constant_is_refused]
tap.run([libraries_export_the_listed_symbols, growing_structs_begin_with_their_size]
        + (ON_BASELINE if os.uname().machine == "x86_64" else []))
