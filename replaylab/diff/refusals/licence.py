"""What may license a refusal: bad arguments, an unknown id, an error of the contract, the state, a rule's text.

Each licence is one function; the first that holds decides. A refusal that none licenses is an invented rule.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from replaylab.catalogue.schemas import BrokenSchema, errors_of
from replaylab.checks.numbers import exact
from replaylab.diff.contract.tools import sound
from replaylab.diff.refusals.bounds import passed_bound
from replaylab.diff.refusals.denial import is_another_sort, is_unknown
from replaylab.diff.refusals.due import due_by
from replaylab.diff.refusals.needs import (
    demands_the_unheard_of,
    unmet_need,
    wants_leave,
    wants_leave_that_nobody_gives,
)
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.unknown import says_unknown
from replaylab.diff.refusals.used_up import has_none_left
from replaylab.diff.words.identity import family, key_of, last_word, names_whole, stems, words
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import (
    ALIKE,
    ARGUMENT_WORDS,
    ID_WORDS,
    LEAVE_WORDS,
    SIGN_WORDS,
)
from replaylab.diff.words.observed import escape, leaves, words_of
from replaylab.diff.words.sentences import Sentence, prescribes
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool
from replaylab.schema.violation import LicenceLevel

# Which part of the words that carry a reason have to be borne out.
_RULE_COVERED = 0.6
_STATE_COVERED = 0.6
_RULE_IN_STATE = 0.9  # where the words are those of a rule
_ELSEWHERE = 0.8  # by state and tool as a whole, and not by what the call is about
_LITERAL_SAID = 0.75
_LITERAL_COVERED = 0.75
_CHOICES = 2  # of an argument, named in a reason
_ALREADY = re.compile(
    r"\balready (?:exists?|in use|taken|used|registered|defined|present)\b|\bduplicate\b", re.IGNORECASE
)
_QUOTED = re.compile(r"['\"‘“]([\w -]{2,40})['\"’”]")


class Licence(NamedTuple):
    """What bears a refusal out: how strongly, where it stands, and its words."""

    level: LicenceLevel
    pointer: str
    quote: str = ""


def licence_for(reason: Reason) -> Licence | None:
    """The first licence that holds, the strongest sort first; None where there is none."""
    return next((licence for rule in LICENCES if (licence := rule(reason))), None)


def bad_arguments(reason: Reason) -> Licence | None:
    """The arguments don't fit the tool's schema, and that is what the reason speaks of."""
    step = reason.look.step
    problem = schema_problem(step.tool, step.arguments)
    if problem and _speaks_of_arguments(reason, problem.names):
        return Licence("explicit", _tool_pointer(reason, "/parameters"), problem.message)
    if any(
        _is_below_zero(value) and (stems(reason.text) & SIGN_WORDS or names_whole(reason.text, str(value)))
        for _, _, value in leaves(step.arguments)
    ):
        return Licence("explicit", _tool_pointer(reason, "/parameters"))
    chosen = other_choice(reason)
    if chosen:
        return Licence("explicit", _tool_pointer(reason, f"/parameters/properties/{escape(chosen)}/enum"))
    blank = [name for name, value in step.arguments.items() if value in ("", [], {}) or value is None]
    if blank and _speaks_of_arguments(reason, tuple(blank)):
        return Licence("explicit", _tool_pointer(reason, f"/parameters/properties/{escape(blank[0])}"))
    missed = left_out_argument(reason)
    return (
        Licence("explicit", _tool_pointer(reason, f"/parameters/properties/{escape(missed)}"))
        if missed
        else None
    )


def other_choice(reason: Reason) -> str:
    """The argument whose value is none of its schema's choices, of which the reason names two: "Choose low or high."; "" where
    none is so.
    """
    step = reason.look.step
    for name, schema in sound(step.tool.parameters).get("properties", {}).items():
        choices = [str(one) for one in schema.get("enum", ())]
        given = step.arguments.get(name)
        if given is None or str(given) in choices:
            continue
        if sum(names_whole(reason.text, one) for one in choices) >= min(_CHOICES, len(choices)) > 0:
            return str(name)
    return ""


def left_out_argument(reason: Reason) -> str:
    """The argument that the reason misses, that was not given, and without which the call does nothing; "" where none is so.

    A schema can't say that one action of several wants it: its description names the action or the need, or both share a
    word; or nothing at all was given.
    """
    step = reason.look.step
    chosen = frozenset().union(
        *(stems(str(part)) for part in step.arguments.values() if isinstance(part, str))
    )
    for name, schema in step.tool.parameters.get("properties", {}).items():
        spoken = names_whole(reason.text, name) or names_whole(reason.text, " ".join(words(name)))
        if name in step.arguments or not spoken or not _LEFT_OUT.search(reason.text):
            continue
        about = str(schema.get("description", "")) if isinstance(schema, dict) else ""
        wanted = bool(_NEEDED.search(about)) or bool(chosen & (stems(name) | stems(about)))
        if (wanted and not _OPTIONAL.search(about)) or not step.arguments:
            return str(name)
    return ""


_LEFT_OUT = re.compile(
    r"\b(?:missing|misses|lacks?|lacking|without|absent|omitted|left out|empty|blank|unset|required|requires?|needs?|needed|mandatory|expects?|"
    r"expected|must be|has to be|have to be|no|not (?:been )?(?:\w+ )?(?:given|provided|supplied|specified|set|passed|sent|received|present)|"
    r"(?:give|provide|specify|supply|pass|include|add|state|name)|nothing)\b|n't (?:given|provided|supplied|specified|set|passed|sent|received|present)\b",
    re.IGNORECASE,
)
_NEEDED = re.compile(r"\b(?:required|mandatory|needed|necessary|must)\b", re.IGNORECASE)
_OPTIONAL = re.compile(
    r"\b(?:optional\w*|may be (?:left out|omitted)|defaults? to|not required)\b", re.IGNORECASE
)


def _is_below_zero(value: Json) -> bool:
    number = exact(value)
    return number is not None and number <= 0


def _speaks_of_arguments(reason: Reason, names: tuple[str, ...]) -> bool:
    """Whether a reason names what is wrong with the arguments, or says that they are wrong."""
    said = stems(reason.text)
    return bool(said & ARGUMENT_WORDS) or any(stems(name) and stems(name) <= said for name in names)


def unknown_id(reason: Reason) -> Licence | None:
    """An argument names something that does not exist, or not of the sort that is wanted, and the reason says so."""
    for pointer, key, value in leaves(reason.look.step.arguments):
        if not key_of(value) or _is_chosen(reason, key) or not _may_name(reason, key, value):
            continue
        unknown = is_unknown(reason.look, value) or is_another_sort(reason.look, key, value)
        named = names_whole(reason.text, str(value)) and not reason.lays_down_a_rule
        if unknown and (says_unknown(reason.text, [str(value)]) or named):
            return Licence("explicit", _tool_pointer(reason, f"/parameters/properties{pointer}"), str(value))
    return None


def _may_name(reason: Reason, argument: str, value: Json) -> bool:
    """Whether an argument names something: by what it is called, or because its value is written like the ids of a collection.
    An amount names nothing.
    """
    schema = reason.look.step.tool.parameters.get("properties", {}).get(argument, {})
    sort = schema.get("type") if isinstance(schema, dict) else None
    if sort in ("number", "integer") and words(argument) and last_word(argument) not in ID_WORDS:
        return False
    if is_reference(argument):
        return True
    text = str(value)
    if text.isdigit() or not any(map(str.isdigit, text)):
        return False
    closed = (one for one in reason.look.contract.collections if one.closedness == "closed")
    return any(family(text) == family(name) for one in closed for name in one.ids)


def _is_chosen(reason: Reason, argument: str) -> bool:
    """Whether an argument is one of a list of choices, and so names nothing."""
    return "enum" in reason.look.step.tool.parameters.get("properties", {}).get(argument, {})


def literal_error(reason: Reason) -> Licence | None:
    """The contract spells this error out, and what it speaks of is there."""
    if reason.is_loose:
        return None
    said = stems(reason.text)
    for error in reason.look.contract.errors:
        wanted = error.stems
        covered = reason.coverage(wanted | reason.of_state | reason.of_tool)
        if wanted and len(wanted & said) / len(wanted) >= _LITERAL_SAID and covered >= _LITERAL_COVERED:
            return Licence("explicit", error.pointer, error.text)
    return None


def state_precondition(reason: Reason) -> Licence | None:
    """The state of the things that the call is about says why, and no word of a rule is needed for it."""
    if reason.is_loose:
        return None
    # How things stand is told by the state, and not what may be done once they stand otherwise.
    if reason.sets_a_condition or wants_leave_that_nobody_gives(reason):
        return None
    wanted = _STATE_COVERED if not reason.lays_down_a_rule else _RULE_IN_STATE
    by_state = reason.coverage(reason.of_subjects | reason.of_made) >= wanted
    by_numbers = bool(reason.state_numbers or reason.state_times) and not reason.lays_down_a_rule
    elsewhere = (
        not reason.lays_down_a_rule and reason.coverage(reason.of_state | reason.of_tools) >= _ELSEWHERE
    )
    if by_state or by_numbers or elsewhere:
        pointer = reason.subjects[0][1].pointer if reason.subjects else "/initial_state"
        return Licence("state", pointer)
    return None


def is_due(reason: Reason) -> Licence | None:
    """A date, a flag or the heads that a call counts bear it out, in whatever words it is said."""
    pointer, quote = due_by(reason)
    return Licence("explicit" if quote else "state", pointer, quote) if pointer else None


def none_left(reason: Reason) -> Licence | None:
    """The reason says that something is used up, and the state has none of it, or nobody knows how much calls have left."""
    entity = has_none_left(reason)
    return Licence("state", entity.pointer) if entity else None


def rule_text(reason: Reason) -> Licence | None:
    """A sentence of the contract has most of the words that carry the reason."""
    if reason.is_loose or not reason.cause or demands_the_unheard_of(reason):
        return None
    best, most = None, 0.0
    # What the state says of the things at hand needs no rule.
    open_words = reason.cause - reason.of_subjects or reason.cause
    for sentence in reason.look.contract.sentences:
        own = sentence.tool in ("", reason.look.step.tool.name, *reason.tools_to_call)
        if (own or _tells_of_field(reason, sentence)) and not _allows(reason, sentence):
            called = stems(sentence.tool) if sentence.tool in reason.tools_to_call else frozenset()
            shared = open_words & (sentence.stems | called)
            covered = len(shared) / len(open_words)
            telling = len(shared) > 1 or (len(open_words) == 1 and _says_as_much(reason, sentence, own=own))
            if covered > most and telling:
                best, most = sentence, covered
    if best is not None and most >= _RULE_COVERED:
        return Licence("explicit", best.pointer, best.text)
    return None


def _says_as_much(reason: Reason, sentence: Sentence, *, own: bool) -> bool:
    """Whether a sentence may be meant by a reason of one telling word. Where that wants somebody's leave, so must it."""
    if wants_leave(reason) and not sentence.stems & LEAVE_WORDS:
        return False
    return not own or prescribes(sentence) or not reason.lays_down_a_rule


