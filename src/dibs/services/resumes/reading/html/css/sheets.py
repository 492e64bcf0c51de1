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

MOST_CSS = 3_000_000
MOST_RULES = 5_000
MOST_MATCHES = 1_000_000
_PARTS = re.compile(r"([.#])((?:[\w-]|[^\x00-\x7f])+)")
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\]]*\]")
_SCOPED = re.compile(r"@scope\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)", re.IGNORECASE)


class Rule(NamedTuple):
    weight: tuple[int, int, int]
    selector: str
    declarations: Declarations


class Rules(Struct, frozen=True):
    """What the sheets of a page say of each element, by its number in the tree."""

    matched: dict[int, Declarations] = field(default_factory=dict)
    frames: Frames = field(default_factory=dict)

    def find(self, node: Any) -> Declarations:
        """Give the declarations of an element: those of the sheets, its own, and what moving has made of them."""
        style = dict(self.matched.get(node.mem_id, {}))
        own = node.attributes.get("style")
        if own:
            plain, strong = split_declarations(own)
            # Those with variables were filled in together with the sheets.
            style.update({name: text for name, text in (plain | strong).items() if "var(" not in text})
        return settle(style, self.frames) if self.frames else style


def match_rules(tree: Any) -> Rules:
    """Give the declarations of each element, the strongest last."""
    css = gather_css(tree)
    rules = list(parse_rules(css))
    variables = {name: text for _, body in rules if "--" in body for name, text in find_variables(body).items()}
    names = _names_in(tree)
    told = [rule for rule in _weighed(rules, variables) if _may_match(rule.selector, names)]
    if len(css) > MOST_CSS or len(told) > MOST_RULES:
        raise refuse(Refusal.UNSAFE, what="style sheets of thousands of rules")
    matched = _match(tree, sorted(told, key=lambda rule: rule.weight))
    for node in tree.css('[style*="var("]')[:MOST_RULES]:
        style = node.attributes.get("style") or ""
        plain, strong = split_declarations(style, {**variables, **find_variables(style)})
        matched.setdefault(node.mem_id, {}).update(plain | strong)
    return Rules(matched, find_frames(css))


def _match(tree: Any, rules: list[Rule]) -> dict[int, Declarations]:
    matched: dict[int, Declarations] = {}
    left = MOST_MATCHES
    for rule in rules:
        for node in _select(tree, rule.selector):
            matched.setdefault(node.mem_id, {}).update(rule.declarations)
            left -= 1
        if left < 0:
            raise refuse(Refusal.UNSAFE, what="style sheets with a million uses")
    return matched


def _select(tree: Any, selector: str) -> list[Any]:
    if "::" in selector or ":hover" in selector or ":before" in selector or ":after" in selector:
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


def _weighed(rules: list[tuple[str, str]], variables: Declarations) -> Iterator[Rule]:
    for order, (prelude, body) in enumerate(rules):
        plain, strong = split_declarations(body, variables)
        for selector in split_outside(prelude, ","):
            if plain:
                yield Rule((0, _specificity(selector), order), selector.strip(), plain)
            if strong:
                yield Rule((1, _specificity(selector), order), selector.strip(), strong)


def parse_rules(css: str) -> Iterator[tuple[str, str]]:
    """Give selector and body of the rules that a wide screen applies."""
    for prelude, body in split_rules(css):
        if body is not None and prelude.startswith("@"):
            yield from _parse_group(prelude, body)
        elif body is not None:
            yield prelude, body
            yield from _nested(prelude, body)


def _parse_group(prelude: str, body: str) -> Iterator[tuple[str, str]]:
    name, _, condition = prelude.lower().replace("(", " (", 1).partition(" ")
    scope = _SCOPED.match(prelude)
    if scope:
        yield from _nested(scope[1], body)
    elif name in {"@media", "@container"}:
        yield from parse_rules(body) if applies(condition) else ()
    elif name in {"@layer", "@scope"} or (name == "@supports" and not condition.strip().startswith("not")):
        yield from parse_rules(body)


def _nested(outer: str, body: str) -> Iterator[tuple[str, str]]:
    """Give the rules inside a rule, with the selector that they would have outside of it."""
    for prelude, inner in parse_rules(body) if "{" in body else ():
        for selector in split_outside(prelude, ","):
            yield ", ".join(_inside(one.strip(), selector.strip()) for one in split_outside(outer, ",")), inner


def _inside(outer: str, selector: str) -> str:
    return (
        selector.replace("&", outer).replace(":scope", outer)
        if re.search("&|:scope", selector)
        else f"{outer} {selector}"
    )


def _specificity(selector: str) -> int:
    ids = selector.count("#")
    classes = selector.count(".") + selector.count("[") + selector.count(":")
    tags = len(re.findall(r"(?:^|[\s>+~])[a-z]", selector, re.IGNORECASE))
    return ids * 10_000 + classes * 100 + tags
