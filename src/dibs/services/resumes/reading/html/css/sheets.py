"""Style sheets inside a page: which declarations reach which element. Nothing is loaded from outside."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from msgspec import Struct, field

from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.reading.html.css.declarations import Declarations, find_variables, split_declarations
from dibs.services.resumes.reading.html.css.gathering import gather_css
from dibs.services.resumes.reading.html.css.media import applies
from dibs.services.resumes.reading.html.css.moving import Frames, find_frames, settle
from dibs.services.resumes.reading.html.css.splitting import split_outside, split_rules
from dibs.services.resumes.reading.html.css.variables import Variables
from dibs.services.resumes.reading.html.css.weighing import Layers, Weight

MOST_CSS = 3_000_000
MOST_RULES = 5_000
MOST_MATCHES = 1_000_000
_PARTS = re.compile(r"([.#])((?:[\w-]|[^\x00-\x7f])+)")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_SCOPED = re.compile(r"@scope\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.IGNORECASE)


_DRAWN = re.compile(r"::?(before|after|first-line)\s*$", re.IGNORECASE)
_SEEN = frozenset(
    {"content", "position", "background", "background-color", "background-image", "display", "opacity", "color"}
    | {"font-size", "-webkit-text-fill-color"}
)
"""What makes a drawn part lie over or under its element; resets that name all parts say none of it."""


class Found(NamedTuple):
    """A rule as it stands in a sheet."""

    selector: str
    body: str
    layer: str


class Rule(NamedTuple):
    weight: Weight
    selector: str
    declarations: Declarations
    variables: Declarations
    body: str
    """What is to be filled in with the variables of each element."""


Hits = dict[tuple[int, str], tuple[Any, list[Rule]]]
"""The rules of each element and of what is drawn before and after its contents, the strongest last."""


class Rules(Struct, frozen=True):
    """What the sheets of a page say of each element, by its number in the tree."""

    matched: dict[int, Declarations] = field(default_factory=dict)
    drawn: dict[int, dict[str, Declarations]] = field(default_factory=dict)
    """Of what is drawn before and after the contents of an element."""
    frames: Frames = field(default_factory=dict)

    def find(self, node: Any) -> Declarations:
        """Give the declarations of an element: those of the sheets, its own, and what moving has made of them."""
        style = self.matched.get(node.mem_id, {})
        return settle(dict(style), self.frames) if self.frames else style

    def find_drawn(self, node: Any) -> dict[str, Declarations]:
        """Give the declarations of what is drawn before and after the contents of an element."""
        drawn = self.drawn.get(node.mem_id, {}).items()
        return {
            name: style
            for name, style in drawn
            if name != "first-line" and style.get("content", "none") not in {"none", "normal"}
        }

    def find_line(self, node: Any) -> Declarations:
        """Give what is said of an element's first line alone."""
        return self.drawn.get(node.mem_id, {}).get("first-line", {})


def match_rules(tree: Any) -> Rules:
    """Give the declarations of each element, the strongest last."""
    css = gather_css(tree)
    layers = Layers()
    rules = list(parse_rules(css, layers))
    names = _names_in(tree)
    told = [rule for rule in _weighed(rules, layers) if _may_match(rule.selector, names)]
    if len(css) > MOST_CSS or len(told) > MOST_RULES:
        raise refuse(Refusal.UNSAFE, what="style sheets of thousands of rules")
    hits = _match(tree, sorted(told, key=lambda rule: rule.weight))
    _add_own(tree, hits, layers)
    return _settle(hits, find_frames(css))


def _match(tree: Any, rules: list[Rule]) -> Hits:
    hits: Hits = {}
    left = MOST_MATCHES
    for rule in rules:
        drawn = _DRAWN.search(rule.selector)
        part = drawn[1].lower() if drawn else ""
        if drawn and not _SEEN & rule.declarations.keys():
            continue
        for node in _select(tree, (rule.selector[: drawn.start()] or "*") if drawn else rule.selector):
            hits.setdefault((node.mem_id, part), (node, []))[1].append(rule)
            left -= 1
        if left < 0:
            raise refuse(Refusal.UNSAFE, what="style sheets with a million uses")
    return hits


def _add_own(tree: Any, hits: Hits, layers: Layers) -> None:
    """Add what elements say of themselves: stronger than any sheet, but for what is important there."""
    for node in tree.css("[style]"):
        rules = hits.setdefault((node.mem_id, ""), (node, []))[1]
        own = node.attributes.get("style") or ""
        rules += [_make_rule(layers.weigh_own(important=strong), "", own, strong=strong) for strong in (False, True)]
        rules.sort(key=lambda rule: rule.weight)


