from __future__ import annotations

import json
from pathlib import PurePosixPath

import pytest
from hypothesis import given
from pydantic import ValidationError

from replaylab.schema.base import DigestField, Frozen, Json, copied, in_json, misfit
from tests.strategies import json_values


class Part(Frozen):
    name: DigestField


class Whole(Frozen):
    parts: tuple[Part, ...] = ()
    size: int = 0


@pytest.mark.parametrize("bad", ["", "0" * 63, "0" * 65, "A" * 64, "g" * 64, " " + "0" * 63])
def test_a_bad_digest_is_a_validation_error_that_names_the_field(bad: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate({"parts": [{"name": "0" * 64}, {"name": bad}]})
    assert misfit(caught.value).startswith("/parts/1/name: ")
    assert "not a digest" in misfit(caught.value)


def test_an_unknown_field_is_refused() -> None:
    with pytest.raises(ValidationError) as caught:
        Whole.model_validate({"sise": 1})
    assert misfit(caught.value).startswith("/sise: ")


def test_a_value_can_t_be_changed() -> None:
    with pytest.raises(ValidationError):
        setattr(Whole(), "size", 1)  # noqa: B010 - the type checker would refuse the plain form


def test_fields_at_their_default_are_left_out_of_the_json() -> None:
    assert Whole(size=0).to_json() == {}
    assert Whole(parts=(Part(name="0" * 64),)).to_json() == {"parts": [{"name": "0" * 64}]}


def parts(value: Json) -> set[int]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = {id(value)} if isinstance(value, (dict, list)) else set()
    return own.union(*map(parts, inner))


@given(json_values)
def test_a_copy_is_the_same_and_shares_no_list_and_no_object(value: Json) -> None:
    copy = copied(value)
    assert copy == value
    assert not parts(copy) & parts(value)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        ("it's", '"it\'s"'),
        (["Zürich", 1.5, {"a": False}], '["Zürich", 1.5, {"a": false}]'),
        ("\u202eback\ud800\x07", '"\\u202eback\\ud800\\u0007"'),
        (PurePosixPath("a/b"), '"a/b"'),
    ],
)
def test_a_value_is_shown_as_json_on_one_line_with_everything_to_be_seen(value: object, shown: str) -> None:
    assert in_json(value) == shown


@given(json_values)
def test_what_is_shown_can_be_read_back(value: Json) -> None:
    assert json.loads(in_json(value)) == json.loads(json.dumps(value))
