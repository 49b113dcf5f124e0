"""What credentials look like in headers that stand in a body: cookies, and headers whose value is always a key.

Bodies hold headers where somebody logs, tests or teaches HTTP: as lines, as fields of an object, or as the `name` and
`value` of HAR; and all of that once more as a text inside of JSON, its quotes escaped. Repetitions are bounded, so that
no text takes more than linear time.
"""

from __future__ import annotations

from replaylab.wire.shape import VALUE, Shape, shape

_SPACE = r"(?:\s|\\[nrt]){0,80}"
_QUOTE = r'\\{0,7}"'
_AFTER = r"""(?:\\{0,7}["'])?\s{0,4}[:=]\s{0,4}(?:\[\s{0,4})?(?:\\{0,7}["'])?"""  # from a header's name to its value
_NAME = r"[A-Za-z0-9_.$!-]{1,64}"
_COOKIE_VALUE = r"[!#-&(-+\--:<-\[\]-~]"  # printable, without space, quotes, comma, semicolon, backslash
_ATTRIBUTE = r"(?i:path=|domain=|expires=|max-age=|httponly|secure|samesite=|partitioned)"
_NO_ATTRIBUTE = r"(?!(?i:path|domain|expires|max-age|samesite|charset|boundary|version)=)"

_COOKIES = (
    shape(
        "cookie",
        "cookie",
        rf"(?<![A-Za-z0-9])(?i:(?:set-)?cookie2?){_AFTER}"
        rf"({_NAME}={_COOKIE_VALUE}{{1,4000}}(?:;\s{{0,2}}{_NAME}(?:={_COOKIE_VALUE}{{0,2000}})?){{0,60}})",
    ),
    # The value of a cookie that a server sets, wherever it stands: its attributes say what it is.
    shape(
        "cookie",
        "httponly|samesite|max-age|expires=|path=/|domain=",
        rf"(?<![A-Za-z0-9_.$!-]){_NO_ATTRIBUTE}{_NAME}=([^\s;,\"'<>\\=&]{{8,4000}}={{0,3}})(?=;\s{{0,2}}{_ATTRIBUTE})",
        gate=";",
    ),
)


def _wherever(gate: str, names: str, *, always: bool) -> tuple[Shape, ...]:
    """The shapes of headers of these names, each of which holds `gate`.

    `always`: the value is a key in whatever form; of others only what HAR and its like hold is one, an object with a
    name and a value in either order.
    """
    of_name = rf"{_QUOTE}name{_QUOTE}{_SPACE}:{_SPACE}{_QUOTE}(?i:{names}){_QUOTE}"
    of_value = rf'{_QUOTE}value{_QUOTE}{_SPACE}:{_SPACE}{_QUOTE}([^"\\]{{4,8000}})'
    shapes = (
        shape("header in an object", gate, rf"{of_name}{_SPACE},{_SPACE}{of_value}"),
        shape("header in an object", gate, rf"{of_value}{_QUOTE}{_SPACE},{_SPACE}{of_name}"),
    )
    if not always:
        return shapes
    plain = rf"(?<![A-Za-z0-9-])(?i:{names}){_AFTER}({VALUE}{{8,4000}})"
    return (shape("key in a header", gate, plain), *shapes)


HEADERS = (
    *_COOKIES,
    *_wherever("authorization", "authorization", always=False),
    *_wherever("authorization", "proxy-authorization", always=True),
    *_wherever("cookie", "(?:set-)?cookie2?", always=False),
    *_wherever(
        "-key",
        "x-api-key|x-goog-api-key|ocp-apim-subscription-key|xi-api-key|x-functions-key|api-key",
        always=True,
    ),
    *_wherever(
        "-token",
        "x-auth-token|x-access-token|x-amz-security-token|private-token|x-vault-token",
        always=True,
    ),
)
