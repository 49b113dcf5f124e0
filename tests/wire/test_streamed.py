"""A key that a stream carries in pieces goes, and the rest of the stream stays byte for byte."""

from __future__ import annotations

import base64
import json
import random
from collections import defaultdict
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.wire.redact import PLACEHOLDER, Redactor
from replaylab.wire.sse import parse
from replaylab.wire.views import ESCAPE, unescaped
from tests.wire.test_redact import KEY, KNOWN, OTHER, PLAIN, PROSE, SHAPED, pieces_left

MARK = PLACEHOLDER.encode()


def split(text: str | bytes, cuts: list[int]) -> list[Any]:
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    return [text[low:high] for low, high in pairwise(places)] or [text]


def content(piece: str, choice: int = 0, field: str = "content") -> dict[str, Any]:
    return {"id": "chatcmpl-1", "choices": [{"index": choice, "delta": {field: piece}}]}


def arguments(piece: str, call: int = 0) -> dict[str, Any]:
    return {
        "choices": [
            {"index": 0, "delta": {"tool_calls": [{"index": call, "function": {"arguments": piece}}]}}
        ]
    }


def sse(events: list[Any], ascii_only: bool = True) -> bytes:
    lines = [json.dumps(event, ensure_ascii=ascii_only) for event in events]
    return b"".join(b"data: %s\n\n" % line.encode() for line in [*lines, "[DONE]"])


def texts(body: bytes) -> dict[str, str]:
    """The string leaves of the events, joined by path, choice and call."""
    joined: dict[str, str] = defaultdict(str)

    def walk(value: Any, path: str) -> None:
        if isinstance(value, str):
            joined[path] += value
        elif isinstance(value, dict):
            for key, part in value.items():
                walk(part, f"{path}/{key}")
        elif isinstance(value, list):
            for place, part in enumerate(value):
                walk(part, f"{path}/{part['index'] if isinstance(part, dict) and 'index' in part else place}")

    for event in parse(body):
        if not event.done:
            walk(json.loads(event.data), "")
    return joined


CUTS = st.lists(st.integers(0, 10_000), max_size=12)


@given(CUTS, PROSE, PROSE, st.data())
def test_raw_bytes_are_scanned_over_chunk_ends(
    cuts: list[int], before: str, after: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(OTHER) - 8))
    raw = before.encode() + OTHER[start:].encode() + after.encode()
    chunks = split(raw, cuts)
    clean = KNOWN.stream(chunks)
    assert len(clean) == len(chunks)
    assert b"".join(clean) == KNOWN.body(raw)
    assert not pieces_left(b"".join(clean), OTHER)


@given(
    st.sampled_from([KEY, OTHER, SHAPED["google"], SHAPED["jwt"]]), PROSE, PROSE, CUTS, CUTS, st.booleans()
)
def test_content_in_pieces_is_scanned_as_a_whole(
    key: str, before: str, after: str, cuts: list[int], chunk_cuts: list[int], ascii_only: bool
) -> None:
    before, after = before + " ", " " + after
    body = sse([content(piece) for piece in split(before + key + after, cuts)], ascii_only)
    chunks = split(body, chunk_cuts)
    clean = KNOWN.stream(chunks)
    assert len(clean) == len(chunks)
    assert texts(b"".join(clean))["/choices/0/delta/content"] == before + PLACEHOLDER + after
    assert KNOWN.stream(clean) == clean


@pytest.mark.parametrize("field", ["content", "reasoning_content", "refusal", "anything_else"])
def test_every_text_field_counts(field: str) -> None:
    clean = KNOWN.stream([sse([content(piece, field=field) for piece in split(KEY, [9, 20, 50])])])
    assert texts(clean[0])[f"/choices/0/delta/{field}"] == PLACEHOLDER


@given(CUTS, CUTS, st.randoms(use_true_random=False))
def test_choices_and_calls_that_take_turns_are_told_apart(
    first: list[int], second: list[int], turns: random.Random
) -> None:
    queues = [
        [content(piece, 0) for piece in split(f"a {KEY} b", first)],
        [content(piece, 1) for piece in split(f"c {OTHER} d", second)],
        [arguments(piece, 0) for piece in split(json.dumps({"x": KEY}), second)],
        [arguments(piece, 1) for piece in split(json.dumps({"y/z": OTHER}), first)],
    ]
    events = []
    while any(queues):
        events.append(turns.choice([queue for queue in queues if queue]).pop(0))
    got = texts(KNOWN.stream([sse(events)])[0])
    assert got["/choices/0/delta/content"] == f"a {PLACEHOLDER} b"
    assert got["/choices/1/delta/content"] == f"c {PLACEHOLDER} d"
    assert json.loads(got["/choices/0/delta/tool_calls/0/function/arguments"]) == {"x": PLACEHOLDER}
    assert json.loads(got["/choices/0/delta/tool_calls/1/function/arguments"]) == {"y/z": PLACEHOLDER}


