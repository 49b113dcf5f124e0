"""What `show` writes to a terminal. A text of a model goes through Output, which lets no control character pass."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.cli.failures import mistaken, programs_behind
from replaylab.cli.output import Output, counted, tokens
from replaylab.cli.recorded import ledger_line, programs
from replaylab.cli.writer import Writer, cut
from replaylab.engine.ledger import status_counts
from replaylab.report.commands import Again, command_line, plainly
from replaylab.report.failure_words import in_words
from replaylab.report.faults_text import event_line, plan_line, run_facts, trial_facts
from replaylab.report.notice import dated, evidence_notices
from replaylab.report.pretty import differing, pretty
from replaylab.report.view import Asked, RunView, Tally, Trial, deciders, same_votes, undecided
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import evidence_of
from replaylab.schema.interaction import Attempt, Failure
from replaylab.schema.model import NOBODY, UNKNOWN, ModelSettings, played_by
from replaylab.schema.trajectory import Action, CheckResult, Turn, Vote
from replaylab.wire.completion import body_text

CUT = 600  # characters of an observation or a text, unless --full
_MODES = {
    "rejudge": "the trials of run {run}, judged again by another verifier",
    "lockstep/recorded": "the calls of run {run}, put to another simulator that is told what the recorded one had "
    "answered before each; nobody was asked to judge",
    "lockstep/own": "the calls of run {run}, put to another simulator that remembers its own answers; nobody was "
    "asked to judge",
}
_PADDING = 3  # columns that a table adds to each of its own


def took(tally: Tally) -> str:
    """What it took, in a line."""
    cost = "cost unknown" if tally.cost is None else f"${tally.cost:.4f}"
    retries = tally.attempts - tally.calls
    again = f", {counted(retries, 'retry', 'retries')}" if retries else ""
    failed = f", {tally.failed} failed" if tally.failed else ""
    unmetered = f" ({counted(tally.unmetered, 'answer')} without a count)" if tally.unmetered else ""
    used = tokens(tally.prompt_tokens, tally.completion_tokens) if tally.is_counted else "tokens unknown"
    return f"{counted(tally.calls, 'model call')}{again}{failed}, {used}{unmetered}, {cost}, model time {tally.seconds}"


KINDS = {
    "llm": "an LLM",
    "program": "a program, not an LLM",
    "human": "a human",
    "own": "an agent of your own, which may ask LLMs",
    UNKNOWN: "not named by the source",
}


def player(settings: ModelSettings) -> str:
    """Who a model is, in words: its name, and whether it is an LLM, a program or a human."""
    if settings == NOBODY:
        return "nobody"
    kind = KINDS[played_by(settings)]
    asked = f", asked for as {settings.model}" if settings.model != settings.alias else ""
    sampling = ", ".join(f"{name}={pretty(value)}" for name, value in sorted(settings.sampling.items()))
    return f"{settings.alias} ({kind}{asked}{f'; {sampling}' if sampling else ''})"


def show_run(out: Output, view: RunView, again: Again = plainly) -> None:
    """A run: facts, ledger, who played, a table of trials; errors and missing ones apart."""
    run, spec, write = view.run, view.run.spec, Writer(out, cut=CUT)
    out.text(f"run {run.name}  {view.run_id}")
    for notice in evidence_notices(run.evidence):
        write.block(notice, 0)
    write.fact("created", f"{dated(run.created)}{f', shard {run.shard}' if run.shard else ''}")
    if spec.mode != "run":
        write.fact("mode", f"{spec.mode}: {_MODES[spec.mode].format(run=(spec.swapped or '')[:12])}")
    write.fact("outcome", run.outcome)
    if run.follows:
        write.fact("follows", ", ".join(one[:12] for one in run.follows))
    for role, models in (
        ("agent", spec.agents),
        ("simulator", spec.simulators),
        ("verifier", () if spec.mode.startswith("lockstep/") else spec.verifiers),
    ):
        for one in models:
            write.fact(role, player(one))
    write.fact("faults", ", ".join(plan.name for plan in spec.faults))
    for told in run_facts(view):
        write.fact("exposure", told)
    write.fact("ledger", ledger_line(status_counts(run, view.gone)))
    write.fact("took", took(view.total))
    for told in programs(run):
        write.block(told, 0)
    out.text()
    _table(out, view)
    _apart(out, view)
    shown = next((row.entry.key for row in view.rows if row.entry.tries and not row.gone), None)
    if shown:
        out.text()
        out.text(f"next: {again(command_line('show', [shown], ['--run', run.name]))}")
        if run.evidence == "imported":
            out.text(f"      {again(f'check {run.name}')}")


def _table(out: Output, view: RunView) -> None:
    """Trials with a verdict. A key must stay in one piece to be copied, so it gets a line where columns don't fit."""
    rows = []
    for row in view.rows:
        counting = row.entry.counting
        if counting is None or row.gone or row.entry.status == "error":
            continue
        numbers = (
            ("", "", "") if row.problem else (str(row.tool_calls), str(row.tally.calls), row.tally.tokens)
        )
        ended = "damaged" if row.problem else counting.termination
        rows.append((row.entry.key, counting.verdict, ended, *numbers, counting.cassette[:12]))
    if not rows:
        return
    columns = ("trial", "verdict", "ended", "tool calls", "model calls", "tokens", "cassette")
    wanted = sum(max(map(len, column)) + _PADDING for column in zip(columns, *rows, strict=True))
    if out.width is None or out.width >= wanted:
        out.table(columns, rows)
        return
    for key, verdict, ended, tools, calls, count, cassette in rows:
        out.text(key)
        took_ = f", {_calls(tools, calls)}, {count} tokens" if calls else ""
        Writer(out, cut=None).block(f"{verdict}, {ended}{took_}, {cassette}", 4)


