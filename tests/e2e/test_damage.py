"""Damage on the disk, seen through the commands: it is named, and never read as empty or short."""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from replaylab.cli.main import run
from replaylab.store.library import Library
from replaylab.wire.offline import allow_network
from tests.playground import SHORT, record

SEED = 2718


class Said(NamedTuple):
    code: int
    document: Any
    err: str


Command = Callable[..., Said]


@pytest.fixture
def command(capsysbinary: pytest.CaptureFixture[bytes]) -> Iterator[Command]:
    """`command(library, "verify")` in this process."""

    def said(library: Path, *argv: str) -> Said:
        code = run(["--library", str(library), *argv, "--json"])
        out, err = capsysbinary.readouterr()
        return Said(code, json.loads(out), err.decode("utf-8"))

    yield said
    allow_network()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library with a run of two trials, and with the journal of another run that was stopped."""
    root = tmp_path_factory.mktemp("sound") / "library"
    record(root, trials=2, votes=1, name="k")
    record(root, tasks=[SHORT], votes=1, name="stopped", max_calls=6)
    return root


def damaged(data: bytes, chance: random.Random, *, cut: bool) -> bytes:
    """With one bit flipped, or cut short."""
    at = chance.randrange(len(data))
    return data[:at] if cut else data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def files(root: Path) -> dict[str, list[Path]]:
    library = Library(root)
    _, last = library.run("k")
    return {
        "cassette": [library.path(one.cassette, "cassette") for entry in last.ledger for one in entry.tries],
        "run": [library.path(library.refs()["k"], "run")],
        "reference": [root / "runs" / "k"],
    }


@pytest.mark.parametrize(
    ("kind", "count"), [("cassette", 25), ("run", 17), ("reference", 8)], ids=["cassette", "run", "reference"]
)
def test_damage_is_named_by_verify_and_by_replay(
    sound: Path, tmp_path: Path, command: Command, kind: str, count: int
) -> None:
    chance = random.Random(f"{SEED} {kind}")
    root = tmp_path / "library"
    shutil.copytree(sound, root)
    for number in range(count):
        path = chance.choice(files(root)[kind])
        before = path.read_bytes()
        path.write_bytes(damaged(before, chance, cut=number % 2 == 1))
        verified = command(root, "verify")
        assert (verified.code, verified.document["ok"]) == (4, False)
        assert any(path.name in one["where"] for one in verified.document["findings"])
        replayed = command(root, "replay", "k", "--offline", "--jobs", "1")
        assert (replayed.code, replayed.document["ok"]) == (4, False)
        assert str(path) in replayed.err
        path.write_bytes(before)
    assert command(root, "verify").code == 0
    assert command(root, "replay", "k", "--offline", "--jobs", "1").code == 0


def test_a_flipped_bit_before_the_last_frame_of_a_journal_is_named_by_verify_and_by_record(
    sound: Path, tmp_path: Path, command: Command
) -> None:
    chance = random.Random(f"{SEED} journal")
    root = tmp_path / "library"
    shutil.copytree(sound, root)
    (path,) = (root / "journal" / "stopped").glob("*.frames")
    before = path.read_bytes()
    last = before.rfind(b"\x89RLF")
    for _ in range(10):
        path.write_bytes(damaged(before[:last], chance, cut=False) + before[last:])
        verified = command(root, "verify")
        assert verified.code == 4
        assert any(str(path) in one["where"] for one in verified.document["findings"])
    more = ("--task", SHORT, "--votes", "1", "--run", "stopped")
    recorded = command(root, "record", *more)
    assert recorded.code == 4
    assert str(path) in recorded.err
    assert path.exists()
    path.write_bytes(before)
    assert command(root, "record", *more).code == 0


def test_a_missing_cassette_is_named(sound: Path, tmp_path: Path, command: Command) -> None:
    root = tmp_path / "library"
    shutil.copytree(sound, root)
    path = files(root)["cassette"][0]
    path.unlink()
    assert command(root, "verify").code == 4
    replayed = command(root, "replay", "k", "--offline", "--jobs", "1")
    assert replayed.code == 4
    assert str(path) in replayed.err
