"""What crosses between the grader and a submission's process: plain data, as JSON and raw tensor bytes, never pickle.

The format is home-made: safetensors carries a flat table of tensors and nothing else, msgpack knows no tensors, tuples
or sets, and with either of them most of the checks below would stay.

A frame is ``>II`` (length of the JSON part, length of the binary part), the JSON, the bytes. Everything
that arrives is checked against the sizes and types below before it is used.
"""

from __future__ import annotations

import json
import math
import socket
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

MAX_FRAME = 64 * 2**20
MAX_JSON = 8 * 2**20  # parsed JSON takes some twenty times the room of its text
MAX_NODES = 100_000
MAX_DEPTH = 30
MAX_TEXT = 1_000_000
MAX_SAME_HASH = 100  # keys and items of sets beyond the first with their hash: each costs a comparison with all others
MAX_BITS = 4096  # of an integer: printing longer ones takes Python long, or is refused
_HEADER = struct.Struct(">II")

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.complex64,
        torch.complex128,
    )
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}


class WireError(Exception):
    """A frame that breaks the rules: too large, malformed, or of a type that may not cross."""


@dataclass(frozen=True)
class Opaque:
    """Stands for a value that cannot cross; only the name of its type does."""

    type_name: str


def plain(value: Any, depth: int = 0) -> Any:
    """A detached copy of a value in the types that may cross; anything else becomes `Opaque`.

    Subclasses become their built-in base, so that no behaviour of theirs crosses. What an object says
    its class is (``__class__``) does not count.
    """
    kind = type(value)
    if kind is torch.Tensor:  # most of what crosses; the built-in types themselves have no behaviour to lose
        return _plain_tensor(value)
    if kind is str or kind is float:
        return value
    if depth > MAX_DEPTH:
        return Opaque("a structure nested too deeply")
    if value is None or issubclass(kind, (bool, torch.dtype, Opaque)):
        return value
    if issubclass(kind, int):
        number = int.__index__(value)
        return number if number.bit_length() <= MAX_BITS else Opaque("an integer with thousands of digits")
    if issubclass(kind, float):
        return float.__pos__(value)
    if issubclass(kind, str):
        return "".join(str.__iter__(value))
    if issubclass(kind, bytes):
        return bytes(bytes.__iter__(value)) if kind is not bytes else value
    if issubclass(kind, torch.Tensor):
        return _plain_tensor(value)
    if issubclass(kind, (list, tuple, set, frozenset)):
        base = next(base for base in (list, tuple, set, frozenset) if issubclass(kind, base))
        return _collect(
            set if base is frozenset else base, (plain(item, depth + 1) for item in base.__iter__(value)), kind
        )
    if issubclass(kind, dict):
        items = ((plain(key, depth + 1), plain(item, depth + 1)) for key, item in dict.items(value))
        return _collect(dict, items, kind)
    return _plain_numpy(value)


def _collect(base: Callable[[Iterator], Any], items: Iterator, kind: type) -> Any:
    """A collection of plain items, unless a key or an item of a set has become one that cannot be hashed."""
    try:
        return base(items)
    except TypeError:
        return Opaque(kind.__name__)


def _plain_tensor(value: torch.Tensor) -> Any:
    with torch._C.DisableTorchFunctionSubclass():
        tensor = torch.Tensor.detach(value)
        if tensor.layout == torch.strided:  # the others have no such thing as a base class
            tensor = tensor.as_subclass(torch.Tensor)
    if tensor.is_nested or tensor.layout != torch.strided or tensor.device.type == "meta" or tensor.dtype not in _NAMES:
        return Opaque(f"a {tensor.dtype} tensor on {tensor.device} with layout {tensor.layout}")
    if tensor.device.type != "cpu" or tensor.is_conj() or tensor.is_neg():
        tensor = tensor.cpu().resolve_conj().resolve_neg()
    return tensor.clone(memory_format=torch.contiguous_format)


def _plain_numpy(value: Any) -> Any:
    """NumPy scalars and arrays become numbers and tensors; what is neither stays opaque."""
    if type(value).__module__.split(".")[0] == "numpy" and hasattr(value, "tolist"):
        try:
            return value.item() if value.ndim == 0 else torch.tensor(value)
        except (TypeError, ValueError, RuntimeError):
            pass
    return Opaque(type(value).__name__)


def encode(value: Any) -> bytes:
    """A frame for a value in the types that `plain` returns; raises `WireError` for a value that would be refused."""
    encoder = _Encoder()
    text = json.dumps(encoder.tree(value)).encode()
    length = sum(map(len, encoder.blobs))
    if len(text) > MAX_JSON or len(text) + length > MAX_FRAME:
        raise WireError(f"the data is larger than {(MAX_JSON if len(text) > MAX_JSON else MAX_FRAME) // 2**20} MB")
    return b"".join([_HEADER.pack(len(text), length), text, *encoder.blobs])


class _Encoder:
    """Turns a value into a tree for JSON, and collects the bytes that the tree mentions."""

    def __init__(self) -> None:
        self.blobs: list[bytes] = []
        self.nodes = 0

    def tree(self, value: Any) -> Any:
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise WireError(f"the data has more than {MAX_NODES} parts")
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, str):
            return value[:MAX_TEXT].encode("utf-8", "replace").decode()
        if isinstance(value, bytes):
            self.blobs.append(value)
            return {"bytes": len(value)}
        if isinstance(value, torch.Tensor):
            data = _bytes_of(value)
            self.blobs.append(data)
            return {"tensor": len(data), "dtype": _NAMES[value.dtype], "shape": list(value.shape)}
        if isinstance(value, torch.dtype):
            return {"dtype": _NAMES.get(value, "float32")}
        if isinstance(value, Opaque):
            return {"opaque": value.type_name}
        for kind, name in ((list, "list"), (tuple, "tuple"), (set, "set")):
            if isinstance(value, kind):
                return {name: [self.tree(item) for item in value]}
        if isinstance(value, dict):
            return {"dict": [[self.tree(key), self.tree(item)] for key, item in value.items()]}
        raise WireError(f"a {type(value).__name__} may not cross")


