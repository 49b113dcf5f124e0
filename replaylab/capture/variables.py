"""The environment variables by which programs are told where an LLM API is, and the keys that they insist on.

Each stands in the documentation or the code of the client that reads it. A variable is set where its upstream has an
address: what it said already, what the configuration says, or the vendor's own. Where there is none (Azure and Vertex
lie at an address of the customer's) it is set only offline, when nothing is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from replaylab.capture.routes import TIMEOUT_S, Routes, Upstream

# Stands for a key where none is needed. No text holds eight letters of it in a row, since those would be redacted.
PLACEHOLDER_KEY = "sk-q7zv0jx4wq9kz2vb8hxj5mqz3wy6"
_LOOPBACK = "127.0.0.1,localhost,::1"


@dataclass(frozen=True)
class Variable:
    """`ends` is what its value ends in behind the name of the upstream; `read_by` says whose it is."""

    name: str
    ends: str
    read_by: str


@dataclass(frozen=True)
class Vendor:
    """An API as it is known by name. `base_url` is "" where each customer has an address of their own."""

    name: str
    base_url: str
    mount: str
    variables: tuple[Variable, ...]
    keys: tuple[str, ...] = ()
    timeout_s: float = field(default=TIMEOUT_S)


VENDORS: tuple[Vendor, ...] = (
    Vendor(
        "openai",
        "https://api.openai.com/v1",
        "/v1",
        (
            Variable(
                "OPENAI_BASE_URL",
                "/v1",
                "openai for Python (from 1.0) and JavaScript, and most that use them",
            ),
            Variable("OPENAI_API_BASE", "/v1", "openai for Python before 1.0, LangChain, LiteLLM, aider"),
            Variable("OPENAI_API_BASE_URL", "/v1", "Open WebUI"),
        ),
        ("OPENAI_API_KEY",),
    ),
    Vendor(
        "anthropic",
        "https://api.anthropic.com",
        "",
        (
            Variable("ANTHROPIC_BASE_URL", "", "anthropic for Python and TypeScript, Claude Code, LiteLLM"),
            Variable("ANTHROPIC_API_URL", "", "LangChain"),
            Variable("ANTHROPIC_API_BASE", "", "LiteLLM"),
        ),
        ("ANTHROPIC_API_KEY",),
    ),
    Vendor(
        "gemini",
        "https://generativelanguage.googleapis.com",
        "",
        (
            Variable(
                "GOOGLE_GEMINI_BASE_URL", "", "google-genai for Python, JavaScript, Go and Java; Gemini CLI"
            ),
        ),
        ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    ),
    Vendor(
        "vertex",
        "",
        "",
        (Variable("GOOGLE_VERTEX_BASE_URL", "", "google-genai with Vertex AI; Gemini CLI"),),
    ),
    Vendor(
        "azure",
        "",
        "",
        (
            Variable("AZURE_OPENAI_ENDPOINT", "", "AzureOpenAI of openai, LangChain"),
            Variable("AZURE_API_BASE", "", "LiteLLM"),
        ),
        ("AZURE_OPENAI_API_KEY", "AZURE_API_KEY"),
    ),
    Vendor(
        "mistral",
        "https://api.mistral.ai/v1",
        "/v1",
        (
            Variable("MISTRAL_BASE_URL", "/v1", "LangChain, Inspect AI"),
            Variable("MISTRAL_API_BASE", "/v1", "LiteLLM"),
        ),
        ("MISTRAL_API_KEY",),
    ),
    Vendor(
        "groq",
        "https://api.groq.com",
        "",
        (Variable("GROQ_BASE_URL", "", "groq for Python and TypeScript"),),
        ("GROQ_API_KEY",),
    ),
    Vendor(
        "together",
        "https://api.together.xyz/v1",
        "/v1",
        (Variable("TOGETHER_BASE_URL", "/v1", "together for Python and TypeScript"),),
        ("TOGETHER_API_KEY",),
    ),
    Vendor(
        "cohere",
        "https://api.cohere.com",
        "",
        (Variable("CO_API_URL", "", "cohere for Python"),),
        ("CO_API_KEY", "COHERE_API_KEY"),
    ),
    Vendor(
        "deepseek",
        "https://api.deepseek.com/v1",
        "/v1",
        (Variable("DEEPSEEK_API_BASE", "/v1", "LangChain, LiteLLM"),),
        ("DEEPSEEK_API_KEY",),
    ),
    Vendor(
        "openrouter",
        "https://openrouter.ai/api/v1",
        "/v1",
        (Variable("OPENROUTER_API_BASE", "/v1", "LiteLLM, LangChain"),),
        ("OPENROUTER_API_KEY",),
    ),
    Vendor(
        "cerebras",
        "https://api.cerebras.ai",
        "",
        (Variable("CEREBRAS_BASE_URL", "", "cerebras-cloud-sdk for Python and TypeScript"),),
        ("CEREBRAS_API_KEY",),
    ),
    Vendor(
        "ollama",
        "http://127.0.0.1:11434",
        "",
        (
            Variable("OLLAMA_HOST", "", "ollama, its libraries for Python and JavaScript"),
            Variable("OLLAMA_API_BASE", "", "LiteLLM"),
        ),
    ),
)


def address_of(vendor: Vendor, env: Mapping[str, str]) -> str:
    """Where a vendor's API is: what the first of its variables that is set says, else its own address, "" for none."""
    for variable in vendor.variables:
        if given := env.get(variable.name, "").strip():
            # Ollama's may come without a scheme.
            return given if "://" in given else f"http://{given}"
    return vendor.base_url


def known_upstream(vendor: Vendor, env: Mapping[str, str], *, offline: bool) -> Upstream | None:
    """The upstream of a vendor as the environment has it; None where it has no address and one is needed."""
    if offline:
        return Upstream(vendor.name, mount=vendor.mount)
    address = address_of(vendor, env)
    return Upstream.at(vendor.name, address, vendor.mount, vendor.timeout_s) if address else None


def child_variables(
    address: str, routes: Routes, env: Mapping[str, str], own: Mapping[str, Sequence[str]]
) -> dict[str, str]:
    """What a program is told: where each upstream is, and that the proxy is asked directly.

    `own` are the variables of upstreams that the configuration adds, by name.
    """
    told: dict[str, str] = {}
    for vendor in VENDORS:
        if vendor.name in routes.upstreams:
            told |= {one.name: f"{address}/{vendor.name}{one.ends}" for one in vendor.variables}
    for name, variables in own.items():
        told |= dict.fromkeys(variables, f"{address}/{name}{routes.upstreams[name].mount}")
    # Whoever goes out through a company's proxy must not look for the loopback there.
    for name in ("NO_PROXY", "no_proxy"):
        told[name] = ",".join(filter(None, (env.get(name, ""), _LOOPBACK)))
    return told


def placeholder_keys(env: Mapping[str, str]) -> dict[str, str]:
    """Keys for a program that is only played to: SDKs refuse to start without one. Those that are set stay."""
    missing = [
        key for vendor in VENDORS if not any(env.get(one) for one in vendor.keys) for key in vendor.keys
    ]
    return dict.fromkeys(missing, PLACEHOLDER_KEY)


def known_secrets(env: Mapping[str, str]) -> tuple[str, ...]:
    """The keys that the environment holds, so that none is stored where a program prints it."""
    names = {key for vendor in VENDORS for key in vendor.keys}
    return tuple(sorted({env[name].strip() for name in names if env.get(name, "").strip()}))
