from __future__ import annotations

from replaylab.diff.reading import checked
from replaylab.report.diff_solo import checked_trials, contracts
from replaylab.store.library import Library
from tests.report.compared import REPO

LIBRARY = Library(REPO / "cassettes")


def test_a_checked_trial_shows_every_call_and_its_findings_at_their_calls() -> None:
    _, run = LIBRARY.run("real-qwen2.5-coder-1.5b")
    listed = checked(LIBRARY, run)
    trials = list(checked_trials(LIBRARY, listed))
    assert sum(len(one.violations) for one in trials) > 5
    for one, trial in zip(listed, trials, strict=True):
        answers = [row.answers[0] for row in trial.rows]
        assert sum(answer is not None and answer.by == "simulator" for answer in answers) == one.calls
        by_path = {answer.path: answer for answer in answers if answer and answer.path}
        for found in trial.violations:
            assert found.id in by_path[found.path].violations
        assert (trial.keys, trial.verdicts) == ((one.address,), (one.verdict,))


def test_the_contract_of_a_trial_is_what_its_cassette_holds() -> None:
    _, run = LIBRARY.run("real-qwen2.5-coder-1.5b")
    trial = next(checked_trials(LIBRARY, checked(LIBRARY, run)))
    contract = contracts(LIBRARY)(trial)
    assert contract is not None
    assert {"initial_state", "system_prompt", "tools", "instruction", "rubric"} <= set(contract)
    assert contract["id"] == trial.environment
    assert contracts(LIBRARY)(trial.model_copy(update={"cassettes": ("",)})) is None
