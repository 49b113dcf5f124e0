"""Which headers are kept of exchanges that any HTTP client made, where the few that an LLM's answer needs are not enough.

An allow-list: a header that nobody thought of may hold a key, a session or a name. Users can add to it by name, apart from
the headers that hold credentials by what they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlsplit

from replaylab.errors import UsageError
from replaylab.wire.redact import Redactor

_ANSWER = frozenset(
    re.findall(
        r"\S+",
        """
        accept-ranges age allow alt-svc apim-request-id cache-control cf-cache-status content-disposition
        content-language content-location content-range content-security-policy content-type date deprecation etag
        expires last-modified link location openai-model openai-processing-ms openai-version pragma referrer-policy
        request-id retry-after retry-after-ms server server-timing strict-transport-security sunset vary warning
        www-authenticate x-amzn-errortype x-amzn-requestid x-content-type-options x-correlation-id
        x-ms-client-request-id x-ms-request-id x-request-id x-should-retry x-total-count
        """,
    )
)
_ANSWER_PREFIXES = (
    "x-ratelimit-",
    "ratelimit-",
    "anthropic-ratelimit-",
    "access-control-",
    "x-amzn-bedrock-",
    "x-replaylab-seeded",
)
_QUESTION = frozenset(
    re.findall(
        r"\S+",
        """
        accept accept-language anthropic-beta anthropic-version content-type if-match if-none-match openai-beta range
        transfer-encoding x-stainless-retry-count
        """,
    )
)
_CREDENTIAL = re.compile(
    r"auth|cookie|token|secret|password|credential|session|signature|(?:^|-)key(?:-|$)|apikey"
)
_NOT_CREDENTIALS = frozenset(("www-authenticate",))
_SHORTEST = 12
FORM = "application/x-www-form-urlencoded"
LONG_FORM = 1 << 16
_PARAMETERS = frozenset(
    re.findall(
        r"\S+",
        """
        key api_key api-key apikey token access_token auth_token refresh_token id_token secret client_secret password
        passwd client_assertion sig signature subscription-key
        """,
    )
)
_ADDRESSES = frozenset(("content-location", "link", "location"))


class KeptHeaders:
    """The allow-list with what a user added to it. Raises UsageError for a header that holds credentials."""

    def __init__(self, more: Iterable[str] = ()) -> None:
        self._more = frozenset(name.strip().lower() for name in more)
        for name in sorted(self._more):
            if _CREDENTIAL.search(name) and name not in _NOT_CREDENTIALS:
                raise UsageError(
                    f"the header {name[:80]!r} holds a credential, and none is ever kept",
                    fix="what a client needs of it has to be given to the client",
                )

    def of_answer(self, name: str) -> bool:
        """Whether a response header is kept."""
        low = name.lower()
        return low in _ANSWER or low in self._more or low.startswith(_ANSWER_PREFIXES)

    def of_question(self, name: str) -> bool:
        """Whether a request header is kept. None of them takes part when requests are compared."""
        low = name.lower()
        return low in _QUESTION or low in self._more

    def value(self, redactor: Redactor, name: str, value: str) -> str:
        """The value as it is kept."""
        return redactor.url(value) if name.lower() in _ADDRESSES else redactor.text(value)

    def answer(self, redactor: Redactor, headers: Iterable[tuple[str, str]]) -> dict[str, str]:
        """The response headers that are kept: lower case, sorted, redacted; twins joined by a comma."""
        kept: dict[str, list[str]] = {}
        for name, value in headers:
            if self.of_answer(name):
                kept.setdefault(name.lower(), []).append(self.value(redactor, name, value))
        return {name: ", ".join(kept[name]) for name in sorted(kept)}


def secret_parameters(form: str) -> frozenset[str]:
    """The values of a query, or of a form that is posted, whose names say that they are credentials."""
    if "=" not in form:
        return frozenset()
    return frozenset(value for name, value in parse_qsl(form) if name.lower() in _PARAMETERS)


def credentials(
    headers: Iterable[tuple[str, str]], target: str = "", body: bytes | None = None
) -> frozenset[str]:
    """The values of headers, of the query and of a posted form that hold credentials, where they look like some: what a
    suite wrote in their place does not.

    They are secrets wherever else they stand: a server may say a key again. Cookies are left out, and are never kept either:
    they hold the time, and any piece of a secret goes, so `created` would be torn out of every answer.
    """
    found: list[str] = list(secret_parameters(urlsplit(target).query))
    for name, value in headers:
        low = name.lower()
        if _CREDENTIAL.search(low) and low not in _NOT_CREDENTIALS and "cookie" not in low:
            found.append(value.strip().split(" ")[-1])
        elif low == "content-type" and value.lower().startswith(FORM) and body and len(body) <= LONG_FORM:
            found += secret_parameters(body.decode("latin-1"))
    return frozenset(filter(_looks_secret, found))


def _looks_secret(value: str) -> bool:
    return (
        len(value) >= _SHORTEST
        and any(map(str.isdigit, value))
        and any(map(str.isalpha, value))
        and value.isascii()
        and " " not in value
    )
