"""A small trained model with its weights, for the head viewer in the page of the chapter "What heads learn"."""

import base64

import record
import torch
from pages import course_text
from trained import unpack

from solutions.data import jargon
from solutions.ladder import LadderModel, held_out_loss, rung, split_text, train

WHAT = (
    "Step v9 of the ladder, trained on the Jargon File: its weights as 16-bit floats, and its held-out loss "
    "(nats per character) before and after they were rounded to that"
)
SIZES = {"block_size": 32, "n_embed": 32}
SAMPLE = "hacker: A person who enjoys code"  # 32 characters


def run(reduced=False, corpus=None):
    steps = 150 if reduced else 3000
    characters, training, validation = split_text(course_text(corpus) if corpus else jargon())
    torch.manual_seed(0)
    model = LadderModel(rung("v9", len(characters), **SIZES))
    train(model, training, steps, lr=1e-2, decay=True)
    loss = held_out_loss(model, validation)
    weights = pack(model)
    stored = unpack(characters, SIZES, weights)
    return {
        **SIZES,
        "num_layers": stored.config.num_layers,
        "num_heads": stored.config.num_heads,
        "steps": steps,
        "characters": "".join(characters),
        "sample": SAMPLE,
        "loss": loss,
        "loss of the stored weights": held_out_loss(stored, validation),
        "loss of the frequencies": frequencies(training, validation, len(characters)),
        "weights": weights,
    }


def parameters(model):
    """Name and tensor of all that is trained; a head's mask is a buffer and stays out."""
    return dict(model.named_parameters())


def pack(model):
    """Names with shapes, and all numbers one after the other: float16, little-endian, in base64."""
    tensors = parameters(model)
    numbers = torch.cat([tensor.detach().flatten() for tensor in tensors.values()]).half()
    return {
        "shapes": {name: list(tensor.shape) for name, tensor in tensors.items()},
        "float16": base64.b64encode(numbers.numpy().astype("<f2").tobytes()).decode(),
    }


def frequencies(training, validation, size):
    """The loss of a model that knows only how common each character is (each counted once more than seen)."""
    counts = torch.bincount(training, minlength=size) + 1
    return -(counts / counts.sum()).log()[validation].mean().item()


def claims(results):
    return {
        "rounding the weights to 16 bits changes the loss by less than 0.001": abs(
            results["loss"] - results["loss of the stored weights"]
        )
        < 0.001,
        "the model knows more than how common each character is": results["loss"] < results["loss of the frequencies"],
    }


if __name__ == "__main__":
    record.main(globals())
