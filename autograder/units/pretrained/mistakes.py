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
    why="The norms stand after the sums, as in the first Transformer. GPT-2 normalises what enters each sublayer and leaves the sum alone.",
    hint="Your layers normalise the sum. In GPT-2 the norm stands inside, `x + sublayer(norm(x))`, and only the last norm sees the sum.",
)

mistake(
    "pretrained.GPT2",
    "exact-gelu",
    edit('nn.GELU(approximate="tanh")', "nn.GELU()"),
    base="one-layer-for-queries-keys-and-values",
    section="gpt2-model",
    why="The GELU is the exact one, with the error function. GPT-2 was trained with the tanh form, and its weights expect it.",
    hint='Your logits are off by little: the GELU is the exact one. GPT-2 uses the tanh form, `approximate="tanh"` or the course\'s `gelu`.',
)

mistake(
    "pretrained.GPT2",
    "relu",
    edit('dropout=0.0, activation="gelu"', "dropout=0.0"),
    section="gpt2-model",
    why="The feed-forward layers use ReLU, the default of `FeedForward`. GPT-2 uses GELU in its tanh form.",
    hint='Your feed-forward layers cut off at 0, as ReLU does. Build them with `activation="gelu"`.',
)

mistake(
    "pretrained.GPT2",
    "dropout-while-training",
    edit('dropout=0.0, activation="gelu"', 'activation="gelu"'),
    section="gpt2-model",
    why="`FeedForward` keeps its default dropout of 0.1. This model drops nothing, so two calls in training mode give the same logits.",
    hint="In training mode your logits differ from call to call. Build `FeedForward` with `dropout=0.0`.",
)

mistake(
    "pretrained.GPT2",
    "no-final-norm",
    edit("return self.norm(x) @", "return x @"),
    section="gpt2-model",
    why="The output layer reads the last sum as it is. GPT-2 has one norm more, `ln_f`, after the last layer.",
    hint="Your logits come from a vector that is not normalised. With pre-norm a last norm follows the layers.",
)

mistake(
    "pretrained.GPT2",
    "untied-head",
    edit("self.head.weight = self.wte.weight", "pass"),
    base="one-layer-for-queries-keys-and-values",
    section="gpt2-tied-head",
    why="The output layer has a table of its own. In GPT-2 it is the token table, so training changes both at once, and it is counted once.",
    hint="Your model has one token table too many. Use the weight of the token embedding for the logits.",
)

mistake(
    "pretrained.GPT2",
    "head-with-a-bias",
    edit("bias=False", "bias=True"),
    base="one-layer-for-queries-keys-and-values",
    section="gpt2-tied-head",
    why="The output layer has a bias. GPT-2 multiplies by the token table and adds nothing, and no published tensor would fill that bias.",
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
    why="A list of one layer was multiplied. All entries are the same layer, so all layers have the same weights.",
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
    why="The layers stand in a plain list. PyTorch finds none of their parameters there, so they are neither trained nor loaded.",
    hint="Your layers have no parameters as PyTorch sees it. Put them into an `nn.ModuleList`.",
)

mistake(
    "pretrained.GPT2",
    "second-norm-left-out",
    edit('layer["feed_forward"](layer["norm_2"](x))', 'layer["feed_forward"](x)'),
    section="gpt2-model",
    why="The feed-forward layer reads the sum as it is. Each of the two sublayers has a norm before it.",
    hint="Your feed-forward layer gets a vector that is not normalised. Its own norm, `ln_2`, comes first.",
)

mistake(
    "pretrained.GPT2",
    "one-norm-for-both",
    edit('layer["norm_2"](x)', 'layer["norm_1"](x)'),
    section="gpt2-model",
    why="Both sublayers use the first norm. They have a norm each, with gains and biases of their own.",
    hint="The feed-forward layer of your model uses the norm of the attention. Give it the second one.",
)

mistake(
    "pretrained.GPT2",
    "no-residual-around-the-feed-forward",
    edit('x = x + layer["feed_forward"]', 'x = layer["feed_forward"]'),
    section="gpt2-model",
    why="The feed-forward layer's output replaces the sum. Both sublayers add to what flows through the model.",
    hint="After your feed-forward layer the earlier sum is lost. Add its output to `x`.",
)

