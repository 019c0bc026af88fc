"""The catch-it task of optim: what a test of the schedule `noam_lr` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "optim.test_schedule",
        gets="noam_lr",
        styles=(
            style("two-cases", "one that tells the two branches apart with `if`"),
            style("from-the-peak", "one that starts from the highest rate and uses fractions"),
            style("tensors-inside", "one that computes in float32, with a relative error of about one in a million"),
            style(
                "logarithms-and-a-type-error",
                "one that uses logarithms, warns at step 0 and raises a `TypeError` for a `warmup` of 0",
            ),
            style("sorted-branches", "one that sorts the two branches"),
            style(
                "numpy-float",
                "one that returns a NumPy number, which is a Python float too",
                edit(
                    "return factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5)",
                    """
                    import numpy
                    return numpy.float64(factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))
                    """,
                ),
            ),
        ),
        groups=(
            group(
                "rising",
                "The rise",
                slip("no-warm-up", "Its highest rate comes first. Which steps do you look at?"),
                slip(
                    "warm-up-exponent-one",
                    "It rises too steeply, and is right only much later. Which number do you expect at step 1?",
                ),
                slip("whole-steps-lost", "The rate is 0 for a long time. Which numbers do you expect before the peak?"),
                slip(
                    "rate-rounded",
                    "Large rates are right, and small ones are 0. Is your tolerance a share of the rate, or a fixed "
                    "number?",
                ),
            ),
            group(
                "falling",
                "The fall",
                slip("no-decay", "The rate grows without end. Do you look beyond the peak?"),
                slip("level-after-warm-up", "The rate stays at its peak. Do you look beyond the peak?"),
                slip(
                    "falls-as-one-over-step",
                    "Four times as many steps give a quarter of the rate. What should they give?",
                ),
                slip("linear-decay", "It falls along a straight line. At how many steps do you look?"),
            ),
            group(
                "the-width",
                "The width of the model",
                slip("width-not-inverted", "Wider models get higher rates. Which widths do you try?"),
                slip("width-without-root", "Four times the width gives a quarter of the rate. What should it give?"),
                slip("width-forgotten", "All models get the same rate. Which widths do you try?"),
                slip(
                    "width-inside-minimum",
                    "It is right from some step on, but not before. For which steps and widths does your test know "
                    "the rate?",
                ),
            ),
            group(
                "the-arguments",
                "The other arguments",
                slip("factor-forgotten", "It is right as long as nobody passes a factor. Do you?"),
                slip(
                    "factor-on-one-branch",
                    "With a factor, the rate is right long after the peak, but not before it. Do you look at both "
                    "sides?",
                ),
                slip("factor-of-two", "It is right whenever a factor is passed. Do you ever leave it out?"),
                slip(
                    "warm-up-fixed",
                    "Its peak is always at the same step. Which `warmup` do you pass?",
                ),
            ),
            group(
                "step-zero",
                "Step 0",
                slip("step-zero-not-handled", "For one step it raises an error. At which step do you begin?"),
                slip("step-zero-gives-zero", "One step of the training changes nothing. At which step do you begin?"),
                slip(
                    "step-zero-made-tiny",
                    "One step gets a far lower rate than the next. Which two rates should be equal?",
                ),
                slip("every-step-shifted", "Step 0 is right, and the others are not. Which steps do you look at?"),
            ),
            group(
                "shortest-warm-up",
                "The shortest warm-up",
                slip(
                    "warm-up-raised-to-one",
                    "A `warmup` that makes no sense still gives a rate. What should happen instead?",
                ),
                slip(
                    "warm-up-of-one-refused",
                    "It refuses a `warmup` that the specification allows. What is the smallest one?",
                ),
            ),
        ),
    ),
)
