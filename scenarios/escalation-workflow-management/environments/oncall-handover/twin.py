"""The incident desk: a roster over three regions, and incidents that change hands."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

EVERY_REGION = "ALL"
MOST_OPEN = 3


class Twin(ToolTwin):
    """The tools of the desk. People and incidents stay the ones of the initial state."""

    def list_incidents(self, status: str = "") -> JsonObject:
        shown = ("title", "priority", "status", "owner")
        return {
            "incidents": [
                {"incident": name, **{key: one[key] for key in shown}}
                for name, one in self._state["incidents"].items()
                if status in ("", one["status"])
            ]
        }

    def get_incident(self, incident: str) -> JsonObject:
        return {"incident": incident, **self._incident(incident)}

    def search_roster(self, region: str, skill: str = "", tier: int = 0, at: str = "") -> JsonObject:
        code = self._region(region)
        found = [
            self._profile(name)
            for name, one in self._state["people"].items()
            if one["region"] in (code, EVERY_REGION)
            and skill in ("", one["skill"])
            and tier in (0, one["tier"])
            and _on_shift(one, at or self._state["now"])
        ]
        return {"people": found}

    def get_person(self, person: str) -> JsonObject:
        self._person(person)
        return self._profile(person)

    def write_assessment(self, incident: str, text: str) -> JsonObject:
        self._incident(incident)["assessment"] = text
        return {"incident": incident, "assessment_stored": True}

    def page_person(self, person: str, incident: str) -> JsonObject:
        acknowledged = self._person(person)["answers_pages"]
        self._incident(incident)["pages"].append({"person": person, "acknowledged": acknowledged})
        return {"person": person, "incident": incident, "acknowledged": acknowledged}

    def assign_incident(self, incident: str, person: str, effective_at: str) -> JsonObject:
        record, owner = self._incident(incident), self._person(person)
        self._check_owner(record, owner, person, effective_at)
        self._state["people"][record["owner"]]["open_incidents"] -= 1
        owner["open_incidents"] += 1
        record.update(owner=person, effective_at=effective_at, status="handed_over")
        return {"incident": incident, "owner": person, "effective_at": effective_at, "status": "handed_over"}

    def _check_owner(self, record: JsonObject, owner: JsonObject, person: str, effective_at: str) -> None:
        needs = record["needs"]
        if record["assessment"] is None:
            raise Refused("the incident has no assessment yet")
        if owner["skill"] != needs["skill"]:
            raise Refused(f"{person} has the skill {owner['skill']}, and {needs['skill']} is needed")
        if owner["tier"] < needs["tier"]:
            raise Refused(f"{person} is tier {owner['tier']}, and tier {needs['tier']} is needed")
        if not _on_shift(owner, effective_at):
            raise Refused(f"{person} is not on shift at {effective_at}")
        if {"person": person, "acknowledged": True} not in record["pages"]:
            raise Refused(f"{person} has not acknowledged a page about this incident")
        if owner["open_incidents"] >= MOST_OPEN:
            raise Refused(f"{person} already has {MOST_OPEN} open incidents")

    def _region(self, text: str) -> str:
        for code, name in self._state["regions"].items():
            if text.casefold() in (code.casefold(), name.casefold()):
                return str(code)
        raise Refused(f"there is no region {text}")

    def _incident(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["incidents"].get(name)
        if record is None:
            raise Refused(f"there is no incident {name}")
        return record

    def _person(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["people"].get(name)
        if record is None:
            raise Refused(f"there is nobody with the id {name}")
        return record

    def _profile(self, name: str) -> JsonObject:
        record = self._state["people"][name]
        return {"person": name, **{key: value for key, value in record.items() if key != "answers_pages"}}


def _on_shift(person: JsonObject, at: str) -> bool:
    # All moments are UTC in one format, so their texts order like the moments.
    return bool(person["shift"]["start"] <= at < person["shift"]["end"])
