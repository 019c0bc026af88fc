"""Wrong implementations of the tasks of optim, each with the misconception behind it.

Every entry is wrong in one respect only. When two would give the same results, the first is named.
"""

from autograder.course.catalogue import edit, mistake

# ---------------------------------------------------------------------------------------------------------------------
# noam_lr


mistake(
    "optim.noam_lr",
    "larger-branch",
    edit("min(step**-0.5, step * warmup**-1.5)", "max(step**-0.5, step * warmup**-1.5)"),
    section="schedule-formula",
    why="The larger of the two branches was taken. The rate then starts at its highest value, falls to the peak of the "
    "schedule, and rises without end.",
    hint="Your rate starts high, falls until step `warmup` and then rises for ever: you take the larger branch where "
    "the smaller one is meant. Draw both curves; the schedule runs along the lower one.",
)

mistake(
    "optim.noam_lr",
    "no-warm-up",
    edit("min(step**-0.5, step * warmup**-1.5)", "step**-0.5"),
    section="schedule-formula",
    why="Only the falling branch counts, either because the other was left out or because its exponent of `warmup` has "
    "lost the minus. The rate is then highest at the first step, which is the very thing a warm-up avoids.",
    hint="Your rate falls from the first step on, and `warmup` plays no part in it. Before step `warmup` the other "
    "branch, `step * warmup**-1.5` with a minus, is the smaller one.",
)

mistake(
    "optim.noam_lr",
    "no-decay",
    edit(
        "factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)",
        "factor * d_model**-0.5 * step * warmup**-1.5",
    ),
    section="schedule-formula",
    why="Only the rising branch was used, so the rate grows without end. After the warm-up it should fall as one over "
    "the root of the step.",
    hint="Your rate goes on rising after step `warmup`. From there on the other branch, `step**-0.5`, is the smaller "
    "one.",
)

mistake(
    "optim.noam_lr",
    "level-after-warm-up",
    edit("step**-0.5", "warmup**-0.5"),
    section="schedule-formula",
    why="The rate stays at its peak after the warm-up. The schedule of the paper falls as one over the root of the "
    "step.",
    hint="Up to step `warmup` your rates are right, and then they stay level. After the warm-up the branch is "
    "`step**-0.5`, not `warmup**-0.5`.",
)

mistake(
    "optim.noam_lr",
    "falls-as-one-over-step",
    edit("step**-0.5", "step**-1.0"),
    section="schedule-formula",
    why="The falling branch is one over the step, not one over its root. Then the two branches do not meet at step "
    "`warmup`.",
    hint="Your rate falls much too fast: after four times as many steps it should be half as high, not a quarter. The "
    "exponent of the falling branch is -0.5.",
)

mistake(
    "optim.noam_lr",
    "integer-exponent",
    edit(
        "d_model**-0.5 * min(step**-0.5, step * warmup**-1.5",
        "d_model**(-1 // 2) * min(step**(-1 // 2), step * warmup**(-3 // 2)",
    ),
    section="schedule-formula",
    why="The exponent was written as `-1 // 2`, which is -1 in Python. Whole-number division rounds down.",
    hint="Your rate is too low by another root: `-1 // 2` is -1, because `//` rounds down. Write `-0.5`.",
)

mistake(
    "optim.noam_lr",
    "warm-up-exponent-half",
    edit("warmup**-1.5", "warmup**-0.5"),
    section="schedule-peak",
    why="The rising branch has `warmup**-0.5` where the formula has `warmup**-1.5`. It is then so steep that the "
    "falling branch is smaller from the first or second step on.",
    hint="Your rate is at its highest at once: the rising branch is `warmup` times too steep. Its exponent is -1.5, so "
    "that both branches are equal at step `warmup`.",
)

mistake(
    "optim.noam_lr",
    "warm-up-exponent-one",
    edit("warmup**-1.5", "warmup**-1.0"),
    section="schedule-peak",
    why="The rising branch has `warmup**-1`, as if the peak were 1. The branches then meet long before step `warmup`.",
    hint="Your rate turns round before step `warmup`: with `step / warmup` the branches do not meet there. Put `step = "
    "warmup` into both and choose the exponent so that they agree.",
)

mistake(
    "optim.noam_lr",
    "peak-of-one",
    edit("min(step**-0.5, step * warmup**-1.5)", "min((warmup / step) ** 0.5, step / warmup)"),
    section="schedule-peak",
    why="The schedule was scaled so that its peak is `d_model**-0.5`. In the formula the peak also depends on the "
    "warm-up, as `warmup**-0.5`.",
    hint="Your curve has the right shape, but it is higher by the root of `warmup`: you rise to 1 where the formula "
    "rises to `warmup**-0.5`.",
)

mistake(
    "optim.noam_lr",
    "width-not-inverted",
    edit("d_model**-0.5", "d_model**0.5"),
    section="schedule-formula",
    why="The rate was multiplied by the root of `d_model`. Wider models get lower rates, not higher ones.",
    hint="Your rates are higher by the factor `d_model`: its exponent is -0.5, not 0.5. A wider model takes smaller "
    "steps.",
)

mistake(
    "optim.noam_lr",
    "width-without-root",
    edit("d_model**-0.5", "d_model**-1.0"),
    section="schedule-formula",
    why="The rate was divided by `d_model` in place of its root. For a width of 512 it is about 23 times too low.",
    hint="Your rates are too low by the root of `d_model`: divide by the root and not by the width itself.",
)

mistake(
    "optim.noam_lr",
    "width-forgotten",
    edit("factor * d_model**-0.5", "factor"),
    section="schedule-formula",
    why="`d_model` does not enter at all. The schedule should be lower for wider models.",
    hint="Your rates are the same for every `d_model`. The formula begins with `d_model**-0.5`.",
)

mistake(
    "optim.noam_lr",
    "width-inside-minimum",
    edit("factor * d_model**-0.5 * min(step**-0.5", "factor * min(d_model**-0.5 * step**-0.5"),
    section="schedule-formula",
    why="The width was multiplied into the first branch only. The second one is then too high, and the branches meet "
    "at another step.",
    hint="Before the warm-up ends your rates are too high, afterwards they are right: `d_model**-0.5` belongs in front "
    "of the minimum, where it multiplies both branches.",
)

mistake(
    "optim.noam_lr",
    "factor-forgotten",
    edit("factor * d_model**-0.5", "d_model**-0.5"),
    section="schedule-formula",
    why="`factor` was ignored. It scales the whole schedule.",
    hint="Your rates do not change with `factor`. It multiplies everything else.",
)

mistake(
    "optim.noam_lr",
    "factor-on-one-branch",
    edit("factor * d_model**-0.5 * min(step**-0.5", "d_model**-0.5 * min(factor * step**-0.5"),
    section="schedule-formula",
    why="`factor` multiplies the falling branch only. The rising one stays as it was, and the peak moves to another "
    "step.",
    hint="With a `factor` other than 1 your rate is right after the peak and wrong before it: it multiplies the "
    "minimum, not one of the branches.",
)

mistake(
    "optim.noam_lr",
    "factor-of-two",
    edit(
        "def noam_lr(step, d_model, warmup=4000, factor=1.0):",
        "def noam_lr(step, d_model, warmup=4000, factor=2.0):",
    ),
    section="schedule-formula",
    why="The default of `factor` is 2, as in some configurations. The exercise asks for 1.",
    hint="Called without `factor` you return twice the right rate: the default is 1.0.",
)

mistake(
    "optim.noam_lr",
    "other-default-warm-up",
    edit("def noam_lr(step, d_model, warmup=4000, factor=1.0):", "def noam_lr(step, d_model, warmup=400, factor=1.0):"),
    section="schedule-formula",
    why="The default of `warmup` is not 4000. The paper's number is part of the signature here.",
    hint="Called without `warmup` your rates differ: the default is the 4000 of the paper.",
)

mistake(
    "optim.noam_lr",
    "warm-up-fixed",
    edit("warmup**-1.5", "4000**-1.5"),
    section="schedule-formula",
    why="4000 was written into the formula, and the argument `warmup` is ignored. The peak is then always at step "
    "4000.",
    hint="Your peak is at step 4000, whatever `warmup` says. Use the argument.",
)

mistake(
    "optim.noam_lr",
    "step-zero-not-handled",
    edit("step = max(step, 1)", ""),
    section="schedule-edges",
    why="Step 0 was put into the formula as it is. Zero to a negative power is a division by zero.",
    hint="`noam_lr(0, ...)` raises ZeroDivisionError, and a scheduler calls it with 0 when it is made. Step 0 counts "
    "as step 1.",
)

mistake(
    "optim.noam_lr",
    "step-zero-gives-zero",
    edit("step = max(step, 1)", "if step == 0:\n    return 0.0"),
    section="schedule-edges",
    why="Step 0 gives a rate of 0. The first step of a training run would then change nothing.",
    hint="Your rate of step 0 is 0, and a first step with it would do nothing at all. Step 0 counts as step 1.",
)

