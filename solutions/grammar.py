"""A small generative grammar of German and English: the sentence pairs that the chapter on translation learns from.

It writes a German sentence and its English translation from one structure, so it knows which word belongs to which.
What it knows of German:

- three genders, singular and plural, nominative, accusative and dative, with articles, possessives and *kein*;
- the weak, mixed and strong endings of adjectives (*der alte Hund, ein alter Hund, alte Hunde*), dative plurals in
  *-n*, weak nouns (*der Student, den Studenten*);
- present, perfect with *haben* or *sein*, future, and five modal verbs, for all six persons;
- separable verbs (*sie macht die Tür auf*, *sie hat die Tür aufgemacht*), and verbs with a dative object;
- the finite verb second in main clauses, whatever comes first, first in questions, last in subordinate clauses;
- relative clauses, whose pronoun has the gender of its noun and the case of its own clause;
- *nicht* and *kein*, where each has to stand; negated modals mean what they mean (*darf nicht*: must not; *muss nicht*:
  does not have to).

Every German sentence has one translation only. There is no polite *Sie*, *sie* is never an object, and where nothing
but the order tells subject from object (*Die Frau sieht die Katze*), the subject comes first. No clause is negated
whose subject, object or time says *jeder*: "not every" and "every … not" are different things, easily mixed up.

Some constructions are held out (`HELD_OUT`): their parts occur in training, they themselves never do. How a model
translates them says what it has learned about the language, rather than about the sentences.
"""

import itertools
import random
import re
import zlib
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

# --- words --------------------------------------------------------------------------------------------------------

# German, gender, German plural, English, English plural; a star marks weak nouns, whose other forms are all the plural.
NOUNS = {
    "person": """
        Mann m Männer man men; Frau f Frauen woman women; Kind n Kinder child children; Junge* m Jungen boy boys;
        Mädchen n Mädchen girl girls; Lehrer m Lehrer teacher teachers; Arzt m Ärzte doctor doctors;
        Nachbar* m Nachbarn neighbour neighbours; Freund m Freunde friend friends;
        Student* m Studenten student students;
        Bruder m Brüder brother brothers; Schwester f Schwestern sister sisters; König m Könige king kings;
        Königin f Königinnen queen queens; Tochter f Töchter daughter daughters; Sohn m Söhne son sons;
        Großmutter f Großmütter grandmother grandmothers; Tante f Tanten aunt aunts""",
    "animal": """
        Hund m Hunde dog dogs; Katze f Katzen cat cats; Pferd n Pferde horse horses; Vogel m Vögel bird birds;
        Maus f Mäuse mouse mice; Kuh f Kühe cow cows; Bär* m Bären bear bears; Tier n Tiere animal animals""",
    "text": """
        Buch n Bücher book books; Brief m Briefe letter letters; Zeitung f Zeitungen newspaper newspapers;
        Geschichte f Geschichten story stories; Gedicht n Gedichte poem poems""",
    "food": """
        Apfel m Äpfel apple apples; Kuchen m Kuchen cake cakes; Suppe f Suppen soup soups; Ei n Eier egg eggs;
        Birne f Birnen pear pears; Kartoffel f Kartoffeln potato potatoes""",
    "door": """
        Tür f Türen door doors; Fenster n Fenster window windows; Koffer m Koffer suitcase suitcases;
        Tasche f Taschen bag bags; Schachtel f Schachteln box boxes""",
    "clothes": """
        Hut m Hüte hat hats; Mantel m Mäntel coat coats; Hemd n Hemden shirt shirts; Jacke f Jacken jacket jackets""",
    "thing": """
        Tisch m Tische table tables; Stuhl m Stühle chair chairs; Lampe f Lampen lamp lamps;
        Bild n Bilder picture pictures;
        Schlüssel m Schlüssel key keys; Auto n Autos car cars; Blume f Blumen flower flowers; Ball m Bälle ball balls;
        Uhr f Uhren clock clocks; Glas n Gläser glass glasses""",
}
ALIVE = ("person", "animal")
THINGS = ("text", "food", "door", "clothes", "thing")

# German, its stem before an ending, English.
ADJECTIVES = {
    "alive": """
        alt alt old; jung jung young; klein klein small; groß groß big; müde müd tired; klug klug clever;
        freundlich freundlich friendly; reich reich rich; arm arm poor; ehrlich ehrlich honest""",
    "thing": """
        alt alt old; neu neu new; klein klein small; groß groß big; rot rot red; schwarz schwarz black; grün grün green;
        schwer schwer heavy; schön schön beautiful; teuer teur expensive; dunkel dunkl dark; billig billig cheap""",
}

