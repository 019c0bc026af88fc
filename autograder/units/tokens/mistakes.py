"""Wrong implementations of the tasks of tokens, each with the misconception behind it.

Per task the most specific come first: when two would give the same results, the first is named.
"""

import re
import unicodedata
from collections import Counter

from autograder.course.catalogue import edit, mistake
from solutions.tokens import GPT2_SPLIT
from solutions.tokens import bpe_encode as right_bpe_encode

# ---------------------------------------------------------------------------------------------------------------------
# Vocabulary: what is not written out is inherited, and right


mistake(
    "tokens.Vocabulary",
    "no-special-tokens",
    edit("[*SPECIALS, *tokens]", "list(tokens)"),
    section="vocabulary-specials",
    why="The words got the ids from 0 up, and the special tokens got none. Then id 0 is a word and padding at once, "
    "and there is no id for an unknown word.",
    hint="Your first word has the id 0, which is padding everywhere in this course. Put the four special tokens first, "
    "so that words begin at 4.",
)

mistake(
    "tokens.Vocabulary",
    "specials-at-the-end",
    edit("[*SPECIALS, *tokens]", "[*tokens, *SPECIALS]"),
    section="vocabulary-specials",
    why="The special tokens come after the words. Their ids then depend on the number of words, while every mask and "
    "every loss of the course expects padding to be 0.",
    hint="Your special tokens have the last ids. They must be 0, 1, 2 and 3 in every vocabulary, however large it is.",
)

mistake(
    "tokens.Vocabulary",
    "unknown-before-padding",
    edit("[*SPECIALS, *tokens]", '["<unk>", "<pad>", "<bos>", "<eos>", *tokens]'),
    section="vocabulary-specials",
    why="The special tokens come in another order, with the unknown token first. Other libraries do that, but ids are "
    "only a convention as long as everybody keeps the same one.",
    hint="Your id 0 is the unknown token and 1 is padding, as in some libraries. This course has PAD, UNK, BOS, EOS = "
    "0, 1, 2, 3.",
)

mistake(
    "tokens.Vocabulary",
    "alphabetical-ids",
    edit("tokens.sort(key=lambda token: (-counts[token], token))", "tokens.sort()"),
    section="vocabulary-order",
    why="The tokens were sorted by their spelling alone. The order by frequency is what lets a limit on the size keep "
    "the words that matter.",
    hint="Your ids follow the alphabet, not the frequency. Count first, put the most frequent token first, and use the "
    "spelling only between equals.",
)

mistake(
    "tokens.Vocabulary",
    "rarest-first",
    edit("(-counts[token], token)", "(counts[token], token)"),
    section="vocabulary-order",
    why="The tokens were sorted by rising frequency. A limit on the size would then keep the rarest words and throw "
    "away the ones that every sentence needs.",
    hint="Your rarest token has the id 4. The most frequent one comes first: sort by the negative count, and then by "
    "the token.",
)

mistake(
    "tokens.Vocabulary",
    "cut-before-sorting",
    edit(
        "tokens.sort(key=lambda token: (-counts[token], token))",
        """
        tokens = tokens if max_size is None else tokens[: max_size - len(SPECIALS)]
        tokens.sort(key=lambda token: (-counts[token], token))
        """,
    ),
    edit("cls(tokens if max_size is None else tokens[: max_size - len(SPECIALS)], tokenize)", "cls(tokens, tokenize)"),
    section="vocabulary-order",
    why="The limit on the size was applied in the order in which tokens appeared, and what was left was sorted. "
    "Frequent words that appear late are lost in this way.",
    hint="With max_size you keep the tokens that appear first, not the most frequent ones. Sort, then cut.",
)

mistake(
    "tokens.Vocabulary",
    "ties-by-appearance",
    edit("(-counts[token], token)", "-counts[token]"),
    section="vocabulary-order",
    why="Equally frequent tokens kept the order in which they appeared, which is what Counter.most_common does. The "
    "same sentences in another order would then give other ids.",
    hint="Among tokens that are equally frequent, yours come in the order of their first appearance. The order of the "
    "texts must not matter: compare the tokens themselves.",
)

mistake(
    "tokens.Vocabulary",
    "ties-reversed",
    edit("key=lambda token: (-counts[token], token)", "key=lambda token: (counts[token], token), reverse=True"),
    section="vocabulary-order",
    why="Count and token were sorted together with reverse=True. That turns the order of equally frequent tokens round "
    "as well, so that z comes before a.",
    hint="Your equally frequent tokens come in falling order. reverse=True reverses the whole key; negate the count "
    "instead.",
)

mistake(
    "tokens.Vocabulary",
    "ties-without-case",
    edit("(-counts[token], token)", "(-counts[token], token.lower(), token)"),
    section="vocabulary-order",
    why="Equally frequent tokens were compared in lower case. Code-point order is plain string comparison, in which "
    "every ASCII capital comes before every small letter.",
    hint="Among equally frequent tokens you ignore capitals. Code-point order is what `<` does to strings: 'Z' comes "
    "before 'a'.",
)

mistake(
    "tokens.Vocabulary",
    "lower-cased",
    edit(
        "if max_size is not None and max_size < len(",
        "texts = [text.lower() for text in texts]\nif max_size is not None and max_size < len(",
    ),
    section="vocabulary-specials",
    why="The texts were turned into lower case first. That throws away a distinction that nobody asked to drop: 'Bill' "
    "and 'bill' are two tokens, and decoding cannot bring the capital back.",
    hint="Your vocabulary has no capitals. Whether case matters is for `tokenize` to decide; take its tokens as they "
    "are.",
)

mistake(
    "tokens.Vocabulary",
    "counts-texts",
    edit("for token in tokenize(text))", "for token in set(tokenize(text)))"),
    section="vocabulary-order",
    why="Each text counts a token once, however often it occurs in it. That is the document frequency of search "
    "engines; this vocabulary is ordered by the number of occurrences.",
    hint="You count in how many texts a token occurs, perhaps through a set. Count every occurrence.",
)

mistake(
    "tokens.Vocabulary",
    "max-size-without-specials",
    edit(
        "if max_size is not None and max_size < len(",
        "max_size = max_size if max_size is None else max_size + 4\nif max_size is not None and max_size < len(",
    ),
    section="vocabulary-order",
    why="max_size was applied to the words alone, so the vocabulary is four larger. The embedding table that is built "
    "for max_size rows would be too small.",
    hint="With max_size your vocabulary is four tokens too large: the special ones count as well.",
)

mistake(
    "tokens.Vocabulary",
    "max-size-ignored",
    edit("if max_size is not None and max_size < len(", "max_size = None\nif max_size is not None and max_size < len("),
    section="vocabulary-order",
    why="max_size has no effect. Natural text has a very long tail of rare words, and each costs a row of the "
    "embedding table.",
    hint="Your vocabulary is larger than max_size. Cut it after sorting, so that the rarest tokens go.",
)

mistake(
    "tokens.Vocabulary",
    "min-freq-exclusive",
    edit(
        "if max_size is not None and max_size < len(",
        "min_freq = min_freq + 1\nif max_size is not None and max_size < len(",
    ),
    section="vocabulary-order",
    why="Only tokens that occur more often than min_freq were kept. min_freq is the smallest frequency that is still "
    "enough, so with the default of 1 every token that occurs belongs in.",
    hint="A token that occurs exactly min_freq times is missing; use >=.",
)

mistake(
    "tokens.Vocabulary",
    "min-freq-ignored",
    edit("if max_size is not None and max_size < len(", "min_freq = 1\nif max_size is not None and max_size < len("),
    section="vocabulary-order",
    why="min_freq has no effect. A word that occurs once in a whole corpus has one example to learn its vector from, "
    "which is why such words are left out.",
    hint="Tokens that occur less often than min_freq are still in your vocabulary.",
)

