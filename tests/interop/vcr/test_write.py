from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vcr.serialize import deserialize
from vcr.serializers import jsonserializer, yamlserializer

from replaylab.errors import UsageError
from replaylab.interop.vcr.read import read_text
from replaylab.interop.vcr.shapes import file_of
from replaylab.interop.vcr.write import write_text
from tests.interop.vcr.made import pair

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
BODIES = st.one_of(st.binary(max_size=60), TEXTS.map(str.encode))


@given(st.lists(st.tuples(st.none() | BODIES, BODIES, TEXTS), max_size=4))
def test_stock_vcrpy_and_we_read_what_is_written(rows: list[tuple[bytes | None, bytes, str]]) -> None:
    pairs = [pair(body=body, content=content, reason=reason) for body, content, reason in rows]
    data = write_text(pairs, {"a": [1]}, "yaml", "x")
    requests, responses, metadata = deserialize(data.decode(), yamlserializer)
    assert [request.body for request in requests] == [one.body for one in pairs]
    assert [response["body"]["string"] for response in responses] == [one.content for one in pairs]
    assert metadata == {"a": [1]}
    assert list(file_of(read_text(data, "x"), "x").pairs) == pairs


@given(TEXTS)
def test_json_too_where_all_is_text(text: str) -> None:
    data = write_text([pair(body=text.encode(), content=text.encode())], {}, "json", "x")
    requests, responses, *_ = deserialize(data.decode(), jsonserializer)
    assert (requests[0].body, responses[0]["body"]["string"]) == (text.encode(), text.encode())


@pytest.mark.parametrize("given", [{"body": b"\xff"}, {"content": b"\xff"}])
def test_json_holds_no_bytes(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="hold texts only"):
        write_text([pair(**given)], {}, "json", "x")


def test_equal_lists_are_written_out() -> None:
    same = ["a"]
    data = write_text([pair(headers={"x": same, "y": same}, asked={"x": same})], {}, "yaml", "x")
    assert b"&id" not in data
