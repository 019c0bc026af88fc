"""Wrong implementations of the tasks of embeddings, each with the misconception behind it.

Every entry is wrong in one respect only. When two mistakes give the same results, a report names the first of them.
"""

import math

import torch
from torch.nn import functional as F

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# one_hot


mistake(
    "embeddings.one_hot",
    "integers",
    edit("F.one_hot(ids, vocab_size).float()", "F.one_hot(ids, vocab_size)"),
    section="one-hot-vectors",
    why="Your zeros and ones have the right indices, but multiplying them by a table raises an error. You left them as "
    "integers, as `F.one_hot` returns them, and PyTorch does not multiply integers by floats. Which type do the "
    "vectors need?",
    hint="Your zeros and ones have the right indices, but an integer dtype. They will be multiplied by a table of "
    "floats: convert them to float32.",
)


@mistake(
    "embeddings.one_hot",
    "booleans",
    section="one-hot-vectors",
    why="Your result cannot be multiplied by a table. It is a boolean mask that is True at the right indices, but a "
    "one-hot vector holds numbers. Which two numbers, and in which type?",
    hint="Your result is True at the right indices, but it is boolean. A one-hot vector holds the numbers 0 and 1, as "
    "float32.",
)
def one_hot(ids, vocab_size):
    if ids.min() < 0 or ids.max() >= vocab_size:
        raise IndexError("an id is out of range")
    return ids[..., None] == torch.arange(vocab_size)


mistake(
    "embeddings.one_hot",
    "double-precision",
    edit("F.one_hot(ids, vocab_size).float", "F.one_hot(ids, vocab_size).double"),
    section="one-hot-vectors",
    why="Your vectors are float64, which takes twice the memory and cannot be multiplied by a float32 table. Your "
    "conversion chose the wrong type. Which type does the task ask for?",
    hint="The values are right and the dtype is float64. In this unit, one-hot vectors are float32.",
)

mistake(
    "embeddings.one_hot",
    "width-from-the-largest-id",
    edit(
        "return F.one_hot(ids, vocab_size).float()",
        'if ids.max() >= vocab_size:\n    raise IndexError("an id is out of range")\nreturn F.one_hot(ids).float()',
    ),
    section="one-hot-vectors",
    why="Two batches get vectors of different widths, which need not fit the table. You took the number of columns "
    "from the largest id of the batch. Which argument fixes the width for every batch?",
    hint="Your vectors are as long as the largest id of this batch needs. Their width has to be `vocab_size` for every "
    "batch, whichever ids happen to occur.",
)


@mistake(
    "embeddings.one_hot",
    "one-column-more",
    section="one-hot-vectors",
    why="Your vectors have one entry too many. You counted the columns as if the ids ran from 1, or as if the last "
    "id were `vocab_size`. What is the largest of `vocab_size` ids that start at 0?",
    hint="Your vectors are one entry too long. Ids start at 0, so the largest of `vocab_size` ids is `vocab_size - 1`.",
)
def one_hot(ids, vocab_size):
    if ids.max() >= vocab_size:
        raise IndexError("an id is out of range")
    return F.one_hot(ids, vocab_size + 1).float()


@mistake(
    "embeddings.one_hot",
    "counts-from-one",
    section="one-hot-vectors",
    why="Every 1 is one column too far to the left, and the 1 of id 0 is in the last column. You treated the first "
    "id as 1. Which column belongs to id 0?",
    hint="Every 1 in your vectors stands one position too far to the left. The first id is 0, and its vector has the 1 "
    "in column 0.",
)
def one_hot(ids, vocab_size):
    if ids.max() >= vocab_size:
        raise IndexError("an id is out of range")
    return F.one_hot((ids - 1) % vocab_size, vocab_size).float()


mistake(
    "embeddings.one_hot",
    "classes-before-positions",
    edit("F.one_hot(ids, vocab_size).float()", "F.one_hot(ids, vocab_size).float().transpose(-1, -2)"),
    section="one-hot-vectors",
    why="The axis of the vocabulary is not the last one in your result. You put it before the positions, as "
    "convolutions expect, but a product with a table multiplies along the last axis. Where should each id's vector "
    "lie?",
    hint="The axis of length `vocab_size` is not the last one in your result. Every id becomes a vector, and vectors "
    "lie along the last axis: shape `(..., V)`.",
)

mistake(
    "embeddings.one_hot",
    "leading-axes-flattened",
    edit("F.one_hot(ids, vocab_size)", "F.one_hot(ids.reshape(-1), vocab_size)"),
    section="one-hot-vectors",
    why="For ids of shape (B, T) your result has the shape (B·T, V), and nobody can tell which id belongs to which "
    "sequence. You flattened the ids and never restored their axes. Which axes should come before the new one?",
    hint="Your result has one row per id but has forgotten the axes of `ids`. For ids of shape `(B, T)` it should have "
    "shape `(B, T, V)`.",
)

mistake(
    "embeddings.one_hot",
    "one-bag-per-sequence",
    edit("F.one_hot(ids, vocab_size)", "F.one_hot(ids, vocab_size).amax(-2)"),
    section="one-hot-vectors",
    why="A whole sequence becomes a single vector with several ones. You merged the vectors of its ids into a bag of "
    "words, which forgets how often and where each word occurs. How many vectors does one id need?",
    hint="You return one vector for a sequence, with several ones in it. Every id gets a vector of its own, with a "
    "single 1.",
)

mistake(
    "embeddings.one_hot",
    "the-id-in-place-of-one",
    edit("F.one_hot(ids, vocab_size)", "(F.one_hot(ids, vocab_size) * ids[..., None])"),
    section="one-hot-vectors",
    why="Multiplied by a table, your vectors give each row times its id, and zeros for id 0. You wrote the id where a "
    "1 belongs. Is an id a name or a quantity?",
    hint="Where a 1 belongs, you have the id. An id only says *which* row; with its value in the vector, the row would "
    "be multiplied by it.",
)

mistake(
    "embeddings.one_hot",
    "padding-has-no-vector",
    edit("F.one_hot(ids, vocab_size).float()", "F.one_hot(ids, vocab_size).float() * (ids != 0)[..., None]"),
    section="one-hot-vectors",
    why="The vector of id 0 is all zeros. You gave padding no vector, but hiding padding is the task of masks. Where "
    "is the single 1 for id 0?",
    hint="Your vector for id 0 is all zeros. Padding is hidden by masks, later; a one-hot vector has exactly one 1, "
    "and for id 0 it is in column 0.",
)

mistake(
    "embeddings.one_hot",
    "unknown-ids-become-zeros",
    edit("F.one_hot(ids, vocab_size)", "(ids[..., None] == torch.arange(vocab_size, device=ids.device))"),
    section="one-hot-vectors",
    why="An id outside the vocabulary gives a vector of zeros, and the error in the data stays hidden. You compared "
    "the ids with all valid numbers, and such an id equals none of them. What should happen to an id that cannot "
    "exist?",
    hint="An id of `vocab_size` or more gives a vector of zeros and no error. Such an id means that text and "
    "vocabulary do not belong together: raise an error.",
)

mistake(
    "embeddings.one_hot",
    "unknown-ids-clamped",
    edit("F.one_hot(ids, vocab_size)", "F.one_hot(ids.clamp(0, vocab_size - 1), vocab_size)"),
    section="one-hot-vectors",
    why="An id beyond the vocabulary is treated as the last word. You moved it to the nearest valid id, so the error "
    "in the data stays hidden. What should happen to an id that cannot exist?",
    hint="An id of `vocab_size` or more is treated as the last word of the vocabulary. Do not repair it: an id out of "
    "range should raise an error.",
)


# ---------------------------------------------------------------------------------------------------------------------
# embedding_lookup


mistake(
    "embeddings.embedding_lookup",
    "counts-from-one",
    edit(
        "return F.embedding(ids, table)",
        'if ids.max() >= len(table):\n    raise IndexError("an id is out of range")\nreturn table[ids - 1]',
    ),
    section="lookup-is-a-product",
    why="Each id gets the row before its own, and id 0 gets the last row. You subtracted 1, as if ids were counted "
    "from 1. Which row belongs to id 3?",
    hint="For each id you return the row *before* its own (and for id 0 the last one). Rows are counted from 0, like "
    "ids: id 3 is row 3.",
)

mistake(
    "embeddings.embedding_lookup",
    "columns-for-rows",
    edit("F.embedding(ids, table)", "table[:, ids]"),
    section="lookup-is-a-product",
    why="Your vectors hold one feature of many words instead of many features of one word. You selected columns of "
    "the table. Along which axis of a table of shape (V, d) do the ids count?",
    hint="You took columns of the table, `table[:, ids]`. The table is `(V, d)`: the vector of an id is a *row* of it.",
)

mistake(
    "embeddings.embedding_lookup",
    "product-with-the-transposed-table",
    edit("F.embedding(ids, table)", "one_hot(ids, table.shape[1]).to(table.dtype) @ table.T"),
    section="lookup-is-a-product",
    why="For a square table you return columns instead of rows, and otherwise the product fails or has the wrong "
    "width. You transposed the table. Which axis of a table of shape (V, d) meets a one-hot vector of width V?",
    hint="For a table with as many rows as columns you return columns; otherwise the product fails or has the wrong "
    "width. A vector of width V times a table `(V, d)` needs no transpose.",
)

mistake(
    "embeddings.embedding_lookup",
    "scaled-by-the-root-of-the-width",
    edit("F.embedding(ids, table)", "F.embedding(ids, table) * math.sqrt(table.shape[1])"),
    section="lookup-is-a-product",
    why="Every vector is the row of the table times sqrt(d). This scale belongs to `TokenEmbedding`, and a plain "
    "lookup changes no number. What should the lookup return for an id?",
    hint="Every vector is the row of the table times the same factor, sqrt(d). A lookup changes nothing; the scale "
    "comes in Task 3.",
)

mistake(
    "embeddings.embedding_lookup",
    "padding-becomes-zeros",
    edit("F.embedding(ids, table)", "F.embedding(ids, table) * (ids != 0)[..., None]"),
    section="lookup-is-a-product",
    why="Id 0 gets zeros instead of row 0 of the table. You hid the padding, which is the task of masks. What does "
    "the product of a one-hot vector and the table give for id 0?",
    hint="For id 0 you return zeros and not row 0 of the table. A lookup knows nothing of padding: `one_hot @ table` "
    "gives row 0 like any other.",
)

mistake(
    "embeddings.embedding_lookup",
    "leading-axes-flattened",
    edit("F.embedding(ids, table)", "F.embedding(ids.flatten(), table)"),
    section="lookup-is-a-product",
    why="For ids of shape (B, T) your result has the shape (B·T, d). You flattened the ids and never restored their "
    "axes. Which axes should come before the width?",
    hint="You return one row per id, but for ids of shape `(B, T)` the result should be `(B, T, d)`: the axes of the "
    "ids, and then the width.",
)

mistake(
    "embeddings.embedding_lookup",
    "rows-summed",
    edit("F.embedding(ids, table)", "F.embedding(ids, table).sum(-2)"),
    section="lookup-is-a-product",
    why="You return one vector per sequence. You added the rows of its tokens, which makes a bag of words. How many "
    "vectors does each position need?",
    hint="You return one vector per sequence, the sum of its rows. Every id gets its own row: `(..., d)` for ids of "
    "shape `(...)`.",
)

mistake(
    "embeddings.embedding_lookup",
    "a-table-of-its-own",
    edit("F.embedding(ids, table)", "nn.Embedding(*table.shape, dtype=table.dtype)(ids)"),
    section="lookup-is-a-product",
    why="Your result has the right shape but does not depend on the values in the table, and it changes with every "
    "call. You built a new `nn.Embedding`, whose rows are random. Whose rows should you select?",
    hint="Your result has the right shape and does not depend on the table's values. `nn.Embedding(V, d)` makes a "
    "*new* random table; take the rows of the one you are given.",
)

mistake(
    "embeddings.embedding_lookup",
    "cut-off-from-the-gradient",
    edit("F.embedding(ids, table)", "nn.Embedding.from_pretrained(table)(ids)"),
    section="table-gradient",
    why="The values are right, but no gradient arrives at the table, so it would never learn. You froze it, copied "
    "it or detached it. How can you select rows and stay in the graph?",
    hint="The values are right, and no gradient arrives at the table. `from_pretrained` makes a frozen parameter. "
    "`.data`, `.detach()` and `torch.tensor` detach the rows as well. Work with the table itself.",
)

