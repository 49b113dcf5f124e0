"""Tells the two forms of result files apart, and reads what both of them hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from replaylab.interop.talk.importer import Format, Spoken
from replaylab.interop.talk.reading import Node, parse, read_file
from replaylab.interop.tau.episodes import read_episode
from replaylab.interop.tau.simulations import Simulations
from replaylab.interop.transcript.lines import Redact, Wrong

WANTED = "give a result file: a list of episodes with `traj`, or an object with `tasks` and `simulations`"


def read_tau(name: str, path: Path, redact: Redact, odd: Counter[str]) -> Iterator[Spoken]:
    """The conversations of a result file."""
    try:
        root = Node(redact(parse(read_file(name, path), odd)))
    except Wrong as wrong:
        yield Spoken(name, wrong)
        return
    if isinstance(root.value, list):
        for number, episode in enumerate(root.items()):
            yield _spoken(name, number, episode)
        return
    try:
        simulations = Simulations.of(root)
        found = root.at("simulations").items()
    except Wrong as wrong:
        yield Spoken(name, wrong)
        return
    for number, one in enumerate(found):
        yield _spoken(name, number, one, simulations, odd)


def _spoken(
    name: str,
    number: int,
    node: Node,
    simulations: Simulations | None = None,
    odd: Counter[str] | None = None,
) -> Spoken:
    where = f"{name}#{number}"
    try:
        if simulations is None:
            return Spoken(where, read_episode(where, node))
        return Spoken(where, simulations.read(where, node))
    except Wrong as wrong:
        return Spoken(where, wrong)


TAU = Format("tau", read_tau, part="episode", wanted=WANTED)
