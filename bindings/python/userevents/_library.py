# SPDX-License-Identifier: MIT
"""The functions of libuserevents.so that this package calls, and their types.

A test compares the tables with the C headers (tests/bindings/declarations_test.py).
"""
import ctypes
import os
import sys
from ctypes import (POINTER, c_char_p, c_int, c_int64, c_size_t, c_uint32, c_uint64,
                    c_void_p)
from typing import Any, Dict, List, Tuple


class ue_open_opts(ctypes.Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("fd", c_int), ("flags", c_uint32),
                ("payload_max", c_uint32), ("spare", c_uint32)]


class ue_definition_error(ctypes.Structure):
    _fields_ = [("offset", c_size_t), ("length", c_size_t), ("reason", c_char_p)]


class ue_event(ctypes.Structure):
    """The first members of an event; more follow."""
    _fields_ = [("size", c_uint32), ("flags", c_uint32), ("definition", c_char_p),
                ("word", c_void_p)]


OPEN_FD = 1
CALL_OPEN, CALL_REGISTER, CALL_WRITE, CALL_BUILD = 0, 2, 5, 6
LOSSES = 5
NAME_LOSS = 0
WORD_ASK = 1 << 31

# An event or tracepoint is a pointer that the library made.
SIGNATURES: Dict[str, Tuple[Any, List[Any]]] = {
    "ue_close": (c_int, [c_int]),
    "ue_definition_check": (c_int, [c_char_p, c_uint32, POINTER(ue_definition_error)]),
    "ue_enabled": (c_int, [c_void_p]),
    "ue_event_free": (c_int, [c_void_p]),
    "ue_event_lost": (c_int, [c_int, c_void_p, c_int]),
    "ue_event_losses": (c_uint32, [c_void_p, c_int]),
    "ue_event_new": (c_int, [c_char_p, c_uint32, POINTER(c_void_p)]),
    "ue_activity_create": (c_int, [c_void_p]),
    "ue_explain": (c_char_p, [c_int, c_int]),
    "ue_name": (c_char_p, [c_int, c_uint32]),
    "ue_open": (c_int, [POINTER(ue_open_opts)]),
    "ue_payload_max": (c_int, [c_int]),
    "ue_register": (c_int, [c_int, c_void_p]),
    "ue_session_losses": (c_int64, [c_int, c_int]),
    "ue_tracepoint_new": (c_int, [c_char_p, c_char_p, c_uint32, c_uint64, c_uint32,
                                  POINTER(c_void_p)]),
    "ue_unregister": (c_int, [c_void_p]),
    "ue_version": (c_uint32, []),
    "ue_write": (c_int, [c_int, c_void_p, c_char_p, c_size_t]),
}


def load() -> ctypes.CDLL:
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


def explained(call: int, error: int) -> Error:
    return Error(-error, library.ue_explain(call, error).decode())


def reason_of(error: int) -> str:
    """Why a value does not fit, in the middle of a sentence."""
    reason: str = library.ue_explain(CALL_BUILD, error).decode()
    return reason[0].lower() + reason[1:]


def version() -> Tuple[int, int, int]:
    """The version of libuserevents, as (major, minor, patch)."""
    number = library.ue_version()
    return number >> 16, number >> 8 & 0xff, number & 0xff
