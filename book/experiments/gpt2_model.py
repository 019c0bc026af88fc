"""A small GPT-2 of the course's own text, for the chapter on published weights: what a page loads like a release."""

import base64
import math
import re

import record
import torch
from pages import course_text

from solutions import gpt2_c
from solutions.babygpt import get_batch
from solutions.pretrained import GPT2Tokenizer, byte_letters
from solutions.tokens import train_bpe

WHAT = (
    "A GPT-2 of the course's text: its tensors by published names, as float16 in base64, its merges as published, the "
    "held-out loss (nats per token) of two seeds in the course of training, and a page of held-out text"
)
PAGE = 1500  # characters


def small(reduced):
    """Sizes, steps and merges."""
    sizes = {"max_seq_len": 64, "num_layers": 4, "num_heads": 4, "channels": 48}
    return (sizes, 40, 60) if reduced else (sizes, 700, 255)


def held_out_loss(model, ids):
    """Mean negative log-likelihood of tokens ``(N,)``, in pieces of the model's length."""
    length = model.config.max_seq_len
    pieces = ids[: len(ids) // (length + 1) * (length + 1)].view(-1, length + 1)
    with torch.no_grad():
        return model(pieces[:, :-1], pieces[:, 1:])[1].item()


def fit(seed, ids, vocab_size, reduced):
    """A trained model, and its held-out loss now and then: ``(state, losses)``."""
    sizes, steps, _ = small(reduced)
    training, held_out = ids[: len(ids) * 9 // 10], ids[len(ids) * 9 // 10 :][:6500]
    torch.manual_seed(seed)
    model = gpt2_c.GPT2(gpt2_c.Config(vocab_size=vocab_size, padded_vocab_size=vocab_size, **sizes))
    optimizer = gpt2_c.adamw(model, lr=3e-3)
    generator, losses = torch.Generator().manual_seed(seed), []
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = 3e-3 * min(1, (step + 1) / 50) * (1 - step / steps)
        if step % (steps // 5) == 0:
            losses.append([step, held_out_loss(model, held_out)])
        _, loss = model(*get_batch(training, model.config.max_seq_len, 16, generator))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    losses.append([steps, held_out_loss(model, held_out)])
    return gpt2_c.to_hugging_face(model), losses


def pack(state):
    """Tensors as text: their shapes, and all numbers in this order as float16 in base64."""
    numbers = torch.cat([one.flatten() for one in state.values()]).half()
    return {
        "shapes": {name: list(one.shape) for name, one in state.items()},
        "float16": base64.b64encode(numbers.numpy().tobytes()).decode(),
    }


def spelled(token):
    letters = byte_letters()
    return "".join(letters[byte] for byte in token)


def run(reduced=False, corpus=None):
    text = course_text(corpus)[:60_000] if reduced else course_text(corpus)
    merges = train_bpe(text[: 5_000 if reduced else 150_000], small(reduced)[2])
    lines = [f"{spelled(left)} {spelled(right)}" for left, right in merges]
    tokenizer = GPT2Tokenizer("\n".join(lines))
    ids, vocab_size = torch.tensor(tokenizer.encode(text)), len(tokenizer)
    found = [fit(seed, ids, vocab_size, reduced) for seed in ((1,) if reduced else (1, 2))]
    state, _ = found[0]
    state.pop("lm_head.weight")  # the token table once more
    start = text.index("\n", len(text) * 19 // 20) + 1  # of a paragraph, in the part that is held out
    return {
        "sizes": {**small(reduced)[0], "vocab_size": vocab_size},
        "merges": lines,
        "losses": [losses for _, losses in found],
        "held_out_loss": record.spread([losses[-1][1] for _, losses in found]),
        # Without the numbers of chapters, which may change.
        "page": "\n".join(
            line for line in text[start : start + PAGE].split("\n") if not re.search(r"chapter \d", line)
        ),
        "weights": pack(state),
    }


def claims(results):
    start = math.log(results["sizes"]["vocab_size"])
    return {
        "at the start every token is about as likely as any other": all(
            abs(losses[0][1] - start) < 0.2 for losses in results["losses"]
        ),
        "training lowers the held-out loss with every seed": all(
            losses[-1][1] < losses[0][1] - 0.3 for losses in results["losses"]
        ),
    }


if __name__ == "__main__":
    record.main(globals())
