# SPDX-License-Identifier: MIT
"""Values that no encoder takes, made into values that one takes.

A program must not fail because of its trace, so outside of strict sessions each value is written
in some form: an unknown type as its text, and what is too long or nested too deep is cut. All
code of the caller that this calls may raise anything; that value is then written as text, too.
"""
import datetime
import ipaddress
import itertools
import math
import operator
import reprlib
import uuid
from typing import Any, Dict, List, Mapping, Sequence, Type

from ._values import (DEPTH_MAX, ENCODERS, FIELDS_MAX, MEMBERS_MAX, PAYLOAD_MAX, TooLarge,
                      Typed, Unfit, json_text, time, utf8)

# The str() of these is their value, so they are no unknown types. Found by name, as a program
# that has none of a type need not load its module.
_TEXTS = {"decimal.Decimal", "fractions.Fraction", "pathlib.PurePath", "pathlib._local.PurePath",
          "datetime.date", "datetime.time", "datetime.timedelta", "enum.Enum"}


class _Repr(reprlib.Repr):
    """Containers of containers would make a text that grows exponentially."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlevel = 3
        self.maxtuple = self.maxlist = self.maxdict = self.maxset = self.maxfrozenset = 8
        self.maxdeque = self.maxarray = 8
        self.maxstring = self.maxlong = self.maxother = 2048

    def repr_int(self, value: Any, level: int) -> str:
        """Python refuses to print a very long number in decimal."""
        return super().repr_int(value, level) if value.bit_length() < 8000 else hex(value)


_repr = _Repr()


def text_of(value: Any) -> str:
    try:
        return str.__str__(_repr.repr(value))
    except Exception as error:
        return f"<{name_of(type(value))} without text: {name_of(type(error))}>"


def name_of(kind: Type[Any]) -> str:
    """A metaclass may have another __name__."""
    return str(vars(type)["__name__"].__get__(kind))


def cut(text: str, size: int) -> str:
    """The text, or its beginning and "..."; in UTF-8 at most so many bytes."""
    if len(text) <= size and text.isascii():
        return text
    data = utf8(text[:size + 1])
    if len(data) <= size:
        return text
    return data[:max(size - 3, 0)].decode("utf-8", "ignore") + "..."[:size]


class Fitter:
    """Fields that fit the room, in bytes. One field takes at most a share of what is left.

    A value that becomes text gives back its room, so the number of values is bounded, too."""

    VALUES_MAX = 4096

    def __init__(self, room: int, share: int = 1, strict: bool = False) -> None:
        self.room, self.share, self.is_strict = room, share, strict
        self.altered = 0  # values that are not written as they are
        self.is_cut = False
        self._values = 0
        self._kept = 0  # room for what follows the struct or array that is being fitted

    def _is_full(self) -> bool:
        self._values += 1
        if self.is_strict and self._values > PAYLOAD_MAX:
            raise TooLarge
        return not self.is_strict and (self.room - self._kept < 16 or
                                       self._values > self.VALUES_MAX)

    def _cut_one(self) -> None:
        self.altered += 1
        self.is_cut = True

    def _limit(self) -> int:
        return self._free() // self.share

    def name(self, name: Any) -> str:
        text = str.__str__(name) if isinstance(name, str) else text_of(name)
        if "\0" in text:
            if self.is_strict:
                raise ValueError(f"cannot write the field {text!r}: its name contains a NUL")
            self.altered += 1
            text = text.replace("\0", "\ufffd")
        fitted = text if self.is_strict else cut(text, self._limit())
        if fitted is not text:
            self._cut_one()
        self.room -= len(utf8(fitted)) + 8  # its NUL, type and the count of its value
        return fitted

    def fields(self, fields: Mapping[Any, Any], depth: int = 0) -> Dict[str, Any]:
        fitted: Dict[str, Any] = {}
        most = MEMBERS_MAX if depth else FIELDS_MAX
        for count, (name, value) in enumerate(itertools.islice(fields.items(), most + 1)):
            if self.is_strict and count == MEMBERS_MAX and depth:
                raise ValueError(f"cannot write the field {name}: a struct has more than "
                                 f"{MEMBERS_MAX} members")
            if count == most or self._is_full():
                self.altered += 1  # the rest is left out
                self.is_cut |= count < most
                break
            fitted_name = self.name(name)
            fitted[fitted_name] = self.value(fitted_name, value, depth)
        return fitted

    def value(self, name: str, value: Any, depth: int) -> Any:
        room, kept = self.room, self._kept if depth else self.keep()
        try:
            return self._fit(value, depth)
        except Exception as error:
            if self.is_strict:
                raise _named(name, error) from None
            self.room = room
            self.altered += 1
            return self.text(text_of(value.value if type(value) is Typed else value))
        finally:
            self.release(kept)

    def keep(self) -> int:
        """Begin a value, which release() ends with the result."""
        kept = self._kept
        self._kept = max(kept, self.room - self._limit())
        return kept

    def release(self, kept: int) -> None:
        self._kept = kept

    def _free(self) -> int:
        return max(self.room - self._kept, 0)

    def text(self, text: str) -> str:
        fitted = text if self.is_strict else cut(text, self._free())
        if fitted is not text:
            self._cut_one()
        self.room -= len(utf8(fitted))
        return fitted

    def blob(self, value: Any) -> bytes:
        data = bytes(value)
        if len(data) > self._free() and not self.is_strict:
            self._cut_one()
            data = data[:self._free()]
        self.room -= len(data)
        return data

    def _fit(self, value: Any, depth: int) -> Any:
        """A value of exactly a type that has an encoder."""
        if isinstance(value, dict):
            return self._struct(value, depth)
        if isinstance(value, (list, tuple)):
            return self._sequence(value, depth)
        fitted = self._scalar(value)
        if isinstance(fitted, str):
            return self.text(fitted)
        if isinstance(fitted, bytes):
            return self.blob(fitted)
        if isinstance(fitted, Typed) and isinstance(fitted.value, (list, tuple)):
            fitted = Typed(fitted.kind, self._some(fitted.value, fitted.kind.size))
        if isinstance(fitted, json_text):
            return self._json(fitted)
        self.room -= len(ENCODERS[type(fitted)](fitted, depth)[1])
        return fitted

    def _json(self, value: json_text) -> Any:
        """JSON that is cut is none."""
        text = self.text(str.__str__(value.text))
        return json_text(text) if len(text) == len(value.text) else text

    def _struct(self, value: Any, depth: int) -> Dict[str, Any]:
        if depth >= DEPTH_MAX:
            raise Unfit("structs are nested deeper than 8")
        return self.fields(value, depth + 1)

    def _some(self, values: Sequence[Any], size: int) -> List[Any]:
        """As many as there is room for."""
        most = PAYLOAD_MAX + 1 if self.is_strict else min(self._free() // size, PAYLOAD_MAX)
        some = list(itertools.islice(values, most + 1))
        if len(some) > most:
            self._cut_one()
            some.pop()
        return some

    def _sequence(self, value: Any, depth: int) -> Any:
        some = self._some(value, 1)
        if some and all(isinstance(element, dict) for element in some):
            some = self._structs(some, depth)
        else:
            some = self._elements([self._scalar(element) for element in some])
        ENCODERS[list](some, depth)  # or why there is no such array
        return some

    def _elements(self, values: List[Any]) -> List[Any]:
        if all(isinstance(value, (str, bytes)) for value in values):
            return self._spans(values)
        some = self._some(values, 8)
        self.room -= 8 * len(some)
        return some

    def _structs(self, values: List[Any], depth: int) -> List[Any]:
        fitted = []
        for value in values:
            if self._is_full():
                self._cut_one()
                break
            fitted.append(self._struct(value, depth))
        return fitted

    def _spans(self, values: List[Any]) -> List[Any]:
        fitted: List[Any] = []
        for value in values:
            self.room -= 2
            if self._is_full():
                self._cut_one()
                break
            fitted.append(self.text(value) if isinstance(value, str) else self.blob(value))
        return fitted

    @staticmethod
    def _scalar(value: Any) -> Any:
        for kinds, convert in _SCALARS:
            if isinstance(value, kinds):
                return convert(value)
        if _has_text(type(value)):
            return str(value)
        if hasattr(type(value), "__index__"):
            return operator.index(value)
        if hasattr(type(value), "__float__"):
            return float(value)
        raise TypeError(f"its value has the type {name_of(type(value))}, which no field has; "
                        "convert it, for example by str()")


def _has_text(kind: Type[Any]) -> bool:
    return any(f"{base.__module__}.{base.__qualname__}" in _TEXTS for base in kind.__mro__)


def _named(name: str, error: Exception) -> Exception:
    """What strict sessions raise. Errors that name a field are those of a member."""
    if isinstance(error, TooLarge) or str(error).startswith("cannot write "):
        return error
    kind = TypeError if type(error) is TypeError else ValueError
    return kind(f"cannot write the field {name}: {error}")


# The first type that the value is of, and a copy of exactly that type.
_SCALARS: Any = (
    (Typed, lambda value: value),
    (bool, lambda value: value),
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (type(None), lambda value: value),
    ((bytes, bytearray, memoryview), bytes),
    (uuid.UUID, lambda value: uuid.UUID(int=value.int)),
    (datetime.datetime, lambda value: time(math.floor(value.timestamp()))),
    (ipaddress.IPv4Address, lambda value: ipaddress.IPv4Address(value.packed)),
    (ipaddress.IPv6Address, lambda value: ipaddress.IPv6Address(value.packed)),
    (json_text, lambda value: value),
)
