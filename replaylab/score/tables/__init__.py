"""One module a table: `build(study, layout)` makes it, `why_not(study)` says why there is nothing to show."""

from replaylab.score.tables.registry import TABLES, Built, Entry, LeftOut, build_all, build_document

__all__ = ["TABLES", "Built", "Entry", "LeftOut", "build_all", "build_document"]