def test_the_index_counts_even_when_it_comes_last() -> None:
    mixed = [
        {"choices": [{"delta": {"content": KEY[:4]}, "index": 0}]},
        {"choices": [{"delta": {"content": "other"}, "index": 1}]},
        {"choices": [{"delta": {"content": KEY[4:]}, "index": 0}]},
    ]
    got = texts(KNOWN.stream([sse(mixed)])[0])
    assert got == {"/choices/0/delta/content": PLACEHOLDER, "/choices/1/delta/content": "other"}


def test_arguments_streamed_with_escapes_inside_json_are_scanned() -> None:
    inner = '{"k": "' + "".join(f"\\u{ord(char):04x}" for char in OTHER) + '", "n": 1}'
    got = texts(KNOWN.stream([sse([arguments(piece) for piece in split(inner, list(range(0, 400, 5)))])])[0])
    assert json.loads(got["/choices/0/delta/tool_calls/0/function/arguments"]) == {"k": PLACEHOLDER, "n": 1}


def test_base64_streamed_in_pieces_is_scanned() -> None:
    coded = base64.b64encode(f'{{"key": "{OTHER}"}}'.encode()).decode()
    clean = KNOWN.stream([sse([content(piece) for piece in split(coded, list(range(0, 100, 3)))])])
    assert not pieces_left(texts(clean[0])["/choices/0/delta/content"].encode(), OTHER)


