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
    why="Your rate starts high, falls until step `warmup`, and then rises for ever. You took the larger of the two "
    "branches. Along which of the two curves does the schedule run?",
    hint="Your rate starts high, falls until step `warmup` and then rises for ever: you take the larger branch where "
    "the smaller one is meant. Draw both curves; the schedule runs along the lower one.",
)

mistake(
    "optim.noam_lr",
    "no-warm-up",
    edit("min(step**-0.5, step * warmup**-1.5)", "step**-0.5"),
    section="schedule-formula",
    why="Your rate is highest at the first step, which a warm-up should avoid. Only the falling branch has an "
    "effect: the rising one is missing, or its exponent has lost the minus. Which branch is smaller before step "
    "`warmup`?",
    hint="Your rate falls from the first step on, and `warmup` plays no part in it. Before step `warmup` the rising "
    "branch, whose exponent has a minus, is the smaller one.",
)

mistake(
    "optim.noam_lr",
    "no-decay",
    edit(
        "factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)",
        "factor * d_model**-0.5 * step * warmup**-1.5",
    ),
    section="schedule-formula",
    why="Your rate grows without end. You used only the rising branch. Which branch is smaller after step `warmup`?",
    hint="Your rate goes on rising after step `warmup`. From there on the falling branch, one over the root of the "
    "step, is the smaller one.",
)

mistake(
    "optim.noam_lr",
    "level-after-warm-up",
    edit("step**-0.5", "warmup**-0.5"),
    section="schedule-formula",
    why="Up to step `warmup` your rates are right, and then they stay level. Your falling branch depends on `warmup` "
    "instead of the step. How does the paper's rate fall?",
    hint="Up to step `warmup` your rates are right, and then they stay level. After the warm-up the branch is one over "
    "the root of the step, not of `warmup`.",
)

mistake(
    "optim.noam_lr",
    "falls-as-one-over-step",
    edit("step**-0.5", "step**-1.0"),
    section="schedule-formula",
    why="Your rate falls much too fast, and the branches do not meet at step `warmup`. Your falling branch is one "
    "over the step. How much lower should the rate be after four times as many steps?",
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
    why="Your rate is far too low. You wrote the exponent with `//`, and `-1 // 2` is -1 because this division "
    "rounds down. How can you write one half as a number?",
    hint="Your rate is far too low: `-1 // 2` is -1, because `//` rounds down. Write the exponent as a decimal number.",
)

mistake(
    "optim.noam_lr",
    "warm-up-exponent-half",
    edit("warmup**-1.5", "warmup**-0.5"),
    section="schedule-peak",
    why="Your rate is at its highest after a few steps. The rising branch is `warmup` times too steep. Which exponent "
    "makes the two branches equal at step `warmup`?",
    hint="Your rate is at its highest after a few steps: the rising branch is `warmup` times too steep. Its exponent "
    "is -1.5, so that both branches are equal at step `warmup`.",
)

mistake(
    "optim.noam_lr",
    "warm-up-exponent-one",
    edit("warmup**-1.5", "warmup**-1.0"),
    section="schedule-peak",
    why="Your rate starts falling long before step `warmup`. Your rising branch reaches 1 there, and the falling one "
    "does not. Which exponent makes the two branches equal at step `warmup`?",
    hint="Your rate falls long before step `warmup`: with `step / warmup` the branches do not meet there. Put `step = "
    "warmup` into both and choose the exponent so that they agree.",
)

mistake(
    "optim.noam_lr",
    "peak-of-one",
    edit("min(step**-0.5, step * warmup**-1.5)", "min((warmup / step) ** 0.5, step / warmup)"),
    section="schedule-peak",
    why="Your curve has the right shape, but it is multiplied by the root of `warmup`. You scaled it so that it "
    "rises to 1. To which height does the formula rise at step `warmup`?",
    hint="Your curve has the right shape, but it is multiplied by the root of `warmup`: you rise to 1 where the "
    "formula rises to `warmup**-0.5`.",
)

mistake(
    "optim.noam_lr",
    "width-not-inverted",
    edit("d_model**-0.5", "d_model**0.5"),
    section="schedule-formula",
    why="Your rates are `d_model` times too high. You multiplied by the root of the width. Should a wider model take "
    "larger or smaller steps?",
    hint="Your rates are `d_model` times too high: the exponent of the width is -0.5, not 0.5. A wider model takes "
    "smaller steps.",
)

mistake(
    "optim.noam_lr",
    "width-without-root",
    edit("d_model**-0.5", "d_model**-1.0"),
    section="schedule-formula",
    why="Your rates are too low: for a width of 512, about 23 times. You divided by the width itself. Which power of "
    "`d_model` does the formula have?",
    hint="Your rates are the right ones divided by the root of `d_model`: divide by this root and not by the width "
    "itself.",
)

mistake(
    "optim.noam_lr",
    "width-forgotten",
    edit("factor * d_model**-0.5", "factor"),
    section="schedule-formula",
    why="Your rates are the same for every `d_model`. You did not use the width. With which factor does the formula "
    "begin?",
    hint="Your rates are the same for every `d_model`. The formula begins with a power of `d_model`: one over its "
    "root.",
)

mistake(
    "optim.noam_lr",
    "width-inside-minimum",
    edit("factor * d_model**-0.5 * min(step**-0.5", "factor * min(d_model**-0.5 * step**-0.5"),
    section="schedule-formula",
    why="Your rates are too high before the warm-up ends and right afterwards. You multiplied only one of the "
    "branches by the power of the width. Which part of the formula does this power multiply?",
    hint="Before the warm-up ends your rates are too high, afterwards they are right. The power of the width belongs "
    "in front of the minimum, where it multiplies both branches.",
)

mistake(
    "optim.noam_lr",
    "factor-forgotten",
    edit("factor * d_model**-0.5", "d_model**-0.5"),
    section="schedule-formula",
    why="Your rates do not change with `factor`. You did not use the argument. Which part of the formula does it "
    "scale?",
    hint="Your rates do not change with `factor`. It multiplies everything else.",
)

mistake(
    "optim.noam_lr",
    "factor-on-one-branch",
    edit("factor * d_model**-0.5 * min(step**-0.5", "d_model**-0.5 * min(factor * step**-0.5"),
    section="schedule-formula",
    why="With a `factor` other than 1, your peak moves to another step. You multiplied only one of the branches. "
    "Which part of the formula does it scale?",
    hint="With a `factor` other than 1 your rate is right after the peak and wrong before it: `factor` multiplies the "
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
    why="Called without `factor`, you return twice the right rate. Your default is 2, as in some configurations. "
    "Which default does the task give?",
    hint="Called without `factor` you return twice the right rate: the default is 1.0.",
)

