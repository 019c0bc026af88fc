"""Hints of unit `translation`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "translation.token_batches": (
        "Three pairs have sources of 2, 3 and 7 tokens and targets of 9, 4 and 5. They become two padded tensors. How "
        "many places do these have together? What would a fourth pair of 8 and 3 tokens make of it?",
        "Sort the places 0, 1, ... by the lengths found there; `pairs` stays as it is. Keep two maxima, the longest "
        "source and the longest target of the batch, which may belong to different pairs. Ask what the batch costs "
        "with the newcomer in it: one pair more, and maybe longer maxima. Do not forget the last batch. "
        "torch.randperm(n, generator=...) gives an order in which to put whole batches.",
        "raise ValueError, with its place, for a pair that alone costs more than max_tokens\n"
        "batches = []\n"
        "for each place, in the order of lengths:\n"
        "    longest source and target, this pair among them\n"
        "    if there is no batch yet, or (its pairs + 1) * (both together) is above max_tokens:\n"
        "        begin a new batch, whose longest are those of this pair\n"
        "    put the place into the last batch\n"
        "with a generator: put the batches into the order of randperm\n"
        "return batches",
    ),
    "translation.training_step": (
        "Two micro-batches of 6 and of 2 target tokens have the losses 12 and 8, as sums. What is the loss per token "
        "of both together? By what has each of the two sums to be divided, so that their gradients add up to the "
        "right one?",
        "`loss_fn` returns a sum, so divide each by the tokens of all micro-batches before its backward pass; "
        "`batch.ntokens` tells them. Gradients add up by themselves, if they are set back once, before the first. "
        "The gradient is complete after the last backward pass: that is when it is clipped. "
        "`nn.utils.clip_grad_norm_(parameters, limit)` returns the norm from before, also with an infinite limit.",
        "training mode; set the gradients back\n"
        "tokens = target tokens of all micro-batches\n"
        "for each micro-batch:\n"
        "    model, generator, loss_fn of rows (N, V) and targets (N,)\n"
        "    backward pass of loss / tokens; add the number to the total\n"
        "norm = clip all gradients together (to infinity, where there is no limit)\n"
        "step of the optimiser, then of the scheduler if there is one\n"
        "return StepResult(loss per token, tokens, norm), as plain numbers",
    ),
    "translation.evaluate": (
        "Which two questions does each score answer: what does the model write when nobody helps it, and how likely "
        "does it find what a person wrote? For which of them does it need the reference as input?",
        "`encode_pairs`, `token_batches` and `make_batch` give you batches for the loss; add up sums and tokens, and "
        "divide at the end. `max_tokens` has to be at least the cost of the largest pair. `translate` writes the "
        "translations; BLEU gets lists of words, one list of references for each. Evaluation mode, no gradients, and "
        "the mode that the model came in at the end. Without pairs there is nothing to divide by.",
        "tokenizer: the one given, or model.tokenizer\n"
        "remember the model's mode; evaluation mode\n"
        "ids of all pairs; limit = max_tokens, or the largest pair if it costs more\n"
        "without gradients, for each batch of token_batches:\n"
        "    log-probabilities; add the sum of the losses (padding ignored) and the tokens\n"
        "outputs = translations of all sources, with tokenizer and beam_size\n"
        "mode back to what it was\n"
        "return BLEU of words(outputs) against [words(target)], and loss / tokens",
    ),
    "translation.attention_maps": (
        "A decoder layer attends twice. Whose words are the queries each time, and whose are the keys? Which of the "
        "three maps is not square?",
        "Every `MultiHeadAttention` keeps `weights`, (1, H, T_q, T_k) for one sentence, of its last call. One call of "
        "`model(src, tgt)` fills them all: `layer.self_attention` in `model.encoder.layers` and in "
        "`model.decoder.layers`, `layer.cross_attention` in the latter. Dropout would strike out weights, so the "
        "model has to be in evaluation mode during the call, and in its own mode afterwards.",
        "remember the model's mode; evaluation mode\n"
        "without gradients: call the model\n"
        "mode back to what it was\n"
        "for each of the three kinds: stack the weights of its layers, without the axis of the batch\n"
        'return a dictionary with "encoder", "decoder", "cross"',
    ),
    "translation.read_alignment": (
        "`weights` has a row for each target word. What do the numbers in a row add up to, and which one of them "
        "would you point at?",
        "Along which axis do you look for the maximum, if there is to be one result per row? What is wanted is its "
        "place, an int, and of equal weights the first.",
        "for each row: the first place with its largest weight\nreturn these places as a list of int",
    ),
    "translation.train_translator": (
        "You have a minute. What does a step cost, how many steps does that make, and how often do you see each pair? "
        "What is lost with a model of half the width?",
        "All parts are there: a `Vocabulary` of `words` for each language, `make_model`, `token_batches`, "
        "`training_step`, `greedy_decode`. One layer with a width of 64 is enough for short sentences. A schedule "
        "that falls to 0 at the last step, which you know in advance, is worth more than any other trick. Set the "
        "seed before you make the model. Call your function with grammar_pairs(3000, 1), and measure seconds and BLEU.",
        "set the seed; make a generator for the batches\n"
        "a vocabulary for each language; ids of all pairs, targets from BOS to EOS\n"
        "model, loss, optimiser, schedule over all steps\n"
        "for some epochs: for each batch of token_batches: training_step\n"
        "evaluation mode\n"
        "def translate(sentences): ids, padded; greedy_decode; texts\n"
        "return model, translate",
    ),
}
