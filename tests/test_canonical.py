from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from replaylab.canonical import (
    MAX_SAFE_INTEGER,
    Digest,
    NotIJson,
    _parsed_plain,
    canonical,
    digest,
    digest_bytes,
    indented,
    parse_strict,
)
from replaylab.errors import UsageError
from tests.strategies import json_values, json_values_of, texts


@given(json_values)
@example({"\U0001f600": 1, "\ufb33": 2})
@example([1e-7, 1e21, 0.001, 1e15, -0.0, 38.0, 5e-324, 0.1 + 0.2])
@example('\x7f\u2028\u2029\x00\x1f\\"/')
def test_the_fast_path_writes_what_rfc_8785_writes(value: Any) -> None:
    assert canonical(value) == rfc8785.dumps(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_is_written_as_rfc_8785_writes_it(number: float) -> None:
    assert canonical({"n": number}) == rfc8785.dumps({"n": number})


# A double beyond 2**53 is written as an integer that no reader may take for exact: canonical bytes are for hashing.
@given(json_values_of(st.floats(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)))
def test_canonical_bytes_parse_to_a_value_with_the_same_canonical_bytes(value: Any) -> None:
    assert canonical(parse_strict(canonical(value))) == canonical(value)


@given(json_values | json_values_of(st.floats(allow_nan=False, allow_infinity=False)))
@example([1e16, 1e15, -1e16, 1e22, 1e-4, -1e-4, 1e-5, -0.00001, 0.00012, 5e-324, -0.0, 1.5e300])
@example({"a 1e5\n": "1e-7", "b": ["0.00001", {}, [], [{}]], "": 2**63})
@example(['\x7f\u2028\x00\x1f\\"/\b\f\n\r\t\x85', "\ud800"])
def test_what_is_indented_at_once_is_what_json_writes(value: Any) -> None:
    found = indented(json.dumps([value], ensure_ascii=False))
    assert found is None or found.decode() == json.dumps([value], ensure_ascii=False, indent=2)


def test_json_without_long_numbers_and_surrogates_is_indented_at_once() -> None:
    assert (
        indented('{"a": [1.5, -2, "b", 1e-07]}')
        == b'{\n  "a": [\n    1.5,\n    -2,\n    "b",\n    1e-07\n  ]\n}'
    )
    assert indented("[0.0012345678901234567]") == b"[\n  0.0012345678901234567\n]"
    assert indented('{"a": 1, "a": 1}') is None
    assert indented("[9223372036854775808]") is None
    assert indented('["\ud800"]') is None


@given(st.dictionaries(texts, st.integers(-5, 5), min_size=2))
def test_key_order_does_not_matter(value: dict[str, int]) -> None:
    assert canonical(dict(reversed(value.items()))) == canonical(value)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        [-float("inf")],
        MAX_SAFE_INTEGER + 1,
        -MAX_SAFE_INTEGER - 1,
        "\ud800",
        {"\udfff": 1},
    ],
)
def test_what_has_no_canonical_form_is_refused_and_not_changed(value: Any) -> None:
    with pytest.raises(NotIJson, match="no canonical form"):
        canonical(value)


def test_objects_that_are_no_json_are_refused() -> None:
    with pytest.raises(NotIJson):
        canonical({"a": object()})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "a": 2}', "'a' stands twice"),
        ("[NaN]", "NaN"),
        ("[-Infinity]", "Infinity"),
        ("[1e400]", "no double"),
        ("[9007199254740993]", "beyond"),
        ('["\\ud800"]', "surrogate"),
        ('{"\\udc00": 1}', "surrogate"),
        ("\ufeff{}", "not JSON"),
        ("", "not JSON"),
        ("{} {}", "not JSON"),
        ("[" * 300 + "]" * 300, "nested deeper"),
        ("[" * 100_000, "nested"),
    ],
)
def test_what_is_not_i_json_is_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(NotIJson, match=why):
        parse_strict(text)


def test_bytes_that_are_not_utf_8_are_refused() -> None:
    with pytest.raises(NotIJson):
        parse_strict(b'"\xff"')