mistake(
    "optim.noam_lr",
    "other-default-warm-up",
    edit("def noam_lr(step, d_model, warmup=4000, factor=1.0):", "def noam_lr(step, d_model, warmup=400, factor=1.0):"),
    section="schedule-formula",
    why="Called without `warmup`, your rates differ from the paper's. Your default has another value. Which number of "
    "steps does the paper use?",
    hint="Called without `warmup` your rates differ: the default is the 4000 of the paper.",
)

mistake(
    "optim.noam_lr",
    "warm-up-fixed",
    edit("warmup**-1.5", "4000**-1.5"),
    section="schedule-formula",
    why="Your peak is at step 4000 whatever `warmup` says. You wrote the number into the formula. Where should the "
    "argument be used?",
    hint="Your peak is at step 4000, whatever `warmup` says. Use the argument.",
)

mistake(
    "optim.noam_lr",
    "step-zero-not-handled",
    edit("step = max(step, 1)", ""),
    section="schedule-edges",
    why="`noam_lr(0, ...)` raises ZeroDivisionError, and a new scheduler calls its function with 0. You used the "
    "step as it is, but zero to a negative power is a division by zero. Which step does 0 count as?",
    hint="`noam_lr(0, ...)` raises ZeroDivisionError, and a new scheduler calls its function with 0. Step 0 counts as "
    "step 1.",
)

mistake(
    "optim.noam_lr",
    "step-zero-gives-zero",
    edit("step = max(step, 1)", "if step == 0:\n    return 0.0"),
    section="schedule-edges",
    why="A first step with your rate would change nothing. You return 0 for step 0. Which step does 0 count as?",
    hint="Your rate of step 0 is 0, and a first step with it would do nothing at all. Step 0 counts as step 1.",
)

mistake(
    "optim.noam_lr",
    "every-step-shifted",
    edit("max(step, 1)", "step + 1"),
    section="schedule-edges",
    why="At every step you return the rate of the next step. You added 1 to every step so that 0 is harmless. Which "
    "steps need this change?",
    hint="At every step you return the rate of the next step. Only step 0 is special: it counts as 1, and 1 stays 1.",
)

mistake(
    "optim.noam_lr",
    "step-zero-made-tiny",
    edit("max(step, 1)", "step + 1e-8"),
    section="schedule-edges",
    why="Your rate of step 0 is practically 0. You added a tiny number to the step. Which step does 0 count as?",
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
    why="`warmup=0` ends in a division by zero, and a negative `warmup` in complex numbers, which cannot be "
    "compared. You did not check the argument. Which values are allowed, and how should the function react to others?",
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
    why="`warmup=0` raises AssertionError, and under `python -O` nothing at all. You checked the argument with "
    "`assert`. Which error does the course use for wrong arguments?",
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
    why="A typing error in `warmup` goes unnoticed. You silently replaced values below 1. How should the function "
    "react instead?",
    hint="For `warmup=0` you return a rate. It should be an error: raise ValueError with a message that names "
    "`warmup`. A caller who wants no warm-up passes 1.",
)

mistake(
    "optim.noam_lr",
    "warm-up-of-one-refused",
    edit("warmup < 1", "warmup <= 1"),
    section="schedule-edges",
    why="`warmup=1` is refused, although it is the shortest warm-up: the first step has the highest rate. Your limit "
    "is one too high. Which values are below 1?",
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
    why="You return a tensor, but schedulers, logs and JSON files expect a Python float. You computed with tensors. "
    "Which operators work on plain numbers?",
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
    why="Your rates are right up to step `warmup`, and then they fall along a straight line. You used a linear "
    "decay. How does the paper's rate fall?",
    hint="Your rates are right up to step `warmup`, and then fall along a straight line. The falling branch is one "
    "over the root of the step.",
)

mistake(
    "optim.noam_lr",
    "whole-steps-lost",
    edit("step * warmup**-1.5", "step // warmup * warmup**-0.5"),
    section="schedule-formula",
    why="Your rate is 0 until step `warmup`. You divided with `//`, which drops the fraction. Which division keeps it?",
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
    why="Your rate is exactly 0 in the first steps. You rounded it, and early rates are of the order of 1e-7. Where "
    "does rounding belong?",
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
    why="Parameters with large gradients hardly shrink. You added the decay to the gradient, as Adam with L2 does, "
    'so it is divided by the root. What does "decoupled" decay act on?',
    hint="Your decay goes through the gradient: that is Adam with L2 regularisation. In AdamW the parameter shrinks by "
    "a share of itself, and the means see only the gradient.",
)

mistake(
    "optim.AdamW",
    "l2-added-in-place",
    edit('p.mul_(1 - lr * group["weight_decay"])', 'p.grad.add_(p, alpha=group["weight_decay"])'),
    base="decay-first",
    section="decoupled-decay",
    why="After your step, `p.grad` holds other numbers, and parameters with large gradients hardly shrink. You added "
    'the decay to the gradient in place. What does "decoupled" decay act on?',
    hint="After your step `p.grad` holds another number: the decay was added to it. Leave the gradient alone, and "
    "shrink the parameter itself.",
)

mistake(
    "optim.AdamW",
    "decay-divided-by-the-root",
    edit('p.mul_(1 - lr * group["weight_decay"])', ""),
    edit("lr * m_hat", 'lr * (m_hat + group["weight_decay"] * p)'),
    base="decay-first",
    section="decoupled-decay",
    why="Parameters with small gradients shrink too much. You added the decay before the division by the root of the "
    "second mean. Which part of the update belongs in the fraction?",
    hint="Your decay is divided by the root of the second mean along with the gradient. Take the decay out of the "
    "fraction, and subtract it separately.",
)

mistake(
    "optim.AdamW",
    "no-decay",
    edit('p.mul_(1 - lr * group["weight_decay"])', ""),
    base="decay-first",
    section="decoupled-decay",
    why="Parameters with a gradient of 0 never shrink. You ignored `weight_decay`, which makes this Adam. What "
    "should each step do to the parameter itself?",
    hint="A parameter with a gradient of 0 does not shrink: `weight_decay` is not used. In each step the parameter "
    "loses the share `lr * weight_decay` of itself.",
)

