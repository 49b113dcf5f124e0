"""Checks of the repository itself that no linter has: sizes, mirrored tests, and what must never be committed.

Prints one line a finding, `path:line: what is wrong`, and exits 1 when there is any. What may break a cap
stands in EXCEPTIONS with its reason; an exception that nothing needs any more is a finding too.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

if __package__ in (None, ""):  # run as a script: the repository's root is not on the path
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.tidy_readme import readme_findings

REPO = Path(__file__).resolve().parents[1]

FILE_LINES, TEST_FILE_LINES, FUNCTION_LINES, PARAMETERS = 400, 600, 70, 8
FILE_BYTES = 1_000_000

# "path" for a file's length, "path:function" for a function's length or parameters -> why it may.
EXCEPTIONS: dict[str, str] = {
    "replaylab/errors.py:__init__": "a divergence carries everything that its message shows",
}

# A source file without its mirrored test file -> the test file that covers it.
COVERED_BY: dict[str, str] = {
    # What a reader of a format makes of its files is tested by importing files.
    "replaylab/interop/atif/shape.py": "tests/interop/atif/test_reader.py",
    "replaylab/interop/chat/messages.py": "tests/interop/chat/test_reader.py",
    "replaylab/interop/har/entries.py": "tests/interop/har/test_importer.py",
    "replaylab/interop/inspect/files.py": "tests/interop/inspect/test_writer.py",
    "replaylab/interop/inspect/log.py": "tests/interop/inspect/test_reader.py",
    "replaylab/interop/inspect/pool.py": "tests/interop/inspect/test_writer.py",
    "replaylab/interop/otel/genai.py": "tests/interop/otel/test_reader.py",
    "replaylab/interop/otel/spans.py": "tests/interop/otel/test_reader.py",
    "replaylab/interop/parquet/rows.py": "tests/interop/parquet/test_writer.py",
    "replaylab/interop/scan/places.py": "tests/interop/scan/test_scanner.py",
    "replaylab/interop/talk/block.py": "tests/interop/atif/test_writer.py",
    "replaylab/interop/talk/conversation.py": "tests/interop/chat/test_reader.py",
    "replaylab/interop/talk/environment.py": "tests/interop/chat/test_reader.py",
    "replaylab/interop/talk/importer.py": "tests/cli/test_import_talk.py",
    "replaylab/interop/talk/trials.py": "tests/interop/tau/test_reader.py",
    "replaylab/interop/tau/episodes.py": "tests/interop/tau/test_reader.py",
    "replaylab/interop/tau/simulations.py": "tests/interop/tau/test_reader.py",
    "replaylab/cli/imported.py": "tests/cli/test_import_talk.py",
    "replaylab/cli/asked.py": "tests/cli/test_record.py",
    "replaylab/cli/capturing.py": "tests/cli/test_capture.py",
    "replaylab/cli/ending.py": "tests/cli/test_capture.py",
    # What the grammar aims at and says is tested by the tasks that it writes; the history by what is counted of it; the
    # child of the sandbox by what it does not let out.
    "replaylab/builtin/grammar/goals.py": "tests/builtin/grammar/test_tasks.py",
    "replaylab/builtin/grammar/words.py": "tests/builtin/grammar/test_tasks.py",
    "replaylab/cli/synthesising.py": "tests/cli/test_synth.py",
    "replaylab/synthesis/history.py": "tests/synthesis/test_funnel.py",
    "replaylab/synthesis/sandboxed.py": "tests/synthesis/test_sandbox.py",
    "replaylab/synthesis/stage.py": "tests/synthesis/test_pipeline.py",
    "replaylab/cli/extra.py": "tests/cli/test_simulators.py",
    "replaylab/cli/audited.py": "tests/cli/test_audit.py",
    "replaylab/report/audit_parts.py": "tests/report/test_audit_text.py",
    # What a claims file may say is tested by reading files, what an audit says by auditing some.
    "replaylab/audit/assertions.py": "tests/audit/test_claims.py",
    "replaylab/audit/tables.py": "tests/audit/test_claims.py",
    "replaylab/audit/value.py": "tests/audit/test_check.py",
    # What an audit reads of a run is tested by what it says of runs that somebody tampered with.
    "replaylab/audit/dossier.py": "tests/audit/test_run.py",
    "replaylab/audit/sight.py": "tests/audit/test_run.py",
    "replaylab/audit/step.py": "tests/audit/test_run.py",
    "replaylab/audit/steps/files.py": "tests/audit/test_run.py",
    "replaylab/audit/steps/models.py": "tests/audit/test_run.py",
    "replaylab/cli/scored.py": "tests/cli/test_score.py",
    "replaylab/cli/scoring.py": "tests/cli/test_score.py",
    "replaylab/cli/writer.py": "tests/cli/test_show_text.py",
    "replaylab/cli/price.py": "tests/cli/test_prices.py",
    "replaylab/schema/model.py": "tests/foreign/test_named.py",
    "replaylab/cassette/derived.py": "tests/diff/test_reading.py",
    "replaylab/cli/checking.py": "tests/cli/test_check.py",
    "replaylab/cli/differing.py": "tests/cli/test_diff.py",
    "replaylab/cli/written.py": "tests/cli/test_diff.py",
    # Comparisons are tested on what was really recorded, from the library to the report.
    "replaylab/diff/parting/compared.py": "tests/diff/parting/test_pair.py",
    "replaylab/diff/parting/pairing.py": "tests/diff/parting/test_pair.py",
    "replaylab/diff/parting/peers.py": "tests/diff/parting/test_pair.py",
    "replaylab/diff/parting/projection.py": "tests/diff/parting/test_pair.py",
    "replaylab/diff/parting/repeats.py": "tests/diff/parting/test_pair.py",
    "replaylab/diff/parting/verdicts.py": "tests/diff/parting/test_pair.py",
    "replaylab/diff/parting/voice.py": "tests/diff/parting/test_pair.py",
    "replaylab/schema/difference.py": "tests/diff/parting/test_pair.py",
    "replaylab/report/coverage_text.py": "tests/report/test_diff_text.py",
    "replaylab/report/lines.py": "tests/report/test_diff_text.py",
    "replaylab/report/violation_text.py": "tests/report/test_diff_text.py",
    "replaylab/cli/signatures.py": "tests/cli/test_sign.py",
    # The contract check is tested as a whole, on labelled observations of many environments.
    "replaylab/diff/omissions/arguments.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/binding.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/collection.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/contract.py": "tests/diff/test_check.py",
    "replaylab/diff/fabrications/copied.py": "tests/diff/test_check.py",
    "replaylab/diff/calls/coverage.py": "tests/diff/test_check.py",
    "replaylab/diff/refusals/denial.py": "tests/diff/test_check.py",
    "replaylab/diff/disturbance.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/evidence.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/extract.py": "tests/diff/test_check.py",
    "replaylab/diff/omissions/filters.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/granularity.py": "tests/diff/test_check.py",
    "replaylab/diff/words/lexicon.py": "tests/diff/test_check.py",
    "replaylab/diff/calls/looking.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/members.py": "tests/diff/test_check.py",
    "replaylab/diff/calls/places.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/prose.py": "tests/diff/test_check.py",
    "replaylab/diff/refusals/reason.py": "tests/diff/test_check.py",
    "replaylab/diff/fabrications/references.py": "tests/diff/test_check.py",
    "replaylab/diff/calls/refusal.py": "tests/diff/test_check.py",
    "replaylab/diff/words/sentences.py": "tests/diff/test_check.py",
    "replaylab/diff/calls/subjects.py": "tests/diff/test_check.py",
    "replaylab/diff/trial.py": "tests/diff/test_check.py",
    "replaylab/diff/contract/universe.py": "tests/diff/test_check.py",
    "replaylab/diff/calls/world.py": "tests/diff/test_check.py",
    "replaylab/schema/violation.py": "tests/diff/test_check.py",
    "tools/score_detector.py": "tests/diff/test_check.py",
    "tools/tidy_readme.py": "tests/tools/test_tidy.py",
    # Tables are tested by what is shown of them, and what is read from the library by what is found in it.
    "replaylab/compare/agreeing.py": "tests/report/test_agreement_text.py",
    "replaylab/compare/agreement_tables.py": "tests/report/test_agreement_text.py",
    "replaylab/compare/card_tables.py": "tests/report/test_simulators_text.py",
    "replaylab/compare/cells.py": "tests/report/test_simulators_text.py",
    "replaylab/compare/recorded.py": "tests/compare/test_divergence.py",
    "replaylab/report/tables_page.py": "tests/report/test_simulators_page.py",
    "replaylab/compare/regression_tables.py": "tests/report/test_regressions_text.py",
    # The frame of every check: how a rubric is read and how its mistakes are told.
    "replaylab/checks/base.py": "tests/checks/test_rubric.py",
    "replaylab/faults/plan.py": "tests/faults/test_schedule.py",
    "replaylab/examine/found.py": "tests/examine/test_task.py",
    "tools/solvability.py": "tests/conformance/test_solvability.py",
    # Captures: the parts of a session are tested by what it records and plays, what is shown of it by the commands.
    "replaylab/engine/captured/live.py": "tests/engine/captured/test_session.py",
    "replaylab/engine/captured/played.py": "tests/engine/captured/test_session.py",
    "replaylab/engine/captured/recorded.py": "tests/engine/captured/test_session.py",
    "replaylab/engine/captured/miss.py": "tests/engine/captured/test_nearest.py",
    "replaylab/engine/captured/missing.py": "tests/engine/captured/test_nearest.py",
    "replaylab/engine/captured/missed.py": "tests/cli/test_explain_miss.py",
    "replaylab/engine/untried.py": "tests/engine/test_judging.py",
    "replaylab/report/captures.py": "tests/cli/test_captured.py",
    # Figures: what is decided is tested by what a figure shows, how it is drawn by measuring all that is on the sheet.
    "replaylab/report/figures/value.py": "tests/report/figures/test_overall.py",
    "replaylab/report/figures/paint/frame.py": "tests/report/figures/paint/test_press.py",
    "replaylab/report/figures/paint/keys.py": "tests/report/figures/paint/test_press.py",
    "replaylab/report/figures/paint/rows.py": "tests/report/figures/paint/test_press.py",
    "replaylab/report/figures/paint/matrix.py": "tests/report/figures/paint/test_press.py",
    "replaylab/report/figures/paint/panels.py": "tests/report/figures/paint/test_press.py",
    "replaylab/report/figures/paint/dots.py": "tests/report/figures/paint/test_press.py",
    "replaylab/report/figures/paint/radar.py": "tests/report/figures/paint/test_press.py",
    # Shapes of keys and where they stand are tested by what is left of texts that hold them.
    # What runs inside a recorded program is tested by recording some.
    "replaylab/capture/patch/injected/child.py": "tests/capture/patch/test_server.py",
    "replaylab/capture/patch/injected/sitecustomize.py": "tests/capture/patch/test_server.py",
    "replaylab/cli/exported.py": "tests/cli/test_export.py",
    # What is read of a file of vcrpy's is tested by reading files, what is stored of it by importing, what is played of it
    # by exporting to stock vcrpy.
    "replaylab/interop/vcr/pair.py": "tests/interop/vcr/test_shapes.py",
    "replaylab/interop/vcr/played.py": "tests/interop/vcr/test_exporter.py",
    "replaylab/interop/vcr/stored.py": "tests/interop/vcr/test_importer.py",
    "replaylab/pytest_plugin/recorder.py": "tests/pytest_plugin/test_plugin.py",
    "replaylab/wire/shape.py": "tests/wire/test_keyshapes.py",
    "tools/bench_detector_page.py": "tests/tools/test_bench_detector.py",
    "replaylab/wire/known.py": "tests/wire/test_redact.py",
    "replaylab/wire/spans.py": "tests/wire/test_redact.py",
    "replaylab/wire/views.py": "tests/wire/test_streamed.py",
}

# Scripts that are a proof themselves, or only call the commands -> why they have no test file.
UNTESTED: dict[str, str] = {
    "tools/demo.py": "`make demo` is its test: it fails when a command does",
    "tools/bench_replay.py": "a measurement; it checks its own numbers and prints them",
    "tools/bench_score.py": "a measurement; it stops when the command fails",
    "tools/bench_diff.py": "a measurement; it stops when a command fails",
    "tools/bench_capture_core.py": "a measurement; it stops when an answer is another one than was recorded",
    "tools/bench_proxy.py": "a measurement; it stops when an answer was not replayed",
    "tools/occubench_capture.py": "a proof on a published harness that is not kept here; it fails where rows differ",
    "tools/bench_record.py": "a measurement; it stops when a call failed or a trial was not recorded",
}

# Folders of tests that are about a behaviour of the whole and so mirror no single file.
FREE_TEST_FOLDERS = ("conformance", "e2e", "formats", "properties", "scenarios", "soak")

# Written so that none of these patterns matches its own line.
FORBIDDEN_TEXT = {
    r"(?<![\w.])/(?:work|farm|root)/": "a path of one machine",
    r"(?<![\w.])/(?:home/\w+|tmp/v\d|tmp/bash_jobs|opt/wheels|opt/pypi)": "a path of one machine",
    r"pypi\.org|pythonhosted\.org|npmjs\.org|deb\.debian\.org|golang\.org/proxy": "a package registry's host",
    r"pip3? install (?:-\S+ )*[\"']?replaylab\b": "that name belongs to an unrelated package on the index",
    r"\b(?:TO)DO\b|\b(?:FIX)ME\b|\bX{3}\b": "something left undone; do it, or file an issue",
    r"(?i)\b(?:the) lead\b|\b(?:another|fresh|the) (?:helper)\b|\bthis (?:session)\b|\bsub-?(?:agent)s?\b": "how "
    "the work was organised is no part of the project",
}
PROCESS_BOUND = {
    "hash": "differs with PYTHONHASHSEED: use a Digest",
    "input": "asks the terminal: the command line does that",
    ".expanduser": "reads the environment: take an absolute path",
}
# Data in which such words are content: people's roles in a scenario, a model's own prose.
DATA_FOLDERS = ("cassettes/", "scenarios/", "reports/")


class Finding(NamedTuple):
    """One thing to mend. `line` counts from 1; 0 stands for the whole file. `key` is what EXCEPTIONS names."""

    path: str
    line: int
    message: str
    key: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}"


def tracked_files(root: Path) -> list[str]:
    """Files that are committed or would be, as sorted slash-separated paths below root."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode("utf-8")
    return sorted({name for name in listed.split("\0") if name and (root / name).is_file()})


