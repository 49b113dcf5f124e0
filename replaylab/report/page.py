"""One page of HTML for a run or a trial: everything inside, nothing fetched, the same bytes each time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

from replaylab.engine.ledger import status_counts
from replaylab.errors import StoreError
from replaylab.report.commands import ELSEWHERE, command_line
from replaylab.report.faults_text import run_facts
from replaylab.report.lanes import Shown
from replaylab.report.ledger import ledger_html
from replaylab.report.markup import Html, attr, badge, code, facts, join, tag, text
from replaylab.report.notice import dated, evidence_notices, players_notices
from replaylab.report.sections import Detail, dollars, trial_html, who
from replaylab.report.shell import frame, main
from replaylab.report.view import Price, Row, RunView, Trial, open_trial, unpriced
from replaylab.schema.cassette import Evidence, evidence_of
from replaylab.schema.model import NOBODY, ModelSettings
from replaylab.schema.run import Run
from replaylab.store.library import Library

LIMIT = 8_000_000  # bytes of all trial sections; a phone opens that in a second or two
CUT = 4_000  # characters of one text, once a page has to be made smaller
LEVELS = (Detail(), Detail(raw=False), Detail(raw=False, cut=CUT))


class Sections(NamedTuple):
    """The sections of a page by trial key, with what was left out to keep it small."""

    by_key: dict[str, Html]
    detail: Detail
    left_out: int = 0


def trial_page(trial: Trial, limit: int = LIMIT) -> bytes:
    """A page for one trial."""
    body = Html("")
    detail = LEVELS[0]
    for detail in LEVELS:
        body = trial_html(trial, "t0", Shown(), detail, 2)
        if len(body) <= limit:
            break
    evidence = evidence_of(trial.header)
    head = tag(
        "header",
        tag("p", text(_kicker(evidence, "trial")), class_="kicker"),
        tag("h1", text(_task(trial.key))),
    )
    notes = _notes(trial.header.players.values(), evidence, Sections({}, detail), limit)
    return _page(f"{trial.key} - replaylab", head, tag("p", code(trial.key), class_="key"), notes, body)


def run_page(library: Library, view: RunView, price: Price = unpriced, limit: int = LIMIT) -> bytes:
    """A page for a run: the table, and a section for each trial that links to it."""
    sections = _sections(library, view, price, limit)
    spec = view.run.spec
    players = (*spec.agents, *spec.simulators, *spec.verifiers)
    parts = [
        tag(
            "header",
            tag("p", text(_kicker(view.run.evidence, "run")), class_="kicker"),
            tag("h1", text(view.run.name)),
        ),
        _notes(players, view.run.evidence, sections, limit),
        _ledger(status_counts(view.run, view.gone)),
        _run_facts(view),
        _table(view, sections),
        _missing(view),
        *(_section(number, row, view.run, sections) for number, row in enumerate(view.rows)),
        tag("p", text(ELSEWHERE), class_="note") if sections.by_key else "",
    ]
    return _page(f"{view.run.name} - replaylab", *parts)


def _sections(library: Library, view: RunView, price: Price, limit: int) -> Sections:
    """As much of each trial as fits: first the raw interactions go, then long texts are cut, then the last trials go."""
    kept: dict[str, Html] = {}
    detail = LEVELS[0]
    for detail in LEVELS:
        kept, size = {}, 0
        for key, section in _render(library, view, price, detail):
            size += len(section)
            if size > limit:
                break
            kept[key] = section
        else:
            return Sections(kept, detail)
    wanted = sum(1 for row in view.rows if row.entry.counting and not (row.problem or row.gone))
    return Sections(kept, detail, wanted - len(kept))


def _render(library: Library, view: RunView, price: Price, detail: Detail) -> Iterator[tuple[str, Html]]:
    shown = Shown()
    for number, row in enumerate(view.rows):
        if row.entry.counting is None or row.problem or row.gone:
            continue
        try:
            trial = open_trial(library, view.run_id, view.run, row.entry, price=price)
        except StoreError:  # damaged since the view was made; the view of the next look says so
            continue
        yield row.entry.key, trial_html(trial, f"t{number}", shown, detail, 3)


def _kicker(evidence: Evidence, what: str) -> str:
    return f"An {evidence} {what}" if evidence != "recorded" else f"A recorded {what}"


def _notes(players: Iterable[ModelSettings], evidence: Evidence, sections: Sections, limit: int) -> Html:
    """What a reader must know first: whether anybody recorded it, who played, and what is not on the page."""
    notes = evidence_notices(evidence) + players_notices(one.player for one in players if one != NOBODY)
    megabytes = f"{limit / 1e6:.0f} MB"
    if not sections.detail.raw:
        notes.append(
            f"The raw interactions are not on this page: it would be larger than {megabytes}. "
            f"`replaylab show TRIAL --html FILE` writes them for one trial. {ELSEWHERE}"
        )
    if sections.detail.cut is not None:
        notes.append(f"Texts longer than {sections.detail.cut:,} characters are cut, each with a count.")
    if sections.left_out:
        notes.append(
            f"The last {sections.left_out} trials are in the table only: the page is full at {megabytes}."
        )
    return tag("div", *(tag("p", text(note)) for note in notes), class_="notes") if notes else Html("")


def _ledger(counts: dict[str, int]) -> Html:
    unjudged = counts["recorded"] - counts["pass"] - counts["fail"]
    shown = [(word, counts[word]) for word in ("pass", "fail", "error", "missing")]
    return ledger_html(counts["planned"], [*shown, *([("unjudged", unjudged)] if unjudged else [])])


def _run_facts(view: RunView) -> Html:
    run, spec, total = view.run, view.run.spec, view.total
    roles = (("Agent", spec.agents), ("Simulator", spec.simulators), ("Verifier", spec.verifiers))
    rows = [
        ("Run id", code(view.run_id)),
        ("Outcome", code(run.outcome)),
        ("Created", text(dated(run.created))),
    ]
    if spec.mode != "run":
        rows.append(("Mode", text(f"{spec.mode}, of run {spec.swapped}")))
    rows += [(role, who(one)) for role, models in roles for one in models]
    rows += [
        ("Faults", text(", ".join(plan.name for plan in spec.faults))),
        (
            "Limits",
            text(f"{spec.limits.max_steps} steps, {spec.limits.votes} votes, {spec.limits.asks} askings"),
        ),
        (
            "Took",
            text(
                f"{total.calls:,} model calls, {total.attempts - total.calls:,} retries, {total.failed:,} failed"
            ),
        ),
        ("Tokens", text(total.in_and_out)),
        ("Cost, time", text(f"{dollars(total)}, {total.seconds} of model time")),
    ]
    told = [tag("div", text(line)) for line in run_facts(view)]
    if told:
        rows.append(("Exposure", join(told)))
    if run.follows:
        rows.append(("Follows", join((code(one) for one in run.follows), " ")))
    return facts(rows)


_COLUMNS = ("Trial", "Verdict", "Ended", "Tool calls", "Model calls", "Tokens", "Cassette")


def _table(view: RunView, sections: Sections) -> Html:
    head = "".join(f'<th scope="col" role="columnheader">{text(name)}</th>' for name in _COLUMNS)
    rows = [
        _line(number, row, row.entry.key in sections.by_key)
        for number, row in enumerate(view.rows)
        if row.entry.counting
    ]
    table = (
        f'<table class="trials" id="trials" role="table"><thead role="rowgroup"><tr role="row">{head}</tr></thead>'
        f'<tbody role="rowgroup">{"".join(rows)}</tbody></table>'
    )
    return join((tag("h2", text("Trials")), _filter(view), table))


def _filter(view: RunView) -> Html:
    """Hidden until the script runs: without it there would be nothing behind it."""
    present = {row.entry.counting.verdict for row in view.rows if row.entry.counting}
    choices = ["all", *(word for word in ("pass", "fail", "error", "none") if word in present)]
    radios = "".join(
        f'<label><input type="radio" name="verdict" value="{word}"{" checked" if word == "all" else ""}> {word}</label>'
        for word in choices
    )
    search = '<label class="search">Find <input type="search" id="find" autocomplete="off"></label>'
    return Html(
        '<form id="filter" hidden><fieldset><legend>Verdict</legend>'
        f'{radios}</fieldset>{search}<output id="count" aria-live="polite"></output></form>'
    )


def _line(number: int, row: Row, has_section: bool) -> Html:
    entry, counting = row.entry, row.entry.counting
    if counting is None or row.gone:
        return Html("")
    condition = entry.key.partition("/")[0]
    name = f'<a href="#t{number}">{text(_task(entry.key))}</a>' if has_section else text(_task(entry.key))
    numbers = ("", "", "") if row.problem else (row.tool_calls, row.tally.calls, row.tally.tokens)
    cells = [
        join((name, tag("span", text(condition), class_="condition"))),
        badge(counting.verdict),
        text("damaged cassette" if row.problem else counting.termination),
        *(text(value) for value in numbers),
        code(counting.cassette[:12]),
    ]
    inner = "".join(
        f'<td role="cell" data-label="{label}">{content}</td>'
        for label, content in zip(_COLUMNS, cells, strict=True)
    )
    return Html(
        f'<tr role="row" data-verdict="{attr(counting.verdict)}" data-key="{attr(entry.key)}">{inner}</tr>'
    )


def _task(key: str) -> str:
    """Task and number of a trial key."""
    # A forged run object may hold any text as a key.
    task, _, trial = key.partition("/")[2].rpartition("/")
    return f"{unquote(task)} / {trial}"


def _missing(view: RunView) -> Html:
    """Trials that have no verdict because nothing, or nothing whole, is recorded of them."""
    missing = [row.entry.key for row in view.rows if row.entry.status == "missing"]
    parts: list[str] = []
    if missing:
        parts.append(tag("h2", text(f"Planned and not recorded: {len(missing)}")))
        parts.append(tag("ul", *(tag("li", code(key)) for key in missing)))
    lost = [row for row in view.rows if row.gone]
    if lost:
        parts.append(tag("h2", text(f"Purged or redacted, neither passed nor failed: {len(lost)}")))
        parts += [tag("p", code(row.entry.key), " ", text(row.gone)) for row in lost]
    if view.problems:
        parts.append(tag("h2", text(f"Damaged: {len(view.problems)}")))
        parts += [tag("p", code(row.entry.key), " ", text(row.problem)) for row in view.problems]
    return join(parts)


def _section(number: int, row: Row, run: Run, sections: Sections) -> Html:
    entry, body = row.entry, sections.by_key.get(row.entry.key)
    if body is None or entry.counting is None:
        return Html("")
    heading = tag("h2", text(_task(entry.key)), " ", badge(entry.counting.verdict))
    summary = tag("summary", heading, tag("span", text(entry.key.partition("/")[0]), class_="condition"))
    command = command_line("replaylab show", [entry.key], ["--run", run.name])
    foot = tag("p", code(command), ' <a href="#trials">back to the table</a>', class_="note")
    return Html(
        f'<details class="trial" id="t{number}" data-verdict="{attr(entry.counting.verdict)}" '
        f'data-key="{attr(entry.key)}">{summary}{body}{foot}</details>'
    )


def _page(title: str, *parts: str) -> bytes:
    return frame(title, main(*parts), ("base.css", "page.css", "page.js"))
