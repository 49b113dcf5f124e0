"""Twelve planted secrets of different shapes, wherever a client or an upstream can put one: none in any file."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest

from replaylab.capture.routes import Upstream
from tests.capture.proxying import Call, ask, every_byte, proxied
from tests.capture.proxying import api as serving_api

SECRETS = {
    "bearer": "sk-proj-9fKq27LmXw84ZtRb61VyHd05",
    "api-key header": "0123456789abcdef0123456789abcdef",  # canonical/ubuntu.com#16555: in `Api-Key`, of no shape
    "x-api-key header": "sk-ant-api03-Zx81kfQm3vT7bWn5LrYd0HsJ",
    "google header": "AIzaSyD4kq9PwZ3vXb7Ln2Rm8Tc5Hf1Jg6Ys0Qd",
    "basic password": "hunter2-Wq83xYz",
    "cookie": "s%3Aq8Zt4Lm1Vw7Kx2",
    "query": "Gq72-short-but-secret",
    "url user": "pr0xyP4ss",
    "json": "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8",
    "multipart": "AKIAIOSFODNN7EXAMPLQ",
    "answer": "xoxb-123456789012-abcdefABCDEF12",
    "stream": "glpat-Xy7Zq2Lm9Kp4Wv8Rt1Bn",
}


def forms(secret: str) -> list[bytes]:
    """The secret as it may stand in a file: as it is, in hexadecimal, and in base64 wherever it begins there."""
    data = secret.encode()
    packed = [base64.b64encode(bytes(before) + data)[4 if before else 0 : -4] for before in range(3)]
    return [data, data.hex().encode(), *packed]


def split(secret: str) -> list[str]:
    third = len(secret) // 3
    return [secret[:third], secret[third : 2 * third], secret[2 * third :]]


def answer(call: Call) -> None:
    """Echoes what it got, key and all, and says secrets of its own; streamed text comes in pieces."""
    key = call.got.headers.get("authorization", "")
    if "stream" not in call.got.path:
        body = {"said": SECRETS["answer"], "you": dict(call.got.headers), "path": call.got.path}
        call.reply(json.dumps(body).encode(), x_request_id=f"req {SECRETS['answer']}")
        return
    call.stream()
    for part in (*split(SECRETS["stream"]), " and ", *split(key), "."):
        delta = {"choices": [{"index": 0, "delta": {"content": part}}]}
        call.chunk(b"data: " + json.dumps(delta).encode() + b"\n\n")
    # Cut anywhere, inside a line too, and once more in an escaped form.
    raw = (
        f"data: {json.dumps({'raw': SECRETS['stream'] + ' ' + base64.b64encode(key.encode()).decode()})}\n\n"
    )
    for part in split(raw):
        call.chunk(part.encode())
    call.end()


def multipart() -> tuple[bytes, str]:
    lines = ["--b7", 'content-disposition: form-data; name="aws"', "", SECRETS["multipart"], "--b7--", ""]
    return "\r\n".join(lines).encode(), "multipart/form-data; boundary=b7"


def use(address: str) -> list[int | None]:
    basic = base64.b64encode(f"me:{SECRETS['basic password']}".encode()).decode()
    form, kind = multipart()
    json_body = json.dumps({"env": {"TOKEN": SECRETS["json"]}, "mine": SECRETS["bearer"]}).encode()
    bearer = f"Bearer {SECRETS['bearer']}"
    seen = [
        ask(address, "/openai/v1/a", json_body, authorization=bearer),
        ask(address, "/openai/v1/b", b"{}", authorization=f"Basic {basic}", api_key=SECRETS["api-key header"]),
        ask(address, "/openai/v1/c", b"{}", x_api_key=SECRETS["x-api-key header"], x_goog_api_key=SECRETS["google header"]),
        ask(address, f"/openai/v1/d?key={SECRETS['query']}&alt=json", b"{}", cookie=f"sid={SECRETS['cookie']}; a=b"),
        ask(address, f"/openai/v1/e?callback=https://u:{SECRETS['url user']}@example.com/x", b"{}"),
        ask(address, "/openai/v1/f", form, content_type=kind, authorization=bearer),
        ask(address, "/openai/v1/stream", b"{}", authorization=bearer),
        ask(address, "/openai/v1/echo", f'"{SECRETS["api-key header"]}"'.encode(), api_key=SECRETS["api-key header"]),
        ask(address, "/openai/v1/unknown-lane", b"{}", x_replaylab_lane=f"lane {SECRETS['json']}"),
    ]  # fmt: skip
    return [one.status for one in seen]


@pytest.mark.parametrize("killed", [False, True], ids=["sealed", "journal alone"])
def test_no_planted_secret_is_in_any_file(tmp_path: Path, killed: bool) -> None:
    with serving_api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            assert use(serving.address) == [200] * 9
            if killed:  # what a kill would leave: nothing is sealed, the journal is all there is
                serving.session.close()
    got = json.dumps([[one.path, one.headers, one.body.decode()] for one in upstream.got])
    assert all(
        json.dumps(secret)[1:-1] in got
        for name, secret in SECRETS.items()
        if name not in {"answer", "stream", "basic password"}
    )
    files = every_byte(tmp_path)
    assert not [name for name, secret in SECRETS.items() for form in forms(secret) if form in files]
    assert b"*REDACTED*" in files


def test_a_replay_with_other_keys_finds_the_same_and_says_where_it_was_redacted(tmp_path: Path) -> None:
    with serving_api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            use(serving.address)
    others = {name: f"other-{number}-K8x2Zq7w" for number, name in enumerate(SECRETS)}
    before = dict(SECRETS)
    SECRETS.update(
        {**others, "json": "ghp_zzB2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7ZZ", "multipart": "AKIAIOSFODNN7EXAMPZZ"}
    )
    try:
        with proxied(tmp_path, base, mode="offline") as serving:
            assert use(serving.address) == [200] * 9
            again = ask(serving.address, "/openai/v1/stream", b"{}")
    finally:
        SECRETS.update(before)
    assert again.status == 404  # each is given once


def test_a_replayed_answer_counts_what_was_taken_out(tmp_path: Path) -> None:
    with serving_api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            live = ask(serving.address, "/openai/v1/stream", authorization=f"Bearer {SECRETS['bearer']}")
    with proxied(tmp_path, base, mode="offline") as serving:
        played = ask(serving.address, "/openai/v1/stream")
    assert "x-replaylab-redacted" not in live.headers
    assert int(played.headers["x-replaylab-redacted"]) == played.body.count(b"*REDACTED*") >= 4
    assert len(live.pieces) >= len(played.pieces)


def said(body: bytes) -> str:
    """What a client puts together from a stream."""
    events = [json.loads(line[6:]) for line in body.decode().splitlines() if line.startswith("data: ")]
    deltas = [one["choices"][0]["delta"]["content"] for one in events if "choices" in one]
    return "".join(deltas) + "".join(str(one.get("raw", "")) for one in events)


def test_no_secret_can_be_put_together_from_the_pieces_of_a_stream(tmp_path: Path) -> None:
    """Each piece alone is harmless, so the files are no proof: what counts is what a client makes of them."""
    with serving_api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            live = ask(serving.address, "/openai/v1/stream", authorization=f"Bearer {SECRETS['bearer']}")
    with proxied(tmp_path, base, mode="offline") as serving:
        played = ask(serving.address, "/openai/v1/stream")
    for name in ("stream", "bearer"):
        assert SECRETS[name] in said(live.body)
        assert SECRETS[name] not in said(played.body)
        for piece in split(SECRETS[name])[:2]:
            assert piece not in said(played.body)
    assert base64.b64encode(SECRETS["bearer"].encode())[:20].decode() not in said(played.body)