mistake(
    "optim.AdamW",
    "decay-without-rate",
    edit('lr * group["weight_decay"]', 'group["weight_decay"]'),
    base="decay-first",
    section="decoupled-decay",
    why="Your parameters shrink far too fast, and a schedule has no influence on this decay. Your decay lacks a "
    "factor. What scales both parts of an AdamW update?",
    hint="Your parameters shrink much too fast: the decay lacks the factor `lr`.",
)

mistake(
    "optim.AdamW",
    "decay-grows",
    edit('1 - lr * group["weight_decay"]', '1 + lr * group["weight_decay"]'),
    base="decay-first",
    section="decoupled-decay",
    why="A parameter with a gradient of 0 grows. The sign of your decay is wrong. On which side of 1 should the "
    "factor lie?",
    hint="A parameter with a gradient of 0 grows in your version: decay takes a share away, so its sign is a minus.",
)

mistake(
    "optim.AdamW",
    "decay-of-the-sign",
    edit('p.mul_(1 - lr * group["weight_decay"])', 'p.sub_(lr * group["weight_decay"] * p.sign())'),
    base="decay-first",
    section="decoupled-decay",
    why="All parameters shrink by the same amount, whatever their size. You used their sign, which is an L1 penalty. "
    "To what is weight decay proportional?",
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
    why="Parameters shrink twice per step. You applied the decay before and after the update. How often should it be "
    "applied?",
    hint="Your parameters shrink twice per step. Apply the decay once, before or after the update.",
)

mistake(
    "optim.AdamW",
    "vectors-not-decayed",
    edit('p.mul_(1 - lr * group["weight_decay"])', 'if p.ndim > 1:\n    p.mul_(1 - lr * group["weight_decay"])'),
    base="decay-first",
    section="optimizer-groups",
    why="Vectors and scalars do not shrink. You decided inside the optimiser which shapes decay. How can a caller "
    "spare the biases?",
    hint="Your vectors and scalars do not shrink. The optimiser treats all shapes alike; a caller spares the biases by "
    "putting them into a group with `weight_decay=0`.",
)

mistake(
    "optim.AdamW",
    "zero-gradient-skipped",
    edit("p.grad is None", "p.grad is None or not p.grad.any()"),
    base="decay-first",
    section="optimizer-manners",
    why="A parameter whose gradient is all zeros does not decay, and its means stand still. You treated zeros like a "
    "missing gradient. Which value says that there is none?",
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
    why="Your first steps are several times too long. The running means start at 0, and you used them as they are. "
    "What corrects their start?",
    hint="Your first step is about three times too long: the means start at 0 and are not corrected. Divide each mean "
    "by its correction, which depends on `t`.",
)

mistake(
    "optim.AdamW",
    "only-first-mean-corrected",
    edit("v / (1 - beta2**t)", "v"),
    base="decay-first",
    section="bias-correction",
    why="Your first step is about thirty times too long. You corrected only the first mean, so the root of the "
    "second is far too small. Which other mean starts at 0?",
    hint="Your first step is about thirty times too long: the second mean starts at 0 too. Divide it by its correction "
    "before you take the root.",
)

mistake(
    "optim.AdamW",
    "only-second-mean-corrected",
    edit("m / (1 - beta1**t)", "m"),
    base="decay-first",
    section="bias-correction",
    why="Your first step is ten times too short. You corrected only the second mean. Which other mean starts at 0?",
    hint="Your first step is ten times too short: the first mean starts at 0 too. Divide it by its correction.",
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
    why="Your first step divides by 0. You raised the count of steps after its use, and `beta**0` is 1. Which number "
    "does the first step have?",
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
    why="Your first step does not have the length `lr`. Your correction is that of step 2. Which number does the "
    "first step have?",
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
    why="Your first step is right, and the later ones are not. You divided by the same number each time, although "
    "the correction has to fade. Where does the count of steps enter?",
    hint="Your first step is right, and the later ones are not: your correction lacks the power, whose exponent is the "
    "count of steps.",
)

mistake(
    "optim.AdamW",
    "corrections-exchanged",
    edit("m / (1 - beta1**t)", "m / (1 - beta2**t)"),
    edit("v / (1 - beta2**t)", "v / (1 - beta1**t)"),
    base="decay-first",
    section="bias-correction",
    why="Your first step has the wrong length. You exchanged the corrections of the two means. Which beta belongs to "
    "which mean?",
    hint="Your first step has the wrong length: the correction of the first mean contains `beta1`, that of the second "
    "`beta2`. You have them the other way round.",
)

mistake(
    "optim.AdamW",
    "correction-outside-the-root",
    edit("v / (1 - beta2**t)", "v.sqrt() / (1 - beta2**t)"),
    edit("v_hat.sqrt()", "v_hat"),
    base="decay-first",
    section="bias-correction",
    why="Your first step is too short. You corrected the second mean after its root was taken. On which side of the "
    "root does the correction belong?",
    hint="Your first step is too short: you correct the second mean after its root. Correct it first, then take the "
    "root.",
)

mistake(
    "optim.AdamW",
    "corrected-means-kept",
    edit("m / (1 - beta1**t)", "m.div_(1 - beta1**t)"),
    edit("v / (1 - beta2**t)", "v.div_(1 - beta2**t)"),
    base="decay-first",
    section="bias-correction",
    why="Your first step is right, and then the means grow. You stored the corrected means, and the next step "
    "corrects them again. Which version should be kept?",
    hint="Your first step is right, and then the means are corrected again and again: keep the running means as they "
    "are, and correct a copy.",
)

mistake(
    "optim.AdamW",
    "no-root",
    edit("v_hat.sqrt()", "v_hat"),
    base="decay-first",
    section="adam-moments",
    why="Your steps are long where gradients are small, and short where they are large. You divided by the second "
    "mean itself. Which step is missing before the division?",
    hint="Your steps are long where gradients are small, and short where they are large: divide by the root of the "
    "second mean.",
)

mistake(
    "optim.AdamW",
    "epsilon-inside-the-root",
    edit('v_hat.sqrt() + group["eps"]', '(v_hat + group["eps"]).sqrt()'),
    base="decay-first",
    section="adam-eps",
    why="With tiny gradients your steps are much too short. You added epsilon under the root, where it acts like "
    "1e-4. On which side of the root does it belong?",
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
    why="With tiny gradients your first steps are too short. You added epsilon before the bias correction, which "
    "enlarges it. Which of the two comes first?",
    hint="With tiny gradients your first steps are too short: epsilon is added before the bias correction and grows "
    "with it. Correct the mean first.",
)

mistake(
    "optim.AdamW",
    "epsilon-as-a-floor",
    edit('v_hat.sqrt() + group["eps"]', 'v_hat.sqrt().clamp(min=group["eps"])'),
    base="decay-first",
    section="adam-eps",
    why="With tiny gradients your steps are too long, by up to a factor of two. You used epsilon as a lower limit of "
    "the root. What does the formula do with it?",
    hint="With tiny gradients your steps are too long: you take the larger of epsilon and the root. Add epsilon to the "
    "root instead.",
)

mistake(
    "optim.AdamW",
    "no-epsilon",
    edit('v_hat.sqrt() + group["eps"]', "v_hat.sqrt()"),
    base="decay-first",
    section="adam-eps",
    why="A gradient that has always been 0 gives NaN. You left epsilon out, so the step is 0/0. Where does it stand "
    "in the formula?",
    hint="A gradient of 0 gives you NaN, because the root it is divided by is 0. Add epsilon to the root.",
)

mistake(
    "optim.AdamW",
    "epsilon-fixed",
    edit('group["eps"]', "1e-8"),
    base="decay-first",
    section="adam-eps",
    why="Epsilon is 1e-8 whatever the call says. You wrote the number into the formula. Where does the optimiser "
    "keep its settings?",
    hint="Your epsilon is 1e-8 whatever the call says. Take it from the group.",
)

mistake(
    "optim.AdamW",
    "betas-exchanged",
    edit("(beta1, beta2)", "(beta2, beta1)"),
    base="decay-first",
    section="adam-moments",
    why="Your first step is right, and the later ones are not. You exchanged the betas, so the mean of the gradients "
    "forgets slowly. Which beta belongs to which mean?",
    hint="Your first step is right and the later ones are not. The first beta belongs to the mean of the gradients, "
    "the second to that of the squares.",
)

mistake(
    "optim.AdamW",
    "betas-fixed",
    edit('lr, (beta1, beta2) = group["lr"], group["betas"]', 'lr, beta1, beta2 = group["lr"], 0.9, 0.999'),
    base="decay-first",
    section="adam-moments",
    why="The betas are 0.9 and 0.999 whatever the call says. You wrote them into the formulas. Where does the "
    "optimiser keep its settings?",
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
    why="Your means follow the last gradient closely and remember hardly anything. You exchanged the two shares. "
    "Which of the two does the old mean keep?",
    hint="Your means follow the last gradient closely: the old mean keeps the share `beta`, and the new gradient gets "
    "`1 - beta`.",
)

mistake(
    "optim.AdamW",
    "momentum-without-share",
    edit("m.mul_(beta1).add_(p.grad, alpha=1 - beta1)", "m.mul_(beta1).add_(p.grad)"),
    base="decay-first",
    section="adam-moments",
    why="Your first mean is ten times too large. You added the new gradient in full, as in stochastic gradient descent "
    "with momentum. With which share should it enter?",
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
    why="Your steps have the wrong size. You averaged absolute gradients in the second mean. What should it average so "
    "that its root makes sense?",
    hint="Your second mean averages absolute gradients and not squares: multiply the gradient by itself.",
)

mistake(
    "optim.AdamW",
    "squares-of-the-mean",
    edit("v.mul_(beta2).addcmul_(p.grad, p.grad, value=1 - beta2)", "v.mul_(beta2).addcmul_(m, m, value=1 - beta2)"),
    base="decay-first",
    section="adam-moments",
    why="Your second mean is too small. You squared the running mean. Whose squares should it average?",
    hint="Your second mean is too small: it squares the running mean `m`, and the squares of the gradients are meant.",
)

mistake(
    "optim.AdamW",
    "gradient-without-mean",
    edit("m / (1 - beta1**t)", "p.grad"),
    base="decay-first",
    section="adam-moments",
    why="Your first step is right, and the later ones follow the last gradient alone. You left the first mean out of "
    "the update, as RMSprop does. What should stand above the root?",
    hint="Your first step is right and the later ones follow the last gradient alone: divide the corrected mean `m`, "
    "not the gradient.",
)

mistake(
    "optim.AdamW",
    "means-start-at-the-gradient",
    edit("0, torch.zeros_like(p), torch.zeros_like(p)", "0, p.grad.clone(), p.grad.square()"),
    base="decay-first",
    section="bias-correction",
    why="Your first steps have the wrong length. You started the means at the first gradient and its square, but the "
    "bias correction assumes another start. From which value do the means start?",
    hint="Your first steps have the wrong length: started at the first gradient, the means need no bias correction. The "
    "correction assumes that they start at 0.",
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
    why="As soon as gradients become smaller, your steps are too short. You divide by the largest second mean so "
    "far, which is AMSGrad. Which second mean does AdamW use?",
    hint="As soon as gradients get smaller your steps are too short: you divide by the largest second mean so far, "
    "which is AMSGrad.",
)

mistake(
    "optim.AdamW",
    "uphill",
    edit('p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))', 'p.add_(lr * m_hat / (v_hat.sqrt() + group["eps"]))'),
    base="decay-first",
    section="adam-moments",
    why="Training raises the loss. You added the step. In which direction should the parameters move?",
    hint="Your parameters move in the wrong direction: the step is subtracted.",
)

mistake(
    "optim.AdamW",
    "parameter-not-changed",
    edit('p.sub_(lr * m_hat / (v_hat.sqrt() + group["eps"]))', 'p = p - lr * m_hat / (v_hat.sqrt() + group["eps"])'),
    base="decay-first",
    section="optimizer-manners",
    why="Your parameters do not move. You gave a new tensor the name of the parameter. Which kind of operation "
    "changes the parameter itself?",
    hint="Your parameters do not move: `p = p - ...` gives a new tensor the name `p`. Use an operation in place.",
)

mistake(
    "optim.AdamW",
    "group-rate-ignored",
    edit('group["lr"]', 'self.defaults["lr"]'),
    base="decay-first",
    section="optimizer-groups",
    why="Schedulers and groups with a rate of their own have no effect. You read the rate from the constructor's "
    "defaults. Where does a scheduler write the rate?",
    hint='Your rate is always the one given at the start. Schedulers change `group["lr"]`: read it anew in each step.',
)

