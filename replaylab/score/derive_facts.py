"""From a cassette to what tables need of it. Everything is derived again from the recorded answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from replaylab.canonical import dumps
from replaylab.cassette.codec import Cassette
from replaylab.derive.answers import Answers
from replaylab.derive.exposure import exposure_of
from replaylab.derive.recovery import Recovery, accepted_at, recovery_of
from replaylab.derive.taxonomy import failures_of
from replaylab.derive.verdict import derive
from replaylab.engine.captured.usage import read_said
from replaylab.errors import StoreError
from replaylab.roles.parsing import PARSER_VERSION
from replaylab.schema.callpath import OWN_CALLS, role_of
from replaylab.schema.cassette import Header, evidence_of, key_of
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Interaction
from replaylab.schema.trajectory import Trajectory
from replaylab.score.facts import CassetteFacts, Faulted, Spent

# Goes up with every change in what facts are made of: the rules of a trial, of exposure, recovery and failures too. A
# test holds it against the facts of the shipped recordings.
FACTS_VERSION = "2"
KIND = "score/1"
CHAT_PATH = "/chat/completions"
PARSER = f"{PARSER_VERSION}/{FACTS_VERSION}"
_Asked = Sequence[tuple[Interaction, Completion | None]]
_ROLES = ("agent", "simulator", "verifier")


def facts_of(cassette: Cassette) -> CassetteFacts:
    """The facts of one recorded trial. `parser` is the version that read the answers when it was recorded.

    Only the seal's verdict is taken as it stands, into `stored`, to be compared. Tokens and the names of models are
    those that the answers say. Copied lanes count as what the trial took, though another one paid for them. Raises
    StoreError for a cassette that holds no trial.
    """
    header = cassette.header
    if not header.subject.is_trial:
        raise StoreError(
            f"the cassette holds no trial: its subject is of kind {header.subject.kind!r}",
            where=cassette.where,
            fix="score the runs that `replaylab runs` lists",
        )
    answers = Answers()
    trajectory, verdict = derive(header, cassette.lanes, answers)
    accepted = accepted_at(trajectory)
    by_role = {
        role: [(row, answers.of(row) or _own_answer(row)) for row in rows]
        for role, rows in _by_role(cassette.lanes)
    }
    return CassetteFacts(
        cassette=cassette.name,
        key=str(key_of(header)),
        attempt=header.subject.attempt,
        scenario=header.scenario,
        difficulty=header.task.difficulty,
        faults=header.faults,
        evidence=evidence_of(header),
        players=header.players,
        stored=cassette.seal.verdict,
        derived=verdict.outcome,
        reason=verdict.reason,
        termination=trajectory.termination,
        votes=tuple(vote.outcome for vote in verdict.votes),
        failures=tuple(label.kind for label in failures_of(header, trajectory, verdict, accepted)),
        faulted=_faulted(header, trajectory, accepted),
        spent={role: spent_of(asked) for role, asked in by_role.items()},
        answered_by={role: _answered_by(asked) for role, asked in by_role.items()},
        calls=len(trajectory.actions),
        parser=header.engine.parser,
        judged_by=header.judged_by,
        mode=header.mode,
    )


def _own_answer(row: Interaction) -> Completion | None:
    """What an agent of the user's own was answered over another API than chat completions says of itself."""
    if row.request.path.partition("?")[0].endswith(CHAT_PATH) or row.final.failure is not None:
        return None
    said = read_said(row.final)
    return Completion(usage=said.usage, model=said.model)


def facts_text(cassette: Cassette) -> str:
    """The facts of a cassette as JSON: how they are kept."""
    return dumps(facts_of(cassette).to_json()).decode()


def _faulted(header: Header, trajectory: Trajectory, accepted: Sequence[int]) -> Faulted:
    exposure = exposure_of(header, trajectory)
    # Without a delivered fault there is nothing to recover from, and most trials have none.
    recovery = (
        recovery_of(trajectory, accepted)
        if exposure.calls_hit
        else Recovery(met=0, seen=0, retried=0, recovered=0, accepted=0)
    )
    return Faulted(
        planned=exposure.planned,
        delivered=exposure.delivered,
        not_due=exposure.not_due,
        nothing_to_hit=exposure.nothing_to_hit,
        calls_hit=exposure.calls_hit,
        met=recovery.met,
        seen=recovery.seen,
        retried=recovery.retried,
        recovered=recovery.recovered,
        accepted=recovery.accepted,
        calls_to_recover=sum(one.to_recover for one in recovery.faults if one.recovered),
    )


def _by_role(lanes: Mapping[str, Sequence[Interaction]]) -> Iterator[tuple[str, list[Interaction]]]:
    """The interactions of each role that was asked, all votes together; an agent's with what it asked LLMs itself."""
    for role in _ROLES:
        asked = {role, OWN_CALLS} if role == "agent" else {role}
        names = [lane for lane in lanes if role_of(lane) in asked]
        rows = [row for lane in names for row in lanes[lane]]
        if rows:
            yield role, rows


def spent_of(asked: _Asked) -> Spent:
    """What a role took in one trial."""
    usages = [answer.usage for _, answer in asked if answer is not None and answer.usage is not None]
    attempts = [one for row, _ in asked for one in row.attempts]
    return Spent(
        calls=len(asked),
        attempts=len(attempts),
        prompt_tokens=sum([usage.prompt_tokens for usage in usages]),
        completion_tokens=sum([usage.completion_tokens for usage in usages]),
        cached_tokens=sum([usage.cached_tokens for usage in usages]),
        reasoning_tokens=sum([usage.reasoning_tokens for usage in usages]),
        wall_ms=round(sum([one.latency_ms for one in attempts]), 3),
    )


def _answered_by(asked: _Asked) -> tuple[str, ...]:
    return tuple(sorted({answer.model for _, answer in asked if answer is not None and answer.model}))
