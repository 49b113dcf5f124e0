"""`replaylab.toml`: the models that can play, their prices, defaults of `record`, folders of scenarios.

    [models.NAME]   base_url, model, api_key_env, sampling, tools, observations, stream, requests_per_minute,
                    tokens_per_minute, timeout_s, max_attempts, family, size, generation, effort, player, price
    [prices]        "model name" = { input, output, cached } in dollars per million tokens
    [record]        defaults of `record`
    [capture.upstreams.NAME]  base_url, variables, timeout_s: an API that `capture` and `proxy` know besides the usual ones
    [capture]       secret_env: names of more environment variables that hold secrets
    [[capture.normalise]]     pointer, pattern, replace, endpoint, path: what takes no part when requests are compared
    scenarios       folders, relative to the file

Strict: an unknown key is an error that names the closest one and its line. Keys of an API are refused wherever they
stand in the file, and no message repeats one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from replaylab.canonical import NotIJson, canonical
from replaylab.cli.options import MAX_JOBS, MAX_TRIALS
from replaylab.cli.price import Price
from replaylab.cli.secret_keys import refuse_secrets
from replaylab.cli.toml_file import TomlFile
from replaylab.errors import UsageError
from replaylab.near import closest
from replaylab.schema.base import Frozen, JsonObject
from replaylab.schema.capture import NormaliseRule
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import JudgedBy

Source = Literal["shipped", "config", "built-in", "own"]
Names = str | tuple[str, ...]

# name: (the role it plays, what it does). They run without a key and without a network.
BUILT_IN: dict[str, tuple[str, str]] = {
    "twin": ("simulator", "runs the scenario's own code; faithful by construction"),
    "twin+fabricate": ("simulator", "the twin, with invented entities seeded into it; for measuring `check`"),
    "twin+omit": ("simulator", "the twin, with entities left out or denied"),
    "twin+invent": ("simulator", "the twin, with refusals by rules that nobody wrote"),
    "twin+contradict": ("simulator", "the twin, with known values changed"),
    "example": ("simulator", "answers from the tools' example outputs, in any environment"),
    "scripted:careful": ("agent", "follows the reference plan, repeats calls that failed, verifies"),
    "scripted:stubborn": ("agent", "repeats calls that failed, takes every reading as it comes"),
    "scripted:forgetful": ("agent", "repeats calls that failed, loses the last write of a long plan"),
    "scripted:hasty": ("agent", "looks back once at most, tries a broken call once more"),
    "scripted:greedy": ("agent", "makes all writes first and looks afterwards"),
    "scripted:quitter": ("agent", "gives up at the first error"),
    "scripted:explorer": ("agent", "calls tools with valid arguments, in any environment"),
    "scripted:idle": ("agent", "does nothing and says that all is done; belongs beside every table"),
    "rubric": ("verifier", "runs the task's checks"),
    "coin": ("verifier", "decides by a seeded coin; for load tests, never for results"),
    "grammar": ("generator", "makes tasks of shipped scenarios by a grammar, for `synth`"),
}

# The built-in simulators that run the scenario's own code.
RUN_TWINS = tuple(name for name in BUILT_IN if name.partition("+")[0] == "twin")


def _address(url: str) -> str:
    # The message says nothing of the value: it may hold a password.
    if url and not re.match(r"https?://", url):
        raise PydanticCustomError("address", "must begin with http:// or https://")
    if url and not re.fullmatch(r"https?://\S+", url):
        raise PydanticCustomError("address", "must name a host and hold no space")
    return url


def _variables(names: Names) -> Names:
    # The message says nothing of the value: it may be the secret itself.
    if not all(
        re.fullmatch("[A-Z][A-Z0-9_]*", name) for name in ((names,) if isinstance(names, str) else names)
    ):
        raise PydanticCustomError(
            "variables", "must be names of environment variables (upper-case letters, digits, _)"
        )
    return names


class ModelTable(Frozen):
    """A `[models.NAME]` as it stands in a file. Times are in seconds, sizes in billions of parameters."""

    base_url: Annotated[str, AfterValidator(_address)] = ""
    model: str = ""
    api_key_env: str = ""
    sampling: JsonObject = Field(default_factory=dict)
    tools: Literal["native", "json_schema"] = "native"
    observations: Literal["free", "json_schema"] = "free"
    stream: bool = False
    requests_per_minute: int | None = Field(default=None, gt=0)
    tokens_per_minute: int | None = Field(default=None, gt=0)
    timeout_s: float = Field(default=120, gt=0, le=86_400)
    max_attempts: int = Field(default=5, ge=1)
    family: str = ""
    size: float = Field(default=0, ge=0, allow_inf_nan=False)
    generation: str = ""
    effort: str = ""
    player: Literal["llm", "program", "human"] = "llm"
    price: Price | None = None


class RecordDefaults(Frozen):
    """What `record` takes where its options are not given; each is named like the option."""

    agent: Names = ()
    sim: Names = ()
    verifier: Names = ()
    env: Names = ()
    scenario: Names = ()
    task: Names = ()
    trials: int | None = Field(default=None, ge=1, le=MAX_TRIALS)
    judged_by: JudgedBy | None = None
    votes: int | None = Field(default=None, ge=1, le=999)
    fault_count: int | None = Field(default=None, ge=0, le=999)
    fault_duration: int | None = Field(default=None, ge=1)
    fault_seed: int | None = None
    fault_spacing: int | None = Field(default=None, ge=1)
    fault_mode: Literal["harness", "prompt"] | None = None
    jobs: int | None = Field(default=None, ge=1, le=MAX_JOBS)
    max_cost: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    max_calls: int | None = Field(default=None, ge=0)
    max_steps: int | None = Field(default=None, ge=1)

    def names(self, option: str) -> tuple[str, ...]:
        """The value of an option that may be given several times, as a tuple."""
        value: Names = getattr(self, option)
        return (value,) if isinstance(value, str) else value


class UpstreamTable(Frozen):
    """A `[capture.upstreams.NAME]`. `variables` tell a program where it is; a known NAME gets another address."""

    base_url: Annotated[str, AfterValidator(_address)]
    variables: Names = ()
    timeout_s: float = Field(default=600, gt=0, le=86_400)


class CaptureTable(Frozen):
    """`[capture]`: what the commands that record programs take from the file."""

    upstreams: dict[str, UpstreamTable] = Field(default_factory=dict)
    normalise: tuple[NormaliseRule, ...] = ()
    secret_env: Annotated[Names, AfterValidator(_variables)] = ()

    @property
    def secret_names(self) -> tuple[str, ...]:
        return (self.secret_env,) if isinstance(self.secret_env, str) else self.secret_env


class ConfigFile(Frozen):
    """A whole `replaylab.toml`."""

    models: dict[str, JsonObject] = Field(default_factory=dict)
    prices: dict[str, Price] = Field(default_factory=dict)
    record: RecordDefaults = RecordDefaults()
    capture: CaptureTable = CaptureTable()
    scenarios: tuple[str, ...] = ()


class ModelConfig(Frozen):
    """A model that can play: what is recorded of it (`settings`) and how it is reached, which is not recorded."""

    settings: ModelSettings
    base_url: str = ""
    api_key_env: str = ""
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None
    timeout_s: float = 120
    max_attempts: int = 5
    price: Price | None = None
    source: Source

    @property
    def alias(self) -> str:
        return self.settings.alias


class Config(Frozen):
    """The configuration in force. `path` is the file, None when there is none; `scenarios` are absolute."""

    path: Path | None
    models: dict[str, ModelConfig]
    prices: dict[str, Price]
    record: RecordDefaults
    capture: CaptureTable
    scenarios: tuple[Path, ...]


def load(path: Path | None) -> Config:
    """Reads a configuration file over the shipped models. Raises UsageError with file and line."""
    text = resources.files("replaylab.cli").joinpath("models.toml").read_text(encoding="utf-8")
    shipped = TomlFile("the shipped models.toml", text)
    file = TomlFile.read(path) if path else TomlFile("", "")
    refuse_secrets(file.value, lambda keys, what: file.error(keys, what, fix=_ENVIRONMENT))
    given = file.validated(ConfigFile, file.value)
    _check_rules(given.capture.normalise, file)
    models = {name: _model(name, table, "shipped", shipped) for name, table in shipped.value.items()}
    for name, table in given.models.items():
        if name in BUILT_IN:
            fix = "choose another name"
            raise file.error(("models", name), f"{name!r} is a built-in model", fix=fix)
        models[name] = _model(name, _over(shipped.value.get(name, {}), table), "config", file)
    folder = path.parent if path else Path()
    return Config(
        path=path,
        models=models | {name: _built_in(name) for name in BUILT_IN},
        prices=given.prices,
        record=given.record,
        capture=given.capture,
        scenarios=tuple(folder / one for one in given.scenarios),
    )


def resolve(name: str, config: Config) -> ModelConfig:
    """The model of that name. Raises UsageError with the closest name."""
    if name in config.models:
        return config.models[name]
    raise UsageError(
        f"there is no model {name!r}",
        where=str(config.path) if config.path else "no replaylab.toml was found",
        closest=closest(name, config.models),
        fix="`replaylab models` lists the models; add one as [models.NAME] in replaylab.toml",
    )


_ENVIRONMENT = 'put the key into the environment and name the variable: api_key_env = "NAME"'


def _over(shipped: Mapping[str, Any], given: JsonObject) -> JsonObject:
    """A user's table over the shipped one of the same name, without what would no longer be true of it."""
    kept = dict(shipped)
    if "model" in given and given["model"] != shipped.get("model"):
        for fact in ("family", "size", "generation", "effort", "sampling", "price"):
            kept.pop(fact, None)
    if "base_url" in given and given["base_url"] != shipped.get("base_url"):
        # A vendor's key must not go to another host only because the name is the same.
        kept.pop("api_key_env", None)
        kept.pop("price", None)
    return kept | given


