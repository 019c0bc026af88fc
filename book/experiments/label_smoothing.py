"""What label smoothing does to perplexity, accuracy and confidence on held-out text."""

import record
import torch
from pages import course_text
from torch import nn
from torch.nn import functional as F

from solutions.losses import cross_entropy, perplexity, smooth_labels

WHAT = (
    "Held-out perplexity, accuracy and mean confidence of a small next-character model of the course's text, after "
    "training with smoothed labels; for each epsilon, with much and with little text to learn from."
)
CONTEXT = 8
EPSILONS = (0.0, 0.1, 0.2, 0.4)
MUCH, LITTLE = "much text", "little text"


def run(reduced=False, corpus=None):
    ids, vocabulary = record.encode(course_text(corpus))
    held_out, rest = ids[: len(ids) // 8], ids[len(ids) // 8 :]
    seeds, epsilons, steps = (1, (0.0, 0.1, 0.4), 200) if reduced else (4, EPSILONS, 1200)
    texts = {MUCH: rest, LITTLE: rest[: 1500 if reduced else 8000]}
    return {
        "characters": {name: len(text) for name, text in texts.items()} | {"held out": len(held_out)},
        "vocabulary": vocabulary,
        "steps": steps,
        "rows": [
            {"text": name, "epsilon": epsilon} | measured(text, held_out, vocabulary, epsilon, steps, seeds)
            for name, text in texts.items()
            for epsilon in epsilons
        ],
    }


def claims(results):
    rows = {(row["text"], row["epsilon"]): row for row in results["rows"]}
    epsilons = sorted({epsilon for _, epsilon in rows})

    def values(name, epsilon, text=MUCH):
        return rows[text, epsilon][name]["values"]

    def rises(name, steps, text=MUCH):
        """With every seed, at each of the steps."""
        return all(
            a < b for low, high in zip(steps, steps[1:]) for a, b in zip(*(values(name, e, text) for e in (low, high)))
        )

    def mean(name, epsilon, text):
        return rows[text, epsilon][name]["mean"]

    accuracies = [zip(values("accuracy", 0.0, text), values("accuracy", 0.1, text)) for text in (MUCH, LITTLE)]
    return {
        "with much text, held-out perplexity rises with epsilon, from 0 to 0.1 to 0.4, with every seed": rises(
            "perplexity", [0.0, 0.1, 0.4]
        ),
        "with little text, held-out perplexity is lower with an epsilon of 0.1 than without, with every seed": rises(
            "perplexity", [0.1, 0.0], LITTLE
        ),
        "perplexity on the training text rises with epsilon, with every seed, whatever the amount of text": all(
            rises("training_perplexity", epsilons, text) for text in (MUCH, LITTLE)
        ),
        "mean confidence falls as epsilon grows, with every seed, whatever the amount of text": all(
            rises("confidence", epsilons[::-1], text) for text in (MUCH, LITTLE)
        ),
        "accuracy with an epsilon of 0.1 is within two points of that without, with every seed": all(
            abs(without - smoothed) < 0.02 for pairs in accuracies for without, smoothed in pairs
        ),
        "with much text, mean accuracy is higher with an epsilon of 0.4 than without": (
            mean("accuracy", 0.0, MUCH) < mean("accuracy", 0.4, MUCH)
        ),
    }


def examples(ids):
    """Every run of ``CONTEXT`` characters ``(N, CONTEXT)`` and the character after it ``(N,)``."""
    windows = ids.unfold(0, CONTEXT + 1, 1)
    return windows[:, :-1], windows[:, -1]


def measured(text, held_out, vocabulary, epsilon, steps, seeds):
    """Every number with its values for the seeds. The same seed draws the same batches for every epsilon."""
    runs = [trained(text, held_out, vocabulary, epsilon, steps, seed) for seed in range(seeds)]
    return {name: record.spread([one[name] for one in runs]) for name in runs[0]}


def trained(text, held_out, vocabulary, epsilon, steps, seed):
    torch.manual_seed(seed)
    model = nn.Sequential(
        nn.Embedding(vocabulary, 16), nn.Flatten(), nn.Linear(16 * CONTEXT, 192), nn.ReLU(), nn.Linear(192, vocabulary)
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    inputs, targets = examples(text)
    for _ in range(steps):
        batch = torch.randint(len(targets), (256,))
        smoothed = smooth_labels(targets[batch], vocabulary, epsilon)
        loss = F.cross_entropy(model(inputs[batch]), smoothed)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return evaluate(model, *examples(held_out)) | {
        "training_perplexity": evaluate(model, inputs, targets)["perplexity"]
    }


@torch.no_grad()
def evaluate(model, inputs, targets):
    """Judged by plain cross-entropy, whatever the model was trained with."""
    logits = model(inputs)
    return {
        "perplexity": perplexity(cross_entropy(logits, targets).item() * len(targets), len(targets)),
        "accuracy": (logits.argmax(-1) == targets).double().mean().item(),
        "confidence": logits.softmax(-1).amax(-1).double().mean().item(),
    }


if __name__ == "__main__":
    record.main(globals())
