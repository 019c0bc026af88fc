"""Wrong implementations of the tasks of transformer, each with the misconception behind it.

Every entry is wrong in one respect only. Most change one method of the right class: what is left out is right.
"""

import copy

import torch
import torch.nn.functional as F

from autograder.course.catalogue import edit, mistake
from solutions.transformer import Decoder as RightDecoder
from solutions.transformer import DecoderLayer as RightDecoderLayer
from solutions.transformer import Encoder as RightEncoder
from solutions.transformer import EncoderLayer as RightEncoderLayer
from solutions.transformer import make_model as right_model

# ---------------------------------------------------------------------------------------------------------------------
# EncoderLayer


mistake(
    "transformer.EncoderLayer",
    "no-feed-forward",
    edit("x = self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))", ""),
    edit(
        "self.connections[1](x, self.feed_forward)",
        "self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))",
    ),
    section="tf-encoder-layer",
    why="The layer returns after its attention. Attention only averages vectors of other positions; without the "
    "feed-forward network nothing is computed from what it found.",
    hint="Your layer stops half-way: the feed-forward network has no influence on the result. Its second connection "
    "belongs around it.",
)

mistake(
    "transformer.EncoderLayer",
    "feed-forward-first",
    edit(
        "self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))",
        "self.connections[0](x, self.feed_forward)",
    ),
    edit(
        "self.connections[1](x, self.feed_forward)",
        "self.connections[1](x, lambda y: self.self_attention(y, y, y, mask))",
    ),
    section="tf-encoder-layer",
    why="The feed-forward network runs before the attention. In the paper each layer first lets positions exchange "
    "what they know and then lets each of them compute.",
    hint="Your two sublayers are in the wrong order. Attention comes first, then the feed-forward network.",
)

mistake(
    "transformer.EncoderLayer",
    "sublayers-in-parallel",
    edit(
        "x = self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))",
        "attended = self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))",
    ),
    edit("self.connections[1](x, self.feed_forward)", "attended + self.connections[1](x, self.feed_forward) - x"),
    section="tf-encoder-layer",
    why="Both sublayers read the layer's input, and their results are added. The feed-forward network should read what "
    "attention has changed already.",
    hint="Your feed-forward network reads the layer's input instead of what attention made of it. Pass the first "
    "result on to the second connection.",
)

mistake(
    "transformer.EncoderLayer",
    "one-connection-for-both",
    edit(
        "self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))",
        "self.connection = SublayerConnection(d_model, dropout, norm)",
    ),
    edit("self.connections[0]", "self.connection"),
    edit("self.connections[1]", "self.connection"),
    section="tf-sharing",
    why="One residual connection serves both sublayers, so they share one norm. Each sublayer needs a gain and a bias "
    "of its own.",
    hint="Your layer has a single norm, used twice. Make one `SublayerConnection` for each sublayer.",
)

mistake(
    "transformer.EncoderLayer",
    "mask-forgotten",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(y, y, y)"),
    section="tf-encoder-layer",
    why="The mask is accepted but not handed to the attention. Padding then mixes into every sentence that is shorter "
    "than the longest of its batch.",
    hint="The mask has no influence on your result. Hand it to the attention, inside the function that you give to the "
    "connection.",
)


@mistake(
    "transformer.EncoderLayer",
    "norm-not-passed-on",
    section="tf-norms",
    why="The argument norm is not handed to the connections, so that the layer is pre-norm whatever was asked for. "
    'Nothing fails, but "post" has no effect.',
    hint='Your layer gives the pre-norm result for `norm="post"` too. Hand `norm` on to both connections.',
)
class EncoderLayer(RightEncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(d_model, num_heads, d_ff, dropout)


mistake(
    "transformer.EncoderLayer",
    "post-norm-by-default",
    edit(
        'def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):',
        'def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="post"):',
    ),
    section="tf-norms",
    why='The default is "post". This course\'s layers are pre-norm unless the caller chooses otherwise.',
    hint='Without the argument `norm` your layer is post-norm. The default is `"pre"`.',
)

mistake(
    "transformer.EncoderLayer",
    "keys-not-normalised",
    edit("lambda y: self.self_attention(y, y, y, mask)", "lambda y, x=x: self.self_attention(y, x, x, mask)"),
    section="tf-norms",
    why="Only the queries come from the normalised input; keys and values come from the input before the norm. In "
    "pre-norm self-attention all three read the same normalised vectors.",
    hint="Your queries are normalised, but keys and values are not. The function that a connection calls gets the "
    "normalised `y`: use it three times, and not the outer `x`.",
)

mistake(
    "transformer.EncoderLayer",
    "residual-twice",
    edit("self.connections[1](x, self.feed_forward)", "self.connections[1](x, lambda y: y + self.feed_forward(y))"),
    section="tf-encoder-layer",
    why="The sublayer adds its input although the connection does so already. The shortcut then counts twice.",
    hint="Your result holds the input of the feed-forward network once too often. `SublayerConnection` adds the "
    "shortcut by itself.",
)

mistake(
    "transformer.EncoderLayer",
    "extra-norm-at-the-end",
    edit(
        "self.connections[1](x, self.feed_forward)",
        "F.layer_norm(self.connections[1](x, self.feed_forward), x.shape[-1:])",
    ),
    section="tf-stacks",
    why="Each layer ends in a norm of its own although it is pre-norm. The norm after a pre-norm stack stands once, "
    "after the last layer; inside every layer it cuts the shortcut off.",
    hint="Your pre-norm layer normalises its result. The shortcut must leave a layer as it is: the final norm belongs "
    "to the stack.",
)

mistake(
    "transformer.EncoderLayer",
    "every-dropout-left-at-its-default",
    edit(
        "self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.self_attention = MultiHeadAttention(d_model, num_heads)",
    ),
    edit("FeedForward(d_model, d_ff, dropout)", "FeedForward(d_model, d_ff)"),
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, norm=norm)"),
    section="tf-encoder-layer",
    why="None of the parts gets the layer's dropout, so each has its own default: 0 in attention, 0.1 elsewhere. What "
    "the layer was asked for has no effect.",
    hint="Your layer takes `dropout` and never passes it on. Attention, feed-forward network and connections all get it.",
)

mistake(
    "transformer.EncoderLayer",
    "dropout-not-in-attention",
    edit("MultiHeadAttention(d_model, num_heads, dropout)", "MultiHeadAttention(d_model, num_heads)"),
    section="tf-encoder-layer",
    why="The attention was built without the layer's dropout, and its own default is 0. Its weights are then never "
    "dropped while training.",
    hint="While training, your attention drops none of its weights. Hand `dropout` on to the attention as well.",
)

mistake(
    "transformer.EncoderLayer",
    "dropout-not-passed-on",
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, norm=norm)"),
    section="tf-encoder-layer",
    why="The connections were built without the dropout that was asked for, so they drop with their own default of "
    "0.1. A model that is built with no dropout drops all the same.",
    hint="Your connections drop with another probability than the layer was given. Hand `dropout` on to them.",
)

mistake(
    "transformer.EncoderLayer",
    "connections-in-a-plain-list",
    edit(
        "nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))",
        "[SublayerConnection(d_model, dropout, norm) for _ in range(2)]",
    ),
    section="tf-sharing",
    why="The connections stand in a Python list, which PyTorch does not look into. Their norms are missing from "
    "parameters(), so they are neither trained nor moved or saved.",
    hint="The norms of your layer are missing from its `parameters()`. Keep modules in an `nn.ModuleList`, not in a "
    "list.",
)

mistake(
    "transformer.EncoderLayer",
    "no-dropout-by-default",
    edit(
        'def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):',
        'def __init__(self, d_model, num_heads, d_ff, dropout=0.0, norm="pre"):',
    ),
    section="tf-encoder-layer",
    why="Without the argument dropout the layer drops nothing. The default is the paper's 0.1, and who relies on it "
    "trains without regularisation.",
    hint="Without the argument `dropout` your layer drops nothing while training. Its default is 0.1.",
)

mistake(
    "transformer.EncoderLayer",
    "hidden-dropout-by-default",
    edit("FeedForward(d_model, d_ff, dropout)", "FeedForward(d_model, d_ff)"),
    section="tf-encoder-layer",
    why="The feed-forward network was built without the layer's dropout, and keeps its own default of 0.1. The layer "
    "has one probability, for all three places.",
    hint="Your hidden units are dropped with a probability of their own. Hand `dropout` on to the feed-forward "
    "network.",
)


@mistake(
    "transformer.EncoderLayer",
    "hidden-width-fixed",
    section="tf-count",
    why="The feed-forward network is four times as wide as the model, whatever d_ff says. The paper's sizes are of "
    "that ratio; the argument decides.",
    hint="Your feed-forward network does not have the width `d_ff`. Hand `d_ff` on to it.",
)
class EncoderLayer(RightEncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(d_model, num_heads, 4 * d_model, dropout, norm)


mistake(
    "transformer.EncoderLayer",
    "attention-reads-the-outer-x",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(x, x, x, mask)"),
    section="tf-norms",
    why="The function that the connection calls uses the x of forward and not its own argument. In a pre-norm layer "
    "that argument is the normalised input, so the attention reads vectors that were never normalised.",
    hint="Your attention reads the layer's input as it came. The connection calls your function with the normalised "
    "input: use its argument `y` three times, not `x`.",
)

mistake(
    "transformer.EncoderLayer",
    "query-not-normalised",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(x, y, y, mask)"),
    section="tf-norms",
    why="The queries come from the input before the norm, keys and values from after it. In pre-norm self-attention "
    "all three read the same normalised vectors.",
    hint="Your keys and values are normalised, but your queries are not. Use the argument of the inner function for all "
    "three.",
)

mistake(
    "transformer.EncoderLayer",
    "values-not-normalised",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(y, y, x, mask)"),
    section="tf-norms",
    why="The values come from the input before the norm, queries and keys from after it. In pre-norm self-attention "
    "all three read the same normalised vectors.",
    hint="Your queries and keys are normalised, but your values are not. Use the argument of the inner function for all "
    "three.",
)

mistake(
    "transformer.EncoderLayer",
    "feed-forward-reads-the-outer-x",
    edit("self.connections[1](x, self.feed_forward)", "self.connections[1](x, lambda y: self.feed_forward(x))"),
    section="tf-norms",
    why="The function around the feed-forward network ignores its argument and uses the outer x. In a pre-norm layer "
    "the network then reads vectors that were never normalised.",
    hint="Your feed-forward network reads its input before the norm. Give the network itself to the connection, or use "
    "the argument of the inner function.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcut-added-outside-attention",
    edit("x = self.connections[0](", "x = x + self.connections[0]("),
    section="tf-encoder-layer",
    why="The layer adds x to what the first connection returns. `SublayerConnection` has added it already, so the "
    "shortcut around the attention counts twice.",
    hint="Your result holds the layer's input once too often, around the attention. `SublayerConnection` adds the "
    "shortcut by itself: leave out your own `x +`.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcut-added-inside-attention",
    edit("lambda y: self.self_attention(y, y, y, mask)", "lambda y: y + self.self_attention(y, y, y, mask)"),
    section="tf-encoder-layer",
    why="The function that the first connection calls adds its own argument. The connection adds the shortcut, so the "
    "normalised input comes on top of it.",
    hint="Your attention's result already holds its input when the connection adds the shortcut. Return the attention "
    "alone: `SublayerConnection` does the adding.",
)

mistake(
    "transformer.EncoderLayer",
    "outer-x-added-inside-attention",
    edit("lambda y: self.self_attention(y, y, y, mask)", "lambda y: x + self.self_attention(y, y, y, mask)"),
    section="tf-encoder-layer",
    why="The function that the first connection calls adds the outer x. The connection adds it once more, so the "
    "shortcut around the attention counts twice.",
    hint="Your attention's result already holds the layer's input when the connection adds it. Return the attention "
    "alone: `SublayerConnection` does the adding.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcut-added-outside-feed-forward",
    edit("return self.connections[1](", "return x + self.connections[1]("),
    section="tf-encoder-layer",
    why="The layer adds x to what the second connection returns. `SublayerConnection` has added it already, so the "
    "shortcut around the feed-forward network counts twice.",
    hint="Your result holds the input of the second sublayer once too often. `SublayerConnection` adds the shortcut by "
    "itself: leave out your own `x +`.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcuts-added-everywhere",
    edit("x = self.connections[0](", "x = x + self.connections[0]("),
    edit("return self.connections[1](", "return x + self.connections[1]("),
    section="tf-encoder-layer",
    why="The layer adds x to what each of the two connections returns. `SublayerConnection` has added it already, so "
    "both shortcuts count twice.",
    hint="Both of your shortcuts count twice. `SublayerConnection` adds them by itself: leave out your own `x +`.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcuts-added-inside",
    edit("lambda y: self.self_attention(y, y, y, mask)", "lambda y: y + self.self_attention(y, y, y, mask)"),
    edit("self.connections[1](x, self.feed_forward)", "self.connections[1](x, lambda y: y + self.feed_forward(y))"),
    section="tf-encoder-layer",
    why="Both inner functions add their own argument. The connections add the shortcuts, so the normalised inputs come "
    "on top of them.",
    hint="Both of your sublayers return their input along with their result. Return the result alone: "
    "`SublayerConnection` does the adding.",
)

mistake(
    "transformer.EncoderLayer",
    "attention-result-thrown-away",
    edit("x = self.connections[0](", "y = self.connections[0]("),
    section="tf-encoder-layer",
    why="The attention's result is computed and not used: the second connection reads the layer's input. The layer "
    "then changes every position by itself and never mixes them.",
    hint="Your attention has no influence on the result. The second connection should read what the first one "
    "returned.",
)

mistake(
    "transformer.EncoderLayer",
    "result-in-place-of-a-function",
    edit("lambda y: self.self_attention(y, y, y, mask)", "self.self_attention(x, x, x, mask)"),
    section="tf-encoder-layer",
    why="The connection was given what the attention returned. It expects something to call, since it normalises the "
    "input before the attention reads it.",
    hint="You hand a tensor to the connection, and it wants a function. Write `lambda y: ...` around the call of the "
    "attention.",
)

mistake(
    "transformer.EncoderLayer",
    "first-connection-used-twice",
    edit("self.connections[1](x, self.feed_forward)", "self.connections[0](x, self.feed_forward)"),
    section="tf-sharing",
    why="Two connections were made, and both sublayers go through the first one. The two sublayers then share one norm, "
    "and the second norm never learns.",
    hint="Both of your sublayers use the same connection, so the second norm is never used. Take a connection of its "
    "own for each.",
)

mistake(
    "transformer.EncoderLayer",
    "mask-inverted",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(y, y, y, None if mask is None else ~mask)"),
    section="tf-encoder-layer",
    why='The mask is inverted on the way to the attention. In this course True means "may attend", in the layer and '
    "in its attention alike.",
    hint='Your attention reads exactly what the mask hides. Hand the mask on as it is: `True` means "may attend" '
    "everywhere in this course.",
)

mistake(
    "transformer.EncoderLayer",
    "one-head",
    edit("MultiHeadAttention(d_model, num_heads, dropout)", "MultiHeadAttention(d_model, 1, dropout)"),
    section="tf-encoder-layer",
    why="The attention was built with a single head, whatever num_heads says. No shape and no count of parameters "
    "tells, since the projections are the same.",
    hint="Your attention does not have `num_heads` heads. Hand the number on to `MultiHeadAttention`.",
)

mistake(
    "transformer.EncoderLayer",
    "nothing-dropped-after-the-sublayers",
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, 0.0, norm)"),
    section="tf-encoder-layer",
    why="What the sublayers return is never dropped. The layer's dropout acts on attention weights, on hidden units, "
    "and on the result of each sublayer.",
    hint="While training, what your sublayers return is not dropped. Hand `dropout` on to both connections.",
)

