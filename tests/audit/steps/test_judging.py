from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.audit.honest import AGENTS, audited, recorded
from tests.engine.test_swap import swap
from tests.playground import reply, responder

SMALL: dict[str, Any] = {"tasks": ("ed-sepsis-room",), "faults": ("E0",), "trials": 1}


def test_the_votes_are_counted_and_nobody_compared_them_with_people(tmp_path: Path) -> None:
    found = audited(recorded(tmp_path / "library", **SMALL))[15]
    assert found.outcome == "warn"
    assert "4 votes on 2 trials: 0 trials split, 0 tied, 0 votes without a valid answer" in found.evidence
    assert any("people" in line for line in found.evidence)


def test_another_judge_that_turns_verdicts_is_a_warning(tmp_path: Path) -> None:
    library = recorded(tmp_path / "library", **SMALL)
    assert audited(library)[16].outcome == "not_checkable"

    def against(path: str, body: bytes) -> Any:
        return (
            reply('{"is_correct": false, "feedback": "no"}')
            if b'"harsh"' in body
            else responder().respond(path, body)
        )

    swap(library, "verifier", "harsh", respond=against)
    found = audited(library)[16]
    assert found.outcome == "warn", found
    assert any(f"of {len(AGENTS)} verdicts come out otherwise" in line for line in found.evidence)
