"""The grammar that the translator learns writes right German and right English.

Judged by tables and rules of this file's own.
"""

from __future__ import annotations

import re
from functools import cache

import pytest

from solutions import grammar
from solutions.grammar import HELD_OUT, SPLITS, aligned_pairs, grammar_pairs
from solutions.translation import words

# --- what this file knows of German, typed in anew ----------------------------------------------------------------

MASCULINE = "Mann Junge Lehrer Arzt Nachbar Freund Student Bruder König Sohn Hund Vogel Bär Brief Apfel Kuchen Koffer"
MASCULINE += " Hut Mantel Tisch Stuhl Schlüssel Ball"
FEMININE = "Frau Schwester Königin Tochter Großmutter Tante Katze Maus Kuh Zeitung Geschichte Suppe Birne Kartoffel Tür"
FEMININE += " Tasche Schachtel Jacke Lampe Blume Uhr"
NEUTER = "Kind Mädchen Pferd Tier Buch Gedicht Ei Fenster Hemd Bild Auto Glas"
PLURALS = """
    Männer Jungen Lehrer Ärzte Nachbarn Freunde Studenten Brüder Könige Söhne Hunde Vögel Bären Briefe Äpfel Kuchen
    Koffer Hüte Mäntel Tische Stühle Schlüssel Bälle Frauen Schwestern Königinnen Töchter Großmütter Tanten Katzen Mäuse
    Kühe Zeitungen Geschichten Suppen Birnen Kartoffeln Türen Taschen Schachteln Jacken Lampen Blumen Uhren Kinder
    Mädchen Pferde Tiere Bücher Gedichte Eier Fenster Hemden Bilder Autos Gläser"""
WEAK_NOUNS = {"Junge": "Jungen", "Nachbar": "Nachbarn", "Student": "Studenten", "Bär": "Bären"}

# Which (case, gender) an article may stand for: N, A, D with m, f, n, p.
ARTICLES = {
    "der": "Nm Df", "die": "Nf Np Af Ap", "das": "Nn An", "den": "Am Dp", "dem": "Dm Dn",
    "dieser": "Nm Df", "diese": "Nf Np Af Ap", "dieses": "Nn An", "diesen": "Am Dp", "diesem": "Dm Dn",
    "jeder": "Nm Df", "jede": "Nf Af", "jedes": "Nn An", "jeden": "Am", "jedem": "Dm Dn",
}  # fmt: skip
for stem in ("ein", "kein", "mein", "dein", "sein", "unser"):
    plural = "" if stem == "ein" else " Np Ap"
    ARTICLES |= {stem: "Nm Nn An", f"{stem}e": f"Nf Af{plural}", f"{stem}er": "Df", f"{stem}em": "Dm Dn"}
    ARTICLES[f"{stem}en"] = "Am" if stem == "ein" else "Am Dp"
WEAK_ENDINGS = {"e": "Nm Nf Nn Af An", "en": "Am Dm Df Dn Np Ap Dp"}
MIXED_ENDINGS = {"er": "Nm", "e": "Nf Af", "es": "Nn An", "en": "Am Dm Df Dn Np Ap Dp"}
STRONG_PLURAL = {"e": "Np Ap", "en": "Dp"}
STEMS = "alt jung klein groß müd klug freundlich reich arm ehrlich neu rot schwarz grün schwer schön teur dunkl billig"


@cache
def noun_readings(word):
    """What a noun may be, ``{"Nm", ...}``; nothing if it is no noun of the grammar's phrases."""
    found: set[str] = set()
    for gender, nouns in (("m", MASCULINE), ("f", FEMININE), ("n", NEUTER)):
        for noun in nouns.split():
            if word == noun:
                found |= {"N" + gender} if noun in WEAK_NOUNS else {case + gender for case in "NAD"}
            if WEAK_NOUNS.get(noun) == word:
                found |= {"A" + gender, "D" + gender}
    for noun in PLURALS.split():
        dative = noun if noun[-1] in "ns" else noun + "n"
        found |= {"Np", "Ap"} if word == noun else set()
        found |= {"Dp"} if word == dative else set()
    return frozenset(found)


