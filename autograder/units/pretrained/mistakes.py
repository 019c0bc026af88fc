"""Wrong implementations of pretrained, each with the misconception behind it.

Every entry is wrong in one respect only. When two give the same results, the first is named: put specific ones first.
"""

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# GPT2


mistake(
    "pretrained.GPT2",
    "post-norm",
    edit('normed = layer["norm_1"](x)', "normed = x"),
    edit("x = x + attention.w_o(merge_heads(heads))", 'x = layer["norm_1"](x + attention.w_o(merge_heads(heads)))'),
    edit('x = x + layer["feed_forward"](layer["norm_2"](x))', 'x = layer["norm_2"](x + layer["feed_forward"](x))'),
    section="gpt2-model",
    why="Your layers normalise the sums, as in the first Transformer, and published weights give nonsense. Your "
    "norms are in the wrong position. Which tensor does GPT-2 normalise in each sublayer?",
    hint="Your layers normalise the sum. In GPT-2 the norm acts on what a sublayer reads, and the sum itself stays as "
    "it is until the last norm.",
)

mistake(
    "pretrained.GPT2",
    "exact-gelu",
    edit('nn.GELU(approximate="tanh")', "nn.GELU()"),
    base="one-layer-for-queries-keys-and-values",
    section="gpt2-model",
    why="Your logits are slightly off. You used the exact GELU, with the error function. Which form was GPT-2 "
    "trained with?",
    hint="Your logits are slightly off: the GELU is the exact one. GPT-2 uses the tanh form, which PyTorch has as an "
    "option and the course as `gelu`.",
)

mistake(
    "pretrained.GPT2",
    "relu",
    edit('dropout=0.0, activation="gelu"', "dropout=0.0"),
    section="gpt2-model",
    why="Your feed-forward layers cut off at 0. You used the default activation of `FeedForward`, which is ReLU. "
    "Which activation does GPT-2 have?",
    hint="Your feed-forward layers cut off at 0, as ReLU does. Build them with GELU.",
)

mistake(
    "pretrained.GPT2",
    "dropout-while-training",
    edit('dropout=0.0, activation="gelu"', 'activation="gelu"'),
    section="gpt2-model",
    why="In training mode your logits differ from call to call. `FeedForward` keeps its default dropout. How much "
    "does this model drop?",
    hint="In training mode your logits differ from call to call. Build `FeedForward` without dropout.",
)

mistake(
    "pretrained.GPT2",
    "no-final-norm",
    edit("return self.norm(x) @", "return x @"),
    section="gpt2-model",
    why="Your logits come from a vector that is not normalised. You left out the norm after the last layer. What does "
    "a pre-norm model need at its end?",
    hint="Your logits come from a vector that is not normalised. With pre-norm a last norm follows the layers.",
)

mistake(
    "pretrained.GPT2",
    "untied-head",
    edit("self.head.weight = self.wte.weight", "pass"),
    base="one-layer-for-queries-keys-and-values",
    section="gpt2-tied-head",
    why="Your model has one token table too many. Its output layer has a table of its own. Which table makes the "
    "logits of GPT-2?",
    hint="Your model has one token table too many. Use the weight of the token embedding for the logits.",
)

mistake(
    "pretrained.GPT2",
    "head-with-a-bias",
    edit("bias=False", "bias=True"),
    base="one-layer-for-queries-keys-and-values",
    section="gpt2-tied-head",
    why="No published tensor fills the bias of your output layer. GPT-2 multiplies by the token table and adds "
    "nothing. Which argument of the layer controls its bias?",
    hint="Your output layer has a bias, which GPT-2 lacks. Build it with `bias=False`, or multiply by the table yourself.",
)

mistake(
    "pretrained.GPT2",
    "one-layer-many-times",
    edit(
        "[FusedLayer(config.n_embed, config.num_heads) for _ in range(config.num_layers)]",
        "[FusedLayer(config.n_embed, config.num_heads)] * config.num_layers",
    ),
    base="one-layer-for-queries-keys-and-values",
    section="gpt2-model",
    why="All layers have the same weights. You multiplied a list, which repeats a reference to a single layer. How do "
    "you build separate objects?",
    hint="Your layers share their parameters: `[layer] * n` repeats one object. Make a new layer in each step of a loop.",
)

mistake(
    "pretrained.GPT2",
    "plain-list",
    edit(
        "nn.ModuleList([FusedLayer(config.n_embed, config.num_heads) for _ in range(config.num_layers)])",
        "[FusedLayer(config.n_embed, config.num_heads) for _ in range(config.num_layers)]",
    ),
    base="one-layer-for-queries-keys-and-values",
    section="gpt2-model",
    why="Your layers are neither trained nor loaded. You put them into a plain list, which PyTorch does not search. "
    "Which container does it search?",
    hint="PyTorch does not see the parameters of your layers. Put them into an `nn.ModuleList`.",
)

mistake(
    "pretrained.GPT2",
    "second-norm-left-out",
    edit('layer["feed_forward"](layer["norm_2"](x))', 'layer["feed_forward"](x)'),
    section="gpt2-model",
    why="Your feed-forward layer reads a sum that is not normalised. You left out its norm. How many norms does a "
    "layer have?",
    hint="Your feed-forward layer gets a vector that is not normalised. Its own norm, `ln_2`, comes first.",
)

mistake(
    "pretrained.GPT2",
    "one-norm-for-both",
    edit('layer["norm_2"](x)', 'layer["norm_1"](x)'),
    section="gpt2-model",
    why="One norm of each layer is never used. Both of your sublayers use the first. Which norm belongs to the "
    "feed-forward layer?",
    hint="The feed-forward layer of your model uses the norm of the attention. Give it the second one.",
)

mistake(
    "pretrained.GPT2",
    "no-residual-around-the-feed-forward",
    edit('x = x + layer["feed_forward"]', 'x = layer["feed_forward"]'),
    section="gpt2-model",
    why="After your feed-forward layer the earlier sum is lost. You let its output replace the sum. How should the "
    "output and the sum be combined?",
    hint="After your feed-forward layer the earlier sum is lost. Add its output to `x`.",
)

