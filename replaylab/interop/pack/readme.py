"""The README of a pack: for a reader who has this folder, standard tools, and has never heard of replaylab."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from replaylab.engine.ledger import status_counts
from replaylab.engine.redact import UNCHECKED
from replaylab.interop.pack.contents import Contents
from replaylab.interop.pack.names import SUMS
from replaylab.schema.cassette import Evidence, Header, Seal
from replaylab.schema.model import UNKNOWN, ModelSettings, played_by
from replaylab.schema.run import Run
from replaylab.schema.tombstone import Tombstone

_PLAYERS = {
    "llm": "a language model",
    "program": "a program, not a language model",
    "human": "a human",
    "own": "an agent of one's own, which may ask language models",
    UNKNOWN: "not named by the source",
}
_HOW = {
    "recorded": "recorded from live calls",
    "imported": "imported from another format, so not recorded by this tool",
    "authored": "written by hand",
    "copied": "copied from the cassette where it was recorded",
}


@dataclass
class Told:
    """What the cassettes of a pack say, gathered while they are read."""

    lanes: Counter[str] = field(default_factory=Counter)
    interactions: int = 0
    begun: list[str] = field(default_factory=list)
    whole: int = 0
    redacted: int = 0
    purged: dict[str, str] = field(default_factory=dict)

    def cassette(self, header: Header, seal: Seal) -> None:
        """Take in a trial that is whole."""
        self.whole += 1
        self._facts(header, seal)

    def _facts(self, header: Header, seal: Seal) -> None:
        self.lanes.update(header.lanes[lane].how for lane in seal.lanes if lane in header.lanes)
        self.interactions += seal.counts.get("interaction", 0)
        self.begun = [min([header.created, *self.begun[:1]]), max([header.created, *self.begun[1:]])]

    def stone(self, stone: Tombstone) -> None:
        """Take in what stands for a trial that is not whole."""
        if stone.kept is None:
            self.purged[stone.cassette] = stone.reason
        else:
            self.redacted += 1
            self._facts(stone.kept.header, stone.kept.seal)


def readme(contents: Contents, told: Told) -> str:
    """The text. It depends on the run and its cassettes alone."""
    parts = [
        _what(contents, told),
        _players(contents.run),
        _provenance(contents.run, told),
        _not_whole(told),
        _check(),
        _replay(contents, told),
        _files(contents, told),
    ]
    return "\n".join(line for part in parts for line in part)


_FIRST: dict[Evidence, tuple[str, ...]] = {
    "recorded": (
        "Agents worked on tasks in simulated environments, and judges decided whether a task was solved. Every call to a",
        "model was recorded when it was made. This folder holds the recording, so that anyone can look at it, replay it",
        "without a network, and compute the results again.",
    ),
    "imported": (
        "**Imported, not recorded.** Agents worked on tasks in simulated environments, and somebody else wrote down what they",
        "did. This folder holds that in the form of a recording; the requests in it are made up to fit.",
    ),
    "authored": (
        "**Authored, not recorded.** Somebody wrote these conversations down; no model of these names was ever asked. They",
        "show what something looks like and are no evidence.",
    ),
}


def _capture(contents: Contents, told: Told) -> Iterator[str]:
    run = contents.run
    yield f"# {run.name}: what a program asked, {run.evidence}"
    yield ""
    yield "A program asked language models, and every call was recorded when it was made. This folder holds the recording, so"
    yield "that anyone can look at it, and run the program again without a network. There are no trials and no verdicts in it."
    yield ""
    yield f"- run id: `{contents.run_id}` (the SHA-256 of its file under `objects/`; this is what a paper cites)"
    yield f"- outcome digest: `{run.outcome}` (over all that was asked and answered, without times)"
    yield f"- calls: {told.interactions}, in {len(run.ledger)} parts"
    if told.purged:
        yield f"- purged: {len(told.purged)} parts"
    if told.begun:
        yield f"- recorded from {told.begun[0]} to {told.begun[1]} (begin of the first and the last part)"
    yield ""


def _what(contents: Contents, told: Told) -> Iterator[str]:
    if not contents.run.holds_trials:
        yield from _capture(contents, told)
        return
    run, counts = contents.run, status_counts(contents.run, told.purged)
    unjudged = counts["recorded"] - counts["pass"] - counts["fail"]
    yield f"# {run.name}: a benchmark run, {run.evidence}"
    yield ""
    yield from _FIRST[run.evidence]
    yield ""
    yield f"- run id: `{contents.run_id}` (the SHA-256 of its file under `objects/`; this is what a paper cites)"
    yield f"- outcome digest: `{run.outcome}` (over all that was asked and answered, without times)"
    yield f"- trials: {counts['planned']} planned, {counts['recorded']} recorded"
    yield f"  ({counts['pass']} passed, {counts['fail']} failed, {unjudged} not judged),"
    yield f"  {counts['error']} ended in an error, {counts['missing']} missing; these two count neither way"
    if told.purged:
        yield f"  {counts.get('gone', 0)} purged; they count neither way"
    yield f"- calls: {told.interactions}"
    if told.begun:
        yield f"- recorded from {told.begun[0]} to {told.begun[1]} (begin of the first and the last trial)"
    yield ""


def _players(run: Run) -> Iterator[str]:
    if not run.holds_trials:
        return
    yield "## Who played"
    yield ""
    roles = (("agent", run.spec.agents), ("simulator", run.spec.simulators), ("judge", run.spec.verifiers))
    played: list[ModelSettings] = []
    for role, models in roles:
        for model in models:
            played.append(model)
            yield f"- {role}: {_plain(model.alias)} (asked for as {_plain(model.model)}), {_PLAYERS[played_by(model)]}"
    if played and all(model.player == "program" for model in played):
        yield ""
        yield "**All players are programs.** These results say nothing about any language model."
    yield ""


def _plain(text: str) -> str:
    """A name as code, whatever is in it."""
    return "`" + "".join(char if char.isprintable() and char != "`" else "?" for char in text) + "`"


def _provenance(run: Run, told: Told) -> Iterator[str]:
    lanes = (
        "lanes (one role's calls in one trial)"
        if run.holds_trials
        else "lanes (what clients asked, in one part)"
    )
    yield "## Where it comes from"
    yield ""
    for how in sorted(told.lanes):
        yield f"- {told.lanes[how]} {lanes} {_HOW[how]}"
    yield ""
    yield "Only recorded lanes, and copies of recorded ones, are evidence of what a model answered. The digests prove that"
    yield "nothing was changed since the run was sealed; that it was played honestly, they can't prove."
    yield ""


def _not_whole(told: Told) -> Iterator[str]:
    if told.redacted:
        yield "## Redacted: what can't be checked"
        yield ""
        yield f"What was asked and answered is left out of {told.redacted} trials. A `.tombstone` file stands for each"
        yield "cassette: its header (task, environment, players), its seal, and the digests of every call. (A digest of a"
        yield "short, guessable text can be found by trying.) So these can't be checked here:"
        yield ""
        yield from (f"- {one}" for one in UNCHECKED)
        yield ""
        yield "What can: the plan and the ledger, each header against its digest, each call's outcome digest from its parts,"
        yield "and each trial's outcome against the ledger that the run id covers. Whoever has the whole cassettes can put"
        yield "them in place: `replaylab --library FOLDER merge OTHER`."
        yield ""
    if told.purged:
        yield "## Purged"
        yield ""
        yield f"The content of {len(told.purged)} recordings was removed on request. Their names and verdicts stay in the"
        yield "ledger; they can't be checked, and are counted as neither passed nor failed."
        yield ""
        yield from (f"- {name[:16]}…: {_plain(reason)}" for name, reason in sorted(told.purged.items()))
        yield ""


def _check() -> Iterator[str]:
    yield "## Check it with sha256sum alone"
    yield ""
    yield "```sh"
    yield f"sha256sum --check --quiet {SUMS}     # prints nothing when every file is as it was packed"
    yield "sha256sum objects/*/*.run runs/*           # a run object's SHA-256 is its name, and the run id"
    yield "cat runs/*                                 # the run id that this pack is about"
    yield "```"
    yield ""
    yield "Compare the run id with the one that was published: it covers the plan and the name of every cassette, and each"
    yield "cassette's name is the SHA-256 of its bytes. A cassette is zstd over JSON lines: `zstdcat FILE.cassette | less`."
    yield ""


def _replay(contents: Contents, told: Told) -> Iterator[str]:
    yield "## Replay it"
    yield ""
    yield "With replaylab, the program that recorded it (from its source checkout), this folder is a library:"
    yield ""
    yield "```sh"
    yield "replaylab --library . verify               # every digest is computed again"
    if contents.run.holds_trials:
        yield f"replaylab --library . replay {contents.run.name} --offline"
        yield f"replaylab --library . score {contents.run.name}"
    else:
        yield f"replaylab --library . show {contents.run.name}"
        yield f"replaylab --library . capture --run {contents.run.name} --offline -- COMMAND"
    yield "```"
    yield ""
    if told.redacted:
        yield "Redacted trials are skipped by the last two and counted as missing."
        yield ""


def _files(contents: Contents, told: Told) -> Iterator[str]:
    what = "recorded trials" if contents.run.holds_trials else "parts of the recording"
    others = [run_id for run_id in contents.runs if run_id != contents.run_id]
    yield "## Files"
    yield ""
    yield f"- `{SUMS}`: the SHA-256 of every other file"
    yield f"- `objects/*/*.cassette`: {told.whole} {what}, one file each"
    yield f"- `objects/*/*.tombstone`: {told.redacted + len(told.purged)}; each has the name of the cassette it stands for"
    yield f"- `objects/*/*.run`: {len(contents.runs)}; what was planned, and which cassette holds it"
    yield f"- `runs/{contents.run.name}`: the run id"
    if others:
        yield ""
        yield "Run objects that this run follows, or took lanes from:"
        yield ""
        yield from (f"- `{run_id}` ({_plain(contents.runs[run_id].name)})" for run_id in others)
    if contents.absent:
        yield ""
        yield "Named by those, and not in this pack since the library that it was made from did not have them:"
        yield ""
        yield from (f"- `{name}`" for name in contents.absent)
    yield ""
