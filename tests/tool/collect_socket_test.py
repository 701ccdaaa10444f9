#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents collect --socket: programs that offer their rings to a collector.

Arguments: the tool, the programs many, guests, ring_places.

Each event that was written is read by the collector, or counted as lost. A collector looks
for programs that ended once a second; so the tests wait beside each other.
"""
import array
import contextlib
import fcntl
import mmap
import os
import pathlib
import resource
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

import collectors
from collectors import DEADLINE, folder, links_in, numbers, tool, until
from receiver import Receiver, of, ok
from tap import run, same

many, guests, ring_places = sys.argv[2:]
LOST_AT = collectors.places(ring_places)["lost"]
folder.chmod(0o755)
SECONDS_TO_END = 60  # 5 seconds are promised, on a machine that is not busy
CUT_OFF = 7  # the number of that count
OFFER = 0x66724555
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))


class Collector(collectors.Collector):
    """One that has begun; else its sentence is in .said()."""

    def __init__(self, *args, path=None, begins=True, service=None, listeners=()):
        self.path = path or folder / f"{next(numbers)}"
        super().__init__("--socket", self.path, *args,
                         **(service.give(listeners) if service else {}))
        if begins:
            same(self.process.poll(), None)

    def read(self):
        return self.values().get("read_events_total", 0)

    def lost(self, reason="socket"):
        return self.values().lost().get(reason, 0)

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        """Everything that was written before is counted now."""
        self.signal(signal.SIGTERM)
        same(self.process.wait(DEADLINE), 0)
        return self

    def rings(self):
        """The number of rings that it has."""
        links = links_in(pathlib.Path(f"/proc/{self.process.pid}/fd"))
        return sum("userevents-ring" in link for link in links)

    def has(self, count):
        return self.values().get("socket_rings") == count

    def looks_at_rings(self):
        """Each time that it answers, it looks at each ring afterwards."""
        for _ in range(3):
            until(lambda: collectors.page_of(self.page), "it answers")


def start(collector, program, *args, size="4M", **kwargs):
    return subprocess.Popen([program, *map(str, args)], stdout=subprocess.PIPE,
                            stdin=subprocess.PIPE,
                            env={**os.environ, "USEREVENTS_SOCKET": str(collector.path),
                                 "USEREVENTS_RING_SIZE": size}, **kwargs)


def finish(process, status=0):
    out, _ = process.communicate(timeout=DEADLINE)
    same(process.returncode, status)
    return out.decode()


def connect(collector):
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    client.settimeout(DEADLINE)
    client.connect(str(collector.path))
    return client


@contextlib.contextmanager
def holding(collector, count=1, **kwargs):
    """A program with so many sessions, and descriptors of their rings."""
    program = start(collector, guests, "hold", count - 1, **kwargs)
    fds = [os.open(f"/proc/{program.pid}/fd/{number}", os.O_RDWR)
           for number in program.stdout.readline().decode().split()]
    same(len(fds), count)
    try:
        yield fds
    finally:
        for fd in fds:
            os.close(fd)
        program.communicate(timeout=DEADLINE)


# Programs

def a_program_is_collected():
    with Collector() as collector:
        finish(start(collector, many, 1000))
        same(collector.end().read(), 1000)
        same(collector.said(), "")
        assert not collector.path.exists()


def twenty_programs_at_once_lose_nothing():
    with Collector() as collector:
        programs = [start(collector, many, 2000) for _ in range(20)]
        for program in programs:
            finish(program)
        same(collector.end().read(), 40000)
        same(collector.lost(), 0)


def programs_that_follow_each_other_need_few_rings():
    with Collector("--socket-rings", "3") as collector:
        for _ in range(30):
            finish(start(collector, many, 10))
        same(collector.end().read(), 300)


def rings_of_ended_programs_are_given_back():
    with Collector() as collector:
        for program in [start(collector, many, 10) for _ in range(5)]:
            finish(program)
        until(lambda: not collector.rings(), "no ring is left")


def a_killed_program_loses_nothing_that_it_wrote():
    with Collector() as collector:
        program = start(collector, many, 3000, "wait")
        same(program.stdout.readline(), b"ready\n")
        program.kill()
        program.wait()
        until(lambda: not collector.rings(), "its ring is given back")
        same(collector.end().read(), 3000)


def a_flood_is_read_or_counted():
    with Collector() as collector:
        program = start(collector, guests, "count", 300000, size="256k")
        written, lost = map(int, finish(program).split())
        same(written + lost, 300000)
        collector.end()
        same(collector.read(), written)
        same(collector.lost(), lost)


def killed_in_the_middle_what_was_written_is_there():
    """Each number that the program had written is read; a few more may be."""
    with Collector() as collector:
        for _ in range(5):
            before = collector.read() + collector.lost()
            program = start(collector, guests, "forever", size="256k")
            seen = 0
            for _ in range(20):
                seen = int(program.stdout.readline())
            program.kill()
            program.wait()
            until(lambda: not collector.rings(), "its ring is given back")
            until(lambda: collector.read() + collector.lost() >= before + seen, seen)


def children_share_a_ring_and_the_executed_gets_its_own():
    with Collector() as collector:
        finish(start(collector, guests, "fork", 20, 100))
        until(lambda: not collector.rings(), "no ring is left")
        finish(start(collector, guests, "exec", many, 50))
        same(collector.end().read(), 20 * 100 + 100 + 1 + 50)


def programs_that_ended_before_a_signal_are_read_at_the_end():
    """Those without a place get one, too: that of another program that has ended."""
    with Collector("--socket-rings", "3", "--rings-per-user", "3") as collector:
        collector.signal(signal.SIGSTOP)
        for _ in range(20):
            finish(start(collector, many, 10))
        collector.signal(signal.SIGTERM)
        collector.signal(signal.SIGCONT)
        same(collector.end().read(), 200)
        same(collector.lost(), 0)


def a_daemon_is_collected_until_it_ends():
    with Collector() as collector:
        program = start(collector, guests, "daemon", 100)
        pid = int(finish(program))
        until(lambda: collector.read() >= 101, "the daemon has written")
        rings = collector.rings()
        finish(start(collector, many, 1))
        until(lambda: collector.rings() == rings, "the ring of another program is given back")
        os.kill(pid, signal.SIGUSR1)
        until(lambda: not collector.rings(), "its ring is given back")
        same(collector.end().read(), 103)


def programs_have_their_control_groups():
    text = pathlib.Path("/proc/self/cgroup").read_text()
    path = next((line[3:] for line in text.splitlines() if line.startswith("0::")), "")
    with Receiver(ok) as receiver, Collector("--otlp", receiver.url) as collector:
        program = start(collector, many, 10, "wait")
        until(lambda: collector.read() == 10, "it is read")
        program.kill()
        program.wait()
        collector.end()
        resources = [resource for request in receiver.accepted
                     for resource in of(request.plain(), 1) if b"executable.name" in resource]
    assert resources
    for resource in resources:
        same(b"process.linux.cgroup" in resource, path != "")
        assert path.encode() in resource


def doctor_knows_the_socket():
    with Collector() as collector:
        out, _ = start(collector, tool, "doctor").communicate(timeout=DEADLINE)
        assert b"USEREVENTS_SOCKET names the socket of a collector" in out, out
        program = start(collector, many, 10, "wait")
        until(lambda: collector.read() == 10, "it is read")
        done = subprocess.run([tool, "doctor", "--pid", str(program.pid)], capture_output=True,
                              timeout=DEADLINE)
        same(done.stdout.count(b"nobody reads"), 0)
        program.kill()
        program.wait()
        collector.end()
        out, _ = start(collector, tool, "doctor").communicate(timeout=DEADLINE)
        assert b"no collector listens on the socket of USEREVENTS_SOCKET" in out, out


# Collectors that stop

def a_stopped_collector_delays_no_event():
    with Collector() as collector:
        program = start(collector, guests, "ask")
        same(program.stdout.readline(), b"ready\n")
        collector.signal(signal.SIGSTOP)
        program.stdin.write(b"x" * 1000)
        written, lost = map(int, finish(program).split())
        same((written, lost), (1000, 0))
        same(finish(start(collector, guests, "open")), "0\n")
        collector.signal(signal.SIGCONT)
        until(lambda: not collector.rings(), "its ring is given back")
        same(collector.end().read(), 1000)


def what_is_left_in_many_full_rings_is_counted(*args, count=24, each=150000):
    """The memory of a ring has room for more events than are read in time."""
    with Collector(*args) as collector:
        programs = [start(collector, guests, "ask") for _ in range(count)]
        for program in programs:
            same(program.stdout.readline(), b"ready\n")
        collector.signal(signal.SIGSTOP)
        written = lost = 0
        for program in programs:
            program.stdin.write(b"x" * each)
            one, other = map(int, finish(program).split())
            written, lost = written + one, lost + other
        same(written + lost, count * each)
        begun = time.monotonic()
        collector.signal(signal.SIGTERM)
        collector.signal(signal.SIGCONT)
        same(collector.process.wait(DEADLINE), 0)
        assert time.monotonic() - begun < SECONDS_TO_END, time.monotonic() - begun
        same(collector.read() + collector.lost(), count * each)


def so_it_is_if_rings_are_not_even_looked_at():
    """A receiver gets the time, and programs have lost events, too."""
    what_is_left_in_many_full_rings_is_counted("--otlp", "http://127.0.0.1:9",
                                               count=60, each=200000)


# Collectors that come later, or again

def nudge(program):
    """It writes one more event, and with it looks for a collector."""
    program.stdin.write(b"x")
    program.stdin.flush()
    return True


class Place:
    """Where a collector will be."""

    def __init__(self):
        self.path = folder / f"{next(numbers)}"


def programs_find_a_collector_that_begins_later():
    place = Place()
    programs = [start(place, guests, "ask") for _ in range(5)]
    for program in programs:
        same(program.stdout.readline(), b"ready\n")
        program.stdin.write(b"x" * 100)
        program.stdin.flush()
    time.sleep(1.1)  # later than that they are late
    with Collector(path=place.path) as collector:
        for program in programs:
            program.stdin.write(b"x" * 100)
            program.stdin.flush()
        until(lambda: collector.has(5), "all are there")
        until(lambda: collector.values()["socket_late_programs_total"] == 5, "they were late")
        assert " had no collector for " in collector.said(), collector.said()
        for program in programs:
            same(finish(program), "200 0\n")
        same(collector.end().read(), 1000)


def a_program_that_ends_offers_what_nobody_read():
    place = Place()
    program = start(place, guests, "ask")
    same(program.stdout.readline(), b"ready\n")
    program.stdin.write(b"x" * 100)
    with Collector(path=place.path) as collector:
        same(finish(program), "100 0\n")
        until(lambda: collector.read() == 100, "it is read")
        until(lambda: not collector.rings(), "its ring is given back")


def the_next_collector_reads_on(number):
    """Events that were written meanwhile are in the rings, and full rings count."""
    state = folder / f"{next(numbers)}"
    with Collector("--state", state) as first:
        program = start(first, guests, "ask", size="256k")
        same(program.stdout.readline(), b"ready\n")
        until(lambda: first.has(1), "it is there")
        program.stdin.write(b"x" * 1000)
        program.stdin.flush()
        until(lambda: first.read() == 1000, "they are read")
        first.signal(number)
        first.process.wait(DEADLINE)
    program.stdin.write(b"x" * 30000)
    program.stdin.flush()
    with Collector("--state", state, path=first.path) as second:
        program.stdin.write(b"x" * 1000)
        program.stdin.flush()
        until(lambda: nudge(program) and second.has(1), "it comes back")
        written, lost = map(int, finish(program).split())
        assert lost
        second.end()
        same((second.read(), second.lost()), (written, lost))
        same(second.values()["socket_late_programs_total"], 0)


def after_an_end_the_next_collector_reads_on():
    the_next_collector_reads_on(signal.SIGTERM)


def after_a_kill_the_next_collector_reads_on():
    the_next_collector_reads_on(signal.SIGKILL)


def two_hundred_programs_lose_nothing_in_five_restarts():
    """An event may be in hand at a kill, which is counted or not, and read again or not. No program
    ends before the last collector is there."""
    state, args = folder / f"{next(numbers)}", ["--rings-per-user", "256", "--state"]
    ends = [signal.SIGTERM, signal.SIGKILL] * 2 + [signal.SIGKILL]
    place = Place()
    programs = [start(place, guests, "pace", size="256k") for _ in range(200)]
    for number in ends:
        with Collector(*args, state, path=place.path) as collector:
            before = collector.read()
            until(lambda: collector.read() > before + 2000, "programs are read")
            collector.signal(number)
            collector.process.wait(DEADLINE)
    with Collector(*args, state, path=place.path) as last:
        counts = [tuple(map(int, finish(program).split())) for program in programs]
        written, lost = map(sum, zip(*counts))
        same([count for count in counts if not count[0]], [])
        until(lambda: not last.rings(), "all have left")
        last.end()
        same(last.lost("library"), 0)
        missing = written + lost - last.read() - last.lost()
        assert abs(missing) <= ends.count(signal.SIGKILL), missing
        assert last.values()["socket_refused_programs_total"] == 0, last.said()


# A service manager

class Manager:
    """It keeps descriptors as systemd does, and starts collectors with them."""

    def __init__(self):
        self.path = folder / f"{next(numbers)}"
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(self.path))
        self.socket.settimeout(0.05)
        self.kept = {}

    def listen(self):
        """The other messages are of no interest."""
        with contextlib.suppress(TimeoutError):
            while True:
                text, fds, _, _ = socket.recv_fds(self.socket, 4096, 4)
                lines = dict(line.split("=", 1) for line in text.decode().splitlines())
                name = lines.get("FDNAME")
                if "FDSTORE" in lines:
                    assert len(name) <= 255 and ":" not in name and name not in self.kept, name
                    self.kept[name] = fds[0]
                elif "FDSTOREREMOVE" in lines:
                    os.close(self.kept.pop(name))
        return len(self.kept)

    def give(self, more=()):
        """How a collector is started: its descriptors are those from 3 on."""
        fds = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 500) for fd in [*more, *self.kept.values()]]
        moves = " ".join(f"{number}<&{fd} {fd}<&-" for number, fd in enumerate(fds, 3))
        script = f'exec {moves}; export LISTEN_PID=$$; exec "$0" "$@"'
        names = ["x.socket"] * len(more) + list(self.kept)
        env = {"NOTIFY_SOCKET": str(self.path), "LISTEN_FDS": str(len(fds)),
               "LISTEN_FDNAMES": ":".join(names)}
        return {"env": env, "prefix": ["bash", "-c", script], "pass_fds": fds}


def the_service_manager_keeps_rings():
    """Of a program that was killed meanwhile, and of one that writes nothing afterwards."""
    manager, state = Manager(), folder / f"{next(numbers)}"
    with Collector("--state", state, service=manager) as first:
        programs = [start(first, guests, "ask") for _ in range(3)]
        for program in programs:
            same(program.stdout.readline(), b"ready\n")
        until(lambda: manager.listen() == 3, "it has the rings")
        first.signal(signal.SIGKILL)
        first.process.wait(DEADLINE)
    for program in programs:
        program.stdin.write(b"x" * 100)
        program.stdin.flush()
    same(finish(programs[1]), "100 0\n")
    programs[0].send_signal(signal.SIGKILL)
    programs[0].wait()
    with Collector("--state", state, path=first.path, service=manager) as second:
        until(lambda: second.read() >= 200, "they are read")
        same(finish(programs[2]), "100 0\n")
        until(lambda: not second.rings(), "all have left")
        until(lambda: manager.listen() == 0, "it keeps none")
        second.end()


def count_of_queued_messages():
    return int(pathlib.Path("/proc/sys/net/unix/max_dgram_qlen").read_text())


def a_manager_that_is_slow_hears_of_all():
    """Its queue has room for a few messages: what it does not take is sent again."""
    manager, count = Manager(), count_of_queued_messages() + 20
    if count > 200:
        return
    with Collector("--rings-per-user", "256", service=manager) as collector:
        programs = [start(collector, guests, "ask") for _ in range(count)]
        for program in programs:
            same(program.stdout.readline(), b"ready\n")
        until(lambda: collector.has(count), "it has the rings")
        until(lambda: manager.listen() == count, "all are kept")
        for program in programs[1:]:
            finish(program)
        until(lambda: collector.has(1), "their rings are given back")
        collector.signal(signal.SIGTERM)
        until(lambda: manager.listen() == 1, "one is kept")
        same(collector.process.wait(DEADLINE), 0)
        same(manager.listen(), 1)
        finish(programs[0])


def what_is_not_used_is_closed():
    """Without --socket nobody accepts what a manager's socket has queued."""
    manager, place, ring = Manager(), Place(), folder / f"{next(numbers)}.ring"
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(place.path))
    listener.listen(64)
    with collectors.Collector("--ring", ring, **manager.give([listener.fileno()])) as collector:
        listener.close()
        same([path for path, *_ in sockets_of(collector.process.pid) if path == str(place.path)], [])
        assert "is not used: without --socket" in collector.said(), collector.said()


