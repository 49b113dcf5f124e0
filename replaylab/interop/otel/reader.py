"""From the spans of a trace to conversations: calls of models that continue each other are one.

A call continues the one whose messages and answer its own messages begin with; so parallel agents, judges and repeated
questions stay apart, however their spans lie in time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from replaylab.canonical import digest
from replaylab.interop.otel.genai import ModelCall, kind_of, model_of, read_call
from replaylab.interop.otel.spans import Span, spans_of
from replaylab.interop.talk.conversation import Call, Conversation, Message, model
from replaylab.interop.talk.importer import Format, Spoken
from replaylab.interop.talk.reading import Document, Node, documents, parse, read_file
from replaylab.interop.transcript.lines import Redact, Wrong
from replaylab.schema.base import Json, JsonObject

WANTED = 'give OTLP traces as JSON: {"resourceSpans": […]}, one document or one a line'
NO_CONTENT = (
    "none of its calls of models holds messages: whoever recorded it left content out (instrumentations take it in with "
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT)"
)
EVALUATION = "gen_ai.evaluation.result"


@dataclass
class Lane:
    """Calls of models that continue each other."""

    calls: list[ModelCall] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)


def read_otel(name: str, path: Path, redact: Redact, odd: Counter[str]) -> Iterator[Spoken]:
    """The conversations of a file."""
    spans: dict[str, list[Span]] = {}
    seen: dict[tuple[str, str], str] = {}
    for one in documents(name, read_file(name, path), odd):
        if not isinstance(one, Document):
            yield Spoken(*one)
            continue
        try:
            for span in spans_of(one.where, Node(redact(one.value))):
                if not _again(span, seen, odd):
                    spans.setdefault(span.trace, []).append(span)
        except Wrong as wrong:
            yield Spoken(one.where, wrong)
    for trace, found in spans.items():
        yield from _trace(name, trace, found, odd)


def _again(span: Span, seen: dict[tuple[str, str], str], odd: Counter[str]) -> bool:
    """Whether a span was there already: exporters send again what was not acknowledged. Raises Wrong for another one."""
    said = digest([span.name, str(span.start), str(span.end), span.attributes])
    if not span.id or (span.trace, span.id) not in seen:
        seen[span.trace, span.id] = said
        return False
    if seen[span.trace, span.id] != said:
        raise Wrong(("spanId", f"the span {span.id} of this trace is another one elsewhere in the file"))
    odd["said_twice"] += 1
    return True


def _trace(name: str, trace: str, found: Sequence[Span], odd: Counter[str]) -> Iterator[Spoken]:
    where = f"{name}:{trace[:32] or 'trace'}"
    try:
        calls = _calls(found, odd)
    except Wrong as wrong:
        yield Spoken(where, wrong)
        return
    if calls and not any(call.asked or call.answered for call in calls):
        yield Spoken(where, Wrong(("attributes", NO_CONTENT)))
        return
    results = _results(found)
    lanes = _lanes([call for call in calls if call.asked or call.answered])
    for number, lane in enumerate(lanes):
        yield Spoken(
            f"{where}#{number}",
            _conversation(f"{where}#{number}", lane, found, results, alone=len(lanes) == 1),
        )


def _calls(found: Sequence[Span], odd: Counter[str]) -> list[ModelCall]:
    spans = [span for span in found if kind_of(span) == "model"]
    calls = []
    for span in sorted(spans, key=lambda span: (span.start, span.end, span.id)):
        try:
            call = read_call(span)
        except Wrong as wrong:
            raise Wrong(*((f"{span.where} {field}", why) for field, why in wrong.problems)) from wrong
        if span.failed and not call.answered:
            odd["failed_calls"] += 1
            continue
        odd["not_text"] += call.others
        calls.append(call)
    return calls


def _lanes(calls: Sequence[ModelCall]) -> list[Lane]:
    lanes: list[Lane] = []
    ends: dict[str, Lane] = {}
    for call in calls:
        keys = _chain(call.asked)
        at = next((number for number in range(len(keys) - 1, 0, -1) if keys[number] in ends), 0)
        lane = ends.pop(keys[at]) if at else Lane()
        if not at:
            lanes.append(lane)
        lane.calls.append(call)
        lane.messages += [*call.asked[at:], *call.answered]
        ends[_chain(call.answered, keys[-1])[-1]] = lane
    return lanes


def _chain(messages: Sequence[Message], start: str = "") -> list[str]:
    """A key for each beginning of these messages, the empty one first."""
    keys = [start]
    for one in messages:
        keys.append(digest([keys[-1], _said(one)]))
    return keys


def _said(one: Message) -> Json:
    """What a message says, without what only some instrumentations repeat: reasoning and ids."""
    if one.role == "tool":
        return ["tool", one.text if one.result is None else one.result]
    return [one.role, one.text.strip(), [[call.name, _plain(call)] for call in one.calls]]


def _plain(call: Call) -> Json:
    if not isinstance(call.arguments, str):
        return call.arguments or {}
    try:
        return parse(call.arguments) if call.arguments.strip() else {}
    except Wrong:
        return call.arguments


def _results(found: Sequence[Span]) -> dict[str, Json]:
    """What tools returned, by id of the call, where it stands on their own spans."""
    results: dict[str, Json] = {}
    for span in found:
        said = span.attributes
        identifier = said.get("gen_ai.tool.call.id") or said.get("tool.id")
        value = said.get("gen_ai.tool.call.result", said.get("output.value"))
        if kind_of(span) == "tool" and isinstance(identifier, str) and value is not None:
            results.setdefault(identifier, value)
    return results


def _conversation(
    where: str, lane: Lane, found: Sequence[Span], results: dict[str, Json], *, alone: bool
) -> Conversation:
    first = lane.calls[0].span
    service = first.attributes.get("gen_ai.agent.name") or first.resource.get("service.name") or "otel"
    scores = [
        score for span in (found if alone else [call.span for call in lane.calls]) for score in _scores(span)
    ]
    source: JsonObject = {"format": "otel", "trace": first.trace, "service": service}
    for name in ("gen_ai.provider.name", "gen_ai.system", "gen_ai.conversation.id"):
        if name in first.attributes:
            source[name] = first.attributes[name]
    return Conversation(
        where=where,
        messages=tuple(_with_results(lane.messages, results)),
        environment=f"otel-{service}",
        agent=model(model_of(first)),
        simulator=model("tools", "program"),
        tools=tuple({tool.name: tool for call in lane.calls for tool in call.tools}.values()),
        created=first.created,
        source=source | ({"scores": scores} if scores else {}),
    )


def _with_results(messages: Sequence[Message], results: dict[str, Json]) -> Iterator[Message]:
    """The messages, and after the last answer what its calls returned, where only the spans of tools say it."""
    answered = {one.answers for one in messages if one.role == "tool"}
    for number, one in enumerate(messages):
        yield one
        if number == len(messages) - 1:
            for call in one.calls:
                if call.id in results and call.id not in answered:
                    yield Message("tool", answers=call.id, result=results[call.id])


def _scores(span: Span) -> Iterator[JsonObject]:
    for event in span.events:
        said = event.attributes
        if event.name == EVALUATION or "gen_ai.evaluation.name" in said:
            value = said.get("gen_ai.evaluation.score.value", said.get("gen_ai.evaluation.score.label"))
            score = {"name": said.get("gen_ai.evaluation.name", "evaluation"), "value": value}
            why = said.get("gen_ai.evaluation.explanation")
            yield score | ({"explanation": why} if isinstance(why, str) else {})


OTEL = Format("otel", read_otel, part="trace", wanted=WANTED)