mistake(
    "pretrained.GPT2",
    "sublayers-side-by-side",
    edit("x = x + attention.w_o(merge_heads(heads))", "attended = attention.w_o(merge_heads(heads))"),
    edit('x = x + layer["feed_forward"]', 'x = x + attended + layer["feed_forward"]'),
    section="gpt2-model",
    why="Your feed-forward layer does not see what attention added. Both sublayers read the input of the layer, as "
    "in GPT-J. Which tensor does GPT-2's feed-forward layer read?",
    hint="Your feed-forward layer does not see what attention added. Add the attention's output first, then normalise again.",
)

mistake(
    "pretrained.GPT2",
    "no-positions",
    edit("+ self.positions(torch.arange(start, end, device=ids.device))", ""),
    section="gpt2-model",
    why="Your model cannot tell in which order the tokens came. You did not use the table of positions. Which "
    "vectors are missing from the sum?",
    hint="Your model does not use its table of positions. Add row `t` of the table to the vector of the token at position `t`.",
)

mistake(
    "pretrained.GPT2",
    "scaled-tokens",
    edit("x = self.tokens(ids) +", "x = self.tokens(ids) * width_root +"),
    edit("start = 0 if cache", "width_root = self.config.n_embed**0.5\nstart = 0 if cache"),
    section="gpt2-model",
    why="Your token vectors are scaled by the root of the width, as in the first Transformer. GPT-2 does not do "
    "this. How does it combine token and position vectors?",
    hint="Your token vectors are scaled by a constant, the root of the width. GPT-2 adds token and position vectors without any factor.",
)

mistake(
    "pretrained.GPT2",
    "one-head",
    edit("split_heads(project(normed), self.config.num_heads)", "split_heads(project(normed), 1)"),
    section="gpt2-model",
    why="Your attention has one head, whatever `num_heads` says. You did not split the vectors. Which three tensors "
    "have to be split?",
    hint="Your attention has one head, whatever `num_heads` says. Cut queries, keys and values into `num_heads` heads.",
)

mistake(
    "pretrained.GPT2",
    "no-mask",
    edit("mask = causal_mask(end, ids.device)[start:]", "mask = None"),
    section="gpt2-model",
    why="Every position reads the tokens that it should predict. You passed no mask to the attention. Which mask does "
    "a language model need?",
    hint="A position of your model sees later tokens. Pass a causal mask to the attention.",
)

mistake(
    "pretrained.GPT2",
    "no-mask-with-a-cache",
    edit(
        "mask = causal_mask(end, ids.device)[start:]", "mask = causal_mask(end, ids.device) if cache is None else None"
    ),
    section="mask-with-cache",
    why="Several tokens that are read at once with a cache see each other's future. You use no mask with a cache, "
    "which is right only for a single new token. Which rows of the mask belong to the new tokens?",
    hint="In your model, several tokens read at once with a cache see each other's future. The mask has a row for each "
    "new token, and keeps it from later ones.",
)

mistake(
    "pretrained.GPT2",
    "mask-only-without-a-past",
    edit("causal_mask(end, ids.device)[start:]", "causal_mask(end, ids.device) if not start else None"),
    section="mask-with-cache",
    why="Several tokens that follow a filled cache see each other's future. You mask only while the cache is empty. "
    "Which shape does their mask need?",
    hint="In your model, several tokens that follow a filled cache see each other's future. They need a mask too: `(T, "
    "end)`.",
)

mistake(
    "pretrained.GPT2",
    "causal-from-the-first-key",
    edit("attn_mask=allowed", "is_causal=T > 1"),
    base="one-layer-for-queries-keys-and-values",
    section="mask-with-cache",
    why="If several tokens are read after a filled cache, the first of them sees only key 0. You used `is_causal`, "
    "which counts queries and keys from the same start. Which rows of a mask belong to the new positions?",
    hint="If several tokens are read after a filled cache, `is_causal` lets the first of them see only key 0. Pass the "
    "last rows of the mask as `attn_mask`.",
)

mistake(
    "pretrained.GPT2",
    "first-rows-of-the-mask",
    edit("[start:]", "[: ids.shape[1]]"),
    section="mask-with-cache",
    why="With a cache, new tokens see only the first positions. You took the first rows of the mask. Which rows "
    "belong to the new positions?",
    hint="With a cache your new tokens see only the first positions. Row `i` of the mask belongs to position `i`; the new ones are the last rows.",
)

mistake(
    "pretrained.GPT2",
    "mask-of-the-new-tokens-alone",
    edit("causal_mask(end, ids.device)[start:]", "causal_mask(ids.shape[1], ids.device)"),
    section="mask-with-cache",
    why="Several tokens after a filled cache raise an error about sizes: your mask lacks columns. You built it for the "
    "new tokens alone, but the keys include the cached ones. How many keys are there?",
    hint="Your mask has as many columns as there are new tokens, but the keys include those in the cache: `(T, end)`.",
)

mistake(
    "pretrained.GPT2",
    "positions-restart",
    edit("torch.arange(start, end, device=ids.device)", "torch.arange(end - start, device=ids.device)"),
    section="positions-with-cache",
    why="With a cache, all pieces but the first get wrong position vectors. You counted positions from 0. At which "
    "position does the first new token stand?",
    hint="With a cache your positions start at 0 again. The first new token stands at position `cache.length`.",
)

mistake(
    "pretrained.GPT2",
    "layers-from-one",
    edit("enumerate(self.layers)", "enumerate(self.layers, 1)"),
    section="positions-with-cache",
    why="The cache's length stays 0, and positions always start at 0. You numbered the layers from 1. From which layer "
    "does the cache read its length?",
    hint="Your cache has no layer 0, so its `length` stays 0. Number the layers from 0.",
)

