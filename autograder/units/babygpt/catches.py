"""The catch-it task of babygpt: what a test that a language model sees no later token must accept and catch."""

from autograder.course.catches import catch, edit, group, slip, style


def build(names):
    """A small model in evaluation mode; its weights are those of a fixed seed."""
    import torch

    torch.manual_seed(11)
    config = names.BabyGPTConfig(vocab_size=11, block_size=8, n_embed=12, num_heads=3, num_layers=2, dropout=0.2)
    return (names.BabyGPT(config).eval(),)


CATCHES = (
    catch(
        "babygpt.test_no_peeking",
        build=build,
        of=("Head", "MultiHead", "Block", "BabyGPT"),
        styles=(
            style("float-triangle", "one that keeps a triangle of ones and zeros"),
            style("pytorch-attention", "one whose heads call PyTorch's fused attention"),
            style("additive-mask", "one that adds a large negative number to scores of later positions"),
            style("position-by-position", "one whose heads go through the positions in a loop"),
            style("fused-projection", "one that projects queries, keys and values in one product"),
            style("exponentials-by-hand", "one that writes the softmax out"),
            style("float-buffer", "one that compares its triangle with 0"),
            style("appended-in-a-loop", "one that collects its heads in a loop"),
            style("projects-head-by-head", "one that projects head by head and adds up"),
            style("stacked-then-moved", "one that stacks its heads and moves the axes"),
            style("all-heads-at-once", "one that computes all heads in one product"),
            style("feed-forward-class-inside", "one with a class inside its block"),
            style("own-layer-norm", "one with a layer normalisation of its own"),
            style("residual-wrapper", "one whose block is an `nn.Sequential`"),
            style("network-without-biases", "one without biases in its feed-forward network"),
            style("fused-attention-inside", "one whose block has no separate heads"),
            style("Block.short-names", "one whose blocks have short names for their parts"),
            style("flattened-for-the-loss", "one whose parts have the names of a well-known script"),
            style("no-last-norm-no-bias", "one without the last normalisation"),
            style("tied-as-gpt-2", "one whose output layer shares the weights of the token embedding"),
            style("position-table-as-parameter", "one that keeps its positions in a plain parameter"),
            style("BabyGPT.short-names", "one with short names for its parts"),
            style(
                "BabyGPT.results-in-a-list",
                "one that returns its two results in a list",
                edit("return logits, None", "return [logits, None]"),
            ),
            style(
                "BabyGPT.not-contiguous",
                "one whose logits are a view that is not contiguous",
                edit("return logits, None", "return logits.mT.contiguous().mT, None"),
            ),
        ),
        groups=(
            group(
                "later-tokens",
                "The tokens that follow",
                slip(
                    "Head.no-causal-mask",
                    "The last token of a sequence changes the logits at all other positions. Which logits does your "
                    "test look at when a token changes?",
                ),
                slip(
                    "Head.wrong-triangle",
                    "The logits at a position depend on its own token and on all later ones. Which tokens does your "
                    "test change?",
                ),
                slip(
                    "Head.one-ahead",
                    "In each head, a position sees one token too many. How close are the token that your test changes "
                    "and the position that it looks at?",
                    edit("causal_mask(block_size)", "torch.ones(block_size, block_size).tril(1).bool()"),
                ),
            ),
            group(
                "even-a-little",
                "Even a little",
                slip(
                    "Head.mask-after-softmax",
                    "A later token gets no weight, and yet it changes earlier logits a little. How large a "
                    "difference does your test let pass?",
                ),
                slip(
                    "Head.filled-with-zero",
                    "A later token has a share in the averages at earlier positions, and its own key does not change "
                    "this share. How large a difference does your test let pass?",
                ),
                slip(
                    "Head.masked-with-minus-five",
                    "A later token has a small share, under one in a hundred, in the averages at earlier positions. "
                    "How large a difference does your test let pass?",
                    edit('float("-inf")', "-5.0"),
                ),
            ),
            group(
                "every-position",
                "At every position",
                slip(
                    "Head.first-position-sees-all",
                    "In each head, only one position sees more than it should. Does your test look at all positions?",
                    edit("nn.Dropout(dropout)", "nn.Dropout(dropout)\nself.tril[0] = True"),
                ),
                slip(
                    "Head.two-ahead",
                    "In each head, the token right after a position is hidden from that position, and yet a later one "
                    "is not. Which tokens does your test change?",
                    edit(
                        "nn.Dropout(dropout)",
                        "nn.Dropout(dropout)\nself.tril.diagonal(2).fill_(True)",
                    ),
                ),
                slip(
                    "Head.last-of-a-full-block",
                    "Short sequences are fine. How long are yours?",
                    edit(
                        "nn.Dropout(dropout)",
                        "nn.Dropout(dropout)\nself.tril[:, -1] = True",
                    ),
                ),
            ),
            group(
                "how-many-follow",
                "How many follow",
                slip(
                    "BabyGPT.positions-backwards",
                    "No later token is read, and yet a position's logits tell how many later tokens there are. What "
                    "does your test do to a sequence besides changing its tokens?",
                ),
                slip(
                    "Head.scores-divided-by-length",
                    "No later token is read, and yet the logits of a sequence change when another token is appended. "
                    "Does your test ever shorten a sequence?",
                    edit("self.key(x))", "self.key(x)) / length"),
                ),
            ),
            group(
                "other-sequences",
                "The rest of the batch",
                slip(
                    "BabyGPT.positions-of-the-batch",
                    "A sequence gets other logits in another row of the batch. Does your test also give it to "
                    "the model alone?",
                ),
                slip(
                    "BabyGPT.centred-over-the-batch",
                    "A sequence gets other logits when the other rows of the batch change. What does your test "
                    "compare a row with?",
                    edit("logits = self", "x = x - x.mean(0, keepdim=True)\nlogits = self"),
                ),
                slip(
                    "Head.values-of-the-first-sequence",
                    "It is right for one sequence at a time. How many sequences does your batch have, and which "
                    "of them does your test look at?",
                    edit("weights @ self.value(x)", "weights @ self.value(x)[:1]"),
                ),
            ),
            group(
                "call-after-call",
                "Call after call",
                slip(
                    "BabyGPT.call-before-added",
                    "The logits depend on the input of the previous call. How often does your test call the "
                    "model with the same tokens, and what comes between these calls?",
                    edit(
                        "logits = self",
                        """
                        kept = getattr(self, "kept", x)
                        self.kept = x.detach()
                        x = x + kept if kept.shape == x.shape else x
                        logits = self
                        """,
                    ),
                ),
                slip(
                    "Head.scores-of-the-call-before",
                    "Called again and again with the same tokens, a new model gives the same logits. After a call with "
                    "other tokens, it may not. With which tokens, and in which order, does your test call it?",
                    edit(
                        "scores = scores.masked_fill",
                        """
                        kept = self.__dict__.setdefault("kept", {})
                        now = scores
                        scores = kept.get(now.shape, now)
                        kept[now.shape] = now.detach()
                        scores = scores.masked_fill
                        """,
                    ),
                ),
                slip(
                    "Head.dropout-also-in-evaluation",
                    "Two calls with the same tokens give different logits. Does your test make two such calls?",
                ),
            ),
        ),
    ),
)
