"""Declarations: what a rule or an element says of its looks, in the names and words that are understood here."""

# ruff: noqa: SIM905 - a list of names reads best as words
import re
import sys
from collections.abc import Iterator

from dibs.services.resumes.reading.html.css.splitting import drop_comments, split_outside

ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?|\\(.)")
FONT_SIZE = re.compile(r"(?:^|\s)(\.?\d[\d.]*(?:px|pt|em|rem|%|vw|vh|cm|mm|in)?)(?:\s*/\s*[^\s]+)?\s+[^\d\s]")
VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,((?:[^()]|\((?:[^()]|\([^()]*\))*\))*))?\)")
DEEPEST, LONGEST = 20, 10_000
IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)
KNOWN = frozenset(
    "display visibility opacity font-size font-weight font-style color background background-color background-image"
    " position left top right bottom text-indent clip clip-path width height max-height max-width overflow transform"
    " grid-template-columns grid-auto-flow flex-direction flex-flow margin-left margin-right padding-left padding-right"
    " margin-top margin padding content-visibility filter float zoom letter-spacing line-height z-index mask-image"
    " -webkit-text-fill-color animation animation-name animation-fill-mode animation-play-state background-clip contain"
    " backface-visibility mix-blend-mode mask-size content font-size-adjust min-height padding-top line-clamp isolation"
    " box-sizing table-layout".split()
)
# Names that go by the direction of writing, as they are in a page that is written from left to right.
_LOGICAL = {
    "inline-size": "width", "block-size": "height", "max-inline-size": "max-width", "max-block-size": "max-height",
    "min-block-size": "min-height", "inset-inline-start": "left", "inset-inline-end": "right",
    "inset-block-start": "top", "inset-block-end": "bottom", "margin-inline-start": "margin-left",
    "margin-inline-end": "margin-right", "margin-block-start": "margin-top", "padding-block-start": "padding-top",
    "padding-inline-start": "padding-left", "padding-inline-end": "padding-right", "overflow-x": "overflow",
    "overflow-y": "overflow", "overflow-block": "overflow", "overflow-inline": "overflow",
}  # fmt: skip
# Names that browsers had before all agreed.
_OLD = frozenset({
    "background-clip", "line-clamp", "mask", "mask-size", "mask-image", "filter", "transform", "clip-path", "animation",
    "backface-visibility",
})  # fmt: skip
_PAIRS = {
    "inset-inline": ("left", "right"), "inset-block": ("top", "bottom"),
    "margin-inline": ("margin-left", "margin-right"), "margin-block": ("margin-top", "margin-bottom"),
    "padding-block": ("padding-top", "padding-bottom"),
}  # fmt: skip

Declarations = dict[str, str]


def find_variables(body: str, *, important: bool = False) -> Declarations:
    """Give the variables that a rule sets, ordinary or important ones."""
    found = [(name, text) for name, text in _declarations(body) if name.startswith("--")] if "--" in body else []
    return {
        name: IMPORTANT.sub("", text).strip().lower()
        for name, text in found
        if bool(IMPORTANT.search(text)) is important
    }


def split_declarations(body: str, variables: Declarations | None = None) -> tuple[Declarations, Declarations]:
    """Give the ordinary and the important declarations that matter here, variables filled in if there are any."""
    plain: Declarations = {}
    strong: Declarations = {}
    for name, text in _declarations(body):
        wanted = strong if IMPORTANT.search(text) else plain
        filled = fill(IMPORTANT.sub("", text).strip().lower(), variables)
        wanted.update({one: part for one, part in _write_out(name, filled) if one in KNOWN})
    return plain, strong


def _declarations(body: str) -> Iterator[tuple[str, str]]:
    for part in split_outside(drop_comments(body), ";"):
        name, colon, text = part.partition(":")
        if colon:
            name = name.rpartition("}")[2]
            yield ESCAPE.sub(_unescape, name).strip().lower(), ESCAPE.sub(_unescape, text).strip()


def _unescape(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    code = int(found[1], 16)
    return chr(code) if code <= sys.maxunicode else ""


def _write_out(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Give what a declaration says, one property each where it sets several in short."""
    plain = name.removeprefix("-webkit-")
    name = plain if plain in _OLD else _LOGICAL.get(name, name)
    yield name, text
    if name == "font" and (size := FONT_SIZE.search(text)):
        yield "font-size", size[1]
    elif name in {"margin", "inset", "padding"}:
        yield from _sides(name, text.split())
    elif name in _PAIRS and text:
        yield from zip(_PAIRS[name], (text.split() * 2)[:2], strict=False)
    elif name in {"translate", "scale", "rotate"}:
        yield "transform", f"{name}({text})"
    elif name == "background":
        # The long forms that came before are undone.
        yield "background-color", ""
        yield "background-image", text if "url(" in text or "gradient(" in text else "none"
    elif name == "mask":
        yield "mask-image", text
        yield "mask-size", text.partition("/")[2]


def _sides(name: str, parts: list[str]) -> Iterator[tuple[str, str]]:
    orders = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
    prefix = "" if name == "inset" else f"{name}-"
    for side, at in zip(("top", "right", "bottom", "left"), orders.get(len(parts), ()), strict=False):
        yield prefix + side, parts[at]


def fill(text: str, variables: Declarations | None) -> str:
    """Put what variables hold in their places."""
    if variables is None:
        return text
    for _ in range(DEEPEST):
        filled = VARIABLE.sub(lambda found: _value(variables, found), text)
        # Variables of variables can grow without end.
        if filled == text or len(filled) > LONGEST:
            break
        text = filled
    return text


def _value(variables: Declarations, found: re.Match[str]) -> str:
    told = variables.get(found[1])
    return (found[2] or "").strip() if told is None or told == "initial" else told
