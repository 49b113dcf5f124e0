"""What happens in each record mode, as a table: the plugin acts on it, the manual shows it, and the tests go through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

Mode = Literal["none", "once", "new_episodes", "all"]
MODES: tuple[Mode, ...] = get_args(Mode)
Does = Literal["play", "ask", "refuse"]
AtEnd = Literal["fail", "keep", "replace"]


class Rule(NamedTuple):
    """`missing` is what a request does that is not recorded, `known` what one does that is. `unplayed` is what becomes of
    recorded answers that the test didn't ask for: the test fails, they stay in the recording, or the new one replaces it.
    """

    mode: Mode
    recorded: bool  # whether the test has a recording at its start
    known: Does
    missing: Does
    unplayed: AtEnd


def _rules(
    mode: Mode, without: tuple[Does, Does, AtEnd], having: tuple[Does, Does, AtEnd]
) -> tuple[Rule, Rule]:
    return Rule(mode, False, *without), Rule(mode, True, *having)  # noqa: FBT003 - the one place that says it


RULES: tuple[Rule, ...] = (
    # mode             without a recording            with one:  known   missing   unplayed
    *_rules("none", ("refuse", "refuse", "fail"), ("play", "refuse", "fail")),
    *_rules("once", ("ask", "ask", "keep"), ("play", "refuse", "fail")),
    *_rules("new_episodes", ("ask", "ask", "keep"), ("play", "ask", "keep")),
    *_rules("all", ("ask", "ask", "keep"), ("ask", "ask", "replace")),
)
_TABLE: Mapping[tuple[Mode, bool], Rule] = {(rule.mode, rule.recorded): rule for rule in RULES}


def rule_of(mode: Mode, recorded: bool) -> Rule:
    """The rule for a mode and a test that has a recording, or has none."""
    return _TABLE[mode, recorded]


def session_mode(rule: Rule) -> Literal["record", "offline", "extend"]:
    """How a captured session has to be opened for a rule."""
    if rule.missing == "refuse":
        return "offline"
    return "extend" if rule.known == "play" else "record"


def chosen(asked: str | None, env: Mapping[str, str], marker: str | None, ini: str | None) -> Mode:
    """The mode of a test: the command line's, else `none` in CI, else the marker's, else the configuration's, else `once`.

    Raises ValueError for a word that is no mode.
    """
    word = asked or ("none" if in_ci(env) else "") or marker or ini or "once"
    if word not in MODES:
        raise ValueError(f"{word!r} is no record mode; there are {', '.join(MODES)}")
    return word


def in_ci(env: Mapping[str, str]) -> bool:
    """Whether the variable CI says so."""
    return env.get("CI", "").strip().lower() not in ("", "0", "false", "no")


def table() -> str:
    """The rules as a Markdown table, for the manual."""
    words = {"play": "played", "ask": "asked live, recorded", "refuse": "refused, the test fails"}
    ends = {"fail": "the test fails", "keep": "stay in the recording", "replace": "are in the run before"}
    rows = [
        "| Mode | The test has a recording | A recorded request | A request that is not | Recorded, but not asked for |",
        "|---|---|---|---|---|",
    ]
    for rule in RULES:
        known = words[rule.known] if rule.recorded else "–"
        unplayed = ends[rule.unplayed] if rule.recorded else "–"
        has = "yes" if rule.recorded else "no"
        rows.append(f"| `{rule.mode}` | {has} | {known} | {words[rule.missing]} | {unplayed} |")
    return "\n".join(rows) + "\n"
