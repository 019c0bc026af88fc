"""The grader measured on the catalogue: every mistake is caught and named, every alternative is accepted."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import pytest
import torch
from rich.console import Console
from torch import nn

from autograder.course import catalogue
from autograder.course.addresses import ROOT, book_url
from autograder.course.catalogue import Mistake, alternatives, complete_source, mistakes
from autograder.course.lint import ALTERNATIVES_PER_TASK, MISTAKES_PER_TASK, lacking
from autograder.course.registry import BY_NAME, COMPLETE
from autograder.judging import implementations, quality, results
from autograder.judging.inputs import seed_for
from autograder.judging.runner import run_checks
from autograder.judging.subject import LocalSubject, quiet
from autograder.reports.quality import table
from autograder.sandbox.runtime.c import C_CODE

SEED = 20_26  # `python -m autograder.quality` measures with the default seed
UNIT_NAMES = [unit.name for unit in COMPLETE]
ENTRIES = [entry for name in UNIT_NAMES for entry in (*mistakes(name), *alternatives(name))]
MISTAKES = [entry for entry in ENTRIES if isinstance(entry, Mistake)]


def for_each(entries: list[catalogue.Entry]) -> Callable[[Callable[[catalogue.Entry], None]], Callable[[str], None]]:
    """Turns a test of one entry into one for each unit, which reports what is wrong with every entry that fails."""

    def batched(test: Callable[[catalogue.Entry], None]) -> Callable[[str], None]:
        @pytest.mark.parametrize("unit", UNIT_NAMES)
        def of_unit(unit: str) -> None:
            failures = []
            for entry in (entry for entry in entries if entry.unit == unit):
                try:
                    test(entry)
                except Exception as error:
                    failures.append(f"{entry.task} {entry.name}: {type(error).__name__}: {error}")
            if failures:
                pytest.fail("\n".join(failures), pytrace=False)

        of_unit.__name__, of_unit.__doc__ = test.__name__, test.__doc__
        return of_unit

    return batched


@lru_cache(maxsize=None)
def measured(unit: str) -> list[quality.Measured]:
    return quality.measure(unit, SEED)


@pytest.mark.filterwarnings("ignore")  # wrong code on purpose: what torch warns of there is no news
@pytest.mark.parametrize("unit", UNIT_NAMES)
def test_every_mistake_is_named_and_every_alternative_accepted(unit, record_property):
    results = measured(unit)
    console = Console(width=120, file=io.StringIO())
    console.print(table(unit, results))
    record_property("quality", console.file.getvalue())  # printed at the end of the run
    wrong = [
        f"{item.entry.task} {item.entry.name}: {item.result.status}, named {item.named or 'nothing'}"
        for item in results
        if not item.right
    ]
    assert wrong == []
    for item in results:
        if isinstance(item.entry, Mistake):
            assert item.result.points < item.result.max_points
            assert any(check.message for check in item.result.checks)
        else:
            assert item.result.points == item.result.max_points > 0


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_there_are_enough_of_both(unit):
    for task in unit.written_ids:
        assert sum(entry.task == task for entry in mistakes(unit.name)) >= MISTAKES_PER_TASK >= 6, task
        assert sum(entry.task == task for entry in alternatives(unit.name)) >= ALTERNATIVES_PER_TASK >= 3, task


@pytest.mark.parametrize("unit", UNIT_NAMES)
def test_names_are_unique_and_tasks_exist(unit):
    entries = [entry for entry in ENTRIES if entry.unit == unit]
    tasks = next(one.written_ids for one in COMPLETE if one.name == unit)
    assert {entry.task for entry in entries} == set(tasks)
    for kind in (mistakes(unit), alternatives(unit)):
        pairs = [(entry.task, entry.name) for entry in kind]
        assert len(set(pairs)) == len(pairs)
    for entry in entries:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", entry.name), entry.name


@for_each(MISTAKES)
def test_a_mistake_is_explained(entry):
    sentences = re.findall(r"[^.!?]+(?:\.\d+[^.!?]*)*[.!?](?=\s|$)", entry.why)
    assert len(sentences) >= 2, entry.why
    assert re.search(r"[.!?][`)'\"]*$", entry.hint), entry.hint
    assert entry.hint != entry.why
    assert f"({entry.section})=" in chapter(entry.unit), f"chapter without section {entry.section}"
    assert entry.link == f"{book_url()}/book/{entry.unit}.html#{entry.section}"


def numbers(*shape: int) -> torch.Tensor:
    """Numbers of order 1 in float64, the same in every run."""
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(len(shape) + sum(shape)))


def filled(unit: str, names: dict) -> Callable[..., nn.Module]:
    """Builds modules in float64 and in evaluation mode, whose parameters depend on their names alone."""

    def build(name: str, *sizes: int, **options: str) -> nn.Module:
        module = names[name](*sizes, **options).double().eval()
        right = vars(catalogue.reference_module(unit))[name](*sizes, **options)
        for path, _ in right.named_parameters():  # an alternative may have the same ones under other names as well
            nn.init.normal_(module.get_parameter(path), generator=torch.Generator().manual_seed(seed_for(SEED, path)))
        return module

    return build


@lru_cache(maxsize=None)
def chapter(unit: str) -> str:
    return (ROOT / "book" / f"{unit}.md").read_text(encoding="utf-8")


@for_each(ENTRIES)
def test_an_entry_is_a_file_of_its_own(entry):
    """Its source, run after the solution, defines the task's name; it shows no decorator and needs no grader."""
    source = complete_source(entry)
    assert "autograder" not in source
    assert "@mistake" not in source
    assert "@alternative" not in source
    if BY_NAME[entry.unit].language == "c":
        code = implementations.namespace(entry)[C_CODE]
        assert entry.task.partition(".")[2] in code.functions()
        assert not code.program().errors
        assert not code.program().problem
        return
    names = dict(vars(catalogue.reference_module(entry.unit)))
    exec(compile(source, "<entry>", "exec"), names)
    assert (
        names[entry.task.partition(".")[2]]
        is not vars(catalogue.reference_module(entry.unit))[entry.task.partition(".")[2]]
    )


