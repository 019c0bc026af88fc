"""How fast GPT-2 in C trains, beside PyTorch and beside plain loops: ``python benchmarks/gpt2_c.py``.

One run on one machine, the same checkpoint and the same tokens for all, with one thread and with two: this project's
final kernels; its plain ones (the exercises' loops, ``-O3 -march=native -ffast-math``, OpenMP on the outer loop); and
PyTorch, eager. They take turns, each in a process of its own; the median step of all rounds counts. The losses of the
steps are compared, and the machine's limit for products of float32 matrices is measured in the same rounds.

Also measured: the memory of ``gpt2 train``, as the system counts it. The result goes to
``book/measurements/gpt2_c.json``.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.machine import processor  # noqa: E402
from solutions.gpt2_c import (  # noqa: E402
    GPT2,
    CModel,
    Config,
    adamw,
    build,
    operations,
    read_checkpoint,
    read_tokens,
    sgemm_rate,
    write_checkpoint,
    write_tokens,
)

OUTPUT = ROOT / "book" / "measurements" / "gpt2_c.json"
CONFIG = Config(max_seq_len=256, vocab_size=1024, num_layers=6, num_heads=6, channels=384)
BATCH, LENGTH, LR = 8, 256, 1e-3
LIBRARIES = {"final": "libgpt2.so", "plain": "ladder/plain.so"}
CONTENDERS = (*LIBRARIES, "pytorch")

# What is promised, and of which figure.
TARGETS = {"gflops": 90.0, "share_of_limit": 0.5, "times_plain": 3.0, "times_pytorch": 0.7, "memory": 1.1}


# --- in a process of its own --------------------------------------------------------------------------------------


def trainer(contender: str, folder: Path, batch: int):
    """A function that does training step number n on a batch and returns the loss before it."""
    if contender in LIBRARIES:
        model = CModel(build(folder, LIBRARIES[contender]), folder / "model.bin", batch, LENGTH)
        return lambda tokens, targets, step: model.train(tokens, targets, step, lr=LR)
    module = read_checkpoint(folder / "model.bin")
    optimizer = adamw(module, LR)

    def step_of_pytorch(tokens, targets, step):
        optimizer.zero_grad()
        _, loss = module(tokens, targets)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step_of_pytorch


def measure(contender: str, folder: Path, batch: int, steps: int) -> dict:
    """Losses of all steps, and seconds of all but the first, which also touches the memory for the first time."""
    if contender == "sgemm":
        return {"rate": sgemm_rate()}
    train = trainer(contender, folder, batch)
    ids = read_tokens(folder / "tokens.bin")
    losses, seconds = [], []
    for step in range(steps):
        piece = ids[step * batch * LENGTH :][: batch * LENGTH + 1]
        tokens, targets = piece[:-1].view(batch, LENGTH), piece[1:].view(batch, LENGTH)
        started = time.perf_counter()
        losses.append(train(tokens, targets, step + 1))
        seconds.append(time.perf_counter() - started)
    return {"losses": losses, "seconds": seconds[1:]}


# --- the whole ----------------------------------------------------------------------------------------------------


def in_a_process(contender: str, folder: Path, batch: int, steps: int, threads: int) -> dict:
    """Call this script for one measurement with so many threads, which sleep while they wait, as in the program."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "MKL_NUM_THREADS": str(threads)}
    if contender in LIBRARIES:
        environment["OMP_WAIT_POLICY"] = "passive"
    command = [sys.executable, __file__, "--measure", contender, str(folder), str(batch), str(steps)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def memory(folder: Path, batch: int) -> dict:
    """What ``gpt2 train`` holds at most, in MB, and what it needs: parameters, gradients, m and v, activations."""
    program, files = build(folder), ["--from", folder / "model.bin", "--tokens", folder / "tokens.bin"]
    shown = subprocess.run(
        [program, "inspect", folder / "model.bin", "--batch", str(batch)], capture_output=True, text=True, check=True
    )
    parts = ("parameters", "gradients", "AdamW's m and v", "activations")
    rows = dict(
        line.rsplit(maxsplit=1) for line in shown.stdout.splitlines() if line.startswith(parts) and line[-1].isdigit()
    )
    needed = {part: float(rows[part]) for part in parts}
    command = [program, "train", *files, "--out", folder / "unused", "--steps", "1000000", "--batch", str(batch)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        lines = [process.stderr.readline() for _ in range(2)]  # the second comes after the first step
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
        process.kill()
    if "step 1 " not in lines[1]:
        raise RuntimeError("".join(lines))
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) * 1024 / 1e6
    return {"needed_mb": needed, "peak_mb": peak, "ratio": peak / sum(needed.values())}


def by_threads(folder: Path, threads: int, options: argparse.Namespace) -> dict:
    """Every contender with so many threads, in turns."""
    work = operations(CONFIG, options.batch, LENGTH)
    runs: dict[str, list[dict]] = {name: [] for name in (*CONTENDERS, "sgemm")}
    for turn in range(options.rounds):
        for name in runs:
            print(f"{threads} threads, round {turn + 1} of {options.rounds}: {name} …", flush=True)
            steps = options.plain_steps if name == "plain" else options.steps
            runs[name].append(in_a_process(name, folder, options.batch, steps, threads))
    limit = max(run["rate"] for run in runs["sgemm"])
    rows: dict[str, dict] = {}
    for name in CONTENDERS:
        seconds = [second for run in runs[name] for second in run["seconds"]]
        median = statistics.median(seconds)
        rows[name] = {
            "seconds": [round(second, 4) for second in seconds],
            "median": median,
            "gflops": work / median / 1e9,
            "share_of_limit": work / median / limit,
            "tokens_per_second": options.batch * LENGTH / median,
            "losses": runs[name][0]["losses"],
        }
    losses = {name: rows[name]["losses"] for name in CONTENDERS}
    return {
        "sgemm_gflops": limit / 1e9,
        "contenders": rows,
        "times_plain": rows["plain"]["median"] / rows["final"]["median"],
        "times_pytorch": rows["pytorch"]["median"] / rows["final"]["median"],
        "largest_difference_of_losses": max(
            abs(ours - theirs) for name in LIBRARIES for ours, theirs in zip(losses[name], losses["pytorch"])
        ),
    }


def document(options: argparse.Namespace) -> dict:
    """Everything measured, with where, when and how."""
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_checkpoint(folder / "model.bin", GPT2(CONFIG))
        ids = torch.randint(CONFIG.vocab_size, (options.steps * options.batch * LENGTH + 1,))
        write_tokens(folder / "tokens.bin", ids.tolist())
        for library in LIBRARIES.values():
            build(folder, library, MAKEFLAGS="-j2")
        held = memory(folder, options.batch)
        results = {str(threads): by_threads(folder, threads, options) for threads in options.threads}
    compiler = subprocess.run(["cc", "--version"], capture_output=True, text=True, check=True).stdout.split("\n")[0]
    best = results[str(max(options.threads))]
    reached = {name: best.get(name, best["contenders"]["final"].get(name)) for name in TARGETS if name != "memory"}
    return {
        "what": "Training steps of GPT-2: ours in C, the plain loops in C, PyTorch eager; on one machine in one run.",
        "command": " ".join(["python", "benchmarks/gpt2_c.py", *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "device": f"{os.cpu_count()} cores, {processor()}",
        "load_before": os.getloadavg()[0],
        "versions": {"python": platform.python_version(), "torch": str(torch.__version__), "compiler": compiler},
        "config": vars(CONFIG),
        "batch": options.batch,
        "length": LENGTH,
        "operations_per_step": operations(CONFIG, options.batch, LENGTH),
        "memory": held,
        "by_threads": results,
        "targets": TARGETS,
        "reached": {**reached, "memory": held["ratio"]},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], help="(%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="turns of every contender (%(default)s)")
    parser.add_argument(
        "--steps", type=int, default=4, help="training steps in a turn, the first not timed (%(default)s)"
    )
    parser.add_argument("--plain-steps", type=int, default=2, help="the same for the plain loops (%(default)s)")
    parser.add_argument("--batch", type=int, default=BATCH, help="sequences in a batch (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="where the result goes (%(default)s)")
    options = parser.parse_args()
    result = document(options)
    options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for threads, rows in result["by_threads"].items():
        print(f"\n{threads} threads; limit of sgemm {rows['sgemm_gflops']:.0f} GFLOP/s")
        for name, row in rows["contenders"].items():
            print(
                f"  {name:8} {row['median']:8.3f} s   {row['gflops']:6.1f} GFLOP/s   {row['share_of_limit']:5.0%} of it"
            )
        print(f"  losses differ by {rows['largest_difference_of_losses']:.1e} at most")
    print()
    for name, target in TARGETS.items():
        reached = result["reached"][name]
        limit, good = ("at most", reached <= target) if name == "memory" else ("at least", reached >= target)
        print(f"{name:16} {reached:8.2f}   {limit} {target:g}: {'yes' if good else 'NO'}")
    print(f"Written: {options.output}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        contender, folder, batch, steps = sys.argv[2:]
        print(json.dumps(measure(contender, Path(folder), int(batch), int(steps))))
    else:
        main()
