"""A glasshouse: soil that takes water slowly, sensors that lag behind it, and one tank with a reserve."""

from __future__ import annotations

from datetime import datetime, timedelta

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

LAG_MINUTES = 30
INTAKE_L = 60  # litres that the soil of one zone takes up within the lag


class Twin(ToolTwin):
    """The tools of the irrigation computer. Time moves by `wait` alone."""

    def get_rules(self) -> JsonObject:
        return {"now": self._state["now"], "rules": self._state["rules"]}

    def list_zones(self) -> JsonObject:
        return {"now": self._state["now"], "zones": [self._short(zone) for zone in self._state["zones"]]}

    def get_zone(self, zone: str) -> JsonObject:
        record = self._zone(zone)
        more = {key: record[key] for key in ("litres_per_point", "dries_per_hour", "runoff_l")}
        return {**self._short(zone), **more, "now": self._state["now"]}

    def get_tank(self) -> JsonObject:
        return {**self._state["tank"], "probes_left": self._state["probes_left"]}

    def water_zone(self, zone: str, litres: float) -> JsonObject:
        record, tank = self._zone(zone), self._state["tank"]
        if litres > tank["level_l"]:
            raise Refused(f"the tank holds {tank['level_l']} litres, less than {litres}")
        tank["level_l"] = round(tank["level_l"] - litres, 2)
        taken = min(litres, INTAKE_L - sum(one["litres"] for one in record["recent"]))
        points = round(taken / record["litres_per_point"], 4)
        record["runoff_l"] = round(record["runoff_l"] + litres - taken, 2)
        record["moisture"] = round(record["moisture"] + points, 4)
        record["recent"].append({"at": self._state["now"], "litres": taken, "points": points})
        return {"zone": zone, "litres": litres, "tank_level_l": tank["level_l"]}

    def wait(self, minutes: int) -> JsonObject:
        now = datetime.fromisoformat(self._state["now"]) + timedelta(minutes=minutes)
        self._state["now"] = now.strftime("%Y-%m-%dT%H:%M:%SZ")
        for zone in self._state["zones"].values():
            zone["moisture"] = round(zone["moisture"] - zone["dries_per_hour"] * minutes / 60, 4)
            since = now - timedelta(minutes=LAG_MINUTES)
            zone["recent"] = [one for one in zone["recent"] if datetime.fromisoformat(one["at"]) > since]
        return {"now": self._state["now"], "waited_minutes": minutes}

    def refill_tank(self, litres: float) -> JsonObject:
        tank = self._state["tank"]
        if litres > tank["mains_left_l"]:
            raise Refused(f"only {tank['mains_left_l']} litres of the mains allowance are left")
        if tank["level_l"] + litres > tank["capacity_l"]:
            raise Refused(f"the tank has no room for {litres} litres")
        tank["level_l"] = round(tank["level_l"] + litres, 2)
        tank["mains_left_l"] = round(tank["mains_left_l"] - litres, 2)
        return {"litres": litres, "tank_level_l": tank["level_l"], "mains_left_l": tank["mains_left_l"]}

    def probe_zone(self, zone: str) -> JsonObject:
        record = self._zone(zone)
        if record["sensor"] == "ok":
            raise Refused(f"the sensor of {zone} works; probes are for stuck ones")
        if self._state["probes_left"] == 0:
            raise Refused("no probe is left")
        self._state["probes_left"] -= 1
        shown = {"zone": zone, "probed_percent": round(record["moisture"], 1)}
        return {**shown, "probes_left": self._state["probes_left"], "now": self._state["now"]}

    def _short(self, name: str) -> JsonObject:
        record = self._zone(name)
        hidden = sum(one["points"] for one in record["recent"])
        reading = record["stuck_at"] if record["sensor"] == "stuck" else record["moisture"] - hidden
        return {
            "zone": name,
            **{key: record[key] for key in ("crop", "priority", "sensor")},
            "reading_percent": round(reading, 1),
            **{key: record[key] for key in ("band_low", "band_high")},
        }

    def _zone(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["zones"].get(name)
        if record is None:
            raise Refused(f"there is no zone {name}")
        return record
