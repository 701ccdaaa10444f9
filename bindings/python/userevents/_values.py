# SPDX-License-Identifier: MIT
"""How values of Python become fields of an event."""
import ctypes
import datetime
import ipaddress
import itertools
import struct
import uuid

from ._library import library, ue_span

# enum ue_encoding and enum ue_format of <userevents/abi/eventheader.h>
VALUE8, VALUE16, VALUE32, VALUE64, VALUE128 = 2, 3, 4, 5, 6
STRING, BINARY = 10, 13
VARRAY = 0x40
LENGTH_MAX = 65535
UNSIGNED, SIGNED, HEX, ERRNO, PID, TIME, BOOLEAN, FLOAT = 1, 2, 3, 4, 5, 6, 7, 8
JSON, UUID, PORT, ADDRESS = 14, 15, 16, 17


class Typed:
    """A number, or a sequence of numbers, of one type of the trace."""

    __slots__ = ("kind", "value")

    def __init__(self, kind, value):
        self.kind, self.value = kind, value


def _type(name, encoding, form, code, what):
    def typed(value):
        return Typed((encoding, form, code), value)

    typed.__name__ = typed.__qualname__ = name
    typed.__doc__ = f"A field of type {what}: of a number, or an array of a sequence of them."
    return typed


u8 = _type("u8", VALUE8, UNSIGNED, "=B", "u8")
u16 = _type("u16", VALUE16, UNSIGNED, "=H", "u16")
u32 = _type("u32", VALUE32, UNSIGNED, "=I", "u32")
u64 = _type("u64", VALUE64, UNSIGNED, "=Q", "u64")
s8 = _type("s8", VALUE8, SIGNED, "=b", "s8")
s16 = _type("s16", VALUE16, SIGNED, "=h", "s16")
s32 = _type("s32", VALUE32, SIGNED, "=i", "s32")
s64 = _type("s64", VALUE64, SIGNED, "=q", "s64")
hex8 = _type("hex8", VALUE8, HEX, "=B", "u8, shown in hexadecimal")
hex16 = _type("hex16", VALUE16, HEX, "=H", "u16, shown in hexadecimal")
hex32 = _type("hex32", VALUE32, HEX, "=I", "u32, shown in hexadecimal")
hex64 = _type("hex64", VALUE64, HEX, "=Q", "u64, shown in hexadecimal")
f32 = _type("f32", VALUE32, FLOAT, "=f", "float")
f64 = _type("f64", VALUE64, FLOAT, "=d", "double")
boolean = _type("boolean", VALUE8, BOOLEAN, "=?", "bool")
pid = _type("pid", VALUE32, PID, "=i", "process id")
errno_number = _type("errno_number", VALUE32, ERRNO, "=i", "errno, shown by name")
port = _type("port", VALUE16, PORT, "!H", "port")
time = _type("time", VALUE64, TIME, "=q", "time, in seconds since 1970")


class json_text:  # named like the others, as it is used like them
    """A text that is JSON."""

    __slots__ = ("text",)

    def __init__(self, text):
        self.text = text


def utf8(text):
    """Lone surrogates are in no text that others read."""
    return text.encode("utf-8", "replace")


def name_of(field):
    name = utf8(field)
    if b"\0" in name:
        raise ValueError(f"cannot write the field {field!r}: its name contains a NUL")
    return name


def _countable(values):
    """As many as an array can count. With more it is too large for any listener, and lost."""
    return itertools.islice(values, LENGTH_MAX)


def _add_typed(builder, name, typed):
    encoding, form, code = typed.kind
    try:
        if isinstance(typed.value, (list, tuple)):
            values = [struct.pack(code, value) for value in _countable(typed.value)]
            # Counted here, as another thread may extend the list meanwhile.
            library.ue_builder_array(builder, name, encoding | VARRAY, form, b"".join(values),
                                     len(values))
        else:
            library.ue_builder_value(builder, name, encoding, form,
                                     struct.pack(code, typed.value))
    except (struct.error, OverflowError) as error:
        raise ValueError(f"cannot write the field {name.decode()}: {error}") from None


