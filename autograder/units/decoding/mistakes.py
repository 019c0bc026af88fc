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
    why="The next token is taken from the first position of the decoder's output. That position says what follows the "
    "start symbol, at every step the same.",
    hint="All your tokens come from the output at position 0. The last position, `hidden[:, -1]`, is the one that says "
    "what comes next.",
)

mistake(
    "decoding.greedy_decode",
    "generator-left-out",
    edit("model.generator(hidden[:, -1])", "hidden[:, -1]"),
    section="decoding-loop",
    why="The largest entry of the hidden vector was taken for a token. The hidden vector has d entries and knows no "
    "vocabulary; the generator turns it into V log-probabilities.",
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
    why="Nothing happens at the end symbol. The rows go on until max_len, with tokens that mean nothing.",
    hint="Your rows go on after the end symbol. Once a row has written `eos_id`, fill it with `PAD`.",
)

mistake(
    "decoding.greedy_decode",
    "not-padded",
    edit("new[finished] = PAD", ""),
    base="loop-with-a-break",
    section="finished-rows",
    why="The loop stops when all rows are finished, but a row that finishes early goes on writing until then. What "
    "follows its end symbol is noise.",
    hint="Tokens follow the end symbol in rows that finish early. Keep a boolean for each row, and put `PAD` into "
    "those that are finished.",
)

mistake(
    "decoding.greedy_decode",
    "stops-at-the-first-end",
    edit("finished.all", "finished.any"),
    base="loop-with-a-break",
    section="finished-rows",
    why="The loop stops as soon as one row is finished. The other rows are cut off in the middle.",
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
    why="Only the first row is asked whether it has ended. All others are cut off, or go on, as the first one does.",
    hint="Whether your loop goes on depends on row 0 alone. Keep one boolean for each row, (B,), and stop when all are "
    "true.",
)

