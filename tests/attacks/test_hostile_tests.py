"""Attacks of tests that learners write in catch-it tasks: none earns points without knowing what is right."""

from __future__ import annotations

import hashlib
import marshal
import textwrap
import time

import pytest
from sandboxed import needs_jail

from autograder.course.catches import find_catch
from autograder.grading.engine import grade_code
from autograder.judging import results
from autograder.judging.shown import code_of
from autograder.sandbox.session import ForkServer, Limits
from autograder.submissions.notebooks import Code

TASK = "attention.test_attention"
CATCH = find_catch(TASK)
LIMITS = Limits(request_seconds=5.0, total_seconds=60.0, memory_mb=1024)
# The names by which an implementation might give itself away.
NAMES = sorted({*(one.name for one in (*CATCH.styles, *CATCH.slips)), "reference", "mistake", "solutions", "docstring"})
HASHES = {hashlib.sha256(name.encode()).hexdigest() for name in NAMES if "-" in name}
ACCEPTS = "Your test accepts a wrong implementation"


pytestmark = needs_jail


def reference_hash() -> str:
    """What a test finds when it hashes the bytecode of the course's own implementation."""
    names: dict = {"__name__": "given"}
    exec(marshal.loads(code_of(CATCH)), names)
    return hashlib.sha256(names[CATCH.gets[0]].__code__.co_code).hexdigest()


# Each raises where it believes that it has found a difference; a test that finds none accepts everything.
FIND_NOTHING = {
    "source": """
        import inspect, linecache
        try:
            inspect.getsource(f)
        except (OSError, TypeError):
            pass
        else:
            raise ValueError
        assert not linecache.getlines(f.__code__.co_filename)
        assert inspect.getmodule(f) is None and f.__doc__ is None
        assert (f.__name__, f.__qualname__) == ("scaled_dot_product_attention",) * 2 and f.__module__ == "given"
        """,
    "names in the code": f"""
        codes = [f.__code__]
        for code in codes:
            codes += [one for one in code.co_consts if hasattr(one, "co_code")]
            texts = [code.co_filename, code.co_name, *code.co_varnames, *code.co_names]
            texts += [one for one in code.co_consts if isinstance(one, str)]
            assert not set(texts) & set({NAMES!r}) and code.co_firstlineno == 1
            assert all(line in (None, 1) for _, _, line in code.co_lines())
        """,
    "frames and globals": f"""
        import gc, sys
        texts, frame = [], sys._getframe()
        while frame:
            texts += [str(value) for value in list(frame.f_locals.values()) if isinstance(value, (str, list, tuple))]
            frame = frame.f_back
        texts += list(f.__globals__)
        texts += [text for kept in gc.get_objects() if type(kept) in (list, tuple)
                  for text in kept if type(text) is str and len(text) < 60 and "-" in text]
        import hashlib
        found = {{hashlib.sha256(text.encode("utf-8", "replace")).hexdigest() for text in texts}} & {HASHES!r}
        assert not found, found
        """,
    "files": """
        import os
        for folder in (".", "/tmp", "/dev/shm"):
            path = os.path.join(folder, "seen")
            if os.path.exists(path):
                assert open(path).read() == str(os.getpid())
            try:
                with open(path, "w") as file:
                    file.write(str(os.getpid()))
                os.makedirs(os.path.join(folder, "deep", "deeper"), exist_ok=True)
                os.chmod(os.path.join(folder, "deep"), 0o100)
            except OSError:
                pass
        """,
    "processes": """
        import os, socket, time
        try:
            with socket.socket(socket.AF_UNIX) as other:
                other.connect("\\0daemon")
        except OSError:
            pass
        else:
            assert os.environ.get("started")
        if not os.environ.get("started") and os.fork() == 0:
            os.setsid()
            with socket.socket(socket.AF_UNIX) as own:
                own.bind("\\0daemon")
                own.listen()
                time.sleep(60)
            os._exit(0)
        os.environ["started"] = "yes"
        """,
    "modules": """
        import builtins, math
        assert getattr(math, "seen", os_pid()) == os_pid() and getattr(builtins, "seen", os_pid()) == os_pid()
        math.seen = builtins.seen = os_pid()
        """,
    "parents": """
        import os, signal
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSTOP):
            for pid in (os.getppid(), 1):
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
        """,
}

