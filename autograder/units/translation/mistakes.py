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
    why="The model is put into training mode at the end, whatever it was in. A second evaluation, or a translation "
    "after it, then runs with dropout.",
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
# early_stopping


mistake(
    "translation.early_stopping",
    "last-of-equal-ones",
    edit("loss < losses[best]", "loss <= losses[best]"),
    section="early-stopping",
    why="Of equal losses the last one was taken for the best. A loss that only comes back is no progress, and a run that "
    "stands still would never end.",
    hint="An equal loss counts as better in your code. Only a lower one is progress: of equal ones the first stays.",
)

mistake(
    "translation.early_stopping",
    "one-too-patient",
    edit(">= patience", "> patience"),
    section="early-stopping",
    why="The run goes on for one validation more than `patience` says. With a patience of 1 a single validation without "
    "progress is enough.",
    hint="With `patience=1` one validation without progress should end the run; yours waits for a second one.",
)

mistake(
    "translation.early_stopping",
    "best-one-counted",
    edit("len(losses) - 1 - best", "len(losses) - best"),
    section="early-stopping",
    why="The best validation itself was counted among those without progress. The run then ends one validation too early.",
    hint="How many validations came *after* the best one? You count the best one too, so that with `patience=1` a run "
    "ends right at its best.",
)

mistake(
    "translation.early_stopping",
    "nan-is-best",
    edit("not math.isnan(loss) and (best is None or loss < losses[best])", "best is None or loss < losses[best]"),
    section="early-stopping",
    why="A first loss that is NaN stayed the best for ever. Every comparison with NaN is false, so nothing is less than "
    "it.",
    hint="What is `3.0 < math.nan`? A NaN at the beginning is never replaced in your code. Leave NaN out.",
)

mistake(
    "translation.early_stopping",
    "highest-loss",
    edit("loss < losses[best]", "loss > losses[best]"),
    section="early-stopping",
    why="The highest loss was taken for the best, as if it were a score. A loss is the better the lower it is.",
    hint="You take the highest. A loss is the better the lower it is.",
)

mistake(
    "translation.early_stopping",
    "counted-from-one",
    edit("return best, best", "return None if best is None else best + 1, best"),
    section="early-stopping",
    why="The validations were counted from 1. The result is an index of `losses`.",
    hint="Your index is one too large: it is an index of the list.",
)

mistake(
    "translation.early_stopping",
    "loss-returned",
    edit("return best, best", "return None if best is None else losses[best], best"),
    section="early-stopping",
    why="The lowest loss was returned. Which checkpoint to keep is a question of its index.",
    hint="You return the lowest loss. Its index is wanted: it says which checkpoint to keep.",
)

mistake(
    "translation.early_stopping",
    "compared-with-the-one-before",
    edit("loss < losses[best]", "loss < losses[index - 1]"),
    section="early-stopping",
    why="Each loss was compared with the one before it. After a bad validation any less bad one then counts as progress.",
    hint="4, 3, 9, 8: is the 8 progress? You compare each loss with the one before it. Compare it with the lowest so far.",
)


@mistake(
    "translation.early_stopping",
    "rises-in-a-row",
    section="early-stopping",
    why="The run ends only if the loss rises `patience` times in a row. A loss that goes up and down at the same height "
    "never does.",
    hint="You wait for losses that rise one after the other. What counts is that none of them is below the best.",
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
    why="The search ended where a run would have ended earlier. A run that was told to go on may have found better "
    "weights since.",
    hint="You stop looking at the first stretch without progress. All losses are there: the best of all of them counts, "
    "and what has come since.",
)

mistake(
    "translation.early_stopping",
    "best-of-nothing",
    edit("best = None", "best = 0"),
    edit("best is None or loss", "math.isnan(losses[best]) or loss"),
    section="early-stopping",
    why="Index 0 was returned where there is no best validation. Nobody can tell it from a real one.",
    hint="Without any loss, or with NaN alone, there is no best one: return `None` for it.",
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
    why="A patience of 0 was accepted. It would end every run at its first validation, at its best.",
    hint="`patience=0` makes no sense and should raise `ValueError`.",
)

