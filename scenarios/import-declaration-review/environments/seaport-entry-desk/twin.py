"""A customs desk: holds that stand in order, assessments that a correction withdraws, licences that run down."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject


class Twin(ToolTwin):
    """The tools of the desk. It books what it is told; that the work came first is the officer's business."""

    def list_declarations(self) -> JsonObject:
        shown = ("importer", "lodged_on", "holds", "status")
        rows = self._state["declarations"].items()
        return {
            "declarations": [{"declaration": name, **{key: one[key] for key in shown}} for name, one in rows]
        }

    def get_rules(self) -> JsonObject:
        return {key: self._state[key] for key in ("rules", "exchange_rates", "now")}

    def get_declaration(self, declaration: str) -> JsonObject:
        record = self._declaration(declaration)
        lines = [{"line": number, **one} for number, one in record["lines"].items()]
        return {"declaration": declaration, **record, "lines": lines}

    def get_tariff(self, heading: str) -> JsonObject:
        codes = self._state["tariff"].get(heading)
        if codes is None:
            raise Refused(f"the tariff has no heading {heading}")
        return {"heading": heading, "codes": [{"code": code, **one} for code, one in codes.items()]}

    def get_licence(self, licence: str) -> JsonObject:
        return {"licence": licence, **self._licence(licence)}

    def examine_line(self, declaration: str, line: str) -> JsonObject:
        goods = self._line(declaration, line)
        goods["finding"] = self._state["findings"][declaration][line]
        return {"declaration": declaration, "line": line, "finding": goods["finding"]}

    def correct_line(self, declaration: str, line: str, code: str, kg: float) -> JsonObject:
        goods = self._line(declaration, line)
        if not any(code in codes for codes in self._state["tariff"].values()):
            raise Refused(f"the tariff has no code {code}")
        goods.update(code=code, kg=kg)
        record = self._open(declaration)
        record.update(customs_value=0, duty=0)
        if "value" not in record["holds"]:
            record["holds"].insert(record["holds"].index("release"), "value")
        return {"declaration": declaration, "line": line, "code": code, "kg": kg, "holds": record["holds"]}

    def record_assessment(self, declaration: str, customs_value: float, duty: float) -> JsonObject:
        self._open(declaration).update(customs_value=customs_value, duty=duty)
        return {"declaration": declaration, "customs_value": customs_value, "duty": duty}

    def draw_licence(self, declaration: str, line: str, licence: str, kg: float) -> JsonObject:
        self._line(declaration, line)
        record = self._licence(licence)
        for one in self._state["licences"].values():
            if any((draw["declaration"], draw["line"]) == (declaration, line) for draw in one["draws"]):
                raise Refused(f"line {line} of {declaration} was drawn before")
        if kg > record["remaining_kg"]:
            raise Refused(f"{licence} has {record['remaining_kg']} kg left, less than {kg}")
        record["remaining_kg"] -= kg
        record["draws"].append({"declaration": declaration, "line": line, "kg": kg})
        booked = {"declaration": declaration, "line": line, "licence": licence, "kg": kg}
        return {**booked, "remaining_kg": record["remaining_kg"]}

    def lift_hold(self, declaration: str, hold: str) -> JsonObject:
        record = self._open(declaration)
        if hold not in record["holds"]:
            raise Refused(f"{declaration} has no hold {hold}")
        if hold == "release" and len(record["holds"]) > 1:
            raise Refused(f"{declaration} still has other holds: {', '.join(record['holds'])}")
        record["holds"].remove(hold)
        if not record["holds"]:
            record["status"] = "released"
        return {
            "declaration": declaration,
            "hold": hold,
            "holds": record["holds"],
            "status": record["status"],
        }

    def _declaration(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["declarations"].get(name)
        if record is None:
            raise Refused(f"there is no declaration {name}")
        return record

    def _open(self, name: str) -> JsonObject:
        record = self._declaration(name)
        if record["status"] == "released":
            raise Refused(f"{name} is released and can't be changed")
        return record

    def _line(self, declaration: str, number: str) -> JsonObject:
        goods: JsonObject | None = self._open(declaration)["lines"].get(number)
        if goods is None:
            raise Refused(f"{declaration} has no line {number}")
        return goods

    def _licence(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["licences"].get(name)
        if record is None:
            raise Refused(f"there is no licence {name}")
        return record
