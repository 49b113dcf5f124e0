from __future__ import annotations

from pathlib import Path

from replaylab.cassette.stored import cassette_row, open_cassette
from tests.engine.playing import failure, scripted
from tests.playground import record


def test_a_row_holds_what_the_cassette_says(tmp_path: Path) -> None:
    library, recorded = record(tmp_path / "library", faults=("E3",))
    (name,) = library.objects("cassette")
    row, cassette = cassette_row(open_cassette(library, name)), open_cassette(library, name)
    (entry,) = recorded.run.ledger
    assert f"{row.condition}/{row.task}/{row.trial}" == entry.key
    assert (row.outcome, row.verdict, row.termination) == (
        cassette.seal.outcome,
        cassette.seal.verdict,
        cassette.seal.termination,
    )
    assert (row.scenario, row.industry, row.domain) == (
        cassette.header.scenario.id,
        cassette.header.scenario.industry,
        cassette.header.scenario.domain,
    )
    assert row.created == cassette.header.created != ""
    assert row.calls == row.attempts == sum(map(len, cassette.lanes.values())) == recorded.totals.calls
    assert (row.prompt_tokens, row.completion_tokens) == (
        recorded.totals.prompt_tokens,
        recorded.totals.completion_tokens,
    )


def test_calls_without_usage_count_no_tokens_and_a_failed_trial_is_indexed_as_an_error(
    tmp_path: Path,
) -> None:
    respond = scripted(agent=[failure(400)])
    library, _ = record(tmp_path / "library", agents=("agent",), respond=respond)
    (name,) = library.objects("cassette")
    row = cassette_row(open_cassette(library, name))
    assert (row.verdict, row.termination, row.calls, row.prompt_tokens) == ("error", "agent_error", 1, 0)


def test_attempts_are_counted_apart_from_calls(tmp_path: Path) -> None:
    respond = scripted(agent=[failure(500), failure(503), "Done."])
    library, recorded = record(tmp_path / "library", agents=("agent",), respond=respond)
    (name,) = library.objects("cassette")
    row = cassette_row(open_cassette(library, name))
    assert (row.attempts - row.calls, recorded.totals.retries) == (2, 2)
