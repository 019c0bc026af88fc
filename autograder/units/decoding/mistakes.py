"""Wrong implementations of the tasks of decoding: what learners write, and what to tell them.

More specific mistakes come before more general ones.
"""

import torch

from autograder.course.catalogue import edit, mistake
from solutions import BOS, EOS, PAD
from solutions.masks import causal_mask

# ---------------------------------------------------------------------------------------------------------------------
# greedy_decode


mistake(
    "decoding.greedy_decode",
    "position-zero",
    edit("hidden[:, -1]", "hidden[:, 0]"),
    section="decoding-loop",
    why="Every step writes the same token. You took it from the first position of the decoder's output, which says "
    "what follows the start symbol. Which position says what comes next?",
    hint="All your tokens come from the output at position 0. The last position is the one that says what comes next.",
)

mistake(
    "decoding.greedy_decode",
    "generator-left-out",
    edit("model.generator(hidden[:, -1])", "hidden[:, -1]"),
    section="decoding-loop",
    why="Your ids are positions in the hidden vector, which knows no vocabulary. You took its largest entry as a "
    "token. Which part of the model turns it into log-probabilities?",
    hint="Your ids are positions in the hidden vector. Let `model.generator` make log-probabilities of it first, then "
    "take the argmax.",
)

mistake(
    "decoding.greedy_decode",
    "no-end",
    edit("finished = torch.zeros(src.shape[0], dtype=torch.bool)", ""),
    edit("new[finished] = PAD", ""),
    edit("finished |= new == eos_id\nif finished.all():\n    break", ""),
    base="loop-with-a-break",
    section="finished-rows",
    why="Your rows go on after the end symbol, with tokens that mean nothing. You do not look for it. What should a "
    "row hold once it has ended?",
    hint="Your rows go on after the end symbol. Once a row has written `eos_id`, fill it with `PAD`.",
)

mistake(
    "decoding.greedy_decode",
    "not-padded",
    edit("new[finished] = PAD", ""),
    base="loop-with-a-break",
    section="finished-rows",
    why="Tokens follow the end symbol in rows that finish early. The loop goes on until all rows are finished, and "
    "yours keep writing. What should a finished row hold instead?",
    hint="Tokens follow the end symbol in rows that finish early. Keep a boolean for each row, and put `PAD` into "
    "those that are finished.",
)

mistake(
    "decoding.greedy_decode",
    "padded-from-the-second-end",
    edit("new[finished] = PAD", ""),
    edit("return ids", "ids[:, 1:][(ids[:, 1:] == eos_id).cumsum(1) > 1] = PAD\nreturn ids"),
    base="loop-with-a-break",
    section="finished-rows",
    why="In rows that finish early, tokens follow the end symbol until a second one comes. You padded the rows from "
    "their second end symbol on. After which end symbol is a row finished?",
    hint="In rows that finish early, tokens follow the end symbol. A row is finished at its first end symbol: every "
    "later position has to hold `PAD`.",
)

