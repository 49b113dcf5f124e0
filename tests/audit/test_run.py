"""What an audit says of runs that somebody has tampered with: each is a copy of an honest one."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replaylab.canonical import Digest, digest
from replaylab.cassette.indexing import sync_index
from replaylab.cassette.stored import open_cassette
from replaylab.engine.plan import keys
from replaylab.engine.purge import plan_purge, purge
from replaylab.engine.redact import redacted
from replaylab.score.read import read_study
from replaylab.store.library import Library
from tests.audit.honest import TASKS, WISH, alarms, audited, failed, recorded, reseal, try_of, with_entry
from tests.engine.forging import Row, forged, in_lane, of_kind, other_digest, reblob, reledger, replace

Made = Callable[[Library, Library], None]


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return recorded(tmp_path_factory.mktemp("honest") / "library")


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Another honest run of the same trials, with other answers of the judge's settings."""
    return recorded(tmp_path_factory.mktemp("other") / "library", settings={"sampling": {"top_p": 0.5}})


@pytest.fixture(scope="module")
def rolled(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The same plan recorded once more: every cassette has another name."""
    from tests.playground import fake_seams

    root = tmp_path_factory.mktemp("rolled") / "library"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tests.playground.fake_seams", lambda: fake_seams(7))
        return recorded(root)


@pytest.fixture(scope="module")
def short(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """An honest run of a quarter of the trials: one task, once. Enough for a trace that one cassette leaves."""
    return recorded(tmp_path_factory.mktemp("short") / "library", tasks=TASKS[:1], trials=1)


@pytest.fixture
def library(honest: Library, tmp_path: Path) -> Library:
    return copied(honest, tmp_path)


def copied(library: Library, folder: Path) -> Library:
    return Library(Path(shutil.copytree(library.root, folder / "library")))


def counted(library: Library, place: int = 0) -> str:
    entry = library.run("run")[1].ledger[place]
    assert entry.counting
    return entry.counting.cassette


def reforge(library: Library, change: Callable[[list[Row]], None], place: int = 0, **said: Any) -> None:
    """A cassette changed, sealed and named anew, and a run object that names it."""
    name = counted(library, place)
    replace(library, name, forged(library.get(name, "cassette"), change), **said)


# Each leaves a trace: the step that fails, and what it names.


def byte_of_an_object(library: Library) -> None:
    path = library.path(counted(library), "cassette")
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def an_object_swapped_for_another(library: Library) -> None:
    one, two = (library.path(counted(library, place), "cassette") for place in (0, 1))
    one.write_bytes(two.read_bytes())


def answer_of_the_agent(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        attempt = in_lane(rows, "agent")[0]["attempts"][-1]
        attempt["text"] = attempt["text"].replace("arguments", "Arguments", 1)

    reforge(library, change)


def observation(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        attempt = in_lane(rows, "simulator")[0]["attempts"][-1]
        attempt["text"] = attempt["text"].replace("1", "2")

    reforge(library, change)


def vote(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        attempt = in_lane(rows, "verifier.0")[0]["attempts"][-1]
        attempt["text"] = attempt["text"].replace("false", "true")

    reforge(library, change, failed(library.run("run")[1]))


def sealed_verdict(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        rows[-1]["verdict"] = "pass"

    reforge(library, change, failed(library.run("run")[1]), verdict="pass")


def verdict_in_the_ledger(library: Library) -> None:
    def change(run: Any) -> dict[str, Any]:
        place = failed(run)
        entry = run.ledger[place]
        tries = tuple(one.model_copy(update={"verdict": "pass"}) for one in entry.tries)
        return {"ledger": with_entry(run, place, entry.model_copy(update={"tries": tries}))}

    reseal(library, change)


def rubric(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        rows[0]["task"]["rubric"]["text"] = "Anything goes."

    reforge(library, change)


def model_in_the_header(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        rows[0]["players"]["agent"]["model"] = "a-better-model"

    reforge(library, change)


def clock(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        rows[0]["clock"] = "2020-01-01T00:00:00Z"

    reforge(library, change)


def simulator_prompt(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        rows[0]["prompts"]["simulator"]["text"] += " Be kind to the agent."

    reforge(library, change)


def fault_label_left_out(library: Library) -> None:
    place = next(n for n, entry in enumerate(library.run("run")[1].ledger) if ",E2/" in entry.key)

    def change(rows: list[Row]) -> None:
        rows.remove(of_kind(rows, "label")[0])

    reforge(library, change, place)


def fault_plan_emptied(library: Library) -> None:
    place = next(n for n, entry in enumerate(library.run("run")[1].ledger) if ",E2/" in entry.key)

    def change(rows: list[Row]) -> None:
        rows[0]["faults"]["count"] = 0

    reforge(library, change, place)


def times(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        rows_of = in_lane(rows, "agent")
        first, last = rows_of[0]["attempts"][0], rows_of[-1]["attempts"][0]
        first["started_ms"], last["started_ms"] = last["started_ms"], first["started_ms"]

    reforge(library, change)


def who_answered(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        for row in in_lane(rows, "agent"):
            row["answered_by"] = "another-snapshot"

    reforge(library, change)


def fingerprint(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        in_lane(rows, "simulator")[0]["fingerprint"] = "fp-other"

    reforge(library, change)


def message(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        value = next(
            row["value"]
            for row in of_kind(rows, "blob")
            if isinstance(row.get("value"), dict) and row["value"].get("role") == "user"
        )
        reblob(rows, value, lambda old: old | {"content": old["content"] + " (Hint: look twice.)"})

    reforge(library, change)


def a_lane_is_called_authored(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        rows[0]["lanes"]["simulator"]["how"] = "authored"

    reforge(library, change)


def request_digest(library: Library) -> None:
    def change(rows: list[Row]) -> None:
        in_lane(rows, "agent")[1]["request"]["digest"] = other_digest("request")

    reforge(library, change)


def trial_dropped_from_the_ledger(library: Library) -> None:
    reseal(library, lambda run: {"ledger": with_entry(run, failed(run), None)}, clean=True)


def trial_listed_twice(library: Library) -> None:
    reseal(library, lambda run: {"ledger": (*run.ledger, run.ledger[0])})


def trial_called_missing(library: Library) -> None:
    def change(run: Any) -> dict[str, Any]:
        place = failed(run)
        gone = run.ledger[place].model_copy(update={"tries": (), "status": "missing"})
        return {"ledger": with_entry(run, place, gone)}

    reseal(library, change)


def cassette_of_another_trial(library: Library) -> None:
    def change(run: Any) -> dict[str, Any]:
        place = failed(run)
        good = next(entry for entry in run.ledger if entry.counting and entry.counting.verdict == "pass")
        return {"ledger": with_entry(run, place, run.ledger[place].model_copy(update={"tries": good.tries}))}

    reseal(library, change)


def cassette_deleted(library: Library) -> None:
    library.path(counted(library), "cassette").unlink()


def index_row(library: Library) -> None:
    sync_index(library)
    with sqlite3.connect(library.root / "index.db") as conn:
        conn.execute("UPDATE cassettes SET verdict = 'pass'")
    conn.close()


def index_facts(library: Library) -> None:
    read_study(library, ["run"])
    with sqlite3.connect(library.root / "index.db") as conn:
        found = conn.execute(
            "SELECT cassette, parser, kind, value FROM derived WHERE kind LIKE 'score%'"
        ).fetchall()
        assert found
        for name, parser, kind, value in found:
            text = value.replace('"derived":"fail"', '"derived":"pass"')
            from replaylab.store.index import _checksum

            conn.execute(
                "UPDATE derived SET value = ?, checksum = ? WHERE cassette = ? AND parser = ? AND kind = ?",
                (text, _checksum(name, parser, kind, text), name, parser, kind),
            )
    conn.close()


def run_outcome(library: Library) -> None:
    reledger(library, "run", lambda ledger: ledger, outcome=digest("other"))


def order_of_the_ledger(library: Library) -> None:
    reseal(library, lambda run: {"ledger": run.ledger[::-1]})


TRACES: dict[Callable[[Library], None], tuple[int, str]] = {
    byte_of_an_object: (2, "damaged"),
    an_object_swapped_for_another: (2, "damaged"),
    answer_of_the_agent: (2, "outcome-digest"),
    observation: (2, "outcome-digest"),
    vote: (2, "outcome-digest"),
    sealed_verdict: (2, "verdict"),
    verdict_in_the_ledger: (2, "ledger-entry"),
    rubric: (2, "inputs-digest"),
    model_in_the_header: (2, "inputs-digest"),
    clock: (2, "inputs-digest"),
    simulator_prompt: (2, "prompt-digest"),
    fault_label_left_out: (2, "faults"),
    fault_plan_emptied: (2, "inputs-digest"),
    times: (19, "time-order"),
    who_answered: (19, "model-changed"),
    fingerprint: (19, "fingerprint-changed"),
    message: (2, "blob-digest"),
    a_lane_is_called_authored: (3, "not-recorded"),
    request_digest: (2, "request-digest"),
    trial_dropped_from_the_ledger: (4, "not-listed"),
    trial_listed_twice: (4, "listed-twice"),
    trial_called_missing: (5, "unlisted"),
    cassette_of_another_trial: (2, "ledger-entry"),
    cassette_deleted: (2, "damaged"),
    index_row: (2, "index-row"),
    index_facts: (2, "index-value"),
    run_outcome: (2, "run-outcome"),
    order_of_the_ledger: (2, "run-ledger"),
}


@pytest.mark.parametrize("tamper", TRACES, ids=lambda tamper: tamper.__name__)
def test_what_leaves_a_trace_is_found_and_named_from_the_library_alone(
    short: Library, tmp_path: Path, tamper: Any
) -> None:
    library = copied(short, tmp_path)
    tamper(library)
    number, kind = TRACES[tamper]
    found = alarms(audited(library))
    assert kind in found.get(number, set()), found


def test_a_trial_that_was_rolled_again_and_replaced_is_found_by_what_it_follows(
    library: Library, rolled: Library
) -> None:
    reroll(library, rolled, follow=True)
    assert "dropped-try" in alarms(audited(library))[5]


def test_a_trial_that_was_rolled_again_is_found_by_the_cassette_that_is_left(
    library: Library, rolled: Library
) -> None:
    reroll(library, rolled)
    assert "unlisted" in alarms(audited(library))[5]


def test_the_best_of_several_tries_is_found_in_the_ledger(library: Library, rolled: Library) -> None:
    def change(run: Any) -> dict[str, Any]:
        place = failed(run)
        name = counted(rolled, place)
        library.put(rolled.get(name, "cassette"), "cassette")
        entry = run.ledger[place]
        return {
            "ledger": with_entry(
                run, place, entry.model_copy(update={"tries": (*entry.tries, try_of(library, name))})
            )
        }

    reseal(library, change)
    assert "tried-again" in alarms(audited(library))[5]


def test_a_run_that_it_follows_and_that_is_gone_is_found(library: Library) -> None:
    before, _ = library.run("run")
    reseal(library, lambda run: {"follows": [before]})
    assert "run-gone" in alarms(audited(library))[2]


def test_two_runs_spliced_into_one_are_found(library: Library, other: Library) -> None:
    def change(run: Any) -> dict[str, Any]:
        place = failed(run)
        name = counted(other, place)
        library.put(other.get(name, "cassette"), "cassette")
        return {
            "ledger": with_entry(
                run, place, run.ledger[place].model_copy(update={"tries": (try_of(library, name),)})
            )
        }

    reseal(library, change, clean=True)
    assert "ledger-spec" in alarms(audited(library))[2]


def test_an_earlier_run_of_the_same_name_that_it_does_not_follow_is_found(
    library: Library, tmp_path: Path
) -> None:
    before, _ = library.run("run")
    kept = library.get(before, "run")
    reseal(library, lambda run: {"created": "2026-05-05T00:00:00Z"})
    library.put(kept, "run")
    assert "run-beside" in alarms(audited(library))[5]


# Whoever seals everything anew leaves no trace in the files. A published run id shows it.


def reroll(library: Library, rolled: Library, *, clean: bool = False, follow: bool = False) -> None:
    def change(run: Any) -> dict[str, Any]:
        place = failed(run)
        name = counted(rolled, place)
        library.put(rolled.get(name, "cassette"), "cassette")
        return {
            "ledger": with_entry(
                run, place, run.ledger[place].model_copy(update={"tries": (try_of(library, name),)})
            )
        }

    reseal(library, change, clean=clean, follow=follow)


def rerolled(library: Library, rolled: Library) -> None:
    reroll(library, rolled, clean=True)


def task_never_planned(library: Library, _: Library) -> None:
    def change(run: Any) -> dict[str, Any]:
        spec = run.spec.model_copy(
            update={"tasks": tuple(one for one in run.spec.tasks if one.task != TASKS[0])}
        )
        return fitting(run, spec)

    reseal(library, change, clean=True)


def agent_never_planned(library: Library, _: Library) -> None:
    reseal(
        library,
        lambda run: fitting(run, run.spec.model_copy(update={"agents": run.spec.agents[:1]})),
        clean=True,
    )


def fewer_trials_planned(library: Library, _: Library) -> None:
    reseal(library, lambda run: fitting(run, run.spec.model_copy(update={"trials": 1})), clean=True)


def fault_plan_never_planned(library: Library, _: Library) -> None:
    reseal(
        library,
        lambda run: fitting(run, run.spec.model_copy(update={"faults": run.spec.faults[:1]})),
        clean=True,
    )


def other_date(library: Library, _: Library) -> None:
    reseal(library, lambda run: {"created": "2031-01-01T00:00:00Z"}, clean=True)


def fitting(run: Any, spec: Any) -> dict[str, Any]:
    kept = {str(key) for key in keys(spec)}
    return {"spec": spec, "ledger": tuple(entry for entry in run.ledger if entry.key in kept)}


HIDDEN: tuple[Made, ...] = (
    rerolled, task_never_planned, agent_never_planned, fewer_trials_planned, fault_plan_never_planned, other_date,
)  # fmt: skip


@pytest.mark.parametrize("tamper", HIDDEN, ids=lambda tamper: tamper.__name__)
def test_what_is_sealed_anew_is_found_against_the_published_id_and_undecided_without(
    library: Library, rolled: Library, tamper: Made
) -> None:
    published, _ = library.run("run")
    tamper(library, rolled)
    alone = audited(library)
    assert alarms(alone) == {}
    assert (alone[1].outcome, alone[5].outcome) == ("not_checkable", "not_checkable")
    assert alarms(audited(library, expected=published)) == {1: {"published-id"}}


def test_an_honest_run_gives_no_alarm_and_passes_against_its_id(library: Library, short: Library) -> None:
    published, _ = library.run("run")
    steps = audited(library, expected=published)
    assert alarms(steps) == alarms(audited(short)) == {}
    assert {steps[number].outcome for number in (1, 2, 3, 4, 5, 6, 7, 8, 18, 19)} == {"pass"}


def test_a_run_that_was_stopped_and_resumed_gives_no_alarm(tmp_path: Path) -> None:
    recorded(tmp_path / "library", max_calls=40)
    assert alarms(audited(recorded(tmp_path / "library"))) == {}


def test_a_run_that_was_merged_from_shards_gives_no_alarm(tmp_path: Path) -> None:
    from replaylab.engine.merge import merge

    shards = [recorded(tmp_path / f"shard-{part}", shard=f"{part}/2") for part in (1, 2)]
    merged = Library(tmp_path / "merged")
    merge(merged, shards, "2026-06-06T00:00:00Z")
    assert alarms(audited(merged)) == {}


def test_a_run_with_other_jobs_gives_no_alarm(tmp_path: Path) -> None:
    assert alarms(audited(recorded(tmp_path / "library", jobs=8))) == {}


def test_a_run_with_many_faults_gives_no_alarm(tmp_path: Path) -> None:
    assert alarms(audited(recorded(tmp_path / "library", trials=1, faults=("E0", "E1", "E2", "E3")))) == {}


def test_a_run_with_errors_that_were_tried_again_gives_no_alarm(tmp_path: Path) -> None:
    from tests.playground import responder

    calls = 0

    def failing(path: str, body: bytes) -> Any:
        nonlocal calls
        calls += 1
        return (
            (400, {"content-type": "application/json"}, [b'{"error": {"message": "no"}}'])
            if calls == 3
            else responder().respond(path, body)
        )

    recorded(tmp_path / "library", respond=failing)
    library = recorded(tmp_path / "library", retry_errors=True)
    assert any(len(entry.tries) > 1 for entry in library.run("run")[1].ledger)
    assert alarms(audited(library)) == {}


def test_two_audits_of_one_run_are_the_same_to_the_byte(library: Library, tmp_path: Path) -> None:
    copy = Library(Path(shutil.copytree(library.root, tmp_path / "copy")))
    said = [[step.to_json() for step in audited(one).values()] for one in (library, copy)]
    assert said[0] == said[1]


def test_the_wish_is_one_that_has_failures(library: Library) -> None:
    assert len(WISH["agents"]) == 2
    assert failed(library.run("run")[1]) > 0


@pytest.mark.parametrize("why", ["purged", "redacted"])
def test_steps_over_cassettes_that_are_gone_are_open_and_none_passes(library: Library, why: Any) -> None:
    published, run = library.run("run")
    for place in range(len(run.ledger)):
        bury(library, counted(library, place), why)
    steps = audited(library, expected=published)
    assert alarms(steps) == {}
    read = (2, 3, 6, 7, 8, 12, 14, 17, 18, 19, 21, 23)
    assert {steps[number].outcome for number in read} == {"not_checkable"}
    assert all(why in steps[number].evidence[-1] for number in (2, 3, 6, 7, 8, 18, 19, 21))


def test_failures_that_were_purged_are_counted_by_the_ledger_and_leave_the_choice_open(
    library: Library,
) -> None:
    published, run = library.run("run")
    failures = [entry.counting for entry in run.ledger if entry.counting and entry.counting.verdict == "fail"]
    for one in failures:
        bury(library, one.cassette, "purged")
    steps = audited(library, expected=published)
    assert alarms(steps) == {}
    assert {steps[number].outcome for number in (2, 3, 5, 7, 8, 18, 19)} == {"not_checkable"}
    assert any(f"purged, by the ledger: {len(failures)} fail;" in text for text in steps[5].evidence)


def bury(library: Library, name: str, why: Any) -> None:
    """A tombstone in the place of a cassette."""
    cassette = Digest(name)
    if why == "purged":
        purge(library, plan_purge(library, name), "a key", "2026-06-06T00:00:00Z")
        return
    library.tombstones.put(redacted(open_cassette(library, cassette)))
    library.path(cassette, "cassette").unlink()


def test_a_run_that_plans_more_than_any_ledger_holds_is_counted_and_its_trials_are_not_called_unplanned(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replaylab.audit.steps.ledger.MOST", 4)
    step = audited(library)[4]
    assert step.outcome == "fail"
    assert [one.kind for one in step.findings] == ["not-listed"]
    assert step.evidence[0].startswith("16 planned")
