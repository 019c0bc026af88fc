"""Right implementations of the tasks of babygpt, in other styles than the reference."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import math
import warnings

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.course.catalogue import alternative

# ---------------------------------------------------------------------------------------------------------------------
# get_batch


@alternative("babygpt.get_batch", "index-table")
def get_batch(data, block_size, batch_size, generator=None):
    starts = torch.randint(0, data.shape[0] - block_size, (batch_size, 1), generator=generator)
    positions = starts + torch.arange(block_size)
    return data[positions].long(), data[positions + 1].long()


@alternative("babygpt.get_batch", "one-piece-split-in-two")
def get_batch(data: Tensor, block_size: int, batch_size: int, generator=None):
    if len(data) <= block_size:
        raise ValueError(f"data has {len(data)} tokens, too few for block_size {block_size}")
    windows = data.unfold(0, block_size + 1, 1)
    chosen = windows[torch.randint(len(windows), (batch_size,), generator=generator)].to(torch.int64)
    return chosen[:, :-1].contiguous(), chosen[:, 1:].contiguous()


@alternative("babygpt.get_batch", "one-draw-at-a-time")
def get_batch(data, block_size, batch_size, generator=None):
    x = torch.empty(batch_size, block_size, dtype=torch.long)
    y = torch.empty_like(x)
    for row in range(batch_size):
        start = torch.randint(len(data) - block_size, (), generator=generator).item()
        print("piece at", start)
        for t in range(block_size):
            x[row, t] = data[start + t]
            y[row, t] = data[start + t + 1]
    return x, y


@alternative("babygpt.get_batch", "uniform-numbers-rounded-down")
def get_batch(data, block_size, batch_size, generator=None):
    room = data.size(0) - block_size
    ix = (torch.rand(batch_size, generator=generator, dtype=torch.float64) * room).long().clamp(max=room - 1)
    x = torch.stack([data.narrow(0, int(i), block_size) for i in ix]).long()
    return [x, torch.stack([data.narrow(0, int(i) + 1, block_size) for i in ix]).long()]


@alternative("babygpt.get_batch", "drawn-by-multinomial")
def get_batch(data, block_size, batch_size, generator=None):
    equal = torch.ones(len(data) - block_size)
    starts = torch.multinomial(equal, batch_size, replacement=True, generator=generator)
    pieces = torch.stack([data[s : s + block_size + 1] for s in starts.tolist()]).long()
    return tuple(pieces.unfold(1, block_size, 1).unbind(1))


# ---------------------------------------------------------------------------------------------------------------------
# Head


@alternative("babygpt.Head", "float-triangle")
class Head(nn.Module):
    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.key = nn.Linear(n_embed, head_size, bias=False)
        self.query = nn.Linear(n_embed, head_size, bias=False)
        self.value = nn.Linear(n_embed, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, C = x.shape
        k, q, v = self.key(x), self.query(x), self.value(x)
        wei = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5
        wei = wei.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        wei = self.dropout(F.softmax(wei, dim=-1))
        return wei @ v


@alternative("babygpt.Head", "pytorch-attention")
class Head(nn.Module):
    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.value = nn.Linear(n_embed, head_size, bias=False)
        self.key = nn.Linear(n_embed, head_size, bias=False)
        self.query = nn.Linear(n_embed, head_size, bias=False)
        self.register_buffer("tril", torch.ones(block_size, block_size, dtype=torch.bool).tril(), persistent=False)
        self.p = dropout

    def forward(self, x):
        p = self.p if self.training else 0.0
        return F.scaled_dot_product_attention(self.query(x), self.key(x), self.value(x), dropout_p=p, is_causal=True)


@alternative("babygpt.Head", "additive-mask")
class Head(nn.Module):
    def __init__(self, n_embed: int, head_size: int, block_size: int, dropout: float = 0.0) -> None:
        super().__init__()
        self.scale = 1 / math.sqrt(head_size)
        self.key, self.query, self.value = (nn.Linear(n_embed, head_size, bias=False) for _ in range(3))
        self.register_buffer("tril", torch.ones(1, block_size, block_size, dtype=torch.uint8).tril())
        self.register_buffer("calls", torch.zeros(()))
        self.attn_drop = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        T = x.size(1)
        allowed = self.tril[:, :T, :T].bool()
        bias = torch.zeros(allowed.shape, dtype=x.dtype).masked_fill(
            ~allowed, -1e9 if x.dtype != torch.float16 else -6e4
        )
        scores = torch.einsum("bqd,bkd->bqk", self.query(x) * self.scale, self.key(x)) + bias
        return torch.einsum("bqk,bkd->bqd", self.attn_drop(scores.softmax(-1)), self.value(x))


@alternative("babygpt.Head", "position-by-position")
class Head(nn.Module):
    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        for name in ("key", "query", "value"):
            setattr(self, name, nn.Linear(n_embed, head_size, bias=False))
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)).bool())
        self.dropout = dropout

    def forward(self, x):
        k, q, v = self.key(x), self.query(x), self.value(x)
        outputs = []
        for t in range(x.shape[1]):
            past = k[:, : t + 1]
            scores = (past @ q[:, t].unsqueeze(-1)).squeeze(-1) / math.sqrt(q.shape[-1])
            weights = F.dropout(torch.softmax(scores, dim=1), self.dropout, self.training)
            outputs.append((weights.unsqueeze(1) @ v[:, : t + 1]).squeeze(1))
        return torch.stack(outputs, dim=1)


@alternative("babygpt.Head", "fused-projection")
class Head(nn.Module):
    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.query = nn.Linear(n_embed, head_size, False)
        self.key = nn.Linear(n_embed, head_size, False)
        self.value = nn.Linear(n_embed, head_size, False)
        self.dropout = nn.Dropout(dropout) if dropout else nn.Identity()
        self.register_buffer("tril", torch.ones((block_size, block_size)).tril())

    def forward(self, x):
        warnings.warn("three products in one")
        weight = torch.cat([self.query.weight, self.key.weight, self.value.weight])
        q, k, v = F.linear(x, weight).chunk(3, dim=-1)
        q = q / math.sqrt(q.shape[-1])
        scores = torch.baddbmm(torch.zeros((), dtype=x.dtype), q, k.mT, beta=0)
        n = scores.shape[-1]
        hidden = self.tril[:n, :n].logical_not()
        return torch.bmm(self.dropout(scores.masked_fill(hidden, -torch.inf).softmax(2)), v)


# ---------------------------------------------------------------------------------------------------------------------
# MultiHead


@alternative("babygpt.MultiHead", "appended-in-a-loop")
class MultiHead(nn.Module):
    def __init__(self, num_heads, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(Head(n_embed=n_embed, head_size=head_size, block_size=block_size, dropout=dropout))
        self.proj = nn.Linear(head_size * num_heads, n_embed)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        outputs = []
        for head in self.heads:
            outputs.append(head(x))
        return self.drop(self.proj(torch.cat(outputs, dim=2)))


@alternative("babygpt.MultiHead", "projects-head-by-head")
class MultiHead(nn.Module):
    def __init__(self, num_heads, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.head_size = head_size
        self.heads = nn.ModuleList(Head(n_embed, head_size, block_size, dropout) for _ in range(num_heads))
        self.proj = nn.Linear(num_heads * head_size, n_embed, bias=True)
        self.p = dropout

    def forward(self, x):
        columns = self.proj.weight.split(self.head_size, dim=1)
        total = self.proj.bias
        for head, weight in zip(self.heads, columns):
            total = total + head(x) @ weight.T
        return F.dropout(total, self.p, training=self.training)


@alternative("babygpt.MultiHead", "stacked-then-moved")
class MultiHead(nn.Module):
    def __init__(self, num_heads, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.proj = nn.Linear(num_heads * head_size, n_embed)
        self.heads = nn.ModuleList([Head(n_embed, head_size, block_size, dropout) for _ in range(num_heads)])
        self.after = nn.Sequential(self.proj, nn.Dropout(dropout))

    def forward(self, x):
        out = torch.stack([h(x) for h in self.heads])  # (H, B, T, hs)
        out = out.permute(1, 2, 0, 3)
        return self.after(out.flatten(start_dim=2))


@alternative("babygpt.MultiHead", "all-heads-at-once")
class MultiHead(nn.Module):
    def __init__(self, num_heads, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.heads = nn.ModuleList([Head(n_embed, head_size, block_size, dropout) for _ in range(num_heads)])
        self.proj = nn.Linear(num_heads * head_size, n_embed)
        self.attn_dropout = nn.Dropout(dropout)
        self.resid_dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, _ = x.shape
        q, k, v = (
            torch.stack([getattr(head, name)(x) for head in self.heads], dim=1) for name in ("query", "key", "value")
        )  # (B, H, T, hs)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        scores = scores.masked_fill(torch.ones(T, T, dtype=torch.bool).triu(1), float("-inf"))
        out = self.attn_dropout(scores.softmax(-1)) @ v
        return self.resid_dropout(self.proj(out.transpose(1, 2).reshape(B, T, -1)))


# ---------------------------------------------------------------------------------------------------------------------
# Block


@alternative("babygpt.Block", "feed-forward-class-inside")
class Block(nn.Module):
    class FeedForward(nn.Module):
        def __init__(self, width, dropout):
            super().__init__()
            self.net = nn.Sequential(
                nn.Linear(width, 4 * width), nn.ReLU(), nn.Linear(4 * width, width), nn.Dropout(dropout)
            )

        def forward(self, x):
            return self.net(x)

    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        super().__init__()
        self.sa = MultiHead(num_heads, n_embed, n_embed // num_heads, block_size, dropout)
        self.ffwd = Block.FeedForward(n_embed, dropout)
        self.ln2 = nn.LayerNorm(n_embed)
        self.ln1 = nn.LayerNorm(n_embed)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x


@alternative("babygpt.Block", "own-layer-norm")
class Block(nn.Module):
    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        super().__init__()

        class Norm(nn.Module):
            def __init__(self):
                super().__init__()
                self.gamma = nn.Parameter(torch.ones(n_embed))
                self.beta = nn.Parameter(torch.zeros(n_embed))

            def forward(self, x):
                centred = x - x.mean(-1, keepdim=True)
                return centred / (centred.pow(2).mean(-1, keepdim=True) + 1e-5).sqrt() * self.gamma + self.beta

        self.norms = nn.ModuleList([Norm(), Norm()])
        self.attention = MultiHead(num_heads, n_embed, n_embed // num_heads, block_size, dropout)
        self.w_1 = nn.Linear(n_embed, n_embed * 4)
        self.w_2 = nn.Linear(n_embed * 4, n_embed)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        attended = x + self.attention(self.norms[0](x))
        hidden = torch.clamp(self.w_1(self.norms[1](attended)), min=0)
        return attended + self.drop(self.w_2(hidden))


@alternative("babygpt.Block", "residual-wrapper")
class Block(nn.Sequential):
    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        class Residual(nn.Module):
            def __init__(self, inner):
                super().__init__()
                self.branch = nn.Sequential(nn.LayerNorm(n_embed), inner)

            def forward(self, x):
                return self.branch(x) + x

        network = [nn.Linear(n_embed, 4 * n_embed), nn.ReLU(inplace=True), nn.Dropout(dropout)]
        super().__init__(
            Residual(MultiHead(num_heads, n_embed, n_embed // num_heads, block_size, dropout)),
            Residual(nn.Sequential(*network, nn.Linear(4 * n_embed, n_embed))),
        )


@alternative("babygpt.Block", "network-without-biases")
class Block(nn.Module):
    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(n_embed), nn.LayerNorm(n_embed)
        self.attn = MultiHead(num_heads, n_embed, n_embed // num_heads, block_size, dropout)
        self.c_fc = nn.Linear(n_embed, 4 * n_embed, bias=False)
        self.c_proj = nn.Linear(4 * n_embed, n_embed, bias=False)
        self.p = dropout

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + F.dropout(self.c_proj(F.relu(self.c_fc(self.ln_2(x)))), self.p, self.training)


@alternative("babygpt.Block", "fused-attention-inside")
class Block(nn.Module):
    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        super().__init__()
        self.num_heads, self.p = num_heads, dropout
        self.ln_1, self.ln_2 = nn.LayerNorm(n_embed), nn.LayerNorm(n_embed)
        self.c_attn = nn.Linear(n_embed, 3 * n_embed, bias=False)
        self.c_proj = nn.Linear(n_embed, n_embed)
        self.mlp = nn.Sequential(nn.Linear(n_embed, 4 * n_embed), nn.ReLU(), nn.Linear(4 * n_embed, n_embed))

    def forward(self, x):
        B, T, C = x.shape
        qkv = self.c_attn(self.ln_1(x)).view(B, T, 3, self.num_heads, C // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        p = self.p if self.training else 0.0
        out = F.scaled_dot_product_attention(q, k, v, is_causal=True, dropout_p=p)
        out = self.c_proj(out.transpose(1, 2).reshape(B, T, C))
        x = x + F.dropout(out, self.p, self.training)
        return x + F.dropout(self.mlp(self.ln_2(x)), self.p, self.training)


@alternative("babygpt.Block", "short-names")
class Block(nn.Module):
    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        super().__init__()
        self.sa = MultiHead(num_heads, n_embed, n_embed // num_heads, block_size, dropout)
        self.ffwd = nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed), nn.ReLU(), nn.Linear(4 * n_embed, n_embed), nn.Dropout(dropout)
        )
        self.ln1 = nn.LayerNorm(n_embed)
        self.ln2 = nn.LayerNorm(n_embed)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        x = x + self.ffwd(self.ln2(x))
        return x


# ---------------------------------------------------------------------------------------------------------------------
# BabyGPT


@alternative("babygpt.BabyGPT", "flattened-for-the-loss")
class BabyGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        n = config.n_embed
        self.token_embedding_table = nn.Embedding(config.vocab_size, n)
        self.position_embedding_table = nn.Embedding(config.block_size, n)
        self.blocks = nn.Sequential(
            *[Block(n, config.num_heads, config.block_size, config.dropout) for _ in range(config.num_layers)]
        )
        self.ln_f = nn.LayerNorm(n)
        self.lm_head = nn.Linear(n, config.vocab_size)

    def forward(self, idx, targets=None):
        B, T = idx.shape
        tok_emb = self.token_embedding_table(idx)
        pos_emb = self.position_embedding_table(torch.arange(T))
        x = self.ln_f(self.blocks(tok_emb + pos_emb))
        logits = self.lm_head(x)
        if targets is None:
            loss = None
        else:
            loss = F.cross_entropy(logits.view(B * T, -1), targets.view(B * T))
        return logits, loss


@alternative("babygpt.BabyGPT", "no-last-norm-no-bias")
class BabyGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embed)
        self.wpe = nn.Embedding(config.block_size, config.n_embed)
        self.h = nn.ModuleList()
        for _ in range(config.num_layers):
            self.h.append(Block(config.n_embed, config.num_heads, config.block_size, dropout=config.dropout))
        self.head = nn.Linear(config.n_embed, config.vocab_size, bias=False)

    def forward(self, ids, targets=None):
        x = self.wte(ids) + self.wpe.weight[: ids.shape[1]]
        for layer in self.h:
            x = layer(x)
        logits = self.head(x)
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.transpose(1, 2), targets)
        return logits, loss


@alternative("babygpt.BabyGPT", "tied-as-gpt-2")
class BabyGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.transformer = nn.ModuleDict(
            {
                "wte": nn.Embedding(config.vocab_size, config.n_embed),
                "wpe": nn.Embedding(config.block_size, config.n_embed),
                "drop": nn.Dropout(config.dropout),
                "h": nn.ModuleList(
                    [
                        Block(config.n_embed, config.num_heads, config.block_size, config.dropout)
                        for _ in range(config.num_layers)
                    ]
                ),
                "ln_f": nn.LayerNorm(config.n_embed),
            }
        )
        self.lm_head = nn.Linear(config.n_embed, config.vocab_size, bias=False)
        self.transformer["wte"].weight = self.lm_head.weight
        for parameter in self.parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=0.02)

    def forward(self, ids, targets=None):
        t = self.transformer
        if ids.shape[1] > self.config.block_size:
            raise ValueError(f"{ids.shape[1]} tokens, but block_size is {self.config.block_size}")
        x = t["drop"](t["wte"](ids) + t["wpe"](torch.arange(ids.shape[1], device=ids.device)))
        for block in t["h"]:
            x = block(x)
        logits = self.lm_head(t["ln_f"](x))
        if targets is None:
            return logits, None
        picked = logits.log_softmax(-1).gather(-1, targets.unsqueeze(-1))
        return logits, -picked.mean()


@alternative("babygpt.BabyGPT", "position-table-as-parameter")
class BabyGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.positions = nn.Parameter(0.02 * torch.randn(1, config.block_size, config.n_embed))
        self.tokens = nn.Parameter(0.02 * torch.randn(config.vocab_size, config.n_embed))
        make = (
            Block(config.n_embed, config.num_heads, config.block_size, config.dropout) for _ in range(config.num_layers)
        )
        self.stack = nn.ModuleList(make)
        self.out = nn.Sequential(nn.LayerNorm(config.n_embed), nn.Linear(config.n_embed, config.vocab_size))

    def forward(self, ids, targets=None):
        x = F.embedding(ids, self.tokens) + self.positions[:, : ids.size(1)]
        for block in self.stack:
            x = block(x)
        logits = self.out(x)
        if targets is None:
            return (logits, None)
        total = sum(F.cross_entropy(row, wanted, reduction="sum") for row, wanted in zip(logits, targets))
        return (logits, total / targets.numel())


@alternative("babygpt.BabyGPT", "short-names")
class BabyGPT(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.config = config
        self.wte = nn.Embedding(config.vocab_size, config.n_embed)
        self.wpe = nn.Embedding(config.block_size, config.n_embed)
        self.blocks = nn.ModuleList(
            [
                Block(config.n_embed, config.num_heads, config.block_size, config.dropout)
                for _ in range(config.num_layers)
            ]
        )
        self.ln_f = nn.LayerNorm(config.n_embed)
        self.lm_head = nn.Linear(config.n_embed, config.vocab_size)

    def forward(self, ids, targets=None):
        B, T = ids.shape
        x = self.wte(ids) + self.wpe(torch.arange(T, device=ids.device))
        for block in self.blocks:
            x = block(x)
        logits = self.lm_head(self.ln_f(x))
        if targets is None:
            return logits, None
        loss = F.cross_entropy(logits.reshape(B * T, -1), targets.reshape(B * T))
        return logits, loss


# ---------------------------------------------------------------------------------------------------------------------
# generate


@alternative("babygpt.generate", "list-of-columns")
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):
    if not temperature >= 0:
        raise ValueError(f"temperature={temperature} is negative")
    was_training = model.training
    model.eval()
    columns = list(ids.unbind(1))
    try:
        with torch.no_grad():
            for _ in range(max_new_tokens):
                context = torch.stack(columns[-model.config.block_size :], dim=1)
                scores = model(context)[0][:, -1, :]
                if temperature == 0:
                    columns.append(scores.argmax(-1))
                else:
                    weights = torch.exp(torch.log_softmax(scores / temperature, dim=-1))
                    columns.append(torch.multinomial(weights, num_samples=1, generator=generator).squeeze(1))
    finally:
        model.train(was_training)
    return torch.stack(columns, dim=1)


@alternative("babygpt.generate", "mode-never-touched")
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError("temperature must be at least 0")
    for _ in range(max_new_tokens):
        with torch.no_grad():
            logits, _ = model(ids if ids.size(1) <= model.config.block_size else ids[:, -model.config.block_size :])
        logits = logits[:, -1, :]
        if temperature > 0:
            probs = F.softmax(logits / temperature, dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1, generator=generator)
        else:
            _, idx_next = torch.topk(logits, k=1, dim=-1)
        ids = torch.cat((ids, idx_next), dim=1)
    return ids


@alternative("babygpt.generate", "gumbel-noise")
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError(f"temperature must be 0 or more, got {temperature}")
    mode = model.training
    model.train(False)
    out = ids.clone()
    for _ in range(max_new_tokens):
        with torch.inference_mode():
            last = model(out[:, -model.config.block_size :])[0][:, -1].double()
        uniform = torch.rand(last.shape, generator=generator, dtype=torch.float64)
        noise = -(-uniform.clamp_min(1e-300).log()).log()
        out = torch.cat([out, (last + temperature * noise).argmax(-1, keepdim=True)], 1)
    model.train(mode)
    return out


@alternative("babygpt.generate", "row-by-row-inverse-cdf")
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError(f"negative temperature {temperature}")
    training, B, T = model.training, ids.shape[0], ids.shape[1]
    result = torch.zeros(B, T + max_new_tokens, dtype=ids.dtype)
    result[:, :T] = ids
    model.eval()
    for t in range(T, T + max_new_tokens):
        begin = max(0, t - model.config.block_size)
        with torch.no_grad():
            last = model(result[:, begin:t])[0][:, t - begin - 1]
        if temperature == 0:
            result[:, t] = last.argmax(1)
            continue
        heights = torch.softmax(last / temperature, 1).double().cumsum(1)
        draws = torch.rand(B, 1, generator=generator, dtype=torch.float64) * heights[:, -1:]
        result[:, t] = torch.searchsorted(heights, draws, right=True).squeeze(1).clamp(max=last.shape[1] - 1)
    if training:
        model.train()
    return result


@alternative("babygpt.generate", "asks-the-model-for-device-and-vocabulary")
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):
    """Makes room for the whole text first, then fills it. The device is that of the model's first parameter."""
    if temperature < 0:
        raise ValueError(f"temperature must be 0 or more, not {temperature}")
    device = next(model.parameters()).device
    length, training = ids.shape[1], model.training
    text = torch.zeros(len(ids), length + max_new_tokens, dtype=torch.int64, device=device)
    text[:, :length] = ids
    model.eval()
    try:
        with torch.inference_mode():
            for position in range(length, length + max_new_tokens):
                start = max(0, position - model.config.block_size)
                logits = model(text[:, start:position], targets=None)[0][:, -1, : model.config.vocab_size]
                if temperature == 0:
                    text[:, position] = logits.argmax(-1)
                else:
                    chances = torch.softmax(logits / temperature, dim=-1)
                    text[:, position] = torch.multinomial(chances, 1, generator=generator)[:, 0]
    finally:
        model.train(training)
    return text


