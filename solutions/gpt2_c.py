"""The Python side of GPT-2 in C: the same model in PyTorch, and the files that both read.

All numbers in files are little-endian, as memory is on the processors that PyTorch runs on.

Shapes: ``B`` sequences in a batch, ``T`` positions, ``C`` channels, ``NH`` heads, ``L`` layers, ``V`` vocabulary size,
``Vp`` the same padded (``Vp >= V``). Names are those of the C program in ``solutions/c``.
"""

import argparse
import ctypes
import dataclasses
import errno
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
import time
from array import array
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import torch
from torch import nn
from torch.nn.functional import cross_entropy, gelu, scaled_dot_product_attention

from solutions.pretrained import byte_letters

SOURCE = Path(__file__).resolve().parent / "c"

HEADER = 256  # int32 at the start of every file
MODEL_MAGIC, MODEL_VERSION = 20240326, 3
TOKENS_MAGIC, TOKENS_VERSION = 20240520, 1
VOCABULARY_MAGIC, VOCABULARY_VERSION = 20240328, 2

# The parts of a layer that have parameters, a weight and a bias each, in the order of a checkpoint.
PARTS = ("ln1", "qkv", "attproj", "ln2", "fc", "fcproj")
WEIGHT_AND_BIAS = (("w", "weight"), ("b", "bias"))


@dataclass(frozen=True)
class Config:
    """The sizes in a checkpoint's header, in its order.

    Attributes:
        max_seq_len: the longest sequence; rows of ``wpe``.
        vocab_size: ``V``.
        num_layers, num_heads: ``L`` and ``NH``.
        channels: ``C``, a multiple of ``num_heads``.
        padded_vocab_size: ``Vp``, rows of ``wte``; ``None``: as large as ``vocab_size``.
    """

    max_seq_len: int
    vocab_size: int
    num_layers: int
    num_heads: int
    channels: int
    padded_vocab_size: int = None  # type: ignore[assignment]

    def __post_init__(self):
        if self.padded_vocab_size is None:
            object.__setattr__(self, "padded_vocab_size", self.vocab_size)
        sizes = dataclasses.asdict(self)
        for name, size in sizes.items():
            if not 1 <= size <= 2**24:
                raise ValueError(f"{name} must lie between 1 and 2^24, but is {size}.")
        if self.padded_vocab_size < self.vocab_size:
            raise ValueError(
                f"padded_vocab_size ({self.padded_vocab_size}) must not be below vocab_size ({self.vocab_size})."
            )
        if self.channels % self.num_heads:
            raise ValueError(f"num_heads ({self.num_heads}) must divide channels ({self.channels}).")


class Layer(nn.Module):
    """One Transformer layer, normalised before each of its two parts (Radford et al. 2019, section 2.3)."""

    def __init__(self, config):
        super().__init__()
        width = config.channels
        self.num_heads = config.num_heads
        self.ln1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.attproj = nn.Linear(width, width)
        self.ln2 = nn.LayerNorm(width)
        self.fc = nn.Linear(width, 4 * width)
        self.fcproj = nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = (
            part.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for part in self.qkv(self.ln1(x)).chunk(3, -1)
        )
        heads = scaled_dot_product_attention(q, k, v, is_causal=True)  # (B, NH, T, C / NH)
        x = x + self.attproj(heads.transpose(1, 2).flatten(-2))
        return x + self.fcproj(gelu(self.fc(self.ln2(x)), approximate="tanh"))


