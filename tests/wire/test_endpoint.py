from __future__ import annotations

import json
import subprocess
import sys
import time

import httpx2
import openai
import pytest

from replaylab import canonical
from replaylab.errors import UsageError
from replaylab.schema.model import ModelSettings
from replaylab.wire.endpoint import Endpoint
from replaylab.wire.transport import ProgramTransport
from tests.wire.server import ANSWER

SETTINGS = ModelSettings(alias="m", model="vendor/m")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "api.vendor.example/v1",
        "ftp://x/v1",
        "http://h:abc/v1",
        "http://a..b/v1",
        "http://\u2603\ufffd/v1",
        "http:///v1",
    ],
)
def test_an_address_that_is_none_is_a_usage_error(url: str) -> None:
    with pytest.raises(UsageError, match="base_url"):
        Endpoint(SETTINGS, url)


@pytest.mark.parametrize("key", ["k\n", " k", "k\u00e9", '"k"\r'])
def test_a_key_with_stray_characters_is_a_usage_error_that_does_not_show_it(key: str) -> None:
    with pytest.raises(UsageError) as caught:
        Endpoint(SETTINGS, "http://127.0.0.1:1/v1", key + "s3cret" + key, "M_KEY")
    assert "s3cret" not in str(caught.value)
    assert "M_KEY" in str(caught.value)


def test_the_key_is_not_in_the_repr() -> None:
    assert "s3cret" not in repr(Endpoint(SETTINGS, "http://127.0.0.1:1/v1", "s3cret"))


@pytest.mark.parametrize(("name", "wanted"), [("M_KEY", True), ("", False)])
def test_a_key_is_required_only_where_a_variable_is_named(name: str, wanted: bool) -> None:
    endpoint = Endpoint(SETTINGS, "http://127.0.0.1:1/v1", "", name)
    if wanted:
        with pytest.raises(UsageError, match=name):
            endpoint.require_key()
    else:
        endpoint.require_key()


def test_our_body_costs_a_fraction_of_what_create_costs() -> None:
    messages = [{"role": "user", "content": "x" * 400} for _ in range(21)]
    answer = json.dumps(ANSWER).encode()
    inner = ProgramTransport(lambda path, body: (200, {"content-type": "application/json"}, [answer]))
    endpoint = Endpoint(SETTINGS, "http://127.0.0.1:1/v1", "k")

    def cost(count: int, call: object) -> float:
        assert callable(call)
        call()
        begun = time.process_time()
        for _ in range(count):
            call()
        return (time.process_time() - begun) / count * 1000

    with endpoint.client(inner) as client:
        body = canonical.dumps({"model": "m", "messages": messages})
        ours = cost(60, lambda: endpoint.post(client, "/chat/completions", body))
        theirs = cost(10, lambda: client.chat.completions.create(model="m", messages=messages))  # type: ignore[arg-type]
    assert ours < theirs / 3, f"{ours:.2f} ms against {theirs:.2f} ms"
    assert ours < 5


@pytest.mark.parametrize("module", ["completion", "played", "asking"])
def test_what_a_replay_uses_imports_neither_sdk_nor_http_client(module: str) -> None:
    code = (
        f"import sys, replaylab.wire.{module}; "
        "print([name for name in ('openai', 'httpx2', 'tenacity') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert done.stdout.strip() == "[]"


def test_the_client_never_retries_by_itself() -> None:
    asked: list[int] = []

    def program(path: str, body: bytes) -> tuple[int, dict[str, str], list[bytes]]:
        asked.append(1)
        return 500, {"x-should-retry": "true"}, [b""]

    endpoint = Endpoint(SETTINGS, "http://127.0.0.1:1/v1", "k")
    with endpoint.client(ProgramTransport(program)) as client, pytest.raises(openai.InternalServerError):
        client.post("/chat/completions", cast_to=httpx2.Response, content=b"{}")
    assert asked == [1]
