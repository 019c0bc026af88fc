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
