"""What a reader must know before the first number: who played, and whether anybody recorded it."""

from __future__ import annotations

from collections.abc import Iterable

from replaylab.schema.cassette import UNDATED, Evidence
from replaylab.schema.model import UNKNOWN

EVIDENCE: dict[Evidence, str] = {
    "authored": "Authored, not recorded: these trials were written down after what somebody published, or made up "
    "to test with. No model was called for them, so nothing here says how good one is.",
    "imported": "Imported, not recorded: these trials come from another tool's files. replaylab did not see the calls.",
}
OWN = (
    "Some agents were the user's own. What they did with the tools is recorded, and what they asked LLMs through the clients "
    "and addresses that they were given; what else went on in them is not."
)


def players_notices(kinds: Iterable[str]) -> list[str]:
    """That programs or humans played, where they did."""
    present = set(kinds)
    notices = []
    if present == {"program"}:
        notices.append(
            "Every role was played by a program. No LLM took part, so nothing here says how good one is."
        )
    elif "program" in present:
        notices.append("Some roles were played by programs and not by LLMs; the players are marked.")
    if "own" in present:
        notices.append(OWN)
    if "human" in present:
        notices.append("Some roles were played by humans; the players are marked.")
    return notices


def dated(created: str) -> str:
    """When something was made, as it is recorded, or that no source says it."""
    return UNKNOWN if created == UNDATED else created


def evidence_notices(evidence: Evidence) -> list[str]:
    """That nobody recorded what is shown, where nobody did."""
    return [EVIDENCE[evidence]] if evidence in EVIDENCE else []
