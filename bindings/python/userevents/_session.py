# SPDX-License-Identifier: MIT
"""Sessions, events and tracepoints."""
import ctypes
import enum
import errno
import os

from . import _values
from ._library import (CALL_OPEN, CALL_REGISTER, CALL_WRITE, LOSSES, OPEN_FD, Error,
                       explained, library, reason_of, ue_definition_error, ue_open_opts)


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


def _check_definition(definition, flags):
    fault = ue_definition_error()
    if b"\0" in definition:
        raise ValueError("cannot define the event: its definition contains a NUL")
    if library.ue_definition_check(definition, flags, ctypes.byref(fault)):
        raise ValueError(f"cannot define the event {definition.decode()!r}: byte "
                         f"{fault.offset}: {fault.reason.decode()}")


def _path_of(path):
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"cannot open {path!r}: the path contains a NUL")
    return encoded


def _losses(count):
    counts = {library.ue_loss_name(reason).decode(): count(reason) for reason in range(LOSSES)}
    return {reason: number for reason, number in counts.items() if number > 0}


class _Owner:
    """Owns memory or a descriptor of the library. A copy would free or close it once more."""

    def __reduce_ex__(self, protocol):
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

    def __init__(self, path=None, fd=None, strict=False):
        self.strict, self.error = strict, None
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

    def event(self, definition, flags=0):
        """Register a classic event, "name type field; type field".

        Raises ValueError for a malformed definition, also without a session."""
        return Event(self, definition, flags)

    def tracepoint(self, provider, level, keyword=0, group=None, flags=0):
        """Register a tracepoint of EventHeader events.

        level: 1 to 255, Level has names. keyword: 64 bits that the provider defines."""
        return Tracepoint(self, provider, level, keyword, group, flags)

    @property
    def losses(self):
        """Lost events of the session by reason; reasons without any are left out."""
        return _losses(lambda reason: library.ue_session_losses(self._fd, reason))

    def close(self):
        """Unregister all events of the session, which remain usable, but disabled."""
        fd = self._take_fd()
        if fd >= 0:
            library.ue_close(fd)

    def _take_fd(self):
        """pop() is atomic: only one thread gets the descriptor, and closes it."""
        return self.__dict__.pop("_fd", -errno.EBADF)

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    def __del__(self, close=library.ue_close):
        fd = self._take_fd()
        if fd >= 0:
            close(fd)


class _Registered(_Owner):
    """What events and tracepoints have in common; _event is the library's struct.

    At the end of the program, the finalizers of other objects may still write after that of
    an event, so it leaves None.
    """

    _event = None

    def _register(self, session):
        self._session, self.error = session, session.error
        result = 0 if session._fd < 0 else library.ue_register(session._fd, self._event)
        if result < 0:
            self.error = explained(CALL_REGISTER, result)
            if session.strict:
                raise self.error

    @property
    def enabled(self):
        """Whether any tool listens: to skip work that only the trace needs."""
        return bool(self._event and library.ue_enabled(self._event))

    @property
    def losses(self):
        """Lost events by reason; reasons without any are left out."""
        return _losses(lambda reason: library.ue_event_losses(self._event, reason)
                       if self._event else 0)

    def _lost(self, error):
        """Counts an event that could not be packed: a failure of the trace, not of the program."""
        return library.ue_event_lost(self._session._fd, self._event, error)

    def _written(self, result):
        if result < 0 and self._session.strict:
            raise explained(CALL_WRITE, result)
        return result >= 0


class Event(_Registered):
    """A classic event, of Session.event(). It is unregistered with its last reference."""

    def __init__(self, session, definition, flags):
        self._definition = _values.utf8(definition)
        _check_definition(self._definition, flags)
        event = ctypes.c_void_p()
        result = library.ue_event_new(self._definition, flags, ctypes.byref(event))
        if result < 0:
            raise explained(CALL_REGISTER, result)
        self._event = event
        self._payloads = []  # not in use; append() and pop() are atomic
        self._register(session)

    def write(self, /, **fields):
        """Write the event: a value for each field, by name.

        Numbers take int, char texts str, everything else the bytes of the field. Returns
        False if the event was lost, else True, also while it is disabled. Raises ValueError
        for values that do not fit the definition, while the event is enabled."""
        if not self._event or not library.ue_enabled(self._event):
            return True
        try:
            payload = self._payloads.pop()
        except IndexError:
            payload = ctypes.c_void_p()
            result = library.ue_payload_new(self._definition, ctypes.byref(payload))
            if result < 0:
                return self._written(self._lost(result))
        try:
            return self._written(self._send(payload, fields))
        finally:
            self._payloads.append(payload)

    def _send(self, payload, fields):
        library.ue_payload_begin(payload)
        for field, value in fields.items():
            result = _pack(payload, field, value)
            if result in _LOSSES:
                return self._lost(result)
            if result < 0:
                raise ValueError(f"cannot write the field {field}={value!r} of the event "
                                 f"{self._definition.decode()!r}: {reason_of(result)}")
        packed = ctypes.c_void_p()
        size = library.ue_payload_finish(payload, ctypes.byref(packed))
        if size == -errno.ENODATA:
            raise ValueError(f"cannot write the event {self._definition.decode()!r}: "
                             f"{reason_of(size)}")
        if size < 0:
            return self._lost(size)
        return library.ue_write(self._session._fd, self._event, packed, size)

    def __del__(self, free=library.ue_event_free, free_payload=library.ue_payload_free):
        event, self._event = self._event, None
        if event:
            free(event)
            payloads, self._payloads = self._payloads, []
            for payload in payloads:
                free_payload(payload)


