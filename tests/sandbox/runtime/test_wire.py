"""What crosses between the grader and a submission: everything plain arrives as it left, everything else is refused."""

from __future__ import annotations

import json
import math
import pickle
import socket
import struct
import threading

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from autograder.sandbox.runtime import wire
from autograder.sandbox.runtime.wire import Opaque, WireError, decode, encode, plain


def through(value):
    """The value after a frame has carried it."""
    frame = encode(plain(value))
    text_length, _ = struct.unpack(">II", frame[:8])
    return decode(frame[8 : 8 + text_length], frame[8 + text_length :])


def frame(tree, binary: bytes = b"") -> bytes:
    text = tree if isinstance(tree, bytes) else json.dumps(tree).encode()
    return struct.pack(">II", len(text), len(binary)) + text + binary


def received(data: bytes):
    """What `receive` makes of raw bytes whose sender then goes away."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(20)
        sender = threading.Thread(target=_send_and_close, args=(theirs, data))
        sender.start()
        try:
            return wire.receive(ours)
        finally:
            ours.close()
            sender.join(20)


def _send_and_close(connection: socket.socket, data: bytes) -> None:
    try:
        connection.sendall(data)
    except OSError:
        pass  # the receiver has refused the rest
    finally:
        connection.close()


def assert_same_tensor(got, expected) -> None:
    assert type(got) is torch.Tensor
    assert (got.dtype, got.shape, got.requires_grad) == (expected.dtype, expected.shape, False)
    assert torch.equal(_bits(got), _bits(expected.detach().resolve_conj().resolve_neg()))


def _bits(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8) if tensor.numel() else tensor.reshape(-1)


@pytest.mark.parametrize("dtype", list(wire.DTYPES.values()), ids=str)
def test_tensors_of_every_type_arrive_bit_by_bit(dtype):
    values = (torch.arange(24) - 7).reshape(2, 3, 4).to(dtype)
    for tensor in (
        values,
        values[0, 0, 1],
        values.new_empty(0),
        values.new_empty(3, 0, 2),
        values.transpose(0, 2),
        values[:, ::2],
    ):
        assert_same_tensor(through(tensor), tensor)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_special_numbers_arrive(dtype):
    tensor = torch.tensor([math.nan, math.inf, -math.inf, -0.0, torch.finfo(dtype).tiny], dtype=dtype)
    assert_same_tensor(through(tensor), tensor)


def test_lazy_conjugates_and_negatives_arrive():
    tensor = torch.randn(3, dtype=torch.complex64)
    assert_same_tensor(through(tensor.conj()), tensor.conj())
    assert_same_tensor(through(tensor.conj().imag), tensor.conj().imag)


def test_expanded_and_overlapping_tensors_arrive():
    for tensor in (torch.randn(1, 3).expand(4, 3), torch.randn(6).as_strided((3, 2), (1, 1))):
        assert_same_tensor(through(tensor), tensor)


def test_parameters_and_results_of_a_graph_arrive_detached():
    parameter = nn.Parameter(torch.randn(2, 3))
    for tensor in (parameter, parameter * 2):
        assert_same_tensor(through(tensor), tensor)


@pytest.mark.parametrize(
    "value",
    [
        None, True, False, 0, -1, 2**80, 1.5, -0.0, "", "text", "äöü 漢字 🙂", "\x00\x1b", b"", b"\x00\xff",
        [], [1, [2, [3]]], (), (1, ("a", None)), {}, {"a": 1, 2: [3], (1, 2): "tuple"}, set(),
        pytest.param({1, "a"}, id="set"),  # its repr has another order in each process, and so the test another name
        torch.float32, torch.bfloat16, {"tensor": 1}, {"opaque": "x", "dict": []}, [{"list": ()}],
    ],
    ids=repr,
)  # fmt: skip
def test_plain_values_arrive_with_their_types(value):
    got = through(value)
    assert got == value
    assert type(got) is type(value)


@pytest.mark.parametrize("value", [math.inf, -math.inf])
def test_infinite_numbers_arrive(value):
    assert through(value) == value


def test_nan_arrives():
    assert math.isnan(through(math.nan))


def test_structure_around_tensors_is_kept():
    got = through({"a": [torch.ones(2), (torch.zeros(1, 2, dtype=torch.int64),)], "b": (True, None)})
    assert_same_tensor(got["a"][0], torch.ones(2))
    assert_same_tensor(got["a"][1][0], torch.zeros(1, 2, dtype=torch.int64))
    assert got["b"] == (True, None)


def test_numpy_becomes_numbers_and_tensors():
    assert through(numpy.float64(1.5)) == 1.5
    assert through(numpy.bool_(True)) is True
    assert through(numpy.int64(7)) == 7
    assert_same_tensor(through(numpy.ones((2, 3), dtype=numpy.float32)), torch.ones(2, 3))
    assert isinstance(through(numpy.array(["a"])), Opaque)
    assert isinstance(through(numpy.array([object()])), Opaque)


class Liar:
    """Equal to everything, and all comparisons succeed."""

    def __eq__(self, other):
        return True

    def __sub__(self, other):
        return self

    def __lt__(self, other):
        return True

    __hash__ = None  # type: ignore[assignment]
    __rsub__ = __sub__
    __le__ = __gt__ = __ge__ = __ne__ = __lt__


class PretendsToBeText(Liar):
    """Says that its class is ``str``."""

    __class__ = str  # type: ignore[assignment]


class LyingText(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = str.__hash__


class LyingBytes(bytes):
    def __eq__(self, other):
        return True

    __hash__ = bytes.__hash__


class LyingNumber(float):
    def __eq__(self, other):
        return True

    def __float__(self):
        return 2.5

    __hash__ = float.__hash__


class LyingTensor(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return True


class LyingList(list):
    def __eq__(self, other):
        return True


class LyingDict(dict):
    def __eq__(self, other):
        return True


@pytest.mark.parametrize(
    "value",
    [
        Liar(),
        object(),
        print,
        Liar,
        nn.Linear(1, 1),
        (x for x in ()),
        1j,
        range(3),
        torch.zeros(2).to_sparse(),
        torch.zeros(2, device="meta"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_everything_else_is_opaque(value):
    assert isinstance(plain(value), Opaque)
    assert isinstance(through(value), Opaque)


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_a_nested_tensor_is_opaque():
    assert isinstance(plain(torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])), Opaque)


@pytest.mark.parametrize(
    ("lie", "truth"),
    [
        (LyingText("x"), str),
        (LyingBytes(b"x"), bytes),
        (LyingNumber(1.0), float),
        (LyingList([1]), list),
        (LyingDict({1: 2}), dict),
    ],
    ids=lambda value: getattr(type(value), "__name__", ""),
)
def test_subclasses_lose_their_behaviour(lie, truth):
    for value in (plain(lie), plain([lie])[0]):
        assert type(value) is truth
        assert (value == truth()) is False


def test_an_object_that_pretends_to_be_text_does_not_get_through():
    assert isinstance(plain(PretendsToBeText()), Opaque)


def test_tensor_subclasses_lose_their_behaviour():
    original = torch.arange(3.0)
    got = plain(original.as_subclass(LyingTensor))
    assert type(got) is torch.Tensor
    assert torch.equal(got, original)


def test_opaque_values_keep_the_name_of_their_type():
    assert plain(Liar()) == Opaque("Liar")
    assert through([Liar()]) == [Opaque("Liar")]


def test_a_structure_that_contains_itself_ends():
    loop: list = []
    loop.append(loop)
    table: dict = {}
    table["self"] = table
    for value in (loop, table):
        assert "nested too deeply" in repr(through(value))


def test_plain_copies():
    tensor, items = torch.ones(2), [1]
    copy = plain((tensor, items))
    tensor.zero_()
    items.append(2)
    assert copy[0].tolist() == [1, 1]
    assert copy[1] == [1]


def test_keys_that_cannot_be_keys_are_opaque():
    assert isinstance(plain({frozenset([1]): 2}), Opaque)  # a set is no key


def test_text_that_is_not_unicode_arrives_as_text():
    assert isinstance(through("a\ud800b"), str)


@pytest.mark.parametrize("value", [10**6000, -(10**6000)], ids=["positive", "negative"])
def test_an_endless_number_is_opaque(value):
    """Python itself refuses to print it, which would end whoever tries."""
    assert isinstance(through(value), Opaque)


@pytest.mark.parametrize(
    "value",
    [torch.zeros(wire.MAX_FRAME // 4 + 1), [0] * (wire.MAX_NODES + 1), ["x" * 10**6] * 9],
    ids=["bytes", "items", "text"],
)
def test_what_is_too_large_is_refused_before_it_is_sent(value):
    with pytest.raises(WireError):
        encode(plain(value))


def nested(levels: int) -> bytes:
    return b'{"list":[' * levels + b"1" + b"]}" * levels


FORGED = {
    "not JSON": frame(b"nonsense"),
    "not text": frame(b"\xff\xfe\x00"),
    "a pickle": frame(pickle.dumps([1, 2])),
    "empty": frame(b""),
    "bare list": frame([1, 2]),
    "unknown node": frame({"function": "x"}),
    "empty node": frame({}),
    "list of a number": frame({"list": 5}),
    "dict of triples": frame({"dict": [[1, 2, 3]]}),
    "dict of nothing": frame({"dict": None}),
    "unhashable key": frame({"dict": [[{"list": []}, 1]]}),
    "unhashable item": frame({"set": [{"list": []}]}),
    "dict as key": frame({"dict": [[{"dict": []}, 1]]}),
    "nested beyond JSON": frame(b"[" * 200_000),
    "nested nodes": frame(nested(100)),
    "very deep nodes": frame(nested(50_000)),
    "many nodes": frame({"list": [0] * (wire.MAX_NODES + 1)}),
    "a set of one hash": frame({"set": [number * (2**61 - 1) for number in range(50_000)]}),
    "a dict of one hash": frame({"dict": [[number * (2**61 - 1), 0] for number in range(30_000)]}),
    "many digits": frame(b"1" * 10_000),
    "unknown dtype": frame({"tensor": 4, "dtype": "float99", "shape": [1]}, bytes(4)),
    "dtype not a name": frame({"tensor": 4, "dtype": {"list": []}, "shape": [1]}, bytes(4)),
    "no shape": frame({"tensor": 4, "dtype": "float32"}, bytes(4)),
    "negative shape": frame({"tensor": 4, "dtype": "float32", "shape": [-1]}, bytes(4)),
    "two negatives": frame({"tensor": 4, "dtype": "float32", "shape": [-1, -1]}, bytes(4)),
    "huge shape": frame({"tensor": 0, "dtype": "float32", "shape": [2**62, 0]}),
    "terabytes without a byte": frame({"tensor": 0, "dtype": "float32", "shape": [2**26, 2**26, 0]}),
    "huge product": frame({"tensor": 4, "dtype": "float32", "shape": [2**20] * 4}, bytes(4)),
    "shape of floats": frame({"tensor": 4, "dtype": "float32", "shape": [1.0]}, bytes(4)),
    "shape of booleans": frame({"tensor": 4, "dtype": "float32", "shape": [True]}, bytes(4)),
    "shape is text": frame({"tensor": 4, "dtype": "float32", "shape": "1"}, bytes(4)),
    "too many axes": frame({"tensor": 4, "dtype": "float32", "shape": [1] * 100}, bytes(4)),
    "too few bytes": frame({"tensor": 8, "dtype": "float32", "shape": [2]}, bytes(4)),
    "bytes do not fit": frame({"tensor": 8, "dtype": "float32", "shape": [1]}, bytes(8)),
    "negative length": frame({"tensor": -4, "dtype": "float32", "shape": [1]}, bytes(4)),
    "length is text": frame({"bytes": "4"}, bytes(4)),
    "length is a fraction": frame({"bytes": 4.0}, bytes(4)),
    "bytes left over": frame(1, bytes(4)),
    "bytes used twice": frame({"list": [{"bytes": 4}, {"bytes": 4}]}, bytes(4)),
    "announced too much": struct.pack(">II", 2**32 - 1, 2**32 - 1) + b"x",
    "announced too much text": struct.pack(">II", wire.MAX_JSON + 1, 0) + b"x",
    "announced too many bytes": struct.pack(">II", 2, wire.MAX_FRAME) + b"1 ",
}  # fmt: skip


@pytest.mark.parametrize("data", FORGED.values(), ids=FORGED)
def test_a_forged_frame_is_refused(data):
    with pytest.raises(WireError):
        received(data)


@pytest.mark.parametrize("data", [b"", b"\x00", struct.pack(">II", 10, 0), frame({"bytes": 4}, bytes(4))[:-1]])
def test_a_truncated_frame_is_an_end(data):
    with pytest.raises(EOFError):
        received(data)


# --- whatever values and bytes there are ----------------------------------------------------------------

# The same examples in each run: a build that fails by chance helps nobody.
checked = settings(max_examples=150, derandomize=True, database=None, deadline=None)

SIZES = st.lists(st.integers(0, 3), max_size=4)
LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**200), 2**200),
    st.floats(allow_nan=False),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.binary(),
    st.sampled_from(list(wire.DTYPES.values())),
)
KEYS = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=4)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.lists(inner),
        st.lists(inner).map(tuple),
        st.sets(KEYS),
        st.dictionaries(KEYS, inner),
    ),
    max_leaves=10,
)


class Arriving:
    """A connection on which bytes arrive in pieces, and whose other side then closes."""

    def __init__(self, data: bytes, pieces: int):
        self.data, self.pieces = data, pieces

    def recv(self, size: int) -> bytes:
        part, self.data = self.data[: min(size, self.pieces)], self.data[min(size, self.pieces) :]
        return part


def same(got, expected) -> bool:
    """Equal, and of the same types all the way down; -0.0 is another number than 0.0."""
    if type(got) is not type(expected):
        return False
    if isinstance(expected, (list, tuple)):
        return len(got) == len(expected) and all(map(same, got, expected))
    if isinstance(expected, dict):
        return list(got) == list(expected) and all(same(got[key], expected[key]) for key in expected)
    return got == expected and (not isinstance(expected, float) or math.copysign(1, got) == math.copysign(1, expected))


@checked
@given(VALUES, st.integers(1, 50))
def test_every_plain_value_arrives_as_it_was(value, pieces):
    assert same(wire.receive(Arriving(encode(plain(value)), pieces)), value)


@checked
@given(st.sampled_from(list(wire.DTYPES.values())), SIZES, st.data())
def test_every_tensor_arrives_bit_by_bit(dtype, shape, data):
    length = math.prod(shape) * dtype.itemsize
    content = data.draw(st.binary(min_size=length, max_size=length))
    if dtype is torch.bool:
        content = bytes(byte % 2 for byte in content)
    flat = torch.frombuffer(bytearray(content), dtype=dtype) if content else torch.empty(0, dtype=dtype)
    assert_same_tensor(through(flat.reshape(shape)), flat.reshape(shape))


def is_harmless(data: bytes, pieces: int = 2**20) -> bool:
    """Whether bytes are refused, or make a plain value, which could be sent back."""
    try:
        value = wire.receive(Arriving(data, pieces))
    except (WireError, EOFError):
        return True
    return isinstance(encode(plain(value)), bytes)


@checked
@given(st.binary(max_size=200))
def test_any_bytes_are_harmless(data):
    assert is_harmless(data)
    assert is_harmless(frame(data))


@checked
@given(
    VALUES, st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 255)), min_size=1, max_size=5), st.integers(1, 50)
)
def test_a_frame_with_changed_bytes_is_harmless(value, changes, pieces):
    data = bytearray(encode(plain([value, torch.arange(3.0)])))
    for position, byte in changes:
        data[position % len(data)] = byte
    assert is_harmless(bytes(data), pieces)


@checked
@given(VALUES, st.integers(0, 10**6))
def test_a_frame_that_was_cut_off_is_an_end(value, length):
    data = encode(plain(value))
    with pytest.raises(EOFError):
        wire.receive(Arriving(data[: length % len(data)], 2**20))


NUMBERS = st.one_of(st.integers(-2, 40), st.integers(), st.floats(), st.booleans(), st.none(), st.text(max_size=3))
FORGED_LEAVES = st.one_of(
    NUMBERS,
    st.fixed_dictionaries({"bytes": NUMBERS}),
    st.fixed_dictionaries({"opaque": NUMBERS}),
    st.fixed_dictionaries({"dtype": st.one_of(st.sampled_from(list(wire.DTYPES)), NUMBERS)}),
    st.fixed_dictionaries(
        {
            "tensor": NUMBERS,
            "dtype": st.one_of(st.sampled_from(list(wire.DTYPES)), NUMBERS),
            "shape": st.one_of(st.lists(NUMBERS, max_size=4), SIZES, NUMBERS),
        }
    ),
)
FORGED_TREES = st.recursive(
    FORGED_LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.sampled_from(["list", "tuple", "set", "dict"]), st.lists(inner, max_size=4), max_size=2),
        st.fixed_dictionaries({"dict": st.lists(st.lists(inner, min_size=2, max_size=2), max_size=4)}),
    ),
    max_leaves=12,
)


@checked
@given(FORGED_TREES, st.binary(max_size=64))
def test_a_forged_tree_is_harmless(tree, binary):
    assert is_harmless(frame(tree, binary))
