from __future__ import annotations

import shutil
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.engine.verify import deep_check, verify
from replaylab.schema.finding import Finding
from replaylab.schema.run import LedgerEntry
from replaylab.store.library import Library
from tests.engine.forging import (
    Change,
    Row,
    forged,
    in_lane,
    of_kind,
    other_digest,
    reledger,
    remove,
    replace,
)
from tests.engine.playing import failure, scripted
from tests.playground import record

TASKS = ("ed-sepsis-room", "hazmat-power-station")


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Two trials with faults; the second task's cassette is the one that stays sound."""
    return record(tmp_path_factory.mktemp("verify") / "library", tasks=TASKS, faults=("E3",), votes=2)[0]


@pytest.fixture
def library(original: Library, tmp_path: Path) -> Library:
    return Library(Path(shutil.copytree(original.root, tmp_path / "library")))


def names(library: Library) -> list[str]:
    """The cassettes in the order of the ledger."""
    return [one.cassette for entry in library.run("run")[1].ledger for one in entry.tries]


def kinds(findings: list[Finding]) -> set[str]:
    return {finding.kind for finding in findings}


def test_a_sound_library_has_no_findings_and_everything_was_looked_at(library: Library) -> None:
    seen = verify(library)
    assert (seen.sound, seen.findings) == (True, [])
    assert (seen.cassettes, seen.runs, seen.refs) == (2, 1, 1)
    count = sum(len(lane) for name in names(library) for lane in open_cassette(library, name).lanes.values())
    assert seen.interactions == count > 10


def test_progress_counts_every_object(library: Library) -> None:
    seen: list[tuple[int, int]] = []
    verify(library, lambda done, planned: seen.append((done, planned)))
    assert seen == [(0, 3), (1, 3)]


def blob(rows: list[Row]) -> None:
    row = next(
        row for row in of_kind(rows, "blob") if isinstance(row["value"], dict) and "role" in row["value"]
    )
    row["value"]["content"] = "Forged."


def request_digest(rows: list[Row]) -> None:
    in_lane(rows, "agent")[1]["request"]["digest"] = other_digest("request")


def request_alias(rows: list[Row]) -> None:
    in_lane(rows, "agent")[1]["request"]["alias"] = "other"


def answer(rows: list[Row]) -> None:
    attempt = in_lane(rows, "verifier.0")[0]["attempts"][-1]
    assert "true" in attempt["text"]
    attempt["text"] = attempt["text"].replace("true", "false")


def outcome(rows: list[Row]) -> None:
    in_lane(rows, "simulator")[0]["outcome"] = other_digest("outcome")


def usage(rows: list[Row]) -> None:
    in_lane(rows, "simulator")[0]["usage"]["prompt_tokens"] = 10**6


def verdict(rows: list[Row]) -> None:
    rows[-1]["verdict"] = "fail" if rows[-1]["verdict"] == "pass" else "pass"


def termination(rows: list[Row]) -> None:
    rows[-1]["termination"] = "step_limit"


def trajectory(rows: list[Row]) -> None:
    rows[-1]["trajectory_digest"] = other_digest("trajectory")


def lane_seal(rows: list[Row]) -> None:
    rows[-1]["lanes"]["agent"]["interactions"] += 1


def trial_outcome(rows: list[Row]) -> None:
    rows[-1]["outcome"] = other_digest("trial")


def instruction(rows: list[Row]) -> None:
    rows[0]["task"]["instruction"] += " Be quick."


def sampling(rows: list[Row]) -> None:
    rows[0]["players"]["agent"]["sampling"] = {"temperature": 0}


def prompt(rows: list[Row]) -> None:
    rows[0]["prompts"]["verifier"]["text"] += "!"


def label(rows: list[Row]) -> None:
    of_kind(rows, "label")[0]["value"]["kind"] = "timeout"


def label_phase(rows: list[Row]) -> None:
    value = of_kind(rows, "label")[0]["value"]
    value["phase"] = "late" if value["phase"] != "late" else "early"


def no_label(rows: list[Row]) -> None:
    rows.remove(of_kind(rows, "label")[0])


def no_blob(rows: list[Row]) -> None:
    rows.remove(
        next(
            row
            for row in of_kind(rows, "blob")
            if row["digest"] in in_lane(rows, "agent")[0]["request"]["adds"]
        )
    )