# Infinitive (prefix+verb if separable); forms of du and er, where they are irregular; participle and its auxiliary;
# case and kind of the object; English: present, past, and a particle. "place" and "with": what may be added.
VERBS = """
    sehen | siehst sieht | gesehen haben | acc person animal thing text door | see saw | place
    kaufen | | gekauft haben | acc thing text food clothes | buy bought | place
    lesen | liest liest | gelesen haben | acc text | read read | place
    essen | isst isst | gegessen haben | acc food | eat ate | place
    suchen | | gesucht haben | acc person animal thing text clothes | look looked for | place
    finden | | gefunden haben | acc person animal thing text clothes | find found | place
    lieben | | geliebt haben | acc person animal | love loved |
    kennen | | gekannt haben | acc person text | know knew |
    malen | | gemalt haben | acc person animal thing food | paint painted | place
    tragen | trägst trägt | getragen haben | acc thing clothes door | carry carried | place
    waschen | wäschst wäscht | gewaschen haben | acc person animal clothes | wash washed | place
    verkaufen | | verkauft haben | acc thing text clothes | sell sold | place
    vergessen | vergisst vergisst | vergessen haben | acc thing text clothes person | forget forgot |
    brauchen | | gebraucht haben | acc person thing text clothes | need needed |
    hören | | gehört haben | acc person animal | hear heard | place
    besuchen | | besucht haben | acc person | visit visited |
    schreiben | | geschrieben haben | acc text | write wrote | place
    helfen | hilfst hilft | geholfen haben | dat person animal | help helped | place
    danken | | gedankt haben | dat person | thank thanked |
    folgen | | gefolgt sein | dat person animal | follow followed |
    antworten | | geantwortet haben | dat person | answer answered |
    auf+machen | | gemacht haben | acc door | open opened |
    zu+machen | | gemacht haben | acc door | close closed |
    an+rufen | | gerufen haben | acc person | call called |
    ab+holen | | geholt haben | acc person animal thing | pick picked up |
    ein+laden | lädst lädt | geladen haben | acc person | invite invited |
    weg+werfen | wirfst wirft | geworfen haben | acc thing text food | throw threw away |
    mit+nehmen | nimmst nimmt | genommen haben | acc person animal thing clothes | take took along |
    zurück+bringen | | gebracht haben | acc animal thing text | bring brought back |
    an+ziehen | | gezogen haben | acc clothes | put put on |
    auf+essen | isst isst | gegessen haben | acc food | eat ate up |
    auf+stehen | | gestanden sein | | get got up |
    an+kommen | | gekommen sein | | arrive arrived | place
    weg+gehen | | gegangen sein | | leave left |
    ein+schlafen | schläfst schläft | geschlafen sein | | fall fell asleep | place
    zurück+kommen | | gekommen sein | | come came back |
    schlafen | schläfst schläft | geschlafen haben | | sleep slept | place
    lachen | | gelacht haben | | laugh laughed | with
    arbeiten | | gearbeitet haben | | work worked | place with
    singen | | gesungen haben | | sing sang | place with
    tanzen | | getanzt haben | | dance danced | place with
    warten | | gewartet haben | | wait waited | place with
    weinen | | geweint haben | | cry cried |
    kochen | | gekocht haben | | cook cooked | place with
    spielen | | gespielt haben | | play played | place with
    laufen | läufst läuft | gelaufen sein | | run ran | place
"""

# The forms of the present tense: ich, du, er, wir, ihr, sie.
AUXILIARIES = {
    "haben": "habe hast hat haben habt haben",
    "sein": "bin bist ist sind seid sind",
    "werden": "werde wirst wird werden werdet werden",
    "können": "kann kannst kann können könnt können",
    "müssen": "muss musst muss müssen müsst müssen",
    "wollen": "will willst will wollen wollt wollen",
    "dürfen": "darf darfst darf dürfen dürft dürfen",
    "sollen": "soll sollst soll sollen sollt sollen",
    "wissen": "weiß weißt weiß wissen wisst wissen",
}
MODALS = ("können", "müssen", "wollen", "dürfen", "sollen")

# Nominative, accusative, dative; person of the verb; English subject and object. None: "sie" is never an object.
PRONOUNS = (
    ("ich", "mich", "mir", 0, "I", "me"),
    ("du", "dich", "dir", 1, "you", "you"),
    ("er", "ihn", "ihm", 2, "he", "him"),
    ("sie", None, "ihr", 2, "she", "her"),
    ("wir", "uns", "uns", 3, "we", "us"),
    ("ihr", "euch", "euch", 4, "you", "you"),
    ("sie", None, "ihnen", 5, "they", "them"),
)

