#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents run. Arguments: the tool, and the programs hello, types, eventheader, many,
unregistered and guests."""
import json
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import sys
import tempfile

from captures import DEFINITION, EVENTS, HEADER, records, whole_events
from processes import libc
from tap import run, same
from terminal import on_terminal

CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH, PR_CAPBSET_DROP = 1, 2, 24

tool, hello, types, eventheader, many, unregistered, guests = map(os.path.abspath, sys.argv[1:])
folder = pathlib.Path(tempfile.mkdtemp())
EVENT = "WHO user_events:hello number=1 square=1\n"
SAID = "hello 1: written\n"


def without_pids(text):
    """The time and the process of a line are those of any run."""
    return re.sub(r"^(\d\d:\d\d:\d\d\.\d{6} \w+\[\d+\]|\d+) ", "WHO ", text,
                  flags=re.MULTILINE)


def started(*args, status=0, complaint="", **kwargs):
    done = subprocess.run([tool, "run", *args], capture_output=True, text=True,
                          timeout=600, **kwargs)
    same(done.returncode, status)
    if complaint:
        assert complaint in done.stderr, f"{complaint!r} is not in {done.stderr!r}"
    else:
        same(done.stderr, "")
    return without_pids(done.stdout)


def events_are_printed_beside_the_output():
    same(sorted(started(hello).splitlines()), sorted((EVENT + SAID).splitlines()))


def json_has_time_and_pid():
    path = folder / "json"
    same(started("--json", "-o", str(path), "--", hello), SAID)
    event = json.loads(path.read_text())
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z", event["meta"]["time"])
    assert event["meta"]["pid"] > 0
    del event["meta"]
    same(event, {"n": "user_events:hello", "number": 1, "square": 1})


def json_on_standard_output_is_only_json():
    """The program's own output goes to standard error, unless the events go to a file."""
    event = json.loads(started("--json", hello, complaint=SAID))
    same(event["number"], 1)
    same(started("--json", "-o", str(folder / "json"), hello), SAID)


def every_type_is_decoded():
    path = folder / "types"
    started("-o", str(path), "--meta", "n", types)
    lines = path.read_text().splitlines()
    same(lines[0], "user_events:nothing_but_a_name")
    same(re.sub(r"\d+$", "N", lines[1]),
         'user_events:integers u8=1 u16=2 u32=3 u64=4 s8=-1 s16=-2 s32=-3 s64=-4 letter="x" '
         'octet=255 little=-5 more=5 number=-6 count=6 yes=1 where=N')
    same(lines[2], 'user_events:texts any_length="hello" at_most_five="hello" '
                   'counted="counted" fixed="tiny"')
    same(lines[3], 'user_events:bytes any_length="de ad be ef" mac="02 00 00 00 00 01" '
                   'to="00 00 00 00 ff ff ff ff" port=443')
    same(len(lines), 4)


def eventheader_events_are_decoded():
    path = folder / "eventheader"
    started("--json", "-o", str(path), "--", eventheader)
    events = {event["n"].split(":")[1]: event
              for event in map(json.loads, path.read_text().splitlines())}
    same(events["Report"]["sold"], {"tea": 2, "milk": 1})
    same(events["basket"]["items"],
         [{"name": "tea", "count": 2}, {"name": "milk", "count": 1}])
    same((events["basket"]["meta"]["level"], events["basket"]["meta"]["keyword"]), (5, "0x2"))
    same(events["PaymentStarted"]["meta"]["relatedActivity"],
         events["CheckoutStarted"]["meta"]["activity"])
    started("--event", "MyCompany_Shop_L4*", "-o", str(path), "--meta", "n", eventheader)
    same([line.split()[0] for line in path.read_text().splitlines()],
         [f"MyCompany_Shop:{name}" for name in (
             "CheckoutStarted", "PaymentStarted", "PaymentStopped", "OrderPacked",
             "CheckoutStopped", "Report")])


