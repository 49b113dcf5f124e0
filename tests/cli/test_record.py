"""`record` as a user calls it: what is chosen, what is refused, what is printed, how it ends."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import shipped
from replaylab.cli.config import BUILT_IN
from replaylab.schema.cassette import Limits
from replaylab.store.library import Library
from tests.catalogue.folders import TWIN, put, scenario
from tests.cli.conftest import Call, process
from tests.playground import SHORT

OTHER = "ed-chest-pain-monitor"
ONE = ("--task", SHORT, "--votes", "1")


def ledger(root: Path, name: str) -> list[str]:
    return [entry.key for entry in Library(root).run(name)[1].ledger]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """A folder with a scenario of the user's own, and its twin."""
    folder = scenario(tmp_path / "own")
    put(folder / "environments" / "yard" / "twin.py", TWIN)
    return tmp_path / "own"


def test_without_arguments_a_spread_of_agents_simulators_and_faults_is_planned(
    call: Call, tmp_path: Path
) -> None:
    counts = call("record", "--run", "a", "--max-calls", "0", "--json").document["counts"]
    keys = ledger(tmp_path / "cassettes", "a")
    assert counts["planned"] == len(keys) > 100
    conditions = [key.split("/")[0].split(",") for key in keys]
    agents, simulators, verifiers, faults = (set(column) for column in zip(*conditions, strict=True))
    assert len(agents) >= 3
    assert (simulators, verifiers) == ({"twin", "example"}, {"rubric"})
    assert faults == {"E0", "E1", "E2", "E3"}


def test_what_is_named_narrows_to_one_of_everything_else(call: Call) -> None:
    document = call("record", "--task", SHORT, "--json").document
    assert document["players"] == {"scripted:careful": "program", "twin": "program", "rubric": "program"}
    assert (document["counts"]["recorded"], document["ok"]) == (1, True)


def test_all_takes_everything_that_is_not_named_and_says_how_much_it_is(call: Call, tmp_path: Path) -> None:
    ended = call("record", "--all", "--task", SHORT, "--env", "E0", "--run", "a", "--max-calls", "0")
    conditions = {key.split("/")[0] for key in ledger(tmp_path / "cassettes", "a")}
    agents = [name for name, (role, _) in BUILT_IN.items() if role == "agent"]
    assert conditions == {f"{agent},{sim},rubric,E0" for agent in agents for sim in ("twin", "example")}
    assert f"{len(conditions)} trials, about " in ended.err


def test_the_second_time_nothing_is_called_and_the_run_is_the_same(call: Call) -> None:
    first, second = (call("record", *ONE, "--json").document for _ in range(2))
    assert first["totals"]["calls"] > 0
    assert (second["totals"]["calls"], second["new"], second["ok"]) == (0, 0, True)
    assert second["run"] == first["run"]
    assert "nothing was called" in call("record", *ONE).out


def test_the_library_and_what_to_do_next_are_printed(call: Call, tmp_path: Path) -> None:
    ended = call("--library", "my lib", "record", *ONE, "--run", "study")
    assert f"in {tmp_path / 'my lib'}\n" in ended.out
    assert ended.out.endswith("next: replaylab --library 'my lib' replay study --offline\n")
    assert "programs, not LLMs: rubric, scripted:careful, twin" in ended.out
    assert "record study: 1/1 trials" in ended.err


def test_names_may_be_repeated_or_joined_by_commas(call: Call, tmp_path: Path) -> None:
    call("record", *ONE, "--run", "a", "--agent", "scripted:careful, scripted:hasty", "--env", "E0,E1")
    repeated = ("--agent", "scripted:careful", "--agent", "scripted:hasty", "--env", "E0", "--env", "E1")
    call("record", *ONE, "--run", "b", *repeated)
    assert ledger(tmp_path / "cassettes", "a") == ledger(tmp_path / "cassettes", "b")
    assert len(ledger(tmp_path / "cassettes", "a")) == 4


@pytest.mark.parametrize(
    ("options", "closest"),
    [
        (("--agent", "scripted:carefull"), "scripted:careful"),
        (("--sim", "twn"), "twin"),
        (("--verifier", "rubrik"), "rubric"),
        (("--task", "ed-sepsis-rom"), SHORT),
        (("--scenario", "emergency"), "emergency-department-triage"),
        (("--env", "e1"), "E1"),
    ],
)
def test_an_unknown_name_is_refused_with_the_closest(
    call: Call, tmp_path: Path, options: tuple[str, str], closest: str
) -> None:
    ended = call("record", *options, "--json")
    assert ended.code == 2
    assert ended.document["error"]["closest"] == closest
    assert not (tmp_path / "cassettes").exists()


