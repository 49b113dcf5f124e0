"""One finding on a page: what was invented or left out, where, what the contract says, and what the others said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replaylab.diff.words.observed import read_observation
from replaylab.report.diff_words import AGAINST, DONE, LICENCE, brief, listed, title_of
from replaylab.report.excerpt import Mark, excerpt
from replaylab.report.markup import Html, code, join, tag, text
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.difference import Answer, Row, TrialDiff
from replaylab.schema.pointer import lookup, unescape
from replaylab.schema.scenario import Environment, Task
from replaylab.schema.violation import Violation

Contract = Callable[[TrialDiff], JsonObject | None]
_MESSAGE, _PATH = 1_000, 400  # characters of a sentence, of an address
_BROAD = 190  # characters of a line that has the whole breadth and may wrap once
_CLOSEST = 160  # characters of a contract's text around a sentence of it


def contract_json(environment: Environment, task: Task) -> JsonObject:
    """What pointers into a contract lead into: the environment, and the task's instruction and rubric."""
    known = environment.model_dump(mode="json", by_alias=True)
    return known | {"instruction": task.instruction, "rubric": task.rubric.text}


def unknown_contract(trial: TrialDiff) -> JsonObject | None:
    """No contract at hand: findings show what they quote themselves."""
    return None


@dataclass
class Ids:
    """The ids of a page. A second thing of the same id gets a number, since a page has each id once."""

    taken: dict[str, int] = field(default_factory=dict)

    def take(self, wanted: str) -> str:
        """The id to use."""
        self.taken[wanted] = self.taken.get(wanted, 0) + 1
        return wanted if self.taken[wanted] == 1 else f"{wanted}-{self.taken[wanted]}"


class Found(NamedTuple):
    """A finding where it stands: the trial, the row of it (-1 where none has it), and the side."""

    one: Violation
    id: str
    trial: TrialDiff
    number: int
    at: int
    side: int

    @property
    def row(self) -> Row | None:
        """The call that it is about."""
        return self.trial.rows[self.at] if self.at >= 0 else None

    @property
    def simulator(self) -> str:
        """Whose answer it is."""
        named = self.trial.simulators
        return self.one.simulator or (named[self.side] if self.side < len(named) else "")


class Places:
    """Where the findings of a trial stand: its rows by CallPath, and by side and call."""

    def __init__(self, trial: TrialDiff) -> None:
        self._sides = trial.simulators
        self._by_path: dict[str, tuple[int, int]] = {}
        self._by_call: dict[tuple[int, int | None], tuple[int, int]] = {}
        for at, row in enumerate(trial.rows):
            for side, answer in enumerate(row.answers):
                if answer is not None:
                    self._by_path.setdefault(answer.path, (at, side))
                    call = row.calls[side] if side < len(row.calls) else row.row
                    self._by_call.setdefault((side, call), (at, side))

    def of(self, one: Violation) -> tuple[int, int]:
        """Row and side; (-1, side) where no row has it."""
        side = self._sides.index(one.simulator) if one.simulator in self._sides else 0
        by_call = self._by_call.get((side, one.call), (-1, side))
        return self._by_path.get(one.path, by_call) if one.path else by_call


def finding_html(found: Found, contract: JsonObject | None, cut: int, row_id: str = "") -> Html:
    """A finding, folded. `row_id` is the call in its trial, "" where that is not on the page."""
    body = tag(
        "div",
        tag("p", tag("bdi", text(_sentence(found.one))), class_="message"),
        tag("div", _contract(found.one, contract, cut), _said(found, cut), class_="evidence"),
        _held(found, row_id),
        id=found.id,
        class_="body",
        tabindex="-1",
    )
    return tag("details", tag("summary", *_head(found)), body, class_="finding", **_filtered(found))


def short_html(found: Found) -> Html:
    """A finding in two lines, where a page has no room for its evidence."""
    return tag("div", *_head(found), class_="finding short", id=found.id, tabindex="-1", **_filtered(found))


def _head(found: Found) -> tuple[str, ...]:
    one = found.one
    return (
        tag("span", text(DONE[one.kind]), class_=f"kind {one.kind}"),
        " ",
        tag("h3", tag("bdi", text(title_of(one)))),
        " ",
        tag("span", text("the task's checks depend on it"), class_="badge depends")
        if one.rubric_critical
        else "",
        tag("span", _at(found), class_="place"),
    )


def _filtered(found: Found) -> dict[str, str]:
    """What filters read."""
    one = found.one
    return {
        "data_kind": one.kind,
        "data_subkind": one.subkind,
        "data_tool": one.tool,
        "data_simulator": found.simulator,
        "data_task": found.trial.task,
        "data_against": one.against,
        "data_confidence": f"{one.confidence:.4g}",
        "data_depends": "yes" if one.rubric_critical else "no",
    }


def _at(found: Found) -> Html:
    """Simulator, tool, call, pointer and CallPath in a line or two."""
    one = found.one
    call = join(
        (
            code(one.tool),
            text(f", call {one.call}, at "),
            code(brief(one.pointer, _PATH) or "the whole answer"),
        )
    )
    path = (
        code(brief(one.path, _PATH)) if one.path else tag("bdi", text(f"{found.trial.task}, never recorded"))
    )
    return join((tag("bdi", text(found.simulator)), text(" · "), call, text(" · "), path))


def _sentence(one: Violation) -> str:
    words = one.message or title_of(one)
    if len(words) > _MESSAGE:
        return f"{words[:_MESSAGE]}…"
    return f"{words}{'' if words.endswith(('.', '!', '?')) else '.'}"


