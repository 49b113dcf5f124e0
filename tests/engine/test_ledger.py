from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from replaylab.canonical import digest
from replaylab.engine.journal import SealedTrial
from replaylab.engine.ledger import (
    Ledger,
    Order,
    carried_over,
    check_journaled,
    make_run,
    spec_digest,
    status_counts,
)
from replaylab.engine.plan import Choice, make_spec, planned_trials, shard
from replaylab.errors import StoreError, UsageError
from replaylab.faults.plan import named
from replaylab.schema.cassette import Limits
from replaylab.schema.run import LedgerEntry, Run, Try
from replaylab.store.library import Library
from tests.playground import SHORT, catalogue, program, record

OTHER = "oncall-database-handover"


def order(
    tasks: tuple[str, ...] = (SHORT,), trials: int = 1, votes: int = 3, part: str = "", **settings: Any
) -> Order:
    choice = Choice(
        agents=[program("scripted:careful", **settings)],
        simulators=[program("twin")],
        verifiers=[program("rubric")],
        faults=[named("E0")],
        tasks=tasks,
        trials=trials,
        limits=Limits(votes=votes),
    )
    spec = make_spec(choice, catalogue(), lambda value: value)
    planned = planned_trials(spec, catalogue(), lambda value: value)
    inputs = {str(trial.key): trial.header.inputs for trial in planned}
    return Order("run", spec, shard(planned, part), part, inputs=inputs)


def one_try(word: str, verdict: str = "pass") -> Try:
    return Try.model_validate(
        {"cassette": digest(word), "outcome": digest([word]), "verdict": verdict, "termination": "answered"}
    )


def before(wanted: Order, *tries: Try) -> Run:
    entry = LedgerEntry(key=str(wanted.planned[0].key), status="recorded", tries=tries)
    return make_run("run", wanted.spec, (entry,), created="2026-01-01T00:00:00Z", follows=())


def test_what_is_missing_is_wanted_and_what_is_recorded_is_not() -> None:
    wanted = order(trials=2)
    first, second = wanted.planned
    ledger = Ledger(wanted.planned, before(wanted, one_try("a")))
    assert [ledger.wants(trial, retry_errors=False) for trial in (first, second)] == [False, True]
    assert ledger.recorded == 1


@pytest.mark.parametrize(
    ("verdicts", "retried"),
    [(["error"], True), (["error", "pass"], False), (["error", "error"], True), (["fail"], False)],
)
def test_only_a_trial_whose_counting_try_is_an_error_is_tried_again(
    verdicts: list[str], retried: bool
) -> None:
    wanted = order()
    ledger = Ledger(wanted.planned, None)
    (trial,) = wanted.planned
    for number, verdict in enumerate(verdicts):
        ledger.add(str(trial.key), one_try(str(number), verdict))
    assert ledger.wants(trial, retry_errors=True) == retried
    assert not ledger.wants(trial, retry_errors=False)
    assert list(ledger.done()) == [(str(trial.key), number) for number in range(len(verdicts))]


def test_a_try_that_is_in_run_object_and_journal_counts_once() -> None:
    wanted = order()
    ledger = Ledger(wanted.planned, before(wanted, one_try("a")))
    ledger.add(str(wanted.planned[0].key), one_try("a"))
    assert ledger.tries(str(wanted.planned[0].key)) == 1


def test_the_last_try_without_an_error_counts_and_all_are_kept() -> None:
    wanted = order()
    ledger = Ledger(wanted.planned, None)
    key = str(wanted.planned[0].key)
    for word, verdict in (("a", "error"), ("b", "pass"), ("c", "error")):
        ledger.add(key, one_try(word, verdict))
    run = ledger.run(wanted, None, None, "2026-01-01T00:00:00Z")
    assert [one.verdict for one in run.ledger[0].tries] == ["error", "pass", "error"]
    assert run.ledger[0].counting == one_try("b")
    assert status_counts(run) == {
        "planned": 1,
        "recorded": 1,
        "error": 0,
        "missing": 0,
        "pass": 1,
        "fail": 0,
    }