@alternative("babygpt.generate", "probabilities-named")
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):
    if temperature < 0:
        raise ValueError(f"temperature must not be negative, but is {temperature}")
    mode = model.training
    model.eval()
    for _ in range(max_new_tokens):
        logits, _ = model(ids[:, -model.config.block_size :])
        last = logits[:, -1]
        if temperature == 0:
            new = last.argmax(dim=-1, keepdim=True)
        else:
            probabilities = (last / temperature).softmax(dim=-1)
            new = torch.multinomial(probabilities, 1, generator=generator)
        ids = torch.cat([ids, new], dim=1)
    model.train(mode)
    return ids


@alternative("babygpt.Head", "exponentials-by-hand")
class Head(nn.Module):
    """The softmax written out; the largest score of the past is subtracted first."""

    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.key, self.query, self.value = (nn.Linear(n_embed, head_size, bias=False) for _ in range(3))
        self.register_buffer("tril", torch.ones(block_size, block_size).tril(), persistent=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        time = x.shape[1]
        scores = self.query(x) @ self.key(x).transpose(1, 2) / self.key.out_features**0.5
        seen = self.tril[:time, :time] > 0
        largest = torch.stack([scores[:, t, : t + 1].amax(-1) for t in range(time)], dim=1)
        weights = torch.exp((scores - largest[..., None]).clamp(max=0)) * seen
        return self.drop(weights / weights.sum(-1, keepdim=True)) @ self.value(x)


@alternative("babygpt.Head", "float-buffer")
class Head(nn.Module):
    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.key = nn.Linear(n_embed, head_size, bias=False)
        self.query = nn.Linear(n_embed, head_size, bias=False)
        self.value = nn.Linear(n_embed, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        B, T, C = x.shape
        k, q, v = self.key(x), self.query(x), self.value(x)
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        scores = scores.masked_fill(self.tril[:T, :T] == 0, float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        return weights @ v
