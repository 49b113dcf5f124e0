"""One page of HTML for a comparison of simulators, or for the contract check of one: one file that fetches nothing.

The findings come first, each with what the contract says and what the others said; then what is too uncertain to be one,
possible faults, differences that nobody is blamed for, the trajectories side by side, and the coverage. Without the
script everything but the filters is there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replaylab.report.commands import ELSEWHERE
from replaylab.report.diff_collect import Collected
from replaylab.report.diff_coverage import MEANING, brief_html, coverage_html, totals
from replaylab.report.diff_filter import filter_html
from replaylab.report.diff_finding import Contract, Found, finding_html, short_html, unknown_contract
from replaylab.report.diff_trial import Detail, trial_diff_html
from replaylab.report.diff_words import DIFFERENT, blame_words, brief, counted, difference_words, listed
from replaylab.report.markup import Html, code, join, size, tag, text
from replaylab.report.notice import EVIDENCE
from replaylab.report.shell import frame, main
from replaylab.schema.base import JsonObject
from replaylab.schema.difference import DiffReport, TrialDiff
from replaylab.schema.violation import KINDS

LIMIT = 8_000_000  # bytes of a page; a phone opens that in a second or two
# A browser takes seconds to break a text of a million characters into lines: that is never on the page.
_LEVELS = (Detail(cut=100_000), Detail(all=False, cut=4_000), Detail(all=False, cut=1_000))
_ASSETS = ("base.css", "diff.css", "diff.js")
# Shares of the limit. What is left is for the list of differences, filters, styles and the script.
_LISTED, _INDEXED = (
    1_600,
    16_000,
)  # bytes of the limit for a finding in the list, a difference in the list of links
_EVIDENCE, _COVERAGE = 0.84, 0.06  # of findings and trajectories together; of the tables of coverage


class Drawn(NamedTuple):
    """The large parts of a page, and what had no room in it."""

    findings: list[Html]
    candidates: list[Html]
    faults: list[Html]
    trials: dict[int, Html]
    detail: Detail
    shortened: int = 0


def diff_page(report: DiffReport, contract: Contract = unknown_contract, limit: int = LIMIT) -> bytes:
    """The page of a comparison. `contract` gives the environment and task of a trial, as `contract_json` makes it."""
    names = listed(map(brief, report.simulators))
    title = f"Where {names} part" if len(report.simulators) > 1 else f"{names}: contract check"
    kicker = "Simulators on the same calls, held against their contract"
    return _page(Collected(report, limit // _LISTED), title, kicker, contract, limit)


def check_page(
    trials: Iterable[TrialDiff],
    contract: Contract = unknown_contract,
    *,
    notices: Sequence[str] = (),
    limit: int = LIMIT,
) -> bytes:
    """The page of a contract check: trials of one simulator each, as `solo` makes them."""
    all_ = tuple(trials)
    names = tuple(dict.fromkeys(name for one in all_ for name in one.simulators))
    report = DiffReport(
        simulators=names,
        trials=all_,
        evidence=dict(sorted(Counter(one.evidence for one in all_).items())),
        notices=tuple(notices),
    )
    kicker = "The contract check of a simulator"
    made = Collected(report, limit // _LISTED)
    return _page(made, f"What {listed(map(brief, names))} said against the contract", kicker, contract, limit)


def _page(made: Collected, title: str, kicker: str, contract: Contract, limit: int) -> bytes:
    drawn = _draw(made, _remembered(contract), limit)
    body = join(
        (
            _header(made, title, kicker),
            _aside(made),
            main(
                _notes(made, drawn, limit),
                _violations(made, drawn),
                _apart("candidates", "Candidates", _CANDIDATES, drawn.candidates),
                _apart("faults", "Possible faults", _FAULTS, drawn.faults),
                _differences(made, drawn, limit // _INDEXED),
                _trials(made, drawn),
                _coverage(made, int(limit * _COVERAGE)),
            ),
            _footer(),
        ),
        "\n",
    )
    return frame(f"{title} - replaylab", body, _ASSETS)


def _remembered(contract: Contract) -> Contract:
    """The same contracts, each asked for once in a row: findings of a trial stand together."""
    last: list[tuple[TrialDiff, JsonObject | None]] = []

    def of(trial: TrialDiff) -> JsonObject | None:
        if not last or last[0][0] is not trial:
            last[:] = [(trial, contract(trial))]
        return last[0][1]

    return of


def _draw(made: Collected, contract: Contract, limit: int) -> Drawn:
    """As much as fits: first calls with nothing on them go, then long texts, then the last trials and the last evidence."""
    room = int(limit * _EVIDENCE)
    for detail in _LEVELS[:-1]:
        drawn = _whole(made, contract, detail, room)
        if drawn is not None:
            return drawn
    detail = _LEVELS[-1]
    short = {one.id: short_html(one) for one in made.all}
    half = max(0, room - sum(map(size, short.values()))) // 2
    trials = _trials_that_fit(made, detail, half)
    evidence = _Room(half)

    def render(one: Found) -> Html:
        if not evidence:
            evidence.refused += 1
            return short[one.id]
        part = finding_html(one, contract(one.trial), detail.cut, _row_of(made, one, trials))
        return part if evidence.takes(part) else short[one.id]

    findings, candidates, faults = (
        [render(one) for one in ones] for ones in (made.violations, made.candidates, made.faults)
    )
    return Drawn(findings, candidates, faults, trials, detail, evidence.refused)


class _Room:
    """Counts bytes down. Once it is full nothing more gets in, so that what is left out is the end."""

    def __init__(self, left: int) -> None:
        self.left, self.refused = left, 0

    def __bool__(self) -> bool:
        return self.left > 0

    def takes(self, part: str) -> bool:
        """Whether there was room for it."""
        self.left -= size(part)
        self.refused += self.left < 0
        return self.left >= 0


def _whole(made: Collected, contract: Contract, detail: Detail, limit: int) -> Drawn | None:
    """Everything in this detail; None where it would be too large."""
    room = _Room(limit)
    trials = _trials_that_fit(made, detail, limit // 2)
    if len(trials) < sum(map(made.noted, range(len(made.report.trials)))):
        return None
    if detail.all and len(trials) < len(made.report.trials):
        return None
    room.left -= sum(map(size, trials.values()))
    lists: list[list[Html]] = [[], [], []]
    for ones, list_ in zip((made.violations, made.candidates, made.faults), lists, strict=True):
        for one in ones:
            part = finding_html(one, contract(one.trial), detail.cut, _row_of(made, one, trials))
            if not room.takes(part):
                return None
            list_.append(part)
    findings, candidates, faults = lists
    return Drawn(findings, candidates, faults, trials, detail)


def _row_of(made: Collected, one: Found, trials: dict[int, Html]) -> str:
    return made.links.rows.get((one.number, one.at), "") if one.number in trials else ""


def _trials_that_fit(made: Collected, detail: Detail, room: int) -> dict[int, Html]:
    kept: dict[int, Html] = {}
    for number, trial in enumerate(made.report.trials):
        if not detail.all and not made.noted(number):
            continue
        part = trial_diff_html(trial, number, made.links, detail)
        room -= size(part)
        if room < 0:
            break
        kept[number] = part
    return kept


def _header(made: Collected, title: str, kicker: str) -> Html:
    report = made.report
    notices = list(report.notices)
    notices += [
        f"{words} ({counted(report.evidence[how], 'trial')})"
        for how, words in EVIDENCE.items()
        if report.evidence.get(how) and not any(how in notice.lower() for notice in report.notices)
    ]
    return tag(
        "header",
        tag("p", text(kicker), class_="kicker"),
        tag("h1", tag("bdi", text(title))),
        tag("div", *(tag("p", text(notice)) for notice in notices), class_="notes", role="note")
        if notices
        else "",
    )


def _aside(made: Collected) -> Html:
    """Beside the findings: the filters, the coverage, and the way to every section."""
    report = made.report
    entries = [("findings", f"Findings: {len(made.violations):,}")]
    entries += [("candidates", f"Candidates: {len(made.candidates):,}")] if made.candidates else []
    entries += [("faults", f"Possible faults: {len(made.faults):,}")] if made.faults else []
    entries += [("differences", "Differences")] if len(report.simulators) > 1 else []
    entries += [("trials", f"Trials: {len(report.trials):,}"), ("coverage", "Coverage")]
    items = [tag("li", tag("a", text(words), href=f"#{name}")) for name, words in entries]
    covered = [one for trial in report.trials for one in trial.coverage]
    return tag(
        "div",
        tag("nav", tag("ul", *items), aria_label="Contents"),
        tag("section", brief_html(covered), class_="beside", aria_label="Coverage in brief"),
        filter_html(made.all),
        class_="aside",
    )


def _notes(made: Collected, drawn: Drawn, limit: int) -> Html:
    """What is not on the page, and that nothing could be checked."""
    report = made.report
    notes = []
    if not any(total.checked for total in totals(one for trial in report.trials for one in trial.coverage)):
        notes.append(f"Nothing could be checked. {MEANING}")
    if not drawn.detail.all:
        notes.append(
            f"Calls at which nothing was found and nothing differs are not on this page: it would be larger than "
            f"{limit / 1e6:.0f} MB. `replaylab show TRIAL` shows each trial whole. {ELSEWHERE}"
        )
    if not drawn.detail.all:
        notes.append(f"Folded texts of more than {drawn.detail.cut:,} characters are counted and left out.")
    wanted = sum(map(made.noted, range(len(report.trials))))
    if not drawn.detail.all and len(drawn.trials) < wanted:
        notes.append(
            f"The trajectories of the last {wanted - len(drawn.trials):,} trials are left out: `replaylab show TRIAL` shows them."
        )
    if drawn.shortened:
        notes.append(
            f"The last {counted(drawn.shortened, 'finding')} stand here without their evidence, which `--json` has."
        )
    if made.left_out:
        notes.append(f"{counted(made.left_out, 'more finding')} had no room; `--json` lists all.")
    return (
        tag("div", *(tag("p", text(note)) for note in notes), class_="notes", role="note")
        if notes
        else Html("")
    )


def _violations(made: Collected, drawn: Drawn) -> Html:
    counts = Counter(one.one.kind for one in made.violations)
    said = ", ".join(f"{kind} {counts[kind]}" for kind in KINDS if counts[kind])
    said = f"{len(made.violations):,} in {counted(len(made.report.trials), 'trial')}" + (
        f": {said}" if said else ""
    )
    first = sum(one.one.rubric_critical for one in made.violations)
    order = " Those that the task's checks depend on come first." if 0 < first < len(made.violations) else ""
    nothing = tag("p", text(f"No finding. {MEANING}")) if not drawn.findings else ""
    first_open = [Html(part.replace("<details ", '<details open="" ', 1)) for part in drawn.findings[:1]]
    return tag(
        "section",
        tag("h2", text("Findings"), id="findings"),
        tag("p", text(f"{said}.{order}"), class_="note", id="count", role="status"),
        nothing,
        *first_open,
        *drawn.findings[1:],
        class_="list",
        aria_labelledby="findings",
    )


_CANDIDATES = "Too uncertain to be findings: counted nowhere. A judge may raise or clear them."
_FAULTS = "Disturbances that heal, as a fault would: shown apart, and no violations."


def _apart(name: str, title: str, words: str, parts: Sequence[Html]) -> Html:
    if not parts:
        return Html("")
    heading = tag("h2", text(f"{title}: {len(parts):,}"), id=name)
    return tag(
        "section", heading, tag("p", text(words), class_="note"), *parts, class_="list", aria_labelledby=name
    )


def _differences(made: Collected, drawn: Drawn, indexed: int) -> Html:
    report = made.report
    if len(report.simulators) < 2:
        return Html("")
    places = made.differing()
    kinds = Counter(one.kind for number, at in places for one in report.trials[number].rows[at].differences)
    rows = [tag("li", text(f"{count:,} × {DIFFERENT[kind]}")) for kind, count in sorted(kinds.items())]
    shown = [(number, at) for number, at in places if number in drawn.trials][:indexed]
    left = len(places) - len(shown)
    items = [tag("li", _difference_link(made, number, at)) for number, at in shown]
    more = (
        tag("p", text(f"{left:,} more are not in this list; `--json` has all."), class_="note")
        if left
        else ""
    )
    index = tag(
        "details", tag("summary", text(f"{counted(len(shown), 'call')} that differ")), tag("ol", *items), more
    )
    words = "A difference is no violation: where the contract is silent, nobody is blamed."
    return tag(
        "section",
        tag("h2", text(f"Differences: {counted(len(places), 'call')}"), id="differences"),
        tag("p", text(words), class_="note"),
        tag("ul", *rows) if rows else "",
        index if shown else "",
        aria_labelledby="differences",
    )


def _difference_link(made: Collected, number: int, at: int) -> Html:
    trial = made.report.trials[number]
    row = trial.rows[at]
    one = row.differences[0]
    link = tag(
        "a", code(row.tool), text(f", call {row.row} of {trial.task}"), href=f"#{made.links.rows[number, at]}"
    )
    return join(
        (link, text(f": {difference_words(one)} "), tag("span", text(blame_words(one)), class_="note"))
    )


def _trials(made: Collected, drawn: Drawn) -> Html:
    side = " side by side" if len(made.report.simulators) > 1 else ""
    skipped = [
        tag("li", text(f"{counted(count, 'trial')}: {why}")) for why, count in made.report.skipped.items()
    ]
    apart = (tag("p", text("Not compared:")), tag("ul", *skipped)) if skipped else ()
    return tag(
        "section",
        tag("h2", text(f"Trials{side}"), id="trials"),
        *apart,
        *drawn.trials.values(),
        aria_labelledby="trials",
    )


def _coverage(made: Collected, room: int) -> Html:
    covered = [one for trial in made.report.trials for one in trial.coverage]
    return tag(
        "section",
        tag("h2", text("Coverage"), id="coverage"),
        tag(
            "p",
            text(f"How many calls could be checked for what, and why not the others. {MEANING}"),
            class_="note",
        ),
        coverage_html(covered, room),
        aria_labelledby="coverage",
    )


def _footer() -> Html:
    words = "Made by replaylab from cassettes alone. Ids of findings and calls are the same in the terminal and in --json."
    return tag("footer", tag("p", text(words), class_="note"))
