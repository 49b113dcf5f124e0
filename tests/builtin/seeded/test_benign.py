from __future__ import annotations

import json

import pytest

from replaylab.builtin.seeded import benign
from replaylab.builtin.seeded.draw import Draw
from tests.builtin.seeded.crafted import LIST, REFUSED, TOO_MANY, all_said, ground

PIECES = {"docks": [{**row, "quantity": 3} for row in LIST["docks"]]}
APPLIES = {
    "reordered": ground(LIST),
    "open_fields": ground(LIST),
    "wrapped": ground(LIST),
    "counted": ground(LIST),
    "reworded": ground(REFUSED, "get_dock", {"dock": "D-9"}),
    "coded": ground(TOO_MANY, "open_dock", {"dock": "D-2"}),
    "units_named": ground(PIECES),
}


@pytest.mark.parametrize("name", APPLIES)
def test_a_benign_shape_seeds_nothing(name: str) -> None:
    assert all(said.seeded == () for said in all_said(getattr(benign, name), APPLIES[name]))


def test_every_shape_has_its_own_case() -> None:
    assert {shape.__name__ for shape in benign.SHAPES} == set(APPLIES)


def test_all_that_is_true_is_still_said() -> None:
    for name in ("reordered", "open_fields", "wrapped", "counted"):
        for said in all_said(getattr(benign, name), APPLIES[name]):
            rows = said.observation.get("data", said.observation)["docks"]
            true = [{key: row[key] for key in LIST["docks"][0]} for row in rows]
            assert sorted(map(json.dumps, true)) == sorted(map(json.dumps, LIST["docks"]))
    (said,) = all_said(benign.counted, APPLIES["counted"], 1)
    assert said.observation["count"] == 4


def test_a_refusal_keeps_its_cause() -> None:
    assert all("D-9" in said.observation["error"] for said in all_said(benign.reworded, APPLIES["reworded"]))
    assert benign.reworded(ground(TOO_MANY, "open_dock", {"dock": "D-2"}), Draw(1)) is None
    assert all(
        said.observation["error"] == TOO_MANY["error"] for said in all_said(benign.coded, APPLIES["coded"])
    )
