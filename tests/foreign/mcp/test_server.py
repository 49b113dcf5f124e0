"""The MCP server, asked by the official client in this process, over both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from mcp import Client

from replaylab.foreign.mcp.server import submit_tool, tool_server
from tests.foreign.mcp.serving import seated
from tests.foreign.playing import answered

ERAS = ("legacy", "auto")


def text(result: Any) -> str:
    assert [one.type for one in result.content] == ["text"]
    return str(result.content[0].text)


@pytest.mark.parametrize("era", ERAS)
def test_a_client_plays_a_trial(era: str) -> None:
    async def plays(client: Client) -> None:
        tools = {one.name: one for one in (await client.list_tools()).tools}
        assert tools["get_patient"].input_schema["type"] == "object"
        seen = await client.call_tool("list_places", {})
        assert json.loads(text(seen)) == seen.structured_content
        assert not seen.is_error
        assert text(await client.call_tool("submit_answer", {"answer": "done"})).startswith(
            "The answer is given"
        )

    with seated() as (desk, trial):
        asyncio.run(_with(desk, era, plays, submit=True))
        moves = answered(trial.result(30).lanes["agent"])
    assert moves == [[("list_places", "{}")], "done"]


async def _with(desk: Any, era: str, plays: Any, *, submit: bool) -> None:
    async with Client(tool_server(desk, submit=submit), mode=era) as client:
        await plays(client)


def test_calls_sent_at_once_are_made_in_the_order_in_which_they_came() -> None:
    sent = [f"P-{number}" for number in range(25)]

    async def plays(client: Client) -> None:
        calls = [asyncio.create_task(client.call_tool("get_patient", {"patient_id": one})) for one in sent]
        calls.append(asyncio.create_task(client.call_tool("submit_answer", {"answer": "done"})))
        await asyncio.gather(*calls)

    with seated() as (desk, trial):
        asyncio.run(_with(desk, "auto", plays, submit=True))
        *moves, answer = answered(trial.result(30).lanes["agent"])
    asked = [json.loads(call[1])["patient_id"] for move in moves for call in move]
    assert (asked, answer) == (sent, "done")


@pytest.mark.parametrize("era", ERAS)
def test_the_task_is_in_the_instructions_and_in_a_prompt(era: str) -> None:
    found: list[str] = []

    async def plays(client: Client) -> None:
        found.append(client.instructions or "")
        (prompt,) = (await client.list_prompts()).prompts
        (message,) = (await client.get_prompt(prompt.name)).messages
        found.append(message.content.text)  # type: ignore[union-attr]

    with seated() as (desk, trial):
        asyncio.run(_with(desk, era, plays, submit=True))
        desk.submit("x")
        header = trial.result(30).header
    assert found[0] == found[1]
    assert header.task.instruction in found[0]
    assert found[0].endswith("Give your final answer with the tool submit_answer.")


def test_nothing_that_is_hidden_is_told() -> None:
    said: list[str] = []

    async def plays(client: Client) -> None:
        told = (await client.list_tools(), await client.list_prompts(), await client.get_prompt("task"))
        said.extend(one.model_dump_json() for one in told)
        said.append(client.instructions or "")

    with seated() as (desk, trial):
        asyncio.run(_with(desk, "auto", plays, submit=True))
        desk.submit("x")
        header = trial.result(30).header
    told = " ".join(said)
    assert header.task.plan is not None
    for hidden in (header.environment.system_prompt, header.task.rubric.text, header.task.plan.answer):
        for sentence in hidden.split(". "):
            assert len(sentence) < 25 or sentence.strip() not in told
    assert "effect" not in told
    assert "example_output" not in told


def test_calls_that_cannot_be_made_are_answered_like_everyones() -> None:
    async def plays(client: Client) -> None:
        unknown = await client.call_tool("nope", {})
        assert "There is no tool named" in text(unknown)
        assert not unknown.is_error
        wrong = await client.call_tool("submit_answer", {"answer": 7})
        assert wrong.is_error

    with seated() as (desk, trial):
        asyncio.run(_with(desk, "auto", plays, submit=True))
        desk.submit("x")
        moves = answered(trial.result(30).lanes["agent"])
    assert moves == [[("nope", "{}")], "x"]


def test_parallel_calls_each_get_their_own_observation() -> None:
    async def plays(client: Client) -> None:
        both = await asyncio.gather(client.call_tool("list_places", {}), client.call_tool("list_waiting", {}))
        assert [next(iter(json.loads(text(one)))) for one in both] == ["places", "waiting"]

    with seated() as (desk, trial):
        asyncio.run(_with(desk, "legacy", plays, submit=True))
        desk.submit("x")
        assert len(trial.result(30).lanes["agent"]) == 3


def test_after_the_end_every_call_is_refused() -> None:
    async def plays(client: Client) -> None:
        await client.call_tool("submit_answer", {"answer": "done"})
        late = await client.call_tool("list_places", {})
        assert late.is_error
        assert "ended" in text(late)

    with seated() as (desk, trial):
        asyncio.run(_with(desk, "auto", plays, submit=True))
        assert answered(trial.result(30).lanes["agent"]) == ["done"]


def test_only_who_has_no_other_way_gets_a_tool_for_the_answer() -> None:
    names: list[str] = []

    async def plays(client: Client) -> None:
        names.extend(one.name for one in (await client.list_tools()).tools)

    with seated() as (desk, _):
        asyncio.run(_with(desk, "auto", plays, submit=False))
    assert "submit_answer" not in names


def test_the_tool_for_the_answer_takes_no_other_tools_name() -> None:
    assert submit_tool(["a"]) == "submit_answer"
    assert submit_tool(["submit_answer", "submit_answer_"]) == "submit_answer__"