def _settle(hits: Hits, frames: Frames) -> Rules:
    variables = Variables()
    for (_, part), (node, rules) in hits.items():
        for rule in rules if not part else ():
            if rule.variables:
                variables.add(node, rule.variables)
    matched: dict[int, Declarations] = {}
    drawn: dict[int, dict[str, Declarations]] = {}
    filled: dict[tuple[int, int], Declarations] = {}
    for (number, part), (node, rules) in hits.items():
        style: Declarations = {}
        for rule in rules:
            style.update(_fill(rule, variables.find(node), filled) if rule.body else rule.declarations)
        if part:
            drawn.setdefault(number, {})[part] = style
        else:
            matched[number] = style
    return Rules(matched, drawn, frames)


def _fill(rule: Rule, variables: Declarations, filled: dict[tuple[int, int], Declarations]) -> Declarations:
    """Give the declarations of a rule for elements that have these variables; many share both."""
    key = (id(rule), id(variables))
    if key not in filled:
        filled[key] = split_declarations(rule.body, variables)[rule.weight[0]]
    return filled[key]


def _select(tree: Any, selector: str) -> list[Any]:
    if "::" in selector or ":hover" in selector:
        return []
    try:
        return list(tree.css(selector))
    except Exception:  # noqa: BLE001 - the library raises many kinds for selectors it does not know
        return []


def _names_in(tree: Any) -> frozenset[str]:
    """Give the classes and the names of all elements, as selectors write them."""
    classes = {f".{name}" for node in tree.css("[class]") for name in (node.attributes.get("class") or "").split()}
    return frozenset(classes | {f"#{node.attributes.get('id')}" for node in tree.css("[id]")})


def _may_match(selector: str, names: frozenset[str]) -> bool:
    """Tell whether the page has what a selector asks for: libraries have thousands of rules that nothing uses."""
    if "\\" in selector:
        return True
    while (plain := _BRACKETS.sub("", selector)) != selector:
        selector = plain
    return all(sign + name in names for sign, name in _PARTS.findall(selector))


def _weighed(rules: list[Found], layers: Layers) -> Iterator[Rule]:
    for order, (prelude, body, layer) in enumerate(rules):
        pair = [_make_rule((0, 0, 0, 0), "", body, strong=strong) for strong in (False, True)]
        for selector in split_outside(prelude, ","):
            for strong, rule in enumerate(pair):
                if rule.declarations or rule.variables:
                    weight = layers.weigh(layer, selector.strip(), order=order, important=bool(strong))
                    yield rule._replace(weight=weight, selector=selector.strip())


def _make_rule(weight: Weight, selector: str, body: str, *, strong: bool) -> Rule:
    declarations = split_declarations(body, {})[strong]
    deferred = body if declarations and "var(" in body.lower() else ""
    return Rule(weight, selector, declarations, find_variables(body, important=strong), deferred)


def parse_rules(css: str, layers: Layers, layer: str = "") -> Iterator[Found]:
    """Give selector, body and layer of the rules that a wide screen applies."""
    for prelude, body in split_rules(css):
        if prelude.startswith("@"):
            yield from _parse_group(prelude, body, layers, layer)
        elif body is not None:
            yield Found(prelude, body, layer)
            yield from _nested(Found(prelude, body, layer), layers)


def _parse_group(prelude: str, body: str | None, layers: Layers, layer: str) -> Iterator[Found]:
    name, _, condition = prelude.lower().replace("(", " (", 1).partition(" ")
    scope = _SCOPED.match(prelude)
    if name == "@layer":
        inner = [_add_layer(layers, layer, one.strip()) for one in condition.split(",")]
        yield from parse_rules(body or "", layers, inner[-1])
    elif body is None:
        return
    elif scope:
        yield from _nested(Found(scope[1], body, layer), layers)
    elif name in {"@media", "@container"}:
        # A container may be named before its condition.
        asked = condition[max(condition.find("("), 0) :] if name == "@container" else condition
        yield from parse_rules(body, layers, layer) if applies(asked) else ()
    elif name == "@scope" or (name == "@supports" and not condition.strip().startswith("not")):
        yield from parse_rules(body, layers, layer)


def _add_layer(layers: Layers, outer: str, name: str) -> str:
    if not name:
        return layers.add_nameless(outer)
    return layers.add(f"{outer}.{name}" if outer else name)


def _nested(rule: Found, layers: Layers) -> Iterator[Found]:
    """Give the rules inside a rule, with the selector that they would have outside of it."""
    for prelude, inner, layer in parse_rules(rule.body, layers, rule.layer) if "{" in rule.body else ():
        for selector in split_outside(prelude, ","):
            outside = [_inside(one.strip(), selector.strip()) for one in split_outside(rule.selector, ",")]
            yield Found(", ".join(outside), inner, layer)


def _inside(outer: str, selector: str) -> str:
    return (
        selector.replace("&", outer).replace(":scope", outer)
        if re.search("&|:scope", selector)
        else f"{outer} {selector}"
    )
