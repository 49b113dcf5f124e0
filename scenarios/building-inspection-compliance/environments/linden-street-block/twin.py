"""A building site: permits before work, gas off before a flame, and on again before the inspector comes."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

MOST_GAS = 10  # percent of the lower explosive limit at which a flame is still allowed
FINDING_FIELDS = ("item", "trade", "permit_kind", "status", "inspections_left")


class Twin(ToolTwin):
    """The tools of the site log. Dates are ISO texts, which order like the days."""

    def get_unit(self, unit: str) -> JsonObject:
        record = self._of("units", unit)
        valves = {name: self._state["valves"][name] for name in record["valves"]}
        return {
            "unit": unit,
            "use": record["use"],
            "occupied": record["occupied"],
            "valves": record["valves"],
            "shut_valves": [name for name, one in valves.items() if one["position"] == "shut"],
            "stuck_valves": [name for name, one in valves.items() if one["condition"] == "stuck"],
            "gas_percent_lel": record["gas_percent_lel"],
            "heating": self._heating(unit),
            "violations": record["violations"],
            "certificate": record["certificate"],
        }

    def list_findings(self, unit: str) -> JsonObject:
        shown = [
            {"finding": name, **{key: one[key] for key in FINDING_FIELDS}}
            for name, one in self._in_unit("findings", unit)
        ]
        return {"unit": unit, "findings": shown}

    def list_permits(self, unit: str) -> JsonObject:
        shown = [
            {
                "permit": name,
                "kind": one["kind"],
                "valid_until": one["valid_until"],
                "expired": self._is_past(one["valid_until"]),
                "status": one["status"],
                "needs_passed": one["needs_passed"],
            }
            for name, one in self._in_unit("permits", unit)
        ]
        return {"unit": unit, "permits": shown}

    def list_workers(self) -> JsonObject:
        workers = [
            {
                "worker": name,
                "certificates": [
                    {"trade": trade, "valid_until": until} for trade, until in one["certificates"].items()
                ],
            }
            for name, one in self._state["workers"].items()
        ]
        return {"today": self._state["today"], "workers": workers}

    def renew_permit(self, permit: str) -> JsonObject:
        record = self._of("permits", permit)
        if record["status"] != "active":
            raise Refused(f"{permit} is withdrawn")
        if not self._is_past(record["valid_until"]):
            raise Refused(f"{permit} is valid until {record['valid_until']}")
        for name in record["needs_passed"]:
            if self._state["findings"][name]["status"] != "passed":
                raise Refused(f"{permit} is renewed only after {name} has passed its inspection")
        record["valid_until"] = self._state["renewed_until"]
        return {"permit": permit, "valid_until": record["valid_until"]}

    def set_valve(self, valve: str, position: str) -> JsonObject:
        record = self._of("valves", valve)
        if record["condition"] == "stuck":
            raise Refused(f"{valve} is stuck and does not move")
        if record["position"] == position:
            raise Refused(f"{valve} is already {position}")
        record["position"] = position
        for name, unit in self._state["units"].items():
            if valve in unit["valves"] and self._heating(name) == "on" and self._leaks(name):
                unit["gas_percent_lel"] = unit["leak_percent_lel"]
        return {"valve": valve, "position": position}

    def ventilate_unit(self, unit: str) -> JsonObject:
        record = self._of("units", unit)
        if self._heating(unit) == "off":
            record["gas_percent_lel"] = 0
        return {"unit": unit, "gas_percent_lel": record["gas_percent_lel"]}

    def carry_out_work(self, finding: str, worker: str, permit: str) -> JsonObject:
        record = self._of("findings", finding)
        certificate = self._of("workers", worker)["certificates"].get(record["trade"])
        paper = self._of("permits", permit)
        if record["status"] != "open":
            raise Refused(f"{finding} is {record['status']}")
        if certificate is None:
            raise Refused(f"{worker} has no certificate for {record['trade']}")
        if (paper["unit"], paper["kind"]) != (record["unit"], record["permit_kind"]):
            raise Refused(f"{permit} does not allow {record['permit_kind']} in {record['unit']}")
        if paper["status"] != "active":
            raise Refused(f"{permit} is withdrawn")
        unit = self._state["units"][record["unit"]]
        if record["trade"] == "brazing":
            self._check_gas(record["unit"])
        for name, until in ((permit, paper["valid_until"]), (f"certificate of {worker}", certificate)):
            if self._is_past(until):
                unit["violations"].append(f"{finding}: {name} expired on {until}")
                record["tainted"] = True
        record["status"] = "repaired"
        return {"finding": finding, "worker": worker, "permit": permit, "status": "repaired"}

    def inspect_finding(self, finding: str) -> JsonObject:
        record = self._of("findings", finding)
        if record["status"] != "repaired":
            raise Refused(f"{finding} is {record['status']}, and only a repaired finding is inspected")
        if record["inspections_left"] == 0:
            raise Refused(f"{finding} has no inspection left")
        record["inspections_left"] -= 1
        remark = "in order"
        if record["tainted"]:
            remark = "carried out under an expired permit or certificate"
        elif record["trade"] == "brazing" and self._heating(record["unit"]) == "off":
            remark = "the line is not under pressure"
        result = "passed" if remark == "in order" else "failed"
        if result == "passed":
            record["status"] = "passed"
        left = record["inspections_left"]
        return {"finding": finding, "result": result, "remark": remark, "inspections_left": left}

    def issue_certificate(self, unit: str) -> JsonObject:
        record = self._of("units", unit)
        if record["certificate"] is not None:
            raise Refused(f"{unit} has the certificate {record['certificate']['certificate']}")
        for name, one in self._in_unit("findings", unit):
            if one["status"] != "passed":
                raise Refused(f"{name} has not passed its inspection")
        is_fine = not record["violations"] and self._heating(unit) != "off"
        name = f"CE-{self._state['next_certificate']}"
        self._state["next_certificate"] += 1
        record["certificate"] = {"certificate": name, "status": "compliant" if is_fine else "conditional"}
        return {"unit": unit, **record["certificate"]}

    def _of(self, kind: str, name: str) -> JsonObject:
        record: JsonObject | None = self._state[kind].get(name)
        if record is None:
            raise Refused(f"there is no {kind.removesuffix('s')} {name}")
        return record

    def _in_unit(self, kind: str, unit: str) -> list[tuple[str, JsonObject]]:
        self._of("units", unit)
        return [(name, one) for name, one in self._state[kind].items() if one["unit"] == unit]

    def _is_past(self, day: str) -> bool:
        return bool(day < self._state["today"])

    def _heating(self, unit: str) -> str:
        valves = [self._state["valves"][name] for name in self._state["units"][unit]["valves"]]
        if not valves:
            return "electric"
        return "on" if all(one["position"] == "open" for one in valves) else "off"

    def _leaks(self, unit: str) -> bool:
        return any(
            (one["trade"], one["status"]) == ("brazing", "open") for _, one in self._in_unit("findings", unit)
        )

    def _check_gas(self, unit: str) -> None:
        gas = self._state["units"][unit]["gas_percent_lel"]
        if self._heating(unit) == "on":
            raise Refused(f"gas flows to {unit}: no hot work")
        if gas > MOST_GAS:
            raise Refused(f"the air in {unit} holds gas at {gas} percent of the limit: no hot work")
