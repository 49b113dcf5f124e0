from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import expand
from replaylab.diff.parting.pair import compare_simulators
from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.plan import inputs_digest
from replaylab.engine.record import Recorded, Recording
from replaylab.engine.replay import replay_run
from replaylab.engine.swap import History, Swapped, copied_lanes, swap_plan, swapped_name
from replaylab.engine.verify import verify
from replaylab.errors import DivergenceError, UsageError
from replaylab.roles.prompts import all_prompts
from replaylab.schema.cassette import ORIGIN, Prompt
from replaylab.schema.interaction import Interaction
from replaylab.schema.outcome import interaction_outcome
from replaylab.store.library import Library
from tests.diff.conftest import only_trial
from tests.diff.stage import lockstep, without
from tests.engine.forging import Row, forged, replace
from tests.engine.playing import NO, YES, Respond, failure, scripted
from tests.playground import fake_seams, program, program_chats, record

LOOK: list[Any] = [("list_places", {})]


def swap(
    library: Library, role: Swapped, alias: str, respond: Respond | None = None, history: History = "recorded"
) -> Recorded:
    """Swap a role of the run named `run`, as the command does."""
    run_id, run = library.run("run")
    model = program(alias)
    spec, planned = swap_plan(library, run_id, run, role, model, history)
    gate = Gate(2)
    order = Order(swapped_name(run.name, role, model, history), spec, planned)
    chats = program_chats(gate, respond)
    return Recording(library, order, open_chat=chats, gate=gate, seams=fake_seams()).run()


def cassettes(library: Library, name: str) -> list[Cassette]:
    run = library.run(name)[1]
    return [open_cassette(library, e.counting.cassette) for e in run.ledger if e.counting]


def sound(library: Library, name: str) -> None:
    """What was swapped verifies deep and replays."""
    assert verify(library).findings == []
    run = library.run(name)[1]
    replayed = replay_run(library, run)
    assert replayed.findings == ()
    assert replayed.outcome == run.outcome


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return record(tmp_path / "library", faults=("E3",), trials=2, votes=2)[0]


def test_a_rejudged_run_keeps_what_happened_and_only_the_judges_are_asked(library: Library) -> None:
    recorded = swap(library, "verifier", "judge", scripted(judge=[NO]))
    assert set(recorded.totals.by_alias) == {"judge"}
    for before, after in zip(
        cassettes(library, "run"), cassettes(library, "run.verifier-judge"), strict=True
    ):
        assert after.seal.trajectory_digest == before.seal.trajectory_digest
        assert (before.seal.verdict, after.seal.verdict) == ("pass", "fail")
        assert after.header.mode == "rejudge"
        assert after.header.players["verifier"].alias == "judge"
        assert after.header.inputs == inputs_digest(after.header) != before.header.inputs
    sound(library, "run.verifier-judge")


def moved(before: list[Interaction], after: list[Interaction], alias: str) -> None:
    """A lane that was copied: the same questions and answers at a new address."""
    assert len(before) == len(after)
    for one, other in zip(before, after, strict=True):
        assert other.path != one.path
        assert alias in other.path
        assert (other.request, other.attempts, other.usage) == (one.request, one.attempts, one.usage)
        assert other.outcome == interaction_outcome(other.path, other.request.digest, other.final)
        assert other.outcome != one.outcome


def test_copied_lanes_lie_under_their_new_address_and_name_their_origin(library: Library) -> None:
    swap(library, "verifier", "judge", scripted(judge=[YES]))
    before, after = cassettes(library, "run")[1], cassettes(library, "run.verifier-judge")[1]
    for lane in ("agent", "simulator"):
        moved(before.lanes[lane], after.lanes[lane], "judge")
        provenance = after.header.lanes[lane]
        assert (provenance.how, provenance.source) == ("copied", before.name)
    assert {after.header.lanes[f"verifier.{vote}"].how for vote in range(2)} == {"recorded"}
    assert set(after.header.lanes) == {"agent", "simulator", "verifier.0", "verifier.1"}


