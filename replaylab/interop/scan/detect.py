"""Which secrets a text holds: by the shapes that redaction knows, by known values, and by a library of detectors.

Of the library's detectors those run that go by the form of a secret. Those that go by entropy or by the words before a
value see one in every digest, identifier and scenario about passwords; and nothing here asks a server whether a key works.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

from replaylab.wire.keyshapes import named_shapes
from replaylab.wire.redact import PLACEHOLDER, Redactor

DETECTORS = (
    "AWSKeyDetector",
    "ArtifactoryDetector",
    "AzureStorageKeyDetector",
    "BasicAuthDetector",
    "DiscordBotTokenDetector",
    "GitHubTokenDetector",
    "GitLabTokenDetector",
    "JwtTokenDetector",
    "MailchimpDetector",
    "NpmDetector",
    "OpenAIDetector",
    "PrivateKeyDetector",
    "PypiTokenDetector",
    "SendGridDetector",
    "SlackDetector",
    "SquareOAuthDetector",
    "StripeDetector",
    "TelegramBotTokenDetector",
    "TwilioKeyDetector",
)
SHORTEST = 8
WINDOW, OVERLAP = 20_000, 2_000  # characters of a line that are looked at in one piece
ENCODED = "secret in base64, hexadecimal or escapes, or a key that is configured here"


class Detector(Protocol):
    """As the library has them."""

    secret_type: str

    def analyze_string(self, string: str) -> Iterator[str]:
        """The secrets in a text."""


class Hit(NamedTuple):
    """A secret in a text: what it looks like, and itself with all but its beginning hidden."""

    kind: str
    masked: str


class Detective:
    """Looks for secrets. `known` are values that must stand nowhere, such as the keys of the environment."""

    def __init__(self, known: Sequence[str] = ()) -> None:
        mapping: Mapping[str, type[Detector]] = get_mapping_from_secret_type_to_class()
        classes = {one.__name__: one for one in mapping.values()}
        self._detectors: list[Detector] = [classes[name]() for name in DETECTORS if name in classes]
        self._redactor = Redactor(known)

    def hits(self, text: str) -> list[Hit]:
        """The secrets in a text, each once, in the order of their kinds."""
        if len(text) < SHORTEST:
            return []
        found = dict.fromkeys([*self._by_shape(text), *self._by_detector(text)])
        # One secret of two names is reported by its first.
        seen: dict[str, Hit] = {}
        for kind, secret in found:
            if PLACEHOLDER not in secret and not any(secret in other or other in secret for other in seen):
                seen[secret] = Hit(kind, masked(secret))
        if not seen and self._redactor.text(text) != text:
            return [Hit(ENCODED, "…")]
        return list(dict.fromkeys(seen.values()))

    def _by_shape(self, text: str) -> Iterator[tuple[str, str]]:
        data = text.encode("utf-8", "surrogatepass")
        for span in named_shapes(data):
            yield span.name, data[span.start : span.end].decode("utf-8", "replace")

    def _by_detector(self, text: str) -> Iterator[tuple[str, str]]:
        for line in text.split("\n"):
            for at in range(0, max(len(line) - OVERLAP, 1), WINDOW):
                piece = line[at : at + WINDOW + OVERLAP]
                for one in self._detectors:
                    for secret in one.analyze_string(piece):
                        if len(secret) >= SHORTEST:
                            yield one.secret_type, secret


def masked(secret: str) -> str:
    """The beginning of a secret, as far as its form tells it, and its length."""
    shown = "".join(char for char in secret[:4] if char.isprintable()) if len(secret) >= 16 else ""
    return f"{shown}… ({len(secret)} characters)"