@pytest.mark.parametrize(
    ("option", "name", "fitting"),
    [("--agent", "twin", "scripted:hasty"), ("--sim", "rubric", "example"), ("--verifier", "twin", "coin")],
)
def test_a_built_in_model_plays_its_own_role_only(call: Call, option: str, name: str, fitting: str) -> None:
    ended = call("record", *ONE, option, name)
    assert ended.code == 2
    assert f"built-in model {name!r} plays the" in ended.err
    assert fitting in ended.err


@pytest.mark.parametrize("amount", ["nan", "-1", "inf", "much"])
def test_an_amount_that_is_none_is_refused(call: Call, amount: str) -> None:
    ended = call("record", *ONE, "--max-cost", amount)
    assert (ended.code, "no amount of dollars" in ended.err) == (2, True)


@pytest.mark.parametrize("part", ["0/2", "3/2", "1", "a/b", "1/0"])
def test_a_shard_that_is_none_is_refused(call: Call, part: str) -> None:
    assert call("record", *ONE, "--shard", part).code == 2


def test_the_same_model_named_twice_is_refused(call: Call) -> None:
    assert "named twice" in call("record", *ONE, "--agent", "scripted:hasty,scripted:hasty").err


@pytest.mark.parametrize(
    ("key", "value"), [("votes", "1000"), ("fault_count", "1000"), ("trials", "0"), ("max_cost", "nan")]
)
def test_a_default_has_the_bounds_of_its_option(call: Call, tmp_path: Path, key: str, value: str) -> None:
    (tmp_path / "replaylab.toml").write_text(f"[record]\n{key} = {value}\n", encoding="utf-8")
    (tmp_path / "empty.toml").touch()
    by_default = call("record", "--task", SHORT)
    by_option = call("--config", "empty.toml", "record", "--task", SHORT, f"--{key.replace('_', '-')}", value)
    assert (by_default.code, by_option.code) == (2, 2)
    assert "replaylab.toml:2" in by_default.err


def test_the_help_tells_the_defaults_that_hold(call: Call) -> None:
    text = " ".join(call("record", "--help").out.split())
    assert f"a trial is cut off. Default: {Limits().max_steps}." in text
    assert f"Votes of the verifier. Default: {Limits().votes}." in text


def test_a_missing_key_is_refused_before_anything_is_recorded(call: Call, tmp_path: Path) -> None:
    ended = call("record", *ONE, "--agent", "gpt")
    assert (ended.code, "OPENAI_API_KEY" in ended.err) == (2, True)
    assert not (tmp_path / "cassettes").exists()


def test_defaults_come_from_the_configuration_and_options_beat_them(call: Call, tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").write_text(
        f'[record]\nagent = "scripted:hasty"\nenv = ["E0", "E2"]\ntask = "{SHORT}"\nvotes = 1\ntrials = 2\n',
        encoding="utf-8",
    )
    call("record", "--run", "a")
    assert len(ledger(tmp_path / "cassettes", "a")) == 4
    assert all(key.startswith("scripted:hasty,") for key in ledger(tmp_path / "cassettes", "a"))
    call("record", "--run", "b", "--agent", "scripted:quitter", "--env", "E0", "--trials", "1")
    assert ledger(tmp_path / "cassettes", "b") == [f"scripted:quitter,twin,rubric,E0/{SHORT}/0"]


def test_a_task_that_is_named_replaces_a_scenario_of_the_configuration(call: Call, tmp_path: Path) -> None:
    text = '[record]\nscenario = "order-return-authorization"\n'
    (tmp_path / "replaylab.toml").write_text(text, encoding="utf-8")
    call("record", *ONE, "--run", "a")
    assert [key.split("/")[1] for key in ledger(tmp_path / "cassettes", "a")] == [SHORT]


def test_a_limit_of_calls_stops_and_the_same_command_goes_on(call: Call, tmp_path: Path) -> None:
    ended = call("record", *ONE, "--run", "a", "--max-calls", "5", "--json")
    document = ended.document
    assert (ended.code, document["ok"], document["totals"]["calls"]) == (1, False, 5)
    assert document["stopped"] == "--max-calls 5 is reached"
    assert (document["in_progress"], document["counts"]["missing"]) == (1, 1)
    assert [one["kind"] for one in document["findings"]] == ["trial-missing"]
    rest = call("record", *ONE, "--run", "a", "--json").document
    whole = call("--library", "other", "record", *ONE, "--run", "a", "--json").document
    assert rest["totals"]["calls"] + 5 == whole["totals"]["calls"]
    assert rest["outcome"] == whole["outcome"]


