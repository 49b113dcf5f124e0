from __future__ import annotations

from replaylab.schema.difference import Answer, Row, TrialDiff
from replaylab.schema.violation import Violation


def answer(simulator: str, *, path: str = "", **others: object) -> Answer:
    return Answer.model_validate(
        {"simulator": simulator, "path": path or f"a,{simulator},v,E0/t/0/simulator#0", "observation": {}}
        | others
    )


def row(*answers: Answer | None, number: int = 0) -> Row:
    return Row(row=number, tool="look", arguments={}, calls=(0,) * len(answers), answers=answers)


def test_the_id_of_a_row_follows_from_the_paths_alone() -> None:
    assert row(answer("x"), answer("y")).id == row(answer("x", refused=True), answer("y"), number=7).id
    assert row(answer("x"), answer("y")).id != row(answer("x"), answer("z")).id


def test_a_side_without_the_call_is_no_part_of_the_id() -> None:
    assert row(answer("x"), None).id == row(None, answer("x")).id


def test_a_comparison_goes_through_json_unchanged() -> None:
    found = Violation(kind="omission", subkind="denial", call=0, tool="look", confidence=0.75)
    made = TrialDiff(
        task="t", scenario="s", environment="e", industry="i", faults="E0", manner="aligned",
        simulators=("x", "y"), keys=("k", "l"), cassettes=("c", "d"),
        rows=(row(answer("x", violations=(found.id,)), None),), first=0, violations=(found,),
    )  # fmt: skip
    assert TrialDiff.model_validate_json(made.model_dump_json()) == made


def test_a_lone_surrogate_in_a_path_has_a_name_too() -> None:
    assert row(answer("x", path="\ud800")).id != row(answer("x", path="\ud801")).id
