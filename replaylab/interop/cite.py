"""Citing a run: what a paper says of it, as facts, as BibTeX and as CITATION.cff (1.2.0).

Who made a run stands in no recording, so the authors are left for a person to fill in; nothing is invented.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime

from replaylab.canonical import Digest
from replaylab.cassette.stored import open_cassette
from replaylab.engine.ledger import status_counts
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Evidence, Header, evidence_of
from replaylab.schema.model import UNKNOWN, ModelSettings, played_by
from replaylab.schema.run import Run
from replaylab.schema.tombstone import Tombstone
from replaylab.store.library import Library

AUTHORS = "AUTHORS: replace this by whoever recorded the run"
_PLAYERS = {
    "llm": "language model",
    "program": "program, not a language model",
    "human": "human",
    "own": "agent of one's own, which may ask language models",
    UNKNOWN: "not named by the source",
}
NOT_RECORDED: dict[Evidence, str] = {
    "authored": "Authored, not recorded: somebody wrote these answers down, no model was called, and it is no evidence.",
    "imported": "Imported, not recorded: another tool's files, whose calls nobody saw here.",
}
_TEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
} | {char: f"\\{char}" for char in "#$%&_"}
# What YAML does not take as it is, JSON's escapes apart: C1 controls, separators, marks of order, lone surrogates.
_UNPRINTABLE = re.compile(r"[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Facts:
    """What there is to say of a run. `lanes` counts the recorded lanes by where they come from; `evidence` is what the run
    says of itself, or the least of what its cassettes say, where that is less.
    """

    run_id: Digest
    run: Run
    counts: dict[str, int]
    interactions: int
    first: str
    last: str
    lanes: dict[str, int]
    answered_by: dict[str, list[str]]
    gone: dict[str, Tombstone] = field(default_factory=dict)
    evidence: Evidence = "recorded"

    @property
    def players(self) -> list[tuple[str, ModelSettings]]:
        """(role, settings) of everybody who played; in lockstep nobody judged, in a capture nobody played a role."""
        if not self.run.holds_trials:
            return []
        spec = self.run.spec
        verifiers = () if spec.mode.startswith("lockstep/") else spec.verifiers
        roles = (("agent", spec.agents), ("simulator", spec.simulators), ("verifier", verifiers))
        return [(role, model) for role, models in roles for model in models]

    @property
    def programs_alone(self) -> bool:
        return bool(self.players) and all(model.player == "program" for _, model in self.players)


def facts_of(library: Library, run_id: Digest, run: Run) -> Facts:
    """Read each recorded try once. Raises StoreError for a cassette that is missing or damaged."""
    lanes: Counter[str] = Counter()
    interactions = 0
    answered: dict[str, set[str]] = {}
    tries = list(dict.fromkeys(one.cassette for entry in run.ledger for one in entry.tries))
    gone: dict[str, Tombstone] = {}
    headers: list[Header] = []
    for name in tries:
        stone = library.gone(name)
        if stone is not None:
            gone[name] = stone
            if stone.kept is not None:
                headers.append(stone.kept.header)
                _count_lanes(lanes, stone.kept.header, list(stone.kept.lanes))
                interactions += sum(map(len, stone.kept.lanes.values()))
            continue
        cassette = open_cassette(library, name)
        headers.append(cassette.header)
        _count_lanes(lanes, cassette.header, list(cassette.lanes))
        for rows in cassette.lanes.values():
            interactions += len(rows)
            for row in rows:
                if row.answered_by:
                    answered.setdefault(row.request.alias, set()).add(row.answered_by)
    begun = [header.created for header in headers]
    kinds: list[Evidence] = [run.evidence, *map(evidence_of, headers)]
    return Facts(
        run_id,
        run,
        status_counts(run, gone),
        interactions,
        min(begun, default=""),
        max(begun, default=""),
        dict(sorted(lanes.items())),
        {alias: sorted(names) for alias, names in sorted(answered.items())},
        gone,
        next((kind for kind in kinds if kind != "recorded"), "recorded"),
    )


def _count_lanes(lanes: Counter[str], header: Header, names: list[str]) -> None:
    lanes.update(header.lanes[name].how for name in names if name in header.lanes)


def bibtex(facts: Facts) -> str:
    """An entry for a bibliography."""
    run = facts.run
    year, month, _ = _day(run).split("-")
    fields = {
        "author": "{" + tex(AUTHORS) + "}",
        "title": "{" + tex(_title(facts)) + "}",
        "year": year,
        "month": month.lstrip("0"),
        "howpublished": tex("replaylab library or pack; the run id is the SHA-256 of the run object"),
        "note": f"Run id {facts.run_id}. Outcome digest {run.outcome}. {tex(_sentence(facts))}",
    }
    lines = [f"  {name:<12} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@misc{{replaylab-{facts.run_id[:12]},", *lines, "}"]) + "\n"


def cff(facts: Facts) -> str:
    """A CITATION.cff of version 1.2.0. Strings are quoted as JSON quotes them, which YAML reads alike."""
    run = facts.run
    lines = [
        "cff-version: 1.2.0",
        "message: " + yaml(f"If you use this {facts.evidence} run, please cite it by its run id."),
        "type: dataset",
        "title: " + yaml(_title(facts)),
        "# Who recorded the run stands in no recording: put a person (family-names, given-names) or an entity (name) here.",
        "authors:",
        "  - name: " + yaml(AUTHORS),
        "abstract: " + yaml(_sentence(facts)),
        "date-released: " + yaml(_day(run)),
        "version: " + yaml(facts.run_id[:12]),
        "identifiers:",
        "  - type: other",
        "    value: " + yaml(f"sha256:{facts.run_id}"),
        "    description: "
        + yaml("run id: the SHA-256 of the run object, which names every cassette by its own"),
        "  - type: other",
        "    value: " + yaml(f"sha256:{run.outcome}"),
        "    description: " + yaml("outcome digest: over all that was asked and answered, without times"),
    ]
    return "\n".join(lines) + "\n"


def cite_json(facts: Facts) -> JsonObject:
    """The facts for a program."""
    return {
        "name": facts.run.name,
        "created": facts.run.created,
        "evidence": facts.evidence,
        "recorded_from": facts.first or None,
        "recorded_to": facts.last or None,
        "outcome": facts.run.outcome,
        "mode": facts.run.spec.mode,
        "counts": facts.counts,
        "interactions": facts.interactions,
        "provenance": facts.lanes,
        "players": [
            {"role": role, "alias": one.alias, "model": one.model, "player": one.player}
            for role, one in facts.players
        ],
        "answered_by": facts.answered_by,
        "gone": {name: stone.why for name, stone in facts.gone.items()},
        "follows": list(facts.run.follows),
        "swapped": facts.run.spec.swapped,
        "bibtex": bibtex(facts),
        "cff": cff(facts),
    }


def _day(run: Run) -> str:
    """The day on which the run object was made, in UTC."""
    when = datetime.fromisoformat(run.created)
    return (when if when.tzinfo else when.replace(tzinfo=UTC)).astimezone(UTC).date().isoformat()


def _title(facts: Facts) -> str:
    article = "a" if facts.evidence == "recorded" else "an"
    if not facts.run.holds_trials:
        return f"{facts.run.name}: {article} {facts.evidence} capture of the model calls of a program"
    return f"{facts.run.name}: {article} {facts.evidence} run of an LLM-simulated agent benchmark"


def _sentence(facts: Facts) -> str:
    """One sentence for each thing that a reader must know."""
    counts = facts.counts
    gone = f", {counts['gone']} purged or redacted" if counts.get("gone") else ""
    trials = f"{counts['planned']} trials planned, {counts['recorded']} {facts.evidence} ({counts['pass']} passed, "
    trials += f"{counts['fail']} failed), {counts['error']} errors, {counts['missing']} missing{gone}"
    calls = "model calls" if facts.evidence == "recorded" else "calls"
    said = [NOT_RECORDED[facts.evidence]] if facts.evidence in NOT_RECORDED else []
    if facts.run.holds_trials:
        said.append(f"{trials}; {facts.interactions} {calls}.")
    else:
        parts = f"{counts['planned']} parts{gone}"
        said.append(
            f"What a program asked of models: {facts.interactions} calls, in {parts}; no trials, no verdicts."
        )
    if facts.run.spec.swapped is not None:
        said.append(
            f"A {facts.run.spec.mode} run over the recorded lanes of the run {facts.run.spec.swapped}."
        )
    for role in ("agent", "simulator", "verifier"):
        names = [f"{one.alias} ({_PLAYERS[played_by(one)]})" for at, one in facts.players if at == role]
        if names:
            said.append(f"{role.capitalize()}: {', '.join(names)}.")
    said.append(
        f"Provenance of lanes: {', '.join(f'{n} {how}' for how, n in facts.lanes.items()) or 'none'}."
    )
    if facts.programs_alone:
        said.append("All players are programs: this says nothing about any language model.")
    return " ".join(said)


def tex(text: str) -> str:
    """A text that LaTeX prints as it is; what can't be printed becomes a question mark."""
    return "".join(_TEX.get(char, char if char.isprintable() else "?") for char in text)


def yaml(text: str) -> str:
    """A double-quoted YAML string."""
    return _UNPRINTABLE.sub(_escaped, json.dumps(text, ensure_ascii=False))


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xD800 <= code < 0xE000:
        return "\\uFFFD"  # half a character has no form in YAML
    return f"\\u{code:04X}"
