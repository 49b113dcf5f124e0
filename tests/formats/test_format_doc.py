"""FORMAT.md against the code: every field documented and none invented, and every example does what it says."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from replaylab.canonical import digest
from replaylab.cassette.codec import Cassette, line, order_lines
from replaylab.cassette.request import Request
from replaylab.cassette.tape import Tape
from replaylab.derive.verdict import derive
from replaylab.engine.plan import inputs_digest
from replaylab.roles.verifier import read_vote
from replaylab.schema import (
    capture,
    cassette,
    fault,
    interaction,
    model,
    run,
    scenario,
    seeded,
    tombstone,
    trajectory,
)
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.cassette import Seal
from replaylab.schema.interaction import Attempt, Chunk, Failure
from replaylab.schema.outcome import lane_outcome, trial_outcome
from replaylab.schema.scenario import Scenario
from replaylab.wire.completion import read_answer
from replaylab.wire.redact import PLACEHOLDER, Redactor
from tests.formats import doc
from tests.strategies import json_values

MODULES = (capture, cassette, fault, interaction, model, run, scenario, seeded, tombstone, trajectory)
TABLES = doc.tables()
PRIMITIVES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def models_of(module: ModuleType) -> list[type[BaseModel]]:
    found = [one for one in vars(module).values() if isinstance(one, type) and issubclass(one, BaseModel)]
    return [one for one in found if one.__module__ == module.__name__]


# A scenario is in no file of a library: a header holds the one environment and task that a trial is about.
MODELS = {one.__name__: one for module in MODULES for one in models_of(module) if one is not Scenario}


def json_type(hint: Any) -> str:
    """A type hint in the words of FORMAT.md section 2."""
    origin, parts = get_origin(hint), get_args(hint)
    if hint is Any:
        return "any"
    if origin is Annotated:
        return "digest" if "_DigestShape" in str(parts[1]) else json_type(parts[0])
    if origin is Literal:
        return "string"
    if origin in (Union, UnionType):
        return " or ".join([json_type(part) for part in parts if part is not NoneType] + ["null"])
    if origin is tuple:
        return f"array of {json_type(parts[0])}"
    if origin is dict:
        return "object" if parts[1] is Any else f"object of {json_type(parts[1])}"
    return f"`{hint.__name__}`" if issubclass(hint, BaseModel) else PRIMITIVES[hint]


def left_out(name: str, field: Any) -> Any:
    if field.is_required() or name == "type":  # a writer never leaves the type of a line out
        return "required"
    default = field.get_default(call_default_factory=True)
    if isinstance(default, BaseModel):
        return default.model_dump(mode="json", exclude_defaults=True)
    return list(default) if isinstance(default, tuple) else default


def test_every_object_of_the_files_has_a_table_and_no_other_has() -> None:
    assert set(TABLES) == set(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_a_table_has_the_fields_types_and_defaults_of_the_code(name: str) -> None:
    hints = get_type_hints(MODELS[name], include_extras=True)
    expected = [
        (field.alias or key, json_type(hints[key]), left_out(field.alias or key, field))
        for key, field in MODELS[name].model_fields.items()
    ]
    documented = [
        (row.name, row.type, row.left if row.left == "required" else json.loads(row.left))
        for row in TABLES[name]
    ]
    assert documented == expected
    assert all(len(row.meaning) > 5 and row.unit for row in TABLES[name])


@pytest.mark.parametrize("name", MODELS)
def test_a_table_names_every_value_that_a_field_may_have(name: str) -> None:
    hints = get_type_hints(MODELS[name])
    for (key, field), row in zip(MODELS[name].model_fields.items(), TABLES[name], strict=True):
        if get_origin(hints[key]) is Literal:
            missing = [value for value in get_args(hints[key]) if f"`{value}`" not in row.meaning]
            assert not missing, f"{name}.{field.alias or key}: {missing}"


def test_the_kept_headers_and_the_placeholder_are_those_of_the_code() -> None:
    row = next(row for row in TABLES["Attempt"] if row.name == "headers")
    named = row.meaning.split("`")[1::2]
    assert list(Redactor().headers((name, "1") for name in named)) == sorted(named)
    assert f"\n{PLACEHOLDER}\n" in doc.section(10)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files of version 1 with the document's own program beside them."""
    missing = [tool for tool in ("sh", "sha256sum", "zstdcat", "jq", "node") if shutil.which(tool) is None]
    if missing:
        pytest.skip(f"{', '.join(missing)} not installed: the examples of FORMAT.md are NOT TESTED.")
    root = tmp_path_factory.mktemp("checkout")
    shutil.copytree(doc.V1, root / "tests/formats/v1")
    (root / "tests/formats/v1/digests.mjs").write_text(doc.program(), encoding="utf-8")
    return root