mistake(
    "decoding.greedy_decode",
    "padded-with-eos",
    edit("new[finished] = PAD", "new[finished] = eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Finished rows are filled up with the end symbol. Padding has an id of its own, which masks and losses know.",
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
    why="The row is marked as finished before its token is written, so the end symbol itself is replaced by padding. A "
    "reader cannot tell a finished row from one that was cut off.",
    hint="The end symbol is missing from your rows. First replace the tokens of rows that were finished *before*, then "
    "find those that finish now.",
)

mistake(
    "decoding.greedy_decode",
    "finished-forgotten",
    edit("finished |= new == eos_id", "finished = new == eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Whether a row is finished is worked out anew from its newest token. One step later the newest token is "
    "padding, and the row wakes up again.",
    hint="Your finished rows start to write again after one `PAD`. Once finished, always finished: update with `|=`, "
    "not with `=`.",
)

mistake(
    "decoding.greedy_decode",
    "start-symbol-dropped",
    edit("return ids", "return ids[:, 1:]"),
    section="greedy",
    why="The start symbol was cut off from the result. The result is to be what the decoder read and wrote, start "
    "symbol included.",
    hint="Your rows lack the start symbol in column 0. Return the ids as the decoder read them.",
)

mistake(
    "decoding.greedy_decode",
    "one-column-too-many",
    edit("max_len - 1", "max_len"),
    base="loop-with-a-break",
    section="greedy",
    why="The loop runs max_len times, and the start symbol comes on top. max_len counts every column.",
    hint="Your result has a column more than `max_len`. The start symbol counts, so there are `max_len - 1` steps.",
)

mistake(
    "decoding.greedy_decode",
    "one-column-too-few",
    edit("max_len - 1", "max_len - 2"),
    base="loop-with-a-break",
    section="greedy",
    why="The loop ends one step early, as if the end symbol needed a column in reserve. max_len counts every column, "
    "and the end symbol is one of them.",
    hint="Your result stops a column short of `max_len`. After the start symbol there is room for `max_len - 1` ids.",
)

mistake(
    "decoding.greedy_decode",
    "encoded-at-every-step",
    edit("mask = causal_mask(ids.shape[1])", "mask = causal_mask(ids.shape[1])\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="The encoder runs again at every step. The source does not change, so the same memory is computed T times.",
    hint="Your encoder runs at every step. Encode once, before the loop.",
)

mistake(
    "decoding.greedy_decode",
    "no-causal-mask",
    edit("causal_mask(ids.shape[1])", "None"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The decoder gets no target mask, or one that hides nothing. In a decoder of several layers the earlier "
    "positions then see the later ones, which they never did in training.",
    hint="Your decoder reads the target without a causal mask, or with one that is true everywhere. Give it "
    "`causal_mask(T)`, also when you write token by token.",
)

mistake(
    "decoding.greedy_decode",
    "source-mask-not-in-the-decoder",
    edit("model.decode(memory, src_mask, ids, mask)", "model.decode(memory, None, ids, mask)"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The decoder does not get the source mask. Its cross-attention then looks at the padding of short sources.",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode`.",
)

mistake(
    "decoding.greedy_decode",
    "source-mask-not-in-the-encoder",
    edit("model.encode(src, src_mask)", "model.encode(src, None)"),
    section="decoding-loop",
    why="The encoder does not get the source mask. The memory of a short source then depends on its padding.",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode`.",
)

mistake(
    "decoding.greedy_decode",
    "only-the-newest-token",
    edit("ids.shape[1]", "1"),
    edit("model.decode(memory, src_mask, ids, mask)", "model.decode(memory, src_mask, ids[:, -1:], mask)"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The decoder gets only the token that was written last. Without a cache it has no memory of the others.",
    hint="Your decoder reads one token at a time. Without a cache it needs all ids written so far.",
)

mistake(
    "decoding.greedy_decode",
    "default-ids",
    edit("memory = model.encode(src, src_mask)", "bos_id, eos_id = BOS, EOS\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="BOS and EOS of the course are used whatever ids the caller gives. Other vocabularies have other ids.",
    hint="Your function ignores `bos_id` or `eos_id`. Use the arguments; BOS and EOS are only their defaults.",
)

mistake(
    "decoding.greedy_decode",
    "default-eos",
    edit("new == eos_id", "new == EOS"),
    base="loop-with-a-break",
    section="greedy",
    why="The end symbol of the course is looked for, whatever id the caller gives. Other vocabularies have other ids.",
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
    why="The result has one row, whatever the batch. It was written for one sentence at a time.",
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
    why="Every row gets the token of the first row. It was taken out of the batch with [0] and spread again.",
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
    why="The token is drawn from the probabilities. Greedy decoding takes the most likely one, so that the same source "
    "always gives the same result.",
    hint="Your tokens are drawn at random. Greedy decoding takes the argmax.",
)

mistake(
    "decoding.greedy_decode",
    "least-likely",
    edit("model.generator(hidden[:, -1]).argmax", "model.generator(hidden[:, -1]).argmin"),
    section="greedy",
    why="The token with the smallest log-probability is taken. Log-probabilities are negative, and the largest is the "
    "one nearest to 0.",
    hint="You take the least likely token. Log-probabilities are negative: the most likely one is still the largest.",
)


mistake(
    "decoding.greedy_decode",
    "gradients-recorded",
    edit("with torch.no_grad():", "if True:"),
    base="loop-with-a-break",
    section="greedy",
    why="The model runs with gradients on. Every step then keeps all its intermediate results for a backward pass that "
    "never comes.",
    hint="Your function records gradients. Put the loop under `torch.no_grad()`.",
)

mistake(
    "decoding.greedy_decode",
    "mode-changed",
    edit("memory = model.encode(src, src_mask)", "model.eval()\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="The model is switched to evaluation and left there. A caller in the middle of a training loop would train on "
    "without dropout.",
    hint="After your call the model is in another mode than before. The mode is the caller's: leave it alone.",
)

mistake(
    "decoding.greedy_decode",
    "float-ids",
    edit("return ids", "return ids.float()"),
    section="greedy",
    why="The ids are kept as floating-point numbers. An embedding wants integers, and so does everybody who reads the "
    "result.",
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
    why="The most likely token is returned at every temperature. Nothing is drawn.",
    hint="You always return the same token for the same logits. Only temperature 0 is argmax; else draw with "
    "`torch.multinomial`.",
)

mistake(
    "decoding.sample_next",
    "temperature-multiplied",
    edit("logits / temperature", "logits * temperature"),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="The logits are multiplied by the temperature. A high temperature then makes the draws more certain instead of "
    "less.",
    hint="Your temperature works the wrong way round. Divide the logits by it.",
)

mistake(
    "decoding.sample_next",
    "temperature-ignored",
    edit("logits = logits / temperature", ""),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="The temperature is compared with 0 and otherwise not used. All other values give the same draws.",
    hint="Your draws do not depend on the temperature. Divide the logits by it before the softmax.",
)

mistake(
    "decoding.sample_next",
    "temperature-after-softmax",
    edit("logits = logits / temperature", ""),
    edit("logits.softmax(dim=-1)", "logits.softmax(dim=-1) / temperature"),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="The probabilities are divided by the temperature instead of the logits. After renormalising they are what "
    "they were.",
    hint="Your draws do not depend on the temperature: you divide the probabilities, and `multinomial` renormalises "
    "them. Divide the *logits*.",
)

mistake(
    "decoding.sample_next",
    "softmax-of-softmax",
    edit("logits.softmax", "logits.softmax(dim=-1).softmax"),
    section="decoding-temperature",
    why="The softmax is taken twice. Probabilities lie between 0 and 1, so the second softmax makes them nearly equal.",
    hint="Your draws are far too even: a softmax of a softmax. Take it once, of the logits.",
)

mistake(
    "decoding.sample_next",
    "zero-divides",
    edit("if temperature == 0:\n    return logits.argmax(dim=-1)", ""),
    section="decoding-temperature",
    why="Temperature 0 is not treated by itself. Dividing by 0 gives infinities, and NaN after the softmax.",
    hint="Temperature 0 gives an error or nonsense. Return the argmax before you divide.",
)

mistake(
    "decoding.sample_next",
    "exp-overflows",
    edit("probs = logits.softmax(dim=-1)", "probs = logits.exp()\nprobs = probs / probs.sum(dim=-1, keepdim=True)"),
    base="kth-score-as-limit",
    section="decoding-temperature",
    why="The exponentials are taken of the logits as they are. For logits of a hundred and more they overflow to "
    "infinity.",
    hint="Large logits give an error. Use `softmax`, which subtracts the maximum first ({chapter}`attention` has the "
    "reason).",
)

mistake(
    "decoding.sample_next",
    "columns-not-rows",
    edit("logits.softmax(dim=-1)", "logits.softmax(dim=0)"),
    section="decoding-temperature",
    why="The softmax runs over the batch. Each row must sum to 1 over the vocabulary by itself.",
    hint="Your probabilities depend on the other rows of the batch: the softmax runs over the wrong axis. It runs over "
    "the vocabulary, `dim=-1`.",
)

mistake(
    "decoding.sample_next",
    "filtered-to-zero",
    edit('float("-inf")', "0.0"),
    section="top-k",
    why="Logits outside the top k are set to 0. A logit of 0 is a score like any other and keeps a share of the "
    "probability.",
    hint="Tokens outside the top k are still drawn: you set their *logits* to 0. Set logits to minus infinity, or "
    "probabilities to 0.",
)

mistake(
    "decoding.sample_next",
    "top-k-one-too-few",
    edit("logits < kth", "logits <= kth"),
    base="kth-score-as-limit",
    section="top-k",
    why="The k-th largest logit is excluded as well. With k = 1 nothing is left.",
    hint="One token too few survives your top-k. Keep what is *at least* as large as the k-th largest logit.",
)

mistake(
    "decoding.sample_next",
    "top-k-one-too-many",
    edit("min(top_k, logits.shape[-1])", "min(top_k + 1, logits.shape[-1])"),
    base="kth-score-as-limit",
    section="top-k",
    why="The threshold is the logit after the k-th. One token too many may be drawn.",
    hint="One token too many survives your top-k. Of the sorted logits the k-th has the index k - 1.",
)

mistake(
    "decoding.sample_next",
    "top-k-of-the-smallest",
    edit("logits.topk(k, dim=-1)", "(-logits).topk(k, dim=-1)"),
    edit("logits < kth", "-logits < kth"),
    base="kth-score-as-limit",
    section="top-k",
    why="The k least likely tokens are kept. sort() is ascending unless it is told otherwise.",
    hint="Your top-k keeps the least likely tokens. Sort in descending order, or use `topk`.",
)

mistake(
    "decoding.sample_next",
    "top-k-of-row-zero",
    edit(":, -1:", "0, -1"),
    section="top-k",
    why="The threshold of the first row is used for all. Every row has logits of its own.",
    hint="Your top-k threshold comes from row 0. Each row needs its own, of shape (B, 1).",
)

mistake(
    "decoding.sample_next",
    "top-k-of-the-batch",
    edit("logits.topk(top_k, dim=-1).values[:, -1:", "logits.flatten().topk(top_k).values[-1"),
    section="top-k",
    why="The k largest logits of the whole batch are kept. Rows without one of them are left empty, or with too few.",
    hint="Your top-k looks at all rows together. Take it along the vocabulary, `dim=-1`.",
)

mistake(
    "decoding.sample_next",
    "top-k-uniform",
    edit("logits.masked_fill", "torch.zeros_like(logits).masked_fill"),
    section="top-k",
    why="Each of the k tokens is drawn with the same probability. The filter should only decide which tokens may come; "
    "their probabilities stay in proportion.",
    hint="Your top-k draws all survivors equally often. Keep their probabilities in proportion.",
)

mistake(
    "decoding.sample_next",
    "top-k-ignored",
    edit('logits = logits.masked_fill(logits < kth, float("-inf"))', ""),
    base="kth-score-as-limit",
    section="top-k",
    why="top_k is accepted and not used. Every token of the vocabulary may still be drawn.",
    hint="Your draws do not depend on `top_k`. Exclude all but the k largest logits of each row.",
)

mistake(
    "decoding.sample_next",
    "top-k-above-the-vocabulary",
    edit("min(top_k, logits.shape[-1])", "top_k"),
    base="kth-score-as-limit",
    section="top-k",
    why="A top_k larger than the vocabulary is handed on to topk, which refuses it. More than all tokens cannot be "
    "kept, so it is simply no limit.",
    hint="A `top_k` above the size of the vocabulary raises an error. Use `min(top_k, V)`.",
)

mistake(
    "decoding.sample_next",
    "nucleus-too-small",
    edit("ordered.cumsum(dim=-1) - ordered", "ordered.cumsum(dim=-1)"),
    section="top-p",
    why="Tokens are kept while their mass stays below p. The one that makes it reach p is missing, and where the first "
    "token alone exceeds p nothing is left.",
    hint="Your nucleus does not reach p. Keep the token that crosses p as well: look at the mass *before* each token.",
)

mistake(
    "decoding.sample_next",
    "nucleus-too-small-but-one",
    edit("before = ordered.cumsum(dim=-1) - ordered", "before = ordered.cumsum(dim=-1)\nbefore[:, 0] = 0"),
    base="kth-score-as-limit",
    section="top-p",
    why="Tokens are kept while their mass stays below p, and the first one always. The one that makes the mass reach p "
    "is missing.",
    hint="Your nucleus does not reach p. Keep the token that crosses p as well: look at the mass *before* each token.",
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
    why="One token more is kept than the mass needs. The smallest set that reaches p ends with the token that crosses "
    "it.",
    hint="Your nucleus holds one token more than it needs. Drop a token when the mass of those before it has reached "
    "p.",
)

mistake(
    "decoding.sample_next",
    "not-back-in-order",
    edit("torch.zeros_like(probs).scatter(-1, order, ordered)", "probs.masked_fill(ordered == 0, 0.0)"),
    base="kth-score-as-limit",
    section="top-p",
    why="The filter was worked out for the sorted probabilities and applied to the unsorted ones. It hides whatever "
    "tokens happen to stand in those positions.",
    hint="Your top-p hides the wrong tokens: its mask is in sorted order. Bring it back with `scatter` and the order "
    "that `sort` returned.",
)

mistake(
    "decoding.sample_next",
    "sorted-position-returned",
    edit("torch.zeros_like(probs).scatter(-1, order, ordered)", "ordered"),
    base="kth-score-as-limit",
    section="top-p",
    why="What is drawn is a position in the sorted list, and it is returned as a token. Position 0 is the most likely "
    "token, whatever its id.",
    hint="You return positions in the sorted list as tokens. Look them up in the order that `sort` returned, with "
    "`gather`.",
)

mistake(
    "decoding.sample_next",
    "sorted-upwards",
    edit("probs.sort(dim=-1, descending=True)", "probs.sort(dim=-1)"),
    base="kth-score-as-limit",
    section="top-p",
    why="The probabilities are added up from the smallest. The set that reaches p is then the one with the most "
    "tokens, and without the likely ones.",
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
    why="Each token is compared with a threshold by itself. Top-p adds the probabilities up, from the largest, until "
    "they reach p.",
    hint="You compare single probabilities with a threshold. Top-p is about their *sum*, from the most likely token "
    "on.",
)

mistake(
    "decoding.sample_next",
    "top-p-ignored",
    edit("ordered = ordered.masked_fill(before >= top_p, 0.0)", ""),
    base="kth-score-as-limit",
    section="top-p",
    why="top_p is checked and not used. The unlikely tail may still be drawn.",
    hint="Your draws do not depend on `top_p`. Keep the smallest set of most likely tokens whose mass reaches it.",
)

mistake(
    "decoding.sample_next",
    "top-p-summed-over-the-batch",
    edit("ordered.cumsum(dim=-1)", "ordered.cumsum(dim=0)"),
    section="top-p",
    why="The probabilities are added up along the batch. Each row has a nucleus of its own.",
    hint="Your nucleus depends on the other rows of the batch: the cumulative sum runs along the wrong axis.",
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
    why="The nucleus is that of the probabilities at temperature 1. The temperature comes first and decides how many "
    "tokens p needs.",
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
    why="The nucleus is worked out before top-k, of the whole distribution. In this course top-k comes first, and p is "
    "a share of what it left, renormalised.",
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
    why="Any top_p is accepted. A probability of 0 or above 1 is a mistake of the caller, who should hear of it.",
    hint="A `top_p` outside (0, 1] must raise a `ValueError`.",
)

mistake(
    "decoding.sample_next",
    "top-p-zero-allowed",
    edit("0 < top_p <= 1", "0 <= top_p <= 1"),
    section="top-p",
    why="top_p = 0 is accepted. Then no token is needed to reach it, and nothing would be left to draw.",
    hint="`top_p=0` must raise a `ValueError`: the empty set reaches it already.",
)

mistake(
    "decoding.sample_next",
    "top-p-one-refused",
    edit("0 < top_p <= 1", "0 < top_p < 1"),
    section="top-p",
    why="top_p = 1 is refused. It is the value that keeps everything, and many programs have it as their default.",
    hint="`top_p=1.0` is allowed and is no limit: only values above 1 are refused.",
)

mistake(
    "decoding.sample_next",
    "falsy-top-p",
    edit("top_p is not None and not 0 < top_p <= 1", "top_p and not 0 < top_p <= 1"),
    edit("if top_p is not None:", "if top_p:"),
    section="top-p",
    why="The test `if top_p and ...` treats 0 like None. A top_p of 0 then means no limit instead of an error.",
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
    why="One random number serves the whole batch. Rows with the same logits then always get the same token.",
    hint="All your rows are drawn with the same random number. Each row is a draw of its own; `torch.multinomial` does "
    "that.",
)

mistake(
    "decoding.sample_next",
    "generator-ignored",
    edit("torch.multinomial(probs, 1, generator=generator)", "torch.multinomial(probs, 1)"),
    base="kth-score-as-limit",
    section="sampling-seed",
    why="The generator is accepted and not handed on. Nobody can repeat a result.",
    hint="Your draws ignore `generator`. Hand it on to `torch.multinomial`.",
)

mistake(
    "decoding.sample_next",
    "seeded-inside",
    edit("logits = logits / temperature", "torch.manual_seed(0)\nlogits = logits / temperature"),
    base="kth-score-as-limit",
    section="sampling-seed",
    why="The function sets a seed itself. Every call then draws the same tokens.",
    hint="Every call gives the same tokens: you set a seed inside. Use the caller's `generator`, and PyTorch's own if "
    "there is none.",
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
    why="Where no generator is given, a new one is made. It starts from the same seed each time, so every call draws "
    "the same tokens.",
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
    why="The result has the shape (B, 1), as multinomial returns it. One token for each row is a vector, (B,).",
    hint="Your result has one axis too many. Remove the last one with `squeeze(-1)`.",
)

mistake(
    "decoding.sample_next",
    "one-row-loses-its-axis",
    edit("drawn.squeeze(-1)", "drawn.squeeze()"),
    section="decoding-temperature",
    why="squeeze() without an axis removes every axis of size 1. A batch of one row comes back without its batch axis.",
    hint="A batch of one row comes back as a single number. Say which axis to remove: `squeeze(-1)`.",
)

mistake(
    "decoding.sample_next",
    "argument-changed",
    edit("logits / temperature", "logits.div_(temperature)"),
    edit("logits.masked_fill", "logits.masked_fill_"),
    base="kth-score-as-limit",
    section="top-k",
    why="The filter writes into the caller's logits. A second call with the same logits draws from what the first "
    "filter left.",
    hint="Your function changes the logits that it is given. Use `masked_fill`, which returns a new tensor.",
)

mistake(
    "decoding.sample_next",
    "filter-written-in-place",
    edit("logits = logits / temperature", "if temperature != 1:\n    logits = logits / temperature"),
    edit('logits = logits.masked_fill(logits < kth, float("-inf"))', 'logits[logits < kth] = float("-inf")'),
    base="kth-score-as-limit",
    section="top-k",
    why="At temperature 1 the logits are not copied, and the filter writes into the caller's tensor. The next call "
    "sees what this one left.",
    hint="Your filter changes the logits that it is given. Work on a copy.",
)

mistake(
    "decoding.sample_next",
    "nucleus-too-large-at-equality",
    edit("mass_before >= top_p", "mass_before > top_p"),
    section="top-p",
    why="A token is still kept when those before it have reached top_p exactly. The smallest set whose mass reaches p "
    "ends with the token that reaches it.",
    hint="When the mass reaches `top_p` exactly you keep one token too many: of four equal tokens, `top_p=0.5` keeps two. "
    "Compare with `>=`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# beam_search


mistake(
    "decoding.beam_search",
    "copies-of-one-beginning",
    edit("[([bos_id], 0.0)]", "[([bos_id], 0.0)] * beam_size"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="The beam starts with beam_size copies of the start symbol. They have the same continuations, so the beam "
    "stays full of copies, and this is greedy decoding at several times the price.",
    hint="Your beam finds what greedy decoding finds: it starts with equal copies, and stays so, or it looks at one "
    "continuation of each beginning. Start with one beginning, and look at several continuations.",
)

mistake(
    "decoding.beam_search",
    "beam-too-narrow",
    edit("beam_size - len(finished)", "max(beam_size - 1, 1) - len(finished)"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="One beginning fewer is kept than beam_size says. With beam_size 2 that is greedy decoding.",
    hint="Your beam is one beginning too narrow. Keep `beam_size` of the candidates.",
)

mistake(
    "decoding.beam_search",
    "last-step-only",
    edit("score + value", "value"),
    base="lists-of-hypotheses",
    section="beam-bookkeeping",
    why="A hypothesis is judged by its last log-probability alone. The probability of a sequence is the product of all "
    "steps, so the logarithms add up.",
    hint="Your scores forget the earlier steps. Add each new log-probability to the sum so far.",
)

mistake(
    "decoding.beam_search",
    "probabilities-added",
    edit("score + value", "score + math.exp(value)"),
    edit("((5 + len(item[0]) - 1) / 6) ** length_penalty", "len(item[0])"),
    base="lists-of-hypotheses",
    section="beam-bookkeeping",
    why="Probabilities are added instead of logarithms. The probability of a sequence is a product: adding the factors "
    "ranks it by something else.",
    hint="You add probabilities. Multiply them, that is, add their logarithms, which is what the generator returns.",
)

mistake(
    "decoding.beam_search",
    "logarithm-twice",
    edit("model.generator(hidden[:, -1])[0]", "model.generator(hidden[:, -1]).softmax(dim=-1)[0].log_softmax(dim=-1)"),
    base="lists-of-hypotheses",
    section="beam-bookkeeping",
    why="The softmax is applied to the log-probabilities as if they were logits, at a temperature of its own. The "
    "generator returns log-probabilities already.",
    hint="Your scores are not the model's: you change its log-probabilities. Add them up as they come.",
)

mistake(
    "decoding.beam_search",
    "hidden-not-generated",
    edit("hidden[:, -1]", "hidden[:, 0]"),
    base="lists-of-hypotheses",
    section="decoding-loop",
    why="The log-probabilities of the first position are used at every step. They say what follows the start symbol.",
    hint="All your steps use the output of position 0. The last position says what comes next.",
)


@mistake(
    "decoding.beam_search",
    "wrong-parents",
    section="beam-bookkeeping",
    why="The flattened position of a candidate is taken apart with beam_size instead of V. Tokens are appended to the "
    "wrong beginnings.",
    hint="Your hypotheses mix the beginnings of one with the tokens of another. In the flattened `(k, V)` table the "
    "parent is `position // V`, the token `position % V`.",
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
    why="The new tokens are appended to the beams in the order in which they stand. The best candidates may be "
    "children of one and the same beginning, and must take its ids along.",
    hint="Your hypotheses mix the beginnings of one with the tokens of another. Reorder the beginnings by the parents "
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
    why="The plain sums are compared. Every further token makes a sum smaller, so short outputs win.",
    hint="Your result does not depend on `length_penalty`. Divide the sum by `((5 + length) / 6) ** length_penalty` "
    "before you compare.",
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
    why="The sum is multiplied by the penalty. Sums are negative: a factor above 1 makes long outputs worse, where it "
    "should make up for their length.",
    hint="Your length penalty favours short outputs. Divide by it: the sums are negative.",
)

mistake(
    "decoding.beam_search",
    "mean-per-token",
    edit("(5 + len(item[0]) - 1) / 6", "len(item[0]) - 1"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="The sum is divided by the plain length to the power. The published formula has (5 + length) / 6 in its place, "
    "which grows more slowly for short outputs.",
    hint="Your penalty is `length ** length_penalty`. Use `((5 + length) / 6) ** length_penalty`.",
)

mistake(
    "decoding.beam_search",
    "mean-per-token-variant-2",
    edit("(5 + len(item[0]) - 1) / 6", "len(item[0])"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="The sum is divided by the plain length to the power, the start symbol included. The published formula has (5 "
    "+ length) / 6 in its place, which grows more slowly for short outputs.",
    hint="Your penalty is `length ** length_penalty`. Use `((5 + length) / 6) ** length_penalty`, without the start "
    "symbol.",
)

mistake(
    "decoding.beam_search",
    "start-symbol-counted",
    edit("5 + len(item[0]) - 1", "5 + len(item[0])"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="The length in the penalty includes the start symbol. Nobody had to predict it, so it does not count.",
    hint="Your length is one too large: it counts the start symbol. Count the ids after it, the end symbol included.",
)

mistake(
    "decoding.beam_search",
    "end-symbol-not-counted",
    edit("5 + len(item[0]) - 1", "5 + len(item[0]) - 2"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="The length in the penalty leaves out the end symbol. Its log-probability is in the sum, so it counts.",
    hint="Your length is one too small: it leaves out the end symbol. Count the ids after the start symbol, the end "
    "symbol included.",
)

mistake(
    "decoding.beam_search",
    "penalty-without-power",
    edit("((5 + len(item[0]) - 1) / 6) ** length_penalty", "(1 + (5 + len(item[0]) - 1) / 6 * length_penalty)"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="The penalty is multiplied by length_penalty instead of raised to it. At 0 it would divide by nothing.",
    hint="`length_penalty` is the exponent of `(5 + length) / 6`, not a factor.",
)

mistake(
    "decoding.beam_search",
    "precedence-in-the-penalty",
    edit("((5 + len(item[0]) - 1) / 6) ** length_penalty", "((5 + len(item[0]) - 1) / 6**length_penalty)"),
    base="lists-of-hypotheses",
    section="length-penalty",
    why="Without a pair of brackets only the 6 is raised to the power. The exponent belongs to the whole fraction.",
    hint="Brackets are missing in your penalty: `(5 + length) / 6 ** a` raises the 6 alone. Write `((5 + length) / 6) "
    "** a`.",
)

mistake(
    "decoding.beam_search",
    "end-not-scored",
    edit("score + value", "score + (value if token != eos_id else 0.0)"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="A hypothesis that ends does not get the log-probability of its end symbol. Stopping is a decision of the "
    "model like every other, and has its price.",
    hint="Your finished hypotheses lack the log-probability of the end symbol. Add it like that of any other token.",
)

mistake(
    "decoding.beam_search",
    "first-finished-wins",
    edit("not beams", "finished or not beams"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="The search stops at the first hypothesis that ends. A longer one that is still open may be better.",
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
    why="Hypotheses are continued after their end symbol. What follows it means nothing, and its log-probabilities "
    "spoil the score.",
    hint="Your hypotheses go on after the end symbol. Take a finished one out of the beam.",
)

mistake(
    "decoding.beam_search",
    "finished-and-continued",
    edit("beams = []", "beams = candidates[:beam_size]"),
    edit(
        """
        for ids, score in candidates[: beam_size - len(finished)]:
            if ids[-1] == eos_id:
                finished.append((ids, score))
            else:
                beams.append((ids, score))
        """,
        "finished += [(ids, score) for ids, score in beams if ids[-1] == eos_id]",
    ),
    edit("if not beams:\n    break", ""),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="A hypothesis that ends is noted, but it stays in the beam and is continued as well. If a token after the end "
    "costs little, the longer one wins by the length penalty.",
    hint="Your output holds tokens from behind an end symbol: what is finished must leave the beam.",
)

mistake(
    "decoding.beam_search",
    "unfinished-compared-too",
    edit("finished or beams", "finished + beams"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Hypotheses that were cut off at max_len compete with finished ones. They have not paid for their end, and win "
    "too easily.",
    hint="A hypothesis that was cut off beats a finished one in your search. Unfinished ones count only if none is "
    "finished.",
)

mistake(
    "decoding.beam_search",
    "unfinished-preferred",
    edit("finished or beams", "beams or finished"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="What is left in the beam at the end is returned, although there are finished hypotheses. They were forgotten.",
    hint="You return a hypothesis that was cut off although one is finished. Unfinished ones count only if none is "
    "finished.",
)

mistake(
    "decoding.beam_search",
    "nothing-when-unfinished",
    edit("finished or beams", "finished or [([], 0.0)]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="Where no hypothesis reached its end, an empty list is returned. The best beginning is better than nothing.",
    hint="You return an empty list where nothing finished within `max_len`. Then the best unfinished hypothesis "
    "counts.",
)

mistake(
    "decoding.beam_search",
    "no-end-in-beam",
    edit("finished or beams", "finished or beams[-1:]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="The unfinished hypotheses are ranked by their first score instead of the best one. Where nothing finished, "
    "any of them may be returned.",
    hint="Where nothing finished you do not return the best beginning. Compare the unfinished ones as well.",
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
    why="The hypothesis with the smallest score is returned. Scores are negative, and the largest is the one nearest "
    "to 0.",
    hint="You return the worst hypothesis. Scores are negative: the best one is still the largest.",
)

mistake(
    "decoding.beam_search",
    "special-ids-returned",
    edit("[token for token in best[0] if token not in (bos_id, eos_id, PAD)]", "best[0]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="The lists hold the start and the end symbol. They are to hold what was written, and nothing else.",
    hint="Your lists contain special ids. Leave out `bos_id`, `eos_id` and `PAD`.",
)

mistake(
    "decoding.beam_search",
    "end-symbol-returned",
    edit("[token for token in best[0] if token not in (bos_id, eos_id, PAD)]", "best[0][1:]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="The start symbol is removed and the end symbol is not. The lists are to hold what was written, and nothing "
    "else.",
    hint="Your lists end with `eos_id`. Leave it out, as well as `bos_id` and `PAD`.",
)

mistake(
    "decoding.beam_search",
    "last-token-cut-off",
    edit("[token for token in best[0] if token not in (bos_id, eos_id, PAD)]", "best[0][1:-1]"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="The last id is always cut off, as if it were the end symbol. A hypothesis that was not finished loses a word.",
    hint="A hypothesis that did not finish loses its last token. Remove `eos_id` only where it stands.",
)

mistake(
    "decoding.beam_search",
    "one-result-only",
    edit("src.shape[0]", "1"),
    base="lists-of-hypotheses",
    section="beam-batch",
    why="Only the first source is decoded. The result is to hold one list for each.",
    hint="Your result has one list for a batch of several sources. Search for each of them.",
)

mistake(
    "decoding.beam_search",
    "first-source-for-all",
    edit("memory[b : b + 1]", "memory[:1]"),
    base="lists-of-hypotheses",
    section="beam-batch",
    why="Every search reads the memory of the first source. All results are translations of the same sentence.",
    hint="All your results belong to the first source. Take the memory of the row at hand.",
)

mistake(
    "decoding.beam_search",
    "mask-of-the-first-source",
    edit("src_mask[b : b + 1]", "src_mask[:1]"),
    base="lists-of-hypotheses",
    section="beam-batch",
    why="The memory is that of the row at hand, and the mask that of the first source. Where the lengths differ, words "
    "are hidden or padding is seen.",
    hint="Your searches use the source mask of row 0. Take the mask of the row at hand, like the memory.",
)


@mistake(
    "decoding.beam_search",
    "memory-repeated-in-the-wrong-order",
    section="beam-batch",
    why="The sources were repeated as a whole, 0 1 2 0 1 2, and the beams stand in the order 0 0 1 1 2 2. Beams read "
    "the memory of another source.",
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
    why="BOS and EOS of the course are used whatever ids the caller gives. Other vocabularies have other ids.",
    hint="Your search ignores `bos_id` or `eos_id`. Use the arguments; BOS and EOS are only their defaults.",
)

mistake(
    "decoding.beam_search",
    "default-ids-removed",
    edit("(bos_id, eos_id, PAD)", "(BOS, EOS, PAD)"),
    base="lists-of-hypotheses",
    section="beam-finished",
    why="The search uses the ids that the caller gives, and then the ids of the course are removed from the result. "
    "Ordinary tokens disappear, special ones stay.",
    hint="You remove BOS and EOS of the course from your lists instead of `bos_id` and `eos_id`.",
)

mistake(
    "decoding.beam_search",
    "one-id-too-many",
    edit("max_len - 1", "max_len"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="The loop runs max_len times, and the start symbol comes on top. max_len counts all ids of an output.",
    hint="Your outputs may have one id more than `max_len` allows. The start symbol counts, so there are `max_len - 1` "
    "steps.",
)

mistake(
    "decoding.beam_search",
    "one-id-too-few",
    edit("max_len - 1", "max_len - 2"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="The loop ends one step early. max_len counts all ids of an output, and after the start symbol there is room "
    "for max_len - 1.",
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
    why="The default of length_penalty is 1. This course, like the paper of the Transformer, uses 0.6.",
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
    why="The default of beam_size is 1, so that a caller who does not mention it gets greedy decoding. This course, "
    "like the paper of the Transformer, uses 4.",
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
    why="Each output is a tensor. Outputs differ in length, so the result is a list of plain lists of integers.",
    hint="Your outputs are tensors. Return lists of `int`; `tolist()` makes them.",
)

mistake(
    "decoding.beam_search",
    "search-without-causal-mask",
    edit("causal_mask(len(ids))", "None"),
    base="lists-of-hypotheses",
    section="decoding-loop",
    why="The decoder gets no target mask. In a decoder of several layers the earlier positions then see the later "
    "ones, which they never did in training.",
    hint="Your search reads the target without a causal mask. Give the decoder `causal_mask(T)`.",
)

mistake(
    "decoding.beam_search",
    "source-mask-not-in-the-search",
    edit("src_mask[b : b + 1]", "None"),
    base="lists-of-hypotheses",
    section="beam-batch",
    why="The decoder is called without the source mask, so that it reads the padding of shorter sources. The encoder "
    "had the mask, which is not enough: each half of the model needs it.",
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
    why="Probabilities were multiplied in place of adding their logarithms, and the product divided by the penalty. A "
    "product lies between 0 and 1, and dividing it by the penalty makes long outputs worse, where it makes the "
    "negative sum of logarithms better.",
    hint="The length penalty works the wrong way round on your scores, since they are products of probabilities: add "
    "log-probabilities, and divide that negative sum.",
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
    why="Beginnings were ranked by the sum over the penalty while the search was still going on. They are compared as "
    "plain sums; the penalty is for finished outputs, whose lengths differ.",
    hint="You apply the length penalty while beginnings are chosen, too: choose them by their sums, and divide only "
    "when finished outputs are compared.",
)

mistake(
    "decoding.beam_search",
    "one-continuation-of-each-beginning",
    edit("min(beam_size, len(log_probs))", "min(beam_size, len(log_probs)) if len(ids) == 1 else 1"),
    base="lists-of-hypotheses",
    section="beam-idea",
    why="Each beginning is continued by its own best token only. Beginnings never compete: that is as many greedy "
    "searches as the beam has positions, from different first tokens.",
    hint="After the first step your beginnings go on greedily, each by itself. Take all continuations of all "
    "beginnings, and of these the best `beam_size`, of which several may have one parent.",
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
    why="The search stops when the most likely candidate of a step ends. Some libraries do so to save time, but a longer "
    "hypothesis may win once its length is taken into account.",
    hint="Your search stops when the best candidate of a step ends. Go on until `beam_size` hypotheses have finished, or "
    "`max_len` is reached: the length penalty may favour a longer one.",
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
    why="The search stops when a finished hypothesis scores more than the open ones do at their present length. An open "
    "one is divided by more as it grows, so its score may still rise.",
    hint="Your search stops when no open hypothesis scores more than a finished one. Its score may rise with its length: "
    "go on until `beam_size` hypotheses have finished, or `max_len` is reached.",
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
    why="The new keys are appended along the heads. Time is the axis before the last.",
    hint="Your cache grows along axis 1, the heads. Keys are (B, H, T, d_head): time is axis -2.",
)

mistake(
    "decoding.KVCache",
    "wrong-axis-width",
    edit("torch.cat([self.keys[layer], k], dim=-2)", "torch.cat([self.keys[layer], k], dim=-1)"),
    edit("torch.cat([self.values[layer], v], dim=-2)", "torch.cat([self.values[layer], v], dim=-1)"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="The new keys are appended along the width of a head. Time is the axis before the last.",
    hint="Your cache grows along the last axis, the width of a head. Time is axis -2.",
)

mistake(
    "decoding.KVCache",
    "wrong-axis-batch",
    edit("torch.cat([self.keys[layer], k], dim=-2)", "torch.cat([self.keys[layer], k])"),
    edit("torch.cat([self.values[layer], v], dim=-2)", "torch.cat([self.values[layer], v])"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="The new keys are appended along the batch. Time is the axis before the last.",
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
    why="update() keeps everything and returns what it was given. The new query then sees only its own position.",
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
    why="update() returns what the cache held before. The new query then does not see its own position.",
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
    why="The new keys and values take the place of the old ones. The past is lost.",
    hint="Your cache forgets the earlier positions. Append the new ones to what is there.",
)

mistake(
    "decoding.KVCache",
    "new-ones-first",
    edit("[self.keys[layer], k]", "[k, self.keys[layer]]"),
    edit("[self.values[layer], v]", "[v, self.values[layer]]"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="The new position is put in front. Attention itself does not mind the order, but masks do, and everybody who "
    "reads the cache.",
    hint="Your new positions come first. They are the latest: put them last.",
)

mistake(
    "decoding.KVCache",
    "one-store-for-all-layers",
    edit("if layer in self.layers:", "layer = 0\nif layer in self.layers:"),
    section="kv-cache",
    why="All layers append to one and the same store. A layer then attends to the keys of the others.",
    hint="Your layers share their keys. Each layer has its own.",
)

mistake(
    "decoding.KVCache",
    "keys-and-values-swapped",
    edit("return k, v", "return v, k"),
    section="kv-cache",
    why="Values are returned where keys belong, and the other way round. Both have the same shape, so nothing "
    "complains.",
    hint="Your `update` returns the values first. The order is keys, values.",
)

mistake(
    "decoding.KVCache",
    "values-from-keys",
    edit("[self.values[layer], v]", "[self.keys[layer], v]"),
    base="two-dictionaries",
    section="kv-cache",
    why="The values are built from the stored keys. Both have the same shape, so nothing complains.",
    hint="Your values hold keys. Keep two stores, and append each to its own.",
)

mistake(
    "decoding.KVCache",
    "values-not-grown",
    edit("v = torch.cat([self.values[layer], v], dim=-2)", ""),
    base="two-dictionaries",
    section="kv-cache",
    why="Only the keys grow. The weights then have more columns than there are values.",
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
    why="length counts the calls of update. One call may bring several positions, as the first one does that reads the "
    "prompt.",
    hint="Your `length` counts calls. Count positions: `shape[-2]` of what layer 0 holds.",
)

mistake(
    "decoding.KVCache",
    "length-adds-layers",
    edit("self.keys[0].shape[-2] if 0 in self.keys else 0", "sum(k.shape[-2] for k in self.keys.values())"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="length adds up the positions of all layers. Each layer holds the same positions, so it comes out several "
    "times too large.",
    hint="Your `length` counts every layer. It is that of layer 0 alone.",
)

mistake(
    "decoding.KVCache",
    "length-counts-layers",
    edit("self.keys[0].shape[-2] if 0 in self.keys else 0", "len(self.keys)"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="length is the number of layers in the store. It should say how many positions have been read.",
    hint="Your `length` is the number of layers. Return the number of positions in layer 0.",
)

mistake(
    "decoding.KVCache",
    "length-of-the-wrong-axis",
    edit("self.layers[0][0].shape[-2]", "self.layers[0][0].shape[1]"),
    section="kv-cache-shapes",
    why="length reads another axis than time. For keys of shape (B, H, T, d_head) that is the number of heads.",
    hint="Your `length` is the size of another axis. Time is `shape[-2]`.",
)

mistake(
    "decoding.KVCache",
    "length-of-the-wrong-axis-variant-2",
    edit("self.layers[0][0].shape[-2]", "self.layers[0][0].shape[-1]"),
    section="kv-cache-shapes",
    why="length reads another axis than time. The last axis of the keys is d_head, which never grows.",
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
    why="length is that of the layer that was updated last. While a step is under way, the layers differ, and layer 0 "
    "counts.",
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
    why="length is that of the layer which holds most. It is to be that of layer 0, whatever the others hold.",
    hint="Your `length` is that of the longest layer. It is that of layer 0.",
)

mistake(
    "decoding.KVCache",
    "no-length-when-empty",
    edit("self.keys[0].shape[-2] if 0 in self.keys else 0", "self.keys[0].shape[-2]"),
    base="two-dictionaries",
    section="kv-cache-shapes",
    why="The length of an empty cache raises an error. It is 0, and the first step needs it to number its positions.",
    hint="An empty cache has the length 0; yours raises. Ask whether layer 0 is there.",
)

mistake(
    "decoding.KVCache",
    "length-is-a-method",
    edit("@property\ndef length(self):", "def length(self):"),
    section="kv-cache-shapes",
    why="length is a method that has to be called. It is to be read like an attribute, cache.length.",
    hint="`cache.length` is a method in your class. Put `@property` above it, or keep a number up to date.",
)

mistake(
    "decoding.KVCache",
    "shared-by-all-caches",
    edit("self.keys, self.values", "KVCache.keys, KVCache.values"),
    base="two-dictionaries",
    section="kv-cache",
    why="The stores belong to the class, not to the object. Two caches that are in use at the same time then write "
    "into the same stores.",
    hint="All your caches share one store. Make the stores in `__init__`, as attributes of `self`.",
)

mistake(
    "decoding.KVCache",
    "fixed-room",
    edit("self.layers[layer] = k, v", "k, v = k[..., -16:, :], v[..., -16:, :]\nself.layers[layer] = k, v"),
    section="kv-cache-shapes",
    why="The cache has room for a fixed number of positions and drops the oldest when it is full. Attention then loses "
    "the beginning of the text.",
    hint="Your cache forgets the oldest positions when it grows long. It has no limit.",
)

mistake(
    "decoding.KVCache",
    "one-position-each-time",
    edit("if layer in self.layers:", "k, v = k[..., -1:, :], v[..., -1:, :]\nif layer in self.layers:"),
    section="kv-cache-shapes",
    why="Of what it is given, only the last position is kept. The first call reads a whole prompt, and that must all "
    "be kept.",
    hint="Your cache keeps one position of each call. A call may bring several: append all of them.",
)

mistake(
    "decoding.KVCache",
    "float32-always",
    edit("self.layers[layer] = k, v", "k, v = k.float(), v.float()\nself.layers[layer] = k, v"),
    section="kv-cache-shapes",
    why="Keys and values are converted to float32. A cache keeps the type that the model computes in; half precision "
    "is often the point of it.",
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
    why="The cache starts with an empty float32 tensor, and appending to it changes the type: float64 stays what it "
    "was, half precision becomes float32. A cache keeps the type that the model computes in.",
    hint="Your cache changes the dtype of half precision. Start with the first keys themselves, or with an empty "
    "tensor of their dtype.",
)

mistake(
    "decoding.KVCache",
    "not-reordered",
    edit("self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}", "pass"),
    section="kv-cache-reorder",
    why="reorder() changes nothing. A beginning that moves to another row then reads the keys of a stranger.",
    hint="After `reorder` your rows stand where they stood. Row i should now hold what row `rows[i]` held, in every layer.",
)

mistake(
    "decoding.KVCache",
    "not-reordered-variant-2",
    edit(
        "self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}",
        "for k, v in self.layers.values():\n    k, v = k[rows], v[rows]",
    ),
    section="kv-cache-reorder",
    why="The reordered tensors are given to local names. The cache still holds the old ones.",
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
    why="The new order is written into the tensors that update() has handed out. A caller that keeps one of these "
    "tensors finds other numbers in it. And as many rows as before have to be left, while a beam may grow or shrink.",
    hint="Your `reorder` writes into tensors that `update` has returned, or got. Indexing with `rows` makes a new tensor: "
    "store that.",
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
    why="Where the number of rows stays, the new order is written into the tensors that update() has handed out. A "
    "caller that keeps one of these tensors finds other numbers in it.",
    hint="Your `reorder` writes into tensors that `update` has returned, or got. Store the new tensor that indexing makes.",
)

mistake(
    "decoding.KVCache",
    "inverse-order",
    edit("k[rows], v[rows]", "k[rows.argsort()], v[rows.argsort()]"),
    section="kv-cache-reorder",
    why="The inverse order was applied: row i was sent to place rows[i]. It should be fetched from there.",
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
    why="Row i was sent to place rows[i]. It should be fetched from there: a parent with two children is needed twice.",
    hint="Your rows move the other way round. Row i is to hold what row `rows[i]` held: index with `rows`.",
)

mistake(
    "decoding.KVCache",
    "only-layer-zero-reordered",
    edit("(k[rows], v[rows])", "(k[rows], v[rows]) if layer == 0 else (k, v)"),
    section="kv-cache-reorder",
    why="Only layer 0 gets the new order. The other layers still hold the old one.",
    hint="Your `reorder` reaches layer 0 alone. Every layer holds rows of the same batch: reorder all.",
)

mistake(
    "decoding.KVCache",
    "only-keys-reordered",
    edit("(k[rows], v[rows])", "(k[rows], v)"),
    section="kv-cache-reorder",
    why="Only the keys get the new order. The weights then mix the values of other rows.",
    hint="Your `reorder` leaves the values where they were. Keys and values belong together.",
)

mistake(
    "decoding.KVCache",
    "heads-reordered",
    edit("(k[rows], v[rows])", "(k[:, rows], v[:, rows])"),
    section="kv-cache-reorder",
    why="The heads were put in another order. The rows of the batch are the first axis of (B, H, T, d_head).",
    hint="Your `reorder` indexes axis 1, the heads. The batch is axis 0.",
)

mistake(
    "decoding.KVCache",
    "each-row-once",
    edit("(k[rows], v[rows])", "(k[rows.unique()], v[rows.unique()])"),
    section="kv-cache-reorder",
    why="Every row was kept once, in rising order. Two survivors may have one parent, whose past both of them need.",
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
    why="Only the newest position moved. A beginning takes its whole past along.",
    hint="Your `reorder` moves the newest position alone. A row is a whole text: move all its positions.",
)

mistake(
    "decoding.KVCache",
    "emptied-by-a-new-order",
    edit("self.layers = {layer: (k[rows], v[rows]) for layer, (k, v) in self.layers.items()}", "self.layers = {}"),
    section="kv-cache-reorder",
    why="The cache is emptied when its rows change. The next step then knows nothing of what was written.",
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
    why="reorder() of an empty cache raises an error. A search may reorder before anything was read; then there is "
    "nothing to do.",
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
    why="Every step gets an empty cache. The decoder then knows nothing of what was written, and every token stands at "
    "position 0.",
    hint="Your steps do not remember: each one gets an empty cache, so it stands at position 0. Make one cache before the "
    "loop.",
)


mistake(
    "decoding.cached_greedy_decode",
    "one-cache-for-all-calls",
    edit("cache = KVCache()", 'cache = vars(model).setdefault("cache", KVCache())'),
    base="loop-with-a-break",
    section="cached-decoding",
    why="The cache outlives the call: it is kept by the model or a class, as a global name or as a default argument. The "
    "next call goes on in it and reads what the last one wrote.",
    hint="Your first call is right and later ones are not: they go on in the same cache. Make a new one in every call, "
    "not as a default argument, a global name, or an attribute of the model or of a class.",
)


@mistake(
    "decoding.cached_greedy_decode",
    "greedy-under-another-name",
    section="cached-decoding",
    why="The decoder reads all ids again at every step, as in greedy_decode. The rows are right, and nothing is saved.",
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
    why="At every step a new cache reads all ids from the start. The rows are right, and nothing is saved.",
    hint="Your rows are right, but every step reads all earlier ids again. They are in the cache already: pass the newest "
    "ids alone, with one cache for all steps.",
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
    why="At every step all ids are read again, into a cache that holds them already. It then holds the first ids several "
    "times, and the newest one stands at a wrong position.",
    hint="Your steps read all earlier ids again, though the cache holds them already. Pass the newest ids alone.",
)

mistake(
    "decoding.cached_greedy_decode",
    "start-symbol-at-every-step",
    edit("ids[:, -1]", "ids[:, 0]"),
    base="loop-with-a-break",
    section="cached-decoding",
    why="Every step reads the start symbol. The ids that were written never reach the decoder.",
    hint="Every step of yours reads column 0, the start symbol. The newest ids are in the last column, `ids[:, -1]`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "newest-ids-as-a-column",
    edit("ids[:, -1]", "ids[:, -1:]"),
    base="loop-with-a-break",
    section="cached-decoding",
    why="The newest ids were passed as a column, (B, 1). A step takes one id for each row, (B,).",
    hint="Your `last_ids` are (B, 1). Index with `ids[:, -1]`, without the colon after -1, to get (B,).",
)

mistake(
    "decoding.cached_greedy_decode",
    "all-ids-in-one-step",
    edit("ids[:, -1]", "ids"),
    base="loop-with-a-break",
    section="cached-decoding",
    why="All ids were passed to a step, (B, T). It takes the newest id of each row, (B,); the others are in the cache.",
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
    why="Every token is read twice, so the cache holds it twice. The text that the decoder sees stutters.",
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
    why="A new token is put into the cache when it is written, and once more when the next step reads it. The cache then "
    "holds it twice.",
    hint="Your cache holds every token twice: `decode_step` itself adds the ids that it reads. Call it once in each step.",
)

mistake(
    "decoding.cached_greedy_decode",
    "encoded-for-every-step",
    edit("hidden = model", "memory = model.encode(src, src_mask)\nhidden = model"),
    base="loop-with-a-break",
    section="cached-decoding",
    why="The encoder runs again at every step. The source does not change, so the same memory is computed T times, which "
    "costs more than the cache saves.",
    hint="Your encoder runs at every step. Encode once, before the loop.",
)

mistake(
    "decoding.cached_greedy_decode",
    "finished-rows-go-on",
    edit("new[finished] = PAD", ""),
    base="loop-with-a-break",
    section="finished-rows",
    why="The loop stops when all rows are finished, but a row that finishes early goes on writing until then. What it writes after its end symbol belongs to no sentence.",
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
    why="Nothing happens at the end symbol. The rows go on until max_len, with tokens that mean nothing.",
    hint="Your rows go on after the end symbol. Once a row has written `eos_id`, fill it with `PAD`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "stops-at-the-first-end-with-a-cache",
    edit("finished.all", "finished.any"),
    base="loop-with-a-break",
    section="finished-rows",
    why="The loop stops as soon as one row is finished. The other rows are cut off in the middle.",
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
    why="The row is marked as finished before its token is written, so the end symbol itself is replaced by padding. A "
    "reader of the row cannot tell a finished sentence from one that was cut off.",
    hint="The end symbol is missing from your rows. First replace the tokens of rows that were finished *before*, then "
    "find those that finish now.",
)

mistake(
    "decoding.cached_greedy_decode",
    "finished-only-for-a-step",
    edit("finished |= new == eos_id", "finished = new == eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Whether a row is finished is worked out anew from its newest token. One step later the newest token is padding, "
    "and the row wakes up again.",
    hint="Your finished rows start to write again after one `PAD`. Once finished, always finished: update with `|=`, not "
    "with `=`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "filled-with-the-end",
    edit("new[finished] = PAD", "new[finished] = eos_id"),
    base="loop-with-a-break",
    section="finished-rows",
    why="Finished rows are filled up with the end symbol. Padding has an id of its own.",
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
    why="The result has one row, whatever the batch. It was written for one sentence at a time.",
    hint="Your result has one row for a batch of several. Start with one start symbol for each source.",
)

mistake(
    "decoding.cached_greedy_decode",
    "source-mask-not-in-the-step",
    edit("model.decode_step(memory, src_mask,", "model.decode_step(memory, None,"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The step does not get the source mask. Its cross-attention then looks at the padding of short sources.",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode_step`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "source-mask-not-for-the-memory",
    edit("model.encode(src, src_mask)", "model.encode(src, None)"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The encoder does not get the source mask. The memory of a short source then depends on its padding.",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode_step`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "hidden-taken-for-scores",
    edit("model.generator(hidden)", "hidden"),
    base="loop-with-a-break",
    section="decoding-loop",
    why="The largest entry of the hidden vector was taken for a token. The generator turns it into log-probabilities.",
    hint="Your ids are positions in the hidden vector. Let `model.generator` make log-probabilities of it first, then take "
    "the argmax.",
)

mistake(
    "decoding.cached_greedy_decode",
    "one-step-too-many",
    edit("max_len - 1", "max_len"),
    base="loop-with-a-break",
    section="greedy",
    why="The loop runs max_len times, and the start symbol comes on top. max_len counts every column.",
    hint="Your result has a column more than `max_len`. The start symbol counts, so there are `max_len - 1` steps.",
)

mistake(
    "decoding.cached_greedy_decode",
    "one-step-too-few",
    edit("max_len - 1", "max_len - 2"),
    base="loop-with-a-break",
    section="greedy",
    why="The loop ends one step early. max_len counts every column, and the end symbol is one of them.",
    hint="Your result stops a column short of `max_len`. After the start symbol there is room for `max_len - 1` ids.",
)

mistake(
    "decoding.cached_greedy_decode",
    "start-symbol-cut-off",
    edit("return ids", "return ids[:, 1:]"),
    base="loop-with-a-break",
    section="greedy",
    why="The start symbol was cut off from the result. The rows are to be those of greedy_decode.",
    hint="Your rows lack the start symbol in column 0.",
)

mistake(
    "decoding.cached_greedy_decode",
    "usual-ids-with-a-cache",
    edit("memory = model.encode(src, src_mask)", "bos_id, eos_id = BOS, EOS\nmemory = model.encode(src, src_mask)"),
    base="loop-with-a-break",
    section="greedy",
    why="BOS and EOS of the course are used whatever ids the caller gives. Other vocabularies have other ids.",
    hint="Your function ignores `bos_id` or `eos_id`. Use the arguments; BOS and EOS are only their defaults.",
)

mistake(
    "decoding.cached_greedy_decode",
    "usual-end-with-a-cache",
    edit("new == eos_id", "new == EOS"),
    base="loop-with-a-break",
    section="greedy",
    why="The end symbol of the course is looked for, whatever id the caller gives. Other vocabularies have other ids.",
    hint="Your function ignores `eos_id`. Compare with the argument; EOS is only its default.",
)


@mistake(
    "decoding.cached_greedy_decode",
    "gradients-kept",
    section="greedy",
    why="The model runs with gradients on. Then every step keeps its intermediate results, and so does every key in the "
    "cache.",
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
    why="The model is switched to evaluation and left there. A caller in the middle of a training loop would train on "
    "without dropout.",
    hint="After your call the model is in another mode than before. The mode is the caller's: leave it alone.",
)

mistake(
    "decoding.cached_greedy_decode",
    "float-ids-with-a-cache",
    edit("return ids", "return ids.float()"),
    base="loop-with-a-break",
    section="greedy",
    why="The ids are returned as floating-point numbers. An embedding wants integers.",
    hint="Your ids are floats. They are int64, as those of `greedy_decode`.",
)

mistake(
    "decoding.cached_greedy_decode",
    "least-likely-with-a-cache",
    edit("model.generator(hidden).argmax", "model.generator(hidden).argmin"),
    base="loop-with-a-break",
    section="greedy",
    why="The token with the smallest log-probability is taken. Log-probabilities are negative, and the largest is the one "
    "nearest to 0.",
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
    why="When rows left the batch, the memory and the mask kept their first rows. The texts that go on then read other "
    "sources.",
    hint="After a row has left the batch, your other rows read the memory of a stranger. Index memory and mask with the "
    "rows that stay.",
)

mistake(
    "decoding.cached_greedy_decode",
    "cache-keeps-the-order",
    edit("cache.reorder(stay)", "cache.reorder(torch.arange(len(stay)))"),
    base="finished-rows-leave-the-batch",
    section="kv-cache-reorder",
    why="Rows left the batch, and the cache kept its first rows. The texts that go on then read the keys of others.",
    hint="After a row has left the batch, your other rows read a stranger's past. Call `cache.reorder` with the rows that "
    "stay.",
)

mistake(
    "decoding.cached_greedy_decode",
    "finished-rows-masked-in-place",
    edit(
        "finished = finished | (new == eos_id)",
        "finished = finished | (new == eos_id)\nsrc_mask &= ~finished[:, None, None, None]",
    ),
    section="greedy",
    why="The mask of the source is changed for rows that have ended. It is the caller's tensor, which may be needed again.",
    hint="After your call `src_mask` is not what it was. Build a new mask, or leave it: finished rows are padded anyway.",
)
