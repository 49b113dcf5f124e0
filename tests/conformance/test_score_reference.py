"""All 17 reference cases of score, read from the notes: every expected number, not only those that we thought of.

The same numbers stand in tests/score/stats beside what they are about, so that a lone clone tests them too.
"""

from __future__ import annotations

import json
import os
from itertools import combinations, product
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from replaylab.score.stats.agreement import agreement
from replaylab.score.stats.bootstrap import Floats, percentile, resums
from replaylab.score.stats.grim import joint, possible
from replaylab.score.stats.groups import sums
from replaylab.score.stats.interval import clustered, clustered_se, exact, newcombe, wilson
from replaylab.score.stats.judge import (
    fleiss,
    flip,
    flip_correlated,
    krippendorff,
    rogan_gladen,
    split,
)
from replaylab.score.stats.many import bh, holm
from replaylab.score.stats.margins import mcnemar_bounds
from replaylab.score.stats.omnibus import cochran_q
from replaylab.score.stats.paired import mcnemar, paired
from replaylab.score.stats.power import least_difference, mcnemar_power, unpaired_power
from replaylab.score.stats.ranks import rank_intervals
from replaylab.score.stats.repeats import pass_all, pass_any
from replaylab.score.stats.robustness import _ratio, katz
from replaylab.score.stats.spread import anova, design_effect, empirical_design_effect, kish
from replaylab.score.value import Interval

REPO = Path(__file__).resolve().parents[2]
Case = dict[str, Any]


def limits(interval: Interval | None) -> list[float]:
    assert interval is not None
    return [interval.low, interval.high]


def every_resample(clusters: int) -> Floats:
    ways = product(range(clusters), repeat=clusters)
    return np.array([np.bincount(way, minlength=clusters) for way in ways], dtype=np.float64)


def rc01(given: Case) -> Case:
    return {
        f"{k}/{n}": {"rate": k / n, "wilson": limits(wilson(k, n)), "clopper_pearson": limits(exact(k, n))}
        for k, n in given["k_n"]
    }


def rc02(given: Case) -> Case:
    groups = list(given["scenarios"].values())
    found, se = sums(groups), clustered_se(groups)
    assert found is not None
    assert se is not None
    return {
        "n": found.n,
        "clusters": found.clusters,
        "rate": found.mean,
        "se_naive_ddof1": sqrt(found.within / (found.n - 1) / found.n),
        "se_cluster_no_correction (Miller 2024 eq.)": sqrt(found.spread) / found.n,
        "se_cluster_times_sqrt(C/(C-1)) (Inspect AI)": se,
        "n_eff": found.mean * (1 - found.mean) / se**2,
        "wilson_korn_graubard": limits(clustered(groups)),
    }


def rc03(given: Case) -> Case:
    found = mcnemar(given["only_A_passes"], given["only_B_passes"])
    return {"exact_p": found.exact, "mid_p": found.mid, "chi2_cc": found.chi2, "chi2_cc_p": found.chi2_p}


def rc04(given: Case) -> Case:
    return {f"{k1} vs {k2} of {n}": mcnemar_bounds(k1, k2, n) for k1, k2, n in given["triples_k1_k2_n"]}


def rc05(given: Case) -> Case:
    a, b = zip(*given["scenarios_A_B"].values(), strict=True)
    found = paired(a, b, seed=1)
    return {
        "diff": found.difference,
        "scenario_diffs": [sum(x) - sum(y) for x, y in zip(a, b, strict=True)],
        "perm_p_two_sided_exact_64": found.p,
        "se_diff_cluster_C/(C-1)": found.se,
        "t": found.t,
        "t_p_df5": found.t_p,
        "discordant_b_c": [found.only_a, found.only_b],
        "mcnemar_exact_p_ignoring_clusters": found.mcnemar.exact,
    }


def rc06(given: Case) -> Case:
    totals = np.array(list(given["k_n_per_scenario"].values()), dtype=np.float64)
    drawn = resums(totals, every_resample(len(totals)))
    rates = drawn[:, 0] / drawn[:, 1]
    low, high = percentile(rates)
    return {
        "rate": totals[:, 0].sum() / totals[:, 1].sum(),
        "boot_mean": rates.mean(),
        "boot_se_population_sd": rates.std(),
        "percentile_2.5_inverted_cdf": low,
        "percentile_97.5_inverted_cdf": high,
        "n_distinct_values": len(np.unique(rates.round(12))),
    }


def rc07(given: Case) -> Case:
    strict, loose = holm(given["p"]), bh(given["p"])
    return {
        "holm": strict,
        "bh": loose,
        "reject_holm_05": sum(p <= 0.05 for p in strict),
        "reject_bh_05": sum(p <= 0.05 for p in loose),
    }