def _tells_of_field(reason: Reason, sentence: Sentence) -> bool:
    """Whether a sentence about another tool, which reads it, says what a field of the state is for whose value the reason
    quotes: permissions "to determine if they can modify logs", where the access is Read-Only.
    """
    said = sentence.stems | stems(sentence.tool)
    return bool(sentence.tool) and any(stems(field) <= said for field in reason.quoted_fields)


def _allows(reason: Reason, sentence: Sentence) -> bool:
    """Whether a sentence allows what the reason narrows down: it names everything that the reason quotes, and no "only"."""
    quoted = [frozenset(stems(part)) for part in _QUOTED.findall(reason.text)]
    if "only" not in words(reason.text) or len(quoted) < 2:
        return False
    return all(part <= sentence.stems for part in quoted) and "only" not in words(sentence.text)


def done_before(reason: Reason) -> Licence | None:
    """An earlier call has done it already: it named the same thing, and what the reason says of it is what that call said."""
    if "already" not in words(reason.text) or reason.is_loose:
        return None
    step = reason.look.step
    for one in reason.look.world.writes:
        same_thing = any(
            is_reference(key) and key_of(value) in step.named for _, key, value in leaves(one.arguments)
        )
        alike = one.tool.name == step.tool.name or bool(reason.cause & (one.words | words_of(one.arguments)))
        if same_thing and alike:
            return Licence("state", "", f"{one.tool.name} in call {one.call}")
    return None


