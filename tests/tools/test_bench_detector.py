from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.catalogue.twin import load_twin
from replaylab.derive.verdict import derive
from replaylab.diff.trial import check_trajectory
from replaylab.engine.replay import replay_run
from replaylab.engine.seal import seeded_labels
from replaylab.engine.verify import deep_check
from replaylab.schema.interaction import Attempt
from replaylab.schema.seeded import SEEDED, SEEDED_HEADER, Seeded
from replaylab.schema.violation import KINDS, Violation, ViolationKind
from replaylab.store.library import Library
from tests.engine.forging import Row, forged
from tools import bench_detector
from tools.bench_detector import (
    HELD_OUT,
    TUNED,
    Call,
    document,
    errors,
    false_alarms,
    is_held_out,
    measure_library,
    record,
)
from tools.bench_detector_page import page

WORLDS = Path(__file__).resolve().parents[1] / "diff" / "worlds"
TASKS = ("ed-two-urgent-patients", "hazmat-mixed-order", "intrusion-file-server-chain")


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("measured")
    return record(folder / "library", Catalogue.load([shipped()]), TASKS, ("scripted:careful",))


def call(*, seeded: tuple[Seeded, ...] = (), found: tuple[Violation, ...] = (), scenario: str = "a") -> Call:
    return Call(scenario, "e", "twin+omit", "E0", "p", "list", {}, {"a": 1}, "h", seeded, found)


def said(kind: ViolationKind, pointer: str = "/a") -> Violation:
    return Violation(
        kind=kind, subkind="x", call=0, tool="list", pointer=pointer, entity="D-1", confidence=0.9
    )


def test_a_third_of_the_scenarios_is_held_out_by_name_alone() -> None:
    names = [one.id for one in Catalogue.load([shipped()]).scenarios]
    held = [name for name in names if is_held_out(name)]
    assert len(names) / 5 < len(held) < len(names) / 2
    # Fixed: who moves a scenario from one part to the other has to say so here.
    assert {"emergency-department-triage", "order-return-authorization"} <= set(held)


def test_hits_misses_and_false_alarms_are_told_apart() -> None:
    seed = Seeded(kind="omission", shape="first", entity="D-1", pointer="/a")
    calls = [
        call(seeded=(seed,), found=(said("omission"),)),
        call(seeded=(seed,)),
        call(found=(said("omission"),)),
        call(seeded=(seed,), found=(said("contradiction"),)),
        call(seeded=(seed,), found=(said("contradiction", "/b"),)),
    ]
    measured = bench_detector.Measured([one._replace(scenario="a") for one in calls], [], 1)
    part = HELD_OUT if is_held_out("a") else TUNED
    figures = document(measured)["parts"][part]
    row = figures["call"]["omission"]
    assert (row["tp"], row["fp"], row["fn"]) == (1, 1, 3)
    assert figures["call"]["contradiction"]["fp"] == 1, "at the place of a seed it only follows from it"
    assert figures["shapes"] == {"omission/first": {"seeded": 4, "found": 1}}
    assert len(list(errors(measured, part))) == 5
    assert list(errors(measured, TUNED if part == HELD_OUT else HELD_OUT)) == []


def test_what_was_seeded_is_labelled_verified_and_replayed(library: Library) -> None:
    _, run = library.run("violating")
    assert replay_run(library, run).findings == ()
    labels = 0
    for entry in run.ledger:
        assert entry.counting is not None
        cassette = open_cassette(library, entry.counting.cassette)
        assert list(deep_check(cassette)) == []
        paths = {row.path for row in cassette.lanes["simulator"]}
        seeds = [label for label in cassette.labels if label.kind == SEEDED]
        assert {label.path for label in seeds} <= paths
        labels += len(seeds)
        assert cassette.header.players["simulator"].player == "program"
    assert labels > 10


def test_a_label_that_no_answer_bears_out_is_found_and_only_programs_are_believed(library: Library) -> None:
    names = [entry.counting.cassette for entry in library.run("violating")[1].ledger if entry.counting]
    name = next(one for one in names if open_cassette(library, one).labels)

    def without(rows: list[Row]) -> None:
        rows.remove(next(row for row in rows if row["type"] == "label"))

    def otherwise(rows: list[Row]) -> None:
        next(row for row in rows if row["type"] == "label")["value"]["kind"] = "contradiction"

    for change in (without, otherwise):
        cassette = Cassette(forged(library.get(name, "cassette"), change), where="x.cassette")
        assert [one.kind for one in deep_check(cassette)] == ["seeded-violations"]
    cassette = open_cassette(library, name)
    assert seeded_labels(cassette.header, cassette.lanes) == cassette.labels
    player = cassette.header.players["simulator"].model_copy(update={"player": "llm"})
    players = cassette.header.players | {"simulator": player}
    assert seeded_labels(cassette.header.model_copy(update={"players": players}), cassette.lanes) == []