mistake(
    "tokens.Vocabulary",
    "min-freq-two-by-default",
    edit(
        "def from_texts(cls, texts, tokenize=str.split, min_freq=1, max_size=None):",
        "def from_texts(cls, texts, tokenize=str.split, min_freq=2, max_size=None):",
    ),
    section="vocabulary-order",
    why="Without a min_freq every token that occurs belongs to the vocabulary. A default of 2, as in some tutorials, "
    "drops words that nobody asked to drop.",
    hint="Tokens that occur once are missing although no min_freq was given. Its default is 1, which leaves out "
    "nothing.",
)

mistake(
    "tokens.Vocabulary",
    "texts-joined-first",
    edit(
        "if max_size is not None and max_size < len(",
        'texts = [" ".join(texts)]\nif max_size is not None and max_size < len(',
    ),
    section="vocabulary-order",
    why="All texts were joined by spaces and cut as one. The spaces in between are in no text, and a tokenize that "
    "does not cut at spaces counts them, or puts the end of one text and the start of the next into one token.",
    hint="Your counts change where two texts meet: you join the texts before you cut them. Call tokenize on each text "
    "by itself.",
)

mistake(
    "tokens.Vocabulary",
    "special-counted-again",
    edit(" and token not in SPECIALS", ""),
    section="vocabulary-specials",
    why="A token of the texts that spells a special one, such as <unk>, got a second id. Then two ids decode to the "
    "same string, and the dictionary knows only one of them.",
    hint="Your vocabulary holds a special token twice when it occurs in the texts. Leave out what is already there.",
)

mistake(
    "tokens.Vocabulary",
    "specials-of-the-text-unknown",
    edit("self.token_to_id.get(token, UNK)", "1 if token in SPECIALS else self.token_to_id.get(token, 1)"),
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[2] * add_bos + ids + [3] * add_eos"),
    section="unknown-tokens",
    why="A special token that is spelled in an encoded text became unknown. The contract of this vocabulary is simple: "
    "whatever it has an id for gets that id.",
    hint="When a text contains '<eos>' as a token, you give it UNK. The special tokens have entries like any other, so "
    "look them up in the same way.",
)

mistake(
    "tokens.Vocabulary",
    "tokenize-ignored",
    edit(
        "if max_size is not None and max_size < len(",
        "tokenize = str.split\nif max_size is not None and max_size < len(",
    ),
    section="vocabulary-specials",
    why="Texts are always cut at white space, whatever `tokenize` says. A vocabulary of characters then holds words.",
    hint="Your vocabulary holds words although another `tokenize` was given. Call that function wherever a text is "
    "cut.",
)

mistake(
    "tokens.Vocabulary",
    "tokenize-forgotten",
    edit(
        "self.token_to_id.get(token, UNK) for token in self._tokenize(text)",
        "self.token_to_id.get(token, 1) for token in text.split()",
    ),
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[2] * add_bos + ids + [3] * add_eos"),
    section="unknown-tokens",
    why="`tokenize` builds the vocabulary, but encode cuts at white space again. The two must agree, or hardly "
    "anything that encode looks up is there.",
    hint="With another `tokenize` your encode finds only unknown tokens: it still splits at white space. Keep the "
    "function that from_texts was given.",
)

mistake(
    "tokens.Vocabulary",
    "unknown-is-an-error",
    edit("ids = [self.token_to_id.get(token, UNK) for token in self._tokenize(text)]", ""),
    edit(
        "[BOS] * add_bos + ids + [EOS] * add_eos",
        "[2] * add_bos + [self.token_to_id[token] for token in self._tokenize(text)] + [3] * add_eos",
    ),
    section="unknown-tokens",
    why="A token that is not in the vocabulary ends in a KeyError. Text from outside always contains words that were "
    "not in the training text; that is what UNK is for.",
    hint="encode raises KeyError for a token that it does not know. Give it the id UNK: dict.get takes a default.",
)

mistake(
    "tokens.Vocabulary",
    "unknown-dropped",
    edit(
        "[self.token_to_id.get(token, UNK) for token in self._tokenize(text)]",
        "[self.token_to_id[token] for token in self._tokenize(text) if token in self.token_to_id]",
    ),
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[2] * add_bos + ids + [3] * add_eos"),
    section="unknown-tokens",
    why="Unknown tokens were left out. The model is then not even told that something stood there, and 'is not good' "
    "may become 'is good'.",
    hint="Your encode leaves out tokens that it does not know, so the list is too short. Put UNK in their place.",
)

mistake(
    "tokens.Vocabulary",
    "unknown-is-padding",
    edit("ids = [self.token_to_id.get(token, UNK) for token in self._tokenize(text)]", ""),
    edit(
        "[BOS] * add_bos + ids + [EOS] * add_eos",
        "[2] * add_bos + [self.token_to_id.get(one, 0) for one in self._tokenize(text)] + [3] * add_eos",
    ),
    section="unknown-tokens",
    why="Unknown tokens got the id of padding. Masks and losses ignore padding, so every unknown word would be hidden "
    "from the model.",
    hint="Your unknown tokens get the id 0, which is padding and will be masked. Use UNK.",
)

mistake(
    "tokens.Vocabulary",
    "vocabulary-grows",
    edit(
        "ids = [self.token_to_id.get(",
        """
        for token in self._tokenize(text):
            if token not in self.token_to_id:
                self.token_to_id[token] = len(self.id_to_token)
                self.id_to_token.append(token)
        ids = [self.token_to_id.get(
        """,
    ),
    section="unknown-tokens",
    why="encode gives an unknown token a new id. The embedding table has a fixed number of rows, so the first new id "
    "is out of its range, and what the ids mean depends on what was encoded before.",
    hint="Your encode invents ids for unknown tokens. After from_texts the vocabulary is fixed; what it lacks is UNK.",
)

mistake(
    "tokens.Vocabulary",
    "bos-and-eos-always",
    edit(
        "def encode(self, text, add_bos=False, add_eos=False):",
        "def encode(self, text, add_bos=True, add_eos=True):",
    ),
    section="vocabulary-specials",
    why="BOS and EOS are added to every text. A decoder's input has a BOS and no EOS, and a source sentence may need "
    "neither, so the caller has to say.",
    hint="Your encode adds BOS and EOS without being asked: add_bos and add_eos are False by default.",
)

mistake(
    "tokens.Vocabulary",
    "bos-and-eos-swapped",
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[EOS] * add_bos + ids + [BOS] * add_eos"),
    section="vocabulary-specials",
    why="A text begins with EOS and ends with BOS. A model trained on that would learn to stop before it has started.",
    hint="You put EOS (3) in front and BOS (2) behind. B is for beginning.",
)

mistake(
    "tokens.Vocabulary",
    "decode-without-spaces",
    edit('" ".join', '"".join'),
    section="decoding-words",
    why="The tokens were joined without anything between them. Cutting at white space has removed the spaces, so they "
    "have to be put back.",
    hint="Your decoded tokens run into one another. Join them with a single space.",
)

mistake(
    "tokens.Vocabulary",
    "special-tokens-kept",
    edit("for index in ids:", "skip_special = False\nfor index in ids:"),
    section="decoding-words",
    why="skip_special has no effect, and the decoded text holds <bos> and <eos>. They are marks for the model and no "
    "part of the sentence.",
    hint="Your decoded text shows special tokens although skip_special is True.",
)

mistake(
    "tokens.Vocabulary",
    "special-tokens-always-dropped",
    edit("for index in ids:", "skip_special = True\nfor index in ids:"),
    section="decoding-words",
    why="Special tokens are dropped even with skip_special=False. That is the call with which one looks at what the "
    "model was really given.",
    hint="With skip_special=False your decode still hides the special tokens.",
)

