from __future__ import annotations

from pathlib import Path

from replaylab.store.library import Library
from tests.cli.conftest import Call


def test_it_prints_facts_and_both_snippets(call: Call, study: Path) -> None:
    ended = call("cite")
    run_id, run = Library(study).run("study")
    assert ended.code == 0
    for part in (
        run_id,
        run.outcome,
        "2 planned",
        "provenance 10 lanes recorded",
        "@misc{replaylab-",
        "cff-version",
    ):
        assert part in ended.out
    assert "Played by programs, not LLMs" in ended.out


def test_one_snippet_alone_is_what_the_document_has(call: Call, study: Path) -> None:
    assert study.is_dir()
    document = call("cite", "study", "--json").document
    assert call("cite", "study", "--bibtex").out == document["bibtex"]
    assert call("cite", "study", "--cff").out == document["cff"]
