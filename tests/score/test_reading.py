from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from replaylab.canonical import loads
from replaylab.cassette import derived, taking
from replaylab.cassette.indexing import sync_index
from replaylab.cassette.stored import open_cassette
from replaylab.errors import StoreError
from replaylab.score.derive_facts import KIND, PARSER, facts_of
from replaylab.score.facts import CassetteFacts
from replaylab.score.reading import read_facts
from replaylab.store.index import Index
from replaylab.store.library import Library
from tests.score.written import EVERYTHING, cast, write
from tools.authored import AuthoredTrial


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Library:
    trials = [*EVERYTHING, AuthoredTrial("a", "care-1", "fail", faults="E3", calls=12)]
    return write(tmp_path_factory.mktemp("reading") / "library", "study", trials, cast(faults=("E0", "E3")))


@pytest.fixture
def library(original: Library, tmp_path: Path) -> Library:
    return Library(Path(shutil.copytree(original.root, tmp_path / "library")))


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The cassettes that are opened, in order."""
    seen: list[str] = []

    def noted(library: Library, name: str) -> Any:
        seen.append(name)
        return open_cassette(library, name)

    monkeypatch.setattr(taking, "open_cassette", noted)
    return seen


def names(library: Library) -> list[str]:
    return list(library.objects("cassette"))


def fresh(library: Library) -> dict[str, CassetteFacts]:
    return {name: facts_of(open_cassette(library, name)) for name in names(library)}


def test_facts_out_of_the_cache_are_those_that_are_derived(library: Library, opened: list[str]) -> None:
    first = read_facts(library, names(library))
    assert opened == names(library), "each file is opened once, for its row and its facts"
    second = read_facts(library, names(library))
    assert opened == names(library), "and not at all the second time"
    assert first == second
    assert (first.by_name, first.unsaved) == (fresh(library), "")
    assert [one.model_dump_json() for one in first.by_name.values()] == [
        one.model_dump_json() for one in second.by_name.values()
    ]


def test_any_number_of_processes_gives_the_same_facts_and_the_same_index(
    original: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(derived, "FEW", 1)
    monkeypatch.setattr(derived, "AT_ONCE", 2)
    found, rows = [], []
    for jobs in (1, 2):
        library = Library(Path(shutil.copytree(original.root, tmp_path / str(jobs))))
        found.append(read_facts(library, names(library), jobs=jobs))
        with sqlite3.connect(library.root / "index.db") as db:
            tables = ("cassettes", "derived", "trials", "runs", "meta")
            rows.append([db.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables])
        db.close()
    assert found[0] == found[1]
    assert rows[0] == rows[1]


def test_the_index_is_filled_in_the_same_pass_and_is_what_record_would_have_made(library: Library) -> None:
    read_facts(library, [])
    mine = Index.open(library)
    rows = list(mine.db["cassettes"].rows)
    assert (mine.state, len(rows)) == ("fresh", len(names(library)))
    (library.root / "index.db").unlink()
    sync_index(library)
    assert list(Index.open(library).db["cassettes"].rows) == rows


def test_what_is_new_is_read_and_the_rest_is_not(library: Library, opened: list[str], tmp_path: Path) -> None:
    read_facts(library, names(library))
    before = set(names(library))
    write(library.root, "more", [AuthoredTrial("c", "farm-1", "pass")], cast("c"))
    opened.clear()
    found = read_facts(library, names(library))
    assert set(opened) == set(names(library)) - before
    assert found.by_name == fresh(library)


def test_only_what_is_asked_for_is_derived(library: Library, opened: list[str]) -> None:
    wanted = names(library)[2]
    assert list(read_facts(library, [wanted]).by_name) == [wanted]
    index = Index.open(library)
    assert [name for name, _ in index.cached(PARSER, KIND, names(library))] == [wanted]
    assert opened == names(library), "every one has a row now"


Damage = Callable[[sqlite3.Connection], object]
DAMAGES: dict[str, Damage] = {
    "a flipped value": lambda db: db.execute("UPDATE derived SET value = replace(value, 'fail', 'pass')"),
    "no value": lambda db: db.execute("UPDATE derived SET value = NULL"),
    "another's value": lambda db: db.execute("UPDATE derived SET value = (SELECT min(value) FROM derived)"),
    "another parser": lambda db: db.execute("UPDATE derived SET parser = 'old'"),
    "nothing": lambda db: db.execute("DELETE FROM derived"),
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_a_cache_that_is_damaged_is_derived_again(
    library: Library, opened: list[str], damage: Damage
) -> None:
    read_facts(library, names(library))
    with sqlite3.connect(library.root / "index.db") as db:
        damage(db)
    db.close()
    opened.clear()
    assert read_facts(library, names(library)).by_name == fresh(library)
    assert opened
    opened.clear()
    assert read_facts(library, names(library)).by_name == fresh(library)
    assert opened == [], "and is sound again"


@pytest.mark.parametrize(
    "text", ["[]", "null", "{}", '{"scenario": 1}', '{"scenario": {}, "faults": {}, "players": []}']
)
def test_a_value_of_another_shape_is_derived_again(library: Library, text: str) -> None:
    (name, *_) = names(library)
    expected = read_facts(library, names(library))
    index = Index.open(library)
    assert index.keep([(name, PARSER, KIND, loads(text))]) == ""
    assert read_facts(library, names(library)).by_name == expected.by_name


def test_a_sound_value_under_another_cassettes_name_is_not_believed(library: Library) -> None:
    one, two, *_ = names(library)
    expected = read_facts(library, names(library))
    assert Index.open(library).keep([(one, PARSER, KIND, expected.by_name[two].to_json())]) == ""
    assert read_facts(library, names(library)).by_name == expected.by_name


def test_a_missing_cassette_is_an_error_that_names_it_with_and_without_an_index(library: Library) -> None:
    wanted = names(library)
    for warm in (False, True):
        path = library.path(wanted[1], "cassette")
        data = path.read_bytes()
        path.unlink()
        with pytest.raises(StoreError, match="is missing") as caught:
            read_facts(library, wanted)
        assert caught.value.where == str(path)
        path.write_bytes(data)
        if not warm:
            read_facts(library, wanted)


def test_a_damaged_cassette_is_an_error_and_leaves_the_index_as_it_was(library: Library) -> None:
    path = library.path(names(library)[1], "cassette")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(StoreError, match="damaged") as caught:
        read_facts(library, names(library))
    assert caught.value.where == str(path)
    assert not (library.root / "index.db").exists()


def test_a_damaged_cassette_that_nobody_asked_for_only_keeps_the_index_from_being_saved(
    library: Library,
) -> None:
    wanted = names(library)
    bad = library.put(b"no cassette", "cassette")
    found = read_facts(library, wanted)
    assert found.by_name == fresh_of(library, wanted)
    assert str(library.path(bad, "cassette")) in found.unsaved
    assert not (library.root / "index.db").exists()


def fresh_of(library: Library, wanted: list[str]) -> dict[str, CassetteFacts]:
    return {name: facts_of(open_cassette(library, name)) for name in wanted}


def test_progress_counts_the_files_that_are_read(library: Library) -> None:
    seen: list[tuple[int, int]] = []
    read_facts(library, names(library), progress=lambda done, planned: seen.append((done, planned)))
    assert seen == [(n + 1, len(names(library))) for n in range(len(names(library)))]
    seen.clear()
    read_facts(library, names(library), progress=lambda done, planned: seen.append((done, planned)))
    assert seen == []


def test_what_many_trials_share_is_one_object(library: Library) -> None:
    found = list(read_facts(library, names(library)).by_name.values())
    ours = [one for one in found if one.key.startswith("a,") and "E0/care" in one.key]
    assert len(ours) > 1
    for part in ("scenario", "faults"):
        assert len({id(getattr(one, part)) for one in ours}) == 1
    assert len({id(one.players["agent"]) for one in ours}) == 1