class GPT2(nn.Module):
    """GPT-2 with the output layer tied to the token vectors, in PyTorch.

    Weights start as in llm.c: normal with standard deviation 0.02, divided by ``sqrt(2 L)`` in the two projections into
    the residual stream; biases 0. OpenAI's published code draws ``wpe`` with 0.01 and does not divide (``src/model.py``
    of openai/gpt-2). The rows of ``wte`` that pad the vocabulary are 0.

    Source: Radford et al. 2019, section 2.3.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.padded_vocab_size, config.channels)
        self.wpe = nn.Embedding(config.max_seq_len, config.channels)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.num_layers))
        self.lnf = nn.LayerNorm(config.channels)
        with torch.no_grad():
            for name, parameter in self.named_parameters():
                if name.endswith("bias"):
                    parameter.zero_()
                elif parameter.dim() == 2:
                    into_stream = name.endswith(("attproj.weight", "fcproj.weight"))
                    parameter.normal_(std=0.02 / math.sqrt(2 * config.num_layers) if into_stream else 0.02)
            self.wte.weight[config.vocab_size :] = 0

    def forward(self, tokens, targets=None):
        """Logits ``(B, T, V)`` of tokens ``(B, T)``; with targets ``(B, T)``: ``(logits, mean loss)``."""
        length = tokens.shape[1]
        if length > self.config.max_seq_len:
            raise ValueError(f"a sequence of {length} tokens is longer than max_seq_len, {self.config.max_seq_len}.")
        x = self.wte(tokens) + self.wpe(torch.arange(length, device=tokens.device))
        for layer in self.layers:
            x = layer(x)
        logits = self.lnf(x) @ self.wte.weight[: self.config.vocab_size].T
        if targets is None:
            return logits
        return logits, cross_entropy(logits.flatten(0, 1), targets.flatten())


def kinds(model):
    """The parameters in the order of a checkpoint: ``(name, list of tensors, one for each layer)``."""
    yield "wte", [model.wte.weight]
    yield "wpe", [model.wpe.weight]
    for part in PARTS:
        for letter, what in WEIGHT_AND_BIAS:
            yield part + letter, [getattr(getattr(layer, part), what) for layer in model.layers]
    for letter, what in WEIGHT_AND_BIAS:
        yield "lnf" + letter, [getattr(model.lnf, what)]


def count_parameters(config):
    """How many numbers a checkpoint holds, without making a model: 12 C^2 + 13 C in each layer, and the rest."""
    c = config
    in_layers = c.num_layers * (12 * c.channels**2 + 13 * c.channels)
    return in_layers + (c.padded_vocab_size + c.max_seq_len + 2) * c.channels


def adamw(model, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    """The C program's optimiser: decay for matrices, none for biases and norms."""
    matrices = [p for p in model.parameters() if p.dim() == 2]
    others = [p for p in model.parameters() if p.dim() != 2]
    groups = [{"params": matrices, "weight_decay": weight_decay}, {"params": others, "weight_decay": 0.0}]
    return torch.optim.AdamW(groups, lr=lr, betas=betas, eps=eps)


def operations(config, batch, length):
    """Multiplications and additions of one training step, as numbers of floating-point operations.

    It counts the matrix products: the linear layers and the output layer (2 for each weight and token, forward; twice
    that, backward), and attention's products over the positions that a query may attend to. What is computed and thrown
    away, such as scores of the future, does not count, nor do norms, GELU, softmax and the optimiser.
    """
    c = config
    weights = 12 * c.num_layers * c.channels**2 + c.padded_vocab_size * c.channels
    scores = c.num_layers * length * (length + 1) // 2 * c.channels  # multiply-adds of q k^T, and again of att v
    return 6 * batch * length * weights + 2 * batch * 6 * scores


def sgemm_rate(size=2048, repeat=8):
    """The machine's limit for products of float32 matrices, in operations per second: the best that PyTorch reaches."""
    a, b = torch.randn(size, size), torch.randn(size, size)
    out = torch.empty(size, size)

    def once():
        started = time.perf_counter()
        torch.mm(a, b, out=out)
        return time.perf_counter() - started

    return 2 * size**3 / min(once() for _ in range(repeat))


# --- files -------------------------------------------------------------------------------------------------------


def _header(*start):
    return array("i", [*start, *[0] * (HEADER - len(start))]).tobytes()


def _read_header(file, path, magic, version, what):
    raw = file.read(4 * HEADER)
    if len(raw) < 4 * HEADER:
        raise ValueError(f"{path} is truncated: it ends after {len(raw)} bytes, within its header.")
    header = array("i", raw)
    if (header[0], header[1]) != (magic, version):
        raise ValueError(
            f"{path} is not {what} of version {version}: it starts with {header[0]}, {header[1]}, "
            f"not with {magic}, {version}."
        )
    return header


