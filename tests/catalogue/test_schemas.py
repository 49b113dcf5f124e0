"""A tool's schema is closed: nothing that it says makes anybody fetch anything, and what it breaks is one error."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from replaylab.catalogue.schemas import BrokenSchema, check_schema, errors_of
from replaylab.catalogue.twin import ToolTwin
from replaylab.schema.scenario import Environment, Tool
from tests.playground import catalogue


def wide(**more: Any) -> Any:
    return {"type": "object", "properties": {"a": {"type": "string"}}, **more}


@pytest.fixture
def fetched() -> Iterator[tuple[str, list[str]]]:
    """An address that answers with a schema, and what was asked of it."""
    asked: list[str] = []

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Answering) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/s.json", asked
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(
    "leading",
    [
        lambda far: {"allOf": [{"$ref": far}]},
        lambda far: {"properties": {"a": {"$dynamicRef": far}}},
        lambda far: {"$id": far, "allOf": [{"$ref": "other.json"}]},
        lambda far: {"allOf": [{"$ref": "#/x"}], "x": {"$id": far, "allOf": [{"$ref": "#/y"}]}},
    ],
    ids=["plain", "dynamic", "of an id", "nested"],
)
def test_nothing_is_fetched_for_a_reference_and_the_twin_says_that_nothing_can_be_checked(
    leading: Any, fetched: tuple[str, list[str]]
) -> None:
    far, asked = fetched
    schema = wide(**leading(far))
    with pytest.raises(BrokenSchema):
        errors_of(schema, {"a": "x"})
    tool = Tool(name="look", parameters=schema)
    twin = ToolTwin(
        Environment(id="e", system_prompt="", tools=(tool,), initial_state={}, state_description={})
    )
    assert "no arguments can be checked" in str(twin.call("look", {"a": "x"}))
    assert asked == []


def test_no_file_is_read_for_a_reference(tmp_path: Path) -> None:
    (tmp_path / "s.json").write_text('{"required": ["b"]}', encoding="utf-8")
    with pytest.raises(BrokenSchema, match="which it does not hold"):
        errors_of(wide(allOf=[{"$ref": (tmp_path / "s.json").as_uri()}]), {})


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ({"type": "objekt"}, "type"),
        ({"properties": 7}, "properties"),
        ({"properties": {"a": {"pattern": "("}}}, "properties.a.pattern"),
        ({"allOf": [{"$ref": "#/$defs/nope"}]}, "allOf.0.$ref"),
        ({"allOf": [{"$ref": "#nope"}]}, "allOf.0.$ref"),
        ({"items": [{"$id": "x"}]}, "items"),
    ],
)
def test_a_schema_that_is_none_says_where(schema: Any, path: str) -> None:
    with pytest.raises(BrokenSchema) as caught:
        check_schema(schema)
    assert caught.value.path == path


@pytest.mark.parametrize(
    "schema",
    [
        {"allOf": [{"$ref": "#"}]},
        {"properties": {"a": {"$ref": "#/properties/a"}}},
        {"properties": {"b": {"minLength": 1}}, "additionalProperties": {"$ref": "#/additionalProperties"}},
    ],
)
def test_a_schema_that_fails_only_when_it_is_used_is_one_error_too(schema: Any) -> None:
    with pytest.raises(BrokenSchema, match=r"without end|nothing can be checked by it"):
        errors_of(schema, {"a": 1})


def test_references_within_a_schema_are_followed() -> None:
    schema = wide(
        **{
            "$defs": {"w/x": {"type": "integer"}, "n": {"$anchor": "here", "type": "null"}},
            "properties": {
                "a": {"$ref": "#/$defs/w~1x"},
                "b": {"$ref": "#here"},
                "$ref": {"type": "string"},
            },
        }
    )
    check_schema(schema)
    assert errors_of(schema, {"a": 1, "b": None, "$ref": "x"}) == []
    assert len(errors_of(schema, {"a": "1", "b": 2})) == 2


def test_the_tools_of_all_shipped_environments_are_closed() -> None:
    for environment in catalogue().environments:
        for tool in environment.tools:
            check_schema(tool.parameters)


RUNAWAY = {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a+)+$"}}}


def test_a_pattern_that_could_run_away_on_a_text_says_nothing_of_it() -> None:
    assert [one.message for one in errors_of(RUNAWAY, {"a": "b"})] == ["'b' does not match '(a+)+$'"]
    assert errors_of(RUNAWAY, {"a": "aaa"}) == []
    with pytest.raises(BrokenSchema):
        errors_of(RUNAWAY, {"a": "a" * 40 + "!"})


@pytest.mark.parametrize(
    ("pattern", "text", "holds"),
    [
        (r"^\S+@\S+\.\S+$", "somebody@a-long-host-name.example", True),
        (r"^\S+@\S+\.\S+$", "somebody at a long host name . example", False),
        (r"^[A-Z]{2}-\d+$", "AB-" + "7" * 300, True),
        ("", "x" * 300, True),
    ],
)
def test_ordinary_patterns_are_searched_as_ever(pattern: str, text: str, holds: bool) -> None:
    schema = {"type": "object", "properties": {"a": {"pattern": pattern}}}
    assert (errors_of(schema, {"a": text}) == []) is holds


def test_names_of_fields_are_searched_by_the_same_bound() -> None:
    schema = {
        "type": "object",
        "patternProperties": {"^n_": {"type": "integer"}, "(a+)+$": {"type": "string"}},
    }
    assert [list(one.absolute_path) for one in errors_of(schema, {"n_1": "x"})] == [["n_1"]]
    with pytest.raises(BrokenSchema):
        errors_of(schema, {"a" * 40 + "!": 1})
