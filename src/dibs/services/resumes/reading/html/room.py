"""Room in a box that cuts: how far down its text must at least begin, and whether that is still inside."""

from math import inf
from typing import Any

from dibs.services.resumes.reading.html.arrangement import BLOCKS, NEVER, side_by_side
from dibs.services.resumes.reading.html.css.declarations import Declarations
from dibs.services.resumes.reading.html.css.sheets import Rules
from dibs.services.resumes.reading.html.css.values import read_length, read_number
from dibs.services.resumes.reading.html.hiding import MOVES, find_height, is_cutting

DEEPEST = 12
LINE = 1.1
"""A line is at least so much higher than its letters, if nobody says otherwise."""


def find_room(style: Declarations, size: float, room: float) -> float:
    """Give the height in which the text of an element can be seen, out of that which is left around it."""
    if not is_cutting(style):
        return room
    lines = read_number(style.get("line-clamp", ""))
    within = read_length(style.get("padding-top", ""), em=size) if style.get("box-sizing") == "border-box" else None
    return min(room, find_height(style, size) - (within or 0.0), inf if lines is None else lines * LINE * size)


def find_push(style: Declarations, size: float) -> float:
    """Give how far an element pushes its own text down."""
    told = [style.get("padding-top", ""), style.get("margin-top", "")]
    if style.get("position") in {"relative", "absolute"}:
        told.append(style.get("top", ""))
    moves = MOVES.findall(style.get("transform", "").replace("translatex", ""))
    told += [inside.replace(",", " ").split()[-1] for inside in moves if inside.strip(" ,")]
    return sum(max(read_length(text, em=size) or 0.0, 0.0) for text in told if not text.endswith("%"))


def least_height(node: Any, rules: Rules, size: float, depth: int = 0) -> float:
    """Give the height that an element takes at least from what stands below it."""
    if node.tag == "br":
        return LINE * size
    if node.tag == "-text" or node.tag in NEVER or depth > DEEPEST:
        return 0.0
    style = rules.find(node)
    display = style.get("display") or ("block" if node.tag in BLOCKS else "inline")
    if _is_beside(style) or display.startswith("inline"):
        return 0.0
    around = find_push({name: text for name, text in style.items() if name in {"padding-top", "margin-top"}}, size)
    height = read_length(style.get("height", ""), em=size)
    if height is not None and not style["height"].endswith("%"):
        return around + height
    least = read_length(style.get("min-height", ""), em=size) or 0.0
    return around + max(least, _inner_height(node, style, rules, size, depth))


def _inner_height(node: Any, style: Declarations, rules: Rules, size: float, depth: int) -> float:
    inside = [least_height(part, rules, size, depth + 1) for part in node.iter()]
    if side_by_side(style) > 1 or node.tag in {"table", "tr", "tbody"}:
        return max(inside, default=0.0)
    has_line = any(
        part.tag == "-text" and (part.text_content or "").strip(" \t\r\n") for part in node.iter(include_text=True)
    )
    return sum(inside) + (size if has_line else 0.0)


def _is_beside(style: Declarations) -> bool:
    """Tell whether an element takes no height from what follows it."""
    return (
        style.get("display") == "none"
        or style.get("position") in {"absolute", "fixed"}
        or style.get("float", "none") != "none"
        or "table" in style.get("display", "")
    )
