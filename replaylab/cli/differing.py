"""What `diff` compares and prints: choosing runs, and what to do where a simulator was never recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from replaylab.canonical import digest
from replaylab.cli.app import App
from replaylab.cli.judging import (
    NOBODY_JUDGES,
    Case,
    JudgedCases,
    JudgeOrder,
    judge_cases,
    judge_model,
    show_judged,
)
from replaylab.cli.progress import Progress
from replaylab.cli.reading import library_of
from replaylab.cli.written import write_page
from replaylab.diff.parting.compared import counts
from replaylab.diff.parting.pair import compare_simulators
from replaylab.diff.parting.pairing import Named, all_simulators, family, simulators_of
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from replaylab.near import closest
from replaylab.report.commands import command_line, word
from replaylab.report.diff_text import diff_lines
from replaylab.report.lines import WIDTH
from replaylab.schema.base import JsonObject
from replaylab.schema.difference import DiffReport
from replaylab.schema.finding import Finding
from replaylab.store.library import Library


def diff_simulators(
    app: App,
    names: Sequence[str],
    sims: Sequence[str],
    *,
    jobs: int,
    full: bool,
    page: Path | None = None,
    judge: JudgeOrder = NOBODY_JUDGES,
) -> int:
    """Compare simulators and print where they part; return the exit code."""
    library = library_of(app)
    wanted = list(dict.fromkeys(sims))
    runs: list[Named] = [library.trial_run(name) for name in dict.fromkeys(names)]
    if len(wanted) == 1:
        raise _one_alone(app, library, wanted[0])
    runs = runs or _newest_with(app, library, wanted)
    known = all_simulators(library, family(library, runs))
    for name in wanted:
        if name not in known:
            raise never_recorded(app, library, runs, name)
    if len(known) < 2:
        raise _only_one(app, library, runs, known)
    model = judge_model(app, judge, [run for _, run in family(library, runs)])
    with Progress("diff", err=app.output.err) as bar:
        report = compare_simulators(library, runs, wanted, jobs=jobs, progress=bar.update_counts)
    if not report.trials:
        raise _nothing_shared(app, runs, report)
    done = judge_cases(app, library, model, _cases(report), offline=judge.offline)
    return show_diff(app, report, done, full=full, page=page)


def _cases(report: DiffReport) -> list[Case]:
    """What was found in each simulator's cassette."""
    return [
        Case(cassette, [one for one in (*trial.violations, *trial.candidates) if one.simulator == simulator])
        for trial in report.trials
        for simulator, cassette in zip(trial.simulators, trial.cassettes, strict=True)
    ]


def show_diff(
    app: App, report: DiffReport, done: JudgedCases | None = None, *, full: bool, page: Path | None = None
) -> int:
    """Print a comparison, and what a judge made of its candidates; return the exit code."""
    app.output.lines(diff_lines(report, app.output.width or WIDTH, full=full))
    show_judged(app, done, full=full)
    written = {}
    if page is not None:
        from replaylab.report.diff_page import diff_page
        from replaylab.report.diff_solo import contracts

        written = write_page(app, page, diff_page(report, contracts(library_of(app))))
    findings = list(findings_of(report))
    if done is not None:
        left = {one.id for one in done.final}
        gone = {one.violation.id for one in done.rulings if one.outcome == "cleared"} - left
        findings = [one for one in findings if one.id not in gone]
        findings += [one.to_finding() for one in done.raised]
    app.output.document(
        ok=not findings,
        run=next(iter(report.runs.values()), None),
        findings=findings,
        simulators=list(report.simulators),
        runs=report.runs,
        evidence=report.evidence,
        skipped=report.skipped,
        notices=list(report.notices),
        counts=_counts(report),
        judge=done.to_json() if done else None,
        trials=[one.model_dump(mode="json") for one in report.trials],
        **written,
    )
    return EXIT_FINDINGS if findings else EXIT_OK


def findings_of(report: DiffReport) -> Iterator[Finding]:
    """Every violation, and every difference that counts and that no violation explains."""
    for trial in report.trials:
        yield from (one.to_finding() for one in trial.violations)
        for row in trial.rows:
            for one in row.differences:
                if counts(one) and not one.blamed:
                    where = next((answer.path for answer in row.answers if answer), trial.keys[0])
                    name = digest({"v": "difference/1", "row": row.id, "kind": one.kind, "at": one.pointer})[
                        :12
                    ]
                    yield Finding(
                        id=name,
                        kind=f"difference/{one.kind}",
                        where=where,
                        observed=one.values,
                        message=one.message,
                        pointer=one.pointer,
                    )


def _counts(report: DiffReport) -> JsonObject:
    every = [one for trial in report.trials for row in trial.rows for one in row.differences]
    return {
        "trials": len(report.trials),
        "rows": sum(len(trial.rows) for trial in report.trials),
        "violations": len(report.violations),
        "differences": sum(map(counts, every)),
        "blamed": sum(bool(one.blamed) for one in every if counts(one)),
        "noise": sum(one.noise for one in every),
        "open": sum(one.kind == "open" for one in every),
    }


# -------------------------------------------------------------------------------------- choosing runs


def newest_first(library: Library) -> list[Named]:
    """The runs of trials that have a name, the newest first; what nobody recorded comes after all that was recorded."""
    found = [library.run(name) for name in library.trial_refs()]
    return sorted(
        found, key=lambda one: (one[1].evidence == "recorded", one[1].created, one[1].name), reverse=True
    )


