"""Whether a member must, may or must not appear in a list, given the arguments and the words of the tool. Three-valued."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Literal, NamedTuple

from replaylab.checks.matcher import parse_matcher, same
from replaylab.checks.prose import quantity
from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.contract import Contract
from replaylab.diff.omissions.alone import is_about_one
from replaylab.diff.omissions.arguments import Asked, asked, common_field
from replaylab.diff.omissions.excepted import excepted_words, is_excepted
from replaylab.diff.omissions.flags import Says, day_in, has_word, is_within, today_of
from replaylab.diff.words.identity import key_of, last_word, name_key, stem, stems, words
from replaylab.diff.words.lexicon import (
    ID_WORDS,
    NAME_WORDS,
    PICKING,
    PRESENT,
    SCOPES,
    SPAN_START,
    STATUS_FIELDS,
    STATUS_PREFIXES,
    STRICT_BOUND,
    WHOLE,
    WILDCARDS,
)
from replaylab.diff.words.stated import is_day_of
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

Duty = Literal["must", "may", "must not"]
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d")
_TELLING = 2  # words of an argument by which an id can be known to belong to it
_ORDER: dict[Duty, int] = {"must not": 0, "may": 1, "must": 2}


class Judged(NamedTuple):
    """What a filter says of one member, and why. `certain` is false where words had to be interpreted."""

    duty: Duty
    why: str = ""
    certain: bool = True


class Filter:
    """The filter of one call over one collection."""

    def __init__(
        self,
        contract: Contract,
        binding: Binding,
        tool: Tool,
        arguments: JsonObject,
        shown: Sequence[str] = (),
        unchanged: Sequence[str] = (),
    ) -> None:
        """`shown` are the keys of the members that are shown; `unchanged` of those among them that no call has changed."""
        self._contract = contract
        self._collection, self._shown = binding.collection, frozenset(shown)
        self._is_titled = stems(binding.group.name) == binding.collection.stems or binding.evidence.named >= 1
        self._unchanged = frozenset(unchanged)
        self._rows = len(binding.group.items)
        self.asked: Sequence[Asked] = asked(contract, binding.collection, arguments)
        self.excepted = excepted_words(tool, binding.collection)
        self.picking = [*picking_words(tool, binding.collection), *picked_by_name(binding)]

    def judge(self, entity: Entity) -> Judged:
        """The weakest of what each part says: one `must not` excludes, one `may` leaves it open."""
        parts = [self._argument(one, entity) for one in self.asked]
        parts += [self._picked(word, entity) for word in self.picking]
        parts += [Judged("may", "the tool says that it leaves such ones out")] * is_excepted(
            self.excepted, entity.facts
        )
        decided = min(parts, key=lambda one: _ORDER[one.duty], default=Judged("must"))
        if decided.duty != "must":
            return decided
        why = "; ".join(one.why for one in parts if one.why)
        return Judged("must", why or "nothing filters", all(one.certain for one in parts))

    def _argument(self, one: Asked, entity: Entity) -> Judged:
        if one.means == "nothing":
            return Judged("must")
        if one.means == "member":
            return self._member(one, entity)
        if one.means == "scope":
            why = f"the state does not tell its members apart by {one.argument}, and others are shown"
            return Judged("must" if self._shown else "may", why, certain=False)
        if one.means == "page":
            return self._page(one)
        if one.means == "text":
            said = any(means(one.value, name) for name in (entity.id, *_names(entity)))
            return Judged(
                "must" if said else "may", f"{one.argument} {one.value!r} is in its name", certain=False
            )
        if one.means in ("only", "but", "in days"):
            return self._by_a_word(one, entity)
        if one.means == "unknown":
            return (
                _in_span(one, entity)
                or self._by_id(one, entity)
                or self._of_the_only_one(one, entity)
                or Judged("may", f"what {one.argument} picks is not in the state")
            )
        return self._attribute(one, entity)

    def _by_a_word(self, one: Asked, entity: Entity) -> Judged:
        if one.means != "in days":
            return _flagged(one, has_word(entity, self._collection, frozenset(one.value)))
        today = today_of(self._contract.environment.initial_state)
        return _flagged(one, is_within(day_in(entity.facts.get(one.field)), today, int(one.value)))

    def _attribute(self, one: Asked, entity: Entity) -> Judged:
        value = entity.facts.get(one.field)
        if one.means in ("at least", "at most"):
            return _bounded(one, value)
        if self._is_belied(one):
            return self._by_id(one, entity) or Judged(
                "may", f"{one.field} is not what {one.argument} picks by: others are shown"
            )
        return _turned(equals(one, value)) if one.means == "not" else equals(one, value)

    def _by_id(self, one: Asked, entity: Entity) -> Judged | None:
        """What the ids say of what an argument picks: "light_gamma_9" is of "Cluster Gamma 9", as all that are shown are."""
        wanted = [word for word in words(str(one.value)) if stem(word) not in stems(one.argument)]
        if len(wanted) < _TELLING or not self._shown:
            return None
        ids = {each.key: words(each.id) for each in self._collection.entities}
        shown = [ids[key] for key in self._shown if key in ids]
        if not all(_holds(one, wanted) for one in shown):
            return self._by_a_part(wanted, shown, words(entity.id))
        duty: Duty = "must" if _holds(words(entity.id), wanted) else "must not"
        return Judged(duty, f"its id says whether it is of {one.value!r}", certain=False)

    def _by_a_part(
        self, wanted: Sequence[str], shown: Sequence[Sequence[str]], own: Sequence[str]
    ) -> Judged | None:
        """Whether an id bears what all shown bear of an argument: `Alpha-H2` is of "Edge-Site-Alpha" as `Alpha-H1` is."""
        borne = {word for one in self._collection.entities for word in words(one.id) if not word.isdigit()}
        part = [word for word in wanted if word in borne and len(word) > _TELLING]
        if not part or not all(set(part) <= set(one) for one in shown) or not set(part) <= set(own):
            return None
        return Judged("must", f"its id bears {part[0]!r}, as all that are shown do", certain=False)

    def _of_the_only_one(self, one: Asked, entity: Entity) -> Judged | None:
        """What belongs to the one thing that the whole state is about, as `vehicle_location` says of a vehicle: who stands
        just like all that are shown.
        """
        parts = words(one.argument)
        if (
            len(parts) < _TELLING
            or parts[-1] not in ID_WORDS
            or not is_about_one(self._contract, stem(parts[0]))
        ):
            return None
        if (
            self._is_titled
            and self._collection.shape in ("names", "values")
            and "*" not in self._collection.pointer
        ):
            return Judged("must", f"the state is about one {parts[0]} alone", certain=False)
        standings = [
            _standing(each, self._collection)
            for each in self._collection.entities
            if each.key in self._unchanged
        ]
        own = _standing(entity, self._collection)
        if own and standings and all(each == own for each in standings):
            return Judged("must", f"it stands like all that are shown of the only {parts[0]}", certain=False)
        return None

    def _is_belied(self, one: Asked) -> bool:
        """Whether most of the members that are shown would not pass, by a field that is not called like the argument."""
        if one.means == "not" or stems(one.field) <= stems(one.argument):
            return False
        shown = [each for each in self._collection.entities if each.key in self._shown]
        out = [each for each in shown if equals(one, each.facts.get(one.field)).duty != "must"]
        return len(out) * 2 > len(shown)

    def _picked(self, word: str, entity: Entity) -> Judged:
        """What a word picks; a member that stands just like one that is shown is picked as well."""
        judged = picked(word, entity, self._collection)
        if judged.duty != "may":
            return judged
        standing = _standing(entity, self._collection)
        shown = [each for each in self._collection.entities if each.key in self._unchanged]
        if standing and any(_standing(each, self._collection) == standing for each in shown):
            return Judged("must", f"another that stands like it is shown as {word}", certain=False)
        return judged

    def _member(self, one: Asked, entity: Entity) -> Judged:
        """A member that is named is asked for; a whole that others are shown of instead says where they belong."""
        if self._shown and not self._shown & set(one.value) and stems(one.argument) & SCOPES:
            duty: Duty = "must not" if entity.key in one.value else "must"
            return Judged(duty, f"{one.argument} is what they belong to", certain=False)
        field = self._common(one) if self._shown and not self._shown & set(one.value) else ""
        if field:
            same = key_of(entity.facts.get(field)) in one.value
            return Judged(
                "must" if same else "must not",
                f"{field} is {one.argument}, as of those that are shown",
                certain=False,
            )
        return Judged("must" if entity.key in one.value else "may", f"{one.argument} names it")

    def _common(self, one: Asked) -> str:
        return common_field(
            [each for each in self._collection.entities if each.key in self._shown], one.value
        )

    def _page(self, one: Asked) -> Judged:
        number = quantity(one.value)
        whole = (
            number is not None
            and number >= len(self._collection.entities)
            and number > self._rows
            and name_key(one.argument) != "offset"
        )
        return Judged(
            "must" if whole and name_key(one.argument) != "page" else "may",
            f"{one.argument} may cut the list",
        )


def _in_span(one: Asked, entity: Entity) -> Judged | None:
    """Whether a moment that an argument gives lies in the one span of time that a member has; at its end it may."""
    spans = [
        (field, value)
        for field, value in entity.attributes.items()
        if isinstance(value, dict) and any(stems(key) & SPAN_START for key in value) and len(value) == 2
    ]
    if len(spans) != 1 or not isinstance(one.value, str) or not _MOMENT.match(one.value):
        return None
    field, span = spans[0]
    start, end = sorted(str(part) for part in span.values())
    if not all(_MOMENT.match(part) for part in (start, end)) or one.value == end:
        return None
    inside = start <= one.value < end
    return Judged(
        "must" if inside else "must not", f"{one.argument} is {'' if inside else 'not '}in its {field}"
    )


def _holds(whole: Sequence[str], part: Sequence[str]) -> bool:
    return any(list(whole[at : at + len(part)]) == list(part) for at in range(len(whole)))


def _flagged(one: Asked, says: Says) -> Judged:
    """What a flag makes of what is said of a member."""
    duty: Duty = (
        "may" if says == "perhaps" else "must" if (says == "yes") != (one.means == "but") else "must not"
    )
    return Judged(duty, f"{one.argument} {'picks' if duty == 'must' else 'may not pick'} it", certain=False)


def _turned(judged: Judged) -> Judged:
    """What an argument that denies makes of a member."""
    duty: Duty = {"must": "must not", "must not": "must"}.get(judged.duty, "may")  # type: ignore[assignment]
    return judged._replace(duty=duty)


def _bounded(one: Asked, value: Json) -> Judged:
    key, other = ("ge", "le") if one.means == "at least" else ("le", "ge")
    within = parse_matcher({key: one.value})(value)
    if not within and not parse_matcher({other: one.value})(value):
        return Judged("may", f"{one.field} can't be compared with {one.argument}")
    if within and parse_matcher({other: one.value})(value) and stems(one.argument) & STRICT_BOUND:
        return Judged("may", f"{one.field} is the bound of {one.argument} itself")
    return Judged(
        "must" if within else "must not",
        f"{one.field} is {value!r} and {one.argument} asks for {one.value!r}",
    )


def equals(one: Asked, value: Json) -> Judged:
    """Whether an attribute is what an argument asks for. "NA" is "North America" by its initials, and that is less certain."""
    wanted = one.value if isinstance(one.value, list) else [one.value]
    why = f"{one.field} is {value!r} and {one.argument} asks for {one.value!r}"
    values = value if isinstance(value, list) else [value]
    if value is None or isinstance(value, dict):
        return Judged("may", f"it has no {one.field}")
    if any(same(want, have) or is_day_of(want, have) for want in wanted for have in values):
        return Judged("must", why)
    if any(key_of(have) in WILDCARDS for have in values):
        return Judged("may", why)
    if any(
        isinstance(want, str) and isinstance(have, str) and means(want, have)
        for want in wanted
        for have in values
    ):
        return Judged("must", why, certain=False)
    texts = all(isinstance(part, str) for part in (*wanted, *values))
    overlap = texts and any(stems(want) & stems(have) for want in wanted for have in values)
    return Judged("may" if overlap else "must not", why)


def means(wanted: str, value: str) -> bool:
    """Whether one text is the other's initials, or is said whole in it: "North America" and "NA", "Available (16:00)"."""
    for whole, short in ((wanted, value), (value, wanted)):
        initials = "".join(word[0] for word in words(whole))
        if len(words(whole)) > 1 and name_key(short) == initials:
            return True
    said, among = words(wanted), words(value)
    return bool(said) and any(among[at : at + len(said)] == said for at in range(len(among)))


