"""A branch network with an intruder who reacts to what responders do, and says nothing about it."""

from __future__ import annotations

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

INFECTED = ("memory", "disk")


class Twin(ToolTwin):
    """The tools of the console. What the intruder does shows only when somebody looks."""

    def get_playbook(self) -> JsonObject:
        return {"playbook": self._state["playbook"]}

    def list_alerts(self) -> JsonObject:
        return {"alerts": self._state["alerts"]}

    def inspect_host(self, host: str) -> JsonObject:
        record = self._host(host)
        accounts = {name: self._state["accounts"][name] for name in record["accounts"]}
        return {
            "host": host,
            **record,
            "stolen_accounts": [name for name, one in accounts.items() if one["stolen"]],
            "disabled_accounts": [name for name, one in accounts.items() if not one["enabled"]],
        }

    def capture_evidence(self, host: str, kind: str) -> JsonObject:
        record = self._host(host)
        name = self._next("EV", "next_evidence")
        image = {"host": host, "kind": kind, "contains_implant": record["implant"] == kind}
        self._state["evidence"][name] = image
        record["evidence"].append(name)
        return {"evidence": name, **image}

    def request_approval(self, host: str, reason: str) -> JsonObject:
        if not self._host(host)["needs_approval"]:
            raise Refused(f"{host} needs no approval")
        owner = self._state["owners"][host]
        name = self._next("AP", "next_approval")
        self._state["approvals"][name] = {"host": host, "decision": owner["decision"], "reason": reason}
        return {
            "approval": name,
            "host": host,
            "decision": owner["decision"],
            "by": owner["owner"],
            "note": owner["note"],
        }

    def isolate_host(self, host: str, approval: str = "") -> JsonObject:
        record = self._host(host)
        if record["state"] != "online":
            raise Refused(f"{host} is already isolated")
        if record["needs_approval"] and not self._is_granted(host, approval):
            raise Refused(f"{host} is critical: its isolation needs a granted approval for it")
        was_infected = record["implant"] in INFECTED
        record["state"] = "isolated"
        if record["implant"] == "memory":
            record["implant"] = "erased"
        parent = record["entered_from"]
        if was_infected and parent and self._is_active(parent):
            self._move(self._incident(host), parent)
        return {"host": host, "state": "isolated"}

    def disable_account(self, account: str) -> JsonObject:
        record = self._state["accounts"].get(account)
        if record is None:
            raise Refused(f"there is no account {account}")
        if not record["enabled"]:
            raise Refused(f"{account} is already disabled")
        record["enabled"] = False
        for one in self._state["hosts"].values():
            touched = record["stolen"] and account in one["accounts"]
            if touched and (one["state"], one["implant"]) == ("online", "memory"):
                one["implant"] = "erased"
        return {"account": account, "enabled": False}

    def rebuild_host(self, host: str) -> JsonObject:
        record = self._host(host)
        if record["state"] != "isolated":
            raise Refused(f"{host} is online; only an isolated host can be rebuilt")
        accounts = [self._state["accounts"][name] for name in record["accounts"]]
        is_open = any(one["stolen"] and one["enabled"] for one in accounts)
        record.update(state="online", implant="disk" if is_open else "none")
        return {"host": host, "state": "online"}

    def _host(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["hosts"].get(name)
        if record is None:
            raise Refused(f"there is no host {name}")
        return record

    def _next(self, prefix: str, counter: str) -> str:
        number = self._state[counter]
        self._state[counter] = number + 1
        return f"{prefix}-{number}"

    def _is_granted(self, host: str, approval: str) -> bool:
        record = self._state["approvals"].get(approval)
        return record is not None and (record["host"], record["decision"]) == (host, "granted")

    def _is_active(self, host: str) -> bool:
        record = self._state["hosts"][host]
        return record["state"] == "online" and record["implant"] in INFECTED

    def _incident(self, host: str) -> str:
        for alert in self._state["alerts"]:
            if alert["host"] == host and alert["incident"]:
                return str(alert["incident"])
        return self._incident(self._state["hosts"][host]["entered_from"])

    def _move(self, incident: str, parent: str) -> None:
        """The intruder, cornered at one end of the chain, goes from `parent` to the next clean host."""
        for name in self._state["incidents"][incident]["spread_to"]:
            record = self._state["hosts"][name]
            if (record["state"], record["implant"]) == ("online", "none"):
                record.update(implant="disk", entered_from=parent)
                alert = {"alert": self._next("AL", "next_alert"), "incident": incident, "host": name}
                alert |= {"kind": "unsigned service installed", "at": self._state["now"]}
                self._state["alerts"].append(alert)
                return