mistake(
    "decoding.greedy_decode",
    "stops-at-the-first-end",
    edit("finished.all", "finished.any"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Longer rows are cut off when the shortest one ends. You stop as soon as one row is finished. How many of "
    "them have to be finished?",
    hint="Your longer rows are cut off when the shortest one ends. Stop when *all* rows are finished, not when any is.",
)

mistake(
    "decoding.greedy_decode",
    "only-row-zero-ends",
    edit("finished = torch.zeros(src.shape[0], dtype=torch.bool)", ""),
    edit("new[finished] = PAD", ""),
    edit("finished |= new == eos_id", ""),
    edit("finished.all()", "new[0] == eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="All rows stop, or go on, with the first one. You look for the end symbol in row 0 alone. How many flags "
    "does a batch of B rows need?",
    hint="Whether your loop goes on depends on row 0 alone. Keep one boolean for each row, (B,), and stop when all are "
    "true.",
)

mistake(
    "decoding.greedy_decode",
    "padded-with-eos",
    edit("new[finished] = PAD", "new[finished] = eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Finished rows repeat the end symbol. You used it to fill them, but masks and losses know another id. Which "
    "id marks unused positions?",
    hint="Your finished rows repeat the end symbol. Write it once, and `PAD` after it.",
)

mistake(
    "decoding.greedy_decode",
    "end-symbol-lost",
    edit("finished |= new == eos_id", ""),
    edit(
        "new = model.generator(hidden[:, -1]).argmax(dim=-1)",
        "new = model.generator(hidden[:, -1]).argmax(dim=-1)\nfinished |= new == eos_id",
    ),
    base="loop-with-a-break",
    section="finished-rows",
    why="The end symbol is missing from your rows, so a finished row looks like one that was cut off. You marked the "
    "row as finished before its token was written. Which of the two comes first?",
    hint="The end symbol is missing from your rows. First replace the tokens of rows that were finished *before*, then "
    "find those that finish now.",
)

mistake(
    "decoding.greedy_decode",
    "finished-forgotten",
    edit("finished |= new == eos_id", "finished = new == eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="A finished row starts to write again after one `PAD`. You work out anew at every step whether it is "
    "finished, from its newest token. What should the old flag contribute?",
    hint="Your finished rows start to write again after one `PAD`. Once finished, always finished: combine the old "
    "flags with the new ones instead of replacing them.",
)

mistake(
    "decoding.greedy_decode",
    "start-symbol-dropped",
    edit("return ids", "return ids[:, 1:]"),
    section="greedy",
    why="Your rows lack the start symbol in column 0. You cut it off, but the result is what the decoder read and "
    "wrote. Which columns belong to it?",
    hint="Your rows lack the start symbol in column 0. Return the ids as the decoder read them.",
)

mistake(
    "decoding.greedy_decode",
    "one-column-too-many",
    edit("max_len - 1", "max_len"),
    base="loop-with-a-break",
    section="greedy",
    why="Your result has one column more than `max_len`. Your loop runs `max_len` times, and the start symbol is "
    "added to that. How many steps are left for the loop?",
    hint="Your result has a column more than `max_len`. The start symbol counts, so there are `max_len - 1` steps.",
)

mistake(
    "decoding.greedy_decode",
    "one-column-too-few",
    edit("max_len - 1", "max_len - 2"),
    base="loop-with-a-break",
    section="greedy",
    why="Your result stops one column short of `max_len`. You kept a column in reserve for the end symbol, which is "
    "counted like any other. How many steps are left for the loop?",
    hint="Your result stops a column short of `max_len`. After the start symbol there is room for `max_len - 1` ids.",
)

mistake(
    "decoding.greedy_decode",
    "encoded-at-every-step",
    edit("mask = causal_mask(ids.shape[1])", "mask = causal_mask(ids.shape[1])\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="Decoding takes far too long. Your encoder runs at every step, although the source does not change. When "
    "should it run?",
    hint="Your encoder runs at every step. Encode once, before the loop.",
)

mistake(
    "decoding.greedy_decode",
    "no-causal-mask",
    edit("causal_mask(ids.shape[1])", "None"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="Earlier positions see later ones, which they never did in training. Your decoder gets no target mask, or "
    "one that hides nothing. Which mask does a target of T ids need?",
    hint="Your decoder reads the target without a causal mask, or with one that is true everywhere. Give it "
    "`causal_mask(T)`, also when you write token by token.",
)

mistake(
    "decoding.greedy_decode",
    "source-mask-not-in-the-decoder",
    edit("model.decode(memory, src_mask, ids, mask)", "model.decode(memory, None, ids, mask)"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The results of short sources depend on their padding. Your decoder does not get the source mask, so its "
    "cross-attention reads padding. Which two calls need this mask?",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode`.",
)

mistake(
    "decoding.greedy_decode",
    "source-mask-not-in-the-encoder",
    edit("model.encode(src, src_mask)", "model.encode(src, None)"),
    section="decoding-loop",
    why="The results of short sources depend on their padding. Your encoder does not get the source mask, so padding "
    "enters the memory. Which two calls need this mask?",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode`.",
)

mistake(
    "decoding.greedy_decode",
    "only-the-newest-token",
    edit("ids.shape[1]", "1"),
    edit("model.decode(memory, src_mask, ids, mask)", "model.decode(memory, src_mask, ids[:, -1:], mask)"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The decoder forgets what it has written. You passed only the newest token, and without a cache there is no "
    "memory of the others. Which ids does it need?",
    hint="Your decoder reads one token at a time. Without a cache it needs all ids written so far.",
)

mistake(
    "decoding.greedy_decode",
    "default-ids",
    edit("memory = model.encode(src, src_mask)", "bos_id, eos_id = BOS, EOS\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="Your function ignores the ids that the caller gives. You used BOS and EOS of the course, and other "
    "vocabularies have other ids. Which arguments hold them?",
    hint="Your function ignores `bos_id` or `eos_id`. Use the arguments; BOS and EOS are only their defaults.",
)

mistake(
    "decoding.greedy_decode",
    "default-eos",
    edit("new == eos_id", "new == EOS"),
    base="loop-with-a-break",
    section="greedy",
    why="Your function ignores `eos_id`. You look for EOS of the course, and other vocabularies have another id. "
    "With what should the newest tokens be compared?",
    hint="Your function ignores `eos_id`. Compare with the argument; EOS is only its default.",
)

mistake(
    "decoding.greedy_decode",
    "one-row-only",
    edit("(src.shape[0], 1)", "(1, 1)"),
    edit("finished = torch.zeros(src.shape[0], dtype=torch.bool)", ""),
    edit("mask = causal_mask(ids.shape[1])", ""),
    edit(
        "model.decode(memory, src_mask, ids, mask)",
        "model.decode(memory[:1], src_mask[:1], ids, causal_mask(ids.shape[1]))",
    ),
    edit("model.generator(hidden[:, -1]).argmax(dim=-1)", "model.generator(hidden[:, -1]).argmax(dim=-1)[0].item()"),
    edit("new[finished] = PAD", ""),
    edit("new.unsqueeze(1)", "torch.full((1, 1), new)"),
    edit("finished |= new == eos_id", ""),
    edit("finished.all()", "new == eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Your result has one row whatever the batch. You wrote the function for a single sentence. How many start "
    "symbols does a batch of B sources need?",
    hint="Your result has one row for a batch of several. Start with one start symbol for each source, `(B, 1)`, and "
    "do not take `[0]` of the new tokens.",
)

mistake(
    "decoding.greedy_decode",
    "first-token-for-all",
    edit(
        "new = model.generator(hidden[:, -1]).argmax(dim=-1)",
        "new = model.generator(hidden[:, -1]).argmax(dim=-1)\nnew = new[0].repeat(len(src))",
    ),
    base="loop-with-a-break",
    section="finished-rows",
    why="All rows write what the first one writes. You took its token out of the batch and used it for all. How many "
    "tokens does a batch get per step?",
    hint="All your rows write what the first one writes. Keep the new tokens as a vector, one for each row.",
)

mistake(
    "decoding.greedy_decode",
    "drawn-at-random",
    edit(
        "model.generator(hidden[:, -1]).argmax(dim=-1)",
        "torch.multinomial(model.generator(hidden[:, -1]).exp(), 1)[:, 0]",
    ),
    base="loop-with-a-break",
    section="greedy",
    why="The same source gives different results. You drew tokens at random. Which token does greedy decoding take?",
    hint="Your tokens are drawn at random. Greedy decoding takes the argmax.",
)

mistake(
    "decoding.greedy_decode",
    "least-likely",
    edit("model.generator(hidden[:, -1]).argmax", "model.generator(hidden[:, -1]).argmin"),
    section="greedy",
    why="Your text is as improbable as possible. You took the smallest log-probability. Log-probabilities are "
    "negative: which of them is nearest to 0?",
    hint="You take the least likely token. Log-probabilities are negative: the most likely one is still the largest.",
)


mistake(
    "decoding.greedy_decode",
    "gradients-recorded",
    edit("with torch.no_grad():", "if True:"),
    base="loop-with-a-break",
    section="greedy",
    why="Every step keeps its intermediate results for a backward pass that never comes. You left the recording of "
    "gradients on. What switches recording off for the whole loop?",
    hint="Your function records gradients. Put the loop under `torch.no_grad()`.",
)

mistake(
    "decoding.greedy_decode",
    "mode-changed",
    edit("memory = model.encode(src, src_mask)", "model.eval()\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="A caller in the middle of training trains on without dropout. You switched the model to evaluation and left "
    "it there. Who should decide about the mode?",
    hint="After your call the model is in another mode than before. The mode is the caller's: leave it alone.",
)

mistake(
    "decoding.greedy_decode",
    "float-ids",
    edit("return ids", "return ids.float()"),
    section="greedy",
    why="An embedding refuses your ids, because they are floats. You converted them, or made the first column with "
    "the wrong type. Which type do ids have?",
    hint="Your ids are floats. Make the first column with `dtype=torch.long`, or with `src.new_full`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# sample_next


mistake(
    "decoding.sample_next",
    "always-the-most-likely",
    edit("torch.multinomial(probs, 1, generator=generator).squeeze(-1)", "probs.argmax(dim=-1)"),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="The same logits always give the same token. You take the most likely one at every temperature. At which "
    "single temperature is nothing drawn?",
    hint="You always return the same token for the same logits. Only temperature 0 is argmax; otherwise, draw with "
    "`torch.multinomial`.",
)

mistake(
    "decoding.sample_next",
    "temperature-multiplied",
    edit("logits / temperature", "logits * temperature"),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="A high temperature makes your draws more certain. You multiplied the logits by it. Which operation makes a "
    "high temperature shrink differences?",
    hint="Your temperature works the wrong way round. Divide the logits by it.",
)

mistake(
    "decoding.sample_next",
    "temperature-ignored",
    edit("logits = logits / temperature", ""),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="Your draws are the same at every temperature except 0. You did not use the argument. Where does it enter "
    "before the softmax?",
    hint="Your draws do not depend on the temperature. Divide the logits by it before the softmax.",
)

mistake(
    "decoding.sample_next",
    "temperature-after-softmax",
    edit("logits = logits / temperature", ""),
    edit("logits.softmax(dim=-1)", "logits.softmax(dim=-1) / temperature"),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="Your draws do not depend on the temperature. You divided the probabilities, and renormalising undoes that. "
    "What should be divided instead?",
    hint="Your draws do not depend on the temperature: you divide the probabilities, and `multinomial` renormalises "
    "them. Divide the *logits*.",
)

mistake(
    "decoding.sample_next",
    "softmax-of-softmax",
    edit("logits.softmax", "logits.softmax(dim=-1).softmax"),
    section="decoding-temperature",
    why="Your draws are far too even. You took the softmax twice, and probabilities differ by at most 1. Of what "
    "should the only softmax be taken?",
    hint="Your draws are far too even: you take the softmax of a softmax. Take it once, of the logits.",
)

mistake(
    "decoding.sample_next",
    "zero-divides",
    edit("if temperature == 0:\n    return logits.argmax(dim=-1)", ""),
    section="decoding-temperature",
    why="Temperature 0 gives an error or nonsense, because you divide by it. You did not treat this case separately. "
    "Which token does temperature 0 stand for?",
    hint="Temperature 0 gives an error or nonsense. Return the argmax before you divide.",
)

mistake(
    "decoding.sample_next",
    "exp-overflows",
    edit("probs = logits.softmax(dim=-1)", "probs = logits.exp()\nprobs = probs / probs.sum(dim=-1, keepdim=True)"),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="Logits of a hundred and more give an error. You took their exponentials as they are, and these overflow. "
    "Which function subtracts the maximum first ({chapter}`attention` has the reason)?",
    hint="Large logits give an error. Use `softmax`, which subtracts the maximum first ({chapter}`attention` has the "
    "reason).",
)

mistake(
    "decoding.sample_next",
    "columns-not-rows",
    edit("logits.softmax(dim=-1)", "logits.softmax(dim=0)"),
    section="decoding-temperature",
    why="Your probabilities depend on the other rows of the batch. The softmax runs over the batch. Over which axis "
    "should each row sum to 1?",
    hint="Your probabilities depend on the other rows of the batch: the softmax runs over the wrong axis. It runs over "
    "the vocabulary, `dim=-1`.",
)

mistake(
    "decoding.sample_next",
    "filtered-to-zero",
    edit('float("-inf")', "0.0"),
    section="top-k",
    why="Tokens outside the top k are still drawn. You set their logits to 0, and exp(0) is 1. Which logit has the "
    "exponential 0?",
    hint="Tokens outside the top k are still drawn: you set their *logits* to 0. Set logits to minus infinity, or "
    "probabilities to 0.",
)

mistake(
    "decoding.sample_next",
    "top-k-one-too-few",
    edit("logits < kth", "logits <= kth"),
    base="kth-score-as-limit",
    section="top-k",
    why="One token too few survives, and with k = 1 none. You excluded the k-th largest logit itself. On which side "
    "of the limit does it belong?",
    hint="One token too few survives your top-k. Keep what is *at least* as large as the k-th largest logit.",
)

mistake(
    "decoding.sample_next",
    "top-k-one-too-many",
    edit("min(top_k, logits.shape[-1])", "min(top_k + 1, logits.shape[-1])"),
    base="kth-score-as-limit",
    section="top-k",
    why="One token too many survives. Your limit is the logit after the k-th. Which index does the k-th entry of a "
    "sorted list have, counted from 0?",
    hint="One token too many survives your top-k. In a sorted list whose indices start at 0, the k-th entry has the "
    "index k - 1.",
)

mistake(
    "decoding.sample_next",
    "top-k-of-the-smallest",
    edit("logits.topk(k, dim=-1)", "(-logits).topk(k, dim=-1)"),
    edit("logits < kth", "-logits < kth"),
    base="kth-score-as-limit",
    section="top-k",
    why="Your top-k keeps the least likely tokens. You sorted in ascending order. Which end of the order should "
    "survive?",
    hint="Your top-k keeps the least likely tokens. Sort in descending order, or use `topk`.",
)

mistake(
    "decoding.sample_next",
    "top-k-of-row-zero",
    edit(":, -1:", "0, -1"),
    section="top-k",
    why="In later rows, your top-k keeps too many tokens or too few. You took the limit of the first row for all "
    "rows. Which shape should the limits of B rows have?",
    hint="Your top-k threshold comes from row 0. Each row needs its own, of shape (B, 1).",
)

mistake(
    "decoding.sample_next",
    "top-k-of-the-batch",
    edit("logits.topk(top_k, dim=-1).values[:, -1:", "logits.flatten().topk(top_k).values[-1"),
    section="top-k",
    why="Some rows are left with too few tokens, or none. You took the k largest logits of the whole batch. Along "
    "which axis should they be chosen?",
    hint="Your top-k looks at all rows together. Take it along the vocabulary, `dim=-1`.",
)

mistake(
    "decoding.sample_next",
    "top-k-uniform",
    edit("logits.masked_fill", "torch.zeros_like(logits).masked_fill"),
    section="top-k",
    why="All surviving tokens are equally likely. You lost their probabilities. What should the filter decide, and "
    "what should it leave unchanged?",
    hint="Your top-k draws all survivors equally often. Keep their probabilities in proportion.",
)

mistake(
    "decoding.sample_next",
    "top-k-ignored",
    edit('logits = logits.masked_fill(logits < kth, float("-inf"))', ""),
    base="kth-score-as-limit",
    section="top-k",
    why="Any token may still be drawn. You accept `top_k` and do not use it. Which logits should be excluded?",
    hint="Your draws do not depend on `top_k`. Exclude all but the k largest logits of each row.",
)

mistake(
    "decoding.sample_next",
    "top-k-above-the-vocabulary",
    edit("min(top_k, logits.shape[-1])", "top_k"),
    base="kth-score-as-limit",
    section="top-k",
    why="A `top_k` above the size of the vocabulary raises an error. You passed `top_k` on as it is. How many tokens "
    "can be kept at most?",
    hint="A `top_k` above the size of the vocabulary raises an error. Limit it to the size of the vocabulary.",
)

mistake(
    "decoding.sample_next",
    "nucleus-too-small",
    edit("ordered.cumsum(dim=-1) - ordered", "ordered.cumsum(dim=-1)"),
    section="top-p",
    why="Your nucleus does not reach p, and it is empty when the first token alone exceeds p. You dropped the token "
    "that crosses the limit. Which mass decides about a token: the one before it or the one with it?",
    hint="Your nucleus does not reach p. Keep the token that crosses p as well: look at the mass *before* each token.",
)

mistake(
    "decoding.sample_next",
    "nucleus-too-small-but-one",
    edit("before = ordered.cumsum(dim=-1) - ordered", "before = ordered.cumsum(dim=-1)\nbefore[:, 0] = 0"),
    base="kth-score-as-limit",
    section="top-p",
    why="Your nucleus does not reach p. You always keep the first token but drop the one that crosses the limit. "
    "Which mass decides about a token: the one before it or the one with it?",
    hint="Your nucleus does not reach p. Keep the token that crosses p as well: look at the mass *before* each token.",
)

mistake(
    "decoding.sample_next",
    "nucleus-too-small-or-empty",
    edit("remove[..., 1:] = remove[..., :-1].clone()\nremove[..., 0] = False", ""),
    base="removal-shifted-by-one",
    section="top-p",
    why="Your nucleus does not reach p, and drawing fails when the first token alone exceeds p. You dropped the token "
    "that crosses the limit. Which mass decides about a token: the one before it or the one with it?",
    hint="Your nucleus does not reach p, and may be empty. Keep the token that crosses p as well: look at the mass "
    "*before* each token.",
)

mistake(
    "decoding.sample_next",
    "nucleus-too-large",
    edit(
        "before = ordered.cumsum(dim=-1) - ordered",
        "before = (ordered.cumsum(dim=-1) - ordered).roll(1, dims=-1)\nbefore[:, 0] = 0",
    ),
    base="kth-score-as-limit",
    section="top-p",
    why="Your nucleus holds one token more than it needs. You kept the one after the token that crosses the limit. "
    "With which token does the smallest set that reaches p end?",
    hint="Your nucleus holds one token more than it needs. Drop a token when the mass of those before it has reached "
    "p.",
)

mistake(
    "decoding.sample_next",
    "not-back-in-order",
    edit("torch.zeros_like(probs).scatter(-1, order, ordered)", "probs.masked_fill(ordered == 0, 0.0)"),
    base="kth-score-as-limit",
    section="top-p",
    why="Your top-p hides the wrong tokens. You computed the filter in sorted order and applied it to the unsorted "
    "probabilities. How can you bring it back into the order of the vocabulary?",
    hint="Your top-p hides the wrong tokens: its mask is in sorted order. Bring it back with `scatter` and the order "
    "that `sort` returned.",
)

mistake(
    "decoding.sample_next",
    "sorted-position-returned",
    edit("torch.zeros_like(probs).scatter(-1, order, ordered)", "ordered"),
    base="kth-score-as-limit",
    section="top-p",
    why="You return positions in the sorted list: 0 is always the most likely token. The draw was made in sorted "
    "order. How can you translate a position into an id?",
    hint="You return positions in the sorted list as tokens. Look them up in the order that `sort` returned, with "
    "`gather`.",
)

mistake(
    "decoding.sample_next",
    "sorted-upwards",
    edit("probs.sort(dim=-1, descending=True)", "probs.sort(dim=-1)"),
    base="kth-score-as-limit",
    section="top-p",
    why="Your nucleus consists of the least likely tokens. You added up the probabilities from the smallest. From "
    "which end should the sum begin?",
    hint="Your nucleus starts with the least likely tokens. Sort in descending order.",
)

mistake(
    "decoding.sample_next",
    "threshold-on-single-tokens",
    edit("before = ordered.cumsum(dim=-1) - ordered", ""),
    edit(
        "ordered = ordered.masked_fill(before >= top_p, 0.0)",
        "ordered = ordered.masked_fill(ordered < 1 - top_p, 0.0)\nordered[:, 0] += 1e-9",
    ),
    base="kth-score-as-limit",
    section="top-p",
    why="Whether a token stays depends on its own probability alone. You compared single probabilities with a limit. "
    "Which quantity should reach p?",
    hint="You compare single probabilities with a threshold. Top-p is about their *sum*, from the most likely token "
    "on.",
)

mistake(
    "decoding.sample_next",
    "top-p-ignored",
    edit("ordered = ordered.masked_fill(before >= top_p, 0.0)", ""),
    base="kth-score-as-limit",
    section="top-p",
    why="The unlikely tail may still be drawn. You check `top_p` and do not use it. Which smallest set of tokens "
    "should survive?",
    hint="Your draws do not depend on `top_p`. Keep the smallest set of most likely tokens whose mass reaches it.",
)

mistake(
    "decoding.sample_next",
    "top-p-summed-over-the-batch",
    edit("ordered.cumsum(dim=-1)", "ordered.cumsum(dim=0)"),
    section="top-p",
    why="Your nucleus depends on the other rows of the batch. The cumulative sum runs along the batch. Along which "
    "axis should it run?",
    hint="Your nucleus depends on the other rows of the batch: the cumulative sum runs along the batch. Let it run "
    "along the vocabulary.",
)

mistake(
    "decoding.sample_next",
    "top-p-before-temperature",
    edit("logits = logits / temperature", "raw, logits = logits, logits / temperature"),
    edit(
        "probs.sort(dim=-1, descending=True)",
        'raw.masked_fill(probs == 0, float("-inf")).softmax(dim=-1).sort(dim=-1, descending=True)',
    ),
    edit(
        "probs = torch.zeros_like(probs).scatter(-1, order, ordered)",
        "keep = torch.zeros_like(probs).scatter(-1, order, ordered)\nprobs = probs.masked_fill(keep == 0, 0.0)",
    ),
    base="kth-score-as-limit",
    section="filter-order",
    why="Your nucleus does not change with the temperature. You computed it from the probabilities at temperature 1. "
    "Which of the two steps comes first?",
    hint="Your nucleus does not change with the temperature. Divide by the temperature first, then filter.",
)

mistake(
    "decoding.sample_next",
    "top-p-before-top-k",
    edit("logits = logits / temperature", "logits = logits / temperature\nfull = logits.softmax(dim=-1)"),
    edit(
        "ordered, order = probs.sort(dim=-1, descending=True)",
        "ordered, order = probs.sort(dim=-1, descending=True)\neverything = full.gather(-1, order)",
    ),
    edit("ordered.cumsum(dim=-1) - ordered", "everything.cumsum(dim=-1) - everything"),
    base="kth-score-as-limit",
    section="filter-order",
    why="With both filters you keep too many tokens. You computed the nucleus from the whole distribution. From what "
    "should it be computed in this course, where top-k comes first?",
    hint="With both filters you keep too many tokens. First top-k, then renormalise, then top-p.",
)

mistake(
    "decoding.sample_next",
    "top-p-not-refused",
    edit(
        """
        if top_p is not None and not 0 < top_p <= 1:
            raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
        """,
        "",
    ),
    base="kth-score-as-limit",
    section="top-p",
    why="A `top_p` outside the allowed range is accepted, and the caller is not told. You did not check it. Which "
    "values are allowed?",
    hint="A `top_p` outside (0, 1] must raise a `ValueError`.",
)

mistake(
    "decoding.sample_next",
    "top-p-zero-allowed",
    edit("0 < top_p <= 1", "0 <= top_p <= 1"),
    section="top-p",
    why="`top_p=0` is accepted, and nothing would be left to draw. You let 0 pass, but even the empty set reaches 0. "
    "Which values are allowed?",
    hint="`top_p=0` must raise a `ValueError`: the empty set reaches it already.",
)

mistake(
    "decoding.sample_next",
    "top-p-one-refused",
    edit("0 < top_p <= 1", "0 < top_p < 1"),
    section="top-p",
    why="`top_p=1` is refused, although it keeps everything and is the default of many programs. Your check excludes "
    "the end of the range. Which values are allowed?",
    hint="`top_p=1.0` is allowed and is no limit: only values above 1 are refused.",
)

mistake(
    "decoding.sample_next",
    "falsy-top-p",
    edit("top_p is not None and not 0 < top_p <= 1", "top_p and not 0 < top_p <= 1"),
    edit("if top_p is not None:", "if top_p:"),
    section="top-p",
    why="`top_p=0` means no limit instead of an error. Your test treats 0 like None. How can you ask whether an "
    "argument was given at all?",
    hint="`top_p=0` must raise, and `if top_p` is false for it. Compare with `None`.",
)

mistake(
    "decoding.sample_next",
    "one-draw-for-all-rows",
    edit(
        "return torch.multinomial(probs, 1, generator=generator).squeeze(-1)",
        """
        height = torch.rand(1, generator=generator)
        return (probs.cumsum(dim=-1) < height).sum(dim=-1).clamp(max=probs.shape[-1] - 1)
        """,
    ),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="Rows with the same logits always get the same token. One random number serves the whole batch. How many "
    "draws does a batch need?",
    hint="All your rows are drawn with the same random number. Each row is a draw of its own; `torch.multinomial` does "
    "that.",
)

mistake(
    "decoding.sample_next",
    "generator-ignored",
    edit("torch.multinomial(probs, 1, generator=generator)", "torch.multinomial(probs, 1)"),
    base="kth-score-as-limit",
    section="sampling-seed",
    why="Results cannot be repeated, even with a seeded generator. You accept the generator and do not pass it on. "
    "Which call needs it?",
    hint="Your draws ignore `generator`. Hand it on to `torch.multinomial`.",
)

mistake(
    "decoding.sample_next",
    "seeded-inside",
    edit("logits = logits / temperature", "torch.manual_seed(0)\nlogits = logits / temperature"),
    base="kth-score-as-limit",
    section="sampling-seed",
    why="Without a generator, every call draws the same tokens. You set a seed inside the function. Which generator "
    "should decide?",
    hint="Without a generator, every call gives the same tokens: you set a seed inside. Use the caller's `generator`, "
    "and PyTorch's own if there is none.",
)

mistake(
    "decoding.sample_next",
    "new-generator-each-call",
    edit(
        "logits = logits / temperature",
        "if generator is None:\n    generator = torch.Generator()\nlogits = logits / temperature",
    ),
    base="kth-score-as-limit",
    section="sampling-seed",
    why="Without a generator, every call draws the same tokens. You made a new generator, which starts from the same "
    "seed each time. What does None mean for PyTorch's functions?",
    hint="Without a generator all your calls draw the same tokens. Hand `None` on: PyTorch's own generator goes on "
    "from call to call.",
)

mistake(
    "decoding.sample_next",
    "column-kept",
    edit(
        "torch.multinomial(probs, 1, generator=generator).squeeze(-1)",
        "torch.multinomial(probs, 1, generator=generator)",
    ),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="Your result has the shape (B, 1). You returned the column as it was drawn. Which shape do B tokens have?",
    hint="Your result has one axis too many. Remove the last one.",
)

mistake(
    "decoding.sample_next",
    "one-row-loses-its-axis",
    edit("drawn.squeeze(-1)", "drawn.squeeze()"),
    section="decoding-temperature",
    why="A batch of one row comes back as a single number. You called `squeeze()` without an argument, which removes "
    "every axis of length 1. Which axis do you really want to remove?",
    hint="A batch of one row comes back as a single number. Say which axis to remove: the last one.",
)

mistake(
    "decoding.sample_next",
    "argument-changed",
    edit("logits / temperature", "logits.div_(temperature)"),
    edit("logits.masked_fill", "logits.masked_fill_"),
    base="kth-score-as-limit",
    section="top-k",
    why="A second call with the same logits draws from what the first filter left. You wrote into the caller's "
    "tensor. Which methods make a new one?",
    hint="Your function changes the logits that it is given. Use `masked_fill`, which returns a new tensor.",
)

mistake(
    "decoding.sample_next",
    "filter-written-in-place",
    edit("logits = logits / temperature", "if temperature != 1:\n    logits = logits / temperature"),
    edit('logits = logits.masked_fill(logits < kth, float("-inf"))', 'logits[logits < kth] = float("-inf")'),
    base="kth-score-as-limit",
    section="top-k",
    why="At temperature 1, the filter changes the caller's logits. You make a copy only at other temperatures. On "
    "which tensor should the filter always work?",
    hint="Your filter changes the logits that it is given. Work on a copy.",
)

mistake(
    "decoding.sample_next",
    "nucleus-too-large-at-equality",
    edit("mass_before >= top_p", "mass_before > top_p"),
    section="top-p",
    why="When the mass reaches `top_p` exactly, you keep one token too many: of four equal tokens, 0.5 should keep "
    "two. Your comparison lets equality pass. When is the set complete?",
    hint="When the mass reaches `top_p` exactly you keep one token too many: of four equal tokens, `top_p=0.5` keeps "
    "two. The set is complete as soon as its mass reaches `top_p`; it need not exceed it.",
)


# ---------------------------------------------------------------------------------------------------------------------
# beam_search


# In the alternative "lists-of-hypotheses": where those that have ended leave the beam, and an edit that keeps them in it.
SORTED_OUT = """
for ids, score in candidates[: beam_size - len(finished)]:
    if ids[-1] == eos_id:
        finished.append((ids, score))
    else:
        beams.append((ids, score))
"""
ALL_STAY = edit("beams = []", "beams = candidates[:beam_size]")

mistake(
    "decoding.beam_search",
    "copies-of-one-beginning",
    edit("[([bos_id], 0.0)]", "[([bos_id], 0.0)] * beam_size"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="Your beam finds only what greedy decoding finds, at several times the cost. You started with copies of one "
    "prefix, and they stay copies. How many different prefixes exist before the first step?",
    hint="Your beam finds only what greedy decoding finds. Either it starts with equal copies, which stay equal, or it "
    "looks at one continuation of each prefix. Start with one prefix, and look at several continuations.",
)

mistake(
    "decoding.beam_search",
    "beam-too-narrow",
    edit("beam_size - len(finished)", "max(beam_size - 1, 1) - len(finished)"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="With a beam size of 2 your search is greedy. You keep one prefix too few. How many candidates should "
    "survive a step?",
    hint="Your beam is one prefix too narrow. Keep `beam_size` of the candidates.",
)

mistake(
    "decoding.beam_search",
    "last-step-only",
    edit("score + value", "value"),
    base="lists-of-hypotheses",
    section="beam-bookkeeping",
    why="Your scores forget the earlier steps. You judge a hypothesis by its last log-probability. What does the "
    "logarithm of a product of all steps look like?",
    hint="Your scores forget the earlier steps. Add each new log-probability to the sum so far.",
)

mistake(
    "decoding.beam_search",
    "probabilities-added",
    edit("score + value", "score + math.exp(value)"),
    edit("((5 + len(item[0]) - 1) / 6) ** length_penalty", "len(item[0])"),
    base="lists-of-hypotheses",
    section="beam-bookkeeping",
    why="Your ranking is not by probability. You added probabilities, but the probability of a sequence is their "
    "product. What can be added instead?",
    hint="You add probabilities. Multiply them, that is, add their logarithms, which is what the generator returns.",
)

mistake(
    "decoding.beam_search",
    "logarithm-twice",
    edit("model.generator(hidden[:, -1])[0]", "model.generator(hidden[:, -1]).softmax(dim=-1)[0].log_softmax(dim=-1)"),
    base="lists-of-hypotheses",
    section="beam-bookkeeping",
    why="Your scores are not the model's. You applied a softmax to log-probabilities, as if they were logits. What "
    "does the generator return?",
    hint="Your scores are not the model's: you change its log-probabilities. Add them up as they come.",
)

mistake(
    "decoding.beam_search",
    "hidden-not-generated",
    edit("hidden[:, -1]", "hidden[:, 0]"),
    base="lists-of-hypotheses",
    section="decoding-loop",
    why="All steps use the output of position 0, which says what follows the start symbol. You indexed the wrong "
    "position. Which one says what comes next?",
    hint="All your steps use the output of position 0. The last position says what comes next.",
)


@mistake(
    "decoding.beam_search",
    "wrong-parents",
    section="beam-bookkeeping",
    why="Your hypotheses join the prefix of one with the token of another. You took the flattened index of a "
    "candidate apart with the wrong size. How many candidates does each parent contribute?",
    hint="Your hypotheses mix the prefixes of one with the tokens of another. In the flattened table of shape (number "
    "of prefixes, V), each parent has V consecutive candidates. Divide by V: the whole part is the parent, the "
    "remainder the token.",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                tgt = torch.tensor([ids for ids, _ in beams])
                n = len(beams)
                own, own_mask = memory[[b] * n], src_mask[[b] * n]
                log_probs = model.generator(model.decode(own, own_mask, tgt, causal_mask(tgt.shape[1]))[:, -1])
                totals = log_probs + torch.tensor([[score] for _, score in beams])
                values, positions = totals.flatten().topk(min(beam_size - len(finished), totals.numel()))
                old, beams = beams, []
                for value, position in zip(values.tolist(), positions.tolist()):
                    ids = old[position % n][0] + [position % totals.shape[1]]
                    if ids[-1] == eos_id:
                        finished.append((ids, value))
                    else:
                        beams.append((ids, value))
                if not beams:
                    break
            best = max(finished or beams, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "parents-not-followed",
    section="beam-bookkeeping",
    why="Your hypotheses join the prefix of one with the token of another. You appended the new tokens to the "
    "beams in their old order, although several may have one parent. What has to be reordered first?",
    hint="Your hypotheses mix the prefixes of one with the tokens of another. Reorder the prefixes by the parents "
    "of the candidates before you append.",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                tgt = torch.tensor([ids for ids, _ in beams])
                n = len(beams)
                own, own_mask = memory[[b] * n], src_mask[[b] * n]
                log_probs = model.generator(model.decode(own, own_mask, tgt, causal_mask(tgt.shape[1]))[:, -1])
                totals = log_probs + torch.tensor([[score] for _, score in beams])
                values, positions = totals.flatten().topk(min(beam_size - len(finished), totals.numel()))
                old, beams = beams, []
                for row, (value, position) in enumerate(zip(values.tolist(), positions.tolist())):
                    ids = old[row % n][0] + [position % totals.shape[1]]
                    if ids[-1] == eos_id:
                        finished.append((ids, value))
                    else:
                        beams.append((ids, value))
                if not beams:
                    break
            best = max(finished or beams, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


mistake(
    "decoding.beam_search",
    "no-length-penalty",
    edit("item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty", "item[1]"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Your result does not depend on `length_penalty`, and short outputs win. You compared plain sums, which "
    "become smaller with every token. What should be done to a sum before it is compared?",
    hint="Your result does not depend on `length_penalty`. Divide each sum by the penalty for its length before you "
    "compare.",
)

mistake(
    "decoding.beam_search",
    "penalty-multiplied",
    edit(
        "item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty",
        "item[1] * ((5 + len(item[0]) - 1) / 6) ** length_penalty",
    ),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Your length penalty favours short outputs. You multiplied by it, and the sums are negative. Which operation "
    "makes up for length?",
    hint="Your length penalty favours short outputs. Divide by it: the sums are negative.",
)

mistake(
    "decoding.beam_search",
    "mean-per-token",
    edit("(5 + len(item[0]) - 1) / 6", "len(item[0]) - 1"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Your penalty differs from the published one. You divided by a power of the plain length. What does the "
    "formula do with the length before it raises it to the power?",
    hint="Your penalty is `length ** length_penalty`. The formula first adds 5 to the length and divides by 6.",
)

mistake(
    "decoding.beam_search",
    "mean-per-token-variant-2",
    edit("(5 + len(item[0]) - 1) / 6", "len(item[0])"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Your penalty differs from the published one. You divided by a power of the plain length, start symbol "
    "included. What does the formula do with the length first, and which ids count?",
    hint="Your penalty is `length ** length_penalty`. The formula first adds 5 to the length and divides by 6. The "
    "start symbol does not count.",
)

mistake(
    "decoding.beam_search",
    "start-symbol-counted",
    edit("5 + len(item[0]) - 1", "5 + len(item[0])"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Your length is one too large. You counted the start symbol, which nobody had to predict. Which ids have a "
    "log-probability in the sum?",
    hint="Your length is one too large: it counts the start symbol. Count the ids after it, the end symbol included.",
)

mistake(
    "decoding.beam_search",
    "end-symbol-not-counted",
    edit("5 + len(item[0]) - 1", "5 + len(item[0]) - 2"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Your length is one too small. You left out the end symbol, whose log-probability is in the sum. Which ids "
    "count?",
    hint="Your length is one too small: it leaves out the end symbol. Count the ids after the start symbol, the end "
    "symbol included.",
)

mistake(
    "decoding.beam_search",
    "penalty-without-power",
    edit("((5 + len(item[0]) - 1) / 6) ** length_penalty", "(1 + (5 + len(item[0]) - 1) / 6 * length_penalty)"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Your scores are right at a length penalty of 0, and wrong at any other. You used the argument as a factor. "
    "Where does it stand in the formula?",
    hint="`length_penalty` is the exponent of `(5 + length) / 6`, not a factor.",
)

mistake(
    "decoding.beam_search",
    "precedence-in-the-penalty",
    edit("((5 + len(item[0]) - 1) / 6) ** length_penalty", "((5 + len(item[0]) - 1) / 6**length_penalty)"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Your penalty has the wrong size. A power binds more tightly than a division, so only the 6 is raised. Which "
    "part of the formula does the exponent belong to?",
    hint="Brackets are missing in your penalty: `(5 + length) / 6 ** a` raises the 6 alone. Put brackets around the "
    "whole fraction.",
)

mistake(
    "decoding.beam_search",
    "end-not-scored",
    edit("score + value", "score + (value if token != eos_id else 0.0)"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Hypotheses that end get too high a score. You left out the log-probability of the end symbol. Is stopping a "
    "decision of the model?",
    hint="Your finished hypotheses lack the log-probability of the end symbol. Add it like that of any other token.",
)

mistake(
    "decoding.beam_search",
    "first-finished-wins",
    edit("not beams", "finished or not beams"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="A better hypothesis that is still open has no chance. Your search stops at the first one that ends. What "
    "should happen to the others?",
    hint="Your search stops as soon as one hypothesis ends. Go on with the others, and compare all that finish.",
)

mistake(
    "decoding.beam_search",
    "finished-ones-extended",
    edit(
        """
        if ids[-1] == eos_id:
            finished.append((ids, score))
        else:
            beams.append((ids, score))
        """,
        "beams.append((ids, score))",
    ),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Hypotheses go on after their end symbol, and what follows spoils the score. You left them in the beam. "
    "Where should a finished hypothesis go?",
    hint="Your hypotheses go on after the end symbol. Take a finished one out of the beam.",
)

mistake(
    "decoding.beam_search",
    "finished-and-continued",
    ALL_STAY,
    edit(
        SORTED_OUT,
        "finished += [(ids, score) for ids, score in beams if ids[-1] == eos_id]",
    ),
    edit("if not beams:\n    break", ""),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Your output holds tokens from after an end symbol. You recorded a finished hypothesis and also continued "
    "it. Where should it be, and where not?",
    hint="Your output holds tokens from after an end symbol. A finished hypothesis must leave the beam.",
)

mistake(
    "decoding.beam_search",
    "unfinished-compared-too",
    edit("finished or beams", "finished + beams"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="A hypothesis that was cut off beats a finished one. You compared both kinds, but an unfinished one lacks the "
    "log-probability of its end. When do unfinished ones count?",
    hint="A hypothesis that was cut off beats a finished one in your search. Unfinished ones count only if none is "
    "finished.",
)

mistake(
    "decoding.beam_search",
    "unfinished-preferred",
    edit("finished or beams", "beams or finished"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="You return a hypothesis that was cut off, although one is finished. You preferred what was left in the "
    "beam. When do unfinished ones count?",
    hint="You return a hypothesis that was cut off although one is finished. Unfinished ones count only if none is "
    "finished.",
)

mistake(
    "decoding.beam_search",
    "nothing-when-unfinished",
    edit("finished or beams", "finished or [([], 0.0)]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="You return an empty list when nothing finished within `max_len`. The best prefix is better than nothing. "
    "Which hypotheses count then?",
    hint="You return an empty list where nothing finished within `max_len`. Then the best unfinished hypothesis "
    "counts.",
)

mistake(
    "decoding.beam_search",
    "no-end-in-beam",
    edit("finished or beams", "finished or beams[-1:]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="When nothing finished, you do not return the best prefix. You took one of the unfinished hypotheses "
    "without comparing them. How are finished ones compared?",
    hint="Where nothing finished you do not return the best prefix. Compare the unfinished ones as well.",
)

mistake(
    "decoding.beam_search",
    "worst-returned",
    edit(
        "max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)",
        "min(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)",
    ),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="You return the worst hypothesis. Scores are negative, and you took the smallest. Which of them is nearest "
    "to 0?",
    hint="You return the worst hypothesis. Scores are negative: the best one is still the largest.",
)

mistake(
    "decoding.beam_search",
    "special-ids-returned",
    edit("[token for token in best[0] if token not in (bos_id, eos_id, PAD)]", "best[0]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Your lists contain special ids. You returned the hypothesis as it was. Which ids were written as text?",
    hint="Your lists contain special ids. Leave out `bos_id`, `eos_id` and `PAD`.",
)

mistake(
    "decoding.beam_search",
    "end-symbol-returned",
    edit("[token for token in best[0] if token not in (bos_id, eos_id, PAD)]", "best[0][1:]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Your lists end with the end symbol. You removed only the start symbol. Which ids were written as text?",
    hint="Your lists end with `eos_id`. Leave it out, as well as `bos_id` and `PAD`.",
)

mistake(
    "decoding.beam_search",
    "last-token-cut-off",
    edit("[token for token in best[0] if token not in (bos_id, eos_id, PAD)]", "best[0][1:-1]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="A hypothesis that did not finish loses its last token. You always cut off the last id. When is this id an "
    "end symbol?",
    hint="A hypothesis that did not finish loses its last token. Remove the last id only if it is `eos_id`.",
)

mistake(
    "decoding.beam_search",
    "one-result-only",
    edit("src.shape[0]", "1"),
    base="lists-of-hypotheses",
    section="beam-batch",
    why="Your result has one list for a batch of several sources. You searched only for the first. How many searches "
    "does a batch need?",
    hint="Your result has one list for a batch of several sources. Search for each of them.",
)

mistake(
    "decoding.beam_search",
    "first-source-for-all",
    edit("memory[b : b + 1]", "memory[:1]"),
    base="lists-of-hypotheses",
    section="beam-batch",
    why="All results are translations of the first source. Every search reads its memory. Which row of the memory "
    "belongs to a search?",
    hint="All your results belong to the first source. Take the memory of the row at hand.",
)

mistake(
    "decoding.beam_search",
    "mask-of-the-first-source",
    edit("src_mask[b : b + 1]", "src_mask[:1]"),
    base="lists-of-hypotheses",
    section="beam-batch",
    why="In a search for a later source, words are hidden or padding is read. You used the first source's mask for "
    "all. Which row of the mask belongs to a search?",
    hint="Your searches use the source mask of row 0. Take the mask of the row at hand, like the memory.",
)


@mistake(
    "decoding.beam_search",
    "memory-repeated-in-the-wrong-order",
    section="beam-batch",
    why="Beams read the memory of another source. You repeated the batch as a whole, while the beams of one source "
    "stand side by side. In which order should the rows be repeated?",
    hint="Your beams read the memory of another source: `repeat` gives 0 1 0 1, `repeat_interleave` gives 0 0 1 1.",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        count = src.shape[0]
        memory = model.encode(src, src_mask).repeat(beam_size, 1, 1)
        masks = src_mask.repeat(beam_size, 1, 1, 1)
        ids = torch.full((count * beam_size, 1), bos_id, dtype=torch.long)
        scores = torch.full((count, beam_size), float("-inf"))
        scores[:, 0] = 0
        finished = [[] for _ in range(count)]
        for length in range(1, max_len):
            log_probs = model.generator(model.decode(memory, masks, ids, causal_mask(length))[:, -1])
            size = log_probs.shape[-1]
            totals = (scores.unsqueeze(-1) + log_probs.view(count, beam_size, size)).flatten(1)
            scores, positions = totals.topk(beam_size, dim=-1)
            parents = positions // size + beam_size * torch.arange(count).unsqueeze(1)
            ids = torch.cat([ids[parents.flatten()], (positions % size).view(-1, 1)], dim=1)
            for row in range(count):
                for beam in range(beam_size):
                    if positions[row, beam] % size == eos_id and scores[row, beam] > float("-inf"):
                        score = scores[row, beam].item() / ((5 + length) / 6) ** length_penalty
                        finished[row].append((score, ids[row * beam_size + beam].tolist()))
                        scores[row, beam] = float("-inf")
            if bool((scores == float("-inf")).all()):
                break
        results = []
        for row in range(count):
            live = zip(scores[row].tolist(), ids[row * beam_size : (row + 1) * beam_size].tolist())
            best = max(finished[row] or live)[1]
            results.append([token for token in best if token not in (bos_id, eos_id, PAD)])
        return results


mistake(
    "decoding.beam_search",
    "default-ids-in-the-search",
    edit("memory = model.encode(src, src_mask)", "bos_id, eos_id = BOS, EOS\nmemory = model.encode(src, src_mask)"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Your search ignores the ids that the caller gives. You used BOS and EOS of the course, and other "
    "vocabularies have other ids. Which arguments hold them?",
    hint="Your search ignores `bos_id` or `eos_id`. Use the arguments; BOS and EOS are only their defaults.",
)

mistake(
    "decoding.beam_search",
    "default-ids-removed",
    edit("(bos_id, eos_id, PAD)", "(BOS, EOS, PAD)"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Ordinary tokens disappear from your lists, and special ones stay. You removed the ids of the course instead "
    "of the caller's. Which arguments hold the special ids?",
    hint="You remove BOS and EOS of the course from your lists. Remove `bos_id` and `eos_id` instead.",
)

mistake(
    "decoding.beam_search",
    "one-id-too-many",
    edit("max_len - 1", "max_len"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="Your outputs may have one id more than `max_len`. Your loop runs `max_len` times, and the start symbol is "
    "added to that. How many steps are left for the loop?",
    hint="Your outputs may have one id more than `max_len` allows. The start symbol counts, so there are `max_len - 1` "
    "steps.",
)

mistake(
    "decoding.beam_search",
    "one-id-too-few",
    edit("max_len - 1", "max_len - 2"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="Your search stops one id short of `max_len`. Your loop ends too early. How many steps are left after the "
    "start symbol?",
    hint="Your search stops one id short of `max_len`. There are `max_len - 1` steps.",
)

mistake(
    "decoding.beam_search",
    "other-default-penalty",
    edit(
        "def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):",
        "def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=1.0, bos_id=BOS, eos_id=EOS):",
    ),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Without the argument, your search uses a length penalty of 1. The Transformer paper has another value. "
    "Which default does the task give?",
    hint="Without `length_penalty` your search uses 1.0. Its default is 0.6.",
)

mistake(
    "decoding.beam_search",
    "other-default-beam",
    edit(
        "def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):",
        "def beam_search(model, src, src_mask, max_len, beam_size=1, length_penalty=0.6, bos_id=BOS, eos_id=EOS):",
    ),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="Without the argument, your search is greedy. Your default beam size is 1. Which default does the task give?",
    hint="Without `beam_size` your search is greedy. Its default is 4.",
)

mistake(
    "decoding.beam_search",
    "tensors-not-lists",
    edit(
        "[token for token in best[0] if token not in (bos_id, eos_id, PAD)]",
        "torch.tensor([token for token in best[0] if token not in (bos_id, eos_id, PAD)])",
    ),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Your outputs are tensors. Outputs differ in length and should be plain lists of integers. Which method "
    "turns a tensor into a list?",
    hint="Your outputs are tensors. Return lists of `int`; `tolist()` makes them.",
)

mistake(
    "decoding.beam_search",
    "search-without-causal-mask",
    edit("causal_mask(len(ids))", "None"),
    base="lists-of-hypotheses",
    section="decoding-loop",
    why="Earlier positions see later ones, which they never did in training. Your decoder gets no target mask. Which "
    "mask does a target of T ids need?",
    hint="Your search reads the target without a causal mask. Give the decoder `causal_mask(T)`.",
)

mistake(
    "decoding.beam_search",
    "source-mask-not-in-the-search",
    edit("src_mask[b : b + 1]", "None"),
    base="lists-of-hypotheses",
    section="beam-batch",
    why="Your search reads the padding of shorter sources. The encoder had the source mask, and the decoder did not. "
    "Which two calls need it?",
    hint="Your searches read the padding of shorter sources: hand the mask of the row at hand to `model.decode`, as "
    "you do to `model.encode`.",
)

mistake(
    "decoding.beam_search",
    "probabilities-multiplied",
    edit("([bos_id], 0.0)", "([bos_id], 1.0)"),
    edit("score + value", "score * math.exp(value)"),
    base="lists-of-hypotheses",
    section="beam-bookkeeping",
    why="The length penalty makes long outputs worse. You multiplied probabilities, and such a product becomes "
    "smaller when it is divided. Which sign does a sum of log-probabilities have?",
    hint="The length penalty works the wrong way round on your scores, since they are products of probabilities. Add "
    "log-probabilities instead: their sum is negative, so dividing brings it nearer to 0.",
)

mistake(
    "decoding.beam_search",
    "penalty-at-every-step",
    edit(
        "candidates.sort(",
        """
        divisor = ((5 + len(beams[0][0])) / 6) ** length_penalty
        candidates = [(ids, score / divisor) for ids, score in candidates]
        candidates.sort(
        """,
    ),
    edit("item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty", "item[1]"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Earlier steps count less and less in your scores. You divided the running sums by the length penalty at every "
    "step. At which moment do outputs differ in length?",
    hint="You divide the running sums at every step, so early log-probabilities are divided again and again. Choose "
    "prefixes by their sums, and divide only when finished outputs are compared.",
)

mistake(
    "decoding.beam_search",
    "one-continuation-of-each-beginning",
    edit("min(beam_size, len(log_probs))", "min(beam_size, len(log_probs)) if len(ids) == 1 else 1"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="After the first step your beam is a set of greedy searches side by side. You continue each prefix with its "
    "own best token only. Which candidates should compete for a slot in the beam?",
    hint="After the first step your prefixes go on greedily, each by itself. Take all continuations of all prefixes, "
    "and keep the best `beam_size` of them. Several may have one parent.",
)

mistake(
    "decoding.beam_search",
    "stops-when-the-best-one-ends",
    edit(
        "beams = []",
        """
        if candidates[0][0][-1] == eos_id:
            finished.append(candidates[0])
            break
        beams = []
        """,
    ),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="A longer hypothesis that would win by its length has no chance. You stop when the best candidate of a step "
    "ends. When may the search stop?",
    hint="Your search stops when the best candidate of a step ends. Go on until `beam_size` hypotheses have finished, "
    "or `max_len` is reached. The length penalty may favour a longer one.",
)

mistake(
    "decoding.beam_search",
    "stops-when-the-open-ones-score-less",
    edit(
        "if not beams:",
        """
        penalty = [((4 + len(ids)) / 6) ** length_penalty for ids, _ in (*beams, *finished)]
        scores = [score / one for (_, score), one in zip((*beams, *finished), penalty)]
        if finished and beams and max(scores[len(beams) :]) >= max(scores[: len(beams)]):
            break
        if not beams:
        """,
    ),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="A longer hypothesis that would win by its length has no chance. You stop when the open hypotheses score less "
    "at their present length. How may their scores change as they grow?",
    hint="Your search stops when no open hypothesis scores more than a finished one. The score of an open one may rise "
    "with its length. Go on until `beam_size` hypotheses have finished, or `max_len` is reached.",
)

mistake(
    "decoding.beam_search",
    "finished-and-continued-variant-2",
    ALL_STAY,
    edit(
        SORTED_OUT,
        "finished += [(ids, score) for ids, score in beams if ids[-1] == eos_id]",
    ),
    edit("not beams", "len(finished) >= beam_size"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Continuations of a finished hypothesis push open ones out of the beam. You recorded a hypothesis that ended "
    "and also kept it in the beam. Where should it be, and where not?",
    hint="Your finished hypotheses are continued, and their continuations take the slots of open ones. Take a "
    "hypothesis that has ended out of the beam.",
)

mistake(
    "decoding.beam_search",
    "finished-scored-again",
    edit(
        "values, tokens =",
        "if ids[-1] == eos_id:\n    candidates.append((ids, score + log_probs[eos_id].item()))\n    continue\nvalues, tokens =",
    ),
    ALL_STAY,
    edit(
        SORTED_OUT,
        "finished = [one for one in beams if one[0][-1] == eos_id]",
    ),
    edit("not beams", "len(finished) == len(beams)"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="A hypothesis that ended becomes worse with every step. You go on adding the log-probability of the end symbol. "
    "When is its score final?",
    hint="You add to the score of a hypothesis after its end. Keep a finished one as it is.",
)

# ---------------------------------------------------------------------------------------------------------------------
# KVCache


mistake(
    "decoding.KVCache",
    "wrong-axis-heads",
    edit("torch.cat([self.keys[layer], k], dim=-2)", "torch.cat([self.keys[layer], k], dim=1)"),
    edit("torch.cat([self.values[layer], v], dim=-2)", "torch.cat([self.values[layer], v], dim=1)"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="Your cache grows along the heads. You appended along axis 1 of (B, H, T, d_head). Which axis is time, "
    "counted from the end?",
    hint="Your cache grows along axis 1, the heads. Keys are (B, H, T, d_head): time is axis -2.",
)

mistake(
    "decoding.KVCache",
    "wrong-axis-width",
    edit("torch.cat([self.keys[layer], k], dim=-2)", "torch.cat([self.keys[layer], k], dim=-1)"),
    edit("torch.cat([self.values[layer], v], dim=-2)", "torch.cat([self.values[layer], v], dim=-1)"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="Your cache grows along the width of a head. You appended along the last axis of (B, H, T, d_head). Which "
    "axis is time?",
    hint="Your cache grows along the last axis, the width of a head. Time is axis -2.",
)

mistake(
    "decoding.KVCache",
    "wrong-axis-batch",
    edit("torch.cat([self.keys[layer], k], dim=-2)", "torch.cat([self.keys[layer], k])"),
    edit("torch.cat([self.values[layer], v], dim=-2)", "torch.cat([self.values[layer], v])"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="Your cache grows along the batch. You appended along axis 0 of (B, H, T, d_head). Which axis is time?",
    hint="Your cache grows along axis 0, the batch. Time is axis -2.",
)

mistake(
    "decoding.KVCache",
    "only-the-new-returned",
    edit(
        """
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        """,
        "",
    ),
    edit(
        "self.keys[layer], self.values[layer] = k, v",
        """
        if layer in self.keys:
            self.keys[layer] = torch.cat([self.keys[layer], k], dim=-2)
            self.values[layer] = torch.cat([self.values[layer], v], dim=-2)
        else:
            self.keys[layer], self.values[layer] = k, v
        """,
    ),
    base="two-dictionaries",
    section="kv-cache",
    why="The new query sees only its own position. `update` stores everything and returns what it was given. What "
    "does the query have to attend to?",
    hint="Your `update` returns only the new keys and values. Return all of the layer: the new query attends to the "
    "past as well.",
)

mistake(
    "decoding.KVCache",
    "only-the-old-returned",
    edit(
        "if layer in self.keys:",
        "before = self.keys.get(layer, k), self.values.get(layer, v)\nif layer in self.keys:",
    ),
    edit("return k, v", "return before"),
    base="two-dictionaries",
    section="kv-cache",
    why="The new query does not see its own position. `update` returns what the cache held before. What does the "
    "query have to attend to?",
    hint="Your `update` returns the cache without the new position. A position attends to itself as well.",
)

mistake(
    "decoding.KVCache",
    "replaced-not-grown",
    edit(
        """
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        """,
        "",
    ),
    base="two-dictionaries",
    section="kv-cache",
    why="The past is lost. You stored the new keys and values in place of the old ones. How should the cache grow?",
    hint="Your cache forgets the earlier positions. Append the new ones to what is there.",
)

mistake(
    "decoding.KVCache",
    "new-ones-first",
    edit("[self.keys[layer], k]", "[k, self.keys[layer]]"),
    edit("[self.values[layer], v]", "[v, self.values[layer]]"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="Masks and readers of your cache find the positions in the wrong order. You put the new ones in front. At "
    "which end do the latest positions belong?",
    hint="Your new positions come first. They are the latest: put them last.",
)

mistake(
    "decoding.KVCache",
    "one-store-for-all-layers",
    edit("if layer in self.layers:", "layer = 0\nif layer in self.layers:"),
    section="kv-cache",
    why="A layer attends to the keys of the others. All layers append to one store. How many stores does a model need?",
    hint="Your layers share their keys. Each layer has its own.",
)

mistake(
    "decoding.KVCache",
    "keys-and-values-swapped",
    edit("return k, v", "return v, k"),
    section="kv-cache",
    why="Attention gets values as keys, and nothing complains, because the shapes agree. You returned the two in the "
    "wrong order. Which one comes first?",
    hint="Your `update` returns the values first. The order is keys, values.",
)

mistake(
    "decoding.KVCache",
    "values-from-keys",
    edit("[self.values[layer], v]", "[self.keys[layer], v]"),
    base="two-dictionaries",
    section="kv-cache",
    why="Your values hold keys, and nothing complains, because the shapes agree. You appended the new values to the "
    "stored keys. Which store does each belong to?",
    hint="Your values hold keys. Keep two stores, and append each to its own.",
)

mistake(
    "decoding.KVCache",
    "values-not-grown",
    edit("v = torch.cat([self.values[layer], v], dim=-2)", ""),
    base="two-dictionaries",
    section="kv-cache",
    why="The weights have more columns than there are values. Only your keys grow. What should happen to the values?",
    hint="Your values do not grow. Append them as you append the keys.",
)

mistake(
    "decoding.KVCache",
    "length-counts-calls",
    edit("self.keys, self.values = {}, {}", "self.keys, self.values, self.calls = {}, {}, 0"),
    edit("self.keys[0].shape[-2] if 0 in self.keys else 0", "self.calls"),
    edit("if layer in self.keys:", "self.calls += layer == 0\nif layer in self.keys:"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="`length` is too small after a prompt. You counted calls of `update`, but one call may bring several "
    "positions. Which axis of the stored keys counts positions?",
    hint="Your `length` counts calls. Count positions: `shape[-2]` of what layer 0 holds.",
)

mistake(
    "decoding.KVCache",
    "length-adds-layers",
    edit("self.keys[0].shape[-2] if 0 in self.keys else 0", "sum(k.shape[-2] for k in self.keys.values())"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="`length` is several times too large. You added up the positions of all layers, which hold the same ones. "
    "Which layer alone should count?",
    hint="Your `length` counts every layer. It is that of layer 0 alone.",
)

mistake(
    "decoding.KVCache",
    "length-counts-layers",
    edit("self.keys[0].shape[-2] if 0 in self.keys else 0", "len(self.keys)"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="`length` is the number of layers. You counted the entries of the store. What should be counted in layer 0?",
    hint="Your `length` is the number of layers. Return the number of positions in layer 0.",
)

mistake(
    "decoding.KVCache",
    "length-of-the-wrong-axis",
    edit("self.layers[0][0].shape[-2]", "self.layers[0][0].shape[1]"),
    section="kv-cache-shapes",
    why="`length` is the number of heads. You read the wrong axis of (B, H, T, d_head). Which axis is time?",
    hint="Your `length` is the size of another axis. Time is `shape[-2]`.",
)

mistake(
    "decoding.KVCache",
    "length-of-the-wrong-axis-variant-2",
    edit("self.layers[0][0].shape[-2]", "self.layers[0][0].shape[-1]"),
    section="kv-cache-shapes",
    why="`length` never grows: it is the width of a head. You read the last axis. Which axis of (B, H, T, d_head) is "
    "time?",
    hint="Your `length` is the size of another axis. Time is `shape[-2]`.",
)

mistake(
    "decoding.KVCache",
    "length-of-the-last-layer",
    edit("self.keys, self.values = {}, {}", "self.keys, self.values, self.latest = {}, {}, 0"),
    edit("self.keys[0].shape[-2] if 0 in self.keys else 0", "self.latest"),
    edit(
        "self.keys[layer], self.values[layer] = k, v",
        "self.keys[layer], self.values[layer] = k, v\nself.latest = k.shape[-2]",
    ),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="`length` changes within a step, from layer to layer. You recorded it at the last update. Which layer should "
    "it describe?",
    hint="Your `length` is that of the last update. It is that of layer 0.",
)

mistake(
    "decoding.KVCache",
    "length-of-the-longest-layer",
    edit(
        "self.keys[0].shape[-2] if 0 in self.keys else 0",
        "max((k.shape[-2] for k in self.keys.values()), default=0)",
    ),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="`length` is that of the longest layer. While a step is under way, layers differ. Which layer should it "
    "describe?",
    hint="Your `length` is that of the longest layer. It is that of layer 0.",
)

mistake(
    "decoding.KVCache",
    "no-length-when-empty",
    edit("self.keys[0].shape[-2] if 0 in self.keys else 0", "self.keys[0].shape[-2]"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="Reading `length` of an empty cache raises an error, and the first step has to read it. You read layer 0 "
    "without asking whether it exists. What is the length of an empty cache?",
    hint="An empty cache has the length 0; yours raises. Ask whether layer 0 is there.",
)

mistake(
    "decoding.KVCache",
    "length-is-a-method",
    edit("@property\ndef length(self):", "def length(self):"),
    section="kv-cache-shapes",
    why="`cache.length` is a method, so callers compare a function with a number. You defined it without the "
    "decorator that makes it an attribute. Which decorator is this?",
    hint="`cache.length` is a method in your class. Put `@property` above it, or keep a number up to date.",
)

mistake(
    "decoding.KVCache",
    "shared-by-all-caches",
    edit("self.keys, self.values", "KVCache.keys, KVCache.values"),
    base="two-dictionaries",
    section="kv-cache",
    why="Two caches in use at the same time write into the same stores. You stored keys and values on the class. "
    "Where do you store what each object has for itself?",
    hint="All your caches share one store. Make the stores in `__init__`, as attributes of `self`.",
)

mistake(
    "decoding.KVCache",
    "fixed-room",
    edit("self.layers[layer] = k, v", "k, v = k[..., -16:, :], v[..., -16:, :]\nself.layers[layer] = k, v"),
    section="kv-cache-shapes",
    why="Attention loses the beginning of a long text. Your cache drops its oldest positions. Does the task set a "
    "limit?",
    hint="Your cache forgets the oldest positions when it grows long. It has no limit.",
)

mistake(
    "decoding.KVCache",
    "one-position-each-time",
    edit("if layer in self.layers:", "k, v = k[..., -1:, :], v[..., -1:, :]\nif layer in self.layers:"),
    section="kv-cache-shapes",
    why="A prompt leaves only its last position in your cache. You keep one position per call. How many positions "
    "may a call bring?",
    hint="Your cache keeps one position of each call. A call may bring several: append all of them.",
)

mistake(
    "decoding.KVCache",
    "float32-always",
    edit("self.layers[layer] = k, v", "k, v = k.float(), v.float()\nself.layers[layer] = k, v"),
    section="kv-cache-shapes",
    why="Your cache changes the type of what it stores, so keys in half precision take twice the memory. You converted "
    "them to float32. Which type should it keep?",
    hint="Your cache changes the dtype. Keep tensors as they are.",
)

mistake(
    "decoding.KVCache",
    "float32-buffer",
    edit(
        "if layer in self.keys:",
        """
        if layer not in self.keys:
            self.keys[layer] = self.values[layer] = torch.zeros(*k.shape[:2], 0, k.shape[3])
        if layer in self.keys:
        """,
    ),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="Your cache turns half precision into float32. You started with an empty tensor of PyTorch's default type, and "
    "`cat` converts what you append to this wider type. From which tensor can the type be taken?",
    hint="Your cache changes the dtype of half precision. Start with the first keys themselves, or with an empty "
    "tensor of their dtype.",
)

mistake(
    "decoding.KVCache",
    "not-reordered",
    edit("self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}", "pass"),
    section="kv-cache-reorder",
    why="A prefix that moves to another row reads the keys of another text. Your `reorder` changes nothing. What "
    "should row i hold afterwards?",
    hint="After `reorder` your rows are where they were. Row i should now hold what row `rows[i]` held, in every "
    "layer.",
)

mistake(
    "decoding.KVCache",
    "not-reordered-variant-2",
    edit(
        "self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}",
        "for k, v in self.layers.values():\n    k, v = k[rows], v[rows]",
    ),
    section="kv-cache-reorder",
    why="A prefix that moves to another row reads the keys of another text. You computed the new order and gave it to "
    "local names. Where should the reordered tensors be stored?",
    hint="Your `reorder` computes the new order and does not store it. Put the reordered keys and values back into the "
    "cache.",
)

mistake(
    "decoding.KVCache",
    "reordered-in-place",
    edit("self.keys[layer] = self.keys[layer][rows]", "self.keys[layer][:] = self.keys[layer][rows]"),
    edit("self.values[layer] = self.values[layer][rows]", "self.values[layer][:] = self.values[layer][rows]"),
    base="two-dictionaries",
    section="kv-cache-reorder",
    why="A caller that keeps a returned tensor finds other numbers in it, and a beam cannot grow or shrink. You "
    "wrote the new order into existing tensors. What does indexing create?",
    hint="Your `reorder` writes into tensors that `update` has returned or received. Indexing with `rows` makes "
    "a new tensor: store that.",
)

mistake(
    "decoding.KVCache",
    "reordered-in-place-variant-2",
    edit(
        "self.keys[layer] = self.keys[layer][rows]",
        """
        if len(rows) == len(self.keys[layer]):
            self.keys[layer].copy_(self.keys[layer][rows])
            self.values[layer].copy_(self.values[layer][rows])
            continue
        self.keys[layer] = self.keys[layer][rows]
        """,
    ),
    base="two-dictionaries",
    section="kv-cache-reorder",
    why="A caller that keeps a returned tensor finds other numbers in it. When the number of rows stays the same, "
    "you write into existing tensors. What does indexing create?",
    hint="Your `reorder` writes into tensors that `update` has returned or received. Store the new tensor that "
    "indexing makes.",
)

mistake(
    "decoding.KVCache",
    "inverse-order",
    edit("k[rows], v[rows]", "k[rows.argsort()], v[rows.argsort()]"),
    section="kv-cache-reorder",
    why="Your rows move in the opposite direction. You applied the inverse order. Where should row i be fetched from?",
    hint="Your rows move the other way round. Row i is to hold what row `rows[i]` held: index with `rows` itself.",
)

mistake(
    "decoding.KVCache",
    "rows-sent-not-fetched",
    edit(
        "self.keys[layer] = self.keys[layer][rows]",
        """
        old = self.keys[layer], self.values[layer]
        self.keys[layer], self.values[layer] = (torch.zeros_like(one).index_copy(0, rows, one[: len(rows)]) for one in old)
        """,
    ),
    edit("self.values[layer] = self.values[layer][rows]", ""),
    base="two-dictionaries",
    section="kv-cache-reorder",
    why="Your rows move in the opposite direction, and a parent with two children is lost. You sent row i to "
    "`rows[i]`. Where should row i be fetched from?",
    hint="Your rows move the other way round. Row i is to hold what row `rows[i]` held: index with `rows`.",
)

mistake(
    "decoding.KVCache",
    "only-layer-zero-reordered",
    edit("(k[rows], v[rows])", "(k[rows], v[rows]) if layer == 0 else (k, v)"),
    section="kv-cache-reorder",
    why="All layers but the first still hold the old order. You reordered layer 0 alone. Which layers hold rows of "
    "this batch?",
    hint="Your `reorder` reaches layer 0 alone. Every layer holds rows of the same batch: reorder all.",
)

mistake(
    "decoding.KVCache",
    "only-keys-reordered",
    edit("(k[rows], v[rows])", "(k[rows], v)"),
    section="kv-cache-reorder",
    why="The weights mix the values of other rows. You reordered only the keys. What belongs together with a key?",
    hint="Your `reorder` leaves the values where they were. Keys and values belong together.",
)

mistake(
    "decoding.KVCache",
    "heads-reordered",
    edit("(k[rows], v[rows])", "(k[:, rows], v[:, rows])"),
    section="kv-cache-reorder",
    why="The heads are in another order, and the rows are not. You indexed axis 1 of (B, H, T, d_head). Which axis "
    "is the batch?",
    hint="Your `reorder` indexes axis 1, the heads. The batch is axis 0.",
)

mistake(
    "decoding.KVCache",
    "each-row-once",
    edit("(k[rows], v[rows])", "(k[rows.unique()], v[rows.unique()])"),
    section="kv-cache-reorder",
    why="A row that is needed twice appears once. You removed duplicates, but two survivors may have one parent. "
    "What does a repeated number in `rows` ask for?",
    hint="Your `reorder` keeps each row once. A row that occurs twice in `rows` is needed twice, in the order of `rows`.",
)

mistake(
    "decoding.KVCache",
    "only-the-newest-reordered",
    edit(
        "(k[rows], v[rows])",
        "tuple(torch.cat([one[: len(rows), :, :-1], one[rows][:, :, -1:]], dim=2) for one in (k, v))",
    ),
    section="kv-cache-reorder",
    why="Each row has a past that is not its own. You moved only the newest position. Which positions belong to a "
    "prefix?",
    hint="Your `reorder` moves the newest position alone. A row is a whole text: move all its positions.",
)

mistake(
    "decoding.KVCache",
    "emptied-by-a-new-order",
    edit("self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}", "self.layers = {}"),
    section="kv-cache-reorder",
    why="After `reorder` the next step knows nothing of what was written. You emptied the cache. What should it hold "
    "then?",
    hint="After `reorder` your cache is empty. It should hold the same positions, in other rows.",
)

mistake(
    "decoding.KVCache",
    "empty-cache-cannot-be-reordered",
    edit(
        "for layer in self.keys:\n    self.keys[layer] = self.keys[layer][rows]",
        "self.keys[0], self.values[0] = self.keys[0][rows], self.values[0][rows]\n"
        "for layer in self.keys.keys() - {0}:\n    self.keys[layer] = self.keys[layer][rows]",
    ),
    base="two-dictionaries",
    section="kv-cache-reorder",
    why="Reordering an empty cache raises an error. You assumed that layer 0 exists. Which layers should the loop "
    "visit?",
    hint="Your `reorder` needs layer 0. Go through the layers that are there, which may be none.",
)


# ---------------------------------------------------------------------------------------------------------------------
# cached_greedy_decode


mistake(
    "decoding.cached_greedy_decode",
    "new-cache-at-every-step",
    edit(
        "model.decode_step(memory, src_mask, ids[:, -1], cache)",
        "model.decode_step(memory, src_mask, ids[:, -1], KVCache())",
    ),
    base="loop-with-a-break",
    section="cached-decoding",
    why="Your decoder forgets everything, and each token is at position 0. You gave every step an empty cache. When "
    "should a cache be made?",
    hint="Your steps do not remember: each one gets an empty cache, so it stands at position 0. Make one cache before the "
    "loop.",
)


mistake(
    "decoding.cached_greedy_decode",
    "one-cache-for-all-calls",
    edit("cache = KVCache()", 'cache = vars(model).setdefault("cache", KVCache())'),
    base="loop-with-a-break",
    section="cached-decoding",
    why="Your first call is right, and later ones go on in its cache. You kept it as a default argument, a global "
    "name, or an attribute. When should a cache be made?",
    hint="Your first call is right and later ones are not: they go on in the same cache. Make a new one in every call, "
    "not as a default argument, a global name, or an attribute of the model or of a class.",
)


@mistake(
    "decoding.cached_greedy_decode",
    "greedy-under-another-name",
    section="cached-decoding",
    why="Your rows are right, but no work is saved. Your decoder reads all ids again at every step. Which ids does a "
    "step with a cache still need?",
    hint="Your rows are right, but your decoder reads the whole text at every step. Pass only the newest ids, (B,), to "
    "`model.decode_step`, with one cache for all steps.",
)
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    return greedy_decode(model, src, src_mask, max_len, bos_id, eos_id)


mistake(
    "decoding.cached_greedy_decode",
    "greedy-under-another-name-variant-2",
    edit(
        "hidden = model.decode_step(memory, src_mask, ids[:, -1], cache)",
        """
        cache = KVCache()
        for column in ids.unbind(1):
            hidden = model.decode_step(memory, src_mask, column, cache)
        """,
    ),
    base="loop-with-a-break",
    section="cached-decoding",
    why="Your rows are right, but your cache saves no work. At every step a new cache reads all ids from the start. "
    "How many caches does a call need?",
    hint="Your rows are right, but every step reads all earlier ids again. They are in the cache already: pass the newest "
    "ids alone, with one cache for all steps.",
)

mistake(
    "decoding.cached_greedy_decode",
    "start-cached-twice",
    edit(
        "columns = [src.new_full((len(src),), bos_id)]",
        """
        columns = [src.new_full((len(src),), bos_id)]
        model.decode_step(memory, src_mask, columns[0], cache)
        """,
    ),
    section="cached-decoding",
    why="All your positions are one too large. You put the start symbol into the cache before the loop, and the first "
    "step of the loop puts it there again. What should the cache hold before the first step of the loop?",
    hint="Your cache holds the start symbol twice, so every position is one too large. Start with an empty cache: the "
    "first step of the loop puts the start symbol into it.",
)

mistake(
    "decoding.cached_greedy_decode",
    "all-ids-into-the-same-cache",
    edit(
        "hidden = model.decode_step(memory, src_mask, ids[:, -1], cache)",
        "for column in ids.unbind(1):\n    hidden = model.decode_step(memory, src_mask, column, cache)",
    ),
    base="loop-with-a-break",
    section="cached-decoding",
    why="Your cache holds the first ids several times, and new ones get wrong positions. You read all ids again at "
    "every step. Which ids are not yet in the cache?",
    hint="Your steps read all earlier ids again, though the cache holds them already. Pass the newest ids alone.",
)

mistake(
    "decoding.cached_greedy_decode",
    "start-symbol-at-every-step",
    edit("ids[:, -1]", "ids[:, 0]"),
    base="loop-with-a-break",
    section="cached-decoding",
    why="The ids that were written never reach your decoder. Every step reads the start symbol in column 0. Which "
    "column holds the newest ids?",
    hint="All your steps read column 0, the start symbol. The newest ids are in the last column.",
)

mistake(
    "decoding.cached_greedy_decode",
    "newest-ids-as-a-column",
    edit("ids[:, -1]", "ids[:, -1:]"),
    base="loop-with-a-break",
    section="cached-decoding",
    why="`decode_step` gets ids of the shape (B, 1). You passed the newest ones as a column. Which kind of index "
    "removes an axis?",
    hint="Your `last_ids` are (B, 1). A slice keeps the axis, and a single index removes it: `decode_step` needs (B,).",
)

mistake(
    "decoding.cached_greedy_decode",
    "all-ids-in-one-step",
    edit("ids[:, -1]", "ids"),
    base="loop-with-a-break",
    section="cached-decoding",
    why="`decode_step` gets all ids, of the shape (B, T). The earlier ones are already in the cache. Which ids does "
    "a step take?",
    hint="Your `last_ids` hold all ids, (B, T). Pass the last column alone, (B,).",
)

mistake(
    "decoding.cached_greedy_decode",
    "every-step-twice",
    edit(
        "hidden = model.decode_step(memory, src_mask, ids[:, -1], cache)",
        "model.decode_step(memory, src_mask, ids[:, -1], cache)\n"
        "hidden = model.decode_step(memory, src_mask, ids[:, -1], cache)",
    ),
    base="loop-with-a-break",
    section="cached-decoding",
    why="The text that your decoder sees stutters: the cache holds every token twice. You called `decode_step` twice "
    "in each step. What does one call add to the cache?",
    hint="Your cache holds every token twice. Call `decode_step` once in each step.",
)

mistake(
    "decoding.cached_greedy_decode",
    "last-output-read-again",
    edit(
        "finished |= new == eos_id",
        "model.decode_step(memory, src_mask, new, cache)\nfinished |= new == eos_id",
    ),
    base="loop-with-a-break",
    section="cached-decoding",
    why="The cache holds every new token twice. You added a new token when it was written, and the next step adds it "
    "again. Which call stores the ids that it reads?",
    hint="Your cache holds every new token twice: `decode_step` itself adds the ids that it reads. Call it once in "
    "each step.",
)

mistake(
    "decoding.cached_greedy_decode",
    "encoded-for-every-step",
    edit("hidden = model", "memory = model.encode(src, src_mask)\nhidden = model"),
    base="loop-with-a-break",
    section="cached-decoding",
    why="Decoding takes far too long. Your encoder runs at every step, although the source does not change. When "
    "should it run?",
    hint="Your encoder runs at every step. Encode once, before the loop.",
)

mistake(
    "decoding.cached_greedy_decode",
    "finished-rows-go-on",
    edit("new[finished] = PAD", ""),
    base="loop-with-a-break",
    section="finished-rows",
    why="Tokens follow the end symbol in rows that finish early. The loop goes on until all rows are finished, and "
    "yours keep writing. What should a finished row hold instead?",
    hint="Tokens follow the end symbol in rows that finish early. Keep a boolean for each row, and put `PAD` into those "
    "that are finished.",
)

mistake(
    "decoding.cached_greedy_decode",
    "no-end-at-all",
    edit("finished = torch.zeros(src.shape[0], dtype=torch.bool)", ""),
    edit("new[finished] = PAD", ""),
    edit("finished |= new == eos_id\nif finished.all():\n    break", ""),
    base="loop-with-a-break",
    section="finished-rows",
    why="Your rows go on after the end symbol, with tokens that mean nothing. You do not look for it. What should a "
    "row hold once it has ended?",
    hint="Your rows go on after the end symbol. Once a row has written `eos_id`, fill it with `PAD`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "stops-at-the-first-end-with-a-cache",
    edit("finished.all", "finished.any"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Longer rows are cut off when the shortest one ends. You stop as soon as one row is finished. How many of "
    "them have to be finished?",
    hint="Your longer rows are cut off when the shortest one ends. Stop when *all* rows are finished, not when any is.",
)

mistake(
    "decoding.cached_greedy_decode",
    "end-symbol-padded",
    edit("finished |= new == eos_id", ""),
    edit(
        "new = model.generator(hidden).argmax(dim=-1)",
        "new = model.generator(hidden).argmax(dim=-1)\nfinished |= new == eos_id",
    ),
    base="loop-with-a-break",
    section="finished-rows",
    why="The end symbol is missing from your rows, so a finished row looks like one that was cut off. You marked the "
    "row as finished before its token was written. Which of the two comes first?",
    hint="The end symbol is missing from your rows. First replace the tokens of rows that were finished *before*, then "
    "find those that finish now.",
)

mistake(
    "decoding.cached_greedy_decode",
    "finished-only-for-a-step",
    edit("finished |= new == eos_id", "finished = new == eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="A finished row starts to write again after one `PAD`. You work out anew at every step whether it is "
    "finished, from its newest token. What should the old flag contribute?",
    hint="Your finished rows start to write again after one `PAD`. Once finished, always finished: combine the old "
    "flags with the new ones instead of replacing them.",
)

mistake(
    "decoding.cached_greedy_decode",
    "filled-with-the-end",
    edit("new[finished] = PAD", "new[finished] = eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Finished rows repeat the end symbol. You used it to fill them. Which id marks unused positions?",
    hint="Your finished rows repeat the end symbol. Write it once, and `PAD` after it.",
)

mistake(
    "decoding.cached_greedy_decode",
    "only-one-text-at-a-time",
    edit("memory = model.encode(src, src_mask)", "memory = model.encode(src, src_mask)[:1]"),
    edit("(src.shape[0], 1)", "(1, 1)"),
    edit("torch.zeros(src.shape[0], dtype=torch.bool)", "torch.zeros(1, dtype=torch.bool)"),
    edit("model.decode_step(memory, src_mask,", "model.decode_step(memory, src_mask[:1],"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Your result has one row whatever the batch. You wrote the function for a single sentence. How many start "
    "symbols does a batch of B sources need?",
    hint="Your result has one row for a batch of several. Start with one start symbol for each source.",
)

mistake(
    "decoding.cached_greedy_decode",
    "source-mask-not-in-the-step",
    edit("model.decode_step(memory, src_mask,", "model.decode_step(memory, None,"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The results of short sources depend on their padding. Your steps do not get the source mask, so "
    "cross-attention reads padding. Which two calls need this mask?",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode_step`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "source-mask-not-for-the-memory",
    edit("model.encode(src, src_mask)", "model.encode(src, None)"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The results of short sources depend on their padding. Your encoder does not get the source mask, so padding "
    "enters the memory. Which two calls need this mask?",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode_step`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "hidden-taken-for-scores",
    edit("model.generator(hidden)", "hidden"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="Your ids are positions in the hidden vector, which knows no vocabulary. You took its largest entry as a "
    "token. Which part of the model turns it into log-probabilities?",
    hint="Your ids are positions in the hidden vector. Let `model.generator` make log-probabilities of it first, then take "
    "the argmax.",
)

mistake(
    "decoding.cached_greedy_decode",
    "one-step-too-many",
    edit("max_len - 1", "max_len"),
    base="loop-with-a-break",
    section="greedy",
    why="Your result has one column more than `max_len`. Your loop runs `max_len` times, and the start symbol is "
    "added to that. How many steps are left for the loop?",
    hint="Your result has a column more than `max_len`. The start symbol counts, so there are `max_len - 1` steps.",
)

mistake(
    "decoding.cached_greedy_decode",
    "one-step-too-few",
    edit("max_len - 1", "max_len - 2"),
    base="loop-with-a-break",
    section="greedy",
    why="Your result stops one column short of `max_len`. Your loop ends too early, although the end symbol is "
    "counted like any other. How many steps are left for the loop?",
    hint="Your result stops a column short of `max_len`. After the start symbol there is room for `max_len - 1` ids.",
)

mistake(
    "decoding.cached_greedy_decode",
    "start-symbol-cut-off",
    edit("return ids", "return ids[:, 1:]"),
    base="loop-with-a-break",
    section="greedy",
    why="Your rows lack the start symbol in column 0. You cut it off, but the rows should be those of "
    "`greedy_decode`. Which columns belong to them?",
    hint="Your rows lack the start symbol in column 0. Return the ids from the first column on.",
)

mistake(
    "decoding.cached_greedy_decode",
    "usual-ids-with-a-cache",
    edit("memory = model.encode(src, src_mask)", "bos_id, eos_id = BOS, EOS\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="Your function ignores the ids that the caller gives. You used BOS and EOS of the course, and other "
    "vocabularies have other ids. Which arguments hold them?",
    hint="Your function ignores `bos_id` or `eos_id`. Use the arguments; BOS and EOS are only their defaults.",
)

mistake(
    "decoding.cached_greedy_decode",
    "usual-end-with-a-cache",
    edit("new == eos_id", "new == EOS"),
    base="loop-with-a-break",
    section="greedy",
    why="Your function ignores `eos_id`. You look for EOS of the course, and other vocabularies have another id. "
    "With what should the newest tokens be compared?",
    hint="Your function ignores `eos_id`. Compare with the argument; EOS is only its default.",
)


@mistake(
    "decoding.cached_greedy_decode",
    "gradients-kept",
    section="greedy",
    why="Every key in the cache keeps its intermediate results for a backward pass that never comes. You left the "
    "recording of gradients on. What switches recording off for the whole loop?",
    hint="Your function records gradients. Put the loop under `torch.no_grad()`.",
)
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    memory = model.encode(src, src_mask)
    cache = KVCache()
    ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
    finished = torch.zeros(src.shape[0], dtype=torch.bool)
    for _ in range(max_len - 1):
        hidden = model.decode_step(memory, src_mask, ids[:, -1], cache)
        new = model.generator(hidden).argmax(dim=-1)
        new[finished] = PAD
        ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
        finished |= new == eos_id
        if finished.all():
            break
    return ids


mistake(
    "decoding.cached_greedy_decode",
    "mode-left-changed",
    edit("memory = model.encode(src, src_mask)", "model.eval()\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="A caller in the middle of training trains on without dropout. You switched the model to evaluation and left "
    "it there. Who should decide about the mode?",
    hint="After your call the model is in another mode than before. The mode is the caller's: leave it alone.",
)

mistake(
    "decoding.cached_greedy_decode",
    "float-ids-with-a-cache",
    edit("return ids", "return ids.float()"),
    base="loop-with-a-break",
    section="greedy",
    why="An embedding refuses your ids, because they are floats. You converted the result. Which type do ids have?",
    hint="Your ids are floats. They should be int64, like those of `greedy_decode`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "least-likely-with-a-cache",
    edit("model.generator(hidden).argmax", "model.generator(hidden).argmin"),
    base="loop-with-a-break",
    section="greedy",
    why="Your text is as improbable as possible. You took the smallest log-probability. Log-probabilities are "
    "negative: which of them is nearest to 0?",
    hint="You take the least likely token. Log-probabilities are negative: the most likely one is still the largest.",
)

mistake(
    "decoding.cached_greedy_decode",
    "first-rows-survive",
    edit(
        "memory, masks, active = memory[stay], masks[stay],",
        "memory, masks, active = memory[: len(stay)], masks[: len(stay)],",
    ),
    base="finished-rows-leave-the-batch",
    section="kv-cache-reorder",
    why="After a row has left the batch, the remaining rows read the memory of other sources. You kept the first "
    "rows of memory and mask. Which rows should be kept?",
    hint="After a row has left the batch, your other rows read the memory of another source. Index memory and mask "
    "with the rows that stay.",
)

mistake(
    "decoding.cached_greedy_decode",
    "cache-keeps-the-order",
    edit("cache.reorder(stay)", "cache.reorder(torch.arange(len(stay)))"),
    base="finished-rows-leave-the-batch",
    section="kv-cache-reorder",
    why="After a row has left the batch, the remaining rows read the past of other texts. Your cache kept its first "
    "rows. Which rows should it keep?",
    hint="After a row has left the batch, your other rows read the past of another text. Call `cache.reorder` with the "
    "rows that stay.",
)

mistake(
    "decoding.cached_greedy_decode",
    "finished-rows-masked-in-place",
    edit(
        "finished = finished | (new == eos_id)",
        "finished = finished | (new == eos_id)\nsrc_mask &= ~finished[:, None, None, None]",
    ),
    section="greedy",
    why="After the call, the caller's source mask has changed. You hid finished rows in place. Do finished rows need "
    "a mask when they are padded?",
    hint="After your call `src_mask` is not what it was. Build a new mask, or leave it: finished rows are padded anyway.",
)

mistake(
    "decoding.sample_next",
    "sorted-position-returned-variant-2",
    edit("probs = logits.softmax(dim=-1)", "probs = logits.sort(dim=-1, descending=True).values.softmax(dim=-1)"),
    base="kth-score-as-limit",
    section="top-p",
    why="You return positions in the sorted list: 0 is always the most likely token. The draw was made in sorted "
    "order. How can you translate a position into an id?",
    hint="You return positions in the sorted list as tokens. Look them up in the order that `sort` returned, with "
    "`gather`.",
)

mistake(
    "decoding.sample_next",
    "temperature-zero-refused",
    edit("if temperature < 0:", "if temperature <= 0:"),
    section="decoding-temperature",
    why="Temperature 0 raises an error. Your comparison refuses 0 as well as negative numbers, but 0 has a meaning. "
    "Which token does it ask for?",
    hint="Your function refuses temperature 0, which takes the largest logit. Only negative ones are an error.",
)

mistake(
    "decoding.KVCache",
    "reordered-in-place-variant-3",
    edit("self.layers[layer] = k, v", "self.layers[layer] = k, v = k.clone(), v.clone()"),
    edit(
        "(k[rows], v[rows])",
        "[one.copy_(one[rows]) if len(one) == len(rows) else one[rows] for one in (k, v)]",
    ),
    section="kv-cache-reorder",
    why="A caller that keeps a returned tensor finds other numbers in it. When the number of rows stays the same, "
    "you write into existing tensors. What does indexing create?",
    hint="Your `reorder` writes into tensors that `update` has returned. Store the new tensor that indexing makes.",
)

mistake(
    "decoding.KVCache",
    "reordered-in-place-variant-4",
    edit("self.layers[layer] = k, v", "self.layers[layer] = k, v = k.clone(), v.clone()"),
    edit(
        "self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}",
        "for k, v in self.layers.values():\n    k[:], v[:] = k[rows], v[rows]",
    ),
    section="kv-cache-reorder",
    why="A caller that keeps a returned tensor finds other numbers in it, and a beam cannot grow or shrink. You "
    "wrote the new order into existing tensors. What does indexing create?",
    hint="Your `reorder` writes into tensors that `update` has returned. Indexing with `rows` makes a new tensor: store that.",
)

mistake(
    "decoding.KVCache",
    "batch-keeps-its-size",
    edit(
        "self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}",
        """
        where = torch.arange(len(rows))
        for layer, pair in self.layers.items():
            self.layers[layer] = tuple(torch.zeros_like(one).index_copy(0, where, one[rows]) for one in pair)
        """,
    ),
    section="kv-cache-reorder",
    why="A batch that shrinks keeps rows of zeros at its end. You made the new tensor as large as the old one. How many "
    "rows should the cache have after `reorder`?",
    hint="After `reorder`, your cache has as many rows as before. It should have one row for each entry of `rows`.",
)

mistake(
    "decoding.beam_search",
    "unknown-word-dropped",
    edit("token not in (bos_id, eos_id, PAD)", "token > 3 and token not in (bos_id, eos_id)"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="The unknown word is missing from your results. You dropped every id up to 3, but the id 1 stands for a word of the "
    "sentence. Which ids does the task tell you to leave out?",
    hint="The id 1 is missing from your results. Drop the start, the end and padding only: an unknown word is still a "
    "word of the output.",
)
