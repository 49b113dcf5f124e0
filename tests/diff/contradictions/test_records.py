"""Values of records against the state, and against what was said of them last."""

from __future__ import annotations

from tests.diff.valley import in_store, in_valley
from tests.diff.ward import call, tool
from tests.diff.yard import STATE, TOLD, TOOLS, boat, boats, seen, yard

CHANGED = [("contradiction", "BT-1")]
ASHORE = call("set_status", {"boat": "BT-1", "status": "ashore"}, boat="BT-1", status="ashore")


def test_a_constant_text_of_another_member_is_a_contradiction_also_after_writes() -> None:
    assert seen(ASHORE, boat("BT-1", hull="pine planks over iron ribs")) == CHANGED
    assert seen(ASHORE, boat("BT-1", hull="oak planks over steel ribs")) == []


def test_other_words_for_a_text_are_none() -> None:
    assert seen(boat("BT-1", hull="oak over steel")) == []


def test_a_constant_number_is_as_it_was_after_writes_too() -> None:
    assert seen(ASHORE, boat("BT-1", length=11)) == CHANGED


def test_what_a_write_said_holds_until_the_next() -> None:
    assert seen(ASHORE, boat("BT-1", status="moored")) == CHANGED
    assert seen(ASHORE, boat("BT-1", status="ashore")) == []
    again = call("set_status", {"boat": "BT-1", "status": "moored"}, boat="BT-1", status="moored")
    assert seen(ASHORE, again, boat("BT-1", status="moored")) == []


def test_what_an_answer_said_holds_until_something_is_done() -> None:
    assert seen(ASHORE, boat("BT-1", length=9, berth="BR-11"), boat("BT-1", berth="BR-12")) == CHANGED
    moved = call("move_boat", {"status": "success"}, boat="BT-1", berth="BR-12")
    assert seen(boat("BT-1", berth="BR-11"), moved, boat("BT-1", berth="BR-12")) == []


def test_rows_of_lists_are_records_too() -> None:
    shown = boats("BT-1", "BT-2", "BT-3")
    shown["boats"][0]["status"] = "moored"
    assert ("contradiction", "BT-1") in seen(ASHORE, call("list_boats", shown))


def test_a_value_where_there_is_none() -> None:
    assert seen(boat("BT-1", sold="2025-03-30")) == CHANGED
    assert seen(boat("BT-1", sold=None)) == []


def test_a_sentence_with_other_numbers() -> None:
    state = {
        "claims": {
            "CL-1": {"text": "The bridge was closed on 3 March by the town."},
            "CL-2": {"text": "Nothing."},
        }
    }
    from tests.diff.yard import yard

    of = yard(initial_state=state, state_description={})
    said = "The bridge was closed on {} March by the town."
    one = [call("get_boat", {"claim": "CL-1", "text": said.format(day)}, claim="CL-1") for day in (3, 5)]
    assert seen(one[0], of=of) == []
    assert seen(one[1], of=of) == [("contradiction", "CL-1")]


def test_a_constant_of_the_state_itself() -> None:
    assert seen(boat("BT-1", today="2025-04-09")) == [("contradiction", "")]
    assert seen(boat("BT-1", today="2025-04-01")) == []


def test_an_envelope_says_nothing_of_the_thing_in_it() -> None:
    wrapped = call(
        "get_boat", {"status": "success", "data": {"boat": "BT-1", "status": "moored"}}, boat="BT-1"
    )
    assert seen(wrapped) == []
    assert seen(wrapped, boat("BT-1", status="moored")) == []


def test_a_time_and_a_measure_are_what_they_are() -> None:
    state = {**STATE, "boats": {"BT-1": {**STATE["boats"]["BT-1"], "due": "08:30", "draught": "12.5 dm"}}}
    for field, same_again, other in (("due", "08:30", "09:30"), ("draught", "12 dm", "14 dm")):
        for value, wrong in ((same_again, False), (other, True)):
            shown = boat("BT-1", **{field: value})
            assert seen(ASHORE, shown, of=yard(initial_state=state)) == CHANGED * wrong, (field, value)


def test_what_an_answer_has_filled_in_does_not_go_empty() -> None:
    shown = boat("BT-1", sold="2025-03-30", status="ashore")
    wrote = call("sell_boat", {"boat": "BT-1", "sold": "2025-03-30"}, boat="BT-1")
    of = yard(tools=(tool("sell_boat", "Sells a boat.", "boat", effect="write"), *TOOLS))
    assert seen(wrote, shown, boat("BT-1", sold=None), of=of) == CHANGED
    assert seen(boat("BT-2"), boat("BT-1", sold=None), of=of) == []


def test_an_empty_field_stays_empty_while_nothing_is_done() -> None:
    assert seen(boat("BT-1", sold=None), boat("BT-1", sold="2025-03-30")) == CHANGED