mistake(
    "tokens.Vocabulary",
    "unknown-kept",
    edit(
        "for index in ids:",
        """
        kept = [index for index in ids if not (skip_special and index in (0, 2, 3))]
        ids, skip_special = kept, False
        for index in ids:
        """,
    ),
    section="decoding-words",
    why="skip_special drops padding, BOS and EOS but shows <unk>. Here all four are special, and the argument means "
    "all of them.",
    hint="Your decoded text still contains <unk>. skip_special=True drops all four special tokens.",
)

mistake(
    "tokens.Vocabulary",
    "only-padding-dropped",
    edit(
        "for index in ids:",
        "ids, skip_special = [index for index in ids if index or not skip_special], False\nfor index in ids:",
    ),
    section="decoding-words",
    why="skip_special drops padding alone. BOS, EOS and the unknown token are special tokens as well.",
    hint="Your decoded text still contains <bos>, <eos> or <unk>. skip_special=True drops all four special tokens.",
)

mistake(
    "tokens.Vocabulary",
    "brackets-are-special",
    edit("index in (PAD, UNK, BOS, EOS)", 'self.id_to_token[index].startswith("<")'),
    section="decoding-words",
    why="Special tokens were recognised by their spelling, as whatever begins with an angle bracket. A text may hold "
    "such tokens itself, and they are words like others.",
    hint="Your decode drops tokens like <b>, which are ordinary words. Special are the ids 0 to 3 and no other.",
)

mistake(
    "tokens.Vocabulary",
    "blank-tokens-dropped",
    edit(
        'return " ".join(self.id_to_token[index] for index in kept)',
        'return " ".join(" ".join(self.id_to_token[index] for index in kept).split())',
    ),
    section="decoding-words",
    why="Tokens that consist of white space were left out of the text. With tokenize=list a space is a token like any "
    "other.",
    hint="Where a token is itself a space, your decode loses it. Join all tokens that are not special, and tidy up "
    "nothing.",
)

mistake(
    "tokens.Vocabulary",
    "ids-changed",
    edit(
        'return " ".join(self.id_to_token[index] for index in kept)',
        """
        for special in range(4):
            while skip_special and special in ids:
                ids.remove(special)
        return " ".join(self.id_to_token[index] for index in kept)
        """,
    ),
    section="decoding-words",
    why="The special tokens were removed from the list that was passed in. It belongs to the caller, who still wants "
    "to know where the text ended.",
    hint="After your decode the caller's list of ids is shorter. Build a new list instead of removing from the one "
    "that you were given.",
)

mistake(
    "tokens.Vocabulary",
    "stops-at-eos",
    edit(
        "for index in ids:",
        "ids = list(ids)\nids = ids[: ids.index(3)] if skip_special and 3 in ids else ids\nfor index in ids:",
    ),
    section="decoding-words",
    why="Decoding stops at the first EOS. Where to stop is decided by the code that generates a text; decode spells "
    "out every id that it is given.",
    hint="Your decode drops everything after the first EOS. Leave out the special tokens and go on.",
)

mistake(
    "tokens.Vocabulary",
    "negative-ids-accepted",
    edit("if not 0 <= index < len(self):", "if index >= len(self):"),
    section="decoding-words",
    why="Only ids that are too large are refused. A negative id counts from the end of a Python list, so -1 silently "
    "decodes to the rarest word.",
    hint="decode accepts -1 and returns the last token, because Python lists count negative positions from the end. An "
    "id below 0 must raise ValueError, too.",
)

mistake(
    "tokens.Vocabulary",
    "index-error",
    edit(
        """
        for index in ids:
            if not 0 <= index < len(self):
                raise ValueError(f"ids must lie between 0 and {len(self) - 1}, but one is {index}.")
        """,
        "",
    ),
    section="decoding-words",
    why="An id out of range ends in the IndexError of the list, and a negative one in no error at all. The message "
    "should say which id it was and which ones are allowed.",
    hint="For an id out of range your decode raises IndexError, or nothing if the id is negative. Test the range "
    "yourself and raise ValueError.",
)

mistake(
    "tokens.Vocabulary",
    "out-of-range-is-unknown",
    edit("for index in ids:", "ids = [index if 0 <= index < len(self) else 1 for index in ids]\nfor index in ids:"),
    section="decoding-words",
    why="An id out of range decodes to the unknown token, or to nothing. UNK stands for a word that is not in the "
    "vocabulary; an id that is not in it means that two vocabularies were mixed up.",
    hint="decode accepts ids that the vocabulary does not have. That is a sign of the wrong vocabulary, so raise "
    "ValueError.",
)

mistake(
    "tokens.Vocabulary",
    "padding-read-as-unknown",
    edit("self.token_to_id.get(token, UNK)", "self.token_to_id.get(token) or 1"),
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[2] * add_bos + ids + [3] * add_eos"),
    section="unknown-tokens",
    why="The unknown token stands in wherever the dictionary's answer counts as false, and the id 0 does. So the "
    "padding token, which has an id, is encoded as unknown.",
    hint="`<pad>` in a text becomes unknown, though it has the id 0: `get(token) or UNK` takes 0 for nothing found. "
    "Write `get(token, UNK)`.",
)

mistake(
    "tokens.Vocabulary",
    "encodes-in-lower-case",
    edit("ids = [self.token_to_id.get(", "text = text.lower()\nids = [self.token_to_id.get("),
    section="vocabulary-specials",
    why="The texts were taken as they are, and what is encoded is turned into lower case first. A token with a capital "
    "is then never found, and one without stands in for it.",
    hint="`encode` turns the text into lower case, and `from_texts` did not. Cut a text in the same way in both, with "
    "`tokenize` alone.",
)

mistake(
    "tokens.Vocabulary",
    "tokenize-shared-by-all",
    edit(
        "if max_size is not None and max_size < len(",
        "cls.cut = staticmethod(tokenize)\nif max_size is not None and max_size < len(",
    ),
    edit(
        "self.token_to_id.get(token, UNK) for token in self._tokenize(text)",
        "self.token_to_id.get(token, 1) for token in self.cut(text)",
    ),
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[2] * add_bos + ids + [3] * add_eos"),
    section="vocabulary-specials",
    why="The function that cuts texts was kept on the class. The vocabulary that is built last then decides how all of "
    "them cut, and a translation model has two.",
    hint="Your first vocabulary cuts as the second one does: `tokenize` is kept on the class, which all objects share. "
    "Keep it on the object that `from_texts` returns.",
)

mistake(
    "tokens.Vocabulary",
    "shared-by-all",
    edit("self.id_to_token = [*SPECIALS, *tokens]", "Vocabulary.id_to_token = [*SPECIALS, *tokens]"),
    edit(
        "self.token_to_id = {token: index for index, token in enumerate(self.id_to_token)}",
        "Vocabulary.token_to_id = {token: index for index, token in enumerate(self.id_to_token)}",
    ),
    section="vocabulary-specials",
    why="The list and the dictionary belong to the class, not to the object. Each new vocabulary then replaces those "
    "of all earlier ones, and a translation model has two.",
    hint="Your first vocabulary changes when a second one is built. What is assigned to the class is shared by all its "
    "objects: assign to `self`, or to the object that from_texts returns.",
)


# ---------------------------------------------------------------------------------------------------------------------
# train_bpe


mistake(
    "tokens.train_bpe",
    "ties-to-the-first-seen",
    edit("lambda pair: (counts[pair], pair)", "counts.get"),
    base="parts-replaced-in-the-lists",
    section="bpe-ties",
    why="Of equally frequent pairs the one that was met first was merged, which is what max or most_common do with "
    "counts alone. The same words in another order would then give other merges.",
    hint="Your merges are right until two pairs are equally frequent; then you take the one that came first in the "
    "text. Compare (count, pair), so that the greater pair wins.",
)

