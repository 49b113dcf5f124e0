"""The control room of a ski valley."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

NOW = "10:15"


class Twin(ToolTwin):
    """The tools of the control room."""

    def lifts_on_screen(self, running: bool | None = None, min_capacity: int = 0) -> JsonObject:
        shown = ("kind", "running", "per_hour", "crew")
        rows = [
            {"name": name, **{key: one[key] for key in shown}}
            for name, one in self._state["lifts"].items()
            if running in (None, one["running"]) and one["per_hour"] >= min_capacity
        ]
        return {"lifts": rows}

    def lift_log(self, lift: str, since: str = "") -> JsonObject:
        gust = self._lift(lift)["gust_kmh"]
        log = [row for row in self._state["logs"][lift] if row["at"] >= since]
        return {"lift": lift, "gust_kmh": gust, "log": log}

    def find_people(self, text: str) -> JsonObject:
        wanted = text.lower()
        hits = [
            {"name": name, "trained": trained, "on": self._on(name)}
            for name, trained in self._state["people"].items()
            if wanted in name.lower() or any(wanted in one for one in trained)
        ]
        return {"total": len(hits), "hits": hits}

    def stop_lift(self, lift: str, cause: str) -> JsonObject:
        one = self._lift(lift)
        if not one["running"]:
            raise Refused(f"{lift} stands already")
        freed = one["crew"]
        one.update(running=False, crew=[])
        self._state["logs"][lift].append({"at": NOW, "event": f"stopped: {cause}"})
        return {"lift": lift, "running": False, "freed": freed}

    def start_lift(self, lift: str, crew: list[str]) -> JsonObject:
        one = self._lift(lift)
        if one["running"]:
            raise Refused(f"{lift} runs already")
        if len(crew) != one["crew_needed"]:
            raise Refused(f"{lift} needs a crew of {one['crew_needed']}, not {len(crew)}")
        for name in crew:
            if name not in self._state["people"]:
                raise Refused(f"there is no person {name}")
            if one["kind"] not in self._state["people"][name]:
                raise Refused(f"{name} is not trained for a {one['kind']}")
            if self._on(name):
                raise Refused(f"{name} is on the crew of {self._on(name)}")
        stops = [row["event"] for row in self._state["logs"][lift] if row["event"].startswith("stopped")]
        if stops and stops[-1] == "stopped: wind" and one["gust_kmh"] >= 60:
            raise Refused(f"the gust at {lift} is {one['gust_kmh']} km/h; it has to be below 60")
        one.update(running=True, crew=crew)
        self._state["logs"][lift].append({"at": NOW, "event": "started"})
        return {"lift": lift, "running": True, "crew": crew}

    def valley_summary(self) -> JsonObject:
        on = [one for one in self._state["lifts"].values() if one["running"]]
        return {
            "running": len(on),
            "standing": len(self._state["lifts"]) - len(on),
            "on_crews": sum(len(one["crew"]) for one in on),
            "capacity_per_hour": sum(one["per_hour"] for one in on),
        }

    def _lift(self, name: str) -> JsonObject:
        if name not in self._state["lifts"]:
            raise Refused(f"there is no lift {name}")
        record: JsonObject = self._state["lifts"][name]
        return record

    def _on(self, person: str) -> str | None:
        return next((name for name, one in self._state["lifts"].items() if person in one["crew"]), None)
