"""Refusals of two arguments that name one thing."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.houses import PURSES, accused
from tests.diff.ward import call

EQUAL_ARGUMENTS_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        PURSES,
        (),
        call("merge_contacts", None, contact="C-2", into="C-2"),
        [
            "A contact can't be merged into itself.",
            "C-2 cannot be merged with itself.",
            "Both are the same contact.",
            "The two contacts must differ.",
            "Source and target are identical.",
            "contact and into are the same.",
            "Pick two different contacts.",
            "Nothing to merge: it is one and the same contact.",
        ],
    ),
    (
        PURSES,
        (),
        call("transfer", None, from_purse="PU-1", to_purse="PU-1", coins=3),
        [
            "A purse can't pay itself.",
            "Sender and receiver are the same.",
            "Transfers go to another purse.",
            "from_purse and to_purse must not be equal.",
            "Cannot transfer to the same purse.",
        ],
    ),
    (
        PURSES,
        (),
        call("block", None, task="TK-1", waits_for="TK-1"),
        [
            "TK-1 can't wait for itself.",
            "A task does not block itself.",
            "That would be a cycle: TK-1 waits for TK-1.",
            "Circular: a task cannot depend on itself.",
        ],
    ),
]

EQUAL_ARGUMENTS_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        PURSES,
        (),
        call("merge_contacts", None, contact="C-1", into="C-2"),
        [
            "A contact can't be merged into itself.",
            "Both are the same contact.",
            "Source and target are identical.",
            "Contacts of different groups can't be merged.",
            "The two contacts must differ.",
            "Pick two different contacts.",
        ],
    ),
    (
        PURSES,
        (),
        call("transfer", None, from_purse="PU-1", to_purse="PU-2", coins=3),
        [
            "Sender and receiver are the same.",
            "Cannot transfer to the same purse.",
            "from_purse and to_purse must not be equal.",
            "Transfers are paused at night.",
        ],
    ),
    (
        PURSES,
        (),
        call("block", None, task="TK-1", waits_for="TK-2"),
        ["TK-1 can't wait for itself.", "That would be a cycle: TK-2 waits for TK-1.", "TK-1 is frozen."],
    ),
]


@pytest.mark.parametrize(("of", "before", "made", "texts"), EQUAL_ARGUMENTS_TRUE)
def test_equal_arguments_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), EQUAL_ARGUMENTS_INVENTED)
def test_equal_arguments_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts
