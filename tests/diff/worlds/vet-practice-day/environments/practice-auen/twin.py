"""The software of a veterinary practice."""

from __future__ import annotations

from datetime import datetime, timedelta

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

LAB_MINUTES = {"blood": 30, "skin": 20, "urine": 45}
FEE, SAMPLE_FEE, PRESCRIPTION_FEE = 30, 15, 8
DATE, MINUTE = 10, 16


class Twin(ToolTwin):
    """The tools of the practice."""

    def waiting_room(
        self, species: str | None = None, min_urgency: int = 0, longer_than: int = -1
    ) -> JsonObject:
        rows = [
            {"ticket": name, "animal": one["animal"], "urgency": one["urgency"], "minutes": self._waited(one)}
            for name, one in self._queue()
            if species in (None, self._species(one["animal"]))
            and one["urgency"] >= min_urgency
            and self._waited(one) > longer_than
        ]
        return {"waiting": len(rows), "queue": rows}

    def sign_in(self, animal: str, reason: str, urgency: int) -> JsonObject:
        self._one("animals", animal)
        for name, one in self._queue():
            if one["animal"] == animal:
                raise Refused(f"{animal} waits already, with {name}")
        for name, one in self._state["visits"].items():
            if one["animal"] == animal and one["closed"] is None:
                raise Refused(f"{animal} is in the open visit {name}")
        name, now = self._next("tickets"), self._state["now"]
        ticket = {"animal": animal, "reason": reason, "urgency": urgency, "since": now, "state": "waiting"}
        self._state["tickets"][name] = ticket
        ahead = [one for one, _ in self._queue()].index(name)
        return {"ticket": name, "animal": animal, "urgency": urgency, "since": now, "ahead": ahead}

    def walk_out(self, ticket: str) -> JsonObject:
        one = self._one("tickets", ticket)
        if one["state"] != "waiting":
            raise Refused(f"{ticket} is not waiting: its state is {one['state']}")
        one["state"] = "left"
        return {"ticket": ticket, "state": "left", "waiting": len(self._queue())}

    def call_next(self, vet: str) -> JsonObject:
        one = self._free_vet(vet)
        found = (row for row in self._queue() if self._species(row[1]["animal"]) in one["treats"])
        ticket, row = next(found, ("", {}))
        if not ticket:
            raise Refused(f"nobody waits whom {vet} treats")
        row["state"] = "called"
        name = self._next("visits")
        opened = {"opened": self._state["now"], "closed": None, "notes": [], "fee_eur": None}
        made = {"animal": row["animal"], "vet": vet, "reason": row["reason"], **opened}
        self._state["visits"][name] = made
        return {"visit": name, "ticket": ticket, "animal": row["animal"], "vet": vet, "room": one["room"]}

    def hand_over(self, visit: str, to: str) -> JsonObject:
        one, home = self._open_visit(visit), self._one("visits", visit)["vet"]
        if home == to:
            raise Refused(f"{visit} is with {to} already")
        vet, species = self._free_vet(to), self._species(one["animal"])
        if species not in vet["treats"]:
            raise Refused(f"{to} does not treat a {species}")
        one["vet"] = to
        return {"visit": visit, "from": home, "to": to, "room": vet["room"]}

    def add_note(self, visit: str, text: str) -> JsonObject:
        one = self._open_visit(visit)
        one["notes"].append(text)
        return {"visit": visit, "notes": one["notes"]}

    def take_sample(self, visit: str, test: str) -> JsonObject:
        self._open_visit(visit)
        for name, one in self._of_visit("samples", visit):
            if one["test"] == test and one["result"] == "pending":
                raise Refused(f"{name} ({test}) is pending in {visit}")
        name, ready = self._next("samples"), self._later(LAB_MINUTES[test])
        taken = {"visit": visit, "test": test, "taken": self._state["now"], "ready_at": ready}
        self._state["samples"][name] = {**taken, "result": "pending"}
        return {"sample": name, "visit": visit, "test": test, "ready_at": ready, "result": "pending"}

    def prescribe(self, visit: str, drug: str, mg_per_day: int, days: int) -> JsonObject:
        one, medicine = self._open_visit(visit), self._one("drugs", drug)
        animal, today = self._one("animals", one["animal"]), self._today()
        if animal["species"] not in medicine["for"]:
            raise Refused(f"{drug} is not for a {animal['species']}")
        if medicine["expires"] < today:
            raise Refused(f"{drug} expired on {medicine['expires']}")
        if medicine["class"] in animal["allergic_to"]:
            raise Refused(f"{one['animal']} is allergic to {medicine['class']}")
        most = medicine["most_mg_per_kg"] * animal["weight_kg"]
        if mg_per_day > most:
            raise Refused(f"{mg_per_day} mg a day is more than the {most} mg that {one['animal']} may have")
        for name, row in self._state["prescriptions"].items():
            if (row["animal"], row["drug"]) == (one["animal"], drug) and row["until"] >= today:
                raise Refused(f"{name} of {drug} is running until {row['until']}")
        name = self._next("prescriptions")
        until = str((datetime.fromisoformat(today) + timedelta(days=days - 1)).date())
        tablets = -(-mg_per_day // medicine["mg_per_tablet"]) * days
        made = {"animal": one["animal"], "drug": drug, "mg_per_day": mg_per_day, "days": days, "until": until}
        row = {"visit": visit, **made, "tablets": tablets, "dispensed": False}
        self._state["prescriptions"][name] = row
        return {"prescription": name, **{key: row[key] for key in ("animal", "drug", "until", "tablets")}}

    def dispense(self, prescription: str) -> JsonObject:
        one = self._one("prescriptions", prescription)
        drug = self._one("drugs", one["drug"])
        if one["dispensed"]:
            raise Refused(f"{prescription} is dispensed already")
        if drug["tablets"] < one["tablets"]:
            raise Refused(
                f"{prescription} needs {one['tablets']} tablets; of {one['drug']} there are {drug['tablets']}"
            )
        drug["tablets"] -= one["tablets"]
        one["dispensed"] = True
        left = {"dispensed": True, "tablets_left": drug["tablets"]}
        return {"prescription": prescription, "drug": one["drug"], **left}

    def close_visit(self, visit: str) -> JsonObject:
        one, samples = self._open_visit(visit), self._of_visit("samples", visit)
        for name, row in samples:
            if row["result"] == "pending":
                raise Refused(f"{name} of {visit} is pending until {row['ready_at']}")
        used = sum(row["result"] != "rejected" for _, row in samples)
        fee = FEE + SAMPLE_FEE * used + PRESCRIPTION_FEE * len(self._of_visit("prescriptions", visit))
        owner = self._one("animals", one["animal"])["owner"]
        account = self._one("owners", owner)
        account["owes_eur"] += fee
        one.update(closed=self._state["now"], fee_eur=fee)
        owes = {"owner": owner, "owes_eur": account["owes_eur"]}
        return {"visit": visit, "closed": one["closed"], "fee_eur": fee, **owes}

    def visits(
        self,
        vet: str | None = None,
        owner: str | None = None,
        village: str | None = None,
        open: bool | None = None,  # noqa: A002 (as in the tool)
        since: str = "",
    ) -> JsonObject:
        self._known(vets=vet, owners=owner)
        rows = [
            {"visit": name, **{key: one[key] for key in ("animal", "vet", "opened", "closed")}}
            for name, one in self._state["visits"].items()
            if vet in (None, one["vet"])
            and owner in (None, self._owner(one["animal"]))
            and village in (None, self._village(one["animal"]))
            and open in (None, one["closed"] is None)
            and one["opened"][:DATE] >= since
        ]
        return {"visits": rows}

    def visit(self, visit: str) -> JsonObject:
        one = self._one("visits", visit)
        lists = {
            kind: [name for name, _ in self._of_visit(kind, visit)] for kind in ("samples", "prescriptions")
        }
        return {"visit": visit, **one, **lists}

    def find_animals(
        self,
        name_part: str = "",
        species: str | None = None,
        village: str | None = None,
        vaccination_lapsed: bool | None = None,
    ) -> JsonObject:
        rows = [
            {"animal": name, **{key: one[key] for key in ("name", "species", "owner", "vaccinated_until")}}
            for name, one in self._state["animals"].items()
            if name_part.lower() in one["name"].lower()
            and species in (None, one["species"])
            and village in (None, self._village(name))
            and vaccination_lapsed in (None, one["vaccinated_until"] < self._today())
        ]
        return {"animals": rows}

    def animal(self, animal: str) -> JsonObject:
        one = self._one("animals", animal)
        owner = self._one("owners", one["owner"])
        keys = ("name", "species", "weight_kg", "allergic_to", "vaccinated_until")
        return {
            "animal": animal,
            **{key: one[key] for key in keys},
            "owner": {"id": one["owner"], "village": owner["village"], "owes_eur": owner["owes_eur"]},
            "visits": [name for name, row in self._state["visits"].items() if row["animal"] == animal],
        }

    def prescriptions(
        self,
        animal: str | None = None,
        owner: str | None = None,
        vet: str | None = None,
        drug: str | None = None,
        dispensed: bool | None = None,
        running_on: str = "",
    ) -> JsonObject:
        self._known(animals=animal, owners=owner, vets=vet, drugs=drug)
        keys = ("animal", "drug", "until", "tablets", "dispensed")
        rows = [
            {"prescription": name, **{key: one[key] for key in keys}}
            for name, one in self._state["prescriptions"].items()
            if animal in (None, one["animal"])
            and owner in (None, self._owner(one["animal"]))
            and vet in (None, self._one("visits", one["visit"])["vet"])
            and drug in (None, one["drug"])
            and dispensed in (None, one["dispensed"])
            and one["until"] >= running_on
        ]
        return {"count": len(rows), "prescriptions": rows}

    def samples(
        self, visit: str | None = None, animal: str | None = None, result: str | None = None
    ) -> JsonObject:
        self._known(visits=visit, animals=animal)
        rows = [
            {"sample": name, **{key: one[key] for key in ("visit", "test", "result")}}
            for name, one in self._state["samples"].items()
            if visit in (None, one["visit"])
            and animal in (None, self._one("visits", one["visit"])["animal"])
            and result in (None, one["result"])
        ]
        return {"samples": rows}

    def cabinet(
        self, species: str | None = None, short: bool | None = None, expires_before: str = "9999"
    ) -> JsonObject:
        rows = [
            {"drug": name, **{key: one[key] for key in ("class", "tablets", "least", "expires")}}
            for name, one in self._state["drugs"].items()
            if (species is None or species in one["for"])
            and short in (None, one["tablets"] < one["least"])
            and one["expires"] < expires_before
        ]
        return {"drugs": rows}

    def pass_time(self, minutes: int) -> JsonObject:
        now = self._later(minutes)
        if now[:DATE] != self._today():
            raise Refused(f"{minutes} minutes on is another day")
        self._state["now"] = now
        ready = []
        for name, one in self._state["samples"].items():
            if one["result"] == "pending" and one["ready_at"] <= now:
                animal = self._one("visits", one["visit"])["animal"]
                one["result"] = self._state["lab"].get(animal, {}).get(one["test"], "negative")
                ready.append({"sample": name, "result": one["result"]})
        return {"now": now, "ready": ready}

    def _today(self) -> str:
        return str(self._state["now"][:DATE])

    def _later(self, minutes: int) -> str:
        then = datetime.fromisoformat(self._state["now"]) + timedelta(minutes=minutes)
        return then.isoformat()[:MINUTE]

    def _waited(self, ticket: JsonObject) -> int:
        since = datetime.fromisoformat(self._state["now"]) - datetime.fromisoformat(ticket["since"])
        return int(since.total_seconds()) // 60

    def _queue(self) -> list[tuple[str, JsonObject]]:
        waiting = [row for row in self._state["tickets"].items() if row[1]["state"] == "waiting"]
        return sorted(waiting, key=lambda row: (-row[1]["urgency"], row[1]["since"]))

    def _next(self, kind: str) -> str:
        head, number = list(self._state[kind])[-1].split("-")
        return f"{head}-{int(number) + 1}"

    def _known(self, **names: str | None) -> None:
        for kind, name in names.items():
            if name is not None:
                self._one(kind, name)

    def _one(self, kind: str, name: str) -> JsonObject:
        if name not in self._state[kind]:
            raise Refused(f"there is no {kind.removesuffix('s')} {name}")
        record: JsonObject = self._state[kind][name]
        return record

    def _open_visit(self, name: str) -> JsonObject:
        one = self._one("visits", name)
        if one["closed"] is not None:
            raise Refused(f"{name} was closed at {one['closed']}")
        return one

    def _free_vet(self, name: str) -> JsonObject:
        one = self._one("vets", name)
        if not one["on_duty"]:
            raise Refused(f"{name} is off duty")
        for visit, row in self._state["visits"].items():
            if row["vet"] == name and row["closed"] is None:
                raise Refused(f"{name} has the open visit {visit}")
        return one

    def _of_visit(self, kind: str, visit: str) -> list[tuple[str, JsonObject]]:
        return [row for row in self._state[kind].items() if row[1]["visit"] == visit]

    def _species(self, animal: str) -> str:
        return str(self._one("animals", animal)["species"])

    def _owner(self, animal: str) -> str:
        return str(self._one("animals", animal)["owner"])

    def _village(self, animal: str) -> str:
        return str(self._one("owners", self._owner(animal))["village"])