def _replace(path, chunks):
    """Write a file under another name, then rename it: the file is either complete or as it was."""
    path = Path(path)
    aside = path.with_name(path.name + ".part")
    try:
        with open(aside, "wb") as file:
            for chunk in chunks:
                file.write(chunk)
        os.replace(aside, path)
    finally:
        aside.unlink(missing_ok=True)


def _try_to_write(path):
    """Raise `OSError` if `_replace` could not write this file, before there is anything to lose."""
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "this is a folder, not a file", str(path))
    try:
        _replace(f"{path}.try", [])
        os.unlink(f"{path}.try")
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None


def write_checkpoint(path, model):
    """Write a version-3 checkpoint: a header of 256 int32, then all parameters as float32.

    The header is ``20240326, 3, max_seq_len, vocab_size, num_layers, num_heads, channels, padded_vocab_size`` and
    zeros. The parameters follow by kind, each kind for all layers, ``(out, in)`` as in ``nn.Linear``.

    It holds nothing but a GPT-2: the BabyGPT of `solutions.babygpt`, for one, has ReLU and an output layer of its own.
    """
    tensors = chain.from_iterable(tensors for _, tensors in kinds(model))
    header = _header(MODEL_MAGIC, MODEL_VERSION, *dataclasses.astuple(model.config))
    _replace(path, chain([header], map(_floats, tensors)))


def _floats(tensor):
    """The numbers of a tensor as they stand in a file."""
    numbers = tensor.detach().to("cpu", torch.float32).contiguous()
    return ctypes.string_at(numbers.data_ptr(), 4 * numbers.numel())


def read_checkpoint(path):
    """The `GPT2` of a version-3 checkpoint, bit for bit.

    Raises:
        ValueError: the magic number, the version or a size is wrong, or the file's length does not match the sizes.
    """
    with open(path, "rb") as file:
        header = _read_header(file, path, MODEL_MAGIC, MODEL_VERSION, "a checkpoint")
        try:
            config = Config(*header[2:8])
        except ValueError as error:
            raise ValueError(f"{path} cannot be right: {error}") from None
        expected = 4 * HEADER + 4 * count_parameters(config)
        size = os.fstat(file.fileno()).st_size
        if size != expected:
            kind = "truncated" if size < expected else "too long"
            raise ValueError(f"{path} is {kind}: it has {size} bytes, and the sizes in its header make {expected}.")
        model = GPT2(config)
        with torch.no_grad():
            for _, tensors in kinds(model):
                for tensor in tensors:
                    raw = bytearray(file.read(4 * tensor.numel()))
                    tensor.copy_(torch.frombuffer(raw, dtype=torch.float32).view_as(tensor))
    return model


def write_tokens(path, ids):
    """Write token ids as the C program reads them: 256 int32 (``20240520, 1, how many``), then uint16.

    Args:
        ids: integers from 0 to 65535, at least two.
    """
    ids = list(ids)
    if len(ids) < 2:
        raise ValueError(f"a file of tokens needs at least 2 of them, not {len(ids)}.")
    if not 0 <= min(ids) <= max(ids) < 2**16:
        raise ValueError(f"ids must fit into 16 bits, 0 to 65535, but they go from {min(ids)} to {max(ids)}.")
    _replace(path, [_header(TOKENS_MAGIC, TOKENS_VERSION, len(ids)), array("H", ids).tobytes()])


def read_tokens(path):
    """The ids in a file of tokens, as int64 ``(N,)``."""
    with open(path, "rb") as file:
        header = _read_header(file, path, TOKENS_MAGIC, TOKENS_VERSION, "a file of tokens")
        raw = file.read()
    if len(raw) != 2 * header[2]:
        raise ValueError(
            f"{path} has {len(raw)} bytes of tokens; its header announces {header[2]} tokens, two bytes each."
        )
    ids = array("H", raw)
    return torch.tensor(ids, dtype=torch.long)


