"""The journal, read with nothing but what FORMAT.md section 9 says."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path

from replaylab.canonical import digest
from replaylab.cassette.codec import Cassette
from replaylab.cassette.request import Request
from replaylab.cassette.tape import Tape
from replaylab.engine.journal import RunJournal
from replaylab.schema.cassette import key_of
from replaylab.schema.interaction import Attempt
from replaylab.schema.run import Try
from tests.formats import doc

KEY = "a,s,v,E0/t/0"
FIRST_LINE = b"replaylab.journal/1\n"


def payloads(path: Path) -> Iterator[bytes]:
    """The frames, as the table in the document has them."""
    data = path.read_bytes()
    assert data.startswith(FIRST_LINE)
    at = len(FIRST_LINE)
    while at < len(data):
        assert data[at : at + 4] == bytes.fromhex("89 52 4C 46")
        length = int.from_bytes(data[at + 4 : at + 8], "big")
        payload = data[at + 16 : at + 16 + length]
        summed = struct.pack(">Q", at) + data[at + 4 : at + 8] + payload
        assert data[at + 8 : at + 16] == blake2b(summed, digest_size=8).digest()
        yield payload
        at += 16 + length


def test_the_document_names_the_bytes_that_this_reader_uses() -> None:
    assert f"`{FIRST_LINE.decode().strip()}`" in doc.section(9)
    assert "| 4 | `89 52 4C 46` |" in doc.section(9)


def test_a_trial_in_progress_is_a_header_and_then_interactions_with_their_new_blobs(tmp_path: Path) -> None:
    path = next(doc.V1.glob("*.cassette"))
    header = Cassette(path.read_bytes(), where=path.name).header
    key = key_of(header)
    journal = RunJournal(tmp_path)
    trial = journal.open_trial(str(key), header, now=lambda: header.created)
    lane = Tape(key, elapsed_ms=lambda: 0.0, sink=trial).lane("agent")
    one, two = ({"role": "user", "content": text} for text in "ab")
    for messages in ([one], [one, two]):
        lane.begin(Request("m", {"model": "m"}, messages)).commit([Attempt(status=200, text="{}")], None)
    journal.close()
    name = digest({"key": str(key), "try": 0})[:32]
    types = [
        [json.loads(row)["type"] for row in payload.splitlines()]
        for payload in payloads(tmp_path / f"{name}.frames")
    ]
    assert types == [["header"], ["blob", "blob", "interaction"], ["blob", "interaction"]]


def test_a_sealed_trial_is_its_key_its_try_and_its_spec(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    sealed = Try(cassette="0" * 64, outcome="1" * 64, verdict="pass", termination="answered")
    journal.note_sealed(KEY, sealed, "2" * 64)
    journal.close()
    (payload,) = payloads(tmp_path / "sealed.frames")
    fields = json.loads(payload)
    assert fields == {"key": KEY, "try": sealed.to_json(), "spec": "2" * 64}
    assert all(f'"{name}": <' in doc.section(9) for name in fields)