def eventheader_events_are_chosen_by_their_own_name():
    path, kept = folder / "chosen", folder / "chosen.capture"
    for globs, names in ((["Order*"], {"OrderPacked"}),
                         (["MyCompany_Shop:Report"], {"Report"}),
                         (["*:basket", "PaymentStarted"], {"basket", "PaymentStarted"}),
                         (["MyCompany_Shop_L5*", "Report"], {"basket", "Report"})):
        options = [word for glob in globs for word in ("-e", glob)]
        started(*options, "--json", "-o", str(path), "--", eventheader)
        shown = {json.loads(line)["n"].split(":")[1] for line in path.read_text().splitlines()}
        assert names <= shown, (globs, shown)
        if not any("_L" in glob for glob in globs):
            same(shown, names)
        started(*options, "--record", str(kept), eventheader)
        text = subprocess.run([tool, "decode", "--json", str(kept)], capture_output=True,
                              text=True, timeout=600).stdout
        same({json.loads(line)["n"].split(":")[1] for line in text.splitlines()}, shown)
        kept.unlink()
    started("-e", "Other:Report", "-o", str(path), eventheader, complaint="wrote none")
    started("-e", "Reprot", "-o", str(path), eventheader,
            complaint='There was no event that "Reprot" matches')


def children_are_seen():
    text = started("sh", "-c", f"{hello} & {hello}; wait")
    same(text.count(EVENT), 2)
    same(text.count(SAID), 2)


def remaining_processes_are_waited_for():
    text = started("sh", "-c", f"(sleep 0.3; exec {hello}) >/dev/null & exit 3", status=3)
    same(text, EVENT)


def globs_enable():
    path = folder / "globs"
    started("--event", "t*", "-e", "user_events:by*", "-o", str(path),
            types)
    same([line.split()[2] for line in path.read_text().splitlines()],
         ["user_events:texts", "user_events:bytes"])
    same(started("--event", "nothing", hello,
                 complaint="registered 1 event and wrote none that -e matches"),
         "hello 1: disabled, nothing written\n")


def a_glob_that_matches_nothing_is_reported():
    """Not if no event came at all: this has a message of its own."""
    path = folder / "globs"
    for options in ["-o", str(path), "-e", "typo", "-e", "t*", "-e", "*:ty?o"], \
            ["--record", str(path), "-e", "typo", "-e", "t*", "-e", "*:ty?o"]:
        done = subprocess.run([tool, "run", *options, types], capture_output=True, text=True,
                              timeout=600)
        same((done.returncode, sorted(done.stderr.splitlines())),
             (0, [f'userevents: There was no event that "{glob}" matches.'
                  for glob in ("*:ty?o", "typo")]))
    started("-e", "types", "-e", "user_events:texts", "-o", str(path), types,
            complaint='There was no event that "types" matches')
    started("-e", "user_events:*", "-o", str(path), types)


def many_events_are_whole_and_in_order():
    path = folder / "many"
    started("-o", str(path), "--meta", "n", many, "50000")
    same(path.read_text(), "".join(f"user_events:step number={n}\n" for n in range(50000)))


def the_exit_status_is_the_programs():
    started("sh", "-c", "exit 42", status=42, complaint="registered no events")
    started("sh", "-c", "kill -TERM $$", status=143, complaint="sh was ended by signal 15 "
            "(Terminated).\nuserevents: sh registered no events before the signal ended it.\n")
    started("/nonexistent/program", status=127, complaint="there is no such program")
    started("sh", "-c", "exit 127", status=127, complaint="cannot find out whether sh started")
    for option in "--record", "--output":
        started(option, str(folder / "new"), "/nonexistent/program", status=127,
                complaint="there is no such program")
        same((folder / "new").exists(), False)
    started(str(folder), status=126, complaint="Permission denied")