def _calls(tools: str, models: str) -> str:
    return f"{counted(int(tools), 'tool call')}, {counted(int(models), 'model call')}"


def _apart(out: Output, view: RunView) -> None:
    errors = [row.entry for row in view.rows if row.entry.status == "error" and not row.gone]
    lost = [(row.entry.key, row.gone) for row in view.rows if row.gone]
    if lost:
        out.text()
        title = f"purged or redacted ({len(lost)}), neither passed nor failed:"
        out.table(("trial", "why"), lost, title=title)
    missing = [row.entry.key for row in view.rows if row.entry.status == "missing"]
    if errors:
        out.text()
        rows = [
            (entry.key, entry.counting.termination, len(entry.tries), entry.counting.cassette[:12])
            for entry in errors
            if entry.counting
        ]
        out.table(
            ("trial", "ended", "tries", "cassette"),
            rows,
            title=f"errors ({len(errors)}), no fail among them:",
        )
    if missing:
        out.text()
        out.text(f"missing ({len(missing)}), planned and not recorded:")
        for key in missing:
            out.text(f"  {key}")


def show_trial(out: Output, trial: Trial, again: Again = plainly, *, full: bool) -> None:
    """A trial: facts, instruction, trajectory, answer, verdict."""
    write = Writer(out, cut=None if full else CUT)
    for notice in evidence_notices(evidence_of(trial.header)):
        write.block(notice, 0)
    _trial_facts(write, trial)
    write.heading("instruction")
    write.block(trial.header.task.instruction, 2)
    write.heading("trajectory")
    for number, turn in enumerate(trial.trajectory.turns):
        _turn(write, number, turn)
    if trial.trajectory.error:
        write.block(f"{trial.trajectory.termination}: {in_words(trial.trajectory.error)}", 2)
    if trial.trajectory.answer:
        write.heading("answer")
        write.block(trial.trajectory.answer, 2)
    write.heading(f"verdict: {trial.verdict.outcome}")
    write.block(_reason(trial), 2)
    if trial.checks:
        write.block(trial.checks_title, 4)
        _checks(write, trial.checks)
    for alike in same_votes(trial.verdict.votes):
        _vote(write, alike)
    out.text()
    if trial.lanes:
        lane = f"{trial.key}/{trial.lanes[0]}"
        out.text(f"next: {again(command_line('show', [lane], _within(trial)))}")
    if evidence_of(trial.header) == "imported" and trial.run_name:
        out.text(f"      {again(f'check {trial.run_name}')}")


def _within(trial: Trial) -> list[str]:
    return ["--run", trial.run_name] if trial.run_name else []


def _reason(trial: Trial) -> str:
    """The verdict's reason; of a broken trial with the failure in words."""
    reason, error = trial.verdict.reason, trial.trajectory.error
    return f"{reason.removesuffix(error)}{in_words(error)}" if error and reason.endswith(error) else reason


