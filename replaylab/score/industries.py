"""The ten industries: full name, abbreviation, column title, and the order in which tables show them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Industry(NamedTuple):
    """`key` names columns and declared denominators, `title` heads a column."""

    name: str
    key: str
    title: str


INDUSTRIES: tuple[Industry, ...] = (
    Industry("Agriculture & Environment", "agri", "Agri"),
    Industry("Business & Enterprise", "biz", "Biz"),
    Industry("Commerce & Consumer", "comm", "Comm"),
    Industry("Education & Culture", "edu", "Edu"),
    Industry("Healthcare & Life Sciences", "hlth", "Hlth"),
    Industry("Industrial & Engineering", "ind", "Ind"),
    Industry("Public Service & Governance", "pub", "Pub"),
    Industry("Science & Research", "sci", "Sci"),
    Industry("Technology & IT", "tech", "Tech"),
    Industry("Transportation & Logistics", "trans", "Trans"),
)
_BY_NAME = {industry.name: number for number, industry in enumerate(INDUSTRIES)}
_BY_KEY = {industry.key: number for number, industry in enumerate(INDUSTRIES)}


def industry_of(name: str) -> Industry:
    """The industry of that full name or abbreviation; an unknown one is called by its own name throughout."""
    number = _BY_NAME.get(name, _BY_KEY.get(name))
    return Industry(name, name, name) if number is None else INDUSTRIES[number]


def abbreviation(name: str) -> str:
    """agri, biz, … trans; an unknown industry keeps its name."""
    return industry_of(name).key


def title(name: str) -> str:
    """The column title: Agri, Biz, … Trans; an unknown industry keeps its name."""
    return industry_of(name).title


def place(name: str) -> tuple[int, str]:
    """A sort key: the ten in their order, then unknown ones by name."""
    known = industry_of(name)
    return _BY_KEY.get(known.key, len(INDUSTRIES)), known.name


def in_order(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once, in the order of tables."""
    return tuple(sorted(set(names), key=place))
