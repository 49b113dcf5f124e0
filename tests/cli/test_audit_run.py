from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.engine.ledger import make_run
from replaylab.store.library import Library
from tests.cli.conftest import Call, Ended
from tests.engine.forging import Row, forged, reledger, replace
from tests.interop.pack.keying import key_file

CLAIMS = """
format: replaylab.claims/1
title: Two agents
tables:
  t:
    title: Rates
    rebuilds: overall
    rows_are: model
    columns: {rate: {}}
    rows:
      "scripted:careful": ["RATE"]
"""


def steps(ended: Ended) -> dict[int, dict[str, Any]]:
    return {step["number"]: step for step in ended.document["steps"]}


def test_a_run_is_audited_in_25_steps_and_nothing_fails(call: Call, study: Path) -> None:
    ended = call("audit", "study", "--json")
    assert ended.code == 0, ended.err
    found = steps(ended)
    assert list(found) == list(range(1, 26))
    assert {number for number, step in found.items() if step["outcome"] == "fail"} == set()
    assert found[7]["outcome"] == found[2]["outcome"] == "pass"
    assert ended.document["run"] == Library(study).run("study")[0]
    assert study.is_dir()


def test_the_newest_run_is_taken_and_the_text_has_every_step_and_says_that_programs_played(
    call: Call, study: Path
) -> None:
    ended = call("audit")
    assert (ended.code, study.is_dir()) == (0, True)
    assert "Played by programs, not LLMs" in ended.out
    for number in range(1, 26):
        assert f"\n{number:>2}  " in ended.out


def test_the_published_run_id_decides_the_first_step(call: Call, study: Path) -> None:
    run_id, _ = Library(study).run("study")
    right = call("audit", "study", "--run-id", run_id.upper(), "--json")
    assert (right.code, steps(right)[1]["outcome"], steps(right)[5]["outcome"]) == (0, "pass", "pass")
    wrong = call("audit", "study", "--run-id", "0" * 64, "--json")
    assert (wrong.code, steps(wrong)[1]["outcome"]) == (1, "fail")
    assert [one["kind"] for one in wrong.document["findings"]] == ["published-id"]


def test_what_fails_is_named_in_every_printing(call: Call, study: Path, tmp_path: Path) -> None:
    library = Library(study)
    name = library.run("study")[1].ledger[0].tries[0].cassette

    def change(rows: list[Row]) -> None:
        rows[0]["task"]["rubric"]["text"] = "Anything goes."

    replace(library, name, forged(library.get(name, "cassette"), change))
    ended = call("audit", "study", "--out", "report")
    assert ended.code == 1
    assert "inputs-digest" in ended.out
    for file in ("audit.md", "audit.html", "audit.json"):
        assert "inputs-digest" in (tmp_path / "report" / file).read_text(encoding="utf-8")


def test_a_published_table_is_compared_with_the_recordings(call: Call, study: Path, tmp_path: Path) -> None:
    for rate, code in (("100.0", 0), ("50.0", 1)):
        (tmp_path / "c.yaml").write_text(CLAIMS.replace("RATE", rate), encoding="utf-8")
        ended = call("audit", "study", "--claims", "c.yaml", "--json")
        assert (ended.code, steps(ended)[10]["outcome"]) == (code, "fail" if code else "pass"), (
            ended.err or ended.out
        )


