"""What comes back from a learner's code other than a value to compare: a driver's complaint, and exceptions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from autograder.judging.assertions import describe
from autograder.judging.subject import Learner, LearnerRaised, NotAttempted

__all__ = ["UNREADABLE", "Learner", "LearnerRaised", "NotAttempted", "assert_raises", "assert_refused", "reply_of"]

UNREADABLE = "The check cannot read what your code returned. Does it have the type that the task names?"


def reply_of(subject: Learner, driver: Callable[..., Any], *request: Any, parts: int = 0, **options: Any) -> Any:
    """The reply of a driver, with at least this number of ``parts``.

    A driver may reply with a sentence that says what is wrong with a learner's module: that fails the check.
    """
    reply = subject.run(driver, *request, **options)
    if isinstance(reply, str):
        raise AssertionError(reply)
    if parts and (not isinstance(reply, (tuple, list)) or len(reply) < parts):
        raise AssertionError(UNREADABLE)
    return reply


def assert_raises(
    kind: type[Exception] | tuple[type[Exception], ...], call: Callable[[], Any], what: str = "this call"
) -> None:
    """The call must make the learner's code raise ``kind``, one of several, or a subclass."""
    kinds = [one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,))]
    try:
        call()
    except LearnerRaised as raised:
        if not {*kinds} & {*raised.kinds}:
            raise AssertionError(f"{what} should raise {kinds[0]}, but raised {raised.kind}: {raised.text}") from None
        return
    # The value is a driver's reply, which a learner would not understand.
    raise AssertionError(f"{what} should raise {kinds[0]}, but raised no error.")


def assert_refused(
    outcome: Any, what: str, kinds: Sequence[str] = ("ValueError",), shown: Callable[[Any], str] = describe
) -> None:
    """A driver's `refusal` (classes of the exception, its text, what was returned) names one of the right kinds."""
    if not isinstance(outcome, (tuple, list)) or len(outcome) != 3:
        raise AssertionError(UNREADABLE)
    raised, _, returned = outcome
    if not raised:
        raise AssertionError(
            f"{what} should raise {kinds[0]}, but returned {'None' if returned is None else shown(returned)}."
        )
    if not {*kinds} & {*raised}:
        raise AssertionError(f"{what} should raise {kinds[0]}, but raised {raised[0]}.")
