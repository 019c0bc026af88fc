"""Wrong implementations of the tasks of embeddings, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
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
    why="The vectors were left as integers, which is what torch.nn.functional.one_hot returns. A product of integers "
    "with a table of floats is an error, so the vectors have to be float32.",
    hint="Your zeros and ones stand in the right places, but their dtype is an integer type. They are to be multiplied "
    "by a table of floats: convert them to float32.",
)


@mistake(
    "embeddings.one_hot",
    "booleans",
    section="one-hot-vectors",
    why="The result is a mask of booleans: which class is it? One-hot vectors are numbers, so that they can be "
    "multiplied by a table.",
    hint="Your result is True in the right places, but it is boolean. A one-hot vector holds the numbers 0 and 1, as "
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
    why="The vectors have dtype float64. The task asks for float32, the type of a table unless it says otherwise; "
    "float64 takes twice the memory, and PyTorch does not multiply the two types.",
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
    why="The number of columns was taken from the largest id in the batch and not from vocab_size. Two batches then "
    "get vectors of different width, and neither fits the table.",
    hint="Your vectors are as long as the largest id of this batch needs. Their width has to be `vocab_size` for every "
    "batch, whichever ids happen to occur.",
)


@mistake(
    "embeddings.one_hot",
    "one-column-more",
    section="one-hot-vectors",
    why="The vectors have vocab_size + 1 columns, as if ids ran from 1 to vocab_size or the last id were vocab_size. "
    "Ids run from 0 to vocab_size - 1, which is vocab_size of them.",
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
    why="The 1 stands one position to the left, as if the first id were 1. Id 0, the padding, then lands in the last "
    "column.",
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
    why="The axis of the vocabulary was put before that of the positions, as convolutions want it. The product with a "
    "table multiplies along the last axis, so the vocabulary has to be last.",
    hint="The axis of length `vocab_size` is not the last one in your result. Every id becomes a vector, and vectors "
    "lie along the last axis: shape `(..., V)`.",
)

mistake(
    "embeddings.one_hot",
    "leading-axes-flattened",
    edit("F.one_hot(ids, vocab_size)", "F.one_hot(ids.reshape(-1), vocab_size)"),
    section="one-hot-vectors",
    why="The ids were flattened and never brought back into shape: the result is (N, V). Which id belonged to which "
    "sequence is lost.",
    hint="Your result has one row per id but has forgotten the axes of `ids`. For ids of shape `(B, T)` it should have "
    "shape `(B, T, V)`.",
)

mistake(
    "embeddings.one_hot",
    "one-bag-per-sequence",
    edit("F.one_hot(ids, vocab_size)", "F.one_hot(ids, vocab_size).amax(-2)"),
    section="one-hot-vectors",
    why="The vectors of a whole sequence were merged into one, with a 1 for every id that occurs. Such a bag of words "
    "forgets how often and where the words stood.",
    hint="You return one vector for a sequence, with several ones in it. Every id gets a vector of its own, with a "
    "single 1.",
)

mistake(
    "embeddings.one_hot",
    "the-id-in-place-of-one",
    edit("F.one_hot(ids, vocab_size)", "(F.one_hot(ids, vocab_size) * ids[..., None])"),
    section="one-hot-vectors",
    why="The id itself was written where a 1 belongs. Multiplied by a table that gives the row times the id, and "
    "nothing for id 0: an id is a name, not a quantity.",
    hint="In the right places you have the id and not 1. An id only says *which* row; with its value in the vector, "
    "the row would be multiplied by it.",
)

mistake(
    "embeddings.one_hot",
    "padding-has-no-vector",
    edit("F.one_hot(ids, vocab_size).float()", "F.one_hot(ids, vocab_size).float() * (ids != 0)[..., None]"),
    section="one-hot-vectors",
    why="Id 0 got a vector of zeros because it is the padding. Which tokens count is decided by masks; here id 0 is a "
    "name like any other, with the 1 in column 0.",
    hint="Your vector for id 0 is all zeros. Padding is hidden by masks, later; a one-hot vector has exactly one 1, "
    "and for id 0 it is in column 0.",
)

mistake(
    "embeddings.one_hot",
    "unknown-ids-become-zeros",
    edit("F.one_hot(ids, vocab_size)", "(ids[..., None] == torch.arange(vocab_size, device=ids.device))"),
    section="one-hot-vectors",
    why="The ids were compared with 0, 1, 2, …, so an id outside the vocabulary equals none of them and becomes a "
    "vector of zeros. That hides an error in the data, which should be reported.",
    hint="An id of `vocab_size` or more gives a vector of zeros without a word. Such an id means that text and "
    "vocabulary do not belong together: raise an error.",
)

mistake(
    "embeddings.one_hot",
    "unknown-ids-clamped",
    edit("F.one_hot(ids, vocab_size)", "F.one_hot(ids.clamp(0, vocab_size - 1), vocab_size)"),
    section="one-hot-vectors",
    why="Ids outside the vocabulary were moved to the nearest id inside it. A wrong word is then looked up, and the "
    "error in the data is never noticed.",
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
    why="The row before the wanted one was taken, as if the first id were 1. For id 0 that is row -1, which Python "
    "reads as the last row.",
    hint="For each id you return the row *before* its own (and for id 0 the last one). Rows are counted from 0, like "
    "ids: id 3 is row 3.",
)

mistake(
    "embeddings.embedding_lookup",
    "columns-for-rows",
    edit("F.embedding(ids, table)", "table[:, ids]"),
    section="lookup-is-a-product",
    why="Columns of the table were taken. A table of shape (V, d) has one row per id, and a column holds one feature "
    "of all the words.",
    hint="You took columns of the table, `table[:, ids]`. The table is `(V, d)`: the vector of an id is a *row* of it.",
)

mistake(
    "embeddings.embedding_lookup",
    "product-with-the-transposed-table",
    edit("F.embedding(ids, table)", "one_hot(ids, table.shape[1]).to(table.dtype) @ table.T"),
    section="lookup-is-a-product",
    why="The one-hot vectors were multiplied by the transposed table. That fails unless the table happens to be "
    "square, and then it silently picks columns for rows.",
    hint="For a table with as many rows as columns you return columns, and otherwise the product fails. A vector of "
    "width V times a table `(V, d)` needs no transpose.",
)

mistake(
    "embeddings.embedding_lookup",
    "scaled-by-the-root-of-the-width",
    edit("F.embedding(ids, table)", "F.embedding(ids, table) * math.sqrt(table.shape[1])"),
    section="lookup-is-a-product",
    why="The rows were multiplied by the square root of their width. That scale belongs to the TokenEmbedding of the "
    "Transformer; a lookup returns the row as it stands in the table.",
    hint="Every vector is the row of the table times the same factor, sqrt(d). A lookup changes nothing; the scale "
    "comes in Task 3.",
)

mistake(
    "embeddings.embedding_lookup",
    "padding-becomes-zeros",
    edit("F.embedding(ids, table)", "F.embedding(ids, table) * (ids != 0)[..., None]"),
    section="lookup-is-a-product",
    why="Id 0 was given a vector of zeros in place of row 0 of the table. Hiding the padding is the masks' work; a "
    "lookup treats all ids alike.",
    hint="For id 0 you return zeros and not row 0 of the table. A lookup knows nothing of padding: `one_hot @ table` "
    "gives row 0 like any other.",
)

mistake(
    "embeddings.embedding_lookup",
    "leading-axes-flattened",
    edit("F.embedding(ids, table)", "F.embedding(ids.flatten(), table)"),
    section="lookup-is-a-product",
    why="The ids were flattened and the result was left as (N, d). The axes of the ids, batch and position, are lost.",
    hint="You return one row per id, but for ids of shape `(B, T)` the result should be `(B, T, d)`: the axes of the "
    "ids, and then the width.",
)

mistake(
    "embeddings.embedding_lookup",
    "rows-summed",
    edit("F.embedding(ids, table)", "F.embedding(ids, table).sum(-2)"),
    section="lookup-is-a-product",
    why="The rows of a sequence were added up to one vector. That is the bag of words; a lookup gives every position a "
    "vector of its own.",
    hint="You return one vector per sequence, the sum of its rows. Every id gets its own row: `(..., d)` for ids of "
    "shape `(...)`.",
)

mistake(
    "embeddings.embedding_lookup",
    "a-table-of-its-own",
    edit("F.embedding(ids, table)", "nn.Embedding(*table.shape, dtype=table.dtype)(ids)"),
    section="lookup-is-a-product",
    why="A new nn.Embedding was built inside the function, with random rows of its own, and the table that was passed "
    "in is used for its shape only. Every call then gives other vectors.",
    hint="Your result has the right shape and does not depend on the table's values. `nn.Embedding(V, d)` makes a "
    "*new* random table; take the rows of the one you are given.",
)

mistake(
    "embeddings.embedding_lookup",
    "cut-off-from-the-gradient",
    edit("F.embedding(ids, table)", "nn.Embedding.from_pretrained(table)(ids)"),
    section="table-gradient",
    why="The rows are right, but the table was copied into a frozen layer (or detached), so no gradient reaches it. A "
    "table that gets no gradient never learns.",
    hint="The values are right, and no gradient arrives at the table. `from_pretrained` freezes a copy, and `.data`, "
    "`.detach()` and `torch.tensor` cut the tie as well: work with the table itself.",
)

mistake(
    "embeddings.embedding_lookup",
    "gradient-divided-by-frequency",
    edit("F.embedding(ids, table)", "F.embedding(ids, table, scale_grad_by_freq=True)"),
    section="table-gradient",
    why="With scale_grad_by_freq the gradient of a row is divided by the number of times that its id occurs. The "
    "product with one-hot vectors adds the gradients of all positions up.",
    hint="Values are right, but an id that stands at several positions has too small a gradient. Its row should get "
    "the *sum* over its positions, as `one_hot.T @ gradient` does.",
)


@mistake(
    "embeddings.embedding_lookup",
    "rows-shortened-in-the-table",
    section="lookup-is-a-product",
    why="With max_norm the rows that are longer than it are shortened, in the table itself. A lookup leaves its table "
    "as it is, and returns its rows as they are.",
    hint="Long rows come out shorter, and the table that you were given has changed. Leave `max_norm` away: a lookup "
    "changes neither its result nor its arguments.",
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
    why="The product with the one-hot vectors was computed in float32 whatever the type of the table, and so the "
    "result is float32. It should have the type of the table.",
    hint="For a table in float64 or bfloat16 your result is float32. Convert the one-hot vectors to the type of the "
    "table, not the table to that of the vectors.",
)

mistake(
    "embeddings.embedding_lookup",
    "rounded-through-float32",
    edit("F.embedding(ids, table)", "(one_hot(ids, len(table)) @ table.float()).to(table.dtype)"),
    section="lookup-is-a-product",
    why="The table was converted to float32 for the product and the result back to the table's type. On the way a "
    "float64 table loses about half of its digits.",
    hint="For a float64 table your dtype is right and the values are off in the eighth digit: they went through "
    "float32. Convert the one-hot vectors instead.",
)

mistake(
    "embeddings.embedding_lookup",
    "unknown-ids-wrap",
    edit("F.embedding(ids, table)", "table[ids % len(table)]"),
    section="one-hot-vectors",
    why="Ids beyond the table were taken modulo its number of rows. Some other word's vector is returned, and the "
    "error in the data is never noticed.",
    hint="An id as large as the table or larger starts again at row 0. It should raise an error, because it means that "
    "ids and table do not belong together.",
)

mistake(
    "embeddings.embedding_lookup",
    "unknown-ids-clamped",
    edit("F.embedding(ids, table)", "table[ids.clamp(0, len(table) - 1)]"),
    section="one-hot-vectors",
    why="Ids beyond the table were moved to its last row. A wrong vector is returned, and the error in the data is "
    "never noticed.",
    hint="An id as large as the table or larger gets the last row. It should raise an error, because it means that ids "
    "and table do not belong together.",
)

mistake(
    "embeddings.embedding_lookup",
    "unknown-ids-become-zeros",
    edit("F.embedding(ids, table)", "(ids[..., None] == torch.arange(len(table))).to(table.dtype) @ table"),
    section="one-hot-vectors",
    why="The ids were compared with all row numbers; an id outside the table matches none and its vector is zeros. The "
    "error in the data is never noticed.",
    hint="An id as large as the table or larger gives zeros without a word. It should raise an error, because it means "
    "that ids and table do not belong together.",
)


# ---------------------------------------------------------------------------------------------------------------------
# TokenEmbedding


mistake(
    "embeddings.TokenEmbedding",
    "no-scale",
    edit("self.embed(ids) * math.sqrt(self.embed.embedding_dim)", "self.embed(ids)"),
    section="embedding-scale",
    why="The rows are returned without the factor sqrt(d_model) (scaling the weights once, when they are made, comes "
    "to the same as soon as weights are loaded). With the small weights of a tied table the positions would drown the "
    "words.",
    hint="Your vectors are too short by the factor sqrt(d_model). Multiply what `embed` returns, in every call of "
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
    why="The rows were divided by sqrt(d_model), as the scores of attention are. Here the factor makes small weights "
    "larger, so it multiplies.",
    hint="You divide by sqrt(d_model), so your vectors are the right ones divided by d_model. Attention divides its "
    "scores; the embedding *multiplies* its rows.",
)

mistake(
    "embeddings.TokenEmbedding",
    "times-the-width",
    edit("math.sqrt(self.embed.embedding_dim)", "self.embed.embedding_dim"),
    section="embedding-scale",
    why="The rows were multiplied by d_model and not by its square root. A sum of d_model squares of variance "
    "1/d_model is 1, so it is the root that brings every entry back to size 1.",
    hint="Your vectors are sqrt(d_model) times too long: you multiply by the width itself. The scale is its "
    "square root.",
)

mistake(
    "embeddings.TokenEmbedding",
    "root-of-the-vocabulary",
    edit("self.embed.embedding_dim", "self.embed.num_embeddings"),
    section="embedding-scale",
    why="The scale was taken from the number of rows, the vocabulary. It is the width of a vector that decides how "
    "large its entries are.",
    hint="You multiply by the square root of the vocabulary's size. The scale is the root of the *width*, d_model.",
)

mistake(
    "embeddings.TokenEmbedding",
    "root-of-the-length",
    edit("self.embed.embedding_dim", "ids.shape[1]"),
    section="embedding-scale",
    why="The scale was taken from the length of the sequence. The same word would then be larger in a longer sentence.",
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
    why="The square root was rounded down to an integer. For a width of 512 the factor would be 22 and not 22.63.",
    hint="Your scale is an integer: the root was rounded down. Keep all digits of sqrt(d_model).",
)

mistake(
    "embeddings.TokenEmbedding",
    "scale-of-the-paper",
    edit("self.embed.embedding_dim", "512"),
    section="embedding-scale",
    why="The scale was written as a number, sqrt(512), the width of the paper's base model. It has to follow d_model.",
    hint="Your factor is 22.6 for every width. That is sqrt(512), the paper's model; yours has another d_model.",
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
    why="The table itself was multiplied in forward. It grows by the factor with every call, and the optimiser finds "
    "other weights than it left.",
    hint="The first call is right and the second one too large: your forward changes the weights. Scale the *result* "
    "of the lookup and leave the table alone.",
)

mistake(
    "embeddings.TokenEmbedding",
    "rows-normalised",
    edit("self.embed(ids)", "F.normalize(self.embed(ids), dim=-1)"),
    section="embedding-scale",
    why="Every row was brought to the length sqrt(d_model), so rows that differ only in length become equal. "
    "Multiplying keeps the lengths that training gave them.",
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
    why="Positions were added here already. They are the work of PositionalEncoding, which would then add them a "
    "second time.",
    hint="Your result holds the vectors of the positions too. This module only looks up and scales; adding positions "
    "is Task 5.",
)

mistake(
    "embeddings.TokenEmbedding",
    "padding-becomes-zeros",
    edit(
        "self.embed(ids) * math.sqrt(self.embed.embedding_dim)",
        "self.embed(ids) * math.sqrt(self.embed.embedding_dim) * (ids != 0)[..., None]",
    ),
    section="lookup-is-a-product",
    why="Vectors of id 0 were set to zero. Padding is hidden by masks; here id 0 has a row like every id.",
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
    why="The factor is an nn.Parameter, so the optimiser changes it. The scale is the number sqrt(d_model) and stays "
    "what it is.",
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
    why="A learned bias is added to every vector, as a linear layer has it. An embedding is a table and nothing else.",
    hint="Every vector is off by the same amount: a second parameter of yours, which is added to them. The only "
    "parameter is `embed.weight`.",
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
    why="In training mode some entries of the vectors are dropped. Dropout comes once, after the positions are added, "
    "and that is the work of PositionalEncoding.",
    hint="In training mode some entries of your vectors are zero and the others too large: there is a dropout in your "
    "layer. It belongs after the positions, in Task 5.",
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
    why="The width was kept on the class and not on the instance, so the layer that was built last decides about the "
    "scale of all. A model with two widths gets the wrong factor without a word.",
    hint="The factor belongs to another `TokenEmbedding`, the one that was built last. Keep the width on the instance, "
    "as `self.d_model`, or ask `self.embed`.",
)

mistake(
    "embeddings.TokenEmbedding",
    "cut-off-from-the-gradient",
    edit("self.embed(ids)", "self.embed.weight.detach()[ids]"),
    section="table-gradient",
    why="The rows were taken from detached (or frozen) weights. The values are right, but the table never gets a "
    "gradient and so never learns.",
    hint="No gradient arrives at `embed.weight`: `.data` and `.detach()` cut it off. Call the layer itself, "
    "`self.embed(ids)`.",
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
    why="The layer was built with d_model rows of width vocab_size. nn.Embedding takes the number of rows first, which "
    "is the size of the vocabulary.",
    hint="Your table has d_model rows of width vocab_size. `nn.Embedding(num_embeddings, embedding_dim)`: the number "
    "of rows comes first.",
)

mistake(
    "embeddings.TokenEmbedding",
    "another-name",
    edit("self.embed = nn.Embedding(vocab_size, d_model)", "self.lut = nn.Embedding(vocab_size, d_model)"),
    edit("self.embed(ids) * math.sqrt(self.embed.embedding_dim", "self.lut(ids) * math.sqrt(self.lut.embedding_dim"),
    section="lookup-is-a-product",
    why="The layer is called `lut`, as in the annotated Transformer. Here its name is `embed`, so that weights can be "
    "copied between models.",
    hint="There is no attribute `embed`. Names are part of the task: the checks put their own weights into "
    "`embed.weight`.",
)

mistake(
    "embeddings.TokenEmbedding",
    "long-rows-shortened",
    edit("nn.Embedding(vocab_size, d_model)", "nn.Embedding(vocab_size, d_model, max_norm=1.0)"),
    section="lookup-is-a-product",
    why="With max_norm the layer shortens long rows, in its weights, whenever they are looked up. The length of a row "
    "is information that training put there.",
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
    why="The result of the first call is kept and returned again. Other ids, and weights that have learned since, then "
    "make no difference.",
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
    why="The exponent was doubled once too often: `even` already is the 2i of the formula. The frequencies fall twice "
    "as fast, and only the first pair is right.",
    hint="Your first pair of columns is right, and the later ones turn too slowly. `arange(0, d, 2)` already counts 0, "
    "2, 4, …, which is 2i, so do not double it again.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "exponent-not-doubled",
    edit("even * (-math.log(10000.0) / d_model)", "even / 2 * (-math.log(10000.0) / d_model)"),
    section="wave-layout",
    why="The exponent is i / d where the formula has 2i / d, with i the number of the pair. The slowest wave is then a "
    "hundred times too fast.",
    hint="Your first pair of columns is right, and the later ones turn too fast. With i = 0, 1, 2, … for the pairs, "
    "the exponent is 2i / d, not i / d.",
)


@mistake(
    "embeddings.sinusoidal_positions",
    "cosine-with-its-own-exponent",
    section="wave-layout",
    why="Every column got a frequency of its own, 10000^(-j / d) for column j. A sine and the cosine beside it share "
    "one angle, or a shift in position is no rotation any more.",
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
    why="All sines come first and then all cosines. That is a permutation of the columns, with which a model trains as "
    "well, but the layout of the paper alternates, and weights trained with one do not fit the other.",
    hint="All your sines stand in the left half and the cosines in the right one. In this layout they alternate: sine "
    "in the even columns, cosine in the odd ones.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "frequencies-rise",
    edit("-math.log(10000.0)", "math.log(10000.0)"),
    section="wave-layout",
    why="The minus sign in the exponent was lost, so the positions are multiplied by 10000^(2i / d) where they should "
    "be divided. The waves get faster from left to right, and neighbouring positions look random.",
    hint="Your columns get faster from left to right. The angle is the position *divided* by 10000^(2i / d): written "
    "with exp, the exponent is negative.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "sine-and-cosine-exchanged",
    edit("angles.sin()", "angles.cos()"),
    edit("angles[:, : d_model // 2].cos", "angles[:, : d_model // 2].sin"),
    section="wave-layout",
    why="The cosines stand in the even columns and the sines in the odd ones. Position 0 should read 0, 1, 0, 1 and so "
    "on.",
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
    why="Sines stand in all columns. Without its cosine an angle is known up to a reflection only, and no linear map "
    "shifts the position.",
    hint="You have sines in the odd columns too. Column 2i + 1 holds the *cosine* of the angle whose sine is in column "
    "2i.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "positions-from-one",
    edit("torch.arange(max_len, dtype=torch.float32)", "torch.arange(1, max_len + 1, dtype=torch.float32)"),
    section="sinusoidal-positions",
    why="Positions are counted from 1, so every row is the one that belongs to the next position. The first position "
    "is 0, and its angles are all 0.",
    hint="Each row belongs to the position after its own: row 0 should read 0, 1, 0, 1, …, because its angles are 0. "
    "Count positions from 0.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "one-zero-too-many",
    edit("math.log(10000.0)", "math.log(100000.0)"),
    section="wave-layout",
    why="The base is 100000, one zero too many. The slow waves then turn more slowly than in every published model.",
    hint="Your base is 100000 (a zero too many, as in a comment that is widely copied). The paper's is 10000.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "base-of-one-thousand",
    edit("math.log(10000.0)", "math.log(1000.0)"),
    section="wave-layout",
    why="The base is 1000, one zero short. The slowest wave then comes round after some six thousand positions and not "
    "sixty thousand.",
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
    why="Written `10000 ** 2 * i / d`, Python takes the power first, so the divisor is 10000 squared, times i, divided "
    "by d. The whole fraction 2i / d belongs in the exponent.",
    hint="Your angles are divided by numbers that grow in a straight line. `10000 ** 2 * i / d` means (10000²) · i / "
    "d: put the exponent in parentheses, `10000 ** (2 * i / d)`.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "last-divisor-is-ten-thousand",
    edit("-math.log(10000.0) / d_model", "-math.log(10000.0) / max(d_model - 2 + d_model % 2, 1)"),
    section="wave-layout",
    why="The exponents were spread from 0 to 1 with both ends included, as some libraries do. In the paper's formula "
    "they end at (d - 2) / d, so the last divisor stays below 10000.",
    hint="Your first pair is right, and every later one turns a little too slowly. The exponent is 2i / d, which never "
    "reaches 1; do not spread the exponents evenly from 0 to 1.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "positions-as-fractions",
    edit(
        "position * torch.exp(even * (-math.log(10000.0) / d_model))",
        "position / max_len * torch.exp(even * (-math.log(10000.0) / d_model))",
    ),
    section="sinusoidal-positions",
    why="Positions were divided by max_len first. All angles are then below 1, and the vector of a position depends on "
    "the length of the table.",
    hint="The same position has another vector in a longer table: you divide positions by max_len. The angle uses the "
    "position itself, 0, 1, 2, ….",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-fails",
    edit("angles[:, : d_model // 2]", "angles"),
    section="odd-widths",
    why="As many cosines as sines were written, which fails for an odd width: there are only d // 2 odd columns. The "
    "last sine has no cosine.",
    hint="For an odd d_model your function fails, because there is one angle more than there are odd columns. Leave "
    "the last cosine away.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-frequencies-of-the-next",
    edit("-math.log(10000.0) / d_model", "-math.log(10000.0) / (d_model + d_model % 2)"),
    section="odd-widths",
    why="An odd width was handled by building the table for d + 1 and cutting its last column. The exponents are then "
    "2i / (d + 1), so every wave but the first is too fast.",
    hint="For an odd d_model all waves but the first are too fast: you built a wider table and cut it. Cut columns if "
    "you like, but divide by the d_model that was asked for.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-frequencies-of-the-one-before",
    edit("-math.log(10000.0) / d_model", "-math.log(10000.0) / max(d_model // 2 * 2, 1)"),
    section="odd-widths",
    why="For an odd width the exponents are those of the even width below it, 2i / (d - 1). Every wave but the first "
    "is then too slow.",
    hint="For an odd d_model all waves but the first are too slow: you divide by d_model - 1, which is twice `d_model "
    "// 2`. Divide by the d_model that was asked for.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "odd-width-ends-with-zeros",
    edit("d_model // 2", "pairs"),
    edit(":, 0::2] = angles.sin()", ":, 0 : 2 * pairs : 2] = angles[:, :pairs].sin()"),
    edit("pe = torch.zeros(max_len, d_model)", "pe = torch.zeros(max_len, d_model)\npairs = d_model // 2"),
    section="odd-widths",
    why="For an odd width the last column was left at zero. Only its cosine is missing: the sine of the last angle "
    "belongs there.",
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
    why="For an odd width the last column holds the cosine of the last angle. Even columns hold sines, and the last "
    "column of an odd width is even, counted from 0.",
    hint="For an odd d_model your last column is a cosine. Counted from 0 it is an even column, and those hold sines.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "batch-axis-added",
    edit("return pe", "return pe[None]"),
    section="sinusoidal-positions",
    why="The table has an axis of length 1 in front. That axis belongs to the buffer of PositionalEncoding; the "
    "function returns one row per position.",
    hint="Your table has shape `(1, max_len, d_model)`. Here it is `(max_len, d_model)`; the axis for the batch is "
    "added in Task 5.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "axes-exchanged",
    edit("return pe", "return pe.T"),
    section="sinusoidal-positions",
    why="The table has one row per column of the vector and one column per position. Vectors lie along the last axis, "
    "so a position is a row.",
    hint="Your table is transposed: shape `(d_model, max_len)`. A position is a row of it.",
)

mistake(
    "embeddings.sinusoidal_positions",
    "double-precision",
    edit("torch.arange(max_len, dtype=torch.float32)", "torch.arange(max_len, dtype=torch.float64)"),
    edit("torch.arange(0, d_model, 2, dtype=torch.float32)", "torch.arange(0, d_model, 2, dtype=torch.float64)"),
    edit("torch.zeros(max_len, d_model)", "torch.zeros(max_len, d_model, dtype=torch.float64)"),
    section="positions-dtype",
    why="The table has dtype float64. The task needs float32; the table is cast to another type where it is added.",
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
    why="The angles were computed in a 16-bit type, in which neighbouring integers above 256 cannot be told apart. "
    "Later positions get the vectors of others.",
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
    why="The positions are added and nothing is dropped in training. The paper applies dropout to this sum, in encoder "
    "and decoder.",
    hint="In training mode nothing is dropped. Apply `nn.Dropout(dropout)` to the sum of tokens and positions.",
)

mistake(
    "embeddings.PositionalEncoding",
    "dropped-before-adding",
    edit("self.drop(x + self.pe[:, :length].to(x.dtype))", "self.drop(x) + self.pe[:, :length].to(x.dtype)"),
    section="add-then-drop",
    why="Dropout was applied to the tokens, and the positions were added afterwards. The order is add, then drop: the "
    "positions must be dropped too.",
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
    why="Dropout was applied to the positions alone, the tokens stay whole. The order is add, then drop: the sum is "
    "what is dropped.",
    hint="In training only the positions are dropped, your tokens never are. Apply dropout to the *sum*.",
)

mistake(
    "embeddings.PositionalEncoding",
    "drops-in-evaluation-too",
    edit("self.drop = nn.Dropout(dropout)", "self.p = dropout"),
    edit("self.drop(x + self.pe[:, :length].to(x.dtype))", "F.dropout(x + self.pe[:, :length].to(x.dtype), self.p)"),
    section="add-then-drop",
    why="The functional dropout was called without saying whether the module is training; its default is that it is. "
    "An evaluated model then gives another answer in every call.",
    hint="In evaluation mode your module still drops entries. `F.dropout` has `training=True` by default: use an "
    "`nn.Dropout` module, or hand on `self.training`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "probability-to-keep",
    edit("nn.Dropout(dropout)", "nn.Dropout(1 - dropout)"),
    section="add-then-drop",
    why="The argument was taken for the probability with which an entry is kept. In PyTorch, and here, dropout=0.1 "
    "drops one entry in ten.",
    hint="Too many entries are dropped: you read `dropout` as the probability to keep. It is the probability to drop, "
    "as in `nn.Dropout(dropout)`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "dropout-of-one-tenth-always",
    edit("nn.Dropout(dropout)", "nn.Dropout(0.1)"),
    section="add-then-drop",
    why="The dropout of 0.1 was written into the class and the argument is ignored. It is the default only.",
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
    why="The default of dropout is 0, so a module that is built from its width alone drops nothing. The task gives "
    "0.1, the paper's value.",
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
    why="The positions are multiplied by a parameter before they are added. Here the sinusoids are added as they are: "
    "the layer has nothing to learn.",
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
    why="The defaults are those of nn.Dropout and of a BERT, dropout=0.5 and max_len=512. The task gives 0.1 and 5000.",
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
    why="The table is an nn.Parameter, so the optimiser changes it. The sinusoids are fixed: they belong in a buffer, "
    "which is saved and moved with the module but not trained.",
    hint='`pe` is a parameter and would be trained. Register it with `self.register_buffer("pe", ...)`.',
)

mistake(
    "embeddings.PositionalEncoding",
    "a-frozen-parameter",
    edit(
        'self.register_buffer("pe", sinusoidal_positions(max_len, d_model)[None])',
        "self.pe = nn.Parameter(sinusoidal_positions(max_len, d_model)[None], requires_grad=False)",
    ),
    section="positions-module",
    why="The table is a parameter with requires_grad=False. It is still listed among the parameters, counted with them "
    "and handed to optimisers, whose weight decay may reach it.",
    hint="`pe` is among the parameters, if a frozen one. What is never trained is a *buffer*: "
    '`self.register_buffer("pe", ...)`.',
)

mistake(
    "embeddings.PositionalEncoding",
    "a-plain-attribute",
    edit(
        'self.register_buffer("pe", sinusoidal_positions(max_len, d_model)[None])',
        "self.pe = sinusoidal_positions(max_len, d_model)[None]",
    ),
    section="positions-module",
    why="The table is an ordinary attribute. Module.to() does not see it, so on a GPU it stays behind on the CPU.",
    hint="`pe` is an ordinary tensor attribute and would stay on the CPU when the module moves. Register it with "
    '`self.register_buffer("pe", ...)`.',
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
    why="The buffer has shape (max_len, d_model). Adding works all the same, but weights saved from this course's "
    "models, and the annotated Transformer's, have (1, max_len, d_model).",
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
    why="The table was cut to the length of the batch axis, as for time-first input (T, B, d). Every sequence then "
    "gets one position, the same for all its tokens.",
    hint="Your positions run along the batch: sequence 0 gets position 0, sequence 1 position 1. In `(B, T, d)` the "
    "positions are axis 1.",
)

mistake(
    "embeddings.PositionalEncoding",
    "length-of-the-batch-axis",
    edit(": x.shape[1]", ": x.shape[0]"),
    base="shapes-asked-twice",
    section="positions-module",
    why="The table was cut to x.shape[0], the number of sequences, and not to x.shape[1]. It fails unless both are "
    "equal.",
    hint="Your module fails when there are more or fewer sequences than tokens: it cuts the table to `x.size(0)`. The "
    "positions are axis 1 of `(B, T, d)`.",
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
    why="Without the colon, self.pe[:, T] is the one row of position T, which is then added to every token. All "
    "positions get the same vector.",
    hint="All your tokens get the same vector added. `pe[:, T]` is the row of position T alone; the first T rows are "
    "`pe[:, :T]`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "positions-from-one",
    edit(
        "return self.drop(x + self.pe[:, :length]",
        "positions = self.pe.roll(-1, 1)[:, :length]\nreturn self.drop(x + positions",
    ),
    section="positions-module",
    why="The rows 1 to T were added and not the rows 0 to T - 1. The last position of a sequence of max_len tokens "
    "then has no row.",
    hint="Each token gets the vector of the position after its own. The first token stands at position 0.",
)

mistake(
    "embeddings.PositionalEncoding",
    "counted-from-the-end",
    edit(": x.shape[1]", "-x.shape[1] :"),
    base="shapes-asked-twice",
    section="positions-module",
    why="The last rows of the table were added and not the first. A token's vector then depends on max_len.",
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
    why="A sequence longer than max_len is not looked at, and the sum fails with a message about the size of some "
    "tensor. The task asks for a ValueError that says what was too long.",
    hint="For a sequence longer than max_len the error that comes is PyTorch's, about sizes that do not match. Compare "
    "the lengths first and raise a ValueError that names both.",
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
    why="A sequence longer than max_len was cut to max_len tokens. Text disappears and nobody is told.",
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
    why="Positions beyond max_len start again at 0. Two tokens then share a position, and attention cannot tell which "
    "of them comes first.",
    hint="For a sequence longer than max_len you begin again at position 0. Raise a ValueError instead.",
)

mistake(
    "embeddings.PositionalEncoding",
    "full-length-refused",
    edit("x.shape[1] > self.pe.shape[1]", "x.shape[1] >= self.pe.shape[1]"),
    base="shapes-asked-twice",
    section="positions-too-long",
    why="A sequence of exactly max_len tokens is refused, because the comparison is >= and not >. Its last position is "
    "max_len - 1, which has a row.",
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
    why="The number of sequences was compared with max_len, not the number of tokens. A large batch of short sentences "
    "is then refused.",
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
    why="The table itself was replaced by one in the type of the input. After a single call with bfloat16 its digits "
    "are gone, and every later input in float32 gets rounded positions.",
    hint="After an input in bfloat16, your positions for one in float32 are rounded: you assign the cast table to "
    "`self.pe`. Cast it where you add it and keep the buffer as it is.",
)

mistake(
    "embeddings.PositionalEncoding",
    "type-promoted",
    edit("self.pe[:, :length].to(x.dtype)", "self.pe[:, :length]"),
    section="positions-dtype",
    why="The float32 table was added to an input of another type, and PyTorch promotes: bfloat16 plus float32 is "
    "float32. The half-precision model continues in float32 from here.",
    hint="For an input in bfloat16 your result is float32. Cast the table to `x.dtype` before you add.",
)

mistake(
    "embeddings.PositionalEncoding",
    "input-cast-to-the-table",
    edit("x + self.pe[:, :length].to(x.dtype)", "x.float() + self.pe[:, :length].float()"),
    section="positions-dtype",
    why="The input was cast to the type of the table and not the table to that of the input. The result is float32 "
    "whatever came in.",
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
    why="The sum was computed in float32 and the result cast back. An input in float64 loses about half of its digits "
    "on the way.",
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
    why="The positions were added into the argument itself. Whoever called the module finds its embeddings changed.",
    hint="The tensor that you were given holds the positions afterwards: `+=` writes into it. Make a new tensor, `x + "
    "...`.",
)

mistake(
    "embeddings.PositionalEncoding",
    "table-shortened",
    edit("return self.drop(x + self.pe[:, :length]", "self.pe = self.pe[:, :length]\nreturn self.drop(x + self.pe"),
    section="positions-module",
    why="The buffer itself was cut to the length of the first input. The next, longer sequence finds too few rows.",
    hint="After a short sequence your module refuses a longer one: its buffer was cut. Cut a copy, `self.pe[:, :T]`, "
    "and assign nothing to `self.pe` in forward.",
)

mistake(
    "embeddings.PositionalEncoding",
    "concatenated",
    edit(
        "return self.drop(x + self.pe[:, :length].to(x.dtype)",
        "positions = self.pe[:, :length].to(x.dtype).expand_as(x)\nreturn self.drop(torch.cat([x, positions], dim=-1)",
    ),
    section="order-is-lost",
    why="Positions were put beside the tokens and not added to them. The result is twice as wide, and no later layer "
    "expects that.",
    hint="Your result is `2 * d_model` wide: you concatenate. The Transformer adds, so the width stays.",
)

mistake(
    "embeddings.PositionalEncoding",
    "multiplied",
    edit("x + self.pe[:, :length].to(x.dtype)", "x * self.pe[:, :length].to(x.dtype)"),
    section="order-is-lost",
    why="Tokens were multiplied by their position's vector and not added to it. At position 0, where all sines are 0, "
    "half of the entries would vanish.",
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
    why="The tokens were multiplied by sqrt(d_model) here. TokenEmbedding has done so already, and doing it twice "
    "makes them sqrt(d_model) times too large.",
    hint="Your tokens are too large by the factor sqrt(d_model). TokenEmbedding scales; this module only adds.",
)

mistake(
    "embeddings.PositionalEncoding",
    "sum-scaled",
    edit(
        "return self.drop(x + self.pe[:, :length].to(x.dtype)",
        "total = x + self.pe[:, :length].to(x.dtype)\nreturn self.drop(total * math.sqrt(x.shape[-1])",
    ),
    section="embedding-scale",
    why="The sum of tokens and positions was multiplied by sqrt(d_model), so the positions were scaled too. The factor "
    "belongs to the tokens alone, and to TokenEmbedding.",
    hint="Your whole result is too large by the factor sqrt(d_model), positions included. TokenEmbedding scales the "
    "tokens; this module only adds.",
)

mistake(
    "embeddings.PositionalEncoding",
    "cut-off-from-the-gradient",
    edit("x + self.pe[:, :length].to(x.dtype)", "x.detach() + self.pe[:, :length].to(x.dtype)"),
    section="positions-module",
    why="The tokens were detached before the sum. No gradient reaches the embeddings below, so the table never learns.",
    hint="The values are right, and no gradient arrives at x. Only the positions are fixed; let the gradient through "
    "to the tokens.",
)

mistake(
    "embeddings.PositionalEncoding",
    "drops-whole-tokens",
    edit("nn.Dropout(dropout)", "nn.Dropout1d(dropout)"),
    section="add-then-drop",
    why="nn.Dropout1d (or a mask with one number per token) drops all entries of a token together. Dropout as in the "
    "paper decides about every entry by itself.",
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
    why="The constructor takes max_len before dropout. Called by position, as `PositionalEncoding(512, 0.1, 100)`, it "
    "gets a table of a tenth of a row.",
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
    why="The rows of wpe were looked up by token id. wpe has one row per position: token t of a sequence gets row t, "
    "whichever word it is.",
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
    why="The two tables have changed places: words are looked up in wpe and positions in wte. Both have width C, so "
    "with equal sizes nothing would fail.",
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
    why="The rows of wpe were counted along the batch: sequence b gets row b for all its tokens. Positions run along "
    "the second axis.",
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
    why="Positions were counted through the flattened batch, so the second sequence begins where the first one ended. "
    "Every sequence starts at position 0.",
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
    why="wpe was used for its length at most, and never added. The same word then has the same vector at every "
    "position.",
    hint="Your result is `wte[ids]`: no position was added.",
)

mistake(
    "embeddings.gpt2_embed",
    "scaled-tokens",
    edit("embedding_lookup(ids, wte)", "embedding_lookup(ids, wte) * math.sqrt(wte.shape[1])"),
    section="learned-positions",
    why="The rows of wte were multiplied by the square root of their width. The Transformer of 2017 does so; GPT-2 "
    "adds the two rows as they are.",
    hint="Your token rows are too large by the factor sqrt(C). GPT-2 does not scale.",
)

mistake(
    "embeddings.gpt2_embed",
    "positions-from-one",
    edit("wpe[:length]", "wpe.roll(-1, 0)[:length]"),
    section="learned-positions",
    why="Rows 1 to T of wpe were added. The first token stands at position 0, and the row of position T may not exist.",
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
    why="The last T rows of wpe were added and not the first T. Position 0 then has another row in every table.",
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
    why="A single row of wpe was added to all the tokens. A colon was forgotten: wpe[T - 1] is one row and wpe[:T] are "
    "T of them.",
    hint="All your tokens get the same row of `wpe`. The first T rows are `wpe[:T]`, with a colon.",
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
    why="The sinusoids of the 2017 Transformer were added, and the table wpe was used for its length only. GPT-2's "
    "positions are learned.",
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
    why="Token and position rows were put side by side and not added. The result is twice as wide as the model.",
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
    why="Positions were counted over the tokens that are not 0, so padding takes no position. GPT-2 has no padding: id "
    "0 is a token, and its position counts.",
    hint="Where id 0 stands, your positions stop counting. In GPT-2 id 0 is a token like any other, and position t is "
    "simply t.",
)

mistake(
    "embeddings.gpt2_embed",
    "one-sequence-for-all",
    edit("embedding_lookup(ids, wte)", "embedding_lookup(ids[:1].expand_as(ids), wte)"),
    section="learned-positions",
    why="The ids of the first sequence were used for the whole batch. Each sequence has its own words; only the "
    "positions are shared.",
    hint="All your sequences come out alike. The positions are the same for all of them, the words are not: look up "
    "all of `ids`.",
)

mistake(
    "embeddings.gpt2_embed",
    "positions-never-learn",
    edit("wpe[:length]", "wpe.detach()[:length]"),
    section="wpe-gradient",
    why="wpe was detached (or copied through .data) before it was added. The values are right, but the position rows "
    "never get a gradient.",
    hint="The values are right, and no gradient arrives at `wpe`. Its rows are learned like those of `wte`.",
)

mistake(
    "embeddings.gpt2_embed",
    "tokens-never-learn",
    edit("embedding_lookup(ids, wte)", "embedding_lookup(ids, wte.detach())"),
    section="table-gradient",
    why="wte was detached (or copied through .data) before the lookup. The values are right, but no word ever learns.",
    hint="The values are right, and no gradient arrives at `wte`.",
)


@mistake(
    "embeddings.gpt2_embed",
    "too-long-left-to-indexing",
    section="positions-too-long",
    why="Nothing compares T with the rows of wpe, so a longer sequence ends in whatever error indexing or broadcasting "
    "raises, and with a single row in wpe in none at all. The task asks for a ValueError that says what was too long.",
    hint="For more tokens than `wpe` has rows, your error is one of indexing or of sizes that do not match. Compare "
    "the two lengths first, and raise a ValueError that names both.",
)
def gpt2_embed(ids, wte, wpe):
    return embedding_lookup(ids, wte) + wpe[torch.arange(ids.shape[1])]


@mistake(
    "embeddings.gpt2_embed",
    "too-long-left-to-broadcasting",
    section="positions-too-long",
    why="Nothing compares T with the rows of wpe. The sum fails with PyTorch's own message when the sizes differ, and "
    "if wpe has a single row it is silently used for all positions.",
    hint="For more tokens than `wpe` has rows you leave it to broadcasting to complain. Compare the two lengths first, "
    "and raise a ValueError that names both.",
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
    why="A sequence with more tokens than positions was cut. Text disappears and nobody is told.",
    hint="For more tokens than `wpe` has rows you return fewer tokens than you got. Raise a ValueError instead.",
)


@mistake(
    "embeddings.gpt2_embed",
    "too-long-starts-again",
    section="positions-too-long",
    why="Positions beyond the table start again at row 0. Two tokens then share a position, and attention cannot tell "
    "which of them comes first.",
    hint="For more tokens than `wpe` has rows you begin again at row 0. Raise a ValueError instead.",
)
def gpt2_embed(ids, wte, wpe):
    return embedding_lookup(ids, wte) + wpe[torch.arange(ids.shape[1]) % len(wpe)]


@mistake(
    "embeddings.gpt2_embed",
    "too-long-repeats-the-last",
    section="positions-too-long",
    why="Positions beyond the table all get its last row. Those tokens share a position, and attention cannot tell "
    "which of them comes first.",
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
    why="A sequence with exactly as many tokens as wpe has rows is refused, because the comparison is >= and not >. "
    "Its last position has a row.",
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
    why="The sum was computed in float32 whatever the type of the tables. It should have their type.",
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
    why="The average was taken over all positions, padding included. The same sentence then has another vector in a "
    "longer batch.",
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
    why="The padded positions were set to zero, but the sum was divided by T, their number included. Short sentences "
    "then get short vectors.",
    hint="Your vectors are too short where there is padding: the sum is right, and you divide it by T. Divide by the "
    "number of positions that are *kept*.",
)

mistake(
    "embeddings.mean_pool",
    "divided-by-the-longest",
    edit("keep.sum(1, keepdim=True)", "keep.sum(1).max()"),
    section="mean-of-kept",
    why="Every sum was divided by the number of tokens of the longest sequence in the batch. Each sequence has its own "
    "count, and its vector must not depend on its neighbours.",
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
    why="The entries that differ from zero were counted in place of the positions that are kept. A real token may hold "
    "a zero, and it counts like any other value.",
    hint="Your average is too large where a token that is kept holds a zero: you count what is not zero. Count the "
    "positions where `keep` is True.",
)

mistake(
    "embeddings.mean_pool",
    "cut-off-from-the-gradient",
    edit("hidden * keep[..., None]", "hidden.detach() * keep[..., None]"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="The average was taken of a detached copy. The values are right, but no gradient reaches the hidden vectors, "
    "and nothing below the pooling learns.",
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
    why="The mask was turned round, so the padding is averaged and the tokens are left out. True means that a position "
    "is kept.",
    hint="You average the padding and leave the tokens out. `keep` is True at the positions that count.",
)

mistake(
    "embeddings.mean_pool",
    "nothing-kept-divides-by-zero",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "keep.sum(1, keepdim=True)"),
    base="product-and-clamp",
    section="nothing-kept",
    why="A row with nothing kept was divided by a count of zero. 0 / 0 is NaN, and one NaN spoils the loss of the "
    "whole batch.",
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
    why="A row with nothing kept falls back on the average of all its positions. Those are padding, which must not "
    "count.",
    hint="A row with nothing kept gives the average of its padding. It should give zeros.",
)

mistake(
    "embeddings.mean_pool",
    "one-count-for-the-batch",
    edit("keep.sum(1, keepdim=True)", "keep.sum()"),
    section="mean-of-kept",
    why="The sum of each sequence was divided by the number of tokens in the whole batch. Every sequence has its own "
    "count.",
    hint="Your vectors are too short: every sum is divided by the count of the *whole* batch. Count along the "
    "positions, and keep that axis.",
)

mistake(
    "embeddings.mean_pool",
    "one-average-for-the-batch",
    edit("(hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True).clamp(min=1)", "hidden[keep].mean(0)"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="The kept vectors of all sequences were averaged together. The batch has one sentence per row, and each gets "
    "its own vector.",
    hint="You return one vector for the whole batch: `hidden[keep]` forgets which sentence a token belongs to. Average "
    "along axis 1.",
)

mistake(
    "embeddings.mean_pool",
    "average-over-features",
    edit("(hidden * keep[..., None]).sum(1) / keep.sum(1, keepdim=True).clamp(min=1)", "hidden.mean(-1) * keep"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="The average runs over the width of a token and not over the tokens. Each position gets a number; the sentence "
    "gets no vector.",
    hint="Your result is `(B, T)`: you average the entries of each token's vector. Average over the positions, axis 1.",
)

mistake(
    "embeddings.mean_pool",
    "sum-not-mean",
    edit('weights = torch.zeros_like(hidden[..., 0]).masked_fill(~keep, float("-inf")).softmax(dim=1)', ""),
    edit("torch.nan_to_num(weights).unsqueeze(-1) * hidden", "hidden * keep[..., None]"),
    base="softmax-of-the-mask",
    section="mean-of-kept",
    why="The kept vectors were added and not divided by their number. Longer sentences get longer vectors.",
    hint="You return the sum of what is kept, not its mean. Divide by the number of positions that are kept.",
)

mistake(
    "embeddings.mean_pool",
    "divided-by-the-root",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "keep.sum(1, keepdim=True).clamp(min=1) ** 0.5"),
    base="product-and-clamp",
    section="mean-of-kept",
    why="The sum was divided by the square root of the count. That is a third way of pooling; the mean divides by the "
    "count.",
    hint="Your vectors are longer by the root of the number of tokens. Divide by the count itself.",
)

mistake(
    "embeddings.mean_pool",
    "count-plus-one",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "keep.sum(1, keepdim=True) + 1"),
    section="nothing-kept",
    why="One was added to every count, to keep it from being zero. That changes every average; only a count of zero "
    "needs help.",
    hint="Your averages are too small, as if each sentence had one token more. Guard against a count of zero with "
    "`clamp(min=1)`, which leaves the others alone.",
)

mistake(
    "embeddings.mean_pool",
    "count-plus-a-little",
    edit("keep.sum(1, keepdim=True).clamp(min=1)", "keep.sum(1, keepdim=True) + 1e-6"),
    section="nothing-kept",
    why="A small number was added to the count, to keep it from being zero. In float64 the result differs in the "
    "seventh digit; with `clamp(min=1)` nothing is changed that needs no change.",
    hint="Your averages are off in the last digits, by the small number that you add to the count. `clamp(min=1)` "
    "guards against zero and changes nothing else.",
)

mistake(
    "embeddings.mean_pool",
    "kept-positions-come-first",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", "count = keep.sum(1, keepdim=True)"),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "first = torch.arange(hidden.shape[1]) < count"),
    edit("kept.sum(1) / count", "(hidden * first[..., None]).sum(1) / count.clamp(min=1)"),
    section="mean-of-kept",
    why="The number of kept positions was counted, and as many positions were averaged from the front. With padding on "
    "the left, or in the middle, those are the wrong ones.",
    hint="You average the first so many positions. Right when the padding stands at the end, wrong when it stands "
    "elsewhere: use *which* positions are kept, not only how many.",
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
    why="The vector of the first position was returned. That is [CLS] pooling, for models trained with such a token.",
    hint="You return the vector at position 0, which is [CLS] pooling. This task averages over the kept positions.",
)

mistake(
    "embeddings.mean_pool",
    "axis-kept",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", ""),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "mask = keep[..., None]"),
    edit("kept.sum(1) / count", "(hidden * mask).sum(1, keepdim=True) / mask.sum(1, keepdim=True).clamp(min=1)"),
    section="mean-of-kept",
    why="The axis of the positions was kept with length 1. A sentence has one vector, and the result is (B, d).",
    hint="Your result has shape `(B, 1, d)`. Let the sum drop the axis of the positions: `(B, d)`.",
)

mistake(
    "embeddings.mean_pool",
    "type-promoted",
    edit("kept = hidden.masked_fill(~keep[:, :, None], 0.0)", ""),
    edit("count = keep.sum(1, keepdim=True).clamp(min=1)", "mask = keep[..., None].float()"),
    edit("kept.sum(1) / count", "(hidden * mask).sum(1) / mask.sum(1).clamp(min=1)"),
    section="positions-dtype",
    why="The mask was turned into float32 before it was multiplied. bfloat16 times float32 is float32, so the result "
    "has another type than the input.",
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
    why="The average was computed in float32 and cast back. An input in float64 loses about half of its digits on the "
    "way.",
    hint="For hidden vectors in float64 your result has lost digits: it went through float32. Stay in `hidden.dtype`.",
)

mistake(
    "embeddings.mean_pool",
    "padding-overwritten",
    edit("kept = hidden.masked_fill(", "with torch.no_grad():\n    hidden[~keep] = 0\nkept = hidden.masked_fill("),
    section="mean-of-kept",
    why="The padded positions were set to zero in the argument itself. The caller finds its hidden vectors changed.",
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
    why="The maximum was taken over all positions, padding included. What stands at padded positions then shows in the "
    "sentence's vector.",
    hint="Padding takes part in your maximum: your result ignores `keep`.",
)

mistake(
    "embeddings.max_pool",
    "padding-as-zeros",
    edit('largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)', ""),
    edit("largest.masked_fill(~keep.any(1, keepdim=True), 0.0)", "(hidden * keep[..., None]).amax(1)"),
    section="max-of-kept",
    why="The padded positions were set to zero before the maximum. Where all real values are negative, the zero of the "
    "padding wins.",
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
    why="The maximum was cut off at zero, as if all values were positive. The largest of several negative numbers is "
    "negative.",
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
    why="The padded positions were filled with -10000, which is not below every number. A sequence of smaller values "
    "then has -10000 as its maximum.",
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
    why="The maximum was taken of a detached copy. The values are right, but no gradient reaches the hidden vectors, "
    "and nothing below the pooling learns.",
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
    why="A row with nothing kept was left at minus infinity. The next layer turns it into NaN.",
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
    why="Padded positions were filled with the lowest number of the type, and a row with nothing kept has that number "
    "for its maximum. It should give zeros.",
    hint="A row with nothing kept comes out as a huge negative number, the one that you fill in. It should give zeros.",
)


@mistake(
    "embeddings.max_pool",
    "nothing-kept-takes-all",
    section="nothing-kept",
    why="A row with nothing kept falls back on the maximum over all its positions. Those are padding, which must not "
    "count.",
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
    why="The mask was turned round, so the maximum runs over the padding. True means that a position is kept.",
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
    why="The whole result of max along an axis was returned: the values and where they stand. Only the values were "
    "asked for.",
    hint="You return two things, because `max` along an axis gives values and indices. Take `.values`, or use `amax`.",
)

mistake(
    "embeddings.max_pool",
    "positions-not-values",
    edit('spare = torch.zeros_like(hidden[:, :1]).masked_fill(keep.any(1)[:, None, None], float("-inf"))', ""),
    edit("torch.cat([positions, spare], dim=1).amax", "positions.argmax"),
    base="one-position-more",
    section="max-of-kept",
    why="The positions of the largest values were returned, as argmax gives them, and not the values. Where a value "
    "stands says nothing about its size.",
    hint="You return *where* the largest values stand, not the values. Use `amax` or `.values`.",
)

mistake(
    "embeddings.max_pool",
    "maximum-over-features",
    edit('largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)', ""),
    edit("largest.masked_fill(~keep.any(1, keepdim=True), 0.0)", "hidden.amax(-1) * keep"),
    section="max-of-kept",
    why="The maximum runs over the width of each token and not over the tokens. Each position gets a number; the "
    "sentence gets no vector.",
    hint="Your result is `(B, T)`: you take the largest entry of each token's vector. Go along the positions, axis 1.",
)

mistake(
    "embeddings.max_pool",
    "one-maximum-for-the-batch",
    edit('largest = hidden.masked_fill(~keep[:, :, None], float("-inf")).amax(1)', ""),
    edit("largest.masked_fill(~keep.any(1, keepdim=True), 0.0)", "hidden[keep].amax(0)"),
    section="max-of-kept",
    why="The kept vectors of all sequences went into one maximum. The batch has one sentence per row, and each gets "
    "its own vector.",
    hint="You return one vector for the whole batch: `hidden[keep]` forgets which sentence a token belongs to. Go "
    "along axis 1.",
)


@mistake(
    "embeddings.max_pool",
    "longest-token",
    section="max-of-kept",
    why="The whole vector of one token was returned, the longest. The maximum is taken in every component by itself, "
    "so different components may come from different tokens.",
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
    why="The value with the largest absolute size was taken, its sign included. The maximum of -3 and 2 is 2.",
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
    why="The smallest value was taken in every component. Pooling by the maximum takes the largest.",
    hint="You return the smallest of the kept values, in every component.",
)


@mistake(
    "embeddings.max_pool",
    "kept-positions-come-first",
    section="max-of-kept",
    why="The number of kept positions was counted, and the maximum taken over as many positions from the front. With "
    "padding on the left, or in the middle, those are the wrong ones.",
    hint="You look at the first so many positions. Right when the padding stands at the end, wrong when it stands "
    "elsewhere: use *which* positions are kept.",
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
    why="The kept vectors were averaged. That is the other way of pooling.",
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
    why="The axis of the positions was kept with length 1. A sentence has one vector, and the result is (B, d).",
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
    why="Minus infinity was added through a product. Infinity times 0 is NaN, so every position that is kept becomes "
    "NaN.",
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
    why="The maximum was computed in float32 whatever the type of the input. It should have the input's type.",
    hint="For hidden vectors in float64 or bfloat16 your result is float32. Stay in `hidden.dtype`.",
)


@mistake(
    "embeddings.max_pool",
    "padding-overwritten",
    section="max-of-kept",
    why="The padded positions were overwritten in the argument itself. The caller finds its hidden vectors changed.",
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
    why="Dropout was applied to the positions before they were added, once for all sequences. The tokens are never "
    "dropped.",
    hint="In training only the positions are dropped, your tokens never are. Apply dropout to the *sum*.",
)

mistake(
    "embeddings.max_pool",
    "a-large-negative-number-where-nothing-is-kept",
    edit('float("-inf")', "-1e9"),
    edit(".masked_fill(~keep.any(1, keepdim=True), 0.0)", ""),
    section="nothing-kept",
    why="Padding was filled with -1e9, and in a row with nothing kept that number is the largest. The task asks for "
    "zeros there.",
    hint="A row with nothing kept gives you -1e9, the number that you fill padding with. Such a row pools to zeros.",
)

mistake(
    "embeddings.one_hot",
    "ids-counted-from-one",
    edit("F.one_hot(ids,", "F.one_hot((ids - 1).clamp(min=0),"),
    section="one-hot-vectors",
    why="The ids were taken to start at 1, so each 1 stands one index too early. The first id is 0.",
    hint="Your ones stand one index too early. Ids start at 0: the id is the index, with nothing subtracted.",
)

mistake(
    "embeddings.mean_pool",
    "padding-in-the-sum-alone",
    edit("hidden.masked_fill(~keep[:, :, None], 0.0)", "hidden"),
    section="mean-of-kept",
    why="The sum runs over all positions, padding included. Only the divisor counts the kept ones.",
    hint="Your divisor is right, but the sum holds the padded vectors too. Set them to zero first.",
)

mistake(
    "embeddings.gpt2_embed",
    "first-position-for-all",
    edit("wpe[:length]", "wpe[0]"),
    section="learned-positions",
    why="The vector of position 0 was added to every token. A colon was forgotten: `wpe[0]` is one row.",
    hint="All your tokens get row 0 of `wpe`. Token t gets row t.",
)
