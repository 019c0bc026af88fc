"""C kernels of a learner: reading, compiling, calling, and the sentence for whatever goes wrong."""

from __future__ import annotations

import re

import nbformat
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell

from autograder.course.addresses import ROOT
from autograder.course.catalogue import alternatives, c_solution
from autograder.course.registry import UNITS
from autograder.grading.engine import grade_code
from autograder.judging.c_assertions import Call, check_kernel
from autograder.judging.implementations import c_namespace, namespace
from autograder.judging.results import PASSED
from autograder.judging.subject import Learner, LocalSubject
from autograder.lms.release import BrokenSource, CSolution
from autograder.lms.stubs import ClearSolutionsByName
from autograder.notebook import c_magic
from autograder.sandbox.runtime.c import C_CODE, CCode, call_kernel, call_kernels, calling, compiling, line_of_overflow
from autograder.sandbox.runtime.c.prototypes import PROTOTYPES, SIGNATURES
from autograder.sandbox.runtime.c.reading import pieces_of, without_comments
from autograder.sandbox.runtime.cells import _stand_ins
from autograder.sandbox.runtime.requests import Request
from autograder.sandbox.session import ForkServer, ProcessSubject
from autograder.submissions.notebooks import Code, parse

HEAD = "void residual_forward(float *out, const float *inp1, const float *inp2, int N) {\n"
RIGHT = HEAD + "    for (int i = 0; i < N; i++) out[i] = inp1[i] + inp2[i];\n}\n"
NAN = float("nan")


def code(*texts: str) -> dict:
    """The namespace of a notebook with these C cells."""
    made = CCode()
    for number, text in enumerate(texts, 1):
        made.add(f"cell {number}", text)
    return {C_CODE: made}


def residual(names: dict) -> list:
    ones = torch.ones(5)
    return call_kernel(names, "residual_forward", [torch.full((5,), NAN), ones, 2 * ones, 5])


def failure(*texts: str) -> calling.KernelFailure:
    with pytest.raises(calling.KernelFailure) as raised:
        residual(code(*texts))
    return raised.value


# --- calling -----------------------------------------------------------------------------------------------


def test_arrays_come_back_as_the_kernel_left_them():
    out, *inputs = residual(code(RIGHT))
    assert out.tolist() == [3] * 5
    assert [one.tolist() for one in inputs] == [[1] * 5, [2] * 5]


CASES = {  # body of the kernel: the kind of failure, its text, the learner's line
    "for (int i = 0; i <= N; i++)\n out[i] = inp1[i];": (
        "BadMemoryAccess", "reads the first entry past the end of `inp1`, which has 5 entries", 3),
    "for (int i = 0; i < N; i++)\n out[i + 3] = 0;": (
        "BadMemoryAccess", "writes the first entry past the end of `out`", 3),
    "out[0] = inp2[-2];": ("BadMemoryAccess", "reads entry 2 before the beginning of `inp2`", 2),
    "float *p = 0;\n p[N] = 1;": ("BadMemoryAccess", "through a NULL pointer", 3),
    "out[100000000] = 1;": ("BadMemoryAccess", "writes far outside of every array", 2),
    "out[0] = inp1[100000000];": ("BadMemoryAccess", "reads far outside of every array", 2),
    "int *p = 0;\n out[0] = p[N];": ("BadMemoryAccess", "reads through a NULL pointer", 3),
    "float *own = __builtin_malloc(8);\n own[2] = 1;": (
        "BadMemoryAccess", "writes past the end of an array of its own", 3),
    "float *own = __builtin_malloc(N * 4);\n own[N] = inp1[0];\n out[0] = own[0] + own[N];": (
        "BadMemoryAccess", "writes past the end of 20 bytes that it allocated", 3),
    "float *own = __builtin_malloc(8);\n __builtin_free(own);\n out[0] = own[0];": (
        "BadMemoryAccess", "reads memory that it has freed", 4),
    "int x = 2147483647;\n out[0] = x + N;": ("UndefinedBehaviour", "signed integer overflow", 3),
    "float t[3];\n for (int i = 0; i < N; i++)\n t[i] = out[i] = i;": ("UndefinedBehaviour", "out of bounds", 4),
    "extern void exit(int);\n exit(0);": ("Ended", "never calls exit", 0),
    "extern void abort(void);\n abort();": ("Ended", "signal 6", 0),
    "out[0] = expf(1);": ("CompileError", "line 2 of cell 1: implicit declaration of function 'expf'", 0),
    "out[0] = 1": ("CompileError", "of cell 1: expected ';'", 0),
    "out[0] = unknown;": ("CompileError", "line 2 of cell 1: 'unknown' undeclared", 0),
}  # fmt: skip


