"""Lists held against how the tool's example and earlier answers were selected."""

from __future__ import annotations

from collections import Counter

import pytest

from replaylab.schema.scenario import Environment
from tests.diff import domains, domains_held, domains_more
from tests.diff.dropping import dropped
from tests.diff.views import Domain, Examples
from tests.diff.ward import call, check, found, tool

DOMAINS = (*domains.DOMAINS, *domains_held.DOMAINS, *domains_more.DOMAINS)


@pytest.mark.parametrize("examples", ["true", "cut", "none"])
@pytest.mark.parametrize("domain", DOMAINS, ids=[one.name for one in DOMAINS])
def test_true_answers_are_not_accused(domain: Domain, examples: Examples) -> None:
    env = domain.environment(examples)
    for view in domain.views:
        for arguments in view.calls:
            said = call(view.name, view.answer(**arguments), **arguments)
            again = check(said, said, of=env).findings
            assert [(view.name, arguments, one.message) for one in again] == []


@pytest.mark.parametrize(("examples", "least"), [("true", 0.97), ("cut", 0.93), ("none", 0.85)])
def test_what_is_left_out_of_a_filtered_list_is_found(examples: Examples, least: float) -> None:
    seen: Counter[bool] = Counter()
    for domain in DOMAINS:
        env = domain.environment(examples)
        for view in domain.views:
            for arguments in view.calls:
                for one in dropped(view.answer(**arguments)):
                    report = check(call(view.name, one.answer, **arguments), of=env)
                    kinds = {violation.kind for violation in report.findings}
                    assert kinds <= {"omission"}, (view.name, arguments, one, report.findings)
                    seen[bool(kinds)] += 1
    assert seen[True] / seen.total() >= least, seen


HUTS = [
    {"hut": "HU-1", "valley": "Ost", "beds": 8},
    {"hut": "HU-2", "valley": "Ost", "beds": 4},
    {"hut": "HU-3", "valley": "West", "beds": 6},
    {"hut": "HU-4", "valley": "West", "beds": 2},
]


def alps(*, example: bool = True) -> Environment:
    shown = {"region": "West", "places": [{"code": one["hut"], "beds": one["beds"]} for one in HUTS[2:]]}
    tools = (
        tool("get_region", "Shows a region.", "region", example=shown if example else None),
        tool("close_hut", "Closes a hut.", "hut", effect="write"),
        tool("clear_region", "Closes all that is in a region.", "region", effect="write"),
        tool("paint_hut", "Paints a hut.", "hut", "colour", effect="write"),
    )
    state = {"huts": HUTS}
    return Environment(
        id="alps", initial_state=state, system_prompt="You simulate.", state_description={}, tools=tools
    )


def region(*huts: str) -> object:
    rows = [{"code": one["hut"], "beds": one["beds"]} for one in HUTS if one["hut"] in huts]
    return call("get_region", {"region": "Ost", "places": rows}, region="Ost")


def gone(*calls: object, example: bool = True) -> list[str]:
    said = found(*calls, of=alps(example=example))  # type: ignore[arg-type]
    assert {kind for kind, _, _ in said} <= {"omission"}
    return sorted(entity for _, _, entity in said)


def test_an_example_teaches_how_a_list_comes_about() -> None:
    assert gone(region("HU-1", "HU-2")) == []
    assert gone(region("HU-2")) == ["HU-1"]
    assert gone(region()) == ["HU-1", "HU-2"]
    assert gone(region(), example=False) == [], "nothing says what these places are"


def test_what_is_expected_is_shown_as_the_state_has_it() -> None:
    findings = check(region("HU-1"), of=alps()).findings  # type: ignore[arg-type]
    assert [one.expected for one in findings] == [HUTS[1]]


def test_an_earlier_answer_teaches_as_well() -> None:
    west = [{"code": one["hut"], "beds": one["beds"]} for one in HUTS[2:]]
    before = call("get_region", {"region": "West", "places": west}, region="West")
    assert gone(before, region(), example=False) == ["HU-1", "HU-2"]


def test_what_a_call_may_have_taken_out_is_not_missed() -> None:
    done = {"status": "success"}
    assert gone(call("close_hut", done, hut="HU-1"), region("HU-2")) == []
    assert gone(call("close_hut", done, hut="HU-2"), region("HU-2")) == ["HU-1"]
    assert gone(call("clear_region", done, region="Ost"), region()) == []


def test_a_call_that_is_done_with_another_record_takes_nothing_out() -> None:
    painted = call("paint_hut", {"status": "success"}, hut="HU-3", colour="red")
    assert gone(painted, region("HU-1")) == ["HU-2"]
