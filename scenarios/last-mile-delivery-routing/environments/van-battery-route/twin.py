"""The dispatch system of an electric fleet: vans move through time and space on a battery."""

from __future__ import annotations

import math

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject


class Twin(ToolTwin):
    """The tools of the fleet. The floor is a rule for the dispatcher: nothing here enforces it."""

    def get_van(self, van: str) -> JsonObject:
        return {"van": van, **self._van(van), "floor_percent": self._state["floor_percent"]}

    def list_stops(self, van: str) -> JsonObject:
        self._van(van)
        mine = [(name, one) for name, one in self._state["stops"].items() if one["van"] == van]
        shown = ("customer", "opens", "closes", "postpone_by", "later_slots", "status", "done_at")
        return {
            "van": van,
            "stops": [{"stop": name, **{key: one[key] for key in shown}} for name, one in mine],
        }

    def get_legs(self, place: str) -> JsonObject:
        legs = self._state["legs"].get(place)
        if legs is None:
            raise Refused(f"there is no place {place}")
        charger = place if place in self._state["chargers"] else "none"
        return {"place": place, "charger": charger, "legs": [{"to": to, **leg} for to, leg in legs.items()]}

    def drive_to(self, van: str, place: str) -> JsonObject:
        one = self._van(van)
        leg = self._state["legs"][one["place"]].get(place)
        if leg is None:
            raise Refused(f"there is no direct road from {one['place']} to {place}")
        left = round(one["battery_percent"] - leg["km"] * one["percent_per_km"], 1)
        if left < 0:
            raise Refused(f"the battery of {van} does not last to {place}")
        one.update(place=place, time=_later(one["time"], leg["minutes"]), battery_percent=left, sessions=0)
        return _shown(van, one, "place", "time", "battery_percent")

    def wait_until(self, van: str, time: str) -> JsonObject:
        one = self._van(van)
        if time <= one["time"]:
            raise Refused(f"for {van} it is already {one['time']}")
        one["time"] = time
        return _shown(van, one, "place", "time")

    def deliver(self, van: str, stop: str) -> JsonObject:
        one, due = self._van(van), self._open_stop(stop)
        if due["van"] != van:
            raise Refused(f"{stop} is served by {due['van']}")
        if one["place"] != stop:
            raise Refused(f"{van} is at {one['place']}, not at {stop}")
        if one["time"] < due["opens"]:
            raise Refused(f"{stop} opens at {due['opens']}, and it is {one['time']}")
        due.update(status="delivered" if one["time"] <= due["closes"] else "late", done_at=one["time"])
        one["time"] = _later(one["time"], self._state["service_minutes"])
        return {
            "van": van,
            "stop": stop,
            "status": due["status"],
            "done_at": due["done_at"],
            "time": one["time"],
        }

    def postpone_stop(self, stop: str, slot: str) -> JsonObject:
        due = self._open_stop(stop)
        if slot not in due["later_slots"]:
            raise Refused(f"{stop} can be moved to {', '.join(due['later_slots'])} only")
        if self._van(due["van"])["time"] > due["postpone_by"]:
            raise Refused(f"{stop} had to be postponed by {due['postpone_by']}")
        due.update(status="postponed", done_at=slot)
        return {"stop": stop, "status": "postponed", "done_at": slot}

    def charge_to(self, van: str, percent: float, session: int) -> JsonObject:
        one = self._van(van)
        charger = self._state["chargers"].get(one["place"])
        if charger is None:
            raise Refused(f"there is no charger at {one['place']}")
        if session != one["sessions"] + 1:
            raise Refused(f"the next session of {van} here is number {one['sessions'] + 1}, not {session}")
        if percent <= one["battery_percent"]:
            raise Refused(f"{van} already has {one['battery_percent']} percent")
        rate, longest = charger["percent_per_minute"], charger["session_minutes"]
        minutes = min(longest, math.ceil(round((percent - one["battery_percent"]) / rate, 6)))
        level = round(min(float(percent), one["battery_percent"] + minutes * rate), 1)
        one.update(time=_later(one["time"], minutes), battery_percent=level, sessions=session)
        return {**_shown(van, one, "place", "time", "battery_percent"), "reached": level >= percent}

    def _van(self, name: str) -> JsonObject:
        van: JsonObject | None = self._state["vans"].get(name)
        if van is None:
            raise Refused(f"there is no van {name}")
        return van

    def _open_stop(self, name: str) -> JsonObject:
        stop: JsonObject | None = self._state["stops"].get(name)
        if stop is None:
            raise Refused(f"there is no stop {name}")
        if stop["status"] != "open":
            raise Refused(f"{name} is already {stop['status']}")
        return stop


def _shown(van: str, record: JsonObject, *keys: str) -> JsonObject:
    return {"van": van, **{key: record[key] for key in keys}}


def _later(time: str, minutes: int) -> str:
    hour, minute = time.split(":")
    total = int(hour) * 60 + int(minute) + minutes
    return f"{total // 60:02d}:{total % 60:02d}"