def sockets_of(pid):
    """The paths of its Unix sockets."""
    links = set(links_in(pathlib.Path(f"/proc/{pid}/fd")))
    for line in pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]:
        words = line.split()
        if f"socket:[{words[6]}]" in links:
            yield words[7] if len(words) > 7 else "", words[6]


def a_number_of_descriptors_that_cannot_be_costs_no_time():
    """Two thousand million of them were closed one by one."""
    for number in "2147483600", "99999999999999999999":
        given = Manager().give()
        given["env"]["LISTEN_FDS"] = number
        given["prefix"][2] = f"ulimit -t 20; {given['prefix'][2]}"
        with collectors.Collector("--ring", folder / "none.ring", **given) as collector:
            collector.process.send_signal(signal.SIGTERM)
            same(collector.process.wait(DEADLINE), 0)
            assert "is not used: LISTEN_FDS is " in collector.said(), collector.said()


def a_manager_that_listens_elsewhere_is_noticed():
    manager, place, other = Manager(), Place(), Place()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(place.path))
    listener.listen(64)
    with Collector(path=other.path, service=manager, listeners=[listener.fileno()]) as collector:
        same(collector.said(), f"userevents: the service manager listens on {place.path}, and "
             f"--socket is {other.path}; programs need USEREVENTS_SOCKET={place.path}\n")
        finish(start(place, many, 100))
        until(lambda: collector.read() == 100, "it is read")


