"""Make ``jargon.txt.gz`` from the Debian package ``dict-jargon``: the Jargon File as one plain line for each entry.

    apt-get download dict-jargon
    dpkg-deb -x dict-jargon_*.deb unpacked
    python solutions/data/make_jargon.py unpacked/usr/share/dictd

A small model should learn English, and it repeats whatever it has read. So what remains of an entry is its name and
its sentences, in ASCII: pronunciations, origins in brackets, tables, code and the marks of cross-references go. An
entry with a coarse or offensive word (`COARSE`) is left out whole.
"""

import gzip
import re
import string
import sys
import unicodedata
from pathlib import Path

OUT = Path(__file__).with_name("jargon.txt.gz")
FRONT_MATTER = "00-database"
LETTERS = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"  # the digits of an index, base 64

# A word is coarse if it holds one of the first, begins with one of the second, or is one of the third.
INSIDE = "arsehole asshole bitch cunt dickhead fuck nigg porn shit whore"
BEGINNING = (
    r"attractive\swom bastard bestial bimbo blowjob bondage boob brain-damage brain-dead braindamage bugger chink "
    "cocaine cocksuck condom crap cretin crippl damn dildo dumbass dyke erotic fagg fart fascis fetish genital "
    "goddam heroin hitler homosex horny imbecil incest jackass kike lesbian lobotom marijuana masoch masturb "
    "midget molest mongol moron naked nazi negro nipple nude nympho obscen orgas orgy paedo pedoph penis piss "
    "pimp prostitut puke pussy queer rape rapist retard sadis scatolog schizo screw scrot semen sex shag slave "
    "slut smut snot sodom spastic spaz sperm stripper suck suicid testic titties titty tranny turd twat urin "
    "vagina vomit wank"
)
WHOLE = (
    "anal arse arses ass asses bloody bra breast breasts cock cocks cum dick dicks fag fags gay gays gypsy hell homo "
    "homos idiot idiotic idiots jap japs jerk jerks jew jewish jews lsd sod tit tits virgin virgins"
)


def coarse(text):
    """Whether a text has a coarse or offensive word."""
    return COARSE.search(text) is not None


def _any(words):
    return "|".join(words.split())


COARSE = re.compile(rf"({_any(INSIDE)})|\b({_any(BEGINNING)})|\b({_any(WHOLE)})\b", re.IGNORECASE)


def entries(folder):
    """The articles of the dictionary in ``folder``, in their order, each ``(name, text)``, without the front matter."""
    raw = gzip.decompress((folder / "jargon.dict.dz").read_bytes())
    lines = (folder / "jargon.index").read_text(encoding="utf-8").splitlines()
    spans = sorted({tuple(map(number, line.split("\t")[1:])) for line in lines})  # an article may have several names
    for start, length in spans:
        name, _, text = raw[start : start + length].decode("utf-8").strip("\n").partition("\n")
        if not name.startswith(FRONT_MATTER):
            yield name, text


def number(digits):
    """An offset or a length of dictd's index."""
    value = 0
    for digit in digits:
        value = 64 * value + LETTERS.index(digit)
    return value


def line(name, text):
    """An entry as ``name: its sentences``, or ``""`` if hardly any sentence is left."""
    paragraphs = (prose(one) for one in re.split(r"\n\s*\n", text) if one.startswith("    "))
    sentences = " ".join(filter(None, paragraphs))
    name = plain(name)
    return f"{name}: {sentences}" if len(sentences) >= 60 and PROSE.fullmatch(name) else ""


PROSE = re.compile(r"[A-Za-z0-9 .,;:'\"()/!?&-]+")


def prose(paragraph):
    """The sentences of a paragraph, or ``""`` if it is a table, a program or a drawing."""
    if "://" in paragraph or re.search(r"\S {3,}\S", paragraph.replace("\n    ", "\n")):
        return ""
    text = plain(paragraph)
    text = re.sub(r"\[[^\[\]]*\]", " ", text)  # origins, and remarks of the editors
    text = re.sub(r"\(?/[^/ ]*[@'`][^/]*/\)?", " ", text)  # pronunciations
    text = re.sub(r"\{\s*([^{}]*?)\s*\}", r"\1", text)  # cross-references
    text = re.sub(r"^((\d+|n|v|vt|vi|adj|adv|interj|obs|prov|excl)\.[,\s]*)+", "", text.strip())
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r" ([.,;:!?)])", r"\1", text).strip()
    sentence = PROSE.fullmatch(text) and re.match(r"[\"'(A-Z0-9]", text) and re.search(r"[.!?][\"')]*$", text)
    return text if sentence else ""


def plain(text):
    """In ASCII: without accents, with the quotes and dashes of a typewriter; what has no such form stays."""
    text = "".join(PLAIN.get(character, character) for character in text)
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


PLAIN = {"‘": "'", "’": "'", "´": "'", "“": '"', "”": '"', "—": "-", "−": "-", "·": "'", "\u00ad": "", "\u00a0": " "}


def main():
    if len(sys.argv) != 2 or not Path(sys.argv[1], "jargon.index").is_file():
        sys.exit("Usage: python solutions/data/make_jargon.py FOLDER, with jargon.dict.dz and jargon.index in FOLDER.")
    found = list(entries(Path(sys.argv[1])))
    kept = [line(name, text) for name, text in found if not coarse(f"{name} {text}")]
    lines = list(filter(None, kept))
    text = "\n".join(lines) + "\n"
    OUT.write_bytes(gzip.compress(text.encode("ascii"), mtime=0))
    print(f"{len(found):,} entries, {len(kept):,} of them without coarse words, {len(lines):,} with sentences.")
    print(f"Written: {OUT.name}, {len(text):,} characters, {OUT.stat().st_size:,} bytes.")


if __name__ == "__main__":
    main()
