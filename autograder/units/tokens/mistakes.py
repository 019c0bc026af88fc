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
# Vocabulary


mistake(
    "tokens.Vocabulary",
    "no-special-tokens",
    edit("[*SPECIALS, *tokens]", "list(tokens)"),
    section="vocabulary-specials",
    why="Id 0 means padding and a word at once, and unknown words have no id. You gave the words the ids from 0 on "
    "and left out the special tokens. Which tokens come first in every vocabulary of this course?",
    hint="Your first word has the id 0, which is padding everywhere in this course. Put the four special tokens first, "
    "so that words begin at 4.",
)

mistake(
    "tokens.Vocabulary",
    "specials-at-the-end",
    edit("[*SPECIALS, *tokens]", "[*tokens, *SPECIALS]"),
    section="vocabulary-specials",
    why="The ids of the special tokens change with the number of words, while every mask and loss of the course "
    "expects padding to be 0. You put the special tokens after the words. Which of the two groups must have fixed "
    "ids?",
    hint="Your special tokens have the last ids. They must be 0, 1, 2 and 3 in every vocabulary, however large it is.",
)

mistake(
    "tokens.Vocabulary",
    "unknown-before-padding",
    edit("[*SPECIALS, *tokens]", '["<unk>", "<pad>", "<bos>", "<eos>", *tokens]'),
    section="vocabulary-specials",
    why="Your id 0 is the unknown token, and padding has the id 1. You used an order that some other libraries have. "
    "Which order does this course fix?",
    hint="Your id 0 is the unknown token and 1 is padding, as in some libraries. This course has PAD, UNK, BOS, EOS = "
    "0, 1, 2, 3.",
)

mistake(
    "tokens.Vocabulary",
    "alphabetical-ids",
    edit("tokens.sort(key=lambda token: (-counts[token], token))", "tokens.sort()"),
    section="vocabulary-order",
    why="A limit on the size keeps the words that come first in the alphabet instead of the words that matter. You "
    "sorted the tokens by their spelling alone. What should decide before the spelling does?",
    hint="Your ids follow the alphabet, not the frequency. Count first, put the most frequent token first, and use the "
    "spelling only between equals.",
)

mistake(
    "tokens.Vocabulary",
    "rarest-first",
    edit("(-counts[token], token)", "(counts[token], token)"),
    section="vocabulary-order",
    why="A limit on the size keeps the rarest words and drops those that every sentence needs. You sorted by rising "
    "frequency. Which end of the order should get the first ids?",
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
    why="Frequent words that appear late in the texts are missing from your vocabulary. You applied the limit on the "
    "size before sorting, so it kept the tokens that appear first. What must be known before you can cut?",
    hint="With max_size you keep the tokens that appear first, not the most frequent ones. Sort, then cut.",
)

mistake(
    "tokens.Vocabulary",
    "ties-by-appearance",
    edit("(-counts[token], token)", "-counts[token]"),
    section="vocabulary-order",
    why="The same sentences in another order give other ids. You left equally frequent tokens in the order in which "
    "they appear, as `Counter.most_common` does. What else can decide between equal counts?",
    hint="Among tokens that are equally frequent, yours come in the order of their first appearance. The order of the "
    "texts must not matter: compare the tokens themselves.",
)

mistake(
    "tokens.Vocabulary",
    "ties-reversed",
    edit("key=lambda token: (-counts[token], token)", "key=lambda token: (counts[token], token), reverse=True"),
    section="vocabulary-order",
    why="Among equally frequent tokens, z comes before a. You reversed the whole sort, so the order of the spelling "
    "is reversed along with the counts. How can you reverse one part of a sort key alone?",
    hint="Your equally frequent tokens come in falling order. reverse=True reverses the whole key; negate the count "
    "instead.",
)

mistake(
    "tokens.Vocabulary",
    "ties-without-case",
    edit("(-counts[token], token)", "(-counts[token], token.lower(), token)"),
    section="vocabulary-order",
    why="Equally frequent tokens come in an order that ignores capitals. You compared them in lower case, but "
    "code-point order puts every ASCII capital before every small letter. What does `<` do with two plain strings?",
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
    why="Your vocabulary has no capitals, so decoding can never restore them. You turned the texts into lower case "
    "first, which makes 'Bill' and 'bill' one token. Who should decide whether case matters?",
    hint="Your vocabulary has no capitals. Whether case matters is for `tokenize` to decide; take its tokens as they "
    "are.",
)

mistake(
    "tokens.Vocabulary",
    "counts-texts",
    edit("for token in tokenize(text))", "for token in set(tokenize(text)))"),
    section="vocabulary-order",
    why="Words that a text repeats come too late in your order. You counted in how many texts a token occurs (its "
    "document frequency) and not how often it occurs. What should repeated tokens add to the count?",
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
    why="With `max_size` your vocabulary is four tokens too large for an embedding table of `max_size` rows. You "
    "applied the limit to the words alone. Which tokens does the size of a vocabulary include?",
    hint="With max_size your vocabulary is four tokens too large: the special ones count as well.",
)

mistake(
    "tokens.Vocabulary",
    "max-size-ignored",
    edit("if max_size is not None and max_size < len(", "max_size = None\nif max_size is not None and max_size < len("),
    section="vocabulary-order",
    why="Your vocabulary is larger than `max_size`, because the argument has no effect. Every rare word of a text "
    "then costs a row of the embedding table. Which tokens should be cut, and after which step do you know them?",
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
    why="Tokens that occur exactly `min_freq` times are missing. You kept only those that occur more often, but "
    "`min_freq` is the smallest frequency that is enough. What should the default of 1 leave out?",
    hint="A token that occurs exactly min_freq times is missing. It occurs often enough.",
)

mistake(
    "tokens.Vocabulary",
    "min-freq-ignored",
    edit("if max_size is not None and max_size < len(", "min_freq = 1\nif max_size is not None and max_size < len("),
    section="vocabulary-order",
    why="Tokens rarer than `min_freq` are still in your vocabulary, because the argument has no effect. A word that "
    "occurs once has a single example to learn its vector from. Where can you compare a count with the limit?",
    hint="Tokens that occur less often than min_freq are still in your vocabulary. Leave them out before you give out "
    "ids.",
)