def size_findings(path: str, text: str) -> list[Finding]:
    """Files, functions and parameter lists over their caps."""
    lines = text.count("\n")
    cap = TEST_FILE_LINES if path.startswith("tests/") else FILE_LINES
    found = [Finding(path, 0, f"{lines} lines, cap {cap}", path)] if lines > cap else []
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        key, length = f"{path}:{node.name}", (node.end_lineno or node.lineno) - node.lineno + 1
        if length > FUNCTION_LINES:
            message = f"{node.name} has {length} lines, cap {FUNCTION_LINES}"
            found.append(Finding(path, node.lineno, message, key))
        if (count := _parameters(node)) > PARAMETERS and not _is_command(path, node):
            message = f"{node.name} has {count} parameters, cap {PARAMETERS}: pass a frozen options object"
            found.append(Finding(path, node.lineno, message, key))
    return found


def _parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def _is_command(path: str, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether click calls it: a command has one parameter an option, and their number is the contract's."""
    return path.startswith("replaylab/cli/") and any(
        ".command(" in ast.unparse(d) + "(" for d in node.decorator_list
    )


def init_findings(path: str, text: str) -> list[Finding]:
    """Anything in an __init__.py beyond its docstring, imports, `__all__` and `__version__`."""
    found = []
    for number, node in enumerate(ast.parse(text).body):
        docstring = number == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        names = {ast.unparse(t) for t in node.targets} if isinstance(node, ast.Assign) else set()
        exports = bool(names) and names <= {"__all__", "__version__"}
        if not (docstring or exports or isinstance(node, ast.Import | ast.ImportFrom)):
            found.append(Finding(path, node.lineno, "__init__.py holds exports only"))
    return found


def builtin_findings(path: str, text: str) -> list[Finding]:
    """Calls below the command line whose result differs from process to process; ruff can't ban a builtin."""
    if not path.startswith("replaylab/") or path.startswith("replaylab/cli/"):
        return []
    tree = ast.parse(text)
    # Only a __hash__ may call hash(): what it returns never leaves the process.
    hashers = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "__hash__"]
    excepted = {id(node) for function in hashers for node in ast.walk(function)}
    return [
        Finding(path, node.lineno, f"{name}() {PROCESS_BOUND[name]}")
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and id(node) not in excepted
        and (name := _called(node)) in PROCESS_BOUND
    ]


