"""What `record` and a swap print at their end."""

from __future__ import annotations

from replaylab.cli.app import App
from replaylab.cli.help import INTERRUPTED
from replaylab.engine.gate import Totals
from replaylab.engine.ledger import status_counts
from replaylab.engine.record import Recorded
from replaylab.errors import EXIT_FINDINGS, EXIT_OK
from replaylab.schema.finding import Finding
from replaylab.schema.run import Run

PROGRAMS = "Played by programs, not LLMs: "


def show_recorded(app: App, recorded: Recorded) -> int:
    """Print the ledger, what it took, and what to do next; return the exit code."""
    run, out = recorded.run, app.output
    counts = status_counts(run)
    findings = _findings(run)
    out.text(f"run {run.name}  {recorded.run_id}")
    out.text(ledger_line(counts))
    out.text(_took(recorded))
    for line in programs(run):
        out.text(line)
    out.findings([found for found in findings if found.kind == "trial-error"][:10])
    if recorded.stopped:
        out.text(f"stopped: {recorded.stopped}; `replaylab record` with the same options goes on")
    else:
        out.text(f"next: replaylab replay {run.name} --offline")
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


def _took(recorded: Recorded) -> str:
    totals = recorded.totals
    cost = "cost unknown" if totals.unpriced else f"${totals.cost:.4f}"
    again = f", {recorded.resumed} resumed" if recorded.resumed else ""
    return (
        f"now: {recorded.new} trials sealed{again}, {totals.calls} calls ({totals.retries} retries, "
        f"{totals.failed} failed), {totals.prompt_tokens} + {totals.completion_tokens} tokens, {cost}"
    )


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


def _findings(run: Run) -> list[Finding]:
    found = []
    for entry in run.ledger:
        if entry.status == "error" and entry.counting:
            message = f"the trial ended in an error ({entry.counting.termination}); it counts neither way"
            found.append(Finding.of("trial-error", entry.key, message, observed=entry.counting.cassette))
        if entry.status == "missing":
            found.append(Finding.of("trial-missing", entry.key, "planned and not recorded"))
    return found
