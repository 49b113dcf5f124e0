"""The section of a page that shows one trial: task, trajectory, verdict, raw interactions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from replaylab.report.failure_words import in_words
from replaylab.report.faults_text import plan_line, trial_facts
from replaylab.report.lanes import Shown, lanes_html
from replaylab.report.markup import Html, badge, code, facts, join, listing, prose, tag, text
from replaylab.report.notice import dated
from replaylab.report.pretty import WIDTH, differing, pretty
from replaylab.report.view import Tally, Trial, deciders, same_votes, undecided
from replaylab.schema.cassette import Provenance
from replaylab.schema.fault import FaultEvent
from replaylab.schema.model import NOBODY, UNKNOWN, ModelSettings, played_by
from replaylab.schema.trajectory import Action, CheckResult, Turn, Vote

PLAYERS = {
    "llm": "LLM",
    "program": "program, not an LLM",
    "human": "human",
    "own": "agent of one's own, which may ask LLMs",
    UNKNOWN: "not named by the source",
}


@dataclass(frozen=True)
class Detail:
    """How much of a trial goes onto the page. `cut` is in characters of one text; None cuts nothing."""

    raw: bool = True
    cut: int | None = None


def seconds(ms: float) -> str:
    """A time for readers."""
    return f"{ms / 1000:,.1f} s"


def dollars(tally: Tally) -> str:
    """The cost of a tally, or that it is unknown."""
    return "unknown" if tally.cost is None else f"${tally.cost:,.4f}"


def who(settings: ModelSettings) -> Html:
    """Who a model is: its name, what it is, what it was asked for."""
    if settings == NOBODY:
        return text("nobody")
    asked = f", asked for as {settings.model}" if settings.model != settings.alias else ""
    sampling = ", ".join(f"{name} {pretty(value)}" for name, value in sorted(settings.sampling.items()))
    words = f" {PLAYERS[played_by(settings)]}{asked}{f'; {sampling}' if sampling else ''}"
    return join((code(settings.alias), tag("span", text(words), class_=f"player {played_by(settings)}")))


def trial_html(trial: Trial, anchor: str, shown: Shown, detail: Detail, level: int) -> Html:
    """All of a trial below its heading. `anchor` begins every id; headings start at `level`."""
    h = f"h{level}"
    parts: list[str] = [
        _facts(trial, anchor),
        tag(h, text("Task")),
        tag("section", prose(trial.header.task.instruction, detail.cut), class_="said task"),
        tag("details", "<summary>Rubric</summary>", prose(trial.header.task.rubric.text, detail.cut)),
        tag(h, text("Trajectory")),
        tag("ol", *_turns(trial, anchor, detail), class_="turns", start="0"),
        _ending(trial, detail, h),
        _verdict(trial, anchor, detail, h),
    ]
    if detail.raw:
        parts.append(tag(h, text("Raw interactions")))
        parts.append(lanes_html(trial, anchor, shown))
    return join(parts)


def _facts(trial: Trial, anchor: str) -> Html:
    header, total = trial.header, trial.total
    steps = f"{len(trial.trajectory.turns)} turns, {len(trial.trajectory.actions)} tool calls"
    rows = [
        ("Verdict", join((badge(trial.verdict.outcome), text(f" {trial.verdict.reason}")))),
        ("Decided by", _decided(trial, anchor)),
        ("Ended", text(f"{trial.trajectory.termination}, {steps}")),
        *((role.replace("_", " ").capitalize(), who(one)) for role, one in header.players.items()),
        *_failures(trial, anchor),
        ("Faults", text(plan_line(header.faults))),
        *_faults_met(trial),
        ("Scenario", text(f"{header.scenario.name} ({header.scenario.industry}, {header.scenario.domain})")),
        ("Frozen clock", text(header.clock or "none")),
        (
            "Took",
            text(f"{total.calls} model calls, {total.attempts - total.calls} retries, {total.failed} failed"),
        ),
        ("Tokens", text(f"{total.in_and_out}{_unmetered(total)}")),
        ("Cost, time", text(f"{dollars(total)}, {total.seconds} of model time")),
        ("Recorded", text(f"{dated(header.created)}, replaylab {header.engine.replaylab}")),
        ("Provenance", text(_provenance(header.lanes))),
        ("Cassette", code(trial.cassette.name)),
    ]
    if len(trial.tries) > 1:
        rows.insert(0, ("Try", text(f"{trial.number} of {len(trial.tries)} tries, counted from 0")))
    return facts(rows)


def _decided(trial: Trial, anchor: str) -> Html:
    """The failed checks, each with a link to the call that decided it."""
    lines = [
        tag("div", text(f"check {one.id}: {one.reason}"), _call_link(one.call, anchor))
        for one in deciders(trial.verdict)
    ]
    return join(lines) if lines else text(undecided(trial.verdict))


def _failures(trial: Trial, anchor: str) -> list[tuple[str, Html]]:
    """Why the trial failed, each reason with a link to the call at which it shows."""
    lines = []
    for label in trial.failures:
        checks = f" ({', '.join(label.checks)})" if label.checks else ""
        words = f"{label.kind}{checks}: {in_words(label.reason)}"
        lines.append(tag("div", text(words), _call_link(label.call, anchor)))
    return [("Why it failed", join(lines))] if lines else []


def _faults_met(trial: Trial) -> list[tuple[str, Html]]:
    """Exposure and recovery, in the words of the terminal."""
    rows: dict[str, list[Html]] = {}
    name = ""
    for given, told in trial_facts(trial):
        name = given or name
        if name != "failure":
            rows.setdefault(name, []).append(tag("div", text(told)))
    return [(name.capitalize(), join(lines)) for name, lines in rows.items()]


def _unmetered(total: Tally) -> str:
    return f", {total.unmetered} answers without a count" if total.unmetered else ""


def _provenance(lanes: dict[str, Provenance]) -> str:
    ways: dict[str, list[str]] = {}
    for lane, one in lanes.items():
        ways.setdefault(one.how + (f" from {one.source[:12]}" if one.source else ""), []).append(lane)
    return "; ".join(f"{', '.join(names)}: {way}" for way, names in ways.items()) or "not said"


def _turns(trial: Trial, anchor: str, detail: Detail) -> Iterator[Html]:
    for turn in trial.trajectory.turns:
        said = [_said(turn, detail)]
        said += [_action(action, anchor, detail) for action in turn.actions]
        yield tag("li", *said)


def _said(turn: Turn, detail: Detail) -> Html:
    parts: list[str] = []
    if turn.reasoning:
        parts.append(tag("details", "<summary>Reasoning</summary>", prose(turn.reasoning, detail.cut)))
    if turn.text and turn.actions:
        parts.append(prose(turn.text, detail.cut))
    elif not turn.actions:
        parts.append(
            tag("p", text("The answer, below." if turn.text else "No text and no tool call."), class_="note")
        )
    return tag("section", _role("Agent"), *parts, class_="said agent") if parts else Html("")


def _role(name: str) -> Html:
    return tag("p", text(name), class_="role")


def _action(action: Action, anchor: str, detail: Detail) -> Html:
    given = action.raw_arguments if action.arguments is None else pretty(action.arguments)
    call = tag(
        "section",
        tag("p", text(f"Agent, call {action.call} "), code(action.tool or "(no tool)"), class_="role"),
        listing(given, detail.cut) if given != "{}" else "",
        class_="said agent",
        id=f"{anchor}-c{action.call}",
        tabindex="-1",
    )
    if action.fault is None:
        names = {"simulator": "Simulator", "faults": "Fault plan", "engine": "Engine"}
        who_said = _role(f"{names[action.by]} answers")
        return join(
            (
                call,
                tag(
                    "section",
                    who_said,
                    listing(pretty(action.observation), detail.cut),
                    class_=f"said {action.by}",
                ),
            )
        )
    return join((call, _fault(action, detail)))


def _lasts(fault: FaultEvent) -> str:
    late = f"{fault.delay_s} s late, " if fault.delay_s else ""
    return late + ("it never heals" if fault.left < 0 else f"{fault.left} calls of it left")


def _fault(action: Action, detail: Detail) -> Html:
    fault = action.fault
    if fault is None:
        return Html("")
    width = WIDTH if action.by == "faults" else WIDTH // 2
    head = tag("p", text(f"Fault {fault.fault}: {fault.kind}, {_lasts(fault)}"), class_="role")
    delivered = tag(
        "div",
        tag("p", text("The agent was shown"), class_="role"),
        listing(pretty(fault.delivered, width), detail.cut),
    )
    if action.by == "faults":
        note = tag("p", text("The call was not executed: the simulator never heard of it."), class_="note")
        return tag("section", head, delivered, note, class_="said fault")
    did = ", ".join(differing(fault.clean, fault.delivered)) or "nothing that shows"
    clean = tag(
        "div",
        tag("p", text("The simulator had said"), class_="role"),
        listing(pretty(fault.clean, width), detail.cut),
    )
    note = tag("p", text(f"What the fault did: {did}"), class_="note")
    return tag("section", head, note, tag("div", clean, delivered, class_="pair"), class_="said fault")


def _ending(trial: Trial, detail: Detail, h: str) -> Html:
    trajectory = trial.trajectory
    if trajectory.answer:
        answer = tag("section", _role("Agent"), prose(trajectory.answer, detail.cut), class_="said agent")
        return join((tag(h, text("Answer")), answer))
    why = f"{trajectory.termination}{f': {trajectory.error}' if trajectory.error else ''}"
    return join((tag(h, text("No answer")), tag("p", text(why), class_="note")))


def _verdict(trial: Trial, anchor: str, detail: Detail, h: str) -> Html:
    votes = join(_vote(alike, anchor, detail) for alike in same_votes(trial.verdict.votes))
    outcome = join((badge(trial.verdict.outcome), text(f" {trial.verdict.reason}")))
    return join((tag(h, text("Verdict")), tag("p", outcome), _own_checks(trial, anchor), votes))


def _own_checks(trial: Trial, anchor: str) -> Html:
    """The task's checks, which a program ran; "" where a vote says the same."""
    if not trial.checks:
        return text("")
    title = trial.checks_title[0].upper() + trial.checks_title[1:]
    return tag(
        "section", tag("p", text(title), class_="role"), _checks(trial.checks, anchor), class_="said verifier"
    )


