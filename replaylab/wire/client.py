"""A chat over the network: takes the slot, waits its turn, asks through the SDK, and records every attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace

import httpx2
import openai

from replaylab import canonical
from replaylab.errors import UsageError
from replaylab.near import closest
from replaylab.schema.base import JsonObject
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Failure
from replaylab.schema.model import ModelSettings
from replaylab.wire.asking import Asking
from replaylab.wire.completion import call_failed, judge
from replaylab.wire.endpoint import Endpoint
from replaylab.wire.limits import Limiter
from replaylab.wire.ports import Clock, LanePort, Redacts, Sleep, SlotPort
from replaylab.wire.retry import RetryPolicy, attempts_of, retry_after_s
from replaylab.wire.transport import LaneTransport, failure_of, packed

PATH = "/chat/completions"
_BYTES_A_TOKEN = 4
_ANSWER_TOKENS = 256  # assumed until the server has counted, when the settings bound the answer by nothing


@dataclass(frozen=True)
class Outside:
    """What the wire takes from outside. `inner` is None offline; `gate` admits the calls that may be in flight.

    `clock_ms` is monotonic in milliseconds, `now_s` is Unix time, `sleep` takes seconds.
    """

    inner: httpx2.BaseTransport | None
    redactor: Redacts
    gate: AbstractContextManager[object]
    clock_ms: Clock
    now_s: Clock
    sleep: Sleep
    policy: RetryPolicy = field(default_factory=RetryPolicy)


class LaneChat:
    """One lane's chat with one model. Used from one thread at a time."""

    def __init__(
        self, lane: LanePort, settings: ModelSettings, endpoint: Endpoint, limiter: Limiter, outside: Outside
    ) -> None:
        self._lane, self._endpoint, self._limiter, self._outside = lane, endpoint, limiter, outside
        self._asking = Asking(settings)
        self._policy = replace(outside.policy, max_attempts=endpoint.max_attempts)
        bound = settings.sampling.get("max_completion_tokens") or settings.sampling.get("max_tokens")
        self._answer_tokens = bound if isinstance(bound, int) else _ANSWER_TOKENS
        self._transport = LaneTransport(
            outside.inner, outside.redactor, outside.clock_ms, deadline_ms=endpoint.timeout_s * 1000
        )
        self._client = endpoint.client(self._transport)

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        """The answer, recorded before it is returned. Raises CallFailed when there is none, recorded as well."""
        request = self._asking.request(messages, tools, extra)
        slot = self._lane.begin(request)
        body = canonical.dumps(request.body())
        if slot.recorded is not None:
            final, found = self._send(slot, body)
            slot.play()
        else:
            if self._outside.inner is not None:
                self._endpoint.require_key()
            # A call is in flight until its answer is on the disk: so a crash loses no more calls than the gate admits.
            with ExitStack() as place:
                attempts = self._attempts(slot, body, place)
                final, found = attempts[-1], self._transport.found or judge(attempts[-1])
                slot.commit(attempts, None if isinstance(found, Failure) else found)
        if isinstance(found, Failure):
            raise call_failed(final, found, str(slot.path))
        return found

    def _attempts(self, slot: SlotPort, body: bytes, place: ExitStack) -> list[Attempt]:
        """All attempts. `place` holds the gate from each to the next wait, and from the last on."""

        def once() -> Attempt:
            ticket = self._limiter.wait(len(body) // _BYTES_A_TOKEN + self._answer_tokens)
            place.enter_context(self._outside.gate)
            attempt, found = self._send(slot, body)
            if not isinstance(found, Failure):
                if found.usage is not None:
                    self._limiter.correct(ticket, found.usage.prompt_tokens + found.usage.completion_tokens)
            elif found.kind == "rate_limited":
                asked = retry_after_s(attempt, self._outside.now_s()) or 0.0
                self._limiter.hold(min(asked, self._policy.max_wait_s))
            return attempt

        def sleep(seconds: float) -> None:
            place.close()
            self._outside.sleep(seconds)

        return attempts_of(once, self._policy, seed=str(slot.path), sleep=sleep, now_s=self._outside.now_s)

    def _send(self, slot: SlotPort, body: bytes) -> tuple[Attempt, Completion | Failure]:
        """One exchange through the SDK, and what it holds: as captured, or as the client saw a played one."""
        self._transport.slot = slot
        try:
            response = self._endpoint.post(self._client, PATH, body)
        except openai.APIStatusError as error:
            seen = _seen(error.response)
        except openai.APIConnectionError as error:
            cause = error.__cause__
            if not isinstance(cause, httpx2.RequestError):
                raise
            seen = Attempt(failure=failure_of(cause, begun=self._transport.answered))
        else:
            seen = _seen(response)
        attempt = self._transport.captured or seen
        return attempt, self._transport.found or judge(attempt)


def _seen(response: httpx2.Response) -> Attempt:
    return Attempt(status=response.status_code, headers=dict(response.headers), **packed(response.content))


class Chats:
    """Opens chats by lane and settings. The lanes of a model share its limiter, all share the gate and the network.

    `inners` gives models an inner transport of their own, such as a ProgramTransport, by alias.
    """

    def __init__(
        self,
        endpoints: Mapping[str, Endpoint],
        outside: Outside,
        inners: Mapping[str, httpx2.BaseTransport] | None = None,
    ) -> None:
        self._endpoints = dict(endpoints)
        self._outside = {
            alias: replace(outside, inner=(inners or {}).get(alias, outside.inner))
            for alias in self._endpoints
        }
        self._limiters = {
            alias: Limiter(
                outside.clock_ms,
                outside.sleep,
                requests=endpoint.requests_per_minute,
                tokens=endpoint.tokens_per_minute,
            )
            for alias, endpoint in self._endpoints.items()
        }

    def open(self, lane: LanePort, settings: ModelSettings) -> LaneChat:
        """A chat with the model of that alias. Raises UsageError when no endpoint has it."""
        if settings.alias not in self._endpoints:
            raise UsageError(
                f"no endpoint for the model {settings.alias!r}",
                closest=closest(settings.alias, self._endpoints),
                fix=f"give [models.{settings.alias}] a base_url in replaylab.toml",
            )
        alias = settings.alias
        return LaneChat(lane, settings, self._endpoints[alias], self._limiters[alias], self._outside[alias])
