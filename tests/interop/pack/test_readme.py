from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from replaylab.cli.main import COMMANDS
from replaylab.engine.purge import plan_purge, purge
from replaylab.interop.pack.unpack import unpack
from replaylab.interop.pack.write import pack
from replaylab.store.library import Library
from tests.conftest import REPO


def readme(library: Library, tmp_path: Path, *, redact: bool = False) -> str:
    packed = pack(library, library.run("study")[0], tmp_path / "r.tar", redact=redact)
    return (unpack(packed.file, tmp_path / "there").folder / "README.md").read_text(encoding="utf-8")


def test_it_says_what_this_is_to_somebody_who_knows_nothing(library: Library, tmp_path: Path) -> None:
    text = readme(library, tmp_path)
    run_id, run = library.run("study")
    for word in (
        run_id,
        run.outcome,
        "2 planned, 2 recorded",
        "(1 passed, 1 failed",
        "recorded from live calls",
    ):
        assert word in text
    assert "All players are programs" in text
    assert "a program, not a language model" in text
    assert "Redacted" not in text
    assert "purged" not in text.lower()
    assert text.endswith("\n")
    assert max(map(len, text.splitlines())) < 160


def test_its_commands_work(library: Library, tmp_path: Path) -> None:
    text = readme(library, tmp_path)
    there = tmp_path / "there"
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    done = subprocess.run(
        ["sh", "-e", "-c", blocks[0]], cwd=there, capture_output=True, text=True, check=True
    )
    run_id = library.run("study")[0]
    assert done.stdout.splitlines()[0].startswith(f"{run_id}  objects/")
    assert done.stdout.splitlines()[-1] == run_id
    for command in re.findall(r"replaylab --library \. (\w+)", blocks[1]):
        assert command in COMMANDS


@pytest.mark.parametrize("redact", [True, False])
def test_what_is_not_whole_is_said(redact: bool, library: Library, tmp_path: Path) -> None:
    purge(
        library,
        plan_purge(library, next(iter(library.objects("cassette")))),
        "a `key`",
        "2026-01-01T00:00:00Z",
    )
    text = readme(library, tmp_path, redact=redact)
    assert ("## Redacted: what can't be checked" in text) == redact
    assert "`a ?key?`" in text
    assert "1 purged; they count neither way" in text


def test_what_nobody_recorded_says_so_in_its_first_lines(tmp_path: Path) -> None:
    library = Library(REPO / "cassettes")
    packed = pack(library, library.run("published-cases")[0], tmp_path / "p.tar")
    text = (unpack(packed.file, tmp_path / "there").folder / "README.md").read_text(encoding="utf-8")
    assert text.startswith("# published-cases: a benchmark run, authored\n\n**Authored, not recorded.**")
    assert "model was recorded when it was made" not in text