def a_program_that_is_not_found_may_be_here():
    (folder / "here").write_bytes(b"#!/nonexistent/interpreter\n")
    (folder / "here").chmod(0o700)
    started("here", status=127, cwd=folder,
            complaint="there is no such program in PATH, but a file here: ./here")
    started("./here", status=127, cwd=folder,
            complaint="cannot run ./here: its interpreter, or its loader, does not exist")


def a_ring_or_a_command_that_is_neither_is_reported():
    """Before the kernel is asked, as it has nothing to do with it."""
    (folder / "data").write_bytes(b"no ring")
    for command in ["watch"], ["record"], ["stat", "--watch"], ["latency", "--watch"]:
        for name, why in (("none.ring", "there is no such file here, and none in PATH"),
                          ("./none", "there is no such file"),
                          ("here", "the program here is ./here"),
                          ("data", "it is a file of another kind; recordings are for "
                                   '"userevents decode"')):
            done = subprocess.run([tool, *command, name], capture_output=True, text=True,
                                  timeout=600, cwd=folder)
            same(done.returncode, 1)
            assert done.stderr.endswith(f'"{name}" is neither a ring nor a program: {why}\n') \
                and done.stderr.count("\n") == 1, done.stderr


def a_program_without_events_gets_the_reason():
    for reason in "ue_open(NULL)", "leave the descriptor open", "set-user-id":
        started("true", status=1, complaint=reason)


def never_registered(*args):
    """The names that run reports, in alphabetical order: compilers order events freely."""
    done = subprocess.run([tool, "run", *args], capture_output=True, text=True, timeout=600)
    found = re.search(r"(\d+) events? w\w+ never registered, so nothing can enable \w+: "
                      r"(.*); the program has to call ue_register_all\(\)\.$", done.stderr,
                      re.MULTILINE)
    names = sorted(found[2].split(", ")) if found else []
    same(int(found[1]) if found else 0, len(names))
    return names


def events_that_were_never_registered_are_named():
    same(never_registered(unregistered), ["first", "second", "third_provider_L4K1"])
    same(never_registered(unregistered, "one"), ["second", "third_provider_L4K1"])
    same(never_registered(unregistered, "all"), [])


def events_are_named_though_the_program_was_killed():
    same(never_registered(unregistered, "killed"),
         ["first", "second", "third_provider_L4K1"])


def an_event_that_one_of_several_processes_registers_is_not_named():
    same(never_registered("sh", "-c", f"{unregistered}; {unregistered} one"),
         ["second", "third_provider_L4K1"])


def wrong_usage_is_rejected():
    started(status=2, complaint="cannot run: no program is given")
    started("--evnet", "x", hello, status=2, complaint='did you mean "--event"?')
    started("--event", "", hello, status=2, complaint="is no GLOB")
    started("--record", "--", hello, status=2, complaint='the option --record needs a value before "--"')
    started("--meta", "tme", hello, status=2, complaint='no such member; did you mean "time"?\n')
    started("--meta", "nonsense", hello, status=2, complaint='"nonsense" of meta: there is no such member\n')
    started("--" + "z" * 1000, hello, status=2,
            complaint="z" * 1000 + '" does not exist; "userevents run --help" lists')
    started("--output", "/nonexistent/file", hello, status=1,
            complaint="cannot write /nonexistent/file: No such file")


def dash_is_standard_output():
    same(sorted(started("--output", "-", hello).splitlines()), sorted([EVENT[:-1], SAID[:-1]]))
    assert not os.path.exists("-")


def an_output_need_not_be_readable():
    """Root may read any file, so it has to lose that right."""
    path = folder / "write_only"
    path.write_text("of before")
    path.chmod(0o222)
    started("--meta", "n", "--output", str(path), hello, preexec_fn=without_right_to_all_files)
    path.chmod(0o666)
    same(path.read_text(), "user_events:hello number=1 square=1\n")


def without_right_to_all_files():
    for capability in CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH:
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)


def contradictions_are_rejected():
    path = folder / "contradiction"
    for options in ["--json"], ["-o", str(path) + "2"], ["--meta", "n"]:
        started("--record", str(path), *options, hello, status=2,
                complaint="cannot run: --record excludes --json")
    assert not path.exists()


