"""Rules of ours, besides those of `scenarios check`: what a generator gets wrong that no author of a folder does."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from replaylab.schema.base import Json, JsonObject
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Environment, Task
from replaylab.schema.walk import texts

OVERLAP = 0.6  # of the words of two sub-topics; those of shipped scenarios share less
# In characters; lists and objects as JSON. Shipped scenarios are far below.
LONGEST = {
    "reference": 40_000,
    "summary": 800,
    "subtopic": 200,
    "system_prompt": 12_000,
    "tools": 40_000,
    "state": 60_000,
    "description": 12_000,
    "instruction": 6000,
    "plan": 20_000,
    "answer": 2000,
    "rubric": 4000,
    "checks": 40_000,
}
SHORTEST_SECRET = 5  # characters; a shorter answer stands in an instruction by chance
_PLACEHOLDER = re.compile(
    r"\{\{.*?\}\}|\b(?:TO[D]O|TBD|FIX[M]E|XX[X]|lorem ipsum)\b|<(?:your|insert)\b[^<>\n]{0,40}>|\[(?:insert|your)[^\]\n]{0,40}\]",
    re.IGNORECASE,
)
# Control characters, and marks that hide text or turn it round: what a reader sees is not what a model is given.
_HIDDEN = re.compile(
    r"[^\n\r\t\x20-\x7e\xa0-\U0010ffff]|[\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)
_ID = re.compile(r"(?<![\w-])[A-Z]{1,6}-\d{1,6}(?![\w-])")
_WORD = re.compile(r"[^\W\d_]{3,}")
_COMMON = frozenset({"and", "the", "for", "with", "of", "that", "are", "from", "their", "its"})


def overlap(subtopics: Sequence[str]) -> Iterator[Finding]:
    """Sub-topics of which two say the same."""
    words = [_words(one) for one in subtopics]
    for number, one in enumerate(subtopics):
        for other in range(number):
            both, either = words[number] & words[other], words[number] | words[other]
            same = one.casefold() == subtopics[other].casefold()
            if same or (either and len(both) / len(either) >= OVERLAP):
                what = f"the sub-topics {subtopics[other]!r} and {one!r} overlap"
                yield Finding.of("subtopic-overlap", f"scenario.json: subtopics.{number}", what, observed=one)
                break


def _words(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in _WORD.findall(text.casefold()) if word not in _COMMON)


def _stem(word: str) -> str:
    return re.sub(r"(?:ing|es|ed|s)$", "", word)


def reference_rules(reference: JsonObject) -> Iterator[Finding]:
    """Placeholders, hidden characters and texts without end in a reference document."""
    yield from unfit("reference.md", reference)
    yield from too_long("reference.md: summary", "summary", reference["summary"])
    yield from too_long("reference.md", "reference", reference)


def environment_rules(environment: Environment) -> Iterator[Finding]:
    """Placeholders, hidden characters and texts without end in an environment."""
    yield from unfit("system_prompt.md", environment.system_prompt)
    tools = [tool.model_dump(mode="json") for tool in environment.tools]
    yield from unfit("tools.json", tools)
    yield from unfit("state.json", environment.initial_state)
    yield from unfit("description.json", environment.state_description)
    yield from too_long("system_prompt.md", "system_prompt", environment.system_prompt)
    yield from too_long("tools.json", "tools", tools)
    yield from too_long("state.json", "state", environment.initial_state)
    yield from too_long("description.json", "description", environment.state_description)


def task_rules(task: Task, environment: Environment) -> Iterator[Finding]:
    """Placeholders, texts without end, ids that there are not, and answers that the instruction gives away."""
    path = f"tasks/{task.id}.json"
    answer = task.plan.answer if task.plan else ""
    calls = [call.model_dump(mode="json") for call in task.plan.calls] if task.plan else []
    for field, text in (
        ("instruction", task.instruction),
        ("rubric.text", task.rubric.text),
        ("rubric.checks", list(task.rubric.checks)),
        ("plan.calls", calls),
        ("plan.answer", answer),
    ):
        yield from unfit(f"{path}: {field}", text)
    yield from too_long(f"{path}: instruction", "instruction", task.instruction)
    yield from too_long(f"{path}: rubric.text", "rubric", task.rubric.text)
    yield from too_long(f"{path}: rubric.checks", "checks", list(task.rubric.checks))
    yield from too_long(f"{path}: plan.calls", "plan", calls)
    yield from too_long(f"{path}: plan.answer", "answer", answer)
    yield from _unknown_ids(task, environment, path)
    yield from _given_away(task, path)


def unfit(where: str, value: Json) -> Iterator[Finding]:
    """The first placeholder and the first hidden character in the texts of a value."""
    for kind, pattern, what in (
        ("placeholder", _PLACEHOLDER, "a placeholder is left"),
        ("hidden-text", _HIDDEN, "a character that readers do not see"),
    ):
        found = next(filter(None, map(pattern.search, texts(value))), None)
        if found:
            yield Finding.of(kind, where, f"{what}: {found[0]!a}", observed=ascii(found[0])[1:-1])


def too_long(where: str, name: str, value: Json) -> Iterator[Finding]:
    """A part that is longer than any of its kind has to be."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if len(text) > LONGEST[name]:
        what = f"{len(text)} characters, where {LONGEST[name]} are enough"
        yield Finding.of("too-long", where, what, observed=len(text))


def _unknown_ids(task: Task, environment: Environment, path: str) -> Iterator[Finding]:
    """Ids that neither the state holds nor a write before can have made."""
    held = json.dumps(environment.initial_state, ensure_ascii=False)
    writes = {tool.name for tool in environment.tools if tool.effect == "write"}
    for name in sorted(set(_ID.findall(task.instruction))):
        if not _is_held(name, held):
            what = f"the instruction names {name}, which the state does not hold"
            yield Finding.of("unknown-id", f"{path}: instruction", what, observed=name)
            break
    for number, call in enumerate(task.plan.calls if task.plan else ()):
        unknown = [name for name in _ID.findall(json.dumps(call.arguments)) if not _is_held(name, held)]
        if unknown:
            what = f"{call.tool} is called for {unknown[0]}, which the state does not hold and nothing has made before"
            yield Finding.of(
                "unknown-id", f"{path}: plan.calls.{number}.arguments", what, observed=unknown[0]
            )
            break
        if call.tool in writes:
            break  # from here on there may be things that a write has made


def _is_held(name: str, held: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", held) is not None


def _given_away(task: Task, path: str) -> Iterator[Finding]:
    """A value that the answer has to say, and that the instruction says already."""
    for check in task.rubric.checks:
        value = check.get("value")
        if isinstance(value, dict):
            value = value.get("eq", value.get("approx"))
        if check.get("kind") != "said" or check.get("ok") is False or isinstance(value, (dict, list, bool)):
            continue
        text = str(value)
        if len(text) >= SHORTEST_SECRET and re.search(
            rf"(?<!\w){re.escape(text)}(?!\w)", task.instruction, re.IGNORECASE
        ):
            what = f"the instruction says {text!r}, which the answer has to find out"
            yield Finding.of("answer-given", f"{path}: instruction", what, observed=value)
            return
