from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.canonical import digest
from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.derive.exposure import exposure_of
from replaylab.derive.recovery import recovery_of
from replaylab.derive.taxonomy import failures_of
from replaylab.derive.verdict import derive
from replaylab.errors import StoreError
from replaylab.score.derive_facts import FACTS_VERSION, facts_of
from replaylab.score.facts import Faulted, Spent
from replaylab.store.library import Library
from tests.engine.forging import Row, forged, in_lane
from tests.score.written import cast, model, one_cassette, ruled
from tools.authored import AuthoredTrial, authored_cassette

SHIPPED = Path(__file__).resolve().parents[2] / "cassettes"
FAULTY = AuthoredTrial("a", "care-2", "fail", faults="E3", calls=12, votes=("fail", "pass", "fail"))


def changed(cassette: Cassette, change: Callable[[list[Row]], None]) -> Cassette:
    data, _ = authored_cassette(cast("a", faults=("E0", "E3")), FAULTY)
    assert Cassette(data, where="x").name == cassette.name
    return Cassette(forged(data, change), where="forged.cassette")


def test_facts_say_what_was_tried_by_whom_and_how_it_ended() -> None:
    cassette = one_cassette(FAULTY, 2)
    facts = facts_of(cassette)
    assert (facts.cassette, facts.key, facts.attempt) == (cassette.name, "a,sim,judge,E3/care-2/0", 2)
    assert (facts.scenario, facts.difficulty) == (cassette.header.scenario, 3)
    assert (facts.faults.name, facts.players["agent"]) == ("E3", model("a"))
    assert (facts.stored, facts.derived, facts.votes) == ("fail", "fail", ("fail", "pass", "fail"))
    assert (facts.termination, facts.calls, facts.reason) == ("answered", 12, "1 pass, 2 fail, 0 error")
    assert (facts.mode, facts.judged_by, facts.parser) == ("run", "votes", cassette.header.engine.parser)
    assert facts.answered_by == {
        "agent": ("a-model",),
        "simulator": ("sim-model",),
        "verifier": ("judge-model",),
    }


def test_facts_are_counted_out_of_what_derive_says_on_every_shipped_recording() -> None:
    library, seen = Library(SHIPPED), Faulted()
    for name in library.objects("cassette"):
        cassette = open_cassette(library, name)
        facts, header = facts_of(cassette), cassette.header
        story, verdict = derive(header, cassette.lanes)
        exposure, recovery = exposure_of(header, story), recovery_of(story)
        known = {
            field: getattr(exposure, field) for field in ("planned", "delivered", "not_due", "nothing_to_hit")
        }
        known |= {
            field: getattr(recovery, field) for field in ("met", "seen", "retried", "recovered", "accepted")
        }
        waited = sum(max(0, one.to_recover) for one in recovery.faults)
        assert facts.faulted == Faulted(**known, calls_hit=exposure.calls_hit, calls_to_recover=waited)
        assert facts.failures == tuple(label.kind for label in failures_of(header, story, verdict))
        assert (facts.derived, facts.termination) == (verdict.outcome, story.termination)
        assert sum(one.calls for one in facts.spent.values()) == sum(map(len, cassette.lanes.values()))
        seen = Faulted(**{k: v + facts.faulted.model_dump()[k] for k, v in seen.model_dump().items()})
    assert min(seen.model_dump().values()) > 0, "the shipped recordings show each of these at least once"


def test_a_verdict_is_derived_from_the_answers_whatever_the_seal_says() -> None:
    def flip(rows: list[Row]) -> None:
        rows[-1]["verdict"] = "pass"

    facts = facts_of(changed(one_cassette(FAULTY), flip))
    assert (facts.stored, facts.derived) == ("pass", "fail")


