"""Hints of unit `optim`: three per task, from a question about the idea to the skeleton of an answer."""

HINTS = {
    "optim.noam_lr": (
        "Draw the two branches of the minimum for a warm-up of 4 steps and the steps 1 to 16. Where do they cross, and "
        "which of the two does the schedule follow on each side?",
        "Take the smaller branch and multiply it by the power of d_model and by factor. 0**-0.5 is a division by zero, "
        "so replace step 0 by 1 first. A warmup below 1 is an error; 1 itself is allowed. Plain numbers, ** and min "
        "give you a float. But -1 // 2 is -1, which is no exponent for a root.",
        "if warmup is below 1: raise ValueError that names warmup and its value\n"
        "step = the larger of step and 1\n"
        "return factor * (d_model to the power -0.5) * (the smaller of the two branches)",
    ),
    "optim.AdamW": (
        "Which three things does the optimiser have to remember of each parameter from one step to the next, and what "
        "are they before the first step? By which factor does weight decay alone change a parameter?",
        "Keep all that you remember in self.state[p], a dictionary that is empty at first: two tensors like p and a "
        "count. Read the options from the group in each step. Change p in place, and never p.grad. Skip a gradient of "
        "None with continue. A closure needs torch.enable_grad(). Add 1 to the count before the bias correction uses "
        "it.",
        "in __init__: hand params and a dictionary of the four options to super().__init__\n"
        "in step: loss = closure(), with gradients enabled, if there is one\n"
        "for each group, for each p with a gradient:\n"
        "    state = self.state[p];  fill it if it is empty (t = 0, m and v zeros)\n"
        "    raise t by 1\n"
        "    shrink p by lr * weight_decay of itself\n"
        "    m, v: keep the share beta, add the share 1 - beta of g, of g * g\n"
        "    p: subtract lr * (corrected m) / (root of corrected v, plus eps)\n"
        "return loss",
    ),
    "optim.noam_scheduler": (
        "LambdaLR calls your function with 0 when it is made, before any step, and with 1 after the first step. For "
        "which step does it need the rate when it calls your function with 0?",
        "LambdaLR(optimizer, function) multiplies the lr that each group had at the start, here 1.0, by what function "
        "returns for the number of finished steps. The number of the next step is one more. Pass "
        "d_model, warmup and factor on, in the order that noam_lr has. Count nothing yourself.",
        "define a function of the number of finished steps:\n"
        "    the rate of the step that comes next\n"
        "return LambdaLR of the optimiser and this function",
    ),
    "optim.clip_grad_norm": (
        "All gradients together are one long vector. If three pieces of it have the norms 2, 3 and 6, what is the norm "
        "of the whole? And what should happen to a vector that is short enough already?",
        "First collect the gradients that are not None in a list, since parameters may be readable only once. Norms "
        "combine by Pythagoras: add the squares, then take the root. If the norm is above max_norm, multiply every "
        "gradient by one factor, in place. Return the norm from before, as a float.",
        "gradients = list of the gradients that exist\n"
        "norm = root of the sum of squares of their norms, as a float\n"
        "if norm is above max_norm:\n"
        "    multiply each gradient, in place, by what makes the norm max_norm\n"
        "return norm",
    ),
    "optim.test_schedule": (
        "The formula gives the rate of every step. On which side of the peak does each of its two branches count, and "
        "what must happen at the edges? ({Section}`optim#schedule-formula` and {heading}`optim#schedule-edges`.)",
        "Write the formula down in your test. Compare for two sets of arguments that differ in everything, at steps "
        "before, at and after the peak, and at step 0. The quotient of the two rates should be within 0.0001 of 1: a "
        "fixed tolerance is larger than the early rates. Then leave `warmup` and `factor` out once. Try a `warmup` of "
        "1, and test that 0 and a negative `warmup` raise an error.",
        "for two sets of width, warmup, factor:\n"
        "    for steps 0, 1, some before the peak, at the peak, and after it:\n"
        "        expected = the formula, with step 1 in place of step 0\n"
        "        assert that rate / expected is close to 1\n"
        "assert that the defaults are a warmup of 4000 and a factor of 1; call it with a warmup of 1\n"
        "for warmup 0 and -3: call it; if that call raises nothing, raise an error of your own",
    ),
}
