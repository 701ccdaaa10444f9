# SPDX-License-Identifier: MIT
"""Checks requests of OTLP strictly against the .proto files of opentelemetry-proto.

JSON has no other members than these, of the types that the specification gives them. Protocol
Buffers are read by protoc, which shows an unknown field as a number. Both are returned in one
shape: as JSON.
"""
import base64
import json
import math
import pathlib
import re
import struct
import subprocess

REQUESTS = {"logs": ("logs_service.proto", "ExportLogsServiceRequest"),
            "traces": ("trace_service.proto", "ExportTraceServiceRequest"),
            "metrics": ("metrics_service.proto", "ExportMetricsServiceRequest")}
KINDS = {"resourceLogs": "logs", "resourceSpans": "traces", "resourceMetrics": "metrics"}
IDS = {"trace_id": 16, "span_id": 8, "parent_span_id": 8}
FIELD = re.compile(r"(repeated |optional )?([\w.]+) (\w+) = (\d+)(?: \[.*\])?;")


def camel(name):
    first, *others = name.split("_")
    return first + "".join(part.capitalize() for part in others)


class Schema:
    """The messages and enums of a folder of .proto files, by their names without package."""

    def __init__(self, folder):
        self.folder = str(folder)
        self.messages, self.enums = {}, {}
        for path in sorted(pathlib.Path(folder).glob("*.proto")):
            self.read(re.sub(r"//.*", "", path.read_text()))

    def read(self, text):
        """Braces nest; "oneof" and "service" are no messages."""
        around = []
        for line in text.splitlines():
            opened = re.match(r"\s*(message|enum|oneof|service)\s+(\w+)\s*\{", line)
            if opened:
                kind, name = opened.groups()
                around.append((kind, name))
                if kind in ("message", "enum"):
                    (self.messages if kind == "message" else self.enums)[name] = {}
            elif "}" in line and "{" not in line:
                around.pop()
            elif around and around[-1][0] == "enum" and "=" in line:
                name, number = re.match(r"\s*(\w+)\s*=\s*(\w+)", line).groups()
                self.enums[around[-1][1]][name] = int(number, 0)
            elif around and (found := FIELD.search(line)):
                owner = [name for kind, name in around if kind == "message"][-1]
                many, kind, name, _ = found.groups()
                self.messages[owner][name] = (kind.split(".")[-1], many == "repeated ")

    # JSON

    def check(self, value, kind, name="", repeated=False):
        """Raises AssertionError unless this is JSON of a field of this type."""
        if repeated:
            assert isinstance(value, list), (name, value)
            for item in value:
                self.check(item, kind, name)
        elif kind in self.messages:
            self.check_message(value, kind)
        else:
            assert self.is_scalar(value, kind, name), (kind, name, value)

    def check_message(self, value, kind):
        members = {camel(name): (name, *rest) for name, rest in self.messages[kind].items()}
        assert isinstance(value, dict), (kind, value)
        for key, member in value.items():
            assert key in members, f"{kind} has no {key}"
            name, own, repeated = members[key]
            self.check(member, own, name, repeated)
        if kind == "AnyValue":
            assert len(value) <= 1, value
        if kind == "KeyValueList" or "attributes" in self.messages[kind]:
            keys = [pair["key"] for pair in value.get("values", value.get("attributes", []))]
            assert len(keys) == len(set(keys)) and "" not in keys, keys

    def is_scalar(self, value, kind, name):
        if name in IDS:
            return re.fullmatch("[0-9a-f]{%d}" % (2 * IDS[name]), value) and int(value, 16)
        if kind in ("fixed64", "uint64", "int64", "sfixed64"):
            least, most = (-2**63, 2**63 - 1) if kind in ("int64", "sfixed64") else (0, 2**64 - 1)
            return (isinstance(value, str) and re.fullmatch("-?[0-9]+", value)
                    and least <= int(value) <= most)
        if kind in ("fixed32", "uint32"):
            return type(value) is int and 0 <= value < 2**32
        if kind in self.enums:
            return type(value) is int and value in self.enums[kind].values()
        if kind == "bytes":
            return base64.b64encode(base64.b64decode(value, validate=True)).decode() == value
        if kind == "double":
            return type(value) in (int, float) or value in ("NaN", "Infinity", "-Infinity")
        return isinstance(value, {"string": str, "bool": bool}[kind])

    def line(self, line):
        """The signal and the request of a line of JSON."""
        def once(pairs):
            assert len(pairs) == len(dict(pairs)), pairs
            return dict(pairs)

        request = json.loads(line, object_pairs_hook=once, parse_int=lambda digits: (
            -0.0 if digits == "-0" else int(digits)))
        (member,) = request
        self.check(request, REQUESTS[KINDS[member]][1])
        return KINDS[member], request

    # Protocol Buffers

    def decode(self, signal, request):
        """A request as JSON, as protoc reads it."""
        file, message = REQUESTS[signal]
        package = f"opentelemetry.proto.collector.{signal.replace('traces', 'trace')}.v1"
        done = subprocess.run(["protoc", "-I", self.folder, "--decode",
                               f"{package}.{message}", file], input=request,
                              capture_output=True, timeout=300)
        assert done.returncode == 0 and not done.stderr, done.stderr.decode()
        found = self.from_text(iter(done.stdout.decode().splitlines()), message)
        self.check(found, message)
        return found

    def from_text(self, lines, message):
        """The text format: "name: value", "name {"."""
        found = {}
        for line in lines:
            line = line.strip()
            if line == "}":
                break
            if line.endswith(" {"):
                name, value = line[:-2], None
            else:
                name, value = line.split(": ", 1)
            assert not name.isdigit(), f"{message} has an unknown field {name}"
            kind, repeated = self.messages[message][name]
            value = (self.from_text(lines, kind) if value is None
                     else self.scalar_from_text(value, kind, name))
            if repeated:
                found.setdefault(camel(name), []).append(value)
            else:
                assert camel(name) not in found, name
                found[camel(name)] = value
        return found

    def scalar_from_text(self, text, kind, name):
        if kind in self.enums:
            return self.enums[kind][text]
        if kind in ("fixed64", "uint64", "int64", "sfixed64"):
            return text
        if kind in ("fixed32", "uint32"):
            return int(text)
        if kind == "bool":
            return text == "true"
        if kind == "double":
            special = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
            return special.get(text) or float(text)
        raw = unescape(text)
        if kind == "bytes":
            return raw.hex() if name in IDS else base64.b64encode(raw).decode()
        return raw.decode()