mistake(
    "translation.early_stopping",
    "sorted-in-place",
    edit("best = None", "best = None\nunsorted = list(losses)\nlosses.sort()"),
    edit("enumerate(losses)", "enumerate(unsorted)"),
    edit("loss < losses[best]", "loss < unsorted[best]"),
    section="early-stopping",
    why="The caller's list was sorted. The curve of the run is lost.",
    hint="After your call the list of losses is in another order. Read it, and change nothing.",
)

mistake(
    "translation.early_stopping",
    "least-progress-demanded",
    edit("loss < losses[best]", "loss < losses[best] - 1e-4"),
    section="early-stopping",
    why="A loss that is lower by less than 0.0001 does not count as progress. The best validation is the one with the lowest loss, however small the difference.",
    hint="After 2.0 and 1.99999 your best validation is the first one. Any lower loss is better: compare without a margin.",
)

# ---------------------------------------------------------------------------------------------------------------------
# save_checkpoint


mistake(
    "translation.save_checkpoint",
    "no-optimizer",
    edit('"optimizer": optimizer.state_dict(),', ""),
    section="resume-to-the-bit",
    why="The optimiser's state was not saved. Its moments begin at zero again, and the first steps after the "
    "interruption are other ones.",
    hint="Adam remembers means of gradients and of their squares. Where are they in your file?",
)

mistake(
    "translation.save_checkpoint",
    "no-scheduler",
    edit('"scheduler": scheduler.state_dict(),', ""),
    section="resume-to-the-bit",
    why="The scheduler's state was not saved. The warm-up begins anew.",
    hint="At which learning rate does the resumed training go on? The scheduler counts steps; save its state.",
)

mistake(
    "translation.save_checkpoint",
    "no-random-state",
    edit('"random": torch.get_rng_state(),', ""),
    section="resume-to-the-bit",
    why="The state of the random generator was not saved. Dropout strikes out other numbers after the interruption.",
    hint="Dropout draws random numbers. `torch.get_rng_state()` says where their generator stands.",
)

mistake(
    "translation.save_checkpoint",
    "no-position",
    edit('"position": position,', ""),
    section="resume-to-the-bit",
    why="The position in the data was not saved. The epoch begins anew, and its first batches are read twice.",
    hint="Which batch comes next? The position belongs into the file.",
)

mistake(
    "translation.save_checkpoint",
    "whole-model",
    edit("model.state_dict()", "model"),
    section="resume-to-the-bit",
    why="The model itself was saved. Such a file holds the name of its class, needs its code to be read, and may execute "
    "anything.",
    hint="You save the module. `state_dict()` gives its numbers alone, which any program can read.",
)

mistake(
    "translation.save_checkpoint",
    "parameters-alone",
    edit("model.state_dict()", "{name: one.detach() for name, one in model.named_parameters()}"),
    section="resume-to-the-bit",
    why="Only the parameters were saved. A model has buffers as well, such as the running means of a normalisation.",
    hint="Parameters are not all that a model remembers: `state_dict()` has its buffers too.",
)

mistake(
    "translation.save_checkpoint",
    "half-precision",
    edit("model.state_dict()", "{name: one.half() for name, one in model.state_dict().items()}"),
    section="resume-to-the-bit",
    why="The weights were rounded to 16 bits. What comes back is another model.",
    hint="Your weights are rounded. To the last bit means: with the dtype that they have.",
)

mistake(
    "translation.save_checkpoint",
    "seed-instead-of-state",
    edit("torch.get_rng_state()", "torch.Generator().manual_seed(torch.initial_seed()).get_state()"),
    section="resume-to-the-bit",
    why="The state at the beginning was saved, as the seed gives it. The numbers of the first steps would come again.",
    hint="You save where the generator *began*. `torch.get_rng_state()` says where it stands now.",
)

