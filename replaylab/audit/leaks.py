"""What an agent must not be told: the rubric, the reference plan, the state, the environment's own prompt."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.canonical import canonical
from replaylab.cassette.codec import Cassette
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Plan
from replaylab.schema.walk import texts

SHORTEST = 40  # characters: what is shorter stands in many texts by chance
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[.!?;:])\s+|\n+")


def leaks(cassette: Cassette) -> Iterator[Finding]:
    """Sentences of what is hidden that stand in what the engine told the agent. Observations are not looked at: what
    the simulator shows is what the agent may know.
    """
    header = cassette.header
    told = _plain(" ".join(_told(cassette)))
    may_know = _plain(header.task.instruction)
    hidden: dict[str, list[str]] = {
        "rubric": _sentences(header.task.rubric.text),
        "reference plan": _planned(header.task.plan),
        "initial state": [canonical(header.environment.initial_state).decode()],
        "environment prompt": _sentences(header.environment.system_prompt),
    }
    for what, sentences in hidden.items():
        for text in (_plain(one).rstrip(".!?;:") for one in sentences):
            if len(text) >= SHORTEST and text in told and text not in may_know:
                yield Finding.of(
                    "leak",
                    f"{cassette.where} {what}",
                    f"the agent was told a sentence of the {what}",
                    observed=text,
                )
                break


def _planned(plan: Plan | None) -> list[str]:
    if plan is None:
        return []
    return [*_sentences(plan.answer), *(canonical(call.arguments).decode() for call in plan.calls)]


def _told(cassette: Cassette) -> Iterator[str]:
    """The texts of the system and user messages in the agent's requests."""
    seen: set[str] = set()
    for row in cassette.lanes.get("agent", ()):
        for name in row.request.adds:
            if name in seen:
                continue
            seen.add(name)
            value = cassette.blob(name).value
            if isinstance(value, dict) and value.get("role") in ("system", "user", "developer"):
                yield from texts(value.get("content"), keys=False)


def _sentences(text: str) -> list[str]:
    return _SENTENCE.split(text)


def _plain(text: str) -> str:
    return _SPACE.sub(" ", text).strip().casefold()