mistake(
    "pretrained.GPT2",
    "sublayers-side-by-side",
    edit("x = x + attention.w_o(merge_heads(heads))", "attended = attention.w_o(merge_heads(heads))"),
    edit('x = x + layer["feed_forward"]', 'x = x + attended + layer["feed_forward"]'),
    section="gpt2-model",
    why="Attention and feed-forward layer both read the layer's input, as in GPT-J. In GPT-2 the feed-forward layer reads the sum that already holds what attention found.",
    hint="Your feed-forward layer does not see what attention added. Add the attention's output first, then normalise again.",
)

mistake(
    "pretrained.GPT2",
    "no-positions",
    edit("+ self.positions(torch.arange(start, end, device=ids.device))", ""),
    section="gpt2-model",
    why="The position vectors are not added. The model then cannot tell in which order the tokens came, except through the mask.",
    hint="Your model does not use its table of positions. Add row `t` of the table to the vector of the token at position `t`.",
)

mistake(
    "pretrained.GPT2",
    "scaled-tokens",
    edit("x = self.tokens(ids) +", "x = self.tokens(ids) * width_root +"),
    edit("start = 0 if cache", "width_root = self.config.n_embed**0.5\nstart = 0 if cache"),
    section="gpt2-model",
    why="The token vectors are multiplied by the root of the width, as in the first Transformer. GPT-2 adds them as they are.",
    hint="Your token vectors are scaled by a constant, the root of the width. GPT-2 adds token and position vectors without any factor.",
)

mistake(
    "pretrained.GPT2",
    "one-head",
    edit("split_heads(project(normed), self.config.num_heads)", "split_heads(project(normed), 1)"),
    section="gpt2-model",
    why="The vectors are not cut into heads, so one softmax weighs all channels together. Each head has scores of its own.",
    hint="Your attention has one head, whatever `num_heads` says. Cut queries, keys and values into `num_heads` heads.",
)

mistake(
    "pretrained.GPT2",
    "no-mask",
    edit("mask = causal_mask(end, ids.device)[start:]", "mask = None"),
    section="gpt2-model",
    why="Nothing hides the future. Every position reads the tokens that it should predict.",
    hint="A position of your model sees later tokens. Pass a causal mask to the attention.",
)

mistake(
    "pretrained.GPT2",
    "no-mask-with-a-cache",
    edit(
        "mask = causal_mask(end, ids.device)[start:]", "mask = causal_mask(end, ids.device) if cache is None else None"
    ),
    section="mask-with-cache",
    why="With a cache there is no mask. That is right for one new token, but of several new tokens the first may not see the last.",
    hint="Several tokens read at once with a cache see each other's future, in your model. The mask has a row for each new token, and keeps it from later ones.",
)

mistake(
    "pretrained.GPT2",
    "mask-only-without-a-past",
    edit("causal_mask(end, ids.device)[start:]", "causal_mask(end, ids.device) if not start else None"),
    section="mask-with-cache",
    why="There is a mask only while the cache is empty. Of several tokens that follow a filled cache, the first sees the last.",
    hint="Several tokens that follow a filled cache see each other's future in your model. They need a mask too: `(T, end)`.",
)

mistake(
    "pretrained.GPT2",
    "causal-from-the-first-key",
    edit("attn_mask=allowed", "is_causal=T > 1"),
    base="one-layer-for-queries-keys-and-values",
    section="mask-with-cache",
    why="`is_causal` counts queries and keys from the same start. With a cache the first new query belongs to position `cache.length`, so most of the past is hidden from it.",
    hint="With a cache `is_causal` lets your first new token see only the first key. Pass the last rows of the mask as `attn_mask`.",
)

mistake(
    "pretrained.GPT2",
    "first-rows-of-the-mask",
    edit("[start:]", "[: ids.shape[1]]"),
    section="mask-with-cache",
    why="The mask's first rows were taken for the new positions. These rows belong to the first positions, and hide nearly all that the cache holds.",
    hint="With a cache your new tokens see only the first positions. Row `i` of the mask belongs to position `i`; the new ones are the last rows.",
)

