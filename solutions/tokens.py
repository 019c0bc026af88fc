"""Tokens: from text to ids and back, by words and by byte pairs.

Ids are Python integers, so a text is a list of them. ``V`` is the number of tokens in a vocabulary.
"""

from collections import Counter
from functools import cache

import regex

from solutions import BOS, EOS, PAD, UNK

# How the special tokens are written; their ids are their indices: PAD, UNK, BOS, EOS.
SPECIALS = ("<pad>", "<unk>", "<bos>", "<eos>")

# How GPT-2 cuts a text before it looks for pairs (Radford et al. 2019, published with the model). The pieces, joined,
# are the text again. `\p{L}` is any letter and `\p{N}` any numeric character: Python's `re` knows neither.
GPT2_SPLIT = regex.compile(
    r"'s|'t|'re|'ve|'m|'ll|'d"
    r"| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+"
    r"|\s+(?!\S)|\s+"
)


class Vocabulary:
    """Words (or whatever ``tokenize`` cuts a text into) and their ids.

    Attributes:
        id_to_token: list of ``V`` strings; a token's id is its index. The first four are `SPECIALS`.
        token_to_id: the inverse, as a dict.

    ``len(vocabulary)`` is ``V``.

    Source: the usual word-level vocabulary; the rare-word problem that it has is the subject of Sennrich et al. 2016.
    """

    def __init__(self, tokens, tokenize=str.split):
        """A vocabulary of the special tokens and then these, in their order."""
        ### BEGIN SOLUTION
        self.id_to_token = [*SPECIALS, *tokens]
        self.token_to_id = {token: index for index, token in enumerate(self.id_to_token)}
        self._tokenize = tokenize
        ### END SOLUTION

    @classmethod
    def from_texts(cls, texts, tokenize=str.split, min_freq=1, max_size=None):
        """Collect the tokens of some texts.

        Args:
            texts: any iterable of strings.
            tokenize: cuts one text into tokens; `encode` uses it as well.
            min_freq: tokens that occur less often than this are left out.
            max_size: the largest ``V``, the four special tokens included; ``None``: no limit.

        Returns:
            A vocabulary: after the special tokens the most frequent token comes first, and equally frequent ones in
            the order of their code points. A token spelled like a special one gets the id of that one.
        """
        ### BEGIN SOLUTION
        if max_size is not None and max_size < len(SPECIALS):
            raise ValueError(f"max_size counts the {len(SPECIALS)} special tokens, so it cannot be {max_size}.")
        counts = Counter(token for text in texts for token in tokenize(text))
        tokens = [token for token, times in counts.items() if times >= min_freq and token not in SPECIALS]
        tokens.sort(key=lambda token: (-counts[token], token))
        return cls(tokens if max_size is None else tokens[: max_size - len(SPECIALS)], tokenize)
        ### END SOLUTION

    def __len__(self):
        ### BEGIN SOLUTION
        return len(self.id_to_token)
        ### END SOLUTION

    def encode(self, text, add_bos=False, add_eos=False):
        """The ids of a text's tokens, as a list.

        Args:
            text: a string.
            add_bos, add_eos: put ``BOS`` before them, ``EOS`` after them.

        Returns:
            List of integers; ``UNK`` for each token that the vocabulary does not have.
        """
        ### BEGIN SOLUTION
        ids = [self.token_to_id.get(token, UNK) for token in self._tokenize(text)]
        return [BOS] * add_bos + ids + [EOS] * add_eos
        ### END SOLUTION

    def decode(self, ids, skip_special=True):
        """The tokens of these ids, with one space between any two.

        Args:
            ids: integers from 0 to ``V - 1``.
            skip_special: leave out all four special tokens.

        Returns:
            A string.

        Raises:
            ValueError: an id is negative, or ``V`` or more.
        """
        ### BEGIN SOLUTION
        for index in ids:
            if not 0 <= index < len(self):
                raise ValueError(f"ids must lie between 0 and {len(self) - 1}, but one is {index}.")
        kept = [index for index in ids if not (skip_special and index in (PAD, UNK, BOS, EOS))]
        return " ".join(self.id_to_token[index] for index in kept)
        ### END SOLUTION


