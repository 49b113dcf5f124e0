from __future__ import annotations

from replaylab.score.cells import groups, task_means
from replaylab.score.facts import Study
from replaylab.score.footer import Family, Foot, declared_notes, footer, played_notes
from replaylab.score.slices import slices
from replaylab.score.stats.power import least_difference
from replaylab.score.stats.spread import design_effect, icc, kish
from replaylab.score.value import Layout
from tests.score.studies import Outcomes, model, study


def under(held: Study, foot: Foot | None = None, layout: Layout = "full") -> str:
    sliced = slices(held)
    rated = [sliced.reference(agent=agent) for agent in held.agents]
    return "\n".join(footer(sliced, rated, foot or Foot(), layout))


# Two scenarios of 4 tasks that go together, five more of one or two.
TOGETHER: dict[str, Outcomes] = {
    "s1": "pppp",
    "s2": "ffff",
    "s3": "pf",
    "s4": "p",
    "s5": "pp",
    "s6": "f",
    "s7": "f",
}


def test_the_denominator_rule_comes_first() -> None:
    assert under(study({"ann": {"s1": "p"}})).startswith("Denominator: planned trials. An errored or missing")
    assert under(study({"ann": {"s1": "p"}}, denominator="decided")).startswith("Denominator: decided trials")


def test_declared_denominators_of_these_cells_are_named_and_no_others() -> None:
    held = study({"ann": {"s1": "pp"}}, declared={"ann|all": 2, "ann|edu": 3, "bob|all": 4})
    assert declared_notes(held, ["ann|all", "ann|sci", "bob|all"]) == [
        "Declared denominators: ann|all = 2, bob|all = 4. Tests don't use them."
    ]
    assert declared_notes(held, ["ann|sci"]) == []
    assert "Declared denominators: ann|edu = 3." in under(held, Foot(declared=["ann|edu"]))


def test_what_is_fixed_is_named_only_where_the_study_has_several() -> None:
    assert "Condition:" not in under(study({"ann": {"s1": "p"}}))
    held = study({"ann": {"s1": "p"}, "ann|E1": {"s1": "p"}, "ann|E0|sim|other": {"s1": "p"}})
    assert "Condition: verifier judge, faults E0." in under(held)


def test_repeats_are_said_with_their_number() -> None:
    assert "Repeats" not in under(study({"ann": {"s1": "pp"}, "bob": {"s1": "pp"}}))
    assert "Repeats: 2 trials a task." in under(study({"ann": {"s1": ["pp", "pf"]}}))
    assert "Repeats: 1 to 3 trials a task." in under(study({"ann": {"s1": ["ppp", "p"]}}))


def test_clusters_icc_design_effect_and_least_difference_are_those_of_the_statistics() -> None:
    held = study({"ann": TOGETHER})
    text = under(held)
    outcomes = groups(task_means(held.trials, "planned"))
    found = icc(outcomes)
    assert found is not None
    assert found > 0.5
    size = kish([4, 4, 2, 1, 2, 1, 1])
    effect = design_effect(found, size)
    assert "Clusters: 7 scenarios with 15 tasks; 95 % intervals allow for them." in text
    assert f"ICC {found:.2f}; {size:.2f} tasks a cluster (Kish); design effect {effect:.2f}." in text
    least = 100 * least_difference(15, design_effect=effect)
    assert f"on the same 15 tasks: {least:.1f} points" in text
    assert least > 100 * least_difference(15)


