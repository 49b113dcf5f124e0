"""What the recording of a stranger says of itself: what was recorded, of which endpoints, and how requests are compared."""

from __future__ import annotations

from pydantic import Field

from replaylab.schema.base import DigestField, Frozen

PLACEHOLDER = "*NORMALISED*"


class NormaliseRule(Frozen):
    """What takes no part when a request is compared with the recorded ones. Nothing that is stored is changed by it.

    `pointer` (RFC 6901; a part `*` stands for any one) names places in the body, `pattern` what is replaced in the texts
    there, or everywhere when there is no pointer; without a pattern the whole value goes. `endpoint` and `path` narrow it.
    """

    pointer: str = ""
    pattern: str = ""
    replace: str = PLACEHOLDER
    endpoint: str = ""
    path: str = ""


class CaptureFacts(Frozen):
    """What was recorded. `command` and `endpoints` (base URLs by alias) are redacted.

    `client` is what stood between: `proxy`, `vcrpy`, `har`, … `rules` are those in force while recording; a replay
    compares with its own. `redaction` is the version of the rules by which secrets were taken out. `extends` is the run
    whose answers were played first, so that only what was new was asked.
    """

    client: str = ""
    command: tuple[str, ...] = ()
    endpoints: dict[str, str] = Field(default_factory=dict)
    rules: tuple[NormaliseRule, ...] = ()
    redaction: str = ""
    extends: DigestField | None = None
