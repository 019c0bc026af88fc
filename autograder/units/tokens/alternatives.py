"""Right implementations of the tasks of tokens, in styles that learners really use: all must get full points."""

# Every entry of a task defines the same name: the redefinitions are the point of this file.

import codecs
import collections
import heapq
import itertools
import warnings
from collections import Counter, defaultdict

import regex

from autograder.course.catalogue import alternative
from solutions.tokens import GPT2_SPLIT

# ---------------------------------------------------------------------------------------------------------------------
# Vocabulary


@alternative("tokens.Vocabulary", "static-method")
class Vocabulary:
    def __init__(self, id_to_token, tokenize):
        self.id_to_token = id_to_token
        self.token_to_id = dict(zip(id_to_token, range(len(id_to_token))))
        self.tokenize = tokenize

    @staticmethod
    def from_texts(texts, tokenize=str.split, min_freq=1, max_size=None):
        counts = Counter()
        for text in texts:
            counts.update(tokenize(text))
        specials = ["<pad>", "<unk>", "<bos>", "<eos>"]
        for special in specials:
            del counts[special]
        ranked = sorted(sorted(counts), key=counts.get, reverse=True)
        kept = [token for token in ranked if counts[token] >= min_freq]
        return Vocabulary((specials + kept)[:max_size], tokenize)

    def __len__(self):
        return len(self.token_to_id)

    def encode(self, text, add_bos=False, add_eos=False):
        ids = [2] if add_bos else []
        for token in self.tokenize(text):
            ids.append(self.token_to_id[token] if token in self.token_to_id else 1)
        if add_eos:
            ids.append(3)
        return ids

    def decode(self, ids, skip_special=True):
        words = []
        for index in ids:
            if index < 0 or index >= len(self.id_to_token):
                raise ValueError(f"no token has the id {index}")
            if index >= 4 or not skip_special:
                words.append(self.id_to_token[index])
        return " ".join(words)


@alternative("tokens.Vocabulary", "no-constructor-arguments")
class Vocabulary:
    PAD, UNK, BOS, EOS = range(4)

    def __init__(self):
        self.token_to_id = {"<pad>": 0, "<unk>": 1, "<bos>": 2, "<eos>": 3}
        self.id_to_token = list(self.token_to_id)

    @classmethod
    def from_texts(cls, texts, tokenize=str.split, min_freq=1, max_size=None):
        self = cls()
        self.cut = tokenize
        frequency = {}
        for text in texts:
            for token in tokenize(text):
                frequency[token] = frequency.get(token, 0) + 1
        print(len(frequency), "different tokens")
        for token, times in sorted(frequency.items(), key=lambda item: (-item[1], item[0])):
            if max_size is not None and len(self) >= max_size:
                break
            if times >= min_freq and token not in self.token_to_id:
                self._add(token)
        return self

    def _add(self, token):
        self.token_to_id[token] = len(self)
        self.id_to_token.append(token)

    def __len__(self):
        return len(self.id_to_token)

    def encode(self, text, add_bos=False, add_eos=False):
        ids = list(map(lambda token: self.token_to_id.get(token, self.UNK), self.cut(text)))
        if add_bos:
            ids.insert(0, self.BOS)
        return ids + [self.EOS] if add_eos else ids

    def decode(self, ids, skip_special=True):
        text = ""
        for index in ids:
            try:
                token = [*self.id_to_token][index] if index >= 0 else None
            except IndexError:
                token = None
            if token is None:
                raise ValueError(f"The id {index} is unknown.")
            if not skip_special or index not in range(4):
                text += " " + token
        return text[1:]