@pytest.mark.parametrize("body", CASES)
def test_what_goes_wrong_is_a_sentence_with_the_line(body):
    kind, said, line = CASES[body]
    error = failure(f"{HEAD} {body}\n}}\n")
    assert type(error).__name__ == kind
    assert said in str(error)
    assert error.c_line == (f"line {line} of cell 1" if line else "")


def test_a_kernel_that_never_ends(monkeypatch):
    monkeypatch.setattr(calling, "CALL_SECONDS", 0.5)
    assert type(failure(HEAD + "for (;;) out[0] = 1; }")) is calling.Hang


def test_null_is_named():
    head = re.search(r"void matmul_forward\([^)]*\)", PROTOTYPES).group()
    names = code(head + " { out[0] = bias[0]; }")
    x = torch.ones(1, 1, 1)
    with pytest.raises(calling.BadMemoryAccess, match="NULL pointer: `bias` is NULL here"):
        call_kernel(names, "matmul_forward", [x, x, x, None, 1, 1, 1, 1])


def test_what_a_kernel_prints_is_no_answer_and_is_shown(capsys):
    printing = RIGHT.replace("    for", 'printf("hello\\n"); fprintf(stderr, "runtime\\n"); for')
    assert residual(code("#include <stdio.h>\n" + printing))[0].tolist() == [3] * 5
    assert capsys.readouterr().out == "hello\n"


@pytest.mark.parametrize("end", ["exit(1);", "out[N] = 0;", "for (;;) ;"])
def test_what_a_kernel_printed_before_it_failed_is_shown(monkeypatch, capsys, end):
    monkeypatch.setattr(calling, "CALL_SECONDS", 1.0)
    failure(f'#include <stdio.h>\n#include <stdlib.h>\n{HEAD} printf("N is %d\\n", N); {end} }}')
    assert capsys.readouterr().out == "N is 5\n"


def test_the_first_lines_are_enough(capsys):
    residual(code("#include <stdio.h>\n" + RIGHT.replace("    for", 'for (int i = 0; i < 900000; i++) puts("a"); for')))
    shown = capsys.readouterr().out.splitlines()
    assert shown == ["a"] * calling.FIRST_LINES + ["… (there is more)"]


# --- memory that nothing has been written to, and what is kept from call to call --------------------------------------

UNWRITTEN = {
    "a sum": "float sum;\n for (int i = 0; i < N; i++) sum += inp1[i];\n out[0] = sum;",
    "a maximum": "float most;\n for (int i = 0; i < N; i++) if (inp1[i] > most) most = inp1[i];\n out[0] = most;",
    "a condition": "int seen;\n for (int i = 0; i < N; i++) if (!seen) { out[i] = 1; seen = 1; } else out[i] = 2;",
    "an array of its own": "float part[64];\n for (int i = 1; i < N; i++) part[i] = 1;\n out[0] = part[0];",
    "allocated memory": "float *part = malloc(4 * N);\n out[0] = part[1];\n free(part);",
    "a helper's variable": "out[0] = total(inp1, N);",
    "a thread's variable": "#pragma omp parallel for\n for (int i = 0; i < N; i++) { float x; x++; out[i] = x; }",
}


@pytest.mark.parametrize("body", UNWRITTEN.values(), ids=UNWRITTEN)
def test_what_is_read_before_it_is_written(body):
    helper = "static float total(const float *x, int n) { float sum; while (n--) sum += x[n]; return sum; }\n"
    error = failure(f"#include <stdlib.h>\n{helper}{HEAD} {body}\n(void)total;}}\n")
    assert type(error) is calling.UninitialisedRead
    assert "reads memory before anything has been written to it" in str(error)


def test_the_variable_is_named_where_the_compiler_knows_it():
    error = failure(HEAD + "    float sum;\n    for (int i = 0; i < N; i++) sum += inp1[i];\n    out[0] = sum;\n}\n")
    assert re.fullmatch(r"line [34] of cell 1: `sum`", error.c_line)


