"""The booking program of a mountain hut."""

from __future__ import annotations

from copy import deepcopy
from datetime import date as day_of
from datetime import timedelta
from typing import Any

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

COUNTS = ("provisional", "confirmed", "in house")
OPEN = ("provisional", "confirmed")
KINDS = {"members": "member", "guests": "guest", "children": "child"}
LONGEST = 5


class Twin(ToolTwin):
    """The commands of the program."""

    def night(self, date: str) -> JsonObject:
        _day(date)
        rooms = {}
        for name, room in self._state["house"].items():
            reason = self._closed(name, date)
            taken = self._taken(name, date)
            rooms[name] = {
                "bunks": room["bunks"],
                "taken": taken,
                "left": 0 if reason is not None else max(0, room["bunks"] - taken),
                "closed": reason,
                "parties": self._sleeping(name, date),
            }
        return {"date": date, "sleepers": sum(one["taken"] for one in rooms.values()), "rooms": rooms}

    def rooms_for(self, first_night: str, nights: int, heads: int, dog: bool = False) -> JsonObject:
        days = _nights(first_night, nights)
        fits = []
        for name, room in self._state["house"].items():
            spare = self._spare(name, days)
            if self._in_season(days) and spare is not None and spare >= heads and (room["dogs"] or not dog):
                fits.append({"room": name, "spare": spare - heads})
        return {"first_night": first_night, "last_night": days[-1], "fits": fits}

    def bookings(
        self,
        status: str | None = None,
        all: bool = False,  # noqa: A002
        sleeping_on: str | None = None,
        arriving_from: str | None = None,
        room: str | None = None,
        name: str | None = None,
        party_of: int | None = None,
        owing: bool | None = None,
    ) -> JsonObject:
        if room is not None:
            self._room(room)
        for date in (sleeping_on, arriving_from):
            if date is not None:
                _day(date)
        rows = []
        for code, one in self._state["bookings"].items():
            stay = one["stay"]
            if (
                (status == one["status"] if status is not None else all or one["status"] in COUNTS)
                and (sleeping_on is None or sleeping_on in _stay(one))
                and (arriving_from is None or stay["first_night"] >= arriving_from)
                and room in (None, stay["room"])
                and (name is None or name.lower() in one["name"].lower())
                and (party_of is None or _heads(one["party"]) >= party_of)
                and owing in (None, not one["deposit_paid"])
            ):
                rows.append(
                    {
                        "code": code,
                        "name": one["name"],
                        **stay,
                        "heads": _heads(one["party"]),
                        "status": one["status"],
                    }
                )
        return {"bookings": sorted(rows, key=lambda row: (row["first_night"], row["code"]))}

    def booking(self, code: str) -> JsonObject:
        one = self._booking(code)
        return {"code": code, **one, "leaves": _leaves(one), "price": self._price_of(one)}

    def estimate(
        self,
        nights: int,
        members: int,
        guests: int,
        children: int,
        half_board: bool,
        dog: bool = False,
    ) -> JsonObject:
        party = {"members": members, "guests": guests, "children": children, "dog": dog}
        if _heads(party) == 0:
            raise Refused("There is nobody in that party.")
        parts = self._price(party, nights, half_board)
        return {"heads": _heads(party), "nights": nights, **parts, "price": sum(parts.values())}

    def dinners(self, date: str) -> JsonObject:
        _day(date)
        tables, vegetarian = [], 0
        for code in self._sleeping(None, date):
            one = self._booking(code)
            if one["half_board"]:
                vegetarian += one["party"]["vegetarians"]
                tables.append(
                    {"code": code, "name": one["name"], "plates": _heads(one["party"]), "note": one["note"]}
                )
        plates = sum(one["plates"] for one in tables)
        return {"date": date, "plates": plates, "vegetarian": vegetarian, "tables": tables}

    def waiting(self, night: str | None = None) -> JsonObject:
        if night is not None:
            _day(night)
        return {
            "parties": [
                one
                for one in self._state["waiting_list"]
                if night is None or night in _nights(one["first_night"], one["nights"])
            ]
        }

    def journal(self) -> JsonObject:
        lines = [
            {
                "what": one["what"],
                "code": one["code"],
                "was": None if one["before"] is None else one["before"]["status"],
            }
            for one in self._state["journal"]
        ]
        return {"steps": len(lines), "lines": lines[::-1]}

    def book(
        self,
        name: str,
        first_night: str,
        nights: int,
        room: str,
        half_board: bool,
        note: str | None = None,
        **heads: Any,
    ) -> JsonObject:
        party = {
            **{kind: heads[kind] for kind in KINDS},
            "vegetarians": heads.get("vegetarians", 0),
            "dog": heads.get("dog", False),
        }
        if party["members"] + party["guests"] == 0:
            raise Refused("Somebody grown-up has to come along.")
        if party["vegetarians"] > _heads(party):
            raise Refused("There are more vegetarians than heads.")
        stay = {"first_night": first_night, "nights": nights, "room": room}
        self._may_stay(party, stay)
        if not self._state["code_pad"]:
            raise Refused("The pad has no code left.")
        code = self._state["code_pad"].pop(0)
        self._note("book", code, None)
        one = {
            "name": name,
            "party": party,
            "stay": stay,
            "half_board": half_board,
            "deposit_paid": False,
            "status": "provisional",
            "note": note,
        }
        self._state["bookings"][code] = one
        return {
            "code": code,
            "name": name,
            "status": "provisional",
            "leaves": _leaves(one),
            "price": self._price_of(one),
        }

    def pay_deposit(self, code: str) -> JsonObject:
        one = self._in_state(code, ("provisional",))
        self._note("pay_deposit", code, one)
        one.update(deposit_paid=True, status="confirmed")
        return {"code": code, "status": "confirmed"}

    def move(
        self,
        code: str,
        first_night: str | None = None,
        nights: int | None = None,
        room: str | None = None,
    ) -> JsonObject:
        one = self._in_state(code, OPEN)
        before = deepcopy(one)
        given = {"first_night": first_night, "nights": nights, "room": room}
        stay = {**one["stay"], **{key: value for key, value in given.items() if value is not None}}
        one["status"] = "moving"
        self._may_stay(one["party"], stay)
        one.update(stay=stay, status=before["status"])
        self._note("move", code, before)
        return {"code": code, "from": before["stay"], "to": stay, "price": self._price_of(one)}

    def cancel(self, code: str, note: str | None = None) -> JsonObject:
        one = self._in_state(code, OPEN)
        self._note("cancel", code, one)
        one["status"] = "cancelled"
        if note is not None:
            one["note"] = note
        fitting = []
        for party in self._state["waiting_list"]:
            fits = self.rooms_for(party["first_night"], party["nights"], party["heads"])["fits"]
            if fits:
                fitting.append({"name": party["name"], "room": fits[0]["room"]})
        return {
            "code": code,
            "status": "cancelled",
            "bunks_freed": _heads(one["party"]),
            "would_fit": fitting,
        }

    def arrive(self, code: str) -> JsonObject:
        one = self._in_state(code, ("confirmed",))
        if one["stay"]["first_night"] != self._state["today"]:
            raise Refused(f"{one['name']} come on {one['stay']['first_night']}, not today.")
        self._note("arrive", code, one)
        one["status"] = "in house"
        return {
            "code": code,
            "status": "in house",
            "room": one["stay"]["room"],
            "leaves": _leaves(one),
            "in_house": self._in_house(),
        }

    def depart(self, code: str) -> JsonObject:
        one = self._in_state(code, ("in house",))
        self._note("depart", code, one)
        one["status"] = "gone"
        return {"code": code, "status": "gone", "in_house": self._in_house()}

    def wait_for(self, name: str, first_night: str, nights: int, heads: int) -> JsonObject:
        _day(first_night)
        queue = self._state["waiting_list"]
        if any(one["name"] == name and one["first_night"] == first_night for one in queue):
            raise Refused(f"{name} wait for {first_night} already.")
        queue.append({"name": name, "first_night": first_night, "nights": nights, "heads": heads})
        return {"name": name, "place": len(queue)}

    def step_back(self) -> JsonObject:
        if not self._state["journal"]:
            raise Refused("There is nothing to take back.")
        line = self._state["journal"].pop()
        code, before = line["code"], line["before"]
        if before is None:
            del self._state["bookings"][code]
            self._state["code_pad"].insert(0, code)
        else:
            self._state["bookings"][code] = before
        return {
            "undone": line["what"],
            "code": code,
            "status": None if before is None else before["status"],
            "steps_left": len(self._state["journal"]),
        }

    def _may_stay(self, party: JsonObject, stay: JsonObject) -> None:
        days = _nights(stay["first_night"], stay["nights"])
        room = self._room(stay["room"])
        if days[0] < self._state["today"]:
            raise Refused("That night is over.")
        if len(days) > LONGEST:
            raise Refused(f"Nobody stays longer than {LONGEST} nights.")
        if not self._in_season(days):
            raise Refused("The hut is not open then.")
        if party["dog"] and not room["dogs"]:
            raise Refused(f"Dogs can't sleep in {stay['room']}.")
        for night in days:
            reason = self._closed(stay["room"], night)
            if reason is not None:
                raise Refused(f"{stay['room']} is closed on {night}: {reason}.")
            left = max(0, room["bunks"] - self._taken(stay["room"], night))
            if left < _heads(party):
                raise Refused(f"On {night} there are only {left} bunks left in {stay['room']}.")

    def _spare(self, room: str, days: list[str]) -> int | None:
        """The free bunks of the fullest night, None when the room is closed on one."""
        if any(self._closed(room, one) is not None for one in days):
            return None
        return int(self._room(room)["bunks"]) - max(self._taken(room, one) for one in days)

    def _in_season(self, days: list[str]) -> bool:
        season = self._state["season"]
        return bool(season["first_night"] <= days[0] and days[-1] <= season["last_night"])

    def _closed(self, room: str, night: str) -> str | None:
        for one in self._state["closures"]:
            if one["room"] == room and one["from_night"] <= night <= one["to_night"]:
                return str(one["reason"])
        return None

    def _sleeping(self, room: str | None, night: str) -> list[str]:
        return sorted(
            code
            for code, one in self._state["bookings"].items()
            if one["status"] in COUNTS and room in (None, one["stay"]["room"]) and night in _stay(one)
        )

    def _taken(self, room: str, night: str) -> int:
        return sum(_heads(self._booking(code)["party"]) for code in self._sleeping(room, night))

    def _in_house(self) -> int:
        return sum(
            _heads(one["party"]) for one in self._state["bookings"].values() if one["status"] == "in house"
        )

    def _price_of(self, one: JsonObject) -> int:
        return sum(self._price(one["party"], one["stay"]["nights"], one["half_board"]).values())

    def _price(self, party: JsonObject, nights: int, half_board: bool) -> dict[str, int]:
        tariff = self._state["tariff"]
        bunks = sum(party[kind] * tariff["bunk"][rate] for kind, rate in KINDS.items())
        board = (party["members"] + party["guests"]) * tariff["half_board"]
        board += party["children"] * tariff["half_board"] // 2
        return {
            "bunks": bunks * nights,
            "half_board": board * nights if half_board else 0,
            "dog": tariff["dog"] * nights if party["dog"] else 0,
        }

    def _note(self, what: str, code: str, before: JsonObject | None) -> None:
        self._state["journal"].append({"what": what, "code": code, "before": deepcopy(before)})

    def _in_state(self, code: str, wanted: tuple[str, ...]) -> JsonObject:
        one = self._booking(code)
        if one["status"] not in wanted:
            raise Refused(f"The booking of {one['name']} is {one['status']}.")
        return one

    def _booking(self, code: str) -> JsonObject:
        if code not in self._state["bookings"]:
            raise Refused(f"Nobody has the code {code}.")
        found: JsonObject = self._state["bookings"][code]
        return found

    def _room(self, name: str) -> JsonObject:
        if name not in self._state["house"]:
            raise Refused(f"This house has no room called {name}.")
        found: JsonObject = self._state["house"][name]
        return found


def _heads(party: JsonObject) -> int:
    return sum(party[kind] for kind in KINDS)


def _stay(one: JsonObject) -> list[str]:
    return _nights(one["stay"]["first_night"], one["stay"]["nights"])


def _leaves(one: JsonObject) -> str:
    return (_day(_stay(one)[-1]) + timedelta(days=1)).isoformat()


def _nights(first: str, count: int) -> list[str]:
    return [(_day(first) + timedelta(days=one)).isoformat() for one in range(count)]


def _day(text: str) -> day_of:
    try:
        return day_of.fromisoformat(text)
    except ValueError as error:
        raise Refused(f"There is no day {text}.") from error