@alternative("tokens.Vocabulary", "subclass-of-dict")
class Vocabulary(dict):
    def __missing__(self, token):
        return 1

    @property
    def token_to_id(self):
        return dict(self)

    @property
    def id_to_token(self):
        return sorted(self, key=lambda token: self[token])

    @classmethod
    def from_texts(cls, texts, tokenize=str.split, min_freq=1, max_size=None):
        warnings.warn("counting")
        counts = Counter(itertools.chain.from_iterable(map(tokenize, texts)))
        specials = {"<pad>": 0, "<unk>": 1, "<bos>": 2, "<eos>": 3}
        room = len(counts) if max_size is None else max_size - len(specials)
        tokens = heapq.nsmallest(
            room, (one for one in counts if counts[one] >= min_freq and one not in specials), lambda t: (-counts[t], t)
        )
        self = cls(specials)
        self.update({token: index for index, token in enumerate(tokens, start=4)})
        self.split = tokenize
        return self

    def encode(self, text, add_bos=False, add_eos=False):
        tokens = ["<bos>"] * bool(add_bos) + [*self.split(text)] + ["<eos>"] * bool(add_eos)
        return [self[token] for token in tokens]

    def decode(self, ids, skip_special=True):
        tokens = {index: token for token, index in self.items()}
        if not set(ids) <= tokens.keys():
            raise ValueError(f"unknown ids {set(ids) - tokens.keys()}")
        return " ".join(tokens[index] for index in ids if not (skip_special and index <= 3))


@alternative("tokens.Vocabulary", "default-dictionary")
class Vocabulary:
    def __init__(self, counts, tokenize, min_freq, max_size):
        groups = defaultdict(list)
        for token, times in counts.items():
            if times >= min_freq and token not in ("<pad>", "<unk>", "<bos>", "<eos>"):
                groups[times].append(token)
        tokens = ["<pad>", "<unk>", "<bos>", "<eos>"]
        for times in sorted(groups, reverse=True):
            tokens.extend(sorted(groups[times]))
        self.id_to_token = tokens if max_size is None else tokens[:max_size]
        self.token_to_id = collections.OrderedDict((token, i) for i, token in enumerate(self.id_to_token))
        self.tokenize = tokenize

    @classmethod
    def from_texts(cls, texts, tokenize=str.split, min_freq=1, max_size=None):
        if isinstance(texts, str):
            raise TypeError("texts must be a list of texts, not one text")
        counts = defaultdict(int)
        for text in texts:
            for token in tokenize(text):
                counts[token] += 1
        return cls(counts, tokenize, min_freq, max_size)

    def __len__(self):
        return sum(1 for _ in self.id_to_token)

    def encode(self, text: str, add_bos: bool = False, add_eos: bool = False) -> list:
        def ids():
            if add_bos:
                yield self.token_to_id["<bos>"]
            for token in self.tokenize(text):
                yield self.token_to_id.get(token, self.token_to_id["<unk>"])
            if add_eos:
                yield self.token_to_id["<eos>"]

        return list(ids())

    def decode(self, ids, skip_special=True):
        known = range(len(self))
        if not all(index in known for index in ids):
            raise ValueError("ids out of range")
        tokens = [self.id_to_token[index] for index in ids]
        if skip_special:
            tokens = [token for token in tokens if token not in self.id_to_token[:4]]
        return " ".join(tokens)


@alternative("tokens.Vocabulary", "subclass-of-list")
class Vocabulary(list):
    @property
    def id_to_token(self):
        return list(self)

    @property
    def token_to_id(self):
        return {token: i for i, token in enumerate(self)}

    @classmethod
    def from_texts(cls, texts, tokenize=None, min_freq=1, max_size=None):
        self = cls("<pad> <unk> <bos> <eos>".split())
        self.tokenize = tokenize or (lambda text: text.split())
        counts = Counter(itertools.chain.from_iterable(map(self.tokenize, texts)))
        heap = [(-times, token) for token, times in counts.items() if times >= min_freq and token not in self]
        heapq.heapify(heap)
        while heap and len(self) != max_size:
            self.append(heapq.heappop(heap)[1])
        return self

    def encode(self, text, add_bos=False, add_eos=False):
        number = self.token_to_id
        return [2][: int(add_bos)] + [number.get(token, 1) for token in self.tokenize(text)] + [3][: int(add_eos)]

    def decode(self, ids, skip_special=True):
        if min(ids, default=0) < 0 or max(ids, default=0) >= len(self):
            raise ValueError(f"ids {ids}, but only 0 to {len(self) - 1} are allowed")
        return " ".join(self[i] for i in ids if i > 3 or not skip_special)


# ---------------------------------------------------------------------------------------------------------------------
# train_bpe