mistake(
    "embeddings.embedding_lookup",
    "gradient-divided-by-frequency",
    edit("F.embedding(ids, table)", "F.embedding(ids, table, scale_grad_by_freq=True)"),
    section="table-gradient",
    why="Your values are right, but an id that occurs several times gets too small a gradient. You divided its "
    "gradient by the number of occurrences. What does the product with one-hot vectors do with the gradients of "
    "several positions?",
    hint="Your values are right, but an id that stands at several positions has too small a gradient. Its row should "
    "get the *sum* over its positions, as `one_hot.T @ gradient` does.",
)


@mistake(
    "embeddings.embedding_lookup",
    "rows-shortened-in-the-table",
    section="lookup-is-a-product",
    why="Long rows come out shorter, and the caller's table has changed. You set a maximal norm, which shortens rows "
    "in the table itself. Which numbers may a lookup change?",
    hint="Long rows come out shorter, and the table that you were given has changed. Leave `max_norm` out: a lookup "
    "changes neither the rows that it returns nor its arguments.",
)
def embedding_lookup(ids, table):
    with torch.no_grad():
        used = ids.unique()
        table[used] = table[used] / table[used].norm(dim=1, keepdim=True).clamp(min=1)
    return F.embedding(ids, table)


mistake(
    "embeddings.embedding_lookup",
    "always-float32",
    edit("F.embedding(ids, table)", "one_hot(ids, len(table)) @ table.float()"),
    section="lookup-is-a-product",
    why="For a table in float64 or bfloat16, your result is float32. You converted the table to the type of the "
    "one-hot vectors. Which of the two should be converted?",
    hint="For a table in float64 or bfloat16 your result is float32. Convert the one-hot vectors to the type of the "
    "table, not the table to that of the vectors.",
)

mistake(
    "embeddings.embedding_lookup",
    "rounded-through-float32",
    edit("F.embedding(ids, table)", "(one_hot(ids, len(table)) @ table.float()).to(table.dtype)"),
    section="lookup-is-a-product",
    why="For a float64 table, your values are wrong from about the eighth digit on. You computed the product in "
    "float32 and converted the result back, but lost digits do not return. Which of the two factors should be "
    "converted?",
    hint="For a float64 table your dtype is right and the values are off in the eighth digit: they went through "
    "float32. Convert the one-hot vectors instead.",
)

mistake(
    "embeddings.embedding_lookup",
    "unknown-ids-wrap",
    edit("F.embedding(ids, table)", "table[ids % len(table)]"),
    section="one-hot-vectors",
    why="An id beyond the table gets the vector of some other word. You took ids modulo the number of rows, so the "
    "error in the data stays hidden. What should happen to an id that has no row?",
    hint="An id beyond the last row wraps around and gets the row of another id. It should raise an error, because it "
    "means that ids and table do not belong together.",
)

mistake(
    "embeddings.embedding_lookup",
    "unknown-ids-clamped",
    edit("F.embedding(ids, table)", "table[ids.clamp(0, len(table) - 1)]"),
    section="one-hot-vectors",
    why="An id beyond the table gets the last row. You moved it to the nearest valid id, so the error in the data "
    "stays hidden. What should happen to an id that has no row?",
    hint="An id beyond the last row gets the last row. It should raise an error, because it means that ids and table "
    "do not belong together.",
)

mistake(
    "embeddings.embedding_lookup",
    "unknown-ids-become-zeros",
    edit("F.embedding(ids, table)", "(ids[..., None] == torch.arange(len(table))).to(table.dtype) @ table"),
    section="one-hot-vectors",
    why="An id beyond the table gets a vector of zeros. You compared the ids with all row numbers, and such an id "
    "equals none of them, so the error in the data stays hidden. What should happen to an id that has no row?",
    hint="An id beyond the last row gives zeros and no error. It should raise an error, because it means that ids and "
    "table do not belong together.",
)


# ---------------------------------------------------------------------------------------------------------------------
# TokenEmbedding


mistake(
    "embeddings.TokenEmbedding",
    "no-scale",
    edit("self.embed(ids) * math.sqrt(self.embed.embedding_dim)", "self.embed(ids)"),
    section="embedding-scale",
    why="Your vectors are sqrt(d_model) times too short, so rows of the usual small size would drown in the positions. "
    "You returned the rows as they are, or scaled the weights once at the start, which is lost when weights are "
    "loaded. Where must the scale be applied?",
    hint="Your vectors are the right ones divided by sqrt(d_model). Multiply what `embed` returns, in every call of "
    "`forward`.",
)

mistake(
    "embeddings.TokenEmbedding",
    "divided-by-the-root",
    edit(
        "self.embed(ids) * math.sqrt(self.embed.embedding_dim)",
        "self.embed(ids) / math.sqrt(self.embed.embedding_dim)",
    ),
    section="embedding-scale",
    why="Your vectors are the right ones divided by d_model. You divided by sqrt(d_model), as attention does with "
    "its scores. Should small weights become larger or smaller here?",
    hint="You divide by sqrt(d_model), so your vectors are the right ones divided by d_model. Attention divides its "
    "scores; the embedding *multiplies* its rows.",
)

mistake(
    "embeddings.TokenEmbedding",
    "times-the-width",
    edit("math.sqrt(self.embed.embedding_dim)", "self.embed.embedding_dim"),
    section="embedding-scale",
    why="Your vectors are sqrt(d_model) times too long. You multiplied by d_model itself, but entries of variance "
    "1/d_model have the size 1/sqrt(d_model). Which factor brings an entry of that size back to 1?",
    hint="Your vectors are sqrt(d_model) times too long: you multiply by the width itself. The scale is its "
    "square root.",
)

mistake(
    "embeddings.TokenEmbedding",
    "root-of-the-vocabulary",
    edit("self.embed.embedding_dim", "self.embed.num_embeddings"),
    section="embedding-scale",
    why="The scale of your vectors changes with the vocabulary. You took the root of the number of rows. Which size "
    "decides how large a single entry of a vector is?",
    hint="You multiply by the square root of the vocabulary's size. The scale is the root of the *width*, d_model.",
)

mistake(
    "embeddings.TokenEmbedding",
    "root-of-the-length",
    edit("self.embed.embedding_dim", "ids.shape[1]"),
    section="embedding-scale",
    why="The same word is larger in a longer sentence. You took the scale from the length of the sequence. Which "
    "size is the same for every sentence?",
    hint="You multiply by the square root of T, the number of tokens, so the same word differs with the length of its "
    "sentence. The scale is the root of the width d_model.",
)

mistake(
    "embeddings.TokenEmbedding",
    "root-rounded-down",
    edit(
        "self.embed = nn.Embedding(vocab_size, d_model)",
        "self.embed = nn.Embedding(vocab_size, d_model)\nself.scale = int(d_model**0.5)",
    ),
    edit("math.sqrt(self.embed.embedding_dim)", "self.scale"),
    section="embedding-scale",
    why="Your scale is an integer: for a width of 512 it is 22 and not 22.63. You rounded the square root down. "
    "Which digits does the scale need?",
    hint="Your scale is an integer: the root was rounded down. Keep all digits of sqrt(d_model).",
)

mistake(
    "embeddings.TokenEmbedding",
    "scale-of-the-paper",
    edit("self.embed.embedding_dim", "512"),
    section="embedding-scale",
    why="Your factor is 22.6 for every width. You wrote sqrt(512), the scale of the paper's base model, as a number. "
    "Which argument should the scale follow?",
    hint="Your factor is 22.6 for every width. That is sqrt(512), for the paper's base model. Your model has another "
    "d_model.",
)

mistake(
    "embeddings.TokenEmbedding",
    "table-scaled-in-every-call",
    edit(
        "table = self.embed.weight",
        "with torch.no_grad():\n    self.embed.weight.mul_(math.sqrt(self.embed.embedding_dim))",
    ),
    edit("embedding_lookup(ids, table * math.sqrt(table.shape[1]))", "self.embed(ids)"),
    base="scaled-table-looked-up",
    section="embedding-scale",
    why="The first call is right, and every later one is larger. You multiplied the table itself in `forward`, so it "
    "grows with each call and the optimiser finds other weights than it left. What else could be scaled?",
    hint="The first call is right and the second one too large: your forward changes the weights. Scale the *result* "
    "of the lookup and leave the table alone.",
)

mistake(
    "embeddings.TokenEmbedding",
    "rows-normalised",
    edit("self.embed(ids)", "F.normalize(self.embed(ids), dim=-1)"),
    section="embedding-scale",
    why="All your vectors have the same length, sqrt(d_model). You normalised each row, so rows that differ only in "
    "length become equal. Which information does a row lose in this way?",
    hint="All your vectors have the same length, sqrt(d_model). The factor multiplies the row as it is; do not divide "
    "by its norm first.",
)

mistake(
    "embeddings.TokenEmbedding",
    "positions-already-added",
    edit(
        "return self.embed(ids) * math.sqrt(self.embed.embedding_dim)",
        """
        width = self.embed.embedding_dim
        positions = sinusoidal_positions(ids.shape[1], width).to(self.embed.weight.dtype)
        return self.embed(ids) * math.sqrt(width) + positions
        """,
    ),
    section="order-is-lost",
    why="Positions will be added twice. Your result already holds their vectors, but adding them is the task of "
    "`PositionalEncoding`. Which two steps belong in this module?",
    hint="Your result holds the vectors of the positions too. This module only looks up and scales; adding positions "
    "is Task 6.",
)

mistake(
    "embeddings.TokenEmbedding",
    "padding-becomes-zeros",
    edit(
        "self.embed(ids) * math.sqrt(self.embed.embedding_dim)",
        "self.embed(ids) * math.sqrt(self.embed.embedding_dim) * (ids != 0)[..., None]",
    ),
    section="lookup-is-a-product",
    why="Id 0 gets zeros instead of its scaled row. You hid the padding, which is the task of masks. What is "
    "different about id 0 in a lookup?",
    hint="For id 0 you return zeros and not its row times sqrt(d_model). Masks take care of padding later.",
)

mistake(
    "embeddings.TokenEmbedding",
    "scale-that-learns",
    edit(
        "self.embed = nn.Embedding(vocab_size, d_model)",
        "self.embed = nn.Embedding(vocab_size, d_model)\nself.scale = nn.Parameter(torch.tensor(math.sqrt(d_model)))",
    ),
    edit("math.sqrt(self.embed.embedding_dim)", "self.scale"),
    section="embedding-scale",
    why="After training or loading weights, your scale is no longer sqrt(d_model). You made it a parameter, so the "
    "optimiser changes it. Is this number learned or fixed?",
    hint="Your factor is a parameter: as soon as weights are loaded or trained it is no longer sqrt(d_model). Keep it "
    "as a number, or as a buffer.",
)

mistake(
    "embeddings.TokenEmbedding",
    "bias-added",
    edit(
        "self.embed = nn.Embedding(vocab_size, d_model)",
        "self.embed = nn.Embedding(vocab_size, d_model)\nself.bias = nn.Parameter(torch.zeros(d_model))",
    ),
    edit(
        "self.embed(ids) * math.sqrt(self.embed.embedding_dim)",
        "self.embed(ids) * math.sqrt(self.embed.embedding_dim) + self.bias",
    ),
    section="lookup-is-a-product",
    why="Every vector is off by the same amount once training has begun. You added a learned bias, as a linear layer "
    "does. Which parameters does an embedding have?",
    hint="Every vector is off by the same amount, because you add a second parameter to each. The only parameter is "
    "`embed.weight`.",
)

mistake(
    "embeddings.TokenEmbedding",
    "dropout-inside",
    edit(
        "self.embed = nn.Embedding(vocab_size, d_model)",
        "self.embed = nn.Embedding(vocab_size, d_model)\nself.drop = nn.Dropout(0.1)",
    ),
    edit(
        "self.embed(ids) * math.sqrt(self.embed.embedding_dim)",
        "self.drop(self.embed(ids) * math.sqrt(self.embed.embedding_dim))",
    ),
    section="add-then-drop",
    why="In training mode some entries of your vectors are zero, and the others are too large. You applied dropout "
    "here, before the positions are added. In which module does the paper apply it?",
    hint="In training mode some entries of your vectors are zero and the others too large: there is a dropout in your "
    "layer. It belongs after the positions, in Task 6.",
)