mistake(
    "pretrained.GPT2",
    "mask-of-the-new-tokens-alone",
    edit("causal_mask(end, ids.device)[start:]", "causal_mask(ids.shape[1], ids.device)"),
    section="mask-with-cache",
    why="The mask is square, as if only the new tokens were there. The keys are those of the cache as well, so the mask needs a column for each of them.",
    hint="Your mask has as many columns as there are new tokens, but the keys include those in the cache: `(T, end)`.",
)

mistake(
    "pretrained.GPT2",
    "positions-restart",
    edit("torch.arange(start, end, device=ids.device)", "torch.arange(end - start, device=ids.device)"),
    section="positions-with-cache",
    why="The positions of new tokens are counted from 0, although the cache holds earlier ones. All but the first piece then get wrong position vectors.",
    hint="With a cache your positions start at 0 again. The first new token stands at position `cache.length`.",
)

mistake(
    "pretrained.GPT2",
    "layers-from-one",
    edit("enumerate(self.layers)", "enumerate(self.layers, 1)"),
    section="positions-with-cache",
    why="The layers are numbered from 1. The cache's length is that of layer 0, which stays empty, so the positions always start at 0.",
    hint="Your cache has no layer 0, so its `length` stays 0. Number the layers from 0.",
)

mistake(
    "pretrained.GPT2",
    "one-layer-in-the-cache",
    edit("cache.update(number, k, v)", "cache.update(0, k, v)"),
    section="positions-with-cache",
    why="All layers put their keys and values under one number. Each layer then attends to those of other layers.",
    hint="Your layers share one entry of the cache. Pass each layer's own number to `update`.",
)

mistake(
    "pretrained.GPT2",
    "what-the-cache-returns-is-ignored",
    edit("k, v = cache.update(number, k, v)", "cache.update(number, k, v)"),
    section="mask-with-cache",
    why="Keys and values are stored, but the attention uses the new ones alone. What the cache holds is never read.",
    hint="Your attention reads only the new keys and values. Use what `update` returns: all of them.",
)

mistake(
    "pretrained.GPT2",
    "queries-of-the-whole-text",
    edit("k, v = cache.update(number, k, v)", "q, v = cache.update(number, q, v)"),
    section="mask-with-cache",
    why="Queries were put into the cache in place of keys. A query is used once; keys and values are used by every later position.",
    hint="Your cache holds queries. Store keys and values: `k, v = cache.update(number, k, v)`.",
)

mistake(
    "pretrained.GPT2",
    "block-size-without-the-cache",
    edit("if end > self.config.block_size", "if ids.shape[1] > self.config.block_size"),
    section="gpt2-block-size",
    why="Only the new tokens are counted. With those in the cache there may be more positions than the table has rows.",
    hint="Your model counts the new tokens alone. `block_size` limits all positions, those in the cache included.",
)

mistake(
    "pretrained.GPT2",
    "block-size-off-by-one",
    edit("if end > self.config.block_size", "if end >= self.config.block_size"),
    section="gpt2-block-size",
    why="A sequence of exactly `block_size` tokens is refused. Its last position is `block_size - 1`, which the table has.",
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
    why="A sequence that is too long is cut without a word. A caller who passes 2,000 tokens should learn that the "
    "model cannot read them.",
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
    why="Nothing is checked, so the table of positions raises an IndexError that says nothing about the reason. The "
    "caller cannot tell a long text from a broken table.",
    hint="For too many positions your model raises an IndexError. Compare with `block_size` first, and raise ValueError.",
)

mistake(
    "pretrained.GPT2",
    "probabilities",
    edit("return self.norm(x) @ self.tokens.weight.T", "return (self.norm(x) @ self.tokens.weight.T).softmax(-1)"),
    section="gpt2-tied-head",
    why="Probabilities are returned instead of scores. Losses and samplers apply the softmax themselves.",
    hint="Each row of your result sums to 1. Return the logits, without a softmax.",
)

mistake(
    "pretrained.GPT2",
    "last-position-only",
    edit("return self.norm(x) @", "return self.norm(x[:, -1:]) @"),
    section="gpt2-tied-head",
    why="Only the last position gets scores. For a loss or a perplexity all positions are needed.",
    hint="Your result has one position. Return the logits of all T positions.",
)

