"""How well a small translator learns a real language in minutes: German messages of free software into English."""

import collections
import dataclasses
import json
import math
import os
import random
import re
import shutil
import subprocess
import tarfile
import tempfile
import time
import zlib
from pathlib import Path

import record
import torch

from solutions.given import words
from solutions.grammar import grammar_pairs
from solutions.translation import evaluate, translate
from solutions.translator.catalogues import catalogue_paths, read_software, write_catalogue
from solutions.translator.checkpoints import average_weights, load_model, read_file, weight_files, write_file
from solutions.translator.config import TranslationConfig
from solutions.translator.data import pairs_of_split
from solutions.translator.trainer import train

WHAT = (
    "BLEU (sacreBLEU, tokenised 13a) of a small German-English Transformer that is trained on the message catalogues "
    "of free software: on sentences chosen at random and on two programs that it has never seen, greedy and with a "
    "beam of 4, from the weights that validate best and from the mean of the last five checkpoints, for three seeds."
)
MINUTES = 4.3  # of processor time for each seed, on one core: a training ends with the first validation after them
SEEDS = 3
AT_MOST_SECONDS = 4 * 3600  # of all seeds; other work on the machine counts too
BEAM = 4
JUDGED, VALIDATED, SHOWN = 400, 250, 5

PACKAGES = [
    "abiword-common", "anjuta-common", "aptitude-common", "audacity-data", "bluefish-data", "brasero-common",
    "claws-mail-i18n", "darktable", "deja-dup", "dia-common", "eog", "epiphany-browser-data", "evince-common",
    "evolution-common", "evolution-data-server-common", "file-roller", "filezilla-common", "geany-common",
    "gedit-common", "gimp-data", "gnome-control-center-data", "gnome-shell-common", "gnome-software-common",
    "gnucash-common", "gnumeric-common", "grisbi-common", "hexchat-common", "homebank-data", "inkscape",
    "libglib2.0-data", "libgtk-3-common", "lyx-common", "nautilus-data", "network-manager-gnome", "pidgin-data",
    "planner-data", "shotwell-common", "simple-scan", "totem-common", "vlc-l10n",
]  # fmt: skip
UNSEEN = ["rhythmbox-data", "gthumb-data"]  # no pair of these is trained on or validated
CONFIG = TranslationConfig(
    vocab_size=4000, num_layers=2, d_model=128, d_ff=512, num_heads=4, dropout=0.0, max_tokens=1024, warmup=800,
    tie_weights=False, threads=1, keep=5, save_every=500,
)  # fmt: skip
READINGS = {"greedy": 1, f"beam of {BEAM}": BEAM}


def run(reduced=False, minutes=MINUTES, seeds=SEEDS):
    """All seeds, one after the other; what is finished is kept in `cache`, and a later call goes on from there."""
    if reduced:
        with tempfile.TemporaryDirectory() as folder:
            return results_of(Path(folder), made_up(Path(folder)), 0.02, 1, reduced=True)
    folder = cache()
    return results_of(folder, debian(folder), minutes, int(seeds))


def cache():
    """The folder for packages, catalogues, checkpoints and outputs."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "transformer-workbook" / "software"


def results_of(folder, programs, minutes, seeds, reduced=False):
    """The experiment on some programs, ``{name: {"version": …, "licence": …, "catalogues": …}}``."""
    torch.set_num_threads(1)
    splits, corpus = corpus_of(programs, reduced)
    config = CONFIG
    if reduced:
        config = dataclasses.replace(config, vocab_size=300, num_layers=1, d_model=16, d_ff=32, save_every=4, warmup=8)
    done = []
    for seed in range(seeds):
        path = run_folder(folder, config, seed) / f"result-{minutes:g}.json"
        if not path.exists():
            result = one_seed(dataclasses.replace(config, seed=seed), splits, path.parent, minutes)
            path.write_text(json.dumps(result, indent=1), encoding="utf-8")
        done.append(json.loads(path.read_text(encoding="utf-8")))
        print(f"seed {seed}: {done[-1]['bleu']} ({path})", flush=True)
    return {
        "reduced": reduced,
        "seconds": sum(result["seconds"] for result in done),
        "minutes": minutes,
        "corpus": corpus,
        "settings": dataclasses.asdict(config),
        "signature": signature(),
        "seeds": done,
        "baselines": {
            name: {split: bleu(outputs, pairs) for split, (pairs, outputs) in of.items()}
            for name, of in baselines(splits).items()
        },
        "shown": [] if reduced else shown(run_folder(folder, config, 0) / outputs_file(minutes), splits, programs),
    }


def run_folder(folder, config, seed):
    """Where a seed's checkpoints are; other settings have other folders."""
    return folder / f"run-{zlib.crc32(repr(config).encode()):08x}-{seed}"


