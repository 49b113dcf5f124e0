"""What a reason demands: "needs the migration lock and nobody holds it", "needs a warm-up of 10 units first".

Who demands what the state has a field for, and says rightly that it is not there, lays down nothing. Who demands what no word of
the contract speaks of has made it up, however many other words of the reason stand there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import stems
from replaylab.diff.words.lexicon import COMMON, LEAVE_WORDS, NEED_WORDS, REFUSAL_WORDS, RULE_WORDS
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json

_NOUN = r"(?P<{}>[a-z][\w-]*(?: (?!of\b|for\b|by\b|from\b|before\b|first\b|and\b|but\b|to\b|that\b|which\b|in\b|on\b|at\b|with\b|is\b|are\b)[a-z][\w-]*){{0,3}})"
_DEMANDS = re.compile(
    r"\b(?:needs?|requires?|calls? for|depends? on|(?:must|has to|have to|should) (?:first )?(?:have|hold|own|get|do|take|be preceded by|follow)|"
    r"preceded by|(?:only|allowed) (?:after|with)|not (?:\w+ )?before|until|without|lacks?) "
    rf"(?:(?:an?|the|its|their|some|any|at least|prior|to have|to hold|\d[\d.,]*) )*{_NOUN.format('what')}"
    rf"|(?:^|[.;:,] )(?:an?|the|some)? ?{_NOUN.format('first')}(?: of [^,;.]*?)? (?:must|has to|have to|should|needs to|is to) "
    r"(?:first )?(?:come|precede|happen|take place|be (?:\w+ )?(?:done|completed|held|run|carried out|finished|made|filed|taken))",
    re.IGNORECASE,
)
_LACKS = re.compile(
    r"\b(?:nobody|no one|none|no|nothing|never|without|lacks?|missing|absent|unset|free|off|false|yet)\b|\bnot\b|n't\b",
    re.IGNORECASE,
)
_NONE = frozenset(
    {"", "none", "no", "off", "false", "null", "free", "released", "absent", "missing", "unset", "0"}
)
_LEAVE = stems(
    "nod go ahead green light blessing clearance okay leave say-so waiver word sanction endorsement"
)


def demanded(text: str) -> list[frozenset[str]]:
    """The telling words of each thing that a text demands."""
    found = (stems(match["what"] or match["first"]) - COMMON for match in _DEMANDS.finditer(text))
    return [one for one in found if one]


def demands_the_unheard_of(reason: Reason) -> bool:
    """Whether it demands something of which no word stands anywhere in the contract. Another word for leave says nothing new."""
    contract = reason.look.contract
    known = reason.of_state | reason.of_tools | reason.context
    known = known.union(*(one.stems for one in contract.sentences)) | _LEAVE | RULE_WORDS | REFUSAL_WORDS
    return any(not one & known for one in demanded(reason.text))


def wants_leave(reason: Reason) -> bool:
    """Whether a reason wants somebody's leave, and not by a word of the call alone."""
    return bool((stems(reason.text) - reason.context) & LEAVE_WORDS)


def wants_leave_that_nobody_gives(reason: Reason) -> bool:
    """Whether a reason wants somebody's leave in a contract that speaks of none, whatever else it has from the state."""
    spoken = reason.of_state | reason.of_tools
    spoken = spoken.union(*(one.stems for one in reason.look.contract.sentences))
    return wants_leave(reason) and not LEAVE_WORDS & spoken


def unmet_need(reason: Reason) -> str:
    """The pointer of the field that holds what is demanded and has it not, as the reason says; "" where there is none."""
    rules = (stems(reason.text) & RULE_WORDS) - NEED_WORDS - reason.context - {"must"}
    if rules or reason.is_loose or not _LACKS.search(reason.text):
        return ""
    for wanted in demanded(reason.text):
        for pointer, key, told in _lacking(reason):
            touched = any(stems(step.tool.name) & wanted for step in reason.look.world.writes)
            if wanted & stems(key) and wanted <= stems(pointer) | told and not touched:
                return f"/initial_state{pointer}"
    return ""


def _lacking(reason: Reason) -> Iterator[tuple[str, str, frozenset[str]]]:
    """The fields that stand alone in the state, or of what the call is about, and hold nothing; with what is said of them."""
    about: Json = reason.look.contract.environment.state_description
    for node in (*reason.alone, *(entity.facts for _, entity in reason.subjects)):
        for pointer, key, value in leaves(node):
            if str(value).casefold() in _NONE:
                said = about.get(key, "") if isinstance(about, dict) else ""
                yield pointer, key, stems(str(said))
