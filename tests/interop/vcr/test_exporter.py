from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.session import Session
from replaylab.engine.seams import real_seams
from replaylab.errors import UsageError
from replaylab.interop.vcr.exporter import export
from replaylab.interop.vcr.pair import Pair
from replaylab.interop.vcr.read import read_text
from replaylab.interop.vcr.shapes import file_of
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.interaction import Attempt, Chunk, Failure
from replaylab.schema.outcome import body_bytes
from replaylab.schema.run import Run
from replaylab.store.library import Library
from tests.interop.vcr.generated import Maker
from tests.interop.vcr.round_trip import check, there_and_back
from tests.interop.vcr.samples import samples
from tests.interop.vcr.stock import play
from tests.playground import record

FAILED = Failure(kind="rate_limited", message="HTTP 429")


def captured(root: Path, *rows: tuple[str, bytes, list[Attempt]]) -> tuple[Library, Run]:
    """A capture of (lane, body, attempts), as a proxy would record it."""
    library = Library(root)
    facts = CaptureFacts(client="proxy", endpoints={"openai": "https://api.openai.com/v1"})
    session = Session(library, "run", "record", real_seams(), facts=facts)
    for lane, body, attempts in rows:
        for retry, attempt in enumerate(attempts):
            session.begin(Exchange("openai", "POST", "/v1/chat/completions", body, lane, retry)).commit(
                attempt
            )
    run = session.seal()
    assert run is not None
    return library, run


def pairs(data: bytes) -> list[Pair]:
    return list(file_of(read_text(data, "x"), "x").pairs)


def answer(text: str, **more: object) -> Attempt:
    return Attempt(status=200, headers={"content-type": "application/json"}, text=text, **more)


def test_stock_vcrpy_plays_a_capture(tmp_path: Path) -> None:
    body = b'{"model":"m","messages":[]}'
    library, run = captured(
        tmp_path / "lib",
        ("", body, [Attempt(status=429, text="slow", failure=FAILED), answer('{"n":0}')]),
        ("", body, [answer('{"n":1}')]),
    )
    for form in ("yaml", "json"):
        done = export(library, run, form, joined=True)
        ((name, data),) = done.files.items()
        path = tmp_path / name
        path.write_bytes(data)
        got = play(path, pairs(data))
        assert [(one.status, one.body) for one in got] == [
            (429, b"slow"),
            (200, b'{"n":0}'),
            (200, b'{"n":1}'),
        ]
        assert pairs(data)[0].uri == "https://api.openai.com/v1/chat/completions"
        assert done.lost == {"attempts": 1}


def test_what_vcrpy_has_no_place_for_is_left_out_and_said(tmp_path: Path) -> None:
    pieces = (Chunk(ms=1, text="data: 1\n\n"), Chunk(ms=2, text="data: [DONE]\n\n"))
    cut = Failure(kind="truncated", message="ReadError")
    library, run = captured(
        tmp_path / "lib",
        ("", b"{}", [Attempt(status=200, chunks=pieces)]),
        ("", b'{"n":1}', [Attempt(status=200, chunks=pieces[:1], complete=False, failure=cut)]),
        ("", b'{"n":2}', [Attempt(failure=Failure(kind="refused", message="ConnectError"), complete=False)]),
    )
    done = export(library, run, "yaml", joined=True)
    assert done.lost == {"broken": 1, "chunks": 1, "no_answer": 1}
    (one,) = pairs(done.files["run.yaml"])
    assert one.content == b"data: 1\n\ndata: [DONE]\n\n"


def test_lanes_are_files_or_one_file_in_the_order_of_asking(tmp_path: Path) -> None:
    library, run = captured(
        tmp_path / "lib",
        ("b", b'{"n":0}', [answer("0")]),
        ("a/x", b'{"n":1}', [answer("1")]),
        ("b", b'{"n":2}', [answer("2")]),
    )
    apart = export(library, run, "yaml", joined=False)
    assert sorted(apart.files) == ["a/x.yaml", "b.yaml"]
    together = export(library, run, "yaml", joined=True)
    assert [one.content for one in pairs(together.files["run.yaml"])] == [b"0", b"1", b"2"]
    assert together.lost == {"lanes": 2}


