"""Message catalogues as a corpus: reading them, cleaning their messages, finding those of a machine."""

from __future__ import annotations

import gettext
import random
import struct
import warnings

import pytest

from solutions.translator import cli
from solutions.translator.catalogues import (
    catalogue_paths,
    clean_pair,
    folders,
    installed_software,
    read_catalogue,
    read_software,
    write_catalogue,
)
from solutions.translator.data import load_pairs
from solutions.translator.errors import BadInput

MESSAGES = {
    "Open the _file": "Die _Datei öffnen",
    "menu\x04Close the window": "Das Fenster schließen",
    "%d file was copied\0%d files were copied": "%d Datei wurde kopiert\0%d Dateien wurden kopiert",
    "Not yet translated": "",
}
PAIRS = [
    ("%d file was copied", "%d Datei wurde kopiert"),
    ("%d files were copied", "%d Dateien wurden kopiert"),
    ("Close the window", "Das Fenster schließen"),
    ("Open the _file", "Die _Datei öffnen"),
]


def many(count: int, language: str = "de") -> dict[str, str]:
    """So many messages that are sentences, all different."""
    return {f"Show the picture number {n} now": f"Jetzt Bild Nummer {n} zeigen ({language})" for n in range(count)}


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine whose only catalogues are those in a folder."""
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path))
    monkeypatch.delenv("TEXTDOMAINDIR", raising=False)
    monkeypatch.setattr("sys.prefix", str(tmp_path / "python"))

    def program(name: str, messages: dict, language: str = "de", **how):
        path = tmp_path / "locale" / language / "LC_MESSAGES" / f"{name}.mo"
        write_catalogue(path, messages, **how)
        return path

    return program


# --- reading ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("charset", ["UTF-8", "iso-8859-1"])
def test_a_catalogue_of_either_byte_order_and_any_encoding(tmp_path, order, charset):
    path = tmp_path / "one.mo"
    write_catalogue(path, MESSAGES, order, charset)
    assert sorted(read_catalogue(path)) == PAIRS


@pytest.mark.parametrize("order", ["<", ">"])
def test_written_catalogues_are_read_by_the_standard_library_too(tmp_path, order):
    path = tmp_path / "one.mo"
    write_catalogue(path, MESSAGES, order)
    with path.open("rb") as file:
        translations = gettext.GNUTranslations(file)
    assert translations.gettext("Open the _file") == "Die _Datei öffnen"
    assert translations.pgettext("menu", "Close the window") == "Das Fenster schließen"
    assert translations.ngettext("%d file was copied", "%d files were copied", 7) == "%d Dateien wurden kopiert"


@pytest.mark.parametrize(
    ("plural", "foreign", "pairs"),
    [
        ("nplurals=1; plural=0;", "%d 枚", [("%d page", "%d 枚"), ("%d pages", "%d 枚")]),
        ("nplurals=2; plural=n>1;", "a\0b", [("%d page", "a"), ("%d pages", "b")]),
        (
            "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);",
            "strona\0strony\0stron",
            [("%d page", "strona"), ("%d pages", "stron")],
        ),
        ("nplurals=3; plural=(n==0 ? 0 : n==1 ? 1 : 2);", "0\0a\0b", [("%d page", "a"), ("%d pages", "b")]),
        ("nplurals=2; plural=n-3;", "a\0b", []),
        ("nplurals=2; plural=what?;", "a\0b", [("%d page", "a"), ("%d pages", "b")]),
        ("nplurals=2; plural=1/(n-1);", "a\0b", [("%d page", "a"), ("%d pages", "b")]),
    ],
)  # fmt: skip
def test_plural_forms_follow_the_rule_of_the_language(tmp_path, plural, foreign, pairs):
    path = tmp_path / "one.mo"
    write_catalogue(path, {"%d page\0%d pages": foreign}, plural=plural)
    assert read_catalogue(path) == pairs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda content: b"", "no message catalogue"),
        (lambda content: b'msgid ""\nmsgstr ""\n', "no message catalogue"),
        (lambda content: content[:10], "ends within its tables"),
        (lambda content: content[:60], "ends within its tables"),
        (lambda content: content[:-30], "ends within its messages"),
        (lambda content: content[:8] + b"\xff\xff\xff\xff" + content[12:], "ends within its tables"),
        (lambda content: content[:4] + struct.pack("<I", 2 << 16) + content[8:], "format 2"),
        (lambda content: content.replace(b"; charset=UTF-8", b""), "ends within|charset"),
        (lambda content: content.replace(b"=UTF-8", b"=CHARS"), "'CHARS', which Python does not know"),
        (lambda content: content.replace(b"=UTF-8", b"=ascii"), "not encoded in ascii"),
    ],
)
def test_a_bad_catalogue_is_one_sentence_with_its_path(tmp_path, change, message):
    path = tmp_path / "bad.mo"
    write_catalogue(path, MESSAGES)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(BadInput, match=message) as caught:
        read_catalogue(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_a_catalogue_without_charset_or_that_is_a_folder(tmp_path):
    path = tmp_path / "bad.mo"
    write_catalogue(path, {"Open the file": "Datei offen"}, charset=None)
    with pytest.raises(BadInput, match=r"does not say .* \(charset\)"):
        read_catalogue(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_catalogue(tmp_path)


def test_damage_anywhere_never_ends_in_a_traceback(tmp_path):
    path = tmp_path / "bad.mo"
    write_catalogue(path, MESSAGES)
    whole, generator = path.read_bytes(), random.Random(0)
    damaged = [whole[:length] for length in range(len(whole))]
    for _ in range(500):
        content = bytearray(whole)
        for _ in range(generator.randint(1, 4)):
            content[generator.randrange(len(content))] = generator.randrange(256)
        damaged.append(bytes(content))
    refused = 0
    for content in damaged:
        path.write_bytes(content)
        try:
            for pair in read_catalogue(path):
                clean_pair(*pair)
        except BadInput:
            refused += 1
    assert refused >= len(whole)  # all that break off, whatever became of the others


# --- cleaning -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("english", "foreign", "cleaned"),
    [
        ("Open the _file", "Ö_ffne die Datei", ("Open the file", "Öffne die Datei")),
        ("Save the file &As...", "Datei speichern &unter…", ("Save the file As...", "Datei speichern unter...")),
        ("Copy the file && quit", "Datei kopieren && beenden", ("Copy the file & quit", "Datei kopieren & beenden")),
        ("_Print the page", "ページを印刷(_P)", ("Print the page", "ページを印刷")),
        ("Open the document...|O", "Dokument öffnen...|D", ("Open the document...", "Dokument öffnen...")),
        ("Stock label|Open the file", "Datei öffnen", ("Open the file", "Datei öffnen")),
        ("Read %d lines of “%s”", "%d Zeilen von „%s“ gelesen", ('Read X lines of "X"', 'X Zeilen von "X" gelesen')),
        ("File %1$s of type %2$s", "Typ %2$s der Datei %1$s", ("File X of type X", "Typ X der Datei X")),
        ("%(name)s has left the room", "%(name)s ist gegangen", ("X has left the room", "X ist gegangen")),
        ("Delete {count} of the pages", "{count} Seiten löschen", ("Delete X of the pages", "X Seiten löschen")),
        ("Copied 100% of the data", "100% der Daten kopiert", ("Copied 100% of the data", "100% der Daten kopiert")),
        ("Copied 50%% of the data", "50%% der Daten kopiert", ("Copied 50% of the data", "50% der Daten kopiert")),
        ("<b>Choose a</b> font", "Wählen Sie eine <b>Schrift</b>", ("Choose a font", "Wählen Sie eine Schrift")),
        ("Cut &amp; paste it", "Ausschneiden &amp; einfügen", ("Cut & paste it", "Ausschneiden & einfügen")),
        ("Two\nlines of\ttext", "Zwei\nZeilen  Text", ("Two lines of text", "Zwei Zeilen Text")),
    ],
)  # fmt: skip
def test_what_is_no_language_is_taken_out(english, foreign, cleaned):
    assert clean_pair(english, foreign) == (cleaned, "")


@pytest.mark.parametrize(
    ("english", "foreign", "reason"),
    [
        ("Portable Network Graphics", "Portable Network Graphics", "not translated"),
        ("Portable Network Graphics", "Portable _network graphics", "not translated"),
        ("Copied %d files", "Dateien kopiert", "different placeholders"),
        ("The option max_size is wrong", "Die Option max_size ist falsch", "code"),
        ("See http://example.org for help", "Hilfe unter http://example.org", "code"),
        ("Run it with --verbose please", "Bitte mit --verbose starten", "code"),
        ("Usage: tool <file> and more", "Aufruf: tool <Datei> und mehr", "code"),
        ("Open file", "Datei öffnen", "too short"),
        ("%s of %s: %s", "%s von %s: %s", "too short"),
        ("word " * 26, "Wort " * 26, "too long"),
        ("Read the license", "Lesen Sie die Lizenz, " + "und noch viel mehr " * 4, "too long"),
    ],
)
def test_what_is_no_pair_of_sentences_is_refused_with_a_reason(english, foreign, reason):
    assert clean_pair(english, foreign) == (None, reason)


def test_every_text_occurs_once_and_all_that_is_left_out_is_counted(tmp_path):
    one = {"Open the file": "Datei öffnen", "Close it now": "Jetzt schließen", "No": "Nein"}
    two = {"Open the file!": "Öffnen!", "Shut it now": "Jetzt schließen", "All is well": "Gut"}
    write_catalogue(tmp_path / "one.mo", one)
    write_catalogue(tmp_path / "two.mo", two)
    (tmp_path / "bad.mo").write_bytes(b"no catalogue")
    software = read_software((name, tmp_path / f"{name}.mo") for name in ("one", "bad", "two"))
    assert software.pairs == {
        "one": [("Jetzt schließen", "Close it now"), ("Datei öffnen", "Open the file")],
        "two": [("Gut", "All is well")],
    }
    assert software.refused == {"a duplicate": 2, "too short": 1}
    assert len(software.bad) == 1


# --- those of a machine -------------------------------------------------------------------------------------------


def test_load_pairs_of_the_software_of_a_machine(machine):
    machine("viewer", many(300))
    machine("other", {"Open the file": "Datei öffnen"}, order=">")
    machine("viewer", many(40, "fr"), "fr")
    whole = load_pairs("software", "all")
    assert len(whole) == 301
    assert ("Datei öffnen", "Open the file") in whole
    assert whole == load_pairs("software:de", "all")
    parts = [load_pairs("software", split) for split in ("train", "valid", "test")]
    assert sorted(pair for part in parts for pair in part) == sorted(whole)
    assert [len(part) > 3 for part in parts] == [True] * 3
    assert load_pairs("software", "all", 5) == whole[:5]
    assert all(german.endswith("(fr)") for german, _ in load_pairs("software:fr", "all"))


def test_splits_and_languages_that_are_not_there(machine):
    machine("viewer", many(3))
    with pytest.raises(BadInput, match="Software has the splits train, valid, test and all, but not 'dev'"):
        load_pairs("software", "dev")
    with pytest.raises(BadInput, match=r"no message catalogues of the language 'pt_BR'.*install"):
        load_pairs("software:pt_BR", "all")
    for language in ("../..", "German", "de/LC_MESSAGES", "*"):
        with pytest.raises(BadInput, match="is no name of a language"):
            load_pairs(f"software:{language}", "all")


def test_no_catalogue_at_all_says_what_to_install(machine, tmp_path):
    with pytest.raises(BadInput, match=r"apt install gimp-data .*--data grammar") as caught:
        load_pairs("software", "train")
    assert "\n" not in str(caught.value)
    assert catalogue_paths("de", [tmp_path / "nowhere"]) == []


def test_bad_catalogues_are_skipped_with_a_count(machine):
    machine("viewer", many(30))
    for name in ("bad", "worse"):
        machine(name, {}).write_bytes(b"no catalogue")
    with pytest.warns(UserWarning, match=r"skipped: 2\. The first: .*bad\.mo is no message catalogue"):
        assert len(load_pairs("software", "all")) == 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(installed_software("de").bad) == 2


def test_only_bad_catalogues_are_an_error_with_the_first(machine):
    machine("bad", {}).write_bytes(b"no catalogue")
    machine("short", {"Yes": "Ja"})
    with pytest.raises(BadInput, match=r"2 catalogues without a usable sentence .*bad\.mo is no message catalogue"):
        load_pairs("software", "all")


def test_where_catalogues_are_looked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("TEXTDOMAINDIR", str(tmp_path / "own"))
    monkeypatch.setenv("XDG_DATA_DIRS", f"{tmp_path}/a:{tmp_path}/b")
    found = [str(place) for place in folders()]
    assert found[0] == f"{tmp_path}/own"
    assert {f"{tmp_path}/a/locale", f"{tmp_path}/b/locale", f"{tmp_path}/b/locale-langpack"} <= set(found)
    monkeypatch.delenv("XDG_DATA_DIRS")
    assert "/usr/share/locale" in [str(place) for place in folders()]


def test_the_program_trains_on_software(machine, tmp_path, capsys):
    machine("viewer", many(120))
    options = ["--vocab-size", "300", "--num-layers", "1", "--d-model", "16", "--d-ff", "16", "--steps", "2"]
    assert cli.main(["train", "--data", "software", "--out", str(tmp_path / "run"), *options]) == 0
    assert "test: BLEU" in capsys.readouterr().out
    assert cli.main(["evaluate", str(tmp_path / "run"), "--split", "valid", "--worst", "0"]) == 0
    assert cli.main(["train", "--data", "software:xx", "--out", str(tmp_path / "none"), *options]) == 2
    assert "no message catalogues of the language 'xx'" in capsys.readouterr().err
