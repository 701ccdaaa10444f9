#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""userevents collect --queue-dir: requests that wait on the disk.

Arguments: the tool, the programs bench_paced, guests and starts. UE_TEST_FULL=1 makes the outage ten minutes long.

Each event carries its number, so the receiver knows which it got, and how often.
"""
import array
import collections
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time

import collectors
from collectors import DEADLINE, folder, numbers, tool, until
from receiver import Receiver
from tap import is_full, run, same

paced, guests, starts = sys.argv[2:]
REQUEST = 512  # events, at most
# The attribute n: KeyValue { "n", AnyValue { int_value } }.
NUMBER = re.compile(rb"\n\x01n\x12[\x02-\x06]\x18([\x80-\xff]*[\x00-\x7f])", re.DOTALL)
# The attribute count of a record userevents.lost.
COUNT = re.compile(rb"\n\x05count\x12[\x02-\x06]\x18([\x80-\xff]*[\x00-\x7f])", re.DOTALL)
LOST_LATER = ("filter", "rate_limit", "queue", "receiver", "restart", "corrupt")


def number_of(varint):
    number = 0
    for byte in reversed(varint):
        number = number << 7 | byte & 127
    return number


class Taker(Receiver):
    """It keeps the numbers of the events, and not the requests."""

    def __init__(self, pause=0, answers=True, **kwargs):
        self.seen = array.array("I")
        self.told = 0  # that were lost
        self.pause, self.answers = pause, threading.Event()
        if answers:
            self.answers.set()
        super().__init__(self.take, **kwargs)

    def take(self, conversation):
        body = conversation.take(False).plain()
        with self.lock:
            self.seen.extend(map(number_of, NUMBER.findall(body)))
            self.told += sum(map(number_of, COUNT.findall(body)))
            self.requests.clear()
        time.sleep(self.pause)
        self.answers.wait(DEADLINE)
        return conversation.send(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n"
                                 b"Content-Type: application/x-protobuf\r\n\r\n")


class Collector(collectors.Collector):
    def waits_for(self, **wanted):
        until(lambda: all(self.values().get(name, 0) >= value
                          for name, value in wanted.items()), wanted)

    def kill(self):
        """The most memory that it had."""
        most = self.most_memory()
        self.process.kill()
        self.process.wait()
        return most

    def most_memory(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmHWM:\s+(\d+)", text).group(1)) << 10

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        same(self.process.wait(DEADLINE), 0)
        return balanced(self.values())


def pending(values, *places):
    return sum(values.get(f'pending_events{{place="{place}"}}', 0)
               for place in places or ("encoder", "queue", "disk"))


def balanced(values):
    """Each event that was read is in one place."""
    lost = values.lost()
    same(values["read_events_total"], values["filtered_events_total"] + pending(values) +
         values["delivered_events_total"] + sum(lost.get(reason, 0) for reason in LOST_LATER))
    return values


class Place:
    """A ring, a queue and counts, for one collector after the other."""

    def __init__(self, size="4M"):
        name = folder / f"{next(numbers)}"
        self.ring, self.queue, self.state = (name.with_suffix(end)
                                             for end in (".ring", ".queue", ".state"))
        subprocess.run([tool, "ring", "create", "--size", size, "--mode", "drop", self.ring],
                       check=True, timeout=DEADLINE)

    def collector(self, url, *args, **kwargs):
        return Collector("--ring", self.ring, "--otlp", url, "--queue-dir", self.queue,
                         "--state", self.state, "--brief", *args, **kwargs)

    def write(self, rate, seconds):
        return subprocess.Popen([paced, str(rate), str(seconds), "integer"],
                                env={**os.environ, "USEREVENTS_RING": str(self.ring)},
                                stdout=subprocess.PIPE, text=True)

    def unread(self):
        return subprocess.run([tool, "decode", self.ring], capture_output=True,
                              timeout=DEADLINE).stdout

    def files(self):
        return sorted(self.queue.glob("*.queue"))


# An outage

def nothing_is_lost_in_an_outage_with_kills():
    rate, seconds, kills = 5000, 600 if is_full else 12, 5
    place, most = Place(), 0
    with Taker(listens=False) as receiver:
        writer = place.write(rate, seconds)
        end = time.monotonic() + seconds
        for left in range(kills, 0, -1):
            with place.collector(receiver.url) as collector:
                time.sleep(random.uniform(0.3, 1) * (end - time.monotonic()) / (left + 1))
                most = max(most, collector.kill())
        with place.collector(receiver.url) as collector:
            writer.communicate()
            receiver.listen()
            until(lambda: (values := collector.values()) and not pending(values) and
                  len(receiver.seen) >= rate * seconds, "all is delivered")
            most = max(most, collector.most_memory())
            values = collector.end()
    counts = collections.Counter(receiver.seen)
    print(f"# written {rate * seconds}, delivered {len(counts)}, twice "
          f"{len(receiver.seen) - len(counts)}, read {values['read_events_total']:.0f}, "
          f"memory {most >> 20} MiB", flush=True)
    same(values.lost(), {})
    same((min(counts), max(counts), len(counts)), (0, rate * seconds - 1, rate * seconds))
    assert len(receiver.seen) - len(counts) <= kills * REQUEST  # nothing is on its way
    assert most < 64 << 20, most
    same(place.files(), [])


def nothing_is_lost_by_kills_while_the_receiver_takes():
    rate, seconds, kills = 5000, 10, 5
    place = Place()
    with Taker(pause=0.2) as receiver:  # there is always a request on its way
        writer = place.write(rate, seconds)
        for _ in range(kills):
            with place.collector(receiver.url) as collector:
                seen = len(receiver.seen)
                until(lambda: len(receiver.seen) > seen + 100, "it delivers")
                time.sleep(random.uniform(0, 0.5))
                collector.kill()
        with place.collector(receiver.url) as collector:
            writer.communicate()
            collector.waits_for(read_events_total=rate * seconds)
            until(lambda: not pending(collector.values()), "all is delivered")
            values = collector.end()
    counts = collections.Counter(receiver.seen)
    twice = len(receiver.seen) - len(counts)
    print(f"# {twice} twice, read {values['read_events_total']:.0f}", flush=True)
    same(values.lost(), {})
    same(len(counts), rate * seconds)
    assert twice <= kills * (3 + 1) * REQUEST, twice  # on their way, and a ring's
    assert 0 <= values["read_events_total"] - rate * seconds <= kills * REQUEST


def programs_that_end_have_space_while_their_events_are_held():
    """An event of each of many programs takes a page of its own."""
    place, rounds, programs = Place("256k"), 20, 20
    environment = {**os.environ, "USEREVENTS_RING": str(place.ring)}
    with Taker() as receiver, place.collector(receiver.url) as collector:
        for done in range(rounds):
            running = [subprocess.Popen([guests, "count", "1"], env=environment,
                                        stdout=subprocess.DEVNULL) for _ in range(programs)]
            for program in running:
                program.wait(DEADLINE)
            collector.waits_for(read_events_total=programs * (done + 1))
        values = collector.end()
    same((values.lost(), values["delivered_events_total"]), ({}, rounds * programs))


def of_requests_on_their_way_a_kill_repeats_three():
    place, count, most = Place(), 8 * REQUEST, 3
    with Taker(answers=False) as receiver:
        with place.collector(receiver.url) as collector:
            place.write(count, 1).wait(DEADLINE)
            until(lambda: pending(collector.values(), "disk") == count, "all wait")
            until(lambda: receiver.arrived >= most, "some are on their way")
            time.sleep(0.5)  # another one would come
            same(receiver.arrived, most)
            repeated = len(receiver.seen)
            collector.kill()
        receiver.answers.set()
        with place.collector(receiver.url) as collector:
            until(lambda: not pending(collector.values()), "all is delivered")
            values = collector.end()
    same(len(receiver.seen), count + repeated)
    same((len(set(receiver.seen)), values.lost()), (count, {}))


# What waits

def what_waits_stays_over_an_end():
    """SIGTERM, too, leaves it in the files: nothing is given up."""
    place, count = Place(), 3000
    with Taker(listens=False) as receiver:
        with place.collector(receiver.url) as collector:
            place.write(count, 1).wait(DEADLINE)
            collector.waits_for(read_events_total=count)
            values = collector.end()
        same((pending(values, "disk"), values.lost()), (count, {}))
        assert place.files()
        receiver.listen()
        with place.collector(receiver.url) as collector:  # without an event
            collector.waits_for(delivered_events_total=count)
            values = collector.end()
    same(collections.Counter(receiver.seen), collections.Counter(range(count)))
    same((values["read_events_total"], values.lost()), (count, {}))
    same((place.files(), values["queue_unread_files"]), ([], 0))


def a_collector_without_the_queue_counts_what_waits_as_lost():
    """One that has it again finds that it was not."""
    place, count = Place(), 1000
    with Taker(listens=False) as receiver:
        with place.collector(receiver.url) as collector:
            place.write(count, 1).wait(DEADLINE)
            until(lambda: pending(collector.values(), "disk") == count, "it waits")
            collector.kill()
        with Collector("--ring", place.ring, "--state", place.state, "--otlp",
                       receiver.url) as collector:
            same(collector.end().lost(), {"restart": count})
        receiver.listen()
        with place.collector(receiver.url) as collector:
            collector.waits_for(delivered_events_total=count)
            values = collector.end()
    same(len(receiver.seen), count)
    same((values["read_events_total"], values.lost()), (2 * count, {"restart": count}))


def open_spans_are_counted_by_a_kill():
    """They are in no request; their starts have left the ring."""
    place = Place()
    with Taker() as receiver:
        with place.collector(receiver.url) as collector:
            subprocess.run([starts, "5"], check=True, timeout=DEADLINE,
                           env={**os.environ, "USEREVENTS_RING": str(place.ring)})
            collector.waits_for(read_events_total=5)
            until(lambda: not place.unread(), "it has stored what it can")
            collector.kill()
        with place.collector(receiver.url) as collector:
            values = collector.end()
    same((values["read_events_total"], values.lost()), (5, {"restart": 5}))


# Limits

def beyond_its_size_events_wait_in_memory_and_are_lost_then():
    place, count = Place("16M"), 40000
    with Taker(listens=False) as receiver:
        with place.collector(receiver.url, "--queue-size", "1M", "--queue", "64k") as collector:
            place.write(count, 1).wait(DEADLINE)
            collector.waits_for(read_events_total=count)
            until(lambda: not pending(collector.values(), "encoder"), "all is in requests")
            values = balanced(collector.values())
            assert set(values.lost()) == {"queue"} and pending(values, "queue"), values.lost()
            assert values["queue_disk_bytes"] <= 1 << 20, values["queue_disk_bytes"]
            same(values["queue_limit_bytes"], 1 << 20)
            receiver.listen()
            until(lambda: not pending(collector.values()), "all is delivered")
            values = collector.end()
            said = collector.said()
    lost = values.lost()["queue"]
    same(sorted(receiver.seen), sorted(set(receiver.seen)))
    same((len(receiver.seen) + lost, values["read_events_total"]), (count, count))
    assert set(range(REQUEST)) <= set(receiver.seen)  # the newest are lost
    same(said.count(f"the queue in {place.queue} is full: "), 1)


def a_disk_that_fills_and_empties_is_counted():
    """A limit of files is the same as a full disk."""
    place, rate = Place("16M"), 20000
    no_limit = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def limit(collector, size):
        resource.prlimit(collector.process.pid, resource.RLIMIT_FSIZE, (size, no_limit))

    with Taker(listens=False) as receiver, place.collector(receiver.url, "--queue",
                                                           "64k") as collector:
        limit(collector, 100 << 10)
        place.write(rate, 1).wait(DEADLINE)
        collector.waits_for(read_events_total=rate)
        until(lambda: collector.values().lost().get("queue"), "it is full")
        limit(collector, no_limit)
        place.write(rate, 1).wait(DEADLINE)
        collector.waits_for(read_events_total=2 * rate)
        until(lambda: pending(collector.values(), "disk") > rate // 2, "it has space again")
        receiver.listen()
        until(lambda: not pending(collector.values()), "all is delivered")
        values, said = collector.end(), collector.said()
    same(set(values.lost()), {"queue"})
    same(len(receiver.seen) + values.lost()["queue"], 2 * rate)
    assert re.search("cannot add to the queue in .*: (File too large|No space left)", said), said
    same(said.count("takes requests again"), 1)


# Bad input

def waiting_in(place, count):
    """So many events wait in the files of a place whose collector was killed."""
    with Taker(listens=False) as receiver, place.collector(receiver.url) as collector:
        place.write(count, 1).wait(DEADLINE)
        until(lambda: pending(collector.values(), "disk") == count, "it waits")
        collector.kill()


def files_that_are_damaged_are_counted():
    def cut(path):
        os.truncate(path, path.stat().st_size - 100)

    def flip(path):
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 16
        path.write_bytes(data)

    def scribble(path):
        data = bytearray(path.read_bytes())
        data[40:100] = os.urandom(60)
        path.write_bytes(data)

    for damage in cut, flip, scribble, pathlib.Path.unlink:
        place, count = Place(), 3000
        waiting_in(place, count)
        path, = place.files()
        damage(path)
        with Taker() as receiver, place.collector(receiver.url) as collector:
            until(lambda: not pending(collector.values()), "all is delivered")
            values = collector.end()
        same(set(values.lost()), {"corrupt"})
        same(len(receiver.seen) + values.lost()["corrupt"], count)
        assert damage is pathlib.Path.unlink or \
            0 < values.lost()["corrupt"] <= REQUEST, values.lost()


def the_receiver_is_told_of_damage_that_is_found_later():
    """The files are damaged while the collector runs; the sender finds it when the receiver is back."""
    place, count = Place(), 3000
    with Taker(listens=False) as receiver, place.collector(receiver.url) as collector:
        place.write(count, 1).wait(DEADLINE)
        until(lambda: pending(collector.values(), "disk") == count, "it waits")
        path, = place.files()
        with path.open("r+b") as file:
            file.seek(path.stat().st_size // 2)
            byte = file.read(1)
            file.seek(-1, os.SEEK_CUR)
            file.write(bytes([byte[0] ^ 16]))
        receiver.listen()
        until(lambda: not pending(collector.values()), "all is delivered")
        lost = collector.values().lost()
        place.write(1, 1).wait(DEADLINE)
        until(lambda: receiver.told, "the receiver is told")
        values = collector.end()
    same((values.lost(), receiver.told), (lost, lost["corrupt"]))
    same(len(receiver.seen) + receiver.told, count + 1)


def files_of_others_are_left_alone():
    place, count = Place(), 100
    waiting_in(place, count)
    path, = place.files()
    whole = path.read_bytes()
    version, link, pipe, note = (place.queue / name for name in (
        "logs-00000000000000a1.queue", "logs-00000000000000a2.queue",
        "logs-00000000000000a3.queue", "README"))
    version.write_bytes(whole[:8] + bytes([2]) + whole[9:])
    version.chmod(0o600)
    link.symlink_to(path)
    os.mkfifo(pipe)
    note.write_text("mine")
    left = {version: "another version of userevents", link: "it is a symbolic link",
            pipe: "it is no regular file"}
    if os.geteuid() == 0:
        other = place.queue / "logs-00000000000000a4.queue"
        other.write_bytes(whole)
        os.chown(other, 1, 1)
        left[other] = "it belongs to another user"
    with Taker() as receiver, place.collector(receiver.url) as collector:
        collector.waits_for(delivered_events_total=count)
        values, said = collector.end(), collector.said()
    same((sorted(receiver.seen), values.lost()), (list(range(count)), {}))
    same(values["queue_unread_files"], len(left))
    for path, why in left.items():
        assert f"cannot read {path}: {why}" in said, (said, why)
        assert path.is_symlink() or path.exists()
    same(note.read_text(), "mine")


def directories_that_cannot_be_are_explained():
    place = Place()
    shared, file = folder / "shared_queue", folder / "file_queue"
    shared.mkdir()
    shared.chmod(0o777)
    file.write_text("")
    with Taker() as receiver, place.collector(receiver.url):
        for path, why in ((place.queue, "another collector does"), (file, "Not a directory"),
                          (shared, "others can write to it"), (folder / "a" / "b", "No such")):
            done = subprocess.run([tool, "collect", "--ring", place.ring, "--otlp", receiver.url,
                                   "--queue-dir", path], capture_output=True, text=True,
                                  timeout=DEADLINE)
            same(done.returncode, 1)
            assert done.stderr.startswith(f"userevents: cannot keep a queue in {path}: {why}"), \
                done.stderr


def settings_of_the_queue_are_checked():
    path = folder / "queue.conf"
    for lines, status, text in (
            ("queue-dir = /q\nqueue-size = 4G\n", 0, "the settings are valid"),
            ("queue-size = 4G\n", 2, "--queue-size is for --queue-dir DIR"),
            ("queue-dir = /q\nqueue-size = 4k\n", 2, "queue-size"),
            ("queue-dir = /q # here\n", 2, "a comment has a line of its own"),
            ("queue-dirs = /q\n", 2, 'did you mean "queue-dir"?')):
        path.write_text("otlp = http://localhost:4318\n" + lines)
        done = subprocess.run([tool, "collect", "--check", "--config", path], text=True,
                              capture_output=True, timeout=DEADLINE)
        assert done.returncode == status and text in done.stdout + done.stderr, done
    path.write_text("queue-dir = /q\nmetrics = /m.prom\n")
    done = subprocess.run([tool, "collect", "--check", "--config", path], text=True,
                          capture_output=True, timeout=DEADLINE)
    assert done.returncode == 2 and "are for --otlp URL" in done.stderr, done


# Programs at a socket

def programs_at_a_socket_lose_nothing_either():
    """Some end while the collector holds their events, others live through its kills."""
    place, path = Place(), folder / "socket"
    args = ("--socket", path, "--rings-per-user", "256")
    environment = {**os.environ, "USEREVENTS_SOCKET": str(path), "USEREVENTS_RING_SIZE": "1M"}
    env = {"MALLOC_PERTURB_": "85"}  # a ring that is freed is used no more

    def started(*words):
        return subprocess.Popen([guests, *words], stdin=subprocess.PIPE, env=environment,
                                stdout=subprocess.PIPE, text=True)

    with Taker() as receiver:
        programs = [started("pace") for _ in range(10)]
        for _ in range(3):
            with place.collector(receiver.url, *args, env=env) as collector:
                seen = collector.values().get("read_events_total", 0)
                collector.waits_for(read_events_total=seen + 200, socket_rings=10)
                collector.kill()
        with place.collector(receiver.url, *args, env=env) as collector:
            collector.waits_for(socket_rings=10)
            short = [started("count", "500") for _ in range(10)]
            written = 0
            for program in programs + short:
                wrote, refused = map(int, program.communicate(timeout=DEADLINE)[0].split())
                same(refused, 0)
                written += wrote
            until(lambda: not collector.values()["socket_rings"], "all have left")
            until(lambda: not pending(collector.values()), "all is delivered")
            values = collector.end()
    same(values.lost(), {})
    assert 0 <= values["read_events_total"] - written <= 3 * REQUEST, (values, written)


def several_rings_are_left_when_their_events_are_stored():
    """Freed memory is filled, so a collector that uses it ends by a signal."""
    places, count = [Place() for _ in range(4)], 100
    rings = [word for place in places[1:] for word in ("--ring", place.ring)]
    environment = {"GLIBC_TUNABLES": "glibc.malloc.tcache_count=0", "MALLOC_PERTURB_": "165"}
    with Taker() as receiver, places[0].collector(receiver.url, *rings,
                                                  env=environment) as collector:
        for place in places:
            place.write(count, 1).wait(DEADLINE)
        collector.waits_for(read_events_total=count * len(places))
        values = collector.end()
    same((values.lost(), len(receiver.seen)), ({}, count * len(places)))


try:
    run([nothing_is_lost_in_an_outage_with_kills,
         nothing_is_lost_by_kills_while_the_receiver_takes,
         programs_that_end_have_space_while_their_events_are_held,
         of_requests_on_their_way_a_kill_repeats_three,
         what_waits_stays_over_an_end,
         a_collector_without_the_queue_counts_what_waits_as_lost,
         open_spans_are_counted_by_a_kill,
         beyond_its_size_events_wait_in_memory_and_are_lost_then,
         a_disk_that_fills_and_empties_is_counted,
         files_that_are_damaged_are_counted,
         the_receiver_is_told_of_damage_that_is_found_later,
         files_of_others_are_left_alone,
         directories_that_cannot_be_are_explained,
         settings_of_the_queue_are_checked,
         programs_at_a_socket_lose_nothing_either,
         several_rings_are_left_when_their_events_are_stored], at_once=8)
finally:
    shutil.rmtree(folder, ignore_errors=True)