ESCAPES = {"n": b"\n", "r": b"\r", "t": b"\t", '"': b'"', "'": b"'", "\\": b"\\"}


def unescape(text):
    """The bytes of a string of protoc."""
    def one(found):
        code = found[1]
        return (bytes([int(code, 8)]) if code.isdigit() else ESCAPES[code]).decode("latin-1")

    return re.sub(r"\\([0-7]{3}|.)", one,
                  text[1:-1].encode().decode("latin-1")).encode("latin-1")


def framed(content):
    """Requests, each after its length."""
    found = []
    while content:
        length, = struct.unpack(">I", content[:4])
        assert len(content) >= 4 + length
        found.append(content[4:4 + length])
        content = content[4 + length:]
    return found


def plain(value):
    """An AnyValue as a Python value; bytes as bytes, a kvlist as a dict."""
    if not value:
        return None
    (kind, inner), = value.items()
    if kind == "arrayValue":
        return [plain(item) for item in inner.get("values", [])]
    if kind == "kvlistValue":
        return attributes(inner.get("values", []))
    if kind == "bytesValue":
        return base64.b64decode(inner)
    if kind == "intValue":
        return int(inner)
    if kind == "doubleValue":
        return float(inner)
    return inner


def attributes(pairs):
    return {pair["key"]: plain(pair["value"]) for pair in pairs}


def comparable(request):
    """Without the time of reading, and with numbers as Python has them, for comparisons."""
    if isinstance(request, dict):
        return {key: (repr(float(value)) if key == "doubleValue" else
                      comparable(value)) for key, value in request.items()
                if key != "observedTimeUnixNano" and (value != [] or key != "attributes")
                and not (key == "values" and value == [])}
    if isinstance(request, list):
        return [comparable(item) for item in request]
    return request
