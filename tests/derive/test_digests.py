from __future__ import annotations

import pytest

from replaylab.derive.digests import trajectory_digest, verdict_digest
from replaylab.schema.trajectory import Action, Trajectory, Turn, Verdict, Vote

ACTION = Action(call=0, id="a", tool="ping", arguments={"n": 1}, observation={"ok": True})
TURNS = (Turn(text="x", actions=(ACTION,)), Turn(text="Done."))
TRAJECTORY = Trajectory(turns=TURNS, answer="Done.", termination="answered")
VERDICT = Verdict(outcome="pass", votes=(Vote(vote=0, outcome="pass", reason="r"),), reason="1 pass")


@pytest.mark.parametrize(
    "other",
    [
        TRAJECTORY.model_copy(update={"answer": "Done"}),
        TRAJECTORY.model_copy(update={"termination": "step_limit"}),
        TRAJECTORY.model_copy(update={"turns": TURNS[:1]}),
        TRAJECTORY.model_copy(update={"turns": TURNS[::-1]}),
        Trajectory(
            turns=(Turn(text="x", actions=(ACTION.model_copy(update={"observation": None}),)), TURNS[1]),
            answer="Done.",
            termination="answered",
        ),
    ],
)
def test_every_part_of_a_trajectory_takes_part(other: Trajectory) -> None:
    assert trajectory_digest(other) != trajectory_digest(TRAJECTORY)


def test_whether_a_number_was_written_as_integer_takes_no_part() -> None:
    one, two = (
        TRAJECTORY.model_copy(
            update={"turns": (Turn(actions=(ACTION.model_copy(update={"arguments": {"n": n}}),)),)}
        )
        for n in (1, 1.0)
    )
    assert trajectory_digest(one) == trajectory_digest(two)


@pytest.mark.parametrize(
    "other",
    [
        VERDICT.model_copy(update={"outcome": "error"}),
        VERDICT.model_copy(update={"votes": ()}),
        VERDICT.model_copy(update={"votes": (Vote(vote=0, outcome="pass", reason="other"),)}),
        VERDICT.model_copy(update={"votes": (Vote(vote=0, outcome="pass", reason="r", asked=2),)}),
    ],
)
def test_every_part_of_a_verdict_takes_part(other: Verdict) -> None:
    assert verdict_digest(other) != verdict_digest(VERDICT)


def test_the_forms_are_fixed() -> None:
    assert trajectory_digest(TRAJECTORY)[:16] == "e14f38cd6daf2529"
    assert verdict_digest(VERDICT)[:16] == "c5181428a0e57eb2"
