# SPDX-License-Identifier: MIT
"""A handler of the module logging."""
import logging
import traceback
import uuid
from types import TracebackType
from typing import Any, Dict, Optional, Type

from ._fit import cut
from ._session import Level, Session
from ._values import u32, utf8

MESSAGE, NAME, TRACEBACK, EXTRA = 1024, 128, 1024, 1024  # bytes that a text may have
EXTRAS = 100  # members of a struct
STANDARD = set(vars(logging.LogRecord("", 0, "", 0, "", (), None))) | {
    "asctime", "message", "taskName"}


def cut_begin(text: str, size: int) -> str:
    if len(text) <= size and text.isascii():
        return text
    data = utf8(text)
    if len(data) <= size:
        return text
    return "..." + data[3 - size:].decode("utf-8", "ignore")


class Cuts:
    """Cuts texts, and counts those that it cut."""

    def __init__(self) -> None:
        self.altered = 0

    def end(self, text: str, size: int) -> str:
        fitted = cut(text, size)
        self.altered += fitted is not text
        return fitted

    def begin(self, text: str, size: int) -> str:
        fitted = cut_begin(text, size)
        self.altered += fitted is not text
        return fitted


def level_of(number: int) -> Level:
    """CRITICAL and more, ERROR, WARNING, INFO, and everything below."""
    return _LEVELS[min(max(number, 0) // 10, 5)]


_LEVELS = (Level.VERBOSE, Level.VERBOSE, Level.INFORMATION, Level.WARNING, Level.ERROR,
           Level.CRITICAL)


class Handler(logging.Handler):
    """Writes each record as an event "Log" of a provider.

        logging.getLogger().addHandler(userevents.Handler("MyCompany_Shop"))

    Each level is a tracepoint, so tools enable the levels that they want:
    MyCompany_Shop_L1K1 (CRITICAL) to MyCompany_Shop_L5K1 (DEBUG). A record whose level no
    tool listens to is not formatted. README.md lists the fields. The handler has a session
    of its own, which close() closes, if none is given.
    """

    def __init__(self, provider: str, keyword: int = 0x1, session: Optional[Session] = None,
                 level: int = logging.NOTSET) -> None:
        super().__init__(level)
        self._has_own_session = session is None
        self.session = session or Session()
        self.tracepoints = {each: self.session.tracepoint(provider, each, keyword)
                            for each in Level}
        self._by_level = [self.tracepoints[level] for level in _LEVELS]

    def emit(self, record: logging.LogRecord) -> None:
        try:
            tracepoint = self._by_level[min(max(record.levelno, 0) // 10, 5)]
            if tracepoint.enabled:
                cuts = Cuts()
                fields = self.fields_of(record, cuts)
                tracepoint._count(cuts.altered)
                tracepoint.write("Log", **fields)
        except Exception:
            self.handleError(record)

    def close(self) -> None:
        if self._has_own_session:
            self.session.close()
        super().close()

    def fields_of(self, record: logging.LogRecord, cuts: Cuts) -> Dict[str, Any]:
        message = self.format(record) if self.formatter else record.getMessage()
        fields: Dict[str, Any] = {
            "message": cuts.end(message, MESSAGE),
            "logger": cuts.end(record.name, NAME),
            "severity": u32(max(record.levelno, 0)),
            "file": cuts.begin(record.pathname, NAME),
            "line": u32(record.lineno or 0),
            "function": cuts.end(record.funcName or "", NAME),
            "thread": cuts.end(record.threadName or "", NAME),
        }
        if record.exc_info and record.exc_info[0]:
            fields["exception"] = exception_of(cuts, *record.exc_info)
        if record.stack_info:
            fields["stack"] = cuts.begin(record.stack_info, TRACEBACK // 2)
        if not STANDARD.issuperset(record.__dict__):
            fields["extra"] = extra_of(record, cuts)
        return fields


def exception_of(cuts: Cuts, kind: Type[BaseException], value: Optional[BaseException],
                 trace: Optional[TracebackType]) -> Dict[str, str]:
    text = "".join(traceback.format_exception(kind, value, trace))
    return {
        "type": cuts.end(f"{kind.__module__}.{kind.__qualname__}", NAME),
        "message": cuts.end(shown(value), NAME),
        "traceback": cuts.begin(text, TRACEBACK // 2),
    }


def shown(value: Any) -> str:
    try:
        return str(value)
    except Exception as error:
        return f"<{type(value).__name__} without text: {type(error).__name__}>"


def extra_of(record: logging.LogRecord, cuts: Cuts) -> Dict[str, Any]:
    """Attributes that the caller added, as fields, as far as they fit."""
    room = EXTRA
    fields: Dict[str, Any] = {}
    for name, value in vars(record).items():
        if name in STANDARD:
            continue
        plain = name.replace("\0", "\ufffd")
        cuts.altered += plain != name
        name, value = cuts.end(plain, NAME), small(value, room // 2, cuts)
        room -= len(utf8(name)) + 8 + (
            len(utf8(value)) if isinstance(value, str) else 16)
        if room < 0 or len(fields) == EXTRAS:
            cuts.altered += 1  # the rest is left out
            break
        fields[name] = value
    return fields


def small(value: Any, size: int, cuts: Cuts) -> Any:
    """The value itself if it is a number or the like; otherwise its text."""
    if isinstance(value, int) and not -1 << 63 <= value < 1 << 64:
        return cuts.end(shown(value), size)
    if value is None or isinstance(value, (bool, int, float, uuid.UUID)):
        return value
    return cuts.end(shown(value), size)
