"""A finding as lines of text."""

from __future__ import annotations

import pytest

from replaylab.report.violation_text import violation_lines
from replaylab.schema.violation import Violation


def test_the_places_of_a_finding_are_named_where_there_is_room() -> None:
    one = Violation(
        kind="fabrication",
        subkind="sibling",
        call=0,
        tool="list_gates",
        pointer="/gates/0",
        contract="/initial_state/gates",
        confidence=0.9,
    )
    place = "  places   observation /gates/0; contract /initial_state/gates"
    assert place in [part.text for part in violation_lines(one, 100, roomy=True)]
    assert place not in [part.text for part in violation_lines(one, 100)]


@pytest.mark.parametrize("width", [40, 60, 100])
def test_the_path_of_a_trial_is_never_cut(width: int) -> None:
    path = f"an-agent,a-simulator,none,E0/{'a-task-with-a-long-name-' * 6}0/0/simulator#0"
    one = Violation(kind="fabrication", subkind="sibling", call=0, tool="t", path=path, confidence=0.9)
    told = "".join(part.text.strip() for part in violation_lines(one, width, roomy=True))
    assert path in told
