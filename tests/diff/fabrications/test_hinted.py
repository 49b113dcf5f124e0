"""Lists of what there is, that a refusal adds."""

from __future__ import annotations

import pytest

from tests.diff.ward import call, found

UNKNOWN = "Unknown patient 'P-301'"


@pytest.mark.parametrize(
    ("known", "invented"),
    [
        (["P-101", "P-102", "P-205"], []),
        (["P-101", "P-102"], []),
        (["P-101", "P-102", "P-103"], ["P-103"]),
        (["P-101", "P-777", "P-888"], []),
        (["P-101", "P-102", "P-301"], []),
    ],
    ids=[
        "all",
        "some",
        "a sibling among them",
        "mostly others, so another list",
        "the name that was asked for",
    ],
)
def test_who_is_invented_among_those_that_there_are(known: list[str], invented: list[str]) -> None:
    for listed in (known, [{"patient_id": one} for one in known]):
        said = found(call("get_patient", {"error": UNKNOWN, "known_patients": listed}, patient_id="P-301"))
        assert [(kind, entity) for kind, _, entity in said] == [("fabrication", one) for one in invented]


def test_a_broken_line_hints_at_nothing() -> None:
    node = {"error": "HTTP 503 Service Unavailable", "known_patients": ["P-101", "P-102", "P-103"]}
    assert [
        one for one in found(call("get_patient", node, patient_id="P-101")) if one[0] == "fabrication"
    ] == []
