"""Full-layout tables as `score` makes them, in any size: invented numbers, the same each time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

from replaylab.schema.base import Json
from replaylab.score.value import Cell, Column, Count, Interval, Selector, Table

METHOD = "clustered Wilson"
PROGRAMS = "Played by programs, not LLMs: scripted:careful (agent), twin (simulator)."
AUTHORED = "Evidence: authored. These verdicts were written down, not recorded: they measure nothing."
DENOMINATOR = "Denominator: planned trials. An errored or missing trial is not a pass."
RESAMPLED = "Scenarios resampled 9999 times, the same for all of them; seed 1."
NOTES = (DENOMINATOR, "Condition: simulator twin, faults E0.", RESAMPLED, AUTHORED, PROGRAMS)

INDUSTRIES = {
    "agri": "Agriculture & Environment",
    "biz": "Business & Enterprise",
    "comm": "Commerce & Consumer",
    "edu": "Education & Culture",
    "hlth": "Healthcare & Life Sciences",
    "ind": "Industrial & Engineering",
    "pub": "Public Service & Governance",
    "sci": "Science & Research",
    "tech": "Technology & IT",
    "trans": "Transportation & Logistics",
}
TITLES = {key: key.title() for key in INDUSTRIES}
SIZES = (31, 63, 36, 32, 21, 55, 25, 16, 50, 53)
SCENARIOS = (6, 19, 9, 8, 7, 11, 7, 4, 16, 11)

LONG = (
    "anthropic/claude-opus-4.6-20260115-thinking:high@us-east/preview",
    "openai/gpt-5.2-2026-02-01",
    "google/gemini-3.1-pro-preview-0226",
    "Qwen/Qwen3.5-Plus-235B-A22B-Instruct-2507",
    "deepseek-ai/DeepSeek-V3.2-Exp",
    "moonshotai/Kimi-K2.5-Instruct",
    "zai-org/GLM-5",
    "MiniMaxAI/MiniMax-M2.7",
    "anthropic/claude-sonnet-4.6-20260115",
    "mistralai/Mistral-Large-Instruct-2512",
    "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
    "x-ai/grok-4.1-fast-reasoning",
    "scripted:careful",
    "scripted:hasty",
    "local/qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
)
NASTY = (
    "a/" * 60 + "b",
    "a/" * 60 + "c",
    "Жар-птица/модель_№7",
    "通义千问-3.5-plus",
    "$x^2$ & <b>bold</b> \\alpha 100%",
    "line\nbreak\tand \u202eturned\u202c",
    "e\u0301\u0302\u0303\u0304\u0305\u0306 piled marks Ệ Ẩ",
    "_hidden",
    "\x1b[31mred\x00 \ud800 end",
    "W" * 70,
    "x",
    "x ",
    "🙂 agent 🚀",
    "مرحبا-نموذج",
    " ",
)


def names(count: int, source: Sequence[str] = LONG) -> list[str]:
    """As many names as wanted; after the source's last one they are numbered."""
    return [source[n] if n < len(source) else f"{source[n % len(source)]} v{n}" for n in range(count)]


def table(name: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[Cell]], *more: str) -> Table:
    made = tuple(Column(key=key, title=TITLES.get(key, key), unit=unit) for key, unit in columns)
    return Table(
        id=name, title=name, layout="full", columns=made, rows=tuple(map(tuple, rows)), notes=(*NOTES, *more)
    )


def word(text: str, **fields: Json) -> Cell:
    return Cell(text=text, **fields)


def num(value: float | None, digits: int = 0, *, interval: Interval | None = None) -> Cell:
    text = "–" if value is None else f"{value:.{digits}f}"
    return Cell(text=text, value=value, interval=interval)