@given(json_values)
def test_what_json_writes_is_read_back(value: Any) -> None:
    assert parse_strict(json.dumps(value)) == value


def test_a_digest_is_the_sha_256_of_the_canonical_bytes() -> None:
    value = {"b": [1, 2.5], "a": "\u00e9"}
    expected = hashlib.sha256('{"a":"\u00e9","b":[1,2.5]}'.encode()).hexdigest()
    assert digest(value) == expected == digest_bytes(canonical(value))


@pytest.mark.parametrize("text", ["", "a" * 63, "A" * 64, "g" * 64, "a" * 65])
def test_a_digest_is_64_lower_case_hex_digits(text: str) -> None:
    with pytest.raises(UsageError, match="not a digest"):
        Digest(text)


def test_a_digest_among_values_is_a_string_and_as_fast_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    # A request is made of digests, and the slow form costs several times as much.
    plain = canonical({"messages": ["0" * 64]})
    monkeypatch.setattr("replaylab.canonical.rfc8785.dumps", None)
    assert canonical({"messages": [Digest("0" * 64)]}) == plain


def nested(depth: int, opening: str = "[", closing: str = "]") -> str:
    return opening * depth + "1" + closing * depth


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_a_value_may_be_nested_200_deep_and_no_deeper(opening: str, closing: str) -> None:
    parse_strict(nested(200, opening, closing))
    with pytest.raises(NotIJson, match="nested deeper than 200"):
        parse_strict(nested(201, opening, closing))


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert parse_strict("[" + ",".join(["[1]"] * 500) + "]") == [[1]] * 500


@pytest.mark.parametrize("escape", ["\\ud800", "\\uD800", "\\uDFFF\\uD800"])
def test_a_lone_surrogate_is_found_wherever_it_stands(escape: str) -> None:
    for text in (f'"{escape}"', f'[1, {{"a": "x{escape}"}}]', f'{{"a": {{"{escape}": 1}}}}'):
        with pytest.raises(NotIJson, match="surrogate"):
            parse_strict(text)


numbers = st.sampled_from(
    [
        "0",
        "-0",
        "-0.0",
        "1",
        "1.0",
        "1e5",
        "1E5",
        "0.1e1",
        "1e-400",
        "1e400",
        "12345678901234567",
        "9007199254740991",
        "9007199254740992",
        "-9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "123456789012345678901234",
        "1e22",
        "5e-324",
        "NaN",
        "-Infinity",
        "01",
        "1.",
        ".5",
        "+1",
    ]
)
strings = st.sampled_from(
    ['""', '"a"', '"b"', '"a:b"', '":"', '"e1"', r'"\n"', r'"\u003a"', r'"\ud800"', '"\ud800"', '"ü"', '"\t"']
)
texts_of_json = st.recursive(
    numbers | strings | st.sampled_from(["true", "null", "x", ""]),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda parts: "[" + ", ".join(parts) + "]"),
        st.lists(st.tuples(strings, st.sampled_from([":", ": ", " :"]), inner), max_size=4).map(
            lambda pairs: "{" + ",".join(map("".join, pairs)) + "}"
        ),
    ),
    max_leaves=12,
)


@given(texts_of_json, st.sampled_from(["{}", " {} ", "\ufeff{}", "{} x", "[{}"]))
@example('{"a":1,"a:":2,"a":3}', "{}")
@example('{"a":{":":1},"a":2}', "{}")
@example("[18446744073709551616]", "{}")
@example("123456789012345678901234", "{}")
@example("9007199254740992", "{}")
@settings(max_examples=400)
def test_the_fast_parser_gives_what_the_strict_one_gives_or_leaves_it_to_it(text: str, around: str) -> None:
    text = around.replace("{}", text)
    found = _parsed_plain(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("replaylab.canonical._parsed_plain", lambda text: None)
        strict = outcome(text)
    assert outcome(text) == strict
    if found is not None and "\\u" not in text:
        assert repr(found[0]) == strict


def outcome(text: str) -> str:
    try:
        return repr(parse_strict(text))
    except NotIJson as error:
        return f"refused: {error.what}"
