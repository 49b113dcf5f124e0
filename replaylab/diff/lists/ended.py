"""What is still shown in a list after a call took it out of it: a branch that was deleted, an invoice that is paid among those that are not,
a visit that was cancelled where the contract says that such are in no list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.evidence import object_of
from replaylab.diff.contract.tools import verb_of
from replaylab.diff.lists.standing import went_well
from replaylab.diff.omissions.excepted import excepted_words
from replaylab.diff.things.listing import Listing, listings
from replaylab.diff.things.thing import Thing
from replaylab.diff.words.identity import stem, stems, words
from replaylab.schema.violation import Violation

_DELETING = stems("delete remove discard destroy erase scrap uninstall")
_BACK = stems("restore undo undelete revert reopen reinstate recover add create")
_NOT_SHOWN = re.compile(
    r"\b(?:not|never|no longer)\b[^.;]*\b(?:part of|shown|listed|appear|count)|\b(?:hidden|left out|leaves? out|excluded|taken off)\b",
    re.IGNORECASE,
)
_NOT_LISTED = re.compile(r"\b(?:not|never|no longer) (?:shown|listed)\b", re.IGNORECASE)
_STAYS = re.compile(r"\b(?:stays?|remains?|kept|keeps?|still|on record|history|marked)\b", re.IGNORECASE)
_DONE = {
    "pay": "paid",
    "sell": "sold",
    "send": "sent",
    "ship": "shipped",
    "leave": "left",
    "lend": "lent",
    "take": "taken",
    "give": "given",
}


def still_shown(look: Look) -> Iterator[Violation]:
    """Things that calls have taken out of a list which shows them."""
    for one in listings(look) if look.world.writes else ():
        for item, thing in one.shown:
            step = _taken_out(look, one, thing)
            if step is not None:
                yield look.violation(
                    kind="contradiction",
                    subkind="stale",
                    pointer=item.pointer,
                    contract=thing.pointer,
                    entity=thing.id,
                    observed=item.row or item.label,
                    confidence=0.7,
                    message=f"{look.step.tool.name} still shows {thing.id!r}; {step.tool.name} in call {step.call} has taken it out",
                )


def _taken_out(look: Look, one: Listing, thing: Thing) -> Step | None:
    """The last call on a thing, where it has taken it out of this list and nothing since can have brought it back."""
    naming = [step for step in look.world.writes if thing.key in step.keys]
    if not naming or thing.key not in naming[-1].named:
        return None
    last = naming[-1]
    if any(
        step.call > last.call and (stems(step.tool.name) & _BACK or not step.named)
        for step in look.world.writes
    ):
        return None
    own = one.collection.heads | one.collection.stems
    others = [key for key in last.named - {thing.key} if look.contract.things.get(key)]
    aimed = stems(object_of(last.tool.name)) <= own and not others
    if not aimed:
        return None
    if not went_well(last) or any(value is True for value in look.step.arguments.values()):
        return None  # a flag may ask for such as well
    gone = verb_of(last.tool) in _DELETING and not _stays_on_record(look, one, last)
    return last if gone or _is_excepted(look, one, last) or _is_told(look, last, own) else None


def _stays_on_record(look: Look, one: Listing, last: Step) -> bool:
    """Whether what this was done with can still be shown: a field or an argument tells of such, or the contract says that it stays."""
    said = frozenset[str]().union(
        *map(stems, (*one.collection.fields, *look.step.tool.parameters.get("properties", {})))
    )
    kept = any(done_by(last) & each.stems and _STAYS.search(each.text) for each in look.contract.sentences)
    return bool(said & done_by(last)) or kept


def _is_excepted(look: Look, one: Listing, last: Step) -> bool:
    """Whether the tool says that it leaves out what this was done with, in a list that could be of others: "invoices not paid"."""
    return bool(done_by(last) & excepted_words(look.step.tool, one.collection))


def done_by(step: Step) -> frozenset[str]:
    """How something stands that a call was made on: paid, cancelled, sold."""
    verb = next(iter(words(step.tool.name)), "")
    told = _DONE.get(verb, "")
    regular = (
        f"{verb}ed",
        f"{verb}d",
        f"{verb}{verb[-1:]}ed",
        f"{verb[:-1]}ied" if verb.endswith("y") else f"{verb}ed",
    )
    return frozenset(map(stem, (told,) if told else regular))


def _is_told(look: Look, last: Step, own: frozenset[str]) -> bool:
    """Whether a sentence says that such are in no list of this name: "cancelled visits are not part of the agenda"."""
    about = stems(look.step.tool.name) - own
    for one in look.contract.sentences:
        said = [stem(word) for word in words(one.text)]
        named = any(
            word in done_by(last) and own & set(said[at + 1 : at + 3]) for at, word in enumerate(said)
        )
        here = about & one.stems if about else _NOT_LISTED.search(one.text)
        if named and here and _NOT_SHOWN.search(one.text):
            return True
    return False
