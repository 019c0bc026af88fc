"""What is said about slips: a clause and a question for each family, and operations in words."""

from __future__ import annotations

import ast

# For each family: what differs from the right answer, and a question that leads out.
FAMILIES = {
    "sides-exchanged": ("the two sides of {what} are exchanged", "Which side comes first?"),
    "opposite-sign": (
        "a plus or minus sign in {what}, or directly before it, is wrong",
        "What should be added here, and what subtracted or negated?",
    ),
    "from-the-other-end": (
        "{what} is counted from the wrong end",
        "From which end do you count, and in which direction?",
    ),
    "part-left-out": (
        "an operand or an item of {what} is left out",
        "Which operands or items does the task ask for here?",
    ),
    "old-value-left-out": ("{what} does not use the old value", "What should the new value depend on?"),
    "another-operation": ("{what} stands where another operation belongs", "Which operation does the task ask for?"),
    "step-left-out": ("{what} is left out", "Which steps lead from the arguments to the result, and do you take each?"),
    "step-added": (
        "{what} is applied once more than it should be",
        "Which steps does the formula have, and does one of your calls already include this step?",
    ),
    "another-scale": (
        "{what} is divided or multiplied once too often by the size of an axis, or by the square root of that size",
        "Which scaling does the formula have, and does one of your calls already include it?",
    ),
    "term-as-bound": (
        "a term of {what} is used as a lower bound",
        "Does the formula add this term, or use it as a limit?",
    ),
    "step-twice": ("{what} is applied twice", "How often should this step be applied?"),
    "another-axis": ("{what} uses the wrong axis", "What does each axis hold at this step?"),
    "another-number": (
        "{what} is not the number that the task asks for",
        "Which numbers does the task name, and where does each belong?",
    ),
    "finite-for-infinite": (
        "a finite number stands where {what} belongs",
        "What becomes of this number in the next step, and what becomes of {what}?",
    ),
    "another-switch": ("{what} is the wrong way round", "When should it be `True`?"),
    "axis-kept-or-dropped": (
        "{what} keeps or drops an axis where it should not",
        "Which shape does the next step need?",
    ),
    "off-by-one": (
        "{what} is off by one or two",
        "Count by hand for a small case: which number belongs here?",
    ),
    "another-comparison": (
        "{what} is not the one that the task asks for",
        "What should happen if the left side is smaller, equal or larger?",
    ),
    "condition-negated": ("{what} is the opposite of what it should be", "In which cases should it be `True`?"),
    "and-or-exchanged": (
        "{what} has an `and` where an `or` belongs, or the reverse",
        "Must both conditions hold, or is one enough?",
    ),
    "condition-ignored": ("{what} has no effect", "Which cases must be treated differently?"),
    "argument-ignored": ("{what} makes no difference", "What should change when this argument changes?"),
    "argument-left-out": ("{what} is not passed", "Which arguments does each call need?"),
    "call-without-argument": (
        "{what} does not get an argument that it needs",
        "Which arguments does each call need?",
    ),
    "arguments-exchanged": ("two arguments or items of {what} are exchanged", "Which role does each of them play?"),
    "another-value-used": ("{what} is used where another value belongs", "Which value does each step need?"),
    "order-of-steps": (
        "{what} has changed places with the step beside it",
        "Which of the two must come first?",
    ),
    "order-of-operations": (
        "{what} groups its operations in another way than the formula",
        "To what exactly does each operation apply?",
    ),
    "edge-of-a-loop": (
        "{what} is inside a loop and belongs outside, or the reverse",
        "How often should this step happen?",
    ),
    "not-every-item": (
        "{what} takes too few or too many items, or takes them in another order",
        "Which items take part, and in which order?",
    ),
    "argument-changed": (
        "{what} changes a tensor in place",
        "Which other code still uses this tensor: the caller, or a later step?",
    ),
    "gradient-cut-off": ("no gradient passes through {what}", "Through which steps must gradients flow?"),
    "gradient-recorded": ("operations are recorded for gradients in {what}", "Which results need no gradients?"),
    "type-or-device": ("{what} is left out", "Which dtype and which device should the result of this step have?"),
}
OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: "a sum",
    ast.Sub: "a difference",
    ast.Mult: "a product",
    ast.Div: "a quotient",
    ast.MatMult: "a matrix product",
    ast.FloorDiv: "a floor division",
    ast.Mod: "a remainder",
    ast.Pow: "a power",
    ast.BitAnd: "an `&`",
    ast.BitOr: "a `|`",
}
_WORDS = """
    sum: a sum; mean: a mean; max, amax: a maximum; min, amin: a minimum; argmax: an argmax; argmin: an argmin
    exp: an exponential; log: a logarithm; sqrt: a square root; rsqrt: a reciprocal square root; square: a square
    softmax: a softmax; log_softmax: a log-softmax; sigmoid: a sigmoid; tanh: a hyperbolic tangent; relu: a ReLU
    gelu: a GELU; silu: a SiLU; transpose: a transpose; permute: a permutation of axes; reshape, view: a reshape
    flatten: a flattening; masked_fill: a masked fill; where: a `where`; tril: a lower triangle
    triu: an upper triangle; zeros, zeros_like: a tensor of zeros; ones, ones_like: a tensor of ones
    arange, range: a range; cat: a concatenation; stack: a stack; var: a variance; std: a standard deviation
    cumsum: a running sum; dropout: dropout; sin: a sine; cos: a cosine; floor, ceil, round: a rounding
    abs: an absolute value; any: an `any`; all: an `all`; gather: a gather; scatter, scatter_: a scatter
    sort, sorted: a sort; topk: a `topk`; roll: a shift; len: a length; multinomial, rand, randn, randint: a random draw
    clamp: a clamp; detach: a detached view; clone, copy: a copy; zero_grad: a call of `zero_grad`
    backward: a backward pass; eval: a call of `eval`; train: a call of `train`; matmul: a matrix product
    mul: a product; add: an addition; div: a quotient; sub: a call of `sub`; repeat, repeat_interleave: a repetition
    expand: an expansion; unsqueeze: an unsqueeze; squeeze: a squeeze; pow: a power; outer: an outer product
    norm, vector_norm, hypot: a norm; append: an append; zip: a `zip`; isnan: a test for NaN
"""
_CALLS = {
    name.strip(): words.strip()
    for entry in _WORDS.replace("\n", ";").split(";")
    if entry.strip()
    for names, _, words in [entry.partition(":")]
    for name in names.split(",")
}


