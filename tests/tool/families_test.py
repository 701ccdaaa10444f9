#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Events of child activities, on random and hostile recordings, against the rules as this file has
them. Argument: the program.
"""
import collections
import json
import pathlib
import random
import resource
import struct
import subprocess
import sys
import tempfile

from recordings import EVENTHEADER, Recording, eventheader
from tap import is_full, not_sanitized, run, same

tool, = sys.argv[1:]
folder = pathlib.Path(tempfile.mkdtemp())
INFO, START, STOP = 0, 1, 2
DEEPEST, MOST = 16, 131072

Event = collections.namedtuple("Event", "opcode activity parent")


def id_of(number):
    return number.to_bytes(16, "big") if number else b""


def save(events, name="families"):
    """Events 10 ns after each other, of threads of their own."""
    recording = Recording()
    shop = recording.event("user_events", "Shop_L4K1", 600, EVENTHEADER)
    for i, event in enumerate(events):
        payload = eventheader(f"E{event.opcode}", [("i", b"\x04")], struct.pack("=I", i), level=4, opcode=event.opcode,
                              activity=id_of(event.activity), related=id_of(event.parent))
        recording.sample(shop, 10 * i, payload, tid=100 + event.activity % 50)
    path = folder / name
    path.write_bytes(recording.file())
    return str(path)


def latency(path, *args, status=0):
    done = subprocess.run([tool, "latency", "--json", "--slowest", "1000", *args, path],
                          capture_output=True, text=True, timeout=300)
    same((done.returncode, status and done.stderr), (status, status and done.stderr))
    return json.loads(done.stdout)["slowest"], done.stderr


class Family:
    """The first parent counts, unless it makes a circle, or more than 16 generations. An id is that of a new
    activity, without parent and children, from a start on after its end, or from one that names another parent.
    """

    def __init__(self):
        self.parents, self.members, self.ended = {}, set(), set()
        self.circles, self.too_deep, self.reused = 0, 0, 0

    def ancestors(self, activity):
        found = []
        while activity in self.parents:
            activity = self.parents[activity]
            found.append(activity)
        return found

    def see(self, event):
        if not event.activity:
            return
        if event.opcode == START and self.is_new(event):
            self.reused += 1
            self.parents = {child: parent for child, parent in self.parents.items()
                            if event.activity not in (child, parent)}
        if event.parent and event.activity not in self.parents:
            self.link(event)
        if event.opcode == START:
            self.ended.discard(event.activity)
        elif event.opcode == STOP and event.activity in self.members:
            self.ended.add(event.activity)

    def is_new(self, event):
        named = event.parent or self.parents.get(event.activity)
        return event.activity in self.ended or self.parents.get(event.activity, named) != named

    def link(self, event):
        self.members |= {event.activity, event.parent}
        above = [event.parent, *self.ancestors(event.parent)]
        if event.activity in above[:DEEPEST + 1]:
            self.circles += 1
        elif len(above) > DEEPEST:
            self.too_deep += 1
        else:
            self.parents[event.activity] = event.parent


def expected(events):
    """Of each pair, by its start: (number of an event within, depth); and the family."""
    family, opened, pairs = Family(), {}, {}
    for i, event in enumerate(events):
        family.see(event)
        within = opened.get(event.activity)
        if event.opcode == INFO and within:
            within[1].append((i, 0))
        if event.opcode == STOP and within:
            pairs[within[0]] = opened.pop(event.activity)[1]
        ancestors = family.ancestors(event.activity)
        family.too_deep += len(ancestors) > DEEPEST
        for depth, ancestor in enumerate(ancestors[:DEEPEST], 1):
            if ancestor in opened:
                opened[ancestor][1].append((i, depth))
        if event.opcode == START:
            opened[event.activity] = (i, [])
    return pairs, family


def check(events):
    pairs, family = expected(events)
    found, said = latency(save(events), status=0 if pairs else 1)
    same({pair["start"]["i"]: [(event["event"]["i"], event["depth"])
                                        for event in pair["within"]] for pair in found},
         {start: within[:100] for start, within in pairs.items()})
    same({pair["start"]["i"]: pair["leftOut"] for pair in found},
         {start: max(0, len(within) - 100) for start, within in pairs.items()})
    for count, why in ((family.circles, "which is itself"), (family.too_deep, "than 16 are within")):
        same(f"cannot follow the parent of an activity {count} time" in said and why in said,
             count > 0)
    return sum(depth > 0 for within in pairs.values() for _, depth in within), family


def random_families_are_followed():
    children = circles = deep = reused = 0
    for seed in range(300 if is_full else 60):
        chance = random.Random(seed)
        ids = range(1, chance.choice((4, 8, 60)))
        events = [Event(chance.choice((START, START, INFO, INFO, STOP)), chance.choice(ids),
                        chance.choice((0, 0, chance.choice(ids)))) for _ in range(300)]
        found, family = check(events)
        children, circles, deep = children + found, circles + family.circles, deep + family.too_deep
        reused += family.reused
    assert children > 1000 and circles > 100 and reused > 100, (children, circles, deep, reused)


def requests_on_other_threads_are_shown_and_marked():
    """A request, its child, and the child of that; another request is not of them."""
    events = [Event(START, 1, 0), Event(START, 2, 1), Event(START, 9, 0), Event(INFO, 2, 0),
              Event(START, 3, 2), Event(INFO, 3, 0), Event(STOP, 3, 0), Event(INFO, 9, 0),
              Event(STOP, 2, 0), Event(INFO, 1, 0), Event(STOP, 1, 0)]
    path = save(events)
    shown = subprocess.run([tool, "latency", "--slowest", "1", path], capture_output=True,
                           text=True).stdout
    lines = [line.split(" i=")[0] for line in shown[shown.index("Slowest:"):].splitlines()]
    same(lines, ["Slowest:", "  100 ns", "    Shop:E1", "      +10 ns  > Shop:E1",
                 "      +30 ns  > Shop:E0", "      +40 ns  > > Shop:E1", "      +50 ns  > > Shop:E0",
                 "      +60 ns  > > Shop:E2", "      +80 ns  > Shop:E2", "      +90 ns  Shop:E0",
                 "    Shop:E2"])
    found = subprocess.run([tool, "query", "--json", path, "SELECT activity, parent FROM requests"],
                           capture_output=True, text=True).stdout
    rows = [json.loads(line) for line in found.splitlines()]
    same([(row["activity"][-1], row["parent"] and row["parent"][-1]) for row in rows],
         [("1", None), ("2", "1"), ("9", None), ("3", "2")])


def worker(request, task=0):
    """A request, and the worker that serves it, which always has the id 9; a task of that goes on."""
    return [Event(START, request, 0), Event(START, 9, request), Event(INFO, 9, 0),
            *([Event(START, task, 9)] if task else []), Event(STOP, 9, 0), Event(STOP, request, 0)]


def reused_ids_have_the_parent_of_their_start():
    """As the table requests has them."""
    path = save([*worker(1, task=50), *worker(2)[:-1], Event(INFO, 50, 0), Event(STOP, 2, 0), Event(START, 9, 0),
                 Event(START, 3, 0), Event(INFO, 9, 0), Event(STOP, 9, 0), Event(STOP, 3, 0)])
    within = {pair["start"]["i"]: [(event["event"]["i"], event["depth"]) for event in pair["within"]]
              for pair in latency(path)[0]}
    same([within[start] for start in (0, 6, 13)], [[(1, 1), (2, 1), (3, 2), (4, 1)], [(7, 1), (8, 1), (9, 1)], []])
    done = subprocess.run([tool, "query", "--json", path, "SELECT activity, parent FROM requests ORDER BY start"],
                          capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    same([row["parent"] and row["parent"][-1] for row in rows if row["activity"][-1] == "9"], ["1", "2", None])
    # another parent before the end
    check([Event(START, 1, 0), Event(START, 2, 0), Event(START, 9, 1), Event(START, 9, 2), Event(INFO, 9, 1),
           Event(STOP, 9, 0), Event(STOP, 1, 0), Event(STOP, 2, 0)])


def circles_and_endless_chains_end():
    check([Event(START, 1, 1), Event(INFO, 1, 1), Event(STOP, 1, 1)])  # its own parent
    check([Event(START, 1, 2), Event(START, 2, 1), Event(INFO, 1, 2), Event(INFO, 2, 1),
           Event(STOP, 1, 0), Event(STOP, 2, 0)])
    chain = range(1, 101)
    for order in chain, reversed(chain):
        started = [Event(START, i, i - 1) for i in order]
        _, family = check([*started, *(Event(INFO, i, 0) for i in chain),
                           *(Event(STOP, i, 0) for i in chain)])
        assert family.too_deep


def near(events, before, after):
    """Events around those with the opcode INFO of activity 1, also of its child activities."""
    family, chains, parents = Family(), collections.defaultdict(list), []
    for i, event in enumerate(events):
        family.see(event)
        parents.append([event.activity, *family.ancestors(event.activity)[:DEEPEST]])
        for activity in parents[-1]:
            chains[activity].append(i)
    shown = set()
    for i, event in enumerate(events):
        if event.opcode == INFO:
            chain = chains[event.activity]
            place = chain.index(i)
            shown |= set(chain[max(0, place - before):place + after + 1])
    return sorted(shown)


def children_are_context_of_their_parents():
    total = 0
    for seed in range(200 if is_full else 60):
        chance = random.Random(seed)
        ids = range(1, chance.choice((3, 6, 12)))
        rare = chance.choice((2, 5, 20))
        events = [Event(chance.choice([INFO] + [START, STOP] * rare), chance.choice(ids),
                        chance.choice((0, 0, chance.choice(ids)))) for _ in range(200)]
        before, after = chance.choice((0, 1, 4, 50)), chance.choice((0, 1, 4, 50))
        done = subprocess.run([tool, "decode", "--json", "-e", "E0", "-B", str(before), "-A", str(after),
                               "--same", "activity", save(events)], capture_output=True, text=True)
        found = [json.loads(line)["i"] for line in done.stdout.splitlines()]
        same(sorted(found), near(events, before, after))
        total += len(found)
    assert total > 2000, total
    # a line "--" stands between events that do not follow each other
    done = subprocess.run([tool, "decode", "--meta", "none", "-e", "E0", "-C", "3", "--same",
                           "activity", save([Event(START, 1, 0), Event(START, 2, 1), Event(STOP, 9, 0),
                                             Event(STOP, 2, 0), Event(INFO, 1, 0), Event(STOP, 1, 0)])],
                          capture_output=True, text=True)
    same(done.stdout.split(), ["i=0", "i=1", "i=3", "i=4", "i=5"])


def measured(path, status):
    """Pairs, messages, and the most memory of all children so far, in MiB."""
    found, said = latency(path, "--max-open", "200000", status=status)
    return found, said, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


@not_sanitized("its memory is larger")
def any_number_of_children_is_bounded():
    count = 10**6 if is_full else 140_000
    children = range(2, count + 2)
    # one after the other: all are counted
    events = [Event(START, 1, 0), *(event for i in children for event in
                                    (Event(START, i, 1), Event(STOP, i, 0))), Event(STOP, 1, 0)]
    found, said, memory = measured(save(events), 0)
    same((said, found[0]["leftOut"], len(found[0]["within"])), ("", 2 * count - 100, 100))
    assert memory < 200, memory


def open_children_beyond_the_limit_are_said():
    children = range(2, MOST + 1002)
    events = [Event(START, 1, 0), *(Event(START, i, 1) for i in children),
              *(Event(INFO, i, 0) for i in children), Event(STOP, 1, 0)]
    found, said, _ = measured(save(events), 0)
    assert "cannot show all events of child activities: more than 131072 had not ended" in said, said
    within = found[0]["leftOut"] + 100
    assert MOST <= within < 2 * len(children), within


try:
    run([random_families_are_followed, requests_on_other_threads_are_shown_and_marked,
         reused_ids_have_the_parent_of_their_start,
         circles_and_endless_chains_end, children_are_context_of_their_parents, any_number_of_children_is_bounded,
         open_children_beyond_the_limit_are_said])
finally:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
