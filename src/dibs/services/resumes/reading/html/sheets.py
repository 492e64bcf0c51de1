"""Style sheets inside a page: which declarations reach which element. Nothing is loaded from outside."""

# ruff: noqa: SIM905 - a list of names reads best as words
import re
import sys
from collections.abc import Iterator
from typing import Any, NamedTuple

MOST_CSS = 500_000
MOST_RULES = 4_000
MOST_MATCHES = 200_000
SCREEN_WIDTH = 1280.0
COMMENT = re.compile(r"/\*.*?\*/|<!--|-->", re.DOTALL)
ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?|\\(.)")
FONT_SIZE = re.compile(r"(?:^|\s)(\.?\d[\d.]*(?:px|pt|em|rem|%|vw|vh|cm|mm|in)?)(?:\s*/\s*[^\s]+)?\s+[^\d\s]")
VARIABLE = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
WIDTH_RULE = re.compile(r"(min|max)-width\s*:\s*([\d.]+)(px|em|rem)")
KNOWN = frozenset(
    "display visibility opacity font-size font-weight font-style color background background-color background-image"
    " position left top right bottom text-indent clip clip-path width height max-height max-width overflow transform"
    " grid-template-columns grid-auto-flow flex-direction flex-flow margin-left margin-right padding-left padding-right"
    " margin-top margin padding content-visibility filter float zoom letter-spacing line-height z-index mask-image"
    " -webkit-text-fill-color".split()
)

Declarations = dict[str, str]


class Rule(NamedTuple):
    weight: tuple[int, int, int]
    selector: str
    declarations: Declarations


def match_rules(tree: Any) -> dict[int, Declarations]:
    """Give the declarations of each element, by its number in the tree, the strongest last."""
    css = "\n".join(node.text() or "" for node in tree.css("style"))[:MOST_CSS]
    rules = sorted(_weighed(css), key=lambda rule: rule.weight)
    matched: dict[int, Declarations] = {}
    left = MOST_MATCHES
    variables = rules.pop().declarations
    for rule in rules[:MOST_RULES]:
        for node in _select(tree, rule.selector):
            matched.setdefault(node.mem_id, {}).update(rule.declarations)
            left -= 1
        if left < 0:
            break
    for node in tree.css('[style*="var("]')[:MOST_RULES]:
        style = node.attributes.get("style") or ""
        plain, strong = split_declarations(style, {**variables, **_find_variables(style)})
        matched.setdefault(node.mem_id, {}).update(plain | strong)
    return matched


def _find_variables(body: str) -> Declarations:
    return {name: text for name, text in _declarations(body) if name.startswith("--")}


def _select(tree: Any, selector: str) -> list[Any]:
    if "::" in selector or ":hover" in selector or ":before" in selector or ":after" in selector:
        return []
    try:
        return list(tree.css(selector))
    except Exception:  # noqa: BLE001 - the library raises many kinds for selectors it does not know
        return []


def _weighed(css: str) -> Iterator[Rule]:
    variables: Declarations = {}
    rules = list(parse_rules(COMMENT.sub("", css)))
    for _, body in rules:
        variables.update(_find_variables(body))
    yield Rule((2, 0, 0), "", variables)
    for order, (prelude, body) in enumerate(rules):
        plain, strong = split_declarations(body, variables)
        for selector in prelude.split(","):
            if plain:
                yield Rule((0, _specificity(selector), order), selector.strip(), plain)
            if strong:
                yield Rule((1, _specificity(selector), order), selector.strip(), strong)


def parse_rules(css: str) -> Iterator[tuple[str, str]]:
    """Give selector and body of the rules that a wide screen applies."""
    start = 0
    while (opening := css.find("{", start)) >= 0:
        prelude = css[start:opening].rpartition(";")[2].strip()
        closing = _matching(css, opening)
        body = css[opening + 1 : closing]
        start = closing + 1
        if not prelude.startswith("@"):
            yield prelude, body
            yield from _nested(prelude, body)
        elif prelude.startswith(("@media", "@supports", "@layer", "@container")) and _applies(prelude):
            yield from parse_rules(body)


