from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.diff_collect import Collected
from replaylab.report.diff_finding import Found, Ids, finding_html, short_html
from replaylab.schema.violation import Violation
from tests.report.compared import CONTRACT, compared, small, violation
from tests.report.test_excerpt import read


def found(number: int) -> Found:
    """One of the four violations of the small comparison."""
    return Collected(small()[0], 99).violations[number]


def shown(number: int, contract: bool = True) -> str:
    page = finding_html(found(number), CONTRACT if contract else None, 1_000, "row")
    return read(page.replace("<details", "<section", 1)[::-1].replace("sliated", "noitces", 1)[::-1]).shown


def test_a_finding_says_what_where_and_what_stands_against_it() -> None:
    said = shown(0)
    for words in (
        "left out Raj is left out",
        "the task's checks depend on it",
        "get_roster, call 0, at /people",
        "agent,gemini,judge,E0/first/0/simulator#0",
        "The contract says at /initial_state/people/Raj",
        '"Raj": {"tier": 2}',
        "⊖ left out: Raj",
        "Held against the contract of the environment; omission, missing; confidence 0.90.",
    ):
        assert words in said, words


def test_the_sentence_of_a_contract_stands_in_its_place_there() -> None:
    page = finding_html(found(1), CONTRACT, 1_000)
    assert (
        '- </span><mark>Realism: dynamics follow hospital practice.</mark><span class="around">\n- Hide'
        in page
    )
    assert "licence: only a sentence that allows realism in general" in page
    alone = finding_html(found(1), None, 1_000)
    assert "<mark>Realism: dynamics follow hospital practice.</mark>" in alone


def test_an_instruction_is_called_one() -> None:
    assert "The instruction says at /instruction" in shown(2)
    assert "The ward is at maximum capacity today." in shown(2)


def test_the_one_who_is_accused_stands_first_and_the_other_beside_it() -> None:
    page = finding_html(found(1), CONTRACT, 1_000)
    assert re.findall(r'class="(side[ \w]*)" aria-label="(\w+) said"', page) == [
        ("side accused", "gpt"),
        ("side", "gemini"),
    ]


def test_a_finding_without_a_row_shows_what_it_observed_itself() -> None:
    lost = violation("fabrication", call=77, path="", entity="R3", observed={"id": "R3"})
    trial = compared("t", [[1], [1]], [lost])
    page = finding_html(Found(lost, "x", trial, 0, -1, 0), None, 1_000)
    assert "<mark>{&quot;id&quot;: &quot;R3&quot;}</mark>" in page
    assert "t, never recorded" in page


def test_where_the_contract_says_nothing_that_is_said() -> None:
    one = violation("rule_invention", observed="no", pointer="/error")
    page = finding_html(Found(one, "x", compared("t", [["no"], ["yes"]], [one]), 0, 0, 0), CONTRACT, 1_000)
    assert "Nothing: no sentence of the contract, and no value of the state, carries this refusal." in page


def test_filters_read_what_the_finding_is() -> None:
    for page in (finding_html(found(0), None, 9), short_html(found(0))):
        assert re.findall(r'data-([a-z]+)="([^"]*)"', page) == [
            ("kind", "omission"),
            ("subkind", "missing"),
            ("tool", "get_roster"),
            ("simulator", "gemini"),
            ("task", "first"),
            ("against", "contract"),
            ("confidence", "0.9"),
            ("depends", "yes"),
        ]


@given(st.text(), st.text(), st.text())
def test_any_text_is_escaped_and_has_an_id(name: str, words: str, where: str) -> None:
    one = Violation(
        kind="fabrication",
        subkind=name,
        simulator=name,
        path=where,
        call=0,
        tool=name,
        pointer=where,
        contract=where,
        entity=words,
        quote=words,
        message=words,
        observed=words,
        confidence=0.5,
    )
    trial = compared(name, [[{"a": words}], [words]], [one])
    assert re.fullmatch("[0-9a-f]{12}", one.id)
    read(finding_html(Found(one, one.id, trial, 0, 0, 0), {"system_prompt": words}, 50))


def test_surrogates_do_not_make_two_findings_one() -> None:
    ids = {violation("fabrication", entity=one).id for one in ("\ud800", "\ud801", "a")}
    assert len(ids) == 3


def test_an_id_that_is_taken_gets_a_number() -> None:
    ids = Ids()
    assert [ids.take("a"), ids.take("b"), ids.take("a"), ids.take("a")] == ["a", "b", "a-2", "a-3"]