mistake(
    "optim.noam_lr",
    "every-step-shifted",
    edit("max(step, 1)", "step + 1"),
    section="schedule-edges",
    why="1 was added to every step so that 0 does no harm. Then every other step gets the rate of the one after it.",
    hint="Every rate of yours is that of the step after it. Only step 0 is special: it counts as 1, and 1 stays 1.",
)

mistake(
    "optim.noam_lr",
    "step-zero-made-tiny",
    edit("max(step, 1)", "step + 1e-8"),
    section="schedule-edges",
    why="A tiny number was added to the step so that 0 does no harm. Step 0 then gets a rate of nearly 0 in place of "
    "that of step 1.",
    hint="Your rate of step 0 is practically 0. It should equal that of step 1: take the larger of the step and 1.",
)

mistake(
    "optim.noam_lr",
    "warm-up-not-checked",
    edit(
        """
        if warmup < 1:
            raise ValueError(f"warmup is {warmup}, but has to be at least 1: it is the step with the highest rate.")
        """,
        "",
    ),
    section="schedule-edges",
    why="A warm-up below 1 was not refused. 0 ends in a division by zero deep inside, and a negative number in complex "
    "numbers.",
    hint="`warmup=0` does not raise a ValueError in your function. Test for it first, and name the argument and its "
    "value in the message.",
)

mistake(
    "optim.noam_lr",
    "warm-up-asserted",
    edit(
        """
        if warmup < 1:
            raise ValueError(f"warmup is {warmup}, but has to be at least 1: it is the step with the highest rate.")
        """,
        'assert warmup >= 1, f"warmup is {warmup}"',
    ),
    section="schedule-edges",
    why="The warm-up is tested with `assert`, which raises AssertionError and disappears when Python runs with -O. "
    "Wrong arguments raise ValueError.",
    hint="For `warmup=0` you raise AssertionError: use `raise ValueError(...)` in place of `assert`.",
)

mistake(
    "optim.noam_lr",
    "warm-up-raised-to-one",
    edit(
        """
        if warmup < 1:
            raise ValueError(f"warmup is {warmup}, but has to be at least 1: it is the step with the highest rate.")
        """,
        "warmup = max(warmup, 1)",
    ),
    section="schedule-edges",
    why="A warm-up below 1 was silently taken as 1, or as none. A typing error in a configuration then goes unnoticed.",
    hint="For `warmup=0` you return a rate. It should be an error: raise ValueError with a message that names "
    "`warmup`. A caller who wants no warm-up passes 1.",
)

mistake(
    "optim.noam_lr",
    "warm-up-of-one-refused",
    edit("warmup < 1", "warmup <= 1"),
    section="schedule-edges",
    why="A warm-up of 1 was refused too. It is the shortest one: the first step has the highest rate.",
    hint="For `warmup=1` you raise an error, but 1 is allowed: refuse what is below 1.",
)

mistake(
    "optim.noam_lr",
    "returns-a-tensor",
    edit(
        "step = max(step, 1)",
        "step = max(step, 1)\nstep, warmup = torch.tensor(float(step)), torch.tensor(float(warmup))",
    ),
    edit("min(step**-0.5, step * warmup**-1.5)", "torch.minimum(step**-0.5, step * warmup**-1.5)"),
    section="schedule-formula",
    why="The rate is a tensor. Schedulers, logs and JSON files want a Python float.",
    hint="You return a tensor; the task needs a Python float. Plain arithmetic with `**` and `min` gives one, "
    "`.item()` makes one of a tensor.",
)

mistake(
    "optim.noam_lr",
    "linear-decay",
    edit(
        "step = max(step, 1)",
        """
        step = max(step, 1)
        peak = factor * d_model**-0.5 * warmup**-0.5
        if step <= warmup:
            return peak * step / warmup
        """,
    ),
    edit("factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)", "peak * max(0.0, 2 - step / warmup)"),
    section="schedule-formula",
    why="After the warm-up the rate falls along a straight line. The paper's falls as one over the root of the step.",
    hint="Your rates are right up to step `warmup`, and then fall along a straight line. The falling branch is "
    "`step**-0.5`.",
)

mistake(
    "optim.noam_lr",
    "whole-steps-lost",
    edit("step * warmup**-1.5", "step // warmup * warmup**-0.5"),
    section="schedule-formula",
    why="The rising branch uses `//`. The quotient of whole numbers is then 0 until the warm-up is over.",
    hint="Your rate is 0 until step `warmup`: `//` drops the fraction. Use `/` or a negative exponent.",
)

mistake(
    "optim.noam_lr",
    "rate-rounded",
    edit(
        "factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)",
        "round(factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5), 6)",
    ),
    section="schedule-formula",
    why="The rate was rounded to a few decimals. Early rates are of the order of 1e-7, of which nothing is left.",
    hint="Your rate is exactly 0 in the first steps: it was rounded. Rates are small numbers; round only what you "
    "print.",
)


# ---------------------------------------------------------------------------------------------------------------------
# AdamW


mistake(
    "optim.AdamW",
    "l2-in-the-gradient",
    edit('p.mul_(1 - lr * group["weight_decay"])', 'gradient = p.grad + group["weight_decay"] * p'),
    edit("m.mul_(beta1).add_(p.grad, alpha=1 - beta1)", "m.mul_(beta1).add_(gradient, alpha=1 - beta1)"),
    edit(
        "v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)",
        "v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)",
    ),
    base="decay-first",
    section="decoupled-decay",
    why="The decay was added to the gradient, as in Adam with L2. It then runs through both means and is divided by "
    "the root, so that parameters with large gradients hardly shrink.",
    hint="Your decay goes through the gradient: that is Adam with L2 regularisation. In AdamW the parameter shrinks by "
    "the factor `1 - lr * weight_decay`, and the means see the gradient alone.",
)

mistake(
    "optim.AdamW",
    "l2-added-in-place",
    edit('p.mul_(1 - lr * group["weight_decay"])', 'p.grad.add_(p, alpha=group["weight_decay"])'),
    base="decay-first",
    section="decoupled-decay",
    why="The decay was added to `p.grad` itself, in place. That is L2 and not decoupled decay, and the gradient is no "
    "longer what the backward pass left.",
    hint="After your step `p.grad` holds another number: the decay was added to it. Leave the gradient alone, and "
    "shrink the parameter by the factor `1 - lr * weight_decay`.",
)

mistake(
    "optim.AdamW",
    "decay-divided-by-the-root",
    edit('p.mul_(1 - lr * group["weight_decay"])', ""),
    edit("lr * m_hat", 'lr * (m_hat + group["weight_decay"] * p)'),
    base="decay-first",
    section="decoupled-decay",
    why="The decay was added to the corrected mean before the division. It is then larger for parameters with small "
    "gradients, which is what decoupling is there to avoid.",
    hint="Your decay is divided by the root of the second mean along with the gradient. Take it out of the fraction: "
    "`lr * weight_decay * p` is subtracted by itself.",
)

mistake(
    "optim.AdamW",
    "no-decay",
    edit('p.mul_(1 - lr * group["weight_decay"])', ""),
    base="decay-first",
    section="decoupled-decay",
    why="`weight_decay` is ignored, which makes this Adam. Parameters without a pull from the loss never shrink.",
    hint="A parameter with a gradient of 0 does not shrink: `weight_decay` is not used. Multiply the parameter by `1 - "
    "lr * weight_decay` in each step.",
)

mistake(
    "optim.AdamW",
    "decay-without-rate",
    edit('lr * group["weight_decay"]', 'group["weight_decay"]'),
    base="decay-first",
    section="decoupled-decay",
    why="The parameter shrinks by `weight_decay` itself, without the factor `lr`. With the usual numbers that is a "
    "thousand times too much, and a schedule has no hold on it.",
    hint="Your parameters shrink much too fast: the decay lacks the factor `lr`.",
)

mistake(
    "optim.AdamW",
    "decay-grows",
    edit('1 - lr * group["weight_decay"]', '1 + lr * group["weight_decay"]'),
    base="decay-first",
    section="decoupled-decay",
    why="The sign of the decay is wrong. Parameters grow where they should shrink.",
    hint="A parameter with a gradient of 0 grows in your version: the factor is `1 - lr * weight_decay`, with a minus.",
)

mistake(
    "optim.AdamW",
    "decay-of-the-sign",
    edit('p.mul_(1 - lr * group["weight_decay"])', 'p.sub_(lr * group["weight_decay"] * p.sign())'),
    base="decay-first",
    section="decoupled-decay",
    why="The decay subtracts `lr * weight_decay` times the sign of the parameter. That is an L1 penalty; decay is "
    "proportional to the parameter.",
    hint="All your parameters shrink by the same amount, whatever their size. The decay is in proportion to the "
    "parameter.",
)

mistake(
    "optim.AdamW",
    "decay-twice",
    edit(
        'p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))',
        'p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))\np.mul_(1 - lr * group["weight_decay"])',
    ),
    base="decay-first",
    section="decoupled-decay",
    why="The decay was applied before and after the step. Each application shrinks the parameter.",
    hint="Your parameters shrink twice per step. One multiplication by `1 - lr * weight_decay` is enough.",
)

