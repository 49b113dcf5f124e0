"""The finding that a name stands for nothing which a collection holds."""

from __future__ import annotations

from replaylab.diff.fabrications.unknown_reference import unknown_reference
from tests.diff.ward import call, look, patients


def test_the_finding_says_what_does_what_and_what_comes_closest() -> None:
    now = look(call("list_patients", patients("P-101")))
    nurses = next(one for one in now.contract.collections if one.name == "nurses")
    found = unknown_reference(
        now,
        nurses,
        "N-9",
        "/patients/0/nurse",
        says="refers to 'N-9' as nurse",
        observed="N-9",
        confidence=0.6,
    )
    assert (found.kind, found.subkind, found.entity) == ("fabrication", "unknown_reference", "N-9")
    assert (found.pointer, found.contract) == ("/patients/0/nurse", "/initial_state/nurses")
    assert "refers to 'N-9' as nurse, which /initial_state/nurses does not hold; closest: N-" in found.message