def _called(node: ast.Call) -> str:
    """The name that is called: `hash` for hash(x), `.expanduser` for path.expanduser(), else ""."""
    if isinstance(node.func, ast.Name):
        return node.func.id
    return f".{node.func.attr}" if isinstance(node.func, ast.Attribute) else ""


def text_findings(path: str, text: str) -> list[Finding]:
    """Paths of one machine, registry hosts, and words that have no place in the project."""
    if path.startswith(DATA_FOLDERS):
        return []
    return [
        Finding(path, number, f"{match.group()!r}: {reason}")
        for pattern, reason in FORBIDDEN_TEXT.items()
        for number, line in enumerate(text.splitlines(), start=1)
        if (match := re.search(pattern, line))
    ]


def mirror_findings(files: list[str], texts: dict[str, str]) -> list[Finding]:
    """Source files with functions but no test file, and test files that mirror nothing."""
    known, found = set(files), []
    for path in (p for p in files if p.startswith(("replaylab/", "tools/")) and p.endswith(".py")):
        test = COVERED_BY.get(path, _test_path(path))
        has_code = any(
            isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) for n in ast.walk(ast.parse(texts[path]))
        )
        if has_code and path not in UNTESTED and test not in known:
            found.append(Finding(path, 0, f"no {test}"))
    expected = {_test_path(path) for path in files} | set(COVERED_BY.values())
    free = tuple(f"tests/{folder}/" for folder in FREE_TEST_FOLDERS)
    tests = [path for path in files if re.fullmatch(r"tests/.*test_\w+\.py", path)]
    strays = [path for path in tests if path not in expected and not path.startswith(free)]
    return found + [Finding(path, 0, "mirrors no source file") for path in strays]


