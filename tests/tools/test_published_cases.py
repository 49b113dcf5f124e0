"""The shipped run `published-cases`: made again it is the same, it shows what was published, and it is no evidence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from replaylab.canonical import digest_bytes, parse_strict
from replaylab.cassette.codec import Cassette
from replaylab.derive.verdict import checks_of, derive
from replaylab.diff.parting.pair import compare_simulators
from replaylab.diff.trial import check_trajectory
from replaylab.engine.replay import replay_run
from replaylab.engine.verify import verify
from replaylab.schema.base import Json
from replaylab.schema.cassette import evidence_of
from replaylab.schema.violation import CheckReport
from replaylab.store.library import Library
from tools.published_cases import FOLDER, NAME, ROOT, make, transcripts, write

SHIPPED = Library(ROOT / "cassettes")
CLINIC, ROSTER, RETURNS = (
    "published-clinic-chest-pain",
    "published-roster-handover",
    "published-returns-battery",
)


def cassettes() -> dict[tuple[str, str], Cassette]:
    """The six trials by task and simulator."""
    found = [Cassette(data, where=NAME) for data in make()[1]]
    return {(one.header.task.id, one.header.players["simulator"].alias): one for one in found}


def checked(task: str, simulator: str) -> CheckReport:
    one = cassettes()[task, simulator]
    return check_trajectory(one.header, derive(one.header, one.lanes).trajectory, one.lanes["simulator"])


def test_made_again_it_has_the_same_bytes_as_the_shipped_one(tmp_path: Path) -> None:
    run_id = write(Library(tmp_path))
    assert SHIPPED.ref(NAME) == run_id
    for name in Library(tmp_path).objects("cassette"):
        assert SHIPPED.get(name, "cassette") == Library(tmp_path).get(name, "cassette")
    assert SHIPPED.get(run_id, "run") == Library(tmp_path).get(run_id, "run")


def test_it_is_sound_and_replays(tmp_path: Path) -> None:
    write(Library(tmp_path))
    assert not verify(Library(tmp_path)).findings
    _, run = Library(tmp_path).run(NAME)
    replayed = replay_run(Library(tmp_path), run, offline=False)
    assert not replayed.findings
    assert replayed.outcome == run.outcome


def test_it_says_that_it_was_authored_and_names_no_model_that_was_never_asked() -> None:
    run, made = make()
    assert run.evidence == "authored"
    for one in (Cassette(data, where=NAME) for data in made):
        assert evidence_of(one.header) == "authored"
        assert {lane.how for lane in one.header.lanes.values()} == {"authored"}
        assert one.seal.verdict == "none"
        models = {role: player for role, player in one.header.players.items() if role != "verifier"}
        assert {(player.model, player.player) for player in models.values()} == {
            ("rebuilt-from-a-published-description", "program")
        }


def test_the_shipped_runs_that_were_recorded_are_what_is_meant_when_none_is_named() -> None:
    assert SHIPPED.run(None)[1].evidence == "recorded"
    assert {SHIPPED.run(name)[1].evidence for name in SHIPPED.refs() if name != NAME} == {"recorded"}


def test_each_case_is_played_with_both_simulators_and_parts_at_an_answer() -> None:
    found = {(one.task.id, one.simulator.alias): one for one in transcripts()}
    assert sorted(found) == sorted(
        (task, sim) for task in (CLINIC, ROSTER, RETURNS) for sim in ("gemini", "gpt")
    )
    for task in (CLINIC, ROSTER, RETURNS):
        pairs = zip(found[task, "gemini"].steps, found[task, "gpt"].steps, strict=False)
        first = next((a, b) for a, b in pairs if a != b)
        assert first[0][:3] == first[1][:3], "until an answer differs, the agent does the same"


def test_the_agent_solves_each_task_with_the_one_and_none_with_the_other() -> None:
    for (task, simulator), one in cassettes().items():
        results = {check.result for check in checks_of(one.header, derive(one.header, one.lanes).trajectory)}
        assert (results == {"pass"}) is (simulator == "gemini"), (task, simulator)


@pytest.mark.parametrize("task", [CLINIC, ROSTER, RETURNS])
def test_the_faithful_side_is_clean(task: str) -> None:
    report = checked(task, "gemini")
    assert (report.findings, report.faults) == ((), ())


@pytest.mark.parametrize(
    ("task", "call", "found"),
    [
        (CLINIC, 0, ("fabrication", "attribute_universe", "instruction", "Treatment Room 3")),
        (ROSTER, 0, ("omission", "missing", "contract", "on-call-toronto")),
        (RETURNS, 2, ("rule_invention", "ungrounded_input", "contract", "")),
    ],
)
def test_the_three_violations_and_nothing_else_are_found(
    task: str, call: int, found: tuple[str, ...]
) -> None:
    (violation,) = checked(task, "gpt").findings
    assert violation.call == call
    assert (violation.kind, violation.subkind, violation.against, violation.entity) == found


def test_no_words_of_the_published_environments_are_copied(occubench: Path) -> None:
    theirs = set()
    for path in sorted((occubench / "world_model_configs").glob("*.json")):
        theirs |= runs_of_words(parse_strict(path.read_bytes()))
    ours = [parse_strict(path.read_bytes()) for path in sorted(FOLDER.glob("*.json"))]
    assert runs_of_words(ours)
    assert not runs_of_words(ours) & theirs


def runs_of_words(value: Json, length: int = 7) -> set[tuple[str, ...]]:
    """Every so many words in a row of a text in a JSON value."""
    if isinstance(value, str):
        words = re.findall(r"[a-z0-9']+", value.lower())
        return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return set().union(*map(runs_of_words, parts))


def test_the_bytes_are_named_by_their_digest() -> None:
    run, made = make()
    named = {tried.cassette for entry in run.ledger for tried in entry.tries}
    assert {digest_bytes(data) for data in made} == named


def test_a_comparison_of_the_two_shows_all_three_kinds_and_the_notice() -> None:
    run = SHIPPED.run(NAME)
    report = compare_simulators(SHIPPED, [run], ["gemini", "gpt"])
    kinds = {(one.simulator, one.kind) for one in report.violations}
    assert kinds == {("gpt", "fabrication"), ("gpt", "omission"), ("gpt", "rule_invention")}
    assert report.evidence == {"authored": 3}
    assert any("Authored, not recorded" in notice for notice in report.notices)