mistake(
    "optim.AdamW",
    "vectors-not-decayed",
    edit('p.mul_(1 - lr * group["weight_decay"])', 'if p.ndim > 1:\n    p.mul_(1 - lr * group["weight_decay"])'),
    base="decay-first",
    section="optimizer-groups",
    why="Only matrices were decayed. Leaving biases and gains out is common, but it is done with two groups, not "
    "inside the optimiser.",
    hint="Your vectors and scalars do not shrink. The optimiser treats all shapes alike; who wants to spare biases "
    "puts them into a group with `weight_decay=0`.",
)

mistake(
    "optim.AdamW",
    "zero-gradient-skipped",
    edit("p.grad is None", "p.grad is None or not p.grad.any()"),
    base="decay-first",
    section="optimizer-manners",
    why="Parameters whose gradient is 0 throughout were left out, as if they had none. They still decay, and their "
    "means still move.",
    hint="A parameter with a gradient of zeros does not move at all in your version. It has a gradient, which happens "
    "to be 0: only `None` means that there is none.",
)

mistake(
    "optim.AdamW",
    "no-bias-correction",
    edit("m / (1 - beta1**t)", "m"),
    edit("v / (1 - beta2**t)", "v"),
    base="decay-first",
    section="bias-correction",
    why="The running means are used as they are. They start at 0, and the second one rises much more slowly than the "
    "first, so that the first steps are several times too long.",
    hint="Your first step is about three times too long: the means start at 0 and are not corrected. Divide them by `1 "
    "- beta1**t` and `1 - beta2**t`.",
)

mistake(
    "optim.AdamW",
    "only-first-mean-corrected",
    edit("v / (1 - beta2**t)", "v"),
    base="decay-first",
    section="bias-correction",
    why="Only the mean of the gradients was corrected. The root of the other one is then far too small in the first "
    "steps, and the steps are too long.",
    hint="Your first step is about thirty times too long: the second mean starts at 0 too. Divide it by `1 - beta2**t` "
    "before the root.",
)

mistake(
    "optim.AdamW",
    "only-second-mean-corrected",
    edit("m / (1 - beta1**t)", "m"),
    base="decay-first",
    section="bias-correction",
    why="Only the mean of the squares was corrected. The first steps are then too short.",
    hint="Your first step is ten times too short: the first mean starts at 0 too. Divide it by `1 - beta1**t`.",
)

mistake(
    "optim.AdamW",
    "correction-counts-from-zero",
    edit('state["t"] += 1', ""),
    edit(
        't, m, v = state["t"], state["m"], state["v"]',
        't, m, v = state["t"], state["m"], state["v"]\nstate["t"] += 1',
    ),
    base="decay-first",
    section="bias-correction",
    why="The count was raised after its use. In the first step the correction divides by `1 - beta**0`, which is 0.",
    hint="In your first step the correction divides by 0, since `beta**0` is 1. Raise the count before you use it: the "
    "first step is step 1.",
)

mistake(
    "optim.AdamW",
    "correction-one-step-ahead",
    edit("beta1**t", "beta1**(t + 1)"),
    edit("beta2**t", "beta2**(t + 1)"),
    base="decay-first",
    section="bias-correction",
    why="The correction uses one step too many. The first step then is not of length `lr`.",
    hint="The first step of a parameter should be `lr` long; yours is not, because the correction is that of step 2. "
    "The count is 1 in the first step.",
)

mistake(
    "optim.AdamW",
    "correction-without-power",
    edit("beta1**t", "beta1"),
    edit("beta2**t", "beta2"),
    base="decay-first",
    section="bias-correction",
    why="The means were divided by `1 - beta` in every step. That is right in the first step only; later the "
    "correction has to fade.",
    hint="Your first step is right, and the later ones are not: you divide by `1 - beta` where it should be `1 - "
    "beta**t`.",
)

mistake(
    "optim.AdamW",
    "corrections-exchanged",
    edit("m / (1 - beta1**t)", "m / (1 - beta2**t)"),
    edit("v / (1 - beta2**t)", "v / (1 - beta1**t)"),
    base="decay-first",
    section="bias-correction",
    why="The corrections of the two means were exchanged. Each mean has its own beta.",
    hint="Your first step has the wrong length: the first mean is divided by `1 - beta1**t`, the second by `1 - "
    "beta2**t`, and you have them the other way round.",
)

mistake(
    "optim.AdamW",
    "correction-outside-the-root",
    edit("v / (1 - beta2**t)", "v.sqrt() / (1 - beta2**t)"),
    edit("v_hat.sqrt()", "v_hat"),
    base="decay-first",
    section="bias-correction",
    why="The second mean was corrected after the root was taken. The root of the correction is needed there.",
    hint="Your first step is too short: you correct after the root, where the correction has to be under it. `sqrt(v / "
    "(1 - beta2**t))`.",
)

mistake(
    "optim.AdamW",
    "corrected-means-kept",
    edit("m / (1 - beta1**t)", "m.div_(1 - beta1**t)"),
    edit("v / (1 - beta2**t)", "v.div_(1 - beta2**t)"),
    base="decay-first",
    section="bias-correction",
    why="The corrected means were stored in place of the running ones. Each step corrects them again, so that they "
    "grow.",
    hint="Your first step is right, and then the means are corrected again and again: keep the running means as they "
    "are, and correct a copy.",
)

mistake(
    "optim.AdamW",
    "no-root",
    edit("v_hat.sqrt()", "v_hat"),
    base="decay-first",
    section="adam-moments",
    why="The root of the second mean was forgotten. The step then gets longer as the gradient gets smaller.",
    hint="Your steps are long where gradients are small, and short where they are large: divide by the root of the "
    "second mean.",
)

mistake(
    "optim.AdamW",
    "epsilon-inside-the-root",
    edit('v_hat.sqrt() + group["eps"]', '(v_hat + group["eps"]).sqrt()'),
    base="decay-first",
    section="adam-eps",
    why="Epsilon was added under the root. It then counts as a root, 1e-4 in place of 1e-8, and changes steps with "
    "small gradients.",
    hint="With ordinary gradients you are right, with tiny ones your steps are much too short: epsilon stands outside "
    "the root.",
)

mistake(
    "optim.AdamW",
    "epsilon-before-the-correction",
    edit("v / (1 - beta2**t)", '(v.sqrt() + group["eps"]) / (1 - beta2**t) ** 0.5'),
    edit('v_hat.sqrt() + group["eps"]', "v_hat"),
    base="decay-first",
    section="adam-eps",
    why="Epsilon was added to the root of the uncorrected mean. The correction then enlarges it, most of all in the "
    "first steps.",
    hint="With tiny gradients your first steps are too short: epsilon is added before the bias correction and grows "
    "with it. Correct the mean first.",
)

mistake(
    "optim.AdamW",
    "epsilon-as-a-floor",
    edit('v_hat.sqrt() + group["eps"]', 'v_hat.sqrt().clamp(min=group["eps"])'),
    base="decay-first",
    section="adam-eps",
    why="The root was limited from below by epsilon in place of having it added. A root just above epsilon then comes "
    "out too small, up to a factor of two.",
    hint="With tiny gradients your steps are too long: epsilon is added to the root; the larger of the two is "
    "something else.",
)

mistake(
    "optim.AdamW",
    "no-epsilon",
    edit('v_hat.sqrt() + group["eps"]', "v_hat.sqrt()"),
    base="decay-first",
    section="adam-eps",
    why="Epsilon was left out. A parameter whose gradient has always been 0 then becomes 0/0, which is NaN.",
    hint="A gradient of 0 gives you NaN, because the root it is divided by is 0. Add epsilon to the root.",
)

mistake(
    "optim.AdamW",
    "epsilon-fixed",
    edit('group["eps"]', "1e-8"),
    base="decay-first",
    section="adam-eps",
    why="1e-8 was written into the formula, and the argument is ignored. Some settings, such as 1e-9 or 1e-6, then "
    "have no effect.",
    hint="Your epsilon is 1e-8 whatever the call says. Take it from the group.",
)

mistake(
    "optim.AdamW",
    "betas-exchanged",
    edit("(beta1, beta2)", "(beta2, beta1)"),
    base="decay-first",
    section="adam-moments",
    why="The two betas were exchanged. The mean of the gradients then forgets slowly and that of the squares fast.",
    hint="Your first step is right and the later ones are not: the first beta belongs to the mean of the gradients, "
    "the second to that of the squares.",
)

mistake(
    "optim.AdamW",
    "betas-fixed",
    edit('lr, (beta1, beta2) = group["lr"], group["betas"]', 'lr, beta1, beta2 = group["lr"], 0.9, 0.999'),
    base="decay-first",
    section="adam-moments",
    why="0.9 and 0.999 were written into the formulas, and the argument is ignored. The Transformer paper uses 0.9 and "
    "0.98.",
    hint="Your betas are 0.9 and 0.999 whatever the call says. Take them from the group.",
)

