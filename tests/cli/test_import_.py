"""The command `import`, over the two-task copy of the published files' shape that is written here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.interop.vcr.write import write_text
from tests.cli.conftest import Call
from tests.interop.vcr.made import pair

CONFIG = {
    "environment_name": "env_1",
    "world_model_system_prompt": "You are a gate. {{initial_state}}",
    "action_set_definitions": [
        {
            "name": "open",
            "description": "Opens.",
            "parameters": {"type": "object"},
            "example_output": {"ok": True},
        }
    ],
    "state_description": {"open": "whether it is open"},
    "task_initial_state": {"open": False},
}
TASK = {
    "task_id": 7,
    "difficulty_level": 1,
    "task_scenario_name": "Gate Keeping",
    "agent_instruction": "Open the gate.",
    "env_name": "env_1",
    "verification_plan": "It is open.",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "published"
    (folder / "world_model_configs").mkdir(parents=True)
    pool = [
        {"category": "Safety", "domain": "Doors", "task_scenario_name": name}
        for name in ("Gate Keeping", "No Tasks")
    ]
    (folder / "world_model_configs" / "env_1.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (folder / "eval_benchmark_solvable.jsonl").write_text(json.dumps(TASK) + "\n", encoding="utf-8")
    (folder / "task_scenario_all_pool.jsonl").write_text("\n".join(map(json.dumps, pool)), encoding="utf-8")
    return folder


def test_an_import_can_be_listed_at_once(call: Call, source: Path) -> None:
    assert call("import", "occubench", str(source), "--into", "build/new/gates").code == 0
    listed = json.loads(call("scenarios", "--scenarios", "build/new/gates", "--json").out)["scenarios"]
    assert [one["industry"] for one in listed if one["origin"] == "imported"] == ["Safety"]


def test_the_summary_says_what_is_there_and_what_is_odd(call: Call, source: Path) -> None:
    told = call("import", "occubench", str(source), "--into", "gates").out
    assert "1 scenarios, 1 environments, 1 tasks in gates" in told
    assert "No Tasks" in told
    assert "inline_placeholder" in told


def test_the_document_holds_the_summary(call: Call, source: Path) -> None:
    document = json.loads(call("import", "occubench", str(source), "--into", "gates", "--json").out)
    assert (document["schema"], document["ok"], document["findings"]) == ("replaylab/import/1", True, [])
    assert (document["tasks"], document["changed"], document["into"]) == (1, True, "gates")
    assert "inline_placeholder" in [one["kind"] for one in document["irregularities"]]


def test_the_same_import_again_changes_nothing_and_says_so(call: Call, source: Path) -> None:
    arguments = ("import", "occubench", str(source), "--into", "gates")
    call(*arguments)
    assert "already" in call(*arguments).out
    assert json.loads(call(*arguments, "--json").out)["changed"] is False


def test_another_import_into_the_same_folder_is_refused_unless_asked_for(
    call: Call, source: Path, tmp_path: Path
) -> None:
    arguments = ("import", "occubench", str(source), "--into", "gates")
    call(*arguments)
    config = source / "world_model_configs" / "env_1.json"
    config.write_text(json.dumps(CONFIG | {"state_description": {"open": "changed"}}), encoding="utf-8")
    refused = call(*arguments)
    assert refused.code == 2
    assert "something else" in refused.err
    assert call(*arguments, "--replace").code == 0


def test_a_broken_line_stops_the_import_and_nothing_is_written(
    call: Call, source: Path, tmp_path: Path
) -> None:
    (source / "eval_benchmark_solvable.jsonl").write_text('{"task_id": 7}\n', encoding="utf-8")
    ended = call("import", "occubench", str(source), "--into", "gates", "--json")
    assert ended.code == 2
    assert "eval_benchmark_solvable.jsonl:1" in json.loads(ended.out)["error"]["what"]
    assert not (tmp_path / "gates").exists()


def test_an_import_of_an_unknown_kind_is_wrong_usage(call: Call) -> None:
    assert call("import", "nonsense").code == 2


def transcripts(folder: Path, *simulators: str, **more: object) -> str:
    step = {"tool": "open", "arguments": "{}", "observation": {"ok": True}}
    lines = [
        {
            "environment": CONFIG,
            "simulator": one,
            "task": "Open it.",
            "steps": [step],
            "final_answer": "ok",
            **more,
        }
        for one in simulators
    ]
    (folder / "theirs.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return "theirs.jsonl"


def test_transcripts_become_a_run_that_every_command_reads(call: Call, tmp_path: Path) -> None:
    done = call("import", "transcript", transcripts(tmp_path, "a", "b"), "--json")
    assert (done.code, done.document["run"], done.document["evidence"]) == (
        0,
        done.document["run"],
        "imported",
    )
    assert done.document["counts"]["recorded"] == 2
    key = "unknown,a,none,E0/env_1-"
    assert call("verify").code == 0
    assert call("replay", "theirs", "--offline").code == 0
    for command in (("show", "theirs"), ("runs",), ("replay", "theirs"), ("score", "theirs", "--print-only")):
        assert "imported" in call(*command).out.lower(), command
    assert key in call("show").out
    assert (
        call("import", "transcript", "theirs.jsonl", "--run", "theirs", "--json").document["changed"] is False
    )


@pytest.mark.parametrize("simulators", [("a", "b"), ("a",)])
def test_calls_that_were_imported_are_not_said_to_be_put_to_another_simulator(
    call: Call, tmp_path: Path, simulators: tuple[str, ...]
) -> None:
    call("import", "transcript", transcripts(tmp_path, *simulators))
    for named in (("--sim", "a", "--sim", "zzz"), ("--run", "theirs") if len(simulators) == 1 else ()):
        fix = call("diff", *named, "--json").document.get("error", {}).get("fix", "import transcript")
        assert "import transcript" in fix
        assert "replay " not in fix
        assert "record " not in fix


def test_transcripts_name_environments_of_an_imported_folder(
    call: Call, source: Path, tmp_path: Path
) -> None:
    call("import", "occubench", str(source), "--into", "gates")
    path = transcripts(tmp_path, "a", environment="env_1", task="occubench-7")
    done = call("import", "transcript", path, "--scenarios", "gates", "--json")
    assert done.code == 0
    shown = call("show", "unknown,a,none,E0/occubench-7/0", "--json").document
    assert (shown["scenario"]["industry"], shown["task"]["instruction"]) == ("Safety", "Open the gate.")
    assert shown["evidence"] == "imported"


def test_a_bad_line_is_named_and_nothing_is_written(call: Call, tmp_path: Path) -> None:
    path = transcripts(tmp_path, "a", "b", steps=[{"tool": "open", "observaton": 1}])
    done = call("import", "transcript", path)
    assert done.code == 2
    assert "theirs.jsonl:1: steps.0.observaton" in done.err
    assert not (tmp_path / "cassettes").exists()


def test_bad_lines_left_out_are_counted_and_listed(call: Call, tmp_path: Path) -> None:
    transcripts(tmp_path, "a")
    with (tmp_path / "theirs.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n{\n")
    told = call("import", "transcript", "theirs.jsonl", "--skip-bad").out
    assert "left out, since they can't be imported: 1 line" in told
    assert "theirs.jsonl:2" in told


def test_what_was_read_otherwise_than_given_is_said(call: Call, tmp_path: Path) -> None:
    path = transcripts(tmp_path, "a", steps=[{"tool": "fly", "observation": "no"}], note=1)
    told = call("import", "transcript", path, "--keep-unknown").out
    assert "calls of an unknown tool or with arguments that are no JSON object: 1; replaylab's engine" in told
    assert "fields that nobody knows: 1; kept in a label" in told
    assert "  - theirs.jsonl:1: note\n" in told


def test_a_misspelt_tool_is_told_with_its_line_the_closest_one_and_what_to_do(
    call: Call, tmp_path: Path
) -> None:
    wrong = {"tool": "opn", "observation": {"ok": True}}
    path = transcripts(tmp_path, "a", "b", steps=[{"tool": "open", "observation": {"ok": True}}, wrong])
    told = call("import", "transcript", path).out
    assert (
        "  - theirs.jsonl:1: steps.1.tool: there is no tool 'opn'; closest: open\n  - theirs.jsonl:2: "
        in told
    )
    assert "  to do: if it is a slip of the file, mend it there and import it as another run" in told
    document = call("import", "transcript", path, "--json").document
    assert [one["where"] for one in document["noted"]["engine_answered"]] == [
        "theirs.jsonl:1",
        "theirs.jsonl:2",
    ]


def test_arguments_that_are_no_object_are_told_with_their_line(call: Call, tmp_path: Path) -> None:
    path = transcripts(tmp_path, "a", steps=[{"tool": "open", "arguments": "x", "observation": 1}])
    told = call("import", "transcript", path).out
    assert "  - theirs.jsonl:1: steps.0.arguments: open is called with no JSON object\n" in told


def test_of_places_that_need_no_reason_the_first_are_named_and_the_others_counted(
    call: Call, tmp_path: Path
) -> None:
    path = transcripts(tmp_path, *"abcde", steps=[{"tool": "open", "observation": "plain words"}])
    told = call("import", "transcript", path).out
    assert "observations that are no JSON which the tool can return: 5; " in told
    assert told.count(": steps.0.observation\n") == 3
    assert "  - and 2 more; --json lists all\n" in told


def test_a_cassette_of_vcrpy_is_imported_and_what_it_lacks_is_said(call: Call, tmp_path: Path) -> None:
    asked = {"content-type": ["application/json"], "authorization": ["Bearer DUMMY"]}
    headers = {"Set-Cookie": ["a=b"], "X-Odd": ["1"]}
    (tmp_path / "chat.yaml").write_bytes(write_text([pair(asked=asked, headers=headers)], {}, "yaml", "x"))
    told = call("import", "vcr", "chat.yaml")
    assert told.code == 0, told.err
    for line in (
        "run chat",
        "Imported, not recorded",
        "1 exchange of 1 file",
        "authorization (1)",
        "x-odd (1)",
    ):
        assert line in told.out
    document = call("import", "vcr", "chat.yaml", "--json").document
    assert (document["changed"], document["evidence"], document["notes"]["dropped_header"]) == (
        False,
        "imported",
        2,
    )
    kept = call("import", "vcr", "chat.yaml", "--keep-header", "X-Odd", "--json").document
    assert (kept["changed"], kept["notes"]["dropped_header"]) == (True, 1)
    assert call("verify").code == 0
    assert call("show", "chat").code == 0


def test_a_cassette_that_would_make_objects_is_refused(call: Call, tmp_path: Path) -> None:
    (tmp_path / "evil.yaml").write_text("interactions: !!python/object/apply:os.system ['true']\n")
    ended = call("import", "vcr", "evil.yaml")
    assert (ended.code, "may make no objects" in ended.err, "evil.yaml:1" in ended.err) == (2, True, True)
    ended = call("import", "vcr", "evil.yaml", "--keep-header", "cookie")
    assert (ended.code, "holds a credential" in ended.err) == (2, True)


def test_what_no_source_says_is_shown_as_unknown_and_not_as_nothing(call: Call, tmp_path: Path) -> None:
    call("import", "transcript", transcripts(tmp_path, "a"))
    told = call("show", "theirs").out
    assert "agent       unknown (not named by the source)\n" in told
    assert "created     unknown\n" in told
    assert (
        "took        3 model calls, tokens unknown (3 answers without a count), cost unknown, model time unknown"
        in told
    )
    assert call("show", "theirs").out.count("0 tokens") == 0
    row = call("runs").out.splitlines()[1].split()
    assert (row[2], row[-2:]) == ("unknown", ["llm,", "unknown"])
    assert call("runs", "--json").document["runs"][0]["players"] == {"unknown": "unknown", "a": "llm"}
    page = tmp_path / "page.html"
    assert call("show", "theirs", "--html", str(page)).code == 0
    assert "<dd>unknown</dd>" in page.read_text(encoding="utf-8")
    assert "0 in, 0 out" not in page.read_text(encoding="utf-8")


def test_the_cost_of_what_nobody_counted_is_unknown_in_its_table(call: Call, tmp_path: Path) -> None:
    call("import", "transcript", transcripts(tmp_path, "a"))
    told = call("score", "theirs", "--table", "cost").out
    row = next(line for line in told.splitlines() if line.startswith("unknown "))
    assert row.split()[1:4] == ["1", "3", "0"]
    assert row.count("unknown") == 6, "the agent, tokens both ways, time, money, money a solved trial"
    assert "without a count of all tokens" in told


def test_a_swap_of_an_imported_run_is_done_or_says_why_not_and_what_to_do(call: Call, tmp_path: Path) -> None:
    call("import", "transcript", transcripts(tmp_path, "a", "b"), "--run", "two")
    error = call("replay", "two", "--swap", "sim=example", "--json").document["error"]
    assert "has 2 simulators" in error["what"]
    assert error["fix"] == "import the lines of one simulator as a run of their own, and swap that"
    call("import", "transcript", transcripts(tmp_path, "a"), "--run", "one")
    assert call("replay", "one", "--swap", "sim=example").code == 0
    error = call("replay", "one", "--swap", "verifier=rubric", "--json").document["error"]
    assert error["what"] == "nobody judged the imported run 'one', so there is no verifier to swap"
    assert error["fix"] == "its simulator can be swapped where it has one: --swap sim=NAME"