def _held(found: Found, row_id: str) -> Html:
    one = found.one
    said = [
        AGAINST[one.against],
        f"{one.kind.replace('_', ' ')}, {one.subkind.replace('_', ' ')}",
        f"confidence {one.confidence:.2f}",
    ]
    if one.kind == "rule_invention":
        said.append(f"licence: {LICENCE[one.licence]}")
    if one.agree:
        said.append(f"{listed(one.agree)} said the same")
    if one.disagree:
        said.append(f"{listed(one.disagree)} said otherwise")
    links = [tag("a", text("link to this finding"), href=f"#{found.id}")]
    if row_id:
        links.append(tag("a", text("the call in its trial"), href=f"#{row_id}"))
    return tag("p", text(f"Held against {'; '.join(said)}. "), join(links, " · "), class_="note")


def _said(found: Found, cut: int) -> Html:
    """What the simulator said, the place marked, and beside it what the others said to the same call."""
    one, row = found.one, found.row
    if row is None:
        shown = tag("div", _observed(one.observed), class_="listing", dir="auto")
        return side_html(found.simulator, shown, accused=True)
    sides = []
    for name, answer in zip(found.trial.simulators, row.answers, strict=False):
        accused = answer is not None and answer is row.answers[found.side]
        marks = [mark_of(one)] if accused else []
        sides.append(side_html(name, answer_html(answer, marks, cut), accused=accused))
    sides.sort(key=lambda side: 'class="side accused"' not in side)
    asked = tag("p", text("The call: "), code(row.tool), text(" "), code(_arguments(row)), class_="call")
    return tag("div", asked, tag("div", *sides, class_="sides"))


def _observed(value: Json) -> Html:
    return tag("mark", text(brief(value, 1_000)))


def _arguments(row: Row) -> str:
    return brief(row.arguments, 600)


def side_html(name: str, inner: Html, *, accused: bool = False, notes: Sequence[str] = ()) -> Html:
    """What one simulator said, under its name."""
    head = tag("p", tag("bdi", text(name)), text(" said"), *notes, class_="role")
    return tag(
        "section", head, inner, class_="side accused" if accused else "side", aria_label=f"{name} said"
    )


def answer_html(answer: Answer | None, marks: Sequence[Mark], cut: int) -> Html:
    """An answer with its marks; that there is none."""
    if answer is None:
        return tag("p", text("No such call in this trial."), class_="note")
    by = {"faults": "The fault plan answered, not the simulator.", "engine": "The engine answered."}.get(
        answer.by
    )
    note = tag("p", text(by), class_="note") if by else ""
    return join((note, excerpt(read_observation(answer.observation), marks, cut)))


def mark_of(one: Violation, href: str | None = None) -> Mark:
    """Where a finding stands in the answer, and in a word what is wrong there."""
    missing = ""
    if one.kind == "omission" and one.subkind != "denial":
        missing = brief(one.entity or one.expected)
    needle = one.observed if isinstance(one.observed, str) else one.entity
    return Mark(one.pointer, DONE[one.kind], missing, needle, href)


def _contract(one: Violation, contract: JsonObject | None, cut: int) -> Html:
    """The contract's own words: the sentence, the place in the state, or what should stand there."""
    heading = {"instruction": "The instruction says", "rubric": "The rubric says"}.get(
        one.against, "The contract says"
    )
    where = (tag("span", text(" at "), code(brief(one.contract, _PATH))),) if one.contract else ()
    head = tag("p", text(heading), *where, class_="role")
    parts = [_quote(one, contract)] if one.quote else []
    if not one.quote or one.kind == "omission":
        parts.append(_state(one, contract, cut))
    return tag("section", head, *parts, class_="contract", aria_label=heading)


def _quote(one: Violation, contract: JsonObject | None) -> Html:
    """A sentence of the contract, with the words around it where the contract is at hand."""
    value = lookup(contract, one.contract) if contract is not None else None
    whole = value if isinstance(value, str) else ""
    at = whole.find(one.quote)
    before = whole[max(0, at - _CLOSEST) : at] if at > 0 else ""
    after = whole[at + len(one.quote) :][:_CLOSEST] if at >= 0 else ""
    inner = join(
        (
            tag("span", text(f"{'…' if at > _CLOSEST else ''}{before}"), class_="around"),
            tag("mark", text(one.quote)),
            tag("span", text(f"{after}{'…' if len(after) == _CLOSEST else ''}"), class_="around"),
        )
    )
    note = ""
    if one.licence == "open_clause":
        words = (
            "The closest that the contract comes: it allows realism in general, and this rule is not in it."
        )
        note = tag("p", text(words), class_="note")
    return join((tag("blockquote", inner, class_="prose", dir="auto"), note))


def _state(one: Violation, contract: JsonObject | None, cut: int) -> Html:
    """What the state holds where the finding points, and folded what is around it there."""
    found = lookup(contract, one.contract) if contract is not None and one.contract else ...
    parts = []
    lacks = one.entity if one.kind == "fabrication" and isinstance(one.expected, list) else ""
    if one.expected is not None:
        word = f"no {brief(lacks)} among them" if lacks else ""
        name = _key(one.contract) or "expected"
        parts.append(excerpt(one.expected, [Mark("", word)], cut, name=name, width=_BROAD))
    if contract is not None and found is not ... and not isinstance(found, str):
        head = one.contract.split("/")[1]
        inside = one.contract[len(head) + 1 :]
        around = excerpt(contract[head], [Mark(inside, "")], cut, name=head, width=_BROAD // 2)
        parts.append(
            tag("details", tag("summary", text("where it stands in the contract")), around, class_="more")
        )
    if parts:
        return join(parts)
    if one.kind == "rule_invention":
        return tag(
            "p",
            text("Nothing: no sentence of the contract, and no value of the state, carries this refusal."),
        )
    return tag("p", text("Nothing that carries this."))


def _key(pointer: str) -> str:
    return unescape(pointer.rpartition("/")[2])