def its_first_line_says_what_it_does():
    with Collector("--ring", "/x/*.ring", "--otlp", "http://me:secret@127.0.0.1:9") as collector:
        first, = [line for line in collectors.written_to(collector.errors).splitlines()
                  if line.startswith("userevents: collecting ")]
        same(first, f"userevents: collecting events of programs with USEREVENTS_SOCKET="
             f"{collector.path}, and of rings /x/*.ring; exporting to http://127.0.0.1:9/v1/logs; "
             f"counts at {collector.metrics}, {collector.page}")


def each_provider_and_user_has_a_limit():
    """What one floods is its own loss, by name; the sum is right."""
    with Receiver(ok) as receiver:
        for option, label in (("--max-rate-per-provider", 'provider_limited_events_total'
                               '{provider="user_events"}'),
                              ("--max-rate-per-user",
                               f'user_limited_events_total{{uid="{os.getuid()}"}}')):
            with Collector("--otlp", receiver.url, option, "100/s") as collector:
                for program in [start(collector, many, 1000) for _ in range(3)]:
                    finish(program)
                values = collector.end().values()
                limited = values.lost()["rate_limit"]
                assert 100 <= 3000 - limited < 3000, limited
                same(values[label], limited)
                same(values["delivered_events_total"], 3000 - limited)


