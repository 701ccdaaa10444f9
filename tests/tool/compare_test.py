#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""stat and hist with --compare and --split. Argument: the tool."""
import json
import math
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

from recordings import Recording, USUAL, TIME
from tap import is_full, run, same

tool, = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
SECOND = 10**9


def save(name, events, **kwargs):
    """Events are (name, time, number)."""
    recording = Recording()
    kinds = {}
    for event, time, number in events:
        if event not in kinds:
            kinds[event] = recording.event("user_events", event, 500 + len(kinds),
                                           [("u64", "ns", 8, 0)], **kwargs)
        recording.sample(kinds[event], time, struct.pack("<Q", number))
    path = folder / name
    path.write_bytes(recording.file())
    return str(path)


def asked(*args, status=0, complaint=""):
    done = subprocess.run([tool, *args], capture_output=True, timeout=120, text=True)
    same((done.stderr, done.returncode), (complaint and f"userevents: {complaint}\n", status))
    return done.stdout


def answer(*args, **kwargs):
    return json.loads(asked(*args, "--json", **kwargs))


def requests(seed, scale=1.0, rate=1000, count=3000):
    """Those of a tenth of a second are alike, as in a server."""
    chosen = random.Random(seed)
    time, slow = SECOND, 1.0
    for number in range(count):
        time += int(chosen.expovariate(rate) * SECOND)
        if number % 100 == 0:
            slow = chosen.uniform(0.7, 1.4)
        yield "request", time, int(chosen.lognormvariate(10, 0.5) * slow * scale)


def figures_are_those_of_the_events():
    sides = [list(requests(1)), list(requests(2, 1.5, 800))]
    got = answer("hist", "request", "ns", "--compare", *map(save, ["a", "b"], sides))
    row, = got["rows"]
    same((row["countBefore"], row["countAfter"]), (3000, 3000))
    for share, name in (0.5, "p50"), (0.9, "p90"), (0.99, "p99"):
        exact = [sorted(ns for *_, ns in side)[math.ceil(share * len(side)) - 1] for side in sides]
        for key, number in zip(("before", "after"), exact):
            assert abs(row[name][key] - number) <= number / 250, (name, key, number, row)
        assert math.isclose(row[name]["change"], row[name]["after"] / row[name]["before"] - 1), row
        assert row[name]["low"] < row[name]["change"] < row[name]["high"], row
    for key, side in zip(("before", "after"), sides):
        span = (side[-1][1] - side[0][1]) / SECOND
        assert abs(row["perSecond"][key] / (len(side) / span) - 1) < 1e-6, (row, span)


def noise_is_rarely_a_difference_and_a_difference_is_found():
    """Of requests that are not independent: a test that takes them for that fails here."""
    rounds = 200 if is_full else 25
    false, found = 0, 0
    for seed in range(rounds):
        base = save("base", requests(3 * seed))
        again = save("again", requests(3 * seed + 1))
        slow = save("slow", requests(3 * seed + 2, 1.4))
        row, = answer("hist", "request", "ns", "--compare", base, again)["rows"]
        false += sum(row[key]["verdict"] == "differs" for key in ("perSecond", "p50", "p90"))
        row, = answer("hist", "request", "ns", "--compare", base, slow)["rows"]
        found += row["p50"]["verdict"] == "differs"
    assert false <= 0.04 * 3 * rounds, false
    assert found >= 0.9 * rounds, found


def an_event_that_is_new_or_gone_is_called_that():
    before = [("same", i * 10**7, 1) for i in range(100)] + [("old", i * 10**7, 1) for i in range(50)]
    after = [("same", i * 10**7, 1) for i in range(100)] + [("fresh", i * 10**7, 1) for i in range(70)]
    got = answer("stat", "--compare", save("before", before), save("after", after))
    same([(row["event"], row["countBefore"], row["countAfter"], row["perSecond"]["verdict"])
          for row in got["rows"]],
         [("same", 100, 100, "noise"), ("fresh", 0, 70, "new"), ("old", 50, 0, "gone")])
    few = save("few", [("same", i * 10**7, 1) for i in range(10)])
    row, = answer("stat", "--compare", few, few)["rows"]
    same((row["perSecond"]["verdict"], "low" in row["perSecond"]), ("too few", False))