def test_blocks_of_other_apis_are_told_apart_by_their_index() -> None:
    events = []
    for low, high in zip(split(KEY, [5, 30]), split("plain text", [2, 5]), strict=True):
        events.append(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": low}}
        )
        events.append(
            {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": high}}
        )
    (clean,) = KNOWN.stream([sse(events)])
    found = [json.loads(event.data) for event in parse(clean) if not event.done]
    assert "".join(event["delta"]["text"] for event in found if event["index"] == 0) == PLACEHOLDER
    assert "".join(event["delta"]["text"] for event in found if event["index"] == 1) == "plain text"


def test_the_piece_in_an_event_that_was_cut_off_belongs_to_the_text() -> None:
    body = sse([content(OTHER[:6]), content(OTHER[6:14])]).replace(b"data: [DONE]\n\n", b"")
    for end in range(body.rindex(OTHER[6:8].encode()) + 2, len(body)):
        clean = b"".join(KNOWN.stream([body[:end]]))
        assert OTHER[:6].encode() not in clean
        assert OTHER[6:8].encode() not in clean
        assert clean.count(MARK) == 1


def test_plain_text_events_are_joined() -> None:
    body = b"".join(b"data: %s\r\n\r\n" % piece.encode() for piece in split(KEY, [3, 10, 11, 40]))
    assert b"".join(event.data.encode() for event in parse(b"".join(KNOWN.stream([body])))) == MARK


def test_one_json_document_over_several_data_lines_is_read() -> None:
    events = [json.dumps(content(piece), indent=1).replace("\n", "\ndata: ") for piece in split(KEY, [4, 9])]
    body = b"".join(b"data: %s\n\n" % event.encode() for event in events)
    assert texts(KNOWN.stream([body])[0])["/choices/0/delta/content"] == PLACEHOLDER


def test_a_json_document_a_line_is_scanned_as_a_stream() -> None:
    body = b"".join(
        b"%s\n" % json.dumps({"message": {"content": piece}, "done": False}).encode()
        for piece in split(KEY, [5, 9])
    )
    clean = b"".join(KNOWN.stream([body]))
    assert "".join(json.loads(line)["message"]["content"] for line in clean.splitlines()) == PLACEHOLDER


@given(st.lists(PROSE, max_size=8), CUTS)
def test_a_stream_without_secrets_keeps_its_chunks(pieces: list[str], cuts: list[int]) -> None:
    chunks = split(sse([content(piece) for piece in pieces]), cuts)
    clean = KNOWN.stream(chunks)
    assert all(after is before for after, before in zip(clean, chunks, strict=True))


def test_chunks_that_hold_nothing_of_the_key_are_the_same_objects() -> None:
    chunks = [
        sse([content(piece)]).replace(b"data: [DONE]\n\n", b"")
        for piece in ["hello ", KEY[:9], KEY[9:], " bye"]
    ]
    clean = KNOWN.stream(chunks)
    assert [after is before for after, before in zip(clean, chunks, strict=True)] == [
        True,
        False,
        False,
        True,
    ]


def test_streamed_and_whole_agree_with_the_value_that_a_role_sees() -> None:
    text = f"one {KEY} two {OTHER[:20]}"
    streamed = texts(KNOWN.stream([sse([content(char) for char in text])])[0])["/choices/0/delta/content"]
    assert streamed == KNOWN.text(text) == json.loads(KNOWN.body(json.dumps(text).encode()))


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_streams_of_any_bytes_pass(chunks: list[bytes]) -> None:
    assert KNOWN.stream(chunks) == chunks
    assert PLAIN.stream([b"data: ", *chunks, b"\n\n"]) == [b"data: ", *chunks, b"\n\n"]


def test_an_empty_stream_stays_empty() -> None:
    assert Redactor([KEY]).stream([]) == []
    assert Redactor([KEY]).stream([b"", b""]) == [b"", b""]


def test_a_text_event_of_several_lines_loses_the_key_in_each_line() -> None:
    body = b"data: first %s\ndata: %s\n\ndata: %s last\n\n" % (
        OTHER.encode(),
        OTHER[:20].encode(),
        OTHER[20:].encode(),
    )
    got = "".join(event.data for event in parse(KNOWN.stream([body])[0]))
    assert got == f"first {PLACEHOLDER}\n{PLACEHOLDER} last"


@pytest.mark.parametrize("tail", ["\\\\", "\\", "\\u", "\\u00", "\\n"])
def test_a_string_that_was_cut_off_inside_an_escape_is_read_up_to_there(tail: str) -> None:
    body = sse([content(OTHER[:6])]).replace(b"data: [DONE]\n\n", b"")
    body += b'data: {"choices": [{"index": 0, "delta": {"content": "' + (OTHER[6:12] + tail).encode()
    clean = KNOWN.stream([body])[0]
    assert OTHER[6:12].encode() not in clean
    assert clean.endswith(b'"content": "' + tail.encode())


def test_keys_that_stand_twice_in_an_object_are_both_scanned() -> None:
    twice = b'data: {"a": "%s", "a": "%s"}\n\n'
    body = twice % (OTHER[:5].encode(), OTHER[5:12].encode())
    assert KNOWN.stream([body])[0] == twice % (MARK, b"")


def test_a_choice_is_known_by_its_index_wherever_it_stands_in_the_list() -> None:
    one = {"choices": [{"index": 1, "delta": {"content": OTHER[:5]}}]}
    two = {
        "choices": [{"index": 0, "delta": {"content": "x"}}, {"index": 1, "delta": {"content": OTHER[5:12]}}]
    }
    assert texts(KNOWN.stream([sse([one, two])])[0]) == {
        "/choices/1/delta/content": PLACEHOLDER,
        "/choices/0/delta/content": "x",
    }


ESCAPED = st.lists(
    st.sampled_from(
        [
            rb"\n",
            rb"\u0041",
            rb"\ud83d\ude00",
            rb"\ud83d",
            rb"\x2f",
            rb"\'",
            b"%20",
            b"%",
            b"\\",
            b"ab",
            b"\xc3\xa9",
        ]
    )
).map(b"".join)


@given(ESCAPED, st.integers(0, 9))
def test_what_is_unescaped_leads_back_to_the_bytes_that_it_stands_for(data: bytes, base: int) -> None:
    text, place = unescaped(data, ESCAPE, base)
    at, size = 0, 0
    ends = [(match.start(), match.end()) for match in ESCAPE.finditer(data)]
    while at < len(data):
        # Byte for byte, without a table: an escape, or a byte that stands for itself.
        end = dict(ends).get(at, at + 1)
        long = len(unescaped(data[at:end], ESCAPE)[0])
        assert text[size : size + long] == (unescaped(data[at:end], ESCAPE)[0])
        if long:
            assert place(size, size + long) == (base + at, base + end)
        at, size = end, size + long
    assert size == len(text)