mistake(
    "translation.save_checkpoint",
    "fresh-generator",
    edit("torch.get_rng_state()", "torch.manual_seed(0).get_state()"),
    section="resume-to-the-bit",
    why="Saving set the random generator to a seed. So a training that saves differs from one that does not.",
    hint="After your call PyTorch's generator stands elsewhere. Read its state, and change nothing.",
)

mistake(
    "translation.save_checkpoint",
    "moments-forgotten",
    edit("optimizer.state_dict()", '{**optimizer.state_dict(), "state": {}}'),
    section="resume-to-the-bit",
    why="Only the options of the optimiser were saved, not its moments. They begin at zero again after the interruption.",
    hint='The optimiser\'s `state_dict()` has two parts, and the moments are under "state".',
)

mistake(
    "translation.save_checkpoint",
    "next-position",
    edit('"position": position,', '"position": position + 1 if isinstance(position, int) else position,'),
    section="resume-to-the-bit",
    why="The position was moved on by one. One batch is never read.",
    hint="The position in your file is one further than the one that was passed. The caller knows what comes next.",
)

mistake(
    "translation.save_checkpoint",
    "left-in-evaluation-mode",
    edit("everything = {", "model.eval()\neverything = {"),
    section="resume-to-the-bit",
    why="The model was put into evaluation mode to be saved, and left in it. From here on the training has no dropout.",
    hint="After your call the model is in evaluation mode, and the training goes on without dropout. Saving needs no mode.",
)

mistake(
    "translation.save_checkpoint",
    "over-the-old-one",
    edit("torch.save(everything, beside)", "torch.save(everything, path)"),
    edit("os.replace(beside, path)  # at once: whoever looks finds the old file or the new one", ""),
    section="whole-or-not-at-all",
    why="The new checkpoint was written over the old one. If that fails half-way, both are lost.",
    hint="The disk fills up while you write: what is left under `path`? Write beside it, and rename when it is complete.",
)

mistake(
    "translation.save_checkpoint",
    "removed-first",
    edit(
        "torch.save(everything, beside)",
        "if os.path.exists(path):\n    os.remove(path)\ntorch.save(everything, beside)",
    ),
    section="whole-or-not-at-all",
    why="The old checkpoint was removed before the new one was complete. In between there is none.",
    hint="Between removing the old file and renaming the new one there is no checkpoint at all. `os.replace` replaces it.",
)

mistake(
    "translation.save_checkpoint",
    "error-hidden",
    edit(
        "torch.save(everything, beside)",
        "try:\n    torch.save(everything, beside)\nexcept OSError:\n    return",
    ),
    section="whole-or-not-at-all",
    why="An error while writing was hidden. Nobody learns that there has been no checkpoint for hours.",
    hint="When the disk is full your function returns as if all were well. Let the error through.",
)

mistake(
    "translation.save_checkpoint",
    "copied-over",
    edit(
        "os.replace(beside, path)  # at once: whoever looks finds the old file or the new one",
        "import shutil\n\nshutil.copyfile(beside, path)",
    ),
    section="whole-or-not-at-all",
    why="The complete new file is copied over the old one. A copy takes time, and a crash in the middle leaves half a file under the path.",
    hint="Between the first and the last byte of your copy, `path` holds neither checkpoint. Rename instead: `os.replace` does it at once.",
)

mistake(
    "translation.save_checkpoint",
    "in-another-folder",
    edit(
        'beside = f"{path}.part"', 'import tempfile\n\nbeside = os.path.join(tempfile.gettempdir(), "checkpoint.part")'
    ),
    section="whole-or-not-at-all",
    why="The new file is written in the folder for temporary files. That is often another disk, and a file cannot be renamed from one disk to another.",
    hint="Renaming works within one disk only. Write the new file into the folder of `path`.",
)

# ---------------------------------------------------------------------------------------------------------------------
# load_checkpoint