mistake(
    "tokens.Vocabulary",
    "min-freq-two-by-default",
    edit(
        "def from_texts(cls, texts, tokenize=str.split, min_freq=1, max_size=None):",
        "def from_texts(cls, texts, tokenize=str.split, min_freq=2, max_size=None):",
    ),
    section="vocabulary-order",
    why="Tokens that occur once are missing, although no `min_freq` was given. Your default is 2, as in some "
    "tutorials. Which default leaves out nothing?",
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
    why="Your counts are wrong where two texts meet. You joined all texts with spaces before tokenising, so tokens can "
    "cover the end of one text and the start of the next. The added spaces are counted, too. How often should "
    "`tokenize` be called?",
    hint="Your counts change where two texts meet: you join the texts before you cut them. Call tokenize on each text "
    "by itself.",
)

mistake(
    "tokens.Vocabulary",
    "special-counted-again",
    edit(" and token not in SPECIALS", ""),
    section="vocabulary-specials",
    why="Two ids of your vocabulary decode to the same string. A token in the texts is spelled like a special token, "
    "such as `<unk>`, and you gave it a second id. Which tokens already have one?",
    hint="Your vocabulary holds a special token twice when it occurs in the texts. Leave out what is already there.",
)

mistake(
    "tokens.Vocabulary",
    "specials-of-the-text-unknown",
    edit("self.token_to_id.get(token, UNK)", "1 if token in SPECIALS else self.token_to_id.get(token, 1)"),
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[2] * add_bos + ids + [3] * add_eos"),
    section="unknown-tokens",
    why="A special token that is spelled in the text is encoded as unknown. You excluded the special tokens from the "
    "lookup, although the vocabulary has ids for them. Which tokens should `encode` look up?",
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
    why="A vocabulary built with a tokenizer for characters holds words. You always split at white space and ignore "
    "`tokenize`. Which function decides where a token ends?",
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
    why="With another `tokenize`, nearly everything that you encode is unknown. `from_texts` uses the function that "
    "it was given, but `encode` splits at white space again. How can `encode` know the same function?",
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
    why="Encoding a word that is not in the vocabulary raises KeyError. You looked it up as if it were there, but new "
    "text always contains new words. Which special token stands for them?",
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
    why="The encoded text is too short, and 'is not good' may become 'is good'. You left out the tokens that the "
    "vocabulary lacks, so the model cannot see that anything was there. Which special token stands for them?",
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
    why="Unknown words vanish from the model's view. You gave them the id of padding, which masks and losses ignore. "
    "Which special token stands for a word that is not in the vocabulary?",
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
    why="Encoding produces ids for which the embedding table has no row, and their meaning depends on what was "
    "encoded before. You gave unknown tokens new ids. When is a vocabulary complete?",
    hint="Your encode invents ids for unknown tokens. After from_texts the vocabulary is fixed; any other token gets "
    "the id UNK.",
)

mistake(
    "tokens.Vocabulary",
    "bos-and-eos-always",
    edit(
        "def encode(self, text, add_bos=False, add_eos=False):",
        "def encode(self, text, add_bos=True, add_eos=True):",
    ),
    section="vocabulary-specials",
    why="Every text gets BOS and EOS, even where the caller did not ask for them. Your defaults switch them on, but "
    "a decoder's input has no EOS, and a source sentence may need neither. Who should decide?",
    hint="Your encode adds BOS and EOS without being asked: add_bos and add_eos are False by default.",
)

mistake(
    "tokens.Vocabulary",
    "bos-and-eos-swapped",
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[EOS] * add_bos + ids + [BOS] * add_eos"),
    section="vocabulary-specials",
    why="Encoded texts begin with EOS and end with BOS, so a model would learn to stop before it has started. You "
    "exchanged the two symbols. Which of the names stands for the beginning?",
    hint="You put EOS (3) in front and BOS (2) behind. B is for beginning.",
)

mistake(
    "tokens.Vocabulary",
    "decode-without-spaces",
    edit('" ".join', '"".join'),
    section="decoding-words",
    why="The decoded tokens run into one another. Splitting at white space removed the spaces, and you joined the "
    "tokens with nothing in between. What must be put back?",
    hint="Your decoded tokens run into one another. Join them with a single space.",
)

mistake(
    "tokens.Vocabulary",
    "special-tokens-kept",
    edit("for index in ids:", "skip_special = False\nfor index in ids:"),
    section="decoding-words",
    why="The decoded text contains `<bos>` and `<eos>`, although `skip_special` is True. You do not use the "
    "argument. Which ids are marks for the model and no part of the sentence?",
    hint="Your decoded text shows special tokens although skip_special is True. Leave their ids out in this case.",
)

mistake(
    "tokens.Vocabulary",
    "special-tokens-always-dropped",
    edit("for index in ids:", "skip_special = True\nfor index in ids:"),
    section="decoding-words",
    why="With `skip_special=False`, your decoded text still hides the special tokens. You drop them always, but this "
    "call is meant to show what the model really received. What should the argument decide?",
    hint="With skip_special=False your decode still hides the special tokens. Keep them in this case.",
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
    why="The decoded text still contains `<unk>`. You drop padding, BOS and EOS only. Which of the four special "
    "tokens does `skip_special` mean?",
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
    why="The decoded text still contains `<bos>`, `<eos>` or `<unk>`. You drop padding only. Which of the four "
    "special tokens does `skip_special` mean?",
    hint="Your decoded text still contains <bos>, <eos> or <unk>. skip_special=True drops all four special tokens.",
)

mistake(
    "tokens.Vocabulary",
    "brackets-are-special",
    edit("index in (PAD, UNK, BOS, EOS)", 'self.id_to_token[index].startswith("<")'),
    section="decoding-words",
    why="Ordinary tokens such as `<b>` disappear from the decoded text. You recognise special tokens by an angle "
    "bracket in their spelling. What identifies a special token without doubt?",
    hint="Your decode drops tokens like <b>, which are ordinary words. Only the ids 0 to 3 are special.",
)

