"""A BabyGPT large enough to write: the last experiment of the notebook on BabyGPT, recorded."""

from time import process_time

import record
import torch
from pages import course_text

from solutions.babygpt import BabyGPT, BabyGPTConfig, generate
from solutions.data import jargon
from solutions.ladder import held_out_loss, split_text, train

WHAT = (
    "A BabyGPT of the sizes of the notebook's last experiment, trained on the Jargon File: validation loss (nats per "
    "character), processor time of the training (seconds) and what it writes"
)
SIZES = {"block_size": 64, "n_embed": 128, "num_heads": 4, "num_layers": 3}
BATCH, RATE = 16, 4e-3
PROMPTS = ("hacker: ", "computer: ", "attention: ")


def run(reduced=False, corpus=None):
    torch.set_num_threads(1)
    updates = 30 if reduced else 8000
    characters, training, validation = split_text(course_text(corpus) if corpus else jargon())
    torch.manual_seed(0)
    model = BabyGPT(BabyGPTConfig(len(characters), **SIZES))
    if reduced:
        validation = validation[:10_000]
    before, started = held_out_loss(model, validation), process_time()
    losses = train(model, training, updates, BATCH, RATE, decay=True)
    seconds = process_time() - started

    def write(prompt, temperature):
        ids = torch.tensor([[characters.index(one) for one in prompt]])
        ids = generate(model, ids, 300, temperature, torch.Generator().manual_seed(0))[0]
        return "".join(characters[index] for index in ids.tolist())

    return {
        **SIZES,
        "updates": updates,
        "batch_size": BATCH,
        "learning rate": RATE,
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "untrained": before,
        "held out": held_out_loss(model, validation),
        "training": sum(losses[-100:]) / len(losses[-100:]),
        "training seconds": seconds,
        "samples": [
            {"temperature": temperature, "text": write(prompt, temperature)}
            for prompt in PROMPTS
            for temperature in (0.5, 0.8)
        ],
    }


def claims(results):
    return {
        "training lowers the validation loss by more than a nat, or by half of one in a short run": results["untrained"]
        - results["held out"]
        > (1 if results["updates"] > 1000 else 0.5),
        "the training takes less than ten minutes of one core": results["training seconds"] < 600,
    }


if __name__ == "__main__":
    record.main(globals())