def picking_words(tool: Tool, collection: Collection) -> list[str]:
    """The words by which a tool picks some members: in its name, or before the collection's name in its description.

    Words that the collection itself is named with pick nothing: `get_active_cases` shows all of `active_cases`.
    """
    own = collection.stems
    named = [word for word in words(tool.name) if stem(word) in PICKING and stem(word) not in own]
    if named:
        return named
    told = words(tool.description)
    if {stem(word) for word in told} & WHOLE:
        return []
    nouns = own | {stem(part) for part in words(collection.key_field)[:-1]}
    return [
        word
        for word, following in pairwise(told)
        if stem(word) in PICKING and stem(word) not in own and stem(following) in nouns
    ]


def _names(entity: Entity) -> list[str]:
    """The texts by which a member is called: its name, its title."""
    return [
        value
        for field, value in entity.attributes.items()
        if isinstance(value, str) and last_word(field) in NAME_WORDS
    ]


def picked_by_name(binding: Binding) -> list[str]:
    """The words by which the list itself says that it is a part: `held`, where its rows have that status."""
    own = binding.collection.stems | binding.collection.heads
    said = {
        stem(word)
        for entity in binding.collection.entities
        for value in entity.facts.values()
        for word in _one(value)
    }
    said |= {
        stem(word) for item in binding.group.items for value in item.row.values() for word in _one(value)
    }
    return [
        word for word in words(binding.group.name) if stem(word) not in own and stem(word) in said | PICKING
    ]


