"""Pairs of sentences from the message catalogues of free software: English messages and what people made of them.

A program that speaks many languages keeps its messages in English and looks each one up in a *catalogue*, a ``.mo``
file for every language. The two sides of an entry are a translation by a person. They also hold what a sentence does
not: shortcut keys, placeholders, markup. `clean_pair` takes these out.

Source: the manual of GNU gettext, sections 10.3 (the format of ``.mo`` files) and 12.6 (plural forms).
"""

import collections
import html
import os
import re
import struct
import sys
from gettext import c2py
from pathlib import Path
from typing import NamedTuple

from solutions.given import normalised, words
from solutions.translator.errors import BadInput

MAGIC = 0x950412DE  # in the byte order of the machine that wrote the file
LENGTHS = range(3, 26)  # words of the English side

# --- reading a catalogue ------------------------------------------------------------------------------------------


def read_catalogue(path):
    """The messages of a catalogue and their translations, as they are in the file.

    Args:
        path: a ``.mo`` file of either byte order.

    Returns:
        ``list[tuple[str, str]]``: ``(english, foreign)``, without the header and without untranslated messages. A
        message with plural forms gives two pairs: the form for one thing, and the form for five.

    Raises:
        BadInput: the file cannot be read, is damaged or names no usable encoding. ``msgfmt`` leaves translations that
            are marked as fuzzy out of a catalogue, so these do not appear here.
    """
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from None
    entries = raw_entries(content, path)
    header = next((foreign for english, foreign in entries if not english), b"").decode("ascii", "replace")
    charset = re.search(r"^content-type:.*charset=([-\w.:]+)", header, re.IGNORECASE | re.MULTILINE)
    if charset is None:
        raise BadInput(f"{path} does not say in its header how its letters are encoded (charset).")
    try:
        texts = [tuple(text.decode(charset[1]) for text in entry) for entry in entries if entry[0]]
    except LookupError:
        raise BadInput(f"{path} has the encoding {charset[1]!r}, which Python does not know.") from None
    except UnicodeError:
        raise BadInput(f"{path} is not encoded in {charset[1]}, as its header says.") from None
    forms = plural_forms(header)
    pairs = [pair for english, foreign in texts for pair in pairs_of_entry(english, foreign, forms)]
    return [(english, foreign) for english, foreign in pairs if english and foreign]


def raw_entries(content, path):
    """The entries of a ``.mo`` file as pairs of bytes; every offset is checked, since a file may be damaged."""
    order = next((order for order in "<>" if content[:4] == struct.pack(f"{order}I", MAGIC)), None)
    if order is None:
        raise BadInput(f"{path} is no message catalogue: it does not begin with the number of a .mo file.")
    try:
        revision, count, *tables = struct.unpack_from(f"{order}4I", content, 4)
        if revision >> 16 > 1:
            raise BadInput(f"{path} has the format {revision >> 16}; known are 0 and 1.")
        rows = [struct.unpack_from(f"{order}{2 * count}I", content, table) for table in tables]
    except (struct.error, MemoryError, OverflowError):
        raise BadInput(f"{path} is damaged: it ends within its tables.") from None
    if any(start + length > len(content) for row in rows for length, start in zip(row[::2], row[1::2])):
        raise BadInput(f"{path} is damaged: it ends within its messages.")
    english, foreign = ([content[start : start + length] for length, start in zip(row[::2], row[1::2])] for row in rows)
    return list(zip(english, foreign))


def plural_forms(header):
    """Indices of a language's plural forms for one and for five, ``(int, int)``; without a rule, those of English."""
    rule = re.search(r"^plural-forms:.*?plural=([^;\n]+)", header, re.IGNORECASE | re.MULTILINE)
    try:
        form = c2py(rule[1]) if rule else lambda number: int(number != 1)
        return form(1), form(5)
    except (ValueError, ZeroDivisionError):
        return 0, 1


def pairs_of_entry(english, foreign, forms):
    """One pair, or two if there are plural forms; the context of a message is taken off."""
    english = english.rpartition("\x04")[2]
    if "\0" not in english:
        return [(english, foreign)]
    translated = foreign.split("\0")
    return [(text, translated[form]) for text, form in zip(english.split("\0"), forms) if 0 <= form < len(translated)]


