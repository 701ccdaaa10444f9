# SPDX-License-Identifier: MIT
"""Trace events through Linux user_events, or into a ring without them.

    import userevents

    session = userevents.Session()
    request = session.event("shop_request u32 status; __rel_loc char[] path")
    request.write(status=200, path="/index.html")

    orders = session.tracepoint("MyCompany_Shop", userevents.Level.INFORMATION, 0x1)
    orders.write("OrderPlaced", order=17, total=99.5, tags=["tea", "milk"])

Without user_events, everything works and nothing is written; session.error says why.
README.md has the rest. It is a binding of libuserevents, by ctypes.
"""
from ._activity import Activity, current_activity, within
from ._library import Error, version
from ._logging import Handler
from ._session import Event, EventHeader, Level, Opcode, Session, Tracepoint
from ._structlog import StructlogProcessor
from ._values import (boolean, errno_number, f32, f64, hex8, hex16, hex32, hex64, json_text,
                      pid, port, s8, s16, s32, s64, time, u8, u16, u32, u64)

__version__ = "0.1.0"
__all__ = [
    "Activity", "Error", "Event", "EventHeader", "Handler", "Level", "Opcode", "Session",
    "StructlogProcessor", "Tracepoint", "boolean", "current_activity", "errno_number", "f32",
    "f64", "hex8", "hex16", "hex32", "hex64", "json_text", "pid", "port", "s8", "s16", "s32",
    "s64", "time", "u8", "u16", "u32", "u64", "version", "within",
]
