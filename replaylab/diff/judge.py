"""The optional judge of a contract check: what it is asked, how its words are read, and what they can do.

A model is asked about what the check itself found and is not sure of, on either side of the threshold: the grey band. It
can raise a candidate to a violation, and clear either; it can make none. It is asked about refusals, filters in words
and things without ids, never about numbers, times or which ids belong to a collection. Its word counts only with a passage that it copied verbatim:
of the contract where it licenses, of the answer where it does not. Pure: who asks is passed in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.tools import sound
from replaylab.diff.words.identity import last_word, name_key, words
from replaylab.diff.words.lexicon import ID_WORDS, NAME_WORDS
from replaylab.diff.words.observed import leaves
from replaylab.errors import UsageError
from replaylab.roles.chat import canonical_text, message
from replaylab.roles.parsing import Unparsable, one_json_object
from replaylab.roles.prompts import CONTRACT_JUDGE, render
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Header
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment
from replaylab.schema.trajectory import Action, Trajectory
from replaylab.schema.violation import THRESHOLD, Violation

VOTES = 3
GREY = 0.7  # what is surer stands without a judge
RAISED = 0.6  # the confidence of a candidate that a judge raised: above the threshold, below what stands without one
NO_ANSWER = "the judge gave no answer"
LEAST_WORDS = 3  # of a quote from the contract
Sort = Literal["rejection", "filter", "nameless"]
Says = Literal["licensed", "violation", "unclear", "dropped"]
Outcome = Literal["raised", "confirmed", "cleared", "open"]
_NUMERIC = frozenset({"mutated_threshold", "ungrounded_input", "counter_mismatch"})
_PROMPTED: dict[Sort, str] = {
    "rejection": "The simulator refused",
    "filter": "The simulator left",
    "nameless": "The simulator shows",
}


class Question(NamedTuple):
    """What a judge is asked about one violation or candidate. `contract` and `answer` are the texts that it may quote."""

    violation: Violation
    sort: Sort
    messages: tuple[JsonObject, ...]
    contract: str
    answer: str
    open_clause: str = ""


class Word(NamedTuple):
    """One vote as it counts. `why` says why it was dropped."""

    says: Says
    quote: str = ""
    reason: str = ""
    why: str = ""


class Ruling(NamedTuple):
    """What became of it: a candidate was raised, a violation confirmed, either cleared, or all is as it was (`open`).

    `violation` is as the judge leaves it.
    """

    outcome: Outcome
    violation: Violation
    words: tuple[Word, ...]

    def to_json(self) -> JsonObject:
        """For a document."""
        return {
            "id": self.violation.id,
            "outcome": self.outcome,
            "votes": [word._asdict() for word in self.words],
            "violation": self.violation.to_json(),
        }


Ask = Callable[[Question], Sequence[str | None]]


def refuse_partial(judge: ModelSettings, simulators: Iterable[ModelSettings]) -> None:
    """Raise UsageError when the judge is one of the simulators that it would judge, under whatever alias."""
    for one in simulators:
        if judge.alias == one.alias or judge.model == one.model:
            same = one.alias if judge.alias == one.alias else f"{one.alias}, which is {one.model} too"
            raise UsageError(
                f"the judge {judge.alias!r} is a simulator that is checked: {same}",
                fix="take another model as --judge; nobody judges their own answers",
            )


def questions(header: Header, trajectory: Trajectory, found: Iterable[Violation]) -> Iterator[Question]:
    """The questions about those violations and candidates of a trial that a judge may decide, in their order."""
    actions = {action.call: action for action in trajectory.actions}
    clause = Contract(header.environment).open_clause
    contract = contract_text(header.environment)
    for one in found:
        action = actions.get(one.call)
        sort = sort_of(one, action, header.environment) if action is not None else None
        if action is None or sort is None:
            continue
        earlier = [
            _seen(other) for other in trajectory.actions if other.call < one.call and other.by == "simulator"
        ]
        case: JsonObject = {"earlier": earlier, "call": _seen(action), "about": _about(one, sort)}
        texts = {name: said if name == sort else "" for name, said in _PROMPTED.items()}
        yield Question(
            violation=one,
            sort=sort,
            messages=(
                message("system", render(CONTRACT_JUDGE, **texts)),
                message("user", f"## Contract\n\n{contract}"),
                message("user", f"## Case\n{canonical_text(case)}"),
            ),
            contract=contract,
            answer=canonical_text(action.clean),
            open_clause=clause.text if clause else "",
        )


def sort_of(one: Violation, action: Action, environment: Environment) -> Sort | None:
    """What sort of question it is; None where no judge is asked: numbers, times, ids, and what is sure enough."""
    if one.confidence >= GREY or one.subkind in _NUMERIC:
        return None
    if one.kind == "rule_invention":
        return "rejection"
    if one.kind == "omission" and _is_asked_in_words(action, environment):
        return "filter"
    if one.kind == "fabrication" and _has_no_id(one):
        return "nameless"
    return None


def _is_asked_in_words(action: Action, environment: Environment) -> bool:
    """Whether an argument narrows down by words that are no value of the state."""
    known = {name_key(str(value)) for _, _, value in leaves(environment.initial_state)}
    given = (value for _, _, value in leaves(action.arguments or {}))
    return any(
        isinstance(value, str)
        and words(value)
        and not any(map(str.isdigit, value))
        and name_key(value) not in known
        for value in given
    )


def _has_no_id(one: Violation) -> bool:
    """Whether what was shown is a row of which no field gives an id or a name."""
    return isinstance(one.observed, dict) and not any(
        last_word(field) in ID_WORDS | NAME_WORDS for field in one.observed
    )


def _about(one: Violation, sort: Sort) -> Json:
    """What the question is about, without what the check thinks of it."""
    if sort == "rejection":
        return {"reason_given": one.observed, "pointer": one.pointer}
    if sort == "filter":
        return {"left_out": one.entity, "in_the_state": one.expected, "pointer": one.pointer}
    return {"shown": one.observed, "pointer": one.pointer}


def _seen(action: Action) -> JsonObject:
    return {"tool": action.tool, "arguments": action.arguments, "answer": action.clean}


def contract_text(environment: Environment) -> str:
    """The contract as a judge reads and quotes it: plain texts, so that a passage can be copied as it stands."""
    lines = [environment.system_prompt.strip(), "", "Tools"]
    for tool in environment.tools:
        lines.append(f"- {tool.name}: {tool.description}")
        for name, schema in sound(tool.parameters).get("properties", {}).items():
            told = schema.get("description", "") if isinstance(schema, dict) else ""
            lines.append(f"  - {name}: {told}".rstrip(": "))
    lines += ["", "State description"]
    lines += [f"- {name}: {_plain(told)}" for name, told in environment.state_description.items()]
    return "\n".join([*lines, "", "State at the beginning", canonical_text(environment.initial_state)])


def _plain(value: Json) -> str:
    return value if isinstance(value, str) else canonical_text(value)


def read_word(text: str | None, question: Question) -> Word:
    """What a vote says, as far as it counts. None is a vote that nobody gave."""
    if text is None:
        return Word("dropped", why=NO_ANSWER)
    try:
        value = one_json_object(text)
    except Unparsable as error:
        return Word("dropped", why=error.what)
    verdict, quote, reason = (value.get(name) for name in ("verdict", "quote", "reason"))
    if verdict not in ("licensed", "violation", "unclear"):
        return Word("dropped", why="its verdict is none of licensed, violation and unclear")
    quote, reason = (part if isinstance(part, str) else "" for part in (quote, reason))
    if verdict == "unclear":
        return Word("unclear", reason=reason)
    why = _misquoted(verdict, quote, question)
    return Word("dropped", quote, reason, why) if why else Word(verdict, quote, reason)


def _misquoted(verdict: str, quote: str, question: Question) -> str:
    """Why a quote is none; "" for one that is."""
    said = _one_line(quote)
    least = LEAST_WORDS if verdict == "licensed" else min(LEAST_WORDS, _words_shown(question))
    if len(words(said)) < least:
        return f"its quote has fewer than {least} words"
    if verdict == "violation":
        return "" if said in _one_line(question.answer) else "its quote is no passage of the answer"
    if said not in _one_line(question.contract):
        return "its quote is no passage of the contract"
    if _is_general(said, question.open_clause):
        return "its quote allows realism in general and nothing in particular"
    return ""


def _words_shown(question: Question) -> int:
    """How many words there are to quote of what the answer shows: a refusal may be "closed" and no more."""
    shown = question.violation.observed
    return len(words(_plain(shown))) if shown is not None else len(words(question.answer))


def _is_general(said: str, clause: str) -> bool:
    """Whether a quote is the clause that allows realism, or a part of it, with hardly a word more around it."""
    quoted, general = words(said), words(clause)
    shared = SequenceMatcher(None, quoted, general, autojunk=False).find_longest_match().size
    return shared >= min(LEAST_WORDS, len(general)) > 0 and len(quoted) - shared < LEAST_WORDS


def _one_line(text: str) -> str:
    """The text with every run of white space as one space: a line break is no other word."""
    return " ".join(text.split())


def rule(question: Question, texts: Sequence[str | None], judge: str) -> Ruling:
    """What the votes make of it: more than half of all that were asked must say the same."""
    said = tuple(read_word(text, question) for text in texts)
    counted = Counter(word.says for word in said)
    one = question.violation
    by = f"of {len(said)} votes of the judge {judge}"
    if 2 * counted["violation"] > len(said):
        if one.confidence >= THRESHOLD:
            return Ruling("confirmed", one, said)
        told = f"{one.message} (a candidate until {counted['violation']} {by} called it a violation)"
        return Ruling("raised", one.model_copy(update={"confidence": RAISED, "message": told}), said)
    if 2 * counted["licensed"] > len(said):
        quote = next(word.quote for word in said if word.says == "licensed")
        told = f"{one.message} (cleared by {counted['licensed']} {by})"
        return Ruling("cleared", one.model_copy(update={"quote": quote, "message": told}), said)
    return Ruling("open", one, said)


def judged(asked: Iterable[Question], ask: Ask, judge: str) -> list[Ruling]:
    """Put each question and rule on it."""
    return [rule(question, ask(question), judge) for question in asked]


def apply(found: Iterable[Violation], rulings: Iterable[Ruling]) -> list[Violation]:
    """The violations of a check, and its candidates, as the judge leaves them: those that count."""
    by_id = {ruling.violation.id: ruling for ruling in rulings}
    left = []
    for one in found:
        ruling = by_id.get(one.id)
        if ruling is not None and ruling.outcome == "cleared":
            continue
        after = ruling.violation if ruling is not None else one
        if after.confidence >= THRESHOLD:
            left.append(after)
    return left
