# SPDX-License-Identifier: MIT
"""Activities, and the one that events of this thread or task belong to."""
import contextvars
import ctypes
import os
import uuid
from typing import TYPE_CHECKING, Any, Dict, Optional, Type, Union

from ._library import library

if TYPE_CHECKING:
    from types import TracebackType

    from ._session import EventHeader

_current: "contextvars.ContextVar[Optional[Activity]]" = contextvars.ContextVar(
    "userevents_activity", default=None)


class Activity:
    """An id that the events of one piece of work share: 16 bytes, a uuid.UUID or its text; a new
    one by default."""

    __slots__ = ("_id",)

    def __init__(self, id: Union[bytes, uuid.UUID, str, None] = None) -> None:
        if id is None:
            made = ctypes.create_string_buffer(16)
            id = made.raw if library.ue_activity_create(made) >= 0 else os.urandom(16)
        if isinstance(id, str):
            id = uuid.UUID(id)
        self._id = id.bytes if isinstance(id, uuid.UUID) else bytes(id)
        if len(self._id) != 16:  # of a memoryview, len() counts elements
            raise ValueError("cannot make an activity: its id has 16 bytes")

    @property
    def id(self) -> bytes:
        """Its 16 bytes, which the library reads: they cannot be set."""
        return self._id


def current_activity() -> Optional[Activity]:
    """The activity of this thread or task; None outside of any."""
    return _current.get()


class within:  # used as a function
    """with within(activity): the events of this thread or task belong to it.

    A task of asyncio begins with the activity of the code that creates it, and what it sets
    does not leave it. A new thread begins without one."""

    def __init__(self, activity: Optional[Activity]) -> None:
        if activity is not None and not isinstance(activity, Activity):
            raise TypeError(f"cannot be within {activity!r}: it is no Activity; make one of an id "
                            "with Activity(id)")
        self._activity = activity

    def __enter__(self) -> Optional[Activity]:
        self._token = _current.set(self._activity)
        return self._activity

    def __exit__(self, *exception: Any) -> None:
        leave(self._token)


def leave(token: "contextvars.Token[Optional[Activity]]") -> None:
    try:
        _current.reset(token)
    except ValueError:
        pass  # a generator is finalized elsewhere: what is current there is not its own


class Span:
    """An activity that begins and ends with an event, of Tracepoint.activity()."""

    def __init__(self, start: "EventHeader", stop: "EventHeader", fields: Dict[str, Any]) -> None:
        self._start, self._stop, self._fields = start, stop, fields

    def __enter__(self) -> Activity:
        related = _current.get()
        self._activity = Activity()
        self._token = _current.set(self._activity)
        self._start.write_activity(self._activity, related, **self._fields)
        return self._activity

    def __exit__(self, kind: Optional[Type[BaseException]], value: Optional[BaseException],
                 trace: "Optional[TracebackType]") -> None:
        fields = {} if kind is None else {"error": kind.__qualname__}
        self._stop.write_activity(self._activity, None, **fields)
        leave(self._token)
