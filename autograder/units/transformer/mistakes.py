"""Wrong implementations of the tasks of transformer, each with the misconception behind it.

Every entry is wrong in one respect only. Most are edits of the right code. A class inherits what it does not define from
the right class.
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
    why="The feed-forward network has no influence, so nothing is computed from what attention found. You return after "
    "the attention. Which sublayer comes second?",
    hint="The feed-forward network has no influence on your result. Put it into the second connection.",
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
    why="Your feed-forward network works before positions have exchanged anything. You put the two sublayers in the "
    "wrong order. Which one comes first in the paper?",
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
    why="The feed-forward network does not see what attention found. You passed the input of the layer to both "
    "sublayers. What should the second one read?",
    hint="Your feed-forward network reads the layer's input instead of what attention made of it. Pass the first "
    "result to the second connection.",
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
    why="Your layer has a single norm, which both sublayers share. You made one connection for both. How many gains "
    "and biases do two sublayers need?",
    hint="Your layer has a single norm, used twice. Make one `SublayerConnection` for each sublayer.",
)

mistake(
    "transformer.EncoderLayer",
    "mask-forgotten",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(y, y, y)"),
    section="tf-encoder-layer",
    why="The mask has no influence, so padding mixes into every shorter sentence. You accept the mask but do not pass "
    "it to the attention. In which call is it missing?",
    hint="The mask has no influence on your result. Pass it to the attention, inside the function that the connection "
    "gets.",
)


@mistake(
    "transformer.EncoderLayer",
    "norm-not-passed-on",
    section="tf-norms",
    why='`norm="post"` has no effect. You did not pass the argument to the connections, so the layer is always '
    "pre-norm. Which constructor needs it?",
    hint='Your layer gives the pre-norm result for `norm="post"` too. Pass `norm` to both connections.',
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
    why="Without the argument `norm`, your layer is post-norm. You chose this default, but this course's layers are "
    "pre-norm unless the caller chooses otherwise. Which default does the task give?",
    hint='Without the argument `norm` your layer is post-norm. The default is `"pre"`.',
)

mistake(
    "transformer.EncoderLayer",
    "keys-not-normalised",
    edit("lambda y: self.self_attention(y, y, y, mask)", "lambda y, x=x: self.self_attention(y, x, x, mask)"),
    section="tf-encoder-layer",
    why="Your queries are normalised, but keys and values are not. You took them from the x of `forward`. Which tensor "
    "does the connection give to your function?",
    hint="Your queries are normalised, but keys and values are not. The function that a connection calls gets the "
    "normalised `y`: use it three times, instead of the outer `x`.",
)

mistake(
    "transformer.EncoderLayer",
    "residual-twice",
    edit("self.connections[1](x, self.feed_forward)", "self.connections[1](x, lambda y: y + self.feed_forward(y))"),
    section="tf-encoder-layer",
    why="The feed-forward network's result already holds its normalised input when the connection adds the shortcut. "
    "You add this input in an inner function. What should the connection receive?",
    hint="Your feed-forward network's result already holds its input when the connection adds the shortcut. Give the "
    "network itself to the connection.",
)

mistake(
    "transformer.EncoderLayer",
    "extra-norm-at-the-end",
    edit(
        "self.connections[1](x, self.feed_forward)",
        "F.layer_norm(self.connections[1](x, self.feed_forward), x.shape[-1:])",
    ),
    section="tf-stacks",
    why="Your pre-norm layer returns a normalised vector instead of the plain sum. You normalise the layer's result, "
    "but a pre-norm stack has a single final norm. Which module owns it?",
    hint="Your pre-norm layer normalises its result. Leave out this norm: the final one belongs to the stack.",
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
    why="The dropout that the caller passes has no effect. You passed it to none of the parts, so each uses its own "
    "default. Which three parts need it?",
    hint="Your layer takes `dropout` and never passes it on. Pass it to attention, feed-forward network and "
    "connections.",
)

mistake(
    "transformer.EncoderLayer",
    "dropout-not-in-attention",
    edit("MultiHeadAttention(d_model, num_heads, dropout)", "MultiHeadAttention(d_model, num_heads)"),
    section="tf-encoder-layer",
    why="In training, attention drops none of its weights. You did not pass the dropout to it, and its own default "
    "is 0. Which constructor needs it?",
    hint="While training, your attention drops none of its weights. Pass `dropout` to the attention.",
)

mistake(
    "transformer.EncoderLayer",
    "dropout-not-passed-on",
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, norm=norm)"),
    section="tf-encoder-layer",
    why="A model that is built without dropout still drops. You did not pass the dropout to the connections, which use "
    "their default of 0.1. Which constructor needs it?",
    hint="Your connections drop with another probability than the layer. Pass `dropout` to them.",
)

mistake(
    "transformer.EncoderLayer",
    "connections-in-a-plain-list",
    edit(
        "nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))",
        "[SublayerConnection(d_model, dropout, norm) for _ in range(2)]",
    ),
    section="tf-sharing",
    why="The norms are missing from `parameters()`, so they are neither trained nor saved. You keep the connections in "
    "a Python list, which PyTorch does not search. Which container does it search?",
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
    why="Without the argument `dropout`, your layer drops nothing in training. You chose a default of 0, but the paper "
    "uses another value. Which default does the task give?",
    hint="Without the argument `dropout` your layer drops nothing while training. Its default is 0.1.",
)

mistake(
    "transformer.EncoderLayer",
    "hidden-dropout-by-default",
    edit("FeedForward(d_model, d_ff, dropout)", "FeedForward(d_model, d_ff)"),
    section="tf-encoder-layer",
    why="Hidden units are dropped with another probability than the layer's. You did not pass the dropout to the "
    "feed-forward network, which uses its default of 0.1. Which constructor needs it?",
    hint="Your hidden units are dropped with another probability than the layer's. Pass `dropout` to the feed-forward "
    "network.",
)


@mistake(
    "transformer.EncoderLayer",
    "hidden-width-fixed",
    section="tf-count",
    why="The hidden layer is four times as wide as the model whatever `d_ff` says. You hard-coded the paper's ratio. "
    "Where should the argument go?",
    hint="Your feed-forward network does not have the width `d_ff`. Pass `d_ff` to it.",
)
class EncoderLayer(RightEncoderLayer):
    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(d_model, num_heads, 4 * d_model, dropout, norm)


mistake(
    "transformer.EncoderLayer",
    "attention-reads-the-outer-x",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(x, x, x, mask)"),
    section="tf-norms",
    why="Your attention reads vectors that were never normalised. You used the x of `forward` in the inner function. "
    "Which tensor does the connection give to your function?",
    hint="Your attention reads the layer's input without a norm. The connection calls your function with the "
    "normalised input: use its argument `y` three times, not `x`.",
)

mistake(
    "transformer.EncoderLayer",
    "query-not-normalised",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(x, y, y, mask)"),
    section="tf-norms",
    why="Your keys and values are normalised, but your queries are not. You took them from the x of `forward`. Which "
    "tensor does the connection give to your function?",
    hint="Your keys and values are normalised, but your queries are not. Use the argument of the inner function for all "
    "three.",
)

mistake(
    "transformer.EncoderLayer",
    "values-not-normalised",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(y, y, x, mask)"),
    section="tf-norms",
    why="Your queries and keys are normalised, but your values are not. You took them from the x of `forward`. Which "
    "tensor does the connection give to your function?",
    hint="Your queries and keys are normalised, but your values are not. Use the argument of the inner function for all "
    "three.",
)

mistake(
    "transformer.EncoderLayer",
    "feed-forward-reads-the-outer-x",
    edit("self.connections[1](x, self.feed_forward)", "self.connections[1](x, lambda y: self.feed_forward(x))"),
    section="tf-norms",
    why="Your feed-forward network reads vectors that were never normalised. You used the x of `forward` in the "
    "function around it. Which tensor does the connection give to your function?",
    hint="Your feed-forward network reads its input before the norm. Give the network itself to the connection, or use "
    "the argument of the inner function.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcut-added-outside-attention",
    edit("x = self.connections[0](", "x = x + self.connections[0]("),
    section="tf-encoder-layer",
    why="The shortcut around the attention counts twice. You add x to what the connection returns, and the "
    "connection has already added it. Which of the two should do it?",
    hint="Your result holds the layer's input once too often, around the attention. `SublayerConnection` adds the "
    "shortcut by itself: leave out your own `x +`.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcut-added-inside-attention",
    edit("lambda y: self.self_attention(y, y, y, mask)", "lambda y: y + self.self_attention(y, y, y, mask)"),
    section="tf-encoder-layer",
    why="The attention's result already holds its normalised input when the connection adds the shortcut. You add this "
    "input in the inner function. What should the inner function return?",
    hint="Your attention's result already holds its input when the connection adds the shortcut. Return the attention "
    "alone: `SublayerConnection` adds the shortcut.",
)

mistake(
    "transformer.EncoderLayer",
    "outer-x-added-inside-attention",
    edit("lambda y: self.self_attention(y, y, y, mask)", "lambda y: x + self.self_attention(y, y, y, mask)"),
    section="tf-encoder-layer",
    why="The shortcut around the attention counts twice. You add the x of `forward` in the inner function, and the "
    "connection adds it again. What should the inner function return?",
    hint="Your attention's result already holds the layer's input when the connection adds it. Return the attention "
    "alone: `SublayerConnection` adds the shortcut.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcut-added-outside-feed-forward",
    edit("return self.connections[1](", "return x + self.connections[1]("),
    section="tf-encoder-layer",
    why="The shortcut around the feed-forward network counts twice. You add x to what the connection returns, and "
    "the connection has already added it. Which of the two should do it?",
    hint="Your result holds the input of the second sublayer once too often. `SublayerConnection` adds the shortcut by "
    "itself: leave out your own `x +`.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcuts-added-everywhere",
    edit("x = self.connections[0](", "x = x + self.connections[0]("),
    edit("return self.connections[1](", "return x + self.connections[1]("),
    section="tf-encoder-layer",
    why="Both shortcuts count twice. You add x to what each connection returns, and the connection has already added "
    "it. Should your code or the connection add the shortcut?",
    hint="Both of your shortcuts count twice. `SublayerConnection` adds them by itself: leave out your own `x +`.",
)

mistake(
    "transformer.EncoderLayer",
    "shortcuts-added-inside",
    edit("lambda y: self.self_attention(y, y, y, mask)", "lambda y: y + self.self_attention(y, y, y, mask)"),
    edit("self.connections[1](x, self.feed_forward)", "self.connections[1](x, lambda y: y + self.feed_forward(y))"),
    section="tf-encoder-layer",
    why="Both sublayers return their input along with their result. You add this input in inner functions, and the "
    "connections add the shortcuts on top. What should an inner function return?",
    hint="Both of your sublayers return their input along with their result. Return the result alone: "
    "`SublayerConnection` adds the shortcut.",
)

mistake(
    "transformer.EncoderLayer",
    "attention-result-thrown-away",
    edit("x = self.connections[0](", "y = self.connections[0]("),
    section="tf-encoder-layer",
    why="Positions are never mixed: your attention has no influence. You passed the second connection the input of the "
    "layer instead of the first result. Which tensor should it read?",
    hint="Your attention has no influence on the result. The second connection should read what the first one "
    "returned.",
)

mistake(
    "transformer.EncoderLayer",
    "result-in-place-of-a-function",
    edit("lambda y: self.self_attention(y, y, y, mask)", "self.self_attention(x, x, x, mask)"),
    section="tf-encoder-layer",
    why="The connection raises an error when it calls what you gave it. You passed the result of the attention, "
    "which was computed before the norm. What kind of argument can the connection call later?",
    hint="You pass a tensor to the connection, but it needs a function. Put the call of the attention into a function "
    "of one argument.",
)

mistake(
    "transformer.EncoderLayer",
    "first-connection-used-twice",
    edit("self.connections[1](x, self.feed_forward)", "self.connections[0](x, self.feed_forward)"),
    section="tf-sharing",
    why="The second norm never learns. You put both sublayers through the first connection. Which connection belongs "
    "to the feed-forward network?",
    hint="Both of your sublayers use the same connection, so the second norm is never used. Use a separate connection "
    "for each.",
)

mistake(
    "transformer.EncoderLayer",
    "mask-inverted",
    edit("self.self_attention(y, y, y, mask)", "self.self_attention(y, y, y, None if mask is None else ~mask)"),
    section="tf-encoder-layer",
    why="Your attention reads exactly what the mask hides. You inverted the mask before passing it. What does True "
    "mean in this course's masks?",
    hint='Your attention reads exactly what the mask hides. Pass the mask as it is: `True` means "may attend" '
    "everywhere in this course.",
)

mistake(
    "transformer.EncoderLayer",
    "one-head",
    edit("MultiHeadAttention(d_model, num_heads, dropout)", "MultiHeadAttention(d_model, 1, dropout)"),
    section="tf-encoder-layer",
    why="Your attention has a single head, which neither shapes nor counts of parameters show. You ignored "
    "`num_heads`. Which constructor needs it?",
    hint="Your attention does not have `num_heads` heads. Pass the number to `MultiHeadAttention`.",
)

mistake(
    "transformer.EncoderLayer",
    "nothing-dropped-after-the-sublayers",
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, 0.0, norm)"),
    section="tf-encoder-layer",
    why="In training, what your sublayers return is never dropped. You switched off the dropout of the connections. "
    "In which three places does a layer drop?",
    hint="While training, what your sublayers return is not dropped. Pass `dropout` to both connections.",
)

mistake(
    "transformer.EncoderLayer",
    "norms-the-wrong-way-round",
    edit(
        "SublayerConnection(d_model, dropout, norm)",
        'SublayerConnection(d_model, dropout, "pre" if norm == "post" else "post")',
    ),
    section="tf-norms",
    why='`norm="pre"` gives the post-norm result, and the other way round. You exchanged the two styles. On which '
    "side of the sublayer is the norm in a pre-norm layer?",
    hint='Your layer gives the post-norm result for `norm="pre"`. In the pre-norm layer the norm comes before the '
    "sublayer, and the shortcut goes around both.",
)

mistake(
    "transformer.EncoderLayer",
    "result-of-the-norm-as-shortcut",
    edit("x = x + self.dropout(self.self_attn(y, y, y, mask))", "x = y + self.dropout(self.self_attn(y, y, y, mask))"),
    edit("return x + self.dropout(self.feed_forward(y))", "return y + self.dropout(self.feed_forward(y))"),
    base="both-styles-written-out",
    section="tf-norms",
    why="Your shortcut passes through the norm. You added the normalised copy to the result. Which tensor does the "
    "shortcut carry?",
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
    why='With `norm="pre"`, your norm comes between the sublayer and the sum. You normalised what the sublayer '
    "returns. Which tensor does a pre-norm layer normalise?",
    hint='Your norm comes between the sublayer and the sum. For `norm="pre"` it comes before the sublayer.',
)

mistake(
    "transformer.EncoderLayer",
    "feed-forward-reads-the-first-norm",
    edit("y = self.norm2(x)\nreturn x", "return x"),
    base="both-styles-written-out",
    section="tf-norms",
    why="Your feed-forward network reads a vector from before the attention. You passed the variable that still holds "
    "what the first norm returned. What has to happen after the first sum?",
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
    why="A position loses its own vector: only what attention gathered is left. You put no shortcut around the "
    "attention. What should happen to its result?",
    hint="Your attention has no shortcut around it. Add its result to the layer's input.",
)

mistake(
    "transformer.EncoderLayer",
    "no-shortcut-around-feed-forward",
    edit("return x + self.dropout(self.feed_forward(y))", "return self.dropout(self.feed_forward(y))"),
    edit("self.norm2(x + self.dropout(self.feed_forward(x)))", "self.norm2(self.dropout(self.feed_forward(x)))"),
    base="both-styles-written-out",
    section="tf-encoder-layer",
    why="What attention gathered is replaced by the result of the feed-forward network. You put no shortcut around "
    "this network. What should happen to its result?",
    hint="Your feed-forward network has no shortcut around it. Add its result to what the first sublayer returned.",
)

mistake(
    "transformer.EncoderLayer",
    "dropout-after-the-sum",
    edit("x = x + self.dropout(self.self_attn(y, y, y, mask))", "x = self.dropout(x + self.self_attn(y, y, y, mask))"),
    edit("return x + self.dropout(self.feed_forward(y))", "return self.dropout(x + self.feed_forward(y))"),
    base="both-styles-written-out",
    section="tf-encoder-layer",
    why="In training, parts of the shortcut are erased. You applied dropout to the sum. On which of its two terms "
    "should it act?",
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
    why="In evaluation mode, the same input gives different outputs. You called the functional dropout, which assumes "
    "training mode unless you say otherwise. How does a module know its mode?",
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
    why="In training, your feed-forward network drops no hidden units. You built it without dropout between its two "
    "layers. Which class of an earlier unit contains both layers and the dropout?",
    hint="While training, your feed-forward network drops no hidden units. Use the `FeedForward` of an earlier unit, "
    "or put an `nn.Dropout` after the ReLU.",
)

mistake(
    "transformer.EncoderLayer",
    "feed-forward-without-relu",
    edit(
        "FeedForward(d_model, d_ff, dropout)",
        "nn.Sequential(nn.Linear(d_model, d_ff), nn.Dropout(dropout), nn.Linear(d_ff, d_model))",
    ),
    section="tf-encoder-layer",
    why="Your feed-forward network is linear. You put nothing but dropout between its two layers, and two linear maps "
    "in a row are one. What makes the network nonlinear?",
    hint="Your feed-forward network is linear: put a ReLU between its two layers.",
)

mistake(
    "transformer.EncoderLayer",
    "gelu-instead-of-relu",
    edit("FeedForward(d_model, d_ff, dropout)", 'FeedForward(d_model, d_ff, dropout, "gelu")'),
    section="tf-encoder-layer",
    why="Your results differ slightly from those of the paper's layer. You chose GELU for the feed-forward network. "
    "Which activation does `FeedForward` have by default?",
    hint="Your feed-forward network uses another activation than ReLU. Leave this argument at its default.",
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
    why="A large forbidden score takes all the weight of its row, and what is left is 0/0. You masked the weights "
    "after the softmax. Where does the mask belong?",
    hint="You mask after the softmax. A large forbidden score then takes all the weight of its row: set forbidden "
    "scores to minus infinity before the softmax.",
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
    why="A query that may attend to nothing gives NaN, and one sentence of padding spoils the whole batch. You set all "
    "scores of such a row to minus infinity, and their softmax is 0/0. What should its weights be?",
    hint="Your layer returns NaN for a query that may attend to nothing. Give such a query weights of 0, so that its "
    "attention returns the bias of the last projection.",
)

mistake(
    "transformer.EncoderLayer",
    "feed-forward-result-not-dropped",
    edit("self.drop2 = nn.Dropout(dropout), nn.Dropout(dropout)", "self.drop2 = nn.Dropout(dropout), nn.Identity()"),
    base="written-out",
    section="tf-encoder-layer",
    why="In training, what the feed-forward part returns is never dropped. You left out its dropout, although attention "
    "has one. After which sublayers does a layer drop?",
    hint="What your feed-forward part returns is not dropped. Drop the result of both sublayers before it is added.",
)

# ---------------------------------------------------------------------------------------------------------------------
# DecoderLayer


mistake(
    "transformer.DecoderLayer",
    "masks-swapped",
    edit("x = self.connections[0](", "src_mask, tgt_mask = tgt_mask, src_mask\nx = self.connections[0]("),
    section="tf-decoder-layer",
    why="Positions are hidden by the wrong sentence's mask. You exchanged the two masks, and a mask belongs to the "
    "keys of its attention. Whose positions are the keys of each attention?",
    hint="Your two masks are swapped. A mask belongs to the keys: pass `tgt_mask` to the self-attention, `src_mask` to "
    "the cross-attention.",
)

mistake(
    "transformer.DecoderLayer",
    "no-cross-attention",
    edit("x = self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))", ""),
    section="tf-decoder-layer",
    why="The translation has nothing to do with the source. You never use the memory, as in the layer of a language "
    "model. Which sublayer is missing, and where does it belong?",
    hint="The memory has no influence on your result. Put an attention to `memory` between self-attention and "
    "feed-forward network.",
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
    why="A position queries the source before it has read the words already written. You put the two attentions in the "
    "wrong order. Which one comes first in the paper?",
    hint="Your two attentions run in the wrong order. Put the self-attention first.",
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
    why="The feed-forward network cannot use what the cross-attention finds. You placed it between the two "
    "attentions. Which sublayer is last in the paper?",
    hint="Your feed-forward network runs before the cross-attention. Make it the last sublayer.",
)

mistake(
    "transformer.DecoderLayer",
    "queries-from-memory",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(memory, y, y)"),
    section="tf-decoder-layer",
    why="Your cross-attention returns one row for each source position. You exchanged the arguments, so the queries "
    "come from the source. Which sequence asks in this attention, and which one answers?",
    hint="Your cross-attention takes its queries from the source. Take the queries from the target, keys and values "
    "from the memory.",
)

mistake(
    "transformer.DecoderLayer",
    "values-from-target",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, memory, y, src_mask)"),
    section="tf-decoder-layer",
    why="Where source and target differ in length, you get an error. Where the lengths are equal, your "
    "cross-attention compares its queries with the memory but returns content of the target. You took the values from "
    "another sequence than the keys. From where should both come?",
    hint="Your cross-attention compares with the memory but takes its values from the target. Keys and values both "
    "come from the memory.",
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
    why="Your two attentions share their four projections. You used one module for both, although a word looks for "
    "different things in its own sentence and in the source. How many modules do you need?",
    hint="Your two attentions share their parameters. Make two `MultiHeadAttention` modules.",
)

mistake(
    "transformer.DecoderLayer",
    "memory-normalised-again-variant-2",
    edit(
        "x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))",
        """
        x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))
        known = self.connections[1].norm_layer(memory) if self.connections[1].norm == "pre" else memory
        """,
    ),
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, known, known, src_mask)"),
    section="tf-norms",
    why="In pre-norm layers the memory is normalised a second time. It comes out of the encoder's final norm, and you "
    "apply a norm of the layer to it. Which tensor does a connection normalise?",
    hint="Your pre-norm layer normalises the memory. Normalise only `x`, and use the memory as it is.",
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
    why="The memory is normalised a second time. It comes out of the encoder's final norm, and you apply a norm of the "
    "layer to it. Which tensor does a connection normalise?",
    hint="Your layer normalises the memory. Normalise only `x`, and use the memory as it is.",
)

mistake(
    "transformer.DecoderLayer",
    "no-target-mask",
    edit("x = self.connections[0](", "tgt_mask = None\nx = self.connections[0]("),
    section="tf-decoder-layer",
    why="The decoder sees the word that it has to predict. You did not pass the target's mask to the self-attention. "
    "Whose positions are the keys there?",
    hint="`tgt_mask` has no influence on your result, so the decoder sees the future. Pass it to the self-attention.",
)

mistake(
    "transformer.DecoderLayer",
    "no-source-mask",
    edit("x = self.connections[0](", "src_mask = None\nx = self.connections[0]("),
    section="tf-decoder-layer",
    why="The decoder reads the padding of the source. You did not pass the source's mask to the cross-attention. "
    "Whose positions are the keys there?",
    hint="`src_mask` has no influence on your result, so the decoder reads padding. Pass it to the cross-attention.",
)

mistake(
    "transformer.DecoderLayer",
    "no-shortcut-around-cross-attention",
    edit(
        "self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
        "self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask)) - x",
    ),
    section="tf-decoder-layer",
    why="What the self-attention returned is replaced by what the cross-attention found. You gave this sublayer no "
    "shortcut. How do the other two get theirs?",
    hint="Your cross-attention has no shortcut. Put it into a connection like the other two sublayers.",
)


@mistake(
    "transformer.DecoderLayer",
    "norm-not-passed-on",
    section="tf-norms",
    why='`norm="post"` has no effect. You did not pass the argument to the connections, so the layer is always '
    "pre-norm. Which constructor needs it?",
    hint='Your layer gives the pre-norm result for `norm="post"` too. Pass `norm` to the three connections.',
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
    why="The dropout that the caller passes has no effect. You passed it to none of the parts, so each uses its own "
    "default. Which parts need it?",
    hint="Your layer takes `dropout` and never passes it on. Pass it to both attentions, feed-forward network and "
    "connections.",
)

mistake(
    "transformer.DecoderLayer",
    "dropout-not-in-cross-attention",
    edit(
        "self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.cross_attention = MultiHeadAttention(d_model, num_heads)",
    ),
    section="tf-decoder-layer",
    why="In training, the cross-attention drops none of its weights. You did not pass the dropout to it, and its own "
    "default is 0. Which constructor needs it?",
    hint="While training, your cross-attention drops none of its weights. Pass `dropout` to both attentions.",
)

mistake(
    "transformer.DecoderLayer",
    "self-attention-reads-the-outer-x",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(x, x, x, tgt_mask)"),
    section="tf-norms",
    why="Your self-attention reads vectors that were never normalised. You used the x of `forward` in the inner "
    "function. Which tensor does the connection give to your function?",
    hint="Your self-attention reads the layer's input without a norm. The connection calls your function with the "
    "normalised input: use its argument `y` three times, not `x`.",
)

mistake(
    "transformer.DecoderLayer",
    "cross-query-not-normalised",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(x, memory, memory, src_mask)"),
    section="tf-norms",
    why="The queries of your cross-attention are not normalised. You used the x of `forward` in the inner function. "
    "Which tensor does the connection give to your function?",
    hint="The queries of your cross-attention are not normalised. Use the argument of the inner function as query.",
)

mistake(
    "transformer.DecoderLayer",
    "feed-forward-reads-the-outer-x",
    edit("self.connections[2](x, self.feed_forward)", "self.connections[2](x, lambda y: self.feed_forward(x))"),
    section="tf-norms",
    why="Your feed-forward network reads vectors that were never normalised. You used the x of `forward` in the "
    "function around it. Which tensor does the connection give to your function?",
    hint="Your feed-forward network reads its input before the norm. Give the network itself to the connection, or use "
    "the argument of the inner function.",
)

mistake(
    "transformer.DecoderLayer",
    "both-attentions-read-the-outer-x",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(x, x, x, tgt_mask)"),
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(x, memory, memory, src_mask)"),
    section="tf-norms",
    why="Both of your attentions read vectors that were never normalised. You used the x of `forward` in the inner "
    "functions. Which tensor does a connection give to your function?",
    hint="Both of your attentions read vectors that were not normalised. The connections call your functions with the "
    "normalised input: use their argument, not `x`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-outside-self-attention",
    edit("x = self.connections[0](", "x = x + self.connections[0]("),
    section="tf-decoder-layer",
    why="The shortcut around the self-attention counts twice. You add x to what the connection returns, and the "
    "connection has already added it. Which of the two should do it?",
    hint="Your shortcut around the self-attention counts twice. `SublayerConnection` adds it by itself: leave out your "
    "own `x +`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-outside-cross-attention",
    edit("x = self.connections[1](", "x = x + self.connections[1]("),
    section="tf-decoder-layer",
    why="The shortcut around the cross-attention counts twice. You add x to what the connection returns, and the "
    "connection has already added it. Which of the two should do it?",
    hint="Your shortcut around the cross-attention counts twice. `SublayerConnection` adds it by itself: leave out your "
    "own `x +`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-outside-feed-forward",
    edit("return self.connections[2](", "return x + self.connections[2]("),
    section="tf-decoder-layer",
    why="The shortcut around the feed-forward network counts twice. You add x to what the connection returns, and "
    "the connection has already added it. Which of the two should do it?",
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
    why="All three shortcuts count twice. You add x to what each connection returns, and the connection has already "
    "added it. Should your code or the connection add the shortcut?",
    hint="All of your shortcuts count twice. `SublayerConnection` adds them by itself: leave out your own `x +`.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-inside-self-attention",
    edit("lambda y: self.self_attention(", "lambda y: y + self.self_attention("),
    section="tf-decoder-layer",
    why="The self-attention's result already holds its normalised input when the connection adds the shortcut. You add "
    "this input in the inner function. What should the inner function return?",
    hint="Your self-attention's result already holds its input when the connection adds the shortcut. Return the "
    "attention alone.",
)

mistake(
    "transformer.DecoderLayer",
    "shortcut-added-inside-cross-attention",
    edit("lambda y: self.cross_attention(", "lambda y: y + self.cross_attention("),
    section="tf-decoder-layer",
    why="The cross-attention's result already holds its normalised input when the connection adds the shortcut. You "
    "add this input in the inner function. What should the inner function return?",
    hint="Your cross-attention's result already holds its input when the connection adds the shortcut. Return the "
    "attention alone.",
)

mistake(
    "transformer.DecoderLayer",
    "residual-twice",
    edit("self.connections[2](x, self.feed_forward)", "self.connections[2](x, lambda y: y + self.feed_forward(y))"),
    section="tf-decoder-layer",
    why="The feed-forward network's result already holds its normalised input when the connection adds the shortcut. "
    "You add this input in an inner function. What should the connection receive?",
    hint="Your feed-forward network's result already holds its input when the connection adds the shortcut. Give the "
    "network itself to the connection.",
)

mistake(
    "transformer.DecoderLayer",
    "query-and-memory-exchanged",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(memory, y, y, src_mask)"),
    section="tf-decoder-layer",
    why="Where source and target differ in length, you get an error. You exchanged the arguments of the "
    "cross-attention, so the queries come from the source. Which sequence asks in this attention, and which one "
    "answers?",
    hint="Your cross-attention takes its queries from the source. Take the queries from the target, keys and values "
    "from the memory.",
)

mistake(
    "transformer.DecoderLayer",
    "keys-from-target",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, y, memory, src_mask)"),
    section="tf-decoder-layer",
    why="Where source and target differ in length, you get an error. Where the lengths are equal, your "
    "cross-attention compares its queries with the target but returns content of the memory. You took the keys from "
    "another sequence than the values. From where should both come?",
    hint="Your cross-attention compares with the target but takes its values from the memory. Keys and values both "
    "come from the memory.",
)

mistake(
    "transformer.DecoderLayer",
    "memory-not-read",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, y, y, src_mask)"),
    section="tf-decoder-layer",
    why="The memory has no influence. You passed the target to the second attention three times, which makes it "
    "another self-attention. Which of the three arguments come from the memory?",
    hint="Your second attention attends to the target again, so the memory has no influence. Take its keys and values "
    "from `memory`.",
)

mistake(
    "transformer.DecoderLayer",
    "memory-asks-itself",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(memory, memory, memory, src_mask)"),
    section="tf-decoder-layer",
    why="Your cross-attention returns one row for each source position. You took queries, keys and values from the "
    "memory. Which of the three comes from the target?",
    hint="Your cross-attention takes its queries from the memory, too. Take them from the target.",
)

mistake(
    "transformer.DecoderLayer",
    "source-mask-for-both",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(y, y, y, src_mask)"),
    section="tf-decoder-layer",
    why="Your self-attention sees the future and hides the target positions at which the source has padding. You "
    "passed it the source's mask. Whose positions are its keys?",
    hint="Your self-attention gets `src_mask`. Its keys are target positions, so it needs `tgt_mask`.",
)

mistake(
    "transformer.DecoderLayer",
    "target-mask-for-both",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, memory, memory, tgt_mask)"),
    section="tf-decoder-layer",
    why="Where source and target are equally long, your cross-attention hides source positions by the target's mask: "
    "all after the query's own, and those at which the target has padding. You passed it the target's mask. Whose "
    "positions are the keys?",
    hint="Your cross-attention gets `tgt_mask`. Its keys are source positions, so it needs `src_mask`.",
)

mistake(
    "transformer.DecoderLayer",
    "source-mask-in-the-self-attention-only",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(y, y, y, src_mask)"),
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, memory, memory)"),
    section="tf-decoder-layer",
    why="Your self-attention follows the source's mask, and your cross-attention reads padding. You passed one mask "
    "to the wrong attention and left the other out. Whose positions are the keys of each attention?",
    hint="Your self-attention gets `src_mask`, and your cross-attention gets no mask. The self-attention needs "
    "`tgt_mask`, the cross-attention `src_mask`.",
)

mistake(
    "transformer.DecoderLayer",
    "no-masks",
    edit("self.self_attention(y, y, y, tgt_mask)", "self.self_attention(y, y, y)"),
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.cross_attention(y, memory, memory)"),
    section="tf-decoder-layer",
    why="The decoder sees the future and reads the padding of the source. You passed a mask to neither attention. "
    "Whose positions are the keys of each?",
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
    why="A target position knows nothing about the words written before it. You left out the self-attention. Which of "
    "the three sublayers comes first?",
    hint="Positions of the target do not see each other in your layer. Make a self-attention the first of its three "
    "sublayers.",
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
    why="The feed-forward network has no influence, so nothing is computed from what the attentions found. You return "
    "too early. Which of the three sublayers is last?",
    hint="The feed-forward network has no influence on your result. Put it into the third connection.",
)

mistake(
    "transformer.DecoderLayer",
    "self-attention-result-thrown-away",
    edit("x = self.connections[0](", "y = self.connections[0]("),
    section="tf-decoder-layer",
    why="Positions of the target do not see each other. You passed the second connection the input of the layer, and "
    "the result of the self-attention is lost. Which tensor should this connection read?",
    hint="Your self-attention has no influence on the result. The second connection should read what the first one "
    "returned.",
)

mistake(
    "transformer.DecoderLayer",
    "cross-attention-result-thrown-away",
    edit("x = self.connections[1](", "y = self.connections[1]("),
    section="tf-decoder-layer",
    why="The memory has no influence. You passed the third connection what the first one returned, and the result of "
    "the cross-attention is lost. Which tensor should this connection read?",
    hint="Your cross-attention has no influence on the result. The third connection should read what the second one "
    "returned.",
)

mistake(
    "transformer.DecoderLayer",
    "one-attention-called-twice",
    edit("self.cross_attention(y, memory, memory, src_mask)", "self.self_attention(y, memory, memory, src_mask)"),
    section="tf-sharing",
    why="One of your attentions never learns. You built two attentions and call the same one twice, although each has "
    "its own task. Which of them reads the memory?",
    hint="Your layer calls one attention twice and the other one never. Use one for the target and the other for the "
    "memory.",
)

mistake(
    "transformer.DecoderLayer",
    "first-connection-used-twice",
    edit("x = self.connections[1](", "x = self.connections[0]("),
    section="tf-sharing",
    why="One norm never learns, and two sublayers share another. You put both attentions through the first connection. "
    "Which connection belongs to the cross-attention?",
    hint="Two of your sublayers use the same connection, so one norm is never used. Use a separate connection for each "
    "of the three sublayers.",
)

mistake(
    "transformer.DecoderLayer",
    "second-connection-used-twice",
    edit("self.connections[2](x, self.feed_forward)", "self.connections[1](x, self.feed_forward)"),
    section="tf-sharing",
    why="The third norm never learns. You put the last two sublayers through the same connection. Which connection "
    "belongs to the feed-forward network?",
    hint="Two of your sublayers use the same connection, so one norm is never used. Use a separate connection for each "
    "of the three sublayers.",
)

mistake(
    "transformer.DecoderLayer",
    "result-in-place-of-a-function",
    edit("lambda y: self.self_attention(y, y, y, tgt_mask)", "self.self_attention(x, x, x, tgt_mask)"),
    section="tf-decoder-layer",
    why="The connection raises an error when it calls what you gave it. You passed the result of the attention, "
    "which was computed before the norm. What kind of argument can the connection call later?",
    hint="You pass a tensor to the connection, but it needs a function. Put the call of the attention into a function "
    "of one argument.",
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
    why="Your layer has a single norm, which all three sublayers share. You made one connection for all of them. How "
    "many gains and biases do three sublayers need?",
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
    why="The norms are missing from `parameters()`, so they are neither trained nor saved. You keep the connections in "
    "a Python list, which PyTorch does not search. Which container does it search?",
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
    why="Your attentions have a single head, which neither shapes nor counts of parameters show. You ignored "
    "`num_heads`. Which constructors need it?",
    hint="Your attentions do not have `num_heads` heads. Pass the number to `MultiHeadAttention`.",
)

mistake(
    "transformer.DecoderLayer",
    "post-norm-by-default",
    edit('dropout=0.1, norm="pre"):', 'dropout=0.1, norm="post"):'),
    section="tf-norms",
    why="Without the argument `norm`, your layer is post-norm. You chose this default, but this course's layers are "
    "pre-norm unless the caller chooses otherwise. Which default does the task give?",
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
    why='`norm="pre"` gives the post-norm result, and the other way round. You exchanged the two styles. On which '
    "side of the sublayer is the norm in a pre-norm layer?",
    hint='Your layer gives the post-norm result for `norm="pre"`. In the pre-norm layer the norm comes before the '
    "sublayer, and the shortcut goes around both.",
)

mistake(
    "transformer.DecoderLayer",
    "extra-norm-at-the-end",
    edit(
        "self.connections[2](x, self.feed_forward)",
        "F.layer_norm(self.connections[2](x, self.feed_forward), x.shape[-1:])",
    ),
    section="tf-stacks",
    why="Your pre-norm layer returns a normalised vector instead of the plain sum. You normalise the layer's result, "
    "but a pre-norm stack has a single final norm. Which module owns it?",
    hint="Your pre-norm layer normalises its result. Leave out this norm: the final one belongs to the stack.",
)

mistake(
    "transformer.DecoderLayer",
    "dropout-not-in-self-attention",
    edit(
        "self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)",
        "self.self_attention = MultiHeadAttention(d_model, num_heads)",
    ),
    section="tf-decoder-layer",
    why="In training, the self-attention drops none of its weights. You did not pass the dropout to it, and its own "
    "default is 0. Which constructor needs it?",
    hint="While training, your self-attention drops none of its weights. Pass `dropout` to both attentions.",
)

mistake(
    "transformer.DecoderLayer",
    "hidden-dropout-by-default",
    edit("FeedForward(d_model, d_ff, dropout)", "FeedForward(d_model, d_ff)"),
    section="tf-decoder-layer",
    why="Hidden units are dropped with another probability than the layer's. You did not pass the dropout to the "
    "feed-forward network, which uses its default of 0.1. Which constructor needs it?",
    hint="Your hidden units are dropped with another probability than the layer's. Pass `dropout` to the feed-forward "
    "network.",
)

mistake(
    "transformer.DecoderLayer",
    "dropout-not-passed-on",
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, norm=norm)"),
    section="tf-decoder-layer",
    why="A model that is built without dropout still drops. You did not pass the dropout to the connections, which use "
    "their default of 0.1. Which constructor needs it?",
    hint="Your connections drop with another probability than the layer. Pass `dropout` to them.",
)

mistake(
    "transformer.DecoderLayer",
    "no-dropout-by-default",
    edit('dropout=0.1, norm="pre"):', 'dropout=0.0, norm="pre"):'),
    section="tf-decoder-layer",
    why="Without the argument `dropout`, your layer drops nothing in training. You chose a default of 0, but the paper "
    "uses another value. Which default does the task give?",
    hint="Without the argument `dropout` your layer drops nothing while training. Its default is 0.1.",
)

mistake(
    "transformer.DecoderLayer",
    "nothing-dropped-after-the-sublayers",
    edit("SublayerConnection(d_model, dropout, norm)", "SublayerConnection(d_model, 0.0, norm)"),
    section="tf-decoder-layer",
    why="In training, what your sublayers return is never dropped. You switched off the dropout of the connections. "
    "In which three places does a layer drop?",
    hint="While training, what your sublayers return is not dropped. Pass `dropout` to all three connections.",
)

mistake(
    "transformer.DecoderLayer",
    "all-shortcuts-from-the-input",
    edit(
        """
        x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))
        x = self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))
        return self.connections[2](x, self.feed_forward)
        """,
        """
        first, (one, two, three) = x, self.connections
        steps = (
            (one, lambda y: self.self_attention(y, y, y, tgt_mask)),
            (two, lambda y: self.cross_attention(y, memory, memory, src_mask)),
            (three, self.feed_forward),
        )
        for connection, step in steps:
            if connection.norm == "pre":
                x = first + connection.dropout(step(connection.norm_layer(x)))
            else:
                x = connection.norm_layer(first + connection.dropout(step(x)))
        return x
        """,
    ),
    section="tf-decoder-layer",
    why="The outputs of the two attention sublayers reach your result only through the feed-forward network. You "
    "added each sublayer's output to the input of the whole layer. To which tensor does a residual connection add the "
    "output of its sublayer?",
    hint="All your shortcuts begin at the input of the layer. Each shortcut should begin at the input of its own "
    "sublayer.",
)

mistake(
    "transformer.DecoderLayer",
    "feed-forward-without-relu",
    edit(
        "FeedForward(d_model, d_ff, dropout)",
        "nn.Sequential(nn.Linear(d_model, d_ff), nn.Dropout(dropout), nn.Linear(d_ff, d_model))",
    ),
    section="tf-decoder-layer",
    why="Your feed-forward network is linear. You put nothing but dropout between its two layers, and two linear maps "
    "in a row are one. What makes the network nonlinear?",
    hint="Your feed-forward network is linear: put a ReLU between its two layers.",
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
    why="A source that is all padding gives NaN, which spoils the whole batch. You set all scores of its rows to minus "
    "infinity, and their softmax is 0/0. What should the weights of such a row be?",
    hint="Your layer returns NaN where a source is all padding. Give a query that may attend to nothing weights of 0, "
    "so that its attention returns the bias of the last projection.",
)


# ---------------------------------------------------------------------------------------------------------------------
# Encoder


mistake(
    "transformer.Encoder",
    "no-last-norm",
    edit("self.last_norm(x)", "x"),
    section="tf-stacks",
    why="What leaves your pre-norm stack grows with every layer, because nothing bounds the sum of all sublayers. You "
    "left out the norm after the last layer. Where in `forward` does it belong?",
    hint="Your pre-norm stack returns what its last layer returned. Apply one more norm after the last layer.",
)

mistake(
    "transformer.Encoder",
    "no-last-norm-variant-2",
    edit('self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()', ""),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="What leaves your pre-norm stack grows with every layer, because nothing bounds the sum of all sublayers. You "
    "gave the stack no final norm at all. After which step is one needed?",
    hint="Your pre-norm stack returns what its last layer returned. Apply one more norm after the last layer.",
)

mistake(
    "transformer.Encoder",
    "last-norm-with-post",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()\nself.last_norm = LayerNorm(d_model)',
    ),
    section="tf-stacks",
    why="A post-norm stack normalises its output twice. You added a final norm, but each of its layers already ends "
    "in one. For which style is a final norm needed?",
    hint="Your post-norm stack has one norm too many, since each of its layers already ends in one. Leave it out.",
)

mistake(
    "transformer.Encoder",
    "norm-first-instead-of-last",
    edit("self.last_norm(x)", "x"),
    edit("for layer in self.layers:", "x = self.last_norm(x)\nfor layer in self.layers:"),
    section="tf-stacks",
    why="Your stack returns vectors that are not normalised. You put its norm before the layers, although each "
    "pre-norm sublayer normalises its own input. Where is a norm missing?",
    hint="Your stack normalises its input instead of its output. Put the norm after the last layer.",
)

mistake(
    "transformer.Encoder",
    "norm-after-every-layer",
    edit("layer(x, mask)", "self.last_norm(layer(x, mask))"),
    edit("self.last_norm(x)", "x"),
    section="tf-stacks",
    why="The shortcut is interrupted after every layer. You applied the final norm inside the loop. How often is it "
    "needed?",
    hint="Your stack normalises after every layer. Apply the norm once, after the loop.",
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
    why="Your stack has the parameters of a single layer. You put one object into the list several times. How do you "
    "make separate layers?",
    hint="All layers of your stack are one object. Make a new layer for each position, or a deep copy of each.",
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
    why="Your layers are different objects, but they share every parameter. You used `copy.copy`, which copies the "
    "outer object but not the parameters in it. Which copy includes the parameters?",
    hint="Your layers are different objects with the same parameters: `copy.copy` does not copy what is inside. Make "
    "deep copies, or a new layer each time.",
)

mistake(
    "transformer.Encoder",
    "mask-for-the-first-layer-only",
    edit("x = layer(x, mask)", "x = layer(x, mask)\nmask = None"),
    section="tf-stacks",
    why="From the second layer on, padding mixes with real tokens. You passed the mask to the first layer only. Which "
    "layers need it?",
    hint="Your later layers read padding. Pass the mask to every layer.",
)

mistake(
    "transformer.Encoder",
    "mask-forgotten",
    edit("layer(x, mask)", "layer(x)"),
    section="tf-stacks",
    why="The mask has no influence, so padding mixes into every shorter sentence. You did not pass it to the layers. "
    "In which call is it missing?",
    hint="The mask has no influence in your encoder. Pass it to every layer.",
)

mistake(
    "transformer.Encoder",
    "every-layer-reads-the-input",
    edit("x = layer(x, mask)", "out = layer(x, mask)"),
    edit("self.last_norm(x)", "self.last_norm(out)"),
    section="tf-stacks",
    why="Only your last layer has an effect. You passed the input of the stack to every layer, and the other results "
    "are lost. What should each layer read?",
    hint="Only your last layer matters: each layer should read what the layer before it returned.",
)


@mistake(
    "transformer.Encoder",
    "one-layer-too-few",
    section="tf-stacks",
    why="Your encoder has one layer too few. You started at 1, and Python leaves out the end, so a range from 1 to n "
    "has n - 1 numbers. Which range has `num_layers` numbers?",
    hint="Your encoder has too few layers. A range that starts at 0 and ends before n has n numbers.",
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
    why="The layers are missing from `parameters()`, so they are neither trained nor saved. You keep the layers in a "
    "Python list, which PyTorch does not search. Which container does it search?",
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
    why='With `norm="post"` your layers are still pre-norm, and the stack ends without any norm. You did not pass '
    "the argument to the layers. Which constructor needs it?",
    hint='The layers of your encoder are pre-norm for `norm="post"` too. Pass `norm` to each layer.',
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
    why="A model that is built without dropout still drops in training. You did not pass the dropout to the layers, "
    "which use their default of 0.1. Which constructor needs it?",
    hint="The layers of your encoder drop with another probability than the caller's. Pass `dropout` to each layer.",
)

mistake(
    "transformer.Encoder",
    "returns-after-the-first-layer",
    edit("x = layer(x, mask)", "return self.last_norm(layer(x, mask))"),
    section="tf-stacks",
    why="Only your first layer runs, and the others have no influence. You return inside the loop. When is the result "
    "complete?",
    hint="Only your first layer runs: the `return` is inside the loop. Move it after the loop.",
)

mistake(
    "transformer.Encoder",
    "shortcut-around-the-layers",
    edit("x = layer(x, mask)", "x = x + layer(x, mask)"),
    section="tf-stacks",
    why="The input of every layer counts twice. You add it to what the layer returns, but a layer contains its own "
    "shortcuts. What should be passed to the next layer?",
    hint="Your stack adds `x` to what a layer returns. A layer contains its own shortcuts: pass its result as it is.",
)

mistake(
    "transformer.Encoder",
    "layers-backwards",
    edit("in self.layers:", "in reversed(self.layers):"),
    edit("x = layer(x, mask)", "x = self.last_norm(layer(x, mask)) if layer is self.layers[-1] else layer(x, mask)"),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="Your stack normalises at its bottom instead of its top. You run the layers from the last to the first, and "
    "the norm still follows the layer that was built last. In which order should the layers run?",
    hint="Your stack normalises after its first layer and not after its last one. Run the layers in order, then the "
    "norm.",
)

mistake(
    "transformer.Encoder",
    "mask-inverted",
    edit("layer(x, mask)", "layer(x, None if mask is None else ~mask)"),
    section="tf-stacks",
    why="Your layers read exactly what the mask hides. You inverted the mask before passing it. What does True mean in "
    "this course's masks?",
    hint='Your layers read exactly what the mask hides. Pass the mask as it is: `True` means "may attend" everywhere '
    "in this course.",
)

mistake(
    "transformer.Encoder",
    "last-norm-the-wrong-way-round",
    edit('if norm == "pre" else', 'if norm == "post" else'),
    section="tf-stacks",
    why='Your stack has its final norm with `norm="post"` and lacks it with `norm="pre"`. You exchanged the two '
    "styles, but post-norm layers already end in a norm. Which style needs one more?",
    hint='Your stack has its final norm for `norm="post"` and lacks it for `norm="pre"`. Exchange the two cases.',
)

mistake(
    "transformer.Encoder",
    "norm-first-and-last",
    edit("for layer in self.layers:", "x = self.last_norm(x)\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The shortcut does not start from the embeddings. You also normalised the input of the stack, although each "
    "pre-norm sublayer normalises its own. Where is the only norm of the stack?",
    hint="Your stack also normalises its input. Apply its norm only after the last layer.",
)

mistake(
    "transformer.Encoder",
    "two-last-norms",
    edit("return self.last_norm(x)", "return F.layer_norm(self.last_norm(x), x.shape[-1:])"),
    section="tf-stacks",
    why="Part of what the final gain and bias learn has no effect. You normalised the output twice, and the second "
    "norm undoes some of the first. How many norms does a stack need at its end?",
    hint="Your stack normalises its output twice. One norm after the last layer is enough.",
)


@mistake(
    "transformer.Encoder",
    "one-layer-too-many",
    section="tf-stacks",
    why="Your encoder has one layer too many. You added 1, and a range up to n + 1 has n + 1 numbers. Which range has "
    "`num_layers` numbers?",
    hint="Your encoder has too many layers. A range that starts at 0 and ends before n has n numbers.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers + 1, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Encoder",
    "six-layers",
    section="tf-stacks",
    why="Your encoder has six layers whatever `num_layers` says. You hard-coded the paper's number. Where should the "
    "argument go?",
    hint="Your encoder does not have `num_layers` layers, but always six. Use the argument.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(6, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Encoder",
    "two-layers",
    section="tf-stacks",
    why="Your encoder has two layers whatever `num_layers` says. You hard-coded the number. Where should the argument "
    "go?",
    hint="Your encoder does not have `num_layers` layers, but always two. Use the argument.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(2, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Encoder",
    "one-head",
    section="tf-stacks",
    why="Your layers have a single head, which neither shapes nor counts of parameters show. You ignored `num_heads`. "
    "Which constructor needs it?",
    hint="The attentions of your encoder do not have `num_heads` heads. Pass the number to each layer.",
)
class Encoder(RightEncoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers, d_model, 1, d_ff, dropout, norm)


mistake(
    "transformer.Encoder",
    "output-dropped",
    edit("return self.last_norm(x)", "return F.dropout(self.last_norm(x), 0.1, self.training)"),
    section="tf-stacks",
    why="In training, parts of your encoder's output are dropped. You added a dropout after the final norm. Which "
    "modules of a stack contain all its dropout?",
    hint="While training, your encoder drops parts of its output. Leave dropout to the layers.",
)


# ---------------------------------------------------------------------------------------------------------------------
# Decoder


mistake(
    "transformer.Decoder",
    "no-last-norm",
    edit("self.last_norm(x)", "x"),
    section="tf-stacks",
    why="The generator gets sums of any magnitude, because nothing bounds what leaves your pre-norm stack. You left out the "
    "norm after the last layer. Where in `forward` does it belong?",
    hint="Your pre-norm decoder returns what its last layer returned. Apply one more norm after the last layer.",
)

mistake(
    "transformer.Decoder",
    "no-last-norm-variant-2",
    edit('self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()', ""),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="The generator gets sums of any magnitude, because nothing bounds what leaves your pre-norm stack. You gave the "
    "stack no final norm at all. After which step is one needed?",
    hint="Your pre-norm decoder returns what its last layer returned. Apply one more norm after the last layer.",
)

mistake(
    "transformer.Decoder",
    "last-norm-with-post",
    edit(
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()',
        'self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()\nself.last_norm = LayerNorm(d_model)',
    ),
    section="tf-stacks",
    why="A post-norm stack normalises its output twice. You added a final norm, but each of its layers already ends "
    "in one. For which style is a final norm needed?",
    hint="Your post-norm decoder has one norm too many, since each of its layers already ends in one. Leave it out.",
)

mistake(
    "transformer.Decoder",
    "memory-from-layer-to-layer",
    edit(
        "x = layer(x, memory, src_mask, tgt_mask)",
        "x = layer(x, memory, src_mask, tgt_mask)\nmemory, src_mask = x, tgt_mask",
    ),
    section="tf-stacks",
    why="Only your first layer reads the encoder's memory. You passed each layer's result to the next one as its "
    "memory. Which memory do all layers of a decoder read?",
    hint="Only your first layer reads the encoder's memory. Pass the same memory to all layers.",
)

mistake(
    "transformer.Decoder",
    "masks-swapped",
    edit("for layer in self.layers:", "src_mask, tgt_mask = tgt_mask, src_mask\nfor layer in self.layers:"),
    section="tf-stacks",
    why="Positions are hidden by the wrong sentence's mask, and no error appears while the shapes fit. You exchanged "
    "the two masks. How can you pass them so that their order does not matter?",
    hint="Your decoder passes `tgt_mask` where its layers expect `src_mask`. Pass the masks in order, or better by "
    "name.",
)

mistake(
    "transformer.Decoder",
    "no-source-mask",
    edit("for layer in self.layers:", "src_mask = None\nfor layer in self.layers:"),
    section="tf-stacks",
    why="Your decoder reads the padding of the source. You did not pass the source's mask to the layers. Which "
    "layers need it?",
    hint="`src_mask` has no influence in your decoder. Pass it to every layer.",
)

mistake(
    "transformer.Decoder",
    "no-target-mask",
    edit("for layer in self.layers:", "tgt_mask = None\nfor layer in self.layers:"),
    section="tf-stacks",
    why="Your decoder sees the word that it has to predict. You did not pass the target's mask to the layers. Which "
    "layers need it?",
    hint="`tgt_mask` has no influence in your decoder, so it sees the future. Pass it to every layer.",
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
    why="Your stack has the parameters of a single layer. You put one object into the list several times. How do you "
    "make separate layers?",
    hint="All layers of your decoder are one object. Make a new layer for each position, or a deep copy of each.",
)

mistake(
    "transformer.Decoder",
    "every-layer-reads-the-input",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "out = layer(x, memory, src_mask, tgt_mask)"),
    edit("self.last_norm(x)", "self.last_norm(out)"),
    section="tf-stacks",
    why="Only your last layer has an effect. You passed the input of the stack to every layer, and the other results "
    "are lost. What should each layer read?",
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
    why='With `norm="post"` your layers are still pre-norm, and the stack ends without any norm. You did not pass '
    "the argument to the layers. Which constructor needs it?",
    hint='The layers of your decoder are pre-norm for `norm="post"` too. Pass `norm` to each layer.',
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
    why="A model that is built without dropout still drops in training. You did not pass the dropout to the layers, "
    "which use their default of 0.1. Which constructor needs it?",
    hint="The layers of your decoder drop with another probability than the caller's. Pass `dropout` to each layer.",
)

mistake(
    "transformer.Decoder",
    "memory-overwritten",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "memory = x = layer(x, memory, src_mask, tgt_mask)"),
    section="tf-stacks",
    why="From the second layer on, your decoder attends to the target twice. You overwrote the memory with the first "
    "layer's result. Which memory do all layers of a decoder read?",
    hint="Only your first layer reads the encoder's memory. Keep the memory under its own name, so that all layers "
    "read it.",
)

mistake(
    "transformer.Decoder",
    "memory-normalised",
    edit("for layer in self.layers:", "memory = self.last_norm(memory)\nfor layer in self.layers:"),
    section="tf-decoder-layer",
    why="Your layers read a changed memory. You applied the decoder's final norm to it, but the encoder has a final "
    "norm of its own. Which tensor should the decoder's norm read?",
    hint="Your decoder changes the memory before its layers read it. Pass it as the encoder returned it.",
)

mistake(
    "transformer.Decoder",
    "memory-detached-in-the-decoder",
    edit("for layer in self.layers:", "memory = memory.detach()\nfor layer in self.layers:"),
    section="tf-stacks",
    why="Your output is right, but the encoder never learns. You detached the memory, so no gradient reaches it. How "
    "should the memory be passed on?",
    hint="Your decoder's output has no gradient for the memory, so the encoder cannot learn. Pass the memory as it is, "
    "without `detach`.",
)

mistake(
    "transformer.Decoder",
    "returns-after-the-first-layer",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "return self.last_norm(layer(x, memory, src_mask, tgt_mask))"),
    section="tf-stacks",
    why="Only your first layer runs, and the others have no influence. You return inside the loop. When is the result "
    "complete?",
    hint="Only your first layer runs: the `return` is inside the loop. Move it after the loop.",
)

mistake(
    "transformer.Decoder",
    "shortcut-around-the-layers",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "x = x + layer(x, memory, src_mask, tgt_mask)"),
    section="tf-stacks",
    why="The input of every layer counts twice. You add it to what the layer returns, but a layer contains its own "
    "shortcuts. What should be passed to the next layer?",
    hint="Your stack adds `x` to what a layer returns. A layer contains its own shortcuts: pass its result as it is.",
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
    why="Your stack normalises at its bottom instead of its top. You run the layers from the last to the first, and "
    "the norm still follows the layer that was built last. In which order should the layers run?",
    hint="Your stack normalises after its first layer and not after its last one. Run the layers in order, then the "
    "norm.",
)

mistake(
    "transformer.Decoder",
    "last-norm-the-wrong-way-round",
    edit('if norm == "pre" else', 'if norm == "post" else'),
    section="tf-stacks",
    why='Your stack has its final norm with `norm="post"` and lacks it with `norm="pre"`. You exchanged the two '
    "styles, but post-norm layers already end in a norm. Which style needs one more?",
    hint='Your stack has its final norm for `norm="post"` and lacks it for `norm="pre"`. Exchange the two cases.',
)

mistake(
    "transformer.Decoder",
    "norm-first-and-last",
    edit("for layer in self.layers:", "x = self.last_norm(x)\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The shortcut does not start from the embeddings. You also normalised the input of the stack, although each "
    "pre-norm sublayer normalises its own. Where is the only norm of the stack?",
    hint="Your stack also normalises its input. Apply its norm only after the last layer.",
)

mistake(
    "transformer.Decoder",
    "two-last-norms",
    edit("return self.last_norm(x)", "return F.layer_norm(self.last_norm(x), x.shape[-1:])"),
    section="tf-stacks",
    why="Part of what the final gain and bias learn has no effect. You normalised the output twice, and the second "
    "norm undoes some of the first. How many norms does a stack need at its end?",
    hint="Your stack normalises its output twice. One norm after the last layer is enough.",
)


@mistake(
    "transformer.Decoder",
    "one-layer-too-many",
    section="tf-stacks",
    why="Your decoder has one layer too many. You added 1, and a range up to n + 1 has n + 1 numbers. Which range has "
    "`num_layers` numbers?",
    hint="Your decoder has too many layers. A range that starts at 0 and ends before n has n numbers.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers + 1, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Decoder",
    "six-layers",
    section="tf-stacks",
    why="Your decoder has six layers whatever `num_layers` says. You hard-coded the paper's number. Where should the "
    "argument go?",
    hint="Your decoder does not have `num_layers` layers, but always six. Use the argument.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(6, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Decoder",
    "two-layers",
    section="tf-stacks",
    why="Your decoder has two layers whatever `num_layers` says. You hard-coded the number. Where should the argument "
    "go?",
    hint="Your decoder does not have `num_layers` layers, but always two. Use the argument.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(2, d_model, num_heads, d_ff, dropout, norm)


@mistake(
    "transformer.Decoder",
    "one-head",
    section="tf-stacks",
    why="Your layers have a single head, which neither shapes nor counts of parameters show. You ignored `num_heads`. "
    "Which constructor needs it?",
    hint="The attentions of your decoder do not have `num_heads` heads. Pass the number to each layer.",
)
class Decoder(RightDecoder):
    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__(num_layers, d_model, 1, d_ff, dropout, norm)


mistake(
    "transformer.Decoder",
    "output-dropped",
    edit("return self.last_norm(x)", "return F.dropout(self.last_norm(x), 0.1, self.training)"),
    section="tf-stacks",
    why="In training, parts of your decoder's output are dropped. You added a dropout after the final norm. Which "
    "modules of a stack contain all its dropout?",
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
    why="Your layers read exactly what the masks hide. You inverted the masks before passing them. What does True mean "
    "in this course's masks?",
    hint='Your layers read exactly what the masks hide. Pass the masks as they are: `True` means "may attend" '
    "everywhere in this course.",
)

mistake(
    "transformer.Decoder",
    "memory-not-handed-on",
    edit("layer(x, memory, src_mask, tgt_mask)", "layer(x, x, src_mask, tgt_mask)"),
    section="tf-stacks",
    why="Your decoder never looks at the source. You passed the target to the layers as their memory. Which tensor "
    "should be the second argument?",
    hint="The memory has no influence in your decoder: its layers get `x` twice. Pass `memory` as the second argument.",
)

mistake(
    "transformer.Decoder",
    "memory-and-target-exchanged",
    edit("x = layer(x, memory, src_mask, tgt_mask)", "x = layer(memory, x, src_mask, tgt_mask)"),
    section="tf-stacks",
    why="Your layers transform the source and attend to the target. You exchanged the two arguments. Which tensor "
    "does a decoder layer transform?",
    hint="Your decoder passes `memory` and `x` to its layers in the wrong order. Pass first what the layer transforms.",
)

mistake(
    "transformer.Decoder",
    "starts-from-the-memory",
    edit("for layer in self.layers:", "x = memory\nfor layer in self.layers:"),
    section="tf-stacks",
    why="The target has no influence, and your output has one row for each source position. You started the stack "
    "from the memory. Which tensor should the first layer read?",
    hint="The target has no influence in your decoder. Pass `x` to the first layer, and `memory` as second argument to "
    "every layer.",
)

mistake(
    "transformer.Decoder",
    "source-mask-for-both",
    edit("for layer in self.layers:", "tgt_mask = src_mask\nfor layer in self.layers:"),
    section="tf-stacks",
    why="Your decoder sees the future and hides the target positions at which the source has padding. You passed the "
    "source's mask twice. Which mask do the layers lack?",
    hint="Your layers get `src_mask` where they expect `tgt_mask`. Pass both masks, best by name.",
)

mistake(
    "transformer.Decoder",
    "target-mask-for-both",
    edit("for layer in self.layers:", "src_mask = tgt_mask\nfor layer in self.layers:"),
    section="tf-stacks",
    why="Where source and target are equally long, your decoder hides source positions by the target's mask: all after "
    "the query's own, and those at which the target has padding. You passed the target's mask twice. Which mask do the "
    "layers lack?",
    hint="Your layers get `tgt_mask` where they expect `src_mask`. Pass both masks, best by name.",
)

mistake(
    "transformer.Decoder",
    "no-masks",
    edit("layer(x, memory, src_mask, tgt_mask)", "layer(x, memory)"),
    section="tf-stacks",
    why="Your decoder sees the future and reads the padding of the source. You passed neither mask to the layers. "
    "Which layers need them?",
    hint="Neither of your masks has an influence in your decoder. Pass both to every layer.",
)

mistake(
    "transformer.Decoder",
    "masks-for-the-first-layer-only",
    edit(
        "x = layer(x, memory, src_mask, tgt_mask)",
        "x = layer(x, memory, src_mask, tgt_mask)\nsrc_mask = tgt_mask = None",
    ),
    section="tf-stacks",
    why="From the second layer on, padding and the future are visible. You passed the masks to the first layer only. "
    "Which layers need them?",
    hint="Your later layers see padding and the future. Pass both masks to every layer.",
)

mistake(
    "transformer.Decoder",
    "norm-first-instead-of-last",
    edit("self.last_norm(x)", "x"),
    edit("for layer in self.layers:", "x = self.last_norm(x)\nfor layer in self.layers:"),
    section="tf-stacks",
    why="Your stack returns vectors that are not normalised. You put its norm before the layers, although each "
    "pre-norm sublayer normalises its own input. Where is a norm missing?",
    hint="Your stack normalises its input instead of its output. Put the norm after the last layer.",
)

mistake(
    "transformer.Decoder",
    "norm-after-every-layer",
    edit("layer(x, memory, src_mask, tgt_mask)", "self.last_norm(layer(x, memory, src_mask, tgt_mask))"),
    edit("return self.last_norm(x)", "return x"),
    section="tf-stacks",
    why="The shortcut is interrupted after every layer. You applied the final norm inside the loop. How often is it "
    "needed?",
    hint="Your stack normalises after every layer. Apply the norm once, after the loop.",
)

mistake(
    "transformer.Decoder",
    "layers-in-a-plain-list",
    edit(
        "nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers))",
        "[DecoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers)]",
    ),
    section="tf-sharing",
    why="The layers are missing from `parameters()`, so they are neither trained nor saved. You keep the layers in a "
    "Python list, which PyTorch does not search. Which container does it search?",
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
    why="Your layers are different objects, but they share every parameter. You used `copy.copy`, which copies the "
    "outer object but not the parameters in it. Which copy includes the parameters?",
    hint="Your layers are different objects with the same parameters: `copy.copy` does not copy what is inside. Make "
    "deep copies, or a new layer each time.",
)


@mistake(
    "transformer.Decoder",
    "one-layer-too-few",
    section="tf-stacks",
    why="Your decoder has one layer too few. You started at 1, and Python leaves out the end, so a range from 1 to n "
    "has n - 1 numbers. Which range has `num_layers` numbers?",
    hint="Your decoder has too few layers. A range that starts at 0 and ends before n has n numbers.",
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
    why="The losses of this course return meaningless numbers. They expect log-probabilities, but you returned "
    "probabilities. Which step is missing?",
    hint="Your values are probabilities. Return their logarithms, computed in one stable step.",
)

mistake(
    "transformer.Generator",
    "logits",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x)"),
    section="tf-generator",
    why="The exponentials of your rows do not sum to 1. You returned the logits, which differ from log-probabilities "
    "by a constant in each row. Which step removes this constant?",
    hint="The exponentials of your rows do not sum to 1. Apply a `log_softmax` after the projection.",
)

mistake(
    "transformer.Generator",
    "cut-from-the-graph",
    edit("self.proj(x)", "self.proj(x.detach())"),
    section="tf-generator",
    why="Your values are right, but nothing below the generator learns. You detached the input, so only the projection "
    "gets a gradient. Which input keeps the graph whole?",
    hint="Your values are right, but there is no gradient for the input. Leave out `detach`, `.data` and `no_grad`.",
)

mistake(
    "transformer.Generator",
    "log-of-softmax",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x).softmax(dim=-1).log()"),
    section="tf-generator",
    why="For large logits your values are -inf. You took the logarithm after the softmax, where a probability too "
    "small for its type is already 0. How can the logarithm be computed without forming the probability?",
    hint="For large logits your values are -inf. Take the logarithm and the softmax in one step, with `log_softmax`.",
)

mistake(
    "transformer.Generator",
    "normalised-over-positions",
    edit("dim=-1", "dim=-2 if x.dim() > 1 else -1"),
    section="tf-generator",
    why="At one position, the probabilities of all words do not sum to 1. You took the softmax over the positions. "
    "Which axis holds the vocabulary?",
    hint="Your probabilities sum to 1 along the wrong axis. The words of the vocabulary are on the last axis.",
)

mistake(
    "transformer.Generator",
    "axis-one",
    edit("dim=-1", "dim=min(1, x.dim() - 1)"),
    section="tf-generator",
    why="Your softmax is right for two axes and wrong for a batch. You used axis 1, which then holds the positions. "
    "From which end can the vocabulary's axis be counted?",
    hint="Your softmax runs over axis 1. Count the axis from the end, which is right for any number of leading axes.",
)

mistake(
    "transformer.Generator",
    "no-bias",
    edit(
        "self.proj = nn.Linear(d_model, vocab_size)",
        "self.proj = nn.Linear(d_model, vocab_size)\nself.proj = nn.Linear(d_model, vocab_size, bias=False)",
    ),
    section="tf-generator",
    why="Checkpoints do not fit your generator. You built the projection without a bias, but a bias lets a model "
    "learn how frequent each word is. What is the default of `nn.Linear`?",
    hint="Your `proj` has no bias. Leave that argument of `nn.Linear` at its default.",
)

mistake(
    "transformer.Generator",
    "last-position-only",
    edit("self.proj(x)", "self.proj(x[:, -1] if x.dim() > 2 else x)"),
    section="tf-generator",
    why="Your result has lost the axis of the positions. You projected only the last position, which is enough to "
    "generate but not to train. For which positions does training need a prediction?",
    hint="Your result has lost the axis of the positions. Project all positions: code that generates picks the last "
    "position itself.",
)

mistake(
    "transformer.Generator",
    "base-two",
    edit(
        "self.proj(x).log_softmax(dim=-1)",
        "self.proj(x).log_softmax(dim=-1) / torch.log(torch.tensor(2.0, dtype=x.dtype))",
    ),
    section="tf-generator",
    why="Your losses are multiplied by about 1.44, which is 1 / ln 2. You took logarithms to base 2. Which logarithm "
    "do the losses of this course use?",
    hint="Your logarithms are to base 2. Take the natural one.",
)

mistake(
    "transformer.Generator",
    "implicit-dim",
    edit("F.log_softmax(self.proj(x), dim=-1)", "F.log_softmax(self.proj(x))"),
    base="functional",
    section="tf-generator",
    why="With three axes your softmax runs over the batch. You named no axis, so PyTorch chose one. Which axis holds "
    "the vocabulary?",
    hint="Your softmax does not say along which axis it runs. Name the axis of the vocabulary, which is the last one.",
)

mistake(
    "transformer.Generator",
    "over-the-batch",
    edit("dim=-1", "dim=0"),
    section="tf-generator",
    why="Your probabilities sum to 1 over the batch. You took the softmax over axis 0. Which axis holds the "
    "vocabulary?",
    hint="Your probabilities sum to 1 over the batch. The words of the vocabulary are on the last axis.",
)

mistake(
    "transformer.Generator",
    "something-added-before-the-logarithm",
    edit("self.proj(x).log_softmax(dim=-1)", "(self.proj(x).softmax(dim=-1) + 1e-9).log()"),
    section="tf-generator",
    why="None of your log-probabilities is below about -20.7, and the gradient of rare words vanishes. You added a "
    "small number before the logarithm. Which form of the softmax needs no such guard?",
    hint="None of your log-probabilities is below about -20.7, because you add a small number before the logarithm. "
    "`log_softmax` needs no such guard.",
)

mistake(
    "transformer.Generator",
    "probabilities-raised-to-a-limit",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x).softmax(dim=-1).clamp(min=1e-9).log()"),
    section="tf-generator",
    why="None of your log-probabilities is below about -20.7, and words with smaller probabilities get no gradient. "
    "You replaced every probability below a limit by this limit before the logarithm. Which form of the softmax needs "
    "no such limit?",
    hint="None of your log-probabilities is below about -20.7, because you replace small probabilities by a limit. "
    "`log_softmax` needs no such limit.",
)

mistake(
    "transformer.Generator",
    "logarithm-without-the-maximum",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x) - self.proj(x).exp().sum(-1, keepdim=True).log()"),
    section="tf-generator",
    why="For large logits your values are not finite. You computed the sum of exponentials as the formula is "
    "written, and exp overflows. Which shift of a row leaves the result unchanged?",
    hint="For large logits your values are not finite. Subtract the maximum of each row first, or use `log_softmax` or "
    "`logsumexp`.",
)

mistake(
    "transformer.Generator",
    "most-likely-word",
    edit("self.proj(x).log_softmax(dim=-1)", "self.proj(x).argmax(dim=-1)"),
    section="tf-generator",
    why="Your generator returns ids. You took the likeliest word, but training and decoding need the log-probability "
    "of every word. How many numbers should a position give?",
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
    why="Your forward pass returns one number per word of the vocabulary. You called the generator in it, but "
    "training and decoding call it themselves. Which shape should `forward` return?",
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
    why="Without given masks, the decoder sees the future, and both stacks read padding. You left missing masks at "
    "None. From what can each mask be built?",
    hint="Without masks your model attends to everything. If a mask is not passed, build it from the ids.",
)

mistake(
    "transformer.Transformer",
    "default-target-mask-only-padding",
    edit(
        "src_mask = padding_mask(",
        "tgt_mask = padding_mask(tgt) if tgt_mask is None else tgt_mask\nsrc_mask = padding_mask(",
    ),
    section="tf-flow",
    why="Without a given mask, your decoder sees the future. You hide only padding in the default for the target. "
    "Which function of an earlier unit hides both?",
    hint="Without masks your decoder sees the future. Build the default for the target with `decoder_mask`.",
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
    why="Without a given mask, your decoder reads padding that stands before a word of the target. You hide only the "
    "future in the default. Which function of an earlier unit hides both?",
    hint="Without masks your decoder reads padding that stands before a word. `decoder_mask` combines both masks.",
)

mistake(
    "transformer.Transformer",
    "given-masks-ignored",
    edit("src_mask = padding_mask(", "src_mask, tgt_mask = None, None\nsrc_mask = padding_mask("),
    section="tf-flow",
    why="Masks that the caller passes have no influence. You always build your own from the ids. When is a default "
    "needed?",
    hint="Masks that the caller passes have no influence in your model. Build one only where the argument is `None`.",
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
    why="When only one mask is given, the other stays None. You build defaults only if both are missing. On which "
    "condition does each mask need its default?",
    hint="When only one mask is passed, your model leaves the other at `None`. Test each of them separately.",
)

mistake(
    "transformer.Transformer",
    "no-source-mask-when-decoding",
    edit("return self.decoder(", "src_mask = None\nreturn self.decoder("),
    section="tf-flow",
    why="The decoder reads rows of the memory that stand for padding. You passed the source's mask to the encoder "
    "alone. Which call lacks it?",
    hint="Your decoder reads the rows of the memory that stand for padding. Pass `src_mask` to the decoder, too.",
)

mistake(
    "transformer.Transformer",
    "masks-swapped-when-decoding",
    edit("return self.decoder(", "src_mask, tgt_mask = tgt_mask, src_mask\nreturn self.decoder("),
    section="tf-flow",
    why="The decoder hides source positions by the target's mask. In `decode` you passed the two masks in the wrong "
    "order. How can you pass them so that their order does not matter?",
    hint="Your `decode` swaps the two masks when it calls the decoder. Pass them by name.",
)

mistake(
    "transformer.Transformer",
    "source-not-masked-when-encoding",
    edit("return self.encoder(", "src_mask = None\nreturn self.encoder("),
    section="tf-flow",
    why="Padding mixes into every shorter sentence. You did not pass the mask from `encode` to the encoder. Which call "
    "lacks it?",
    hint="The mask has no influence in your `encode`. Pass it to the encoder.",
)

mistake(
    "transformer.Transformer",
    "source-table-for-the-target",
    edit("self.tgt_embed(tgt)", "self.src_embed(tgt)"),
    section="tf-flow",
    why="The target is embedded with the source's table, where the same id means another word. You used the wrong "
    "embedding in `decode`. Which of the two belongs to the target?",
    hint="Your target is embedded with the source's table. Use the target's own in `decode`.",
)

mistake(
    "transformer.Transformer",
    "memory-detached",
    edit("self.encode(src, src_mask)", "self.encode(src, src_mask).detach()"),
    section="tf-flow",
    why="The encoder never learns. You detached the memory, so no gradient of the loss reaches it. How should the "
    "memory be passed on?",
    hint="No gradient reaches your encoder. Pass the memory as it is, without `detach` and outside of `no_grad`.",
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
    why="A second source of the same shape gets the memory of the first. You stored the memory by shape. On what "
    "does a memory depend?",
    hint="A second source of the same shape gets the memory of the first. Compute the memory anew in every call: a "
    "caller who wants to keep it calls `encode` once.",
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
    why="`forward` works, but all other code that decodes passes a mask as memory. You gave the arguments of `decode` "
    "another order. Which order does the task give?",
    hint="Your `forward` works, but `decode` takes its arguments in another order than the task. The memory comes "
    "first, then its mask.",
)

mistake(
    "transformer.Transformer",
    "target-table-for-the-source",
    edit("self.src_embed(src)", "self.tgt_embed(src)"),
    section="tf-flow",
    why="The source is embedded with the target's table, where the same id means another word. You used the wrong "
    "embedding in `encode`. Which of the two belongs to the source?",
    hint="Your source is embedded with the target's table. Use the source's own in `encode`.",
)

mistake(
    "transformer.Transformer",
    "embeddings-exchanged",
    edit("self.src_embed = src_embed", "self.src_embed = tgt_embed"),
    edit("self.tgt_embed = tgt_embed", "self.tgt_embed = src_embed"),
    section="tf-flow",
    why="Source and target are embedded with each other's table. You stored the two embeddings in exchanged "
    "attributes. Which argument belongs to which attribute?",
    hint="Your source and target are embedded with each other's table. Compare arguments and attributes in `__init__`.",
)

mistake(
    "transformer.Transformer",
    "source-not-encoded",
    edit("self.decode(self.encode(src, src_mask), src_mask", "self.decode(self.src_embed(src), src_mask"),
    section="tf-flow",
    why="The encoder never runs. You passed the embedded source to the decoder as its memory. Which method makes a "
    "memory from the source?",
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
    why="The source has no influence, and the memory holds the words to predict. You passed the target to the encoder. "
    "Which tensor should the encoder read?",
    hint="Your encoder reads the target. It should read the source.",
)

mistake(
    "transformer.Transformer",
    "target-mask-for-both",
    edit("return self.decoder(", "src_mask = tgt_mask\nreturn self.decoder("),
    section="tf-flow",
    why="Where source and target are equally long, the decoder hides source positions by the target's mask: all after "
    "the query's own, and those at which the target has padding. In `decode` you passed the target's mask twice. Which "
    "mask does the decoder lack?",
    hint="Your decoder gets `tgt_mask` for both of its attentions. Pass `src_mask` for the cross-attention.",
)

mistake(
    "transformer.Transformer",
    "no-target-mask-when-decoding",
    edit("return self.decoder(", "tgt_mask = None\nreturn self.decoder("),
    section="tf-flow",
    why="The decoder sees the word that it has to predict. You did not pass the target's mask from `decode` to the "
    "decoder. Which call lacks it?",
    hint="`tgt_mask` has no influence in your `decode`, so the decoder sees the future. Pass it to the decoder.",
)

mistake(
    "transformer.Transformer",
    "default-masks-inverted",
    edit("padding_mask(src) if", "~padding_mask(src) if"),
    edit("decoder_mask(tgt) if", "~decoder_mask(tgt) if"),
    section="tf-flow",
    why="Without given masks, your model reads padding and the future, and nothing else. You inverted the default "
    "masks, as some layers of PyTorch need them. What does True mean in this course's masks?",
    hint='Without masks your model reads exactly what it should not. `True` means "may attend": use the masks as '
    "`padding_mask` and `decoder_mask` return them.",
)

mistake(
    "transformer.Transformer",
    "default-target-mask-from-the-source",
    edit("decoder_mask(tgt)", "decoder_mask(src)"),
    section="tf-flow",
    why="Without a given mask, your decoder hides the target positions at which the source has padding. You built the "
    "target's mask from the source's ids. Which ids belong to the target?",
    hint="Without masks your model builds the target's mask from the source. Build it from the target's ids.",
)

mistake(
    "transformer.Transformer",
    "default-source-mask-from-the-target",
    edit("padding_mask(src)", "padding_mask(tgt)"),
    section="tf-flow",
    why="Without a given mask, your model hides the source positions at which the target has padding. You built the "
    "source's mask from the target's ids. Which ids belong to the source?",
    hint="Without masks your model builds the source's mask from the target. Build it from the source's ids.",
)

mistake(
    "transformer.Transformer",
    "default-source-mask-causal",
    edit("padding_mask(src)", "decoder_mask(src)"),
    section="tf-flow",
    why="Without a given mask, your encoder cannot look ahead in the source. You also hide later positions in the "
    "default. Which of the two sentences has a future to hide?",
    hint="Without masks your encoder cannot look ahead in the source. Its default mask should hide padding only.",
)

mistake(
    "transformer.Transformer",
    "embeddings-scaled-again",
    edit("self.src_embed(src)", "self.src_embed(src) * self.generator.proj.in_features**0.5"),
    edit("self.tgt_embed(tgt)", "self.tgt_embed(tgt) * self.generator.proj.in_features**0.5"),
    section="tf-flow",
    why="What your first layers read is multiplied by the root of d_model, positions included. You scaled the "
    "embeddings again. Which module has already done it?",
    hint="What your first layers read is multiplied by the root of `d_model`. Leave this factor out: the embeddings "
    "are already scaled.",
)

mistake(
    "transformer.Transformer",
    "forward-returns-probabilities",
    edit(
        "self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)",
        "self.generator(self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)).exp()",
    ),
    section="tf-flow",
    why="Your forward pass returns probabilities. You called the generator in it, but training and decoding call it "
    "themselves. Which shape should `forward` return?",
    hint="Your forward pass returns one number per word of the vocabulary. It should return `(B, T_tgt, d)`: leave the "
    "generator to the caller.",
)

mistake(
    "transformer.Transformer",
    "truth-of-a-mask",
    edit("padding_mask(src) if src_mask is None else src_mask", "src_mask or padding_mask(src)"),
    edit("decoder_mask(tgt) if tgt_mask is None else tgt_mask", "tgt_mask or decoder_mask(tgt)"),
    section="tf-flow",
    why="Your model raises an error about the truth value of a tensor. You used a mask as a condition, but a mask with "
    "several entries is neither true nor false. How can you test whether a mask was passed at all?",
    hint="Your model raises an error: the truth value of a tensor is ambiguous. Compare each mask with None instead.",
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
    why="All layers of a stack start with the same numbers. After the initialisation you overwrote the others with "
    "copies of the first. When should the random numbers be drawn?",
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
    why="Your matrices have another scale than the paper's. You left them as PyTorch's modules initialise them. "
    "Which distribution does the task ask for?",
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
    why="Your embedding tables are normal with standard deviation 1, which is far too large. You initialised only the "
    "linear layers. Which parameters have two axes?",
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
    why="Some of your numbers lie outside Xavier's bounds. You drew from the normal form, which has the same "
    "variance. Which of Xavier's two distributions does the task ask for?",
    hint="Some of your numbers lie outside Xavier's bounds, because you draw from the normal form. Use the uniform "
    "one.",
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
    why="The matrices of your encoder are not drawn from Xavier's distribution. You initialised only the decoder. "
    "Whose parameters should the loop visit?",
    hint="The matrices of your encoder are not drawn from Xavier's distribution. Go through the parameters of the "
    "whole model.",
)


@mistake(
    "transformer.make_model",
    "tied-by-copy",
    section="tf-tying",
    why="Your tables are equal at the start and drift apart with the first step. You copied numbers between three "
    "separate parameters. What makes two modules use one parameter?",
    hint="Your tables hold the same numbers, but they are three parameters. Assign the first table's parameter itself "
    "to the other two modules.",
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
    why="Your generator has a matrix of its own. You tied the source's and the target's tables only. Which three "
    "modules share the parameter?",
    hint="Your generator has a matrix of its own. With `tie_weights`, its weight should be the table's parameter, too.",
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
    why="Your source's table is a parameter of its own. You tied the target's table and the output only. Which three "
    "modules share the parameter?",
    hint="Your source's table is a parameter of its own. With `tie_weights` it should be the target's parameter.",
)

mistake(
    "transformer.make_model",
    "unequal-vocabularies-tied-silently",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "tie = tie_weights and src_vocab == tgt_vocab\ntie_weights = tie\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-tying",
    why="A caller who sets `tie_weights` gets separate tables and no error. You skip tying when the vocabularies "
    "differ in size. How should the function react instead?",
    hint="With `tie_weights` and two different vocabulary sizes you skip the tying. Raise a `ValueError` that names "
    "both.",
)

mistake(
    "transformer.make_model",
    "always-tied",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "tie = tie_weights or src_vocab == tgt_vocab\ntie_weights = tie\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-tying",
    why="Your model ties its tables even without `tie_weights`. You tie whenever the vocabularies have the same size, "
    "but equal sizes do not mean equal words. Which argument decides?",
    hint="Your model ties its tables whenever their sizes are equal. Tie them only if `tie_weights` is true.",
)

mistake(
    "transformer.make_model",
    "no-positions",
    edit(
        "return model",
        "model.src_embed[1] = nn.Dropout(dropout)\nmodel.tgt_embed[1] = nn.Dropout(dropout)\nreturn model",
    ),
    section="tf-flow",
    why="Your encoder cannot tell the order of the words. You added no positions to the embeddings. Which module comes "
    "after the token embedding?",
    hint="Your encoder cannot tell the order of its words. Put a positional encoding after each token embedding.",
)

mistake(
    "transformer.make_model",
    "embeddings-not-scaled",
    edit(
        "return model",
        "for embed in (model.src_embed, model.tgt_embed):\n    embed[0] = embed[0].embed\nreturn model",
    ),
    section="tf-flow",
    why="Positions outweigh the words in what your first layer reads. You used a token embedding without its scale. "
    "Which class of an earlier unit applies it?",
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
    why="Your model's width is `d_ff`. You passed the two sizes in the wrong order. How can you pass them so that "
    "their order does not matter?",
    hint="Your model's width is `d_ff`. Pass `d_model` and `d_ff` in the right order, or by name.",
)

mistake(
    "transformer.make_model",
    "dropout-of-one-half-by-default",
    edit("dropout=0.1,", "dropout=0.5,"),
    section="tf-count",
    why="Without the argument `dropout`, half of the entries are dropped. You chose another default than the base "
    "model's. Which value does Table 3 of the paper give?",
    hint="Your default of `dropout` is not that of the paper's base model. Look it up in Table 3.",
)

mistake(
    "transformer.make_model",
    "norm-not-passed-on",
    edit("if tie_weights and src_vocab != tgt_vocab:", 'norm = "pre"\nif tie_weights and src_vocab != tgt_vocab:'),
    section="tf-norms",
    why='`norm="post"` has no effect. You did not pass the argument to the stacks, so the model is always pre-norm. '
    "Which constructors need it?",
    hint='Your model is pre-norm for `norm="post"` too. Pass `norm` to both stacks.',
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
    why="The layers of your model drop nothing in training. You passed the dropout to the embeddings alone. Which "
    "constructors need it?",
    hint="The layers of your model drop nothing while training. Pass `dropout` to both stacks.",
)

mistake(
    "transformer.make_model",
    "seed-set-inside",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "torch.manual_seed(0)\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-start",
    why="Two models in a row have the same parameters, and the caller's random numbers repeat. You set a seed inside "
    "the function. Which code should set it?",
    hint="Two models in a row have the same parameters. Leave the seed to the caller: PyTorch's generator then "
    "continues from its state.",
)

mistake(
    "transformer.make_model",
    "one-head",
    edit("if tie_weights and src_vocab != tgt_vocab:", "num_heads = 1\nif tie_weights and src_vocab != tgt_vocab:"),
    section="tf-flow",
    why="Your attentions have a single head, which neither shapes nor counts of parameters show. You ignored "
    "`num_heads`. Which constructors need it?",
    hint="The attentions of your model do not have `num_heads` heads. Pass the number to both stacks.",
)

mistake(
    "transformer.make_model",
    "six-layers-in-the-decoder",
    edit("Decoder(*sizes)", "Decoder(6, *sizes[1:])"),
    section="tf-count",
    why="Your decoder has six layers whatever `num_layers` says. You passed the number to the encoder alone. Which "
    "stacks does it apply to?",
    hint="Your decoder has six layers whatever `num_layers` says. Pass the number to both stacks.",
)

mistake(
    "transformer.make_model",
    "two-layers-in-the-decoder",
    edit("Decoder(*sizes)", "Decoder(2, *sizes[1:])"),
    section="tf-count",
    why="Your decoder has two layers whatever `num_layers` says. You passed the number to the encoder alone. Which "
    "stacks does it apply to?",
    hint="Your decoder has two layers whatever `num_layers` says. Pass the number to both stacks.",
)

mistake(
    "transformer.make_model",
    "one-layer-in-the-decoder",
    edit("Decoder(*sizes)", "Decoder(1, *sizes[1:])"),
    section="tf-count",
    why="Your decoder has one layer whatever `num_layers` says. You passed the number to the encoder alone. Which "
    "stacks does it apply to?",
    hint="Your decoder has one layer whatever `num_layers` says. Pass the number to both stacks.",
)

mistake(
    "transformer.make_model",
    "six-layers-in-the-encoder",
    edit("Encoder(*sizes)", "Encoder(6, *sizes[1:])"),
    section="tf-count",
    why="Your encoder has six layers whatever `num_layers` says. You passed the number to the decoder alone. Which "
    "stacks does it apply to?",
    hint="Your encoder has six layers whatever `num_layers` says. Pass the number to both stacks.",
)

mistake(
    "transformer.make_model",
    "two-layers-in-the-encoder",
    edit("Encoder(*sizes)", "Encoder(2, *sizes[1:])"),
    section="tf-count",
    why="Your encoder has two layers whatever `num_layers` says. You passed the number to the decoder alone. Which "
    "stacks does it apply to?",
    hint="Your encoder has two layers whatever `num_layers` says. Pass the number to both stacks.",
)

mistake(
    "transformer.make_model",
    "layers-shared-out",
    edit(
        "Encoder(*sizes), Decoder(*sizes)",
        "Encoder(num_layers // 2, *sizes[1:]), Decoder(num_layers - num_layers // 2, *sizes[1:])",
    ),
    section="tf-count",
    why="Your two stacks have `num_layers` layers together. You divided the number between them. How many layers "
    "does each stack of the base model have?",
    hint="Your two stacks have `num_layers` layers together. Give each of them that many.",
)

mistake(
    "transformer.make_model",
    "heads-and-width-exchanged",
    edit(
        "(num_layers, d_model, num_heads, d_ff, dropout, norm)", "(num_layers, d_model, d_ff, num_heads, dropout, norm)"
    ),
    section="tf-count",
    why="The number of heads became the hidden width. The stacks take `num_heads` before `d_ff`, and you passed them "
    "in the order of `make_model`. How can you pass them so that their order does not matter?",
    hint="Your stacks get `d_ff` as their number of heads. `Encoder` and `Decoder` take `num_heads` before `d_ff`: pass "
    "them by name.",
)

mistake(
    "transformer.make_model",
    "generator-for-the-source",
    edit("Generator(d_model, tgt_vocab)", "Generator(d_model, src_vocab)"),
    section="tf-count",
    why="Your generator has one output for each word of the source. You built it with the wrong vocabulary. Which "
    "language does it predict?",
    hint="Your generator has `src_vocab` outputs. It needs one for each word of the target.",
)

mistake(
    "transformer.make_model",
    "vocabularies-exchanged",
    edit(
        "TokenEmbedding(src_vocab, d_model), TokenEmbedding(tgt_vocab, d_model)",
        "TokenEmbedding(tgt_vocab, d_model), TokenEmbedding(src_vocab, d_model)",
    ),
    section="tf-count",
    why="Ids above the smaller vocabulary have no row in one of your tables. You exchanged the sizes of the two "
    "tables. Which size belongs to the source's table?",
    hint="Your two tables have each other's size. Give the source's table a row for each word of the source.",
)

mistake(
    "transformer.make_model",
    "source-vocabulary-for-both",
    edit("TokenEmbedding(tgt_vocab, d_model)", "TokenEmbedding(src_vocab, d_model)"),
    section="tf-count",
    why="Target ids above the source's vocabulary have no row. You built both tables with the same size. Which size "
    "belongs to the target's table?",
    hint="Your target's table has `src_vocab` rows. It needs one for each word of the target.",
)

mistake(
    "transformer.make_model",
    "normal-with-a-small-deviation",
    edit("nn.init.xavier_uniform_(parameter)", "nn.init.normal_(parameter, std=0.02)"),
    section="tf-start",
    why="Your matrices all have the standard deviation 0.02, whatever their shape. You drew them as for GPT-2, but "
    "Xavier's bound depends on the shape. Which distribution does the task ask for?",
    hint="Your matrices are normal with a fixed standard deviation. Use `nn.init.xavier_uniform_`.",
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
    why="The matrices of your decoder are not drawn from Xavier's distribution. You initialised only the encoder. "
    "Whose parameters should the loop visit?",
    hint="The matrices of your decoder are not drawn from Xavier's distribution. Go through the parameters of the whole "
    "model.",
)

mistake(
    "transformer.make_model",
    "norm-for-the-encoder-only",
    edit("Decoder(*sizes)", "Decoder(*sizes[:-1])"),
    section="tf-norms",
    why='With `norm="post"`, your model has one stack of each style. You passed the argument `norm` to the encoder '
    "alone. Which other constructor needs it?",
    hint='Your decoder is pre-norm for `norm="post"` too. Pass `norm` to both stacks.',
)

mistake(
    "transformer.make_model",
    "dropout-for-the-encoder-only",
    edit("Decoder(*sizes)", "Decoder(num_layers, d_model, num_heads, d_ff, norm=norm)"),
    section="tf-encoder-layer",
    why="Your decoder drops with its own default of 0.1. You passed the dropout to the encoder alone. Which other "
    "constructor needs it?",
    hint="Your decoder drops with another probability than your encoder. Pass `dropout` to both stacks.",
)

mistake(
    "transformer.make_model",
    "embeddings-without-dropout",
    edit("PositionalEncoding(d_model, dropout)", "PositionalEncoding(d_model, 0.0)"),
    section="tf-flow",
    why="In training, nothing is dropped from what your first layers read. You passed the dropout to the layers "
    "alone. Which module drops from the sum of embeddings and positions?",
    hint="In training, nothing is dropped from what your first layers read. Pass `dropout` to `PositionalEncoding`.",
)

mistake(
    "transformer.make_model",
    "unequal-vocabularies-asserted",
    edit(
        "if tie_weights and src_vocab != tgt_vocab:",
        "assert not tie_weights or src_vocab == tgt_vocab\nif tie_weights and src_vocab != tgt_vocab:",
    ),
    section="tf-tying",
    why="Unequal vocabularies end in an AssertionError, and in no error at all under `python -O`. You checked the "
    "arguments with `assert`. Which error does the course use for wrong arguments?",
    hint="For tied vocabularies of different sizes you use `assert`. Raise a `ValueError` instead.",
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
    why="Two layers of your decoder share their parameters. You put one object into the stack twice. How do you make "
    "separate layers?",
    hint="Two layers of your decoder are one object. Make a new layer each time.",
)

mistake(
    "transformer.make_model",
    "stacks-only-initialised",
    edit("in model.parameters():", "in [*model.encoder.parameters(), *model.decoder.parameters()]:"),
    section="tf-start",
    why="The tables and the output layer keep the numbers that PyTorch gave them. You initialised only the two stacks. "
    "Which other matrices does the model have?",
    hint="Your tables and your generator are not drawn from Xavier's distribution. Go through the parameters of the "
    "whole model.",
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
    why="Each position reads the word after the one that it has to predict. You moved the tokens to the left. Which "
    "target should position t read?",
    hint="Your tokens moved to the left. Position t should read the target of position t - 1.",
)

mistake(
    "transformer.shift_right",
    "rolled-without-bos",
    edit("def shift_right(targets, bos_id=BOS):", "def shift_right(targets, bos_id=2):"),
    edit("shifted = targets.roll(1, dims=-1)\nshifted[..., 0] = bos_id", ""),
    edit("return shifted", "return targets.roll(1, dims=-1)"),
    section="tf-shift",
    why="The first position reads the end of the sentence. You rolled the tokens, so the last one came to the front. "
    "What should the first position read?",
    hint="Your first column holds the last token of each row. Overwrite it with `bos_id`.",
)

mistake(
    "transformer.shift_right",
    "one-token-longer",
    edit("targets[..., :-1]", "targets"),
    base="concatenated",
    section="tf-shift",
    why="Inputs and targets have different lengths. You put the start in front and dropped nothing at the end. Which "
    "token is never read, because nothing is predicted after it?",
    hint="Your result is one token too long. Drop the last token: nothing is predicted after it, so it is never read.",
)

mistake(
    "transformer.shift_right",
    "first-token-overwritten",
    edit("def shift_right(targets, bos_id=BOS):", "def shift_right(targets, bos_id=2):"),
    edit("targets.roll(1, dims=-1)", "targets.clone()"),
    section="tf-shift",
    why="From the second position on, each position reads the word that it has to predict. You overwrote the first "
    "token and did not move the others. By how much should they move?",
    hint="Your tokens have not moved: you only overwrote the first. Move each one position to the right.",
)

mistake(
    "transformer.shift_right",
    "argument-changed",
    edit("def shift_right(targets, bos_id=BOS):", "def shift_right(targets, bos_id=2):"),
    edit("shifted = targets.roll(1, dims=-1)", "targets[..., 1:] = targets[..., :-1].clone()"),
    edit("shifted[..., 0]", "targets[..., 0]"),
    edit("return shifted", "return targets"),
    section="tf-shift",
    why="After the call, the caller's targets are shifted, and the loss compares with the wrong tokens. You worked "
    "in place. On which tensor should you work?",
    hint="Your function changes its argument. Write into a new tensor.",
)

mistake(
    "transformer.shift_right",
    "bos-fixed",
    edit("torch.full_like(targets[..., :1], bos_id)", "torch.full_like(targets[..., :1], 2)"),
    base="concatenated",
    section="tf-shift",
    why="Your function ignores `bos_id`. You wrote the id of the start into the code, but another vocabulary may "
    "have another one. Where should the argument be used?",
    hint="Your function ignores `bos_id`. Use it instead of the fixed number.",
)

mistake(
    "transformer.shift_right",
    "bos-is-one-by-default",
    edit("def shift_right(targets, bos_id=2):", "def shift_right(targets, bos_id=1):"),
    base="concatenated",
    section="tf-shift",
    why="Without `bos_id`, your sequences start with the unknown word. You chose 1 as the default. Which id does BOS "
    "have in this course?",
    hint="Without `bos_id` your sequences start with id 1, which is UNK. Take `BOS` as the default.",
)

mistake(
    "transformer.shift_right",
    "batch-only",
    edit("..., :1], bos_id), targets[..., :-1]], dim=-1", ":, :1], bos_id), targets[:, :-1]], dim=1"),
    base="concatenated",
    section="tf-shift",
    why="A single sequence of shape (T,) makes your function fail. You shift along axis 1. Which axis is time, "
    "counted from the end?",
    hint="A single sequence `(T,)` makes your function fail. Index time as the last axis, whatever comes before it.",
)

mistake(
    "transformer.shift_right",
    "shifted-along-the-batch",
    edit("..., :1], bos_id), targets[..., :-1]], dim=-1", ":1], bos_id), targets[:-1]], dim=0"),
    base="concatenated",
    section="tf-shift",
    why="Each sentence reads its neighbour in the batch. You shift along the first axis. Which axis is time?",
    hint="You moved rows instead of columns: each sentence reads the one before it in the batch. Time is the last "
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
    why="Your result has another dtype than the targets. You made the start with a function that always gives int64. "
    "Which functions keep the type of a given tensor?",
    hint="Your result has another dtype than the targets. `full_like` and `new_full` keep it.",
)

mistake(
    "transformer.shift_right",
    "end-replaced-by-padding",
    edit("def shift_right(targets, bos_id=BOS):", "def shift_right(targets, bos_id=2):"),
    edit("return shifted", "return shifted.where(shifted != 3, 0)"),
    section="tf-shift",
    why="The end of the sentence becomes padding in what the decoder reads. You changed a token while shifting. What "
    "should a shift change apart from positions?",
    hint="Your shift turns EOS into padding. Only move the tokens, and change none.",
)

mistake(
    "transformer.shift_right",
    "padding-comes-first",
    edit("shifted[..., 0] = bos_id", "shifted[..., 0] = 0"),
    base="filled",
    section="tf-shift",
    why="The first query of the decoder has nothing to attend to. You put padding at the first position, and the mask "
    "hides it. Which id should this position hold?",
    hint="Your sequences start with padding. Put `bos_id` at the first position.",
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
    why="Your result is the targets themselves, so each position reads the word that it has to predict. You put the "
    "start in front and cut it off again. At which end should you drop a token?",
    hint="Your result is the targets themselves. Cut off the last token, not the first one.",
)

mistake(
    "transformer.shift_right",
    "ids-as-floats",
    edit("targets.new_empty(targets.shape)", "torch.zeros(targets.shape)"),
    base="filled",
    section="tf-shift",
    why="An embedding refuses your result, because it holds floats. You made a new tensor without a type, and floats "
    "are the default. Which functions keep the type of a given tensor?",
    hint="Your result holds floats. Make it in the type of the targets, for example with `zeros_like`.",
)


# ---------------------------------------------------------------------------------------------------------------------
# count_parameters


@mistake(
    "transformer.count_parameters",
    "tied-counted-twice",
    section="tf-count",
    why="Your total is too large for a model with tied weights. You counted a shared table in each part that holds it. "
    "How can you tell that two parameters are one tensor?",
    hint="Your total counts tied parameters several times. Remember, by identity, which ones you have counted.",
)
def count_parameters(model):
    counts = {name: sum(p.numel() for p in part.parameters()) for name, part in model.named_children()}
    counts["total"] = sum(counts.values())
    return counts


@mistake(
    "transformer.count_parameters",
    "tied-counted-in-each-part",
    section="tf-count",
    why="Your total is right, but your parts add up to more. You counted a shared table in each part. To which part "
    "should it belong?",
    hint="Your total is right, but your parts add up to more. Count a shared parameter in the first part alone.",
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
    why="Your dictionary lacks the total, which is the number to compare with a paper's table. You returned only the "
    "parts. Which key does the task name?",
    hint='Your dictionary has no key "total". Store the number for the whole model there.',
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
    why="Your count is too small for a model with frozen parameters. You counted only those that are trained. Does "
    "freezing remove a parameter from the model?",
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
    why="Your count is too large. You included buffers, such as the table of positions, which are not learned. What is "
    "the difference between the parameters and the state dictionary?",
    hint="Your count includes buffers, such as the table of positions. Count `parameters()`, not `state_dict()`.",
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
    why="Your total lacks parameters that the model owns itself. You added up its parts. Which call lists all "
    "parameters of a model?",
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
    why="Your counts are far too small. You counted tensors, and a matrix is one tensor. How many numbers does a "
    "tensor hold?",
    hint="Your counts are far too small: you count tensors. `numel()` says how many numbers each holds.",
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
    why="Your count leaves out biases and gains. You counted only matrices. Which parameters are learned?",
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
    why="Your count is too small: two norms that both start at 1 count once. You told parameters apart by their "
    "values. When are two parameters the same?",
    hint="You tell parameters apart by their values. Compare identities: two parameters are the same only if they are "
    "one object.",
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
    why="Your dictionary has an entry for each tensor. You used the full names of the parameters as keys. Which call "
    "lists the direct parts of a model?",
    hint="Your keys are names of parameters. Go through `model.named_children()`, and add up what each part holds.",
)

mistake(
    "transformer.count_parameters",
    "every-module-inside",
    edit("model.named_children()", "model.named_modules()"),
    edit("counts[name] = sum(map(torch.numel, new))", "counts[name] = sum(map(torch.numel, part.parameters()))"),
    base="list-of-tensors",
    section="tf-count",
    why="Your dictionary has entries for modules inside modules. You went through every depth. Which call lists only "
    "the direct parts of a model?",
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
    why='With `norm="pre"`, your layer has no norm at all. You passed both sublayers their plain input. What does '
    '"pre" say about the position of the norm?',
    hint='With `norm="pre"` your layer has no norm at all. Let each sublayer read its normalised input.',
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
    why="What the attention returned reaches the output only through the feed-forward network. You add the layer's "
    "first input in the second connection. Which tensor should the second shortcut carry?",
    hint="Your second shortcut carries the layer's input. It should carry what the first connection returned.",
)

mistake(
    "transformer.make_model",
    "no-positions-in-the-target",
    edit(
        "model = Transformer(",
        "tgt_embed = nn.Sequential(tables[1], nn.Dropout(dropout))\nmodel = Transformer(",
    ),
    section="tf-flow",
    why="What your decoder reads holds no positions. You added positions to the source alone. Which two embeddings "
    "need them?",
    hint="What your decoder reads has no positions. Give the target a positional encoding like the source's.",
)

mistake(
    "transformer.Generator",
    "axis-one-variant-2",
    edit("dim=-1", "dim=1"),
    section="tf-generator",
    why="Your softmax is right for two axes and wrong for a batch. You named axis 1, which then holds the positions. "
    "From which end can the vocabulary's axis be counted?",
    hint="Your softmax runs over axis 1. Count the axis from the end, which is right for any number of leading axes.",
)

mistake(
    "transformer.shift_right",
    "shifted-along-the-batch-variant-2",
    edit("dims=-1", "dims=0"),
    section="tf-shift",
    why="Each sentence reads its neighbour in the batch. You rolled along the first axis. Which axis is time?",
    hint="Your rows moved, not your columns: each sentence reads the one before it in the batch. Time is the last "
    "axis.",
)

mistake(
    "transformer.count_parameters",
    "parts-from-the-names-alone",
    edit("{name: 0 for name, _ in model.named_children()}", "{}"),
    edit(
        'if part in counts and "." in name:\n    counts[part] += math.prod(parameter.shape)',
        "counts[part] = counts.get(part, 0) + math.prod(parameter.shape)",
    ),
    base="by-name",
    section="tf-count",
    why="The keys of your dictionary are not the model's parts. You took the beginning of each parameter's name. What becomes of a part "
    "without parameters, and of a parameter that the model owns itself?",
    hint="You take the keys from names of parameters. A part without parameters is then missing, and the model's own "
    "parameter looks like a part. Begin with `model.named_children()`.",
)

mistake(
    "transformer.Transformer",
    "missing-source-mask-made-for-the-encoder-alone",
    edit("src_mask = padding_mask(src)", "own_mask = padding_mask(src)"),
    edit("self.encode(src, src_mask)", "self.encode(src, own_mask)"),
    section="tf-flow",
    why="Without a source mask, the decoder reads rows of the memory that stand for padding. You built the mask for the "
    "encoder alone and passed None to the decoder. Which two calls need it?",
    hint="Where no source mask is given, only your encoder gets the one that you build. Pass the same mask to the decoder.",
)

mistake(
    "transformer.Transformer",
    "missing-source-mask-made-for-the-decoder-alone",
    edit("src_mask = padding_mask(src)", "own_mask = padding_mask(src)"),
    edit("self.encode(src, src_mask), src_mask", "self.encode(src, src_mask), own_mask"),
    section="tf-flow",
    why="Without a source mask, the encoder reads padding like real tokens. You built the mask for the decoder alone and "
    "passed None to the encoder. Which two calls need it?",
    hint="Where no source mask is given, only your decoder gets the one that you build. Pass the same mask to the encoder.",
)

mistake(
    "transformer.Transformer",
    "both-masks-built-if-one-is-missing",
    edit(
        """
        src_mask = padding_mask(src) if src_mask is None else src_mask
        tgt_mask = decoder_mask(tgt) if tgt_mask is None else tgt_mask
        """,
        "if src_mask is None or tgt_mask is None:\n    src_mask, tgt_mask = padding_mask(src), decoder_mask(tgt)",
    ),
    section="tf-flow",
    why="A mask that was given alone has no effect. You built both masks as soon as one of them was missing. When may a mask "
    "be replaced?",
    hint="Your model drops a given mask when the other one is missing. Decide about each mask by itself.",
)

mistake(
    "transformer.Encoder",
    "shortcut-around-the-layers-variant-2",
    edit("for layer in self.layers:", "start = x\nfor layer in self.layers:"),
    edit("return self.last_norm(x)", "return self.last_norm(start + x)"),
    section="tf-stacks",
    why="The input of the stack counts twice in its output. You added it once more after the last layer, but every layer "
    "contains its own shortcuts. What does the last norm take?",
    hint="Your stack adds its input once more at the end. Its layers contain the shortcuts: pass what the last one returns.",
)

mistake(
    "transformer.Decoder",
    "shortcut-around-the-layers-variant-2",
    edit("for layer in self.layers:", "start = x\nfor layer in self.layers:"),
    edit("return self.last_norm(x)", "return self.last_norm(start + x)"),
    section="tf-stacks",
    why="The input of the stack counts twice in its output. You added it once more after the last layer, but every layer "
    "contains its own shortcuts. What does the last norm take?",
    hint="Your stack adds its input once more at the end. Its layers contain the shortcuts: pass what the last one returns.",
)

mistake(
    "transformer.Generator",
    "one-maximum-for-all",
    edit(
        "return self.proj(x).log_softmax(dim=-1)",
        "z = self.proj(x)\nz = z - z.max().detach()\nreturn z - z.exp().sum(-1, keepdim=True).log()",
    ),
    section="tf-generator",
    why="The log-probabilities of a row are not finite where its logits lie far below those of another row. You "
    "shifted all rows by the largest logit of the batch, so every exponential of a low row becomes 0. Which maximum "
    "does a row need?",
    hint="Your values are not finite where one row has far smaller logits than another. Each row needs its own maximum.",
)

mistake(
    "transformer.shift_right",
    "batch-axis-left-over",
    edit("targets.roll(1, dims=-1)", "torch.atleast_2d(targets).roll(1, dims=-1)"),
    section="tf-shift",
    why="A single sequence comes back as a batch of one. You added an axis to the sequence and did not remove that "
    "axis from the result. Which shape should the result have?",
    hint="A single sequence comes back with one axis too many. The result has the shape of `targets`: count axes from "
    "the end, and one sequence needs no case of its own.",
)

mistake(
    "transformer.Transformer",
    "given-target-mask-tightened",
    edit(
        "decoder_mask(tgt) if tgt_mask is None else tgt_mask",
        "decoder_mask(tgt) if tgt_mask is None else tgt_mask & decoder_mask(tgt)",
    ),
    section="tf-flow",
    why="A target mask that the caller gives is not used as it is. You also hide the future and padding in it, so no "
    "caller can show these positions. Who decides what is hidden, once a mask is given?",
    hint="Your `forward` hides more than the given target mask does. Build the default only where no mask is given.",
)

mistake(
    "transformer.Generator",
    "one-maximum-for-all-variant-2",
    edit(
        "return self.proj(x).log_softmax(dim=-1)",
        "z = self.proj(x)\ne = torch.exp(z - z.max())\nreturn torch.log(e / e.sum(-1, keepdim=True))",
    ),
    section="tf-generator",
    why="Where logits lie far below the largest of the batch, your values are minus infinity, or NaN if a whole row "
    "is that low. You shifted all rows by this one maximum, then took the logarithm of probabilities that have become "
    "0. How can you compute a log-softmax without taking the logarithm of any probability?",
    hint="Your values are not finite where logits lie far below the largest of the batch. Shift each row by its own "
    "maximum, and take the logarithm of the sum alone.",
)

mistake(
    "transformer.Transformer",
    "given-target-mask-tightened-variant-2",
    edit(
        "decoder_mask(tgt) if tgt_mask is None else tgt_mask",
        "decoder_mask(tgt) if tgt_mask is None else tgt_mask & decoder_mask(tgt)",
    ),
    edit(
        "padding_mask(src) if src_mask is None else src_mask",
        "padding_mask(src) if src_mask is None else src_mask & padding_mask(src)",
    ),
    section="tf-flow",
    why="Masks that the caller gives are not used as they are. You also hide padding in both masks, and the future in "
    "the target mask, so no caller can show these positions. Who decides what is hidden, once a mask is given?",
    hint="Your `forward` hides more than the given masks do. Build each default only where that mask is not given.",
)

for number, limit in enumerate(("1e-12", "1e-10", "1e-8"), 2):
    mistake(
        "transformer.Generator",
        f"something-added-before-the-logarithm-variant-{number}",
        edit("self.proj(x).log_softmax(dim=-1)", f"(self.proj(x).softmax(dim=-1) + {limit}).log()"),
        section="tf-generator",
        why="Your log-probabilities never fall below a limit, and the gradient of rare words vanishes. You added a "
        "small number before the logarithm. Which form of the softmax needs no such guard?",
        hint="Your log-probabilities never fall below a limit, since you add a small number before the logarithm. "
        "`log_softmax` needs no such guard.",
    )
    mistake(
        "transformer.Generator",
        f"probabilities-raised-to-a-limit-variant-{number}",
        edit("self.proj(x).log_softmax(dim=-1)", f"self.proj(x).softmax(dim=-1).clamp(min={limit}).log()"),
        section="tf-generator",
        why="Your log-probabilities never fall below a fixed value, and a target word whose log-probability would "
        "be lower gets no gradient. You replaced every small probability by a limit. Which form of the softmax needs "
        "no such limit?",
        hint="Your log-probabilities never fall below a fixed value, because you replace small probabilities by a "
        "fixed limit. `log_softmax` needs no such limit.",
    )