# Values that are too long for any listener, and no memory: they depend on what is traced.
_LOSSES = -errno.EMSGSIZE, -errno.ENOMEM


def _pack(payload, field, value):
    name = _values.name_of(field)
    if isinstance(value, int):
        if not -1 << 63 <= value < 1 << 64:
            return -errno.ERANGE
        pack = library.ue_payload_u64 if value >= 0 else library.ue_payload_s64
        return pack(payload, name, value)
    if isinstance(value, str):
        # A C string: what follows a NUL would be missing.
        return library.ue_payload_string(payload, name, _values.utf8(value.replace("\0", "\ufffd")))
    if isinstance(value, (bytes, bytearray, memoryview)):
        data = bytes(value)  # of a memoryview, len() counts elements
        return library.ue_payload_bytes(payload, name, data, len(data))
    return -errno.EINVAL


class Activity:
    """An id that the events of one piece of work share: 16 bytes, new ones by default."""

    __slots__ = ("_id",)

    def __init__(self, id=None):
        if id is None:
            made = ctypes.create_string_buffer(16)
            result = library.ue_activity_create(made)
            if result < 0:
                raise Error(-result, os.strerror(-result))
            id = made.raw
        self._id = bytes(id)
        if len(self._id) != 16:  # of a memoryview, len() counts elements
            raise ValueError("cannot make an activity: its id has 16 bytes")

    @property
    def id(self):
        """Its 16 bytes, which the library reads: they cannot be set."""
        return self._id


class _Builder(_Owner):
    """A builder of the library, in use by one write at a time."""

    pointer = None
    unused = []  # append() and pop() are atomic, also for signal handlers

    def __init__(self):
        self.pointer = library.ue_builder_new()

    @classmethod
    def take(cls):
        try:
            builder = cls.unused.pop()
        except IndexError:
            return cls()
        return builder if builder.pointer else cls()  # finalized, but not gone yet

    def __del__(self, free=library.ue_builder_free):
        pointer, self.pointer = self.pointer, None
        free(pointer)


class Tracepoint(_Registered):
    """A tracepoint, of Session.tracepoint(). Its events have any fields."""

    _tracepoint = None

    def __init__(self, session, provider, level, keyword, group, flags):
        made = ctypes.c_void_p()
        if not 1 <= level <= 255 or not 0 <= keyword < 1 << 64:
            raise ValueError("cannot define the tracepoint: the level is 1 to 255, the keyword "
                             "0 to 2**64 - 1")
        result = library.ue_tracepoint_new(_values.name_of(provider),
                                           _values.name_of(group) if group else None, level,
                                           keyword, flags, ctypes.byref(made))
        if result == -errno.ENOMEM:
            raise MemoryError
        if result < 0:
            raise ValueError(f"cannot define the tracepoint: {provider!r} and {group!r} make no "
                             "name; a provider is [A-Za-z0-9_]+, a group [a-z0-9]*, and both "
                             "have at most some 230 bytes")
        self._tracepoint = made
        self._event = library.ue_tracepoint_event(made)
        self._register(session)

    def write(self, name, /, **fields):
        """Write an event with a name and fields of any types that README.md lists.

        Returns False if the event was lost, else True, also while it is disabled. Raises
        TypeError and ValueError for a value that no field can have, while it is enabled."""
        return self._write(name, 0, None, None, fields)

    def event(self, name, id=0, version=0, opcode=0, tag=0):
        """An event that is written more than once, with a lasting number, an opcode, a tag."""
        return EventHeader(self, name, id, version, opcode, tag)

    def _write(self, name, options, activity, related, fields):
        if not self._event or not library.ue_enabled(self._event):
            return True
        builder = _Builder.take()
        if not builder.pointer:
            return self._written(self._lost(-errno.ENOMEM))
        try:
            library.ue_builder_begin(builder.pointer, _values.name_of(name), options)
            _values.add_fields(builder.pointer, fields)
            self._check(builder, name)
            return self._written(library.ue_builder_write(
                builder.pointer, self._session._fd, self._tracepoint,
                activity and activity.id, related and related.id))
        finally:
            _Builder.unused.append(builder)

    @staticmethod
    def _check(builder, name):
        """What does not fit any listener is lost; everything else is the caller's mistake."""
        error = library.ue_builder_error(builder.pointer)
        if error and error not in _LOSSES:
            raise ValueError(f"cannot write the event {name}: {reason_of(error)}")

    def __del__(self, free=library.ue_tracepoint_free):
        tracepoint, self._tracepoint, self._event = self._tracepoint, None, None
        if tracepoint:
            free(tracepoint)


class EventHeader:
    """An event of a tracepoint, of Tracepoint.event()."""

    def __init__(self, tracepoint, name, id, version, opcode, tag):
        if not (0 <= id < 1 << 16 and 0 <= version < 256 and 0 <= opcode < 256 and
                0 <= tag < 1 << 16):
            raise ValueError("cannot define the event: id and tag have 16 bits, version and "
                             "opcode 8")
        self.tracepoint, self.name = tracepoint, name
        self._options = id << 16 | version << 8 | tag << 32 | opcode << 48

    @property
    def enabled(self):
        return self.tracepoint.enabled

    def write(self, /, **fields):
        """As Tracepoint.write()."""
        return self.tracepoint._write(self.name, self._options, None, None, fields)

    def write_activity(self, activity, related, /, **fields):
        """The same as part of an activity. related: of the event that starts it, the
        activity that it is part of; else None."""
        return self.tracepoint._write(self.name, self._options, activity, related, fields)
