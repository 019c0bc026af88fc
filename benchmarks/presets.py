"""What the presets of the training program reach on this machine's GPU: ``python benchmarks/presets.py``.

Each preset is trained on the course's grammar as `solutions.translation` trains it, with checkpoints, and judged as
the program judges it: BLEU of greedy outputs, in distribution and on held-out constructions, from the last weights and
from the mean of the last checkpoints. The result goes to ``book/measurements/presets_gpu.json``.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import platform
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from solutions import translation  # noqa: E402
from solutions.translator.checkpoints import load_model  # noqa: E402
from solutions.translator.config import TranslationConfig  # noqa: E402
from solutions.translator.data import load_pairs  # noqa: E402
from solutions.translator.errors import BadInput  # noqa: E402
from solutions.translator.processes import World  # noqa: E402
from solutions.translator.trainer import train  # noqa: E402

OUTPUT = ROOT / "book" / "measurements" / "presets_gpu.json"
# `small` is meant for longer sentences; on the grammar's it has learnt in a quarter of its steps what there is.
CHANGES: dict = {"tiny": {}, "small": {"steps": 2000, "warmup": 500}}


def trained(preset: str, changes: dict, device: torch.device, judged_by: int) -> dict:
    """One preset: time, speed, memory, losses and scores."""
    config = TranslationConfig.preset(preset, **changes)
    pairs = load_pairs("grammar", "train")
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats()
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        result = train(config, pairs, device, folder, quiet=False)
        seconds = time.perf_counter() - started
        models = {"last weights": result.model, "averaged": load_model(folder, average=True, device=device)}
    judges = {split: load_pairs("grammar", split, judged_by) for split in ("test", "held-out")}
    return {
        "settings": dataclasses.asdict(config.settled(device)),
        "parameters": sum(parameter.numel() for parameter in result.model.parameters()),
        "seconds": seconds,
        "seconds_of_steps": result.seconds,
        "tokens_per_second": result.tokens / result.seconds,
        "utilisation": result.utilisation,
        "gigabytes": torch.cuda.max_memory_allocated() / 1e9 if device.type == "cuda" else None,
        "losses": [round(loss, 4) for loss in result.losses[:: max(1, result.steps // 100)]],
        "bleu": {
            name: {split: translation.evaluate(model, judge)["bleu"] for split, judge in judges.items()}
            for name, model in models.items()
        },
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--presets", nargs="+", choices=list(CHANGES), default=list(CHANGES), help="(%(default)s)")
    parser.add_argument("--steps", type=int, help="of each preset, to try this out")
    parser.add_argument("--device", default="cuda", help="(%(default)s)")
    parser.add_argument("--judged-by", type=int, default=500, metavar="N", help="pairs of each split (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="where the result goes (%(default)s)")
    options = parser.parse_args()
    try:
        device = World(options.device).device
    except BadInput as error:
        parser.exit(2, f"{error} Choose another with --device.\n")
    changes = {name: CHANGES[name] | ({"steps": options.steps} if options.steps else {}) for name in options.presets}
    result = {
        "what": "Presets of the training program on a GPU, trained on the grammar: seconds, target tokens per second, "
        "share of the data sheet's rate, memory, and BLEU of greedy outputs.",
        "command": " ".join(["python", "benchmarks/presets.py", *sys.argv[1:]]),
        "date": datetime.date.today().isoformat(),
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else str(device),
        "versions": {"python": platform.python_version(), "torch": str(torch.__version__)},
        "judged_by": options.judged_by,
        "presets": {name: trained(name, change, device, options.judged_by) for name, change in changes.items()},
    }
    options.output.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for name, row in result["presets"].items():
        print(f"{name}: {row['seconds']:.0f} s, {row['tokens_per_second']:,.0f} target tokens/s, BLEU {row['bleu']}")
    print(f"Written: {options.output}")


if __name__ == "__main__":
    main()