mistake(
    "embeddings.TokenEmbedding",
    "width-shared-by-all-layers",
    edit(
        "self.embed = nn.Embedding(vocab_size, d_model)",
        "self.embed = nn.Embedding(vocab_size, d_model)\nTokenEmbedding.d_model = d_model",
    ),
    edit("self.embed.embedding_dim", "TokenEmbedding.d_model"),
    section="embedding-scale",
    why="A model with two widths gets the wrong factor in one of its embeddings. You stored the width on the class, "
    "so the layer that was built last decides for all. Where should a layer store what belongs to it alone?",
    hint="The factor belongs to another `TokenEmbedding`, the one that was built last. Keep the width on the instance, "
    "as `self.d_model`, or ask `self.embed`.",
)

mistake(
    "embeddings.TokenEmbedding",
    "cut-off-from-the-gradient",
    edit("self.embed(ids)", "self.embed.weight.detach()[ids]"),
    section="table-gradient",
    why="The values are right, but the table never gets a gradient, so it never learns. You used detached or frozen "
    "weights. How do you call the layer itself?",
    hint="No gradient arrives at `embed.weight`: `.data` and `.detach()` cut it off. Call the layer itself.",
)

mistake(
    "embeddings.TokenEmbedding",
    "sizes-exchanged",
    edit(
        "self.embed = nn.Embedding(vocab_size, d_model)",
        "self.embed = nn.Embedding(d_model, vocab_size)\nself.d_model = d_model",
    ),
    edit("self.embed.embedding_dim", "self.d_model"),
    section="lookup-is-a-product",
    why="Your table has d_model rows of width vocab_size. You exchanged the two sizes. Which one does `nn.Embedding` "
    "take first?",
    hint="Your table has d_model rows of width vocab_size. `nn.Embedding(num_embeddings, embedding_dim)`: the number "
    "of rows comes first.",
)

mistake(
    "embeddings.TokenEmbedding",
    "another-name",
    edit("self.embed = nn.Embedding(vocab_size, d_model)", "self.lut = nn.Embedding(vocab_size, d_model)"),
    edit("self.embed(ids) * math.sqrt(self.embed.embedding_dim", "self.lut(ids) * math.sqrt(self.lut.embedding_dim"),
    section="lookup-is-a-product",
    why="Weights cannot be copied into your module. You named the layer `lut`, as the Annotated Transformer does, "
    "and names are part of the task. Which name does this course use?",
    hint="There is no attribute `embed`. Names are part of the task: the checks put their own weights into "
    "`embed.weight`.",
)

mistake(
    "embeddings.TokenEmbedding",
    "long-rows-shortened",
    edit("nn.Embedding(vocab_size, d_model)", "nn.Embedding(vocab_size, d_model, max_norm=1.0)"),
    section="lookup-is-a-product",
    why="Long rows come out shorter, and the weights have changed. You set a maximal norm, but the length of a row "
    "is information that training put there. Which of your arguments sets this limit?",
    hint="Rows longer than a limit come out shorter: that is `max_norm`. Build the layer without it.",
)

mistake(
    "embeddings.TokenEmbedding",
    "answers-remembered",
    edit(
        "self.embed = nn.Embedding(vocab_size, d_model)",
        "self.embed = nn.Embedding(vocab_size, d_model)\nself.vectors = None",
    ),
    edit(
        "table = self.embed.weight",
        "if self.vectors is None:\n    self.vectors = self.embed(ids) * math.sqrt(self.embed.embedding_dim)",
    ),
    edit("embedding_lookup(ids, table * math.sqrt(table.shape[1]))", "self.vectors"),
    base="scaled-table-looked-up",
    section="lookup-is-a-product",
    why="From the second call on, you return the vectors of the first call. You stored that result, so other ids and "
    "newer weights make no difference. What may a module keep between two calls?",
    hint="From the second call on you return the vectors of the first one. Look up in every call; keep nothing between "
    "calls.",
)


# ---------------------------------------------------------------------------------------------------------------------
# sinusoidal_positions


mistake(
    "embeddings.sinusoidal_positions",
    "exponent-doubled",
    edit("even * (-math.log(10000.0) / d_model)", "2 * even * (-math.log(10000.0) / d_model)"),
    section="wave-layout",
    why="The first pair of columns is right, and the later ones turn too slowly. You doubled the exponent once too "
    "often, because your even numbers already are the 2i of the formula. Which exponent does the formula give pair "
    "i, and which do you give it?",
    hint="Your first pair of columns is right, and the later ones turn too slowly. `arange(0, d, 2)` already counts 0, "
    "2, 4, …, which is 2i, so do not double it again.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "exponent-not-doubled",
    edit("even * (-math.log(10000.0) / d_model)", "even / 2 * (-math.log(10000.0) / d_model)"),
    section="wave-layout",
    why="The first pair of columns is right, and the later ones turn too fast. Your exponent is i / d, where i is "
    "the number of the pair. Which factor of the formula is missing?",
    hint="Your first pair of columns is right, and the later ones turn too fast. With i = 0, 1, 2, … for the pairs, "
    "the exponent is 2i / d, not i / d.",
)


@mistake(
    "embeddings.sinusoidal_positions",
    "cosine-with-its-own-exponent",
    section="wave-layout",
    why="Your sines are right, and your cosines turn too slowly. You gave every column a frequency of its own, so a "
    "shift in position is no longer a rotation. Which angle do columns 2i and 2i + 1 share?",
    hint="Your sines are right and your cosines turn too slowly. Columns 2i and 2i + 1 are sine and cosine of the "
    "*same* angle, with the exponent 2i / d for both.",
)
def sinusoidal_positions(max_len, d_model):
    position = torch.arange(max_len, dtype=torch.float32)[:, None]
    column = torch.arange(d_model, dtype=torch.float32)
    angles = position * torch.exp(column * (-math.log(10000.0) / d_model))
    return torch.where(column % 2 == 0, angles.sin(), angles.cos())


mistake(
    "embeddings.sinusoidal_positions",
    "halves-not-interleaved",
    edit(
        """
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = angles.sin()
        pe[:, 1::2] = angles[:, : d_model // 2].cos()
        """,
        "",
    ),
    edit("return pe", "return torch.cat([angles.sin(), angles[:, : d_model // 2].cos()], dim=1)"),
    section="wave-layout",
    why="All your sines are in the left half and all cosines in the right half. A model trains with this layout as "
    "well, but weights that were trained with the paper's layout do not fit it. In which columns does the paper put "
    "the sines?",
    hint="All your sines stand in the left half and the cosines in the right one. In the paper's layout they "
    "alternate: sine in the even columns, cosine in the odd ones.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "frequencies-rise",
    edit("-math.log(10000.0)", "math.log(10000.0)"),
    section="wave-layout",
    why="Your columns turn faster from left to right, and neighbouring positions look random. You multiplied "
    "positions by the powers of 10000 instead of dividing by them. Which sign does the exponent need?",
    hint="Your columns get faster from left to right. The angle is the position *divided* by 10000^(2i / d): written "
    "with exp, the exponent is negative.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "sine-and-cosine-exchanged",
    edit("angles.sin()", "angles.cos()"),
    edit("angles[:, : d_model // 2].cos", "angles[:, : d_model // 2].sin"),
    section="wave-layout",
    why="Position 0 reads 1, 0, 1, 0 in your table. You exchanged sines and cosines. What are the sine and the "
    "cosine of 0, and which one comes first?",
    hint="Sine and cosine have changed places. Look at position 0: all its angles are 0, so it should read 0, 1, 0, 1, "
    "….",
)

mistake(
    "embeddings.sinusoidal_positions",
    "sines-alone",
    edit(
        """
        pe = torch.zeros(max_len, d_model)
        pe[:, 0::2] = angles.sin()
        pe[:, 1::2] = angles[:, : d_model // 2].cos()
        """,
        "",
    ),
    edit("return pe", "return angles.sin().repeat_interleave(2, dim=1)[:, :d_model]"),
    section="wave-layout",
    why="Your odd columns hold sines, too. Without its cosine an angle is known only up to a reflection, and no "
    "linear map can shift the position. What belongs beside each sine?",
    hint="You have sines in the odd columns too. Column 2i + 1 holds the *cosine* of the angle whose sine is in column "
    "2i.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "positions-from-one",
    edit("torch.arange(max_len, dtype=torch.float32)", "torch.arange(1, max_len + 1, dtype=torch.float32)"),
    section="sinusoidal-positions",
    why="Each row holds the vector of the next position. You counted positions from 1. What does the row of position "
    "0 look like when all its angles are 0?",
    hint="Each row belongs to the position after its own: row 0 should read 0, 1, 0, 1, …, because its angles are 0. "
    "Count positions from 0.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "one-zero-too-many",
    edit("math.log(10000.0)", "math.log(100000.0)"),
    section="wave-layout",
    why="The slow columns turn more slowly than in every published model. Your base is 100000, one zero too many, as "
    "in a comment that is widely copied. Which base does the paper use?",
    hint="Your base is 100000 (a zero too many, as in a comment that is widely copied). The paper's is 10000.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "base-of-one-thousand",
    edit("math.log(10000.0)", "math.log(1000.0)"),
    section="wave-layout",
    why="The slow columns turn too fast. Your base is 1000, so the slowest wave repeats after some six thousand "
    "positions instead of sixty thousand. Which base does the paper use?",
    hint="Your base is 1000. The paper's is 10000, ten to the power of four.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "power-before-division",
    edit(
        "position * torch.exp(even * (-math.log(10000.0) / d_model))",
        "position / (10000.0**2 * (even / 2) / d_model).clamp(min=1)",
    ),
    section="wave-layout",
    why="Your positions are divided by numbers that grow in proportion to i. Python computes a power before a product "
    "or a quotient, so most of the fraction 2i / d is outside your exponent. Which part of the formula belongs in it?",
    hint="Your positions are divided by numbers that grow in proportion to i. `10000 ** 2 * i / d` means (10000²) · i "
    "/ d: put the whole exponent in parentheses.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "last-divisor-is-ten-thousand",
    edit("-math.log(10000.0) / d_model", "-math.log(10000.0) / max(d_model - 2 + d_model % 2, 1)"),
    section="wave-layout",
    why="The first pair is right, and every later one turns too slowly. You spread the exponents from 0 to 1 with "
    "both ends included, as some libraries do. What is the last exponent in the paper's formula?",
    hint="Your first pair is right, and every later one turns too slowly. The exponent is 2i / d, which never reaches "
    "1; do not spread the exponents evenly from 0 to 1.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "positions-as-fractions",
    edit(
        "position * torch.exp(even * (-math.log(10000.0) / d_model))",
        "position / max_len * torch.exp(even * (-math.log(10000.0) / d_model))",
    ),
    section="sinusoidal-positions",
    why="The same position gets another vector in a longer table. You divided the positions by `max_len` first, so "
    "all angles are below 1. Which number does the formula use for a position?",
    hint="The same position has another vector in a longer table: you divide positions by max_len. The angle uses the "
    "position itself, 0, 1, 2, ….",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-fails",
    edit("angles[:, : d_model // 2]", "angles"),
    section="odd-widths",
    why="For an odd width your function fails. You wrote as many cosines as sines, but there is one odd column "
    "fewer. What happens to the cosine of the last angle?",
    hint="For an odd d_model your function fails, because there is one angle more than there are odd columns. Leave "
    "the last cosine out.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-frequencies-of-the-next",
    edit("-math.log(10000.0) / d_model", "-math.log(10000.0) / (d_model + d_model % 2)"),
    section="odd-widths",
    why="For an odd width every wave but the first is too fast. You built a table for d + 1 columns and removed the "
    "last one, so your exponents use d + 1. Which width does the formula name?",
    hint="For an odd d_model all waves but the first are too fast: you built a wider table and cut it. Cut columns if "
    "you like, but divide by the d_model of the call.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-frequencies-of-the-one-before",
    edit("-math.log(10000.0) / d_model", "-math.log(10000.0) / max(d_model // 2 * 2, 1)"),
    section="odd-widths",
    why="For an odd width every wave but the first is too slow. You rounded the width down to an even number, so "
    "your exponents use d - 1. Which width does the formula name?",
    hint="For an odd d_model all waves but the first are too slow: you divide by d_model - 1, which is twice `d_model "
    "// 2`. Divide by the d_model of the call.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-ends-with-zeros",
    edit("d_model // 2", "pairs"),
    edit(":, 0::2] = angles.sin()", ":, 0 : 2 * pairs : 2] = angles[:, :pairs].sin()"),
    edit("pe = torch.zeros(max_len, d_model)", "pe = torch.zeros(max_len, d_model)\npairs = d_model // 2"),
    section="odd-widths",
    why="For an odd width your last column is all zeros. The last angle has no room for its cosine, so you left out "
    "its sine as well. Which of the two does this column hold?",
    hint="For an odd d_model your last column is all zeros. The last angle has no room for its cosine, but its sine "
    "stands in that column.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-ends-with-a-cosine",
    edit(
        "pe[:, 1::2] = angles[:, : d_model // 2].cos()",
        "pe[:, 1::2] = angles[:, : d_model // 2].cos()\nif d_model % 2:\n    pe[:, -1] = angles[:, -1].cos()",
    ),
    section="odd-widths",
    why="For an odd width your last column is a cosine. Counted from 0, this column is even. What do even columns "
    "hold?",
    hint="For an odd d_model your last column is a cosine. Counted from 0 it is an even column, and those hold sines.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "batch-axis-added",
    edit("return pe", "return pe[None]"),
    section="sinusoidal-positions",
    why="Your table has the shape (1, max_len, d_model). The axis for the batch belongs to the buffer of "
    "`PositionalEncoding`. How many axes does a table of positions have here?",
    hint="Your table has shape `(1, max_len, d_model)`. Here it is `(max_len, d_model)`; the axis for the batch is "
    "added in Task 6.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "axes-exchanged",
    edit("return pe", "return pe.T"),
    section="sinusoidal-positions",
    why="Your table is transposed: (d_model, max_len). Vectors lie along the last axis. What should a row of the "
    "table be: a position or a feature?",
    hint="Your table is transposed: shape `(d_model, max_len)`. A position is a row of it.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "double-precision",
    edit("torch.arange(max_len, dtype=torch.float32)", "torch.arange(max_len, dtype=torch.float64)"),
    edit("torch.arange(0, d_model, 2, dtype=torch.float32)", "torch.arange(0, d_model, 2, dtype=torch.float64)"),
    edit("torch.zeros(max_len, d_model)", "torch.zeros(max_len, d_model, dtype=torch.float64)"),
    section="positions-dtype",
    why="The values are right, but the table is float64. You chose the wrong type for the result. Which type does "
    "the task ask for?",
    hint="The values are right and the dtype is float64. Return float32 (computing in float64 on the way is welcome).",
)