def test_a_limit_is_told_in_words(call: Call) -> None:
    out = call("record", *ONE, "--run", "a", "--max-calls", "5").out
    assert out.splitlines()[-1] == (
        "stopped: --max-calls 5 is reached; what 1 begun trial answered is kept. The same command goes on."
    )


def test_control_c_keeps_what_was_answered_and_ends_with_130(
    call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    respond, seen, done = Responder.respond, [], Event()

    def interrupting(self: Responder, path: str, body: bytes) -> Any:
        seen.append(path)
        if len(seen) == 4:
            os.kill(os.getpid(), signal.SIGINT)
        if len(seen) >= 4:
            done.wait(0.5)  # the signal is another thread's: it has ten seconds before this trial ends
        return respond(self, path, body)

    monkeypatch.setattr(Responder, "respond", interrupting)
    ended = call("record", "--scenario", "emergency-department-triage", "--jobs", "1", "--run", "a")
    done.set()
    assert ended.code == 130
    assert "stopped: interrupted; what 1 begun trial answered is kept" in ended.out
    before = len(seen)
    again = call("record", "--scenario", "emergency-department-triage", "--run", "a", "--json")
    assert (again.code, again.document["counts"]["recorded"]) == (0, 3)
    assert again.document["totals"]["calls"] == len(seen) - before


def test_a_shard_records_its_part_and_ends_with_0(call: Call) -> None:
    ended = call("record", "--task", f"{SHORT},{OTHER}", "--run", "a", "--shard", "1/2", "--json")
    assert (ended.code, ended.document["findings"]) == (0, [])
    assert (ended.document["counts"]["recorded"], ended.document["counts"]["missing"]) == (1, 1)
    assert (
        "missing: 1 trial of other shards"
        in call("record", "--task", f"{SHORT},{OTHER}", "--run", "a", "--shard", "1/2").out
    )


def test_a_run_may_grow(call: Call) -> None:
    call("record", *ONE, "--run", "a")
    grown = call("record", "--task", f"{SHORT},{OTHER}", "--votes", "1", "--run", "a", "--json").document
    assert (grown["counts"]["recorded"], grown["new"]) == (2, 1)


def test_a_run_may_not_shrink(call: Call) -> None:
    call("record", "--task", f"{SHORT},{OTHER}", "--run", "a")
    ended = call("record", "--task", SHORT, "--run", "a")
    assert ended.code == 2
    assert OTHER in ended.err


def test_another_spec_under_the_same_name_is_refused_naming_the_field(call: Call) -> None:
    call("record", *ONE, "--run", "a")
    ended = call("record", "--task", SHORT, "--votes", "3", "--run", "a")
    assert ended.code == 2
    assert "limits" in ended.err
    assert "--run NAME" in ended.err


def test_a_trial_that_failed_is_repeated_only_when_asked(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    respond = Responder.respond
    with monkeypatch.context() as broken:
        broken.setattr(
            Responder,
            "respond",
            lambda self, path, body: (
                (400, {"content-type": "application/json"}, [b'{"error": {"message": "no"}}'])
                if b'"model":"twin"' in body
                else respond(self, path, body)
            ),
        )
        ended = call("record", *ONE, "--run", "a")
    assert ended.code == 1
    assert "1 error, 0 missing" in ended.out
    assert f"`replaylab show scripted:careful,twin,rubric,E0/{SHORT}/0 --run a` shows the trial" in ended.out
    assert "the simulator twin gave no answer: call 0: the server answered with an error status" in ended.out
    assert "--retry-errors tries again" in ended.out
    kept = call("record", *ONE, "--run", "a", "--json")
    assert (kept.code, kept.document["totals"]["calls"]) == (1, 0)
    again = call("record", *ONE, "--run", "a", "--retry-errors", "--json")
    assert (again.code, again.document["counts"]["pass"]) == (0, 1)


def test_a_folder_of_scenarios_can_be_recorded_with_any_simulator(call: Call, own: Path) -> None:
    ended = call(
        "record",
        "--scenarios",
        str(own),
        "--scenario",
        "gates",
        "--sim",
        "example",
        "--verifier",
        "coin",
        "--json",
    )
    assert (ended.code, ended.document["counts"]["recorded"]) == (0, 1)


def test_whoever_names_a_folder_means_the_tasks_in_it(call: Call, own: Path) -> None:
    ended = call("record", "--scenarios", str(own), "--sim", "example", "--verifier", "coin", "--json")
    assert (ended.code, ended.document["counts"]["planned"]) == (0, 1)


def test_a_twin_of_ones_own_runs_only_when_trusted(call: Call, tmp_path: Path, own: Path) -> None:
    options = ("record", "--scenarios", "own", "--scenario", "gates", "--verifier", "coin")
    refused = call(*options)
    assert (refused.code, "--trust-twins" in refused.err) == (2, True)
    assert str(own / "gates" / "environments" / "yard" / "twin.py") in refused.err
    assert not (tmp_path / "cassettes").exists()
    assert call(*options, "--trust-twins").code == 0


def test_folders_of_the_configuration_are_recorded_too(call: Call, tmp_path: Path, own: Path) -> None:
    (tmp_path / "replaylab.toml").write_text(
        'scenarios = ["own"]\n[record]\nscenario = "gates"\nverifier = "coin"\n', encoding="utf-8"
    )
    assert call("record").code == 2
    assert call("record", "--trust-twins").code == 0


def test_the_shipped_folder_may_be_named_again(call: Call) -> None:
    assert call("record", *ONE, "--scenarios", str(shipped())).code == 0


def test_an_environment_without_a_twin_is_refused_before_any_call(call: Call, own: Path) -> None:
    (own / "gates" / "environments" / "yard" / "twin.py").unlink()
    ended = call("record", "--scenarios", "own", "--scenario", "gates", "--trust-twins")
    assert (ended.code, "has no twin" in ended.err) == (2, True)


def test_the_text_is_written_in_an_ascii_locale(tmp_path: Path) -> None:
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    ended = process("-m", "replaylab", "record", *ONE, "--agent", "gpt", cwd=tmp_path, env=ascii_only)
    assert ended.returncode == 2
    assert "export OPENAI_API_KEY=... and" in ended.stderr.decode("ascii")


def test_help_of_a_command_loads_no_engine(tmp_path: Path) -> None:
    code = (
        "import sys; from replaylab.cli.main import run\n"
        "for name in ('record', 'replay', 'merge', 'verify', 'runs', 'scenarios'): run([name, '--help'])\n"
        "print('\\n' + '\\n'.join(sys.modules))"
    )
    loaded = set(process("-c", code, cwd=tmp_path).stdout.decode().splitlines())
    assert "replaylab.cli.record" in loaded
    assert not {"pydantic", "openai", "httpx2", "deepdiff", "sqlite_utils", "zstandard"} & loaded


@pytest.mark.parametrize(("by", "votes"), [("votes", 3), ("checks", 0), ("both", 3)])
def test_judged_by_says_what_decides_and_show_gives_the_checks_beside_the_votes(
    call: Call, tmp_path: Path, by: str, votes: int
) -> None:
    command = (
        "record",
        *ONE,
        "--agent",
        "scripted:greedy",
        "--verifier",
        "coin",
        "--judged-by",
        by,
        "--run",
        "a",
    )
    counts = call(*command, "--json").document["counts"]
    run = Library(tmp_path / "cassettes").run("a")[1]
    shown = call("show", run.ledger[0].key, "--run", "a").out
    assert shown.count("[fail]") >= 1
    assert ("they take part in the verdict" in shown) is (by != "votes")
    assert sum(line.strip().startswith(("vote 0", "votes 0")) for line in shown.splitlines()) == bool(votes)
    if by != "votes":
        assert counts["pass"] == 0
    assert run.spec.judged_by == by
    assert call("replay", "a", "--offline").code == 0


def test_a_task_without_checks_cannot_be_judged_by_them(call: Call, own: Path) -> None:
    ended = call(
        "record", "--scenarios", "own", "--scenario", "gates", "--trust-twins", "--judged-by", "checks"
    )
    assert (ended.code, "has no checks" in ended.err) == (2, True)


def test_there_is_no_verifier_to_swap_where_nobody_voted(call: Call) -> None:
    call("record", *ONE, "--judged-by", "checks", "--run", "a")
    ended = call("replay", "a", "--swap", "verifier=coin")
    assert (ended.code, "nobody voted" in ended.err) == (2, True)
