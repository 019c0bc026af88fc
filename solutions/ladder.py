"""The ten steps from a bigram model to BabyGPT, as configurations of one model (the chapter on BabyGPT).

Each step changes one field of the configuration before it. `RUNGS` says which, `rung` adds the changes up, and
`LadderModel` builds any of them from the parts of `solutions.babygpt`. Step ``v10`` is BabyGPT.
"""

from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from torch import nn

from solutions.babygpt import BabyGPTConfig, MultiHead, get_batch


@dataclass(frozen=True)
class LadderConfig(BabyGPTConfig):
    """The sizes of a BabyGPT, and which of its parts there are.

    No heads means no attention. ``num_layers`` counts blocks of whatever attention and feed-forward network there is.
    """

    positions: bool = False
    feed_forward: bool = False
    residual: bool = False
    projection: bool = False
    layer_norm: bool = False


RUNGS: dict[str, dict] = {
    "v1": {},  # bigram: the next token is guessed from the last one alone
    "v2": {"positions": True},
    "v3": {"num_heads": 1},  # self-attention
    "v4": {"num_heads": 4},  # the same width, cut into four heads
    "v5": {"feed_forward": True},
    "v6": {"num_layers": 3},  # blocks
    "v7": {"residual": True},
    "v8": {"projection": True},
    "v9": {"layer_norm": True},
    "v10": {"dropout": 0.1},
}


def rung(name, vocab_size, block_size, n_embed):
    """The configuration of a step: that of ``v1`` with all changes up to ``name``.

    Args:
        name: a key of `RUNGS`.
        vocab_size, block_size, n_embed: sizes, the same on every step.
    """
    if name not in RUNGS:
        raise ValueError(f"name is {name!r}, but must be one of {', '.join(RUNGS)}.")
    config = LadderConfig(vocab_size, block_size, n_embed, num_heads=0, num_layers=1)
    for step, change in RUNGS.items():
        config = replace(config, **change)
        if step == name:
            break
    return config


class LadderBlock(nn.Module):
    """Attention and a feed-forward network, each only if the configuration has it, wired as it says.

    Args:
        config: a `LadderConfig`.
    """

    def __init__(self, config):
        super().__init__()
        width, heads = config.n_embed, config.num_heads
        self.residual = config.residual
        self.sublayers = nn.ModuleList()
        if heads:
            attention = MultiHead(heads, width, width // heads, config.block_size, config.dropout)
            if not config.projection:
                attention.register_module("proj", nn.Identity())
            self.sublayers.append(attention)
        if config.feed_forward:
            wide = 4 * width
            layers = nn.Linear(width, wide), nn.ReLU(), nn.Linear(wide, width), nn.Dropout(config.dropout)
            self.sublayers.append(nn.Sequential(*layers))
        self.norms = nn.ModuleList(norm(config) for _ in self.sublayers)

    def forward(self, x):
        """``(B, T, n_embed)`` to the same shape."""
        for normalise, sublayer in zip(self.norms, self.sublayers):
            change = sublayer(normalise(x))
            x = x + change if self.residual else change
        return x


class LadderModel(nn.Module):
    """Any step of the ladder; called and sampled from like a `BabyGPT`.

    Args:
        config: a `LadderConfig`, for example from `rung`.
    """

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.token_embedding = nn.Embedding(config.vocab_size, config.n_embed)
        if config.positions:
            self.position_embedding = nn.Embedding(config.block_size, config.n_embed)
        self.blocks = nn.Sequential(*(LadderBlock(config) for _ in range(config.num_layers)))
        self.norm = norm(config)
        self.to_logits = nn.Linear(config.n_embed, config.vocab_size)

    def forward(self, ids, targets=None):
        """``ids`` and ``targets`` ``(B, T)`` to ``(logits (B, T, V), loss or None)``."""
        x = self.token_embedding(ids)
        if self.config.positions:
            x = x + self.position_embedding(torch.arange(ids.shape[1], device=ids.device))
        logits = self.to_logits(self.norm(self.blocks(x)))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def norm(config):
    """A layer normalisation, or nothing at all where the configuration has none."""
    return nn.LayerNorm(config.n_embed) if config.layer_norm else nn.Identity()


# --- training on a text, letter by letter ------------------------------------------------------------------


def split_lines(text, every=10):
    """A text in two, for training and for validation: each ``every``-th line is held out."""
    lines = text.splitlines(keepends=True)
    held_out = lines[every - 1 :: every]
    del lines[every - 1 :: every]
    return "".join(lines), "".join(held_out)


def split_text(text, every=10):
    """A text as character ids for training and for validation.

    Args:
        text: a string of many lines.
        every: one line in so many is held out, so that both parts speak of the same things.

    Returns:
        ``(characters, training, validation)``: the vocabulary, a sorted list, and two id tensors, int64.
    """
    characters = sorted(set(text))
    ids = {character: index for index, character in enumerate(characters)}
    training, validation = (torch.tensor([ids[one] for one in part]) for part in split_lines(text, every))
    return characters, training, validation


def train(model, data, steps, batch_size=16, lr=3e-3, seed=0, after_step=None, decay=False):
    """Train a model on random pieces of a text with AdamW.

    Args:
        model: a `LadderModel` or a `BabyGPT`; changed in place.
        data: token ids ``(N,)``.
        steps, batch_size, lr: how many updates, of how many pieces each, with which learning rate.
        seed: for the choice of the pieces and for dropout.
        after_step: called after each step with the number of steps so far, unless it is ``None``.
        decay: whether the learning rate falls from ``lr`` to 0, by the same amount after each update.

    Returns:
        The training loss of every step, a list of floats.
    """
    torch.manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    losses = []
    for step in range(1, steps + 1):
        if decay:
            optimizer.param_groups[0]["lr"] = lr * (steps + 1 - step) / steps
        ids, targets = get_batch(data, model.config.block_size, batch_size)
        _, loss = model.train()(ids, targets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if after_step is not None:
            after_step(step)
    return losses


@torch.no_grad()
def held_out_loss(model, data):
    """Mean loss in evaluation mode, in nats per token, over all whole pieces of ``block_size`` tokens in a text.

    Args:
        model: as for `train`.
        data: token ids ``(N,)``.

    Returns:
        A float.
    """
    model.eval()
    block = model.config.block_size
    count = (len(data) - 1) // block
    ids, targets = (data[shift : shift + count * block].view(count, block) for shift in (0, 1))
    losses = [model(*pair)[1] * len(pair[0]) for pair in zip(ids.split(64), targets.split(64))]
    return (torch.stack(losses).sum() / count).item()
