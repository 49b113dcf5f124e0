"""A run as three tables: everything planned is there, and other tools read them."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from replaylab.interop.parquet.columns import TABLES
from replaylab.interop.parquet.writer import to_parquet
from replaylab.interop.talk.outgoing import Outgoing, outgoing
from replaylab.interop.tau import TAU
from replaylab.schema.run import LedgerEntry
from replaylab.store.library import Library
from tests.interop.talk.landing import landed, written
from tests.interop.tau.test_reader import episode
from tests.playground import SHORT, record


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    root = tmp_path_factory.mktemp("parquet")
    record(root, tasks=(SHORT,), agents=("scripted:careful", "scripted:hasty"), faults=("E0", "E3"), name="s")
    return Library(root)


def rows(data: bytes) -> list[dict[str, Any]]:
    return list(pq.read_table(io.BytesIO(data)).to_pylist())


def test_the_tables_hold_what_the_cassettes_do(library: Library) -> None:
    run_id, run = library.run("s")
    files, counts = to_parquet(library, run_id, run)
    trials = [one for one in outgoing(library, run) if isinstance(one, Outgoing)]
    assert set(files) == {"interactions.parquet", "trajectories.parquet", "verdicts.parquet"}
    verdicts = rows(files["verdicts.parquet"])
    assert [(one["key"], one["verdict"]) for one in verdicts] == [
        (one.key, one.derived.verdict.outcome) for one in trials
    ]
    assert [len(json.loads(one["votes"])) for one in verdicts] == [
        len(one.derived.verdict.votes) for one in trials
    ]
    actions = [action for one in trials for action in one.derived.trajectory.actions]
    calls = [one for one in rows(files["trajectories.parquet"]) if one["call"] is not None]
    assert [(one["tool"], json.loads(one["arguments"]), json.loads(one["observation"])) for one in calls] == [
        (action.tool, action.arguments, action.observation) for action in actions
    ]
    assert [one["fault"] for one in calls] == [
        action.fault.kind if action.fault else None for action in actions
    ]
    asked = [one for trial in trials for lane in trial.lanes for one in trial.asked(lane)]
    interactions = rows(files["interactions.parquet"])
    assert [one["path"] for one in interactions] == [one.row.path for one in asked]
    usages = [one.row.usage.prompt_tokens if one.row.usage else None for one in asked]
    assert [one["prompt_tokens"] for one in interactions] == usages
    assert counts == {
        "interactions": len(asked),
        "trajectories": len(calls) + len(trials),
        "verdicts": len(trials),
    }


def test_the_columns_are_those_that_are_documented(library: Library) -> None:
    files, _ = to_parquet(library, *library.run("s"))
    for name, columns in TABLES.items():
        schema = pq.read_schema(io.BytesIO(files[f"{name}.parquet"]))
        assert schema.names == [one.name for one in columns]
        kinds = {"string": "string", "int64": "int64", "float64": "double", "bool": "bool"}
        assert [str(field.type) for field in schema] == [kinds[one.kind] for one in columns]


def test_a_missing_trial_has_a_row_and_no_verdict(library: Library) -> None:
    run_id, run = library.run("s")
    gone = LedgerEntry(key=run.ledger[0].key, status="missing")
    short = run.model_copy(update={"ledger": (gone, *run.ledger[1:])})
    files, counts = to_parquet(library, run_id, short)
    first = rows(files["verdicts.parquet"])[0]
    assert (first["status"], first["verdict"], first["cassette"]) == ("missing", None, None)
    assert counts["verdicts"] == len(run.ledger)


def test_scores_of_a_source_are_no_verdict(tmp_path: Path) -> None:
    landed(tmp_path, TAU, written(tmp_path / "a.json", [episode()]))
    library = Library(tmp_path / "library")
    files, _ = to_parquet(library, *library.run("theirs"))
    (one,) = rows(files["verdicts.parquet"])
    assert (one["verdict"], one["evidence"]) == ("none", "imported")
    assert json.loads(one["source_scores"]) == [{"name": "reward", "value": 1.0}]


def test_the_same_run_gives_the_same_bytes(library: Library) -> None:
    assert to_parquet(library, *library.run("s")) == to_parquet(library, *library.run("s"))


def test_pandas_reads_them(library: Library) -> None:
    pandas = pytest.importorskip("pandas")
    files, counts = to_parquet(library, *library.run("s"))
    frame = pandas.read_parquet(io.BytesIO(files["verdicts.parquet"]))
    assert len(frame) == counts["verdicts"]
    assert set(frame["verdict"]) <= {"pass", "fail"}
