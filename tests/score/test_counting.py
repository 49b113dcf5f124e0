from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from replaylab.canonical import digest
from replaylab.schema.run import LedgerEntry, Try
from replaylab.schema.tombstone import TOMBSTONE_FORMAT, Tombstone
from replaylab.score.counting import Held, count, counting, without_gone
from replaylab.score.derive_facts import facts_of
from replaylab.score.facts import CassetteFacts
from tests.score.written import one_cassette
from tools.authored import AuthoredTrial

KEY = "a,sim,judge,E0/care-1/0"
ONE = facts_of(one_cassette(AuthoredTrial("a", "care-1", "pass")))


def facts(derived: str, *, number: int = 0, **changed: Any) -> CassetteFacts:
    update = {"cassette": digest([derived, number]), "derived": derived, "stored": derived, "key": KEY}
    return ONE.model_copy(update=update | changed)


def held(*tries: CassetteFacts, run: str = "r", age: int = 0, key: str = KEY, said: str = "") -> Held:
    ledger = [
        Try(cassette=one.cassette, outcome=one.cassette, verdict=said or one.stored, termination="answered")
        for one in tries
    ]
    return Held(digest(run), run, (age,), LedgerEntry(key=key, status="recorded", tries=tuple(ledger)))


def decided(*holds: Held, known: Sequence[CassetteFacts], keys: dict[str, list[str]] | None = None) -> Any:
    under = {one.cassette: [hold.entry.key for hold in holds] for one in known}
    return count(holds, {one.cassette: one for one in known}, under | (keys or {}))


def test_the_last_try_without_an_error_counts_else_the_last() -> None:
    error, passed, failed = facts("error"), facts("pass"), facts("fail")
    for tries, expected in (
        ([error, passed], passed),
        ([passed, error], passed),
        ([passed, failed], failed),
        ([error, facts("error", number=1)], facts("error", number=1)),
        ([], None),
    ):
        assert counting(held(*tries).entry, {one.cassette: one for one in tries}) == expected


def test_the_rule_looks_at_what_is_derived_and_not_at_what_the_ledger_says() -> None:
    first = facts("pass", stored="error")
    second = facts("error", stored="pass")
    assert counting(held(first, second).entry, {one.cassette: one for one in (first, second)}) == first


def test_a_trial_in_two_runs_is_counted_once_from_the_newest_and_shown() -> None:
    old, new = facts("pass"), facts("fail")
    for holds in (
        [held(old, run="old"), held(new, run="new", age=1)],
        [held(new, run="new", age=1), held(old, run="old")],
    ):
        one = decided(*holds, known=[old, new])
        assert (one.facts, one.held.name) == (new, "new")
        (finding,) = one.findings
        assert (finding.kind, finding.where) == ("duplicate-trial", KEY)
        assert (finding.expected, finding.observed) == (new.cassette, [old.cassette])
        assert "the newest run's counts" in finding.message


def test_the_newest_run_that_holds_the_trial_counts_and_a_missing_one_takes_nothing_away() -> None:
    old = facts("pass")
    one = decided(held(old, run="old"), held(run="new", age=1), known=[old])
    assert (one.facts, one.held.name, one.findings) == (old, "old", ())


def test_the_same_recording_in_two_runs_is_no_duplicate() -> None:
    one = decided(
        held(facts("pass"), run="old"), held(facts("pass"), run="new", age=1), known=[facts("pass")]
    )
    assert (one.held.name, one.findings) == ("new", ())


def test_a_trial_that_a_later_run_tried_again_is_no_duplicate() -> None:
    error, passed = facts("error"), facts("pass")
    one = decided(held(error, run="old"), held(error, passed, run="new", age=1), known=[error, passed])
    assert (one.facts, one.findings) == (passed, ())


