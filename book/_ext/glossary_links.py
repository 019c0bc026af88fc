"""Links from the first use of a word on a page to its entry in the glossary.

The glossary says which words there are; nothing is marked in the chapters, so a word that is added there is linked
everywhere. A word is linked where it first stands in running text: not in headings, code, formulas, links, captions or
quizzes. Some words of the glossary are also plain English, or mean different things in different chapters; these are
linked on the pages of `ONLY_ON` alone. `ALSO` has other ways of writing a word. The role ``{term}`` still works, and
counts as the first use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.nodes import make_refnode

GLOSSARY = "book/glossary"
LANGUAGE_MODELS = "babygpt decoding heads long-context"
GRADER = "how-grading-works"
# Words that are linked on these pages only: elsewhere they are plain English or mean something else.
ONLY_ON: dict[str, str] = {
    "ablation": "multihead heads induction-heads babygpt",
    "activation": "blocks",
    "Adam": "optim",
    "address": "gpt2_forward gpt2_backward fast-kernels errata",
    "alignment": "translation",
    "attention": "attention",
    "backward pass": "gpt2_backward gpt2-program",
    "batch": "attention masks training",
    "block": "babygpt",
    "buffer": "embeddings babygpt masks",
    "byte": "tokens",
    "candidate": "bleu",
    "check": GRADER,
    "clipping": "bleu",
    "context": LANGUAGE_MODELS,
    "cosine similarity": "embeddings",
    "decoder": "transformer masks",
    "decoding": "decoding transformer",
    "decoupled weight decay": "optim",
    "diagnosis": GRADER,
    "encoder": "transformer masks",
    "entropy": "attention losses",
    "epoch": "training",
    "expert": "long-context",
    "forward pass": "gpt2_forward gpt2-program babygpt",
    "gradient": "embeddings blocks training optim gpt2_backward",
    "head": "multihead heads induction-heads babygpt",
    "held-out data": "babygpt heads translation",
    "hint": GRADER,
    "kernel": "gpt2_forward fast-kernels gpt2_backward gpt2-program",
    "key": "attention masks multihead heads",
    "learning rate": "warmup optim training",
    "learning-rate schedule": "optim",
    "logit": "losses",
    "logits": "warmup attention babygpt decoding",
    "loss": "warmup babygpt losses training",
    "mask": "masks attention",
    "memory": "attention transformer decoding",
    "mistake": GRADER,
    "nat": "warmup babygpt losses",
    "optimiser": "warmup training optim",
    "output projection": "multihead",
    "overfitting": "blocks translation",
    "padding": "masks attention embeddings training losses",
    "parameter": "warmup embeddings babygpt transformer",
    "pooling": "embeddings",
    "projection": "attention multihead",
    "prompt": "decoding",
    "query": "attention masks multihead heads",
    "reference": "bleu",
    "reference solution": GRADER,
    "score": "attention masks",
    "shortcut": "blocks",
    "task": GRADER,
    "temperature": LANGUAGE_MODELS,
    "tied weights": "embeddings",
    "token": "tokens embeddings attention babygpt",
    "tokenizer": "tokens translation",
    "tolerance": GRADER,
    "Transformer": "index transformer",
    "value": "attention multihead",
    "weight": "attention",
    "weight tying": "transformer",
}
# How chapters write a word, besides the way in which the glossary spells it.
ALSO: dict[str, str] = {
    "broadcasting": "broadcast",
    "checkpoint averaging": "mean of the last checkpoints",
    "cosine similarity": "mean cosine",
    "decoupled weight decay": "weight decay",
    "gradient accumulation": "accumulated steps",
    "gradient clipping": "clip gradients",
    "head width": "head's width",
    "held-out data": "held-out",
    "learning-rate schedule": "schedule",
    "output projection": "last linear layer",
    "pre-token": "cut into pieces",
    "tied weights": "tied",
    "top-k sampling": "top-k",
    "top-p sampling": "top-p",
    "weight tying": "tie",
}
NO_LINKS_ON = ("glossary", "references")
NO_LINK_INSIDE = (
    nodes.title,
    nodes.rubric,
    nodes.literal,
    nodes.literal_block,
    nodes.math,
    nodes.math_block,
    nodes.reference,
    nodes.caption,
    nodes.table,
    nodes.raw,
    nodes.target,
    nodes.comment,
    addnodes.pending_xref,
    addnodes.download_reference,
    addnodes.glossary,
)


class GlossaryLinks(SphinxPostTransform):
    """Runs when a page is written: by then the glossary has been read."""

    default_priority = 50

    def run(self, **_: object) -> None:
        page = self.env.docname
        if page.rpartition("/")[2] in NO_LINKS_ON:
            return
        words = dict(linkable(self.env, page.rpartition("/")[2]))
        targets = (node.get("refuri", "").partition("#")[2] for node in self.document.findall(nodes.reference))
        linked = {target for target in targets if target.startswith("term-")}  # by resolved roles
        if not words:
            return
        every = pattern(words)
        for text in [node for node in self.document.findall(nodes.Text) if _is_prose(node)]:
            self._link(text, every, words, linked)

    def _link(self, text: nodes.Text, every: re.Pattern[str], words: dict[str, str], linked: set[str]) -> None:
        """Link the words that first stand in this text, and add their anchors to ``linked``.

        A word that is linked already is found all the same, so that no part of it is taken for another ("block size").
        """
        plain, done, parts = text.astext(), 0, []
        for match in every.finditer(plain):
            anchor = words[_singular(match[0], words)]
            if anchor in linked:
                continue
            linked.add(anchor)
            inner = nodes.inline("", match[0], classes=["std", "std-term"])
            link = make_refnode(self.app.builder, self.env.docname, GLOSSARY, anchor, inner)
            link["classes"].append("glossary-link")
            if meaning := meanings(self.env).get(anchor):
                link["reftitle"] = meaning
            parts += [nodes.Text(plain[done : match.start()]), link]
            done = match.end()
        if parts:
            text.parent.replace(text, [*parts, nodes.Text(plain[done:])])


def meanings(env: BuildEnvironment) -> dict[str, str]:
    """The first sentence of each entry of the glossary, by anchor; none where it holds a formula."""
    kept = getattr(env, "glossary_meanings", None)
    if GLOSSARY not in env.found_docs:
        return {}
    if kept is None:
        kept = env.glossary_meanings = dict(_first_sentences(env.get_doctree(GLOSSARY)))  # type: ignore[attr-defined]
    return kept


def _first_sentences(glossary: nodes.document) -> Iterator[tuple[str, str]]:
    for item in glossary.findall(nodes.definition_list_item):
        definition = next(item.findall(nodes.definition), None)
        paragraph = next(definition.findall(nodes.paragraph), None) if definition else None
        if paragraph is None:
            continue
        sentence = re.split(r"(?<=[.!?])\s", " ".join(paragraph.astext().split()), maxsplit=1)[0]
        if "\\" not in sentence and "$" not in sentence:
            yield from ((anchor, sentence) for term in item.findall(nodes.term) for anchor in term["ids"])


def linkable(env: BuildEnvironment, page: str) -> Iterator[tuple[str, str]]:
    """The words to link on a page, as they are spelled in the glossary, with their anchors."""
    for (kind, word), (document, anchor) in env.get_domain("std").objects.items():
        if kind == "term" and document == GLOSSARY and page in ONLY_ON.get(word, page).split():
            yield word, anchor


def pattern(words: dict[str, str]) -> re.Pattern[str]:
    """Any of the words, longest first, with a plural s and a capital at the start of a sentence."""
    some = "|".join(_spelled(word) for word in sorted(words, key=len, reverse=True))
    return re.compile(rf"(?<![\w-])(?:{some})(?![\w-])")


def _spelled(word: str) -> str:
    return "|".join(_form(form) for form in filter(None, (word, ALSO.get(word))))


def _form(form: str) -> str:
    first = f"[{form[0].upper()}{form[0]}]" if form[0].islower() else re.escape(form[0])
    rest = re.escape(form[1:]).replace(r"\ ", r"\s+").replace("'", "['’]")
    return f"{first}{rest}(?:s|es)?"


def _singular(found: str, words: dict[str, str]) -> str:
    """The word of the glossary that was found."""
    found = " ".join(found.split())
    return next((word for word in words if re.fullmatch(_spelled(word), found)), "")


def _is_prose(text: nodes.Text) -> bool:
    above, prose = text.parent, False
    while above is not None:
        classes = above.get("classes", ()) if isinstance(above, nodes.Element) else ()
        if isinstance(above, NO_LINK_INSIDE) or "quiz-question" in classes or "cell" in classes:
            return False
        prose |= isinstance(above, nodes.paragraph)
        above = above.parent
    return prose


def write_all_pages_when_the_glossary_changes(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Sphinx event ``env-updated``: pages that have not changed themselves may have new links."""
    env.glossary_meanings = None  # type: ignore[attr-defined]
    terms = sorted(key for key in env.get_domain("std").objects if key[0] == "term")
    now = (terms, meanings(env))
    before, env.glossary_terms = getattr(env, "glossary_terms", None), now  # type: ignore[attr-defined]
    return [] if before in (None, now) else sorted(env.found_docs)


def setup_links(app: Sphinx) -> None:
    app.add_post_transform(GlossaryLinks)
    app.connect("env-updated", write_all_pages_when_the_glossary_changes)
