"""A namespace whose measured load reacts to its replicas, within a CPU quota and a database pool."""

from __future__ import annotations

from fractions import Fraction
from math import ceil

from replaylab.catalogue.twin import Refused, ToolTwin
from replaylab.schema.base import JsonObject

LATENCIES = ((70, 120), (85, 190), (100, 420))
SLOWEST = 1500
SHOWN = ("replicas", "request_m", "limit_m", "connections_per_pod", "floor", "autoscaler")


class Twin(ToolTwin):
    """The tools of the control plane. Utilisation follows from traffic, pods and what the upstream serves."""

    def list_deployments(self) -> JsonObject:
        deployments = self._state["deployments"].items()
        return {
            "cycle": self._state["cycle"],
            "deployments": [
                {"deployment": name, **{key: one[key] for key in SHOWN}} for name, one in deployments
            ],
        }

    def get_metrics(self, deployment: str) -> JsonObject:
        record = self._deployment(deployment)
        utilization = self._utilization(deployment)
        connections = record["replicas"] * record["connections_per_pod"]
        return {
            "deployment": deployment,
            "replicas": record["replicas"],
            "pending": record["wanted"] - record["replicas"],
            "utilization_percent": _rounded(utilization),
            "served_rps": _rounded(self._served(deployment)),
            "saturated": self._served(deployment) < self._load(deployment),
            "p95_ms": next((ms for most, ms in LATENCIES if utilization <= most), SLOWEST),
            "db_connections": connections,
            "errors_percent": _rounded(self._errors()) if connections else 0,
        }

    def get_quota(self) -> JsonObject:
        return {
            "namespace": self._state["namespace"],
            "cpu_quota_m": self._state["cpu_quota_m"],
            "cpu_used_m": self._used(),
            "db_pool_limit": self._state["db_pool_limit"],
            "db_connections": self._connections(),
        }

    def set_autoscaler(self, deployment: str, min: int, max: int, target_percent: int) -> JsonObject:  # noqa: A002
        record = self._deployment(deployment)
        if record["autoscaler"] is None:
            raise Refused(f"{deployment} has no autoscaler")
        if min > max:
            raise Refused(f"min {min} is more than max {max}")
        if min < record["floor"]:
            raise Refused(f"min {min} is below the floor of {record['floor']}")
        record["autoscaler"] = {"min": min, "max": max, "target_percent": target_percent}
        return {"deployment": deployment, **record["autoscaler"]}

    def set_replicas(self, deployment: str, replicas: int) -> JsonObject:
        record = self._deployment(deployment)
        if record["autoscaler"] is not None:
            raise Refused(f"{deployment} has an autoscaler, which would undo it")
        self._admit((replicas - record["replicas"]) * record["request_m"])
        record.update(replicas=replicas, wanted=replicas)
        return {"deployment": deployment, "replicas": replicas}

    def set_resources(self, deployment: str, request_m: int, limit_m: int) -> JsonObject:
        record = self._deployment(deployment)
        if record["autoscaler"] is None:
            raise Refused(f"the pods of {deployment} have a fixed size")
        if not request_m <= limit_m <= request_m * 3 / 2:
            raise Refused("limit_m lies between request_m and one and a half times as much")
        self._admit((request_m - record["request_m"]) * record["replicas"])
        record.update(request_m=request_m, limit_m=limit_m)
        return {"deployment": deployment, "request_m": request_m, "limit_m": limit_m}

    def run_cycle(self, cycle: int) -> JsonObject:
        if cycle != self._state["cycle"] + 1:
            raise Refused(f"the next cycle is {self._state['cycle'] + 1}")
        scaled = []
        wanted = {name: self._wanted(name) for name in self._state["deployments"]}
        for name, record in self._state["deployments"].items():
            if record["autoscaler"] is None:
                continue
            before = record["replicas"]
            room = (self._state["cpu_quota_m"] - self._used()) // record["request_m"]
            record.update(replicas=min(wanted[name], before + room), wanted=wanted[name])
            scaled.append(
                {"deployment": name, "from": before, "to": record["replicas"], "wanted": wanted[name]}
            )
        self._state["cycle"] = cycle
        return {"cycle": cycle, "scaled": scaled}

    def _deployment(self, name: str) -> JsonObject:
        record: JsonObject | None = self._state["deployments"].get(name)
        if record is None:
            raise Refused(f"there is no deployment {name}")
        return record

    def _load(self, name: str) -> Fraction:
        record = self._deployment(name)
        if record["cost_m_per_rps"] is None:
            return Fraction(0)
        if record["upstream"] is None:
            return Fraction(self._state["traffic_rps"])
        return self._served(record["upstream"]) * Fraction(str(record["ratio"]))

    def _served(self, name: str) -> Fraction:
        record = self._deployment(name)
        if record["cost_m_per_rps"] is None:
            return Fraction(0)
        most = Fraction(record["replicas"] * record["limit_m"], record["cost_m_per_rps"])
        return min(self._load(name), most)

    def _utilization(self, name: str) -> Fraction:
        record = self._deployment(name)
        if record["cost_m_per_rps"] is None:
            return Fraction(100)
        used = self._served(name) * record["cost_m_per_rps"]
        return used * 100 / (record["replicas"] * record["request_m"])

    def _wanted(self, name: str) -> int:
        record = self._deployment(name)
        scaler = record["autoscaler"]
        if scaler is None:
            return int(record["replicas"])
        aim = ceil(record["replicas"] * self._utilization(name) / scaler["target_percent"])
        return int(max(scaler["min"], min(scaler["max"], aim, 2 * record["replicas"])))

    def _used(self) -> int:
        return sum(one["replicas"] * one["request_m"] for one in self._state["deployments"].values())

    def _connections(self) -> int:
        return sum(
            one["replicas"] * one["connections_per_pod"] for one in self._state["deployments"].values()
        )

    def _errors(self) -> Fraction:
        beyond = max(0, self._connections() - self._state["db_pool_limit"])
        return Fraction(beyond * 100, max(1, self._connections()))

    def _admit(self, more_m: int) -> None:
        free = self._state["cpu_quota_m"] - self._used()
        if more_m > free:
            raise Refused(f"the quota has {free} m free, and {more_m} m more are needed")


def _rounded(value: Fraction) -> int | float:
    shown = round(float(value), 1)
    return int(shown) if shown == int(shown) else shown
