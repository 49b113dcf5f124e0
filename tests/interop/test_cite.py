from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from replaylab.engine.purge import plan_purge, purge
from replaylab.interop.cite import AUTHORS, Facts, bibtex, cff, cite_json, facts_of, tex, yaml
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from tests.engine.test_swap import swap
from tests.playground import record


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return record(
        tmp_path_factory.mktemp("cite") / "library", agents=("scripted:careful", "scripted:greedy"), votes=2
    )[0]


def facts(library: Library, name: str = "run") -> Facts:
    return facts_of(library, *library.run(name))


def test_the_facts_are_counted_from_the_recording(library: Library) -> None:
    found = facts(library)
    told = cite_json(found)
    assert told["counts"] == {"planned": 2, "recorded": 2, "error": 0, "missing": 0, "pass": 1, "fail": 1}
    assert told["provenance"] == {"recorded": 2 * 4}
    assert told["recorded_from"] <= told["recorded_to"] <= told["created"]
    assert {one["alias"]: one["player"] for one in told["players"]} == dict.fromkeys(
        ["scripted:careful", "scripted:greedy", "twin", "rubric"], "program"
    )
    assert found.interactions > 20
    assert "this says nothing about any language model" in told["bibtex"]


def test_a_cff_has_what_version_1_2_wants_and_nothing_invented(library: Library) -> None:
    """Its required keys, types and patterns, as its JSON Schema says."""
    found = facts(library)
    value: dict[str, Any] = pyyaml.safe_load(cff(found))
    assert {"cff-version", "message", "title", "authors"} <= value.keys()
    assert value["cff-version"] == "1.2.0"
    assert value["type"] == "dataset"
    assert value["authors"] == [{"name": AUTHORS}]
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", value["date-released"])
    assert all(isinstance(value[key], str) for key in ("message", "title", "abstract", "version"))
    assert all(one["type"] == "other" and one["value"] for one in value["identifiers"])
    assert value["identifiers"][0]["value"] == f"sha256:{found.run_id}"
    allowed = {"cff-version", "message", "type", "title", "authors", "abstract", "date-released", "version"}
    assert value.keys() == allowed | {"identifiers"}


def named(found: Facts, alias: str) -> Facts:
    spec = found.run.spec.model_copy(update={"agents": (ModelSettings(alias=alias, model=alias),)})
    return replace(found, run=found.run.model_copy(update={"spec": spec}))


@given(alias=st.text(min_size=1, max_size=30))
def test_no_name_breaks_out_of_yaml_or_bibtex(library: Library, alias: str) -> None:
    odd = named(facts_cached(library), alias)
    value = pyyaml.safe_load(cff(odd))
    assert set(value) == set(pyyaml.safe_load(cff(facts_cached(library))))
    kept = "".join("\ufffd" if 0xD800 <= ord(char) < 0xE000 else char for char in alias)
    assert f"Agent: {kept} (language model)" in value["abstract"]
    entry = re.sub(r"\\[{}]", "", bibtex(odd))
    depth = 0
    for at, char in enumerate(entry):
        depth += (char == "{") - (char == "}")
        assert depth >= 0
        assert depth > 0 or at < len("@misc") or at >= len(entry) - 2
    assert depth == 0


_CACHED: dict[Path, Facts] = {}


def facts_cached(library: Library) -> Facts:
    return _CACHED.setdefault(library.root, facts(library))


def test_special_characters_of_latex_are_written_out() -> None:
    assert tex(r"a_b & 50% #1 $x$ {y} ~ ^ \ ") == (
        r"a\_b \& 50\% \#1 \$x\$ \{y\} \textasciitilde{} \textasciicircum{} \textbackslash{} "
    )
    assert tex("a\nb\x1b") == "a?b?"
    assert yaml('a"b\\\x85\u2028') == '"a\\"b\\\\\\u0085\\u2028"'


def test_the_day_is_the_one_in_utc(library: Library) -> None:
    found = facts(library)
    late = replace(found, run=found.run.model_copy(update={"created": "2025-12-31T23:30:00-02:00"}))
    assert pyyaml.safe_load(cff(late))["date-released"] == "2026-01-01"
    assert "year         = {2026}" in bibtex(late)
    assert "month        = {1}" in bibtex(late)


def test_a_swapped_run_says_so(tmp_path: Path) -> None:
    library = record(tmp_path / "library", votes=1)[0]
    source = library.run("run")[0]
    name = swap(library, "verifier", "coin").run.name
    found = facts(library, name)
    assert f"A rejudge run over the recorded lanes of the run {source}" in bibtex(found)
    assert found.lanes == {"copied": 2, "recorded": 1}


def test_what_was_purged_is_counted_apart(tmp_path: Path) -> None:
    library = record(tmp_path / "library", agents=("scripted:careful", "scripted:greedy"))[0]
    purge(
        library, plan_purge(library, next(iter(library.objects("cassette")))), "a key", "2026-01-01T00:00:00Z"
    )
    told = cite_json(facts(library))
    assert (told["counts"]["gone"], told["counts"]["recorded"]) == (1, 1)
    assert "1 purged or redacted" in told["bibtex"]


def test_what_nobody_recorded_is_not_cited_as_recorded(library: Library) -> None:
    shipped = Library(Path(__file__).resolve().parents[2] / "cassettes")
    for text in (bibtex(facts(shipped, "published-cases")), cff(facts(shipped, "published-cases"))):
        assert "Authored, not recorded: somebody wrote these answers down, no model was called" in text
        assert "an authored run of" in text
        assert "a recorded run" not in text
        assert "6 recorded" not in text
        assert "model calls" not in text
    assert cite_json(facts(shipped, "published-cases"))["evidence"] == "authored"
    # Cassettes say it too, where a run object that was sealed anew does not.
    run_id, run = shipped.run("published-cases")
    forged = facts_of(shipped, run_id, run.model_copy(update={"evidence": "recorded"}))
    assert (forged.evidence, "a recorded run" in bibtex(forged)) == ("authored", False)
    imported = replace(facts(library), evidence="imported")
    assert "Imported, not recorded" in cff(imported)
    assert "a recorded run of" in cff(facts(library))