mistake(
    "embeddings.sinusoidal_positions",
    "angles-in-half-precision",
    edit(
        "torch.arange(max_len, dtype=torch.float32)[:, None]",
        "torch.arange(max_len, dtype=torch.float32)[:, None].bfloat16()",
    ),
    edit(
        "position * torch.exp(even * (-math.log(10000.0) / d_model))",
        "(position * torch.exp(even * (-math.log(10000.0) / d_model))).bfloat16().float()",
    ),
    section="positions-dtype",
    why="The table is roughly right near the start and wrong further on. You computed the angles in bfloat16, which "
    "cannot tell neighbouring integers above 256 apart. Which type should the angles have before the final "
    "cast?",
    hint="Near the start your table is roughly right, and further on it is not: 16-bit floats have too few digits for "
    "positions. Compute in float32 and cast at the end.",
)


# ---------------------------------------------------------------------------------------------------------------------
# PositionalEncoding


mistake(
    "embeddings.PositionalEncoding",
    "no-dropout",
    edit("self.drop(x + self.pe[:, :length].to(x.dtype))", "x + self.pe[:, :length].to(x.dtype)"),
    section="add-then-drop",
    why="In training mode no entry is dropped. You added the positions and left out dropout, which the paper applies "
    "in both encoder and decoder. To which tensor does the paper apply it?",
    hint="In training mode nothing is dropped. Apply `nn.Dropout(dropout)` to the sum of tokens and positions.",
)

mistake(
    "embeddings.PositionalEncoding",
    "dropped-before-adding",
    edit("self.drop(x + self.pe[:, :length].to(x.dtype))", "self.drop(x) + self.pe[:, :length].to(x.dtype)"),
    section="add-then-drop",
    why="Where an entry is dropped, you return the entry of the position instead of 0. You dropped the tokens first "
    "and added the positions afterwards. Which order do the two steps need?",
    hint="Where an entry is dropped you still return the position's entry, and not 0. Add first and drop out the "
    "*sum*.",
)

mistake(
    "embeddings.PositionalEncoding",
    "positions-alone-dropped",
    edit(
        "self.drop(x + self.pe[:, :length].to(x.dtype))",
        "x + self.drop(self.pe[:, :length].to(x.dtype).expand_as(x))",
    ),
    section="add-then-drop",
    why="In training mode only the positions are dropped, and the tokens stay whole. You applied dropout before the "
    "sum. Which tensor should it act on?",
    hint="In training only the positions are dropped, your tokens never are. Apply dropout to the *sum*.",
)

mistake(
    "embeddings.PositionalEncoding",
    "drops-in-evaluation-too",
    edit("self.drop = nn.Dropout(dropout)", "self.p = dropout"),
    edit("self.drop(x + self.pe[:, :length].to(x.dtype))", "F.dropout(x + self.pe[:, :length].to(x.dtype), self.p)"),
    section="add-then-drop",
    why="In evaluation mode, every call gives another result. You called the functional dropout, which assumes "
    "training mode unless you say otherwise. How does a module know its mode?",
    hint="In evaluation mode your module still drops entries. `F.dropout` has `training=True` by default: use an "
    "`nn.Dropout` module, or hand on `self.training`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "probability-to-keep",
    edit("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)"),
    section="add-then-drop",
    why="Far too many entries are dropped. You read the argument as the probability to keep an entry. What does "
    "`dropout=0.1` mean in PyTorch?",
    hint="Too many entries are dropped: you read `dropout` as the probability to keep. It is the probability to drop, "
    "as in `nn.Dropout(dropout)`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "dropout-of-one-tenth-always",
    edit("nn.Dropout(dropout)", "nn.Dropout(0.1)"),
    section="add-then-drop",
    why="One entry in ten is dropped whatever `dropout` says. You wrote 0.1 into the class. Where should the "
    "argument go?",
    hint="Your module drops one entry in ten whatever `dropout` says. Hand the argument on to `nn.Dropout`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "no-dropout-by-default",
    edit(
        "def __init__(self, d_model, dropout=0.1, max_len=5000):",
        "def __init__(self, d_model, dropout=0.0, max_len=5000):",
    ),
    section="positions-module",
    why="Built from its width alone, your module drops nothing in training. Your default of `dropout` is 0. Which "
    "default does the task give?",
    hint="Built with its width alone, your module drops nothing in training. The default of `dropout` is 0.1, as it "
    "stands in the task.",
)

mistake(
    "embeddings.PositionalEncoding",
    "positions-with-a-learned-weight",
    edit(
        "self.drop = nn.Dropout(dropout)",
        "self.drop = nn.Dropout(dropout)\nself.alpha = nn.Parameter(torch.ones(1))",
    ),
    edit("self.pe[:, :length]", "(self.alpha * self.pe[:, :length])"),
    section="positions-module",
    why="Training changes the size of the positions. You multiplied them by a parameter before the sum, but the "
    "sinusoids are added as they are. What does this module have to learn?",
    hint="The positions are added with a factor that is a parameter of yours. Add `pe` as it is; there are no "
    "parameters in this module.",
)

mistake(
    "embeddings.PositionalEncoding",
    "other-defaults",
    edit(
        "def __init__(self, d_model, dropout=0.1, max_len=5000):",
        "def __init__(self, d_model, dropout=0.5, max_len=512):",
    ),
    section="positions-module",
    why="Built from its width alone, your module has another dropout or another `max_len` than the task says. You "
    "gave the arguments other defaults. Which two defaults does the task give?",
    hint="Built with its width alone, your module has another dropout or another max_len than 0.1 and 5000. Take the "
    "defaults as they stand in the task.",
)

mistake(
    "embeddings.PositionalEncoding",
    "a-parameter",
    edit(
        'self.register_buffer("pe", sinusoidal_positions(max_len, d_model)[None])',
        "self.pe = nn.Parameter(sinusoidal_positions(max_len, d_model)[None])",
    ),
    section="positions-module",
    why="Training changes the table of positions. You made it a parameter, but the sinusoids are fixed. What does a "
    "module offer for tensors that are saved and moved but not trained?",
    hint="`pe` is a parameter and would be trained. Register it as a buffer.",
)

mistake(
    "embeddings.PositionalEncoding",
    "a-frozen-parameter",
    edit(
        'self.register_buffer("pe", sinusoidal_positions(max_len, d_model)[None])',
        "self.pe = nn.Parameter(sinusoidal_positions(max_len, d_model)[None], requires_grad=False)",
    ),
    section="positions-module",
    why="The table is counted with the parameters and passed to optimisers, although it never changes. You made it a "
    "parameter without a gradient. What does a module offer for tensors that are never trained?",
    hint="`pe` is among the parameters, although it is frozen. A tensor that is never trained is a *buffer*: register "
    "it as one.",
)

mistake(
    "embeddings.PositionalEncoding",
    "a-plain-attribute",
    edit(
        'self.register_buffer("pe", sinusoidal_positions(max_len, d_model)[None])',
        "self.pe = sinusoidal_positions(max_len, d_model)[None]",
    ),
    section="positions-module",
    why="On a GPU the table stays behind on the CPU. You stored it as a plain attribute, which `Module.to()` does "
    "not see. What does a module offer for tensors that move with it but are not trained?",
    hint="`pe` is an ordinary tensor attribute and would stay on the CPU when the module moves. Register it as a "
    "buffer.",
)

mistake(
    "embeddings.PositionalEncoding",
    "buffer-without-batch-axis",
    edit("sinusoidal_positions(max_len, d_model)[None]", "sinusoidal_positions(max_len, d_model)"),
    edit("x.shape[1] > self.pe.shape[1]", "x.shape[1] > self.pe.shape[0]"),
    edit(
        'f"{x.shape[1]} positions are more than max_len {self.pe.shape[1]}"',
        'f"{x.shape[1]} positions are more than max_len {self.pe.shape[0]}"',
    ),
    edit(":, : x.shape[1]", ": x.shape[1]"),
    base="shapes-asked-twice",
    section="positions-module",
    why="Saved weights of this course's models do not fit your module. Your buffer has the shape (max_len, d_model), "
    "but theirs has an axis for the batch in front. Which shape does the task give?",
    hint="Your buffer `pe` has shape `(max_len, d_model)`. Give it an axis of length 1 in front, for the batch.",
)

mistake(
    "embeddings.PositionalEncoding",
    "positions-along-the-batch",
    edit(
        "return self.drop(x + self.pe[:, : x.shape[1]]",
        "positions = self.pe[0, torch.arange(x.shape[0]) % self.pe.shape[1]]\nreturn self.drop(x + positions[:, None]",
    ),
    base="shapes-asked-twice",
    section="positions-module",
    why="All tokens of a sequence get the same position: sequence 0 gets position 0, and sequence 1 gets position 1. "
    "You counted positions along the batch, as if the first axis were the sequence. Which axis of (B, T, d) holds the "
    "positions?",
    hint="Your positions run along the batch: sequence 0 gets position 0, sequence 1 position 1. In `(B, T, d)` the "
    "positions are axis 1.",
)

mistake(
    "embeddings.PositionalEncoding",
    "length-of-the-batch-axis",
    edit(": x.shape[1]", ": x.shape[0]"),
    base="shapes-asked-twice",
    section="positions-module",
    why="Your module is right only if there are as many sequences as tokens, and mostly fails otherwise. You cut the "
    "table to the size of the batch. Which axis of (B, T, d) holds the positions?",
    hint="Your module is wrong when there are more or fewer sequences than tokens: it cuts the table to the size of "
    "axis 0. The positions are axis 1 of `(B, T, d)`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "colon-forgotten",
    edit(
        "return self.drop(x + self.pe[:, : x.shape[1]]",
        "positions = self.pe[:, x.shape[1] % self.pe.shape[1]]\nreturn self.drop(x + positions",
    ),
    base="shapes-asked-twice",
    section="positions-module",
    why="All tokens get the same vector added. Your index selects a single row of the table, that of position T. How "
    "do you select the first T rows?",
    hint="All your tokens get the same vector added. `pe[:, T]` is the row of position T alone; a slice takes the "
    "first T rows.",
)