def outputs_file(minutes):
    """The name of the file of all outputs, after so many minutes."""
    return f"outputs-{minutes:g}.json"


def claims(results):
    found = {
        "no text of a test is in the training, in either language": results["corpus"]["overlap"] == 0,
        "the best checkpoint has the lowest validation loss": all(
            seed["best"]["validation loss"] == min(row["validation loss"] for row in seed["curve"])
            for seed in results["seeds"]
        ),
    }
    if results["reduced"]:
        return found

    def all_bleu(condition):
        """Whether something holds of the scores on both tests, for every seed, weights and decoding."""
        return all(condition(of["random"], of["unseen"]) for seed in results["seeds"] for of in seed["bleu"].values())

    def of_kind(kind, read, split):
        return [seed["bleu"][f"{kind}, {read}"][split] for seed in results["seeds"]]

    memory = results["baselines"]["translation memory"]
    return found | {
        "looking up loses more than half of its score on programs that were not seen": (
            memory["unseen"] < memory["random"] / 2
        ),
        "no model loses a quarter of its score there": all_bleu(lambda seen, unseen: unseen > 0.75 * seen),
        "on programs that were not seen every model is better than looking up": all_bleu(
            lambda _, unseen: unseen > memory["unseen"]
        ),
        "on sentences at random looking up is better than every model": all_bleu(
            lambda seen, _: seen < memory["random"]
        ),
        "in every seed the last validation is the best": all(
            seed["best"] == seed["curve"][-1] for seed in results["seeds"]
        ),
        "a beam helps the best weights, in every seed and on both tests": all(
            wide > greedy
            for split in memory
            for greedy, wide in zip(of_kind("best", "greedy", split), of_kind("best", f"beam of {BEAM}", split))
        ),
        "on sentences at random the mean of the last checkpoints is worse than the best weights, in every seed": all(
            averaged < one
            for read in READINGS
            for averaged, one in zip(of_kind("averaged", read, "random"), of_kind("best", read, "random"))
        ),
        "on programs that were not seen the seeds disagree about that": not same_sign(
            averaged - one
            for averaged, one in zip(of_kind("averaged", "greedy", "unseen"), of_kind("best", "greedy", "unseen"))
        ),
    }


def same_sign(numbers):
    """Whether all numbers are positive, or none is."""
    return len({number > 0 for number in numbers}) == 1


# --- the corpus ---------------------------------------------------------------------------------------------------