def test_a_constant_of_a_thing_that_a_call_touched_is_what_it_was() -> None:
    started = call(
        "start_lift",
        {"lift": "Waldlift", "running": True, "crew": ["Bo Li"]},
        lift="Waldlift",
        crew=["Bo Li"],
    )
    log = [{"at": "08:10", "event": "inspection passed"}, {"at": "10:15", "event": "started"}]
    for gust, wrong in ((12, False), (18, True)):
        said = {"gust_kmh": gust, "lift": "Waldlift", "log": log}
        assert (
            in_valley(started, call("lift_log", said, lift="Waldlift"))
            == [("contradiction", "Waldlift")] * wrong
        )
    moved = call(
        "move_bottle", {"code": "na/09", "from": "CAB-2", "to": "CAB-4"}, code="na/09", cabinet="CAB-4"
    )
    for limit, load, wrong in ((6, 2, False), (6, 4, False), (7, 2, True)):
        said = {"cabinet": "CAB-4", "codes": ["na/09"], "limit_l": limit, "load_l": load, "place": "corridor"}
        assert (
            in_store(moved, call("show_cabinet", said, cabinet="CAB-4"))
            == [("contradiction", "CAB-4")] * wrong
        )


def test_a_constant_in_a_row_of_a_thing_that_several_parts_know_is_what_it_was() -> None:
    crew = ["Ana Ferro", "Lea Brandt", "Petra Nowak"]
    started = call(
        "start_lift", {"lift": "Gletscher", "running": True, "crew": crew}, lift="Gletscher", crew=crew
    )
    hochalm = {
        "name": "Hochalm",
        "kind": "gondola",
        "running": True,
        "per_hour": 2400,
        "crew": ["Ines Pohl", "Marek Duda"],
    }
    for kind, wrong in (("gondola", False), ("drag", True)):
        row = {"name": "Gletscher", "kind": kind, "running": True, "per_hour": 2600, "crew": crew}
        said = call("lifts_on_screen", {"lifts": [hochalm, row]}, min_capacity=2400)
        assert in_valley(started, said) == [("contradiction", "Gletscher")] * wrong


def test_what_a_description_says_field_by_field_is_read_too() -> None:
    told = {**TOLD, "hands": {"about": "All hands. Nothing here changes.", "trade": "What they do."}}
    of = yard(state_description=told)
    booked = call("book_hand", {"status": "success"}, boat="BT-1", hand="HN-51")
    shown = call("get_hand", {"hand": "HN-51", "trade": "joiner", "aboard": []}, hand="HN-51")
    assert ("contradiction", "HN-51") in seen(booked, shown, of=of)
    true = call("get_hand", {"hand": "HN-51", "trade": "rigger", "aboard": []}, hand="HN-51")
    assert not [one for one in seen(booked, true, of=of) if one[0] == "contradiction"]


def test_a_row_does_not_show_another_value_than_it_was_asked_for_by() -> None:
    rows, of = boats("BT-1", "BT-2"), yard(state_description={})
    assert seen(ASHORE, call("list_boats", boats("BT-2"), status="moored"), of=of) == []
    rows["boats"][1]["status"] = "ashore"
    berth = call("move_boat", {"status": "success"}, boat="BT-2", berth="BR-11")
    assert ("contradiction", "BT-2") in seen(berth, call("list_boats", rows, status="moored"), of=of)
    rows["boats"][1]["status"] = "at her mooring"
    assert ("contradiction", "BT-2") not in seen(berth, call("list_boats", rows, status="moored"), of=of)


def test_what_an_example_shows_of_the_things_in_its_rows_is_theirs() -> None:
    example = {"queue": [{"place": 1, "boat": "BT-3", "length": 12}]}
    other = {"queue": [{"place": 1, "boat": "BT-3", "length": 4}]}
    shown = {"queue": [{"place": 1, "boat": "BT-1", "length": 11}]}
    for told, found in ((example, [("contradiction", "BT-1")]), (other, [])):
        of = yard(tools=(*TOOLS, tool("slip_queue", "Who waits for the slip.", example=told)))
        assert seen(ASHORE, call("slip_queue", shown), of=of) == found
    of = yard(tools=(*TOOLS, tool("slip_queue", "Who waits for the slip.", example=example)))
    shown = {"queue": [{"place": 1, "boat": "BT-1", "length": 9}]}
    assert seen(ASHORE, call("slip_queue", shown), of=of) == []


def test_what_the_one_tool_was_given_that_changes_a_field_stands() -> None:
    told = {**TOLD, "boats": "All boats by id. berth changes by shift alone."}
    shift = tool("shift", "Moves a boat.", "boat", "to", effect="write")
    of = yard(tools=(*TOOLS, shift), state_description=told)
    moved = call("shift", {"status": "success", "from": "BR-11"}, boat="BT-1", to="BR-13")
    assert seen(moved, boat("BT-1", berth="BR-11"), of=of) == CHANGED
    assert seen(moved, boat("BT-1", berth="BR-13"), of=of) == []