mistake(
    "embeddings.PositionalEncoding",
    "positions-from-one",
    edit(
        "return self.drop(x + self.pe[:, :length]",
        "positions = self.pe.roll(-1, 1)[:, :length]\nreturn self.drop(x + positions",
    ),
    section="positions-module",
    why="Each token gets the vector of the position after its own, and a sequence of `max_len` tokens lacks its last "
    "row. You began with row 1. Which row belongs to the first token?",
    hint="Each token gets the vector of the position after its own. The first token stands at position 0.",
)

mistake(
    "embeddings.PositionalEncoding",
    "counted-from-the-end",
    edit(": x.shape[1]", "-x.shape[1] :"),
    base="shapes-asked-twice",
    section="positions-module",
    why="A token's vector depends on `max_len`. You added the last T rows of the table. Which row belongs to the "
    "first token?",
    hint="You add the *last* T rows of the table. Position 0 gets row 0.",
)

mistake(
    "embeddings.PositionalEncoding",
    "too-long-left-to-broadcasting",
    edit(
        """
        if x.shape[1] > self.pe.shape[1]:
            raise ValueError(f"{x.shape[1]} positions are more than max_len {self.pe.shape[1]}")
        """,
        "",
    ),
    base="shapes-asked-twice",
    section="positions-too-long",
    why="A sequence longer than `max_len` ends in an error about the sizes of some tensors. You left the check to "
    "broadcasting, and its message does not say what was too long. When can you compare the two lengths?",
    hint="For a sequence longer than max_len your error is PyTorch's, about sizes that do not match. Compare the "
    "lengths first and raise a ValueError that names both.",
)

mistake(
    "embeddings.PositionalEncoding",
    "too-long-is-cut",
    edit(
        """
        if x.shape[1] > self.pe.shape[1]:
            raise ValueError(f"{x.shape[1]} positions are more than max_len {self.pe.shape[1]}")
        """,
        "x = x[:, : self.pe.shape[1]]",
    ),
    base="shapes-asked-twice",
    section="positions-too-long",
    why="A sequence longer than `max_len` loses its end, and nobody is told. You cut it to the length of the table. "
    "How should the module react instead?",
    hint="For a sequence longer than max_len you return fewer tokens than you got. Raise a ValueError instead.",
)

mistake(
    "embeddings.PositionalEncoding",
    "too-long-starts-again",
    edit("pe: torch.Tensor", ""),
    edit("length, max_len = x.shape[1], self.pe.shape[1]", ""),
    edit(
        'if length > max_len:\n    raise ValueError(f"x has {length} positions, but max_len is {max_len}.")',
        "positions = self.pe[:, torch.arange(x.shape[1]) % self.pe.shape[1]]",
    ),
    edit("self.pe[:, :length]", "positions"),
    section="positions-too-long",
    why="In a sequence longer than `max_len` two tokens share a position, and attention cannot tell which comes "
    "first. You started again at position 0. How should the module react instead?",
    hint="For a sequence longer than max_len you begin again at position 0. Raise a ValueError instead.",
)

mistake(
    "embeddings.PositionalEncoding",
    "full-length-refused",
    edit("x.shape[1] > self.pe.shape[1]", "x.shape[1] >= self.pe.shape[1]"),
    base="shapes-asked-twice",
    section="positions-too-long",
    why="A sequence of exactly `max_len` tokens is refused. Your comparison refuses equal numbers, too, but the last "
    "position, `max_len - 1`, has a row. Which lengths are too long?",
    hint="A sequence of exactly max_len tokens raises an error, though its last position, max_len - 1, has a row. "
    "Refuse what is *longer*.",
)

mistake(
    "embeddings.PositionalEncoding",
    "batch-compared-with-max-len",
    edit("x.shape[1] > self.pe.shape[1]", "x.shape[0] > self.pe.shape[1]"),
    edit(
        'f"{x.shape[1]} positions are more than max_len {self.pe.shape[1]}"',
        'f"{x.shape[0]} positions are more than max_len {self.pe.shape[1]}"',
    ),
    base="shapes-asked-twice",
    section="positions-too-long",
    why="A large batch of short sentences is refused, and a long sentence is not. You compared the number of "
    "sequences with `max_len`. Which axis of (B, T, d) holds the positions?",
    hint="A batch of more than max_len sequences raises an error, and a long sequence does not. The length is axis 1 "
    "of `(B, T, d)`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "table-cast-for-good",
    edit(
        "return self.drop(x + self.pe[:, :length].to(x.dtype)",
        "self.pe = self.pe.to(x.dtype)\nreturn self.drop(x + self.pe[:, :length]",
    ),
    section="positions-dtype",
    why="After a single call with bfloat16, every later float32 input gets rounded positions. You replaced the table "
    "by one in the type of the input. Which tensor may you cast without changing the buffer?",
    hint="After a bfloat16 input, the positions that you add to float32 inputs are rounded: you assign the cast table "
    "to `self.pe`. Cast it where you add it and keep the buffer as it is.",
)

mistake(
    "embeddings.PositionalEncoding",
    "type-promoted",
    edit("self.pe[:, :length].to(x.dtype)", "self.pe[:, :length]"),
    section="positions-dtype",
    why="For a bfloat16 input your result is float32. You added a float32 table, and PyTorch promotes the sum to the "
    "wider type. Which of the two should be cast, and when?",
    hint="For an input in bfloat16 your result is float32. Cast the table to `x.dtype` before you add.",
)

mistake(
    "embeddings.PositionalEncoding",
    "input-cast-to-the-table",
    edit("x + self.pe[:, :length].to(x.dtype)", "x.float() + self.pe[:, :length].float()"),
    section="positions-dtype",
    why="Your result is float32 whatever the input is. You cast the input to the type of the table. Which of the two "
    "should be cast?",
    hint="Your result is float32 whatever the input is. Cast the other one: the *table* to `x.dtype`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "input-rounded-to-float32",
    edit(
        "return self.drop(x + self.pe[:, :length].to(x.dtype)",
        "total = x.float() + self.pe[:, :length].float()\nreturn self.drop(total.to(x.dtype)",
    ),
    section="positions-dtype",
    why="For a float64 input your result has lost about half of its digits. You computed the sum in float32 and cast "
    "it back. Which of the two tensors should be cast?",
    hint="For an input in float64 your result has lost digits: it went through float32. Cast the table to `x.dtype`, "
    "never the input.",
)

mistake(
    "embeddings.PositionalEncoding",
    "added-in-place",
    edit(
        "return self.drop(x + self.pe[:, :length].to(x.dtype)",
        "x += self.pe[:, :length].to(x.dtype)\nreturn self.drop(x",
    ),
    section="positions-module",
    why="After the call, the caller's embeddings hold the positions. You added in place. Which form of the sum makes "
    "a new tensor?",
    hint="The tensor that you were given holds the positions afterwards: `+=` writes into it. Make a new tensor, `x + "
    "...`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "table-shortened",
    edit("return self.drop(x + self.pe[:, :length]", "self.pe = self.pe[:, :length]\nreturn self.drop(x + self.pe"),
    section="positions-module",
    why="After a short sequence, your module refuses a longer one. You cut the buffer itself to the length of the "
    "first input. What may `forward` assign to the buffer?",
    hint="After a short sequence your module refuses a longer one: its buffer was cut. Slice the table where you add "
    "it, and assign nothing to `self.pe` in forward.",
)

mistake(
    "embeddings.PositionalEncoding",
    "concatenated",
    edit(
        "return self.drop(x + self.pe[:, :length].to(x.dtype)",
        "positions = self.pe[:, :length].to(x.dtype).expand_as(x)\nreturn self.drop(torch.cat([x, positions], dim=-1)",
    ),
    section="order-is-lost",
    why="Your result is twice as wide as the input, and no later layer expects that. You concatenated tokens and "
    "positions. How does the Transformer combine the two?",
    hint="Your result is `2 * d_model` wide: you concatenate. The Transformer adds, so the width stays.",
)

mistake(
    "embeddings.PositionalEncoding",
    "multiplied",
    edit("x + self.pe[:, :length].to(x.dtype)", "x * self.pe[:, :length].to(x.dtype)"),
    section="order-is-lost",
    why="At position 0 every second entry is 0. You multiplied tokens by positions, and the sines of position 0 are "
    "all 0. How does the Transformer combine the two?",
    hint="You multiply tokens by positions, so at position 0 every second entry is 0. The Transformer adds.",
)

mistake(
    "embeddings.PositionalEncoding",
    "tokens-scaled-again",
    edit(
        "return self.drop(x + self.pe[:, :length].to(x.dtype)",
        "scaled = x * math.sqrt(x.shape[-1])\nreturn self.drop(scaled + self.pe[:, :length].to(x.dtype)",
    ),
    section="embedding-scale",
    why="Your tokens are sqrt(d_model) times too large. You scaled them here, although `TokenEmbedding` has already "
    "done so. What is the only step of this module before dropout?",
    hint="Your tokens are sqrt(d_model) times too large. `TokenEmbedding` scales; this module only adds.",
)

mistake(
    "embeddings.PositionalEncoding",
    "sum-scaled",
    edit(
        "return self.drop(x + self.pe[:, :length].to(x.dtype)",
        "total = x + self.pe[:, :length].to(x.dtype)\nreturn self.drop(total * math.sqrt(x.shape[-1])",
    ),
    section="embedding-scale",
    why="Your whole result is sqrt(d_model) times too large, positions included. You scaled the sum, but the factor "
    "belongs to the tokens alone. Which module scales them?",
    hint="Your whole result is multiplied by sqrt(d_model), positions included. `TokenEmbedding` scales the tokens; "
    "this module only adds.",
)

mistake(
    "embeddings.PositionalEncoding",
    "cut-off-from-the-gradient",
    edit("x + self.pe[:, :length].to(x.dtype)", "x.detach() + self.pe[:, :length].to(x.dtype)"),
    section="positions-module",
    why="The values are right, but no gradient reaches the token embeddings, so they never learn. You detached the "
    "tokens before the sum. Which of the two terms is fixed?",
    hint="The values are right, and no gradient arrives at x. Only the positions are fixed; let the gradient through "
    "to the tokens.",
)

mistake(
    "embeddings.PositionalEncoding",
    "drops-whole-tokens",
    edit("nn.Dropout(dropout)", "nn.Dropout1d(dropout)"),
    section="add-then-drop",
    why="In training mode whole tokens disappear. Your dropout decides once per token, but the paper's decides about "
    "every entry separately. Which module draws for every entry?",
    hint="In training whole tokens disappear. Use plain `nn.Dropout`, which draws for every entry by itself.",
)

mistake(
    "embeddings.PositionalEncoding",
    "arguments-in-another-order",
    edit(
        "def __init__(self, d_model, dropout=0.1, max_len=5000):",
        "def __init__(self, d_model, max_len=5000, dropout=0.1):",
    ),
    section="positions-module",
    why="Built as `PositionalEncoding(512, 0.1, 100)`, your module takes 0.1 as its length. Your arguments are in "
    "another order than the task's. Which one comes after the width?",
    hint="Called with its arguments by position, your module confuses dropout and max_len. Their order is `d_model, "
    "dropout, max_len`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# gpt2_embed


mistake(
    "embeddings.gpt2_embed",
    "position-of-the-token",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit("return out", "return embedding_lookup(ids, wte) + wpe[ids % len(wpe)]"),
    base="added-into-the-lookup",
    section="learned-positions",
    why='A word gets the same "position" wherever it occurs. You looked up `wpe` with the token ids, but it has one '
    "row per position. Which row belongs to token t of a sequence?",
    hint='You look up `wpe` with the ids, so a word brings its own "position" along wherever it stands. Row t of `wpe` '
    "goes to position t.",
)

mistake(
    "embeddings.gpt2_embed",
    "tables-exchanged",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit("return out", "return wpe[ids % len(wpe)] + wte[torch.arange(ids.shape[1]) % len(wte)]"),
    base="added-into-the-lookup",
    section="learned-positions",
    why="Words get the vectors of positions, and positions those of words. You exchanged the two tables, and with "
    "equal sizes nothing fails. What do the letters t and p in their names stand for?",
    hint="You look words up in `wpe` and positions in `wte`. The t in `wte` stands for token, the p in `wpe` for "
    "position.",
)

mistake(
    "embeddings.gpt2_embed",
    "positions-along-the-batch",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit("return out", "return embedding_lookup(ids, wte) + wpe[torch.arange(ids.shape[0]) % len(wpe)][:, None]"),
    base="added-into-the-lookup",
    section="learned-positions",
    why="All tokens of a sequence get the same row of `wpe`. You counted positions along the batch. Which axis of "
    "(B, T) holds the positions?",
    hint="All tokens of a sequence get the same row of `wpe`, that of the sequence's number. Positions are axis 1 of "
    "`(B, T)`.",
)

mistake(
    "embeddings.gpt2_embed",
    "positions-run-on-through-the-batch",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]", ""),
    edit("out += wpe[None, : ids.shape[1], :]", "positions = torch.arange(ids.numel()).reshape(ids.shape) % len(wpe)"),
    edit("return out", "return embedding_lookup(ids, wte) + wpe[positions]"),
    base="added-into-the-lookup",
    section="learned-positions",
    why="The first sequence is right, and the next ones continue at position T, 2T, …. You counted through the "
    "flattened batch. At which position does every sequence begin?",
    hint="Your first sequence is right, and the next ones start at position T, 2T, …. Every sequence of the batch "
    "begins at position 0.",
)