def debian(folder):
    """Fetch the packages that are not there yet, and take the German catalogues out of them; nothing is installed."""
    packages = folder / "packages"
    packages.mkdir(parents=True, exist_ok=True)
    missing = [name for name in PACKAGES + UNSEEN if not list(packages.glob(f"{name}_*.deb"))]
    if missing:
        print(f"Fetching {len(missing)} packages into {packages}", flush=True)
        try:
            subprocess.run(["apt-get", "download", "-q", *missing], cwd=packages, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise SystemExit(
                f"The packages could not be fetched ({error}). The script needs a Debian or Ubuntu with a network; run "
                f"`apt-get update` first, or put the .deb files into {packages}."
            ) from None
    return {name: unpacked(next(packages.glob(f"{name}_*.deb")), folder / name) for name in PACKAGES + UNSEEN}


def unpacked(package, folder):
    """The German catalogues of a package, with its version and its licence."""
    if not folder.exists():
        part = folder.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        with (
            subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as process,
            tarfile.open(fileobj=process.stdout, mode="r|") as archive,
        ):
            for member in archive:
                wanted = re.search(r"/locale/de/LC_MESSAGES/[^/]+\.mo$|/doc/[^/]+/copyright$", member.name)
                if wanted and member.isfile():
                    (part / Path(member.name).name).write_bytes(archive.extractfile(member).read())
        part.rename(folder)
    return {
        "version": package.stem.split("_")[1].replace("%3a", ":"),
        "licence": licence(folder / "copyright"),
        "catalogues": sorted(folder.glob("*.mo")),
    }


def licence(path):
    """The short name of a package's licence, from its copyright file."""
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    named = re.search(r"^License: *(\S.*)|/usr/share/common-licenses/([\w.-]*\w)", text, re.MULTILINE)
    return (named[1] or named[2]) if named else "see the package"


def made_up(folder):
    """Three programs whose messages are sentences of the course's grammar, for the reduced form."""
    programs = {}
    for number, name in enumerate(["writer", "player", *UNSEEN]):
        messages = {english: german for german, english in grammar_pairs(120, number)}
        write_catalogue(folder / name / "de" / "LC_MESSAGES" / f"{name}.mo", messages, "<>"[number % 2])
        programs[name] = {"version": "1", "licence": "free", "catalogues": catalogue_paths("de", [folder / name])}
    return programs


def corpus_of(programs, reduced):
    """The pairs of every split, each with its program, and what is to be said of them without quoting one."""
    seen = [name for name in programs if name not in UNSEEN]
    # Those that are not seen come last, so that whatever occurs elsewhere too is left out of them.
    software = read_software([(name, path) for name in [*seen, *UNSEEN] for path in programs[name]["catalogues"]])
    known = [pair for name in seen for pair in software.pairs.get(name, [])]
    splits = {
        "train": pairs_of_split(known, "train", "Software"),
        "valid": sample(pairs_of_split(known, "valid", "Software"), VALIDATED),
        "random": sample(pairs_of_split(known, "test", "Software"), 12 if reduced else JUDGED),
        "unseen": sample([pair for name in UNSEEN for pair in software.pairs[name]], 12 if reduced else JUDGED),
    }
    trained = {text for pair in splits["train"] for text in pair}
    return splits, {
        "programs": {
            name: {"version": of["version"], "licence": of["licence"], "pairs": len(software.pairs.get(name, []))}
            for name, of in programs.items()
        },
        "unseen": UNSEEN,
        "pairs": {split: len(pairs) for split, pairs in splits.items()},
        "words": {split: sum(len(words(english)) for _, english in pairs) for split, pairs in splits.items()},
        "refused": dict(software.refused),
        "bad": len(software.bad),
        "overlap": sum(text in trained for split in ("random", "unseen") for pair in splits[split] for text in pair),
    }


def sample(pairs, count):
    """So many of the pairs at random, the same ones every time."""
    return random.Random(0).sample(pairs, min(count, len(pairs)))


# --- training -----------------------------------------------------------------------------------------------------


def one_seed(config, splits, folder, minutes):
    """Train until the processor time is spent, with a validation after every ``save_every`` steps; then judge."""
    notes = folder / "curve.json"
    curve = json.loads(notes.read_text(encoding="utf-8")) if notes.exists() else []
    while not curve or curve[-1]["processor seconds"] < 60 * minutes:
        started = time.process_time(), time.perf_counter()
        steps = (len(curve) + 1) * config.save_every
        result = train(
            dataclasses.replace(config, steps=steps),
            splits["train"],
            "cpu",
            folder,
            resume=(folder / "last.pt").exists(),
        )
        if not result.complete:
            raise KeyboardInterrupt
        judged = evaluate(result.model, splits["valid"])
        if all(judged["loss"] < row["validation loss"] for row in curve):
            write_file(folder / "best.pt", result.model.state_dict())
        before = curve[-1] if curve else collections.Counter()
        row = {
            "step": steps,
            "training loss": sum(result.losses[-config.save_every :]) / config.save_every,
            "validation loss": judged["loss"],
            "validation BLEU": judged["bleu"],
            "target tokens": before["target tokens"] + result.tokens,
            "processor seconds": before["processor seconds"] + time.process_time() - started[0],
            "seconds": before["seconds"] + time.perf_counter() - started[1],
        }
        curve.append(row)
        notes.write_text(json.dumps(curve, indent=1), encoding="utf-8")
        print({name: round(value, 3) for name, value in row.items()}, flush=True)
    judging = time.perf_counter()
    scores = judged_outputs(folder, splits, outputs_file(minutes))
    return {
        "seed": config.seed,
        "parameters": scores.pop("parameters"),
        "epochs": curve[-1]["target tokens"] / scores.pop("target tokens"),
        "curve": curve,
        "best": min(curve, key=lambda row: row["validation loss"]),
        "bleu": scores,
        "seconds": curve[-1]["seconds"] + time.perf_counter() - judging,
    }


def judged_outputs(folder, splits, name_of_file):
    """BLEU of every choice of weights and decoding; all outputs go into a file in the folder."""
    model = load_model(folder)
    scores = {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "target tokens": sum(len(ids) + 1 for ids in model.tokenizer.encode_all([pair[1] for pair in splits["train"]])),
    }
    outputs: dict = {split: {} for split in ("random", "unseen")}
    for kind, weights in {
        "best": read_file(folder / "best.pt"),
        "averaged": average_weights(weight_files(folder)),
    }.items():
        model.load_state_dict(weights)
        for read, beam in READINGS.items():
            name = f"{kind}, {read}"
            for split, of in outputs.items():
                of[name] = translate(model, [german for german, _ in splits[split]], beam_size=beam)
            scores[name] = {split: bleu(of[name], splits[split]) for split, of in outputs.items()}
    (folder / name_of_file).write_text(json.dumps(outputs, ensure_ascii=False, indent=1), encoding="utf-8")
    return scores


# --- judging ------------------------------------------------------------------------------------------------------


def bleu(outputs, pairs):
    """BLEU of a corpus, by sacreBLEU."""
    import sacrebleu

    return sacrebleu.corpus_bleu(outputs, [[english for _, english in pairs]], tokenize="13a").score


def signature():
    """What sacreBLEU says of its own settings."""
    from sacrebleu.metrics import BLEU

    metric = BLEU(tokenize="13a")
    metric.corpus_score(["one"], [["one"]])
    return str(metric.get_signature())


def baselines(splits):
    """Outputs without a model: the German itself, and the English of the most similar German in the training."""
    memory = TranslationMemory(splits["train"])
    tests = {split: splits[split] for split in ("random", "unseen")}
    return {
        "the German itself": {split: (pairs, [german for german, _ in pairs]) for split, pairs in tests.items()},
        "translation memory": {
            split: (pairs, [memory.look_up(german) for german, _ in pairs]) for split, pairs in tests.items()
        },
    }


class TranslationMemory:
    """Finds the most similar sentence: the cosine of counts of words, in which rare words weigh more (tf-idf)."""

    def __init__(self, pairs):
        counts = [collections.Counter(words(german.casefold())) for german, _ in pairs]
        found_in = collections.Counter(word for count in counts for word in count)
        self.weight = {word: math.log(len(pairs) / number) for word, number in found_in.items()}
        self.english = [english for _, english in pairs]
        self.index = collections.defaultdict(list)
        for place, count in enumerate(counts):
            for word, value in self.vector(count).items():
                self.index[word].append((place, value))

    def vector(self, count):
        weighted = {word: number * self.weight[word] for word, number in count.items() if word in self.weight}
        length = math.sqrt(sum(value**2 for value in weighted.values())) or 1.0
        return {word: value / length for word, value in weighted.items()}

    def look_up(self, german):
        similarity: collections.Counter = collections.Counter()
        for word, value in self.vector(collections.Counter(words(german.casefold()))).items():
            for place, other in self.index[word]:
                similarity[place] += value * other
        return self.english[similarity.most_common(1)[0][0]] if similarity else ""


def shown(path, splits, programs):
    """Outputs of the first seed from good to bad, chosen by rank: of each test at 10, 30, 50, 70 and 90 per cent."""
    import sacrebleu

    origin = {
        tuple(pair): name
        for name in programs
        for pairs in read_software([(name, path) for path in programs[name]["catalogues"]]).pairs.values()
        for pair in pairs
    }
    outputs = json.loads(path.read_text(encoding="utf-8"))
    rows = []
    for split, of in outputs.items():
        scored = sorted(
            (-sacrebleu.sentence_bleu(output, [pair[1]]).score, *pair, output)
            for pair, output in zip(splits[split], of[f"best, beam of {BEAM}"])
            if 6 <= len(words(pair[1])) <= 16
        )
        for rank in range(SHOWN):
            score, german, english, output = scored[(2 * rank + 1) * len(scored) // (2 * SHOWN)]
            program = origin[german, english]
            rows.append({
                "test": split, "program": program, "licence": programs[program]["licence"], "German": german,
                "reference": english, "output": output, "sentence BLEU": -score,
            })  # fmt: skip
    return rows


if __name__ == "__main__":
    record.main(globals())