def _trial_facts(write: Writer, trial: Trial) -> None:
    header, verdict = trial.header, trial.verdict
    write.out.text(f"trial {trial.key}")
    if len(trial.tries) > 1:
        write.fact("try", f"{trial.number} of {len(trial.tries)} tries, counted from 0")
    calls = len(trial.trajectory.actions)
    write.fact("verdict", f"{verdict.outcome} ({_reason(trial)})")
    for one in deciders(verdict):
        call = f"call {one.call}" if one.call >= 0 else "no call"
        write.fact("decided by", f"check {one.id} ({call}): {one.reason}")
    if not deciders(verdict):
        write.fact("decided by", undecided(verdict))
    for told in said_by_source(trial.source):
        write.fact("source says", told)
    write.fact(
        "ended",
        f"{trial.trajectory.termination}, {counted(len(trial.trajectory.turns), 'turn')}, "
        f"{counted(calls, 'tool call')}",
    )
    write.fact("scenario", f"{header.scenario.name} ({header.scenario.industry}, {header.scenario.domain})")
    write.fact("clock", header.clock or "none")
    behind = programs_behind(trial.cassette.lanes)
    for role, settings in header.players.items():
        if role == "verifier" and header.mode.startswith("lockstep/"):
            continue  # nobody asked it
        write.fact(role.replace("_", " "), player(settings))
        if settings.player == "llm" and settings.alias in behind:
            write.fact("", mistaken(settings.alias, behind[settings.alias]))
    write.fact("faults", plan_line(header.faults))
    for name, told in trial_facts(trial):
        write.fact(name, told)
    write.fact("took", took(trial.total))
    write.fact(
        "recorded", f"{dated(header.created)} by replaylab {header.engine.replaylab}; lanes {_lanes(trial)}"
    )
    write.fact("cassette", trial.cassette.name)
    if trial.run_id:
        write.fact("run", f"{trial.run_name} {trial.run_id[:12]}")


def said_by_source(source: JsonObject) -> list[str]:
    """The scores of an imported trial, as its file has them: no verdict of replaylab's."""
    told = []
    scores = source.get("scores")
    for score in scores if isinstance(scores, list) else ():
        if not isinstance(score, dict):
            continue
        why = f": {score['explanation']}" if score.get("explanation") else ""
        told.append(
            f"{score.get('name')} {pretty(score.get('value'))} (imported, checked by nobody here){why}"
        )
    return told


def _lanes(trial: Trial) -> str:
    ways: dict[str, list[str]] = {}
    for lane, provenance in trial.header.lanes.items():
        source = f" from {provenance.source[:12]}" if provenance.source else ""
        ways.setdefault(provenance.how + source, []).append(lane)
    if len(ways) == 1:
        return f"all {next(iter(ways))}"
    return "; ".join(f"{', '.join(lanes)} {way}" for way, lanes in ways.items())


def _turn(write: Writer, number: int, turn: Turn) -> None:
    write.out.text(f"turn {number}")
    if turn.reasoning:
        write.block(turn.reasoning, 4, "reasoning: ")
    if turn.text and turn.actions:
        write.block(turn.text, 4, "agent: ")
    elif not turn.actions:
        write.block("(the answer below)" if turn.text else "(no text and no tool call)", 4)
    for action in turn.actions:
        _action(write, action)


def _action(write: Writer, action: Action) -> None:
    arguments = action.raw_arguments if action.arguments is None else pretty(action.arguments, 100_000)
    write.block(f"{action.tool or '(no tool)'} {arguments}", 4, f"call {action.call}  ")
    if action.fault is None:
        by = "" if action.by == "simulator" else f"({action.by}) "
        write.block(write.json(action.observation), 8, f"-> {by}")
        return
    fault = action.fault
    write.block(
        f"FAULT {event_line(fault)}; the agent was shown:",
        8,
        "!! ",
    )
    write.block(write.json(fault.delivered), 12)
    if action.by == "faults":
        write.block("the call was not executed: the simulator never heard of it", 8, "!! ")
        return
    did = ", ".join(differing(fault.clean, fault.delivered)) or "nothing that shows"
    write.block(f"what the fault did: {did}", 8, "!! ")
    write.block("the simulator had said:", 8, "!! ")
    write.block(write.json(fault.clean), 12)


def _vote(write: Writer, alike: Sequence[Vote]) -> None:
    vote = alike[0]
    asked = f", asked {vote.asked} times" if vote.asked > 1 else ""
    name = f"vote{'s' if len(alike) > 1 else ''} {', '.join(str(one.vote) for one in alike)}"
    same = ", word for word the same" if len(alike) > 1 else ""
    said = in_words(vote.reason) if vote.outcome == "error" else vote.reason
    write.block(said or "(no reason given)", 4, f"{name} {vote.outcome}{asked}{same}: ")
    _checks(write, vote.checks)