def no_vote(rows: list[Row]) -> None:
    rows.remove(in_lane(rows, "verifier.1")[0])


def swapped_votes(rows: list[Row]) -> None:
    """Each answer stands in the other one's place, right by itself."""
    one, other = in_lane(rows, "verifier.0")[0], in_lane(rows, "verifier.1")[0]
    at, there = rows.index(one), rows.index(other)
    rows[at], rows[there] = other, one
    one["path"], other["path"] = (row["path"].replace("#0", "#1") for row in (one, other))


def other_trial(rows: list[Row]) -> None:
    for row in of_kind(rows, "interaction"):
        row["path"] = row["path"].replace("/0/", "/7/")


CONTENT: dict[Change, str] = {
    blob: "blob-digest",
    request_digest: "request-digest",
    request_alias: "request-digest",
    answer: "outcome-digest",
    outcome: "outcome-digest",
    verdict: "verdict",
    termination: "termination",
    trajectory: "trajectory",
    lane_seal: "lanes",
    trial_outcome: "outcome",
    instruction: "inputs-digest",
    sampling: "inputs-digest",
    prompt: "prompt-digest",
    label: "faults",
    label_phase: "faults",
    no_label: "faults",
    no_blob: "blob-missing",
    no_vote: "lanes",
    swapped_votes: "damaged",
    other_trial: "call-path",
}


@pytest.mark.parametrize("change", CONTENT, ids=lambda change: change.__name__)
def test_a_forged_cassette_that_is_sealed_and_named_anew_is_found(library: Library, change: Change) -> None:
    first, second = names(library)
    data = forged(library.get(first, "cassette"), change)
    new = replace(library, first, data)
    found = [one for one in verify(library).findings if not one.kind.startswith("ledger")]
    assert CONTENT[change] in kinds(found)
    assert all(new in one.where or TASKS[0] in one.where for one in found)
    assert not any(second in one.where for one in found)


@pytest.mark.parametrize("change", [request_digest, answer, outcome], ids=lambda change: change.__name__)
def test_what_does_not_match_is_named_by_its_call_path_with_both_digests(
    library: Library, change: Change
) -> None:
    first, _ = names(library)
    cassette = Cassette(forged(library.get(first, "cassette"), change), where="x.cassette")
    found = next(one for one in deep_check(cassette) if one.kind == CONTENT[change])
    assert found.where in {row.path for lane in cassette.lanes.values() for row in lane}
    assert found.expected != found.observed


def test_after_the_first_damage_the_rest_is_still_looked_at(library: Library) -> None:
    first, second = names(library)
    library.path(first, "cassette").write_bytes(b"junk")
    new = replace_only(library, second, answer)
    (library.root / "objects" / "00").mkdir(exist_ok=True)
    stray = library.root / "objects" / "00" / "notes.txt"
    stray.write_text("hello", encoding="utf-8")
    (library.root / "runs" / "bad").write_text("f" * 20, encoding="utf-8")
    (library.root / "runs" / "notes").write_text("no digest", encoding="utf-8")
    (library.root / "runs" / "worse").write_text("f" * 64 + "\n", encoding="utf-8")
    seen = verify(library)
    assert (seen.cassettes, seen.runs, seen.refs) == (2, 1, 3)
    places = {(one.kind, one.where) for one in seen.findings}
    assert ("damaged", str(library.path(first, "cassette"))) in places
    assert ("stray-file", str(stray)) in places
    assert ("ref", "runs/worse") in places
    assert any(kind == "damaged" and where.endswith("bad") for kind, where in places)
    assert any(kind == "outcome-digest" and TASKS[1] in where for kind, where in places)
    assert new in set(library.objects("cassette"))


def replace_only(library: Library, old: str, change: Change) -> str:
    return replace(library, old, forged(library.get(old, "cassette"), change))


def test_two_forgeries_in_one_cassette_are_both_named(library: Library) -> None:
    first, _ = names(library)

    def both(rows: list[Row]) -> None:
        answer(rows)
        prompt(rows)

    cassette = Cassette(forged(library.get(first, "cassette"), both), where="x.cassette")
    assert {"outcome-digest", "prompt-digest", "inputs-digest", "verdict"} <= kinds(
        list(deep_check(cassette))
    )