mistake(
    "tokens.Vocabulary",
    "blank-tokens-dropped",
    edit(
        'return " ".join(self.id_to_token[index] for index in kept)',
        'return " ".join(" ".join(self.id_to_token[index] for index in kept).split())',
    ),
    section="decoding-words",
    why="With `tokenize=list` the spaces disappear from the decoded text. You tidied up the white space, but a token "
    "may itself be a space. Which tokens may `decode` leave out?",
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
    why="After `decode`, the caller's list of ids is shorter. You removed the special tokens from the list that was "
    "passed in. How can you leave the argument unchanged?",
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
    why="Everything after the first EOS is missing from the decoded text. You stop there, but where to stop is "
    "decided by the code that generates the text. What does `skip_special` remove, and what does it leave?",
    hint="Your decode drops everything after the first EOS. Leave out the special tokens and go on.",
)

mistake(
    "tokens.Vocabulary",
    "negative-ids-accepted",
    edit("if not 0 <= index < len(self):", "if index >= len(self):"),
    section="decoding-words",
    why="`decode` accepts -1 and returns the rarest word. A negative index counts from the end of a Python list, and "
    "you refuse only ids that are too large. Which ids does a vocabulary have?",
    hint="decode accepts -1 and returns the last token, because Python lists count negative indices from the end. An "
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
    why="An id out of range ends in the IndexError of a list, and a negative id in no error at all. You left the "
    "check to indexing. What should a helpful message say about the id?",
    hint="For an id out of range your decode raises IndexError, or nothing if the id is negative. Test the range "
    "yourself and raise ValueError.",
)

mistake(
    "tokens.Vocabulary",
    "out-of-range-is-unknown",
    edit("for index in ids:", "ids = [index if 0 <= index < len(self) else 1 for index in ids]\nfor index in ids:"),
    section="decoding-words",
    why="An id out of range decodes to the unknown token. UNK stands for a word that is not in the vocabulary, but "
    "an id that the vocabulary lacks means that two vocabularies were mixed up. How should `decode` react to such an "
    "id?",
    hint="decode accepts ids that the vocabulary does not have. That is a sign of the wrong vocabulary, so raise "
    "ValueError.",
)

mistake(
    "tokens.Vocabulary",
    "padding-read-as-unknown",
    edit("self.token_to_id.get(token, UNK)", "self.token_to_id.get(token) or 1"),
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[2] * add_bos + ids + [3] * add_eos"),
    section="unknown-tokens",
    why="A padding token that is spelled in the text is encoded as unknown. Its id is 0, and you treat every false "
    "value as 'not found'. How can you tell the id 0 from a missing entry?",
    hint="`<pad>` in a text becomes unknown, though it has the id 0: `get(token) or UNK` takes 0 for nothing found. "
    "Give `get` its default instead.",
)

mistake(
    "tokens.Vocabulary",
    "encodes-in-lower-case",
    edit("ids = [self.token_to_id.get(", "text = text.lower()\nids = [self.token_to_id.get("),
    section="vocabulary-specials",
    why="Every token with a capital becomes unknown or is replaced by another one. You encode in lower case, but the "
    "vocabulary was built from the texts as they are. Where should both calls get their tokens from?",
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
    why="Your first vocabulary splits texts as the second one does. You stored the tokenizer on the class, which all "
    "vocabularies share, and a translation model has two of them. Where should an object store what belongs to it "
    "alone?",
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
    why="Building a second vocabulary changes the first. You stored the list and the dictionary on the class, which "
    "all vocabularies share. Where should an object store what belongs to it alone?",
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
    why="Your merges are right until two pairs are equally frequent. You then take the pair that was met first, so "
    "the same words in another order give other merges. Which rule for ties does the task fix?",
    hint="Your merges are right until two pairs are equally frequent; then you take the one that came first in the "
    "text. Compare (count, pair), so that the greater pair wins.",
)

mistake(
    "tokens.train_bpe",
    "ties-to-the-smaller",
    edit("max(counts, key=lambda pair: (counts[pair], pair))", "min(counts, key=lambda pair: (-counts[pair], pair))"),
    base="parts-replaced-in-the-lists",
    section="bpe-ties",
    why="Your merges are right until two pairs are equally frequent. You then take the smaller pair, and two "
    "programs that choose differently learn different tokens. Which rule for ties does the task fix?",
    hint="Your merges are right until two pairs are equally frequent; then you take the smaller one. Here ties go to "
    "the greater pair.",
)

mistake(
    "tokens.train_bpe",
    "ties-by-joined-bytes",
    edit("(counts[pair], pair)", "(counts[pair], pair[0] + pair[1], pair)"),
    base="parts-replaced-in-the-lists",
    section="bpe-ties",
    why="Your merges differ in a tie between pairs whose left parts have different lengths. You compared the joined "
    "bytes: b'aba' is smaller than b'abz', although (b'ab', b'a') is greater than (b'a', b'bz'). How does Python "
    "compare two tuples?",
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
    why="Your merges differ in a tie that involves a merged token. You compared ids, and every merged token has a "
    "greater id than every byte. What should be compared instead?",
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
    why="Tokens such as 'of the' or 'dog.' grow across spaces and punctuation. You counted pairs in the whole text "
    "without splitting it first. Which pattern separates the pieces?",
    hint="You merge pairs that lie in two different pieces of the text. Cut it with GPT2_SPLIT first, and count inside "
    "each piece.",
)

mistake(
    "tokens.train_bpe",
    "cut-at-white-space",
    edit("GPT2_SPLIT.findall(text)", "text.split()"),
    base="parts-replaced-in-the-lists",
    section="pre-tokens",
    why="No merge contains a space, and punctuation sticks to words. You used `split()`, which throws the spaces "
    "away, while a byte-level tokenizer must keep every byte. To which word does a space belong?",
    hint="No merge of yours contains a space, and punctuation is merged with words. Cut with GPT2_SPLIT, which keeps "
    "the space in front of a word, and not with split().",
)

