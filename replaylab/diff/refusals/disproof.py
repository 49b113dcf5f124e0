"""What shows that the reason of a refusal does not hold: the call itself, the state, or what was answered before.

A reason may be made of nothing but words of the contract and still be untrue here. Each disproof is one function; the first
that holds decides, and no licence is asked for.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from replaylab.canonical import canonical
from replaylab.checks.numbers import exact
from replaylab.checks.prose import quantities, quantity
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.tools import is_write
from replaylab.diff.refusals.bounds import other_bound
from replaylab.diff.refusals.denial import is_another_sort
from replaylab.diff.refusals.licence import schema_problem
from replaylab.diff.refusals.misquoted import misquoted_sentence
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.reserved import reserved_for
from replaylab.diff.refusals.unknown import says_unknown
from replaylab.diff.refusals.untrue import untrue_part
from replaylab.diff.words.identity import ids_in, key_of, name_key, stem, stems, words
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import ALIKE, ID_WORDS, REFUSAL_WORDS, REMOVE_VERBS
from replaylab.diff.words.observed import leaves, words_of
from replaylab.schema.base import Json


class Disproof(NamedTuple):
    """Why a reason does not hold, and how sure that is."""

    message: str
    confidence: float


def disproof_of(reason: Reason) -> Disproof | None:
    """The first disproof that holds; None where the reason may be true, or the call itself is malformed."""
    if not is_well_formed(reason.look.step):
        return None
    return next((found for rule in DISPROOFS if (found := rule(reason))), None)


def is_well_formed(step: Step) -> bool:
    """Whether the arguments fit the tool's schema, and none is blank."""
    blank = any(value in ("", [], {}) or value is None for value in step.arguments.values())
    return not blank and schema_problem(step.tool, step.arguments) is None


def unknown_arguments(reason: Reason) -> list[str]:
    """The arguments that name something that nobody knows, or a thing of another sort."""
    look = reason.look
    return [
        key
        for _, key, value in leaves(look.step.arguments)
        if is_reference(key)
        and key_of(value)
        and not is_choice(reason, key)
        and exact(value) is None
        and (not _is_sure(reason, key_of(value)) or is_another_sort(look, key, value))
    ]


def _is_sure(reason: Reason, key: str) -> bool:
    """Whether a name is one of the state, of a list of choices, or of an accepted answer; a description proves nothing."""
    look = reason.look
    known = look.contract.universe.places(key)
    return (
        any(one.provenance in _PROVING for one in known)
        or key in look.world.created
        or key in look.world.seen
    )


_PROVING = frozenset({"state", "state_key", "state_text", "enum"})


def is_choice(reason: Reason, argument: str) -> bool:
    """Whether an argument is one of a list of choices."""
    return "enum" in reason.look.step.tool.parameters.get("properties", {}).get(argument, {})


def accepted_before(reason: Reason) -> Disproof | None:
    """The very same reading was accepted before, and nothing was done in between."""
    one = None if is_write(reason.look.step.tool) or may_fail_by_chance(reason) else last_same(reason)
    if one is None:
        return None
    message = f"call {one.call} was the same, it was answered, and nothing was done in between"
    if unknown_arguments(reason) and not _speaks_of_others(reason):
        return Disproof(message, 0.45)  # that answer may have been the wrong one
    return Disproof(message, 0.65 if unknown_arguments(reason) else 0.8)


def last_same(reason: Reason) -> Step | None:
    """The same call as this one, which was accepted and since which nothing was changed; None where there is none."""
    for one in reversed(reason.look.world.steps):
        if not one.refused and is_same(one, reason.look.step):
            return one
        if not one.refused and is_write(one.tool):
            return None
    return None


def is_same(one: Step, other: Step) -> bool:
    """Whether two calls are one and the same."""
    return one.tool.name == other.tool.name and canonical(one.arguments) == canonical(other.arguments)


_CHANCE = re.compile(
    r"\b(?:probab\w+|chance|random\w*|stochastic\w*|intermittent\w*|unreliable|flaky|success rates?)\b",
    re.IGNORECASE,
)
_FAILING = re.compile(r"\b(?:fail\w*|succe\w+|error\w*|refus\w+|reject\w*|unavailab\w*)\b", re.IGNORECASE)


