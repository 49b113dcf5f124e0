"""From the samples of a log to conversations. The agent is the model of the log, and its environment are the tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from replaylab.interop.chat.messages import read_tools
from replaylab.interop.inspect.log import Head, Sample, pooled_input, read_log
from replaylab.interop.talk.block import BLOCK
from replaylab.interop.talk.conversation import Call, Conversation, Message, ToolGiven, model, words_of
from replaylab.interop.talk.importer import Format, Spoken
from replaylab.interop.talk.reading import Node
from replaylab.interop.transcript.lines import Redact, Wrong
from replaylab.interop.transcript.meaning import SILENT, Aside
from replaylab.schema.base import Json, JsonObject, in_json
from replaylab.schema.interaction import Usage

WANTED = "give a log of Inspect's: a .eval file, or a .json file with `eval` and `samples`"
_FINISH = {"max_tokens": "length", "model_length": "length", "unknown": ""}
_OF_EVAL = (
    "task",
    "task_version",
    "task_args",
    "model",
    "created",
    "eval_id",
    "run_id",
    "revision",
    "packages",
)


def read_inspect(name: str, path: Path, redact: Redact, odd: Counter[str]) -> Iterator[Spoken]:
    """The conversations of a log, one for each sample and epoch."""
    head: Head | None = None
    try:
        for part in read_log(name, path, odd):
            if isinstance(part, Head):
                head = Head(Node(redact(part.eval.value), part.eval.path), part.status)
            elif isinstance(part.value, Wrong) or head is None:
                yield Spoken(
                    part.where, part.value if isinstance(part.value, Wrong) else Wrong(("", "no head"))
                )
            else:
                yield _spoken(head, _clean(part, redact))
    except Wrong as wrong:
        yield Spoken(name, wrong)


def _clean(part: Sample, redact: Redact) -> Sample:
    return Sample(part.where, redact(part.value), redact(list(part.pool)), redact(list(part.events)))


def _spoken(head: Head, part: Sample) -> Spoken:
    try:
        return Spoken(part.where, _conversation(head, part))
    except Wrong as wrong:
        return Spoken(part.where, wrong)


def _conversation(head: Head, part: Sample) -> Conversation:
    sample = Node(part.value)
    events = Node(list(part.events), ("events",)).items()
    messages, notes = _messages(sample, events, part.pool)
    task = head.eval.at("task").text()
    metadata = sample.at("metadata")
    block = metadata.at(BLOCK) if isinstance(metadata.value, dict) else Node(None)
    name = sample.at("id").name()
    return Conversation(
        where=part.where,
        messages=messages,
        environment=f"inspect-{task}",
        task=f"{task}-{name}",
        rubric=_target(sample),
        agent=model(head.eval.at("model").text("")),
        simulator=model("tools", "program"),
        tools=_tools(events),
        trial=_trial(sample.at("epoch")),
        created=head.eval.at("created").text(""),
        source=_source(head, sample),
        notes=notes,
        block=block if block.value is not None else None,
        broken=sample.has("error"),
    )


def _trial(epoch: Node) -> int:
    number = epoch.count(1, most=10_000)
    if number == 0:
        raise epoch.wrong("epochs count from 1")
    return number - 1


def _target(sample: Node) -> str:
    target = sample.at("target")
    texts = [target.value] if isinstance(target.value, str) else [one.value for one in target.items()]
    said = ", ".join(str(text).strip() for text in texts)
    return f"Target: {said}" if said else ""


def _source(head: Head, sample: Node) -> JsonObject:
    """What the log says of the sample and its result."""
    source: JsonObject = {"format": "inspect", "status": head.status}
    source |= {"eval": {key: head.eval.value[key] for key in _OF_EVAL if head.eval.has(key)}}
    scores = [_score(name, one) for name, one in sample.at("scores").fields()]
    if not scores and sample.has("score"):
        scores = [_score("score", sample.at("score"))]
    if scores:
        source["scores"] = scores
    for key in ("error", "limit", "choices"):
        if sample.has(key):
            source[key] = sample.value[key]
    metadata = sample.at("metadata").value
    if isinstance(metadata, dict) and metadata.keys() - {BLOCK}:
        source["metadata"] = {key: part for key, part in metadata.items() if key != BLOCK}
    return source


def _score(name: str, one: Node) -> JsonObject:
    if not isinstance(one.value, dict):
        return {"name": name, "value": one.value}
    kept = {key: one.value[key] for key in ("answer", "explanation") if one.has(key)}
    return {"name": name, "value": one.at("value").value} | kept


def _messages(
    sample: Node, events: Sequence[Node], pool: Sequence[Json]
) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    given = sample.at("messages").items()
    if not given and events:
        # A sample that broke off keeps no messages, but its last call of the model has them all.
        last = events[-1]
        given = Node([*pooled_input(last, pool), *_answers(last)], ("events", "messages")).items()
    asides = _asides(events)
    unnamed = [one for one in given if _generated(one) and not one.has("id")]
    in_order = iter(asides.values() if len(unnamed) == len(asides) else ())
    found, notes = [], []
    for one in given:
        aside = asides.get(one.at("id").text(""), SILENT)
        if aside is SILENT and not one.has("id") and _generated(one):
            aside = next(in_order, SILENT)
        message, others = _message(one, aside)
        found.append(message)
        notes += ["not_text"] * others
    return tuple(found), tuple(notes)


def _generated(one: Node) -> bool:
    return one.at("role").value == "assistant" and one.at("source").value in (None, "generate")


def _answers(event: Node) -> list[Json]:
    output = event.at("output")
    if output.value is None:
        return []
    return [one.at("message").value for one in output.at("choices").items()[:1]]


def _asides(events: Sequence[Node]) -> dict[str, Aside]:
    """What is known of each answer of the model beside its words, by the id of its message (by place where it has none)."""
    found: dict[str, Aside] = {}
    for number, event in enumerate(events):
        output = event.at("output")
        choices = output.at("choices").items() if output.value is not None else []
        if not choices:
            continue
        finish = choices[0].at("stop_reason").text("")
        key = choices[0].at("message").at("id").text("") or f"#{number}"
        found[key] = Aside(
            finish=_FINISH.get(finish, finish),
            usage=_usage(output.at("usage")),
            model=output.at("model").text(""),
            ms=round(output.at("time").number(event.at("working_time").number(0)) * 1000, 3),
        )
    return found


def _usage(node: Node) -> Usage | None:
    """Inspect counts cached tokens apart from the other input tokens; here they are among them."""
    if node.value is None:
        return None
    read = node.at("input_tokens_cache_read").count(0)
    return Usage(
        prompt_tokens=node.at("input_tokens").count(0) + read + node.at("input_tokens_cache_write").count(0),
        completion_tokens=node.at("output_tokens").count(0),
        cached_tokens=read,
        reasoning_tokens=node.at("reasoning_tokens").count(0),
    )


def _message(one: Node, aside: Aside) -> tuple[Message, int]:
    role = one.at("role").text()
    words = words_of(one.at("content"))
    if role == "assistant":
        calls = tuple(
            Call(call.at("id").text(""), call.at("function").text(), call.at("arguments").value)
            for call in one.at("tool_calls").items()
        )
        said = aside._replace(reasoning=words.reasoning or one.at("reasoning").text(""))
        return Message("assistant", words.text, calls, aside=said), words.others
    if role == "tool":
        error = one.at("error")
        result: Json = words.text
        if error.value is not None:
            result = {"error": error.value} | ({"content": words.text} if words.text else {})
        name = one.at("function").text("")
        return Message(
            "tool", answers=one.at("tool_call_id").text(""), name=name, result=result
        ), words.others
    if role not in ("system", "user"):
        raise one.at("role").wrong(f"nobody knows the role {in_json(role)}")
    return Message("user" if role == "user" else "system", words.text), words.others


def _tools(events: Sequence[Node]) -> tuple[ToolGiven, ...]:
    """The tools that the model was ever given; of two of one name the first."""
    found: dict[str, ToolGiven] = {}
    for event in events:
        for tool in read_tools(event.at("tools")):
            found.setdefault(tool.name, tool)
    return tuple(found.values())


INSPECT = Format("inspect", read_inspect, part="sample", wanted=WANTED)
