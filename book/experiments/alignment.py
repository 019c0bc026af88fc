"""Where the cross-attention of a small translator looks, compared with the grammar's known alignments."""

import record
import torch

from solutions.grammar import aligned_pairs
from solutions.translation import attention_maps, encode_pairs, read_alignment, words
from solutions.translator.alignment import alignment_error_rate, word_indices
from solutions.translator.config import TranslationConfig
from solutions.translator.data import load_pairs
from solutions.translator.trainer import train

WHAT = (
    "Alignment error rate (0 is best) of the links that each cross-attention head of a small translator gives, one "
    "for each English word, against the grammar's, for the row that predicts a word and the row that reads it"
)
# Half as wide as the preset, and trained for a shorter time: what it is for shows as well.
SIZES = {"d_model": 64, "max_tokens": 2500, "warmup": 120, "factor": 0.5}
ROWS = ("predicting", "reading")
SENTENCES = (
    ("Der alte Mann macht die Tür auf.", "The old man opens the door."),
    ("Gestern hat das Kind den Hund nicht gesehen.", "Yesterday the child did not see the dog."),
    ("Ich weiß, dass die Frau das Buch lesen will.", "I know that the woman wants to read the book."),
)


def run(reduced=False):
    config = TranslationConfig.preset(
        "tiny", table_start="xavier", **SIZES, **({"steps": 12} if reduced else {"steps": 450})
    )
    pairs = load_pairs("grammar", "train", 300 if reduced else 6000)
    result = train(config, pairs, device="cpu")
    model = result.model
    scores = {
        split: error_rates(model, aligned_pairs(20 if reduced else 300, 1, split)) for split in ("test", "held-out")
    }
    return {
        "steps": result.steps,
        "training pairs": len(pairs),
        "last loss": result.losses[-1],
        "layers": config.num_layers,
        "heads": config.num_heads,
        "splits": scores,
        "maps": [stored_maps(model, *pair) for pair in SENTENCES],
    }


def maps_of(model, german, english):
    """`attention_maps` of a pair, with the source's and the target's ids."""
    ((source, target),) = encode_pairs([(german, english)], model.tokenizer)
    # With the last id too: the row that reads a word is one below the row that predicts it.
    return attention_maps(model, torch.tensor([source]), torch.tensor([target]))


def between_words(weights, german, english, tokenizer, row):
    """Weights ``(English words, German words)`` of weights ``(T, S)`` between tokens: sums over those of a German word,
    means over those of an English one. What goes to EOS is left out."""
    to_words, from_words = word_indices(german, tokenizer), word_indices(english, tokenizer)
    shift = ROWS.index(row)
    found = torch.zeros(len(words(english)), len(words(german)))
    for token, place in enumerate(from_words):
        found[place].index_add_(0, torch.tensor(to_words), weights[token + shift, :-1])
    counts = torch.bincount(torch.tensor(from_words), minlength=len(found)).clamp(min=1)
    return found / counts[:, None]


def links(targets_to_sources):
    """The links ``(i, j)`` of a list that names word ``i`` for every word ``j``."""
    return {(i, j) for j, i in enumerate(targets_to_sources)}


def pooled(pairs, found_links):
    """The error rate of all links of all pairs together."""
    found = {(n, *link) for n, one in enumerate(found_links) for link in one}
    known = {(n, *link) for n, pair in enumerate(pairs) for link in pair.alignment}
    return alignment_error_rate(found, known)


def error_rates(model, pairs):
    """For both kinds of row the rate of each head, ``[layer][head]``, and of each layer's mean; and three bounds."""
    heads: dict = {row: {} for row in ROWS}
    for pair in pairs:
        cross = maps_of(model, pair.german, pair.english)["cross"]
        with_mean = torch.cat([cross, cross.mean(1, keepdim=True)], dim=1)
        for row in ROWS:
            for layer, maps in enumerate(with_mean):
                for head, weights in enumerate(maps):
                    chosen = read_alignment(between_words(weights, pair.german, pair.english, model.tokenizer, row))
                    heads[row].setdefault((layer, head), []).append(links(chosen))
    layers, count = len(cross), cross.shape[1]
    return {
        "pairs": len(pairs),
        "heads": {
            row: [[pooled(pairs, heads[row][layer, head]) for head in range(count)] for layer in range(layers)]
            for row in ROWS
        },
        "mean of the heads": {
            row: [pooled(pairs, heads[row][layer, count]) for layer in range(layers)] for row in ROWS
        },
        "diagonal": pooled(pairs, [links(diagonal(pair)) for pair in pairs]),
        "best with one link a word": pooled(pairs, [best_links(pair) for pair in pairs]),
    }


def diagonal(pair):
    """For every English word the German word at the same share of the sentence."""
    there, here = len(words(pair.german)), len(words(pair.english))
    return [min(int((j + 0.5) * there / here), there - 1) for j in range(here)]


def best_links(pair):
    """One right link for every English word that has any: no alignment with one link per word can be better."""
    return {min(link for link in pair.alignment if link[1] == j) for j in {j for _, j in pair.alignment}}


def stored_maps(model, german, english):
    """The tokens of a pair and all maps, each row as thousandths in a string."""
    tokenizer = model.tokenizer
    ((source, target),) = encode_pairs([(german, english)], tokenizer)
    shown = {
        "german": german,
        "english": english,
        "source": [*(tokenizer.decode([index]) for index in source[:-1]), "</s>"],
        "target": ["<s>", *(tokenizer.decode([index]) for index in target[1:-1])],
    }
    for kind, maps in maps_of(model, german, english).items():
        if kind != "encoder":
            maps = maps[:, :, :-1]  # what happens after the last word is read predicts nothing
        if kind == "decoder":
            maps = maps[..., :-1]
        shown[kind] = [
            [[" ".join(str(round(1000 * weight)) for weight in row) for row in head] for head in layer]
            for layer in maps.tolist()
        ]
    return shown


def claims(results):
    test, held_out = results["splits"]["test"], results["splits"]["held-out"]
    rates = {row: [rate for layer in test["heads"][row] for rate in layer] for row in ROWS}
    first, *_, last = test["mean of the heads"]["predicting"]
    told = {"one link a word cannot reach an error rate of 0": test["best with one link a word"] > 0}
    if results["last loss"] > 1:  # hardly trained, in the reduced form
        return told
    return told | {
        "heads differ: no two have the same error rates": len(set(zip(*rates.values())))
        == results["layers"] * results["heads"],
        "the row that predicts a word aligns better than the row that reads it, in every head": all(
            predicting < reading for predicting, reading in zip(*rates.values())
        ),
        "the last layer aligns better than the first": last < first,
        "the mean of the last layer's heads is as good as the best head": last < min(rates["predicting"]) + 0.01,
        "the best head beats the diagonal": min(rates["predicting"]) < test["diagonal"],
        "held-out constructions are aligned worse": held_out["mean of the heads"]["predicting"][-1] > last,
    }


if __name__ == "__main__":
    record.main(globals())
