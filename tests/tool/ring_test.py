#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents ring; decode, watch and record of rings. Arguments: the tool, and the programs hello,
eventheader, many and unregistered."""
import contextlib
import json
import os
import pathlib
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile

from processes import libc
from tap import run, same

tool, hello, eventheader, many, unregistered = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
KIB = 1024
CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24
ORDER_AT, VERSION_AT, MODE_AT = 8, 12, 24


def without_right_to_all_files():
    """Root is an owner like any other then; another user might not reach the tool."""
    for capability in CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH:
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def called(*args, status=0, said="", preexec_fn=None, **kwargs):
    """stdout; stderr has one sentence for each line of said, or is empty."""
    done = subprocess.run([tool, *map(str, args)], capture_output=True, text=True, timeout=600,
                          preexec_fn=preexec_fn, **kwargs)
    same((done.returncode, done.stderr.splitlines()),
         (status, ["userevents: " + line for line in said.splitlines()]))
    return done.stdout


def ring(*args, **kwargs):
    return called("ring", *args, **kwargs)


def new(name, *args):
    path = folder / name
    ring("create", *args, path)
    return path


def info(path, **kwargs):
    return json.loads(ring("info", "--json", path, **kwargs))


def decode(path, *args, **kwargs):
    return [json.loads(line) for line in called("decode", "--json", *args, path,
                                                 **kwargs).splitlines()]


@contextlib.contextmanager
def descriptor(path):
    fd = os.open(path, os.O_RDWR)
    try:
        yield {"pass_fds": [fd], "env": {**os.environ, "USEREVENTS_FD": str(fd)}}
    finally:
        os.close(fd)


def write(path, *program, status=0):
    with descriptor(path) as inherited:
        done = subprocess.run(program, stdout=subprocess.DEVNULL, timeout=600, **inherited)
    same(done.returncode, status)


@contextlib.contextmanager
def writing(path, *program):
    """The process, once it has written something; killed at the end."""
    with descriptor(path) as inherited:
        process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True, **inherited)
    try:
        while not info(path)["pagesUsed"]:
            pass
        yield process
    finally:
        process.kill()
        process.communicate()


@contextlib.contextmanager
def writing_none(path):
    """A process that has the ring open."""
    with descriptor(path) as inherited:
        process = subprocess.Popen([unregistered, "open"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True, **inherited)
    try:
        process.stdout.readline()
        yield
    finally:
        process.communicate("")


def patched(content, at, number):
    content = bytearray(content)
    struct.pack_into("I", content, at, number)
    return content


# create and info

UNUSED = ("no program registered an event in it; one must call ue_open(NULL) and "
          "ue_register_all(), with the ring's name in USEREVENTS_RING; a program that is "
          "set-user-id or set-group-id, or has file capabilities, ignores that variable")
UNWRITTEN = "programs registered events in it, and wrote none"
TAKEN = UNWRITTEN + ", or a reader took them out"
DISABLED = ("all events that are registered in it are disabled; enable them with: userevents "
            "ring set --enable '*' RING")


def is_empty(path, why):
    for command, verb in ("decode", "decode"), ("stat", "count"):
        same(called(command, path, status=1, said=f"cannot {verb}: {path} has no event: {why}"),
             "")



def a_new_ring_is_as_the_options_say():
    path = new("new", "--size", "1M", "--mode", "drop")
    found = info(path)
    same(path.stat().st_mode & 0o777, 0o600)
    same(path.stat().st_size, 1024 * KIB)
    same((found["file"], found["bytes"], found["mode"]), (str(path), 1024 * KIB, "drop"))
    same((found["events"], found["processes"], found["hasReader"]), (0, 0, False))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", found["created"]), found
    same(info(new("default"))["bytes"], 16 * 1024 * KIB)
    same(info(folder / "default")["mode"], "overwrite")


def info_is_also_text():
    path = new("text", "-s256k", "-mwait")
    write(path, hello)
    text = ring("info", path)
    same(text.splitlines()[0], str(path))
    lines = dict(re.split("  +", line.strip()) for line in text.splitlines()[1:])
    same(lines["mode"], "wait")
    same(lines["lost"], "0")
    same(lines["events"], "1 of at most 1024 registered, 1 enabled")
    same(lines["size"], "262144 bytes")
    assert re.fullmatch(r"1 of \d+ of 512 bytes, and 0 of \d+ of 8704 bytes have events",
                        lines["pages"]), lines
    same(lines["held"], "0 pages")


def sizes_are_for_so_many_as_the_documents_say():
    documents = pathlib.Path(__file__).parent.parent.parent / "doc"
    pages = {name: (documents / name).read_text()
             for name in ("ring.md", "fleet.md", "instrument-a-server.md")}
    for size, name in ("256K", "256 KiB"), ("4M", "4 MiB"), ("16M", "16 MiB"), ("64M", "64 MiB"):
        found = info(new(f"of-{size}", "--size", size))
        small, large = found["smallPages"], found["pages"] - found["smallPages"]
        same(found["processorsMost"], large // 2)
        processes = f"{found['processesMost']:,}"
        events = next(line.split(" | ")[4].strip(" |") for line in pages["ring.md"].splitlines()
                      if line.startswith(f"| {name},"))
        row = f"| {name}, [^|]+ \\| {processes} \\| {small:,} \\| {large:,} \\| {events} \\|"
        assert re.search(f"^.{row[1:]}$", pages["ring.md"], re.M), row
        row = f"| {large // 2:,} | {processes} | {events} | {size} |"
        for page in "fleet.md", "instrument-a-server.md":
            assert row in pages[page], (page, row)


def a_ring_without_a_free_place_is_too_small():
    path = new("many", "--size", "256k")
    with contextlib.ExitStack() as stack:
        for _ in range(64):
            if info(path)["processes"] == 63 and os.cpu_count() <= 4:
                assert re.search("^  fits  +4 processors and 64 processes$", ring("info", path), re.M)
            child = stack.enter_context(subprocess.Popen(
                [many, "1", "wait"], stdout=subprocess.PIPE,
                env={**os.environ, "USEREVENTS_RING": str(path)}))
            stack.callback(child.kill)
            same(child.stdout.readline(), b"ready\n")
        same(info(path)["processes"], 64)
        assert re.search("^  fits  +4 processors and 64 processes; this machine has [0-9]+ processors, "
                         "and 64 processes may write: [0-9]+M would fit$", ring("info", path), re.M)


def several_rings_are_described():
    new("one")
    new("two")
    text = ring("info", "-j", folder / "one", folder / "nowhere", folder / "two", status=1,
                said=f"cannot describe {folder}/nowhere: No such file or directory")
    same([json.loads(line)["file"] for line in text.splitlines()],
         [f"{folder}/one", f"{folder}/two"])


def losses_are_described_by_reason():
    path = new("losses", "-s256k", "-mdrop")
    write(path, many, "100000", status=1)
    found = info(path)
    same(found["pagesUsed"], found["pages"])
    lost = found["lost"]["captureFull"]
    assert 0 < lost < 100000, found
    same(sum(found["lost"].values()), lost)
    assert re.search(fr"^  lost +{lost}: {lost} ring or capture full$", ring("info", path), re.M)
    events = decode(path, status=1,
                    said=f"{lost} events were lost when {path} was recorded: "
                         f"{lost} ring or capture full.")
    same(len(events), 100000 - lost)
    same([event["number"] for event in events], list(range(100000 - lost)))


def what_exists_is_not_replaced():
    path = folder / "precious"
    path.write_text("precious")
    ring("create", path, status=1,
         said=f"cannot create {path}: it exists; delete it first, or use another name")
    same(path.read_text(), "precious")


def a_directory_must_exist():
    ring("create", folder / "nowhere/ring", status=1,
         said=f"cannot create {folder}/nowhere/ring: its directory does not exist; create that "
              "first")


def a_full_file_system_is_reported():
    """In namespaces, the tool may mount a file system."""
    small = folder / "small"
    small.mkdir()
    script = 'mount -t tmpfs -o size=128k none "$1" && "$0" ring create -s256k "$1"/ring; ' \
             'echo $?; ls -A "$1"'
    done = subprocess.run(["unshare", "-Urm", "sh", "-c", script, tool, small],
                          capture_output=True, text=True)
    if "unshare: " in done.stderr or "mount: " in done.stderr:
        print("# cannot mount here: " + done.stderr.strip())
        return
    same((done.stdout, done.stderr),
         ("1\n", f"userevents: cannot create {small}/ring: the file system has no room for it; "
                 "use a smaller --size, or another directory\n"))


def a_limit_of_file_sizes_is_reported():
    path = folder / "limited"
    done = subprocess.run(["bash", "-c", 'ulimit -f 100; "$0" ring create "$1"', tool, path],
                          capture_output=True, text=True)
    same((done.returncode, done.stderr),
         (1, f"userevents: cannot create {path}: it would exceed the limit of file sizes; use a "
             "smaller --size, or raise the limit with ulimit -f\n"))
    assert not path.exists()


def rights_are_needed():
    path = new("rights", "-s256k")
    folder.chmod(0o555)
    ring("create", folder / "mine", preexec_fn=without_right_to_all_files, status=1,
         said=f"cannot create {folder}/mine: this user may not create files there; use another "
              "directory")
    folder.chmod(0o755)
    path.chmod(0)
    ring("info", path, preexec_fn=without_right_to_all_files, status=1,
         said=f"cannot describe {path}: this user has no rights to do so; ask its owner, or use "
              "root")
    path.chmod(0o444)
    ring("set", "-e*", path, preexec_fn=without_right_to_all_files, status=1,
         said=f"cannot change {path}: this user has no rights to do so; ask its owner, or use "
              "root")
    write(path, hello)
    same(info(path, preexec_fn=without_right_to_all_files)["events"], 1)
    same([event["number"] for event in decode(path, preexec_fn=without_right_to_all_files)], [1])


def wrong_usage_is_explained():
    hint = "\"userevents ring create --help\" lists the options"
    path = folder / "unused"
    for args, said in [
            ((), "cannot run \"ring\": create, info or set has to follow; \"userevents ring "
                 "--help\" describes them"),
            (("creat", path), "cannot run \"ring creat\": there is create, info and set; did "
                              "you mean \"create\"?"),
            (("create",), f"cannot create a ring: one file has to be given; {hint}"),
            (("create", path, path), f"cannot create a ring: one file has to be given; {hint}"),
            (("create", "--mod", "x", path), "cannot create a ring: the option --mode needs "
                                             f"overwrite, drop or wait; {hint}"),
            (("create", "-s1k", path), "cannot create a ring: the option --size needs at least "
                                       f"262144: digits, or digits with k, M or G; {hint}"),
            (("create", "-s65G", path), "cannot create a ring: the option --size needs at most "
                                        f"64G; {hint}"),
            (("create", "--sise=1", path), "cannot create a ring: there is no option "
                                           "\"--sise\"; did you mean \"--size\"?"),
            (("info",), "cannot describe a ring: no file is given; \"userevents ring info "
                        "--help\" lists the options"),
            (("set", path), "cannot set a ring: no change is given, such as --enable; "
                            "\"userevents ring set --help\" lists the options")]:
        ring(*args, status=2, said=said)
    assert not path.exists()


def help_is_given():
    for part in ("create", "info", "set"):
        assert f"  {part} " in ring("--help")
        assert ring(part, "--help").startswith(f"Usage: userevents ring {part} [OPTIONS] FILE")
    assert "  ring " in called("--help")


# damage


def damaged_rings_are_told_apart():
    path = new("good", "-s256k")
    write(path, hello)
    good = path.read_bytes()
    for content, reason in [
            (good[:100 * KIB], "it was cut, and has 102400 of its 262144 bytes; copy it once "
                               "more, or create another one"),
            (good[:40], "it was cut, and has 40 of its 262144 bytes; copy it once more, or "
                        "create another one"),
            (patched(good, VERSION_AT, 7), "it has version 7, which this tool does not know; "
                                           "use the tool of the library that wrote it"),
            (patched(good, ORDER_AT, 0x04030201), "it was written on a machine of the other "
                                                  "byte order; read it there"),
            (patched(good, MODE_AT, 9), "its header is damaged; create another one")]:
        bad = folder / "bad"
        bad.write_bytes(content)
        ring("info", bad, status=1, said=f"cannot describe {bad}: {reason}")
        decode(bad, status=1, said=f"cannot read {bad}: {reason}")
        ring("set", "-e*", bad, status=1, said=f"cannot enable \"*\" in {bad}: {reason}")


def what_is_no_ring_is_refused():
    text = folder / "other"
    text.write_text("x" * 100)
    for no_ring in (text, "/dev/null"):
        reason = "it is no ring; \"userevents ring create\" makes one"
        ring("info", no_ring, status=1, said=f"cannot describe {no_ring}: {reason}")
        ring("set", "-e*", no_ring, status=1,
             said=f"cannot enable \"*\" in {no_ring}: {reason}")
    ring("set", "-e*", folder, status=1, said=f"cannot change {folder}: Is a directory")
    same(text.read_text(), "x" * 100)


# set


def globs_are_applied_in_order():
    path = new("set", "-s256k", "--disabled")
    write(path, hello)
    write(path, eventheader)
    same((info(path)["events"], info(path)["enabled"]), (3, 0))
    is_empty(path, DISABLED)
    ring("set", path, "--enable", "*", "--disable", "MyCompany_*")
    same(info(path)["enabled"], 1)
    ring("set", path, "--disable", "*", "--enable", "user_events:hel*")
    same(info(path)["enabled"], 1)
    ring("set", path, "--disable", "hello", "--enable", "*")
    same(info(path)["enabled"], 3)
    write(path, hello)
    same([event["n"] for event in decode(path)], ["user_events:hello"])


def globs_have_limits():
    path = new("limits", "-s256k")
    reason = "a GLOB has 1 to 255 bytes, and no newline, and closes its brackets"
    ring("set", path, "-e", "", status=1, said=f"cannot enable \"\" in {path}: {reason}")
    long = "x" * 256
    ring("set", path, "-d", long, status=1, said=f"cannot disable \"{long}\" in {path}: {reason}")
    many_globs = [f"-e{number:0250}" for number in range(40)]
    done = subprocess.run([tool, "ring", "set", path, *many_globs], capture_output=True,
                          text=True)
    same(done.returncode, 1)
    assert done.stderr.endswith(": the ring has too many different globs; set \"*\" first, which "
                                "replaces all\n"), done.stderr


def enabled_after(path, *args):
    ring("set", path, *args)
    return info(path)["enabled"]


def providers_may_be_enabled():
    path = new("providers", "-s256k")
    write(path, hello)
    write(path, eventheader)
    same(enabled_after(path, "-d", "*", "-e", "MyCompany_Shop:*"), 2)
    same(enabled_after(path, "-d", "MyCompany_Shop:*"), 0)
    same(enabled_after(path, "-e", "MyCompany_Shop:basket"), 2)
    same(enabled_after(path, "-d", "My[[:alpha:]]ompany_Sho[op]:*"), 0)
    same(enabled_after(path, "-d", "*", "-e", "[[:alpha:]]ello"), 1)
    same(enabled_after(path, "-e", "hello", "-d", "MyCompany_Shop:*"), 1)
    ring("set", path, "-d", "MyCompany_Shop:basket", status=1,
         said=f'cannot disable "MyCompany_Shop:basket" in {path}: EventHeader events share tracepoints; '
              'disable "MyCompany_Shop:*", all of that provider')
    for option, verb in ("--stack", "set stacks of"), ("--no-stack", "set stacks of"), ("-e", "enable"):
        for glob in "MyCompany_Shop:[a", "MyCompany_Shop:", "MyCompany_Shop:a[!]", f"A:{'x' * 256}":
            ring("set", path, option, glob, status=1,
                 said=f'cannot {verb} "{glob}" in {path}: a GLOB has 1 to 255 bytes, and no newline, '
                      'and closes its brackets')
    ring("set", path, "--stack", "MyCompany_Shop:[]a]*")


def stacks_after(path, *args):
    """The globs whose stacks are asked for, and those whose are not."""
    ring("set", path, *args)
    stacks = info(path)["stacks"]
    return [[one["glob"] for one in stacks if one["isAsked"] == is_asked] for is_asked in (True, False)]


def stacks_may_be_asked_for_no_longer():
    path = new("stacks", "-s256k")
    same(info(path)["stacks"], [])
    assert "\n  stacks       none\n" in ring("info", path)
    same(stacks_after(path, "--stack", "hello"), [["hello", "*_L*K*"], []])
    same(stacks_after(path, "--no-stack", "hello"), [[], ["hello", "*_L*K*"]])
    same(stacks_after(path, "--stack", "hello", "--stack", "other", "--no-stack", "hello"),
         [["other", "*_L*K*"], ["hello"]])
    text = ring("info", path)
    assert "\n  stacks       other, *_L*K*, not hello\n" in text, text
    same(stacks_after(path, "--no-stack", "oth*"), [["other"], ["hello", "oth*", "*_L*K*"]])
    same(stacks_after(path, "--stack", "*", "--no-stack", "hello"), [["*", "*_L*K*"], ["hello"]])
    same(stacks_after(path, "--no-stack", "*")[0], [])
    same(stacks_after(path, "--stack", "Shop:a")[0], ["Shop_L*K*"])


# decode


def events_have_time_process_and_processor():
    path = new("meta", "-s256k")
    write(path, hello)
    write(path, eventheader)
    events = decode(path)
    same((events[0]["n"], events[0]["square"]), ("user_events:hello", 1))
    times = [event["meta"]["time"] for event in events]
    same(times, sorted(times))
    assert times[0][:4] == info(path)["created"][:4]
    for event in events:
        assert event["meta"]["pid"] and event["meta"]["tid"] and "cpu" in event["meta"], event
    same({event["n"].split(":")[0] for event in events[1:]}, {"MyCompany_Shop"})
    assert re.match(r"\d\d:\d\d:\d\d\.\d{6} \w+\[\d+\] user_events:hello number=1 "
                    r"square=1\n", called("decode", path))
    assert re.match(r"\d{4}-\S+Z \[\d+\] \w+\[\d+/\d+\] user_events:hello number=1 "
                    r"square=1\n", called("decode", "--wide", "--utc", path))


def filters_and_several_files_work():
    first, second = new("first", "-s256k"), new("second", "-s256k")
    write(first, many, "2")
    write(second, many, "3")
    write(first, hello)
    lines = called("decode", "--meta=none,n", first, second).splitlines()
    same(lines, [f"user_events:step number={number}" for number in (0, 1, 0, 1, 2)] +
         ["user_events:hello number=1 square=1"])
    same(len(decode(first, "-e", "hello")), 1)
    called("decode", "-e", "nothing", first, status=1,
           said="cannot find an event that \"nothing\" matches: there is no such tracepoint or "
                "EventHeader event in what was read")


def streams_and_copies_are_read():
    path = new("stream", "-s256k")
    write(path, hello)
    with open(path) as file:
        same(called("decode", "--meta=n", "-", stdin=file),
             "user_events:hello number=1 square=1\n")
    with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
        same(called("decode", "--meta=n", "-", stdin=cat.stdout),
             "user_events:hello number=1 square=1\n")


def an_empty_ring_says_why():
    rings = [
        (new("unused"), UNUSED),
        (new("unregistered"), UNUSED),
        (new("unwritten"), UNWRITTEN),
        (new("unread", "--mode", "wait"), TAKEN),
        (new("disabled", "--disabled"), DISABLED),
    ]
    write(rings[1][0], unregistered)
    for path, _ in rings[2:]:
        write(path, unregistered, "all")
    for path, why in rings:
        is_empty(path, why)
        called("watch", "-d0.01", path, status=1, said=f"No event was written to {path}: {why}.")
    with writing_none(rings[0][0]):
        is_empty(rings[0][0], "no program has registered an event in it; one must call "
                 "ue_open(NULL) and ue_register_all()")


def reading_changes_nothing():
    path = new("same", "-s256k", "-mdrop")
    write(path, many, "10")
    before = path.read_bytes()
    same(len(decode(path)), 10)
    same(len(decode(path)), 10)
    assert path.read_bytes() == before


def the_oldest_events_are_overwritten_without_failure():
    path = new("flight", "-s256k")
    write(path, many, "100000")
    count = info(path)["overwritten"]
    assert 0 < count < 100000
    events = decode(path, said=f"{path} keeps the newest events; {count} older ones were "
                               "overwritten.")
    same([event["number"] for event in events], list(range(count, 100000)))


def programs_may_run_on():
    """Reading ends, although the program writes all the time; so do its events."""
    path = new("running", "-s1M")
    with writing(path, many, "4000000000") as process:
        same(info(path)["processes"], 1)
        done = subprocess.run([tool, "decode", "--json", path], capture_output=True, text=True,
                              timeout=600)
        same(done.returncode, 0)
        process.poll()
        same(process.returncode, None)
    numbers = [json.loads(line)["number"] for line in done.stdout.splitlines()]
    assert numbers == sorted(set(numbers)) and numbers, numbers[:10]


def events_survive_a_kill():
    path = new("killed", "-s256k")
    with writing(path, many, "1000", "wait") as process:
        same(process.stdout.readline(), "ready\n")
        process.send_signal(signal.SIGKILL)
        same(process.wait(), -signal.SIGKILL)
        same(info(path)["processes"], 0)
        same([event["number"] for event in decode(path)], list(range(1000)))


# watch and record


@contextlib.contextmanager
def following(*args, preexec_fn=None):
    """The process; it is stopped as with Ctrl-C at the end, unless it ended before."""
    with tempfile.TemporaryFile("w+") as said:
        process = subprocess.Popen([tool, *map(str, args)], stdout=subprocess.PIPE,
                                   stderr=said, text=True, preexec_fn=preexec_fn)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.rest = process.stdout.read()
            process.wait(600)
            said.seek(0)
            process.said = said.read()


def wait_for_reader(path):
    while not info(path)["hasReader"]:
        pass


def watch_takes_events_out():
    path = new("taken", "-s256k", "-mdrop")
    write(path, hello)
    with following("watch", "--meta=n", path) as process:
        same(process.stdout.readline(), "user_events:hello number=1 square=1\n")
        called("watch", path, status=1, said=f"cannot watch {path}: another process takes its "
                                             "events out; end that one first")
        write(path, many, "2")
        same(process.stdout.readline(), "user_events:step number=0\n")
    same((process.returncode, process.rest, process.said),
         (0, "user_events:step number=1\n", ""))
    is_empty(path, TAKEN)
    assert not info(path)["hasReader"]


def no_event_is_taken_twice():
    """Events that were taken stay in their page while its process may write to it."""
    path = new("twice", "-s256k", "-mdrop")
    with writing(path, many, "3", "wait") as process:
        same(process.stdout.readline(), "ready\n")
        for lines in ["user_events:step number=0\n"], []:
            with following("watch", "--meta=n", path) as process:
                wait_for_reader(path)
            same(process.rest.splitlines(True)[:1], lines)
        is_empty(path, TAKEN)


def follow_overwriting(path, **kwargs):
    """What was written before is not printed; a new event is, and stays in the ring."""
    write(path, hello)
    with following("watch", "--meta=n", path, **kwargs) as process:
        while not select.select([process.stdout], [], [], 0.05)[0]:
            write(path, many, "1")
        same(process.stdout.readline(), "user_events:step number=0\n")
    same((process.returncode, process.said), (0, ""))
    events = [event["n"] for event in decode(path)]
    same(events[0], "user_events:hello")
    assert len(events) > 1, events


def watch_follows_a_ring_that_overwrites():
    follow_overwriting(new("followed", "-s256k"))


def watch_needs_no_right_to_write_for_that():
    path = new("read-only", "-s256k")
    path.chmod(0o444)
    follow_overwriting(path, preexec_fn=without_right_to_all_files)
    path = new("not-taken", "-s256k", "-mdrop")
    path.chmod(0o444)
    called("watch", path, preexec_fn=without_right_to_all_files, status=1,
           said=f"cannot watch {path}: this user has no rights to do so; ask its owner, or use "
                "root")


def a_writer_waits_for_watch():
    count = 50000
    path = new("waits", "-s256k", "-mwait")
    with following("watch", "--json", path) as process:
        wait_for_reader(path)
        with descriptor(path) as inherited:
            writer = subprocess.Popen([many, str(count)], **inherited)
        numbers = [json.loads(process.stdout.readline())["number"] for _ in range(count)]
        same(writer.wait(), 0)
    same(numbers, list(range(count)))
    same((process.returncode, process.rest, process.said), (0, "", ""))


def watch_selects_events():
    path = new("selected", "-s256k", "-mdrop")
    write(path, many, "3")
    write(path, hello)
    with following("watch", "-e", "hel*", "-e", "other", "--meta=n", path) as process:
        same(process.stdout.readline(), "user_events:hello number=1 square=1\n")
    same((process.returncode, process.said),
         (0, "userevents: There was no event that \"other\" matches.\n"))


def watch_tells_of_older_events():
    path = new("older")
    write(path, many, "3")
    called("watch", "-d0.01", path, status=1, said=f"No new event was written to {path}; userevents "
           "decode prints the 3 that it holds.")


def watch_reports_losses_and_silence():
    """Losses from before are not reported; those are, which came meanwhile."""
    path = new("silent", "-s256k", "-mdrop")
    called("watch", "-d0.01", path, status=1, said=f"No event was written to {path}: {UNUSED}.")
    write(path, many, "100000", status=1)
    with following("watch", path) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGSTOP)
        write(path, many, "100000", status=1)
        process.send_signal(signal.SIGCONT)
    same(process.returncode, 1)
    assert re.fullmatch(r"userevents: (\d+) events were lost: \1 ring or capture full.\n",
                        process.said), process.said
    assert int(process.said.split()[1]) < 100000, process.said


def a_ring_that_becomes_shorter_ends_watch():
    path = new("shorter", "-s256k", "-mdrop")
    write(path, hello)
    with following("watch", path) as process:
        process.stdout.readline()
        os.truncate(path, 4096)
        process.wait(600)
    same((process.returncode, process.said),
         (1, f"userevents: cannot watch all of {path}: it became shorter meanwhile\n"))


def options_for_the_kernel_are_refused():
    path = new("options", "-s256k")
    reason = "--register, --pid, --all, --buffer and --tracefs are for the kernel's events; " \
             "leave them out"
    for options in (["-r", "x"], ["-p", "1"], ["-a"], ["-b1M"], ["--tracefs=/x"]):
        called("watch", *options, path, status=2, said=f"cannot watch a ring: {reason}")
    called("record", "-a", path, status=2, said=f"cannot record a ring: {reason}")


def record_keeps_events_in_a_capture():
    path, output = new("recorded", "-s256k", "-mdrop"), folder / "capture"
    write(path, many, "5")
    with following("record", "-o", output, path) as process:
        wait_for_reader(path)
    size = output.stat().st_size
    same((process.returncode, process.said),
         (0, f"userevents: {output} has 5 events, {size} bytes.\n"))
    same([event["number"] for event in decode(output)], list(range(5)))
    write(path, many, "1000")
    with following("record", "-o", output, "-s1k", path) as process:
        process.wait(600)
    same(process.returncode, 0)
    assert 1024 <= output.stat().st_size < 8192
    recorded = len(decode(output))
    same([event["number"] for event in decode(path)], list(range(recorded, 1000)))


def record_does_not_overwrite_the_ring():
    path, output = new("itself", "-s256k", "-mdrop"), folder / "old"
    write(path, hello)
    before, size = decode(path), path.stat().st_size
    called("record", "-o", path, path, status=1,
           said=f"cannot write {path}: it is what is read; use another --output")
    same((decode(path), path.stat().st_size), (before, size))
    output.write_text("precious")
    with following("watch", path) as process:
        process.stdout.readline()
        called("record", "-o", output, path, status=1,
               said=f"cannot record {path}: another process takes its events out; end that one "
                    "first")
    same(output.read_text(), "precious")


run([a_new_ring_is_as_the_options_say, info_is_also_text,
     sizes_are_for_so_many_as_the_documents_say, a_ring_without_a_free_place_is_too_small,
     several_rings_are_described,
     losses_are_described_by_reason, what_exists_is_not_replaced, a_directory_must_exist,
     a_full_file_system_is_reported, a_limit_of_file_sizes_is_reported, rights_are_needed,
     wrong_usage_is_explained, help_is_given, damaged_rings_are_told_apart,
     what_is_no_ring_is_refused,
     globs_are_applied_in_order, globs_have_limits, providers_may_be_enabled,
     stacks_may_be_asked_for_no_longer, events_have_time_process_and_processor,
     filters_and_several_files_work, an_empty_ring_says_why, streams_and_copies_are_read, reading_changes_nothing,
     the_oldest_events_are_overwritten_without_failure, programs_may_run_on,
     events_survive_a_kill, watch_takes_events_out, no_event_is_taken_twice,
     watch_follows_a_ring_that_overwrites,
     watch_needs_no_right_to_write_for_that, a_writer_waits_for_watch, watch_selects_events,
     watch_tells_of_older_events, watch_reports_losses_and_silence, a_ring_that_becomes_shorter_ends_watch,
     options_for_the_kernel_are_refused, record_keeps_events_in_a_capture,
     record_does_not_overwrite_the_ring])
