"""Whatever a foreign file holds, it is imported or refused in words: no part of it makes an importer stumble."""

from __future__ import annotations

import contextlib
import copy
import json
import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest

from replaylab.errors import ReplaylabError
from replaylab.interop.atif import ATIF
from replaylab.interop.chat import CHAT
from replaylab.interop.har.importer import import_har
from replaylab.interop.inspect import INSPECT
from replaylab.interop.otel import OTEL
from replaylab.interop.talk.importer import Format
from replaylab.interop.tau import TAU
from replaylab.store.library import Library
from replaylab.wire.redact import Redactor
from tests.interop.atif.test_reader import trajectory
from tests.interop.chat.test_reader import line
from tests.interop.har.test_importer import entry, har
from tests.interop.inspect.made import log, members, packed
from tests.interop.otel.made import document, events, inference, numbered, today
from tests.interop.talk.landing import landed, written
from tests.interop.tau.test_reader import episode, results

FILES: dict[str, tuple[Format, Any]] = {
    "inspect": (INSPECT, log()),
    "tau": (TAU, [episode()]),
    "tau2": (TAU, results()),
    "atif": (ATIF, trajectory()),
    "chat": (CHAT, line()),
    "otel": (OTEL, document(*today(structured=True))),
    "otel-texts": (OTEL, document(*today())),
    "otel-numbered": (OTEL, document(*numbered())),
    "otel-inference": (OTEL, document(*inference())),
    "otel-events": (OTEL, document(*events())),
}
ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1.5,
    2**60,
    "",
    "x",
    "\u0000",
    [],
    {},
    [None],
    {"x": 1},
    [[]],
    "9" * 400,
    "[1]",
    "{}",
    [{}],
)


def changed(value: Any, random: Random) -> Any:
    """The value with something odd in one to three places."""
    value = copy.deepcopy(value)
    for _ in range(random.randint(1, 3)):
        places = list(spots(value))
        if not places:
            break
        holder, key = random.choice(places)
        if random.random() < 0.3 and isinstance(holder, dict):
            del holder[key]
        elif random.random() < 0.1 and isinstance(holder, list):
            holder.append(copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(random.choice(ODD))
    return value


def spots(value: Any) -> Any:
    """Every place in a value, as what holds it and its key."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in list(parts):
        yield value, key
        yield from spots(part)


def tried(name: str, seed: int, folder: Path) -> bool:
    """Whether a changed file was imported; refusal in words is the only other end."""
    kind, whole = FILES[name]
    value = changed(whole, Random(f"{name} {seed}"))
    try:
        if name == "inspect" and seed % 2 and isinstance(value.get("samples"), list):
            path = packed(folder / "a.eval", _members(value))
        else:
            path = written(folder / "a.json", value)
        landed(folder, kind, path, skip_bad=seed % 3 == 0)
    except ReplaylabError as error:
        return not error.what
    return True


def _members(value: dict[str, Any]) -> dict[str, Any]:
    if all(isinstance(one, dict) and "id" in one and "epoch" in one for one in value["samples"]):
        return members(value)
    return {"header.json": value, "samples/1_epoch_1.json": value["samples"]}


def run(name: str, seeds: range) -> None:
    imported = 0
    for seed in seeds:
        with tempfile.TemporaryDirectory() as folder:
            imported += tried(name, seed, Path(folder))
    assert imported < len(seeds)  # else the changes are too small to say anything


@pytest.mark.parametrize("name", FILES)
def test_an_odd_file_is_imported_or_refused(name: str) -> None:
    run(name, range(20))


@pytest.mark.soak
@pytest.mark.parametrize("name", FILES)
def test_many_odd_files_are_imported_or_refused(name: str) -> None:
    run(name, range(30, 1500))


def test_an_odd_har_file_is_imported_or_refused() -> None:
    imported = 0
    whole = har(entry(), entry(1))
    for seed in range(40):
        value = changed(whole, Random(seed))
        with tempfile.TemporaryDirectory() as folder:
            path = written(Path(folder) / "a.har", value)
            with contextlib.suppress(ReplaylabError):
                import_har(Library(Path(folder) / "library"), "x", {"a.har": path}, Redactor())
                imported += 1
    assert 0 < imported < 40


@pytest.mark.parametrize("name", ["tau2", "inspect", "otel", "atif"])
def test_a_file_that_is_cut_anywhere_is_refused(name: str, tmp_path: Path) -> None:
    kind, whole = FILES[name]
    data = json.dumps(whole).encode()
    for end in range(0, len(data) - 1, max(len(data) // 40, 1)):
        with pytest.raises(ReplaylabError):
            landed(tmp_path, kind, written(tmp_path / "a.json", data[:end]))
    assert not Library(tmp_path / "library").exists()