def test_the_icc_of_several_agents_is_their_mean_and_its_range_is_given() -> None:
    opposite: dict[str, Outcomes] = {name: "pf" * (len(text) // 2) or "p" for name, text in TOGETHER.items()}
    held = study({"ann": TOGETHER, "bob": opposite})
    values = [
        icc(groups(task_means([t for t in held.trials if t.agent == a], "planned"))) for a in held.agents
    ]
    low, high = sorted(value for value in values if value is not None)
    assert f"ICC {(low + high) / 2:.2f} (mean over 2 agents, {low:.2f} to {high:.2f})" in under(held)


def test_the_icc_says_of_how_many_it_is() -> None:
    text = under(study({"ann": TOGETHER, "bob": dict.fromkeys(TOGETHER, "p")}))
    assert "(mean over 1 of 2 agents, " in text


def test_an_icc_that_can_not_be_estimated_is_said() -> None:
    text = under(study({"ann": {f"s{n}": "p" for n in range(8)}}))
    assert "ICC: can't be estimated here" in text
    assert f"8 tasks: {100 * least_difference(8):.1f} points" in text


def test_one_scenario_carries_no_test() -> None:
    text = under(study({"ann": {"s1": "ppff"}}))
    assert "Clusters: 1 scenario with 4 tasks. No slice has more than one" in text
    assert "Not testable: with 1 scenario no p can be below 1; 6 would have to differ." in text
    assert "Least detectable" not in text


def test_five_scenarios_carry_no_test_and_six_do() -> None:
    text = under(study({"ann": {f"s{n}": "pf" for n in range(5)}}))
    assert "Not testable: with 5 scenarios no p can be below 0.0625" in text
    told = under(study({"ann": {"s1": "pf"}}), Foot(family=Family(tests=0, of="pairs", untestable=1)))
    assert told.count("Not testable") == 1
    assert "Least detectable" not in text
    text = under(study({"ann": {f"s{n}": "pf" for n in range(6)}}))
    assert "Not testable" not in text
    assert "Least detectable difference of two agents on the same 12 tasks" in text


def test_a_table_that_compares_nothing_has_no_least_difference() -> None:
    assert "Least detectable" not in under(study({"ann": TOGETHER}), Foot(compares=False))
    assert "of two plans" in under(study({"ann": TOGETHER}), Foot(each="plans"))


def test_the_family_and_what_could_not_be_tested_are_counted() -> None:
    held = study({"ann": TOGETHER})
    text = under(held, Foot(family=Family(tests=3, of="all pairs", untestable=2)))
    assert "p adjusted by Holm in one family of 3 tests: all pairs." in text
    assert "Not testable: 2 of 5 comparisons" in text
    assert "Holm" not in under(held)
    assert "Holm" not in under(held, Foot(family=Family(tests=0, of="all pairs", untestable=2)))


def test_resampling_names_draws_and_seed_and_warns_of_few_scenarios() -> None:
    held = study({"ann": {f"s{n:02}": "p" for n in range(30)}}, seed=7, draws=500)
    text = under(held, Foot(drawn=True))
    assert "Scenarios resampled 500 times, the same for all of them; seed 7." in text
    assert "too narrow" not in text
    few = study({"ann": {f"s{n:02}": "p" for n in range(29)}})
    assert "29 scenarios are few for resampling" in under(few, Foot(drawn=True))
    assert "resampled" not in under(few)


def test_evidence_is_always_named() -> None:
    held = study({"ann": {"s1": "p"}})
    assert "Evidence: recorded." in under(held)
    for layout in ("full", "paper"):
        authored = held.model_copy(update={"evidence": "authored"})
        assert "Evidence: authored. These verdicts were written down" in under(authored, layout=layout)
    assert "Evidence: imported" in under(held.model_copy(update={"evidence": "imported"}))


def test_programs_and_humans_are_named_with_their_roles_in_both_layouts() -> None:
    models = {
        "ann": model("ann", player="program"),
        "sim": model("sim", player="program"),
        "judge": model("judge", player="human"),
    }
    held = study({"ann": {"s1": "p"}, "bob": {"s1": "p"}}, models=models)
    for layout in ("full", "paper"):
        text = under(held, layout=layout)
        assert "Played by programs, not LLMs: ann (agent), sim (simulator)." in text
        assert "Played by humans: judge (verifier)." in text
    assert played_notes(held, [trial for trial in held.trials if trial.agent == "bob"])[0].endswith(
        "LLMs: sim (simulator)."
    )


def test_the_paper_layout_keeps_the_rule_what_was_declared_and_what_it_measures() -> None:
    held = study({"ann": TOGETHER}, declared={"ann|all": 14})
    text = under(held, Foot(declared=["ann|all"], drawn=True, more=["More."]), "paper")
    assert [line.partition(":")[0] for line in text.splitlines()] == [
        "Denominator",
        "Declared denominators",
        "More.",
        "Evidence",
    ]
