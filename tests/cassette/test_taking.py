from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from replaylab.canonical import loads
from replaylab.cassette.stored import cassette_row, open_cassette
from replaylab.cassette.taking import Wanted, take
from replaylab.errors import StoreError
from replaylab.score.derive_facts import facts_of, facts_text
from replaylab.score.facts import CassetteFacts
from replaylab.store.library import Library
from tests.engine.forging import Row, forged
from tests.score.written import EVERYTHING, cast, write


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return write(tmp_path / "library", "study", EVERYTHING[:1], cast("a"))


def name_of(library: Library) -> str:
    (name,) = library.objects("cassette")
    return name


def test_what_is_wanted_of_a_cassette_is_taken_and_nothing_else(library: Library) -> None:
    name = name_of(library)
    cassette = open_cassette(library, name)
    both = take(library, facts_text, Wanted(name, row=True, value=True))
    assert both.row == cassette_row(cassette)
    assert CassetteFacts.model_validate(loads(both.value)) == facts_of(cassette)
    assert (take(library, facts_text, Wanted(name, row=True, value=False)).value, both.problem) == ("", "")
    assert take(library, facts_text, Wanted(name, row=False, value=True)) == both._replace(row=None)


def test_damage_of_a_cassette_whose_facts_nobody_wants_is_told_and_not_raised(library: Library) -> None:
    name = library.put(b"no cassette", "cassette")
    taken = take(library, facts_text, Wanted(name, row=True, value=False))
    assert (taken.row, str(library.path(name, "cassette")) in taken.problem) == (None, True)
    with pytest.raises(StoreError, match="not a zstd file"):
        take(library, facts_text, Wanted(name, row=True, value=True))


def test_a_forged_cassette_whose_content_does_not_hang_together_is_damage_of_that_file(
    library: Library,
) -> None:
    def rename(rows: list[Row]) -> None:
        rows[0]["subject"]["condition"] = "no condition"

    name = library.put(forged(library.get(name_of(library), "cassette"), rename), "cassette")
    with pytest.raises(StoreError, match="does not hang together") as caught:
        take(library, facts_text, Wanted(name, row=False, value=True))
    assert caught.value.where == str(library.path(name, "cassette"))


def test_a_process_that_reads_cassettes_loads_no_database_and_no_network_client() -> None:
    code = "import sys, replaylab.cassette.taking, replaylab.score.derive_facts; print(*sorted({name.partition('.')[0] for name in sys.modules}))"
    repo = Path(__file__).resolve().parents[2]
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=repo, check=True, capture_output=True, text=True
    ).stdout
    assert not {"sqlite_utils", "openai", "httpx2", "scipy", "numpy", "pandas", "rich"} & set(loaded.split())
