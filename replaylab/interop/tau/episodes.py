"""The older form: a list of episodes with `task_id`, `trial`, `reward`, `info` and `traj`, messages of the chat API.

It does not say which domain, which tools and which model took part. The first thing a user says differs from trial to
trial, since a model makes it up from the task's text; it is kept as an opening, and what the agent was told is the
policy alone.
"""

from __future__ import annotations

from replaylab.interop.chat.messages import read_messages
from replaylab.interop.talk.conversation import Conversation, model
from replaylab.interop.talk.reading import Node
from replaylab.roles.chat import canonical_text
from replaylab.schema.base import JsonObject

ENVIRONMENT = "tau-bench"


def read_episode(where: str, episode: Node) -> Conversation:
    """One episode. Raises Wrong."""
    messages, notes = read_messages(episode.at("traj"))
    info = episode.at("info")
    task = info.at("task") if isinstance(info.value, dict) else Node(None)
    system = "\n\n".join(one.text for one in messages if one.role == "system")
    instruction = system or _wanted(task)
    reward = episode.at("reward")
    source: JsonObject = {"format": "tau-bench"}
    if reward.value is not None:
        source["scores"] = [{"name": "reward", "value": reward.value}]
    if isinstance(info.value, dict):
        source |= {
            key: part
            for key, part in info.value.items()
            if key not in ("task", "source") and part is not None
        }
    return Conversation(
        where=where,
        messages=messages,
        environment=ENVIRONMENT,
        task=f"{ENVIRONMENT}-{episode.at('task_id').name()}",
        instruction=instruction,
        rubric=_rubric(task),
        simulator=model("tau-bench"),
        trial=episode.at("trial").count(most=9_999) if episode.has("trial") else None,
        source=source,
        notes=notes,
    )


def _wanted(task: Node) -> str:
    return task.at("instruction").text("") if isinstance(task.value, dict) else ""


def _rubric(task: Node) -> str:
    """What the simulated user was told to want, and what had to be done: for readers, no check is made of it."""
    if not isinstance(task.value, dict):
        return ""
    parts = [f"The simulated user was told: {_wanted(task)}"] if _wanted(task) else []
    parts += [
        f"Expected call: {action.at('name').text()} {canonical_text(action.at('kwargs').value or {})}"
        for action in task.at("actions").items()
    ]
    parts += [
        f"Expected in an answer: {canonical_text(output.value)}" for output in task.at("outputs").items()
    ]
    return "\n".join(parts)
