# SPDX-License-Identifier: MIT
"""Sessions, events and tracepoints."""
import ctypes
import enum
import errno
import itertools
import os
from typing import Any, Callable, Dict, Mapping, Optional, Union

from . import _values
from ._activity import Activity, Span, _current
from ._classic import Layout
from ._fit import Fitter
from ._library import (CALL_OPEN, CALL_REGISTER, CALL_WRITE, LOSSES, NAME_LOSS, OPEN_FD, WORD_ASK,
                       Error, explained, library, ue_definition_error, ue_event, ue_open_opts)


_write = library.ue_write


class Level(enum.IntEnum):
    """The severity of a tracepoint's events."""
    CRITICAL = 1
    ERROR = 2
    WARNING = 3
    INFORMATION = 4
    VERBOSE = 5


class Opcode(enum.IntEnum):
    """What an event is in its activity."""
    INFO = 0
    ACTIVITY_START = 1
    ACTIVITY_STOP = 2


def _check_definition(definition: bytes, flags: int) -> None:
    fault = ue_definition_error()
    if b"\0" in definition:
        raise ValueError("cannot define the event: its definition contains a NUL")
    if library.ue_definition_check(definition, flags, ctypes.byref(fault)):
        raise ValueError(f"cannot define the event {definition.decode()!r}: byte "
                         f"{fault.offset}: {fault.reason.decode()}")


def _path_of(path: "Union[str, bytes, os.PathLike[Any]]") -> bytes:
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"cannot open {path!r}: the path contains a NUL")
    return encoded


def _name_of(text: str) -> bytes:
    """A provider or group."""
    encoded = _values.utf8(text)
    if b"\0" in encoded:
        raise ValueError(f"cannot define the tracepoint: {text!r} contains a NUL")
    return encoded


def _losses(count: Callable[[int], int]) -> Dict[str, int]:
    counts = {library.ue_name(NAME_LOSS, reason).decode(): count(reason) for reason in range(LOSSES)}
    return {reason: number for reason, number in counts.items() if number > 0}