mistake(
    "tokens.train_bpe",
    "ties-to-the-smaller",
    edit("max(counts, key=lambda pair: (counts[pair], pair))", "min(counts, key=lambda pair: (-counts[pair], pair))"),
    base="parts-replaced-in-the-lists",
    section="bpe-ties",
    why="Of equally frequent pairs the lexicographically smaller one was merged. Either rule would do, but two "
    "programs that choose differently learn different tokens.",
    hint="Your merges are right until two pairs are equally frequent; then you take the smaller one. Here ties go to "
    "the greater pair.",
)

mistake(
    "tokens.train_bpe",
    "ties-by-joined-bytes",
    edit("(counts[pair], pair)", "(counts[pair], pair[0] + pair[1], pair)"),
    base="parts-replaced-in-the-lists",
    section="bpe-ties",
    why="Equally frequent pairs were compared by the bytes that they make together. A pair is compared part by part: "
    "(b'ab', b'a') is greater than (b'a', b'bz'), although b'aba' is smaller than b'abz'.",
    hint="Your merges differ in a tie between pairs whose left parts differ in length: you compare the joined bytes. "
    "Compare the pairs as tuples, left part first.",
)

_PARTS_AS_IDS = (
    edit(
        "pieces = [[bytes([byte]) for byte in piece.encode()] for piece in GPT2_SPLIT.findall(text)]",
        """
        pieces = [list(piece.encode()) for piece in GPT2_SPLIT.findall(text)]
        spelled = [bytes([byte]) for byte in range(256)]
        """,
    ),
    edit(
        """
        for parts in pieces:
            for i in range(len(parts)):
                if tuple(parts[i : i + 2]) == best:
                    parts[i : i + 2] = [best[0] + best[1]]
        """,
        """
        for parts in pieces:
            for i in range(len(parts)):
                if tuple(parts[i : i + 2]) == best:
                    parts[i : i + 2] = [len(spelled)]
        spelled.append(spelled[best[0]] + spelled[best[1]])
        """,
    ),
)

mistake(
    "tokens.train_bpe",
    "ties-by-id",
    *_PARTS_AS_IDS,
    edit("merges.append(best)", "merges.append((spelled[best[0]], spelled[best[1]]))"),
    base="parts-replaced-in-the-lists",
    section="bpe-ties",
    why="Equally frequent pairs were compared by ids instead of bytes. What was merged later has a greater id, "
    "whatever its bytes are, so merged tokens always win.",
    hint="Your merges differ in a tie that involves a merged token: you compare ids, where every merged token is "
    "greater than every byte. Compare the bytes.",
)

mistake(
    "tokens.train_bpe",
    "text-not-cut",
    edit(
        "[[bytes([byte]) for byte in piece.encode()] for piece in GPT2_SPLIT.findall(text)]",
        "[[bytes([byte]) for byte in text.encode()]]",
    ),
    base="parts-replaced-in-the-lists",
    section="pre-tokens",
    why="Pairs were counted in the whole text, without cutting it first. Tokens then grow across the spaces, and 'of "
    "the' or 'dog.' become tokens of their own.",
    hint="You merge pairs that lie in two different pieces of the text. Cut it with GPT2_SPLIT first, and count inside "
    "each piece.",
)

mistake(
    "tokens.train_bpe",
    "cut-at-white-space",
    edit("GPT2_SPLIT.findall(text)", "text.split()"),
    base="parts-replaced-in-the-lists",
    section="pre-tokens",
    why="The text was cut with split(), which throws the spaces away and leaves punctuation on the words. A byte-level "
    "tokenizer keeps every byte: the space belongs to the word that follows it.",
    hint="No merge of yours contains a space, and punctuation is merged with words. Cut with GPT2_SPLIT, which keeps "
    "the space in front of a word, and not with split().",
)

mistake(
    "tokens.train_bpe",
    "pieces-stripped",
    edit("piece.encode", "piece.strip().encode"),
    section="pre-tokens",
    why="The pieces were stripped of their spaces. The space in front of a word is part of it: without it, decoding "
    "cannot know where the words were apart.",
    hint="No merge of yours contains a space. Leave the pieces of GPT2_SPLIT as they are: ' the' begins with one.",
)

mistake(
    "tokens.train_bpe",
    "lower-cased",
    edit("GPT2_SPLIT.findall(text)", "GPT2_SPLIT.findall(text.lower())"),
    base="parts-replaced-in-the-lists",
    section="pre-tokens",
    why="The text was turned into lower case before it was cut. A byte-level tokenizer keeps every byte, or decoding "
    "could not return the text.",
    hint="No merge of yours holds a capital. Take the text as it is.",
)

mistake(
    "tokens.train_bpe",
    "line-ends-lost",
    edit("GPT2_SPLIT.findall(text)", "[one for line in text.splitlines() for one in GPT2_SPLIT.findall(line)]"),
    base="parts-replaced-in-the-lists",
    section="pre-tokens",
    why="The text was read line by line, and the line ends were dropped. They are bytes of the text like any other, "
    "and a run of them is a piece that can be merged.",
    hint="No merge of yours holds a line end, because splitlines() has removed them. Cut the whole text with "
    "GPT2_SPLIT.",
)

mistake(
    "tokens.train_bpe",
    "line-ends-changed",
    edit("GPT2_SPLIT.findall(text)", 'GPT2_SPLIT.findall(text.replace("\\r\\n", "\\n"))'),
    section="words-characters-bytes",
    why="Every '\\r\\n' was turned into '\\n' before training. The bytes that were there are then never merged, and "
    "texts with such line ends need twice the tokens for them.",
    hint="Your merges never contain the byte of '\\r'. Change nothing in the text: byte-pair encoding takes every byte "
    "as it comes.",
)

mistake(
    "tokens.train_bpe",
    "characters-not-bytes",
    edit("[bytes([byte]) for byte in piece.encode()]", "[piece.encode() for piece in piece]"),
    section="words-characters-bytes",
    why="The pieces were taken apart into characters instead of bytes. For English that is the same, but 'ß' is one "
    "character and two bytes, and a merge of bytes has to put them together first.",
    hint="Your merges differ where the text is not ASCII: you begin with characters, of which there are a hundred "
    "thousand. Encode each piece as UTF-8 and begin with single bytes.",
)

mistake(
    "tokens.train_bpe",
    "end-of-word-marker",
    edit("[bytes([byte]) for byte in piece.encode()]", '[*(bytes([byte]) for byte in piece.encode()), b"</w>"]'),
    section="pre-tokens",
    why="Each piece got a mark for the end of the word, as in the paper of 2016. On bytes there is no spare symbol for "
    "it and no need: the space in front of a word marks its beginning.",
    hint="Your merges contain '</w>', which stands nowhere in the text. Byte-level pairs need no mark, because the "
    "pieces keep their spaces.",
)

mistake(
    "tokens.train_bpe",
    "each-word-once",
    edit("GPT2_SPLIT.findall(text)", "sorted(set(GPT2_SPLIT.findall(text)))"),
    base="parts-replaced-in-the-lists",
    section="counting-pairs",
    why="Each different piece was counted once. A word that occurs a hundred times should weigh a hundred times as "
    "much as one that occurs once.",
    hint="Your counts forget how often a word occurs; you probably went through a set or the keys of a Counter. "
    "Multiply by the frequency of the piece.",
)

mistake(
    "tokens.train_bpe",
    "pair-once-per-word",
    edit("zip(parts, parts[1:])", "set(zip(parts, parts[1:]))"),
    section="counting-pairs",
    why="A pair that occurs several times in one piece was counted once there. In 'banana' the pair 'an' occurs twice.",
    hint="You count in how many pieces a pair occurs. Count every position: 'an' stands twice in 'banana'.",
)