mistake(
    "pretrained.GPT2",
    "one-layer-in-the-cache",
    edit("cache.update(number, k, v)", "cache.update(0, k, v)"),
    section="positions-with-cache",
    why="With a cache you get an error about sizes, since each layer also gets the keys of other layers. You stored "
    "those of all layers under one number. Which number identifies a layer?",
    hint="Your layers share one entry of the cache. Pass each layer's own number to `update`.",
)

mistake(
    "pretrained.GPT2",
    "what-the-cache-returns-is-ignored",
    edit("k, v = cache.update(number, k, v)", "cache.update(number, k, v)"),
    section="mask-with-cache",
    why="With a filled cache you get an error about sizes: your attention has only the new keys and values. You did "
    "not use the result of `update`. What does `update` return?",
    hint="Your attention reads only the new keys and values. Use what `update` returns: all of them.",
)

mistake(
    "pretrained.GPT2",
    "queries-of-the-whole-text",
    edit("k, v = cache.update(number, k, v)", "q, v = cache.update(number, q, v)"),
    section="mask-with-cache",
    why="With a filled cache you get an error about sizes: old queries come back, and the old keys are missing. You "
    "stored queries in place of keys. Which two tensors are used by every later position?",
    hint="Your cache holds queries. Store keys and values, and use what `update` returns.",
)

mistake(
    "pretrained.GPT2",
    "block-size-without-the-cache",
    edit("if end > self.config.block_size", "if ids.shape[1] > self.config.block_size"),
    section="gpt2-block-size",
    why="With a cache, your model reads more positions than its table has. You checked only the new tokens. Which "
    "positions does `block_size` limit?",
    hint="Your model counts the new tokens alone. `block_size` limits all positions, those in the cache included.",
)

mistake(
    "pretrained.GPT2",
    "block-size-off-by-one",
    edit("if end > self.config.block_size", "if end >= self.config.block_size"),
    section="gpt2-block-size",
    why="A sequence of exactly `block_size` tokens is refused. Your comparison refuses equal numbers, too. What is the "
    "last position that the table has?",
    hint="Your model refuses `block_size` positions, which fit. Raise only for more.",
)

mistake(
    "pretrained.GPT2",
    "block-size-cropped",
    edit(
        'raise ValueError(f"{end} positions are more than block_size, {self.config.block_size}.")',
        "ids, start, end = ids[:, -self.config.block_size :], 0, self.config.block_size",
    ),
    section="gpt2-block-size",
    why="A text that is too long loses its beginning, and the caller is not told. You cut it. How should the model "
    "react instead?",
    hint="Your model cuts what is too long. Raise ValueError instead.",
)

mistake(
    "pretrained.GPT2",
    "no-limit",
    edit(
        'if end > self.config.block_size:\n    raise ValueError(f"{end} positions are more than block_size, {self.config.block_size}.")',
        "",
    ),
    section="gpt2-block-size",
    why="A text that is too long ends in an IndexError that says nothing about the reason. You did not check the "
    "length. When can you compare it with `block_size`?",
    hint="For too many positions your model raises an IndexError. Compare with `block_size` first, and raise ValueError.",
)

mistake(
    "pretrained.GPT2",
    "probabilities",
    edit("return self.norm(x) @ self.tokens.weight.T", "return (self.norm(x) @ self.tokens.weight.T).softmax(-1)"),
    section="gpt2-tied-head",
    why="Each row of your result sums to 1. You returned probabilities, but losses and samplers apply the softmax "
    "themselves. What do they expect?",
    hint="Each row of your result sums to 1. Return the logits, without a softmax.",
)

mistake(
    "pretrained.GPT2",
    "last-position-only",
    edit("return self.norm(x) @", "return self.norm(x[:, -1:]) @"),
    section="gpt2-tied-head",
    why="A loss or a perplexity cannot be computed. You returned the scores of the last position only. For which "
    "positions are they needed?",
    hint="Your result has one position. Return the logits of all T positions.",
)

mistake(
    "pretrained.GPT2",
    "epsilon-of-another-library",
    edit("self.norm = LayerNorm(width)", "self.norm = LayerNorm(width, eps=1e-12)"),
    section="gpt2-model",
    why="Your logits differ slightly from the published ones. Your last norm uses the epsilon of BERT. Which epsilon "
    "do all norms of GPT-2 have?",
    hint="Your last norm adds another number to the variance. GPT-2 has `eps=1e-5` in all its norms.",
)

mistake(
    "pretrained.GPT2",
    "head-detached",
    edit("self.tokens.weight.T", "self.tokens.weight.detach().T"),
    section="gpt2-tied-head",
    why="The token table learns from only one of its two uses. Your output layer uses a detached copy of its "
    "numbers. Which object should it use?",
    hint="Your token table gets no gradient from the output layer. Use the parameter itself, without `detach` or `data`.",
)

# ---------------------------------------------------------------------------------------------------------------------
# gpt2_state


mistake(
    "pretrained.gpt2_state",
    "attention-not-transposed",
    edit('.attn.c_attn.weight"].T.chunk(3)', '.attn.c_attn.weight"].chunk(3, dim=1)'),
    section="conv1d-layout",
    why="Your model writes nonsense, and no shape gives it away. You did not transpose the square matrices of "
    "queries, keys and values. In which layout are published weights stored?",
    hint="Your query, key and value matrices are transposed. Published weights are stored as (in, out), those of "
    "`nn.Linear` as (out, in).",
)

mistake(
    "pretrained.gpt2_state",
    "output-projection-not-transposed",
    edit(
        'given[f"h.{i}.{theirs}.weight"].T',
        'given[f"h.{i}.{theirs}.weight"].T if theirs != "attn.c_proj" else given[f"h.{i}.{theirs}.weight"]',
    ),
    section="conv1d-layout",
    why="Your model writes nonsense, and no shape gives it away. You did not transpose the attention's output "
    "projection, which is square. In which layout are published weights stored?",
    hint="Your output projection is transposed. `attn.c_proj.weight` is stored as (in, out), like all published "
    "weights of this kind.",
)

