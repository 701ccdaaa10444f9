#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The declarations that bindings have by hand are those of the C headers.

Each is translated back into C, and a compiler sees both: it rejects a function that is declared with
other types, and assertions compare sizes, offsets and numbers. Arguments: the source folder.
"""
import ctypes
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tool"))
from tap import run  # noqa: E402

HEADER = """
#include <stddef.h>
#include <userevents/bindings.h>
#include <userevents/features.h>
#include <userevents/userevents.h>
#define KIND(type) _Generic((type)0, float: 1, double: 2, signed char: 3, unsigned char: 4, \\
	short: 5, unsigned short: 6, int: 7, unsigned: 8, long: 9, unsigned long: 10, default: 0)
"""


def compiles(text):
    done = subprocess.run(["cc", "-std=gnu11", "-Wconversion", "-Wsign-conversion", "-Werror",
                           "-fsyntax-only", "-I",
                           str(source / "include"), "-x", "c", "-"],
                          input=HEADER + text, text=True, capture_output=True, timeout=300)
    return done.returncode == 0, done.stderr


def must_compile(text):
    is_right, said = compiles(text)
    assert is_right, said


# Rust

FFI = (source / "bindings/rust/src/ffi.rs").read_text()
# All enumerations are as large as an int, and C converts between the two.
ENUMS = {("ue_event_losses", 1): "enum ue_loss", ("ue_session_losses", 1): "enum ue_loss",
         ("ue_explain", 0): "enum ue_call", ("ue_name", 0): "enum ue_named"}
RUST = {"c_int": "int", "isize": "ptrdiff_t", "c_char": "char", "c_void": "void", "u8": "uint8_t",
        "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "i64": "int64_t",
        "usize": "size_t"}


def c_of_rust(kind):
    pointer = re.fullmatch(r"\*(const|mut) (.*)", kind)
    if pointer:
        inner = c_of_rust(pointer[2])
        return inner + (" const *" if pointer[1] == "const" else " *")
    return RUST.get(kind) or "struct " + kind


def rust_functions():
    for name, arguments, result in re.findall(r"pub fn (\w+)\(([^)]*)\)(?: -> (.*))?;", FFI):
        kinds = re.findall(r"\w+: ([^,\n]+)", arguments)
        yield name, c_of_rust(result) if result else "void", [c_of_rust(kind) for kind in kinds]


def declared(functions):
    text = ""
    for name, result, arguments in functions:
        arguments = [ENUMS.get((name, at), kind) for at, kind in enumerate(arguments)]
        text += f"{result} {name}({', '.join(arguments) or 'void'});\n"
    return text


def functions_of_rust_are_those_of_the_headers():
    functions = [(name, result, arguments) for name, result, arguments in rust_functions()
                 if name not in ("ue_enabled",)]  # inline in C, and with its type below
    assert len(functions) >= 30
    must_compile(declared(functions))
    must_compile("int (*enabled)(const struct ue_event *) = ue_enabled;\n")
    assert ("ue_enabled", "int", ["struct ue_event const *"]) in rust_functions()


def structs_of_rust_are_those_of_the_headers():
    structs = re.findall(r"pub struct (\w+) \{\n((?:    pub .*\n)+)\}", FFI)
    assert len(structs) == 5
    text = ""
    for name, members in structs:
        text += f"struct rs_{name} {{\n"
        fields = re.findall(r"pub (\w+): (.*),", members)
        for field, kind in fields:
            array = re.fullmatch(r"\[(\w+); (\d+)\]", kind)
            kind = kind.replace("AtomicU32", "u32")
            text += "_Alignas(8) " if field == "ue__binding" else ""
            text += (f"{c_of_rust(array[1])} {field}[{array[2]}];\n" if array
                     else f"{c_of_rust(kind)} {field};\n")
        text += "};\n"
        for field, _ in fields:
            text += (f"_Static_assert(offsetof(struct rs_{name}, {field}) == "
                     f"offsetof(struct {name}, {field}), \"{name}.{field}\");\n")
            text += (f"_Static_assert(sizeof(((struct rs_{name} *)0)->{field}) == "
                     f"sizeof(((struct {name} *)0)->{field}), \"{name}.{field}\");\n")
        text += f"_Static_assert(sizeof(struct rs_{name}) == sizeof(struct {name}), \"{name}\");\n"
    must_compile(text)


def numbers_of_rust_are_those_of_the_headers():
    numbers = re.findall(r"pub const (\w+): \w+ = (\w+);", FFI)
    assert len(numbers) >= 24
    must_compile("".join(f"_Static_assert({name} == {value}, \"{name}\");\n"
                         for name, value in numbers))


# Python

def load_python():
    library = source / "bindings/python/userevents/_library.py"
    spec = importlib.util.spec_from_file_location("_library", library)
    module = importlib.util.module_from_spec(spec)
    real, ctypes.CDLL = ctypes.CDLL, lambda path: Nothing()
    try:
        spec.loader.exec_module(module)
    finally:
        ctypes.CDLL = real
    return module


class Nothing:
    """In place of the library: has any function."""

    def __getattr__(self, name):
        self.__dict__[name] = lambda: None
        return self.__dict__[name]


PYTHON = {ctypes.c_int: "int", ctypes.c_long: "long", ctypes.c_uint8: "uint8_t",
          ctypes.c_uint16: "uint16_t", ctypes.c_uint32: "uint32_t", ctypes.c_size_t: "size_t",
          ctypes.c_double: "double", None: "void"}


def functions_of_python_are_those_of_the_headers():
    """ctypes has one type for all pointers, so this compares the number of arguments, and of
    each whether it is a pointer, a float, or an integer that the header's type can hold."""
    functions = load_python().SIGNATURES
    assert len(functions) >= 18
    must_compile("".join(check_python(name, *types) for name, types in functions.items()))


