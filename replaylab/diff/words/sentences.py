"""The sentences of a contract, each with a pointer: what may license a rejection, and the errors it spells out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from replaylab.diff.words.identity import stems, words
from replaylab.diff.words.lexicon import OPEN_CLAUSE, OWN_TASK, PLACEHOLDER_ERRORS, PRESCRIBING, RULE_WORDS
from replaylab.diff.words.observed import texts
from replaylab.schema.scenario import Environment

_LINES = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*#|>]|\d+[.)]\s))")  # a line that goes on is not the next one
_HEADING = re.compile(r"^[ \t]*#{1,6} .*$", re.MULTILINE)
_SPLIT = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`*\"(])")
_FENCE = re.compile(r"```.*?```", re.DOTALL)
_ERROR = re.compile(
    r"\{+[^{}]*[\"'](?:error|message|reason|status|detail)[\"']\s*:\s*(?:\"([^\"{}]+)\"|'([^'{}]+)')[^{}]*\}+"
)
_NAME = re.compile(r"'[^']+'|\"[^\"]+\"|\[[^\]]+\]|<[^>]+>|‘[^’]+’|“[^”]+”")
_LEAST_WORDS = 4
_LONGEST = 400


def unnamed(text: str) -> str:
    """A text without the names in quotes or brackets, which stand for any other; the text itself where nothing is left."""
    bare = _NAME.sub(" ", text)
    return bare if stems(bare) else text


class Sentence(NamedTuple):
    """A sentence of the contract. `tool` is the tool that it belongs to, "" where it is about all."""

    text: str
    pointer: str
    tool: str = ""

    @property
    def stems(self) -> frozenset[str]:
        """Its words; those by which a prompt speaks of the simulator's own task say nothing of the environment."""
        return stems(self.text) - OWN_TASK if self.pointer == "/system_prompt" else stems(self.text)


class LiteralError(NamedTuple):
    """An error that the contract spells out word for word, but for the name in it: "Room 'A-1' is taken"."""

    text: str
    pointer: str

    @property
    def stems(self) -> frozenset[str]:
        return stems(unnamed(self.text))


def sentences_of(environment: Environment) -> tuple[Sentence, ...]:
    """Every sentence of prompt, tool and parameter descriptions, state description, and texts of the state."""
    return tuple(one for one in _all(environment) if len(words(one.text)) >= _LEAST_WORDS)


def _all(environment: Environment) -> Iterator[Sentence]:
    # What stands in a fence is an example or a copy, and its ids are nobody's.
    prompt = _FENCE.sub("\n", environment.system_prompt)
    yield from (Sentence(part, "/system_prompt") for part in split(prompt))
    for number, tool in enumerate(environment.tools):
        where = f"/tools/{number}"
        yield from (Sentence(part, f"{where}/description", tool.name) for part in split(tool.description))
        for pointer, text in texts(tool.parameters):
            yield from (Sentence(part, f"{where}/parameters{pointer}", tool.name) for part in split(text))
    for pointer, text in texts(environment.state_description):
        yield from (Sentence(part, f"/state_description{pointer}") for part in split(text))
    for pointer, text in texts(environment.initial_state):
        yield from (Sentence(part, f"/initial_state{pointer}") for part in split(text))


def split(text: str) -> list[str]:
    """The sentences of a text, a list's bullets taken off; of a bullet with several, the whole as well."""
    found = []
    for line in _LINES.split(_HEADING.sub("\n\n", text)):  # a heading says nothing by itself
        whole = " ".join(line.split()).strip(" -*#>")
        parts = [part.strip(" -*#>") for part in _SPLIT.split(whole)]
        found += parts if len(parts) == 1 or len(whole) > _LONGEST else [*parts, whole]
    return [part for part in found if part]


def literal_errors(environment: Environment) -> tuple[LiteralError, ...]:
    """The error texts that prompt and tool descriptions spell out; a placeholder such as "Reason for failure" is none."""
    found = [(match[1] or match[2], "/system_prompt") for match in _ERROR.finditer(environment.system_prompt)]
    for number, tool in enumerate(environment.tools):
        where = f"/tools/{number}"
        found += [
            (match[1] or match[2], f"{where}/description") for match in _ERROR.finditer(tool.description)
        ]
        example = tool.example_output if isinstance(tool.example_output, dict) else {}
        found += [
            (text, f"{where}/example_output/{key}")
            for key, text in example.items()
            if _says_failure(key, text)
        ]
    return tuple(
        LiteralError(text, pointer)
        for text, pointer in dict.fromkeys(found)
        if not stems(text) <= PLACEHOLDER_ERRORS
    )


def _says_failure(key: str, text: object) -> bool:
    return isinstance(text, str) and "error" in key.casefold() and len(words(text)) > 1


def open_clause(sentences: tuple[Sentence, ...]) -> Sentence | None:
    """The sentence that allows realism in general, such as "align with standard logistics practice"; it proves nothing."""
    return next(
        (one for one in sentences if one.pointer == "/system_prompt" and one.stems & OPEN_CLAUSE), None
    )


def prescribes(sentence: Sentence) -> bool:
    """Whether a sentence says what must or can't be. One that only says what something is lays down nothing."""
    return bool(sentence.stems & (RULE_WORDS | PRESCRIBING))
