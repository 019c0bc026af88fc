"""One head or many, with the same number of parameters: which is better depends on what is asked of them.

Two retrieval tasks and a language model. In the retrieval tasks a memory holds items, each a key and a value, and one
question asks for the values of some keys, in order. "Four looks": 4 questions at once, 16 items. "One look": a single
question, but 32 items with keys that must be told apart from 255 others. Chance is 1 in 16 in both.
"""

import record
import torch
from pages import course_text
from torch import nn
from torch.nn import functional as F

from solutions.attention import scaled_dot_product_attention
from solutions.masks import causal_mask
from solutions.multihead import merge_heads, split_heads

WHAT = (
    "Accuracy (share of values retrieved) and validation loss (nats per character) of one attention layer of width 64, "
    "its width shared among 1 to 16 heads."
)
WIDTH, VALUES, HEADS = 64, 16, (1, 2, 4, 8, 16)
LOOKS = {  # task: questions at once, items in memory, different keys
    "four looks": (4, 16, 32),
    "four looks, full width": (4, 16, 32),  # the other fair comparison: heads of width 64, or one of width 256
    "one look": (1, 32, 256),
}
BLOCK, BATCH = 48, 32


class Attention(nn.Module):
    """Multi-head attention whose heads may have any width: with ``H * width`` = 64 it is the course's."""

    def __init__(self, num_heads, width):
        super().__init__()
        self.num_heads = num_heads
        self.w_q, self.w_k, self.w_v = (nn.Linear(WIDTH, num_heads * width) for _ in range(3))
        self.w_o = nn.Linear(num_heads * width, WIDTH)

    def forward(self, query, memory, mask=None):
        projected = self.w_q(query), self.w_k(memory), self.w_v(memory)
        q, k, v = (split_heads(x, self.num_heads) for x in projected)
        return self.w_o(merge_heads(scaled_dot_product_attention(q, k, v, mask)[0]))


class Retrieval(nn.Module):
    """Asks a memory of keys and values for the values of some keys."""

    def __init__(self, attention, questions, keys):
        super().__init__()
        self.attention = attention
        self.key, self.value = nn.Embedding(keys, WIDTH), nn.Embedding(VALUES, WIDTH)
        self.ask = nn.Embedding(questions * keys, WIDTH)  # each question has its own vectors for the keys
        self.first = keys * torch.arange(questions)
        self.answer = nn.Linear(WIDTH, questions * VALUES)

    def forward(self, keys, values, asked):
        """``keys``, ``values`` (B, items) and ``asked`` (B, questions) to logits (B, questions, VALUES)."""
        question = self.ask(self.first + asked).sum(1, keepdim=True)
        found = self.attention(question, self.key(keys) + self.value(values))
        return self.answer(found).unflatten(-1, (-1, VALUES)).squeeze(1)


def memories(size, questions, items, keys, generator):
    """A batch: keys without repetition, their values, the keys asked for, and the values that are right."""
    held = torch.rand(size, keys, generator=generator).argsort(-1)[:, :items]
    values = torch.randint(VALUES, (size, items), generator=generator)
    places = torch.rand(size, items, generator=generator).argsort(-1)[:, :questions]
    return held, values, held.gather(1, places), values.gather(1, places)


def retrieve(task, num_heads, width, seed, steps):
    """Train on one retrieval task; ``(accuracy, parameters of the attention)``."""
    torch.manual_seed(seed)
    generator = torch.Generator().manual_seed(seed)
    questions, items, keys = LOOKS[task]
    model = Retrieval(Attention(num_heads, width), questions, keys)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, fused=True)
    for _ in range(steps):
        *asked, right = memories(64, questions, items, keys, generator)
        step(optimizer, F.cross_entropy(model(*asked).flatten(0, 1), right.flatten()))
    with torch.no_grad():
        *asked, right = memories(2000, questions, items, keys, generator)
        accuracy = (model(*asked).argmax(-1) == right).double().mean().item()
    return accuracy, size_of(model.attention)


