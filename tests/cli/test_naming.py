"""Names of new runs hold no secret, whether they are given or made from a file's name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.cli.test_import_ import transcripts

KEY = "sk-proj-" + "aB3dE6gH9" * 5


def names_below(folder: Path) -> str:
    return " ".join(str(path) for path in folder.rglob("*"))


@pytest.mark.parametrize(
    "arguments",
    [
        ("record", "--run", KEY),
        ("capture", "--run", KEY, "--", "true"),
        ("proxy", "--run", KEY),
        ("replay", "x", "--swap", "sim=twin", "--run", KEY),
        ("import", "transcript", "talk.jsonl", "--run", KEY),
        ("import", "har", "talk.jsonl", "--run", KEY),
        ("import", "vcr", "talk.jsonl", "--run", KEY),
        ("env", "serve", "--run", KEY),
    ],
    ids=lambda given: " ".join(given[:2]),
)
def test_a_name_with_a_key_in_it_is_refused_before_anything_is_written(
    call: Call, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "talk.jsonl").write_text("{}", encoding="utf-8")
    done = call(*arguments)
    assert done.code == 2
    assert "looks like a secret" in done.err
    assert KEY not in done.err + done.out + names_below(tmp_path)


def test_the_name_of_a_file_gives_a_run_no_key(call: Call, tmp_path: Path) -> None:
    (tmp_path / transcripts(tmp_path, "a")).rename(tmp_path / f"{KEY}.jsonl")
    done = call("import", "transcript", f"{KEY}.jsonl")
    assert done.code == 0, done.err
    library = tmp_path / "cassettes"
    assert library.is_dir()
    assert KEY not in names_below(library)