def test_the_check_finds_the_same_without_what_names_the_seeds(library: Library) -> None:
    for entry in library.run("violating")[1].ledger:
        assert entry.counting is not None
        cassette = open_cassette(library, entry.counting.cassette)
        trajectory = derive(cassette.header, cassette.lanes).trajectory
        lane = cassette.lanes["simulator"]
        bare = [row.model_copy(update={"attempts": tuple(map(_bare, row.attempts))}) for row in lane]
        found = [check_trajectory(cassette.header, trajectory, one) for one in (lane, bare)]
        assert found[0] == found[1]
        told = "".join(str(blob.value) for blob in cassette.blobs) + str(trajectory)
        assert SEEDED_HEADER not in told
        assert "'shape'" not in told


def _bare(attempt: Attempt) -> Attempt:
    return attempt.model_copy(update={"headers": {}})


def test_a_reduced_measure_keeps_its_floors_and_is_the_same_again(library: Library) -> None:
    first, second = (document(measure_library(library)) for _ in range(2))
    assert first == second
    assert page(first) == page(second)
    figures = first["parts"][HELD_OUT]["call"]
    counted = sum(
        part["call"][kind]["tp"] + part["call"][kind]["fn"]
        for part in first["parts"].values()
        for kind in KINDS
    )
    assert counted >= 20
    assert figures["rule_invention"]["precision"] >= 0.8
    assert figures["rule_invention"]["recall"] >= 0.6
    assert figures["omission"]["recall"] >= 0.5


def test_every_world_loads_and_its_twin_takes_the_plans() -> None:
    catalogue = Catalogue.load([WORLDS])
    assert len(catalogue.scenarios) >= 6
    assert not {one.id for one in catalogue.scenarios} & {
        one.id for one in Catalogue.load([shipped()]).scenarios
    }
    for task in catalogue.tasks:
        found = catalogue.task(task.id)
        twin = load_twin(catalogue.folder(found.scenario.id), found.environment, trusted=[WORLDS])
        assert task.plan is not None
        for call in task.plan.calls:
            before, tool = twin.state(), found.environment.tool(call.tool)
            said = twin.call(call.tool, call.arguments)
            assert isinstance(said, dict), task.id
            assert not str(said.get("error", "")).startswith("invalid argument"), (task.id, said)
            # A refusal may be planned, since some violations are seeded into refusals alone.
            assert "error" in said or tool is None or said.keys() == tool.example_output.keys(), (
                task.id,
                said,
            )
            assert tool is None or tool.effect == "write" or twin.state() == before


def test_a_folder_of_scenarios_is_measured_without_a_report(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench_detector, "REPORTS", tmp_path / "reports")
    monkeypatch.setattr(bench_detector, "AGENTS", ("scripted:careful",))
    # A check that finds nothing misses all that is seeded, however well the rules do on this world.
    monkeypatch.setattr(
        bench_detector,
        "check_trajectory",
        lambda *given: check_trajectory(*given).model_copy(update={"findings": ()}),
    )
    bench_detector.main(["--worlds", str(WORLDS), "--scenario", "seed-vault-custody", "--list"])
    printed = capsys.readouterr().out
    assert "## Worlds scenarios" in printed
    assert "| omission/" in printed
    assert "calls of the faithful twin" in printed
    assert printed.startswith('{"args"'), "misses come first, with their evidence"
    assert not (tmp_path / "reports").exists()


def test_a_kind_that_was_not_seeded_is_a_false_alarm_of_the_shape_beside_it() -> None:
    seed = Seeded(kind="omission", shape="first", entity="D-1", pointer="/a")
    calls = [
        call(seeded=(seed,), found=(said("omission"), said("fabrication"))),
        call(seeded=(seed,)),
        call(found=(said("omission"),)),
        call(found=(said("omission"),))._replace(simulator="twin"),
    ]
    assert false_alarms(bench_detector.Measured(calls, [], 1)) == {
        "nothing seeded": {"calls": 1, "false": 1},
        "omission/first": {"calls": 2, "false": 1},
    }


# Strict: the day on which it passes, this mark goes.
@pytest.mark.xfail(
    strict=True, reason="recall of fabrication and omission is short of its target: reports/bench_detector.md"
)
@pytest.mark.soak
def test_the_whole_measure_meets_its_targets(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bench_detector, "REPORTS", tmp_path)
    assert bench_detector.main(["--jobs", "2"]) == 0