mistake(
    "transformer.EncoderLayer",
    "norms-the-wrong-way-round",
    edit(
        "SublayerConnection(d_model, dropout, norm)",
        'SublayerConnection(d_model, dropout, "pre" if norm == "post" else "post")',
    ),
    section="tf-norms",
    why='The two styles are exchanged: the layer is post-norm for "pre" and pre-norm for "post". A pre-norm sublayer '
    "normalises what it reads, a post-norm sublayer what it returns together with the shortcut.",
    hint='Your layer gives the post-norm result for `norm="pre"`. In the pre-norm layer the norm comes before the '
    "sublayer, and the shortcut passes it by.",
)

mistake(
    "transformer.EncoderLayer",
    "result-of-the-norm-as-shortcut",
    edit("x = x + self.dropout(self.self_attn(y, y, y, mask))", "x = y + self.dropout(self.self_attn(y, y, y, mask))"),
    edit("return x + self.dropout(self.feed_forward(y))", "return y + self.dropout(self.feed_forward(y))"),
    base="both-styles-written-out",
    section="tf-norms",
    why="The shortcut carries the normalised input. In a pre-norm layer the norm is for the sublayer alone, and the "
    "shortcut carries the input untouched.",
    hint="Your shortcut passes through the norm. Keep `x` for the sum, and give the normalised copy to the sublayer "
    "only.",
)

mistake(
    "transformer.EncoderLayer",
    "norm-on-the-branch",
    edit(
        "y = self.norm1(x)\nx = x + self.dropout(self.self_attn(y, y, y, mask))\ny = self.norm2(x)\n"
        "return x + self.dropout(self.feed_forward(y))",
        "x = x + self.dropout(self.norm1(self.self_attn(x, x, x, mask)))\n"
        "return x + self.dropout(self.norm2(self.feed_forward(x)))",
    ),
    base="both-styles-written-out",
    section="tf-norms",
    why="The norm is applied to what the sublayer returns, before the sum. A pre-norm layer normalises what the "
    "sublayer reads.",
    hint='Your norm comes between the sublayer and the sum. For `norm="pre"` it comes before the sublayer.',
)

mistake(
    "transformer.EncoderLayer",
    "feed-forward-reads-the-first-norm",
    edit("y = self.norm2(x)\nreturn x", "return x"),
    base="both-styles-written-out",
    section="tf-norms",
    why="The feed-forward network reads the normalised input of the attention, which is still in the variable. It "
    "should read what the attention has changed, normalised by the second norm.",
    hint="Your feed-forward network reads what the first norm returned, from before the attention. Normalise again, with "
    "the second norm, after the first sum.",
)

mistake(
    "transformer.EncoderLayer",
    "no-shortcut-around-attention",
    edit("x = x + self.dropout(self.self_attn(y, y, y, mask))", "x = self.dropout(self.self_attn(y, y, y, mask))"),
    edit(
        "self.norm1(x + self.dropout(self.self_attn(x, x, x, mask)))",
        "self.norm1(self.dropout(self.self_attn(x, x, x, mask)))",
    ),
    base="both-styles-written-out",
    section="tf-encoder-layer",
    why="The attention's result replaces the layer's input instead of being added to it. What a position was is lost, "
    "apart from what attention gathered.",
    hint="Your attention has no shortcut around it. Its result is added to the layer's input.",
)

mistake(
    "transformer.EncoderLayer",
    "no-shortcut-around-feed-forward",
    edit("return x + self.dropout(self.feed_forward(y))", "return self.dropout(self.feed_forward(y))"),
    edit("self.norm2(x + self.dropout(self.feed_forward(x)))", "self.norm2(self.dropout(self.feed_forward(x)))"),
    base="both-styles-written-out",
    section="tf-encoder-layer",
    why="The feed-forward network's result replaces what the attention gathered instead of being added to it. Each of "
    "the two sublayers has its shortcut.",
    hint="Your feed-forward network has no shortcut around it. Its result is added to what it read.",
)

mistake(
    "transformer.EncoderLayer",
    "dropout-after-the-sum",
    edit("x = x + self.dropout(self.self_attn(y, y, y, mask))", "x = self.dropout(x + self.self_attn(y, y, y, mask))"),
    edit("return x + self.dropout(self.feed_forward(y))", "return self.dropout(x + self.feed_forward(y))"),
    base="both-styles-written-out",
    section="tf-encoder-layer",
    why="Dropout acts on the sum, so it erases parts of the shortcut too. It belongs on what the sublayer returns, "
    "before the sum.",
    hint="While training, your dropout also erases the shortcut. Drop the sublayer's result first, then add it.",
)

mistake(
    "transformer.EncoderLayer",
    "dropout-in-evaluation",
    edit("self.connections = nn.ModuleList(", "self.p = dropout\nself.connections = nn.ModuleList("),
    edit(
        "return self.connections[1](x, self.feed_forward)",
        "return F.dropout(self.connections[1](x, self.feed_forward), self.p)",
    ),
    section="tf-encoder-layer",
    why="`F.dropout` was called without `training=self.training`, and its default is True. The layer then drops while "
    "it is evaluated, so that the same input gives different outputs.",
    hint="Your layer still drops in evaluation mode. Use `nn.Dropout`, or pass `training=self.training` to `F.dropout`.",
)

mistake(
    "transformer.EncoderLayer",
    "hidden-units-not-dropped",
    edit(
        "FeedForward(d_model, d_ff, dropout)",
        "nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))",
    ),
    section="tf-encoder-layer",
    why="The feed-forward network was built without dropout between its two layers. The layer's dropout acts on hidden "
    "units too.",
    hint="While training, your feed-forward network drops no hidden units. Use `FeedForward(d_model, d_ff, dropout)`, or "
    "put an `nn.Dropout` after the ReLU.",
)

mistake(
    "transformer.EncoderLayer",
    "feed-forward-without-relu",
    edit(
        "FeedForward(d_model, d_ff, dropout)",
        "nn.Sequential(nn.Linear(d_model, d_ff), nn.Dropout(dropout), nn.Linear(d_ff, d_model))",
    ),
    section="tf-encoder-layer",
    why="The feed-forward network has no activation between its two linear layers. Two linear maps in a row are one "
    "linear map.",
    hint="Your feed-forward network lacks the ReLU between its two layers.",
)

mistake(
    "transformer.EncoderLayer",
    "gelu-instead-of-relu",
    edit("FeedForward(d_model, d_ff, dropout)", 'FeedForward(d_model, d_ff, dropout, "gelu")'),
    section="tf-encoder-layer",
    why="The feed-forward network uses GELU. The layers of this unit are the paper's, with ReLU, the default of "
    "`FeedForward`.",
    hint="Your feed-forward network uses another activation than ReLU.",
)

mistake(
    "transformer.EncoderLayer",
    "masked-after-the-softmax",
    edit(
        "found = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)",
        """
        weights = (q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5).softmax(-1)
        if mask is not None:
            weights = weights * mask
            weights = weights / weights.sum(-1, keepdim=True)
        found = F.dropout(weights, p) @ v
        """,
    ),
    base="one-projection-for-all-three",
    section="tf-encoder-layer",
    why="The mask was applied to finished weights, and the rest was divided by its sum. If a forbidden score is far "
    "above the others, it has taken the whole row, and what remains is 0/0.",
    hint="You mask after the softmax. A large forbidden score then swallows its row: set forbidden scores to minus "
    "infinity before the softmax.",
)

mistake(
    "transformer.EncoderLayer",
    "nan-where-nothing-may-be-attended",
    edit(
        "found = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)",
        """
        scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        found = F.dropout(scores.softmax(-1), p) @ v
        """,
    ),
    base="one-projection-for-all-three",
    section="tf-encoder-layer",
    why="A query that may attend to nothing has a row of minus infinity, whose softmax is NaN. One such row, a sentence "
    "of padding, spoils the whole batch as soon as anything is summed.",
    hint="Your layer returns NaN for a query that may attend to nothing. Such a query finds zeros, so that its attention "
    "returns the bias of its last projection.",
)


# ---------------------------------------------------------------------------------------------------------------------
# DecoderLayer


mistake(
    "transformer.DecoderLayer",
    "masks-swapped",
    edit("x = self.connections[0](", "src_mask, tgt_mask = tgt_mask, src_mask\nx = self.connections[0]("),
    section="tf-decoder-layer",
    why="The source's mask goes to the self-attention and the target's to the cross-attention. A mask belongs to the "
    "keys, and the keys of the cross-attention are source positions.",
    hint="Your two masks are swapped. Ask of each attention whose positions are its keys: `tgt_mask` for the "
    "self-attention, `src_mask` for the cross-attention.",
)

mistake(
    "transformer.DecoderLayer",
    "no-cross-attention",
    edit("x = self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))", ""),
    section="tf-decoder-layer",
    why="The layer never looks at the memory. It is then the layer of a language model, and the translation has "
    "nothing to do with the source.",
    hint="The memory has no influence on your result. Between self-attention and feed-forward network stands an "
    "attention to `memory`.",
)

mistake(
    "transformer.DecoderLayer",
    "cross-attention-first",
    edit(
        "self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))",
        "self.connections[0](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
    ),
    edit(
        "self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
        "self.connections[1](x, lambda y: self.self_attention(y, y, y, tgt_mask))",
    ),
    section="tf-decoder-layer",
    why="The cross-attention runs before the self-attention. In the paper's figure a position first gathers what has "
    "been written, and then asks the source.",
    hint="Your two attentions run in the wrong order: self-attention is first.",
)

mistake(
    "transformer.DecoderLayer",
    "feed-forward-before-cross-attention",
    edit(
        "self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
        "self.connections[1](x, self.feed_forward)",
    ),
    edit(
        "return self.connections[2](x, self.feed_forward)",
        "return self.connections[2](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
    ),
    section="tf-decoder-layer",
    why="The feed-forward network stands between the two attentions. It should compute with what both have found, so "
    "it is the last of the three.",
    hint="Your feed-forward network runs before the cross-attention. It is the last sublayer.",
)

mistake(
    "transformer.DecoderLayer",
    "queries-from-memory",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(memory, y, y)"),
    section="tf-decoder-layer",
    why="In the cross-attention the queries come from the memory and the keys from the target. The result then has one "
    "row for each source position, and who asks whom is reversed.",
    hint="In your cross-attention the source asks the target. The target's positions ask (`query`), the memory answers "
    "(`key`, `value`).",
)

mistake(
    "transformer.DecoderLayer",
    "values-from-target",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, memory, y, src_mask)"),
    section="tf-decoder-layer",
    why="The cross-attention takes its keys from the memory but its values from the target. The words that are found "
    "must come from where they were looked for.",
    hint="Your cross-attention looks in the memory but takes its values from the target. Keys and values come from the "
    "same position.",
)

mistake(
    "transformer.DecoderLayer",
    "one-attention-for-both",
    edit(
        "self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(3))",
        """
        self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(3))
        self.cross_attention = self.self_attention
        """,
    ),
    section="tf-sharing",
    why="Self-attention and cross-attention are one module, so they share their four projections. What a word asks of "
    "its own sentence and what it asks of the source are different questions.",
    hint="Your two attentions share their parameters. Make two `MultiHeadAttention` modules.",
)

mistake(
    "transformer.DecoderLayer",
    "memory-normalised-again",
    edit(
        "x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))",
        """
        x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))
        known = self.connections[1].norm_layer(memory)
        """,
    ),
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, known, known, src_mask)"),
    section="tf-norms",
    why="The memory is normalised by the layer's norm as if it were the target. It comes out of the encoder's last "
    "norm already; the layer's norm is for what the connection carries.",
    hint="Your layer normalises the memory. Only `x` passes the norm; the memory is used as it comes.",
)

mistake(
    "transformer.DecoderLayer",
    "no-target-mask",
    edit("x = self.connections[0](", "tgt_mask = None\nx = self.connections[0]("),
    section="tf-decoder-layer",
    why="The target's mask is not handed to the self-attention. While training, each position then sees the word that "
    "it is to predict.",
    hint="`tgt_mask` has no influence on your result, so the decoder sees the future. It belongs to the "
    "self-attention.",
)

mistake(
    "transformer.DecoderLayer",
    "no-source-mask",
    edit("x = self.connections[0](", "src_mask = None\nx = self.connections[0]("),
    section="tf-decoder-layer",
    why="The source's mask is not handed to the cross-attention. The decoder then reads the padding of the source.",
    hint="`src_mask` has no influence on your result, so the decoder reads padding. It belongs to the cross-attention.",
)

mistake(
    "transformer.DecoderLayer",
    "no-shortcut-around-cross-attention",
    edit(
        "self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
        "self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask)) - x",
    ),
    section="tf-decoder-layer",
    why="The cross-attention's result replaces what the layer knew instead of being added to it. Each of the three "
    "sublayers has its shortcut.",
    hint="Your cross-attention has no shortcut. Put it into a connection like the other two sublayers.",
)


@mistake(
    "transformer.DecoderLayer",
    "norm-not-passed-on",
    section="tf-norms",
    why="The argument norm is not handed to the connections, so that the layer is pre-norm whatever was asked for. "
    'Nothing fails, but "post" has no effect.',
    hint='Your layer gives the pre-norm result for `norm="post"` too. Hand `norm` on to the three connections.',
)
class DecoderLayer(RightDecoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(d_model, num_heads, d_ff, dropout)


mistake(
    "transformer.DecoderLayer",
    "every-dropout-left-at-its-default",
    edit(
        "self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.self_attention = MultiHeadAttention(d_model, num_heads)",
    ),
    edit(
        "self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.cross_attention = MultiHeadAttention(d_model, num_heads)",
    ),
    edit("FeedForward(d_model, d_ff, dropout)", "FeedForward(d_model, d_ff)"),
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, norm=norm)"),
    section="tf-encoder-layer",
    why="None of the parts gets the layer's dropout, so each has its own default: 0 in attention, 0.1 elsewhere. What "
    "the layer was asked for has no effect.",
    hint="Your layer takes `dropout` and never passes it on. Attention, feed-forward network and connections all get it.",
)

mistake(
    "transformer.DecoderLayer",
    "dropout-not-in-cross-attention",
    edit(
        "self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.cross_attention = MultiHeadAttention(d_model, num_heads)",
    ),
    section="tf-decoder-layer",
    why="The cross-attention was built without the layer's dropout, and its own default is 0. Its weights are then "
    "never dropped while training.",
    hint="While training, your cross-attention drops none of its weights. Hand `dropout` on to both attentions.",
)

mistake(
    "transformer.DecoderLayer",
    "self-attention-reads-the-outer-x",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(x, x, x, tgt_mask)"),
    section="tf-norms",
    why="The function that the first connection calls uses the x of forward and not its own argument. In a pre-norm "
    "layer that argument is the normalised input, so the attention reads vectors that were never normalised.",
    hint="Your self-attention reads the layer's input as it came. The connection calls your function with the "
    "normalised input: use its argument `y` three times, not `x`.",
)

