"""Wrong implementations of the tasks of transformer, each with the misconception behind it.

Every entry is wrong in one respect only. Most change one method of the right class: what is left out is right.
"""

import copy

import torch
import torch.nn.functional as F

from autograder.course.catalogue import edit, mistake
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
    edit("class EncoderLayer(GivenEncoderLayer):", "class EncoderLayer(RightEncoderLayer):"),
    edit('warnings.warn("an encoder layer at work", stacklevel=2)', ""),
    edit('print("encoder layer", tuple(x.shape))', "x = self.connections[1](x, self.feed_forward)"),
    edit("super().forward(x, mask)", "self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))"),
    base="subclass-with-a-print",
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
    why='The default is "post". This course\'s layers are pre-norm unless something else is asked for.',
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
    "dropout-not-in-attention",
    edit(
        "self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))",
        """
        self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))
        self.self_attention = MultiHeadAttention(d_model, num_heads)
        """,
    ),
    section="tf-encoder-layer",
    why="The attention was built without the layer's dropout, and its own default is 0. Its weights are then never "
    "dropped while training.",
    hint="While training, your attention drops none of its weights. Hand `dropout` on to the attention as well.",
)

mistake(
    "transformer.EncoderLayer",
    "dropout-not-passed-on",
    edit(
        "self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))",
        """
        self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))
        self.connections = nn.ModuleList(SublayerConnection(d_model, norm=norm) for _ in range(2))
        """,
    ),
    section="tf-encoder-layer",
    why="The connections were built without the dropout that was asked for, so they drop with their own default of "
    "0.1. A model that is asked for no dropout drops all the same.",
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
    edit(
        "self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))",
        """
        self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))
        self.feed_forward = FeedForward(d_model, d_ff)
        """,
    ),
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
    edit("x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))", ""),
    edit(
        "x = self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
        """
        x = self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))
        x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))
        """,
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
        "self.connections[2](x, self.feed_forward)",
    ),
    edit(
        "return self.connections[2](x, self.feed_forward)",
        "return self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))",
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
    "dropout-not-in-cross-attention",
    edit(
        "self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(3))",
        """
        self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(3))
        self.cross_attention = MultiHeadAttention(d_model, num_heads)
        """,
    ),
    section="tf-decoder-layer",
    why="The cross-attention was built without the layer's dropout, and its own default is 0. Its weights are then "
    "never dropped while training.",
    hint="While training, your cross-attention drops none of its weights. Hand `dropout` on to both attentions.",
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
    why="The layers are built without the argument dropout, and keep their own default of 0.1. A model that is asked "
    "for none drops all the same while it trains.",
    hint="The layers of your encoder drop with a probability of their own. Hand `dropout` on to each layer.",
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
    why="The layers are built without the argument dropout, and keep their own default of 0.1. A model that is asked "
    "for none drops all the same while it trains.",
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
    why="The masks are always built from the ids, also when the caller gives others. Who gives a mask has a reason.",
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
    why="With vocabularies of different sizes nothing is tied, and nothing is said. Who asks for tied weights must "
    "learn that there are none.",
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