def entries(change: Callable[[LedgerEntry], LedgerEntry]) -> Callable[[list[LedgerEntry]], list[LedgerEntry]]:
    return lambda ledger: [change(ledger[0]), *ledger[1:]]


def retried(**changed: Any) -> Callable[[LedgerEntry], LedgerEntry]:
    return lambda entry: entry.model_copy(
        update={"tries": tuple(one.model_copy(update=changed) for one in entry.tries)}
    )


LEDGERS: dict[str, tuple[Callable[[list[LedgerEntry]], list[LedgerEntry]], str]] = {
    "outcome": (entries(retried(outcome="3" * 64)), "ledger-entry"),
    "verdict": (entries(retried(verdict="fail")), "ledger-entry"),
    "termination": (entries(retried(termination="step_limit")), "ledger-entry"),
    "status": (entries(lambda entry: entry.model_copy(update={"status": "error"})), "ledger-status"),
    "missing cassette": (entries(retried(cassette="4" * 64)), "cassette-missing"),
    "dropped trial": (lambda ledger: ledger[1:], "run-ledger"),
    "other order": (lambda ledger: ledger[::-1], "run-ledger"),
    "two trials swapped": (
        lambda ledger: [
            one.model_copy(update={"tries": other.tries})
            for one, other in zip(ledger, ledger[::-1], strict=True)
        ],
        "ledger-entry",
    ),
}


@pytest.mark.parametrize("case", LEDGERS)
def test_a_ledger_that_says_something_else_than_its_cassettes_is_found(library: Library, case: str) -> None:
    change, kind = LEDGERS[case]
    reledger(library, "run", change)
    found = verify(library).findings
    assert kind in kinds(found)
    assert all(one.kind in {kind, "ledger-entry", "run-ledger"} for one in found)


def test_a_run_whose_outcome_digest_does_not_follow_is_found(library: Library) -> None:
    reledger(library, "run", lambda ledger: ledger, outcome="5" * 64)
    assert kinds(verify(library).findings) == {"run-outcome"}


def test_a_run_that_calls_recorded_trials_something_else_is_found(library: Library) -> None:
    reledger(library, "run", lambda ledger: ledger, evidence="authored")
    assert kinds(verify(library).findings) == {"ledger-evidence"}


def test_a_spec_that_plans_more_than_fits_into_memory_is_a_finding_at_once(library: Library) -> None:
    run = library.run("run")[1]
    spec = run.spec.model_copy(update={"agents": run.spec.agents * 1000, "tasks": run.spec.tasks * 1000})
    forged = run.model_copy(update={"spec": spec.model_copy(update={"trials": 10_000})})
    library.set_ref("run", library.put_run(forged))
    tracemalloc.start()
    try:
        assert "run-ledger" in kinds(verify(library).findings)
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
    finally:
        tracemalloc.stop()


def test_a_cassette_of_another_setting_in_the_place_of_the_planned_one_is_found(
    library: Library, tmp_path: Path
) -> None:
    other, _ = record(
        tmp_path / "other", tasks=TASKS, faults=("E3",), votes=2, settings={"sampling": {"top_p": 0.1}}
    )
    first, theirs = names(library)[0], names(other)[0]
    seal = open_cassette(other, theirs).seal
    replace(library, first, other.get(theirs, "cassette"), outcome=seal.outcome)
    found = verify(library).findings
    assert kinds(found) == {"ledger-spec"}
    assert found[0].observed == ["agent", "simulator", "verifier"]


def test_a_missing_cassette_is_found_at_its_trial(library: Library) -> None:
    first, _ = names(library)
    remove(library.path(first, "cassette"))
    (found,) = verify(library).findings
    assert (found.kind, found.expected) == ("cassette-missing", first)
    assert TASKS[0] in found.where


def test_a_reference_to_a_run_that_is_not_there_is_found(library: Library) -> None:
    run_id = library.ref("run")
    assert run_id is not None
    remove(library.path(run_id, "run"))
    (found,) = verify(library).findings
    assert (found.kind, found.where) == ("ref", "runs/run")


