"""The translation program: its data, its loop, its checkpoints, and its command line."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import random
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest
import torch

from autograder.course.addresses import ROOT
from solutions import BOS, EOS, PAD, translation
from solutions.bleu import corpus_bleu
from solutions.grammar import aligned_pairs
from solutions.losses import LabelSmoothing
from solutions.multihead import MultiHeadAttention
from solutions.training import run_epoch
from solutions.transformer import make_model
from solutions.translation import translate, words
from solutions.translator import cli, trainer, validation
from solutions.translator.alignment import alignment_error_rate, word_attention, word_indices
from solutions.translator.checkpoints import build_model, load_model, read_file, weight_files, write_file
from solutions.translator.cli import main
from solutions.translator.config import PRESETS, TranslationConfig
from solutions.translator.data import grammar_pairs, load_pairs
from solutions.translator.errors import BadInput, OutOfMemory
from solutions.translator.fused import ClosedLabelSmoothing, FusedAttention, fused, replaced, wrap_for_config
from solutions.translator.processes import World
from solutions.translator.speed import step_operations
from solutions.translator.tokenizers import TOKENIZERS, LibraryBPE, OwnBPE
from solutions.translator.trainer import train

SMALL = TranslationConfig(
    vocab_size=300, num_layers=1, d_model=16, d_ff=32, num_heads=2, max_tokens=300, steps=8, warmup=4, save_every=3
)


@pytest.fixture(scope="module")
def pairs():
    return load_pairs("grammar", "train", 60)


@pytest.fixture(scope="module")
def model(pairs):
    return train(SMALL, pairs, "cpu").model


def run(*arguments, **options):
    """The program in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **options.pop("env", {})}
    command = [sys.executable, "-m", "solutions.translation", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, **options)


@contextlib.contextmanager
def threads(number):
    """So many threads for PyTorch, whatever the tests before have set."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    yield
    torch.set_num_threads(before)


def options_of(config):
    """The command line's options for a configuration."""
    for field in dataclasses.fields(config):
        value, option = getattr(config, field.name), "--" + field.name.replace("_", "-")
        if isinstance(value, bool):
            yield option if value else option.replace("--", "--no-", 1)
        elif value is not None:
            yield from (option, str(value))


def test_the_units_module_has_the_programs_names_too():
    assert translation.train is train
    assert (translation.TranslationConfig, translation.load_pairs) == (TranslationConfig, load_pairs)
    assert all(callable(getattr(translation, name)) for name in translation.PROGRAM)
    with pytest.raises(AttributeError, match=r"'solutions\.translation' has no attribute 'trainn'"):
        translation.trainn  # noqa: B018


# --- data ---------------------------------------------------------------------------------------------------------


def test_load_pairs_of_the_grammar(pairs):
    assert len(pairs) == 60
    assert pairs == grammar_pairs(60, 0)
    assert not set(pairs) & set(load_pairs("grammar", "test", 60))
    with pytest.raises(BadInput, match="held-out"):
        load_pairs("grammar", "dev")


def test_load_pairs_of_a_file(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("\ufeff" + "".join(f"Satz {n}.\tSentence {n}.\tnote\n\n" for n in range(200)), encoding="utf-8")
    whole = load_pairs(str(path), "all")
    assert whole[0] == ("Satz 0.", "Sentence 0.")
    assert len(whole) == 200
    parts = [load_pairs(str(path), split) for split in ("train", "valid", "test")]
    assert sorted(pair for part in parts for pair in part) == sorted(whole)
    assert len(parts[0]) > 150
    assert load_pairs(str(path), "all", 5) == whole[:5]


def test_a_file_of_the_grammars_own_sentences_is_divided_too(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text("\r\n".join(map("\t".join, grammar_pairs(600, 3))), encoding="utf-8")
    sizes = [len(load_pairs(str(path), split)) for split in ("train", "valid", "test")]
    assert sum(sizes) == 600
    assert min(sizes) >= 10


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\n\n", "is empty"),
        (b"eins\tone\nzwei\n", "line 2: a line needs two columns"),
        (b"eins\tone\n\ttwo\n", "line 2: a line needs two columns"),
        (b"eins\tone\nz\xe4hlen\tcount\n", "line 2: this is not UTF-8"),
    ],
)
def test_a_bad_file_is_one_sentence_with_the_line(tmp_path, content, message):
    path = tmp_path / "pairs.tsv"
    path.write_bytes(content)
    with pytest.raises(BadInput, match=message) as caught:
        load_pairs(str(path), "all")
    assert str(path) in str(caught.value)


def test_missing_files_and_splits(tmp_path):
    with pytest.raises(BadInput, match="cannot be read"):
        load_pairs(str(tmp_path / "none.tsv"), "train")
    (tmp_path / "one.tsv").write_text("eins\tone\n")
    with pytest.raises(BadInput, match="none of its 1 pairs"):
        load_pairs(str(tmp_path / "one.tsv"), "test")


