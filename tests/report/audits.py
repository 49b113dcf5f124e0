"""Reports of audits to print: a plain one, and one whose every text tries to break out."""

from __future__ import annotations

from replaylab.audit.value import Assessment, AuditReport, Step
from tests.audit.files import audited, table

HOSTILE = (
    "</script><script>alert(1)</script> <b>&\"' | `x` **y** [z](http://x) @somebody\n# h \u202e \x1b[31m"
)


def plain_report() -> AuditReport:
    tables = {"t": table({"x": ["77", "50"], "y": ["62", "10"]}, {"a": {"n": 32}, "b": {}})}
    claims = (
        {
            "id": "equal",
            "type": "equals",
            "where": "section 1",
            "said": "it is 62",
            "cell": "t / y / a",
            "value": "62",
        },
        {
            "id": "more",
            "type": "differs",
            "where": "section 2",
            "said": "they differ",
            "a": "t / x / b",
            "b": "t / y / b",
        },
        {
            "id": "wrong",
            "type": "equals",
            "where": "section 3",
            "said": "it is 63",
            "cell": "t / y / a",
            "value": "63",
        },
    )
    return audited(tables, *claims)[0]


def hostile_report() -> AuditReport:
    one = Assessment(
        id=HOSTILE,
        kind="equals",
        outcome="fails",
        where=HOSTILE,
        said=HOSTILE,
        found=HOSTILE,
        numbers={HOSTILE: [HOSTILE]},
        explanation=HOSTILE,
        reason=HOSTILE,
    )
    unasked = one.model_copy(update={"asked": False, "outcome": "holds"})
    step = Step(number=1, name=HOSTILE, outcome="warn", evidence=(HOSTILE,))
    table_ = {
        "id": HOSTILE,
        "title": HOSTILE,
        "source": HOSTILE,
        "rebuilds": None,
        "rows": 1,
        "columns": 1,
        "rates": 1,
        "rounding": HOSTILE,
        "declared": False,
        "impossible": {HOSTILE: 1},
    }
    return AuditReport(
        title=HOSTILE,
        source=HOSTILE,
        digest="0" * 64,
        runs=("1" * 64,),
        tables=(table_,),
        steps=(step,),
        assessments=(one, unasked),
        notices=(HOSTILE,),
    )