def may_fail_by_chance(reason: Reason) -> bool:
    """Whether the contract lets calls fail by chance, or a field of the state says how often they do."""
    contract = reason.look.contract
    fields = (" ".join(words(key)) for _, key, _ in leaves(contract.environment.initial_state))
    texts = (one.text for one in contract.sentences if one.tool in ("", reason.look.step.tool.name))
    return any(_CHANCE.search(text) and _FAILING.search(text) for text in (*texts, *fields))


def _speaks_of_others(reason: Reason) -> bool:
    """Whether the reason denies a sort of thing that the call names none of: a link, where a sector was asked for."""
    nouns = stems(reason.text) - REFUSAL_WORDS - {stem(word) for word in ID_WORDS}
    about = words_of(reason.look.step.arguments) | stems(reason.look.step.tool.name)
    return says_unknown(reason.text) and bool(nouns) and not nouns & about


def reserved_for_the_unknown(reason: Reason) -> Disproof | None:
    """The contract has this error for names that do not exist, and every name of the call is known."""
    reserved = reserved_for(reason)
    if reserved is None or not reserved.for_unknown or unknown_arguments(reason) or _may_be_gone(reason):
        return None
    return Disproof(
        f"the contract has this error for {_short(reserved.condition)!r}, and the call names nothing unknown",
        0.75,
    )


def _may_be_gone(reason: Reason) -> bool:
    """Whether an earlier write on what this call names may have removed it."""
    named = reason.look.step.named
    return any(one.named & named and stems(one.tool.name) & REMOVE_VERBS for one in reason.look.world.writes)


def reserved_for_the_taken(reason: Reason) -> Disproof | None:
    """The contract has this error for what is taken already, and the call only reads and takes nothing."""
    tool = reason.look.step.tool
    if is_write(tool):
        return None
    reserved = reserved_for(reason)
    if reserved is None or not reserved.for_taken:
        return None
    about = (
        stems(tool.name) | stems(tool.description) | words_of(tool.parameters) | words_of(tool.example_output)
    )
    if about & _OF_VACANCY or stems(reserved.error.text) & reason.of_subjects & _OF_VACANCY:
        return None
    return Disproof(
        f"the contract has this error for {_short(reserved.condition)!r}, and the call only reads", 0.6
    )


_OF_VACANCY = stems(
    "available availability vacant free slot schedule conflict occupied occupancy book booking reserve reservation taken open"
)


def reserved_for_a_state(reason: Reason) -> Disproof | None:
    """The contract has this error for a state that it names, and nothing was ever in it."""
    reserved = reserved_for(reason)
    if reserved is None or not reserved.states:
        return None
    due = stems(reserved.states[-1])
    if due <= reason.of_subjects:
        return None
    ever = reason.of_state.union(*(words_of(one.arguments) for one in reason.look.world.steps))
    ever |= words_of(reason.look.step.arguments)
    condition = f"the contract has this error for {_short(reserved.condition)!r}"
    if last_same(reason) is not None:
        return Disproof(f"{condition}, and the same call was accepted before", 0.6)
    if not reason.subjects or _is_said(due, ever):
        return Disproof(f"{condition}, and what the call names is not in that state", 0.4)
    return Disproof(f"{condition}, and nothing is in that state", 0.55)


def _is_said(own: frozenset[str], said: frozenset[str]) -> bool:
    """Whether words say that something is in a state, also by another word for it."""
    return own <= said or any(own & alike and said & alike for alike in ALIKE)


_MISSING = re.compile(
    r"\b(?:missing|did(?:n't| not) receive|not (?:been )?(?:received|provided|given|supplied|specified)|lacks?|no|without)\b"
    r"[^.;]{0,30}\b(?:parameter|argument|input|field)s?\b"
    r"|\b(?:parameter|argument|input|field)s?\b[^.;]{0,40}\b(?:missing|absent|not (?:been )?(?:received|provided|given|supplied|specified)|required)\b",
    re.IGNORECASE,
)


