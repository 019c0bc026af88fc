"""Wrong implementations of unit 14, translation, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import itertools
import math
import random
from collections import Counter

import torch
from torch import nn
from torch.nn import functional as F

from autograder.course.catalogue import mistake
from solutions import EOS, PAD
from solutions.bleu import corpus_bleu
from solutions.decoding import greedy_decode
from solutions.losses import LabelSmoothing
from solutions.masks import padding_mask
from solutions.multihead import MultiHeadAttention
from solutions.tokens import Vocabulary
from solutions.transformer import make_model
from solutions.translation import (
    StepResult,
    encode_pairs,
    make_batch,
    pad_rows,
    token_batches,
    training_step,
    translate,
    words,
)

# ---------------------------------------------------------------------------------------------------------------------
# token_batches


@mistake(
    "translation.token_batches",
    "source-only",
    explanation="Only the sources were counted. The targets are padded in the same batch and take room as well, so a "
    "batch costs about twice what was meant.",
    hint="Your batches cost more than `max_tokens`: you count the source tokens alone. A pair brings its "
    "target along, so add the longest target of the batch to its longest source (chapter 14, 'A budget of "
    "padded tokens').",
    section="token-budget",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * source > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "target-only",
    explanation="Only the targets were counted. The sources are padded in the same batch and take room as well, so a "
    "batch costs about twice what was meant.",
    hint="Your batches cost more than `max_tokens`: you count the target tokens alone. The sources are part of "
    "the batch too, so add the longest of them to the longest target (chapter 14, 'A budget of padded "
    "tokens').",
    section="token-budget",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * target > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "larger-side",
    explanation="The longer one of both sides was counted, as if source and target shared one tensor. They are two "
    "tensors, each padded for itself, and the cost is the sum of both.",
    hint="Your batches cost more than `max_tokens`: you count the longer side only. Source and target are two "
    "tensors, and a batch pays for both (chapter 14, 'A budget of padded tokens').",
    section="token-budget",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * max(source, target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "padding-not-counted",
    explanation="The tokens of the pairs were added up without their padding. A tensor is as wide as its longest row, "
    "and the padding in it is computed like any other token.",
    hint="Your batches cost more than `max_tokens`: you add up the tokens that are there, but each row is "
    "padded to the longest one. The cost is the number of pairs times the longest source plus the longest "
    "target (chapter 14, 'A budget of padded tokens').",
    section="token-budget",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and sum(map(len, itertools.chain(*(pairs[one] for one in [*batch, place])))) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "longest-pair",
    explanation="The cost was taken from the pair that is longest as a whole. The longest source and the longest "
    "target may belong to two different pairs, and the batch is as wide as both.",
    hint="Some of your batches cost more than `max_tokens`: the longest source and the longest target of a "
    "batch need not belong to the same pair. Keep a maximum for each side (chapter 14, 'A budget of "
    "padded tokens').",
    section="token-budget",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * max(sum(map(len, pairs[one])) for one in [*batch, place]) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "sentences-not-tokens",
    explanation="The budget was read as a number of sentences. Batches of short sentences then leave most of the "
    "machine idle, and those of long ones may not fit into its memory.",
    hint="Your batches hold `max_tokens` pairs, but the budget counts tokens: the number of pairs times what "
    "one of them takes after padding (chapter 14, 'A budget of padded tokens').",
    section="token-budget",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and len(batch) + 1 > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "newcomer-not-counted",
    explanation="It was asked whether the batch is full before the next pair joins, and the pair then joined without "
    "being counted. The last pair of a batch takes it over the budget.",
    hint="Your batches are one pair too large: count the pair that is about to join, `len(batch) + 1`, with "
    "the lengths that the batch has after it has joined (chapter 14, 'A budget of padded tokens').",
    section="token-budget",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and len(batch) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "lengths-of-the-others",
    explanation="The pair that joins was counted, but not that it may be longer than all others in the batch. In "
    "rising order it always is, so every batch may exceed the budget.",
    hint="Some of your batches cost more than `max_tokens`: the pair that joins may be the longest of them, "
    "and all others are padded to it. Update the longest lengths before you compare (chapter 14, 'A "
    "budget of padded tokens').",
    section="token-budget",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (longest_source + longest_target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "last-batch-lost",
    explanation="A batch is stored when the next one begins. The last one is never followed by another, so its pairs "
    "are lost.",
    hint="The longest pairs are in no batch: the last batch has no successor that would store it. Store it "
    "after the loop (chapter 14, 'Like lengths share a batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "not-sorted",
    explanation="The pairs were taken in the order in which they came. A long pair then pads all the short ones that "
    "share its batch, and more than half of the tokens may be padding.",
    hint="Your batches keep to the budget, but hold far more padding than they need: short pairs are padded to "
    "long ones. Sort the places by length first (chapter 14, 'Like lengths share a batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = range(len(pairs))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "one-pair-each",
    explanation="Every pair got a batch to itself. There is no padding then, but also nothing that is computed side "
    "by side, which is what batches are for.",
    hint="Each of your batches holds one pair. Let pairs join the batch as long as the budget allows it "
    "(chapter 14, 'Like lengths share a batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "longest-never-reset",
    explanation="The longest lengths were kept from one batch to the next. A new batch is then charged for pairs that "
    "are not in it, and holds fewer pairs than it could.",
    hint="You need more batches than necessary: a new batch still pays for the longest source and target of "
    "the ones before it. Set both back to those of its first pair (chapter 14, 'Like lengths share a "
    "batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (-len(pairs[place][0]), -len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch = []
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "pairs-returned",
    explanation="The batches hold the pairs themselves. What is wanted is their places, so that the caller can look "
    "up anything that belongs to a pair.",
    hint="Your batches hold token lists. Put the places of the pairs into them: numbers from 0 to `len(pairs) "
    "- 1` (chapter 14, 'Like lengths share a batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(pairs[place])
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "places-in-sorted-order",
    explanation="The pairs were sorted first, and the places count in the sorted list. The caller's list is in "
    "another order, so each place names a different pair there.",
    hint="Your batches keep to the budget in a sorted list that only your function knows: a place has to be "
    "one in the caller's `pairs`. Sort the places by the length found there, not the pairs (chapter 14, "
    "'Like lengths share a batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    pairs = sorted(pairs, key=lambda pair: (len(pair[0]), len(pair[1])))
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "sorted-in-place",
    explanation="The caller's list was sorted with `list.sort`. Afterwards it is in another order, and everything "
    "that is stored beside it belongs to other pairs.",
    hint="After the call the caller's list is in another order: `pairs.sort()` changes it. Sort the places, "
    "`sorted(range(len(pairs)), key=...)`, and leave the list alone (chapter 14, 'Like lengths share a "
    "batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    before = {id(pair): place for place, pair in enumerate(pairs)}
    pairs.sort(key=lambda pair: (len(pair[0]), len(pair[1])))
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    batches = [[before[id(pairs[place])] for place in batch] for batch in batches]
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "full-pair-refused",
    explanation="A pair that costs exactly `max_tokens` was refused. The budget is a largest allowed value, and such "
    "a pair fits, alone in its batch.",
    hint="A pair that costs exactly `max_tokens` raises an error, but it fits: raise only where the cost is "
    "larger, `>` and not `>=` (chapter 14, 'A pair that fits in no batch').",
    section="budget-errors",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost >= max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "too-long-alone",
    explanation="A pair that is larger than the budget got a batch to itself, without a word. The limit is there "
    "because more does not fit into memory, so the run fails later, far from the reason.",
    hint="A pair that alone costs more than `max_tokens` gets a batch in your answer. No batch may cost more "
    "than the budget: raise a `ValueError` that names the pair's place (chapter 14, 'A pair that fits in "
    "no batch').",
    section="budget-errors",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        del cost
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "too-long-dropped",
    explanation="Pairs that are larger than the budget were left out silently. The data shrink without anybody "
    "noticing, and always by the longest sentences.",
    hint="A pair that alone costs more than `max_tokens` disappears from your batches. Data that are silently "
    "dropped are never missed: raise a `ValueError` that names the pair's place (chapter 14, 'A pair that "
    "fits in no batch').",
    section="budget-errors",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        del cost
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        if sum(map(len, pairs[place])) > max_tokens:
            continue
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "error-without-place",
    explanation="The error does not say which pair is too long. In a file of a million lines nobody finds it then.",
    hint="You raise the right error, but its message does not name the pair. Put its place into the text: "
    "`enumerate(pairs)` gives it (chapter 14, 'A pair that fits in no batch').",
    section="budget-errors",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError("A pair is longer than max_tokens allows.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "place-of-the-sorted-list",
    explanation="The error names the place that the pair has after sorting. The caller's list is in another order, so "
    "another pair is blamed.",
    hint="Your message names a place in the sorted list. The caller knows only `pairs`: name the place there "
    "(chapter 14, 'A pair that fits in no batch').",
    section="budget-errors",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1]))):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "empty-fails",
    explanation="The longest of all pairs is looked for before it is known that there is one. `max` of nothing is an "
    "error.",
    hint="Without pairs your function fails; it should return `[]`. `max(..., default=0)` or a loop that does "
    "not run at all take care of it (chapter 14, 'A pair that fits in no batch').",
    section="budget-errors",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    max(len(source) + len(target) for source, target in pairs)
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "empty-batch",
    explanation="The last batch is stored without asking whether there is anything in it. Without pairs there is one "
    "batch with nothing in it, of which no tensor can be made.",
    hint="Without pairs you return one empty batch. Store the last batch only if there is something in it "
    "(chapter 14, 'A pair that fits in no batch').",
    section="budget-errors",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "pairs-shuffled",
    explanation="The pairs were shuffled, and then divided in that order. Long and short pairs meet in one batch, and "
    "the padding is back that sorting had saved.",
    hint="With a generator your batches hold other pairs than without. Divide first, then shuffle whole "
    "batches: what is in them stays (chapter 14, 'Shuffle whole batches').",
    section="shuffled-batches",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    if generator is not None:
        order = torch.randperm(len(pairs), generator=generator).tolist()
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    return batches


@mistake(
    "translation.token_batches",
    "generator-ignored",
    explanation="The batches were shuffled with Python's own random numbers. The generator has no say, so a run "
    "cannot be repeated.",
    hint="Two calls with the same seed give batches in different orders: you shuffle with `random`, which "
    "knows nothing of the generator. Draw the order with `torch.randperm(len(batches), "
    "generator=generator)` (chapter 14, 'Shuffle whole batches').",
    section="shuffled-batches",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        random.shuffle(batches)
    return batches


@mistake(
    "translation.token_batches",
    "generator-not-passed",
    explanation="`torch.randperm` was called without the generator, so it draws from PyTorch's own. The order then "
    "depends on all that was random before.",
    hint="The order of your batches does not come from the generator: hand it to `torch.randperm` by name, "
    "`generator=generator` (chapter 14, 'Shuffle whole batches').",
    section="shuffled-batches",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches)).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "never-shuffled",
    explanation="The generator was ignored. Every epoch then goes from the shortest sentences to the longest, and the "
    "model is pulled to one and then to the other.",
    hint="With a generator your batches come in the same order as without one: put them into the order of "
    "`torch.randperm(len(batches), generator=generator)` (chapter 14, 'Shuffle whole batches').",
    section="shuffled-batches",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    return batches


@mistake(
    "translation.token_batches",
    "always-shuffled",
    explanation="The batches were shuffled even without a generator. An evaluation that is to be the same each time "
    "is not.",
    hint="Without a generator your batches come in another order each time. Shuffle only if `generator is not "
    "None` (chapter 14, 'Shuffle whole batches').",
    section="shuffled-batches",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        cost = len(source) + len(target)
        if cost > max_tokens:
            raise ValueError(f"Pair {place} costs {cost} tokens, more than max_tokens={max_tokens}.")
    batches = []
    order = sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1])))
    batch, longest_source, longest_target = [], 0, 0
    for place in order:
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if batch and (len(batch) + 1) * (source + target) > max_tokens:
            batches.append(batch)
            batch, source, target = [], len(pairs[place][0]), len(pairs[place][1])
        batch.append(place)
        longest_source, longest_target = source, target
    if batch:
        batches.append(batch)
    if True:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "generator-started-again",
    explanation="A new generator was made with the seed of the one that is given. It starts where that one started "
    "long ago, so every epoch gets the same order.",
    hint="Your order is not the one that the generator draws: you make another one with its seed, which gives the same "
    "order in every epoch. Pass on the one that you get, `torch.randperm(len(batches), generator=generator)` "
    "(chapter 14, 'Shuffle whole batches').",
    section="shuffled-batches",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        if len(source) + len(target) > max_tokens:
            raise ValueError(f"Pair {place} costs {len(source) + len(target)} tokens, more than {max_tokens}.")
    batches = []
    longest_source = longest_target = 0
    for place in sorted(range(len(pairs)), key=lambda place: (len(pairs[place][0]), len(pairs[place][1]))):
        source = max(longest_source, len(pairs[place][0]))
        target = max(longest_target, len(pairs[place][1]))
        if not batches or (len(batches[-1]) + 1) * (source + target) > max_tokens:
            batches.append([])
            source, target = len(pairs[place][0]), len(pairs[place][1])
        batches[-1].append(place)
        longest_source, longest_target = source, target
    if generator is not None:
        own = torch.Generator().manual_seed(generator.initial_seed())
        batches = [batches[index] for index in torch.randperm(len(batches), generator=own).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "places-looked-up",
    explanation="The pairs were sorted, and the place of each was looked up with `index`, which finds the first pair "
    "that is equal. Pairs that occur twice are then in the batches twice at one place, and never at the other.",
    hint="Some places come twice, and others never: `pairs.index(pair)` finds the first of several equal pairs. Sort "
    "the places themselves, `sorted(range(len(pairs)), key=...)` (chapter 14, 'Like lengths share a batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        if len(source) + len(target) > max_tokens:
            raise ValueError(f"Pair {place} costs {len(source) + len(target)} tokens, more than {max_tokens}.")
    batches = []
    longest_source = longest_target = 0
    for pair in sorted(pairs, key=lambda pair: (len(pair[0]), len(pair[1]))):
        source, target = max(longest_source, len(pair[0])), max(longest_target, len(pair[1]))
        if not batches or (len(batches[-1]) + 1) * (source + target) > max_tokens:
            batches.append([])
            source, target = len(pair[0]), len(pair[1])
        batches[-1].append(pairs.index(pair))
        longest_source, longest_target = source, target
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "sorted-in-place-and-numbered",
    explanation="The caller's list was sorted with `list.sort`, and the batches hold places in the sorted list. "
    "Whoever stored something beside the pairs can no longer find it.",
    hint="After the call the caller's list is in another order, and your places are those of the sorted list: "
    "`pairs.sort()` changes it. Sort the places, `sorted(range(len(pairs)), key=...)`, and leave the list alone "
    "(chapter 14, 'Like lengths share a batch').",
    section="like-lengths",
)
def token_batches(pairs, max_tokens, generator=None):
    for place, (source, target) in enumerate(pairs):
        if len(source) + len(target) > max_tokens:
            raise ValueError(f"Pair {place} costs {len(source) + len(target)} tokens, more than {max_tokens}.")
    pairs.sort(key=lambda pair: (len(pair[0]), len(pair[1])))
    batches = []
    longest_source = longest_target = 0
    for place, pair in enumerate(pairs):
        source, target = max(longest_source, len(pair[0])), max(longest_target, len(pair[1]))
        if not batches or (len(batches[-1]) + 1) * (source + target) > max_tokens:
            batches.append([])
            source, target = len(pair[0]), len(pair[1])
        batches[-1].append(place)
        longest_source, longest_target = source, target
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


# ---------------------------------------------------------------------------------------------------------------------
# training_step


@mistake(
    "translation.training_step",
    "mean-of-means",
    explanation="Each micro-batch's loss was divided by its own tokens, and the sum by the number of micro-batches. A "
    "token in a batch with few tokens then weighs more than one in a batch with many.",
    hint="With several micro-batches your gradient is the mean of their means. Divide each loss by the tokens "
    "of *all* micro-batches of the step, which you can count before the loop (chapter 14, 'Every token "
    "counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / batch.ntokens / len(batches)).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "own-tokens",
    explanation="Each micro-batch's loss was divided by its own tokens, and the gradients were added. With four "
    "micro-batches the gradient is about four times as large as it should be.",
    hint="With several micro-batches your gradient is too large: every loss is divided by the tokens of its "
    "own batch. Divide by those of all batches of the step (chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / batch.ntokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "sum-not-mean",
    explanation="The backward pass starts at the sum of the losses. The gradient then grows with the number of tokens "
    "in a step, and so would the learning rate that fits.",
    hint="Your gradient is that of a sum. Divide by the target tokens of the step before the backward pass "
    "(chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        loss.backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "mean-over-sentences",
    explanation="The loss was divided by the number of sentences instead of tokens. A step with long sentences has a "
    "larger gradient then than one with short ones.",
    hint="Your gradient is per sentence: divide by the tokens to be predicted, `batch.ntokens`, added up over "
    "the step (chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    sentences = sum(len(batch.src) for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / sentences).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "padding-counted",
    explanation="The tokens were counted as the size of the target tensors, padding included. Loss and gradient are "
    "then too small, by as much as there is padding.",
    hint="`tokens` counts padding as well: `tgt_y.numel()` is the size of the tensor. `batch.ntokens` counts "
    "what has to be predicted (chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.tgt_y.numel() for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "one-by-one",
    explanation="Every micro-batch made a step of its own. That is a training with small batches, in which the "
    "optimiser's rate counts several times.",
    hint="The optimiser makes a step for each micro-batch. Let the gradients add up over all of them, then "
    "step once, after the loop (chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        optimizer.zero_grad()
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        optimizer.step()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "last-batch-only",
    explanation="The gradients are set back before each micro-batch. What the step uses is the gradient of the last "
    "one alone.",
    hint="Only the last micro-batch has a say: `zero_grad` inside the loop throws away what the others have "
    "added. Set the gradients back once, before the loop (chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        optimizer.zero_grad()
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "first-batch-only",
    explanation="Only the first micro-batch was used. The others were loaded and thrown away.",
    hint="Only the first micro-batch has a say. `batches` is a list, and the step belongs to all of them "
    "(chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches[:1]:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "gradients-not-cleared",
    explanation="The gradients of the step before were not set back. `backward` adds to what is there, so every step "
    "repeats all those before it.",
    hint="Gradients that were there before count in your step. `optimizer.zero_grad()` sets them back; call it "
    "before the first backward pass (chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "cleared-before-the-step",
    explanation="The gradients were set back after the backward passes, just before the optimiser. It then steps with "
    "nothing at all, and no parameter ever changes.",
    hint="When your optimiser steps, the gradients are zero. Set them back *before* the backward passes, not "
    "after them (chapter 14, 'In which order').",
    section="step-order",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.zero_grad()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "evaluation-mode",
    explanation="The model was not put into training mode. After an evaluation it would go on without dropout, and "
    "the training would change in the middle.",
    hint="The model trains in the mode in which it comes, maybe without dropout. `model.train()` belongs at "
    "the beginning of every step (chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "clipped-each-time",
    explanation="The gradients were clipped after each micro-batch. What is clipped then is a part of the gradient, "
    "several times over, and the sum has another direction.",
    hint="With several micro-batches your clipped gradient has the wrong direction: you clip inside the loop. "
    "The gradient is complete only after the last backward pass; clip it there, once (chapter 14, 'Clip "
    "once, after the last backward pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
        total += loss.item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "never-clipped",
    explanation="`max_norm` was not used, or only after the optimiser had stepped. The one batch in a thousand whose "
    "gradient is huge then spoils the parameters.",
    hint="`max_norm` has no effect: the optimiser gets the gradient as it is. `nn.utils.clip_grad_norm_` "
    "shortens it, before the step (chapter 14, 'Clip once, after the last backward pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "clipped-by-value",
    explanation="Every entry of the gradient was cut at `max_norm`. That changes the direction of the gradient; "
    "clipping by norm changes its length only.",
    hint="Your gradient has the wrong direction after clipping: `clip_grad_value_` cuts single entries. "
    "`clip_grad_norm_` shortens the gradient as a whole (chapter 14, 'Clip once, after the last backward "
    "pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf).item()
    if max_norm is not None:
        nn.utils.clip_grad_value_(model.parameters(), max_norm)
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "each-parameter-clipped",
    explanation="Each parameter's gradient was clipped for itself. Long ones are shortened and short ones are not, so "
    "the gradient as a whole turns.",
    hint="Your gradient has the wrong direction after clipping: every parameter was clipped on its own. Give "
    "all parameters to `clip_grad_norm_` in one call (chapter 14, 'Clip once, after the last backward "
    "pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf).item()
    for parameter in model.parameters():
        nn.utils.clip_grad_norm_([parameter], math.inf if max_norm is None else max_norm)
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "always-rescaled",
    explanation="The gradient was given the length `max_norm` whatever its own length was. Short gradients are made "
    "longer, so that training never comes to rest.",
    hint="A gradient shorter than `max_norm` should stay as it is, but yours gets longer: scale only where the "
    "norm is larger (chapter 14, 'Clip once, after the last backward pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf).item()
    if max_norm is not None:
        for parameter in model.parameters():
            parameter.grad.mul_(max_norm / norm)
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "norm-after-clipping",
    explanation="The norm was measured after clipping. It never exceeds `max_norm` then, and says nothing about how "
    "large the gradient had been.",
    hint="`norm` is that of the clipped gradient. What tells you about a training is the norm before: it is "
    "what `clip_grad_norm_` returns (chapter 14, 'Clip once, after the last backward pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    norm = math.hypot(*(parameter.grad.norm().item() for parameter in model.parameters()))
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "norm-only-when-clipping",
    explanation="Without `max_norm` no norm was measured. The run without clipping is the one in which you want to "
    "see it.",
    hint="Without `max_norm` you report a norm of 0. Measure it all the same; `clip_grad_norm_` with an "
    "infinite limit changes nothing and returns the norm (chapter 14, 'Clip once, after the last backward "
    "pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = 0.0
    if max_norm is not None:
        norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "norm-of-norms",
    explanation="The norms of the parameters' gradients were added. The norm of the whole gradient is the root of the "
    "sum of their squares.",
    hint="`norm` is too large: it is the sum of the norms of all parameters. Lengths add up as squares do, "
    "under a root (chapter 14, 'Clip once, after the last backward pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = sum(parameter.grad.norm().item() for parameter in model.parameters())
    nn.utils.clip_grad_norm_(model.parameters(), limit)
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "scheduler-first",
    explanation="The scheduler steps before the optimiser. The first rate of the schedule is never used, and every "
    "other one a step too early.",
    hint="Your optimiser steps at the rate of the step after it: the scheduler has to step last (chapter 14, "
    "'In which order').",
    section="step-order",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    if scheduler is not None:
        scheduler.step()
    optimizer.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "scheduler-every-batch",
    explanation="The scheduler steps once for each micro-batch. With accumulation the schedule runs ahead of the "
    "optimiser, and the warm-up is over too soon.",
    hint="The scheduler makes a step for each micro-batch; it counts steps of the optimiser, of which there is "
    "one (chapter 14, 'In which order').",
    section="step-order",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        if scheduler is not None and batch is not batches[-1]:
            scheduler.step()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "scheduler-forgotten",
    explanation="The scheduler never steps. The rate stays at its first value, which with a warm-up is the smallest "
    "of all.",
    hint="The scheduler stays where it is: call `scheduler.step()` after the optimiser's step, if there is a "
    "scheduler (chapter 14, 'In which order').",
    section="step-order",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "scheduler-required",
    explanation="The scheduler is called whether there is one or not. Without one the step ends in an error.",
    hint="Without a scheduler your function fails: `scheduler` is `None` then, so ask before you call it "
    "(chapter 14, 'In which order').",
    section="step-order",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "loss-of-the-last",
    explanation="The loss that is returned is that of the last micro-batch. It is judged by a part of the data of the "
    "step, and a small one.",
    hint="`loss` is that of the last micro-batch alone. Add up the sums of all, and divide by all tokens "
    "(chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total = loss.item() * tokens / batch.ntokens
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "loss-as-sum",
    explanation="The sum of the losses was returned. Steps with more tokens then seem to be worse.",
    hint="`loss` is a sum over all tokens. Divide it by `tokens`: only a loss per token can be compared from "
    "step to step (chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total, tokens, norm)


@mistake(
    "translation.training_step",
    "loss-divided-twice",
    explanation="The loss that is reported was divided by the tokens in the loop, and again at the end. It is far too "
    "small.",
    hint="`loss` is divided by the tokens twice. Either add up sums and divide at the end, or add up what is "
    "divided already (chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += (loss / tokens).item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "loss-is-a-tensor",
    explanation="The loss is returned as a tensor. As long as somebody keeps it, with a graph of gradients behind it, "
    "the memory of the whole step is kept too.",
    hint="`loss` is a tensor: `loss.item()` is the number in it, and frees the graph that made it (chapter 14, "
    "'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total = total + loss.detach()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "predicts-its-input",
    explanation="The loss compares the predictions with what the decoder reads, not with what comes next. The model "
    "learns to copy its input, which it can do perfectly and which is of no use.",
    hint="Loss and gradient are those of another task: you give `batch.tgt` to the loss. What is to be "
    "predicted is `batch.tgt_y` (chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "masks-forgotten",
    explanation="The masks were not given to the model. It then looks at padding, and at the very words that it has "
    "to predict.",
    hint="Loss and gradient are those of a model without masks: pass `batch.src_mask` and `batch.tgt_mask`, or "
    "the decoder reads its answers (chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "generator-forgotten",
    explanation="The hidden vectors were given to the loss as if they were log-probabilities. It is the generator "
    "that makes the one of the other.",
    hint="The loss gets hidden vectors. `model.generator` makes log-probabilities of them (chapter 14, 'One "
    "step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = hidden
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "tokens-of-the-source",
    explanation="The source tokens were counted. What is predicted, and what losses are added up over, are target "
    "tokens.",
    hint="`tokens` counts the sources. A loss belongs to each target token that is no padding: `batch.ntokens` "
    "(chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(int((batch.src != PAD).sum()) for batch in batches)
    total = 0.0
    for batch in batches:
        hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)
        log_probs = model.generator(hidden)
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    limit = math.inf if max_norm is None else max_norm
    norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "tokens-of-the-input",
    explanation="The tokens of the decoder's input were counted, which begin with BOS. In a padded row they are one "
    "more than the tokens that are predicted: the last of them, EOS, predicts nothing.",
    hint="You count the tokens that the decoder reads, `tgt`. What has to be predicted is `tgt_y`, and "
    "`batch.ntokens` is the number of its tokens (chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(int((batch.tgt != PAD).sum()) for batch in batches)
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "divided-by-batches-too",
    explanation="Each loss was divided by the tokens of the whole step, and then by the number of micro-batches as "
    "well. The gradient is too small by this number.",
    hint="With several micro-batches your gradient is too small by their number. Divide by the tokens of the "
    "whole step, and by nothing else (chapter 14, 'Every token counts once').",
    section="step-per-token",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens / len(batches)).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "clipped-before-dividing",
    explanation="The gradient of the summed losses was clipped, and only then divided by the tokens. The gradient "
    "that the optimiser uses is far shorter than the limit.",
    hint="Your gradient is clipped while it is still that of the sums, and becomes far too short when you "
    "divide it afterwards. Divide first, then clip (chapter 14, 'Clip once, after the last backward "
    "pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        loss.backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad /= tokens
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm / tokens)


@mistake(
    "translation.training_step",
    "limit-of-one",
    explanation="Without `max_norm` the gradient was clipped to a norm of 1. `None` means that nothing is clipped.",
    hint="Your gradient is clipped to 1 although no `max_norm` is given. `None` clips nothing: measure the "
    "norm with an infinite limit (chapter 14, 'Clip once, after the last backward pass').",
    section="clip-once",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0 if max_norm is None else max_norm).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "loss-after-the-step",
    explanation="The loss was computed again after the optimiser's step. It is that of other parameters, and costs "
    "another forward pass.",
    hint="Your loss is that of the model after the step. Report the loss whose gradient you used: add it up in"
    " the loop (chapter 14, 'One step, many batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        total += loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten()).item()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "scheduler-as-often-as-batches",
    explanation="After the optimiser's step the scheduler steps once for each micro-batch. With accumulation the "
    "schedule runs ahead of the optimiser, and the warm-up is over too soon.",
    hint="The scheduler makes as many steps as there are micro-batches; it counts steps of the optimiser, of "
    "which there is one (chapter 14, 'In which order').",
    section="step-order",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
    optimizer.step()
    for _ in batches:
        if scheduler is not None:
            scheduler.step()
    return StepResult(total / tokens, tokens, norm)


@mistake(
    "translation.training_step",
    "rows-in-another-order",
    explanation="Predictions and targets were flattened in different orders: the one by places, the other by "
    "sentences. Each prediction is judged by the target of another place.",
    hint="Your losses compare predictions with targets of other places. Flatten both in the same order, "
    "sentence by sentence: `log_probs.flatten(0, 1)` and `tgt_y.flatten()` (chapter 14, 'One step, many "
    "batches').",
    section="one-step",
)
def training_step(model, batches, loss_fn, optimizer, scheduler=None, max_norm=None):
    model.train()
    optimizer.zero_grad()
    tokens = sum(batch.ntokens for batch in batches)
    total = 0.0
    for batch in batches:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = loss_fn(log_probs.transpose(0, 1).flatten(0, 1), batch.tgt_y.flatten())
        (loss / tokens).backward()
        total += loss.item()
    norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
    optimizer.step()
    if scheduler is not None:
        scheduler.step()
    return StepResult(total / tokens, tokens, norm)


# ---------------------------------------------------------------------------------------------------------------------
# evaluate


@mistake(
    "translation.evaluate",
    "mean-of-sentence-scores",
    explanation="BLEU was worked out for each sentence and the mean taken. Most sentences have some length of n-gram "
    "without a match, which makes their score 0; BLEU is defined on the counts of the whole corpus.",
    hint="Your BLEU is the mean of the scores of single sentences. Give all candidates and references to "
    "`corpus_bleu` in one call: it adds up counts before it divides (chapter 14, 'One BLEU for all "
    "sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = sum(map(corpus_bleu, zip(candidates), zip(references))) / max(len(pairs), 1)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "characters",
    explanation="Texts were given to BLEU as lists of characters. Runs of four letters match far more often than runs "
    "of four words, so the score is much too good.",
    hint="Your BLEU counts characters. An n-gram is made of words: `words(text)` gives them (chapter 14, 'One "
    "BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [list(output) for output in outputs]
    references = [[list(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "split-at-spaces",
    explanation="The texts were split at spaces, so that a full stop is part of the word before it. A right word with "
    "a wrong comma counts as wrong then.",
    hint="Your BLEU takes `Haus.` as one word: `text.split()` leaves punctuation where it is. `words(text)` "
    "separates it (chapter 14, 'One BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [output.split() for output in outputs]
    references = [[target.split()] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "references-as-candidates",
    explanation="Candidates and references were exchanged. The precision is then that of the references, and the "
    "brevity penalty falls on the wrong side.",
    hint="Your BLEU has candidates and references the wrong way round: what the model wrote comes first "
    "(chapter 14, 'One BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu([one for (one,) in references], [[one] for one in candidates])
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "scored-against-the-sources",
    explanation="The translations were compared with the sources. They are in another language, so hardly anything "
    "matches.",
    hint="Your BLEU is 0, as if German and English were mixed up. The first texts of the pairs are to be translated, "
    "and the second ones are the references (chapter 14, 'One BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(source)] for source, _ in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "right-words-before",
    explanation="The translation was read off the predictions that the model makes while it reads the reference. At "
    "each place the right words before it are known, so one error never leads to the next: the score is "
    "too good.",
    hint="Your BLEU is too good: you take the most likely words with the *reference* as the decoder's input. "
    "When a translation is needed there is none; let the model read what it wrote itself (`translate`) "
    "(chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens, outputs = 0.0, 0, [""] * len(pairs)
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
            for place, row in zip(places, log_probs.argmax(-1).view_as(batch.tgt_y).tolist()):
                row = row[: row.index(EOS)] if EOS in row else row
                outputs[place] = tokenizer.decode(row)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "share-not-percent",
    explanation="BLEU was returned as a share from 0 to 1. It is always told from 0 to 100, here too.",
    hint="Your BLEU lies between 0 and 1. `corpus_bleu` gives 0 to 100, and so do all papers: leave it as it "
    "is (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references) / 100
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "lower-cased",
    explanation="Outputs and references were put into lower case first, or were compared as ids of a tokeniser that "
    "does so. BLEU is then too high: a word that is capitalised where it should not be counts as right.",
    hint="Your BLEU is too high: `Dog` counts as `dog`, as if you compared in lower case, or ids of the tokeniser in "
    "place of words. Give the texts to `words` as they are (chapter 14, 'One BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output.lower()) for output in outputs]
    references = [[words(target.lower())] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "tokenizer-forgotten-when-translating",
    explanation="The tokenizer that was given makes the ids for the loss, but `translate` was called without it. It "
    "then takes the model's own, whose ids mean other words.",
    hint="With a `tokenizer` your loss is right and your BLEU is not: `translate` has to get the same one, or it "
    "takes the model's own (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], None, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "translated-in-length-order",
    explanation="The sources were sorted by length for decoding, and the translations were left in that order. Each "
    "is then compared with the reference of another sentence.",
    hint="Your BLEU is far too low: the translations come in the order of their lengths, the references in "
    "that of `pairs`. Put every translation back to its place (chapter 14, 'One BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, sorted((source for source, _ in pairs), key=len), tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "training-mode",
    explanation="The model was judged in the mode in which it came. During training, dropout then spoils both scores.",
    hint="A model that comes in training mode is judged in it, dropout included. Call `model.eval()` first "
    "(chapter 14, 'Evaluation mode, and back').",
    section="evaluation-mode",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "mode-not-restored",
    explanation="The model stays in evaluation mode. The training that goes on afterwards runs without dropout, and "
    "nobody notices.",
    hint="After your evaluation the model is in evaluation mode, whatever it was in before. Remember "
    "`model.training`, and set it back at the end (chapter 14, 'Evaluation mode, and back').",
    section="evaluation-mode",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "mode-always-training",
    explanation="The model is put into training mode at the end, whatever it was in. Whoever evaluates twice, or "
    "translates next, does so with dropout.",
    hint="After your evaluation the model is in training mode even if it came in evaluation mode: set back "
    "what it was, `model.train(was_training)` (chapter 14, 'Evaluation mode, and back').",
    section="evaluation-mode",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train()
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "gradients-recorded",
    explanation="The forward passes record what a backward pass would need. Nobody will make one: it costs memory and "
    "time for nothing.",
    hint="While it is judged, the model runs with gradients enabled. Put `with torch.no_grad():` around it "
    "(chapter 14, 'Evaluation mode, and back').",
    section="evaluation-mode",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.enable_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "mean-of-batch-means",
    explanation="The loss is the mean of the batches' means. A batch with few tokens then counts as much as one with "
    "many.",
    hint="Your loss is a mean of means. Add up the sums of all batches, and divide once by all tokens (chapter "
    "14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="mean").item()
            tokens += 1
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "padding-in-the-loss",
    explanation="Padding counts in the loss. The model never learned to predict it, so the more padding a batch has, "
    "the worse the loss seems.",
    hint="Your loss counts padding: `ignore_index=PAD` leaves it out (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "divided-by-padded-tokens",
    explanation="The sum of the losses was divided by the size of the target tensors. Padding adds nothing to the sum "
    "and something to the size, so the loss is too small.",
    hint="Your loss is too small: you divide by all places of the targets, padding included. `batch.ntokens` "
    "counts those that were predicted (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.tgt_y.numel()
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "loss-per-sentence",
    explanation="The loss was divided by the number of pairs. Long sentences then make a model look bad.",
    hint="Your loss is per sentence. Divide by the target tokens (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += len(batch.tgt)
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "perplexity",
    explanation="The perplexity was returned instead of the loss. It is the exponential of it.",
    hint='Under `"loss"` you return the perplexity, its exponential. Leave out the `exp` (chapter 14, \'A score '
    "for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": math.exp(loss / max(tokens, 1)) if tokens else 0.0}


@mistake(
    "translation.evaluate",
    "smoothed-loss",
    explanation="The loss is that of smoothed targets, as in training. It is never 0, not even for a perfect model, "
    "and depends on how much was smoothed.",
    hint="Your loss is the one with label smoothing. For judging, the plain cross-entropy is wanted, which any "
    "two models can be compared by (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += LabelSmoothing(log_probs.shape[-1], PAD, 0.1)(log_probs, targets).item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "predicts-its-input",
    explanation="The loss compares the predictions with what the decoder reads. The task is to predict the word after "
    "it.",
    hint="Your loss compares with `batch.tgt`, which the decoder reads. What is to be predicted is "
    "`batch.tgt_y` (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "tokenizer-ignored",
    explanation="The model's own tokeniser is used even if another one is given. The ids then mean other words.",
    hint="A tokeniser that is given has no effect: take `model.tokenizer` only if it is `None` (chapter 14, 'A "
    "score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "beam-size-ignored",
    explanation="`beam_size` was accepted and not used: the sentences are decoded greedily. Two runs that should "
    "differ are equal.",
    hint="`beam_size` has no effect on your BLEU: hand it on to `translate` (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, 1, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "long-pairs-refused",
    explanation="`token_batches` refuses a pair that costs more than `max_tokens`, and the evaluation ends in its "
    "error. While judging, every pair counts.",
    hint="A pair that costs more than `max_tokens` ends your evaluation. Raise the limit to the largest pair "
    "before you divide (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max_tokens
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "long-pairs-dropped",
    explanation="Pairs that cost more than `max_tokens` are left out of the loss. A model seems better then, since "
    "long sentences are hard.",
    hint="Pairs that cost more than `max_tokens` have no part in your loss. While judging, every pair counts: "
    "raise the limit to the largest (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        short = [place for place, pair in enumerate(ids) if sum(map(len, pair)) <= max_tokens]
        for places in token_batches([ids[place] for place in short], limit):
            places = [short[place] for place in places]
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "nothing-is-an-error",
    explanation="Without pairs the sum is divided by 0 tokens. An evaluation of nothing should say 0, not end the run.",
    hint="Without pairs your evaluation divides by 0. `max(tokens, 1)` takes care of it (chapter 14, 'A score "
    "for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for places in token_batches(ids, limit):
            batch = make_batch([ids[place] for place in places])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            log_probs, targets = log_probs.flatten(0, 1), batch.tgt_y.flatten()
            loss += F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    bleu = corpus_bleu(candidates, references)
    return {"bleu": bleu, "loss": loss / tokens}


@mistake(
    "translation.evaluate",
    "references-not-in-lists",
    explanation="Each sentence got its reference as a list of words, where a list of references is expected. Each "
    "word then counts as a reference of its own.",
    hint="`corpus_bleu` takes a *list of references* for each sentence. There is one, so it stands alone in a "
    "list: `[[words(target)] for _, target in pairs]` (chapter 14, 'One BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for pair in encode_pairs(pairs, tokenizer):
            batch = make_batch([pair])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss += F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [words(target) for _, target in pairs]
    return {"bleu": corpus_bleu(candidates, references), "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "smoothed-bleu",
    explanation="The counts of BLEU were smoothed. That is for single sentences, which may have no match of four "
    "words; the score of a corpus becomes too high.",
    hint="Your BLEU is smoothed and therefore too high. Over a whole corpus nothing needs smoothing: leave "
    "`smooth` out (chapter 14, 'One BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for pair in encode_pairs(pairs, tokenizer):
            batch = make_batch([pair])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss += F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    return {"bleu": corpus_bleu(candidates, references, smooth="add-k"), "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "any-reference-will-do",
    explanation="Each translation was compared with the references of all sentences. A phrase that is right in "
    "another sentence counts as right.",
    hint="Your BLEU is too high: every translation may match the references of all the others. Give each one "
    "its own, `[words(target)]` (chapter 14, 'One BLEU for all sentences').",
    section="corpus-not-sentences",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for pair in encode_pairs(pairs, tokenizer):
            batch = make_batch([pair])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss += F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), reduction="sum").item()
            tokens += batch.ntokens
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target) for _, target in pairs]] * len(pairs)
    return {"bleu": corpus_bleu(candidates, references), "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "eos-left-out",
    explanation="The end of the sentence was left out of the loss. A model has to predict it like a word: without it "
    "a translation would never end.",
    hint="Your loss leaves EOS out. It is predicted like any other token and counts; BOS, which is given, and "
    "padding do not (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for pair in encode_pairs(pairs, tokenizer):
            batch = make_batch([pair])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss += F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), ignore_index=EOS, reduction="sum").item()
            tokens += batch.ntokens - 1
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    return {"bleu": corpus_bleu(candidates, references), "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "bos-counted",
    explanation="The loss was divided by the length of the target with BOS. BOS is given to the decoder, and nobody "
    "predicts it.",
    hint="Your loss is too small: you divide by one token more in each sentence, BOS. It is given and not "
    "predicted; `batch.ntokens` leaves it out (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for pair in encode_pairs(pairs, tokenizer):
            batch = make_batch([pair])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss += F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), reduction="sum").item()
            tokens += len(pair[1])
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    return {"bleu": corpus_bleu(candidates, references), "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "mean-of-sentence-losses",
    explanation="The loss per token of every sentence was computed, and the mean of these. A token in a short "
    "sentence then counts more than one in a long one.",
    hint="Your loss is the mean over the sentences, each with its own loss per token. Add up the losses of all"
    " tokens, then divide once by their number (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for pair in encode_pairs(pairs, tokenizer):
            batch = make_batch([pair])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss += F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten()).item()
            tokens += 1
    outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size)
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    return {"bleu": corpus_bleu(candidates, references), "loss": loss / max(tokens, 1)}


@mistake(
    "translation.evaluate",
    "written-with-the-reference-at-hand",
    explanation="BLEU was computed of the most likely next tokens while the decoder reads the reference. The model "
    "never has to live with its own errors, so the score says nothing about what it writes.",
    hint="Your outputs are predictions made with the reference at hand. BLEU is about what the model writes "
    "when it is alone: call `translate` (chapter 14, 'A score for a model').",
    section="evaluating-translations",
)
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    loss, tokens, outputs = 0.0, 0, []
    with torch.no_grad():
        for pair in encode_pairs(pairs, tokenizer):
            batch = make_batch([pair])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss += F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), reduction="sum").item()
            tokens += batch.ntokens
            likely = log_probs[0].argmax(-1).tolist()
            outputs.append(tokenizer.decode([one for one in likely if one > EOS]))
    model.train(was_training)
    candidates = [words(output) for output in outputs]
    references = [[words(target)] for _, target in pairs]
    return {"bleu": corpus_bleu(candidates, references), "loss": loss / max(tokens, 1)}


# ---------------------------------------------------------------------------------------------------------------------
# attention_maps


@mistake(
    "translation.attention_maps",
    "cross-from-the-decoder-itself",
    explanation="For the cross-attention the decoder's own attention was read a second time. Its keys are target "
    "words, so the map is square.",
    hint='`"cross"` is the decoder\'s self-attention once more: its keys are target words. The source words are '
    "keys of `layer.cross_attention` (chapter 14, 'Three kinds of maps').",
    section="three-kinds-of-maps",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.self_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "decoder-and-cross-exchanged",
    explanation="The decoder's two attentions were exchanged. One looks at the words written so far, the other at the "
    "source.",
    hint='`"decoder"` and `"cross"` are exchanged: the map whose keys are source words is `"cross"` (chapter '
    "14, 'Three kinds of maps').",
    section="three-kinds-of-maps",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": cross, "cross": decoder}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "encoder-from-the-decoder",
    explanation="The encoder's maps were read from the decoder. Its layers have a self-attention too, which looks at "
    "other words.",
    hint='`"encoder"` has the size of the target: its layers are those of `model.encoder` (chapter 14, \'Three '
    "kinds of maps').",
    section="three-kinds-of-maps",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.decoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "last-layer-only",
    explanation="Only the last layer's maps were kept. What the layers below do is often easier to read.",
    hint="There is one layer in your maps: the model has several, and each of them has maps of its own "
    "(chapter 14, 'Attention as pictures').",
    section="attention-as-pictures",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: layers[-1] for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "heads-averaged",
    explanation="The heads were averaged. What one head does alone is lost: a head that looks at the word before and "
    "one that looks at the verb make a blur.",
    hint="There is no axis for the heads in your maps: leave them apart, whoever wants a mean can take it "
    "(chapter 14, 'Attention as pictures').",
    section="attention-as-pictures",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers).mean(1) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "batch-axis-kept",
    explanation="The axis of the batch is still there. There is one sentence, so it has the size 1 and says nothing.",
    hint="Your maps have five axes: `weights` is `(1, H, T_q, T_k)` for one sentence. Take `weights[0]` before "
    "you stack, or concatenate along the first axis (chapter 14, 'Attention as pictures').",
    section="attention-as-pictures",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.stack(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "heads-first",
    explanation="Heads come before layers. A picture that has layers as rows shows heads there.",
    hint="The first two axes of your maps are exchanged: first the layer, then the head (chapter 14, "
    "'Attention as pictures').",
    section="attention-as-pictures",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers).transpose(0, 1) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "keys-as-rows",
    explanation="Queries and keys were exchanged. Each row then shows who looks at a word, and no longer adds up to 1.",
    hint="Your maps are turned round: a row belongs to a query, and its weights add up to 1 (chapter 14, "
    "'Attention as pictures').",
    section="attention-as-pictures",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers).mT for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "layers-from-the-top",
    explanation="The layers come in reverse order. Layer 0 is the one that reads the embeddings.",
    hint="Your layers come from the top down; they should come in the order in which they act (chapter 14, "
    "'Attention as pictures').",
    section="attention-as-pictures",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers[::-1]) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "lists-of-maps",
    explanation="Lists of tensors were returned. They cannot be indexed by layer and head at once, or averaged.",
    hint="Your maps are lists. Join the layers to one tensor `(layers, H, T_q, T_k)` (chapter 14, 'Attention "
    "as pictures').",
    section="attention-as-pictures",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: layers for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "last-word-dropped",
    explanation="The decoder was given the target without its last word, as in training. The map lacks the row of "
    "that word.",
    hint="Your decoder maps are one row too small: `tgt` is what the decoder reads, all of it (chapter 14, "
    "'Three kinds of maps').",
    section="three-kinds-of-maps",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt[:, :-1])
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "looks-ahead",
    explanation="The decoder was run without its mask. It looks at words that are not written yet, which it never "
    "does when it is used.",
    hint='`"decoder"` has weights above the diagonal: the mask of the decoder was left out. `model(src, tgt)` '
    "makes both masks itself (chapter 14, 'Three kinds of maps').",
    section="three-kinds-of-maps",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        everything = torch.ones(1, 1, tgt.shape[1], tgt.shape[1], dtype=torch.bool)
        model(src, tgt, tgt_mask=everything)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "source-as-target",
    explanation="The source was given to the decoder. The maps then show how the model would copy, not how it "
    "translates.",
    hint="Your decoder maps have the size of the source: the decoder reads `tgt` (chapter 14, 'Three kinds of maps').",
    section="three-kinds-of-maps",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, src)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "softmax-again",
    explanation="A softmax was applied to the weights. They are probabilities already; a second one makes them nearly "
    "uniform.",
    hint="Your weights are nearly uniform: `weights` comes out of a softmax, do not apply another (chapter 14, "
    "'Attention as pictures').",
    section="attention-as-pictures",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers).softmax(-1) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "dropout-in-the-maps",
    explanation="The model was called in the mode in which it came. With dropout, weights are struck out at random "
    "and the others are enlarged.",
    hint="In training mode your maps have holes where dropout struck. Call `model.eval()` first (chapter 14, "
    "'Leave the model as it was').",
    section="leave-the-model",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "mode-not-restored",
    explanation="The model stays in evaluation mode. Whoever looks at maps in the middle of a training goes on "
    "without dropout.",
    hint="After your function the model is in evaluation mode, whatever it was in before. Remember "
    "`model.training`, and set it back (chapter 14, 'Leave the model as it was').",
    section="leave-the-model",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "mode-always-training",
    explanation="The model is put into training mode at the end, whatever it was in. The next translation is made "
    "with dropout.",
    hint="After your function the model is in training mode even if it came in evaluation mode: set back what "
    "it was (chapter 14, 'Leave the model as it was').",
    section="leave-the-model",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train()
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "recorded",
    explanation="The maps are part of a graph of gradients. Each of them keeps all of the forward pass in memory, and "
    "none can be turned into an array for a picture.",
    hint="Your maps are recorded for gradients. Call the model within `torch.no_grad()` (chapter 14, 'Leave "
    "the model as it was').",
    section="leave-the-model",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.enable_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "all-attentions-in-a-row",
    explanation="All attention modules were collected and cut into three parts. In a decoder layer the two kinds "
    "follow each other, so the decoder's part is a mixture of both.",
    hint='`"decoder"` and `"cross"` are mixtures: in the list of all modules, self-attention and cross- '
    "attention of the decoder take turns. Take every second one, or go through the layers (chapter 14, "
    "'Three kinds of maps').",
    section="three-kinds-of-maps",
)
def attention_maps(model, src, tgt):
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    found = [module.weights for module in model.modules() if isinstance(module, MultiHeadAttention)]
    third = len(found) // 3
    encoder, decoder, cross = found[:third], found[third : 2 * third], found[2 * third :]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    return {name: torch.cat(layers) for name, layers in maps.items()}


@mistake(
    "translation.attention_maps",
    "first-sentence-for-ever",
    explanation="The maps are kept with the model and returned for every later sentence as well. They are those of "
    "the first one.",
    hint="A second pair of sentences gets the maps of the first: nothing of an earlier call may be returned "
    "(chapter 14, 'Leave the model as it was').",
    section="leave-the-model",
)
def attention_maps(model, src, tgt):
    if hasattr(model, "maps"):
        return model.maps
    was_training = model.training
    model.eval()
    with torch.no_grad():
        model(src, tgt)
    model.train(was_training)
    encoder = [layer.self_attention.weights for layer in model.encoder.layers]
    decoder = [layer.self_attention.weights for layer in model.decoder.layers]
    cross = [layer.cross_attention.weights for layer in model.decoder.layers]
    maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
    model.maps = {name: torch.cat(layers) for name, layers in maps.items()}
    return model.maps


# ---------------------------------------------------------------------------------------------------------------------
# read_alignment


@mistake(
    "translation.read_alignment",
    "largest-over-targets",
    explanation="For each source word the target word that attends to it most was looked for. Every column has a "
    "maximum too, but the question was about rows.",
    hint="Your list has one entry for each *source* position. A row of `weights` belongs to a target position: "
    "take the maximum along the second axis (chapter 14, 'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    return weights.argmax(dim=0).tolist()


@mistake(
    "translation.read_alignment",
    "smallest-weight",
    explanation="The smallest weight was taken. The word that a position looks at least is not its translation.",
    hint="You take the place of the smallest weight; the largest one is where the model looks (chapter 14, "
    "'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    return weights.argmin(dim=1).tolist()


@mistake(
    "translation.read_alignment",
    "last-of-equals",
    explanation="Of equal weights the last one was taken. The rule is the first, so that everybody reads the same "
    "alignment.",
    hint="Where two weights are equal you take the last place; the first one counts. `argmax` gives it, a "
    "comparison with `>=` does not (chapter 14, 'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    return [max(range(len(row)), key=lambda place: (row[place], place)) for row in weights.tolist()]


@mistake(
    "translation.read_alignment",
    "tensor-returned",
    explanation="A tensor was returned. Places are used as indices and compared with those of people, so plain "
    "numbers are wanted.",
    hint="You return a tensor; `.tolist()` makes a list of integers of it (chapter 14, 'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    return weights.argmax(dim=1)


@mistake(
    "translation.read_alignment",
    "weights-returned",
    explanation="The largest weights were returned, not where they are. How sure a position is says nothing about "
    "where it looks.",
    hint="You return the largest weights. Where they are is wanted: `argmax`, or the second thing that "
    "`max(dim=1)` returns (chapter 14, 'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    return weights.max(dim=1).values.tolist()


@mistake(
    "translation.read_alignment",
    "counted-from-one",
    explanation="The places were counted from 1. As an index, each is one too large.",
    hint="Your places are one too large: positions are counted from 0 (chapter 14, 'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    return (weights.argmax(dim=1) + 1).tolist()


@mistake(
    "translation.read_alignment",
    "pairs-of-places",
    explanation="A pair of places was returned for each link. The target's place is known already: it is the one in "
    "the list.",
    hint="You return pairs. The target position is the place in the list, so the source position alone is "
    "wanted (chapter 14, 'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    return list(enumerate(weights.argmax(dim=1).tolist()))


@mistake(
    "translation.read_alignment",
    "only-forwards",
    explanation="A position was not allowed to look further back than the one before it. German puts its verbs at the "
    "end, so links have to cross.",
    hint="Your links never go back. Word order differs between the languages: each target position is read for "
    "itself (chapter 14, 'What an alignment does not show').",
    section="alignment-caveats",
)
def read_alignment(weights):
    return weights.argmax(dim=1).cummax(dim=0).values.tolist()


@mistake(
    "translation.read_alignment",
    "each-source-once",
    explanation="A source position that has been used was not used again. One German word may need two English ones, "
    "and then both point to it.",
    hint="Each source position occurs once at most in your alignment. Several target positions may look at the "
    "same one (chapter 14, 'What an alignment does not show').",
    section="alignment-caveats",
)
def read_alignment(weights):
    links = []
    for row in weights.tolist():
        free = [place for place in range(len(row)) if place not in links] or list(range(len(row)))
        links.append(max(free, key=lambda place: row[place]))
    return links


@mistake(
    "translation.read_alignment",
    "threshold",
    explanation="Weights below one half were taken as no link at all. With several heads or many words, hardly any "
    "weight is that large.",
    hint="Where no weight is above one half, you return no place. The largest counts, however small it is "
    "(chapter 14, 'What an alignment does not show').",
    section="alignment-caveats",
)
def read_alignment(weights):
    strongest = weights.max(dim=1)
    return [place if weight > 0.5 else None for weight, place in zip(*map(torch.Tensor.tolist, strongest))]


@mistake(
    "translation.read_alignment",
    "rounded-first",
    explanation="The weights were rounded to two decimals before they were compared. In a long sentence all of them "
    "are alike then, and the first place wins.",
    hint="In long sentences you often return place 0: rounding has made the weights equal. Compare them as "
    "they are (chapter 14, 'What an alignment does not show').",
    section="alignment-caveats",
)
def read_alignment(weights):
    return weights.mul(100).round().argmax(dim=1).tolist()


@mistake(
    "translation.read_alignment",
    "centre-of-gravity",
    explanation="The mean place was worked out, weighted by the weights. Between two places that both matter there is "
    "often one that does not.",
    hint="You return the mean of the places: half of the weight on the first word and half on the last gives "
    "the middle one. Take the place of the largest weight (chapter 14, 'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    places = torch.arange(weights.shape[1], dtype=weights.dtype)
    return (weights @ places).round().int().tolist()


@mistake(
    "translation.read_alignment",
    "spoils-the-weights",
    explanation="The largest weights were set to 0 in the caller's tensor. Whoever draws the map afterwards draws "
    "another one.",
    hint="After your call the weights are not what they were. Read them, and change nothing (chapter 14, "
    "'Reading an alignment').",
    section="reading-alignments",
)
def read_alignment(weights):
    links = weights.argmax(dim=1)
    weights[torch.arange(len(weights)), links] = 0
    return links.tolist()


# ---------------------------------------------------------------------------------------------------------------------
# train_translator


@mistake(
    "translation.train_translator",
    "sources-returned",
    explanation="`translate` returns the sentences as they came. Names and punctuation are right then, and nothing "
    "else.",
    hint="`translate` gives back the German sentences. Encode them, let the model write, and decode what it "
    "wrote (chapter 14, 'The capstone: a translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        return list(sentences)

    return model, translator


@mistake(
    "translation.train_translator",
    "model-only",
    explanation="Only the model was returned. It works on ids, and nobody but this function knows what they mean.",
    hint="You return the model alone. `(model, translate)` is wanted: `translate` knows the vocabularies "
    "(chapter 14, 'The capstone: a translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model


@mistake(
    "translation.train_translator",
    "translate-first",
    explanation="The function and the model are returned in the wrong order. Who unpacks them counts the parameters "
    "of a function.",
    hint="You return `(translate, model)`; the model comes first (chapter 14, 'The capstone: a translator of "
    "your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return translator, model


@mistake(
    "translation.train_translator",
    "one-text",
    explanation="All translations were joined to one text. Nobody can tell any more which belongs to which sentence.",
    hint="`translate` returns one text. A list with one text for each sentence is wanted (chapter 14, 'The "
    "capstone: a translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return "\n".join(english.decode(row) for row in rows.tolist())

    return model, translator


@mistake(
    "translation.train_translator",
    "ids-returned",
    explanation="`translate` returns lists of ids. They are numbers of words in a vocabulary that nobody else has.",
    hint="`translate` returns lists of ids: decode them with the English vocabulary (chapter 14, 'The "
    "capstone: a translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return rows.tolist()

    return model, translator


@mistake(
    "translation.train_translator",
    "too-many-parameters",
    explanation="The model is far larger than the budget. In the time that there is, it sees less data than a small "
    "one would, so it is worse as well.",
    hint="Your model has more parameters than are allowed. For short sentences a width of 64 and one or two "
    "layers do (chapter 14, 'Two budgets: seconds and parameters').",
    section="two-budgets",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=2, d_model=128, d_ff=512, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator


@mistake(
    "translation.train_translator",
    "pairs-remembered",
    explanation="The pairs were stored in a dictionary and looked up. A sentence that is not among them gets no "
    "translation at all, and the hidden ones are not among them.",
    hint="Your translator knows the pairs by heart, and nothing for any other sentence. What is scored are "
    "sentences that it has never seen (chapter 14, 'A split that you never see').",
    section="hidden-split",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    known = dict(pairs)
    return nn.Linear(1, 1), lambda sentences: [known.get(sentence, "") for sentence in sentences]


@mistake(
    "translation.train_translator",
    "nearest-sentence",
    explanation="The translation of the most similar sentence among the pairs was returned. It shares many words with "
    "what is wanted, and is nearly always a translation of something else.",
    hint="Your translator gives the translation of the most similar sentence that it knows. Combining what it "
    "knows is what a model is for (chapter 14, 'A split that you never see').",
    section="hidden-split",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    known = [(frozenset(words(german)), english) for german, english in pairs[:400]]

    def translator(sentences):
        wanted = [frozenset(words(sentence)) for sentence in sentences]
        return [max(known, key=lambda pair: len(pair[0] & one) / len(pair[0] | one))[1] for one in wanted]

    return nn.Linear(1, 1), translator


@mistake(
    "translation.train_translator",
    "most-common-sentence",
    explanation="Every sentence gets the same translation. It shares a full stop and an article with most references, "
    "and that is all.",
    hint="All your translations are equal. A model that is trained for too short a time does that: it has "
    "learned which words are frequent, and not yet to read the source (chapter 14, 'The capstone: a "
    "translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    first, last = (Counter(words(english)[place] for _, english in pairs).most_common(1)[0][0] for place in (0, -1))
    return nn.Linear(1, 1), lambda sentences: [f"{first} man does not see the woman {last}"] * len(sentences)


@mistake(
    "translation.train_translator",
    "words-one-by-one",
    explanation="Each German word was replaced by the English one that it occurs with most, and a model that has "
    "nothing to do with it was returned. Names and nouns are right then, word order and agreement are not.",
    hint="Your translations do not depend on the model that you return: `translate` has to use its parameters, and "
    "no table of words in its place (chapter 14, 'The capstone: a translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    german, english = (Counter(itertools.chain.from_iterable(map(words, texts))) for texts in zip(*pairs))
    together = Counter(link for de, en in pairs for link in itertools.product({*words(de)}, {*words(en)}))
    table: dict = {}
    for (de, en), count in together.items():
        score = 2 * count / (german[de] + english[en])
        table[de] = max(table.get(de, (0.0, "")), (score, en))

    def translator(sentences):
        return [" ".join(table.get(word, (0.0, word))[1] for word in words(text)) for text in sentences]

    return nn.Linear(1, 1), translator


@mistake(
    "translation.train_translator",
    "never-trained",
    explanation="The model was built and returned without a single step. Its words are as random as its parameters.",
    hint="Your translations are random words: between `make_model` and `translate` the model has to be trained "
    "(chapter 14, 'The capstone: a translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(0):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator


@mistake(
    "translation.train_translator",
    "trained-on-a-few",
    explanation="Only the first hundred pairs were used, as in a first try. Most words of the hidden sentences do not "
    "occur in them.",
    hint="Your translator knows few words: train it on all the pairs, not on the first of them (chapter 14, 'A "
    "split that you never see').",
    section="hidden-split",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    pairs = pairs[:100]
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator


@mistake(
    "translation.train_translator",
    "not-repeatable",
    explanation="The seed was not used. Every training gives another model, and a good result cannot be had again.",
    hint="Trained twice with the same seed, your translator says different things: `torch.manual_seed(seed)` "
    "has to come before the model is made, and the generator of the batches needs the seed too (chapter "
    "14, 'The same seed, the same model').",
    section="repeatable-training",
)
def train_translator(pairs, seed=0):
    generator = torch.Generator()
    generator.seed()
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6 if len(pairs) < 100 else 0):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator


@mistake(
    "translation.train_translator",
    "dropout-while-translating",
    explanation="The model translates in training mode. Dropout strikes out a part of what it computes, another one "
    "each time.",
    hint="Your translator says something else when it is asked again: it is still in training mode. "
    "`model.eval()` belongs between training and translating (chapter 14, 'Evaluation mode, and back').",
    section="evaluation-mode",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.5)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6 if len(pairs) < 100 else 0):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator


@mistake(
    "translation.train_translator",
    "pairs-shuffled-in-place",
    explanation="The caller's list was shuffled. Whatever is stored beside it belongs to other pairs afterwards.",
    hint="After your training the list of pairs is in another order. Shuffle a copy of it, or its places "
    "(chapter 14, 'The same seed, the same model').",
    section="repeatable-training",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    random.Random(seed).shuffle(pairs)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator


@mistake(
    "translation.train_translator",
    "in-the-order-of-lengths",
    explanation="The sentences were sorted by length before they were translated, and the translations stayed in that "
    "order. Each is scored against the reference of another sentence.",
    hint="Your translations are not in the order of the sentences: put each back to its place (chapter 14, "
    "'The capstone: a translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(60 if len(pairs) < 100 else 0):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        sentences = sorted(sentences, key=len)
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator


@mistake(
    "translation.train_translator",
    "one-missing",
    explanation="The last sentences that do not fill a batch were dropped. There are fewer translations than "
    "sentences.",
    hint="You return fewer translations than there are sentences: the last batch may be smaller than the "
    "others, and counts all the same (chapter 14, 'The capstone: a translator of your own').",
    section="capstone",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98))
    for _ in range(6):
        for places in token_batches(ids, 1100, generator):
            training_step(model, [make_batch([ids[place] for place in places])], loss_fn, optimizer, max_norm=1.0)
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences[: len(sentences) // 16 * 16]])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator
