from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from replaylab.errors import UsageError
from replaylab.interop.vcr.pair import Pair
from replaylab.interop.vcr.shapes import file_of

REQUEST = {"method": "POST", "uri": "https://h.example/p", "body": "{}", "headers": {"A": ["1", "2"]}}
RESPONSE = {"status": {"code": 200, "message": "OK"}, "headers": {"B": ["3"]}, "body": {"string": "hi"}}


def one(request: dict[str, Any] | None = None, response: dict[str, Any] | None = None) -> Pair:
    pair = {
        "request": REQUEST if request is None else request,
        "response": RESPONSE if response is None else response,
    }
    (found,) = file_of({"version": 1, "interactions": [pair]}, "x").pairs
    return found


def test_version_1() -> None:
    pair = one()
    assert (pair.method, pair.uri, pair.body) == ("POST", "https://h.example/p", b"{}")
    assert (pair.status, pair.reason, pair.content) == (200, "OK", b"hi")
    assert (pair.asked, pair.headers) == ({"A": ["1", "2"]}, {"B": ["3"]})


@pytest.mark.parametrize(
    ("body", "data"),
    [
        (None, None),
        ("", b""),
        ("é", "é".encode()),
        (b"\xff", b"\xff"),
        (["a", b"b"], b"ab"),
        ([104, 105], b"hi"),
        ({"string": "a"}, b"a"),
        ({"base64_string": "aGk="}, b"hi"),
        ({"encoding": "base64", "string": "aGk="}, b"hi"),
        ({"encoding": "utf-8", "string": "aGk="}, b"aGk="),
    ],
)
def test_the_shapes_of_a_request_body(body: Any, data: bytes | None) -> None:
    assert one(request={**REQUEST, "body": body}).body == data


@pytest.mark.parametrize("body", [{"a": [1, "é"]}, {}, [{"a": 1}], [["field", "x"]]])
def test_the_value_that_aiohttp_was_given_stands_beside_its_bytes(body: Any) -> None:
    pair = one(request={**REQUEST, "body": body})
    assert (json.loads(pair.body or b""), pair.value) == (body, body)


@pytest.mark.parametrize(
    ("body", "data"),
    [
        ({"string": "a"}, b"a"),
        ({"string": b"\xff"}, b"\xff"),
        ({"string": None}, b""),
        ({}, b""),
        ("plain", b"plain"),
        (None, b""),
        ({"base64_string": "aGk="}, b"hi"),
    ],
)
def test_the_shapes_of_a_response_body(body: Any, data: bytes) -> None:
    assert one(response={**RESPONSE, "body": body}).content == data


def test_a_parsed_body_is_written_as_compact_json_and_said() -> None:
    request = {"method": "POST", "uri": "https://h.example/", "headers": {}, "parsed_body": {"a": ["é", 1]}}
    response = {
        "status": {"code": 200, "message": "OK"},
        "headers": {"content-type": ["application/json"], "content-encoding": ["gzip"]},
        "parsed_body": {"b": None},
    }
    file = file_of({"interactions": [{"request": request, "response": response}]}, "x")
    (pair,) = file.pairs
    assert (pair.body, pair.content) == ('{"a":["é",1]}'.encode(), b'{"b":null}')
    assert {note.kind for note in file.notes} == {"parsed_request", "parsed_response"}
    assert "content-encoding" not in pair.headers  # it was off when the body was parsed


def test_the_list_of_before_version_1() -> None:
    request = {
        "method": "GET",
        "protocol": "https",
        "host": "h.example",
        "port": 443,
        "path": "/p?q=1",
        "headers": [[["accept", "*/*"]]],
        "body": None,
    }
    response = {
        "status": {"code": 404, "message": "Not Found"},
        "headers": ["Date: now\r\n", "Set-Thing: a\r\n", "Set-Thing: b\r\n"],
        "body": {"string": "no"},
    }
    file = file_of([{"request": request, "response": response}], "x")
    (pair,) = file.pairs
    assert pair.uri == "https://h.example/p?q=1"
    assert pair.asked == {"accept": ["*/*"]}
    assert pair.headers == {"Date": ["now"], "Set-Thing": ["a", "b"]}
    other = file_of([{"request": {**request, "port": 8443}, "response": response}], "x").pairs[0]
    assert other.uri == "https://h.example:8443/p?q=1"


def test_the_httpx_form_of_older_versions_was_decoded_before_it_was_stored() -> None:
    response = {"status_code": 200, "http_version": "HTTP/1.1", "headers": {"Content-Encoding": ["gzip"]}}
    pair = one(response={**response, "content": "plain"})
    assert (pair.content, dict(pair.headers)) == (b"plain", {})
    pair = one(response={**response, "content": gzip.compress(b"plain")})
    assert "Content-Encoding" in pair.headers


def test_a_header_may_be_a_text_or_bytes() -> None:
    assert one(request={**REQUEST, "headers": {"A": "x", "B": [b"y"]}}).asked == {"A": ["x"], "B": ["y"]}


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({}, "it has no interactions"),
        ({"http_interactions": []}, "Ruby's VCR"),
        ({"log": {}}, "HAR"),
        ({"version": 2, "interactions": []}, "its version is 2"),
        ({"version": None, "interactions": []}, "its version is null"),
        ({"interactions": {}}, "are no list"),
        ({"interactions": [1]}, "interaction 0"),
        ({"interactions": [{"request": {}}]}, "no request or no response"),
        ({"interactions": [{"request": {"uri": "x"}, "response": RESPONSE}]}, "no method"),
        ({"interactions": [{"request": REQUEST, "response": {}}]}, "its status is null"),
        ({"interactions": [{"request": REQUEST, "response": {"status": {"code": True}}}]}, "its status is true"),
        ({"interactions": [{"request": {**REQUEST, "headers": 5}, "response": RESPONSE}]}, "headers are no mapping"),
        ({"interactions": [{"request": {**REQUEST, "body": 5}, "response": RESPONSE}]}, "a body is int"),
    ],
)  # fmt: skip
def test_what_is_no_cassette_is_refused_with_its_place(value: Any, why: str) -> None:
    with pytest.raises(UsageError) as error:
        file_of(value, "file.yaml")
    assert why in str(error.value)
    assert "file.yaml" in error.value.where


def test_unknown_fields_are_said() -> None:
    pair = {"request": {**REQUEST, "odd": 1}, "response": RESPONSE, "recorded_at": "now"}
    file = file_of({"interactions": [pair], "metadata": {"k": 1}, "more": 2}, "x")
    assert [(note.kind, note.detail) for note in file.notes] == [
        ("unknown_field", "more"),
        ("unknown_field", "odd"),
    ]
    assert file.metadata == {"k": 1}
