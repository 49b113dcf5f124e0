from __future__ import annotations

import pytest

from replaylab.capture.routes import Routes, Upstream, climbs
from replaylab.errors import UsageError


@pytest.mark.parametrize(
    ("base", "mount", "asked", "wanted"),
    [
        ("https://api.openai.com/v1", "/v1", "/v1/chat/completions", "/v1/chat/completions"),
        ("https://x.com/compatible-mode/v1", "/v1", "/v1/models?a=b", "/compatible-mode/v1/models?a=b"),
        ("https://x.com/compatible-mode/v1", "/v1", "/files", "/compatible-mode/files"),
        ("https://x.com/v1beta/openai", "/v1", "/v1/models", "/v1beta/openai/models"),  # no /v1 of its own
        ("https://x.com", "/v1", "/v1/models", "/models"),
        ("https://x.com/v1", "/v1", "/v1", "/v1"),
        ("https://x.com/v1", "/v1", "/v1?x", "/v1?x"),
        ("https://x.com/v1", "/v1", "/v10/x", "/v10/x"),
        ("https://api.anthropic.com", "", "/v1/messages", "/v1/messages"),
        ("https://gw.com/anthropic/", "", "/v1/messages", "/anthropic/v1/messages"),
        ("https://x.com/deep/v2", None, "/v2/a:b", "/deep/v2/a:b"),
        ("https://x.com", "", "/", "/"),
    ],
)
def test_what_an_upstream_is_asked_for(base: str, mount: str | None, asked: str, wanted: str) -> None:
    assert Upstream.at("x", base, mount).target(asked) == wanted


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/openai/v1/models", ("openai", "/v1/models")),
        ("/openai", ("openai", "/")),
        ("/openai/", ("openai", "/")),
        ("/openai/a%2Fb", ("openai", "/a%2Fb")),
        ("/openaix/v1", None),
        ("/v1/models", None),
        ("/", None),
    ],
)
def test_the_first_part_of_a_path_names_the_upstream(path: str, found: tuple[str, str] | None) -> None:
    routed = Routes([Upstream("openai", mount="/v1")]).find(path)
    assert (routed and (routed[0].name, routed[1])) == found


@pytest.mark.parametrize("name", ["", "A", "a/b", "a b", "-a", "a" * 65])
def test_a_name_stands_in_a_path(name: str) -> None:
    with pytest.raises(UsageError):
        Routes([Upstream(name)])


def test_the_version_that_an_address_ends_in_is_the_mount() -> None:
    mounts = [
        Upstream.at("x", url).mount
        for url in ("http://x/v1/", "http://x/a/v1beta", "http://x/vx", "http://x")
    ]
    assert mounts == ["/v1", "/v1beta", "", ""]


def test_without_an_address_nothing_can_be_asked() -> None:
    with pytest.raises(UsageError):
        Upstream("x").target("/v1")


def test_what_is_recorded_can_be_played_though_nobody_configured_it() -> None:
    known = Routes([Upstream("openai", mount="/v1")])
    routes = known.with_recorded(
        {"lab": "https://lab.example/api/v2/", "openai": "https://x.com", "http-10-0-0-1-80": "", "a b": ""}
    )
    assert {name: one.mount for name, one in routes.upstreams.items()} == {
        "openai": "/v1",
        "lab": "/v2",
        "http-10-0-0-1-80": "",
    }
    found = routes.find("/lab/v2/chat/completions")
    assert found is not None
    assert (found[0].base, found[1]) == (None, "/v2/chat/completions")
    assert list(known.upstreams) == ["openai"]


@pytest.mark.parametrize(
    ("base", "mount", "location", "led"),
    [
        ("https://x.com/v1", "/v1", "https://x.com/v1/files/?a=b", "/x/v1/files/?a=b"),
        ("https://x.com/v1", "/v1", "/v1/files/", "/x/v1/files/"),
        ("https://x.com/v1", "/v1", "other", "/x/v1/other"),
        ("https://x.com/v1", "/v1", "/v2/files", "/x/v2/files"),
        ("https://x.com/deep/v1", "/v1", "/deep/v1/a", "/x/v1/a"),
        ("https://x.com/deep/v1", "/v1", "/elsewhere/v1/a", None),
        ("https://x.com/v1beta/openai", "/v1", "/v1beta/openai/a", "/x/v1/a"),
        ("https://x.com", "", "/a", "/x/a"),
        ("https://x.com", "", "http://x.com/a", None),
        ("https://x.com", "", "https://x.com.evil.org/a", None),
        ("https://x.com", "", "https://x.com:444/a", None),
        ("https://x.com", "", "https://x.com@evil.org/a", None),
        ("https://x.com", "", "//evil.org/a", None),
        ("https://x.com", "", "http://[", None),
        ("", "", "/a", None),
    ],
)
def test_a_redirect_leads_through_the_proxy_where_it_stays_at_its_upstream(
    base: str, mount: str, location: str, led: str | None
) -> None:
    upstream = Upstream.at("x", base, mount) if base else Upstream("x")
    assert upstream.led("/v1/files" if base == "https://x.com/v1" else "/", location) == led


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("/v1/../admin", True),
        ("/v1/%2e%2E/admin", True),
        ("/..", True),
        ("/v1/./x", True),
        ("/v1/.%2e", True),
        ("/v1/..x/...", False),
        ("/v1/a..b", False),
        ("/v1//x", False),
    ],
)
def test_a_path_that_climbs_is_told_from_others(path: str, found: bool) -> None:
    assert climbs(path) == found
