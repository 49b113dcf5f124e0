from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx2
import pytest
import vcr
from vcr.errors import CannotOverwriteExistingCassetteException

from replaylab.errors import UsageError
from replaylab.interop.vcr.persister import Persister, use_library
from replaylab.store.library import Library
from tests.interop.vcr.made import server

SECRET = "sk-proj-" + "Ab12" * 8
MATCH = ["method", "uri", "body"]


def recorder(root: Path, mode: str = "once", **options: Any) -> tuple[vcr.VCR, Persister]:
    made = vcr.VCR(record_mode=mode, match_on=MATCH, **options)
    return made, use_library(made, root / "lib")


def ask(url: str, body: object, **headers: str) -> str:
    with httpx2.Client() as client:
        return client.post(url, json=body, headers=headers).text


def files(root: Path) -> bytes:
    return b"".join(path.read_bytes() for path in root.rglob("*") if path.is_file())


def everything(root: Path) -> bytes:
    """All that a library holds, its cassettes unpacked."""
    library = Library(root / "lib")
    from replaylab.cassette.stored import open_cassette

    rows = [row for name in library.objects("cassette") for row in open_cassette(library, name).lines()]
    return b"".join(rows) + files(root)


def test_a_suite_records_into_a_library_and_plays_from_it(tmp_path: Path) -> None:
    with server() as live:
        made, _ = recorder(tmp_path)
        with made.use_cassette(str(tmp_path / "a.yaml")):
            first = [ask(live.url, {"n": number}) for number in (1, 2, 2)]
    assert len(set(first)) == 3
    made, persister = recorder(tmp_path, "none")
    with made.use_cassette(str(tmp_path / "a.yaml")) as cassette:
        assert [ask(live.url, {"n": number}) for number in (1, 2, 2)] == first
        assert cassette.all_played
        with pytest.raises(CannotOverwriteExistingCassetteException):
            ask(live.url, {"n": 3})
    assert not (tmp_path / "a.yaml").exists()
    _, run = Library(tmp_path / "lib").run(persister.run_name(tmp_path / "a.yaml"))
    assert (run.evidence, run.spec.mode) == ("imported", "capture")


def test_metadata_come_back(tmp_path: Path) -> None:
    with server() as live:
        made, _ = recorder(tmp_path)
        with made.use_cassette("a.yaml") as cassette:
            cassette.get_metadata("day", "2026-01-01")
            ask(live.url, {})
    made, persister = recorder(tmp_path, "none")
    assert len(persister.load_cassette("a.yaml", serializer=None)) == 3
    with made.use_cassette("a.yaml") as cassette:
        assert cassette.get_metadata("day", "x") == "2026-01-01"
        ask(live.url, {})


def test_a_cassette_without_metadata_is_two_parts_as_older_versions_want_it(tmp_path: Path) -> None:
    with server() as live:
        made, persister = recorder(tmp_path)
        with made.use_cassette("a.yaml"):
            ask(live.url, {})
    assert len(persister.load_cassette(cassette_path="a.yaml", serializer=None)) == 2