mistake(
    "pretrained.GPT2",
    "epsilon-of-another-library",
    edit("self.norm = LayerNorm(width)", "self.norm = LayerNorm(width, eps=1e-12)"),
    section="gpt2-model",
    why="The last norm adds 1e-12 to the variance, as BERT does. GPT-2 adds 1e-5, and its weights were trained with it.",
    hint="Your last norm adds another number to the variance. GPT-2 has `eps=1e-5` in all its norms.",
)

mistake(
    "pretrained.GPT2",
    "head-detached",
    edit("self.tokens.weight.T", "self.tokens.weight.detach().T"),
    section="gpt2-tied-head",
    why="The output layer uses the numbers of the token table, cut off from its gradient. A tied table learns from both of its uses.",
    hint="Your token table gets no gradient from the output layer. Use the parameter itself, without `detach` or `data`.",
)

# ---------------------------------------------------------------------------------------------------------------------
# gpt2_state


mistake(
    "pretrained.gpt2_state",
    "attention-not-transposed",
    edit('.attn.c_attn.weight"].T.chunk(3)', '.attn.c_attn.weight"].chunk(3, dim=1)'),
    section="conv1d-layout",
    why="The matrices of queries, keys and values were not transposed. They are square, so no shape gives it away.",
    hint="Your query, key and value matrices are transposed. Published weights stand (in, out), those of `nn.Linear` (out, in).",
)

mistake(
    "pretrained.gpt2_state",
    "output-projection-not-transposed",
    edit(
        'given[f"h.{i}.{theirs}.weight"].T',
        'given[f"h.{i}.{theirs}.weight"].T if theirs != "attn.c_proj" else given[f"h.{i}.{theirs}.weight"]',
    ),
    section="conv1d-layout",
    why="The attention's output projection was not transposed. It is square, so no shape gives it away.",
    hint="Your output projection is transposed. `attn.c_proj.weight` stands (in, out), like all published weights of this kind.",
)

mistake(
    "pretrained.gpt2_state",
    "nothing-transposed",
    edit('given[f"h.{i}.{theirs}.weight"].T', 'given[f"h.{i}.{theirs}.weight"]'),
    edit('.attn.c_attn.weight"].T.chunk(3)', '.attn.c_attn.weight"].chunk(3, dim=1)'),
    section="conv1d-layout",
    why="No matrix was transposed. Published weights stand (in, out), and `nn.Linear` multiplies by (out, in).",
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
    why="The matrices were reshaped to (out, in). A reshape keeps the numbers in their order, while a transpose exchanges rows and columns.",
    hint="Your matrices have the right shape, but the numbers stand in the wrong order. Transpose with `.T` in place of `reshape`.",
)

mistake(
    "pretrained.gpt2_state",
    "keys-before-queries",
    edit('zip("qkv", weights, biases)', 'zip("kqv", weights, biases)'),
    section="c-attn",
    why="The first third of `c_attn` was taken for the keys. The order is queries, keys, values.",
    hint="In your model queries and keys are exchanged. The columns of `c_attn` are queries, then keys, then values.",
)

mistake(
    "pretrained.gpt2_state",
    "values-before-keys",
    edit('zip("qkv", weights, biases)', 'zip("qvk", weights, biases)'),
    section="c-attn",
    why="The second third of `c_attn` was taken for the values. The order is queries, keys, values.",
    hint="In your model keys and values are exchanged. The columns of `c_attn` are queries, then keys, then values.",
)

mistake(
    "pretrained.gpt2_state",
    "interleaved-thirds",
    edit('.attn.c_attn.weight"].T.chunk(3)', '.attn.c_attn.weight"].T.unflatten(0, (-1, 3)).unbind(1)'),
    edit('.attn.c_attn.bias"].chunk(3)', '.attn.c_attn.bias"].unflatten(0, (-1, 3)).unbind(1)'),
    section="c-attn",
    why="Every third column was taken, as if queries, keys and values took turns. They are three blocks of d columns.",
    hint="Your queries take every third column of `c_attn`. Its first d columns are the queries, the next d the keys, the last d the values.",
)

mistake(
    "pretrained.gpt2_state",
    "biases-of-attention-in-another-order",
    edit('zip("qkv", weights, biases)', 'zip("qkv", weights, biases[::-1])'),
    section="c-attn",
    why="The biases of queries and values are exchanged. The bias of `c_attn` is cut like its weight.",
    hint="The matrices are right, but your biases of queries and values are exchanged.",
)

