"""What `check` reads and prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from replaylab.cli.app import App
from replaylab.cli.judging import NOBODY_JUDGES, Case, JudgeOrder, judge_cases, judge_model, show_judged
from replaylab.cli.output import counted
from replaylab.cli.progress import Progress
from replaylab.cli.reading import library_of
from replaylab.cli.recorded import nothing_recorded, programs
from replaylab.cli.written import write_page
from replaylab.diff.reading import CheckedTrial, checked, counting
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from replaylab.near import closest
from replaylab.report.check_text import check_lines, grouped, named
from replaylab.report.coverage_text import Sum
from replaylab.report.lines import WIDTH
from replaylab.report.notice import evidence_notices
from replaylab.report.patterns import patterns
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import TrialKey
from replaylab.schema.run import Run
from replaylab.schema.subkinds import SUBKINDS
from replaylab.schema.violation import KINDS, Coverage
from replaylab.store.library import Library


def check_runs(
    app: App,
    names: Sequence[str],
    sims: Sequence[str],
    *,
    jobs: int,
    full: bool,
    page: Path | None = None,
    judge: JudgeOrder = NOBODY_JUDGES,
) -> int:
    """Check these runs, the newest one where none is named; return the exit code."""
    library = library_of(app)
    runs = [library.trial_run(name) for name in dict.fromkeys(names)] or [library.trial_run()]
    _check_sims(runs, sims)
    model = judge_model(app, judge, [run for _, run in runs])
    trials: list[CheckedTrial] = []
    for _, run in runs:
        if not counting(run):
            raise nothing_recorded(app, run)
        with Progress(f"check {run.name}", err=app.output.err) as bar:
            found = checked(library, run, jobs=jobs, progress=bar.update_counts)
        trials += [one for one in found if not sims or one.simulator in sims]
    notices = [line for run_id, run in runs for line in _notices(library, run)]
    notices += [
        line for how in ("authored", "imported") if _has(trials, how) for line in evidence_notices(how)
    ]
    missing = sum(_missing(run, sims) for _, run in runs)
    out = app.output
    for run_id, run in runs:
        out.text(f"run {run.name}  {run_id}{'' if names else '  (the newest run; none was named)'}")
    for line in dict.fromkeys(notices):
        out.prose(line)
    out.prose(_ledger(trials, missing))
    out.lines(check_lines(trials, out.width or WIDTH, full=full))
    cases = [Case(one.cassette, (*one.report.findings, *one.report.candidates)) for one in trials]
    done = judge_cases(app, library, model, cases, offline=judge.offline)
    show_judged(app, done, full=full)
    written = {}
    if page is not None:
        from replaylab.report.diff_page import check_page
        from replaylab.report.diff_solo import checked_trials, contracts

        made = check_page(
            checked_trials(library, trials),
            contracts(library),
            notices=list(dict.fromkeys([*notices, _ledger(trials, missing)])),
        )
        written = write_page(app, page, made)
    findings = [one for trial in trials for one in trial.report.findings]
    final = findings if done is None else done.final
    out.document(
        ok=not final,
        run=runs[0][0],
        findings=[one.to_finding() for one in final],
        judge=done.to_json() if done else None,
        runs={run.name: run_id for run_id, run in runs},
        missing=missing,
        notices=list(dict.fromkeys(notices)),
        simulators=_summaries(trials),
        coverage=_coverage(trials),
        patterns=[one.to_json() for one in patterns(trials)],
        violations=[one.to_json() | {"id": one.id} for one in findings],
        candidates=[one.to_json() | {"id": one.id} for trial in trials for one in trial.report.candidates],
        possible_faults=[one.to_json() | {"id": one.id} for trial in trials for one in trial.report.faults],
        trials=[one.model_dump(mode="json", exclude={"report"}) for one in trials],
        **written,
    )
    return EXIT_FINDINGS if final else EXIT_OK


def _missing(run: Run, sims: Sequence[str]) -> int:
    """How many trials of a run are missing, of these simulators where any are named."""
    return sum(
        entry.status == "missing" and (not sims or TrialKey.parse(entry.key).condition.simulator in sims)
        for entry in run.ledger
    )


def show_subkinds(app: App) -> int:
    """What the sub-kinds mean, as findings spell them; return the exit code."""
    rows = [
        (f"{kind}/{name}", meaning) for kind, parts in SUBKINDS.items() for name, meaning in parts.items()
    ]
    app.output.table(("finding", "meaning"), rows)
    app.output.document(ok=True, subkinds=dict(rows))
    return EXIT_OK


def _check_sims(runs: Sequence[tuple[str, Run]], sims: Sequence[str]) -> None:
    known = list(dict.fromkeys(one.alias for _, run in runs for one in run.spec.simulators))
    for name in sims:
        if name not in known:
            raise UsageError(
                f"no simulator {name!r} is in these runs",
                closest=closest(name, known),
                fix=f"they have {', '.join(known)}",
            )


def _has(trials: Sequence[CheckedTrial], how: str) -> bool:
    return any(one.evidence == how for one in trials)


def _notices(library: Library, run: Run) -> list[str]:
    lines = programs(run)
    if run.spec.mode == "rejudge" and run.spec.swapped:
        here = library.has(run.spec.swapped, "run")
        of = library.read_run(run.spec.swapped).name if here else run.spec.swapped[:12]
        lines.append(
            f"The observations of {run.name} are those of the run {of}: only its judges were asked anew."
        )
    return lines


def _ledger(trials: Sequence[CheckedTrial], missing: int) -> str:
    errors = sum(one.verdict == "error" for one in trials)
    parts = [f"{counted(len(trials), 'trial')} checked"]
    if errors:
        parts.append(f"{errors} of them ended in an error and are checked as far as they went")
    if missing:
        parts.append(f"{missing} missing")
    return ", ".join(parts)


def _summaries(trials: Sequence[CheckedTrial]) -> list[JsonObject]:
    """A summary a simulator and evidence."""
    found = []
    for (simulator, evidence), members in grouped(trials).items():
        kinds = Counter(one.kind for trial in members for one in trial.report.findings)
        total = Sum(one.report.coverage for one in members)
        found.append(
            {
                "name": named((simulator, evidence)),
                "simulator": simulator,
                "evidence": evidence,
                "player": members[0].player,
                "trials": len(members),
                "calls": sum(one.calls for one in members),
                "violations": {kind: kinds[kind] for kind in KINDS},
                "candidates": sum(len(one.report.candidates) for one in members),
                "possible_faults": sum(len(one.report.faults) for one in members),
                "checkable_calls": total.checkable,
                "checked": {kind: part[0] for kind, part in total.by_kind.items()},
                "says_nothing": total.says_nothing,
            }
        )
    return found


def _coverage(trials: Sequence[CheckedTrial]) -> list[JsonObject]:
    """By simulator, environment, tool and kind: of how many calls how many could be checked, and why not the others."""
    rows = []
    for group, members in grouped(trials).items():
        by_environment: dict[str, list[Coverage]] = {}
        for one in members:
            by_environment.setdefault(one.environment, []).append(one.report.coverage)
        for environment, parts in sorted(by_environment.items()):
            merged: dict[tuple[str, str], JsonObject] = {}
            for row in (row for part in parts for row in part.rows):
                into = merged.setdefault(
                    (row.tool, row.kind), {"calls": 0, "checked": 0, "why_not": Counter()}
                )
                into["calls"] += row.calls
                into["checked"] += row.checked
                into["why_not"].update(row.why_not)
            rows += [
                {
                    "simulator": group[0],
                    "evidence": group[1],
                    "environment": environment,
                    "tool": tool,
                    "kind": kind,
                }
                | into
                | {"why_not": dict(sorted(into["why_not"].items()))}
                for (tool, kind), into in sorted(merged.items())
            ]
    return rows
