"""The whole synthesis: what is recorded, played again, resumed, and never asked twice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.verify import verify
from replaylab.errors import LimitReached, OfflineError
from replaylab.schema.cassette import key_of
from replaylab.store.library import Library
from replaylab.synthesis.publish import publish, selection
from tests.engine.playing import failure
from tests.playground import program
from tests.synthesis.playing import Played, order, source, synthesise

ONE = {"levels": 1}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Played]:
    folder = tmp_path_factory.mktemp("synthesis")
    return folder, synthesise(folder, order(instances=2))


def test_the_level_that_is_solved_least_is_kept_of_each_instance(played: tuple[Path, Played]) -> None:
    history = played[1].history
    for instance in history.instances:
        rates = {task.level: task.rate for task in instance.tasks if task.status != "dropped"}
        (kept,) = (task for task in instance.tasks if task.status == "kept")
        assert rates[kept.level] == min(rate for rate in rates.values() if rate is not None and 0 < rate < 1)


def test_every_cassette_is_of_the_kind_synthesis_stands_at_its_step_and_verifies(
    played: tuple[Path, Played],
) -> None:
    library = Library(played[0] / "library")
    assert verify(library).findings == []
    headers = [open_cassette(library, name).header for name in library.objects("cassette")]
    assert {header.subject.kind for header in headers} == {"synthesis"}
    steps = [key_of(header).task for header in headers]
    first = played[1].history.instances[0].id
    assert {f"{first}:environment", f"{first}:tools", f"{first}:state", f"{first}.l1:plan"} <= set(steps)


def test_every_event_names_the_cassettes_that_it_is_read_from(played: tuple[Path, Played]) -> None:
    library = Library(played[0] / "library")
    named = {
        name
        for task in played[1].history.tasks
        for event in task.events
        if event.what in ("made", "passed", "tried")
        for name in event.cassettes
    }
    assert named
    assert named <= set(library.objects("cassette"))


def test_offline_it_gives_the_same_history_and_the_same_files(
    played: tuple[Path, Played], tmp_path: Path
) -> None:
    folder, before = played
    again = synthesise(folder, order(instances=2), offline=True)
    assert (again.asked, again.steps.made) == ([], 0)
    assert again.history == before.history
    assert json.dumps(again.history.to_json()) == json.dumps(before.history.to_json())
    names = publish(before.made, tmp_path / "a", "2026-01-02")
    assert publish(again.made, tmp_path / "b", "2026-01-02") == names
    for name in names:
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_second_time_nothing_is_asked(played: tuple[Path, Played]) -> None:
    again = synthesise(played[0], order(instances=2))
    assert again.asked == []
    assert again.history == played[1].history


@pytest.mark.parametrize("calls", [0, 1, 2, 5, 9, 20, 40])
def test_it_goes_on_where_it_was_stopped_and_asks_nothing_twice(calls: int, tmp_path: Path) -> None:
    whole = synthesise(tmp_path / "whole", order(**ONE))
    with pytest.raises(LimitReached):
        synthesise(tmp_path, order(**ONE), stop_after=calls)
    rest = synthesise(tmp_path, order(**ONE))
    assert rest.asked == whole.asked[calls:]
    assert selection(rest.made) == selection(whole.made)
    assert verify(Library(tmp_path / "library")).findings == []


def test_offline_what_was_never_recorded_is_an_error_that_names_the_step(tmp_path: Path) -> None:
    with pytest.raises(OfflineError, match="reference was never recorded"):
        synthesise(tmp_path, order(**ONE), offline=True)


def test_another_seed_gives_other_tasks_under_other_ids(tmp_path: Path) -> None:
    one, other = (synthesise(tmp_path, order(**ONE, seed=seed)) for seed in (0, 1))
    assert one.made.kept[0].task.id != other.made.kept[0].task.id
    assert one.made.kept[0].task.instruction != other.made.kept[0].task.instruction


def test_a_failed_call_is_no_bad_candidate_and_is_made_again_on_request_only(tmp_path: Path) -> None:
    def instead(request: Any) -> Any:
        return failure(400)

    (scenario,) = synthesise(tmp_path, order(**ONE), instead=instead).history.scenarios
    assert (scenario.status, scenario.reason, scenario.events[0].why) == (
        "dropped",
        "no answer",
        "http_status",
    )
    assert synthesise(tmp_path, order(**ONE)).asked == []
    mended = synthesise(tmp_path, order(**ONE), retry_errors=True)
    assert mended.made.kept
    assert not [event for event in mended.history.scenarios[0].events if event.what == "failed"]
    assert synthesise(tmp_path, order(**ONE), offline=True).history == mended.history


def test_a_generator_with_other_settings_is_another_one(tmp_path: Path) -> None:
    synthesise(tmp_path, order(**ONE))
    other = order(**ONE, generator=program("grammar", sampling={"temperature": 1}))
    with pytest.raises(OfflineError):
        synthesise(tmp_path, other, offline=True)


def test_scenarios_of_an_order_do_not_touch_each_other(tmp_path: Path) -> None:
    both = order(**ONE, sources=(source(), source("fish-farm-water-quality-control")))
    played = synthesise(tmp_path, both)
    assert [one.id for one in played.history.scenarios] == [one.id for one in both.sources]
    assert len({task.id for task in played.history.tasks}) == 2