def phrases(sentence):
    """Every noun with the words before it that belong to it, and all that the phrase may be."""
    tokens = words(sentence)
    if not noun_readings(tokens[0]) or noun_readings(tokens[1]):  # "Junge Brüder" begins with no noun
        tokens[0] = tokens[0].lower()
    for place, word in enumerate(tokens):
        readings = noun_readings(word)
        if not readings:
            continue
        start = place
        match = re.fullmatch(f"({'|'.join(STEMS.split())})(e[rsn]?)", tokens[place - 1]) if place else None
        if match:
            start -= 1
        ending = match[2] if match else None
        article = tokens[start - 1] if start else ""
        if article not in ARTICLES:
            yield tokens, start, place, agreeing("", ending, readings)
            continue
        found = agreeing(article, ending, readings)
        if start > 1 and tokens[start - 2] == ",":  # "die Frau, die Söhnen dankt" has a pronoun there
            found |= agreeing("", ending, readings)
        yield tokens, start - 1, place, found


def agreeing(article, ending, readings):
    """What is left of a noun's readings after this article (or none) and an adjective with this ending (or none)."""
    if article:
        left = readings & set(ARTICLES[article].split())
        weak = article.startswith(("d", "j")) and not article.startswith("dein")
        table = WEAK_ENDINGS if weak else MIXED_ENDINGS
    else:
        left, table = {reading for reading in readings if reading[1] == "p"}, STRONG_PLURAL  # a singular needs one
    return set(left) if ending is None else left & set(table.get(ending, "").split())


@pytest.fixture(scope="module")
def training():
    return aligned_pairs(20_000, 0)


@pytest.fixture(scope="module")
def held_out():
    return aligned_pairs(1000, 0, "held-out")


# --- agreement ----------------------------------------------------------------------------------------------------


def test_articles_adjectives_and_nouns_agree(training, held_out):
    checked = 0
    for pair in [*training[:8000], *held_out]:
        for tokens, start, place, readings in phrases(pair.german):
            assert readings, (pair.german, tokens[start : place + 1])
            checked += 1
    assert checked > 10_000


def test_this_test_sees_wrong_agreement():
    wrong = ("Die Hund schläft.", "Der alter Hund schläft.", "Ein alte Hund schläft.", "Der Studenten schläft.")
    wrong += (
        "Das kleinen Kind lacht.",
        "Dem Kind lachen alten Tiere.",
        "Hund schläft.",
        "Jede Tiere lachen.",
    )
    for sentence in wrong:
        assert not all(readings for *_, readings in phrases(sentence)), sentence


def test_prepositions_govern_their_case(training):
    for pair in training[:8000]:
        for tokens, start, _, readings in phrases(pair.german):
            case = {"mit": "D", "ohne": "A", "für": "A"}.get(tokens[start - 1] if start else "")
            assert case is None or case in {reading[0] for reading in readings}, pair.german


@pytest.mark.parametrize(
    ("verb", "case"),
    [("helf|hilf", "D"), ("dank", "D"), ("antwort", "D"), ("kauf", "A"), ("find", "A"), ("wasch|wäsch", "A")],
)
def test_objects_have_the_case_of_their_verb(training, verb, case):
    """In sentences of one clause with two phrases: one can be the subject, and the other one the object."""
    seen = 0
    for pair in training:
        if not re.search(verb, pair.german):
            continue
        main = re.search(rf"\b({verb})(e|t|et|st|est|en)?\b", pair.german.lower())
        found = [readings for *_, readings in phrases(pair.german)]
        if main and "," not in pair.german and len(found) == 2 and not re.search(r"\b(mit|ohne|für)\b", pair.german):
            cases = [{reading[0] for reading in readings} for readings in found]
            assert any("N" in one and case in other for one, other in (cases, cases[::-1])), pair.german
            seen += 1
    assert seen >= 20


