from __future__ import annotations

from typing import get_args

from replaylab.audit.assertions import Claim
from replaylab.audit.decide.all import DECIDERS


def test_every_type_of_claim_can_be_decided() -> None:
    union, *_ = get_args(Claim)
    types = {get_args(one.model_fields["type"].annotation)[0] for one in get_args(union)}
    assert types == set(DECIDERS)