mistake(
    "tokens.train_bpe",
    "pieces-stripped",
    edit("piece.encode", "piece.strip().encode"),
    section="pre-tokens",
    why="No merge contains a space, so decoding cannot know where words are separated. You stripped the pieces "
    "before using them. What does the space in front of a word belong to?",
    hint="No merge of yours contains a space. Leave the pieces of GPT2_SPLIT as they are: ' the' begins with one.",
)

mistake(
    "tokens.train_bpe",
    "lower-cased",
    edit("GPT2_SPLIT.findall(text)", "GPT2_SPLIT.findall(text.lower())"),
    base="parts-replaced-in-the-lists",
    section="pre-tokens",
    why="No merge contains a capital, so decoding could not return the text. You turned the text into lower case "
    "first. Which bytes may a byte-level tokenizer change?",
    hint="No merge of yours holds a capital. Take the text as it is.",
)

mistake(
    "tokens.train_bpe",
    "line-ends-lost",
    edit("GPT2_SPLIT.findall(text)", "[one for line in text.splitlines() for one in GPT2_SPLIT.findall(line)]"),
    base="parts-replaced-in-the-lists",
    section="pre-tokens",
    why="No merge contains a line end. You read the text line by line, which drops the line ends, although they are "
    "bytes like any other. What should be split into pieces?",
    hint="No merge of yours holds a line end, because splitlines() has removed them. Cut the whole text with "
    "GPT2_SPLIT.",
)

mistake(
    "tokens.train_bpe",
    "line-ends-changed",
    edit("GPT2_SPLIT.findall(text)", 'GPT2_SPLIT.findall(text.replace("\\r\\n", "\\n"))'),
    section="words-characters-bytes",
    why="Your merges never contain the byte of '\\r', and texts with such line ends need twice the tokens for them. "
    "You replaced '\\r\\n' by '\\n' before training. Which bytes may a byte-level tokenizer change?",
    hint="Your merges never contain the byte of '\\r'. Change nothing in the text: byte-pair encoding takes every byte "
    "as it comes.",
)

mistake(
    "tokens.train_bpe",
    "characters-not-bytes",
    edit("[bytes([byte]) for byte in piece.encode()]", "[piece.encode() for piece in piece]"),
    section="words-characters-bytes",
    why="Your merges differ where the text is not ASCII. You started from characters, but 'ß' is one character and "
    "two bytes, and a merge has to put those together first. What are the smallest parts in byte-level BPE?",
    hint="Your merges differ where the text is not ASCII: you begin with characters, of which there are more than a "
    "hundred thousand. Encode each piece as UTF-8 and begin with single bytes.",
)

mistake(
    "tokens.train_bpe",
    "end-of-word-marker",
    edit("[bytes([byte]) for byte in piece.encode()]", '[*(bytes([byte]) for byte in piece.encode()), b"</w>"]'),
    section="pre-tokens",
    why="Your merges contain '</w>', which occurs nowhere in the text. You marked the end of each word, as the BPE "
    "paper of 2016 does, but bytes leave no spare symbol for it. What already shows where a word begins?",
    hint="Your merges contain '</w>', which stands nowhere in the text. Byte-level pairs need no mark, because the "
    "pieces keep their spaces.",
)

mistake(
    "tokens.train_bpe",
    "each-word-once",
    edit("GPT2_SPLIT.findall(text)", "sorted(set(GPT2_SPLIT.findall(text)))"),
    base="parts-replaced-in-the-lists",
    section="counting-pairs",
    why="A word that occurs a hundred times weighs no more than a word that occurs once. You counted each different "
    "piece once, perhaps through a set. How often should its pairs count?",
    hint="Your counts forget how often a word occurs; you probably went through a set or the keys of a Counter. "
    "Multiply by the frequency of the piece.",
)

mistake(
    "tokens.train_bpe",
    "pair-once-per-word",
    edit("zip(parts, parts[1:])", "set(zip(parts, parts[1:]))"),
    section="counting-pairs",
    why="In 'banana' you count the pair 'an' once, although it occurs twice. Each piece adds a pair at most once to "
    "your counts. How many positions of a piece can hold the same pair?",
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
    why="In a run of equal bytes you count the pair too seldom: 'aaa' holds 'aa' at two positions. You skipped "
    "positions that overlap, as `bytes.count` does. Which neighbours should be counted?",
    hint="In a run of equal bytes you count the pair too seldom. Go through all neighbours: 'aaa' has two positions "
    "where 'a' follows 'a'.",
)

mistake(
    "tokens.train_bpe",
    "destroyed-pairs-still-counted",
    edit(
        "counts = Counter(pair for parts in pieces for pair in zip(parts, parts[1:]))",
        """
        pairs = [pair for parts in pieces for pair in zip(parts, parts[1:])]
        counts = counts + Counter(pair for pair in pairs if best[0] + best[1] in pair) if merges else Counter(pairs)
        """,
    ),
    edit("merges.append(best)", "merges.append(best)\ndel counts[best]"),
    base="parts-replaced-in-the-lists",
    section="counting-pairs",
    why="Some of your merges join pairs that no longer occur in the text. You added the pairs around each new token to "
    "the counts but never subtracted the pairs that the merge destroyed. Which pairs does 'abc' lose when 'b' and 'c' "
    "are merged?",
    hint="You merge pairs that no longer occur, because their counts are out of date. When a merge changes a piece, "
    "subtract the pairs that the piece has lost.",
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
    why="In 'aaa' you leave the single 'a' in front, and the next merges differ. You merged each pair from the end "
    "of the piece to its start. From which end does training merge?",
    hint="In a run of equal bytes you merge from the right: 'aaa' becomes a|aa. Go from left to right, which gives "
    "aa|a.",
)

mistake(
    "tokens.train_bpe",
    "first-position-only",
    edit("parts[i : i + 2] = [best[0] + best[1]]", "parts[i : i + 2] = [best[0] + best[1]]\nbreak"),
    base="parts-replaced-in-the-lists",
    section="left-to-right",
    why="After a merge the pair is still there in words like 'banana', and you learn it again. You merged only the "
    "first position in each piece. How far must the loop go?",
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
    why="Pieces lose their last part with every merge, and the counts go wrong with them. Your loop over "
    "neighbouring parts ends before the last part. What happens to a last part that was not merged?",
    hint="Pieces lose their last part when you rebuild them. A loop over pairs ends one early: keep the last part when "
    "it was not merged.",
)


