"""`twin`: a simulator that runs the twin of an environment over the actions in the request.

What the history says was observed is not looked at: the state follows from the actions alone. So a conversation that
another simulator began is answered as this environment would have gone.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

from replaylab.builtin.actions import SimAction, read_actions
from replaylab.builtin.answer import json_text
from replaylab.builtin.asked import Asked, Refusal
from replaylab.builtin.index import Index
from replaylab.canonical import digest
from replaylab.catalogue.twin import Twin, has_twin, load_twin
from replaylab.errors import UsageError
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment

_KEPT = 512


class Twins:
    """Twins that stand at the end of a conversation, so that its next request costs one call and not all of them.

    A twin is taken out while it is used: no two requests share one, and a failed call leaves none behind.
    """

    def __init__(self, index: Index, trusted: Sequence[Path]) -> None:
        self._index, self._trusted = index, tuple(trusted)
        self._kept: OrderedDict[str, Twin] = OrderedDict()
        self._lock = threading.Lock()

    def respond(self, asked: Asked) -> str:
        """The observation of the last action, as canonical JSON. Raises Refusal."""
        environment = self._environment(asked.system)
        return json_text(self._observe(environment, read_actions(asked)))

    def standing(self, system: str, actions: Sequence[SimAction]) -> tuple[Environment, Twin]:
        """The environment of a prompt, and a twin of the caller's own that stands after these actions. Raises Refusal."""
        environment = self._environment(system)
        keys = _prefixes(environment, actions)
        done, twin = self._take(keys, environment)
        for action in actions[done:]:
            self.call(environment, twin, action)
        copied = twin.fork()
        self._keep(keys[-1], twin)
        return environment, copied

    @staticmethod
    def call(environment: Environment, twin: Twin, action: SimAction) -> Json:
        """What a twin returns for an action. Raises Refusal (500) when its code breaks."""
        try:
            return twin.call(action.tool, action.arguments)
        except Exception as error:
            what = f"the twin of {environment.id} failed in {action.tool}: {type(error).__name__}: {error}"
            raise Refusal(what, status=500, code="twin_failed", fix="Mend its twin.py.") from error

    def _environment(self, system: str) -> Environment:
        found = self._index.environments(system)
        if not found:
            raise Refusal(
                "the system prompt is not one of this catalogue's environments",
                param="messages",
                fix="Load the folder of its scenario, or take the model `example`.",
            )
        for environment in found:
            if has_twin(self._index.catalogue.folder_of(environment.id), environment.id):
                return environment
        raise Refusal(
            f"the environment {found[0].id} has no twin",
            param="model",
            fix="Take the model `example` or a language model as its simulator, or write its twin.py.",
        )

    def _observe(self, environment: Environment, actions: Sequence[SimAction]) -> Json:
        keys = _prefixes(environment, actions)
        done, twin = self._take(keys[:-1], environment)
        observation: Json = None
        for action in actions[done:]:
            observation = self.call(environment, twin, action)
        self._keep(keys[-1], twin)
        return observation

    def _keep(self, key: str, twin: Twin) -> None:
        with self._lock:
            self._kept[key] = twin
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    def _take(self, keys: Sequence[str], environment: Environment) -> tuple[int, Twin]:
        """The twin that has gone furthest along these actions, and how many it has done."""
        with self._lock:
            for done in range(len(keys) - 1, 0, -1):
                if keys[done] in self._kept:
                    return done, self._kept.pop(keys[done])
        try:
            return 0, load_twin(
                self._index.catalogue.folder_of(environment.id), environment, trusted=self._trusted
            )
        except UsageError as error:
            raise Refusal(error.what, param="model", code="no_twin", fix=f"To do: {error.fix}.") from error


def _prefixes(environment: Environment, actions: Sequence[SimAction]) -> list[str]:
    """A name for the state after each number of actions, 0 first."""
    keys: list[str] = [digest({"v": "twin/1", "environment": environment.id})]
    for action in actions:
        keys.append(digest({"after": keys[-1], "tool": action.tool, "arguments": action.arguments}))
    return keys
