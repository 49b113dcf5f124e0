from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from replaylab.schema.cassette import ORIGIN, Header, Limits, Provenance, evidence_of
from tests.derive.recording import header


def without(role: str, **changed: object) -> Header:
    fields = header().to_json() | changed
    fields["players"].pop(role)
    return Header.model_validate(fields | {"type": "header"})


@pytest.mark.parametrize("role", ["agent", "simulator", "verifier"])
def test_somebody_plays_each_role_of_a_trial(role: str) -> None:
    with pytest.raises(ValidationError, match=f"nobody plays the role {role}"):
        without(role)


def test_in_lockstep_somebody_plays_the_simulator_that_was_recorded() -> None:
    with pytest.raises(ValidationError, match=f"nobody plays the role {ORIGIN}"):
        without(ORIGIN, mode="lockstep/own")
    assert ORIGIN not in without(ORIGIN).players


def test_what_is_no_trial_may_have_other_roles() -> None:
    subject = header().subject.to_json() | {"kind": "capture"}
    assert "agent" not in without("agent", subject=subject).players


@pytest.mark.parametrize("votes", [-1, 1000, 10**12])
def test_nobody_votes_without_end(votes: int) -> None:
    with pytest.raises(ValidationError):
        Limits(votes=votes)


def test_an_import_has_the_roles_of_a_trial() -> None:
    subject = header().subject.to_json() | {"kind": "import"}
    with pytest.raises(ValidationError, match="nobody plays the role simulator"):
        without("simulator", subject=subject)


@pytest.mark.parametrize(
    ("ways", "evidence"),
    [
        (["recorded", "recorded"], "recorded"),
        (["copied", "recorded"], "recorded"),
        (["imported", "recorded"], "imported"),
        (["copied", "authored"], "authored"),
        (["imported", "authored"], "authored"),
    ],
)
def test_one_lane_that_nobody_recorded_makes_the_trial_so(ways: list[Any], evidence: str) -> None:
    lanes = {f"lane{n}": Provenance(how=how) for n, how in enumerate(ways)}
    assert evidence_of(header().model_copy(update={"lanes": lanes})) == evidence
