"""Wrong implementations of unit 13, decoding: what learners write, and what to tell them.

More specific mistakes come before more general ones.
"""

# Every entry of a task defines the same name, and many are wrong on purpose.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef, misc, arg-type, var-annotated, call-overload, operator, index, assignment"

import math

import torch

from autograder.course.catalogue import mistake
from solutions import BOS, EOS, PAD
from solutions.masks import causal_mask

# ---------------------------------------------------------------------------------------------------------------------
# greedy_decode


@mistake(
    "decoding.greedy_decode",
    "position-zero",
    explanation="The next token is taken from the first position of the decoder's output. That position says what "
    "follows the start symbol, at every step the same.",
    hint="All your tokens come from the output at position 0. The last position, `hidden[:, -1]`, is the one that "
    "says what comes next (chapter 13, 'One token at a time').",
    section="decoding-loop",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, 0]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "generator-left-out",
    explanation="The largest entry of the hidden vector was taken for a token. The hidden vector has d entries "
    "and knows no vocabulary; the generator turns it into V log-probabilities.",
    hint="Your ids are places in the hidden vector. Let `model.generator` make log-probabilities of it first, "
    "then take the argmax (chapter 13, 'One token at a time').",
    section="decoding-loop",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = hidden[:, -1].argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "no-end",
    explanation="Nothing happens at the end symbol. The rows go on until max_len, with tokens that mean nothing.",
    hint="Your rows go on after the end symbol. Once a row has written `eos_id`, fill it with `PAD` (chapter 13, "
    "'Rows that finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
        return ids