def check_python(name, result, arguments):
    """Calls through a pointer with the types of the table: C converts no pointer to a number."""
    parameters = ", ".join(f"{c_of_python(kind)} a{at}" for at, kind in enumerate(arguments))
    passed = ", ".join(f"a{at}" for at in range(len(arguments)))
    returned = "" if result is None else "return "
    text = (f"{c_of_python(result)} call_{name}({parameters or 'void'});\n"
            f"{c_of_python(result)} call_{name}({parameters or 'void'})\n"
            f"{{ {returned}{'(void *)(uintptr_t)' if is_pointer(result) else ''}{name}({passed}); }}\n")
    if result is not None and not is_pointer(result):
        zeros = ", ".join("0" for _ in arguments)
        text += (f"_Static_assert(KIND(__typeof__({name}({zeros}))) == "
                 f"KIND({c_of_python(result)}), \"the result of {name}\");\n")
    return text


def is_pointer(kind):
    return kind in (ctypes.c_char_p, ctypes.c_void_p) or hasattr(kind, "contents")


def c_of_python(kind):
    if is_pointer(kind):
        return "void *"
    names = {ctypes.c_int64: "int64_t", ctypes.c_uint64: "uint64_t", **PYTHON}
    return names[kind]


def structs_of_python_are_those_of_the_headers():
    module = load_python()
    text = ""
    for name in "ue_open_opts", "ue_definition_error", "ue_event":
        struct = getattr(module, name)
        if name != "ue_event":  # of which it has the beginning
            text += f"_Static_assert(sizeof(struct {name}) == {ctypes.sizeof(struct)}, \"{name}\");\n"
        for field, _ in struct._fields_:
            text += (f"_Static_assert(offsetof(struct {name}, {field}) == "
                     f"{getattr(struct, field).offset}, \"{name}.{field}\");\n")
    must_compile(text)


def numbers_of_python_are_those_of_the_headers():
    module = load_python()
    values = (source / "bindings/python/userevents/_values.py").read_text()
    most = dict(re.findall(r"^(\w+_MAX) = (\d+)", values, re.M))
    text = (f"_Static_assert(UE_OPEN_FD == {module.OPEN_FD} && UE_CALL_OPEN == {module.CALL_OPEN} "
            f"&& UE_CALL_REGISTER == {module.CALL_REGISTER} && UE_CALL_WRITE == "
            f"{module.CALL_WRITE} && UE_CALL_BUILD == {module.CALL_BUILD} && UE_LOSS_REASONS == {module.LOSSES} "
            f"&& UE__WORD_ASK == {module.WORD_ASK} && "
            f"UE_PAYLOAD_MAX_PERF == {most['PAYLOAD_MAX']} && "
            f"UE_BUILDER_DEPTH_MAX == {most['DEPTH_MAX']} && "
            f"UE_STRUCT_MEMBERS_MAX == {most['MEMBERS_MAX']}, \"\");\n")
    names = {"STRING": "ENCODING_STRING_LENGTH16_CHAR8", "BINARY": "ENCODING_BINARY_LENGTH16_CHAR8",
             "VARRAY": "ENCODING_VARRAY", "UNSIGNED": "FORMAT_UNSIGNED_INT",
             "SIGNED": "FORMAT_SIGNED_INT", "HEX": "FORMAT_HEX_INT", "JSON": "FORMAT_STRING_JSON",
             "ADDRESS": "FORMAT_IP_ADDRESS", "STRUCT": "ENCODING_STRUCT",
             "POINTER64": "HEADER_POINTER64", "LITTLE_ENDIAN": "HEADER_LITTLE_ENDIAN",
             "EXTENSION": "HEADER_EXTENSION", "METADATA": "EXTENSION_METADATA",
             "ACTIVITY": "EXTENSION_ACTIVITY", "EXTENSION_CHAIN": "EXTENSION_CHAIN",
             "ENCODING_CHAIN": "ENCODING_CHAIN"}
    found = re.findall(r"^([A-Z0-9_, ]+) = ([0-9xa-f, ]+)$", values, re.M)
    for left, right in found:
        for name, value in zip(left.split(", "), right.split(", ")):
            full = names.get(name, ("ENCODING_" if "VALUE" in name else "FORMAT_") + name)
            if not name.endswith("_MAX"):
                text += f"_Static_assert(UE_{full} == {value}, \"{name}\");\n"
    assert text.count("Static") == 29, text
    must_compile(text)


def a_wrong_declaration_is_found():
    """This test can fail."""
    for wrong in ("int ue_close(long fd);", "_Static_assert(UE_FORMAT_HEX_INT == 4, \"\");",
                  check_python("ue_close", ctypes.c_long, [ctypes.c_int]),
                  check_python("ue_close", ctypes.c_int, [ctypes.c_long]),
                  check_python("ue_close", ctypes.c_int, [ctypes.c_void_p]),
                  check_python("ue_close", ctypes.c_int, [])):
        is_right, _ = compiles(wrong)
        assert not is_right, wrong
    must_compile(check_python("ue_close", ctypes.c_int, [ctypes.c_int]))


if __name__ == "__main__":
    run([functions_of_rust_are_those_of_the_headers, structs_of_rust_are_those_of_the_headers,
         numbers_of_rust_are_those_of_the_headers, functions_of_python_are_those_of_the_headers,
         structs_of_python_are_those_of_the_headers, numbers_of_python_are_those_of_the_headers,
         a_wrong_declaration_is_found])
