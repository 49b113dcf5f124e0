"""`--judge MODEL`: candidates of a contract check put to a model, and what it made of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from replaylab.canonical import Digest
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import Lane
from replaylab.cli.app import App
from replaylab.cli.config import ModelConfig, resolve
from replaylab.cli.output import counted
from replaylab.cli.prices import no_price
from replaylab.cli.progress import Progress
from replaylab.cli.stage import catalogue_of, live_chats, price_table, redactor_of
from replaylab.derive.trajectory import trajectory_of
from replaylab.diff.judge import VOTES, Question, Ruling, judged, questions, refuse_partial
from replaylab.engine.gate import Gate
from replaylab.engine.judging import Judging
from replaylab.engine.seams import real_seams
from replaylab.engine.trial import OpenChat
from replaylab.errors import UsageError
from replaylab.report.lines import WIDTH
from replaylab.report.violation_text import alike, blocks
from replaylab.roles.chat import Chat
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Header
from replaylab.schema.model import ModelSettings
from replaylab.schema.run import Run
from replaylab.schema.violation import Violation
from replaylab.store.library import Library


class JudgeOrder(NamedTuple):
    """What was asked for: nobody judges where no model is named."""

    alias: str | None = None
    offline: bool = False


NOBODY_JUDGES = JudgeOrder()


class Case(NamedTuple):
    """The candidates of one cassette."""

    cassette: str
    candidates: Sequence[Violation]


class JudgedCases(NamedTuple):
    """What a judge made of the candidates. `put` is how many of all it was asked about, `new` how many of those now."""

    judge: str
    candidates: int
    put: int
    new: int
    rulings: tuple[Ruling, ...]

    @property
    def outcomes(self) -> Counter[str]:
        return Counter(one.outcome for one in self.rulings)

    @property
    def dropped(self) -> int:
        """Votes whose word did not count."""
        return sum(word.says == "dropped" for one in self.rulings for word in one.words)

    def lines(self) -> list[str]:
        """What a reader must know beside the figures that stand without a judge."""
        found = self.outcomes
        how = f"{self.put} of them put to it ({self.new} now, the others recorded)"
        became = (
            f"{found['raised']} raised to violations, {found['cleared']} cleared, {found['open']} left open"
        )
        dropped = f"{counted(self.dropped, 'vote')} without a verbatim passage did not count"
        return [
            f"judge {self.judge}: {counted(self.candidates, 'candidate')}, {how}; {became}; {dropped}",
            f"The figures above are without the judge; with it there are {found['raised']} more violations.",
        ]

    @property
    def raised(self) -> list[Violation]:
        """The candidates that are violations by the judge's word."""
        return [one.violation for one in self.rulings if one.outcome == "raised"]

    def to_json(self) -> JsonObject:
        """For a document."""
        return {
            "judge": self.judge,
            "candidates": self.candidates,
            "put": self.put,
            "new": self.new,
            "raised": self.outcomes["raised"],
            "cleared": self.outcomes["cleared"],
            "open": self.outcomes["open"],
            "dropped_votes": self.dropped,
            "rulings": [one.to_json() for one in self.rulings],
        }


def judge_model(app: App, order: JudgeOrder, runs: Iterable[Run]) -> ModelConfig | None:
    """The model that is to judge what these runs hold, None where none is asked for.

    Raises UsageError for one that is checked itself, and for a program that can't read a contract.
    """
    if order.alias is None:
        if order.offline:
            raise UsageError(
                "--offline is for --judge only", fix="leave it out; nothing else here asks anybody"
            )
        return None
    model = resolve(order.alias, app.config)
    if model.source == "built-in":
        raise UsageError(
            f"the built-in model {order.alias!r} is a program that can't read a contract",
            fix="name an LLM; `replaylab models` lists them",
        )
    refuse_partial(model.settings, [one for run in runs for one in run.spec.simulators])
    return model


def judge_cases(
    app: App, library: Library, model: ModelConfig | None, cases: Sequence[Case], *, offline: bool
) -> JudgedCases | None:
    """Put what a judge may decide to it. What is recorded is not asked again; offline nothing is asked at all."""
    if model is None:
        return None
    gate = Gate(1, price=price_table(app, [model]), players={model.alias: model.settings.player})
    chats = None if offline else _chats(app, model, gate)
    judging = Judging(library, model.settings, real_seams(), chats, votes=VOTES)
    rulings: list[Ruling] = []
    try:
        with Progress(f"judge {model.alias}", unit="cassettes", err=app.output.err) as bar:
            for done, case in enumerate(cases, 1):
                rulings += _judge(library, judging, model.alias, case) if case.candidates else []
                bar.update_counts(done, len(cases))
    finally:
        judging.close()
    unpriced = no_price([model], app.config.prices)
    if judging.asked and unpriced:
        app.output.say(f"what the judge costs is not known: {unpriced}")
    total = sum(len(case.candidates) for case in cases)
    return JudgedCases(model.alias, total, len(rulings), judging.asked, tuple(rulings))


def _chats(app: App, model: ModelConfig, gate: Gate) -> OpenChat:
    """Chats that are made when the first question is not recorded: a replay needs neither key nor SDK."""
    made: list[OpenChat] = []

    def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
        if not made:
            catalogue, redactor = catalogue_of(app), redactor_of(app)
            made.append(live_chats(app, [model], catalogue, jobs=1, gate=gate, redactor=redactor))
        return made[0](lane, settings)

    return open_chat


def _judge(library: Library, judging: Judging, judge: str, case: Case) -> list[Ruling]:
    cassette = open_cassette(library, Digest(case.cassette))
    header = cassette.header
    trajectory = trajectory_of(header, cassette.lanes)
    asked = questions(header, trajectory, case.candidates)
    return judged(
        asked, lambda question: judging.ask(header, question.messages, _about(header, case, question)), judge
    )


def _about(header: Header, case: Case, question: Question) -> JsonObject:
    """What a reader of the recorded question needs: which candidate of which cassette it was."""
    one = question.violation
    return {"cassette": case.cassette, "candidate": one.id, "sort": question.sort, "path": one.path}


def show_judged(app: App, done: JudgedCases | None, *, full: bool) -> list[Violation]:
    """Print what a judge made of the candidates, below the figures without it; the violations that it raised."""
    if done is None:
        return []
    for line in done.lines():
        app.output.text(line)
    if done.raised:
        app.output.lines(blocks(alike(done.raised), app.output.width or WIDTH, full=full))
    return done.raised