UNUSED = {
    "a part that is not used": "float part[64];\n for (int i = 0; i < N; i++) out[i] = part[i] = 1;",
    "a sum that is set": "float sum;\n sum = 0;\n for (int i = 0; i < N; i++) sum += inp1[i];\n out[0] = sum;",
    "a function for C99's inline": "out[0] = twice(inp1[0]);",
    "a function of OpenMP": "extern int omp_get_num_threads(void);\n out[0] = omp_get_num_threads();",
}


@pytest.mark.parametrize("body", UNUSED.values(), ids=UNUSED)
def test_memory_that_is_written_first(body):
    residual(code(f"inline float twice(float x) {{ return 2 * x; }}\n{HEAD} {body}\n(void)twice;}}\n"))


# --- threads ----------------------------------------------------------------------------------------------------------

LOOP = "for (int i = 0; i < N; i++)"
RACES = {
    "one entry": (f"#pragma omp parallel for\n {LOOP} out[0] += inp1[i];", "entry of `out`"),
    "through a macro": (f"THREADS {LOOP} out[i / 4] = inp1[i] + i;", "entry of `out`"),
    "a shared sum": (f"float x;\n#pragma omp parallel for\n {LOOP} {{ x = inp1[i]; out[i] = x + i; }}", "variable"),
    "a shared counter": (
        f"int j;\n#pragma omp parallel for schedule(static)\n {LOOP} for (j = 0; j < 2; j++) out[i] = j;",
        "variable",
    ),
    "in a helper": ("add(out, N);", "entry of `out`"),
}
NO_RACES = {
    "entries of their own": f"#pragma omp parallel for\n {LOOP} out[i] = inp1[i] + inp2[i];",
    "private variables": f"float x;\n#pragma omp parallel for private(x)\n {LOOP} {{ x = inp1[i]; out[i] = x; }}",
    "an addition at one go": f"out[0] = 0;\n#pragma omp parallel for\n {LOOP} {{\n#pragma omp atomic\n out[0] += 1; }}",
    "sums of threads": f"float x = 0;\n#pragma omp parallel for reduction(+:x)\n {LOOP} x += inp1[i];\n out[0] = x;",
    "rounds as they come": f"#pragma omp parallel for schedule(dynamic)\n {LOOP} out[i] = inp1[i];",
    "one thread alone": f"#pragma omp parallel for if(N > 100)\n {LOOP} out[0] = inp1[i] + i;",
    "one after the other": f"{LOOP} out[0] = inp1[i] + i;\n#pragma omp parallel for\n {LOOP} out[i] = 1;",
}
THREADS = """
#define THREADS _Pragma("omp parallel for")
static void add(float *out, int n) {
    THREADS
    for (int i = 0; i < n; i++) out[0] += i;
}
"""


@pytest.mark.parametrize(("body", "where"), RACES.values(), ids=RACES)
def test_two_threads_that_write_to_the_same_memory(body, where):
    if "-fopenmp" not in compiling.compiler():
        pytest.skip("this compiler knows no OpenMP")
    error = failure(THREADS + HEAD + "out[0] = 0; (void)add;\n" + body + "\n}\n")
    assert type(error) is calling.Race
    assert re.search(rf"the same {where}, so the result depends on chance", str(error))


@pytest.mark.parametrize("body", NO_RACES.values(), ids=NO_RACES)
def test_threads_that_do_not_meet(body):
    residual(code(HEAD + "memset(out, 0, N * sizeof(float));\n" + body + "\n}\n", "#include <string.h>\n"))


def several(body: str, *sizes: int) -> list:
    """The sums of 1 and 2 in calls of these sizes, in one process."""
    calls = [[torch.full((size,), NAN), torch.ones(size), 2 * torch.ones(size), size] for size in sizes]
    names = code("#include <stdlib.h>\n#include <string.h>\n" + HEAD + body + "\n}\n")
    return [left[0].tolist() for left in call_kernels(names, "residual_forward", calls)]


def test_calls_of_one_process_see_what_is_kept():
    counting = "static int calls; calls++; for (int i = 0; i < N; i++) out[i] = calls;"
    assert several(counting, 2, 3, 3) == [[1] * 2, [2] * 3, [3] * 3]
    assert several("for (int i = 0; i < N; i++) out[i] = inp1[i] + inp2[i];", 1, 4) == [[3], [3] * 4]


