"""What the index says of a cassette. Apart from it: whoever only reads cassettes does without the database."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CassetteRow:
    """What the index says about a cassette: read from its header and seal by a layer above.

    `calls` counts interactions, `attempts` HTTP exchanges; tokens are sums as the servers counted them.
    """

    kind: str
    condition: str
    task: str
    trial: int
    attempt: int
    scenario: str
    industry: str
    domain: str
    termination: str
    verdict: str
    created: str
    calls: int
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    outcome: str