def rate(
    passed: int, n: int, *, agent: str = "", industry: str = "", error: int = 0, missing: int = 0
) -> Cell:
    """A rate cell with a rough interval: its width is all that matters here."""
    if n == 0:
        return Cell(text="–", count=Count())
    value = 100 * passed / n
    half = 110 * (max(value, 1) * max(100 - value, 1)) ** 0.5 / 50 / n**0.5 + 0.5
    note = "clusters ignored" if passed in (0, n) else ""
    interval = Interval(low=max(0, value - half), high=min(100, value + half), method=METHOD, note=note)
    count = Count(passed=passed, failed=n - passed - error - missing, error=error, missing=missing)
    selector = Selector(agent=agent, industry=industry)
    return Cell(text=f"{value:.1f}", value=value, count=count, interval=interval, trials=(selector,))


class Made:
    """Tables for so many agents and industries. `holes` leaves every seventh cell of an industry empty."""

    def __init__(
        self, agents: Sequence[str], industries: int = 10, *, extremes: bool = False, holes: bool = False
    ) -> None:
        self.agents = list(agents)
        self.keys = list(INDUSTRIES)[:industries]
        self.extremes, self.holes = extremes, holes
        self.skill = {agent: 0.82 - 0.4 * n / max(1, len(agents)) for n, agent in enumerate(self.agents)}

    def passed(self, n: int, chance: float) -> int:
        if self.extremes:
            return self.chance.choice((0, n))
        return sum(self.chance.random() < chance for _ in range(n))

    def all(self) -> dict[str, Table]:
        made = (
            self.overall(),
            self.industries(),
            self.difficulty(),
            self.faults(),
            self.fault_effects(),
            self.ranks(),
            self.agreement(),
            self.ablation(),
            self.size(),
            self.generations(),
            self.effort(),
        )
        return {one.id: one for one in made}

    def overall(self) -> Table:
        self.chance = random.Random("overall")  # so that a table is the same each time
        rows = []
        for n, agent in enumerate(self.agents):
            lost = 3 if n % 4 == 1 else 0
            passed = min(self.passed(382, self.skill[agent]), 382 - lost)
            cell = rate(passed, 382, agent=agent, error=lost - lost // 3, missing=lost // 3)
            last = min(len(self.agents), n + 3)
            rows.append(
                [
                    word(agent),
                    word(f"{passed}/382"),
                    cell,
                    num(n + 1),
                    word(f"{max(1, n - 1)}–{last}"),
                    num(lost - lost // 3),
                    num(lost // 3),
                    num(100 * passed / 382, 1),
                    num(100 * (passed + lost) / 382, 1),
                ]
            )
        keys = ("agent", "k_n", "rate", "rank", "rank_interval", "error", "missing", "worst", "best")
        return table(
            "overall", [(key, "%" if key in {"rate", "worst", "best"} else "") for key in keys], rows
        )

    def industries(self) -> Table:
        self.chance = random.Random("industries")  # so that a table is the same each time
        rows = []
        for i, agent in enumerate(self.agents):
            cells = []
            for j, key in enumerate(self.keys):
                empty = self.holes and (i * len(self.keys) + j) % 7 == 3
                n = 0 if empty else SIZES[j]
                passed = self.passed(n, self.skill[agent] + 0.02 * (j - 5))
                cells.append(rate(passed, n, agent=agent, industry=INDUSTRIES[key]))
            whole = [cell.count for cell in cells if cell.count]
            total = rate(sum(c.passed for c in whole), sum(c.planned for c in whole), agent=agent)
            rows.append([word(agent), total, num(total.value, 1), *cells])
        sizes = [num(SIZES[j]) for j in range(len(self.keys))]
        rows.append([word("tasks"), num(sum(SIZES[: len(self.keys)])), word(""), *sizes])
        columns = [("agent", ""), ("avg", "%"), ("macro", "%"), *((key, "%") for key in self.keys)]
        return table("industries", columns, rows)

    def difficulty(self) -> Table:
        self.chance = random.Random("difficulty")  # so that a table is the same each time
        rows = []
        for j, key in enumerate(self.keys):
            passed = self.passed(SIZES[j] * len(self.agents), 0.78 - 0.03 * j)
            cell = rate(passed, SIZES[j] * len(self.agents), industry=INDUSTRIES[key])
            trials = tuple(Selector(agent=agent, industry=INDUSTRIES[key]) for agent in self.agents)
            mean = Cell(text=f"{cell.value:.1f}", value=cell.value, trials=trials)
            counts = (len(self.agents), SIZES[j], SCENARIOS[j])
            rows.append([word(INDUSTRIES[key]), cell, mean, *map(num, counts)])
        rows.sort(key=lambda row: -row[2].value)
        keys = ("industry", "rate", "mean", "agents", "tasks", "scenarios")
        return table("difficulty", [(key, "%" if key in {"rate", "mean"} else "") for key in keys], rows)

    def faults(self, plans: Sequence[str] = ("E0", "E1", "E2", "E3")) -> Table:
        self.chance = random.Random("faults")  # so that a table is the same each time
        rows = []
        for agent in self.agents:
            cells = [
                rate(self.passed(382, self.skill[agent] - 0.06 * n), 382, agent=agent)
                for n in range(len(plans))
            ]
            clean = cells[0].value or 0
            ratio = min(cell.value for cell in cells[1:]) / clean if clean and len(cells) > 1 else None
            bounds = Interval(low=(ratio or 0) - 0.05, high=(ratio or 0) + 0.06, method="bootstrap")
            rows.append([word(agent), *cells, num(ratio, 2, interval=bounds if ratio else None), num(382)])
        rows.sort(key=lambda row: -(row[-2].value or 0))
        means = [num(sum(row[n + 1].value for row in rows) / len(rows), 1) for n in range(len(plans))]
        rows.append([word("Avg"), *means, num(0.77, 2), word("")])
        return table("faults", [("agent", ""), *((plan, "%") for plan in plans), ("R", ""), ("n", "")], rows)

    def fault_effects(self) -> Table:
        self.chance = random.Random("fault_effects")  # so that a table is the same each time
        rows: list[list[Cell]] = []
        for agent in self.agents:
            for n, pair in enumerate(("E0-E1", "E0-E2", "E0-E3", "E3-E2")):
                shift = 100.0 if self.extremes else round(4.0 * n + self.chance.uniform(-5, 6), 3)
                interval = Interval(
                    low=shift - 4.5, high=shift + 4.1, method="paired, clustered standard error, t"
                )
                tested = n != 3 or len(rows) % 3 != 0
                p = 0.01 if shift > 5 else 0.3
                rows.append(
                    [
                        word(agent),
                        word(pair),
                        num(shift, 1, interval=interval),
                        num(p, 3),
                        num(p, 3),
                        num(p, 3),
                        num(40),
                        word("yes" if tested else "not testable: 4 scenarios differ", value=tested),
                    ]
                )
        keys = ("agent", "pair", "difference", "p", "p_holm", "mcnemar", "discordant", "testable")
        return table("fault_effects", [(key, "points" if key == "difference" else "") for key in keys], rows)

    def ranks(self) -> Table:
        self.chance = random.Random("ranks")  # so that a table is the same each time
        count = len(self.agents)
        rows: list[list[Cell]] = []
        for i, agent in enumerate(self.agents):
            weights = [max(0.0, 1 - abs(i - j) / 3.5) for j in range(count)]
            shares = [weight / sum(weights) for weight in weights]
            mean = sum((j + 1) * share for j, share in enumerate(shares))
            rows.append(
                [word(agent), num(i + 1), num(mean, 1), num(shares[0], 2), *(num(s, 2) for s in shares)]
            )
        keys = ("agent", "rank", "mean_rank", "p_first", *(f"r{n + 1}" for n in range(count)))
        return table("ranks", [(key, "") for key in keys], rows)

    def agreement(
        self, simulators: Sequence[str] = ("Gemini-3-Flash-Preview", "Qwen 3.5 Plus", "gpt-5.2")
    ) -> Table:
        rows = []
        for n, (a, b) in enumerate(combinations(simulators, 2)):
            value = (85.7, 75.0, 42.9)[n % 3]
            interval = Interval(
                low=value - 12, high=min(100, value + 9), method="shared bootstrap of scenarios"
            )
            rows.append(
                [
                    word(a),
                    word(b),
                    *map(num, (28, 24, 3, n)),
                    num(value, 1, interval=interval),
                    num(value + 1, 1),
                    num(0.5, 2),
                    num(0.04, 3),
                ]
            )
        keys = ("a", "b", "pairs", "concordant", "discordant", "tied", "agreement", "half", "tau_b", "p")
        return table("agreement", [(key, "%" if key in {"agreement", "half"} else "") for key in keys], rows)

    def ablation(self) -> Table:
        self.chance = random.Random("ablation")  # so that a table is the same each time
        rows = []
        for agent in self.agents:
            for axis in ("count", "duration"):
                for step in (1, 2, 3, 4):
                    cell = rate(self.passed(382, self.skill[agent] - 0.05 * step), 382, agent=agent)
                    faults = (step, 2) if axis == "count" else (2, step)
                    k_n = f"{cell.count.passed if cell.count else 0}/382"
                    plan = f"E3x{faults[0]}d{faults[1]}"
                    rows.append(
                        [
                            word(agent),
                            word(plan),
                            word(axis),
                            *map(num, faults),
                            word(k_n),
                            cell,
                            num(-1.0 * step, 1),
                        ]
                    )
        keys = ("agent", "plan", "axis", "count", "duration", "k_n", "rate", "difference")
        return table("fault_ablation", [(key, "%" if key == "rate" else "") for key in keys], rows)

    def size(self) -> Table:
        self.chance = random.Random("size")  # so that a table is the same each time
        rows = []
        for n, agent in enumerate(self.agents):
            large, small = rate(self.passed(382, 0.7), 382), rate(self.passed(382, 0.6), 382)
            gap = (large.value or 0) - (small.value or 0)
            interval = Interval(low=gap - 5, high=gap + 5, method="paired, clustered standard error, t")
            difference = num(gap, 1, interval=interval)
            family = (word(agent.split("/")[0]), word(f"{n}.5"), word(agent), word(f"{agent}-mini"))
            rows.append([*family, large, small, difference, num(0.004, 3)])
        keys = ("family", "generation", "large", "small", "large_rate", "small_rate", "difference", "p")
        return table("size", [(key, "%" if key.endswith("rate") else "") for key in keys], rows)

    def generations(self) -> Table:
        self.chance = random.Random("generations")  # so that a table is the same each time
        rows = []
        for agent in self.agents:
            for step in range(3):
                cell = rate(self.passed(382, 0.5 + 0.08 * step), 382)
                series = word(agent.partition("/")[2] or agent)
                k_n = f"{cell.count.passed if cell.count else 0}/382"
                rows.append([series, word(f"{step + 3}.1"), word(f"{agent}-{step + 3}"), word(k_n), cell])
        return table(
            "generations",
            [("series", ""), ("generation", ""), ("agent", ""), ("k_n", ""), ("rate", "%")],
            rows,
        )

    def effort(self) -> Table:
        self.chance = random.Random("effort")  # so that a table is the same each time
        rows = []
        for agent in self.agents:
            for step, effort in enumerate(("high", "none", "low", "medium", "xhigh")):
                cell = rate(self.passed(382, 0.5 + 0.05 * step), 382)
                k_n = f"{cell.count.passed if cell.count else 0}/382"
                rows.append([word(agent), word(effort), word(k_n), cell, num(2.0, 1), num(0.2, 3)])
        keys = ("model", "effort", "k_n", "rate", "difference", "p")
        return table("effort", [(key, "%" if key == "rate" else "") for key in keys], rows)


LARGE = Made(names(15))
SMALL = Made(names(1, ("scripted:hasty",)), 1)
PAIR = Made(["scripted:careful", "scripted:hasty"], 2)
