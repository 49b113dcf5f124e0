"""The columns of the three tables, in their order: name, type, and what stands there.

Types are `string`, `int64`, `float64`, `bool`; every column but the first of a table can be null. What has parts is JSON
text, canonical, so that any reader can take it apart.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Kind = Literal["string", "int64", "float64", "bool"]


class Column(NamedTuple):
    """A column of a table."""

    name: str
    kind: Kind
    meaning: str


# Where a row comes from; the first columns of each table.
PLACE = (
    Column("key", "string", "the trial's address in the run"),
    Column("run", "string", "the id of the run"),
    Column("evidence", "string", "recorded, imported or authored"),
    Column("agent", "string", "alias of who acted"),
    Column("simulator", "string", "alias of who played the environment"),
    Column("verifier", "string", "alias of who judged"),
    Column("faults", "string", "name of the fault plan"),
    Column("task", "string", "id of the task"),
    Column("trial", "int64", "number of the trial, from 0"),
    Column("scenario", "string", "id of the scenario; null where there is no cassette"),
    Column("industry", "string", "industry of the scenario"),
    Column("cassette", "string", "SHA-256 of the cassette that counts; null for a missing trial"),
)

INTERACTIONS = (
    *PLACE,
    Column("path", "string", "the CallPath of the interaction"),
    Column("lane", "string", "the lane: agent, simulator, verifier.0, …"),
    Column("role", "string", "who was asked"),
    Column("player", "string", "llm, program or human: who answered in that role"),
    Column("ordinal", "int64", "number within the lane, from 0"),
    Column("alias", "string", "the model that was asked"),
    Column("answered_by", "string", "the model that the server named"),
    Column("request", "string", "digest of the request"),
    Column("outcome", "string", "digest of what came of it"),
    Column("messages", "int64", "how many messages the request had"),
    Column("asked", "string", "the text of its last message"),
    Column("attempts", "int64", "how often it was sent"),
    Column("status", "int64", "HTTP status of the last attempt"),
    Column("failure", "string", "why there is no answer; null where there is one"),
    Column("text", "string", "what was answered"),
    Column("reasoning", "string", "the reasoning that came beside it"),
    Column("tool_calls", "string", "JSON: id, name and arguments of each call that was asked for"),
    Column("finish_reason", "string", "why the answer ended"),
    Column("prompt_tokens", "int64", "as the server counted; null where it did not"),
    Column("completion_tokens", "int64", "as the server counted"),
    Column("cached_tokens", "int64", "of the prompt, from a cache"),
    Column("reasoning_tokens", "int64", "of the answer, for reasoning"),
    Column("started_ms", "float64", "of the last attempt, from the beginning of the cassette"),
    Column("latency_ms", "float64", "how long the last attempt took"),
)

TRAJECTORIES = (
    *PLACE,
    Column("turn", "int64", "number of the agent's answer, from 0"),
    Column("call", "int64", "number of the call, from 0; null for an answer without one"),
    Column("text", "string", "what the agent said with it"),
    Column("reasoning", "string", "its reasoning"),
    Column("finish_reason", "string", "why the answer ended"),
    Column("call_id", "string", "id of the call"),
    Column("tool", "string", "name of the tool"),
    Column("arguments", "string", "JSON; null where the text was no JSON object"),
    Column("raw_arguments", "string", "that text"),
    Column("observation", "string", "JSON: what the agent was shown"),
    Column("by", "string", "who answered: simulator, faults or engine"),
    Column("fault", "string", "kind of the fault that struck the call"),
    Column("undisturbed", "string", "JSON: what the simulator had said, where a fault changed it"),
)

VERDICTS = (
    *PLACE,
    Column("status", "string", "recorded, error or missing"),
    Column("verdict", "string", "pass, fail, error or none; null for a missing trial"),
    Column("reason", "string", "why"),
    Column("termination", "string", "how the trial ended"),
    Column("answer", "string", "the final answer"),
    Column("turns", "int64", "answers of the agent"),
    Column("calls", "int64", "tool calls"),
    Column("votes", "string", "JSON: each judge's vote with its reason"),
    Column("checks", "string", "JSON: the results of the rubric's checks"),
    Column("trajectory_digest", "string", "digest of the trajectory"),
    Column("outcome", "string", "digest of what came of the trial"),
    Column("source_scores", "string", "JSON: what an imported file says of it; no verdict of replaylab's"),
)

TABLES = {"interactions": INTERACTIONS, "trajectories": TRAJECTORIES, "verdicts": VERDICTS}