def shell(root: Path, command: str) -> str:
    done = subprocess.run(["sh", "-c", doc.setup() + command], cwd=root, capture_output=True, check=False)
    assert done.stderr == b""
    return done.stdout.decode("utf-8")


@pytest.mark.parametrize("example", doc.examples(), ids=lambda one: one.title[:30])
def test_an_example_prints_what_stands_below_it(folder: Path, example: doc.Example) -> None:
    assert shell(folder, example.command) == example.printed


def opened(which: str) -> Cassette:
    name = next(row for row in doc.setup().splitlines() if row.startswith(f"{which}=")).partition("=")[2]
    return Cassette((doc.V1 / name).read_bytes(), where=name, name=Path(name).stem)


def test_the_listed_calls_are_those_that_the_code_reads() -> None:
    rows = [
        [row.path.rpartition("/")[2], len(row.attempts), row.final.status, *tokens(row)]
        for lane in opened("plain").lanes.values()
        for row in lane
    ]
    printed = "".join("\t".join(map(str, row)) + "\n" for row in rows)
    assert doc.example("List the calls").printed == printed
    assert any(row[1] == 2 for row in rows)


def tokens(row: interaction.Interaction) -> tuple[int, int]:
    usage = row.usage or interaction.Usage()
    return usage.prompt_tokens, usage.completion_tokens


def test_the_printed_tool_calls_are_those_of_the_derived_trajectory() -> None:
    subject = opened("streamed")
    actions = derive(subject.header, subject.lanes).trajectory.actions
    printed = doc.example("Print the trajectory").printed.splitlines()
    assert [json.loads(line.partition(" ")[2]) for line in printed[::2]] == [one.arguments for one in actions]
    assert [line.partition(" ")[0] for line in printed[::2]] == [one.tool for one in actions]
    assert all(line.startswith("  -> {") for line in printed[1::2])


def test_the_printed_votes_are_those_of_the_derived_verdict() -> None:
    lanes = {lane: rows for lane, rows in opened("plain").lanes.items() if lane.startswith("verifier.")}
    votes = {lane: read_vote(read_answer(rows[-1].final)) for lane, rows in lanes.items()}
    assert doc.example("Print the votes").printed.splitlines() == [
        f"{lane}#0 {'pass' if vote.is_correct else 'fail'} {vote.feedback}" for lane, vote in votes.items()
    ]


def test_the_summed_tokens_are_those_that_the_code_reads() -> None:
    sums: dict[str, list[int]] = {}
    for lane, rows in opened("plain").lanes.items():
        total = sums.setdefault(lane.partition(".")[0], [0, 0, 0])
        for row in rows:
            total[:] = [total[0] + 1, total[1] + tokens(row)[0], total[2] + tokens(row)[1]]
    printed = map(json.loads, doc.example("Sum the tokens").printed.splitlines())
    assert {row["role"]: [row["calls"], row["prompt"], row["completion"]] for row in printed} == sums