mistake(
    "pretrained.gpt2_state",
    "nothing-transposed",
    edit('given[f"h.{i}.{theirs}.weight"].T', 'given[f"h.{i}.{theirs}.weight"]'),
    edit('.attn.c_attn.weight"].T.chunk(3)', '.attn.c_attn.weight"].chunk(3, dim=1)'),
    section="conv1d-layout",
    why="Loading ends in an error about sizes, because your matrices have the published layout. You transposed none of "
    "them. Which layout does `nn.Linear` have?",
    hint="Your matrices have the published layout, (in, out). `nn.Linear` keeps (out, in): transpose them.",
)

mistake(
    "pretrained.gpt2_state",
    "reshaped-in-place-of-transposed",
    edit(
        'given[f"h.{i}.{theirs}.weight"].T',
        'given[f"h.{i}.{theirs}.weight"].reshape(given[f"h.{i}.{theirs}.weight"].shape[::-1])',
    ),
    section="conv1d-layout",
    why="Your matrices have the right shape and the numbers in the wrong order. You reshaped them, which never "
    "exchanges rows and columns. Which operation does?",
    hint="Your matrices have the right shape, but the numbers stand in the wrong order. Transpose with `.T` in place of `reshape`.",
)

mistake(
    "pretrained.gpt2_state",
    "keys-before-queries",
    edit('zip("qkv", weights, biases)', 'zip("kqv", weights, biases)'),
    section="c-attn",
    why="Queries and keys are exchanged in your model. You took the first third of `c_attn` for the keys. In which "
    "order do its three parts stand?",
    hint="In your model queries and keys are exchanged. The columns of `c_attn` are queries, then keys, then values.",
)

mistake(
    "pretrained.gpt2_state",
    "values-before-keys",
    edit('zip("qkv", weights, biases)', 'zip("qvk", weights, biases)'),
    section="c-attn",
    why="Keys and values are exchanged in your model. You took the second third of `c_attn` for the values. In which "
    "order do its three parts stand?",
    hint="In your model keys and values are exchanged. The columns of `c_attn` are queries, then keys, then values.",
)

mistake(
    "pretrained.gpt2_state",
    "interleaved-thirds",
    edit('.attn.c_attn.weight"].T.chunk(3)', '.attn.c_attn.weight"].T.unflatten(0, (-1, 3)).unbind(1)'),
    edit('.attn.c_attn.bias"].chunk(3)', '.attn.c_attn.bias"].unflatten(0, (-1, 3)).unbind(1)'),
    section="c-attn",
    why="Queries, keys and values are mixed in your model. You took every third column of `c_attn`. How are its "
    "three parts laid out?",
    hint="Your queries take every third column of `c_attn`. Its first d columns are the queries, the next d the keys, the last d the values.",
)

mistake(
    "pretrained.gpt2_state",
    "biases-of-attention-in-another-order",
    edit('zip("qkv", weights, biases)', 'zip("qkv", weights, biases[::-1])'),
    section="c-attn",
    why="Your matrices are right, but the biases of queries and values are exchanged. You split the bias in another "
    "order than the weight. Which order do both have?",
    hint="The matrices are right, but your biases of queries and values are exchanged. Split the bias in the order of "
    "the weight.",
)

mistake(
    "pretrained.gpt2_state",
    "gain-and-bias-exchanged",
    edit('given[f"{theirs}.weight"], given[f"{theirs}.bias"]', 'given[f"{theirs}.bias"], given[f"{theirs}.weight"]'),
    section="published-names",
    why="Gain and bias of your norms are exchanged. In published files the gain has another name than here. Which of "
    "the two published names means the gain?",
    hint="Gain and bias of your norms are exchanged. `ln_1.weight` is the gain, our `gamma`.",
)

mistake(
    "pretrained.gpt2_state",
    "norms-exchanged",
    edit(
        'f"h.{i}.ln_1": f"layers.{i}.norm_1", f"h.{i}.ln_2": f"layers.{i}.norm_2"',
        'f"h.{i}.ln_1": f"layers.{i}.norm_2", f"h.{i}.ln_2": f"layers.{i}.norm_1"',
    ),
    section="published-names",
    why="The two norms of your layers are exchanged. You mixed up their numbers. Which of them comes before the "
    "attention?",
    hint="The two norms of your layers are exchanged. `ln_1` belongs to the attention.",
)

mistake(
    "pretrained.gpt2_state",
    "layers-in-the-order-of-their-names",
    edit(
        'old, new = f"h.{layer}", f"layers.{layer}"',
        'old, new = f"h.{sorted(map(str, range(total)))[layer]}", f"layers.{layer}"',
    ),
    base="copies-in-a-loop-over-layers",
    section="published-names",
    why='With more than ten layers, yours are in the wrong order. You sorted their names as text, where "10" comes '
    'before "2". By what should they be sorted?',
    hint='With more than ten layers yours come in another order: as text, "10" is less than "2". Sort by the number.',
)

mistake(
    "pretrained.gpt2_state",
    "twelve-layers",
    edit("for i in range(len(layers)):\n    for part, (rows", "for i in range(12):\n    for part, (rows"),
    section="published-names",
    why="Models of another depth fail. You wrote down the number of layers of the smallest GPT-2. Where can you "
    "count them?",
    hint="Your function expects twelve layers. Count those of the file.",
)

mistake(
    "pretrained.gpt2_state",
    "prefix-stays",
    edit('name.removeprefix("transformer."): tensor', "name: tensor"),
    section="published-names",
    why="A file with the prefix `transformer.` is refused. You look for the bare names. When should the prefix be "
    "removed?",
    hint="With `transformer.` in front your function finds no tensor. Remove that prefix from the names that have it.",
)