def long_and_disordered_recordings_have_blocks_of_equal_time():
    day = [("tick", i * 86400 * SECOND // 5000, 1) for i in range(5000)]
    got = answer("stat", "--compare", save("day", day), save("back", reversed(day)))
    assert 32 <= got["blocksBefore"] <= 64, got
    same([got["rows"][0][f"count{side}"] for side in ("Before", "After")], [5000, 5000])
    assert abs(got["rows"][0]["perSecond"]["before"] / (5000 / 86400) - 1) < 0.001, got


def an_expression_splits_events():
    events = [("request", i * 10**6, 100 + i % 2 * 100) for i in range(1000)]
    path = save("split", events)
    got = answer("hist", "request", "ns", "--split", "ns > 150", path)
    row, = got["rows"]
    same((got["before"], got["after"]), ("OTHERS", "ns > 150"))
    same((row["p50"]["before"], row["p50"]["after"], row["p50"]["low"], row["p50"]["verdict"]),
         (100, 200, 1, "differs"))
    lines = asked("hist", "request", "ns", "--split", "ns > 150", path).splitlines()
    same(lines[:2], ["before: OTHERS (500 in 63 blocks)", "after:  ns > 150 (500 in 63 blocks)"])
    shown = asked("hist", "request", "ns", "--split", 'event == "request" && ns > 150', path)
    assert '\nafter:  event == "request" && ns > 150 (500 in 63 blocks)\n' in shown, shown
    same(lines[2].split(), ["BEFORE", "AFTER", "CHANGE", "99", "%", "FROM", "TO"])
    same(lines[4].split(), ["p50", "100", "200", "+100.0", "%", "+100.0", "%", "+100.0", "%",
                            "differs"])
    answer_of_stat = answer("stat", "--split", "ns > 150", path)
    same([row["event"] for row in answer_of_stat["rows"]], ["request"])


def pairs(name, durations):
    """Requests of threads, one after another; the last of each file never ends."""
    recording = Recording()
    begin = recording.event("user_events", "begin", 500, [("u64", "path", 8, 0)])
    end = recording.event("user_events", "end", 501, [("u64", "status", 8, 0)])
    time = SECOND
    for number, duration in enumerate(durations):
        recording.sample(begin, time, struct.pack("<Q", number % 2), tid=number % 3)
        recording.sample(end, time + duration, struct.pack("<Q", 200), tid=number % 3)
        time += duration + 10**6
    recording.sample(begin, time, struct.pack("<Q", 0), tid=0)
    path = folder / name
    path.write_bytes(recording.file())
    return str(path)


def latencies_are_compared():
    before = pairs("slow", [2_000_000 + i % 7 for i in range(1000)])
    after = pairs("fast", [1_000_000 + i % 7 + i % 2 * 500_000 for i in range(1000)])
    got = answer("latency", "begin", "end", "--compare", before, after)
    row, = got["rows"]
    same((row["countBefore"], row["countAfter"]), (1000, 1000))  # no start of one file ends in the other
    assert abs(row["p50"]["before"] / 2_000_003 - 1) < 0.004, row
    assert abs(row["p90"]["after"] / 1_500_003 - 1) < 0.004, row
    same((row["p50"]["verdict"], row["p50"]["change"] < -0.2), ("differs", True))
    got = answer("latency", "begin", "end", "--split", "path == 1 && duration > 1ms", after)
    row, = got["rows"]
    same((row["countBefore"], row["countAfter"]), (500, 500))
    assert abs(row["p50"]["change"] - 0.5) < 0.01, row
    row, = answer("latency", "begin", "end", "--where", "path == 1", "--compare", after,
                  after)["rows"]
    same((row["countBefore"], row["p50"]["verdict"]), (500, "noise"))
    text = asked("latency", "begin", "end", "--compare", before, after).splitlines()
    same(text[4].split()[:5], ["p50", "2", "ms", "1.001", "ms"])


def percentiles_of_no_pairs_are_none():
    before = pairs("some", [2_000_000] * 10)
    words = "latency", "begin", "end", "--split", "path == 5", before
    text = asked(*words).splitlines()
    same(text[4].split(), ["p50", "2", "ms", "-", "-", "-", "-", "too", "few"])
    row, = answer(*words)["rows"]
    same([row["p50"][key] for key in ("before", "after", "change")], [2_000_000, None, None])


def values_that_come_in_bursts_are_compared():
    def bursts(name, value):
        return save(name, [("request", SECOND * burst * 15 + i, value) for burst in range(5)
                           for i in range(100)])

    row, = answer("hist", "request", "ns", "--compare", bursts("one", 100),
                  bursts("other", 1_000_000))["rows"]
    same((row["p50"]["change"], row["p50"]["low"], row["p50"]["high"], row["p50"]["verdict"]),
         (9999, 9999, 9999, "differs"))
    once = [("request", i * 10**8 if i else 0, 5) for i in (0, 600)]
    once += [("request", i, 5) for i in range(100)]
    row, = answer("hist", "request", "ns", "--compare", save("once", once), save("again", once))["rows"]
    same((row["p50"]["verdict"], row["p50"]["change"]), ("too few", 0))


def parts_of_a_recording_have_its_time():
    events = [("request", i * SECOND, 1) for i in range(300)]
    events += [("request", 100 * SECOND + i * 10**6, 2) for i in range(1, 41)]
    row, = answer("hist", "request", "ns", "--split", "ns == 2",
                  save("part", sorted(events, key=lambda event: event[1])))["rows"]
    assert abs(row["perSecond"]["before"] - 300 / 299) < 1e-6, row
    assert abs(row["perSecond"]["after"] - 40 / 299) < 1e-6, row


def numbers_that_are_no_numbers_are_told():
    recording = Recording()
    event = recording.event("user_events", "load", 500, [("double", "v", 8, 1)])
    for i in range(200):
        recording.sample(event, i * 10**7, struct.pack("<d", math.nan if i % 2 else -5.0))
    path = folder / "nan"
    path.write_bytes(recording.file())
    row, = answer("hist", "load", "v", "--compare", str(path), str(path), complaint="200 values are "
                  "left out: infinite, or not a number (nan)")["rows"]
    same((row["countBefore"], row["p50"]["before"]), (100, -5))


def a_side_that_cannot_be_read_is_not_compared():
    path = save("there", list(requests(1, count=50)))
    missing = folder / "missing"
    for files in [str(missing), path], [path, str(missing)]:
        for words in ["stat"], ["hist", "request", "ns"], ["latency", "request", "request"]:
            done = subprocess.run([tool, *words, "--compare", *files], capture_output=True, text=True,
                                  timeout=60)
            same((done.stdout, done.returncode), ("", 1))
            assert f"cannot read {missing}" in done.stderr, done


def hostile_numbers_take_no_long_time():
    chosen = random.Random(1)
    recording = Recording()
    event = recording.event("user_events", "load", 500, [("double", "v", 8, 1)])
    for i in range(60_000):
        bits = chosen.getrandbits(64) & ~(1 << 62)
        recording.sample(event, i * 10**6, struct.pack("<Q", bits))
    path = folder / "hostile"
    path.write_bytes(recording.file())
    done = subprocess.run(["prlimit", "--cpu=30", "--data=300000000", "--", tool, "hist", "load", "v",
                           "--json", "--compare", str(path), str(path)], capture_output=True,
                          timeout=300)
    same(done.returncode, 0)


def mistakes_are_explained():
    path = save("one", [("request", SECOND, 1)])
    for args, complaint in (
            (["stat", "--compare", path], "cannot count: --compare takes two recordings, BEFORE and "
             'AFTER; "userevents stat --help" lists the options'),
            (["stat", "--compare", "--split", "ns > 1", path, path], "cannot count: --compare and "
             '--split exclude each other; "userevents stat --help" lists the options'),
            (["hist", "request", "ns", "--by", "pid", "--compare", path, path], "cannot make a "
             'histogram: --by is not for --compare and --split; "userevents hist --help" lists the '
             "options")):
        asked(*args, status=2, complaint=complaint)
    asked("hist", "requests", "ns", "--compare", path, path, status=1, complaint='cannot find an '
          'event "requests": there is none; did you mean "request"?')
    timeless = save("timeless", [("request", 0, 1)], sample_type=USUAL & ~TIME)
    asked("stat", "--compare", timeless, timeless, status=0,
          complaint="cannot compare 2 events: they have no time")


run([figures_are_those_of_the_events, noise_is_rarely_a_difference_and_a_difference_is_found,
     an_event_that_is_new_or_gone_is_called_that,
     long_and_disordered_recordings_have_blocks_of_equal_time, an_expression_splits_events,
     latencies_are_compared, percentiles_of_no_pairs_are_none, values_that_come_in_bursts_are_compared,
     parts_of_a_recording_have_its_time, numbers_that_are_no_numbers_are_told,
     a_side_that_cannot_be_read_is_not_compared, hostile_numbers_take_no_long_time,
     mistakes_are_explained])
