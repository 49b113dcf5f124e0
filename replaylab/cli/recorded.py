"""What `record` and a swap print at their end."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.cli.app import App
from replaylab.cli.changed import changed_lines, changed_verdicts
from replaylab.cli.failures import mistaken
from replaylab.cli.help import INTERRUPTED
from replaylab.cli.output import counted, tokens
from replaylab.cli.prices import no_price
from replaylab.cli.progress import money
from replaylab.cli.read_back import TrialError, programs_as_llms, trial_errors
from replaylab.cli.reading import warn_of_strays
from replaylab.engine.gate import Totals
from replaylab.engine.ledger import Order, status_counts
from replaylab.engine.record import Recorded
from replaylab.errors import EXIT_FINDINGS, EXIT_OK, UsageError
from replaylab.report.commands import command_line
from replaylab.schema.finding import Finding
from replaylab.schema.run import Run
from replaylab.store.library import Library

PROGRAMS = "Played by programs, not LLMs: "
OWN = "Agents of your own, which may ask LLMs: "


def show_recorded(app: App, recorded: Recorded, order: Order, source: Run | None = None) -> int:
    """Print the ledger, what it took, and what to do next; return the exit code.

    `source` is the run whose verifier was swapped: what changed in its verdicts is printed too.
    """
    run, out, library = recorded.run, app.output, Library(app.library)
    warn_of_strays(app, library)
    counts = status_counts(run, library.all_gone())
    errors = trial_errors(library, run)
    findings = [one.finding for one in errors] + _missing(run, order)
    behind = programs_as_llms(library, run)
    changed = changed_verdicts(source, run, order) if source else []
    out.text(f"run {run.name}  {recorded.run_id}")
    out.text(f"in {app.library}")
    out.text(ledger_line(counts))
    out.text(_took(app, recorded))
    for line in (*programs(run), *(mistaken(*one) for one in behind.items())):
        out.text(line)
    for line in changed_lines(source, run, changed) if source else ():
        out.text(line)
    out.findings([one.finding for one in errors], _to_do(app, run, errors))
    for line in _next(app, recorded, order, counts, errors):
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
        **({"begun_anew": recorded.anew} if recorded.anew else {}),
        totals=_totals(recorded.totals),
        players=run.players,
        programs_as_llms=behind,
        **({"changed": changed} if source else {}),
    )
    if recorded.interrupted:
        return INTERRUPTED
    return EXIT_FINDINGS if findings or recorded.stopped else EXIT_OK


def ledger_line(counts: dict[str, int], *, trials: bool = True) -> str:
    """The ledger in a line; errors and missing trials stand beside verdicts and never inside them.

    Without `trials` it is that of a capture, whose parts nobody could judge.
    """
    if trials:
        line = f"{counts['planned']} planned, {counts['recorded']} recorded ({counts['pass']} pass, {counts['fail']} fail"
        line += f", {unjudged(counts)} unjudged)" if unjudged(counts) else ")"
    else:
        line = f"{counted(counts['planned'], 'part')}: {counts['recorded']} recorded"
    gone = f", {counts['gone']} purged or redacted" if counts.get("gone") else ""
    return f"{line}, {counts['error']} error, {counts['missing']} missing{gone}"


def unjudged(counts: dict[str, int]) -> int:
    """Recorded trials that nobody was asked to judge."""
    return counts["recorded"] - counts["pass"] - counts["fail"]


def programs(run: Run) -> list[str]:
    """Lines that say which players are programs, and which agents are the user's own; none when all are LLMs."""
    lines = []
    for kind, words in (("program", PROGRAMS), ("own", OWN)):
        names = sorted(alias for alias, player in run.players.items() if player == kind)
        lines += [words + ", ".join(names)] if names else []
    return lines


def nothing_recorded(app: App, run: Run) -> UsageError:
    """There is a run, and no trial of it."""
    return UsageError(
        f"no trial of the run {run.name!r} is recorded yet, so there is nothing to replay",
        where=str(app.library),
        fix=f"record it: {app.again(f'record --run {run.name}')} with its other options; or name another run",
    )


def _took(app: App, recorded: Recorded) -> str:
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
    models = [app.config.models[alias] for alias in recorded.run.players if alias in app.config.models]
    cost = money(None if totals.unpriced else totals.cost, no_price(models, app.config.prices))
    return (
        f"now: {counted(recorded.new, 'trial')} sealed{again}, {counted(totals.calls, 'call')}{trouble}, "
        f"{tokens(totals.prompt_tokens, totals.completion_tokens)}, {cost}"
    )


def _to_do(app: App, run: Run, errors: list[TrialError]) -> dict[str, str]:
    if not errors:
        return {}
    show = app.again(command_line("show", [errors[0].finding.where], ["--run", run.name]))
    look = f"`{show}` shows the trial"
    if run.spec.mode != "run":
        return {"trial-error": f"{look}; to ask again, swap into another run: --run NAME"}
    return {"trial-error": f"{look}; the same command with --retry-errors tries again"}


def _next(
    app: App, recorded: Recorded, order: Order, counts: dict[str, int], errors: list[TrialError]
) -> Iterator[str]:
    if recorded.stopped:
        begun = f"; what {counted(recorded.in_progress, 'begun trial')} answered is kept"
        yield f"stopped: {recorded.stopped}{begun if recorded.in_progress else ''}. The same command goes on."
    if recorded.anew:
        yield (
            f"begun anew: {counted(recorded.anew, 'trial')}, whose agent did not repeat what it had done before the "
            "interruption; what it had done is kept as a try that ended in an error"
        )
    if counts["missing"] and not recorded.stopped:
        whose = "of other shards" if order.shard else "that the swapped run lacks too"
        yield f"missing: {counted(counts['missing'], 'trial')} {whose}"
    if errors and recorded.run.spec.mode == "run" and all(one.connection for one in errors):
        again = app.again(f"record --run {recorded.run.name} … --retry-errors")
        yield f"next: make the server reachable, then `{again}` with the same options"
    elif counts["planned"] > counts["missing"]:
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


def _missing(run: Run, order: Order) -> list[Finding]:
    """Trials that were to be recorded and are not. What another shard records is no finding of this one."""
    planned = {str(trial.key) for trial in order.planned}
    return [
        Finding.of("trial-missing", entry.key, "planned and not recorded")
        for entry in run.ledger
        if entry.status == "missing" and entry.key in planned
    ]