class _Owner:
    """Owns memory or a descriptor of the library. A copy would free or close it once more."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"cannot copy or pickle a {type(self).__name__}")


class Session(_Owner):
    """A connection to user_events, or to what is in its place.

    path: a user_events_data file or a ring; fd: an open one, which stays the caller's;
    neither: USEREVENTS_FD, USEREVENTS_RING, USEREVENTS_SOCKET (which waits for its collector
    for at most one second), or the kernel's file. If there is none, .error is an Error, events are
    disabled, and nothing is written. With strict, failures to open, register and write
    raise Error instead.

    Any thread may use it. In the child of a fork, its events are registered, too.
    """

    _fd = -errno.EBADF  # without one of its own: not opened, or closed

    def __init__(self, path: "Union[str, bytes, os.PathLike[Any], None]" = None,
                 fd: Optional[int] = None, strict: bool = False) -> None:
        self.strict = strict
        self.error: Optional[Error] = None
        self._payload_max = _values.PAYLOAD_MAX
        opts = None
        if path is not None or fd is not None:
            opts = ue_open_opts(ctypes.sizeof(ue_open_opts))
            opts.path = None if path is None else _path_of(path)
            opts.fd, opts.flags = (0, 0) if fd is None else (fd, OPEN_FD)
        self._fd = library.ue_open(opts)
        if self._fd < 0:
            self.error = explained(CALL_OPEN, self._fd)
            if strict:
                raise self.error
        else:
            self._payload_max = library.ue_payload_max(self._fd)

    def event(self, definition: str, flags: int = 0) -> "Event":
        """Register a classic event, "name type field; type field".

        Raises ValueError for a malformed definition, also without a session."""
        return Event(self, definition, flags)

    def tracepoint(self, provider: str, level: int, keyword: int = 0,
                   group: Optional[str] = None, flags: int = 0) -> "Tracepoint":
        """Register a tracepoint of EventHeader events.

        level: 1 to 255, Level has names. keyword: 64 bits that the provider defines."""
        return Tracepoint(self, provider, level, keyword, group, flags)

    @property
    def losses(self) -> Dict[str, int]:
        """Lost events of the session by reason; reasons without any are left out."""
        return _losses(lambda reason: int(library.ue_session_losses(self._fd, reason)))

    def close(self) -> None:
        """Unregister all events of the session, which remain usable, but disabled."""
        fd = self._take_fd()
        if fd >= 0:
            library.ue_close(fd)

    def _take_fd(self) -> int:
        """pop() is atomic: only one thread gets the descriptor, and closes it."""
        return int(self.__dict__.pop("_fd", -errno.EBADF))

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __del__(self, close: Callable[[int], int] = library.ue_close) -> None:
        fd = self._take_fd()
        if fd >= 0:
            close(fd)


# A word that is always 0, for events that are gone.
_NO_WORD = ctypes.c_uint32(0)


class _Registered(_Owner):
    """What events and tracepoints have in common; _event is the library's struct.

    At the end of the program, the finalizers of other objects may still write after that of
    an event, so it leaves None.
    """

    _event: Any = None
    _word = _NO_WORD

    def _register(self, session: Session) -> None:
        self._session, self.error = session, session.error
        self._altered = itertools.count()  # next() is atomic
        event = ctypes.cast(self._event, ctypes.POINTER(ue_event))
        self._word = ctypes.c_uint32.from_address(event.contents.word)
        result = 0 if session._fd < 0 else library.ue_register(session._fd, self._event)
        if result < 0:
            self.error = explained(CALL_REGISTER, result)
            if session.strict:
                raise self.error

    @property
    def enabled(self) -> bool:
        """Whether any tool listens: to skip work that only the trace needs."""
        word = self._word.value
        return word != 0 and (word < WORD_ASK or self._asks())

    def _asks(self) -> bool:
        """Kernels before 6.4 keep the state elsewhere."""
        return bool(self._event and library.ue_enabled(self._event))

    @property
    def losses(self) -> Dict[str, int]:
        """Lost events by reason; reasons without any are left out."""
        return _losses(lambda reason: int(library.ue_event_losses(self._event, reason))
                       if self._event else 0)

    @property
    def altered(self) -> int:
        """Values that were not written as they are: as text, cut, or left out."""
        return int(repr(self._altered)[len("count("):-1])

    def _count(self, altered: int) -> None:
        for _ in range(altered):
            next(self._altered)

    def _lost(self, error: int) -> int:
        """Counts an event that could not be packed: a failure of the trace, not of the program."""
        result: int = library.ue_event_lost(self._session._fd, self._event, error)
        return result

    def _failed(self, result: int) -> bool:
        if self._session.strict:
            raise explained(CALL_WRITE, result)
        return False

    def _packed_again(self, pack: Callable[[], "tuple[bytes, int]"]) -> bool:
        """Packs and sends values that no field takes as they are. pack: returns the record, and
        how many were altered."""
        try:
            record, altered = pack()
            self._count(altered)
            result = _write(self._session._fd, self._event, record, len(record))
            return bool(result >= 0) or self._failed(result)
        except Error:
            raise
        except _values.TooLarge:
            return self._failed(self._lost(-errno.EMSGSIZE))
        except MemoryError:
            return self._failed(self._lost(-errno.ENOMEM))
        except Exception:
            if self._session.strict:
                raise
            return self._lost(-errno.EINVAL) >= 0


class Event(_Registered):
    """A classic event, of Session.event(). It is unregistered with its last reference."""

    def __init__(self, session: Session, definition: str, flags: int) -> None:
        self._definition = _values.utf8(definition)
        _check_definition(self._definition, flags)
        event = ctypes.c_void_p()
        result = library.ue_event_new(self._definition, flags, ctypes.byref(event))
        if result < 0:
            raise explained(CALL_REGISTER, result)
        self._event = event
        self._layout = Layout(self._definition.decode())
        self._register(session)

    def write(self, /, **fields: Any) -> bool:
        """Write the event: a value for each field, by name.

        Numbers take int, char texts str, everything else the bytes of the field. Returns
        False if the event was lost, else True, also while it is disabled. Values that do not fit
        the definition are altered; in a strict session they raise ValueError while the event
        is enabled."""
        word = self._word.value
        if not word or word >= WORD_ASK and not self._asks():
            return True
        session = self._session
        try:
            record = self._layout.pack(fields)
            if len(record) <= session._payload_max:
                result = _write(session._fd, self._event, record, len(record))
                return bool(result >= 0) or self._failed(result)
        except Error:
            raise
        except Exception:
            pass
        return self._packed_again(lambda: self._fitted(fields))

    def _fitted(self, fields: Mapping[str, Any]) -> "tuple[bytes, int]":
        session = self._session
        try:
            fitted, altered = self._layout.fit(fields, session._payload_max, session.strict)
        except ValueError as error:
            raise ValueError(f"cannot write the event {self._definition.decode()!r}: "
                             f"{error}") from None
        return self._layout.pack(fitted), altered

    def __del__(self, free: Callable[[Any], int] = library.ue_event_free) -> None:
        event, self._event, self._word = self._event, None, _NO_WORD
        if event:
            free(event)


class Tracepoint(_Registered):
    """A tracepoint, of Session.tracepoint(). Its events have any fields."""

    _tracepoint: Any = None

    def __init__(self, session: Session, provider: str, level: int, keyword: int,
                 group: Optional[str], flags: int) -> None:
        made = ctypes.c_void_p()
        if not 1 <= level <= 255 or not 0 <= keyword < 1 << 64:
            raise ValueError("cannot define the tracepoint: the level is 1 to 255, the keyword "
                             "0 to 2**64 - 1")
        result = library.ue_tracepoint_new(_name_of(provider), _name_of(group) if group else None,
                                           level, keyword, flags, ctypes.byref(made))
        if result == -errno.ENOMEM:
            raise MemoryError
        if result < 0:
            raise ValueError(f"cannot define the tracepoint: {provider!r} and {group!r} make no "
                             "name; a provider is [A-Za-z0-9_]+, a group [a-z0-9]*, and both "
                             "have at most some 230 bytes")
        self._tracepoint = made
        self._level = level
        self._head = _values.header_of(0, level)
        self._event = made
        self._register(session)

    def write(self, name: str, /, **fields: Any) -> bool:
        """Write an event with a name and fields of any types that README.md lists.

        Returns False if the event was lost, else True, also while it is disabled. Other
        values are altered; in a strict session they raise TypeError or ValueError while the
        tracepoint is enabled. The event belongs to current_activity()."""
        word = self._word.value
        if not word or word >= WORD_ASK and not self._asks():
            return True
        return self._write(_head_now(self._head), name, fields)

    def event(self, name: str, id: int = 0, version: int = 0, opcode: int = 0,
              tag: int = 0) -> "EventHeader":
        """An event that is written more than once, with a lasting number, an opcode, a tag."""
        return EventHeader(self, name, id, version, opcode, tag)

    def activity(self, name: str, /, **fields: Any) -> Span:
        """with tracepoint.activity("Checkout", user=5): an activity of this name.

        An event with the fields starts it, and one stops it, with the field error if an
        exception leaves the block. All events that are written inside belong to it. Its
        parent is the activity that was current."""
        start, stop = (EventHeader(self, name, 0, 0, opcode, 0) for opcode in
                       (Opcode.ACTIVITY_START, Opcode.ACTIVITY_STOP))
        return Span(start, stop, fields)

    def _write(self, head: bytes, name: str, fields: Mapping[str, Any]) -> bool:
        session = self._session
        try:
            record = _values.record(head, name, fields)
            if len(record) <= session._payload_max:
                result = _write(session._fd, self._event, record, len(record))
                return bool(result >= 0) or self._failed(result)
        except Error:
            raise
        except Exception:
            pass
        return self._packed_again(lambda: self._fitted(head, name, fields))

    def _fitted(self, head: bytes, name: str, fields: Mapping[str, Any]) -> "tuple[bytes, int]":
        session = self._session
        for share in 1, 2:
            fitter = Fitter(session._payload_max - len(head) - 4, share, session.strict)
            fitted_name = fitter.name(name)
            fitted = fitter.fields(fields)
            if not fitter.is_cut:
                break
        return _values.record(head, fitted_name, fitted), fitter.altered

    def __del__(self, free: Callable[[Any], int] = library.ue_event_free) -> None:
        tracepoint, self._tracepoint, self._event = self._tracepoint, None, None
        self._word = _NO_WORD
        if tracepoint:
            free(tracepoint)


def _head_now(head: bytes) -> bytes:
    activity = _current.get()
    return head if activity is None else _with_activity(head, activity, None)


def _with_activity(head: bytes, activity: Activity, related: Optional[Activity]) -> bytes:
    """Without those that are none: a program does not fail because of its trace."""
    if not isinstance(activity, Activity):
        return head
    related_id = related.id if isinstance(related, Activity) else b""
    return head + _values.activity_part(activity.id, related_id)


class EventHeader:
    """An event of a tracepoint, of Tracepoint.event()."""

    def __init__(self, tracepoint: Tracepoint, name: str, id: int, version: int, opcode: int,
                 tag: int) -> None:
        if not (0 <= id < 1 << 16 and 0 <= version < 256 and 0 <= opcode < 256 and
                0 <= tag < 1 << 16):
            raise ValueError("cannot define the event: id and tag have 16 bits, version and "
                             "opcode 8")
        self.tracepoint, self.name = tracepoint, name
        self._head = _values.header_of(id << 16 | version << 8 | tag << 32 | opcode << 48,
                                       tracepoint._level)

    @property
    def enabled(self) -> bool:
        return self.tracepoint.enabled

    def write(self, /, **fields: Any) -> bool:
        """As Tracepoint.write()."""
        if not self.tracepoint.enabled:
            return True
        return self.tracepoint._write(_head_now(self._head), self.name, fields)

    def write_activity(self, activity: Activity, related: Optional[Activity] = None, /,
                       **fields: Any) -> bool:
        """The same as part of this activity. related: of the event that starts it, the
        activity that it is part of."""
        if not self.tracepoint.enabled:
            return True
        return self.tracepoint._write(_with_activity(self._head, activity, related), self.name,
                                      fields)