def test_lockstep_puts_each_action_to_the_other_simulator_and_nobody_judges(library: Library) -> None:
    recorded = swap(library, "simulator", "example")
    assert set(recorded.totals.by_alias) == {"example"}
    before, after = cassettes(library, "run")[0], cassettes(library, "run.simulator-example")[0]
    assert (after.seal.termination, after.seal.verdict) == ("lockstep", "none")
    assert set(after.lanes) == {"agent", ORIGIN, "simulator"}
    moved(before.lanes["agent"], after.lanes["agent"], "example")
    moved(before.lanes["simulator"], after.lanes[ORIGIN], "example")
    assert len(after.lanes["simulator"]) == len(before.lanes["simulator"])
    assert after.header.players[ORIGIN].alias == "twin"
    assert after.header.lanes[ORIGIN].source == before.name
    sound(library, "run.simulator-example")


@pytest.mark.parametrize("history", ["recorded", "own"])
def test_the_history_of_the_other_simulator_is_the_recorded_or_its_own(
    library: Library, history: History
) -> None:
    swap(library, "simulator", "sim", scripted(sim=['{"mine": 1}']), history)
    name = "run.simulator-sim" + ("-own" if history == "own" else "")
    (after, *_) = cassettes(library, name)
    last = len(after.lanes["simulator"]) - 1
    mine = expand(after.lanes["simulator"], last, after.blob)["messages"]
    theirs = expand(after.lanes[ORIGIN], last, after.blob)["messages"]
    said, actions = ([m["content"] for m in mine if m["role"] == role] for role in ("assistant", "user"))
    assert actions == [m["content"] for m in theirs if m["role"] == "user"]
    if history == "own":
        assert set(said) == {'{"mine":1}'}
    else:
        assert mine == theirs
        assert '{"mine":1}' not in said
    assert after.header.mode == f"lockstep/{history}"
    sound(library, name)


def broken(tmp_path: Path, **scripts: Any) -> Library:
    """A run whose agent is `agent` and whose simulator is `sim`."""
    respond = scripted(**scripts)
    return record(tmp_path / "library", agents=("agent",), simulators=("sim",), votes=1, respond=respond)[0]


def test_an_agent_that_failed_in_the_origin_fails_at_the_same_place(tmp_path: Path) -> None:
    library = broken(tmp_path, agent=[LOOK, failure(400)], sim=['{"a": 1}'])
    rejudged = swap(library, "verifier", "judge", scripted(judge=[YES]))
    assert (rejudged.totals.calls, rejudged.run.ledger[0].status) == (0, "error")
    (after,) = cassettes(library, "run.verifier-judge")
    assert (after.seal.termination, after.seal.verdict) == ("agent_error", "error")
    swapped = swap(library, "simulator", "other", scripted(other=['{"b": 1}']))
    assert swapped.totals.calls == 1
    (after,) = cassettes(library, "run.simulator-other")
    assert (after.seal.termination, after.seal.verdict) == ("lockstep", "none")
    for name in ("run.verifier-judge", "run.simulator-other"):
        sound(library, name)


def test_where_the_origins_simulator_failed_the_other_is_not_asked(tmp_path: Path) -> None:
    library = broken(tmp_path, agent=[LOOK], sim=['{"a": 1}', failure(400)])
    swapped = swap(library, "simulator", "other", scripted(other=['{"b": 1}']))
    assert swapped.totals.calls == 1
    (after,) = cassettes(library, "run.simulator-other")
    assert [len(after.lanes[lane]) for lane in ("agent", ORIGIN, "simulator")] == [2, 2, 1]
    sound(library, "run.simulator-other")


