# SPDX-License-Identifier: MIT
"""Makes recordings with records of a scheduler, and knows what the threads in them did."""
import collections
import random
import struct

from recordings import EVENTHEADER, Recording, TraceDat, eventheader

SWITCH = [("char", "prev_comm[16]", 16, 0), ("pid_t", "prev_pid", 4, 1),
          ("int", "prev_prio", 4, 1), ("long", "prev_state", 8, 1),
          ("char", "next_comm[16]", 16, 0), ("pid_t", "next_pid", 4, 1),
          ("int", "next_prio", 4, 1)]
WAKEUP = [("char", "comm[16]", 16, 0), ("pid_t", "pid", 4, 1), ("int", "prio", 4, 1),
          ("int", "target_cpu", 4, 1)]
START, STOP = 1, 2
RUNNING, RUNNABLE = "running", "R"

# What kernels print: letters by number, and the bit of a thread that was preempted.
Kernel = collections.namedtuple("Kernel", "letters preempted")
NEW = Kernel({"S": 1, "D": 2, "T": 4, "t": 8, "X": 16, "Z": 32, "P": 64, "I": 128}, 0x100)
OLD = Kernel({"S": 1, "D": 2, "T": 4, "t": 8, "Z": 16, "X": 32, "x": 64, "K": 128, "W": 256,
              "P": 512, "N": 1024}, 0x1000)
# None has these, but one may.
OTHER = Kernel({"D": 1, "S": 0x20000, "T": 2}, 4)


def print_format(kernel):
    letters = ", ".join(f'{{ {number:#010x}, "{letter}" }}'
                        for letter, number in kernel.letters.items())
    return ('"prev_comm=%s prev_pid=%d prev_state=%s%s ==> next_pid=%d", REC->prev_comm, '
            f'REC->prev_pid, (REC->prev_state & {kernel.preempted - 1:#x}) ? __print_flags('
            f'REC->prev_state & {kernel.preempted - 1:#x}, "|", {letters}) : "R", '
            f'REC->prev_state & {kernel.preempted:#x} ? "+" : "", REC->next_pid')


def switch(prev, state, following, names="task"):
    """The payload of sched_switch."""
    return struct.pack("<16siiq16sii", f"{names}{prev}".encode(), prev, 120, state,
                       f"{names}{following}".encode(), following, 120)


def wakeup(tid, cpu=0, names="task"):
    return struct.pack("<16siii", f"{names}{tid}".encode(), tid, 120, cpu)


class Events:
    """The tracepoints of a recording."""

    def __init__(self, recording, kernel=NEW):
        self.switch = recording.event("sched", "sched_switch", 301, SWITCH,
                                      shown=print_format(kernel) if kernel else None)
        self.wakeup = recording.event("sched", "sched_wakeup", 302, WAKEUP)
        self.shop = recording.event("user_events", "Shop_L5K1", 1001, EVENTHEADER)


Record = collections.namedtuple("Record", "time cpu tid kind payload")
Request = collections.namedtuple("Request", "number tid start stop stopped_by")


def order(number, opcode, activity, name="Order"):
    return eventheader(name + {START: "Start", STOP: "Stop"}.get(opcode, ""),
                       [("number", b"\x04")], struct.pack("<I", number), opcode=opcode,
                       activity=activity)


class World:
    """A machine on which random things happen."""

    def __init__(self, seed, steps=600, processors=3, threads=7, kernel=NEW,
                 wakes_twice=True):
        self.chance = random.Random(seed)
        self.kernel, self.wakes_twice = kernel, wakes_twice
        self.time = 1000
        self.running = [100, *[0] * (processors - 1)]  # by processor: the thread, or 0
        self.states = {100 + i: self.chance.choice("RSD") for i in range(threads)}
        self.states[100] = RUNNING
        self.history = {tid: [(0, state)] for tid, state in self.states.items()}
        self.known = {}  # by thread: when its first record tells its state
        self.records, self.requests, self.open = [], [], {}
        self.has_switches = False
        self.numbers = 0
        for step in range(steps):
            self.time += self.chance.choice((1, 5, 30, 100, 1000, 20000))
            self.chance.choice((self.switch, self.switch, self.wake, self.write, self.write)
                               if step > 20 else (self.wake, self.write))()

    def enter(self, tid, state):
        self.states[tid] = state
        self.history[tid].append((self.time, state))

    def tell(self, tid):
        if tid and self.has_switches:
            self.known.setdefault(tid, self.time)

    def record(self, cpu, tid, kind, payload):
        self.records.append(Record(self.time, cpu, tid, kind, payload))

    def switch(self):
        cpu = self.chance.randrange(len(self.running))
        prev = self.running[cpu]
        others = [tid for tid, state in self.states.items() if state == RUNNABLE]
        following = self.chance.choice(others + [0])
        if following == prev:
            return
        letter = self.chance.choice("RRSSDTI") if prev else "R"
        if letter not in (*self.kernel.letters, "R"):
            letter = "S"
        state = self.kernel.letters.get(letter, self.chance.choice((0, self.kernel.preempted)))
        self.has_switches = True
        self.record(cpu, prev, "switch", switch(prev, state, following))
        for tid, entered in (prev, letter), (following, RUNNING):
            if tid:
                self.enter(tid, entered)
            self.tell(tid)
        self.running[cpu] = following

    def wake(self):
        tid = self.chance.choice(list(self.states))
        is_blocked = self.states[tid] not in (RUNNING, RUNNABLE)
        if not is_blocked and (not self.wakes_twice or tid not in self.known or
                               self.chance.random() < 0.8):
            return
        self.record(self.chance.randrange(len(self.running)), 0, "wakeup", wakeup(tid))
        if is_blocked:
            self.enter(tid, RUNNABLE)
        self.known.setdefault(tid, self.time)

    def write(self):
        """A thread starts a request, or ends one; usually one of its own."""
        cpu, tid = self.chance.choice(list(enumerate(self.running)))
        if not tid:
            return
        self.tell(tid)
        own = [number for number, (by, _) in self.open.items() if by == tid]
        choice = self.chance.random()
        if choice < 0.4 or not self.open:
            self.numbers += 1
            number, opcode = self.numbers, START
            self.open[number] = tid, self.time
        else:
            number = self.chance.choice(own if own and choice < 0.9 else list(self.open))
            opcode = STOP
            self.requests.append(Request(number, *self.open.pop(number), self.time, tid))
        self.record(cpu, tid, "shop", order(number, opcode, struct.pack("<QQ", 7, number)))

    def times(self, request):
        """What its thread did: ran, runnable, blocked, uninterruptible."""
        history = self.history[request.tid] + [(1 << 62, None)]
        found = collections.Counter()
        for (begin, state), (end, _) in zip(history, history[1:]):
            length = min(end, request.stop) - max(begin, request.start)
            found[state] += max(0, length)
        return found

    def known_times(self, request):
        known = self.known.get(request.tid, 1 << 62)
        start = min(max(request.start, known), request.stop)
        return self.times(request._replace(start=start))

    def file(self, records=None):
        recording = Recording()
        events = Events(recording, self.kernel)
        for record in self.records if records is None else records:
            recording.sample(getattr(events, record.kind), record.time, record.payload,
                             cpu=record.cpu, pid=100, tid=record.tid)
        return recording.file()

    def trace_dat(self):
        recording = TraceDat(cpus=len(self.running))
        events = Events(recording, self.kernel)
        for record in self.records:
            recording.record(getattr(events, record.kind), record.time, record.payload,
                             cpu=record.cpu, pid=record.tid)
        return recording.file()
