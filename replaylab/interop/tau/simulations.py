"""The newer form: an object of `info`, `tasks` and `simulations`, each with `messages`, `reward_info` and how it ended.

Calls that the simulated user made with tools of its own are no part of the agent's conversation: they are counted and
left out. A simulation that ended in an error of the infrastructure stays one trial, with what the source says of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from replaylab.interop.talk.conversation import Call, Conversation, Message, ToolGiven, model, words_of
from replaylab.interop.talk.reading import Node
from replaylab.interop.transcript.meaning import Aside
from replaylab.roles.chat import canonical_text
from replaylab.schema.base import Json, JsonObject, in_json
from replaylab.schema.interaction import Usage
from replaylab.schema.model import ModelSettings

_SAID_OF_IT = (
    "id",
    "termination_reason",
    "seed",
    "agent_cost",
    "user_cost",
    "duration",
    "hallucination_retries_used",
)
_BROKEN = ("infrastructure_error", "unexpected_error", "agent_error", "user_error", "timeout")


@dataclass(frozen=True)
class Simulations:
    """What all simulations of a file share."""

    domain: str
    policy: str
    agent: ModelSettings
    user: ModelSettings
    tools: tuple[ToolGiven, ...]
    tasks: dict[str, Node]

    @classmethod
    def of(cls, root: Node) -> Simulations:
        """Read the head of a file. Raises Wrong."""
        if not root.has("simulations"):
            raise root.wrong("there are no simulations in it")
        info = root.at("info")
        about = info.at("environment_info")
        agent, user = info.at("agent_info"), info.at("user_info")
        tasks = {one.at("id").name(): one for one in root.at("tasks").items()}
        return cls(
            domain=about.at("domain_name").text(),
            policy=about.at("policy").text(""),
            agent=model(agent.at("llm").text("") or agent.at("implementation").text("")),
            user=model(user.at("llm").text("") or user.at("implementation").text("")),
            tools=tuple(_tool(name, one) for name, one in about.at("tool_defs").fields()),
            tasks=tasks,
        )

    def read(self, where: str, one: Node) -> Conversation:
        """One simulation. Raises Wrong."""
        name = one.at("task_id").name()
        if not one.has("messages"):
            raise one.wrong(
                "only its ticks are kept, no messages: it was spoken in full duplex"
                if one.has("ticks")
                else "it is missing",
                "messages",
            )
        messages, notes = _messages(one.at("messages"))
        source: JsonObject = {"format": "tau2", "domain": self.domain}
        source |= {key: one.value[key] for key in _SAID_OF_IT if one.has(key)}
        reward = one.at("reward_info")
        if reward.value is not None:
            source["scores"] = [{"name": "reward", "value": reward.at("reward").value}]
            source["reward_info"] = {key: part for key, part in reward.object().items() if part is not None}
        return Conversation(
            where=where,
            messages=messages,
            environment=f"tau2-{self.domain}",
            task=f"tau2-{self.domain}-{name}",
            instruction=self.policy or f"Help the user. ({self.domain})",
            rubric=_rubric(self.tasks[name]) if name in self.tasks else "",
            agent=self.agent,
            simulator=self.user,
            tools=self.tools,
            trial=one.at("trial").count(most=9_999) if one.has("trial") else None,
            created=one.at("start_time").text(""),
            source=source,
            notes=notes,
            broken=one.at("termination_reason").value in _BROKEN,
        )


def _tool(name: str, one: Node) -> ToolGiven:
    parameters = one.at("params")
    described = "\n".join(filter(None, (one.at("doc").text(""), one.at("description").text(""))))
    return ToolGiven(name, described, parameters.object() if parameters.value is not None else None)


def _messages(node: Node) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    found: list[Message] = []
    notes: list[str] = []
    for one in _single(node):
        role = one.at("role").text()
        requestor = one.at("requestor").text("assistant")
        if role == "tool":
            if requestor == "user":
                notes.append("user_tools")
                continue
            found.append(Message("tool", answers=one.at("id").text(""), result=_result(one)))
            continue
        words = words_of(one.at("content"))
        notes += ["not_text"] * (words.others + int(one.at("is_audio").value is True))
        if role == "assistant":
            calls = tuple(
                Call(call.at("id").text(""), call.at("name").text(), call.at("arguments").value)
                for call in one.at("tool_calls").items()
                if call.at("requestor").text("assistant") == "assistant"
            )
            found.append(Message("assistant", words.text, calls, aside=_aside(one)))
        elif role in ("user", "system"):
            notes += ["user_tools"] * len(one.at("tool_calls").items())
            if words.text:
                found.append(Message("user" if role == "user" else "system", words.text))
        else:
            raise one.at("role").wrong(f"nobody knows the role {in_json(role)}")
    return tuple(found), tuple(notes)


def _single(node: Node) -> Iterator[Node]:
    """The messages, results that came together one by one."""
    for one in node.items():
        several = one.at("tool_messages")
        yield from several.items() if several.value is not None else (one,)


def _result(one: Node) -> Json:
    text = one.at("content").text("")
    return {"error": text} if one.at("error").value is True else text


def _aside(one: Node) -> Aside:
    usage = one.at("usage")
    counts = None
    if usage.value is not None:
        counts = Usage(
            prompt_tokens=usage.at("prompt_tokens").count(0),
            completion_tokens=usage.at("completion_tokens").count(0),
        )
    return Aside(usage=counts, ms=round(one.at("generation_time_seconds").number(0) * 1000, 3))


def _rubric(task: Node) -> str:
    """What the simulated user was told and what is graded, for readers."""
    names = ("user_scenario", "evaluation_criteria")
    return "\n".join(f"{name}: {canonical_text(task.at(name).value)}" for name in names if task.has(name))
