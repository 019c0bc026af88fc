"""The catch-it task of embeddings: what a test of `sinusoidal_positions` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "embeddings.test_positions",
        gets="sinusoidal_positions",
        styles=(
            style("loops", "one that fills the table number by number"),
            style("stacked-and-flattened", "one that stacks sines and cosines and flattens them"),
            style("float64-inside", "one that computes in float64 and rounds at the end"),
            style("cosine-as-a-shifted-sine", "one that writes each cosine as a shifted sine"),
            style("annotated-with-an-odd-width", "one that fills even and odd columns by slices"),
            style("turned-step-by-step", "one that turns each row into the next one"),
            style("complex-numbers", "one that computes with complex numbers"),
            style(
                "part-of-a-wider-table",
                "one whose result is a view of a wider table, not contiguous",
                edit("return pe", "return torch.cat([pe, pe], -1)[:, :d_model]"),
            ),
        ),
        groups=(
            group(
                "frequencies",
                "The frequencies",
                slip(
                    "exponent-doubled",
                    "Its first two columns are right, and the waves of the others are too slow. How many columns do "
                    "you look at?",
                ),
                slip(
                    "exponent-not-doubled",
                    "Its first two columns are right, and the waves of the others are too fast. How many columns do "
                    "you look at?",
                ),
                slip("frequencies-rise", "From left to right its waves get faster. What do you expect in row 1?"),
                slip(
                    "one-zero-too-many",
                    "All its waves but the first are too slow. How large a difference does your test allow?",
                ),
                slip(
                    "last-divisor-is-ten-thousand",
                    "The slowest wave is slower than it should be. Which divisor belongs to the last pair of columns?",
                ),
            ),
            group(
                "which-column",
                "Sines and cosines in their columns",
                slip(
                    "halves-not-interleaved",
                    "All numbers are right, but not all are in the right column. Which columns hold cosines?",
                ),
                slip("sine-and-cosine-exchanged", "Row 0 of its table begins with 1. What should it begin with?"),
                slip("sines-alone", "Row 0 of its table is all zeros. What should it be?"),
                slip(
                    "cosine-with-its-own-exponent",
                    "Two neighbouring columns turn at different speeds. Which columns share an angle?",
                ),
            ),
            group(
                "positions",
                "The positions",
                slip("positions-from-one", "Every row belongs to a neighbouring position. What is the angle in row 0?"),
                slip(
                    "positions-as-fractions",
                    "The vector of a position depends on the length of the table. What do you expect in row 1?",
                ),
            ),
            group(
                "odd-width",
                "An odd width",
                slip("odd-width-fails", "For some widths it raises an error. Which widths have you tried?"),
                slip(
                    "odd-width-ends-with-zeros", "For some widths a column is all zeros. Which widths have you tried?"
                ),
                slip(
                    "odd-width-ends-with-a-cosine",
                    "For some widths the last column holds the wrong wave of its pair. Which one belongs there?",
                ),
                slip(
                    "odd-width-frequencies-of-the-next",
                    "For some widths all waves but the first are too fast. Which width belongs in the exponent?",
                ),
            ),
            group(
                "shape-and-type",
                "Shape and type",
                slip("batch-axis-added", "Its table has three axes. How many does your test expect?"),
                slip("axes-exchanged", "A position is a column of its table. Are your two sizes different?"),
                slip("double-precision", "Its numbers take twice the memory. Which type does your test expect?"),
            ),
        ),
    ),
)