KEPT = {
    "static float *own; if (!own) own = malloc(4 * N); for (int i = 0; i < N; i++) own[i] = 1; memset(out, 0, 4);": (
        "writes past the end of 8 bytes that it allocated in call 2 of one program"),
    "static const float *x; if (!x) x = inp1; for (int i = 0; i < N; i++) out[i] = x[i];": (
        "reads an array of an earlier call in call 2 of one program"),
    "static int n; if (!n) n = N; else exit(3); for (int i = 0; i < N; i++) out[i] = n;": (
        "ended the program (exit code 3) in call 2 of one program"),
}  # fmt: skip


@pytest.mark.parametrize("body", KEPT)
def test_what_a_later_call_does_with_it_is_a_sentence(body):
    with pytest.raises(calling.KernelFailure) as raised:
        several(body, 2, 3)
    assert KEPT[body] in str(raised.value)


def test_arrays_of_the_same_size_stay_where_they_are():
    where = "static float *before; for (int i = 0; i < N; i++) out[i] = before == out; before = out;"
    assert several(where, 2, 2, 3) == [[0] * 2, [1] * 2, [0] * 3]


def learner_with(body: str) -> Learner:
    return Learner(LocalSubject(code(HEAD + body + "\n}\n")))


@pytest.mark.parametrize("unit", ["gpt2_forward", "gpt2_backward"])
def test_offsets_beyond_an_int_are_found(unit):
    """In arrays of 8 GB and more, of which hardly anything is touched."""
    for entry in alternatives(unit):
        name = entry.task.partition(".")[2]
        if name in calling._LARGE and entry.name in ("plain-loops", "channels-shared-out-to-threads"):
            found = line_of_overflow(namespace(entry), name)
            assert bool(found) == (entry.name == "plain-loops"), entry
    for name in calling._LARGE:
        assert line_of_overflow(c_namespace(c_solution(unit)), name) == ""


@pytest.fixture
def shell():
    shell = InteractiveShell()
    c_magic.register(shell)
    yield shell
    shell.history_manager.end_session()


def test_a_cell_with_an_int_offset_says_so(shell, capsys):
    text = next(one.source for one in alternatives("gpt2_forward") if one.task.endswith("encoder_forward")
                and one.name == "plain-loops")  # fmt: skip
    shell.run_cell_magic("c", "offsets.c", text)
    assert "line 5 of offsets.c: this offset is an `int`" in capsys.readouterr().out
    shell.run_cell_magic(
        "c", "offsets.c", "#include <stddef.h>\n" + text.replace("inp[b * T + t] * C", "(size_t)inp[b * T + t] * C")
    )
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("factor", ["inp[b * T + t] * C", "(size_t)inp[b * T + t] * C"])
def test_grading_notes_an_int_offset_and_takes_no_points_for_it(factor):
    text = next(one.source for one in alternatives("gpt2_forward") if one.task.endswith("encoder_forward")
                and one.name == "plain-loops")  # fmt: skip
    cell = "%%c\n#include <stddef.h>\n" + text.replace("inp[b * T + t] * C", factor)
    with ForkServer(jailed=True) as server:
        server.wait_until_ready()
        graded = grade_code(server, Code([cell]), "gpt2_forward", ["gpt2_forward.encoder_forward"])
    assert graded.tasks[0].status == PASSED
    said = [note for note in graded.notes if "this offset is an `int`" in note]
    assert len(said) == ("size_t" not in factor)
    assert all(re.match(r"`encoder_forward`, line \d+ of cell 1: ", note) for note in said)


def test_a_check_says_that_something_is_kept():
    calls = [Call({"inp1": torch.ones(size), "inp2": torch.ones(size), "N": size}, {"out": 2 * torch.ones(size)})
             for size in (2, 3)]  # fmt: skip
    check_kernel(learner_with("for (int i = 0; i < N; i++) out[i] = inp1[i] + inp2[i];"), "residual_forward", *calls)
    kept = "static int n; for (; n < N; n++) out[n] = inp1[n] + inp2[n];"
    with pytest.raises(AssertionError, match=r"call 2 of 2 in one program.*Alone, this call is right"):
        check_kernel(learner_with(kept), "residual_forward", *calls)
    with pytest.raises(AssertionError) as raised:
        check_kernel(learner_with(f"if (N == 3) return; {kept}"), "residual_forward", *calls)
    assert "Alone" not in str(raised.value)


