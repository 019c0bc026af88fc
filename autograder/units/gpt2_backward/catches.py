"""The catch-it task of GPT-2's backward pass: what a test of layer normalisation's kernels must accept and catch.

The kernels are functions on NumPy arrays (``solutions/gpt2_backward.py``). A slip has the name of a mistake in C,
and it leaves the same numbers in the arrays as that mistake: a test compares the two.
"""

from autograder.course.catches import catch, edit, group, slip, style

WRITES = "y[:] = centred * s[:, None] * w + b"
HOLDS = edit("m[:] = x.mean(1)", "held = m.copy(), s.copy()\nm[:] = x.mean(1)")

CATCHES = (
    catch(
        "gpt2_backward.test_gradients",
        gets=("forward", "backward"),
        styles=(
            style(
                "forward.sums-in-float64",
                "a forward kernel that adds in float64",
                edit("m[:] = x.mean(1)", "x = x.astype(np.float64)\nm[:] = x.mean(1)"),
            ),
            style(
                "forward.row-by-row",
                "a forward kernel that writes row by row",
                edit(WRITES, "for i in range(B * T):\n    y[i] = centred[i] * s[i] * w + b"),
            ),
            style(
                "forward.mean-of-squares-in-float64",
                "a forward kernel that uses the mean of the squares, in float64",
                edit("(centred**2).mean(1)", "(x.astype(np.float64) ** 2).mean(1) - x.astype(np.float64).mean(1) ** 2"),
            ),
            style(
                "backward.sums-in-float64",
                "a backward kernel that adds in float64",
                edit("n = (x - m) * s", "d, x, w = (one.astype(np.float64) for one in (d, x, w))\nn = (x - m) * s"),
            ),
            style(
                "backward.row-by-row",
                "a backward kernel that goes through the rows",
                edit(
                    "db += d.sum(0)\ndw += (d * n).sum(0)",
                    "for i in range(B * T):\n    db += d[i]\n    dw += d[i] * n[i]",
                ),
            ),
            style(
                "backward.divided-at-the-end",
                "a backward kernel that divides by `C` at the end",
                edit(
                    "s * (g - g.mean(1, keepdims=True) - n * (g * n).mean(1, keepdims=True))",
                    "(C * g - g.sum(1, keepdims=True) - n * (g * n).sum(1, keepdims=True)) * s / C",
                ),
            ),
        ),
        groups=(
            group(
                "the-whole-row",
                "The whole row",
                slip(
                    "backward.no-path-through-the-mean",
                    "Over a row, its `dinp` does not have the right sum. What happens to `out` if you add a number to "
                    "a whole row of `inp`, and what does that say about this sum?",
                    edit("g - g.mean(1, keepdims=True)", "g"),
                ),
                slip(
                    "backward.no-path-through-the-deviation",
                    "Over a row, its `dinp` has the right sum, but wrong entries. Does your test compare every number "
                    "of a row of `dinp`?",
                    edit(" - n * (g * n).mean(1, keepdims=True)", ""),
                ),
                slip(
                    "backward.sums-for-means",
                    "Its `dinp` is right where a row has one channel. How many channels do your rows have?",
                    edit("g.mean(", "g.sum("),
                    edit("(g * n).mean(", "(g * n).sum("),
                ),
            ),
            group(
                "factors",
                "Every factor",
                slip(
                    "backward.weight-forgotten",
                    "Its `dinp` is right for an untrained layer. What is `weight` in your test?",
                    edit("g = d * w", "g = d"),
                ),
                slip(
                    "backward.rstd-forgotten",
                    "Its `dinp` is right for rows of one particular spread. Which spread do yours have?",
                    edit("dx += s * (", "dx += ("),
                ),
                slip(
                    "backward.bias-gradient-with-weight",
                    "Its `dbias` is right for an untrained layer. What is `weight` in your test?",
                    edit("db += d.sum(0)", "db += g.sum(0)"),
                ),
                slip(
                    "backward.weight-gradient-not-scaled",
                    "Its `dweight` is right for rows of one particular spread. Which spread do yours have?",
                    edit("(d * n).sum(0)", "(d * (x - m)).sum(0)"),
                ),
            ),
            group(
                "added",
                "Added to what is there",
                slip(
                    "backward.input-gradient-overwritten",
                    "What `dinp` held before is gone. What does it hold before the call in your test?",
                    edit("dx += s", "dx[:] = s"),
                ),
                slip(
                    "backward.weight-gradient-overwritten",
                    "Its `dweight` holds the gradient of a single position. How many positions does your test "
                    "have, and what did `dweight` hold before?",
                    edit("dw += (d * n).sum(0)", "dw[:] = (d * n)[-1]"),
                ),
                slip(
                    "backward.bias-gradient-overwritten",
                    "Its `dbias` holds the gradient of a single position. How many positions does your test "
                    "have, and what did `dbias` hold before?",
                    edit("db += d.sum(0)", "db[:] = d[-1]"),
                ),
            ),
            group(
                "every-position",
                "Every position",
                slip(
                    "backward.statistics-of-the-first-sequence",
                    "It is right for one sequence. How many are in your batch?",
                    edit("B * T)[:, None] for", "B * T)[np.arange(B * T) % T, None] for"),
                ),
                slip(
                    "backward.only-one-sequence",
                    "It is right for one sequence. How many are in your batch?",
                    edit("_memory(array, B * T, C)", "_memory(array, T, C)"),
                    edit("_memory(array, B * T)[", "_memory(array, T)["),
                ),
                slip(
                    "backward.averaged-over-the-positions",
                    "Two of its gradients get too small as the number of positions grows. With how many positions does "
                    "your test compare `dweight` and `dbias`?",
                    edit("d.sum(0)", "d.sum(0) / (B * T)"),
                    edit("(d * n).sum(0)", "(d * n).sum(0) / (B * T)"),
                ),
            ),
            group(
                "the-output",
                "The output",
                slip(
                    "forward.divided-by-one-less",
                    "Its `out` is a little too small. How large a difference does your test allow?",
                    edit("(centred**2).mean(1)", "(centred**2).sum(1) / (C - 1)"),
                ),
                slip(
                    "forward.no-epsilon",
                    "Rows that hardly vary come out too large. Is there such a row in your test?",
                    edit("variance + 1e-5", "variance"),
                ),
                slip(
                    "forward.bias-before-weight",
                    "Its `out` is right for an untrained layer. What are `weight` and `bias` in your test?",
                    edit("centred * s[:, None] * w + b", "(centred * s[:, None] + b) * w"),
                ),
            ),
            group(
                "statistics",
                "What the backward pass reads",
                slip(
                    "forward.standard-deviation-for-rstd",
                    "Its `out` is right, but a right backward kernel that is called next gives wrong gradients. Which "
                    "arrays does your test pass to `backward`?",
                    edit(WRITES, f"{WRITES}\ns[:] = 1 / s"),
                ),
                slip(
                    "forward.statistics-of-one-sequence",
                    "Its `out` is right, but a right backward kernel that is called next gives wrong gradients. How "
                    "many sequences does your test have, and which arrays does it pass to `backward`?",
                    HOLDS,
                    edit(
                        WRITES,
                        f"{WRITES}\nm[:T], s[:T] = m[-T:].copy(), s[-T:].copy()\n"
                        "m[T:], s[T:] = held[0][T:], held[1][T:]",
                    ),
                ),
                slip(
                    "forward.statistics-left-unwritten",
                    "Its `out` is right, but a right backward kernel that is called next gives wrong gradients. What "
                    "do the arrays that your test passes to `backward` hold before the calls?",
                    HOLDS,
                    edit(WRITES, f"{WRITES}\nm[:], s[:] = held"),
                ),
            ),
        ),
    ),
)