mistake(
    "optim.AdamW",
    "shares-exchanged",
    edit("m.mul_(beta1).add_(p.grad, alpha=1 - beta1", "m.mul_(1 - beta1).add_(p.grad, alpha=beta1"),
    edit(
        "v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2",
        "v.mul_(1 - beta2).addcmul_(p.grad, p.grad, value=beta2",
    ),
    base="decay-first",
    section="adam-moments",
    why="The old mean got the share `1 - beta` and the new gradient `beta`. The means then hardly remember anything.",
    hint="Your means follow the last gradient closely: the old mean keeps the share `beta`, and the new gradient gets "
    "`1 - beta`.",
)

mistake(
    "optim.AdamW",
    "momentum-without-share",
    edit("m.mul_(beta1).add_(p.grad, alpha=1 - beta1)", "m.mul_(beta1).add_(p.grad)"),
    base="decay-first",
    section="adam-moments",
    why="The gradient was added to the first mean in full, as in stochastic gradient descent with momentum. The mean "
    "is then too large by `1 / (1 - beta1)`.",
    hint="Your first mean is ten times too large: the new gradient enters with the share `1 - beta1`.",
)

mistake(
    "optim.AdamW",
    "second-mean-not-squared",
    edit(
        "v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)",
        "v.mul_(beta2).add_(p.grad.abs(), alpha=1 - beta2)",
    ),
    base="decay-first",
    section="adam-moments",
    why="The second mean averages the size of the gradients, not their squares. Its root is then of another order.",
    hint="Your second mean averages the gradients and not their squares: multiply the gradient by itself.",
)

mistake(
    "optim.AdamW",
    "squares-of-the-mean",
    edit("v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)", "v.mul_(beta2).addcmul_(m, m, value=1 - beta2)"),
    base="decay-first",
    section="adam-moments",
    why="The second mean averages the squares of the first mean. It should average those of the gradients.",
    hint="Your second mean is too small: it squares the running mean `m`, and the squares of the gradients are meant.",
)

mistake(
    "optim.AdamW",
    "gradient-without-mean",
    edit("m / (1 - beta1**t)", "p.grad"),
    base="decay-first",
    section="adam-moments",
    why="The step uses the gradient itself and not its running mean, as RMSprop does. Noise then enters each step in "
    "full.",
    hint="Your first step is right and the later ones follow the last gradient alone: divide the corrected mean `m`, "
    "not the gradient.",
)

mistake(
    "optim.AdamW",
    "means-start-at-the-gradient",
    edit("0, torch.zeros_like(p), torch.zeros_like(p)", "0, p.grad.clone(), p.grad.square()"),
    base="decay-first",
    section="bias-correction",
    why="The means were started at the first gradient and its square. The bias correction is made for a start at 0 and "
    "now makes them too large.",
    hint="Your first step is right only without bias correction: the means start at 0.",
)

mistake(
    "optim.AdamW",
    "largest-second-mean",
    edit(
        "m_hat = m / (1 - beta1**t)",
        'm_hat = m / (1 - beta1**t)\nstate["top"] = torch.maximum(state.get("top", v), v)',
    ),
    edit("v / (1 - beta2**t)", 'state["top"] / (1 - beta2**t)'),
    base="decay-first",
    section="adam-moments",
    why="The largest second mean so far is divided by. That is AMSGrad, another algorithm.",
    hint="As soon as gradients get smaller your steps are too short: you divide by the largest second mean so far, "
    "which is AMSGrad.",
)

mistake(
    "optim.AdamW",
    "uphill",
    edit('p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))', 'p.add_(lr * m_hat / (v_hat.sqrt() + group["eps"]))'),
    base="decay-first",
    section="adam-moments",
    why="The step was added. Training then raises the loss.",
    hint="Your parameters move in the wrong direction: the step is subtracted.",
)

mistake(
    "optim.AdamW",
    "parameter-not-changed",
    edit('p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))', 'p = p - lr * m_hat / (v_hat.sqrt() + group["eps"])'),
    base="decay-first",
    section="optimizer-manners",
    why="The new value was bound to the name `p`, which leaves the parameter as it was. An optimiser changes "
    "parameters in place.",
    hint="Your parameters do not move: `p = p - ...` gives a new tensor the name `p`. Use an operation in place, such "
    "as `p.sub_(...)`.",
)

mistake(
    "optim.AdamW",
    "group-rate-ignored",
    edit('group["lr"]', 'self.defaults["lr"]'),
    base="decay-first",
    section="optimizer-groups",
    why="The rate was taken from `self.defaults`, where the constructor put it. Groups with a rate of their own, and "
    "schedulers, have no effect.",
    hint='Your rate is always the one given at the start. Schedulers change `group["lr"]`: read it anew in each step.',
)

mistake(
    "optim.AdamW",
    "group-decay-ignored",
    edit('group["weight_decay"]', 'self.defaults["weight_decay"]'),
    base="decay-first",
    section="optimizer-groups",
    why="The decay was taken from `self.defaults`. A group with `weight_decay=0`, as for biases, then decays all the "
    "same.",
    hint="Every group of yours decays alike. Take `weight_decay` from the group, not from the defaults.",
)

mistake(
    "optim.AdamW",
    "decay-with-the-first-rate",
    edit('lr * group["weight_decay"]', 'self.defaults["lr"] * group["weight_decay"]'),
    base="decay-first",
    section="optimizer-groups",
    why="The decay uses the rate that the constructor was given, and not that of the group. A schedule then changes "
    "the step and not the decay.",
    hint='When a schedule lowers the rate your decay stays as it was: both use `group["lr"]`.',
)

mistake(
    "optim.AdamW",
    "first-group-only",
    edit("self.param_groups", "self.param_groups[:1]"),
    base="decay-first",
    section="optimizer-groups",
    why="Only the first group was updated. The parameters of all others stay as they are.",
    hint="Parameters of the second group do not move in your version: go through all of `self.param_groups`.",
)

mistake(
    "optim.AdamW",
    "none-gradient-not-skipped",
    edit("if p.grad is None:\n    continue", ""),
    base="decay-first",
    section="optimizer-manners",
    why="A parameter without a gradient was used as if it had one. Its `grad` is `None`, with which nothing can be "
    "computed.",
    hint="Your step fails on a parameter whose gradient is `None`. Skip those.",
)

mistake(
    "optim.AdamW",
    "none-gradient-ends-the-loop",
    edit("if p.grad is None:\n    continue", "if p.grad is None:\n    break"),
    base="decay-first",
    section="optimizer-manners",
    why="The loop was left at the first parameter without a gradient. All that follow it are not updated.",
    hint="Parameters behind one without a gradient do not move: skip it with `continue`; `break` leaves the loop.",
)

mistake(
    "optim.AdamW",
    "none-gradient-as-zeros",
    edit("if p.grad is None:\n    continue", "gradient = torch.zeros_like(p) if p.grad is None else p.grad"),
    edit("m.mul_(beta1).add_(p.grad, alpha=1 - beta1)", "m.mul_(beta1).add_(gradient, alpha=1 - beta1)"),
    edit(
        "v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)",
        "v.mul_(beta2).addcmul_(gradient, gradient, value=1 - beta2)",
    ),
    base="decay-first",
    section="optimizer-manners",
    why="A gradient of `None` was taken as zeros. The parameter then decays and its count goes on, although it took no "
    "part.",
    hint="A parameter whose gradient is `None` shrinks in your version. It should be left alone, its state too.",
)

mistake(
    "optim.AdamW",
    "none-gradient-decays",
    edit('p.mul_(1 - lr * group["weight_decay"])', ""),
    edit("if p.grad is None:", 'p.mul_(1 - lr * group["weight_decay"])\nif p.grad is None:'),
    base="decay-first",
    section="optimizer-manners",
    why="The decay was applied before it was asked whether there is a gradient. A parameter without one should be left "
    "alone.",
    hint="A parameter whose gradient is `None` shrinks in your version: the decay comes after the question whether "
    "there is a gradient.",
)

mistake(
    "optim.AdamW",
    "one-count-in-the-optimiser",
    edit("for group in self.param_groups:", 'self.t = getattr(self, "t", 0) + 1\nfor group in self.param_groups:'),
    edit('state["t"] += 1', ""),
    edit('t, m, v = state["t"], state["m"], state["v"]', 't, m, v = self.t, state["m"], state["v"]'),
    base="decay-first",
    section="optimizer-state",
    why="One count of steps for all parameters is kept as an attribute of the optimiser. It is lost when the state is "
    "saved, and wrong for parameters that get their first gradient later.",
    hint="Your count of steps is an attribute of the optimiser: it starts anew after `load_state_dict`. Keep a count "
    "for each parameter in `self.state[p]`.",
)

mistake(
    "optim.AdamW",
    "one-count-for-a-group",
    edit(
        'lr, (beta1, beta2) = group["lr"], group["betas"]',
        'lr, (beta1, beta2) = group["lr"], group["betas"]\ngroup["t"] = group.get("t", 0) + 1',
    ),
    edit('state["t"] += 1', ""),
    edit('t, m, v = state["t"], state["m"], state["v"]', 't, m, v = group["t"], state["m"], state["v"]'),
    base="decay-first",
    section="optimizer-state",
    why="One count of steps is kept for a whole group. A parameter that gets its first gradient later is then "
    "corrected as if it had been there from the start.",
    hint="A parameter that gets its first gradient later moves too little or too far: its count has to start at 1 "
    "then. Keep a count for each parameter in `self.state[p]`.",
)

