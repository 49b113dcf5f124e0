"""What `record` and a swap print at their end."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.cli.app import App
from replaylab.cli.help import INTERRUPTED
from replaylab.cli.output import counted
from replaylab.cli.progress import money
from replaylab.engine.gate import Totals
from replaylab.engine.ledger import Order, status_counts
from replaylab.engine.record import Recorded
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from replaylab.schema.finding import Finding
from replaylab.schema.run import Run

PROGRAMS = "Played by programs, not LLMs: "


def show_recorded(app: App, recorded: Recorded, order: Order) -> int:
    """Print the ledger, what it took, and what to do next; return the exit code."""
    run, out = recorded.run, app.output
    counts = status_counts(run)
    findings = _findings(run, order)
    out.text(f"run {run.name}  {recorded.run_id}")
    out.text(f"in {app.library}")
    out.text(ledger_line(counts))
    out.text(_took(recorded))
    for line in programs(run):
        out.text(line)
    errors = [found for found in findings if found.kind == "trial-error"]
    out.findings(errors, _to_do(app, run, errors))
    for line in _next(app, recorded, order, counts):
        out.text(line)
    out.document(
        ok=not findings and not recorded.stopped,
        run=recorded.run_id,
        findings=findings,
        name=run.name,
        outcome=run.outcome,
        counts=counts,
        new=recorded.new,
        resumed=recorded.resumed,
        in_progress=recorded.in_progress,
        stopped=recorded.stopped or None,
        totals=_totals(recorded.totals),
        players=players(run),
    )
    if recorded.interrupted:
        return INTERRUPTED
    return EXIT_FINDINGS if findings or recorded.stopped else EXIT_OK


def ledger_line(counts: dict[str, int]) -> str:
    """The ledger in a line; errors and missing trials stand beside verdicts and never inside them."""
    line = f"{counts['planned']} planned, {counts['recorded']} recorded ({counts['pass']} pass, {counts['fail']} fail"
    unjudged = counts["recorded"] - counts["pass"] - counts["fail"]
    line += f", {unjudged} unjudged)" if unjudged else ")"
    return f"{line}, {counts['error']} error, {counts['missing']} missing"


def players(run: Run) -> dict[str, str]:
    """Who played, by alias: llm, program or human."""
    spec = run.spec
    return {one.alias: one.player for one in (*spec.agents, *spec.simulators, *spec.verifiers)}


def programs(run: Run) -> list[str]:
    """A line that says which players are programs; none when all are LLMs."""
    names = sorted(alias for alias, player in players(run).items() if player == "program")
    return [PROGRAMS + ", ".join(names)] if names else []


def nothing_recorded(app: App, run: Run) -> UsageError:
    """There is a run, and no trial of it."""
    return UsageError(
        f"no trial of the run {run.name!r} is recorded yet, so there is nothing to replay",
        where=str(app.library),
        fix=f"record it: {app.again(f'record --run {run.name}')} with its other options; or name another run",
    )


def _took(recorded: Recorded) -> str:
    totals = recorded.totals
    if not (recorded.new or totals.calls):
        return "now: nothing was called"
    again = f", {recorded.resumed} resumed" if recorded.resumed else ""
    troubles = [
        counted(number, *words)
        for number, words in ((totals.retries, ("retry", "retries")), (totals.failed, ("failure",)))
        if number
    ]
    trouble = f" ({', '.join(troubles)})" if troubles else ""
    cost = money(None if totals.unpriced else totals.cost)
    return (
        f"now: {counted(recorded.new, 'trial')} sealed{again}, {counted(totals.calls, 'call')}{trouble}, "
        f"{totals.prompt_tokens} + {totals.completion_tokens} tokens, {cost}"
    )


def _to_do(app: App, run: Run, errors: list[Finding]) -> dict[str, str]:
    if not errors:
        return {}
    look = app.again(f"show --run {run.name} '{errors[0].where}'")
    return {"trial-error": f"`{look}` says why; the same command with --retry-errors tries again"}


def _next(app: App, recorded: Recorded, order: Order, counts: dict[str, int]) -> Iterator[str]:
    if recorded.stopped:
        begun = f"; what {counted(recorded.in_progress, 'begun trial')} answered is kept"
        yield f"stopped: {recorded.stopped}{begun if recorded.in_progress else ''}. The same command goes on."
    elif counts["missing"]:
        whose = "of other shards" if order.shard else "that the swapped run lacks too"
        yield f"missing: {counted(counts['missing'], 'trial')} {whose}"
    if counts["planned"] > counts["missing"]:
        yield f"next: {app.again(f'replay {recorded.run.name} --offline')}"


def _totals(totals: Totals) -> dict[str, object]:
    return {
        "calls": totals.calls,
        "failed": totals.failed,
        "retries": totals.retries,
        "prompt_tokens": totals.prompt_tokens,
        "completion_tokens": totals.completion_tokens,
        "cost_usd": None if totals.unpriced else str(totals.cost),
        "by_alias": dict(sorted(totals.by_alias.items())),
    }


def _findings(run: Run, order: Order) -> list[Finding]:
    """What is wrong with the trials that were to be recorded. What another shard records is no finding of this one."""
    planned, found = {str(trial.key) for trial in order.planned}, []
    for entry in run.ledger:
        if entry.status == "error" and entry.counting:
            message = f"the trial ended in an error ({entry.counting.termination}); it counts neither way"
            found.append(Finding.of("trial-error", entry.key, message, observed=entry.counting.cassette))
        if entry.status == "missing" and entry.key in planned:
            found.append(Finding.of("trial-missing", entry.key, "planned and not recorded"))
    return found