def _vote(alike: list[Vote], anchor: str, detail: Detail) -> Html:
    vote = alike[0]
    name = f"{'Votes' if len(alike) > 1 else 'Vote'} {', '.join(str(one.vote) for one in alike)} "
    extra = " word for word the same" if len(alike) > 1 else ""
    extra += f", asked {vote.asked} times" if vote.asked > 1 else ""
    head = tag("p", text(name), badge(vote.outcome), text(extra), class_="role")
    checks = _checks(vote.checks, anchor) if vote.checks else ""
    return tag(
        "section", head, prose(vote.reason or "No reason given.", detail.cut), checks, class_="said verifier"
    )


def _checks(checks: Sequence[CheckResult], anchor: str) -> str:
    """A table of checks, those that failed first, folded."""
    rows = "".join(
        f"<tr><td>{badge(one.result)}</td><td>{code(one.id)}</td><td>{text(one.reason)}"
        f"{_call_link(one.call, anchor)}</td></tr>"
        for one in sorted(checks, key=lambda one: one.result != "fail")
    )
    columns = '<thead><tr><th scope="col">Result</th><th scope="col">Check</th><th scope="col">Why</th></tr></thead>'
    table = f'<table class="checks">{columns}<tbody>{rows}</tbody></table>'
    failed = sum(one.result == "fail" for one in checks)
    return f"<details><summary>{len(checks)} checks, {failed} failed</summary>{table}</details>"


def _call_link(call: int, anchor: str) -> str:
    return f' <a href="#{anchor}-c{call}">call {call}</a>' if call >= 0 else ""
