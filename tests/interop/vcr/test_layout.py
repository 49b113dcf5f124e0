from __future__ import annotations

import json

import pytest

from replaylab.canonical import parse_strict
from replaylab.interop.vcr.layout import Layouts, written

VALUE = {"model": "é", "messages": [{"role": "user", "content": "1"}], "n": 1.0, "tools": [{"b": 1, "a": 2}]}
STYLES = [
    json.dumps(VALUE, separators=(",", ":"), ensure_ascii=False).encode(),
    json.dumps(VALUE).encode(),
    json.dumps(VALUE, separators=(",", ":")).encode(),
    json.dumps(VALUE, ensure_ascii=False).encode(),
]


def again(layouts: Layouts, body: bytes) -> bytes:
    """What an export writes, with the value as the cassette gives it: other keys first."""
    value = parse_strict(body)
    return written(layouts.of(body), dict(sorted(value.items())) if isinstance(value, dict) else body)


@pytest.mark.parametrize("body", STYLES)
def test_the_bytes_come_back_from_a_few_words(body: bytes) -> None:
    layout = Layouts().of(body)
    assert "text" not in layout
    assert again(Layouts(), body) == body


@pytest.mark.parametrize("body", [b'{"a" : 1}', b'{"a":1.50}', b'{"a":1}\n', b'{"a":"\\/"}', b"{ }"])
def test_an_unusual_spelling_is_kept_whole(body: bytes) -> None:
    assert Layouts().of(body) == {"text": body.decode()}
    assert again(Layouts(), body) == body


@pytest.mark.parametrize("body", [b"", b"no json", b"\xff", b"[1]", b'{"a":NaN}', b'{"a":1,"a":2}'])
def test_what_is_kept_as_bytes_needs_no_layout(body: bytes) -> None:
    assert Layouts().of(body) == {}


def test_a_part_that_comes_again_in_another_order_is_kept_whole_from_then_on() -> None:
    layouts = Layouts()
    first, other = b'{"messages":[{"a":1,"b":2}]}', b'{"messages":[{"b":2,"a":1}]}'
    assert "style" in layouts.of(first)
    assert layouts.of(other) == {"text": other.decode()}
    assert layouts.of(first) == {
        "text": first.decode()
    }  # nobody knows any more which of them the cassette has


def test_a_conversation_is_not_kept_twice() -> None:
    layouts, messages, size = Layouts(), [], 0
    for turn in range(50):
        messages.append({"role": "user", "content": f"{turn} " + "x" * 1000})
        size += len(json.dumps(layouts.of(json.dumps({"messages": messages}).encode())))
    assert size < 50 * 60