mistake(
    "transformer.DecoderLayer",
    "cross-query-not-normalised",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(x, memory, memory, src_mask)"),
    section="tf-norms",
    why="The cross-attention takes its queries from the outer x and not from the argument of the inner function. In a "
    "pre-norm layer that argument is the normalised input.",
    hint="The queries of your cross-attention are not normalised. Use the argument of the inner function as query.",
)

mistake(
    "transformer.DecoderLayer",
    "feed-forward-reads-the-outer-x",
    edit("self.connections[2](x, self.feed_forward)", "self.connections[2](x, lambda y: self.feed_forward(x))"),
    section="tf-norms",
    why="The function around the feed-forward network ignores its argument and uses the outer x. In a pre-norm layer "
    "the network then reads vectors that were never normalised.",
    hint="Your feed-forward network reads its input before the norm. Give the network itself to the connection, or use "
    "the argument of the inner function.",
)

mistake(
    "transformer.DecoderLayer",
    "both-attentions-read-the-outer-x",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(x, x, x, tgt_mask)"),
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(x, memory, memory, src_mask)"),
    section="tf-norms",
    why="The functions that the connections call use the outer x and not their own argument. In a pre-norm layer that "
    "argument is the normalised input.",
    hint="Both of your attentions read vectors that were not normalised. The connections call your functions with the "
    "normalised input: use their argument, not `x`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-outside-self-attention",
    edit("x = self.connections[0](", "x = x + self.connections[0]("),
    section="tf-decoder-layer",
    why="The layer adds x to what the first connection returns. `SublayerConnection` has added it already, so the "
    "shortcut around the self-attention counts twice.",
    hint="Your shortcut around the self-attention counts twice. `SublayerConnection` adds it by itself: leave out your "
    "own `x +`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-outside-cross-attention",
    edit("x = self.connections[1](", "x = x + self.connections[1]("),
    section="tf-decoder-layer",
    why="The layer adds x to what the second connection returns. `SublayerConnection` has added it already, so the "
    "shortcut around the cross-attention counts twice.",
    hint="Your shortcut around the cross-attention counts twice. `SublayerConnection` adds it by itself: leave out your "
    "own `x +`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-outside-feed-forward",
    edit("return self.connections[2](", "return x + self.connections[2]("),
    section="tf-decoder-layer",
    why="The layer adds x to what the last connection returns. `SublayerConnection` has added it already, so the "
    "shortcut around the feed-forward network counts twice.",
    hint="Your shortcut around the feed-forward network counts twice. `SublayerConnection` adds it by itself: leave out "
    "your own `x +`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcuts-added-everywhere",
    edit("x = self.connections[0](", "x = x + self.connections[0]("),
    edit("x = self.connections[1](", "x = x + self.connections[1]("),
    edit("return self.connections[2](", "return x + self.connections[2]("),
    section="tf-decoder-layer",
    why="The layer adds x to what each of the three connections returns. `SublayerConnection` has added it already, so "
    "all shortcuts count twice.",
    hint="All of your shortcuts count twice. `SublayerConnection` adds them by itself: leave out your own `x +`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-inside-self-attention",
    edit("lambda y: self.self_attention(", "lambda y: y + self.self_attention("),
    section="tf-decoder-layer",
    why="The function that the first connection calls adds its own argument. The connection adds the shortcut, so the "
    "normalised input comes on top of it.",
    hint="Your self-attention's result already holds its input when the connection adds the shortcut. Return the "
    "attention alone.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-inside-cross-attention",
    edit("lambda y: self.cross_attention(", "lambda y: y + self.cross_attention("),
    section="tf-decoder-layer",
    why="The function that the second connection calls adds its own argument. The connection adds the shortcut, so the "
    "normalised input comes on top of it.",
    hint="Your cross-attention's result already holds its input when the connection adds the shortcut. Return the "
    "attention alone.",
)

mistake(
    "transformer.DecoderLayer",
    "residual-twice",
    edit("self.connections[2](x, self.feed_forward)", "self.connections[2](x, lambda y: y + self.feed_forward(y))"),
    section="tf-decoder-layer",
    why="The function around the feed-forward network adds its own argument. The connection adds the shortcut, so the "
    "normalised input comes on top of it.",
    hint="Your feed-forward network's result already holds its input when the connection adds the shortcut. Give the "
    "network itself to the connection.",
)

mistake(
    "transformer.DecoderLayer",
    "query-and-memory-exchanged",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(memory, y, y, src_mask)"),
    section="tf-decoder-layer",
    why="In the cross-attention the queries come from the memory, keys and values from the target. The source's mask "
    "then hides target positions, and where the two lengths differ nothing fits.",
    hint="In your cross-attention the source asks the target. The target's positions ask (`query`), the memory answers "
    "(`key`, `value`).",
)

mistake(
    "transformer.DecoderLayer",
    "keys-from-target",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, y, memory, src_mask)"),
    section="tf-decoder-layer",
    why="The cross-attention takes its keys from the target and its values from the memory. What is found must come "
    "from where it was looked for.",
    hint="Your cross-attention looks in the target but takes its values from the memory. Keys and values both come from "
    "the memory.",
)

mistake(
    "transformer.DecoderLayer",
    "memory-not-read",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, y, y, src_mask)"),
    section="tf-decoder-layer",
    why="The second attention reads the target three times, as the first does. It is then another self-attention, and "
    "the layer never looks at the memory.",
    hint="Your second attention attends to the target again, so the memory has no influence. Its keys and values come "
    "from `memory`.",
)

mistake(
    "transformer.DecoderLayer",
    "memory-asks-itself",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(memory, memory, memory, src_mask)"),
    section="tf-decoder-layer",
    why="Queries, keys and values of the cross-attention all come from the memory. The target does not ask anything, "
    "and the result has one row for each source position.",
    hint="Your cross-attention takes its queries from the memory too. The queries come from the target.",
)

mistake(
    "transformer.DecoderLayer",
    "source-mask-for-both",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(y, y, y, src_mask)"),
    section="tf-decoder-layer",
    why="Both attentions get the source's mask. The self-attention then sees the future, and hides target positions by "
    "what is padding in the source.",
    hint="Your self-attention gets `src_mask`. Its keys are target positions, so it needs `tgt_mask`.",
)

mistake(
    "transformer.DecoderLayer",
    "target-mask-for-both",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, memory, memory, tgt_mask)"),
    section="tf-decoder-layer",
    why="Both attentions get the target's mask. The cross-attention then hides source positions by what is padding or "
    "future in the target.",
    hint="Your cross-attention gets `tgt_mask`. Its keys are source positions, so it needs `src_mask`.",
)

mistake(
    "transformer.DecoderLayer",
    "source-mask-in-the-self-attention-only",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(y, y, y, src_mask)"),
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, memory, memory)"),
    section="tf-decoder-layer",
    why="The self-attention gets the source's mask, and the cross-attention gets none. A mask belongs to the keys: "
    "source positions are the keys of the cross-attention.",
    hint="Your self-attention gets `src_mask`, and your cross-attention gets no mask. The self-attention needs "
    "`tgt_mask`, the cross-attention `src_mask`.",
)

mistake(
    "transformer.DecoderLayer",
    "no-masks",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(y, y, y)"),
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, memory, memory)"),
    section="tf-decoder-layer",
    why="Neither mask is handed to an attention. The decoder then sees the future, and reads the padding of the source.",
    hint="Neither of your masks has an influence. The self-attention gets `tgt_mask`, the cross-attention `src_mask`.",
)

mistake(
    "transformer.DecoderLayer",
    "no-self-attention",
    edit("x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))", ""),
    edit(
        "x = self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
        "x = self.connections[0](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
    ),
    edit("self.connections[2](x, self.feed_forward)", "self.connections[1](x, self.feed_forward)"),
    section="tf-decoder-layer",
    why="The layer has no self-attention. A target position then knows the source and itself, but nothing of the words "
    "that were written before it.",
    hint="Positions of the target do not see each other in your layer. The first of its three sublayers is a "
    "self-attention.",
)

mistake(
    "transformer.DecoderLayer",
    "no-feed-forward",
    edit(
        "x = self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
        "return self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
    ),
    edit("return self.connections[2](x, self.feed_forward)", ""),
    section="tf-decoder-layer",
    why="The layer returns after its two attentions. Attention only averages vectors of other positions; without the "
    "feed-forward network nothing is computed from what they found.",
    hint="The feed-forward network has no influence on your result. It is the last of the three sublayers.",
)

mistake(
    "transformer.DecoderLayer",
    "self-attention-result-thrown-away",
    edit("x = self.connections[0](", "y = self.connections[0]("),
    section="tf-decoder-layer",
    why="The self-attention's result is computed and not used: the second connection reads the layer's input. "
    "Positions of the target then do not see each other.",
    hint="Your self-attention has no influence on the result. The second connection should read what the first one "
    "returned.",
)

mistake(
    "transformer.DecoderLayer",
    "cross-attention-result-thrown-away",
    edit("x = self.connections[1](", "y = self.connections[1]("),
    section="tf-decoder-layer",
    why="The cross-attention's result is computed and not used: the third connection reads what the first one "
    "returned. The memory then has no influence.",
    hint="Your cross-attention has no influence on the result. The third connection should read what the second one "
    "returned.",
)

mistake(
    "transformer.DecoderLayer",
    "one-attention-called-twice",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.self_attention(y, memory, memory, src_mask)"),
    section="tf-sharing",
    why="Two attentions were made, and one of them is called in both places. What a word asks of its own sentence and "
    "what it asks of the source are different questions, with projections of their own.",
    hint="Your layer calls the same attention twice, and the other one never. Use one for the target and the other for "
    "the memory.",
)

mistake(
    "transformer.DecoderLayer",
    "first-connection-used-twice",
    edit("x = self.connections[1](", "x = self.connections[0]("),
    section="tf-sharing",
    why="Three connections were made, and both attentions go through the first one. They share a norm, and another norm "
    "never learns.",
    hint="Two of your sublayers use the same connection, so one norm is never used. Take a connection of its own for "
    "each of the three.",
)

mistake(
    "transformer.DecoderLayer",
    "second-connection-used-twice",
    edit("self.connections[2](x, self.feed_forward)", "self.connections[1](x, self.feed_forward)"),
    section="tf-sharing",
    why="Three connections were made, and the last two sublayers go through the same one. They share a norm, and the "
    "third norm never learns.",
    hint="Two of your sublayers use the same connection, so one norm is never used. Take a connection of its own for "
    "each of the three.",
)

mistake(
    "transformer.DecoderLayer",
    "result-in-place-of-a-function",
    edit("lambda y: self.self_attention(y, y, y, tgt_mask)", "self.self_attention(x, x, x, tgt_mask)"),
    section="tf-decoder-layer",
    why="The connection was given what the attention returned. It expects something to call, since it normalises the "
    "input before the attention reads it.",
    hint="You hand a tensor to the connection, and it wants a function. Write `lambda y: ...` around the call of the "
    "attention.",
)

mistake(
    "transformer.DecoderLayer",
    "one-connection-for-all",
    edit(
        "self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(3))",
        "self.connection = SublayerConnection(d_model, dropout, norm)",
    ),
    edit("self.connections[0]", "self.connection"),
    edit("self.connections[1]", "self.connection"),
    edit("self.connections[2]", "self.connection"),
    section="tf-sharing",
    why="One residual connection serves all three sublayers, so they share one norm. Each sublayer needs a gain and a "
    "bias of its own.",
    hint="Your layer has a single norm, used three times. Make one `SublayerConnection` for each sublayer.",
)

mistake(
    "transformer.DecoderLayer",
    "connections-in-a-plain-list",
    edit(
        "nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(3))",
        "[SublayerConnection(d_model, dropout, norm) for _ in range(3)]",
    ),
    section="tf-sharing",
    why="The connections stand in a Python list, which PyTorch does not look into. Their norms are missing from "
    "parameters(), so they are neither trained nor moved or saved.",
    hint="The norms of your layer are missing from its `parameters()`. Keep modules in an `nn.ModuleList`, not in a "
    "list.",
)

mistake(
    "transformer.DecoderLayer",
    "one-head",
    edit(
        "self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.self_attention = MultiHeadAttention(d_model, 1, dropout)",
    ),
    edit(
        "self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.cross_attention = MultiHeadAttention(d_model, 1, dropout)",
    ),
    section="tf-decoder-layer",
    why="The attentions were built with a single head, whatever num_heads says. No shape and no count of parameters "
    "tells, since the projections are the same.",
    hint="Your attentions do not have `num_heads` heads. Hand the number on to `MultiHeadAttention`.",
)

mistake(
    "transformer.DecoderLayer",
    "post-norm-by-default",
    edit('dropout=0.1, norm="pre"):', 'dropout=0.1, norm="post"):'),
    section="tf-norms",
    why='The default is "post". This course\'s layers are pre-norm unless the caller chooses otherwise.',
    hint='Without the argument `norm` your layer is post-norm. The default is `"pre"`.',
)

mistake(
    "transformer.DecoderLayer",
    "norms-the-wrong-way-round",
    edit(
        "SublayerConnection(d_model, dropout, norm)",
        'SublayerConnection(d_model, dropout, "pre" if norm == "post" else "post")',
    ),
    section="tf-norms",
    why='The two styles are exchanged: the layer is post-norm for "pre" and pre-norm for "post". A pre-norm sublayer '
    "normalises what it reads, a post-norm sublayer what it returns together with the shortcut.",
    hint='Your layer gives the post-norm result for `norm="pre"`. In the pre-norm layer the norm comes before the '
    "sublayer, and the shortcut passes it by.",
)

mistake(
    "transformer.DecoderLayer",
    "extra-norm-at-the-end",
    edit(
        "self.connections[2](x, self.feed_forward)",
        "F.layer_norm(self.connections[2](x, self.feed_forward), x.shape[-1:])",
    ),
    section="tf-stacks",
    why="Each layer ends in a norm of its own although it is pre-norm. The norm after a pre-norm stack stands once, "
    "after the last layer; inside every layer it cuts the shortcut off.",
    hint="Your pre-norm layer normalises its result. The shortcut must leave a layer as it is: the final norm belongs "
    "to the stack.",
)

mistake(
    "transformer.DecoderLayer",
    "dropout-not-in-self-attention",
    edit(
        "self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.self_attention = MultiHeadAttention(d_model, num_heads)",
    ),
    section="tf-decoder-layer",
    why="The self-attention was built without the layer's dropout, and its own default is 0. Its weights are then never "
    "dropped while training.",
    hint="While training, your self-attention drops none of its weights. Hand `dropout` on to both attentions.",
)

mistake(
    "transformer.DecoderLayer",
    "hidden-dropout-by-default",
    edit("FeedForward(d_model, d_ff, dropout)", "FeedForward(d_model, d_ff)"),
    section="tf-decoder-layer",
    why="The feed-forward network was built without the layer's dropout, and keeps its own default of 0.1. The layer "
    "has one probability, for all its parts.",
    hint="Your hidden units are dropped with a probability of their own. Hand `dropout` on to the feed-forward "
    "network.",
)

mistake(
    "transformer.DecoderLayer",
    "dropout-not-passed-on",
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, norm=norm)"),
    section="tf-decoder-layer",
    why="The connections were built without the dropout that was asked for, so they drop with their own default of "
    "0.1. A model that is built with no dropout drops all the same.",
    hint="Your connections drop with another probability than the layer was given. Hand `dropout` on to them.",
)

