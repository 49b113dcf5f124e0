"""The custody register of a gene bank."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject


class Twin(ToolTwin):
    """The tools of the register."""

    def list_accessions(
        self, vault: str | None = None, status: str | None = None, viability_below: float | None = None
    ) -> JsonObject:
        shelves = self._vault(vault)["shelves"] if vault is not None else None
        rows = [
            {key: one[key] for key in ("accession", "genus", "shelf", "status")}
            for one in self._state["accessions"]
            if (shelves is None or one["shelf"] in shelves)
            and (status is None or one["status"] == status)
            and (
                viability_below is None
                or (one["viability"] is not None and one["viability"] < viability_below)
            )
        ]
        return {"count": len(rows), "accessions": rows}

    def get_accession(self, accession: str) -> JsonObject:
        return self._accession(accession)

    def list_shelves(self, vault: str) -> JsonObject:
        record = self._vault(vault)
        on = [one["shelf"] for one in self._state["accessions"]]
        shelves = [
            {"shelf": name, "trays": shelf["trays"], "accessions": on.count(name)}
            for name, shelf in record["shelves"].items()
        ]
        return {"vault": vault, "set_point_c": record["set_point_c"], "shelves": shelves}

    def log_test(self, accession: str, viability: int) -> JsonObject:
        one = self._accession(accession)
        if one["packets"] < 2:
            raise Refused(f"{accession} has {one['packets']} packet; a test needs at least 2")
        one.update(viability=viability, packets=one["packets"] - 1)
        one["status"] = "regenerate" if viability < 85 else "active"
        return {key: one[key] for key in ("accession", "viability", "status", "packets")}

    def withdraw(self, accession: str, packets: int, receiver: str) -> JsonObject:
        one = self._accession(accession)
        if one["status"] == "quarantine":
            raise Refused(f"{accession} is under quarantine")
        left = one["packets"] - packets
        if left < 30:
            raise Refused(f"{accession} would have {left} packets left; at least 30 have to remain")
        one["packets"] = left
        row = {"accession": accession, "packets": packets, "receiver": receiver}
        self._state["withdrawals"].append(row)
        return {"accession": accession, "packets_left": left}

    def custody_report(self) -> JsonObject:
        groups: JsonObject = {}
        for one in self._state["accessions"]:
            group = groups.setdefault(one["genus"], {"accessions": 0, "packets": 0})
            group["accessions"] += 1
            group["packets"] += one["packets"]
        return {"by_genus": groups, "withdrawals": self._state["withdrawals"]}

    def _vault(self, name: str) -> JsonObject:
        if name not in self._state["vaults"]:
            raise Refused(f"there is no vault {name}")
        record: JsonObject = self._state["vaults"][name]
        return record

    def _accession(self, name: str) -> JsonObject:
        for one in self._state["accessions"]:
            if one["accession"] == name:
                found: JsonObject = one
                return found
        raise Refused(f"there is no accession {name}")