def _test_path(source: str) -> str:
    """replaylab/wire/redact.py -> tests/wire/test_redact.py; tools/tidy.py -> tests/tools/test_tidy.py."""
    path = Path(source.removeprefix("replaylab/"))
    return f"tests/{(path.parent / f'test_{path.stem}.py').as_posix()}"


def excused(findings: list[Finding], exceptions: dict[str, str]) -> list[Finding]:
    """The findings that no exception covers, and the exceptions that cover nothing."""
    used = {finding.key for finding in findings}
    idle = [
        Finding("tools/tidy.py", 0, f"exception {key!r} is not needed")
        for key in exceptions
        if key not in used
    ]
    return [finding for finding in findings if finding.key not in exceptions] + idle


def main(root: Path = REPO) -> int:
    """Print every finding; 1 when there is any."""
    files = tracked_files(root)
    findings = [
        Finding(path, 0, f"{size} bytes, cap {FILE_BYTES}")
        for path in files
        if (size := (root / path).stat().st_size) > FILE_BYTES and not path.startswith("cassettes/")
    ]
    texts = {}
    for path in files:
        content = (root / path).read_bytes()
        if b"\0" not in content and not path.startswith("cassettes/"):
            texts[path] = content.decode("utf-8")
    sizes = []
    for path, text in texts.items():
        findings += text_findings(path, text)
        if path.endswith(".py"):
            sizes += size_findings(path, text)
            findings += builtin_findings(path, text)
        if path.endswith("__init__.py"):
            findings += init_findings(path, text)
    findings += excused(sizes, EXCEPTIONS) + mirror_findings(files, texts)
    findings += [Finding("README.md", line, message) for line, message in readme_findings(root)]
    for finding in sorted(findings):
        print(finding)
    print(f"tidy: {len(files)} files, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
