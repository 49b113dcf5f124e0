from __future__ import annotations

from pathlib import Path

from replaylab.cassette.stored import open_cassette
from replaylab.diff.contract.contract import Contract
from replaylab.diff.parting.pairing import Group, family, pair_up
from replaylab.diff.parting.rows import aligned_rows, tails
from replaylab.diff.parting.voice import Voice, listen
from replaylab.schema.difference import Row
from replaylab.store.library import Library
from tests.diff.stage import recorded, same, without


def voices_of(library: Library, group: Group) -> list[Voice]:
    cassettes = [open_cassette(library, source.cassette) for source in group.sources]
    contract = Contract(cassettes[0].header.environment)
    return [listen(one, source, contract) for one, source in zip(cassettes, group.sources, strict=True)]


def heard(root: Path, *agents: str) -> list[Voice]:
    """The voices of one trial under three simulators."""
    library = recorded(root / "library", {"a": same, "b": without("ER-2"), "c": same}, agents=agents)
    (group,) = pair_up(library, family(library, [library.run("run")]), ("a", "b", "c")).groups
    return voices_of(library, group)


def numbers(rows: list[Row], at: int) -> list[int]:
    return [row.calls[at] for row in rows if row.calls[at] is not None]  # type: ignore[misc]


def test_every_call_of_every_simulator_stands_in_one_row_and_in_order(tmp_path: Path) -> None:
    voices = heard(tmp_path, "scripted:careful")
    rows = aligned_rows(voices)
    for at, voice in enumerate(voices):
        assert numbers(rows, at) == list(range(len(voice.actions)))
    assert [row.row for row in rows] == list(range(len(rows)))


def test_a_row_holds_calls_of_one_tool(tmp_path: Path) -> None:
    voices = heard(tmp_path, "scripted:careful")
    for row in aligned_rows(voices):
        there = zip(voices, row.calls, strict=True)
        tools = {voice.actions[call].tool for voice, call in there if call is not None}
        assert tools == {row.tool}


def test_simulators_that_say_the_same_are_beside_each_other_to_the_end(tmp_path: Path) -> None:
    voices = heard(tmp_path, "scripted:careful")
    twins = [voices[0], voices[2]]
    assert [row.calls for row in aligned_rows(twins)] == [(at, at) for at in range(len(voices[0].actions))]
    assert not any(row.parted for row in aligned_rows(twins))


def test_tails_of_three_are_aligned_with_the_first(tmp_path: Path) -> None:
    a, b, c = heard(tmp_path, "scripted:careful")
    places = tails([a, b, c], 0)
    for at, voice in enumerate((a, b, c)):
        assert [place[at] for place in places if place[at] is not None] == list(range(len(voice.actions)))
    assert [(one, three) for one, _, three in places if one is not None] == [
        (at, at) for at in range(len(a.actions))
    ]
