"""A night at the observatory: a row of slots, requests that need several in a row, and changes that cost one."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

CHANGE = "change:"


class Twin(ToolTwin):
    """The tools of the scheduler. Altitude, moon and humidity are for the scheduler to keep."""

    def get_night(self, night: str) -> JsonObject:
        record = self._night(night)
        slots = [
            {
                "slot": number,
                "starts": start,
                "use": "change" if use.startswith(CHANGE) else use or "free",
                "instrument": _mounted(record, number),
            }
            for number, (start, use) in enumerate(zip(record["starts"], record["plan"], strict=True), start=1)
        ]
        return {
            "night": night,
            "date": record["date"],
            "status": record["status"],
            "slot_minutes": self._state["slot_minutes"],
            "humidity_limit_percent": self._state["humidity_limit_percent"],
            "left_out": record["left_out"],
            "slots": slots,
        }

    def list_requests(self, night: str) -> JsonObject:
        self._night(night)
        return {
            "night": night,
            "requests": [{"request": name, **one} for name, one in self._wanted(night).items()],
        }

    def get_forecast(self, night: str) -> JsonObject:
        record = self._night(night)
        rows = enumerate(zip(record["humidity_percent"], record["moon_up"], strict=True), start=1)
        forecast = [
            {"slot": slot, "humidity_percent": humidity, "moon_up": moon} for slot, (humidity, moon) in rows
        ]
        return {"night": night, "forecast": forecast}

    def get_visibility(self, target: str) -> JsonObject:
        record = self._state["targets"].get(target)
        if record is None:
            raise Refused(f"there is no target {target}")
        rows = enumerate(zip(record["altitude_deg"], record["moon_distance_deg"], strict=True), start=1)
        visibility = [
            {"slot": slot, "altitude_deg": high, "moon_distance_deg": far} for slot, (high, far) in rows
        ]
        return {"target": target, "name": record["name"], "visibility": visibility}

    def place_request(self, night: str, request: str, first_slot: int) -> JsonObject:
        record, wanted = self._draft(night), self._wanted(night).get(request)
        if wanted is None:
            raise Refused(f"there is no request {request} for {night}")
        if request in record["plan"]:
            raise Refused(f"{request} is placed already")
        last = first_slot + wanted["slots"] - 1
        if last > len(record["plan"]):
            raise Refused(
                f"{request} needs {wanted['slots']} slots, and the night ends with slot {len(record['plan'])}"
            )
        for slot in range(first_slot, last + 1):
            self._use(record, slot, request)
        self._check_instruments(night)
        return {"night": night, "request": request, "first_slot": first_slot, "last_slot": last}

    def place_change(self, night: str, slot: int, instrument: str) -> JsonObject:
        record = self._draft(night)
        if _mounted(record, slot) == instrument:
            raise Refused(f"the {instrument} is mounted in slot {slot} anyway")
        self._use(record, slot, CHANGE + instrument)
        self._check_instruments(night)
        return {"night": night, "slot": slot, "instrument": instrument}

    def clear_slots(self, night: str, first_slot: int, last_slot: int) -> JsonObject:
        record = self._draft(night)
        if last_slot < first_slot:
            raise Refused(f"slot {last_slot} is before slot {first_slot}")
        plan = record["plan"]
        removed = list(dict.fromkeys(use for use in plan[first_slot - 1 : last_slot] if use))
        if not removed:
            raise Refused("these slots are free already")
        plan[first_slot - 1 : last_slot] = [""] * (last_slot - first_slot + 1)
        for use in removed:
            if use in plan and not use.startswith(CHANGE):
                raise Refused(f"{use} would be cut in two")
        self._check_instruments(night)
        return {"night": night, "first_slot": first_slot, "last_slot": last_slot, "removed": removed}

    def submit_night(self, night: str, left_out: list[str]) -> JsonObject:
        record = self._draft(night)
        missing = [name for name in self._wanted(night) if name not in record["plan"]]
        if sorted(left_out) != missing:
            raise Refused(f"left_out must be {', '.join(missing) or 'empty'}")
        record.update(status="submitted", left_out=missing)
        return {"night": night, "status": "submitted", "left_out": missing}

    def _night(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["nights"].get(name)
        if record is None:
            raise Refused(f"there is no night {name}")
        return record

    def _draft(self, name: str) -> JsonObject:
        record = self._night(name)
        if record["status"] != "draft":
            raise Refused(f"{name} is {record['status']} and can't be changed")
        return record

    def _wanted(self, night: str) -> dict[str, JsonObject]:
        """The requests for a night, by id."""
        return {
            name: {key: value for key, value in one.items() if key != "night"}
            for name, one in self._state["requests"].items()
            if one["night"] == night
        }

    def _use(self, record: JsonObject, slot: int, use: str) -> None:
        if record["plan"][slot - 1]:
            raise Refused(f"slot {slot} is used for {record['plan'][slot - 1]}")
        record["plan"][slot - 1] = use

    def _check_instruments(self, night: str) -> None:
        record, wanted = self._night(night), self._wanted(night)
        for slot, use in enumerate(record["plan"], start=1):
            if use in wanted and _mounted(record, slot) != wanted[use]["instrument"]:
                raise Refused(f"{use} needs the {wanted[use]['instrument']} in slot {slot}")


def _mounted(night: JsonObject, slot: int) -> str:
    """The instrument of the last change up to and in a slot."""
    changes = [use for use in night["plan"][:slot] if use.startswith(CHANGE)]
    return changes[-1].removeprefix(CHANGE) if changes else str(night["mounted_at_start"])