def write_vocabulary(path, tokens, end=-1):
    """Write what the tokens are: 256 int32 (``20240328, 2, V, end``), then each token after one byte with its length.

    Args:
        tokens: a list of ``V`` ``bytes``, each of at most 255; a token's id is its index, and a token made by an
            earlier merge has a lower id.
        end: the token that ends a text; -1: none.
    """
    longest = max(map(len, tokens))
    if longest > 255:
        raise ValueError(f"a token has at most 255 bytes in this file, but one has {longest}.")
    parts = chain.from_iterable((bytes([len(token)]), token) for token in tokens)
    _replace(path, chain([_header(VOCABULARY_MAGIC, VOCABULARY_VERSION, len(tokens), end)], parts))


def bpe_tokens(merges):
    """The tokens of `solutions.tokens.train_bpe`'s merges: the single bytes, and what each merge makes."""
    return [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]


# --- from and to a Hugging Face GPT-2 ----------------------------------------------------------------------------

# Hugging Face's name of each kind. It stores the weights of linear layers (in, out) ("Conv1D"), transposed to ours.
THEIR_NAME = {
    "ln1": "ln_1",
    "qkv": "attn.c_attn",
    "attproj": "attn.c_proj",
    "ln2": "ln_2",
    "fc": "mlp.c_fc",
    "fcproj": "mlp.c_proj",
}


def _their_names(num_layers):
    """For each kind in the order of `kinds`: their names, one for each layer, and whether they are transposed."""
    yield ["wte.weight"], False
    yield ["wpe.weight"], False
    for part in PARTS:
        for _, what in WEIGHT_AND_BIAS:
            theirs = [f"h.{layer}.{THEIR_NAME[part]}.{what}" for layer in range(num_layers)]
            yield theirs, what == "weight" and not part.startswith("ln")
    yield ["ln_f.weight"], False
    yield ["ln_f.bias"], False


def from_hugging_face(state, num_heads=None, padded_vocab_size=None):
    """A `GPT2` from the state dict of a Hugging Face ``GPT2Model`` or ``GPT2LMHeadModel``.

    ``python -m solutions.gpt2_c model.safetensors gpt2_124M.bin`` does this with a file (see `load_state`) and writes
    the checkpoint.

    Args:
        state: names to tensors, with or without ``transformer.`` in front.
        num_heads: ``None``: heads of width 64, as in all of OpenAI's sizes.
        padded_vocab_size: ``None``: the next multiple of 128, for GPT-2 itself 50,304.

    Raises:
        ValueError: a tensor is missing, has another shape, or the output layer is not tied to ``wte``.
    """
    state = {name.removeprefix("transformer."): tensor for name, tensor in state.items()}
    if "wte.weight" not in state:
        raise ValueError("this is no GPT-2: there is no tensor called wte.weight.")
    if "wpe.weight" not in state or any(state[name].dim() != 2 for name in ("wte.weight", "wpe.weight")):
        raise ValueError("this is no GPT-2: wte.weight and wpe.weight are not two matrices.")
    vocab_size, channels = state["wte.weight"].shape
    head = state.get("lm_head.weight", state["wte.weight"])
    if not torch.equal(head, state["wte.weight"]):
        raise ValueError("lm_head.weight differs from wte.weight, and a checkpoint stores one tensor for both.")
    layers = 1 + max((int(found[1]) for found in map(re.compile(r"h\.(\d+)\.").match, state) if found), default=-1)
    config = Config(
        max_seq_len=len(state["wpe.weight"]),
        vocab_size=vocab_size,
        num_layers=layers,
        num_heads=num_heads or channels // 64,
        channels=channels,
        padded_vocab_size=padded_vocab_size or math.ceil(vocab_size / 128) * 128,
    )
    model = GPT2(config)
    with torch.no_grad():
        for (kind, ours), (theirs, transposed) in zip(kinds(model), _their_names(layers)):
            for our, name in zip(ours, theirs):
                if name not in state:
                    raise ValueError(f"this is no GPT-2 of {layers} layers: there is no tensor called {name}.")
                tensor = state[name].T if transposed else state[name]
                room = our[:vocab_size] if kind == "wte" else our
                if tensor.shape != room.shape:
                    raise ValueError(f"{name} has the shape {tuple(state[name].shape)}, which does not fit the others.")
                room.copy_(tensor)
    return model