def test_tokens_and_models_are_those_of_the_answers_whatever_the_line_says_beside_them() -> None:
    def more(rows: list[Row]) -> None:
        for row in in_lane(rows, "agent"):
            row["usage"] = {"prompt_tokens": 10**6}
            row["answered_by"] = "somebody else"

    assert facts_of(changed(one_cassette(FAULTY), more)).spent == facts_of(one_cassette(FAULTY)).spent
    assert (
        facts_of(changed(one_cassette(FAULTY), more)).answered_by
        == facts_of(one_cassette(FAULTY)).answered_by
    )


def test_retries_and_waiting_are_counted_by_role_and_votes_are_one_role() -> None:
    def retried(rows: list[Row]) -> None:
        first = in_lane(rows, "agent")[0]
        busy = {"status": 429, "text": "{}", "latency_ms": 10.25, "failure": {"kind": "rate_limited"}}
        first["attempts"] = [busy, first["attempts"][0] | {"latency_ms": 1.5}]

    before, after = facts_of(one_cassette(FAULTY)), facts_of(changed(one_cassette(FAULTY), retried))
    assert after.spent["agent"] == before.spent["agent"].model_copy(
        update={"attempts": before.spent["agent"].attempts + 1, "wall_ms": 11.75}
    )
    assert after.spent["verifier"] == before.spent["verifier"]
    assert (before.spent["verifier"].calls, before.spent["agent"].calls) == (3, 13)
    assert before.spent["simulator"].calls == 12 - sum_of_explicit(one_cassette(FAULTY))


def sum_of_explicit(cassette: Cassette) -> int:
    story, _ = derive(cassette.header, cassette.lanes)
    return sum(action.by == "faults" for action in story.actions)


def test_a_role_that_was_not_asked_has_spent_nothing_and_a_failed_call_has_no_tokens() -> None:
    facts = facts_of(one_cassette(AuthoredTrial("a", "care-1", "error")))
    assert facts.spent == {"agent": Spent(calls=1, attempts=1)}
    assert (facts.derived, facts.termination, facts.failures) == (
        "error",
        "agent_error",
        ("infrastructure_error",),
    )
    assert facts.answered_by == {"agent": ()}


def test_a_cassette_that_holds_no_trial_has_no_facts() -> None:
    def capture(rows: list[Row]) -> None:
        rows[0]["subject"]["kind"] = "capture"

    with pytest.raises(StoreError, match="holds no trial") as caught:
        facts_of(changed(one_cassette(FAULTY), capture))
    assert caught.value.where == "forged.cassette"


# What the facts of fixed recordings come to. Another digest under the same version means that what indexes keep is out
# of date: raise FACTS_VERSION (or PARSER_VERSION, where answers are read otherwise), and put the new digest here.
# 1 and 2 differ in "25 m3", which was no number: these recordings say none.
PINNED = {"2": "0189ab5bd2c9dae983973c55fe26a7e6a1ac6e6e6d69ab22ce698577d3d3431e"}
OLD = Path(__file__).resolve().parents[1] / "formats" / "v1"


def test_the_version_goes_up_with_every_change_of_what_is_kept() -> None:
    kept = [Cassette(path.read_bytes(), where=path.name) for path in sorted(OLD.glob("*.cassette"))]
    everything = [facts_of(cassette).to_json() for cassette in kept]
    for cassette in ruled():
        facts = facts_of(cassette).to_json()
        # What the made-up texts are, and so their digests and lengths, is no part of the rules.
        everything.append({key: part for key, part in facts.items() if key not in ("cassette", "spent")})
    assert len({kind for facts in everything for kind in facts.get("failures", ())}) >= 4
    assert PINNED[FACTS_VERSION] == digest(everything)


def test_what_an_own_agent_asked_llms_is_what_the_agent_took() -> None:
    from tests.foreign.playing import careful, sealed

    cassette = sealed(careful)
    facts = facts_of(cassette)
    own, moves = cassette.lanes["llm.0"], cassette.lanes["agent"]
    assert facts.spent["agent"].calls == len(own) + len(moves)
    assert facts.spent["agent"].prompt_tokens == sum(row.usage.prompt_tokens for row in own if row.usage) > 0
    assert "scripted:careful" in facts.answered_by["agent"]