mistake(
    "pretrained.gpt2_state",
    "gain-and-bias-exchanged",
    edit('given[f"{theirs}.weight"], given[f"{theirs}.bias"]', 'given[f"{theirs}.bias"], given[f"{theirs}.weight"]'),
    section="published-names",
    why="The gain of the norms was taken for their bias. In published files the gain is called `weight`.",
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
    why="The two norms of a layer are exchanged. `ln_1` stands before the attention, `ln_2` before the feed-forward layer.",
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
    why="The layers are sorted by their names, in which 10 comes before 2. From ten layers on they are in the wrong order.",
    hint='With more than ten layers yours come in another order: as text, "10" is less than "2". Sort by the number.',
)

mistake(
    "pretrained.gpt2_state",
    "twelve-layers",
    edit("for i in range(len(layers)):\n    for part, (rows", "for i in range(12):\n    for part, (rows"),
    section="published-names",
    why="The number of layers is that of the smallest GPT-2. Other models have more, or fewer.",
    hint="Your function expects twelve layers. Count those of the file.",
)

mistake(
    "pretrained.gpt2_state",
    "prefix-stays",
    edit('name.removeprefix("transformer."): tensor', "name: tensor"),
    section="published-names",
    why="The prefix `transformer.` is not taken off. Files that a language model wrote have it, the published one does not.",
    hint="With `transformer.` in front your function finds no tensor. Take that prefix off, where it is there.",
)

mistake(
    "pretrained.gpt2_state",
    "prefix-needed",
    edit(
        'name.removeprefix("transformer."): tensor',
        'name.partition(".")[2] if name != "lm_head.weight" else name: tensor',
    ),
    section="published-names",
    why="Everything up to the first dot is taken off. Without the prefix that is a part of the name.",
    hint="Your function needs a prefix. The published file has none: take off `transformer.` only where a name begins with it.",
)

mistake(
    "pretrained.gpt2_state",
    "masks-refused",
    edit('given.pop(f"h.{i}.{mask}", None)', "pass"),
    section="published-names",
    why="The masks `attn.bias` and `attn.masked_bias` count as unknown tensors. They are the causal mask, stored by older programs, and hold nothing to learn.",
    hint="A file with `attn.bias` is refused. It is a stored mask, no bias: drop it.",
)

mistake(
    "pretrained.gpt2_state",
    "masked-bias-refused",
    edit('("attn.bias", "attn.masked_bias")', '("attn.bias",)'),
    section="published-names",
    why="Only `attn.bias` is dropped. Older files hold `attn.masked_bias` too, the number that masked scores were set to.",
    hint="A file with `attn.masked_bias` is refused. Drop it like `attn.bias`.",
)

mistake(
    "pretrained.gpt2_state",
    "all-that-ends-in-attn-bias",
    edit("for name, tensor in state.items()}", 'for name, tensor in state.items() if not name.endswith("attn.bias")}'),
    section="published-names",
    why="All names that end in `attn.bias` are dropped. That of `c_attn.bias`, which is learned, ends so too.",
    hint="`h.0.attn.c_attn.bias` ends in `attn.bias`, and yours is dropped with the masks. Compare whole names.",
)

mistake(
    "pretrained.gpt2_state",
    "head-refused",
    edit('given.pop("lm_head.weight", given["wte.weight"])', 'given["wte.weight"]'),
    section="gpt2-tied-head",
    why="The output layer counts as an unknown tensor. It is the token table once more, which `GPT2` has already.",
    hint="A file with `lm_head.weight` is refused. It is the token table under a second name: drop it.",
)

mistake(
    "pretrained.gpt2_state",
    "tied-means-one-object",
    edit('not torch.equal(head, given["wte.weight"])', 'head is not given["wte.weight"]'),
    section="gpt2-tied-head",
    why="Whether the output layer is tied was decided by the objects. A file that was read holds two tensors with the same numbers.",
    hint="A tied `lm_head.weight` that was read from a file is refused. Compare its numbers, not the objects.",
)

