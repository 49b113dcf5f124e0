from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replaylab.canonical import digest
from replaylab.cassette.stored import open_cassette
from replaylab.engine.redact import check_kept, redacted
from replaylab.engine.verify import verify
from replaylab.schema.base import JsonObject
from replaylab.schema.tombstone import Tombstone
from replaylab.store.library import Library
from tests.playground import record


@pytest.fixture(scope="module")
def stone(tmp_path_factory: pytest.TempPathFactory) -> Tombstone:
    library = record(tmp_path_factory.mktemp("redact") / "library", faults=("E3",), votes=2)[0]
    (name,) = library.objects("cassette")
    return redacted(open_cassette(library, name))


def test_what_is_kept_fits_together_and_names_the_cassette(stone: Tombstone) -> None:
    assert list(check_kept(stone, "here")) == []
    assert stone.kept is not None
    assert set(stone.kept.lanes) == {"agent", "simulator", "verifier.0", "verifier.1"}
    assert stone.kept.seal.counts["interaction"] == sum(map(len, stone.kept.lanes.values()))


def other(value: Any, *path: str | int) -> None:
    """Change the value at a path to another one of its type."""
    at = value
    for part in path[:-1]:
        at = at[part]
    old = at[path[-1]]
    changed = digest("else") if isinstance(old, str) and len(old) == 64 else f"{old}x"
    at[path[-1]] = 599 if isinstance(old, int) else changed


CHANGES: dict[str, tuple[tuple[str | int, ...], str]] = {
    "request": (("lanes", "agent", 0, "request"), "outcome-digest"),
    "body": (("lanes", "agent", 0, "body"), "outcome-digest"),
    "status": (("lanes", "agent", 0, "status"), "outcome-digest"),
    "outcome": (("lanes", "agent", 0, "outcome"), "outcome-digest"),
    "path": (("lanes", "agent", 0, "path"), "call-path"),
    "task": (("header", "task", "instruction"), "inputs-digest"),
    "inputs": (("header", "inputs"), "inputs-digest"),
    "lane": (("seal", "lanes", "agent", "outcome"), "lanes"),
    "trajectory": (("seal", "trajectory_digest"), "outcome"),
    "verdict": (("seal", "verdict_digest"), "outcome"),
    "sealed outcome": (("seal", "outcome"), "outcome"),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_change_of_what_is_kept_is_found(case: str, stone: Tombstone) -> None:
    path, kind = CHANGES[case]
    value = stone.model_dump(mode="json", by_alias=True)
    other(value["kept"], *path)
    assert kind in {one.kind for one in check_kept(Tombstone.model_validate(value), "here")}


@pytest.mark.parametrize(
    "change",
    [
        lambda lanes: lanes.update(agent=lanes["agent"][:-1]),
        lambda lanes: lanes.pop("verifier.1"),
        lambda lanes: lanes.update(agent=[lanes["agent"][1], lanes["agent"][0], *lanes["agent"][2:]]),
    ],
    ids=["the last one", "a lane", "two in turn"],
)
def test_an_interaction_or_a_lane_left_out_is_found(
    change: Callable[[JsonObject], object], stone: Tombstone
) -> None:
    value = stone.model_dump(mode="json", by_alias=True)
    change(value["kept"]["lanes"])
    assert list(check_kept(Tombstone.model_validate(value), "here"))


def test_a_verdict_that_is_not_the_ledgers_is_found(tmp_path: Path) -> None:
    """The word in the seal is not part of its digests; the ledger has it too."""
    library = record(tmp_path / "library")[0]
    (name,) = library.objects("cassette")
    whole = redacted(open_cassette(library, name))
    library.path(name, "cassette").unlink()
    library.tombstones.put(whole)
    assert verify(library).findings == []
    value = whole.model_dump(mode="json", by_alias=True)
    value["kept"]["seal"]["verdict"] = "fail"
    library.tombstones.put(Tombstone.model_validate(value))
    assert [one.kind for one in verify(library).findings] == ["ledger-entry"]


def test_a_whole_cassette_wins_over_its_stand_in(tmp_path: Path) -> None:
    library: Library = record(tmp_path / "library")[0]
    (name,) = library.objects("cassette")
    library.tombstones.put(redacted(open_cassette(library, name)))
    assert library.gone(name) is None
    assert list(library.objects("cassette")) == [name]
    assert open_cassette(library, name).name == name