def to_hugging_face(model):
    """The state dict of a Hugging Face ``GPT2LMHeadModel`` with these weights: the inverse of `from_hugging_face`."""
    state = {}
    for (kind, ours), (theirs, transposed) in zip(kinds(model), _their_names(model.config.num_layers)):
        for our, name in zip(ours, theirs):
            tensor = our[: model.config.vocab_size] if kind == "wte" else our
            state[f"transformer.{name}"] = (tensor.T if transposed else tensor).detach().clone()
    state["lm_head.weight"] = state["transformer.wte.weight"]
    return state


def hugging_face_tokens(vocabulary):
    """The tokens as bytes, from the dictionary in GPT-2's ``vocab.json``, in the order of their ids.

    There, bytes are spelled as letters (see `solutions.pretrained.byte_letters`), so that the file is text.
    """
    byte_of = {letter: byte for byte, letter in byte_letters().items()}
    ordered = sorted(vocabulary, key=vocabulary.get)
    unknown = next((token for token in ordered if not set(token) <= byte_of.keys()), None)
    if unknown is not None:
        raise ValueError(f"this is no vocabulary of a GPT-2: its token {unknown!r} has a character that is no byte.")
    return [bytes(byte_of[letter] for letter in token) for token in ordered]


def _refuse_other_files(path):
    """Raise `ValueError` for files that are often saved under a model's name by mistake."""
    with open(path, "rb") as file:
        start = file.read(100)
    if not start:
        raise ValueError(f"{path} is empty: download it again.")
    if start.startswith(b"version https://git-lfs"):
        raise ValueError(f"{path} is a Git LFS pointer, not the file itself: fetch that with `git lfs pull`.")
    if start.lstrip().startswith(b"<"):
        raise ValueError(f"{path} is a web page: download the file itself.")


def load_vocabulary(path):
    """The tokens as bytes, in the order of their ids, from GPT-2's ``vocab.json``.

    Raises:
        ValueError: the file is something else; the message says what.
    """
    _refuse_other_files(path)
    try:
        vocabulary = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        raise ValueError(f"{path} is no JSON, or is truncated: GPT-2's vocab.json is meant.") from None
    if isinstance(vocabulary, dict) and "model" in vocabulary:
        raise ValueError(f"{path} is a tokenizer.json: the vocab.json beside it is meant.")
    if not isinstance(vocabulary, dict) or sorted(map(str, vocabulary.values())) != sorted(
        map(str, range(len(vocabulary)))
    ):
        raise ValueError(f"{path} is no vocabulary: it must give every token a number, counted from 0.")
    try:
        return hugging_face_tokens(vocabulary)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def load_state(path):
    """The tensors of a ``.safetensors`` file, or of a file that ``torch.save`` wrote, by name.

    A safetensors file holds the length of a JSON text as uint64, that text, and the numbers. For each tensor the text
    gives the type of its numbers, its shape, and where its numbers begin and end.

    Raises:
        ValueError: the file is damaged, or something else; the message says what.
    """
    _refuse_other_files(path)
    if Path(path).suffix != ".safetensors":
        try:
            state = torch.load(path, map_location="cpu", weights_only=True)
        except Exception:  # of any kind: it depends on where the file is damaged
            raise ValueError(f"{path} is truncated, or was not written by torch.save: download it again.") from None
        if not isinstance(state, dict) or not all(isinstance(value, torch.Tensor) for value in state.values()):
            raise ValueError(f"{path} holds no named tensors: the pytorch_model.bin of a GPT-2 is meant.")
        return state
    raw = Path(path).read_bytes()
    start = 8 + int.from_bytes(raw[:8], "little")
    if start > len(raw):
        raise ValueError(f"{path} is truncated, or no safetensors file: download it again.")
    state = {}
    try:
        for name, about in json.loads(raw[8:start]).items():
            if name != "__metadata__":
                state[name] = _safetensor(memoryview(raw)[start:], path, name, **about)
    except (AttributeError, TypeError, UnicodeDecodeError, json.JSONDecodeError):
        raise ValueError(f"{path} is no safetensors file: its header cannot be read.") from None
    return state