mistake(
    "optim.AdamW",
    "group-decay-ignored",
    edit('group["weight_decay"]', 'self.defaults["weight_decay"]'),
    base="decay-first",
    section="optimizer-groups",
    why="A group with `weight_decay=0` decays all the same. You read the decay from the constructor's defaults. "
    "Where are the settings of a group?",
    hint="Every group of yours decays alike. Take `weight_decay` from the group, not from the defaults.",
)

mistake(
    "optim.AdamW",
    "decay-with-the-first-rate",
    edit('lr * group["weight_decay"]', 'self.defaults["lr"] * group["weight_decay"]'),
    base="decay-first",
    section="optimizer-groups",
    why="When a schedule lowers the rate, your decay stays as it was. You used the constructor's rate for the decay. "
    "Which rate do both parts of an update share?",
    hint="When a schedule lowers the rate your decay stays as it was. Both parts of the update use the rate of the "
    "group.",
)

mistake(
    "optim.AdamW",
    "first-group-only",
    edit("self.param_groups", "self.param_groups[:1]"),
    base="decay-first",
    section="optimizer-groups",
    why="Parameters of the second group do not move. You updated only the first group. Which groups should the loop "
    "visit?",
    hint="Parameters of the second group do not move in your version: go through all of `self.param_groups`.",
)

mistake(
    "optim.AdamW",
    "none-gradient-not-skipped",
    edit("if p.grad is None:\n    continue", ""),
    base="decay-first",
    section="optimizer-manners",
    why="Your step fails on a parameter without a gradient. Its `grad` is None, with which nothing can be computed. "
    "What should happen to such a parameter?",
    hint="Your step fails on a parameter whose gradient is `None`. Skip those.",
)

mistake(
    "optim.AdamW",
    "none-gradient-ends-the-loop",
    edit("if p.grad is None:\n    continue", "if p.grad is None:\n    break"),
    base="decay-first",
    section="optimizer-manners",
    why="Parameters after one without a gradient do not move. You left the loop at the first such parameter. Which "
    "statement goes on with the next one?",
    hint="Parameters after one without a gradient do not move: skip it with `continue`; `break` leaves the loop.",
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
    why="A parameter without a gradient shrinks, and its count goes on. You replaced None by zeros. What should "
    "happen to such a parameter and its state?",
    hint="A parameter whose gradient is `None` shrinks in your version. It should be left alone, its state too.",
)

mistake(
    "optim.AdamW",
    "none-gradient-decays",
    edit('p.mul_(1 - lr * group["weight_decay"])', ""),
    edit("if p.grad is None:", 'p.mul_(1 - lr * group["weight_decay"])\nif p.grad is None:'),
    base="decay-first",
    section="optimizer-manners",
    why="A parameter without a gradient shrinks. You applied the decay before you asked whether there is a gradient. "
    "Which of the two comes first?",
    hint="A parameter whose gradient is `None` shrinks in your version. Test for a missing gradient first, and apply "
    "the decay after this test.",
)

mistake(
    "optim.AdamW",
    "one-count-in-the-optimiser",
    edit("for group in self.param_groups:", 'self.t = getattr(self, "t", 0) + 1\nfor group in self.param_groups:'),
    edit('state["t"] += 1', ""),
    edit('t, m, v = state["t"], state["m"], state["v"]', 't, m, v = self.t, state["m"], state["v"]'),
    base="decay-first",
    section="optimizer-state",
    why="After `load_state_dict` your count starts anew, and it is wrong for parameters that get their first "
    "gradient later. You kept one count on the optimiser. Where is the state of a single parameter kept?",
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
    why="A parameter that gets its first gradient later moves by the wrong amount. You kept one count for the whole "
    "group. From which number should this parameter's count start?",
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
    why="With several parameters your correction fades too fast. You raised one shared count for each of them. How "
    "many counts do several parameters need?",
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
    why="After `load_state_dict` your means start from 0. You kept them in a dictionary that `state_dict` does not "
    "know. Which attribute of an optimiser is saved?",
    hint="After `load_state_dict` your means start from 0 again: only what is in `self.state` is saved.",
)

mistake(
    "optim.AdamW",
    "means-forgotten",
    edit("self.state[p]", '{"t": 0, "m": torch.zeros_like(p), "v": torch.zeros_like(p)}'),
    edit('if not state:\n    state["t"], state["m"], state["v"] = 0, torch.zeros_like(p), torch.zeros_like(p)', ""),
    base="decay-first",
    section="optimizer-state",
    why="Each step is like a first one. You made the means anew in every step, so nothing is remembered. Where are "
    "they kept between steps?",
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
    why="Your two means always hold the same numbers. You bound one tensor to two names. How many tensors do two "
    "means need?",
    hint="Your two means are one tensor with two names: make two tensors of zeros.",
)

mistake(
    "optim.AdamW",
    "means-in-float32",
    edit("0, torch.zeros_like(p), torch.zeros_like(p)", "0, torch.zeros(p.shape), torch.zeros(p.shape)"),
    base="decay-first",
    section="optimizer-state",
    why="In float64 your results have only the accuracy of float32. You made the means in PyTorch's default type. "
    "From which tensor can they take their type?",
    hint="In float64 your results have the accuracy of float32: take the type of the means from the parameter.",
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
    why="Your results are right, but the step changes `p.grad`, which others log or accumulate. You used the "
    "gradient as scratch memory. Which operations make a new tensor?",
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
    why="After your step the gradients are 0, and a log of their norms shows nothing. You cleared them in `step`. "
    "Which method has this task?",
    hint="After your step the gradients are 0 or gone. Clearing them is left to `zero_grad`.",
)

mistake(
    "optim.AdamW",
    "closure-ignored",
    edit("with torch.enable_grad():\n    loss = closure()", "pass"),
    base="decay-first",
    section="optimizer-manners",
    why="Without another backward pass, your step uses old gradients or none. You accept the closure and never call "
    "it. When should it be called?",
    hint="Your step does not call the closure that it is given. Call it first, with gradients enabled, and return what "
    "it returns.",
)

mistake(
    "optim.AdamW",
    "closure-without-gradients",
    edit("with torch.enable_grad():\n    loss = closure()", "loss = closure()"),
    base="decay-first",
    section="optimizer-manners",
    why="The backward pass inside the closure fails. You called the closure where gradients are switched off. What "
    "switches them on for one call?",
    hint="The backward pass inside the closure fails, because `step` switches gradients off. Call the closure under "
    "`torch.enable_grad()`.",
)