@alternative("tokens.train_bpe", "every-piece-by-itself")
def train_bpe(text, num_merges):
    if num_merges < 0:
        raise ValueError("num_merges is negative")
    pieces = [[bytes([byte]) for byte in piece.encode("utf-8")] for piece in regex.findall(GPT2_SPLIT, text)]
    merges = []
    for _ in range(num_merges):
        counts = defaultdict(int)
        for parts in pieces:
            for i in range(len(parts) - 1):
                counts[parts[i], parts[i + 1]] += 1
        if len(counts) == 0:
            return merges
        most = max(counts.values())
        left, right = max(pair for pair in counts if counts[pair] == most)
        merges.append((left, right))
        for parts in pieces:
            i = 0
            while i + 1 < len(parts):
                if parts[i] == left and parts[i + 1] == right:
                    parts[i] = left + right
                    del parts[i + 1]
                i += 1
    return merges


@alternative("tokens.train_bpe", "ids")
def train_bpe(text, num_merges):
    if num_merges < 0:
        raise ValueError(f"negative: {num_merges}")
    words = Counter(tuple(match.group().encode()) for match in regex.finditer(GPT2_SPLIT, text))
    spelled = {i: bytes((i,)) for i in range(256)}
    merges = []
    while len(merges) < num_merges:
        counts = Counter()
        for word, times in words.items():
            for pair in zip(word[:-1], word[1:]):
                counts[pair] += times
        if not counts:
            break
        best = sorted(counts, key=lambda pair: (counts[pair], spelled[pair[0]], spelled[pair[1]]))[-1]
        new = 256 + len(merges)
        spelled[new] = spelled[best[0]] + spelled[best[1]]
        merges.append((spelled[best[0]], spelled[best[1]]))
        renewed = Counter()
        for word, times in words.items():
            ids, i = [], 0
            while i < len(word):
                if word[i : i + 2] == best:
                    ids.append(new)
                    i += 2
                else:
                    ids.append(word[i])
                    i += 1
            renewed[tuple(ids)] += times
        words = renewed
    return merges


@alternative("tokens.train_bpe", "counts-updated")
def train_bpe(text, num_merges):
    """Only the words that hold the pair are counted again."""
    if num_merges < 0:
        raise ValueError("num_merges must not be negative")
    words, times = [], []
    for piece, count in Counter(GPT2_SPLIT.findall(text)).items():
        words.append([bytes([byte]) for byte in piece.encode()])
        times.append(count)
    counts, where = Counter(), defaultdict(set)
    for number, word in enumerate(words):
        for pair in zip(word, word[1:]):
            counts[pair] += times[number]
            where[pair].add(number)
    merges = []
    for _ in range(num_merges):
        counts += Counter()  # drops what has come down to 0
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        for number in where.pop(best):
            word = words[number]
            for pair in zip(word, word[1:]):
                counts[pair] -= times[number]
            i = 0
            while i < len(word) - 1:
                if (word[i], word[i + 1]) == best:
                    word[i : i + 2] = [best[0] + best[1]]
                i += 1
            for pair in zip(word, word[1:]):
                counts[pair] += times[number]
                where[pair].add(number)
    return merges


@alternative("tokens.train_bpe", "recursive")
def train_bpe(text, num_merges):
    def learn(pieces, left):
        counts = Counter(pair for piece in pieces for pair in itertools.pairwise(piece))
        if left == 0 or not counts:
            return []
        best = max(counts.items(), key=lambda item: (item[1], item[0]))[0]
        return [best, *learn([joined(piece, best) for piece in pieces], left - 1)]

    def joined(piece, pair):
        parts = iter(piece)
        result, waiting = [], next(parts, None)
        for part in parts:
            if waiting is not None and (waiting, part) == pair:
                result.append(waiting + part)
                waiting = next(parts, None)
            else:
                if waiting is not None:
                    result.append(waiting)
                waiting = part
        return result + [waiting] * (waiting is not None)

    if num_merges < 0:
        raise ValueError("at least 0 merges")
    pieces = [[piece.encode()[i : i + 1] for i in range(len(piece.encode()))] for piece in GPT2_SPLIT.findall(text)]
    return learn(pieces, num_merges)


