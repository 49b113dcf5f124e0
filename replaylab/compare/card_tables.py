"""Report cards as tables: the ranking, kinds, industries, coverage, price, pairs. One set for each kind of evidence."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from replaylab.compare.cards import Card, Price
from replaylab.compare.cells import counted_cell, number_column, points_cell, share_cell, table, text_column
from replaylab.compare.ranking import LEAST_CALLS, LEAST_SHARE, Held, Ranking
from replaylab.compare.values import Share
from replaylab.schema.cassette import Evidence
from replaylab.schema.model import UNKNOWN, played_by
from replaylab.score.cells import decimal_cell, empty, number_cell, p_cell, text_cell
from replaylab.score.footer import FEW_SCENARIOS
from replaylab.score.industries import in_order
from replaylab.score.tables.cost import tokens_cell
from replaylab.score.value import Cell, Table

WRITTEN = "nobody, written down"
PLAYERS = {
    "llm": "LLM",
    "program": "program, no LLM",
    "human": "human",
    "own": "agent of one's own",
    UNKNOWN: UNKNOWN,
}


def tables(ranking: Ranking, evidence: Evidence) -> tuple[Table, ...]:
    """The tables of the simulators with that evidence."""
    cards = [one for one in ranking.cards if one.evidence == evidence]
    pairs = [one for one in ranking.pairs if one.evidence == evidence]
    made = (_ranking(cards), _kinds(cards), _industries(cards), _coverage(cards), _prices(cards))
    return (*made, _pairs(pairs)) if pairs else made


def _ranking(cards: Sequence[Card]) -> Table:
    columns = (
        text_column("simulator", "Simulator"),
        text_column("player", "Played by"),
        number_column("rank", "Rank"),
        text_column("ranks", "May be"),
        number_column("share", "Calls that break the contract", "%"),
        number_column("of", "Of checkable"),
        number_column("critical", "That the rubric depends on", "%"),
        number_column("checkable", "Checkable", "%"),
        number_column("calls", "Of calls"),
        number_column("trials", "Trials"),
        number_column("scenarios", "Scenarios"),
        number_column("broke", "Trials it broke off"),
    )
    rows = []
    for one in cards:
        # Why there is none stands in the sentence above the table, once.
        rank = Cell(text="none") if one.rank is None else number_cell(one.rank)
        rows.append(
            (
                text_cell(one.name),
                text_cell(WRITTEN if one.evidence == "authored" else PLAYERS[played_by(one.settings)]),
                rank,
                _ranks(one),
                share_cell(one.share),
                text_cell(f"{one.share.k}/{one.share.n}"),
                share_cell(one.critical),
                _part(one.checkable, one.calls),
                number_cell(one.calls),
                number_cell(one.trials),
                number_cell(one.scenarios),
                number_cell(one.broke),
            )
        )
    return table("ranking", "Simulators by how often they break their contract", columns, rows, _notes(cards))


def _notes(cards: Sequence[Card]) -> list[str]:
    notes = [
        "A call counts once, however much is wrong with its answer. Calls that could be checked for nothing are in no rate.",
        (
            "Intervals are of 95 %, with scenarios as clusters. May be: ranks after Holm over all pairs, on the tasks "
            "that two simulators share; a difference that chance could have made moves nobody."
        ),
        f"No rank below {LEAST_CALLS} checkable calls, below one checkable call in {1 / LEAST_SHARE}, or with one scenario.",
        "Trials it broke off: it gave no answer that could be used. They count as errors and never as failed.",
    ]
    few = [one.name for one in cards if 0 < one.share.scenarios < FEW_SCENARIOS]
    if few:
        notes.append(f"Few scenarios (under {FEW_SCENARIOS}), so read intervals with care: {', '.join(few)}.")
    lockstep = [one.name for one in cards if any(mode.startswith("lockstep/") for mode in one.modes)]
    if lockstep:
        notes.append(
            f"Some calls were put in lockstep, after another simulator's history: {', '.join(lockstep)}."
        )
    unsure = [f"{one.name} {one.candidates}" for one in cards if one.candidates]
    notes += [f"Too uncertain to count as violations: {', '.join(unsure)}."] if unsure else []
    faults = [f"{one.name} {one.faults}" for one in cards if one.faults]
    notes += [f"Possible faults of the line, no violations: {', '.join(faults)}."] if faults else []
    return notes


def _ranks(one: Card) -> Cell:
    if one.ranks is None:
        return empty("")
    low, high = one.ranks
    return text_cell(str(low) if low == high else f"{low}-{high}")


def _kinds(cards: Sequence[Card]) -> Table:
    columns = (
        text_column("simulator", "Simulator"),
        text_column("kind", "Kind"),
        number_column("share", "Calls with one", "%"),
        number_column("of", "Of checkable"),
        number_column("violations", "Violations"),
        number_column("critical", "That the rubric depends on"),
    )
    rows = [
        (
            text_cell(one.name),
            text_cell(kind.kind),
            share_cell(kind.share),
            text_cell(f"{kind.share.k}/{kind.share.n}"),
            number_cell(kind.violations),
            number_cell(kind.critical),
        )
        for one in cards
        for kind in one.kinds
    ]
    notes = [
        "Of the calls that could be checked for that kind. One answer may hold several violations of a kind.",
        "Kinds can't be added up: a call may stand in several.",
    ]
    return table("kinds", "Violations by kind", columns, rows, notes)


def _industries(cards: Sequence[Card]) -> Table:
    columns = (
        text_column("industry", "Industry"),
        *(number_column(f"s{number}", one.name) for number, one in enumerate(cards)),
    )
    names = in_order(industry for one in cards for industry in one.industries)
    rows = [
        (text_cell(name), *(counted_cell(one.industries.get(name, Share())) for one in cards))
        for name in names
    ]
    notes = ["Calls that break the contract, of checkable ones (k/n), in percent."]
    return table("industries", "Violations by industry", columns, rows, notes)


def _coverage(cards: Sequence[Card]) -> Table:
    columns = (
        text_column("simulator", "Simulator"),
        text_column("kind", "Kind"),
        number_column("checked", "Checkable", "%"),
        number_column("calls", "Of calls"),
        text_column("why", "Not checkable, and why"),
    )
    rows = [
        (
            text_cell(one.name),
            text_cell(kind.kind),
            _part(kind.share.n, kind.calls),
            number_cell(kind.calls),
            text_cell("; ".join(f"{count}: {why}" for why, count in kind.why_not.items())),
        )
        for one in cards
        for kind in one.kinds
    ]
    notes = ["Finding nothing in calls that could not be checked says nothing."]
    return table("coverage", "What could be checked", columns, rows, notes)


def _prices(cards: Sequence[Card]) -> Table:
    columns = (
        text_column("simulator", "Simulator"),
        number_column("calls", "Calls answered"),
        number_column("again", "Asked again"),
        number_column("prompt", "Prompt tokens"),
        number_column("completion", "Completion tokens"),
        number_column("money", "Money", "USD"),
        number_column("per_call", "Per 1,000 calls", "USD"),
        number_column("latency", "Median latency", "s"),
        number_column("timed", "Of answers"),
    )
    rows = [(text_cell(one.name), *_price_cells(one)) for one in cards]
    notes = [
        "Asked again: questions beyond one a call, where an answer could not be used. Retries of a request are not in it.",
        "Programs cost nothing, and their latency is that of a function call. Where a price is unknown, so is the money.",
    ]
    return table("prices", "What answering takes", columns, rows, notes)


def _price_cells(one: Card) -> list[Cell]:
    price = one.price
    money = Cell(
        text=price.text, value=None if price.usd is None else float(Fraction(price.usd)), note=price.why
    )
    return [
        number_cell(price.calls),
        number_cell(max(price.asked - price.calls, 0)),
        tokens_cell(price.prompt_tokens, price),
        tokens_cell(price.completion_tokens, price),
        money,
        _per_thousand(price),
        empty("no latency is recorded") if one.latency_ms is None else _seconds(one.latency_ms),
        number_cell(one.timed),
    ]


def _per_thousand(price: Price) -> Cell:
    if price.per_call is None:
        return empty(price.why or "it answered no call")
    return decimal_cell(price.per_call * 1000, 2)


def _seconds(ms: float) -> Cell:
    return decimal_cell(ms / 1000, 3 if ms < 1000 else 1)


def _pairs(pairs: Sequence[Held]) -> Table:
    columns = (
        text_column("a", "First"),
        text_column("b", "Second"),
        number_column("difference", "First minus second", "points"),
        number_column("p", "p"),
        number_column("adjusted", "p (Holm)"),
        number_column("tasks", "Tasks of both"),
        number_column("scenarios", "Scenarios"),
        number_column("alone", "Tasks of one alone"),
    )
    rows = [
        (
            text_cell(one.a),
            text_cell(one.b),
            points_cell(one.difference, one.interval, one.why_not),
            p_cell(one.p) if one.testable else Cell(text="not testable", note=one.why_not),
            p_cell(one.adjusted) if one.testable else empty(""),
            number_cell(one.tasks),
            number_cell(one.scenarios),
            number_cell(one.alone),
        )
        for one in pairs
    ]
    notes = [
        (
            "The share of breaking calls of each task, on the tasks in which both were asked; each task counts once. "
            "Less than 0: the first one keeps its contract better."
        ),
        (
            "p: sign flips of scenarios. Another agent may have put other calls to each: only lockstep runs "
            "(`replay --swap sim=NAME`) put the very same."
        ),
    ]
    return table("pairs", "Every two simulators on the same tasks", columns, rows, notes)


def _part(k: int, n: int) -> Cell:
    return share_cell(Share(k=k, n=n)) if n else empty("no calls")
