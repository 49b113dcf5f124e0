"""The index is derived: whatever happens to it, it is built again, and it never decides anything."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.canonical import Digest, digest, digest_bytes
from replaylab.errors import StoreError
from replaylab.schema.run import LedgerEntry, Run, Try
from replaylab.store import index as module
from replaylab.store.index import Entry, Index
from replaylab.store.library import Library
from replaylab.store.rows import CassetteRow

MakeRun = Callable[..., Run]
Child = Callable[..., subprocess.Popen[str]]
KEY = "a%2Fb,twin,rubric,E0/task/{}"


def row(name: Digest) -> CassetteRow:
    return CassetteRow(
        kind="trial", condition="a%2Fb,twin,rubric,E0", task="task", trial=0, attempt=0, scenario="s", industry="i",
        domain="d", termination="answered", verdict="pass", created="2026-01-01T00:00:00Z", calls=7, attempts=8,
        prompt_tokens=int(name[:4], 16), completion_tokens=2, cached_tokens=1, reasoning_tokens=0, outcome=name,
    )  # fmt: skip


@pytest.fixture
def fill(library: Library, make_run: MakeRun) -> Callable[..., list[Digest]]:
    """Store a run of so many recorded trials and one missing; the cassettes."""

    def fill(count: int, name: str = "demo") -> list[Digest]:
        names = [library.put(b"%s %d" % (name.encode(), n), "cassette") for n in range(count)]
        ledger = [LedgerEntry(key=KEY.format(count), status="missing")]
        for n, cassette in enumerate(names):
            one = Try(cassette=cassette, outcome=cassette, verdict="pass", termination="answered")
            ledger.append(LedgerEntry(key=KEY.format(n), status="recorded", tries=(one,)))
        library.set_ref(name, library.put_run(make_run(name, ledger=tuple(ledger))))
        return names

    return fill


Fill = Callable[..., list[Digest]]


def dump(index: Index) -> dict[str, list[tuple[object, ...]]]:
    tables = ("cassettes", "runs", "trials", "meta")
    return {t: sorted((tuple(r.values()) for r in index.db.table(t).rows), key=repr) for t in tables}


def fill_up(folder: Path) -> None:
    with (folder / "ballast").open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(b"b" * 4096)


def synced(library: Library) -> Index:
    index = Index.open(library)
    assert index.sync(row).reason == ""
    return index


def test_a_sync_asks_once_for_each_cassette_and_fills_the_tables(library: Library, fill: Fill) -> None:
    names, asked = fill(150), []

    def ask(name: Digest) -> CassetteRow:
        asked.append(name)
        return row(name)

    index = Index.open(library)
    assert index.state == "missing"
    assert index.sync(ask) == ("missing", 150, 0, "")
    assert asked == sorted(names)
    [run] = index.db["runs"].rows
    assert run == {
        "name": "demo",
        "run": library.ref("demo"),
        "created": "2026-01-01T00:00:00Z",
        "mode": "run",
        "trials": 151,
        "recorded": 150,
        "error": 0,
        "missing": 1,
        "outcome": digest("demo"),
    }
    [trial] = index.db["trials"].rows_where("trial = 3")
    assert (trial["agent"], trial["simulator"], trial["verifier"], trial["faults"]) == (
        "a/b",
        "twin",
        "rubric",
        "E0",
    )
    assert (trial["cassette"], trial["verdict"], trial["industry"], trial["calls"]) == (
        names[3],
        "pass",
        "i",
        7,
    )
    assert trial["prompt_tokens"] == int(names[3][:4], 16)
    [missing] = index.db["trials"].rows_where("status = 'missing'")
    assert missing["cassette"] is None
    assert Index.open(library).state == "fresh"
    assert not list(library.root.glob("index.db?*"))


def test_a_fresh_index_asks_for_nothing(library: Library, fill: Fill) -> None:
    fill(3)
    synced(library)

    def refuse(name: Digest) -> CassetteRow:
        raise AssertionError(name)

    assert Index.open(library).sync(refuse) == ("fresh", 0, 0, "")


def test_only_new_cassettes_are_asked_for_and_gone_ones_go(library: Library, fill: Fill) -> None:
    old = fill(3)
    synced(library).keep([(old[0], "p", "k", 1), (old[1], "p", "k", 2)])
    new = fill(2, "more")
    library.path(old[0], "cassette").unlink()
    asked = []
    index = Index.open(library)
    assert index.state == "stale"
    assert index.sync(lambda name: (asked.append(name), row(name))[1]) == ("stale", 2, 1, "")  # type: ignore[func-returns-value]
    assert asked == sorted(new)
    again = Index.open(library)
    assert (again.derived(old[0], "p", "k"), again.derived(old[1], "p", "k")) == (None, 2)
    assert [r["name"] for r in again.db["runs"].rows] == ["demo", "more"]


def test_a_moved_reference_and_a_swapped_object_make_it_stale(
    library: Library, fill: Fill, make_run: MakeRun
) -> None:
    names = fill(2)
    synced(library)
    library.set_ref("demo", library.put_run(make_run("demo", "2026-05-05T00:00:00Z")))
    assert Index.open(library).state == "stale"
    synced(library)
    library.path(names[0], "cassette").unlink()
    library.put(b"other", "cassette")
    assert Index.open(library).state == "stale"


def test_an_index_built_in_steps_equals_one_built_anew(library: Library, fill: Fill) -> None:
    for name in ("one", "two", "three"):
        fill(3, name)
        synced(library)
    stepwise = dump(Index.open(library))
    (library.root / "index.db").unlink()
    assert dump(synced(library)) == stepwise


BREAK: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "text": lambda data: b"not a database at all" * 100,
    "truncated": lambda data: data[: len(data) // 2],
    "zeros": lambda data: bytes(len(data)),
    "pages": lambda data: data[:4096] + b"\xff" * (len(data) - 4096),
    "header": lambda data: b"X" + data[1:],
}


@pytest.mark.parametrize("how", BREAK)
def test_a_corrupt_index_is_built_again(library: Library, fill: Fill, how: str) -> None:
    fill(3)
    before = dump(synced(library))
    path = library.root / "index.db"
    path.write_bytes(BREAK[how](path.read_bytes()))
    index = Index.open(library)
    assert index.state == "corrupt"
    assert index.sync(row) == ("corrupt", 3, 0, "")
    assert dump(Index.open(library)) == before


def test_an_index_with_other_columns_is_built_again(library: Library, fill: Fill) -> None:
    fill(2)
    before = dump(synced(library))
    with sqlite3.connect(library.root / "index.db") as conn:
        conn.execute("DROP TABLE meta")
        conn.execute("CREATE TABLE meta (x)")
    conn.close()
    index = Index.open(library)
    assert index.state == "corrupt"
    assert index.sync(row).added == 2
    assert dump(Index.open(library)) == before


def test_a_damaged_cache_is_empty_and_the_rest_of_the_index_stays(library: Library, fill: Fill) -> None:
    names = fill(40)
    values = [(name, "p/1", "k", {"marker": "AAAA" * 300}) for name in names]
    assert synced(library).keep(values) == ""
    path = library.root / "index.db"
    data, page = bytearray(path.read_bytes()), 4096
    holding = [at for at in range(0, len(data), page) if b"AAAAAAAA" in data[at : at + page]]
    for at in holding:
        data[at : at + page] = b"\xff" * page
    path.write_bytes(data)

    index = Index.open(library)
    assert index.state == "fresh"
    assert list(index.cached("p/1", "k", names)) == []
    assert index.keep(values[:1]) == ""
    again = Index.open(library)
    assert again.derived(names[0], "p/1", "k") == values[0][3]
    assert again.derived(names[1], "p/1", "k") is None
    assert again.db["cassettes"].count == len(names)


@pytest.mark.parametrize("version", [1, 99, -1])
def test_an_index_of_another_schema_is_built_again(library: Library, fill: Fill, version: int) -> None:
    fill(2)
    synced(library)
    conn = sqlite3.connect(library.root / "index.db")
    conn.execute(f"PRAGMA user_version = {version}")
    conn.commit()
    conn.close()
    index = Index.open(library)
    assert index.state == "old"
    assert index.sync(row).added == 2
    assert Index.open(library).state == "fresh"


def test_a_flipped_byte_in_a_cached_value_is_a_miss_and_no_wrong_value(library: Library, fill: Fill) -> None:
    [name] = fill(1)
    synced(library).keep([(name, "parser/1", "trajectory", {"marker": "AAAA" * 20})])
    assert Index.open(library).derived(name, "parser/1", "trajectory") == {"marker": "AAAA" * 20}
    path = library.root / "index.db"
    path.write_bytes(path.read_bytes().replace(b"AAAA", b"AAAB"))
    assert Index.open(library).derived(name, "parser/1", "trajectory") is None


def test_a_cached_value_belongs_to_one_cassette_parser_and_kind(library: Library, fill: Fill) -> None:
    one, two = fill(2)
    index = synced(library)
    assert index.keep([(one, "p/1", "k", [1, None, "x"]), (one, "p/1", "k", 2)]) == ""
    assert index.derived(one, "p/1", "k") == 2
    for key in ((two, "p/1", "k"), (one, "p/2", "k"), (one, "p/1", "l")):
        assert index.derived(*key) is None


def test_a_read_only_library_has_an_index_in_memory_and_says_why_it_is_not_saved(
    library: Library, fill: Fill, freeze: Callable[[Path], None]
) -> None:
    fill(3)
    freeze(library.root)
    index = Index.open(library)
    done = index.sync(row)
    assert (done.added, index.db["cassettes"].count) == (3, 3)
    assert "read-only" in done.reason
    assert "read-only" in index.keep([("c", "p", "k", 1)])
    assert index.derived("c", "p", "k") == 1


def test_a_saved_index_is_read_from_read_only_media(
    library: Library, fill: Fill, freeze: Callable[[Path], None]
) -> None:
    fill(3)
    synced(library)
    freeze(library.root)
    index = Index.open(library)
    assert index.state == "fresh"
    assert index.db["trials"].count == 4


def test_a_full_disk_keeps_the_old_index_and_the_new_one_works(small_disk: Path) -> None:
    library = Library(small_disk / "lib")
    library.put(b"x", "cassette")
    synced(library)
    before = (library.root / "index.db").read_bytes()
    library.put(b"y", "cassette")
    fill_up(small_disk)
    index = Index.open(library)
    done = index.sync(row)
    assert "disk is full" in done.reason
    assert index.db["cassettes"].count == 2
    assert (library.root / "index.db").read_bytes() == before


def test_an_error_about_a_cassette_goes_through_and_nothing_is_saved(library: Library, fill: Fill) -> None:
    fill(3)

    def fail(name: Digest) -> CassetteRow:
        raise StoreError("damaged", where=name)

    index = Index.open(library)
    with pytest.raises(StoreError, match="damaged"):
        index.sync(fail)
    assert not (library.root / "index.db").exists()
    assert index.state == "missing"
    assert index.sync(row).added == 3


def test_a_damaged_run_object_is_an_error_of_the_library(library: Library, fill: Fill) -> None:
    fill(1)
    run_id = library.ref("demo")
    assert run_id is not None
    library.path(run_id, "run").write_bytes(b"{}")
    with pytest.raises(StoreError, match="is damaged"):
        Index.open(library).sync(row)


def test_an_open_index_is_not_disturbed_by_another_that_replaces_it(library: Library, fill: Fill) -> None:
    [name] = fill(1)
    first = synced(library)
    reader = Index.open(library)
    fill(4, "more")
    second = synced(library)
    assert reader.db["cassettes"].count == 1
    assert second.db["cassettes"].count == 5
    first.keep([(name, "p", "k", 1)])
    assert Index.open(library).state == "stale"


def test_a_path_with_spaces_and_marks_works(tmp_path: Path) -> None:
    library = Library(tmp_path / "50% of? #1 ü")
    library.put(b"x", "cassette")
    synced(library)
    assert Index.open(library).state == "fresh"


def test_sqlite_utils_sees_the_tables_with_their_keys(library: Library) -> None:
    tables = Index.open(library).db
    assert tables.table("derived").pks == ["cassette", "parser", "kind"]
    assert tables.table("cassettes").pks == ["cassette"]
    assert tables["cassettes"].columns_dict["calls"] is int
    assert tables["meta"].columns_dict == {"key": str, "value": str}


SYNC = """
import sys
sys.path.insert(0, "tests/store")
from pathlib import Path
from test_index import Index, Library, row
for n in range(25):
    library = Library(Path(sys.argv[1]))
    library.put(f"{sys.argv[2]} {n}".encode(), "cassette")
    index = Index.open(library)
    assert index.sync(row).reason == ""
    assert index.keep([(index.library.root.name, "p", sys.argv[2], n)]) == ""
    assert index.derived(library.root.name, "p", sys.argv[2]) == n
    index.close()
