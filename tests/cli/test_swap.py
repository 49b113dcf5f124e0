"""`replay --swap`: one role asked anew, into a run of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.store.library import Library
from tests.catalogue.folders import TWIN, put, scenario
from tests.cli.conftest import Call

SWAPS = [
    ("verifier=coin", "recorded", "study.verifier-coin", "rejudge"),
    ("sim=example", "recorded", "study.simulator-example", "lockstep/recorded"),
    ("simulator=example", "own", "study.simulator-example-own", "lockstep/own"),
]


def files(root: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (root / "objects").glob("*/*")}


@pytest.mark.parametrize(("swap", "history", "name", "mode"), SWAPS)
def test_a_swap_makes_a_run_of_its_own_and_leaves_the_original(
    call: Call, study: Path, swap: str, history: str, name: str, mode: str
) -> None:
    before, ref = files(study), (study / "runs" / "study").read_bytes()
    ended = call("replay", "study", "--swap", swap, "--history", history, "--json")
    assert (ended.code, ended.document["name"], ended.document["counts"]["recorded"]) == (0, name, 2)
    run = Library(study).run(name)[1]
    assert (run.spec.mode, run.spec.swapped) == (mode, ref.decode().strip())
    assert {kept: data for kept, data in files(study).items() if kept in before} == before
    assert (study / "runs" / "study").read_bytes() == ref


@pytest.mark.parametrize(("swap", "history", "name", "mode"), SWAPS)
def test_only_the_swapped_role_is_called_and_copied_lanes_name_their_origin(
    call: Call, study: Path, swap: str, history: str, name: str, mode: str
) -> None:
    document = call("replay", "study", "--swap", swap, "--history", history, "--json").document
    assert list(document["totals"]["by_alias"]) == [swap.partition("=")[2]]
    library = Library(study)
    originals = {one.cassette for entry in library.run("study")[1].ledger for one in entry.tries}
    live = {"rejudge": {"verifier.0", "verifier.1", "verifier.2"}}.get(mode, {"simulator"})
    for entry in library.run(name)[1].ledger:
        lanes = open_cassette(library, entry.tries[0].cassette).header.lanes
        assert {lane for lane, origin in lanes.items() if origin.how == "recorded"} == live
        copied = [origin for origin in lanes.values() if origin.how == "copied"]
        assert len(copied) == 2
        assert {origin.source for origin in copied} <= originals


@pytest.mark.parametrize(("swap", "history", "name", "mode"), SWAPS)
def test_a_swapped_run_replays_offline_identically(
    call: Call, study: Path, swap: str, history: str, name: str, mode: str
) -> None:
    made = call("replay", "study", "--swap", swap, "--history", history, "--json").document
    replayed = call("replay", name, "--offline", "--json")
    assert (replayed.code, replayed.document["outcome"]) == (0, made["outcome"])
    assert call("verify").code == 0


@pytest.mark.usefixtures("study")
def test_a_swap_done_twice_calls_nothing(call: Call) -> None:
    first = call("replay", "study", "--swap", "verifier=coin", "--json").document
    second = call("replay", "study", "--swap", "verifier=coin", "--json").document
    assert (second["run"], second["totals"]["calls"]) == (first["run"], 0)


def test_the_new_run_can_be_named(call: Call, study: Path) -> None:
    ended = call("replay", "study", "--swap", "verifier=coin", "--run", "again")
    assert ended.code == 0
    assert "next: replaylab replay again --offline" in ended.out
    assert set(Library(study).refs()) == {"again", "study"}


@pytest.mark.usefixtures("study")
def test_offline_a_model_of_the_network_is_refused_with_5_and_a_program_is_not(call: Call) -> None:
    ended = call("replay", "study", "--offline", "--swap", "verifier=gpt", "--json")
    assert (ended.code, ended.document["error"]["kind"]) == (5, "OfflineError")
    assert call("replay", "study", "--offline", "--swap", "verifier=coin").code == 0


@pytest.mark.usefixtures("study")
def test_a_limit_stops_a_swap_and_the_same_command_goes_on(call: Call) -> None:
    ended = call("replay", "study", "--swap", "verifier=coin", "--max-calls", "2")
    assert (ended.code, "stopped: --max-calls 2 is reached" in ended.out) == (1, True)
    rest = call("replay", "study", "--swap", "verifier=coin", "--json")
    assert (rest.code, rest.document["totals"]["calls"]) == (0, 4)


@pytest.mark.parametrize(
    ("swap", "closest"),
    [
        ("verifer=coin", "verifier=coin"),
        ("verifier", "verifier=NAME"),
        ("agent=twin", ""),
        ("sim=exampel", "example"),
    ],
)
@pytest.mark.usefixtures("study")
def test_what_is_no_swap_is_refused(call: Call, swap: str, closest: str) -> None:
    ended = call("replay", "study", "--swap", swap, "--json")
    assert (ended.code, ended.document["error"]["closest"]) == (2, closest)


@pytest.mark.usefixtures("study")
def test_a_program_of_another_role_can_not_be_swapped_in(call: Call) -> None:
    ended = call("replay", "study", "--swap", "verifier=twin")
    assert (ended.code, "plays the simulator, not the verifier" in ended.err) == (2, True)


@pytest.mark.usefixtures("study")
def test_a_swapped_run_is_not_swapped_again_but_its_original_is_named(call: Call) -> None:
    call("replay", "study", "--swap", "verifier=coin", "--run", "again")
    ended = call("replay", "again", "--swap", "sim=example")
    assert (ended.code, "replaylab replay study --swap" in ended.err) == (2, True)


@pytest.mark.usefixtures("study")
def test_two_runs_are_not_swapped_at_once(call: Call) -> None:
    assert call("replay", "study", "study", "--swap", "verifier=coin").code == 2


def test_nothing_recorded_is_nothing_to_swap(call: Call) -> None:
    call("record", "--run", "empty", "--max-calls", "0")
    ended = call("replay", "empty", "--swap", "verifier=coin")
    assert (ended.code, "nothing to replay" in ended.err) == (2, True)


def test_a_twin_of_ones_own_is_swapped_in_only_when_trusted(call: Call, tmp_path: Path) -> None:
    folder = scenario(tmp_path / "own")
    put(folder / "environments" / "yard" / "twin.py", TWIN)
    options = ("--scenarios", "own", "--scenario", "gates", "--sim", "example", "--verifier", "coin")
    call("record", "--run", "a", *options)
    swap = ("replay", "a", "--swap", "sim=twin", "--scenarios", "own")
    assert (call(*swap).code, call(*swap, "--trust-twins").code) == (2, 0)


@pytest.mark.usefixtures("study")
def test_a_swapped_verifier_says_which_verdicts_it_changed(call: Call, study: Path) -> None:
    document = call("replay", "study", "--swap", "verifier=coin", "--json").document
    library = Library(study)
    now = {
        entry.key: entry.counting.verdict
        for entry in library.run(document["run"])[1].ledger
        if entry.counting
    }
    then = {
        entry.key.replace("rubric", "coin"): entry.counting.verdict
        for entry in library.run("study")[1].ledger
        if entry.counting
    }
    assert {one["key"]: (one["before"], one["after"]) for one in document["changed"]} == {
        key: (then[key], now[key]) for key in now if then[key] != now[key]
    }
    text = call("replay", "study", "--swap", "verifier=coin").out
    assert f"verdicts changed: {len(document['changed'])} of 2, against run study\n" in text
    for one in document["changed"]:
        assert f"  {one['key']}: {one['before']} -> {one['after']}\n" in text


@pytest.mark.usefixtures("study")
def test_a_swapped_simulator_has_no_verdicts_to_compare(call: Call) -> None:
    assert "changed" not in call("replay", "study", "--swap", "sim=example", "--json").document
    shown = call("show", "study.simulator-example").out
    assert "lockstep/recorded: the calls of run " in shown
    assert "verifier " not in shown


def test_a_trial_whose_simulator_was_never_asked_is_swapped_like_the_others(call: Call) -> None:
    """Its lane is empty, and is copied all the same: the simulator of the origin is put no call."""
    who = ("--agent", "scripted:quitter,scripted:careful", "--sim", "twin")
    assert call("record", "--run", "q", *who, "--env", "E1", "--task", "ed-chest-pain-monitor").code == 0
    (quit_one, *_) = (
        open_cassette(Library(Path("cassettes")), entry.tries[0].cassette)
        for entry in Library(Path("cassettes")).run("q")[1].ledger
        if "quitter" in entry.key
    )
    assert not quit_one.lanes.get("simulator")
    ended = call("replay", "q", "--swap", "sim=example", "--repeats", "2", "--json")
    assert (ended.code, ended.document["counts"]["recorded"]) == (0, 2)
    assert list(ended.document["totals"]["by_alias"]) == ["example"]
    assert call("replay", ended.document["name"], "--offline").code == 0
