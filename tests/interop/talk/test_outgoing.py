"""What a source said of a trial goes along with it into the next file, and nothing becomes a score that is none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.atif import ATIF
from replaylab.interop.atif.shape import to_json
from replaylab.interop.atif.writer import to_atif
from replaylab.interop.inspect import INSPECT
from replaylab.interop.inspect.writer import to_sample
from tests.interop.inspect.made import log, sample
from tests.interop.talk.landing import kept, landed, trials, written

SCORES = {"match": {"value": "C", "answer": "42", "explanation": "it fits"}, "depth": {"value": 0.5}}


def through_inspect(root: Path, one: Any) -> None:
    landed(root / "back", INSPECT, written(root / "b.json", log(to_sample(one))))


def through_atif(root: Path, one: Any) -> None:
    landed(root / "back", ATIF, written(root / "b.json", to_json(to_atif(one))))


@pytest.mark.parametrize("through", [through_inspect, through_atif])
def test_scores_of_a_source_go_on_into_the_next_file(tmp_path: Path, through: Any) -> None:
    landed(tmp_path, INSPECT, written(tmp_path / "a.json", log(sample(scores=SCORES))))
    (one,) = trials(tmp_path)
    assert [score["value"] for score in one.source_scores()] == ["C", 0.5]
    through(tmp_path, one)
    (back,) = trials(tmp_path / "back")
    assert kept(back)["source"]["scores"] == kept(one)["source"]["scores"]
    assert back.facts()["verdict"] == "none"


@pytest.mark.parametrize("through", [through_inspect, through_atif])
def test_a_trial_without_scores_is_counted_as_one(tmp_path: Path, through: Any) -> None:
    made = landed(tmp_path, INSPECT, written(tmp_path / "a.json", log(sample(scores={}))))
    assert (made.scored, made.lacks.get("results")) == (0, 1)
    (one,) = trials(tmp_path)
    through(tmp_path, one)
    (back,) = trials(tmp_path / "back")
    assert not back.source_scores()


def test_an_empty_list_of_scores_is_none(tmp_path: Path) -> None:
    landed(tmp_path, INSPECT, written(tmp_path / "a.json", log(sample(scores={}))))
    (one,) = trials(tmp_path)
    made = landed(tmp_path / "back", ATIF, written(tmp_path / "b.json", to_json(to_atif(one))))
    assert (made.scored, made.lacks.get("results")) == (0, 1)
