"""Run by build/oracle: reads cases as JSON, and writes what Inspect AI and krippendorff make of them."""

from __future__ import annotations

import json
import sys
from typing import Any

import krippendorff
from inspect_ai.scorer import SampleScore, Score, ci_wilson, pass_at, pass_k, stderr


def scores(groups: list[list[float]]) -> list[SampleScore]:
    """One score a task, with its scenario as the cluster."""
    return [
        SampleScore(score=Score(value=value), sample_metadata={"scenario": f"s{number}"})
        for number, group in enumerate(groups)
        for value in group
    ]


def answers(cases: dict[str, Any]) -> dict[str, Any]:
    """What the two packages say of each case, in the order of the cases."""
    intervals, errors = [], []
    for case in cases["clustered"]:
        limits: Any = ci_wilson(level=case["level"], cluster="scenario")(scores(case["groups"]))
        intervals.append([limits["lower"], limits["upper"]])
        errors.append(stderr(cluster="scenario")(scores(case["groups"])))
    plain = [
        list(dict(ci_wilson()(scores([[1.0] * k + [0.0] * (n - k)]))).values()) for k, n in cases["plain"]
    ]
    repeats = []
    for n, c, k in cases["repeats"]:
        trials = [Score(value=1.0)] * c + [Score(value=0.0)] * (n - c)
        repeats.append([reducer(k)(trials).as_float() for reducer in (pass_k, pass_at)])
    # One column a trial, one row a vote's place; a missing vote is not a number here.
    alphas = [
        krippendorff.alpha(
            reliability_data=[[float("nan") if vote is None else vote for vote in place] for place in votes],
            level_of_measurement="nominal",
        )
        for votes in cases["votes"]
    ]
    return {"clustered": intervals, "errors": errors, "plain": plain, "repeats": repeats, "alphas": alphas}


if __name__ == "__main__":
    json.dump(answers(json.load(sys.stdin)), sys.stdout)