mistake(
    "optim.AdamW",
    "closure-called-twice",
    edit("return loss", "return loss if closure is None else torch.enable_grad()(closure)()"),
    base="decay-first",
    section="optimizer-manners",
    why="Your step calls the closure twice, and each call is a whole forward and backward pass. You called it again "
    "for its loss. What does the first call return?",
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
    why="Parameters with large gradients hardly shrink. You added the decay to the first mean, so it is divided by "
    'the root. What does "decoupled" decay act on?',
    hint="Your decay goes through the first mean and is divided by the root of the second. Take it out, and shrink the "
    "parameter itself.",
)

mistake(
    "optim.AdamW",
    "group-betas-ignored",
    edit('group["betas"]', 'self.defaults["betas"]'),
    base="decay-first",
    section="optimizer-groups",
    why="Groups with betas of their own do not get them. You read the betas from the constructor's defaults. Where "
    "are the settings of a group?",
    hint="Every group of yours has the same betas. Take them from the group, not from the defaults.",
)

mistake(
    "optim.AdamW",
    "group-epsilon-ignored",
    edit('group["eps"]', 'self.defaults["eps"]'),
    base="decay-first",
    section="optimizer-groups",
    why="Groups with an epsilon of their own do not get it. You read epsilon from the constructor's defaults. Where "
    "are the settings of a group?",
    hint="Every group of yours has the same epsilon. Take it from the group, not from the defaults.",
)

mistake(
    "optim.AdamW",
    "gradient-ahead-of-the-mean",
    edit("m / (1 - beta1**t)", "(beta1 * m + (1 - beta1) * p.grad) / (1 - beta1**(t + 1))"),
    base="decay-first",
    section="adam-moments",
    why="Your steps run ahead of the mean. You mixed in another share of the newest gradient, which is NAdam. Which "
    "mean does AdamW divide?",
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
    why="All entries of a parameter are divided by the same number. You averaged the squared gradient over the whole "
    "tensor. Which shape should the second mean have?",
    hint="All entries of a parameter are divided by the same number: `v` has the shape of the parameter.",
)

mistake(
    "optim.AdamW",
    "loss-not-returned",
    edit("return loss", ""),
    base="decay-first",
    section="optimizer-manners",
    why="Callers that log the loss get nothing from your step. You dropped what the closure returned. What should "
    "`step` return?",
    hint="`step(closure)` should return what the closure returned; yours returns nothing.",
)

mistake(
    "optim.AdamW",
    "gradients-not-switched-off",
    edit("@torch.no_grad()\ndef step(self, closure=None):", "def step(self, closure=None):"),
    base="decay-first",
    section="optimizer-manners",
    why="Your step raises an error about a leaf that requires grad. The update runs with gradients on, and PyTorch "
    "then refuses changes in place. What switches recording off for a whole method?",
    hint="Your step raises an error about a leaf that requires grad: put `@torch.no_grad()` above `step`.",
)

mistake(
    "optim.AdamW",
    "rate-of-adam-forgotten",
    edit("lr * m_hat", "m_hat"),
    base="decay-first",
    section="adam-moments",
    why="Your steps have the length 1 whatever the rate is. You left the learning rate out of the update. Where does "
    "it enter?",
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
    why="Called with parameters alone, your steps are ten times too long. Your default rate is 0.01. Which default "
    "does `torch.optim.AdamW` have?",
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
    why="Called with parameters alone, your AdamW has no decay. Your default is that of Adam. Which default does "
    "`torch.optim.AdamW` have?",
    hint="Called with parameters alone your AdamW has no decay: the default of `weight_decay` is 0.01.",
)

mistake(
    "optim.AdamW",
    "default-betas-of-the-paper",
    edit("(0.9, 0.999)", "(0.9, 0.98)"),
    base="decay-first",
    section="optimizer-groups",
    why="Called with parameters alone, your second mean forgets too fast. Your default betas are those of the "
    "Transformer paper. Which defaults does the task give?",
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
    why="Called with parameters alone, your steps are right for ordinary gradients and wrong for tiny ones. Your "
    "default epsilon is 1e-6. Which default does the task give?",
    hint="Called with parameters alone your steps are right for ordinary gradients and wrong for tiny ones: the "
    "default of `eps` is 1e-8.",
)

mistake(
    "optim.AdamW",
    "entries-without-gradient-stand-still",
    edit("m / (1 - beta1**t)", 'lr * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt() + group["eps"])'),
    edit("v_hat = v / (1 - beta2**t)", ""),
    edit('lr * m_hat / (v_hat.sqrt() + group["eps"])', "m_hat * (p.grad != 0)"),
    base="decay-first",
    section="bias-correction",
    why="Entries whose gradient is 0 for one step stand still. You moved only the others, as a sparse optimiser "
    "does. What does the running mean of such an entry still say?",
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
    why="In bfloat16 your correction divides by 0, because 0.999 is rounded to 1, and from step 256 on the count "
    "stands still. You counted in the type of the parameter. Which type can hold a count and 0.999?",
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
    why="Under a scheduler your first step is right, and all others still use its rate. You remembered the rate of "
    "the first step. Where does a scheduler write the rate of each step?",
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
    why="Your first step is right, and then the first mean grows. You stored it with its correction, which the next "
    "step applies again. Which version should be kept?",
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
    why="Your first step is right, and then the second mean grows. You stored it with its correction, which the next "
    "step applies again. Which version should be kept?",
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
    why="Your first two rates are equal, and all later ones are one step behind. `LambdaLR` counts finished steps "
    "from 0, and you passed this count on as it is. Which step comes after 0 finished ones?",
    hint="Your first two rates are equal. `LambdaLR` counts finished steps, from 0; the step that comes next has one "
    "more.",
)

mistake(
    "optim.noam_scheduler",
    "one-step-ahead",
    edit("done + 1", "done + 2"),
    section="scheduler",
    why="Your first step runs at the rate of step 2. You added 1 twice, or advanced the scheduler before any step. "
    "Which step comes after 0 finished ones?",
    hint="Your first step runs at `noam_lr(2)`. With 0 finished steps the next one is step 1.",
)