mistake(
    "pretrained.gpt2_state",
    "prefix-needed",
    edit(
        'name.removeprefix("transformer."): tensor',
        'name.partition(".")[2] if name != "lm_head.weight" else name: tensor',
    ),
    section="published-names",
    why="A file without a prefix is refused. You removed everything up to the first dot, but without a prefix that is "
    "a part of the name. When should a prefix be removed?",
    hint="Your function needs a prefix. The published file has none: take off `transformer.` only where a name begins with it.",
)

mistake(
    "pretrained.gpt2_state",
    "masks-refused",
    edit('given.pop(f"h.{i}.{mask}", None)', "pass"),
    section="published-names",
    why="A file of an older program is refused. You treat its stored causal masks as unknown tensors. Does a mask hold "
    "anything that was learned?",
    hint="A file with `attn.bias` is refused. It is a stored mask and not a bias: drop it.",
)

mistake(
    "pretrained.gpt2_state",
    "masked-bias-refused",
    edit('("attn.bias", "attn.masked_bias")', '("attn.bias",)'),
    section="published-names",
    why="A file with `attn.masked_bias` is refused. You drop only the first of the two stored masks. Which names "
    "does an older program write?",
    hint="A file with `attn.masked_bias` is refused. Drop it like `attn.bias`.",
)

mistake(
    "pretrained.gpt2_state",
    "all-that-ends-in-attn-bias",
    edit("for name, tensor in state.items()}", 'for name, tensor in state.items() if not name.endswith("attn.bias")}'),
    section="published-names",
    why="A complete file is refused, or a learned bias is lost: the name `c_attn.bias` ends like that of a mask. You "
    "compared the ends of names. What should be compared instead?",
    hint="`h.0.attn.c_attn.bias` ends in `attn.bias`, and your function drops it with the masks. Compare whole names.",
)

mistake(
    "pretrained.gpt2_state",
    "head-refused",
    edit('given.pop("lm_head.weight", given["wte.weight"])', 'given["wte.weight"]'),
    section="gpt2-tied-head",
    why="A file with `lm_head.weight` is refused. You treat it as an unknown tensor. Which table holds the same "
    "numbers?",
    hint="A file with `lm_head.weight` is refused. It is the token table under a second name: drop it.",
)

mistake(
    "pretrained.gpt2_state",
    "tied-means-one-object",
    edit('not torch.equal(head, given["wte.weight"])', 'head is not given["wte.weight"]'),
    section="gpt2-tied-head",
    why="A tied head that was read from a file is refused. You compared objects, and a file holds two tensors with "
    "the same numbers. What should be compared?",
    hint="A tied `lm_head.weight` that was read from a file is refused. Compare its numbers, not the objects.",
)

mistake(
    "pretrained.gpt2_state",
    "head-kept",
    edit("return ours", 'return ours | {"lm_head.weight": head}'),
    section="gpt2-tied-head",
    why="Loading ends in an error about an unexpected key. You returned `lm_head.weight`, which the model lacks. Does "
    "a tied layer need a tensor of its own?",
    hint="Your function returns `lm_head.weight`, which `GPT2` does not have. Drop it.",
)

mistake(
    "pretrained.gpt2_state",
    "untied-head-dropped",
    edit('if not torch.equal(head, given["wte.weight"])', 'if head.shape != given["wte.weight"].shape'),
    section="gpt2-tied-head",
    why="A file of a model that is not tied is accepted. You dropped its head without looking at the numbers. With "
    "which table should it be compared?",
    hint="A file whose `lm_head.weight` differs from `wte.weight` is accepted. Compare the two, and raise ValueError.",
)

mistake(
    "pretrained.gpt2_state",
    "extra-accepted",
    edit(
        'if name not in shapes:\n    raise ValueError(f"{name} is no tensor of a GPT-2 with {len(layers)} layers.")',
        "if name not in shapes:\n    continue",
    ),
    section="strict-loading",
    why="A file of another model loads, with parts missing. You ignored unknown tensors. How should the function "
    "react to one?",
    hint="An unknown tensor is accepted. It means that the file is not what you think: raise ValueError with its name.",
)

mistake(
    "pretrained.gpt2_state",
    "missing-raises-a-key-error",
    edit('if name not in given:\n    raise ValueError(f"{name} is missing.")', "if name not in given:\n    continue"),
    section="strict-loading",
    why="A missing tensor ends in a KeyError deep inside. You did not look for it first. Which error does the task "
    "ask for, and what should it name?",
    hint="A missing tensor makes your function raise KeyError. Look for all names first, and raise ValueError.",
)

mistake(
    "pretrained.gpt2_state",
    "missing-becomes-zero",
    edit(
        'if name not in given:\n    raise ValueError(f"{name} is missing.")',
        "if name not in given:\n    given[name] = torch.zeros(shapes[name])",
    ),
    section="strict-loading",
    why="The model runs and writes nonsense. You filled a missing tensor with zeros. How should the function react "
    "instead?",
    hint="A missing tensor is filled with zeros. Raise ValueError with its name.",
)

mistake(
    "pretrained.gpt2_state",
    "shapes-not-compared",
    edit("if given[name].shape != shapes[name]:", "if False:"),
    section="strict-loading",
    why="A tensor of another shape passes your function. You left the check to loading. Which tensor gives the width, "
    "on which all shapes depend?",
    hint="A tensor of another shape passes. Compare each shape with the one that the width of `wte.weight` demands.",
)

mistake(
    "pretrained.gpt2_state",
    "numbers-counted",
    edit("if given[name].shape != shapes[name]", "if given[name].numel() != torch.Size(shapes[name]).numel()"),
    section="strict-loading",
    why="A transposed tensor passes, because it has the same number of entries. You counted entries. What should be "
    "compared?",
    hint="A transposed tensor passes, since it has the same number of entries. Compare the shapes.",
)

