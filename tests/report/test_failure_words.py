from __future__ import annotations

from typing import get_args

import pytest

from replaylab.cli.failures import CONNECTION
from replaylab.report.failure_words import WORDS, in_words, kind_of
from replaylab.schema.interaction import FailureKind


def test_every_kind_of_failure_has_words() -> None:
    assert set(get_args(FailureKind)) <= set(WORDS)
    assert set(WORDS) >= CONNECTION


@pytest.mark.parametrize(
    ("error", "words", "kind"),
    [
        ("turn 0: refused", "turn 0: no connection could be made", "refused"),
        ("call 12: timeout", "call 12: no answer came in time", "timeout"),
        ("refused", "no connection could be made", "refused"),
        ("turn 0: something new", "turn 0: something new", "turn 0: something new"),
        ("turn 3: novel", "turn 3: novel", "novel"),
    ],
)
def test_a_failure_is_said_in_words_and_what_is_unknown_stays(error: str, words: str, kind: str) -> None:
    assert (in_words(error), kind_of(error)) == (words, kind)
