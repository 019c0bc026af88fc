"""The catch-it task of llama: what a test of `apply_rope` must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style

CATCHES = (
    catch(
        "llama.test_rope",
        gets="apply_rope",
        styles=(
            style("rotate-half", "one that turns a copy with its halves exchanged, as released models do"),
            style("complex-numbers", "one that multiplies complex numbers in float64 and rounds at the end"),
            style("pair-by-pair", "one that fills its result pair by pair, in loops"),
            style("rotation-matrices", "one that multiplies by rotation matrices"),
            style(
                "refuses-with-another-class",
                "one that refuses an odd width with an error of another class",
                edit("raise ValueError(", "raise RuntimeError("),
            ),
            style(
                "not-contiguous",
                "one whose result is a view that is not contiguous",
                edit(
                    "return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)",
                    "turned = torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)\n"
                    "return torch.stack((turned, turned), -1)[..., 0]",
                ),
            ),
            style(
                "sixteen-bits-turned-in-float32",
                "one that turns in float32 at least, and rounds only the result",
                edit(
                    "cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)",
                    "cos, sin = angles.cos(), angles.sin()",
                ),
                edit(
                    "return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1)",
                    "return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x.dtype)",
                ),
            ),
        ),
        groups=(
            group(
                "which-pairs",
                "Which entries are a pair",
                slip(
                    "neighbours-as-pairs",
                    "Lengths are right, and scores depend on distances alone, but entries are wrong. Which two entries "
                    "share an angle in your test?",
                ),
                slip(
                    "neighbours-in-halves-out",
                    "At position 0 its entries come out in another order. What should come out there?",
                ),
                slip("halves-exchanged", "At position 0 its halves are swapped. What should come out there?"),
            ),
            group(
                "a-rotation",
                "A rotation",
                slip(
                    "turned-backwards",
                    "Lengths are right, and scores depend on distances alone, but entries are wrong. Which signs does "
                    "your test expect at position 1?",
                ),
                slip("no-minus", "Its vectors change their lengths. Which numbers do you expect at position 1?"),
                slip("first-half-only", "Half of its entries never change. Do you look at all of them?"),
                slip(
                    "new-first-half-used",
                    "The first half of its entries is right, the second is not. Which values do you compare?",
                ),
            ),
            group(
                "frequencies",
                "The frequencies",
                slip("exponent-not-doubled", "Its first pair is right, the others turn too fast. How wide is your x?"),
                slip(
                    "exponent-doubled-twice", "Its first pair is right, the others turn too slowly. How wide is your x?"
                ),
                slip("one-frequency", "Its first pair is right, and all others turn just as fast. How wide is your x?"),
                slip("base-fixed", "It is right as long as nobody passes a third argument. Do you?"),
                slip(
                    "other-default-base", "It is right whenever a third argument is passed. Do you leave it out once?"
                ),
            ),
            group(
                "which-positions",
                "The positions that are given",
                slip("positions-counted-anew", "It is right for the positions 0, 1, 2 and so on. Which are yours?"),
                slip("only-the-first-position", "It is right for positions without gaps. Which are yours?"),
                slip("positions-from-one", "At position 0 it changes the vector. Is position 0 among yours?"),
                slip(
                    "heads-as-positions",
                    "It is right for (T, d_head) and for a batch of these. Which shape do the queries of several "
                    "heads have, and do the sizes of your axes differ?",
                ),
            ),
            group(
                "types-and-arguments",
                "Types, and what it must not do",
                slip(
                    "angles-in-sixteen-bits",
                    "It is right in float32. In which other type have you tried it, and at how large a position?",
                ),
                slip("always-float32", "The type of its result is not always that of x. Which types have you tried?"),
                slip(
                    "in-place",
                    "Its result is right, but x has changed after the call. Does your test compare x as well?",
                ),
                slip("odd-width-cut", "It accepts a width that cannot be cut into pairs. What should happen then?"),
            ),
        ),
    ),
)