mistake(
    "transformer.DecoderLayer",
    "no-dropout-by-default",
    edit('dropout=0.1, norm="pre"):', 'dropout=0.0, norm="pre"):'),
    section="tf-decoder-layer",
    why="Without the argument dropout the layer drops nothing. The default is the paper's 0.1, and who relies on it "
    "trains without regularisation.",
    hint="Without the argument `dropout` your layer drops nothing while training. Its default is 0.1.",
)

mistake(
    "transformer.DecoderLayer",
    "nothing-dropped-after-the-sublayers",
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, 0.0, norm)"),
    section="tf-decoder-layer",
    why="What the sublayers return is never dropped. The layer's dropout acts on attention weights, on hidden units, "
    "and on the result of each sublayer.",
    hint="While training, what your sublayers return is not dropped. Hand `dropout` on to all three connections.",
)

mistake(
    "transformer.DecoderLayer",
    "feed-forward-without-relu",
    edit(
        "FeedForward(d_model, d_ff, dropout)",
        "nn.Sequential(nn.Linear(d_model, d_ff), nn.Dropout(dropout), nn.Linear(d_ff, d_model))",
    ),
    section="tf-decoder-layer",
    why="The feed-forward network has no activation between its two linear layers. Two linear maps in a row are one "
    "linear map.",
    hint="Your feed-forward network lacks the ReLU between its two layers.",
)

mistake(
    "transformer.DecoderLayer",
    "nan-where-nothing-may-be-attended",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.read(y, memory, src_mask)"),
    edit(
        "def forward(",
        """
        def read(self, y, memory, mask):
            attention, heads = self.cross_attention, self.num_heads
            q, k, v = (
                layer(z).unflatten(-1, (heads, -1)).transpose(1, 2)
                for layer, z in ((attention.w_q, y), (attention.w_k, memory), (attention.w_v, memory))
            )
            scores = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
            if mask is not None:
                scores = scores.masked_fill(~mask, float("-inf"))
            weights = F.dropout(scores.softmax(-1), self.p, self.training)
            attention.weights = weights
            return attention.w_o((weights @ v).transpose(1, 2).flatten(2))

        def forward(
        """,
    ),
    edit(
        "self.connections = nn.ModuleList(",
        "self.num_heads, self.p = num_heads, dropout\nself.connections = nn.ModuleList(",
    ),
    section="tf-decoder-layer",
    why="A query that may attend to nothing has a row of minus infinity, whose softmax is NaN. A source that is all "
    "padding spoils the whole batch as soon as anything is summed.",
    hint="Your layer returns NaN where a source is all padding. A query that may attend to nothing finds zeros, so that "
    "its attention returns the bias of its last projection.",
)


# ---------------------------------------------------------------------------------------------------------------------
# Encoder


mistake(
    "transformer.Encoder",
    "no-last-norm",
    edit("self.last_norm(x)", "x"),
    section="tf-stacks",
    why="There is no norm after the last layer. In a pre-norm stack nothing else bounds what leaves it: the sum of all "
    "sublayers has grown with every layer.",
    hint="Your pre-norm stack returns what its last layer returned. After it comes one more norm.",
)

mistake(
    "transformer.Encoder",
    "no-last-norm-variant-2",
    edit('self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()', ""),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="There is no norm after the last layer. In a pre-norm stack nothing else bounds what leaves it: the sum of all "
    "sublayers has grown with every layer.",
    hint="Your pre-norm stack returns what its last layer returned. After it comes one more norm.",
)

mistake(
    "transformer.Encoder",
    "last-norm-with-post",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()\nself.last_norm = LayerNorm(d_model)',
    ),
    section="tf-stacks",
    why="There is a norm after the last layer although the layers are post-norm and end in one. It normalises twice; "
    "the paper has no such norm.",
    hint="Your post-norm stack has a norm too many: each of its layers ends in one already.",
)

mistake(
    "transformer.Encoder",
    "norm-first-instead-of-last",
    edit("self.last_norm(x)", "x"),
    edit("for layer in self.layers:", "x = self.last_norm(x)\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The stack's norm is applied to its input instead of its output. Each pre-norm sublayer normalises its input "
    "anyway; what is not normalised is the end.",
    hint="Your stack normalises what comes in and not what goes out. Its norm follows the last layer.",
)

mistake(
    "transformer.Encoder",
    "norm-after-every-layer",
    edit("layer(x, mask)", "self.last_norm(layer(x, mask))"),
    edit("self.last_norm(x)", "x"),
    section="tf-stacks",
    why="The last norm is applied after each layer. That cuts the shortcut, which should run from the first layer to "
    "the last untouched.",
    hint="Your stack normalises after every layer. The norm comes once, behind the loop.",
)

mistake(
    "transformer.Encoder",
    "layers-are-one-object",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        """
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        self.layers = nn.ModuleList([self.layers[0]] * num_layers)
        """,
    ),
    section="tf-sharing",
    why="One layer was made and put into the list several times. All positions hold the same object, so the stack has "
    "the parameters of a single layer.",
    hint="All layers of your stack are one and the same. Make a new layer for each position, or a deep copy of each.",
)

mistake(
    "transformer.Encoder",
    "shallow-copies",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        """
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        self.layers = nn.ModuleList(copy.copy(self.layers[0]) for _ in range(num_layers))
        """,
    ),
    section="tf-sharing",
    why="The layers were made by copy.copy, which copies the outer object and keeps the parameters inside. The layers "
    "look different and share every number.",
    hint="Your layers are different objects with the same parameters: `copy.copy` does not copy what is inside. Use "
    "`copy.deepcopy`, or make each layer afresh.",
)

mistake(
    "transformer.Encoder",
    "mask-for-the-first-layer-only",
    edit("x = layer(x, mask)", "x = layer(x, mask)\nmask = None"),
    section="tf-stacks",
    why="Only the first layer gets the mask. In all others padding is read again, and by then it has mixed with real "
    "tokens.",
    hint="Your later layers read padding. Every layer gets the mask.",
)

mistake(
    "transformer.Encoder",
    "mask-forgotten",
    edit("layer(x, mask)", "layer(x)"),
    section="tf-stacks",
    why="The mask is not handed to the layers. Padding then mixes into every sentence that is shorter than the longest "
    "of its batch.",
    hint="The mask has no influence in your encoder. Every layer gets it.",
)

mistake(
    "transformer.Encoder",
    "every-layer-reads-the-input",
    edit("x = layer(x, mask)", "out = layer(x, mask)"),
    edit("self.last_norm(x)", "self.last_norm(out)"),
    section="tf-stacks",
    why="Each layer was applied to the stack's input, and only the last result was kept. All other layers then compute "
    "for nothing.",
    hint="Only your last layer matters: each layer should read what the layer before it returned.",
)


@mistake(
    "transformer.Encoder",
    "one-layer-too-few",
    section="tf-stacks",
    why="The stack has one layer less than it was asked for. range(1, n) makes n - 1 of them.",
    hint="Your encoder has too few layers. `range(num_layers)` gives `num_layers` numbers.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(len(range(1, num_layers)), d_model, num_heads, d_ff, dropout, norm)


mistake(
    "transformer.Encoder",
    "layers-in-a-plain-list",
    edit(
        "nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers))",
        "[EncoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers)]",
    ),
    section="tf-sharing",
    why="The layers stand in a Python list, which PyTorch does not look into. They are missing from parameters(), so "
    "they are neither trained nor moved or saved.",
    hint="Your encoder's layers are missing from its `parameters()`. Keep them in an `nn.ModuleList`.",
)

mistake(
    "transformer.Encoder",
    "norm-not-passed-on",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        """
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        """,
    ),
    section="tf-norms",
    why="The layers are built without the argument norm, so that they are pre-norm whatever was asked for. Only the "
    'last norm of the stack obeys, and a "post" model ends without any.',
    hint='The layers of your encoder are pre-norm for `norm="post"` too. Hand `norm` on to each layer.',
)

mistake(
    "transformer.Encoder",
    "dropout-not-passed-on",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        """
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, norm=norm) for _ in range(num_layers))
        """,
    ),
    section="tf-encoder-layer",
    why="The layers are built without the argument dropout, and keep their own default of 0.1. A model that is built "
    "with no dropout drops all the same while it trains.",
    hint="The layers of your encoder drop with a probability of their own. Hand `dropout` on to each layer.",
)

mistake(
    "transformer.Encoder",
    "returns-after-the-first-layer",
    edit("x = layer(x, mask)", "return self.last_norm(layer(x, mask))"),
    section="tf-stacks",
    why="The return stands inside the loop, so the stack ends after its first layer. The other layers have parameters "
    "and no influence.",
    hint="Only your first layer runs: the `return` is inside the loop. Move it behind the loop.",
)

mistake(
    "transformer.Encoder",
    "shortcut-around-the-layers",
    edit("x = layer(x, mask)", "x = x + layer(x, mask)"),
    section="tf-stacks",
    why="The stack adds each layer's input to its result. A layer contains its shortcuts already, so the input counts "
    "twice.",
    hint="Your stack adds `x` to what a layer returns. A layer has its shortcuts inside: hand its result on as it is.",
)

mistake(
    "transformer.Encoder",
    "layers-backwards",
    edit("in self.layers:", "in reversed(self.layers):"),
    edit("x = layer(x, mask)", "x = self.last_norm(layer(x, mask)) if layer is self.layers[-1] else layer(x, mask)"),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="The norm is applied after the layer that was made last, and the layers run from the last to the first. The "
    "norm then stands at the bottom of the stack.",
    hint="Your stack normalises after its first layer and not after its last one. Run the layers in their order, then "
    "the norm.",
)

mistake(
    "transformer.Encoder",
    "mask-inverted",
    edit("layer(x, mask)", "layer(x, None if mask is None else ~mask)"),
    section="tf-stacks",
    why='The mask is inverted on the way to the layers. In this course True means "may attend", in the stack and in '
    "its layers alike.",
    hint='Your layers read exactly what the mask hides. Hand the mask on as it is: `True` means "may attend" '
    "everywhere in this course.",
)

mistake(
    "transformer.Encoder",
    "last-norm-the-wrong-way-round",
    edit('if norm == "pre" else', 'if norm == "post" else'),
    section="tf-stacks",
    why="There is a last norm for post-norm layers and none for pre-norm layers. Post-norm layers end in a norm already; "
    "it is the pre-norm stack that needs one more.",
    hint='Your stack has its last norm for `norm="post"` and lacks it for `norm="pre"`. It is the other way round.',
)

mistake(
    "transformer.Encoder",
    "norm-first-and-last",
    edit("for layer in self.layers:", "x = self.last_norm(x)\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The stack's norm is applied to its input and to its output. Each pre-norm sublayer normalises its input "
    "anyway, and the shortcut should start from the embeddings as they are.",
    hint="Your stack also normalises what comes in. Its norm follows the last layer, and only there.",
)

mistake(
    "transformer.Encoder",
    "two-last-norms",
    edit("return self.last_norm(x)", "return F.layer_norm(self.last_norm(x), x.shape[-1:])"),
    section="tf-stacks",
    why="The output passes two norms in a row. The second one undoes the gain and the bias that the first has learned.",
    hint="Your stack normalises its output twice. One norm after the last layer is enough.",
)


@mistake(
    "transformer.Encoder",
    "one-layer-too-many",
    section="tf-stacks",
    why="The stack has one layer more than it was asked for. range(n + 1) makes n + 1 of them.",
    hint="Your encoder has too many layers. `range(num_layers)` gives `num_layers` numbers.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers + 1, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Encoder",
    "six-layers",
    section="tf-stacks",
    why="The stack has six layers whatever num_layers says. Six is the paper's number; the argument decides.",
    hint="Your encoder does not have `num_layers` layers, but always six.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(6, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Encoder",
    "two-layers",
    section="tf-stacks",
    why="The stack has two layers whatever num_layers says. Two are enough for a first try; the argument decides.",
    hint="Your encoder does not have `num_layers` layers, but always two.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(2, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Encoder",
    "one-head",
    section="tf-stacks",
    why="The layers are built with a single head, whatever num_heads says. No shape and no count of parameters tells, "
    "since the projections are the same.",
    hint="The attentions of your encoder do not have `num_heads` heads. Hand the number on to each layer.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers, d_model, 1, d_ff, dropout, norm)


mistake(
    "transformer.Encoder",
    "output-dropped",
    edit("return self.last_norm(x)", "return F.dropout(self.last_norm(x), 0.1, self.training)"),
    section="tf-stacks",
    why="The stack drops parts of its output in training. Dropout belongs to the layers; after the last norm there is "
    "none.",
    hint="While training, your encoder drops parts of its output. Leave dropout to the layers.",
)


# ---------------------------------------------------------------------------------------------------------------------
# Decoder


mistake(
    "transformer.Decoder",
    "no-last-norm",
    edit("self.last_norm(x)", "x"),
    section="tf-stacks",
    why="There is no norm after the last layer. In a pre-norm stack nothing else bounds what leaves it, and the "
    "generator gets sums of any size.",
    hint="Your pre-norm decoder returns what its last layer returned. After it comes one more norm.",
)

mistake(
    "transformer.Decoder",
    "no-last-norm-variant-2",
    edit('self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()', ""),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="There is no norm after the last layer. In a pre-norm stack nothing else bounds what leaves it, and the "
    "generator gets sums of any size.",
    hint="Your pre-norm decoder returns what its last layer returned. After it comes one more norm.",
)

mistake(
    "transformer.Decoder",
    "last-norm-with-post",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()\nself.last_norm = LayerNorm(d_model)',
    ),
    section="tf-stacks",
    why="There is a norm after the last layer although the layers are post-norm and end in one. It normalises twice; "
    "the paper has no such norm.",
    hint="Your post-norm decoder has a norm too many: each of its layers ends in one already.",
)

mistake(
    "transformer.Decoder",
    "memory-from-layer-to-layer",
    edit(
        "x = layer(x, memory, src_mask, tgt_mask)",
        "x = layer(x, memory, src_mask, tgt_mask)\nmemory, src_mask = x, tgt_mask",
    ),
    section="tf-stacks",
    why="Each layer's result is handed to the next one as its memory. The memory is what the encoder returned, the "
    "same for all layers of the decoder.",
    hint="Only your first layer reads the encoder's memory. All layers read the same one.",
)

mistake(
    "transformer.Decoder",
    "masks-swapped",
    edit("for layer in self.layers:", "src_mask, tgt_mask = tgt_mask, src_mask\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The two masks reach the layers in the wrong order. Both are boolean, so nothing complains as long as the "
    "shapes fit.",
    hint="Your decoder hands `tgt_mask` where its layers expect `src_mask`. Pass them in order, or better by name.",
)

mistake(
    "transformer.Decoder",
    "no-source-mask",
    edit("for layer in self.layers:", "src_mask = None\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The source's mask is not handed to the layers. The decoder then reads the padding of the source.",
    hint="`src_mask` has no influence in your decoder. Every layer gets it.",
)

mistake(
    "transformer.Decoder",
    "no-target-mask",
    edit("for layer in self.layers:", "tgt_mask = None\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The target's mask is not handed to the layers. While training, each position then sees the word that it is to "
    "predict.",
    hint="`tgt_mask` has no influence in your decoder, so it sees the future. Every layer gets it.",
)

mistake(
    "transformer.Decoder",
    "layers-are-one-object",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        """
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        self.layers = nn.ModuleList([self.layers[0]] * num_layers)
        """,
    ),
    section="tf-sharing",
    why="One layer was made and put into the list several times. All positions hold the same object, so the stack has "
    "the parameters of a single layer.",
    hint="All layers of your decoder are one and the same. Make a new layer for each position, or a deep copy of each.",
)

mistake(
    "transformer.Decoder",
    "every-layer-reads-the-input",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "out = layer(x, memory, src_mask, tgt_mask)"),
    edit("self.last_norm(x)", "self.last_norm(out)"),
    section="tf-stacks",
    why="Each layer was applied to the stack's input, and only the last result was kept. All other layers then compute "
    "for nothing.",
    hint="Only your last layer matters: each layer should read what the layer before it returned.",
)

mistake(
    "transformer.Decoder",
    "norm-not-passed-on",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        """
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        self.layers = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout) for _ in range(num_layers))
        """,
    ),
    section="tf-norms",
    why="The layers are built without the argument norm, so that they are pre-norm whatever was asked for. Only the "
    'last norm of the stack obeys, and a "post" model ends without any.',
    hint='The layers of your decoder are pre-norm for `norm="post"` too. Hand `norm` on to each layer.',
)

mistake(
    "transformer.Decoder",
    "dropout-not-passed-on",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        """
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        self.layers = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, norm=norm) for _ in range(num_layers))
        """,
    ),
    section="tf-encoder-layer",
    why="The layers are built without the argument dropout, and keep their own default of 0.1. A model that is built "
    "with no dropout drops all the same while it trains.",
    hint="The layers of your decoder drop with a probability of their own. Hand `dropout` on to each layer.",
)

