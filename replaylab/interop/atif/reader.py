"""From ATIF trajectories to conversations; those of agents that an agent called are conversations of their own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from replaylab.interop.atif.shape import ContentPart, Result, Step, TrajectoryFile, read_shape
from replaylab.interop.chat.messages import read_tools
from replaylab.interop.talk.block import BLOCK
from replaylab.interop.talk.conversation import Call, Conversation, Message, model
from replaylab.interop.talk.importer import Format, Spoken
from replaylab.interop.talk.reading import Document, Node, documents, read_file
from replaylab.interop.transcript.lines import Redact, Wrong
from replaylab.interop.transcript.meaning import SILENT, Aside
from replaylab.schema.base import JsonObject
from replaylab.schema.interaction import Usage

WANTED = "give ATIF trajectories: one JSON object a file, or one a line"


def read_atif(name: str, path: Path, redact: Redact, odd: Counter[str]) -> Iterator[Spoken]:
    """The conversations of a file."""
    for one in documents(name, read_file(name, path), odd):
        if not isinstance(one, Document):
            yield Spoken(*one)
            continue
        try:
            found = list(_with_called(one.where, read_shape(redact(one.value))))
        except Wrong as wrong:
            yield Spoken(one.where, wrong)
            continue
        for where, file in found:
            yield _spoken(where, file)


def _with_called(where: str, file: TrajectoryFile) -> Iterator[tuple[str, TrajectoryFile]]:
    yield where, file
    for number, one in enumerate(file.subagent_trajectories or ()):
        yield from _with_called(f"{where}#subagent_trajectories.{number}", one)


def _spoken(where: str, file: TrajectoryFile) -> Spoken:
    try:
        return Spoken(where, _conversation(where, file))
    except Wrong as wrong:
        return Spoken(where, wrong)


def _conversation(where: str, file: TrajectoryFile) -> Conversation:
    notes: list[str] = []
    messages = [message for step in file.steps for message in _messages(step, notes)]
    extra = Node(file.extra or {}, ("extra",))
    tools = Node(file.agent.tool_definitions, ("agent", "tool_definitions"))
    block = extra.at(BLOCK)
    return Conversation(
        where=where,
        messages=tuple(messages),
        environment=f"atif-{file.agent.name}",
        agent=model(file.agent.model_name or file.agent.name),
        simulator=model("tools", "program"),
        tools=read_tools(tools),
        created=next((step.timestamp for step in file.steps if step.timestamp), ""),
        source=_source(file),
        notes=tuple(notes),
        block=block if block.value is not None else None,
        broken=block.value is not None,  # what was exported from here without any answer ended in an error
    )


def _source(file: TrajectoryFile) -> JsonObject:
    source: JsonObject = {"format": file.schema_version, "agent": f"{file.agent.name} {file.agent.version}"}
    for name in ("session_id", "trajectory_id", "notes", "continued_trajectory_ref"):
        if getattr(file, name) is not None:
            source[name] = getattr(file, name)
    if file.final_metrics is not None:
        source["final_metrics"] = file.final_metrics.model_dump(mode="json", exclude_none=True)
    extra = {key: part for key, part in (file.extra or {}).items() if key != BLOCK}
    scores = extra.pop("scores", None)
    if isinstance(scores, list) and all(isinstance(one, dict) for one in scores):
        source["scores"] = scores
    return source | ({"extra": extra} if extra else {})


def _messages(step: Step, notes: list[str]) -> Iterator[Message]:
    text = _text(step.message, notes)
    results = step.observation.results if step.observation else []
    if step.source != "agent":
        said = "\n".join(filter(None, (text, *(_text(one.content, notes) for one in results))))
        yield Message("user" if step.source == "user" else "system", said)
        return
    calls = tuple(Call(one.tool_call_id, one.function_name, one.arguments) for one in step.tool_calls or ())
    yield Message("assistant", text, calls, aside=_aside(step))
    if calls:
        yield from (_result(one, notes) for one in results)
    elif results:
        # An action that stands in the text and is no call of a tool: what came of it is the answer to that text.
        yield Message("user", "\n".join(filter(None, (_text(one.content, notes) for one in results))))


def _result(one: Result, notes: list[str]) -> Message:
    return Message("tool", answers=one.source_call_id or "", result=_text(one.content, notes))


def _text(content: str | Sequence[ContentPart] | None, notes: list[str]) -> str:
    if content is None or isinstance(content, str):
        return content or ""
    texts = []
    for part in content:
        if part.source is not None:
            notes.append("not_text")
        texts.append(
            part.text if part.text is not None else f"[{part.type} {part.source.path if part.source else ''}]"
        )
    return "\n".join(texts)


def _aside(step: Step) -> Aside:
    metrics = step.metrics
    counted = metrics and (metrics.prompt_tokens is not None or metrics.completion_tokens is not None)
    usage = None
    if metrics is not None and counted:
        usage = Usage(
            prompt_tokens=metrics.prompt_tokens or 0,
            completion_tokens=metrics.completion_tokens or 0,
            cached_tokens=metrics.cached_tokens or 0,
        )
    extra = Node((metrics.extra if metrics else None) or {}, ("metrics", "extra"))
    reasoning = step.reasoning_content or ""
    if not (usage or reasoning or step.model_name or extra.value):
        return SILENT
    return Aside(
        reasoning=reasoning,
        usage=usage,
        model=step.model_name or "",
        ms=extra.at("latency_ms").number(0),
    )


ATIF = Format("atif", read_atif, part="trajectory", wanted=WANTED)