mistake(
    "optim.AdamW",
    "count-rises-with-each-parameter",
    edit(
        'lr, (beta1, beta2) = group["lr"], group["betas"]',
        'lr, (beta1, beta2) = group["lr"], group["betas"]\ngroup.setdefault("t", 0)',
    ),
    edit('state["t"] += 1', 'group["t"] += 1'),
    edit('t, m, v = state["t"], state["m"], state["v"]', 't, m, v = group["t"], state["m"], state["v"]'),
    base="decay-first",
    section="optimizer-state",
    why="One count is raised for each parameter in turn, not once per step. With several parameters it runs ahead.",
    hint="With one parameter you are right, with several the correction fades too fast: the count is raised for every "
    "parameter. Keep one for each in `self.state[p]`.",
)

mistake(
    "optim.AdamW",
    "state-in-an-attribute",
    edit(
        'super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})',
        """
        self.remembered = {}
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay})
        """,
    ),
    edit("self.state[p]", "self.remembered.setdefault(p, {})"),
    base="decay-first",
    section="optimizer-state",
    why="The means are kept in a dictionary of the optimiser's own. `state_dict` does not know of it, so they are lost "
    "when training is resumed.",
    hint="After `load_state_dict` your means start from 0 again: only what is in `self.state` is saved.",
)

mistake(
    "optim.AdamW",
    "means-forgotten",
    edit("self.state[p]", '{"t": 0, "m": torch.zeros_like(p), "v": torch.zeros_like(p)}'),
    edit('if not state:\n    state["t"], state["m"], state["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)', ""),
    base="decay-first",
    section="optimizer-state",
    why="The means were made anew in each step, so that nothing is remembered. Each step then depends on the last "
    "gradient alone.",
    hint="Each of your steps is like a first one: the means have to be kept from step to step, in `self.state[p]`.",
)

mistake(
    "optim.AdamW",
    "one-tensor-for-both-means",
    edit(
        'state["t"], state["m"], state["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)',
        'state["t"] = 0\nstate["m"] = state["v"] = torch.zeros_like(p)',
    ),
    base="decay-first",
    section="optimizer-state",
    why="Both means are the same tensor, bound to two names. Whatever is added to one is added to the other.",
    hint="Your two means are one tensor with two names: make two tensors of zeros.",
)

mistake(
    "optim.AdamW",
    "means-in-float32",
    edit("0, torch.zeros_like(p), torch.zeros_like(p)", "0, torch.zeros(p.shape), torch.zeros(p.shape)"),
    base="decay-first",
    section="optimizer-state",
    why="The means were made with `torch.zeros`, which is float32 whatever the parameter is. In float64 half of the "
    "digits are lost.",
    hint="In float64 your results have the accuracy of float32: `torch.zeros_like(p)` gives means of the parameter's "
    "type.",
)

mistake(
    "optim.AdamW",
    "gradient-used-as-scratch",
    edit("m.mul_(beta1).add_(p.grad, alpha=1 - beta1)", ""),
    edit(
        "v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)",
        "v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)\nm.mul_(beta1).add_(p.grad.mul_(1 - beta1))",
    ),
    base="decay-first",
    section="optimizer-manners",
    why="The gradient was squared and scaled in place, to save memory. Code that reads `p.grad` afterwards, to log its "
    "norm or to accumulate, finds another number.",
    hint="Your results are right, but `p.grad` is changed by the step. Use operations that make a new tensor.",
)

mistake(
    "optim.AdamW",
    "gradient-cleared",
    edit(
        'p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))',
        'p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))\np.grad = torch.zeros_like(p)',
    ),
    base="decay-first",
    section="optimizer-manners",
    why="The step also sets the gradients to zero. That is the task of `zero_grad`; a log of gradient norms would show "
    "nothing.",
    hint="After your step the gradients are 0 or gone. Clearing them is left to `zero_grad`.",
)

mistake(
    "optim.AdamW",
    "closure-ignored",
    edit("with torch.enable_grad():\n    loss = closure()", "pass"),
    base="decay-first",
    section="optimizer-manners",
    why="The closure is accepted and never called. Without another backward pass the step then uses old gradients, or "
    "none.",
    hint="Your step does not call the closure that it is given. Call it first, with gradients enabled, and return what "
    "it returns.",
)

mistake(
    "optim.AdamW",
    "closure-without-gradients",
    edit("with torch.enable_grad():\n    loss = closure()", "loss = closure()"),
    base="decay-first",
    section="optimizer-manners",
    why="The closure was called while gradients are off, since `step` runs under `torch.no_grad()`. Its backward pass "
    "then fails.",
    hint="The backward pass inside the closure fails, because `step` switches gradients off. Call the closure under "
    "`torch.enable_grad()`.",
)


mistake(
    "optim.AdamW",
    "closure-called-twice",
    edit("return loss", "return loss if closure is None else torch.enable_grad()(closure)()"),
    base="decay-first",
    section="optimizer-manners",
    why="The closure was called once for its gradients and once more for its loss. Each call is a whole forward and "
    "backward pass, and the second may see other random numbers.",
    hint="Your step calls the closure twice. Once is enough: keep what it returns.",
)

mistake(
    "optim.AdamW",
    "l2-in-the-first-mean",
    edit('p.mul_(1 - lr * group["weight_decay"])', ""),
    edit(
        "m.mul_(beta1).add_(p.grad, alpha=1 - beta1)",
        'm.mul_(beta1).add_(p.grad + group["weight_decay"] * p, alpha=1 - beta1)',
    ),
    base="decay-first",
    section="decoupled-decay",
    why="The decay was added to the gradient that goes into the first mean, and not to the one that is squared. It is "
    "still divided by the root, so that parameters with large gradients hardly shrink.",
    hint="Your decay goes through the first mean and is divided by the root of the second. Take it out: the parameter "
    "shrinks by the factor `1 - lr * weight_decay`.",
)

mistake(
    "optim.AdamW",
    "group-betas-ignored",
    edit('group["betas"]', 'self.defaults["betas"]'),
    base="decay-first",
    section="optimizer-groups",
    why="The betas were taken from `self.defaults`. Groups with betas of their own do not get them.",
    hint="Every group of yours has the same betas. Take them from the group, not from the defaults.",
)

mistake(
    "optim.AdamW",
    "group-epsilon-ignored",
    edit('group["eps"]', 'self.defaults["eps"]'),
    base="decay-first",
    section="optimizer-groups",
    why="Epsilon was taken from `self.defaults`. Groups with one of their own do not get it.",
    hint="Every group of yours has the same epsilon. Take it from the group, not from the defaults.",
)

mistake(
    "optim.AdamW",
    "gradient-ahead-of-the-mean",
    edit("m / (1 - beta1**t)", "(beta1 * m + (1 - beta1) * p.grad) / (1 - beta1**(t + 1))"),
    base="decay-first",
    section="adam-moments",
    why="The step uses a mix of the mean and the newest gradient, as Nesterov's momentum does. That is NAdam, another "
    "algorithm.",
    hint="Your steps run ahead of the mean: divide the corrected `m` as it is, without another share of the gradient.",
)

mistake(
    "optim.AdamW",
    "one-square-for-the-tensor",
    edit(
        "v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)",
        "v.mul_(beta2).add_((1 - beta2) * p.grad.square().mean())",
    ),
    base="decay-first",
    section="adam-moments",
    why="The second mean is one number for a whole tensor, the mean of all squared entries. Each entry should have its "
    "own.",
    hint="All entries of a parameter are divided by the same number: `v` has the shape of the parameter.",
)

mistake(
    "optim.AdamW",
    "loss-not-returned",
    edit("return loss", ""),
    base="decay-first",
    section="optimizer-manners",
    why="What the closure returns is dropped. `step` hands it on, since callers log it.",
    hint="`step(closure)` should return what the closure returned; yours returns nothing.",
)

mistake(
    "optim.AdamW",
    "gradients-not-switched-off",
    edit("@torch.no_grad()\ndef step(self, closure=None):", "def step(self, closure=None):"),
    base="decay-first",
    section="optimizer-manners",
    why="The update runs with gradients on. PyTorch refuses to change a parameter in place then.",
    hint="Your step raises an error about a leaf that requires grad: put `@torch.no_grad()` above `step`.",
)

mistake(
    "optim.AdamW",
    "rate-of-adam-forgotten",
    edit("lr * m_hat", "m_hat"),
    base="decay-first",
    section="adam-moments",
    why="The step lacks the factor `lr`. It is then 1 long, whatever the rate.",
    hint="Your steps are of length 1: multiply by `lr`.",
)

mistake(
    "optim.AdamW",
    "default-rate",
    edit(
        "def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01):",
        "def __init__(self, params, lr=1e-2, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01):",
    ),
    base="decay-first",
    section="optimizer-groups",
    why="The default of `lr` is 0.01. `torch.optim.AdamW` has 0.001, and so has this exercise.",
    hint="Called with parameters alone your steps are ten times too long: the default of `lr` is 1e-3.",
)

