"""The answers that a cassette's lanes hold, each read once for whoever needs it."""

from __future__ import annotations

from collections.abc import Callable

from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Failure, Interaction
from replaylab.wire.completion import call_failed, judge, read_answer

Read = Callable[[Interaction], Completion]


def read_recorded(interaction: Interaction) -> Completion:
    """The recorded answer. Raises CallFailed where a failure is recorded."""
    return read_answer(interaction.final)


class Answers:
    """`read_recorded` that remembers. One for each cassette."""

    def __init__(self) -> None:
        # By identity: hashing a line costs more than reading it. The line is kept, so that its identity stays taken.
        self._known: dict[int, tuple[Interaction, Completion | Failure]] = {}

    def __call__(self, interaction: Interaction) -> Completion:
        found = self._found(interaction)
        if isinstance(found, Failure):
            raise call_failed(interaction.final, found)
        return found

    def of(self, interaction: Interaction) -> Completion | None:
        """The answer, None where a failure is recorded."""
        found = self._found(interaction)
        return None if isinstance(found, Failure) else found

    def _found(self, interaction: Interaction) -> Completion | Failure:
        known = self._known.get(id(interaction))
        if known is None:
            known = self._known[id(interaction)] = (interaction, judge(interaction.final))
        return known[1]
