"""What the heads of a small trained model do: ablation, patterns, and a linear probe (chapter "What heads learn")."""

import copy

import record
import torch
from pages import course_text, rounded
from torch.nn import functional as F

from solutions.babygpt import MultiHead, get_batch
from solutions.ladder import LadderModel, held_out_loss, rung, split_text, train

WHAT = (
    "Step v9 of the ladder, trained on the course's own text with several seeds: held-out loss (nats per character) "
    "with each head silenced or made uniform, where each head looks, and what a linear probe reads from each layer"
)
SIZES = {"block_size": 32, "n_embed": 32}
SENTENCE = "Every row of the weights sums"
EARLY = 8  # positions at the start of a piece that the averages leave out: they have hardly any past


def run(reduced=False, corpus=None):
    seeds, steps = (1, 150) if reduced else (3, 800)
    jobs = [(seed, steps, course_text(corpus)) for seed in range(seeds)]
    studies = record.results_of(study, jobs, reduced)
    return {
        **SIZES,
        "steps": steps,
        "sentence": SENTENCE,
        "seeds": studies,
    }


def study(seed, steps, text):
    """Everything about the model of one seed; lists are by layer, then by head."""
    characters, training, validation = split_text(text)
    torch.manual_seed(seed)
    model = LadderModel(rung("v9", len(characters), **SIZES))
    untrained = copy.deepcopy(model)
    train(model, training, steps, seed=seed)
    loss = held_out_loss(model, validation)
    heads = [[(layer, head) for head in range(4)] for layer in range(3)]

    def cost(change, places):
        changed = copy.deepcopy(model)
        for layer, head in places:
            change(attention_layers(changed)[layer], head)
        return held_out_loss(changed, validation) - loss

    ids, _ = get_batch(validation, SIZES["block_size"], 64, torch.Generator().manual_seed(0))
    patterns = [attention_maps(layer) for layer in layer_inputs(model, ids)]
    example = torch.tensor([[characters.index(letter) for letter in SENTENCE]])
    return {
        "loss": loss,
        "silent": [[cost(silence, [place]) for place in layer] for layer in heads],
        "uniform": [[cost(make_uniform, [place]) for place in layer] for layer in heads],
        "silent layer": [cost(silence, layer) for layer in heads],
        "all silent": cost(silence, [place for layer in heads for place in layer]),
        "distance": [[mean_distance(one) for one in maps] for maps in patterns],
        "previous": [[one[:, EARLY:].diagonal(EARLY - 1, 1, 2).mean().item() for one in maps] for maps in patterns],
        "maps": [[rounded(one[0], 3) for one in attention_maps(layer)] for layer in layer_inputs(model, example)],
        "probe": {
            "trained": probe(model, characters, training, validation),
            "untrained": probe(untrained, characters, training, validation),
            "most common": majority(characters, validation),
        },
    }


# --- looking at heads and changing them ----------------------------------------------------------------------


def attention_layers(model):
    return [module for module in model.modules() if isinstance(module, MultiHead)]


def silence(attention, head):
    """Nothing that the head finds is added any more."""
    width = attention.heads[head].key.out_features
    with torch.no_grad():
        attention.proj.weight[:, head * width : (head + 1) * width] = 0


def make_uniform(attention, head):
    """All scores 0: the head averages over everything up to its position."""
    with torch.no_grad():
        attention.heads[head].query.weight.zero_()


@torch.no_grad()
def layer_inputs(model, ids):
    """For each layer its attention and the normalised vectors that go into it."""
    found = []
    hooks = [
        layer.register_forward_hook(lambda module, args, _: found.append((module, args[0])))
        for layer in attention_layers(model)
    ]
    model.eval()(ids)
    for hook in hooks:
        hook.remove()
    return found


