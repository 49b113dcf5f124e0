from __future__ import annotations

import csv
import io
import itertools
from typing import Any
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.score_trials import (
    FIELDS,
    OUTCOMES,
    Behind,
    Names,
    embedded,
    groups,
    ledger_line,
    place,
    trials_csv,
)
from replaylab.score.facts import Trial
from replaylab.score.value import Selector
from tests.report.scored import HOSTILE, LONG, Size, study

STUDY = study(Size(agents=("a", "b", "c"), simulators=("s", "t"), industries=2, scenarios=2))
SELECTORS = st.lists(
    st.builds(
        Selector,
        agent=st.sampled_from(["", "a", "b", "c", "nobody"]),
        simulator=st.sampled_from(["", "s", "t"]),
        faults=st.sampled_from(["", "E0", "E2"]),
        outcome=st.sampled_from(["", *OUTCOMES]),
        industry=st.sampled_from(["", "Agriculture & Environment"]),
    ),
    max_size=12,
)


def taken(selector: Selector, trial: Trial) -> bool:
    """The meaning of a selector, one field after the other."""
    values = dict(zip(FIELDS, place(trial), strict=True))
    return all(values[name] == wanted for name, wanted in selector.to_json().items())


@given(SELECTORS)
def test_a_set_of_trials_is_those_that_any_selector_takes(selectors: list[Selector]) -> None:
    mask = Behind(STUDY.trials).mask(selectors)
    for number, trial in enumerate(STUDY.trials):
        assert bool(mask >> number & 1) == any(taken(one, trial) for one in selectors)
    counts = Behind(STUDY.trials).count(mask)
    assert sum(counts.values()) == mask.bit_count()


@given(SELECTORS)
def test_fewer_groups_take_the_same_trials(selectors: list[Selector]) -> None:
    found = groups(selectors)
    assert len(found) <= len(selectors)
    for trial in STUDY.trials:
        values = place(trial)
        now = any(
            all(not some or value in some for some, value in zip(group, values, strict=True))
            for group in found
        )
        assert now == any(taken(one, trial) for one in selectors)


def test_groups_that_differ_in_one_field_become_one() -> None:
    pairs = [Selector(agent=a, simulator=s, faults="E0") for a, s in itertools.product("abc", "st")]
    assert groups(pairs) == ((("a", "b", "c"), ("s", "t"), (), ("E0",), (), (), (), ()),)
    assert groups([Selector(agent="a"), Selector()]) == (((),) * 8,)


def test_a_ledger_line_names_every_outcome_and_unjudged_only_where_there_is_one() -> None:
    counts: dict[Any, int] = dict.fromkeys(OUTCOMES, 0) | {"pass": 1_000, "error": 1}
    assert ledger_line(counts) == "1,001 planned: 1,000 passed, 0 failed, 1 error, 0 missing"
    assert ledger_line(counts | {"unjudged": 2, "error": 2}).endswith("2 errors, 0 missing, 2 unjudged")


def test_a_link_spells_names_so_that_they_come_back() -> None:
    made = study(Size(agents=HOSTILE, industries=1, scenarios=1))
    names = Names.of(made.trials)
    for number, agent in enumerate(HOSTILE):
        link = names.link([Selector(agent=agent, faults="E0")])
        start, _, rest = link.partition("?agent=")
        spelt = rest.removesuffix("&faults=E0")
        assert start == "#trials"
        assert not set(spelt) & set("&;=#\"'<> ")
        assert (spelt == f"~{number}") if agent in {LONG, "~0", HOSTILE[0]} else (unquote(spelt) == agent)
        assert len(link) < 500


def test_the_embedded_ledger_says_of_each_trial_what_it_is() -> None:
    names = Names.of(STUDY.trials)
    data = embedded(STUDY, names)
    for trial, (condition, where, number, outcome, cassette) in zip(STUDY.trials, data["rows"], strict=True):
        agent, simulator, verifier, faults, run = data["conditions"][condition]
        industry, scenario, task = data["places"][where]
        at = (agent, simulator, verifier, faults, industry, scenario, task, outcome)
        assert tuple(data["names"][name][one] for name, one in zip(FIELDS, at, strict=True)) == place(trial)
        assert (data["runs"][run], number) == (["study", trial.run[:12]], trial.trial)
        assert cassette == (trial.facts.cassette if trial.facts else "")
    assert data["keys"] == {}


def test_a_key_that_does_not_follow_from_its_parts_is_kept() -> None:
    odd = STUDY.trials[3].model_copy(update={"key": "forged"})
    trials = (*STUDY.trials[:3], odd)
    made = STUDY.model_copy(update={"trials": trials})
    assert embedded(made, Names.of(trials))["keys"] == {"3": "forged"}


@pytest.mark.parametrize("digits", [16, 64])
def test_cassette_names_may_be_cut(digits: int) -> None:
    data = embedded(STUDY, Names.of(STUDY.trials), digits)
    assert {len(row[4]) for row in data["rows"] if row[4]} == {digits}


def test_the_file_of_trials_has_a_line_for_each() -> None:
    rows = list(csv.DictReader(io.StringIO(trials_csv(STUDY.trials).decode(), newline="")))
    assert [row["key"] for row in rows] == [trial.key for trial in STUDY.trials]
    assert [row["outcome"] for row in rows] == [trial.outcome for trial in STUDY.trials]
    missing = next(row for row in rows if row["outcome"] == "missing")
    assert (missing["cassette"], missing["evidence"], missing["tries"]) == ("", "", "0")
