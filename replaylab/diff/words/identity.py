"""When two names mean one thing. Known ids are compared after normalising and never by likeness.

Benchmarks hold near-duplicates on purpose (UP-740 and UP-7400), so likeness only ever names a finding.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from difflib import SequenceMatcher
from functools import lru_cache

from replaylab.schema.base import Json

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_RUN = re.compile(r"[^\W\d_]+|\d+")
_ID_TOKEN = re.compile(
    r"(?<![\w-])[A-Za-z0-9]+(?:[-_.:/#][A-Za-z0-9]+)+(?![\w-])|(?<![\w-])[A-Za-z]{1,6}\d[\w-]*"
)
_NEAR = 0.8
_SIGNS = ("+", "-", "#", "*")
_SIGN = re.compile(r"(?<=\w)(?:\++|-+|#|\*+)$")
_NEGATIVE = re.compile(r"[-\u2212]\d[\d.,]*")
_GAP = re.compile(r"[\W_]+")
# What no ending tells: many of them are called otherwise than one.
_SINGULAR = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "criteria": "criterion",
    "indices": "index",
    "vertices": "vertex",
    "matrices": "matrix",
    "analyses": "analysis",
    "diagnoses": "diagnosis",
    "shelves": "shelf",
}


@lru_cache(maxsize=65536)
def name_key(text: str) -> str:
    """The form in which ids are compared: letters and digits alone, without case. "tr-101" and "TR_101" are one.

    Signs at the end are a part of it, and so is the sign of a number: "A+" and "A-" are two, "C" and "C#", 1 and -1.
    """
    plain = unicodedata.normalize("NFKC", text).casefold()
    sign = _SIGN.search(plain) if plain[-1:] in _SIGNS else None
    minus = "-" if plain[:1] in "-\u2212" and _NEGATIVE.fullmatch(plain) else ""
    letters = "".join(char for char in plain if char.isalnum())
    if not letters:  # a picture can be a name, and a dash can't
        return "".join(char for char in plain if unicodedata.category(char) == "So")
    return minus + letters + (sign[0] if sign else "")


def key_of(value: Json) -> str:
    """The key of a text or a whole number; "" for what can't be a name."""
    if isinstance(value, bool) or value is None or isinstance(value, (dict, list)):
        return ""
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else ""
    return name_key(str(value))


@lru_cache(maxsize=65536)
def words(text: str) -> tuple[str, ...]:
    """The words of a name or a sentence, small: `exam_rooms`, `examRooms` and "Exam Rooms" give the same two. Letters beyond
    ASCII make one word with those beside them, in any script.
    """
    plain = unicodedata.normalize("NFKC", text)
    if plain.isascii():
        return tuple(found[0].casefold() for found in _WORD.finditer(plain))
    runs = (found[0] for found in _RUN.finditer(plain))
    return tuple(part.casefold() for run in runs for part in (_WORD.findall(run) if run.isascii() else [run]))


def last_word(text: str) -> str:
    """The last word of a name, which says what sort of field it is; "" where a name has no words, such as "#"."""
    return words(text)[-1] if words(text) else ""


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A word without the endings that a count or a tense gives it. Crude on purpose; it never decides on ids."""
    word = _SINGULAR.get(word, word)
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x")):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            return word[: -len(ending)] + instead
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 2:
        word = word[:-1]
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) > len(ending) + 3:
            word = word[: -len(ending)]
            return word[:-1] if word[-1] == word[-2] and word[-1] not in "lsz" else word.removesuffix("e")
    return word.removesuffix("e") if len(word) > 4 else word


@lru_cache(maxsize=65536)
def stems(text: str) -> frozenset[str]:
    """The stems of all words of a text, numbers left out."""
    return frozenset(stem(word) for word in words(text) if not word.isdigit())


def ids_in(text: str) -> list[str]:
    """What looks like an id in a sentence: letters and digits mixed, or parts joined by - _ . : / #."""
    return [
        found[0]
        for found in _ID_TOKEN.finditer(text)
        if any(char.isdigit() for char in found[0]) or "_" in found[0]
    ]


def names_whole(text: str, name: str) -> bool:
    """Whether a text names this and no longer name: "Room 2 (vacant)" names "Room 2"; "Room 2-B" and "Room 21" don't."""
    if (
        not name or name.casefold() not in text.casefold()
    ):  # most are not there at all, and a pattern costs more
        return False
    pattern = rf"(?<![\w-]){re.escape(name)}(?![\w-]|\.\d|[+#](?!\w))"
    return re.search(pattern, text, re.IGNORECASE) is not None


@lru_cache(maxsize=65536)
def says(text: str, part: str) -> bool:
    """Whether a text has a part in it, in any letter case and whatever stands between its words; "an" is not in "Petra Nowak"."""
    told, wanted = (
        _GAP.sub(" ", unicodedata.normalize("NFKC", one).casefold()).strip() for one in (text, part)
    )
    return bool(wanted) and wanted in told


def family(text: str) -> tuple[str, ...]:
    """What ids of one series share: the words, with # for each number. "TR-101" and "tr_7" are of one family."""
    return tuple("#" if word.isdigit() else word for word in words(text))


def is_sibling(one: str, other: str) -> bool:
    """Whether two ids differ in one part alone, or only in their numbers."""
    left, right = words(one), words(other)
    if len(left) != len(right) or not left:
        return False
    apart = [pair for pair in zip(left, right, strict=True) if pair[0] != pair[1]]
    return (len(apart) == 1 < len(left)) or (
        bool(apart) and all(a.isdigit() and b.isdigit() for a, b in apart)
    )


def is_near(one: str, other: str) -> bool:
    """Whether two ids could be taken for one another: a letter or two apart."""
    left, right = name_key(one), name_key(other)
    return left != right and _is_alike(left, right)


@lru_cache(maxsize=65536)
def _is_alike(left: str, right: str) -> bool:
    match = SequenceMatcher(None, left, right, autojunk=False)
    # The first two are upper bounds of the third, and cheap.
    return match.real_quick_ratio() >= _NEAR and match.quick_ratio() >= _NEAR and match.ratio() >= _NEAR


def closest(text: str, others: Iterable[str]) -> str:
    """The name that is most like `text`, for a message; "" where there is none."""
    ranked = [
        (SequenceMatcher(None, name_key(text), name_key(one), autojunk=False).ratio(), one) for one in others
    ]
    return max(ranked, key=lambda pair: pair[0], default=(0.0, ""))[1]
