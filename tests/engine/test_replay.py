from __future__ import annotations

import contextlib
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import Lane
from replaylab.engine.gate import Gate
from replaylab.engine.replay import ReplayedTrial, played_chat, replay_cassette, replay_run
from replaylab.errors import ReplaylabError, StoreError
from replaylab.roles.chat import Chat
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from replaylab.wire.client import Chats, Outside
from replaylab.wire.endpoint import Endpoint
from replaylab.wire.redact import Redactor
from tests.engine.forging import Row, forged, in_lane, other_digest, remove, replace
from tests.engine.playing import failure, scripted, votes
from tests.engine.test_verify import HOSTILE
from tests.playground import record

LOOK: list[Any] = [("list_places", {})]
YES = '{"is_correct": true, "feedback": "yes"}'


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Eight trials, of which some end in errors: two tasks under two fault plans by two agents, one of them unsteady."""
    steps = [LOOK, LOOK, [("no_such_tool", {})], failure(400), LOOK, "Done."]
    respond = scripted(unsteady=steps, judge=[*votes(YES, "?", "?", "?", YES), YES])
    return record(
        tmp_path_factory.mktemp("replay") / "library",
        tasks=("ed-sepsis-room", "hazmat-power-station"),
        agents=("scripted:careful", "unsteady"),
        verifiers=("judge",),
        faults=("E0", "E3"),
        respond=respond,
    )[0]


def all_cassettes(library: Library) -> list[Cassette]:
    return [open_cassette(library, name) for name in library.objects("cassette")]


def sdk_chat(lane: Lane, settings: ModelSettings) -> Chat:
    """Through the SDK and the transport, without a network below it."""
    outside = Outside(None, Redactor(), Gate(1), lambda: 0.0, lambda: 0.0, lambda seconds: None)
    endpoint = Endpoint(settings=settings, base_url="http://played.invalid/v1")
    return Chats({settings.alias: endpoint}, outside).open(lane, settings)


def test_with_and_without_the_sdk_a_replay_comes_to_the_same(library: Library) -> None:
    ends: set[str] = set()
    for cassette in all_cassettes(library):
        played, over_sdk = replay_cassette(cassette, played_chat), replay_cassette(cassette, sdk_chat)
        assert played == over_sdk
        assert (played.findings, played.outcome) == ((), cassette.seal.outcome)
        ends.add(f"{cassette.seal.termination} {cassette.seal.verdict}")
    assert {"answered pass", "agent_error error"} <= ends


def test_with_and_without_the_sdk_a_divergence_is_the_same(library: Library) -> None:
    def reworded(rows: list[Row]) -> None:
        rows[0]["task"]["instruction"] += " Please."

    (name, *_) = library.objects("cassette")
    cassette = Cassette(forged(library.get(name, "cassette"), reworded), where="x.cassette")
    played, over_sdk = replay_cassette(cassette, played_chat), replay_cassette(cassette, sdk_chat)
    assert played == over_sdk
    (found,) = played.findings
    assert (played.outcome, found.kind, found.pointer) == ("", "request", "/messages/1/content")


def test_a_replay_gives_the_runs_outcome_in_plan_order_whatever_the_number_of_processes(
    library: Library,
) -> None:
    _, run = library.run(None)
    one, two = (replay_run(library, run, jobs=jobs) for jobs in (1, 2))
    assert one == two
    assert (one.outcome, one.findings, one.missing) == (run.outcome, (), 0)
    assert [trial.key for trial in one.trials] == [entry.key for entry in run.ledger]
    count = sum(len(lane) for cassette in all_cassettes(library) for lane in cassette.lanes.values())
    assert one.interactions == count


def test_progress_counts_trials(library: Library) -> None:
    seen: list[tuple[int, int]] = []
    replay_run(library, library.run(None)[1], progress=lambda done, planned: seen.append((done, planned)))
    assert seen == [(number, 8) for number in range(1, 9)]


def one_forged(library: Library, change: Callable[[list[Row]], None]) -> ReplayedTrial:
    _, run = library.run(None)
    name = run.ledger[0].tries[0].cassette
    data = forged(library.get(name, "cassette"), change)
    return replay_cassette(Cassette(data, where="x.cassette"))


def trajectory(rows: list[Row]) -> None:
    rows[-1]["trajectory_digest"] = other_digest("x")


def verdict(rows: list[Row]) -> None:
    rows[-1]["verdict_digest"] = other_digest("x")


def outcome(rows: list[Row]) -> None:
    rows[-1]["outcome"] = other_digest("x")


@pytest.mark.parametrize("change", [trajectory, verdict, outcome], ids=lambda change: change.__name__)
def test_a_seal_that_does_not_follow_is_found_by_its_name(
    library: Library, change: Callable[[list[Row]], None]
) -> None:
    trial = one_forged(library, change)
    (found,) = trial.findings
    assert (found.kind, found.where, trial.outcome) == (change.__name__, trial.key, "")
    assert found.expected == other_digest("x") != found.observed


def test_a_changed_answer_is_found(library: Library) -> None:
    def answer(rows: list[Row]) -> None:
        attempt = in_lane(rows, "verifier.0")[0]["attempts"][-1]
        attempt["text"] = attempt["text"].replace("true", "false")

    assert [found.kind for found in one_forged(library, answer).findings] == ["verdict"]


def test_an_answer_that_was_cut_out_makes_the_lane_run_dry(library: Library) -> None:
    trial = one_forged(library, lambda rows: rows.remove(in_lane(rows, "simulator")[-1]))
    assert [found.kind for found in trial.findings] == ["lane_dry"]


def test_an_answer_that_was_added_is_left_unplayed(library: Library) -> None:
    def added(rows: list[Row]) -> None:
        last = in_lane(rows, "verifier.2")[-1]
        rows.insert(rows.index(last) + 1, {**last, "path": last["path"].replace("#0", "#1")})

    assert [found.kind for found in one_forged(library, added).findings] == ["lane_unplayed"]


def test_another_parser_than_the_recordings_is_mentioned(library: Library) -> None:
    def parsed(rows: list[Row]) -> None:
        rows[0]["engine"]["parser"] = "0"
        verdict(rows)

    (found,) = one_forged(library, parsed).findings
    assert "recorded with parser 0" in found.message


def test_a_damaged_or_missing_cassette_stops_the_replay_and_is_named(
    library: Library, tmp_path: Path
) -> None:
    other = Library(Path(shutil.copytree(library.root, tmp_path / "library")))
    _, run = other.run(None)
    path = other.path(run.ledger[3].tries[0].cassette, "cassette")
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(StoreError) as caught:
        replay_run(other, run)
    assert caught.value.where == str(path)
    remove(path)
    with pytest.raises(StoreError, match="is missing") as caught:
        replay_run(other, run)
    assert caught.value.where == str(path)


def test_one_trial_that_diverges_leaves_the_others_and_takes_the_runs_outcome(tmp_path: Path) -> None:
    library, _ = record(tmp_path / "library", trials=3, votes=1)
    run = library.run(None)[1]
    middle = run.ledger[1].tries[0].cassette
    replace(library, middle, forged(library.get(middle, "cassette"), verdict))
    replayed = replay_run(library, library.run(None)[1])
    assert replayed.outcome == ""
    assert [bool(trial.findings) for trial in replayed.trials] == [False, True, False]
    assert [found.where for found in replayed.findings] == [run.ledger[1].key]


def test_missing_trials_are_counted_and_take_part_as_missing(tmp_path: Path) -> None:
    library, recorded = record(tmp_path / "library", trials=2, votes=1, shard="1/2")
    replayed = replay_run(library, recorded.run)
    assert (replayed.missing, replayed.outcome, len(replayed.trials)) == (1, recorded.run.outcome, 1)


def test_cassettes_replayed_at_once_in_threads_do_not_mix(library: Library) -> None:
    found: dict[str, str] = {}

    def one(cassette: Cassette) -> None:
        found[cassette.name] = replay_cassette(cassette).outcome

    cassettes = all_cassettes(library)
    threads = [threading.Thread(target=one, args=(cassette,)) for cassette in cassettes]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {cassette.name: cassette.seal.outcome for cassette in cassettes}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_content_is_a_typed_failure_or_a_finding(library: Library, case: str) -> None:
    def change(rows: list[Row]) -> None:
        HOSTILE[case](rows)

    with contextlib.suppress(ReplaylabError):
        one_forged(library, change)
