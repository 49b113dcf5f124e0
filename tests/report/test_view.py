from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from replaylab.errors import UsageError
from replaylab.report.view import Tally, Trial, add_up, deciders, open_trial, same_votes, undecided, view_run
from replaylab.schema.interaction import Usage
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import CheckResult, Verdict, Vote
from replaylab.store.library import Library
from tests.playground import only_cassette, record
from tests.report.recordings import JUDGED, trial, view


def dear(settings: ModelSettings, created: str, usage: Usage) -> Decimal | None:
    return Decimal(usage.prompt_tokens)


def test_a_row_adds_up_what_the_cassette_holds(study: Library) -> None:
    row = view(study, "study").rows[0]
    shown = trial(study, "study")
    rows = [one for lane in shown.cassette.lanes.values() for one in lane]
    assert row.tally.calls == len(rows) > 0
    assert row.tally.prompt_tokens == sum(one.usage.prompt_tokens for one in rows if one.usage) > 0
    assert row.tool_calls == len(shown.trajectory.actions) > 0
    assert row.tally.model_ms == sum(attempt.latency_ms for one in rows for attempt in one.attempts)


def test_programs_cost_nothing_and_a_priced_model_costs_its_tokens(study: Library) -> None:
    run_id, run = study.run("study")
    assert view_run(study, run_id, run).total.cost == 0
    total = view_run(study, run_id, run, dear).total
    assert total.cost == total.prompt_tokens > 0


def test_one_unknown_cost_makes_the_sum_unknown() -> None:
    assert add_up([Tally(cost=Decimal(1)), Tally(cost=None)]).cost is None
    assert add_up([Tally(cost=Decimal(1)), Tally(cost=Decimal(2), calls=1)]) == Tally(
        calls=1, cost=Decimal(3)
    )


def test_a_failed_call_counts_as_failed_and_not_as_an_answer_without_a_count(broken: Library) -> None:
    tally = view(broken, "broken").rows[0].tally
    assert (tally.calls, tally.failed, tally.unmetered) == (1, 1, 0)


def test_the_request_is_put_together_again_with_what_it_continues(study: Library) -> None:
    shown = trial(study, "study")
    bodies = [asked.body for asked in shown.asked("agent")]
    assert bodies[1]["messages"][: len(bodies[0]["messages"])] == bodies[0]["messages"]
    assert [len(body["messages"]) for body in bodies[:3]] == [2, 4, 6]


def test_an_answer_in_brief_is_one_line_with_its_tool_calls(study: Library) -> None:
    first = next(trial(study, "study").asked("agent"))
    assert first.brief == "-> list_places({})"


def test_a_damaged_cassette_is_a_row_with_a_problem_that_names_the_file(tmp_path: Path) -> None:
    library, _ = record(tmp_path)
    path = only_cassette(library)
    path.write_bytes(path.read_bytes()[:-1])
    (row,) = view(library, "run").problems
    assert path.name in row.problem


def test_the_counting_try_is_opened_unless_another_is_asked_for(broken: Library) -> None:
    run_id, run = broken.run("broken")
    entry = next(one for one in run.ledger if len(one.tries) == 2)
    names = [open_trial(broken, run_id, run, entry, number=number).cassette.name for number in (None, 0, 1)]
    assert names == [entry.tries[1].cassette, entry.tries[0].cassette, entry.tries[1].cassette]
    with pytest.raises(UsageError, match="no try 2"):
        open_trial(broken, run_id, run, entry, number=2)


def test_a_trial_knows_its_key_and_the_order_of_its_lanes(study: Library) -> None:
    shown = trial(study, "study", lambda key: key == JUDGED)
    assert shown.key == JUDGED
    assert shown.lanes == ["agent", "simulator", "verifier.0", "verifier.1", "verifier.2"]
    assert Trial(shown.cassette).verdict == shown.verdict


def check(name: str, result: str) -> CheckResult:
    return CheckResult.model_validate({"id": name, "result": result, "call": 3})


def test_the_failed_checks_decide_each_once() -> None:
    checks = (check("a", "pass"), check("b", "fail"), check("c", "open"))
    votes = [Vote(vote=number, outcome="fail", checks=checks) for number in range(2)]
    assert deciders(Verdict(outcome="fail", votes=tuple(votes))) == [check("b", "fail")]


def test_votes_are_together_only_when_they_say_the_same() -> None:
    votes = [
        Vote(vote=0, outcome="fail", reason="x"),
        Vote(vote=1, outcome="pass"),
        Vote(vote=2, outcome="fail", reason="x"),
    ]
    assert [[one.vote for one in alike] for alike in same_votes(votes)] == [[0, 2], [1]]


def test_without_a_failed_check_it_says_whether_anything_was_checked() -> None:
    voted, checked = Vote(vote=0, outcome="fail"), Vote(vote=0, outcome="pass", checks=(check("a", "pass"),))
    assert undecided(Verdict(outcome="fail", votes=(voted,))).startswith("the votes alone")
    assert undecided(Verdict(outcome="pass", votes=(checked,))) == "no check failed"
    assert undecided(Verdict(outcome="error")) == "nobody judged it"


def test_tokens_and_times_that_nobody_took_are_unknown() -> None:
    silent = Tally(calls=2, attempts=2, unmetered=2)
    assert (silent.tokens, silent.in_and_out, silent.seconds) == ("unknown", "unknown", "unknown")
    assert (Tally().tokens, Tally().in_and_out, Tally().seconds) == ("0", "0 in, 0 out", "0.0 s")
    partly = Tally(calls=2, prompt_tokens=1000, completion_tokens=5, unmetered=1, model_ms=1500)
    assert (partly.tokens, partly.in_and_out, partly.seconds) == ("1,005", "1,000 in, 5 out", "1.5 s")
