"""What the end of `record` reads back from the cassettes: why trials ended in an error, and who answered."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.cli.failures import CONNECTION, programs_behind
from replaylab.engine.seal import result_of_cassette
from replaylab.errors import StoreError
from replaylab.report.failure_words import in_words, kind_of
from replaylab.schema.finding import Finding
from replaylab.schema.run import LedgerEntry, Run
from replaylab.schema.trajectory import Verdict
from replaylab.store.library import Library

_ROLES = {"agent_error": "agent", "simulator_error": "simulator"}


class TrialError(NamedTuple):
    """A trial that ended in an error. `connection` says whether nothing but connections failed."""

    finding: Finding
    connection: bool


def trial_errors(library: Library, run: Run) -> list[TrialError]:
    """The trials whose counting try is an error, in the order of the ledger."""
    return [_trial_error(library, entry) for entry in run.ledger if entry.status == "error"]


def _trial_error(library: Library, entry: LedgerEntry) -> TrialError:
    counting = entry.counting
    assert counting is not None, "an entry is an error because of the try that counts"  # noqa: S101
    try:
        cassette = open_cassette(library, counting.cassette)
    except StoreError:  # `verify` is what explains a damaged cassette
        what, why, kinds = (
            f"the trial ended in an error ({counting.termination})",
            "its cassette is damaged",
            {""},
        )
    else:
        what, why, kinds = _why(cassette)
    message = f"{what}: {why}; it counts neither way"
    return TrialError(Finding.of("trial-error", entry.key, message), kinds <= CONNECTION)


def _why(cassette: Cassette) -> tuple[str, str, set[str]]:
    """Who gave no answer, why in words, and the kinds of failure."""
    result = result_of_cassette(cassette)
    error, players = result.trajectory.error, cassette.header.players
    role = _ROLES.get(result.trajectory.termination)
    if role:
        return f"the {role} {players[role].alias} gave no answer", in_words(error), {kind_of(error)}
    kinds = list(dict.fromkeys(_broken(result.verdict)))
    why = ", ".join([f"votes {result.verdict.reason}", *map(in_words, kinds)])
    return f"the verifier {players['verifier'].alias} gave no verdict", why, set(kinds) or {""}


def _broken(verdict: Verdict) -> list[str]:
    return [vote.reason for vote in verdict.votes if vote.outcome == "error"]


def programs_as_llms(library: Library, run: Run) -> dict[str, str]:
    """Models that are configured as LLMs and were answered for by a built-in program: {alias: fingerprint}.

    Reads of each model the first trial that it gave an answer in, and no more.
    """
    spec, found = run.spec, dict[str, str]()
    unknown = {one.alias for one in (*spec.agents, *spec.simulators, *spec.verifiers) if one.player == "llm"}
    for entry in run.ledger:
        if not unknown:
            break
        if entry.counting is None:
            continue
        try:
            lanes = open_cassette(library, entry.counting.cassette).lanes
        except StoreError:  # `verify` is what explains a damaged cassette
            continue
        found |= {alias: name for alias, name in programs_behind(lanes).items() if alias in unknown}
        unknown -= {row.request.alias for rows in lanes.values() for row in rows if row.final.status == 200}
    return dict(sorted(found.items()))