def already_so(reason: Reason) -> Licence | None:
    """The call asks for what is so already, in any word for it: "on", where the pump was running before."""
    if not _BEFORE.search(reason.text) or reason.is_loose or reason.lays_down_a_rule:
        return None
    step, look = reason.look.step, reason.look
    for argument, value in step.arguments.items():
        wanted = stems(value) if isinstance(value, str) else frozenset[str]()
        if not wanted or (key_of(value) in look.contract.things and not _is_chosen(reason, argument)):
            continue
        alike = wanted.union(*(one for one in ALIKE if wanted & one))
        said = (reason.cause - _NO_CHANGE) | (stems(reason.text) & alike)
        if not said or (said & alike and not said - alike - reason.of_state - reason.of_tools):
            before = _set_before(reason, argument, value)
            if before is not None:
                return before
    return None


def _set_before(reason: Reason, argument: str, value: Json) -> Licence | None:
    """Where what the call asks for stands: in the last accepted call of the same tool on the same thing, else in the state."""
    step = reason.look.step
    others = {key: part for key, part in step.arguments.items() if is_reference(key) and key != argument}
    for one in reversed(reason.look.world.writes):
        if one.tool.name == step.tool.name and others.items() <= one.arguments.items():
            same = key_of(one.arguments.get(argument)) == key_of(value)
            return Licence("state", "", f"{one.tool.name} in call {one.call}") if same else None
    about = stems(argument) | stems(step.tool.name)
    for node in (*(entity.facts for _, entity in reason.subjects), *reason.alone):
        for pointer, key, part in leaves(node):
            if key_of(part) == key_of(value) and stems(key) & about:
                return Licence("state", f"/initial_state{pointer}", str(part))
    return None


