"""The reference's cached answers: the same as fresh ones, never shared, and bounded."""

from __future__ import annotations

import torch

from autograder.judging.cache import CachedReference, LruCache
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.runtime.wire import Opaque


def ask(reference: CachedReference, x: torch.Tensor, **kwargs: object) -> torch.Tensor:
    return reference.ask(Request("softmax", (x,), kwargs)).value


def test_an_answer_is_cached_under_everything_that_was_asked():
    reference = CachedReference("attention", LruCache(2**20))
    x = torch.randn(2, 3)
    for dim in (0, 1, 0, 1):
        assert torch.allclose(ask(reference, x, dim=dim), torch.softmax(x, dim))
    assert ask(reference, x.double()).dtype == torch.float64
    assert torch.allclose(ask(reference, 2 * x), torch.softmax(2 * x, -1))
    assert len(reference.answers._kept) == 4


def test_nobody_can_spoil_an_answer_for_others():
    reference = CachedReference("attention", LruCache(2**20))
    x = torch.randn(2, 3)
    for _ in range(3):
        answer = ask(reference, x)
        assert torch.allclose(answer, torch.softmax(x, -1))
        answer.zero_()


def test_exceptions_are_cached_as_they_were():
    reference = CachedReference("attention", LruCache(2**20))
    request = Request("softmax", ("no tensor",))
    first, second = reference.ask(request), reference.ask(request)
    assert first.kinds
    assert (first.kinds, first.text, first.where) == (second.kinds, second.text, second.where)


def test_what_was_not_asked_for_longest_is_forgotten():
    answers = LruCache(max_bytes=100)
    for key in (b"a", b"b", b"c", b"d"):
        answers.put(key, bytes(25), 25)
    answers.get(b"a")
    answers.put(b"e", bytes(25), 25)
    answers.put(b"large", bytes(26), 26)
    assert [answers.get(key) is not None for key in (b"a", b"b", b"e", b"large")] == [True, False, True, False]
    answers.put(b"e", bytes(25), 25)
    assert answers._kept.currsize == 100


def test_what_cannot_cross_is_asked_anew():
    reference = CachedReference("attention", LruCache(2**20))
    assert reference.ask(Request("softmax", (object(),))).kinds
    assert reference.ask(Request("softmax", (Opaque("thing"),))).kinds
