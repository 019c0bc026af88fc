"""The catch-it task of transformer: what a test that padding is ignored must accept, and what it must catch."""

from autograder.course.catches import catch, edit, group, slip, style


def build(names):
    """A small model in evaluation mode, its weights those of a fixed seed, and the id of padding."""
    import torch

    torch.manual_seed(11)
    model = names.make_model(13, 12, num_layers=2, d_model=12, d_ff=24, num_heads=2)
    return model.eval(), 0


MASK = "src_mask = padding_mask(src) if src_mask is None else src_mask"


def source_mask(changed):
    """An edit of the mask that ``Transformer.forward`` makes from the source where the caller gives none."""
    return edit(MASK, f"if src_mask is None:\n    src_mask = padding_mask(src)\n    {changed}")


CATCHES = (
    catch(
        "transformer.test_padding_is_ignored",
        build=build,
        of=("EncoderLayer", "DecoderLayer", "Encoder", "Decoder", "Transformer", "make_model"),
        styles=(
            style("EncoderLayer.written-out", "one whose encoder layers write their sublayers out"),
            style("EncoderLayer.pytorch-norms", "one with PyTorch's norms in the encoder"),
            style("two-named-connections", "one whose encoder layers name their two connections"),
            style("EncoderLayer.subclass-with-a-print", "one whose encoder layers print"),
            style("pytorch-layer-inside", "one that uses PyTorch's encoder layer"),
            style("other-names-and-leftovers", "one with parts that nothing uses"),
            style("one-projection-for-all-three", "one that projects queries, keys and values in one product"),
            style("both-styles-written-out", "one whose encoder layers write pre-norm and post-norm out"),
            style("DecoderLayer.written-out", "one whose decoder layers write their sublayers out"),
            style("loop-over-sublayers", "one whose decoder layers loop over their sublayers"),
            style("DecoderLayer.pytorch-norms", "one with PyTorch's norms in the decoder"),
            style("DecoderLayer.subclass-with-a-print", "one whose decoder layers print"),
            style("an-encoder-layer-with-more", "one whose decoder layers are derived from encoder layers"),
            style("Encoder.deep-copies", "one whose encoder copies its first layer"),
            style("numbered-attributes", "one whose encoder keeps its layers in numbered attributes"),
            style("Encoder.recursive", "one whose encoder is recursive"),
            style("Decoder.deep-copies", "one whose decoder copies its first layer"),
            style("keyword-arguments", "one whose decoder passes masks by keyword"),
            style("Decoder.recursive", "one whose decoder is recursive"),
            style("masks-in-a-helper", "one that makes its masks in a function of its own"),
            style("also-keeps-the-memory", "one that keeps the last memory in an attribute"),
            style("everything-in-forward", "one whose `forward` does not call `encode` and `decode`"),
            style("bounds-by-hand", "one that computes the bounds of its random parameters by hand"),
            style("one-embedding-module", "one that makes its embeddings in another order"),
            style("given-with-zero-biases", "one whose biases are 0"),
            style("own-embedding", "one with an embedding of its own"),
            style("positions-with-dropout-of-their-own", "one whose positions have a dropout of their own"),
            style(
                "Transformer.not-contiguous",
                "one whose result is a view that is not contiguous",
                edit(
                    "return self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)",
                    "return self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask).mT.contiguous().mT",
                ),
            ),
        ),
        groups=(
            group(
                "the-encoder",
                "In the encoder",
                slip(
                    "Encoder.mask-forgotten",
                    "The memory of a sentence changes when padding is appended. What do you compare a padded source "
                    "with?",
                ),
                slip(
                    "Encoder.mask-for-the-first-layer-only",
                    "Padding changes the result, but only a little. How large a difference does your test let pass?",
                ),
                slip(
                    "Transformer.source-not-masked-when-encoding",
                    "The decoder is right, but the memory is not. How many sources of your batch are padded?",
                ),
                slip(
                    "EncoderLayer.mask-inverted",
                    "Real tokens of the source see nothing but padding. What do you compare a padded source with?",
                ),
            ),
            group(
                "the-cross-attention",
                "Between the stacks",
                slip(
                    "Transformer.no-source-mask-when-decoding",
                    "The memory of real tokens is right, but the memory also has rows of padding. Which part of the "
                    "model reads the memory?",
                ),
                slip(
                    "DecoderLayer.no-source-mask",
                    "The memory of real tokens is right, but the memory also has rows of padding. Which part of the "
                    "model reads the memory?",
                ),
                slip(
                    "Decoder.masks-for-the-first-layer-only",
                    "Padding changes the result, but only a little. How large a difference does your test let pass?",
                ),
            ),
            group(
                "the-target",
                "In the target",
                slip(
                    "Transformer.no-target-mask-when-decoding",
                    "Padding after the target changes the results before it. Is there padding in your targets?",
                ),
                slip(
                    "DecoderLayer.source-mask-for-both",
                    "Where source and target are equally long, padding in the source hides tokens of the target. How "
                    "long are the two in your test?",
                ),
                slip(
                    "Transformer.default-target-mask-from-the-source",
                    "Where source and target are equally long, padding in the source hides tokens of the target. How "
                    "long are the two in your test?",
                ),
            ),
            group(
                "how-much",
                "Much and little padding",
                slip(
                    "Transformer.first-padding-stays",
                    "One position of padding after a source is read. Is there a padded source in your test?",
                    source_mask("src_mask = src_mask | src_mask.roll(1, dims=-1)"),
                ),
                slip(
                    "Transformer.only-the-last-hidden",
                    "It is right for a source with little padding. How much padding does yours have?",
                    source_mask("src_mask = src_mask.index_fill(-1, torch.arange(src.shape[1] - 1), True)"),
                ),
                slip(
                    "Transformer.positions-from-the-end",
                    "No token reads padding, but the results change with the amount of padding. What tells a token its "
                    "position?",
                    edit("self.src_embed(src)", "self.src_embed(src.flip(1)).flip(1)"),
                ),
            ),
            group(
                "several-sentences",
                "Several sentences",
                slip(
                    "Transformer.mask-of-the-first",
                    "It is right for one sentence at a time. How many different lengths does your batch have?",
                    source_mask("src_mask = src_mask[:1]"),
                ),
                slip(
                    "Transformer.hidden-where-any-is-padding",
                    "Next to a short sentence, a long one loses its end. Which sentences of a batch do you look at?",
                    source_mask("src_mask = src_mask.all(0, keepdim=True)"),
                ),
                slip(
                    "Transformer.seen-where-any-is-real",
                    "A padded sentence is right by itself, but not next to a longer one. What is in your batch?",
                    source_mask("src_mask = src_mask.any(0, keepdim=True)"),
                ),
            ),
            group(
                "nothing-but-padding",
                "Nothing but padding",
                slip(
                    "EncoderLayer.nan-where-nothing-may-be-attended",
                    "For one sentence in the batch the result is NaN. Which kind of sentence have you not tried?",
                ),
                slip(
                    "DecoderLayer.nan-where-nothing-may-be-attended",
                    "For one sentence in the batch the result is NaN. Which kind of sentence have you not tried?",
                ),
            ),
        ),
    ),
)