mistake(
    "translation.load_checkpoint",
    "optimizer-forgotten",
    edit('optimizer.load_state_dict(saved["optimizer"])', ""),
    section="resume-to-the-bit",
    why="The optimiser kept the state it had. Its moments belong to another training.",
    hint="Which moments does the optimiser have for its next step? Yours are not those of the file.",
)

mistake(
    "translation.load_checkpoint",
    "scheduler-forgotten",
    edit('scheduler.load_state_dict(saved["scheduler"])', ""),
    section="resume-to-the-bit",
    why="The scheduler kept its own count of steps. The learning rates are those of another step.",
    hint="The first step has the right rate, which the optimiser knows. And the second? The scheduler needs its state.",
)

mistake(
    "translation.load_checkpoint",
    "model-forgotten",
    edit('model.load_state_dict(saved["model"])', ""),
    section="resume-to-the-bit",
    why="The model kept its own weights. The optimiser goes on with moments that belong to others.",
    hint="After your call the weights of the model are those from before.",
)

mistake(
    "translation.load_checkpoint",
    "random-state-forgotten",
    edit('torch.set_rng_state(saved["random"])', ""),
    section="resume-to-the-bit",
    why="The random generator stayed where it was. Dropout draws other numbers than it would have drawn.",
    hint="After your call `torch.rand(1)` gives another number than it would have given when the file was written.",
)

mistake(
    "translation.load_checkpoint",
    "seeded-anew",
    edit('torch.set_rng_state(saved["random"])', "torch.manual_seed(0)"),
    section="resume-to-the-bit",
    why="The generator was seeded anew. A training that was interrupted ten times would draw the same numbers ten times.",
    hint="You set a seed. The generator was somewhere in the middle of its numbers: `torch.set_rng_state`.",
)

mistake(
    "translation.load_checkpoint",
    "nothing-returned",
    edit('return saved["position"]', ""),
    section="resume-to-the-bit",
    why="The position was not returned. The loop cannot know where to go on, and begins its epoch anew.",
    hint="The caller has to know which batch comes next: return the position.",
)

mistake(
    "translation.load_checkpoint",
    "everything-returned",
    edit('return saved["position"]', "return saved"),
    section="resume-to-the-bit",
    why="The whole dictionary was returned in place of the position. The loop needs to know which batch comes next.",
    hint="You return all that was saved. Only the position is wanted.",
)

mistake(
    "translation.load_checkpoint",
    "position-moved-on",
    edit('return saved["position"]', 'return saved["position"] + 1'),
    section="resume-to-the-bit",
    why="The position was moved on by one. A batch is left out at every interruption.",
    hint="You return another position than the one in the file.",
)

mistake(
    "translation.load_checkpoint",
    "model-forgotten-variant-2",
    edit(
        'model.load_state_dict(saved["model"])', 'import copy\n\ncopy.deepcopy(model).load_state_dict(saved["model"])'
    ),
    section="resume-to-the-bit",
    why="A copy of the model was filled, and thrown away. The model of the caller has the weights from before.",
    hint="The model that the caller has is unchanged: you fill a copy.",
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
    why="The model got new parameters. The optimiser still steps the old ones, and the model never changes again.",
    hint="The optimiser holds the parameters of the model. You put others into the model: copy the numbers instead, as "
    "`load_state_dict` does.",
)

mistake(
    "translation.load_checkpoint",
    "left-in-evaluation-mode",
    edit('return saved["position"]', 'model.eval()\nreturn saved["position"]'),
    section="resume-to-the-bit",
    why="The model was put into evaluation mode, as for a model that is only used. The training goes on without dropout.",
    hint="After your call the model is in evaluation mode. Its mode is none of a checkpoint's business.",
)

mistake(
    "translation.load_checkpoint",
    "anything-is-executed",
    edit("weights_only=True", "weights_only=False"),
    section="resume-to-the-bit",
    why="The file was read with `weights_only=False`. Then the author of the file decides what is executed here.",
    hint="A checkpoint may come from anywhere. `weights_only=True` reads numbers, and refuses to execute anything.",
)