def _model(name: str, table: JsonObject, source: Source, file: TomlFile) -> ModelConfig:
    keys = ("models", name)
    read = file.validated(ModelTable, table, keys)
    if read.player == "llm" and not read.base_url:
        fix = 'give the address up to the version: base_url = "https://api.example.com/v1"'
        raise file.error(keys, "the model has no base_url", fix=fix)
    _check_sampling(read.sampling, (*keys, "sampling"), file)
    recorded = set(ModelSettings.model_fields) & set(ModelTable.model_fields)
    settings = {field: getattr(read, field) for field in recorded} | {
        "alias": name,
        "model": read.model or name,
    }
    reached = (set(ModelConfig.model_fields) & set(ModelTable.model_fields)) - recorded
    return ModelConfig(
        settings=ModelSettings(**settings),
        source=source,
        **{field: getattr(read, field) for field in reached},
    )


def _check_rules(rules: Sequence[NormaliseRule], file: TomlFile) -> None:
    """Each by itself, so that an error names the rule's own line."""
    if not rules:
        return
    from replaylab.engine.captured.rules import ready

    for number, rule in enumerate(rules):
        try:
            ready(rule)
        except UsageError as error:
            raise file.error(("capture", "normalise", str(number)), error.what, fix=error.fix) from error


def _check_sampling(sampling: JsonObject, keys: tuple[str, ...], file: TomlFile) -> None:
    """It goes into every request body, beside what the engine puts there."""
    if taken := sorted({"messages", "model", "stream", "tools"} & set(sampling)):
        raise file.error((*keys, taken[0]), f"sampling can't set {taken[0]!r}: the request has it already")
    try:
        canonical(sampling)
    except NotIJson as error:
        raise file.error(keys, f"sampling is not JSON: {error.what}") from error


def _built_in(name: str) -> ModelConfig:
    return ModelConfig(settings=ModelSettings(alias=name, model=name, player="program"), source="built-in")
