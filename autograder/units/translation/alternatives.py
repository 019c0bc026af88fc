"""Right implementations of the tasks of translation, in other styles than the reference."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.
# ruff: noqa: F811
# mypy: disable-error-code="no-redef"

import io
import itertools
import math
import os
import re
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F

from autograder.course.catalogue import alternative
from solutions import BOS, EOS, PAD
from solutions.bleu import corpus_bleu
from solutions.decoding import beam_search, greedy_decode
from solutions.losses import LabelSmoothing
from solutions.masks import decoder_mask, padding_mask
from solutions.multihead import MultiHeadAttention
from solutions.optim import clip_grad_norm
from solutions.tokens import Vocabulary
from solutions.training import Batch
from solutions.transformer import make_model
from solutions.translation import (
    Resources,
    encode_pairs,
    make_batch,
    pad_rows,
    token_batches,
    training_step,
    translate,
    words,
)

# ---------------------------------------------------------------------------------------------------------------------
# evaluate


@alternative("translation.evaluate", "pair-by-pair")
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    """Without batches, so without padding."""
    tokenizer = tokenizer if tokenizer is not None else model.tokenizer
    before = model.training
    model.eval()
    losses, counts, outputs = [], [], []
    with torch.no_grad():
        for source, target in encode_pairs(pairs, tokenizer):
            src, tgt = torch.tensor([source]), torch.tensor([target])
            mask = padding_mask(src)
            log_probs = model.generator(model(src, tgt[:, :-1], mask, decoder_mask(tgt[:, :-1])))
            losses.append(-log_probs[0].gather(1, tgt[0, 1:, None]).sum().item())
            counts.append(len(target) - 1)
            if beam_size == 1:
                row = greedy_decode(model, src, mask, 2 * len(source) + 10)[0].tolist()
            else:
                row = beam_search(model, src, mask, 2 * len(source) + 10, beam_size)[0]
            outputs.append(tokenizer.decode([one for one in row if one not in (PAD, BOS, EOS)]))
    model.train(before)
    bleu = corpus_bleu([words(one) for one in outputs], [[words(target)] for _, target in pairs])
    return {"bleu": bleu, "loss": sum(losses) / sum(counts) if counts else 0.0}


@alternative("translation.evaluate", "inference-mode")
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    tokenizer = tokenizer or model.tokenizer
    if len(pairs) == 0:
        return {"bleu": 0.0, "loss": 0.0}
    sources, targets = zip(*pairs)
    mode = model.training
    model.train(False)
    try:
        outputs = translate(model, list(sources), tokenizer=tokenizer, beam_size=beam_size)
        batch = Batch(*map(pad_rows, zip(*encode_pairs(pairs, tokenizer))))
        with torch.inference_mode():
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = -log_probs.gather(-1, batch.tgt_y.unsqueeze(-1)).squeeze(-1)[batch.tgt_y != PAD].mean()
    finally:
        model.train(mode)
    score = corpus_bleu(list(map(words, outputs)), [[words(target)] for target in targets])
    return {"bleu": score, "loss": float(loss), "pairs": len(pairs)}


@alternative("translation.evaluate", "own-words")
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    """Splits texts with a regular expression of its own.

    cross_entropy takes log-probabilities, which its log_softmax does not change.
    """
    training = model.training
    model.eval()
    tokenizer = model.tokenizer if tokenizer is None else tokenizer

    def cut(text):
        return re.findall(r"\w+|[^\w\s]", text)

    ids = encode_pairs(pairs, tokenizer)
    total = count = 0
    for start in range(0, len(ids), 4):
        batch = make_batch(ids[start : start + 4]).to("cpu")
        with torch.no_grad():
            logits = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            total += F.cross_entropy(logits.transpose(1, 2), batch.tgt_y, ignore_index=PAD, reduction="sum").item()
        count += batch.ntokens
    outputs = [translate(model, [source], tokenizer, beam_size)[0] for source, _ in pairs]
    model.train(training)
    bleu = corpus_bleu([cut(output) for output in outputs], [[cut(target)] for _, target in pairs])
    return dict(loss=total / max(1, count), bleu=bleu)


@alternative("translation.evaluate", "longest-first")
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    tokenizer = tokenizer or model.tokenizer
    was_training, losses = model.training, {}
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    order = sorted(range(len(ids)), key=lambda position: -len(ids[position][0]))
    with torch.inference_mode():
        for positions in itertools.zip_longest(*[iter(order)] * 3):
            positions = [position for position in positions if position is not None]
            batch = make_batch([ids[position] for position in positions])
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            right = log_probs.gather(2, batch.tgt_y[:, :, None])[:, :, 0]
            for position, row, keep in zip(positions, right, batch.tgt_y != PAD):
                losses[position] = (-row[keep].sum().item(), int(keep.sum()))
        translations = {}
        for position in order:
            translations[position] = translate(model, [pairs[position][0]], tokenizer, beam_size, max_tokens)[0]
    model.train(was_training)
    candidates = [words(translations[position]) for position in range(len(pairs))]
    tokens = sum(count for _, count in losses.values())
    return {
        "bleu": float(corpus_bleu(candidates, [[words(english)] for _, english in pairs])),
        "loss": sum(loss for loss, _ in losses.values()) / tokens if tokens else 0.0,
    }


@alternative("translation.evaluate", "lists-named-first")
def evaluate(model, pairs, tokenizer=None, beam_size=1, max_tokens=4096):
    if tokenizer is None:
        tokenizer = model.tokenizer
    was_training = model.training
    model.eval()
    ids = encode_pairs(pairs, tokenizer)
    limit = max([max_tokens, *(len(source) + len(target) for source, target in ids)])
    loss, tokens = 0.0, 0
    with torch.no_grad():
        for positions in token_batches(ids, limit):
            batch = make_batch([ids[position] for position in positions])
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


@alternative("translation.evaluate", "loss-pair-by-pair")
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
    return {"bleu": corpus_bleu(candidates, references), "loss": loss / max(tokens, 1)}


# ---------------------------------------------------------------------------------------------------------------------
# early_stopping


@alternative("translation.early_stopping", "lowest-first")
def early_stopping(losses, patience):
    if patience < 1:
        raise ValueError("patience has to be a positive whole number")
    numbers = [loss for loss in losses if loss == loss]  # NaN is not equal to itself
    if not numbers:
        return None, False
    best = list(losses).index(min(numbers))
    return best, len(losses) - best > patience


@alternative("translation.early_stopping", "counted-as-they-come")
def early_stopping(losses, patience):
    if not patience >= 1:
        raise ValueError(f"cannot wait for {patience} validations")
    best, lowest, waited = None, math.inf, 0
    for index in range(len(losses)):
        if losses[index] < lowest or (best is None and not math.isnan(losses[index])):
            best, lowest, waited = index, losses[index], 0
        else:
            waited += 1
    return best, waited >= patience and best is not None


@alternative("translation.early_stopping", "by-minimum-of-pairs")
def early_stopping(losses, patience):
    if patience <= 0:
        raise ValueError("patience must be at least 1")
    candidates = [(loss, index) for index, loss in enumerate(losses) if not math.isnan(loss)]
    best = min(candidates)[1] if candidates else None
    recent = range(len(losses) - patience, len(losses))
    return best, best is not None and best not in recent


@alternative("translation.early_stopping", "in-a-tensor")
def early_stopping(losses, patience):
    if int(patience) < 1:
        raise ValueError("patience")
    values = torch.tensor(list(losses), dtype=torch.float64)
    if values.isnan().all():
        return None, False
    best = int(values.nan_to_num(math.inf).argmin())
    return best, bool(len(values) - 1 >= best + patience)


# ---------------------------------------------------------------------------------------------------------------------
# save_checkpoint


@alternative("translation.save_checkpoint", "with-pathlib")
def save_checkpoint(path, model, optimizer, scheduler, position):
    path = Path(path)
    parts = {"model": model, "optimizer": optimizer, "scheduler": scheduler}
    saved = {name: part.state_dict() for name, part in parts.items()}
    saved |= {"random": torch.default_generator.get_state(), "position": position}
    temporary = path.with_name(path.name + ".tmp")
    with temporary.open("wb") as file:
        torch.save(saved, file)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


@alternative("translation.save_checkpoint", "in-memory-first")
def save_checkpoint(path, model, optimizer, scheduler, position):
    buffer = io.BytesIO()
    torch.save(
        dict(
            position=position,
            random=torch.random.get_rng_state(),
            scheduler=scheduler.state_dict(),
            optimizer=optimizer.state_dict(),
            model={name: value.clone() for name, value in model.state_dict().items()},
        ),
        buffer,
    )
    with open(str(path) + "~", "wb") as file:
        file.write(buffer.getvalue())
    os.rename(str(path) + "~", path)


@alternative("translation.save_checkpoint", "tidied-up")
def save_checkpoint(path, model, optimizer, scheduler, position):
    folder, name = os.path.split(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(prefix=name, dir=folder)
    os.close(handle)
    try:
        state = {"random": torch.get_rng_state(), "position": position}
        state["model"] = model.state_dict()
        state["optimizer"] = optimizer.state_dict()
        state["scheduler"] = scheduler.state_dict()
        torch.save(state, temporary)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


# ---------------------------------------------------------------------------------------------------------------------
# load_checkpoint


@alternative("translation.load_checkpoint", "part-by-part")
def load_checkpoint(path, model, optimizer, scheduler):
    state = torch.load(path, map_location="cpu", weights_only=True)
    for name, part in (("scheduler", scheduler), ("optimizer", optimizer), ("model", model)):
        part.load_state_dict(state[name])
    torch.random.set_rng_state(state["random"])
    return state["position"]


@alternative("translation.load_checkpoint", "copied-by-hand")
def load_checkpoint(path, model, optimizer, scheduler):
    with open(path, "rb") as file:
        state = torch.load(file, weights_only=True)
    torch.default_generator.set_state(state.pop("random"))
    own = model.state_dict()
    for name, value in state.pop("model").items():
        own[name].copy_(value)
    optimizer.load_state_dict(state.pop("optimizer"))
    scheduler.load_state_dict(state.pop("scheduler"))
    return state.pop("position")


@alternative("translation.load_checkpoint", "by-default")
def load_checkpoint(path, model, optimizer, scheduler):
    saved = torch.load(str(path))  # weights_only is the default
    model.load_state_dict(saved["model"], strict=True)
    optimizer.load_state_dict(saved["optimizer"])
    scheduler.load_state_dict(saved["scheduler"])
    position, random = saved["position"], saved["random"]
    torch.set_rng_state(random)
    return position


# ---------------------------------------------------------------------------------------------------------------------
# average_gradients


@alternative("translation.average_gradients", "one-exchange")
def average_gradients(model, tokens, all_reduce):
    """All gradients and the number of tokens in one vector."""
    parameters = [one for one in model.parameters() if one.requires_grad]
    gradients = [torch.zeros_like(one) if one.grad is None else one.grad for one in parameters]
    vector = torch.cat([one.flatten() for one in gradients] + [gradients[0].new_tensor([tokens])])
    all_reduce(vector)
    total = round(vector[-1].item())
    vector /= max(total, 1)
    for one, part in zip(parameters, vector[:-1].split([one.numel() for one in parameters])):
        one.grad = part.view_as(one).clone()
    return total


@alternative("translation.average_gradients", "divided-first")
def average_gradients(model, tokens, all_reduce):
    count = torch.tensor([float(tokens)], dtype=torch.float64)
    all_reduce(count)
    total = int(count.item())
    for parameter in filter(lambda one: one.requires_grad, model.parameters()):
        gradient = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad / total
        all_reduce(gradient)
        parameter.grad = gradient
    return total


@alternative("translation.average_gradients", "divided-afterwards")
def average_gradients(model, tokens, all_reduce):
    """Exchanges the gradients of all parameters, frozen ones included."""
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter) if parameter.grad is None else parameter.grad.contiguous()
        all_reduce(parameter.grad)
    total = torch.tensor(int(tokens))
    all_reduce(total)
    if total > 0:
        for parameter in model.parameters():
            parameter.grad.div_(total)
    return int(total)


@alternative("translation.average_gradients", "only-what-somebody-has")
def average_gradients(model, tokens, all_reduce):
    """First asks which processes have which gradient; a parameter that no process has used keeps none."""
    parameters = [one for one in model.parameters() if one.requires_grad]
    there = torch.tensor([tokens] + [int(one.grad is not None) for one in parameters])
    all_reduce(there)
    total, *owners = there.tolist()
    for parameter, owned in zip(parameters, owners):
        if owned:
            if parameter.grad is None:
                parameter.grad = parameter.new_zeros(parameter.shape)
            all_reduce(parameter.grad)
            parameter.grad.mul_(1 / max(total, 1))
    return total


# ---------------------------------------------------------------------------------------------------------------------
# training_resources


@alternative("translation.training_resources", "counted-on-modules")
def training_resources(num_layers, d_model, num_heads, vocab_size, rows, length, seconds, peak, devices=1):
    d = d_model
    linear = [(d, d)] * 4 + [(d, 4 * d), (4 * d, d)]
    layer = sum(inner * outer + outer for inner, outer in linear) + 2 * (2 * d)
    parameters = num_layers * layer + 2 * d + (vocab_size + length) * d
    multiplied = num_layers * sum(inner * outer for inner, outer in linear) + vocab_size * d
    per_token = 6 * multiplied + 12 * num_layers * d * length
    operations = rows * length * per_token
    kept = [34 * rows * length * d + 5 * rows * num_heads * length**2 for _ in range(num_layers)]
    return Resources(parameters, sum(kept), operations, operations / seconds / (devices * peak))


@alternative("translation.training_resources", "forward-and-twice-backward")
def training_resources(num_layers, d_model, num_heads, vocab_size, rows, length, seconds, peak, devices=1):
    hidden = 4 * d_model
    attention = 4 * d_model * (d_model + 1)
    feed_forward = d_model * hidden + hidden + hidden * d_model + d_model
    parameters = num_layers * (attention + feed_forward + 4 * d_model) + 2 * d_model
    parameters += d_model * vocab_size + d_model * length
    weights = num_layers * (4 * d_model**2 + 2 * d_model * hidden) + d_model * vocab_size
    products = 2 * num_layers * (2 * d_model * length)  # queries with keys, weights with values
    forward = rows * length * (2 * weights + products)
    operations = forward + 2 * forward
    numbers = num_layers * rows * (34 * length * d_model + 5 * num_heads * length * length)
    return Resources(
        operations=operations,
        utilisation=(operations / seconds) / (peak * devices),
        activation_bytes=numbers,
        parameters=parameters,
    )


@alternative("translation.training_resources", "in-fractions-of-d")
def training_resources(num_layers, d_model, num_heads, vocab_size, rows, length, seconds, peak, devices=1):
    tokens = rows * length
    body = num_layers * (12 * d_model * d_model + 13 * d_model) + 2 * d_model
    tables = d_model * (vocab_size + length)
    flops = 72 * num_layers * tokens * d_model**2
    flops += 6 * tokens * vocab_size * d_model + 12 * num_layers * d_model * tokens * length
    memory = tokens * d_model * num_layers * (34 + 5 * num_heads * length / d_model)
    return Resources(body + tables, round(memory), flops, flops / (seconds * devices * peak))


# ---------------------------------------------------------------------------------------------------------------------
# attention_maps


@alternative("translation.attention_maps", "every-second-module")
def attention_maps(model, src, tgt):
    mode = model.training
    model.eval()
    with torch.inference_mode():
        memory = model.encode(src, padding_mask(src))
        model.decode(memory, padding_mask(src), tgt, decoder_mask(tgt))
    model.train(mode)
    above = [module.weights[0] for module in model.encoder.modules() if isinstance(module, MultiHeadAttention)]
    below = [module.weights[0] for module in model.decoder.modules() if isinstance(module, MultiHeadAttention)]
    return {
        "cross": torch.stack(below[1::2]).clone(),
        "decoder": torch.stack(below[::2]).clone(),
        "encoder": torch.stack(above).clone(),
    }


@alternative("translation.attention_maps", "hooks")
def attention_maps(model, src, tgt):
    """Hooks read the weights of each attention as soon as it has been called."""
    found = {"encoder": [], "decoder": [], "cross": []}
    handles = []
    for name, module in model.named_modules():
        if isinstance(module, MultiHeadAttention):
            kind = "cross" if "cross" in name else name.split(".")[0]
            handles.append(
                module.register_forward_hook(lambda one, *_, kind=kind: found[kind].append(one.weights.detach()[0]))
            )
    training = model.training
    model.train(False)
    try:
        model(src, tgt)
    finally:
        for handle in handles:
            handle.remove()
        model.train(training)
    return {kind: torch.stack(layers) for kind, layers in found.items()}


@alternative("translation.attention_maps", "detached")
def attention_maps(model, src, tgt):
    if model.training:
        model.eval()
        maps = attention_maps(model, src, tgt)
        model.train()
        return maps
    model(src, tgt, padding_mask(src), decoder_mask(tgt))
    maps = {}
    for name, layers, kind in (
        ("encoder", model.encoder.layers, "self_attention"),
        ("decoder", model.decoder.layers, "self_attention"),
        ("cross", model.decoder.layers, "cross_attention"),
    ):
        first = getattr(layers[0], kind).weights
        maps[name] = first.new_empty((len(layers), *first.shape[1:]))
        for position, layer in enumerate(layers):
            maps[name][position] = getattr(layer, kind).weights.squeeze(0)
        maps[name] = maps[name].detach()
    return maps


@alternative("translation.attention_maps", "weights-by-hand")
def attention_maps(model, src, tgt):
    """Collects with a small class that keeps the order of calls."""

    class Collector(list):
        def of(self, layers, kind):
            self[:] = [getattr(layer, kind).weights for layer in layers]
            return torch.cat(list(self), dim=0)

    before = {module: module.training for module in model.modules()}
    model.eval()
    torch.set_grad_enabled(False)
    try:
        model.generator(model(src, tgt))
    finally:
        torch.set_grad_enabled(True)
    for module, training in before.items():
        module.training = training
    collector = Collector()
    return {
        "encoder": collector.of(model.encoder.layers, "self_attention"),
        "decoder": collector.of(model.decoder.layers, "self_attention"),
        "cross": collector.of(model.decoder.layers, "cross_attention"),
    }


@alternative("translation.attention_maps", "lists-first")
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
    return {name: torch.stack([weights[0] for weights in layers]) for name, layers in maps.items()}


# ---------------------------------------------------------------------------------------------------------------------
# read_alignment


@alternative("translation.read_alignment", "max-with-positions")
def read_alignment(weights):
    return [int(position) for position in weights.max(dim=-1)[1]]


@alternative("translation.read_alignment", "lists")
def read_alignment(weights):
    return [row.index(max(row)) for row in weights.tolist()]


@alternative("translation.read_alignment", "loops")
def read_alignment(weights):
    links = []
    for target in range(weights.shape[0]):
        best = 0
        for source in range(1, weights.shape[1]):
            if weights[target, source] > weights[target, best]:
                best = source
        links.append(best)
    return links


@alternative("translation.read_alignment", "stable-sort")
def read_alignment(weights):
    return weights.sort(dim=1, descending=True, stable=True).indices[:, 0].tolist()


# ---------------------------------------------------------------------------------------------------------------------
# train_translator


@alternative("translation.train_translator", "drawn-batches")
def train_translator(pairs, seed=0):
    """Pairs drawn anew for every step, and plain dictionaries for vocabularies."""
    torch.manual_seed(seed)
    sides = [[words(text) for text in texts] for texts in zip(*pairs)]
    tables = [{word: 4 + n for n, word in enumerate(sorted({*itertools.chain(*side)}))} for side in sides]
    sources = [[tables[0][word] for word in text] + [EOS] for text in sides[0]]
    targets = [[BOS] + [tables[1][word] for word in text] + [EOS] for text in sides[1]]
    model = make_model(len(tables[0]) + 4, len(tables[1]) + 4, 1, 64, 256, 4, 0.0)
    steps = min(400, 4 * len(pairs))
    adam = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.98), eps=1e-9)
    for step in range(steps):
        for group in adam.param_groups:
            group["lr"] = 4e-3 * min((step + 1) / 100, 1 - step / steps)
        drawn = [torch.randint(len(pairs), ()).item() for _ in range(64)]
        batch = Batch(pad_rows([sources[n] for n in drawn]), pad_rows([targets[n] for n in drawn]))
        adam.zero_grad()
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        loss = F.cross_entropy(log_probs.flatten(0, 1), batch.tgt_y.flatten(), ignore_index=PAD, label_smoothing=0.1)
        loss.backward()
        clip_grad_norm(model.parameters(), 1.0)
        adam.step()
    model.eval()
    spelled = {number: word for word, number in tables[1].items()}

    def translator(sentences):
        src = pad_rows([[tables[0].get(word, 1) for word in words(text)] + [EOS] for text in sentences])
        written = greedy_decode(model, src, padding_mask(src), 30).tolist()
        return [" ".join(spelled[one] for one in row if one in spelled) for row in written]

    return model, translator


@alternative("translation.train_translator", "method-of-the-model")
def train_translator(pairs, seed=0):
    """The vocabularies live in the model, and translate is one of its methods. No smoothing, cosine schedule."""
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))

    class Translator(nn.Module):
        def __init__(self):
            super().__init__()
            self.net = make_model(len(german), len(english), 1, 64, 192, 2, dropout=0.0)

        @torch.inference_mode()
        def translate(self, sentences):
            self.eval()
            texts = []
            for start in range(0, len(sentences), 50):
                src = pad_rows([german.encode(text, add_eos=True) for text in sentences[start : start + 50]])
                texts += map(english.decode, greedy_decode(self.net, src, padding_mask(src), 40).tolist())
            return texts

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = Translator()
    rows = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    epochs, size, order = 5, 64, torch.Generator().manual_seed(seed)
    optimizer = torch.optim.AdamW(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
    steps = epochs * math.ceil(len(rows) / size)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 4e-3, total_steps=steps + 1, pct_start=0.2)
    for _ in range(epochs):
        for chosen in torch.randperm(len(rows), generator=order).split(size):
            batch = make_batch([rows[position] for position in chosen.tolist()])
            log_probs = model.net.generator(model.net(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            optimizer.zero_grad()
            F.nll_loss(log_probs.flatten(0, 1), batch.tgt_y.flatten(), ignore_index=PAD).backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return model.eval(), model.translate


@alternative("translation.train_translator", "one-vocabulary-and-beams")
def train_translator(pairs, seed=0):
    """One vocabulary for both languages, the step of this unit with two micro-batches, and a small beam."""
    torch.manual_seed(seed)
    both = Vocabulary.from_texts(itertools.chain.from_iterable(pairs), words)
    model = make_model(len(both), len(both), 1, 64, 256, 4, dropout=0.0)
    ids = [(both.encode(de, add_eos=True), both.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    generator = torch.Generator().manual_seed(seed)
    batches = [batch for _ in range(6) for batch in token_batches(ids, 500, generator)]
    steps = list(zip(batches[::2], batches[1::2]))
    optimizer = torch.optim.Adam(model.parameters(), lr=4e-3, betas=(0.9, 0.98))
    decay = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda k: min((k + 1) / 80, 1 - k / (len(steps) + 1)))

    def loss_fn(log_probs, targets):
        return F.nll_loss(log_probs, targets, ignore_index=PAD, reduction="sum")

    for step in steps:
        micro = [make_batch([ids[position] for position in positions]) for positions in step]
        training_step(model, micro, loss_fn, optimizer, decay, max_norm=1.0)
    model.eval()

    def translator(sentences):
        texts = []
        for sentence in sentences:
            src = torch.tensor([both.encode(sentence, add_eos=True)])
            with torch.no_grad():
                texts.append(both.decode(beam_search(model, src, padding_mask(src), 30, beam_size=2)[0]))
        return texts

    return model, translator


@alternative("translation.train_translator", "averaged-weights")
def train_translator(pairs, seed=0):
    """A constant rate after the warm-up; the model that translates has the running average of the weights."""
    torch.manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), 1, 64, 256, 4, 0.0)
    average = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.98))
    adam = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
    loss_fn, generator, step = LabelSmoothing(len(english), PAD, 0.1), torch.Generator().manual_seed(seed), 0
    for _ in range(6):
        for positions in token_batches(ids, 1000, generator):
            step += 1
            adam.param_groups[0]["lr"] = 3e-3 * min(1, step / 100)
            training_step(model, [make_batch([ids[position] for position in positions])], loss_fn, adam, None, 1.0)
            average.update_parameters(model)
    trained = average.module.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        return [english.decode(row) for row in greedy_decode(trained, src, padding_mask(src), 40).tolist()]

    return trained, translator


@alternative("translation.train_translator", "constant-rate")
def train_translator(pairs, seed=0):
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    german, english = (Vocabulary.from_texts(texts, words) for texts in zip(*pairs))
    ids = [(german.encode(de, add_eos=True), english.encode(en, add_bos=True, add_eos=True)) for de, en in pairs]
    model = make_model(len(german), len(english), num_layers=1, d_model=64, d_ff=256, num_heads=4, dropout=0.0)
    loss_fn = LabelSmoothing(len(english), PAD, smoothing=0.1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.002, betas=(0.9, 0.98))
    for _ in range(6):
        for positions in token_batches(ids, 1100, generator):
            training_step(
                model, [make_batch([ids[position] for position in positions])], loss_fn, optimizer, max_norm=1.0
            )
    model.eval()

    def translator(sentences):
        src = pad_rows([german.encode(sentence, add_eos=True) for sentence in sentences])
        rows = greedy_decode(model, src, padding_mask(src), 2 * src.shape[1] + 10)
        return [english.decode(row) for row in rows.tolist()]

    return model, translator
