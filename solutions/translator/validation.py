"""Validation while a model is trained: the curve of its scores, which weights are the best, and when to stop."""

from statistics import mean

from solutions.translation import early_stopping, evaluate
from solutions.translator.errors import BadInput

COLUMNS = ("step", "training loss", "validation loss", "validation BLEU")


class Validation:
    """The scores of a run on pairs that it is not trained on.

    Args:
        config: a `TranslationConfig`.
        pairs: list of ``(source, target)`` texts; ``None`` if nothing is validated.
        curve: rows of an earlier part of the run, for each validation a dictionary of `COLUMNS`.
    """

    def __init__(self, config, pairs, curve=()):
        self.config, self.pairs, self.curve = config, pairs, list(curve)

    def is_due(self, step):
        """Whether the weights after this step are judged: every so many steps, and after the last one."""
        every = self.config.validate_every
        return bool(every) and (step % every == 0 or step == self.config.steps)

    def judge(self, model, losses):
        """Judge a model after ``len(losses)`` steps with these losses; returns whether it is the best so far."""
        scores = evaluate(model, self.pairs, max_tokens=self.config.max_tokens)
        before = self.curve[-1]["step"] if self.curve else 0
        row = (len(losses), mean(losses[before:]), scores["loss"], scores["bleu"])
        self.curve.append(dict(zip(COLUMNS, row)))
        return self.best is self.curve[-1]

    @property
    def best(self):
        """The row of the best validation; ``None`` before the first."""
        index, _ = self._verdict()
        return None if index is None else self.curve[index]

    @property
    def over(self):
        """Whether the last ``patience`` validations have brought nothing better."""
        return self.config.patience > 0 and self._verdict()[1]

    def _verdict(self):
        by_bleu = self.config.best_by == "bleu"
        losses = [-row["validation BLEU"] if by_bleu else row["validation loss"] for row in self.curve]
        return early_stopping(losses, max(1, self.config.patience))


def told(row):
    """A row of a curve in words."""
    return f"step {row['step']}, validation loss {row['validation loss']:.3f}, BLEU {row['validation BLEU']:.1f}"


def table(curve):
    """A curve as text: a line for each row, with tabs between the columns."""
    rows = [[str(row["step"]), *(f"{row[name]:.4f}" for name in COLUMNS[1:])] for row in curve]
    return "\n".join("\t".join(row) for row in (COLUMNS, *rows))


def draw(curve, path, best=None):
    """Draw both losses and BLEU over the steps, with a line at the best one, into a picture of any usual format."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise BadInput("A picture needs the package matplotlib, which is missing: `pip install matplotlib`.") from None
    figure = Figure(figsize=(7, 4), layout="constrained")
    axis = figure.subplots()
    steps = [row["step"] for row in curve]
    styles = {"training loss": ("#0072B2", "o-"), "validation loss": ("#D55E00", "s-")}
    for name, (color, style) in styles.items():
        axis.plot(steps, [row[name] for row in curve], style, color=color, markersize=4, label=name)
    axis.set(xlabel="step", ylabel="nats per target token")
    right = axis.twinx()
    right.plot(steps, [row[COLUMNS[-1]] for row in curve], "^--", color="#009E73", markersize=4, label=COLUMNS[-1])
    right.set(ylabel="BLEU", ylim=(0, 100))
    if best is not None:
        axis.axvline(best, color="#404040", linestyle=":", label="best weights")
    figure.legend(loc="outside upper center", ncols=4)
    try:
        figure.savefig(path)
    except ValueError as error:
        raise BadInput(f"{path} cannot be drawn: {str(error).splitlines()[0]}.") from None