def each_cause_of_a_refusal_is_reported():
    with Collector("--rings-per-user", "2", "--ring-size", "1M") as collector, \
            holding(collector, 3, size="256k"), holding(collector, 1, size="2M"):
        for why in "raise --rings-per-user", "raise --ring-size":
            until(lambda: why in collector.said(), why)
        same(collector.said().count("\n"), 2)


def rings_that_found_no_place_are_counted_at_the_end():
    with Collector("--rings-per-user", "1") as collector, holding(collector):
        until(lambda: collector.has(1), "its place is taken")
        for _ in range(3):
            finish(start(collector, many, 10))
        collector.end()
        same((collector.read(), collector.lost()), (0, 30))


def a_ring_that_found_no_place_is_believed_no_more_than_it_holds():
    """Whatever count of events that were cut off it has; one that is near 2^64 would be less."""
    for count in 2 ** 40, 2 ** 64 - 1:
        with Collector("--rings-per-user", "1") as collector, holding(collector):
            until(lambda: collector.has(1), "its place is taken")
            with holding(collector, size="256k") as fds, mmap.mmap(fds[0], 4096) as head:
                struct.pack_into("=Q", head, LOST_AT + 8 * CUT_OFF, count)
            collector.end()
            same(collector.lost(), (256 << 10) / 8)