def _newest_with(app: App, library: Library, wanted: Sequence[str]) -> list[Named]:
    """The newest run that has these simulators, or any two, counting those that were put its calls."""
    runs = newest_first(library)
    if not runs:
        return [library.trial_run()]  # raises: no run is recorded
    for one in runs:
        known = all_simulators(library, family(library, [one]))
        if all(name in known for name in wanted) and len(known) > 1:
            return [one]
    everywhere = simulators_of(runs)
    for name in wanted:
        if name not in everywhere:
            raise never_recorded(app, library, _having(library, runs, wanted), name)
    if wanted:
        raise _never_together(app, library, runs, wanted)
    raise _only_one(app, library, runs[:1], all_simulators(library, family(library, runs[:1])))


def _having(library: Library, runs: Sequence[Named], wanted: Sequence[str]) -> list[Named]:
    """The newest run that has most of these simulators; of those rather one whose simulator can be swapped."""

    def rank(one: Named) -> tuple[int, bool]:
        known = all_simulators(library, family(library, [one]))
        return sum(name in known for name in wanted), len(one[1].spec.simulators) == 1

    return [max(runs, key=rank)]


def swap_command(app: App, library: Library, runs: Sequence[Named], name: str) -> str:
    """The command that records a simulator on the same calls: a swap of the run itself, never of a swapped one."""
    for _, run in family(library, runs):
        if run.spec.mode == "run" and len(run.spec.simulators) == 1:
            return app.again(f"replay {word(run.name)} --swap sim={word(name)}")
    base = next((run for _, run in family(library, runs) if run.spec.mode == "run"), None)
    if base is None:
        return app.again(f"record --sim {word(name)}")
    options = {
        "agent": ",".join(one.alias for one in base.spec.agents),
        "sim": name,
        "env": ",".join(one.name for one in base.spec.faults),
        "task": ",".join(one.task for one in base.spec.tasks),
    }
    return app.again("record " + " ".join(f"--{option} {word(value)}" for option, value in options.items()))


def _is_recorded(library: Library, runs: Sequence[Named]) -> bool:
    return any(run.evidence == "recorded" for _, run in family(library, runs))


def _put_to(app: App, library: Library, runs: Sequence[Named], name: str, lead: str) -> str:
    """What to do so that a simulator answers the same calls. Nobody can put calls again that were played elsewhere."""
    if not _is_recorded(library, runs):
        again = app.again("import transcript FILE")
        return f"nobody recorded these calls here; import transcripts of all simulators in one file: {again}"
    return f"{lead}: {swap_command(app, library, runs, name)}"


def never_recorded(app: App, library: Library, runs: Sequence[Named], name: str) -> UsageError:
    """Nobody ever put anything to this simulator, or not in these runs."""
    everywhere = simulators_of(newest_first(library))
    here = all_simulators(library, family(library, runs))
    near = closest(name, everywhere)
    ranked = [near] * bool(near) + [one for one in everywhere if one != near]
    where = f"in {', '.join(run.name for _, run in runs)}" if name in everywhere else "in this library"
    known = ranked if name not in everywhere else here
    return UsageError(
        f"the simulator {name!r} was never recorded {where}; recorded are {', '.join(known)}",
        where=str(library.root),
        closest=near if name not in everywhere else "",
        fix=_put_to(app, library, runs, name, "record it on the same calls"),
    )


def _never_together(app: App, library: Library, runs: Sequence[Named], wanted: Sequence[str]) -> UsageError:
    first = _having(library, runs, wanted[:1])
    other = next((name for name in wanted[1:]), wanted[0])
    return UsageError(
        f"no run has {' and '.join(wanted)} on the same trials",
        where=str(library.root),
        fix=_put_to(app, library, first, other, "put the calls of one to the other")
        + "; or name runs that do: --run",
    )


def _one_alone(app: App, library: Library, name: str) -> UsageError:
    others = [one for one in simulators_of(newest_first(library)) if one != name]
    having = [
        run.name for _, run in newest_first(library) if name in (one.alias for one in run.spec.simulators)
    ]
    alone = app.again(command_line("check", having[:1], ["--sim", name]))
    return UsageError(
        f"a comparison takes two simulators, and only {name!r} is named",
        closest=", ".join(others[:3]),
        fix=f"name another one with --sim, or look at it alone: {alone}",
    )


def _only_one(app: App, library: Library, runs: Sequence[Named], known: Sequence[str]) -> UsageError:
    names = ", ".join(run.name for _, run in runs)
    return UsageError(
        f"only one simulator was recorded in {names}: {', '.join(known) or 'none'}",
        where=str(library.root),
        fix=_put_to(app, library, runs, "NAME", "put the same calls to another one")
        + " (`replaylab models` lists who can play)" * _is_recorded(library, runs),
    )


def _nothing_shared(app: App, runs: Sequence[Named], report: DiffReport) -> UsageError:
    why = "; ".join(f"{number} trials: {reason}" for reason, number in report.skipped.items())
    return UsageError(
        f"{' and '.join(report.simulators)} have no trial in common in {', '.join(run.name for _, run in runs)}"
        + (f" ({why})" if why else ""),
        where=str(app.library),
        fix="name runs that have the same agent, task and fault plan under both",
    )
