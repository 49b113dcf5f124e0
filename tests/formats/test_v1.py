"""Files of version 1 that were committed once and must go on loading, verifying and giving the same verdict.

They were recorded with built-in models and a made clock: one short task under the fault plan E3, by an agent whose second
call met a 503 and by one whose answers were streamed. They are never recorded anew; a later version gets its own folder.
"""

from __future__ import annotations

import pytest

from replaylab.canonical import digest_bytes
from replaylab.cassette.codec import Cassette
from replaylab.derive.verdict import derive
from replaylab.engine.ledger import make_run
from replaylab.engine.seal import result_of_cassette
from replaylab.engine.verify import deep_check
from replaylab.store import runs
from tests.formats.doc import V1

# Name of the file: outcome digest, verdict, tool calls, faults.
CASSETTES = {
    "eebcc267086d661b73a12e9935c259a4eb2e16368186ec17d27c05792044e401": (
        "b24eabcc95c18bc5fb864cce73723362d343e8c475f6754ac82cf1872d5701fa",
        "pass",
        13,
        4,
    ),
    "d63d90d4f36daedc322eea080622c110c3b96345ca2f6ce2dac99a24a2077084": (
        "753553b6eaad748144ac4137fb15ba4a11c51da9055609b54a1a29097a5a7e9a",
        "pass",
        13,
        4,
    ),
}
RUN, RUN_OUTCOME = (
    "3d2c156ede6e8933edebd98c53c4cc241b8a5e5c4b0a2cf03d12bf843402bfd3",
    "4d293b55eb71a9a8c3e5d9a51f0ed2447afc7fc8dbc5406c7bfaad72074f8b70",
)


def opened(name: str) -> Cassette:
    path = V1 / f"{name}.cassette"
    return Cassette(path.read_bytes(), where=path.name, name=name)


def test_the_folder_holds_these_files_and_no_other() -> None:
    names = {path.name for path in V1.iterdir()}
    assert names == {f"{name}.cassette" for name in CASSETTES} | {f"{RUN}.run"}


@pytest.mark.parametrize("name", CASSETTES)
def test_a_cassette_loads_and_everything_it_says_of_itself_holds(name: str) -> None:
    cassette = opened(name)
    assert list(deep_check(cassette)) == []
    assert cassette.header.format == "replaylab.cassette/1"


@pytest.mark.parametrize("name", CASSETTES)
def test_the_same_verdict_and_outcome_follow_from_it(name: str) -> None:
    cassette = opened(name)
    outcome, verdict, calls, faults = CASSETTES[name]
    trajectory, judged = derive(cassette.header, cassette.lanes)
    assert (judged.outcome, len(trajectory.actions)) == (verdict, calls)
    assert sum(action.fault is not None for action in trajectory.actions) == len(cassette.labels) == faults
    assert result_of_cassette(cassette).outcome == cassette.seal.outcome == outcome


def test_the_run_loads_and_its_outcome_follows_from_its_ledger() -> None:
    path = V1 / f"{RUN}.run"
    data = path.read_bytes()
    run = runs.decode(data, path)
    assert digest_bytes(data) == RUN
    assert {one.cassette: one.outcome for entry in run.ledger for one in entry.tries} == {
        name: row[0] for name, row in CASSETTES.items()
    }
    again = make_run(run.name, run.spec, run.ledger, created=run.created, follows=run.follows)
    assert again.outcome == run.outcome == RUN_OUTCOME


def test_a_run_is_written_with_the_bytes_that_it_was_read_from() -> None:
    path = V1 / f"{RUN}.run"
    assert runs.encode(runs.decode(path.read_bytes(), path)) == path.read_bytes()