def the_service_manager_listens():
    manager, place = Manager(), Place()
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(str(place.path))
    listener.listen(64)
    finish(start(place, many, 100))  # it is over before the collector begins
    with Collector(path=place.path, service=manager, listeners=[listener.fileno()]) as collector:
        until(lambda: collector.read() == 100, "it is read")
        collector.end()
    assert place.path.is_socket()
    finish(start(place, many, 50))
    with Collector(path=place.path, service=manager, listeners=[listener.fileno()]) as collector:
        until(lambda: collector.read() == 50, "it is read")


# The socket

def a_second_collector_is_refused():
    with Collector() as collector:
        with Collector(path=collector.path, begins=False) as second:
            same(second.process.wait(DEADLINE), 1)
            same(second.said(), f"userevents: cannot listen on {collector.path}: another "
                 "process listens there; stop it, or name another socket\n")
        finish(start(collector, many, 10))
        same(collector.end().read(), 10)


def of_collectors_that_begin_at_once_one_wins():
    path = folder / "at-once"
    for _ in range(5):
        stale = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        stale.bind(str(path))
        stale.close()
        metrics = [folder / f"{next(numbers)}.prom" for _ in range(4)]
        all_of_them = [subprocess.Popen([tool, "collect", "--socket", path, "--metrics", one],
                                        stderr=subprocess.DEVNULL) for one in metrics]
        until(lambda: [one.poll() for one in all_of_them].count(1) == 3, "three end")
        until(lambda: any(one.exists() for one in metrics), "one begins")
        for one in all_of_them:
            one.terminate()
            one.wait(DEADLINE)
        assert not path.exists()


def files_are_not_replaced():
    path = folder / "file"
    path.write_text("precious")
    with Collector(path=path, begins=False) as collector:
        same(collector.process.wait(DEADLINE), 1)
        assert "it exists and is no socket" in collector.said(), collector.said()
    same(path.read_text(), "precious")


def paths_that_cannot_be():
    for path, why in ((folder / ("x" * (108 - len(str(folder)))), "at most 107 bytes"),
                      (folder / "none/socket", "its directory does not exist; create it")):
        with Collector(path=path, begins=False) as collector:
            same(collector.process.wait(DEADLINE), 1)
            assert why in collector.said(), collector.said()


def another_file_at_the_path_stays():
    with Collector() as collector:
        collector.path.unlink()
        collector.path.write_text("precious")
        collector.end()
        same(collector.path.read_text(), "precious")


def the_rights_of_the_socket_decide():
    for mode, result in (("0600", "-13\n"), (None, "0\n")):
        with Collector(*(["--socket-mode", mode] if mode else [])) as collector:
            same(collector.path.stat().st_mode & 0o777, int(mode or "666", 8))
            if not os.getuid():
                same(finish(start(collector, guests, "open", user=65534)), result)