mistake(
    "pretrained.gpt2_state",
    "head-kept",
    edit("return ours", 'return ours | {"lm_head.weight": head}'),
    section="gpt2-tied-head",
    why="The output layer is returned under its published name, which the model does not have. A tied layer needs no tensor of its own.",
    hint="Your function returns `lm_head.weight`, which `GPT2` does not have. Drop it.",
)

mistake(
    "pretrained.gpt2_state",
    "untied-head-dropped",
    edit('if not torch.equal(head, given["wte.weight"])', 'if head.shape != given["wte.weight"].shape'),
    section="gpt2-tied-head",
    why="An `lm_head.weight` is dropped without a look at its numbers. Where it differs from `wte.weight`, the file is of a model whose head is not tied, which this class cannot run.",
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
    why="Tensors that are not known are ignored. A file of another model may then load without a word, with parts missing.",
    hint="An unknown tensor is accepted. It means that the file is not what you think: raise ValueError with its name.",
)

mistake(
    "pretrained.gpt2_state",
    "missing-raises-a-key-error",
    edit('if name not in given:\n    raise ValueError(f"{name} is missing.")', "if name not in given:\n    continue"),
    section="strict-loading",
    why="A missing tensor is not looked for, so a KeyError arises where it is used. It should be a ValueError that says what is wrong with the file.",
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
    why="A missing tensor is replaced by zeros. The model then runs, and writes nonsense.",
    hint="A missing tensor is filled with zeros. Raise ValueError with its name.",
)

mistake(
    "pretrained.gpt2_state",
    "shapes-not-compared",
    edit("if given[name].shape != shapes[name]:", "if False:"),
    section="strict-loading",
    why="Shapes are left to `load_state_dict`. What it complains about is a tensor of ours, and pieces that are cut from a wrong one may even fit.",
    hint="A tensor of another shape passes. Compare each shape with the one that the width of `wte.weight` demands.",
)

mistake(
    "pretrained.gpt2_state",
    "numbers-counted",
    edit("if given[name].shape != shapes[name]", "if given[name].numel() != torch.Size(shapes[name]).numel()"),
    section="strict-loading",
    why="Only how many numbers there are is compared. A transposed matrix has as many.",
    hint="A transposed tensor passes, since it has as many numbers. Compare the shapes.",
)

mistake(
    "pretrained.gpt2_state",
    "only-matrices-compared",
    edit("if given[name].shape != shapes[name]", "if len(shapes[name]) == 2 and given[name].shape != shapes[name]"),
    section="strict-loading",
    why="Shapes of vectors are not compared. A bias of one number would be broadcast to all channels.",
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
    why="Shapes that can be broadcast count as right. A gain of one number is then the same for all channels.",
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
    why="The message says that a tensor is missing, but not which. Among 148 of them the reader needs the name.",
    hint="Your message names no tensor. Put its published name into it.",
)

mistake(
    "pretrained.gpt2_state",
    "in-single-precision",
    edit('removeprefix("transformer."): tensor', 'removeprefix("transformer."): tensor.float()'),
    section="published-names",
    why="All tensors were made float32. A model in float64 loses digits, one in bfloat16 doubles its size.",
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
    why="The names are changed in the argument. The caller finds other names in it afterwards, and fewer.",
    hint="After the call the argument has other names. Build a new dict.",
)

# ---------------------------------------------------------------------------------------------------------------------
# generate_text


mistake(
    "pretrained.generate_text",
    "prompt-counted",
    edit("min(max_new_tokens, room)", "min(max_new_tokens - len(ids), room)"),
    section="text-with-the-cache",
    why="The prompt counts as part of `max_new_tokens`. The name says new: those of the prompt are there already.",
    hint="You write fewer tokens by as many as the prompt has. `max_new_tokens` counts new ones only.",
)

mistake(
    "pretrained.generate_text",
    "one-token-too-many",
    edit("range(min(max_new_tokens, room))", "range(min(max_new_tokens + 1, room))"),
    section="text-with-the-cache",
    why="One token more is written than asked for. The first new token comes from the prompt's logits, so n tokens need n steps.",
    hint="Your text has one token too many.",
)