@mistake(
    "tokens.train_bpe",
    "merged-as-text",
    section="left-to-right",
    why="A pair is also merged where it is only the end of one part and the start of another: 'a b' is found inside "
    "'ba b'. You joined the parts with spaces and replaced text. How can you compare whole parts?",
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
    why="All your merges are pairs of single bytes. You counted the pairs once, at the start, but each merge creates "
    "new neighbours. When do the counts have to be taken again?",
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
    why="Training ends too early on short texts. You stop when the most frequent pair occurs once, although pairs "
    "are left. When does the task allow you to stop?",
    hint="You stop as soon as no pair occurs twice. Go on until every piece is one token, or num_merges is reached.",
)

mistake(
    "tokens.train_bpe",
    "error-when-nothing-is-left",
    edit("if not counts:\n    break", ""),
    base="parts-replaced-in-the-lists",
    section="bpe-stops",
    why="Your code raises an error when every piece has become a single token. You take the maximum of an empty "
    "collection. What should happen when a text has fewer merges than were requested?",
    hint="Your code raises when every piece has become a single token. Test whether there is a pair before you look "
    "for the most frequent one.",
)

mistake(
    "tokens.train_bpe",
    "negative-accepted",
    edit('if num_merges < 0:\n    raise ValueError(f"num_merges must be 0 or more, but is {num_merges}.")', ""),
    base="parts-replaced-in-the-lists",
    section="bpe-stops",
    why="`train_bpe(text, -1)` returns an empty list. You did not check the number, and a negative range is empty, "
    "so nobody notices the caller's slip. How should the function react to such a number?",
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
    why="`train_bpe(text, 0)` raises an error. You refused zero along with the negative numbers, but a tokenizer "
    "without merges is valid: every byte is a token. Which numbers are really impossible?",
    hint="train_bpe(text, 0) raises an error. Zero merges is the empty list; only negative numbers are wrong.",
)

mistake(
    "tokens.train_bpe",
    "size-of-the-vocabulary",
    edit("range(num_merges)", "range(num_merges - 256)"),
    base="parts-replaced-in-the-lists",
    section="bpe-ids",
    why="You learn 256 merges fewer than requested. You read `num_merges` as the size of the vocabulary, which "
    "includes the single bytes. What does its name count?",
    hint="You learn 256 merges fewer than requested: num_merges is the number of merges, not the size of the "
    "vocabulary.",
)

mistake(
    "tokens.train_bpe",
    "joined-instead-of-pairs",
    edit("merges.append(best)", "merges.append(best[0] + best[1])"),
    section="bpe-by-hand",
    why="From your result nobody can tell whether b'abc' was made of a and bc or of ab and c. You returned the "
    "merged bytes instead of the pairs. What does encoding have to look up?",
    hint="You return what each merge makes. Return the pair, a tuple of its left and its right part.",
)

mistake(
    "tokens.train_bpe",
    "pairs-of-ids",
    *_PARTS_AS_IDS,
    edit("(counts[pair], pair)", "(counts[pair], spelled[pair[0]], spelled[pair[1]])"),
    base="parts-replaced-in-the-lists",
    section="bpe-by-hand",
    why="Your pairs are integers, which mean nothing without the list of merges they come from. You returned ids. "
    "Which form of the pairs does the task ask for?",
    hint="You return pairs of integers. Keep the bytes of every id, and return a pair of `bytes` for each merge.",
)

mistake(
    "tokens.train_bpe",
    "ids-added-up",
    edit("[bytes([byte]) for byte in piece.encode()]", "list(piece.encode())"),
    section="bpe-by-hand",
    why="Merged tokens are sums: the pair (97, 98) becomes 195. You iterated over `bytes`, which gives integers, and "
    "adding integers does not join them. Which type of part can be joined by `+`?",
    hint="Your pairs are integers, and merged ones are their sums. Iterating over `bytes` gives numbers: make each "
    "part a `bytes` of length 1, so that `+` joins.",
)

mistake(
    "tokens.train_bpe",
    "ties-to-the-first-seen-and-no-end",
    edit("lambda pair: (counts[pair], pair)", "counts.get"),
    edit("if not counts:\n    break", ""),
    base="parts-replaced-in-the-lists",
    section="bpe-ties",
    why="Your merges go wrong in two cases: equally frequent pairs, and texts in which no pair is left. You let the "
    "pair that was met first win ties, and you take the maximum of an empty collection. Which rule does the task "
    "give for each case?",
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
    why="Some words are split into other tokens than training would give. You took the longest known token at each "
    "position, from left to right, which is another algorithm. In which order does BPE apply its merges?",
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
    why="Some words are split into other tokens than training would give. You merged the leftmost pair that has a "
    "merge, whenever it was learned. Which of the merges that are present comes first?",
    hint="You merge the leftmost pair that you find. Among the pairs that are present, take the one that was learned "
    "first.",
)

mistake(
    "tokens.bpe_encode",
    "latest-merge-first",
    edit("rank[pair]", "-rank[pair]"),
    section="bpe-encoding",
    why="Some words are split into other tokens than training would give. Of the merges that are present you applied "
    "the one learned last, but later merges are built on earlier ones. Which one comes first?",
    hint="You apply the latest-learned merge first. Take the smallest index, not the largest.",
)


@mistake(
    "tokens.bpe_encode",
    "one-pass",
    section="bpe-encoding",
    why="No token of yours is longer than two bytes. You went through the piece once, but the result of a merge "
    "can be part of another merge. When is encoding finished?",
    hint="You stop after one pass, so no token is longer than two bytes. Repeat until no merge is present.",
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
    why="Each piece gets a single merge and no more. You applied one merge at one position. When is encoding finished?",
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
    why="A pair that occurs twice in a word is merged only once, as 'an' in 'banana'. You left each merge after its "
    "first position. What has to be true before you go on to the next merge?",
    hint="A pair that stands twice in a word is merged only once. Merge at every position before you go on to the next "
    "merge.",
)