mistake(
    "translation.load_checkpoint",
    "last-epoch-alone",
    edit('scheduler.load_state_dict(saved["scheduler"])', 'scheduler.last_epoch = saved["scheduler"]["last_epoch"]'),
    section="resume-to-the-bit",
    why="Of the scheduler only its count of steps was restored. Other schedulers have more to remember, such as the best loss so far.",
    hint="With ReduceLROnPlateau your learning rate falls at another step. Restore all of the scheduler's state with `load_state_dict`.",
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
    why="Each process divided by its own tokens, and then the mean was taken. A token of a process with few of them "
    "counts more than one of another.",
    hint="You take the mean of the processes' means. Each token should count the same: divide the sum of all gradients by "
    "the tokens of all.",
)

mistake(
    "translation.average_gradients",
    "divided-by-processes",
    edit("all_reduce(total)", "all_reduce(total)\nprocesses = torch.tensor(1)\nall_reduce(processes)"),
    edit("max(total.item(), 1)", "processes"),
    section="average-gradients",
    why="The sum was divided by the number of processes, as for losses that are means already. These are sums.",
    hint="The losses are sums over tokens. Divide by all tokens, not by the number of processes.",
)

mistake(
    "translation.average_gradients",
    "own-tokens",
    edit("max(total.item(), 1)", "max(tokens, 1)"),
    section="average-gradients",
    why="The sum of all gradients was divided by the tokens of one process. Every process then makes another step, and "
    "their models drift apart.",
    hint="Your processes end with different gradients, since each divides by its own tokens. How many have all together?",
)

mistake(
    "translation.average_gradients",
    "sum-left",
    edit("parameter.grad /= max(total.item(), 1)", ""),
    section="average-gradients",
    why="The gradients were added up and not divided. The step grows with the number of tokens.",
    hint="Your gradient is that of the sum of all losses. That of the mean per token is wanted.",
)

mistake(
    "translation.average_gradients",
    "divided-and-multiplied",
    edit("all_reduce(total)", "all_reduce(total)\nprocesses = torch.tensor(1)\nall_reduce(processes)"),
    edit("max(total.item(), 1)", "(max(total.item(), 1) / processes)"),
    section="average-gradients",
    why="The gradient was multiplied by the number of processes. That makes up for a wrapper that averages; here "
    "`all_reduce` adds.",
    hint="Your gradient is too long by the number of processes. Nothing here has divided by it, so nothing has to be made "
    "up for.",
)

mistake(
    "translation.average_gradients",
    "unused-left-out",
    edit("parameter.grad = torch.zeros_like(parameter)", "continue"),
    section="average-gradients",
    why="A parameter without a gradient was left out. Another process has one for it, and waits, or gets the gradient of "
    "another parameter.",
    hint="One process has used a parameter that another has not. Both must exchange it: what does the second contribute?",
)

mistake(
    "translation.average_gradients",
    "idle-process-leaves",
    edit("total = torch.tensor(", "if tokens == 0:\n    return 0\ntotal = torch.tensor("),
    section="average-gradients",
    why="A process without tokens returned at once. The others wait for it for ever.",
    hint="A process that has nothing to add must take part in every exchange all the same. Yours returns early.",
)

mistake(
    "translation.average_gradients",
    "division-by-nothing",
    edit("max(total.item(), 1)", "total.item()"),
    section="average-gradients",
    why="Where no process has a token the gradients were divided by 0. They become NaN, and so does the model with the "
    "next step.",
    hint="What if no process has a single token? 0 / 0 is NaN, and one step with it spoils the model.",
)

mistake(
    "translation.average_gradients",
    "a-copy-is-reduced",
    edit("all_reduce(parameter.grad)", "all_reduce(parameter.grad.clone())"),
    section="average-gradients",
    why="A copy of the gradient was exchanged. The gradient itself stayed that of one process.",
    hint="`all_reduce` changes the tensor that it gets. You give it a copy, which is lost.",
)