def test_a_cassette_under_a_key_that_its_header_does_not_name_is_shown_and_the_trial_is_missing() -> None:
    other = facts("pass", key="a,sim,judge,E0/care-2/0")
    one = decided(held(other), known=[other])
    assert one.facts is None
    (finding,) = one.findings
    assert (finding.kind, finding.where) == ("other-key", KEY)
    assert (finding.expected, finding.observed) == (KEY, other.key)


def test_a_cassette_under_two_keys_counts_under_its_own_alone() -> None:
    right = facts("pass")
    wrong_key = "a,sim,judge,E0/care-2/0"
    keys = {right.cassette: [KEY, wrong_key]}
    assert decided(held(right), known=[right], keys=keys).findings == ()
    one = decided(held(right, key=wrong_key), known=[right], keys=keys)
    assert (one.facts, [(finding.kind, finding.where) for finding in one.findings]) == (
        None,
        [("same-cassette", wrong_key)],
    )


def test_a_try_under_a_wrong_key_does_not_count_beside_a_right_one() -> None:
    right, wrong = facts("fail"), facts("pass", key="a,sim,judge,E0/care-2/0")
    one = decided(held(right, wrong), known=[right, wrong])
    assert (one.facts, [finding.kind for finding in one.findings]) == (right, ["other-key"])


def test_a_seal_that_does_not_follow_from_its_answers_is_shown() -> None:
    one = decided(held(facts("fail", stored="pass")), known=[facts("fail", stored="pass")])
    (finding,) = one.findings
    assert (finding.kind, finding.expected, finding.observed) == ("stored-verdict", "pass", "fail")
    assert one.facts.derived == "fail"


def test_a_ledger_that_says_something_else_than_the_seal_is_shown() -> None:
    (finding,) = decided(held(facts("fail"), said="pass"), known=[facts("fail")]).findings
    assert (finding.kind, finding.expected, finding.observed) == ("ledger-verdict", "pass", "fail")


def test_an_error_and_a_tied_vote_are_shown_each_as_what_it_is() -> None:
    tied = facts("error", votes=("pass", "fail", "error"), reason="1 pass, 1 fail, 1 error")
    broken = facts("error", votes=(), reason="agent_error: turn 0: refused")
    void = facts("error", number=1, votes=("error",) * 3, reason="0 pass, 0 fail, 3 error")
    for one, kind in ((tied, "tied-vote"), (broken, "error"), (void, "error")):
        (finding,) = decided(held(one), known=[one]).findings
        assert (finding.kind, finding.where, finding.observed) == (kind, KEY, one.reason)
        assert "neither as passed nor as failed" in finding.message


def test_what_is_as_it_should_be_is_not_mentioned() -> None:
    for outcome in ("pass", "fail", "none"):
        assert decided(held(facts(outcome)), known=[facts(outcome)]).findings == ()


def stone(name: str) -> dict[str, Tombstone]:
    given = {"format": TOMBSTONE_FORMAT, "cassette": name, "why": "purged", "size": 1, "reason": "a key"}
    return {name: Tombstone.model_validate(given | {"when": "2026-01-01T00:00:00Z"})}


def test_no_other_try_comes_to_count_in_the_place_of_one_that_was_purged() -> None:
    """Else purging a verdict would turn its trial into an error, or bring an older verdict back."""
    error, failed = facts("error"), facts("fail")
    left, findings = without_gone("r", held(error, failed).entry, stone(failed.cassette))
    assert left.tries == ()
    assert [(one.kind, one.where) for one in findings] == [("purged", KEY)]
    assert "the trial counts as missing" in findings[0].message


def test_a_purged_try_that_did_not_count_changes_nothing() -> None:
    error, failed = facts("error"), facts("fail")
    left, findings = without_gone("r", held(error, failed).entry, stone(error.cassette))
    assert [one.cassette for one in left.tries] == [failed.cassette]
    assert "another try counts" in findings[0].message
    entry = held(error, failed).entry
    assert without_gone("r", entry, {}) == (entry, ())