def missing_but_given(reason: Reason) -> Disproof | None:
    """It misses an argument, and what it can mean was given."""
    if not _MISSING.search(reason.text):
        return None
    arguments = reason.look.step.arguments
    given = {name_key(key) for _, key, _ in leaves(arguments)} | {name_key(key) for key in arguments}
    properties = reason.look.step.tool.parameters.get("properties", {})
    names = [one for one in ids_in(reason.text) if not any(char.isdigit() for char in one)]
    names += [one for one in properties if stems(one) and stems(one) <= stems(reason.text)]
    if any(name_key(one) not in given for one in names):
        return None
    left_out = [one for one in properties if one not in arguments]
    whole = f"{', '.join(sorted(names))} was given" if names else "every argument that is required was given"
    return Disproof(whole, 0.8 if names or not left_out else 0.6)


_INVALID = re.compile(
    r"\b(?:invalid|malformed|incorrect|bad|wrong|unsupported)\W+(?:\w+\W+){0,2}(?:parameter|argument|input|format|value|type)s?\b",
    re.IGNORECASE,
)


def invalid_but_fitting(reason: Reason) -> Disproof | None:
    """It calls the arguments invalid, and each is one of the choices, of its type, or the name of a known thing."""
    if not _INVALID.search(reason.text) or reason.cause or reason.figures or not is_bound(reason):
        return None
    return Disproof("every argument fits its schema and names what is known", 0.6)


def is_bound(reason: Reason) -> bool:
    """Whether nothing about the arguments is left open: each is a choice, yes or no, or the name of a known thing."""
    return not unknown_arguments(reason) and all(
        isinstance(value, bool) or is_choice(reason, key) or (isinstance(value, str) and is_reference(key))
        for _, key, value in leaves(reason.look.step.arguments)
    )


_MUST_BE = re.compile(
    r"\bmust be (?:an? |of type )?(?P<what>positive|negative|non-?negative|non-?zero|integer|whole number|number|numeric|string|boolean"
    r"|(?:greater|more|larger|higher) than (?P<over>-?[\d.,]*\d)|(?:less|lower|smaller) than (?P<under>-?[\d.,]*\d)"
    r"|between (?P<low>-?[\d.,]*\d) and (?P<high>-?[\d.,]*\d))",
    re.IGNORECASE,
)
_KINDS: dict[str, Callable[[Json], bool]] = {
    "positive": lambda value: (number := exact(value)) is not None and number > 0,
    "negative": lambda value: (number := exact(value)) is not None and number < 0,
    "nonnegative": lambda value: (number := exact(value)) is not None and number >= 0,
    "nonzero": lambda value: exact(value) not in (None, 0),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "wholenumber": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: exact(value) is not None and not isinstance(value, str),
    "numeric": lambda value: exact(value) is not None,
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
}


def already_as_it_must_be(reason: Reason) -> Disproof | None:
    """It wants an argument to be what it is: positive, an integer, between two numbers."""
    match = _MUST_BE.search(reason.text)
    if match is None:
        return None
    values = _spoken_of(reason, reason.text[: match.start()])
    if values and all(_is_as(match, value) for value in values):
        return Disproof(f"{', '.join(map(str, values))} is {match['what'].casefold()}", 0.8)
    return None


def _spoken_of(reason: Reason, said: str) -> list[Json]:
    """The plain values of the arguments that a text names; all of them where there is one alone."""
    given = [(key, value) for _, key, value in leaves(reason.look.step.arguments)]
    named = [value for key, value in given if stems(key) and stems(key) <= stems(said)]
    return named or ([value for _, value in given] if len(given) == 1 else [])


def _is_as(match: re.Match[str], value: Json) -> bool:
    if match["over"] or match["under"] or match["low"]:
        number = exact(value)
        over, under, low, high = (_number(match[name]) for name in ("over", "under", "low", "high"))
        return number is not None and (
            (over is None or number > over)
            and (under is None or number < under)
            and (low is None or high is None or low <= number <= high)
        )
    return _KINDS[name_key(match["what"])](value)


def _number(text: str | None) -> Fraction | None:
    return quantity(text) if text else None