# These must earn nothing, whatever they believe to have found.
EARN_NOTHING = {
    "recognises the reference": "import hashlib\nassert hashlib.sha256(f.__code__.co_code).hexdigest() == HASH",
    "counts processes": "import os\nassert os.getpid() % 2",
    "late ones are wrong": "import os\nassert os.getpid() < 20",
    "tosses a coin": "import os\nassert os.urandom(1)[0] < 128",
    "by address": "import os\nassert hash(os.urandom(2)) % 2",
    "by the clock": "import time\nassert time.time_ns() // 1000 % 2",
    "always raises": "raise SystemExit(0)",
    "sleeps": "import time\ntime.sleep(60)",
    "computes for ever": "try:\n    while True:\n        pass\nexcept BaseException:\n    raise ValueError",
    "uses all memory": "kept = [bytearray(2**24) for _ in range(200)]\nraise ValueError",
    "exits": "import os\nos._exit(0)",
    "crashes": "import ctypes\nctypes.string_at(0)",
    "writes to all files": "import os\nfor n in range(3, 200):\n    try:\n        os.write(n, b'x' * 5000)\n"
    "    except OSError:\n        pass",
    "forges replies": "import os, json\nsaid = json.dumps({'dict': [['value', None]]}).encode()\n"
    "frame = len(said).to_bytes(4, 'big') + bytes(4) + said\nfor n in range(3, 200):\n    try:\n"
    "        os.write(n, frame * 50)\n    except OSError:\n        pass",
}
CELLS = {
    "replaced exec and marshal": """
        import builtins, marshal
        kept, load, run = [], marshal.loads, builtins.exec
        marshal.loads = lambda data: kept.append(data) or load(data)
        builtins.exec = lambda *given: run(*given)
        """,
    "replaced seeds": "torch.default_generator.__class__.manual_seed = None\n",
    "counts forks": "import os\nforks = []\nos.register_at_fork(before=lambda: forks.append(1))",
    "replaced fork": "import os\nos.fork = lambda: 0\nos.setsid = os.waitpid = lambda *_: 0",
}


def grade(server: ForkServer, body: str, cell: str = "", limits: Limits = LIMITS):
    body = textwrap.indent(textwrap.dedent(body).strip().replace("HASH", repr(reference_hash())), "    ")
    helpers = "import os\nimport torch\n\n\ndef os_pid():\n    return os.getpid()\n"
    test = f"def test_attention(f):\n{body}\n"
    cells = [helpers, textwrap.dedent(cell), test]
    return grade_code(server, Code(cells), "attention", [TASK], limits=limits).tasks[0]


@pytest.mark.parametrize("attack", FIND_NOTHING)
def test_nothing_tells_implementations_apart(jailed, attack):
    result = grade(jailed, FIND_NOTHING[attack])
    assert result.points == 0
    assert ACCEPTS in result.checks[0].message, result.checks[0].message


@pytest.mark.parametrize("attack", EARN_NOTHING)
def test_an_attack_earns_nothing_and_ends(jailed, attack):
    started = time.monotonic()
    result = grade(jailed, EARN_NOTHING[attack])
    assert result.points == 0
    assert result.status in (results.FAILED, results.TIMEOUT, results.CRASHED)
    assert time.monotonic() - started < 2 * LIMITS.total_seconds


@pytest.mark.parametrize("attack", CELLS)
def test_what_cells_replace_gains_nothing(jailed, attack):
    body = "try:\n    assert len(kept) < 4\nexcept NameError:\n    pass"
    result = grade(jailed, body, f"{textwrap.dedent(CELLS[attack])}\n# test_attention = None")
    assert result.points == 0


def test_others_are_graded_as_before(jailed):
    """After all attacks, on the same server."""
    body = """
        q, k, v = (torch.randn(2, n, 4) for n in (3, 5, 5))
        expected = (q @ k.transpose(-2, -1) / 2).softmax(-1)
        output, weights = f(q, k, v)
        torch.testing.assert_close(weights, expected)
        torch.testing.assert_close(output, expected @ v)
        """
    result = grade(jailed, body)
    assert {check.id.rpartition(".")[2] for check in result.checks if check.points} == {
        "the-scale",
        "which-axis",
        "both-results",
    }