def options_of_the_program_are_its_own():
    same(started("sh", "-c", "echo $0", "--json", status=1, complaint="registered no events"),
         "--json\n")


def an_output_that_ends_early_does_not_stop_the_program():
    done = folder / "done"
    command = f"{tool} run sh -c '{many} 20000 && : >{done}' | head -n 1"
    result = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True,
                            text=True, timeout=600)
    same(without_pids(result.stdout), "WHO user_events:step number=0\n")
    same(result.stderr, "")
    same(result.returncode, 1)
    assert done.exists()


def a_full_disk_is_reported():
    started("-o", "/dev/full", hello, status=1, complaint="No space left on device")


def the_program_inherits_what_was_before():
    """Signals are neither ignored nor blocked in it."""
    shown = started("grep", "^Sig[BI]", "/proc/self/status", status=1,
                    complaint="registered no events")
    same(shown, subprocess.run(["grep", "^Sig[BI]", "/proc/self/status"],
                               capture_output=True, text=True).stdout)


def SIGTERM_is_passed_on():
    process = subprocess.Popen([tool, "run", "-o", "/dev/null", many, "1", "wait"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    same(process.stdout.readline(), b"ready\n")
    process.send_signal(signal.SIGTERM)
    same(process.wait(600), 143)


def recorded(*args):
    path = folder / "recording"
    started("--record", str(path), *args)
    return path


def decoded(content, status=0):
    done = subprocess.run([tool, "decode", "--meta", "n,pid", "-"], input=content,
                          capture_output=True, timeout=600)
    same(done.returncode, status)
    return done.stdout.decode(), done.stderr.decode()


def a_recording_is_decoded():
    path = folder / "printed"
    started("-o", str(path), "--meta", "n", types)
    expected = [re.sub(r"where=.*", "", line) for line in path.read_text().splitlines()]
    text = without_pids(decoded(recorded(types).read_bytes())[0]).replace("WHO ", "")
    same([re.sub(r" +", " ", re.sub(r"where=.*", "", line)) for line in text.splitlines()],
         expected)
    event = json.loads(subprocess.run(
        [tool, "decode", "--format", "jsonl", str(recorded(many, "1"))],
        capture_output=True, timeout=600).stdout)
    assert re.fullmatch(r"\d{4}-.*Z", event["meta"]["time"]), event


def both_byte_orders_are_decoded():
    sys.path.append(str(pathlib.Path(__file__).parent.parent / "fuzz"))
    from perf_seeds import capture
    for order in "<>":
        same(decoded(capture(order)), ('7 user_events:tick number=258 text="ab"\n', ""))
        done = subprocess.run([tool, "decode", "--wide", "-u", "-"], input=capture(order), capture_output=True,
                              timeout=600)
        same(done.stdout.decode(), "2001-09-09T01:46:40.000000000Z [001] ticker[7/8] "
                                   'user_events:tick number=258 text="ab"\n')


def a_recording_may_go_to_a_pipe():
    command = f"{tool} run --record - {hello} | {tool} decode --meta n -"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=600)
    same(done.stdout, "user_events:hello number=1 square=1\n")
    same(done.stderr, SAID)


def a_truncated_recording_keeps_its_earlier_events():
    content = recorded(many, "3").read_bytes()
    events = decoded(content)[0].splitlines(keepends=True)
    same(len(events), 3)
    borders = {HEADER} | {at for at, _, _ in records(content)}
    for length in range(1, len(content)):
        whole = len(whole_events(content[:length]))
        at_border = length in borders
        text, said = decoded(content[:length], 0 if at_border and whole else 1)
        same(text, "".join(events[:whole]))
        same("cut off at byte" in said, not at_border and length > 16)
        same("has no event" in said, at_border and not whole)


def a_recording_has_what_the_program_wrote():
    """A parser of our own finds each event once, in a few bytes."""
    content = recorded(many, "5000").read_bytes()
    numbers = sorted(struct.unpack("=I", payload)[0] for payload in whole_events(content))
    same(numbers, list(range(5000)))
    assert len(content) < 16 * 5000, len(content)


def a_recording_that_does_not_fit_after_other_content_is_whole():
    """Earlier content stays, and so does every record that fits."""
    path, before, limit = folder / "behind", 8_000_000, 8_500_000

    def limited():  # by a signal, SIGXFSZ, if the tool did not handle it
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    with open(path, "ab") as file:
        file.truncate(before)
        done = subprocess.run([tool, "run", "--record", "-", many, "200000"], stdout=file,
                              stderr=subprocess.PIPE, text=True, timeout=600,
                              preexec_fn=limited)
    same(done.returncode, 1)
    assert "File too large" in done.stderr, done.stderr
    content = path.read_bytes()
    same(content[:before].count(0), before)
    # the events of a page are one record
    assert limit - 16384 < len(content) <= limit, len(content)
    same(decoded(content[before:])[0].count("user_events:step"),
         len(whole_events(content[before:])))


def a_limit_of_files_that_is_too_low_is_reported():
    def limited():
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    done = subprocess.run([tool, "run", many, "1"], stderr=subprocess.PIPE, text=True,
                          timeout=600, preexec_fn=limited)
    same((done.returncode, done.stderr),
         (1, "userevents: cannot capture the events: ulimit -f allows no file of 256 KiB\n"))


def a_damaged_recording_is_reported():
    content = recorded(many, "2").read_bytes()
    first = {kind: at for at, _, kind in reversed(list(records(content)))}
    size, kind, place = (first[EVENTS] + more for more in (0, 4, 8))
    text = first[DEFINITION]
    for at, number, reason in ((size, 0, "size of a record is invalid"), (size, 44, "is invalid"),
                               (size, 1 << 30, "is invalid"), (place, 7, "of no page"),
                               (place, 1 << 31, "of no page"), (12, 1, "has version 1,"), (12, 3, "has version 3,"),
                               (8, 5, "no valid byte order"), (text + 8, 1 << 31, "is malformed"),
                               (text + 12, 1 << 31, "is malformed")):
        wrong = content[:at] + number.to_bytes(4, sys.byteorder) + content[at + 4:]
        text, said = decoded(wrong, 1)
        same(text, "")
        assert reason in said, (at, said)
    unknown = content[:kind] + (9).to_bytes(4, sys.byteorder) + content[kind + 4:] + \
        content[first[EVENTS]:]
    same(decoded(unknown)[0].count("number=1"), 1)


def a_recording_that_cannot_be_written_is_reported():
    started("--record", "/dev/full", hello, status=1, complaint="No space left on device")
    started("--record", "/nonexistent/file", hello, status=1, complaint="cannot write /nonexistent/file")


def a_program_that_cannot_be_started_costs_no_file():
    path = folder / "precious"
    path.write_bytes(b"of before")
    for option in "--output", "--record":
        for program, status in ("/nonexistent/program", 127), (str(folder), 126):
            started(option, str(path), program, status=status, complaint=program)
            same(path.read_bytes(), b"of before")
    path.write_bytes(b"of before" * 1000)
    started("--meta", "n", "--output", str(path), hello)
    same(path.read_text(), "user_events:hello number=1 square=1\n")


def one_recorder_at_a_time_has_a_file():
    path = folder / "shared"
    first = subprocess.Popen([tool, "run", "--record", str(path), "sh", "-c",
                              f"{hello} && echo && read line"], stdin=subprocess.PIPE,
                             stdout=subprocess.PIPE)
    first.stdout.readline()
    first.stdout.readline()
    started("--record", str(path), hello, status=1,
            complaint="another program is recording into it")
    first.communicate(b"go on\n", timeout=600)
    same(first.returncode, 0)
    assert "number=1" in decoded(path.read_bytes())[0]
    path.write_bytes(b"of before, and longer than what is recorded now" * 100)
    started("--record", str(path), hello)
    assert "number=1" in decoded(path.read_bytes())[0]


def a_recording_is_its_owners_alone():
    for mode in (0o644, 0o660, 0o600):
        path = folder / "mode"
        path.write_bytes(b"")
        path.chmod(mode)
        started("--record", str(path), hello)
        same(path.stat().st_mode & 0o777, 0o600)
        path.unlink()
        started("--record", str(path), hello)
        same(path.stat().st_mode & 0o777, 0o600)
    with open(path, "wb") as file:  # the shell's business
        path.chmod(0o640)
        subprocess.run([tool, "run", "--record", "-", hello], stdout=file,
                       stderr=subprocess.DEVNULL, timeout=600)
    same(path.stat().st_mode & 0o777, 0o640)


def a_recording_may_go_to_a_fifo():
    """The tool is not its own reader: without another one it would wait forever."""
    path = folder / "fifo"
    os.mkfifo(path)
    writer = subprocess.Popen([tool, "run", "--record", str(path), many, "20000"])
    text = subprocess.run([tool, "decode", "--meta", "n", str(path)], capture_output=True,
                          timeout=600).stdout.decode()
    same(writer.wait(120), 0)
    same(text, "".join(f"user_events:step number={n}\n" for n in range(20000)))
    writer = subprocess.Popen([tool, "run", "--record", str(path), many, "20000"],
                              stderr=subprocess.PIPE)
    with open(path, "rb") as reader:
        reader.read(1)
    same((writer.wait(120), writer.communicate()[1]), (1, b""))


def closed_standard_streams_stay_closed():
    """Messages do not end up in what is recorded."""
    path = folder / "closed"
    done = subprocess.run(["sh", "-c", '"$@" <&- >&- 2>&-', "sh", tool, "run", "--record",
                           str(path), "sh", "-c", "kill -9 $$"], timeout=600)
    same(done.returncode, 128 + signal.SIGKILL)
    same(decoded(path.read_bytes(), 1),
         ("", "userevents: cannot decode: the standard input has no event; \"userevents doctor\" "
          "finds out why none came\n"))


def a_terminal_has_colour():
    def show(*options, **environment):
        return on_terminal(tool, "run", *options, hello, **environment)
    for options in [], ["--output", "-"]:
        assert "\x1b[1muser_events:hello\x1b[0m number=1" in show(
            *options, TERM="xterm", NO_COLOR=""), options
    for environment in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}):
        text = show(**{"NO_COLOR": "", **environment})
        assert "\x1b" not in text and " user_events:hello number=1" in text, text