mistake(
    "optim.AdamW",
    "default-decay-of-adam",
    edit(
        "def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01):",
        "def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.0):",
    ),
    base="decay-first",
    section="optimizer-groups",
    why="The default of `weight_decay` is 0, as in Adam. AdamW has 0.01.",
    hint="Called with parameters alone you do not decay: the default of `weight_decay` is 0.01.",
)

mistake(
    "optim.AdamW",
    "default-betas-of-the-paper",
    edit("(0.9, 0.999)", "(0.9, 0.98)"),
    base="decay-first",
    section="optimizer-groups",
    why="The default betas are those of the Transformer paper, 0.9 and 0.98. The exercise asks for 0.9 and 0.999.",
    hint="Called with parameters alone your second mean forgets too fast: the default betas are 0.9 and 0.999.",
)

mistake(
    "optim.AdamW",
    "default-epsilon",
    edit(
        "def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0.01):",
        "def __init__(self, params, lr=0.001, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.01):",
    ),
    base="decay-first",
    section="optimizer-groups",
    why="The default of `eps` is 1e-6. The exercise asks for 1e-8.",
    hint="Called with parameters alone you are right for ordinary gradients and wrong for tiny ones: the default of "
    "`eps` is 1e-8.",
)

mistake(
    "optim.AdamW",
    "entries-without-gradient-stand-still",
    edit("m / (1 - beta1**t)", 'lr * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt() + group["eps"])'),
    edit("v_hat = v / (1 - beta2**t)", ""),
    edit('lr * m_hat / (v_hat.sqrt() + group["eps"])', "m_hat * (p.grad != 0)"),
    base="decay-first",
    section="bias-correction",
    why="Only entries whose gradient is not 0 in this step are moved, as a sparse optimiser does. The running mean of "
    "an entry is not 0 when its gradient is, and it goes on moving the parameter.",
    hint="Where an entry of the gradient is 0 for one step, your parameter stands still, although the running mean "
    "still says where to go: update every entry.",
)

mistake(
    "optim.AdamW",
    "count-in-the-type-of-the-parameter",
    edit(
        "0, torch.zeros_like(p), torch.zeros_like(p)",
        "torch.zeros((), dtype=p.dtype), torch.zeros_like(p), torch.zeros_like(p)",
    ),
    edit("m_hat = m / (1 - beta1**t)\nv_hat = v / (1 - beta2**t)", ""),
    edit("lr * m_hat / (v_hat.sqrt()", "lr * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt()"),
    base="decay-first",
    section="bias-correction",
    why="The count of steps is a tensor of the parameter's own type, and so are the corrections made from it. In "
    "bfloat16 0.999 is rounded to 1: the correction divides by 0, and from step 256 on the count stands still.",
    hint="With parameters in bfloat16 your correction of the second mean divides by 0, since 1 - 0.999 is 0 there. "
    "Count in a Python number, or in a float32 tensor.",
)

mistake(
    "optim.AdamW",
    "rate-of-the-first-step-kept",
    edit('group["lr"]', 'group.setdefault("first_lr", group["lr"])'),
    edit("m_hat = m / (1 - beta1**t)\nv_hat = v / (1 - beta2**t)", ""),
    edit("lr * m_hat / (v_hat.sqrt()", "lr * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt()"),
    base="decay-first",
    section="optimizer-groups",
    why="The learning rate is remembered in the first step and used in all that follow. A scheduler writes the rate of "
    "each step into the group, and nobody reads it there.",
    hint='Under a scheduler your first step is right, and the others still use its rate: read `group["lr"]` anew in '
    "each step.",
)

mistake(
    "optim.AdamW",
    "only-first-mean-kept-corrected",
    edit("m_hat = m / (1 - beta1**t)\nv_hat = v / (1 - beta2**t)", ""),
    edit("lr * m_hat / (v_hat.sqrt()", "lr * m.div_(1 - beta1**t) / ((v / (1 - beta2**t)).sqrt()"),
    base="decay-first",
    section="bias-correction",
    why="The first mean was stored with its correction, which the next step makes again, so that it grows. The second "
    "mean is right.",
    hint="Your first step is right, and then the first mean is corrected again and again: keep the running mean as it "
    "is, and correct a copy.",
)

mistake(
    "optim.AdamW",
    "only-second-mean-kept-corrected",
    edit("m_hat = m / (1 - beta1**t)\nv_hat = v / (1 - beta2**t)", ""),
    edit("lr * m_hat / (v_hat.sqrt()", "lr * (m / (1 - beta1**t)) / (v.div_(1 - beta2**t).sqrt()"),
    base="decay-first",
    section="bias-correction",
    why="The second mean was stored with its correction, which the next step makes again, so that it grows. The first "
    "mean is right.",
    hint="Your first step is right, and then the second mean is corrected again and again: keep the running mean as it "
    "is, and correct a copy.",
)


# ---------------------------------------------------------------------------------------------------------------------
# noam_scheduler


mistake(
    "optim.noam_scheduler",
    "first-rate-twice",
    edit("done + 1", "done"),
    section="scheduler",
    why="The scheduler's count was handed to `noam_lr` as it is. It starts at 0, which counts as 1, so that the first "
    "two steps have the same rate and all later ones are one behind.",
    hint="Your first two rates are equal. `LambdaLR` counts finished steps, from 0; the step that comes next has one "
    "more.",
)

mistake(
    "optim.noam_scheduler",
    "one-step-ahead",
    edit("done + 1", "done + 2"),
    section="scheduler",
    why="The schedule is one step ahead: the first step runs at the rate of step 2. Either 1 was added twice, or the "
    "scheduler was advanced before any step.",
    hint="Your first step runs at `noam_lr(2)`. With 0 finished steps the next one is step 1.",
)

mistake(
    "optim.noam_scheduler",
    "factor-not-passed",
    edit("noam_lr(done + 1, d_model, warmup, factor)", "noam_lr(done + 1, d_model, warmup)"),
    section="scheduler",
    why="`factor` was not handed on. The schedule is that of a factor of 1.",
    hint="Your rates do not change with `factor`: hand it on to `noam_lr`.",
)

mistake(
    "optim.noam_scheduler",
    "warm-up-not-passed",
    edit("noam_lr(done + 1, d_model, warmup, factor)", "noam_lr(done + 1, d_model, factor=factor)"),
    section="scheduler",
    why="`warmup` was not handed on. The peak is then at step 4000, the default.",
    hint="Your rates do not change with `warmup`: hand it on to `noam_lr`.",
)

mistake(
    "optim.noam_scheduler",
    "width-and-warm-up-exchanged",
    edit("noam_lr(done + 1, d_model, warmup, factor)", "noam_lr(done + 1, warmup, d_model, factor)"),
    section="scheduler",
    why="`d_model` and `warmup` were handed on in the wrong order. Both are whole numbers, so nothing complains.",
    hint="Your rates belong to a model of width `warmup` with a warm-up of `d_model` steps: look at the order of the "
    "arguments of `noam_lr`.",
)

mistake(
    "optim.noam_scheduler",
    "own-count",
    edit(
        'base = optimizer.param_groups[0]["lr"]',
        """
        calls = [0]
        def rate(_):
            calls[0] += 1
            return noam_lr(calls[0], d_model, warmup, factor)
        """,
    ),
    edit("lambda step: noam_lr(step + 1, d_model, warmup, factor) / base", "rate"),
    base="divided-by-the-rate-at-the-start",
    section="scheduler",
    why="The function counts its own calls. A scheduler calls it once for every group, so that with two groups each "
    "gets every other rate.",
    hint="With one group your rates are right, with two each group gets every other rate: count nothing yourself, "
    "since the scheduler hands you its count.",
)

mistake(
    "optim.noam_scheduler",
    "first-group-only",
    edit('base = optimizer.param_groups[0]["lr"]', "others = [lambda done: 1.0] * (len(optimizer.param_groups) - 1)"),
    edit(
        "lambda step: noam_lr(step + 1, d_model, warmup, factor) / base",
        "[lambda done: noam_lr(done + 1, d_model, warmup, factor), *others]",
    ),
    base="divided-by-the-rate-at-the-start",
    section="scheduler",
    why="Only the first group follows the schedule. The others stay at their rate of 1.",
    hint="Your second group runs at a rate of 1 all the time. One function, given once, serves all groups.",
)

mistake(
    "optim.noam_scheduler",
    "rate-frozen",
    edit('base = optimizer.param_groups[0]["lr"]', "rate = noam_lr(1, d_model, warmup, factor)"),
    edit("lambda step: noam_lr(step + 1, d_model, warmup, factor) / base", "lambda done: rate"),
    base="divided-by-the-rate-at-the-start",
    section="scheduler",
    why="The rate was computed once, when the scheduler was made. It has to be computed for each step.",
    hint="Your rate never changes: `noam_lr` has to be called inside the function that the scheduler calls.",
)

