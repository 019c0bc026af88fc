"""The simulation of very large classes: right where the answer is known, and as it was recorded."""

from __future__ import annotations

import importlib.util
import json
import sys

import pytest

from autograder.course.addresses import ROOT
from autograder.grading.cluster import IN_FLIGHT_PER_THREAD

PATH = ROOT / "benchmarks" / "cluster.py"


@pytest.fixture(scope="module")
def cluster():
    spec = importlib.util.spec_from_file_location("cluster_benchmark", PATH)
    module = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "path", [*sys.path])
        spec.loader.exec_module(module)
    return module


def seconds(cluster, times, client=0.0, scheduler=0.0, workers=4, threads=2, submissions=8000) -> float:
    return cluster.simulate(times, client, scheduler, 4, workers, threads, submissions)


def test_free_hand_outs_keep_all_threads_busy(cluster):
    assert seconds(cluster, [(0.25, 0.0)]) == pytest.approx(8000 * 0.25 / 8)
    assert seconds(cluster, [(0.25, 0.0)], workers=8) == pytest.approx(8000 * 0.25 / 16)


def test_a_process_judges_one_submission_at_a_time(cluster):
    """Two threads that do nothing but judge are no faster than one."""
    assert seconds(cluster, [(0.0, 0.25)]) == pytest.approx(8000 * 0.25 / 4, rel=0.01)
    assert seconds(cluster, [(0.75, 0.25)]) == pytest.approx(8000 * 1.0 / 8, rel=0.01)


@pytest.mark.parametrize("slow", ["client", "scheduler"])
def test_many_workers_wait_for_what_gives_out(cluster, slow):
    assert seconds(cluster, [(0.25, 0.0)], workers=1000, **{slow: 0.01}) == pytest.approx(8000 * 0.01, rel=0.02)


def test_long_submissions_at_the_end_make_others_wait(cluster):
    times = [(0.1, 0.0)] * 99 + [(10.0, 0.0)]
    mean = sum(map(sum, times)) / len(times)
    assert 1.0 < seconds(cluster, times, workers=40) / (8000 * mean / 80) < 2.0


def test_the_record_is_what_its_measured_times_give(cluster):
    measured = json.loads((ROOT / "book" / "measurements" / "cluster.json").read_text(encoding="utf-8"))
    assert measured["in_flight"] == IN_FLIGHT_PER_THREAD
    assert (measured["submissions"], measured["processors"]) == (cluster.SUBMISSIONS, cluster.PROCESSORS)
    assert cluster.results(measured) == measured["results"]
    assert all(one["simulated"] >= one["estimate"] * 0.97 for one in measured["results"])