Q, K, V, X = (numbers(*shape) for shape in ((2, 3, 5), (2, 4, 5), (2, 4, 7), (2, 4, 10)))
MASK = torch.tensor([[True, False, True, True], [False] * 4, [True] * 4])
EXACTLY: dict[str, Callable[[dict, Callable[..., nn.Module]], torch.Tensor]] = {
    "embeddings.TokenEmbedding": lambda _, build: build("TokenEmbedding", 7, 10)(torch.tensor([[1, 0, 6]])),
    "embeddings.mean_pool": lambda names, _: names["mean_pool"](K, torch.tensor([[True, False, True, True]] * 2)),
    "attention.softmax": lambda names, _: names["softmax"](Q, dim=1),
    "attention.attention_scores": lambda names, _: names["attention_scores"](Q, K),
    "attention.scaled_dot_product_attention": lambda names, _: names["scaled_dot_product_attention"](Q, K, V, MASK)[0],
    "attention.SelfAttention": lambda _, build: build("SelfAttention", 10)(X)[0],
    "attention.CrossAttention": lambda _, build: build("CrossAttention", 10)(X[:, :3], X, MASK)[0],
    "masks.masked_softmax": lambda names, _: names["masked_softmax"](Q @ K.mT, MASK),
    "multihead.MultiHeadAttention": lambda _, build: build("MultiHeadAttention", 10, 2)(X[:, :3], X, X, MASK),
    "blocks.gelu": lambda names, _: names["gelu"](X),
    "blocks.LayerNorm": lambda _, build: build("LayerNorm", 10)(X),
    "blocks.rms_norm": lambda names, _: names["rms_norm"](X, X[0, 0]),
    "blocks.FeedForward": lambda _, build: build("FeedForward", 10, 7, activation="gelu")(X),
    "babygpt.Head": lambda _, build: build("Head", 10, 5, 6)(X),
    "babygpt.MultiHead": lambda _, build: build("MultiHead", 2, 10, 5, 6)(X),
    "transformer.Generator": lambda _, build: build("Generator", 10, 7)(X),
    "losses.cross_entropy": lambda names, _: names["cross_entropy"](X[0], torch.tensor([1, 0, 9, 1]), 1),
}


@pytest.mark.parametrize("task", EXACTLY)
def test_alternatives_are_exact_in_float64(task):
    """As exact as the contract says, at widths that are no squares: their roots would differ if taken in float32."""
    unit = task.partition(".")[0]

    def answer(names):
        return EXACTLY[task](names, filled(unit, names))

    right = answer(vars(catalogue.reference_module(unit)))
    with quiet():
        for entry in (entry for entry in alternatives(unit) if entry.task == task):
            got = answer(implementations.namespace(entry))
            torch.testing.assert_close(got, right, rtol=1e-9, atol=1e-9, msg=f"{entry.name} in float64")


def test_sources_are_those_of_the_entries():
    """Two entries never share a source, which is what a mix-up would look like."""
    for unit in UNIT_NAMES:
        for kind in (mistakes(unit), alternatives(unit)):
            sources = [entry.source for entry in kind]
            assert len(set(sources)) == len(sources)


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_every_check_is_failed_by_some_mistake(unit):
    """A check that no mistake fails is dead weight."""
    failed = {
        check.id
        for item in measured(unit.name)
        if isinstance(item.entry, Mistake)
        for check in item.result.checks
        if check.status != results.PASSED
    }
    judged = run_checks(LocalSubject({}), unit.name, unit.written_ids)
    everything = {check.id for task in judged for check in task.checks}
    assert everything - failed == set()


@pytest.mark.parametrize("unit", COMPLETE, ids=lambda unit: unit.name)
def test_the_doctor_finds_nothing_missing(unit):
    assert lacking(unit) == []


def test_the_doctor_finds_what_is_missing(planned):
    missing = lacking(planned)
    assert any(planned.name in gap for gap in missing)
    for part in ("chapter", "notebook", "solution", "mistakes", "alternatives", "hints"):
        assert any(part in gap for gap in missing), part
    exercise = f"exercises/{planned.name}/{planned.name}.ipynb"  # released once the unit is said to be complete
    assert not any(exercise in gap for gap in missing)
    assert any(exercise in gap for gap in lacking(replace(planned, complete=True)))


def test_a_registered_entry_must_be_at_the_top_level():
    def inside(x):
        return x

    with pytest.raises(TypeError, match="top level"):
        catalogue._source(inside)
