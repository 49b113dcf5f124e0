"""A sentence of the contract that a refusal repeats with another number in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from replaylab.diff.words.identity import words
from replaylab.diff.words.sentences import Sentence

_NUMBER = re.compile(r"(?<![\w.:-])\d+(?:[.,]\d+)*(?![\w-]|[.:]\d)")
_LEAST_WORDS = 6  # by which a sentence is repeated and not met by chance


def misquoted_sentence(text: str, sentences: Iterable[Sentence]) -> str:
    """The first sentence that a text repeats with other numbers; "" where it repeats none, or one as it is."""
    said, numbers = _without_numbers(text), _NUMBER.findall(text)
    repeated = []
    for sentence in sentences:
        own, bare = _NUMBER.findall(sentence.text), _without_numbers(sentence.text)
        at = said.find(bare) if own and len(words(sentence.text)) >= _LEAST_WORDS else -1
        if at >= 0:
            before = said[:at].count("#")
            repeated.append((sentence.text, numbers[before : before + len(own)] == own))
    return "" if any(right for _, right in repeated) else next((one for one, _ in repeated), "")


def _without_numbers(text: str) -> str:
    return " ".join(_NUMBER.sub("#", text).casefold().replace("`", "").split()).rstrip(".")
