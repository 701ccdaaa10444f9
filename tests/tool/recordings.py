# SPDX-License-Identifier: MIT
"""Makes perf.data and .dat recordings, byte by byte, from the written formats.

A recording is Recording(...) with events and samples added; file() gives the bytes
of a perf.data file, stream() what "perf record -o -" would write.
"""
import struct

IP, TID, TIME, ADDR, READ, CALLCHAIN, ID, CPU, PERIOD, STREAM_ID, RAW, IDENTIFIER = (
    1 << bit for bit in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16))
DATA_SRC, CGROUP, DATA_PAGE_SIZE, CODE_PAGE_SIZE = (1 << bit for bit in (15, 21, 22, 23))
USUAL = IP | TID | TIME | CPU | PERIOD | RAW
FEATURE_TRACING_DATA, FEATURE_EVENT_DESC, FEATURE_CLOCK_DATA = 1, 12, 29

EVENTHEADER = [("u8", "eventheader_flags", 1, 0), ("u8", "version", 1, 0),
               ("u16", "id", 2, 0), ("u16", "tag", 2, 0), ("u8", "opcode", 1, 0),
               ("u8", "level", 1, 0)]


def format_file(name, number, fields, shown=None):
    """The text of tracefs's format file; a field is (type, name, size, signed)."""
    lines = [f"name: {name}", f"ID: {number}", "format:"]
    common = [("unsigned short", "common_type", 2, 0),
              ("unsigned char", "common_flags", 1, 0),
              ("unsigned char", "common_preempt_count", 1, 0),
              ("int", "common_pid", 4, 1)]
    offset = 0
    for i, (kind, field, size, signed) in enumerate(common + fields):
        if i == len(common):
            lines.append("")
        lines.append(f"\tfield:{kind} {field};\toffset:{offset};\tsize:{size};"
                     f"\tsigned:{signed};")
        offset += size
    return ("\n".join(lines) + f"\n\nprint fmt: {shown or print_format(fields)}\n").encode()


def print_format(fields):
    """The print format that the kernel writes for a user event; perf script uses it."""
    shown = []
    for kind, field, size, signed in fields:
        if "__rel_loc" in kind:
            shown.append((f"{field}=%s", f"__get_rel_str({field})"))
        else:
            width = "ll" if size == 8 else ""
            shown.append((f"{field}=%{width}{'d' if signed else 'u'}", f"REC->{field}"))
    text = " ".join(text for text, _ in shown)
    return f'"{text}"' + "".join(f", {value}" for _, value in shown)


HEADER_PAGE = b"""\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;
\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;
\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;
\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;
"""
HEADER_EVENT = b"""# compressed entry header
\ttype_len    :    5 bits
\ttime_delta  :   27 bits
\tarray       :   32 bits

\tpadding     : type == 29
\ttime_extend : type == 30
\ttime_stamp : type == 31
\tdata max type_len  == 28
"""


class Event:
    def __init__(self, system, name, number, fields, ids=(), sample_type=USUAL,
                 read_format=0, kind=2, shown=None):
        self.system, self.name, self.number, self.fields = system, name, number, fields
        self.kind = kind  # PERF_TYPE_TRACEPOINT
        self.shown = shown  # the print format, if it is not the usual
        self.ids, self.sample_type, self.read_format = ids, sample_type, read_format


