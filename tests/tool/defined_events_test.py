#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Events in files: userevents list PROGRAM, list --pid, register --from.

Arguments: the tool, the folder of headers, the program unregistered, the modules late and
crowd, a C compiler, and cross compilers for 32 bits and for aarch64, if there are any.
"""
import json
import os
import pathlib
import random
import resource
import shutil
import struct
import subprocess
import sys
import tempfile

from processes import lines_until, running
from tap import is_full, is_sanitized, run, same

tool, include, unregistered, late, crowd, compiler = sys.argv[1:7]
crosses = sys.argv[7:]
folder = pathlib.Path(tempfile.mkdtemp())
source = pathlib.Path(__file__).parent / "defined.c"

DEFINED = """\
My_Shop_L3K8000000000000001Gweb  # provider My_Shop, level 3 (warning), keyword \
0x8000000000000001, group web
classic u32 status; __rel_loc char[] path
lasting u64 number  # --persist  # --multi-format
visible u8 number; s8 other
"""


def called(*args, status=0, said="", **kwargs):
    done = subprocess.run([tool, *map(str, args)], capture_output=True, text=True, timeout=600,
                          **kwargs)
    same((done.returncode, done.stderr if not said else ""), (status, ""))
    assert said in done.stderr, f"{said!r} is not in {done.stderr!r}"
    return done.stdout


def built(name, *flags, command=compiler):
    path = folder / name
    subprocess.run([*command.split(), "-std=gnu11", "-O1", f"-I{include}", source, *flags,
                    "-o", path], check=True)
    return path


def programs_of_all_kinds_are_read():
    """However their pointers are stored."""
    kinds = {
        "pie": ("-fPIE", "-pie"),
        "fixed": ("-no-pie", "-fno-pie"),
        "static": ("-static",),
        "static-pie": ("-static-pie", "-fPIE"),
        "stripped": ("-fPIE", "-pie", "-s"),
        "shared": ("-shared", "-fPIC"),
        "symbolic": ("-shared", "-fPIC", "-Wl,-Bsymbolic"),
        "packed": ("-fPIE", "-pie", "-Wl,-z,pack-relative-relocs"),
        "packed-shared": ("-shared", "-fPIC", "-Wl,-z,pack-relative-relocs"),
    }
    for command in (compiler, *crosses):
        for name, flags in kinds.items():
            if command != compiler and name.startswith("packed"):
                continue  # not every linker can
            same((command, name, called("list", built(name, *flags, command=command))),
                 (command, name, DEFINED))
    print(f"# compilers: {compiler}, {', '.join(crosses)}")


def addresses_may_stand_in_the_table_of_relocations_alone():
    """Some linkers also store them in place, and some leave zeros there."""
    content = bytearray(built("rela", "-fPIE", "-pie").read_bytes())
    if content[4] != 2:
        return  # 32 bits have no such table
    (segments,), (sections,) = (struct.unpack_from("=Q", content, at) for at in (32, 40))
    size, count, section_size, section_count = struct.unpack_from("=HHHH", content, 54)
    loaded = [struct.unpack_from("=QQ8xQ", content, segments + number * size + 8)
              for number in range(count)
              if content[segments + number * size] == 1]  # offset, address, size
    zeroed = 0
    for number in range(section_count):
        kind, _, _, at, length = struct.unpack_from("=IQQQQ", content,
                                                    sections + number * section_size + 4)
        for entry in range(at, at + length, 24) if kind == 4 else ():
            address, = struct.unpack_from("=Q", content, entry)
            for offset, begin, bytes_there in loaded:
                if begin <= address < begin + bytes_there:
                    struct.pack_into("=Q", content, address - begin + offset, 0)
                    zeroed += 1
    assert zeroed > 10, zeroed
    (folder / "zeros").write_bytes(content)
    same(called("list", folder / "zeros"), DEFINED)


def json_has_the_fields_and_the_file():
    path = built("json")
    rows = [json.loads(line) for line in called("list", "--json", path).splitlines()]
    same([row["event"] for row in rows],
         ["My_Shop_L3K8000000000000001Gweb", "classic", "lasting", "visible"])
    same({row["file"] for row in rows}, {str(path)})
    same({name: rows[0][name] for name in ("provider", "level", "keyword", "options")},
         {"provider": "My_Shop", "level": 3, "keyword": "0x8000000000000001",
          "options": "Gweb"})
    same(rows[1]["fields"], [{"name": "status", "type": "u32", "offset": 0, "size": 4},
                             {"name": "path", "type": "__rel_loc char[]", "offset": 4,
                              "size": 4}])
    same([(row.get("persist"), row.get("multi_format")) for row in rows],
         [(None, None), (None, None), (True, True), (None, None)])


def globs_select():
    path = built("globs")
    same(called("list", path, "cl*"), "classic u32 status; __rel_loc char[] path\n")
    same(called("list", path, "cl*", unregistered, "nothing"),
         f"# {path}\nclassic u32 status; __rel_loc char[] path\n")
    same(called("list", path, "user_events:vis*"), "visible u8 number; s8 other\n")
    same(called("list", path, "nothing", status=1, said='no event that "nothing" matches'), "")


def the_output_can_be_registered():
    path = built("again")
    for args in (("--persist", "--from", path), ("--persist", "--file", "-")):
        listed = called("list", path)
        same(sorted(called("run", "-o", "/dev/null", tool, "register", *args, input=listed,
                           said="registered 4 events and wrote none").split()),
             ["My_Shop_L3K8000000000000001Gweb", "classic", "lasting", "visible"])


def events_that_can_never_be_registered_are_named():
    same(called("list", late, status=1, said='cannot list "malformed u31 number" of '),
         "late u32 number\n"
         "late_provider_L2K12  # provider late_provider, level 2 (error), keyword 0x12\n"
         "older u32 number\n")
    said = f'cannot register "malformed u31 number" of {late}: Not a type'
    called("register", "--wait", "--from", late, status=1, said=said)


def what_is_no_program_is_a_sentence():
    path = built("changed")
    content = path.read_bytes()
    pipe, other, half = folder / "pipe", folder / "other", folder / "half"
    os.mkfifo(pipe)
    other.write_bytes(content[:5] + bytes([3 - content[5]]) + content[6:])
    half.write_bytes(content[:len(content) // 2])
    built("object.o", "-c")
    (folder / "text").write_text("#!/bin/sh\n")
    (folder / "empty").write_bytes(b"")
    subprocess.run(["objcopy", "--only-keep-debug", path, folder / "debug"], check=True)
    subprocess.run(["objcopy", "--strip-all", "--remove-section=ue_events", path,
                    folder / "none"], check=True)
    for name, said in (
            ("text", "it is no program and no shared object (ELF)"),
            ("empty", "it is no program and no shared object (ELF)"),
            ("pipe", "it is no regular file"), (".", "it is no regular file"),
            ("missing", "No such file or directory"),
            ("other", "it is for machines of another byte order"),
            ("object.o", "it is an object file; link it first"),
            ("debug", "it has debug symbols alone; the program itself has the events"),
            ("half", "it ends early"),
            ("none", "it has no UE_EVENT() or UE_TRACEPOINT()")):
        for command in ("list",), ("register", "--wait", "--from"):
            same(called(*command, folder / name, status=1, said=said), "")
    called("list", "--tracefs", "/x", path, status=2, said="--tracefs is for events that exist")
    called("register", "--from", "", status=2, said="--from")


def a_list_that_is_too_long_is_shown_in_part():
    shown = called("list", crowd, status=1, said="it lists more than 65,536 events")
    same(shown, "crowded u32 number\n" * 12)


def limited():
    if not is_sanitized:  # whose tables take more
        resource.setrlimit(resource.RLIMIT_AS, (200 << 20, 200 << 20))
    resource.setrlimit(resource.RLIMIT_CPU, (60, 60))


def survives(path):
    done = subprocess.run([tool, "list", path], capture_output=True, timeout=600,
                          preexec_fn=limited)
    assert done.returncode in (0, 1), (done.returncode, done.stderr)
    assert done.returncode or done.stdout, done
    assert b"\x1b" not in done.stdout + done.stderr, done


def any_part_of_a_file_may_be_missing():
    content = built("whole", "-shared", "-fPIC", "-s").read_bytes()
    path = folder / "part"
    for length in [*range(0, 256, 8), *range(256, len(content), 199 if is_full else 797)]:
        path.write_bytes(content[:length])
        survives(path)


def any_byte_of_a_file_may_be_wrong():
    """Most of all those of the headers, and of the dynamic section."""
    generator = random.Random(15)
    for command in (compiler, *crosses[:1]):
        content = built("bytes", "-shared", "-fPIC", "-s", command=command).read_bytes()
        path = folder / "wrong"
        for number in range(400 if is_full else 80):
            wrong = bytearray(content)
            for _ in range(generator.choice([1, 3, 30])):
                near = generator.choice([64, 1024, len(content)])
                at = generator.randrange(near)
                if number % 2:  # the section headers
                    at = len(content) - 1 - at
                wrong[at] = generator.choice([0, 1, 0x1b, 0x7f, 0xff, generator.randrange(256)])
            path.write_bytes(wrong)
            survives(path)


def sizes_that_are_not_those_of_the_file():
    """Each number of the dynamic section is far too large."""
    content = bytearray(built("sizes", "-shared", "-fPIC", "-s").read_bytes())
    if content[4] != 2:
        return  # the numbers below have 64 bits
    segments, = struct.unpack_from("=Q", content, 32)
    size, count = struct.unpack_from("=HH", content, 54)
    for at in range(segments, segments + size * count, size):
        kind, _, offset, _, _, length = struct.unpack_from("=IIQQQQ", content, at)
        for entry in range(offset, offset + length, 16) if kind == 2 else ():
            for number in (1 << 20, 1 << 40, (1 << 63) - 8, (1 << 64) - 24):
                wrong = bytearray(content)
                struct.pack_into("=Q", wrong, entry + 8, number)
                (folder / "large").write_bytes(wrong)
                survives(folder / "large")


def a_process_has_the_events_of_its_files():
    with running(tool, "run", "-o", "/dev/null", "--", unregistered, "whole", late) as process:
        pid = lines_until(process, "ready")[-1][0]
        text = called("list", "--pid", pid, status=1, said="malformed")
        same(text, f"# {os.path.realpath(unregistered)}\n" + called("list", unregistered) +
             f"# {os.path.realpath(late)}\n" + called("list", late, status=1, said="malformed"))
        rows = called("list", "--json", "--pid", pid, "late*", "fir*").splitlines()
        same([(json.loads(row)["event"], json.loads(row)["file"]) for row in rows],
             [("first", os.path.realpath(unregistered)), ("late", os.path.realpath(late)),
              ("late_provider_L2K12", os.path.realpath(late))])
    with running("cat") as process:
        called("list", "-p", process.pid, status=1, said="(cat): it has no UE_EVENT()")
    called("list", "-p", "4294967296", status=1, said='cannot find a process "4294967296"')


try:
    run([
        programs_of_all_kinds_are_read,
        addresses_may_stand_in_the_table_of_relocations_alone,
        json_has_the_fields_and_the_file,
        globs_select,
        the_output_can_be_registered,
        events_that_can_never_be_registered_are_named,
        what_is_no_program_is_a_sentence,
        a_list_that_is_too_long_is_shown_in_part,
        any_part_of_a_file_may_be_missing,
        any_byte_of_a_file_may_be_wrong,
        sizes_that_are_not_those_of_the_file,
        a_process_has_the_events_of_its_files,
    ])
finally:
    shutil.rmtree(folder)