# What is said instead where slips of one family concern several operations.
_SEVERAL = {
    "another-value-used": "one value",
    "another-number": "a number",
    "off-by-one": "an index, a bound or a divisor",
    "argument-left-out": "an argument",
    "call-without-argument": "a call",
    "finite-for-infinite": "minus infinity",
    "argument-ignored": "an argument",
    "condition-negated": "a condition",
    "condition-ignored": "a condition",
    "another-comparison": "a comparison",
    "and-or-exchanged": "a condition",
    "another-switch": "a `True` or `False`",
}


def explanation(family: str, what: str = "", where: str = "") -> str:
    """What a learner reads about a slip of a family."""
    clause, question = FAMILIES[family]
    what = what or _SEVERAL.get(family, "one step")
    within = f" in `{where}`" if where else ""
    sentences = f"{clause}. {question}".format(what=what)
    return f"Your values equal those of right code with one slip{within}: {sentences}"


def called(call: ast.Call) -> str:
    """The last word of the name of what is called."""
    function = call.func
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _is_norm_layer(call: ast.Call) -> bool:
    """Whether a call is one of a layer such as `self.norm1`, and not of the function that measures a length."""
    return ast.unparse(call.func).startswith("self.norm")


_UNNAMED = {"a value", "a call", "an index"}  # words that do not say what a node is for


def in_words(node: ast.AST, known: frozenset[str], unnamed: str = "") -> str:
    """An operation in words, with the first of the ``known`` names that occurs in it.

    ``unnamed``: what is said in place of "a value", "a call" or "an index".
    """
    words = "a value"
    if isinstance(node, ast.Name) and node.id in known:
        return f"`{node.id}`"
    if isinstance(node, ast.BinOp):
        words = OPERATIONS.get(type(node.op), "an operation")
    elif isinstance(node, ast.Call):
        words = "a normalisation" if _is_norm_layer(node) else _CALLS.get(called(node), "a call")
    elif isinstance(node, ast.Compare):
        words = "a comparison"
    elif isinstance(node, (ast.BoolOp, ast.UnaryOp)):
        words = "a condition"
    elif isinstance(node, ast.Subscript):
        words = "an index"
    elif isinstance(node, ast.Constant):
        words = "a number"
    if unnamed and words in _UNNAMED:
        words = unnamed
    names = (word.id for word in ast.walk(node) if isinstance(word, ast.Name) and word.id in known)
    name = next(names, "")
    return f"{words} that uses `{name}`" if name else words
