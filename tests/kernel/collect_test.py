#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents collect, of the kernel's events: recording, metrics, signals.

Arguments: the tool, the programs writer and loser.
"""
import os
import pathlib
import resource
import signal
import socket
import subprocess
import time

from recorders import (DEADLINE, Program, Writer, children, decoded, has_ended, listens,
                       names, numbers, others, path, run_chosen, same, tool, until)
from receiver import Receiver, answer, cut_before_answer, items, ok, silent
from tap import written_to

SECONDS_TO_END = 60  # 5 are promised, of a machine that has time; without them it never ends


def metrics(file):
    """{NAME{LABELS}: value} of a file that may not exist yet."""
    try:
        lines = pathlib.Path(file).read_text().splitlines()
    except FileNotFoundError:
        return {}
    return {line.rpartition(" ")[0].removeprefix("userevents_"): float(line.rpartition(" ")[2])
            for line in lines if not line.startswith("#")}


def lost(values):
    return {name.split('"')[1]: value for name, value in values.items()
            if name.startswith("lost_events_total")}


def seen(collector):
    """Events that were read, or did not fit into a ring."""
    values = collector.values()
    return values.get("read_events_total", 0) + lost(values).get("ring", 0)


class Collector(Program):
    def __init__(self, name, *args, directory=None, **kwargs):
        self.metrics = path(f"{name}.prom")
        pathlib.Path(self.metrics).unlink(missing_ok=True)
        self.directory = directory or path(f"{name}.d")
        # with a system the glob names no EventHeader events, for which all tracepoints that
        # may have some would be taken until one of this name appears
        super().__init__(tool, "collect", "-e", f"user_events:{name}*", "--record",
                         self.directory, "--keep-free", "1M", "--metrics", self.metrics,
                         "--metrics-interval", "1", *args, **kwargs)
        until(lambda: self.process.poll() is not None or metrics(self.metrics),
              "the collector is ready")
        assert self.process.poll() is None, self.wait(None)

    def values(self):
        return metrics(self.metrics)

    def finish(self):
        begun = time.monotonic()
        said = self.end(signal.SIGTERM)
        assert time.monotonic() - begun < SECONDS_TO_END
        return said

    def kill(self):
        """And wait until the recorder has given up the directory, too."""
        recorder, = children(self.process.pid)
        os.kill(recorder, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        until(lambda: has_ended(recorder), "the recorder has ended")

    def files(self):
        return sorted(str(one) for one in pathlib.Path(self.directory).iterdir())


def events_that_appear_later_are_recorded_and_counted():
    name = next(names)
    with Collector(name) as collector:
        with Writer(name) as program:
            listens(collector)
            program.write()
            until(lambda: collector.values().get("read_events_total") == 200, "200 events")
            program.finish()
        said = collector.finish()
    values = collector.values()
    assert "events were lost" not in said, said
    same(set(lost(values).values()), {0.0})
    same(values[f'events_total{{provider="user_events",event="{name}"}}'], 100)
    same(values[f'events_total{{provider="{name}",event="Tick"}}'], 100)
    same(values["recorded_events_total"], 200)
    same(values["unrecorded_events_total"], 0)
    events = decoded(*collector.files())
    same(numbers(events, f"user_events:{name}"), list(range(100)))
    same(numbers(events, f"{name}:Tick"), list(range(100)))


def files_of_earlier_runs_count_for_the_limit():
    name, seen = next(names), set()
    for _ in range(2):
        with Writer(name, 1000, 600) as program, \
                Collector(name, "--rotate", "100k,3") as collector:
            listens(collector)
            program.write()
            until(lambda: collector.values().get("read_events_total") == 2000, "2000 events")
            program.finish()
            collector.finish()
        files = collector.files()
        same(len(files), 3)
        # of one ring after the other, so the last event need not be in the last file, which
        # may have the end of another ring alone
        assert numbers(decoded(*files[-2:]), f"user_events:{name}"), files
        assert not seen.intersection(files), files
        seen.update(files)


def hangups_change_settings_and_lose_nothing():
    name, config = next(names), path("config")
    pathlib.Path(config).write_text("# all\n")
    with Collector(name, "--config", config) as collector, Writer(name) as program:
        listens(collector)
        program.write()
        until(lambda: collector.values().get("read_events_total") == 200, "200 events")
        pathlib.Path(config).write_text("where = number < 10 ||\n")
        collector.process.send_signal(signal.SIGHUP)
        until(lambda: said_so_far(collector, "stay as they were"), "a wrong file is reported")
        pathlib.Path(config).write_text("where = number < 10\nbuffer = 1M\n")
        collector.process.send_signal(signal.SIGHUP)
        until(lambda: said_so_far(collector, "were read again"), "the file is read again")
        program.finish()
        with Writer(name) as program:
            program.write()
            until(lambda: collector.values().get("read_events_total") == 400, "400 events")
            program.finish()
        said = collector.finish()
    assert f"cannot use line 1 of {config}" in said, said
    assert 'cannot change "buffer" while events are collected' in said, said
    values = collector.values()
    same(values["filtered_events_total"], 180)
    same(values["recorded_events_total"], 400)
    same(set(lost(values).values()), {0.0})


def said_so_far(program, text):
    return text in written_to(program.said)


def a_full_ring_is_counted():
    """written = read + lost, while the collector's processes do not run; no event follows."""
    name, count = next(names), 20000
    with Collector(name, "--buffer", "64k") as collector, Writer(name, count) as program:
        listens(collector)
        both = [*children(collector.process.pid), collector.process.pid]
        for pid in both:
            os.kill(pid, signal.SIGSTOP)
        program.write()
        for pid in both:
            os.kill(pid, signal.SIGCONT)
        until(lambda: seen(collector) == 2 * count,
              lambda: f"all are read or lost: {collector.values()}")
        said = collector.finish()
        program.finish()
    values = collector.values()
    same(values["read_events_total"] + lost(values)["ring"], 2 * count)
    assert lost(values)["ring"] > 0
    number = int(lost(values)["ring"])
    assert f"userevents: {number} events were lost, by reason: ring {number}\n" in said, said
    same(values["recorded_events_total"], values["read_events_total"])


