"""The computer at the desk of a swimming bath."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

CENTS = {"small": 100, "large": 150}
MOST_WAITING = 3
MOST_RENTALS = 2
MIDNIGHT = 24 * 60


def _minutes(time: str) -> int:
    return int(time[:2]) * 60 + int(time[3:])


class Twin(ToolTwin):
    """The tools of the desk."""

    def list_courses(
        self,
        pool: str | None = None,
        hall: str | None = None,
        trainer: str | None = None,
        level: str | None = None,
        startsAfter: str = "",  # noqa: N803 (as in the tool)
        freePlaces: bool | None = None,  # noqa: N803
    ) -> JsonObject:
        for kind, name in (("pools", pool), ("halls", hall), ("trainers", trainer)):
            if name is not None:
                self._one(kind, name)
        rows = [
            {"course": name, **{key: one[key] for key in ("title", "pool", "trainer", "starts", "status")}}
            | {"free": self._free(one)}
            for name, one in self._state["courses"].items()
            if pool in (None, one["pool"])
            and hall in (None, self._state["pools"][one["pool"]]["hall"])
            and trainer in (None, one["trainer"])
            and level in (None, one["level"])
            and one["starts"] > startsAfter
            and freePlaces in (None, one["status"] == "open" and self._free(one) > 0)
        ]
        return {"count": len(rows), "courses": rows}

    def show_course(self, course: str) -> JsonObject:
        one = self._one("courses", course)
        keys = (
            "title",
            "level",
            "pool",
            "trainer",
            "starts",
            "ends",
            "places",
            "status",
            "enrolled",
            "waiting",
        )
        return {"course": course, **{key: one[key] for key in keys}}

    def enrol(self, course: str, **rest: str) -> JsonObject:
        one, guest = self._open_course(course), rest["pass"]
        self._one("passes", guest)
        for kind in ("enrolled", "waiting"):
            if guest in one[kind]:
                raise Refused(f"{guest} is on the list `{kind}` of {course} already")
        outcome = "enrolled" if self._free(one) else "waiting"
        if outcome == "waiting" and len(one["waiting"]) >= MOST_WAITING:
            raise Refused(f"{course} is full and {MOST_WAITING} wait for it already, which is the most")
        one[outcome].append(guest)
        return {"course": course, "pass": guest, "outcome": outcome, "free": self._free(one)}

    def withdraw(self, course: str, **rest: str) -> JsonObject:
        one, guest = self._open_course(course), rest["pass"]
        self._one("passes", guest)
        if guest in one["waiting"]:
            one["waiting"].remove(guest)
            return {"course": course, "pass": guest, "movedUp": None}
        if guest not in one["enrolled"]:
            raise Refused(f"{guest} is on no list of {course}")
        one["enrolled"].remove(guest)
        first = one["waiting"].pop(0) if one["waiting"] else None
        if first:
            one["enrolled"].append(first)
        return {"course": course, "pass": guest, "movedUp": first}

    def list_lockers(
        self, hall: str | None = None, size: str | None = None, available: bool | None = None
    ) -> JsonObject:
        if hall is not None:
            self._one("halls", hall)
        rows = [
            {"locker": name, **one, "rental": self._rental_of(name)}
            for name, one in self._state["lockers"].items()
            if hall in (None, self._hall(name))
            and size in (None, one["size"])
            and available in (None, not one["defect"] and self._rental_of(name) is None)
        ]
        return {"lockers": rows}

    def rent_locker(self, locker: str, hours: int, **rest: str) -> JsonObject:
        one, guest = self._one("lockers", locker), rest["pass"]
        if one["defect"]:
            raise Refused(f"{locker} is defect")
        taken = self._rental_of(locker)
        if taken:
            raise Refused(f"{locker} is rented: {taken} is out")
        if not self._one("passes", guest)["inside"]:
            raise Refused(f"{guest} is not inside")
        has = len(self._out_of(guest))
        if has >= MOST_RENTALS:
            raise Refused(f"{guest} has {has} rentals out, and {MOST_RENTALS} are the most")
        name = f"R-{max(int(one[2:]) for one in self._state['rentals']) + 1}"
        row = {"locker": locker, "pass": guest, "from": self._state["now"], "until": self._later(60 * hours)}
        self._state["rentals"][name] = {**row, "returned": None}
        return {"rental": name, **row, "feeCents": hours * CENTS[one["size"]]}

    def return_locker(self, rental: str) -> JsonObject:
        one = self._one("rentals", rental)
        if one["returned"]:
            raise Refused(f"{rental} was returned at {one['returned']}")
        one["returned"] = self._state["now"]
        late = max(0, _minutes(self._state["now"]) - _minutes(one["until"]))
        ended = {"rental": rental, "locker": one["locker"], "returned": one["returned"]}
        return {**ended, "lateMinutes": late, "extraCents": -(-late // 15) * 50}

    def list_rentals(
        self, hall: str | None = None, out: bool | None = None, overdue: bool | None = None, **rest: str
    ) -> JsonObject:
        guest = rest.get("pass")
        if hall is not None:
            self._one("halls", hall)
        if guest is not None:
            self._one("passes", guest)
        rows = [
            {"rental": name, **{key: one[key] for key in ("locker", "pass", "until", "returned")}}
            for name, one in self._state["rentals"].items()
            if guest in (None, one["pass"])
            and hall in (None, self._hall(one["locker"]))
            and out in (None, one["returned"] is None)
            and (not overdue or (one["returned"] is None and one["until"] < self._state["now"]))
        ]
        return {"rentals": rows}

    def find_pass(self, text: str) -> JsonObject:
        rows = [
            {"pass": name, "holder": one["holder"], "kind": one["kind"]}
            for name, one in self._state["passes"].items()
            if text.lower() in one["holder"].lower()
        ]
        return {"found": len(rows), "passes": rows}

    def show_pass(self, **rest: str) -> JsonObject:
        guest = rest["pass"]
        one = self._one("passes", guest)
        courses = self._state["courses"].items()
        return {
            "pass": guest,
            **one,
            "courses": [name for name, course in courses if guest in course["enrolled"]],
            "waitsFor": [name for name, course in courses if guest in course["waiting"]],
            "rentals": self._out_of(guest),
        }

    def check_in(self, **rest: str) -> JsonObject:
        guest = rest["pass"]
        one = self._one("passes", guest)
        if one["inside"]:
            raise Refused(f"{guest} is inside already")
        if one["entriesLeft"] == 0:
            raise Refused(f"{guest} has no entry left")
        if one["entriesLeft"]:
            one["entriesLeft"] -= 1
        one["inside"] = True
        return {"pass": guest, "entriesLeft": one["entriesLeft"], "guestsInside": self._inside()}

    def check_out(self, **rest: str) -> JsonObject:
        guest = rest["pass"]
        one, out = self._one("passes", guest), self._out_of(guest)
        if not one["inside"]:
            raise Refused(f"{guest} is not inside")
        if out:
            raise Refused(f"{guest} still has {' and '.join(out)} out")
        one["inside"] = False
        return {"pass": guest, "inside": False, "guestsInside": self._inside()}

    def pool_levels(self, offTarget: bool | None = None) -> JsonObject:  # noqa: N803
        rows = [
            {"pool": name, "tempC": one["tempC"], "targetC": one["targetC"]}
            | {"missingC": one["targetC"] - one["tempC"]}
            | {key: one[key] for key in ("chlorineUg", "leastUg", "mostUg")}
            for name, one in self._state["pools"].items()
            if not offTarget or one["tempC"] != one["targetC"] or not self._good(one)
        ]
        return {"pools": rows}

    def dose_chlorine(self, pool: str, litres: int) -> JsonObject:
        one, tank = self._one("pools", pool), self._state["tank"]
        if litres > tank["litres"]:
            raise Refused(f"the tank has {tank['litres']} l, less than {litres}")
        level = one["chlorineUg"] + litres * one["ugPerLitre"]
        if level > one["mostUg"]:
            raise Refused(f"{pool} would have {level} ug of chlorine, more than {one['mostUg']}")
        one["chlorineUg"] = level
        tank["litres"] -= litres
        return {"pool": pool, "chlorineUg": level, "tankLitres": tank["litres"]}

    def test_water(self, pool: str) -> JsonObject:
        result = "passed" if self._good(self._one("pools", pool)) else "failed"
        row = {"pool": pool, "at": self._state["now"], "result": result}
        self._state["waterTests"].append(row)
        return row

    def water_tests(self, pool: str | None = None) -> JsonObject:
        if pool is not None:
            self._one("pools", pool)
        return {"tests": [one for one in self._state["waterTests"] if pool in (None, one["pool"])]}

    def let_time_pass(self, minutes: int) -> JsonObject:
        self._state["now"] = self._later(minutes)
        started, ended = [], []
        for name, one in self._state["courses"].items():
            if one["status"] == "open" and one["starts"] <= self._state["now"]:
                one["status"] = "running"
                started.append(name)
            if one["status"] == "running" and one["ends"] <= self._state["now"]:
                one["status"] = "over"
                ended.append(name)
        return {"now": self._state["now"], "started": started, "ended": ended}

    def _later(self, minutes: int) -> str:
        then = _minutes(self._state["now"]) + minutes
        if then >= MIDNIGHT:
            raise Refused(f"{minutes} minutes from {self._state['now']} is not before midnight")
        return f"{then // 60:02}:{then % 60:02}"

    def _one(self, kind: str, name: str) -> JsonObject:
        if name not in self._state[kind]:
            noun = {"passes": "pass"}.get(kind, kind.removesuffix("s"))
            raise Refused(f"there is no {noun} {name}")
        record: JsonObject = self._state[kind][name]
        return record

    def _open_course(self, name: str) -> JsonObject:
        one = self._one("courses", name)
        if one["status"] != "open":
            raise Refused(f"{name} is not open: it is {one['status']}")
        return one

    def _free(self, course: JsonObject) -> int:
        return int(course["places"] - len(course["enrolled"]))

    def _hall(self, locker: str) -> str:
        return str(self._state["banks"][self._state["lockers"][locker]["bank"]]["hall"])

    def _rental_of(self, locker: str) -> str | None:
        rentals = self._state["rentals"].items()
        return next((name for name, one in rentals if one["locker"] == locker and not one["returned"]), None)

    def _out_of(self, guest: str) -> list[str]:
        rentals = self._state["rentals"].items()
        return [name for name, one in rentals if one["pass"] == guest and not one["returned"]]

    def _inside(self) -> int:
        return sum(one["inside"] for one in self._state["passes"].values())

    def _good(self, pool: JsonObject) -> bool:
        return bool(pool["leastUg"] <= pool["chlorineUg"] <= pool["mostUg"])