mistake(
    "tokens.train_bpe",
    "overlaps-counted-once",
    edit(
        "counts = Counter(pair for parts in pieces for pair in zip(parts, parts[1:]))",
        """
        counts = Counter()
        for parts in pieces:
            last = None
            for pair in zip(parts, parts[1:]):
                if pair == last:
                    last = None
                else:
                    counts[pair] += 1
                    last = pair if pair[0] == pair[1] else None
        """,
    ),
    base="parts-replaced-in-the-lists",
    section="counting-pairs",
    why="Overlapping pairs were counted once, as bytes.count does: in 'aaa' the pair 'aa' was found at one position. "
    "Here every position counts, so 'aaa' holds it twice.",
    hint="In a run of equal bytes you count the pair too seldom. Go through all neighbours: 'aaa' has two positions "
    "where 'a' follows 'a'.",
)

mistake(
    "tokens.train_bpe",
    "merged-from-right-to-left",
    edit("for i in range(len(parts)):", "i = len(parts) - 2\nwhile i >= 0:"),
    edit(
        "if tuple(parts[i : i + 2]) == best:\n    parts[i : i + 2] = [best[0] + best[1]]",
        """
        if tuple(parts[i : i + 2]) == best:
            parts[i : i + 2] = [best[0] + best[1]]
            i -= 1
        i -= 1
        """,
    ),
    base="parts-replaced-in-the-lists",
    section="left-to-right",
    why="Each pair was merged from the end of the piece to its start. In 'aaa' that leaves a single 'a' in front "
    "instead of behind, and the next merges differ.",
    hint="In a run of equal bytes you merge from the right: 'aaa' becomes a|aa. Go from left to right, which gives "
    "aa|a.",
)

mistake(
    "tokens.train_bpe",
    "first-position-only",
    edit("parts[i : i + 2] = [best[0] + best[1]]", "parts[i : i + 2] = [best[0] + best[1]]\nbreak"),
    base="parts-replaced-in-the-lists",
    section="left-to-right",
    why="In each piece only the first position of the pair was merged. A merge replaces the pair wherever it stands.",
    hint="After a merge, the pair is still there in words that hold it twice, such as 'banana', and you learn it "
    "again. Go on to the end of the piece.",
)

mistake(
    "tokens.train_bpe",
    "last-part-dropped",
    edit("for parts in pieces:", "for position, parts in enumerate(pieces):"),
    edit(
        """
        for i in range(len(parts)):
            if tuple(parts[i : i + 2]) == best:
                parts[i : i + 2] = [best[0] + best[1]]
        """,
        """
        rebuilt, i = [], 0
        while i < len(parts) - 1:
            if (parts[i], parts[i + 1]) == best:
                rebuilt.append(best[0] + best[1])
                i += 2
            else:
                rebuilt.append(parts[i])
                i += 1
        pieces[position] = rebuilt
        """,
    ),
    base="parts-replaced-in-the-lists",
    section="left-to-right",
    why="The loop that merges ends before the last part, and that part is lost. Pieces become shorter with every "
    "merge, and the counts with them.",
    hint="Pieces lose their last byte when you rebuild them. A loop over pairs ends one early: keep the last part when "
    "it was not merged.",
)


@mistake(
    "tokens.train_bpe",
    "merged-as-text",
    section="left-to-right",
    why="Pieces were written with a space between the parts, and the pair was replaced as text. That also matches "
    "where a part merely ends or begins like one of the pair: 'a b' is found inside 'ba b'.",
    hint="You merge by replacing text, so a pair is also found where it is only the end of one part and the start of "
    "another. Compare whole parts.",
)
def train_bpe(text, num_merges):
    if num_merges < 0:
        raise ValueError(f"num_merges must be 0 or more, but is {num_merges}.")
    pieces = [" ".join(f"{byte:02x}" for byte in piece.encode()) for piece in GPT2_SPLIT.findall(text)]
    merges = []
    for _ in range(num_merges):
        counts = Counter(pair for piece in pieces for pair in zip(piece.split(), piece.split()[1:]))
        if not counts:
            break
        left, right = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append((bytes.fromhex(left), bytes.fromhex(right)))
        pieces = [piece.replace(f"{left} {right}", left + right) for piece in pieces]
    return merges


@mistake(
    "tokens.train_bpe",
    "counted-once-for-all",
    section="bpe-by-hand",
    why="The pairs were counted once, at the start, and the most frequent ones returned. After a merge the neighbours "
    "are new: only by counting again can tokens grow longer than two bytes.",
    hint="All your merges are pairs of single bytes. After each merge count again, because the merged token has new "
    "neighbours.",
)
def train_bpe(text, num_merges):
    if num_merges < 0:
        raise ValueError(f"num_merges must be 0 or more, but is {num_merges}.")
    pieces = [[bytes([byte]) for byte in piece.encode()] for piece in GPT2_SPLIT.findall(text)]
    counts = Counter(pair for parts in pieces for pair in zip(parts, parts[1:]))
    return sorted(counts, key=lambda pair: (counts[pair], pair), reverse=True)[:num_merges]


mistake(
    "tokens.train_bpe",
    "stops-at-single-pairs",
    edit("not counts", "not counts or max(counts.values()) < 2"),
    section="bpe-stops",
    why="Training stops when the most frequent pair occurs once. The contract is to stop when no pair is left; a "
    "minimum frequency would be another parameter.",
    hint="You stop as soon as no pair occurs twice. Go on until every piece is one token, or num_merges is reached.",
)

mistake(
    "tokens.train_bpe",
    "error-when-nothing-is-left",
    edit("if not counts:\n    break", ""),
    base="parts-replaced-in-the-lists",
    section="bpe-stops",
    why="When no pair is left, max is called with an empty list and raises. A short text simply has fewer merges than "
    "were asked for.",
    hint="Your code raises when every piece has become a single token. Test whether there is a pair before you look "
    "for the most frequent one.",
)

mistake(
    "tokens.train_bpe",
    "negative-accepted",
    edit('if num_merges < 0:\n    raise ValueError(f"num_merges must be 0 or more, but is {num_merges}.")', ""),
    base="parts-replaced-in-the-lists",
    section="bpe-stops",
    why="A negative number of merges gives an empty list, because range(-1) is empty. It is a slip of the caller, who "
    "should be told.",
    hint="train_bpe(text, -1) returns a list. Raise ValueError, with a message that names num_merges.",
)

mistake(
    "tokens.train_bpe",
    "zero-refused",
    edit("num_merges < 0", "num_merges <= 0"),
    edit(
        'f"num_merges must be 0 or more, but is {num_merges}."',
        'f"num_merges must be positive, but is {num_merges}."',
    ),
    section="bpe-stops",
    why="num_merges=0 was refused together with the negative numbers. No merges is a valid tokenizer: every byte is a "
    "token.",
    hint="train_bpe(text, 0) raises an error. Zero merges is the empty list; only negative numbers are wrong.",
)

mistake(
    "tokens.train_bpe",
    "size-of-the-vocabulary",
    edit("range(num_merges)", "range(num_merges - 256)"),
    base="parts-replaced-in-the-lists",
    section="bpe-ids",
    why="num_merges was taken as the size of the vocabulary, so 256 fewer merges are learned. The bytes are there "
    "before the first merge and do not count.",
    hint="You learn 256 merges fewer than asked for: num_merges is the number of merges, not the size of the "
    "vocabulary.",
)

mistake(
    "tokens.train_bpe",
    "joined-instead-of-pairs",
    edit("merges.append(best)", "merges.append(best[0] + best[1])"),
    section="bpe-by-hand",
    why="The merged bytes were returned instead of the pairs. From b'abc' alone nobody can tell whether it was made of "
    "a and bc or of ab and c, which encoding has to know.",
    hint="You return what each merge makes. Return the pair, a tuple of its left and its right part.",
)

