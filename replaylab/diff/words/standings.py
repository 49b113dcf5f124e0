"""Ways in which a thing may stand, each with the words of states and of calls that bring it there, and those that say so.

`planned`, `send_reel` and "has left the house" share no word. A standing ties them: `members` are the stems of values, of fields that
are true and of tools that bring a thing there; `back` those of tools that take it out of there again; `says` finds how a text says
that a thing stands so, and `denies` that it does not.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from replaylab.diff.words.identity import stem


class Standing(NamedTuple):
    """One way to stand: what states and tools call it, and how texts say or deny it."""

    name: str
    members: frozenset[str]
    back: frozenset[str]
    says: re.Pattern[str]
    denies: re.Pattern[str]


_IS = r"(?:(?:is|are|was|were|has|have|had|been|being|got|gets?|already|now|still|currently|since|just|earlier|long|all)\s+)*"
_NOT = r"(?:is|are|was|were|has|have|had|does|do|did|can|could|will)(?:n't|\s+(?:not|never))(?:\s+(?:yet|been|currently|now|at present))*\s+"
_OF_IT = r"(?:\s+(?:the|our|this|its)\s+[\w-]+)?"


def _standing(
    name: str, members: str, back: str, says: str, negated: str = "", denies: str = "(?!)"
) -> Standing:
    return Standing(
        name,
        frozenset(map(stem, members.split())),
        frozenset(map(stem, back.split())),
        re.compile(rf"\b{_IS}(?:{says})(?![\w-])", re.IGNORECASE),
        re.compile(rf"\b(?:{_NOT}(?:{negated or says})|{_IS}(?:{denies}))(?![\w-])", re.IGNORECASE),
    )


STANDINGS = (
    _standing(
        "away",
        "send sent ship shipped dispatch dispatched despatch despatched forward forwarded depart departed leave left export exported "
        "deliver delivered collect collected post posted mail mailed transit release released handed transferred moved departure gone away sell sold",
        "return receive readmit recall",
        rf"(?:has|have|had)\s+(?:already\s+)?left{_OF_IT}|left\s+(?:us|the\s+[\w-]+)|gone|departed|away|out\s+(?:of\s+the|for)\s+[\w-]+|on\s+(?:its|their|the|his|her)\s+(?:way|road)|under\s+way|in\s+transit|"
        r"en\s+route|elsewhere|no\s+longer\s+(?:here|in|with\s+us|on\s+site|at\s+hand)(?:\s+the\s+[\w-]+)?|not\s+(?:here|in\s+the\s+[\w-]+)(?:\s+any\s?more|\s+any\s+longer)?|"
        r"sent(?:\s+(?:off|out|away|on))?|shipped(?:\s+(?:off|out))?|dispatched|despatched|handed\s+over|delivered|collected|picked\s+up|with\s+the\s+(?:carrier|courier)",
    ),
    _standing(
        "removed",
        "discard discarded delete deleted remove removed dispose disposed scrap scrapped purge purged destroy destroyed retire retired "
        "terminate terminated throw thrown used_up consumed empty",
        "restore undelete readmit",
        r"thrown\s+(?:away|out)|gone|disposed\s+of|deleted|removed|destroyed|scrapped|discarded|retired|in\s+the\s+(?:bin|skip|trash)|"
        r"no\s+longer\s+(?:exists?|there|available|with\s+us|on\s+file)|not\s+there\s+any\s?more|does\s+not\s+exist\s+any\s?more",
    ),
    _standing(
        "cancelled",
        "cancel cancelled canceled void voided withdraw withdrawn strike struck drop dropped stop stopped abandon abandoned revoke revoked "
        "annul annulled rescind rescinded",
        "reinstate restore reopen",
        r"cancell?ed|called\s+off|off(?:\s+the\s+[\w-]+)?|will\s+not\s+(?:take\s+place|happen|go\s+ahead|be\s+held)|won't\s+(?:take\s+place|happen|go\s+ahead)|"
        r"no\s+longer\s+(?:on|planned|going\s+ahead|valid|in\s+force)|scrapped|withdrawn|void(?:ed)?|struck|revoked|dropped|stopped",
    ),
    _standing(
        "ended",
        "finish finished complete completed end ended close closed conclude concluded done archive archived resolve resolved expire past "
        "over finalised finalized finalize",
        "reopen restart",
        r"over|finished|ended|done(?:\s+with)?|completed?|closed|concluded|finali[sz]ed|through|(?:took|taken)\s+place|resolved|archived|"
        r"been\s+(?:shown|held|played|given|run)|come\s+to\s+an\s+end",
        r"finished|ended|done|over|completed?|concluded",
    ),
    _standing(
        "begun",
        "start started begin begun running run launch launched progress ongoing active underway live departed",
        "stop halt",
        r"under\s?way|begun|began|started|in\s+progress|running|set\s+(?:off|out)|going\s+on|on\s+(?:its|the|their)\s+way|ongoing|live",
        r"begun|started|under\s?way|in\s+progress|running",
    ),
    _standing(
        "paid",
        "pay paid settle settled clear cleared balanced",
        "refund reopen dispute charge",
        r"settled|paid(?:\s+(?:up|off|in\s+full|for))?|cleared|squared|balanced|(?:owes?|owed)\s+nothing|nothing\s+(?:(?:is|was)\s+)?(?:owed|owing|due|outstanding|open|"
        r"left\s+to\s+pay|to\s+(?:pay|settle|collect))|(?:has|have|had)?\s*no(?:thing)?\s+(?:debts?|amount\s+due|(?:open\s+)?balance|outstanding(?:\s+amount)?|open\s+amount|arrears|dues)|"
        r"no\s+longer\s+(?:open|due|owed|owing|outstanding|unpaid)|not\s+(?:outstanding|owed|due|overdue|open|unpaid)|there\s+is\s+nothing\s+(?:left\s+)?to\s+(?:pay|settle|collect)",
        r"settled|paid|cleared",
    ),
    _standing(
        "taken",
        "lend lent loan loaned borrow borrowed occupied occupy taken take busy booked book reserve reserved rent rented hire hired let claim "
        "claimed assign assigned issue issued checkout seat seated engage engaged hold held",
        "return release free vacate checkin",
        r"taken|occupied|busy|in\s+use|out(?:\s+on\s+loan)?|on\s+loan|lent(?:\s+out)?|borrowed|loaned(?:\s+out)?|spoken\s+for|booked(?:\s+out)?|reserved|"
        r"let(?:\s+out)?|hired(?:\s+out)?|rented(?:\s+out)?|engaged|claimed|with\s+(?:some(?:body|one)(?:\s+else)?|another\s+[\w-]+)|"
        r"(?:not|n't)\s+(?:been\s+)?(?:come\s+back|returned|brought\s+back|back|free|available|vacant|here|in(?:\s+the\s+[\w-]+)?(?=\s*$))|unavailable",
        r"taken|occupied|busy|in\s+use|out(?:\s+on\s+loan)?|on\s+loan|lent(?:\s+out)?|borrowed|booked|reserved|hired|rented|with\s+\w+",
        r"here|free|vacant|available|back|nobody\s+has\s+it",
    ),
    _standing(
        "full",
        "full soldout",
        "expand enlarge",
        r"(?:completely\s+)?full|fully\s+booked|booked\s+(?:up|out)|sold\s+out|oversubscribed|no\s+(?:more\s+)?(?:seats?|places?|spaces?|slots?|room)(?:\s+(?:left|free|available))?|"
        r"all\s+(?:the\s+)?(?:seats|places|spaces|slots)(?:\s+[\w-]+){0,2}\s+(?:are\s+)?(?:taken|occupied|gone|booked)",
        r"full|fully\s+booked|sold\s+out",
    ),
    _standing(
        "shut",
        "lock locked close closed seal sealed shut block blocked bar barred",
        "unlock open reopen unseal unblock",
        r"shut|closed|locked(?:\s+up)?|sealed(?:\s+off)?|barred|blocked",
        denies=r"open(?:ed)?|unlocked",
    ),
)


def in_standings(text: str) -> str:
    """A text with the name of each standing that it speaks of after the words by which it does."""
    for one in STANDINGS:
        text = one.says.sub(f" {one.name} ", text)
    return text
