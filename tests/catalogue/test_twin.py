"""Twins: what is trusted, what is refused, what stays as it was."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.catalogue.loader import Catalogue
from replaylab.catalogue.twin import Twin, has_twin, load_twin
from replaylab.errors import UsageError
from tests.catalogue.folders import TWIN, put, scenario


def folder_with(root: Path, source: str = TWIN) -> Path:
    folder = scenario(root)
    put(folder / "environments" / "yard" / "twin.py", source)
    return folder


def twin(root: Path, source: str = TWIN) -> Twin:
    folder = folder_with(root, source)
    return load_twin(folder, Catalogue.load([folder]).environment("yard"), trusted=[root])


def test_a_call_gives_the_method_s_observation_and_changes_the_state(tmp_path: Path) -> None:
    one = twin(tmp_path)
    assert one.call("open_gate", {"gate": "G-1"}) == {"gate": "G-1", "open": True}
    assert one.state() == {"gates": {"G-1": True}, "tries": 1}


def test_a_refused_call_changes_nothing_though_the_method_had_begun(tmp_path: Path) -> None:
    one = twin(tmp_path)
    assert one.call("open_gate", {"gate": "G-2"}) == {"error": "there is no gate G-2"}
    assert one.state()["tries"] == 0


@pytest.mark.parametrize("arguments", [{}, {"gate": 1}, {"gate": "G-1", "wide": True}])
def test_arguments_that_the_schema_refuses_never_reach_the_method(
    tmp_path: Path, arguments: dict[str, object]
) -> None:
    one = twin(tmp_path)
    assert one.call("open_gate", arguments)["error"].startswith("invalid argument")
    assert one.state()["tries"] == 0


def test_an_unknown_tool_is_refused_even_if_the_twin_has_such_a_method(tmp_path: Path) -> None:
    assert twin(tmp_path).call("state", {}) == {"error": "unknown tool: state"}


def test_what_a_twin_gives_out_is_a_copy(tmp_path: Path) -> None:
    one = twin(tmp_path)
    one.call("look", {})["G-9"] = True
    one.state()["tries"] = 7
    assert one.state() == {"gates": {"G-1": False}, "tries": 0}


def test_two_twins_of_one_environment_share_nothing(tmp_path: Path) -> None:
    folder = folder_with(tmp_path)
    environment = Catalogue.load([folder]).environment("yard")
    first, second = (load_twin(folder, environment, trusted=[folder]) for _ in range(2))
    first.call("open_gate", {"gate": "G-1"})
    assert second.state() == environment.initial_state


def test_a_fork_stands_where_its_twin_does_and_goes_its_own_way(tmp_path: Path) -> None:
    one = twin(tmp_path)
    one.call("open_gate", {"gate": "G-1"})
    other = one.fork()
    assert other.state() == one.state()
    other.call("open_gate", {"gate": "G-1"})
    assert (one.state()["tries"], other.state()["tries"]) == (1, 2)


def test_code_from_a_folder_that_is_not_trusted_does_not_run(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    folder = folder_with(tmp_path / "foreign", f"open({str(mark)!r}, 'w').close()")
    environment = Catalogue.load([folder]).environment("yard")
    with pytest.raises(UsageError, match="not trusted"):
        load_twin(folder, environment, trusted=[tmp_path / "own"])
    assert not mark.exists()


def test_a_link_in_a_trusted_folder_does_not_make_foreign_code_trusted(tmp_path: Path) -> None:
    foreign = folder_with(tmp_path / "foreign")
    own = scenario(tmp_path / "own")
    (own / "environments" / "yard" / "twin.py").symlink_to(foreign / "environments" / "yard" / "twin.py")
    with pytest.raises(UsageError, match="not trusted"):
        load_twin(own, Catalogue.load([own]).environment("yard"), trusted=[tmp_path / "own"])


def test_an_environment_without_twin_says_which_file_would_be_one(tmp_path: Path) -> None:
    folder = scenario(tmp_path)
    assert not has_twin(folder, "yard")
    with pytest.raises(UsageError) as caught:
        load_twin(folder, Catalogue.load([folder]).environment("yard"), trusted=[tmp_path])
    assert caught.value.where.endswith("twin.py")


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("def", "SyntaxError"),
        ("import no_such_module", "ModuleNotFoundError"),
        ("class Twin: pass", "no class Twin"),
        (TWIN.replace("def look", "def peek"), "no method for the tool look"),
    ],
)
def test_a_twin_that_is_none_names_its_file(tmp_path: Path, source: str, part: str) -> None:
    with pytest.raises(UsageError, match=part) as caught:
        twin(tmp_path, source)
    assert "twin.py" in caught.value.where


def test_a_twin_may_use_dataclasses_and_leaves_no_bytecode_behind(tmp_path: Path) -> None:
    head = "from __future__ import annotations\nfrom dataclasses import dataclass\n"
    twin(tmp_path, head + "@dataclass\nclass Gate:\n    wide: bool = False\n" + TWIN)
    assert list(tmp_path.rglob("__pycache__")) == []


def test_an_edited_twin_is_loaded_anew(tmp_path: Path) -> None:
    twin(tmp_path / "a")
    edited = TWIN.replace("there is no gate", "nobody knows the gate")
    folder = tmp_path / "a" / "gates"
    put(folder / "environments" / "yard" / "twin.py", edited)
    one = load_twin(folder, Catalogue.load([folder]).environment("yard"), trusted=[tmp_path])
    assert one.call("open_gate", {"gate": "G-2"})["error"] == "nobody knows the gate G-2"
