"""Ways to say that something does not exist."""

from __future__ import annotations

import pytest

from replaylab.diff.refusals.unknown import says_unknown
from tests.diff.ward import call, found, ward


@pytest.mark.parametrize(
    "text",
    [
        "No robot is registered as R-1",
        "No snapshot R-1. Restorable: R-2, R-3",
        "Snapshot R-1 is not among the backups (R-2)",
        "Nothing is filed under R-1",
        "The network holds no clearance under R-1",
        "Nobody here is called R-1",
        "No entry goes by the name of R-1",
        "We have no robot R-1",
        "R-1 is not one of our robots",
        "R-1 isn't on the roster",
        "R-1 is not part of the fleet list",
        "R-1 does not appear in the plan",
        "R-1 matches no robot",
        "R-1 doesn't match any robot",
        "R-1 is absent from the registry",
        "Robot 'R-1' has never been registered",
        "I don't know R-1",
        "There isn't any R-1",
        "The system does not recognise robot R-1",
        "The depot holds no robot under R-1",
        "The depot keeps no such robot with the number R-1",
        "R-1 was never issued by this depot",
    ],
)
def test_there_is_none_of_this_name(text: str) -> None:
    assert says_unknown(text, ["R-1"])


@pytest.mark.parametrize(
    "text",
    [
        "No patient R-1 may be moved",
        "No transfer of R-1 is allowed",
        "No lock is held on R-1",
        "No operator is assigned to R-1",
        "R-1 is not among the approved robots",
        "R-1 is not one of the available beds",
        "R-1 does not match the order",
        "R-1 is missing a wheel",
        "R-1 does not have enough battery",
        "A permit was never issued for R-1",
    ],
)
def test_what_may_not_or_has_not_exists(text: str) -> None:
    assert not says_unknown(text, ["R-1"])


LISTED = {"available_backups": ["v2.4.1", "v2.4.0"]}


@pytest.mark.parametrize(
    "text",
    [
        "No snapshot {}. Restorable: v2.4.1, v2.4.0",
        "{} is not among the backups",
        "No backup is recorded as {}",
    ],
)
def test_what_exists_is_denied_and_what_does_not_is_unknown(text: str) -> None:
    """Also where the argument is not called a name, and is written like one."""

    def said(version: str) -> list[tuple[str, ...]]:
        one = call("order_stock", {"error": text.format(version)}, item="Gauze-10", target_version=version)
        return found(one, of=ward(state=LISTED))

    assert said("v2.4.0") == [("omission", "denial", "v2.4.0")]
    assert said("v2.2.0") == []
