"""What is said about slips: a clause and a question for each family, and operations in words."""

from __future__ import annotations

import ast

# For each family: what differs from the right answer, and a question that leads out.
FAMILIES = {
    "sides-exchanged": ("the two sides of {what} are exchanged", "Which side should come first?"),
    "opposite-sign": (
        "a plus or minus sign inside or directly before {what} is wrong",
        "What should be added here, and what should be subtracted or negated?",
    ),
    "from-the-other-end": (
        "{what} is counted from the wrong end",
        "From which end should your code count?",
    ),
    "part-left-out": (
        "one part of {what} is left out",
        "Which parts does the task ask for here?",
    ),
    "old-value-left-out": ("{what} does not use the old value", "What should the new value depend on?"),
    "another-operation": ("{what} stands where another operation belongs", "Which operation does the task ask for?"),
    "step-left-out": (
        "{what} is left out",
        "Which steps lead from the arguments to the result, and does your code take each of them?",
    ),
    "step-added": (
        "{what} is applied one time too many",
        "Which steps does the task ask for, and does one of your calls already include this step?",
    ),
    "another-scale": (
        "{what} is scaled once too often. "
        "The extra factor or divisor is the size of an axis, or the square root of that size",
        "Which scaling does the formula have, and does one of your calls already include it?",
    ),
    "term-as-bound": (
        "in {what}, a value is used as a lower bound, as in `max` or `clamp`",
        "Does the formula add this value, or use it as a lower bound?",
    ),
    "step-twice": ("{what} is applied twice", "How often should this step be applied?"),
    "another-axis": ("{what} works along the wrong axis", "What does each axis hold at this step?"),
    "another-number": (
        "{what} is not the number that the task asks for",
        "Which numbers does the task name, and where does each belong?",
    ),
    "finite-for-infinite": (
        "a finite number stands where {what} belongs",
        "What becomes of this number in the next step, and what becomes of {what}?",
    ),
    "another-switch": (
        "{what} is `True` where `False` belongs, or the reverse",
        "What does each of the two values mean here?",
    ),
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
    "condition-negated": (
        "{what} is inverted, so `True` and `False` are exchanged",
        "What should `True` mean here, and what should `False` mean?",
    ),
    "and-or-exchanged": (
        "{what} has an `and` where an `or` belongs, or the reverse",
        "Must both parts of the condition hold, or is one enough?",
    ),
    "condition-ignored": ("{what} has no effect", "Which cases must your code distinguish?"),
    "argument-ignored": ("{what} makes no difference", "What should change when this argument changes?"),
    "argument-left-out": ("{what} is not passed", "Which arguments does each call need?"),
    "call-without-argument": (
        "{what} does not get an optional argument that it needs here",
        "Which optional arguments does each call need?",
    ),
    "arguments-exchanged": (
        "two values in {what} are exchanged",
        "What is the role of each of the two values?",
    ),
    "another-value-used": ("{what} is used where another value belongs", "Which value does each step need?"),
    "order-of-steps": (
        "{what} comes one step too early or too late",
        "Which steps must come before this one, and which after it?",
    ),
    "order-of-operations": (
        "the operations in and around {what} are grouped differently from the formula",
        "What does each operation apply to?",
    ),
    "edge-of-a-loop": (
        "{what} is inside a loop and belongs outside, or the reverse",
        "How often should this step happen?",
    ),
    "not-every-item": (
        "{what} takes too few or too many items, or the right items in the wrong order",
        "Which items should take part, and in which order?",
    ),
    "argument-changed": (
        "{what} changes a tensor in place",
        "Which other code still uses this tensor: the caller, or a later step?",
    ),
    "gradient-cut-off": ("no gradient passes through {what}", "Through which steps must gradients flow?"),
    "gradient-recorded": (
        "autograd records the operations of {what}, and they should run without gradients",
        "Which results need no gradients?",
    ),
    "type-or-device": ("{what} is left out", "Which dtype and which device should the value have at this point?"),
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
    triu: an upper triangle; zeros: a call of `zeros`
    zeros_like: a call of `zeros_like`; ones: a call of `ones`; ones_like: a call of `ones_like`
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
    "another-switch": "a constant",
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
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in known:
        return f"an attribute of `{node.value.id}`"
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
