# SPDX-License-Identifier: MIT
"""How values of Python become the bytes of a classic event, whose fields its definition has."""
import errno
import struct
import sys
from typing import Any, Dict, List, Mapping, Tuple

from ._fit import Fitter, cut, text_of
from ._library import reason_of
from ._values import TooLarge, utf8

_CODES = {"u8": "B", "unsigned char": "B", "s8": "b", "char": "b", "u16": "H",
          "unsigned short": "H", "s16": "h", "short": "h", "u32": "I", "unsigned int": "I",
          "s32": "i", "int": "i", "u64": "Q", "s64": "q"}
_LOCATED_MAX = 65535
_COMMON = 8  # bytes that the kernel has before the record, which __data_loc counts, too


class _Refused(ValueError):
    """A value does not fit its field: an error of the library."""

    def __init__(self, error: int) -> None:
        super().__init__(reason_of(error))


class _Number:
    is_located = is_text = False

    def __init__(self, name: str, kind: str, offset: int) -> None:
        self.name, self.code = name, _CODES[kind]
        self.size = struct.calcsize("=" + self.code)
        bits = 8 * self.size
        self.low = -1 << bits - 1 if self.code.islower() else 0
        self.high = (1 << bits) - 1 if kind == "char" or not self.low else (1 << bits - 1) - 1

    def fit(self, value: Any, fitter: Fitter) -> int:
        if isinstance(value, int) and self.low <= value <= self.high:
            number = int(value)
        elif isinstance(value, (bytes, bytearray, memoryview)) and len(bytes(value)) == self.size:
            return int.from_bytes(value, sys.byteorder, signed=self.low < 0)
        elif fitter.is_strict:
            raise _Refused(-errno.ERANGE if isinstance(value, int) else -errno.EINVAL)
        else:
            fitter.altered += 1
            number = self._near(value)
        # A char is signed in the record, and takes numbers of both kinds.
        return number - 256 if self.code == "b" and number > 127 else number

    def _near(self, value: Any) -> int:
        try:
            number = int(cut(value, 40), 0) if isinstance(value, str) else value
            return int(min(max(number, self.low), self.high))
        except Exception:
            return 0


class _Bytes:
    """char[N], unsigned char[N], a struct, or a location."""

    def __init__(self, name: str, kind: str, size: int, offset: int) -> None:
        self.name, self.size = name, size
        self.is_located = kind.startswith("__")
        self.is_text = kind.startswith("char[") or kind.endswith("_loc char[]")
        self.code = "I" if self.is_located else f"{size}s"
        self.base = -_COMMON if kind.startswith("__data_loc") else offset + size

    def fit(self, value: Any, fitter: Fitter) -> Any:
        if isinstance(value, str) and self.is_text:
            value = str.__str__(value)
        elif isinstance(value, (bytes, bytearray, memoryview)):
            value = bytes(value)
        elif fitter.is_strict:
            raise _Refused(-errno.EINVAL)
        else:
            fitter.altered += 1
            value = str.__str__(value) if isinstance(value, str) else text_of(value)
            value = value if self.is_text else utf8(value)
        return self._located(value, fitter) if self.is_located else self._fixed(value, fitter)

    def _fixed(self, value: Any, fitter: Fitter) -> Any:
        fitted = cut(value, self.size) if isinstance(value, str) else value[:self.size]
        if fitted != value:
            if fitter.is_strict:
                raise _Refused(-errno.ERANGE)
            fitter.altered += 1
        return fitted

    @staticmethod
    def _located(value: Any, fitter: Fitter) -> Any:
        fitter.room -= 1  # a NUL
        return (fitter.text(value.replace("\0", "\ufffd")) if isinstance(value, str)
                else fitter.blob(value))


def _field(part: str, offset: int) -> Any:
    """The library has checked the definition."""
    if part.startswith("struct "):
        _, _, name, length = part.split(" ")
        return _Bytes(name, "struct", int(length), offset)
    kind, _, name = part.rpartition(" ")
    if kind in _CODES:
        return _Number(name, kind, offset)
    size = 4 if kind.startswith("__") else int(kind[kind.index("[") + 1:-1])
    return _Bytes(name, kind, size, offset)


class Layout:
    """The fields of a definition."""

    def __init__(self, definition: str) -> None:
        self.fields: List[Any] = []
        self.size = 0
        for part in definition.partition(" ")[2].split(";"):
            if part.strip(" "):
                self.fields.append(_field(part.strip(" "), self.size))
                self.size += self.fields[-1].size
        self._pack = struct.Struct("=" + "".join(field.code for field in self.fields)).pack
        self._steps = [(field.name, isinstance(field, _Number), field.is_text, field.is_located,
                        field.size, field.is_located and field.base) for field in self.fields]

    def pack(self, values: Mapping[str, Any]) -> bytes:
        """The record of values that fit. For others this raises any exception."""
        packed: List[Any] = []
        tail: List[bytes] = []
        at = self.size
        for name, is_number, is_text, is_located, size, base in self._steps:
            value = values[name]
            if is_number:
                packed.append(value)
                continue
            data = value if type(value) is bytes else _encoded(value, is_text)
            if is_located:
                if is_text and data[-1:] != b"\0":
                    data += b"\0"
                packed.append(len(data) << 16 | at - base)
                tail.append(data)
                at += len(data)
            elif len(data) > size:
                raise _Refused(-errno.ERANGE)
            else:
                packed.append(data)
        if len(values) != len(packed) or at > _LOCATED_MAX:
            raise TooLarge
        return b"".join((self._pack(*packed), *tail))

    def fit(self, values: Mapping[str, Any], room: int, strict: bool) -> Tuple[Dict[str, Any], int]:
        """Values that fit, and how many of them are not the given ones. strict: raises instead."""
        for share in 1, 2:
            fitter = Fitter(room - self.size, share, strict)
            fitted = self._fit(values, fitter)
            if not fitter.is_cut:
                break
        return fitted, fitter.altered

    def _fit(self, values: Mapping[str, Any], fitter: Fitter) -> Dict[str, Any]:
        fitted = {}
        others = values.keys() - {field.name for field in self.fields}
        if others and fitter.is_strict:
            name = min(others)
            raise _named(name, values[name], _Refused(-errno.ENOENT))
        fitter.altered += len(others)
        for field in self.fields:
            if field.name in values:
                fitted[field.name] = _fit_field(field, values[field.name], fitter)
                continue
            if fitter.is_strict:
                raise _Refused(-errno.ENODATA)
            fitter.altered += 1
            fitted[field.name] = 0 if isinstance(field, _Number) else b""
        return fitted


def _encoded(value: Any, is_text: bool) -> bytes:
    """A NUL ends a text, so what follows it would be missing."""
    if not is_text:
        raise TypeError
    return utf8(value.replace("\0", "\ufffd"))


def _fit_field(field: Any, value: Any, fitter: Fitter) -> Any:
    kept = fitter.keep()
    try:
        return field.fit(value, fitter)
    except Exception as error:
        if fitter.is_strict:
            raise _named(field.name, value, error) from None
        fitter.altered += 1
        return 0 if isinstance(field, _Number) else b""
    finally:
        fitter.release(kept)


def _named(name: str, value: Any, error: Exception) -> ValueError:
    return ValueError(f"cannot write the field {name}={text_of(value)}: {error}")