mistake(
    "tokens.train_bpe",
    "pairs-of-ids",
    *_PARTS_AS_IDS,
    edit("(counts[pair], pair)", "(counts[pair], spelled[pair[0]], spelled[pair[1]])"),
    base="parts-replaced-in-the-lists",
    section="bpe-by-hand",
    why="The pairs were returned as ids. Ids of merges mean nothing without the list that they come from, and the "
    "contract is pairs of bytes.",
    hint="You return pairs of integers. Keep the bytes of every id, and return a pair of `bytes` for each merge.",
)

mistake(
    "tokens.train_bpe",
    "ids-added-up",
    edit("[bytes([byte]) for byte in piece.encode()]", "list(piece.encode())"),
    section="bpe-by-hand",
    why="The pieces are lists of integers, since that is what iterating over `bytes` gives. Merging two parts then adds "
    "two numbers, and the pair (97, 98) becomes 195.",
    hint="Your pairs are integers, and merged ones are their sums. Iterating over `bytes` gives numbers: make each part "
    "a `bytes` of length 1, `bytes([byte])`, so that `+` joins.",
)

mistake(
    "tokens.train_bpe",
    "ties-to-the-first-seen-and-no-end",
    edit("lambda pair: (counts[pair], pair)", "counts.get"),
    edit("if not counts:\n    break", ""),
    base="parts-replaced-in-the-lists",
    section="bpe-ties",
    why="Of equally frequent pairs the one that was met first was merged, and max is called with an empty list when no "
    "pair is left. The rule for ties is the greater pair, and training ends early if it must.",
    hint="Your merges are right until two pairs are equally frequent: compare (count, pair). And stop when no pair is "
    "left.",
)


# ---------------------------------------------------------------------------------------------------------------------
# bpe_encode


mistake(
    "tokens.bpe_encode",
    "longest-token-first",
    edit("rank = {pair: i for i, pair in enumerate(merges)}", ""),
    edit("parts = [bytes([byte]) for byte in piece.encode()]", "data = piece.encode()"),
    edit("present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]", "data"),
    edit(
        "_, i = min(present)",
        """
        length = next(length for length in range(len(data), 0, -1) if data[:length] in ids)
        encoded.append(ids[data[:length]])
        """,
    ),
    edit("parts[i : i + 2] = [parts[i] + parts[i + 1]]", "data = data[length:]"),
    edit("encoded += [ids[part] for part in parts]", ""),
    base="piece-by-piece",
    section="bpe-encoding",
    why="At each position the longest known token was taken, from left to right. That is another tokenizer: BPE "
    "repeats its merges in the order in which it learned them, and may cut the same word elsewhere.",
    hint="You take the longest token that fits. Start from single bytes and apply the earliest-learned merge that is "
    "present, again and again.",
)

mistake(
    "tokens.bpe_encode",
    "leftmost-merge-first",
    edit("rank = {pair: i for i, pair in enumerate(merges)}", ""),
    edit(
        "present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]",
        "positions := [i for i in range(len(parts) - 1) if (parts[i], parts[i + 1]) in merges]",
    ),
    edit("_, i = min(present)", "i = positions[0]"),
    base="piece-by-piece",
    section="bpe-encoding",
    why="The leftmost pair that has a merge was merged, whenever that was learned. Training merged the frequent pairs "
    "first, and encoding has to do it in the same order.",
    hint="You merge the leftmost pair that you find. Among the pairs that are present, take the one that was learned "
    "first.",
)

mistake(
    "tokens.bpe_encode",
    "latest-merge-first",
    edit("rank[pair]", "-rank[pair]"),
    section="bpe-encoding",
    why="Of the merges that are present the one learned last was applied. The order of learning is the order of "
    "applying: early merges are the frequent ones, and the later ones are built on them.",
    hint="You apply the latest-learned merge first. Take the smallest index, not the largest.",
)


@mistake(
    "tokens.bpe_encode",
    "one-pass",
    section="bpe-encoding",
    why="The piece was gone through once, merging each pair that has a merge. What a merge makes can be part of "
    "another merge, so one pass is not enough.",
    hint="You stop after one pass, and only tokens of two bytes appear (or longer ones by chance). Repeat until no "
    "merge is present.",
)
def bpe_encode(text, merges):
    ids = {bytes([byte]): byte for byte in range(256)} | {a + b: 256 + i for i, (a, b) in enumerate(merges)}
    encoded = []
    for piece in GPT2_SPLIT.findall(text):
        parts, i = [bytes([byte]) for byte in piece.encode()], 0
        while i < len(parts):
            if tuple(parts[i : i + 2]) in merges:
                encoded.append(ids[parts[i] + parts[i + 1]])
                i += 2
            else:
                encoded.append(ids[parts[i]])
                i += 1
    return encoded


mistake(
    "tokens.bpe_encode",
    "one-merge-per-piece",
    edit(
        "while present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]:",
        "if present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]:",
    ),
    section="bpe-encoding",
    why="In each piece one merge was applied, at one position. Encoding goes on until no merge is present any more.",
    hint="Each piece gets one merge and no more. Look again after every merge, until none is left.",
)

mistake(
    "tokens.bpe_encode",
    "first-position-only",
    edit("rank = {pair: i for i, pair in enumerate(merges)}", ""),
    edit(
        "while present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]:",
        "for pair in merges:",
    ),
    edit("_, i = min(present)", ""),
    edit(
        "parts[i : i + 2] = [parts[i] + parts[i + 1]]",
        """
        for i in range(len(parts) - 1):
            if (parts[i], parts[i + 1]) == pair:
                parts[i : i + 2] = [parts[i] + parts[i + 1]]
                break
        """,
    ),
    base="piece-by-piece",
    section="bpe-encoding",
    why="Each merge was applied at the first position of a piece and then left. 'banana' holds 'an' twice, and both "
    "are merged.",
    hint="A pair that stands twice in a word is merged only once. Merge at every position before you go on to the next "
    "merge.",
)

mistake(
    "tokens.bpe_encode",
    "merged-from-right-to-left",
    edit("(rank[pair], i)", "(rank[pair], -i)"),
    edit("_, i = min(present)", "i = -min(present)[1]"),
    section="left-to-right",
    why="The rightmost position of a pair was merged first. In a run of equal bytes of odd length that leaves the "
    "single byte in front, where training had left it behind.",
    hint="In 'aaa' you make a|aa. Of several positions of the same pair take the leftmost first, which gives aa|a.",
)

mistake(
    "tokens.bpe_encode",
    "first-merge-taken-for-nothing",
    edit("pair in rank", "rank.get(pair)"),
    section="bpe-encoding",
    why="Whether a pair can be merged was read off its rank, and the first merge has the rank 0, which counts as "
    "false. So the merge that was learned first is never applied.",
    hint="Your code never applies merge 0: its rank, 0, counts as false. Ask `pair in rank`, or compare with `None`.",
)

mistake(
    "tokens.bpe_encode",
    "any-two-parts-that-make-a-token",
    edit("rank = {pair: i for i, pair in enumerate(merges)}", ""),
    edit(
        "[(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]",
        "[(ids[a + b], i) for i, (a, b) in enumerate(zip(parts, parts[1:])) if a + b in ids]",
    ),
    base="piece-by-piece",
    section="bpe-encoding",
    why="Two neighbours were joined whenever their bytes make a known token, whichever merge made it. BPE learned "
    "pairs: the same bytes in two other parts are no pair of its list.",
    hint="You join two parts because their bytes together are a token. Ask for the pair itself: 'a' and 'bc' are not "
    "the pair 'ab' and 'c', although both spell 'abc'.",
)

