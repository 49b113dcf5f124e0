"""The command `import har`."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Call
from tests.interop.har.test_importer import entry, har


def test_exchanges_become_a_captured_run(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text(json.dumps(har(entry(), entry(1))), encoding="utf-8")
    told = call("import", "har", "a.har", "--run", "theirs").out
    assert "2 exchanges: openai 2" in told
    assert "Imported, not recorded" in told
    again = call("import", "har", "a.har", "--run", "theirs", "--json").document
    assert (again["changed"], again["exchanges"], again["endpoints"]) == (False, 2, {"openai": 2})
    assert call("verify").code == 0


def test_a_host_is_chosen_and_the_others_are_counted(call: Call, tmp_path: Path) -> None:
    other = entry(1, request={"url": "https://tracker.example/x"})
    (tmp_path / "a.har").write_text(json.dumps(har(entry(), other)), encoding="utf-8")
    told = call("import", "har", "a.har", "--host", "api.openai.com").out
    assert "with other hosts, left out: 1" in told


def test_a_file_that_is_none_ends_with_2(call: Call, tmp_path: Path) -> None:
    (tmp_path / "a.har").write_text("{}", encoding="utf-8")
    ended = call("import", "har", "a.har")
    assert ended.code == 2
    assert "it is no HAR file" in ended.err


def test_a_folder_is_all_hars_in_it(call: Call, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for number in range(2):
        text = json.dumps(har(entry(number)))
        (tmp_path / "in" / f"{number}.har").write_text(text, encoding="utf-8")
    assert "run in " in call("import", "har", "in").out
    assert call("import", "har", "in", "--json").document["exchanges"] == 2