def _add_int(builder, name, value):
    if -1 << 63 <= value < 1 << 63:
        library.ue_builder_s64(builder, name, value)
    elif 0 <= value < 1 << 64:
        library.ue_builder_u64(builder, name, value)
    else:
        raise ValueError(f"cannot write the field {name.decode()}: the number does not fit "
                         "64 bits")


def _add_units(builder, name, encoding, form, data):
    data = data[:LENGTH_MAX]  # a longer one is too large for any listener, and lost
    library.ue_builder_units(builder, name, encoding, form, data, len(data))


def _add_struct(builder, name, members):
    if not members:
        return  # no struct is empty
    library.ue_builder_struct_begin(builder, name)
    add_fields(builder, members)
    library.ue_builder_struct_end(builder)


def _add_sequence(builder, name, values):
    def are(kind):
        return all(isinstance(value, kind) for value in values)

    if not values:
        _add_typed(builder, name, s64(values))
    elif are(dict):
        _add_structs(builder, name, values)
    elif are(str) or are(bytes):
        _add_spans(builder, name, values)
    elif are(bool):
        _add_typed(builder, name, boolean(values))
    elif are(int):
        _add_typed(builder, name, (u64 if max(values) >= 1 << 63 else s64)(values))
    elif are((int, float)):
        _add_typed(builder, name, f64(values))
    else:
        raise TypeError(f"cannot write the field {name.decode()}: the elements of a sequence "
                        "are numbers, str, bytes or dict, and all alike")


def _add_structs(builder, name, values):
    library.ue_builder_structs_begin(builder, name, VARRAY)
    for members in _countable(values):
        library.ue_builder_struct_next(builder)
        add_fields(builder, members)
    library.ue_builder_struct_end(builder)


def _add_spans(builder, name, values):
    encoding = STRING if isinstance(values[0], str) else BINARY
    data = [(utf8(value) if encoding == STRING else value)[:LENGTH_MAX]
            for value in _countable(values)]
    spans = (ue_span * len(data))()
    for span, value in zip(spans, data):
        span.data = ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p)
        span.length = len(value)
    library.ue_builder_spans(builder, name, encoding | VARRAY, 0, spans, len(data))


def _add_time(builder, name, value):
    _add_typed(builder, name, time(int(value.timestamp())))


def _add_address(builder, name, value):
    encoding = VALUE32 if value.version == 4 else VALUE128
    library.ue_builder_value(builder, name, encoding, ADDRESS, value.packed)


# The first type that the value is of.
ADDERS = [
    (Typed, _add_typed),
    (str, lambda builder, name, value: _add_units(builder, name, STRING, 0, utf8(value))),
    (bool, lambda builder, name, value: library.ue_builder_bool(builder, name, value)),
    (int, _add_int),
    (float, lambda builder, name, value: library.ue_builder_f64(builder, name, value)),
    (type(None), lambda builder, name, value: _add_units(builder, name, BINARY, UNSIGNED, b"")),
    ((bytes, bytearray, memoryview),
     lambda builder, name, value: _add_units(builder, name, BINARY, 0, bytes(value))),
    ((list, tuple), _add_sequence),
    (dict, _add_struct),
    (uuid.UUID, lambda builder, name, value: library.ue_builder_value(
        builder, name, VALUE128, UUID, value.bytes)),
    (datetime.datetime, _add_time),
    ((ipaddress.IPv4Address, ipaddress.IPv6Address), _add_address),
    (json_text, lambda builder, name, value: _add_units(builder, name, STRING, JSON,
                                                        utf8(value.text))),
]


def adder_of(value):
    for kind, adder in ADDERS:
        if isinstance(value, kind):
            return adder
    return None


def add_fields(builder, fields):
    """Add the fields of a mapping to the event that a builder has begun."""
    for field, value in fields.items():
        adder = adder_of(value)
        if not adder:
            raise TypeError(f"cannot write the field {field}: its value has the type "
                            f"{type(value).__name__}, which no field has; convert it, for example "
                            "by str()")
        adder(builder, name_of(field), value)