def test_two_audits_are_the_same_to_the_byte(call: Call, study: Path, tmp_path: Path) -> None:
    for name in ("one", "two"):
        assert call("audit", "study", "--out", name).code == 0
    for file in ("audit.md", "audit.html", "audit.json"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert json.loads((tmp_path / "one" / "audit.json").read_text(encoding="utf-8"))["steps"]
    assert study.is_dir()


@pytest.mark.parametrize("argv", [("a", "b"), ("nothing",)])
def test_no_such_run_and_two_runs_are_wrong_usage(call: Call, study: Path, argv: tuple[str, ...]) -> None:
    assert call("audit", *argv).code == 2
    assert study.is_dir()


def test_a_signature_over_the_run_decides_the_first_step_and_one_over_an_earlier_run_fails(
    call: Call, study: Path, tmp_path: Path
) -> None:
    key = key_file(tmp_path)
    file = call("sign", "study", "--key", str(key), "--json").document["file"]
    options = ["--key", f"{key}.pub", "--signature", file, "--json"]
    good = call("audit", "study", *options)
    assert (good.code, steps(good)[1]["outcome"], steps(good)[5]["outcome"]) == (0, "pass", "pass")
    assert any("signed with the key SHA256:" in line for line in steps(good)[1]["evidence"])

    # Another run object, sealed anew: nothing in the files tells.
    reledger(Library(study), "study", lambda ledger: ledger, created="2031-01-01T00:00:00Z")
    forged_run = call("audit", "study", *options)
    assert (forged_run.code, steps(forged_run)[1]["outcome"]) == (1, "fail")
    assert [one["kind"] for one in forged_run.document["findings"]] == ["signature"]


def test_a_signature_over_a_pack_vouches_for_the_run_of_the_library_that_it_was_unpacked_to(
    call: Call, study: Path, tmp_path: Path
) -> None:
    key = key_file(tmp_path)
    library = Library(study)
    first, run = library.run("study")
    second = library.put_run(
        make_run("study", run.spec, run.ledger, created="2030-01-01T00:00:00Z", follows=[first])
    )
    library.set_ref("study", second)
    call("pack", "--out", "a.tar")
    call("sign", "a.tar", "--key", str(key))
    call("unpack", "a.tar", "--into", "there")
    options = ["--key", f"{key}.pub", "--signature", "a.tar.sig"]
    audit = ["--library", "there", "audit"]
    good = call(*audit, "study", *options, "--json")
    assert (good.code, steps(good)[1]["outcome"], steps(good)[5]["outcome"]) == (0, "pass", "pass")
    ended = call("--library", "there", "verify", *options)
    assert (ended.code, f"run id {second}" in ended.out) == (0, True), ended.out

    # The pack holds the run that this one follows too; whoever signed it did not sign for that one.
    earlier = call(*audit, first, *options, "--json")
    assert steps(earlier)[1]["outcome"] == "fail"
    # Nor for what was put into the library later.
    reledger(Library(tmp_path / "there"), "study", lambda ledger: ledger, created="2031-01-01T00:00:00Z")
    assert steps(call(*audit, "study", *options, "--json"))[1]["outcome"] == "fail"
    # SHA256SUMS doctored to fit is not what was signed.
    forged_id = Library(tmp_path / "there").run("study")[0]
    sums = tmp_path / "there" / "SHA256SUMS"
    sums.write_text(sums.read_text().replace(second, forged_id))
    assert steps(call(*audit, "study", *options, "--json"))[1]["outcome"] == "fail"


def test_a_claim_that_cant_be_decided_leaves_the_step_open(call: Call, study: Path, tmp_path: Path) -> None:
    """`claims` passes if every claim holds, `table rebuild` if every published cell follows."""
    assert study.is_dir()
    text = (
        CLAIMS.replace("RATE", "100.0")
        .replace("rate: {}", "rate: {}, other: {}")
        .replace('0"]', '0", "1.5"]')
    )
    claims = [
        "  - {id: a, type: equals, cell: t / scripted:careful / rate, value: 100.0}",
        "  - {id: b, type: differs, a: t / scripted:careful / rate, b: t / scripted:careful / other}",
    ]
    (tmp_path / "c.yaml").write_text("\n".join([text, "claims:", *claims]), encoding="utf-8")
    found = steps(call("audit", "study", "--claims", "c.yaml", "--json"))
    assert (found[13]["outcome"], found[13]["evidence"]) == (
        "not_checkable",
        ["1 hold, 0 fail, 1 can't be decided"],
    )
    assert found[10]["outcome"] == "not_checkable"
    (tmp_path / "c.yaml").write_text("\n".join([text, "claims:", claims[0]]), encoding="utf-8")
    assert steps(call("audit", "study", "--claims", "c.yaml", "--json"))[13]["outcome"] == "pass"


def test_rates_say_what_they_are_of(call: Call, study: Path) -> None:
    assert study.is_dir()
    line = steps(call("audit", "study", "--json"))[12]["evidence"][0]
    assert line.startswith("scripted:careful, under E0 with twin and rubric: ")


def test_a_key_without_a_signature_is_wrong_usage(call: Call, study: Path, tmp_path: Path) -> None:
    key = key_file(tmp_path)
    ended = call("audit", "study", "--key", f"{key}.pub")
    assert (ended.code, "--signature belong together" in ended.err) == (2, True)
    assert study.is_dir()


@pytest.mark.parametrize(
    "given", ["", "3efe6fa565ce", "sha256:" + "0" * 64, "0" * 64 + ".run", "0" * 65, "x\ny"]
)
def test_what_is_no_whole_run_id_is_wrong_usage_and_not_another_run(
    call: Call, study: Path, given: str
) -> None:
    ended = call("audit", "study", "--run-id", given)
    assert (ended.code, study.is_dir()) == (2, True)
    assert "--run-id is not a run id" in ended.err
    assert "64 hex digits" in ended.err


def test_blanks_around_a_run_id_are_no_part_of_it(call: Call, study: Path) -> None:
    run_id, _ = Library(study).run("study")
    assert steps(call("audit", "study", "--run-id", f" {run_id} ", "--json"))[1]["outcome"] == "pass"


def test_a_run_id_without_a_run_is_refused_and_not_passed_over(call: Call, tmp_path: Path) -> None:
    claims = tmp_path / "paper.yaml"
    claims.write_text(
        "format: replaylab.claims/1\ntitle: A\ntables: {t: {columns: {a: {}}, rows: {X: [1], Y: [2]}}}\n"
    )
    assert call("audit", "--claims", str(claims)).code == 0
    ended = call("audit", "--claims", str(claims), "--run-id", "0" * 64)
    assert ended.code == 2
    assert "--run-id is of a run, and none is named" in ended.err