class Recording:
    def __init__(self, big_endian=False, clock=None):
        self.order = ">" if big_endian else "<"
        self.big_endian = big_endian
        self.clock = clock  # (wall ns, clock ns) at one moment
        self.events = []
        self.chain, self.chain_count = (0x1000, 0x2000), None  # of samples; None: all
        self.max_stack = 0  # of all events
        self.records = b""
        self.pieces = []

    def pack(self, what, *values):
        return struct.pack(self.order + what, *values)

    def event(self, *args, **kwargs):
        self.events.append(Event(*args, **kwargs))
        return self.events[-1]

    # Records

    def record(self, kind, body):
        self.pieces.append(self.pack("IHH", kind, 0, 8 + len(body)) + body)

    def raw(self, event, payload, pid):
        """A tracepoint's record: common fields and payload, padded as perf pads it."""
        raw = self.pack("HBBi", event.number, 1, 2, pid) + payload
        return raw + b"\xaa" * (-(len(raw) + 4) % 8)

    def sample(self, event, time, payload, cpu=0, pid=100, tid=101, which=0, cgroup=0):
        kind = event.sample_type
        own = event.ids[which] if event.ids else 0
        body = b""
        for bit, value in ((IDENTIFIER, ("Q", own)), (IP, ("Q", 0)),
                           (TID, ("II", pid, tid)), (TIME, ("Q", time)),
                           (ADDR, ("Q", 7)), (ID, ("Q", own)), (STREAM_ID, ("Q", 8)),
                           (CPU, ("II", cpu, 0)), (PERIOD, ("Q", 1))):
            if kind & bit:
                body += self.pack(*value)
        if kind & READ:
            body += self.read_values(event)
        if kind & CALLCHAIN:
            count = len(self.chain) if self.chain_count is None else self.chain_count
            body += self.pack("Q", count) + b"".join(self.pack("Q", at) for at in self.chain)
        if kind & RAW:
            raw = self.raw(event, payload, tid)
            body += self.pack("I", len(raw)) + raw
        for bit, value in ((DATA_SRC, 5), (CGROUP, cgroup), (DATA_PAGE_SIZE, 4096),
                           (CODE_PAGE_SIZE, 8192)):
            if kind & bit:
                body += self.pack("Q", value)
        self.record(9, body)

    def read_values(self, event):
        if not event.read_format & 8:  # no group
            return self.pack("Q", 1) + self.pack("Q", 2) * bin(
                event.read_format & 0x17).count("1")
        each = 1 + bin(event.read_format & 0x14).count("1")
        times = bin(event.read_format & 3).count("1")
        return self.pack("Q", 2) + self.pack("Q", 3) * (times + 2 * each)

    def end(self, time, which=0):
        """The end of records that are no samples: members that samples begin with."""
        event = self.events[0]
        kind, own = event.sample_type, event.ids[which] if event.ids else 0
        return b"".join(self.pack(*value) for bit, value in (
            (TID, ("II", 0, 0)), (TIME, ("Q", time)), (ID, ("Q", own)), (STREAM_ID, ("Q", 8)),
            (CPU, ("II", 0, 0)), (IDENTIFIER, ("Q", own))) if kind & bit)

    def text(self, text):
        text = text.encode("latin-1") + b"\0"
        return text + bytes(-len(text) % 8)

    def comm(self, time, tid, name, pid=100):
        self.record(3, self.pack("II", pid, tid) + self.text(name) + self.end(time))

    def task(self, kind, time, tid, parent):
        self.record(kind, self.pack("IIIIQ", 100, 100, tid, parent, time) + self.end(time))

    def fork(self, time, tid, parent):
        self.task(7, time, tid, parent)

    def exit(self, time, tid):
        self.task(4, time, tid, tid)

    def cgroup(self, time, number, path):
        self.record(19, self.pack("Q", number) + self.text(path) + self.end(time))

    def round(self):
        self.record(68, b"")

    def lost(self, count):
        self.record(2, self.pack("QQ", 0, count))

    def data(self):
        if self.pieces:
            self.records += b"".join(self.pieces)
            self.pieces = []
        return self.records

    # Their descriptions

    def attr(self, event):
        clockid = self.clock is not None
        flags = (1 << 18) | (clockid << 25)  # sample_id_all, use_clockid
        if self.big_endian:
            flags = int(f"{flags:064b}"[::-1], 2)
        head = self.pack("IIQQQQQ", event.kind, 112, event.number, 1, event.sample_type,
                         event.read_format, flags)
        return (head + bytes(92 - len(head)) + self.pack("i", 1 if clockid else 0)
                + bytes(108 - 96) + self.pack("HH", self.max_stack, 0))

    def tracing_data(self, names=b""):
        def formats(events):
            out = self.pack("I", len(events))
            for event in events:
                text = format_file(event.name, event.number, event.fields, event.shown)
                out += self.pack("Q", len(text)) + text
            return out

        systems = {}
        for event in self.events:
            systems.setdefault(event.system, []).append(event)
        out = b"\x17\x08\x44tracing0.6\0" + bytes([self.big_endian, 8])
        out += self.pack("I", 4096)
        out += b"header_page\0" + self.pack("Q", len(HEADER_PAGE)) + HEADER_PAGE
        out += b"header_event\0" + self.pack("Q", len(HEADER_EVENT)) + HEADER_EVENT
        out += formats([Event("ftrace", "function", 1, [("unsigned long", "ip", 8, 0)])])
        out += self.pack("I", len(systems))
        for system, events in systems.items():
            out += system.encode() + b"\0" + formats(events)
        return out + self.pack("IIQ", 0, 0, len(names)) + names

    def event_desc(self):
        out = self.pack("II", len(self.events), 112)
        for event in self.events:
            name = f"{event.system}:{event.name}".encode() + b"\0"
            name += bytes(-len(name) % 64)
            out += self.attr(event) + self.pack("II", len(event.ids), len(name)) + name
            out += b"".join(self.pack("Q", own) for own in event.ids)
        return out

    def clock_data(self):
        return self.pack("IIQQ", 1, 1, *self.clock)

    def features(self):
        found = [(FEATURE_TRACING_DATA, self.tracing_data()),
                 (FEATURE_EVENT_DESC, self.event_desc())]
        if self.clock:
            found.append((FEATURE_CLOCK_DATA, self.clock_data()))
        return found

    def magic(self):
        return b"2ELIFREP" if self.big_endian else b"PERFILE2"

    def file(self, data=None, is_finished=True):
        data = self.data() if data is None else data
        ids_at = 104
        ids = b"".join(self.pack("Q", own) for e in self.events for own in e.ids)
        attrs_at = ids_at + len(ids)
        attrs = b""
        for event in self.events:
            attrs += self.attr(event) + self.pack("QQ", ids_at, 8 * len(event.ids))
            ids_at += 8 * len(event.ids)
        data_at = attrs_at + len(attrs)
        features = self.features() if is_finished else []
        bits = sum(1 << bit for bit, _ in features)
        behind = data_at + len(data)
        at = behind + 16 * len(features)
        places = b""
        for _, body in features:
            places += self.pack("QQ", at, len(body))
            at += len(body)
        header = self.magic() + self.pack("QQ", 104, 112 + 16)
        header += self.pack("QQ", attrs_at, len(attrs))
        header += self.pack("QQ", data_at, len(data) if is_finished else 0)
        header += self.pack("QQ", 0, 0) + self.pack("QQQQ", bits, 0, 0, 0)
        return (header + ids + attrs + data + places
                + b"".join(body for _, body in features))

    def stream(self, data=None):
        out = self.magic() + self.pack("Q", 16)
        own, self.pieces = self.pieces, []
        for event in self.events:
            self.record(64, self.attr(event) + b"".join(
                self.pack("Q", number) for number in event.ids))
        for feature, body in self.features():
            if feature != FEATURE_TRACING_DATA:
                self.record(80, self.pack("Q", feature) + body)
        tracing = self.tracing_data()
        tracing += bytes(-len(tracing) % 8)
        self.record(66, self.pack("I", len(tracing)))
        self.pieces.append(tracing)
        out += b"".join(self.pieces)
        self.pieces = own
        return out + (self.data() if data is None else data)


