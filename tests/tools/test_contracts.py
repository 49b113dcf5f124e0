"""The two contract types, over graphs made by hand."""

from __future__ import annotations

from typing import Any

import grimp
import pytest
from importlinter.configuration import configure

from tools.contracts import MissingModuleError, OfflineContract, OneDoorContract, present


@pytest.fixture(autouse=True)
def _configured() -> None:
    """The stock contract asks import-linter's settings for its timer."""
    configure()


@pytest.fixture
def graph() -> grimp.ImportGraph:
    """p.wire imports openai; p.engine imports p.wire; p.store imports nothing."""
    graph = grimp.ImportGraph()
    for name in ("p", "p.wire", "p.wire.client", "p.engine", "p.store"):
        graph.add_module(name)
    graph.add_module("openai", is_squashed=True)
    graph.add_import(
        importer="p.wire.client", imported="openai", line_number=3, line_contents="import openai"
    )
    graph.add_import(importer="p.engine", imported="p.wire.client", line_number=1, line_contents="x")
    return graph


def one_door(*doors: str, package: str = "openai") -> OneDoorContract:
    return OneDoorContract("name", {}, {"package": package, "doors": list(doors)})


def offline(*sources: str) -> OfflineContract:
    session: dict[str, Any] = {"root_packages": ["p"], "include_external_packages": True}
    return OfflineContract(
        "name", session, {"source_modules": list(sources), "forbidden_modules": ["openai"]}
    )


def test_a_module_below_the_door_may_import_the_package(graph: grimp.ImportGraph) -> None:
    assert one_door("p.wire").check(graph, verbose=False).kept


def test_a_direct_import_elsewhere_breaks_it_and_is_named_with_its_line(
    graph: grimp.ImportGraph, capsys: pytest.CaptureFixture[str]
) -> None:
    contract = one_door("p.store", "(p.later)")
    check = contract.check(graph, verbose=False)
    assert not check.kept
    contract.render_broken_contract(check)
    assert "p.wire.client imports openai (l.3); only p.store may." in capsys.readouterr().out.replace(
        "\n", " "
    )


def test_a_name_that_only_begins_like_the_door_is_outside(graph: grimp.ImportGraph) -> None:
    graph.add_module("p.wirez")
    graph.add_import(importer="p.wirez", imported="openai", line_number=1, line_contents="import openai")
    assert list(one_door("p.wire").check(graph, verbose=False).metadata["strangers"]) == ["p.wirez"]


def test_a_package_that_nobody_imports_is_kept(graph: grimp.ImportGraph) -> None:
    assert one_door("p.wire", package="vcr").check(graph, verbose=False).kept


def test_an_indirect_import_breaks_the_offline_contract(graph: grimp.ImportGraph) -> None:
    assert offline("p.store").check(graph, verbose=False).kept
    assert not offline("p.store", "p.engine").check(graph, verbose=False).kept


def test_an_optional_module_counts_as_soon_as_it_exists(graph: grimp.ImportGraph) -> None:
    assert offline("p.store", "(p.diff)").check(graph, verbose=False).kept
    graph.add_module("p.diff")
    graph.add_import(importer="p.diff", imported="p.engine", line_number=1, line_contents="x")
    assert not offline("p.store", "(p.diff)").check(graph, verbose=False).kept


def test_a_missing_module_without_parentheses_is_a_misspelling(graph: grimp.ImportGraph) -> None:
    assert present(["p.wire", "(p.later)", "(p.store)"], graph) == ["p.store", "p.wire"]
    with pytest.raises(MissingModuleError, match=r"p\.stroe does not exist\. Write \(p\.stroe\)"):
        present(["p.stroe"], graph)
