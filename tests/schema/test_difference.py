from __future__ import annotations

from replaylab.schema.difference import Answer, Row


def row(*paths: str) -> Row:
    answers = tuple(Answer(simulator="s", path=path, observation=None) for path in paths)
    return Row(row=0, tool="t", arguments={}, calls=(0,) * len(paths), answers=answers)


def test_a_row_is_named_by_its_answers_alone() -> None:
    assert row("a", "b").id == row("a", "b").model_copy(update={"row": 7, "tool": "u"}).id
    assert len({row("a", "b").id, row("b", "a").id, row("a").id}) == 3


def test_a_lone_surrogate_in_a_path_has_a_name_too() -> None:
    assert row("\ud800").id != row("\ud801").id