mistake(
    "transformer.Decoder",
    "memory-overwritten",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "memory = x = layer(x, memory, src_mask, tgt_mask)"),
    section="tf-stacks",
    why="The first layer's result overwrites the memory, so that the later layers attend to the target twice. The "
    "memory is what the encoder returned, the same for all layers of the decoder.",
    hint="Only your first layer reads the encoder's memory. All layers read the same one.",
)

mistake(
    "transformer.Decoder",
    "memory-normalised",
    edit("for layer in self.layers:", "memory = self.last_norm(memory)\nfor layer in self.layers:"),
    section="tf-decoder-layer",
    why="The decoder's last norm is applied to the memory too. The encoder has a last norm of its own, and the "
    "decoder's is for what the decoder returns.",
    hint="Your decoder changes the memory before its layers read it. They read it as the encoder returned it.",
)

mistake(
    "transformer.Decoder",
    "memory-detached-in-the-decoder",
    edit("for layer in self.layers:", "memory = memory.detach()\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The memory is detached before the layers read it. The output is right, but no gradient reaches the encoder, "
    "which stays as it was drawn.",
    hint="Your decoder's output has no gradient for the memory, so the encoder cannot learn. Hand the memory on as it "
    "comes, without `detach`.",
)

mistake(
    "transformer.Decoder",
    "returns-after-the-first-layer",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "return self.last_norm(layer(x, memory, src_mask, tgt_mask))"),
    section="tf-stacks",
    why="The return stands inside the loop, so the stack ends after its first layer. The other layers have parameters "
    "and no influence.",
    hint="Only your first layer runs: the `return` is inside the loop. Move it behind the loop.",
)

mistake(
    "transformer.Decoder",
    "shortcut-around-the-layers",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "x = x + layer(x, memory, src_mask, tgt_mask)"),
    section="tf-stacks",
    why="The stack adds each layer's input to its result. A layer contains its shortcuts already, so the input counts "
    "twice.",
    hint="Your stack adds `x` to what a layer returns. A layer has its shortcuts inside: hand its result on as it is.",
)

mistake(
    "transformer.Decoder",
    "layers-backwards",
    edit("in self.layers:", "in reversed(self.layers):"),
    edit(
        "x = layer(x, memory, src_mask, tgt_mask)",
        "x = self.last_norm(layer(x, memory, src_mask, tgt_mask)) if layer is self.layers[-1] else layer(x, memory, src_mask, tgt_mask)",
    ),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="The norm is applied after the layer that was made last, and the layers run from the last to the first. The "
    "norm then stands at the bottom of the stack.",
    hint="Your stack normalises after its first layer and not after its last one. Run the layers in their order, then "
    "the norm.",
)

mistake(
    "transformer.Decoder",
    "last-norm-the-wrong-way-round",
    edit('if norm == "pre" else', 'if norm == "post" else'),
    section="tf-stacks",
    why="There is a last norm for post-norm layers and none for pre-norm layers. Post-norm layers end in a norm already; "
    "it is the pre-norm stack that needs one more.",
    hint='Your stack has its last norm for `norm="post"` and lacks it for `norm="pre"`. It is the other way round.',
)