def wrong_options_are_explained():
    for args, why in ((["--socket-mode", "9"], "is not a mode"),
                      (["--socket-mode", ""], "no mode"),
                      (["--socket-rings", "0"], "--socket-rings"),
                      (["--ring-size", "4k"], "--ring-size"),
                      (["--ring-size", "65M"], "more than the 64M"),
                      (["--socket", "never"], "is not absolute"),
                      (["--rotate", "64M,2"], "are for --record DIR")):
        done = subprocess.run([tool, "collect", "--socket", folder / "never", "--metrics",
                               folder / "never.prom", *args], capture_output=True,
                              timeout=DEADLINE)
        same(done.returncode, 2)
        assert why in done.stderr.decode(), done.stderr
    done = subprocess.run([tool, "collect", "--socket-rings", "3", "--metrics",
                           folder / "never.prom"], capture_output=True, timeout=DEADLINE)
    same(done.returncode, 2)
    assert "are for --socket PATH" in done.stderr.decode(), done.stderr


# Hostile programs

def a_user_gets_no_more_than_the_limit():
    with Collector("--rings-per-user", "4") as collector:
        with holding(collector, 50):
            until(lambda: collector.values()["socket_refused_programs_total"] == 1, 1)
            same(collector.said().count("raise --rings-per-user"), 1)
            same(collector.values()["socket_rings"], 4)
            same(collector.values()["socket_rings_limit"], 256)
            waiting = start(collector, guests, "ask")
            same(waiting.stdout.readline(), b"ready\n")
            until(lambda: collector.values()["socket_refused_programs_total"] == 2, 2)
        until(lambda: nudge(waiting) and collector.read(), "the refused program has its place")
        written, lost = map(int, finish(waiting).split())
        same(lost, 0)
        finish(start(collector, many, 10))
        same(collector.end().read(), written + 10)


def a_ring_may_not_be_larger_than_the_limit():
    with Collector("--ring-size", "1M") as collector:
        with holding(collector, size="2M"):
            until(lambda: "raise --ring-size" in collector.said(), "it is refused")
        finish(start(collector, many, 10, size="1M"))
        same(collector.end().read(), 10)


def counts_that_cannot_be_are_not_added():
    """A ring is believed less than 2^32 losses at once."""
    with Collector() as collector:
        with holding(collector) as fds, mmap.mmap(fds[0], 4096) as head:
            until(collector.rings, "it is there")
            for number in range(6):
                for at in range(8):  # cut off at last, which is counted when it leaves
                    count = 2 ** 40 + at if number % 2 else 2 ** 64 - 5
                    struct.pack_into("=Q", head, LOST_AT + 8 * at, count * (number != 4))
                collector.looks_at_rings()
        until(lambda: not collector.rings(), "it is given back")
        finish(start(collector, many, 10))
        collector.end()
        same((collector.read(), collector.lost(), collector.lost("library")), (10, 0, 0))
        assert "is damaged: it has lost more events than a program can lose" in collector.said()


RULES_LOCK = (1 << 60) + 1


def clients_that_lock_the_rules_and_leave_cost_no_time():
    """The lock is that of an open file description."""
    lock = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, RULES_LOCK, 1, 0)
    with Collector() as collector:
        with holding(collector, 60) as fds:
            until(lambda: collector.has(60), "they are there")
            for fd in fds:
                fcntl.fcntl(fd, fcntl.F_OFD_SETLK, lock)
            begun = time.monotonic()
        until(lambda: not collector.rings(), "they are given back")
        assert time.monotonic() - begun < SECONDS_TO_END, time.monotonic() - begun
        collector.end()


def a_thousand_that_say_nothing_stop_nobody():
    with Collector("--socket-rings", "20", "--rings-per-user", "20") as collector:
        program = start(collector, guests, "ask")
        same(program.stdout.readline(), b"ready\n")
        clients = [connect(collector) for _ in range(1000)]
        program.stdin.write(b"x" * 1000)
        same(finish(program), "1000 0\n")
        until(lambda: collector.read() == 1000, "it is read")
        for client in clients:
            client.close()
        until(lambda: not collector.rings(), "they are given back")
        finish(start(collector, many, 10))
        same(collector.end().read(), 1010)


def many_programs_keep_no_file_out():
    with Collector("--socket-rings", "1100", "--rings-per-user", "1100",
                   "--ring", folder / "beside*.ring") as collector, \
            holding(collector, 1030, size="256k"):
        until(lambda: collector.values().get("socket_rings") == 1030, "all are in")
        ring = folder / "beside.ring"
        subprocess.run([tool, "ring", "create", "--size", "256k", "--mode", "drop", ring],
                       check=True, timeout=DEADLINE)
        subprocess.run([many, "10"], env={**os.environ, "USEREVENTS_RING": str(ring)},
                       check=True, timeout=DEADLINE)
        until(lambda: collector.read() == 10, "it is read")
        collector.end()


def leave_descriptors(process, count):
    """The process can open so many more, when it has closed what it is about to close."""
    used = set(range(4096))
    for _ in range(10):
        used &= {int(fd) for fd in os.listdir(f"/proc/{process.pid}/fd")}
        time.sleep(0.1)
    free = (number for number in range(4096) if number not in used)
    limit = [next(free) for _ in range(count + 1)][-1]
    resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (limit, hard))