# German and English, word by word: "im" is "in the". The tenses with which a time goes.
PLACES = (
    (("in", "in"), ("der", "the"), ("Küche", "kitchen")),
    (("im", "in the"), ("Garten", "garden")),
    (("im", "in the"), ("Haus", "house")),
    (("auf", "at"), ("dem", "the"), ("Markt", "market")),
    (("am", "at the"), ("Bahnhof", "station")),
    (("im", "in the"), ("Park", "park")),
    (("vor", "in front of"), ("der", "the"), ("Kirche", "church")),
    (("im", "in the"), ("Wald", "forest")),
)
TIMES = (
    ((("heute", "today"),), ("present", "perfect", "future", "modal")),
    ((("jetzt", "now"),), ("present", "modal")),
    ((("jeden", "every"), ("Tag", "day")), ("present", "modal")),
    ((("am", "in the"), ("Abend", "evening")), ("present", "perfect", "future", "modal")),
    ((("am", "on"), ("Montag", "Monday")), ("perfect", "future", "modal")),
    ((("morgen", "tomorrow"),), ("future", "modal")),
    ((("gestern", "yesterday"),), ("perfect",)),
)
PREPOSITIONS = (("mit", "with", "dat"), ("ohne", "without", "acc"), ("für", "for", "acc"))
CONJUNCTIONS = (("weil", "because"), ("obwohl", "although"), ("wenn", "if"), ("bevor", "before"))
# What introduces a clause, and the English of it.
MATRIX = (
    ("wissen", ("know", "knew"), ("dass", "that")),
    ("glauben", ("believe", "believed"), ("dass", "that")),
    ("sagen", ("say", "said"), ("dass", "that")),
    ("fragen", ("ask", "asked"), ("ob", "whether")),
)


# --- endings ------------------------------------------------------------------------------------------------------

# For each case the endings for masculine, feminine, neuter, plural.
GENDERS = "mfnp"
DEFINITE = {"nom": "der die das die", "acc": "den die das die", "dat": "dem der dem den"}
DIES = {"nom": "er e es e", "acc": "en e es e", "dat": "em er em en"}  # dieser, jeder
EIN = {"nom": "- e - e", "acc": "en e - e", "dat": "em er em en"}  # ein, kein, mein, unser
WEAK = {"nom": "e e e en", "acc": "en e e en", "dat": "en en en en"}  # after der and dieser
MIXED = {"nom": "er e es en", "acc": "en e es en", "dat": "en en en en"}  # after ein, kein, mein
STRONG = {"nom": "er e es e", "acc": "en e es e", "dat": "em er em en"}  # after no article at all
WHO = {"nom": "der die das die", "acc": "den die das die", "dat": "dem der dem denen"}  # relative pronouns

POSSESSIVES = {"mein": "my", "dein": "your", "unser": "our", "sein": "his"}


def ending(table, case, gender):
    """The ending in a table, for one of `GENDERS`."""
    return table[case].split()[GENDERS.index(gender)].replace("-", "")


# --- constructions ------------------------------------------------------------------------------------------------

# What a pair may contain (`AlignedPair.constructions`), and what it means.
CONSTRUCTIONS = {
    "adjective": "an adjective before a noun",
    "plural": "a noun in the plural",
    "dative": "a verb with a dative object",
    "separable": "a separable verb",
    "perfect": "the perfect tense",
    "future": "the future tense",
    "modal": "a modal verb",
    "negation": "nicht or kein",
    "question": "a question",
    "subordinate": "a subordinate clause",
    "relative": "a relative clause",
    "fronted-adverb": "a main clause that begins with an adverb",
    "fronted-object": "a main clause that begins with its object",
    "fronted-clause": "a main clause that begins with a subordinate one",
}
HELD_OUT = {
    "separable-in-subordinate": "a separable verb as the finite verb of a subordinate or relative clause, in one word",
    "negated-modal-in-subordinate": "a negated modal verb in a subordinate or relative clause",
    "modal-with-fronted-object": "a modal verb in a main clause that begins with its object",
    "relative-in-subordinate": "a relative clause inside a subordinate clause",
}
SPLITS = ("train", "valid", "test", "held-out")


class AlignedPair(NamedTuple):
    """A German sentence, its translation, and which words belong together.

    Attributes:
        german, english: the sentences.
        alignment: pairs ``(i, j)``: word ``i`` of the German sentence and word ``j`` of the English one, counted from
            0, punctuation included (`solutions.given.words`). Some words belong to none, some to several.
        constructions: names of `CONSTRUCTIONS` and `HELD_OUT` that are in it.
    """

    german: str
    english: str
    alignment: frozenset
    constructions: frozenset


# --- inside: structures that can be said in both languages --------------------------------------------------------
# A said word is (word, links): a German and an English word belong together if they share a link.


class Noun(NamedTuple):
    """A noun; ``kind`` is a key of `NOUNS`."""

    german: str
    gender: str
    plural: str
    english: str
    english_plural: str
    kind: str
    weak: bool