mistake(
    "optim.noam_scheduler",
    "scaled-to-its-peak",
    edit(
        "noam_lr(done + 1, d_model, warmup, factor)",
        "noam_lr(done + 1, d_model, warmup, factor) / noam_lr(warmup, d_model, warmup, factor)",
    ),
    section="scheduler",
    why="The schedule was divided by its peak, so that it reaches 1. That is right for an optimiser whose `lr` is the "
    "peak; here `lr` is 1.",
    hint="Your rates reach 1 at the peak: with `lr=1.0` the function has to return the rate itself.",
)

mistake(
    "optim.noam_scheduler",
    "relative-to-the-rate-before",
    edit(
        "return LambdaLR(optimizer, lambda done: noam_lr(done + 1, d_model, warmup, factor))",
        """
        for group in optimizer.param_groups:
            group["lr"] = noam_lr(1, d_model, warmup, factor)
        return torch.optim.lr_scheduler.MultiplicativeLR(
            optimizer, lambda done: noam_lr(done + 1, d_model, warmup) / noam_lr(done, d_model, warmup)
        )
        """,
    ),
    section="scheduler",
    why="A scheduler was used that multiplies the rate before by a factor. The exercise asks for a `LambdaLR`, which "
    "multiplies the rate at the start.",
    hint="You return a `MultiplicativeLR`. Its function gives the quotient of neighbouring rates, and its errors add "
    "up; take `LambdaLR`.",
)

mistake(
    "optim.noam_scheduler",
    "function-not-scheduler",
    edit(
        "LambdaLR(optimizer, lambda done: noam_lr(done + 1, d_model, warmup, factor))",
        "lambda done: noam_lr(done + 1, d_model, warmup, factor)",
    ),
    section="scheduler",
    why="The function was returned, and no scheduler. It has no `step` and does not know the optimiser.",
    hint="You return a function. Hand it to `LambdaLR` together with the optimiser, and return that.",
)

mistake(
    "optim.noam_scheduler",
    "scheduler-not-returned",
    edit(
        "return LambdaLR(optimizer, lambda done: noam_lr(done + 1, d_model, warmup, factor))",
        "LambdaLR(optimizer, lambda done: noam_lr(done + 1, d_model, warmup, factor))",
    ),
    section="scheduler",
    why="The scheduler was made and not returned. The caller gets `None` and cannot advance it.",
    hint="You return nothing: the `return` is missing.",
)

mistake(
    "optim.noam_scheduler",
    "counts-in-warm-ups",
    edit("done + 1", "(done + 1) / warmup"),
    section="scheduler",
    why="The count was divided by the warm-up, as if the function wanted a fraction. `noam_lr` takes the number of the "
    "step.",
    hint="Your rate hardly moves: hand `noam_lr` the number of the step, not a share of the warm-up.",
)

mistake(
    "optim.noam_scheduler",
    "no-fall-after-warm-up",
    edit("done + 1", "min(done + 1, warmup)"),
    section="scheduler",
    why="The count was limited to `warmup`, so that the rate stays at its peak. After the warm-up it should fall.",
    hint="Your rate stays at the peak: do not limit the step to `warmup`, since `noam_lr` handles both branches.",
)

mistake(
    "optim.noam_scheduler",
    "default-factor",
    edit(
        "def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):",
        "def noam_scheduler(optimizer, d_model, warmup=4000, factor=2.0):",
    ),
    section="scheduler",
    why="The default of `factor` is 2. It is 1 in this exercise.",
    hint="Called without `factor` your rates are twice too high: the default is 1.0.",
)

mistake(
    "optim.noam_scheduler",
    "default-warm-up",
    edit(
        "def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):",
        "def noam_scheduler(optimizer, d_model, warmup=400, factor=1.0):",
    ),
    section="scheduler",
    why="The default of `warmup` is not 4000. The paper's number is part of the signature here.",
    hint="Called without `warmup` your rates differ: the default is 4000.",
)

mistake(
    "optim.noam_scheduler",
    "own-count-for-each-group",
    edit(
        "return LambdaLR(optimizer, lambda done: noam_lr(done + 1, d_model, warmup, factor)",
        """
        def counting():
            steps = iter(range(1, 10**9))
            return lambda _: noam_lr(next(steps), d_model, warmup, factor)
        return LambdaLR(optimizer, [counting() for _ in optimizer.param_groups]
        """,
    ),
    section="scheduler",
    why="Each group has a function that counts its own calls, and ignores the number that it is called with. When a "
    "saved run goes on, PyTorch restores that number, and the count begins anew at 1.",
    hint="When a saved run goes on, your schedule begins again with its warm-up: use the number that your function "
    "gets, and do not count calls.",
)


# ---------------------------------------------------------------------------------------------------------------------
# clip_grad_norm


mistake(
    "optim.clip_grad_norm",
    "always-rescaled",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit(
        "if norm > max_norm:\n    for gradient in gradients:\n        gradient.mul_(max_norm / norm)",
        "for gradient in gradients:\n    gradient.mul_(max_norm / norm)",
    ),
    section="clipping-edges",
    why="The gradients were scaled to `max_norm` whatever their norm. Short gradients then get longer, and the step no "
    "longer fades near a minimum.",
    hint="Gradients whose norm is below `max_norm` get longer in your version. Clipping only ever shortens: do nothing "
    "then.",
)

mistake(
    "optim.clip_grad_norm",
    "always-rescaled-safely",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit(
        "if norm > max_norm:\n    for gradient in gradients:\n        gradient.mul_(max_norm / norm)",
        "for gradient in gradients:\n    gradient.mul_(max_norm / (norm + 1e-6))",
    ),
    section="clipping-edges",
    why="The gradients were scaled to `max_norm` whatever their norm, with a small number against a division by zero. "
    "Short gradients get longer.",
    hint="Gradients whose norm is below `max_norm` get longer in your version. Clipping only ever shortens: do nothing "
    "then.",
)

mistake(
    "optim.clip_grad_norm",
    "shortens-slightly-below",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit(
        "if norm > max_norm:\n    for gradient in gradients:\n        gradient.mul_(max_norm / norm)",
        "for gradient in gradients:\n    gradient.mul_(max_norm / (norm + max_norm))",
    ),
    section="clipping-edges",
    why="The factor was computed as `max_norm / (norm + 1)` or the like and applied always. Short gradients change "
    "too.",
    hint="Gradients whose norm is below `max_norm` change in your version. Leave them exactly as they are.",
)

mistake(
    "optim.clip_grad_norm",
    "condition-turned-round",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("norm > max_norm", "norm < max_norm"),
    section="clipping-edges",
    why="The condition is the wrong way round. Short gradients were made longer, and long ones stay.",
    hint="Your long gradients stay as they are, and the short ones get longer: compare the other way round.",
)

mistake(
    "optim.clip_grad_norm",
    "each-gradient-by-itself",
    edit("max_norm / norm", "max_norm / gradient.norm()"),
    edit("for gradient in gradients:", "if gradient.norm() > max_norm:"),
    edit("if norm > max_norm:", "for gradient in gradients:"),
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    section="gradient-clipping",
    why="Each gradient was clipped by its own norm. The direction of the whole then changes, and the norm of all "
    "together is still too large.",
    hint="You clip each parameter by itself. The norm is one number, of all gradients together, and all get the same "
    "factor.",
)

mistake(
    "optim.clip_grad_norm",
    "entries-clamped",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("gradient.mul_(max_norm / norm)", "gradient.clamp_(-max_norm, max_norm)"),
    section="gradient-clipping",
    why="Each entry was limited to `max_norm`. That is clipping by value: it turns the gradient, and its norm may "
    "still be too large.",
    hint="You limit each entry by itself, which changes the direction of the gradient. Multiply all entries by one "
    "factor.",
)

mistake(
    "optim.clip_grad_norm",
    "norms-added-up",
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "sum(gradient.norm().item() for gradient in gradients)",
    ),
    section="gradient-clipping",
    why="The norms of the gradients were added up. Norms combine like the sides of a right angle: squares are added, "
    "and the root is taken at the end.",
    hint="Your norm is too large when there are several parameters: add the squares of their norms, and take the root.",
)

mistake(
    "optim.clip_grad_norm",
    "no-root",
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "sum(gradient.square().sum().item() for gradient in gradients)",
    ),
    section="gradient-clipping",
    why="The sum of squares was returned without its root. That is the square of the norm.",
    hint="Your norm is the square of the right one: take the root of the sum of squares.",
)

mistake(
    "optim.clip_grad_norm",
    "largest-norm",
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "max((gradient.norm().item() for gradient in gradients), default=0.0)",
    ),
    section="gradient-clipping",
    why="The largest of the gradients' norms was taken. The norm of all together is larger.",
    hint="With several parameters your norm is too small: you take the largest, and all of them count.",
)

mistake(
    "optim.clip_grad_norm",
    "largest-entry",
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "max((gradient.abs().max().item() for gradient in gradients), default=0.0)",
    ),
    section="gradient-clipping",
    why="The largest entry was taken for the norm. That is the infinity norm; clipping here uses the root of the sum "
    "of squares.",
    hint="Your norm is the largest entry of all gradients. Take the root of the sum of squares of all entries.",
)