def rc08(given: Case) -> Case:
    table = np.array(list(given["per_scenario_n_E0_E1_E2_E3"].values()), dtype=np.float64)
    passed = table[:, 1:]
    totals = np.stack([passed, np.broadcast_to(table[:, :1], passed.shape)], axis=-1)
    values = _ratio(resums(totals, every_resample(len(table))))
    r = float(_ratio(totals.sum(axis=0)[None])[0])
    low, high = percentile(values)
    counts = given["counts_only"]
    return {
        "totals_E0_E1_E2_E3": passed.sum(axis=0).tolist(),
        "R": r,
        "boot_mean": values.mean(),
        "bias_of_min": values.mean() - r,
        "percentile_2.5_inverted_cdf": low,
        "percentile_97.5_inverted_cdf": high,
        "katz_R": counts["min"] / counts["E0"],
        "katz_95": limits(katz(counts["min"], counts["E0"], counts["n"])),
    }


def rc09(given: Case) -> Case:
    found = {}
    for a, b in combinations(("gemini", "qwen", "gpt"), 2):
        one = agreement(given[a], given[b])
        found[f"{a}_{b}"] = {
            "concordant": one.concordant,
            "discordant": one.discordant,
            "tied": one.tied,
            "agreement_ties_count_as_disagreement": one.share,
            "agreement_ties_count_half": one.half,
            "tau_b": one.tau_b,
            "tau_exact_p_two_sided" if one.p_method == "exact" else "tau_permutation_p_two_sided": one.p,
        }
    return found


def rc10(given: Case) -> Case:
    groups, sizes = list(given["scenarios"].values()), given["occubench_cluster_sizes"]
    found = anova(groups)
    published = anova([[float(n % 2) for n in range(size)] for size in sizes])
    assert found is not None
    assert published is not None
    kish_m = kish(sizes)
    effects = {icc: design_effect(icc, kish_m) for icc in (0.1, 0.2)}
    return {
        "msb": found.between,
        "msw": found.within,
        "n0": found.size,
        "icc": found.icc,
        "F": found.f,
        "deff_empirical_(se_cluster/se_srs)^2": empirical_design_effect(groups),
        "toy_kish_m": kish([len(group) for group in groups]),
        "occubench_kish_m": kish_m,
        "occubench_n0": published.size,
        **{f"occubench_deff_icc_{icc}": effect for icc, effect in effects.items()},
        **{f"occubench_neff_icc_{icc}": sum(sizes) / effect for icc, effect in effects.items()},
    }


def rc11(given: Case) -> Case:
    together, votes, judge = given["beta_binomial"], given["votes"], given["rogan_gladen"]
    return {
        "majority_flip": {str(error): flip(error, 3) for error in given["vote_error"]},
        "beta_binomial_flip": flip_correlated(together["e"], together["rho"], 3),
        "beta_binomial_split_rate": split(together["e"], 3, together["rho"]),
        "iid_split_rate_e_0.1": split(0.1, 3),
        "votes_majority_rate": sum(sum(row) >= 2 for row in votes) / len(votes),
        "votes_split_rate": sum(len(set(row)) > 1 for row in votes) / len(votes),
        "fleiss_kappa": fleiss(votes),
        "krippendorff_alpha": krippendorff(votes),
        "rogan_gladen": rogan_gladen(judge["observed"], judge["sensitivity"], judge["specificity"]),
    }


def rc12(given: Case) -> Case:
    n, kish_m = given["n"], 4.90052356
    effects = {f"{design_effect(icc, kish_m):.3f}": design_effect(icc, kish_m) for icc in (0.0, 0.1, 0.2)}
    return {
        "mde": {
            f"discordance {share}, deff {text}": least_difference(
                n, share, effect, given["power"], given["alpha"]
            )
            for share in (0.15, 0.25, 0.35)
            for text, effect in effects.items()
        },
        "mcnemar_exact_power_p10_.16_p01_.09": mcnemar_power(n, 0.16, 0.09, given["alpha"]),
        "unpaired_power_70_v_65": unpaired_power(0.7, 0.65, n, given["alpha"]),
    }


def rc13(given: Case) -> Case:
    return {
        f"n{n} c{c} k{k}": {"pass_hat_k": float(pass_all(n, c, k)), "pass_at_k": float(pass_any(n, c, k))}
        for n, c, k in given["n_c_k"]
    }


