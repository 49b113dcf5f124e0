"""A permit office: a queue, stages, and two people who sign. Days are counted by whoever uses it."""

from __future__ import annotations

from datetime import date

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject


class Twin(ToolTwin):
    """The tools of the office. It knows stages and grades, and neither periods nor ties."""

    def list_queue(self) -> JsonObject:
        shown = ("type", "street", "received", "stage")
        rows = [(name, self._application(name)) for name in self._state["queue"]]
        return {"queue": [{"application": name, **{key: one[key] for key in shown}} for name, one in rows]}

    def get_rules(self) -> JsonObject:
        types = [{"type": name, **one} for name, one in self._state["permit_types"].items()]
        shown = {key: self._state[key] for key in ("rules", "holidays")}
        return {"today": self._today().isoformat(), **shown, "permit_types": types}

    def list_officers(self) -> JsonObject:
        return {"officers": [{"officer": name, **one} for name, one in self._state["officers"].items()]}

    def get_application(self, application: str) -> JsonObject:
        return {"application": application, **self._application(application)}

    def request_documents(self, application: str, documents: list[str], due_on: str) -> JsonObject:
        record = self._at(application, "received")
        known = self._state["permit_types"][record["type"]]["documents"]
        for name in documents:
            if name not in known:
                raise Refused(f"an application of type {record['type']} needs no {name}")
        self._later(due_on)
        record["stage"] = "awaiting_documents"
        sent = {"application": application, "documents": documents, "due_on": due_on}
        return {**sent, "stage": record["stage"]}

    def confirm_complete(self, application: str) -> JsonObject:
        record = self._at(application, "received")
        missing = [one["document"] for one in record["documents"] if one["issued"] == "missing"]
        if missing:
            raise Refused(f"{application} is not complete: {', '.join(missing)} missing")
        record["stage"] = "under_review"
        return {"application": application, "stage": record["stage"]}

    def set_hearing(self, application: str, on: str) -> JsonObject:
        record = self._at(application, "under_review")
        self._later(on)
        record.update(stage="hearing", hearing_on=on)
        return {"application": application, "hearing_on": on, "stage": record["stage"]}

    def recommend(self, application: str, officer: str, recommendation: str) -> JsonObject:
        record = self._at(application, "under_review")
        self._officer(officer, "planner")
        step = {"recommendation": recommendation, "recommended_by": officer, "stage": "recommended"}
        record.update(step)
        return {"application": application, **step}

    def decide(self, application: str, officer: str, decision: str) -> JsonObject:
        record = self._at(application, "recommended")
        self._officer(officer, self._state["permit_types"][record["type"]]["decided_by"])
        if officer == record["recommended_by"]:
            raise Refused(f"{officer} recommended {application} and can't decide it")
        step = {"decision": decision, "decided_by": officer, "stage": "decided"}
        record.update(step)
        return {"application": application, **step}

    def _application(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["applications"].get(name)
        if record is None:
            raise Refused(f"there is no application {name}")
        return record

    def _at(self, name: str, stage: str) -> JsonObject:
        record = self._application(name)
        if record["stage"] != stage:
            raise Refused(f"{name} is at stage {record['stage']}, not {stage}")
        return record

    def _officer(self, name: str, grade: str) -> None:
        record = self._state["officers"].get(name)
        if record is None:
            raise Refused(f"there is no officer {name}")
        if record["grade"] != grade:
            raise Refused(f"{name} has grade {record['grade']}, and {grade} is needed")

    def _today(self) -> date:
        return date.fromisoformat(self._state["now"][:10])

    def _later(self, day: str) -> None:
        try:
            wanted = date.fromisoformat(day)
        except ValueError:
            raise Refused(f"{day} is no day of the form YYYY-MM-DD") from None
        if wanted <= self._today():
            raise Refused(f"{day} is not later than today")
