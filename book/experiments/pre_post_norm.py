"""Pre-norm, post-norm and no norm, trained side by side on the course's own text.

Small decoders that predict the next character: a token and a position embedding, LAYERS layers of one causal
attention head and one feed-forward layer, a linear map to the vocabulary. Everything but the place of the norm is the
same in all of them: widths, seeds, batches, AdamW. Dropout is off, to leave one source of randomness less.
"""

import record
import torch
from pages import course_text
from record import spread
from torch import nn
from torch.nn import functional as F

from solutions.blocks import FeedForward, LayerNorm, SublayerConnection

WHAT = "Validation loss (nats per character) of small language models with pre-norm, post-norm and no norm."

WIDTH, LAYERS, LENGTH, BATCH = 32, 6, 32, 16
RATE = 1e-2
WARMUP = 60  # steps in which the learning rate rises from 0, where there is a warm-up
EVERY = 10  # steps between two measurements
ARMS = (("none", 0), ("pre", 0), ("post", 0), ("post", WARMUP))  # where the norm stands, warm-up


class Attention(nn.Module):
    """One causal head, with PyTorch's fused function for speed."""

    def __init__(self):
        super().__init__()
        self.w_qkv = nn.Linear(WIDTH, 3 * WIDTH)

    def forward(self, x):
        q, k, v = self.w_qkv(x).chunk(3, dim=-1)
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)


class Plain(nn.Module):
    """A residual connection without a norm."""

    def forward(self, x, sublayer):
        return x + sublayer(x)


class Model(nn.Module):
    """A language model of characters; ``norm`` is "none", "pre" or "post"."""

    def __init__(self, vocabulary, norm):
        super().__init__()
        self.token = nn.Embedding(vocabulary, WIDTH)
        self.position = nn.Embedding(LENGTH, WIDTH)
        pairs = [(Attention(), FeedForward(WIDTH, 4 * WIDTH, 0.0)) for _ in range(LAYERS)]
        self.sublayers = nn.ModuleList(sublayer for pair in pairs for sublayer in pair)
        self.connections = nn.ModuleList(
            Plain() if norm == "none" else SublayerConnection(WIDTH, 0.0, norm) for _ in self.sublayers
        )
        self.last = LayerNorm(WIDTH) if norm == "pre" else nn.Identity()  # pre-norm needs a norm at the end
        self.out = nn.Linear(WIDTH, vocabulary)

    def forward(self, ids):
        x = self.token(ids) + self.position.weight
        for connect, sublayer in zip(self.connections, self.sublayers):
            x = connect(x, sublayer)
        return self.out(self.last(x))


def encode(text):
    """Character ids of a text, split nine to one, and the number of different characters."""
    data, characters = record.encode(text)
    cut = len(data) * 9 // 10
    return data[:cut], data[cut:], characters


def batch(data, generator, size):
    starts = torch.randint(len(data) - LENGTH, (size,), generator=generator)
    windows = torch.stack([data[start : start + LENGTH + 1] for start in starts])
    return windows[:, :-1], windows[:, 1:]


def loss_of(model, windows):
    x, y = windows
    return F.cross_entropy(model(x).flatten(0, 1), y.flatten())


def train(data, norm, warmup, seed, steps, size=BATCH):
    """Validation losses, the first before any training, then every EVERY steps."""
    training, validation, vocabulary = data
    torch.manual_seed(seed)
    model = Model(vocabulary, norm)
    held_out = batch(validation, torch.Generator().manual_seed(0), 64)  # the same for all
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, fused=True)
    losses = []
    for step in range(steps + 1):
        if step % EVERY == 0:
            with torch.no_grad():
                losses.append(loss_of(model, held_out).item())
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (step + 1) / max(warmup, 1))
        loss = loss_of(model, batch(training, generator, size))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return losses


def run(reduced=False, corpus=None):
    """Curves of validation losses for every arm and seed."""
    data = encode(course_text(corpus))
    arms, seeds, steps, size = (ARMS[1:], range(1), 130, 8) if reduced else (ARMS, range(5), 200, BATCH)
    results = []
    for norm, warmup in arms:
        curves = [train(data, norm, warmup, seed, steps, size) for seed in seeds]
        results.append(
            {"norm": norm, "warmup": warmup, "final": spread([curve[-1] for curve in curves]), "curves": curves}
        )
    return {
        "layers": LAYERS,
        "width": WIDTH,
        "rate": RATE,
        "warmup": WARMUP,
        "characters": len(data[0]) + len(data[1]),
        "steps": list(range(0, steps + 1, EVERY)),
        "arms": results,
    }


def arm(results, norm, warmup):
    """The results of one arm, or ``None``: the reduced form leaves some out."""
    found = [one for one in results["arms"] if (one["norm"], one["warmup"] > 0) == (norm, warmup)]
    return found[0] if found else None


def mean_curve(one):
    return [sum(losses) / len(losses) for losses in zip(*one["curves"])]


def steps_to_reach(results, one, loss):
    """The first measured step at which the mean curve is at or below a loss, or ``None``."""
    return next((step for step, value in zip(results["steps"], mean_curve(one)) if value <= loss), None)


def claims(results):
    none, pre = arm(results, "none", False), arm(results, "pre", False)
    post, warm = arm(results, "post", False), arm(results, "post", True)
    pre_final, post_final, warm_final = (one["final"]["values"] for one in (pre, post, warm))
    holds = {
        "without warm-up, post-norm ends above pre-norm with every seed": min(post_final) > max(pre_final),
        "with warm-up, post-norm ends below itself without it, with every seed": max(warm_final) < min(post_final),
    }
    if none:
        reached = steps_to_reach(results, pre, mean_curve(none)[-1])
        holds["pre-norm reaches the last loss of no norm in fewer steps, but not in a third of them"] = (
            reached is not None and results["steps"][-1] / 3 < reached < results["steps"][-1]
        )
    return holds


if __name__ == "__main__":
    record.main(globals())