def train_bpe(text, num_merges):
    """Learn byte-pair merges from a text.

    The text is cut with `GPT2_SPLIT`, and each piece becomes a sequence of single bytes (UTF-8). Then, ``num_merges``
    times: the most frequent pair of neighbours is merged into one, in all pieces, from left to right.

    Args:
        text: a string.
        num_merges: how many merges to learn, 0 or more.

    Returns:
        List of pairs ``(left, right)`` of ``bytes``, in the order in which they were learned. Of equally frequent pairs
        the lexicographically greater one is merged. Shorter than ``num_merges`` when no pair is left.

    Raises:
        ValueError: ``num_merges`` is negative.

    Source: Sennrich et al. 2016, algorithm 1; on bytes: Radford et al. 2019, section 2.2.
    """
    ### BEGIN SOLUTION
    if num_merges < 0:
        raise ValueError(f"num_merges must be 0 or more, but is {num_merges}.")

    def merge(parts, pair):
        merged = parts[:1]
        for part in parts[1:]:
            if (merged[-1], part) == pair:
                merged[-1] += part
            else:
                merged.append(part)
        return merged

    # A text has far fewer different pieces than pieces: each is looked at once, and counts as often as it occurs.
    occurs = Counter(GPT2_SPLIT.findall(text))
    pieces = [([bytes([byte]) for byte in piece.encode()], times) for piece, times in occurs.items()]
    merges: list[tuple[bytes, bytes]] = []
    while len(merges) < num_merges:
        counts: Counter[tuple[bytes, bytes]] = Counter()
        for parts, times in pieces:
            for pair in zip(parts, parts[1:]):
                counts[pair] += times
        if not counts:
            break
        _, best = max((times, pair) for pair, times in counts.items())
        pieces = [(merge(parts, best), times) for parts, times in pieces if len(parts) > 1]
        merges.append(best)
    return merges
    ### END SOLUTION


def bpe_encode(text, merges):
    """The ids of a text under learned merges.

    The text is cut with `GPT2_SPLIT`. In each piece the earliest-learned merge that is present is applied, until none
    is.

    Args:
        text: a string.
        merges: list of pairs of ``bytes``, as `train_bpe` returns it.

    Returns:
        List of integers: 0 to 255 stands for a single byte, ``256 + i`` for what merge ``i`` makes.

    Source: Sennrich et al. 2016, section 3.2; on bytes: Radford et al. 2019, section 2.2.
    """
    ### BEGIN SOLUTION
    rank = {pair: i for i, pair in enumerate(merges)}
    ids = {bytes([byte]): byte for byte in range(256)} | {left + right: 256 + i for (left, right), i in rank.items()}

    @cache  # words repeat
    def encode_piece(piece):
        parts = [bytes([byte]) for byte in piece.encode()]
        while present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]:
            _, i = min(present)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        return [ids[part] for part in parts]

    return [index for piece in GPT2_SPLIT.findall(text) for index in encode_piece(piece)]
    ### END SOLUTION


def bpe_decode(ids, merges):
    """The text that these ids stand for.

    Args:
        ids: integers from 0 to ``255 + len(merges)``.
        merges: list of pairs of ``bytes``, as `train_bpe` returns it.

    Returns:
        A string; bytes that are no valid UTF-8 become the replacement character U+FFFD. For every text without lone
        surrogates, ``bpe_decode(bpe_encode(text, merges), merges) == text``.

    Source: Radford et al. 2019, section 2.2.
    """
    ### BEGIN SOLUTION
    spelled = [bytes([byte]) for byte in range(256)] + [left + right for left, right in merges]
    for index in ids:
        if not 0 <= index < len(spelled):
            raise ValueError(f"ids must lie between 0 and {len(spelled) - 1}, but one is {index}.")
    return b"".join(spelled[index] for index in ids).decode("utf-8", errors="replace")
    ### END SOLUTION


def test_bpe(train_bpe, bpe_encode, bpe_decode):
    """A test of byte-pair encoding: it returns for right implementations and raises for a wrong one.

    Args:
        train_bpe, bpe_encode, bpe_decode: the implementations to test, called as in Tasks 2, 3 and 4; one of the three
            may be wrong. They come in many styles.

    Raises:
        Exception: of any kind, as soon as something is wrong; a failing ``assert`` will do.

    What the test returns does not matter. Random generators are seeded before each call.
    """
    ### BEGIN SOLUTION
    assert train_bpe("banana banana", 2) == [(b"n", b"a"), (b"na", b"na")]  # (b"a", b"n") is as frequent
    assert train_bpe("hi ab ab ab", 1) == [(b"a", b"b")]
    assert train_bpe("a b a b a b", 1) == [(b" ", b"b")]  # not (b"a", b" "), which lies in two pieces
    assert train_bpe("\u00e9", 9) == [(b"\xc3", b"\xa9")]
    merges = [(b"b", b"c"), (b"a", b"b"), (b"bc", b"d"), (b"a", b" ")]
    assert bpe_encode("abcd", merges) == [97, 258]  # the merge of b and c comes before that of a and b
    assert bpe_encode("a b", merges) == [97, 32, 98]  # a and the space lie in two pieces
    assert merges == [(b"b", b"c"), (b"a", b"b"), (b"bc", b"d"), (b"a", b" ")]
    for text in (" Stra\u00dfe, 5 \u20ac each\n", "a b"):
        for known in ([], merges):
            assert bpe_decode(bpe_encode(text, known), known) == text
    assert bpe_decode([97, 0xC3], []) == "a\ufffd"
    try:
        train_bpe("ab", -1)
    except (ValueError, TypeError):
        return
    raise AssertionError("a negative number of merges was accepted")
    ### END SOLUTION