def _safetensor(raw, path, name, dtype, shape, data_offsets):
    """One tensor of a safetensors file, from the bytes after the header."""
    if dtype != "F32":
        raise ValueError(f"{path} holds {name} as {dtype}; a checkpoint holds float32 (F32).")
    begin, end = data_offsets
    if end > len(raw):
        raise ValueError(f"{path} is truncated: it ends within {name}. Download it again.")
    if begin < 0 or end - begin != 4 * math.prod(shape):
        raise ValueError(f"{path} is damaged: {name} has the shape {tuple(shape)}, and {end - begin} bytes.")
    return torch.frombuffer(bytearray(raw[begin:end]), dtype=torch.float32).view(shape)


def main(arguments=None):
    """``python -m solutions.gpt2_c``: a Hugging Face GPT-2 on the disk becomes what the C program reads."""
    parser = argparse.ArgumentParser(prog="python -m solutions.gpt2_c", description=str(main.__doc__))
    parser.add_argument("model", help="pytorch_model.bin or model.safetensors of a GPT-2 in float32")
    parser.add_argument("checkpoint", help="where the version-3 checkpoint goes")
    parser.add_argument("--heads", type=int, help="attention heads; if not given: as many as make them 64 wide")
    parser.add_argument("--vocabulary", nargs=2, metavar=("JSON", "OUT"), help="its vocab.json, and where it goes")
    options = parser.parse_args(arguments)
    source, out = options.vocabulary or (None, None)
    try:  # everything is read before anything is written
        for path in filter(None, (options.checkpoint, out)):
            _try_to_write(path)
        tokens = load_vocabulary(source) if source else []
        state = load_state(options.model)
        try:
            model = from_hugging_face(state, options.heads)
        except ValueError as error:
            raise ValueError(f"{options.model}: {error}") from None
        if source and len(tokens) != model.config.vocab_size:
            raise ValueError(f"{source} has {len(tokens)} tokens, but the model has {model.config.vocab_size}.")
        write_checkpoint(options.checkpoint, model)
        if source:
            write_vocabulary(out, tokens, end=tokens.index(b"<|endoftext|>") if b"<|endoftext|>" in tokens else -1)
    except OSError as error:
        parser.exit(1, f"{error.filename or options.checkpoint}: {error.strerror or error}.\n")
    except ValueError as error:
        parser.exit(1, f"{error}\n")
    print(f"Written: {options.checkpoint}, {count_parameters(model.config):,} numbers.")


# --- the C program -----------------------------------------------------------------------------------------------


def build(folder, target="gpt2", **variables):
    """Compile the C program with its Makefile.

    Args:
        folder: where what it makes goes; what is there and up to date stays.
        target: ``gpt2``, ``gpt2-plain``, ``gpt2-sanitize`` or ``libgpt2.so``.
        variables: of the Makefile, such as ``CC="clang"`` or ``FORWARD="/path/of/my_forward.c"``.

    Returns:
        The path of what was built.

    Raises:
        RuntimeError: there is no compiler or no ``make``, or the code does not compile; the message says which.
    """
    if shutil.which("make") is None:
        raise RuntimeError("`make` is missing: install it with 'sudo apt-get install make gcc' (Debian, Ubuntu).")
    folder = Path(folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    settings = [f"{name}={value}" for name, value in variables.items()]
    with tempfile.TemporaryDirectory() as temporary:
        link = Path(temporary, "build")  # make cannot handle a folder whose path has a space
        link.symlink_to(folder)
        command = ["make", "--no-print-directory", "-C", str(SOURCE), f"BUILD={link}", *settings, f"{link}/{target}"]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().replace(str(link), str(folder)))
    return folder / target


