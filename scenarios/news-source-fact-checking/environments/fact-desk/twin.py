"""A fact-checking desk: sources copy one another, claims collect evidence, and a gate stands before publication."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

STANCE = {"confirmed": "supports", "refuted": "contradicts"}


class Twin(ToolTwin):
    """The tools of the desk. Who copies whom, and who took a report back, is for the checker to weigh."""

    def get_article(self, article: str) -> JsonObject:
        record = self._article(article)
        claims = [
            {"claim": name, **{key: value for key, value in one.items() if key != "article"}}
            for name, one in self._claims_of(article)
        ]
        return {"article": article, **record, "claims": claims}

    def search_sources(self, claim: str) -> JsonObject:
        self._claim(claim)
        found = [
            {"source": name, **{key: one[key] for key in ("name", "kind", "published")}}
            for name, one in self._state["sources"].items()
            if one["claim"] == claim
        ]
        return {"claim": claim, "sources": found}

    def get_source(self, source: str) -> JsonObject:
        return {"source": source, **self._source(source)}

    def link_evidence(self, claim: str, sources: list[str], stance: str) -> JsonObject:
        record = self._editable(claim)
        if record["verdict"] != "open":
            raise Refused(f"{claim} is already {record['verdict']}")
        for name in sources:
            about = self._source(name)["claim"]
            if about != claim:
                raise Refused(f"{name} is about {about}, not about {claim}")
            if any(one["source"] == name for one in record["evidence"]):
                raise Refused(f"{name} is already linked to {claim}")
            record["evidence"].append({"source": name, "stance": stance})
        return {"claim": claim, "stance": stance, "linked": sources}

    def set_verdict(self, claim: str, verdict: str) -> JsonObject:
        record = self._editable(claim)
        if record["verdict"] != "open":
            raise Refused(f"{claim} is already {record['verdict']}")
        stance, needed = STANCE.get(verdict), self._state["needed_sources"]
        linked = sum(one["stance"] == stance for one in record["evidence"])
        if stance is not None and linked < needed:
            raise Refused(f"{needed} sources that say so are needed for {verdict}, and {claim} has {linked}")
        record["verdict"] = verdict
        return {"claim": claim, "verdict": verdict}

    def amend_claim(self, claim: str, action: str, text: str = "") -> JsonObject:
        record = self._editable(claim)
        if record["treatment"] != "kept":
            raise Refused(f"{claim} is already {record['treatment']}")
        allowed = ("refuted",) if action == "correct" else ("refuted", "unproven")
        if record["verdict"] not in allowed:
            raise Refused(
                f"{claim} is {record['verdict']}; to {action} it, it must be {' or '.join(allowed)}"
            )
        if action == "correct":
            if not text.strip():
                raise Refused("a correction needs a text")
            record["text"] = text
        record["treatment"] = "corrected" if action == "correct" else "struck"
        return {"claim": claim, "treatment": record["treatment"], "text": record["text"]}

    def publish_article(self, article: str) -> JsonObject:
        record = self._article(article)
        if record["status"] == "published":
            raise Refused(f"{article} is already published")
        for name, one in self._claims_of(article):
            if one["verdict"] == "open":
                raise Refused(f"{name} has no verdict yet")
            if one["verdict"] != "confirmed" and one["treatment"] == "kept":
                raise Refused(f"{name} is {one['verdict']} and still stands in the article")
        record["status"] = "published"
        return {"article": article, "status": "published"}

    def _article(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["articles"].get(name)
        if record is None:
            raise Refused(f"there is no article {name}")
        return record

    def _claims_of(self, article: str) -> Iterator[tuple[str, JsonObject]]:
        return (pair for pair in self._state["claims"].items() if pair[1]["article"] == article)

    def _claim(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["claims"].get(name)
        if record is None:
            raise Refused(f"there is no claim {name}")
        return record

    def _editable(self, name: str) -> JsonObject:
        record = self._claim(name)
        if self._article(record["article"])["status"] == "published":
            raise Refused(f"{record['article']} is published and can't be changed")
        return record

    def _source(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["sources"].get(name)
        if record is None:
            raise Refused(f"there is no source {name}")
        return record
