"""Two runs as tables: what became of the verdicts, rates, amounts, and what it all took."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.compare.cells import amount_cell, number_column, points_cell, table, text_column
from replaylab.compare.metrics import Metric
from replaylab.compare.regressions import OUTCOMES, Flip, Regressions, Spending
from replaylab.score.cells import empty, number_cell, p_cell, text_cell
from replaylab.score.facts import TrialOutcome
from replaylab.score.tables.cost import seconds_cell, tokens_cell
from replaylab.score.value import Cell, Table

WORDS: dict[TrialOutcome, str] = {
    "pass": "passed",
    "fail": "failed",
    "error": "error",
    "missing": "missing",
    "unjudged": "not judged",
}
DECIDED_ALONE = "Only pairs in which both trials have a verdict: an error or a missing trial is neither a pass nor a fail."


def tables(found: Regressions) -> tuple[Table, ...]:
    """The tables of a comparison."""
    made = (_outcomes(found), _rates(found), _amounts(found), _spending(found))
    return (*made, _flips(found.flips)) if found.flips else made


def _outcomes(found: Regressions) -> Table:
    """Rows are outcomes in the first run, columns those in the second."""
    counts = {
        (before, after): found.outcomes.get(f"{before} -> {after}", 0)
        for before in OUTCOMES
        for after in OUTCOMES
    }
    used = [one for one in OUTCOMES if any(one in key and count for key, count in counts.items())]
    columns = (
        text_column("before", "First run, then"),
        *(number_column(after, WORDS[after]) for after in used),
        number_column("all", "All"),
    )
    rows = [
        (
            text_cell(WORDS[before]),
            *(number_cell(counts[before, after]) for after in used),
            number_cell(sum(counts[before, after] for after in used)),
        )
        for before in used
    ]
    rows.append(
        (
            text_cell("all"),
            *(number_cell(sum(counts[before, after] for before in used)) for after in used),
            number_cell(found.pairs),
        )
    )
    notes = ["Rows: how a trial ended in the first run; columns: in the second."]
    if found.alone_a or found.alone_b:
        notes.append(
            f"In one run alone, and in nothing here: {found.alone_a} trials of the first, {found.alone_b} of the second."
        )
    return table("outcomes", "What became of the verdicts", columns, rows, notes)


def _rates(found: Regressions) -> Table:
    columns = (
        text_column("group", "Of"),
        number_column("a", "First", "%"),
        number_column("b", "Second", "%"),
        number_column("difference", "Second minus first", "points"),
        number_column("p", "p"),
        number_column("adjusted", "p (Holm)"),
        number_column("mcnemar", "McNemar p"),
        text_column("tasks", "Better tasks"),
        number_column("pairs", "Pairs"),
        number_column("scenarios", "Scenarios"),
    )
    rates = [one for one in found.metrics if one.share]
    notes = [
        DECIDED_ALONE,
        "Repeats and conditions of a task are averaged first. p: sign flips of scenarios; McNemar ignores scenarios.",
        "Better tasks: those that the first run does better on, and those that the second does.",
    ]
    if any(one.adjusted is not None for one in rates):
        notes.append("p (Holm): within the fault plans, and within the industries.")
    return table("rates", "Completion rates", columns, map(_rate, rates), notes)


def _rate(one: Metric) -> tuple[Cell, ...]:
    return (
        text_cell(one.group or "all"),
        _side(one.a, one.total_a, one),
        _side(one.b, one.total_b, one),
        points_cell(one.difference, one.interval, one.why_not),
        p_cell(one.p) if one.testable else Cell(text="not testable", note=one.why_not),
        empty("") if one.adjusted is None else p_cell(one.adjusted),
        empty("") if one.mcnemar is None else p_cell(one.mcnemar),
        text_cell(f"{one.more_a} v {one.more_b}"),
        number_cell(one.pairs),
        number_cell(one.scenarios),
    )


def _side(value: float | None, passed: int, one: Metric) -> Cell:
    cell = points_cell(value, why=one.why_not)
    return cell.model_copy(update={"text": f"{cell.text} ({passed}/{one.pairs})"}) if cell.text else cell


def _amounts(found: Regressions) -> Table:
    columns = (
        text_column("name", "A trial"),
        number_column("a", "First"),
        number_column("b", "Second"),
        number_column("difference", "Second minus first"),
        number_column("p", "p"),
        number_column("total_a", "All of the first"),
        number_column("total_b", "All of the second"),
        number_column("pairs", "Pairs"),
    )
    amounts = [one for one in found.metrics if not one.share]
    rows = [
        (
            text_cell(one.name),
            amount_cell(one.a, why=one.why_not),
            amount_cell(one.b, why=one.why_not),
            amount_cell(one.difference, one.interval, one.why_not),
            p_cell(one.p) if one.testable else Cell(text="not testable", note=one.why_not),
            number_cell(one.total_a),
            number_cell(one.total_b),
            number_cell(one.pairs),
        )
        for one in amounts
    ]
    return table("amounts", "Steps, calls and tokens of a trial", columns, rows, [DECIDED_ALONE])


def _spending(found: Regressions) -> Table:
    columns = (
        text_column("run", "Run"),
        number_column("trials", "Recorded trials"),
        number_column("calls", "Calls"),
        number_column("retries", "Retries"),
        number_column("prompt", "Prompt tokens", "tokens"),
        number_column("completion", "Completion tokens", "tokens"),
        number_column("wall", "Wall time", "s"),
        number_column("money", "Money", "USD"),
        text_column("roles", "By role"),
    )
    rows = [_spent(name, one) for name, one in zip((found.a.name, found.b.name), found.spending, strict=True)]
    notes = [
        "Pairs that both runs recorded, errors too. Programs cost nothing; where a price is unknown, so is the money."
    ]
    return table("spending", "What it took", columns, rows, notes)


def _spent(name: str, one: Spending) -> tuple[Cell, ...]:
    roles = ", ".join(f"{role} {money}" for role, money in one.by_role.items())
    return (
        text_cell(name),
        number_cell(one.trials),
        number_cell(one.calls),
        number_cell(one.retries),
        tokens_cell(one.prompt_tokens, one),
        tokens_cell(one.completion_tokens, one),
        seconds_cell(one.wall_ms, one),
        Cell(text=one.money, value=one.usd, note=one.why),
        text_cell(roles),
    )


def _flips(flips: Sequence[Flip]) -> Table:
    columns = (
        text_column("kind", "Change"),
        text_column("task", "Task"),
        text_column("faults", "Faults"),
        number_column("trial", "Trial"),
        text_column("outcomes", "First, second"),
        text_column("where", "First divergence"),
        text_column("what", "What differs"),
    )
    rows = [
        (
            text_cell(one.kind),
            text_cell(one.task),
            text_cell(one.faults),
            number_cell(one.trial),
            text_cell(f"{WORDS[one.before]}, {WORDS[one.after]}"),
            text_cell(one.first.path_b or one.first.path_a if one.first else ""),
            text_cell(one.first.message if one.first else "not recorded on both sides"),
        )
        for one in flips
    ]
    return table("flips", "Every trial that ended another way", columns, rows)
