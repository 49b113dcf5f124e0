"""Which fields a call may have changed, by what the contract tells of them and of the call's tool.

A description that says how things change ("status changes with lock") tells of all changes; a text that it does not let
change, and that no tool used since speaks of, is what it was. Numbers may follow from others, and where a description says
nothing of changes, anything goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from replaylab.diff.calls.changes import described
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import Record, tells_apart
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.told import sentences_in
from replaylab.diff.contract.tools import moves_time
from replaylab.diff.words.identity import stem, stems, words
from replaylab.diff.words.lexicon import COMMON, ID_WORDS, REMOVE_VERBS
from replaylab.diff.words.observed import leaves, texts, words_of
from replaylab.schema.base import Json
from replaylab.schema.scenario import Tool

_CHANGE = re.compile(
    r"\b(?:changes?|goes|becomes?|made|makes|sets?|falls?|rises?|grows?|shrinks?|moves?|follows?|until|filled|written)\b",
    re.IGNORECASE,
)
_LEAST_WORDS = 3
_PARAGRAPHS = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*|]|\d+[.)]) )")
_FIRST = 3  # words of a paragraph, among which stands what it is about
_REWRITING = stems("rename amend edit update correct rewrite revise replace swap merge convert reset")
_BACK = REMOVE_VERBS | stems("undo revert restore rollback reopen unlock unassign restart")


def may_concern(look: Look, step: Step, collection: Collection, field: str, values: Iterable[Json]) -> bool:
    """Whether a write may have changed a field of a thing that it reaches: its tool speaks of the field, of one of its values,
    or of what the description says that it changes with; or it takes back what was done, or moves time.
    """
    if goes_back(step) or not step.tool.description:
        return True
    about = _about_field(look, collection, field, values)
    return bool(about & _about_tool(look, step.tool) or about & words_of(step.observation))


def goes_back(step: Step) -> bool:
    """Whether a call moves time, or takes back what another has done."""
    return moves_time(step.tool) or bool(stems(step.tool.name) & _BACK)


def tells_changes(look: Look, collection: Collection) -> bool:
    """Whether the description of a part of the state says how some of its fields change."""
    return any(_CHANGE.search(one) for one in sentences_in(described(look.contract, collection)))


def is_left_alone(
    look: Look, collection: Collection, field: str, steps: Iterable[Step], values: Iterable[Json]
) -> bool:
    """Whether none of these writes can have changed a field, as the description tells of changes and not of any of them."""
    known = list(values)
    causes = _causes(look, collection, field)
    if causes is not None:
        return not any(moves_time(step.tool) or _is_cause(step, causes) for step in steps)
    if not all(isinstance(one, str) or one is None for one in known):
        return False  # a number may follow from what was done with other things
    return tells_changes(look, collection) and not any(
        may_concern(look, step, collection, field, known) for step in steps
    )


def _about_field(look: Look, collection: Collection, field: str, values: Iterable[Json]) -> frozenset[str]:
    """The words of a field, of the texts that stand in it, and of the sentences that tell of it."""
    own = stems(field)
    said = frozenset[str]().union(
        *(stems(one) for one in values if isinstance(one, str) and len(words(one)) <= 3)
    )
    told = (
        stems(one)
        for one in sentences_in(described(look.contract, collection))
        if own <= stems(one) and not never_changes(one, field)
    )
    names = collection.stems | collection.heads | frozenset(map(stem, ID_WORDS))
    return (own | said.union(*told)) - COMMON - names


def _about_tool(look: Look, tool: Tool) -> frozenset[str]:
    """The words of a tool: its name, what it says of itself, what it takes and returns, the sentences of the prompt that
    name it, and those that go on about it in a paragraph that begins with it.
    """
    own = stems(tool.name) | stems(tool.description) | words_of(tool.parameters.get("properties", {}))
    own = own.union(*(stems(key) for _, key, _ in leaves(tool.example_output)))
    named = re.compile(rf"\b{re.escape(tool.name)}\b")
    own |= _of_paragraphs(
        look.contract.environment.system_prompt,
        tool.name,
        tuple(one.name for one in look.contract.environment.tools),
    )
    return own.union(*(one.stems for one in look.contract.sentences if named.search(one.text)))


@lru_cache(maxsize=1024)
def _of_paragraphs(prompt: str, tool: str, tools: tuple[str, ...]) -> frozenset[str]:
    """The words of the paragraphs of a prompt whose first words name this tool, and that name no other."""
    told = [
        one
        for one in _PARAGRAPHS.split(prompt)
        if _has_name(" ".join(one.split()[:_FIRST]), tool)
        and not any(_has_name(one, other) for other in tools if other != tool)
    ]
    return stems(" ".join(told))


def _causes(look: Look, collection: Collection, field: str) -> str | None:
    """With what a field changes, in the description's words: what stands behind the word for a change in a sentence that
    begins with the field and names a tool; None where there is no such sentence.
    """
    wanted = [stem(word) for word in words(field)]
    for sentence in sentences_in(described(look.contract, collection)):
        found = _CHANGE.search(sentence)
        before = [stem(word) for word in words(sentence[: found.start()])] if found else []
        if found and before[: len(wanted)] == wanted:
            tail = sentence[found.start() :]
            if any(_has_name(tail, one.name) for one in look.contract.environment.tools):
                return tail
    return None


def _has_name(text: str, tool: str) -> bool:
    """Whether a text names a tool, also as one writes its name: check-in."""
    return re.search(rf"\b{re.escape(tool).replace('_', '[_-]')}\b", text) is not None


def _is_cause(step: Step, causes: str) -> bool:
    """Whether a call is one of the causes, or has to do with what they name."""
    given = frozenset[str]().union(*(stems(text) for _, text in texts(step.arguments)))
    return bool((stems(step.tool.name) | given) & (stems(causes) - COMMON))


def is_own_text(record: Record, field: str, steps: Iterable[Step]) -> bool:
    """Whether a field holds a text that tells the thing from others, such as its title, and no call on it brought a text."""
    first = record.entity.attributes[field]
    if (
        not isinstance(first, str)
        or len(words(first)) < _LEAST_WORDS
        or not tells_apart(record.collection, field)
    ):
        return False
    return not any(record.entity.key in step.keys and _brings_text(step) for step in steps)


def _brings_text(step: Step) -> bool:
    given = any(len(words(text)) > 1 and " " in text for _, text in texts(step.arguments))
    return given or moves_time(step.tool) or bool(stems(step.tool.name) & _REWRITING)