def write_catalogue(path, messages, order="<", charset="UTF-8", plural="nplurals=2; plural=(n != 1);"):
    """Write a catalogue, as ``msgfmt`` does; for examples.

    Args:
        path: the file; its folder is made.
        messages: dictionary from English to the translation; plural forms are joined by ``"\\0"``.
        order: ``"<"`` or ``">"``, the byte order.
        charset: of the translations; ``None`` leaves it out of the header.
        plural: the rule of the header.
    """
    kind = "text/plain" if charset is None else f"text/plain; charset={charset}"
    header = f"Content-Type: {kind}\nPlural-Forms: {plural}\n"
    encoded = sorted(
        (english.encode(), foreign.encode(charset or "ascii", "replace"))
        for english, foreign in {"": header, **messages}.items()
    )
    start, rows, texts = 28 + 16 * len(encoded), [], b""
    for side in zip(*encoded):
        for text in side:
            rows += [len(text), start + len(texts)]
            texts += text + b"\0"
    head = [MAGIC, 0, len(encoded), 28, 28 + 8 * len(encoded), 0, 0]  # the last two: no table of hashes
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack(f"{order}{len(head + rows)}I", *head, *rows) + texts)


# --- from messages to sentences -----------------------------------------------------------------------------------

PLACEHOLDER = re.compile(
    r"%\(\w+\)[-+#0]*\d*(?:\.\d+)?[a-zA-Z]"  # Python: %(name)s
    r"|%(?:\d+\$)?[-+#0'I]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh|h|ll|l|L|q|j|z|t)?[a-zA-Z]"  # C: %s, %2$s, %5.1f
    r"|%L?\d+|%\{\w+\}"  # Qt: %1; Ruby and others: %{name}
    r"|\$?\{[\w.:!]*\}"  # Python and shells: {}, {0}, {name}, ${name}
    r"|\[\[\w+\]\]"
)
TAG = re.compile(
    r"</?(?:a|b|big|br|code|em|h\d|i|li|p|pre|small|span|strong|sub|sup|tt|u|ul)\b[^<>]*/?>", re.IGNORECASE
)
SHORTCUT_AT_END = re.compile(r"\s*\([_&]\w\)|\|\w$")  # Chinese, Japanese: "(_F)"; LyX: "Open|O"
SHORTCUT = re.compile(r"[_&](?=\w)(?!\w+;)")
SPELLINGS = str.maketrans(
    {"…": "...", "’": "'", "‘": "'", "‚": "'", "`": "'", "´": "'", "›": "'", "‹": "'"} | dict.fromkeys("“”„«»‟", '"')
)
CODE = re.compile(r"[<>{}\\=^~_$@#*]|--|://|(?<!\w)-\w\b|\w\(\)|[^\W_]/\w+/|\w\.(?:[a-z]{1,4})\b(?!\.)")
STOCK = re.compile(r"^[\w -]+\|(?=\S)")  # an older way to give a context: "Stock label|Open"


def clean_pair(english, foreign):
    """The sentences of a message and its translation, if they are sentences.

    Args:
        english, foreign: as in a catalogue.

    Returns:
        ``((english, foreign), "")``; or ``(None, reason)``, with what speaks against the pair in a few words.

    Shortcut marks and markup are removed, quotation marks and ellipses get one spelling, and every placeholder such as
    ``%s`` becomes ``X``. A pair is refused if both sides are the same, if their numbers of placeholders differ, if
    the English has fewer or more words than `LENGTHS`, if the translation is too long for it, or if code remains.
    """
    if "|" not in foreign:
        english = STOCK.sub("", english)
    if normalised(english) == normalised(foreign):
        return None, "not translated"
    marked = [set(re.findall(r"\w+[_&]\w+", text)) for text in (english, foreign)]
    if marked[0] & marked[1]:  # shortcut marks move in a translation; a word with the same mark in both is code
        return None, "code"
    pair = [plain(text) for text in (english, foreign)]
    counts = [len(re.findall(r"\bX\b", text)) for text in pair]
    if counts[0] != counts[1]:
        return None, "different placeholders"
    if any(CODE.search(text) for text in pair):
        return None, "code"
    length = sum(word[0].isalpha() and word != "X" for word in words(pair[0]))
    if length < LENGTHS[0]:
        return None, "too short"
    if length > LENGTHS[-1] or len(pair[1]) > 2 * len(pair[0]) + 20:
        return None, "too long"
    if pair[0].casefold() == pair[1].casefold():
        return None, "not translated"
    return (pair[0], pair[1]), ""


