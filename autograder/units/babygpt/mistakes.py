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
    why="The targets are the inputs themselves. The model has to predict the token that it has just been given, so it "
    "learns to copy, its loss goes to 0, and it has learned nothing about text.",
    hint="Your `y` equals your `x`. The target of a position is the token that comes *next* in the text, so `y` is cut "
    "out one position later than `x`.",
)


@mistake(
    "babygpt.get_batch",
    "targets-shifted-back",
    section="next-token",
    why="The targets are one position before the inputs instead of one position after. The model has to predict the "
    "token before each position, which from the second position on it has already read.",
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
    why="The targets are two positions after the inputs. The model learns to leave out a token, and generated text "
    "consists of every second one.",
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
    why="The slice of the targets begins one later and ends where the one of the inputs does. It has one token less, "
    "and the last input has no target.",
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
    why="The inputs were rolled by one position to make the targets. All are right but the last of each piece, which "
    "is its own first token instead of the token that follows in the text.",
    hint="The last column of your `y` holds the first column of your `x`. The answer to the last position lies outside "
    "the piece: cut `y` out of `data`, one position later.",
)


@mistake(
    "babygpt.get_batch",
    "pieces-one-token-short",
    section="next-token",
    why="A piece of block_size tokens was split into inputs and targets. Both are then one token short, and the last "
    "position of the context is never trained.",
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
    why="There is one target for each piece, the token after its end. Every position of a piece is a question with an "
    "answer, so all but one of block_size examples are thrown away.",
    hint="Your `y` has one token per piece. A causal model predicts the next token at *every* position, so `y` has the "
    "shape of `x`.",
)

mistake(
    "babygpt.get_batch",
    "last-piece-excluded",
    edit("len(data) - block_size", "len(data) - block_size - 1"),
    section="babygpt-batches",
    why="The last position where a piece can start is never drawn. torch.randint excludes its upper end already, so "
    "subtracting one more loses the end of the text.",
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
    why="The draw begins at 1, so no piece begins with the first token of the text. Positions count from 0.",
    hint="The first token of the text never appears in your `x`. Starts are counted from 0.",
)

mistake(
    "babygpt.get_batch",
    "starts-one-too-far",
    edit("len(data) - block_size", "len(data) - block_size + 1"),
    section="babygpt-batches",
    why="The largest start leaves room for x but not for y, whose last token would lie beyond the text. Slicing does "
    "not complain: that one y is a token short, and stacking fails, but only now and then.",
    hint="Now and then your code stops with an error about unequal sizes: one start is too late for `y`, which reaches "
    "one token further than `x`.",
)

mistake(
    "babygpt.get_batch",
    "starts-anywhere",
    edit("len(data) - block_size", "len(data)"),
    section="babygpt-batches",
    why="Starts are drawn from the whole text, without leaving room for the piece. Pieces near the end are cut off by "
    "slicing, and stacking pieces of unequal lengths fails.",
    hint="Pieces that start near the end of the text come out too short. Draw starts only where `block_size + 1` "
    "tokens fit.",
)


@mistake(
    "babygpt.get_batch",
    "neighbouring-pieces",
    section="babygpt-batches",
    why="One start was drawn, and the pieces of the batch begin there, one token apart. They share nearly all their "
    "tokens, so a batch says hardly more than a single piece.",
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
    why="One start was drawn and used for the whole batch. All rows are equal, so a batch costs batch_size times as "
    "much as one piece and teaches the same.",
    hint="All rows of your batch are the same piece. Draw `batch_size` starts, not one.",
)


@mistake(
    "babygpt.get_batch",
    "starts-on-a-grid",
    section="babygpt-batches",
    why="Only multiples of block_size are drawn, as if the text had been cut into pieces once and for all. A token "
    "then always has the same position in its piece, and the same little context before it.",
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
    why="The starts were taken from a permutation, so no two are equal. The draws then depend on each other, and a "
    "batch that is larger than the number of starts comes out too small.",
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
    why="The starts were sorted. Neighbouring rows then come from neighbouring positions of the text, so the rows are "
    "no independent draws.",
    hint="The rows of your batch come in the order of the text. Leave the starts in the order in which they were "
    "drawn: each row on its own.",
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
    why="The argument generator is not used. A caller who passes one to get the same batches again gets other ones.",
    hint="With the same generator your batches differ from run to run. Hand `generator` on to the function that draws.",
)

mistake(
    "babygpt.get_batch",
    "always-the-same-batch",
    edit(
        "starts = torch.randint(",
        "generator = torch.Generator().manual_seed(1337) if generator is None else generator\nstarts = torch.randint(",
    ),
    section="babygpt-batches",
    why="Without a generator, a new one with a fixed seed is made in every call. Every batch is then the same, and the "
    "model sees a handful of pieces for its whole training.",
    hint="Without a generator you draw the same batch in every call. A seed is set once, outside: `None` means "
    "PyTorch's own generator.",
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
    why="Starts are drawn for half of the batch only, and used twice. Each start is as likely as any other, but half "
    "of the work of a training step is done twice.",
    hint="Rows of your batch come in pairs. Draw `batch_size` starts, one for each row, independently of the others.",
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
    why="The starts of a batch are drawn without replacement, as long as there are enough of them. They are then not "
    "independent: what one row has, another cannot have.",
    hint="No two rows of your batches ever start at one position, though by chance some would. `torch.randint` draws "
    "each start independently of the others.",
)

mistake(
    "babygpt.get_batch",
    "time-first",
    edit("return x.long(), y.long()", "return x.long().T, y.long().T"),
    section="babygpt-batches",
    why="The tensors were returned with time on the first axis. In this course the batch comes first: a model would "
    "read across the pieces.",
    hint="Your tensors have the shape (block, batch). Rows are pieces: (batch, block).",
)

