"""The full encoder-decoder (Vaswani et al. 2017, section 3 and figure 1).

Shapes: ``B`` batch, ``T_src`` and ``T_tgt`` lengths of source and target, ``d`` = ``d_model``, ``V`` vocabulary size.
Masks are boolean, ``True`` means "may attend", and they broadcast to scores ``(B, H, T_q, T_k)``.
"""

import torch
from torch import nn

from solutions import BOS
from solutions.blocks import FeedForward, LayerNorm, SublayerConnection
from solutions.embeddings import PositionalEncoding, TokenEmbedding
from solutions.given import decode_newest
from solutions.masks import decoder_mask, padding_mask
from solutions.multihead import MultiHeadAttention


class EncoderLayer(nn.Module):
    """Self-attention, then the feed-forward network, each inside a residual connection.

    Args:
        d_model: width of the input and of the output.
        num_heads: attention heads; divides ``d_model``.
        d_ff: hidden width of the feed-forward network.
        dropout: probability of dropping while training: attention weights, hidden units, what each sublayer returns.
        norm: ``"pre"`` or ``"post"``, as in ``SublayerConnection``.

    Source: Vaswani et al. 2017, section 3.1 and figure 1 (left).
    """

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(2))
        ### END SOLUTION

    def forward(self, x, mask=None):
        """Let the positions attend to each other, then apply the feed-forward network to each.

        Args:
            x: ``(B, T, d_model)``.
            mask: which keys each query may attend to, for instance ``(B, 1, 1, T)``.

        Returns:
            ``(B, T, d_model)``.
        """
        ### BEGIN SOLUTION
        x = self.connections[0](x, lambda y: self.self_attention(y, y, y, mask))
        return self.connections[1](x, self.feed_forward)
        ### END SOLUTION


class DecoderLayer(nn.Module):
    """Self-attention, cross-attention to the encoder's output, then the feed-forward network.

    Args:
        d_model, num_heads, d_ff, dropout, norm: as in ``EncoderLayer``.

    Source: Vaswani et al. 2017, section 3.1 and figure 1 (right).
    """

    def __init__(self, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        ### BEGIN SOLUTION
        self.self_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.cross_attention = MultiHeadAttention(d_model, num_heads, dropout)
        self.feed_forward = FeedForward(d_model, d_ff, dropout)
        self.connections = nn.ModuleList(SublayerConnection(d_model, dropout, norm) for _ in range(3))
        ### END SOLUTION

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        """Attend to the target so far, then to the source, then apply the feed-forward network.

        Args:
            x: the target ``(B, T_tgt, d_model)``.
            memory: what the encoder returned ``(B, T_src, d_model)``; used as it is, not normalised again.
            src_mask: for the cross-attention, whose keys are the source: ``(B, 1, 1, T_src)``.
            tgt_mask: for the self-attention, whose keys are the target: ``(B, 1, T_tgt, T_tgt)``.

        Returns:
            ``(B, T_tgt, d_model)``.
        """
        ### BEGIN SOLUTION
        x = self.connections[0](x, lambda y: self.self_attention(y, y, y, tgt_mask))
        x = self.connections[1](x, lambda y: self.cross_attention(y, memory, memory, src_mask))
        return self.connections[2](x, self.feed_forward)
        ### END SOLUTION


class Encoder(nn.Module):
    """A stack of encoder layers; after the last one a norm if ``norm="pre"``, none if ``"post"``.

    Args:
        num_layers: how many layers, each with parameters of its own.
        d_model, num_heads, d_ff, dropout, norm: as in ``EncoderLayer``.

    Source: Vaswani et al. 2017, section 3.1; the last norm: Radford et al. 2019, section 2.3.
    """

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        ### BEGIN SOLUTION
        self.layers = nn.ModuleList(EncoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers))
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        ### END SOLUTION

    def forward(self, x, mask=None):
        """All layers, one after the other, with the same mask.

        Args:
            x: ``(B, T_src, d_model)``.
            mask: ``(B, 1, 1, T_src)`` or ``None``.

        Returns:
            ``(B, T_src, d_model)``.
        """
        ### BEGIN SOLUTION
        for layer in self.layers:
            x = layer(x, mask)
        return self.last_norm(x)
        ### END SOLUTION


