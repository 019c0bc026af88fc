"""Wrong implementations of the tasks of babygpt, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

import torch
from torch import nn

from autograder.course.catalogue import edit, mistake
from solutions.babygpt import BabyGPT as RightBabyGPT
from solutions.babygpt import Block as RightBlock
from solutions.babygpt import Head as RightHead
from solutions.babygpt import MultiHead as RightMultiHead
from solutions.babygpt import generate as right_generate

# ---------------------------------------------------------------------------------------------------------------------
# get_batch


mistake(
    "babygpt.get_batch",
    "targets-not-shifted",
    edit(
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator).tolist()",
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator)",
    ),
    edit("[data[start : start + block_size] for start in starts]", "[data[i : i + block_size] for i in starts]"),
    edit("torch.stack([data[start + 1 : start + 1 + block_size] for start in starts])", "x.clone()"),
    section="next-token",
    why="The loss goes to 0, and the model has learned nothing about text. Your targets are the inputs themselves, "
    "so it only learns to copy. Which token should each position predict?",
    hint="Your `y` equals your `x`. The target of a position is the token that comes *next* in the text, so `y` is cut "
    "out one position later than `x`.",
)


@mistake(
    "babygpt.get_batch",
    "targets-shifted-back",
    section="next-token",
    why="The loss is low, but the model cannot continue a text. Your targets lie one position before the inputs, on "
    "tokens that it has already read. In which direction should they be shifted?",
    hint="Your `y` holds the token *before* each token of `x`. The future is what must be predicted: `y[b, t]` follows "
    "`x[b, t]` in the text.",
)
def get_batch(data, block_size, batch_size, generator=None):
    starts = torch.randint(1, len(data) - block_size, (batch_size,), generator=generator)
    x = torch.stack([data[i : i + block_size] for i in starts])
    y = torch.stack([data[i - 1 : i + block_size - 1] for i in starts])
    return x.long(), y.long()


@mistake(
    "babygpt.get_batch",
    "targets-two-later",
    section="next-token",
    why="Generated text consists of every second token. Your targets lie two positions after the inputs. How often "
    "does your code shift them?",
    hint="Your `y` is two positions after `x`, not one. Does something shift it twice? `y[b, t]` is the token right "
    "after `x[b, t]`.",
)
def get_batch(data, block_size, batch_size, generator=None):
    starts = torch.randint(len(data) - block_size - 1, (batch_size,), generator=generator)
    x = torch.stack([data[i : i + block_size] for i in starts])
    y = torch.stack([data[i + 2 : i + block_size + 2] for i in starts])
    return x.long(), y.long()


mistake(
    "babygpt.get_batch",
    "targets-one-token-short",
    edit("data[start + 1 : start + 1 + block_size]", "data[start + 1 : start + block_size]"),
    section="next-token",
    why="Your `y` has one token less than `x`, so the last input has no target. Your slice starts one later but ends "
    "at the same index. Where must a shifted slice end?",
    hint="Your `y` has `block_size - 1` tokens. A slice that begins one later also ends one later.",
)

mistake(
    "babygpt.get_batch",
    "targets-rolled-inside-the-piece",
    edit(
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator).tolist()",
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator)",
    ),
    edit("[data[start : start + block_size] for start in starts]", "[data[i : i + block_size] for i in starts]"),
    edit("torch.stack([data[start + 1 : start + 1 + block_size] for start in starts])", "torch.roll(x, -1, dims=1)"),
    section="next-token",
    why="The last column of `y` repeats the first column of `x`. You rolled the inputs within each piece, but the "
    "last target lies outside the piece. From where should the targets be cut?",
    hint="The last column of your `y` holds the first column of your `x`. The answer to the last position lies outside "
    "the piece: cut `y` out of `data`, one position later.",
)


@mistake(
    "babygpt.get_batch",
    "pieces-one-token-short",
    section="next-token",
    why="Your pieces are one token too short, so the last position of the context is never trained. You split "
    "`block_size` tokens into inputs and targets. How many tokens of the text does a piece need?",
    hint="Your pieces have one token too few. To have `block_size` inputs *and* `block_size` answers you need "
    "`block_size + 1` tokens of the text.",
)
def get_batch(data, block_size, batch_size, generator=None):
    starts = torch.randint(len(data) - block_size, (batch_size,), generator=generator)
    x = torch.stack([data[i : i + block_size - 1] for i in starts])
    y = torch.stack([data[i + 1 : i + block_size] for i in starts])
    return x.long(), y.long()


mistake(
    "babygpt.get_batch",
    "only-the-last-target",
    edit(
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator).tolist()",
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator)",
    ),
    edit("[data[start : start + block_size] for start in starts]", "[data[i : i + block_size] for i in starts]"),
    edit("[data[start + 1 : start + 1 + block_size] for start in starts]", "[data[i + block_size] for i in starts]"),
    section="next-token",
    why="Your `y` has one token per piece, so all but one of `block_size` examples are thrown away. You kept only "
    "the token after the end. Which positions of a piece does a causal model predict from?",
    hint="Your `y` has one token per piece. A causal model predicts the next token at *every* position, so `y` has the "
    "shape of `x`.",
)

mistake(
    "babygpt.get_batch",
    "last-piece-excluded",
    edit("len(data) - block_size", "len(data) - block_size - 1"),
    section="babygpt-batches",
    why="The last token of the text never appears in `y`. You left out one start too many: `torch.randint` already "
    "excludes its upper end. How many starts leave room for `block_size + 1` tokens?",
    hint="The last token of the text never appears in your `y`. `torch.randint(n, ...)` draws from 0 to n - 1: how "
    "many starts leave room for `block_size + 1` tokens?",
)

mistake(
    "babygpt.get_batch",
    "first-piece-excluded",
    edit(
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator)",
        "torch.randint(1, len(data) - block_size, (batch_size,), generator=generator)",
    ),
    section="babygpt-batches",
    why="The first token of the text never appears in `x`. Your draw begins at 1. From which number are positions "
    "counted?",
    hint="The first token of the text never appears in your `x`. Starts are counted from 0.",
)

mistake(
    "babygpt.get_batch",
    "starts-one-too-far",
    edit("len(data) - block_size", "len(data) - block_size + 1"),
    section="babygpt-batches",
    why="Now and then your code stops with an error about unequal sizes. You drew from one start too many: the largest "
    "leaves no room for `y`, which reaches one token further than `x`. How many starts leave room for both?",
    hint="Now and then your code stops with an error about unequal sizes: the last start leaves no room for `y`, which "
    "reaches one token further than `x`. Draw from one start fewer.",
)

mistake(
    "babygpt.get_batch",
    "starts-anywhere",
    edit("len(data) - block_size", "len(data)"),
    section="babygpt-batches",
    why="Pieces near the end of the text come out too short, and stacking them fails. You drew starts from the whole "
    "text. How many starts leave room for `block_size + 1` tokens?",
    hint="Pieces that start near the end of the text come out too short. Draw starts only where `block_size + 1` "
    "tokens fit.",
)


@mistake(
    "babygpt.get_batch",
    "neighbouring-pieces",
    section="babygpt-batches",
    why="The pieces of a batch overlap almost entirely, so a batch says little more than one piece. You drew one "
    "start and placed all pieces beside it. How many starts does a batch need?",
    hint="The pieces of your batch all lie side by side. Draw a start for every piece, independently of the others.",
)
def get_batch(data, block_size, batch_size, generator=None):
    starts = torch.randint(len(data) - block_size, (1,), generator=generator) + torch.arange(batch_size)
    starts = starts % (len(data) - block_size)
    x = torch.stack([data[i : i + block_size] for i in starts])
    y = torch.stack([data[i + 1 : i + block_size + 1] for i in starts])
    return x.long(), y.long()


mistake(
    "babygpt.get_batch",
    "one-piece-repeated",
    edit(
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator)",
        "torch.randint(len(data) - block_size, (1,), generator=generator).expand(batch_size)",
    ),
    section="babygpt-batches",
    why="All rows of a batch are equal, so it teaches no more than one piece. You drew a single start. How many "
    "starts does a batch need?",
    hint="All rows of your batch are the same piece. Draw `batch_size` starts, not one.",
)


@mistake(
    "babygpt.get_batch",
    "starts-on-a-grid",
    section="babygpt-batches",
    why="Every token always has the same position in its piece and the same context. You drew only multiples of "
    "`block_size`. Which starts leave room for a piece?",
    hint="Your pieces start at multiples of `block_size` only. Every position that leaves room is a possible start, "
    "and all are equally likely.",
)
def get_batch(data, block_size, batch_size, generator=None):
    starts = torch.randint((len(data) - 1) // block_size, (batch_size,), generator=generator) * block_size
    x = torch.stack([data[i : i + block_size] for i in starts])
    y = torch.stack([data[i + 1 : i + block_size + 1] for i in starts])
    return x.long(), y.long()


@mistake(
    "babygpt.get_batch",
    "each-start-once",
    section="babygpt-batches",
    why="A large batch of a short text comes out too small. You took the starts from a permutation, so none can "
    "repeat. May independent draws repeat?",
    hint="Your starts never repeat within a batch, and a large batch of a short text comes out too small. Independent "
    "draws may repeat: use `torch.randint`.",
)
def get_batch(data, block_size, batch_size, generator=None):
    starts = torch.randperm(len(data) - block_size, generator=generator)[:batch_size]
    x = torch.stack([data[i : i + block_size] for i in starts])
    y = torch.stack([data[i + 1 : i + block_size + 1] for i in starts])
    return x.long(), y.long()


@mistake(
    "babygpt.get_batch",
    "sorted-starts",
    section="babygpt-batches",
    why="The rows of a batch come in the order of the text. You sorted the starts, so they are no longer independent "
    "draws. In which order should the starts be used?",
    hint="The rows of your batch come in the order of the text. Leave the starts in the order in which they were drawn.",
)
def get_batch(data, block_size, batch_size, generator=None):
    starts = torch.randint(len(data) - block_size, (batch_size,), generator=generator)
    starts, _ = starts.sort()
    x = torch.stack([data[i : i + block_size] for i in starts])
    y = torch.stack([data[i + 1 : i + block_size + 1] for i in starts])
    return x.long(), y.long()


mistake(
    "babygpt.get_batch",
    "generator-ignored",
    edit(
        "torch.randint(len(data) - block_size, (batch_size,), generator=generator)",
        "torch.randint(len(data) - block_size, (batch_size,))",
    ),
    section="babygpt-batches",
    why="The same generator gives different batches from run to run. You did not use the argument. Which call needs "
    "it?",
    hint="With the same generator your batches differ from run to run. Pass `generator` to the function that draws.",
)

mistake(
    "babygpt.get_batch",
    "always-the-same-batch",
    edit(
        "starts = torch.randint(",
        "generator = torch.Generator().manual_seed(1337) if generator is None else generator\nstarts = torch.randint(",
    ),
    section="babygpt-batches",
    why="Every call returns the same batch, so the model sees a handful of pieces. Without a generator, you make one "
    "with a fixed seed each time. What does None mean for PyTorch's functions?",
    hint="Without a generator you draw the same batch in every call. A seed is set once, outside: `None` means "
    "PyTorch's own generator.",
)

mistake(
    "babygpt.get_batch",
    "generator-started-again",
    edit("generator=generator)", "generator=generator and generator.manual_seed(generator.initial_seed()))"),
    section="babygpt-batches",
    why="The same generator gives the same batch in every call, so training sees one batch only. You reset the "
    "generator to its seed in every call. What does a generator keep from one draw to the next?",
    hint="A second call with the same generator repeats the first batch. A generator is more than its seed: its state "
    "moves on with every draw. Pass the generator itself to the draw, and leave its seed alone.",
)

mistake(
    "babygpt.get_batch",
    "second-half-repeats-the-first",
    edit(
        "starts = torch.randint(len(data) - block_size, (batch_size,), generator=generator)",
        """
        starts = torch.randint(len(data) - block_size, ((batch_size + 1) // 2,), generator=generator)
        starts = torch.cat([starts, starts])[:batch_size]
        """,
    ),
    section="babygpt-batches",
    why="The second half of a batch repeats the first. You drew starts for half of the batch and used them twice. How "
    "many starts does a batch need?",
    hint="The second half of your batch repeats the first. Draw `batch_size` starts, one for each row, independently "
    "of the others.",
)

mistake(
    "babygpt.get_batch",
    "no-start-twice-in-a-batch",
    edit(
        "starts = torch.randint(len(data) - block_size, (batch_size,), generator=generator)",
        """
        positions = len(data) - block_size
        again = batch_size > positions
        starts = torch.multinomial(torch.ones(positions), batch_size, replacement=again, generator=generator)
        """,
    ),
    section="babygpt-batches",
    why="No two rows of a batch ever start at the same position. You drew without replacement, so one row excludes "
    "another. May independent draws repeat?",
    hint="No two rows of your batches ever start at one position, though by chance some would. `torch.randint` draws "
    "each start independently of the others.",
)

mistake(
    "babygpt.get_batch",
    "time-first",
    edit("return x.long(), y.long()", "return x.long().T, y.long().T"),
    section="babygpt-batches",
    why="Your tensors have the shape (block, batch), so a model would read across the pieces. You put time on the "
    "first axis. Which axis comes first everywhere in this course?",
    hint="Your tensors have the shape (block, batch). Rows are pieces: (batch, block).",
)

mistake(
    "babygpt.get_batch",
    "narrow-type-kept",
    edit("return x.long(), y.long()", "return x, y"),
    section="babygpt-batches",
    why="Training fails if the text is stored in a narrow integer type, as files of tokens often are. You kept this "
    "type. Which integer type do embeddings and losses expect?",
    hint="Your batch is not int64 if the text is stored in a narrower type. Convert the pieces to int64.",
)


# ---------------------------------------------------------------------------------------------------------------------
# Head


mistake(
    "babygpt.Head",
    "not-scaled",
    edit("q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])", "q @ k.transpose(-2, -1)"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your weights are too sharp, and training is slow or unstable. You did not scale the scores, which grow with "
    "the width of the head. By which number should they be divided?",
    hint="Your weights are too sharp: the scores are not scaled. Divide them by the square root of the width of a key, "
    "`head_size`.",
)

mistake(
    "babygpt.Head",
    "scaled-by-n-embed",
    edit("math.sqrt(k.shape[-1])", "C**0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your scores are too small. You divided by the root of `n_embed`, but queries and keys are narrower. How "
    "many terms does their dot product have?",
    hint="Your scores are divided by the root of the model's width. Queries and keys have `head_size` entries, and it "
    "is their dot product that must be scaled.",
)

mistake(
    "babygpt.Head",
    "scaled-without-the-root",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1]"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your weights are nearly uniform. You divided the scores by the width of the head. Which function of the "
    "width measures the spread of a dot product?",
    hint="Your weights are too flat: the scores are divided by the head's width. The standard deviation of a dot "
    "product is the *square root* of the width.",
)

mistake(
    "babygpt.Head",
    "weights-scaled",
    edit("q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])", "q @ k.transpose(-2, -1)"),
    edit("self.dropout(scores.softmax(dim=-1))", "self.dropout(scores.softmax(dim=-1)) / k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your weights sum to less than 1 and are as sharp as without a scale. You divided the weights instead of the "
    "scores. On which side of the softmax does the scale belong?",
    hint="Your weights sum to less than 1. The scale belongs to the scores, before the softmax.",
)

mistake(
    "babygpt.Head",
    "no-causal-mask",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit('scores = scores.masked_fill(self.tril[:T, :T] == 0, float("-inf"))', ""),
    base="float-buffer",
    section="v3-self-attention",
    why="The loss goes to almost 0, and generated text is nonsense. You did not hide the future, so the next token is "
    "visible one position to the right. Which step hides it before the softmax?",
    hint="Your output at a position changes when later tokens change: the future is visible. Fill the scores with -inf "
    "where `tril` is 0, before the softmax.",
)

mistake(
    "babygpt.Head",
    "wrong-triangle",
    edit("torch.tril(torch.ones(block_size, block_size))", "torch.triu(torch.ones(block_size, block_size))"),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your head sees the future and nothing of the past. You took the upper triangle. Which columns may row t "
    "allow?",
    hint="Your head looks to the future and not to the past. Row t of the mask may allow columns 0 to t: that is the "
    "*lower* triangle.",
)

mistake(
    "babygpt.Head",
    "mask-transposed-by-inversion",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.tril[:T, :T] == 0", "self.tril[:T, :T] == 1"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your mask forbids the past and allows the future, and the last position of your output is NaN. You filled "
    "where `tril` is 1. Which entries mark what must stay hidden?",
    hint="Your mask forbids what it should allow, and the last position of your output is NaN. Fill where `tril` is 0.",
)

mistake(
    "babygpt.Head",
    "diagonal-forbidden",
    edit(
        "torch.tril(torch.ones(block_size, block_size))",
        "torch.tril(torch.ones(block_size, block_size), diagonal=-1)",
    ),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="The first position of your output is NaN. You forbade the diagonal, so the first position has nothing to "
    "attend to. Does a position know its own token?",
    hint="The first position of your output is NaN, because it may attend to nothing. The diagonal is allowed: a "
    "position knows its own token.",
)

mistake(
    "babygpt.Head",
    "mask-after-softmax",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit('scores = scores.masked_fill(self.tril[:T, :T] == 0, float("-inf"))', ""),
    edit("scores.softmax(dim=-1)", "scores.softmax(dim=-1) * self.tril[:T, :T]"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your weights sum to less than 1, and they still depend on later tokens. You set weights to 0 after the "
    "softmax, whose divisor has already counted the future. Where does the mask belong?",
    hint="Your weights sum to less than 1, and still depend on later tokens. Mask the *scores*, with -inf, before the "
    "softmax.",
)

mistake(
    "babygpt.Head",
    "filled-with-zero",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit('float("-inf")', "0.0"),
    base="float-buffer",
    section="v3-self-attention",
    why="The future still gets weight, often more than the past. You set its scores to 0, and exp(0) is 1. Which "
    "score has the exponential 0?",
    hint="Your head still sees the future: a score of 0 is an ordinary score. Only -inf gets the weight 0.",
)

mistake(
    "babygpt.Head",
    "softmax-over-queries",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("dim=-1", "dim=-2"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your columns sum to 1, not your rows. You took the softmax over the queries. Over which axis should each "
    "query share out its attention?",
    hint="Your columns sum to 1, not your rows. Each query shares out its own attention: softmax over the last axis, "
    "the keys.",
)

mistake(
    "babygpt.Head",
    "queries-and-keys-swapped",
    edit("q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])", "k @ q.transpose(-2, -1) / k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="Copied weights give other results in your `Head`. You multiplied keys by queries, so row i belongs to key i. "
    "To which of the two should a row of scores belong?",
    hint="Rows and columns of your scores are exchanged: row i must hold the scores of *query* i with all keys. Put "
    "the queries on the left of the product.",
)

mistake(
    "babygpt.Head",
    "values-not-projected",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("weights @ v", "weights @ k"),
    base="float-buffer",
    section="v3-self-attention",
    why="The value layer has no effect on your output. You averaged the keys, which serve only to compute the scores. "
    "What should be averaged?",
    hint="Your output does not depend on the value layer. The weights multiply the *values*.",
)

mistake(
    "babygpt.Head",
    "one-layer-for-queries-and-keys",
    edit("self.query(x)", "self.key(x)"),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your scores are symmetric, and the query layer is never trained. You made the queries with the key layer, "
    "too. How many layers do three separate maps need?",
    hint="Your output does not depend on the query layer. Queries, keys and values each have a layer of their own.",
)

mistake(
    "babygpt.Head",
    "layers-with-bias",
    edit("self.key = nn.Linear(n_embed, head_size, bias=False)", "self.key = nn.Linear(n_embed, head_size)"),
    edit("self.query = nn.Linear(n_embed, head_size, bias=False)", "self.query = nn.Linear(n_embed, head_size)"),
    edit("self.value = nn.Linear(n_embed, head_size, bias=False)", "self.value = nn.Linear(n_embed, head_size)"),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="Checkpoints do not fit your head. You gave its three layers biases, which the task excludes. Which argument "
    "of `nn.Linear` controls this?",
    hint="Your layers have biases. An argument of `nn.Linear` switches the bias off, for key, query and value.",
)

mistake(
    "babygpt.Head",
    "tril-as-parameter",
    edit(
        'self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))',
        "self.tril = nn.Parameter(torch.tril(torch.ones(block_size, block_size)))",
    ),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your count of parameters is too large, and the optimiser gets a constant to train. You made it a "
    "parameter. What does a module offer for constants that move with it?",
    hint="`tril` is listed among your parameters. It is a constant that must move with the module: make it a buffer, "
    "with `register_buffer`.",
)

mistake(
    "babygpt.Head",
    "tril-says-what-is-hidden",
    edit("torch.tril(torch.ones(block_size, block_size))", "torch.ones(block_size, block_size).triu(1).bool()"),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.tril[:T, :T] == 0", "self.tril[:T, :T]"),
    base="float-buffer",
    section="v3-self-attention",
    why="Code that reads `tril` gets the wrong keys. Your buffer is true above the diagonal, for the keys that are "
    "hidden. For which keys should `tril` be true?",
    hint="`tril` is inverted: it should be true (or 1) where column <= row, and 0 above the diagonal. Invert it where "
    "you mask.",
)

mistake(
    "babygpt.Head",
    "tril-no-buffer",
    edit(
        'self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))',
        "self.tril = torch.tril(torch.ones(block_size, block_size))",
    ),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="On a GPU the first call fails. Your triangle is a plain attribute, which `model.to(device)` leaves behind. "
    "What does a module offer for constants that move with it?",
    hint="`tril` is no buffer: `model.to(device)` would leave it behind. Register it with `register_buffer`.",
)

mistake(
    "babygpt.Head",
    "mask-not-cut-to-length",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.tril[:T, :T]", "self.tril"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your head fails for sequences shorter than `block_size`, as most prompts are. You used the whole triangle. "
    "Which part of it fits T positions?",
    hint="Your head fails for sequences shorter than `block_size`. Cut the first T rows and columns out of `tril`.",
)


@mistake(
    "babygpt.Head",
    "layers-shared-by-all-modules",
    section="v4-heads",
    why="All heads of one size look for the same thing. You kept the layers outside the object, where the heads share "
    "them. Where should layers be created?",
    hint="Two heads of yours share their weights: what changes one changes the other. Make new layers for every "
    "object, in `__init__`.",
)
class Head(RightHead):
    made = {}

    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__(n_embed, head_size, block_size, dropout)
        for name in ("key", "query", "value"):
            setattr(self, name, self.made.setdefault((n_embed, head_size, name), getattr(self, name)))


mistake(
    "babygpt.Head",
    "dropout-forgotten",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.dropout(scores.softmax(dim=-1))", "scores.softmax(dim=-1)"),
    base="float-buffer",
    section="v10-dropout",
    why="Training has less regularisation than the configuration says, and nothing shows it. You created the dropout "
    "layer and never called it. On which tensor should it act?",
    hint="In training your head drops nothing. Call the dropout on the weights, after the softmax.",
)

mistake(
    "babygpt.Head",
    "dropout-on-the-output",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.dropout(scores.softmax(dim=-1))", "scores.softmax(dim=-1)"),
    edit("weights @ v", "self.dropout(weights @ v)"),
    base="float-buffer",
    section="v10-dropout",
    why="In training single numbers of the output vanish, while whole tokens should be hidden from a query. You "
    "applied dropout to the output of the head. Between which two steps does it belong?",
    hint="Your dropout acts on the head's output. Here it belongs on the attention *weights*, between the softmax and "
    "the values.",
)

mistake(
    "babygpt.Head",
    "dropout-on-the-scores",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.dropout(scores.softmax(dim=-1))", "self.dropout(scores).softmax(dim=-1)"),
    base="float-buffer",
    section="v10-dropout",
    why="In training your output holds NaN. You applied dropout to the masked scores, and a dropped -inf becomes -inf "
    "times 0, which is NaN. On which tensor should it act?",
    hint="Your dropout acts before the softmax, where it turns -inf into NaN. Drop *weights*: softmax first, then "
    "dropout.",
)

mistake(
    "babygpt.Head",
    "dropout-also-in-evaluation",
    edit("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.dropout(scores.softmax(dim=-1))", "F.dropout(scores.softmax(dim=-1), self.p)"),
    base="float-buffer",
    section="v10-dropout",
    why="The same prompt gives another answer each time. The functional dropout assumes training mode unless you say "
    "otherwise. How does a module know its mode?",
    hint="Your head drops weights in evaluation mode too. Use an `nn.Dropout` layer, which knows the mode, or pass the "
    "module's mode to the function.",
)


@mistake(
    "babygpt.Head",
    "renormalised-after-the-mask",
    section="v3-self-attention",
    why="Your weights are NaN where a later key is far more similar than the earlier ones. You masked after the "
    "softmax and divided by the remaining sum, which is 0 there. Where does the mask belong?",
    hint="Your weights are NaN where a later key is far more similar than the earlier ones. Mask the *scores*, with -inf, "
    "before the softmax.",
)
class Head(nn.Module):
    def __init__(self, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.key = nn.Linear(n_embed, head_size, bias=False)
        self.query = nn.Linear(n_embed, head_size, bias=False)
        self.value = nn.Linear(n_embed, head_size, bias=False)
        self.register_buffer("tril", torch.tril(torch.ones(block_size, block_size)))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        length = x.shape[1]
        weights = attention_scores(self.query(x), self.key(x)).softmax(dim=-1) * self.tril[:length, :length]
        weights = weights / weights.sum(dim=-1, keepdim=True)
        return self.dropout(weights) @ self.value(x)


mistake(
    "babygpt.Head",
    "renormalised-with-epsilon",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit(
        'scores = scores.masked_fill(self.tril[:T, :T] == 0, float("-inf"))',
        "weights = scores.softmax(dim=-1) * self.tril[:T, :T]",
    ),
    edit("self.dropout(scores.softmax(dim=-1))", "self.dropout(weights / (weights.sum(dim=-1, keepdim=True) + 1e-9))"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your weights sum to less than 1 where a later key is far more similar than the earlier ones. You masked "
    "after the softmax and divided by the remaining sum plus a small number, which then dominates. Where does the "
    "mask belong?",
    hint="Your weights sum to less than 1 where a later key is far more similar than the earlier ones. Mask the "
    "*scores*, with -inf, before the softmax; then no epsilon is needed.",
)

mistake(
    "babygpt.Head",
    "scores-of-the-first-call",
    edit("self.dropout = nn.Dropout(dropout)", "self.dropout = nn.Dropout(dropout)\nself.scores = {}"),
    edit(
        "scores = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])",
        """
        if T not in self.scores:
            self.scores[T] = q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])
        scores = self.scores[T]
        """,
    ),
    base="float-buffer",
    section="v3-self-attention",
    why="A second input of the same length gets the weights of the first. You stored the scores by length, but they "
    "depend on what the sequence says. Which of your tensors depends on the length alone?",
    hint="A second input of the same length gets the weights of the first. Compute the scores anew in every call: only "
    "`tril` may be kept.",
)

mistake(
    "babygpt.Head",
    "input-averaged",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("weights @ v", "weights @ x"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your output is as wide as the model, and the value layer is never used. You averaged the input itself. What "
    "should be averaged?",
    hint="Your output averages the input, and the value layer is never used. The weights multiply the *values*.",
)

mistake(
    "babygpt.Head",
    "no-softmax",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("scores.softmax(dim=-1)", "scores"),
    base="float-buffer",
    section="v3-self-attention",
    why="Your output is not finite. You multiplied the values by masked scores, which hold minus infinity and do not "
    "sum to 1. Which step turns scores into weights?",
    hint="Your output is not finite: the scores, with minus infinity in them, multiply the values. Turn the scores "
    "into weights first, with the softmax.",
)


# ---------------------------------------------------------------------------------------------------------------------
# MultiHead


mistake(
    "babygpt.MultiHead",
    "heads-in-a-plain-list",
    edit(
        "nn.ModuleList(Head(n_embed, head_size, block_size, dropout) for _ in range(num_heads))",
        "[Head(n_embed, head_size, block_size, dropout) for _ in range(num_heads)]",
    ),
    section="v4-heads",
    why="The optimiser never sees the parameters of your heads, and they are missing from the checkpoint. You kept the "
    "heads in a Python list, into which PyTorch does not look. Which container does it look into?",
    hint="The parameters of your heads are not among `parameters()`. Put the heads into an `nn.ModuleList`.",
)

mistake(
    "babygpt.MultiHead",
    "one-head-many-times",
    edit(
        "(Head(n_embed, head_size, block_size, dropout) for _ in range(num_heads))",
        "([Head(n_embed, head_size, block_size, dropout)] * num_heads)",
    ),
    section="v4-heads",
    why="All heads find the same thing, at the cost of many heads. You multiplied a list, which repeats a reference to "
    "a single head. How do you build separate objects?",
    hint="All your heads are one and the same object. Build each in a loop; `[head] * n` repeats the reference.",
)

mistake(
    "babygpt.MultiHead",
    "heads-in-reverse-order",
    edit("[head(x) for head in self.heads]", "[head(x) for head in reversed(self.heads)]"),
    section="v4-heads",
    why="Weights copied from another model give other results. You put the heads side by side from the last to the "
    "first. Which head comes first?",
    hint="Your heads are concatenated in the wrong order: head 0 comes first, as in the list.",
)

mistake(
    "babygpt.MultiHead",
    "features-interleaved",
    edit(
        "torch.cat([head(x) for head in self.heads], dim=-1)",
        "torch.stack([head(x) for head in self.heads], dim=-1).flatten(-2)",
    ),
    section="v4-heads",
    why="Copied weights meet the wrong entries. You interleaved the heads: the first entry of each, then the second. "
    "How should whole heads be placed along the last axis?",
    hint="The entries of your heads come interleaved. The whole output of head 0 comes first, then all of head 1: "
    "`torch.cat` along the last axis.",
)

mistake(
    "babygpt.MultiHead",
    "concatenated-along-time",
    edit("dim=-1", "dim=1"),
    section="v4-heads",
    why="Your projection does not fit what it gets. You concatenated the heads along time. Along which axis do they "
    "go side by side?",
    hint="Your projection does not fit what it gets: the heads are concatenated along time. They go side by side, "
    "along the last axis.",
)

mistake(
    "babygpt.MultiHead",
    "heads-averaged",
    edit("nn.Linear(num_heads * head_size, n_embed)", "nn.Linear(head_size, n_embed)"),
    edit(
        "torch.cat([head(x) for head in self.heads], dim=-1)",
        "torch.stack([head(x) for head in self.heads]).mean(0)",
    ),
    section="v4-heads",
    why="The projection cannot tell the heads apart. You averaged them into a single vector. How can a position keep "
    "what each head found?",
    hint="Your heads are averaged, so what they found is mixed before the projection. Put them side by side; the "
    "projection decides how to combine them.",
)


@mistake(
    "babygpt.MultiHead",
    "each-head-sees-a-slice",
    section="v4-heads",
    why="Your heads read only a part of the features. You cut the input into pieces. What is small about a head: its "
    "input or its output?",
    hint="Your heads read only a part of the input's features. Every head gets the whole `x`; what is small is its "
    "*output*.",
)
class MultiHead(nn.Module):
    def __init__(self, num_heads, n_embed, head_size, block_size, dropout=0.0):
        super().__init__()
        self.heads = nn.ModuleList([Head(head_size, head_size, block_size, dropout) for _ in range(num_heads)])
        self.proj = nn.Linear(num_heads * head_size, n_embed)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        width = x.shape[-1] // len(self.heads)
        pieces = x.split(width, dim=-1)
        out = torch.cat([head(piece) for head, piece in zip(self.heads, pieces)], dim=-1)
        return self.dropout(self.proj(out))


mistake(
    "babygpt.MultiHead",
    "head-size-divided-again",
    edit("Head(n_embed, head_size, block_size, dropout)", "Head(n_embed, head_size // num_heads, block_size, dropout)"),
    edit("nn.Linear(num_heads * head_size, n_embed)", "nn.Linear(head_size // num_heads * num_heads, n_embed)"),
    section="v4-heads",
    why="Your heads are too narrow. You divided the width by the number of heads a second time. What does "
    "`head_size` already stand for?",
    hint="Your heads are too narrow. `head_size` is the width of each head; the caller has divided already.",
)

mistake(
    "babygpt.MultiHead",
    "projection-from-n-embed",
    edit("nn.Linear(num_heads * head_size, n_embed)", "nn.Linear(n_embed, n_embed)"),
    section="v8-projections",
    why="Your projection fails when the heads together are not `n_embed` wide. You assumed that they are. How wide "
    "are they side by side?",
    hint="Your projection does not fit when the heads together are not `n_embed` wide. Its input is `num_heads * "
    "head_size`.",
)

mistake(
    "babygpt.MultiHead",
    "projection-not-applied",
    edit("self.proj(side_by_side)", "side_by_side"),
    section="v8-projections",
    why="The parameters of `proj` get no gradient, and the heads are never combined. You created the projection and "
    "did not call it. Where does it belong?",
    hint="Your output does not depend on `proj`. Apply it to the concatenated heads.",
)

mistake(
    "babygpt.MultiHead",
    "projection-without-bias",
    edit("nn.Linear(num_heads * head_size, n_embed)", "nn.Linear(num_heads * head_size, n_embed, bias=False)"),
    section="v8-projections",
    why="Checkpoints do not fit your module. Your projection has no bias, while only key, query and value go "
    "without. What is the default of `nn.Linear`?",
    hint="`proj` has no bias. Only key, query and value have none.",
)

mistake(
    "babygpt.MultiHead",
    "relu-after-projection",
    edit("self.proj(side_by_side)", "F.relu(self.proj(side_by_side))"),
    section="v8-projections",
    why="Your output is never negative. You put a ReLU after the projection, but the non-linearity belongs in the "
    "feed-forward network. What follows the projection here?",
    hint="Your output is never negative. The projection is linear, and only dropout follows it.",
)

mistake(
    "babygpt.MultiHead",
    "input-added",
    edit("self.dropout(self.proj(side_by_side))", "x + self.dropout(self.proj(side_by_side))"),
    section="v8-projections",
    why="The input counts twice in each block. You added it inside the attention. Which module adds the shortcut?",
    hint="Your output contains the input itself. The block adds it; attention returns only what it found.",
)

mistake(
    "babygpt.MultiHead",
    "no-dropout-after-projection",
    edit("self.dropout(self.proj(side_by_side))", "self.proj(side_by_side)"),
    section="v10-dropout",
    why="In training no entry of your output is dropped. Dropout acts in two places: on the weights inside the heads "
    "and on one more tensor. Which one did you leave out?",
    hint="In training, no entry of your output is ever dropped. Call a dropout on the result of `proj`.",
)

mistake(
    "babygpt.MultiHead",
    "dropout-before-projection",
    edit("self.dropout(self.proj(side_by_side))", "self.proj(self.dropout(side_by_side))"),
    section="v10-dropout",
    why="In training no entry of your output is 0, because the projection mixes all entries and adds its bias. You "
    "applied dropout to the concatenated heads. After which step does it belong?",
    hint="You drop the heads' outputs, not the projection's. Dropout comes after `proj`.",
)

mistake(
    "babygpt.MultiHead",
    "dropout-around-projection",
    edit(
        "torch.cat([head(x) for head in self.heads], dim=-1)",
        "self.dropout(torch.cat([head(x) for head in self.heads], dim=-1))",
    ),
    section="v10-dropout",
    why="In training the heads' outputs are dropped in addition to the result. You applied dropout on both sides of "
    "the projection. Which of the two does the task ask for?",
    hint="You drop the heads' outputs before `proj` as well as its result. One dropout, after `proj`, is enough.",
)

mistake(
    "babygpt.MultiHead",
    "heads-without-dropout",
    edit("Head(n_embed, head_size, block_size, dropout)", "Head(n_embed, head_size, block_size)"),
    section="v10-dropout",
    why="In training your heads drop no attention weights. You did not pass the probability on. Which constructor "
    "needs it?",
    hint="In training your heads drop no attention weights. Pass `dropout` on when you build them.",
)

mistake(
    "babygpt.MultiHead",
    "dropout-also-in-evaluation",
    edit("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
    edit("self.dropout(self.proj(side_by_side))", "F.dropout(self.proj(side_by_side), self.p)"),
    section="v10-dropout",
    why="Your output has gaps in evaluation mode, too. The functional dropout assumes training mode unless you say "
    "otherwise. How does a module know its mode?",
    hint="Your output has gaps in evaluation mode too. Use an `nn.Dropout` layer, which knows the mode, or pass the "
    "module's mode to the function.",
)


@mistake(
    "babygpt.MultiHead",
    "projection-shared-by-all-modules",
    section="v8-projections",
    why="Changing one module's projection changes another's. You kept it outside the object, where modules share it. "
    "Where should layers be created?",
    hint="Two modules of yours share their projection: what changes one changes the other. Make a new one for every "
    "object, in `__init__`.",
)
class MultiHead(RightMultiHead):
    made = {}

    def __init__(self, num_heads, n_embed, head_size, block_size, dropout=0.0):
        super().__init__(num_heads, n_embed, head_size, block_size, dropout)
        self.proj = self.made.setdefault((num_heads * head_size, n_embed), self.proj)


mistake(
    "babygpt.MultiHead",
    "dropout-of-its-own",
    edit("Head(n_embed, head_size, block_size, dropout)", "Head(n_embed, head_size, block_size, 0.1)"),
    section="v10-dropout",
    why="Your heads drop attention weights even when `dropout` is 0. You wrote a probability into the code. Where "
    "should the argument go?",
    hint="Your heads drop attention weights although `dropout` is 0. Pass the argument on.",
)


# ---------------------------------------------------------------------------------------------------------------------
# Block


mistake(
    "babygpt.Block",
    "no-residual",
    edit("x + self.sa(self.ln1(x))", "self.sa(self.ln1(x))"),
    edit("x + self.ffwd(self.ln2(x))", "self.ffwd(self.ln2(x))"),
    base="short-names",
    section="v7-residual",
    why="A stack of a few blocks hardly learns, because everything must pass through every layer. You did not add "
    "the input to what the sublayers return. Where does each shortcut begin and end?",
    hint="With all its parameters at 0 your block forgets its input. Add the input to what each sublayer returns.",
)

mistake(
    "babygpt.Block",
    "no-attention",
    edit("x = x + self.sa(self.ln1(x))\nx = x + self.ffwd(self.ln2(x))", ""),
    edit("return x", "return x + self.ffwd(self.ln2(x))"),
    base="short-names",
    section="v7-residual",
    why="The last output does not change when the first position does. You built the attention and never called it. "
    "Which two sublayers does `forward` need, in which order?",
    hint="Your block's last output does not change when the first position does: the heads are built and never called. "
    "`forward` needs both sublayers, attention first.",
)

mistake(
    "babygpt.Block",
    "no-residual-around-attention",
    edit("x + self.sa(self.ln1(x))", "self.sa(self.ln1(x))"),
    base="short-names",
    section="v7-residual",
    why="A token's own information survives only if a head attends to it. You left out the shortcut around the "
    "attention. Which tensor should be added to its result?",
    hint="The shortcut around your attention is missing. Both sublayers have one.",
)

mistake(
    "babygpt.Block",
    "no-residual-around-feed-forward",
    edit("x + self.ffwd(self.ln2(x))", "self.ffwd(self.ln2(x))"),
    base="short-names",
    section="v7-residual",
    why="What attention has gathered must pass through the feed-forward network or is lost. You left out the shortcut "
    "around that network. Which tensor should be added to its result?",
    hint="The shortcut around your feed-forward network is missing. Both sublayers have one.",
)

mistake(
    "babygpt.Block",
    "post-norm",
    edit("x + self.sa(self.ln1(x))", "self.ln1(x + self.sa(x))"),
    edit("x + self.ffwd(self.ln2(x))", "self.ln2(x + self.ffwd(x))"),
    base="short-names",
    section="v9-layer-norm",
    why="Your shortcut passes through normalisations, as in the Transformer paper. You normalised the sums. Which "
    "tensor does a pre-norm block normalise?",
    hint="Your block normalises the sum. Normalise what goes *into* each sublayer, and leave the shortcut alone.",
)

mistake(
    "babygpt.Block",
    "norm-on-the-branch",
    edit("self.sa(self.ln1(x))", "self.ln1(self.sa(x))"),
    edit("self.ffwd(self.ln2(x))", "self.ln2(self.ffwd(x))"),
    base="short-names",
    section="v9-layer-norm",
    why="Your sublayers read vectors that may be large or small, and what they add is always equally large. You "
    "normalised their results. Which tensor does a pre-norm block normalise?",
    hint="Your normalisation comes after the sublayer. Normalise the sublayer's input instead.",
)

mistake(
    "babygpt.Block",
    "residual-of-the-normalised",
    edit("self.ln2(x)", "x"),
    edit("x = x + self.sa(self.ln1(x))", "x = self.ln1(x)\nx = x + self.sa(x)\nx = self.ln2(x)"),
    base="short-names",
    section="v9-layer-norm",
    why="The shortcut passes through every normalisation of the model, so it is no shortcut any more. You added the "
    "normalised input. Which x does the shortcut carry?",
    hint="You overwrite `x` with its normalised form and add the result to it. Add the result to the `x` from before "
    "the normalisation.",
)

mistake(
    "babygpt.Block",
    "no-norm",
    edit("self.ln1(x)", "x"),
    edit("self.ln2(x)", "x"),
    base="short-names",
    section="v9-layer-norm",
    why="The vectors grow from block to block, and so do the inputs of the sublayers. You created the normalisations "
    "and never called them. Where does each belong?",
    hint="Your block's normalisations have no effect. Apply one to the input of each sublayer.",
)

mistake(
    "babygpt.Block",
    "no-norm-before-feed-forward",
    edit("self.ln2(x)", "x"),
    base="short-names",
    section="v9-layer-norm",
    why="Your feed-forward network reads the sum of everything so far, which grows with depth. You normalised only "
    "the input of attention. How many normalisations does a block have?",
    hint="The input of your feed-forward network is not normalised. Each of the two sublayers has a normalisation of "
    "its own.",
)

mistake(
    "babygpt.Block",
    "one-norm-for-both",
    edit("self.ln2 = nn.LayerNorm(n_embed)", ""),
    edit("self.ln2(x)", "self.ln1(x)"),
    base="short-names",
    section="v9-layer-norm",
    why="Two sublayers share one scale and one shift. You built a single normalisation. How many does the block need?",
    hint="Your block has a single normalisation. Each sublayer has its own, with its own scale and shift.",
)

mistake(
    "babygpt.Block",
    "gelu-for-relu",
    edit("nn.ReLU()", "nn.GELU()"),
    base="short-names",
    section="v5-feed-forward",
    why="Weights copied from a babyGPT give other results. You used GELU, as GPT-2 does. Which activation does "
    "babyGPT have?",
    hint="Your feed-forward network has another activation. BabyGPT's is ReLU.",
)

mistake(
    "babygpt.Block",
    "no-activation",
    edit(
        """
        nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed), nn.ReLU(), nn.Linear(4 * n_embed, n_embed), nn.Dropout(dropout)
        )
        """,
        """
        nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed),
            nn.Linear(4 * n_embed, n_embed),
            nn.Dropout(dropout),
        )
        """,
    ),
    base="short-names",
    section="v5-feed-forward",
    why="Your feed-forward network is linear, so it computes nothing new. You put two linear layers in a row, which "
    "are one linear layer. What belongs between them?",
    hint="Your feed-forward network is linear. A ReLU belongs between its two layers.",
)

mistake(
    "babygpt.Block",
    "relu-at-the-end",
    edit(
        """
        nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed), nn.ReLU(), nn.Linear(4 * n_embed, n_embed), nn.Dropout(dropout)
        )
        """,
        """
        nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed),
            nn.ReLU(),
            nn.Linear(4 * n_embed, n_embed),
            nn.ReLU(),
            nn.Dropout(dropout),
        )
        """,
    ),
    base="short-names",
    section="v5-feed-forward",
    why="What your feed-forward network adds is never negative, so entries can only grow. You put a second "
    "activation after the last layer. With which step does the network end?",
    hint="What your feed-forward network adds is never negative. Its last layer is linear.",
)

mistake(
    "babygpt.Block",
    "feed-forward-not-widened",
    edit(
        "nn.Linear(n_embed, 4 * n_embed), nn.ReLU(), nn.Linear(4 * n_embed, n_embed)",
        "nn.Linear(n_embed, n_embed), nn.ReLU(), nn.Linear(n_embed, n_embed)",
    ),
    base="short-names",
    section="v5-feed-forward",
    why="Your block has far too few parameters. You made the feed-forward network as wide inside as outside. By which "
    "factor does its first layer widen?",
    hint="Your feed-forward network is too narrow inside. Its first layer leads to `4 * n_embed`, its second back.",
)

mistake(
    "babygpt.Block",
    "parallel-branches",
    edit("x = x + self.sa(self.ln1(x))", "attended = self.sa(self.ln1(x))"),
    edit("x + self.ffwd(self.ln2(x))", "x + attended + self.ffwd(self.ln2(x))"),
    base="short-names",
    section="v7-residual",
    why="Your feed-forward network does not see what attention has gathered. You let both sublayers read the input of "
    "the block. Which tensor should the second one read?",
    hint="Your feed-forward network does not see what attention found. Add attention's result to `x` first, then use "
    "the new `x`.",
)

mistake(
    "babygpt.Block",
    "feed-forward-first",
    edit("x = x + self.sa(self.ln1(x))", ""),
    edit("x = x + self.ffwd(self.ln2(x))", "x = x + self.ffwd(self.ln2(x))\nx = x + self.sa(self.ln1(x))"),
    base="short-names",
    section="v5-feed-forward",
    why="Positions work on their vectors before they have communicated. You called the feed-forward network first. "
    "Which sublayer comes first?",
    hint="Your two sublayers are in the wrong order: attention first, then the feed-forward network.",
)

mistake(
    "babygpt.Block",
    "heads-of-full-width",
    edit("n_embed // num_heads", "n_embed"),
    base="short-names",
    section="v4-heads",
    why="Your attention has about `num_heads` times as many parameters as it should. You made every head as wide as "
    "the model. How do the heads share the width?",
    hint="Your heads are too wide. The width is divided: each head gets `n_embed // num_heads`.",
)

mistake(
    "babygpt.Block",
    "always-one-head",
    edit(
        "MultiHead(num_heads, n_embed, n_embed // num_heads, block_size, dropout)",
        "MultiHead(1, n_embed, n_embed, block_size, dropout)",
    ),
    base="short-names",
    section="v4-heads",
    why="Your block has one head whatever `num_heads` says, and the count of parameters does not show it. You "
    "ignored the argument. Which constructor needs it?",
    hint="Your block has one head whatever `num_heads` says. Pass it to the attention.",
)

mistake(
    "babygpt.Block",
    "dropout-not-handed-on",
    edit(
        "MultiHead(num_heads, n_embed, n_embed // num_heads, block_size, dropout)",
        "MultiHead(num_heads, n_embed, n_embed // num_heads, block_size)",
    ),
    edit(
        """
        nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed), nn.ReLU(), nn.Linear(4 * n_embed, n_embed), nn.Dropout(dropout)
        )
        """,
        """
        nn.Sequential(
            nn.Linear(n_embed, 4 * n_embed),
            nn.ReLU(),
            nn.Linear(4 * n_embed, n_embed),
        )
        """,
    ),
    base="short-names",
    section="v10-dropout",
    why="In training your block drops nothing. You passed the dropout probability to neither sublayer. Which two "
    "parts need it?",
    hint="In training your block drops nothing. Pass `dropout` to the attention, and put a dropout at the end of the "
    "feed-forward network.",
)


@mistake(
    "babygpt.Block",
    "attention-without-dropout",
    section="v10-dropout",
    why="In training your attention drops nothing. You passed the dropout probability to the feed-forward network "
    "alone. Which other constructor needs it?",
    hint="While training, your attention drops nothing. Pass `dropout` to `MultiHead` as well.",
)
class Block(RightBlock):
    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        super().__init__(n_embed, num_heads, block_size, dropout)
        for part in self.attention.modules():
            if isinstance(part, nn.Dropout):
                part.p = 0.0


@mistake(
    "babygpt.Block",
    "dropout-on-the-sum",
    section="v10-dropout",
    why="In training, entries of the residual stream are 0, and every later block lacks them. You applied dropout to "
    "the sum. On which of its terms should it act?",
    hint="While training, entries of your block's output are 0. Drop entries of what a sublayer adds, before it is "
    "added.",
)
class Block(RightBlock):
    def forward(self, x):
        return self.feed_forward[-1](super().forward(x))


mistake(
    "babygpt.Block",
    "input-changed-in-place",
    edit("x = x + self.sa(self.ln1(x))", "x += self.sa(self.ln1(x))"),
    edit("x = x + self.ffwd(self.ln2(x))", "x += self.ffwd(self.ln2(x))"),
    base="short-names",
    section="v7-residual",
    why="After the call, the caller's tensor holds other numbers. You added in place. Which form of the sum makes a "
    "new tensor?",
    hint="After the call of your block, its input holds other numbers. Use a form of the sum that makes a new tensor.",
)


@mistake(
    "babygpt.Block",
    "feed-forward-without-dropout",
    section="v10-dropout",
    why="In training, what your feed-forward network returns is not dropped. You passed the dropout probability to "
    "the attention alone. Where in this network does dropout belong?",
    hint="While training, what your feed-forward network returns is not dropped. Put a dropout at its end.",
)
class Block(RightBlock):
    def __init__(self, n_embed, num_heads, block_size, dropout=0.0):
        super().__init__(n_embed, num_heads, block_size, dropout)
        self.feed_forward[3] = nn.Identity()


mistake(
    "babygpt.Block",
    "no-norm-before-attention",
    edit("self.ln1(x)", "x"),
    base="short-names",
    section="v9-layer-norm",
    why="Your attention reads the sum of everything so far, which grows with depth. You normalised only the input of "
    "the feed-forward network. How many normalisations does a block have?",
    hint="The input of your attention is not normalised. Each of the two sublayers has a normalisation of its own.",
)

mistake(
    "babygpt.Block",
    "first-norm-used-twice",
    edit("self.ln2(x)", "self.ln1(x)"),
    base="short-names",
    section="v9-layer-norm",
    why="The second normalisation never learns. You used the first one before both sublayers. Which layer belongs to "
    "which sublayer?",
    hint="Your block normalises twice with the same layer, and never uses the other one. Each sublayer has its own.",
)


# ---------------------------------------------------------------------------------------------------------------------
# BabyGPT


mistake(
    "babygpt.BabyGPT",
    "no-positions",
    edit("self.wte(ids) + self.wpe(torch.arange(T, device=ids.device))", "self.wte(ids)"),
    base="short-names",
    section="v2-positions",
    why="If one token fills a sequence, all its positions get the same logits. You added no position embeddings, so "
    "attention sees the past as a bag of tokens. Which vectors are missing from the sum?",
    hint="If one token fills a sequence, all its positions get the same logits: the positions are missing. Add the "
    "embeddings of 0 to T - 1.",
)

mistake(
    "babygpt.BabyGPT",
    "positions-of-the-batch",
    edit("self.wpe(torch.arange(T, device=ids.device))", "self.wpe(torch.arange(B, device=ids.device))[:, None]"),
    base="short-names",
    section="v2-positions",
    why="Your logits depend on where a sequence stands in the batch. You counted positions along the batch. Along "
    "which axis do positions run?",
    hint="Your logits depend on a sequence's position in the batch. Positions run along time, from 0 to T - 1.",
)

mistake(
    "babygpt.BabyGPT",
    "positions-backwards",
    edit("torch.arange(T, device=ids.device)", "torch.arange(T - 1, -1, -1, device=ids.device)"),
    base="short-names",
    section="v2-positions",
    why="The logits of a prefix change when the text goes on. You counted positions from the end, so each new token "
    "renumbers the earlier ones. From which end should you count?",
    hint="Your logits for a prefix change when the text goes on. Count positions from the start, 0 to T - 1.",
)

mistake(
    "babygpt.BabyGPT",
    "positions-of-the-whole-block",
    edit("torch.arange(T, device=ids.device)", "torch.arange(self.config.block_size, device=ids.device)"),
    base="short-names",
    section="v2-positions",
    why="Your model fails for sequences shorter than `block_size`, as most prompts are. You added all position "
    "vectors. How many of them does a sequence of T tokens need?",
    hint="Your model fails for sequences shorter than `block_size`. Take the first T position vectors only.",
)

mistake(
    "babygpt.BabyGPT",
    "tokens-as-positions",
    edit("torch.arange(T, device=ids.device)", "ids % self.config.block_size"),
    base="short-names",
    section="v2-positions",
    why="Your model knows nothing of positions. You looked up the position table with token ids, which makes it a "
    "second token embedding. Which numbers should index it?",
    hint="Your position table is indexed by tokens. Index it by positions, from 0 to T - 1.",
)

mistake(
    "babygpt.BabyGPT",
    "blocks-not-applied",
    edit("for block in self.blocks:\n    x = block(x)", ""),
    base="short-names",
    section="v6-blocks",
    why="Your logits do not depend on earlier tokens. You built the blocks and never called them, which leaves a "
    "bigram model with positions. How should `x` pass through them?",
    hint="Your logits do not depend on earlier tokens: the blocks are not called. Send `x` through one after the "
    "other.",
)

mistake(
    "babygpt.BabyGPT",
    "blocks-all-read-the-embedding",
    edit("x = block(x)", "out = block(x)"),
    edit("self.ln_f(x)", "self.ln_f(out)"),
    base="short-names",
    section="v6-blocks",
    why="Only your last block has an effect. You let every block read the embeddings, and kept only the last result. "
    "Which tensor should each block read?",
    hint="Only your last block has an effect. Each block reads what the one before it returned.",
)

mistake(
    "babygpt.BabyGPT",
    "blocks-in-a-plain-list",
    edit(
        """
        nn.ModuleList(
            [
                Block(config.n_embed, config.num_heads, config.block_size, config.dropout)
                for _ in range(config.num_layers)
            ]
        )
        """,
        """
        [
            Block(config.n_embed, config.num_heads, config.block_size, config.dropout) for _ in range(config.num_layers)
        ]
        """,
    ),
    base="short-names",
    section="v6-blocks",
    why="The optimiser never sees the parameters of your blocks. You kept the blocks in a Python list, into which "
    "PyTorch does not look. Which containers does it look into?",
    hint="The parameters of your blocks are not among `parameters()`. Put the blocks into an `nn.ModuleList` or "
    "`nn.Sequential`.",
)

mistake(
    "babygpt.BabyGPT",
    "one-block-many-times",
    edit(
        """
        [
            Block(config.n_embed, config.num_heads, config.block_size, config.dropout)
            for _ in range(config.num_layers)
        ]
        """,
        "[Block(config.n_embed, config.num_heads, config.block_size, config.dropout)] * config.num_layers",
    ),
    base="short-names",
    section="v6-blocks",
    why="Your model has the parameters of a single block. You multiplied a list, which repeats a reference, so all "
    "layers share their weights. How do you build separate objects?",
    hint="All your blocks are one and the same object. Build each in a loop; `[block] * n` repeats the reference.",
)

mistake(
    "babygpt.BabyGPT",
    "one-block-only",
    edit("config.num_layers", "1"),
    section="v6-blocks",
    why="Your model has one block whatever `num_layers` says. You ignored the setting. What should control the "
    "number of blocks?",
    hint="Your model has one block whatever `num_layers` says. Read their number from the configuration.",
)

mistake(
    "babygpt.BabyGPT",
    "heads-and-layers-exchanged",
    edit(
        "Block(config.n_embed, config.num_heads, config.block_size, config.dropout)",
        "Block(config.n_embed, config.num_layers, config.block_size, config.dropout)",
    ),
    edit("range(config.num_layers)", "range(config.num_heads)"),
    section="babygpt-whole",
    why="Your model has as many blocks as it should have heads. You exchanged the two numbers. In which order does "
    "`Block` take its arguments?",
    hint="Your model has `num_heads` blocks of `num_layers` heads. Look at the order of the arguments of `Block`.",
)

mistake(
    "babygpt.BabyGPT",
    "dropout-not-handed-on",
    edit(
        "Block(config.n_embed, config.num_heads, config.block_size, config.dropout)",
        "Block(config.n_embed, config.num_heads, config.block_size)",
    ),
    section="v10-dropout",
    why="In training your model drops nothing. You did not pass the dropout of the configuration to the blocks. "
    "Which constructor needs it?",
    hint="In training your model drops nothing. Pass `config.dropout` to the blocks.",
)

mistake(
    "babygpt.BabyGPT",
    "configuration-not-kept",
    edit("self.config = config", ""),
    section="babygpt-whole",
    why="Generating text fails, because your model has no attribute `config`. You did not keep the configuration, from "
    "which `generate` reads the block size. Where should it be stored?",
    hint="Your model has no attribute `config`. Keep the configuration: `generate` reads the block size from it.",
)

mistake(
    "babygpt.BabyGPT",
    "probabilities-for-logits",
    edit("self.lm_head(self.ln_f(x))", "self.lm_head(self.ln_f(x)).softmax(-1)"),
    base="short-names",
    section="language-model-loss",
    why="Your loss never comes near 0. You returned probabilities, and the loss takes a softmax once more. What does "
    "`F.cross_entropy` expect?",
    hint="Your logits sum to 1: they went through a softmax. Return them as they are; `F.cross_entropy` wants logits.",
)

mistake(
    "babygpt.BabyGPT",
    "softmax-before-the-loss",
    edit("logits.reshape", "logits.softmax(-1).reshape"),
    base="short-names",
    section="language-model-loss",
    why="Your loss never comes near 0. You took a softmax before `F.cross_entropy`, which takes one itself. What "
    "does it expect?",
    hint="Your loss is not the cross-entropy of your logits: there is a softmax too many. `F.cross_entropy` wants "
    "logits.",
)

mistake(
    "babygpt.BabyGPT",
    "loss-summed",
    edit(
        "F.cross_entropy(logits.flatten(0, 1), targets.flatten())",
        'F.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum")',
    ),
    section="language-model-loss",
    why="Your loss and gradients grow with the batch and the context, so a learning rate means something else for "
    "each size. You summed over all positions. Which reduction is independent of their number?",
    hint="Your loss grows with the size of the batch. Take the mean over all B * T positions.",
)

mistake(
    "babygpt.BabyGPT",
    "loss-per-sequence",
    edit(
        "F.cross_entropy(logits.reshape(B * T, -1), targets.reshape(B * T))",
        'F.cross_entropy(logits.reshape(B * T, -1), targets.reshape(B * T), reduction="sum") / B',
    ),
    base="short-names",
    section="language-model-loss",
    why="Your loss is T times too large. You summed over time and averaged over the batch. Over how many positions "
    "should you average?",
    hint="Your loss grows with the length of the sequences. Take the mean over all B * T positions.",
)

mistake(
    "babygpt.BabyGPT",
    "logits-viewed-not-transposed",
    edit("logits.reshape(B * T, -1), targets.reshape(B * T)", "logits.view(B, -1, T), targets"),
    base="short-names",
    section="language-model-loss",
    why="Your loss has the right shape and the wrong numbers. You used `view`, which does not exchange axes, so scores "
    "land at the wrong tokens. How can you bring the classes to the axis that the loss expects?",
    hint="Your loss has the right shape and the wrong numbers. `view` does not exchange axes: flatten to (B * T, V), "
    "or exchange the last two axes.",
)

mistake(
    "babygpt.BabyGPT",
    "shifted-once-more",
    edit(
        "logits.reshape(B * T, -1), targets.reshape(B * T)",
        "logits[:, :-1].reshape(B * (T - 1), -1), targets[:, 1:].reshape(-1)",
    ),
    base="short-names",
    section="language-model-loss",
    why="Your model is trained to predict the token after the next. You shifted the targets inside the model, "
    "although they come shifted from `get_batch`. How often should they be shifted?",
    hint="Your loss compares each position with the target of the next one. The targets come shifted from `get_batch`.",
)

mistake(
    "babygpt.BabyGPT",
    "loss-of-the-last-position",
    edit("logits.reshape(B * T, -1), targets.reshape(B * T)", "logits[:, -1], targets[:, -1]"),
    base="short-names",
    section="language-model-loss",
    why="Most of what a batch can teach is thrown away. You computed the loss at the last position only. How many "
    "positions of a batch have a target?",
    hint="Your loss looks at the last position only. All B * T positions count.",
)

mistake(
    "babygpt.BabyGPT",
    "token-zero-ignored",
    edit(
        "F.cross_entropy(logits.flatten(0, 1), targets.flatten())",
        "F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=0)",
    ),
    section="language-model-loss",
    why="Your loss ignores the token 0. You treated it as padding, but these batches have none. Which targets count?",
    hint="Your loss ignores the token 0. There is no padding in these batches: every target counts.",
)

mistake(
    "babygpt.BabyGPT",
    "no-pair-without-targets",
    edit("logits, None", "logits"),
    section="babygpt-whole",
    why="A caller who unpacks two results gets an error, or the two sequences of a batch. Without targets you return "
    "the logits alone. What should the second result be then?",
    hint="Without targets you return one tensor. It is always a pair: the logits, and the loss or `None`.",
)

mistake(
    "babygpt.BabyGPT",
    "targets-demanded",
    edit("if targets is None:\n    return logits, None", ""),
    section="babygpt-whole",
    why="Your model cannot generate: without targets the call fails. You always compute the loss. What should "
    "`forward` return when there are none?",
    hint="Your model fails without targets, and so it cannot generate. Return the logits and `None` then.",
)


@mistake(
    "babygpt.BabyGPT",
    "token-zero-not-learned",
    section="babygpt-whole",
    why="The embedding of token 0 is never learned. You declared it as padding, but pieces of a text have none. "
    "Which argument of the table stops its gradient?",
    hint="The embedding of token 0 gets no gradient and is never learned. Leave `padding_idx` out of `nn.Embedding`.",
)
class BabyGPT(RightBabyGPT):
    def __init__(self, config):
        super().__init__(config)
        self.token_embedding = nn.Embedding(config.vocab_size, config.n_embed, padding_idx=0)


@mistake(
    "babygpt.BabyGPT",
    "positions-not-learned",
    section="v2-positions",
    why="The position embeddings stay as random as they were made. You froze the table, but GPT learns its "
    "positions. What does a trained table need?",
    hint="The position embeddings get no gradient and stay the random numbers that they were. Let them be trained like "
    "every other parameter.",
)
class BabyGPT(RightBabyGPT):
    def __init__(self, config):
        super().__init__(config)
        self.position_embedding.weight.requires_grad_(False)


@mistake(
    "babygpt.BabyGPT",
    "ids-changed",
    section="babygpt-whole",
    why="After the call, the caller's `ids` have changed, and the last token of the vocabulary is read as the one "
    "before. You limited the ids in place, and the limit is one too low. Which ids are valid?",
    hint="After the call, `ids` are not what they were. Do not use `clamp_` or other methods with an underscore on an "
    "argument; ids from 0 to `vocab_size - 1` are all right.",
)
class BabyGPT(RightBabyGPT):
    def forward(self, ids, targets=None):
        return super().forward(ids.clamp_(max=self.config.vocab_size - 2), targets)


mistake(
    "babygpt.BabyGPT",
    "loss-without-gradients",
    edit("logits.reshape", "logits.detach().reshape"),
    base="short-names",
    section="language-model-loss",
    why="The loss is right, but the model never learns. You detached the logits, so the loss has no gradients. From "
    "which logits should the loss be computed?",
    hint="Your loss has no gradients for the model. Compute it from the logits as they are, without `detach`, `item` "
    "or `no_grad`.",
)

mistake(
    "babygpt.BabyGPT",
    "block-inputs-detached",
    edit("block(x)", "block(x.detach())"),
    base="short-names",
    section="v6-blocks",
    why="Of your blocks, only the last is trained, and the embeddings are not. You detached what each block reads, so "
    "gradients stop there. Which tensor should be passed on?",
    hint="Of your blocks, only the last gets gradients. Pass `x` on as it is.",
)

mistake(
    "babygpt.BabyGPT",
    "logits-flattened-with-targets",
    edit(
        "return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())",
        "logits = logits.flatten(0, 1)\nreturn logits, F.cross_entropy(logits, targets.flatten())",
    ),
    section="language-model-loss",
    why="With targets, your logits no longer say which sequence and position they belong to. You flattened them for "
    "the loss and returned that shape. Which shape does the caller expect?",
    hint="With targets your logits have the shape `(B * T, V)`. Flatten them inside the call of the loss only, and "
    "return `(B, T, V)`.",
)

mistake(
    "babygpt.BabyGPT",
    "last-position-without-targets",
    edit("return logits, None", "return logits[:, [-1]], None"),
    section="language-model-loss",
    why="Without targets, your logits have a single position. You returned the last one, as programs that only "
    "generate text do. Which function should pick the position here?",
    hint="Without targets your logits have a single position. Return those of all: `(B, T, V)`.",
)

mistake(
    "babygpt.BabyGPT",
    "positions-added-after-the-blocks",
    edit(
        "self.token_embedding(ids) + self.position_embedding(positions)",
        "self.token_embedding(ids)",
    ),
    edit(
        "self.to_logits(self.norm(self.blocks(x)))",
        "self.to_logits(self.norm(self.blocks(x) + self.position_embedding(positions)))",
    ),
    section="v2-positions",
    why="Attention cannot tell in which order the tokens stand. You added the positions after the blocks. Before "
    "which step are they needed?",
    hint="Your attention does not know positions: add them to the token embedding, before the blocks.",
)

mistake(
    "babygpt.BabyGPT",
    "positions-from-the-end-of-the-table",
    edit(
        "torch.arange(ids.shape[1], device=ids.device)",
        "torch.arange(self.config.block_size - ids.shape[1], self.config.block_size, device=ids.device)",
    ),
    section="v2-positions",
    why="The same prefix gets other vectors when the text is longer. You took the last rows of the position table. Which "
    "row belongs to the first token?",
    hint="You take the last rows of the position table for a short text. Its first token is at position 0.",
)

# ---------------------------------------------------------------------------------------------------------------------
# generate


mistake(
    "babygpt.generate",
    "prompt-left-out",
    edit("mode = model.training", "length = ids.shape[1]\nmode = model.training"),
    edit("return ids", "return ids[:, length:]"),
    base="probabilities-named",
    section="babygpt-generating",
    why="Your result lacks the prompt. You returned the new tokens only, but callers read and continue the whole "
    "text. Which shape should the result have?",
    hint="Your result lacks the prompt. Return the beginning and its continuation, (B, T + max_new_tokens).",
)

mistake(
    "babygpt.generate",
    "context-not-cropped",
    edit("ids[:, -model.config.block_size :]", "ids"),
    section="babygpt-generating",
    why="Your text cannot grow beyond `block_size`: the model has no more position vectors. You gave it the whole "
    "text so far. Which part may it read?",
    hint="Your text cannot grow beyond `block_size`. Give the model the last `block_size` tokens only.",
)

mistake(
    "babygpt.generate",
    "context-cropped-at-the-wrong-end",
    edit("-model.config.block_size :", ": model.config.block_size"),
    section="babygpt-generating",
    why="Beyond `block_size`, every new token is drawn from the same probabilities. You kept the first `block_size` "
    "tokens, so the model no longer sees what it has just written. Which end of the text should it read?",
    hint="When the text grows longer than `block_size`, your model goes on reading its beginning. It must read the "
    "*last* `block_size` tokens.",
)

mistake(
    "babygpt.generate",
    "context-one-too-short",
    edit("-model.config.block_size", "-model.config.block_size + 1"),
    section="babygpt-generating",
    why="Your model reads one token less than it could, so its predictions are slightly worse. Your slice is too "
    "short. How many tokens may it read?",
    hint="Your model reads one token less than it could. The context is the last `block_size` tokens.",
)

mistake(
    "babygpt.generate",
    "context-of-one-token",
    edit("model.config.block_size", "1"),
    section="babygpt-generating",
    why="Your continuation depends on the last token alone. The model has no memory between two calls, so you turned "
    "it into a bigram model. What should it read at every step?",
    hint="Your continuation depends on the last token alone. The model has no memory: give it the whole context at "
    "every step.",
)

mistake(
    "babygpt.generate",
    "result-cropped-too",
    edit(
        "logits, _ = model(ids[:, -model.config.block_size :]",
        "ids = ids[:, -model.config.block_size :]\nlogits, _ = model(ids",
    ),
    section="babygpt-generating",
    why="The beginning of your result is missing when the text is longer than `block_size`. You shortened the text "
    "itself. Which of the two should be cut: the text or what the model reads?",
    hint="The beginning of your result is missing when it is longer than `block_size`. Crop what the model reads, and "
    "keep the text.",
)

mistake(
    "babygpt.generate",
    "logits-of-the-first-position",
    edit("logits[:, -1]", "logits[:, 0]"),
    section="babygpt-generating",
    why="Your new tokens continue the first token of the text. You used the logits of the first position. Which "
    "position's logits say what comes next?",
    hint="Your new token is predicted from the first token of the text. The last position's logits say what comes "
    "next.",
)

mistake(
    "babygpt.generate",
    "all-tokens-from-one-step",
    edit("logits, _ = model(ids[:, -model.config.block_size :])\nlast = logits[:, -1]", ""),
    edit("model.eval()", "model.eval()\nlogits, _ = model(ids[:, -model.config.block_size :])\nlast = logits[:, -1]"),
    base="probabilities-named",
    section="babygpt-generating",
    why="Your new tokens do not depend on each other. You called the model once and drew all of them from that "
    "answer. What has changed after each new token?",
    hint="Your new tokens do not depend on each other. After each token call the model again, with that token at the "
    "end.",
)

mistake(
    "babygpt.generate",
    "one-token-too-many",
    edit("range(max_new_tokens)", "range(max_new_tokens + 1)"),
    section="babygpt-generating",
    why="You add one token too many. You let the loop run once too often. How many tokens does `max_new_tokens` count?",
    hint="You add one token too many. Count how often your loop runs.",
)

mistake(
    "babygpt.generate",
    "length-in-all",
    edit("range(max_new_tokens)", "range(max_new_tokens - ids.shape[1])"),
    section="babygpt-generating",
    why="Long prompts get too few new tokens, or none. You read the argument as the length of the whole text. What "
    "does `max_new_tokens` count?",
    hint="You add too few tokens for long prompts. `max_new_tokens` counts the *new* ones.",
)

mistake(
    "babygpt.generate",
    "one-draw-for-the-batch",
    edit(
        "torch.multinomial(probabilities, 1, generator=generator)",
        "torch.multinomial(probabilities[:1], 1, generator=generator).expand(len(ids), 1)",
    ),
    base="probabilities-named",
    section="babygpt-generating",
    why="All texts of a batch get the same new token. You drew one for the first text and used it for all. How many "
    "draws does a batch need?",
    hint="All texts of your batch get the same new token. Draw one for each row.",
)

mistake(
    "babygpt.generate",
    "softmax-over-the-batch",
    edit("(logits / temperature).softmax(-1)", "(logits / temperature).softmax(0)"),
    section="babygpt-generating",
    why="With a single text all tokens are equally likely. Your softmax ran over the batch. Over which axis do the "
    "probabilities of a text sum to 1?",
    hint="Your tokens are drawn with the wrong probabilities: the softmax runs over the batch. It should run over the "
    "vocabulary, the last axis.",
)

mistake(
    "babygpt.generate",
    "always-the-most-likely",
    edit(
        """
        if temperature == 0:
            new = last.argmax(dim=-1, keepdim=True)
        else:
            probabilities = (last / temperature).softmax(dim=-1)
            new = torch.multinomial(probabilities, 1, generator=generator)
        """,
        "new = last.argmax(dim=-1, keepdim=True)",
    ),
    base="probabilities-named",
    section="babygpt-temperature",
    why="Your text is the same at every temperature. You always take the most likely token. At which temperature is "
    "this right, and what happens at others?",
    hint="You always take the most likely token. Unless the temperature is 0, draw with `torch.multinomial`.",
)

mistake(
    "babygpt.generate",
    "temperature-ignored",
    edit("last / temperature", "last"),
    base="probabilities-named",
    section="babygpt-temperature",
    why="Your text is equally random at every temperature. You did not use the argument. Where does it enter before "
    "the softmax?",
    hint="Your texts are equally random at every temperature. Divide the logits by it before the softmax.",
)

mistake(
    "babygpt.generate",
    "temperature-multiplied",
    edit("logits / temperature", "logits * temperature"),
    section="babygpt-temperature",
    why="High temperatures make your text more certain, and low ones more random. You multiplied the logits. Which "
    "operation makes a low temperature enlarge differences?",
    hint="Your temperature works the wrong way round. Divide the logits by it: a low temperature enlarges their "
    "differences.",
)

mistake(
    "babygpt.generate",
    "temperature-on-probabilities",
    edit("last / temperature", "last.softmax(dim=-1) / temperature"),
    base="probabilities-named",
    section="babygpt-temperature",
    why="At temperature 1 your tokens are drawn almost uniformly. You divided probabilities by the temperature and "
    "took a second softmax, but probabilities differ by at most 1. What should be divided?",
    hint="At temperature 1 your tokens are nearly uniform: there is a softmax too many. Divide the *logits* by the "
    "temperature, then take one softmax.",
)

mistake(
    "babygpt.generate",
    "temperature-zero-divides",
    edit("last = logits[:, -1]", "last = logits[:, -1]\nprobabilities = (last / temperature).softmax(dim=-1)"),
    edit(
        """
        if temperature == 0:
            new = last.argmax(dim=-1, keepdim=True)
        else:
            probabilities = (last / temperature).softmax(dim=-1)
            new = torch.multinomial(probabilities, 1, generator=generator)
        """,
        "new = torch.multinomial(probabilities, 1, generator=generator)",
    ),
    base="probabilities-named",
    section="babygpt-temperature",
    why="Temperature 0 fails: dividing by 0 gives infinities, and their softmax is NaN. You did not treat this case "
    "separately. Which token does temperature 0 stand for?",
    hint="Temperature 0 fails, because you divide by it. It stands for the most likely token: use argmax then.",
)

mistake(
    "babygpt.generate",
    "negative-temperature-accepted",
    edit('if temperature < 0:\n    raise ValueError(f"temperature must not be negative, but is {temperature}")', ""),
    base="probabilities-named",
    section="babygpt-temperature",
    why="A negative temperature makes the least likely token the most likely, and the caller gets no warning. You "
    "accepted it. How should the function react instead?",
    hint="A negative temperature should be refused. Raise a `ValueError` that says what it was.",
)

mistake(
    "babygpt.generate",
    "generator-ignored",
    edit("torch.multinomial(probabilities, 1, generator=generator)", "torch.multinomial(probabilities, 1)"),
    base="probabilities-named",
    section="babygpt-generating",
    why="The same generator gives different texts from run to run. You did not use the argument. Which call needs it?",
    hint="With the same generator your texts differ from run to run. Pass `generator` to `torch.multinomial`.",
)


@mistake(
    "babygpt.generate",
    "stops-at-a-token",
    section="babygpt-generating",
    why="Your texts end early when a certain token appears. You took it for the end of a text, but babyGPT's "
    "vocabulary has no such token. How many tokens should the result have?",
    hint="Your texts end early when a certain token comes. Here no id means the end: add exactly `max_new_tokens`.",
)
def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):
    for _ in range(max_new_tokens):
        ids = right_generate(model, ids, 1, temperature, generator)
        if bool((ids[:, -1] == 3).all()):
            break
    return ids


mistake(
    "babygpt.generate",
    "model-frozen",
    edit("if temperature < 0:", "model.requires_grad_(False)\nif temperature < 0:"),
    section="babygpt-generating",
    why="After generating, the model cannot be trained any more. You switched off the gradients of its parameters, "
    "which outlasts the call. What switches recording off only for a while?",
    hint="After your call the model's parameters have no gradients any more. Use `torch.no_grad()` around the steps, "
    "and leave the parameters alone.",
)

mistake(
    "babygpt.generate",
    "arguments-in-another-order",
    edit(
        "def generate(model, ids, max_new_tokens, temperature=1.0, generator=None):",
        "def generate(model, ids, max_new_tokens, generator=None, temperature=1.0):",
    ),
    section="babygpt-generating",
    why="`generate(model, ids, 5, 0.8, generator)` fails. You put the generator before the temperature, so positional "
    "arguments are exchanged. Which order does the task give?",
    hint="`generate(model, ids, 5, 0.8, generator)` fails: your arguments stand in another order. Keep that of the "
    "task.",
)

mistake(
    "babygpt.generate",
    "same-draw-at-every-step",
    edit(
        "probabilities = (last / temperature).softmax(dim=-1)",
        """
        probabilities = (last / temperature).softmax(dim=-1)
        generator = torch.Generator().manual_seed(0) if generator is None else generator
        """,
    ),
    base="probabilities-named",
    section="babygpt-generating",
    why="The same prompt always gets the same continuation. Without a generator, you make one with a fixed seed. "
    "What does None mean for PyTorch's functions?",
    hint="Without a generator your text is the same in every call. `None` means PyTorch's own generator, with no seed "
    "set.",
)

mistake(
    "babygpt.generate",
    "seed-set-at-every-step",
    edit(
        "probabilities = (last / temperature).softmax(dim=-1)",
        """
        probabilities = (last / temperature).softmax(dim=-1)
        generator = generator or torch.default_generator
        generator.manual_seed(generator.initial_seed())
        """,
    ),
    base="probabilities-named",
    section="babygpt-generating",
    why="Neighbouring tokens are equal far too often. You set the generator back to its seed before every draw, so all "
    "steps use the same random number. When should a seed be set?",
    hint="Your generator starts anew at every step. Set a seed once, outside: each draw moves the generator on.",
)

mistake(
    "babygpt.generate",
    "left-in-evaluation-mode",
    edit("model.train(mode)", ""),
    base="probabilities-named",
    section="babygpt-generating",
    why="After generating in the middle of training, training goes on without dropout. You left the model in "
    "evaluation mode. Which mode should it have afterwards?",
    hint="After a call of your function, the model is in evaluation mode although it was training. Remember "
    "`model.training` at the start, and restore it.",
)

mistake(
    "babygpt.generate",
    "parts-left-in-evaluation-mode",
    edit("model.train(mode)", "model.training = mode"),
    base="probabilities-named",
    section="babygpt-generating",
    why="After generating, the dropout layers stay in evaluation mode. You set back only the model's own attribute, "
    "while `model.eval()` had changed all its parts. Which call changes them all?",
    hint="After a call of your function, `model.training` is as before, but the parts of the model are in evaluation "
    "mode. A call of `train` sets them all; assigning to `model.training` does not.",
)

mistake(
    "babygpt.generate",
    "left-in-training-mode",
    edit("model.train(mode)", "model.train()"),
    base="probabilities-named",
    section="babygpt-generating",
    why="After generating, a model that was evaluating drops entries. You put it into training mode whatever its "
    "mode was. Which mode should it have afterwards?",
    hint="After a call of your function, the model is in training mode although it was evaluating. Remember "
    "`model.training` at the start, and restore it.",
)

mistake(
    "babygpt.generate",
    "gradients-off-for-good",
    edit("mode = model.training", "torch.set_grad_enabled(False)\nmode = model.training"),
    base="probabilities-named",
    section="babygpt-generating",
    why="After generating, nothing can be trained. You switched gradients off for the whole program. What switches "
    "recording off and restores it by itself?",
    hint="After a call of your function, no gradients are recorded any more. Use `torch.no_grad()` as a decorator or "
    "in a `with` block, which restores what was before.",
)

mistake(
    "babygpt.generate",
    "argument-written-to",
    edit("mode = model.training", "text = ids\nmode = model.training"),
    edit(
        "ids = torch.cat([ids, new], dim=1)",
        "text = torch.cat([text, new], dim=1)\nids[:, :-1] = ids[:, 1:].clone()\nids[:, -1:] = new",
    ),
    base="probabilities-named",
    section="babygpt-generating",
    why="After the call, the caller's prompt is overwritten, and its first tokens are missing from the context. You "
    "moved a window along in place. How can the text grow in a new tensor?",
    hint="After a call of your function, the caller's `ids` hold other tokens. Make a new tensor with `torch.cat` at "
    "every step.",
)

mistake(
    "babygpt.Head",
    "dropout-before-the-mask",
    edit("attention_scores(self.query(x), self.key(x))", "self.dropout(attention_scores(self.query(x), self.key(x)))"),
    edit("self.dropout(scores.softmax(dim=-1))", "scores.softmax(dim=-1)"),
    section="v10-dropout",
    why="In training no allowed weight becomes 0. You applied dropout to the scores, and a score of 0 still earns "
    "weight. On which tensor should it act?",
    hint="Your dropout acts on the scores, where 0 is an ordinary score. Drop *weights*: softmax first, then dropout.",
)

mistake(
    "babygpt.get_batch",
    "inputs-and-targets-exchanged",
    edit("return x.long(), y.long()", "return y.long(), x.long()"),
    section="babygpt-batches",
    why="Your model learns to predict the token before each one. You returned the two results in the wrong order. "
    "Which of them lies later in the text?",
    hint="Your `x` is one step later than your `y`. The targets are the later ones.",
)

mistake(
    "babygpt.get_batch",
    "last-piece-excluded-variant-2",
    edit("len(data) - block_size", "max(1, len(data) - block_size - 1)"),
    section="babygpt-batches",
    why="The last token of the text never appears in `y`. You left out one start too many: `torch.randint` already "
    "excludes its upper end. How many starts leave room for `block_size + 1` tokens?",
    hint="The last token of the text never appears in your `y`. `torch.randint(n, ...)` draws from 0 to n - 1: how "
    "many starts leave room for `block_size + 1` tokens?",
)

mistake(
    "babygpt.Head",
    "scores-of-zero-forbidden",
    edit(
        'scores = scores.masked_fill(~self.tril[:length, :length], float("-inf"))',
        'scores = scores * self.tril[:length, :length]\nscores = scores.masked_fill(scores == 0, float("-inf"))',
    ),
    section="v3-self-attention",
    why="Where a query and a key are perpendicular, your output is wrong or NaN. You marked the future by scores of 0, but a "
    "score of the past may be 0, too. Which tensor says for certain what is the future?",
    hint="You hide every score that is 0, and one of the past may be 0 as well. Take what to hide from `tril`, and not from "
    "the scores.",
)

mistake(
    "babygpt.Head",
    "scaled-twice",
    edit("attention_scores(self.query(x), ", "attention_scores(self.query(x) / self.key.out_features**0.5, "),
    section="v3-self-attention",
    why="Your weights are too even. You scaled the queries, and `attention_scores` scales their products again. By which "
    "number is a score divided in all?",
    hint="Your scores are divided by the width of the head and not by its root. Scale once.",
)

mistake(
    "babygpt.Head",
    "tril-cut-for-good",
    edit(
        "scores = scores.masked_fill(~self.tril[:length, :length]",
        "self.tril = self.tril[:length, :length]\nscores = scores.masked_fill(~self.tril",
    ),
    section="v3-self-attention",
    why="After a short sequence, your head fails on a longer one. You assigned the cut triangle to the buffer. What may "
    "`forward` change in a module?",
    hint="After a short sequence your head fails on a longer one: its triangle was cut for good. Cut it where you use it, and "
    "assign nothing to `self.tril`.",
)

mistake(
    "babygpt.BabyGPT",
    "last-norm-not-used",
    edit("self.norm(self.blocks(x))", "self.blocks(x)"),
    section="babygpt-whole",
    why="The last layer reads vectors that grow with the depth, and one of your norms is never trained. You built a "
    "last norm without calling it. Between which two steps does it belong?",
    hint="Your model has a last layer normalisation that it never calls. It belongs between the blocks and the last layer.",
)

mistake(
    "babygpt.generate",
    "temperature-zero-refused",
    edit("if temperature < 0:", "if temperature <= 0:"),
    section="babygpt-temperature",
    why="Temperature 0 raises an error. Your comparison refuses 0 as well as negative numbers, but 0 has a meaning. "
    "Which token does it ask for?",
    hint="Your function refuses temperature 0, which takes the most likely token. Only negative ones are an error.",
)
