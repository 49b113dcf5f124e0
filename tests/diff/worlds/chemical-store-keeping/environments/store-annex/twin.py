"""The database of a chemical store."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

TODAY = "2025-05-06"


class Twin(ToolTwin):
    """The tools of the store."""

    def find_bottles(
        self, hazard: str = "", expires_before: str = "", min_litres: float = 0, opened: bool | None = None
    ) -> JsonObject:
        rows = [
            {"code": one["code"], "name": one["name"], "cabinet": cabinet}
            | {"litres": one["litres"], "expires": one["expires"]}
            for cabinet, one in self._all()
            if (not hazard or hazard in one["hazards"])
            and (not expires_before or one["expires"] < expires_before)
            and one["litres"] >= min_litres
            and opened in (None, one["opened"])
        ]
        return {
            "bottles": rows,
            "summary": {"bottles": len(rows), "litres": sum(row["litres"] for row in rows)},
        }

    def show_bottle(self, code: str) -> JsonObject:
        cabinet, one = self._bottle(code)
        shown = {key: one[key] for key in ("hazards", "litres", "expires", "opened")}
        return {"code": code, "name": one["name"], "cabinet": cabinet, **shown}

    def show_cabinet(self, cabinet: str) -> JsonObject:
        one = self._cabinet(cabinet)
        codes = [bottle["code"] for bottle in one["bottles"]]
        facts = {"place": one["place"], "limit_l": one["limit_l"], "load_l": self._load(one)}
        return {"cabinet": cabinet, **facts, "codes": codes}

    def conflicts(self) -> JsonObject:
        return {"pairs": self._state["conflicts"]}

    def move_bottle(self, code: str, cabinet: str) -> JsonObject:
        (home, bottle), goal = self._bottle(code), self._cabinet(cabinet)
        if home == cabinet:
            raise Refused(f"{code} is in {cabinet} already")
        load = self._load(goal) + bottle["litres"]
        if load > goal["limit_l"]:
            raise Refused(f"{cabinet} would hold {load} l, more than {goal['limit_l']}")
        for other in goal["bottles"]:
            for a, b in self._state["conflicts"]:
                for one, two in ((a, b), (b, a)):
                    if one in bottle["hazards"] and two in other["hazards"]:
                        raise Refused(f"{code} ({one}) must not stand with {other['code']} ({two})")
        self._cabinet(home)["bottles"].remove(bottle)
        goal["bottles"].append(bottle)
        return {"code": code, "from": home, "to": cabinet}

    def use_from(self, code: str, litres: float) -> JsonObject:
        _, one = self._bottle(code)
        if one["expires"] < TODAY:
            raise Refused(f"{code} expired on {one['expires']}")
        if litres > one["litres"]:
            raise Refused(f"{code} has only {one['litres']} l left")
        one.update(litres=one["litres"] - litres, opened=True)
        return {"code": code, "litres_left": one["litres"]}

    def dispose(self, code: str) -> JsonObject:
        home, one = self._bottle(code)
        if one["expires"] >= TODAY and one["litres"] > 0:
            raise Refused(f"{code} is neither expired nor empty")
        self._cabinet(home)["bottles"].remove(one)
        self._state["disposed"].append(code)
        return {"disposed": self._state["disposed"]}

    def _all(self) -> Iterator[tuple[str, JsonObject]]:
        for name, cabinet in self._state["cabinets"].items():
            yield from ((name, one) for one in cabinet["bottles"])

    def _bottle(self, code: str) -> tuple[str, JsonObject]:
        found = next(((home, one) for home, one in self._all() if one["code"] == code), None)
        if found is None:
            raise Refused(f"there is no bottle {code}")
        return found

    def _cabinet(self, name: str) -> JsonObject:
        if name not in self._state["cabinets"]:
            raise Refused(f"there is no cabinet {name}")
        record: JsonObject = self._state["cabinets"][name]
        return record

    def _load(self, cabinet: JsonObject) -> float:
        return float(sum(one["litres"] for one in cabinet["bottles"]))