class Decoder(nn.Module):
    """A stack of decoder layers; after the last one a norm if ``norm="pre"``, none if ``"post"``.

    Args:
        num_layers: how many layers, each with parameters of its own.
        d_model, num_heads, d_ff, dropout, norm: as in ``DecoderLayer``.

    Source: Vaswani et al. 2017, section 3.1; the last norm: Radford et al. 2019, section 2.3.
    """

    def __init__(self, num_layers, d_model, num_heads, d_ff, dropout=0.1, norm="pre"):
        super().__init__()
        ### BEGIN SOLUTION
        self.layers = nn.ModuleList(DecoderLayer(d_model, num_heads, d_ff, dropout, norm) for _ in range(num_layers))
        self.last_norm = LayerNorm(d_model) if norm == "pre" else nn.Identity()
        ### END SOLUTION

    def forward(self, x, memory, src_mask=None, tgt_mask=None):
        """All layers, one after the other; each of them reads the same memory.

        Args:
            x: ``(B, T_tgt, d_model)``.
            memory: ``(B, T_src, d_model)``.
            src_mask, tgt_mask: as in ``DecoderLayer``.

        Returns:
            ``(B, T_tgt, d_model)``.
        """
        ### BEGIN SOLUTION
        for layer in self.layers:
            x = layer(x, memory, src_mask, tgt_mask)
        return self.last_norm(x)
        ### END SOLUTION


class Generator(nn.Module):
    """From a vector to a log-probability for every token of the vocabulary.

    Args:
        d_model: width of the input.
        vocab_size: ``V``.

    Attributes:
        proj: ``nn.Linear(d_model, vocab_size)`` with bias.

    Source: Vaswani et al. 2017, section 3.4 and figure 1 (top).
    """

    def __init__(self, d_model, vocab_size):
        super().__init__()
        ### BEGIN SOLUTION
        self.proj = nn.Linear(d_model, vocab_size)
        ### END SOLUTION

    def forward(self, x):
        """Project, then take the logarithm of the softmax, in one stable step.

        Args:
            x: ``(..., d_model)``.

        Returns:
            ``(..., V)``: log-probabilities, whose exponentials sum to 1 along the last axis.
        """
        ### BEGIN SOLUTION
        return self.proj(x).log_softmax(dim=-1)
        ### END SOLUTION


class Transformer(nn.Module):
    """The whole model: embeddings and positions, encoder, decoder, and a generator for the words.

    Build it with ``make_model``.

    Args:
        encoder, decoder: the stacks.
        src_embed, tgt_embed: modules that map ids ``(B, T)`` to ``(B, T, d_model)``, positions included.
        generator: a ``Generator``, which ``forward`` does not call: training and decoding do.

    Attributes:
        generator: the same.

    Source: Vaswani et al. 2017, figure 1.
    """

    decode_step = decode_newest  # given: one step of ``decode`` with a cache, for the unit on decoding

    def __init__(self, encoder, decoder, src_embed, tgt_embed, generator):
        super().__init__()
        ### BEGIN SOLUTION
        self.src_embed = src_embed
        self.tgt_embed = tgt_embed
        self.encoder = encoder
        self.decoder = decoder
        self.generator = generator
        ### END SOLUTION

    def encode(self, src, src_mask):
        """Read the source: ids ``(B, T_src)`` to a memory ``(B, T_src, d)``.

        Args:
            src: source ids ``(B, T_src)``.
            src_mask: ``(B, 1, 1, T_src)``.
        """
        ### BEGIN SOLUTION
        return self.encoder(self.src_embed(src), src_mask)
        ### END SOLUTION

    def decode(self, memory, src_mask, tgt, tgt_mask):
        """Read the target so far, with the memory at hand: ids ``(B, T_tgt)`` to ``(B, T_tgt, d)``.

        Args:
            memory: what ``encode`` returned, ``(B, T_src, d)``.
            src_mask: ``(B, 1, 1, T_src)``.
            tgt: target ids ``(B, T_tgt)``, shifted right.
            tgt_mask: ``(B, 1, T_tgt, T_tgt)``.
        """
        ### BEGIN SOLUTION
        return self.decoder(self.tgt_embed(tgt), memory, src_mask, tgt_mask)
        ### END SOLUTION

    def forward(self, src, tgt, src_mask=None, tgt_mask=None):
        """Encode the source, and decode the target with it.

        Args:
            src: source ids ``(B, T_src)``.
            tgt: target ids ``(B, T_tgt)``, shifted right.
            src_mask: ``(B, 1, 1, T_src)``; ``None``: ``padding_mask(src)``.
            tgt_mask: ``(B, 1, T_tgt, T_tgt)``; ``None``: ``decoder_mask(tgt)``.

        Returns:
            ``(B, T_tgt, d)``: what the generator turns into log-probabilities.
        """
        ### BEGIN SOLUTION
        src_mask = padding_mask(src) if src_mask is None else src_mask
        tgt_mask = decoder_mask(tgt) if tgt_mask is None else tgt_mask
        return self.decode(self.encode(src, src_mask), src_mask, tgt, tgt_mask)
        ### END SOLUTION