mistake(
    "pretrained.generate_text",
    "prompt-left-out",
    edit("return decode(ids)", "return decode(ids[len(encode(prompt)) :])"),
    section="text-with-the-cache",
    why="Only the new tokens are decoded. The text should begin with the prompt.",
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
    why="A prompt that is too long loses its beginning. The text would no longer be the prompt and its continuation.",
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
    why="The length of the prompt is not looked at. There is no room, so no step runs, and the prompt comes back as if all were well.",
    hint="A prompt that is too long comes back unchanged. Raise ValueError for it.",
)

mistake(
    "pretrained.generate_text",
    "block-one-token-short",
    edit("model.config.block_size - len(ids)", "model.config.block_size - 1 - len(ids)"),
    section="end-of-the-block",
    why="The text ends one token early. The last token of a full block is never read, but it can be written.",
    hint="Your text stops at `block_size - 1` tokens. It may have `block_size`, the prompt included.",
)

mistake(
    "pretrained.generate_text",
    "goes-on-past-the-block",
    edit("min(max_new_tokens, room)", "max_new_tokens"),
    section="end-of-the-block",
    why="The loop does not stop at `block_size`, so the model refuses what it cannot read, and the whole text is lost. What was written until then would have been a good answer.",
    hint="Near the end of the block the model raises an error. Stop there: at most `block_size - len(prompt)` tokens are new.",
)

mistake(
    "pretrained.generate_text",
    "cache-emptied-at-the-end",
    edit(
        "for _ in range(min(max_new_tokens, room)):",
        "for _ in range(max_new_tokens):\n    if len(ids) >= model.config.block_size:\n        cache, unread = KVCache(), ids[-model.config.block_size // 2 :]",
    ),
    section="end-of-the-block",
    why="At the end of the block the cache is emptied, and the text goes on from its second half. The function is to end there.",
    hint="Your text goes on past `block_size`. End it there.",
)

mistake(
    "pretrained.generate_text",
    "without-a-cache",
    edit("model(torch.tensor([unread], device=device), cache)", "model(torch.tensor([ids], device=device))"),
    section="text-with-the-cache",
    why="The model reads the whole text at every step. The text is right, but each token costs more than the last.",
    hint="Your model gets no cache. Pass one, and only the tokens that it has not read yet.",
)

mistake(
    "pretrained.generate_text",
    "everything-with-the-cache",
    edit("torch.tensor([unread], device=device)", "torch.tensor([ids], device=device)"),
    section="text-with-the-cache",
    why="The whole text is passed although the cache holds most of it. The model takes it for a continuation, and reads it again and again.",
    hint="With a cache you pass the whole text each time, so the model sees it several times. Pass what is new.",
)

mistake(
    "pretrained.generate_text",
    "prompt-not-read",
    edit("unread = ids\nfor", "unread = ids[-1:]\nfor"),
    section="text-with-the-cache",
    why="Only the prompt's last token is read. The cache is empty then, so the model knows nothing of the rest.",
    hint="Your model reads only the last token of the prompt. The first call reads all of it.",
)

mistake(
    "pretrained.generate_text",
    "new-cache-at-each-step",
    edit("cache = KVCache()", ""),
    edit("logits = model(", "cache = KVCache()\nlogits = model("),
    section="text-with-the-cache",
    why="The cache is made inside the loop. It is empty at each step, so the model reads a single token without its past.",
    hint="Your cache is new at every step. Make it once, before the loop.",
)

mistake(
    "pretrained.generate_text",
    "cache-kept-for-the-next-text",
    edit("cache = KVCache()", 'cache = model.__dict__.setdefault("cache", KVCache())'),
    section="text-with-the-cache",
    why="The cache is kept with the model, and serves all calls. The second text goes on where the first ended.",
    hint="Your second text follows the first one: they share a cache. Make a new one in each call.",
)

mistake(
    "pretrained.generate_text",
    "first-position",
    edit("logits[:, -1]", "logits[:, 0]"),
    section="text-with-the-cache",
    why="The next token is taken from the logits of the first position read. That position says what follows the prompt's first token.",
    hint="Your first new token follows the prompt's first token. Take the logits of the last position.",
)

mistake(
    "pretrained.generate_text",
    "prompt-twice",
    edit("return decode(ids)", "return prompt + decode(ids)"),
    section="text-with-the-cache",
    why="The prompt was put before a text that begins with it. The ids that are decoded hold the prompt already.",
    hint="Your text has the prompt twice.",
)

