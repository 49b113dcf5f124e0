"""HAR files become captured runs that can be played, and no credential of theirs is kept."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.capture.routes import Routes
from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.miss import MissError
from replaylab.engine.captured.session import Session
from replaylab.engine.verify import verify
from replaylab.interop.har.importer import ImportedExchanges, import_har
from replaylab.interop.transcript import TranscriptsRefused
from replaylab.schema.outcome import body_bytes
from replaylab.store.library import Library
from replaylab.wire.redact import Redactor
from tests.interop.talk.landing import SECRET, nothing_written, sample, written
from tests.playground import fake_seams

ASKED = {"model": "gpt-5", "messages": [{"role": "user", "content": "Hi"}]}
SAID = {"object": "chat.completion", "choices": [{"message": {"role": "assistant", "content": "Hello"}}]}


def entry(at: int = 0, **changed: Any) -> dict[str, Any]:
    """An exchange that began so many seconds after noon."""
    request = {
        "method": "POST",
        "url": "https://api.openai.com/v1/chat/completions",
        "headers": [
            {"name": "Authorization", "value": f"Bearer {SECRET}"},
            {"name": "Cookie", "value": f"sid={SECRET}"},
            {"name": "Content-Type", "value": "application/json"},
        ],
        "cookies": [{"name": "sid", "value": SECRET}],
        "postData": {"mimeType": "application/json", "text": json.dumps(ASKED)},
    }
    response = {
        "status": 200,
        "headers": [
            {"name": "content-type", "value": "application/json"},
            {"name": "set-cookie", "value": f"a={SECRET}"},
        ],
        "content": {"size": 9, "mimeType": "application/json", "text": json.dumps(SAID)},
    }
    request |= changed.pop("request", {})
    response |= changed.pop("response", {})
    whole = {
        "startedDateTime": f"2026-01-02T12:00:{at:02d}.500Z",
        "time": 250.5,
        "request": request,
        "response": response,
    }
    return whole | changed


def har(*entries: dict[str, Any]) -> dict[str, Any]:
    return {"log": {"version": "1.2", "creator": {"name": "x", "version": "1"}, "entries": list(entries)}}


def imported(root: Path, *entries: dict[str, Any], name: str = "theirs", **how: Any) -> ImportedExchanges:
    path = written(root / "a.har", har(*entries))
    return import_har(Library(root / "library"), name, {"a.har": path}, Redactor([SECRET]), **how)


def playing(root: Path, name: str = "theirs") -> Session:
    return Session(Library(root / "library"), name, "offline", fake_seams())


def asking(body: Any = ASKED, **changed: Any) -> Exchange:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    how = {"endpoint": "openai", "method": "POST", "target": "/v1/chat/completions"} | changed
    return Exchange.of(body=data, redactor=Redactor(), **how)


def test_a_real_file_is_read_whole(tmp_path: Path) -> None:
    path = sample("har/chrome.har")
    done = import_har(Library(tmp_path / "library"), "theirs", {path.name: path}, Redactor())
    entries = json.loads(path.read_bytes())["log"]["entries"]
    library = Library(tmp_path / "library")
    assert not verify(library).findings
    assert done.exchanges == len(entries) == 3
    (name,) = library.objects("cassette")
    rows = open_cassette(library, name).lanes["client"]
    for row, theirs in zip(rows, entries, strict=True):
        content = theirs["response"]["content"]
        assert row.final.status == (theirs["response"]["status"] or None)
        assert body_bytes(row.final) == base64.b64decode(content.get("text", ""))
        assert row.final.latency_ms == pytest.approx(theirs["time"], abs=0.001)
    assert done.run.evidence == "imported"
    assert done.run.created == "2023-03-30T00:00:54.250Z"


def test_what_was_imported_is_played_to_who_asks_the_same(tmp_path: Path) -> None:
    imported(tmp_path, entry())
    session = playing(tmp_path)
    place = session.begin(asking())
    assert place.recorded is not None
    assert json.loads(place.recorded.text or "") == SAID
    with pytest.raises(MissError):
        session.begin(asking())
    session.close()


def test_no_credential_is_kept(tmp_path: Path) -> None:
    url = f"https://api.openai.com/v1/chat/completions?api_key={SECRET}"
    imported(tmp_path, entry(request={"url": url}, response={"content": {"text": f"your key: {SECRET}"}}))
    library = Library(tmp_path / "library")
    for name in library.objects("cassette"):
        one = open_cassette(library, name)
        whole = str([one.header, one.lanes, list(one.blobs)])
        assert SECRET not in whole
        assert "cookie" not in whole.lower()
        assert "*REDACTED*" in whole


@pytest.mark.parametrize("place", ["header", "query", "form"])
def test_what_an_exchange_sends_as_a_key_is_a_secret_in_all_of_it(tmp_path: Path, place: str) -> None:
    own = "4f1e9c7a2b8d6035"  # the shape of no key that anybody knows
    form = {"mimeType": "application/x-www-form-urlencoded", "text": f"client_secret={own}&a=1"}
    asked = {
        "header": {
            "headers": [{"name": "api-key", "value": own}],
            "postData": {"text": f'{{"mine": "{own}"}}'},
        },
        "query": {"url": f"https://api.openai.com/v1/x?subscription-key={own}"},
        "form": {"headers": [{"name": "Content-Type", "value": form["mimeType"]}], "postData": form},
    }
    imported(tmp_path, entry(request=asked[place], response={"content": {"text": f"wrong key {own}"}}))
    library = Library(tmp_path / "library")
    (name,) = library.objects("cassette")
    whole = b"".join(open_cassette(library, name).lines())
    assert own.encode() not in whole
    assert base64.b64encode(own.encode())[:-4] not in whole
    assert b"wrong key *REDACTED*" in whole


def test_entries_are_taken_in_the_order_of_their_times(tmp_path: Path) -> None:
    def said(text: str) -> dict[str, Any]:
        return {"content": {"text": text}}

    imported(tmp_path, entry(9, response=said("late")), entry(1, response=said("early")))
    session = playing(tmp_path)
    answers = [session.begin(asking()).recorded for _ in range(2)]
    assert [one.text for one in answers if one] == ["early", "late"]
    session.close()


def test_identical_requests_that_overlapped_are_marked(tmp_path: Path) -> None:
    def said(text: str) -> dict[str, Any]:
        return {"content": {"text": text}}

    imported(tmp_path, entry(1, time=5000, response=said("a")), entry(2, response=said("b")))
    session = playing(tmp_path)
    assert [session.begin(asking()).path for _ in range(2)]
    assert any("may have changed" in line for line in session.warnings())
    session.close()
    imported(tmp_path, entry(1, response=said("a")), entry(2, response=said("b")), name="apart")
    session = playing(tmp_path, "apart")
    assert [session.begin(asking()).path for _ in range(2)]
    assert not session.warnings()
    session.close()


def test_a_retry_is_the_next_attempt_of_its_question(tmp_path: Path) -> None:
    first = entry(1, response={"status": 429, "content": {"text": "slow down"}})
    headers = [{"name": "x-stainless-retry-count", "value": "1"}]
    imported(tmp_path, first, entry(2, request={"headers": headers}))
    library = Library(tmp_path / "library")
    (name,) = library.objects("cassette")
    (row,) = open_cassette(library, name).lanes["client"]
    assert [attempt.status for attempt in row.attempts] == [429, 200]


def test_lanes_endpoints_and_forms_are_read(tmp_path: Path) -> None:
    lane = [{"name": "X-Replaylab-Lane", "value": "worker-7"}]
    params = [{"name": "a", "value": "1 2"}, {"name": "b", "value": "é"}]
    form = {"url": "http://127.0.0.1:8080/form", "postData": {"params": params}}
    done = imported(tmp_path, entry(request={"headers": lane}), entry(1, request=form))
    assert done.hosts == {"http-127-0-0-1-8080": 1, "openai": 1}
    assert {entry.key.split("/")[1] for entry in done.run.ledger} == {"worker-7@0", "main@0"}
    session = playing(tmp_path)
    assert session.begin(asking(b"a=1+2&b=%C3%A9", endpoint="http-127-0-0-1-8080", target="/form")).recorded
    session.close()


@pytest.mark.parametrize(
    ("url", "endpoint", "base"),
    [
        ("https://api.mistral.ai/v1/x", "mistral", "https://api.mistral.ai"),
        ("https://openrouter.ai/api/v1/x", "openrouter", "https://openrouter.ai/api"),
        ("https://Shop.Example:8443/v1/x", "shop-example-8443", "https://shop.example:8443"),
        ("wss://shop.example/v1/x", "shop-example", "https://shop.example"),
    ],
)
def test_an_endpoint_has_the_name_by_which_the_proxy_offers_it(
    tmp_path: Path, url: str, endpoint: str, base: str
) -> None:
    imported(tmp_path, entry(request={"url": url}))
    session = playing(tmp_path)
    assert session.endpoints == {endpoint: base}
    assert Routes([]).with_recorded(session.endpoints).find(f"/{endpoint}/v1/x") is not None
    assert session.begin(asking(endpoint=endpoint, target="/v1/x")).recorded
    session.close()


def test_an_exchange_without_an_answer_is_a_failure(tmp_path: Path) -> None:
    imported(tmp_path, entry(response={"status": 0, "_error": "net::ERR_FAILED", "content": {"size": 0}}))
    session = playing(tmp_path)
    recorded = session.begin(asking()).recorded
    assert recorded is not None
    assert recorded.failure is not None
    assert recorded.failure.message == "net::ERR_FAILED"
    session.close()


def test_a_body_that_the_file_left_out_is_lacking_and_not_empty(tmp_path: Path) -> None:
    done = imported(tmp_path, entry(response={"content": {"size": 900}}))
    session = playing(tmp_path)
    recorded = session.begin(asking()).recorded
    assert recorded is not None
    assert not recorded.complete
    assert done.lacks == {"bodies": 1}
    session.close()


def test_only_the_hosts_that_are_asked_for_are_taken(tmp_path: Path) -> None:
    done = imported(
        tmp_path, entry(), entry(1, request={"url": "https://tracker.example/x"}), hosts={"api.openai.com"}
    )
    assert (done.exchanges, done.other) == (1, 1)


def test_importing_again_changes_nothing_and_something_else_is_a_conflict(tmp_path: Path) -> None:
    first = imported(tmp_path, entry())
    again = imported(tmp_path, entry())
    assert (again.run_id, again.changed) == (first.run_id, False)
    with pytest.raises(TranscriptsRefused, match="holds something else"):
        imported(tmp_path, entry(), entry(1))
    assert not verify(Library(tmp_path / "library")).findings


@pytest.mark.parametrize(
    ("changed", "field", "why"),
    [
        ({"startedDateTime": "noon"}, "startedDateTime", "ISO 8601"),
        ({"startedDateTime": None}, "startedDateTime", "missing"),
        ({"startedDateTime": "9999-12-31T23:59:59-23:59"}, "startedDateTime", "ISO 8601"),
        ({"startedDateTime": "0001-01-01T00:00:00+23:59"}, "startedDateTime", "ISO 8601"),
        ({"request": {"url": "http://[::1"}}, "request.url", "no URL"),
        ({"request": {"url": "file:///etc/passwd"}}, "request.url", "no URL of HTTP"),
        ({"request": {"url": "http://x:99999999/"}}, "request.url", "no URL"),
        ({"request": {"headers": [7]}}, "request.headers.0", "not an object"),
        ({"request": {"method": None}}, "request.method", "missing"),
        ({"response": {"status": 7000}}, "response.status", "no whole number"),
        ({"response": {"status": "200"}}, "response.status", "no whole number"),
        ({"response": {"content": {"text": "!", "encoding": "base64"}}}, "content.text", "no base64"),
        ({"response": {"content": {"text": "x", "encoding": "rot13"}}}, "content.encoding", "nobody knows"),
        ({"time": "soon"}, "time", "a text and not a number"),
    ],
)
def test_what_does_not_fit_is_named_by_its_place(tmp_path: Path, changed: Any, field: str, why: str) -> None:
    with pytest.raises(TranscriptsRefused) as caught:
        imported(tmp_path, entry(), entry(1, **changed))
    (problem,) = caught.value.problems
    assert problem.where == "a.har#1"
    assert field in problem.field
    assert why in problem.why
    assert nothing_written(tmp_path)
    assert imported(tmp_path, entry(), entry(1, **changed), skip_bad=True).skipped_entries == 1


def test_a_body_that_is_larger_than_a_recording_may_be_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("replaylab.interop.har.entries.MAX_BODY", 1_000)
    large = entry(
        1, response={"content": {"text": base64.b64encode(bytes(1_001)).decode(), "encoding": "base64"}}
    )
    with pytest.raises(TranscriptsRefused) as caught:
        imported(tmp_path, entry(), large)
    assert "it is larger than" in caught.value.problems[0].why
    assert nothing_written(tmp_path)


@pytest.mark.parametrize(
    "value", [b"{", {}, {"log": {"version": "2.0", "entries": []}}, {"log": {"version": "1.2"}}, []]
)
def test_what_is_no_har_file_is_refused(tmp_path: Path, value: Any) -> None:
    path = written(tmp_path / "a.har", value)
    with pytest.raises(TranscriptsRefused):
        import_har(Library(tmp_path / "library"), "x", {"a.har": path}, Redactor())
    assert nothing_written(tmp_path)