@pytest.mark.parametrize("last", [failure(400), "no JSON"])
def test_where_the_other_simulator_fails_the_trial_ends(tmp_path: Path, last: Any) -> None:
    library = broken(tmp_path, agent=[LOOK, LOOK, LOOK, "Done."], sim=['{"a": 1}'])
    swapped = swap(library, "simulator", "other", scripted(other=['{"b": 1}', last]))
    (after,) = cassettes(library, "run.simulator-other")
    assert (after.seal.termination, after.seal.verdict) == ("simulator_error", "error")
    assert swapped.run.ledger[0].status == "error"
    assert (len(after.lanes["agent"]), len(after.lanes[ORIGIN])) == (2, 2)
    assert after.lanes["agent"][-1].path.endswith("agent#1")
    sound(library, "run.simulator-other")


def test_a_swap_done_again_calls_nothing_and_gives_the_same_run(library: Library) -> None:
    once = swap(library, "verifier", "judge", scripted(judge=[NO]))
    again = swap(library, "verifier", "judge", scripted(judge=[YES]))
    assert (again.run_id, again.totals.calls, again.new) == (once.run_id, 0, 0)


def test_a_rejudged_run_is_judged_by_todays_prompt_and_says_so(library: Library) -> None:
    """A verifier's prompt may change between recording and judging again; the header must hold the one that was used."""
    old = Prompt(version="verifier/0", digest="0" * 64, text="Old.")

    def older(rows: list[Row]) -> None:
        rows[0]["prompts"]["verifier"] = old.to_json()
        rows[0]["engine"]["parser"] = "0"

    for name in list(library.objects("cassette")):
        replace(library, name, forged(library.get(name, "cassette"), older))
    swap(library, "verifier", "judge", scripted(judge=[YES]))
    (after, *_) = cassettes(library, "run.verifier-judge")
    assert after.header.prompts == all_prompts()
    assert after.header.engine.parser != "0"
    asked = expand(after.lanes["verifier.0"], 0, after.blob)["messages"][0]["content"]
    assert after.header.prompts["verifier"].text.split("\n")[0] in asked


def test_copied_lanes_diverge_where_this_engine_asks_something_else(library: Library) -> None:
    def reworded(rows: list[Row]) -> None:
        rows[0]["task"]["instruction"] += " Please."

    for name in list(library.objects("cassette")):
        replace(library, name, forged(library.get(name, "cassette"), reworded))
    with pytest.raises(DivergenceError, match="differs from the recorded one") as caught:
        swap(library, "verifier", "judge", scripted(judge=[YES]))
    assert "/agent#0" in caught.value.callpath


def test_only_recorded_trials_are_swapped_and_the_rest_is_missing(tmp_path: Path) -> None:
    library, _ = record(tmp_path / "library", trials=3, votes=1, shard="1/3")
    swapped = swap(library, "verifier", "judge", scripted(judge=[YES]))
    assert [entry.status for entry in swapped.run.ledger] == ["recorded", "missing", "missing"]
    sound(library, "run.verifier-judge")


def test_the_spec_says_which_run_was_swapped_and_how(library: Library) -> None:
    run_id, run = library.run("run")
    spec, planned = swap_plan(library, run_id, run, "simulator", program("example"), "own")
    assert (spec.mode, spec.swapped) == ("lockstep/own", run_id)
    assert [one.alias for one in spec.simulators] == ["example"]
    assert (spec.verifiers, spec.tasks, spec.trials) == (run.spec.verifiers, run.spec.tasks, run.spec.trials)
    assert [str(trial.key) for trial in planned] == [
        entry.key.replace(",twin,", ",example,") for entry in run.ledger
    ]
    assert all(trial.header.subject.attempt == 0 for trial in planned)


def test_lanes_are_copied_only_where_the_origin_has_them(library: Library) -> None:
    run_id, run = library.run("run")
    _, (trial, *_) = swap_plan(library, run_id, run, "simulator", program("example"))
    lanes, blob = copied_lanes(library, trial)
    assert set(lanes) == {"agent", ORIGIN}
    for rows in lanes.values():
        for row in rows:
            assert all(blob(part).digest == part for part in row.request.adds)