def test_a_damaged_journal_is_found(library: Library) -> None:
    folder = library.root / "journal" / "run"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.frames").write_bytes(b"no journal")
    seen = verify(library)
    assert (seen.journals, kinds(seen.findings)) == (1, {"damaged"})
    assert seen.findings[0].where.endswith("x.frames, byte 0")


@pytest.mark.parametrize("path", ["objects/zz", "objects/00/x.cassette", "objects/readme.md"])
def test_a_file_that_is_no_object_is_found(library: Library, path: str) -> None:
    place = library.root / path
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(b"x")
    (found,) = verify(library).findings
    assert (found.kind, found.where) == ("stray-file", str(place))


def agent_row(rows: list[Row]) -> Row:
    return in_lane(rows, "agent")[-1]


def nested(depth: int) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value]
    return value


def hostile(**cases: Callable[[list[Row]], Any]) -> dict[str, Callable[[list[Row]], Any]]:
    return cases


HOSTILE = hostile(
    continues_itself=lambda rows: agent_row(rows)["request"].update(continues=len(in_lane(rows, "agent")) - 1),
    continues_a_later_one=lambda rows: in_lane(rows, "agent")[0]["request"].update(continues=1, keep=2),
    continues_far_away=lambda rows: agent_row(rows)["request"].update(continues=10**15),
    negative_continues=lambda rows: agent_row(rows)["request"].update(continues=-1),
    negative_keep=lambda rows: agent_row(rows)["request"].update(keep=-5),
    huge_keep=lambda rows: agent_row(rows)["request"].update(keep=10**15),
    huge_ordinal=lambda rows: agent_row(rows).update(path=agent_row(rows)["path"] + "9" * 5000),
    no_path=lambda rows: agent_row(rows).update(path=""),
    no_attempts=lambda rows: agent_row(rows).update(attempts=[]),
    bad_base64=lambda rows: agent_row(rows)["attempts"][0].update(text=None, b64="***"),
    no_answer=lambda rows: agent_row(rows)["attempts"][0].update(text='{"choices": [{}]}'),
    list_answer=lambda rows: agent_row(rows)["attempts"][0].update(text="[[]]"),
    deep_answer=lambda rows: agent_row(rows)["attempts"][0].update(text="[" * 100_000),
    deep_blob=lambda rows: of_kind(rows, "blob")[0].update(value=nested(900)),
    huge_number=lambda rows: of_kind(rows, "blob")[0].update(value=2**60),
    params_a_list=lambda rows: agent_row(rows)["request"].update(params=agent_row(rows)["request"]["adds"][0]),
    raw_that_is_a_value=lambda rows: agent_row(rows)["request"].update(
        raw=agent_row(rows)["request"]["adds"][0], form="raw/1"
    ),
    no_agent=lambda rows: rows[0]["players"].pop("agent"),
    bad_condition=lambda rows: rows[0]["subject"].update(condition="x"),
    lockstep_without_origin=lambda rows: rows[0].update(mode="lockstep/own"),
    endless_votes=lambda rows: rows[0].update(limits={"votes": 10**12}),
    endless_faults=lambda rows: rows[0]["faults"].update(count=10**12),
    negative_steps=lambda rows: rows[0].update(limits={"max_steps": -1, "votes": 0, "asks": 0}),
    negative_length=lambda rows: rows[0]["task"].update(expected_calls=-5),
    huge_times=lambda rows: agent_row(rows)["attempts"][0].update(latency_ms=1e308),
)  # fmt: skip


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_content_is_a_finding_and_neither_a_crash_nor_an_endless_loop(
    library: Library, case: str
) -> None:
    first, second = names(library)

    def change(rows: list[Row]) -> None:
        HOSTILE[case](rows)

    new = replace_only(library, first, change)
    seen = verify(library)
    found = [one for one in seen.findings if not one.kind.startswith("ledger")]
    assert found or case == "huge_times"  # times prove nothing and may be anything
    assert all(new in one.where or TASKS[0] in one.where or "journal" in one.where for one in found)
    assert seen.interactions >= sum(map(len, open_cassette(library, second).lanes.values()))


def test_broken_trials_are_sound(tmp_path: Path) -> None:
    respond = scripted(agent=[[("list_places", {})], failure(400)])
    library, _ = record(tmp_path / "library", agents=("agent",), respond=respond)
    assert verify(library).findings == []