def attention_maps(layer):
    """The weights ``(B, T, T)`` of each head."""
    attention, x = layer
    maps = []
    with torch.no_grad():
        for head in attention.heads:
            q, k = head.query(x), head.key(x)
            scores = q @ k.transpose(-2, -1) / k.shape[-1] ** 0.5
            hidden = ~head.tril[: x.shape[1], : x.shape[1]]
            maps.append(scores.masked_fill(hidden, float("-inf")).softmax(-1))
    return maps


def mean_distance(weights):
    """How far back a head looks on average, in characters."""
    place = torch.arange(weights.shape[-1], dtype=weights.dtype)
    back = (place[:, None] - place[None, :]).clamp(min=0)
    return (weights * back).sum(-1)[:, EARLY:].mean().item()


# --- the probe -----------------------------------------------------------------------------------------------


def places_in_words(ids, characters):
    """For each character how many letters of its word there are up to it: 0 for none, at most 5. Shape of ``ids``."""
    letter = torch.tensor([character.isalpha() for character in characters])[ids]
    counts = torch.zeros_like(ids)
    for t in range(ids.shape[1]):
        counts[:, t] = (counts[:, t - 1] + 1 if t else 1) * letter[:, t]
    return counts.clamp(max=5)


@torch.no_grad()
def vectors_by_layer(model, ids):
    """The vectors of every position before the first block and after each, ``(B, T, C)``."""
    x = model.token_embedding(ids) + model.position_embedding.weight
    found = [x]
    for block in model.eval().blocks:
        x = block(x)
        found.append(x)
    return found


def examples(model, data, characters, seed):
    """For each layer features and labels; the first positions are left out, since words may begin before the piece."""
    ids, _ = get_batch(data, SIZES["block_size"], 200, torch.Generator().manual_seed(seed))
    labels = places_in_words(ids, characters)[:, EARLY:].flatten()
    return [x[:, EARLY:].flatten(0, 1) for x in vectors_by_layer(model, ids)], labels


def probe(model, characters, training, validation):
    """Accuracy on held-out text of a linear classifier of the place in the word, for each layer."""
    inputs, labels = examples(model, training, characters, seed=1)
    tests, answers = examples(model, validation, characters, seed=2)
    found = []
    for x, test in zip(inputs, tests):
        torch.manual_seed(0)
        classifier = torch.nn.Sequential(torch.nn.BatchNorm1d(x.shape[1], affine=False), torch.nn.Linear(x.shape[1], 6))
        optimizer = torch.optim.Adam(classifier.parameters(), lr=0.05)
        for _ in range(150):
            optimizer.zero_grad()
            F.cross_entropy(classifier(x), labels).backward()
            optimizer.step()
        right = classifier.eval()(test).argmax(-1) == answers
        found.append(right.float().mean().item())
    return found


def majority(characters, data):
    """The accuracy of always answering with the most common place."""
    ids, _ = get_batch(data, SIZES["block_size"], 200, torch.Generator().manual_seed(2))
    labels = places_in_words(ids, characters)[:, EARLY:].flatten()
    return (torch.bincount(labels).max() / len(labels)).item()


def claims(results):
    studies = results["seeds"]

    def always(test):
        return all(test(one) for one in studies)

    return {
        "silencing all heads costs more than silencing any one": always(
            lambda one: one["all silent"] > max(map(max, one["silent"]))
        ),
        "heads differ: the costliest one costs at least twice as much as the cheapest": always(
            lambda one: max(map(max, one["silent"])) > 2 * min(map(min, one["silent"]))
        ),
        "silencing the first layer costs more than the sum of silencing each of its heads": always(
            lambda one: one["silent layer"][0] > sum(one["silent"][0])
        ),
        "a trained model's last layer tells the place in a word better than an untrained one's": always(
            lambda one: one["probe"]["trained"][-1] > one["probe"]["untrained"][-1]
        ),
        "the probe also finds something in an untrained model (more than the most common answer)": always(
            lambda one: max(one["probe"]["untrained"]) > one["probe"]["most common"]
        ),
    }


if __name__ == "__main__":
    record.main(globals())