def rc14(given: Case) -> Case:
    texts = {name: text for name, (text, _) in given["row"].items()}
    ns = {name: n for name, (_, n) in given["row"].items()}
    found = joint("79.6", texts, ns)
    changed = [{name: f"{k}/{n}" for name, (k, n) in way.items()} for way in found.changed]
    assert all(sum(k for k, _ in row.values()) == given["row_total"] for row in found.solutions)
    return {
        "attainable_k": {f"{text}% of {n}": possible(text, n) for text, n in given["cells"]},
        "row_solutions_with_0_missing": joint("79.6", texts, ns, missing=0).ways,
        "row_solutions_with_1_missing": joint("79.6", texts, ns, missing=1).ways,
        "min_missing": found.missing,
        "minimal_solutions_changed_cells": sorted(changed, key=str),
    }


def rc15(given: Case) -> Case:
    k1, k2, n = given["k1"], given["k2"], given["n"]
    return {"diff": (k1 - k2) / n, "newcombe_95": limits(newcombe(k1, n, k2, n))}


def rc16(given: Case) -> Case:
    scores, ps = given["scores"], given["pairwise_p"]
    adjusted = dict(zip(ps, holm(list(ps.values())), strict=True))
    pairs = {}
    for pair, p in adjusted.items():
        a, b = pair.split("|")
        pairs[a, b] = (scores[a] - scores[b], p)
    return {"holm": adjusted, "rank_interval": rank_intervals(list(scores), pairs)}


def rc17(given: Case) -> Case:
    q, p = cochran_q(given["task_by_model"])
    return {"Q": q, "df": len(given["task_by_model"][0]) - 1, "p": p}


ANSWERS = {
    f"RC{number:02}": answer
    for number, answer in enumerate(
        (
            rc01,
            rc02,
            rc03,
            rc04,
            rc05,
            rc06,
            rc07,
            rc08,
            rc09,
            rc10,
            rc11,
            rc12,
            rc13,
            rc14,
            rc15,
            rc16,
            rc17,
        ),
        1,
    )
}

# A number that is worse than the chosen one, and a step on the way to an interval.
NOT_OURS = {"scipy_asymptotic_p", "t_crit"}


def differences(expected: object, found: object, tolerance: float, at: str = "") -> list[str]:
    """Each number of `expected` that `found` doesn't have, by its place."""
    if isinstance(expected, dict):
        assert isinstance(found, dict), at
        assert set(expected) - NOT_OURS == set(found), at
        return [d for key in found for d in differences(expected[key], found[key], tolerance, f"{at}/{key}")]
    if isinstance(expected, list):
        assert isinstance(found, list | tuple), at
        assert len(expected) == len(found), at
        numbered = zip(expected, found, strict=True)
        return [d for n, (e, f) in enumerate(numbered) for d in differences(e, f, tolerance, f"{at}/{n}")]
    if isinstance(expected, str):
        return [] if found == expected else [f"{at}: {found!r}, not {expected!r}"]
    assert isinstance(expected, int | float), at
    close = isinstance(found, int | float) and abs(found - expected) <= tolerance * max(1, abs(expected))
    return [] if close else [f"{at}: {found!r}, not {expected!r}"]


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    folder = Path(os.environ.get("REPLAYLAB_SHARED", REPO.parent / "shared"))
    file = folder / "notes" / "score_reference_cases.json"
    if not file.is_file():
        pytest.skip(f"no reference cases at {file}: set REPLAYLAB_SHARED. READ FROM tests/score/stats ONLY.")
    return {case["id"]: case for case in json.loads(file.read_text("utf-8"))["cases"]}


def test_every_case_of_the_notes_is_tested_here(cases: dict[str, Case]) -> None:
    assert set(cases) == set(ANSWERS)


@pytest.mark.parametrize("name", ANSWERS)
def test_every_expected_number_is_ours(cases: dict[str, Case], name: str) -> None:
    case = cases[name]
    found = ANSWERS[name](case["inputs"])
    expected = case["expected"]
    if name == "RC14":  # the order of the ways is no part of the case
        ways = expected["minimal_solutions_changed_cells"]
        expected = {**expected, "minimal_solutions_changed_cells": sorted(ways, key=str)}
    assert differences(expected, found, case["tolerance"]) == []


def test_a_number_that_is_off_by_more_than_the_tolerance_is_seen() -> None:
    assert differences({"a": [1.0, {"b": 2.0}]}, {"a": [1.0, {"b": 2.0 + 3e-6}]}, 1e-6)
    assert not differences({"a": [1.0, {"b": 2.0}]}, {"a": [1.0, {"b": 2.0 + 1e-7}]}, 1e-6)
