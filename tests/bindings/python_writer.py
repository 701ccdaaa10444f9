# SPDX-License-Identifier: MIT
"""Writes events of each kind, in this process and in a child; tests/kernel/bindings_test.py
reads them back."""
import logging
import os

import userevents

session = userevents.Session(strict=True)
request = session.event("py_request u32 status; s8 small; __rel_loc char[] path; "
                        "char[4] code; __rel_loc u8[] raw")
shop = session.tracepoint("PyShop", userevents.Level.INFORMATION, 0x1)
log = logging.getLogger("shop")
log.addHandler(userevents.Handler("PyLog", session=session))

request.write(status=200, small=-1, path="/caf\u00e9", code="abcd", raw=b"\1\377")
shop.write("All", i=-1, f=0.5, s="text", n=None, a=[1, 2], d={"x": 1})
child = os.fork()
if not child:
    request.write(status=404, small=0, path="child", code="", raw=b"")
    log.warning("from the child")
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
log.error("from the parent", extra={"n": 1})
