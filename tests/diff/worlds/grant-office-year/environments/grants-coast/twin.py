"""The register of a grant office."""

from __future__ import annotations

from datetime import date, timedelta

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

UNDER_WAY = ("submitted", "in_review")
LEAST_MEAN, HALVES = 6.0, (10, 100)


def after(text: str, days: int) -> str:
    """The date so many days later."""
    return str(date.fromisoformat(text) + timedelta(days=days))


def checked(text: str) -> str:
    """The text itself; what is no date is refused."""
    try:
        date.fromisoformat(text)
    except ValueError:
        raise Refused(f"{text} is not a date") from None
    return text


class Twin(ToolTwin):
    """The tools of the register."""

    def list_calls(
        self,
        programme: str = "",
        accepting: bool | None = None,
        closes_before: str = "",
        min_ceiling: int = 0,
    ) -> JsonObject:
        if closes_before:
            checked(closes_before)
        wanted = [one["call"] for one in self._state["applications"].values()]
        rows = [
            {"call": name, **{key: one[key] for key in ("programme", "title", "closes", "ceiling")}}
            | {"applications": wanted.count(name)}
            for name, one in self._state["calls"].items()
            if programme in ("", one["programme"])
            and accepting in (None, self._accepts(one))
            and (not closes_before or one["closes"] < closes_before)
            and one["ceiling"] >= min_ceiling
        ]
        return {"calls": rows}

    def list_applications(
        self,
        call: str = "",
        programme: str = "",
        region: str = "",
        status: str = "",
        reviewer: str = "",
        lacking: bool | None = None,
        min_amount: int = 0,
        text: str = "",
    ) -> JsonObject:
        for field, name in (("calls", call), ("reviewers", reviewer)):
            if name:
                self._of(field, name)
        rows = []
        for name, one in self._state["applications"].items():
            applicant = self._of("applicants", one["applicant"])
            if (
                call in ("", one["call"])
                and programme in ("", self._programme(one))
                and region in ("", applicant["region"])
                and status in ("", one["status"])
                and (not reviewer or reviewer in one["reviews"])
                and lacking in (None, one["status"] in UNDER_WAY)
                and one["amount"] >= min_amount
                and any(text.lower() in said.lower() for said in (one["title"], applicant["name"]))
            ):
                facts = ("call", "applicant", "title", "amount", "status")
                rows.append({"application": name, **{key: one[key] for key in facts}})
        return {"count": len(rows), "applications": rows}

    def get_application(self, application: str) -> JsonObject:
        one = self._of("applications", application)
        reviews = [{"reviewer": name, **review} for name, review in one["reviews"].items()]
        wanted = self._of("calls", one["call"])["reviews"] - len(_scores(one))
        return {"application": application, **one, "reviews": reviews, "mean": _mean(one), "wanted": wanted}

    def list_reviewers(self, field: str = "", free: bool | None = None, may_review: str = "") -> JsonObject:
        if may_review:
            self._of("applications", may_review)
        rows = [
            {"reviewer": name, "fields": one["fields"], "limit": one["limit"], "open": self._open(name)}
            for name, one in self._state["reviewers"].items()
            if (not field or field in one["fields"])
            and free in (None, self._free(name))
            and (not may_review or not self._hindrance(may_review, name))
        ]
        return {"reviewers": rows}

    def register_application(self, call: str, applicant: str, title: str, amount: int) -> JsonObject:
        one = self._of("calls", call)
        if not self._accepts(one):
            raise Refused(f"{call} closed on {one['closes']}")
        if self._of("applicants", applicant)["suspended"]:
            raise Refused(f"{applicant} is suspended")
        if amount > one["ceiling"]:
            raise Refused(f"{amount} is above the ceiling of {call}, {one['ceiling']}")
        for name, other in self._state["applications"].items():
            if (other["call"], other["applicant"]) == (call, applicant):
                raise Refused(f"{applicant} has an application to {call} already: {name}")
        name, today = f"A-{self._next('application')}", self._state["today"]
        facts = {"call": call, "applicant": applicant, "title": title, "amount": amount, "received": today}
        rest = {"status": "submitted", "granted": None, "reviews": {}}
        self._state["applications"][name] = {**facts, **rest}
        return {"application": name, "status": "submitted", "received": today}

    def assign_reviewer(self, application: str, reviewer: str) -> JsonObject:
        one = self._of("applications", application)
        self._of("reviewers", reviewer)
        hindrance = self._hindrance(application, reviewer)
        if hindrance:
            raise Refused(hindrance)
        one["reviews"][reviewer] = {"score": None, "on": None}
        one["status"] = "in_review"
        return {"application": application, "reviewers": list(one["reviews"]), "status": "in_review"}

    def enter_score(self, application: str, reviewer: str, score: int) -> JsonObject:
        one = self._of("applications", application)
        self._of("reviewers", reviewer)
        if reviewer not in one["reviews"]:
            raise Refused(f"{reviewer} is not assigned to {application}")
        review = one["reviews"][reviewer]
        if review["score"] is not None:
            raise Refused(f"{reviewer} scored {application} on {review['on']}")
        review.update(score=score, on=self._state["today"])
        if len(_scores(one)) >= self._of("calls", one["call"])["reviews"]:
            one["status"] = "reviewed"
        said = {"application": application, "reviewer": reviewer, "score": score}
        return {**said, "status": one["status"], "mean": _mean(one)}

    def decide(self, application: str, outcome: str, granted: int | None = None) -> JsonObject:
        one = self._of("applications", application)
        if one["status"] != "reviewed":
            raise Refused(f"{application} is {one['status']}; only what is reviewed is decided")
        names: list[str] = []
        one.update(status=outcome, granted=0)
        if outcome == "awarded":
            self._may_award(application, one, granted)
            one["granted"] = granted
            for days in HALVES:
                names.append(f"PY-{self._next('payment')}")
                due = after(self._state["today"], days)
                facts = {"payment": names[-1], "application": application, "amount": one["granted"] // 2}
                self._state["payments"].append({**facts, "due": due, "paid_on": None})
        said = {"application": application, "status": outcome, "granted": one["granted"]}
        return {**said, "payments": names}

    def programme_budget(self, tight: bool | None = None) -> JsonObject:
        rows = [self._budget(name) for name in self._state["programmes"]]
        return {
            "programmes": [
                row for row in rows if tight in (None, row["left"] - row["asked"] < row["reserve"])
            ]
        }

    def list_payments(
        self,
        paid: bool | None = None,
        applicant: str = "",
        programme: str = "",
        late: bool | None = None,
        due_before: str = "",
    ) -> JsonObject:
        if applicant:
            self._of("applicants", applicant)
        if due_before:
            checked(due_before)
        rows = []
        for one in self._state["payments"]:
            application = self._of("applications", one["application"])
            if (
                paid in (None, one["paid_on"] is not None)
                and applicant in ("", application["applicant"])
                and programme in ("", self._programme(application))
                and late in (None, one["paid_on"] is None and one["due"] < self._state["today"])
                and (not due_before or one["due"] < due_before)
            ):
                rows.append(one)
        return {"total": sum(row["amount"] for row in rows), "payments": rows}

    def pay(self, payment: str) -> JsonObject:
        one = next((one for one in self._state["payments"] if one["payment"] == payment), None)
        if one is None:
            raise Refused(f"there is no payment {payment}")
        if one["paid_on"]:
            raise Refused(f"{payment} was paid on {one['paid_on']}")
        if one["due"] > self._state["today"]:
            raise Refused(f"{payment} is due on {one['due']}; today is {self._state['today']}")
        applicant = self._of("applications", one["application"])["applicant"]
        if self._of("applicants", applicant)["suspended"]:
            raise Refused(f"{applicant} is suspended")
        one["paid_on"] = self._state["today"]
        said = {"payment": payment, "applicant": applicant, "amount": one["amount"]}
        return {**said, "paid_on": one["paid_on"]}

    def next_days(self, days: int) -> JsonObject:
        old, new = self._state["today"], after(self._state["today"], days)
        self._state["today"] = new
        closed = [name for name, one in self._state["calls"].items() if old <= one["closes"] < new]
        return {"today": new, "closed": closed}

    def _may_award(self, name: str, one: JsonObject, granted: int | None) -> None:
        mean, programme = _mean(one), self._programme(one)
        if mean is None or mean < LEAST_MEAN:
            raise Refused(f"the mean of {name} is {mean}; an award needs {LEAST_MEAN} or more")
        if self._of("applicants", one["applicant"])["suspended"]:
            raise Refused(f"{one['applicant']} is suspended")
        if granted is None:
            raise Refused("an award needs the sum granted")
        if granted % 2 or granted > one["amount"]:
            raise Refused(f"{granted} is not an even sum of at most {one['amount']}")
        budget = self._budget(programme)
        left = budget["left"] - granted
        if left < budget["reserve"]:
            raise Refused(f"{left} would be left in {programme}, less than its reserve, {budget['reserve']}")

    def _budget(self, name: str) -> JsonObject:
        programme = self._of("programmes", name)
        mine = [one for one in self._state["applications"].values() if self._programme(one) == name]
        committed = sum(one["granted"] or 0 for one in mine)
        asked = sum(one["amount"] for one in mine if one["status"] not in ("awarded", "rejected"))
        row = {"programme": name, "budget": programme["budget"], "committed": committed}
        left = programme["budget"] - committed
        return {**row, "left": left, "asked": asked, "reserve": programme["reserve"]}

    def _hindrance(self, application: str, reviewer: str) -> str:
        one, who = self._of("applications", application), self._of("reviewers", reviewer)
        call = self._of("calls", one["call"])
        if one["status"] not in UNDER_WAY:
            return f"{application} is {one['status']}"
        if call["field"] not in who["fields"]:
            return f"{call['field']} is not a field of {reviewer}"
        if one["applicant"] in who["ties"]:
            return f"{reviewer} has ties to {one['applicant']}"
        if reviewer in one["reviews"]:
            return f"{reviewer} is assigned to {application} already"
        if not self._free(reviewer):
            return f"{reviewer} has {len(self._open(reviewer))} open reviews, and a limit of {who['limit']}"
        if len(one["reviews"]) >= call["reviews"]:
            return f"{application} has {len(one['reviews'])} reviewers, as many as {one['call']} wants"
        return ""

    def _accepts(self, call: JsonObject) -> bool:
        return bool(self._state["today"] <= call["closes"])

    def _free(self, reviewer: str) -> bool:
        return len(self._open(reviewer)) < int(self._of("reviewers", reviewer)["limit"])

    def _open(self, reviewer: str) -> list[str]:
        return [
            name
            for name, one in self._state["applications"].items()
            if reviewer in one["reviews"] and one["reviews"][reviewer]["score"] is None
        ]

    def _programme(self, application: JsonObject) -> str:
        return str(self._of("calls", application["call"])["programme"])

    def _next(self, kind: str) -> int:
        self._state["counters"][kind] += 1
        return int(self._state["counters"][kind])

    def _of(self, field: str, name: str) -> JsonObject:
        if name not in self._state[field]:
            raise Refused(f"there is no {field.removesuffix('s')} {name}")
        record: JsonObject = self._state[field][name]
        return record


def _scores(application: JsonObject) -> list[int]:
    scores = (review["score"] for review in application["reviews"].values())
    return [score for score in scores if score is not None]


def _mean(application: JsonObject) -> float | None:
    scores = _scores(application)
    return round(sum(scores) / len(scores), 1) if scores else None