def test_what_is_not_there_or_empty():
    with pytest.raises(KeyError):
        residual({})
    with pytest.raises(KeyError):
        residual(code("int x;"))
    with pytest.raises(NotImplementedError):
        residual(code(HEAD + "    // YOUR CODE HERE\n    (void)inp1;\n    return;\n}"))


# --- compiling ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "broken",
    [
        "void gelu_forward(float *out, const float *inp, int N) { out[0] = ; }\n",
        "void gelu_forward(float *out, const float *inp, int N) { if (N) { out[0] = 1; \n",  # a brace is missing
        "void gelu_forward(float *out, const float *inp, int N) { nowhere(out); }\n",
        "float nowhere(float);\nvoid gelu_forward(float *out, const float *inp, int N) { out[0] = nowhere(1); }\n",
        "flaot nonsense;\n",
    ],
)
def test_what_does_not_compile_costs_only_itself(broken):
    for text in (broken + RIGHT, RIGHT + broken):
        assert residual(code(text))[0].tolist() == [3] * 5


def test_the_last_definition_counts():
    wrong = RIGHT.replace("+ inp2", "- inp2")
    assert residual(code(wrong, RIGHT))[0].tolist() == [3] * 5
    assert residual(code(wrong + RIGHT))[0].tolist() == [3] * 5
    assert residual(code(RIGHT, wrong))[0].tolist() == [-1] * 5


WRONG = RIGHT.replace("+", "-").replace("i--", "i++")
CONDITIONS = {
    "one version for threads": f"#ifdef _OPENMP\n{RIGHT}#else\n{RIGHT}#endif\n",
    "an old version below": f"{RIGHT}#if 0\n{WRONG}#endif\n",
    "an old version above": f"#if 0\n{WRONG}#endif\n{RIGHT}",
    "the stub below": f"{RIGHT}#if 0\n{HEAD}}}\n#endif\n",
    "one that is chosen": f"#define MINE 2\n#if MINE == 1\n{WRONG}#elif MINE == 2\n{RIGHT}#endif\n",
}


@pytest.mark.parametrize("text", CONDITIONS.values(), ids=CONDITIONS)
def test_what_the_preprocessor_leaves_out_does_not_count(text):
    assert residual(code(text))[0].tolist() == [3] * 5
    assert residual(code(WRONG, text))[0].tolist() == [3] * 5


def test_only_what_is_left_out():
    with pytest.raises(KeyError):
        residual(code(f"#if 0\n{RIGHT}#endif\n"))


def test_a_helper_may_be_defined_in_each_cell_that_uses_it():
    helper = "static float plus(float a, float b) { return a + b; }\n"
    first = RIGHT.replace("inp1[i] + inp2[i]", "plus(inp1[i], inp2[i])")
    second = "void gelu_forward(float *out, const float *inp, int N) { *out = plus(*inp, N); }\n"
    assert residual(code(helper + first, helper + second))[0].tolist() == [3] * 5


@pytest.mark.parametrize("word", ["static", "inline"])
def test_a_kernel_that_cannot_be_called_from_outside(word):
    assert "cannot be called" in str(failure(f"{word} {RIGHT}"))


def test_a_brace_that_is_missing_at_the_end_is_no_empty_kernel():
    assert "a brace is not closed" in str(failure(RIGHT.rstrip().removesuffix("}")))


def test_a_byte_order_mark_is_no_code():
    assert residual(code("\ufeff" + RIGHT))[0].tolist() == [3] * 5


def test_cells_share_what_they_define():
    helper = "#define PLUS +\nstatic float add(float a, float b) { return a PLUS b; }\n"
    assert residual(code(helper, RIGHT.replace("inp1[i] + inp2[i]", "add(inp1[i], inp2[i])")))[0].tolist() == [3] * 5


@pytest.mark.parametrize(
    "head",
    [
        "void residual_forward(float* out, float inp1[], const float *restrict inp2, const int N) {\n",
        "void\nresidual_forward(float *out, const float *a /* first */, const float *b, int n)\n{\n"
        "const float *inp1 = a, *inp2 = b; int N = n;\n",
        "typedef const float *In;\nvoid residual_forward(float *out, In inp1, In inp2, int N) {\n",
    ],
)
def test_ways_to_write_the_parameters(head):
    assert residual(code(RIGHT.replace(HEAD, head)))[0].tolist() == [3] * 5