mistake(
    "pretrained.gpt2_state",
    "only-matrices-compared",
    edit("if given[name].shape != shapes[name]", "if len(shapes[name]) == 2 and given[name].shape != shapes[name]"),
    section="strict-loading",
    why="A bias of another length passes, and one number may be broadcast to all channels. You compared only matrices. "
    "Which other tensors have a fixed shape?",
    hint="A bias of another length passes. Compare the shapes of vectors, too.",
)

mistake(
    "pretrained.gpt2_state",
    "what-broadcasts-fits",
    edit(
        "if given[name].shape != shapes[name]",
        "if any(one not in (1, two) for one, two in zip(given[name].shape, shapes[name]))",
    ),
    section="strict-loading",
    why="A gain of one number passes, and a copy by broadcasting would give it to all channels. You accepted shapes "
    "that broadcast. When do two shapes agree?",
    hint="A tensor with a 1 in its shape passes. Shapes must be equal, not only fit together.",
)

mistake(
    "pretrained.gpt2_state",
    "message-without-a-name",
    edit(
        'if name not in given:\n    raise ValueError(f"{name} is missing.")',
        'if name not in given:\n    raise ValueError("A tensor is missing.")',
    ),
    section="strict-loading",
    why="The reader of your message cannot tell which of 148 tensors is missing. You named none. Which name helps?",
    hint="Your message names no tensor. Put its published name into it.",
)

mistake(
    "pretrained.gpt2_state",
    "in-single-precision",
    edit('removeprefix("transformer."): tensor', 'removeprefix("transformer."): tensor.float()'),
    section="published-names",
    why="A float64 model loses digits, and a bfloat16 model doubles its size. You converted all tensors. Which type "
    "should they keep?",
    hint="Your function changes the type of the tensors. Leave it as it is.",
)

mistake(
    "pretrained.gpt2_state",
    "argument-emptied",
    edit(
        'given = {name.removeprefix("transformer."): tensor for name, tensor in state.items()}',
        'for name in list(state):\n    state[name.removeprefix("transformer.")] = state.pop(name)\ngiven = state',
    ),
    section="published-names",
    why="After the call, the caller's dictionary has other names, and fewer. You renamed its entries in place. What "
    "can you build instead?",
    hint="After the call the argument has other names. Build a new dict.",
)

# ---------------------------------------------------------------------------------------------------------------------
# generate_text


mistake(
    "pretrained.generate_text",
    "prompt-counted",
    edit("min(max_new_tokens, room)", "min(max_new_tokens - len(ids), room)"),
    section="text-with-the-cache",
    why="Your text is too short by the length of the prompt. You counted the prompt among the new tokens. What does "
    "`max_new_tokens` count?",
    hint="Your text lacks as many tokens as the prompt has. `max_new_tokens` counts new ones only.",
)

mistake(
    "pretrained.generate_text",
    "one-token-too-many",
    edit("range(min(max_new_tokens, room))", "range(min(max_new_tokens + 1, room))"),
    section="text-with-the-cache",
    why="Your text has one token too many. Your loop runs once too often. How many steps do n new tokens need?",
    hint="Your text has one token too many. Run the loop once for each new token.",
)

mistake(
    "pretrained.generate_text",
    "decoded-token-by-token",
    edit("return decode(ids)", 'return prompt + "".join(decode([new]) for new in ids[len(encode(prompt)) :])'),
    section="text-with-the-cache",
    why="A character that is spread over several tokens comes out broken. You decoded each new token by itself, and a "
    "token may hold a part of a character. When are all bytes of a character there?",
    hint="A character that is spread over several tokens comes out broken. Decode all ids together, at the end.",
)

mistake(
    "pretrained.generate_text",
    "prompt-left-out",
    edit("return decode(ids)", "return decode(ids[len(encode(prompt)) :])"),
    section="text-with-the-cache",
    why="Your text lacks the prompt. You decoded only the new tokens. With what should the text begin?",
    hint="Your text is right but lacks the prompt. Decode all ids, those of the prompt included.",
)

mistake(
    "pretrained.generate_text",
    "prompt-cropped",
    edit(
        'raise ValueError(f"The prompt has {len(ids)} tokens, but block_size is {model.config.block_size}.")',
        "ids, room = ids[-model.config.block_size :], 0",
    ),
    section="end-of-the-block",
    why="A prompt that is too long loses its beginning. You cut it to the block. How should the function react "
    "instead?",
    hint="A prompt of more than `block_size` tokens is cut. Raise ValueError instead.",
)

mistake(
    "pretrained.generate_text",
    "prompt-not-checked",
    edit(
        'if room < 0:\n    raise ValueError(f"The prompt has {len(ids)} tokens, but block_size is {model.config.block_size}.")',
        "",
    ),
    section="end-of-the-block",
    why="A prompt that is too long comes back as if all were well. You did not check for room, and then no step runs. "
    "How should the function react instead?",
    hint="A prompt that is too long comes back unchanged. Raise ValueError for it.",
)

mistake(
    "pretrained.generate_text",
    "block-one-token-short",
    edit("model.config.block_size - len(ids)", "model.config.block_size - 1 - len(ids)"),
    section="end-of-the-block",
    why="Your text ends one token early. You kept a position free, but the last token of a full block is never read. "
    "How many tokens may the text have?",
    hint="Your text stops at `block_size - 1` tokens. It may have `block_size`, the prompt included.",
)

mistake(
    "pretrained.generate_text",
    "block-one-token-long",
    edit("model.config.block_size - len(ids)", "model.config.block_size + 1 - len(ids)"),
    section="end-of-the-block",
    why="Your text has one token more than the block. The model never reads its last token, so no error told you. How "
    "many tokens may prompt and new tokens have together?",
    hint="Your text has one token more than `block_size`. Stop when it has `block_size` tokens, the prompt included.",
)

