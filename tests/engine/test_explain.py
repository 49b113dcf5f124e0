from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import digest
from replaylab.cassette.codec import Cassette
from replaylab.cassette.request import Request
from replaylab.cassette.tape import Tape, expand, whole
from replaylab.engine.explain import CONTEXT, explain, first_difference, pointer_of
from replaylab.errors import DivergenceError
from replaylab.schema.cassette import key_of
from replaylab.schema.finding import Finding
from tests.engine.playing import header, sealed

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-2, 2) | st.text("ab/~'\"[]_.", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab/~'\"[]_.", max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)
NOTHING = object()


def at(value: Any, pointer: str) -> Any:
    """The value at a JSON pointer, NOTHING where there is none."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif isinstance(value, dict) and key in value:
            value = value[key]
        else:
            return NOTHING
    return value


@given(JSON, JSON)
def test_the_pointer_leads_to_two_values_that_differ(expected: Any, observed: Any) -> None:
    pointer, before, now = first_difference(expected, observed)
    if digest(expected) == digest(observed):
        assert (pointer, before, now) == ("", None, None)
        return
    one, other = at(expected, pointer), at(observed, pointer)
    assert one is NOTHING or other is NOTHING or digest(one) != digest(other)
    if not (isinstance(one, str) and isinstance(other, str)):
        assert (before, now) == (None if one is NOTHING else one, None if other is NOTHING else other)


@pytest.mark.parametrize(
    ("expected", "observed", "pointer"),
    [
        ({"model": "m", "seed": 1}, {"model": "n", "seed": 2}, "/model"),
        ({"seed": 1, "model": "m"}, {"seed": 2, "model": "n"}, "/seed"),
        ({"m": [{"c": "a"}, {"c": "b"}]}, {"m": [{"c": "a"}, {"c": "x"}]}, "/m/1/c"),
        ({"m": [0] * 12}, {"m": [0, 0, *[1] * 10]}, "/m/2"),
        ({"m": [1, 2]}, {"m": [1, 2, 3]}, "/m/2"),
        ({"a": 1}, {"b": 1, "a": 1}, "/b"),
        ({"a": None}, {}, "/a"),
        ({"n": 1}, {"n": "1"}, "/n"),
        ({"n": True}, {"n": 1}, "/n"),
        ({"__private": 1}, {"__private": 2}, "/__private"),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}, "/a~1b/~0"),
        (1, 2, ""),
    ],
)
def test_the_first_field_that_differs_in_document_order_is_named(
    expected: Any, observed: Any, pointer: str
) -> None:
    assert first_difference(expected, observed)[0] == pointer


def test_numbers_that_are_one_to_a_digest_do_not_differ() -> None:
    assert first_difference({"t": 1, "x": "a"}, {"t": 1.0, "x": "b"}) == ("/x", "a", "b")


def test_a_long_text_is_cut_to_the_surroundings_of_the_first_character_that_differs() -> None:
    before, after = "x" * 500 + "A" + "y" * 500, "x" * 500 + "B" + "y" * 500
    _, expected, observed = first_difference({"c": before}, {"c": after})
    assert expected == "x" * CONTEXT + "A" + "y" * (CONTEXT - 1)
    assert observed == "x" * CONTEXT + "B" + "y" * (CONTEXT - 1)


def test_a_text_that_goes_on_differs_at_its_end() -> None:
    assert first_difference("abc", "abcd") == ("", "abc", "abcd")


def test_pointers_are_escaped_as_rfc_6901_says() -> None:
    assert pointer_of(["a/b", 0, "~", ""]) == "/a~1b/0/~0/"


@pytest.fixture(scope="module")
def cassette() -> Cassette:
    return sealed(header())[0]


def diverged(cassette: Cassette, lane: str, ordinal: int, request: Request) -> DivergenceError:
    """What the tape raises when, at that place, another request is made."""
    rows = cassette.lanes
    tape = Tape(
        key_of(cassette.header),
        elapsed_ms=lambda: 0.0,
        recorded={lane: [*rows[lane][:ordinal], *rows[lane][ordinal:]]},
        blob=cassette.blob,
        closed=lambda name: True,
    )
    for earlier in range(ordinal):
        tape.lane(lane).begin(again(cassette, lane, earlier)).play()
    with pytest.raises(DivergenceError) as caught:
        tape.lane(lane).begin(request)
    return caught.value


def again(cassette: Cassette, lane: str, ordinal: int) -> Request:
    """The recorded request, made again."""
    row = cassette.lanes[lane][ordinal].request
    body = expand(cassette.lanes[lane], ordinal, cassette.blob)
    messages, tools = body.pop("messages"), body.pop("tools", ())
    request = Request(row.alias, body, messages, tools, row.method, row.path)
    assert digest(whole(request)) == digest(expand(cassette.lanes[lane], ordinal, cassette.blob))
    return request


def found(cassette: Cassette, lane: str, ordinal: int, request: Request) -> Finding:
    return explain(diverged(cassette, lane, ordinal, request), cassette)


def test_a_changed_message_is_found_with_its_pointer_and_both_texts(cassette: Cassette) -> None:
    request = again(cassette, "agent", 1)
    messages = [dict(message) for message in request.messages]
    messages[1]["content"] = "!" + messages[1]["content"]
    changed = Request(request.alias, request.params, messages, request.tools)
    finding = found(cassette, "agent", 1, changed)
    assert (finding.kind, finding.pointer) == ("request", "/messages/1/content")
    assert finding.where == finding.closest == cassette.lanes["agent"][1].path
    assert str(finding.observed).startswith("!")
    assert finding.message == (
        f"the request differs from the recorded one at /messages/1/content: "
        f"recorded …{finding.expected}…, now …{finding.observed}…"
    )


def test_the_same_request_elsewhere_is_named_as_the_closest(cassette: Cassette) -> None:
    finding = found(cassette, "agent", 0, again(cassette, "agent", 2))
    assert finding.closest == f"{cassette.lanes['agent'][2].path} (the very same request)"


def test_another_parameter_is_found_at_its_name(cassette: Cassette) -> None:
    request = again(cassette, "agent", 0)
    changed = Request(request.alias, {**request.params, "temperature": 0.5}, request.messages, request.tools)
    finding = found(cassette, "agent", 0, changed)
    assert (finding.pointer, finding.expected, finding.observed) == ("/temperature", None, 0.5)
    assert "recorded null, now 0.5" in finding.message


def test_another_alias_is_said_though_no_field_of_the_body_differs(cassette: Cassette) -> None:
    request = again(cassette, "agent", 0)
    finding = found(cassette, "agent", 0, Request("other", request.params, request.messages, request.tools))
    assert finding.pointer == ""
    assert "alias" in finding.message


def test_a_lane_that_ran_dry_says_how_many_are_recorded(cassette: Cassette) -> None:
    count = len(cassette.lanes["agent"])
    finding = found(cassette, "agent", count, again(cassette, "agent", 0))
    assert (finding.kind, finding.expected, finding.observed) == ("lane_dry", count, None)
    assert finding.where.endswith(f"/agent#{count}")
    assert f"the lane ran dry: {count} recorded, this is request {count + 1}" in finding.message
    assert finding.closest == f"{cassette.lanes['agent'][0].path} (the very same request)"


def test_a_lane_that_was_not_played_to_its_end_says_how_far_it_came(cassette: Cassette) -> None:
    tape = Tape(key_of(cassette.header), elapsed_ms=lambda: 0.0, recorded=cassette.lanes)
    with pytest.raises(DivergenceError) as caught:
        tape.check_played()
    finding = explain(caught.value, None)
    count = len(cassette.lanes["agent"])
    assert (finding.kind, finding.expected, finding.observed) == ("lane_unplayed", count, 0)
    assert finding.message == f"the lane was not played to its end: 0 of {count} interactions"
    assert finding.closest == cassette.lanes["agent"][0].path


def test_who_replays_without_a_miss_loads_no_comparison() -> None:
    code = "import sys, replaylab.engine.replay, replaylab.capture.app; print(*sys.modules)"
    repo = Path(__file__).resolve().parents[2]
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=repo, check=True, capture_output=True, text=True
    )
    assert "replaylab.engine.explain" in loaded.stdout.split()
    assert not {"deepdiff", "pandas", "numpy"} & set(loaded.stdout.split())
