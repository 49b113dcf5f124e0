"""A sentence of the contract that a refusal repeats with another number in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from replaylab.diff.words.sentences import Sentence

_TOKEN = re.compile(r"(?<![\w.:-])\d+(?:[.,]\d+)*(?![\w-]|[.:]\d)|[^\W\d][\w'-]*|[\w.:-]*\d[\w.:-]*")
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_LEAST_WORDS = 7  # in a row, the number among them, by which a sentence is repeated and not met by chance


def misquoted_sentence(text: str, sentences: Iterable[Sentence]) -> str:
    """The first sentence of which a text repeats a part with another number; "" where it repeats none, or one as it is.

    A number is held against those amid the same words: a part may begin and end anywhere in the sentence.
    """
    said, known = _tokens(text), [(one.text, _tokens(one.text)) for one in sentences]
    for place, word in enumerate(said):
        if not _NUMBER.fullmatch(word):
            continue
        repeated = [
            (sentence, tokens[at])
            for sentence, tokens in known
            for at in _places(tokens)
            if _in_common(said, place, tokens, at) >= _LEAST_WORDS
        ]
        if repeated and all(number != word for _, number in repeated):
            return repeated[0][0]
    return ""


def _tokens(text: str) -> list[str]:
    return _TOKEN.findall(text.casefold().replace("`", ""))


def _places(tokens: list[str]) -> Iterator[int]:
    return (at for at, word in enumerate(tokens) if _NUMBER.fullmatch(word))


def _in_common(said: list[str], place: int, tokens: list[str], at: int) -> int:
    """How many words in a row, around two numbers, are the same; other numbers among them count as the same."""
    back = zip(reversed(said[:place]), reversed(tokens[:at]), strict=False)
    on = zip(said[place + 1 :], tokens[at + 1 :], strict=False)
    return 1 + _alike(back) + _alike(on)


def _alike(pairs: Iterable[tuple[str, str]]) -> int:
    count = 0
    for one, other in pairs:
        if one != other and not (_NUMBER.fullmatch(one) and _NUMBER.fullmatch(other)):
            break
        count += 1
    return count
