"""Counts beside lists that are shorter."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

KITES = {
    "KT-1": {"wing": "delta", "grams": 90, "owner": "Ada"},
    "KT-2": {"wing": "box", "grams": 200, "owner": "Bo"},
    "KT-3": {"wing": "delta", "grams": 310, "owner": "Cy"},
    "KT-4": {"wing": "box", "grams": 120, "owner": "Di"},
}


def rows(*names: str) -> list[dict[str, Any]]:
    return [{"kite": one, "wing": KITES[one]["wing"]} for one in names]


def field(example: Any, about: str = "Kites that meet all filters.") -> Environment:
    tools = (tool("find_kites", about, wing={"type": "string"}, sporty={"type": "boolean"}, example=example),)
    return Environment(
        id="field",
        initial_state={"kites": KITES},
        system_prompt="You simulate.",
        state_description={},
        tools=tools,
    )


EXAMPLE = {"total": 2, "kites": rows("KT-1", "KT-4")}


def kites(total: int, *names: str, **asked: Any) -> Observed:
    return call("find_kites", {"total": total, "kites": rows(*names)}, **asked)


def missed(*calls: Observed, example: Any = EXAMPLE, **more: Any) -> list[str]:
    return [one for kind, _, one in found(*calls, of=field(example, **more)) if kind == "omission"]


def test_a_count_tells_that_a_row_is_left_out_under_a_filter_that_nobody_knows() -> None:
    assert missed(kites(2, "KT-1", "KT-2", sporty=True)) == []
    assert missed(kites(3, "KT-1", "KT-2", sporty=True)) == [""], "one of two"
    assert missed(kites(2, "KT-1", sporty=True, wing="delta")) == ["KT-3"], "the only one that is left"


def test_a_count_of_more_than_there_can_be_leaves_nothing_out() -> None:
    assert missed(kites(3, "KT-1", sporty=True, wing="delta")) == []


def test_what_does_not_count_the_rows_of_the_example_or_of_most_answers_is_no_count() -> None:
    assert missed(kites(3, "KT-1", sporty=True), example={**EXAMPLE, "total": 90}) == []
    assert missed(kites(3, "KT-1", sporty=True), example=None) == []
    whole = kites(4, "KT-1", sporty=False)
    assert missed(whole, kites(4, "KT-2", sporty=True)) == []


def test_who_shows_a_part_counts_the_whole() -> None:
    assert missed(kites(3, "KT-1", sporty=True), about="The first kites.") == []


def test_a_count_beside_a_list_that_picks_counts_what_it_shows() -> None:
    about = "Kites that are ready now."
    assert missed(kites(2, "KT-1", "KT-2", sporty=True), about=about) == []
    assert missed(kites(3, "KT-1", "KT-2", sporty=True), about=about) == [""]


def test_a_summary_beside_the_list_counts_it_too() -> None:
    def summed(total: int, *names: str) -> Any:
        return {"kites": rows(*names), "summary": {"kites": total, "grams": 500}}

    def answered(total: int, *names: str) -> list[str]:
        one = call("find_kites", summed(total, *names), sporty=True, wing="delta")
        return missed(one, example=summed(2, "KT-1", "KT-4"))

    assert answered(1, "KT-1") == []
    assert answered(2, "KT-1") == ["KT-3"]


def test_a_count_is_called_after_what_the_tool_is_called_after() -> None:
    tickets = {f"w-3{n}": {"kite": f"KT-{n}", "state": "waiting"} for n in (1, 2, 3)}
    shown = [{"ticket": "w-32", "kite": "KT-2"}, {"ticket": "w-31", "kite": "KT-1"}]
    of = Environment(
        id="field",
        initial_state={"tickets": tickets},
        system_prompt="You simulate.",
        state_description={},
        tools=(
            tool(
                "waiting_room", "Who waits.", over={"type": "integer"}, example={"waiting": 2, "queue": shown}
            ),
        ),
    )

    def left(waiting: int) -> list[tuple[str, str]]:
        said = call("waiting_room", {"waiting": waiting, "queue": shown}, over=15)
        return [(kind, one) for kind, _, one in found(said, of=of)]

    assert left(2) == []
    assert left(3) == [("omission", "w-33")]
