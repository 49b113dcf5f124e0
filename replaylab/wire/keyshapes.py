"""What well-known secrets look like: API keys by prefix, tokens, private keys, credentials in URLs.

Never a JSON field name: `max_tokens` and token counts have to survive. Each shape has needles, at least one of which
stands in every match, so that a text without any of them costs a few substring searches and no regular expression.
A key is a long run of letters, digits and `+/_.-`; its needles are looked for in such runs only. Where a pattern has a
group, the group is the secret and what stands around it stays. Repetitions are bounded, so that no text, however made,
takes more than linear time.
"""

from __future__ import annotations

import re
from typing import NamedTuple

Span = tuple[int, int]


class Shape(NamedTuple):
    """One of `needles` stands in every match of `pattern`."""

    needles: tuple[bytes, ...]
    pattern: re.Pattern[bytes]


def _shape(needles: str, pattern: str) -> Shape:
    return Shape(tuple(part.encode() for part in needles.split("|")), re.compile(pattern.encode()))


def _key(prefix: str, body: str, needles: str = "") -> Shape:
    """A key that is `prefix` and `body`, which ends in a repetition; that is never given back (`+`)."""
    # The bounds on both sides keep long base64 that happens to hold a prefix, and words such as `task-…`, whole. A
    # letter before the key may be the end of an escape, as in `\nsk-…`.
    return _shape(needles or prefix, rf"(?:(?<![A-Za-z0-9])|(?<=\\[bfnrt])){prefix}{body}+(?![A-Za-z0-9])")


# Tokens differ from words by a digit or an inner capital: "bearer certificates" is prose, and `sk-estimator-doc-link`
# is a style class.
_TOKENLIKE = r"(?=[a-z_-]{0,250}[0-9A-Z])"
_BEARERLIKE = r"(?=[A-Za-z._~+/=-]{0,250}(?:[0-9]|[a-z][A-Z]))"
_VALUE = r"[!$%(-;=?-Z^-~]"  # printable, without space, quotes, < > # & \ [ ]
_PEM = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_PARAMETER = (
    r"(?i:(?:x[_-])?api[_-]?key|key|token|(?:access|auth|refresh|id)[_-]?token|(?:client[_-]?)?secret|password|passwd"
    r"|sig|signature|x-amz-signature|x-goog-signature)"
)

_KEYS: tuple[Shape, ...] = (
    _key("sk-", _TOKENLIKE + r"[A-Za-z0-9_-]{20,250}"),  # OpenAI, Anthropic, OpenRouter, DeepSeek, Qwen, ...
    _key("[sr]k_(?:live|test|prod)_", r"[A-Za-z0-9]{16,250}", "k_live_|k_test_|k_prod_"),  # Stripe
    _key("whsec_", r"[A-Za-z0-9+/=]{20,250}"),  # Stripe
    _key("AIza", r"[A-Za-z0-9_-]{35}"),  # Google
    _key("ya29\\.", r"[A-Za-z0-9_.-]{20,500}", "ya29."),  # Google
    _key("GOCSPX-", r"[A-Za-z0-9_-]{20,250}"),  # Google
    _key("A(?:KIA|SIA|BIA|CCA)", r"[A-Z0-9]{16}", "AKIA|ASIA|ABIA|ACCA"),  # AWS
    _key("gh[pousr]_", r"[A-Za-z0-9]{30,250}", "ghp_|gho_|ghu_|ghs_|ghr_"),  # GitHub
    _key("github_pat_", r"[A-Za-z0-9_]{20,250}"),  # GitHub
    _key("glpat-", r"[A-Za-z0-9_-]{20,250}"),  # GitLab
    _key("xox[abceoprs]-", r"[A-Za-z0-9-]{12,250}", "xox"),  # Slack
    _key("xapp-", r"[A-Za-z0-9-]{20,250}"),  # Slack
    _shape("hooks.slack.com/", r"hooks\.slack\.com/services/([A-Za-z0-9/]{20,100})"),
    _key("hf_", r"[A-Za-z0-9]{30,250}"),  # Hugging Face
    _key("gsk_", r"[A-Za-z0-9]{30,250}"),  # Groq
    _key("xai-", r"[A-Za-z0-9]{40,250}"),  # xAI
    _key("pplx-", r"[A-Za-z0-9]{40,250}"),  # Perplexity
    _key("nvapi-", r"[A-Za-z0-9_-]{40,250}"),  # NVIDIA
    _key("r8_", r"[A-Za-z0-9]{30,250}"),  # Replicate
    _key("npm_", r"[A-Za-z0-9]{36}"),
    _key("pypi-", r"[A-Za-z0-9_-]{50,500}"),
    _key("SG\\.", r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}", "SG."),  # SendGrid
    # JSON web tokens. No hyphen before: each part would be searched to its end from every `eyJ` in it.
    _shape("eyJ", r"(?:(?<![\w-])|(?<=\\[bfnrt]))eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"),
)

_OTHERS: tuple[Shape, ...] = (
    _shape(
        "PRIVATE KEY",
        # Whole, or cut off: then all base64 that follows, over real and escaped line ends.
        rf'-----BEGIN {_PEM}(?:[^-"]{{0,20000}}-----END {_PEM}|(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{{8,}})+)',
    ),
    _shape("earer|EARER", rf"(?i:bearer)\s{{1,4}}({_BEARERLIKE}[A-Za-z0-9._~+/=-]{{16,4000}})"),
    _shape(
        "uthorization|UTHORIZATION",
        r"""(?i:authorization)["']?\s{0,4}[:=]\s{0,4}["']?(?i:basic|bearer|token)\s{1,4}([A-Za-z0-9._~+/=-]{8,4000})""",
    ),
    _shape("://", r"(?<=://)([!$%&'(-.0-;=A-Z^-~]{1,512})(?=@)"),  # user and password in a URL
    _shape("=", rf"[?&;]{_PARAMETER}=({_VALUE}{{8,4000}})"),  # a query parameter that holds a key
)


def find_shapes(data: bytes, runs: list[Span]) -> list[Span]:
    """Where `data` holds a well-known secret: byte ranges, in no order, maybe overlapping. `runs`: see `views.runs`."""
    found: list[Span] = []
    if runs:
        found += _find(_KEYS, data, b"\n".join([data[start:end] for start, end in runs]))
    return found + _find(_OTHERS, data, data)


def _find(shapes: tuple[Shape, ...], data: bytes, haystack: bytes) -> list[Span]:
    found: list[Span] = []
    for needles, pattern in shapes:
        for needle in needles:
            if needle in haystack:
                group = pattern.groups
                found += [match.span(group) for match in pattern.finditer(data)]
                break
    return found
