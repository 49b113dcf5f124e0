"""`--judge MODEL`: what a contract check is not sure of put to a model, and what it made of it."""

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
from replaylab.cli.stage import built_in, catalogue_of, live_chats, price_table, redactor_of
from replaylab.derive.trajectory import trajectory_of
from replaylab.diff.judge import NO_ANSWER, VOTES, Question, Ruling, apply, judged, questions, refuse_partial
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
from replaylab.schema.violation import THRESHOLD, Violation
from replaylab.store.library import Library


class JudgeOrder(NamedTuple):
    """What was asked for: nobody judges where no model is named."""

    alias: str | None = None
    offline: bool = False


NOBODY_JUDGES = JudgeOrder()


class Case(NamedTuple):
    """What a check found in one cassette: violations and candidates."""

    cassette: str
    found: Sequence[Violation]


class JudgedCases(NamedTuple):
    """What a judge made of what was found, case by case: one violation may stand in two runs, with another ruling in each.

    `new` is how many questions were put now and not taken from a recording, `failed` why the last vote without an answer has
    none.
    """

    judge: str
    cases: tuple[tuple[Case, tuple[Ruling, ...]], ...]
    new: int
    failed: str = ""

    @property
    def found(self) -> list[Violation]:
        return [one for case, _ in self.cases for one in case.found]

    @property
    def rulings(self) -> list[Ruling]:
        return [one for _, rulings in self.cases for one in rulings]

    @property
    def outcomes(self) -> Counter[str]:
        return Counter(one.outcome for one in self.rulings)

    @property
    def dropped(self) -> int:
        """Votes whose word did not count."""
        return sum(word.says == "dropped" for one in self.rulings for word in one.words) - self.unanswered

    @property
    def unanswered(self) -> int:
        """Votes that nobody gave: the judge could not be asked."""
        return sum(word.why == NO_ANSWER for one in self.rulings for word in one.words)

    @property
    def without(self) -> int:
        """Violations by the check alone."""
        return sum(one.confidence >= THRESHOLD for one in self.found)

    @property
    def final(self) -> list[Violation]:
        """Violations with the judge's word."""
        return [one for case, rulings in self.cases for one in apply(case.found, rulings)]

    @property
    def raised(self) -> list[Violation]:
        """The candidates that are violations by the judge's word alone."""
        return [one.violation for one in self.rulings if one.outcome == "raised"]

    def lines(self) -> list[str]:
        """What a reader must know beside the figures that stand without a judge."""
        found = self.outcomes
        became = ", ".join(f"{found[name]} {name}" for name in ("raised", "confirmed", "cleared"))
        put = f"{counted(len(self.rulings), 'doubtful point')} put to it, {self.new} of them now"
        dropped = f"{counted(self.dropped, 'vote')} without a verbatim passage dropped"
        lost = f"no answer to {counted(self.unanswered, 'vote')}"
        return [
            *(
                [f"judge {self.judge}: {lost}{f': {self.failed}' * bool(self.failed)}"]
                * bool(self.unanswered)
            ),
            f"judge {self.judge}: {put}; {became}, {found['open']} left as it was; {dropped}",
            f"All figures above are without the judge: {counted(self.without, 'violation')}. With it: {len(self.final)}.",
        ]

    def to_json(self) -> JsonObject:
        """For a document."""
        return {
            "judge": self.judge,
            "put": len(self.rulings),
            "new": self.new,
            **{name: self.outcomes[name] for name in ("raised", "confirmed", "cleared", "open")},
            "dropped_votes": self.dropped,
            "unanswered_votes": self.unanswered,
            "violations_without": self.without,
            "violations_with": len(self.final),
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
    ruled: list[tuple[Case, tuple[Ruling, ...]]] = []
    try:
        with Progress(f"judge {model.alias}", unit="cassettes", err=app.output.err) as bar:
            for done, case in enumerate(cases, 1):
                rulings = _judge(library, judging, model.alias, case) if case.found else []
                ruled.append((case, tuple(rulings)))
                bar.update_counts(done, len(cases))
    finally:
        judging.close()
    unpriced = no_price([model], app.config.prices)
    if judging.asked and unpriced:
        app.output.say(f"what the judge costs is not known: {unpriced}")
    return JudgedCases(model.alias, tuple(ruled), judging.asked, judging.failed)


def _chats(app: App, model: ModelConfig, gate: Gate) -> OpenChat:
    """Chats that are made when the first question is not recorded: a replay needs neither key nor SDK."""
    made: list[OpenChat] = []

    def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
        if not made:
            catalogue, redactor = catalogue_of(app), redactor_of(app)
            made.append(live_chats(app, [model], built_in(catalogue), jobs=1, gate=gate, redactor=redactor))
        return made[0](lane, settings)

    return open_chat


def _judge(library: Library, judging: Judging, judge: str, case: Case) -> list[Ruling]:
    cassette = open_cassette(library, Digest(case.cassette))
    header = cassette.header
    trajectory = trajectory_of(header, cassette.lanes)
    asked = questions(header, trajectory, case.found)
    return judged(
        asked, lambda question: judging.ask(header, question.messages, _about(header, case, question)), judge
    )


def _about(header: Header, case: Case, question: Question) -> JsonObject:
    """What a reader of the recorded question needs: which candidate of which cassette it was."""
    one = question.violation
    return {"cassette": case.cassette, "candidate": one.id, "sort": question.sort, "path": one.path}


def show_judged(app: App, done: JudgedCases | None, *, full: bool) -> None:
    """Print what a judge made of it, below the figures without it."""
    if done is None:
        return
    for line in done.lines():
        app.output.text(line)
    if done.raised:
        app.output.lines(blocks(alike(done.raised), app.output.width or WIDTH, full=full))
