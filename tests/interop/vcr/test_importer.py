from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.header import CLIENT
from replaylab.engine.captured.session import Session
from replaylab.engine.seams import real_seams
from replaylab.errors import UsageError
from replaylab.interop.vcr.importer import find_files, import_cassettes
from replaylab.interop.vcr.write import write_text
from replaylab.schema.outcome import body_bytes
from replaylab.store.library import Library
from tests.interop.vcr.made import converter, pair
from tests.interop.vcr.samples import samples
from tests.playground import record


def cassette(path: Path, *contents: bytes, **given: object) -> Path:
    """A file with an exchange for each content, all with the same question."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(write_text([pair(content=one, **given) for one in contents], {}, "yaml", "x"))
    return path


def test_a_file_alone_answers_any_client_and_several_get_lanes(tmp_path: Path) -> None:
    library = Library(tmp_path / "lib")
    one = cassette(tmp_path / "f" / "one.yaml", b'{"a":1}', b'{"a":2}')
    import_cassettes(library, "one", find_files([one]), converter())
    session = Session(library, "one", "offline", real_seams())
    asked = pair()
    exchange = Exchange("openai", "POST", "/v1/chat/completions", asked.body or b"")
    recorded = [session.begin(exchange).recorded for _ in range(2)]
    assert [body_bytes(attempt) for attempt in recorded if attempt] == [b'{"a":1}', b'{"a":2}']
    assert not session.unplayed()
    session.close()
    cassette(tmp_path / "f" / "sub" / "two.yml", b"{}")
    done = import_cassettes(library, "both", find_files([tmp_path / "f"]), converter())
    assert [task.task for task in done.run.spec.tasks] == ["one@0", "sub/two@0"]
    joined = import_cassettes(library, "joined", find_files([tmp_path / "f"]), converter(), one_lane=True)
    assert [task.task for task in joined.run.spec.tasks] == ["main@0"]


def test_importing_again_changes_nothing_and_another_content_is_followed(tmp_path: Path) -> None:
    library = Library(tmp_path / "lib")
    path = cassette(tmp_path / "a.yaml", b"1", headers={"Date": ["Tue, 05 Aug 2025 10:00:00 GMT"]})
    first = import_cassettes(library, "a", find_files([path]), converter())
    again = import_cassettes(library, "a", find_files([path]), converter())
    assert (first.changed, again.changed, again.run_id) == (True, False, first.run_id)
    assert (first.run.created, first.run.evidence) == ("2025-08-05T10:00:00.000Z", "imported")
    cassette(path, b"2")
    other = import_cassettes(library, "a", find_files([path]), converter())
    assert (other.changed, other.run.follows) == (True, (first.run_id,))
    assert other.run.created == "1970-01-01T00:00:00.000Z"  # nothing says when


def test_nothing_is_written_unless_every_file_is_good(tmp_path: Path) -> None:
    cassette(tmp_path / "f" / "good.yaml", b"1")
    (tmp_path / "f" / "bad.yaml").write_text("a: !!python/name:os.system ''\n")
    library = Library(tmp_path / "lib")
    with pytest.raises(UsageError, match="may make no objects"):
        import_cassettes(library, "x", find_files([tmp_path / "f"]), converter())
    assert not library.exists()
    done = import_cassettes(library, "x", find_files([tmp_path / "f"]), converter(), skip_bad=True)
    assert (done.files, done.exchanges, list(done.skipped)) == (1, 1, ["bad"])
    assert [task.task for task in done.run.spec.tasks] == ["good@0"]


def test_a_retry_is_the_next_attempt_of_what_failed(tmp_path: Path) -> None:
    asked = {"content-type": ["application/json"]}

    def counted(number: int) -> dict[str, list[str]]:
        return {**asked, "x-stainless-retry-count": [str(number)]}

    rows = [
        pair(status=429, content=b"a0", asked=counted(0)),
        pair(status=500, content=b"b0", asked=counted(0)),
        pair(status=503, content=b"a1", asked=counted(1)),
        pair(status=200, content=b"a2", asked=counted(2)),
        pair(status=200, content=b"b1", asked=counted(1)),
        pair(status=200, content=b"lone", asked=counted(1)),
    ]
    path = tmp_path / "a.yaml"
    path.write_bytes(write_text(rows, {}, "yaml", "x"))
    library = Library(tmp_path / "lib")
    done = import_cassettes(library, "a", find_files([path]), converter())
    (entry,) = done.run.ledger
    assert entry.counting
    (lane,) = open_cassette(library, entry.counting.cassette).lanes.values()
    told = [[body_bytes(attempt) for attempt in row.attempts] for row in lane]
    assert told == [[b"a0", b"a1", b"a2"], [b"b0", b"b1"], [b"lone"]]


def test_a_conversation_does_not_grow_with_its_square(tmp_path: Path) -> None:
    rows, messages = [], []
    for turn in range(60):
        messages.append({"role": "user", "content": f"{turn} " + "x" * 2000})
        rows.append(pair(body=json.dumps({"model": "m", "messages": messages}).encode()))
    path = tmp_path / "a.yaml"
    path.write_bytes(write_text(rows, {}, "yaml", "x"))
    library = Library(tmp_path / "lib")
    done = import_cassettes(library, "a", find_files([path]), converter())
    assert done.run.ledger[0].counting
    cassette = open_cassette(library, done.run.ledger[0].counting.cassette)
    assert sum(map(len, cassette.lines())) < 300_000 < path.stat().st_size / 10


def test_a_date_that_no_calendar_has_says_nothing(tmp_path: Path) -> None:
    path = cassette(tmp_path / "a.yaml", b"1", headers={"Date": ["Fri, 31 Dec 9999 23:59:59 -2359"]})
    done = import_cassettes(Library(tmp_path / "lib"), "a", find_files([path]), converter())
    assert done.run.created == "1970-01-01T00:00:00.000Z"


def test_a_long_file_becomes_parts(tmp_path: Path) -> None:
    library = Library(tmp_path / "lib")
    path = cassette(tmp_path / "a.yaml", *[str(number).encode() for number in range(1001)])
    done = import_cassettes(library, "a", find_files([path]), converter())
    assert [task.task for task in done.run.spec.tasks] == ["main@0", "main@1"]
    sizes = [
        len(open_cassette(library, one.counting.cassette).lanes[CLIENT])
        for one in done.run.ledger
        if one.counting
    ]
    assert sizes == [1000, 1]


def test_a_file_of_large_bodies_becomes_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replaylab.interop.vcr.stored.PART_BYTES", 10_000)
    path = cassette(tmp_path / "a.yaml", *[bytes([97 + number]) * 6_000 for number in range(5)])
    done = import_cassettes(Library(tmp_path / "lib"), "a", find_files([path]), converter())
    assert [task.task for task in done.run.spec.tasks] == ["main@0", "main@1", "main@2"]


def test_what_can_not_be_a_run_is_refused(tmp_path: Path) -> None:
    library, _ = record(tmp_path / "lib", tasks=("ed-sepsis-room",), name="trials")
    path = cassette(tmp_path / "a.yaml", b"1")
    with pytest.raises(UsageError, match="holds trials"):
        import_cassettes(library, "trials", find_files([path]), converter())
    empty = tmp_path / "empty.yaml"
    empty.write_text("version: 1\ninteractions: []\n")
    with pytest.raises(UsageError, match="there is no interaction"):
        import_cassettes(library, "x", find_files([empty]), converter())
    with pytest.raises(UsageError, match="there is no cassette"):
        find_files([tmp_path / "lib" / "runs"])


def test_files_that_would_be_one_lane_are_refused(tmp_path: Path) -> None:
    cassette(tmp_path / "f" / "a.yaml", b"1")
    cassette(tmp_path / "f" / "a.yml", b"1")
    with pytest.raises(UsageError, match="two files would be the lane 'a'"):
        find_files([tmp_path / "f"])


def test_a_path_too_long_for_a_lane_keeps_its_end(tmp_path: Path) -> None:
    long = "/".join(["folder-" + "x" * 40] * 6)
    cassette(tmp_path / long / "end.yaml", b"1")
    (lane,) = find_files([tmp_path])
    assert len(lane) <= 200
    assert lane.endswith("/end")


def test_nothing_of_the_samples_credentials_is_stored(tmp_path: Path) -> None:
    library = Library(tmp_path / "lib")
    files = {path.stem: path for path in samples()}
    done = import_cassettes(library, "all", files, converter())
    assert done.details["dropped_request_header"]["cookie"] > 0
    rows = b"".join(
        row for name in library.objects("cassette") for row in open_cassette(library, name).lines()
    )
    assert b"__cf_bm" not in rows
    assert b"organization" not in rows