def test_other_parameters_are_refused():
    error = failure("void residual_forward(float *out, int N, float *inp1, float *inp2) { out[0] = N; }")
    assert "must take (float *out, float *inp1, float *inp2, int N)" in str(error)


def test_a_main_of_ones_own_does_no_harm():
    assert residual(code(RIGHT + "int main(void) { return 1; }"))[0].tolist() == [3] * 5


def test_warnings_are_kept_with_their_lines():
    names = code(HEAD + "    int unused;\n    for (int i = 0; i < N; i++) out[i] = inp1[i] + inp2[i];\n}\n")
    residual(names)
    assert any("line 2 of cell 1: unused variable" in one for one in names[C_CODE].program().warnings)


SAID = {
    "an error": RIGHT.replace("out[i] =", "out[i] = unknown +"),
    "an error of syntax": RIGHT.replace(";\n}", "\n}"),
    "a warning": RIGHT.replace("{\n", "{\n    int unused;\n", 1),
    "a warning that is an error": RIGHT.replace("inp1[i]", "expf(inp1[i])"),
    "a header that is not there": '#include "no_such_header.h"\n' + RIGHT,
    "a function that is nowhere": "float nowhere(float);\n" + RIGHT.replace("inp1[i]", "nowhere(inp1[i])"),
}


@pytest.mark.parametrize("text", SAID.values(), ids=SAID)
def test_json_and_text_of_the_compiler_say_the_same(monkeypatch, text):
    """gcc writes JSON; clang and the newest gcc are read from their text."""
    if compiling._AS_JSON not in compiling.compiler():
        pytest.skip("this compiler writes no JSON")
    read, text_alone = [], tuple(flag for flag in compiling.compiler() if flag != compiling._AS_JSON)
    for command in (compiling.compiler(), text_alone):
        monkeypatch.setattr(compiling, "compiler", lambda command=command: command)
        program = code(text)[C_CODE].program()
        read.append((program.errors, program.warnings, program.problem))
    assert read[0] == read[1]
    assert any(read[0])


def test_the_name_of_a_file_is_no_message():
    """A file may be called so that its lines look like another file's."""
    made = CCode()
    made.add("kernels.c:7: error: lost.c", RIGHT.replace("out[i] =", "out[i] = unknown +"))
    if compiling._AS_JSON not in compiling.compiler():
        pytest.skip("this compiler writes no JSON")
    assert "line 2 of kernels.c:7: error: lost.c: 'unknown' undeclared" in made.program().errors["residual_forward"]


def test_no_compiler_is_a_sentence(monkeypatch):
    compiling.compiler.cache_clear()
    monkeypatch.setattr(compiling.shutil, "which", lambda _: None)
    with pytest.raises(compiling.NoCompiler, match=r"^There is no C compiler here: install one"):
        residual(code(RIGHT))
    compiling.compiler.cache_clear()


def test_missing_headers_are_a_sentence(monkeypatch):
    compiling._calling_object.cache_clear()
    monkeypatch.setattr(compiling, "_calling_program", lambda: "#include <no_such_header.h>\n")
    with pytest.raises(compiling.NoCompiler, match=r"the C library's headers: no_such_header\.h"):
        residual(code(RIGHT))


# --- reading -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", [unit for unit in UNITS if unit.language == "c"], ids=lambda unit: unit.name)
def test_the_reference_is_read_whole(unit):
    text = c_solution(unit.name)
    pieces = pieces_of(text, "file")
    assert " ".join(piece.text for piece in pieces).split() == text.split()
    assert {task.partition(".")[2] for task in unit.written_ids} <= {piece.function for piece in pieces}
    lines = text.split("\n")
    for piece in pieces:
        assert lines[piece.line - 1].strip() == piece.text.split("\n")[0].strip()


