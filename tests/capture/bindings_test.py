#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""bindings_test.py DIRECTORY: another language writes events and reads them back.

It loads the libraries of the directory and knows no struct: only functions and pointers.
"""
import ctypes
import errno
import glob
import os
import sys
from ctypes import byref, c_char_p, c_int64, c_long, c_size_t, c_uint64, c_void_p

LIBRARIES = [ctypes.CDLL(path) for path in sorted(glob.glob(sys.argv[1] + "/lib*.so"))]


def function(name, result=ctypes.c_int):
    for library in LIBRARIES:
        if hasattr(library, name):
            found = getattr(library, name)
            found.restype = result
            return found
    sys.exit(f"no library has {name}()")


def must(result):
    assert result >= 0, os.strerror(-result)
    return result


def text(string):
    return c_char_p(string.encode())


capture = c_void_p()
event = c_void_p()
tracepoint = c_void_p()
payload = c_void_p()
packed = c_void_p()
DEFINITION = ("py_request u32 status; s64 time; __rel_loc char[] path; char[4] code; "
              "__data_loc u8[] data; u8 last")

must(function("ue_capture_open")(None, byref(capture)))
writer = must(function("ue_capture_writer_fd")(capture))
os.environ["USEREVENTS_FD"] = str(writer)
fd = must(function("ue_open")(None))
line = function("ue_capture_line", c_char_p)


def is_line(expected):
    got = line(capture).decode()
    assert got == expected, f"{got!r}, not {expected!r}"


# a classic event
u64, s64 = function("ue_payload_u64"), function("ue_payload_s64")
string, raw = function("ue_payload_string"), function("ue_payload_bytes")
begin, finish = function("ue_payload_begin", None), function("ue_payload_finish", c_long)
assert function("ue_event_new")(text("py u33 x"), 0, byref(event)) == -errno.EINVAL
must(function("ue_event_new")(text(DEFINITION), 0, byref(event)))
must(function("ue_register")(fd, event))
must(function("ue_payload_new")(text(DEFINITION), byref(payload)))
assert function("ue_enabled")(event) == 1
for status in 200, 404:
    begin(payload)
    must(raw(payload, text("data"), b"\1\2", c_size_t(2)))  # in any order
    must(u64(payload, text("status"), c_uint64(status)))
    must(s64(payload, text("time"), c_int64(-5)))
    must(string(payload, text("path"), text("/index.html")))
    must(string(payload, text("code"), text("abcd")))
    must(u64(payload, text("last"), c_uint64(255)))
    size = must(finish(payload, byref(packed)))
    assert size == 4 + 8 + 4 + 4 + 4 + 1 + 12 + 2
    must(function("ue_write")(fd, event, packed, c_size_t(size)))
    is_line(f'user_events:py_request status={status} time=-5 path="/index.html" '
            'code="abcd" data="01 02" last=255')


def refused(error, call, *arguments):
    begin(payload)
    assert call(payload, *arguments) == -error, (call, arguments)
    assert u64(payload, text("last"), c_uint64(1)) == -error  # it sticks
    assert finish(payload, byref(packed)) == -error


refused(errno.ENOENT, u64, text("statu"), c_uint64(1))
refused(errno.ERANGE, u64, text("status"), c_uint64(1 << 32))
refused(errno.ERANGE, s64, text("last"), c_int64(-1))
refused(errno.ERANGE, u64, text("time"), c_uint64(1 << 63))
refused(errno.EINVAL, u64, text("path"), c_uint64(1))
refused(errno.EINVAL, string, text("status"), text("200"))
refused(errno.EINVAL, string, text("data"), text("x"))
refused(errno.EINVAL, raw, text("status"), b"123", c_size_t(3))
refused(errno.EFAULT, string, text("path"), None)
refused(errno.ERANGE, string, text("code"), text("abcde"))
refused(errno.EMSGSIZE, raw, text("data"), bytes(66000), c_size_t(66000))
begin(payload)
must(u64(payload, text("last"), c_uint64(1)))
assert finish(payload, byref(packed)) == -errno.ENODATA
assert u64(payload, text("last"), c_uint64(1)) == -errno.EEXIST

# what could not be packed is counted, while the event is enabled
lost, losses = function("ue_event_lost"), function("ue_event_losses")
session_losses = function("ue_session_losses", c_int64)
for error, reason in (errno.EMSGSIZE, 0), (errno.ENOMEM, 4):
    assert lost(fd, event, -error) == -error
    assert (losses(event, reason), session_losses(fd, reason)) == (1, 1)
assert lost(fd, event, 0) == 0
# with a wrong descriptor it is a loss of the session that has the event
assert lost(-1, event, -errno.ENOMEM) == -errno.ENOMEM
assert (losses(event, 4), session_losses(fd, 4)) == (2, 2)

# an EventHeader event
must(function("ue_tracepoint_new")(text("PyShop"), None, 4, c_uint64(1), 0,
                                   byref(tracepoint)))
must(function("ue_register")(fd, tracepoint))
builder = c_void_p(function("ue_builder_new", c_void_p)())
assert builder
begin, add = function("ue_builder_begin_named", None), function("ue_builder_add", None)
begin(builder, text("Sold"), c_size_t(4), c_uint64(0))
add(builder, text("order"), 5, 0, byref(c_uint64(17)), c_size_t(1))
add(builder, text("what"), 7, 0, text("tea"), c_size_t(-1))
must(function("ue_builder_write")(builder, fd, tracepoint, None, None))
is_line('PyShop:Sold order=17 what="tea"')

# an error sticks while the tracepoint is disabled, too, but is no loss then
disabled = c_void_p()
must(function("ue_tracepoint_new")(text("PyOff"), None, 4, c_uint64(1), 0, byref(disabled)))
begin(builder, None, c_size_t(0), c_uint64(0))
assert function("ue_builder_write")(builder, fd, disabled, None, None) == -errno.EINVAL
assert session_losses(fd, 4) == 2
must(function("ue_event_free")(disabled))

# everything goes
function("ue_builder_free", None)(builder)
function("ue_payload_free", None)(payload)
must(function("ue_event_free")(tracepoint))
must(function("ue_event_free")(event))
assert function("ue_event_free")(None) == 0
for free in "ue_builder_free", "ue_payload_free":
    function(free, None)(None)
must(function("ue_close")(fd))
function("ue_capture_close", None)(capture)
print("ok 1 - another language writes events and reads them back")
print("1..1")