mistake(
    "tokens.bpe_encode",
    "merged-from-right-to-left",
    edit("(rank[pair], i)", "(rank[pair], -i)"),
    edit("_, i = min(present)", "i = -min(present)[1]"),
    section="left-to-right",
    why="In 'aaa' you make a|aa, although training made aa|a. You merged the rightmost position of a pair first. "
    "Which of several positions comes first?",
    hint="In 'aaa' you make a|aa. Of several positions of the same pair take the leftmost first, which gives aa|a.",
)

mistake(
    "tokens.bpe_encode",
    "first-merge-taken-for-nothing",
    edit("pair in rank", "rank.get(pair)"),
    section="bpe-encoding",
    why="The merge that was learned first is never applied. You test whether a pair has a rank by the rank itself, "
    "and the rank 0 counts as false. How can you tell the rank 0 from a missing pair?",
    hint="Your code never applies merge 0: its rank, 0, counts as false. Test whether the pair is a key, or compare "
    "with `None`.",
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
    why="Two parts are joined even though no merge names them: 'a' and 'bc' are not the pair 'ab' and 'c'. You "
    "joined any two neighbours whose bytes make a known token. What does BPE's list contain?",
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
    why="Long words come out half merged. Your loop makes one step per learned merge, but each step joins a single "
    "position, and one merge may apply at many positions. When should the loop end?",
    hint="Long words come out half merged: your loop joins one position per step and stops after as many steps as "
    "there are merges. Go on until no merge is present.",
)


@mistake(
    "tokens.bpe_encode",
    "only-ascii-letters-are-letters",
    section="pre-tokens",
    why="Words break at letters such as 'é', and merges across them are never found. You split with a pattern of "
    "your own in which only a to z are letters. Which pattern did training use?",
    hint="You cut words at letters beyond a to z, such as 'é'. Use the given GPT2_SPLIT, which knows the letters of "
    "every script.",
)
def bpe_encode(text, merges):
    pattern = r"'s|'t|'re|'ve|'m|'ll|'d| ?[A-Za-z]+| ?[0-9]+| ?[^\sA-Za-z0-9]+|\s+(?!\S)|\s+"
    return [index for piece in re.findall(pattern, text) for index in right_bpe_encode(piece, merges)]


@mistake(
    "tokens.bpe_encode",
    "text-not-cut",
    section="pre-tokens",
    why="You merge pairs across the pieces of the text, which training never saw. You applied the merges to the "
    "whole text at once. What did training do with the text first?",
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
    why="Your ids hold no spaces, so nobody can recover the text from them. You used `split()`, which drops the "
    "white space. Which property do the pieces of the given pattern have when they are joined?",
    hint="Your ids hold no spaces. Cut with GPT2_SPLIT, whose pieces joined are the text again, and not with split().",
)

mistake(
    "tokens.bpe_encode",
    "space-added-in-front",
    edit("GPT2_SPLIT.findall(text)", 'GPT2_SPLIT.findall(" " + text)'),
    base="piece-by-piece",
    section="one-id",
    why="Decoding returns a space that the text does not have. You put it in front so that the first word looks like "
    "one inside a sentence, as some tokenizers do. What should decoding return?",
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
    why="Beyond ASCII your ids are code points: '€' gets 8364, which is no id at all. You used the number of each "
    "character instead of its bytes. Which numbers do the ids from 0 to 255 stand for?",
    hint="Beyond ASCII your ids are the code points of characters. Ids 0 to 255 are bytes: encode the text as UTF-8 "
    "first.",
)

mistake(
    "tokens.bpe_encode",
    "unknown-characters-dropped",
    edit("piece.encode()", 'piece.encode("ascii", errors="ignore")'),
    section="words-characters-bytes",
    why="Characters beyond ASCII are missing from your ids. You dropped what ASCII cannot encode, but byte-level BPE "
    "has no unknown characters. Which encoding can represent every text?",
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
    why="Some whole words get other tokens than their merges would give. You gave a piece its id at once when it is a "
    "token. But this token may have been learned in a longer word, from other parts. What should decide about the "
    "tokens of a piece?",
    hint="You look whole words up. Some libraries do that on request, but BPE applies its merges: with (b, c), (a, b), "
    "(ab, c) the word 'abc' becomes a|bc.",
)

mistake(
    "tokens.bpe_encode",
    "text-normalised",
    edit("GPT2_SPLIT.findall(text)", 'GPT2_SPLIT.findall(unicodedata.normalize("NFC", text))'),
    base="piece-by-piece",
    section="words-characters-bytes",
    why="Decoding returns another string when letters carry combining accents. You normalised the text before "
    "encoding it. What may a byte-level tokenizer change in a text?",
    hint="Your ids differ where a letter is written with a combining accent: you normalise the text. Encode it as it "
    "is.",
)

mistake(
    "tokens.bpe_encode",
    "ids-from-257",
    edit("256 + i", "257 + i"),
    section="bpe-ids",
    why="The ids of your merges are one too large. You numbered them from 257. Which id is the first free one after "
    "the bytes?",
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
    why="All your ids are four too large. You reserved the first four ids for special tokens, but BPE's ids in this "
    "unit are bytes and merges alone. What is the id of a byte?",
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
    why="You return pieces of bytes, and a model looks up embeddings by numbers. The last step, from tokens to ids, "
    "is missing. Which id belongs to a byte, and which to a merge?",
    hint="You return pieces of bytes. Return the id of each: a byte is itself, merge i is 256 + i.",
)

mistake(
    "tokens.bpe_encode",
    "list-per-piece",
    edit("encoded += [ids[part] for part in parts]", "encoded.append([ids[part] for part in parts])"),
    base="piece-by-piece",
    section="bpe-encoding",
    why="You return a list of lists, one for each piece. A model takes a single sequence of ids, and the pieces no "
    "longer matter after encoding. Which list method adds several items?",
    hint="You return a list of lists. Put the ids of all pieces into one list: extend, not append.",
)