mistake(
    "translation.average_gradients",
    "result-expected",
    edit("all_reduce(gradient)\nparameter.grad = gradient", "parameter.grad = all_reduce(gradient)"),
    base="divided-first",
    section="average-gradients",
    why="`all_reduce` returns nothing: it changes the tensor in place. Here the gradient becomes `None`.",
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
    why="Going through the modules meets a tied table twice. Its gradient was added up and divided twice.",
    hint="A table that two modules share has one gradient. `model.parameters()` gives it once.",
)

mistake(
    "translation.average_gradients",
    "biases-left-out",
    edit("if not parameter.requires_grad:", "if parameter.dim() < 2:"),
    section="average-gradients",
    why="Only matrices were exchanged. Biases and gains differ from process to process, and more so with every step.",
    hint="After your call some gradients are still those of one process: the ones with a single axis.",
)

mistake(
    "translation.average_gradients",
    "tokens-added-again",
    edit("all_reduce(total)", ""),
    edit("all_reduce(parameter.grad)", "all_reduce(total)\nall_reduce(parameter.grad)"),
    section="average-gradients",
    why="The tokens were exchanged again for every parameter. From the second time on, sums are added up.",
    hint="`all_reduce` changes `total` in place. Called on it once more, it adds up sums: exchange the tokens once.",
)

mistake(
    "translation.average_gradients",
    "own-tokens-returned",
    edit("return total.item()", "return tokens"),
    section="average-gradients",
    why="The tokens of one process were returned. The loss per token needs the tokens of all processes.",
    hint="You return the tokens that came in. Those of all processes together are wanted.",
)

mistake(
    "translation.average_gradients",
    "float32-on-the-way",
    edit(
        "all_reduce(parameter.grad)",
        "single = parameter.grad.float()\nall_reduce(single)\nparameter.grad = single.to(parameter.dtype)",
    ),
    section="average-gradients",
    why="The gradients were turned into float32 to be exchanged. A model in float64 loses half of its digits.",
    hint="With a model in float64 your gradients agree to seven digits only. Exchange them in the dtype that they have.",
)

mistake(
    "translation.average_gradients",
    "parameters-averaged",
    edit("all_reduce(parameter.grad)\nparameter.grad", "all_reduce(parameter.data)\nparameter.data"),
    section="average-gradients",
    why="The parameters were exchanged instead of the gradients. They are equal in all processes already.",
    hint="After your call the parameters have changed. They are the same everywhere; exchange the gradients.",
)

mistake(
    "translation.average_gradients",
    "order-of-its-own",
    edit(
        "for parameter in model.parameters():",
        "for parameter in sorted(model.parameters(), key=lambda one: 0 if one.grad is None else -one.grad.norm().item()):",
    ),
    section="average-gradients",
    why="Each process exchanged its gradients in an order that depends on them. Sums of different parameters come out.",
    hint="Do all processes exchange the same parameter at the same time? Your order depends on the gradients.",
)

mistake(
    "translation.average_gradients",
    "tensor-returned",
    edit("return total.item()", "return total"),
    section="average-gradients",
    why="The number of tokens is returned as a tensor. Such a tensor prints and formats like one, and on a GPU each use of it waits for the device.",
    hint="You return a tensor of one number. Return a plain `int`: `total.item()`.",
)

# ---------------------------------------------------------------------------------------------------------------------
# training_resources


mistake(
    "translation.training_resources",
    "forward-only",
    edit("6 * (weights + output) + 12 *", "2 * (weights + output) + 4 *"),
    section="cost-of-a-step",
    why="Only the forward pass was counted. The backward pass takes twice as many operations on top of it.",
    hint="Your operations are a third of what a *training* step takes. What does the backward pass compute for each "
    "product?",
)

mistake(
    "translation.training_resources",
    "two-for-a-weight",
    edit("6 * (weights", "2 * (weights"),
    section="cost-of-a-step",
    why="Two operations were counted for each weight and token. That is one multiplication and one addition forward; "
    "backward there are four more.",
    hint="A weight takes part in one multiplication and one addition forward, and in how many backward?",
)