class Kernels:
    """The functions of a C library (the learner's file or the program's), called with tensors and numbers."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))

    def __getattr__(self, name):
        function = getattr(self.library, name)
        longs = (4,) if name == "adamw_update" else ()

        def call(*arguments):
            return function(*(_argument(value, i in longs) for i, value in enumerate(arguments)))

        return call


def _argument(value, is_long):
    """What ctypes passes: the address of a tensor's numbers, NULL for None, float and int as they are in C."""
    if isinstance(value, torch.Tensor):
        if not value.is_contiguous() or value.dtype not in (torch.float32, torch.int32):
            raise ValueError(f"kernels take contiguous tensors of float32 or int32, not {value.dtype}.")
        return ctypes.c_void_p(value.data_ptr())
    if isinstance(value, float):
        return ctypes.c_float(value)
    if isinstance(value, int):
        return ctypes.c_long(value) if is_long else ctypes.c_int(value)
    return value


class _Tensor(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("layers", ctypes.c_size_t),
        ("size", ctypes.c_size_t),
        ("data", ctypes.c_void_p),
    ]


class CModel:
    """The C program's model, held by Python: for tests, and to look at intermediate results.

    Args:
        library: path of ``libgpt2.so``.
        checkpoint: path of a version-3 checkpoint.
        batch, length: the batches that there will be room for.
    """

    def __init__(self, library, checkpoint, batch, length):
        self.shape = (batch, length)
        self.library = ctypes.CDLL(str(library))
        self.library.load_model.restype = self.library.model_tensor.restype = ctypes.c_void_p
        self.library.model_forward.restype = ctypes.c_float
        read_checkpoint(checkpoint)  # a file that is wrong would end the whole process from within C
        self.model = ctypes.c_void_p(self.library.load_model(os.fsencode(checkpoint), batch, length, 1))

    def forward(self, tokens, targets):
        """The mean loss of ``(B, T)`` tokens, whose targets are ``(B, T)``."""
        return self.library.model_forward(self.model, *self._batch(tokens, targets))

    def backward(self, tokens, targets):
        """The gradients of all parameters, right after `forward` with the same batch; read them with `tensors`."""
        self.library.model_backward(self.model, *self._batch(tokens, targets))

    def update(self, step, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
        """One step of AdamW; the first has ``step=1``."""
        self.library.model_update(self.model, step, *map(ctypes.c_float, (lr, *betas, eps, weight_decay)))

    def train(self, tokens, targets, step, **options):
        """Forward, backward and update on one batch; the loss before the update."""
        loss = self.forward(tokens, targets)
        self.backward(tokens, targets)
        self.update(step, **options)
        return loss

    def tensor(self, group, name):
        """A view ``(layers, size)`` of a kind of tensor: group "params", "grads", "m", "v", "acts" or "dacts"."""
        found = self.library.model_tensor(self.model, group.encode(), name.encode())
        if not found:
            raise KeyError(f"there is no {name} in {group}.")
        kind = _Tensor.from_address(found)
        numbers = (ctypes.c_float * (kind.layers * kind.size)).from_address(kind.data)
        return torch.frombuffer(numbers, dtype=torch.float32).view(kind.layers, kind.size)

    def threads(self, count):
        """Use ``count`` threads from now on."""
        self.library.use_threads(count)

    def close(self):
        """Give the memory back; tensors of this model must not be used after that."""
        self.library.model_free(self.model)

    def _batch(self, tokens, targets):
        if tuple(tokens.shape) != self.shape or tuple(targets.shape) != self.shape:
            raise ValueError(f"tokens and targets must be {self.shape}, not {tuple(tokens.shape)}.")
        self._kept = tokens.to(torch.int32).contiguous(), targets.to(torch.int32).contiguous()
        return (*(ctypes.c_void_p(part.data_ptr()) for part in self._kept), *self.shape)


if __name__ == "__main__":
    main()