def ctrl_c_is_for_the_program():
    """The signal ends it, and the recording has its earlier events."""
    text = on_terminal(
        tool, "run", many, "1", "wait", TERM="dumb",
        answer=lambda text: b"\x03" if b"ready" in text and b"number=0" in text else None)
    assert "user_events:step number=0" in text, text
    same(on_terminal.status, 128 + signal.SIGINT)


def lost_events_are_shown_where_they_are_missing():
    """Text has a line for them, and the sum of these and of the events is what was written.

    A loss stands before the next event of its processor, so the program must stay on one."""
    done = subprocess.run([tool, "run", "--mode", "drop", "-b256k", "--meta", "n,pid,lost", many,
                           "200000"], capture_output=True, text=True, timeout=600,
                          preexec_fn=lambda: os.sched_setaffinity(0, {min(os.sched_getaffinity(0))}))
    lines = without_pids(done.stdout).splitlines()
    losses = [int(line[1:].split()[0]) for line in lines if line.startswith("(")]
    numbers = [int(line.split("=")[1]) for line in lines if not line.startswith("(")]
    total = int(re.search(r"(\d+) events were lost: \1 ring or capture full", done.stderr)[1])
    same(len(numbers) + total, 200000)
    behind, at = 199999 - numbers[-1], 0
    same(sum(losses) + behind, total)
    for line in lines: # each line is at the gap that it reports
        if line.startswith("("):
            at += int(line[1:].split()[0])
        else:
            same(int(line.split("=")[1]), at)
            at += 1