def plain(text):
    """A message without shortcut marks and markup, with ``X`` for each placeholder."""
    text = SHORTCUT_AT_END.sub("", text).replace("&&", " & ")
    if len(SHORTCUT.findall(text)) == 1:  # a message has one key; more marks are names
        text = SHORTCUT.sub("", text)
    text = html.unescape(TAG.sub("", text))
    text = PLACEHOLDER.sub("X", text.replace("%%", "\0")).replace("\0", "%")
    return normalised(text.translate(SPELLINGS))


# --- those of this machine ----------------------------------------------------------------------------------------


class Software(NamedTuple):
    """What the catalogues of a language hold.

    Attributes:
        pairs: ``dict[str, list[tuple[str, str]]]``: for each program, ``(foreign, english)``; a program without a pair
            is left out.
        refused: ``Counter``: how many messages were left out, by reason.
        bad: ``list[str]``: a sentence for each catalogue that could not be read.
    """

    pairs: dict
    refused: collections.Counter
    bad: list


def folders():
    """Where a machine keeps catalogues: ``TEXTDOMAINDIR``, ``XDG_DATA_DIRS`` or its usual folders, and Python's own."""
    shared = os.environ.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share:/opt/homebrew/share"
    found = [Path(folder) / name for folder in shared.split(os.pathsep) for name in ("locale", "locale-langpack")]
    named = os.environ.get("TEXTDOMAINDIR")
    return [*([Path(named)] if named else []), *found, Path(sys.prefix) / "share" / "locale"]


def catalogue_paths(language, places):
    """The catalogues of a language in some folders, those of one folder in the order of their names."""
    return [path for place in places for path in sorted((place / language / "LC_MESSAGES").glob("*.mo"))]


def read_software(catalogues):
    """The cleaned pairs of some catalogues.

    Args:
        catalogues: ``(program, path)`` for each catalogue; a program may have several.

    Returns:
        `Software`. Each text occurs once: a pair is left out if its words in either language have occurred before.
    """
    pairs: dict = collections.defaultdict(list)
    refused: collections.Counter = collections.Counter()
    bad: list[str] = []
    seen: set[tuple[int, str]] = set()
    for program, path in catalogues:
        try:
            entries = read_catalogue(path)
        except BadInput as error:
            bad.append(str(error))
            continue
        for entry in entries:
            pair, reason = clean_pair(*entry)
            keys = {(side, " ".join(re.findall(r"\w+", text)).casefold()) for side, text in enumerate(pair or ())}
            if pair and keys & seen:
                reason = "a duplicate"
            if reason:
                refused[reason] += 1
                continue
            seen |= keys
            pairs[program].append(pair[::-1])
    return Software(dict(pairs), refused, bad)


def installed_software(language="de", places=None):
    """The pairs in the catalogues of a language on this machine; the program is the name of the catalogue.

    Args:
        language: as in the folders' names: ``"de"``, ``"pt_BR"``, ``"sr@latin"``.
        places: folders to search; ``None``: `folders`.

    Returns:
        `Software`.

    Raises:
        BadInput: there is no catalogue of this language, or none that can be used; the message says what to install.
    """
    if not re.fullmatch(r"[a-z]{2,3}(_[A-Z]{2})?(@[a-z]+)?", language):
        raise BadInput(f"{language!r} is no name of a language; names are such as de, fr or pt_BR.")
    places = folders() if places is None else places
    paths = catalogue_paths(language, places)
    software = read_software([(path.stem, path) for path in paths])
    if software.pairs:
        return software
    searched = ", ".join(sorted({str(place) for place in places if place.is_dir()})) or "the usual folders"
    found = f"{len(paths)} catalogues without a usable sentence" if paths else "no message catalogues"
    first = f" ({software.bad[0]})" if software.bad else ""
    raise BadInput(
        f"There are {found} of the language {language!r} in {searched}{first}: install programs that are translated "
        f"into it (on Debian and Ubuntu: `sudo apt install gimp-data gnucash-common evolution-common`), or use --data "
        f"grammar."
    )
