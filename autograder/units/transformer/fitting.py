"""How the course's `make_model` builds a learner's classes, whose constructors may take any arguments.

`Encoder`, `Decoder` and `Transformer` are built by `make_model` alone, so the arguments of their constructors are free.
One of them is checked alone with the course's other two and the course's `make_model` around it, which then has to find
out what the learner's class takes: by the names of its parameters, or else in the order that the notebook proposes.

These functions travel to where the learner's code is (see `judging.follow`).
"""

from torch import nn

BUILDER = "make_model"
CLASSES = ("Encoder", "Decoder", "Transformer")


def values_by_name(course, known, kind):
    """The values that may be passed for a parameter: for each possible name, a list of functions that make one.

    Names are in lower case, without underscores.

    ``known``: the arguments of the course's `make_model`, and those that it passes to this class. ``kind``: the name of
    the class, whose layers are of the class ``<kind>Layer``.
    """
    usual = {
        "num_layers": "n nlayers layers depth nblocks numblocks blocks count num",
        "d_model": "d dim size width features hidden hiddensize embeddim nembed nembd emb embedsize",
        "num_heads": "h heads nheads nhead",
        "d_ff": "ff dimfeedforward ffdim hiddendim dhidden dinner ffsize",
        "dropout": "p drop dropoutp pdrop pdropout dropoutrate rate",
        "norm": "style normstyle normtype kind mode position",
        "src_vocab": "srcvocabsize sourcevocab sourcevocabsize nsrc",
        "tgt_vocab": "tgtvocabsize targetvocab targetvocabsize ntgt",
        "tie_weights": "tie tied",
        "encoder": "enc encoders",
        "decoder": "dec decoders",
        "src_embed": "srcembedding sourceembed sourceembedding source src srcemb embedsrc embedsource encoderembed",
        "tgt_embed": "tgtembedding targetembed targetembedding target tgt tgtemb embedtgt embedtarget decoderembed",
        "generator": "gen head output out proj",
    }
    found: dict = {}
    for name, others in usual.items():
        if name in known:
            for other in (name.replace("_", ""), *others.split()):
                found.setdefault(other, []).append(lambda name=name: known[name])
    pre = known.get("norm") == "pre"
    for other in ("prenorm", "normfirst", "pre", "ispre", "usefinalnorm", "finalnorm", "lastnorm"):
        found.setdefault(other, []).append(lambda: pre)

    def layer():
        return course[f"{kind}Layer"](*(known[name] for name in ("d_model", "num_heads", "d_ff", "dropout", "norm")))

    def last_norm():
        return course.get("LayerNorm", nn.LayerNorm)(known["d_model"]) if pre else None

    for other in ("layer", f"{kind.lower()}layer", "block", f"{kind.lower()}block"):
        found.setdefault(other, []).append(layer)
    for other in ("layers", "blocks", f"{kind.lower()}layers", "stack"):
        found.setdefault(other, []).append(lambda: nn.ModuleList(layer() for _ in range(known["num_layers"])))
    for other in ("makelayer", "layerfn", "newlayer", "buildlayer", "makeblock", "layerfactory"):
        found.setdefault(other, []).append(lambda: layer)
    for other in ("norm", "finalnorm", "lastnorm", "layernorm", "normlayer"):
        found.setdefault(other, []).append(last_norm)
    return found


def ways_to_build(cls, found):
    """The keyword arguments with which a class may be built, the likeliest first; none if a parameter is unknown.

    Each item maps the names of parameters to functions that make their values.
    """
    import inspect
    from itertools import islice, product

    parameters = inspect.signature(cls).parameters.values()
    named = {one.name.replace("_", "").lower() for one in parameters}
    options = []
    for one in parameters:
        makers = found.get(one.name.replace("_", "").lower(), [])
        if one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) or (not makers and one.default is not one.empty):
            continue
        # Values of the default's type are preferred. Without a parameter for the width, `norm` should be a module.
        if isinstance(one.default, (str, bool, int)):
            usual = type(one.default)
            makers = [make for make in makers if type(make()) is usual] or makers
        elif one.default is None or not named & {"dmodel", "d", "dim", "size", "width"}:
            makers = makers[::-1]
        options.append([(one.name, make) for make in makers])
    yield from map(dict, islice(product(*options), 16))


def fit(course, free):
    """Change ``course``, a namespace: its `make_model` now builds the learner's own classes, named in ``free``."""
    import functools
    import inspect

    sizes = ("num_layers", "d_model", "num_heads", "d_ff", "dropout", "norm")
    parts = ("encoder", "decoder", "src_embed", "tgt_embed", "generator")
    proposed = {"Encoder": sizes, "Decoder": sizes, "Transformer": parts}
    make, asked = course["make_model"], {}

    @functools.wraps(make)
    def make_model(*args, **kwargs):
        bound = inspect.signature(make).bind(*args, **kwargs)
        bound.apply_defaults()
        asked.update(bound.arguments)
        return make(*args, **kwargs)

    def fitted(name, own):
        def build(*args):
            known = {**asked, **dict(zip(proposed[name], args))}
            built = []
            for makers in ways_to_build(own, values_by_name(course, known, name)):
                try:
                    built.append(own(**{parameter: make() for parameter, make in makers.items()}))
                except Exception:
                    continue
                if name == "Transformer" or any(type(one) is course.get(f"{name}Layer") for one in built[-1].modules()):
                    return built[-1]
            return built[0] if built else own(*args)

        return build

    course["make_model"] = make_model
    course.update({name: fitted(name, course[name]) for name in free})
