"""SmolLM2-135M-Instruct in the course's own `Llama`: texts, speed, memory, bits (chapter "From GPT-2 to Llama").

The reduced form does the same with a small Llama of random weights, whose text means nothing.
"""

import math
import resource
import subprocess
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median

import record
import torch
from pages import course_text
from torch.nn import functional as F

from solutions import gpt2_c
from solutions.decoding import KVCache
from solutions.llama import Llama, LlamaConfig, llama_state
from solutions.smollm import continued, missing, read_gguf, smollm_path, write_for_c

WHAT = (
    "A released model of 135 million parameters: greedy continuations, an answer, seconds per token with and without a "
    "cache, bytes of weights and cache, and what rounding its weights to fewer bits does to its logits and perplexity"
)
PROMPTS = (
    "The Transformer architecture was introduced in",
    "The capital of France is",
    "def fibonacci(n):\n",
)
QUESTIONS = ("What is the capital of France?", "Explain in one sentence why the sky is blue.")
CONTEXTS = (64, 256, 512, 1024)
BITS = (8, 6, 5, 4, 3)
BLOCK = 32  # weights that share a scale, as in the file's format


def run(reduced=False):
    if reduced:
        torch.manual_seed(0)
        config = LlamaConfig(97, 36 * 4, 64, 9, 3, 2)
        model, released, ids = Llama(config).eval(), None, torch.randint(97, (400,)).tolist()
    else:
        if missing():
            raise SystemExit(missing())
        released = read_gguf(smollm_path())
        model, config = Llama(released.config).eval(), released.config
        model.load_state_dict(llama_state(released.state))
        ids = released.tokenizer.encode(course_text()[:40_000])
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "tensors": len(list(model.parameters())),
        "bytes_in_file": released.bytes_in_file if released else 0,
        "config": vars(config),
        "texts": texts(model, released) if released else [],
        "answers": answers(model, released) if released else [],
        "speed": [speed(model, ids, length) for length in (CONTEXTS[:2] if reduced else CONTEXTS)],
        "cache_bytes": 4 * 2 * config.num_layers * config.num_kv_heads * (config.d_model // config.num_heads),
        "in_c": in_c(model, config, ids[:8]),
        "bits": bits(model, torch.tensor([ids[: 256 if reduced else 512]])),
    }


def texts(model, released):
    """What comes after each prompt, greedily."""
    rows = []
    for prompt in PROMPTS:
        read = released.tokenizer.encode(prompt)
        new = list(continued(model, read, 24, released.end))
        again = list(continued(model, read, 8, released.end, cache=False))
        same = new[: len(again)] == again
        rows.append({"prompt": prompt, "ids": new, "text": released.tokenizer.decode(new), "same": same})
    return rows


def answers(model, released):
    """What it answers to each question, through its own template."""
    rows = []
    for question in QUESTIONS:
        new = list(continued(model, released.tokenizer.encode(released.chat(question)), 60, released.end))
        rows.append({"question": question, "answer": released.tokenizer.decode(new)})
    return rows


@torch.no_grad()
def speed(model, ids, length):
    """Seconds for one more token after ``length``: the new one alone, with a cache, or all of them again."""
    known = torch.tensor([ids[:length]])
    cache = KVCache()
    model(known[:, :-5], cache)
    with_cache = [seconds(lambda at=at: model(known[:, at : at + 1], cache)) for at in range(length - 5, length)]
    return {"length": length, "with": median(with_cache), "without": seconds(lambda: model(known))}


def seconds(call):
    started = time.process_time()  # of this thread's processor: others may be at work
    call()
    return time.process_time() - started


def in_c(model, config, ids):
    """Whether ``solutions/c/llama.c`` writes the same ids, and its seconds for each with one thread."""
    counts, used, written = (8, 24), [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.bin")
        write_for_c(path, config, model.state_dict())
        program = gpt2_c.build(folder, "llama")
        for count in counts:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            command = [program, path, str(count), *map(str, ids)]
            done = subprocess.run(command, capture_output=True, text=True, check=True, env={"OMP_NUM_THREADS": "1"})
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            used.append(after.ru_utime - before.ru_utime)
            written = [int(line) for line in done.stdout.split()]
    # Reading the file and the prompt takes equally long in both runs.
    seconds_per_id = (used[1] - used[0]) / (counts[1] - counts[0])
    return {"same": written == list(continued(model, ids, counts[1])), "seconds": seconds_per_id}


def rounded_to(weight, bits):
    """A matrix whose blocks of `BLOCK` neighbours in a row are integers of ``bits`` bits times a float16 scale."""
    largest = 2 ** (bits - 1) - 1
    blocks = weight.unflatten(-1, (-1, math.gcd(BLOCK, weight.shape[-1])))
    scale = (blocks.abs().amax(-1, keepdim=True) / largest).half().float().clamp(min=1e-8)
    return ((blocks / scale).round().clamp(-largest, largest) * scale).flatten(-2)


@torch.no_grad()
def bits(model, ids):
    """For each number of bits: bytes, and what becomes of logits and perplexity on a text ``(1, T)``."""
    kept = {name: parameter.clone() for name, parameter in model.named_parameters()}
    exact = model(ids)[0, :-1]
    rows = []
    for count in (32, *BITS):
        if count < 32:
            for name, parameter in model.named_parameters():
                if parameter.dim() > 1:
                    parameter.copy_(rounded_to(kept[name], count))
        logits = model(ids)[0, :-1]
        per_weight = 32 if count == 32 else count + 16 / BLOCK
        rows.append(
            {
                "bits": count,
                "bytes": round(sum(one.numel() * (per_weight if one.dim() > 1 else 32) for one in kept.values()) / 8),
                "error": ((logits - exact).square().mean().sqrt() / exact.std(dim=-1).mean()).item(),
                "same_first": (logits.argmax(-1) == exact.argmax(-1)).double().mean().item(),
                "perplexity": F.cross_entropy(logits, ids[0, 1:]).exp().item(),
            }
        )
    for name, parameter in model.named_parameters():
        parameter.copy_(kept[name])
    return rows


def claims(results):
    by_bits = results["bits"]
    speeds = results["speed"]
    holds = {
        "the fewer bits, the larger the error": all(one["error"] < other["error"] for one, other in pairwise(by_bits)),
        "with a cache a token is cheaper, at every length": all(row["with"] < row["without"] for row in speeds),
        "the cache saves more, the longer the text": speeds[-1]["without"] / speeds[-1]["with"]
        > speeds[0]["without"] / speeds[0]["with"],
    }
    holds["the program in C writes the same ids"] = results["in_c"]["same"]
    if results["texts"]:
        first = results["texts"][0]
        holds |= {
            "it dates the Transformer to 2012 and gives it to Microsoft": first["text"].startswith(
                " 2012 by Microsoft"
            ),
            "with and without a cache the text is the same": all(row["same"] for row in results["texts"]),
            "it knows the capital of France": "Paris" in results["answers"][0]["answer"],
            "the file is less than a fifth of the weights in float32": results["bytes_in_file"]
            < 4 * results["parameters"] / 5,
            "8 bits change the perplexity by less than 1 %": abs(
                by_bits[1]["perplexity"] / by_bits[0]["perplexity"] - 1
            )
            < 0.01,
            "3 bits more than double it": by_bits[-1]["perplexity"] > 2 * by_bits[0]["perplexity"],
        }
    return holds


if __name__ == "__main__":
    torch.set_num_threads(1)
    record.main(globals())
