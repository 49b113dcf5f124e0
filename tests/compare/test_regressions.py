from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from replaylab.compare.regressions import Flip, Regressions, regressions
from replaylab.errors import UsageError
from replaylab.store.library import Library
from tests.score.written import cast, write
from tools.authored import AuthoredTrial

TASKS = ("care-1", "care-2", "farm-1")


def trials(agent: str, outcomes: Sequence[str], calls: int = 0) -> list[AuthoredTrial]:
    """One letter a task; m is missing."""
    words = {"p": "pass", "f": "fail", "e": "error"}
    return [
        AuthoredTrial(agent, task, words[letter], calls=calls)  # type: ignore[arg-type]
        for task, letter in zip(TASKS, outcomes, strict=True)
        if letter != "m"
    ]


def compared(root: Path, a: str, b: str, calls: tuple[int, int] = (0, 0)) -> Regressions:
    write(root, "one", trials("old", a, calls[0]), cast("old"))
    library = write(root, "two", trials("new", b, calls[1]), cast("new"))
    (found,) = regressions(library, "one", "two")
    return found


def kinds(found: Sequence[Flip]) -> dict[str, str]:
    return {one.task: one.kind for one in found}


def test_flips_are_told_from_what_has_no_verdict(tmp_path: Path) -> None:
    found = compared(tmp_path, "pfp", "fpe")
    assert kinds(found.flips) == {"care-1": "regressed", "care-2": "improved", "farm-1": "undecided"}
    assert found.outcomes == {"pass -> fail": 1, "pass -> error": 1, "fail -> pass": 1}
    assert (found.count("regressed"), found.pairs) == (1, 3)
    assert [one.task for one in found.regressed] == ["care-1"]
    assert found.metrics[0].pairs == 2


def test_a_missing_trial_is_a_pair_without_a_verdict_and_without_a_divergence(tmp_path: Path) -> None:
    found = compared(tmp_path, "ppp", "pmp")
    (flip,) = found.flips
    assert (flip.kind, flip.before, flip.after, flip.first, flip.cassette_b) == (
        "undecided",
        "pass",
        "missing",
        None,
        "",
    )
    assert [one.trials for one in found.spending] == [2, 2]


def test_errors_on_both_sides_are_no_flip(tmp_path: Path) -> None:
    found = compared(tmp_path, "eep", "eep")
    assert (found.flips, found.outcomes) == ((), {"pass -> pass": 1, "error -> error": 2})


def test_a_flip_has_its_first_divergence(tmp_path: Path) -> None:
    (flip,) = compared(tmp_path, "ppp", "pfp", (2, 1)).flips
    assert flip.first is not None
    assert (flip.first.what, flip.first.call) == ("action", 1)
    assert flip.first.path_a == "old,sim,judge,E0/care-2/0/agent#1"
    assert flip.key_b == "new,sim,judge,E0/care-2/0"


def test_what_changed_and_who_played_is_said(tmp_path: Path) -> None:
    found = compared(tmp_path, "ppp", "ppp")
    assert [one.message for one in found.changed] == ["agent: old -> new"]
    assert (found.evidence, found.a.name, found.b.name) == (("authored", "authored"), "one", "two")
    assert found.b.players == {"new": "llm", "sim": "llm", "judge": "llm"}


def test_what_it_took_is_of_pairs_that_both_recorded(tmp_path: Path) -> None:
    write(tmp_path, "one", trials("old", "pfm", 3), cast("old"))
    library = write(tmp_path, "two", trials("new", "ppp", 1), cast("new"))
    prices = {name: (Decimal(2), Decimal(4), None) for name in ("old", "sim", "judge")}
    (found,) = regressions(library, "one", "two", prices=prices)
    a, b = found.spending
    assert (a.trials, b.trials, a.passed, b.passed) == (2, 2, 1, 2)
    assert a.usd == str(Fraction(2 * a.prompt_tokens + 4 * a.completion_tokens, 1_000_000))
    assert (b.usd, b.money) == (None, "unknown")
    assert "new: no price is known" in b.why
    assert (a.calls, b.calls) == (2 * (4 + 3 + 3), 2 * (2 + 1 + 3))


def test_exchanged_runs_mirror_everything(tmp_path: Path) -> None:
    write(tmp_path, "one", trials("old", "pfe", 2), cast("old"))
    library = write(tmp_path, "two", trials("new", "fpp", 1), cast("new"))
    (one,), (other,) = regressions(library, "one", "two"), regressions(library, "two", "one")
    exchanged = {"regressed": "improved", "improved": "regressed", "undecided": "undecided"}
    assert kinds(one.flips) == {task: exchanged[kind] for task, kind in kinds(other.flips).items()}
    assert (one.spending, one.a, one.alone_a) == (other.spending[::-1], other.b, other.alone_b)
    assert one.outcomes == {
        " -> ".join(reversed(name.split(" -> "))): count for name, count in other.outcomes.items()
    }
    for mine, theirs in zip(one.flips, other.flips, strict=True):
        assert mine.first is not None
        assert theirs.first is not None
        assert mine.first == theirs.first.mirrored().model_copy(update={"message": mine.first.message})


def test_the_same_run_twice_is_refused_and_an_unknown_one_named(tmp_path: Path) -> None:
    library = write(tmp_path, "one", trials("old", "ppp"), cast("old"))
    with pytest.raises(UsageError, match="are the same run"):
        regressions(library, "one", library.run("one")[0][:12])
    with pytest.raises(UsageError, match="there is no run 'onee'") as caught:
        regressions(library, "one", "onee")
    assert "one" in caught.value.closest


def test_what_was_recorded_and_what_was_written_stand_apart(tmp_path: Path) -> None:
    from tests.playground import SHORT, record

    record(tmp_path, agents=("scripted:careful",), tasks=(SHORT,), name="real")
    write(tmp_path, "written", trials("old", "ppp"), cast("old"))
    with pytest.raises(UsageError, match="no task"):
        regressions(Library(tmp_path), "real", "written")


def test_runs_can_differ_in_their_judge_alone(tmp_path: Path) -> None:
    from tests.playground import SHORT, record

    record(tmp_path, tasks=(SHORT,), name="real")
    library, _ = record(tmp_path, tasks=(SHORT,), name="again", verifiers=("coin",), trials=3)
    (found,) = regressions(library, "real", "again")
    assert [one.message for one in found.changed] == ["verifier: rubric -> coin", "trials: 1 -> 3"]
    assert (found.pairs, found.alone_b, found.evidence) == (1, 2, ("recorded", "recorded"))
    assert all(flip.first is not None and flip.first.what == "votes" for flip in found.flips)