def nothing_is_lost_if_the_program_waits():
    path = folder / "waited"
    started("--mode", "wait", "-b256k", "--record", str(path), many, "200000")
    done = subprocess.run([tool, "decode", "--meta", "n", str(path)], capture_output=True,
                          text=True, timeout=600)
    same(done.returncode, 0)
    same(done.stdout, "".join(f"user_events:step number={i}\n" for i in range(200000)))
    same(subprocess.run([tool, "run", "--mode", "overwrite", many], capture_output=True,
                        timeout=600).returncode, 2)


def a_prefork_of_six_needs_no_more_than_the_least_ring():
    """A server with six workers: none holds what another one needs."""
    path = folder / "prefork"
    for mode, each in ("wait", 20000), ("drop", 100):
        started("--mode", mode, "-b256k", "--record", str(path), guests, "fork", "6", str(each))
        events = [json.loads(line) for line in subprocess.run(
            [tool, "decode", "--json", str(path)], capture_output=True, text=True,
            timeout=600).stdout.splitlines()]
        numbers = {}
        for event in events:
            numbers.setdefault(event["meta"]["pid"], []).append(event["number"])
        same(list(numbers.values()), [list(range(each))] * 7)


def a_reader_that_dies_does_not_end_the_program():
    done = folder / "survived"
    process = subprocess.Popen([tool, "run", "sh", "-c",
                                f"echo $$; read line; {many} 10; : >{done}"],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    process.stdout.readline()
    process.kill()
    process.wait(600)
    process.stdin.write(b"go on\n")
    process.stdin.close()
    process.stdout.read()  # until the program has ended
    assert done.exists()


run([
    events_are_printed_beside_the_output,
    json_has_time_and_pid,
    json_on_standard_output_is_only_json,
    every_type_is_decoded,
    eventheader_events_are_decoded,
    eventheader_events_are_chosen_by_their_own_name,
    children_are_seen,
    remaining_processes_are_waited_for,
    globs_enable,
    a_glob_that_matches_nothing_is_reported,
    many_events_are_whole_and_in_order,
    the_exit_status_is_the_programs,
    a_program_that_is_not_found_may_be_here,
    a_ring_or_a_command_that_is_neither_is_reported,
    a_program_without_events_gets_the_reason,
    events_that_were_never_registered_are_named,
    events_are_named_though_the_program_was_killed,
    an_event_that_one_of_several_processes_registers_is_not_named,
    wrong_usage_is_rejected,
    dash_is_standard_output,
    an_output_need_not_be_readable,
    contradictions_are_rejected,
    options_of_the_program_are_its_own,
    an_output_that_ends_early_does_not_stop_the_program,
    a_full_disk_is_reported,
    the_program_inherits_what_was_before,
    SIGTERM_is_passed_on,
    a_recording_is_decoded,
    both_byte_orders_are_decoded,
    a_recording_may_go_to_a_pipe,
    a_recording_is_its_owners_alone,
    a_recording_may_go_to_a_fifo,
    a_recording_has_what_the_program_wrote, a_truncated_recording_keeps_its_earlier_events,
    a_recording_that_does_not_fit_after_other_content_is_whole,
    a_limit_of_files_that_is_too_low_is_reported,
    a_damaged_recording_is_reported,
    a_recording_that_cannot_be_written_is_reported,
    a_program_that_cannot_be_started_costs_no_file,
    one_recorder_at_a_time_has_a_file,
    closed_standard_streams_stay_closed,
    a_terminal_has_colour,
    ctrl_c_is_for_the_program,
    lost_events_are_shown_where_they_are_missing,
    nothing_is_lost_if_the_program_waits,
    a_prefork_of_six_needs_no_more_than_the_least_ring,
    a_reader_that_dies_does_not_end_the_program,
])