PAGE = 4096


class TraceDat:
    """A trace.dat file, version 6, of the events of a Recording: pages of a ring buffer."""

    def __init__(self, big_endian=False, cpus=1):
        self.recording = Recording(big_endian)
        self.cpus = [[] for _ in range(cpus)]  # of each: (time, record)
        self.names = {}  # of threads
        self.lost = set()  # times of records that begin a page, before which events were lost

    def event(self, *args, **kwargs):
        return self.recording.event(*args, **kwargs)

    def record(self, event, time, payload, cpu=0, pid=100):
        raw = self.recording.pack("HBBi", event.number, 1, 2, pid) + payload
        self.cpus[cpu].append((time, raw))

    def entry(self, delta, raw):
        """A length that does not fit the head follows it."""
        raw += bytes(-len(raw) % 4)
        words, behind = len(raw) // 4, b""
        if words > 28:
            words, behind = 0, self.recording.pack("I", len(raw) + 4)
        head = words << 27 | delta if self.recording.big_endian else delta << 5 | words
        return self.recording.pack("I", head) + behind + raw

    def pages(self, records):
        out, page, first, last = [], b"", 0, 0

        def whole():
            length = len(page) | (1 << 31 if first in self.lost else 0)
            return (self.recording.pack("QQ", first, length) + page).ljust(PAGE, b"\0")

        for time, raw in records:
            if page and (len(page) + len(raw) + 12 > PAGE - 16 or time in self.lost):
                out.append(whole())
                page = b""
            if not page:
                first = last = time
            page += self.entry(time - last, raw)
            last = time
        if page:
            out.append(whole())
        return b"".join(out)

    def file(self, instance=None):
        """instance: a TraceDat with as many processors, the records of an instance."""
        pack = self.recording.pack
        buffers = [self, instance] if instance else [self]
        names = "".join(f"{tid} {name}\n" for tid, name in self.names.items())
        head = self.recording.tracing_data(names.encode()).replace(b"tracing0.6\0", b"tracing6\0", 1)
        head += pack("I", len(self.cpus)) + b"options  \0"
        places = pack("H", 0) + b"flyrecord\0" + bytes(16 * len(self.cpus))
        if instance:  # its options and places stand behind those of the file
            name = b"instance\0"
            head += pack("HIQ", 3, 8 + len(name),
                         len(head) + 14 + len(name) + len(places)) + name
        end = len(head) + len(places) + (10 + len(places) if instance else 0)
        at = -(-end // PAGE) * PAGE
        pages = b""
        for number, buffer in enumerate(buffers):
            head += (b"options  \0" if number else b"") + pack("H", 0) + b"flyrecord\0"
            for records in buffer.cpus:
                part = self.pages(records)
                head += pack("QQ", at + len(pages), len(part))
                pages += part
        return head + bytes(-len(head) % PAGE) + pages


def eventheader(name, fields, payload, level=5, big_endian=False, activity=None, opcode=0,
                related=b""):
    """An EventHeader event: fields are (name, encoding and format bytes)."""
    order = ">" if big_endian else "<"
    metadata = name.encode() + b"\0"
    metadata += b"".join(field.encode() + b"\0" + kind for field, kind in fields)
    out = bytes([5 if big_endian else 7, 0]) + struct.pack(order + "HHBB", 0, 0, opcode,
                                                                     level)
    if activity:
        out += struct.pack(order + "HH", 16 + len(related), 0x8002) + activity + related
    return out + struct.pack(order + "HH", len(metadata), 1) + metadata + payload


def dat(events):
    """The container of EventHeader events: (tracepoint's name, bytes)."""
    out = b""
    for name, body in events:
        out += struct.pack("<I", 4 + len(name) + 1 + len(body)) + name.encode() + b"\0" + body
    return out