def test_relative_pronouns_agree_with_their_noun(training, held_out):
    """They have the gender of the noun before the comma, and the case that their own clause asks for."""
    pronouns = {"der": "Nm Df", "die": "Nf Np Af Ap", "das": "Nn An", "den": "Am", "dem": "Dm Dn", "denen": "Dp"}
    seen = 0
    for pair in [*(pair for pair in training if "relative" in pair.constructions), *held_out]:
        for tokens, _, place, readings in phrases(pair.german):
            after = tokens[place + 1 : place + 3]
            if len(after) == 2 and after[0] == "," and after[1] in pronouns:
                genders = {reading[1] for reading in readings}
                assert genders & {reading[1] for reading in pronouns[after[1]].split()}, pair.german
                seen += 1
    assert seen > 500


# --- the place of the verb ----------------------------------------------------------------------------------------

FINITE = (
    "kann kannst können könnt muss musst müssen müsst will willst wollen wollt darf darfst dürfen dürft soll sollst"
)
FINITE += " sollen sollt habe hast hat haben habt bin bist ist sind seid werde wirst wird werden werdet"


def test_the_finite_verb_is_last_in_subordinate_clauses(training, held_out):
    """Modal verbs and auxiliaries show it: they follow the infinitive or participle there, and precede it elsewhere."""
    seen = 0
    for pair in [*training, *held_out]:
        for clause in re.split("[,.?]", pair.german):
            tokens = words(clause.lower())
            if tokens and tokens[0] in ("weil", "obwohl", "wenn", "bevor", "dass", "ob"):
                inside = [token for token in tokens if token in FINITE.split()]
                relative = re.search(f"{re.escape(clause)}, (d|w)", pair.german)  # it goes on after a relative clause
                if inside and not relative:
                    assert tokens[-1] in FINITE.split(), pair.german
                    seen += 1
    assert seen > 500


def test_the_finite_verb_comes_second_or_first_in_main_clauses(training):
    """With a pronoun for a subject there is nothing to confuse: it stands at one side of the verb or the other."""
    for pair in training:
        if "," in pair.german:
            continue
        tokens = words(pair.german.lower())
        places = [place for place, token in enumerate(tokens) if token in FINITE.split()]
        if tokens[0] in ("ich", "du", "wir") and places:
            assert places[0] == 1, pair.german
        if pair.german.endswith("?") and places:
            assert places[0] == 0, pair.german


def test_a_separable_verb_is_one_word_or_two_as_it_should():
    for pair in aligned_pairs(300, 5, "train", "separable"):
        assert not re.search(
            r"\b(auf|zu|ab|an|weg|mit|ein|zurück)(macht|ruft|holt|wirft|bringt|steht|geht|kommt)\b", pair.german
        )
    for pair in aligned_pairs(300, 5, "held-out", "separable-in-subordinate"):
        assert re.search(r"\w+[ ,.]", pair.german)
        assert re.search(r"\b(auf|zu|ab|an|weg|mit|ein|zurück)[a-zäöü]+(t|e|st|en)\b", pair.german), pair.german


# --- English ------------------------------------------------------------------------------------------------------


def test_english_articles_and_verbs_agree(training, held_out):
    auxiliary = "will can cannot must may should did"
    for pair in [*training, *held_out]:
        text = pair.english.lower()
        assert not re.search(r"\ba [aeiou]|\ba honest|\ban (?!honest)[^aeiou]", text), pair.english
        if not text.endswith("?"):
            for subject, verb in re.findall(r"\b(he|she|i|we|they) (\w+)", text):
                third = verb.endswith("s")
                assert subject in ("he", "she") or not third, pair.english
                if subject in ("he", "she") and not third:
                    assert verb in auxiliary.split() or verb in PAST.split(), pair.english


PAST = """
    saw bought read ate looked found loved knew painted carried washed sold forgot needed heard visited wrote helped
    thanked followed answered opened closed called picked invited threw took brought put got arrived left fell came
    slept laughed worked sang danced waited cried cooked played ran believed said asked"""


# --- by hand ------------------------------------------------------------------------------------------------------


def noun(name):
    return next(noun for kind in grammar.nouns().values() for noun in kind if noun.german == name)


def verb(infinitive, prefix=""):
    return next(v for v in grammar.verbs() if (v.infinitive, v.prefix) == (infinitive, prefix))


