"""The event parser against the rules of the WHATWG standard."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.wire.sse import Event, Parser, parse


def texts(body: bytes) -> list[str]:
    return [event.data for event in parse(body)]


@pytest.mark.parametrize("end", [b"\n", b"\r", b"\r\n"])
def test_each_line_end_ends_a_line(end: bytes) -> None:
    assert texts(end.join([b"data: one", b"", b"data: two", b"", b""])) == ["one", "two"]


def test_data_lines_are_joined_by_a_line_feed() -> None:
    assert texts(b"data: a\ndata:\ndata: b\n\n") == ["a\n\nb"]


def test_one_space_after_the_colon_is_dropped_and_no_more() -> None:
    assert texts(b"data:a\n\ndata: a\n\ndata:  a\n\n") == ["a", "a", " a"]


def test_comments_and_unknown_fields_are_ignored() -> None:
    assert texts(b": ping\n\nfoo: bar\n\n:data: x\ndata: y\n\n") == ["y"]


def test_a_field_without_a_colon_has_an_empty_value() -> None:
    assert texts(b"data\n\n") == [""]


def test_a_byte_order_mark_is_dropped_at_the_beginning_only() -> None:
    assert texts(b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n") == ["a"]


def test_event_id_and_retry_are_kept_and_the_id_stays() -> None:
    first, second = parse(b"event: e\nid: 7\nretry: 100\ndata: a\n\nretry: x1\nid: 8\0\ndata: b\n\n")
    assert (first.event, first.id, first.retry) == ("e", "7", 100)
    assert (second.event, second.id, second.retry) == ("message", "7", None)


def test_an_event_without_data_is_not_dispatched_and_its_name_is_forgotten() -> None:
    (event,) = parse(b"event: e\n\ndata: a\n\n")
    assert event.event == "message"


def test_an_event_that_the_end_of_the_stream_cuts_off_is_unfinished() -> None:
    parser = Parser()
    assert parser.feed(b"data: a\n\ndata: b\ndata: c") == [Event("a", where=((6, 7),))]
    left = parser.unfinished()
    assert left is not None
    assert left.data == "b\nc"


def test_a_stream_that_ended_cleanly_has_nothing_unfinished() -> None:
    parser = Parser()
    parser.feed(b"data: a\n\n: bye\n")
    assert parser.unfinished() is None


def test_done_is_recognised() -> None:
    assert [event.done for event in parse(b"data: {}\n\ndata: [DONE]\n\n")] == [False, True]


def test_a_carriage_return_ends_its_line_before_the_next_byte_arrives() -> None:
    parser = Parser()
    assert [event.data for event in parser.feed(b"data: a\r\r")] == ["a"]
    assert parser.feed(b"\ndata: b\r") == []
    assert [event.data for event in parser.feed(b"\n\r\n")] == ["b"]


BODIES = st.lists(
    st.sampled_from(
        [
            *(b"data: ab", b"data:", b"data", b": c", b"id: 1", b"retry: 5", b"event: x"),
            *(b"\r", b"\n", b"\r\n", b"\n\n", b"\xef\xbb\xbf", "data: é".encode(), b"\0"),
        ]
    ),
    max_size=25,
).map(b"".join)


@given(BODIES, st.data())
def test_where_a_stream_is_split_makes_no_difference(body: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=8)))
    parser, events = Parser(), []
    for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True):
        events += parser.feed(body[start:end])
    whole = Parser()
    assert events == whole.feed(body)
    assert parser.unfinished() == whole.unfinished()


@given(BODIES)
def test_where_names_the_bytes_of_each_data_line(body: bytes) -> None:
    for event in parse(body):
        pieces = [body[start:end] for start, end in event.where]
        assert b"\n".join(pieces).decode("utf-8", "replace") == event.data


def test_a_byte_order_mark_may_be_split() -> None:
    parser = Parser()
    assert [event.data for byte in b"\xef\xbb\xbfdata: a\n\n" for event in parser.feed(bytes([byte]))] == [
        "a"
    ]
