"""Two import-linter contract types that can name packages which do not exist yet.

The stock types stop with an error when a named module is missing, so a contract would have to be completed
by whoever adds the package, and nothing would notice if they forgot. Here a name in parentheses is optional,
as it is in the stock layers contract.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from importlinter import Contract, ContractCheck, fields, output
from importlinter.contracts.forbidden import ForbiddenContract

if TYPE_CHECKING:
    from collections.abc import Iterable

    from grimp import ImportGraph


class MissingModuleError(Exception):
    """A contract names a module, without parentheses, that the graph does not hold."""


def present(names: Iterable[str], graph: ImportGraph) -> list[str]:
    """The named modules that exist, without parentheses and sorted.

    Raises:
        MissingModuleError: a name outside parentheses is not in the graph, so it is a misspelling.
    """
    found = []
    for name in names:
        bare = name.removeprefix("(").removesuffix(")")
        if bare in graph.modules:
            found.append(bare)
        elif bare == name:
            message = f"{name} does not exist. Write ({name}) if it will be added later."
            raise MissingModuleError(message)
    return sorted(found)


class OfflineContract(ForbiddenContract):
    """The stock forbidden contract, whose source modules may be optional."""

    type_name = "offline"
    source_modules = fields.SetField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Check the source modules that exist; the chains come from the stock contract."""
        names = present(cast("set[str]", self.source_modules), graph)
        parse = fields.ModuleExpressionField().parse
        # A field is declared on the class and holds the parsed value on the instance.
        self.source_modules = {parse(name) for name in names}  # type: ignore[assignment]
        return super().check(graph, verbose)


class OneDoorContract(Contract):
    """One outside package is imported directly by its doors and by nobody else."""

    type_name = "one_door"
    package = fields.StringField()
    doors = fields.ListField(subfield=fields.StringField())

    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        """Kept when each direct importer of the package lies within a door."""
        package = str(self.package)
        doors = present(cast("list[str]", self.doors), graph)
        importers = graph.find_modules_that_directly_import(package) if package in graph.modules else set()
        strangers = {
            importer: [
                d["line_number"] for d in graph.get_import_details(importer=importer, imported=package)
            ]
            for importer in sorted(importers)
            if not any(importer == door or importer.startswith(f"{door}.") for door in doors)
        }
        return ContractCheck(kept=not strangers, metadata={"strangers": strangers, "doors": doors})

    def render_broken_contract(self, check: ContractCheck) -> None:
        """Name each importer with its lines, and the way that is allowed."""
        doors = ", ".join(check.metadata["doors"]) or "nothing yet"
        for importer, lines in check.metadata["strangers"].items():
            where = ", ".join(f"l.{line}" for line in lines)
            output.print_error(f"{importer} imports {self.package} ({where}); only {doors} may.")