def test_nothing_secret_is_stored_and_the_same_request_still_matches(tmp_path: Path) -> None:
    def respond(path: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        said = f"said {SECRET} and {own}"
        return 200, [("set-cookie", "session=abcdef123"), ("x-token", "zyx987")], said.encode()

    own = "0123456789abcdef0123"  # of no shape: it is known since the client sends it as its key
    body = {"prompt": f"my key is {SECRET}", "mine": own}
    headers = {
        "authorization": f"Bearer {SECRET}",
        "api-key": own,
        "cookie": "c=123456789",
    }
    with server(respond) as live:
        url = f"{live.url}/v1?api_key={SECRET}&q=1"
        made, _ = recorder(tmp_path)
        with made.use_cassette("a.yaml"):
            assert ask(url, body, **headers) == f"said {SECRET} and {own}"
    found = everything(tmp_path)
    for secret in (SECRET, "abcdef123", "zyx987", own, "123456789"):
        assert secret.encode() not in found
    made, _ = recorder(tmp_path, "none")
    with made.use_cassette("a.yaml"):
        assert ask(url, body, **headers) == "said *REDACTED* and *REDACTED*"


def test_what_a_load_filters_away_is_still_in_the_run_before(tmp_path: Path) -> None:
    """A filter that says None for a request deletes what is stored of it, at the next save of stock vcrpy."""
    with server() as live:
        made, persister = recorder(tmp_path)
        with made.use_cassette("a.yaml"):
            ask(live.url + "/kept", {})
            ask(live.url + "/gone", {})
        made, _ = recorder(
            tmp_path, "new_episodes", before_record_request=lambda one: None if "gone" in one.uri else one
        )
        with made.use_cassette("a.yaml"):
            ask(live.url + "/new", {})
    library = Library(tmp_path / "lib")
    _, run = library.run(persister.run_name("a.yaml"))
    (before,) = run.follows
    paths = [row.pair.uri.rpartition("/")[2] for row in persister._rows(library.read_run(before), "")[0]]
    assert paths == ["kept", "gone"]


def test_a_rewrite_of_what_was_used_is_redacted_too(tmp_path: Path) -> None:
    secret = "0123456789abcdefXYZ"
    persister = Persister(tmp_path / "lib")
    with server() as live:
        for path in ("/a", "/b"):
            made, _ = recorder(tmp_path, "new_episodes", drop_unused_requests=True)
            with made.use_cassette("a.yaml"):
                ask(live.url + path, {}, **{"x-api-key": secret})
    rows, _ = persister._load("a.yaml")
    assert [row.pair.uri.rpartition("/")[2] for row in rows] == ["b"]
    assert secret.encode() not in everything(tmp_path)


def test_a_capture_is_played_by_its_name_and_never_written(tmp_path: Path) -> None:
    with server() as live:
        made, persister = recorder(tmp_path)
        with made.use_cassette("a.yaml"):
            first = ask(live.url, {})
    name = persister.run_name("a.yaml")
    made, _ = recorder(tmp_path, "none")
    with made.use_cassette(f"replaylab:{name}"):
        assert ask(live.url, {}) == first
    with made.use_cassette(f"replaylab:{name}/main"):
        assert ask(live.url, {}) == first
    with pytest.raises(UsageError, match="has no lane 'other'"), made.use_cassette(f"replaylab:{name}/other"):
        pass
    with pytest.raises(UsageError, match="there is no run"), made.use_cassette("replaylab:nobody"):
        pass
    with pytest.raises(UsageError, match="never written"):
        persister.save_cassette("replaylab:x", {"requests": [], "responses": []}, serializer=None)


def test_an_empty_cassette_is_not_stored(tmp_path: Path) -> None:
    _, persister = recorder(tmp_path)
    persister.save_cassette("a.yaml", {"requests": [], "responses": []}, serializer=None)
    assert not Library(tmp_path / "lib").exists()


def test_paths_have_runs_of_their_own(tmp_path: Path) -> None:
    persister = Persister(tmp_path / "lib")
    names = [
        persister.run_name(tmp_path / path)
        for path in ("a/b.yaml", "a-b.yaml", "A/b.yaml", "a/b.json", "c.yaml")
    ]
    assert len({name.lower() for name in names}) == 5
    assert names[0].startswith("vcr.a-b.")
    assert persister.run_name(tmp_path / "a" / ".." / "c.yaml") == names[4]


def test_a_binary_body_loses_nothing_under_the_json_serializer(tmp_path: Path) -> None:
    """Stock vcrpy fails at its exit there, and all that was paid for is gone."""
    with server(lambda path, body: (200, [], b"\xff\x00")) as live:
        made, persister = recorder(tmp_path, serializer="json")
        with made.use_cassette("a.json"):
            ask(live.url, 1)
    ((row,), _) = persister._load("a.json")
    assert row.pair.content == b"\xff\x00"


def test_binary_and_repeated_and_null_survive(tmp_path: Path) -> None:
    def respond(path: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
        return 201, [("vary", "a"), ("vary", "b")], bytes(range(256))

    with server(respond) as live:
        made, persister = recorder(tmp_path)
        with made.use_cassette("a.yaml"), httpx2.Client() as client:
            client.post(live.url, content=b"\xff\x00\xfe")
            client.get(live.url)
    (one, two), _ = persister._load("a.yaml")
    assert (one.pair.body, one.pair.content, one.pair.status) == (b"\xff\x00\xfe", bytes(range(256)), 201)
    assert one.pair.headers["vary"] == ["a", "b"]
    assert two.pair.method == "GET"


def written_before(root: Path, url: str) -> list[str]:
    """A cassette file of stock vcrpy, as a suite has it before it moves; what was answered."""
    with vcr.VCR(match_on=MATCH).use_cassette(str(root / "tapes" / "a.yaml")):
        return [ask(url, {"n": number, "key": SECRET}) for number in (1, 2)]


def test_a_suite_that_moves_here_plays_the_files_that_it_has(tmp_path: Path) -> None:
    with server() as live:
        first = written_before(tmp_path, live.url)
        before = (tmp_path / "tapes" / "a.yaml").read_bytes()
        made, _ = recorder(tmp_path, "new_episodes")
        with made.use_cassette(str(tmp_path / "tapes" / "a.yaml")) as cassette:
            assert [ask(live.url, {"n": number, "key": SECRET}) for number in (1, 2)] == first
            assert cassette.play_count == 2
        assert not Library(tmp_path / "lib").exists()
        with made.use_cassette(str(tmp_path / "tapes" / "a.yaml")):
            ask(live.url, {"n": 3})
    made, _ = recorder(tmp_path, "none")
    (tmp_path / "tapes" / "a.yaml").rename(tmp_path / "moved.yaml")
    with made.use_cassette(str(tmp_path / "tapes" / "a.yaml")) as cassette:
        assert [ask(live.url, {"n": number, "key": SECRET}) for number in (1, 2)] == first
        assert len(cassette) == 3
    assert (tmp_path / "moved.yaml").read_bytes() == before
    (tmp_path / "moved.yaml").unlink()
    assert SECRET.encode() not in everything(tmp_path)


def test_files_are_adopted_once_and_played_without_them(tmp_path: Path) -> None:
    with server() as live:
        first = written_before(tmp_path, live.url)
        made, persister = recorder(tmp_path, "none")
        assert persister.adopt(tmp_path / "tapes") == [persister.run_name(tmp_path / "tapes" / "a.yaml")]
        assert persister.adopt(tmp_path / "tapes") == []
        (tmp_path / "tapes" / "a.yaml").unlink()
        with made.use_cassette(str(tmp_path / "tapes" / "a.yaml")):
            assert [ask(live.url, {"n": number, "key": SECRET}) for number in (1, 2)] == first
    assert SECRET.encode() not in everything(tmp_path)