def test_the_node_program_checks_every_blob_and_interaction() -> None:
    first = json.loads(doc.example("The Node program").printed.splitlines()[0])
    counts = opened("plain").seal.counts
    assert first["blobs"] == {"right": counts["blob"], "wrong": 0}
    assert first["requests"] == first["interactions"] == {"right": counts["interaction"], "wrong": 0}
    assert set(first) == {"blobs", "requests", "interactions", "lanes", "inputs", "trial"}


def node(program: str, text: str) -> str:
    if shutil.which("node") is None:
        pytest.skip("node not installed: NOT TESTED.")
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", program],
        input=text,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.stderr == ""
    return done.stdout


@given(st.lists(json_values, min_size=40, max_size=80))
@settings(max_examples=4)
def test_the_canonical_json_of_the_program_is_that_of_the_code(values: list[Any]) -> None:
    start = doc.program().partition("const bytesOf")[0]
    program = start + 'for (const value of JSON.parse(readFileSync(0, "utf8"))) console.log(digest(value));\n'
    assert node(program, json.dumps(values)).split() == [digest(value) for value in values]


ODD = (
    Request("m", {"model": "m", "temperature": 1.0, "n": 1e-7}, [{"role": "user", "content": "é😀\u2028"}]),
    Request("m", {}, (), raw=b'{"n": NaN}'),
    Request(
        "m", {"x": None}, [{"role": "user", "content": "a"}, {"role": "user", "content": "b"}], method="PUT"
    ),
    Request("m", {}, [{"role": "user", "content": "a"}], [{"type": "function"}], path="/other"),
    Request.from_bytes("g", "/x", b'{"contents": [{"parts": [{"text": "a"}]}], "tools": [{"a": 1}]}'),
    Request.from_bytes("o", "/responses", b'{"input": [{"role": "user", "content": "a"}], "store": true}'),
    Request.from_bytes("o", "/embeddings", b'{"input": ["a", "b"], "tools": []}'),
)
ATTEMPTS = (
    Attempt(failure=Failure(kind="refused", message="x")),
    Attempt(status=200, b64="/w=="),
    Attempt(status=200, chunks=(Chunk(ms=1, b64="w6k="), Chunk(ms=2, text="x")), complete=False),
    Attempt(status=204),
    Attempt(status=200, text="{}"),
    Attempt(status=404),
    Attempt(status=200, text=""),
)


def odd_lines() -> str:
    """The lines of a cassette with what the committed ones lack: raw bodies, bytes, failures, cut bodies."""
    tape = Tape(TrialKey(Condition("a/b", "s", "v", "E0"), "t", 0), elapsed_ms=lambda: 0.0)
    for request, attempt in zip(ODD, ATTEMPTS, strict=True):
        tape.lane("agent").begin(request).commit([Attempt(status=503), attempt], None)
    subject = opened("plain")
    changed = subject.header.subject.model_copy(update={"trial": 1, "attempt": 2})
    header = subject.header.model_copy(update={"subject": changed})
    header = header.model_copy(update={"inputs": inputs_digest(header)})
    outcome = lane_outcome([row.outcome for row in tape.lanes["agent"]])
    fields = subject.seal.model_dump() | {
        "lanes": {"agent": {"interactions": len(ODD), "outcome": outcome}},
        "outcome": trial_outcome(
            header.inputs, {"agent": outcome}, subject.seal.trajectory_digest, subject.seal.verdict_digest
        ),
    }
    lines = [*order_lines(header, tape.pool.blobs, tape.lanes, []), line(Seal.model_validate(fields))]
    return b"".join(lines).decode("utf-8")


def test_the_program_recomputes_raw_requests_bytes_failures_and_cut_bodies() -> None:
    counts = json.loads(node(doc.program(), odd_lines()))
    assert counts["requests"] == counts["interactions"] == {"right": len(ODD), "wrong": 0}
    assert all(count["wrong"] == 0 for count in counts.values())
