"""Rule invention: shapes that refuse what the environment accepts, or refuse by a number that stands nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replaylab.builtin.seeded import refusals
from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.ground import Ground, Said, is_refusal, nodes
from replaylab.schema.seeded import Seeded

_SENTENCE = re.compile(r"[^.!?\n]{12,160}[.!?](?=\s|$)")
_NUMBER = re.compile(r"(?<![\w.:/-])\d+(?:\.\d+)?(?![\w:/-]|\.\d)")
_LIST_MARK = re.compile(r"^[\s\-*#>]+|`")


def no_rule(ground: Ground, draw: Draw) -> Said | None:
    """A rule that nobody wrote."""
    return _from_words(ground, draw, refusals.NO_RULE, "no_rule")


def no_such_limit(ground: Ground, draw: Draw) -> Said | None:
    """A limit that nobody set."""
    return _from_words(ground, draw, refusals.LIMITS, "limit")


def invented_clock(ground: Ground, draw: Draw) -> Said | None:
    """Time that passed by no clock."""
    return _from_words(ground, draw, refusals.CLOCKS, "clock")


def ungrounded_input(ground: Ground, draw: Draw) -> Said | None:
    """A measure that nobody took."""
    return _from_words(ground, draw, refusals.INPUTS, "ungrounded_input")


def changed_threshold(ground: Ground, draw: Draw) -> Said | None:
    """A rule of the contract with another number in it, for a call that keeps to the rule."""
    if ground.refused:
        return None
    sentences = [
        _LIST_MARK.sub("", match[0]).strip()
        for text in _texts(ground)
        for match in _SENTENCE.finditer(text.replace("\n", " "))
    ]
    fitting = [one for one in sentences if len(list(_NUMBER.finditer(one))) in (1, 2)]
    for sentence in draw.shuffled(fitting):
        new = _with_another_number(sentence, ground, draw)
        if new:
            return _refused(ground, f"refused: {new.rstrip('.')}", "changed_threshold")
    return None


def false_state(ground: Ground, draw: Draw) -> Said | None:
    """A refusal that another thing would have got, for one that gives no cause for it."""
    if ground.refused:
        return None
    for argument, name in draw.shuffled(sorted(ground.asked.items())):
        for other in draw.shuffled(ground.peers(name))[:8]:
            shown = ground.put({**ground.arguments, argument: other})
            text = shown["error"] if is_refusal(shown) else ""
            if other in text and not _speaks_of_absence(text):
                return _refused(ground, text.replace(other, name), "false_state")
    return None


def wrong_number(ground: Ground, draw: Draw) -> Said | None:
    """A refusal that is due, with another number in it."""
    if not ground.refused or str(ground.truth["error"]).startswith("invalid argument"):
        return None
    text = str(ground.truth["error"])
    new = _with_another_number(text, ground, draw)
    return _refused(ground, new, "wrong_number") if new else None


SHAPES = (
    no_rule,
    no_such_limit,
    invented_clock,
    ungrounded_input,
    changed_threshold,
    false_state,
    wrong_number,
)


def _from_words(ground: Ground, draw: Draw, words: Sequence[str], shape: str) -> Said | None:
    if ground.refused:
        return None
    named = sorted(ground.asked.items())
    noun, name = draw.one(named) if named else ("request", "this request")
    for text in draw.shuffled(words):
        few = str(2 + draw.below(7))
        said = text.format(
            it=name, noun=noun.replace("_", " "), act=ground.tool.name.replace("_", " "), few=few
        )
        if ground.is_new(said):
            return _refused(ground, said, shape)
    return None


def _refused(ground: Ground, text: str, shape: str) -> Said:
    seeded = Seeded(
        kind="rule_invention",
        shape=shape,
        pointer="/error",
        expected=ground.truth if ground.refused else None,
        observed=text,
    )
    return Said({"error": text}, (seeded,))


def _texts(ground: Ground) -> list[str]:
    """The contract's prose: the prompt's own text and long texts of the state, such as rules."""
    texts = [text for _, text in nodes(ground.environment.initial_state) if isinstance(text, str)]
    return [ground.environment.system_prompt, *(text for text in texts if len(text) > 40)]


def _with_another_number(text: str, ground: Ground, draw: Draw) -> str:
    """The text with a number that stands nowhere else; "" where there is none to change."""
    for match in draw.shuffled(list(_NUMBER.finditer(text))):
        decimals = len(match[0].partition(".")[2])
        for factor in draw.shuffled((1.4, 1.7, 2.3, 3.1, 3.7)):
            new = f"{float(match[0]) * factor + 1:.{decimals}f}"
            if not re.search(rf"(?<!\d){re.escape(new)}(?!\d)", ground.known):
                return text[: match.start()] + new + text[match.end() :]
    return ""


def _speaks_of_absence(text: str) -> bool:
    """Whether a refusal denies that something exists; that would be an omission."""
    return any(
        word in text for word in ("there is no", "there are no", "does not exist", "unknown", "not found")
    )
