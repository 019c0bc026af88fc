"""GPT-2 from the parts of this course, ready for the weights that OpenAI published (Radford et al. 2019).

Shapes: ``B`` sequences in a batch, ``T`` positions, ``d`` width of a position's vector (``n_embed``), ``H`` heads,
``L`` layers, ``V`` vocabulary size. Parameters are created as PyTorch does by default; the published weights replace
them.
"""

import dataclasses

import torch
from torch import nn

from solutions.attention import scaled_dot_product_attention
from solutions.blocks import FeedForward, LayerNorm
from solutions.decoding import KVCache, sample_next
from solutions.masks import causal_mask
from solutions.multihead import MultiHeadAttention, merge_heads, split_heads
from solutions.tokens import bpe_decode, bpe_encode


@dataclasses.dataclass(frozen=True)
class GPT2Config:
    """The sizes of a GPT-2; the defaults are those of the smallest published one.

    Attributes:
        vocab_size: how many different tokens there are, ``V``.
        block_size: the longest sequence that the model can read.
        n_embed: width of a position's vector, ``d``.
        num_heads: attention heads in each layer, ``H``; divides ``n_embed``.
        num_layers: layers, one after the other, ``L``.
    """

    vocab_size: int = 50257
    block_size: int = 1024
    n_embed: int = 768
    num_heads: int = 12
    num_layers: int = 12


