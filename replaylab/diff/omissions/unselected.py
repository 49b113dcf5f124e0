"""What a list leaves out of what its arguments select, where the tool's example or an earlier answer shows how it comes about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner, lists_on_face
from replaylab.diff.contract.tables import AROUND, OWN, Record, Table, tables_of
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.gone import may_take_away
from replaylab.diff.omissions.pages import goes_on, may_be_hidden
from replaylab.diff.omissions.parts_told import is_told_part
from replaylab.diff.omissions.taken import is_cut_or_picked, stands_alike, taken
from replaylab.diff.omissions.ways import Match, Shown, Way, explains, match, ways
from replaylab.diff.words.identity import key_of, name_key, stems
from replaylab.diff.words.lexicon import PICKING
from replaylab.diff.words.observed import Group, groups
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.violation import Violation

_SEVERAL = 2


def unselected(look: Look) -> Iterator[Violation]:
    """Records that every way that explains what was shown before has to show, and that this list does not."""
    if is_write(look.step.tool) or goes_on(look):
        return
    given = {name: value for name, value in look.step.arguments.items() if value not in (None, "", [])}
    schema = look.step.tool.parameters
    optional = [one for one in schema.get("properties", {}) if one not in schema.get("required", [])]
    for group in lists_on_face(look):
        if is_told_part(look, group.name):
            continue
        before = [one for one in _shown_before(look, group.name) if one.group.items]
        own = _own_pointer(look, group)
        learned = [
            way
            for table in tables_of(look.contract)
            for way in ways(table, given, group if group.items or not before else before[0].group)
            if way.by != OWN
            or any(one.column for one in way.taken)
            or own in ("", f"/initial_state{table.pointer.removesuffix('/*')}")
            if _is_learned(look, way, [one for one in before if explains(way, one, optional)])
        ]
        likeness = max((way.likeness for way in learned), default=0)
        learned = [way for way in learned if way.likeness == likeness]
        named = stems(group.name) & PICKING
        sure = not all(named - stems(way.table.name) for way in learned)
        found = list(_left_out(look, group, given, learned, sure=sure))
        yield from found
        if not learned and not is_cut_or_picked(look, group):
            yield from _left_out(look, group, given, list(taken(look, group, given, before)), sure=False)


def _own_pointer(look: Look, group: Group) -> str:
    """Where the state has what the rows of a list are, by the field that names them first: tickets that tell of animals are
    tickets, and no list of animals. "" where nothing tells.
    """
    tool = look.step.tool
    examples = groups(inner(tool.example_output)[1]) if tool.has_example else ()
    # An example stands as it was written, so that its first field is the first.
    rows = next((one for one in examples if one.name == group.name and one.items), group)
    if rows.shape != "rows" or not rows.items:
        return ""
    for field in rows.items[0].row:
        keys = [key_of(item.row.get(field)) for item in rows.items]
        things = [look.contract.things[key] for key in keys if key in look.contract.things]
        if len(set(keys)) < len(keys) or not things:
            continue
        own = {
            one.pointer
            for one, _ in things[0]
            if "*" not in one.pointer and stems(field) & (one.heads | one.stems)
        }
        return own.pop() if len(own) == 1 else ""
    return ""


def _is_learned(look: Look, way: Way, explained: Sequence[Shown]) -> bool:
    """Whether lists that a way explains tell that it is the way: several items, or one where names say so as well. A whole
    table is shown by a list that does not bear the name of another.
    """
    if not explained:
        return False
    name, tool = explained[0].group.name, look.step.tool.name
    if not any(one.column for one in way.taken):
        named = [one for one in tables_of(look.contract) if name_key(one.name) == name_key(name)]
        if named and way.table not in named:
            return False
    if max(len(one.group.items) for one in explained) >= _SEVERAL:
        return True
    # A row with a name, which a known argument picks.
    if way.by and any(one.group.shape == "rows" and way.knows(one.arguments) for one in explained):
        return True
    said = stems(name) | stems(tool)
    return bool(said & (stems(way.table.name) | stems(way.by))) or way.likeness > 0


def _shown_before(look: Look, name: str) -> Iterator[Shown]:
    """The list of this name in the tool's example, and in what it answered before."""
    tool = look.step.tool
    if tool.has_example:
        yield from _shown(tool.example_output, name, list(tool.parameters.get("properties", {})), {})
    for step in look.world.steps:
        if step.tool.name == tool.name and not step.refused:
            for one in _shown(step.observation, name, [], step.arguments):
                yield one._replace(asked=True)