def a_ring_that_cannot_be_read_comes_back():
    """A connection takes the only descriptor, and a ring two more and a reader's."""
    with Collector() as collector:
        collector.is_asked = False  # as the answer would need a descriptor
        leave_descriptors(collector.process, 1)
        program = start(collector, guests, "ask")
        same(program.stdout.readline(), b"ready\n")
        until(lambda: collector.values()["socket_refused_programs_total"] == 1, 1)
        assert "Too many open files" in collector.said(), collector.said()
        leave_descriptors(collector.process, 20)
        until(lambda: nudge(program) and collector.rings(), "it is there")
        written, lost = map(int, finish(program).split())
        collector.end()
        same((collector.read(), lost), (written, 0))


def a_program_may_say_more_than_this_version_knows():
    with Collector() as collector, connect(collector) as client, holding(collector) as fds:
        until(lambda: collector.has(1), "it is there")
        message = array.array("I", [OFFER, 1, 2, 3]).tobytes()
        socket.send_fds(client, [message], [fds[0]])  # which it has
        finish(start(collector, many, 10))
        collector.end()
        same((collector.read(), collector.said()), (10, ""))


def definitions_of_a_user_are_limited():
    with Collector() as collector:
        programs = [start(collector, guests, "define", 4000) for _ in range(5)]
        for program in programs:
            same(program.stdout.readline(), b"ready\n")
        until(lambda: "have more than 16384 events" in collector.said(), "one is left")
        finish(start(collector, many, 10))
        for program in programs:
            finish(program)
        same(collector.end().read(), 10)
        same(collector.said().count("have more than"), 1)