mistake(
    "optim.clip_grad_norm",
    "sum-of-sizes",
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "sum(gradient.abs().sum().item() for gradient in gradients)",
    ),
    section="gradient-clipping",
    why="The sizes of all entries were added up, which is the 1-norm. Clipping here uses the root of the sum of "
    "squares.",
    hint="Your norm adds up the sizes of the entries. Take the root of the sum of squares.",
)

mistake(
    "optim.clip_grad_norm",
    "mean-of-squares",
    edit(
        "gradients = [p.grad for p in parameters if p.grad is not None]",
        """
        gradients = [p.grad for p in parameters if p.grad is not None]
        squares = [entry for gradient in gradients for entry in gradient.square().flatten().tolist()]
        """,
    ),
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "math.sqrt(sum(squares) / max(len(squares), 1))",
    ),
    section="gradient-clipping",
    why="The mean of the squares was taken in place of their sum. The result then depends on how many parameters there "
    "are.",
    hint="Your norm is too small by the root of the number of entries: add the squares, and do not average them.",
)

mistake(
    "optim.clip_grad_norm",
    "norm-of-the-parameters",
    edit(
        "gradients = [p.grad for p in parameters if p.grad is not None]",
        "parameters = [p for p in parameters if p.grad is not None]\ngradients = [p.grad for p in parameters]",
    ),
    edit(
        "(torch.linalg.vector_norm(gradient).item() for gradient in gradients)",
        "(p.detach().norm().item() for p in parameters)",
    ),
    section="gradient-clipping",
    why="The norm of the parameters was taken. It is the gradient that is to be limited.",
    hint="Your norm does not depend on the gradients: it is that of the parameters. Use `p.grad`.",
)

mistake(
    "optim.clip_grad_norm",
    "norm-after-clipping",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("return norm", "return min(norm, max_norm)"),
    section="gradient-clipping",
    why="The norm after clipping was returned. A log would then show `max_norm` again and again, and not how long the "
    "gradient really was.",
    hint="Your gradients are right, but the returned number is the norm after clipping. Return the one from before.",
)

mistake(
    "optim.clip_grad_norm",
    "divided-by-the-norm-alone",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("max_norm / norm", "1 / norm"),
    section="gradient-clipping",
    why="The gradients were divided by their norm, which makes it 1. It should become `max_norm`.",
    hint="Your clipped gradients have the norm 1, whatever `max_norm` is: multiply by `max_norm / norm`.",
)

mistake(
    "optim.clip_grad_norm",
    "factor-turned-round",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("max_norm / norm", "norm / max_norm"),
    section="gradient-clipping",
    why="The factor is `norm / max_norm`. Long gradients get longer still.",
    hint="Your long gradients get longer: the factor is the other way round, `max_norm / norm`.",
)

mistake(
    "optim.clip_grad_norm",
    "factor-under-a-root",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("max_norm / norm", "(max_norm / norm) ** 0.5"),
    section="gradient-clipping",
    why="The factor was applied as its root, as if it belonged to squares. The clipped norm is then still too large.",
    hint="Your clipped gradients are still too long: multiply by `max_norm / norm` itself.",
)

mistake(
    "optim.clip_grad_norm",
    "returns-a-tensor",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("return norm", "return torch.tensor(norm)"),
    section="gradient-clipping",
    why="The norm was returned as a tensor. The task needs a Python float, which can be logged and compared.",
    hint="You return a tensor; make a float of it with `.item()`.",
)

mistake(
    "optim.clip_grad_norm",
    "nothing-returned",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("return norm", ""),
    section="gradient-clipping",
    why="The norm was not returned. It is the number to watch while training.",
    hint="Your gradients are right, but nothing is returned: return the norm before clipping.",
)

mistake(
    "optim.clip_grad_norm",
    "gradients-not-changed",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("gradient.mul_(max_norm / norm)", "gradient = gradient * (max_norm / norm)"),
    section="clipping-edges",
    why="New, clipped tensors were made and dropped. The gradients of the parameters stay as they were.",
    hint="Your gradients stay as they were: the clipped ones are new tensors that nobody keeps. Multiply in place.",
)

mistake(
    "optim.clip_grad_norm",
    "generator-read-twice",
    edit("gradients = [p.grad for p in parameters if p.grad is not None]", ""),
    edit(
        "(torch.linalg.vector_norm(gradient).item() for gradient in gradients)",
        "(p.grad.norm().item() for p in parameters if p.grad is not None)",
    ),
    edit("for gradient in gradients:", "for p in parameters:"),
    edit("gradient.mul_(max_norm / norm)", "if p.grad is not None:\n    p.grad.mul_(max_norm / norm)"),
    section="clipping-edges",
    why="`parameters` was gone through twice. `model.parameters()` can be read only once: the second loop finds "
    "nothing, and nothing is clipped.",
    hint="With a list you are right, with `model.parameters()` nothing is clipped: it is a generator and empty after "
    "the first loop. Make a list of it first.",
)

mistake(
    "optim.clip_grad_norm",
    "none-gradient-not-skipped",
    edit("[p.grad for p in parameters if p.grad is not None]", "[p.grad for p in parameters]"),
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    section="clipping-edges",
    why="A parameter without a gradient was used as if it had one. Its `grad` is `None`.",
    hint="Your function fails on a parameter whose gradient is `None`. Skip those.",
)

mistake(
    "optim.clip_grad_norm",
    "none-gradient-ends-the-loop",
    edit(
        "gradients = [p.grad for p in parameters if p.grad is not None]",
        """
        gradients = []
        for p in parameters:
            if p.grad is None:
                break
            gradients.append(p.grad)
        """,
    ),
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    section="clipping-edges",
    why="The loop was left at the first parameter without a gradient. Those behind it do not count and are not "
    "clipped.",
    hint="Parameters behind one without a gradient are forgotten: skip it, and go on.",
)

mistake(
    "optim.clip_grad_norm",
    "zero-norm-divides",
    edit(
        "norm = math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "norm = math.hypot(*(gradient.norm().item() for gradient in gradients))\nscale = min(1.0, max_norm / norm)",
    ),
    edit(
        "if norm > max_norm:\n    for gradient in gradients:\n        gradient.mul_(max_norm / norm)",
        "for gradient in gradients:\n    gradient.mul_(scale)",
    ),
    section="clipping-edges",
    why="The factor was computed before it was asked whether it is needed. When all gradients are 0 it divides by 0.",
    hint="When all gradients are 0 your function divides by 0. Compute the factor only when the norm is above "
    "`max_norm`.",
)

mistake(
    "optim.clip_grad_norm",
    "parameters-scaled",
    edit(
        "gradients = [p.grad for p in parameters if p.grad is not None]",
        "parameters = [p for p in parameters if p.grad is not None]\ngradients = [p.grad for p in parameters]",
    ),
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("for gradient in gradients:", "for p in parameters:"),
    edit("gradient.mul_", "p.data.mul_"),
    section="clipping-edges",
    why="The parameters were multiplied by the factor, and not their gradients. That shrinks the model.",
    hint="Your gradients stay as they are, and the parameters get smaller: it is `p.grad` that is multiplied.",
)

mistake(
    "optim.clip_grad_norm",
    "last-gradient-only",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("for gradient in gradients:\n    gradient.mul_(max_norm / norm)", "gradients[-1].mul_(max_norm / norm)"),
    section="gradient-clipping",
    why="Only the last gradient was scaled, because the multiplication stands behind the loop. All should get the "
    "factor.",
    hint="Of several gradients only the last gets shorter: the multiplication belongs into the loop.",
)

mistake(
    "optim.clip_grad_norm",
    "norm-rounded-to-whole",
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "int(math.hypot(*(gradient.norm().item() for gradient in gradients)))",
    ),
    section="gradient-clipping",
    why="The norm was turned into a whole number. Norms below 1 become 0.",
    hint="Your norm is a whole number: the fraction is lost. Return a float.",
)

mistake(
    "optim.clip_grad_norm",
    "nothing-to-stack",
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "torch.stack([gradient.norm() for gradient in gradients]).norm().item()",
    ),
    section="clipping-edges",
    why="The norms of the gradients are stacked, and of none no stack can be made. A model whose layers are all "
    "frozen, or that has had no backward pass, has no gradient at all; its norm is 0.",
    hint="Where every gradient is None your function ends in an error. The norm of no gradients is 0.0: answer that "
    "case first.",
)

mistake(
    "optim.clip_grad_norm",
    "a-flat-copy-scaled",
    edit(
        "[p.grad for p in parameters if p.grad is not None]",
        "[p.grad.reshape(-1) for p in parameters if p.grad is not None]",
    ),
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "math.sqrt(sum(float(gradient.double() @ gradient.double()) for gradient in gradients))",
    ),
    section="gradient-clipping",
    why="The gradient is made flat before it is scaled. Where it does not lie in one piece in memory, as that of a "
    "transposed weight, `reshape` gives a copy, and the gradient stays as long as it was.",
    hint="A gradient that does not lie in one piece in memory is not shortened by your function, since `reshape` "
    "copies it first: `mul_` needs no flat gradient.",
)
