from __future__ import annotations

import pytest
from jsonschema import Draft202012Validator

from replaylab.builtin.grammar.moves import Moves
from replaylab.builtin.seeded.draw import Draw
from tests.builtin.grammar.worlds import FEW, world


@pytest.mark.parametrize("name", FEW)
def test_looks_are_answered_fit_their_schema_and_leave_no_trace(name: str) -> None:
    made = world(name)
    before = made.twin.state()
    looks = Moves(made.environment, made.known).reads(made.twin)
    assert made.twin.state() == before
    assert {look.tool for look in looks} == {
        tool.name for tool in made.environment.tools if tool.effect == "read"
    }
    for look in looks:
        tool = made.environment.tool(look.tool)
        assert tool is not None
        assert Draft202012Validator(tool.parameters).is_valid(look.arguments)
        assert "error" not in look.observation


@pytest.mark.parametrize("name", FEW)
def test_writes_change_the_state_and_the_twin_that_they_were_tried_on_stays(name: str) -> None:
    made = world(name)
    moves = Moves(made.environment, made.known)
    moves.reads(made.twin)
    before = made.twin.state()
    found = list(moves.writes(made.twin, Draw("x")))
    assert found
    assert len({move.tool for move, _ in found}) == len(found)
    assert all(after.state() != before for _, after in found)
    assert made.twin.state() == before


def test_a_draw_gives_the_same_moves_again_and_another_draw_others() -> None:
    made = world(FEW[1])

    def of(seed: str) -> list[object]:
        moves = Moves(made.environment, made.known)
        moves.reads(made.twin)
        return [move for move, _ in moves.writes(made.twin, Draw(seed))]

    assert of("a") == of("a")
    assert of("a") != of("b")
