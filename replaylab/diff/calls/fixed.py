"""What a description calls fixed, in whatever words: by the names of fields, of all that it describes, of the rest."""

from __future__ import annotations

import re
from functools import lru_cache

from replaylab.diff.contract.told import sentences_in
from replaylab.diff.words.identity import stem, stems, words

_END = r"(?=\W*$|\s*[,:]|\s+(?:in|during|for|throughout|over|within)\b)"
_CONSTANT = re.compile(
    r"\bnever changes?\b|\b(?:do(?:es)?|can|will) ?not (?:ever )?change\b|\b(?:is|are|was|were) never (?:changed|altered|touched)\b|"
    r"\bfixed\b|\bimmutable\b|\bstands? still\b|"
    r"\bstays? (?:as (?:it|they) (?:is|are|was|were)|the same|unchanged)\b|"
    r"(?:\b(?:is|are|stays?|remains?)|:|^)\s*constant\s*$",
    re.IGNORECASE,
)
_WHOLLY = re.compile(
    r"^\W*(?:(?:it|they|all of (?:it|them)|everything(?: here)?) )?(?:never changes?|do(?:es)? not change|stands? still)\b"
    rf"|^\W*(?:(?:it|they|all of (?:it|them)|everything(?: here)?) (?:is|are|stays?|remains?) )?(?:fixed|constant|immutable){_END}",
    re.IGNORECASE,
)
_NOTHING = re.compile(
    rf"^\W*(?:nothing|none|no (?:field|value|part|entry|column))(?: here)?(?: (?:of|about|in) (?:\w+ )?\w+)?(?: here| ever)* changes?{_END}",
    re.IGNORECASE,
)
_OF_THE_REST = re.compile(
    r"^\W*(?:and |but )?(?:the |all |any )*(?:rest|others?|(?:everything|all|anything) else|(?:other|remaining) (?:field|value|column|part|figure|number)s?)"
    r"(?: (?:of|about|in) (?:\w+ )?\w+)?"
    rf"(?: never changes?\b| do(?:es)? not change\b| (?:is|are) never (?:changed|altered|touched)\b"
    rf"| (?:is|are|stays?|remains?) (?:\w+ )?(?:fixed|constant|immutable|unchanged|the same|as (?:it|they) (?:is|are|was|were))\b"
    rf"| (?:stays?|stand still|stands still|remains?){_END})"
    rf"|^\W*(?:and |but )?nothing else(?: (?:of|about|in) (?:\w+ )?\w+)?(?: ever)? changes?{_END}"
    rf"|^\W*(?:fixed otherwise|otherwise (?:fixed|constant|nothing changes)){_END}",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"^\W*only (?P<what>[\w, -]+?) (?:ever |can |may |does |do )*changes?{_END}", re.IGNORECASE
)
_REST = stems("never change changes the rest everything else all other others is are constant")
_CHANGING = stems(
    "change changes grow grows shrink fall falls rise rises become becomes add adds set sets holds only until once goes moves makes fewer less get emptied removed taken cleared "
    "follow follows shrinks"
)
_TURNING = stems("turn turns while when after before then pending yet")  # and by these, what the rest is not
_ASIDE = re.compile(r"\([^()]*\)")
_PARTS = re.compile(r",\s+(?:and|but)\s+")


@lru_cache(maxsize=4096)
def never_changes(description: str, field: str, fields: frozenset[str] = frozenset()) -> bool:
    """Whether a description says that this field never changes: by its name, of the rest, or of all that it describes; or that
    others alone change, where `fields` are those of the thing.
    """
    wanted = frozenset(stem(word) for word in words(field))
    sentences = sentences_in(_ASIDE.sub(" ", description))
    told = [one for one in sentences if _speaks_of(one, field, wanted)]
    if any(map(_NOTHING.search, sentences)) or any(_is_fixed_by_name(one, field, wanted) for one in told):
        return True
    changing = any(_says_that_it_changes(one, wanted) for one in told)
    if changing:
        return False
    if any(stems(one) <= _REST or _WHOLLY.search(one) for one in sentences if _says_fixed(one)):
        return True
    others = [one for sentence in sentences for one in _parts(sentence) if _OF_THE_REST.search(one)]
    if others:
        return not any(_stands_before(one, wanted, _TURNING) for one in told)
    alone = next((_names_in(found["what"]) for one in sentences if (found := _ALONE.match(one))), None)
    return alone is not None and alone <= fields and field.casefold() not in alone


def _names_in(listed: str) -> frozenset[str]:
    names = (one.strip().removeprefix("the ") for one in re.split(r",| and | or ", listed.casefold()))
    return frozenset(names) - {""}


def _parts(sentence: str) -> list[str]:
    return [sentence, *_PARTS.split(sentence)]


def _says_fixed(sentence: str) -> bool:
    return bool(_CONSTANT.search(sentence) or _WHOLLY.search(sentence))


def _speaks_of(sentence: str, field: str, wanted: frozenset[str]) -> bool:
    """Whether a sentence has a field's name, or its words: what `crew_needed` is, is not said of `crew`."""
    if not wanted:
        return False
    said = re.findall(r"\w+", sentence)
    if field.casefold() in (one.casefold() for one in said):
        return True
    plain = (one for one in said if "_" not in one and one[1:] in (one[1:].lower(), one[1:].upper()))
    return wanted <= stems(" ".join(plain))


def _is_fixed_by_name(sentence: str, field: str, wanted: frozenset[str]) -> bool:
    """Whether a sentence says of a field that it is fixed, and not only of the rest."""
    own = ", and ".join(one for one in _PARTS.split(sentence) if not _OF_THE_REST.search(one))
    return bool(_CONSTANT.search(own)) and _speaks_of(own, field, wanted)


def _says_that_it_changes(sentence: str, field: frozenset[str]) -> bool:
    """Whether the first word for a change stands behind the field, in the sentence or in a part of it."""
    return any(_stands_before(one, field, _CHANGING) for one in _parts(sentence))


def _stands_before(text: str, field: frozenset[str], telling: frozenset[str]) -> bool:
    """Whether a field stands before the first of these words."""
    said = [stem(word) for word in words(text)]
    found = [at for at, word in enumerate(said) if word in telling - field]
    return bool(found) and field <= frozenset(said[: found[0]])
