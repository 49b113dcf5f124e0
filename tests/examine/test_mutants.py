from __future__ import annotations

from replaylab.examine.mutants import answer_mutants, extra_mutants, step_mutants, trivial_ways, wide_mutants
from tests.scenarios.play import SHIPPED

FOUND = SHIPPED.task("ed-sepsis-room")
PLAN = FOUND.task.plan.calls if FOUND.task.plan else ()
ANSWER = FOUND.task.plan.answer if FOUND.task.plan else ""


def test_every_step_is_dropped_doubled_swapped_and_given_each_wrong_argument() -> None:
    made = {
        kind: [one for one in step_mutants(FOUND) if one.kind == kind] for kind in ("drop", "double", "swap")
    }
    steps = list(range(len(PLAN)))
    assert [one.step for one in made["drop"]] == [one.step for one in made["double"]] == steps
    assert [one.step for one in made["swap"]] == steps[:-1]
    assert made["drop"][3].calls == (*PLAN[:3], *PLAN[4:])
    assert made["double"][3].calls == (*PLAN[:4], *PLAN[3:])
    assert made["swap"][3].calls == (*PLAN[:3], PLAN[4], PLAN[3], *PLAN[5:])
    argued = {(one.step, one.argument) for one in step_mutants(FOUND) if one.kind == "argument"}
    assert argued == {(step, name) for step, call in enumerate(PLAN) for name in call.arguments}


def test_no_mutant_is_the_plan_itself_and_all_come_again_the_same() -> None:
    for make in (step_mutants, wide_mutants, answer_mutants, extra_mutants):
        mutants = list(make(FOUND))
        assert mutants == list(make(FOUND))
        assert all((one.calls, one.answer) != (PLAN, ANSWER) or one.kind == "move" for one in mutants)


def test_an_answer_loses_each_sentence_and_has_each_number_changed() -> None:
    texts = {one.answer for one in answer_mutants(FOUND)}
    assert "" in texts
    assert ANSWER[ANSWER.index("P-118") :] in texts
    assert ANSWER.replace("acuity 2", "acuity 3") in texts


def test_agents_that_do_not_try_call_nothing_one_thing_or_each_tool_once() -> None:
    ways = {name: [call.tool for call in calls] for name, (calls, _) in trivial_ways(FOUND).items()}
    tools = [tool.name for tool in FOUND.environment.tools]
    assert list(ways.values()) == [[], [], [PLAN[0].tool], tools, tools]