mistake(
    "pretrained.generate_text",
    "goes-on-past-the-block",
    edit("min(max_new_tokens, room)", "max_new_tokens"),
    section="end-of-the-block",
    why="Near the end of the block an error destroys the whole text. Your loop does not stop in time. How many new "
    "tokens have room?",
    hint="Near the end of the block the model raises an error. Stop there: `block_size` limits the prompt's tokens and "
    "the new ones together.",
)

mistake(
    "pretrained.generate_text",
    "cache-emptied-at-the-end",
    edit(
        "for _ in range(min(max_new_tokens, room)):",
        "for _ in range(max_new_tokens):\n    if len(ids) >= model.config.block_size:\n        cache, unread = KVCache(), ids[-model.config.block_size // 2 :]",
    ),
    section="end-of-the-block",
    why="Your text goes on beyond the block. You emptied the full cache, and the model read the second half of the "
    "text again. Where should the function end?",
    hint="Your text goes on past `block_size`. End it there.",
)

mistake(
    "pretrained.generate_text",
    "without-a-cache",
    edit("model(torch.tensor([unread], device=device), cache)", "model(torch.tensor([ids], device=device))"),
    section="text-with-the-cache",
    why="Each token costs more than the last. The model reads the whole text at every step, without a cache. Which "
    "tokens has it not yet read?",
    hint="Your model gets no cache. Pass one, and only the tokens that it has not read yet.",
)

mistake(
    "pretrained.generate_text",
    "everything-with-the-cache",
    edit("torch.tensor([unread], device=device)", "torch.tensor([ids], device=device)"),
    section="text-with-the-cache",
    why="The model reads the text again and again, as its own continuation, and the block soon overflows. You passed "
    "everything although the cache holds most of it. Which tokens has it not yet read?",
    hint="With a cache you pass the whole text each time, so the model sees it several times. Pass what is new.",
)

mistake(
    "pretrained.generate_text",
    "prompt-not-read",
    edit("unread = ids\nfor", "unread = ids[-1:]\nfor"),
    section="text-with-the-cache",
    why="Your text ignores most of the prompt. You passed only its last token, and the cache was empty. What should "
    "the first call read?",
    hint="Your model reads only the last token of the prompt. The first call reads all of it.",
)

mistake(
    "pretrained.generate_text",
    "new-cache-at-each-step",
    edit("cache = KVCache()", ""),
    edit("logits = model(", "cache = KVCache()\nlogits = model("),
    section="text-with-the-cache",
    why="Each token is read without its past. You made the cache inside the loop. When should it be made?",
    hint="Your cache is new at every step. Make it once, before the loop.",
)

mistake(
    "pretrained.generate_text",
    "cache-kept-for-the-next-text",
    edit("cache = KVCache()", 'cache = model.__dict__.setdefault("cache", KVCache())'),
    section="text-with-the-cache",
    why="The second text goes on where the first ended. You kept the cache with the model. When should it be made?",
    hint="Your second text follows the first one: they share a cache. Make a new one in each call.",
)

mistake(
    "pretrained.generate_text",
    "first-position",
    edit("logits[:, -1]", "logits[:, 0]"),
    section="text-with-the-cache",
    why="Your first new token follows the prompt's first token. You took the logits of the first position. Which "
    "position says what comes next?",
    hint="Your first new token follows the prompt's first token. Take the logits of the last position.",
)

mistake(
    "pretrained.generate_text",
    "prompt-twice",
    edit("return decode(ids)", "return prompt + decode(ids)"),
    section="text-with-the-cache",
    why="Your text has the prompt twice. The decoded ids already begin with it. Which step is superfluous?",
    hint="Your text has the prompt twice. Decode all ids and add nothing.",
)

mistake(
    "pretrained.generate_text",
    "tokens-decoded-one-by-one",
    edit("return decode(ids)", 'return "".join(decode([one]) for one in ids)'),
    section="byte-letters",
    why="Letters beyond ASCII come out as U+FFFD. You decoded each token separately, and a letter may take several. "
    "What should be decoded at once?",
    hint="Letters of several bytes come out as U+FFFD. Decode all ids at once.",
)

mistake(
    "pretrained.generate_text",
    "stops-at-three",
    edit("ids = ids + unread", "ids = ids + unread\nif unread == [3]:\n    break"),
    section="text-with-the-cache",
    why="Your text ends at the id 3. You stop there, because 3 is the end symbol of other units. What does this id "
    "mean in GPT-2?",
    hint="Your text ends at the id 3. GPT-2's ids are its own; no token ends the text here.",
)

mistake(
    "pretrained.generate_text",
    "start-symbol-added",
    edit("ids = list(encode(prompt))", "ids = [2, *encode(prompt)]"),
    section="text-with-the-cache",
    why="The model reads an id that the prompt does not have. You added a start symbol, which GPT-2 lacks. Which ids "
    "should it read?",
    hint="An id is read before the prompt. Pass the prompt's ids alone.",
)

mistake(
    "pretrained.generate_text",
    "temperature-ignored",
    edit("sample_next(logits[:, -1], temperature, top_k", "sample_next(logits[:, -1], 1.0, top_k"),
    section="text-with-the-cache",
    why="Your draws are the same at every temperature. You did not pass it on. Which call needs it?",
    hint="Your draws are those of temperature 1. Pass `temperature` on.",
)

mistake(
    "pretrained.generate_text",
    "temperature-multiplies",
    edit("sample_next(logits[:, -1], temperature, top_k", "sample_next(logits[:, -1] * temperature, 1.0, top_k"),
    section="text-with-the-cache",
    why="A low temperature makes your text more random. You multiplied the logits. Which operation makes likely "
    "tokens likelier at a low temperature?",
    hint="Your temperature works the other way round. The logits are divided by it, not multiplied.",
)

mistake(
    "pretrained.generate_text",
    "always-the-likeliest",
    edit("sample_next(logits[:, -1], temperature, top_k, generator=generator)", "logits[:, -1].argmax(-1)"),
    section="text-with-the-cache",
    why="Your text is the same for every seed. You always take the most likely token. Which function of an earlier "
    "unit draws one?",
    hint="Your text is the same for each seed: nothing is drawn. Use `sample_next`.",
)