mistake(
    "optim.noam_scheduler",
    "factor-not-passed",
    edit("noam_lr(done + 1, d_model, warmup, factor)", "noam_lr(done + 1, d_model, warmup)"),
    section="scheduler",
    why="Your rates do not change with `factor`. You did not pass it on. Which call needs it?",
    hint="Your rates do not change with `factor`: hand it on to `noam_lr`.",
)

mistake(
    "optim.noam_scheduler",
    "warm-up-not-passed",
    edit("noam_lr(done + 1, d_model, warmup, factor)", "noam_lr(done + 1, d_model, factor=factor)"),
    section="scheduler",
    why="Your peak is at step 4000 whatever `warmup` says. You did not pass the argument on. Which call needs it?",
    hint="Your rates do not change with `warmup`: hand it on to `noam_lr`.",
)

mistake(
    "optim.noam_scheduler",
    "warm-up-one-longer",
    edit("noam_lr(done + 1, d_model, warmup, factor)", "noam_lr(done + 1, d_model, warmup + 1, factor)"),
    section="scheduler",
    why="Your rates rise more slowly, and their peak comes one step late. You added 1 to `warmup` as well as to the "
    "count. Which of the two does `LambdaLR` count from 0?",
    hint="Your peak comes one step late. Only the count of finished steps starts at 0; `warmup` is a number of steps.",
)

mistake(
    "optim.noam_scheduler",
    "width-and-warm-up-exchanged",
    edit("noam_lr(done + 1, d_model, warmup, factor)", "noam_lr(done + 1, warmup, d_model, factor)"),
    section="scheduler",
    why="Your rates belong to a model of width `warmup`. You passed two arguments in the wrong order, and both are "
    "whole numbers, so nothing complains. In which order does `noam_lr` take them?",
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
    why="With two groups each gets every other rate. You counted the calls of your function, and a scheduler calls "
    "it once per group. Which number does the scheduler pass to it?",
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
    why="Your second group runs at a rate of 1 all the time. You gave the schedule to the first group only. How many "
    "groups does a single function serve?",
    hint="Your second group runs at a rate of 1 all the time. One function, given once, serves all groups.",
)

mistake(
    "optim.noam_scheduler",
    "rate-frozen",
    edit('base = optimizer.param_groups[0]["lr"]', "rate = noam_lr(1, d_model, warmup, factor)"),
    edit("lambda step: noam_lr(step + 1, d_model, warmup, factor) / base", "lambda done: rate"),
    base="divided-by-the-rate-at-the-start",
    section="scheduler",
    why="Your rate never changes. You computed it once, when the scheduler was made. Which function does the "
    "scheduler call at each step?",
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
    why="Your rates reach 1 at the peak. You divided the schedule by its peak, which suits an optimiser whose `lr` "
    "is the peak. Which `lr` does the optimiser have here?",
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
    why="Rounding errors of your rates add up from step to step. You used a scheduler that multiplies the previous rate. "
    "Which scheduler multiplies the rate at the start?",
    hint="You return a `MultiplicativeLR`. Its function gives the quotient of neighbouring rates, and its "
    "rounding errors add up; take `LambdaLR`.",
)

mistake(
    "optim.noam_scheduler",
    "function-not-scheduler",
    edit(
        "LambdaLR(optimizer, lambda done: noam_lr(done + 1, d_model, warmup, factor))",
        "lambda done: noam_lr(done + 1, d_model, warmup, factor)",
    ),
    section="scheduler",
    why="Your result has no `step`. You returned the function, which does not know the optimiser. What should "
    "receive the function?",
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
    why="The caller gets None and cannot advance the schedule. You made the scheduler, and it stays inside your "
    "function. Which statement is missing?",
    hint="You return nothing: the `return` is missing.",
)

mistake(
    "optim.noam_scheduler",
    "counts-in-warm-ups",
    edit("done + 1", "(done + 1) / warmup"),
    section="scheduler",
    why="Your rate hardly moves. You divided the count by the warm-up, as if a fraction were needed. What does "
    "`noam_lr` take?",
    hint="Your rate hardly moves: hand `noam_lr` the number of the step, not a share of the warm-up.",
)

mistake(
    "optim.noam_scheduler",
    "no-fall-after-warm-up",
    edit("done + 1", "min(done + 1, warmup)"),
    section="scheduler",
    why="Your rate stays at its peak. You limited the count to `warmup`. Which function already handles both branches?",
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
    why="Called without `factor`, your rates are twice the right ones. Your default is 2. Which default does the task "
    "give?",
    hint="Called without `factor` your rates are twice the right ones: the default is 1.0.",
)

mistake(
    "optim.noam_scheduler",
    "default-warm-up",
    edit(
        "def noam_scheduler(optimizer, d_model, warmup=4000, factor=1.0):",
        "def noam_scheduler(optimizer, d_model, warmup=400, factor=1.0):",
    ),
    section="scheduler",
    why="Called without `warmup`, your rates differ from the paper's. Your default has another value. Which number of "
    "steps does the paper use?",
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
    why="When a saved run goes on, your schedule begins again with its warm-up. You counted the calls of each "
    "group's function, and PyTorch restores only its own count. Which number does the scheduler pass to it?",
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
    why="Gradients shorter than `max_norm` become longer, so the step no longer fades near a minimum. You always "
    "scaled. When should clipping do nothing?",
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
    why="Gradients shorter than `max_norm` become longer. You always scaled, with a guard against dividing by zero. "
    "When should clipping do nothing?",
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
    why="Gradients shorter than `max_norm` become shorter still. You always applied a factor. When should clipping do "
    "nothing?",
    hint="Gradients whose norm is below `max_norm` change in your version. Leave them exactly as they are.",
)

mistake(
    "optim.clip_grad_norm",
    "condition-turned-round",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("norm > max_norm", "norm < max_norm"),
    section="clipping-edges",
    why="Your long gradients stay, and the short ones become longer. Your condition is inverted. Which gradients "
    "should be shortened?",
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
    why="The direction of the whole gradient changes, and its norm may still be too large. You clipped each gradient "
    "by its own norm. How many norms does clipping use?",
    hint="You clip each parameter by itself. The norm is one number, of all gradients together, and all get the same "
    "factor.",
)

