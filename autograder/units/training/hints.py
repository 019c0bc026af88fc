"""Hints of unit `training`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "training.Batch": (
        "Write down the target <bos> A B <eos> and, under each id that the decoder reads, the id that it should "
        "predict there. Which id does the decoder never read, and which one does it never predict?",
        "tgt and tgt_y are slices of the target along the second axis, each one position shorter. src_mask comes from "
        "src, tgt_mask from what the decoder reads. The unit masks has a function for each; pass pad_id on to both. "
        "ntokens is a Python int and counts the tokens of tgt_y. Without a target, its three tensors are None and "
        "ntokens is 0. tensor.to(device) returns a new tensor.",
        "in __init__:\n"
        "    src, and its padding mask\n"
        "    tgt, tgt_y, tgt_mask = None; ntokens = 0\n"
        "    if there is a target:\n"
        "        tgt is all but the last id, tgt_y all but the first\n"
        "        tgt_mask: the decoder's mask of tgt\n"
        "        ntokens: how many entries of tgt_y differ from pad_id, as an int\n"
        "in to: a copy of self, in which every tensor is moved to the device",
    ),
    "training.copy_task": (
        "What is the translation of a sequence in this task, and which of its ids is not random?",
        "torch.randint never draws its upper bound, and accepts None as a generator. Draw inside the loop. Ids below "
        "4 are special. Batch shifts the target itself, so it gets the whole sequence twice.",
        "repeat num_batches times:\n"
        "    ids = random whole numbers from 4 to vocab_size - 1, of shape (batch_size, length)\n"
        "    the first column is BOS\n"
        "    yield a Batch whose source and target are ids",
    ),
    "training.bucket_batches": (
        "Three sequences of 2, 3 and 7 tokens become one batch. What is its padded size? When may a fourth sequence "
        "join?",
        "Sort the indices 0, 1, ... by their lengths, and leave the list of lengths unchanged. In this order "
        "the sequence that joins is the longest, so its length is the width of the padded batch. Count the sequence "
        "that joins, too. Do not forget the last batch. torch.randperm(n, generator=...) gives a random order for "
        "whole batches.",
        "raise ValueError if a length is above max_tokens\n"
        "batches = []\n"
        "for each index, in the order of lengths:\n"
        "    if there is no batch yet, or the last one would become too large with it:\n"
        "        begin a new batch\n"
        "    put the index into the last batch\n"
        "with a generator: put the batches into a random order\n"
        "return batches",
    ),
    "training.run_epoch": (
        "Two batches of 4 tokens and of 1 token have the losses 4 and 5, as sums. What is the loss per token? What is "
        "the mean of the two means, and which token counts more in it?",
        "loss_fn returns a sum, so divide by the tokens of the whole group before the backward pass: gradients then "
        "add up over its batches. Clear the gradients before the first batch of a group. To know the tokens of a "
        "group, collect its batches first: itertools.islice takes the next few items of an iterator. The last group "
        "may be smaller. Add up loss.item(). model.train(flag) and torch.set_grad_enabled(flag) serve both training "
        "and evaluation.",
        "training or evaluation: set the mode of the model, and whether gradients are recorded\n"
        "while there is a next group of up to accumulate batches:\n"
        "    tokens = those of the group\n"
        "    training: clear the gradients\n"
        "    for each batch: model, generator, loss as a sum\n"
        "        training: backward pass of loss / tokens\n"
        "        add the loss to the total\n"
        "    training: step of the optimiser, one more step counted, then the scheduler if there is one\n"
        "return EpochResult(total / all tokens, or 0.0; all tokens; seconds since the start; steps)",
    ),
    "training.test_accumulation": (
        "Accumulation promises the step of one large batch. So you can compute that step yourself, on a copy of the "
        "model, and compare parameters. Which batches hide a wrong divisor? How many batches must be left at the end? "
        "({Section}`training#accumulation`.)",
        "Make five batches of different sizes and use `accumulate=3`, so that two batches are left for the second "
        "step. `copy.deepcopy(TinyModel())` is a copy with the same parameters. For each of the two groups, add the "
        "summed losses of the copy, divide by the tokens of the group, and make a step of plain gradient descent at "
        "the rate that the schedule has by then. Leave a gradient in the model before you call `run_epoch`. Compare "
        "the parameters with `torch.testing.assert_close`, then the rate, the loss, the tokens and the steps.",
        "make five batches of different sizes, a TinyModel and its copy, SGD for each, a schedule for the model\n"
        "leave a gradient in the model\n"
        "for the first three batches, and for the other two:\n"
        "    on the copy: loss = sum of the summed losses; clear gradients; backward of loss / tokens of the group\n"
        "    step at the rate of the schedule; add loss to the total\n"
        "result = run_epoch(..., accumulate=3)\n"
        "assert that the parameters are close, that the rate is the third one,\n"
        "    and that loss, tokens and steps are what you counted",
    ),
}