mistake(
    "pretrained.generate_text",
    "top-k-ignored",
    edit(
        "sample_next(logits[:, -1], temperature, top_k, generator=generator)",
        "sample_next(logits[:, -1], temperature, generator=generator)",
    ),
    section="text-with-the-cache",
    why="Tokens are drawn that the caller has excluded. You did not pass `top_k` on. Which call needs it?",
    hint="Tokens are drawn that are not among the `top_k` most likely. Pass `top_k` on.",
)

mistake(
    "pretrained.generate_text",
    "top-k-as-top-p",
    edit("temperature, top_k, generator=generator", "temperature, None, top_k, generator"),
    section="text-with-the-cache",
    why="A `top_k` above 1 raises an error about `top_p`. You passed it by position, where `sample_next` expects "
    "`top_p`. How can you pass it so that the position does not matter?",
    hint="`sample_next` takes `top_k` third and `top_p` fourth; yours arrives as `top_p`. Name the argument.",
)

mistake(
    "pretrained.generate_text",
    "generator-ignored",
    edit(", generator=generator)", ")"),
    section="text-with-the-cache",
    why="Two calls with equal generators give different texts. You did not pass the generator on. Which call needs it?",
    hint="The same seed gives another text. Pass `generator` on.",
)

mistake(
    "pretrained.generate_text",
    "generator-of-its-own",
    edit("generator=generator)", "generator=generator or torch.Generator().manual_seed(0))"),
    section="text-with-the-cache",
    why="Without a generator, all texts are alike. You made one with a fixed seed at each step. What does None mean "
    "for PyTorch's functions?",
    hint="Without a generator all your texts are alike. Leave `None` as it is: PyTorch's own generator is used then.",
)

mistake(
    "pretrained.generate_text",
    "seed-set-at-each-step",
    edit(
        "logits = model(",
        "if generator is not None:\n    generator.manual_seed(generator.initial_seed())\nlogits = model(",
    ),
    section="text-with-the-cache",
    why="All steps draw the same random number. You seeded the generator anew each time. When should a seed be set?",
    hint="Each of your draws begins with the same random number. Leave the seeding to the caller.",
)

mistake(
    "pretrained.generate_text",
    "letters-counted",
    edit("room = model.config.block_size - len(ids)", "room = model.config.block_size - len(prompt)"),
    section="end-of-the-block",
    why="A prompt with an umlaut gets the wrong amount of room. You counted letters, and one letter may take several "
    "tokens. What does the block hold?",
    hint="You counted the letters of the prompt, and an umlaut takes more than one token. Count the tokens.",
)

mistake(
    "pretrained.generate_text",
    "without-a-cache-variant-2",
    edit("torch.tensor([unread], device=device), cache", "torch.tensor([ids], device=device), KVCache()"),
    section="text-with-the-cache",
    why="Each token costs more than the last. The model reads the whole text at every step, with a cache that is empty. "
    "Which tokens has it not yet read?",
    hint="You pass the whole text and a new cache at every step. Keep one cache, and pass only what is unread.",
)

mistake(
    "pretrained.GPT2",
    "scaled-twice",
    edit(
        "heads, _ = scaled_dot_product_attention(q, k, v, mask)",
        "heads, _ = scaled_dot_product_attention(q / q.shape[-1] ** 0.5, k, v, mask)",
    ),
    section="gpt2-model",
    why="The published weights write nonsense, because your attention is too even. You scaled the queries, and the "
    "attention function scales their products again. By which number is a score divided in all?",
    hint="Your scores are divided by the width of a head and not by its root. `scaled_dot_product_attention` scales already.",
)

mistake(
    "pretrained.gpt2_state",
    "last-layer-by-its-spelling",
    edit(
        "for i in range(len(layers)):\n    for part, (rows",
        'for i in range(int(max(layers, default="-1")) + 1):\n    for part, (rows',
    ),
    section="strict-loading",
    why="A file of 12 layers is refused. You compared layer numbers as texts, where 9 comes after 11. When should you convert "
    "them?",
    hint="A file of more than ten layers is refused, because texts are compared letter by letter. Convert layer numbers to "
    "int before you compare.",
)

mistake(
    "pretrained.GPT2",
    "no-scale",
    edit(
        "scaled_dot_product_attention(q, k, v, mask)",
        "scaled_dot_product_attention(q * q.shape[-1] ** 0.5, k, v, mask)",
    ),
    section="gpt2-model",
    why="The published weights write nonsense, because your attention is too sharp. You did not divide the scores. Which "
    "root were GPT-2's scores divided by in training?",
    hint="Your attention is too sharp: its scores are not divided by the root of a head's width.",
)

mistake(
    "pretrained.GPT2",
    "no-residual-around-the-attention",
    edit("x = x + attention.w_o", "x = attention.w_o"),
    section="gpt2-model",
    why="After your first layer, a position holds what its attention found and nothing else. You replaced x by this result. "
    "To which tensor should it be added?",
    hint="Your layer loses its input: it continues with the attention's result alone. Add that result to x.",
)

mistake(
    "pretrained.GPT2",
    "normed-residual",
    edit("x = x + attention.w_o", "x = normed + attention.w_o"),
    section="gpt2-model",
    why="In every layer the earlier sum is lost, and only its normalised form goes on. You added the attention's "
    "result to that form. To which tensor should it be added?",
    hint="You add what attention finds to the normalised vectors. Add it to x, as it was before the norm.",
)

mistake(
    "pretrained.GPT2",
    "first-norm-left-out",
    edit('normed = layer["norm_1"](x)', "normed = x"),
    section="gpt2-model",
    why="The published weights write nonsense, because attention reads vectors of any length. You left out the norm before it. "
    "What does the attention of a pre-norm layer read?",
    hint="Your attention reads x as it is. Normalise its input, as you do for the feed-forward layer.",
)
