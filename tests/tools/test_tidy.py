"""One test a rule of tools/tidy.py, on small repositories made for it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tools import tidy, tidy_readme


def messages(findings: list[tidy.Finding]) -> list[str]:
    return [str(finding) for finding in findings]


def test_a_file_may_have_as_many_lines_as_the_cap_and_no_more() -> None:
    assert tidy.size_findings("replaylab/x.py", "\n" * 400) == []
    assert messages(tidy.size_findings("replaylab/x.py", "\n" * 401)) == [
        "replaylab/x.py:0: 401 lines, cap 400"
    ]


def test_a_test_file_may_be_longer() -> None:
    assert tidy.size_findings("tests/test_x.py", "\n" * 600) == []
    assert tidy.size_findings("tests/test_x.py", "\n" * 601)


@pytest.mark.parametrize("keyword", ["def", "async def"])
def test_a_function_over_70_lines_is_named_with_its_line(keyword: str) -> None:
    body = "    pass\n"
    assert tidy.size_findings("replaylab/x.py", f"{keyword} f():\n{body * 69}") == []
    found = tidy.size_findings("replaylab/x.py", f"\n{keyword} f():\n{body * 70}")
    assert messages(found) == ["replaylab/x.py:2: f has 71 lines, cap 70"]


def test_self_and_cls_do_not_count_as_parameters() -> None:
    eight = "a, b, c, d, /, e, f, *, g, h"
    assert (
        tidy.size_findings("replaylab/x.py", f"def f({eight}): ...\nclass C:\n def g(self, {eight}): ...\n")
        == []
    )
    assert len(tidy.size_findings("replaylab/x.py", f"def f({eight}, i): ...\n")) == 1
    assert len(tidy.size_findings("replaylab/x.py", f"class C:\n def g(cls, {eight}, i): ...\n")) == 1


@pytest.mark.parametrize("decorator", ["@click.command", '@click.command("x")', "@group.command()"])
def test_a_command_may_have_a_parameter_for_each_option_but_only_in_cli(decorator: str) -> None:
    text = f"{decorator}\ndef f(a, b, c, d, e, f, g, h, i): ...\n"
    assert tidy.size_findings("replaylab/cli/x.py", text) == []
    assert tidy.size_findings("replaylab/engine/x.py", text)


def test_an_exception_covers_its_own_key_only_and_is_a_finding_when_idle() -> None:
    findings = [tidy.Finding("a.py", 1, "long", "a.py:f"), tidy.Finding("a.py", 2, "long", "a.py:g")]
    assert tidy.excused(findings, {"a.py:f": "why"}) == findings[1:]
    assert "'a.py:h' is not needed" in str(tidy.excused([], {"a.py:h": "why"})[0])


def test_an_init_holds_a_docstring_imports_and_exports() -> None:
    text = '"""Room."""\nfrom __future__ import annotations\nfrom a import b\n__all__ = ["b"]\n__version__ = "1"\n'
    assert tidy.init_findings("a/__init__.py", text) == []


@pytest.mark.parametrize("line", ["x = 1", "def f(): ...", "class C: ...", "print()", "if x: pass", "'late'"])
def test_an_init_holds_no_logic(line: str) -> None:
    assert messages(tidy.init_findings("a/__init__.py", f'"""Room."""\n{line}\n')) == [
        "a/__init__.py:2: __init__.py holds exports only"
    ]


@pytest.mark.parametrize("call", ["hash(x)", "input()", "Path(x).expanduser()"])
def test_what_differs_from_process_to_process_is_called_in_the_command_line_only(call: str) -> None:
    assert [f.line for f in tidy.builtin_findings("replaylab/wire/x.py", f"\ny = {call}\n")] == [2]
    assert tidy.builtin_findings("replaylab/cli/x.py", f"y = {call}\n") == []


def test_a_hash_method_may_call_hash() -> None:
    text = "class C:\n def __hash__(self): return hash(self.x)\n def other(self): return hash(self.x)\n"
    assert [f.line for f in tidy.builtin_findings("replaylab/x.py", text)] == [3]


# Put together from pieces, so that this file passes the check that it tests.
@pytest.mark.parametrize(
    "text",
    [
        "see /" + "work/main/x",
        "in '/" + "root/x'",
        "/" + "farm/in",
        "/" + "home/ann/x",
        "/" + "tmp/v0/bin",
        "https://" + "pypi." + "org/simple",
        "files." + "pythonhosted." + "org",
        "registry." + "npmjs." + "org",
        "deb." + "debian." + "org",
        "pip install " + "replaylab",
        "pip install -q " + "replaylab[test]",
        "# TO" + "DO later",
        "# FIX" + "ME",
        "The " + "lead merges it",
        "asked another " + "helper",
        "in this " + "session",
        "a sub" + "agent wrote it",
    ],
)
def test_text_that_must_not_be_committed_is_found_with_its_line(text: str) -> None:
    found = tidy.text_findings("a.md", f"fine\n{text}\n")
    assert [finding.line for finding in found] == [2]


@pytest.mark.parametrize(
    "text",
    [
        "./work/x",
        "homework/x",
        "https://example.com/root/",
        "pip install -e .",
        "leading",
        "sessions",
        "agent",
    ],
)
def test_text_that_only_looks_alike_is_left_alone(text: str) -> None:
    assert tidy.text_findings("a.md", text) == []


def test_words_inside_scenario_data_are_content() -> None:
    assert tidy.text_findings("scenarios/ward/task.json", "ask the " + "lead nurse") == []


def test_a_source_file_with_functions_needs_its_mirrored_test() -> None:
    source = {"replaylab/wire/redact.py": "def f(): ...\n", "replaylab/schema/run.py": "x: int\n"}
    assert messages(tidy.mirror_findings(sorted(source), source)) == [
        "replaylab/wire/redact.py:0: no tests/wire/test_redact.py"
    ]
    source["tests/wire/test_redact.py"] = ""
    assert tidy.mirror_findings(sorted(source), source) == []


def test_the_two_tables_excuse_a_missing_test_and_a_shared_one_must_exist(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tidy, "UNTESTED", {"tools/show.py": "why"})
    monkeypatch.setattr(tidy, "COVERED_BY", {"replaylab/a.py": "tests/test_both.py"})
    texts = dict.fromkeys(["replaylab/a.py", "tools/show.py"], "def f(): ...\n")
    assert messages(tidy.mirror_findings(sorted(texts), texts)) == ["replaylab/a.py:0: no tests/test_both.py"]
    assert tidy.mirror_findings([*sorted(texts), "tests/test_both.py"], texts) == []


def test_a_test_file_must_mirror_a_source_file_or_lie_in_a_free_folder() -> None:
    files = ["tests/wire/test_gone.py", "tests/e2e/test_kill.py", "tests/conftest.py", "tests/wire/fakes.py"]
    assert messages(tidy.mirror_findings(files, {})) == ["tests/wire/test_gone.py:0: mirrors no source file"]


def repository(root: Path, files: dict[str, bytes]) -> Path:
    """A git repository that holds the files, uncommitted."""
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for name, content in {"README.md": b"", "Makefile": b"", ".gitignore": b"build/\n", **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content)
    return root


@pytest.fixture
def no_exceptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tidy, "EXCEPTIONS", {})


@pytest.mark.usefixtures("no_exceptions")
def test_a_clean_repository_passes_and_ignored_files_are_not_read(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(
        tmp_path / "a b", {"build/big": b"x" * 1_000_001, "cassettes/objects/big": b"x" * 1_000_001}
    )
    assert tidy.main(root) == 0
    assert capsys.readouterr().out == "tidy: 4 files, 0 findings\n"


@pytest.mark.usefixtures("no_exceptions")
def test_each_kind_of_finding_reaches_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = repository(
        tmp_path,
        {
            "big.bin": b"\0" * 1_000_001,
            "note.md": b"/" + b"work/x",
            "replaylab/a/__init__.py": b"x = 1\n",
            "replaylab/a/b.py": b"def f(): ...\n" + b"\n" * 400,
            "README.md": b"```sh\nmake nothing\n```\n",
        },
    )
    assert tidy.main(root) == 1
    assert [line.split(": ")[0] for line in capsys.readouterr().out.splitlines()] == [
        "README.md:2",
        "big.bin:0",
        "note.md:1",
        "replaylab/a/__init__.py:1",
        "replaylab/a/b.py:0",
        "replaylab/a/b.py:0",
        "tidy",
    ]


README = """Text with `replaylab nothing` is not a command to type.
```sh
$ make demo   # comment
replaylab --library build/demo record --jobs 2
.venv/bin/replaylab record --job 2
replaylab --config 'a b.toml' --library x rekord
replaylab record --jobs=2 -- other --what
make tset
```
```json
replaylab json
```
[there](there.md#part) [gone](gone.md) [web](https://example.com)
"""


def test_what_the_readme_says_to_type_and_open_must_exist(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text(README, encoding="utf-8")
    (tmp_path / "Makefile").write_text(".PHONY: demo\ndemo: x\n\ttrue\n", encoding="utf-8")
    (tmp_path / "there.md").touch()
    found = tidy_readme.readme_findings(tmp_path, {"record": "  --jobs N  how many\n"}.get)
    assert found == [
        (5, "`replaylab record` has no option --job"),
        (6, "`replaylab rekord` is not a command"),
        (8, "no make target tset"),
        (13, "link to gone.md, which does not exist"),
    ]
