from __future__ import annotations

import pytest

from replaylab.builtin.actions import SimAction, read_actions
from replaylab.builtin.asked import Refusal, read_asked
from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue
from replaylab.roles.prompts import render
from tests.builtin.playing import action, asked, said, system, told


def test_a_correction_gets_the_same_observation_again(catalogue: Catalogue, models: Responder) -> None:
    start = [system(catalogue), action("assess_patient", {"patient": "P-136"})]
    again = {"role": "user", "content": render("simulator_again", reason="it is not JSON")}
    first, second = asked(models, "twin", *start)[1], asked(models, "twin", *start, told("well"), again)[1]
    assert said(first) == said(second)
    third = asked(models, "twin", *start, told("well"), again, told("{}"), action("list_waiting", {}))[1]
    assert "P-136" in said(third)


@pytest.mark.parametrize(
    "content", ["hello", "[1]", '{"arguments": {}}', '{"name": "list_places", "arguments": []}']
)
def test_what_is_no_action_is_refused_and_its_place_named(
    catalogue: Catalogue, models: Responder, content: str
) -> None:
    status, body = asked(models, "twin", system(catalogue), {"role": "user", "content": content})
    assert (status, body["error"]["param"]) == (400, "messages[1]")


def test_a_request_without_an_action_is_refused(catalogue: Catalogue, models: Responder) -> None:
    assert asked(models, "twin", system(catalogue))[0] == 400


def test_a_correction_before_any_action_is_no_correction() -> None:
    again = {"role": "user", "content": render("simulator_again", reason="it is not JSON")}
    with pytest.raises(Refusal, match="is no action"):
        read_actions(read_asked({"model": "twin", "messages": [again]}))


def test_all_actions_are_read_in_order_and_arguments_may_be_left_out() -> None:
    messages = [action("a", {"x": 1}), told("{}"), {"role": "user", "content": '{"name": "b"}'}]
    read = read_actions(read_asked({"model": "twin", "messages": messages}))
    assert read == (SimAction("a", {"x": 1}), SimAction("b", {}))
