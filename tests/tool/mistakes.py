# SPDX-License-Identifier: MIT
"""The mistakes that people make with the library and the tool, and what they are told.

A row is a mistake and the command that shows it: its message names the cause and the fix, and
its status is not 0 where events are missing. With "run" the status is the program's, so there
the message alone says so. Rows of the kernel are run by tests/kernel/mistakes_test.py, the
others by mistakes_test.py beside this.
"""
import contextlib
import dataclasses
import os
import pathlib
import resource
import subprocess
import tempfile

from processes import running
from recordings import Recording
from tap import same

OF_THE_PROGRAM = 0


@dataclasses.dataclass
class Row:
    number: int
    mistake: str
    words: list  # of the command; NAME in braces stands for a file of the place
    status: int = 1
    says: tuple = ()  # parts of the message, in this order
    never_says: str = "\0"
    events: int = 0  # that are printed
    env: dict = dataclasses.field(default_factory=dict)
    before: list = dataclasses.field(default_factory=list)  # commands
    after: list = dataclasses.field(default_factory=list)
    limit: tuple = ()  # of resources
    beside: list = dataclasses.field(default_factory=list)  # of a command; it prints "ready"
    on: str = "tool"  # or kernel

    @property
    def is_none(self):
        """It works, so no message is needed."""
        return not self.says


def recorded(*times, **kwargs):
    """With an event at each time."""
    recording = Recording(**kwargs)
    event = recording.event("user_events", "done", 500, [("s32", "status", 4, 1)])
    recording.comm(0, 101, "writer")
    for time in times:
        recording.sample(event, time, recording.pack("i", 200))
    return recording


NOON = 1_700_000_000 // 86400 * 86400 * 10**9 + 43200 * 10**9


class Place:
    """A folder with the files that rows name."""

    def __init__(self, tool, program, namesakes=""):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.names = {}
        whole = recorded(1).file()
        for name, content in (("whole", whole), ("cut", whole[:-300]),
                              ("text", b"hello, world\n" * 9), ("old", b"PERFFILE" + b"\0" * 96),
                              ("none", recorded().file()), ("program", b""),
                              ("at-noon", recorded(1, clock=(NOON, 0)).file())):
            self.add(name, content)
        self.names.update(tool=os.path.abspath(tool), program=os.path.abspath(program),
                          namesakes=os.path.abspath(namesakes))
        self.system("without-option", {"boot/config-6.12.1": "# CONFIG_USER_EVENTS is not set\n"})
        self.system("without-tracefs", {"proc/self/mounts": "proc /proc proc rw 0 0\n"})
        for name in "ring", "other-ring", "closed-ring":
            self.run(["{tool}", "ring", "create", "{folder}/" + name])
            self.names[name] = str(self.folder / name)
        with open(self.names["other-ring"], "r+b") as ring:
            ring.seek(12)
            ring.write(b"\xff\xff\0\0")
        os.chmod(self.names["closed-ring"], 0)

    def add(self, name, content):
        path = self.folder / name
        path.write_bytes(content)
        self.names[name] = str(path)

    def system(self, name, files):
        """A tree of doctor --root."""
        for file, text in {"proc/sys/kernel/osrelease": "6.12.1\n", **files}.items():
            path = self.folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.names[name] = str(self.folder / name)

    def words(self, words):
        return [word.format(folder=self.folder, **self.names) for word in words]

    def run(self, words, env=(), limit=()):
        def limited():
            if limit:
                resource.setrlimit(*limit)
        return subprocess.run(self.words(words), capture_output=True, text=True, timeout=600,
                              stdin=subprocess.DEVNULL, preexec_fn=limited, cwd=self.folder,
                              env={**os.environ, **{name: self.words([value])[0]
                                                    for name, value in dict(env).items()}})

    @contextlib.contextmanager
    def beside(self, words):
        """A command that waits for the end of its input."""
        if not words:
            yield
            return
        with running(*self.words(words)) as process:
            process.stdout.readline()
            yield

    def check(self, row):
        for words in row.before:
            self.run(words, row.env)
        with self.beside(row.beside):
            done = self.run(row.words, row.env, row.limit)
        for words in row.after:
            self.run(words)
        same((row.number, done.returncode, done.stdout.count("step ")),
             (row.number, row.status, row.events))
        said, at = done.stderr + done.stdout, 0
        for part in row.says:
            assert part in said[at:], (row.mistake, part, said)
            at = said.index(part, at)
        assert row.never_says not in said, said
        if row.is_none:
            same(done.stderr, "")


