"""The bed board of an emergency department with two exam rooms and one hallway bay."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

NEEDS_MONITOR = ("chest_pain", "stroke")
URGENT = 2  # acuity up to which a hallway bay is no place


class Twin(ToolTwin):
    """The tools of the department. Places and patients stay the ones of the initial state."""

    def list_places(self) -> JsonObject:
        return {"places": [{"place": name, **place} for name, place in self._state["places"].items()]}

    def list_waiting(self) -> JsonObject:
        waiting = [(name, one) for name, one in self._state["patients"].items() if one["place"] == "waiting"]
        waiting.sort(key=lambda pair: str(pair[1]["arrived"]))
        shown = ("age", "complaint", "arrived", "acuity")
        return {"waiting": [{"patient": name, **{key: one[key] for key in shown}} for name, one in waiting]}

    def get_patient(self, patient: str) -> JsonObject:
        record = self._patient(patient)
        return {"patient": patient, **{key: value for key, value in record.items() if key != "findings"}}

    def assess_patient(self, patient: str) -> JsonObject:
        record = self._present(patient)
        record.update(record["findings"])
        return {"patient": patient, "acuity": record["acuity"], "vitals": record["vitals"]}

    def discharge_patient(self, patient: str, place: str) -> JsonObject:
        record = self._present(patient)
        self._place(place)
        if record["place"] != place:
            raise Refused(f"{patient} is not in {place}")
        if record["disposition"] != "cleared":
            raise Refused(f"{patient} is not cleared for discharge")
        self._leave(place)
        record["place"] = "left"
        return {"patient": patient, "discharged": True, "place": place, "status": "dirty"}

    def clean_place(self, place: str) -> JsonObject:
        bed = self._place(place)
        if bed["status"] != "dirty":
            raise Refused(f"{place} is {bed['status']}, only a dirty place can be cleaned")
        bed["status"] = "vacant"
        return {"place": place, "status": "vacant"}

    def place_patient(self, patient: str, place: str) -> JsonObject:
        record, bed = self._present(patient), self._place(place)
        if record["acuity"] is None:
            raise Refused(f"{patient} has no acuity yet")
        if bed["status"] != "vacant":
            raise Refused(f"{place} is {bed['status']}")
        if bed["kind"] == "hallway_bay" and record["acuity"] <= URGENT:
            raise Refused(f"{patient} has acuity {record['acuity']} and may not lie in a hallway bay")
        came_from = record["place"]
        if came_from != "waiting":
            self._leave(came_from)
        bed.update(status="occupied", patient=patient)
        record["place"] = place
        return {"patient": patient, "place": place, "came_from": came_from}

    def start_protocol(self, patient: str, protocol: str) -> JsonObject:
        record = self._present(patient)
        bed = self._state["places"].get(record["place"])
        if bed is None or bed["kind"] != "exam_room":
            raise Refused(f"{patient} is not in an exam room")
        if record["acuity"] is None:
            raise Refused(f"{patient} has no acuity yet")
        if protocol in NEEDS_MONITOR and not bed["monitored"]:
            raise Refused(f"{protocol} needs a monitored room, and {record['place']} has no monitor")
        if protocol in record["protocols"]:
            raise Refused(f"{protocol} is already running for {patient}")
        record["protocols"].append(protocol)
        return {"patient": patient, "protocol": protocol, "started": True}

    def _patient(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["patients"].get(name)
        if record is None:
            raise Refused(f"there is no patient {name}")
        return record

    def _present(self, name: str) -> JsonObject:
        record = self._patient(name)
        if record["place"] == "left":
            raise Refused(f"{name} has left the department")
        return record

    def _place(self, name: str) -> JsonObject:
        place: JsonObject | None = self._state["places"].get(name)
        if place is None:
            raise Refused(f"there is no place {name}")
        return place

    def _leave(self, place: str) -> None:
        self._state["places"][place].update(status="dirty", patient=None)