@pytest.mark.parametrize("unit", ["gpt2_forward", "gpt2_backward"])
def test_a_character_that_is_left_out_costs_one_function(unit):
    text = c_solution(unit)
    blank = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
    code_alone = blank.sub(lambda comment: re.sub(r"\S", " ", comment.group()), text)
    whole = {piece.function: piece for piece in pieces_of(text, "x") if piece.function in SIGNATURES}
    positions = [match.start() for match in re.finditer(r"[{}();]", code_alone)][::7]
    assert len(positions) > 40
    for position in positions:
        line = text.count("\n", 0, position) + 1
        damaged = {name for name, piece in whole.items() if piece.line <= line <= piece.last_line}
        left = {piece.function: piece for piece in pieces_of(text[:position] + text[position + 1 :], "x")}
        for name in whole.keys() - damaged:
            assert without_comments(left[name].text).split() == without_comments(whole[name].text).split(), line


def test_signatures_are_those_of_the_program_and_of_the_course():
    def normal(text: str) -> list[str]:
        return sorted(re.sub(r"\s+", " ", found) for found in re.findall(r"void \w+\([^)]*\);", text))

    header = (ROOT / "solutions" / "c" / "kernels.h").read_text(encoding="utf-8")
    assert set(normal(PROTOTYPES)) <= set(normal(header))
    kernels = [task.partition(".")[2] for unit in UNITS if unit.language == "c" for task in unit.written_ids]
    assert set(kernels) == set(SIGNATURES)


def test_comments_and_texts_hide_braces():
    text = "/* { */ int a; // }\nconst char *s = \"}{\"; char c = '{';\n" + RIGHT
    assert [piece.function for piece in pieces_of(text, "x")][-1] == "residual_forward"
    assert residual(code(text))[0].tolist() == [3] * 5


# --- in a process of its own ---------------------------------------------------------------------------------

DRIVER = "def kernel(learner, name, arguments):\n    return call_kernels(learner, name, [arguments])[0]\n"


def ask(subject: ProcessSubject, name: str = "residual_forward"):
    ones = torch.ones(5)
    return subject.ask(Request("kernel", (name, [torch.full((5,), NAN), ones, ones, 5]), {}, DRIVER))


@pytest.mark.parametrize("cell", ["%%c\n", "%%writefile kernels.c\n", "%%c kernels.c\n"])
def test_cells_of_a_notebook(server, cell):
    with ProcessSubject(server, ["import torch", cell + RIGHT], sanitizers=True) as subject:
        assert ask(subject).value[0].tolist() == [2] * 5
        assert ask(subject, "gelu_forward").missing == "gelu_forward"


def test_a_file(server, tmp_path):
    data = (HEAD + "    out[N] = 0;\n}\n").encode()
    with ProcessSubject(server, parse(data, tmp_path / "my kernels.c").cells, sanitizers=True) as subject:
        outcome = ask(subject)
    assert outcome.kinds[0] == "BadMemoryAccess"
    assert outcome.where == "line 2 of my_kernels.c"


def test_in_the_sandbox():
    with ForkServer(jailed=True, compiler=False) as server:
        server.wait_until_ready()
        with ProcessSubject(server, ["%%c\n" + RIGHT], sanitizers=True) as subject:
            assert ask(subject).value[0].tolist() == [2] * 5
        with ProcessSubject(server, ["%%c\n" + HEAD + "out[N] = 1; }"], sanitizers=True) as subject:
            assert ask(subject).where == "line 3 of cell 1"  # the magic's line is the first


def test_cells_that_use_kernels_do_nothing_when_graded():
    course = _stand_ins()["autograder"]
    with course.when_ready():
        course.run_kernel("gelu_forward", 1)[0].plot()


# --- in a running notebook -----------------------------------------------------------------------------------


def test_the_magic_compiles_at_once_and_says_what_is_wrong(shell, capsys):
    shell.run_cell("%%c\n" + HEAD + "    int unused;\n    out[0] = ;\n}\n", store_history=True)
    assert re.match(r"line 4 of cell \d+: expected expression before ';'", capsys.readouterr().out)
    shell.run_cell("%%c\n" + RIGHT, store_history=True)
    assert capsys.readouterr().out == ""
    ones = torch.ones(3)
    out, *_ = c_magic.run_kernel(shell.user_ns, "residual_forward", torch.zeros(3), ones, ones, 3)
    assert out.tolist() == [2] * 3


def test_a_cell_says_what_is_wrong_in_itself_alone(shell, capsys):
    warned = RIGHT.replace("{\n", "{\n    int unused;\n", 1)
    shell.run_cell("%%c\n" + warned, store_history=True)
    assert re.fullmatch(r"line 3 of cell \d+: unused variable 'unused'.*\n", capsys.readouterr().out)
    shell.run_cell("%%c\nvoid gelu_forward(float *out, const float *inp, int N) {\n}\n", store_history=True)
    assert capsys.readouterr().out == ""  # nor are the parameters of a stub worth a word


