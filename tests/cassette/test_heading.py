"""Headers share what they say alike, and say what does not fit as if they shared nothing."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
from pydantic import ValidationError

from replaylab.cassette.codec import Cassette
from replaylab.cassette.heading import Headings
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Header
from tests.playground import only_cassette, record


@pytest.fixture(scope="module")
def fields(tmp_path_factory: pytest.TempPathFactory) -> JsonObject:
    library, _ = record(tmp_path_factory.mktemp("library"), votes=1)
    path: Path = only_cassette(library)
    return Cassette(path.read_bytes(), where="x.cassette").header.to_json() | {"type": "header"}


def test_a_header_read_by_its_parts_is_the_header_read_as_a_whole(fields: JsonObject) -> None:
    headings, whole = Headings(), Header.model_validate(fields)
    for _ in range(2):  # the second time out of what is known
        assert headings.read(copy.deepcopy(fields)) == whole


def test_headers_share_the_parts_in_which_they_say_the_same(fields: JsonObject) -> None:
    headings = Headings()
    other = copy.deepcopy(fields) | {"created": "another time"}
    other["task"]["instruction"] += " At once."
    first, second = headings.read(fields), headings.read(other)
    assert first.environment is second.environment
    assert second.task.instruction == first.task.instruction + " At once."


def test_a_number_and_what_only_equals_it_are_not_shared(fields: JsonObject) -> None:
    headings, other = Headings(), copy.deepcopy(fields)
    fields["environment"]["initial_state"] = {"level": 1}
    other["environment"]["initial_state"] = {"level": True}
    assert headings.read(fields).environment.initial_state["level"] is not True
    assert headings.read(other).environment.initial_state["level"] is True


def test_what_does_not_fit_is_named_from_the_header_down(fields: JsonObject) -> None:
    wrong = copy.deepcopy(fields)
    wrong["task"]["difficulty"] = "hard"
    with pytest.raises(ValidationError) as caught:
        Headings().read(wrong)
    assert caught.value.errors()[0]["loc"] == ("task", "difficulty")


def test_the_players_of_one_header_are_not_those_of_another(fields: JsonObject) -> None:
    headings = Headings()
    first, second = headings.read(fields), headings.read(fields)
    assert first.players == second.players
    assert first.players is not second.players


def test_what_is_kept_is_bounded_by_its_size(fields: JsonObject) -> None:
    headings = Headings(most=100_000)
    for number in range(40):
        fields["environment"]["notes"] = [str(number) * 10_000]
        assert headings.read(fields).environment.notes == (str(number) * 10_000,)
        assert sum(len(key[1]) for key in headings._known) <= 120_000