class Verb(NamedTuple):
    """A verb; ``case`` is ``""`` if it takes no object. ``extras``: may it have a place, or company?"""

    prefix: str
    infinitive: str
    du: str
    er: str
    participle: str
    auxiliary: str
    case: str
    kinds: tuple
    english: str
    past: str
    particle: str
    extras: tuple

    def forms(self):
        """The present tense for the six persons, without the prefix."""
        stem = re.sub("e?n$", "", self.infinitive)
        e = "e" if stem[-1] in "td" else ""
        du = self.du or stem + e + ("t" if stem[-1] in "sßzx" else "st")
        er = self.er or stem + e + "t"
        return (stem + "e", du, er, self.infinitive, stem + e + "t", self.infinitive)


@cache
def nouns():
    """All nouns by their kind."""
    found = {}
    for kind, text in NOUNS.items():
        rows = [entry.split() for entry in text.split(";")]
        found[kind] = [
            Noun(de.rstrip("*"), gender, plural, english, english_plural, kind, de.endswith("*"))
            for de, gender, plural, english, english_plural in rows
        ]
    return found


@cache
def adjectives():
    """All adjectives by what they go with: (stem, English)."""
    return {kind: [entry.split()[1:] for entry in text.split(";")] for kind, text in ADJECTIVES.items()}


@cache
def verbs():
    """All verbs."""
    found = []
    for line in VERBS.strip().splitlines():
        name, irregular, perfect, objects, english, extras = (part.strip() for part in line.split("|"))
        prefix, _, infinitive = name.rpartition("+")
        du, er = irregular.split() or ("", "")
        participle, auxiliary = perfect.split()
        case, *kinds = objects.split() or [""]
        base, past, *particle = english.split()
        found.append(
            Verb(
                prefix,
                infinitive,
                du,
                er,
                prefix + participle,
                auxiliary,
                case,
                tuple(kinds),
                base,
                past,
                "".join(particle),
                tuple(extras.split()),
            )
        )
    return found


def third_person(base):
    """An English verb with its -s."""
    if base == "have":
        return "has"
    if re.search("[^aeiou]y$", base):
        return base[:-1] + "ies"
    return base + ("es" if re.search("(s|sh|ch|x|z|o)$", base) else "s")


links = itertools.count()


@dataclass
class NounPhrase:
    """A noun with what goes before and after it."""

    noun: Noun
    plural: bool
    determiner: str  # "der", "dies", "jed", "ein", "kein" or a possessive
    adjective: tuple | None = None
    relative: "Clause | None" = None

    def __post_init__(self):
        self.link = [next(links) for _ in range(4)]  # determiner, adjective, noun, relative pronoun
        self.negation: int | None = None  # the link of a "not" that this phrase says as "kein"

    @property
    def person(self):
        """Which form of a verb goes with it."""
        return 5 if self.plural else 2

    @property
    def gender(self):
        """One of `GENDERS`."""
        return "p" if self.plural else self.noun.gender

    @property
    def definite(self):
        """Whether it comes early in a German clause."""
        return self.determiner not in ("ein", "kein")

    def german(self, case):
        """The phrase in a case, as said words, without the relative clause."""
        gender, said, link = self.gender, [], self.link
        if self.determiner == "der":
            said.append((ending(DEFINITE, case, gender), {link[0]}))
        elif self.determiner in ("dies", "jed"):
            said.append((self.determiner + ending(DIES, case, gender), {link[0]}))
        elif self.determiner != "ein" or not self.plural:
            article = self.determiner if self.negation is None else "kein"
            also = set() if self.negation is None else {self.negation}
            said.append((article + ending(EIN, case, gender), {link[0]} | also))
        elif self.negation is not None:
            said.append(("kein" + ending(EIN, case, gender), {self.negation}))
        if self.adjective is not None:
            table = WEAK if self.determiner in ("der", "dies", "jed") else MIXED if said else STRONG
            said.append((self.adjective[0] + ending(table, case, gender), {link[1]}))
        word = self.noun.plural if self.plural or (self.noun.weak and case != "nom") else self.noun.german
        if self.plural and case == "dat" and word[-1] not in "ns":
            word += "n"
        return [*said, (word, {link[2]})]

    def english(self, _role="subject"):
        """The phrase as said words, without the relative clause."""
        noun = self.noun.english_plural if self.plural else self.noun.english
        rest = [(noun, {self.link[2]})]
        if self.adjective is not None:
            rest.insert(0, (self.adjective[1], {self.link[1]}))
        determiner = {"der": "the", "dies": "these" if self.plural else "this", "jed": "every", **POSSESSIVES}
        if self.determiner in determiner:
            return [(determiner[self.determiner], {self.link[0]}), *rest]
        if self.plural:
            return rest
        return [("an" if rest[0][0][0] in "aeiou" or rest[0][0] == "honest" else "a", {self.link[0]}), *rest]


@dataclass
class Pronoun:
    """One of `PRONOUNS`."""

    forms: tuple

    definite, relative, negation = True, None, None

    def __post_init__(self):
        self.link = next(links)
        self.person = self.forms[3]

    def german(self, case):
        """The pronoun in a case."""
        return [(self.forms[("nom", "acc", "dat").index(case)], {self.link})]

    def english(self, role="subject"):
        """The pronoun as subject or object."""
        return [(self.forms[4 if role == "subject" else 5], {self.link})]


