"""What the contract says that a call changes besides the thing that it is made on: "Returning a book serves the first hold", said of holds
that wait for the very book that is returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.tools import verb_of
from replaylab.diff.words.identity import name_key, names_whole, stem, stems, words
from replaylab.diff.words.observed import texts
from replaylab.diff.words.sentences import Sentence
from replaylab.schema.scenario import Tool

_LEAST, _LONGEST = 2, 3  # letters of an id by which a sentence names a thing, and words that it may have
_NEAR, _BEGINNING = 3, 3  # words
_WHEN = re.compile(r"\b(?:when|once|after|whenever|whoever|if|as soon as|with)\b", re.IGNORECASE)
_RULE = re.compile(
    r"\b(?:must|only|can|can't|cannot|may|needs?|refused?|rejected|fails?|unless|allowed|error)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[\w-]+")
_CHANGES = re.compile(
    r"\b(?:is|are|gets?|becomes?|goes|moves?|makes?|serves?|removes?|deletes?|clears?|empt(?:y|ies|ied)|closes?|releases?|frees?|ends?|"
    r"falls?|rises?|drops?|leaves?|takes?|adds?|lifts?|cancels?|follows?|replaces?)\b",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r"\b(?:remove[sd]?|delete[sd]?|struck|cancel(?:s|led|ed)?|leaves?|end(?:s|ed)?|clear(?:s|ed)?|empt(?:y|ies|ied)|serve[sd]?|close[sd]?|"
    r"release[sd]?|drop(?:s|ped)?|gone|no longer)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:changes? (?:only|with|by|when|through|as|until)|never changes?|only (?:\w+ ){1,4}changes?)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"[.!?]\s+[A-Z]")
_OTHERS = stems("other others later next following rest remaining behind waiting")
_CLAUSE = re.compile(r"[.;]\s+|\bthen\b")


def ripples(
    contract: Contract, tool: Tool, named: frozenset[str], keys: frozenset[str], *, ends: bool = False
) -> frozenset[str]:
    """The keys of the things that a call of this tool may change by what is told of it: those of the sorts that a sentence on the call
    speaks of, and that hang together with what it names or returned; and those that the sentence names itself. With `ends` only
    where it says that something is no more. Where the description of the state tells how things change, it tells of all changes.
    """
    if _tells_changes(contract):
        return frozenset()
    own = frozenset[str]().union(
        *(one.heads | one.stems for key in named for one, _ in contract.things.get(key, ()))
    )
    told = [
        *_told_of(contract, tool.name, verb_of(tool)),
        *(one for one in _naming(contract) if named & one[2]),
    ]
    if ends:  # only of the sorts beside the word that says so
        told = [(said & ending, others, frozenset(), ending) for said, others, _, ending in told if ending]
    sorts = frozenset[str]().union(*(said if others else said - own for said, others, *_ in told))
    ids = frozenset[str]().union(*(ids for _, _, ids, _ in told))
    if not sorts:
        return ids - named
    near = contract.links.leads_to(keys)
    near = near.union(*(contract.links.of.get(key, ()) for key in near))
    spoken = (
        key for key in near for one, _ in contract.things.get(key, ()) if sorts & (one.heads | one.stems)
    )
    return frozenset(spoken) | ids - named


# The sorts that a sentence speaks of, whether of others of a sort, ids, and what stands beside a word for an end.
Told = tuple[frozenset[str], bool, frozenset[str], frozenset[str]]


@lru_cache(maxsize=256)
def _tells_changes(contract: Contract) -> bool:
    return any(_TOLD.search(text) for _, text in texts(contract.environment.state_description))


@lru_cache(maxsize=256)
def _naming(contract: Contract) -> tuple[Told, ...]:
    """The sentences of the prompt that say of things by their ids what becomes of them."""
    return tuple(
        one for one in _read(contract, (one for one in contract.sentences if _is_of_prompt(one))) if one[2]
    )


@lru_cache(maxsize=2048)
def _told_of(contract: Contract, tool: str, verb: str) -> tuple[Told, ...]:
    """The sentences of the prompt that speak of what a tool does, and what its description says after the act itself."""
    prompt = (one for one in contract.sentences if _is_of_prompt(one) and _says_what_follows(one.text, verb))
    description = next((one.description for one in contract.environment.tools if one.name == tool), "")
    after = (Sentence(part, "", tool) for part in _CLAUSE.split(description)[1:] if _CHANGES.search(part))
    return tuple(_read(contract, (*prompt, *after)))


def _says_what_follows(text: str, verb: str) -> bool:
    """Whether a sentence says what an act brings about: it begins with it ("Returning a book …"), or says what is so when it is done, and
    lays down no rule.
    """
    said = words(text)
    begins = any(word.endswith("ing") and stem(word) == verb for word in said[:_BEGINNING])
    return begins or (verb in stems(text) and _WHEN.search(text) is not None and not _RULE.search(text))


def _is_of_prompt(one: Sentence) -> bool:
    several = _SEVERAL.search(one.text) is not None  # a paragraph, of which each sentence is there as well
    return one.pointer.startswith("/system_prompt") and not several and _CHANGES.search(one.text) is not None


def _read(contract: Contract, told: Iterable[Sentence]) -> Iterable[Told]:
    for one in told:
        said = {stem(word) for word in one.text.split()} | one.stems
        others, ends = bool(_OTHERS & said), _beside_an_end(one.text)
        yield contract.sorts & one.stems, others, frozenset(_named_in(contract, one.text)), ends


def _beside_an_end(text: str) -> frozenset[str]:
    """The words around one that says that something is no more."""
    said = _WORD.findall(text)
    places = [at for at, word in enumerate(said) if _ENDS.fullmatch(word)]
    return frozenset(
        stem(word.casefold()) for at in places for word in said[max(0, at - _NEAR) : at + _NEAR + 1]
    )


def _named_in(contract: Contract, text: str) -> Iterator[str]:
    """The keys of the things that a sentence names, by up to three words of it."""
    said = _WORD.findall(text)
    for start in range(len(said)):
        for end in range(start + 1, min(start + _LONGEST, len(said)) + 1):
            key = name_key("".join(said[start:end]))
            for _, entity in contract.things.get(key, ()) if len(key) >= _LEAST and not key.isdigit() else ():
                if names_whole(text, entity.id):
                    yield key