def test_a_swapped_run_and_one_with_several_models_of_the_role_are_refused(
    library: Library, tmp_path: Path
) -> None:
    swap(library, "simulator", "example")
    run_id, run = library.run("run.simulator-example")
    with pytest.raises(UsageError, match="is itself a lockstep/recorded run"):
        swap_plan(library, run_id, run, "verifier", program("coin"))
    several, _ = record(tmp_path / "several", verifiers=("rubric", "coin"), votes=1)
    with pytest.raises(UsageError, match="has 2 verifiers"):
        swap_plan(several, *several.run("run"), "verifier", program("other"))


@pytest.mark.parametrize(
    ("role", "alias", "history", "name"),
    [
        ("verifier", "claude", "recorded", "run.verifier-claude"),
        ("simulator", "claude", "recorded", "run.simulator-claude"),
        ("simulator", "claude", "own", "run.simulator-claude-own"),
        ("simulator", "twin+omit", "recorded", "run.simulator-twin-omit-"),
        ("verifier", "org/model:1", "recorded", "run.verifier-org-model-1-"),
        ("verifier", "größe", "recorded", "run.verifier-gr--e-"),
    ],
)
def test_a_name_says_what_was_swapped(role: Swapped, alias: str, history: History, name: str) -> None:
    assert swapped_name("run", role, program(alias), history).startswith(name)


def test_two_aliases_never_share_a_name() -> None:
    aliases = ["a/b", "a:b", "a-b", "a b", "ä-b"]
    assert len({swapped_name("run", "verifier", program(one), "recorded") for one in aliases}) == 5


# ------------------------------------------------------------------------------------------ repeats


def test_a_repeat_asks_word_for_word_the_same(tmp_path: Path) -> None:
    """Also where its own answer was another one: its history is that of the lane it repeats."""
    library = record(tmp_path / "library")[0]
    lockstep(library, "wavers", without("ER-1", times=(1, 2)), repeats=3)
    (cassette,) = cassettes(library, "run.simulator-wavers-x3")
    asked = {lane: [row.request.digest for row in rows] for lane, rows in cassette.lanes.items()}
    assert asked["simulator"] == asked["simulator~1"] == asked["simulator~2"]
    assert cassette.lanes["simulator~2"][3].path.endswith("/simulator#3~2")
    assert cassette.lanes["simulator"][0].final.text != cassette.lanes["simulator~1"][0].final.text
    sound(library, "run.simulator-wavers-x3")


def test_a_repeat_without_a_usable_answer_goes_on_with_the_next_call(tmp_path: Path) -> None:
    library = record(tmp_path / "library")[0]
    asked: list[str] = []

    def once(tool: str, arguments: dict[str, Any], said: Any, number: int) -> Any:
        asked.append(tool)
        return "?" if tool == "assess_patient" and asked.count(tool) > 1 else said

    lockstep(library, "b", once, repeats=2)
    (cassette,) = cassettes(library, "run.simulator-b-x2")
    assert cassette.seal.termination == "lockstep"
    assert len(cassette.lanes["simulator~1"]) == len(cassette.lanes["simulator"]) + 2  # asked three times
    sound(library, "run.simulator-b-x2")
    trial = only_trial(compare_simulators(library, [library.run("run")], ["twin", "b"]))
    assert [row.answers[1].repeats for row in trial.rows if row.answers[1]] == [1, 1, 0, 1, 1, 1, 1, 1, 1]


def test_without_repeats_nothing_of_a_swap_changes(library: Library) -> None:
    made = swap(library, "simulator", "example")
    assert "repeats" not in str(made.run.spec.to_json())
    (first, *_) = cassettes(library, made.run.name)
    assert "repeats" not in str(first.header.to_json()["limits"]) + str(list(first.header.lanes))
