"""Reads anything with the Arrow PyCapsule interface, without an Arrow library.

The structs are those of the Arrow C data interface and the C stream interface. Columns of numbers without nulls are views of the
producer's memory until they leave `read`, which copies them: the producer's memory is released at its end.
"""

from __future__ import annotations

import ctypes
from ctypes import POINTER, CFUNCTYPE, Structure, byref, c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any

import numpy as np

from .errors import DataError, DataTypeError


class _Schema(Structure):
    pass


_Schema._fields_ = [
    ("format", c_char_p),
    ("name", c_char_p),
    ("metadata", c_void_p),
    ("flags", c_int64),
    ("n_children", c_int64),
    ("children", POINTER(POINTER(_Schema))),
    ("dictionary", POINTER(_Schema)),
    ("release", CFUNCTYPE(None, POINTER(_Schema))),
    ("private_data", c_void_p),
]


class _Array(Structure):
    pass


_Array._fields_ = [
    ("length", c_int64),
    ("null_count", c_int64),
    ("offset", c_int64),
    ("n_buffers", c_int64),
    ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)),
    ("children", POINTER(POINTER(_Array))),
    ("dictionary", POINTER(_Array)),
    ("release", CFUNCTYPE(None, POINTER(_Array))),
    ("private_data", c_void_p),
]


class _Stream(Structure):
    pass


_Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(_Stream), POINTER(_Array))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(_Stream))),
    ("release", CFUNCTYPE(None, POINTER(_Stream))),
    ("private_data", c_void_p),
]

_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype = c_void_p
_pointer.argtypes = [py_object, c_char_p]

_NUMBERS = {
    "c": np.int8,
    "C": np.uint8,
    "s": np.int16,
    "S": np.uint16,
    "i": np.int32,
    "I": np.uint32,
    "l": np.int64,
    "L": np.uint64,
    "e": np.float16,
    "f": np.float32,
    "g": np.float64,
}

#: Dates and times, as NumPy counts them.
_TIMES = {"tdD": (np.int32, "D"), "tdm": (np.int64, "ms"), "tss": (np.int64, "s"), "tsm": (np.int64, "ms")}
_TIMES |= {"tsu": (np.int64, "us"), "tsn": (np.int64, "ns")}


def read(table: Any) -> dict[str, Any]:
    """The columns of a table by name: arrays of numbers, lists of texts. A null is NaN among numbers and None among texts."""
    capsule = table.__arrow_c_stream__()
    stream = _Stream.from_address(_pointer(capsule, b"arrow_array_stream"))
    schema, arrays = _Schema(), []
    try:
        _check(stream, stream.get_schema(byref(stream), byref(schema)))
        if schema.format != b"+s":
            raise DataTypeError(f"found an Arrow stream of format {schema.format.decode()}, expected a table")
        while True:
            array = _Array()
            _check(stream, stream.get_next(byref(stream), byref(array)))
            if not array.release:
                break
            arrays.append(array)
        columns = {}
        for at in range(schema.n_children):
            child = schema.children[at].contents
            chunks = [_column(child, array.children[at].contents, array.offset, array.length) for array in arrays]
            columns[(child.name or b"").decode()] = _joined(chunks)
        return columns
    finally:
        for array in arrays:
            array.release(byref(array))
        if schema.release:
            schema.release(byref(schema))


def _check(stream: _Stream, code: int) -> None:
    if code:
        reason = stream.get_last_error(byref(stream))
        raise DataError(f"an Arrow stream failed: {reason.decode() if reason else f'error {code}'}")


def _joined(chunks: list[Any]) -> Any:
    if not chunks:
        return []
    if all(isinstance(chunk, np.ndarray) for chunk in chunks):
        return np.concatenate(chunks)
    return [value for chunk in chunks for value in chunk]


def _column(schema: _Schema, array: _Array, start: int, length: int) -> Any:
    """Rows `start` to `start + length` of a column, copied."""
    start += array.offset
    form = schema.format.decode()
    if schema.dictionary:
        words = _column(schema.dictionary.contents, array.dictionary.contents, 0, array.dictionary.contents.length)
        at = _plain(form, array, start, length)
        null = _nulls(array, start, length)
        return [None if null is not None and null[i] else words[int(at[i])] for i in range(length)]
    if form == "n":
        return [None] * length
    null = _nulls(array, start, length)
    if form in _NUMBERS or form == "b":
        values = _plain(form, array, start, length)
        if null is not None:
            values = values.astype(np.float64)
            values[null] = np.nan
        return values
    if form[:3] in _TIMES:
        kind, unit = _TIMES[form[:3]]
        times = _buffer(array, 1, kind, start, length).astype(np.int64).astype(f"datetime64[{unit}]")
        texts = [str(time) for time in times]
    elif form in ("u", "U"):
        texts = _texts(array, np.int32 if form == "u" else np.int64, start, length)
    elif form == "vu":
        texts = _views(array, start, length)
    else:
        name = (schema.name or b"").decode()
        raise DataTypeError(f"column {name}: found the Arrow format {form}, expected numbers, texts, dates or times")
    return texts if null is None else [None if null[at] else text for at, text in enumerate(texts)]


def _plain(form: str, array: _Array, start: int, length: int) -> np.ndarray[Any, Any]:
    if form == "b":
        return _bits(array, 1, start, length)
    if form not in _NUMBERS:
        raise DataTypeError(f"found the Arrow format {form}, expected numbers")
    return _buffer(array, 1, _NUMBERS[form], start, length).copy()


def _buffer(array: _Array, number: int, kind: Any, start: int, length: int) -> np.ndarray[Any, Any]:
    """A view of a buffer."""
    kind = np.dtype(kind)
    if length == 0:
        return np.empty(0, kind)
    address = array.buffers[number] + start * kind.itemsize
    memory = (ctypes.c_char * (length * kind.itemsize)).from_address(address)
    return np.frombuffer(memory, kind)


def _bits(array: _Array, number: int, start: int, length: int) -> np.ndarray[Any, Any]:
    count = (start + length + 7) // 8
    bits = np.unpackbits(_buffer(array, number, np.uint8, 0, count), bitorder="little")
    return bits[start : start + length].astype(bool)


def _nulls(array: _Array, start: int, length: int) -> np.ndarray[Any, Any] | None:
    if array.null_count == 0 or array.n_buffers == 0 or not array.buffers[0]:
        return None
    return ~_bits(array, 0, start, length)


def _texts(array: _Array, kind: Any, start: int, length: int) -> list[str]:
    ends = _buffer(array, 1, kind, start, length + 1)
    data = _buffer(array, 2, np.uint8, 0, int(ends[-1])).tobytes() if int(ends[-1]) else b""
    return [data[ends[at] : ends[at + 1]].decode() for at in range(length)]


def _views(array: _Array, start: int, length: int) -> list[str]:
    """Texts of up to 12 bytes stand in the view; longer ones in one of the data buffers, from the third on."""
    texts = []
    for row in _buffer(array, 1, np.dtype("V16"), start, length):
        view = row.tobytes()
        size = int.from_bytes(view[:4], "little")
        if size <= 12:
            texts.append(view[4 : 4 + size].decode())
            continue
        buffer, at = int.from_bytes(view[8:12], "little"), int.from_bytes(view[12:], "little")
        texts.append(_buffer(array, 2 + buffer, np.uint8, at, size).tobytes().decode())
    return texts