def said(tokens):
    return " ".join(word for word, _ in tokens)


@pytest.mark.parametrize(
    ("name", "plural", "determiner", "adjective", "forms"),
    [
        ("Hund", False, "der", "alt", "der alte Hund, den alten Hund, dem alten Hund"),
        ("Frau", False, "der", "alt", "die alte Frau, die alte Frau, der alten Frau"),
        ("Kind", False, "ein", "müd", "ein müdes Kind, ein müdes Kind, einem müden Kind"),
        ("Hund", False, "ein", "klein", "ein kleiner Hund, einen kleinen Hund, einem kleinen Hund"),
        ("Student", False, "dies", None, "dieser Student, diesen Studenten, diesem Studenten"),
        ("Bild", True, "mein", "teur", "meine teuren Bilder, meine teuren Bilder, meinen teuren Bildern"),
        ("Auto", True, "ein", "neu", "neue Autos, neue Autos, neuen Autos"),
        ("Mantel", False, "unser", "dunkl", "unser dunkler Mantel, unseren dunklen Mantel, unserem dunklen Mantel"),
    ],
)
def test_declension_by_hand(name, plural, determiner, adjective, forms):
    phrase = grammar.NounPhrase(noun(name), plural, determiner, (adjective, "") if adjective else None)
    assert ", ".join(said(phrase.german(case)) for case in ("nom", "acc", "dat")) == forms


@pytest.mark.parametrize(
    ("infinitive", "forms"),
    [
        ("lesen", "lese liest liest lesen lest lesen"),
        ("laden", "lade lädst lädt laden ladet laden"),
        ("warten", "warte wartest wartet warten wartet warten"),
        ("tanzen", "tanze tanzt tanzt tanzen tanzt tanzen"),
        ("nehmen", "nehme nimmst nimmt nehmen nehmt nehmen"),
        ("machen", "mache machst macht machen macht machen"),
    ],
)
def test_conjugation_by_hand(infinitive, forms):
    found = next(v for v in grammar.verbs() if v.infinitive == infinitive)
    assert " ".join(found.forms()) == forms


@pytest.mark.parametrize(
    ("tense", "negated", "order", "german", "english"),
    [
        ("present", False, "second", "die Frau macht die Tür auf", "the woman opens the door"),
        ("present", True, "second", "die Frau macht die Tür nicht auf", "the woman does not open the door"),
        ("present", True, "last", "die Frau die Tür nicht aufmacht", "the woman does not open the door"),
        ("perfect", False, "second", "die Frau hat die Tür aufgemacht", "the woman opened the door"),
        ("perfect", True, "last", "die Frau die Tür nicht aufgemacht hat", "the woman did not open the door"),
        ("future", False, "first", "wird die Frau die Tür aufmachen", "will the woman open the door"),
        ("müssen", True, "second", "die Frau muss die Tür nicht aufmachen", "the woman does not have to open the door"),
        ("dürfen", True, "second", "die Frau darf die Tür nicht aufmachen", "the woman must not open the door"),
        ("können", True, "first", "kann die Frau die Tür nicht aufmachen", "can the woman not open the door"),
        ("wollen", False, "last", "die Frau die Tür aufmachen will", "the woman wants to open the door"),
    ],
)
def test_clauses_by_hand(tense, negated, order, german, english):
    subject = grammar.NounPhrase(noun("Frau"), False, "der")
    thing = grammar.NounPhrase(noun("Tür"), False, "der")
    clause = grammar.Clause(subject, verb("machen", "auf"), thing, tense, negated)
    assert said(clause.german(order)) == german
    assert said(clause.english(question=order == "first")) == english


def test_kein_says_no_and_one_at_once():
    subject = grammar.NounPhrase(noun("Kind"), False, "der")
    clause = grammar.Clause(subject, verb("kaufen"), grammar.NounPhrase(noun("Ball"), False, "ein"), "present", True)
    german, english = clause.german("second"), clause.english()
    assert said(german) == "das Kind kauft keinen Ball"
    assert said(english) == "the child does not buy a ball"
    kein = german[3][1]
    assert [word for word, links in english if links & kein] == ["not", "a"]


