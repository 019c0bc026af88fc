"""Right implementations of the tasks of embeddings, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.

import math
import warnings

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.course.catalogue import alternative

# ---------------------------------------------------------------------------------------------------------------------
# one_hot


@alternative("embeddings.one_hot", "scatter")
def one_hot(ids: Tensor, vocab_size: int) -> Tensor:
    vectors = torch.zeros(*ids.shape, vocab_size, device=ids.device)
    return vectors.scatter_(-1, ids.unsqueeze(-1), 1.0)


@alternative("embeddings.one_hot", "rows-of-the-identity")
def one_hot(ids, vocab_size):
    return torch.eye(vocab_size, device=ids.device)[ids]


@alternative("embeddings.one_hot", "comparison-with-a-guard")
def one_hot(ids, vocab_size):
    if ((ids < 0) | (ids >= vocab_size)).any():
        raise ValueError(f"ids must lie between 0 and {vocab_size - 1}")
    return (ids[..., None] == torch.arange(vocab_size, device=ids.device)).to(torch.float32)


@alternative("embeddings.one_hot", "loops")
def one_hot(ids, vocab_size):
    flat = ids.reshape(-1).tolist()
    rows = torch.zeros(len(flat), vocab_size)
    for n, token in enumerate(flat):
        assert 0 <= token < vocab_size, "unknown id"
        rows[n, token] = 1
    return rows.reshape(*ids.shape, vocab_size).to(ids.device)


@alternative("embeddings.one_hot", "index-put-with-prints")
def one_hot(ids, vocab_size):
    print("one-hot of", tuple(ids.shape))
    flat = ids.flatten()
    vectors = torch.zeros((flat.numel(), vocab_size), dtype=torch.float)
    vectors[torch.arange(flat.numel()), flat] = 1.0
    return vectors.view(ids.size() + (vocab_size,))


@alternative("embeddings.one_hot", "index-select-of-the-identity")
def one_hot(ids, vocab_size):
    identity = torch.diag(torch.ones(vocab_size))
    return identity.index_select(0, ids.reshape(-1)).unflatten(0, ids.shape)


# ---------------------------------------------------------------------------------------------------------------------
# embedding_lookup


@alternative("embeddings.embedding_lookup", "indexing")
def embedding_lookup(ids, table):
    return table[ids]


@alternative("embeddings.embedding_lookup", "one-hot-product")
def embedding_lookup(ids: Tensor, table: Tensor) -> Tensor:
    return one_hot(ids, table.size(0)).to(table.dtype) @ table


@alternative("embeddings.embedding_lookup", "einsum")
def embedding_lookup(ids, table):
    return torch.einsum("...v,vd->...d", F.one_hot(ids, len(table)).to(table), table)


@alternative("embeddings.embedding_lookup", "index-select")
def embedding_lookup(ids, table):
    return table.index_select(0, ids.flatten()).reshape(*ids.shape, -1)


@alternative("embeddings.embedding_lookup", "gather")
def embedding_lookup(ids, table):
    width = table.shape[1]
    flat = ids.reshape(-1, 1).expand(-1, width)
    return torch.gather(table, 0, flat).view(*ids.shape, width)


@alternative("embeddings.embedding_lookup", "row-by-row")
def embedding_lookup(ids, table):
    rows = [table[i] for i in ids.flatten().tolist()]
    return torch.stack(rows).reshape(ids.shape + table.shape[1:])


@alternative("embeddings.embedding_lookup", "the-function-underneath")
def embedding_lookup(ids, table):
    if ids.numel() and int(ids.max()) >= table.shape[0]:
        raise IndexError(f"id {int(ids.max())} is not in a table of {table.shape[0]} rows")
    return torch.embedding(table, ids)


# ---------------------------------------------------------------------------------------------------------------------
# TokenEmbedding


@alternative("embeddings.TokenEmbedding", "remembers-the-width")
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size: int, d_model: int) -> None:
        super().__init__()
        self.d_model = d_model
        self.embed = nn.Embedding(vocab_size, d_model)
        nn.init.normal_(self.embed.weight, std=d_model**-0.5)

    def forward(self, ids: Tensor) -> Tensor:
        return self.d_model**0.5 * self.embed(ids)


@alternative("embeddings.TokenEmbedding", "scale-as-a-buffer")
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        nn.Module.__init__(self)
        self.embed = nn.Embedding(num_embeddings=vocab_size, embedding_dim=d_model)
        self.register_buffer("scale", torch.tensor(d_model, dtype=torch.float64).sqrt())

    def forward(self, x):
        return self.embed(x) * self.scale.to(self.embed.weight.dtype)


@alternative("embeddings.TokenEmbedding", "scaled-table-looked-up")
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model)

    def forward(self, ids):
        table = self.embed.weight
        return embedding_lookup(ids, table * math.sqrt(table.shape[1]))


@alternative("embeddings.TokenEmbedding", "one-hot-product")
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.vocab_size, self.scale = vocab_size, math.sqrt(d_model)
        self.embed = nn.Embedding(vocab_size, d_model)

    def forward(self, ids):
        warnings.warn("slow")
        return (one_hot(ids, self.vocab_size).to(self.embed.weight.dtype) * self.scale) @ self.embed.weight


@alternative("embeddings.TokenEmbedding", "subclass-of-embedding-inside")
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()

        class Scaled(nn.Embedding):
            def forward(self, ids):
                return super().forward(ids).mul(self.weight.size(-1) ** 0.5)

        self.embed = Scaled(vocab_size, d_model)

    def forward(self, ids):
        return self.embed(ids)


@alternative("embeddings.TokenEmbedding", "with-a-padding-index")
class TokenEmbedding(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, d_model, padding_idx=0)

    def forward(self, ids):
        vectors = self.embed(ids)
        vectors *= math.sqrt(vectors.shape[-1])
        return vectors


# ---------------------------------------------------------------------------------------------------------------------
# sinusoidal_positions


@alternative("embeddings.sinusoidal_positions", "loops")
def sinusoidal_positions(max_len: int, d_model: int) -> Tensor:
    table = torch.zeros(max_len, d_model)
    for p in range(max_len):
        for column in range(d_model):
            angle = p / 10000 ** ((column - column % 2) / d_model)
            table[p, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return table


@alternative("embeddings.sinusoidal_positions", "stacked-and-flattened")
def sinusoidal_positions(max_len, d_model):
    i = torch.arange(math.ceil(d_model / 2))
    angles = torch.arange(max_len).unsqueeze(1) / torch.pow(10000, 2 * i / d_model)
    return torch.stack([torch.sin(angles), torch.cos(angles)], dim=-1).flatten(1)[:, :d_model]


@alternative("embeddings.sinusoidal_positions", "float64-inside")
def sinusoidal_positions(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float64)
    column = torch.arange(d_model)
    divisor = 10000.0 ** ((column // 2 * 2).double() / d_model)
    angles = torch.outer(position, 1 / divisor)
    return torch.where(column % 2 == 0, angles.sin(), angles.cos()).float()


@alternative("embeddings.sinusoidal_positions", "cosine-as-a-shifted-sine")
def sinusoidal_positions(max_len, d_model):
    column = torch.arange(d_model, dtype=torch.float64)
    odd = column % 2
    angles = torch.arange(max_len, dtype=torch.float64)[:, None] * 10000 ** (-(column - odd) / d_model)
    return torch.sin(angles + odd * math.pi / 2).to(torch.float32)


@alternative("embeddings.sinusoidal_positions", "annotated-with-an-odd-width")
def sinusoidal_positions(max_len, d_model):
    pe = torch.zeros(max_len, d_model)
    position = torch.arange(0, max_len).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    if d_model > 1:
        pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
    return pe


@alternative("embeddings.sinusoidal_positions", "turned-step-by-step")
def sinusoidal_positions(max_len, d_model):
    speeds = 10000.0 ** (-torch.arange(0, d_model, 2, dtype=torch.float64) / d_model)
    sines, cosines, rows = torch.zeros_like(speeds), torch.ones_like(speeds), []
    for _ in range(max_len):
        rows.append(torch.stack([sines, cosines], dim=1).flatten()[:d_model])
        sines, cosines = (
            sines * speeds.cos() + cosines * speeds.sin(),
            cosines * speeds.cos() - sines * speeds.sin(),
        )
    return torch.stack(rows).float()


@alternative("embeddings.sinusoidal_positions", "complex-numbers")
def sinusoidal_positions(max_len, d_model):
    pairs = (d_model + 1) // 2
    angles = torch.outer(torch.arange(max_len).float(), 10000.0 ** -(torch.arange(pairs) * 2 / d_model))
    turned = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))  # (max_len, pairs, 2): cosine, sine
    return turned.flip(-1).reshape(max_len, -1)[:, :d_model].contiguous()


# ---------------------------------------------------------------------------------------------------------------------
# PositionalEncoding


@alternative("embeddings.PositionalEncoding", "annotated-with-guards")
class PositionalEncoding(nn.Module):
    def __init__(self, d_model: int, dropout: float = 0.1, max_len: int = 5000) -> None:
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        self.max_len = max_len
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * -(math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term[: d_model // 2])
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x: Tensor) -> Tensor:
        if x.size(1) > self.max_len:
            raise ValueError(f"sequence of {x.size(1)} is longer than max_len={self.max_len}")
        x = x + self.pe[:, : x.size(1)].to(dtype=x.dtype).requires_grad_(False)
        return self.dropout(x)


@alternative("embeddings.PositionalEncoding", "buffer-not-saved")
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.p = dropout
        self.register_buffer("pe", sinusoidal_positions(max_len, d_model).unsqueeze(0), persistent=False)

    def forward(self, x):
        batch, length, width = x.shape
        if not length <= self.pe.shape[1]:
            raise ValueError(f"T = {length} exceeds max_len = {self.pe.shape[1]}")
        return F.dropout(self.pe[0, :length].type_as(x) + x, p=self.p, training=self.training)


@alternative("embeddings.PositionalEncoding", "own-dropout-and-prints")
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.rate, self.width = dropout, d_model
        self.register_buffer("pe", sinusoidal_positions(max_len, d_model)[None, :, :])
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, x):
        print("positions for", x.shape)
        if x.shape[1] > self.pe.shape[1]:
            raise ValueError("too many positions: " + str(x.shape[1]))
        total = torch.add(x, self.pe[:, : x.shape[1], :].to(x.device, x.dtype))
        if not self.training:
            return total
        kept = (torch.rand(total.shape) >= self.rate).to(x.dtype)
        return total * kept / (1 - self.rate)


@alternative("embeddings.PositionalEncoding", "sequence-by-sequence")
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        nn.Module.__init__(self)
        self.layers = nn.Sequential(nn.Identity(), nn.Dropout(dropout))
        self.register_buffer("pe", sinusoidal_positions(max_len, d_model).reshape(1, max_len, d_model))

    def forward(self, x):
        length = x.shape[-2]
        if length > self.pe.size(1):
            raise ValueError(f"x: {length} positions, at most {self.pe.size(1)} are allowed")
        rows = self.pe.squeeze(0).index_select(0, torch.arange(length, device=x.device)).to(x.dtype)
        return self.layers(torch.stack([sequence + rows for sequence in x]))


@alternative("embeddings.PositionalEncoding", "narrow-and-expand")
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.pe: Tensor
        self.register_buffer("pe", torch.empty(1, max_len, d_model))
        self.pe.copy_(sinusoidal_positions(max_len, d_model))

    def forward(self, x):
        if x.size(1) > self.pe.size(1):
            raise ValueError("the sequence is longer than max_len")
        table = self.pe.narrow(1, 0, x.size(1)).expand(x.size(0), -1, -1)
        total = x.clone()
        total += table.to(x)
        return self.dropout(total)


@alternative("embeddings.PositionalEncoding", "shapes-asked-twice")
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, dropout=0.1, max_len=5000):
        super().__init__()
        self.drop = nn.Dropout(dropout)
        self.register_buffer("pe", sinusoidal_positions(max_len, d_model)[None])

    def forward(self, x):
        if x.shape[1] > self.pe.shape[1]:
            raise ValueError(f"{x.shape[1]} positions are more than max_len {self.pe.shape[1]}")
        return self.drop(x + self.pe[:, : x.shape[1]].to(x.dtype))


# ---------------------------------------------------------------------------------------------------------------------
# gpt2_embed


@alternative("embeddings.gpt2_embed", "as-in-the-published-code")
def gpt2_embed(ids: Tensor, wte: Tensor, wpe: Tensor) -> Tensor:
    b, t = ids.size()
    if t > wpe.size(0):
        raise ValueError(f"Cannot forward sequence of length {t}, block size is only {wpe.size(0)}")
    pos = torch.arange(0, t, dtype=torch.long, device=ids.device)
    return F.embedding(ids, wte) + F.embedding(pos, wpe)


@alternative("embeddings.gpt2_embed", "loops")
def gpt2_embed(ids, wte, wpe):
    if ids.shape[1] > len(wpe):
        raise ValueError("too long")
    return torch.stack([torch.stack([wte[i] + wpe[t] for t, i in enumerate(row)]) for row in ids.tolist()])


@alternative("embeddings.gpt2_embed", "two-one-hot-products")
def gpt2_embed(ids, wte, wpe):
    length = ids.shape[-1]
    if length > wpe.shape[0]:
        raise ValueError(f"{length} tokens, {wpe.shape[0]} positions")
    tokens = one_hot(ids, wte.shape[0]).to(wte.dtype) @ wte
    positions = torch.eye(length, wpe.shape[0], dtype=wpe.dtype) @ wpe
    return tokens.add(positions.unsqueeze(0))


@alternative("embeddings.gpt2_embed", "added-into-the-lookup")
def gpt2_embed(ids, wte, wpe):
    if ids.shape[1] > wpe.shape[0]:
        raise ValueError("ids are longer than wpe")
    out = wte[ids]
    out += wpe[None, : ids.shape[1], :]
    return out


@alternative("embeddings.gpt2_embed", "one-table-for-both")
def gpt2_embed(ids, wte, wpe):
    B, T = ids.shape
    if T > wpe.shape[0]:
        raise ValueError(f"T={T} > {wpe.shape[0]}")
    table = torch.cat([wte, wpe])
    positions = torch.arange(T, device=ids.device).expand(B, T) + wte.shape[0]
    return table[torch.stack([ids, positions])].sum(0)


# ---------------------------------------------------------------------------------------------------------------------
# mean_pool


@alternative("embeddings.mean_pool", "product-with-the-mask")
def mean_pool(hidden: Tensor, keep: Tensor) -> Tensor:
    mask = keep.unsqueeze(-1).to(hidden.dtype)
    return (hidden * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1e-9)


@alternative("embeddings.mean_pool", "einsum")
def mean_pool(hidden, keep):
    count = keep.sum(1)
    weights = keep.to(hidden.dtype) / torch.where(count == 0, torch.ones_like(count), count)[:, None]
    return torch.einsum("bt,btd->bd", weights.to(hidden.dtype), hidden)


@alternative("embeddings.mean_pool", "sentence-by-sentence")
def mean_pool(hidden, keep):
    rows = []
    for vectors, kept in zip(hidden, keep):
        chosen = vectors[kept]
        rows.append(chosen.mean(0) if len(chosen) else vectors.new_zeros(vectors.shape[-1]))
    return torch.stack(rows)


@alternative("embeddings.mean_pool", "batched-product")
def mean_pool(hidden, keep):
    total = torch.bmm(keep.to(hidden.dtype).unsqueeze(1), hidden).squeeze(1)
    return total / keep.sum(dim=-1, keepdim=True).clamp_min(1).to(hidden.dtype)


@alternative("embeddings.mean_pool", "where-and-maximum")
def mean_pool(hidden, keep):
    kept = torch.where(keep[:, :, None], hidden, torch.zeros_like(hidden))
    count = torch.maximum(keep.sum(1), torch.tensor(1))
    return kept.sum(1).div(count[:, None])


@alternative("embeddings.mean_pool", "nanmean")
def mean_pool(hidden, keep):
    empty = ~keep.any(1)[:, None, None]
    positions = hidden.masked_fill(~keep[..., None], float("nan")).masked_fill(empty, 0.0)
    return positions.nanmean(1)


@alternative("embeddings.mean_pool", "nan-replaced-afterwards")  # its gradient is NaN where nothing is kept
def mean_pool(hidden, keep):
    return torch.nan_to_num((hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True))


@alternative("embeddings.mean_pool", "softmax-of-the-mask")
def mean_pool(hidden, keep):
    weights = torch.zeros_like(hidden[..., 0]).masked_fill(~keep, float("-inf")).softmax(dim=1)
    return (torch.nan_to_num(weights).unsqueeze(-1) * hidden).sum(1)


@alternative("embeddings.mean_pool", "collected-by-row")
def mean_pool(hidden, keep):
    rows = keep.nonzero()[:, 0]
    total = hidden.new_zeros(hidden.shape[0], hidden.shape[2]).index_add(0, rows, hidden[keep])
    return total / torch.bincount(rows, minlength=len(hidden)).clamp(min=1).unsqueeze(1)


@alternative("embeddings.mean_pool", "product-and-clamp")
def mean_pool(hidden, keep):
    return (hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True).clamp(min=1)


# ---------------------------------------------------------------------------------------------------------------------
# max_pool


@alternative("embeddings.max_pool", "max-values")
def max_pool(hidden: Tensor, keep: Tensor) -> Tensor:
    masked = hidden.masked_fill(keep.unsqueeze(-1) == False, -torch.inf)  # noqa: E712
    values, _ = masked.max(dim=1)
    return torch.where(torch.isinf(values), torch.zeros_like(values), values)


@alternative("embeddings.max_pool", "lowest-number")
def max_pool(hidden, keep):
    lowest = torch.finfo(hidden.dtype).min
    largest = torch.where(keep[..., None], hidden, lowest).amax(dim=1)
    return largest * keep.any(dim=1, keepdim=True)


@alternative("embeddings.max_pool", "sentence-by-sentence")
def max_pool(hidden, keep):
    rows = []
    for vectors, kept in zip(hidden, keep):
        if kept.any():
            rows.append(torch.max(vectors[kept], dim=0).values)
        else:
            rows.append(torch.zeros(vectors.shape[-1], dtype=vectors.dtype, device=vectors.device))
    return torch.stack(rows)


@alternative("embeddings.max_pool", "running-maximum")
def max_pool(hidden, keep):
    best = torch.full_like(hidden[:, 0], -math.inf)
    for t in range(hidden.shape[1]):
        best = torch.where(keep[:, t, None], torch.maximum(best, hidden[:, t]), best)
    return best.masked_fill(best == -math.inf, 0.0)


@alternative("embeddings.max_pool", "gather-at-argmax")
def max_pool(hidden, keep):
    with torch.no_grad():
        positions = hidden.masked_fill(~keep[..., None], float("-inf")).argmax(1, keepdim=True)
    return hidden.gather(1, positions).squeeze(1) * keep.any(1)[:, None]


@alternative("embeddings.max_pool", "minus-a-billion-added")
def max_pool(hidden, keep):
    # Computed in float64. Kept entries are shifted by 0, so they lose no digits.
    shift = torch.zeros_like(keep, dtype=torch.float64).masked_fill(~keep, -1e30)
    pooled = (hidden.double() + shift[..., None]).max(1)[0].to(hidden.dtype)
    return torch.where(keep.any(1, keepdim=True), pooled, torch.zeros_like(pooled))


@alternative("embeddings.max_pool", "infinity-replaced-afterwards")
def max_pool(hidden, keep):
    return torch.nan_to_num(torch.where(keep[..., None], hidden, float("-inf")).amax(dim=1), neginf=0.0)


@alternative("embeddings.max_pool", "one-position-more")
def max_pool(hidden, keep):
    positions = hidden.masked_fill(~keep[..., None], float("-inf"))
    spare = torch.zeros_like(hidden[:, :1]).masked_fill(keep.any(1)[:, None, None], float("-inf"))
    return torch.cat([positions, spare], dim=1).amax(1)


@alternative("embeddings.max_pool", "pooling-of-a-convolution")
def max_pool(hidden, keep):
    positions = hidden.masked_fill(~keep[..., None], float("-inf")).transpose(1, 2)
    largest = F.adaptive_max_pool1d(positions, 1).squeeze(-1)
    return largest.masked_fill(~keep.any(1, keepdim=True), 0.0)
