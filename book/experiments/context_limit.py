"""Beyond the end of a table of positions, and through a text longer than the context (chapter "Long context")."""

from dataclasses import replace
from statistics import mean

import record
import torch
from extrapolation import fit
from pages import course_text
from torch.nn import functional as F

from solutions.babygpt import BabyGPT, BabyGPTConfig, get_batch
from solutions.data import jargon
from solutions.ladder import split_text, train
from solutions.long_context import LongContextModel, windowed_losses

WHAT = (
    "Held-out loss (nats per character) of small language models: at each position up to twice the length of a learned "
    "table, and, with rotary positions, of a long text read in chunks and in overlapping windows, with several seeds"
)
LENGTH = 32
STRIDES = (32, 24, 16, 8)
STRETCH = 4  # positions whose losses are averaged


def run(reduced=False, corpus=None):
    seeds, steps, tested = (1, 150, 8000) if reduced else (5, 500, None)  # held-out characters; None: all
    # The reduced form must not depend on the text of the chapters, which changes with every edit.
    text = jargon()[:200_000] if reduced else course_text(corpus)
    jobs = [(seed, steps, text, tested) for seed in range(seeds)]
    rows = record.results_of(study, jobs, reduced)
    return {"length": LENGTH, "stretch": STRETCH, "strides": STRIDES, "steps": steps, "seeds": rows}


def study(seed, steps, text, tested):
    characters, training, validation = split_text(text)
    validation = validation[:tested]
    torch.manual_seed(seed)
    model = BabyGPT(BabyGPTConfig(len(characters), LENGTH, n_embed=48, num_heads=4, num_layers=2))
    train(model, training, steps, batch_size=16, seed=seed)
    tables = {"untrained rows": untrained_rows(model), "reads on": reads_on(model)}
    beyond = {name: losses_by_position(longer(model, table), validation) for name, table in tables.items()}
    beyond["starts again"] = losses_by_position(model.eval(), validation)

    torch.manual_seed(seed)
    rotary = LongContextModel(len(characters), 64, num_heads=4, num_layers=2, scheme="rope")
    generator = torch.Generator().manual_seed(seed)
    fit(rotary, lambda: get_batch(training, LENGTH, 16, generator), steps)
    by_stride = [windowed_losses(rotary, validation, LENGTH, stride) for stride in STRIDES]
    shortest = min(map(len, by_stride))  # the strides end at different places: compare what all have scored
    chunks = by_stride[0][: len(by_stride[0]) // LENGTH * LENGTH].view(-1, LENGTH)
    return {
        "characters": shortest,
        "beyond": beyond,
        "windows": [losses[:shortest].mean().item() for losses in by_stride],
        "in chunk": chunks.mean(0).view(-1, STRETCH).mean(-1).tolist(),
    }


def untrained_rows(model):
    """The table, and as many rows again that no sequence has ever reached."""
    table = model.position_embedding.weight.detach()
    return torch.cat([table, torch.randn(table.shape)])  # as nn.Embedding starts


def reads_on(model):
    """What C finds where a table of twice the length would be: the table, then the tensors stored after it."""
    memory = torch.cat([parameter.detach().flatten() for parameter in model.parameters()])
    start = model.token_embedding.weight.numel()
    rows, width = 2 * LENGTH, model.config.n_embed
    return memory[start : start + rows * width].view(rows, width)


def longer(model, table):
    """The same model with another table of positions."""
    result = BabyGPT(replace(model.config, block_size=len(table)))
    sized = ("tril", "position_embedding.weight")  # what depends on the length
    kept = {name: value for name, value in model.state_dict().items() if not name.endswith(sized)}
    result.load_state_dict(kept | {sized[1]: table}, strict=False)
    return result.eval()


@torch.no_grad()
def losses_by_position(model, data):
    """Means over stretches of positions of all pieces of a text, each 2 LENGTH long.

    A model that cannot read so far reads each piece in two halves: the second starts at position 0 again.
    """
    pieces = data.unfold(0, 2 * LENGTH + 1, 2 * LENGTH)
    ids, targets = (part.reshape(-1, model.config.block_size) for part in (pieces[:, :-1], pieces[:, 1:]))
    losses = F.cross_entropy(model(ids)[0].transpose(1, 2), targets, reduction="none")
    return losses.view(-1, 2 * LENGTH).mean(0).view(-1, STRETCH).mean(-1).tolist()


def claims(results):
    inside = results["length"] // results["stretch"]

    def always(test):
        return all(test(one) for one in results["seeds"])

    def beyond(one, table):
        return mean(one["beyond"][table][inside:])

    def differ(one, table):
        pairs = zip(one["beyond"][table][:inside], one["beyond"]["starts again"])
        return max(abs(loss - other) for loss, other in pairs)

    return {
        "beyond the table the loss of the same text is higher than when starting again, with every seed": always(
            lambda one: min(beyond(one, "untrained rows"), beyond(one, "reads on")) > beyond(one, "starts again")
        ),
        "nothing inside the table changes": always(
            lambda one: max(differ(one, table) for table in one["beyond"]) < 1e-4
        ),
        "windows that overlap by half or more lower the loss of the same text, with every seed": always(
            lambda one: max(one["windows"][2:]) < one["windows"][0]
        ),
        "the first stretch of a chunk has a higher loss than the rest, with every seed": always(
            lambda one: one["in chunk"][0] > mean(one["in chunk"][1:])
        ),
    }


if __name__ == "__main__":
    record.main(globals())