def _shown(said: Json, name: str, echoed: Sequence[str], arguments: JsonObject) -> Iterator[Shown]:
    pointer, face = inner(said)
    known = {one: face[one] for one in echoed if one in face and not isinstance(face[one], (dict, list))}
    for group in groups(face, pointer):
        if group.name == name and not group.inside and group.shape in ("rows", "names", "empty"):
            yield Shown({**known, **arguments}, group)


def _left_out(
    look: Look, group: Group, given: JsonObject, learned: Sequence[Way], *, sure: bool = True
) -> Iterator[Violation]:
    """What all ways that can have led to a list miss in it. Of ways that are not `sure`, only what stands like the shown."""
    fitting = [(way, match(way, _all_of(way, given), group)) for way in learned]
    fitting = [(way, found) for way, found in fitting if _fits(look, found)]
    if not fitting:
        return
    # Rows are told by their own names, else by the name of what is around them, and by their values where nothing names them.
    best = min((way.by == "", way.by == AROUND) for way, _ in fitting)
    if group.shape == "rows" or not group.items:
        fitting = [one for one in fitting if (one[0].by == "", one[0].by == AROUND) == best]
    missing = [
        {way.told(one): (way, one) for one in found.missing if one in way.select(given)[0]}
        for way, found in fitting
    ]
    for key, (way, record) in missing[0].items():
        if key in look.said or not all(key in other for other in missing[1:]):
            continue
        alike = [one for each, found in fitting for one in found.shown if each.table == way.table]
        if may_be_hidden(
            look, record.columns, [one.columns for one in alike], [one.columns for one in way.table.records]
        ):
            continue
        if (sure or stands_alike(record, alike)) and not _may_be_out(look, way, record):
            yield _violation(look, group, way, record, 0.75 if sure else 0.6)


def _fits(look: Look, found: Match) -> bool:
    """Whether a list can be this way's: what is strange in it came in by a call. Of records without names, what a call has
    changed looks like another, so that fewer have to be strange than are missing.
    """
    if not found.strange:
        return True
    named = all(one.name for one in found.missing)
    return bool(look.world.writes) and (named or len(found.strange) < len(found.missing))


def _all_of(way: Way, given: JsonObject) -> list[Record]:
    must, may = way.select(given)
    return [*must, *may]


def _may_be_out(look: Look, way: Way, record: Record) -> bool:
    """Whether something may have taken a record out of what is selected since the beginning: a call that names it, or one
    that takes something away without naming any record of the table; or time, unless this never changes.
    """
    writes = look.world.writes
    told = look.contract.environment.state_description.get(way.table.pointer.split("/")[1], "")
    columns = [one.column for one in way.taken if one.column]
    if not writes or (
        isinstance(told, str) and all(never_changes(told, one) for one in (*columns, way.table.name))
    ):
        return False
    if look.world.time_moved:
        return True
    own = {record.key, key_of(record.columns.get(way.by))} - {""}
    keys = {one.key for one in way.table.records} - {""}
    naming = [step for step in writes if own & step.keys]
    if not columns and naming:
        return _is_perhaps_gone(look, way.table, record)
    return bool(naming) or any((may_take_away(step.tool) and not keys & step.named) for step in writes)


def _is_perhaps_gone(look: Look, table: Table, record: Record) -> bool:
    """Whether what calls did with a record may have ended it, or have taken it elsewhere."""
    pointer = f"/initial_state{table.pointer.removesuffix('/*')}"
    of = [(one, one.find(record.key)) for one in look.contract.collections if one.pointer == pointer]
    return all(entity is None or look.world.fate(entity, one) == "perhaps gone" for one, entity in of)


def _violation(look: Look, group: Group, way: Way, record: Record, confidence: float) -> Violation:
    tool = look.step.tool.name
    name = str(record.columns.get(way.by or OWN, ""))
    return look.violation(
        kind="omission",
        subkind="missing" if group.items else "all_missing",
        pointer=group.pointer,
        contract=f"/initial_state{record.pointer}",
        entity=name,
        expected=_as_written(record),
        observed=[item.row or item.label for item in group.items][:12],
        confidence=confidence,
        message=f"{tool} leaves out {name or 'a row'!r}, which /initial_state{record.pointer} holds and its arguments select",
    )


def _as_written(record: Record) -> Json:
    """The plain values of a record as the state has them: without those of what is around it, and its name where it is all."""
    own = {
        key: value
        for key, value in record.columns.items()
        if not isinstance(value, (dict, list)) and key != OWN and not key.startswith(AROUND)
    }
    return own or record.columns.get(OWN)