def make_model(
    src_vocab,
    tgt_vocab,
    num_layers=6,
    d_model=512,
    d_ff=2048,
    num_heads=8,
    dropout=0.1,
    norm="pre",
    tie_weights=False,
):
    """A Transformer with fresh parameters, of the sizes of the paper's base model unless others are given.

    Args:
        src_vocab, tgt_vocab: vocabulary sizes of source and target.
        num_layers: layers in the encoder, and as many in the decoder.
        d_model, d_ff, num_heads, dropout, norm: as in ``EncoderLayer``; ``dropout`` also acts on the embeddings.
        tie_weights: the source table, the target table and the weight of ``generator.proj`` are one parameter.

    Returns:
        A `Transformer`. No two layers share parameters. Every parameter with two axes, the tables included, is drawn
        from Xavier's uniform distribution.

    Raises:
        ValueError: ``tie_weights`` with vocabularies of different sizes.

    Source: Vaswani et al. 2017, sections 3 and 3.4, table 3 (base); Glorot and Bengio 2010, equation 16;
    Press and Wolf 2017 (tying).
    """
    ### BEGIN SOLUTION
    if tie_weights and src_vocab != tgt_vocab:
        raise ValueError(
            f"tie_weights needs one vocabulary, but src_vocab is {src_vocab} and tgt_vocab is {tgt_vocab}."
        )
    sizes = (num_layers, d_model, num_heads, d_ff, dropout, norm)
    tables = TokenEmbedding(src_vocab, d_model), TokenEmbedding(tgt_vocab, d_model)
    src_embed, tgt_embed = (nn.Sequential(table, PositionalEncoding(d_model, dropout)) for table in tables)
    model = Transformer(Encoder(*sizes), Decoder(*sizes), src_embed, tgt_embed, Generator(d_model, tgt_vocab))
    if tie_weights:
        shared = tables[0].embed.weight  # (V, d), and so is the weight of nn.Linear(d, V): no transpose
        tables[1].embed.weight = shared
        model.generator.proj.weight = shared
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)
    return model
    ### END SOLUTION


def shift_right(targets, bos_id=BOS):
    """What the decoder reads while it learns to write ``targets``: each token one position later.

    Args:
        targets: token ids ``(B, T)`` or ``(T,)``.
        bos_id: the id that every sequence starts with.

    Returns:
        Like ``targets``: first ``bos_id``, then all tokens but the last.

    Source: Vaswani et al. 2017, section 3.1 ("offset by one position").
    """
    ### BEGIN SOLUTION
    shifted = targets.roll(1, dims=-1)
    shifted[..., 0] = bos_id
    return shifted
    ### END SOLUTION


def count_parameters(model):
    """How many numbers a model learns, by part.

    Args:
        model: any ``nn.Module``.

    Returns:
        A dictionary of ``int``: for each direct child of the model its name and its count, then ``"total"``. A
        parameter that is used several times counts once, in the first part that holds it. Parameters that are
        frozen, or that the model owns itself, count as well; buffers do not.
    """
    ### BEGIN SOLUTION
    seen: set[nn.Parameter] = set()
    counts = {}
    for name, part in model.named_children():
        new = set(part.parameters()) - seen  # tensors are told apart by identity, not by their values
        counts[name] = sum(parameter.numel() for parameter in new)
        seen |= new
    counts["total"] = sum(parameter.numel() for parameter in model.parameters())
    return counts
    ### END SOLUTION


def test_padding_is_ignored(model, pad_id):
    """A test of a Transformer: it returns if padding after a sentence changes nothing, and raises otherwise.

    In a right model, a source and a target give the same vectors in a batch, with padding after both, as alone without
    any; a source of nothing but padding gives finite ones. What stands at padded positions of the target is free.

    Args:
        model: a small model as ``make_model`` builds it, in evaluation mode: ``model(src, tgt)`` returns
            ``(B, T_tgt, d)`` and makes its masks itself. Ids 4 to 11 are tokens of both vocabularies. Other attributes
            than in Task 6 may have any names, and results may differ by rounding.
        pad_id: the id of padding.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. PyTorch's random generator is seeded before each call.
    """
    ### BEGIN SOLUTION
    src, tgt = torch.randint(4, 12, (3, 6)), torch.randint(4, 12, (3, 5))
    lengths = ((3, 4), (6, 2), (2, 5))
    for row, (src_length, tgt_length) in enumerate(lengths):
        src[row, src_length:] = pad_id
        tgt[row, tgt_length:] = pad_id
    together = model(src, tgt)
    for row, (src_length, tgt_length) in enumerate(lengths):
        alone = model(src[row : row + 1, :src_length], tgt[row : row + 1, :tgt_length])
        torch.testing.assert_close(alone[0], together[row, :tgt_length])
    src[0] = pad_id
    assert model(src, tgt).isfinite().all()
    ### END SOLUTION
