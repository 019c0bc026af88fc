"""Right implementations of the tasks of decoding, in other styles than the reference."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef, misc, var-annotated, call-overload, arg-type, assignment"

import heapq
import math
import warnings
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.course.catalogue import alternative
from solutions import BOS, EOS, PAD
from solutions.masks import causal_mask, decoder_mask

# ---------------------------------------------------------------------------------------------------------------------
# greedy_decode


@alternative("decoding.greedy_decode", "columns-in-a-list")
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.inference_mode():
        memory = model.encode(src, src_mask)
        columns = [torch.full((src.size(0),), bos_id, dtype=src.dtype, device=src.device)]
        done = columns[0] == eos_id
        while len(columns) < max_len:
            so_far = torch.stack(columns, dim=1)
            log_probs = model.generator(model.decode(memory, src_mask, so_far, decoder_mask(so_far)))
            best = log_probs[:, -1, :].max(dim=-1).indices
            columns.append(torch.where(done, torch.full_like(best, PAD), best))
            done = done | (best == eos_id)
        return torch.stack(columns, dim=1).clone()


@alternative("decoding.greedy_decode", "row-by-row")
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        rows = []
        for i in range(len(src)):
            row = [bos_id]
            while len(row) < max_len and (len(row) == 1 or row[-1] != eos_id):
                tgt = torch.tensor([row], device=src.device)
                out = model.decode(
                    memory[i : i + 1], src_mask[i : i + 1], tgt, causal_mask(len(row), device=src.device)
                )
                row.append(int(model.generator(out[:, -1])[0].argmax()))
            rows.append(row)
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], device=src.device)


@alternative("decoding.greedy_decode", "room-for-everything")
def greedy_decode(model, src: Tensor, src_mask: Tensor, max_len: int, bos_id: int = BOS, eos_id: int = EOS) -> Tensor:
    was_on = torch.is_grad_enabled()
    torch.set_grad_enabled(False)
    try:
        result = src.new_full((src.shape[0], max_len), PAD)
        result[:, 0] = bos_id
        open_rows = torch.ones(src.shape[0], dtype=torch.bool, device=src.device)
        memory = model.encode(src=src, src_mask=src_mask)
        for t in range(1, max_len):
            mask = torch.ones(t, t, dtype=torch.bool, device=src.device).tril()[None, None]
            hidden = model.decode(memory=memory, src_mask=src_mask, tgt=result[:, :t], tgt_mask=mask)
            _, best = torch.topk(model.generator(hidden[:, -1:]).squeeze(1), k=1)
            result[:, t] = torch.where(open_rows, best[:, 0], result[:, t])
            open_rows &= best[:, 0] != eos_id
            if not open_rows.any():
                break
        return result
    finally:
        torch.set_grad_enabled(was_on)


@alternative("decoding.greedy_decode", "finished-rows-leave-the-batch")
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    texts = [[bos_id] for _ in src]
    with torch.no_grad():
        memory, masks = model.encode(src, src_mask), src_mask
        active = list(range(len(src)))
        for _ in range(max_len - 1):
            if not active:
                break
            tgt = torch.tensor([texts[i] for i in active])
            full = causal_mask(tgt.shape[1]).expand(len(active), 1, -1, -1)
            scores = model.generator(model.decode(memory, masks, tgt, full))[:, -1]
            for i, token in zip(active, scores.argmax(-1).tolist()):
                texts[i].append(token)
            stay = [position for position, i in enumerate(active) if texts[i][-1] != eos_id]
            memory, masks, active = memory[stay], masks[stay], [active[position] for position in stay]
    return nn.utils.rnn.pad_sequence([torch.tensor(text) for text in texts], batch_first=True, padding_value=PAD)


@alternative("decoding.greedy_decode", "everything-first-then-padded")
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    """All columns are written; what follows an end symbol becomes padding afterwards."""
    mode = model.training
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        ids = torch.LongTensor([[bos_id]] * len(src)).to(src.device)
        for step in range(max_len - 1):
            print("step", step)
            hidden = model.decode(memory, src_mask, ids, causal_mask(ids.size(1), ids.device))
            probabilities = model.generator(hidden[:, -1]).exp()
            ids = torch.cat((ids, probabilities.argmax(1, keepdim=True)), 1)
    ends = (ids[:, 1:] == eos_id).long()
    before = torch.cat([torch.zeros(len(ids), 2, dtype=torch.long), ends[:, :-1]], dim=1)[:, : ids.shape[1]]
    assert model.training == mode
    return ids.masked_fill(before.cumsum(1) > 0, PAD)


@alternative("decoding.greedy_decode", "evaluates-and-restores")
def greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    warnings.warn("greedy decoding", stacklevel=1)
    training = model.training
    model.eval()

    @torch.no_grad()
    def write():
        memory = model.encode(src, src_mask)
        ids = torch.zeros(src.shape[0], 1).fill_(bos_id).type_as(src)
        ended = [False] * src.shape[0]
        for _ in range(max_len - 1):
            out = model.decode(memory, src_mask, ids, causal_mask(ids.shape[1]).unsqueeze(0))
            new = model.generator(out[:, -1]).argmax(-1).tolist()
            new = [PAD if over else token for over, token in zip(ended, new)]
            ended = [over or token == eos_id for over, token in zip(ended, new)]
            ids = torch.hstack([ids, torch.tensor(new).view(-1, 1)])
            if all(ended):
                return ids
        return ids

    try:
        return write()
    finally:
        model.train(training)


@alternative("decoding.greedy_decode", "loop-with-a-break")
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
        return ids


# ---------------------------------------------------------------------------------------------------------------------
# sample_next


@alternative("decoding.sample_next", "gumbel-noise")
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and (top_p <= 0 or top_p > 1):
        raise ValueError(f"top_p={top_p} is not in (0, 1]")
    if temperature == 0:
        return torch.max(logits, dim=-1)[1]
    scores = F.log_softmax(logits.double() / temperature, dim=-1)
    rank = scores.argsort(dim=-1, descending=True).argsort(dim=-1)
    if top_k is not None:
        scores = torch.where(rank < top_k, scores, -math.inf)
    if top_p is not None:
        ordered = scores.softmax(-1).sort(dim=-1, descending=True).values
        needed = (ordered.cumsum(-1) < top_p).sum(-1, keepdim=True) + 1
        scores = torch.where(rank < needed, scores, -math.inf)
    uniform = torch.rand(scores.shape, generator=generator, dtype=torch.float64).clamp_min(1e-300)
    return (scores - (-uniform.log()).log()).argmax(-1)


@alternative("decoding.sample_next", "row-by-row")
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not (0.0 < top_p <= 1.0):
        raise ValueError("top_p must be in (0, 1]")
    tokens = []
    for row in logits.tolist():
        order = sorted(range(len(row)), key=lambda token: -row[token])
        if temperature == 0:
            tokens.append(order[0])
            continue
        kept = order[:top_k] if top_k else order
        weights = [math.exp((row[token] - row[order[0]]) / temperature) for token in kept]
        total, mass, nucleus = sum(weights), 0.0, []
        for token, weight in zip(kept, weights):
            nucleus.append((token, weight))
            mass += weight / total
            if top_p is not None and mass >= top_p:
                break
        height = torch.rand((), generator=generator).item() * sum(weight for _, weight in nucleus)
        for token, weight in nucleus:
            height -= weight
            if height < 0:
                break
        tokens.append(token)
    return torch.tensor(tokens)


@alternative("decoding.sample_next", "removal-shifted-by-one")
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if temperature < 0:
        raise ValueError(f"negative temperature {temperature}")
    if top_k is not None and top_k <= 0:
        raise ValueError(f"top_k={top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p={top_p}")
    if temperature == 0:
        return logits.argmax(-1)
    logits = logits.clone().float().div_(temperature)
    if top_k is not None:
        threshold = torch.topk(logits, min(top_k, logits.size(-1)))[0][..., -1, None]
        logits[logits < threshold] = -float("inf")
    if top_p is not None:
        values, indices = torch.sort(logits, descending=True)
        remove = torch.cumsum(F.softmax(values, dim=-1), dim=-1) >= top_p
        remove[..., 1:] = remove[..., :-1].clone()
        remove[..., 0] = False
        logits = logits.masked_fill(remove.scatter(1, indices, remove), -float("inf"))
    return torch.multinomial(F.softmax(logits, dim=-1), num_samples=1, generator=generator)[:, 0]


@alternative("decoding.sample_next", "drawn-among-the-sorted")
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is None:
        top_p = 1.0
    if top_p <= 0 or top_p > 1:
        raise ValueError(f"top_p is {top_p}; it must be in (0, 1]")
    size = logits.shape[-1]
    values, tokens = logits.topk(size if top_k is None else min(size, top_k), dim=-1)
    if temperature == 0:
        return tokens[:, 0]
    probs = torch.softmax((values / temperature).double(), dim=-1)
    mass = probs.cumsum(-1)
    probs = probs * ((mass - probs) < top_p)
    heights = probs.cumsum(-1)
    draws = torch.rand(len(probs), 1, generator=generator, dtype=torch.float64) * heights[:, -1:]
    position = torch.searchsorted(heights, draws, right=True).clamp(max=probs.shape[-1] - 1)
    return tokens.gather(-1, position).view(-1)


@alternative("decoding.sample_next", "exponential-race")
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    def nucleus(probs):
        ordered, tokens = probs.sort(-1, descending=True)
        short = ordered.cumsum(-1) < top_p
        size = short.sum(-1, keepdim=True) + 1
        return tokens.argsort(-1) < size  # the rank of each token

    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError("top_p out of range")
    if not temperature:
        return logits.argmax(1)
    probs = (logits / temperature).softmax(1).float()
    if top_k is not None and top_k < probs.shape[1]:
        probs = probs * (probs >= probs.topk(top_k).values.amin(-1, keepdim=True))
        probs = probs / probs.sum(-1, keepdim=True)
    if top_p is not None:
        probs = probs * nucleus(probs)
    clocks = torch.empty_like(probs).exponential_(generator=generator)
    return (probs / clocks).argmax(dim=1)


@alternative("decoding.sample_next", "one-multinomial-per-row")
def sample_next(logits, temperature=1.0, top_k=None, top_p=None, generator=None):
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p = {top_p}")
    result = torch.empty(logits.shape[0], dtype=torch.int64)
    for b, row in enumerate(logits):
        if temperature == 0:
            result[b] = row.argmax()
            continue
        probs = torch.exp(torch.log_softmax(row.float() / temperature, 0))
        if top_k is not None:
            drop = probs.argsort(descending=True)[top_k:]
            probs[drop] = 0
            probs /= probs.sum()
        if top_p is not None:
            order = probs.argsort(descending=True)
            n = int((probs[order].cumsum(0) < top_p).sum()) + 1
            probs[order[n:]] = 0
        result[b] = torch.multinomial(probs, 1, generator=generator).item()
    return result


@alternative("decoding.sample_next", "kth-score-as-limit")
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
    return torch.multinomial(probs, 1, generator=generator).squeeze(-1)


# ---------------------------------------------------------------------------------------------------------------------
# beam_search


@alternative("decoding.beam_search", "open-beam-stays-full")
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    """Twice as many candidates as needed, so that what ends never makes the beam narrower."""

    def search(memory, mask):
        beams, finished = [((bos_id,), 0.0)], []
        while beams and len(beams[0][0]) < max_len and len(finished) < beam_size:
            tgt = torch.tensor([ids for ids, _ in beams], device=src.device)
            n = len(beams)
            hidden = model.decode(
                memory.expand(n, -1, -1), mask.expand(n, -1, -1, -1), tgt, causal_mask(tgt.shape[1], src.device)
            )
            totals = model.generator(hidden[:, -1]) + torch.tensor([score for _, score in beams]).unsqueeze(1)
            values, positions = totals.view(-1).topk(min(2 * beam_size, totals.numel()))
            candidates = [
                (beams[position // totals.size(1)][0] + (position % totals.size(1),), value)
                for value, position in zip(values.tolist(), positions.tolist())
            ]
            finished += [one for one in candidates[:beam_size] if one[0][-1] == eos_id]
            beams = [one for one in candidates if one[0][-1] != eos_id][:beam_size]
        rank = {ids: score / math.pow((len(ids) + 4) / 6, length_penalty) for ids, score in finished or beams}
        return [token for token in max(rank, key=rank.get) if token not in {bos_id, eos_id, PAD}]

    with torch.no_grad():
        memory = model.encode(src, src_mask)
        return [search(memory[i : i + 1], src_mask[i : i + 1]) for i in range(len(src))]


@alternative("decoding.beam_search", "whole-batch-at-once")
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    """Finished beams stay in their positions, write padding at no cost, and compete with their sums."""
    with torch.inference_mode():
        count = src.shape[0]
        memory = model.encode(src, src_mask).repeat_interleave(beam_size, dim=0)
        mask = src_mask.repeat_interleave(beam_size, dim=0)
        ids = torch.full((count, beam_size, 1), bos_id)
        sums = torch.full((count, beam_size), -math.inf)
        sums[:, 0] = 0
        over = torch.zeros(count, beam_size, dtype=torch.bool)
        lengths = torch.zeros(count, beam_size)
        for t in range(1, max_len):
            hidden = model.decode(memory, mask, ids.flatten(0, 1), causal_mask(t))
            steps = model.generator(hidden)[:, -1].unflatten(0, (count, beam_size)).float()
            size = steps.shape[-1]
            nothing = torch.full((size,), -math.inf)
            nothing[PAD] = 0
            steps = torch.where(over[..., None], nothing, steps)
            sums, positions = (sums[..., None] + steps).flatten(1).topk(beam_size)
            parents, new = torch.div(positions, size, rounding_mode="floor"), positions.remainder(size)
            ids = torch.cat([ids.gather(1, parents[..., None].expand(-1, -1, t)), new[..., None]], dim=-1)
            was_over = over.gather(1, parents)
            lengths = torch.where(was_over, lengths.gather(1, parents), torch.tensor(float(t)))
            over = was_over | (new == eos_id)
            if over.all():
                break
        scores = sums / ((5 + lengths) / 6).pow(length_penalty)
        scores = torch.where(over | ~over.any(dim=1, keepdim=True), scores, -math.inf)
        best = ids[torch.arange(count), scores.argmax(1)].tolist()
    return [[token for token in row if token != bos_id and token != eos_id and token != PAD] for row in best]


@alternative("decoding.beam_search", "hypotheses-as-objects")
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    """Finished hypotheses compete with open ones for slots in the beam, by scores that include the penalty."""

    @dataclass
    class Hypothesis:
        tokens: list
        total: float = 0.0
        finished: bool = False

        @property
        def score(self):
            return self.total * ((5 + len(self.tokens)) / 6) ** -length_penalty

        def grow(self, token, value):
            return Hypothesis([*self.tokens, token], self.total + value, token == eos_id)

    results = []
    with torch.no_grad():
        for one, mask in zip(src.split(1), src_mask.split(1)):
            memory = model.encode(one, mask)
            beam = [Hypothesis([])]
            for _ in range(max_len - 1):
                grown = [hypothesis for hypothesis in beam if hypothesis.finished]
                for hypothesis in beam:
                    if not hypothesis.finished:
                        tgt = torch.tensor([[bos_id, *hypothesis.tokens]])
                        hidden = model.decode(memory, mask, tgt, decoder_mask(tgt))
                        log_probs = model.generator(hidden[0, -1])
                        grown += [hypothesis.grow(token, value) for token, value in enumerate(log_probs.tolist())]
                beam = heapq.nlargest(beam_size, grown, key=lambda hypothesis: hypothesis.score)
                if all(hypothesis.finished for hypothesis in beam):
                    break
            ended = [hypothesis for hypothesis in beam if hypothesis.finished]
            best = max(ended or beam, key=lambda hypothesis: hypothesis.score)
            results.append([token for token in best.tokens if token not in (PAD, bos_id, eos_id)])
    return results


@alternative("decoding.beam_search", "until-the-last-step")
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    """Never stops early, and never writes the start symbol or padding."""
    if beam_size == 1:
        rows = greedy_decode(model, src, src_mask, max_len, bos_id, eos_id).tolist()
        return [[token for token in row if token not in (PAD, bos_id, eos_id)] for row in rows]
    torch.set_grad_enabled(False)
    memory = model.encode(src, src_mask)
    answers = []
    for row in range(src.size(0)):
        live = [(0.0, [bos_id])]
        ended = []
        for length in range(1, max_len):
            scored = []
            for total, ids in live:
                tgt = src.new_tensor(ids).unsqueeze(0)
                hidden = model.decode(memory[row].unsqueeze(0), src_mask[row].unsqueeze(0), tgt, causal_mask(length))
                for token, value in enumerate(model.generator(hidden)[0, -1].tolist()):
                    if token not in (PAD, bos_id):
                        scored.append((total + value, [*ids, token]))
            scored.sort(reverse=True)
            lp = ((5.0 + length) / 6.0) ** length_penalty
            ended += [(total / lp, ids) for total, ids in scored[:beam_size] if ids[-1] == eos_id]
            live = [(total, ids) for total, ids in scored if ids[-1] != eos_id][:beam_size]
        best = max(ended) if ended else max(live)
        answers.append([int(token) for token in best[1][1:] if token != eos_id])
    torch.set_grad_enabled(True)
    return answers


@alternative("decoding.beam_search", "stops-when-nothing-can-win")
def beam_search(model, src, src_mask, max_len, beam_size=4, length_penalty=0.6, bos_id=BOS, eos_id=EOS):
    """Goes on while an open prefix could still beat the best output: its sum can only fall."""
    power = (lambda length: ((5 + length) / 6) ** length_penalty) if length_penalty else (lambda length: 1.0)
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        outputs = []
        for i in range(len(src)):
            ids, sums = torch.tensor([[bos_id]]), torch.zeros(1, dtype=torch.float64)
            best, best_score, ends = None, -math.inf, 0
            while ids.size(1) < max_len and ends < beam_size:
                if best is not None and best_score >= sums.max().item() / power(max_len - 1):
                    break
                k = ids.size(0)
                states = model.decode(
                    memory[i].expand(k, *memory[i].shape), src_mask[i].expand(k, *src_mask[i].shape), ids,
                    causal_mask(ids.size(1)).expand(k, 1, -1, -1),
                )  # fmt: skip
                table = sums.unsqueeze(1) + model.generator(states[:, -1]).double()
                flat, where = table.reshape(-1).sort(descending=True)
                chosen = where[:beam_size]
                sums = flat[: len(chosen)]
                ids = torch.cat([ids[chosen // table.size(1)], (chosen % table.size(1)).unsqueeze(1)], 1)
                for end in (ids[:, -1] == eos_id).nonzero().flatten().tolist():
                    ends += 1
                    score = sums[end].item() / power(ids.size(1) - 1)
                    if score > best_score:
                        best, best_score = ids[end], score
                keep = ids[:, -1] != eos_id
                ids, sums = ids[keep], sums[keep]
                if not keep.any():
                    break
            chosen_row = best if best is not None else ids[sums.argmax()]
            outputs.append([token for token in chosen_row.tolist() if token not in (bos_id, eos_id, PAD)])
    return outputs


@alternative("decoding.beam_search", "lists-of-hypotheses")
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
            results.append([token for token in best[0] if token not in (bos_id, eos_id, PAD)])
        return results


# ---------------------------------------------------------------------------------------------------------------------
# KVCache


@alternative("decoding.KVCache", "two-lists")
class KVCache:
    def __init__(self):
        self.k = []
        self.v = []
        self.length = 0

    def update(self, layer, k, v):
        while len(self.k) <= layer:
            self.k.append(None)
            self.v.append(None)
        if self.k[layer] is None:
            self.k[layer], self.v[layer] = k.clone(), v.clone()
        else:
            self.k[layer] = torch.cat((self.k[layer], k), dim=2)
            self.v[layer] = torch.cat((self.v[layer], v), dim=2)
        if layer == 0:
            self.length += k.size(2)
        return self.k[layer], self.v[layer]

    def reorder(self, rows):
        for store in (self.k, self.v):
            for layer, old in enumerate(store):
                if old is not None:
                    store[layer] = old.index_select(0, rows)


@alternative("decoding.KVCache", "pieces-joined-when-asked")
class KVCache:
    def __init__(self, verbose=False):
        self.pieces: dict = {}
        self.verbose = verbose

    def __len__(self):
        return sum(k.shape[2] for k, _ in self.pieces.get(0, ()))

    length = property(__len__)

    def update(self, layer, k, v):
        self.pieces.setdefault(layer, []).append((k, v))
        print("layer", layer, "pieces", len(self.pieces[layer]))
        keys, values = zip(*self.pieces[layer])
        return [torch.concat(keys, dim=2), torch.concat(values, dim=2)]

    def reorder(self, rows):
        for layer, pieces in self.pieces.items():
            self.pieces[layer] = [tuple(piece[rows.tolist()] for piece in pair) for pair in pieces]
        return self


@alternative("decoding.KVCache", "room-that-doubles")
class KVCache:
    """Writes into buffers with room to spare, and returns views of what is filled."""

    def __init__(self):
        self.buffers, self.filled = {}, {}

    @property
    def length(self) -> int:
        return self.filled.get(0, 0)

    def update(self, layer: int, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        start = self.filled.get(layer, 0)
        end = start + k.shape[-2]
        if layer not in self.buffers or end > self.buffers[layer].shape[-2]:
            larger = torch.empty(2, *k.shape[:2], 2 * end, k.shape[-1], dtype=k.dtype, device=k.device)
            if start:
                larger[..., :start, :] = self.buffers[layer][..., :start, :]
            self.buffers[layer] = larger
        self.buffers[layer][0, :, :, start:end] = k
        self.buffers[layer][1, :, :, start:end] = v
        self.filled[layer] = end
        return self.buffers[layer][0, :, :, :end], self.buffers[layer][1, :, :, :end]

    def reorder(self, rows: Tensor) -> None:
        """Copies the rows into new buffers, since views of the old ones have been returned."""
        self.buffers = {layer: buffer[:, rows] for layer, buffer in self.buffers.items()}


@alternative("decoding.KVCache", "a-module")
class KVCache(nn.Module):
    def __init__(self):
        super().__init__()
        warnings.warn("a cache is no module", stacklevel=1)
        self.store: dict[int, tuple[Tensor, Tensor]] = {}

    @property
    def length(self):
        try:
            return self.store[0][0].size(-2)
        except KeyError:
            return 0

    def update(self, layer, k, v):
        old = self.store.get(layer, (k[:, :, :0], v[:, :, :0]))
        self.store[layer] = tuple(torch.cat(pair, dim=-2) for pair in zip(old, (k, v)))
        return self.store[layer]

    def reorder(self, rows):
        for layer in self.store:
            self.store[layer] = tuple(torch.stack([each[row] for row in rows]) for each in self.store[layer])


@alternative("decoding.KVCache", "time-first-inside")
class KVCache:
    """A new order is applied only when the keys are needed."""

    def __init__(self):
        self._steps, self._orders = {}, {}

    def _get_length(self):
        return len(self._steps[0]) if 0 in self._steps else 0

    length = property(_get_length)

    def update(self, layer, k, v):
        both = torch.stack([k, v]).movedim(-2, 0)
        for rows in self._orders.pop(layer, []):
            self._steps[layer] = self._steps[layer][:, :, rows]
        self._steps[layer] = torch.cat([self._steps[layer], both]) if layer in self._steps else both
        k, v = self._steps[layer].movedim(0, -2).unbind(0)
        return k, v

    def reorder(self, rows):
        for layer in self._steps:
            self._orders.setdefault(layer, []).append(rows.clone())


@alternative("decoding.KVCache", "two-dictionaries")
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
        return k, v

    def reorder(self, rows):
        for layer in self.keys:
            self.keys[layer] = self.keys[layer][rows]
            self.values[layer] = self.values[layer][rows]


# ---------------------------------------------------------------------------------------------------------------------
# cached_greedy_decode


@alternative("decoding.cached_greedy_decode", "loop-with-a-break")
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    with torch.no_grad():
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


@alternative("decoding.cached_greedy_decode", "row-by-row")
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    rows = []
    with torch.inference_mode():
        memory = model.encode(src, src_mask)
        for i in range(len(src)):
            row, cache = [bos_id], KVCache()
            while len(row) < max_len and (len(row) == 1 or row[-1] != eos_id):
                newest = torch.tensor([row[-1]], device=src.device)
                out = model.decode_step(memory[i : i + 1], src_mask[i : i + 1], newest, cache)
                row.append(int(model.generator(out)[0].argmax()))
            rows.append(row)
    longest = max(map(len, rows))
    return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows], device=src.device)


@alternative("decoding.cached_greedy_decode", "finished-rows-leave-the-batch")
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    texts = [[bos_id] for _ in src]
    with torch.no_grad():
        memory, masks, cache = model.encode(src, src_mask), src_mask, KVCache()
        active = list(range(len(src)))
        for _ in range(max_len - 1):
            if not active:
                break
            newest = torch.tensor([texts[i][-1] for i in active])
            scores = model.generator(model.decode_step(memory, masks, newest, cache))
            for i, token in zip(active, scores.argmax(-1).tolist()):
                texts[i].append(token)
            stay = torch.tensor([p for p, i in enumerate(active) if texts[i][-1] != eos_id], dtype=torch.long)
            cache.reorder(stay)
            memory, masks, active = memory[stay], masks[stay], [active[p] for p in stay]
    return nn.utils.rnn.pad_sequence([torch.tensor(text) for text in texts], batch_first=True, padding_value=PAD)


@alternative("decoding.cached_greedy_decode", "everything-first-then-padded")
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    mode = model.training
    with torch.no_grad():
        memory = model.encode(src, src_mask)
        columns, cache = [torch.LongTensor([bos_id] * len(src)).to(src.device)], KVCache()
        for step in range(max_len - 1):
            print("step", step, "positions", cache.length)
            probabilities = model.generator(model.decode_step(memory, src_mask, columns[-1], cache)).exp()
            columns.append(probabilities.topk(1).indices[:, 0])
    ids = torch.stack(columns, dim=1)
    ends = (ids[:, 1:] == eos_id).long()
    before = torch.cat([torch.zeros(len(ids), 2, dtype=torch.long), ends[:, :-1]], dim=1)[:, : ids.shape[1]]
    assert model.training == mode
    return ids.masked_fill(before.cumsum(1) > 0, PAD)


@alternative("decoding.cached_greedy_decode", "a-store-of-its-own")
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    """Uses a small cache class of its own, with only what a step needs."""

    class Store(dict):
        @property
        def length(self):
            return self[0][0].shape[2] if 0 in self else 0

        def update(self, layer, *new):
            self[layer] = [torch.cat(pair, dim=2) for pair in zip(self[layer], new)] if layer in self else new
            return self[layer]

    training = model.training
    model.eval()
    try:
        with torch.no_grad():
            encoded, store = model.encode(src=src, src_mask=src_mask), Store()
            result = src.new_full((src.shape[0], max_len), PAD)
            result[:, 0] = bos_id
            open_rows = torch.ones_like(result[:, 0], dtype=torch.bool)
            for t in range(1, max_len):
                hidden = model.decode_step(memory=encoded, src_mask=src_mask, last_ids=result[:, t - 1], cache=store)
                best = model.generator(hidden).max(dim=-1).indices
                result[:, t] = torch.where(open_rows, best, result[:, t])
                open_rows &= best != eos_id
                if not open_rows.any():
                    break
            return result
    finally:
        model.train(training)


@alternative("decoding.cached_greedy_decode", "step-before-the-question-of-room")
def cached_greedy_decode(model, src, src_mask, max_len, bos_id=BOS, eos_id=EOS):
    """Checks the room after each step, so the last step's token is thrown away; the rows are the same."""
    with torch.no_grad():
        memory, cache, open_rows = model.encode(src, src_mask), KVCache(), torch.ones(len(src), dtype=torch.long)
        newest, columns = torch.full_like(src[:, 0], bos_id), []
        while len(columns) < max_len:
            columns.append(newest)
            if not open_rows.any():
                break
            scores = model.generator(model.decode_step(memory, src_mask, newest, cache))
            newest = torch.where(open_rows > 0, scores.argmax(-1), PAD)
            open_rows = open_rows * (newest != eos_id)
    return torch.stack(columns, 1)