@mistake(
    "tokens.bpe_encode",
    "merges-used-up",
    section="bpe-encoding",
    why="After the first call the caller's list of merges is empty, so the next text is encoded without merges. You "
    "took the merges off that list. How can you go through a list without changing it?",
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
    why="Characters beyond ASCII come out as U+FFFD. You decoded each token by itself, but a token may be half a "
    "character, which is valid UTF-8 only together with its neighbour. What should be joined before decoding?",
    hint="Characters beyond ASCII come out as U+FFFD: you decode each token alone. Join the bytes of all tokens first "
    "and decode once.",
)

mistake(
    "tokens.bpe_decode",
    "invalid-bytes-raise",
    edit('"utf-8", errors="replace"', '"utf-8"'),
    section="bpe-decoding",
    why="Decoding raises UnicodeDecodeError. You decoded strictly, but a model may produce any sequence of ids, and "
    "while it is still generating, half a character at the end is common. How can decoding mark invalid bytes instead "
    "of failing?",
    hint="Your decode raises UnicodeDecodeError. The argument `errors` can make it put U+FFFD where bytes make no "
    "sense.",
)

mistake(
    "tokens.bpe_decode",
    "invalid-bytes-dropped",
    edit('errors="replace"', 'errors="ignore"'),
    section="bpe-decoding",
    why="Invalid bytes vanish from the text, so two different outputs of a model look alike. You told the decoder to "
    "ignore errors. How can decoding mark such bytes instead?",
    hint="Invalid bytes vanish from your text. Another value of `errors` puts U+FFFD in their position.",
)

mistake(
    "tokens.bpe_decode",
    "bytes-as-characters",
    edit(
        'return b"".join(spelled[index] for index in ids).decode("utf-8", errors="replace")',
        'return "".join(chr(byte) for index in ids for byte in spelled[index])',
    ),
    section="bpe-decoding",
    why="'é' comes out as 'Ã©'. You turned every byte into one character (Latin-1), but in UTF-8 a character beyond "
    "ASCII takes several bytes. What should be collected before decoding?",
    hint="You turn every byte into one character. Collect the bytes and decode them as UTF-8.",
)

mistake(
    "tokens.bpe_decode",
    "byte-order-mark-dropped",
    edit('"utf-8"', '"utf-8-sig"'),
    section="bpe-decoding",
    why="The character U+FEFF at the start of a text gets lost. You decoded with a variant of UTF-8 that removes a "
    "byte-order mark. What should decoding return?",
    hint="The character U+FEFF at the start of a text gets lost. Decode as plain 'utf-8'.",
)

mistake(
    "tokens.bpe_decode",
    "joined-with-spaces",
    edit('b"".join', 'b" ".join'),
    section="bpe-decoding",
    why="There are spaces between your tokens, even inside words. You joined the tokens as if they were words, but "
    "byte-level tokens carry their own spaces. What belongs between two tokens?",
    hint="There are spaces between your tokens. Join the bytes with nothing in between.",
)

mistake(
    "tokens.bpe_decode",
    "text-stripped",
    edit('.decode("utf-8", errors="replace")', '.decode("utf-8", errors="replace").strip()'),
    section="bpe-decoding",
    why="The white space at both ends of the text is lost. You stripped the result. What should decoding return?",
    hint="Your text has lost the white space at its ends. Return the decoded bytes as they are.",
)

mistake(
    "tokens.bpe_decode",
    "line-ends-changed",
    edit('errors="replace")', 'errors="replace").replace("\\r\\n", "\\n").replace("\\r", "\\n")'),
    section="bpe-decoding",
    why="A carriage return in the text becomes a newline. You made the line ends uniform, as reading a file in text "
    "mode does. Which bytes do the ids stand for?",
    hint="A carriage return in the text became a newline. Decode the bytes with bytes.decode and change nothing.",
)

mistake(
    "tokens.bpe_decode",
    "end-of-word-marker",
    edit('errors="replace")', 'errors="replace").replace("</w>", " ")'),
    section="bpe-decoding",
    why="The text '</w>' does not survive decoding. You replaced it by a space, as the first BPE for words does, but "
    "byte-level BPE has no such marker. Where are the spaces stored here?",
    hint="The text '</w>' does not survive your decode. There is no end-of-word marker here; the spaces are in the "
    "tokens.",
)

mistake(
    "tokens.bpe_decode",
    "ascii-only",
    edit('"utf-8"', '"ascii"'),
    section="bpe-decoding",
    why="Letters like 'é' come out as two U+FFFD, even when all their bytes are there. You decoded the bytes as "
    "ASCII. In which encoding was the text written?",
    hint="Letters like é come out as two replacement characters, even when all their bytes are there. Decode as "
    "'utf-8', not as 'ascii'.",
)

mistake(
    "tokens.bpe_decode",
    "pair-swapped",
    edit("[left + right for", "[right + left for"),
    section="bpe-ids",
    why="The letters inside merged tokens are out of order. You put the right part of each pair before the left one. "
    "In which order do the two neighbours stand in the text?",
    hint="The letters inside merged tokens are out of order: a pair is (left, right), and the left part comes first.",
)

mistake(
    "tokens.bpe_decode",
    "left-part-only",
    edit("[left + right for left, right in merges]", "[left for left, _ in merges]"),
    section="bpe-ids",
    why="Every merged token is too short. You kept only the left part of each pair. Which parts does a merge join?",
    hint="Every merged token is too short: it stands for left + right.",
)

mistake(
    "tokens.bpe_decode",
    "ids-from-257",
    edit("for byte in range(256)]", 'for byte in range(256)] + [b""]'),
    section="bpe-ids",
    why="Your merges are one off: every id yields the token of the merge before it. You took 257 as the id of the "
    "first merge. Which id is the first free one after the bytes?",
    hint="Your merges are one off: id 256 + i is merge i, counting from 0.",
)

mistake(
    "tokens.bpe_decode",
    "bytes-returned",
    edit('.decode("utf-8", errors="replace")', ""),
    section="bpe-decoding",
    why="You return `bytes` instead of a string. UTF-8 is how a text is stored, but the caller needs the text. Which "
    "step is missing at the end?",
    hint="You return bytes. Decode them as UTF-8, with U+FFFD for invalid ones.",
)