mistake(
    "tokens.bpe_encode",
    "as-many-steps-as-merges",
    edit(
        "while present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]:",
        "for _ in merges:",
    ),
    edit(
        "_, i = min(present)",
        "present = [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]",
    ),
    edit(
        "parts[i : i + 2] = [parts[i] + parts[i + 1]]",
        "if present:\n    _, i = min(present)\n    parts[i : i + 2] = [parts[i] + parts[i + 1]]",
    ),
    section="bpe-encoding",
    why="The loop runs once for each merge and joins one position at a time. A merge that stands at many positions of "
    "a long word uses up the steps of the others.",
    hint="Long words come out half merged: your loop joins one position per step and stops after as many steps as "
    "there are merges. Go on until no merge is present.",
)


@mistake(
    "tokens.bpe_encode",
    "only-ascii-letters-are-letters",
    section="pre-tokens",
    why="The text was cut with a pattern of its own that knows the letters a to z only. A letter with an accent ends a "
    "word there, and merges that training learned across it are never found.",
    hint="You cut words at letters beyond a to z, such as 'é'. Use the given GPT2_SPLIT, in which any letter of any "
    "script is one.",
)
def bpe_encode(text, merges):
    pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
    return [index for piece in re.findall(pattern, text) for index in right_bpe_encode(piece, merges)]


@mistake(
    "tokens.bpe_encode",
    "text-not-cut",
    section="pre-tokens",
    why="The merges were applied to the whole text at once. Training never saw a pair across two pieces, so encoding "
    "must not merge one either.",
    hint="You merge across the pieces of the text. Cut it with GPT2_SPLIT and encode piece by piece, as in training.",
)
def bpe_encode(text, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    ids = {bytes([byte]): byte for byte in range(256)} | {a + b: 256 + i for i, (a, b) in enumerate(merges)}
    parts = [bytes([byte]) for byte in text.encode()]
    while present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]:
        _, i = min(present)
        parts[i : i + 2] = [parts[i] + parts[i + 1]]
    return [ids[part] for part in parts]


mistake(
    "tokens.bpe_encode",
    "spaces-lost",
    edit("GPT2_SPLIT.findall(text)", "text.split()"),
    base="piece-by-piece",
    section="pre-tokens",
    why="The text was cut with split(), and the white space is gone. From such ids nobody can get the text back, which "
    "is the one thing that a byte-level tokenizer promises.",
    hint="Your ids hold no spaces. Cut with GPT2_SPLIT, whose pieces joined are the text again, and not with split().",
)

mistake(
    "tokens.bpe_encode",
    "space-added-in-front",
    edit("GPT2_SPLIT.findall(text)", 'GPT2_SPLIT.findall(" " + text)'),
    base="piece-by-piece",
    section="one-id",
    why="A space was put before the text, so that its first word looks like one inside a sentence. Some tokenizers do "
    "that, but then decoding does not return what was encoded.",
    hint="Your ids begin with a space that the text does not have. Encode the text as it is.",
)

mistake(
    "tokens.bpe_encode",
    "characters-not-bytes",
    edit(
        "ids = {bytes([byte]): byte for byte in range(256)} | {a + b: 256 + i for i, (a, b) in enumerate(merges)}",
        "",
    ),
    edit("[bytes([byte]) for byte in piece.encode()]", "[letter.encode() for letter in piece]"),
    edit(
        "encoded += [ids[part] for part in parts]",
        """
        ids = {a + b: 256 + i for i, (a, b) in enumerate(merges)}
        encoded += [ids[part] if part in ids else ord(part.decode()) for part in parts]
        """,
    ),
    base="piece-by-piece",
    section="words-characters-bytes",
    why="Single characters got the id ord(character) instead of the ids of their bytes. Beyond ASCII the two differ, "
    "and ord('€') is 8364, which is no id at all.",
    hint="Beyond ASCII your ids are the code points of characters. Ids 0 to 255 are bytes: encode the text as UTF-8 "
    "first.",
)

mistake(
    "tokens.bpe_encode",
    "unknown-characters-dropped",
    edit("piece.encode()", 'piece.encode("ascii", errors="ignore")'),
    section="words-characters-bytes",
    why="What is not ASCII was dropped. The point of starting from bytes is that nothing is unknown: every text is a "
    "sequence of the 256 bytes.",
    hint="Characters beyond ASCII are missing from your ids. Encode as UTF-8 without errors='ignore'.",
)

mistake(
    "tokens.bpe_encode",
    "words-looked-up",
    edit(
        "[ids[part] for part in parts]",
        "[ids[piece.encode()]] if piece.encode() in ids else [ids[part] for part in parts]",
    ),
    section="bpe-encoding",
    why="A piece that is a token as a whole was given its id at once. That skips the merges, and what was learned "
    "inside a longer word may not be what the merges make of the word alone.",
    hint="You look whole words up. Some libraries do that on request, but BPE applies its merges: with (b, c), (a, b), "
    "(ab, c) the word 'abc' becomes a|bc.",
)

mistake(
    "tokens.bpe_encode",
    "text-normalised",
    edit("GPT2_SPLIT.findall(text)", 'GPT2_SPLIT.findall(unicodedata.normalize("NFC", text))'),
    base="piece-by-piece",
    section="words-characters-bytes",
    why="The text was normalised, so that letters that look alike became the same code points. Decoding then returns "
    "another string than the one that was encoded.",
    hint="Your ids differ where a letter is written with a combining accent: you normalise the text. Encode it as it "
    "is.",
)

mistake(
    "tokens.bpe_encode",
    "ids-from-257",
    edit("256 + i", "257 + i"),
    section="bpe-ids",
    why="The merges were numbered from 257. The bytes are 0 to 255, so the first free id is 256.",
    hint="Your ids of merges are one too large: merge i has the id 256 + i, counting from 0.",
)

mistake(
    "tokens.bpe_encode",
    "ids-after-the-specials",
    edit(
        "{bytes([byte]): byte for byte in range(256)} | {left + right: 256 + i",
        "{bytes([byte]): byte + 4 for byte in range(256)} | {left + right: 260 + i",
    ),
    section="bpe-ids",
    why="The bytes were numbered from 4, after the special tokens. In this unit the ids of BPE are bytes and merges "
    "alone; who wants special tokens adds them behind.",
    hint="All your ids are four too large. The id of a byte is the byte itself.",
)

mistake(
    "tokens.bpe_encode",
    "tokens-instead-of-ids",
    edit(
        "ids = {bytes([byte]): byte for byte in range(256)} | {a + b: 256 + i for i, (a, b) in enumerate(merges)}",
        "",
    ),
    edit("[ids[part] for part in parts]", "parts"),
    base="piece-by-piece",
    section="bpe-ids",
    why="The bytes of each token were returned instead of its id. A model looks its embedding up by a number.",
    hint="You return pieces of bytes. Return the id of each: a byte is itself, merge i is 256 + i.",
)

mistake(
    "tokens.bpe_encode",
    "list-per-piece",
    edit("encoded += [ids[part] for part in parts]", "encoded.append([ids[part] for part in parts])"),
    base="piece-by-piece",
    section="bpe-encoding",
    why="The result has a list for each piece. A model takes one sequence of ids; where the pieces were does not "
    "matter any more.",
    hint="You return a list of lists. Put the ids of all pieces into one list: extend, not append.",
)


@mistake(
    "tokens.bpe_encode",
    "merges-used-up",
    section="bpe-encoding",
    why="Merges were taken off the list that was passed in. The next text is then encoded without them: a function "
    "must not change its arguments.",
    hint="After a call of bpe_encode the list of merges is empty, because you popped from it. Go through it without "
    "changing it.",
)
def bpe_encode(text, merges):
    ids = {bytes([byte]): byte for byte in range(256)} | {a + b: 256 + i for i, (a, b) in enumerate(merges)}
    pieces = [[bytes([byte]) for byte in piece.encode()] for piece in GPT2_SPLIT.findall(text)]
    while merges:
        pair = merges.pop(0)
        for parts in pieces:
            for i in range(len(parts)):
                if tuple(parts[i : i + 2]) == pair:
                    parts[i : i + 2] = [pair[0] + pair[1]]
    return [ids[part] for parts in pieces for part in parts]


