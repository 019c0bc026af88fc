"""Right implementations of the tasks of transformer, in other styles than the reference."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import copy
import math
import warnings

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.course.catalogue import alternative
from solutions.blocks import FeedForward, LayerNorm, SublayerConnection
from solutions.embeddings import PositionalEncoding, TokenEmbedding, sinusoidal_positions
from solutions.masks import causal_mask, padding_mask
from solutions.multihead import MultiHeadAttention
from solutions.transformer import Decoder as GivenDecoder
from solutions.transformer import DecoderLayer as GivenDecoderLayer
from solutions.transformer import Encoder as GivenEncoder
from solutions.transformer import EncoderLayer as GivenEncoderLayer
from solutions.transformer import Generator as GivenGenerator
from solutions.transformer import Transformer as GivenTransformer
from solutions.transformer import make_model as given_model

# ---------------------------------------------------------------------------------------------------------------------
# EncoderLayer


@alternative("transformer.EncoderLayer", "written-out")
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.norm2 = LayerNorm(d_model)
        self.norm1 = LayerNorm(d_model)
        self.ff = FeedForward(d_model, d_ff, dropout)
        self.attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.drop1, self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)
        self.pre = norm == "pre"

    def forward(self, x, mask=None):
        if self.pre:
            y = self.norm1(x)
            x = x + self.drop1(self.attn(y, y, y, mask))
            return x + self.drop2(self.ff(self.norm2(x)))
        x = self.norm1(x + self.drop1(self.attn(x, x, x, mask)))
        return self.norm2(x + self.drop2(self.ff(x)))


@alternative("transformer.EncoderLayer", "pytorch-norms")
class EncoderLayer(nn.Module):
    def __init__(self, d_model: int, num_heads: int, d_ff: int, dropout: float = 0.1, norm: str = "pre") -> None:
        super().__init__()
        if norm not in {"pre", "post"}:
            raise ValueError(f"norm is {norm!r}")
        self.norm = norm
        self.attention = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.network = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model))
        self.norms = nn.ModuleDict({"first": nn.LayerNorm(d_model), "second": nn.LayerNorm(d_model)})
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        def attend(y: Tensor) -> Tensor:
            return self.attention(y, y, y, mask)

        for name, sublayer in (("first", attend), ("second", self.network)):
            norm = self.norms[name]
            x = x + self.dropout(sublayer(norm(x))) if self.norm == "pre" else norm(x + self.dropout(sublayer(x)))
        return x


@alternative("transformer.EncoderLayer", "two-named-connections")
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.around_feed_forward = SublayerConnection(d_model, dropout, norm)
        self.around_attention = SublayerConnection(d_model, dropout, norm)
        self.feed_forward = FeedForward(d_model, d_ff, dropout=dropout, activation="relu")
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.size = d_model
        self.register_buffer("calls", torch.zeros((), dtype=torch.long))

    def forward(self, x, mask=None):
        self.calls.add_(1)  # type: ignore[operator]
        mixed = self.around_attention(x, lambda z: self.self_attn(query=z, key=z, value=z, mask=mask))
        return self.around_feed_forward(mixed, lambda z: self.feed_forward(z))


@alternative("transformer.EncoderLayer", "subclass-with-a-print")
class EncoderLayer(GivenEncoderLayer):
    def forward(self, x, mask=None):
        warnings.warn("an encoder layer at work", stacklevel=2)
        print("encoder layer", tuple(x.shape))
        return super().forward(x, mask)


@alternative("transformer.EncoderLayer", "pytorch-layer-inside")
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.num_heads = num_heads
        self.layer = nn.TransformerEncoderLayer(
            d_model, num_heads, d_ff, dropout, batch_first=True, norm_first=norm == "pre"
        )

    def forward(self, x, mask=None):
        batch, length, _ = x.shape
        if mask is not None:
            mask = ~mask.expand(batch, self.num_heads, length, length).reshape(-1, length, length)
        return self.layer(x, src_mask=mask)


@alternative("transformer.EncoderLayer", "other-names-and-leftovers")
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.unused, self.spare = LayerNorm(d_model), nn.Linear(d_model, d_ff)
        self.mha = MultiHeadAttention(d_model, num_heads, dropout=dropout)
        self.ffn = FeedForward(d_model, d_ff, dropout=dropout)
        self.sub1 = SublayerConnection(d_model, dropout=dropout, norm=norm)
        self.sub2 = SublayerConnection(d_model, dropout=dropout, norm=norm)

    def forward(self, x, mask=None):
        return self.sub2(self.sub1(x, lambda z: self.mha(z, z, z, mask)), self.ffn)


@alternative("transformer.EncoderLayer", "one-projection-for-all-three")
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.heads, self.p, self.norm = num_heads, dropout, norm
        self.qkv, self.out = nn.Linear(d_model, 3 * d_model), nn.Linear(d_model, d_model)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2 = LayerNorm(d_model), LayerNorm(d_model)

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def attend(self, x, mask):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        p = self.p if self.training else 0.0
        found = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)
        return self.drop(self.out(found.transpose(1, 2).flatten(2)))

    def think(self, x):
        return self.drop(self.down(self.drop(self.up(x).relu())))

    def forward(self, x, mask=None):
        if self.norm == "pre":
            x = x + self.attend(self.norm1(x), mask)
            return x + self.think(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.think(x))


@alternative("transformer.EncoderLayer", "both-styles-written-out")
class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.norm1 = LayerNorm(d_model)
        self.norm2 = LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)
        self.norm = norm

    def forward(self, x, mask=None):
        if self.norm == "pre":
            y = self.norm1(x)
            x = x + self.dropout(self.self_attn(y, y, y, mask))
            y = self.norm2(x)
            return x + self.dropout(self.feed_forward(y))
        x = self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


# ---------------------------------------------------------------------------------------------------------------------
# DecoderLayer


@alternative("transformer.DecoderLayer", "written-out")
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.pre = norm == "pre"
        self.src_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.self_attn = MultiHeadAttention(d_model, num_heads, dropout)
        self.ff = FeedForward(d_model, d_ff, dropout)
        self.n3, self.n1, self.n2 = LayerNorm(d_model), LayerNorm(d_model), LayerNorm(d_model)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        if self.pre:
            y = self.n1(x)
            x = x + self.drop(self.self_attn(y, y, y, tgt_mask))
            x = x + self.drop(self.src_attn(self.n2(x), memory, memory, src_mask))
            return x + self.drop(self.ff(self.n3(x)))
        x = self.n1(x + self.drop(self.self_attn(x, x, x, tgt_mask)))
        x = self.n2(x + self.drop(self.src_attn(x, memory, memory, src_mask)))
        return self.n3(x + self.drop(self.ff(x)))


@alternative("transformer.DecoderLayer", "loop-over-sublayers")
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.attentions = nn.ModuleList([MultiHeadAttention(d_model, num_heads, dropout) for _ in range(2)])
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.residual = nn.ModuleList([SublayerConnection(d_model, dropout, norm) for _ in range(3)])

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        own, cross = self.attentions
        sublayers = [lambda z: own(z, z, z, tgt_mask), lambda z: cross(z, memory, memory, src_mask), self.feed_forward]
        for residual, sublayer in zip(self.residual, sublayers, strict=True):
            x = residual(x, sublayer)
        return x


@alternative("transformer.DecoderLayer", "pytorch-norms")
class DecoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.norm_style = norm
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(dropout), nn.Linear(d_ff, d_model)
        )
        self.cross = MultiHeadAttention(d_model, num_heads, dropout)
        self.own = MultiHeadAttention(d_model, num_heads, dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model, eps=1e-5) for _ in range(3))
        self.p = dropout

    def _connect(self, index, x, sublayer):
        norm = self.norms[index]
        if self.norm_style == "post":
            return norm(x + F.dropout(sublayer(x), self.p, self.training))
        return x + F.dropout(sublayer(norm(x)), self.p, self.training)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self._connect(2, x, lambda y: self.own(y, y, y, mask=tgt_mask))
        x = self._connect(0, x, lambda y: self.cross(y, memory, memory, mask=src_mask))
        return self._connect(1, x, self.feed_forward)


@alternative("transformer.DecoderLayer", "subclass-with-a-print")
class DecoderLayer(GivenDecoderLayer):
    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        print("decoder layer", tuple(x.shape), tuple(memory.shape))
        return super().forward(x, memory, src_mask=src_mask, tgt_mask=tgt_mask)


@alternative("transformer.DecoderLayer", "an-encoder-layer-with-more")
class DecoderLayer(GivenEncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(d_model, num_heads, d_ff, dropout, norm)
        self.cross = MultiHeadAttention(d_model, num_heads, dropout)
        self.around_cross = SublayerConnection(d_model, dropout, norm)

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))
        x = self.around_cross(x, lambda y: self.cross(y, memory, memory, src_mask))
        return self.connections[1](x, self.feed_forward)


# ---------------------------------------------------------------------------------------------------------------------
# Encoder


@alternative("transformer.Encoder", "deep-copies")
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        layer = EncoderLayer(d_model, num_heads, d_ff, dropout, norm)
        self.blocks = nn.ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.norm = LayerNorm(d_model) if norm == "pre" else None

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return x if self.norm is None else self.norm(x)


@alternative("transformer.Encoder", "numbered-attributes")
class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        if norm == "pre":
            self.final = nn.LayerNorm(d_model)
        for i in reversed(range(num_layers)):
            setattr(self, f"layer_{i}", EncoderLayer(d_model, num_heads, d_ff, dropout=dropout, norm=norm))
        self.num_layers = num_layers

    def forward(self, x, mask=None):
        for i in range(self.num_layers):
            x = getattr(self, f"layer_{i}").forward(x, mask=mask)
        return self.final(x) if hasattr(self, "final") else x


@alternative("transformer.Encoder", "recursive")
class Encoder(GivenEncoder):
    def forward(self, x, mask=None, depth=0):
        if depth == len(self.layers):
            return self.last_norm(x)
        return self.forward(self.layers[depth](x, mask), mask, depth + 1)


# ---------------------------------------------------------------------------------------------------------------------
# Decoder


@alternative("transformer.Decoder", "deep-copies")
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        layer = DecoderLayer(d_model, num_heads, d_ff, dropout, norm)
        self.blocks = nn.ModuleList([copy.deepcopy(layer) for _ in range(num_layers)])
        self.norm = LayerNorm(d_model) if norm == "pre" else None

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        for block in self.blocks:
            x = block(x, memory, src_mask, tgt_mask)
        return x if self.norm is None else self.norm(x)


@alternative("transformer.Decoder", "keyword-arguments")
class Decoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        self.final = nn.ModuleList([nn.LayerNorm(d_model)] if norm == "pre" else [])
        self.stack = nn.ModuleDict(
            {str(i): DecoderLayer(d_model, num_heads, d_ff, dropout, norm) for i in range(num_layers)}
        )

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        for layer in self.stack.values():
            x = layer(x, memory=memory, tgt_mask=tgt_mask, src_mask=src_mask)
        for norm in self.final:
            x = norm(x)
        return x


@alternative("transformer.Decoder", "recursive")
class Decoder(GivenDecoder):
    def forward(self, x, memory, src_mask=None, tgt_mask=None, depth=0):
        if depth == len(self.layers):
            return self.last_norm(x)
        return self.forward(self.layers[depth](x, memory, src_mask, tgt_mask), memory, src_mask, tgt_mask, depth + 1)


# ---------------------------------------------------------------------------------------------------------------------
# Generator


@alternative("transformer.Generator", "functional")
class Generator(nn.Module):
    def __init__(self, d_model, vocab_size):
        super().__init__()
        self.proj = nn.Linear(d_model, vocab_size)

    def forward(self, x):
        return F.log_softmax(self.proj(x), dim=-1)


@alternative("transformer.Generator", "logsumexp")
class Generator(nn.Module):
    def __init__(self, d_model: int, vocab_size: int) -> None:
        super().__init__()
        self.proj = nn.Linear(d_model, vocab_size, bias=True)
        self.vocab_size = vocab_size

    def forward(self, x: Tensor) -> Tensor:
        logits = self.proj(x)
        return logits - logits.logsumexp(-1, keepdim=True)


@alternative("transformer.Generator", "log-softmax-module")
class Generator(GivenGenerator):
    def __init__(self, d_model, vocab_size):
        super().__init__(d_model, vocab_size)
        self.log_softmax = nn.LogSoftmax(dim=-1)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        return self.log_softmax(self.proj(flat)).reshape(*x.shape[:-1], -1)


# ---------------------------------------------------------------------------------------------------------------------
# Transformer


@alternative("transformer.Transformer", "masks-in-a-helper")
class Transformer(nn.Module):
    def __init__(self, encoder, decoder, src_embed, tgt_embed, generator):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        self.source = src_embed
        self.target = tgt_embed
        self.generator = generator

    @staticmethod
    def masks(src, tgt):
        future = torch.ones(tgt.size(1), tgt.size(1), device=tgt.device).triu(1).bool()
        return (src != 0).view(len(src), 1, 1, -1), (tgt != 0).view(len(tgt), 1, 1, -1) & ~future

    def encode(self, src, src_mask):
        return self.encoder(self.source(src), src_mask)

    def decode(self, memory, src_mask, tgt, tgt_mask):
        return self.decoder(self.target(tgt), memory, src_mask, tgt_mask)

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        default_src, default_tgt = self.masks(src, tgt)
        src_mask = default_src if src_mask is None else src_mask
        tgt_mask = default_tgt if tgt_mask is None else tgt_mask
        memory = self.encode(src, src_mask)
        return self.decode(memory, src_mask, tgt, tgt_mask)


@alternative("transformer.Transformer", "also-keeps-the-memory")
class Transformer(GivenTransformer):
    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        if src_mask is None:
            src_mask = padding_mask(src)
        if tgt_mask is None:
            tgt_mask = padding_mask(tgt) & causal_mask(tgt.shape[1], tgt.device)
        self.memory = self.encode(src=src, src_mask=src_mask)
        return self.decode(self.memory, src_mask, tgt=tgt, tgt_mask=tgt_mask)


@alternative("transformer.Transformer", "everything-in-forward")
class Transformer(GivenTransformer):
    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        src_mask = (src != 0)[:, None, None] if src_mask is None else src_mask
        if tgt_mask is None:
            steps = torch.arange(tgt.shape[1], device=tgt.device)
            tgt_mask = (tgt != 0)[:, None, None, :] & (steps[:, None] >= steps)
        memory = self.encoder(self.src_embed(src), src_mask)
        return self.decoder(self.tgt_embed(tgt), memory, src_mask, tgt_mask)


# ---------------------------------------------------------------------------------------------------------------------
# make_model


@alternative("transformer.make_model", "bounds-by-hand")
def make_model(
    src_vocab, tgt_vocab, num_layers=6, d_model=512, d_ff=2048, num_heads=8, dropout=0.1, norm="pre", tie_weights=False
):
    if tie_weights and src_vocab != tgt_vocab:
        raise ValueError(f"cannot tie a vocabulary of {src_vocab} and one of {tgt_vocab}")
    source = nn.Sequential(TokenEmbedding(src_vocab, d_model), PositionalEncoding(d_model, dropout))
    target = nn.Sequential(TokenEmbedding(tgt_vocab, d_model), PositionalEncoding(d_model, dropout))
    encoder = Encoder(num_layers, d_model, num_heads, d_ff, dropout, norm)
    decoder = Decoder(num_layers, d_model, num_heads, d_ff, dropout, norm)
    model = Transformer(encoder, decoder, source, target, Generator(d_model, tgt_vocab))
    with torch.no_grad():
        for p in model.parameters():
            if p.dim() == 2:
                rows, columns = p.shape
                bound = math.sqrt(6 / (rows + columns))
                p.uniform_(-bound, bound)
    if tie_weights:
        model.generator.proj.weight = source[0].embed.weight
        target[0].embed.weight = source[0].embed.weight
    return model


@alternative("transformer.make_model", "one-embedding-module")
def make_model(
    src_vocab, tgt_vocab, num_layers=6, d_model=512, d_ff=2048, num_heads=8, dropout=0.1, norm="pre", tie_weights=False
):
    if tie_weights and src_vocab != tgt_vocab:
        raise ValueError(f"src_vocab and tgt_vocab must be equal, but are {src_vocab} and {tgt_vocab}")
    source = nn.Sequential(TokenEmbedding(src_vocab, d_model), PositionalEncoding(d_model, dropout))
    target = source
    if not tie_weights:
        target = nn.Sequential(TokenEmbedding(tgt_vocab, d_model), PositionalEncoding(d_model, dropout))
    encoder, decoder = (
        stack(num_layers, d_model, num_heads, d_ff, dropout=dropout, norm=norm) for stack in (Encoder, Decoder)
    )
    generator = Generator(d_model, tgt_vocab)
    if tie_weights:
        generator.proj.weight = source[0].embed.weight
    model = Transformer(encoder, decoder, source, target, generator)
    model.apply(lambda m: [nn.init.xavier_uniform_(p) for p in m.parameters(recurse=False) if p.dim() > 1])
    return model


@alternative("transformer.make_model", "given-with-zero-biases")
def make_model(
    src_vocab, tgt_vocab, num_layers=6, d_model=512, d_ff=2048, num_heads=8, dropout=0.1, norm="pre", tie_weights=False
):
    model = given_model(src_vocab, tgt_vocab, num_layers, d_model, d_ff, num_heads, dropout, norm, tie_weights)
    for name, parameter in model.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)
    return model


@alternative("transformer.make_model", "own-embedding")
def make_model(
    src_vocab, tgt_vocab, num_layers=6, d_model=512, d_ff=2048, num_heads=8, dropout=0.1, norm="pre", tie_weights=False
):
    class Embed(nn.Module):
        def __init__(self, vocab):
            super().__init__()
            self.table = nn.Parameter(torch.empty(vocab, d_model))
            self.register_buffer("positions", sinusoidal_positions(1000, d_model), persistent=False)
            self.dropout = nn.Dropout(dropout)

        def forward(self, ids):
            x = F.embedding(ids, self.table) * d_model**0.5
            return self.dropout(x + self.positions[: ids.shape[1]].to(x.dtype))

    source, target = Embed(src_vocab), Embed(tgt_vocab)
    sizes = dict(num_layers=num_layers, d_model=d_model, num_heads=num_heads, d_ff=d_ff, dropout=dropout, norm=norm)
    generator = Generator(d_model, tgt_vocab)
    if tie_weights:
        if src_vocab != tgt_vocab:
            raise ValueError(f"src_vocab={src_vocab} and tgt_vocab={tgt_vocab} cannot be tied")
        target.table = generator.proj.weight = source.table
    model = Transformer(Encoder(**sizes), Decoder(**sizes), source, target, generator)
    for p in model.parameters():
        if p.ndim > 1:
            nn.init.xavier_uniform_(p)
    return model


@alternative("transformer.make_model", "positions-with-dropout-of-their-own")
def make_model(
    src_vocab, tgt_vocab, num_layers=6, d_model=512, d_ff=2048, num_heads=8, dropout=0.1, norm="pre", tie_weights=False
):
    model = given_model(src_vocab, tgt_vocab, num_layers, d_model, d_ff, num_heads, dropout, norm, tie_weights)
    model.src_embed[1] = PositionalEncoding(d_model)
    model.tgt_embed[1] = PositionalEncoding(d_model)
    return model


# ---------------------------------------------------------------------------------------------------------------------
# shift_right


@alternative("transformer.shift_right", "concatenated")
def shift_right(targets, bos_id=2):
    return torch.cat([torch.full_like(targets[..., :1], bos_id), targets[..., :-1]], dim=-1)


@alternative("transformer.shift_right", "padded")
def shift_right(targets: Tensor, bos_id: int = 2) -> Tensor:
    return F.pad(targets, (1, 0), value=bos_id)[..., :-1]


@alternative("transformer.shift_right", "filled")
def shift_right(targets, bos_id=2):
    shifted = targets.new_empty(targets.shape)
    shifted[..., 0] = bos_id
    shifted[..., 1:] = targets[..., :-1]
    return shifted


@alternative("transformer.shift_right", "token-by-token")
def shift_right(targets, bos_id=2):
    rows = targets[None] if targets.ndim == 1 else targets
    moved = torch.tensor([[bos_id, *row[:-1]] for row in rows.tolist()], dtype=targets.dtype, device=targets.device)
    return moved.reshape(targets.shape)


# ---------------------------------------------------------------------------------------------------------------------
# count_parameters


@alternative("transformer.count_parameters", "by-identity")
def count_parameters(model):
    seen, counts = set(), {}
    for name, child in model.named_children():
        counts[name] = 0
        for parameter in child.parameters():
            if id(parameter) not in seen:
                seen.add(id(parameter))
                counts[name] += parameter.numel()
    own = sum(p.numel() for p in model.parameters(recurse=False) if id(p) not in seen)
    counts["total"] = sum(counts.values()) + own
    return counts


@alternative("transformer.count_parameters", "by-name")
def count_parameters(model: nn.Module) -> dict[str, int]:
    counts = {name: 0 for name, _ in model.named_children()}
    for name, parameter in model.named_parameters():
        part = name.split(".")[0]
        if part in counts and "." in name:
            counts[part] += math.prod(parameter.shape)
    return {**counts, "total": sum(p.nelement() for p in model.parameters())}


@alternative("transformer.count_parameters", "list-of-tensors")
def count_parameters(model):
    known: list[nn.Parameter] = []
    counts = {}
    for name, part in model.named_children():
        new = [p for p in part.parameters() if not any(p is old for old in known)]
        known += new
        counts[name] = sum(map(torch.numel, new))
    counts["total"] = sum(map(torch.numel, model.parameters()))
    return counts
