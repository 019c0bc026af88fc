"""From naive loops to half of what the processor can do: the rungs of the kernel ladder of GPT-2 in C.

Every rung is the same program and the same model with other kernels (`make ladder` in solutions/c). Each is first
compared with PyTorch: the loss and every gradient of a model whose sizes fit no block and no tile. Then a whole
training step is timed several times, in a process of its own. The best time counts: other work only ever adds to it.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import record
import torch

from solutions.gpt2_c import GPT2, CModel, Config, Kernels, build, kinds, operations, sgemm_rate, write_checkpoint

WHAT = (
    "Billions of floating-point operations per second of a training step of GPT-2 in C, rung by rung from naive loops "
    "to the final kernels, and the machine's limit for products of matrices."
)
FULL = {"config": Config(256, 1024, 1, 6, 384), "batch": 2, "length": 256}
REDUCED = {"config": Config(64, 256, 1, 4, 128), "batch": 4, "length": 64}
ODD = {"config": Config(48, 77, 2, 3, 33, 90), "batch": 3, "length": 41}

# name, what is new, whether it uses all cores
RUNGS = (
    ("naive", "every number by definition, one sum each", False),
    ("loop_order", "inner loops along rows, so that they become vectors", False),
    ("blocked", "blocks of weights stay in the cache, four rows at once", False),
    ("tiles", "tiles of the result stay in registers, operands packed", False),
    ("vectors", "GELU, softmax, norms and attention in vectors and tiles too", False),
    ("threads", "all cores, but not in attention", True),
    ("final", "all cores in attention as well, backward too", True),
    ("plain", "for comparison: the exercises' loops, -ffast-math, all cores", True),
)


def library(folder, rung):
    return build(folder, "libgpt2.so" if rung == "final" else f"ladder/{rung}.so", MAKEFLAGS="-j2")


def setting(folder, config, batch, length):
    """A model in PyTorch, its checkpoint, and a batch; biases and norms are not at their start."""
    torch.manual_seed(0)
    model = GPT2(config)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.add_(0.3 * torch.randn_like(parameter))
    path = Path(folder) / "model.bin"
    write_checkpoint(path, model)
    pieces = torch.randint(config.vocab_size, (batch, length + 1))
    return model, path, pieces[:, :-1], pieces[:, 1:]


def validate(folder, rungs):
    """For each rung: how far the loss is from PyTorch's, and the largest relative error of a gradient tensor."""
    model, path, tokens, targets = setting(folder, **ODD)
    _, loss = model(tokens, targets)
    loss.backward()
    errors = {}
    for rung in rungs:
        ours = CModel(library(folder, rung), path, ODD["batch"], ODD["length"])
        of_loss = abs(ours.forward(tokens, targets) - loss.item())
        ours.backward(tokens, targets)
        worst = 0.0
        for name, tensors in kinds(model):
            expected = torch.stack([tensor.grad.flatten() for tensor in tensors])
            worst = max(worst, ((ours.tensor("grads", name) - expected).norm() / expected.norm()).item())
        errors[rung] = {"loss": of_loss, "gradient": worst}
        ours.close()
    return errors


def seconds_of_steps(folder, rung, sizes, repeat):
    """The seconds of some training steps, here and now; one that touches all memory for the first time comes before.
    The naive rung takes so long that one step is enough, and that its first one is as good as any."""
    _, path, tokens, targets = setting(folder, **sizes)
    ours = CModel(library(folder, rung), path, sizes["batch"], sizes["length"])
    if rung == "naive":
        repeat = 1
    else:
        ours.train(tokens, targets, 1, lr=1e-3)
    taken = []
    for step in range(2, 2 + repeat):
        started = time.perf_counter()
        ours.train(tokens, targets, step, lr=1e-3)
        taken.append(time.perf_counter() - started)
    return taken


