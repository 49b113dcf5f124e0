"""The rebooking desk: holds take seats, run out as the desk works, and become bookings when they are confirmed."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject


class Twin(ToolTwin):
    """The tools of the desk. Visas, cabins and deadlines are for the agent to look after."""

    def get_booking(self, booking: str) -> JsonObject:
        record = self._booking(booking)
        holds = [
            {"hold": name, **{key: value for key, value in one.items() if key != "booking"}}
            for name, one in self._state["holds"].items()
            if one["booking"] == booking
        ]
        return {"booking": booking, "now": self._state["now"], **record, "holds": holds}

    def get_documents(self, booking: str) -> JsonObject:
        people = self._booking(booking)["passengers"]
        documents = [{"passenger": name, **self._state["passengers"][name]} for name in people]
        return {"booking": booking, "travel_date": self._state["travel_date"], "documents": documents}

    def get_transit_rule(self, airport: str) -> JsonObject:
        rule = self._state["transit_rules"].get(airport)
        if rule is None:
            raise Refused(f"there is no transit rule for {airport}")
        return {"airport": airport, **rule}

    def search_options(self, origin: str, destination: str) -> JsonObject:
        found = []
        for name in self._state["options"]:
            legs = self._legs(name)
            if (legs[0]["from"], legs[-1]["to"]) == (origin, destination):
                via = [leg["to"] for leg in legs[:-1]]
                times = {"departs": legs[0]["departs"], "arrives": legs[-1]["arrives"]}
                found.append({"option": name, "via": via, **times})
        if not found:
            raise Refused(f"there is no way from {origin} to {destination}")
        return {"options": sorted(found, key=lambda one: str(one["arrives"]))}

    def get_option(self, option: str) -> JsonObject:
        legs = self._legs(option)
        numbers = self._state["options"][option]
        return {
            "option": option,
            "flights": [{"flight": number, **leg} for number, leg in zip(numbers, legs, strict=True)],
        }

    def hold_seats(self, booking: str, option: str, cabin: str) -> JsonObject:
        record, legs = self._booking(booking), self._legs(option)
        if record["status"] == "rebooked":
            raise Refused(f"{booking} is already rebooked")
        if (legs[0]["from"], legs[-1]["to"]) != (record["origin"], record["destination"]):
            raise Refused(f"{option} does not go from {record['origin']} to {record['destination']}")
        seats = len(record["passengers"])
        for number, leg in zip(self._state["options"][option], legs, strict=True):
            if leg["free"][cabin] < seats:
                raise Refused(
                    f"{number} has {leg['free'][cabin]} free seats in {cabin}, and {seats} are needed"
                )
        self._move_seats(option, cabin, -seats)
        self._pass_time()
        name = f"HLD-{self._state['next_hold']}"
        self._state["next_hold"] += 1
        expires = _later(self._state["now"], self._state["hold_minutes"])
        hold = {"booking": booking, "option": option, "cabin": cabin, "seats": seats, "expires_at": expires}
        self._state["holds"][name] = {**hold, "status": "held"}
        return {"hold": name, **hold, "now": self._state["now"]}

    def confirm_hold(self, hold: str) -> JsonObject:
        one = self._live_hold(hold)
        record = self._booking(one["booking"])
        if record["status"] == "rebooked":
            raise Refused(f"{one['booking']} is already rebooked")
        one["status"] = "confirmed"
        record.update(status="rebooked", rebooked_on=one["option"])
        self._pass_time()
        return {
            "hold": hold,
            "booking": one["booking"],
            "option": one["option"],
            "status": "confirmed",
            "now": self._state["now"],
        }

    def release_hold(self, hold: str) -> JsonObject:
        one = self._live_hold(hold)
        one["status"] = "released"
        self._move_seats(one["option"], one["cabin"], one["seats"])
        self._pass_time()
        return {"hold": hold, "status": "released", "now": self._state["now"]}

    def _booking(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["bookings"].get(name)
        if record is None:
            raise Refused(f"there is no booking {name}")
        return record

    def _legs(self, option: str) -> list[JsonObject]:
        numbers = self._state["options"].get(option)
        if numbers is None:
            raise Refused(f"there is no option {option}")
        return [self._state["flights"][number] for number in numbers]

    def _live_hold(self, name: str) -> JsonObject:
        hold: JsonObject | None = self._state["holds"].get(name)
        if hold is None:
            raise Refused(f"there is no hold {name}")
        if hold["status"] != "held":
            raise Refused(f"{name} is {hold['status']}")
        return hold

    def _move_seats(self, option: str, cabin: str, seats: int) -> None:
        for leg in self._legs(option):
            leg["free"][cabin] += seats

    def _pass_time(self) -> None:
        """One change takes its minutes; what has run out by then is expired."""
        self._state["now"] = _later(self._state["now"], self._state["minutes_per_change"])
        for hold in self._state["holds"].values():
            if hold["status"] == "held" and hold["expires_at"] < self._state["now"]:
                hold["status"] = "expired"
                self._move_seats(hold["option"], hold["cabin"], hold["seats"])


def _later(time: str, minutes: int) -> str:
    hour, minute = time.split(":")
    total = int(hour) * 60 + int(minute) + minutes
    return f"{total // 60:02d}:{total % 60:02d}"