def _checks(write: Writer, checks: Sequence[CheckResult]) -> None:
    for check in checks:
        call = f" (call {check.call})" if check.call >= 0 else ""
        write.block(f"{check.reason}{call}", 8, f"[{check.result}] {check.id}: ")


def show_lane(out: Output, trial: Trial, lane: str, again: Again = plainly) -> None:
    """A lane: a table of its interactions."""
    out.text(f"lane {trial.key}/{lane}")
    Writer(out, cut=None).fact("took", took(trial.tally(lane)))
    room = 80 if out.width is None else max(out.width - 70, 20)
    columns = ("#", "request", "adds", "attempts", "status", "ms", "tokens", "answer")
    out.table(columns, [_lane_row(asked, room) for asked in trial.asked(lane)])
    out.text(f"next: {again(command_line('show', [f'{trial.key}/{lane}#0'], _within(trial)))}")


def _lane_row(asked: Asked, room: int) -> tuple[object, ...]:
    row, result = asked.row, asked.result
    status = result.kind if isinstance(result, Failure) else row.final.status
    used = f"{row.usage.prompt_tokens:,} in + {row.usage.completion_tokens:,} out" if row.usage else ""
    answer, left = cut(asked.brief, room)
    return (
        asked.ordinal,
        row.request.digest[:12],
        len(row.request.adds),
        len(row.attempts),
        status,
        round(row.final.latency_ms),
        used,
        answer + ("…" if left else ""),
    )


def show_asked(out: Output, trial: Trial, asked: Asked) -> None:
    """An interaction, whole: request, attempts, answer."""
    row, write = asked.row, Writer(out, cut=None)
    out.text(f"interaction {row.path}")
    write.fact("request", f"{row.request.form} {row.request.digest}")
    write.fact("outcome", row.outcome)
    write.fact("cassette", trial.cassette.name)
    write.fact("asked", f"{row.request.alias}: {row.request.method} {row.request.path}")
    write.fact("answered by", row.answered_by or "not said")
    for name, value in (("request id", row.request_id), ("fingerprint", row.fingerprint)):
        if value:
            write.fact(name, value)
    kept = f"continues #{row.request.continues} ({row.request.keep} messages), " if row.request.keep else ""
    write.fact("messages", f"{kept}adds {len(row.request.adds)}")
    write.heading("request body")
    write.block(write.json(asked.body), 2)
    for number, attempt in enumerate(row.attempts):
        show_attempt(write, number, attempt)
    write.heading("answer as read")
    _answer(write, asked)


def show_attempt(write: Writer, number: int, attempt: Attempt) -> None:
    """An attempt of an interaction, whole."""
    write.heading(f"attempt {number}: {attempt.status or 'no status'}, {attempt.latency_ms:,.0f} ms")
    if attempt.failure:
        write.block(f"{attempt.failure.kind}: {attempt.failure.message}", 2, "failed: ")
    if not attempt.complete:
        write.block("the body was cut before its end", 2)
    for name, value in sorted(attempt.headers.items()):
        write.block(value, 2, f"{name}: ")
    for chunk in attempt.chunks or ():
        write.block(
            chunk.text if chunk.text is not None else f"base64 {chunk.b64}", 2, f"{chunk.ms:,.0f} ms  "
        )
    if attempt.chunks is None:
        text = body_text(attempt)
        write.block(text if text is not None else f"base64 {attempt.b64}", 2)


def _answer(write: Writer, asked: Asked) -> None:
    result = asked.result
    if isinstance(result, Failure):
        write.block(f"{result.kind}: {result.message}", 2, "none: ")
        return
    parts: Sequence[tuple[str, str]] = (
        ("reasoning", result.reasoning),
        ("text", result.text),
        ("refusal", result.refusal),
    )
    for name, text in parts:
        if text:
            write.block(text, 2, f"{name}: ")
    for call in result.tool_calls:
        write.block(f"{call.name} {call.arguments}", 2, f"tool call {call.id}: ")
    usage = asked.row.usage
    used = f", {tokens(usage.prompt_tokens, usage.completion_tokens)}" if usage else ""
    write.block(f"{result.finish_reason or 'not said'}{used}", 2, "finish reason: ")
