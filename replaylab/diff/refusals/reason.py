"""What a refusal gives as its reason, word by word, and where each word comes from."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cached_property

from replaylab.checks.prose import quantities
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import Refusal
from replaylab.diff.calls.undone import without_denial
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.refusals.allowances import loose_allowances
from replaylab.diff.refusals.figures import Figures, days_told, is_days_off, is_time_known, known_times
from replaylab.diff.refusals.given import rows_of
from replaylab.diff.refusals.ledger import remaining
from replaylab.diff.refusals.quotas import loose_quotas, loose_spans
from replaylab.diff.words.clock import clocks, is_elapsed
from replaylab.diff.words.hours import slot_times
from replaylab.diff.words.identity import ids_in, key_of, name_key, names_whole, stems, words
from replaylab.diff.words.lexicon import (
    ELAPSED,
    NEED_WORDS,
    OPPOSITES,
    PASSING,
    REFUSAL_WORDS,
    REST_WORDS,
    RULE_WORDS,
    RUNS_OUT,
)
from replaylab.diff.words.observed import leaves, texts, words_of
from replaylab.diff.words.sentences import split
from replaylab.diff.words.stated import Figure, caps, figures, gaps_in, numbers_in, rates, times, times_in
from replaylab.schema.base import Json

_WHICH = re.compile(r",? (?:which|that) [^,;.]*")
_THRESHOLD = re.compile(
    r"%|\bper ?cent|\bat (?:least|most)\b|\bor (?:more|less)\b|\b(?:min|max)imum\b", re.IGNORECASE
)
# What a tool may say of any call; the others among the words of rules say what it is about: a movement authority.
_OBLIGING = stems("must require requirement only need necessary unless allowed prohibited mandatory")
_PAIR = 2
_CONDITION = re.compile(
    r"\b(?:once|until(?! (?:[\w-]+ )?\d)|unless|only (?:after|when|if|once)|not before|as long as)\b",
    re.IGNORECASE,
)
_SHORT = 3  # a value this long may stand in any text
# What comes of it: that the thing can't be moved, that no movement is possible there.
_OUTCOME = re.compile(
    r"\b(?:can't|cannot|can not|may not|must not|won't|will not) be \w+"
    r"|\b(?:no|nothing|none|not an?y?)(?: [\w-]+){0,2} (?:is|are|can be|could be|will be|was) (?:possible|feasible|practicable|made|done|carried out|executed|performed)"
    r"|\b(?:so|hence|thus|therefore|and|;|,) (?:it|this|that|the [\w-]+|[\w-]+ing)(?: [\w-]+)? (?:is|are) (?:impossible|not possible|out of the question|not feasible|infeasible)\b"
    r"|\b(?:it|that|this|[\w-]+) (?:cannot|can't|can not|won't|will not|does not|doesn't) (?:work|run|proceed|go ahead|continue|start|happen)(?: (?:without|with|until|unless) (?:it|that|this|one|them))?\b",
    re.IGNORECASE,
)


class Reason:
    """The reason of one refusal against the contract of its call."""

    def __init__(self, look: Look, refusal: Refusal) -> None:
        self.look, self.refusal, self.text = look, refusal, refusal.text

    @cached_property
    def subjects(self) -> list[tuple[Collection, Entity]]:
        """The members that the arguments name, and those that the reason names."""
        step = self.look.step
        named = {name_key(name) for name in ids_in(self.text)} | step.named
        text = name_key(self.text)
        return [
            (collection, entity)
            for collection in self.look.contract.collections
            for entity in collection.entities
            if entity.aliases & named or step.mentions(entity) or (len(entity.key) > 4 and entity.key in text)
        ]

    @cached_property
    def _seen(self) -> list[Step]:
        return [step for step in self.look.world.steps if not step.refused]

    @cached_property
    def _nodes(self) -> list[Json]:
        return [self.look.step.arguments, *(entity.facts for _, entity in self.subjects), *self.alone]

    @property
    def _measured(self) -> list[Json]:
        """The numbers that the answer shows under names of their own: what it has measured, and no bound."""
        shown = self.look.step.observation
        values = shown.values() if isinstance(shown, dict) else ()
        return [one for one in values if isinstance(one, (int, float)) and not isinstance(one, bool)]

    @cached_property
    def alone(self) -> list[Json]:
        """What stands alone in the state: its plain fields and its single records."""
        alone = [one for one in self.look.contract.collections if one.shape == "single"]
        return [
            {key: value for key, value in entity.attributes.items() if not isinstance(value, (dict, list))}
            for one in alone
            for entity in one.entities
        ]

    @cached_property
    def quoted_fields(self) -> list[str]:
        """The plain fields that stand alone in the state, whose very text the reason repeats."""
        return [
            field
            for node in self.alone
            for field, value in (node.items() if isinstance(node, dict) else ())
            if isinstance(value, str) and len(value) > _SHORT and names_whole(self.text, value)
        ]

    @cached_property
    def context(self) -> frozenset[str]:
        """The words of the call itself. They say what it is about and are no cause."""
        tool, arguments = self.look.step.tool, self.look.step.arguments
        return (
            stems(tool.name)
            | words_of(arguments)
            | frozenset().union(*(stems(e.id) for _, e in self.subjects))
        )

    @cached_property
    def cause(self) -> frozenset[str]:
        """The words that carry the reason: neither those of any refusal nor those of the call."""
        known = self._told_of_time if is_elapsed(self.text) and not self.needs_a_clock else frozenset()
        given = REFUSAL_WORDS | self.context | RULE_WORDS | known
        return stems(_grounds(self.text)) - given or stems(self.text) - given

    @cached_property
    def _told_of_time(self) -> frozenset[str]:
        """The words by which time passes that a contract bears out: all of them, where it speaks of what runs out."""
        told = self.look.contract.state_words.union(*(one.stems for one in self.look.contract.sentences))
        return PASSING if stems(self.text) & PASSING & RUNS_OUT <= told else PASSING - RUNS_OUT

    @cached_property
    def _referred(self) -> list[Json]:
        """What the state says of the things that the subjects refer to: the officer's grade, the type's documents."""
        values = {key_of(value) for _, entity in self.subjects for value in entity.facts.values()}
        named = values - {""} - {alias for _, entity in self.subjects for alias in entity.aliases}
        return [
            entity.facts
            for one in self.look.contract.collections
            for entity in one.entities
            if entity.aliases & named
        ]

    @cached_property
    def _made(self) -> list[Json]:
        """What accepted answers have shown of things that the call or the reason names and the state does not have."""
        named = {name_key(name) for name in ids_in(self.text)} | self.look.step.named
        new = {one for one in named if any(map(str.isdigit, one))} - self.look.contract.keys
        return [row for step in self._seen for row in rows_of(step.observation, new)]

    @cached_property
    def of_made(self) -> frozenset[str]:
        """The words of what accepted answers have shown of new things."""
        return frozenset().union(*(words_of(node) | opposites_of(node) for node in self._made))

    @cached_property
    def of_subjects(self) -> frozenset[str]:
        """The words of what the state says of the things that the call is about and of those that these refer to, and of
        what stands alone in it.
        """
        nodes = [*(entity.facts for _, entity in self.subjects), *self._referred, *self.alone]
        return frozenset().union(*(words_of(node) | opposites_of(node) for node in nodes))

    @cached_property
    def of_state(self) -> frozenset[str]:
        """The words of state, state description and earlier observations."""
        return self.look.contract.state_words.union(*(step.words for step in self._seen))

    @cached_property
    def of_tool(self) -> frozenset[str]:
        """The words of the tool's own description and parameters, and the names of the fields that it returns."""
        tool = self.look.step.tool
        returned = frozenset().union(*(stems(pointer) for pointer, _, _ in leaves(tool.example_output)))
        return stems(tool.description) | words_of(tool.parameters) | returned

    @cached_property
    def of_tools(self) -> frozenset[str]:
        """The words of all tools' descriptions."""
        return self.of_tool.union(*(stems(tool.description) for tool in self.look.contract.environment.tools))

    @cached_property
    def lays_down_a_rule(self) -> bool:
        """Whether the words are those of a rule and not of a fact: must, requires, only, policy, approval."""
        given = NEED_WORDS if self.weighs_amounts else frozenset[str]()
        of_tool = (stems(self.look.step.tool.description) & RULE_WORDS) - _OBLIGING
        return bool((stems(self._unquoted) & RULE_WORDS) - self.context - given - of_tool)

    @cached_property
    def sets_a_condition(self) -> bool:
        """Whether it says what has to come first, or to last: once, until, unless."""
        return _CONDITION.search(self.text) is not None

    @cached_property
    def _unquoted(self) -> str:
        """The text without the values of the state that it repeats word for word: a mode "Read-Only" lays down nothing."""
        text = self.text
        for _, value in texts([*self.alone, *(entity.facts for _, entity in self.subjects)]):
            if len(words(value)) > 1 and names_whole(text, value):
                text = re.sub(re.escape(value), " ", text, flags=re.IGNORECASE)
        return text

    @cached_property
    def weighs_amounts(self) -> bool:
        """Whether it holds two known amounts against each other, what is needed and what is there: "needs 300, 250 in stock".
        A share or a least is a threshold, and no amount that a call takes.
        """
        amounts = {one.value for one in self.figures}
        if len(amounts) < _PAIR or _THRESHOLD.search(self.text):
            return False
        return bool(stems(self.text) & NEED_WORDS) and not self.is_loose

    @cached_property
    def figures(self) -> list[Figure]:
        return figures(self.text)

    @cached_property
    def _known(self) -> Figures:
        tool = self.look.step.tool
        spoken = (stems(self.text) | stems(self.text.casefold())) - REFUSAL_WORDS
        own = [self.look.step.arguments, *(entity.facts for _, entity in self.subjects)]
        about = [tool.description, *(str(value) for _, _, value in leaves(tool.parameters))]
        return Figures(
            self.look.contract,
            [*self._nodes, self._measured],
            about,
            [step.numbers for step in self._seen],
            spoken,
            own,
        )

    @cached_property
    def loose_numbers(self) -> list[str]:
        """Numbers and times that come from nowhere."""
        told = known_times(self.look.contract, self._heard)
        told |= slot_times(one.text for one in self.look.contract.sentences if len(split(one.text)) == 1)
        numbers = [
            one.text
            for one in self.figures
            if not self._known.is_grounded(one) and one.value not in self.gaps | self.left
        ]
        loose = [one for one in times(self.text) if not is_time_known(one, told)]
        days = list(days_told(self.look.contract, self.look.step.arguments)) if loose else []
        return numbers + [one for one in loose if not is_days_off(one, times_in(self._heard), days)]

    @cached_property
    def left(self) -> frozenset[Fraction]:
        """What may be left of what the call names, and by how much that falls short of what is known."""
        left = remaining(self.look)
        others = {number for one in (self.look.step.arguments, *self._told) for number in numbers_in(one)}
        return left | {abs(one - other) for one in left for other in others}

    @property
    def _told(self) -> list[str]:
        about = stems(self.look.step.tool.name)
        return [
            one.text
            for one in self.look.contract.sentences
            if one.stems & about and len(split(one.text)) == 1
        ]

    @cached_property
    def gaps(self) -> frozenset[Fraction]:
        """By how much the reason says that a number passes another or falls short of it, where it does: one that it states,
        and another of them or one of what the call is about.
        """
        grounded = [one.value for one in self.figures if self._known.is_grounded(one)]
        others = {*grounded, *(number for one in self._nodes for number in numbers_in(one))}
        apart = {abs(one - other) for one in (*grounded, *numbers_in(self._told)) for other in others}
        return frozenset(one for one in gaps_in(self.text) if one in apart)

    @cached_property
    def state_numbers(self) -> list[str]:
        """Numbers that stand in the state or the arguments, such as a measured value that speaks against the call. Those of the
        call bear nothing out by themselves: they are held against another.
        """
        asked = set(numbers_in(self.look.step.arguments))
        held = any(one.value not in asked for one in self.figures)
        near = Figures(self.look.contract, self._nodes if held else self._nodes[1:], (), ())
        ids = {entity.key for _, entity in self.subjects}
        return [
            one.text
            for one in self.figures
            if abs(one.value) > 1
            and (near.is_near(one.value) or one.value in self.gaps)
            and str(one.value) not in ids
        ]

    @cached_property
    def state_times(self) -> list[str]:
        """Times that the state itself has, such as the hours of business."""
        near = frozenset(times_in([*self.alone, *self._made, *(entity.facts for _, entity in self.subjects)]))
        return [one for one in times(self.text) if is_time_known(one, near)]

    @cached_property
    def tools_to_call(self) -> list[str]:
        """The tools that the reason names whole and that no call has used: "authorize access first"."""
        said, used = stems(self.text), {step.tool.name for step in self.look.world.steps if not step.refused}
        tools = (one.name for one in self.look.contract.environment.tools if one.name not in used)
        return [
            one
            for one in tools
            if len(words(one)) > 1 and stems(one) <= said and one != self.look.step.tool.name
        ]

    @cached_property
    def loose_caps(self) -> list[str]:
        """Limits in words, such as "one per shift", that no sentence of the contract has, and limits of so many in a time
        that neither a sentence nor a field of the state speaks of.
        """
        loose = [one for one in caps(self.text) if not stems(one) <= self.look.contract.caps]
        loose = [one for one in loose if not self._is_what_is_left(one)]
        loose += loose_quotas(self.look.contract, self.text, self._heard)
        loose += loose_allowances(self.look.contract, self.text)
        return loose + [one for one in rates(self.text) if not self._is_told(one)]

    def _is_what_is_left(self, cap: str) -> bool:
        """Whether a limit in words is none, but says how many are left of what the call is about: "only two left"."""
        behind = words(self.text.partition(cap)[2])[:_PAIR]
        known = {*self.left, *(number for one in self._nodes for number in numbers_in(one))}
        return bool(stems(" ".join(behind)) & REST_WORDS) and all(
            one.value in known for one in quantities(cap, words=True)
        )

    @cached_property
    def loose_spans(self) -> list[str]:
        """Spans of time that have passed by no known time. Where calls have moved time, anything may have passed."""
        if self.look.world.time_moved:
            return []
        return loose_spans(self.look.contract, self.text, self._heard)

    @cached_property
    def _heard(self) -> list[Json]:
        """What the call says and is about, and what earlier answers have shown."""
        return [*self._nodes, *(step.observation for step in self._seen)]

    def _is_told(self, rate: str) -> bool:
        """Whether one place of the contract has all of these words with the number: a sentence, or a field by its name."""
        said, contract = stems(rate) - REFUSAL_WORDS, self.look.contract
        fields = leaves(contract.environment.initial_state)
        wanted = {one.value for one in figures(rate)}
        return any(
            said <= one.stems and wanted <= set(numbers_in(one.text)) for one in contract.sentences
        ) or any(said <= stems(key) and wanted <= set(numbers_in(value)) for _, key, value in fields)

    @cached_property
    def needs_a_clock(self) -> bool:
        """Whether it says that time has passed, and neither state nor arguments can tell what time it is.

        What the state itself calls expired needs no clock.
        """
        said = stems(self.text) & ELAPSED
        if said and said <= self.of_subjects:
            return False
        return is_elapsed(self.text) and not any(clocks(self.look.contract.environment))

    @property
    def is_loose(self) -> bool:
        """Whether it rests on something that comes from nowhere: a number, a limit, the time."""
        return bool(self.needs_a_clock or self.loose_numbers or self.loose_caps or self.loose_spans)

    def coverage(self, known: frozenset[str]) -> float:
        """Which part of the cause is among these words; 1 where there are no words to account for."""
        return len(self.cause & known) / len(self.cause) if self.cause else 1.0


def _grounds(text: str) -> str:
    """A reason without what it only adds: that the thing can't be moved, which would be undone. A clause that has the words
    of a rule or a number is no mere addition.
    """
    said = without_denial(text)
    return _OUTCOME.sub(" ", _WHICH.sub(lambda match: match[0] if _lays_down(match[0]) else " ", said))


def _lays_down(clause: str) -> bool:
    return bool(stems(clause) & RULE_WORDS) or any(char.isdigit() for char in clause)


def opposites_of(node: Json) -> frozenset[str]:
    """What follows from the fields that are true or false: `shutter_open` false says that the shutter is closed."""
    found: frozenset[str] = frozenset()
    for _, key, value in leaves(node):
        if isinstance(value, bool) or (isinstance(value, str) and len(value.split()) == 1):
            said = stems(key) if isinstance(value, bool) else stems(value)
            found |= frozenset(OPPOSITES[word] for word in said & OPPOSITES.keys() if value is not True)
    return found
