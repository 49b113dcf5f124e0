"""Refusals that miss what a sentence wants of a thing."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.houses import GRANTS, accused
from tests.diff.ward import call

WHAT_A_RULE_WANTS_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        GRANTS,
        (),
        call("approve", None, grant="GR-1"),
        [
            "A budget is missing; only a letter is on file.",
            "GR-1 has no budget.",
            "There is no referee yet.",
            "Budget not submitted.",
            "The budget has not been filed.",
            "Without a budget GR-1 can't be approved.",
            "GR-1 lacks a budget and a referee.",
            "We still wait for the budget.",
            "Incomplete: budget, referee.",
            "The file of GR-1 is incomplete: it has only a letter.",
            "No referee has been named.",
        ],
    ),
    (
        GRANTS,
        (),
        call("pay_out", None, grant="GR-3"),
        [
            "No signed contract is on file.",
            "The contract is missing.",
            "GR-3 has no contract.",
            "There is no contract for GR-3.",
            "A signed contract has not been received.",
        ],
    ),
    (
        GRANTS,
        (),
        call("pay_out", None, grant="GR-1"),
        ["No IBAN on file.", "GR-1 has no bank details (IBAN).", "The IBAN of GR-1 is missing."],
    ),
    (
        GRANTS,
        (),
        call("visit", None, grant="GR-1", staff="ST-2"),
        ["Ymir has no car.", "ST-2 is without a car.", "ST-2 doesn't have a car.", "A car is missing."],
    ),
]

WHAT_A_RULE_WANTS_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        GRANTS,
        (),
        call("approve", None, grant="GR-2"),
        [
            "A budget is missing; only a letter is on file.",
            "GR-2 has no budget.",
            "There is no referee yet.",
            "A tax form is missing.",
            "GR-2 lacks an ethics vote.",
            "No site plan has been filed.",
            "Incomplete: photo.",
            "We still wait for the auditor's report.",
            "A second referee is missing.",
        ],
    ),
    (
        GRANTS,
        (),
        call("pay_out", None, grant="GR-2"),
        [
            "No contract is on file.",
            "The IBAN of GR-2 is missing.",
            "A stamp is missing.",
            "GR-2 has no cost centre.",
        ],
    ),
    (GRANTS, (), call("visit", None, grant="GR-1", staff="ST-1"), ["Rea has no car.", "ST-1 is on leave."]),
]


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_A_RULE_WANTS_TRUE)
def test_what_a_rule_wants_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_A_RULE_WANTS_INVENTED)
def test_what_a_rule_wants_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts
