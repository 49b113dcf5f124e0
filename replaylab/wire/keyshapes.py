"""What well-known secrets look like: API keys by prefix, tokens, private keys, credentials in URLs.

Never a JSON field name: `max_tokens` and token counts have to survive. Each shape has needles, at least one of which
stands in every match, so that a text without any of them costs a few substring searches and no regular expression.
A key is a long run of letters, digits and `+/_.-`; its needles are looked for in such runs only. Where a pattern has a
group, the group is the secret and what stands around it stays. Repetitions are bounded, so that no text, however made,
takes more than linear time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from replaylab.wire.headershapes import HEADERS
from replaylab.wire.shape import VALUE, Shape, key, shape

Span = tuple[int, int]


class NamedSpan(NamedTuple):
    """Where a secret stands, and what its shape is called."""

    start: int
    end: int
    name: str


# Tokens differ from words by a digit or an inner capital: "bearer certificates" is prose, and `sk-estimator-doc-link`
# is a style class.
_TOKENLIKE = r"(?=[a-z_-]{0,250}[0-9A-Z])"
_BEARERLIKE = r"(?=[A-Za-z._~+/=-]{0,250}(?:[0-9]|[a-z][A-Z]))"
_PEM = r"(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
_PARAMETER = (
    r"(?i:(?:x[_-])?api[_-]?key|key|token|(?:access|auth|refresh|id)[_-]?token|(?:client[_-]?)?secret|password|passwd"
    r"|sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token|x-ms-signature|access[_-]?key)"
)

_HEX = "[0-9a-f]"
_KEYS: tuple[Shape, ...] = (
    # OpenAI, Anthropic, OpenRouter, DeepSeek, Qwen, Langfuse, ...
    key("key of a model provider", "sk-", _TOKENLIKE + r"[A-Za-z0-9_-]{20,250}"),
    key("Stripe key", "[sr]k_(?:live|test|prod)_", r"[A-Za-z0-9]{16,250}", "k_live_|k_test_|k_prod_"),
    key("Stripe webhook secret", "whsec_", r"[A-Za-z0-9+/=]{20,250}"),
    key("ElevenLabs key", "sk_", rf"{_HEX}{{48}}"),
    key("Google key", "AIza", r"[A-Za-z0-9_-]{35}"),
    key("Google token", "ya29\\.", r"[A-Za-z0-9_.-]{20,500}", "ya29."),
    key("Google client secret", "GOCSPX-", r"[A-Za-z0-9_-]{20,250}"),
    key("AWS key id", "A(?:KIA|SIA|BIA|CCA)", r"[A-Z0-9]{16}", "AKIA|ASIA|ABIA|ACCA"),
    key("GitHub token", "gh[pousr]_", r"[A-Za-z0-9]{30,250}", "ghp_|gho_|ghu_|ghs_|ghr_"),
    key("GitHub token", "github_pat_", r"[A-Za-z0-9_]{20,250}"),
    key(
        "GitLab token",
        "gl(?:pat|ptt|dt|rt|cbt|oas|ft|soat)-",
        r"[A-Za-z0-9_-]{20,250}",
        "glpat-|glptt-|gldt-|glrt-|glcbt-|gloas-|glft-|glsoat-",
    ),
    key("Slack token", "xox[abceoprs]-", r"[A-Za-z0-9-]{12,250}", "xox"),
    key("Slack token", "xapp-", r"[A-Za-z0-9-]{20,250}"),
    shape("Slack webhook", "hooks.slack.com/", r"hooks\.slack\.com/services/([A-Za-z0-9/]{20,100})"),
    shape(
        "Discord webhook", "/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{5,25}/([A-Za-z0-9_-]{30,100})"
    ),
    key("Hugging Face token", "hf_", r"[A-Za-z0-9]{30,250}"),
    key("Groq key", "gsk_", r"[A-Za-z0-9]{30,250}"),
    key("xAI key", "xai-", r"[A-Za-z0-9]{40,250}"),
    key("Perplexity key", "pplx-", r"[A-Za-z0-9]{40,250}"),
    key("NVIDIA key", "nvapi-", r"[A-Za-z0-9_-]{40,250}"),
    key("Replicate token", "r8_", r"[A-Za-z0-9]{30,250}"),
    key("Cerebras key", "csk-", _TOKENLIKE + r"[A-Za-z0-9]{30,250}"),
    key("Fireworks key", "fw_", r"[A-Za-z0-9]{20,250}"),
    key("Together key", "tgp_v1_", r"[A-Za-z0-9_-]{30,250}"),
    key("Anyscale key", "esecret_", r"[A-Za-z0-9]{20,250}"),
    key("LangSmith key", "lsv2_(?:pt|sk)_", r"[A-Za-z0-9_]{30,250}", "lsv2_"),
    key("Tavily key", "tvly-", _TOKENLIKE + r"[A-Za-z0-9-]{20,250}"),
    key("Jina key", "jina_", r"[A-Za-z0-9_-]{40,250}"),
    key("Databricks token", "dapi", rf"{_HEX}{{32}}"),
    key("Vault token", "hv[sb]\\.", r"[A-Za-z0-9_-]{24,500}", "hvs.|hvb."),
    key("DigitalOcean token", "do[opr]_v1_", rf"{_HEX}{{64}}", "dop_v1_|doo_v1_|dor_v1_"),
    key("Shopify token", "shp(?:at|ca|pa|ss)_", r"[A-Fa-f0-9]{32}", "shpat_|shpca_|shppa_|shpss_"),
    key("Linear key", "lin_api_", r"[A-Za-z0-9]{30,250}"),
    key("Notion token", "ntn_", r"[A-Za-z0-9]{40,250}"),
    key("Postman key", "PMAK-", r"[A-Za-z0-9-]{40,250}"),
    key("Atlassian token", "ATATT3", r"[A-Za-z0-9_=-]{40,500}"),
    key("Docker token", "dckr_pat_", r"[A-Za-z0-9_-]{20,250}"),
    key("Figma token", "figd_", r"[A-Za-z0-9_-]{30,250}"),
    key("Supabase token", "sbp_", rf"{_HEX}{{40}}"),
    key("age secret key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,100}"),
    key("npm token", "npm_", r"[A-Za-z0-9]{36}"),
    key("PyPI token", "pypi-", r"[A-Za-z0-9_-]{50,500}"),
    key("SendGrid key", "SG\\.", r"[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}", "SG."),
    # No hyphen before: each part would be searched to its end from every `eyJ` in it.
    shape("JSON web token", "eyJ", r"(?:(?<![\w-])|(?<=\\[bfnrt]))eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}"),
)

_OTHERS: tuple[Shape, ...] = (
    shape(
        "private key",
        "private key",
        # Whole, or cut off: then all base64 that follows, over real and escaped line ends.
        rf'-----BEGIN {_PEM}(?:[^-"]{{0,20000}}-----END {_PEM}|(?:(?:\\+[nr]|\s)*[A-Za-z0-9+/=]{{8,}})+)',
    ),
    shape("bearer token", "bearer", rf"(?i:bearer)\s{{1,4}}({_BEARERLIKE}[A-Za-z0-9._~+/=-]{{16,4000}})"),
    shape(
        "authorization",
        "authorization",
        r"""(?i:authorization)["']?\s{0,4}[:=]\s{0,4}["']?(?i:basic|bearer|token)\s{1,4}([A-Za-z0-9._~+/=-]{8,4000})""",
    ),
    shape(
        "password in a URL", "://", r"(?<=://)([!$%&'(-.0-;=A-Z^-~]{1,512})(?=@)"
    ),  # user and password in a URL
    shape(
        "key or signature in a URL", "=", rf"[?&;]{_PARAMETER}=({VALUE}{{8,4000}})"
    ),  # a query parameter that holds a key
    shape(
        "storage key",
        "accountkey=|sharedaccesskey=",
        r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{20,200}={0,2})",
        gate="key=",
    ),
    shape(
        "AWS secret key",
        "secret_access_key|secretaccesskey",
        r"""(?i:aws_?)?(?i:secret_?access_?key)["']?\s{0,4}[:=]\s{0,4}["']?([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/])""",
        gate="secret",
    ),
    shape(
        "Telegram token",
        ":aa",
        r"(?:(?<![0-9A-Za-z])|(?<=bot))([0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])",
    ),
)


class _Needles:
    """Which shapes a text may hold. One look over a short text costs less than a look for each needle."""

    def __init__(self, shapes: tuple[Shape, ...]) -> None:
        self._gates: dict[bytes, dict[bytes, list[Shape]]] = {}
        for one in shapes:
            for needle in one.needles:
                self._gates.setdefault(one.gate or needle, {}).setdefault(needle, []).append(one)
        self._any = re.compile(b"|".join(map(re.escape, self._gates)))

    def shapes(self, text: bytes) -> Iterable[Shape]:
        """The shapes of which a needle stands in `text`."""
        if len(text) < _SHORT and self._any.search(text) is None:
            return ()
        found: dict[Shape, None] = {}
        for gate, needles in self._gates.items():
            if gate in text:
                for needle, shapes in needles.items():
                    if needle == gate or needle in text:
                        found |= dict.fromkeys(shapes)
        return found


_SHORT = 500
# The needles of keys are looked for as they are, those of all others in lower case.
_IN_KEYS, _IN_OTHERS = _Needles(_KEYS), _Needles((*_OTHERS, *HEADERS))


def find_shapes(data: bytes, runs: list[Span]) -> list[Span]:
    """Where `data` holds a well-known secret: byte ranges, in no order, maybe overlapping. `runs`: see `views.runs`."""
    found: list[Span] = []
    if runs:
        found += _spans(_IN_KEYS.shapes(b"\n".join([data[start:end] for start, end in runs])), data)
    return found + _spans(_IN_OTHERS.shapes(data.lower()), data)


def _spans(shapes: Iterable[Shape], data: bytes) -> list[Span]:
    return [match.span(one.pattern.groups) for one in shapes for match in one.pattern.finditer(data)]


def named_shapes(data: bytes) -> list[NamedSpan]:
    """Where `data` holds a well-known secret as it stands, and what each is called. For reports: redaction needs no names."""
    shapes = [*_IN_KEYS.shapes(data), *_IN_OTHERS.shapes(data.lower())]
    return [
        NamedSpan(match.start(one.pattern.groups), match.end(one.pattern.groups), one.name)
        for one in shapes
        for match in one.pattern.finditer(data)
    ]