mistake(
    "translation.training_resources",
    "one-for-a-product",
    edit("6 * (weights", "3 * (weights"),
    section="cost-of-a-step",
    why="A multiplication and the addition after it were counted as one operation. Peaks of devices count them as two.",
    hint="You count half of the operations: a multiplication with an addition is two.",
)

mistake(
    "translation.training_resources",
    "every-parameter-multiplies",
    edit("6 * (weights + output)", "6 * (weights + small + output + length * d_model)"),
    section="cost-of-a-step",
    why="All parameters were counted as if they multiplied something. A lookup of a position multiplies nothing.",
    hint="Your N has all parameters. Which of them are matrices that vectors are multiplied by?",
)

mistake(
    "translation.training_resources",
    "embedding-multiplies",
    edit("6 * (weights + output)", "6 * (weights + 2 * output)"),
    section="cost-of-a-step",
    why="The table was counted as embedding and as output layer. An embedding looks a row up, which takes no product.",
    hint="The tied table is used twice, but only one of the two uses is a product of matrices.",
)

mistake(
    "translation.training_resources",
    "output-layer-left-out",
    edit("6 * (weights + output)", "6 * weights"),
    section="cost-of-a-step",
    why="The output layer was left out, since it shares its table with the embedding. It is a product all the same, in a "
    "small model the largest.",
    hint="Your N has the layers alone. Every token is also multiplied by the whole output table.",
)

mistake(
    "translation.training_resources",
    "no-attention-term",
    edit(" + 12 * num_layers * d_model * length", ""),
    section="cost-of-a-step",
    why="The products inside attention were left out. They have no weights of their own, so 6 N does not count them.",
    hint="Queries are multiplied by keys, and weights by values. No parameter stands for that: it comes on top of 6 N.",
)

mistake(
    "translation.training_resources",
    "attention-without-length",
    edit("12 * num_layers * d_model * length)", "12 * num_layers * d_model)"),
    section="cost-of-a-step",
    why="The attention term does not depend on the length. Each query meets every key of its sequence.",
    hint="How many keys does one query meet? Your attention term is the same for every length.",
)

mistake(
    "translation.training_resources",
    "attention-with-length-squared",
    edit("12 * num_layers * d_model * length)", "12 * num_layers * d_model * length**2)"),
    section="cost-of-a-step",
    why="The square of the length was counted for each token. It is the square for a whole sequence, so the length for "
    "each of its tokens.",
    hint="Per sequence it is T squared. You multiply by the tokens afterwards, so one T is counted twice.",
)

mistake(
    "translation.training_resources",
    "halved-for-the-mask",
    edit("12 * num_layers * d_model * length)", "6 * num_layers * d_model * length)"),
    section="cost-of-a-step",
    why="The attention term was halved because of the causal mask. The convention counts the whole square, which is what "
    "the plain computation does.",
    hint="Your attention term is half of the one in the docstring. The convention does not leave out what is masked.",
)

mistake(
    "translation.training_resources",
    "sequences-for-tokens",
    edit("tokens = rows * length", "tokens = rows"),
    section="cost-of-a-step",
    why="Sequences were counted in place of tokens. A sequence has T of them.",
    hint="A step has B T tokens. You count B of them.",
)

mistake(
    "translation.training_resources",
    "bits-for-bytes",
    edit("(34 * d_model + 5 * num_heads * length)", "8 * (34 * d_model + 5 * num_heads * length)"),
    section="cost-of-a-step",
    why="The activations were counted in bits. A byte has eight.",
    hint="Your number of bytes is eight times too large: those are bits.",
)

mistake(
    "translation.training_resources",
    "numbers-for-bytes",
    edit("(34 * d_model + 5 * num_heads * length)", "(34 * d_model + 5 * num_heads * length) // 2"),
    section="cost-of-a-step",
    why="The bytes were divided by 2, as if 34 and 5 counted numbers of 16 bits. They are bytes already.",
    hint="Your activations are half of what they should be. The factors 34 and 5 count bytes.",
)