class GPT2(nn.Module):
    """GPT-2: learned positions, pre-norm layers, GELU in its tanh form, and an output layer tied to the token table.

    A layer is ``x + attention(norm(x))``, then ``x + feed_forward(norm(x))`` with ``4 d`` hidden units. A last norm
    follows the layers, and the logits are its output times the transposed token table, without a bias. Attention and
    feed-forward layers have biases. Nothing is dropped out, not even in training mode. Names inside are free: only
    `gpt2_state` has to know them.

    Args:
        config: a `GPT2Config`.

    Attributes:
        config: the same.

    Source: Radford et al. 2019, section 2.3 (the model); Press and Wolf 2017 (the tied output layer).
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        ### BEGIN SOLUTION
        width = config.n_embed
        self.tokens = nn.Embedding(config.vocab_size, width)
        self.positions = nn.Embedding(config.block_size, width)
        self.layers = nn.ModuleList(
            nn.ModuleDict(
                {
                    "norm_1": LayerNorm(width),
                    "attention": MultiHeadAttention(width, config.num_heads),
                    "norm_2": LayerNorm(width),
                    "feed_forward": FeedForward(width, 4 * width, dropout=0.0, activation="gelu"),
                }
            )
            for _ in range(config.num_layers)
        )
        self.norm = LayerNorm(width)
        ### END SOLUTION

    def forward(self, ids, cache=None):
        """Scores of the next token, for every position.

        Args:
            ids: token ids ``(B, T)``, int64, not changed.
            cache: a `KVCache`, or ``None``. With a cache, ``ids`` go on where the cache ends: their first position is
                ``cache.length``, they attend to all that the cache holds, and each layer, numbered from 0, adds its
                keys and values ``(B, H, T, d_head)`` with ``cache.update``.

        Returns:
            Logits ``(B, T, V)``: the same with and without a cache, up to rounding.

        Raises:
            ValueError: the positions, with those in the cache, are more than ``block_size``.
        """
        ### BEGIN SOLUTION
        start = 0 if cache is None else cache.length
        end = start + ids.shape[1]
        if end > self.config.block_size:
            raise ValueError(f"{end} positions are more than block_size, {self.config.block_size}.")
        mask = causal_mask(end, ids.device)[start:]  # (T, end): the rows of the new positions alone
        x = self.tokens(ids) + self.positions(torch.arange(start, end, device=ids.device))
        for number, layer in enumerate(self.layers):
            attention = layer["attention"]
            normed = layer["norm_1"](x)
            q, k, v = (
                split_heads(project(normed), self.config.num_heads)
                for project in (attention.w_q, attention.w_k, attention.w_v)
            )
            if cache is not None:
                k, v = cache.update(number, k, v)  # (B, H, end, d_head)
            heads, _ = scaled_dot_product_attention(q, k, v, mask)
            x = x + attention.w_o(merge_heads(heads))
            x = x + layer["feed_forward"](layer["norm_2"](x))
        return self.norm(x) @ self.tokens.weight.T
        ### END SOLUTION


def gpt2_state(state):
    """The tensors of a published GPT-2, by the names and in the layouts of the class `GPT2` beside this function.

    The published names, each with or without ``transformer.`` in front, are:

    - ``wte.weight`` ``(V, d)``, ``wpe.weight`` ``(block_size, d)``, ``ln_f.weight`` and ``ln_f.bias`` ``(d,)``;
    - for each layer ``i`` from 0, after ``h.{i}.``: ``ln_1.weight``, ``ln_1.bias``, ``ln_2.weight`` and ``ln_2.bias``
      ``(d,)``; ``attn.c_attn.weight`` ``(d, 3d)``, queries, keys and values side by side, and ``attn.c_attn.bias``
      ``(3d,)``; ``attn.c_proj.weight`` ``(d, d)`` and ``attn.c_proj.bias`` ``(d,)``; ``mlp.c_fc.weight`` ``(d, 4d)``
      and ``mlp.c_fc.bias`` ``(4d,)``; ``mlp.c_proj.weight`` ``(4d, d)`` and ``mlp.c_proj.bias`` ``(d,)``. A weight
      stands ``(in, out)``, so that the layer is ``x @ weight + bias``.

    Some files hold more, which is dropped: ``lm_head.weight``, the same numbers as ``wte.weight``, and in each layer
    the masks ``attn.bias`` and ``attn.masked_bias``.

    Args:
        state: names to tensors, of any float type; neither it nor its tensors are changed.

    Returns:
        A dict for ``GPT2(config).load_state_dict(...)``, in the type of the given tensors.

    Raises:
        ValueError: a tensor is missing, is none of these, or has another shape, or ``lm_head.weight`` differs from
            ``wte.weight``; the message gives its name.

    Source: Radford et al. 2019, as published with the model (``src/model.py``, ``conv1d``).
    """
    ### BEGIN SOLUTION
    given = {name.removeprefix("transformer."): tensor for name, tensor in state.items()}
    for table in ("wte.weight", "wpe.weight"):
        if table not in given:
            raise ValueError(f"{table} is missing.")
        if given[table].dim() != 2:
            raise ValueError(f"{table} should be a matrix, but has the shape {tuple(given[table].shape)}.")
    layers = {name.split(".")[1] for name in given if name.startswith("h.")}
    d = given["wte.weight"].shape[1]
    shapes = {
        "wte.weight": (len(given["wte.weight"]), d),
        "wpe.weight": (len(given["wpe.weight"]), d),
        "ln_f.weight": (d,),
        "ln_f.bias": (d,),
    }
    for i in range(len(layers)):
        for part, (rows, columns) in {
            "attn.c_attn": (d, 3 * d),
            "attn.c_proj": (d, d),
            "mlp.c_fc": (d, 4 * d),
            "mlp.c_proj": (4 * d, d),
        }.items():
            shapes[f"h.{i}.{part}.weight"], shapes[f"h.{i}.{part}.bias"] = (rows, columns), (columns,)
        for part in ("ln_1", "ln_2"):
            shapes[f"h.{i}.{part}.weight"] = shapes[f"h.{i}.{part}.bias"] = (d,)
        for mask in ("attn.bias", "attn.masked_bias"):
            given.pop(f"h.{i}.{mask}", None)
    head = given.pop("lm_head.weight", given["wte.weight"])
    if not torch.equal(head, given["wte.weight"]):
        raise ValueError("lm_head.weight differs from wte.weight, but GPT-2 has one tensor for both.")
    for name in [*shapes, *given]:
        if name not in given:
            raise ValueError(f"{name} is missing.")
        if name not in shapes:
            raise ValueError(f"{name} is no tensor of a GPT-2 with {len(layers)} layers.")
        if given[name].shape != shapes[name]:
            raise ValueError(f"{name} should have the shape {shapes[name]}, but has {tuple(given[name].shape)}.")

    ours = {"tokens.weight": given["wte.weight"], "positions.weight": given["wpe.weight"]}
    norms = {"ln_f": "norm"}
    for i in range(len(layers)):
        norms |= {f"h.{i}.ln_1": f"layers.{i}.norm_1", f"h.{i}.ln_2": f"layers.{i}.norm_2"}
        for theirs, our in {
            "attn.c_proj": "attention.w_o",
            "mlp.c_fc": "feed_forward.w_1",
            "mlp.c_proj": "feed_forward.w_2",
        }.items():
            ours[f"layers.{i}.{our}.weight"] = given[f"h.{i}.{theirs}.weight"].T
            ours[f"layers.{i}.{our}.bias"] = given[f"h.{i}.{theirs}.bias"]
        weights = given[f"h.{i}.attn.c_attn.weight"].T.chunk(3)  # three of (d, d), rows are outputs
        biases = given[f"h.{i}.attn.c_attn.bias"].chunk(3)
        for letter, weight, bias in zip("qkv", weights, biases):
            ours[f"layers.{i}.attention.w_{letter}.weight"] = weight
            ours[f"layers.{i}.attention.w_{letter}.bias"] = bias
    for theirs, our in norms.items():
        ours[f"{our}.gamma"], ours[f"{our}.beta"] = given[f"{theirs}.weight"], given[f"{theirs}.bias"]
    return ours
    ### END SOLUTION


@torch.no_grad()
def generate_text(model, encode, decode, prompt, max_new_tokens, temperature=1.0, top_k=None, generator=None):
    """Continue a text, one token at a time, without reading anything twice.

    Args:
        model: called as ``model(ids, cache)`` with ids ``(1, T)`` and a `KVCache` it returns logits ``(1, T, V)``; its
            ``model.config.block_size`` is the most positions that it can read.
        encode: a function of a text that returns the list of its ids.
        decode: a function of a list of ids that returns the text.
        prompt: the beginning, a string of at least one token.
        max_new_tokens: how many tokens to add, at most; the prompt's do not count.
        temperature, top_k, generator: as in `sample_next`.

    Returns:
        The prompt and its continuation, one string. The text ends early where it has ``block_size`` tokens, those of
        the prompt included. No token ends it: none is special. The model reads each position once.

    Raises:
        ValueError: the prompt has more than ``block_size`` tokens.

    Source: Radford et al. 2019, section 2 (one token after the other); Pope et al. 2023, section 2 (the cache).
    """
    ### BEGIN SOLUTION
    ids = list(encode(prompt))
    room = model.config.block_size - len(ids)
    if room < 0:
        raise ValueError(f"The prompt has {len(ids)} tokens, but block_size is {model.config.block_size}.")
    device = next(model.parameters()).device
    cache = KVCache()
    unread = ids
    for _ in range(min(max_new_tokens, room)):
        logits = model(torch.tensor([unread], device=device), cache)
        new = sample_next(logits[:, -1], temperature, top_k, generator=generator)  # (1,)
        unread = new.tolist()
        ids = ids + unread
    return decode(ids)
    ### END SOLUTION


def byte_letters():
    """How GPT-2's files spell the 256 bytes, in the order of their ids: a dict from each byte to one letter.

    Bytes that are printable characters come first and stand for themselves; the others, in their order, are written as
    U+0100, U+0101 and so on, so that the files are plain text. A space is the 33rd of them, ``Ġ``.

    Source: Radford et al. 2019, as published with the model (``bytes_to_unicode`` in ``src/encoder.py``).
    """
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printable]
    return {byte: chr(byte) for byte in printable} | {byte: chr(256 + i) for i, byte in enumerate(others)}


class GPT2Tokenizer:
    """GPT-2's tokeniser: the merges of its ``merges.txt``, applied by `bpe_encode`.

    The ids of merges are those of `bpe_encode`, 256 and up. Only the ids of single bytes come in another order, that
    of `byte_letters`, and one id more, the last, stands for the end of a text.

    Args:
        merges_text: the content of ``merges.txt``: after a first line with the version, one merge in each line, its
            two parts with a space between them.

    Attributes:
        merges: the merges as pairs of ``bytes``, as `train_bpe` returns them.
        end: the id of ``<|endoftext|>``, which `encode` never returns.

    ``len(tokenizer)`` is the number of ids.
    """

    END_OF_TEXT = "<|endoftext|>"

    def __init__(self, merges_text):
        letters = byte_letters()
        byte_of = {letter: byte for byte, letter in letters.items()}
        lines = [line for line in merges_text.split("\n") if line and not line.startswith("#version")]
        self.merges = [tuple(bytes(byte_of[letter] for letter in part) for part in line.split(" ")) for line in lines]
        self.bytes = list(letters)  # by id
        self.end = 256 + len(self.merges)

    def __len__(self):
        return self.end + 1

    def encode(self, text):
        """The ids of a text, a list."""
        own = {byte: index for index, byte in enumerate(self.bytes)}
        return [own.get(index, index) for index in bpe_encode(text, self.merges)]

    def decode(self, ids):
        """The text of some ids."""
        parts: list[list[int]] = [[]]
        for index in ids:
            if index == self.end:
                parts.append([])
            else:
                parts[-1].append(self.bytes[index] if 0 <= index < 256 else index)
        return self.END_OF_TEXT.join(bpe_decode(part, self.merges) for part in parts)
