"""An assay bench: plates as grids of wells, samples that run out, layouts that become final."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

ROWS, COLUMNS, EDGES = "ABCD", "123456", "16"
CONTROLS = ("NEG", "POS")
WELL_UL = 20


class Twin(ToolTwin):
    """The tools of the layout software. Its check sees geometry and nothing else."""

    def get_rules(self) -> JsonObject:
        return {"rules": self._state["rules"]}

    def get_study(self, study: str) -> JsonObject:
        return {"study": study, **self._study(study)}

    def list_samples(self, study: str) -> JsonObject:
        names = list(self._study(study)["samples"])
        backups = [self._state["samples"][name]["backup"] for name in names]
        names += [name for name in backups if name != "none"]
        rows = [{"sample": name, **self._state["samples"][name]} for name in sorted(names)]
        return {"study": study, "samples": rows}

    def get_plate(self, plate: str) -> JsonObject:
        record = self._plate(plate)
        filled = record["wells"] | dict.fromkeys(record["blocked"], "blocked")
        grid = [
            {"row": row, "cells": [filled.get(row + column, "empty") for column in COLUMNS]} for row in ROWS
        ]
        return {"plate": plate, "status": record["status"], "grid": grid}

    def assign_wells(self, plate: str, content: str, wells: list[str]) -> JsonObject:
        record = self._draft(plate)
        for well in wells:
            if well in record["blocked"]:
                raise Refused(f"{well} of {plate} is blocked")
            if well in record["wells"]:
                raise Refused(f"{well} of {plate} holds {record['wells'][well]} already")
        done = {"plate": plate, "content": content, "wells": wells}
        record["wells"] |= dict.fromkeys(wells, content)
        if content in CONTROLS:
            return {**done, "left_ul": 0}
        sample = self._state["samples"].get(content)
        if sample is None:
            raise Refused(f"there is no sample or control {content}")
        if sample["volume_ul"] < WELL_UL * len(wells):
            raise Refused(f"{content} has {sample['volume_ul']} ul, too little for {len(wells)} wells")
        sample["volume_ul"] -= WELL_UL * len(wells)
        return {**done, "left_ul": sample["volume_ul"]}

    def clear_wells(self, plate: str, wells: list[str]) -> JsonObject:
        record = self._draft(plate)
        for well in wells:
            if record["wells"].pop(well, None) is None:
                raise Refused(f"{well} of {plate} is empty")
        return {"plate": plate, "cleared": wells}

    def check_plate(self, plate: str) -> JsonObject:
        record = self._plate(plate)
        wells: dict[str, list[str]] = {}
        for well, content in sorted(record["wells"].items()):
            wells.setdefault(content, []).append(well)
        breaches = [*_sample_breaches(wells), *_control_breaches(wells)]
        contents = [{"content": name, "well_count": len(held)} for name, held in sorted(wells.items())]
        return {
            "plate": plate,
            "status": record["status"],
            "breach_count": len(breaches),
            "breaches": breaches,
            "contents": contents,
        }

    def lock_plate(self, plate: str) -> JsonObject:
        self._draft(plate)["status"] = "locked"
        return {"plate": plate, "status": "locked"}

    def register_protocol(self, study: str, plates: list[str]) -> JsonObject:
        record = self._study(study)
        if record["protocol"] != "none":
            raise Refused(f"{study} is registered already as {record['protocol']}")
        if sorted(plates) != sorted(record["plates"]):
            raise Refused(f"the plates of {study} are {', '.join(record['plates'])}")
        drafts = [name for name in plates if self._plate(name)["status"] == "draft"]
        if drafts:
            raise Refused(f"{', '.join(drafts)} must be locked first")
        record["protocol"] = f"PR-{self._state['next_protocol']}"
        self._state["next_protocol"] += 1
        return {"study": study, "protocol": record["protocol"], "plates": plates}

    def _study(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["studies"].get(name)
        if record is None:
            raise Refused(f"there is no study {name}")
        return record

    def _plate(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["plates"].get(name)
        if record is None:
            raise Refused(f"there is no plate {name}")
        return record

    def _draft(self, name: str) -> JsonObject:
        record = self._plate(name)
        if record["status"] == "locked":
            raise Refused(f"{name} is locked")
        return record


def _sample_breaches(wells: dict[str, list[str]]) -> Iterator[str]:
    for name, held in wells.items():
        if name in CONTROLS:
            continue
        yield from (f"{name} stands in the edge well {well}" for well in held if well[1] in EDGES)
        for part, what in ((0, "row"), (1, "column")):
            places = [well[part] for well in held]
            for place in sorted({one for one in places if places.count(one) > 1}):
                yield f"{name} stands more than once in {what} {place}"


def _control_breaches(wells: dict[str, list[str]]) -> Iterator[str]:
    for name in CONTROLS:
        held = wells.get(name, [])
        yield from (f"{name} stands in the inner well {well}" for well in held if well[1] not in EDGES)
        for column in EDGES:
            if [well[1] for well in held].count(column) != 1:
                yield f"{name} is not once in column {column}"