mistake(
    "babygpt.get_batch",
    "narrow-type-kept",
    edit("return x.long(), y.long()", "return x, y"),
    section="babygpt-batches",
    why="The batch has the type in which the text is stored. An embedding and a loss want int64, so a text of 16-bit "
    "numbers, as files of tokens are, stops the training.",
    hint="Your batch is not int64 if the text is stored in a narrower type. Convert the pieces with `.long()`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# Head


mistake(
    "babygpt.Head",
    "not-scaled",
    edit("q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])", "q @ k.transpose(-2, -1)"),
    base="float-buffer",
    section="v3-self-attention",
    why="The dot products are not divided by the root of the head's width. They grow with the width, the softmax "
    "saturates, and training is slow or unstable.",
    hint="Your weights are too sharp: the scores are not scaled. Divide them by the square root of the width of a key, "
    "`head_size`.",
)

mistake(
    "babygpt.Head",
    "scaled-by-n-embed",
    edit("math.sqrt(k.shape[-1])", "C**0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="The scores are divided by the root of n_embed. A dot product of a query and a key has head_size terms, so "
    "that is the number that matters; the two agree only for a single head of full width.",
    hint="Your scores are divided by the root of the model's width. Queries and keys have `head_size` entries, and it "
    "is their dot product that must be scaled.",
)

mistake(
    "babygpt.Head",
    "scaled-without-the-root",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1]"),
    base="float-buffer",
    section="v3-self-attention",
    why="The scores are divided by head_size instead of its square root. They become too small, and the weights nearly "
    "uniform.",
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
    why="The weights are divided by the root of the width, not the scores. The softmax is then as sharp as without any "
    "scale, and the weights no longer sum to 1.",
    hint="Your weights sum to less than 1. The scale belongs to the scores, before the softmax.",
)

mistake(
    "babygpt.Head",
    "no-causal-mask",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit('scores = scores.masked_fill(self.tril[:T, :T] == 0, float("-inf"))', ""),
    base="float-buffer",
    section="v3-self-attention",
    why="Nothing hides the future. In training the next token lies in plain sight one position to the right, so the "
    "loss goes to almost 0 and generated text is nonsense.",
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
    why="The upper triangle is allowed instead of the lower one. Every position sees itself and the future, and "
    "nothing of the past.",
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
    why="The positions where tril is 1 were filled with -inf. This forbids the past and the token itself and allows "
    "the future; the last row allows nothing and becomes NaN.",
    hint="Your mask forbids what it should allow, and its last row is NaN. Fill where `tril` is 0.",
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
    why="A position may not attend to itself. Its own token is known, since the task is to predict the next one; and "
    "the first position is left with nothing to attend to, which makes its row NaN.",
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
    why="The weights of the future were set to 0 after the softmax. The others no longer sum to 1, and their size "
    "still depends on the future through the denominator.",
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
    why="Scores of the future were set to 0. The softmax turns a score of 0 into a share of exp(0) = 1, so the future "
    "still gets weight, often more than the past.",
    hint="Your head still sees the future: a score of 0 is an ordinary score. Only -inf gets the weight 0.",
)

mistake(
    "babygpt.Head",
    "softmax-over-queries",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("dim=-1", "dim=-2"),
    base="float-buffer",
    section="v3-self-attention",
    why="The softmax runs over the queries, so columns sum to 1 instead of rows. The first key then shares its weight "
    "among all later queries.",
    hint="Your columns sum to 1, not your rows. Each query shares out its own attention: softmax over the last axis, "
    "the keys.",
)

mistake(
    "babygpt.Head",
    "queries-and-keys-swapped",
    edit("q @ k.transpose(-2, -1) / math.sqrt(k.shape[-1])", "k @ q.transpose(-2, -1) / k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="The scores are keys times queries. Rows then belong to keys, so a position finds what would look for it, and "
    "copied weights give other results.",
    hint="Rows and columns of your scores are exchanged: row i must hold the scores of *query* i with all keys, q @ "
    "k.transpose(-2, -1).",
)

mistake(
    "babygpt.Head",
    "values-not-projected",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("weights @ v", "weights @ k"),
    base="float-buffer",
    section="v3-self-attention",
    why="The weights multiply the keys. What a position is found by and what it hands over are two different things, "
    "and the value layer stays unused.",
    hint="Your output does not depend on the value layer. The weights multiply the *values*.",
)

mistake(
    "babygpt.Head",
    "one-layer-for-queries-and-keys",
    edit("self.query(x)", "self.key(x)"),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    base="float-buffer",
    section="v3-self-attention",
    why="The key layer makes the queries too. The scores are then symmetric, so one token finds another exactly as "
    "relevant as the other way round, and the query layer is never trained.",
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
    why="The three layers have biases. The specification says that they have none: a checkpoint of one cannot be "
    "loaded into the other.",
    hint="Your layers have biases. Give `nn.Linear` the argument `bias=False` for key, query and value.",
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
    why="The triangle is a parameter. The optimiser is handed a constant: weight decay alone would shrink it, and the "
    "count of parameters is wrong.",
    hint="`tril` is listed among your parameters. It is a constant that must move with the module: "
    '`self.register_buffer("tril", ...)`.',
)

mistake(
    "babygpt.Head",
    "tril-says-what-is-hidden",
    edit("torch.tril(torch.ones(block_size, block_size))", "torch.ones(block_size, block_size).triu(1).bool()"),
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.tril[:T, :T] == 0", "self.tril[:T, :T]"),
    base="float-buffer",
    section="v3-self-attention",
    why="The buffer is true for the keys that are hidden, above the diagonal. Your own head reads it that way, but "
    "code that reads `tril`, the lower triangle, takes it for the keys that may be seen.",
    hint="`tril` is upside down: it should be true (or 1) where column <= row, and 0 above the diagonal. Turn it round "
    "where you mask.",
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
    why="The triangle is a plain attribute. It does not move with model.to(device), so on a GPU the first call fails.",
    hint='`tril` is no buffer: `model.to(device)` would leave it behind. Use `self.register_buffer("tril", ...)`.',
)

mistake(
    "babygpt.Head",
    "mask-not-cut-to-length",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("self.tril[:T, :T]", "self.tril"),
    base="float-buffer",
    section="v3-self-attention",
    why="The whole triangle is used whatever the length of the input. A sequence shorter than block_size, as every "
    "prompt is, does not fit.",
    hint="Your head fails for sequences shorter than `block_size`. Cut the first T rows and columns out of `tril`.",
)


@mistake(
    "babygpt.Head",
    "layers-shared-by-all-modules",
    section="v4-heads",
    why="The three layers were kept outside the object, so that all heads of one size have the same weights. Several "
    "heads then all look for the same.",
    hint="Two heads of yours share their weights: what changes one changes the other. Make the layers anew in "
    "`__init__`, with `self.key = nn.Linear(...)`.",
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
    why="The dropout layer is created and never called. Training then has less regularisation than the configuration "
    "says, without any sign of it.",
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
    why="Dropout acts on the output of the head instead of on its weights. Entries of the averages vanish, where whole "
    "tokens should be hidden from a query.",
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
    why="Dropout acts on the scores. A dropped score becomes 0, which is no small score, and the scores that stay are "
    "enlarged.",
    hint="Your dropout acts before the softmax, where 0 is an ordinary score. Drop *weights*: softmax first, then "
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
    why="F.dropout was called without its argument training, which is True by default. It drops in evaluation mode as "
    "well, so the same prompt gives another answer every time.",
    hint="Your head drops weights in evaluation mode too. Use an `nn.Dropout` layer, which knows the mode, or pass "
    "`training=self.training`.",
)


@mistake(
    "babygpt.Head",
    "renormalised-after-the-mask",
    section="v3-self-attention",
    why="The weights of the future were set to 0 after the softmax, and the rest divided by its sum. If a later key is "
    "far more similar than those before it, it has taken the whole row, and what is left is 0 / 0.",
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
    why="The weights of the future were set to 0 after the softmax, and the rest divided by its sum and a small number. "
    "If a later key is far more similar than those before it, the sum is smaller than that number.",
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
    why="The scores of the first sequence of a length are kept and used for all later ones. Only the mask depends on "
    "the length alone; scores depend on what the sequence says.",
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
    why="The weights multiply the input itself. The value layer stays unused, and the output is as wide as the model "
    "instead of as wide as the head.",
    hint="Your output averages the input, and the value layer is never used. The weights multiply the *values*.",
)

mistake(
    "babygpt.Head",
    "no-softmax",
    edit("math.sqrt(k.shape[-1])", "k.shape[-1] ** 0.5"),
    edit("scores.softmax(dim=-1)", "scores"),
    base="float-buffer",
    section="v3-self-attention",
    why="The masked scores multiply the values without a softmax. They are no weights: they hold minus infinity, and "
    "do not sum to 1.",
    hint="Your output is not finite: the scores, with minus infinity in them, multiply the values. The softmax turns "
    "them into weights first.",
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
    why="The heads are in a Python list, which PyTorch does not look into. Their parameters are unknown to the "
    "optimiser, to .to(device) and to the checkpoint, and stay as they were made.",
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
    why="A list was multiplied, so it holds the same head many times over. All heads share their weights and find the "
    "same, at the cost of many.",
    hint="All your heads are one and the same object. Build each in a loop; `[head] * n` repeats the reference.",
)

mistake(
    "babygpt.MultiHead",
    "heads-in-reverse-order",
    edit("[head(x) for head in self.heads]", "[head(x) for head in reversed(self.heads)]"),
    section="v4-heads",
    why="The outputs are put side by side from the last head to the first. A model trained so works, but weights "
    "copied from another model give other results.",
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
    why="The outputs were stacked on a new last axis and flattened, which interleaves them: first entry of each head, "
    "second entry of each head, and so on. Copied weights then meet the wrong entries.",
    hint="The entries of your heads come interleaved. The whole output of head 0 comes first, then all of head 1: "
    "`torch.cat` along the last axis.",
)

mistake(
    "babygpt.MultiHead",
    "concatenated-along-time",
    edit("dim=-1", "dim=1"),
    section="v4-heads",
    why="The outputs were put one after the other along time. There are then num_heads times as many positions of "
    "width head_size, which do not fit the projection.",
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
    why="The outputs of the heads were averaged. What each of them found is blurred into one vector of width "
    "head_size, and the projection cannot tell the heads apart.",
    hint="Your heads are averaged, so their findings mix before anyone can use them. Put them side by side; the "
    "projection decides how to combine them.",
)


@mistake(
    "babygpt.MultiHead",
    "each-head-sees-a-slice",
    section="v4-heads",
    why="The input was cut into pieces, one for each head. A head then sees only its share of the features; it should "
    "read all of them and choose with its own projections.",
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
    why="The width of a head was divided by the number of heads. The argument head_size is the width of one head "
    "already.",
    hint="Your heads are too narrow. `head_size` is the width of each head; the caller has divided already.",
)

mistake(
    "babygpt.MultiHead",
    "projection-from-n-embed",
    edit("nn.Linear(num_heads * head_size, n_embed)", "nn.Linear(n_embed, n_embed)"),
    section="v8-projections",
    why="The projection expects n_embed inputs. The heads together are num_heads * head_size wide, which is the same "
    "number only if the caller made it so.",
    hint="Your projection does not fit when the heads together are not `n_embed` wide. Its input is `num_heads * "
    "head_size`.",
)

mistake(
    "babygpt.MultiHead",
    "projection-not-applied",
    edit("self.proj(side_by_side)", "side_by_side"),
    section="v8-projections",
    why="The projection is created and never called. The heads' findings lie side by side and are never combined, and "
    "the layer's parameters get no gradient.",
    hint="Your output does not depend on `proj`. Apply it to the concatenated heads.",
)

mistake(
    "babygpt.MultiHead",
    "projection-without-bias",
    edit("nn.Linear(num_heads * head_size, n_embed)", "nn.Linear(num_heads * head_size, n_embed, bias=False)"),
    section="v8-projections",
    why="The projection has no bias. The layers inside a head have none, the projection has one.",
    hint="`proj` has no bias. Only key, query and value go without.",
)

mistake(
    "babygpt.MultiHead",
    "relu-after-projection",
    edit("self.proj(side_by_side)", "F.relu(self.proj(side_by_side))"),
    section="v8-projections",
    why="A ReLU follows the projection. What attention adds to the input could then only be positive; the "
    "non-linearity belongs to the feed-forward network.",
    hint="Your output is never negative. The projection is linear, nothing but dropout follows it.",
)

mistake(
    "babygpt.MultiHead",
    "input-added",
    edit("self.dropout(self.proj(side_by_side))", "x + self.dropout(self.proj(side_by_side))"),
    section="v8-projections",
    why="The input is added inside the attention. The residual connection is the business of the block; added in both "
    "places, the input counts twice.",
    hint="Your output contains the input itself. The block adds it; attention returns only what it found.",
)

mistake(
    "babygpt.MultiHead",
    "no-dropout-after-projection",
    edit("self.dropout(self.proj(side_by_side))", "self.proj(side_by_side)"),
    section="v10-dropout",
    why="Nothing is dropped after the projection. Dropout acts in two places: on the weights inside the heads, and "
    "here.",
    hint="In training, no entry of your output is ever dropped. Call a dropout on the result of `proj`.",
)

mistake(
    "babygpt.MultiHead",
    "dropout-before-projection",
    edit("self.dropout(self.proj(side_by_side))", "self.proj(self.dropout(side_by_side))"),
    section="v10-dropout",
    why="Dropout acts on the concatenated heads, before the projection. The projection then mixes the gaps into every "
    "entry, and its bias is never dropped.",
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
    why="Dropout acts on the concatenated heads and once more on the result of the projection. What the heads found is "
    "then dropped twice over, beside what they drop of their weights.",
    hint="You drop the heads' outputs before `proj` as well as its result. One dropout, after `proj`, is enough.",
)

mistake(
    "babygpt.MultiHead",
    "heads-without-dropout",
    edit("Head(n_embed, head_size, block_size, dropout)", "Head(n_embed, head_size, block_size)"),
    section="v10-dropout",
    why="The dropout probability is not handed to the heads. Their attention weights are never dropped, whatever the "
    "configuration says.",
    hint="In training your heads drop no attention weights. Pass `dropout` on when you build them.",
)

mistake(
    "babygpt.MultiHead",
    "dropout-also-in-evaluation",
    edit("self.dropout = nn.Dropout(dropout)", "self.p = dropout"),
    edit("self.dropout(self.proj(side_by_side))", "F.dropout(self.proj(side_by_side), self.p)"),
    section="v10-dropout",
    why="F.dropout was called without its argument training, which is True by default. It drops in evaluation mode as "
    "well.",
    hint="Your output has gaps in evaluation mode too. Use an `nn.Dropout` layer, which knows the mode, or pass "
    "`training=self.training`.",
)


@mistake(
    "babygpt.MultiHead",
    "projection-shared-by-all-modules",
    section="v8-projections",
    why="The projection was kept outside the object, so that all modules of one size have the same. The layers of a "
    "model then cannot learn projections of their own.",
    hint="Two modules of yours share their projection: what changes one changes the other. Make it anew in `__init__`, "
    "with `self.proj = nn.Linear(...)`.",
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
    why="The heads drop with a probability that is written into the code. The argument has no effect on them, and "
    "without dropout they drop all the same.",
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
    why="The input is not added to the result of the sublayers. Everything a position knows must then pass through "
    "every layer, and a stack of a few blocks hardly learns.",
    hint="With all its parameters at 0 your block forgets its input. Add the input to what each sublayer returns.",
)

mistake(
    "babygpt.Block",
    "no-attention",
    edit("x = x + self.sa(self.ln1(x))\nx = x + self.ffwd(self.ln2(x))", ""),
    edit("return x", "return x + self.ffwd(self.ln2(x))"),
    base="short-names",
    section="v7-residual",
    why="The block never calls its attention. Every position then works on its own vector alone, and no word reaches "
    "the one after it.",
    hint="Your block's last output does not change when the first position does: the heads are built and never called. "
    "`forward` needs both sublayers, attention first.",
)

mistake(
    "babygpt.Block",
    "no-residual-around-attention",
    edit("x + self.sa(self.ln1(x))", "self.sa(self.ln1(x))"),
    base="short-names",
    section="v7-residual",
    why="The input is not added to what attention returns. The token's own information survives only if a head attends "
    "to it.",
    hint="The shortcut around your attention is missing. Both sublayers have one.",
)

mistake(
    "babygpt.Block",
    "no-residual-around-feed-forward",
    edit("x + self.ffwd(self.ln2(x))", "self.ffwd(self.ln2(x))"),
    base="short-names",
    section="v7-residual",
    why="The input is not added to what the feed-forward network returns. Whatever attention has gathered must pass "
    "through that network or is lost.",
    hint="The shortcut around your feed-forward network is missing. Both sublayers have one.",
)

mistake(
    "babygpt.Block",
    "post-norm",
    edit("x + self.sa(self.ln1(x))", "self.ln1(x + self.sa(x))"),
    edit("x + self.ffwd(self.ln2(x))", "self.ln2(x + self.ffwd(x))"),
    base="short-names",
    section="v9-layer-norm",
    why="The normalisation comes after the addition, as in the paper of 2017. This block is pre-norm: the shortcut "
    "stays free of normalisations, and each sublayer normalises its own input.",
    hint="Your block normalises the sum. Normalise what goes *into* each sublayer, and leave the shortcut alone: x + "
    "f(norm(x)).",
)

mistake(
    "babygpt.Block",
    "norm-on-the-branch",
    edit("self.sa(self.ln1(x))", "self.ln1(self.sa(x))"),
    edit("self.ffwd(self.ln2(x))", "self.ln2(self.ffwd(x))"),
    base="short-names",
    section="v9-layer-norm",
    why="The result of each sublayer is normalised, not its input. The sublayers read vectors of any size, and what "
    "they add always has the same size.",
    hint="Your normalisation comes after the sublayer. It belongs before it: x + f(norm(x)).",
)

mistake(
    "babygpt.Block",
    "residual-of-the-normalised",
    edit("self.ln2(x)", "x"),
    edit("x = x + self.sa(self.ln1(x))", "x = self.ln1(x)\nx = x + self.sa(x)\nx = self.ln2(x)"),
    base="short-names",
    section="v9-layer-norm",
    why="The normalised input was added, not the input. The shortcut then passes through every normalisation of the "
    "model, so it is no shortcut any more.",
    hint="You overwrite `x` by its normalised form and add that. Add the `x` from before the normalisation.",
)

mistake(
    "babygpt.Block",
    "no-norm",
    edit("self.ln1(x)", "x"),
    edit("self.ln2(x)", "x"),
    base="short-names",
    section="v9-layer-norm",
    why="The layers of normalisation are created and never called. The vectors grow from block to block, and the "
    "sublayers read inputs of any size.",
    hint="Your block's normalisations have no effect. Apply one to the input of each sublayer.",
)

mistake(
    "babygpt.Block",
    "no-norm-before-feed-forward",
    edit("self.ln2(x)", "x"),
    base="short-names",
    section="v9-layer-norm",
    why="Only the input of attention is normalised. The feed-forward network reads the sum of everything so far, which "
    "grows with depth.",
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
    why="One layer of normalisation serves both sublayers. They share its scale and shift, although they want "
    "different things.",
    hint="Your block has a single normalisation. Each sublayer has its own, with its own scale and shift.",
)

mistake(
    "babygpt.Block",
    "gelu-for-relu",
    edit("nn.ReLU()", "nn.GELU()"),
    base="short-names",
    section="v5-feed-forward",
    why="The non-linearity is GELU, as in GPT-2. BabyGPT uses ReLU, and weights copied from one give other results in "
    "the other.",
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
    why="There is no activation between the two linear layers. Two linear layers in a row are one linear layer, so the "
    "network can compute nothing new.",
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
    why="A second ReLU follows the second layer. What the network adds to the input is then never negative, so entries "
    "can only grow.",
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
    why="The feed-forward network is as wide inside as outside. It is meant to be four times as wide: that is where "
    "most of a block's parameters are.",
    hint="Your feed-forward network is too narrow inside. Its first layer leads to `4 * n_embed`, its second back.",
)

mistake(
    "babygpt.Block",
    "parallel-branches",
    edit("x = x + self.sa(self.ln1(x))", "attended = self.sa(self.ln1(x))"),
    edit("x + self.ffwd(self.ln2(x))", "x + attended + self.ffwd(self.ln2(x))"),
    base="short-names",
    section="v7-residual",
    why="Both sublayers read the block's input. The feed-forward network should work on what attention has just "
    "gathered.",
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
    why="The feed-forward network comes before attention. First the positions communicate, then each of them works on "
    "what it heard.",
    hint="Your two sublayers are in the wrong order: attention first, then the feed-forward network.",
)

mistake(
    "babygpt.Block",
    "heads-of-full-width",
    edit("n_embed // num_heads", "n_embed"),
    base="short-names",
    section="v4-heads",
    why="Every head is as wide as the model. Attention then has num_heads times as many parameters as it should; the "
    "heads share the width among them.",
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
    why="The number of heads is ignored, and one head of full width is built. The parameters are as many, so nobody "
    "notices from their count.",
    hint="Your block has one head whatever `num_heads` says. Hand it on to the attention.",
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
    why="The dropout probability goes nowhere. The block trains without any dropout, whatever the configuration says.",
    hint="In training your block drops nothing. Hand `dropout` on to the attention, and put a dropout at the end of "
    "the feed-forward network.",
)


@mistake(
    "babygpt.Block",
    "attention-without-dropout",
    section="v10-dropout",
    why="The dropout probability went into the feed-forward network alone. The attention, which should drop weights "
    "and entries of its result, drops nothing.",
    hint="While training, your attention drops nothing. Hand `dropout` on to `MultiHead` as well.",
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
    why="Dropout acts on the sum of the input and what the sublayers add. That sets entries of the residual stream "
    "itself to 0, which every later block then lacks.",
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
    why="The results were added with +=, which writes into the tensor that the caller passed in. A caller that uses "
    "this tensor afterwards finds other numbers in it.",
    hint="After your block's call its input holds something else. Write `x = x + ...`, which makes a new tensor.",
)


@mistake(
    "babygpt.Block",
    "feed-forward-without-dropout",
    section="v10-dropout",
    why="The dropout probability went into the attention alone. What the feed-forward network returns should be dropped "
    "as well.",
    hint="While training, what your feed-forward network returns is not dropped. Put an `nn.Dropout(dropout)` at its "
    "end.",
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
    why="Only the input of the feed-forward network is normalised. Attention reads the sum of everything so far, which "
    "grows with depth.",
    hint="The input of your attention is not normalised. Each of the two sublayers has a normalisation of its own.",
)

mistake(
    "babygpt.Block",
    "first-norm-used-twice",
    edit("self.ln2(x)", "self.ln1(x)"),
    base="short-names",
    section="v9-layer-norm",
    why="Two normalisations were made, and the first is used before both sublayers. The second one never learns.",
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
    why="The position embeddings are never added. Attention then sees the past as a bag of tokens, without their "
    "order.",
    hint="Where a token repeats, your logits do not change from position to position: the positions are missing. Add "
    "the embedding of 0 to T - 1.",
)

mistake(
    "babygpt.BabyGPT",
    "positions-of-the-batch",
    edit("self.wpe(torch.arange(T, device=ids.device))", "self.wpe(torch.arange(B, device=ids.device))[:, None]"),
    base="short-names",
    section="v2-positions",
    why="The positions count the sequences of the batch instead of the positions in a sequence. All positions of a "
    "sequence get the same vector, and a sequence's result depends on its position in the batch.",
    hint="Your logits depend on a sequence's position in the batch. Positions run along time: `torch.arange(T)`.",
)

mistake(
    "babygpt.BabyGPT",
    "positions-backwards",
    edit("torch.arange(T, device=ids.device)", "torch.arange(T - 1, -1, -1, device=ids.device)"),
    base="short-names",
    section="v2-positions",
    why="Positions are counted from the end. When a token is added, every earlier position gets another vector, so "
    "results of a prefix change although nothing in the prefix did.",
    hint="Your logits for a beginning change when the text goes on. Count positions from the start, 0 to T - 1.",
)

mistake(
    "babygpt.BabyGPT",
    "positions-of-the-whole-block",
    edit("torch.arange(T, device=ids.device)", "torch.arange(self.config.block_size, device=ids.device)"),
    base="short-names",
    section="v2-positions",
    why="All block_size position vectors are added, whatever the length of the input. A shorter sequence, as every "
    "prompt is, does not fit.",
    hint="Your model fails for sequences shorter than `block_size`. Take the first T position vectors only.",
)

mistake(
    "babygpt.BabyGPT",
    "tokens-as-positions",
    edit("torch.arange(T, device=ids.device)", "ids % self.config.block_size"),
    base="short-names",
    section="v2-positions",
    why="The position table is looked up with token ids. It becomes a second token embedding, and the model knows "
    "nothing of positions.",
    hint="Your position table is indexed by tokens. Index it by positions, `torch.arange(T)`.",
)

mistake(
    "babygpt.BabyGPT",
    "blocks-not-applied",
    edit("for block in self.blocks:\n    x = block(x)", ""),
    base="short-names",
    section="v6-blocks",
    why="The blocks are built and never called. What is left is a bigram model with positions.",
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
    why="Every block reads the embeddings, and only the last one's result is kept. The others are computed for "
    "nothing.",
    hint="Only your last block has an effect. Each block reads what the one before it returned: `x = block(x)`.",
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
    why="The blocks are in a Python list, which PyTorch does not look into. The optimiser never sees their parameters, "
    "so they stay as they were made.",
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
    why="A list was multiplied, so it holds the same block many times over. All layers share their weights, and the "
    "model has the parameters of one.",
    hint="All your blocks are one and the same object. Build each in a loop; `[block] * n` repeats the reference.",
)

mistake(
    "babygpt.BabyGPT",
    "one-block-only",
    edit("config.num_layers", "1"),
    section="v6-blocks",
    why="num_layers is ignored, and one block is built. A caller who wants a deeper model never gets one.",
    hint="Your model has one block whatever `num_layers` says.",
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
    why="The numbers of heads and of layers are exchanged. The model has as many blocks as it should have heads.",
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
    why="The dropout of the configuration is not handed to the blocks. The model trains without any.",
    hint="In training your model drops nothing. Hand `config.dropout` on to the blocks.",
)

mistake(
    "babygpt.BabyGPT",
    "configuration-not-kept",
    edit("self.config = config", ""),
    section="babygpt-whole",
    why="The model does not keep its configuration. Code that generates text with the model has to know the block "
    "size.",
    hint="Your model has no attribute `config`. Keep the configuration: `generate` reads the block size from it.",
)

mistake(
    "babygpt.BabyGPT",
    "probabilities-for-logits",
    edit("self.lm_head(self.ln_f(x))", "self.lm_head(self.ln_f(x)).softmax(-1)"),
    base="short-names",
    section="language-model-loss",
    why="The model returns probabilities, and the loss takes the softmax once more. The loss can then never come near "
    "0, because probabilities differ by at most 1.",
    hint="Your logits sum to 1: they went through a softmax. Return them as they are; `F.cross_entropy` wants logits.",
)

mistake(
    "babygpt.BabyGPT",
    "softmax-before-the-loss",
    edit("logits.reshape", "logits.softmax(-1).reshape"),
    base="short-names",
    section="language-model-loss",
    why="A softmax was taken before F.cross_entropy, which takes one itself. Two softmaxes flatten everything, and the "
    "loss cannot come near 0.",
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
    why="The loss is the sum over all positions. It grows with the batch and the context, and so does every gradient, "
    "so the learning rate means something else for each size.",
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
    why="The loss is summed over time and averaged over the batch. It is T times too large.",
    hint="Your loss grows with the length of the sequences. Take the mean over all B * T positions.",
)

mistake(
    "babygpt.BabyGPT",
    "logits-viewed-not-transposed",
    edit("logits.reshape(B * T, -1), targets.reshape(B * T)", "logits.view(B, -1, T), targets"),
    base="short-names",
    section="language-model-loss",
    why="The logits were viewed as (B, V, T), the shape that F.cross_entropy wants. A view does not move an axis: it "
    "cuts the same numbers at other positions, so every score lands at the wrong token.",
    hint="Your loss has the right shape and the wrong numbers. `view` does not exchange axes: flatten to (B * T, V), "
    "or use `transpose(1, 2)`.",
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
    why="Inside the model the targets were shifted again. They are one step later already, so the model is trained to "
    "predict the token after the next.",
    hint="Your loss compares each position with the target of the next one. The targets come shifted from `get_batch`.",
)

mistake(
    "babygpt.BabyGPT",
    "loss-of-the-last-position",
    edit("logits.reshape(B * T, -1), targets.reshape(B * T)", "logits[:, -1], targets[:, -1]"),
    base="short-names",
    section="language-model-loss",
    why="Only the last position counts in the loss. Every position is a question with an answer, so most of what a "
    "batch can teach is thrown away.",
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
    why="Targets with the id 0 are left out, as if it were padding. Here there is no padding: 0 is a token like any "
    "other.",
    hint="Your loss ignores the token 0. There is no padding in these batches, every target counts.",
)

mistake(
    "babygpt.BabyGPT",
    "no-pair-without-targets",
    edit("logits, None", "logits"),
    section="babygpt-whole",
    why="Without targets the logits are returned alone. A caller who unpacks two results gets the sequences of the "
    "batch instead.",
    hint="Without targets you return one tensor. It is always a pair: the logits, and the loss or `None`.",
)

mistake(
    "babygpt.BabyGPT",
    "targets-demanded",
    edit("if targets is None:\n    return logits, None", ""),
    section="babygpt-whole",
    why="The loss is computed whether there are targets or not. When generating there are none, and the call fails.",
    hint="Your model fails without targets, and so it cannot generate. Return `(logits, None)` then.",
)


@mistake(
    "babygpt.BabyGPT",
    "token-zero-not-learned",
    section="babygpt-whole",
    why="The table of tokens was made with `padding_idx=0`. The row of the token 0 then gets no gradient, though 0 is "
    "a token like any other here: there is no padding in pieces of a text.",
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
    why="The table of positions was frozen. GPT learns its positions: what stands there at first is random.",
    hint="The position embeddings get no gradient and stay the random numbers that they were. Leave them parameters "
    "that are trained.",
)
class BabyGPT(RightBabyGPT):
    def __init__(self, config):
        super().__init__(config)
        self.position_embedding.weight.requires_grad_(False)


@mistake(
    "babygpt.BabyGPT",
    "ids-changed",
    section="babygpt-whole",
    why="Ids that seemed too large were set to a smaller one in place, and one too many at that. The caller's tensor "
    "is changed by it, and the last token of the vocabulary is read as the one before.",
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
    why="The logits were detached before the loss. The loss is right, and it has no gradients: the model never learns "
    "anything.",
    hint="Your loss has no gradients for the model. Compute it from the logits as they are, without `detach`, `item` "
    "or `no_grad`.",
)

mistake(
    "babygpt.BabyGPT",
    "block-inputs-detached",
    edit("block(x)", "block(x.detach())"),
    base="short-names",
    section="v6-blocks",
    why="The vectors were detached between the blocks. Gradients reach the last block and nothing below it, so the "
    "embeddings and the earlier blocks are never trained.",
    hint="Only your last block gets gradients. Hand `x` on as it is.",
)

mistake(
    "babygpt.BabyGPT",
    "logits-flattened-with-targets",
    edit(
        "return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())",
        "logits = logits.flatten(0, 1)\nreturn logits, F.cross_entropy(logits, targets.flatten())",
    ),
    section="language-model-loss",
    why="The logits were flattened to (B * T, V) for the loss and returned in that shape. A caller who passes targets "
    "then gets logits that no longer say which sequence and position they belong to.",
    hint="With targets your logits have the shape `(B * T, V)`. Flatten them inside the call of the loss only, and "
    "return `(B, T, V)`.",
)

mistake(
    "babygpt.BabyGPT",
    "last-position-without-targets",
    edit("return logits, None", "return logits[:, [-1]], None"),
    section="language-model-loss",
    why="Without targets only the logits of the last position were returned. That is enough to generate, and a shortcut "
    "of larger models; here the caller picks the position.",
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
    why="The positions were added to what the blocks return. Attention has then no way to tell in which order the "
    "tokens stand.",
    hint="Your attention does not know positions: add them to the token embedding, before the blocks.",
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
    why="Only the new tokens are returned. The result is to hold the beginning too, so that it can be read, and "
    "continued, as it is.",
    hint="Your result lacks the prompt. Return the beginning and its continuation, (B, T + max_new_tokens).",
)

mistake(
    "babygpt.generate",
    "context-not-cropped",
    edit("ids[:, -model.config.block_size :]", "ids"),
    section="babygpt-generating",
    why="The whole text so far is given to the model. After block_size tokens there is no position vector left, and "
    "the model fails.",
    hint="Your text cannot grow beyond `block_size`. Give the model the last `block_size` tokens only.",
)

mistake(
    "babygpt.generate",
    "context-cropped-at-the-wrong-end",
    edit("-model.config.block_size :", ": model.config.block_size"),
    section="babygpt-generating",
    why="The first block_size tokens are kept instead of the last. Once the text is longer than that, the model no "
    "longer sees what it has just written, and repeats itself.",
    hint="When the text grows longer than `block_size`, your model goes on reading its beginning. It must read the "
    "*last* `block_size` tokens.",
)

mistake(
    "babygpt.generate",
    "context-one-too-short",
    edit("-model.config.block_size", "-model.config.block_size + 1"),
    section="babygpt-generating",
    why="The context is one token shorter than the model can read. Something that it could know is withheld from it at "
    "every step.",
    hint="Your model reads one token less than it could. The context is the last `block_size` tokens.",
)

mistake(
    "babygpt.generate",
    "context-of-one-token",
    edit("model.config.block_size", "1"),
    section="babygpt-generating",
    why="Only the newest token is given to the model, as if it remembered the others. Without a cache it remembers "
    "nothing, so this is a bigram model.",
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
    why="The text itself was cropped, not only what the model reads. Its beginning is lost.",
    hint="The beginning of your result is missing when it is longer than `block_size`. Crop what the model reads, and "
    "keep the text.",
)

mistake(
    "babygpt.generate",
    "logits-of-the-first-position",
    edit("logits[:, -1]", "logits[:, 0]"),
    section="babygpt-generating",
    why="The logits of the first position are used. They say what follows the first token, which is known already.",
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
    why="The model is asked once, and all new tokens are drawn from that answer. None of them depends on those before "
    "it.",
    hint="Your new tokens do not depend on each other. After each token the model must be asked again, with that token "
    "at the end.",
)

mistake(
    "babygpt.generate",
    "one-token-too-many",
    edit("range(max_new_tokens)", "range(max_new_tokens + 1)"),
    section="babygpt-generating",
    why="The loop runs once too often. max_new_tokens is the number of tokens to add.",
    hint="You add one token too many.",
)

mistake(
    "babygpt.generate",
    "length-in-all",
    edit("range(max_new_tokens)", "range(max_new_tokens - ids.shape[1])"),
    section="babygpt-generating",
    why="The argument was taken for the length of the whole text. It says how many tokens to add, however long the "
    "beginning is.",
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
    why="One token is drawn, from the first text's probabilities, and added to every text of the batch. Each text has "
    "its own probabilities and its own draw.",
    hint="All texts of your batch get the same new token. Draw one for each row.",
)

mistake(
    "babygpt.generate",
    "softmax-over-the-batch",
    edit("(logits / temperature).softmax(-1)", "(logits / temperature).softmax(0)"),
    section="babygpt-generating",
    why="The softmax runs over the texts of the batch instead of the vocabulary. With one text all tokens become "
    "equally likely.",
    hint="Your tokens are drawn with the wrong probabilities: the softmax runs over the batch. It runs over the "
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
    why="The most likely token is always taken. That is what temperature 0 asks for; at any other temperature tokens "
    "are drawn in proportion to their probabilities.",
    hint="You always take the most likely token. Unless the temperature is 0, draw with `torch.multinomial`.",
)

mistake(
    "babygpt.generate",
    "temperature-ignored",
    edit("last / temperature", "last"),
    base="probabilities-named",
    section="babygpt-temperature",
    why="The temperature has no effect. It divides the logits before the softmax.",
    hint="Your texts are the same at every temperature. Divide the logits by it before the softmax.",
)

mistake(
    "babygpt.generate",
    "temperature-multiplied",
    edit("logits / temperature", "logits * temperature"),
    section="babygpt-temperature",
    why="The logits are multiplied by the temperature. High temperatures then make the text more certain, and low ones "
    "more random.",
    hint="Your temperature works the wrong way round. Divide the logits by it: a low temperature enlarges their "
    "differences.",
)

mistake(
    "babygpt.generate",
    "temperature-on-probabilities",
    edit("last / temperature", "last.softmax(dim=-1) / temperature"),
    base="probabilities-named",
    section="babygpt-temperature",
    why="The probabilities were divided by the temperature and put through a second softmax. Probabilities differ by "
    "at most 1, so the draw is nearly uniform.",
    hint="Your tokens are nearly uniform: there is a softmax too many. Divide the *logits* by the temperature, then "
    "one softmax.",
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
    why="Temperature 0 is not treated on its own. Dividing by 0 gives infinities, their softmax is NaN, and nothing "
    "can be drawn.",
    hint="Temperature 0 fails, because you divide by it. It stands for the most likely token: use argmax then.",
)

mistake(
    "babygpt.generate",
    "negative-temperature-accepted",
    edit('if temperature < 0:\n    raise ValueError(f"temperature must not be negative, but is {temperature}")', ""),
    base="probabilities-named",
    section="babygpt-temperature",
    why="A negative temperature is accepted. It turns the order of the tokens around, so the least likely one becomes "
    "the most likely.",
    hint="A negative temperature should be refused. Raise a `ValueError` that says what it was.",
)

mistake(
    "babygpt.generate",
    "generator-ignored",
    edit("torch.multinomial(probabilities, 1, generator=generator)", "torch.multinomial(probabilities, 1)"),
    base="probabilities-named",
    section="babygpt-generating",
    why="The argument generator is not used. A caller who passes one to get the same text again gets another one.",
    hint="With the same generator your texts differ from run to run. Hand `generator` on to `torch.multinomial`.",
)


@mistake(
    "babygpt.generate",
    "stops-at-a-token",
    section="babygpt-generating",
    why="Writing stops when all texts have got a certain token, taken for the end of a text. BabyGPT's vocabulary has "
    "no such token, and the result must have as many tokens as were asked for.",
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
    why="Gradients were switched off by `requires_grad_(False)` on the model's parameters. That outlasts the call: the "
    "model cannot be trained any further.",
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
    why="The generator was put before the temperature in the list of arguments. A call that gives both by position "
    "then hands each of them over as the other.",
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
    why="Without a generator, one with a fixed seed is made. The same prompt then has the same continuation every "
    "time, so nothing is drawn at all.",
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
    why="The generator is set back to its seed before every draw. All steps then use the same random number, so where "
    "the probabilities are alike, one token repeats for ever.",
    hint="Your generator starts anew at every step. A seed is set once, outside; each draw moves the generator on.",
)

mistake(
    "babygpt.generate",
    "left-in-evaluation-mode",
    edit("model.train(mode)", ""),
    base="probabilities-named",
    section="babygpt-generating",
    why="The model is put into evaluation mode and left there. If text is generated in the middle of training, the "
    "rest of the training runs without dropout.",
    hint="After your function the model is in evaluation mode although it was training. Remember `model.training` at "
    "the start, and restore it.",
)

mistake(
    "babygpt.generate",
    "parts-left-in-evaluation-mode",
    edit("model.train(mode)", "model.training = mode"),
    base="probabilities-named",
    section="babygpt-generating",
    why="`model.eval()` sets the mode of the model and of all its parts, but only the attribute of the model was set "
    "back. Its dropout layers stay in evaluation mode, and the rest of the training runs without them.",
    hint="After your function `model.training` is as before, but the parts of the model are in evaluation mode. "
    "`model.train(mode)` sets them all; assigning to `model.training` does not.",
)

mistake(
    "babygpt.generate",
    "left-in-training-mode",
    edit("model.train(mode)", "model.train()"),
    base="probabilities-named",
    section="babygpt-generating",
    why="The model is put into training mode at the end, whatever its mode was. A model that was evaluating then drops "
    "entries from there on.",
    hint="After your function the model is in training mode although it was evaluating. Remember `model.training` at "
    "the start, and restore it.",
)

mistake(
    "babygpt.generate",
    "gradients-off-for-good",
    edit("mode = model.training", "torch.set_grad_enabled(False)\nmode = model.training"),
    base="probabilities-named",
    section="babygpt-generating",
    why="Gradients are switched off for the whole program and not switched on again. Training cannot go on after the "
    "first text is generated.",
    hint="After your function no gradients are recorded any more. Use `torch.no_grad()` as a decorator or in a `with` "
    "block, which restores what was before.",
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
    why="The argument is used as a window that is moved along, in place. The caller's prompt is overwritten, and once "
    "it has moved, its first tokens are missing from the context.",
    hint="After your function the caller's `ids` hold something else. Make a new tensor with `torch.cat` at every "
    "step.",
)

mistake(
    "babygpt.Head",
    "dropout-before-the-mask",
    edit("attention_scores(self.query(x), self.key(x))", "self.dropout(attention_scores(self.query(x), self.key(x)))"),
    edit("self.dropout(scores.softmax(dim=-1))", "scores.softmax(dim=-1)"),
    section="v10-dropout",
    why="Dropout acts on the scores. A dropped score becomes 0, which is no small score, and no weight is ever 0.",
    hint="Your dropout acts on the scores, where 0 is an ordinary score. Drop *weights*: softmax first, then dropout.",
)

mistake(
    "babygpt.get_batch",
    "inputs-and-targets-exchanged",
    edit("return x.long(), y.long()", "return y.long(), x.long()"),
    section="babygpt-batches",
    why="The two results are in the wrong order. The model would learn to predict the token before each one.",
    hint="Your `x` is one step later than your `y`. The targets are the later ones.",
)
