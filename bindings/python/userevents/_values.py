# SPDX-License-Identifier: MIT
"""How values of Python become the bytes of an EventHeader event.

A record is a header, a description of the fields, and their values. Each encoder makes of one
value its type in the description, and its bytes; encoders are found by the exact type. What no
encoder takes raises Unfit or another exception, and _fit.py deals with it.
"""
import datetime
import ipaddress
import itertools
import math
import struct
import sys
import uuid
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple, Type, Union

# enum ue_encoding and enum ue_format of <userevents/abi/eventheader.h>
STRUCT, VALUE8, VALUE16, VALUE32, VALUE64, VALUE128 = 1, 2, 3, 4, 5, 6
STRING, BINARY = 10, 13
VARRAY, ENCODING_CHAIN = 0x40, 0x80
UNSIGNED, SIGNED, HEX, ERRNO, PID, TIME, BOOLEAN, FLOAT = 1, 2, 3, 4, 5, 6, 7, 8
JSON, UUID, PORT, ADDRESS = 14, 15, 16, 17
POINTER64, LITTLE_ENDIAN, EXTENSION = 1, 2, 4
METADATA, ACTIVITY, EXTENSION_CHAIN = 1, 2, 0x8000

DEPTH_MAX = 8  # of structs in structs
MEMBERS_MAX = 127  # of a struct
PAYLOAD_MAX = 8184  # bytes; no session takes more
FIELDS_MAX = 1000  # of an event

Encoded = Tuple[bytes, bytes]


class Unfit(ValueError):
    """A value that no field can have, and why."""


class TooLarge(ValueError):
    """Values that are too large for any listener."""


def kind_of(encoding: int, form: int) -> bytes:
    """A type, as it is in a description."""
    return bytes((encoding | ENCODING_CHAIN, form)) if form else bytes((encoding,))


class Kind:
    """A type of numbers."""

    __slots__ = ("scalar", "array", "order", "code", "size", "pack")

    def __init__(self, encoding: int, form: int, code: str) -> None:
        self.scalar, self.array = kind_of(encoding, form), kind_of(encoding | VARRAY, form)
        self.order, self.code = "!" if form == PORT else "=", code
        packer = struct.Struct(self.order + code)
        self.size, self.pack = packer.size, packer.pack


class Typed:
    """A number, or a sequence of numbers, of one type of the trace."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: Kind, value: Any) -> None:
        self.kind, self.value = kind, value


Number = Union[int, float]


def _type(name: str, encoding: int, form: int, code: str,
          what: str) -> Callable[[Union[Number, Sequence[Number]]], Typed]:
    kind = Kind(encoding, form, code)

    def typed(value: Union[Number, Sequence[Number]]) -> Typed:
        return Typed(kind, value)

    typed.__name__ = typed.__qualname__ = name
    typed.__doc__ = f"A field of type {what}: of a number, or an array of a sequence of them."
    return typed


u8 = _type("u8", VALUE8, UNSIGNED, "B", "u8")
u16 = _type("u16", VALUE16, UNSIGNED, "H", "u16")
u32 = _type("u32", VALUE32, UNSIGNED, "I", "u32")
u64 = _type("u64", VALUE64, UNSIGNED, "Q", "u64")
s8 = _type("s8", VALUE8, SIGNED, "b", "s8")
s16 = _type("s16", VALUE16, SIGNED, "h", "s16")
s32 = _type("s32", VALUE32, SIGNED, "i", "s32")
s64 = _type("s64", VALUE64, SIGNED, "q", "s64")
hex8 = _type("hex8", VALUE8, HEX, "B", "u8, shown in hexadecimal")
hex16 = _type("hex16", VALUE16, HEX, "H", "u16, shown in hexadecimal")
hex32 = _type("hex32", VALUE32, HEX, "I", "u32, shown in hexadecimal")
hex64 = _type("hex64", VALUE64, HEX, "Q", "u64, shown in hexadecimal")
f32 = _type("f32", VALUE32, FLOAT, "f", "float")
f64 = _type("f64", VALUE64, FLOAT, "d", "double")
boolean = _type("boolean", VALUE8, BOOLEAN, "?", "bool")
pid = _type("pid", VALUE32, PID, "i", "process id")
errno_number = _type("errno_number", VALUE32, ERRNO, "i", "errno, shown by name")
port = _type("port", VALUE16, PORT, "H", "port")
_time_of = _type("time", VALUE64, TIME, "q", "time, in seconds since 1970")


def _whole(seconds: Any) -> Any:
    """Of time.time(), for example. What is no number is dealt with when it is written."""
    if isinstance(seconds, float) and math.isfinite(seconds):
        return math.floor(float.__float__(seconds))
    return seconds


def time(value: Union[Number, Sequence[Number]]) -> Typed:
    """A field of type time, in seconds since 1970, without their fraction: of a number, or an
    array of a sequence of them."""
    if type(value) in (list, tuple) and len(value) <= PAYLOAD_MAX:  # type: ignore[arg-type]
        return _time_of([_whole(seconds) for seconds in value])  # type: ignore[union-attr]
    return _time_of(_whole(value))


class json_text:  # named like the others, as it is used like them
    """A text that is JSON."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def utf8(text: str) -> bytes:
    """Lone surrogates are in no text that others read."""
    return text.encode("utf-8", "replace")