def a_full_disk_is_counted_and_ends_nothing():
    """RLIMIT_FSIZE takes the place of the disk's end; metrics files are smaller."""
    name, count = next(names), 2000
    with Collector(name, "--rotate", "1G,2",
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE,
                                                         (200 << 10, 200 << 10))) \
            as collector, Writer(name, count, 600) as program:
        listens(collector)
        program.write()
        until(lambda: collector.values().get("read_events_total") == 2 * count, "all events")
        collector.finish()
        program.finish()
    values = collector.values()
    assert values["unrecorded_events_total"] > 0
    same(values["recorded_events_total"] + values["unrecorded_events_total"], 2 * count)
    same(len(decoded(*collector.files())), values["recorded_events_total"])


def a_disk_without_space_is_counted_and_ends_nothing():
    """A file system of 2 MiB, up to its end, and up to what is to stay free."""
    for keep_free in "1", "1M":
        name, count, disk = next(names), 4000, path("disk")
        os.mkdir(disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m", "none", disk], check=True)
        try:
            with Collector(name, "--rotate", "1G,2", "--keep-free", keep_free,
                           directory=f"{disk}/files") as collector, \
                    Writer(name, count, 600) as program:
                listens(collector)
                program.write()
                until(lambda: seen(collector) == 2 * count,
                      lambda: f"all are read or lost: {collector.values()}")
                collector.finish()
                program.finish()
            values = collector.values()
            assert values["unrecorded_events_total"] > 0, values
            same(values["recorded_events_total"] + values["unrecorded_events_total"],
                 values["read_events_total"])
            same(len(decoded(*collector.files())), values["recorded_events_total"])
        finally:
            subprocess.run(["umount", disk], check=True)
            os.rmdir(disk)


def what_a_killed_collector_had_taken_is_counted():
    name, state = next(names), path("state")
    with Receiver(silent) as receiver, Writer(name) as program:
        with Collector(name, "--otlp", receiver.url, "--state", state) as collector:
            listens(collector)
            program.write()
            until(lambda: collector.values().get("read_events_total") == 200, "200 events")
            collector.kill()
        program.finish()
    with Collector(name, "--state", state) as collector:
        said = collector.finish()
    assert "by reason" not in said, said  # this one lost nothing
    same({reason: number for reason, number in lost(collector.values()).items() if number},
         {"restart": 200})
    same(collector.values()["read_events_total"], 200)


def what_waits_on_the_disk_outlives_kills():
    """Of each kill those that are in a file are sent by the last collector, once."""
    name, state, queue = next(names), path("queue_state"), path("queue")
    directory, kills = path("queue_records"), 2
    with Receiver(ok, listens=False) as receiver:
        args = ("--otlp", receiver.url, "--state", state, "--queue-dir", queue)
        for kill in range(kills):
            with Collector(name, *args, directory=directory) as collector:
                with Writer(name) as program:
                    listens(collector)
                    program.write()
                    until(lambda: collector.values().get('pending_events{place="disk"}') ==
                          200 * (kill + 1), "they are in files")
                    program.finish()
                collector.kill()
        receiver.listen()
        with Collector(name, *args, directory=directory) as collector:
            until(lambda: collector.values().get("delivered_events_total") == 200 * kills,
                  "all are delivered")
            collector.finish()
        taken = sum(len(items(request)) for request in receiver.accepted)
    values = collector.values()
    same((taken, values["read_events_total"]), (200 * kills, 200 * kills))
    same(set(lost(values).values()), {0.0})


def losses_in_programs_are_counted():
    """Each fifth event is too large. What was lost before the collector began does not count."""
    loser, = others

    def program():
        return Program(loser, "some", "1000")

    def wrote(one):
        same([one.process.stdout.readline() for _ in range(2)], [b"registered\n", b"written\n"])
    with Program(tool, "record", "-o", path("first"), "-e", "loser*"), program() as before:
        wrote(before)
        with Collector("loser", "--process-losses", "1") as collector, program() as process:
            wrote(process)
            until(lambda: lost(collector.values())["library"] == 200, "200 losses")
            time.sleep(2)  # two more looks
            collector.finish()
    same({reason: number for reason, number in lost(collector.values()).items() if number},
         {"library": 200})
    same(collector.values()["read_events_total"], 800)


def processor_time(pid):
    """In seconds."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def without_descriptors_clients_wait():
    """And the collector sleeps, as one that cannot accept need not try all the time."""
    name, address = next(names), path("few.sock")
    with Collector(name, "--metrics", f"unix:{address}") as collector, \
            socket.socket(socket.AF_UNIX) as client:
        pid = collector.process.pid
        limits = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, limits[1]))
        before = processor_time(pid)
        client.settimeout(DEADLINE)
        client.connect(address)
        client.sendall(b"GET /metrics HTTP/1.1\r\n\r\n")
        time.sleep(3)
        taken = processor_time(pid) - before
        resource.prlimit(pid, resource.RLIMIT_NOFILE, limits)
        assert client.recv(100).startswith(b"HTTP/1.1 200 OK"), "no answer"
        assert taken < 1, taken
        collector.finish()


def one_collector_writes_to_a_directory():
    name = next(names)
    with Collector(name) as collector:
        done = subprocess.run([tool, "collect", "-e", name, "--record", collector.directory],
                              capture_output=True, timeout=DEADLINE)
        same(done.returncode, 1)
        same(done.stderr.decode(), f"userevents: cannot record into {collector.directory}: "
             "another collector does; give each a directory of its own\n")
        collector.finish()


def receivers_that_misbehave_lose_nothing_uncounted():
    """written = delivered + lost, as the receiver has it, too."""
    name, count = next(names), 2000
    with Receiver(answer(503), cut_before_answer, answer(400), ok) as receiver, \
            Collector(name, "--otlp", receiver.url) as collector, \
            Writer(name, count) as program:
        listens(collector)
        program.write()
        until(lambda: (values := collector.values()).get("delivered_events_total", 0) +
              sum(lost(values).values()) == 2 * count,
              lambda: f"all are delivered or lost: {collector.values()}")
        collector.finish()
        program.finish()
        taken = sum(len(items(request)) for request in receiver.accepted)
    values = collector.values()
    same({reason for reason, number in lost(values).items() if number}, {"receiver"})
    same(values["delivered_events_total"], taken)
    same(taken + lost(values)["receiver"], 2 * count)


def many_tracepoints_do_not_delay_the_end():
    """The kernel waits when it detaches each, and a silent receiver has its time meanwhile."""
    name, number = next(names), 300  # which take longer to detach than the end may
    definitions = [f"--register={name}_{i} u32 number" for i in range(number)]
    with Receiver(silent) as receiver, \
            Collector(name, "--otlp", receiver.url, *definitions) as collector:
        listens(collector, number)
        subprocess.run([tool, "write", f"{name}_7", "number=7"], check=True, timeout=DEADLINE)
        until(lambda: collector.values()["read_events_total"] == 1, "it is read")
        recorder, = children(collector.process.pid)
        begun = time.monotonic()
        collector.process.send_signal(signal.SIGTERM)
        until(lambda: said_so_far(collector, "1 event was lost, by reason: receiver 1\n"),
              "the loss is reported")
        # with one processor, some kernels detach without a wait
        assert not has_ended(recorder) or time.monotonic() - begun < SECONDS_TO_END
        collector.wait()


def a_recorder_that_stands_still_does_not_delay_the_end():
    """As one does whose disk stands still. What it had taken is read, or counted as lost."""
    name = next(names)
    with Collector(name) as collector, Writer(name) as program:
        listens(collector)
        recorder, = children(collector.process.pid)
        collector.process.send_signal(signal.SIGSTOP)
        program.write()
        until(lambda: len(decoded(*collector.files())) == 200, "200 events are in the files")
        os.kill(recorder, signal.SIGSTOP)
        collector.process.send_signal(signal.SIGTERM)
        collector.process.send_signal(signal.SIGCONT)
        collector.process.wait(DEADLINE)
        assert said_so_far(collector, "the recording process does not end"), "no message"
        same(collector.process.returncode, 0)
        until(lambda: has_ended(recorder), "the recorder has ended")
        program.finish()
    same(seen(collector), 200)


def events_without_descriptors_are_left_out():
    """Those that appear when the limit is reached; the others are collected as before."""
    name, number = next(names), 60
    limit = 10 + 20 * os.cpu_count()
    definitions = [f"--register={name}_{i} u32 number" for i in range(number)]
    with Writer(name) as program, \
            Collector(name, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE,
                                                                  (limit, limit))) as collector:
        listens(collector)
        with Program(tool, "record", "-o", path("registers"), "-e", "user_events:none",
                     *definitions):
            until(lambda: said_so_far(collector, f"cannot record user_events:{name}_"),
                  "one is left out")
            program.write()
            until(lambda: collector.values().get("read_events_total") == 200, "200 events")
        program.finish()
        said = collector.finish()
    assert "Too many open files; recording goes on without it" in said, said
    same(len(decoded(*collector.files())), 200)


def killed_collectors_leave_recordings():
    name = next(names)
    with Writer(name) as program, Collector(name) as collector:
        listens(collector)
        program.write()
        until(lambda: collector.values().get("recorded_events_total") == 200, "200 events")
        collector.kill()
        same(len(decoded(*collector.files())), 200)
        with Collector(name) as collector:
            collector.finish()
        same(len(collector.files()), 2)
        program.finish()


run_chosen([events_that_appear_later_are_recorded_and_counted,
            files_of_earlier_runs_count_for_the_limit,
            hangups_change_settings_and_lose_nothing,
            a_full_ring_is_counted,
            a_full_disk_is_counted_and_ends_nothing,
            a_disk_without_space_is_counted_and_ends_nothing,
            what_a_killed_collector_had_taken_is_counted,
            what_waits_on_the_disk_outlives_kills,
            losses_in_programs_are_counted,
            without_descriptors_clients_wait,
            one_collector_writes_to_a_directory,
            receivers_that_misbehave_lose_nothing_uncounted,
            many_tracepoints_do_not_delay_the_end,
            a_recorder_that_stands_still_does_not_delay_the_end,
            events_without_descriptors_are_left_out,
            killed_collectors_leave_recordings])