def of_run(number, mistake, name, says, status=OF_THE_PROGRAM, **kwargs):
    return Row(number, mistake, ["{tool}", "run", "--", "{program}", name], status, says, **kwargs)


# Root is a user like any other then.
WITHOUT_RIGHTS = [] if os.geteuid() else [
    "setpriv", "--bounding-set=-dac_override,-dac_read_search"]
DATA = "/sys/kernel/tracing/user_events_data"
REGISTER = ("ue_open(NULL)", "ue_register_all()")

ROWS = [
    of_run(1, "events are not registered", "not-registered",
           ("registered no events. It must call", *REGISTER, "2 events were never registered"), 1),
    of_run(2, "no session is opened", "not-opened", ("registered no events", *REGISTER), 1),
    Row(3, "the kernel has no user_events", ["{tool}", "doctor", "--root", "{without-option}"], 1,
        ("has CONFIG_USER_EVENTS not set", '"userevents run" shows them',
         "scripts/config -e USER_EVENTS")),
    Row(4, "no right to write events", [*WITHOUT_RIGHTS, "{tool}", "doctor"], 1,
        ("!! ", DATA, "$ "), before=[["chmod", "0", DATA]], after=[["chmod", "640", DATA]],
        on="kernel"),
    Row(5, "tracefs is not mounted", ["{tool}", "doctor", "--root", "{without-tracefs}"], 1,
        ("!! ", "tracefs", "mount -t tracefs")),
    of_run(6, "all descriptors are closed before ue_open()", "closed-before-open",
           ("registered no events", "leave the descriptor open"), 1),
    Row(7, "a ring of another version", ["{tool}", "decode", "{other-ring}"], 1,
        ("it has version 65535", "use the tool of the library that wrote it")),
    Row(8, "a ring that is none", ["{tool}", "ring", "info", "{text}"], 1,
        ("it is no ring", '"userevents ring create" makes one')),
    Row(9, "the folder of a ring is missing", ["{tool}", "ring", "create", "{folder}/no/ring"], 1,
        ("its directory does not exist; create that first",)),
    Row(10, "a ring that is a folder", ["{tool}", "watch", "{folder}"], 1,
        ("is neither a ring nor a program: it is a directory; name a file in it",)),
    Row(11, "no right to a ring", [*WITHOUT_RIGHTS, "{tool}", "decode", "{closed-ring}"], 1,
        ("Permission denied; ask its owner, or use root",)),
    Row(12, "no room for a ring", ["{tool}", "ring", "create", "{folder}/large"], 1,
        ("use a smaller --size",), limit=(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))),
    Row(13, "the disk is full", ["{tool}", "run", "--record", "/dev/full", "--", "{program}",
                                 "writes"], 1,
        ("cannot write all of /dev/full: No space left", "; free some, or write elsewhere")),
    Row(14, "a recording is cut", ["{tool}", "decode", "{cut}"], 1,
        ("cannot read", "it is damaged: a feature is not within the file")),
    Row(15, "a file is no recording", ["{tool}", "decode", "{text}"], 1,
        ("it is not a recording: neither perf.data, trace.dat",)),
    Row(16, "a wrong operator", ["{tool}", "decode", "-w", "status = 5", "{whole}"], 2,
        ('"=" is not an operator; write ==', "status = 5\n", "       ^")),
    Row(17, "a field that does not exist", ["{tool}", "stat", "--by", "statsu", "{whole}"], 1,
        ('did you mean "status"?',)),
    Row(18, "an event that does not exist", ["{tool}", "latency", "done", "don", "{whole}"], 1,
        ('there is none; did you mean "done"?',)),
    Row(19, "SQL with a typo", ["{tool}", "query", "{whole}", "SELEC 1"], 2, ("SELEC",)),
    Row(20, "an option with a typo", ["{tool}", "decode", "--whree", "status == 1", "{whole}"], 2,
        ('did you mean "--where"?',)),
    Row(21, "a program that does not exist", ["{tool}", "run", "no-such-program"], 127,
        ("cannot run no-such-program: there is no such program",)),
    Row(22, "a library is missing", ["{tool}", "run", "sh", "-c", "exit 127"], 127,
        ("cannot find out whether sh started", "try: ldd sh")),
    Row(23, "another program has the event with other fields",
        ["{tool}", "watch", "-d", "0.1", "-r", "step u64 other"], 1, ("step", "other fields"),
        beside=["{program}", "waits"], on="kernel"),
    of_run(24, "a crash", "crashes", ("was ended by signal 11 (Segmentation fault).",), 128 + 11,
           events=1),
    of_run(25, "writing in a signal handler", "writes-in-a-handler", (), events=200),
    of_run(26, "two forks", "forks-twice", (), events=4),
    of_run(27, "dropping rights and a fork", "drops-rights-and-forks", (), events=2),
    of_run(28, "chroot()", "changes-its-root", (), events=1),
    of_run(29, "closing the session's descriptor", "closed-after-open", (), events=1),
    Row(30, "two events of one name", ["{tool}", "run", "-o", "/dev/null", "--", "{namesakes}"], 1,
        ('cannot register "tick u', '": "tick u', "other fields; rename one of them")),
    of_run(31, "all descriptors are closed before a fork", "closed-before-fork", (), events=2),
    Row(32, "a payload that is too large, on a kernel", ["{tool}", "watch", "--", "{program}",
                                                         "too-large"], 1,
        ("1 event was lost", "too large"), events=1, on="kernel"),
    Row(33, "an empty ring", ["{tool}", "decode", "{ring}"], 1,
        ("has no event: no program registered an event in it", *REGISTER, "USEREVENTS_RING"),
        env={"USEREVENTS_RING": "{ring}"}, before=[["{program}", "not-registered"]]),
    Row(34, "a ring that does not exist is watched", ["{tool}", "watch", "no.ring"], 1,
        ('"no.ring" is neither a ring nor a program', "there is no such file here")),
    # The parent's words are never set, so its writes cost nothing and cannot be seen.
    of_run(35, "registering in the child only", "registered-in-the-child", (), events=1),
    # Beside the 35.
    of_run(36, "a crash before main()", "crashes-early",
           ("was ended by signal 11", "registered no events before the signal ended it."), 128 + 11,
           never_says="ue_open"),
    Row(37, "a recording without an event", ["{tool}", "stat", "{none}"], 1,
        ("has no event", '"userevents doctor" finds out why none came')),
    Row(38, "perf.data of the first format", ["{tool}", "decode", "{old}"], 1,
        ("first format (PERFFILE), which is not supported", "perf script")),
    Row(39, "a program without its folder", ["{tool}", "list", "program"], 1,
        ("program is also a file here: userevents list ./program",)),
    Row(40, "a time as the format of an export", ["{tool}", "export", "--to", "20:06:01", "{whole}"],
        2, ("that is a time", "--until")),
    Row(41, "a time of day after the end", ["{tool}", "decode", "--from", "23:59:59", "--to",
                                            "00:00:01", "{at-noon}"], 1,
        ("none of those read is between --from and --to",)),
    Row(42, "no right to a ring that is watched", [*WITHOUT_RIGHTS, "{tool}", "watch",
                                                   "{closed-ring}"], 1,
        ("neither a ring nor a program: this user may not read it; ask its owner, or use root",)),
    Row(43, "a folder of recordings is decoded", ["{tool}", "decode", "{folder}"], 1,
        ("Is a directory; name the files in it",)),
]


def tests(place, on):
    """A function for each row that runs there, with its number and mistake as the name."""
    def test_of(row):
        def test():
            place.check(row)
        test.__name__ = f"{row.number}: {row.mistake}"
        return test
    return [test_of(row) for row in ROWS if row.on == on]


def every_mistake_has_a_row():
    same(sorted(row.number for row in ROWS), list(range(1, 44)))