class Names(Dict[str, bytes]):
    """Names as they are in a description. They may come from data, so it keeps so many."""

    def __missing__(self, name: str) -> bytes:
        encoded = utf8(name)
        if b"\0" in encoded:
            raise Unfit("its name contains a NUL")
        if len(self) >= 4096:
            self.clear()
        self[name] = encoded = encoded + b"\0"
        return encoded


NAMES = Names()

# Types, as they are in a description.
_TEXT, _BYTES, _TEXTS, _BLOBS = (kind_of(encoding, 0) for encoding in (
    STRING, BINARY, STRING | VARRAY, BINARY | VARRAY))
_JSON, _NULL = kind_of(STRING, JSON), (kind_of(BINARY, UNSIGNED), b"\0\0")
_S64, _F64, _TIME = (kind_of(VALUE64, form) for form in (SIGNED, FLOAT, TIME))
_U64 = kind_of(VALUE64, UNSIGNED)
_FALSE, _TRUE = ((kind_of(VALUE8, BOOLEAN), byte) for byte in (b"\0", b"\1"))
_UUID = kind_of(VALUE128, UUID)
_ADDRESS4, _ADDRESS6 = kind_of(VALUE32, ADDRESS), kind_of(VALUE128, ADDRESS)
_pack_s64, _pack_u64, _pack_f64 = (struct.Struct("=" + code).pack for code in "qQd")
_count = struct.Struct("=H").pack
_header = struct.Struct("=BBHHBB").pack
_extension = struct.Struct("=HH").pack


def _text(value: str, depth: int) -> Encoded:
    if len(value) > PAYLOAD_MAX:
        raise TooLarge
    data = utf8(value)
    return _TEXT, _count(len(data)) + data


def _json(value: json_text, depth: int) -> Encoded:
    return _JSON, _text(value.text, depth)[1]


def _bytes(value: bytes, depth: int) -> Encoded:
    return _BYTES, _count(len(value)) + value


def _int(value: int, depth: int) -> Encoded:
    try:
        return _S64, _pack_s64(value)
    except struct.error:
        if 0 <= value < 1 << 64:
            return _U64, _pack_u64(value)
        raise Unfit("the number does not fit 64 bits") from None


def _time(value: datetime.datetime, depth: int) -> Encoded:
    return _TIME, _pack_s64(math.floor(value.timestamp()))


def _typed(value: Typed, depth: int) -> Encoded:
    kind = value.kind
    if not isinstance(value.value, (list, tuple)):
        return kind.scalar, kind.pack(value.value)
    values = tuple(itertools.islice(value.value, PAYLOAD_MAX + 1))
    return _array(kind.array, kind.order, kind.code, values)


def _array(kind: bytes, order: str, code: str, values: Sequence[Any]) -> Encoded:
    if len(values) > PAYLOAD_MAX:
        raise TooLarge
    return kind, _count(len(values)) + struct.pack(f"{order}{len(values)}{code}", *values)


def members(fields: Mapping[str, Any], depth: int) -> Tuple[List[bytes], List[bytes]]:
    """The descriptions of fields, of two parts each, and the bytes of their values."""
    described: List[bytes] = []
    values: List[bytes] = []
    for name, value in fields.items():
        kind, data = ENCODERS[type(value)](value, depth)
        if kind:
            described += NAMES[name], kind
            values.append(data)
    return described, values