def test_multi30k_without_the_package_or_a_network(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(BadInput, match="pip install datasets"):
        load_pairs("multi30k", "train")

    class Offline:
        @staticmethod
        def load_dataset(name, split):
            raise ConnectionError("no route\nto host")

    monkeypatch.setitem(sys.modules, "datasets", Offline)
    with pytest.raises(BadInput, match=r"without a network use .* \(no route\)"):
        load_pairs("multi30k", "train")

    class Online:
        @staticmethod
        def load_dataset(name, split):
            return [{"de": f"{split} {n}", "en": f"{n}"} for n in range(3)]

    monkeypatch.setitem(sys.modules, "datasets", Online)
    assert load_pairs("multi30k", "valid", 2) == [("validation 0", "0"), ("validation 1", "1")]


@pytest.mark.parametrize("kind", ["bpe", "own"])
def test_tokenisers_come_back_to_the_text(pairs, kind):
    texts = [text for pair in pairs for text in pair]
    tokenizer = TOKENIZERS[kind].train(texts, 400)
    again = TOKENIZERS[kind](tokenizer.saved())
    assert len(tokenizer) <= 400
    assert tokenizer.encode_all(texts) == again.encode_all(texts)
    for text, ids in zip(texts, tokenizer.encode_all(texts)):
        assert tokenizer.decode(ids) == text
        assert min(ids) > EOS
    assert tokenizer.encode_all([]) == []
    assert max(tokenizer.encode_all(["<eos> ☃"])[0]) < len(tokenizer)
    assert EOS not in tokenizer.encode_all(["<eos>"])[0]
    german = pairs[0][0]
    indices = word_indices(german, tokenizer)
    assert sorted(set(indices)) == list(range(len(words(german))))
    assert indices == sorted(indices)


ODD = {
    "decomposed letters": "Der Mann macht die Tu\u0308r auf.",
    "a blank that does not break": "Der\u00a0Mann macht die\u202fTür auf.",
    "two blanks, a tab, a new line": "  Der  Mann\tmacht die\nTür auf. ",
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_what_looks_the_same_is_the_same(pairs, model, tmp_path, odd):
    """At every door: tokenisers, translations, words of BLEU, files of pairs, alignments."""
    plain = "Der Mann macht die Tür auf."
    for kind in ("bpe", "own"):
        texts = [text for pair in pairs for text in pair]
        tokenizer = TOKENIZERS[kind].train([*texts, odd], 400)
        assert tokenizer.saved() == TOKENIZERS[kind].train([*texts, plain], 400).saved()
        assert tokenizer.encode_all([odd]) == tokenizer.encode_all([plain])
        assert word_indices(odd, tokenizer) == word_indices(plain, tokenizer)
    assert words(odd) == words(plain)
    assert corpus_bleu([words(odd)], [[words(plain)]]) == pytest.approx(100)
    assert translate(model, [odd]) == translate(model, [plain])
    if "\t" not in odd:
        (tmp_path / "pairs.tsv").write_text(f"{odd}\tThe man opens the door.\n", encoding="utf-8")
        assert load_pairs(str(tmp_path / "pairs.tsv"), "all") == [(plain, "The man opens the door.")]


def test_a_missing_tokenizers_package_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(BadInput, match="pip install tokenizers"):
        LibraryBPE.train(["a"], 50)
    with pytest.raises(BadInput, match="260"):
        OwnBPE.train(["a"], 100)


# --- what a learner writes ----------------------------------------------------------------------------------------


def some_ids(count, seed=0):
    draw = random.Random(seed)
    lengths = [draw.randint(1, 12) for _ in range(count)]
    return [([5] * length, [BOS, *[6] * (length + draw.randint(-1, 2)), EOS]) for length in lengths]


def test_token_batches_keep_the_budget_and_hold_little_padding():
    ids = some_ids(300)
    batches = translation.token_batches(ids, 200)
    assert sorted(place for batch in batches for place in batch) == list(range(300))
    costs = [len(b) * (max(len(ids[i][0]) for i in b) + max(len(ids[i][1]) for i in b)) for b in batches]
    assert max(costs) <= 200
    assert sum(len(source) + len(target) for source, target in ids) > 0.85 * sum(costs)
    shuffled = translation.token_batches(ids, 200, torch.Generator().manual_seed(1))
    order = torch.randperm(len(batches), generator=torch.Generator().manual_seed(1))
    assert shuffled == [batches[place] for place in order]
    assert translation.token_batches([], 10) == []
    with pytest.raises(ValueError, match="pair 1 alone"):
        translation.token_batches([([5], [2, 3]), ([5] * 20, [2, 3])], 10)


def fresh(seed=0):
    torch.manual_seed(seed)
    return make_model(20, 20, num_layers=1, d_model=16, d_ff=32, num_heads=2, dropout=0.0)


def test_a_step_of_several_batches_is_that_of_run_epoch():
    batches = [translation.make_batch(some_ids(3, seed)) for seed in range(3)]
    loss_fn = LabelSmoothing(20, PAD, 0.1)
    ours, theirs = fresh(), fresh()
    optimizers = [torch.optim.SGD(model.parameters(), lr=0.1) for model in (ours, theirs)]
    result = translation.training_step(ours, batches, loss_fn, optimizers[0])
    expected = run_epoch(batches, theirs, loss_fn, optimizers[1], accumulate=3)
    assert result.loss == pytest.approx(expected.loss, rel=1e-5)
    assert result.tokens == expected.tokens
    for a, b in zip(ours.parameters(), theirs.parameters()):
        torch.testing.assert_close(a, b)
    for parameter in ours.parameters():
        parameter.grad = torch.full_like(parameter, 9.0)  # left over
    before = [parameter.clone() for parameter in ours.parameters()]
    norm = translation.training_step(ours, batches, loss_fn, optimizers[0], max_norm=0.01).norm
    assert norm > 0.1
    moved = torch.cat([(a - b).flatten() for a, b in zip(ours.parameters(), before)]).norm().item()
    assert moved == pytest.approx(0.1 * 0.01, rel=1e-3)


def test_evaluation_is_that_of_sacrebleu(model, pairs):
    sacrebleu = pytest.importorskip("sacrebleu")
    scores = translation.evaluate(model, pairs)
    outputs = translation.translate(model, [german for german, _ in pairs])
    known = sacrebleu.corpus_bleu(outputs, [[english for _, english in pairs]], smooth_method="none")
    assert scores["bleu"] == pytest.approx(known.score, abs=1e-6)
    better = [english if n % 2 else output for n, (output, (_, english)) in enumerate(zip(outputs, pairs))]
    ours = translation.corpus_bleu([words(b) for b in better], [[words(english)] for _, english in pairs])
    assert ours > 20
    assert ours == pytest.approx(
        sacrebleu.corpus_bleu(better, [[english for _, english in pairs]], smooth_method="none").score, abs=1e-6
    )


def test_evaluation_does_not_depend_on_batches_and_leaves_the_mode(model, pairs):
    whole = translation.evaluate(model, pairs)
    model.train()
    again = translation.evaluate(model, pairs, max_tokens=1)
    assert model.training
    model.eval()
    assert again["loss"] == pytest.approx(whole["loss"], rel=1e-5)
    assert translation.evaluate(model, []) == {"bleu": 0.0, "loss": 0.0}


def test_beams_translate_too(model, pairs):
    sentences = [german for german, _ in pairs[:5]]
    assert translation.translate(model, sentences, beam_size=1) == translation.translate(model, sentences)
    assert len(translation.translate(model, sentences, beam_size=3)) == 5


def test_attention_maps_and_alignments(model, pairs):
    german, english = pairs[0]
    ((source, target),) = translation.encode_pairs([pairs[0]], model.tokenizer)
    maps = translation.attention_maps(model, torch.tensor([source]), torch.tensor([target]))
    size, length = len(source), len(target)
    shapes = {name: tuple(value.shape) for name, value in maps.items()}
    assert shapes == {
        "encoder": (1, 2, size, size), "decoder": (1, 2, length, length), "cross": (1, 2, length, size)
    }  # fmt: skip
    for value in maps.values():
        torch.testing.assert_close(value.sum(-1), torch.ones(value.shape[:-1]))
    assert not maps["decoder"].triu(1).any()
    by_word = word_attention(model, german, english)
    assert by_word.shape == (len(words(english)), len(words(german)))
    assert (by_word.sum(1) <= 1.0001).all()
    assert translation.read_alignment(torch.tensor([[0.2, 0.4, 0.4], [1.0, 0.0, 0.0]])) == [1, 0]
    known = aligned_pairs(1, 0)[0].alignment
    assert alignment_error_rate(known, known) == 0
    assert alignment_error_rate(set(), known) == 1
    assert alignment_error_rate({(0, 0), (1, 1)}, {(0, 0)}) == pytest.approx(1 / 3)


# --- speed switches -----------------------------------------------------------------------------------------------


def test_fused_parts_compute_the_same():
    batch = translation.make_batch(some_ids(5))
    model = fresh()
    loss_fns = LabelSmoothing(20, PAD, 0.1), ClosedLabelSmoothing(20, PAD, 0.1)
    found = []
    for context, loss_fn in ((replaced(model, {}), loss_fns[0]), (fused(model), loss_fns[1])):
        with context:
            model.zero_grad()
            log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
            loss = loss_fn(log_probs.flatten(0, 1), batch.tgt_y.flatten())
            loss.backward()
        found.append((loss.item(), [parameter.grad.clone() for parameter in model.parameters()]))
    assert found[0][0] == pytest.approx(found[1][0], rel=1e-5)
    for a, b in zip(found[0][1], found[1][1]):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
    assert not any(isinstance(module, FusedAttention) for module in model.modules())
    assert sum(isinstance(module, MultiHeadAttention) for module in model.modules()) == 3


def test_what_a_compiler_sees_computes_the_same():
    """Traced, but not turned into machine code: that takes a minute."""
    batch = translation.make_batch(some_ids(5))
    model = fresh()
    found = []
    for backend in (None, "eager"):
        whole, loss_fn = wrap_for_config(model, dataclasses.replace(SMALL, compile=False))
        if backend:
            whole.compile(backend=backend, dynamic=True)
            loss_fn.compile(backend=backend, dynamic=True)
        model.zero_grad()
        with fused(model):
            result = translation.training_step(whole, [batch], loss_fn, torch.optim.SGD(model.parameters(), lr=0.0))
        found.append((result.loss, result.norm))
    assert found[1] == pytest.approx(found[0], rel=1e-5)


@pytest.mark.parametrize("change", [{"sdpa": False}, {"kernels": False}, {"fused_adamw": False}])
def test_a_switch_changes_no_loss(pairs, change):
    plain = train(SMALL, pairs, "cpu").losses
    other = train(dataclasses.replace(SMALL, **change), pairs, "cpu").losses
    assert other == pytest.approx(plain, rel=1e-4)


def test_bfloat16_stays_close(pairs):
    plain = train(SMALL, pairs, "cpu").losses
    other = train(dataclasses.replace(SMALL, bf16=True), pairs, "cpu").losses
    assert other == pytest.approx(plain, rel=0.05)


def test_operations_are_those_of_the_matrices(pairs):
    """Counted by PyTorch on a batch without padding, except for attention, which it counts with the upper triangle."""
    from torch.utils.flop_counter import FlopCounterMode

    model = fresh()
    ids = [([5] * 7, [BOS, *[6] * 7, EOS])] * 4
    batch = translation.make_batch(ids)
    with FlopCounterMode(display=False) as counter:
        log_probs = model.generator(model(batch.src, batch.tgt, batch.src_mask, batch.tgt_mask))
        log_probs.sum().backward()
    assert step_operations(model, [batch]) == pytest.approx(counter.get_total_flops(), rel=0.12)


# --- checkpoints --------------------------------------------------------------------------------------------------


def test_a_resumed_run_has_the_same_losses_bit_by_bit(tmp_path, pairs):
    config = dataclasses.replace(SMALL, dropout=0.2, accumulate=2)
    whole = train(config, pairs, "cpu", tmp_path / "whole")
    train(dataclasses.replace(config, steps=5), pairs, "cpu", tmp_path / "halves")
    rest = train(config, pairs, "cpu", tmp_path / "halves", resume=True)
    assert rest.losses == whole.losses
    assert len(whole.losses) == 8
    for a, b in zip(whole.model.parameters(), rest.model.parameters()):
        assert torch.equal(a, b)
    assert not list(tmp_path.rglob("*.tmp"))


def test_a_resumed_run_wants_the_same_pairs_and_steps(tmp_path, pairs):
    train(SMALL, pairs, "cpu", tmp_path)
    with pytest.raises(BadInput, match="not the pairs"):
        train(SMALL, pairs[1:], "cpu", tmp_path, resume=True)
    with pytest.raises(BadInput, match="--accumulate"):
        train(dataclasses.replace(SMALL, accumulate=2), pairs, "cpu", tmp_path, resume=True)


def test_weights_are_kept_and_averaged(tmp_path, pairs):
    config = dataclasses.replace(SMALL, save_every=2, keep=3)
    train(config, pairs, "cpu", tmp_path)
    files = weight_files(tmp_path)
    assert [file.name for file in files] == [f"weights-{step:07}.pt" for step in (4, 6, 8)]
    states = [read_file(file) for file in files]
    for name, value in load_model(tmp_path, average=True).state_dict().items():
        torch.testing.assert_close(value, sum(state[name] for state in states) / 3, rtol=1e-5, atol=1e-6)
    last = load_model(tmp_path)
    assert torch.equal(last.generator.proj.weight, states[-1]["generator.proj.weight"])
    assert last.generator.proj.weight is last.src_embed[0].embed.weight


def test_a_checkpoint_is_whole_or_not_there(tmp_path, monkeypatch):
    path = tmp_path / "last.pt"
    write_file(path, {"step": 1})

    def broken(value, file):
        file.write(b"half of it")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", broken)
    with pytest.raises(OSError, match="No space"):
        write_file(path, {"step": 2})
    assert read_file(path) == {"step": 1}
    assert [file.name for file in tmp_path.iterdir()] == ["last.pt"]


def test_a_damaged_checkpoint_is_one_sentence(tmp_path):
    with pytest.raises(BadInput, match="There is no checkpoint"):
        read_file(tmp_path / "last.pt")
    (tmp_path / "last.pt").write_bytes(b"nonsense")
    with pytest.raises(BadInput, match="damaged"):
        read_file(tmp_path / "last.pt")


def test_out_of_memory_says_what_to_lower(pairs, monkeypatch):
    def full(*arguments):
        raise RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes")

    monkeypatch.setattr(trainer, "training_step", full)
    with pytest.raises(OutOfMemory, match=r"lower --max-tokens, now 300, and raise --accumulate, now 1"):
        train(SMALL, pairs, "cpu")


def test_settings_are_checked():
    nan = float("nan")
    wrong = [{"d_model": 30, "num_heads": 4}, {"dropout": 1.0}, {"steps": 0}, {"norm": "middle"}, {"factor": 0}]
    for change in (*wrong, {"factor": nan}, {"max_norm": nan}, {"weight_decay": nan}, {"seed": 2**70}):
        with pytest.raises(BadInput):
            TranslationConfig(**change)
    with pytest.raises(BadInput, match="tiny, small, base"):
        TranslationConfig.preset("huge")
    base = TranslationConfig.preset("base", dropout=0.3)
    assert base.dropout == 0.3
    with torch.device("meta"):
        model = make_model(base.vocab_size, base.vocab_size, tie_weights=True)
    assert sum(parameter.numel() for parameter in model.parameters()) == pytest.approx(65e6, rel=0.05)


# --- the command line ---------------------------------------------------------------------------------------------


def test_the_command_line_trains_evaluates_and_translates(tmp_path):
    out = tmp_path / "run"
    trained = run("train", "--out", out, "--pairs", 60, "--test", 10, *options_of(SMALL))
    assert trained.returncode == 0, trained.stderr
    assert re.search(r"step 8 of 8: loss [\d.]+, tokens/s [\d,]+, MFU \d+%, 0 s left", trained.stderr)
    assert re.search(r"test: BLEU [\d.]+, loss", trained.stdout)
    assert "held-out: BLEU" in trained.stdout
    scored = run("evaluate", out, "--limit", 8, "--average", "--outputs", tmp_path / "out.tsv", "--worst", 2)
    assert scored.returncode == 0, scored.stderr
    assert scored.stdout.count("reference:") == 2
    rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text(encoding="utf-8").splitlines()]
    assert [tuple(row[:2]) for row in rows] == load_pairs("grammar", "test", 8)
    said = run("translate", out, "--beam", 1, input="Der Hund schläft.\nEr lacht.\n")
    assert said.returncode == 0
    assert said.stdout.count("\n") == 2
    for arguments, message in [
        (("train", "--out", out), "There is a run in"),
        (("train", "--out", out, "--resume"), "is complete"),
        (("train", "--out", out, "--resume", "--dropout", 0.5), "leave out --dropout"),
        (("train", "--out", tmp_path / "new", "--resume"), "There is no checkpoint"),
        (("train", "--out", tmp_path / "new", "--data", tmp_path / "none.tsv"), "cannot be read"),
        (("train", "--out", tmp_path / "new", "--device", "cuda:7"), "There is no device"),
        (("train", "--out", tmp_path / "new", "--pairs", 30, "--max-tokens", 5), "Raise --max-tokens"),
        (("evaluate", tmp_path / "new"), "There is no checkpoint"),
    ]:
        assert main(list(map(str, arguments))) == 2, message


def test_bad_input_is_one_sentence_and_exit_code_2(tmp_path, capsys):
    assert main(["train", "--out", str(tmp_path), "--data", str(tmp_path / "none.tsv")]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "Traceback" not in said.err


def test_options_that_would_do_something_else_are_refused(tmp_path, capsys):
    for arguments, message in [
        (["train", "--pairs", "0"], "0 is less than 1"),
        (["train", "--test", "-5"], "-5 is less than 1"),
        (["evaluate", "run", "--beam", "0"], "0 is less than 1"),
        (["evaluate", "run", "--worst", "-1"], "-1 is less than 0"),
        (["evaluate", "run", "stray"], "unrecognized arguments: stray"),
    ]:
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2
        assert message in capsys.readouterr().err
    (tmp_path / "file").write_text("no folder")
    for arguments, message in [
        (["train", "--pairs", "30", "--out", str(tmp_path / "file")], "No checkpoints can be written to"),
        (["train", "--data", "", "--out", str(tmp_path / "new")], "cannot be read"),
        (["train", "--threads", "0", "--out", str(tmp_path / "new")], "threads is 0, but must be at least 1"),
        (["train", "--device", "meta", "--pairs", "30", "--out", str(tmp_path / "new")], "There is no device 'meta'"),
    ]:
        assert main(arguments) == 2
        assert message in capsys.readouterr().err


def test_damaged_parts_of_a_checkpoint_are_one_sentence(tmp_path, pairs, capsys):
    train(SMALL, pairs, "cpu", tmp_path)
    whole = torch.load(tmp_path / "last.pt")
    weights = sorted(tmp_path.glob("weights-*"))[-1]
    for change, command, message in [
        ({"tokenizer": (whole["tokenizer"][0], "{")}, ["evaluate"], "The tokeniser in"),
        ({"model": {}}, ["translate", "--beam", "1"], "do not belong to the model"),
        ({"config": {**whole["config"], "d_model": "wide"}}, ["evaluate"], "is no checkpoint of this program"),
        ({"config": None}, ["evaluate"], "is no checkpoint of this program"),
        (
            {"optimizer": {}},
            ["train", "--resume", "--steps", "99", "--data", "grammar", "--pairs", "60", "--out"],
            "damaged",
        ),
    ]:
        torch.save({**whole, **change}, tmp_path / "last.pt")
        assert main([*command, str(tmp_path)]) == 2
        said = capsys.readouterr().err
        assert message in said
        assert said.count("\n") == 1
    torch.save(whole, tmp_path / "last.pt")
    torch.save([1], weights)
    assert main(["evaluate", "--average", str(tmp_path)]) == 2
    assert f"{weights} holds no weights" in capsys.readouterr().err


def test_a_terminal_gets_no_control_characters(monkeypatch):
    assert cli.for_terminal("\x1b[2J é\x9b") == "\x1b[2J é\x9b"  # into a file, it stays what it is
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert cli.for_terminal("\x1b[2J é\x9b") == "?[2J é?"


def test_the_number_of_a_device_is_refused_where_processes_choose_it(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(BadInput, match="--device cuda:1 has no effect"):
        World("cuda:1")


def test_a_file_of_another_program_is_no_checkpoint(tmp_path, capsys):
    for value in ([1, 2], {"config": {"unheard_of": 1}}):
        torch.save(value, tmp_path / "last.pt")
        for arguments in (["train", "--resume", "--out"], ["evaluate"], ["translate"]):
            assert main([*arguments, str(tmp_path)]) == 2
            assert "is no checkpoint of this program" in capsys.readouterr().err


def test_a_small_file_without_test_pairs_can_be_trained_on_and_translated(tmp_path, capsys):
    (tmp_path / "two.tsv").write_text("Alter Hund\tOld dog\nAlte Katze\tOld cat\n", encoding="utf-8")
    out = str(tmp_path / "run")
    arguments = ["train", "--data", str(tmp_path / "two.tsv"), "--out", out, *options_of(SMALL)]
    assert main(arguments) == 0
    said = capsys.readouterr().out
    assert "none of its 2 pairs falls into the split test" in said
    # Sentences may stand after an option, as people write it; an empty one stays empty.
    assert main(["translate", out, "--beam", "1", "Alter Hund", ""]) == 0
    assert capsys.readouterr().out.endswith("\n\n")
    assert main(["translate", out, "Hund \udcff"]) == 2
    assert "Sentence 1 is not UTF-8." in capsys.readouterr().err
    assert main(["translate", out, "Hund " * 4000]) == 2
    assert "too long" in capsys.readouterr().err
    assert main(["evaluate", out, "--split", "all", "--outputs", str(tmp_path / "none" / "o.tsv")]) == 2
    assert "BLEU" not in capsys.readouterr().out  # it was refused before all the work


def started(command, **options):
    """A process whose lines can be waited for."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, **options)


def wait_for(process, pattern, seconds=200):
    """Read what a process says until a line matches."""
    until = time.monotonic() + seconds
    seen = []
    while time.monotonic() < until:
        line = process.stderr.readline()
        seen.append(line)
        if re.search(pattern, line):
            return line
        if not line and process.poll() is not None:
            break
    raise AssertionError("".join(seen))


def test_an_interrupted_run_says_how_to_go_on(tmp_path, pairs):
    config = dataclasses.replace(SMALL, steps=4000, save_every=4000, threads=1)
    folder = tmp_path / "my run"
    command = [sys.executable, "-m", "solutions.translation", "train", "--out", str(folder), "--pairs", "60"]
    process = started([*command, "--device", "cpu", *options_of(config)])
    wait_for(process, r"step \d+ of 4000")
    process.send_signal(signal.SIGINT)
    line = wait_for(process, "Interrupted after step")
    assert process.wait(60) == 130
    done = len(read_file(folder / "last.pt")["losses"])
    assert f"after step {done};" in line
    python, module, program, *again = shlex.split(line.partition("To go on: ")[2])
    assert (python, module, program) == ("python", "-m", "solutions.translation")
    assert again == ["train", "--out", str(folder), "--resume", "--device", "cpu"]
    finished = run(*again, "--steps", done + 5, "--test", 4, env={"OMP_NUM_THREADS": "2"})  # it keeps its own number
    assert finished.returncode == 0, finished.stderr
    saved = read_file(folder / "last.pt")
    assert saved["config"]["threads"] == 1
    assert len(saved["losses"]) == done + 5
    if done < 400:
        with threads(1):  # on several, sums are in another order
            assert saved["losses"] == train(dataclasses.replace(config, steps=done + 5), pairs, "cpu").losses


TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--master-port"]


def free_port():
    import socket

    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return str(sock.getsockname()[1])


def test_two_processes_have_the_losses_of_one(tmp_path, pairs):
    """With the same global batch: two micro-batches for a step, in one process or in two."""
    command = [*TORCHRUN, free_port(), "-m", "solutions.translation", "train", "--out", str(tmp_path), "--pairs", "60"]
    command += ["--test", "4", "--device", "cpu", *options_of(dataclasses.replace(SMALL, bf16=False))]
    process = started(command, stdout=subprocess.DEVNULL)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    one = train(dataclasses.replace(SMALL, accumulate=2), pairs, "cpu").losses
    two = read_file(tmp_path / "last.pt")["losses"]
    assert two == pytest.approx(one, abs=1e-5)


def test_a_killed_worker_ends_the_run_with_a_message_and_a_checkpoint(tmp_path):
    config = dataclasses.replace(SMALL, steps=4000, save_every=4000)
    command = [*TORCHRUN, free_port(), "-m", "solutions.translation", "train", "--out", str(tmp_path), "--pairs", "60"]
    process = started([*command, "--device", "cpu", *options_of(config)])
    try:
        wait_for(process, r"step \d+ of 4000")
        psutil = pytest.importorskip("psutil")
        workers = [child for child in psutil.Process(process.pid).children() if child.environ().get("RANK") == "1"]
        workers[0].kill()
        line = wait_for(process, "Another process of this run has ended")
        assert "--resume" in line
        assert process.wait(120) != 0
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(60)
        process.stderr.close()
    saved = read_file(tmp_path / "last.pt")
    assert len(saved["losses"]) >= 100
    assert not list(tmp_path.glob("*.tmp"))


# --- validation in the loop ---------------------------------------------------------------------------------------

VALIDATED = dataclasses.replace(SMALL, steps=9, validate_every=2, validate_pairs=10, keep=2)


@pytest.fixture(scope="module")
def valid():
    return load_pairs("grammar", "valid", 10)


def test_validation_keeps_a_curve_and_the_best_weights(tmp_path, pairs, valid):
    result = train(VALIDATED, pairs, "cpu", tmp_path, valid=valid)
    assert [row["step"] for row in result.curve] == [2, 4, 6, 8, 9]
    assert result.curve == read_file(tmp_path / "last.pt")["curve"]
    assert result.curve[1]["training loss"] == pytest.approx(sum(result.losses[2:4]) / 2)
    assert result.best == min(result.curve, key=lambda row: row["validation loss"])
    best = translation.evaluate(load_model(tmp_path, best=True), valid)
    assert best["loss"] == pytest.approx(result.best["validation loss"], rel=1e-5)
    assert read_file(tmp_path / "best.pt")["step"] == result.best["step"]
    last = translation.evaluate(result.model, valid)
    assert (last["loss"], last["bleu"]) == pytest.approx(list(result.curve[-1].values())[2:], rel=1e-5)
    plain = train(dataclasses.replace(VALIDATED, validate_every=0), pairs, "cpu")
    assert plain.losses == result.losses  # looking changes nothing
    assert (plain.curve, plain.best) == ([], None)


def test_a_resumed_run_has_the_same_curve_and_best_weights(tmp_path, pairs, valid):
    config = dataclasses.replace(VALIDATED, dropout=0.2)
    whole = train(config, pairs, "cpu", tmp_path / "whole", valid=valid)
    train(dataclasses.replace(config, steps=6), pairs, "cpu", tmp_path / "halves", valid=valid)
    rest = train(config, pairs, "cpu", tmp_path / "halves", resume=True, valid=valid)
    assert rest.curve == whole.curve
    assert rest.best == whole.best
    best = [read_file(tmp_path / name / "best.pt") for name in ("whole", "halves")]
    assert best[0]["step"] == best[1]["step"]
    assert all(torch.equal(value, best[1]["model"][name]) for name, value in best[0]["model"].items())
    with pytest.raises(BadInput, match=r"not the pairs on which the run in .* was validated"):
        train(config, pairs, "cpu", tmp_path / "halves", resume=True, valid=valid[1:])


def test_patience_ends_a_run_early_and_more_of_it_lets_it_go_on(tmp_path, pairs, valid, monkeypatch):
    """The third validation is the best, and then two bring nothing better."""
    losses = {2: 5.0, 4: 4.0, 6: 3.0, 8: 3.0, 10: 3.5, 12: 2.0, 14: 2.5}
    steps = iter(sorted(losses))
    monkeypatch.setattr(validation, "evaluate", lambda *_, **__: {"loss": losses[next(steps)], "bleu": 1.0})
    config = dataclasses.replace(VALIDATED, steps=14, patience=2, save_every=14)
    result = train(config, pairs, "cpu", tmp_path, valid=valid)
    assert (result.steps, result.complete, result.best["step"]) == (10, True, 6)
    assert len(read_file(tmp_path / "last.pt")["losses"]) == 10
    assert main(["train", "--resume", "--out", str(tmp_path)]) == 2
    assert train(config, pairs, "cpu", tmp_path, resume=True, valid=valid).steps == 10
    more = train(dataclasses.replace(config, patience=3), pairs, "cpu", tmp_path, resume=True, valid=valid)
    assert (more.steps, more.best["step"]) == (14, 12)
    by_bleu = dataclasses.replace(config, best_by="bleu")
    rows = [{"validation loss": 1.0, "validation BLEU": bleu} for bleu in (5.0, 7.0, 6.0)]
    assert validation.Validation(by_bleu, None, rows).best is rows[1]


def test_the_command_line_validates_shows_the_curve_and_uses_the_best(tmp_path, capsys):
    out, config = str(tmp_path / "run"), dataclasses.replace(VALIDATED, factor=2.0, patience=1)
    assert main(["train", "--pairs", "60", "--test", "4", "--out", out, *options_of(config)]) == 0
    said = capsys.readouterr()
    assert re.search(r"the best weights are judged: step \d, validation loss [\d.]+, BLEU", said.out)
    assert "the best so far" in said.err
    assert main(["curve", out, "--picture", str(tmp_path / "curve.svg")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split("\t") == ["step", "training loss", "validation loss", "validation BLEU"]
    assert lines[1].startswith("2\t")
    assert "<svg" in (tmp_path / "curve.svg").read_text(encoding="utf-8")
    assert main(["evaluate", out, "--best", "--limit", "4", "--worst", "0"]) == 0
    assert main(["translate", out, "--best", "--beam", "1", "Der Hund schläft."]) == 0
    capsys.readouterr()
    other = str(tmp_path / "other")
    for arguments, message in [
        (["train", "--patience", "3", "--out", other], "without validate_every there is nothing to wait for"),
        (["train", "--validate-every", "-1", "--out", other], "neither may be negative"),
        (["train", "--validate-every", "2", "--validate-pairs", "0", "--out", other], "validate_pairs is 0"),
        (["train", "--best-by", "luck", "--out", other], "best_by is 'luck', but must be one of loss, bleu"),
        (["train", "--resume", "--best-by", "bleu", "--out", out], "leave out --best-by"),
        (["curve", other], "There is no checkpoint"),
        (["curve", out, "--picture", str(tmp_path / "curve.odd")], "cannot be drawn"),
        (["curve", out, "--picture", str(tmp_path / "none" / "curve.svg")], "No such file"),
    ]:
        assert main(arguments) == 2
        said = capsys.readouterr().err
        assert message in said
        assert said.count("\n") == 1
    (tmp_path / "run" / "best.pt").write_bytes(b"nonsense")
    assert main(["evaluate", out, "--best"]) == 2
    assert "damaged" in capsys.readouterr().err
    (tmp_path / "run" / "best.pt").unlink()
    assert main(["evaluate", out, "--best"]) == 2
    assert "--validate-every" in capsys.readouterr().err


def test_a_run_that_was_not_validated_has_no_curve(tmp_path, pairs, capsys):
    train(SMALL, pairs, "cpu", tmp_path)
    saved = torch.load(tmp_path / "last.pt")
    del saved["curve"], saved["valid_fingerprint"]  # as an earlier version of the program wrote it
    torch.save(saved, tmp_path / "last.pt")
    assert main(["curve", str(tmp_path)]) == 2
    assert "was not validated" in capsys.readouterr().err
    assert train(dataclasses.replace(SMALL, steps=10), pairs, "cpu", tmp_path, resume=True).steps == 10
    with pytest.raises(BadInput, match="no pairs to validate on"):
        train(VALIDATED, pairs, "cpu")


def test_two_processes_stop_early_together(tmp_path):
    config = dataclasses.replace(VALIDATED, steps=200, patience=2, factor=20.0, bf16=False)
    command = [*TORCHRUN, free_port(), "-m", "solutions.translation", "train", "--out", str(tmp_path), "--pairs", "60"]
    process = started([*command, "--test", "4", "--device", "cpu", *options_of(config)], stdout=subprocess.PIPE)
    out, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert "ended early" in out
    saved = read_file(tmp_path / "last.pt")
    assert len(saved["losses"]) == saved["curve"][-1]["step"] < 200


def test_a_table_can_start_with_rows_of_length_one(pairs):
    tokenizer = LibraryBPE.train([text for pair in pairs for text in pair], SMALL.vocab_size)
    for tied in (True, False):
        config = dataclasses.replace(SMALL, d_model=64, tie_weights=tied)
        models = {
            start: build_model(dataclasses.replace(config, table_start=start), tokenizer)
            for start in ("xavier", "normal")
        }
        tables = {start: model.src_embed[0].embed.weight for start, model in models.items()}
        assert tables["normal"].norm(dim=1).mean().item() == pytest.approx(1, rel=0.05)
        assert tables["xavier"].norm(dim=1).mean().item() < 0.7
        assert (models["normal"].generator.proj.weight is tables["normal"]) is tied
        targets = models["normal"].tgt_embed[0].embed.weight
        assert (targets is tables["normal"]) is tied
        assert targets.norm(dim=1).mean().item() == pytest.approx(1, rel=0.05)
    assert {preset.table_start for preset in PRESETS.values()} == {"normal"}
    with pytest.raises(BadInput, match="table_start is 'zeros', but must be one of xavier, normal"):
        TranslationConfig(table_start="zeros")


# --- several processes --------------------------------------------------------------------------------------------


def test_gradients_averaged_by_hand_in_two_processes_are_those_of_one():
    """Two real processes with gloo, which have unequal numbers of tokens."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    command = [*TORCHRUN, free_port(), str(ROOT / "book" / "data_parallel.py")]
    said = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert said.returncode == 0, said.stderr
    tokens = re.search(r"target tokens: (\d+) of (\d+) in process 0", said.stdout)
    assert 2 * int(tokens[1]) != int(tokens[2])
    assert float(re.search(r"^average_gradients .* (\S+)$", said.stdout, re.MULTILINE)[1]) < 1e-12