class Reader(nn.Module):
    """A language model of characters with one attention layer and one feed-forward layer."""

    def __init__(self, attention, characters):
        super().__init__()
        self.attention = attention
        self.token, self.place = nn.Embedding(characters, WIDTH), nn.Embedding(BLOCK, WIDTH)
        self.feed_forward = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.ReLU(), nn.Linear(4 * WIDTH, WIDTH))
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(3))
        self.predict = nn.Linear(WIDTH, characters)

    def forward(self, ids):
        x = self.token(ids) + self.place.weight
        normed = self.norms[0](x)
        x = x + self.attention(normed, normed, causal_mask(BLOCK))
        x = x + self.feed_forward(self.norms[1](x))
        return self.predict(self.norms[2](x))


def read(text, num_heads, width, seed, steps):
    """Train on the first 90 % of the text; ``(loss on the rest, parameters of the attention)``."""
    torch.manual_seed(seed)
    ids, characters = record.encode(text)
    data, rest = ids[: len(ids) * 9 // 10], ids[len(ids) * 9 // 10 :]
    model = Reader(Attention(num_heads, width), characters)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3, fused=True)
    for _ in range(steps):
        starts = torch.randint(len(data) - BLOCK, (BATCH, 1))
        window = data[starts + torch.arange(BLOCK + 1)]
        step(optimizer, F.cross_entropy(model(window[:, :-1]).flatten(0, 1), window[:, 1:].flatten()))
    windows = rest[: (len(rest) - 1) // BLOCK * BLOCK + 1].unfold(0, BLOCK + 1, BLOCK)[:400]
    with torch.no_grad():
        loss = F.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten()).item()
    return loss, size_of(model.attention)


def step(optimizer, loss):
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def size_of(module):
    return sum(parameter.numel() for parameter in module.parameters())


def run(reduced=False, corpus=None):
    """For each task its settings: the heads, their width, the parameters, and the values of every seed."""
    text = course_text(corpus)
    seeds, steps = (range(1), {"look": 200, "read": 20}) if reduced else (range(3), {"look": 500, "read": 200})
    heads = {"four looks": (1, 4), "one look": (1, 16), "text": (1, 4)} if reduced else {}
    settings = {task: [(count, WIDTH // count) for count in heads.get(task, HEADS)] for task in (*LOOKS, "text")}
    settings["four looks, full width"] = [(1, 4 * WIDTH), (4, WIDTH)]
    jobs = [(task, *one, seed, steps, text) for task in settings for one in settings[task] for seed in seeds]
    found = record.results_of(train_one, jobs, reduced)
    values = {job[:4]: value for job, (value, _) in zip(jobs, found)}
    sizes = {job[:3]: size for job, (_, size) in zip(jobs, found)}

    def row(task, count, width):
        spread = record.spread([values[task, count, width, seed] for seed in seeds])
        return {"heads": count, "width": width, "parameters": sizes[task, count, width], **spread}

    results = {task: [row(task, *one) for one in settings[task]] for task in settings}
    return results | {"steps": steps, "characters of text": len(text)}


def train_one(task, num_heads, width, seed, steps, text):
    """The value and the size of one setting with one seed."""
    if task == "text":
        return read(text, num_heads, width, seed, steps["read"])
    return retrieve(task, num_heads, width, seed, steps["look"])


def claims(results):
    """What the chapter says."""
    four, one, text, wide = (results[name] for name in ("four looks", "one look", "text", "four looks, full width"))
    of_four, of_one, of_text = ({row["heads"]: row["values"] for row in rows} for rows in (four, one, text))
    found = {
        "in each comparison all settings have the same number of parameters": all(
            len({row["parameters"] for row in rows}) == 1 for rows in (four, one, wide, text)
        ),
        "for four looks, four heads retrieve more than one head, whatever the seeds": (
            min(of_four[4]) > max(of_four[1])
        ),
        "that holds for heads of full width against one head of fourfold width, too": (
            min(wide[1]["values"]) > max(wide[0]["values"])
        ),
        "for one look, one head retrieves more than 16 heads, whatever the seeds": (min(of_one[1]) > max(of_one[16])),
    }
    if 16 in of_text:  # it takes more steps than the reduced form has
        on_text = "on the text, one head has a lower loss than 16 heads, whatever the seeds"
        found[on_text] = max(of_text[1]) < min(of_text[16])
    return found


if __name__ == "__main__":
    record.main(globals())
