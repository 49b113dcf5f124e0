from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import MAX_SAFE_INTEGER, canonical
from replaylab.roles.parsing import Unparsable, kind_of, one_json, one_json_object, split_thinking

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_SAFE_INTEGER, MAX_SAFE_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    | st.sampled_from(["}", "{", "{{x}}", '"', "```", "\\", "[1]", "it's"])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("ab{}\"'é", max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text('abc{}" é', max_size=5), VALUES, max_size=4)
NOISE = st.sampled_from(["", "Sure.\n", "It's {room}: ", "as in [1], ", "[sic] ", '6" pipe" ', "🙂 "])


def reason(text: str, kinds: frozenset[str] = frozenset({"object"})) -> str:
    with pytest.raises(Unparsable) as caught:
        one_json(text, kinds)
    assert caught.value.kind == "unparsable"
    return caught.value.what


@given(OBJECTS, NOISE, NOISE, st.sampled_from([None, 2]), st.booleans())
def test_any_object_is_found_in_any_noise(
    value: dict[str, Any], before: str, after: str, indent: int | None, ascii_only: bool
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    for wrapped in (
        text,
        f"\n {text}\n",
        f"```json\n{text}\n```",
        f"{before}```json\n{text}\n```\n{after}",
        f"<predicted_observation>\n{text}\n</predicted_observation>",
        f"{before}<predicted_observation>```\n{text}\n```</predicted_observation>{after}",
        f"<predicted_observation>{text}",
        f'<think>perhaps {{"draft": 1}}, or {{</think>{before}{text}{after}',
        f"{before}{text}{after}",
    ):
        assert canonical(one_json_object(wrapped)) == canonical(value), wrapped


@given(OBJECTS.filter(bool), st.data())
def test_no_piece_of_a_cut_object_passes_for_the_whole(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = data.draw(st.integers(1, len(text) - 1))
    for wrapped in (text[:cut], f"```json\n{text[:cut]}", f"<predicted_observation>{text[:cut]}"):
        with pytest.raises(Unparsable):
            one_json_object(wrapped)


@given(OBJECTS, OBJECTS)
def test_two_objects_count_only_when_identical(one: dict[str, Any], two: dict[str, Any]) -> None:
    text = f"First {json.dumps(one)} and then {json.dumps(two)}."
    if canonical(one) == canonical(two):
        assert canonical(one_json_object(text)) == canonical(one)
    else:
        assert reason(text) == "it holds several different JSON values"


@given(st.text(max_size=60) | st.text('{}[]" \\a1:,`', max_size=25))
def test_any_text_gives_an_object_or_a_fixed_reason(text: str) -> None:
    try:
        value = one_json_object(text)
        assert isinstance(value, dict)
        assert text.strip()[:1] != "{" or canonical(value) == canonical(one_json_object(f"So: {text} Done."))
    except Unparsable as error:
        assert error.what.startswith("it ")  # noqa: PT017 - either is fine, but never a third thing


@pytest.mark.parametrize("opening", ['{"a":', "[{", "{", "[", "{x ", "[x ", "[x] ", '{"', "<think>", '\\"{'])
def test_a_long_run_of_openings_is_refused_quickly(opening: str) -> None:
    for text in (opening * 4000, opening * 2000 + "}" * 2000, opening * 2000 + "]" * 2000):
        with pytest.raises(Unparsable):
            one_json_object(text)


def test_the_tagged_object_counts_when_it_comes_last() -> None:
    text = 'Maybe {"a": 1}.\n<predicted_observation>{"a": 2}</predicted_observation> Done.'
    assert one_json_object(text) == {"a": 2}


def test_an_object_after_the_tagged_one_makes_the_answer_ambiguous() -> None:
    text = '<predicted_observation>{"a": 2}</predicted_observation> {"a": 1}'
    assert reason(text) == "it holds several different JSON values"


def test_two_different_tagged_objects_are_ambiguous() -> None:
    tagged = "<predicted_observation>{}</predicted_observation>"
    text = tagged.replace("{}", '{"a": 1}') + tagged.replace("{}", '{"a": 2}')
    assert reason(text) == "it holds several different JSON values"


def test_a_tag_inside_a_string_is_part_of_the_string() -> None:
    value = {"html": '<predicted_observation>{"x": 1}</predicted_observation></think>'}
    assert one_json_object(json.dumps(value)) == value
    assert one_json_object(f"```json\n{json.dumps(value)}\n```") == value
    with pytest.raises(Unparsable):
        one_json_object(f"Here: {json.dumps({'html': '<predicted_observation>{}</predicted_observation>'})}")


def test_doubled_braces_are_read_as_single_ones_when_nothing_else_is_json() -> None:
    assert one_json_object('{{"error": "Insufficient water in tank"}}') == {
        "error": "Insufficient water in tank"
    }
    assert one_json_object('{{"a": {{"b": {{}}}}}}') == {"a": {"b": {}}}
    assert one_json_object('{{"a": {"b": {"c": 1}}}}') == {"a": {"b": {"c": 1}}}
    assert one_json_object('`{{"note": "use {{x}} and }}"}}`') == {"note": "use {{x}} and }}"}


def test_doubled_braces_that_are_json_as_they_stand_are_kept() -> None:
    assert one_json_object('{"a": {"b": {"c": "{{x}}"}}}') == {"a": {"b": {"c": "{{x}}"}}}


def test_an_object_inside_a_list_is_not_an_observation() -> None:
    assert reason('[{"a": 1}]') == "it is JSON of the kind array, not object"
    assert reason('Result: [{"a": 1}]') == "it is JSON of the kind array, not object"
    assert reason('[{"a": 1}, {"b"') == "it holds JSON that ends before it is complete"
    assert reason('[{"a": 1}, oops]') == "it holds something like JSON that is not strict JSON"
    assert reason('{status: {"a": 1}}') == "it holds no JSON object"


def test_a_remark_in_square_brackets_may_hold_the_object() -> None:
    assert one_json_object('[as asked: {"a": 1}]') == {"a": 1}


def test_brackets_that_close_each_other_wrongly_make_the_answer_unusable() -> None:
    assert reason('{"a": [1}] {"b": 2}') == "it holds JSON that ends before it is complete"


def test_a_list_or_a_null_counts_only_where_it_is_allowed() -> None:
    assert one_json("```json\n[1, 2]\n```", frozenset({"object", "array"})) == [1, 2]
    assert one_json("The rows: [1, 2]", frozenset({"object", "array"})) == [1, 2]
    tagged = "<think>hm</think> <predicted_observation>null</predicted_observation>"
    assert one_json(tagged, frozenset({"object", "null"})) is None
    assert one_json('{"error": "x"}', frozenset({"object", "null"})) == {"error": "x"}
    assert reason("null") == "it is JSON of the kind null, not object"
    assert (
        reason("null", frozenset({"array", "object"})) == "it is JSON of the kind null, not object or array"
    )
    assert reason("The result is null", frozenset({"object", "null"})) == "it holds no JSON object or null"


@pytest.mark.parametrize("text", ["true", "7", '"{\\"a\\": 1}"', "", "  ", "I can't.", "{'a': 1}"])
def test_what_is_no_object_is_refused(text: str) -> None:
    assert reason(text)


def test_a_loose_brace_in_prose_is_prose() -> None:
    assert one_json_object('set { of {"a": 1}  :-{') == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        '{"a": 9007199254740993}',
        '{"a": "\\ud800"}',
        '{"a": 1,}',
        '{"a": 01}',
    ],
)
def test_only_strict_json_counts(text: str) -> None:
    assert reason(text) == "it holds something like JSON that is not strict JSON"
    assert reason(f'Draft {{"a": 1}}, final {text}') == "it holds something like JSON that is not strict JSON"
    assert one_json_object(f'Draft {text}, final {{"a": 1}}') == {"a": 1}


def test_thinking_is_dropped_even_when_its_tags_are_not_paired() -> None:
    assert one_json_object('so {"a": 1}</think>\n{"a": 2}') == {"a": 2}
    assert one_json_object('<think>{"a": 1}</think><think>{"a": 2}</think>{"a": 3}') == {"a": 3}
    assert reason('<think>I would answer {"a": 1}') == "it holds no JSON object"
    assert split_thinking("<think>\nhm\n</think>\n\nDone.") == ("hm", "Done.")
    assert split_thinking("Done.") == ("", "Done.")


def test_kinds_are_those_of_json() -> None:
    values: list[Any] = [None, True, 1, 1.5, "", [], {}]
    assert [kind_of(v) for v in values] == [
        "null",
        "boolean",
        "number",
        "number",
        "string",
        "array",
        "object",
    ]
