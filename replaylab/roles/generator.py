"""The generator: writes a scenario, its environments and tasks part by part. What it is asked, and how it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from jsonschema import Draft202012Validator

from replaylab.canonical import NotIJson, parse_strict
from replaylab.errors import CallFailed
from replaylab.roles.chat import Chat, canonical_text, correction, message, response_format
from replaylab.roles.parsing import Unparsable, one_json_object
from replaylab.roles.prompts import GENERATOR, prompt, render
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Prompt
from replaylab.schema.model import ModelSettings

Step = Literal[
    "reference",
    "subtopics",
    "environment",
    "tools",
    "state",
    "task",
    "plan",
    "rubric",
    "checks",
    "diagnosis",
    "twin",
]
ROLE = "generator"
ORDER, PARTS, BEFORE, FINDINGS, WANTED = "## Order", "## So far", "## Before", "## Findings", "## Wanted"
SECTIONS = ("terms", "workflow", "state_variables", "edge_cases", "constraints")
# Bounds of structured output, in which a small model would go on and on. What is due is shorter, and what is longer is read.
MAX_LINE, MAX_SECTION, MAX_RUBRIC, MAX_INSTRUCTION, MAX_PAGE = 2000, 1200, 4000, 6000, 8000
MAX_ANSWER = (
    400_000  # characters; several times what the longest part may have, and what can be proved in a moment
)


def _text(limit: int = MAX_LINE, least: int = 1) -> JsonObject:
    return {"type": "string", "minLength": least, "maxLength": limit}


def _closed(properties: Mapping[str, Json], optional: Sequence[str] = ()) -> JsonObject:
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }


def _list(items: Json, most: int) -> JsonObject:
    return {"type": "array", "items": items, "minItems": 1, "maxItems": most}


_OPEN: JsonObject = {"type": "object"}
_TOOL = _closed(
    {
        "name": _text(64),
        "description": _text(),
        "effect": {"enum": ["read", "write"]},
        "parameters": _OPEN,
        "example_output": _OPEN,
    }
)
_CALL = _closed(
    {"tool": _text(64), "arguments": _OPEN, "purpose": {"enum": ["act", "verify"]}}, optional=["purpose"]
)
PARTS_TO_MEND = ("environment", "tools", "state", "task", "plan", "rubric", "checks")
SHAPES: dict[Step, JsonObject] = {
    "reference": _closed({"summary": _text(400), **{name: _text(MAX_SECTION) for name in SECTIONS}}),
    "subtopics": _closed({"subtopics": _list(_text(120), 16)}),
    # `twin_of` names a shipped environment whose code runs this one too; only a program can know one.
    "environment": _closed(
        {"system_prompt": _text(MAX_PAGE), "clock": _text(40, least=0), "twin_of": _text(100)},
        optional=["clock", "twin_of"],
    ),
    "tools": _closed({"tools": _list(_TOOL, 12)}),
    "state": _closed({"state": _OPEN, "description": _OPEN}),
    "task": _closed({"instruction": _text(MAX_INSTRUCTION)}),
    "plan": _closed({"calls": _list(_CALL, 40), "answer": _text(MAX_LINE, least=0)}),
    "rubric": _closed({"text": _text(MAX_RUBRIC)}),
    "checks": _closed({"checks": _list(_OPEN, 60)}),
    "diagnosis": _closed({"part": {"enum": list(PARTS_TO_MEND)}, "why": _text()}),
    "twin": _closed({"code": _text(60_000)}),
}


class Question(NamedTuple):
    """What the generator is asked: the step, the order, the parts so far; for a repair also what was and what is wrong."""

    step: Step
    order: JsonObject
    parts: JsonObject
    before: Json = None
    findings: Sequence[Json] = ()

    @property
    def repairs(self) -> bool:
        return self.before is not None

    @property
    def missing(self) -> int | None:
        """How many more are wanted of a list of which the others stand; None where the whole part is."""
        return self.order.get("missing")

    def text(self) -> str:
        """The message. Values stand as canonical JSON on one line below their heading."""
        wanted = render(_wanted(self))
        if self.repairs and not self.missing:
            wanted = render("generator_repair", wanted=wanted)
        sections: list[tuple[str, str]] = [
            (ORDER, canonical_text({"step": self.step, **self.order})),
            (PARTS, canonical_text(self.parts)),
        ]
        if self.repairs:
            sections.append((BEFORE, canonical_text(self.before)))
        if self.findings:
            sections.append((FINDINGS, canonical_text(list(self.findings))))
        return "\n\n".join(f"{heading}\n{text}" for heading, text in [*sections, (WANTED, wanted)])


def read_question(text: str) -> Question | None:
    """The question in a message, for programs that generate; None where it holds none."""
    found: dict[str, Json] = {}
    lines = text.split("\n")
    for heading in (ORDER, PARTS, BEFORE, FINDINGS):
        if heading in lines[:-1]:
            try:
                found[heading] = parse_strict(lines[lines.index(heading) + 1])
            except NotIJson:
                return None
    order, parts = found.get(ORDER), found.get(PARTS)
    if not isinstance(order, dict) or not isinstance(parts, dict) or order.get("step") not in SHAPES:
        return None
    rest = {name: value for name, value in order.items() if name != "step"}
    return Question(order["step"], rest, parts, found.get(BEFORE), found.get(FINDINGS) or ())


class Written(NamedTuple):
    """What the generator answered, None where it gave nothing usable; `failed` says why, `asked` how often it was asked."""

    value: JsonObject | None
    failed: str = ""
    asked: int = 1


def read_written(step: Step, text: str) -> JsonObject:
    """The part that an answer holds. Raises Unparsable with one of a few fixed reasons."""
    if len(text) > MAX_ANSWER:
        raise Unparsable("it is longer than any part can be")
    value = one_json_object(text)
    problems = sorted(
        (list(map(str, error.absolute_path)), str(error.validator))
        for error in Draft202012Validator(_unbounded(SHAPES[step])).iter_errors(value)
    )
    if problems:
        path, rule = problems[0]
        raise Unparsable(
            f"it has not the shape that was asked for, at {'.'.join(path) or 'its fields'} ({rule})"
        )
    return value


def _unbounded(schema: Any) -> Any:
    """Without the bounds that only keep a small model from going on: what is too long is a finding, not unreadable."""
    if isinstance(schema, dict):
        return {key: _unbounded(part) for key, part in schema.items() if key not in ("maxLength", "maxItems")}
    return schema


def _wanted(question: Question) -> str:
    """The prompt that says what is wanted."""
    return "generator_more_subtopics" if question.missing else f"generator_{question.step}"


def _offered(question: Question) -> JsonObject:
    """The shape as structured output takes it: every field is required, and what only a program can know is not there.

    A list of a known length has that length here. An answer that has not is read all the same, and is a finding.
    """
    shape = SHAPES[question.step]
    if question.step == "subtopics":
        due = question.missing or shape["properties"]["subtopics"]["maxItems"]
        length = {"minItems": due, "maxItems": due}
        shape = {**shape, "properties": {"subtopics": shape["properties"]["subtopics"] | length}}
    shape = {**shape, "properties": {k: v for k, v in shape["properties"].items() if k != "twin_of"}}
    return {**shape, "required": list(shape["properties"])}


def prompts_for(question: Question) -> dict[str, Prompt]:
    """The prompts that take part in a question."""
    names = ["generator", "generator_again", _wanted(question)]
    names += ["generator_repair"] if question.repairs and not question.missing else []
    return {name: prompt(name) for name in sorted(names) if name in GENERATOR}


class Generator:
    """One question in one lane. `asks` bounds how often it is put."""

    def __init__(self, chat: Chat, settings: ModelSettings, *, asks: int = 3) -> None:
        self._chat, self._asks = chat, asks
        self._bound = settings.observations == "json_schema"

    def write(self, question: Question) -> Written:
        """The part that was asked for. An answer without it is asked for again; a failed call is not."""
        messages = [message("system", render("generator")), message("user", question.text())]
        extra = response_format(question.step, _offered(question)) if self._bound else None
        failed = "no asking was allowed"
        for asked in range(1, self._asks + 1):
            try:
                completion = self._chat.ask(tuple(messages), extra=extra)
            except CallFailed as error:
                return Written(None, error.kind, asked)
            try:
                return Written(read_written(question.step, completion.text), asked=asked)
            except Unparsable as error:
                failed = f"unparsable: {error.what}"
                messages += correction("generator_again", completion, error)
        return Written(None, failed, self._asks)
