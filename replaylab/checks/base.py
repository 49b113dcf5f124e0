"""What every kind of check shares, and how one is read from JSON."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

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
    # The fields whose checks say when something happened.
    timed: ClassVar[frozenset[str]] = frozenset({"before", "after", "since", "call"})
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
        raise NotImplementedError(self.kind)

    def happens(self, rules: Rules) -> bool:
        """Whether this check names calls, so that others can stand before or after it."""
        return type(self).hits is not Check.hits

    def refs(self) -> Iterator[tuple[str, Ref]]:
        """The checks that this one refers to or contains, directly, each with the field that it stands in."""
        yield from _refs_in(self, "")

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


def _refs_in(value: object, field: str) -> Iterator[tuple[str, Ref]]:
    if isinstance(value, Ref):
        yield field, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _refs_in(getattr(value, name), name)
    elif isinstance(value, (tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _refs_in(part, field)


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
        raise _explained(error, Check.kinds[kind], f"a {kind!r} check", where) from error
    except UsageError as error:
        if error.where:
            raise
        raise UsageError(error.what, where=where, closest=error.closest, fix=error.fix) from error


def _explained(error: ValidationError, model: type[BaseModel], what: str, where: str = "") -> UsageError:
    problems = error.errors(include_url=False)
    # A misspelt name is also a missing one; the misspelling explains it.
    first = next((one for one in problems if one["type"] == "extra_forbidden"), problems[0])
    field = ".".join(str(part) for part in first["loc"])
    known = [info.alias or name for name, info in model.model_fields.items()]
    if first["type"] == "extra_forbidden":
        found = unknown(f"field of {what}", field, known)
        return UsageError(found.what, where=where, closest=found.closest, fix=found.fix)
    problem = f"field {field!r} of {what}: {first['msg']}" if field else f"{what}: {first['msg']}"
    return UsageError(problem, where=where, fix=f"its fields are {', '.join(known)}")


def reader(model: type[BaseModel], what: str) -> Callable[[Json], BaseModel]:
    """A validator for an object inside a check, whose errors name the field of that object."""

    def read(written: Json) -> BaseModel:
        if isinstance(written, model):
            return written
        try:
            return model.model_validate(written)
        except ValidationError as error:
            raise _explained(error, model, what) from error

    return read


def _read_ref(written: Json) -> Ref:
    if isinstance(written, Ref):
        return written
    if isinstance(written, str) and written:
        return Ref(written)
    check = parse_check(written)
    return Ref(check.id, check)


def _read_names(written: Json) -> Json:
    return (written,) if isinstance(written, str) else written


AnyRef = Annotated[Ref, BeforeValidator(_read_ref)]
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
        return list(self.each(evidence, rules))

    def each(self, evidence: Evidence, rules: Rules) -> Iterator[Found]:
        """The same one by one, for whoever may stop early."""
        low, high = bounds(self.after, self.before, evidence, rules)
        for found in evidence.find(self.key, self.view, self.tool):
            if low < found.step.call < high and (not self.where or found.fits(self.where)):
                yield found

    def sought(self, evidence: Evidence, rules: Rules) -> str:
        """What is looked for, and between which calls."""
        span = ""
        if self.after is not None:
            begun = rules.follow(self.after).hits(evidence, rules)
            span = f" after call {min(begun)}" if begun else f" after {self.after}, which never happened"
        ended = rules.follow(self.before).hits(evidence, rules) if self.before is not None else []
        return f"{Look.__str__(self)}{span}" + (f" before call {min(ended)}" if ended else "")

    def __str__(self) -> str:
        where = ", ".join(f"{key} {matcher}" for key, matcher in self.where.items())
        return " or ".join(self.key) + (f" where {where}" if where else "")


def bounds(after: Ref | None, before: Ref | None, evidence: Evidence, rules: Rules) -> tuple[float, float]:
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