_NO_CHANGE = stems("redundant no-op noop effect unchanged change nothing before request call")
_BEFORE = re.compile(
    r"\balready\b|\bstill\b|\bas before\b|\bunchanged\b|\b(?:was|were|had been|has been|is)\b[^.;]*\bbefore (?:this|the|that|your) \w+"
    r"|\b(?:no|nothing) (?:\w+ )?(?:to change|to do|change|changes|effect|changed|needed)\b|\bhad no effect\b|\b(?:redundant|no-?op)\b",
    re.IGNORECASE,
)


def already_there(reason: Reason) -> Licence | None:
    """What the call would make is there already: the contract or an earlier call has that name."""
    if not _ALREADY.search(reason.text):
        return None
    for _, _, value in leaves(reason.look.step.arguments):
        known = reason.look.contract.universe.known(key_of(value))
        if names_whole(reason.text, str(value)) and (known or key_of(value) in reason.look.world.created):
            return Licence("state", known.pointer if known else "", str(value))
    return None


def past_a_bound(reason: Reason) -> Licence | None:
    """A number of the call passes a bound that was told, under whatever name, and the reason names that bound."""
    bound = passed_bound(reason)
    return Licence("explicit", bound.pointer, bound.quote) if bound else None


def lacks_what_it_needs(reason: Reason) -> Licence | None:
    """It demands what the state has a field for, and that field says that it is not there."""
    pointer = unmet_need(reason)
    return Licence("state", pointer) if pointer else None


LICENCES: tuple[Callable[[Reason], Licence | None], ...] = (
    bad_arguments,
    unknown_id,
    already_there,
    done_before,
    already_so,
    literal_error,
    past_a_bound,
    lacks_what_it_needs,
    is_due,
    state_precondition,
    none_left,
    rule_text,
)


class Problem(NamedTuple):
    """What a schema has against arguments. `names` are the arguments that it speaks of."""

    message: str
    names: tuple[str, ...]


def schema_problem(tool: Tool, arguments: JsonObject) -> Problem | None:
    """The first problem of arguments; None where they fit, or where the schema itself is broken."""
    try:
        errors = errors_of(tool.parameters, arguments)
    except BrokenSchema:
        return None
    if not errors:
        return None
    error = errors[0]
    missing = [name for name in tool.parameters.get("required", ()) if name not in arguments]
    return Problem(error.message, (*map(str, error.absolute_path), *missing))


def _tool_pointer(reason: Reason, below: str) -> str:
    tools = reason.look.contract.environment.tools
    number = next(
        (number for number, tool in enumerate(tools) if tool.name == reason.look.step.tool.name), None
    )
    return f"/tools/{number}{below}" if number is not None else "/tools"
