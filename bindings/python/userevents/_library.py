# SPDX-License-Identifier: MIT
"""The functions of libuserevents.so that this package calls, and their types.

A test compares the tables with the C headers (tests/bindings/declarations_test.py).
"""
import ctypes
import os
import sys
from ctypes import (POINTER, c_char_p, c_double, c_int, c_int32, c_int64, c_long, c_size_t,
                    c_uint8, c_uint16, c_uint32, c_uint64, c_void_p)


class ue_open_opts(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("fd", c_int), ("flags", c_uint32),
                ("payload_max", c_uint32), ("spare", c_uint32)]


class ue_definition_error(ctypes.Structure):
    _fields_ = [("offset", c_size_t), ("length", c_size_t), ("reason", c_char_p)]


class ue_span(ctypes.Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]


OPEN_FD = 1
CALL_OPEN, CALL_REGISTER, CALL_WRITE, CALL_BUILD = 0, 2, 5, 6
LOSSES = 5

# An event, tracepoint, builder or payload is a pointer that the library made.
SIGNATURES = {
    "ue_builder_array": (None, [c_void_p, c_char_p, c_uint8, c_uint8, c_void_p, c_size_t]),
    "ue_builder_begin": (None, [c_void_p, c_char_p, c_uint64]),
    "ue_builder_bool": (None, [c_void_p, c_char_p, c_int]),
    "ue_builder_error": (c_int, [c_void_p]),
    "ue_builder_f64": (None, [c_void_p, c_char_p, c_double]),
    "ue_builder_free": (None, [c_void_p]),
    "ue_builder_new": (c_void_p, []),
    "ue_builder_s64": (None, [c_void_p, c_char_p, c_int64]),
    "ue_builder_spans": (None, [c_void_p, c_char_p, c_uint8, c_uint8, POINTER(ue_span),
                                c_size_t]),
    "ue_builder_struct_begin": (None, [c_void_p, c_char_p]),
    "ue_builder_struct_end": (None, [c_void_p]),
    "ue_builder_struct_next": (None, [c_void_p]),
    "ue_builder_structs_begin": (None, [c_void_p, c_char_p, c_uint8]),
    "ue_builder_tag": (None, [c_void_p, c_uint16]),
    "ue_builder_u64": (None, [c_void_p, c_char_p, c_uint64]),
    "ue_builder_units": (None, [c_void_p, c_char_p, c_uint8, c_uint8, c_void_p, c_size_t]),
    "ue_builder_value": (None, [c_void_p, c_char_p, c_uint8, c_uint8, c_void_p]),
    "ue_builder_write": (c_int, [c_void_p, c_int, c_void_p, c_void_p, c_void_p]),
    "ue_close": (c_int, [c_int]),
    "ue_definition_check": (c_int, [c_char_p, c_uint32, POINTER(ue_definition_error)]),
    "ue_enabled": (c_int, [c_void_p]),
    "ue_event_free": (c_int, [c_void_p]),
    "ue_event_lost": (c_int, [c_int, c_void_p, c_int]),
    "ue_event_losses": (c_uint32, [c_void_p, c_int]),
    "ue_event_new": (c_int, [c_char_p, c_uint32, POINTER(c_void_p)]),
    "ue_activity_create": (c_int, [c_void_p]),
    "ue_explain": (c_char_p, [c_int, c_int]),
    "ue_loss_name": (c_char_p, [c_int]),
    "ue_open": (c_int, [POINTER(ue_open_opts)]),
    "ue_payload_begin": (None, [c_void_p]),
    "ue_payload_bytes": (c_int, [c_void_p, c_char_p, c_void_p, c_size_t]),
    "ue_payload_finish": (c_long, [c_void_p, POINTER(c_void_p)]),
    "ue_payload_free": (None, [c_void_p]),
    "ue_payload_new": (c_int, [c_char_p, POINTER(c_void_p)]),
    "ue_payload_s64": (c_int, [c_void_p, c_char_p, c_int64]),
    "ue_payload_string": (c_int, [c_void_p, c_char_p, c_char_p]),
    "ue_payload_u64": (c_int, [c_void_p, c_char_p, c_uint64]),
    "ue_register": (c_int, [c_int, c_void_p]),
    "ue_session_losses": (c_int64, [c_int, c_int]),
    "ue_tracepoint_event": (c_void_p, [c_void_p]),
    "ue_tracepoint_free": (c_int, [c_void_p]),
    "ue_tracepoint_new": (c_int, [c_char_p, c_char_p, c_uint32, c_uint64, c_uint32,
                                  POINTER(c_void_p)]),
    "ue_unregister": (c_int, [c_void_p]),
    "ue_version": (c_uint32, []),
    "ue_write": (c_int, [c_int, c_void_p, c_void_p, c_size_t]),
}


def load():
    """The library: of the path in LIBUSEREVENTS, unless Python ignores the environment (-E,
    -I); or the one that the system finds."""
    named = "" if sys.flags.ignore_environment else os.environ.get("LIBUSEREVENTS")
    path = named or "libuserevents.so.0"
    try:
        found = ctypes.CDLL(path)
    except OSError as error:
        raise ImportError(f"cannot load {path}: {error}; install libuserevents, or set "
                          "LIBUSEREVENTS to the path of libuserevents.so") from None
    for name, (result, arguments) in SIGNATURES.items():
        try:
            function = getattr(found, name)
        except AttributeError:
            raise ImportError(f"{path} lacks {name}(): it is older than this package; install "
                              "the same version of both") from None
        function.restype, function.argtypes = result, arguments
    return found


library = load()


class Error(OSError):
    """An error of the library: errno, and a sentence with the cause and the fix."""


def explained(call, error):
    return Error(-error, library.ue_explain(call, error).decode())


def reason_of(error):
    """Why a value does not fit, in the middle of a sentence."""
    reason = library.ue_explain(CALL_BUILD, error).decode()
    return reason[0].lower() + reason[1:]


def version():
    """The version of libuserevents, as (major, minor, patch)."""
    number = library.ue_version()
    return number >> 16, number >> 8 & 0xff, number & 0xff