mistake(
    "embeddings.gpt2_embed",
    "tokens-alone",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit("return out", "return embedding_lookup(ids, wte)"),
    base="added-into-the-lookup",
    section="learned-positions",
    why="The same word has the same vector at every position. You returned the token rows alone. Which rows of `wpe` "
    "are missing from the sum?",
    hint="Your result is `wte[ids]`: no position was added. Add the row of each position.",
)

mistake(
    "embeddings.gpt2_embed",
    "scaled-tokens",
    edit("embedding_lookup(ids, wte)", "embedding_lookup(ids, wte) * math.sqrt(wte.shape[1])"),
    section="learned-positions",
    why="Your token rows are sqrt(C) times too large. The Transformer of 2017 has this scale, but GPT-2 does not. "
    "How does GPT-2 combine its two rows?",
    hint="You multiply the token rows by sqrt(C). GPT-2 does not scale.",
)

mistake(
    "embeddings.gpt2_embed",
    "positions-from-one",
    edit("wpe[:length]", "wpe.roll(-1, 0)[:length]"),
    section="learned-positions",
    why="Each token gets the row of the position after its own, which may not exist for the last one. You began with "
    "row 1. Which row belongs to the first token?",
    hint="Each token gets the row of the position after its own. Token 0 gets row 0 of `wpe`.",
)

mistake(
    "embeddings.gpt2_embed",
    "counted-from-the-end",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit("return out", "return embedding_lookup(ids, wte) + wpe[len(wpe) - ids.shape[1] :]"),
    base="added-into-the-lookup",
    section="learned-positions",
    why="The vectors change with the number of rows of `wpe`. You added its last T rows. Which row belongs to the "
    "first token?",
    hint="You add the *last* T rows of `wpe`. Token 0 gets row 0.",
)

mistake(
    "embeddings.gpt2_embed",
    "one-row-for-all",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit("return out", "return embedding_lookup(ids, wte) + wpe[ids.shape[1] - 1]"),
    base="added-into-the-lookup",
    section="learned-positions",
    why="All tokens get the same row of `wpe`. Your index selects a single row, because a colon is missing. How do "
    "you select the first T rows?",
    hint="All your tokens get the same row of `wpe`. Take the first T rows with a slice.",
)

mistake(
    "embeddings.gpt2_embed",
    "sinusoids-in-place-of-wpe",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit(
        "return out",
        "return embedding_lookup(ids, wte) + sinusoidal_positions(ids.shape[1], wte.shape[1]).to(wte.dtype)",
    ),
    base="added-into-the-lookup",
    section="learned-positions",
    why="The values of `wpe` do not matter for your result. You added the sinusoids of the 2017 Transformer. Where "
    "do GPT-2's positions come from?",
    hint="You add sines and cosines, and the values of `wpe` do not matter. GPT-2 learns its positions: add rows of "
    "`wpe`.",
)

mistake(
    "embeddings.gpt2_embed",
    "concatenated",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]", ""),
    edit("out += wpe[None, : ids.shape[1], :]", "tokens = embedding_lookup(ids, wte)"),
    edit("return out", "return torch.cat([tokens, wpe[: ids.shape[1]].expand_as(tokens)], dim=-1)"),
    base="added-into-the-lookup",
    section="learned-positions",
    why="Your result is twice as wide as the model. You concatenated token and position rows. How does GPT-2 combine "
    "its two rows?",
    hint="Your result has width 2C: you concatenate. GPT-2 adds the two rows, so the width stays C.",
)

mistake(
    "embeddings.gpt2_embed",
    "padding-takes-no-position",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]", ""),
    edit("out += wpe[None, : ids.shape[1], :]", "positions = ((ids != 0).cumsum(1) - 1).clamp(min=0)"),
    edit("return out", "return embedding_lookup(ids, wte) + wpe[positions]"),
    base="added-into-the-lookup",
    section="learned-positions",
    why="Where id 0 occurs, your positions stop counting. You treated it as padding, but GPT-2 has no padding, and "
    "id 0 is a token like any other. What is the position of token t?",
    hint="Where id 0 stands, your positions stop counting. In GPT-2 id 0 is a token like any other, and the position "
    "of token t is simply t.",
)

mistake(
    "embeddings.gpt2_embed",
    "one-sequence-for-all",
    edit("embedding_lookup(ids, wte)", "embedding_lookup(ids[:1].expand_as(ids), wte)"),
    section="learned-positions",
    why="All sequences of the batch come out alike. You used the ids of the first one for all. Which of the two "
    "lookups is shared by the whole batch?",
    hint="All your sequences come out alike. The positions are the same for all of them, the words are not: look up "
    "all of `ids`.",
)

mistake(
    "embeddings.gpt2_embed",
    "positions-never-learn",
    edit("wpe[:length]", "wpe.detach()[:length]"),
    section="wpe-gradient",
    why="The values are right, but no gradient arrives at `wpe`, so its rows never learn. You detached or copied the "
    "table before adding it. Which of the two tables does GPT-2 train?",
    hint="The values are right, and no gradient arrives at `wpe`. Its rows are learned like those of `wte`.",
)

mistake(
    "embeddings.gpt2_embed",
    "tokens-never-learn",
    edit("embedding_lookup(ids, wte)", "embedding_lookup(ids, wte.detach())"),
    section="table-gradient",
    why="The values are right, but no gradient arrives at `wte`, so no word ever learns. You detached or copied the "
    "table before the lookup. Which of the two tables does GPT-2 train?",
    hint="The values are right, and no gradient arrives at `wte`. GPT-2 trains both tables: look up in `wte` itself.",
)


@mistake(
    "embeddings.gpt2_embed",
    "too-long-left-to-indexing",
    section="positions-too-long",
    why="A sequence that is too long ends in an indexing error, which names neither length. You never compare the two "
    "lengths. Which message would tell the caller what was too long?",
    hint="For more tokens than `wpe` has rows, your error comes from indexing and names neither length. Compare the "
    "two lengths first, and raise a ValueError that names both.",
)
def gpt2_embed(ids, wte, wpe):
    return embedding_lookup(ids, wte) + wpe[torch.arange(ids.shape[1])]


@mistake(
    "embeddings.gpt2_embed",
    "too-long-left-to-broadcasting",
    section="positions-too-long",
    why="A sequence that is too long ends in an error about sizes, or silently reuses `wpe` when it has a single "
    "row. You left the check to broadcasting. When can you compare the two lengths?",
    hint="For more tokens than `wpe` has rows you leave the error to broadcasting. Compare the two lengths first, and "
    "raise a ValueError that names both.",
)
def gpt2_embed(ids, wte, wpe):
    return embedding_lookup(ids, wte) + wpe[: ids.shape[1]]


mistake(
    "embeddings.gpt2_embed",
    "too-long-is-cut",
    edit('if ids.shape[1] > wpe.shape[0]:\n    raise ValueError("ids are longer than wpe")\nout = wte[ids]', ""),
    edit("out += wpe[None, : ids.shape[1], :]", "ids = ids[:, : len(wpe)]"),
    edit("return out", "return embedding_lookup(ids, wte) + wpe[: ids.shape[1]]"),
    base="added-into-the-lookup",
    section="positions-too-long",
    why="A sequence with more tokens than positions loses its end, and nobody is told. You cut it to the length of "
    "the table. How should the function react instead?",
    hint="For more tokens than `wpe` has rows you return fewer tokens than you got. Raise a ValueError instead.",
)


@mistake(
    "embeddings.gpt2_embed",
    "too-long-starts-again",
    section="positions-too-long",
    why="In a sequence that is too long two tokens share a position, and attention cannot tell which comes first. "
    "You started again at row 0. How should the function react instead?",
    hint="For more tokens than `wpe` has rows you begin again at row 0. Raise a ValueError instead.",
)
def gpt2_embed(ids, wte, wpe):
    return embedding_lookup(ids, wte) + wpe[torch.arange(ids.shape[1]) % len(wpe)]


@mistake(
    "embeddings.gpt2_embed",
    "too-long-repeats-the-last",
    section="positions-too-long",
    why="In a sequence that is too long all later tokens share the last position, and attention cannot tell which "
    "comes first. You repeated the last row of `wpe`. How should the function react instead?",
    hint="For more tokens than `wpe` has rows you repeat its last row. Raise a ValueError instead.",
)
def gpt2_embed(ids, wte, wpe):
    return embedding_lookup(ids, wte) + wpe[torch.arange(ids.shape[1]).clamp(max=len(wpe) - 1)]


mistake(
    "embeddings.gpt2_embed",
    "full-length-refused",
    edit("ids.shape[1] > wpe.shape[0]", "ids.shape[1] >= wpe.shape[0]"),
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit("return out", "return embedding_lookup(ids, wte) + wpe[: ids.shape[1]]"),
    base="added-into-the-lookup",
    section="positions-too-long",
    why="A sequence with exactly as many tokens as `wpe` has rows is refused. Your comparison refuses equal numbers, too, "
    "but every one of its positions has a row. Which lengths are too long?",
    hint="A sequence of exactly `wpe.shape[0]` tokens raises an error, though every position has its row. Refuse what "
    "is *longer*.",
)

mistake(
    "embeddings.gpt2_embed",
    "always-float32",
    edit('"ids are longer than wpe"', 'f"{ids.shape[1]} positions are more than the {wpe.shape[0]} rows of wpe"'),
    edit("out = wte[ids]\nout += wpe[None, : ids.shape[1], :]", ""),
    edit("return out", "return embedding_lookup(ids, wte).float() + wpe[: ids.shape[1]].float()"),
    base="added-into-the-lookup",
    section="positions-dtype",
    why="For tables in float64 or bfloat16 your result is float32. You cast the sum, or a part of it. Which type "
    "should the result have?",
    hint="For tables in float64 or bfloat16 your result is float32. Leave the types as they are.",
)


# ---------------------------------------------------------------------------------------------------------------------
# mean_pool


