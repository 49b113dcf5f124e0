"""Our statistics beside Inspect AI's and krippendorff's, which live in an environment of their own (`make oracle`)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from replaylab.score.stats.interval import clustered, clustered_se, wilson
from replaylab.score.stats.judge import krippendorff
from replaylab.score.stats.repeats import pass_all, pass_any
from tests.score.stats.shapes import SIZES, TOY

REPO = Path(__file__).resolve().parents[2]
ORACLE = REPO / "build" / "oracle" / "bin" / "python"


def drawn_groups(random: Random, sizes: list[int], trials: int) -> list[list[float]]:
    """Outcomes that go together within a scenario; each the mean of so many trials."""
    groups = []
    for size in sizes:
        chance = random.betavariate(2, 1)
        passed = [sum(random.random() < chance for _ in range(trials)) for _ in range(size)]
        groups.append([count / trials for count in passed])
    return groups


def clustered_cases() -> list[dict[str, Any]]:
    random = Random(20)
    cases = [{"groups": TOY, "level": 0.95}, {"groups": [[1, 0], [1, 0], [0, 1]], "level": 0.95}]
    for number in range(200):
        sizes = SIZES if number % 10 == 0 else [random.randint(1, 7) for _ in range(random.randint(2, 20))]
        groups = drawn_groups(random, sizes, trials=random.choice([1, 1, 3]))
        flat = [x for group in groups for x in group]
        if 0 < sum(flat) < len(flat):  # where nothing varies we give the exact interval instead
            cases.append({"groups": groups, "level": random.choice([0.8, 0.95, 0.99])})
    return cases


def cases() -> dict[str, Any]:
    random = Random(21)
    votes = [[random.choices([0, 1, None], [3, 4, 1], k=12) for _ in range(3)] for _ in range(30)]
    return {
        "clustered": clustered_cases(),
        "plain": [[k, n] for n in (1, 2, 16, 53, 382) for k in range(0, n + 1, max(n // 8, 1))],
        "repeats": [[n, c, k] for n in range(1, 7) for c in range(n + 1) for k in range(1, n + 1)],
        "votes": votes,
    }


@pytest.fixture(scope="module")
def asked() -> tuple[dict[str, Any], dict[str, Any]]:
    """The cases, and the oracle's answers to them."""
    if not ORACLE.exists():
        message = (
            f"no oracle at {ORACLE}: `make oracle` installs it. Statistics NOT COMPARED with Inspect AI."
        )
        if os.environ.get("REPLAYLAB_ORACLE") == "1":
            pytest.fail(message)
        pytest.skip(message)
    questions = cases()
    done = subprocess.run(
        [ORACLE, "-I", str(Path(__file__).with_name("inspect_oracle.py"))],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return questions, json.loads(done.stdout)


Asked = tuple[dict[str, Any], dict[str, Any]]


def test_the_clustered_interval_is_inspects(asked: Asked) -> None:
    questions, answers = asked
    assert len(questions["clustered"]) > 190
    for case, expected in zip(questions["clustered"], answers["clustered"], strict=True):
        interval = clustered(case["groups"], case["level"])
        assert interval.method == "clustered Wilson"
        assert [interval.low, interval.high] == pytest.approx(expected, abs=1e-9)


def test_the_clustered_error_is_inspects(asked: Asked) -> None:
    questions, answers = asked
    for case, expected in zip(questions["clustered"], answers["errors"], strict=True):
        assert clustered_se(case["groups"]) == pytest.approx(expected, abs=1e-9)


def test_wilsons_interval_is_inspects(asked: Asked) -> None:
    questions, answers = asked
    for (k, n), expected in zip(questions["plain"], answers["plain"], strict=True):
        interval = wilson(k, n)
        assert [interval.low, interval.high] == pytest.approx(expected, abs=1e-9)


def test_repeats_are_reduced_as_inspect_does(asked: Asked) -> None:
    questions, answers = asked
    for counts, expected in zip(questions["repeats"], answers["repeats"], strict=True):
        assert [float(pass_all(*counts)), float(pass_any(*counts))] == pytest.approx(expected, abs=1e-9)


def test_alpha_is_that_of_the_krippendorff_package(asked: Asked) -> None:
    questions, answers = asked
    for votes, expected in zip(questions["votes"], answers["alphas"], strict=True):
        by_trial = list(zip(*votes, strict=True))
        assert krippendorff(by_trial) == pytest.approx(expected, abs=1e-9)
