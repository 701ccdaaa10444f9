# SPDX-License-Identifier: MIT
"""A handler of the module logging."""
import logging
import traceback
import uuid

from . import _values
from ._session import Level, Session

MESSAGE, NAME, TRACEBACK, EXTRA = 1024, 128, 1024, 1024  # bytes that a text may have
EXTRAS = 100  # members of a struct
STANDARD = set(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {
    "asctime", "message", "taskName"}


def cut(text, size):
    """The text, or its beginning and "..."; in UTF-8 at most so many bytes."""
    data = _values.utf8(text)
    if len(data) <= size:
        return text
    return data[:max(size - 3, 0)].decode("utf-8", "ignore") + "..."


def cut_begin(text, size):
    data = _values.utf8(text)
    if len(data) <= size:
        return text
    return "..." + data[3 - size:].decode("utf-8", "ignore")


def level_of(number):
    """CRITICAL and more, ERROR, WARNING, INFO, and everything below."""
    for least, level in ((50, Level.CRITICAL), (40, Level.ERROR), (30, Level.WARNING),
                         (20, Level.INFORMATION)):
        if number >= least:
            return level
    return Level.VERBOSE


class Handler(logging.Handler):
    """Writes each record as an event "Log" of a provider.

        logging.getLogger().addHandler(userevents.Handler("MyCompany_Shop"))

    Each level is a tracepoint, so tools enable the levels that they want:
    MyCompany_Shop_L1K1 (CRITICAL) to MyCompany_Shop_L5K1 (DEBUG). A record whose level no
    tool listens to is not formatted. README.md lists the fields. The handler has a session
    of its own, which close() closes, if none is given.
    """

    def __init__(self, provider, keyword=0x1, session=None, level=logging.NOTSET):
        super().__init__(level)
        self._has_own_session = session is None
        self.session = session or Session()
        self.tracepoints = {each: self.session.tracepoint(provider, each, keyword)
                            for each in Level}

    def emit(self, record):
        tracepoint = self.tracepoints[level_of(record.levelno)]
        try:
            if tracepoint.enabled:
                tracepoint.write("Log", **self.fields_of(record))
        except Exception:
            self.handleError(record)

    def close(self):
        if self._has_own_session:
            self.session.close()
        super().close()

    def fields_of(self, record):
        message = self.format(record) if self.formatter else record.getMessage()
        fields = {
            "message": cut(message, MESSAGE),
            "logger": cut(record.name, NAME),
            "severity": _values.u32(max(record.levelno, 0)),
            "file": cut_begin(record.pathname, NAME),
            "line": _values.u32(record.lineno or 0),
            "function": cut(record.funcName or "", NAME),
            "thread": cut(record.threadName or "", NAME),
        }
        if record.exc_info and record.exc_info[0]:
            fields["exception"] = exception_of(*record.exc_info)
        if record.stack_info:
            fields["stack"] = cut_begin(record.stack_info, TRACEBACK // 2)
        fields["extra"] = extra_of(record)
        return fields


def exception_of(kind, value, trace):
    text = "".join(traceback.format_exception(kind, value, trace))
    return {
        "type": cut(f"{kind.__module__}.{kind.__qualname__}", NAME),
        "message": cut(text_of(value), NAME),
        "traceback": cut_begin(text, TRACEBACK // 2),
    }


def text_of(value):
    try:
        return str(value)
    except Exception as error:
        return f"<{type(value).__name__} without text: {type(error).__name__}>"


def extra_of(record):
    """Attributes that the caller added, as fields, as far as they fit."""
    room, fields = EXTRA, {}
    for name, value in vars(record).items():
        if name in STANDARD:
            continue
        name, value = cut(name.replace("\0", "\ufffd"), NAME), small(value, room // 2)
        room -= len(_values.utf8(name)) + 8 + (
            len(_values.utf8(value)) if isinstance(value, str) else 16)
        if room < 0 or len(fields) == EXTRAS:
            break
        fields[name] = value
    return fields


def small(value, size):
    """The value itself if it is a number or the like; otherwise its text."""
    if isinstance(value, int) and not -1 << 63 <= value < 1 << 64:
        return cut(text_of(value), size)
    if value is None or isinstance(value, (bool, int, float, uuid.UUID)):
        return value
    return cut(text_of(value), size)