def _bytes_of(tensor: torch.Tensor) -> bytes:
    if tensor.dtype is torch.bfloat16:  # which NumPy does not know
        return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes() if tensor.numel() else b""
    return tensor.numpy().tobytes()


def decode(text: bytes, binary: bytes) -> Any:
    """The value of a frame's two parts; raises `WireError` for anything malformed."""
    if text.count(b"[") + text.count(b"{") > 2 * MAX_NODES:  # seconds of parsing, during which nobody else is served
        raise WireError(f"the frame's data has more than {MAX_NODES} parts")
    try:
        tree = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WireError("the frame is not JSON") from error
    decoder = _Decoder(binary)
    value = decoder.value(tree, 0)
    if decoder.offset != len(binary):
        raise WireError("the frame's binary part has another length than announced")
    return value


def _demand_spread_hashes(keys: list) -> None:
    """Thousands of numbers with one hash (the multiples of 2**61 - 1) would take minutes to put into a set."""
    if len(keys) - len({hash(key) for key in keys}) > MAX_SAME_HASH:
        raise WireError("too many keys have the same hash")


def _set(members: list) -> set:
    _demand_spread_hashes(members)
    return set(members)


def decode_frame(frame: bytes) -> Any:
    """The value of a whole frame."""
    middle = _HEADER.size + _HEADER.unpack_from(frame)[0]
    return decode(frame[_HEADER.size : middle], frame[middle:])


class _Decoder:
    """Rebuilds a value; the binary part is consumed in the order in which the tree mentions it."""

    def __init__(self, binary: bytes):
        self.binary = binary
        self.offset = 0
        self.nodes = 0

    def value(self, tree: Any, depth: int) -> Any:
        self.nodes += 1
        if depth > 2 * MAX_DEPTH or self.nodes > MAX_NODES:
            raise WireError("the frame's data is nested too deeply or has too many parts")
        if tree is None or isinstance(tree, (bool, int, float, str)):
            return tree
        if not isinstance(tree, dict):
            raise WireError("the frame holds something unexpected")
        try:
            return self._node(tree, depth + 1)
        except (KeyError, TypeError, ValueError, OverflowError, RuntimeError) as error:
            raise WireError(f"the frame holds something malformed ({type(error).__name__})") from error

    def _node(self, tree: dict, depth: int) -> Any:
        if "tensor" in tree:
            return self._tensor(tree)
        if "bytes" in tree:
            return self._take(tree["bytes"])
        if "dtype" in tree:
            return DTYPES[tree["dtype"]]
        if "opaque" in tree:
            return Opaque(str(tree["opaque"])[:200])
        for name, kind in (("list", list), ("tuple", tuple), ("set", _set)):
            if name in tree:
                return kind([self.value(item, depth) for item in tree[name]])
        items = [(self.value(key, depth), self.value(item, depth)) for key, item in tree["dict"]]
        _demand_spread_hashes([key for key, _ in items])
        return dict(items)

    def _tensor(self, tree: dict) -> torch.Tensor:
        dtype, shape = DTYPES[tree["dtype"]], tree["shape"]
        if len(shape) > 16 or not all(type(size) is int and 0 <= size <= MAX_FRAME for size in shape):
            raise WireError("a tensor has an impossible shape")
        if math.prod(size or 1 for size in shape) > MAX_FRAME:  # it may be empty, and its sum terabytes
            raise WireError("a tensor has an impossible shape")
        data = self._take(tree["tensor"])
        if math.prod(shape) * dtype.itemsize != len(data):
            raise WireError("a tensor's bytes do not fit its shape")
        if not data:
            return torch.empty(shape, dtype=dtype)
        return torch.frombuffer(bytearray(data), dtype=dtype).reshape(shape)

    def _take(self, length: int) -> bytes:
        if type(length) is not int or not 0 <= length <= len(self.binary) - self.offset:
            raise WireError("the frame's binary part is too short")
        start, self.offset = self.offset, self.offset + length
        return self.binary[start : self.offset]


def send(connection: socket.socket, value: Any) -> None:
    """Send one frame."""
    connection.sendall(encode(value))


def receive(connection: socket.socket) -> Any:
    """Receive one value; raises `EOFError` when the other side is gone, `WireError` when it misbehaves."""
    return decode_frame(receive_frame(connection))


def receive_frame(connection: socket.socket, most: int = MAX_FRAME) -> bytes:
    """Receive one frame as it is: its size is checked, its content is not."""
    header = _read(connection, _HEADER.size)
    text_length, binary_length = _HEADER.unpack(header)
    if text_length > MAX_JSON or text_length + binary_length > most:
        raise WireError(f"a frame with {text_length} + {binary_length} bytes was announced, which is too much")
    return header + _read(connection, text_length + binary_length)


def _read(connection: socket.socket, length: int) -> bytes:
    data = bytearray()
    while len(data) < length:
        part = connection.recv(min(length - len(data), 2**20))
        if not part:
            raise EOFError("the connection was closed")
        data += part
    return bytes(data)
