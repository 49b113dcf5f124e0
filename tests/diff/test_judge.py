"""What a judge is asked about a contract check, and what its words can do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from replaylab.derive.verdict import derive
from replaylab.diff.judge import (
    GREY,
    RAISED,
    Question,
    apply,
    contract_text,
    judged,
    questions,
    read_word,
    refuse_partial,
    rule,
)
from replaylab.errors import UsageError
from replaylab.roles.chat import canonical_text
from replaylab.schema.cassette import Header
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import Action, Trajectory, Turn
from replaylab.schema.violation import THRESHOLD, Violation
from tests.derive.recording import header

RULE = "A gate that is stuck can't be opened by hand."
PROMPT = (
    f"You are a hall with gates. {RULE}\nKeep to  domain realism and professional standards in all you say."
)
ANSWER = {"error": "The gate G-1 is stuck today."}


def the_header() -> Header:
    environment = header().environment.model_copy(
        update={"system_prompt": PROMPT, "initial_state": {"gates": [{"id": "G-1", "stuck": True}]}}
    )
    return header().model_copy(update={"environment": environment})


def trajectory(arguments: Any = None, observation: Any = ANSWER) -> Trajectory:
    tool = header().environment.tools[0].name
    first = Action(call=0, id="a", tool=tool, arguments={}, observation={"seen": 1})
    second = Action(call=1, id="b", tool=tool, arguments=arguments or {"id": "G-1"}, observation=observation)
    return Trajectory(turns=(Turn(actions=(first, second)),), answer="", termination="answered")


def violation(**changed: Any) -> Violation:
    fields = {
        "kind": "rule_invention",
        "subkind": "outside_licence",
        "call": 1,
        "tool": header().environment.tools[0].name,
        "pointer": "/error",
        "observed": "The gate G-1 is stuck today.",
        "confidence": 0.4,
    } | changed
    return Violation.model_validate(fields)


def asked(*found: Violation, **how: Any) -> list[Question]:
    return list(questions(the_header(), trajectory(**how), found))


def question() -> Question:
    (one,) = asked(violation())
    return one


def vote(verdict: Any = "licensed", quote: Any = RULE, reason: Any = "so it is") -> str:
    return json.dumps({"verdict": verdict, "quote": quote, "reason": reason})


BROKEN = vote("violation", "is stuck today")


def outcome(*votes: str | None, **changed: Any) -> str:
    (one,) = asked(violation(**changed))
    return rule(one, votes, "judge").outcome


@pytest.mark.parametrize(
    ("changed", "sort"),
    [
        ({}, "rejection"),
        ({"subkind": "no_rule", "confidence": 0.65}, "rejection"),
        ({"confidence": GREY}, None),
        ({"subkind": "mutated_threshold"}, None),
        ({"subkind": "ungrounded_input"}, None),
        ({"kind": "contradiction"}, None),
        ({"kind": "omission", "subkind": "missing", "entity": "G-1"}, None),
        ({"kind": "fabrication", "subkind": "unknown", "observed": {"id": "G-3", "stuck": False}}, None),
        ({"kind": "fabrication", "subkind": "unknown", "observed": {"gate_name": "x", "stuck": False}}, None),
        ({"kind": "fabrication", "subkind": "counter_mismatch", "observed": {"note": "x"}}, None),
        (
            {"kind": "fabrication", "subkind": "unknown", "observed": {"note": "x", "stuck": False}},
            "nameless",
        ),
        ({"call": 7}, None),
    ],
)
def test_it_is_asked_about_refusals_and_things_without_ids_that_are_in_doubt(
    changed: dict[str, Any], sort: str | None
) -> None:
    assert [one.sort for one in asked(violation(**changed))] == ([sort] if sort else [])


@pytest.mark.parametrize(
    ("arguments", "sort"),
    [
        ({"want": "safe gates"}, "filter"),
        ({"want": "G-1"}, None),
        ({"least": 3}, None),
        ({"want": "room 7"}, None),
    ],
)
def test_it_is_asked_about_filters_in_words_and_about_no_ids_or_numbers(
    arguments: dict[str, Any], sort: str | None
) -> None:
    one = violation(kind="omission", subkind="missing", entity="G-1")
    assert [found.sort for found in asked(one, arguments=arguments)] == ([sort] if sort else [])


def test_the_question_holds_contract_history_and_case_and_not_what_the_check_thinks() -> None:
    one = question()
    system, contract, case = (message["content"] for message in one.messages)
    assert "The simulator refused the call" in system
    assert "The simulator left" not in system
    assert "The simulator shows" not in system
    assert RULE in contract
    assert '"seen":1' in case
    assert canonical_text(ANSWER) in case
    assert "outside_licence" not in f"{system}{contract}{case}"


def test_the_contract_is_given_in_plain_texts() -> None:
    text = contract_text(the_header().environment)
    assert PROMPT in text
    assert all(tool.name in text for tool in header().environment.tools)
    assert '{"gates":[{"id":"G-1","stuck":true}]}' in text
    assert header().task.instruction not in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (vote(), "licensed"),
        (f"Well.\n```json\n{vote()}\n```", "licensed"),
        (vote(quote="A gate that is\n   stuck can't be"), "licensed"),
        (vote(quote='"stuck":true}]'), "dropped"),  # two words
        (vote(quote="a gate that is stuck can't be opened by hand."), "dropped"),  # not as it stands
        (vote(quote="A gate that is stuck must not be opened."), "dropped"),
        (vote(quote=""), "dropped"),
        (vote(quote=None), "dropped"),
        (vote(quote="stuck"), "dropped"),
        (vote(quote="domain realism and professional standards"), "dropped"),
        (vote(quote="The gate G-1 is stuck today."), "dropped"),  # of the answer, not of the contract
        (vote("violation", "is stuck today"), "violation"),
        (vote("violation", "stuck today"), "dropped"),  # two words
        (vote("violation", "{"), "dropped"),
        (vote("violation", RULE), "dropped"),  # of the contract, not of the answer
        (vote("violation", ""), "dropped"),
        (vote("violation", "  "), "dropped"),
        (vote("unclear", ""), "unclear"),
        (vote("guilty"), "dropped"),
        (vote(True), "dropped"),
        ("licensed", "dropped"),
        ("", "dropped"),
        ("[]", "dropped"),
        (None, "dropped"),
    ],
)
def test_a_word_counts_with_a_verbatim_passage_only(text: str | None, says: str) -> None:
    word = read_word(text, question())
    assert word.says == says
    assert bool(word.why) is (says == "dropped")


def test_of_a_short_answer_all_of_its_words_are_a_passage() -> None:
    (one,) = asked(violation(observed="stuck"))
    assert read_word(vote("violation", "stuck"), one).says == "violation"


@pytest.mark.parametrize("around", ["{}", "{} in", "hand. {}"])
def test_the_clause_on_realism_licenses_nothing_with_a_word_more_around_it(around: str) -> None:
    clause = "domain realism and professional standards"
    said = question()
    contract = f"opened by hand. {said.contract} {around.format(clause)}"
    word = read_word(vote(quote=around.format(clause)), said._replace(contract=contract))
    assert word.why == "its quote allows realism in general and nothing in particular"


@pytest.mark.parametrize(
    ("votes", "becomes"),
    [
        ((BROKEN, BROKEN, BROKEN), "raised"),
        ((BROKEN, BROKEN, vote()), "raised"),
        ((BROKEN, BROKEN, None), "raised"),
        ((BROKEN, None, None), "open"),
        ((BROKEN, vote(), vote("unclear", "")), "open"),
        ((vote(), vote(), BROKEN), "cleared"),
        ((vote(), vote(quote="made up by me"), None), "open"),
        ((None, None, None), "open"),
        ((), "open"),
    ],
)
def test_more_than_half_of_all_votes_decide(votes: Sequence[str | None], becomes: str) -> None:
    assert outcome(*votes) == becomes


def test_what_counts_already_can_be_confirmed_or_cleared() -> None:
    assert outcome(BROKEN, BROKEN, BROKEN, confidence=0.65) == "confirmed"
    assert outcome(vote(), vote(), vote(), confidence=0.65) == "cleared"


def test_what_was_raised_counts_and_says_by_whom() -> None:
    one = rule(question(), (BROKEN, BROKEN, None), "claude").violation
    assert THRESHOLD <= one.confidence == RAISED < GREY
    assert "2 of 3 votes of the judge claude" in one.message
    assert one.id == violation().id


def test_what_was_cleared_says_with_which_passage() -> None:
    assert rule(question(), (vote(), vote(), vote()), "claude").violation.quote == RULE


def test_only_what_was_found_can_count_in_the_end() -> None:
    sure, doubtful, unsure, other = (
        violation(confidence=0.9, pointer="/a"),
        violation(confidence=0.6, pointer="/b"),
        violation(confidence=0.4, pointer="/c"),
        violation(confidence=0.4, pointer="/d"),
    )
    found = (sure, doubtful, unsure, other)
    texts = {"/b": vote(), "/c": BROKEN, "/d": vote("unclear", "")}
    rulings = judged(asked(*found), lambda one: [texts[one.violation.pointer]] * 3, "judge")
    assert [one.outcome for one in rulings] == ["cleared", "raised", "open"]
    assert [one.pointer for one in apply(found, rulings)] == ["/a", "/c"]
    assert apply((), rulings) == []
    assert apply(found, ()) == [sure, doubtful]


def test_nobody_judges_their_own_answers_under_any_alias() -> None:
    judge = ModelSettings(alias="judge", model="m-1")
    refuse_partial(judge, [ModelSettings(alias="sim", model="m-2")])
    for other in (ModelSettings(alias="judge", model="m-2"), ModelSettings(alias="sim", model="m-1")):
        with pytest.raises(UsageError, match="is a simulator that is checked"):
            refuse_partial(judge, [other])


def test_the_derived_trajectory_of_a_trial_is_what_questions_take() -> None:
    assert list(questions(the_header(), derive(the_header(), {}).trajectory, [violation()])) == []