_PASSES = re.compile(
    r"\b(?:exceed(?:s|ed|ing)?|(?:is |are )?(?:above|over|(?:greater|more|higher|larger) than))\b(?! or equal)",
    re.IGNORECASE,
)
_FALLS_SHORT = re.compile(
    r"\b(?:is |are )?(?:below|under|(?:less|lower|smaller|fewer) than)\b(?! or equal)", re.IGNORECASE
)


def compared_wrongly(reason: Reason) -> Disproof | None:
    """It says that one number passes another, or falls short of it, and it does not."""
    for pattern, holds in ((_PASSES, operator.gt), (_FALLS_SHORT, operator.lt)):
        for match in pattern.finditer(reason.text):
            before = list(quantities(reason.text[: match.start()]))
            after = list(quantities(reason.text[match.end() :]))
            if len(before) != 1 or len(after) != 1 or before[0].units != after[0].units:
                continue
            if before[0].value in _argument_numbers(reason) and not holds(before[0].value, after[0].value):
                return Disproof(f"{before[0].value} does not: {match[0]} {after[0].value}", 0.75)
    return None


_LIMIT = re.compile(
    r"\b(?:the|an?|its|maximum)\s+(?P<a>\d[\d.,]*)(?:[- ]?\w+)?(?:\s+\w+)?\s+(?:limit|cap|maximum|ceiling)\b"
    r"|\b(?:limit|cap|maximum|ceiling|minimum)\s+(?:of|is)\s+(?P<b>\d[\d.,]*\d|\d)",
    re.IGNORECASE,
)


def limit_out_of_the_call(reason: Reason) -> Disproof | None:
    """The limit that it names is the call's own number: one that no place of the contract has, or one that is only reached."""
    numbers, contract = _argument_numbers(reason), reason.look.contract
    for match in _LIMIT.finditer(reason.text):
        value = quantity((match["a"] or match["b"]).rstrip(".,"))
        if value is None or value not in numbers:
            continue
        elsewhere = contract.number_words.get(value, frozenset()) & (stems(reason.text) - REFUSAL_WORDS)
        if not elsewhere and not _stands_near(reason, value):
            return Disproof(
                f"the limit of {match['a'] or match['b']} is the number of the call itself and stands nowhere",
                0.75,
            )
        if _PASSES.search(reason.text):
            return Disproof(
                f"the call asks for {match['a'] or match['b']}, which reaches the limit and does not pass it",
                0.45,
            )
    return None


def _argument_numbers(reason: Reason) -> frozenset[Fraction]:
    numbers = (
        quantity(value) for _, _, value in leaves(reason.look.step.arguments) if not isinstance(value, bool)
    )
    return frozenset(one for one in numbers if one is not None)


def _stands_near(reason: Reason, value: Fraction) -> bool:
    """Whether what the call names, or an earlier answer, has the number."""
    own = (quantity(part) for _, entity in reason.subjects for _, _, part in leaves(entity.facts))
    return value in own or any(value in step.numbers for step in reason.look.world.steps if not step.refused)


def stands_otherwise(reason: Reason) -> Disproof | None:
    """It says of a thing what the thing is known not to be: locked, where it is a draft."""
    against = untrue_part(reason)
    return Disproof(against, 0.75) if against else None


def misquoted(reason: Reason) -> Disproof | None:
    """It repeats a sentence of the contract word for word, but for a number."""
    sentence = misquoted_sentence(reason.text, reason.look.contract.sentences)
    return Disproof(f"the contract has another number: {_short(sentence)!r}", 0.85) if sentence else None


def bounded_otherwise(reason: Reason) -> Disproof | None:
    """It names another number for a bound that the state or an answer has told."""
    told = other_bound(reason)
    return Disproof(f"the bound that was told is {told.quote}", 0.7) if told else None


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


DISPROOFS: tuple[Callable[[Reason], Disproof | None], ...] = (
    missing_but_given,
    already_as_it_must_be,
    compared_wrongly,
    limit_out_of_the_call,
    misquoted,
    bounded_otherwise,
    stands_otherwise,
    reserved_for_the_unknown,
    reserved_for_the_taken,
    accepted_before,
    reserved_for_a_state,
    invalid_but_fitting,
)