def definitions_of_rings_that_come_at_once_are_limited():
    """The memory is that of the limit and one ring, and one message is enough."""
    def most_memory():
        status = pathlib.Path(f"/proc/{collector.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0])

    with Collector() as collector:
        programs = [start(collector, guests, "wait-define", 4000) for _ in range(16)]
        for program in programs:
            same(program.stdout.readline(), b"open\n")
        before = most_memory()
        collector.signal(signal.SIGSTOP)
        for program in programs:
            program.stdin.write(b"x")
            program.stdin.flush()
        for program in programs:
            same(program.stdout.readline(), b"ready\n")
        collector.signal(signal.SIGCONT)
        until(lambda: "have more than 16384 events" in collector.said(), "one is left")
        collector.looks_at_rings()
        if "libasan" not in pathlib.Path(f"/proc/{collector.process.pid}/maps").read_text():
            assert most_memory() - before < 16 << 10, most_memory() - before
        for program in programs:
            finish(program)
        finish(start(collector, many, 10))
        same(collector.end().read(), 10)
        same(collector.said().count("have more than"), 1)


def records_without_a_definition_keep_nothing_waiting():
    with Collector() as collector:
        programs = [start(collector, guests, "nonsense") for _ in range(4)]
        for program in programs:
            same(program.stdout.readline(), b"ready\n")
        finish(start(collector, many, 1000))
        until(lambda: collector.read() == 1000, "it is read")
        until(lambda: collector.lost("damaged"), "the metrics are written")
        collector.looks_at_rings()
        for program in programs:
            program.kill()
            program.wait()
        until(lambda: not collector.rings(), "their rings are given back")
        same(collector.end().read(), 1000)


def a_ring_that_is_scribbled_over_harms_only_itself():
    with Collector() as collector, contextlib.ExitStack() as stack:
        fds = stack.enter_context(holding(collector))
        until(collector.rings, "it is there")
        size = os.fstat(fds[0]).st_size
        for call in (lambda: os.ftruncate(fds[0], 4096), lambda: os.ftruncate(fds[0], 2 * size)):
            try:
                call()
            except PermissionError:
                continue
            raise AssertionError("it can be resized")
        for at in range(64, size, 1 << 16):
            os.pwrite(fds[0], os.urandom(1 << 15), at)
        finish(start(collector, many, 1000))
        until(lambda: collector.values().get(
            'events_total{provider="user_events",event="step"}', 0) >= 1000, "read")
        os.pwrite(fds[0], b"\0" * 4096, 0)
        stack.close()
        until(lambda: not collector.rings(), "it is given back")
        finish(start(collector, many, 10))
        collector.end()
        same((collector.lost(), collector.lost("library")), (0, 0))


def losses_of_damaged_rings_are_counted_apart():
    """No more than a ring has room for, and by user; what another one loses is no part of it."""
    with Collector() as collector, holding(collector) as fds:
        until(lambda: collector.has(1), "it is there")
        size = os.fstat(fds[0]).st_size
        program = start(collector, guests, "nonsense", size="256k")
        same(program.stdout.readline(), b"ready\n")
        until(lambda: collector.lost("damaged") == (256 << 10) / 8, "it is at its limit")
        program.kill()
        program.wait()
        for turn in range(20):
            os.pwrite(fds[0], os.urandom(size - 4096), 4096)
            struct_at = struct.pack("=Q", 1000 * turn)
            os.pwrite(fds[0], struct_at, LOST_AT)
        flood = start(collector, guests, "count", 300000, size="256k")
        written, lost = map(int, finish(flood).split())
        collector.looks_at_rings()
        collector.end()
        same((collector.lost(), collector.lost("library")), (lost, 0))
        damaged = collector.lost("damaged")
        assert damaged <= ((256 << 10) + size) / 8, damaged
        of_user = {name: count for name, count in collector.values().items()
                   if name.startswith("socket_lost_events_total")}
        same(of_user, {f'socket_lost_events_total{{reason="ring",uid="{os.getuid()}"}}': lost,
                       f'socket_lost_events_total{{reason="library",uid="{os.getuid()}"}}': 0,
                       f'socket_lost_events_total{{reason="damaged",uid="{os.getuid()}"}}': damaged})


def losses_that_can_be_are_those_of_the_user():
    """No ring shows that its counts are invented, as long as they grow as fast as a program's. The
    user is also known to a later collector."""
    state = folder / "losing"
    with Collector("--state", state) as collector, holding(collector) as fds:
        until(lambda: collector.has(1), "it is there")
        for turn in range(1, 6):
            for at in range(4):
                os.pwrite(fds[0], struct.pack("=Q", 1000 * turn), LOST_AT + 8 * at)
            collector.looks_at_rings()
        until(lambda: collector.lost() == 20000, "they are counted")
        collector.end()
        values = collector.values()
        same(values.lost(), {"socket": 20000})
        of_user = {reason: values[f'socket_lost_events_total{{reason="{reason}",uid="{os.getuid()}"}}']
                   for reason in ("ring", "library", "damaged")}
        same((of_user["ring"] + of_user["library"], of_user["damaged"]), (20000, 0))
    with Collector("--state", state) as collector:
        kept = collector.end().values()
        same(kept.lost(), {"socket": 20000})
        same({name: kept[name] for name in values if name.startswith("socket_lost")},
             {name: values[name] for name in values if name.startswith("socket_lost")})


try:
    run([a_program_is_collected,
         twenty_programs_at_once_lose_nothing,
         programs_that_follow_each_other_need_few_rings,
         rings_of_ended_programs_are_given_back,
         a_killed_program_loses_nothing_that_it_wrote,
         a_flood_is_read_or_counted,
         killed_in_the_middle_what_was_written_is_there,
         children_share_a_ring_and_the_executed_gets_its_own,
         programs_that_ended_before_a_signal_are_read_at_the_end,
         a_daemon_is_collected_until_it_ends,
         programs_have_their_control_groups,
         doctor_knows_the_socket,
         a_stopped_collector_delays_no_event,
         what_is_left_in_many_full_rings_is_counted,
         so_it_is_if_rings_are_not_even_looked_at,
         programs_find_a_collector_that_begins_later,
         a_program_that_ends_offers_what_nobody_read,
         after_an_end_the_next_collector_reads_on,
         after_a_kill_the_next_collector_reads_on,
         two_hundred_programs_lose_nothing_in_five_restarts,
         the_service_manager_keeps_rings,
         a_manager_that_is_slow_hears_of_all,
         what_is_not_used_is_closed, a_number_of_descriptors_that_cannot_be_costs_no_time,
         a_manager_that_listens_elsewhere_is_noticed,
         its_first_line_says_what_it_does,
         each_provider_and_user_has_a_limit,
         each_cause_of_a_refusal_is_reported,
         rings_that_found_no_place_are_counted_at_the_end,
         a_ring_that_found_no_place_is_believed_no_more_than_it_holds,
         the_service_manager_listens,
         a_second_collector_is_refused,
         of_collectors_that_begin_at_once_one_wins,
         files_are_not_replaced,
         paths_that_cannot_be,
         another_file_at_the_path_stays,
         the_rights_of_the_socket_decide,
         wrong_options_are_explained,
         a_user_gets_no_more_than_the_limit,
         counts_that_cannot_be_are_not_added,
         clients_that_lock_the_rules_and_leave_cost_no_time,
         a_ring_may_not_be_larger_than_the_limit,
         a_thousand_that_say_nothing_stop_nobody,
         many_programs_keep_no_file_out,
         a_ring_that_cannot_be_read_comes_back,
         a_program_may_say_more_than_this_version_knows,
         definitions_of_a_user_are_limited,
         definitions_of_rings_that_come_at_once_are_limited,
         records_without_a_definition_keep_nothing_waiting,
         a_ring_that_is_scribbled_over_harms_only_itself,
         losses_of_damaged_rings_are_counted_apart,
         losses_that_can_be_are_those_of_the_user], at_once=6)
finally:
    shutil.rmtree(folder)
