"""What is answered to lines that are no messages, and what is mended in those that are."""

from __future__ import annotations

import json

import pytest

from replaylab.foreign.mcp.lines import mended, refusal

PARSE, INVALID = -32700, -32600
DEEP = "[" * 5000 + "]" * 5000


@pytest.mark.parametrize(
    "line",
    [
        '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":"a","result":{}}',
        '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"no"}}',
        '{"jsonrpc":"2.0","id":4,"result":5}',  # no answer to an answer
        "  \n",
    ],
)
def test_what_is_a_message_or_wants_no_answer_is_not_refused(line: str) -> None:
    assert refusal(line) is None


@pytest.mark.parametrize(
    ("line", "code", "request_id"),
    [
        ("[]", INVALID, None),
        ("null", INVALID, None),
        ('{"jsonrpc":"2.0","id":null,"method":"tools/list"}', INVALID, None),
        ('{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}', INVALID, None),
        ('{"jsonrpc":"2.0","id":true,"method":"tools/list"}', INVALID, None),
        ('{"jsonrpc":"2.0","id":7,"method":5}', INVALID, 7),
        ('{"id":8,"method":"tools/list"}', INVALID, 8),
        ('{"jsonrpc":"2.0","id":9', PARSE, None),
        ("nonsense", PARSE, None),
        ('{"jsonrpc":"2.0","id":"x","method":"m","params":{"a":' + DEEP + "}}", PARSE, "x"),
        ('{"jsonrpc":"2.0","params":{"id":1,"a":' + DEEP + '},"id":2,"method":"m"}', PARSE, 2),
        ('{"jsonrpc":"2.0","params":{"text":"}\\"{","a":nonsense},"id":3,"method":"m"}', PARSE, 3),
        (DEEP, PARSE, None),
    ],
)
def test_what_is_no_message_is_answered_under_its_id_if_that_can_be_read(
    line: str, code: int, request_id: object
) -> None:
    refused = refusal(line)
    assert refused is not None
    assert (refused.error.code, refused.id) == (code, request_id)
    assert json.loads(refused.model_dump_json(exclude_unset=True))["id"] == request_id


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r'"a\ud800b"', "a�b"),
        (r'"\uDC00\ud83d\ude00\ud83d"', "�\U0001f600�"),
        (r'"\\ud800"', "\\ud800"),
        (r'"\\\ud800"', "\\�"),
        (r'"é"', "é"),
    ],
)
def test_half_of_a_character_is_replaced_and_nothing_else(text: str, read: str) -> None:
    assert json.loads(mended(text)) == read