def test_a_cell_that_is_run_again_replaces_itself(shell, capsys):
    shell.parent_header = {"metadata": {"cellId": "one"}}
    for text in ("struct pair { int a; };\n" + RIGHT.replace("+ inp2", "- inp2"), "struct pair { int a; };\n" + RIGHT):
        shell.run_cell("%%c\n" + text, store_history=True)
    assert capsys.readouterr().out == ""
    assert residual(shell.user_ns)[0].tolist() == [3] * 5


def test_a_missing_kernel_is_a_sentence(shell):
    with pytest.raises(calling.KernelFailure, match="There is no gelu_forward in your code yet"):
        c_magic.run_kernel(shell.user_ns, "gelu_forward", torch.ones(1), torch.ones(1), 1)


def test_what_keeps_a_kernel_from_running_is_a_sentence(shell, capsys, monkeypatch):
    def use():
        with c_magic.when_ready():
            c_magic.run_kernel(shell.user_ns, "residual_forward", *[torch.ones(1)] * 3, 1)

    use()
    assert "gpt2_forward.residual_forward is still to be written" in capsys.readouterr().out
    c_magic.write_c(shell, "", HEAD + "out[0] = ; }")  # the magic itself is a line
    capsys.readouterr()
    use()
    assert capsys.readouterr().out.startswith("Nothing to see yet: line 3 of cell")
    compiling.compiler.cache_clear()
    monkeypatch.setattr(compiling.shutil, "which", lambda name: None)
    c_magic.write_c(shell, "", RIGHT)
    capsys.readouterr()
    use()
    assert capsys.readouterr().out.startswith("Nothing to see yet: There is no C compiler here: install one")
    compiling.compiler.cache_clear()


def test_the_kernels_of_a_notebook_become_a_file(shell, tmp_path):
    path = tmp_path / "mine.c"
    for text in ("#define TWO 2\n", RIGHT.replace("+ inp2", "- inp2"), RIGHT, HEAD.replace("residual", "gelu") + "}"):
        shell.run_cell("%%c\n" + text, store_history=True)
    for name in ("matmul_forward", "gelu_forward"):
        with pytest.raises(calling.KernelFailure, match=f"There is no {name} in your code yet"):
            c_magic.write_kernels(shell.user_ns, path, ["residual_forward", name])
    c_magic.write_kernels(shell.user_ns, path, ["residual_forward"])
    text = path.read_text()
    assert text.count("#define TWO 2") == text.count("residual_forward") == text.count("+ inp2") == 1
    path.unlink()
    shell.run_cell("%%c\nint broken = ;\n", store_history=True)
    with pytest.raises(calling.KernelFailure, match="expected expression"):
        c_magic.write_kernels(shell.user_ns, path, ["residual_forward"])
    assert not path.exists()


# --- exercises -----------------------------------------------------------------------------------------------


def test_cells_of_the_exercise_are_made_of_the_solution():
    solution = CSolution("gpt2_forward")
    assert solution.imports().startswith("%%c\n")
    assert "#include <math.h>" in solution.imports()
    source = solution.source("gelu_forward")
    assert re.match(r"%%c\n/\*.*\*/\nvoid gelu_forward", source, re.DOTALL)
    assert "BEGIN SOLUTION" in source
    assert "BEGIN SOLUTION" not in solution.given("gelu_forward")
    with pytest.raises(BrokenSource, match="defines no 'nothing'"):
        solution.source("nothing")


def test_the_stub_of_a_kernel_is_empty():
    cell = nbformat.v4.new_code_cell(CSolution("gpt2_forward").source("gelu_forward"))
    cell.metadata["nbgrader"] = {"grade_id": "gpt2_forward-gelu_forward-solution", "solution": True, "grade": False,
                                 "locked": False, "schema_version": 3, "task": False}  # fmt: skip
    cleared, _ = ClearSolutionsByName().preprocess_cell(cell, {"language": "python"}, 0)
    [stub] = [piece for piece in pieces_of(cleared.source.removeprefix("%%c"), "x") if piece.function]
    assert stub.is_stub
    assert "YOUR CODE HERE" in cleared.source