@pytest.mark.parametrize("lane", ["../../x", "/etc/x", "a/../../x", "..", "c:\\x", "\x00"])
def test_no_lane_leads_out_of_the_folder(tmp_path: Path, lane: str) -> None:
    library, run = captured(tmp_path / "lib", (lane, b"{}", [answer("0")]))
    (name,) = export(library, run, "yaml", joined=False).files
    path = (tmp_path / "out" / name).resolve()
    assert path.is_relative_to((tmp_path / "out").resolve())
    assert not name.startswith("/")


def test_lanes_that_would_be_one_file_are_refused(tmp_path: Path) -> None:
    library, run = captured(tmp_path / "lib", ("a?", b"{}", [answer("0")]), ("a!", b"{}", [answer("0")]))
    with pytest.raises(UsageError, match="two lanes would be the file"):
        export(library, run, "yaml", joined=False)


def test_json_can_not_hold_bytes(tmp_path: Path) -> None:
    library, run = captured(tmp_path / "lib", ("", b"{}", [Attempt(status=200, b64="/w==")]))
    with pytest.raises(UsageError, match="interaction 0 has a body that is no text"):
        export(library, run, "json", joined=True)


def test_the_lanes_of_trials(tmp_path: Path) -> None:
    library, done = record(tmp_path / "lib", tasks=("ed-sepsis-room",), name="trials")
    bases = {"scripted:careful": "https://api.example.com/v1"}
    exported = export(library, done.run, "yaml", joined=False, bases=bases)
    entry = done.run.ledger[0]
    assert entry.counting
    lanes = open_cassette(library, entry.counting.cassette).lanes
    assert len(exported.files) == len(lanes)
    for lane, rows in lanes.items():
        (data,) = [data for name, data in exported.files.items() if name.endswith(f"/{lane}.yaml")]
        path = tmp_path / f"{lane}.yaml"
        path.write_bytes(data)
        assert [one.body for one in play(path, pairs(data))] == [body_bytes(row.final) for row in rows]
    agent = next(data for name, data in exported.files.items() if name.endswith("/agent.yaml"))
    assert pairs(agent)[0].uri == "https://api.example.com/v1/chat/completions"
    assert exported.lost["address"] > 0  # nobody said where the others were


def test_the_samples_come_back_as_they_were(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    for path in samples():
        (folder / path.name).symlink_to(path)
    library, played = Library(tmp_path / "lib"), 0
    for lane, (original, exported) in there_and_back(folder, library, "all").items():
        if "parsed_body" not in original.read_text():  # which stock vcrpy can't read
            played += check(original, exported)
            continue
        file = file_of(read_text(original.read_bytes(), lane), lane)
        got = play(exported, list(file.pairs))
        assert [json.loads(one.body) if one.body[:1] == b"{" else one.body for one in got] == [
            json.loads(pair.content) if pair.content[:1] == b"{" else pair.content for pair in file.pairs
        ]
        played += len(got)
    assert played == 40


def round_trips(tmp_path: Path, seeds: range, files: int) -> int:
    library, played = Library(tmp_path / "lib"), 0
    for seed in seeds:
        folder = tmp_path / f"made-{seed}"
        folder.mkdir()
        maker = Maker(seed)
        made = sum(maker.write(folder / f"c{number}") for number in range(files))
        found = there_and_back(folder, library, f"made-{seed}")
        assert len(found) == files
        got = sum(check(original, exported) for original, exported in found.values())
        assert got == made
        played += got
    return played


def test_100_generated_cassettes_are_played_by_stock_vcrpy_as_the_originals_are(tmp_path: Path) -> None:
    assert round_trips(tmp_path, range(4), 25) > 250


@pytest.mark.soak
def test_3000_generated_cassettes_are_played_by_stock_vcrpy_as_the_originals_are(tmp_path: Path) -> None:
    assert round_trips(tmp_path, range(100, 130), 100) > 8000
