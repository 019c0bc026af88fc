"""Hints of unit `translation`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "translation.evaluate": (
        "One score judges what the model writes without help. The other says how likely the model finds what a person "
        "wrote. Which score is which, and for which of them does the model need the reference as input?",
        "`encode_pairs`, `token_batches` and `make_batch` give you batches for the loss. Add up sums and tokens, and "
        "divide at the end. `max_tokens` has to be at least the size of the largest pair. `translate` writes the "
        "translations; BLEU gets each translation as a list of words, and for each a list with its one reference. Use "
        "evaluation mode without gradients, and restore the model's mode at the end. Without pairs, do not divide.",
        "tokenizer: the one given, or model.tokenizer\n"
        "remember the model's mode; evaluation mode\n"
        "ids of all pairs; limit = max_tokens, or the largest pair if it costs more\n"
        "without gradients, for each batch of token_batches:\n"
        "    log-probabilities; add the sum of the losses (padding ignored) and the tokens\n"
        "outputs = translations of all sources, with tokenizer and beam_size\n"
        "restore the mode\n"
        "return BLEU of the words of the outputs and of the targets, and the loss per token",
    ),
    "translation.early_stopping": (
        "The losses are 5, 4, 4.5, 4.2. Which one is the best, and how many validations have come since? With which "
        "patience would you stop here?",
        "Go through the losses with their index and keep the index of the lowest so far; `<` keeps the first of equal "
        "ones, and `math.isnan` finds the losses to leave out. The length of the list tells you how many losses came "
        "after the best one. Without a best one, do not stop.",
        "raise ValueError for a patience below 1\n"
        "best = None\n"
        "for each index and loss:\n"
        "    if it is not NaN, and there is no best yet or this loss is lower: best = index\n"
        "stop = there is a best one, and at least patience losses come after it\n"
        "return best, stop",
    ),
    "translation.save_checkpoint": (
        "Suppose that the power fails after a step, and you start the program again. What does the next step need "
        "that is not in the program? There are five things; one of them draws the random numbers of dropout.",
        "Three of the five have `state_dict()`. PyTorch's generator has `torch.get_rng_state()`, and the position is "
        "passed to you. Put all five into one dictionary, under the names of the docstring. A file is incomplete "
        "while you write it. So write to another name in the same folder, then rename the file with `os.replace`.",
        'everything = a dictionary: "model", "optimizer", "scheduler" (their state_dict()),\n'
        '    "random" (the state of the generator), "position"\n'
        "torch.save it beside the path, under another name\n"
        "rename it to the path, with os.replace",
    ),
    "translation.load_checkpoint": (
        "The objects exist already, and the optimiser holds the parameters of this model. Do the objects need new "
        "tensors, or new numbers in their tensors?",
        "`torch.load(path, weights_only=True)` gives the dictionary. Three of its entries go into `load_state_dict`, "
        "one into `torch.set_rng_state`, and one back to the caller.",
        "saved = the dictionary in the file\n"
        "fill model, optimizer and scheduler\n"
        "set the state of PyTorch's generator\n"
        "return the position",
    ),
    "translation.average_gradients": (
        "Two processes have 10 and 30 target tokens. Their losses are sums, so their gradients are too. By what do "
        "you divide the sum of both gradients? And what happens if only one of the two has used a parameter?",
        "`all_reduce` needs a tensor, even for the number of tokens: `torch.tensor(tokens)`. Every process has to "
        "call it for the same parameters in the same order. So a process whose gradient is `None` contributes zeros. "
        "`model.parameters()` gives a tied table once.",
        "total = the tokens, in a tensor; all_reduce it\n"
        "for each parameter that requires gradients:\n"
        "    zeros, if it has no gradient\n"
        "    all_reduce the gradient\n"
        "    divide it by total, or by 1 if that is 0\n"
        "return total as an int",
    ),
    "translation.training_resources": (
        "How many weights does one layer have? Which of all parameters multiply a vector, and which are only looked up "
        "or added?",
        "Write down the shape of every matrix in a layer: four projections, and two in the feed-forward part. Each has "
        "a bias for every output. Each normalisation has a gain and a bias. The output layer multiplies every token by "
        "a whole table. The docstring has the formulas: bytes for one layer, operations for one token.",
        "tokens = rows times length\n"
        "weights of a layer: 12 d^2; of the output layer: V d\n"
        "biases and normalisations: 13 d in a layer, and 2 d after the last\n"
        "parameters = all of these, and the table of positions\n"
        "activation_bytes = layers times the bytes of one\n"
        "operations = tokens times (6 for each weight that multiplies, and the attention term)\n"
        "utilisation = operations / (seconds times peak times devices)\n"
        "return Resources(...)",
    ),
    "translation.attention_maps": (
        "A decoder layer attends twice. Whose words are the queries each time, and whose are the keys? Which of the "
        "three maps is not square?",
        "Every `MultiHeadAttention` keeps the `weights` of its last call, (1, H, T_q, T_k) for one sentence. One call "
        "of `model(src, tgt)` fills them all. You find `layer.self_attention` in `model.encoder.layers` and in "
        "`model.decoder.layers`, and `layer.cross_attention` in the latter. Dropout would drop weights. So use "
        "evaluation mode during the call, and restore the mode afterwards.",
        "remember the model's mode; evaluation mode\n"
        "without gradients: call the model\n"
        "restore the mode\n"
        "for each of the three kinds: stack the weights of its layers, without the axis of the batch\n"
        'return a dictionary with "encoder", "decoder", "cross"',
    ),
    "translation.read_alignment": (
        "`weights` has a row for each target word. What do the numbers in a row add up to, and which of them marks "
        "the source word?",
        "Along which axis do you take the maximum to get one result per row? Return its index as an int, and of equal "
        "weights the first.",
        "for each row: the first index with its largest weight\nreturn these indices as a list of int",
    ),
    "translation.train_translator": (
        "You have a minute. How long does a step take, how many steps fit, and how often does the model see each "
        "pair? What do you lose with a model of half the width?",
        "You have all the parts: a `Vocabulary` of `words` for each language, `make_model`, `token_batches`, "
        "`training_step`, `greedy_decode`. One layer with a width of 64 is enough for short sentences. You know the "
        "last step in advance. A schedule that falls to 0 there helps more than any other trick. Set the seed "
        "before you make the model. Call your function with grammar_pairs(3000, 1), and measure seconds and BLEU.",
        "set the seed; make a generator for the batches\n"
        "a vocabulary for each language; ids of all pairs, targets from BOS to EOS\n"
        "model, loss, optimiser, schedule over all steps\n"
        "for some epochs: for each batch of token_batches: training_step\n"
        "evaluation mode\n"
        "def translate(sentences): ids, padded; greedy_decode; texts\n"
        "return model, translate",
    ),
}