mistake(
    "optim.clip_grad_norm",
    "entries-clamped",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("gradient.mul_(max_norm / norm)", "gradient.clamp_(-max_norm, max_norm)"),
    section="gradient-clipping",
    why="The direction of the gradient changes, and its norm may still be too large. You limited each entry, which "
    "is clipping by value. Which operation keeps the direction?",
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
    why="Your norm is too large with several parameters. You added up their norms, but norms combine like the legs "
    "of a right triangle. What is added before the root is taken?",
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
    why="Your norm is the square of the right one. You returned the sum of squares. Which step is missing?",
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
    why="Your norm is too small with several parameters. You took the largest of their norms. How do all of them "
    "enter?",
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
    why="Your norm is the largest entry of all gradients. This is the infinity norm. Which norm is a root of a sum "
    "of squares?",
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
    why="Your norm adds up the absolute values of all entries. This is the 1-norm. Which norm is a root of a sum of "
    "squares?",
    hint="Your norm adds up the absolute values of the entries. Take the root of the sum of squares.",
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
    why="Your norm is too small: the right one divided by the root of the number of entries. You averaged the "
    "squares. Which reduction does a norm use?",
    hint="Your norm is the right one divided by the root of the number of entries: add the squares, and do not "
    "average them.",
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
    why="Your norm does not depend on the gradients. You measured the parameters. Which tensor should be limited?",
    hint="Your norm does not depend on the gradients: it is that of the parameters. Use `p.grad`.",
)

mistake(
    "optim.clip_grad_norm",
    "norm-after-clipping",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("return norm", "return min(norm, max_norm)"),
    section="gradient-clipping",
    why="A log shows `max_norm` again and again. Your gradients are right, but you returned the norm after clipping. "
    "Which norm tells how long the gradient really was?",
    hint="Your gradients are right, but the returned number is the norm after clipping. Return the one from before.",
)

mistake(
    "optim.clip_grad_norm",
    "divided-by-the-norm-alone",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("max_norm / norm", "1 / norm"),
    section="gradient-clipping",
    why="Clipped gradients have the norm 1 whatever `max_norm` is. You divided by the norm alone. To which length "
    "should they be scaled?",
    hint="Your clipped gradients have the norm 1, whatever `max_norm` is: this limit is missing from your factor.",
)

mistake(
    "optim.clip_grad_norm",
    "factor-turned-round",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("max_norm / norm", "norm / max_norm"),
    section="gradient-clipping",
    why="Long gradients become longer still. Your factor is inverted. On which side of 1 should it lie?",
    hint="Your long gradients get longer: turn the fraction of your factor upside down.",
)

mistake(
    "optim.clip_grad_norm",
    "factor-under-a-root",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("max_norm / norm", "(max_norm / norm) ** 0.5"),
    section="gradient-clipping",
    why="Clipped gradients are still too long. You applied the root of the factor. By what does a norm change when "
    "all entries are multiplied by a number?",
    hint="Your clipped gradients are still too long: multiply by the factor itself, not by its root.",
)

mistake(
    "optim.clip_grad_norm",
    "returns-a-tensor",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("return norm", "return torch.tensor(norm)"),
    section="gradient-clipping",
    why="You return a tensor, but the task asks for a Python float, which can be logged and compared. Which method "
    "turns a tensor with one entry into a number?",
    hint="You return a tensor; make a float of it with `.item()`.",
)

mistake(
    "optim.clip_grad_norm",
    "nothing-returned",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("return norm", ""),
    section="gradient-clipping",
    why="Your gradients are right, but the caller gets None. The norm is the number to watch in training. Which "
    "statement is missing?",
    hint="Your gradients are right, but nothing is returned: return the norm before clipping.",
)

mistake(
    "optim.clip_grad_norm",
    "gradients-not-changed",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("gradient.mul_(max_norm / norm)", "gradient = gradient * (max_norm / norm)"),
    section="clipping-edges",
    why="The gradients stay as they were. You made new, clipped tensors that nobody keeps. Which kind of operation "
    "changes a gradient itself?",
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
    why="With a list you are right, and with `model.parameters()` nothing is clipped. This is a generator, which is "
    "empty after the first loop. What can you do with it before both loops?",
    hint="With a list you are right, with `model.parameters()` nothing is clipped: it is a generator and empty after "
    "the first loop. Make a list of it first.",
)

mistake(
    "optim.clip_grad_norm",
    "none-gradient-not-skipped",
    edit("[p.grad for p in parameters if p.grad is not None]", "[p.grad for p in parameters]"),
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    section="clipping-edges",
    why="Your function fails on a parameter without a gradient. Its `grad` is None. What should happen to such a "
    "parameter?",
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
    why="Parameters after one without a gradient neither count nor are clipped. You left the loop at the first such "
    "parameter. How can the loop go on?",
    hint="Parameters after one without a gradient are forgotten: skip it, and go on.",
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
    why="When all gradients are 0, your function divides by 0. You computed the factor before asking whether it is "
    "needed. When is it needed?",
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
    why="The model shrinks, and its gradients stay as they were. You multiplied the parameters by the factor. Which "
    "tensors should be shortened?",
    hint="Your gradients stay as they are, and the parameters get smaller: it is `p.grad` that is multiplied.",
)

mistake(
    "optim.clip_grad_norm",
    "last-gradient-only",
    edit("torch.linalg.vector_norm(gradient)", "gradient.norm()"),
    edit("for gradient in gradients:\n    gradient.mul_(max_norm / norm)", "gradients[-1].mul_(max_norm / norm)"),
    section="gradient-clipping",
    why="Only the last of several gradients becomes shorter. Your multiplication runs once, after the loop. Which "
    "gradients need the factor?",
    hint="Of several gradients only the last gets shorter: the multiplication belongs in the loop.",
)

mistake(
    "optim.clip_grad_norm",
    "norm-rounded-to-whole",
    edit(
        "math.hypot(*(torch.linalg.vector_norm(gradient).item() for gradient in gradients))",
        "int(math.hypot(*(gradient.norm().item() for gradient in gradients)))",
    ),
    section="gradient-clipping",
    why="Norms below 1 become 0. You turned the norm into a whole number. Which type keeps the fraction?",
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
    why="When every gradient is None, as in a frozen model, your function ends in an error. You stacked the norms, and "
    "an empty list cannot be stacked. What is the norm of no gradients?",
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
    why="A gradient that is not contiguous in memory, such as that of a transposed weight, is not shortened. `reshape` "
    "then makes a copy, and you scaled the copy. Does scaling in place need a flat tensor?",
    hint="A gradient that is not contiguous in memory is not shortened, since `reshape` copies it first. Scale the "
    "gradient itself: scaling needs no flat tensor.",
)
