"""Wrong implementations of the tasks of translation, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

import itertools
import random
from collections import Counter

import torch
from torch import nn

from autograder.course.catalogue import edit, mistake
from solutions.multihead import MultiHeadAttention
from solutions.translation import token_batches, words

# ---------------------------------------------------------------------------------------------------------------------
# token_batches


mistake(
    "translation.token_batches",
    "source-only",
    edit("source + target", "source"),
    base="one-list-at-a-time",
    section="token-budget",
    why="Only the sources were counted. The targets are padded in the same batch and take room as well, so a batch "
    "costs about twice what was meant.",
    hint="Your batches cost more than `max_tokens`: you count the source tokens alone. A pair brings its target along, "
    "so add the longest target of the batch to its longest source.",
)

mistake(
    "translation.token_batches",
    "target-only",
    edit("source + target", "target"),
    base="one-list-at-a-time",
    section="token-budget",
    why="Only the targets were counted. The sources are padded in the same batch and take room as well, so a batch "
    "costs about twice what was meant.",
    hint="Your batches cost more than `max_tokens`: you count the target tokens alone. The sources are part of the "
    "batch too, so add the longest of them to the longest target.",
)

mistake(
    "translation.token_batches",
    "larger-side",
    edit("source + target", "max(source, target)"),
    base="one-list-at-a-time",
    section="token-budget",
    why="The longer one of both sides was counted, as if source and target shared one tensor. They are two tensors, "
    "each padded for itself, and the cost is the sum of both.",
    hint="Your batches cost more than `max_tokens`: you count the longer side only. Source and target are two tensors, "
    "and a batch pays for both.",
)

mistake(
    "translation.token_batches",
    "padding-not-counted",
    edit(
        "(len(batch) + 1) * (source + target)",
        "sum(map(len, itertools.chain(*(pairs[one] for one in [*batch, position]))))",
    ),
    base="one-list-at-a-time",
    section="token-budget",
    why="The tokens of the pairs were added up without their padding. A tensor is as wide as its longest row, and the "
    "padding in it is computed like any other token.",
    hint="Your batches cost more than `max_tokens`: you add up the tokens that are there, but each row is padded to "
    "the longest one. The cost is the number of pairs times the longest source plus the longest target.",
)

mistake(
    "translation.token_batches",
    "longest-pair",
    edit("source + target", "max(sum(map(len, pairs[one])) for one in [*batch, position])"),
    base="one-list-at-a-time",
    section="token-budget",
    why="The cost was taken from the pair that is longest as a whole. The longest source and the longest target may "
    "belong to two different pairs, and the batch is as wide as both.",
    hint="Some of your batches cost more than `max_tokens`: the longest source and the longest target of a batch need "
    "not belong to the same pair. Keep a maximum for each side.",
)

mistake(
    "translation.token_batches",
    "sentences-not-tokens",
    edit("(len(batch) + 1) * (source + target)", "len(batch) + 1"),
    base="one-list-at-a-time",
    section="token-budget",
    why="The budget was read as a number of sentences. Batches of short sentences then leave most of the machine idle, "
    "and those of long ones may not fit into its memory.",
    hint="Your batches hold `max_tokens` pairs, but the budget counts tokens: the number of pairs times what one of "
    "them takes after padding.",
)

mistake(
    "translation.token_batches",
    "newcomer-not-counted",
    edit("len(batch) + 1", "len(batch)"),
    base="one-list-at-a-time",
    section="token-budget",
    why="It was asked whether the batch is full before the next pair joins, and the pair then joined without being "
    "counted. The last pair of a batch takes it over the budget.",
    hint="Your batches are one pair too large: count the pair that is about to join, `len(batch) + 1`, with the "
    "lengths that the batch has after it has joined.",
)

mistake(
    "translation.token_batches",
    "lengths-of-the-others",
    edit("source + target", "longest_source + longest_target"),
    base="one-list-at-a-time",
    section="token-budget",
    why="The pair that joins was counted, but not that it may be longer than all others in the batch. In rising order "
    "it always is, so every batch may exceed the budget.",
    hint="Some of your batches cost more than `max_tokens`: the pair that joins may be the longest of them, and all "
    "others are padded to it. Update the longest lengths before you compare.",
)

mistake(
    "translation.token_batches",
    "last-batch-lost",
    edit("if batch:\n    batches.append(batch)", ""),
    base="one-list-at-a-time",
    section="like-lengths",
    why="A batch is stored when the next one begins. The last one is never followed by another, so its pairs are lost.",
    hint="The longest pairs are in no batch: the last batch has no successor that would store it. Store it after the "
    "loop.",
)

mistake(
    "translation.token_batches",
    "not-sorted",
    edit(
        "sorted(range(len(pairs)), key=lambda position: (len(pairs[position][0]), len(pairs[position][1])))",
        "range(len(pairs))",
    ),
    base="one-list-at-a-time",
    section="like-lengths",
    why="The pairs were taken in the order in which they came. A long pair then pads all the short ones that share its "
    "batch, and more than half of the tokens may be padding.",
    hint="Your batches keep to the budget, but hold far more padding than they need: short pairs are padded to long "
    "ones. Sort the positions by length first.",
)

mistake(
    "translation.token_batches",
    "one-pair-each",
    edit("batch and (len(batch) + 1) * (source + target) > max_tokens", "batch"),
    base="one-list-at-a-time",
    section="like-lengths",
    why="Every pair got a batch to itself. There is no padding then, but also nothing that is computed side by side, "
    "which is what batches are for.",
    hint="Each of your batches holds one pair. Let pairs join the batch as long as the budget allows it.",
)

mistake(
    "translation.token_batches",
    "longest-never-reset",
    edit("(len(pairs[position][0]), len(pairs[position][1]))", "(-len(pairs[position][0]), -len(pairs[position][1]))"),
    edit("batch, source, target = [], len(pairs[position][0]), len(pairs[position][1])", "batch = []"),
    base="one-list-at-a-time",
    section="like-lengths",
    why="The longest lengths were kept from one batch to the next. A new batch is then charged for pairs that are not "
    "in it, and holds fewer pairs than it could.",
    hint="You need more batches than necessary: a new batch still pays for the longest source and target of the ones "
    "before it. Set both back to those of its first pair.",
)

mistake(
    "translation.token_batches",
    "pairs-returned",
    edit("batch.append(position)", "batch.append(pairs[position])"),
    base="one-list-at-a-time",
    section="like-lengths",
    why="The batches hold the pairs themselves. What is wanted is their positions, so that the caller can look up "
    "anything that belongs to a pair.",
    hint="Your batches hold token lists. Put the positions of the pairs into them: numbers from 0 to `len(pairs) - 1`.",
)

mistake(
    "translation.token_batches",
    "positions-in-sorted-order",
    edit("batches = []", "batches = []\npairs = sorted(pairs, key=lambda pair: (len(pair[0]), len(pair[1])))"),
    base="one-list-at-a-time",
    section="like-lengths",
    why="The pairs were sorted first, and the positions count in the sorted list. The caller's list is in another "
    "order, so each position names a different pair there.",
    hint="Your batches keep to the budget in a sorted list that only your function knows: a position has to be one in "
    "the caller's `pairs`. Sort the positions by the length found there, not the pairs.",
)


mistake(
    "translation.token_batches",
    "full-pair-refused",
    edit("cost > max_tokens", "cost >= max_tokens"),
    base="one-list-at-a-time",
    section="budget-errors",
    why="A pair that costs exactly `max_tokens` was refused. The budget is a largest allowed value, and such a pair "
    "fits, alone in its batch.",
    hint="A pair that costs exactly `max_tokens` raises an error, but it fits: raise only where the cost is larger, "
    "`>` and not `>=`.",
)

mistake(
    "translation.token_batches",
    "too-long-alone",
    edit(
        """
        if cost > max_tokens:
            raise ValueError(f"Pair {position} costs {cost} tokens, more than max_tokens={max_tokens}.")
        """,
        "del cost",
    ),
    base="one-list-at-a-time",
    section="budget-errors",
    why="A pair that is larger than the budget got a batch to itself, without a word. The limit is there because more "
    "does not fit into memory, so the run fails later, far from the reason.",
    hint="A pair that alone costs more than `max_tokens` gets a batch in your answer. No batch may cost more than the "
    "budget: raise a `ValueError` that names the pair's position.",
)

mistake(
    "translation.token_batches",
    "too-long-dropped",
    edit(
        """
        if cost > max_tokens:
            raise ValueError(f"Pair {position} costs {cost} tokens, more than max_tokens={max_tokens}.")
        """,
        "del cost",
    ),
    edit("source = max(", "if sum(map(len, pairs[position])) > max_tokens:\n    continue\nsource = max("),
    base="one-list-at-a-time",
    section="budget-errors",
    why="Pairs that are larger than the budget were left out silently. The data shrink without anybody noticing, and "
    "always by the longest sentences.",
    hint="A pair that alone costs more than `max_tokens` disappears from your batches. Data that are silently dropped "
    "are never missed: raise a `ValueError` that names the pair's position.",
)

mistake(
    "translation.token_batches",
    "error-without-position",
    edit(
        'f"Pair {position} costs {cost} tokens, more than max_tokens={max_tokens}."',
        '"A pair is longer than max_tokens allows."',
    ),
    base="one-list-at-a-time",
    section="budget-errors",
    why="The error does not say which pair is too long. In a file of a million lines nobody finds it then.",
    hint="You raise the right error, but its message does not name the pair. Put its position into the text: "
    "`enumerate(pairs)` gives it.",
)

mistake(
    "translation.token_batches",
    "position-of-the-sorted-list",
    edit("enumerate(pairs)", "enumerate(sorted(pairs, key=lambda pair: len(pair[0]) + len(pair[1])))"),
    base="one-list-at-a-time",
    section="budget-errors",
    why="The error names the position that the pair has after sorting. The caller's list is in another order, so "
    "another pair is blamed.",
    hint="Your message names a position in the sorted list. The caller knows only `pairs`: name the position there.",
)

mistake(
    "translation.token_batches",
    "empty-fails",
    edit("batches = []", "max(len(source) + len(target) for source, target in pairs)\nbatches = []"),
    base="one-list-at-a-time",
    section="budget-errors",
    why="The longest of all pairs is looked for before it is known that there is one. `max` of nothing is an error.",
    hint="Without pairs your function fails; it should return `[]`. `max(..., default=0)` or a loop that does not run "
    "at all take care of it.",
)

mistake(
    "translation.token_batches",
    "empty-batch",
    edit("if batch:\n    batches.append(batch)", "batches.append(batch)"),
    base="one-list-at-a-time",
    section="budget-errors",
    why="The last batch is stored without asking whether there is anything in it. Without pairs there is one batch "
    "with nothing in it, of which no tensor can be made.",
    hint="Without pairs you return one empty batch. Store the last batch only if there is something in it.",
)

mistake(
    "translation.token_batches",
    "pairs-shuffled",
    edit(
        "batch, longest_source, longest_target = [], 0, 0",
        """
        batch, longest_source, longest_target = [], 0, 0
        if generator is not None:
            order = torch.randperm(len(pairs), generator=generator).tolist()
        """,
    ),
    edit(
        """
        if generator is not None:
            batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
        """,
        "",
    ),
    base="one-list-at-a-time",
    section="shuffled-batches",
    why="The pairs were shuffled, and then divided in that order. Long and short pairs meet in one batch, and the "
    "padding is back that sorting had saved.",
    hint="With a generator your batches hold other pairs than without. Divide first, then shuffle whole batches: what "
    "is in them stays.",
)

mistake(
    "translation.token_batches",
    "generator-ignored",
    edit(
        "batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]",
        "random.shuffle(batches)",
    ),
    base="one-list-at-a-time",
    section="shuffled-batches",
    why="The batches were shuffled with Python's own random numbers. The generator has no say, so a run cannot be "
    "repeated.",
    hint="Two calls with the same seed give batches in different orders: you shuffle with `random`, which knows "
    "nothing of the generator. Draw the order with `torch.randperm(len(batches), generator=generator)`.",
)

mistake(
    "translation.token_batches",
    "generator-not-passed",
    edit("torch.randperm(len(batches), generator=generator)", "torch.randperm(len(batches))"),
    base="one-list-at-a-time",
    section="shuffled-batches",
    why="`torch.randperm` was called without the generator, so it draws from PyTorch's own. The order then depends on "
    "all that was random before.",
    hint="The order of your batches does not come from the generator: hand it to `torch.randperm` by name, "
    "`generator=generator`.",
)

mistake(
    "translation.token_batches",
    "never-shuffled",
    edit(
        """
        if generator is not None:
            batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
        """,
        "",
    ),
    base="one-list-at-a-time",
    section="shuffled-batches",
    why="The generator was ignored. Every epoch then goes from the shortest sentences to the longest, and the model is "
    "pulled to one and then to the other.",
    hint="With a generator your batches come in the same order as without one: put them into the order of "
    "`torch.randperm(len(batches), generator=generator)`.",
)

mistake(
    "translation.token_batches",
    "always-shuffled",
    edit("generator is not None", "True"),
    base="one-list-at-a-time",
    section="shuffled-batches",
    why="The batches were shuffled even without a generator. An evaluation that is to be the same each time is not.",
    hint="Without a generator your batches come in another order each time. Shuffle only if `generator is not None`.",
)


@mistake(
    "translation.token_batches",
    "generator-started-again",
    section="shuffled-batches",
    why="A new generator was made with the seed of the one that is given. It starts where that one started long ago, "
    "so every epoch gets the same order.",
    hint="Your order is not the one that the generator draws: you make another one with its seed, which gives the same "
    "order in every epoch. Pass on the one that you get, `torch.randperm(len(batches), generator=generator)`.",
)
def token_batches(pairs, max_tokens, generator=None):
    for position, (source, target) in enumerate(pairs):
        if len(source) + len(target) > max_tokens:
            raise ValueError(f"Pair {position} costs {len(source) + len(target)} tokens, more than {max_tokens}.")
    batches = []
    longest_source = longest_target = 0
    for position in sorted(range(len(pairs)), key=lambda position: (len(pairs[position][0]), len(pairs[position][1]))):
        source = max(longest_source, len(pairs[position][0]))
        target = max(longest_target, len(pairs[position][1]))
        if not batches or (len(batches[-1]) + 1) * (source + target) > max_tokens:
            batches.append([])
            source, target = len(pairs[position][0]), len(pairs[position][1])
        batches[-1].append(position)
        longest_source, longest_target = source, target
    if generator is not None:
        own = torch.Generator().manual_seed(generator.initial_seed())
        batches = [batches[index] for index in torch.randperm(len(batches), generator=own).tolist()]
    return batches


@mistake(
    "translation.token_batches",
    "positions-looked-up",
    section="like-lengths",
    why="The pairs were sorted, and the position of each was looked up with `index`, which finds the first pair that "
    "is equal. Pairs that occur twice are then in the batches twice at one position, and never at the other.",
    hint="Some positions come twice, and others never: `pairs.index(pair)` finds the first of several equal pairs. "
    "Sort the positions themselves, `sorted(range(len(pairs)), key=...)`.",
)
def token_batches(pairs, max_tokens, generator=None):
    for position, (source, target) in enumerate(pairs):
        if len(source) + len(target) > max_tokens:
            raise ValueError(f"Pair {position} costs {len(source) + len(target)} tokens, more than {max_tokens}.")
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
    section="like-lengths",
    why="The caller's list was sorted with `list.sort`, and the batches hold positions in the sorted list. Whoever "
    "stored something beside the pairs can no longer find it.",
    hint="After the call the caller's list is in another order, and your positions are those of the sorted list: "
    "`pairs.sort()` changes it. Sort the positions, `sorted(range(len(pairs)), key=...)`, and leave the list alone.",
)
def token_batches(pairs, max_tokens, generator=None):
    for position, (source, target) in enumerate(pairs):
        if len(source) + len(target) > max_tokens:
            raise ValueError(f"Pair {position} costs {len(source) + len(target)} tokens, more than {max_tokens}.")
    pairs.sort(key=lambda pair: (len(pair[0]), len(pair[1])))
    batches = []
    longest_source = longest_target = 0
    for position, pair in enumerate(pairs):
        source, target = max(longest_source, len(pair[0])), max(longest_target, len(pair[1]))
        if not batches or (len(batches[-1]) + 1) * (source + target) > max_tokens:
            batches.append([])
            source, target = len(pair[0]), len(pair[1])
        batches[-1].append(position)
        longest_source, longest_target = source, target
    if generator is not None:
        batches = [batches[index] for index in torch.randperm(len(batches), generator=generator).tolist()]
    return batches


# ---------------------------------------------------------------------------------------------------------------------
# training_step


mistake(
    "translation.training_step",
    "mean-of-means",
    edit("loss / max(tokens, 1)", "loss / batch.ntokens / len(batches)"),
    base="limit-of-infinity",
    section="step-per-token",
    why="Each micro-batch's loss was divided by its own tokens, and the sum by the number of micro-batches. A token in "
    "a batch with few tokens then weighs more than one in a batch with many.",
    hint="With several micro-batches your gradient is the mean of their means. Divide each loss by the tokens of *all* "
    "micro-batches of the step, which you can count before the loop.",
)

mistake(
    "translation.training_step",
    "own-tokens",
    edit("loss / max(tokens, 1)", "loss / batch.ntokens"),
    base="limit-of-infinity",
    section="step-per-token",
    why="Each micro-batch's loss was divided by its own tokens, and the gradients were added. With four micro-batches "
    "the gradient is about four times as large as it should be.",
    hint="With several micro-batches your gradient is too large: every loss is divided by the tokens of its own batch. "
    "Divide by those of all batches of the step.",
)

mistake(
    "translation.training_step",
    "sum-not-mean",
    edit("loss / max(tokens, 1)", "loss"),
    base="limit-of-infinity",
    section="step-per-token",
    why="The backward pass starts at the sum of the losses. The gradient then grows with the number of tokens in a "
    "step, and so would the learning rate that fits.",
    hint="Your gradient is that of a sum. Divide by the target tokens of the step before the backward pass.",
)

mistake(
    "translation.training_step",
    "mean-over-sentences",
    edit(
        "tokens = sum(batch.ntokens for batch in batches)",
        "tokens = sum(batch.ntokens for batch in batches)\nsentences = sum(len(batch.src) for batch in batches)",
    ),
    edit("loss / max(tokens, 1)", "loss / sentences"),
    base="limit-of-infinity",
    section="step-per-token",
    why="The loss was divided by the number of sentences instead of tokens. A step with long sentences has a larger "
    "gradient then than one with short ones.",
    hint="Your gradient is per sentence: divide by the tokens to be predicted, `batch.ntokens`, added up over the "
    "step.",
)

mistake(
    "translation.training_step",
    "padding-counted",
    edit("batch.ntokens", "batch.tgt_y.numel()"),
    base="limit-of-infinity",
    section="step-per-token",
    why="The tokens were counted as the size of the target tensors, padding included. Loss and gradient are then too "
    "small, by as much as there is padding.",
    hint="`tokens` counts padding as well: `tgt_y.numel()` is the size of the tensor. `batch.ntokens` counts what has "
    "to be predicted.",
)

mistake(
    "translation.training_step",
    "one-by-one",
    edit("optimizer.step()", ""),
    edit("(loss / max(tokens, 1)).backward()", "(loss / max(tokens, 1)).backward()\noptimizer.step()"),
    edit("hidden = model(", "optimizer.zero_grad()\nhidden = model("),
    base="limit-of-infinity",
    section="one-step",
    why="Every micro-batch made a step of its own. That is a training with small batches, in which the optimiser's "
    "rate counts several times.",
    hint="The optimiser makes a step for each micro-batch. Let the gradients add up over all of them, then step once, "
    "after the loop.",
)

mistake(
    "translation.training_step",
    "last-batch-only",
    edit("optimizer.zero_grad()", ""),
    edit("hidden = model(", "optimizer.zero_grad()\nhidden = model("),
    base="limit-of-infinity",
    section="one-step",
    why="The gradients are set back before each micro-batch. What the step uses is the gradient of the last one alone.",
    hint="Only the last micro-batch has a say: `zero_grad` inside the loop throws away what the others have added. Set "
    "the gradients back once, before the loop.",
)

mistake(
    "translation.training_step",
    "first-batch-only",
    edit("for batch in batches:", "for batch in batches[:1]:"),
    base="limit-of-infinity",
    section="one-step",
    why="Only the first micro-batch was used. The others were loaded and thrown away.",
    hint="Only the first micro-batch has a say. `batches` is a list, and the step belongs to all of them.",
)

mistake(
    "translation.training_step",
    "gradients-not-cleared",
    edit("optimizer.zero_grad()", ""),
    base="limit-of-infinity",
    section="one-step",
    why="The gradients of the step before were not set back. `backward` adds to what is there, so every step repeats "
    "all those before it.",
    hint="Gradients that were there before count in your step. `optimizer.zero_grad()` sets them back; call it before "
    "the first backward pass.",
)

mistake(
    "translation.training_step",
    "cleared-before-the-step",
    edit("optimizer.zero_grad()", ""),
    edit(
        "norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()",
        "norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()\noptimizer.zero_grad()",
    ),
    base="limit-of-infinity",
    section="step-order",
    why="The gradients were set back after the backward passes, just before the optimiser. It then steps with nothing "
    "at all, and no parameter ever changes.",
    hint="When your optimiser steps, the gradients are zero. Set them back *before* the backward passes, not after "
    "them.",
)

mistake(
    "translation.training_step",
    "evaluation-mode",
    edit("model.train()", ""),
    base="limit-of-infinity",
    section="one-step",
    why="The model was not put into training mode. After an evaluation it would go on without dropout, and the "
    "training would change in the middle.",
    hint="The model trains in the mode in which it comes, maybe without dropout. `model.train()` belongs at the "
    "beginning of every step.",
)

mistake(
    "translation.training_step",
    "clipped-each-time",
    edit(
        "(loss / max(tokens, 1)).backward()",
        """
        (loss / max(tokens, 1)).backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
        """,
    ),
    edit(
        """
        limit = math.inf if max_norm is None else max_norm
        norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
        """,
        "",
    ),
    base="limit-of-infinity",
    section="clip-once",
    why="The gradients were clipped after each micro-batch. What is clipped then is a part of the gradient, several "
    "times over, and the sum has another direction.",
    hint="With several micro-batches your clipped gradient has the wrong direction: you clip inside the loop. The "
    "gradient is complete only after the last backward pass; clip it there, once.",
)

mistake(
    "translation.training_step",
    "never-clipped",
    edit("math.inf if max_norm is None else max_norm", "math.inf"),
    base="limit-of-infinity",
    section="clip-once",
    why="`max_norm` was not used, or only after the optimiser had stepped. The one batch in a thousand whose gradient "
    "is huge then spoils the parameters.",
    hint="`max_norm` has no effect: the optimiser gets the gradient as it is. `nn.utils.clip_grad_norm_` shortens it, "
    "before the step.",
)

mistake(
    "translation.training_step",
    "clipped-by-value",
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()",
        """
        norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf).item()
        if max_norm is not None:
            nn.utils.clip_grad_value_(model.parameters(), max_norm)
        """,
    ),
    base="limit-of-infinity",
    section="clip-once",
    why="Every entry of the gradient was cut at `max_norm`. That changes the direction of the gradient; clipping by "
    "norm changes its length only.",
    hint="Your gradient has the wrong direction after clipping: `clip_grad_value_` cuts single entries. "
    "`clip_grad_norm_` shortens the gradient as a whole.",
)

mistake(
    "translation.training_step",
    "each-parameter-clipped",
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()",
        """
        norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf).item()
        for parameter in model.parameters():
            nn.utils.clip_grad_norm_([parameter], math.inf if max_norm is None else max_norm)
        """,
    ),
    base="limit-of-infinity",
    section="clip-once",
    why="Each parameter's gradient was clipped for itself. Long ones are shortened and short ones are not, so the "
    "gradient as a whole turns.",
    hint="Your gradient has the wrong direction after clipping: every parameter was clipped on its own. Give all "
    "parameters to `clip_grad_norm_` in one call.",
)

mistake(
    "translation.training_step",
    "always-rescaled",
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()",
        """
        norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf).item()
        if max_norm is not None:
            for parameter in model.parameters():
                parameter.grad.mul_(max_norm / norm)
        """,
    ),
    base="limit-of-infinity",
    section="clip-once",
    why="The gradient was given the length `max_norm` whatever its own length was. Short gradients are made longer, so "
    "that training never comes to rest.",
    hint="A gradient shorter than `max_norm` should stay as it is, but yours gets longer: scale only where the norm is "
    "larger.",
)

mistake(
    "translation.training_step",
    "norm-after-clipping",
    edit(
        "norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()",
        """
        norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()
        norm = math.hypot(*(parameter.grad.norm().item() for parameter in model.parameters()))
        """,
    ),
    base="limit-of-infinity",
    section="clip-once",
    why="The norm was measured after clipping. It never exceeds `max_norm` then, and says nothing about how large the "
    "gradient had been.",
    hint="`norm` is that of the clipped gradient. What tells you about a training is the norm before: it is what "
    "`clip_grad_norm_` returns.",
)

mistake(
    "translation.training_step",
    "norm-only-when-clipping",
    edit("limit = math.inf if max_norm is None else max_norm", "norm = 0.0"),
    edit(
        "norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()",
        "if max_norm is not None:\n    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm).item()",
    ),
    base="limit-of-infinity",
    section="clip-once",
    why="Without `max_norm` no norm was measured. The run without clipping is the one in which you want to see it.",
    hint="Without `max_norm` you report a norm of 0. Measure it all the same; `clip_grad_norm_` with an infinite limit "
    "changes nothing and returns the norm.",
)

mistake(
    "translation.training_step",
    "norm-of-norms",
    edit(
        "norm = nn.utils.clip_grad_norm_(model.parameters(), limit).item()",
        """
        norm = sum(parameter.grad.norm().item() for parameter in model.parameters())
        nn.utils.clip_grad_norm_(model.parameters(), limit)
        """,
    ),
    base="limit-of-infinity",
    section="clip-once",
    why="The norms of the parameters' gradients were added. The norm of the whole gradient is the root of the sum of "
    "their squares.",
    hint="`norm` is too large: it is the sum of the norms of all parameters. Lengths add up as squares do, under a "
    "root.",
)

mistake(
    "translation.training_step",
    "scheduler-first",
    edit("optimizer.step()", ""),
    edit("return StepResult(", "optimizer.step()\nreturn StepResult("),
    base="limit-of-infinity",
    section="step-order",
    why="The scheduler steps before the optimiser. The first rate of the schedule is never used, and every other one a "
    "step too early.",
    hint="Your optimiser steps at the rate of the step after it: the scheduler has to step last.",
)

mistake(
    "translation.training_step",
    "scheduler-every-batch",
    edit(
        "(loss / max(tokens, 1)).backward()",
        "(loss / tokens).backward()\nif scheduler is not None and batch is not batches[-1]:\n    scheduler.step()",
    ),
    base="limit-of-infinity",
    section="step-order",
    why="The scheduler steps once for each micro-batch. With accumulation the schedule runs ahead of the optimiser, "
    "and the warm-up is over too soon.",
    hint="The scheduler makes a step for each micro-batch; it counts steps of the optimiser, of which there is one.",
)

mistake(
    "translation.training_step",
    "scheduler-forgotten",
    edit("if scheduler is not None:\n    scheduler.step()", ""),
    base="limit-of-infinity",
    section="step-order",
    why="The scheduler never steps. The rate stays at its first value, which with a warm-up is the smallest of all.",
    hint="The scheduler stays where it is: call `scheduler.step()` after the optimiser's step, if there is a "
    "scheduler.",
)

mistake(
    "translation.training_step",
    "scheduler-required",
    edit("if scheduler is not None:\n    scheduler.step()", "scheduler.step()"),
    base="limit-of-infinity",
    section="step-order",
    why="The scheduler is called whether there is one or not. Without one the step ends in an error.",
    hint="Without a scheduler your function fails: `scheduler` is `None` then, so ask before you call it.",
)

mistake(
    "translation.training_step",
    "loss-of-the-last",
    edit("total += loss.item()", "total = loss.item() * tokens / batch.ntokens"),
    base="limit-of-infinity",
    section="one-step",
    why="The loss that is returned is that of the last micro-batch. It is judged by a part of the data of the step, "
    "and a small one.",
    hint="`loss` is that of the last micro-batch alone. Add up the sums of all, and divide by all tokens.",
)

mistake(
    "translation.training_step",
    "loss-as-sum",
    edit("total / max(tokens, 1)", "total"),
    base="limit-of-infinity",
    section="step-per-token",
    why="The sum of the losses was returned. Steps with more tokens then seem to be worse.",
    hint="`loss` is a sum over all tokens. Divide it by `tokens`: only a loss per token can be compared from step to "
    "step.",
)

mistake(
    "translation.training_step",
    "loss-divided-twice",
    edit("loss.item()", "(loss / max(tokens, 1)).item()"),
    base="limit-of-infinity",
    section="step-per-token",
    why="The loss that is reported was divided by the tokens in the loop, and again at the end. It is far too small.",
    hint="`loss` is divided by the tokens twice. Either add up sums and divide at the end, or add up what is divided "
    "already.",
)

mistake(
    "translation.training_step",
    "loss-is-a-tensor",
    edit("total += loss.item()", "total = total + loss.detach()"),
    base="limit-of-infinity",
    section="one-step",
    why="The loss is returned as a tensor. As long as somebody keeps it, with a graph of gradients behind it, the "
    "memory of the whole step is kept too.",
    hint="`loss` is a tensor: `loss.item()` is the number in it, and frees the graph that made it.",
)

mistake(
    "translation.training_step",
    "predicts-its-input",
    edit("batch.tgt_y.flatten", "batch.tgt.flatten"),
    base="limit-of-infinity",
    section="one-step",
    why="The loss compares the predictions with what the decoder reads, not with what comes next. The model learns to "
    "copy its input, which it can do perfectly and which is of no use.",
    hint="Loss and gradient are those of another task: you give `batch.tgt` to the loss. What is to be predicted is "
    "`batch.tgt_y`.",
)

mistake(
    "translation.training_step",
    "masks-forgotten",
    edit("model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", "model(batch.src, batch.tgt)"),
    base="limit-of-infinity",
    section="one-step",
    why="The masks were not given to the model. It then looks at padding, and at the very words that it has to "
    "predict.",
    hint="Loss and gradient are those of a model without masks: pass `batch.src_mask` and `batch.tgt_mask`, or the "
    "decoder reads its answers.",
)

mistake(
    "translation.training_step",
    "generator-forgotten",
    edit("model.generator(hidden)", "hidden"),
    base="limit-of-infinity",
    section="one-step",
    why="The hidden vectors were given to the loss as if they were log-probabilities. It is the generator that makes "
    "the one of the other.",
    hint="The loss gets hidden vectors. `model.generator` makes log-probabilities of them.",
)

mistake(
    "translation.training_step",
    "tokens-of-the-source",
    edit("batch.ntokens", "int((batch.src != PAD).sum())"),
    base="limit-of-infinity",
    section="step-per-token",
    why="The source tokens were counted. What is predicted, and what losses are added up over, are target tokens.",
    hint="`tokens` counts the sources. A loss belongs to each target token that is no padding: `batch.ntokens`.",
)

mistake(
    "translation.training_step",
    "tokens-of-the-input",
    edit("batch.ntokens", "int((batch.tgt != PAD).sum())"),
    edit("hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", ""),
    edit("model.generator(hidden)", "model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))"),
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "nn.utils.clip_grad_norm_(model.parameters(), limit)",
        "nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm)",
    ),
    base="limit-of-infinity",
    section="step-per-token",
    why="The tokens of the decoder's input were counted, which begin with BOS. In a padded row they are one more than "
    "the tokens that are predicted: the last of them, EOS, predicts nothing.",
    hint="You count the tokens that the decoder reads, `tgt`. What has to be predicted is `tgt_y`, and `batch.ntokens` "
    "is the number of its tokens.",
)

mistake(
    "translation.training_step",
    "divided-by-batches-too",
    edit("hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", ""),
    edit("model.generator(hidden)", "model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))"),
    edit("loss / max(tokens, 1)", "loss / tokens / len(batches)"),
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "nn.utils.clip_grad_norm_(model.parameters(), limit)",
        "nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm)",
    ),
    base="limit-of-infinity",
    section="step-per-token",
    why="Each loss was divided by the tokens of the whole step, and then by the number of micro-batches as well. The "
    "gradient is too small by this number.",
    hint="With several micro-batches your gradient is too small by their number. Divide by the tokens of the whole "
    "step, and by nothing else.",
)

mistake(
    "translation.training_step",
    "clipped-before-dividing",
    edit(
        "loss_fn(log_probs.flatten(0, -2), batch.tgt_y.flatten()) / max(tokens, 1)",
        "loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())",
    ),
    edit("loss.detach()", "loss.item()"),
    edit(
        "norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm)",
        """
        norm = nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm).item()
        for parameter in model.parameters():
            if parameter.grad is not None:
                parameter.grad /= tokens
        """,
    ),
    edit("float(total), tokens, float(norm)", "total / tokens, tokens, norm / tokens"),
    section="clip-once",
    why="The gradient of the summed losses was clipped, and only then divided by the tokens. The gradient that the "
    "optimiser uses is far shorter than the limit.",
    hint="Your gradient is clipped while it is still that of the sums, and becomes far too short when you divide it "
    "afterwards. Divide first, then clip.",
)

mistake(
    "translation.training_step",
    "limit-of-one",
    edit("hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", ""),
    edit("model.generator(hidden)", "model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))"),
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "nn.utils.clip_grad_norm_(model.parameters(), limit)",
        "nn.utils.clip_grad_norm_(model.parameters(), 1.0 if max_norm is None else max_norm)",
    ),
    base="limit-of-infinity",
    section="clip-once",
    why="Without `max_norm` the gradient was clipped to a norm of 1. `None` means that nothing is clipped.",
    hint="Your gradient is clipped to 1 although no `max_norm` is given. `None` clips nothing: measure the norm with "
    "an infinite limit.",
)

mistake(
    "translation.training_step",
    "loss-after-the-step",
    edit("hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", ""),
    edit("model.generator(hidden)", "model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))"),
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "nn.utils.clip_grad_norm_(model.parameters(), limit)",
        "nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm)",
    ),
    edit(
        "return StepResult(",
        """
        total = 0.0
        for batch in batches:
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            total += loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten()).item()
        return StepResult(
        """,
    ),
    base="limit-of-infinity",
    section="one-step",
    why="The loss was computed again after the optimiser's step. It is that of other parameters, and costs another "
    "forward pass.",
    hint="Your loss is that of the model after the step. Report the loss whose gradient you used: add it up in the "
    "loop.",
)

mistake(
    "translation.training_step",
    "scheduler-as-often-as-batches",
    edit("hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", ""),
    edit("model.generator(hidden)", "model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))"),
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "nn.utils.clip_grad_norm_(model.parameters(), limit)",
        "nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm)",
    ),
    edit("if scheduler is not None:", "for _ in batches:"),
    edit("scheduler.step()", "if scheduler is not None:\n    scheduler.step()"),
    base="limit-of-infinity",
    section="step-order",
    why="After the optimiser's step the scheduler steps once for each micro-batch. With accumulation the schedule runs "
    "ahead of the optimiser, and the warm-up is over too soon.",
    hint="The scheduler makes as many steps as there are micro-batches; it counts steps of the optimiser, of which "
    "there is one.",
)

mistake(
    "translation.training_step",
    "rows-in-another-order",
    edit("hidden = model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask)", ""),
    edit("model.generator(hidden)", "model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))"),
    edit("log_probs.flatten", "log_probs.transpose(0, 1).flatten"),
    edit("limit = math.inf if max_norm is None else max_norm", ""),
    edit(
        "nn.utils.clip_grad_norm_(model.parameters(), limit)",
        "nn.utils.clip_grad_norm_(model.parameters(), math.inf if max_norm is None else max_norm)",
    ),
    base="limit-of-infinity",
    section="one-step",
    why="Predictions and targets were flattened in different orders: the one by positions, the other by sentences. "
    "Each prediction is judged by the target of another position.",
    hint="Your losses compare predictions with targets of other positions. Flatten both in the same order, sentence by "
    "sentence: `log_probs.flatten(0, 1)` and `tgt_y.flatten()`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# evaluate


mistake(
    "translation.evaluate",
    "mean-of-sentence-scores",
    edit(
        "corpus_bleu(candidates, references)",
        "sum(map(corpus_bleu, zip(candidates), zip(references))) / max(len(pairs), 1)",
    ),
    base="lists-named-first",
    section="corpus-not-sentences",
    why="BLEU was worked out for each sentence and the mean taken. Most sentences have some length of n-gram without a "
    "match, which makes their score 0; BLEU is defined on the counts of the whole corpus.",
    hint="Your BLEU is the mean of the scores of single sentences. Give all candidates and references to `corpus_bleu` "
    "in one call: it adds up counts before it divides.",
)

mistake(
    "translation.evaluate",
    "characters",
    edit("words(output)", "list(output)"),
    edit("words(target)", "list(target)"),
    base="lists-named-first",
    section="corpus-not-sentences",
    why="Texts were given to BLEU as lists of characters. Runs of four letters match far more often than runs of four "
    "words, so the score is much too good.",
    hint="Your BLEU counts characters. An n-gram is made of words: `words(text)` gives them.",
)

mistake(
    "translation.evaluate",
    "split-at-spaces",
    edit("words(output)", "output.split()"),
    edit("words(target)", "target.split()"),
    base="lists-named-first",
    section="corpus-not-sentences",
    why="The texts were split at spaces, so that a full stop is part of the word before it. A right word with a wrong "
    "comma counts as wrong then.",
    hint="Your BLEU takes `Haus.` as one word: `text.split()` leaves punctuation where it is. `words(text)` separates "
    "it.",
)

mistake(
    "translation.evaluate",
    "references-as-candidates",
    edit(
        "corpus_bleu(candidates, references)",
        "corpus_bleu([one for (one,) in references], [[one] for one in candidates])",
    ),
    base="lists-named-first",
    section="corpus-not-sentences",
    why="Candidates and references were exchanged. The precision is then that of the references, and the brevity "
    "penalty falls on the wrong side.",
    hint="Your BLEU has candidates and references the wrong way round: what the model wrote comes first.",
)

mistake(
    "translation.evaluate",
    "scored-against-the-sources",
    edit("_, target", "target, _"),
    section="corpus-not-sentences",
    why="The translations were compared with the sources. They are in another language, so hardly anything matches.",
    hint="Your BLEU is 0, as if German and English were mixed up. The first texts of the pairs are to be translated, "
    "and the second ones are the references.",
)

mistake(
    "translation.evaluate",
    "right-words-before",
    edit("loss, tokens = 0.0, 0", 'loss, tokens, outputs = 0.0, 0, [""] * len(pairs)'),
    edit(
        "tokens += batch.ntokens",
        """
        tokens += batch.ntokens
        for position, row in zip(positions, log_probs.argmax(-1).view_as(batch.tgt_y).tolist()):
            row = row[: row.index(EOS)] if EOS in row else row
            outputs[position] = tokenizer.decode(row)
        """,
    ),
    edit("outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size, limit)", ""),
    base="lists-named-first",
    section="evaluating-translations",
    why="The translation was read off the predictions that the model makes while it reads the reference. At each "
    "position the right words before it are known, so one error never leads to the next: the score is too good.",
    hint="Your BLEU is too good: you take the most likely words with the *reference* as the decoder's input. When a "
    "translation is needed there is none; let the model read what it wrote itself (`translate`).",
)

mistake(
    "translation.evaluate",
    "share-not-percent",
    edit("corpus_bleu(candidates, references)", "corpus_bleu(candidates, references) / 100"),
    base="lists-named-first",
    section="evaluating-translations",
    why="BLEU was returned as a share from 0 to 1. It is always told from 0 to 100, here too.",
    hint="Your BLEU lies between 0 and 1. `corpus_bleu` gives 0 to 100, and so do all papers: leave it as it is.",
)

mistake(
    "translation.evaluate",
    "lower-cased",
    edit("words(output)", "words(output.lower())"),
    edit("words(target)", "words(target.lower())"),
    base="lists-named-first",
    section="corpus-not-sentences",
    why="Outputs and references were put into lower case first, or were compared as ids of a tokeniser that does so. "
    "BLEU is then too high: a word that is capitalised where it should not be counts as right.",
    hint="Your BLEU is too high: `Dog` counts as `dog`, as if you compared in lower case, or ids of the tokeniser in "
    "place of words. Give the texts to `words` as they are.",
)

mistake(
    "translation.evaluate",
    "tokenizer-forgotten-when-translating",
    edit(
        "translate(model, [source for source, _ in pairs], tokenizer, beam_size, max_tokens)",
        "translate(model, [source for source, _ in pairs], None, beam_size, max_tokens)",
    ),
    section="evaluating-translations",
    why="The tokenizer that was given makes the ids for the loss, but `translate` was called without it. It then takes "
    "the model's own, whose ids mean other words.",
    hint="With a `tokenizer` your loss is right and your BLEU is not: `translate` has to get the same one, or it takes "
    "the model's own.",
)

mistake(
    "translation.evaluate",
    "translated-in-length-order",
    edit("[source for source, _ in pairs]", "sorted((source for source, _ in pairs), key=len)"),
    section="corpus-not-sentences",
    why="The sources were sorted by length for decoding, and the translations were left in that order. Each is then "
    "compared with the reference of another sentence.",
    hint="Your BLEU is far too low: the translations come in the order of their lengths, the references in that of "
    "`pairs`. Put every translation back to its position.",
)

mistake(
    "translation.evaluate",
    "training-mode",
    edit("model.eval()", ""),
    base="lists-named-first",
    section="evaluation-mode",
    why="The model was judged in the mode in which it came. During training, dropout then spoils both scores.",
    hint="A model that comes in training mode is judged in it, dropout included. Call `model.eval()` first.",
)

mistake(
    "translation.evaluate",
    "mode-not-restored",
    edit("model.train(was_training)", ""),
    base="lists-named-first",
    section="evaluation-mode",
    why="The model stays in evaluation mode. The training that goes on afterwards runs without dropout, and nobody "
    "notices.",
    hint="After your evaluation the model is in evaluation mode, whatever it was in before. Remember `model.training`, "
    "and set it back at the end.",
)

mistake(
    "translation.evaluate",
    "mode-always-training",
    edit("model.train(was_training)", "model.train()"),
    base="lists-named-first",
    section="evaluation-mode",
    why="The model is put into training mode at the end, whatever it was in. Whoever evaluates twice, or translates "
    "next, does so with dropout.",
    hint="After your evaluation the model is in training mode even if it came in evaluation mode: set back what it "
    "was, `model.train(was_training)`.",
)

mistake(
    "translation.evaluate",
    "gradients-recorded",
    edit("torch.no_grad", "torch.enable_grad"),
    section="evaluation-mode",
    why="The forward passes record what a backward pass would need. Nobody will make one: it costs memory and time for "
    "nothing.",
    hint="While it is judged, the model runs with gradients enabled. Put `with torch.no_grad():` around it.",
)

mistake(
    "translation.evaluate",
    "mean-of-batch-means",
    edit('reduction="sum"', 'reduction="mean"'),
    edit("batch.ntokens", "1"),
    section="evaluating-translations",
    why="The loss is the mean of the batches' means. A batch with few tokens then counts as much as one with many.",
    hint="Your loss is a mean of means. Add up the sums of all batches, and divide once by all tokens.",
)

mistake(
    "translation.evaluate",
    "padding-in-the-loss",
    edit(
        'F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum")',
        'F.nll_loss(log_probs, targets, reduction="sum")',
    ),
    base="lists-named-first",
    section="evaluating-translations",
    why="Padding counts in the loss. The model never learned to predict it, so the more padding a batch has, the worse "
    "the loss seems.",
    hint="Your loss counts padding: `ignore_index=PAD` leaves it out.",
)

mistake(
    "translation.evaluate",
    "divided-by-padded-tokens",
    edit("batch.ntokens", "batch.tgt_y.numel()"),
    section="evaluating-translations",
    why="The sum of the losses was divided by the size of the target tensors. Padding adds nothing to the sum and "
    "something to the size, so the loss is too small.",
    hint="Your loss is too small: you divide by all positions of the targets, padding included. `batch.ntokens` counts "
    "those that were predicted.",
)

mistake(
    "translation.evaluate",
    "loss-per-sentence",
    edit("batch.ntokens", "len(batch.tgt)"),
    section="evaluating-translations",
    why="The loss was divided by the number of pairs. Long sentences then make a model look bad.",
    hint="Your loss is per sentence. Divide by the target tokens.",
)

mistake(
    "translation.evaluate",
    "perplexity",
    edit("loss / max(tokens, 1)", "math.exp(loss / max(tokens, 1)) if tokens else 0.0"),
    section="evaluating-translations",
    why="The perplexity was returned instead of the loss. It is the exponential of it.",
    hint='Under `"loss"` you return the perplexity, its exponential. Leave out the `exp`.',
)

mistake(
    "translation.evaluate",
    "smoothed-loss",
    edit(
        'F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum")',
        "LabelSmoothing(log_probs.shape[-1], PAD, 0.1)(log_probs, targets)",
    ),
    base="lists-named-first",
    section="evaluating-translations",
    why="The loss is that of smoothed targets, as in training. It is never 0, not even for a perfect model, and "
    "depends on how much was smoothed.",
    hint="Your loss is the one with label smoothing. For judging, the plain cross-entropy is wanted, which any two "
    "models can be compared by.",
)

mistake(
    "translation.evaluate",
    "predicts-its-input",
    edit("batch.tgt_y.flatten", "batch.tgt.flatten"),
    base="lists-named-first",
    section="evaluating-translations",
    why="The loss compares the predictions with what the decoder reads. The task is to predict the word after it.",
    hint="Your loss compares with `batch.tgt`, which the decoder reads. What is to be predicted is `batch.tgt_y`.",
)

mistake(
    "translation.evaluate",
    "tokenizer-ignored",
    edit("if tokenizer is None:\n    tokenizer = model.tokenizer", "tokenizer = model.tokenizer"),
    base="lists-named-first",
    section="evaluating-translations",
    why="The model's own tokeniser is used even if another one is given. The ids then mean other words.",
    hint="A tokeniser that is given has no effect: take `model.tokenizer` only if it is `None`.",
)

mistake(
    "translation.evaluate",
    "beam-size-ignored",
    edit(
        "translate(model, [source for source, _ in pairs], tokenizer, beam_size, max_tokens)",
        "translate(model, [source for source, _ in pairs], tokenizer, 1, max_tokens)",
    ),
    section="evaluating-translations",
    why="`beam_size` was accepted and not used: the sentences are decoded greedily. Two runs that should differ are "
    "equal.",
    hint="`beam_size` has no effect on your BLEU: hand it on to `translate`.",
)

mistake(
    "translation.evaluate",
    "long-pairs-refused",
    edit("max([max_tokens, *(len(source) + len(target) for source, target in ids)])", "max_tokens"),
    section="evaluating-translations",
    why="`token_batches` refuses a pair that costs more than `max_tokens`, and the evaluation ends in its error. While "
    "judging, every pair counts.",
    hint="A pair that costs more than `max_tokens` ends your evaluation. Raise the limit to the largest pair before "
    "you divide.",
)

mistake(
    "translation.evaluate",
    "long-pairs-dropped",
    edit(
        "for positions in token_batches(ids, limit):",
        """
        short = [position for position, pair in enumerate(ids) if sum(map(len, pair)) <= max_tokens]
        for positions in token_batches([ids[position] for position in short], limit):
        """,
    ),
    edit("batch = make_batch(", "positions = [short[position] for position in positions]\nbatch = make_batch("),
    base="lists-named-first",
    section="evaluating-translations",
    why="Pairs that cost more than `max_tokens` are left out of the loss. A model seems better then, since long "
    "sentences are hard.",
    hint="Pairs that cost more than `max_tokens` have no part in your loss. While judging, every pair counts: raise "
    "the limit to the largest.",
)

mistake(
    "translation.evaluate",
    "nothing-is-an-error",
    edit("max(tokens, 1)", "tokens"),
    section="evaluating-translations",
    why="Without pairs the sum is divided by 0 tokens. An evaluation of nothing should say 0, not end the run.",
    hint="Without pairs your evaluation divides by 0. `max(tokens, 1)` takes care of it.",
)

mistake(
    "translation.evaluate",
    "references-not-in-lists",
    edit("[words(target)]", "words(target)"),
    base="loss-pair-by-pair",
    section="corpus-not-sentences",
    why="Each sentence got its reference as a list of words, where a list of references is expected. Each word then "
    "counts as a reference of its own.",
    hint="`corpus_bleu` takes a *list of references* for each sentence. There is one, so it stands alone in a list: "
    "`[[words(target)] for _, target in pairs]`.",
)

mistake(
    "translation.evaluate",
    "smoothed-bleu",
    edit("corpus_bleu(candidates, references)", 'corpus_bleu(candidates, references, smooth="add-k")'),
    base="loss-pair-by-pair",
    section="corpus-not-sentences",
    why="The counts of BLEU were smoothed. That is for single sentences, which may have no match of four words; the "
    "score of a corpus becomes too high.",
    hint="Your BLEU is smoothed and therefore too high. Over a whole corpus nothing needs smoothing: leave `smooth` "
    "out.",
)

mistake(
    "translation.evaluate",
    "any-reference-will-do",
    edit("[[words(target)] for _, target in pairs]", "[[words(target) for _, target in pairs]] * len(pairs)"),
    base="loss-pair-by-pair",
    section="corpus-not-sentences",
    why="Each translation was compared with the references of all sentences. A phrase that is right in another "
    "sentence counts as right.",
    hint="Your BLEU is too high: every translation may match the references of all the others. Give each one its own, "
    "`[words(target)]`.",
)

mistake(
    "translation.evaluate",
    "eos-left-out",
    edit(
        'F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), reduction="sum")',
        'F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), ignore_index=EOS, reduction="sum")',
    ),
    edit("batch.ntokens", "batch.ntokens - 1"),
    base="loss-pair-by-pair",
    section="evaluating-translations",
    why="The end of the sentence was left out of the loss. A model has to predict it like a word: without it a "
    "translation would never end.",
    hint="Your loss leaves EOS out. It is predicted like any other token and counts; BOS, which is given, and padding "
    "do not.",
)

mistake(
    "translation.evaluate",
    "bos-counted",
    edit("batch.ntokens", "len(pair[1])"),
    base="loss-pair-by-pair",
    section="evaluating-translations",
    why="The loss was divided by the length of the target with BOS. BOS is given to the decoder, and nobody predicts "
    "it.",
    hint="Your loss is too small: you divide by one token more in each sentence, BOS. It is given and not predicted; "
    "`batch.ntokens` leaves it out.",
)

mistake(
    "translation.evaluate",
    "mean-of-sentence-losses",
    edit(
        'F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), reduction="sum")',
        "F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten())",
    ),
    edit("batch.ntokens", "1"),
    base="loss-pair-by-pair",
    section="evaluating-translations",
    why="The loss per token of every sentence was computed, and the mean of these. A token in a short sentence then "
    "counts more than one in a long one.",
    hint="Your loss is the mean over the sentences, each with its own loss per token. Add up the losses of all tokens, "
    "then divide once by their number.",
)

mistake(
    "translation.evaluate",
    "written-with-the-reference-at-hand",
    edit("loss, tokens = 0.0, 0", "loss, tokens, outputs = 0.0, 0, []"),
    edit(
        "tokens += batch.ntokens",
        """
        tokens += batch.ntokens
        likely = log_probs[0].argmax(-1).tolist()
        outputs.append(tokenizer.decode([one for one in likely if one > EOS]))
        """,
    ),
    edit("outputs = translate(model, [source for source, _ in pairs], tokenizer, beam_size)", ""),
    base="loss-pair-by-pair",
    section="evaluating-translations",
    why="BLEU was computed of the most likely next tokens while the decoder reads the reference. The model never has "
    "to live with its own errors, so the score says nothing about what it writes.",
    hint="Your outputs are predictions made with the reference at hand. BLEU is about what the model writes when it is "
    "alone: call `translate`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# attention_maps


mistake(
    "translation.attention_maps",
    "cross-from-the-decoder-itself",
    edit("layer.cross_attention", "layer.self_attention"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="For the cross-attention the decoder's own attention was read a second time. Its keys are target words, so the "
    "map is square.",
    hint='`"cross"` is the decoder\'s self-attention once more: its keys are target words. The source words are keys '
    "of `layer.cross_attention`.",
)

mistake(
    "translation.attention_maps",
    "decoder-and-cross-exchanged",
    edit(
        '{"encoder": encoder, "decoder": decoder, "cross": cross}',
        '{"encoder": encoder, "decoder": cross, "cross": decoder}',
    ),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="The decoder's two attentions were exchanged. One looks at the words written so far, the other at the source.",
    hint='`"decoder"` and `"cross"` are exchanged: the map whose keys are source words is `"cross"`.',
)

mistake(
    "translation.attention_maps",
    "encoder-from-the-decoder",
    edit("model.encoder", "model.decoder"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="The encoder's maps were read from the decoder. Its layers have a self-attention too, which looks at other "
    "words.",
    hint='`"encoder"` has the size of the target: its layers are those of `model.encoder`.',
)

mistake(
    "translation.attention_maps",
    "last-layer-only",
    edit("torch.stack([weights[0] for weights in layers])", "layers[-1]"),
    base="lists-first",
    section="attention-as-pictures",
    why="Only the last layer's maps were kept. What the layers below do is often easier to read.",
    hint="There is one layer in your maps: the model has several, and each of them has maps of its own.",
)

mistake(
    "translation.attention_maps",
    "heads-averaged",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers).mean(1)"),
    base="lists-first",
    section="attention-as-pictures",
    why="The heads were averaged. What one head does alone is lost: a head that looks at the word before and one that "
    "looks at the verb make a blur.",
    hint="There is no axis for the heads in your maps: leave them apart, whoever wants a mean can take it.",
)

mistake(
    "translation.attention_maps",
    "batch-axis-kept",
    edit("[weights[0] for weights in layers]", "layers"),
    base="lists-first",
    section="attention-as-pictures",
    why="The axis of the batch is still there. There is one sentence, so it has the size 1 and says nothing.",
    hint="Your maps have five axes: `weights` is `(1, H, T_q, T_k)` for one sentence. Take `weights[0]` before you "
    "stack, or concatenate along the first axis.",
)

mistake(
    "translation.attention_maps",
    "heads-first",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers).transpose(0, 1)"),
    base="lists-first",
    section="attention-as-pictures",
    why="Heads come before layers. A picture that has layers as rows shows heads there.",
    hint="The first two axes of your maps are exchanged: first the layer, then the head.",
)

mistake(
    "translation.attention_maps",
    "keys-as-rows",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers).mT"),
    base="lists-first",
    section="attention-as-pictures",
    why="Queries and keys were exchanged. Each row then shows who looks at a word, and no longer adds up to 1.",
    hint="Your maps are turned round: a row belongs to a query, and its weights add up to 1.",
)

mistake(
    "translation.attention_maps",
    "layers-from-the-top",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers[::-1])"),
    base="lists-first",
    section="attention-as-pictures",
    why="The layers come in reverse order. Layer 0 is the one that reads the embeddings.",
    hint="Your layers come from the top down; they should come in the order in which they act.",
)

mistake(
    "translation.attention_maps",
    "lists-of-maps",
    edit("torch.stack([weights[0] for weights in layers])", "layers"),
    base="lists-first",
    section="attention-as-pictures",
    why="Lists of tensors were returned. They cannot be indexed by layer and head at once, or averaged.",
    hint="Your maps are lists. Join the layers to one tensor `(layers, H, T_q, T_k)`.",
)

mistake(
    "translation.attention_maps",
    "last-word-dropped",
    edit("model(src, tgt)", "model(src, tgt[:, :-1])"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="The decoder was given the target without its last word, as in training. The map lacks the row of that word.",
    hint="Your decoder maps are one row too small: `tgt` is what the decoder reads, all of it.",
)

mistake(
    "translation.attention_maps",
    "looks-ahead",
    edit(
        "model(src, tgt)",
        """
        everything = torch.ones(1, 1, tgt.shape[1], tgt.shape[1], dtype=torch.bool)
        model(src, tgt, tgt_mask=everything)
        """,
    ),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="The decoder was run without its mask. It looks at words that are not written yet, which it never does when it "
    "is used.",
    hint='`"decoder"` has weights above the diagonal: the mask of the decoder was left out. `model(src, tgt)` makes '
    "both masks itself.",
)

mistake(
    "translation.attention_maps",
    "source-as-target",
    edit("model(src, tgt)", "model(src, src)"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="The source was given to the decoder. The maps then show how the model would copy, not how it translates.",
    hint="Your decoder maps have the size of the source: the decoder reads `tgt`.",
)

mistake(
    "translation.attention_maps",
    "softmax-again",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers).softmax(-1)"),
    base="lists-first",
    section="attention-as-pictures",
    why="A softmax was applied to the weights. They are probabilities already; a second one makes them nearly uniform.",
    hint="Your weights are nearly uniform: `weights` comes out of a softmax, do not apply another.",
)

mistake(
    "translation.attention_maps",
    "dropout-in-the-maps",
    edit("model.eval()", ""),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="leave-the-model",
    why="The model was called in the mode in which it came. With dropout, weights are struck out at random and the "
    "others are enlarged.",
    hint="In training mode your maps have holes where dropout struck. Call `model.eval()` first.",
)

mistake(
    "translation.attention_maps",
    "mode-not-restored",
    edit("model.train(was_training)", ""),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="leave-the-model",
    why="The model stays in evaluation mode. Whoever looks at maps in the middle of a training goes on without "
    "dropout.",
    hint="After your function the model is in evaluation mode, whatever it was in before. Remember `model.training`, "
    "and set it back.",
)

mistake(
    "translation.attention_maps",
    "mode-always-training",
    edit("model.train(was_training)", "model.train()"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="leave-the-model",
    why="The model is put into training mode at the end, whatever it was in. The next translation is made with "
    "dropout.",
    hint="After your function the model is in training mode even if it came in evaluation mode: set back what it was.",
)

mistake(
    "translation.attention_maps",
    "recorded",
    edit("torch.no_grad", "torch.enable_grad"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="leave-the-model",
    why="The maps are part of a graph of gradients. Each of them keeps all of the forward pass in memory, and none can "
    "be turned into an array for a picture.",
    hint="Your maps are recorded for gradients. Call the model within `torch.no_grad()`.",
)

mistake(
    "translation.attention_maps",
    "all-attentions-in-a-row",
    edit(
        "encoder = [layer.self_attention.weights for layer in model.encoder.layers]",
        "found = [module.weights for module in model.modules() if isinstance(module, MultiHeadAttention)]",
    ),
    edit("decoder = [layer.self_attention.weights for layer in model.decoder.layers]", "third = len(found) // 3"),
    edit(
        "cross = [layer.cross_attention.weights for layer in model.decoder.layers]",
        "encoder, decoder, cross = found[:third], found[third : 2 * third], found[2 * third :]",
    ),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="All attention modules were collected and cut into three parts. In a decoder layer the two kinds follow each "
    "other, so the decoder's part is a mixture of both.",
    hint='`"decoder"` and `"cross"` are mixtures: in the list of all modules, self-attention and cross- attention of '
    "the decoder take turns. Take every second one, or go through the layers.",
)

mistake(
    "translation.attention_maps",
    "first-sentence-for-ever",
    edit(
        "was_training = model.training",
        'if hasattr(model, "maps"):\n    return model.maps\nwas_training = model.training',
    ),
    edit(
        'maps = {"encoder": encoder, "decoder": decoder, "cross": cross}',
        """
        maps = {"encoder": encoder, "decoder": decoder, "cross": cross}
        model.maps = {name: torch.cat(layers) for name, layers in maps.items()}
        """,
    ),
    edit("{name: torch.stack([weights[0] for weights in layers]) for name, layers in maps.items()}", "model.maps"),
    base="lists-first",
    section="leave-the-model",
    why="The maps are kept with the model and returned for every later sentence as well. They are those of the first "
    "one.",
    hint="A second pair of sentences gets the maps of the first: nothing of an earlier call may be returned.",
)


# ---------------------------------------------------------------------------------------------------------------------
# read_alignment


mistake(
    "translation.read_alignment",
    "largest-over-targets",
    edit("weights.argmax(dim=1)", "weights.argmax(dim=0)"),
    section="reading-alignments",
    why="For each source word the target word that attends to it most was looked for. Every column has a maximum too, "
    "but the question was about rows.",
    hint="Your list has one entry for each *source* position. A row of `weights` belongs to a target position: take "
    "the maximum along the second axis.",
)

mistake(
    "translation.read_alignment",
    "smallest-weight",
    edit("weights.argmax", "weights.argmin"),
    section="reading-alignments",
    why="The smallest weight was taken. The word that a position looks at least is not its translation.",
    hint="You take the position of the smallest weight; the largest one is where the model looks.",
)

mistake(
    "translation.read_alignment",
    "last-of-equals",
    edit("row.index(max(row))", "max(range(len(row)), key=lambda position: (row[position], position))"),
    base="lists",
    section="reading-alignments",
    why="Of equal weights the last one was taken. The rule is the first, so that everybody reads the same alignment.",
    hint="Where two weights are equal you take the last position; the first one counts. `argmax` gives it, a "
    "comparison with `>=` does not.",
)

mistake(
    "translation.read_alignment",
    "tensor-returned",
    edit("weights.argmax(dim=1).tolist()", "weights.argmax(dim=1)"),
    section="reading-alignments",
    why="A tensor was returned. Positions are used as indices and compared with those of people, so plain numbers are "
    "wanted.",
    hint="You return a tensor; `.tolist()` makes a list of integers of it.",
)

mistake(
    "translation.read_alignment",
    "weights-returned",
    edit("weights.argmax(dim=1)", "weights.max(dim=1).values"),
    section="reading-alignments",
    why="The largest weights were returned, not where they are. How sure a position is says nothing about where it "
    "looks.",
    hint="You return the largest weights. Where they are is wanted: `argmax`, or the second thing that `max(dim=1)` "
    "returns.",
)

mistake(
    "translation.read_alignment",
    "counted-from-one",
    edit("weights.argmax(dim=1)", "(weights.argmax(dim=1) + 1)"),
    section="reading-alignments",
    why="The positions were counted from 1. As an index, each is one too large.",
    hint="Your positions are one too large: positions are counted from 0.",
)

mistake(
    "translation.read_alignment",
    "pairs-of-positions",
    edit("weights.argmax(dim=1).tolist()", "list(enumerate(weights.argmax(dim=1).tolist()))"),
    section="reading-alignments",
    why="A pair of positions was returned for each link. The target's position is known already: it is the one in the "
    "list.",
    hint="You return pairs. The target position is the index in the list, so the source position alone is wanted.",
)

mistake(
    "translation.read_alignment",
    "only-forwards",
    edit("weights.argmax(dim=1)", "weights.argmax(dim=1).cummax(dim=0).values"),
    section="alignment-caveats",
    why="A position was not allowed to look further back than the one before it. German puts its verbs at the end, so "
    "links have to cross.",
    hint="Your links never go back. Word order differs between the languages: each target position is read for itself.",
)


@mistake(
    "translation.read_alignment",
    "each-source-once",
    section="alignment-caveats",
    why="A source position that has been used was not used again. One German word may need two English ones, and then "
    "both point to it.",
    hint="Each source position occurs once at most in your alignment. Several target positions may look at the same "
    "one.",
)
def read_alignment(weights):
    links = []
    for row in weights.tolist():
        free = [position for position in range(len(row)) if position not in links] or list(range(len(row)))
        links.append(max(free, key=lambda position: row[position]))
    return links


@mistake(
    "translation.read_alignment",
    "threshold",
    section="alignment-caveats",
    why="Weights below one half were taken as no link at all. With several heads or many words, hardly any weight is "
    "that large.",
    hint="Where no weight is above one half, you return no position. The largest counts, however small it is.",
)
def read_alignment(weights):
    strongest = weights.max(dim=1)
    return [position if weight > 0.5 else None for weight, position in zip(*map(torch.Tensor.tolist, strongest))]


mistake(
    "translation.read_alignment",
    "rounded-first",
    edit("weights.argmax", "weights.mul(100).round().argmax"),
    section="alignment-caveats",
    why="The weights were rounded to two decimals before they were compared. In a long sentence all of them are alike "
    "then, and the first position wins.",
    hint="In long sentences you often return position 0: rounding has made the weights equal. Compare them as they "
    "are.",
)

mistake(
    "translation.read_alignment",
    "centre-of-gravity",
    edit(
        "return weights.sort(dim=1, descending=True, stable=True).indices[:, 0]",
        "positions = torch.arange(weights.shape[1], dtype=weights.dtype)\nreturn (weights @ positions).round().int()",
    ),
    base="stable-sort",
    section="reading-alignments",
    why="The mean position was worked out, weighted by the weights. Between two positions that both matter there is "
    "often one that does not.",
    hint="You return the mean of the positions: half of the weight on the first word and half on the last gives the "
    "middle one. Take the position of the largest weight.",
)

mistake(
    "translation.read_alignment",
    "spoils-the-weights",
    edit(
        "return weights.argmax(dim=1).tolist()",
        "links = weights.argmax(dim=1)\nweights[torch.arange(len(weights)), links] = 0\nreturn links.tolist()",
    ),
    section="reading-alignments",
    why="The largest weights were set to 0 in the caller's tensor. Whoever draws the map afterwards draws another one.",
    hint="After your call the weights are not what they were. Read them, and change nothing.",
)


# ---------------------------------------------------------------------------------------------------------------------
# train_translator


mistake(
    "translation.train_translator",
    "sources-returned",
    edit(
        """
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        """,
        "",
    ),
    edit("[english.decode(row) for row in rows.tolist()]", "list(sentences)"),
    base="constant-rate",
    section="capstone",
    why="`translate` returns the sentences as they came. Names and punctuation are right then, and nothing else.",
    hint="`translate` gives back the German sentences. Encode them, let the model write, and decode what it wrote.",
)

mistake(
    "translation.train_translator",
    "model-only",
    edit("model, translator", "model"),
    base="constant-rate",
    section="capstone",
    why="Only the model was returned. It works on ids, and nobody but this function knows what they mean.",
    hint="You return the model alone. `(model, translate)` is wanted: `translate` knows the vocabularies.",
)

mistake(
    "translation.train_translator",
    "translate-first",
    edit("model, translator", "translator, model"),
    base="constant-rate",
    section="capstone",
    why="The function and the model are returned in the wrong order. Who unpacks them counts the parameters of a "
    "function.",
    hint="You return `(translate, model)`; the model comes first.",
)

mistake(
    "translation.train_translator",
    "one-text",
    edit("[english.decode(row) for row in rows.tolist()]", '"\\n".join(english.decode(row) for row in rows.tolist())'),
    base="constant-rate",
    section="capstone",
    why="All translations were joined to one text. Nobody can tell any more which belongs to which sentence.",
    hint="`translate` returns one text. A list with one text for each sentence is wanted.",
)

mistake(
    "translation.train_translator",
    "ids-returned",
    edit("[english.decode(row) for row in rows.tolist()]", "rows.tolist()"),
    base="constant-rate",
    section="capstone",
    why="`translate` returns lists of ids. They are numbers of words in a vocabulary that nobody else has.",
    hint="`translate` returns lists of ids: decode them with the English vocabulary.",
)

mistake(
    "translation.train_translator",
    "too-many-parameters",
    edit("num_layers=1, d_model=64, d_ff=256", "num_layers=2, d_model=128, d_ff=512"),
    base="constant-rate",
    section="two-budgets",
    why="The model is far larger than the budget. In the time that there is, it sees less data than a small one would, "
    "so it is worse as well.",
    hint="Your model has more parameters than are allowed. For short sentences a width of 64 and one or two layers do.",
)


@mistake(
    "translation.train_translator",
    "pairs-remembered",
    section="hidden-split",
    why="The pairs were stored in a dictionary and looked up. A sentence that is not among them gets no translation at "
    "all, and the hidden ones are not among them.",
    hint="Your translator knows the pairs by heart, and nothing for any other sentence. What is scored are sentences "
    "that it has never seen.",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    known = dict(pairs)
    return nn.Linear(1, 1), lambda sentences: [known.get(sentence, "") for sentence in sentences]


@mistake(
    "translation.train_translator",
    "nearest-sentence",
    section="hidden-split",
    why="The translation of the most similar sentence among the pairs was returned. It shares many words with what is "
    "wanted, and is nearly always a translation of something else.",
    hint="Your translator gives the translation of the most similar sentence that it knows. Combining what it knows is "
    "what a model is for.",
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
    section="capstone",
    why="Every sentence gets the same translation. It shares a full stop and an article with most references, and that "
    "is all.",
    hint="All your translations are equal. A model that is trained for too short a time does that: it has learned "
    "which words are frequent, and not yet to read the source.",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    first, last = (
        Counter(words(english)[position] for _, english in pairs).most_common(1)[0][0] for position in (0, -1)
    )
    return nn.Linear(1, 1), lambda sentences: [f"{first} man does not see the woman {last}"] * len(sentences)


@mistake(
    "translation.train_translator",
    "words-one-by-one",
    section="capstone",
    why="Each German word was replaced by the English one that it occurs with most, and a model that has nothing to do "
    "with it was returned. Names and nouns are right then, word order and agreement are not.",
    hint="Your translations do not depend on the model that you return: `translate` has to use its parameters, and no "
    "table of words in its place.",
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


mistake(
    "translation.train_translator",
    "never-trained",
    edit("range(6)", "range(0)"),
    base="constant-rate",
    section="capstone",
    why="The model was built and returned without a single step. Its words are as random as its parameters.",
    hint="Your translations are random words: between `make_model` and `translate` the model has to be trained.",
)

mistake(
    "translation.train_translator",
    "trained-on-a-few",
    edit("torch.manual_seed(seed)", "torch.manual_seed(seed)\npairs = pairs[:100]"),
    base="constant-rate",
    section="hidden-split",
    why="Only the first hundred pairs were used, as in a first try. Most words of the hidden sentences do not occur in "
    "them.",
    hint="Your translator knows few words: train it on all the pairs, not on the first of them.",
)

mistake(
    "translation.train_translator",
    "not-repeatable",
    edit("torch.manual_seed(seed)", ""),
    edit("generator = torch.Generator().manual_seed(seed)", "generator = torch.Generator()\ngenerator.seed()"),
    edit("range(6)", "range(6 if len(pairs) < 100 else 0)"),
    base="constant-rate",
    section="repeatable-training",
    why="The seed was not used. Every training gives another model, and a good result cannot be had again.",
    hint="Trained twice with the same seed, your translator says different things: `torch.manual_seed(seed)` has to "
    "come before the model is made, and the generator of the batches needs the seed too.",
)

mistake(
    "translation.train_translator",
    "dropout-while-translating",
    edit("dropout=0.0", "dropout=0.5"),
    edit("range(6)", "range(6 if len(pairs) < 100 else 0)"),
    edit("model.eval()", ""),
    base="constant-rate",
    section="evaluation-mode",
    why="The model translates in training mode. Dropout strikes out a part of what it computes, another one each time.",
    hint="Your translator says something else when it is asked again: it is still in training mode. `model.eval()` "
    "belongs between training and translating.",
)

mistake(
    "translation.train_translator",
    "pairs-shuffled-in-place",
    edit("torch.manual_seed(seed)", "torch.manual_seed(seed)\nrandom.Random(seed).shuffle(pairs)"),
    base="constant-rate",
    section="repeatable-training",
    why="The caller's list was shuffled. Whatever is stored beside it belongs to other pairs afterwards.",
    hint="After your training the list of pairs is in another order. Shuffle a copy of it, or its positions.",
)

mistake(
    "translation.train_translator",
    "in-the-order-of-lengths",
    edit("range(6)", "range(60 if len(pairs) < 100 else 0)"),
    edit("src = pad_rows(", "sentences = sorted(sentences, key=len)\nsrc = pad_rows("),
    base="constant-rate",
    section="capstone",
    why="The sentences were sorted by length before they were translated, and the translations stayed in that order. "
    "Each is scored against the reference of another sentence.",
    hint="Your translations are not in the order of the sentences: put each back to its position.",
)

mistake(
    "translation.train_translator",
    "one-missing",
    edit(
        "[german.encode(sentence, add_eos=True) for sentence in sentences]",
        "[german.encode(sentence, add_eos=True) for sentence in sentences[: len(sentences) // 16 * 16]]",
    ),
    base="constant-rate",
    section="capstone",
    why="The last sentences that do not fill a batch were dropped. There are fewer translations than sentences.",
    hint="You return fewer translations than there are sentences: the last batch may be smaller than the others, and "
    "counts all the same.",
)