# ---------------------------------------------------------------------------------------------------------------------
# bpe_decode


mistake(
    "tokens.bpe_decode",
    "token-by-token",
    edit(
        'return b"".join(spelled[index] for index in ids).decode("utf-8", errors="replace")',
        'return "".join(spelled[index].decode("utf-8", errors="replace") for index in ids)',
    ),
    section="bpe-decoding",
    why="Each token was decoded by itself and the strings were joined. A token may be half of a character, which is "
    "valid UTF-8 only together with the next one.",
    hint="Characters beyond ASCII come out as U+FFFD: you decode each token alone. Join the bytes of all tokens first "
    "and decode once.",
)

mistake(
    "tokens.bpe_decode",
    "invalid-bytes-raise",
    edit('"utf-8", errors="replace"', '"utf-8"'),
    section="bpe-decoding",
    why="Bytes that are no valid UTF-8 end in an error. A model may produce any sequence of ids, and a half character "
    "at the end is common while it is still writing.",
    hint="Your decode raises UnicodeDecodeError. Use errors='replace', which puts U+FFFD where bytes make no sense.",
)

mistake(
    "tokens.bpe_decode",
    "invalid-bytes-dropped",
    edit('errors="replace"', 'errors="ignore"'),
    section="bpe-decoding",
    why="Bytes that are no valid UTF-8 were dropped. Then nobody sees that something was wrong, and two different "
    "outputs of a model look alike.",
    hint="Invalid bytes vanish from your text. Use errors='replace' instead of 'ignore'.",
)

mistake(
    "tokens.bpe_decode",
    "bytes-as-characters",
    edit(
        'return b"".join(spelled[index] for index in ids).decode("utf-8", errors="replace")',
        'return "".join(chr(byte) for index in ids for byte in spelled[index])',
    ),
    section="bpe-decoding",
    why="Each byte became the character with that number (Latin-1). Beyond ASCII a character is several bytes of "
    "UTF-8, so 'é' comes out as 'Ã©'.",
    hint="You turn every byte into one character. Collect the bytes and decode them as UTF-8.",
)

mistake(
    "tokens.bpe_decode",
    "byte-order-mark-dropped",
    edit('"utf-8"', '"utf-8-sig"'),
    section="bpe-decoding",
    why="The bytes were decoded as 'utf-8-sig', which removes a byte-order mark at the start. The text had one, and "
    "decoding has to return it.",
    hint="The character U+FEFF at the start of a text gets lost. Decode as plain 'utf-8'.",
)

mistake(
    "tokens.bpe_decode",
    "joined-with-spaces",
    edit('b"".join', 'b" ".join'),
    section="bpe-decoding",
    why="The tokens were joined with spaces, as words are. Byte-level tokens carry their spaces themselves, and many "
    "tokens are parts of a word.",
    hint="There are spaces between your tokens. Join the bytes with nothing in between.",
)

mistake(
    "tokens.bpe_decode",
    "text-stripped",
    edit('.decode("utf-8", errors="replace")', '.decode("utf-8", errors="replace").strip()'),
    section="bpe-decoding",
    why="White space at the ends of the text was stripped. Decoding has to return exactly what was encoded.",
    hint="Your text has lost the white space at its ends. Return the decoded bytes as they are.",
)

mistake(
    "tokens.bpe_decode",
    "line-ends-changed",
    edit('errors="replace")', 'errors="replace").replace("\\r\\n", "\\n").replace("\\r", "\\n")'),
    section="bpe-decoding",
    why="Line ends were made uniform, as reading a file in text mode does. The ids stood for other bytes.",
    hint="A carriage return in the text became a newline. Decode the bytes with bytes.decode and change nothing.",
)

mistake(
    "tokens.bpe_decode",
    "end-of-word-marker",
    edit('errors="replace")', 'errors="replace").replace("</w>", " ")'),
    section="bpe-decoding",
    why="'</w>' was replaced by a space, as in the first byte-pair encoding for words. The byte-level one has no such "
    "marker: spaces are bytes of the text.",
    hint="The text '</w>' does not survive your decode. There is no end-of-word marker here; the spaces are in the "
    "tokens.",
)

mistake(
    "tokens.bpe_decode",
    "ascii-only",
    edit('"utf-8"', '"ascii"'),
    section="bpe-decoding",
    why="The bytes were decoded as ASCII, so every character beyond it becomes several U+FFFD. The text was written in "
    "UTF-8, and only that brings it back.",
    hint="Letters like é come out as two replacement characters, even when all their bytes are there. Decode as "
    "'utf-8', not as 'ascii'.",
)

mistake(
    "tokens.bpe_decode",
    "pair-swapped",
    edit("[left + right for", "[right + left for"),
    section="bpe-ids",
    why="The right part of each pair was put before the left one. A merge joins two neighbours in the order in which "
    "they stand.",
    hint="The letters inside merged tokens are out of order: a pair is (left, right), and the left part comes first.",
)

mistake(
    "tokens.bpe_decode",
    "left-part-only",
    edit("[left + right for left, right in merges]", "[left for left, _ in merges]"),
    section="bpe-ids",
    why="For a merge only its left part was returned. The token stands for both parts, one after the other.",
    hint="Every merged token is too short: it stands for left + right.",
)

mistake(
    "tokens.bpe_decode",
    "ids-from-257",
    edit("for byte in range(256)]", 'for byte in range(256)] + [b""]'),
    section="bpe-ids",
    why="The first merge was taken to be id 257. The bytes are 0 to 255, so it is 256.",
    hint="Your merges are one off: id 256 + i is merge i, counting from 0.",
)

mistake(
    "tokens.bpe_decode",
    "bytes-returned",
    edit('.decode("utf-8", errors="replace")', ""),
    section="bpe-decoding",
    why="The result is `bytes`, not a string. UTF-8 is how a text is stored; the caller wants the text.",
    hint="You return bytes. One step is missing: .decode('utf-8', errors='replace').",
)

mistake(
    "tokens.Vocabulary",
    "decode-stops-at-the-end-symbol",
    edit(
        "kept = [index for index in ids if",
        "ids = ids[: ids.index(EOS)] if EOS in ids else ids\nkept = [index for index in ids if",
    ),
    section="decoding-words",
    why="`decode` ends at the first EOS. What comes after that id is lost, although only the special tokens are left "
    "out.",
    hint="Your `decode` stops at the first EOS and loses the words after it. Leave the special ids out, and go on.",
)

mistake(
    "tokens.Vocabulary",
    "both-symbols-or-none",
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[BOS, *ids, EOS] if add_bos or add_eos else ids"),
    section="vocabulary-specials",
    why="Either argument adds both symbols. A source often gets EOS alone, and a prompt BOS alone.",
    hint="With only one of `add_bos` and `add_eos` you add both symbols. Each argument adds its own.",
)

mistake(
    "tokens.bpe_encode",
    "merges-not-used",
    edit("[index for piece in GPT2_SPLIT.findall(text) for index in encode_piece(piece)]", "list(text.encode())"),
    section="bpe-encoding",
    why="The bytes were returned as they are. Without the merges a text has as many ids as it has bytes.",
    hint="All your ids are below 256: you return the bytes. Apply the merges in each piece.",
)

mistake(
    "tokens.train_bpe",
    "least-frequent-pair",
    edit(
        "max((times, pair) for pair, times in counts.items())", "min((times, pair) for pair, times in counts.items())"
    ),
    section="counting-pairs",
    why="The rarest pair was merged. Frequent pairs are what shortens a text.",
    hint="You merge the rarest pair. Take the most frequent one.",
)