def _nested(outer: str, body: str) -> Iterator[tuple[str, str]]:
    """Give the rules inside a rule, with the selector that they would have outside of it."""
    for prelude, inner in parse_rules(body) if "{" in body else ():
        for selector in prelude.split(","):
            yield ", ".join(_inside(one.strip(), selector.strip()) for one in outer.split(",")), inner


def _inside(outer: str, selector: str) -> str:
    return selector.replace("&", outer) if "&" in selector else f"{outer} {selector}"


def _matching(css: str, opening: int) -> int:
    depth = 0
    for found in re.finditer(r"[{}]", css[opening:]):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return opening + found.start()
    return len(css)


def _applies(prelude: str) -> bool:
    if "print" in prelude and "screen" not in prelude:
        return False
    for kind, size, unit in WIDTH_RULE.findall(prelude):
        width = float(size) * (1 if unit == "px" else 16)
        if (kind == "min" and width > SCREEN_WIDTH) or (kind == "max" and width < SCREEN_WIDTH):
            return False
    return True


def _declarations(body: str) -> Iterator[tuple[str, str]]:
    for part in ESCAPE.sub(_unescape, COMMENT.sub("", body)).split(";"):
        name, colon, text = part.partition(":")
        if colon:
            yield name.rpartition("}")[2].strip().lower(), text.strip()


def _unescape(found: re.Match[str]) -> str:
    if found[2]:
        return found[2]
    code = int(found[1], 16)
    return chr(code) if code <= sys.maxunicode else ""


def split_declarations(body: str, variables: Declarations | None = None) -> tuple[Declarations, Declarations]:
    """Give the ordinary and the important declarations that matter here, variables filled in if there are any."""
    plain: Declarations = {}
    strong: Declarations = {}
    for name, text in _declarations(body):
        wanted = strong if "!important" in text else plain
        filled = _fill(text.replace("!important", "").strip().lower(), variables)
        wanted.update({one: part for one, part in _write_out(name, filled) if one in KNOWN})
    return plain, strong


def _write_out(name: str, text: str) -> Iterator[tuple[str, str]]:
    """Give what a declaration says, one property each where it sets several in short."""
    yield name, text
    if name == "font" and (size := FONT_SIZE.search(text)):
        yield "font-size", size[1]
    elif name in {"margin", "inset"}:
        yield from _sides(name, text.split())
    elif name in {"overflow-x", "overflow-y"}:
        yield "overflow", text
    elif name in {"translate", "scale", "rotate"}:
        yield "transform", f"{name}({text})"
    elif name.endswith(("mask", "mask-image")):
        yield "mask-image", text


def _sides(name: str, parts: list[str]) -> Iterator[tuple[str, str]]:
    orders = {1: (0, 0, 0, 0), 2: (0, 1, 0, 1), 3: (0, 1, 2, 1), 4: (0, 1, 2, 3)}
    prefix = "margin-" if name == "margin" else ""
    for side, at in zip(("top", "right", "bottom", "left"), orders.get(len(parts), ()), strict=False):
        yield prefix + side, parts[at]


def _fill(text: str, variables: Declarations | None) -> str:
    if variables is None:
        return text
    for _ in range(5):
        filled = VARIABLE.sub(lambda found: variables.get(found[1], found[2] or "").lower(), text)
        if filled == text:
            break
        text = filled
    return text


def _specificity(selector: str) -> int:
    ids = selector.count("#")
    classes = selector.count(".") + selector.count("[") + selector.count(":")
    tags = len(re.findall(r"(?:^|[\s>+~])[a-z]", selector, re.IGNORECASE))
    return ids * 10_000 + classes * 100 + tags