def seconds_of_matmul(folder, rung, sizes, repeat):
    """The same for one linear layer from C to 4C channels, forward and backward."""
    b, t, c = sizes["batch"], sizes["length"], sizes["config"].channels
    x, w, bias, out = (torch.randn(shape) for shape in ((b, t, c), (4 * c, c), (4 * c,), (b, t, 4 * c)))
    dx, dw, dbias = map(torch.zeros_like, (x, w, bias))
    kernels = Kernels(library(folder, rung))
    taken = []
    for _ in range(repeat):
        started = time.perf_counter()
        kernels.matmul_forward(out, x, w, bias, b, t, c, 4 * c)
        kernels.matmul_backward(dx, dw, dbias, out, x, w, b, t, c, 4 * c)
        taken.append(time.perf_counter() - started)
    return taken


def in_a_process(threads, *arguments):
    """Call this script for one measurement, so that no other library's threads are there; its answer."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    command = [sys.executable, __file__, "--measure", *map(str, arguments)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measure(what, folder, size, repeat):
    """What `in_a_process` runs."""
    if what == "sgemm":
        return sgemm_rate(repeat=int(repeat))
    sizes = REDUCED if size == "reduced" else FULL
    return {
        "matmul": seconds_of_matmul(folder, what, sizes, int(repeat)),
        "step": seconds_of_steps(folder, what, sizes, int(repeat)),
    }


def run(reduced=False):
    """Errors, seconds and rates of every rung: of a training step, and of its matrix products alone. `share` is the
    step's, of the limit for as many threads."""
    sizes, size, repeat = (REDUCED, "reduced", 3) if reduced else (FULL, "full", 5)
    cores = len(os.sched_getaffinity(0))
    work = operations(sizes["config"], sizes["batch"], sizes["length"])
    of_matmul = 6 * sizes["batch"] * sizes["length"] * 4 * sizes["config"].channels ** 2
    with tempfile.TemporaryDirectory() as folder:
        errors = validate(folder, [rung for rung, _, _ in RUNGS])
        limits = {n: in_a_process(n, "sgemm", folder, size, repeat) for n in sorted({1, cores})}
        rows = []
        for rung, idea, parallel in RUNGS:
            if reduced and rung not in ("naive", "loop_order", "final"):
                continue
            threads = cores if parallel else 1
            taken = in_a_process(threads, rung, folder, size, repeat)
            rate = work / min(taken["step"])
            rows.append(
                {
                    "rung": rung,
                    "idea": idea,
                    "threads": threads,
                    "seconds": taken,
                    "gflops": rate / 1e9,
                    "share": rate / limits[threads],
                    "matmul gflops": of_matmul / min(taken["matmul"]) / 1e9,
                }
            )
    return {
        "config": vars(sizes["config"]),
        "batch": sizes["batch"],
        "length": sizes["length"],
        "operations": work,
        "cores": cores,
        "sgemm gflops": {str(threads): limit / 1e9 for threads, limit in limits.items()},
        "errors": errors,
        "rows": rows,
    }


def rate(results, rung):
    return next(row["gflops"] for row in results["rows"] if row["rung"] == rung)


def claims(results):
    rows = results["rows"]
    holds = {
        "every rung has PyTorch's loss within 1e-5 and every gradient within 1e-4": all(
            error["loss"] < 1e-5 and error["gradient"] < 1e-4 for error in results["errors"].values()
        ),
        "the exchange of loops alone makes it more than twice as fast": (
            rate(results, "loop_order") > 2 * rate(results, "naive")
        ),
        "the last rung is more than eight times as fast as the first": (
            rate(results, "final") > 8 * rate(results, "naive")
        ),
    }
    if results["config"] == vars(FULL["config"]):
        holds["on one thread, each of the first four rungs multiplies matrices faster than the one before"] = all(
            low["matmul gflops"] < high["matmul gflops"] for low, high in zip(rows[:3], rows[1:4])
        )
        ratio = rate(results, "final") / rate(results, "plain")
        holds["the last rung is more than twice as fast as the plain loops on as many threads"] = ratio > 2
        holds["the last rung reaches half of the machine's limit"] = (
            next(row["share"] for row in rows if row["rung"] == "final") > 0.5
        )
    return holds


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(*sys.argv[2:])))
    else:
        record.main(globals())