mistake(
    "transformer.Decoder",
    "norm-first-and-last",
    edit("for layer in self.layers:", "x = self.last_norm(x)\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The stack's norm is applied to its input and to its output. Each pre-norm sublayer normalises its input "
    "anyway, and the shortcut should start from the embeddings as they are.",
    hint="Your stack also normalises what comes in. Its norm follows the last layer, and only there.",
)

mistake(
    "transformer.Decoder",
    "two-last-norms",
    edit("return self.last_norm(x)", "return F.layer_norm(self.last_norm(x), x.shape[-1:])"),
    section="tf-stacks",
    why="The output passes two norms in a row. The second one undoes the gain and the bias that the first has learned.",
    hint="Your stack normalises its output twice. One norm after the last layer is enough.",
)


@mistake(
    "transformer.Decoder",
    "one-layer-too-many",
    section="tf-stacks",
    why="The stack has one layer more than it was asked for. range(n + 1) makes n + 1 of them.",
    hint="Your decoder has too many layers. `range(num_layers)` gives `num_layers` numbers.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers + 1, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Decoder",
    "six-layers",
    section="tf-stacks",
    why="The stack has six layers whatever num_layers says. Six is the paper's number; the argument decides.",
    hint="Your decoder does not have `num_layers` layers, but always six.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(6, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Decoder",
    "two-layers",
    section="tf-stacks",
    why="The stack has two layers whatever num_layers says. Two are enough for a first try; the argument decides.",
    hint="Your decoder does not have `num_layers` layers, but always two.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(2, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Decoder",
    "one-head",
    section="tf-stacks",
    why="The layers are built with a single head, whatever num_heads says. No shape and no count of parameters tells, "
    "since the projections are the same.",
    hint="The attentions of your decoder do not have `num_heads` heads. Hand the number on to each layer.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers, d_model, 1, d_ff, dropout, norm)


mistake(
    "transformer.Decoder",
    "output-dropped",
    edit("return self.last_norm(x)", "return F.dropout(self.last_norm(x), 0.1, self.training)"),
    section="tf-stacks",
    why="The stack drops parts of its output in training. Dropout belongs to the layers; after the last norm there is "
    "none.",
    hint="While training, your decoder drops parts of its output. Leave dropout to the layers.",
)

mistake(
    "transformer.Decoder",
    "masks-inverted",
    edit(
        "for layer in self.layers:",
        "src_mask, tgt_mask = (None if one is None else ~one for one in (src_mask, tgt_mask))\nfor layer in self.layers:",
    ),
    section="tf-stacks",
    why='The masks are inverted on the way to the layers. In this course True means "may attend", in the stack and in '
    "its layers alike.",
    hint='Your layers read exactly what the masks hide. Hand the masks on as they are: `True` means "may attend" '
    "everywhere in this course.",
)

mistake(
    "transformer.Decoder",
    "memory-not-handed-on",
    edit("layer(x, memory, src_mask, tgt_mask)", "layer(x, x, src_mask, tgt_mask)"),
    section="tf-stacks",
    why="The layers get the target in place of the memory. The decoder then never looks at the source.",
    hint="The memory has no influence in your decoder: its layers get `x` twice. Hand `memory` on as the second argument.",
)

mistake(
    "transformer.Decoder",
    "memory-and-target-exchanged",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "x = layer(memory, x, src_mask, tgt_mask)"),
    section="tf-stacks",
    why="The layers get the memory as their input and the target as their memory. Each layer then transforms the "
    "source, and only the last of them keeps anything of the target.",
    hint="Your decoder hands its layers `memory` and `x` in the wrong order. First comes what the layer transforms.",
)

mistake(
    "transformer.Decoder",
    "starts-from-the-memory",
    edit("for layer in self.layers:", "x = memory\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The stack starts from the memory instead of the target. The target has no influence then, and the output has "
    "one row for each source position.",
    hint="The target has no influence in your decoder. The first layer reads `x`, and every layer gets `memory` beside "
    "it.",
)

mistake(
    "transformer.Decoder",
    "source-mask-for-both",
    edit("for layer in self.layers:", "tgt_mask = src_mask\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The layers get the source's mask twice. The self-attention then sees the future, and hides target positions by "
    "what is padding in the source.",
    hint="Your layers get `src_mask` where they expect `tgt_mask`. Pass both masks, best by name.",
)

mistake(
    "transformer.Decoder",
    "target-mask-for-both",
    edit("for layer in self.layers:", "src_mask = tgt_mask\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The layers get the target's mask twice. The cross-attention then hides source positions by what is padding or "
    "future in the target.",
    hint="Your layers get `tgt_mask` where they expect `src_mask`. Pass both masks, best by name.",
)

mistake(
    "transformer.Decoder",
    "no-masks",
    edit("layer(x, memory, src_mask, tgt_mask)", "layer(x, memory)"),
    section="tf-stacks",
    why="Neither mask is handed to the layers. The decoder then sees the future, and reads the padding of the source.",
    hint="Neither of your masks has an influence in your decoder. Every layer gets both.",
)

mistake(
    "transformer.Decoder",
    "masks-for-the-first-layer-only",
    edit(
        "x = layer(x, memory, src_mask, tgt_mask)",
        "x = layer(x, memory, src_mask, tgt_mask)\nsrc_mask = tgt_mask = None",
    ),
    section="tf-stacks",
    why="Only the first layer gets the masks. In all others padding and the future are read.",
    hint="Your later layers see the future. Every layer gets both masks.",
)

mistake(
    "transformer.Decoder",
    "norm-first-instead-of-last",
    edit("self.last_norm(x)", "x"),
    edit("for layer in self.layers:", "x = self.last_norm(x)\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The stack's norm is applied to its input instead of its output. Each pre-norm sublayer normalises its input "
    "anyway; what is not normalised is the end.",
    hint="Your stack normalises what comes in and not what goes out. Its norm follows the last layer.",
)

mistake(
    "transformer.Decoder",
    "norm-after-every-layer",
    edit("layer(x, memory, src_mask, tgt_mask)", "self.last_norm(layer(x, memory, src_mask, tgt_mask))"),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="The last norm is applied after each layer. That cuts the shortcut, which should run from the first layer to "
    "the last untouched.",
    hint="Your stack normalises after every layer. The norm comes once, behind the loop.",
)

mistake(
    "transformer.Decoder",
    "layers-in-a-plain-list",
    edit(
        "nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers))",
        "[DecoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers)]",
    ),
    section="tf-sharing",
    why="The layers stand in a Python list, which PyTorch does not look into. They are missing from parameters(), so "
    "they are neither trained nor moved or saved.",
    hint="Your decoder's layers are missing from its `parameters()`. Keep them in an `nn.ModuleList`.",
)

mistake(
    "transformer.Decoder",
    "shallow-copies",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        """
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        self.layers = nn.ModuleList(copy.copy(self.layers[0]) for _ in range(num_layers))
        """,
    ),
    section="tf-sharing",
    why="The layers were made by copy.copy, which copies the outer object and keeps the parameters inside. The layers "
    "look different and share every number.",
    hint="Your layers are different objects with the same parameters: `copy.copy` does not copy what is inside. Use "
    "`copy.deepcopy`, or make each layer afresh.",
)


@mistake(
    "transformer.Decoder",
    "one-layer-too-few",
    section="tf-stacks",
    why="The stack has one layer less than it was asked for. range(1, n) makes n - 1 of them.",
    hint="Your decoder has too few layers. `range(num_layers)` gives `num_layers` numbers.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers - 1, d_model, num_heads, d_ff, dropout, norm)


# ---------------------------------------------------------------------------------------------------------------------
# Generator


mistake(
    "transformer.Generator",
    "probabilities",
    edit("self.proj(x).log_softmax", "self.proj(x).softmax"),
    section="tf-generator",
    why="The softmax is returned and not its logarithm. The losses of this course take log-probabilities; given "
    "probabilities they still return a number, and it is meaningless.",
    hint="Your values are probabilities. Asked for are their logarithms.",
)

mistake(
    "transformer.Generator",
    "logits",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x)"),
    section="tf-generator",
    why="The logits are returned as the projection gives them. They are log-probabilities only up to a constant in "
    "each row, and that constant is what the softmax removes.",
    hint="The exponentials of your rows do not sum to 1. After the projection comes `log_softmax`.",
)

mistake(
    "transformer.Generator",
    "cut-from-the-graph",
    edit("self.proj(x)", "self.proj(x.detach())"),
    section="tf-generator",
    why="The input is detached, so that no gradient flows back through the projection. The projection itself learns, "
    "and the whole model below it does not.",
    hint="Your values are right, but there is no gradient for the input. Leave out `detach`, `.data` and `no_grad`.",
)

mistake(
    "transformer.Generator",
    "log-of-softmax",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x).softmax(dim=-1).log()"),
    section="tf-generator",
    why="The logarithm was taken of a finished softmax. A probability too small for its type is 0 by then, and its "
    "logarithm is minus infinity.",
    hint="For large logits your values are -inf. Take the logarithm inside: `log_softmax` subtracts instead of "
    "dividing.",
)

mistake(
    "transformer.Generator",
    "normalised-over-positions",
    edit("dim=-1", "dim=-2 if x.dim() > 1 else -1"),
    section="tf-generator",
    why="The softmax runs over the positions and not over the vocabulary. At one position the probabilities of all "
    "words must sum to 1.",
    hint="Your values sum to 1 along the wrong axis. The words of the vocabulary are on the last one.",
)

mistake(
    "transformer.Generator",
    "axis-one",
    edit("dim=-1", "dim=min(1, x.dim() - 1)"),
    section="tf-generator",
    why="The softmax runs over axis 1, which is the vocabulary only if there are exactly two axes. With a batch and "
    "positions it is the axis of the positions.",
    hint="Your softmax runs over axis 1. Count from the end, `dim=-1`, and it is right for any number of leading axes.",
)

mistake(
    "transformer.Generator",
    "no-bias",
    edit(
        "self.proj = nn.Linear(d_model, vocab_size)",
        "self.proj = nn.Linear(d_model, vocab_size)\nself.proj = nn.Linear(d_model, vocab_size, bias=False)",
    ),
    section="tf-generator",
    why="The projection has no bias. The contract of this unit is a linear layer with one, which lets a model say how "
    "frequent each word is before it has read anything.",
    hint="Your `proj` has no bias. Build it as `nn.Linear(d_model, vocab_size)`.",
)

mistake(
    "transformer.Generator",
    "last-position-only",
    edit("self.proj(x)", "self.proj(x[:, -1] if x.dim() > 2 else x)"),
    section="tf-generator",
    why="Only the last position is projected. That is enough to generate; for training, each position is a question, "
    "and all have to be answered.",
    hint="Your result has lost the axis of the positions. Project all of them; who generates takes the last by "
    "himself.",
)

mistake(
    "transformer.Generator",
    "base-two",
    edit(
        "self.proj(x).log_softmax(dim=-1)",
        "self.proj(x).log_softmax(dim=-1) / torch.log(torch.tensor(2.0, dtype=x.dtype))",
    ),
    section="tf-generator",
    why="The logarithm is to base 2. Losses and perplexities of this course are in nats, with the natural logarithm.",
    hint="Your logarithms are to base 2. Take the natural one.",
)

mistake(
    "transformer.Generator",
    "implicit-dim",
    edit("F.log_softmax(self.proj(x), dim=-1)", "F.log_softmax(self.proj(x))"),
    base="functional",
    section="tf-generator",
    why="The softmax was called without an axis. PyTorch then guesses one, and with three axes it guesses the batch.",
    hint="Your softmax does not say along which axis it runs. The words of the vocabulary are on the last one: `dim=-1`.",
)

mistake(
    "transformer.Generator",
    "over-the-batch",
    edit("dim=-1", "dim=0"),
    section="tf-generator",
    why="The softmax runs over axis 0, the batch. At one position the probabilities of all words must sum to 1.",
    hint="Your values sum to 1 over the batch. The words of the vocabulary are on the last axis.",
)

mistake(
    "transformer.Generator",
    "something-added-before-the-logarithm",
    edit("self.proj(x).log_softmax(dim=-1)", "(self.proj(x).softmax(dim=-1) + 1e-9).log()"),
    section="tf-generator",
    why="A small number was added to the probabilities before the logarithm, to avoid log(0). Every rare word then has "
    "the same log-probability, and its gradient vanishes.",
    hint="No log-probability of yours is below about -20.7, since something was added before the logarithm. "
    "`log_softmax` needs no such guard.",
)

mistake(
    "transformer.Generator",
    "logarithm-without-the-maximum",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x) - self.proj(x).exp().sum(-1, keepdim=True).log()"),
    section="tf-generator",
    why="The sum of exponentials was computed as the formula is written. The exponential of a logit of several hundred "
    "overflows, and the result is minus infinity or NaN.",
    hint="For large logits your values are not finite. Subtract the maximum of each row first, or use `log_softmax` or "
    "`logsumexp`.",
)

mistake(
    "transformer.Generator",
    "most-likely-word",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x).argmax(dim=-1)"),
    section="tf-generator",
    why="The most likely word is returned instead of the log-probabilities of all. Training needs those of all words, "
    "and decoding may want another word than the likeliest.",
    hint="Your generator returns ids. Return one log-probability for each word of the vocabulary.",
)


# ---------------------------------------------------------------------------------------------------------------------
# Transformer


mistake(
    "transformer.Transformer",
    "forward-returns-log-probabilities",
    edit(
        "self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)",
        "self.generator(self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask))",
    ),
    section="tf-flow",
    why="The forward pass calls the generator. In this course it returns vectors, and training and decoding call the "
    "generator by themselves, for the positions that they need.",
    hint="Your forward pass returns one number per word of the vocabulary. It should return `(B, T_tgt, d)`: leave the "
    "generator to the caller.",
)

mistake(
    "transformer.Transformer",
    "no-default-masks",
    edit(
        """
        src_mask = padding_mask(src) if src_mask is None else src_mask
        tgt_mask = decoder_mask(tgt) if tgt_mask is None else tgt_mask
        """,
        "",
    ),
    section="tf-flow",
    why="Masks that are not given stay None. Without them the decoder sees the future, and both stacks read padding.",
    hint="Without masks your model attends to everything. Where a mask is not given, build it from the ids.",
)

mistake(
    "transformer.Transformer",
    "default-target-mask-only-padding",
    edit(
        "src_mask = padding_mask(",
        "tgt_mask = padding_mask(tgt) if tgt_mask is None else tgt_mask\nsrc_mask = padding_mask(",
    ),
    section="tf-flow",
    why="The default mask of the target hides padding but not the future. A target needs both.",
    hint="Without masks your decoder sees the future. The default for the target is `decoder_mask(tgt)`.",
)

mistake(
    "transformer.Transformer",
    "default-target-mask-only-causal",
    edit(
        "src_mask = padding_mask(",
        """
        size = tgt.shape[1]
        causal = torch.ones(size, size, dtype=torch.bool).tril()
        tgt_mask = causal if tgt_mask is None else tgt_mask
        src_mask = padding_mask(
        """,
    ),
    section="tf-flow",
    why="The default mask of the target hides the future but not padding. With padding on the right nobody notices; "
    "with padding on the left it is read.",
    hint="Without masks your decoder reads padding on the left of the target. The default is `decoder_mask(tgt)`, both "
    "masks together.",
)

mistake(
    "transformer.Transformer",
    "given-masks-ignored",
    edit("src_mask = padding_mask(", "src_mask, tgt_mask = None, None\nsrc_mask = padding_mask("),
    section="tf-flow",
    why="The masks are always built from the ids, also when the caller gives others. A caller who passes a mask has a "
    "reason.",
    hint="Masks that are given have no influence in your model. Build one only where the argument is `None`.",
)

mistake(
    "transformer.Transformer",
    "defaults-only-together",
    edit("src_mask = padding_mask(src) if src_mask is None else src_mask", ""),
    edit(
        "tgt_mask = decoder_mask(tgt) if tgt_mask is None else tgt_mask",
        "if src_mask is None and tgt_mask is None:\n    src_mask, tgt_mask = padding_mask(src), decoder_mask(tgt)",
    ),
    section="tf-flow",
    why="Masks are built only if neither is given. With one given and one not, the missing one stays None.",
    hint="When one mask is given, your model goes without the other. Ask for each of them separately whether it is "
    "`None`.",
)

mistake(
    "transformer.Transformer",
    "no-source-mask-when-decoding",
    edit("return self.decoder(", "src_mask = None\nreturn self.decoder("),
    section="tf-flow",
    why="The source's mask is used by the encoder and not handed to the decoder. The memory has rows for padding as "
    "well, and the cross-attention reads them.",
    hint="Your decoder reads the rows of the memory that stand for padding. `decode` gets `src_mask`, too.",
)

mistake(
    "transformer.Transformer",
    "masks-swapped-when-decoding",
    edit("return self.decoder(", "src_mask, tgt_mask = tgt_mask, src_mask\nreturn self.decoder("),
    section="tf-flow",
    why="decode hands its two masks on in the wrong order. The decoder then hides source positions by what it knows of "
    "the target.",
    hint="`decode` swaps the two masks on the way to the decoder.",
)

mistake(
    "transformer.Transformer",
    "source-not-masked-when-encoding",
    edit("return self.encoder(", "src_mask = None\nreturn self.encoder("),
    section="tf-flow",
    why="encode does not hand its mask on. Padding then mixes into every sentence that is shorter than the longest of "
    "its batch.",
    hint="The mask has no influence in your `encode`. Hand it to the encoder.",
)

mistake(
    "transformer.Transformer",
    "source-table-for-the-target",
    edit("self.tgt_embed(tgt)", "self.src_embed(tgt)"),
    section="tf-flow",
    why="The target is embedded with the source's table. The two vocabularies are different: the same id means "
    "different words.",
    hint="Your target is embedded with the source's table. `decode` uses the target's own.",
)

mistake(
    "transformer.Transformer",
    "memory-detached",
    edit("self.encode(src, src_mask)", "self.encode(src, src_mask).detach()"),
    section="tf-flow",
    why="The memory is detached before the decoder reads it. The loss stands at the decoder's end, so the encoder "
    "never learns.",
    hint="No gradient reaches your encoder. Hand the memory on as it is, without `detach` and outside of `no_grad`.",
)

mistake(
    "transformer.Transformer",
    "memory-of-the-call-before",
    edit(
        "return self.encoder(self.src_embed(src), src_mask)",
        """
        kept = getattr(self, "kept", {})
        if src.shape not in kept:
            kept[src.shape] = self.encoder(self.src_embed(src), src_mask)
        self.kept = kept
        return kept[src.shape]
        """,
    ),
    section="tf-flow",
    why="The memory is kept, and used again for every source of the same shape. A model is given many sources of one "
    "shape, and each of them needs a memory of its own.",
    hint="A second source of the same shape gets the memory of the first. Compute the memory anew in every call; who "
    "wants to keep it calls `encode` once.",
)

mistake(
    "transformer.Transformer",
    "decode-in-another-order",
    edit("def decode(self, memory, src_mask, tgt, tgt_mask):", "def decode(self, tgt, memory, src_mask, tgt_mask):"),
    edit(
        "self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)",
        "self.decode(tgt, self.encode(src, src_mask), src_mask, tgt_mask)",
    ),
    section="tf-flow",
    why="decode takes its arguments in another order than it should, and forward calls it in that order. So forward is "
    "right, but everything else that decodes hands over a mask for a memory.",
    hint="Your `forward` works, but `decode` does not take its arguments in the order of its description: `memory, "
    "src_mask, tgt, tgt_mask`.",
)

mistake(
    "transformer.Transformer",
    "target-table-for-the-source",
    edit("self.src_embed(src)", "self.tgt_embed(src)"),
    section="tf-flow",
    why="The source is embedded with the target's table. The two vocabularies are different: the same id means "
    "different words.",
    hint="Your source is embedded with the target's table. `encode` uses the source's own.",
)

mistake(
    "transformer.Transformer",
    "embeddings-exchanged",
    edit("self.src_embed = src_embed", "self.src_embed = tgt_embed"),
    edit("self.tgt_embed = tgt_embed", "self.tgt_embed = src_embed"),
    section="tf-flow",
    why="The two embeddings are stored the wrong way round. The source is then read with the target's table, and the "
    "target with the source's.",
    hint="Your source and target are embedded with each other's table. Look at what `__init__` stores where.",
)

mistake(
    "transformer.Transformer",
    "source-not-encoded",
    edit("self.decode(self.encode(src, src_mask), src_mask", "self.decode(self.src_embed(src), src_mask"),
    section="tf-flow",
    why="The decoder gets the embedded source as its memory. The encoder never runs.",
    hint="Your decoder reads the embeddings of the source. The memory is what the encoder returns: call `encode`.",
)

mistake(
    "transformer.Transformer",
    "target-encoded",
    edit(
        "self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)",
        "self.decode(self.encode(tgt, None), None, tgt, tgt_mask)",
    ),
    section="tf-flow",
    why="The encoder reads the target. The source then has no influence, and the model copies what it is given.",
    hint="Your encoder reads the target. It reads `src`.",
)

mistake(
    "transformer.Transformer",
    "target-mask-for-both",
    edit("return self.decoder(", "src_mask = tgt_mask\nreturn self.decoder("),
    section="tf-flow",
    why="decode hands the target's mask on twice. The cross-attention then hides source positions by what is padding or "
    "future in the target.",
    hint="Your decoder gets `tgt_mask` for both of its attentions. It needs `src_mask` for the source.",
)

mistake(
    "transformer.Transformer",
    "no-target-mask-when-decoding",
    edit("return self.decoder(", "tgt_mask = None\nreturn self.decoder("),
    section="tf-flow",
    why="decode does not hand the target's mask on. While training, each position then sees the word that it is to "
    "predict.",
    hint="`tgt_mask` has no influence in your `decode`, so the decoder sees the future. Hand it to the decoder.",
)

mistake(
    "transformer.Transformer",
    "default-masks-inverted",
    edit("padding_mask(src) if", "~padding_mask(src) if"),
    edit("decoder_mask(tgt) if", "~decoder_mask(tgt) if"),
    section="tf-flow",
    why='The masks that are built from the ids are inverted. In this course True means "may attend"; PyTorch\'s own '
    "layers have it the other way round.",
    hint='Without masks your model reads exactly what it should not. `True` means "may attend": take the masks as '
    "`padding_mask` and `decoder_mask` return them.",
)

mistake(
    "transformer.Transformer",
    "default-target-mask-from-the-source",
    edit("decoder_mask(tgt)", "decoder_mask(src)"),
    section="tf-flow",
    why="The target's mask is built from the source's ids. It then hides target positions by what is padding in the "
    "source, and fits only where both have the same length.",
    hint="Without masks your model builds the target's mask from the source. It is `decoder_mask(tgt)`.",
)

mistake(
    "transformer.Transformer",
    "default-source-mask-from-the-target",
    edit("padding_mask(src)", "padding_mask(tgt)"),
    section="tf-flow",
    why="The source's mask is built from the target's ids. It then hides source positions by what is padding in the "
    "target, and fits only where both have the same length.",
    hint="Without masks your model builds the source's mask from the target. It is `padding_mask(src)`.",
)

mistake(
    "transformer.Transformer",
    "default-source-mask-causal",
    edit("padding_mask(src)", "decoder_mask(src)"),
    section="tf-flow",
    why="The source's mask hides later positions as well as padding. The encoder reads a whole sentence at once: only "
    "the target has a future.",
    hint="Without masks your encoder cannot look ahead in the source. Its default mask is `padding_mask(src)`.",
)

mistake(
    "transformer.Transformer",
    "embeddings-scaled-again",
    edit("self.src_embed(src)", "self.src_embed(src) * self.generator.proj.in_features**0.5"),
    edit("self.tgt_embed(tgt)", "self.tgt_embed(tgt) * self.generator.proj.in_features**0.5"),
    section="tf-flow",
    why="The embeddings are multiplied by the root of d_model in the model. `TokenEmbedding` has done so, and here the "
    "positions are scaled along with the words.",
    hint="What your first layers read is too large by the root of `d_model`. The embeddings are scaled already.",
)

mistake(
    "transformer.Transformer",
    "forward-returns-probabilities",
    edit(
        "self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)",
        "self.generator(self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)).exp()",
    ),
    section="tf-flow",
    why="The forward pass calls the generator and returns probabilities. In this course it returns vectors, and "
    "training and decoding call the generator by themselves.",
    hint="Your forward pass returns one number per word of the vocabulary. It should return `(B, T_tgt, d)`: leave the "
    "generator to the caller.",
)

mistake(
    "transformer.Transformer",
    "truth-of-a-mask",
    edit("padding_mask(src) if src_mask is None else src_mask", "src_mask or padding_mask(src)"),
    edit("decoder_mask(tgt) if tgt_mask is None else tgt_mask", "tgt_mask or decoder_mask(tgt)"),
    section="tf-flow",
    why="`src_mask or ...` asks whether the tensor is true. A tensor of several entries is neither true nor false, so "
    "PyTorch raises an error.",
    hint="Your model raises that the truth of a tensor is ambiguous. Ask whether there is a mask: `if src_mask is None`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# make_model


mistake(
    "transformer.make_model",
    "layers-start-equal",
    edit(
        "return model",
        """
        for stack in (model.encoder, model.decoder):
            for layer in stack.layers:
                layer.load_state_dict(stack.layers[0].state_dict())
        return model
        """,
    ),
    section="tf-sharing",
    why="After the initialisation the layers of a stack were overwritten by copies of the first, so that all start "
    "with the same numbers. Deep copies are no shared parameters, but they are no independent start either.",
    hint="Your layers have parameters of their own, but all start with the same numbers. Draw the random numbers after "
    "copying.",
)

mistake(
    "transformer.make_model",
    "pytorch-default-start",
    edit(
        "return model",
        """
        for module in model.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)) and not tie_weights:
                module.reset_parameters()
        return model
        """,
    ),
    section="tf-start",
    why="The parameters start as PyTorch's modules set them. Linear layers then have another scale than Xavier's, and "
    "the tables are normal with standard deviation 1.",
    hint="Your matrices are not drawn from Xavier's uniform distribution. Call `nn.init.xavier_uniform_` for every "
    "parameter with two axes.",
)

mistake(
    "transformer.make_model",
    "tables-not-xavier",
    edit(
        "return model",
        """
        for module in model.modules():
            if isinstance(module, nn.Embedding) and not tie_weights:
                module.reset_parameters()
        return model
        """,
    ),
    section="tf-start",
    why="Only the linear layers got Xavier's initialisation; the embedding tables were left normal with standard "
    "deviation 1. They are matrices too, and ten times too large.",
    hint="Your embedding tables are not drawn from Xavier's distribution. Go through all parameters with two axes, not "
    "through all linear layers.",
)

mistake(
    "transformer.make_model",
    "xavier-normal",
    edit(
        "return model",
        """
        for parameter in model.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_normal_(parameter)
        return model
        """,
    ),
    section="tf-start",
    why="The matrices are drawn from Xavier's normal distribution. It has the same variance, but the exercise asks for "
    "the uniform one.",
    hint="Some of your numbers lie outside of Xavier's bounds: that is the normal form. Take `xavier_uniform_`.",
)

mistake(
    "transformer.make_model",
    "encoder-not-initialised",
    edit(
        "return model",
        """
        for module in model.encoder.modules():
            if isinstance(module, nn.Linear):
                module.reset_parameters()
        return model
        """,
    ),
    section="tf-start",
    why="Only the decoder's half was initialised. The encoder keeps the numbers of PyTorch's defaults.",
    hint="The matrices of your encoder are not drawn from Xavier's distribution. Go through the parameters of the "
    "whole model.",
)


@mistake(
    "transformer.make_model",
    "tied-by-copy",
    section="tf-tying",
    why="The numbers of the source's table were copied into the others. They are equal at the start and drift apart "
    "with the first step of the optimiser.",
    hint="Your tables hold the same numbers, but they are three parameters. Assign the parameter itself: `other.weight "
    "= table.weight`.",
)
def make_model(
    src_vocab, tgt_vocab, num_layers=6, d_model=512, d_ff=2048, num_heads=8, dropout=0.1, norm="pre", tie_weights=False
):
    if tie_weights and src_vocab != tgt_vocab:
        raise ValueError(f"src_vocab is {src_vocab}, but tgt_vocab is {tgt_vocab}.")
    model = right_model(src_vocab, tgt_vocab, num_layers, d_model, d_ff, num_heads, dropout, norm)
    if tie_weights:
        with torch.no_grad():
            model.tgt_embed[0].embed.weight.copy_(model.src_embed[0].embed.weight)
            model.generator.proj.weight.copy_(model.src_embed[0].embed.weight)
    return model


mistake(
    "transformer.make_model",
    "output-not-tied",
    edit(
        "return model",
        """
        if tie_weights:
            model.generator.proj.weight = nn.Parameter(model.generator.proj.weight.detach().clone())
        return model
        """,
    ),
    section="tf-tying",
    why="Source and target share a table, but the output's does not. Tying means all three here.",
    hint="Your generator has a matrix of its own. With `tie_weights`, `generator.proj.weight` is the table, too.",
)

mistake(
    "transformer.make_model",
    "source-not-tied",
    edit(
        "return model",
        """
        if tie_weights:
            table = model.src_embed[0].embed
            table.weight = nn.Parameter(table.weight.detach().clone())
        return model
        """,
    ),
    section="tf-tying",
    why="The target's table and the output share their numbers, but the source's table does not. Tying means all three "
    "here.",
    hint="Your source's table is a parameter of its own. With `tie_weights` it is the same one as the target's.",
)

mistake(
    "transformer.make_model",
    "unequal-vocabularies-tied-silently",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "tie = tie_weights and src_vocab == tgt_vocab\ntie_weights = tie\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-tying",
    why="With vocabularies of different sizes nothing is tied, and nothing is said. A caller who asks for tied weights "
    "must learn that there are none.",
    hint="With `tie_weights` and two different vocabulary sizes, raise a `ValueError` that names both.",
)

mistake(
    "transformer.make_model",
    "always-tied",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "tie = tie_weights or src_vocab == tgt_vocab\ntie_weights = tie\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-tying",
    why="Weights are tied whenever the vocabularies have the same size. Equal sizes are no equal vocabularies; the "
    "caller decides.",
    hint="Your model ties its tables although it was not asked to. Only `tie_weights=True` does.",
)

mistake(
    "transformer.make_model",
    "no-positions",
    edit(
        "return model",
        "model.src_embed[1] = nn.Dropout(dropout)\nmodel.tgt_embed[1] = nn.Dropout(dropout)\nreturn model",
    ),
    section="tf-flow",
    why="The tokens are embedded, but no positions are added. Attention does not know the order of what it reads, so "
    "the encoder sees a bag of words.",
    hint="Your model cannot tell the order of the source's words. After the token embedding comes the positional "
    "encoding.",
)

mistake(
    "transformer.make_model",
    "embeddings-not-scaled",
    edit(
        "return model",
        "for embed in (model.src_embed, model.tgt_embed):\n    embed[0] = embed[0].embed\nreturn model",
    ),
    section="tf-flow",
    why="The token embedding lacks the factor sqrt(d_model). With Xavier's small start, the positions then outweigh "
    "the words.",
    hint="What enters your first layer is too small. `TokenEmbedding` multiplies by the root of `d_model`.",
)

mistake(
    "transformer.make_model",
    "sizes-swapped",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "d_model, d_ff = d_ff, d_model\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-count",
    why="d_ff and d_model are handed on in the wrong order. The model runs, with the wide and the narrow part "
    "exchanged.",
    hint="Your model's width is `d_ff`. Mind the order of the arguments, or pass them by name.",
)

mistake(
    "transformer.make_model",
    "dropout-of-one-half-by-default",
    edit("dropout=0.1,", "dropout=0.5,"),
    section="tf-count",
    why="The default of dropout is not the base model's. Table 3 of the paper gives 0.1.",
    hint="Your defaults are not those of the paper's base model: look at `dropout`.",
)

mistake(
    "transformer.make_model",
    "norm-not-passed-on",
    edit("if tie_weights and src_vocab != tgt_vocab:", 'norm = "pre"\nif tie_weights and src_vocab != tgt_vocab:'),
    section="tf-norms",
    why="The argument norm is not handed to the stacks, so that the model is pre-norm whatever was asked for. Nothing "
    'fails, but "post" has no effect.',
    hint='Your model is pre-norm for `norm="post"` too. Hand `norm` on to both stacks.',
)

mistake(
    "transformer.make_model",
    "layers-without-dropout",
    edit("if tie_weights and src_vocab != tgt_vocab:", "dropout = 0.0\nif tie_weights and src_vocab != tgt_vocab:"),
    edit(
        "return model",
        """
        model.src_embed[1] = PositionalEncoding(d_model, dropout)
        model.tgt_embed[1] = PositionalEncoding(d_model, dropout)
        return model
        """,
    ),
    section="tf-encoder-layer",
    why="The probability of dropping reaches the embeddings, but not the layers of the stacks. Most of a model's "
    "dropout is in its layers.",
    hint="The layers of your model drop nothing while training. Hand `dropout` on to both stacks.",
)

mistake(
    "transformer.make_model",
    "seed-set-inside",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "torch.manual_seed(0)\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-start",
    why="PyTorch's generator is set to a fixed seed before the parameters are drawn. Every model is then the same, "
    "whatever seed the caller has set, and so are all random numbers after it.",
    hint="Two models in a row have the same parameters. A seed is the caller's business: draw from the generator as it "
    "stands.",
)

mistake(
    "transformer.make_model",
    "one-head",
    edit("if tie_weights and src_vocab != tgt_vocab:", "num_heads = 1\nif tie_weights and src_vocab != tgt_vocab:"),
    section="tf-flow",
    why="The number of heads is not handed to the stacks. No shape and no count tells: a model with one head has the "
    "same parameters.",
    hint="The attentions of your model do not have `num_heads` heads. Hand the number on to both stacks.",
)

mistake(
    "transformer.make_model",
    "six-layers-in-the-decoder",
    edit("Decoder(*sizes)", "Decoder(6, *sizes[1:])"),
    section="tf-count",
    why="The number of layers reaches the encoder only, and the decoder has six. Both stacks have num_layers layers.",
    hint="Your decoder has six layers whatever `num_layers` says. Hand the number on to both stacks.",
)

mistake(
    "transformer.make_model",
    "two-layers-in-the-decoder",
    edit("Decoder(*sizes)", "Decoder(2, *sizes[1:])"),
    section="tf-count",
    why="The number of layers reaches the encoder only, and the decoder has two. Both stacks have num_layers layers.",
    hint="Your decoder has two layers whatever `num_layers` says. Hand the number on to both stacks.",
)

mistake(
    "transformer.make_model",
    "one-layer-in-the-decoder",
    edit("Decoder(*sizes)", "Decoder(1, *sizes[1:])"),
    section="tf-count",
    why="The number of layers reaches the encoder only, and the decoder has one. Both stacks have num_layers layers.",
    hint="Your decoder has one layer whatever `num_layers` says. Hand the number on to both stacks.",
)

mistake(
    "transformer.make_model",
    "six-layers-in-the-encoder",
    edit("Encoder(*sizes)", "Encoder(6, *sizes[1:])"),
    section="tf-count",
    why="The number of layers reaches the decoder only, and the encoder has six. Both stacks have num_layers layers.",
    hint="Your encoder has six layers whatever `num_layers` says. Hand the number on to both stacks.",
)

mistake(
    "transformer.make_model",
    "two-layers-in-the-encoder",
    edit("Encoder(*sizes)", "Encoder(2, *sizes[1:])"),
    section="tf-count",
    why="The number of layers reaches the decoder only, and the encoder has two. Both stacks have num_layers layers.",
    hint="Your encoder has two layers whatever `num_layers` says. Hand the number on to both stacks.",
)

mistake(
    "transformer.make_model",
    "layers-shared-out",
    edit(
        "Encoder(*sizes), Decoder(*sizes)",
        "Encoder(num_layers // 2, *sizes[1:]), Decoder(num_layers - num_layers // 2, *sizes[1:])",
    ),
    section="tf-count",
    why="The layers were shared out between the two stacks. num_layers is the depth of each: the base model has six in "
    "the encoder and six in the decoder.",
    hint="Your two stacks have `num_layers` layers together. Each of them has that many.",
)

mistake(
    "transformer.make_model",
    "heads-and-width-exchanged",
    edit(
        "(num_layers, d_model, num_heads, d_ff, dropout, norm)", "(num_layers, d_model, d_ff, num_heads, dropout, norm)"
    ),
    section="tf-count",
    why="The stacks take num_heads before d_ff, make_model takes them the other way round, and the order was not "
    "changed. The number of heads becomes the hidden width.",
    hint="Your stacks get `d_ff` as their number of heads. `Encoder` and `Decoder` take `num_heads` before `d_ff`: pass "
    "them by name.",
)

mistake(
    "transformer.make_model",
    "generator-for-the-source",
    edit("Generator(d_model, tgt_vocab)", "Generator(d_model, src_vocab)"),
    section="tf-count",
    why="The generator has one output for each word of the source's vocabulary. It predicts words of the target.",
    hint="Your generator has `src_vocab` outputs. It needs `tgt_vocab`.",
)

mistake(
    "transformer.make_model",
    "vocabularies-exchanged",
    edit(
        "TokenEmbedding(src_vocab, d_model), TokenEmbedding(tgt_vocab, d_model)",
        "TokenEmbedding(tgt_vocab, d_model), TokenEmbedding(src_vocab, d_model)",
    ),
    section="tf-count",
    why="The source's table has the size of the target's vocabulary, and the other way round. Ids above the smaller one "
    "then have no row.",
    hint="Your two tables have each other's size. The source's has `src_vocab` rows.",
)

mistake(
    "transformer.make_model",
    "source-vocabulary-for-both",
    edit("TokenEmbedding(tgt_vocab, d_model)", "TokenEmbedding(src_vocab, d_model)"),
    section="tf-count",
    why="Both tables have the size of the source's vocabulary. Target ids above it have no row.",
    hint="Your target's table has `src_vocab` rows. It needs `tgt_vocab`.",
)

mistake(
    "transformer.make_model",
    "normal-with-a-small-deviation",
    edit("nn.init.xavier_uniform_(parameter)", "nn.init.normal_(parameter, std=0.02)"),
    section="tf-start",
    why="The matrices are drawn from a normal distribution with standard deviation 0.02, as in GPT-2. The exercise asks "
    "for Xavier's uniform distribution, whose bound depends on the shape.",
    hint="Your matrices are normal with a fixed deviation. Use `nn.init.xavier_uniform_`.",
)

mistake(
    "transformer.make_model",
    "decoder-not-initialised",
    edit(
        "return model",
        """
        for module in model.decoder.modules():
            if isinstance(module, nn.Linear):
                module.reset_parameters()
        return model
        """,
    ),
    section="tf-start",
    why="Only the encoder's half was initialised. The decoder keeps the numbers of PyTorch's defaults.",
    hint="The matrices of your decoder are not drawn from Xavier's distribution. Go through the parameters of the whole "
    "model.",
)

mistake(
    "transformer.make_model",
    "norm-for-the-encoder-only",
    edit("Decoder(*sizes)", "Decoder(*sizes[:-1])"),
    section="tf-norms",
    why='The argument norm reaches the encoder only, so that the decoder is always pre-norm. A "post" model then has '
    "one stack of each kind.",
    hint='Your decoder is pre-norm for `norm="post"` too. Hand `norm` on to both stacks.',
)

mistake(
    "transformer.make_model",
    "dropout-for-the-encoder-only",
    edit("Decoder(*sizes)", "Decoder(num_layers, d_model, num_heads, d_ff, norm=norm)"),
    section="tf-encoder-layer",
    why="The probability of dropping reaches the encoder only, and the decoder keeps its own default of 0.1. One "
    "argument is for both.",
    hint="Your decoder drops with a probability of its own. Hand `dropout` on to both stacks.",
)

mistake(
    "transformer.make_model",
    "embeddings-without-dropout",
    edit("PositionalEncoding(d_model, dropout)", "PositionalEncoding(d_model, 0.0)"),
    section="tf-flow",
    why="The probability of dropping reaches the layers, but not the embeddings. The paper drops from the sums of "
    "embeddings and positions too.",
    hint="In training, nothing is dropped from what your first layers read. Pass `dropout` on to `PositionalEncoding`.",
)

mistake(
    "transformer.make_model",
    "unequal-vocabularies-asserted",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "assert not tie_weights or src_vocab == tgt_vocab\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-tying",
    why="Unequal vocabularies are refused by an assert. Asserts are for the programmer's own errors and can be switched "
    "off; wrong arguments raise a ValueError that names them.",
    hint="With `tie_weights` and two different vocabulary sizes, raise a `ValueError` instead of using `assert`.",
)

mistake(
    "transformer.make_model",
    "second-layer-of-the-decoder-shared",
    edit(
        "return model",
        """
        if num_layers > 2:
            model.decoder.layers[2] = model.decoder.layers[1]
        return model
        """,
    ),
    section="tf-sharing",
    why="Two layers of the decoder are one object. No two layers of a stack share parameters.",
    hint="Two layers of your decoder are one and the same. Make each layer afresh.",
)


# ---------------------------------------------------------------------------------------------------------------------
# shift_right


mistake(
    "transformer.shift_right",
    "shifted-left",
    edit("shifted = targets.new_empty(targets.shape)\nshifted[..., 0] = bos_id", ""),
    edit("shifted[..., 1:] = targets[..., :-1]", "end = torch.full_like(targets[..., :1], bos_id)"),
    edit("return shifted", "return torch.cat([targets[..., 1:], end], dim=-1)"),
    base="filled",
    section="tf-shift",
    why="The tokens moved to the left. Each position then reads the word that it is to predict.",
    hint="Your tokens moved the wrong way: position t should read the target of position t - 1.",
)

mistake(
    "transformer.shift_right",
    "rolled-without-bos",
    edit("def shift_right(targets, bos_id=BOS):", "def shift_right(targets, bos_id=2):"),
    edit("shifted = targets.roll(1, dims=-1)\nshifted[..., 0] = bos_id", ""),
    edit("return shifted", "return targets.roll(1, dims=-1)"),
    section="tf-shift",
    why="The tokens were rolled, so that the last one came to the front. The first position then reads the end of the "
    "sentence.",
    hint="Your first column holds the last token of each row. Overwrite it with `bos_id`.",
)

mistake(
    "transformer.shift_right",
    "one-token-longer",
    edit("targets[..., :-1]", "targets"),
    base="concatenated",
    section="tf-shift",
    why="The start was put in front and nothing was taken off the end. Inputs and targets then have different lengths.",
    hint="Your result is one token too long. The last token is never read: nothing is predicted after it.",
)

mistake(
    "transformer.shift_right",
    "first-token-overwritten",
    edit("def shift_right(targets, bos_id=BOS):", "def shift_right(targets, bos_id=2):"),
    edit("targets.roll(1, dims=-1)", "targets.clone()"),
    section="tf-shift",
    why="The first token was replaced by the start, and the others stayed where they were. From the second position "
    "on, each reads the word that it is to predict.",
    hint="Your tokens have not moved, only the first was overwritten. Each goes one position to the right.",
)

mistake(
    "transformer.shift_right",
    "argument-changed",
    edit("def shift_right(targets, bos_id=BOS):", "def shift_right(targets, bos_id=2):"),
    edit("shifted = targets.roll(1, dims=-1)", "targets[..., 1:] = targets[..., :-1].clone()"),
    edit("shifted[..., 0]", "targets[..., 0]"),
    edit("return shifted", "return targets"),
    section="tf-shift",
    why="The shift was made in place, in the tensor that was given. The caller's targets are spoilt, and the loss "
    "compares with shifted ones.",
    hint="Your function changes its argument. Make a new tensor.",
)

mistake(
    "transformer.shift_right",
    "bos-fixed",
    edit("torch.full_like(targets[..., :1], bos_id)", "torch.full_like(targets[..., :1], 2)"),
    base="concatenated",
    section="tf-shift",
    why="The id of the start is written into the code. Another vocabulary may have another one, which is why it is an "
    "argument.",
    hint="Your function ignores `bos_id`.",
)

mistake(
    "transformer.shift_right",
    "bos-is-one-by-default",
    edit("def shift_right(targets, bos_id=2):", "def shift_right(targets, bos_id=1):"),
    base="concatenated",
    section="tf-shift",
    why="The default id is 1, which in this course is the unknown word. BOS is 2.",
    hint="Without the argument your sequences start with id 1. In this course `BOS` is 2.",
)

mistake(
    "transformer.shift_right",
    "batch-only",
    edit("..., :1], bos_id), targets[..., :-1]], dim=-1", ":, :1], bos_id), targets[:, :-1]], dim=1"),
    base="concatenated",
    section="tf-shift",
    why="The shift runs along axis 1, which a single sequence does not have. Time is the last axis in both cases.",
    hint="A single sequence `(T,)` makes your function fail. Index time as the last axis, with `...`.",
)

mistake(
    "transformer.shift_right",
    "shifted-along-the-batch",
    edit("..., :1], bos_id), targets[..., :-1]], dim=-1", ":1], bos_id), targets[:-1]], dim=0"),
    base="concatenated",
    section="tf-shift",
    why="The shift runs along the first axis, which is the batch. Each sequence then reads its neighbour's.",
    hint="Your rows moved, not your columns: each sentence reads the one before it in the batch. Time is the last "
    "axis.",
)

mistake(
    "transformer.shift_right",
    "dtype-lost",
    edit(
        "return torch.cat([torch.full_like(targets[..., :1], bos_id)",
        "start = torch.full(targets[..., :1].shape, bos_id)\nreturn torch.cat([start",
    ),
    base="concatenated",
    section="tf-shift",
    why="The start was made with torch.full, which gives int64, and the result took its type. The result should be "
    "like the targets.",
    hint="Your result has another dtype than the targets. `full_like` and `new_full` keep it.",
)

mistake(
    "transformer.shift_right",
    "end-replaced-by-padding",
    edit("def shift_right(targets, bos_id=BOS):", "def shift_right(targets, bos_id=2):"),
    edit("return shifted", "return shifted.where(shifted != 3, 0)"),
    section="tf-shift",
    why="The end of the sentence is replaced by padding in what the decoder reads. All tokens but the last move as "
    "they are, whatever they mean.",
    hint="Your shift changes a token on the way: EOS is to stay EOS. It only moves tokens.",
)

mistake(
    "transformer.shift_right",
    "padding-comes-first",
    edit("shifted[..., 0] = bos_id", "shifted[..., 0] = 0"),
    base="filled",
    section="tf-shift",
    why="The first position holds 0, which is padding. The decoder's mask hides padding, so its first query would have "
    "nothing to attend to.",
    hint="Your sequences start with padding. The first position holds `bos_id`.",
)

mistake(
    "transformer.shift_right",
    "unchanged",
    edit(
        "torch.full_like(targets[..., :1], bos_id), targets[..., :-1]",
        "torch.full_like(targets[..., :1], bos_id), targets",
    ),
    edit("], dim=-1)", "], dim=-1)[..., 1:]"),
    base="concatenated",
    section="tf-shift",
    why="The start was put in front and then cut off again. Each position reads the word that it is to predict.",
    hint="Your result is the targets themselves. Cut off the last token, not the first one.",
)

mistake(
    "transformer.shift_right",
    "ids-as-floats",
    edit("targets.new_empty(targets.shape)", "torch.zeros(targets.shape)"),
    base="filled",
    section="tf-shift",
    why="The result was made with torch.zeros, which gives floats. Ids are whole numbers, and an embedding refuses "
    "floats.",
    hint="Your result holds floats. Make it like the targets: `zeros_like`, `new_empty`, or `dtype=targets.dtype`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# count_parameters


@mistake(
    "transformer.count_parameters",
    "tied-counted-twice",
    section="tf-count",
    why="The counts of the parts were added up, and a shared table counts in each of them. It is one tensor.",
    hint="Your count holds tied parameters several times. Remember which ones you have counted, by identity.",
)
def count_parameters(model):
    counts = {name: sum(p.numel() for p in part.parameters()) for name, part in model.named_children()}
    counts["total"] = sum(counts.values())
    return counts


@mistake(
    "transformer.count_parameters",
    "tied-counted-in-each-part",
    section="tf-count",
    why="The total is right, but the parts count a shared table each. A tied tensor belongs to the first part that "
    "holds it, so that the parts add up.",
    hint="Your total is right, but your parts add up to more. A shared parameter counts in the first part alone.",
)
def count_parameters(model):
    counts = {name: sum(p.numel() for p in part.parameters()) for name, part in model.named_children()}
    counts["total"] = sum(p.numel() for p in model.parameters())
    return counts


mistake(
    "transformer.count_parameters",
    "no-total",
    edit("seen: set[nn.Parameter] = set()", ""),
    edit("counts = {}", "seen, counts = set(), {}"),
    edit("(parameter.numel() for parameter in new)", "(p.numel() for p in new)"),
    edit('counts["total"] = sum(parameter.numel() for parameter in model.parameters())', ""),
    section="tf-count",
    why="The total is missing. It is what is compared with a paper's table.",
    hint='Your dictionary has no key "total".',
)

mistake(
    "transformer.count_parameters",
    "only-trainable",
    edit("seen: set[nn.Parameter] = set()", ""),
    edit("counts = {}", "seen, counts = set(), {}"),
    edit("set(part.parameters())", "{p for p in part.parameters() if p.requires_grad}"),
    edit("(parameter.numel() for parameter in new)", "(p.numel() for p in new)"),
    edit(
        "(parameter.numel() for parameter in model.parameters())",
        "(p.numel() for p in model.parameters() if p.requires_grad)",
    ),
    section="tf-count",
    why="Frozen parameters were left out. They are part of the model all the same.",
    hint="Your count leaves out parameters with `requires_grad=False`. Count them as well.",
)

mistake(
    "transformer.count_parameters",
    "buffers-counted",
    edit("seen: set[nn.Parameter] = set()", ""),
    edit("counts = {}", "seen, counts = set(), {}"),
    edit("set(part.parameters())", "{*part.parameters(), *part.buffers()}"),
    edit("(parameter.numel() for parameter in new)", "(p.numel() for p in new)"),
    edit(
        "(parameter.numel() for parameter in model.parameters())",
        "(p.numel() for p in {*model.parameters(), *model.buffers()})",
    ),
    section="tf-count",
    why="Everything in the state dictionary was counted. It holds buffers as well, such as the table of positions, "
    "which nobody learns.",
    hint="Your count holds buffers, such as the table of positions. Count `parameters()`, not `state_dict()`.",
)

mistake(
    "transformer.count_parameters",
    "own-parameters-forgotten",
    edit("known: list[nn.Parameter] = []", ""),
    edit("counts = {}", "seen, counts = set(), {}"),
    edit("[p for p in part.parameters() if not any(p is old for old in known)]", "set(part.parameters()) - seen"),
    edit("known += new", ""),
    edit("counts[name] = sum(map(torch.numel, new))", "counts[name] = sum((p.numel() for p in new))\nseen |= new"),
    edit("map(torch.numel, model.parameters())", "counts.values()"),
    base="list-of-tensors",
    section="tf-count",
    why="The total adds up the parts, and so leaves out parameters that belong to the model itself and to no part. "
    "They are learned like all others.",
    hint="Your total lacks parameters that the model owns itself. Count `model.parameters()`.",
)

mistake(
    "transformer.count_parameters",
    "tensors-instead-of-numbers",
    edit("seen: set[nn.Parameter] = set()", ""),
    edit("counts = {}", "seen, counts = set(), {}"),
    edit("sum(parameter.numel() for parameter in new)", "len(new)"),
    edit("sum(parameter.numel() for parameter in model.parameters())", "len(list(model.parameters()))"),
    section="tf-count",
    why="The tensors were counted, not the numbers in them. A matrix is one tensor and d times d parameters.",
    hint="Your counts are far too small: you count tensors. `numel()` says how many numbers one holds.",
)

mistake(
    "transformer.count_parameters",
    "matrices-only",
    edit("seen: set[nn.Parameter] = set()", ""),
    edit("counts = {}", "seen, counts = set(), {}"),
    edit("set(part.parameters())", "{p for p in part.parameters() if p.dim() > 1}"),
    edit("(parameter.numel() for parameter in new)", "(p.numel() for p in new)"),
    edit(
        "(parameter.numel() for parameter in model.parameters())",
        "(p.numel() for p in model.parameters() if p.dim() > 1)",
    ),
    section="tf-count",
    why="Only matrices were counted. Biases, gains and other vectors are parameters, too.",
    hint="Your count leaves out vectors: biases and the norms' parameters. Count every parameter.",
)

mistake(
    "transformer.count_parameters",
    "equal-values-counted-once",
    edit("name, child", "name, part"),
    edit("for parameter in child.parameters():", "for p in part.parameters():"),
    edit(
        "if id(parameter) not in seen:\n    seen.add(id(parameter))\n    counts[name] += parameter.numel()",
        "key = tuple(p.flatten().tolist())\ncounts[name] += 0 if key in seen else p.numel()\nseen.add(key)",
    ),
    edit("own = sum(p.numel() for p in model.parameters(recurse=False) if id(p) not in seen)", ""),
    edit("sum(counts.values()) + own", "sum(p.numel() for p in model.parameters())"),
    base="by-identity",
    section="tf-count",
    why="Parameters with equal values were taken for one. Two norms that both start at 1 are different parameters.",
    hint="You tell parameters apart by their values. Two are the same only if they are one object (`is`, or `id`).",
)

mistake(
    "transformer.count_parameters",
    "by-parameter-name",
    edit("for name, _ in model.named_children()", "for name, _ in model.named_parameters()"),
    edit(
        'part = name.split(".")[0]\nif part in counts and "." in name:\n    counts[part] += math.prod(parameter.shape)',
        "counts[name] = math.prod(parameter.shape)",
    ),
    base="by-name",
    section="tf-count",
    why="The dictionary has an entry for each tensor, under its full name. The parts are the model's direct children.",
    hint="Your keys are names of parameters. Go through `model.named_children()`, and add up what each part holds.",
)

mistake(
    "transformer.count_parameters",
    "every-module-inside",
    edit("model.named_children()", "model.named_modules()"),
    edit("counts[name] = sum(map(torch.numel, new))", "counts[name] = sum(map(torch.numel, part.parameters()))"),
    base="list-of-tensors",
    section="tf-count",
    why="The dictionary has an entry for every module, at every depth, and for the model itself. The parts are the "
    "model's direct children.",
    hint="Your keys name modules inside modules. `named_children` gives the direct parts, `named_modules` all of them.",
)

mistake(
    "transformer.EncoderLayer",
    "no-norm-with-pre",
    edit(
        "x = self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))",
        """
        if self.connections[0].norm == "pre":
            x = x + self.connections[0].dropout(self.self_attention(x, x, x, mask))
            return x + self.connections[1].dropout(self.feed_forward(x))
        x = self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))
        """,
    ),
    section="tf-encoder-layer",
    why='With `norm="pre"` nothing is normalised: both sublayers read the plain input. "Pre" says where the norm '
    "stands, before the sublayer, not that there is none.",
    hint='With `norm="pre"` your layer has no norm at all. Each sublayer then reads its normalised input.',
)

mistake(
    "transformer.EncoderLayer",
    "second-shortcut-from-the-input",
    edit("x = self.connections[0](x", "after = self.connections[0](x"),
    edit(
        "self.connections[1](x, self.feed_forward)",
        """
        self.connections[1](
            x, lambda y: self.feed_forward(self.connections[1].norm_layer(after) if self.connections[1].norm == "pre" else after)
        )
        """,
    ),
    section="tf-encoder-layer",
    why="The second connection adds the layer's input and not what the attention returned. The result of the "
    "attention then reaches the output through the feed-forward network alone.",
    hint="Around the feed-forward network you add the layer's first input. Add what the first connection returned.",
)

mistake(
    "transformer.make_model",
    "no-positions-in-the-target",
    edit(
        "model = Transformer(",
        "tgt_embed = nn.Sequential(tables[1], nn.Dropout(dropout))\nmodel = Transformer(",
    ),
    section="tf-flow",
    why="Only the source got positions. The decoder then sees its words without their order.",
    hint="What your decoder reads has no positions. Source and target each get a table and a positional encoding.",
)