mistake(
    "translation.training_resources",
    "one-layer-kept",
    edit("activation_bytes=num_layers * tokens", "activation_bytes=tokens"),
    section="cost-of-a-step",
    why="Only the activations of one layer were counted. The backward pass needs those of all layers.",
    hint="You count what one layer keeps. All layers keep theirs until the backward pass has come back to them.",
)

mistake(
    "translation.training_resources",
    "one-head-kept",
    edit("5 * num_heads * length", "5 * length"),
    section="cost-of-a-step",
    why="The attention weights of one head were counted. Every head has a square of its own.",
    hint="Each head keeps its own T times T weights. Your number does not depend on the heads.",
)

mistake(
    "translation.training_resources",
    "table-counted-twice",
    edit("weights + small + output + length", "weights + small + 2 * output + length"),
    section="cost-of-a-step",
    why="The table that is embedding and output layer at once was counted twice. It is one parameter with two uses.",
    hint="You have more parameters than the model: a tied table is there once.",
)

mistake(
    "translation.training_resources",
    "no-biases",
    edit("weights + small + output", "weights + output"),
    section="cost-of-a-step",
    why="Biases and normalisations were left out of the parameters. They are few, and trained like all others.",
    hint="Your number of parameters has the matrices alone. Count the biases, gains and biases of normalisations as well.",
)

mistake(
    "translation.training_resources",
    "last-norm-forgotten",
    edit("num_layers * 13 * d_model + 2 * d_model", "num_layers * 13 * d_model"),
    section="cost-of-a-step",
    why="The normalisation after the last layer was forgotten. It has a gain and a bias of d numbers each.",
    hint="Two times d parameters are missing. What follows the last layer?",
)

mistake(
    "translation.training_resources",
    "positions-forgotten",
    edit("output + length * d_model,", "output,"),
    section="cost-of-a-step",
    why="The table of positions was left out of the parameters. It has T rows of d numbers.",
    hint="There is a second table, with a row for each position.",
)

mistake(
    "translation.training_resources",
    "one-device",
    edit("seconds * peak * devices", "seconds * peak"),
    section="cost-of-a-step",
    why="The operations of all devices were divided by the peak of one. The share can then exceed 1.",
    hint="Eight devices could have done eight times as much in that time. Your share leaves the number of devices out.",
)

mistake(
    "translation.training_resources",
    "percent",
    edit("utilisation=operations", "utilisation=100 * operations"),
    section="cost-of-a-step",
    why="The share was returned in percent. From 0 to 1 is agreed, so that it can be multiplied with a peak.",
    hint="Your share is a hundred times too large: it goes from 0 to 1.",
)

mistake(
    "translation.training_resources",
    "upside-down",
    edit("operations / (seconds * peak * devices)", "seconds * peak * devices / operations"),
    section="cost-of-a-step",
    why="The fraction is upside down. It says how many times as long the device was there as it was needed.",
    hint="The share of the peak is at most 1. Yours is what could have been done, divided by what was done.",
)

mistake(
    "translation.training_resources",
    "activations-of-one-device",
    edit(
        "activation_bytes=num_layers * tokens * (34 * d_model + 5 * num_heads * length)",
        "activation_bytes=num_layers * tokens * (34 * d_model + 5 * num_heads * length) // devices",
    ),
    section="cost-of-a-step",
    why="The activations are divided by the number of devices. `rows` are those of all devices together, and so are the bytes.",
    hint="With four devices you count the bytes of one. Count all that the step keeps, on all devices together.",
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
    hint="There is no axis for the heads in your maps: keep them apart; a mean can still be taken later.",
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
    why="The model stays in evaluation mode. If you look at maps in the middle of a training, it goes on without "
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
    why="The largest weights were set to 0 in the caller's tensor. A drawing made afterwards shows another map.",
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
    why="The function and the model are returned in the wrong order. A caller who unpacks them counts the parameters "
    "of a function.",
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