def test_every_and_not_do_not_meet(training, held_out):
    """ "Jeder schläft nicht" and "every one does not sleep" are read in two ways; "nicht mit jedem" is read in one."""
    for pair in [*training, *held_out]:
        for clause in re.split("[,.?]", pair.german):
            if re.search("(?<!mit )(?<!ohne )(?<!für )\\bjede", clause, re.I):
                assert not re.search(r"\b(nicht|kein\w*)\b", clause), pair


# --- splits and alignments ----------------------------------------------------------------------------------------


def test_twenty_thousand_different_sentences_the_same_for_the_same_seed(training):
    assert len({pair.german for pair in training}) == 20_000
    assert aligned_pairs(500, 0) == training[:500]
    assert aligned_pairs(500, 1) != training[:500]
    assert grammar_pairs(50, 0) == [(pair.german, pair.english) for pair in training[:50]]


def test_a_german_sentence_has_one_translation(training):
    known = {pair.german: pair.english for pair in training}
    for pair in aligned_pairs(5000, 7):
        assert known.get(pair.german, pair.english) == pair.english


def test_no_sentence_is_in_two_splits(training, held_out):
    others = {split: {pair.german for pair in aligned_pairs(300, 3, split)} for split in ("valid", "test")}
    sets = [{pair.german for pair in training}, {pair.german for pair in held_out}, *others.values()]
    assert len(set().union(*sets)) == sum(map(len, sets))


def test_held_out_constructions_are_held_out_and_their_parts_are_not(training, held_out):
    seen = set().union(*(pair.constructions for pair in training))
    assert not seen & HELD_OUT.keys()
    assert seen == grammar.CONSTRUCTIONS.keys()
    assert all(len(pair.constructions & HELD_OUT.keys()) == 1 for pair in held_out)
    assert set().union(*(pair.constructions for pair in held_out)) >= HELD_OUT.keys()
    parts = {
        "negated-modal-in-subordinate": [{"modal", "negation"}, {"modal", "subordinate"}, {"negation", "subordinate"}],
        "separable-in-subordinate": [{"separable"}, {"separable", "perfect", "subordinate"}],
        "modal-with-fronted-object": [{"modal"}, {"fronted-object"}],
        "relative-in-subordinate": [{"relative"}, {"subordinate"}],
    }
    assert parts.keys() == HELD_OUT.keys()
    for needed in (part for all_of_them in parts.values() for part in all_of_them):
        assert sum(needed <= pair.constructions for pair in training) > 100, needed


def test_every_held_out_construction_can_be_asked_for():
    for name in HELD_OUT:
        assert all(name in pair.constructions for pair in aligned_pairs(20, 2, "held-out", name))


def test_alignments_link_all_words_but_commas(training):
    for pair in training[:3000]:
        german, english = words(pair.german), words(pair.english)
        assert all(i < len(german) and j < len(english) for i, j in pair.alignment)
        linked = {i for i, _ in pair.alignment}
        assert all(i in linked or word == "," for i, word in enumerate(german)), pair
        assert {j for _, j in pair.alignment} == set(range(len(english))), pair


def test_alignments_link_what_means_the_same(training):
    dictionary = {
        "Hund": {"dog"},
        "Hunde": {"dogs"},
        "weil": {"because"},
        "heute": {"today"},
        "gekauft": {"bought", "buy"},
    }
    seen = 0
    for pair in training:
        german, english = words(pair.german), words(pair.english)
        for i, j in pair.alignment:
            if german[i] in dictionary:
                assert english[j].lower() in dictionary[german[i]], pair
                seen += 1
    assert seen > 500


def test_wrong_names_are_refused():
    with pytest.raises(ValueError, match="split"):
        aligned_pairs(1, 0, "dev")
    with pytest.raises(ValueError, match="no construction"):
        aligned_pairs(1, 0, "train", "passive")
    with pytest.raises(ValueError, match="held out"):
        aligned_pairs(1, 0, "train", "relative-in-subordinate")
    assert SPLITS == ("train", "valid", "test", "held-out")
