"""Wrong implementations of the tasks of translation, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

import itertools
import math
import random
from collections import Counter

import torch
from torch import nn

from autograder.course.catalogue import edit, mistake
from solutions.multihead import MultiHeadAttention
from solutions.translation import token_batches, words

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
    why="Your BLEU is the mean of the scores of single sentences, and many of these are 0 for lack of a long match. "
    "BLEU is defined on the counts of the whole corpus. What should be added up before you divide?",
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
    why="Your BLEU is much too good. You counted characters, and runs of four letters match far more often than runs "
    "of four words. Which function of the unit splits a text into words?",
    hint="Your BLEU counts characters. An n-gram is made of words, which the function `words` gives you.",
)

mistake(
    "translation.evaluate",
    "split-at-spaces",
    edit("words(output)", "output.split()"),
    edit("words(target)", "target.split()"),
    base="lists-named-first",
    section="corpus-not-sentences",
    why="A right word with a wrong comma counts as wrong. You split at spaces, so a full stop is part of the word "
    "before it. Which function of the unit separates punctuation?",
    hint="Your BLEU takes `Haus.` as one word, because you split at spaces. The function `words` separates "
    "punctuation.",
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
    why="Your BLEU is wrong wherever lengths differ, because the brevity penalty compares them the wrong way round. "
    "You exchanged candidates and references. Which of them did the model write?",
    hint="You exchanged candidates and references. Pass `corpus_bleu` what the model wrote first.",
)

mistake(
    "translation.evaluate",
    "scored-against-the-sources",
    edit("_, target", "target, _"),
    section="corpus-not-sentences",
    why="Your BLEU is almost 0. You compared the translations with their sources, which are in another language. "
    "Which text of a pair is the reference?",
    hint="Your BLEU is almost 0, because you compare with the sources. The second text of each pair is the reference.",
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
    why="Your BLEU is too good: one error never leads to the next. You took predictions that the model makes while it "
    "reads the reference. What does the decoder read when the model translates on its own?",
    hint="Your BLEU is too good: you take the most likely words with the *reference* as the decoder's input. In real "
    "use there is no reference: let the model read what it wrote itself, with `translate`.",
)

mistake(
    "translation.evaluate",
    "share-not-percent",
    edit("corpus_bleu(candidates, references)", "corpus_bleu(candidates, references) / 100"),
    base="lists-named-first",
    section="evaluating-translations",
    why="Your BLEU lies between 0 and 1. You turned it into a share. On which scale do papers and `corpus_bleu` give "
    "it?",
    hint="Your BLEU lies between 0 and 1. `corpus_bleu` gives 0 to 100, as papers do: leave its result as it is.",
)

mistake(
    "translation.evaluate",
    "lower-cased",
    edit("words(output)", "words(output.lower())"),
    edit("words(target)", "words(target.lower())"),
    base="lists-named-first",
    section="corpus-not-sentences",
    why="Your BLEU is too high: a word with a wrong capital counts as right. You lower-cased the texts, or compared "
    "ids of a tokeniser that does so. In which form should the texts be compared?",
    hint="Your BLEU is too high: `Dog` counts as `dog`, since you compare in lower case or compare ids. Pass the texts "
    "to `words` as they are.",
)

mistake(
    "translation.evaluate",
    "tokenizer-forgotten-when-translating",
    edit(
        "translate(model, [source for source, _ in pairs], tokenizer, beam_size, max_tokens)",
        "translate(model, [source for source, _ in pairs], None, beam_size, max_tokens)",
    ),
    section="evaluating-translations",
    why="Your loss is right, but your BLEU is not. You did not pass the tokeniser to `translate`, which then uses the "
    "model's own, whose ids mean other words. Which call needs it?",
    hint="With a `tokenizer` your loss is right, but your BLEU is not. Pass the same one to `translate`, which "
    "otherwise uses the model's own.",
)

mistake(
    "translation.evaluate",
    "translated-in-length-order",
    edit("[source for source, _ in pairs]", "sorted((source for source, _ in pairs), key=len)"),
    section="corpus-not-sentences",
    why="Your BLEU is far too low. You translated in order of length, and each translation is compared with another "
    "sentence's reference. In which order must the translations come?",
    hint="Your BLEU is far too low: the translations are in order of length, the references in the order of `pairs`. "
    "Put every translation back at its position.",
)

mistake(
    "translation.evaluate",
    "training-mode",
    edit("model.eval()", ""),
    base="lists-named-first",
    section="evaluation-mode",
    why="The loss of a model that comes from training is too high and random. You left the model in training mode, "
    "with dropout. Which mode does an evaluation need?",
    hint="A model that comes in training mode keeps its dropout while you compute the loss. Put it into evaluation "
    "mode first.",
)

mistake(
    "translation.evaluate",
    "mode-not-restored",
    edit("model.train(was_training)", ""),
    base="lists-named-first",
    section="evaluation-mode",
    why="Training goes on without dropout after your evaluation. You left the model in evaluation mode. Which mode "
    "should it have afterwards?",
    hint="After your evaluation the model is in evaluation mode, whatever its mode was before. Remember "
    "`model.training`, and restore that mode at the end.",
)

mistake(
    "translation.evaluate",
    "mode-always-training",
    edit("model.train(was_training)", "model.train()"),
    base="lists-named-first",
    section="evaluation-mode",
    why="A model that came in evaluation mode runs with dropout afterwards. You put the model into training mode "
    "whatever its mode was. Which mode should it have afterwards?",
    hint="After your evaluation the model is in training mode even if it came in evaluation mode: remember the mode "
    "that you found, and restore it.",
)

mistake(
    "translation.evaluate",
    "gradients-recorded",
    edit("torch.no_grad", "torch.enable_grad"),
    section="evaluation-mode",
    why="Your evaluation needs memory and time for a backward pass that never comes. You left the recording of "
    "gradients on. What switches it off for a while?",
    hint="During the evaluation, the model runs with gradients enabled. Run it under `torch.no_grad()`.",
)

mistake(
    "translation.evaluate",
    "mean-of-batch-means",
    edit('reduction="sum"', 'reduction="mean"'),
    edit("batch.ntokens", "1"),
    section="evaluating-translations",
    why="A batch with few tokens counts as much as one with many. You averaged the means of the batches. Which two "
    "numbers should be added up over all batches?",
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
    why="The loss becomes worse with more padding, which the model never learned to predict. You counted the padding. "
    "How can the loss leave out one id?",
    hint="Your loss counts padding: tell the loss function which id it should ignore.",
)

mistake(
    "translation.evaluate",
    "divided-by-padded-tokens",
    edit("batch.ntokens", "batch.tgt_y.numel()"),
    section="evaluating-translations",
    why="Your loss is too small. You divided by all positions of the targets, padding included. Which attribute of a "
    "batch counts what was predicted?",
    hint="Your loss is too small: you divide by all positions of the targets, padding included. `batch.ntokens` counts "
    "those that were predicted.",
)

mistake(
    "translation.evaluate",
    "loss-per-sentence",
    edit("batch.ntokens", "len(batch.tgt)"),
    section="evaluating-translations",
    why="Long sentences make a model look bad. You divided by the number of pairs. By what should the sum be divided?",
    hint="Your loss is per sentence. Divide by the number of target tokens.",
)

mistake(
    "translation.evaluate",
    "mean-weighted-by-sentences",
    edit('reduction="sum").item()', 'reduction="mean").item() * len(places)'),
    edit("batch.ntokens", "len(places)"),
    section="evaluating-translations",
    why="Your loss changes with the way the pairs are batched. You weighted the mean loss of each batch by its number "
    "of sentences. How many terms does the mean loss of a batch have?",
    hint="You weight the mean loss of a batch by its number of sentences, but the mean is over target tokens. Add up "
    "the losses of all tokens, and divide once by their number.",
)

mistake(
    "translation.evaluate",
    "perplexity",
    edit("loss / max(tokens, 1)", "math.exp(loss / max(tokens, 1)) if tokens else 0.0"),
    section="evaluating-translations",
    why='Your "loss" is the perplexity. You took the exponential of the loss. Which step should you leave out?',
    hint='Under `"loss"` you return the perplexity, which is the exponential of the loss. Leave out the exponential.',
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
    why="Even a model that is always sure of the right word has a loss above 0. You used label smoothing, as in "
    "training. Which loss can compare any two models?",
    hint="Your loss is the one with label smoothing. Use the plain cross-entropy, by which any two models can be "
    "compared.",
)

mistake(
    "translation.evaluate",
    "predicts-its-input",
    edit("batch.tgt_y.flatten", "batch.tgt.flatten"),
    base="lists-named-first",
    section="evaluating-translations",
    why="Your loss is low for a model that copies what it reads. You compared the predictions with the decoder's "
    "input. Which of the two targets holds the next words?",
    hint="Your loss compares with `batch.tgt`, which the decoder reads. Compare with the ids to predict, "
    "`batch.tgt_y`.",
)

mistake(
    "translation.evaluate",
    "tokenizer-ignored",
    edit("if tokenizer is None:\n    tokenizer = model.tokenizer", "tokenizer = model.tokenizer"),
    base="lists-named-first",
    section="evaluating-translations",
    why="A tokeniser that the caller passes has no effect, so the ids mean other words. You always use the model's "
    "own. When is the model's own needed?",
    hint="A tokeniser that the caller passes has no effect. Use the model's own only if the argument is None.",
)

mistake(
    "translation.evaluate",
    "beam-size-ignored",
    edit(
        "translate(model, [source for source, _ in pairs], tokenizer, beam_size, max_tokens)",
        "translate(model, [source for source, _ in pairs], tokenizer, 1, max_tokens)",
    ),
    section="evaluating-translations",
    why="Two runs with different beam sizes are equal. You accept the argument and decode greedily. Which call needs "
    "it?",
    hint="`beam_size` has no effect on your BLEU: pass it to `translate`.",
)

mistake(
    "translation.evaluate",
    "long-pairs-refused",
    edit("max([max_tokens, *(len(source) + len(target) for source, target in ids)])", "max_tokens"),
    section="evaluating-translations",
    why="One long pair ends the whole evaluation. You passed `max_tokens` to `token_batches`, which refuses a larger "
    "pair, but here every pair counts. Which limit lets all pairs through?",
    hint="A pair that costs more than `max_tokens` ends your evaluation. Raise the limit to the largest pair before "
    "you make batches.",
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
    why="A model seems better than it is, because long sentences do not count. You left out pairs above the limit. "
    "Which limit lets all pairs through?",
    hint="Pairs that cost more than `max_tokens` are missing from your loss. Every pair counts here: raise the limit "
    "to the largest.",
)

mistake(
    "translation.evaluate",
    "nothing-is-an-error",
    edit("max(tokens, 1)", "tokens"),
    section="evaluating-translations",
    why="An evaluation without pairs divides by 0 and ends the run. You divided by the number of tokens. What is the "
    "smallest divisor that changes no other result?",
    hint="Without pairs your evaluation divides by 0. Use a divisor of at least 1.",
)

mistake(
    "translation.evaluate",
    "references-not-in-lists",
    edit("[words(target)]", "words(target)"),
    base="loss-pair-by-pair",
    section="corpus-not-sentences",
    why="Your evaluation raises a TypeError, because each word counts as a reference of its own. `corpus_bleu` expects "
    "a list of references for each sentence, and you gave it a list of words. How many references does a sentence have "
    "here?",
    hint="`corpus_bleu` raises a TypeError, because it takes a *list of references* for each sentence. Here there is "
    "one, so put it into a list of its own.",
)

mistake(
    "translation.evaluate",
    "smoothed-bleu",
    edit("corpus_bleu(candidates, references)", 'corpus_bleu(candidates, references, smooth="add-k")'),
    base="loss-pair-by-pair",
    section="corpus-not-sentences",
    why="Your BLEU is too high. You smoothed the counts, which is for single sentences. Does a whole corpus need "
    "smoothing?",
    hint="Your BLEU is smoothed and therefore too high. The counts of a whole corpus need no smoothing: leave `smooth` "
    "out.",
)

mistake(
    "translation.evaluate",
    "any-reference-will-do",
    edit("[[words(target)] for _, target in pairs]", "[[words(target) for _, target in pairs]] * len(pairs)"),
    base="loss-pair-by-pair",
    section="corpus-not-sentences",
    why="A phrase that is right in another sentence counts as right. You compared each translation with all "
    "references. Which reference belongs to a sentence?",
    hint="Your BLEU is too high: every translation may match the references of all the others. Give each translation "
    "only its own reference.",
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
    why="A model that never ends its translations loses nothing. You left EOS out of the loss, although it has to be "
    "predicted like a word. Which id alone should the loss leave out?",
    hint="Your loss leaves EOS out. EOS is predicted and counts like any other token; BOS and padding do not.",
)

mistake(
    "translation.evaluate",
    "bos-counted",
    edit("batch.ntokens", "len(pair[1])"),
    base="loss-pair-by-pair",
    section="evaluating-translations",
    why="Your loss is too small. You divided by one token too many per sentence: BOS is given, not predicted. Which "
    "attribute of a batch leaves BOS out?",
    hint="Your loss is too small: you also count BOS in each sentence, which is given and not predicted. "
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
    why="A token in a short sentence counts more than one in a long sentence. You averaged the losses of the "
    "sentences. Which two numbers should be added up over all of them?",
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
    why="Your BLEU says nothing about what the model writes on its own. You took the most likely next tokens while "
    "the decoder reads the reference. Which function lets the model read its own words?",
    hint="Your outputs are predictions from a decoder that reads the reference. BLEU measures what the model writes "
    "alone: call `translate`.",
)

mistake(
    "translation.evaluate",
    "padding-counts-like-words",
    edit("ignore_index=PAD, ", ""),
    edit("batch.ntokens", "batch.tgt_y.numel()"),
    base="lists-named-first",
    section="evaluating-translations",
    why="Your loss depends on how sentences are batched. You counted the predictions at padded positions, both in the "
    "sum and in the number of tokens. Which positions hold a word?",
    hint="Padding is in your loss and in the number by which you divide. Leave padded targets out of both.",
)

mistake(
    "translation.evaluate",
    "mean-weighted-by-padded-size",
    edit('reduction="sum").item()', 'reduction="mean").item() * batch.tgt_y.numel()'),
    edit("batch.ntokens", "batch.tgt_y.numel()"),
    base="lists-named-first",
    section="evaluating-translations",
    why="Batches with much padding have too much influence on your loss. You weighted the mean of each batch by its size "
    "with padding. How many tokens does that mean belong to?",
    hint="You weight each batch's mean by its padded size. Sum over the words, and divide once by their number.",
)

# ---------------------------------------------------------------------------------------------------------------------
# early_stopping


mistake(
    "translation.early_stopping",
    "last-of-equal-ones",
    edit("loss < losses[best]", "loss <= losses[best]"),
    section="early-stopping",
    why="A run whose loss stays the same never ends. You took the last of several equal losses as the best, but an "
    "equal loss is no progress. Which of them should stay the best?",
    hint="An equal loss counts as better in your code. Only a lower loss is progress: keep the first of equal ones.",
)

mistake(
    "translation.early_stopping",
    "one-too-patient",
    edit(">= patience", "> patience"),
    section="early-stopping",
    why="With `patience=1` your run waits for a second validation without progress. You allow one too many in the "
    "comparison. When is the patience used up?",
    hint="With `patience=1` one validation without progress should end the run, but yours waits for a second. Let "
    "equality end it, too.",
)

mistake(
    "translation.early_stopping",
    "best-one-counted",
    edit("len(losses) - 1 - best", "len(losses) - best"),
    section="early-stopping",
    why="Your run ends one validation too early. You counted the best validation among those without progress. How "
    "many came after it?",
    hint="With `patience=1` your run ends right at its best validation, because you count that one, too. Count the "
    "validations after it.",
)

mistake(
    "translation.early_stopping",
    "nan-is-best",
    edit("not math.isnan(loss) and (best is None or loss < losses[best])", "best is None or loss < losses[best]"),
    section="early-stopping",
    why="A NaN at the beginning stays the best for ever. You compared with it, and every comparison with NaN is false. "
    "How should NaN be treated?",
    hint="A NaN at the beginning is never replaced in your code. What is `3.0 < math.nan`? Leave NaN out.",
)

mistake(
    "translation.early_stopping",
    "highest-loss",
    edit("loss < losses[best]", "loss > losses[best]"),
    section="early-stopping",
    why="Your best validation is the worst one. You took the highest value, as if a loss were a score. In which "
    "direction does a loss improve?",
    hint="You take the highest loss. The best loss is the lowest one.",
)

mistake(
    "translation.early_stopping",
    "counted-from-one",
    edit("return best, best", "return None if best is None else best + 1, best"),
    section="early-stopping",
    why="Your index is one too large. You counted the validations from 1. From which number do the indices of a list "
    "count?",
    hint="Your index is one too large. Indices of a list start at 0.",
)

mistake(
    "translation.early_stopping",
    "loss-returned",
    edit("return best, best", "return None if best is None else losses[best], best"),
    section="early-stopping",
    why="You return the lowest loss, which does not say which checkpoint to keep. You returned a value instead of its "
    "index. What identifies a checkpoint?",
    hint="You return the lowest loss. Return its index, which says which checkpoint to keep.",
)

mistake(
    "translation.early_stopping",
    "compared-with-the-one-before",
    edit("loss < losses[best]", "loss < losses[index - 1]"),
    section="early-stopping",
    why="With 4, 3, 9, 8 the 8 counts as progress. You compared each loss with the one before it. With which loss "
    "should it be compared?",
    hint="4, 3, 9, 8: is the 8 progress? You compare each loss with the one before it. Compare it with the lowest so far.",
)


@mistake(
    "translation.early_stopping",
    "rises-in-a-row",
    section="early-stopping",
    why="A loss that goes up and down at the same height never ends your run. You count rises in a row. Below which "
    "loss must a validation be to count as progress?",
    hint="Your run ends only when losses rise one after the other. It should end when none of them is below the best.",
)
def early_stopping(losses, patience):
    if patience < 1:
        raise ValueError("patience must be at least 1")
    finite = [loss for loss in losses if not math.isnan(loss)]
    best = losses.index(min(finite)) if finite else None
    last = losses[-patience - 1 :]
    return best, len(last) > patience and all(one < other for one, other in itertools.pairwise(last))


mistake(
    "translation.early_stopping",
    "looks-no-further",
    edit(
        "if not math.isnan(loss) and (best is None or loss < losses[best]):\n    best = index",
        "if not math.isnan(loss) and (best is None or loss < losses[best]):\n    best = index\n"
        "elif best is not None and index - best >= patience:\n    break",
    ),
    edit("len(losses) - 1 - best >= patience", "index - best >= patience"),
    section="early-stopping",
    why="Better weights that a run finds later are overlooked. You stopped at the first stretch without progress. "
    "Which losses should be examined?",
    hint="You stop at the first stretch without progress. Find the best of all losses, then count what came after it.",
)

mistake(
    "translation.early_stopping",
    "best-of-nothing",
    edit("best = None", "best = 0"),
    edit("best is None or loss", "math.isnan(losses[best]) or loss"),
    section="early-stopping",
    why="When there is no best validation, your answer looks as if there were one. You return 0 where the list is "
    "empty or holds only NaN. Which value means that there is none?",
    hint="Without any loss, or with NaN alone, there is no best validation, but you return 0. Return `None` for it.",
)

mistake(
    "translation.early_stopping",
    "any-patience",
    edit(
        """
        if patience < 1:
            raise ValueError(f"patience is {patience}, but must be at least 1.")
        """,
        "",
    ),
    section="early-stopping",
    why="`patience=0` would end every run at its first validation. You accept this value. Which values make sense, and "
    "how should the function react to others?",
    hint="You accept `patience=0`, which makes no sense. Raise `ValueError` below 1.",
)

mistake(
    "translation.early_stopping",
    "sorted-in-place",
    edit("best = None", "best = None\nunsorted = list(losses)\nlosses.sort()"),
    edit("enumerate(losses)", "enumerate(unsorted)"),
    edit("loss < losses[best]", "loss < unsorted[best]"),
    section="early-stopping",
    why="After the call, the curve of the run is lost. You sorted the caller's list. Which operations only read a "
    "list?",
    hint="After your call the list of losses is in another order. Read it, and change nothing.",
)

mistake(
    "translation.early_stopping",
    "least-progress-demanded",
    edit("loss < losses[best]", "loss < losses[best] - 1e-4"),
    section="early-stopping",
    why="After 2.0 and 1.99999 your best validation is the first. You demanded a minimal improvement. Which validation "
    "has the lowest loss?",
    hint="After 2.0 and 1.99999 your best validation is the first one. Any lower loss is better: compare without a margin.",
)


@mistake(
    "translation.early_stopping",
    "rises-in-a-row-variant-2",
    section="early-stopping",
    why="A loss that comes down a little after a rise starts your count anew. You compare each loss with the one before. "
    "Below which loss must a validation be to count as progress?",
    hint="You compare each loss with the one before it. What counts is that none of them is below the best.",
)
def early_stopping(losses, patience):
    if patience < 1:
        raise ValueError("patience must be at least 1")
    known = [index for index, loss in enumerate(losses) if not math.isnan(loss)]
    waited = 0
    for one, other in itertools.pairwise(losses):
        waited = 0 if other < one else waited + 1
    return min(known, key=losses.__getitem__, default=None), bool(known) and waited >= patience


mistake(
    "translation.early_stopping",
    "nan-removed-first",
    edit("list(losses).index(min(numbers))", "numbers.index(min(numbers))"),
    edit("len(losses) - best", "len(numbers) - best"),
    base="lowest-first",
    section="early-stopping",
    why="With NaN among the losses your index is too small. You removed each NaN, so later losses moved to the left. In "
    "which list should the index count?",
    hint="Your index belongs to the list without NaN. Keep the original positions, and count every validation.",
)

mistake(
    "translation.early_stopping",
    "nan-not-counted",
    edit("len(losses) - best > patience", "len(numbers) - 1 - numbers.index(min(numbers)) >= patience"),
    base="lowest-first",
    section="early-stopping",
    why="A run that has diverged to NaN goes on. You counted only the validations with a number. Is a validation that "
    "gives NaN one without progress?",
    hint="Validations that give NaN do not use up your patience. Count every validation after the best one.",
)

mistake(
    "translation.early_stopping",
    "equal-loss-uses-no-patience",
    edit("len(losses) - 1 - best >= patience", "len(losses) > patience and min(losses[-patience:]) > losses[best]"),
    section="early-stopping",
    why="Your run goes on although its loss only returns to the best value. You stop only when all of the last losses "
    "are higher. Which losses bring something better?",
    hint="A loss equal to the best one keeps your run going, and so does NaN. Only a lower loss is progress.",
)

# ---------------------------------------------------------------------------------------------------------------------
# save_checkpoint


mistake(
    "translation.save_checkpoint",
    "no-optimizer",
    edit('"optimizer": optimizer.state_dict(),', ""),
    section="resume-to-the-bit",
    why="The first steps after an interruption differ. You did not save the optimiser's state, so its moments begin "
    "at zero. What does Adam remember between steps?",
    hint="Adam remembers means of gradients and of their squares. Your file lacks them: save the optimiser's state.",
)

mistake(
    "translation.save_checkpoint",
    "no-scheduler",
    edit('"scheduler": scheduler.state_dict(),', ""),
    section="resume-to-the-bit",
    why="The warm-up starts again after an interruption. You did not save the scheduler's state. What does a scheduler "
    "count?",
    hint="At which learning rate does a resumed training continue? The scheduler counts steps: save its state.",
)

mistake(
    "translation.save_checkpoint",
    "no-random-state",
    edit('"random": torch.get_rng_state(),', ""),
    section="resume-to-the-bit",
    why="Dropout drops other numbers after an interruption. You did not save the state of the random generator. Which "
    "function returns this state?",
    hint="Dropout draws random numbers. `torch.get_rng_state()` returns the state of their generator: save it.",
)

mistake(
    "translation.save_checkpoint",
    "no-position",
    edit('"position": position,', ""),
    section="resume-to-the-bit",
    why="The first batches of an epoch are read twice after an interruption. You did not save the position in the "
    "data. Which batch comes next?",
    hint="Which batch comes next after an interruption? Put the position into the file.",
)

mistake(
    "translation.save_checkpoint",
    "whole-model",
    edit("model.state_dict()", "model"),
    section="resume-to-the-bit",
    why="Your file needs the code of the model to be read and may execute anything. You saved the module itself. "
    "Which part of it holds only numbers?",
    hint="You save the module. Save its `state_dict()`, which holds numbers alone.",
)

mistake(
    "translation.save_checkpoint",
    "parameters-alone",
    edit("model.state_dict()", "{name: one.detach() for name, one in model.named_parameters()}"),
    section="resume-to-the-bit",
    why="Running means of a normalisation are lost. You saved only the parameters. What else does a model remember?",
    hint="You save the parameters alone. A model also has buffers, which its `state_dict()` includes.",
)

mistake(
    "translation.save_checkpoint",
    "half-precision",
    edit("model.state_dict()", "{name: one.half() for name, one in model.state_dict().items()}"),
    section="resume-to-the-bit",
    why="The weights that are loaded differ from those that were saved. You rounded the weights to 16 bits. Which type "
    "should they keep?",
    hint="Your weights are rounded. Save them in the dtype that they have.",
)

mistake(
    "translation.save_checkpoint",
    "seed-instead-of-state",
    edit("torch.get_rng_state()", "torch.Generator().manual_seed(torch.initial_seed()).get_state()"),
    section="resume-to-the-bit",
    why="The random numbers of the first steps come again. You saved the state in which the generator began. Which "
    "function returns its state now?",
    hint="You save the state in which the generator *began*. `torch.get_rng_state()` returns its state now.",
)

mistake(
    "translation.save_checkpoint",
    "fresh-generator",
    edit("torch.get_rng_state()", "torch.manual_seed(0).get_state()"),
    section="resume-to-the-bit",
    why="A training that saves differs from one that does not. You set a seed while saving. What may saving change?",
    hint="After your call PyTorch's generator has another state. Read its state, and set no seed.",
)

mistake(
    "translation.save_checkpoint",
    "moments-forgotten",
    edit("optimizer.state_dict()", '{**optimizer.state_dict(), "state": {}}'),
    section="resume-to-the-bit",
    why="The optimiser's moments begin at zero after an interruption. You saved only its options. Which two parts "
    "does its state have?",
    hint='The optimiser\'s `state_dict()` has two parts, and the moments are under "state". Save both.',
)

mistake(
    "translation.save_checkpoint",
    "next-position",
    edit('"position": position,', '"position": position + 1 if isinstance(position, int) else position,'),
    section="resume-to-the-bit",
    why="One batch is never read. You added 1 to the position. Which code knows which batch comes next?",
    hint="The position in your file is larger by 1 than the one passed. Save it as it is.",
)

mistake(
    "translation.save_checkpoint",
    "left-in-evaluation-mode",
    edit("everything = {", "model.eval()\neverything = {"),
    section="resume-to-the-bit",
    why="After saving, training goes on without dropout. You put the model into evaluation mode. Does saving need a "
    "mode?",
    hint="After your call the model is in evaluation mode, and the training goes on without dropout. Saving needs no "
    "mode: leave it alone.",
)

mistake(
    "translation.save_checkpoint",
    "over-the-old-one",
    edit("torch.save(everything, beside)", "torch.save(everything, path)"),
    edit("os.replace(beside, path)  # at once: whoever looks finds the old file or the new one", ""),
    section="whole-or-not-at-all",
    why="When the disk fills up, both the old and the new checkpoint are lost. You wrote over the old file. How can "
    "a complete file take its place?",
    hint="If the disk fills up while you write, nothing whole is left under `path`. Write beside the old file, and "
    "rename the new one when it is complete.",
)

mistake(
    "translation.save_checkpoint",
    "removed-first",
    edit(
        "torch.save(everything, beside)",
        "if os.path.exists(path):\n    os.remove(path)\ntorch.save(everything, beside)",
    ),
    section="whole-or-not-at-all",
    why="For a moment there is no checkpoint at all. You removed the old file before the new one had its name. Which "
    "call replaces a file at once?",
    hint="Between removing the old file and renaming the new one there is no checkpoint at all. `os.replace` does both "
    "in one step.",
)

mistake(
    "translation.save_checkpoint",
    "error-hidden",
    edit(
        "torch.save(everything, beside)",
        "try:\n    torch.save(everything, beside)\nexcept OSError:\n    return",
    ),
    section="whole-or-not-at-all",
    why="A run may go for hours without a checkpoint and without a message. You hid an error while writing. What "
    "should happen to this error?",
    hint="When the disk is full your function returns as if nothing had happened. Do not catch the error.",
)

mistake(
    "translation.save_checkpoint",
    "copied-over",
    edit(
        "os.replace(beside, path)  # at once: whoever looks finds the old file or the new one",
        "import shutil\n\nshutil.copyfile(beside, path)",
    ),
    section="whole-or-not-at-all",
    why="A crash in the middle leaves half a file under the path. You copied the new file over the old one, and a "
    "copy takes time. Which call replaces a file at once?",
    hint="Between the first and the last byte of your copy, `path` holds neither checkpoint. Rename the file instead, "
    "which happens at once.",
)

mistake(
    "translation.save_checkpoint",
    "in-another-folder",
    edit(
        'beside = f"{path}.part"', 'import tempfile\n\nbeside = os.path.join(tempfile.gettempdir(), "checkpoint.part")'
    ),
    section="whole-or-not-at-all",
    why="Saving fails when the temporary folder is on another disk. You wrote the new file there, and a file cannot be "
    "renamed across disks. In which folder should it be written?",
    hint="Renaming works within one disk only. Write the new file into the folder of `path`.",
)

mistake(
    "translation.save_checkpoint",
    "scheduler-step-alone",
    edit("scheduler.state_dict()", "scheduler.last_epoch"),
    section="resume-to-the-bit",
    why='The entry "scheduler" is a number, with which `load_state_dict` can do nothing. You saved the step alone. '
    "Which method gives the whole state?",
    hint='Your entry "scheduler" holds only the number of steps. Save what the scheduler\'s own `state_dict()` gives.',
)

mistake(
    "translation.save_checkpoint",
    "seed-as-a-number",
    edit("torch.get_rng_state()", "torch.initial_seed()"),
    section="resume-to-the-bit",
    why='The entry "random" is a number, and it is the same before and after training. You saved the seed, which does '
    "not tell how far the generator has come. What does?",
    hint='Your entry "random" is the seed. Save the present state of PyTorch\'s generator, a tensor of bytes.',
)

# ---------------------------------------------------------------------------------------------------------------------
# load_checkpoint


mistake(
    "translation.load_checkpoint",
    "optimizer-forgotten",
    edit('optimizer.load_state_dict(saved["optimizer"])', ""),
    section="resume-to-the-bit",
    why="The next step uses moments of another training. You did not restore the optimiser. Which parts of the file "
    "have not been used?",
    hint="The optimiser's next step uses other moments than those of the file. Load its state, too.",
)

mistake(
    "translation.load_checkpoint",
    "rates-of-now-kept",
    edit(
        'optimizer.load_state_dict(saved["optimizer"])',
        'optimizer.load_state_dict({**optimizer.state_dict(), "state": saved["optimizer"]["state"]})',
    ),
    section="resume-to-the-bit",
    why="After loading, the optimiser has its running means again, but another learning rate. You restored the state of "
    "the parameters alone. What else does the optimiser's `state_dict` hold?",
    hint="After loading, the learning rate is not the saved one. The optimiser's `state_dict` has two parts: restore "
    "both.",
)

mistake(
    "translation.load_checkpoint",
    "scheduler-forgotten",
    edit('scheduler.load_state_dict(saved["scheduler"])', ""),
    section="resume-to-the-bit",
    why="From the second step on, the learning rates are wrong. You did not restore the scheduler. Which parts of "
    "the file have not been used?",
    hint="Your first step has the right rate, which the optimiser knows, but the second does not. Load the scheduler's "
    "state, too.",
)

mistake(
    "translation.load_checkpoint",
    "model-forgotten",
    edit('model.load_state_dict(saved["model"])', ""),
    section="resume-to-the-bit",
    why="The model keeps its old weights, and the optimiser's moments belong to other ones. You did not restore the "
    "model. Which parts of the file have not been used?",
    hint="After your call the model still has its old weights. Load those of the file.",
)

mistake(
    "translation.load_checkpoint",
    "random-state-forgotten",
    edit('torch.set_rng_state(saved["random"])', ""),
    section="resume-to-the-bit",
    why="Dropout draws other numbers than it would have drawn. You did not restore the random generator. Which parts "
    "of the file have not been used?",
    hint="After your call `torch.rand(1)` gives another number than it would have given after saving. Restore the "
    "generator's state.",
)

mistake(
    "translation.load_checkpoint",
    "seeded-anew",
    edit('torch.set_rng_state(saved["random"])', "torch.manual_seed(0)"),
    section="resume-to-the-bit",
    why="A training that is interrupted ten times draws the same numbers ten times. You set a seed. Which entry of the "
    "file holds the generator's state?",
    hint="You set a seed, but the generator was in the middle of its numbers. Restore its state with "
    "`torch.set_rng_state`.",
)

mistake(
    "translation.load_checkpoint",
    "nothing-returned",
    edit('return saved["position"]', ""),
    section="resume-to-the-bit",
    why="The loop cannot continue its epoch, because it gets nothing back. You did not return the position. What does "
    "the caller have to know?",
    hint="The caller has to know which batch comes next: return the position.",
)

mistake(
    "translation.load_checkpoint",
    "everything-returned",
    edit('return saved["position"]', "return saved"),
    section="resume-to-the-bit",
    why="The loop gets a dictionary instead of a position. You returned everything that was saved. What does the "
    "caller have to know?",
    hint="You return all that was saved. Return only the position.",
)

mistake(
    "translation.load_checkpoint",
    "position-moved-on",
    edit('return saved["position"]', 'return saved["position"] + 1'),
    section="resume-to-the-bit",
    why="A batch is left out at every interruption. You added 1 to the position. Which position is in the file?",
    hint="You return another position than the one in the file. Return it as it is.",
)

mistake(
    "translation.load_checkpoint",
    "model-forgotten-variant-2",
    edit(
        'model.load_state_dict(saved["model"])', 'import copy\n\ncopy.deepcopy(model).load_state_dict(saved["model"])'
    ),
    section="resume-to-the-bit",
    why="The caller's model keeps its old weights. You filled a copy, which is lost. Which model should be filled?",
    hint="The caller's model is unchanged, because you fill a copy. Fill the model that was passed.",
)

mistake(
    "translation.load_checkpoint",
    "tensors-swapped",
    edit(
        'model.load_state_dict(saved["model"])',
        'for name, value in saved["model"].items():\n'
        '    owner, _, own = name.rpartition(".")\n'
        "    part = model.get_submodule(owner)\n"
        "    setattr(part, own, nn.Parameter(value) if own in dict(part.named_parameters()) else value)",
    ),
    section="resume-to-the-bit",
    why="The model never changes again. You gave it new parameters, and the optimiser still changes the old ones. How "
    "can numbers be loaded without exchanging the parameters?",
    hint="The optimiser holds the parameters of the model. You put others into the model: copy the numbers instead, as "
    "`load_state_dict` does.",
)

mistake(
    "translation.load_checkpoint",
    "left-in-evaluation-mode",
    edit('return saved["position"]', 'model.eval()\nreturn saved["position"]'),
    section="resume-to-the-bit",
    why="After loading, training goes on without dropout. You put the model into evaluation mode. Is the mode part "
    "of a checkpoint?",
    hint="After your call the model is in evaluation mode. The mode is not part of a checkpoint: leave it alone.",
)

mistake(
    "translation.load_checkpoint",
    "anything-is-executed",
    edit("weights_only=True", "weights_only=False"),
    section="resume-to-the-bit",
    why="The author of a file decides what is executed on your machine. You allowed the file to hold more than "
    "numbers. Which setting refuses to execute anything?",
    hint="A checkpoint may come from anywhere. Set `weights_only`, which refuses to execute anything.",
)

mistake(
    "translation.load_checkpoint",
    "last-epoch-alone",
    edit('scheduler.load_state_dict(saved["scheduler"])', 'scheduler.last_epoch = saved["scheduler"]["last_epoch"]'),
    section="resume-to-the-bit",
    why="Other schedulers, such as ReduceLROnPlateau, change the rate at the wrong step. You restored only the count "
    "of steps. Which method restores a whole state?",
    hint="With ReduceLROnPlateau your learning rate falls at another step. Restore all of the scheduler's state with `load_state_dict`.",
)

mistake(
    "translation.load_checkpoint",
    "scheduler-stepped-along",
    edit(
        'scheduler.load_state_dict(saved["scheduler"])',
        'for _ in range(saved["scheduler"]["last_epoch"]):\n    scheduler.step()',
    ),
    section="resume-to-the-bit",
    why="A scheduler that has made steps before your call continues too far along its curve. You made steps instead of "
    "loading its state. From which step do yours count?",
    hint="You call `scheduler.step()` for each saved step, which adds to the steps already made. Load the saved state.",
)

# ---------------------------------------------------------------------------------------------------------------------
# average_gradients


mistake(
    "translation.average_gradients",
    "mean-of-means",
    edit("all_reduce(total)", "all_reduce(total)\nprocesses = torch.tensor(1)\nall_reduce(processes)"),
    edit(
        "all_reduce(parameter.grad)\nparameter.grad /= max(total.item(), 1)",
        "parameter.grad /= max(tokens, 1)\nall_reduce(parameter.grad)\nparameter.grad /= processes",
    ),
    section="average-gradients",
    why="A token counts more in a process with few tokens. You averaged the means of the processes. By which number "
    "of tokens should the sum of all gradients be divided?",
    hint="You take the mean of the processes' means. Each token should count the same: divide the sum of all gradients "
    "by the tokens of all processes.",
)

mistake(
    "translation.average_gradients",
    "divided-by-processes",
    edit("all_reduce(total)", "all_reduce(total)\nprocesses = torch.tensor(1)\nall_reduce(processes)"),
    edit("max(total.item(), 1)", "processes"),
    section="average-gradients",
    why="Your gradients grow with the number of tokens. You divided by the number of processes, which suits losses "
    "that are means. What kind of losses are these?",
    hint="The losses are sums over tokens. Divide by all tokens, not by the number of processes.",
)

mistake(
    "translation.average_gradients",
    "own-tokens",
    edit("max(total.item(), 1)", "max(tokens, 1)"),
    section="average-gradients",
    why="The models of the processes drift apart. You divided by the tokens of each process. Which number do all "
    "processes share?",
    hint="Your processes end with different gradients, since each divides by its own tokens. How many tokens do all "
    "processes have together?",
)

mistake(
    "translation.average_gradients",
    "sum-left",
    edit("parameter.grad /= max(total.item(), 1)", ""),
    section="average-gradients",
    why="Your step grows with the number of tokens. You added the gradients and did not divide. Which loss should the "
    "gradient belong to?",
    hint="Your gradient is that of the sum of all losses. Divide it by the tokens of all processes.",
)

mistake(
    "translation.average_gradients",
    "divided-and-multiplied",
    edit("all_reduce(total)", "all_reduce(total)\nprocesses = torch.tensor(1)\nall_reduce(processes)"),
    edit("max(total.item(), 1)", "(max(total.item(), 1) / processes)"),
    section="average-gradients",
    why="Your gradient is multiplied by the number of processes. You corrected for an average, but `all_reduce` adds. "
    "Has anything here been divided by that number?",
    hint="Your gradient is multiplied by the number of processes. Nothing here has divided by this number, so leave it "
    "out.",
)

mistake(
    "translation.average_gradients",
    "zeros-not-kept",
    edit("parameter.grad = torch.zeros_like(parameter)", "all_reduce(torch.zeros_like(parameter))\ncontinue"),
    section="average-gradients",
    why="A parameter that only other processes used has no gradient here. You sent a tensor of zeros and threw it "
    "away afterwards. What does this tensor hold after `all_reduce`?",
    hint="You send zeros for an unused parameter, but its `grad` is still None. `all_reduce` writes the sum into your "
    "tensor of zeros: keep this tensor as the `grad`.",
)

mistake(
    "translation.average_gradients",
    "unused-left-out",
    edit("parameter.grad = torch.zeros_like(parameter)", "continue"),
    section="average-gradients",
    why="A process waits for ever, or receives the gradient of another parameter. You skipped a parameter without a "
    "gradient. What should this process contribute?",
    hint="One process has used a parameter that another has not. Both must exchange it: what should the second "
    "contribute?",
)

mistake(
    "translation.average_gradients",
    "idle-process-leaves",
    edit("total = torch.tensor(", "if tokens == 0:\n    return 0\ntotal = torch.tensor("),
    section="average-gradients",
    why="The other processes wait for ever. You returned at once in a process without tokens. In which exchanges must "
    "every process take part?",
    hint="Your process without tokens returns early. It must take part in every exchange, even with nothing to add.",
)

mistake(
    "translation.average_gradients",
    "division-by-nothing",
    edit("max(total.item(), 1)", "total.item()"),
    section="average-gradients",
    why="A step in which no process has a token turns the model into NaN. You divided by 0. What is the smallest "
    "divisor that changes no other step?",
    hint="If no process has a token, your gradients are 0/0, which is NaN. Divide by at least 1.",
)

mistake(
    "translation.average_gradients",
    "a-copy-is-reduced",
    edit("all_reduce(parameter.grad)", "all_reduce(parameter.grad.clone())"),
    section="average-gradients",
    why="The gradient is still that of one process. You exchanged a copy and lost it. Which tensor does `all_reduce` "
    "change?",
    hint="`all_reduce` changes the tensor that it gets. You pass a copy, which is lost: pass the gradient itself.",
)

mistake(
    "translation.average_gradients",
    "result-expected",
    edit("all_reduce(gradient)\nparameter.grad = gradient", "parameter.grad = all_reduce(gradient)"),
    base="divided-first",
    section="average-gradients",
    why="The gradient becomes None. You used what `all_reduce` returns, but it returns nothing. Which tensor holds the "
    "sum?",
    hint="You use what `all_reduce` returns, which is `None`. The sum is in the tensor that you passed.",
)

mistake(
    "translation.average_gradients",
    "tied-table-twice",
    edit(
        "for parameter in model.parameters():",
        "for parameter in [one for part in model.modules() for one in part.parameters(recurse=False)]:",
    ),
    section="average-gradients",
    why="The gradient of a tied table is added up and divided twice. You went through the modules, two of which hold "
    "this table. Which call lists every parameter once?",
    hint="You exchange a table twice because two modules share it. `model.parameters()` gives it once.",
)

mistake(
    "translation.average_gradients",
    "biases-left-out",
    edit("if not parameter.requires_grad:", "if parameter.dim() < 2:"),
    section="average-gradients",
    why="Biases and gains drift apart between processes. You exchanged only matrices. Which parameters are trained?",
    hint="After your call the gradients with a single axis are still those of one process. Exchange them, too.",
)

mistake(
    "translation.average_gradients",
    "tokens-added-again",
    edit("all_reduce(total)", ""),
    edit("all_reduce(parameter.grad)", "all_reduce(total)\nall_reduce(parameter.grad)"),
    section="average-gradients",
    why="Your count of tokens grows with every parameter. You exchanged the count again and again, and `all_reduce` "
    "adds in place. How often should it be exchanged?",
    hint="`all_reduce` changes `total` in place. A second call adds up sums: exchange the tokens once.",
)

mistake(
    "translation.average_gradients",
    "own-tokens-returned",
    edit("return total.item()", "return tokens"),
    section="average-gradients",
    why="The loss per token is wrong. You returned the tokens of one process. Whose tokens does the mean need?",
    hint="You return the tokens of one process. Return those of all processes together.",
)

mistake(
    "translation.average_gradients",
    "float32-on-the-way",
    edit(
        "all_reduce(parameter.grad)",
        "single = parameter.grad.float()\nall_reduce(single)\nparameter.grad = single.to(parameter.dtype)",
    ),
    section="average-gradients",
    why="A float64 model has gradients of only seven digits. You converted them for the exchange. Which type should "
    "they keep?",
    hint="With a model in float64 your gradients agree to seven digits only. Exchange them in the dtype that they have.",
)

mistake(
    "translation.average_gradients",
    "parameters-averaged",
    edit("all_reduce(parameter.grad)\nparameter.grad", "all_reduce(parameter.data)\nparameter.data"),
    section="average-gradients",
    why="The parameters have changed, but the gradients have not been averaged. You exchanged the parameters. Which "
    "tensors differ between processes?",
    hint="After your call the parameters have changed. They are the same in all processes: exchange the gradients.",
)

mistake(
    "translation.average_gradients",
    "order-of-its-own",
    edit(
        "for parameter in model.parameters():",
        "for parameter in sorted(model.parameters(), key=lambda one: 0 if one.grad is None else -one.grad.norm().item()):",
    ),
    section="average-gradients",
    why="Gradients of different parameters are added up, or no process continues. You chose an order that depends on "
    "the gradients. Which order is the same in all processes?",
    hint="Your order depends on the gradients, so processes exchange different parameters at a time. Use the order of "
    "`model.parameters()`.",
)

mistake(
    "translation.average_gradients",
    "tensor-returned",
    edit("return total.item()", "return total"),
    section="average-gradients",
    why="Every use of the returned count waits for the device. You returned a tensor. Which type should a count have?",
    hint="You return a tensor of one number. Return it as a plain `int`.",
)

# ---------------------------------------------------------------------------------------------------------------------
# training_resources


mistake(
    "translation.training_resources",
    "bracket-cut-to-an-integer",
    edit("(34 * d_model + 5 * num_heads * length)", "d_model * (34 + 5 * num_heads * length // d_model)"),
    section="cost-of-a-step",
    why="You count too few bytes for some sizes. You divided by d with `//`, which cuts off a fraction. In which form "
    "does the sum need no division?",
    hint="You count too few bytes where d does not divide 5 H T. Multiply out the bracket, so that nothing is divided.",
)

mistake(
    "translation.training_resources",
    "forward-only",
    edit("6 * (weights + output) + 12 *", "2 * (weights + output) + 4 *"),
    section="cost-of-a-step",
    why="You count a third of the operations of a training step. You left out the backward pass. What does it "
    "compute for each product of the forward pass?",
    hint="Your operations are a third of what a *training* step takes. Count the backward pass: two products for each "
    "one of the forward pass.",
)

mistake(
    "translation.training_resources",
    "two-for-a-weight",
    edit("6 * (weights", "2 * (weights"),
    section="cost-of-a-step",
    why="You count a third of the operations of the weights. You counted only the multiplication and the addition of "
    "the forward pass. In how many does a weight take part in the backward pass?",
    hint="You count the products of weights in the forward pass only. In how many multiplications and additions does a "
    "weight take part in the backward pass?",
)

mistake(
    "translation.training_resources",
    "one-for-a-product",
    edit("6 * (weights", "3 * (weights"),
    section="cost-of-a-step",
    why="You count half of the operations with weights. You took a multiplication with its addition as one. How do the "
    "peaks of devices count them?",
    hint="You count half of the operations with weights. A multiplication and an addition are two operations.",
)

mistake(
    "translation.training_resources",
    "every-parameter-multiplies",
    edit("6 * (weights + output)", "6 * (weights + small + output + length * d_model)"),
    section="cost-of-a-step",
    why="You count operations that do not exist. You included parameters that multiply nothing in N, such as "
    "positions. Which parameters are matrices that vectors are multiplied by?",
    hint="Your N counts all parameters. Leave out those that are only looked up or added.",
)

mistake(
    "translation.training_resources",
    "embedding-multiplies",
    edit("6 * (weights + output)", "6 * (weights + 2 * output)"),
    section="cost-of-a-step",
    why="You count the token table twice. Looking up a row takes no product. Which of its two uses is a product?",
    hint="Your N counts the tied table twice, but looking up a row takes no product. Count it once.",
)

mistake(
    "translation.training_resources",
    "output-layer-left-out",
    edit("6 * (weights + output)", "6 * weights"),
    section="cost-of-a-step",
    why="Your count lacks what is often the largest product of a small model. You left out the output layer, whose "
    "table is also the embedding. How often is a token multiplied by this table?",
    hint="Your N counts the layers alone. Every token is also multiplied by the whole output table.",
)

mistake(
    "translation.training_resources",
    "no-attention-term",
    edit(" + 12 * num_layers * d_model * length", ""),
    section="cost-of-a-step",
    why="Your count is too small for long sequences. You left out the products inside attention, which have no "
    "weights of their own. Which two products are they?",
    hint="Queries are multiplied by keys, and weights by values. No parameter counts these products: add them to those "
    "of the weights.",
)

mistake(
    "translation.training_resources",
    "attention-without-length",
    edit("12 * num_layers * d_model * length)", "12 * num_layers * d_model)"),
    section="cost-of-a-step",
    why="Your attention term is the same for every length. You left the length out. How many keys does one query meet?",
    hint="Your attention term is the same for every length. How many keys does one query meet?",
)

mistake(
    "translation.training_resources",
    "attention-with-length-squared",
    edit("12 * num_layers * d_model * length)", "12 * num_layers * d_model * length**2)"),
    section="cost-of-a-step",
    why="Your attention term is T times too large, where T is the length. You counted its square for each token. Is "
    "the square right for a token or for a whole sequence?",
    hint="You count T squared, which belongs to a whole sequence. You multiply by the tokens afterwards, so use T once "
    "here.",
)

mistake(
    "translation.training_resources",
    "attention-of-one-sequence",
    edit(
        "(6 * (weights + output) + 12 * num_layers * d_model * length) * tokens",
        "6 * (weights + output) * tokens + 12 * num_layers * d_model * length**2",
    ),
    section="cost-of-a-step",
    why="With several rows, you count too few operations. You took the attention term 12 L d T for the T tokens of one "
    "sequence. How many tokens does a step have in all?",
    hint="With several rows, your attention term is too small: it covers the tokens of one sequence. Count the term "
    "for every token of the step.",
)

mistake(
    "translation.training_resources",
    "halved-for-the-mask",
    edit("12 * num_layers * d_model * length)", "6 * num_layers * d_model * length)"),
    section="cost-of-a-step",
    why="Your attention term is half of the docstring's. You left out what the causal mask hides. What does the plain "
    "computation do with hidden scores?",
    hint="Your attention term is half of the one in the docstring. By convention, what the mask hides counts as well.",
)

mistake(
    "translation.training_resources",
    "sequences-for-tokens",
    edit("tokens = rows * length", "tokens = rows"),
    section="cost-of-a-step",
    why="Your count is the right one divided by the length of a sequence. You counted sequences. How many tokens "
    "does a step have?",
    hint="You count B sequences. Count the tokens in them, T each.",
)

mistake(
    "translation.training_resources",
    "bits-for-bytes",
    edit("(34 * d_model + 5 * num_heads * length)", "8 * (34 * d_model + 5 * num_heads * length)"),
    section="cost-of-a-step",
    why="Your number of bytes is eight times too large. You counted bits. Which unit do the factors already have?",
    hint="Your number of bytes is eight times too large, because you count bits. Leave out the factor 8.",
)

mistake(
    "translation.training_resources",
    "numbers-for-bytes",
    edit("(34 * d_model + 5 * num_heads * length)", "(34 * d_model + 5 * num_heads * length) // 2"),
    section="cost-of-a-step",
    why="Your activations are half of what they should be. You divided by 2, as if the factors counted 16-bit "
    "numbers. Which unit do they count?",
    hint="Your activations are half of what they should be. The factors 34 and 5 already count bytes: do not divide.",
)

mistake(
    "translation.training_resources",
    "one-layer-kept",
    edit("activation_bytes=num_layers * tokens", "activation_bytes=tokens"),
    section="cost-of-a-step",
    why="You count the activations of one layer. You forgot that the backward pass starts from the last layer. Until "
    "when does every layer keep its activations?",
    hint="You count what one layer keeps. Every layer keeps its activations until the backward pass reaches it.",
)

mistake(
    "translation.training_resources",
    "one-head-kept",
    edit("5 * num_heads * length", "5 * length"),
    section="cost-of-a-step",
    why="Your number does not depend on the heads. You counted the attention weights of one. How many matrices of "
    "attention weights does a layer keep?",
    hint="Your number does not depend on the heads. Each head keeps its own T times T weights.",
)

mistake(
    "translation.training_resources",
    "table-counted-twice",
    edit("weights + small + output + length", "weights + small + 2 * output + length"),
    section="cost-of-a-step",
    why="You have more parameters than the model. You counted a tied table twice. How often does a table with two uses "
    "count?",
    hint="You have more parameters than the model: count a tied table once.",
)

mistake(
    "translation.training_resources",
    "no-biases",
    edit("weights + small + output", "weights + output"),
    section="cost-of-a-step",
    why="You have fewer parameters than the model. You left out biases and normalisations. Which parameters are "
    "trained?",
    hint="You count the matrices alone. Count all biases, and the gains of normalisations, as well.",
)

mistake(
    "translation.training_resources",
    "last-norm-forgotten",
    edit("num_layers * 13 * d_model + 2 * d_model", "num_layers * 13 * d_model"),
    section="cost-of-a-step",
    why="Your count lacks twice d parameters. You forgot a normalisation. What follows the last layer?",
    hint="Your count lacks twice d parameters. What follows the last layer?",
)

mistake(
    "translation.training_resources",
    "positions-forgotten",
    edit("output + length * d_model,", "output,"),
    section="cost-of-a-step",
    why="Your count lacks T times d parameters. You forgot a table. Which second table does the model look up?",
    hint="Your count lacks a table. Besides the one for tokens there is one with a row for each position.",
)

mistake(
    "translation.training_resources",
    "one-device",
    edit("seconds * peak * devices", "seconds * peak"),
    section="cost-of-a-step",
    why="With several devices your share may exceed 1. You divided by the peak of one. How much could all of them "
    "have done together?",
    hint="Your share leaves out the number of devices. Eight devices could have done eight times as much in that time.",
)

mistake(
    "translation.training_resources",
    "percent",
    edit("utilisation=operations", "utilisation=100 * operations"),
    section="cost-of-a-step",
    why="Your share is a hundred times too large. You returned percent. In which range should it lie to be multiplied "
    "by a peak?",
    hint="Your share is a hundred times too large. Return a number from 0 to 1.",
)

mistake(
    "translation.training_resources",
    "upside-down",
    edit("operations / (seconds * peak * devices)", "seconds * peak * devices / operations"),
    section="cost-of-a-step",
    why="Your share is above 1. You inverted the fraction. Which of the two is larger: what was done or what could "
    "have been done?",
    hint="Your share is above 1, because you divide what could have been done by what was done. Exchange the two.",
)

mistake(
    "translation.training_resources",
    "activations-of-one-device",
    edit(
        "activation_bytes=num_layers * tokens * (34 * d_model + 5 * num_heads * length)",
        "activation_bytes=num_layers * tokens * (34 * d_model + 5 * num_heads * length) // devices",
    ),
    section="cost-of-a-step",
    why="With several devices you count the bytes of one. You divided by `devices`, but the rows are those of all "
    "devices together. Which bytes does the task count?",
    hint="With four devices you count the bytes of one. Count all that the step keeps, on all devices together.",
)

# ---------------------------------------------------------------------------------------------------------------------
# attention_maps


mistake(
    "translation.attention_maps",
    "every-axis-of-length-1-dropped",
    edit(
        "torch.stack([attention.weights[0] for attention in attentions])",
        "torch.stack([attention.weights for attention in attentions]).squeeze()",
    ),
    section="three-kinds-of-maps",
    why="The maps of a model with one layer or one head lack an axis. You dropped every axis of length 1, but only "
    "the batch axis should be dropped. Which axis is the batch?",
    hint="With one layer, one head or one word, your maps lack an axis. Drop only the batch axis.",
)

mistake(
    "translation.attention_maps",
    "cross-from-the-decoder-itself",
    edit("layer.cross_attention", "layer.self_attention"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="Your cross map is square, and its keys are target words. You read the decoder's self-attention a second "
    "time. Which module of a layer looks at the source?",
    hint='Your `"cross"` is the decoder\'s self-attention once more. Read the attention of each layer whose keys are '
    "source words.",
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
    why='The map whose keys are source words is called "decoder". You exchanged the decoder\'s two attentions. '
    "Which of them looks at the source?",
    hint='You exchanged `"decoder"` and `"cross"`. The map whose keys are source words is `"cross"`.',
)

mistake(
    "translation.attention_maps",
    "encoder-from-the-decoder",
    edit("model.encoder", "model.decoder"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="Your encoder map has the size of the target. You read it from the decoder's layers. Which stack reads the "
    "source?",
    hint='Your `"encoder"` has the size of the target. Read it from the layers of `model.encoder`.',
)

mistake(
    "translation.attention_maps",
    "last-layer-only",
    edit("torch.stack([weights[0] for weights in layers])", "layers[-1]"),
    base="lists-first",
    section="attention-as-pictures",
    why="Your maps have a single layer, and the layers below are often easier to read. You kept only the last. How "
    "many layers should the first axis hold?",
    hint="Your maps hold one layer, but the model has several. Collect the maps of each.",
)

mistake(
    "translation.attention_maps",
    "heads-averaged",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers).mean(1)"),
    base="lists-first",
    section="attention-as-pictures",
    why="What a single head does is no longer visible. You averaged the heads. Which axis should your maps have for "
    "them?",
    hint="Your maps have no axis for the heads. Keep the heads apart: the caller can still average them.",
)

mistake(
    "translation.attention_maps",
    "batch-axis-kept",
    edit("[weights[0] for weights in layers]", "layers"),
    base="lists-first",
    section="attention-as-pictures",
    why="Your maps have an axis of length 1. You kept the axis of the batch, although there is only one sentence. When "
    "can this axis be removed?",
    hint="Your maps have five axes, since `weights` is `(1, H, T_q, T_k)` for one sentence. Remove the first axis "
    "before you stack, or concatenate along it.",
)

mistake(
    "translation.attention_maps",
    "heads-first",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers).transpose(0, 1)"),
    base="lists-first",
    section="attention-as-pictures",
    why="A picture with layers as rows shows heads there. You exchanged the first two axes. Which axis comes first?",
    hint="The first two axes of your maps are exchanged. Put the layers first, then the heads.",
)

mistake(
    "translation.attention_maps",
    "keys-as-rows",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers).mT"),
    base="lists-first",
    section="attention-as-pictures",
    why="Your rows no longer sum to 1, because they show who looks at a word. You exchanged queries and keys. To "
    "which of them does a row belong?",
    hint="Your maps are transposed. A row belongs to a query, and its weights add up to 1.",
)

mistake(
    "translation.attention_maps",
    "layers-from-the-top",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers[::-1])"),
    base="lists-first",
    section="attention-as-pictures",
    why="Your layer 0 is the last one. You reversed the order. Which layer reads the embeddings?",
    hint="Your layers are in reverse order. Put them in the order in which they act.",
)

mistake(
    "translation.attention_maps",
    "lists-of-maps",
    edit("torch.stack([weights[0] for weights in layers])", "layers"),
    base="lists-first",
    section="attention-as-pictures",
    why="Your maps cannot be indexed by layer and head at once. You returned lists of tensors. Which function joins "
    "them into one tensor?",
    hint="Your maps are lists. Join the layers into one tensor `(layers, H, T_q, T_k)`.",
)

mistake(
    "translation.attention_maps",
    "last-word-dropped",
    edit("model(src, tgt)", "model(src, tgt[:, :-1])"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="The map lacks the row of the last target word. You dropped the word, as training does. What does the "
    "decoder read here?",
    hint="Your decoder maps lack a row. Pass all of `tgt`: it is already what the decoder reads.",
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
    why="The decoder looks at words that are not written yet. You replaced its mask with one that allows everything. "
    "What builds the masks when none are passed?",
    hint='`"decoder"` has weights above the diagonal: your mask allows everything. Pass no mask: the model then builds '
    "both masks itself.",
)

mistake(
    "translation.attention_maps",
    "source-as-target",
    edit("model(src, tgt)", "model(src, src)"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="three-kinds-of-maps",
    why="Your decoder maps have the size of the source. You gave the source to the decoder. Which sentence does the "
    "decoder read?",
    hint="Your decoder maps have the size of the source, which you gave to the decoder. Let it read `tgt`.",
)

mistake(
    "translation.attention_maps",
    "softmax-again",
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers).softmax(-1)"),
    base="lists-first",
    section="attention-as-pictures",
    why="Your weights are nearly uniform. You applied a softmax to probabilities. From which step do the weights come?",
    hint="Your weights are nearly uniform: `weights` is already the result of a softmax, so do not apply another.",
)

mistake(
    "translation.attention_maps",
    "dropout-in-the-maps",
    edit("model.eval()", ""),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="leave-the-model",
    why="Your maps have holes at random. You called the model in training mode, with dropout. Which mode do maps need?",
    hint="In training mode your maps have zeros where dropout removed weights. Put the model into evaluation mode "
    "first.",
)

mistake(
    "translation.attention_maps",
    "mode-not-restored",
    edit("model.train(was_training)", ""),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="leave-the-model",
    why="Training goes on without dropout after your function. You left the model in evaluation mode. Which mode "
    "should it have afterwards?",
    hint="After your function the model is in evaluation mode, whatever its mode was before. Remember "
    "`model.training`, and restore that mode.",
)

mistake(
    "translation.attention_maps",
    "mode-always-training",
    edit("model.train(was_training)", "model.train()"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="leave-the-model",
    why="A model that came in evaluation mode runs with dropout afterwards. You put the model into training mode "
    "whatever its mode was. Which mode should it have afterwards?",
    hint="After your function the model is in training mode even if it came in evaluation mode. Remember the mode that "
    "you found, and restore it.",
)

mistake(
    "translation.attention_maps",
    "recorded",
    edit("torch.no_grad", "torch.enable_grad"),
    edit("torch.stack([weights[0] for weights in layers])", "torch.cat(layers)"),
    base="lists-first",
    section="leave-the-model",
    why="Each map keeps the whole forward pass in memory, and cannot become an array. You left the recording of "
    "gradients on. What switches it off for a while?",
    hint="Your maps belong to a graph of gradients. Call the model within `torch.no_grad()`.",
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
    why='Your "decoder" and "cross" maps are mixtures, whose sizes do not even agree if the sentences differ in '
    "length. You collected all attention modules in a row, and in the decoder the two kinds alternate. How can you "
    "read them layer by layer?",
    hint='Your `"decoder"` and `"cross"` are mixtures: in a list of all modules, the decoder\'s two kinds of '
    "attention alternate. Go through the layers instead.",
)

mistake(
    "translation.attention_maps",
    "kinds-told-apart-by-their-shapes",
    edit(
        "decoder = [layer.self_attention.weights for layer in model.decoder.layers]",
        """
        found = [one.weights for layer in model.decoder.layers for one in (layer.self_attention, layer.cross_attention)]
        decoder = [weights for weights in found if weights.shape[-1] == tgt.shape[1]]
        """,
    ),
    edit(
        "cross = [layer.cross_attention.weights for layer in model.decoder.layers]",
        "cross = [weights for weights in found if weights.shape[-1] == src.shape[1]]",
    ),
    base="lists-first",
    section="three-kinds-of-maps",
    why='For two sentences of equal length your "decoder" and "cross" maps are wrong. You told the two kinds of '
    "attention apart by their shapes, which are equal then. Which attribute of a layer holds which kind?",
    hint='For two sentences of equal length your `"decoder"` and `"cross"` are mixed up: their shapes are equal. Read '
    "each kind from its own attribute of the layers.",
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
    why="A second pair of sentences gets the maps of the first. You stored the maps on the model. What may a function "
    "keep between two calls?",
    hint="A second pair of sentences gets the maps of the first: do not store maps from one call to the next.",
)

mistake(
    "translation.attention_maps",
    "heads-averaged-variant-2",
    edit("torch.stack([weights[0] for weights in layers])", "torch.stack(layers).mean(2)"),
    base="lists-first",
    section="attention-as-pictures",
    why="What a single head does is no longer visible. You averaged the heads, and kept the axis of the batch in their "
    "place. Which axis should your maps have for them?",
    hint="The second axis of your maps is the batch. Keep the heads there, and leave the batch of one out.",
)

mistake(
    "translation.attention_maps",
    "cross-transposed",
    edit('"cross": cross}', '"cross": [weights.mT for weights in cross]}'),
    base="lists-first",
    section="three-kinds-of-maps",
    why="The rows of your cross map are source words. You exchanged its last two axes. From which of the two sentences "
    "do the queries come?",
    hint='The last two axes of your `"cross"` are exchanged. Its rows are queries, one for each target word.',
)

# ---------------------------------------------------------------------------------------------------------------------
# read_alignment


mistake(
    "translation.read_alignment",
    "largest-over-targets",
    edit("weights.argmax(dim=1)", "weights.argmax(dim=0)"),
    section="reading-alignments",
    why="Your list has one entry per source position. You took the maximum of each column. To which position does a "
    "row of the weights belong?",
    hint="Your list has one entry for each *source* position. A row of `weights` belongs to a target position: take "
    "the maximum along the second axis.",
)

mistake(
    "translation.read_alignment",
    "smallest-weight",
    edit("weights.argmax", "weights.argmin"),
    section="reading-alignments",
    why="Each position points to the word to which it attends least. You took the smallest weight. Which weight shows "
    "where the model looks?",
    hint="You take the position of the smallest weight. The largest weight shows where the model looks.",
)

mistake(
    "translation.read_alignment",
    "last-of-equals",
    edit("row.index(max(row))", "max(range(len(row)), key=lambda position: (row[position], position))"),
    base="lists",
    section="reading-alignments",
    why="When two weights are equal, your alignment differs from the expected one. You took the last position. Which "
    "one does the rule choose?",
    hint="Where two weights are equal you take the last position, but the first one counts. A comparison with `>=` "
    "moves on to the last; one with `>` does not.",
)

mistake(
    "translation.read_alignment",
    "all-equal-maxima-listed",
    edit(
        "return weights.argmax(dim=1).tolist()",
        "return (weights == weights.amax(dim=1, keepdim=True)).nonzero()[:, 1].tolist()",
    ),
    section="reading-alignments",
    why="If a row has several equal maxima, your list is longer than the number of target words. You listed each "
    "position whose weight equals the largest of its row. Which position counts if several share the largest weight?",
    hint="A row with equal maxima gives several positions in your list. Take the first of them.",
)

mistake(
    "translation.read_alignment",
    "tensor-returned",
    edit("weights.argmax(dim=1).tolist()", "weights.argmax(dim=1)"),
    section="reading-alignments",
    why="Your result is a tensor, although the task wants a list of plain integers. You left out the last step. Which "
    "method turns a tensor into a list?",
    hint="You return a tensor. `.tolist()` turns it into a list of integers.",
)

mistake(
    "translation.read_alignment",
    "weights-returned",
    edit("weights.argmax(dim=1)", "weights.max(dim=1).values"),
    section="reading-alignments",
    why="Your result holds weights instead of positions. You returned the largest weights themselves. Which function "
    "finds the index of a maximum?",
    hint="You return the largest weights. Return their positions, which `argmax` gives.",
)

mistake(
    "translation.read_alignment",
    "counted-from-one",
    edit("weights.argmax(dim=1)", "(weights.argmax(dim=1) + 1)"),
    section="reading-alignments",
    why="Each of your positions is one too large. You counted from 1. From which number do indices count in Python?",
    hint="Your positions are one too large. Count them from 0.",
)

mistake(
    "translation.read_alignment",
    "pairs-of-positions",
    edit("weights.argmax(dim=1).tolist()", "list(enumerate(weights.argmax(dim=1).tolist()))"),
    section="reading-alignments",
    why="Your result holds pairs. You added the target position, which is already the index in the list. Which "
    "position remains?",
    hint="You return pairs. The target position is the index in the list, so return the source position alone.",
)

mistake(
    "translation.read_alignment",
    "only-forwards",
    edit("weights.argmax(dim=1)", "weights.argmax(dim=1).cummax(dim=0).values"),
    section="alignment-caveats",
    why="Your links never go back, although German puts its verbs at the end. You did not allow a position to look "
    "further back than the one before. Does one target position restrict another?",
    hint="Your links never go back. Word order differs between languages: read each target position by itself.",
)


@mistake(
    "translation.read_alignment",
    "each-source-once",
    section="alignment-caveats",
    why="Two English words can never point to one German word. You used each source position only once. Does one "
    "target position restrict another?",
    hint="Each source position occurs at most once in your alignment. Several target positions may attend to the same "
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
    why="Some positions get no link, because hardly any weight reaches one half. You set a threshold. Which weight "
    "counts, however small it is?",
    hint="Where no weight is above one half, you return no position. The largest weight counts, however small it is.",
)
def read_alignment(weights):
    strongest = weights.max(dim=1)
    return [position if weight > 0.5 else None for weight, position in zip(*map(torch.Tensor.tolist, strongest))]


mistake(
    "translation.read_alignment",
    "rounded-first",
    edit("weights.argmax", "weights.mul(100).round().argmax"),
    section="alignment-caveats",
    why="In long sentences you often return position 0. You rounded the weights first, which makes them equal. Which "
    "weights should be compared?",
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
    why="Half of the weight on the first word and half on the last gives the middle one. You averaged positions. "
    "Which position has the largest weight?",
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
    why="A drawing made afterwards shows another map. You set the largest weights to 0 in the caller's tensor. Which "
    "operations only read?",
    hint="After your call the weights have changed. Only read them.",
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
    why="Your `translate` returns German. You gave back the sentences as they came, so only names and punctuation are "
    "right. Which three steps lead from a sentence to its translation?",
    hint="`translate` gives back the German sentences. Encode them, let the model write, and decode what it wrote.",
)

mistake(
    "translation.train_translator",
    "model-only",
    edit("model, translator", "model"),
    base="constant-rate",
    section="capstone",
    why="The caller gets a model but cannot translate. You returned it alone, and the vocabularies stay inside your "
    "function. Which second result can use them?",
    hint="You return the model alone. Return `translate` beside it, which knows the vocabularies.",
)

mistake(
    "translation.train_translator",
    "translate-first",
    edit("model, translator", "translator, model"),
    base="constant-rate",
    section="capstone",
    why="A caller who counts the model's parameters gets a function instead of a model. You returned the two results "
    "in the wrong order. Which one comes first?",
    hint="You return the function first and the model second. Exchange them.",
)

mistake(
    "translation.train_translator",
    "one-text",
    edit("[english.decode(row) for row in rows.tolist()]", '"\\n".join(english.decode(row) for row in rows.tolist())'),
    base="constant-rate",
    section="capstone",
    why="It is not clear which translation belongs to which sentence. You joined all translations into one text. What "
    "should the list contain?",
    hint="`translate` returns one text. Return a list with one text for each sentence.",
)

mistake(
    "translation.train_translator",
    "ids-returned",
    edit("[english.decode(row) for row in rows.tolist()]", "rows.tolist()"),
    base="constant-rate",
    section="capstone",
    why="`translate` returns lists of ids, which mean nothing without your vocabulary. You left out the last step. "
    "Which vocabulary turns them into text?",
    hint="`translate` returns lists of ids: decode them with the English vocabulary.",
)

mistake(
    "translation.train_translator",
    "too-many-parameters",
    edit("num_layers=1, d_model=64, d_ff=256", "num_layers=2, d_model=128, d_ff=512"),
    base="constant-rate",
    section="two-budgets",
    why="Your model exceeds the budget, and in the given time it sees too little data. You made it far too large. "
    "Which width and depth do short sentences need?",
    hint="Your model has more parameters than are allowed. For short sentences, a width of 64 with one layer is "
    "enough.",
)


@mistake(
    "translation.train_translator",
    "pairs-remembered",
    section="hidden-split",
    why="A sentence that is not among the pairs gets no translation. You stored the pairs in a dictionary. Which "
    "sentences decide about your score?",
    hint="Your translator stores the pairs and fails for any other sentence. Train a model, since you are scored on "
    "unseen sentences.",
)
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    known = dict(pairs)
    return nn.Linear(1, 1), lambda sentences: [known.get(sentence, "") for sentence in sentences]


@mistake(
    "translation.train_translator",
    "nearest-sentence",
    section="hidden-split",
    why="Most of your translations belong to another sentence. You returned the translation of the most similar one. "
    "What can a model do that a lookup cannot?",
    hint="Your translator gives the translation of the most similar sentence that it knows. Train a model, which "
    "combines what it has learned.",
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
    why="All translations are equal. You trained the model too briefly: it has learned which words are frequent and "
    "does not yet read the source. What does it need more of?",
    hint="All your translations are equal. After too few steps, a model knows which words are frequent but does not "
    "yet read the source. Train longer.",
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
    why="Word order and agreement are wrong, and the model that you return plays no part. You replaced words one by "
    "one from a table. What should `translate` use?",
    hint="Your translations do not depend on the model that you return: `translate` has to use its parameters instead "
    "of a table of words.",
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
    why="Your translations are random words. You returned the model without a single step. What has to happen "
    "between building and translating?",
    hint="Your translations are random words: train the model before you return it.",
)

mistake(
    "translation.train_translator",
    "trained-on-a-few",
    edit("torch.manual_seed(seed)", "torch.manual_seed(seed)\npairs = pairs[:100]"),
    base="constant-rate",
    section="hidden-split",
    why="Your translator knows few words. You trained it on the first hundred pairs, as in a first try. Which pairs "
    "hold the other words?",
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
    why="The same seed gives another translator each time. You did not use it. Which two sources of random numbers "
    "need it, and when?",
    hint="Trained twice with the same seed, your translator gives different outputs. Seed PyTorch before you make the "
    "model, and the generator of the batches, too.",
)

mistake(
    "translation.train_translator",
    "dropout-while-translating",
    edit("dropout=0.0", "dropout=0.5"),
    edit("range(6)", "range(6 if len(pairs) < 100 else 0)"),
    edit("model.eval()", ""),
    base="constant-rate",
    section="evaluation-mode",
    why="The same sentence gets another translation each time. You left the model in training mode, with dropout. What "
    "belongs between training and translating?",
    hint="Your translator gives another output in a second call, since it is still in training mode. Put it into "
    "evaluation mode after training.",
)

mistake(
    "translation.train_translator",
    "pairs-shuffled-in-place",
    edit("torch.manual_seed(seed)", "torch.manual_seed(seed)\nrandom.Random(seed).shuffle(pairs)"),
    base="constant-rate",
    section="repeatable-training",
    why="After training, the caller's pairs are in another order. You shuffled the list in place. What can be "
    "shuffled instead?",
    hint="After your training the list of pairs is in another order. Shuffle a copy of it, or its indices.",
)

mistake(
    "translation.train_translator",
    "in-the-order-of-lengths",
    edit("range(6)", "range(60 if len(pairs) < 100 else 0)"),
    edit("src = pad_rows(", "sentences = sorted(sentences, key=len)\nsrc = pad_rows("),
    base="constant-rate",
    section="capstone",
    why="Each translation is scored against another sentence's reference. You sorted the sentences by length and "
    "left the translations in that order. In which order should they be returned?",
    hint="Your translations are not in the order of the sentences: put each back at its position.",
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
    why="You return fewer translations than there are sentences. You dropped the last batch, because it was not "
    "full. How large may the last batch be?",
    hint="You return fewer translations than there are sentences: translate the last batch, too, even if it is "
    "smaller.",
)

mistake(
    "translation.average_gradients",
    "sum-of-means",
    edit(
        "all_reduce(parameter.grad)\nparameter.grad /= max(total.item(), 1)",
        "parameter.grad /= max(tokens, 1)\nall_reduce(parameter.grad)",
    ),
    section="average-gradients",
    why="Your gradient grows with the number of processes. You divided by the process's own tokens, and added the means. "
    "By which number should each sum be divided?",
    hint="You add up one mean for each process. Divide each gradient by the tokens of all processes together.",
)

mistake(
    "translation.early_stopping",
    "stop-kept-for-good",
    edit("best = None", "best, stop = None, False"),
    edit(
        "if not math.isnan(loss) and",
        "stop = stop or (best is not None and index - 1 - best >= patience)\nif not math.isnan(loss) and",
    ),
    edit("return best, best is not None and", "return best, stop or best is not None and"),
    section="early-stopping",
    why="Your run stops although its last loss is the best of all. You keep a stop that an earlier validation called "
    "for. Which validations does the answer depend on?",
    hint="Once true, your stop stays true. Only the validations after the best one so far count.",
)