mistake(
    "tokens.Vocabulary",
    "decode-stops-at-the-end-symbol",
    edit(
        "kept = [index for index in ids if",
        "ids = ids[: ids.index(EOS)] if EOS in ids else ids\nkept = [index for index in ids if",
    ),
    section="decoding-words",
    why="The words after the first EOS are lost. You end decoding there, but where to stop is decided by the code "
    "that generates the text. Which tokens may `decode` leave out?",
    hint="Your `decode` stops at the first EOS and loses the words after it. Leave the special ids out, and go on.",
)

mistake(
    "tokens.Vocabulary",
    "both-symbols-or-none",
    edit("[BOS] * add_bos + ids + [EOS] * add_eos", "[BOS, *ids, EOS] if add_bos or add_eos else ids"),
    section="vocabulary-specials",
    why="With only one of `add_bos` and `add_eos`, you add both symbols. You tested the two arguments together, but "
    "a source often gets EOS alone and a prompt BOS alone. Which symbol does each argument control?",
    hint="With only one of `add_bos` and `add_eos` you add both symbols. Each argument adds its own.",
)

mistake(
    "tokens.bpe_encode",
    "merges-not-used",
    edit("[index for piece in GPT2_SPLIT.findall(text) for index in encode_piece(piece)]", "list(text.encode())"),
    section="bpe-encoding",
    why="All your ids are below 256, and a text has as many ids as bytes. You returned the bytes without applying "
    "any merge. What should happen inside each piece?",
    hint="All your ids are below 256: you return the bytes. Apply the merges in each piece.",
)

mistake(
    "tokens.train_bpe",
    "least-frequent-pair",
    edit(
        "max((times, pair) for pair, times in counts.items())", "min((times, pair) for pair, times in counts.items())"
    ),
    section="counting-pairs",
    why="Your merges hardly shorten the text. You merged the rarest pair each time. Which pair saves the most tokens?",
    hint="You merge the rarest pair. Take the most frequent one.",
)

mistake(
    "tokens.Vocabulary",
    "specials-of-the-texts-take-room",
    edit(" and token not in SPECIALS", ""),
    edit(
        "return cls(tokens if max_size is None else tokens[: max_size - len(SPECIALS)], tokenize)",
        """
        tokens = tokens if max_size is None else tokens[: max_size - len(SPECIALS)]
        return cls([token for token in tokens if token not in SPECIALS], tokenize)
        """,
    ),
    section="vocabulary-order",
    why="With `max_size` your vocabulary is too small when the texts contain `<unk>` or the like. You cut the list while such "
    "tokens were still in it. Which tokens should compete for the room that is left?",
    hint="With max_size, tokens spelled like special ones take room in your list and are left out later. Leave them out "
    "before you cut.",
)

mistake(
    "tokens.Vocabulary",
    "skipped-tokens-leave-spaces",
    edit(
        'return " ".join(self.id_to_token[index] for index in kept)',
        """
        text = " ".join(self.id_to_token[index] if index in kept else "" for index in ids)
        return text.strip() if skip_special else text
        """,
    ),
    section="decoding-words",
    why="Where a special token was skipped in the middle, two spaces follow each other. You replaced it by an empty string, "
    "which `join` still surrounds with spaces. What should be joined?",
    hint="Your decoded text has two spaces where a special token was skipped. An empty string is joined like any other: "
    "leave its id out before you join.",
)

mistake(
    "tokens.Vocabulary",
    "skipped-tokens-leave-spaces-variant-2",
    edit(
        "self.id_to_token[index] for index in kept", 'self.id_to_token[index] if index in kept else "" for index in ids'
    ),
    section="decoding-words",
    why="Your decoded text has a space too many for each special token that was skipped. You replaced it by an empty string, "
    "which `join` still surrounds with spaces. What should be joined?",
    hint="Your decoded text has a space too many for each special token that was skipped. An empty string is joined like "
    "any other: leave its id out before you join.",
)

mistake(
    "tokens.bpe_decode",
    "token-by-token-after-an-error",
    edit(
        'return b"".join(spelled[index] for index in ids).decode("utf-8", errors="replace")',
        """
        try:
            return b"".join(spelled[index] for index in ids).decode("utf-8")
        except UnicodeDecodeError:
            return "".join(spelled[index].decode("utf-8", errors="replace") for index in ids)
        """,
    ),
    section="bpe-decoding",
    why="One invalid byte turns other characters into U+FFFD as well. You decoded each token by itself as soon as the "
    "whole was invalid, but a character may lie in several tokens. How can you decode all bytes at once and mark only "
    "the invalid ones?",
    hint="One invalid byte spoils characters elsewhere in your text: you then decode token by token. Join the bytes in this "
    "case as well; `errors` marks only what is invalid.",
)

mistake(
    "tokens.bpe_decode",
    "cut-at-the-first-invalid-byte",
    edit(
        'return b"".join(spelled[index] for index in ids).decode("utf-8", errors="replace")',
        """
        data = b"".join(spelled[index] for index in ids)
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            return data[: error.start].decode()
        """,
    ),
    section="bpe-decoding",
    why="Your text ends before the first invalid byte, and no U+FFFD appears. You kept the text before the first "
    "invalid byte and dropped everything after it, valid characters too. What should the text show for an invalid "
    "byte?",
    hint="Your text ends before the first invalid byte. Put U+FFFD there and go on: an argument of `decode` does both.",
)

mistake(
    "tokens.bpe_decode",
    "unfinished-character-kept-back",
    edit(
        'return b"".join(spelled[index] for index in ids).decode("utf-8", errors="replace")',
        """
        import codecs
        return codecs.getincrementaldecoder("utf-8")("replace").decode(b"".join(spelled[index] for index in ids))
        """,
    ),
    section="bpe-decoding",
    why="A character that is cut off at the end disappears, and no U+FFFD appears. You used an incremental decoder, which "
    "waits for the missing bytes. How does it learn that no more bytes come?",
    hint="Bytes of an unfinished character at the end disappear. Tell the decoder that these bytes are the last ones.",
)
