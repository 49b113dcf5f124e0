"""The ways to say that something does not exist: "P-1 not found", "no patient is registered as P-1", "P-1 is not among the beds"."""

from __future__ import annotations

import re
from collections.abc import Iterable

_UNKNOWN = re.compile(
    r"\bthere (?:is|are) no (?:\w+ ){1,3}['\"]?[\w.-]*\d|\bnot (?:be )?(?:found|exist|recogni[sz]ed|registered|listed|known|located|present)\b|\bno (?:such|record|matching|results?|entry|data)\b"
    r"|\b(?:does|do|did)(?:n't| not) exist\b|\bunknown\b|\bnon-?existent\b|\bunrecogni[sz]ed\b|\bno (?:\w+ ){1,4}(?:with|found|by|named|matching|exists?|for)\b"
    r"|\binvalid \w*(?:[ _-]?id|identifier|name|code)\b|\bis not (?:a|in) (?:valid|the|this|our)\b|\b(?:could|can)(?:not|n't| not) (?:be )?(?:find|found|locate|located)\b",
    re.IGNORECASE,
)
# "a road to Heron": what something is not with, and not what there is none of.
_OTHER_THAN = r"(?!(?:from|to|between|for|on|at|in|of|with|by|under|near)\b)"
_NONE = r"\b(?:no|not (?:a|any|one)|nothing|nobody|no one|none)\b"
_KEPT = (
    r"(?:registered|listed|recorded|known|stored|filed|catalogued|enrolled|indexed|defined|saved|"
    r"called|named|identified|numbered|labell?ed|tagged|goes|answers|exists?|on file|on record|to be found)"
)
_UNDER = r"(?:(?:as|by|under|with|for|to|of|in)(?: (?:the|that|an?))?(?: (?:id|name|code|number|identifier|label|key)s?)?(?: of)?)"
_BOOKS = (
    r"(?:list|registry|register|catalogue?|roster|inventory|records?|database|table|index|directory|system|map|files?|books?|"
    r"network|data|state|environment|scenario)"
)
# Who is not among the allowed ones may exist.
_PICKED = (
    r"(?:\w+ly |currently )?(?:allowed|approved|permitted|authori[sz]ed|eligible|certified|licensed|supported|free|open|ready|active|idle|"
    r"vacant|available|enabled|qualified|unlocked|selected|assigned|scheduled)"
)
_TOLD = (
    (
        rf"\b(?:there (?:is|are|was|were)(?:n't any| no)|has no|have no|knows? no|holds? no|(?:is|are)n't any|finds? no|sees? no) "
        rf"(?:{_OTHER_THAN}[\w-]+ ){{0,2}}@(?![\w-])"
    ),
    # A sentence of its own: "No snapshot v2.2.0." Who may not do something exists.
    (
        rf"(?:^|[.;:!,(] ?|\bbut |\band |\bhas |\bhave )(?:no|not an?) (?:{_OTHER_THAN}[\w-]+ ){{0,3}}@"
        rf"(?![\w-])(?=\W*(?:$|[.;:,!()])|\s+(?:here|there|exists?|anywhere|on (?:file|record)|in (?:the|this|our) {_BOOKS})\b)"
    ),
    rf"{_NONE}(?: [\w-]+){{0,3}}? (?:(?:is|are|was|were|has been|have been) )?{_KEPT} (?:{_UNDER} )?@(?![\w-])",
    rf"{_NONE}(?: [\w-]+){{0,3}}? (?:by|under|with|of) (?:(?:the|that) )?(?:id|name|code|number|identifier)s? (?:of )?@(?![\w-])",
    # What is kept under a number is called by it.
    r"\b(?:holds?|has|have|keeps?|lists?|shows?|finds?|sees?|knows?) no (?:[\w-]+ ){1,2}under @(?![\w-])",
    rf"@(?: (?:is|are|was)(?: not|n't)| not)(?: \w+ly)? (?:among|one of|any of|part of|amongst)(?! (?:the |our |any |its |these |those )?{_PICKED}\b)",
    rf"@(?: (?:is|are|was)(?: not|n't)| not) (?:on|in|within|part of) (?:the |our |any |its |this |my )?(?!{_PICKED}\b)(?:[\w-]+ )?{_BOOKS}\b",
    r"@ (?:does(?:n't| not)|do(?:n't| not)|fails to) (?:appear|show up|figure|feature|occur|ring a bell)\b",
    r"@ (?:does(?:n't| not)|do(?:n't| not)|fails to) (?:match|name|identify|refer to|resolve to|correspond to|belong to|denote) (?:an?y?|anything|one of)\b",
    r"@ (?:matches|names|identifies|refers to|resolves to|corresponds to|denotes) (?:no|nothing|none)\b",
    rf"@ (?:has|have|had|was|were)(?: (?:never|not)|n't)(?: yet)?(?: been)? {_KEPT}\b",
    # What was never given out; who says that nothing "was issued for" a thing does not speak of its name.
    r"@ (?:has|have|had|was|were)(?: never|n't ever)(?: been)? (?:issued|generated|handed out|given out|created|seen|heard of)\b",
    (
        r"\b(?:has|have|holds?|knows?|keeps?|finds?|sees?|lists?|shows?|carries) no (?:[\w-]+ ){1,3}?"
        r"(?:(?:under|called|named|numbered)|(?:by|with|under)(?: the)? (?:id|name|code|number|identifier|label|key)(?: of)?) @(?![\w-])"
    ),
    rf"@ (?:is|are) (?:absent|missing) from (?:the |our |this |its )?(?!{_PICKED}\b)",
    (
        r"\b(?:never heard of|(?:do|does|can|could)(?:n't| not|not) (?:know|recogni[sz]e|identify|resolve|find|locate|see|have|list|hold)"
        r"(?: of)?(?: an?y?| the)?(?: [\w-]+){0,2}?) @(?![\w-])"
    ),
)


def says_unknown(text: str, names: Iterable[str] = ()) -> bool:
    """Whether a reason says that something does not exist; of these names also in words that need the name beside them."""
    return _UNKNOWN.search(text) is not None or any(_says_no_such(text, name) for name in names)


def _says_no_such(text: str, name: str) -> bool:
    """Whether a text says that there is none of this name, and not that something is not with it: a road to it."""
    if not name or name.casefold() not in text.casefold():
        return False
    whole = rf"(?<![\w-])['\"‘“`]?{re.escape(name)}['\"’”`]?"
    return any(re.search(told.replace("@", whole), text, re.IGNORECASE) for told in _TOLD)
