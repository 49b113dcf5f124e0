"""A model's endpoint: where it is, the key, the limits; and the SDK client that speaks to it."""

from __future__ import annotations

from dataclasses import dataclass, field

import httpx2
import openai

from replaylab.errors import UsageError
from replaylab.schema.model import ModelSettings
from replaylab.wire.ports import Clock
from replaylab.wire.timed import TimedBackend

_CONNECT_S = 15.0


@dataclass(frozen=True)
class Endpoint:
    """None of this is recorded, but the settings. A limit of 0 is none; `timeout_s` is for a whole attempt.

    `api_key_env` names the environment variable that the key comes from; "" when the endpoint wants no key.
    """

    settings: ModelSettings
    base_url: str
    api_key: str = field(default="", repr=False)
    api_key_env: str = ""
    requests_per_minute: int = 0
    tokens_per_minute: int = 0
    timeout_s: float = 600.0
    max_attempts: int = 6

    def __post_init__(self) -> None:
        if not _is_web_address(self.base_url):
            raise UsageError(
                f"the base_url of the model {self.alias!r} is no web address: {self.base_url!r}",
                fix="give it as http://… or https://…, up to and including /v1",
            )
        if (
            not (self.api_key.isascii() and self.api_key.isprintable())
            or self.api_key != self.api_key.strip()
        ):
            raise UsageError(
                f"the API key of the model {self.alias!r} holds a character that no key has",
                where=self.api_key_env,
                fix="look for a line break, a space or a quotation mark around it",
            )

    @property
    def alias(self) -> str:
        return self.settings.alias

    def require_key(self) -> None:
        """Raise UsageError when the key that the endpoint wants is not set."""
        if self.api_key_env and not self.api_key:
            raise UsageError(
                f"the model {self.alias!r} needs an API key",
                where=f"environment variable {self.api_key_env}",
                fix=f"export {self.api_key_env}=… and run the same command again; what is recorded is kept",
            )

    def client(self, transport: httpx2.BaseTransport) -> openai.OpenAI:
        """The SDK's client over a transport. It never retries, and takes key and address from here alone."""
        # The SDK fills what it is not given from OPENAI_* variables. Organization and project are for one vendor's
        # account, and a stray Authorization among OPENAI_CUSTOM_HEADERS would be sent to every vendor.
        client = openai.OpenAI(
            base_url=self.base_url,
            api_key=self.api_key or "none",
            admin_api_key="",
            webhook_secret="",
            default_headers={"Authorization": f"Bearer {self.api_key}"} if self.api_key else None,
            max_retries=0,
            timeout=httpx2.Timeout(self.timeout_s, connect=min(_CONNECT_S, self.timeout_s)),
            # By default it would ask for whatever the packages that happen to be installed can decode.
            http_client=httpx2.Client(
                transport=transport, trust_env=False, headers={"accept-encoding": "gzip, deflate"}
            ),
        )
        client.organization = client.project = None
        return client

    def post(self, client: openai.OpenAI, path: str, body: bytes) -> httpx2.Response:
        """Send a body of our own. The SDK walks no messages this way: a tenth of the CPU of `create`."""
        headers: dict[str, str | openai.Omit] = {} if self.api_key else {"Authorization": openai.Omit()}
        return client.post(path, cast_to=httpx2.Response, content=body, options={"headers": headers})


def _is_web_address(text: str) -> bool:
    try:
        url = httpx2.URL(text)
        url.host.encode("idna")  # as the look-up of a name does, which raises no error of the connection
    except (httpx2.InvalidURL, UnicodeError):
        return False
    return url.scheme in {"http", "https"} and bool(url.host)


def network(connections: int, clock_ms: Clock, proxy: str | None = None) -> httpx2.HTTPTransport:
    """The inner transport of all lanes: one pool of at most so many connections, and nothing from the environment.

    `clock_ms` is monotonic, in milliseconds: a timeout is for the whole of an answer.
    """
    limits = httpx2.Limits(max_connections=connections, max_keepalive_connections=connections)
    transport = httpx2.HTTPTransport(limits=limits, proxy=proxy, trust_env=False)
    pool = transport._pool  # noqa: SLF001 - there is no public way to give the transport a backend
    pool._network_backend = TimedBackend(pool._network_backend, clock_ms)  # noqa: SLF001
    return transport