def _members_within(fields: Dict[str, Any], depth: int) -> Tuple[int, bytes, bytes]:
    """The members of a struct, of which no listener gets more than fit a record."""
    if depth >= DEPTH_MAX:
        raise Unfit("structs are nested deeper than 8")
    if len(fields) > MEMBERS_MAX:
        raise Unfit("a struct has more than 127 members")
    parts, values = members(fields, depth + 1)
    described, data = b"".join(parts), b"".join(values)
    if len(described) + len(data) > PAYLOAD_MAX:
        raise TooLarge
    return len(values), described, data


def _struct(value: Dict[str, Any], depth: int) -> Encoded:
    count, described, data = _members_within(value, depth)
    if not count:
        return b"", b""  # no struct is empty
    return kind_of(STRUCT, count) + described, data


def _structs(values: Sequence[Dict[str, Any]], depth: int) -> Encoded:
    count, described, data = _members_within(values[0], depth)
    parts, size = [data], len(data)
    for value in values[1:]:
        again, same, data = _members_within(value, depth)
        if again != count or same != described:
            raise Unfit("the elements of an array of structs have the same names and types")
        parts.append(data)
        size += len(data)
        if size > PAYLOAD_MAX:
            raise TooLarge
    if not count:
        return b"", b""
    parts.insert(0, _count(len(values)))
    return kind_of(STRUCT | VARRAY, count) + described, b"".join(parts)


def _spans(kind: bytes, count: int, values: Iterable[bytes]) -> Encoded:
    parts = [_count(count)]
    size = 0
    for value in values:
        size += len(value) + 2
        if size > PAYLOAD_MAX:
            raise TooLarge
        parts += _count(len(value)), value
    return kind, b"".join(parts)


def _ints(values: Sequence[int]) -> Encoded:
    try:
        return _array(kind_of(VALUE64 | VARRAY, SIGNED), "=", "q", values)
    except struct.error:
        return _array(kind_of(VALUE64 | VARRAY, UNSIGNED), "=", "Q", values)


def _elements(values: Sequence[Any], depth: int) -> Encoded:
    types = set(map(type, values))
    if types <= {int}:
        return _ints(values)
    if types == {str}:
        return _spans(_TEXTS, len(values), map(utf8, values))
    if types == {dict}:
        return _structs(values, depth)
    if types <= {int, float}:
        return _array(kind_of(VALUE64 | VARRAY, FLOAT), "=", "d", values)
    if types == {bool}:
        return _array(kind_of(VALUE8 | VARRAY, BOOLEAN), "=", "?", values)
    if types == {bytes}:
        return _spans(_BLOBS, len(values), values)
    raise TypeError("the elements of a sequence are numbers, str, bytes or dict, and all alike")


def _sequence(value: Sequence[Any], depth: int) -> Encoded:
    values = tuple(value)
    if len(values) > PAYLOAD_MAX:
        raise TooLarge
    return _elements(values, depth)


ENCODERS: Dict[Type[Any], Callable[[Any, int], Encoded]] = {
    str: _text,
    int: _int,
    float: lambda value, depth: (_F64, _pack_f64(value)),
    bool: lambda value, depth: _TRUE if value else _FALSE,
    type(None): lambda value, depth: _NULL,
    bytes: _bytes,
    list: _sequence,
    tuple: _sequence,
    dict: _struct,
    Typed: _typed,
    json_text: _json,
    uuid.UUID: lambda value, depth: (_UUID, value.bytes),
    datetime.datetime: _time,
    ipaddress.IPv4Address: lambda value, depth: (_ADDRESS4, value.packed),
    ipaddress.IPv6Address: lambda value, depth: (_ADDRESS6, value.packed),
}


def header_of(options: int, level: int) -> bytes:
    """options: as UE_ID(), UE_OPCODE() and UE_EVENT_TAG() make them."""
    flags = (EXTENSION | (POINTER64 if struct.calcsize("P") == 8 else 0) |
             (LITTLE_ENDIAN if sys.byteorder == "little" else 0))
    return _header(flags, options >> 8 & 0xff, options >> 16 & 0xffff, options >> 32 & 0xffff,
                   options >> 48 & 0xff, level)


def activity_part(activity: bytes, related: bytes = b"") -> bytes:
    return _extension(len(activity) + len(related), ACTIVITY | EXTENSION_CHAIN) + activity + related


def record(head: bytes, name: str, fields: Mapping[str, Any]) -> bytes:
    """A record. head: of header_of(), and of activity_part() if it has an activity."""
    if len(fields) > FIELDS_MAX:
        raise TooLarge
    described, values = members(fields, 0)
    description = NAMES[name] + b"".join(described)
    return b"".join((head, _extension(len(description), METADATA), description, *values))