mistake(
    "pretrained.generate_text",
    "tokens-decoded-one-by-one",
    edit("return decode(ids)", 'return "".join(decode([one]) for one in ids)'),
    section="byte-letters",
    why="Each token is decoded by itself. A letter beyond ASCII may consist of several tokens, none of which is a letter.",
    hint="Letters of several bytes come out as U+FFFD. Decode all ids at once.",
)

mistake(
    "pretrained.generate_text",
    "stops-at-three",
    edit("ids = ids + unread", "ids = ids + unread\nif unread == [3]:\n    break"),
    section="text-with-the-cache",
    why="The text ends at id 3, the end symbol of other units. Here 3 is an ordinary token.",
    hint="Your text ends at the id 3. GPT-2's ids are its own; no token ends the text here.",
)

mistake(
    "pretrained.generate_text",
    "start-symbol-added",
    edit("ids = list(encode(prompt))", "ids = [2, *encode(prompt)]"),
    section="text-with-the-cache",
    why="A start symbol was put before the prompt. GPT-2 has none, and 2 is an ordinary token.",
    hint="An id is read before the prompt. Pass the prompt's ids alone.",
)

mistake(
    "pretrained.generate_text",
    "temperature-ignored",
    edit("sample_next(logits[:, -1], temperature, top_k", "sample_next(logits[:, -1], 1.0, top_k"),
    section="text-with-the-cache",
    why="The temperature is not passed on. So the draws are those of temperature 1, whatever was asked for.",
    hint="Your draws are those of temperature 1. Pass `temperature` on.",
)

mistake(
    "pretrained.generate_text",
    "temperature-multiplies",
    edit("sample_next(logits[:, -1], temperature, top_k", "sample_next(logits[:, -1] * temperature, 1.0, top_k"),
    section="text-with-the-cache",
    why="The logits are multiplied by the temperature. They are divided by it, so that a low one makes likely tokens likelier.",
    hint="Your temperature works the other way round. It divides the logits.",
)

mistake(
    "pretrained.generate_text",
    "always-the-likeliest",
    edit("sample_next(logits[:, -1], temperature, top_k, generator=generator)", "logits[:, -1].argmax(-1)"),
    section="text-with-the-cache",
    why="The most likely token is always taken. That is temperature 0.",
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
    why="`top_k` is not passed on. So rare tokens are drawn that the caller has excluded.",
    hint="Tokens are drawn that are not among the `top_k` most likely. Pass `top_k` on.",
)

mistake(
    "pretrained.generate_text",
    "top-k-as-top-p",
    edit("temperature, top_k, generator=generator", "temperature, None, top_k, generator"),
    section="text-with-the-cache",
    why="`top_k` was passed as the fourth argument of `sample_next`, which is `top_p`. A whole number of tokens then arrives as a share of probability.",
    hint="`sample_next` takes `top_k` third and `top_p` fourth; yours arrives as `top_p`. Name the argument.",
)

mistake(
    "pretrained.generate_text",
    "generator-ignored",
    edit(", generator=generator)", ")"),
    section="text-with-the-cache",
    why="The generator is not passed on, so the seed decides nothing. Two calls with equal generators give different texts.",
    hint="The same seed gives another text. Pass `generator` on.",
)

mistake(
    "pretrained.generate_text",
    "generator-of-its-own",
    edit("generator=generator)", "generator=generator or torch.Generator().manual_seed(0))"),
    section="text-with-the-cache",
    why="Without a generator, one with a fixed seed is made. Every call then writes the same text, and at each step the same number is drawn.",
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
    why="The generator starts again at each step. All steps draw the same number, so the draws are not independent.",
    hint="Each of your draws begins with the same random number. Seed a generator once, outside.",
)

mistake(
    "pretrained.generate_text",
    "letters-counted",
    edit("room = model.config.block_size - len(ids)", "room = model.config.block_size - len(prompt)"),
    section="end-of-the-block",
    why="The room in the block is counted in letters of the prompt. The block holds tokens, and a letter can be several of them.",
    hint="For a prompt with an umlaut you take the length of the text. Count its tokens, `len(ids)`.",
)