@mistake(
    "decoding.greedy_decode",
    "not-padded",
    explanation="The loop stops when all rows are finished, but a row that finishes early goes on writing until "
    "then. What follows its end symbol is noise.",
    hint="Tokens follow the end symbol in rows that finish early. Keep a boolean for each row, and put `PAD` into "
    "those that are finished (chapter 13, 'Rows that finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "stops-at-the-first-end",
    explanation="The loop stops as soon as one row is finished. The other rows are cut off in the middle.",
    hint="Your longer rows are cut off when the shortest one ends. Stop when *all* rows are finished, not when "
    "any is (chapter 13, 'Rows that finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.any():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "only-row-zero-ends",
    explanation="Only the first row is asked whether it has ended. All others are cut off, or go on, as the first "
    "one does.",
    hint="Whether your loop goes on depends on row 0 alone. Keep one boolean for each row, (B,), and stop when "
    "all are true (chapter 13, 'Rows that finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            if new[0] == eos_id:
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "padded-with-eos",
    explanation="Finished rows are filled up with the end symbol. Padding has an id of its own, which masks and "
    "losses know.",
    hint="Your finished rows repeat the end symbol. Write it once, and `PAD` after it (chapter 13, 'Rows that "
    "finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = eos_id
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "end-symbol-lost",
    explanation="The row is marked as finished before its token is written, so the end symbol itself is replaced "
    "by padding. A reader cannot tell a finished row from one that was cut off.",
    hint="The end symbol is missing from your rows. First replace the tokens of rows that were finished *before*, "
    "then find those that finish now (chapter 13, 'Rows that finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            finished |= new == eos_id
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "finished-forgotten",
    explanation="Whether a row is finished is worked out anew from its newest token. One step later the newest "
    "token is padding, and the row wakes up again.",
    hint="Your finished rows start to write again after one `PAD`. Once finished, always finished: update with "
    "`|=`, not with `=` (chapter 13, 'Rows that finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished = new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "start-symbol-dropped",
    explanation="The start symbol was cut off from the result. The result is to be what the decoder read and "
    "wrote, start symbol included.",
    hint="Your rows lack the start symbol in column 0. Return the ids as the decoder read them (chapter 13, "
    "'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids[:, 1:]


@mistake(
    "decoding.greedy_decode",
    "one-column-too-many",
    explanation="The loop runs max_len times, and the start symbol comes on top. max_len counts every column.",
    hint="Your result has a column more than `max_len`. The start symbol counts, so there are `max_len - 1` steps "
    "(chapter 13, 'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "one-column-too-few",
    explanation="The loop ends one step early, as if the end symbol needed a column in reserve. max_len counts "
    "every column, and the end symbol is one of them.",
    hint="Your result stops a column short of `max_len`. After the start symbol there is room for `max_len - 1` "
    "ids (chapter 13, 'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 2):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "encoded-at-every-step",
    explanation="The encoder runs again at every step. The source does not change, so the same memory is computed "
    "T times.",
    hint="Your encoder runs at every step. Encode once, before the loop (chapter 13, 'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            memory = model.encode(src, src_mask)
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "no-causal-mask",
    explanation="The decoder gets no target mask, or one that hides nothing. In a decoder of several layers the "
    "earlier positions then see the later ones, which they never did in training.",
    hint="Your decoder reads the target without a causal mask, or with one that is true everywhere. Give it "
    "`causal_mask(T)`, also when you write token by token (chapter 13, 'One token at a time').",
    section="decoding-loop",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = None
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "source-mask-not-in-the-decoder",
    explanation="The decoder does not get the source mask. Its cross-attention then looks at the padding of short "
    "sources.",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode` "
    "(chapter 13, 'One token at a time').",
    section="decoding-loop",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, None, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "source-mask-not-in-the-encoder",
    explanation="The encoder does not get the source mask. The memory of a short source then depends on its padding.",
    hint="The results of short sources depend on their padding. Give `src_mask` to `encode` *and* to `decode` "
    "(chapter 13, 'One token at a time').",
    section="decoding-loop",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, None)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "only-the-newest-token",
    explanation="The decoder gets only the token that was written last. Without a cache it has no memory of the "
    "others.",
    hint="Your decoder reads one token at a time. Without a cache it needs all ids written so far (chapter 13, "
    "'One token at a time').",
    section="decoding-loop",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(1)
            hidden = model.decode(memory, src_mask, ids[:, -1:], mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "default-ids",
    explanation="BOS and EOS of the course are used whatever ids the caller gives. Other vocabularies have other ids.",
    hint="Your function ignores `bos_id` or `eos_id`. Use the arguments; BOS and EOS are only their defaults "
    "(chapter 13, 'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        bos_id, eos_id = BOS, EOS
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "default-eos",
    explanation="The end symbol of the course is looked for, whatever id the caller gives. Other vocabularies "
    "have other ids.",
    hint="Your function ignores `eos_id`. Compare with the argument; EOS is only its default (chapter 13, 'Greedy "
    "decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == EOS
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "one-row-only",
    explanation="The result has one row, whatever the batch. It was written for one sentence at a time.",
    hint="Your result has one row for a batch of several. Start with one start symbol for each source, `(B, 1)`, "
    "and do not take `[0]` of the new tokens (chapter 13, 'Rows that finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((1, 1), bos_id, dtype=torch.long)
        for _ in range(max_len - 1):
            hidden = model.decode(memory[:1], src_mask[:1], ids, causal_mask(ids.shape[1]))
            new = model.generator(hidden[:, -1]).argmax(dim=-1)[0].item()
            ids = torch.cat([ids, torch.full((1, 1), new)], dim=1)
            if new == eos_id:
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "first-token-for-all",
    explanation="Every row gets the token of the first row. It was taken out of the batch with [0] and spread again.",
    hint="All your rows write what the first one writes. Keep the new tokens as a vector, one for each row "
    "(chapter 13, 'Rows that finish').",
    section="finished-rows",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new = new[0].repeat(len(src))
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "drawn-at-random",
    explanation="The token is drawn from the probabilities. Greedy decoding takes the most likely one, so that "
    "the same source always gives the same result.",
    hint="Your tokens are drawn at random. Greedy decoding takes the argmax (chapter 13, 'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = torch.multinomial(model.generator(hidden[:, -1]).exp(), 1)[:, 0]
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "least-likely",
    explanation="The token with the smallest log-probability is taken. Log-probabilities are negative, and the "
    "largest is the one nearest to 0.",
    hint="You take the least likely token. Log-probabilities are negative: the most likely one is still the "
    "largest (chapter 13, 'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmin(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "gradients-recorded",
    explanation="The model runs with gradients on. Every step then keeps all its intermediate results for a "
    "backward pass that never comes.",
    hint="Your function records gradients. Put the loop under `torch.no_grad()` (chapter 13, 'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    memory = model.encode(src, src_mask)
    ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
    finished = torch.zeros(src.shape[0], dtype=torch.bool)
    for _ in range(max_len - 1):
        mask = causal_mask(ids.shape[1])
        hidden = model.decode(memory, src_mask, ids, mask)
        new = model.generator(hidden[:, -1]).argmax(dim=-1)
        new[finished] = PAD
        ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
        finished |= new == eos_id
        if finished.all():
            break
    return ids


@mistake(
    "decoding.greedy_decode",
    "mode-changed",
    explanation="The model is switched to evaluation and left there. A caller in the middle of a training loop "
    "would train on without dropout.",
    hint="After your call the model is in another mode than before. The mode is the caller's: leave it alone "
    "(chapter 13, 'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        model.eval()
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids


@mistake(
    "decoding.greedy_decode",
    "float-ids",
    explanation="The ids are kept as floating-point numbers. An embedding wants integers, and so does everybody "
    "who reads the result.",
    hint="Your ids are floats. Make the first column with `dtype=torch.long`, or with `src.new_full` (chapter 13, "
    "'Greedy decoding').",
    section="greedy",
)
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.full((src.shape[0], 1), bos_id, dtype=torch.long)
        finished = torch.zeros(src.shape[0], dtype=torch.bool)
        for _ in range(max_len - 1):
            mask = causal_mask(ids.shape[1])
            hidden = model.decode(memory, src_mask, ids, mask)
            new = model.generator(hidden[:, -1]).argmax(dim=-1)
            new[finished] = PAD
            ids = torch.cat([ids, new.unsqueeze(1)], dim=1)
            finished |= new == eos_id
            if finished.all():
                break
        return ids.float()


# ---------------------------------------------------------------------------------------------------------------------
# sample_next


@mistake(
    "decoding.sample_next",
    "always-the-most-likely",
    explanation="The most likely token is returned at every temperature. Nothing is drawn.",
    hint="You always return the same token for the same logits. Only temperature 0 is argmax; else draw with "
    "`torch.multinomial` (chapter 13, 'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return probs.argmax(dim=-1)


@mistake(
    "decoding.sample_next",
    "temperature-multiplied",
    explanation="The logits are multiplied by the temperature. A high temperature then makes the draws more "
    "certain instead of less.",
    hint="Your temperature works the wrong way round. Divide the logits by it (chapter 13, 'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits * temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "temperature-ignored",
    explanation="The temperature is asked for 0 and otherwise not used. All other values give the same draws.",
    hint="Your draws do not depend on the temperature. Divide the logits by it before the softmax (chapter 13, "
    "'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "temperature-after-softmax",
    explanation="The probabilities are divided by the temperature instead of the logits. After renormalising they "
    "are what they were.",
    hint="Your draws do not depend on the temperature: you divide the probabilities, and `multinomial` "
    "renormalises them. Divide the *logits* (chapter 13, 'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1) / temperature
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "softmax-of-softmax",
    explanation="The softmax is taken twice. Probabilities lie between 0 and 1, so the second softmax makes them "
    "nearly equal.",
    hint="Your draws are far too even: a softmax of a softmax. Take it once, of the logits (chapter 13, "
    "'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1).softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "zero-divides",
    explanation="Temperature 0 is not treated by itself. Dividing by 0 gives infinities, and NaN after the softmax.",
    hint="Temperature 0 gives an error or nonsense. Return the argmax before you divide (chapter 13, 'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "exp-overflows",
    explanation="The exponentials are taken of the logits as they are. For logits of a hundred and more they "
    "overflow to infinity.",
    hint="Large logits give an error. Use `softmax`, which subtracts the maximum first (chapter 3 has the reason; "
    "chapter 13, 'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.exp()
    probs = probs / probs.sum(dim=-1, keepdim=True)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "columns-not-rows",
    explanation="The softmax runs over the batch. Each row must sum to 1 over the vocabulary by itself.",
    hint="Your probabilities depend on the other rows of the batch: the softmax runs over the wrong axis. It runs "
    "over the vocabulary, `dim=-1` (chapter 13, 'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=0)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "filtered-to-zero",
    explanation="Logits outside the top k are set to 0. A logit of 0 is a score like any other and keeps a share "
    "of the probability.",
    hint="Tokens outside the top k are still drawn: you set their *logits* to 0. Set logits to minus infinity, or "
    "probabilities to 0 (chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, 0.0)
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-k-one-too-few",
    explanation="The k-th largest logit is excluded as well. With k = 1 nothing is left.",
    hint="One token too few survives your top-k. Keep what is *at least* as large as the k-th largest logit "
    "(chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits <= kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-k-one-too-many",
    explanation="The threshold is the logit after the k-th. One token too many may be drawn.",
    hint="One token too many survives your top-k. Of the sorted logits the k-th has the index k - 1 (chapter 13, "
    "'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k + 1, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-k-of-the-smallest",
    explanation="The k least likely tokens are kept. sort() is ascending unless it is told otherwise.",
    hint="Your top-k keeps the least likely tokens. Sort in descending order, or use `topk` (chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = (-logits).topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(-logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-k-of-row-zero",
    explanation="The threshold of the first row is used for all. Every row has logits of its own.",
    hint="Your top-k threshold comes from row 0. Each row needs its own, of shape (B, 1) (chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[0, -1]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-k-of-the-batch",
    explanation="The k largest logits of the whole batch are kept. Rows without one of them are left empty, or "
    "with too few.",
    hint="Your top-k looks at all rows together. Take it along the vocabulary, `dim=-1` (chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.flatten().topk(k).values[-1]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-k-uniform",
    explanation="Each of the k tokens is drawn with the same probability. The filter should only decide which "
    "tokens may come; their probabilities stay in proportion.",
    hint="Your top-k draws all survivors equally often. Keep their probabilities in proportion (chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = torch.zeros_like(logits).masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-k-ignored",
    explanation="top_k is accepted and not used. Every token of the vocabulary may still be drawn.",
    hint="Your draws do not depend on `top_k`. Exclude all but the k largest logits of each row (chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-k-above-the-vocabulary",
    explanation="A top_k larger than the vocabulary is handed on to topk, which refuses it. More than all tokens "
    "cannot be kept, so it is simply no limit.",
    hint="A `top_k` above the size of the vocabulary raises an error. Use `min(top_k, V)` (chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = top_k
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "nucleus-too-small",
    explanation="Tokens are kept while their mass stays below p. The one that makes it reach p is missing, and "
    "where the first token alone exceeds p nothing is left.",
    hint="Your nucleus does not reach p. Keep the token that crosses p as well: look at the mass *before* each "
    "token (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1)
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "nucleus-too-small-but-one",
    explanation="Tokens are kept while their mass stays below p, and the first one always. The one that makes the "
    "mass reach p is missing.",
    hint="Your nucleus does not reach p. Keep the token that crosses p as well: look at the mass *before* each "
    "token (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1)
        before[:, 0] = 0
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "nucleus-too-large",
    explanation="One token more is kept than the mass needs. The smallest set that reaches p ends with the token "
    "that crosses it.",
    hint="Your nucleus holds one token more than it needs. Drop a token when the mass of those before it has "
    "reached p (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = (ordered.cumsum(dim=-1) - ordered).roll(1, dims=-1)
        before[:, 0] = 0
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "not-back-in-order",
    explanation="The filter was worked out for the sorted probabilities and applied to the unsorted ones. It "
    "hides whatever tokens happen to stand in those places.",
    hint="Your top-p hides the wrong tokens: its mask is in sorted order. Bring it back with `scatter` and the "
    "order that `sort` returned (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = probs.masked_fill(ordered == 0, 0.0)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "sorted-place-returned",
    explanation="What is drawn is a place in the sorted list, and it is returned as a token. Place 0 is the most "
    "likely token, whatever its id.",
    hint="You return places in the sorted list as tokens. Look them up in the order that `sort` returned, with "
    "`gather` (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = ordered
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "sorted-upwards",
    explanation="The probabilities are added up from the smallest. The set that reaches p is then the one with "
    "the most tokens, and without the likely ones.",
    hint="Your nucleus starts with the least likely tokens. Sort in descending order (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "threshold-on-single-tokens",
    explanation="Each token is compared with a threshold by itself. Top-p adds the probabilities up, from the "
    "largest, until they reach p.",
    hint="You compare single probabilities with a threshold. Top-p is about their *sum*, from the most likely "
    "token on (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        ordered = ordered.masked_fill(ordered < 1 - top_p, 0.0)
        ordered[:, 0] += 1e-9
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-p-ignored",
    explanation="top_p is checked and not used. The unlikely tail may still be drawn.",
    hint="Your draws do not depend on `top_p`. Keep the smallest set of most likely tokens whose mass reaches it "
    "(chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-p-summed-over-the-batch",
    explanation="The probabilities are added up along the batch. Each row has a nucleus of its own.",
    hint="Your nucleus depends on the other rows of the batch: the cumulative sum runs along the wrong axis "
    "(chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=0) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-p-before-temperature",
    explanation="The nucleus is that of the probabilities at temperature 1. The temperature comes first and "
    "decides how many tokens p needs.",
    hint="Your nucleus does not change with the temperature. Divide by the temperature first, then filter "
    "(chapter 13, 'Which order').",
    section="filter-order",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    raw, logits = logits, logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = raw.masked_fill(probs == 0, float("-inf")).softmax(dim=-1).sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        keep = torch.zeros_like(probs).scatter(-1, order, ordered)
        probs = probs.masked_fill(keep == 0, 0.0)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-p-before-top-k",
    explanation="The nucleus is worked out before top-k, of the whole distribution. In this course top-k comes "
    "first, and p is a share of what it left, renormalised.",
    hint="With both filters you keep too many tokens. First top-k, then renormalise, then top-p (chapter 13, "
    "'Which order').",
    section="filter-order",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    full = logits.softmax(dim=-1)
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        everything = full.gather(-1, order)
        before = everything.cumsum(dim=-1) - everything
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-p-not-refused",
    explanation="Any top_p is accepted. A probability of 0 or above 1 is a mistake of the caller, who should hear "
    "of it.",
    hint="A `top_p` outside (0, 1] must raise a `ValueError` (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-p-zero-allowed",
    explanation="top_p = 0 is accepted. Then no token is needed to reach it, and nothing would be left to draw.",
    hint="`top_p=0` must raise a `ValueError`: the empty set reaches it already (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 <= top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "top-p-one-refused",
    explanation="top_p = 1 is refused. It is the value that keeps everything, and many programs have it as their "
    "default.",
    hint="`top_p=1.0` is allowed and is no limit: only values above 1 are refused (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p < 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "falsy-top-p",
    explanation="The test `if top_p and ...` treats 0 like None. A top_p of 0 then means no limit instead of an error.",
    hint="`top_p=0` must raise, and `if top_p` is false for it. Compare with `None` (chapter 13, 'Top-p').",
    section="top-p",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "one-draw-for-all-rows",
    explanation="One random number serves the whole batch. Rows with the same logits then always get the same token.",
    hint="All your rows are drawn with the same random number. Each row is a draw of its own; `torch.multinomial` "
    "does that (chapter 13, 'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    height = torch.rand(1, generator=generator)
    return (probs.cumsum(dim=-1) < height).sum(dim=-1).clamp(max=probs.shape[-1] - 1)


@mistake(
    "decoding.sample_next",
    "generator-ignored",
    explanation="The generator is accepted and not handed on. Nobody can repeat a result.",
    hint="Your draws ignore `generator`. Hand it on to `torch.multinomial` (chapter 13, 'Repeatable draws').",
    section="sampling-seed",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "seeded-inside",
    explanation="The function sets a seed itself. Every call then draws the same tokens.",
    hint="Every call gives the same tokens: you set a seed inside. Use the caller's `generator`, and PyTorch's "
    "own if there is none (chapter 13, 'Repeatable draws').",
    section="sampling-seed",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    torch.manual_seed(0)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "new-generator-each-call",
    explanation="Where no generator is given, a new one is made. It starts from the same seed each time, so every "
    "call draws the same tokens.",
    hint="Without a generator all your calls draw the same tokens. Hand `None` on: PyTorch's own generator goes "
    "on from call to call (chapter 13, 'Repeatable draws').",
    section="sampling-seed",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    if generator is None:
        generator = torch.Generator()
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "column-kept",
    explanation="The result has the shape (B, 1), as multinomial returns it. One token for each row is a vector, (B,).",
    hint="Your result has one axis too many. Remove the last one with `squeeze(-1)` (chapter 13, 'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator)


@mistake(
    "decoding.sample_next",
    "one-row-loses-its-axis",
    explanation="squeeze() without an axis removes every axis of size 1. A batch of one row comes back without "
    "its batch axis.",
    hint="A batch of one row comes back as a single number. Say which axis to remove: `squeeze(-1)` (chapter 13, "
    "'Temperature').",
    section="decoding-temperature",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze()


@mistake(
    "decoding.sample_next",
    "argument-changed",
    explanation="The filter writes into the caller's logits. Whoever calls again with the same logits draws from "
    "what the last filter left.",
    hint="Your function changes the logits that it is given. Use `masked_fill`, which returns a new tensor "
    "(chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    logits = logits.div_(temperature)
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits = logits.masked_fill_(logits < kth, float("-inf"))
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


@mistake(
    "decoding.sample_next",
    "filter-written-in-place",
    explanation="At temperature 1 the logits are not copied, and the filter writes into the caller's tensor. The "
    "next call sees what this one left.",
    hint="Your filter changes the logits that it is given. Work on a copy (chapter 13, 'Top-k').",
    section="top-k",
)
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must lie in (0, 1], but is {top_p}")
    if temperature == 0:
        return logits.argmax(dim=-1)
    if temperature != 1:
        logits = logits / temperature
    if top_k is not None:
        k = min(top_k, logits.shape[-1])
        kth = logits.topk(k, dim=-1).values[:, -1:]
        logits[logits < kth] = float("-inf")
    probs = logits.softmax(dim=-1)
    if top_p is not None:
        ordered, order = probs.sort(dim=-1, descending=True)
        before = ordered.cumsum(dim=-1) - ordered
        ordered = ordered.masked_fill(before >= top_p, 0.0)
        probs = torch.zeros_like(probs).scatter(-1, order, ordered)
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


# ---------------------------------------------------------------------------------------------------------------------
# beam_search


@mistake(
    "decoding.beam_search",
    "copies-of-one-beginning",
    explanation="The beam starts with beam_size copies of the start symbol. They have the same continuations, so "
    "the beam stays full of copies, and this is greedy decoding at several times the price.",
    hint="Your beam finds what greedy decoding finds: it starts with equal copies, and stays so, or it looks at "
    "one continuation of each beginning. Start with one beginning, and look at several continuations (chapter "
    "13, 'Beam search').",
    section="beam-idea",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)] * beam_size, []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "beam-too-narrow",
    explanation="One beginning fewer is kept than beam_size says. With beam_size 2 that is greedy decoding.",
    hint="Your beam is one beginning too narrow. Keep `beam_size` of the candidates (chapter 13, 'Beam search').",
    section="beam-idea",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: max(beam_size - 1, 1) - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "last-step-only",
    explanation="A hypothesis is judged by its last log-probability alone. The probability of a sequence is the "
    "product of all steps, so the logarithms add up.",
    hint="Your scores forget the earlier steps. Add each new log-probability to the sum so far (chapter 13, 'Sums "
    "and parents').",
    section="beam-bookkeeping",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "probabilities-added",
    explanation="Probabilities are added instead of logarithms. The probability of a sequence is a product: "
    "adding the factors ranks it by something else.",
    hint="You add probabilities. Multiply them, that is, add their logarithms, which is what the generator "
    "returns (chapter 13, 'Sums and parents').",
    section="beam-bookkeeping",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + math.exp(value)))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / len(item[0]))
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "logarithm-twice",
    explanation="The softmax is applied to the log-probabilities as if they were logits, at a temperature of its "
    "own. The generator returns log-probabilities already.",
    hint="Your scores are not the model's: you change its log-probabilities. Add them up as they come (chapter "
    "13, 'Sums and parents').",
    section="beam-bookkeeping",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1]).softmax(dim=-1)[0].log_softmax(dim=-1)
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "hidden-not-generated",
    explanation="The log-probabilities of the first position are used at every step. They say what follows the "
    "start symbol.",
    hint="All your steps use the output of position 0. The last position says what comes next (chapter 13, 'One "
    "token at a time').",
    section="decoding-loop",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, 0])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "wrong-parents",
    explanation="The flattened place of a candidate is taken apart with beam_size instead of V. Tokens are "
    "appended to the wrong beginnings.",
    hint="Your hypotheses mix the beginnings of one with the tokens of another. In the flattened `(k, V)` table "
    "the parent is `place // V`, the token `place % V` (chapter 13, 'Sums and parents').",
    section="beam-bookkeeping",
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
                values, places = totals.flatten().topk(min(beam_size - len(finished), totals.numel()))
                old, beams = beams, []
                for value, place in zip(values.tolist(), places.tolist()):
                    ids = old[place % n][0] + [place % totals.shape[1]]
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
    explanation="The new tokens are appended to the beams in the order in which they stand. The best candidates "
    "may be children of one and the same beginning, and must take its ids along.",
    hint="Your hypotheses mix the beginnings of one with the tokens of another. Reorder the beginnings by the "
    "parents of the candidates before you append (chapter 13, 'Sums and parents').",
    section="beam-bookkeeping",
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
                values, places = totals.flatten().topk(min(beam_size - len(finished), totals.numel()))
                old, beams = beams, []
                for row, (value, place) in enumerate(zip(values.tolist(), places.tolist())):
                    ids = old[row % n][0] + [place % totals.shape[1]]
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
    "no-length-penalty",
    explanation="The plain sums are compared. Every further token makes a sum smaller, so short outputs win.",
    hint="Your result does not depend on `length_penalty`. Divide the sum by `((5 + length) / 6) ** "
    "length_penalty` before you compare (chapter 13, 'The length penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1])
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "penalty-multiplied",
    explanation="The sum is multiplied by the penalty. Sums are negative: a factor above 1 makes long outputs "
    "worse, where it should make up for their length.",
    hint="Your length penalty favours short outputs. Divide by it: the sums are negative (chapter 13, 'The length "
    "penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] * ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "mean-per-token",
    explanation="The sum is divided by the plain length to the power. The formula of GNMT has (5 + length) / 6 in "
    "its place, which grows more slowly for short outputs.",
    hint="Your penalty is `length ** length_penalty`. Use `((5 + length) / 6) ** length_penalty` (chapter 13, "
    "'The length penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / (len(item[0]) - 1) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "start-symbol-counted",
    explanation="The length in the penalty includes the start symbol. Nobody had to predict it, so it does not count.",
    hint="Your length is one too large: it counts the start symbol. Count the ids after it, the end symbol "
    "included (chapter 13, 'The length penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0])) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "end-symbol-not-counted",
    explanation="The length in the penalty leaves out the end symbol. Its log-probability is in the sum, so it counts.",
    hint="Your length is one too small: it leaves out the end symbol. Count the ids after the start symbol, the "
    "end symbol included (chapter 13, 'The length penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 2) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "penalty-without-power",
    explanation="The penalty is multiplied by length_penalty instead of raised to it. At 0 it would divide by nothing.",
    hint="`length_penalty` is the exponent of `(5 + length) / 6`, not a factor (chapter 13, 'The length penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / (1 + (5 + len(item[0]) - 1) / 6 * length_penalty))
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "precedence-in-the-penalty",
    explanation="Without a pair of brackets only the 6 is raised to the power. The exponent belongs to the whole "
    "fraction.",
    hint="Brackets are missing in your penalty: `(5 + length) / 6 ** a` raises the 6 alone. Write `((5 + length) "
    "/ 6) ** a` (chapter 13, 'The length penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6**length_penalty))
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "end-not-scored",
    explanation="A hypothesis that ends does not get the log-probability of its end symbol. Stopping is a "
    "decision of the model like every other, and has its price.",
    hint="Your finished hypotheses lack the log-probability of the end symbol. Add it like that of any other "
    "token (chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + (value if token != eos_id else 0.0)))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "first-finished-wins",
    explanation="The search stops at the first hypothesis that ends. A longer one that is still open may be better.",
    hint="Your search stops as soon as one hypothesis ends. Go on with the others, and compare all that finish "
    "(chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if finished or not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "finished-ones-extended",
    explanation="Hypotheses are continued after their end symbol. What follows it means nothing, and its "
    "log-probabilities spoil the score.",
    hint="Your hypotheses go on after the end symbol. Take a finished one out of the beam (chapter 13, 'Finished "
    "hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "finished-and-continued",
    explanation="A hypothesis that ends is noted, but it stays in the beam and is continued as well. If a token after "
    "the end costs little, the longer one wins by the length penalty.",
    hint="Your output holds tokens from behind an end symbol: what is finished must leave the beam (chapter 13, "
    "'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = candidates[:beam_size]
                finished += [(ids, score) for ids, score in beams if ids[-1] == eos_id]
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "unfinished-compared-too",
    explanation="Hypotheses that were cut off at max_len compete with finished ones. They have not paid for their "
    "end, and win too easily.",
    hint="A hypothesis that was cut off beats a finished one in your search. Unfinished ones count only if none "
    "is finished (chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished + beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "unfinished-preferred",
    explanation="What is left in the beam at the end is returned, although there are finished hypotheses. They "
    "were forgotten.",
    hint="You return a hypothesis that was cut off although one is finished. Unfinished ones count only if none "
    "is finished (chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = beams or finished
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "nothing-when-unfinished",
    explanation="Where no hypothesis reached its end, an empty list is returned. The best beginning is better "
    "than nothing.",
    hint="You return an empty list where nothing finished within `max_len`. Then the best unfinished hypothesis "
    "counts (chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or [([], 0.0)]
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "no-end-in-beam",
    explanation="The unfinished hypotheses are ranked by their first score instead of the best one. Where nothing "
    "finished, any of them may be returned.",
    hint="Where nothing finished you do not return the best beginning. Compare the unfinished ones as well "
    "(chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams[-1:]
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "worst-returned",
    explanation="The hypothesis with the smallest score is returned. Scores are negative, and the largest is the "
    "one nearest to 0.",
    hint="You return the worst hypothesis. Scores are negative: the best one is still the largest (chapter 13, "
    "'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = min(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "special-ids-returned",
    explanation="The lists hold the start and the end symbol. They are to hold what was written, and nothing else.",
    hint="Your lists contain special ids. Leave out `bos_id`, `eos_id` and `PAD` (chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append(best[0])
        return results


@mistake(
    "decoding.beam_search",
    "end-symbol-returned",
    explanation="The start symbol is removed and the end symbol is not. The lists are to hold what was written, "
    "and nothing else.",
    hint="Your lists end with `eos_id`. Leave it out, as well as `bos_id` and `PAD` (chapter 13, 'Finished "
    "hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append(best[0][1:])
        return results


@mistake(
    "decoding.beam_search",
    "last-token-cut-off",
    explanation="The last id is always cut off, as if it were the end symbol. A hypothesis that was not finished "
    "loses a word.",
    hint="A hypothesis that did not finish loses its last token. Remove `eos_id` only where it stands (chapter "
    "13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append(best[0][1:-1])
        return results


@mistake(
    "decoding.beam_search",
    "one-result-only",
    explanation="Only the first source is decoded. The result is to hold one list for each.",
    hint="Your result has one list for a batch of several sources. Search for each of them (chapter 13, 'Several "
    "sources').",
    section="beam-batch",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(1):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "first-source-for-all",
    explanation="Every search reads the memory of the first source. All results are translations of the same sentence.",
    hint="All your results belong to the first source. Take the memory of the row at hand (chapter 13, 'Several "
    "sources').",
    section="beam-batch",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[:1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "mask-of-the-first-source",
    explanation="The memory is that of the row at hand, and the mask that of the first source. Where the lengths "
    "differ, words are hidden or padding is seen.",
    hint="Your searches use the source mask of row 0. Take the mask of the row at hand, like the memory (chapter "
    "13, 'Several sources').",
    section="beam-batch",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[:1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "memory-repeated-in-the-wrong-order",
    explanation="The sources were repeated as a whole, 0 1 2 0 1 2, and the beams stand in the order 0 0 1 1 2 2. "
    "Beams read the memory of another source.",
    hint="Your beams read the memory of another source: `repeat` gives 0 1 0 1, `repeat_interleave` gives 0 0 1 1 "
    "(chapter 13, 'Several sources').",
    section="beam-batch",
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
            scores, places = totals.topk(beam_size, dim=-1)
            parents = places // size + beam_size * torch.arange(count).unsqueeze(1)
            ids = torch.cat([ids[parents.flatten()], (places % size).view(-1, 1)], dim=1)
            for row in range(count):
                for beam in range(beam_size):
                    if places[row, beam] % size == eos_id and scores[row, beam] > float("-inf"):
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


@mistake(
    "decoding.beam_search",
    "default-ids-in-the-search",
    explanation="BOS and EOS of the course are used whatever ids the caller gives. Other vocabularies have other ids.",
    hint="Your search ignores `bos_id` or `eos_id`. Use the arguments; BOS and EOS are only their defaults "
    "(chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        bos_id, eos_id = BOS, EOS
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "default-ids-removed",
    explanation="The search uses the ids that the caller gives, and then the ids of the course are removed from "
    "the result. Ordinary tokens disappear, special ones stay.",
    hint="You remove BOS and EOS of the course from your lists instead of `bos_id` and `eos_id` (chapter 13, "
    "'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (BOS, EOS, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "one-id-too-many",
    explanation="The loop runs max_len times, and the start symbol comes on top. max_len counts all ids of an output.",
    hint="Your outputs may have one id more than `max_len` allows. The start symbol counts, so there are `max_len "
    "- 1` steps (chapter 13, 'Beam search').",
    section="beam-idea",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "one-id-too-few",
    explanation="The loop ends one step early. max_len counts all ids of an output, and after the start symbol "
    "there is room for max_len - 1.",
    hint="Your search stops one id short of `max_len`. There are `max_len - 1` steps (chapter 13, 'Beam search').",
    section="beam-idea",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 2):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "other-default-penalty",
    explanation="The default of length_penalty is 1. This course, like the paper of the Transformer, uses 0.6.",
    hint="Without `length_penalty` your search uses 1.0. Its default is 0.6 (chapter 13, 'The length penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=1.0, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "other-default-beam",
    explanation="The default of beam_size is 1, so that a caller who does not mention it gets greedy decoding. "
    "This course, like the paper of the Transformer, uses 4.",
    hint="Without `beam_size` your search is greedy. Its default is 4 (chapter 13, 'Beam search').",
    section="beam-idea",
)
def beam_search(model, src, src_mask, max_len, beam_size=1, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "tensors-not-lists",
    explanation="Each output is a tensor. Outputs differ in length, so the result is a list of plain lists of "
    "integers.",
    hint="Your outputs are tensors. Return lists of `int`; `tolist()` makes them (chapter 13, 'Finished hypotheses').",
    section="beam-finished",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append(torch.tensor([token for token in best[0] if token not in (bos_id, eos_id, PAD)]))
        return results


@mistake(
    "decoding.beam_search",
    "search-without-causal-mask",
    explanation="The decoder gets no target mask. In a decoder of several layers the earlier positions then see "
    "the later ones, which they never did in training.",
    hint="Your search reads the target without a causal mask. Give the decoder `causal_mask(T)` (chapter 13, 'One "
    "token at a time').",
    section="decoding-loop",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, None)
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "source-mask-not-in-the-search",
    explanation="The decoder is called without the source mask, so that it reads the padding of shorter sources. The "
    "encoder had the mask, which is not enough: each half of the model needs it.",
    hint="Your searches read the padding of shorter sources: hand the mask of the row at hand to "
    "`model.decode`, as you do to `model.encode` (chapter 13, 'Several sources').",
    section="beam-batch",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], None, tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "probabilities-multiplied",
    explanation="Probabilities were multiplied in place of adding their logarithms, and the product divided by the "
    "penalty. A product lies between 0 and 1, and dividing it by the penalty makes long outputs worse, "
    "where it makes the negative sum of logarithms better.",
    hint="The length penalty works the wrong way round on your scores, since they are products of "
    "probabilities: add log-probabilities, and divide that negative sum (chapter 13, 'Sums and parents').",
    section="beam-bookkeeping",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 1.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score * math.exp(value)))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "penalty-at-every-step",
    explanation="Beginnings were ranked by the sum over the penalty while the search was still going on. They are "
    "compared as plain sums; the penalty is for finished outputs, whose lengths differ.",
    hint="You apply the length penalty while beginnings are chosen, too: choose them by their sums, and divide "
    "only when finished outputs are compared (chapter 13, 'The length penalty').",
    section="length-penalty",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)))
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                divisor = ((5 + len(beams[0][0])) / 6) ** length_penalty
                candidates = [(ids, score / divisor) for ids, score in candidates]
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1])
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


