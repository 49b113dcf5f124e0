"""A food maker's graph of lots, seen one step at a time; holds, notices and reports."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject


class Twin(ToolTwin):
    """The tools of the traceability system. Which lots are affected is for whoever walks the graph."""

    def get_rules(self) -> JsonObject:
        return {"rules": self._state["rules"]}

    def get_lot(self, lot: str) -> JsonObject:
        return {"lot": lot, **{key: value for key, value in self._lot(lot).items() if key != "inputs"}}

    def trace_back(self, lot: str) -> JsonObject:
        return {"lot": lot, "inputs": [self._step(one["lot"], one["kg"]) for one in self._lot(lot)["inputs"]]}

    def trace_forward(self, lot: str) -> JsonObject:
        record = self._lot(lot)
        used = [
            self._step(name, part["kg"])
            for name, one in self._state["lots"].items()
            for part in one["inputs"]
            if part["lot"] == lot
        ]
        shipments = [
            {
                "shipment": name,
                "customer": one["customer"],
                "customer_kind": self._state["customers"][one["customer"]]["kind"],
                "kg": one["kg"],
            }
            for name, one in self._state["shipments"].items()
            if one["lot"] == lot
        ]
        shown = {key: record[key] for key in ("kind", "made_kg", "on_hand_kg")}
        return {"lot": lot, **shown, "used_in": used, "shipments": shipments}

    def get_line_log(self, line: str) -> JsonObject:
        log = self._state["lines"].get(line)
        if log is None:
            raise Refused(f"there is no line {line}")
        return {"line": line, "log": log}

    def get_customer(self, customer: str) -> JsonObject:
        return {"customer": customer, **self._customer(customer)}

    def hold_lots(self, lots: list[str], reason: str) -> JsonObject:
        for name in lots:
            record = self._lot(name)
            if record["status"] == "held":
                raise Refused(f"{name} is held already")
            record.update(status="held", reason=reason)
        return {"held": lots, "on_hand_kg": sum(self._lot(name)["on_hand_kg"] for name in lots)}

    def notify_customer(self, customer: str, lots: list[str]) -> JsonObject:
        self._customer(customer)
        for name in lots:
            self._lot(name)
        notice = {"notice": f"N-{self._state['next_notice']}", "customer": customer, "lots": lots}
        self._state["next_notice"] += 1
        self._state["notices"].append(notice)
        return notice

    def submit_report(
        self, source: str, lots: list[str], shipped_kg: float, held_kg: float, missing_kg: float
    ) -> JsonObject:
        for name in [source, *lots]:
            self._lot(name)
        if any(one["source"] == source for one in self._state["reports"]):
            raise Refused(f"there is a report for {source} already")
        name = f"R-{self._state['next_report']}"
        self._state["next_report"] += 1
        sums = {"shipped_kg": shipped_kg, "held_kg": held_kg, "missing_kg": missing_kg}
        self._state["reports"].append({"report": name, "source": source, "lots": lots, **sums})
        return {"report": name, "source": source, "shipped_kg": shipped_kg}

    def get_status(self) -> JsonObject:
        held = [
            {"lot": name, "on_hand_kg": one["on_hand_kg"], "status": one["status"]}
            for name, one in self._state["lots"].items()
            if one["status"] == "held"
        ]
        reports = [
            {key: value for key, value in one.items() if key != "lots"} for one in self._state["reports"]
        ]
        return {"held": held, "notices": self._state["notices"], "reports": reports}

    def _lot(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["lots"].get(name)
        if record is None:
            raise Refused(f"there is no lot {name}")
        return record

    def _customer(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["customers"].get(name)
        if record is None:
            raise Refused(f"there is no customer {name}")
        return record

    def _step(self, name: str, kg: float) -> JsonObject:
        record = self._lot(name)
        return {"lot": name, "product": record["product"], "kind": record["kind"], "kg": kg}
