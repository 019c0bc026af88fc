"""The models that the course ends in, and the tasks that are parts of each."""

from __future__ import annotations

import ast
from functools import lru_cache

from autograder.course.addresses import ROOT
from autograder.course.registry import BY_NAME, COMPLETE
from autograder.course.source import syntax_tree

# The tasks at the top of each model written in Python; what these call, and so on down, are its parts.
TOP = {
    "BabyGPT": ("babygpt.BabyGPT", "babygpt.generate"),
    "the Transformer": ("transformer.make_model",),
    "the translator": ("translation.train_translator",),
    "the Llama": ("llama.Llama",),
}
IN_C = "GPT-2 in C"  # its parts are all kernels


@lru_cache(maxsize=None)
def parts_of_models() -> dict[str, tuple[str, ...]]:
    """For each model the tasks that it is made of, in the order of the course."""
    tasks = [task for unit in COMPLETE for task in unit.task_ids if not task.partition(".")[2].startswith("test_")]
    kernels = tuple(task for task in tasks if BY_NAME[task.partition(".")[0]].language == "c")
    found = {model: _reached(top) for model, top in TOP.items()}
    return {model: tuple(task for task in tasks if task in names) for model, names in found.items()} | {IN_C: kernels}


def _reached(top: tuple[str, ...]) -> set[str]:
    """Everything of the reference solutions that these use, themselves included."""
    reached, waiting = set[str](), list(top)
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += _uses(name.partition(".")[0]).get(name.partition(".")[2], ())
    return reached


@lru_cache(maxsize=None)
def _uses(module: str) -> dict[str, tuple[str, ...]]:
    """For each definition of a module of `solutions`, the course's definitions that it uses, as ``module.name``."""
    body = syntax_tree((ROOT / "solutions" / f"{module}.py").read_text(encoding="utf-8")).body
    known: dict[str, str] = {}
    for node in body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("solutions."):
            known |= {alias.name: f"{(node.module or '').partition('.')[2]}.{alias.name}" for alias in node.names}
    definitions = [node for node in body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
    known |= {node.name: f"{module}.{node.name}" for node in definitions}
    return {
        node.name: tuple(known[word.id] for word in ast.walk(node) if isinstance(word, ast.Name) and word.id in known)
        for node in definitions
    }