@alternative("tokens.train_bpe", "own-pattern-and-prints")
def train_bpe(text, num_merges):
    if not isinstance(num_merges, int) or num_merges < 0:
        raise ValueError("num_merges must be an integer of 0 or more")
    pattern = r"""'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s"""
    chunks = [[chunk.encode()[i : i + 1] for i in range(len(chunk.encode()))] for chunk in regex.findall(pattern, text)]
    result = []
    for step in range(num_merges):
        table = {}
        for chunk in chunks:
            for first, second in zip(chunk, chunk[1:]):
                table[(first, second)] = table.get((first, second), 0) + 1
        if table == {}:
            print("nothing left after", step)
            break
        winner, record = None, 0
        for pair, number in table.items():
            if number > record or (number == record and pair > winner):
                winner, record = pair, number
        result += [winner]
        replaced = []
        for chunk in chunks:
            new, skip = [], False
            for i, part in enumerate(chunk):
                if skip:
                    skip = False
                elif i + 1 < len(chunk) and (part, chunk[i + 1]) == winner:
                    new.append(part + chunk[i + 1])
                    skip = True
                else:
                    new.append(part)
            replaced.append(new)
        chunks = replaced
    return result


@alternative("tokens.train_bpe", "strings-of-latin-1")
def train_bpe(text, num_merges):
    """Each byte is stored as the character with its number; such strings compare as the bytes do."""
    if num_merges < 0:
        raise TypeError(f"num_merges={num_merges}, but 0 or more is allowed")
    words = Counter(tuple(piece.encode().decode("latin-1")) for piece in GPT2_SPLIT.findall(text))
    merges = []
    for _ in range(num_merges):
        counts = Counter()
        for word, times in words.items():
            for pair in zip(word, word[1:]):
                counts[pair] += times
        if not counts:
            break
        merges.append(sorted(counts, key=lambda pair: (counts[pair], pair))[-1])
        renewed = Counter()
        for word, times in words.items():
            new = ()
            while word:
                step = 2 if word[:2] == merges[-1] else 1
                new, word = (*new, "".join(word[:step])), word[step:]
            renewed[new] += times
        words = renewed
    return [(left.encode("latin-1"), right.encode("latin-1")) for left, right in merges]


@alternative("tokens.train_bpe", "parts-replaced-in-the-lists")
def train_bpe(text, num_merges):
    if num_merges < 0:
        raise ValueError(f"num_merges must be 0 or more, but is {num_merges}.")
    pieces = [[bytes([byte]) for byte in piece.encode()] for piece in GPT2_SPLIT.findall(text)]
    merges = []
    for _ in range(num_merges):
        counts = Counter(pair for parts in pieces for pair in zip(parts, parts[1:]))
        if not counts:
            break
        best = max(counts, key=lambda pair: (counts[pair], pair))
        merges.append(best)
        for parts in pieces:
            for i in range(len(parts)):
                if tuple(parts[i : i + 2]) == best:
                    parts[i : i + 2] = [best[0] + best[1]]
    return merges


# ---------------------------------------------------------------------------------------------------------------------
# bpe_encode


@alternative("tokens.bpe_encode", "merge-after-merge")
def bpe_encode(text, merges):
    """Every merge once, in the order of learning: what merge i makes is used by later merges only."""
    encoded = []
    for piece in regex.findall(GPT2_SPLIT, text):
        ids = list(piece.encode("utf-8"))
        spelled = {i: bytes([i]) for i in range(256)}
        for number, (left, right) in enumerate(merges):
            new, i = [], 0
            while i < len(ids):
                if i + 1 < len(ids) and spelled[ids[i]] == left and spelled[ids[i + 1]] == right:
                    new.append(256 + number)
                    i += 2
                else:
                    new.append(ids[i])
                    i += 1
            ids = new
            spelled[256 + number] = left + right
        encoded.extend(ids)
    return encoded


@alternative("tokens.bpe_encode", "lowest-rank")
def bpe_encode(text, merges):
    ranks = dict(zip(merges, range(len(merges))))
    table = [bytes([i]) for i in range(256)] + [a + b for a, b in merges]
    index_of = {token: index for index, token in enumerate(table)}
    output = []
    for match in GPT2_SPLIT.finditer(text):
        word = [bytes([b]) for b in match.group(0).encode("utf8")]
        while len(word) > 1:
            best = min(zip(word, word[1:]), key=lambda pair: ranks.get(pair, float("inf")))
            if best not in ranks:
                break
            merged, i = [], 0
            while i < len(word):
                if tuple(word[i : i + 2]) == best:
                    merged.append(best[0] + best[1])
                    i += 2
                else:
                    merged.append(word[i])
                    i += 1
            word = merged
        output.extend(map(index_of.__getitem__, word))
    return output


