"""From conversations to transcripts, which the engine plays: one environment for all that name it, one task a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from replaylab.canonical import digest
from replaylab.faults.plan import named
from replaylab.interop.talk.block import Block
from replaylab.interop.talk.conversation import Conversation
from replaylab.interop.talk.environment import Setting, settings_of
from replaylab.interop.talk.turns import Step, Turns, turns_of
from replaylab.interop.transcript.lines import Problem, Wrong
from replaylab.interop.transcript.meaning import (
    Place,
    Said,
    Transcript,
    arguments_text,
    created_text,
    observed_text,
    odd_call,
)
from replaylab.interop.transcript.numbering import said_digest
from replaylab.interop.transcript.trial import key_of
from replaylab.roles.chat import canonical_text
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import UNKNOWN
from replaylab.schema.scenario import Environment, Rubric, Task

Found = tuple[Conversation, Block | None]


def to_transcripts(found: Sequence[Found], odd: Counter[str]) -> tuple[list[Transcript], list[Problem]]:
    """A transcript for each conversation, in their order, and what can't become one. `odd` counts what is left out."""
    spoken = [(one, block, turns_of(one.messages)) for one, block in found]
    settings = settings_of((one, turns) for one, block, turns in spoken if block is None)
    tasks = _Tasks([(one, turns) for one, block, turns in spoken if block is None])
    transcripts: list[Transcript] = []
    problems: list[Problem] = []
    for one, block, turns in spoken:
        if not turns.steps and turns.answer is None and (one.broken or "unfinished" in turns.kept):
            odd["never_started"] += 1
            continue
        if not turns.steps and turns.answer is None:
            problems.append(Problem(one.where, "messages", "the agent says nothing in it"))
            continue
        try:
            if block is not None:
                transcripts.append(_ours(one, block, turns))
            else:
                transcripts.append(_theirs(one, turns, settings[one.environment], tasks.of(one, turns)))
        except Wrong as wrong:
            problems += [Problem(one.where, *problem) for problem in wrong.problems]
    return _apart(transcripts), problems


class _Tasks:
    """Tasks by what they say: where one name stands for several, each gets a name of its own."""

    def __init__(self, found: Sequence[tuple[Conversation, Turns]]) -> None:
        self._contents: dict[str, set[str]] = {}
        for one, turns in found:
            self._contents.setdefault(_name(one, turns), set()).add(_content(one, turns))

    def of(self, one: Conversation, turns: Turns) -> Task:
        name = _name(one, turns)
        if len(self._contents[name]) > 1:
            name = f"{name}-{_content(one, turns)[:8]}"
            turns.notes.append("task_differs")
        return Task(
            id=name,
            scenario=one.environment,
            environment=one.environment,
            instruction=_instruction(one, turns),
            rubric=Rubric(text=one.rubric),
            origin="imported",
        )


def _name(one: Conversation, turns: Turns) -> str:
    return one.task or f"{one.environment}-{digest([one.environment, _instruction(one, turns)])[:12]}"


def _content(one: Conversation, turns: Turns) -> str:
    return digest([one.environment, _instruction(one, turns), one.rubric])


def _instruction(one: Conversation, turns: Turns) -> str:
    said = [message.text for message in turns.opening if message.role in ("system", "user") and message.text]
    return one.instruction or "\n\n".join(said)


def _theirs(one: Conversation, turns: Turns, setting: Setting, task: Task) -> Transcript:
    said, given, places = _said(turns, setting)
    kept = dict(turns.kept)
    opening = [{"role": message.role, "text": message.text} for message in turns.opening if message.text]
    if one.instruction and opening:
        kept["opening"] = opening
    if given:
        kept["given"] = given
    if one.source:
        kept["source"] = one.source
    return Transcript(
        where=one.where,
        agent=one.agent,
        simulator=one.simulator,
        faults=named("E0"),
        scenario=ScenarioFacts(id=one.environment, name=one.environment, industry=UNKNOWN, domain=UNKNOWN),
        environment=setting.environment,
        task=task,
        steps=said,
        answer=turns.answer,
        trial=one.trial,
        created=created_text(one.created),
        kept=kept,
        notes=(*one.notes, *turns.notes, *(place.note for place in places)),
        closing=turns.closing,
        places=tuple(places),
    )


def _said(turns: Turns, setting: Setting) -> tuple[tuple[Said, ...], JsonObject, list[Place]]:
    """What was said, how that stands in the source where it is held otherwise (by number), and what is odd."""
    said, given, places = [], {}, []
    for number, step in enumerate(turns.steps):
        arguments, decoded = _arguments(step.arguments)
        observed, note = _observed(step, setting.tool(step), arguments, setting.environment, number)
        said.append(
            Said(step.text, setting.tool(step), arguments, observed, step.id, step.together, step.aside)
        )
        places += odd_call(f"call {number}", setting.tool(step), setting.environment, note, decoded=decoded)
        if note:
            given[str(number)] = step.result
    return tuple(said), given, places


def _arguments(given: Json) -> tuple[str, bool]:
    if isinstance(given, dict | str) or given is None:
        return arguments_text(given)
    return canonical_text(given), False


def _observed(
    step: Step, tool: str, arguments: str, environment: Environment, number: int
) -> tuple[str | None, str]:
    try:
        observed, note = observed_text(tool, arguments, step.result, environment)
    except Wrong as wrong:
        raise Wrong((f"call {number}", wrong.problems[0][1])) from wrong
    return observed, "" if note == "wrapped_observation" and not step.found else note


def _ours(one: Conversation, block: Block, turns: Turns) -> Transcript:
    """The trial that an export left: what the format could say from the conversation, the rest from its block."""
    said = []
    answers = -1
    for number, step in enumerate(turns.steps):
        answers += not step.together
        arguments = block.raw_arguments.get(str(number))
        if arguments is None:
            arguments = _arguments(step.arguments)[0]
        undisturbed = block.undisturbed.get(str(number), step.result)
        if number in block.unheard:
            observed = None
        else:
            observed = _observed(
                step._replace(result=undisturbed), step.tool, arguments, block.environment, number
            )[0]
        finish = block.finish_reasons.get(str(answers), step.aside.finish)
        said.append(
            Said(
                step.text,
                step.tool,
                arguments,
                observed,
                step.id,
                step.together,
                step.aside._replace(finish=finish),
            )
        )
    finish = block.finish_reasons.get(str(answers + 1), turns.closing.finish)
    return Transcript(
        where=one.where,
        # However it was bound while recording: what it called is told as native calls, and played as such.
        agent=block.agent.model_copy(update={"tools": "native", "stream": False}),
        simulator=block.simulator.model_copy(update={"observations": "free", "stream": False}),
        faults=block.faults,
        scenario=block.scenario,
        environment=block.environment,
        task=block.task,
        steps=tuple(said),
        answer=turns.answer,
        trial=block.trial,
        created=created_text(one.created),
        kept={"source": one.source | {"cassette": block.cassette}},
        notes=one.notes,
        closing=turns.closing._replace(finish=finish),
    )


def _apart(transcripts: Sequence[Transcript]) -> list[Transcript]:
    """Two different conversations of one number are two trials: the later one takes the next free number."""
    seen: dict[str, str] = {}
    found = []
    for one in transcripts:
        said = said_digest(one)
        taken = one.trial is not None and seen.setdefault(str(key_of(one)), said) != said
        found.append(replace(one, trial=None, notes=(*one.notes, "renumbered")) if taken else one)
    return found
