"""How things come into a collection: by a tool that returns their ids, by nothing at all, or by what nobody calls."""

from __future__ import annotations

import re

from replaylab.checks.numbers import MAX_DIGITS
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.told import told_of
from replaylab.diff.contract.tools import is_write, moves_time
from replaylab.diff.words.identity import family, key_of, stem, stems, words
from replaylab.diff.words.observed import leaves
from replaylab.diff.words.sentences import Sentence, split
from replaylab.schema.scenario import Environment, Tool

_LEAST = 3  # ids by which a collection counts its members
_SPARSE = 3  # so many numbers for each member: they are no count

# What a description says that tells how things change, and so would tell that more of them come.
_SPELLED = re.compile(
    r"\b(?:never|nothing|none|neither|not?|only|else|rest|everything)\b[^.;]{0,200}\b(?:chang\w+|added|moves?|stays?|sold|delivered|"
    r"writes?|fixed)\b|\bfixed\b|\bconstant\b|\b(?:chang\w+|grows?|rises?|falls?|turns?|becomes?)\b[^.;]{0,200}\b(?:by|with|when|once|"
    r"while|until|only)\b|\b(?:stays?|stands? still)\b|\b(?:numbered|numbers?) on\b",
    re.IGNORECASE,
)
_COMING = stems(
    "arrive arrival appear occur spawn generate random incoming emerge join event unexpected trigger enter raise"
)
_COMES = re.compile(
    r"\bcom(?:es?|ing) in\b|\b(?:new|more|further|another|additional) \w+(?: \w+)? (?:is|are|may|might|can|could|will|keeps?|comes?|gets?)\b|"
    r"\b(?:each|every) (?:\w+ )?(?:hour|minute|day|tick|step|turn|shift|morning|night)s?\b[^.;]{0,200}\b(?:new|another|more)\b",
    re.IGNORECASE,
)
# What comes about by what else is done, so that a tool that makes one by itself is not the only way.
_FOLLOWING = stems(
    "alert event log warning violation notification conflict error issue incident finding message history audit"
)
_NOT = re.compile(r"\b(?:no|not|never|nobody|nothing|none|neither|without)\b", re.IGNORECASE)
_ADDED = re.compile(
    r"\b(?:one|more|some|others?|new \w+) (?:\w+ )?(?:is|are|may|gets?|comes?|appears?)\b(?: be)?(?: added| from| in| up|[.,;]|$)|"
    r"\bgrows? (?:only )?by\b|\badds? entries\b",
    re.IGNORECASE,
)


class Arrivals:
    """How the members of each collection come, worked out once. It is not `told` where a prompt leaves it to the simulator."""

    def __init__(self, environment: Environment, sentences: tuple[Sentence, ...], *, told: bool) -> None:
        self._environment, self._sentences, self._told = environment, sentences, told
        self._accounted: dict[str, bool] = {}
        self._makers: dict[str, frozenset[str]] = {}

    def is_accounted_for(self, collection: Collection) -> bool:
        """Whether the contract tells how members come, and does not let them come otherwise."""
        at = collection.pointer
        if at not in self._accounted:
            told = self._told and is_accounted_for(self._environment, collection, self._sentences)
            self._accounted[at] = told
        return self._accounted[at]

    def makers_of(self, collection: Collection) -> frozenset[str]:
        """The tools that return the ids of the members that they make."""
        at = collection.pointer
        if at not in self._makers:
            self._makers[at] = makers_of(self._environment, collection)
        return self._makers[at]


def is_accounted_for(
    environment: Environment, collection: Collection, sentences: tuple[Sentence, ...]
) -> bool:
    """Whether the contract tells how members come, so that nothing else brings them: a tool returns the ids of those that it
    makes, or the description says how such things change. Not where any text lets them come by themselves.
    """
    if not collection.entities or _come_by_themselves(environment, collection, sentences):
        return False
    told = said_of(environment, collection)
    if any(_is_by_tools(environment, one) for one in _added(told)):
        return True
    follows = collection.grows and bool(collection.stems & _FOLLOWING)
    return not follows and bool(makers_of(environment, collection) or _SPELLED.search(told))


def said_of(environment: Environment, collection: Collection) -> str:
    """All that is said of the part of the state that a collection stands in, field by field too."""
    return told_of(environment, "".join(collection.pointer.split("/")[2:3]))


def makers_of(environment: Environment, collection: Collection) -> frozenset[str]:
    """The tools that return the ids of the members that they make: under their name, and not given by the call."""
    return frozenset(one.name for one in environment.tools if is_write(one) and _makes(one, collection))


def _makes(tool: Tool, collection: Collection) -> bool:
    families = {family(name) for name in collection.ids}
    taken = tool.parameters.get("properties", {})
    return any(
        isinstance(value, str)
        and field not in taken
        and (field == collection.key_field or stems(field) & collection.heads)
        and family(value) in families
        and key_of(value) not in collection.keys
        for _, field, value in leaves(tool.example_output)
    )


def numbers_on(collection: Collection) -> tuple[tuple[str, ...], int] | None:
    """The family of its ids and the highest number, where they count the members; None where they don't."""
    families = {family(name) for name in collection.ids}
    numbers = [last_number(name) for name in collection.ids]
    known = [one for one in numbers if one is not None]
    if len(families) != 1 or len(known) < max(_LEAST, len(numbers)) or len(set(known)) < len(known):
        return None
    own = next(iter(families))
    dense = max(known) - min(known) < _SPARSE * len(known)
    return (own, max(known)) if dense and own[-1:] == ("#",) and own.count("#") == 1 else None


def last_number(name: str) -> int | None:
    """The last number in a name."""
    digits = [part for part in words(name) if part.isdigit() and len(part) <= MAX_DIGITS]
    return int(digits[-1]) if digits else None


def _come_by_themselves(
    environment: Environment, collection: Collection, sentences: tuple[Sentence, ...]
) -> bool:
    nouns = collection.heads | collection.stems
    timers = frozenset(one.name for one in environment.tools if moves_time(one))
    acts = [one.name for one in environment.tools if is_write(one) and one.name not in timers]
    coming = (
        one.text
        for one in sentences
        if (one.stems & _COMING or _COMES.search(one.text))
        and (one.stems & nouns or (one.tool in timers and one.pointer.endswith("/description")))
        and one.tool not in acts
        and not any(name in one.text for name in acts)  # what an act brings comes by that
    )
    if any(not _NOT.search(text) for text in coming):
        return True
    added = _added(said_of(environment, collection))
    if any(not _NOT.search(one) and not _is_by_tools(environment, one) for one in added):
        return True
    return any(_is_shown_new(one, collection) for one in environment.tools if moves_time(one))


def _added(told: str) -> list[str]:
    """The sentences of a description that say that more are added."""
    return [part for one in split(told) for part in one.split(";") if _ADDED.search(part)]


def _is_by_tools(environment: Environment, sentence: str) -> bool:
    """Whether a sentence says it of what a tool does: "one is added by each renting", where one rents."""
    verbs = (stem(words(one.name)[0]) for one in environment.tools if is_write(one) and words(one.name))
    return bool(stems(sentence) & frozenset(verbs))


def _is_shown_new(tool: Tool, collection: Collection) -> bool:
    """Whether the example of a tool that moves time shows an id like those of the members which is none of theirs."""
    families = {family(name) for name in collection.ids if any(map(str.isdigit, name))}
    shown = (value for _, _, value in leaves(tool.example_output) if isinstance(value, str))
    return any(family(one) in families and key_of(one) not in collection.keys for one in shown)