@dataclass
class Clause:
    """A subject, a verb, and what else there is: everything but the order.

    ``tense`` is ``"present"``, ``"perfect"``, ``"future"`` or one of `MODALS`. ``subject`` or ``object`` may be a
    phrase outside of this clause that a relative pronoun stands for: then ``gap`` says which.
    """

    subject: "NounPhrase | Pronoun"
    verb: Verb
    object: "NounPhrase | Pronoun | None"
    tense: str
    negated: bool
    time: tuple = ()
    place: tuple = ()
    company: "tuple | None" = None  # a preposition and a phrase
    gap: str = ""

    def __post_init__(self):
        self.finite, self.main, self.no = (next(links) for _ in range(3))
        self.word_links = [next(links) for _ in range(8)]
        self.negated = self.negated and not self.says_every  # "not every" is another matter
        if self.negated and self.says_kein:
            assert self.object is not None
            self.object.negation = self.no

    @property
    def says_kein(self):
        """Whether its negation is "kein": if there is an indefinite object to say it with."""
        return self.object is not None and self.gap != "object" and not self.object.definite

    @property
    def says_every(self):
        """Whether its subject, object or time has an "every"."""
        determiners = [getattr(phrase, "determiner", "") for phrase in (self.subject, self.object)]
        return "jed" in determiners or any(german == "jeden" for german, _ in self.time)

    @property
    def modal(self):
        """Whether there is a modal verb."""
        return self.tense in MODALS

    def fixed(self, group, language, first):
        """The words of a time or place, with links from ``first``."""
        return [
            (word, {self.word_links[first + index]})
            for index, both in enumerate(group)
            for word in both[language].split()
        ]

    def german_verb(self):
        """The finite verb, and the words at the end of a main clause."""
        verb, person = self.verb, self.subject.person
        if self.tense == "present":
            rest = [(verb.prefix, {self.main})] if verb.prefix else []
            return (verb.forms()[person], {self.finite, self.main}), rest
        if self.tense == "perfect":
            auxiliary, form = verb.auxiliary, verb.participle
        else:
            auxiliary, form = "werden" if self.tense == "future" else self.tense, verb.prefix + verb.infinitive
        return (AUXILIARIES[auxiliary].split()[person], {self.finite}), [(form, {self.main})]

    def german(self, order, front="subject"):
        """As said words. ``order`` is the position of the finite verb: "second", "first" or "last".

        ``front`` comes before a finite verb in second position: subject, object, time, or "" where the first is taken.
        """
        parts = {
            "subject": [] if self.gap == "subject" else self.subject.german("nom"),
            "object": [] if self.object is None or self.gap == "object" else self.object.german(self.verb.case),
            "time": self.fixed(self.time, 0, 0),
        }
        first = parts[front] if order == "second" and front else []
        early, late = (parts["object"], []) if self.object is None or self.object.definite else ([], parts["object"])
        middle: list[tuple[str, set[int]]] = []
        for part in (parts["subject"], early, parts["time"]):
            if part is not first:
                middle += part
        if self.negated and not self.says_kein:
            middle.append(("nicht", {self.no}))
        if self.company is not None:
            (preposition, _, case), phrase = self.company
            middle += [(preposition, {self.word_links[6]}), *phrase.german(case)]
        middle += self.fixed(self.place, 0, 3)
        if late is not first:
            middle += late
        finite, end = self.german_verb()
        if order == "last":
            if self.tense == "present" and self.verb.prefix:
                return [*middle, (self.verb.prefix + finite[0], finite[1])]
            return [*middle, *end, finite]
        first = self.with_relative(first, self.subject) if front == "subject" else first
        said = [*first, finite, *middle, *end]
        return said if self.object is None or self.gap else self.with_relative(said, self.object)

    @staticmethod
    def with_relative(said, phrase):
        """The phrase's relative clause after these words, with its commas; the last comma may be one too many."""
        if not said or phrase.relative is None:
            return said
        return [*said, (",", set()), *phrase.relative.as_relative(phrase)[0], (",", set())]

    def as_relative(self, head):
        """The relative clause that says more of ``head``: German and English words, without commas."""
        case = "nom" if self.gap == "subject" else self.verb.case
        pronoun = (ending(WHO, case, head.gender), {head.link[3]})
        who = "who" if self.gap == "subject" and head.noun.kind == "person" else "that"
        return [pronoun, *self.german("last")], [(who, {head.link[3]}), *self.english()]

    def english_verb(self, question=False):
        """The words before the subject of a question, those after it, and a simple form for plain statements."""
        verb, third, finite, no = self.verb, self.subject.person == 2, {self.finite}, [("not", {self.no})]
        not_ = no if self.negated else []
        base = [(verb.english, {self.main})]
        does = ("does" if third else "do", finite)
        if self.tense == "future":
            return [("will", finite)], [*not_, *base]
        if self.tense in ("müssen", "wollen"):
            plain = "have" if self.tense == "müssen" else "want"
            to = [("to", finite), *base]
            return [does], [*not_, (plain, finite), *to], [(third_person(plain) if third else plain, finite), *to]
        if self.modal:
            if self.tense == "können" and self.negated and not question:
                return [("cannot", {self.finite, self.no})], base
            can = {"können": "can", "dürfen": "must" if self.negated else "may", "sollen": "should"}[self.tense]
            return [(can, finite)], [*not_, *base]
        both = {self.finite, self.main}
        if self.tense == "perfect":
            return [("did", finite)], [*not_, *base], [(verb.past, both)]
        return [does], [*not_, *base], [(third_person(verb.english) if third else verb.english, both)]

    def english(self, question=False, front=""):
        """As said words; ``front="time"`` puts the time first."""
        before, after, *simple = self.english_verb(question)
        subject = [] if self.gap == "subject" else self.subject.english("subject")
        if question:
            said = [*before, *subject, *after]
        else:
            if self.gap != "subject" and self.subject.relative is not None:
                subject += self.subject.relative.as_relative(self.subject)[1]
            said = [*subject, *(simple[0] if simple and not self.negated else [*before, *after])]
        particle = [(self.verb.particle, {self.main})] if self.verb.particle else []
        thing = [] if self.object is None or self.gap == "object" else self.object.english("object")
        # "picks the dog up" would be right as well; a pronoun has to stand between, except after "look for".
        between = isinstance(self.object, Pronoun) and self.verb.particle != "for"
        said += [*thing, *particle] if between else [*particle, *thing]
        if self.company is not None:
            (_, preposition, _), phrase = self.company
            said += [(preposition, {self.word_links[6]}), *phrase.english("object")]
        said += self.fixed(self.place, 1, 3)
        time = self.fixed(self.time, 1, 0)
        said = [*time, *said] if front == "time" else [*said, *time]
        if thing and self.object is not None and self.object.relative is not None:
            said += self.object.relative.as_relative(self.object)[1]
        return said

    def held_out(self, order, front):
        """Which of `HELD_OUT` this clause is, without looking into relative clauses."""
        found = set()
        if order == "last":
            if self.tense == "present" and self.verb.prefix:
                found.add("separable-in-subordinate")
            if self.modal and self.negated:
                found.add("negated-modal-in-subordinate")
            if any(phrase is not None and phrase.relative is not None for phrase in self.inner_phrases()):
                found.add("relative-in-subordinate")
        if order == "second" and front == "object" and self.modal:
            found.add("modal-with-fronted-object")
        return found

    def inner_phrases(self):
        """Its subject and object, without the phrase outside of it that a relative pronoun stands for."""
        return [phrase for name, phrase in (("subject", self.subject), ("object", self.object)) if name != self.gap]

    def features(self, order, front):
        """Names of all constructions in it and in its relative clauses."""
        found = self.held_out(order, front)
        found |= {"modal"} if self.modal else {self.tense} & CONSTRUCTIONS.keys()
        found |= {"negation"} if self.negated else set()
        found |= {"separable"} if self.verb.prefix else set()
        found |= {"dative"} if self.verb.case == "dat" else set()
        if order == "second":
            found |= {"object": {"fronted-object"}, "time": {"fronted-adverb"}}.get(front, set())
        phrases = [*self.inner_phrases(), *([self.company[1]] if self.company is not None else [])]
        for phrase in phrases:
            if isinstance(phrase, NounPhrase):
                found |= {"plural"} if phrase.plural else set()
                found |= {"adjective"} if phrase.adjective is not None else set()
                if phrase.relative is not None:
                    found |= {"relative"} | phrase.relative.features("last", "")
        return found