loaded = {"sqlite_utils", "pandas", "numpy"} & set(sys.modules)
assert not loaded, loaded
"""


def test_two_processes_at_once_leave_a_sound_index_and_load_nothing_heavy(
    library: Library, child: Child
) -> None:
    pair = [child(SYNC, str(library.root), name) for name in ("one", "two")]
    for process in pair:
        output = process.communicate()
        assert process.returncode == 0, output
    index = Index.open(library)
    assert index.state in {"fresh", "stale"}
    index.sync(row)
    assert {r["cassette"] for r in index.db["cassettes"].rows} == {
        digest_bytes(f"{name} {n}".encode()) for name in ("one", "two") for n in range(25)
    }
    assert [path.name for path in library.root.glob("*index*")] == ["index.db"]


def test_values_kept_in_an_index_that_is_out_of_step_are_not_saved(library: Library, fill: Fill) -> None:
    [name] = fill(1)
    index = Index.open(library)
    assert "not in step" in index.keep([(name, "p", "k", 1)])
    assert (index.derived(name, "p", "k"), index.state) == (1, "missing")
    assert not (library.root / "index.db").exists()


def test_rows_and_values_of_one_pass_are_written_together(library: Library, fill: Fill) -> None:
    names = sorted(fill(3))
    index = Index.open(library)
    pending = index.pending()
    assert (pending.added, pending.removed) == (tuple(names), ())
    done = index.update(
        pending, (Entry(name, row(name), ("p", "k", f"[{n}]")) for n, name in enumerate(names))
    )
    assert done == ("missing", 3, 0, "")
    again = Index.open(library)
    assert again.state == "fresh"
    assert dict(again.cached("p", "k", names)) == {name: f"[{n}]" for n, name in enumerate(names)}
    assert again.db["trials"].count == 4


def test_an_index_that_lacks_a_row_still_is_used_and_not_saved(library: Library, fill: Fill) -> None:
    names = sorted(fill(3))
    index = Index.open(library)
    done = index.update(index.pending(), [Entry(name, row(name), ("p", "k", "1")) for name in names[:2]])
    assert (done.added, done.reason) == (2, "the index is not in step with the library")
    assert [name for name, _ in index.cached("p", "k", names)] == names[:2]
    assert not (library.root / "index.db").exists()
    assert index.pending().added == (names[2],)


@pytest.mark.parametrize("many", [1, 1000])  # in one pass, and name by name
def test_the_cache_gives_what_is_sound_of_what_is_asked_for(
    library: Library, fill: Fill, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(module, "MANY", many)
    one, two, three = fill(3)
    index = synced(library)
    index.keep([(one, "p", "k", "a"), (two, "p", "k", "b"), (three, "p", "other", "c")])
    index.db.execute("UPDATE derived SET value = ? WHERE cassette = ?", ['"forged"', two])
    assert list(index.cached("p", "k", [three, two, one])) == [(one, '"a"')]


def test_a_pass_over_the_cache_that_breaks_off_is_made_up_for_name_by_name(
    library: Library, fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MANY", 1)
    names = fill(9)
    index = synced(library)
    index.keep([(name, "p", "k", name) for name in names])
    # A text that is none of UTF-8 can't be read: the pass ends there, and what stands behind it is still given.
    index.db.execute("UPDATE derived SET value = CAST(x'ff' AS TEXT) WHERE cassette = ?", [names[4]])
    assert [name for name, _ in index.cached("p", "k", names)] == [*names[:4], *names[5:]]


def test_an_index_makes_no_library_where_there_is_none(tmp_path: Path) -> None:
    index = Index.open(Library(tmp_path / "nothing"))
    index.update(index.pending(), [])
    assert (index.state, index.keep([])) == ("fresh", "")
    assert not (tmp_path / "nothing").exists()


def test_a_library_in_a_folder_whose_name_is_no_utf_8_has_an_index(tmp_path: Path, make_run: MakeRun) -> None:
    library = Library(Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9")))
    library.set_ref("demo", library.put_run(make_run("demo")))
    assert Index.open(library).sync(row).state == "missing"
    assert Index.open(library).state == "fresh"
