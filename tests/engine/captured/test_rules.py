"""Normalisers change the key and nothing else; a key is a function of the normalised request."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import digest
from replaylab.cassette.request import Request
from replaylab.engine.captured.rules import Rules, body_of, parts_of, ready
from replaylab.errors import UsageError
from replaylab.schema.capture import NormaliseRule
from tests.strategies import json_objects

DATE = r"\d{4}-\d\d-\d\d"
BODY: dict[str, Any] = {
    "model": "m",
    "system": "on 2026-01-02",
    "messages": [
        {"role": "user", "content": "it is 2026-01-02"},
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "2026-01-02, T-1"}]},
    ],
    "tools": [{"description": "as of 2026-01-02"}],
    "metadata": {"a/b": {"run~id": "r-1"}},
}


def request(body: Any, path: str = "/v1/x", endpoint: str = "openai") -> Request:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Request.from_bytes(endpoint, path, data)


def key(body: Any, *rules: NormaliseRule, path: str = "/v1/x", endpoint: str = "openai") -> str:
    return Rules(rules).key(parts_of(request(body, path, endpoint))[1])


def own(body: Any, path: str = "/v1/x") -> str:
    return parts_of(request(body, path))[0].digest


def later(body: Any) -> Any:
    """The same a day later."""
    return json.loads(json.dumps(body).replace("2026-01-02", "2026-01-03"))


def test_without_rules_the_key_is_the_digest() -> None:
    assert key(BODY) == own(BODY)
    assert key(BODY, NormaliseRule(pattern=DATE, endpoint="gemini")) == own(BODY)
    assert key(BODY, NormaliseRule(pattern="nowhere in it")) == own(BODY)


def test_a_pattern_alone_is_about_every_text_and_the_path() -> None:
    rule = NormaliseRule(pattern=DATE)
    assert key(BODY, rule, path="/p?day=2026-01-02") == key(later(BODY), rule, path="/p?day=2026-01-03")
    assert key(BODY, rule) != own(BODY)


@pytest.mark.parametrize(
    ("pointer", "changed"),
    [
        ("/system", ["system"]),
        ("/messages/0/content", ["messages", 0, "content"]),
        ("/messages/*/content", ["messages", 0, "content"]),
        ("/messages/*/content/*/text", ["messages", 1, "content", 0, "text"]),
        ("/messages", ["messages", 0, "content"]),
        ("/*/0/content", ["messages", 0, "content"]),
        ("/tools/0/description", ["tools", 0, "description"]),
        ("/tools", ["tools", 0, "description"]),
        ("/metadata/a~1b/run~0id", ["metadata", "a/b", "run~id"]),
    ],
)
def test_a_pointer_is_about_its_place_and_no_other(pointer: str, changed: list[Any]) -> None:
    rule = NormaliseRule(pointer=pointer, pattern=r"[0-9]+")
    other = json.loads(json.dumps(BODY))
    place = other
    for part in changed[:-1]:
        place = place[part]
    place[changed[-1]] = place[changed[-1]].replace("1", "7")
    assert key(other, rule) == key(BODY, rule)
    assert own(other) != own(BODY)
    assert key({**BODY, "model": "m2"}, rule) != key(BODY, rule)
    assert key({**BODY, "more": 1}, rule) != key(BODY, rule)


def test_a_pointer_without_a_pattern_takes_the_whole_value_whatever_it_is() -> None:
    rule = NormaliseRule(pointer="/metadata")
    assert key({**BODY, "metadata": 5}, rule) == key(BODY, rule)
    assert key({**BODY, "metadata": None}, rule) == key(BODY, rule)
    without = {name: part for name, part in BODY.items() if name != "metadata"}
    assert key(without, rule) != key(BODY, rule)


def test_a_rule_for_an_index_leaves_the_other_messages_alone() -> None:
    rule = NormaliseRule(pointer="/messages/0/content", pattern="[0-9]")
    same = {"messages": [{"content": "a1"}, {"content": "a1"}]}
    assert key({"messages": [{"content": "a2"}, {"content": "a1"}]}, rule) == key(same, rule)
    assert key({"messages": [{"content": "a1"}, {"content": "a2"}]}, rule) != key(same, rule)
    assert key({"messages": [{"content": "a1"}]}, rule) != key({"messages": []}, rule)


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({"endpoint": "openai"}, True),
        ({"endpoint": "anthropic"}, False),
        ({"path": "/v1/x"}, True),
        ({"path": "/v1/*"}, True),
        ({"path": "/v1"}, False),
        ({"path": "/v1/xy"}, False),
        ({"path": "/v1/x", "endpoint": "gemini"}, False),
    ],
)
def test_endpoint_and_path_narrow_a_rule(fields: dict[str, str], fits: bool) -> None:
    rule = NormaliseRule(pattern=DATE, **fields)
    assert (key(BODY, rule, path="/v1/x?q=1") == key(later(BODY), rule, path="/v1/x?q=1")) == fits


def test_what_the_rules_make_of_a_request_has_the_key_of_such_a_request() -> None:
    rule = NormaliseRule(pattern=DATE, replace="DAY")
    written = json.loads(json.dumps(BODY).replace("2026-01-02", "DAY"))
    assert key(BODY, rule) == own(written) == key(written, rule)


def test_a_body_that_is_no_json_is_normalised_as_text() -> None:
    rule = NormaliseRule(pattern=DATE)
    assert key(b"on 2026-01-02 \xff", rule) == key(b"on 2026-01-03 \xff", rule)
    assert key(b"on 2026-01-02 \xff", rule) != key(b"on 2026-01-03 \xfe", rule)


def test_the_replacement_is_taken_as_it_stands() -> None:
    rule = NormaliseRule(pattern=DATE, replace=r"\1\g<0>")
    assert Rules([rule]).body("openai", "/v1/x", {"a": "2026-01-02"}) == {"a": r"\1\g<0>"}


def test_rules_apply_one_after_the_other() -> None:
    rules = [NormaliseRule(pattern="[0-9]+", replace="N"), NormaliseRule(pattern="N-N-N", replace="DATE")]
    assert Rules(rules).body("openai", "/v1/x", {"a": "2026-01-02"}) == {"a": "DATE"}


@given(json_objects, st.lists(json_objects, max_size=3))
def test_the_key_is_the_digest_of_the_normalised_body(params: Any, messages: Any) -> None:
    body = {**params, "messages": messages}
    rules = Rules([NormaliseRule(pattern="[a-c0-9]"), NormaliseRule(pointer="/messages/*/a")])
    clean = rules.body("openai", "/x", body)
    before = digest(body)
    assert key(body, *rules.rules, path="/x") == own(clean, path="/x")
    assert digest(body) == before  # nothing is changed in place


def test_a_body_by_its_parts_is_the_body() -> None:
    assert body_of(parts_of(request(BODY))[1]) == BODY
    assert body_of(parts_of(request(b"\xff{"))[1]) == {"raw": "\\xff{"}


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (NormaliseRule(), "names nothing"),
        (NormaliseRule(pointer="messages/0"), "not a JSON pointer"),
        (NormaliseRule(pattern="("), "not a pattern"),
        (NormaliseRule(pattern="(a+)+b"), "run away"),
        (NormaliseRule(pattern="a*"), "matches nothing at all"),
        (NormaliseRule(pattern="a.*b.*c"), "open repeats"),
        (NormaliseRule(pattern="a" * 501), "too long"),
    ],
)
def test_a_rule_that_is_no_good_is_refused(rule: NormaliseRule, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        ready(rule)


def test_a_pattern_costs_no_more_than_the_text_is_long() -> None:
    rule = NormaliseRule(pattern="a.*c")
    spent = []
    for size in (5_000, 50_000):
        started = time.process_time()
        key({"messages": [{"content": "ab" * size}]}, rule)
        spent.append(time.process_time() - started)
    assert spent[1] < 30 * spent[0]  # a hundred times as much if it grew with the square


def test_capitals_count() -> None:
    rule = NormaliseRule(pattern="id-[a-f]+")
    assert key({"a": "id-abc"}, rule) == key({"a": "id-fed"}, rule)
    assert key({"a": "ID-ABC"}, rule) == own({"a": "ID-ABC"})
