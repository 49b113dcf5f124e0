"""Items of a closed collection that the state does not hold."""

from __future__ import annotations

from typing import Any

from tests.diff.ward import TOOLS, call, found, patients, task, tool, ward


def with_more(**row: Any) -> dict[str, Any]:
    rows = patients()["patients"]
    return {"patients": [*rows, row]}


def test_one_more_of_the_family_is_a_sibling() -> None:
    said = found(call("list_patients", with_more(patient_id="P-309", name="Una Quell", bed="B7")))
    assert said == [("fabrication", "sibling", "P-309")]


def test_who_was_admitted_is_known() -> None:
    came = call("admit_patient", {"patient_id": "P-309"}, name="Una Quell")
    assert found(came, call("list_patients", with_more(patient_id="P-309", name="Una Quell", bed="B7"))) == []


def test_a_known_name_with_more_to_it_is_another_thing_beside_itself() -> None:
    assert found(call("list_patients", with_more(patient_id="P-101 Annex"))) != []


def test_a_placeholder_is_no_thing() -> None:
    assert found(call("list_patients", with_more(patient_id="none"))) == []


def test_rows_that_are_only_numbered_are_no_members() -> None:
    slots = [{"slot": at, "use": who} for at, who in enumerate(("P-101", "P-102", "free", "free"), start=1)]
    assert [one for one in found(call("list_patients", {"slots": slots})) if one[0] == "fabrication"] == []


def test_a_write_may_number_what_it_made_on() -> None:
    state = {"bills": [{"bill": f"BI-{number}", "due": "Monday"} for number in (3, 4, 5)]}
    of = ward(state=state, tools=(*TOOLS, tool("admit_visitor", "Lets one in.", effect="write")))
    assert found(call("admit_visitor", {"bills": ["BI-6", "BI-7"]}), of=of) == []
    assert found(call("admit_visitor", {"bills": ["BI-2", "BI-4"]}), of=of) == [
        ("fabrication", "sibling", "BI-2")
    ]
    assert found(call("get_status", {"bills": ["BI-4", "BI-6"]}), of=of) != []


def test_the_instruction_knows_a_name_that_it_has_whole() -> None:
    shown = call("list_patients", with_more(patient_id="P-101A", name="Una Quell"))
    assert found(shown, asked=task("Look after P-101 and the others.")) == [
        ("fabrication", "near_duplicate", "P-101A")
    ]
    for said in ("Look after P 101 A.", "Look after P-101A."):
        assert found(shown, asked=task(said)) == []


def test_what_stands_in_the_place_of_an_id_and_is_no_text_or_number_is_no_name() -> None:
    wrapped: Any = [1]
    for _ in range(10):
        wrapped = [{"part": wrapped}]
    for rows in (wrapped, [{"id": "G-1", "open": "no"}, {"id": True, "open": "yes"}, {"id": ["G-3"]}]):
        of = ward(state={"gates": rows}, tools=(tool("list_gates", "Lists all gates."),))
        assert found(call("list_gates", {"gates": rows}), of=of) == []