@alternative("tokens.bpe_encode", "pairs-of-ids")
def bpe_encode(text, merges):
    ids_of = {bytes([i]): i for i in range(256)}
    rule = {}
    for i, (left, right) in enumerate(merges):
        rule[ids_of[left], ids_of[right]] = 256 + i
        ids_of[left + right] = 256 + i
    result = []
    for piece in GPT2_SPLIT.findall(text):
        ids = [*piece.encode()]
        while True:
            candidates = [rule[pair] for pair in zip(ids, ids[1:]) if pair in rule]
            if not candidates:
                break
            new = min(candidates)
            position = next(i for i in range(len(ids) - 1) if rule.get((ids[i], ids[i + 1])) == new)
            ids[position : position + 2] = [new]
        result = result + ids
    return result


@alternative("tokens.bpe_encode", "recursive-with-warnings")
def bpe_encode(text, merges):
    warnings.warn("slow")

    def shrink(parts):
        found = [merges.index(pair) for pair in zip(parts, parts[1:]) if pair in merges]
        if not found:
            return parts
        left, right = merges[min(found)]
        i = next(i for i in range(len(parts)) if parts[i : i + 2] == (left, right))
        return shrink((*parts[:i], left + right, *parts[i + 2 :]))

    def number(part):
        return part[0] if len(part) == 1 else 256 + [a + b for a, b in merges].index(part)

    pieces = (tuple(bytes([b]) for b in piece.encode()) for piece in GPT2_SPLIT.findall(text))
    return [number(part) for piece in pieces for part in shrink(piece)]


@alternative("tokens.bpe_encode", "piece-by-piece")
def bpe_encode(text, merges):
    rank = {pair: i for i, pair in enumerate(merges)}
    ids = {bytes([byte]): byte for byte in range(256)} | {a + b: 256 + i for i, (a, b) in enumerate(merges)}
    encoded = []
    for piece in GPT2_SPLIT.findall(text):
        parts = [bytes([byte]) for byte in piece.encode()]
        while present := [(rank[pair], i) for i, pair in enumerate(zip(parts, parts[1:])) if pair in rank]:
            _, i = min(present)
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        encoded += [ids[part] for part in parts]
    return encoded


# ---------------------------------------------------------------------------------------------------------------------
# bpe_decode


@alternative("tokens.bpe_decode", "dictionary")
def bpe_decode(ids, merges):
    table = {i: bytes([i]) for i in range(256)}
    for i, pair in enumerate(merges):
        table[256 + i] = b"".join(pair)
    data = bytearray()
    for index in ids:
        data.extend(table[index])
    return str(data, "utf-8", "replace")


@alternative("tokens.bpe_decode", "arithmetic")
def bpe_decode(ids, merges):
    data = b""
    for index in ids:
        data += bytes([index]) if index < 256 else merges[index - 256][0] + merges[index - 256][1]
    return codecs.decode(data, "utf8", errors="replace")


@alternative("tokens.bpe_decode", "unfolded")
def bpe_decode(ids, merges):
    """Each id is unfolded into its two parts until only bytes are left."""
    number = {bytes([i]): i for i in range(256)}
    for i, (left, right) in enumerate(merges):
        number[left + right] = 256 + i

    def unfold(index):
        if index < 256:
            return [index]
        left, right = merges[index - 256]
        return unfold(number[left]) + unfold(number[right])

    return bytes(byte for index in ids for byte in unfold(index)).decode(errors="replace")


@alternative("tokens.bpe_decode", "incremental")
def bpe_decode(ids, merges):
    print(len(ids), "ids")
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    parts = [bytes([index]) if index <= 255 else b"%b%b" % merges[index - 256] for index in ids]
    return "".join(decoder.decode(part) for part in parts) + decoder.decode(b"", final=True)


@alternative("tokens.bpe_decode", "one-mark-per-bad-byte")
def bpe_decode(ids, merges):
    data = bytearray()
    for index in ids:
        data.extend([index] if index < 256 else b"".join(merges[index - 256]))
    text = str(data, "utf-8", "surrogateescape")
    return "".join("\ufffd" if "\udc80" <= letter <= "\udcff" else letter for letter in text)
