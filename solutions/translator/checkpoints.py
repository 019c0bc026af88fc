"""Checkpoints: written in whole or not at all, checked when they are read, averaged, and made models again."""

import os
from pathlib import Path

import torch

from solutions.transformer import make_model
from solutions.translator.config import TranslationConfig
from solutions.translator.errors import BadInput
from solutions.translator.tokenizers import TOKENIZERS

LAST, BEST = "last.pt", "best.pt"


def write_file(path, value):
    """Save a value in whole or not at all: readers see the old file or the new one, whatever happens between."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "wb") as file:
            torch.save(value, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def try_folder(folder):
    """Make a folder for checkpoints, if it is not there, and see whether files can be written to it."""
    probe = folder / f"{os.getpid()}.tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise BadInput(f"No checkpoints can be written to {folder}: {error.strerror or error}.") from None


def read_file(path):
    """What `write_file` saved; nothing in the file is executed."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise BadInput(f"There is no checkpoint {path}: train one with --out {path.parent}.") from None
    except Exception as error:
        raise BadInput(f"{path} is no checkpoint of this program, or is damaged ({type(error).__name__}).") from None


def read_run(folder):
    """The last checkpoint of a run, if it is one of this program's."""
    saved = read_file(Path(folder) / LAST)
    wanted = {"config", "tokenizer", "fingerprint", "per_step", "data", "losses", "model", "optimizer", "scheduler"}
    try:
        TranslationConfig(**saved["config"])
        saved.setdefault("curve", [])  # a run from before curves were kept
        saved.setdefault("valid_fingerprint", None)
        right = not wanted - saved.keys() and saved["tokenizer"][0] in TOKENIZERS and isinstance(saved["losses"], list)
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        right = False
    if not right:
        raise BadInput(f"{Path(folder) / LAST} is no checkpoint of this program, or of another version of it.")
    return saved


def weight_files(folder):
    """The weights that a run kept, from the oldest to the newest."""
    return sorted(Path(folder).glob("weights-*.pt"))


def average_weights(paths):
    """The mean of several checkpoints' weights, parameter by parameter (Vaswani et al. 2017, section 6.1)."""
    paths = list(paths)
    if not paths:
        raise BadInput("There are no weights to average.")
    mean: dict[str, torch.Tensor] = {}
    for path in paths:
        weights = read_file(Path(path))
        try:
            for name, value in weights.items():
                mean[name] = mean.get(name, 0) + value.double() / len(paths)
        except (AttributeError, RuntimeError):
            raise BadInput(f"{path} holds no weights of this run.") from None
    return {name: value.float() for name, value in mean.items()}


def build_model(config, tokenizer, make=make_model):
    """A fresh model of a run, with ``model.tokenizer`` set; ``make`` builds it, called as `make_model` is."""
    torch.manual_seed(config.seed)
    size = len(tokenizer)
    model = make(
        size, size, config.num_layers, config.d_model, config.d_ff, config.num_heads, config.dropout, config.norm,
        config.tie_weights,
    )  # fmt: skip
    if config.table_start == "normal":
        embeddings = (module for module in model.modules() if isinstance(module, torch.nn.Embedding))
        tables = dict.fromkeys(one.weight for one in embeddings if one.num_embeddings == size)  # one, if they are tied
        for table in tables:
            torch.nn.init.normal_(table, std=config.d_model**-0.5)
    model.tokenizer = tokenizer
    return model


def best_weights(folder):
    """The weights that validated best."""
    path = Path(folder) / BEST
    if not path.exists():
        raise BadInput(f"There is no {path}: it is kept by a training with --validate-every.")
    saved = read_file(path)
    if not isinstance(saved, dict) or "model" not in saved:
        raise BadInput(f"{path} holds no weights of this run.")
    return saved["model"]


def load_model(folder, average=False, device="cpu", best=False, make=make_model):
    """The trained model of a folder, in evaluation mode.

    Args:
        folder: where the checkpoints are.
        average: take the mean of the last checkpoints.
        device: where the model goes.
        best: take the weights that validated best.
        make: builds the model, as in `train`.
    """
    saved = read_run(folder)
    kind, state = saved["tokenizer"]
    try:
        tokenizer = TOKENIZERS[kind](state)
    except BadInput:
        raise
    except Exception:  # of any kind: the library has its own
        raise BadInput(f"The tokeniser in {Path(folder) / LAST} is damaged.") from None
    model = build_model(TranslationConfig(**saved["config"]), tokenizer, make)
    weights = saved["model"]
    if average or best:
        weights = average_weights(weight_files(folder)) if average else best_weights(folder)
    try:
        model.load_state_dict(weights)
    except (AttributeError, RuntimeError, TypeError):
        raise BadInput(f"Weights in {folder} do not belong to the model of its last checkpoint.") from None
    return model.to(device).eval()