mistake(
    "embeddings.mean_pool",
    "padding-counted",
    edit("(hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True).clamp(min=1)", "hidden.mean(1)"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="The same sentence gets another vector when it has more padding. You averaged over all positions, padding "
    "included. Which two parts of an average have to leave the padding out?",
    hint="Padding is averaged in: your result ignores `keep`. Leave the padded positions out of the sum *and* out of "
    "the count.",
)

mistake(
    "embeddings.mean_pool",
    "divided-by-the-padded-length",
    edit("total = torch.bmm(keep.to(hidden.dtype).unsqueeze(1), hidden).squeeze(1)", ""),
    edit("total / keep.sum(dim=-1, keepdim=True).clamp_min(1).to(hidden.dtype)", "(hidden * keep[..., None]).mean(1)"),
    base="batched-product",
    section="mean-of-kept",
    why="Short sentences get short vectors. You set the padding to zero but divided the sum by T, which counts it. "
    "Which positions should the divisor count?",
    hint="Your vectors are too short where there is padding: the sum is right, and you divide it by T. Divide by the "
    "number of positions that are *kept*.",
)

mistake(
    "embeddings.mean_pool",
    "divided-by-the-longest",
    edit("keep.sum(1, keepdim=True)", "keep.sum(1).max()"),
    section="mean-of-kept",
    why="Only the sequence with the most tokens is right. You divided all sums by its count, so a sentence's vector "
    "depends on its neighbours in the batch. How many counts does a batch need?",
    hint="Only the sequence with the most tokens is right: you divide all sums by *its* count. Count for each row by "
    "itself.",
)

mistake(
    "embeddings.mean_pool",
    "zeros-not-counted",
    edit("hidden.masked_fill(~keep[:, :, None], 0.0)", "hidden * keep[..., None]"),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", ""),
    edit("kept.sum(1) / count", "kept.sum(1) / (kept != 0).sum(1).clamp(min=1)"),
    section="mean-of-kept",
    why="Your average is too large where a kept token holds a zero. You counted the entries that differ from zero. "
    "Which argument says which positions are kept?",
    hint="Your average is too large where a token that is kept holds a zero: you count what is not zero. Count the "
    "positions where `keep` is True.",
)

mistake(
    "embeddings.mean_pool",
    "cut-off-from-the-gradient",
    edit("hidden * keep[..., None]", "hidden.detach() * keep[..., None]"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="The values are right, but no gradient reaches `hidden`, so nothing below the pooling learns. You averaged a "
    "detached copy. Which step leaves the graph?",
    hint="The values are right, and no gradient arrives at `hidden`: `.detach()`, `.data`, `torch.tensor` and NumPy "
    "cut it off. Compute with `hidden` itself.",
)

mistake(
    "embeddings.mean_pool",
    "padding-kept",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", ""),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "pad = ~keep"),
    edit("kept.sum(1) / count", "(hidden * pad[..., None]).sum(1) / pad.sum(1, keepdim=True).clamp(min=1)"),
    section="mean-of-kept",
    why="You average the padding and leave the tokens out. You inverted the mask. What does True mean in `keep`?",
    hint="You average the padding and leave the tokens out. `keep` is True at the positions that count.",
)

mistake(
    "embeddings.mean_pool",
    "nothing-kept-divides-by-zero",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "keep.sum(1, keepdim=True)"),
    base="product-and-clamp",
    section="nothing-kept",
    why="A row with nothing kept comes out as NaN, and one NaN spoils the loss of the whole batch. You divided 0 by "
    "0. How can you change the divisor of such a row, and of no other?",
    hint="A row with nothing kept comes out as NaN, which is 0 / 0. Let the count be at least 1, and such a row gives "
    "zeros.",
)

mistake(
    "embeddings.mean_pool",
    "nothing-kept-averages-all",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", ""),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "keep = keep | ~keep.any(1, keepdim=True)"),
    edit("kept.sum(1) / count", "(hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True)"),
    section="nothing-kept",
    why="A row with nothing kept gives the average of its padding. You treated all its positions as kept. What should "
    "such a row return?",
    hint="A row with nothing kept gives the average of its padding. It should give zeros.",
)

mistake(
    "embeddings.mean_pool",
    "one-count-for-the-batch",
    edit("keep.sum(1, keepdim=True)", "keep.sum()"),
    section="mean-of-kept",
    why="Your vectors are too short. You divided the sum of each sequence by the count of the whole batch. Along "
    "which axis should the count run?",
    hint="Your vectors are too short: every sum is divided by the count of the *whole* batch. Count along the "
    "positions, and keep that axis.",
)

mistake(
    "embeddings.mean_pool",
    "one-mean-count-for-the-batch",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "(keep.sum() / len(keep)).clamp(min=1)"),
    section="mean-of-kept",
    why="A row's result depends on how much padding the other rows have. You divided every row by the mean number of "
    "kept positions. Over which positions does one row's mean run?",
    hint="Each of your rows is divided by the same number. Count the kept positions of every row by itself.",
)

mistake(
    "embeddings.mean_pool",
    "one-average-for-the-batch",
    edit("(hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True).clamp(min=1)", "hidden[keep].mean(0)"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="You return one vector for the whole batch. You averaged the kept vectors of all sequences together, which "
    "forgets which sentence a token belongs to. How many vectors should a batch of B sentences give?",
    hint="You return one vector for the whole batch: `hidden[keep]` forgets which sentence a token belongs to. Average "
    "along axis 1.",
)

mistake(
    "embeddings.mean_pool",
    "average-over-features",
    edit("(hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True).clamp(min=1)", "hidden.mean(-1) * keep"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="Your result has the shape (B, T): each token gets a number, and the sentence gets no vector. You averaged "
    "over the width. Which axis holds the tokens of a sentence?",
    hint="Your result is `(B, T)`: you average the entries of each token's vector. Average over the positions, axis 1.",
)

mistake(
    "embeddings.mean_pool",
    "sum-not-mean",
    edit('weights = torch.zeros_like(hidden[..., 0]).masked_fill(~keep, float("-inf")).softmax(dim=1)', ""),
    edit("torch.nan_to_num(weights).unsqueeze(-1) * hidden", "hidden * keep[..., None]"),
    base="softmax-of-the-mask",
    section="mean-of-kept",
    why="Longer sentences get longer vectors. You added up the kept vectors without dividing. What turns a sum into "
    "a mean?",
    hint="You return the sum of what is kept, not its mean. Divide by the number of positions that are kept.",
)

mistake(
    "embeddings.mean_pool",
    "divided-by-the-root",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "keep.sum(1, keepdim=True).clamp(min=1) ** 0.5"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="Your vectors are too long: the right ones times the root of the number of tokens. You divided by the square "
    "root of the count. Which divisor does a mean have?",
    hint="Your vectors are the right ones times the root of the number of tokens. Divide by the count itself.",
)

mistake(
    "embeddings.mean_pool",
    "count-plus-one",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "keep.sum(1, keepdim=True) + 1"),
    section="nothing-kept",
    why="Your averages are too small, as if each sentence had one token more. You added 1 to every count to avoid "
    "dividing by zero. How can you change the count of zero and no other?",
    hint="Your averages are too small, as if each sentence had one token more. Raise a count of zero to 1, and leave "
    "the others alone.",
)

mistake(
    "embeddings.mean_pool",
    "count-plus-a-little",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "keep.sum(1, keepdim=True) + 1e-6"),
    section="nothing-kept",
    why="Your averages are off in the last digits. You added a small number to every count to avoid dividing by "
    "zero. How can you change the count of zero and no other?",
    hint="Your averages are off in the last digits, by the small number that you add to the count. Raise a count of "
    "zero to 1, and leave the others alone.",
)

mistake(
    "embeddings.mean_pool",
    "kept-positions-come-first",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", "count = keep.sum(1, keepdim=True)"),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "first = torch.arange(hidden.shape[1]) < count"),
    edit("kept.sum(1) / count", "(hidden * first[..., None]).sum(1) / count.clamp(min=1)"),
    section="mean-of-kept",
    why="Your result is right while the padding is at the end, and wrong when it is on the left or in the middle. You "
    "averaged the first positions, as many as are kept. What does `keep` say beyond their number?",
    hint="You average the first positions, as many as are kept. That is wrong unless the padding is at the end: use "
    "*which* positions are kept, not only how many.",
)

mistake(
    "embeddings.mean_pool",
    "first-token",
    edit(
        "(hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True).clamp(min=1)",
        "hidden[:, 0] * keep.any(1, keepdim=True)",
    ),
    base="product-and-clamp",
    section="pooling-padding",
    why="The vector depends on the first position alone. You returned that position, which is [CLS] pooling for "
    "models trained with such a token. Which positions does a mean use?",
    hint="You return the vector at position 0, which is [CLS] pooling. This task averages over the kept positions.",
)

mistake(
    "embeddings.mean_pool",
    "axis-kept",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", ""),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "mask = keep[..., None]"),
    edit("kept.sum(1) / count", "(hidden * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True).clamp(min=1)"),
    section="mean-of-kept",
    why="Your result has the shape (B, 1, d). You kept the axis of the positions, but a sentence has a single "
    "vector. Which argument keeps a summed axis?",
    hint="Your result has shape `(B, 1, d)`. Let the sum drop the axis of the positions: `(B, d)`.",
)

mistake(
    "embeddings.mean_pool",
    "type-promoted",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", ""),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "mask = keep[..., None].float()"),
    edit("kept.sum(1) / count", "(hidden * mask).sum(1) / mask.sum(1).clamp(min=1)"),
    section="positions-dtype",
    why="For a bfloat16 input your result is float32. You turned the mask into float32, and PyTorch promotes the "
    "product to the wider type. Which type can the mask have instead?",
    hint="For hidden vectors in bfloat16 your result is float32: `keep.float()` promotes it. Multiply by the boolean "
    "itself or cast it to `hidden.dtype`.",
)

mistake(
    "embeddings.mean_pool",
    "rounded-through-float32",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", ""),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "mask = keep[..., None]"),
    edit("kept.sum(1) / count", "((hidden.float() * mask).sum(1) / mask.sum(1).clamp(min=1)).to(hidden.dtype)"),
    section="positions-dtype",
    why="For a float64 input your result has lost about half of its digits. You computed the average in float32 and "
    "cast it back. Which type should all steps use?",
    hint="For hidden vectors in float64 your result has lost digits: it went through float32. Stay in `hidden.dtype`.",
)

mistake(
    "embeddings.mean_pool",
    "padding-overwritten",
    edit("kept = hidden.masked_fill(", "with torch.no_grad():\n    hidden[~keep] = 0\nkept = hidden.masked_fill("),
    section="mean-of-kept",
    why="After the call, the caller's hidden vectors are zero at the padded positions. You wrote into the argument. "
    "How can you mask without changing it?",
    hint="The tensor that you were given has zeros at the padded positions afterwards. Make a new tensor, with "
    "`masked_fill` or a product.",
)


# ---------------------------------------------------------------------------------------------------------------------
# max_pool


mistake(
    "embeddings.max_pool",
    "padding-counted",
    edit('largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)', ""),
    edit("largest.masked_fill", "hidden.amax(1).masked_fill"),
    section="max-of-kept",
    why="The values at padded positions change the sentence's vector. You took the maximum over all positions. Where "
    "should `keep` enter?",
    hint="Padding takes part in your maximum: your result ignores `keep`. Give padded positions a value that can never "
    "win.",
)

mistake(
    "embeddings.max_pool",
    "padding-as-zeros",
    edit('largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)', ""),
    edit("largest.masked_fill(~keep.any(1, keepdim=True), 0.0)", "(hidden * keep[..., None]).amax(1)"),
    section="max-of-kept",
    why="Where all kept values are negative, you return 0. You set the padding to zero, which is larger than they "
    "are. Which value can never win a maximum?",
    hint="Where all kept values are negative you return 0, which comes from the padding. Fill padded positions with "
    "something that can never win.",
)

mistake(
    "embeddings.max_pool",
    "never-below-zero",
    edit('spare = torch.zeros_like(hidden[:, :1]).masked_fill(keep.any(1)[:, None, None], float("-inf"))', ""),
    edit("torch.cat([positions, spare], dim=1).amax(1)", "positions.amax(1).clamp(min=0)"),
    base="one-position-more",
    section="max-of-kept",
    why="Where all kept values are negative, you return 0, even without padding. You cut the maximum off at zero. "
    "Which number is the larger of -3 and -2?",
    hint="Where all kept values are negative you return 0, also where nothing is padded. The largest of them is the "
    "answer, negative or not.",
)

mistake(
    "embeddings.max_pool",
    "filled-with-minus-ten-thousand",
    edit(
        'largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)',
        "positions = hidden.masked_fill(~keep[..., None], -1e4)",
    ),
    edit("largest.masked_fill", "positions.amax(1).masked_fill"),
    section="max-of-kept",
    why="When all kept values are below -10000, you return -10000. You filled the padding with this number, which is "
    "not below every other. Which value can never win a maximum?",
    hint="Values below -10000 lose against what you fill in at the padding. Only minus infinity is below all of them.",
)

mistake(
    "embeddings.max_pool",
    "cut-off-from-the-gradient",
    edit(
        'largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)',
        'positions = hidden.detach().masked_fill(~keep[..., None], float("-inf"))',
    ),
    edit("largest.masked_fill", "positions.amax(1).masked_fill"),
    section="max-of-kept",
    why="The values are right, but no gradient reaches `hidden`, so nothing below the pooling learns. You took the "
    "maximum of a detached copy. Which step leaves the graph?",
    hint="The values are right, and no gradient arrives at `hidden`: `.detach()`, `.data`, `torch.tensor` and NumPy "
    "cut it off. Compute with `hidden` itself.",
)

