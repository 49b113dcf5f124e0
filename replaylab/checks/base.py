"""What every kind of check shares, and how one is read from JSON."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BeforeValidator, ConfigDict, Field, PlainSerializer, ValidationError

from replaylab.checks.evidence import Evidence, Found, View
from replaylab.checks.matcher import AnyMatcher, brief, unknown
from replaylab.errors import UsageError
from replaylab.schema.base import Frozen, Json, JsonObject

Result = Literal["pass", "fail", "open"]


class Finding(NamedTuple):
    """What one check says: `call` is the tool call that decided it, -1 where the answer or no call did."""

    result: Result
    reason: str
    call: int = -1


def passes(reason: str, call: int = -1) -> Finding:
    """A check that holds."""
    return Finding("pass", reason, call)


def fails(reason: str, call: int = -1) -> Finding:
    """A check that does not hold."""
    return Finding("fail", reason, call)


class Rules(NamedTuple):
    """The checks of one rubric by id, for those that refer to others."""

    by_id: Mapping[str, Check]

    def follow(self, ref: Ref) -> Check:
        return ref.check if ref.check is not None else self.by_id[ref.id]


class Check(Frozen):
    """One check of a rubric. Each kind is a subclass, named by its `kind`."""

    model_config = Frozen.model_config | ConfigDict(arbitrary_types_allowed=True)
    kinds: ClassVar[dict[str, type[Check]]] = {}
    kind: str
    id: str = ""
    note: str = ""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        kind = cls.model_fields["kind"].annotation
        for name in getattr(kind, "__args__", ()):
            Check.kinds[name] = cls

    @abstractmethod
    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        """Decide the check on what the trial shows. Raises patterns.TextTooLong where it can't be decided."""

    def hits(self, evidence: Evidence, rules: Rules) -> list[int]:
        """The calls at which what this check looks for happened, in order."""
        raise UsageError(
            f"a check of kind {self.kind!r} names no calls", fix="refer to a `called` or `observed` check"
        )

    def refs(self) -> Iterator[Ref]:
        """The checks that this one refers to or contains, directly."""
        for name in type(self).model_fields:
            yield from _refs_in(getattr(self, name))

    def tools(self) -> Iterator[str]:
        """The tools that this check names."""
        for name in ("tool", "let"):
            value = getattr(self, name, None)
            if isinstance(value, tuple):
                yield from value
            for part in value.values() if isinstance(value, Mapping) else ():
                yield from getattr(part, "tool", ())


class Ref(NamedTuple):
    """Another check: by the id that it has in the rubric, or written in place."""

    id: str
    check: Check | None = None

    def __str__(self) -> str:
        return self.id or (f"the {self.check.kind} check" if self.check else "")


def _refs_in(value: object) -> Iterator[Ref]:
    if isinstance(value, Ref):
        yield value
    elif isinstance(value, tuple):
        for part in value:
            yield from _refs_in(part)


def parse_check(written: Json, where: str = "") -> Check:
    """One check from its JSON. Raises UsageError that names the field and the closest known name."""
    if not isinstance(written, dict):
        raise UsageError(f"a check is an object, not {brief(written)}", where=where)
    where = str(written.get("id") or where)
    kind = written.get("kind")
    if not isinstance(kind, str) or kind not in Check.kinds:
        error = unknown("kind of check", kind, sorted(Check.kinds))
        raise UsageError(error.what, where=where, closest=error.closest, fix=error.fix)
    try:
        return Check.kinds[kind].model_validate(written)
    except ValidationError as error:
        raise _explained(error, Check.kinds[kind], where) from error
    except UsageError as error:
        if error.where:
            raise
        raise UsageError(error.what, where=where, closest=error.closest, fix=error.fix) from error


def _explained(error: ValidationError, model: type[Check], where: str) -> UsageError:
    first = error.errors(include_url=False)[0]
    field = ".".join(str(part) for part in first["loc"])
    kind = getattr(model.model_fields["kind"].annotation, "__args__", ("?",))[0]
    known = [info.alias or name for name, info in model.model_fields.items()]
    if first["type"] == "extra_forbidden":
        found = unknown(f"field of a {kind!r} check", field, known)
        return UsageError(found.what, where=where, closest=found.closest, fix=found.fix)
    what = (
        f"field {field!r} of a {kind!r} check: {first['msg']}"
        if field
        else f"a {kind!r} check: {first['msg']}"
    )
    return UsageError(what, where=where, fix=f"its fields are {', '.join(known)}")


def _read_ref(written: Json) -> Ref:
    if isinstance(written, Ref):
        return written
    if isinstance(written, str) and written:
        return Ref(written)
    check = parse_check(written)
    return Ref(check.id, check)


def _write_ref(ref: Ref) -> Json:
    return ref.check.model_dump(mode="json") if ref.check else ref.id


def _read_names(written: Json) -> Json:
    return (written,) if isinstance(written, str) else written


AnyRef = Annotated[Ref, BeforeValidator(_read_ref), PlainSerializer(_write_ref, return_type=Any)]
Matchers = dict[str, AnyMatcher]
Names = Annotated[tuple[str, ...], BeforeValidator(_read_names)]


class Look(Frozen):
    """Where to look for a value: a key in the observations of successful calls.

    `key` is a field's name, or several that mean the same; `where` are conditions on the row that it stands in (and
    on the call's arguments). `after` and `before` name checks: only observations after the first call that fits the
    one, and before the first that fits the other. `view` is `seen` (what the agent was shown) or `clean` (what the
    environment gave before a fault disturbed it).
    """

    model_config = Check.model_config
    key: Names
    tool: Names = ()
    where: Matchers = Field(default_factory=dict)
    after: AnyRef | None = None
    before: AnyRef | None = None
    view: View = "seen"

    def find(self, evidence: Evidence, rules: Rules) -> list[Found]:
        """The values found, in call order."""
        low, high = _bounds(self.after, self.before, evidence, rules)
        return [
            found
            for found in evidence.find(self.key, self.view, self.tool)
            if low < found.step.call < high and found.fits(self.where)
        ]

    def __str__(self) -> str:
        where = ", ".join(f"{key} {matcher}" for key, matcher in self.where.items())
        return " or ".join(self.key) + (f" where {where}" if where else "")


def _bounds(after: Ref | None, before: Ref | None, evidence: Evidence, rules: Rules) -> tuple[float, float]:
    """The calls to look between, both ends left out. What never happened leaves nothing after it, all before it."""
    low, high = -1.0, float("inf")
    if after is not None:
        low = min(rules.follow(after).hits(evidence, rules), default=high)
    if before is not None:
        high = min(rules.follow(before).hits(evidence, rules), default=high)
    return low, high


def show_arguments(arguments: JsonObject) -> str:
    """A call's arguments on one short line."""
    return ", ".join(f"{key}={brief(value)}" for key, value in arguments.items())[:200]