def _one(value: Json) -> tuple[str, ...]:
    """The word that a value is, where it is one."""
    found = words(value) if isinstance(value, str) else ()
    return found if len(found) == 1 else ()


def _standing(entity: Entity, collection: Collection) -> dict[str, str]:
    """How a member stands, by the attributes that tell it."""
    return {
        field: key_of(value) or str(value)
        for field, value in sorted(entity.facts.items())
        if is_status(field, collection) and not isinstance(value, (dict, list))
    }


def picked(word: str, entity: Entity, collection: Collection) -> Judged:
    """What a word such as "available" says of a member, by the attributes that tell how it stands."""
    wanted = stem(word)
    for field, value in entity.facts.items():
        if isinstance(value, bool) and wanted in stems(field):
            return Judged("must" if value else "must not", f"{field} is {value} and {word} ones are listed")
        if isinstance(value, str) and is_status(field, collection):
            if stems(value) == {wanted} or name_key(value).startswith(name_key(word)):
                return Judged(
                    "must",
                    f"{field} is {value!r} and {word} ones are listed",
                    certain=stems(value) == {wanted},
                )
            return Judged("may", f"{field} is {value!r}, which may or may not count as {word}")
    if wanted in PRESENT and not any(is_status(field, collection) for field in collection.facts):
        return Judged("must", f"nothing in the state makes any of them not {word}", certain=False)
    return Judged("may", f"nothing in the state says which are {word}")


def is_status(field: str, collection: Collection) -> bool:
    """Whether a field says how the thing itself stands: `status`, `current_state`, `robot_status` of robots."""
    parts = stems(field)
    return (
        bool(parts & STATUS_FIELDS)
        and parts <= STATUS_FIELDS | collection.stems | stems(collection.key_field) | STATUS_PREFIXES
    )