mistake(
    "embeddings.max_pool",
    "nothing-kept-is-minus-infinity",
    edit('spare = torch.zeros_like(hidden[:, :1]).masked_fill(keep.any(1)[:, None, None], float("-inf"))', ""),
    edit("torch.cat([positions, spare], dim=1)", "positions"),
    base="one-position-more",
    section="nothing-kept",
    why="A row with nothing kept comes out as minus infinity, and the next layer turns that into NaN. You left the "
    "filled value in the result. What should such a row return?",
    hint="A row with nothing kept comes out as minus infinity. It should give zeros.",
)

mistake(
    "embeddings.max_pool",
    "nothing-kept-is-the-lowest-number",
    edit(
        'largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)',
        "positions = hidden.masked_fill(~keep[..., None], torch.finfo(hidden.dtype).min)",
    ),
    edit("largest.masked_fill(~keep.any(1, keepdim=True), 0.0)", "positions.amax(1)"),
    section="nothing-kept",
    why="A row with nothing kept comes out as a huge negative number. You filled the padding with the lowest number "
    "of the type, and nothing else is there to win. What should such a row return?",
    hint="A row with nothing kept comes out as a huge negative number, the one that you fill in. It should give zeros.",
)


@mistake(
    "embeddings.max_pool",
    "nothing-kept-takes-all",
    section="nothing-kept",
    why="A row with nothing kept gives the maximum of its padding. You treated all its positions as kept. What should "
    "such a row return?",
    hint="A row with nothing kept gives the maximum of its padding. It should give zeros.",
)
def max_pool(hidden, keep):
    keep = keep | ~keep.any(1, keepdim=True)
    return hidden.masked_fill(~keep[..., None], float("-inf")).amax(1)


mistake(
    "embeddings.max_pool",
    "padding-kept",
    edit(
        'largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)',
        'positions = hidden.masked_fill(keep[..., None], float("-inf")).amax(1)',
    ),
    edit("largest.masked_fill(~keep.any(1, keepdim=True)", "positions.masked_fill(keep.all(1, keepdim=True)"),
    section="max-of-kept",
    why="You take the maximum of the padding and leave the tokens out. You inverted the mask. What does True mean in "
    "`keep`?",
    hint="You take the maximum of the padding and leave the tokens out. `keep` is True at the positions that count.",
)

mistake(
    "embeddings.max_pool",
    "values-and-indices",
    edit("lowest = torch.finfo(hidden.dtype).min", 'positions = hidden.masked_fill(~keep[..., None], float("-inf"))'),
    edit("largest = torch.where(keep[..., None], hidden, lowest).amax(dim=1)", "values, indices = positions.max(1)"),
    edit("largest * keep.any(dim=1, keepdim=True)", "values.masked_fill(~keep.any(1, keepdim=True), 0.0), indices"),
    base="lowest-number",
    section="max-of-kept",
    why="You return two tensors. Along an axis, `max` gives both the values and their indices. Which of the two does "
    "the task ask for?",
    hint="You return two things, because `max` along an axis gives values and indices. Take `.values`, or use `amax`.",
)

mistake(
    "embeddings.max_pool",
    "positions-not-values",
    edit('spare = torch.zeros_like(hidden[:, :1]).masked_fill(keep.any(1)[:, None, None], float("-inf"))', ""),
    edit("torch.cat([positions, spare], dim=1).amax", "positions.argmax"),
    base="one-position-more",
    section="max-of-kept",
    why="You return positions instead of values. `argmax` says where the largest value is, not how large it is. "
    "Which of the two does the task ask for?",
    hint="You return *where* the largest values stand, not the values. Use `amax` or `.values`.",
)

mistake(
    "embeddings.max_pool",
    "maximum-over-features",
    edit('largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)', ""),
    edit("largest.masked_fill(~keep.any(1, keepdim=True), 0.0)", "hidden.amax(-1) * keep"),
    section="max-of-kept",
    why="Your result has the shape (B, T): each token gets a number, and the sentence gets no vector. You took the "
    "maximum over the width. Which axis holds the tokens of a sentence?",
    hint="Your result is `(B, T)`: you take the largest entry of each token's vector. Go along the positions, axis 1.",
)

mistake(
    "embeddings.max_pool",
    "one-maximum-for-the-batch",
    edit('largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)', ""),
    edit("largest.masked_fill(~keep.any(1, keepdim=True), 0.0)", "hidden[keep].amax(0)"),
    section="max-of-kept",
    why="You return one vector for the whole batch. You put the kept vectors of all sequences into one maximum, "
    "which forgets which sentence a token belongs to. How many vectors should a batch of B sentences give?",
    hint="You return one vector for the whole batch: `hidden[keep]` forgets which sentence a token belongs to. Go "
    "along axis 1.",
)


@mistake(
    "embeddings.max_pool",
    "longest-token",
    section="max-of-kept",
    why="Each of your vectors is that of a single token, the longest one. You compared whole vectors by their "
    "length. May different components of the maximum come from different tokens?",
    hint="Each of your vectors is that of a single token, the longest one. Take the maximum of every component by "
    "itself.",
)
def max_pool(hidden, keep):
    longest = hidden.norm(dim=-1).masked_fill(~keep, -1.0).argmax(1)
    return hidden[torch.arange(len(hidden)), longest] * keep.any(1, keepdim=True)


mistake(
    "embeddings.max_pool",
    "largest-by-size",
    edit(
        'largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax',
        """
        sizes = hidden.abs().masked_fill(~keep[..., None], -1.0)
        largest = hidden.gather(1, sizes.argmax(1, keepdim=True)).squeeze
        """,
    ),
    section="max-of-kept",
    why="-3 wins over 2 in your result. You took the value with the largest absolute size. Which of the two is the "
    "larger number?",
    hint="You return the value that is largest in *size*; -3 wins over 2. The maximum is the largest value.",
)

mistake(
    "embeddings.max_pool",
    "minimum",
    edit(
        'largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)',
        'smallest = hidden.masked_fill(~keep[..., None], float("inf")).amin(1)',
    ),
    edit("largest.masked_fill", "smallest.masked_fill"),
    section="max-of-kept",
    why="You return the smallest of the kept values. The comparison runs the wrong way. What does a maximum select "
    "in every component?",
    hint="You return the smallest of the kept values in every component. Take the largest.",
)


@mistake(
    "embeddings.max_pool",
    "kept-positions-come-first",
    section="max-of-kept",
    why="Your result is right while the padding is at the end, and wrong when it is on the left or in the middle. You "
    "looked at the first positions, as many as are kept. What does `keep` say beyond their number?",
    hint="You look at the first positions, as many as are kept. That is wrong unless the padding is at the end: use "
    "*which* positions are kept.",
)
def max_pool(hidden, keep):
    first = torch.arange(hidden.shape[1]) < keep.sum(1, keepdim=True)
    positions = hidden.masked_fill(~first[..., None], float("-inf"))
    return positions.amax(1).masked_fill(~keep.any(1, keepdim=True), 0.0)


mistake(
    "embeddings.max_pool",
    "average-not-maximum",
    edit('largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)', ""),
    edit("largest.masked_fill(~keep.any(1, keepdim=True), 0.0)", "mean_pool(hidden, keep)"),
    section="max-of-kept",
    why="Your result lies between the smallest and the largest kept values. You averaged, which is the other way of "
    "pooling. Which value does this task select in every component?",
    hint="You return the mean of what is kept. In every component the *largest* value is wanted.",
)

mistake(
    "embeddings.max_pool",
    "axis-kept",
    edit('spare = torch.zeros_like(hidden[:, :1]).masked_fill(keep.any(1)[:, None, None], float("-inf"))', ""),
    edit(
        "torch.cat([positions, spare], dim=1).amax(1)",
        "positions.amax(1, keepdim=True).masked_fill(~keep.any(1)[:, None, None], 0.0)",
    ),
    base="one-position-more",
    section="max-of-kept",
    why="Your result has the shape (B, 1, d). You kept the axis of the positions, but a sentence has a single "
    "vector. Which argument keeps a reduced axis?",
    hint="Your result has shape `(B, 1, d)`. Let the maximum drop the axis of the positions: `(B, d)`.",
)

mistake(
    "embeddings.max_pool",
    "nan-from-the-product",
    edit(
        'largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)',
        'positions = hidden + float("-inf") * (~keep[..., None])',
    ),
    edit("largest.masked_fill", "positions.amax(1).masked_fill"),
    section="max-of-kept",
    why="Your result is NaN wherever a position is kept. You put minus infinity in through a product, and infinity "
    "times 0 is NaN. Which operation writes a value without multiplying?",
    hint="Your result is NaN wherever a position is kept: `-inf * 0` is NaN. Put minus infinity in with `masked_fill` "
    "or `where`.",
)

mistake(
    "embeddings.max_pool",
    "always-float32",
    edit(
        'largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)',
        'positions = hidden.float().masked_fill(~keep[..., None], float("-inf"))',
    ),
    edit("largest.masked_fill", "positions.amax(1).masked_fill"),
    section="positions-dtype",
    why="For hidden vectors in float64 or bfloat16 your result is float32. You cast the input. Which type should the "
    "result have?",
    hint="For hidden vectors in float64 or bfloat16 your result is float32. Stay in `hidden.dtype`.",
)


@mistake(
    "embeddings.max_pool",
    "padding-overwritten",
    section="max-of-kept",
    why="After the call, the caller's hidden vectors hold other values at the padded positions. You wrote into the "
    "argument. How can you mask without changing it?",
    hint="The tensor that you were given has minus infinity at the padded positions afterwards. Make a new tensor: "
    "`masked_fill` without the underscore at its end.",
)
def max_pool(hidden, keep):
    with torch.no_grad():
        hidden.masked_fill_(~keep[..., None], float("-inf"))
    positions = hidden.masked_fill(~keep[..., None], float("-inf"))
    return positions.amax(1).masked_fill(~keep.any(1, keepdim=True), 0.0)


mistake(
    "embeddings.PositionalEncoding",
    "positions-dropped-alike-for-the-batch",
    edit("self.drop(x + self.pe[:, :length].to(x.dtype))", "x + self.drop(self.pe[:, :length].to(x.dtype))"),
    section="add-then-drop",
    why="In training mode only the positions are dropped, in the same way for all sequences, and the tokens stay "
    "whole. You applied dropout before the sum. Which tensor should it act on?",
    hint="In training only the positions are dropped, your tokens never are. Apply dropout to the *sum*.",
)

mistake(
    "embeddings.max_pool",
    "a-large-negative-number-where-nothing-is-kept",
    edit('float("-inf")', "-1e9"),
    edit(".masked_fill(~keep.any(1, keepdim=True), 0.0)", ""),
    section="nothing-kept",
    why="A row with nothing kept gives -1e9. You filled the padding with this number, and nothing else is there to "
    "win. What should such a row return?",
    hint="A row with nothing kept gives you -1e9, the number that you fill padding with. Such a row pools to zeros.",
)

mistake(
    "embeddings.one_hot",
    "ids-counted-from-one",
    edit("F.one_hot(ids,", "F.one_hot((ids - 1).clamp(min=0),"),
    section="one-hot-vectors",
    why="Every 1 but that of id 0 is one column too early. You subtracted 1 from the ids, as if they were counted from "
    "1. Which column belongs to id 0?",
    hint="Your ones stand one index too early. Ids start at 0: the id is the index, with nothing subtracted.",
)

mistake(
    "embeddings.mean_pool",
    "padding-in-the-sum-alone",
    edit("hidden.masked_fill(~keep[:, :, None], 0.0)", "hidden"),
    section="mean-of-kept",
    why="Your divisor is right, but the sum is not. You added the padded vectors, too. What must happen to them "
    "before the sum?",
    hint="Your divisor is right, but the sum holds the padded vectors too. Set them to zero first.",
)

mistake(
    "embeddings.gpt2_embed",
    "first-position-for-all",
    edit("wpe[:length]", "wpe[0]"),
    section="learned-positions",
    why="All tokens get row 0 of `wpe`. Your index selects a single row. How do you select the first T rows?",
    hint="All your tokens get row 0 of `wpe`. Token t gets row t.",
)