# --- inside: drawing ----------------------------------------------------------------------------------------------


class Writer:
    """Draws structures at random."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, probability):
        """True with this probability."""
        return self.random.random() < probability

    def phrase(self, kinds, relative=0.0):
        """A noun phrase of one of these kinds."""
        noun = self.random.choice([noun for kind in kinds for noun in nouns()[kind]])
        plural = self.chance(0.3)
        # "mein Mann" is a husband, and "meine Frau" a wife: these two have no possessives here.
        owned = 0 if noun.english in ("man", "woman") else 4
        weights = (50, 20, 8, 0 if plural else 4, *[owned] * len(POSSESSIVES))
        determiner = self.random.choices(("der", "ein", "dies", "jed", *POSSESSIVES), weights)[0]
        adjective = None
        if self.chance(0.35):
            adjective = tuple(self.random.choice(adjectives()["alive" if noun.kind in ALIVE else "thing"]))
        phrase = NounPhrase(noun, plural, determiner, adjective)
        if relative and determiner in ("der", "ein") and self.chance(relative):
            phrase.relative = self.relative(phrase)
        return phrase

    def subject(self, relative=0.0):
        """A pronoun or somebody."""
        if self.chance(0.3):
            return Pronoun(self.random.choice(PRONOUNS))
        return self.phrase(ALIVE if self.chance(0.3) else ("person",), relative)

    def object(self, verb, subject, relative=0.0):
        """What the verb acts on: never the noun or the person of the subject."""
        if not verb.case:
            return None
        while True:
            if "person" in verb.kinds and self.chance(0.25):
                index = 1 if verb.case == "acc" else 2
                chosen = Pronoun(self.random.choice([pronoun for pronoun in PRONOUNS if pronoun[index]]))
                # Nobody acts on themselves: "ich sehe mich" is reflexive, "wir sehen mich" is odd.
                people = {chosen.forms[4], subject.forms[4]} if isinstance(subject, Pronoun) else set()
                if len(people) != 1 and people != {"I", "we"}:
                    return chosen
            else:
                chosen = self.phrase(verb.kinds, relative)
                if not isinstance(subject, NounPhrase) or chosen.noun != subject.noun:
                    return chosen

    def tense(self):
        """A tense or a modal verb."""
        tense = self.random.choices(("present", "perfect", "future", "modal"), (50, 17, 8, 25))[0]
        return self.random.choice(MODALS) if tense == "modal" else tense

    def clause(self, subject=None, relative=0.0, object_relative=0.0, negatable=True):
        """A clause, of this subject if one is given."""
        subject = subject or self.subject(relative)
        verb = self.random.choice(verbs())
        tense = self.tense()
        negated = negatable and self.chance(0.25)
        time: tuple = self.time(tense) if self.chance(0.3) else ()
        bare = tense == "present" and not (verb.prefix or negated or time)
        thing = self.object(verb, subject, object_relative if bare else 0.0)
        place: tuple = ()
        company = None
        if thing is None or thing.relative is None:
            if "with" in verb.extras and self.chance(0.3):
                company = self.random.choice(PREPOSITIONS), self.phrase(("person",))
            elif "place" in verb.extras and self.chance(0.25):
                place = self.random.choice(PLACES)
        return Clause(subject, verb, thing, tense, negated, time, place, company)

    def time(self, tense):
        """A time that goes with a tense."""
        kind = "modal" if tense in MODALS else tense
        return self.random.choice([words for words, tenses in TIMES if kind in tenses])

    def relative(self, head):
        """A relative clause for a phrase: about what it does, or about what is done to it."""
        while True:
            if self.chance(0.6) and head.noun.kind in ALIVE:
                clause = self.clause(head)
                clause.gap = "subject"
                return clause
            # As an object only where its case shows: "die Frau, die die Katze sieht" is read the other way round.
            subject = self.subject()
            verb = self.random.choice([verb for verb in verbs() if head.noun.kind in verb.kinds])
            if (verb.case == "dat" or head.gender == "m") and (
                isinstance(subject, Pronoun) or subject.noun != head.noun
            ):
                return Clause(subject, verb, head, self.tense(), self.chance(0.2), gap="object")
            if head.noun.kind not in ALIVE and head.gender != "m":
                return None

    def pair(self):
        """Any sentence: German words, English words, constructions."""
        kind = self.random.choices(("main", "question", "subordinate", "fronted", "matrix"), (45, 12, 18, 10, 15))[0]
        if kind == "question":
            clause = self.clause(negatable=self.chance(0.5))
            if clause.negated and clause.tense == "dürfen":
                return self.pair()
            features = clause.features("first", "") | {"question"}
            return self.ended(clause.german("first"), clause.english(question=True), "?", features)
        if kind == "matrix":
            return self.with_matrix()
        front = "subject"
        clause = self.clause(relative=0.25, object_relative=0.2)
        if kind == "main" and clause.time and self.chance(0.6):
            front = "time"
        elif kind == "main" and self.can_front(clause) and self.chance(0.4):
            front = "object"
        elif kind == "fronted":
            front = ""
        if front != "subject" and (clause.subject.relative or (clause.object and clause.object.relative)):
            return self.pair()
        german, english = clause.german("second", front), clause.english(front=front)
        features = clause.features("second", front)
        if kind == "main":
            return self.ended(german, english, ".", features)
        if german[-1][0] == ",":
            return self.pair()  # two subordinate clauses after one another are too much
        reasons = clause.tense == "perfect"  # "if" and "before" want the same time in both clauses
        said_de, said_en, of_sub = self.subordinate(*self.random.choice(CONJUNCTIONS[: 2 if reasons else 4]))
        features |= of_sub | {"subordinate"}
        if kind == "fronted":
            comma = (",", {next(links)})
            german, english = [*said_de, comma, *german], [*said_en, comma, *english]
            return self.ended(german, english, ".", features | {"fronted-clause"})
        return self.ended([*german, (",", set()), *said_de], [*english, *said_en], ".", features)

    def subordinate(self, german, english):
        """A clause with a conjunction before it: German words, English words, constructions."""
        link = {next(links)}
        clause = self.clause(relative=0.06)
        while german in ("wenn", "bevor") and clause.tense in ("perfect", "future"):
            clause = self.clause(relative=0.06)
        while german == "bevor" and (clause.negated or clause.time or clause.tense != "present"):
            clause = self.clause(relative=0.06)
        said = clause.german("last")
        if clause.subject.relative is not None:
            before = len(clause.subject.german("nom"))
            inner = [(",", set()), *clause.subject.relative.as_relative(clause.subject)[0], (",", set())]
            said[before:before] = inner
        return [(german, link), *said], [(english, link), *clause.english()], clause.features("last", "")

    def with_matrix(self):
        """I know that …"""
        german, english, conjunction = self.random.choice(MATRIX)
        subject = self.subject() if self.chance(0.5) else Pronoun(self.random.choice(PRONOUNS))
        if isinstance(subject, NounPhrase) and subject.noun.kind != "person":
            return self.pair()
        verb = Verb("", german, "", "", "", "haben", "", (), *english, "", ())
        clause = Clause(subject, verb, None, "present", self.chance(0.2))
        said = clause.german("second")
        if german == "wissen":
            finite = len(subject.german("nom"))
            said[finite] = AUXILIARIES["wissen"].split()[subject.person], said[finite][1]
        said_de, said_en, features = self.subordinate(*conjunction)
        features |= clause.features("second", "subject") | {"subordinate"}
        return self.ended([*said, (",", set()), *said_de], [*clause.english(), *said_en], ".", features)

    @staticmethod
    def can_front(clause):
        """Whether its object may come first: it has to be a noun, and its case has to show."""
        thing = clause.object
        if not isinstance(thing, NounPhrase) or thing.relative is not None:
            return False
        return (thing.determiner != "ein" or not thing.plural) and (clause.verb.case == "dat" or thing.gender == "m")

    @staticmethod
    def ended(german, english, mark, features):
        """Both with a mark at their end; a comma of a relative clause before it is left out."""
        if german[-1][0] == ",":
            german = german[:-1]
        end = (mark, {next(links)})
        return [*german, end], [*english, end], features


def written(said):
    """Said words as a sentence: with a capital letter, and no space before punctuation."""
    text = re.sub(r" (?=[.,?])", "", " ".join(word for word, _ in said))
    return text[0].upper() + text[1:]


def split_of(german, constructions):
    """The split that a sentence belongs to. The sentence alone decides it, so no two splits share a sentence.

    A sentence with a held-out construction is held out. Of the others, 1 in 20 is for validation, 1 in 20 for testing.
    """
    if constructions & HELD_OUT.keys():
        return "held-out"
    return {0: "test", 1: "valid"}.get(zlib.crc32(german.encode()) % 20, "train")


def aligned_pairs(n, seed, split="train", construction=None):
    """Different sentence pairs, with their alignments.

    Args:
        n: how many.
        seed: of the random choices; the first pairs of a longer list are those of a shorter one.
        split: one of `SPLITS`.
        construction: only pairs that contain this one; a name of `CONSTRUCTIONS` or `HELD_OUT`.

    Returns:
        A list of `AlignedPair`. No German sentence occurs twice, neither in it nor in two splits, whatever the seeds. A
        held-out sentence has exactly one of the held-out constructions.
    """
    if split not in SPLITS:
        raise ValueError(f"split is {split!r}, but must be one of {', '.join(SPLITS)}.")
    if construction is not None and construction not in {**CONSTRUCTIONS, **HELD_OUT}:
        raise ValueError(f"There is no construction {construction!r} in the grammar.")
    if construction in HELD_OUT and split != "held-out":
        raise ValueError(f"{construction} is held out: it occurs in the split held-out only.")
    writer = Writer(seed)
    found: dict[str, AlignedPair] = {}
    while len(found) < n:
        said_de, said_en, features = writer.pair()
        german = written(said_de)
        if split_of(german, features) != split or len(features & HELD_OUT.keys()) > 1 or german in found:
            continue
        if construction is None or construction in features:
            alignment = frozenset(
                (i, j) for i, (_, of_i) in enumerate(said_de) for j, (_, of_j) in enumerate(said_en) if of_i & of_j
            )
            found[german] = AlignedPair(german, written(said_en), alignment, frozenset(features))
    return list(found.values())


def grammar_pairs(n, seed, split="train", construction=None):
    """The texts of `aligned_pairs` alone: ``list[tuple[str, str]]``, German and English."""
    return [(pair.german, pair.english) for pair in aligned_pairs(n, seed, split, construction)]
