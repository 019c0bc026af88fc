"""A learner's own test in a notebook where nothing is graded: it is called with right and wrong implementations.

That notebook is the one on induction heads, and the test is one of `induction_score`. It is tried like the test of a
catch-it task (`autograder.judging.trials`), but no result is kept, so it needs no process of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator

import torch

from autograder.course import edits
from autograder.course.catches import Group, Shown, edit, group, slip
from solutions import induction_heads

SEEDS = 3  # calls of the test per implementation, each with other random numbers
Score = Callable[[torch.Tensor, int], torch.Tensor]


def by_position(weights, period):
    length = weights.shape[-1]
    return sum(weights[:, :, t, t - period + 1].mean(0) for t in range(period, length)) / (length - period)


def by_mask(weights, period):
    t = torch.arange(weights.shape[-1])
    counts = (t[:, None] - t[None, :] == period - 1) & (t[:, None] >= period)
    return weights[..., counts].mean((0, 2))


def by_index(weights, period):
    t = torch.arange(period, weights.shape[-1])
    return weights.transpose(0, 1)[:, :, t, t - period + 1].flatten(1).mean(1)


RIGHT = {
    "the course's own": induction_heads.induction_score,
    "one that goes through the positions in a loop": by_position,
    "one with a mask": by_mask,
    "one with two lists of indices": by_index,
}
WRONG = (
    group(
        "which-diagonal",
        "Which diagonal",
        slip(
            "the-same-token",
            "It gives a high score to a head that looks at the earlier copy of its token. Which position comes next?",
            edit("1 - period", "-period"),
        ),
        slip(
            "one-too-far",
            "It gives a high score to a head that looks two positions after the copy. Do your weights show that?",
            edit("1 - period", "2 - period"),
        ),
        slip(
            "keys-before-queries",
            "It confuses rows and columns. What is the weight on a later position?",
            edit("1 - period", "period - 1"),
        ),
        slip(
            "two-halves",
            "It ignores the period that it gets. Have you tried a period that is not half of the length?",
            edit("after = ", "period = weights.shape[-1] // 2\nafter = "),
        ),
    ),
    group(
        "which-positions",
        "Which positions",
        slip(
            "one-too-many",
            "It counts a position whose token has not occurred before. Where does the repetition begin?",
            edit("after[..., 1:]", "after"),
        ),
        slip(
            "one-too-few",
            "It leaves out the first token of the repetition. Do you compare numbers, or only high with low?",
            edit("after[..., 1:]", "after[..., 2:]"),
        ),
        slip(
            "one-repetition",
            "It stops after one repetition. Is any of your sequences longer than two periods?",
            edit("after[..., 1:]", "after[..., 1 : period + 1]"),
        ),
    ),
    group(
        "which-mean",
        "Which mean",
        slip(
            "by-the-length",
            "It divides by the number of all positions. Which score does a perfect induction head get?",
            edit("mean((0, -1))", "sum(-1).mean(0) / weights.shape[-1]"),
        ),
        slip(
            "largest",
            "It returns the largest weight instead of the mean. Do your weights have more than one value?",
            edit("mean((0, -1))", "amax(-1).mean(0)"),
        ),
        slip(
            "first-sequence",
            "It uses one sequence of the batch. Do your sequences differ?",
            edit("mean((0, -1))", "mean(-1)[0]"),
        ),
        slip(
            "over-heads",
            "It returns one number for all heads. Which shape do you expect?",
            edit("mean((0, -1))", "mean()"),
        ),
    ),
)


def try_test(test: Callable[[Score], object]) -> None:
    """Call a test of `induction_score` with right and wrong implementations, and print the outcome."""
    print("\n".join(_lines(test)))


def _lines(test: Callable[[Score], object]) -> Iterator[str]:
    for words, right in RIGHT.items():
        error = _raised(test, right)
        if isinstance(error, NotImplementedError):
            yield "Your test is not written yet."
            return
        if error is not None:
            yield f"Your test refuses a right implementation: {words}. It raised {type(error).__name__}: {error}"
            return
    yield f"Your test accepts {len(RIGHT)} right implementations."
    for one in WRONG:
        yield _caught(test, one)


def _caught(test: Callable[[Score], object], one: Group) -> str:
    missed = [slip for slip in one.slips if not all(_raised(test, wrong(slip), [seed]) for seed in range(SEEDS))]
    said = f" It accepts a wrong one: {missed[0].words}" if missed else ""
    return f"{one.title}: {len(one.slips) - len(missed)} of {len(one.slips)} caught.{said}"


def wrong(slip: Shown) -> Score:
    """The implementation of a slip: the course's, with its edits."""
    names: dict = {}
    exec(edits.apply(inspect.getsource(induction_heads.induction_score), slip.edits), names)
    return names[induction_heads.induction_score.__name__]


def _raised(
    test: Callable[[Score], object], implementation: Score, seeds: Iterable[int] = range(SEEDS)
) -> Exception | None:
    """What the test raised with an implementation, under any of the seeds."""
    with torch.random.fork_rng(devices=[]):
        for seed in seeds:
            torch.manual_seed(seed)
            try:
                test(implementation)
            except Exception as error:
                return error
    return None