@mistake(
    "decoding.beam_search",
    "one-continuation-of-each-beginning",
    explanation="Each beginning is continued by its own best token only. Beginnings never compete: that is as many "
    "greedy searches as the beam has places, from different first tokens.",
    hint="After the first step your beginnings go on greedily, each by itself. Take all continuations of all "
    "beginnings, and of these the best `beam_size`, of which several may have one parent (chapter 13, "
    "'Beam search').",
    section="beam-idea",
)
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        results = []
        for b in range(src.shape[0]):
            beams, finished = [([bos_id], 0.0)], []
            for _ in range(max_len - 1):
                candidates = []
                for ids, score in beams:
                    tgt = torch.tensor([ids])
                    hidden = model.decode(memory[b : b + 1], src_mask[b : b + 1], tgt, causal_mask(len(ids)))
                    log_probs = model.generator(hidden[:, -1])[0]
                    values, tokens = log_probs.topk(min(beam_size, len(log_probs)) if len(ids) == 1 else 1)
                    for value, token in zip(values.tolist(), tokens.tolist()):
                        candidates.append((ids + [token], score + value))
                candidates.sort(key=lambda item: item[1], reverse=True)
                beams = []
                for ids, score in candidates[: beam_size - len(finished)]:
                    if ids[-1] == eos_id:
                        finished.append((ids, score))
                    else:
                        beams.append((ids, score))
                if not beams:
                    break
            pool = finished or beams
            best = max(pool, key=lambda item: item[1] / ((5 + len(item[0]) - 1) / 6) ** length_penalty)
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


