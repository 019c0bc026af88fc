"""Two tokenisers with one interface: byte-pair encoding by the library ``tokenizers``, and the learner's own.

Both read texts as `normalised` gives them.
"""

import json

from solutions import UNK
from solutions.given import normalised
from solutions.tokens import SPECIALS, bpe_decode, bpe_encode, train_bpe
from solutions.translator.errors import BadInput


def tokenizers_library():
    """The package ``tokenizers``, which only this tokeniser needs."""
    try:
        import tokenizers
    except ImportError:
        raise BadInput(
            "The package tokenizers is missing: run `pip install tokenizers`, or choose --tokenizer own."
        ) from None
    return tokenizers


class LibraryBPE:
    """Byte-pair encoding of the ``tokenizers`` library, one vocabulary for both languages."""

    kind = "bpe"

    def __init__(self, saved):
        """From what `saved` returned."""
        self.inner = tokenizers_library().Tokenizer.from_str(saved)
        self.inner.encode_special_tokens = True  # "<eos>" in a text is five characters

    @classmethod
    def train(cls, texts, vocab_size):
        """Learn a vocabulary of at most ``vocab_size`` tokens from some texts."""
        library = tokenizers_library()
        inner = library.Tokenizer(library.models.BPE(unk_token=SPECIALS[UNK]))
        inner.pre_tokenizer = library.pre_tokenizers.ByteLevel(add_prefix_space=True)
        inner.decoder = library.decoders.ByteLevel()
        trainer = library.trainers.BpeTrainer(vocab_size=vocab_size, special_tokens=list(SPECIALS), show_progress=False)
        inner.train_from_iterator(map(normalised, texts), trainer)
        return cls(inner.to_str())

    def __len__(self):
        return self.inner.get_vocab_size()

    def encode_all(self, texts):
        """The ids of every text."""
        return [encoding.ids for encoding in self.inner.encode_batch(list(map(normalised, texts)))]

    def decode(self, ids):
        """The text of some ids."""
        return self.inner.decode(ids).strip()

    def ends(self, text):
        """For every token of a text the index of its last character."""
        return [end - 1 for _, end in self.inner.encode(normalised(text)).offsets]

    def saved(self):
        """A string from which it can be built again."""
        return self.inner.to_str()


class OwnBPE:
    """The byte-pair encoding of `solutions.tokens`; its ids come after those of the special tokens."""

    kind = "own"

    def __init__(self, saved):
        """From what `saved` returned."""
        self.merges = [(bytes.fromhex(left), bytes.fromhex(right)) for left, right in json.loads(saved)]

    @classmethod
    def train(cls, texts, vocab_size):
        """Learn a vocabulary of at most ``vocab_size`` tokens from some texts."""
        if vocab_size < len(SPECIALS) + 256:
            raise BadInput(f"--vocab-size is {vocab_size}, but special tokens and single bytes alone are 260.")
        merges = train_bpe("\n".join(map(normalised, texts)), vocab_size - len(SPECIALS) - 256)
        return cls(json.dumps([(left.hex(), right.hex()) for left, right in merges]))

    def __len__(self):
        return len(SPECIALS) + 256 + len(self.merges)

    def encode_all(self, texts):
        """The ids of every text; all texts go through one call, since words repeat."""
        lines: list[list[int]] = [[]]
        for index in bpe_encode("\n".join(map(normalised, texts)), self.merges):
            if index == ord("\n"):
                lines.append([])
            else:
                lines[-1].append(len(SPECIALS) + index)
        return lines if texts else []

    def decode(self, ids):
        """The text of some ids; special tokens have none."""
        return bpe_decode([index - len(SPECIALS) for index in ids if index >= len(SPECIALS)], self.merges)

    def ends(self, text):
        """For every token of a text the index of its last character."""
        ids = [index - len(SPECIALS) for index in self.encode_all([text])[0]]
        return [max(len(bpe_decode(ids[: count + 1], self.merges)) - 1, 0) for count in range(len(ids))]

    def saved(self):
        """A string from which it can be built again."""
        return json.dumps([(left.hex(), right.hex()) for left, right in self.merges])


TOKENIZERS: dict = {"bpe": LibraryBPE, "own": OwnBPE}
