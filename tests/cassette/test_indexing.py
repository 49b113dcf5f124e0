from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from replaylab.cassette.indexing import cassettes_of, sync_index
from tests.playground import only_cassette, record


def test_a_lost_index_is_made_again_and_says_the_same(tmp_path: Path) -> None:
    library, _ = record(tmp_path / "library")
    path = library.root / "index.db"

    def rows() -> dict[str, list[object]]:
        with contextlib.closing(sqlite3.connect(path)) as db:
            names = [name for (name,) in db.execute("select name from sqlite_master where type = 'table'")]
            return {name: list(db.execute(f'select * from "{name}"')) for name in sorted(names)}

    before = rows()
    assert len(before["cassettes"]) == 1
    path.unlink()
    sync_index(library)
    assert rows() == before
    assert only_cassette(library).exists()


def test_the_cassettes_of_a_kind_are_found_without_an_index_too(tmp_path: Path) -> None:
    library, _ = record(tmp_path / "library")
    (library.root / "index.db").unlink()
    assert cassettes_of(library, "trial") == [only_cassette(library).stem]
    assert cassettes_of(library, "judge") == []