# ---------------------------------------------------------------------------------------------------------------------
# KVCache


@mistake(
    "decoding.KVCache",
    "wrong-axis-heads",
    explanation="The new keys are appended along the heads. Time is the axis before the last.",
    hint="Your cache grows along axis 1, the heads. Keys are (B, H, T, d_head): time is axis -2 (chapter 13, "
    "'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=1)
            v = torch.cat([self.values[layer], v], dim=1)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "wrong-axis-width",
    explanation="The new keys are appended along the width of a head. Time is the axis before the last.",
    hint="Your cache grows along the last axis, the width of a head. Time is axis -2 (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-1)
            v = torch.cat([self.values[layer], v], dim=-1)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "wrong-axis-batch",
    explanation="The new keys are appended along the batch. Time is the axis before the last.",
    hint="Your cache grows along axis 0, the batch. Time is axis -2 (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k])
            v = torch.cat([self.values[layer], v])
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "only-the-new-returned",
    explanation="update() keeps everything and returns what it was given. The new query then sees only its own "
    "position.",
    hint="Your `update` returns only the new keys and values. Return all of the layer: the new query attends to "
    "the past as well (chapter 13, 'The KV cache').",
    section="kv-cache",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            self.keys[layer] = torch.cat([self.keys[layer], k], dim=-2)
            self.values[layer] = torch.cat([self.values[layer], v], dim=-2)
        else:
            self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "only-the-old-returned",
    explanation="update() returns what the cache held before. The new query then does not see its own position.",
    hint="Your `update` returns the cache without the new position. A position attends to itself as well (chapter "
    "13, 'The KV cache').",
    section="kv-cache",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        before = self.keys.get(layer, k), self.values.get(layer, v)
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return before


@mistake(
    "decoding.KVCache",
    "replaced-not-grown",
    explanation="The new keys and values take the place of the old ones. The past is lost.",
    hint="Your cache forgets the earlier positions. Append the new ones to what is there (chapter 13, 'The KV cache').",
    section="kv-cache",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "new-ones-first",
    explanation="The new position is put in front. Attention itself does not mind the order, but masks do, and "
    "everybody who reads the cache.",
    hint="Your new positions come first. They are the latest: put them last (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([k, self.keys[layer]], dim=-2)
            v = torch.cat([v, self.values[layer]], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "one-store-for-all-layers",
    explanation="All layers append to one and the same store. A layer then attends to the keys of the others.",
    hint="Your layers share their keys. Each layer has its own (chapter 13, 'The KV cache').",
    section="kv-cache",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        layer = 0
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "keys-and-values-swapped",
    explanation="Values are returned where keys belong, and the other way round. Both have the same shape, so "
    "nothing complains.",
    hint="Your `update` returns the values first. The order is keys, values (chapter 13, 'The KV cache').",
    section="kv-cache",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return v, k


@mistake(
    "decoding.KVCache",
    "values-from-keys",
    explanation="The values are built from the stored keys. Both have the same shape, so nothing complains.",
    hint="Your values hold keys. Keep two stores, and append each to its own (chapter 13, 'The KV cache').",
    section="kv-cache",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.keys[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "values-not-grown",
    explanation="Only the keys grow. The weights then have more columns than there are values.",
    hint="Your values do not grow. Append them as you append the keys (chapter 13, 'The KV cache').",
    section="kv-cache",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "length-counts-calls",
    explanation="length counts the calls of update. One call may bring several positions, as the first one does "
    "that reads the prompt.",
    hint="Your `length` counts calls. Count positions: `shape[-2]` of what layer 0 holds (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values, self.calls = {}, {}, 0

    @property
    def length(self):
        return self.calls

    def update(self, layer, k, v):
        self.calls += layer == 0
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "length-adds-layers",
    explanation="length adds up the positions of all layers. Each layer holds the same positions, so it comes out "
    "several times too large.",
    hint="Your `length` counts every layer. It is that of layer 0 alone (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return sum(k.shape[-2] for k in self.keys.values())

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "length-counts-layers",
    explanation="length is the number of layers in the store. It should say how many positions have been read.",
    hint="Your `length` is the number of layers. Return the number of positions in layer 0 (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return len(self.keys)

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "length-of-the-wrong-axis",
    explanation="length reads another axis than time. For keys of shape (B, H, T, d_head) that is the number of heads.",
    hint="Your `length` is the size of another axis. Time is `shape[-2]` (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[1] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "length-of-the-last-layer",
    explanation="length is that of the layer that was updated last. While a step is under way, the layers differ, "
    "and layer 0 counts.",
    hint="Your `length` is that of the last update. It is that of layer 0 (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values, self.latest = {}, {}, 0

    @property
    def length(self):
        return self.latest

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        self.latest = k.shape[-2]
        return k, v


@mistake(
    "decoding.KVCache",
    "length-of-the-longest-layer",
    explanation="length is that of the layer which holds most. It is to be that of layer 0, whatever the others hold.",
    hint="Your `length` is that of the longest layer. It is that of layer 0 (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return max((k.shape[-2] for k in self.keys.values()), default=0)

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "no-length-when-empty",
    explanation="The length of an empty cache raises an error. It is 0, and the first step needs it to number its "
    "positions.",
    hint="An empty cache has the length 0; yours raises. Ask whether layer 0 is there (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2]

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "length-is-a-method",
    explanation="length is a method that has to be called. It is to be read like an attribute, cache.length.",
    hint="`cache.length` is a method in your class. Put `@property` above it, or keep a number up to date "
    "(chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "shared-by-all-caches",
    explanation="The stores belong to the class, not to the object. Two caches that are in use at the same time "
    "then write into the same stores.",
    hint="All your caches share one store. Make the stores in `__init__`, as attributes of `self` (chapter 13, "
    "'The KV cache').",
    section="kv-cache",
)
class KVCache:
    def __init__(self):
        KVCache.keys, KVCache.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "fixed-room",
    explanation="The cache has room for a fixed number of positions and drops the oldest when it is full. "
    "Attention then loses the beginning of the text.",
    hint="Your cache forgets the oldest positions when it grows long. It has no limit (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        k, v = k[..., -16:, :], v[..., -16:, :]
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "one-position-each-time",
    explanation="Of what it is given, only the last position is kept. The first call reads a whole prompt, and "
    "that must all be kept.",
    hint="Your cache keeps one position of each call. A call may bring several: append all of them (chapter 13, "
    "'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        k, v = k[..., -1:, :], v[..., -1:, :]
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "float32-always",
    explanation="Keys and values are converted to float32. A cache keeps the type that the model computes in; "
    "half precision is often the point of it.",
    hint="Your cache changes the dtype. Keep tensors as they are (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        k, v = k.float(), v.float()
        self.keys[layer], self.values[layer] = k, v
        return k, v


@mistake(
    "decoding.KVCache",
    "float32-buffer",
    explanation="The cache starts with an empty float32 tensor, and appending to it changes the type: float64 "
    "stays what it was, half precision becomes float32. A cache keeps the type that the model computes in.",
    hint="Your cache changes the dtype of half precision. Start with the first keys themselves, or with an empty "
    "tensor of their dtype (chapter 13, 'What grows').",
    section="kv-cache-shapes",
)
class KVCache:
    def __init__(self):
        self.keys, self.values = {}, {}

    @property
    def length(self):
        return self.keys[0].shape[-2] if 0 in self.keys else 0

    def update(self, layer, k, v):
        if layer not in self.keys:
            self.keys[layer] = self.values[layer] = torch.zeros(*k.shape[:2], 0, k.shape[3])
        if layer in self.keys:
            k = torch.cat([self.keys[layer], k], dim=-2)
            v = torch.cat([self.values[layer], v], dim=-2)
        self.keys[layer], self.values[layer] = k, v
        return k, v
