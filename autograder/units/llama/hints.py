"""Hints of llama: three per task, from a question about the idea to the skeleton of an answer."""

HINTS: dict[str, tuple[str, str, str]] = {
    "llama.RMSNorm": (
        "LayerNorm subtracts the mean, divides by the standard deviation, and has a gain and a bias. Which of these "
        "four steps are left here? ({Section}`llama#llama-rmsnorm`.)",
        "Take the mean of the squares along the last axis and keep that axis. Add eps, take the root, divide, and "
        "multiply by `self.weight`. In float16 the square of 256 is already infinite: compute in float32 there, and "
        "convert the result back. Leave float64 as it is; `torch.promote_types` finds the type in both cases.",
        "in __init__: weight = a parameter of d ones; remember eps\n"
        "in forward:\n"
        "    wide = x in float32, or as it is if it is float64\n"
        "    normed = wide divided by the root of (mean of wide squared along the last axis, plus eps)\n"
        "    return weight * normed, in the type of x",
    ),
    "llama.apply_rope": (
        "By which angle is pair i of a vector turned at position m? How many angles are there for T positions and "
        "d_head entries? ({Section}`llama#llama-rope`.)",
        "The angles are a table (T, d_head / 2): positions as a column, times the frequencies as a row. Compute it in "
        "float32 at least. Cut x into its two halves, a and b: entry i of a and entry i of b are one pair. The table "
        "broadcasts to both, whatever axes come before.",
        "odd width: raise ValueError\n"
        "frequencies = base ** (-2 i / d_head) for i from 0 to d_head / 2 - 1\n"
        "angles = positions (as a column) * frequencies      # (T, d_head / 2)\n"
        "a, b = first and second half of the last axis of x\n"
        "return a cos - b sin and a sin + b cos, side by side, in the type of x",
    ),
    "llama.SwiGLU": (
        "Two of the three layers read x. What happens to the output of the first, and what to the output of the "
        "second, before they are combined? ({Section}`llama#llama-swiglu`.)",
        "silu(z) = z * sigmoid(z), which is `F.silu`. Apply it to gate(x) alone. Take the product entry by entry, in "
        "the width d_ff; down_proj brings it back to d_model. No layer has a bias.",
        "in __init__: gate_proj and up_proj from d_model to d_ff, down_proj back, all with bias=False\n"
        "in forward: return down_proj of (silu of gate_proj of x, times up_proj of x)",
    ),
    "llama.GroupedQueryAttention": (
        "How many heads do the queries have, and how many do the keys and the values have? Which of them do you have "
        "to repeat before `scaled_dot_product_attention`, and in which order? ({Section}`llama#llama-groups`.)",
        "Split queries into num_heads and keys and values into num_kv_heads. Put keys and values into the cache, if "
        "there is one, and continue with what it returns: all positions so far. If the cache holds keys that are not "
        "yet turned, the positions of all keys are simply 0, 1, 2 and so on. The new positions are the last T of "
        "them. `repeat_interleave` repeats neighbours. The mask compares positions of keys with positions of queries.",
        "q, k, v = projections of x, split into their heads\n"
        "with a cache: k, v = cache.update(layer, k, v)\n"
        "positions = 0 to (number of keys) - 1;  new = the last T of them\n"
        "q = q turned by new;  k = k turned by positions\n"
        "repeat each head of k and v for all query heads of its group\n"
        "heads = attention, where a key may be seen if its position <= that of the query\n"
        "return o_proj of the merged heads",
    ),
    "llama.LlamaBlock": (
        "This is the pre-norm block that you know, with three new parts. Which norm comes before which sublayer? "
        "({Section}`llama#llama-block`.)",
        "Pass config.eps to both norms, and config.num_heads, config.num_kv_heads and config.base to the attention. "
        "`post_attention_layernorm` is named after the layer before it, but normalises the input of the feed-forward "
        "layer. Pass cache and layer on to the attention.",
        "in __init__: the four parts, made with the sizes of config\n"
        "in forward:\n"
        "    x = x + attention of the normed x, with cache and layer\n"
        "    return x + feed-forward layer of the normed x",
    ),
    "llama.Llama": (
        "What does BabyGPT add to the embeddings that this model does not need? And which tensor is the head when it "
        "is tied? ({Section}`llama#llama-model`.)",
        "Put the blocks into an nn.ModuleList, a new one for each layer. Call each with the cache and with its own "
        "number, from 0. After the last norm, a tied head multiplies by the table of tokens. `F.linear` takes a "
        "weight as its second argument. A head of its own is an nn.Linear without bias, which only exists if "
        "config.tied is false.",
        "in __init__: embed_tokens, layers, norm; if not tied: lm_head\n"
        "in forward:\n"
        "    x = rows of the table\n"
        "    for each block and its number: x = block(x, cache, number)\n"
        "    x = norm of x\n"
        "    return x times the table, or lm_head of x",
    ),
    "llama.llama_state": (
        "Write down the nine names of one layer, with their shapes in letters. Which of these letters can you read "
        "off a checkpoint, and from which tensor? ({Section}`llama#llama-names`.)",
        "First make a dict of all names that there should be, for layers 0 up to the largest number that occurs. "
        "Compare it with the checkpoint in both directions. Then compare shapes: the norms give you d, the table "
        "gives you V, and any layer gives you the width of the keys and d_ff. `torch.equal` says whether a head is "
        "tied.",
        "parts = the nine names of a layer, with their axes\n"
        "wanted = all names with their axes; lm_head.weight only if it is there\n"
        "for each wanted name that is not there: raise ValueError with the name\n"
        "for each name that is not wanted: raise ValueError with the name\n"
        "for each name: compare its shape with the sizes; raise ValueError with the name\n"
        "result = the same tensors, names without 'model.'\n"
        "leave lm_head.weight out if it equals the table",
    ),
    "llama.test_rope": (
        "What should come out at position 0? And at position 1, for the vector (1, 0, 0, 0)? Write down four numbers. "
        "({Section}`llama#llama-rope-pairs`.)",
        "Compute what you expect in another way, for example with complex numbers: first half plus i times second "
        "half, times `torch.polar(1, angle)`. Take a width of 6 or more, positions with gaps and out of order, 0 "
        "among them, sizes that all differ, and a second base. Then test bfloat16 with a position beyond 256, that x "
        "has not changed after the call, and an odd width.",
        "x = random (2, 3, 4, 6); positions = four numbers such as 0, 5, 2, 900\n"
        "for the default base and for another one:\n"
        "    expected = (first half + i * second half) * (cos of the angles + i * sin of the angles)\n"
        "    compare, with a tolerance of 1e-3; compare x with a copy from before\n"
        "in bfloat16: the type, and the numbers with a wide tolerance\n"
        "an odd width: return if that raises, otherwise raise an error of your own",
    ),
}
