from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from replaylab.pytest_plugin.modes import MODES, RULES, chosen, in_ci, rule_of, session_mode, table

REPO = Path(__file__).resolve().parents[2]


def test_there_is_one_rule_for_each_case() -> None:
    cases = [(rule.mode, rule.recorded) for rule in RULES]
    assert sorted(cases) == sorted(itertools.product(MODES, (False, True)))


def test_none_never_asks() -> None:
    assert {word for has in (False, True) for word in rule_of("none", has)[2:4]} == {"refuse", "play"}
    assert session_mode(rule_of("none", False)) == session_mode(rule_of("none", True)) == "offline"


@pytest.mark.parametrize(
    ("mode", "recorded", "session"),
    [
        ("once", False, "record"),
        ("once", True, "offline"),
        ("new_episodes", False, "record"),
        ("new_episodes", True, "extend"),
        ("all", False, "record"),
        ("all", True, "record"),
    ],
)
def test_the_session_that_a_rule_opens(mode: str, recorded: bool, session: str) -> None:
    assert session_mode(rule_of(mode, recorded)) == session  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("asked", "ci", "marker", "ini", "mode"),
    [
        (None, "", None, None, "once"),
        (None, "", None, "none", "none"),
        (None, "", "all", "none", "all"),
        (None, "true", "all", "all", "none"),
        ("new_episodes", "true", "all", "none", "new_episodes"),
        (None, "1", None, None, "none"),
        (None, "false", None, None, "once"),
    ],
)
def test_who_decides_the_mode(
    asked: str | None, ci: str, marker: str | None, ini: str | None, mode: str
) -> None:
    assert chosen(asked, {"CI": ci} if ci else {}, marker, ini) == mode


def test_a_word_that_is_no_mode_is_refused() -> None:
    with pytest.raises(ValueError, match="'ever' is no record mode"):
        chosen("ever", {}, None, None)


@pytest.mark.parametrize(
    ("value", "is_ci"), [("", False), ("0", False), ("False", False), ("true", True), ("yes", True)]
)
def test_what_counts_as_ci(value: str, is_ci: bool) -> None:
    assert in_ci({"CI": value}) == is_ci


def test_the_manual_shows_the_table() -> None:
    assert table() in (REPO / "PYTEST.md").read_text("utf-8")