def test_a_shard_lists_every_trial_of_the_spec() -> None:
    whole, part = order(trials=4), order(trials=4, part="2/2")
    run = Ledger(part.planned, None).run(part, None, None, "2026-01-01T00:00:00Z")
    assert [entry.key for entry in run.ledger] == [str(trial.key) for trial in whole.planned]
    assert (len(part.planned), run.shard) == (2, "2/2")


def test_the_outcome_of_a_run_does_not_depend_on_when_or_after_what_it_was_made() -> None:
    wanted = order()
    ledger = Ledger(wanted.planned, before(wanted, one_try("a")))
    first = ledger.run(wanted, None, None, "2026-01-01T00:00:00Z")
    later = ledger.run(replace(wanted, shard="1/1"), digest("before"), first, "2027-01-01T00:00:00Z")
    assert later != first
    assert later.outcome == first.outcome
    assert Ledger.same_as(first, later)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return record(tmp_path_factory.mktemp("library"), trials=2)[0]


def test_nothing_is_carried_over_into_a_new_name(recorded: Library) -> None:
    found = carried_over(recorded, replace(order(trials=2), name="new"))
    assert (found.run_id, found.run) == (None, None)


@pytest.mark.parametrize("wish", [{"trials": 2}, {"trials": 3}, {"trials": 2, "tasks": (SHORT, OTHER)}])
def test_a_run_may_grow_by_trials_and_tasks(recorded: Library, wish: dict[str, Any]) -> None:
    assert carried_over(recorded, order(**wish)).run_id == recorded.refs()["run"]


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"trials": 1}, "not planned now"),
        ({"trials": 2, "tasks": (OTHER,)}, "not planned now"),
        ({"trials": 2, "votes": 5}, "other settings: limits"),
        ({"trials": 2, "sampling": {"temperature": 1}}, "other settings: agents"),
        ({"trials": 2, "sampling": {"temperature": 1}, "part": "2/2"}, "other settings: agents"),
    ],
)
def test_a_run_may_not_shrink_or_change(recorded: Library, wish: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        carried_over(recorded, order(**wish))
    assert "--run NAME" in caught.value.fix


def test_trials_that_are_planned_and_not_recorded_may_be_planned_away(tmp_path: Path) -> None:
    library, _ = record(tmp_path, trials=3, shard="1/3")
    assert carried_over(library, order(trials=1)).run is not None


def journaled(library: Library, spec: str = "") -> list[SealedTrial]:
    _, run = library.run("run")
    return [
        SealedTrial(entry.key, one, spec or spec_digest(run.spec))
        for entry in run.ledger
        for one in entry.tries
    ]


def test_what_the_journal_holds_of_the_same_spec_is_taken_unread(recorded: Library) -> None:
    forged = [one._replace(sealed=one_try("nowhere")) for one in journaled(recorded)]
    check_journaled(recorded, order(trials=2), forged)


def test_what_the_journal_holds_of_a_smaller_spec_fits(recorded: Library) -> None:
    check_journaled(recorded, order(trials=3), journaled(recorded))


@pytest.mark.parametrize(
    ("wish", "said"),
    [
        ({"trials": 1}, "not planned now"),
        ({"trials": 2, "votes": 5}, "other settings"),
        ({"trials": 2, "sampling": {"seed": 1}, "part": "1/2"}, "other settings"),
    ],
)
def test_what_the_journal_holds_of_another_spec_is_refused(
    recorded: Library, wish: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        check_journaled(recorded, order(**wish), journaled(recorded))


def test_a_reference_without_its_run_object_is_damage_and_no_new_run(tmp_path: Path) -> None:
    library, _ = record(tmp_path)
    library.path(library.refs()["run"], "run").unlink()
    with pytest.raises(StoreError, match="not in the library"):
        carried_over(library, order())
