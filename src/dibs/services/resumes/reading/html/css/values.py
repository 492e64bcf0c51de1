"""Values of style sheets: lengths and numbers."""

import re
from math import inf, isfinite

PIXELS = {
    "px": 1.0, "pt": 4 / 3, "pc": 16.0, "rem": 16.0, "rlh": 19.2, "cm": 37.8, "mm": 3.78, "q": 0.945, "in": 96.0,
    "vw": 12.8, "svw": 12.8, "lvw": 12.8, "dvw": 12.8, "vi": 12.8, "vmax": 12.8,
    "vh": 8.0, "svh": 8.0, "lvh": 8.0, "dvh": 8.0, "vb": 8.0, "vmin": 8.0,
}  # fmt: skip
LETTERS = {"em": 1.0, "ex": 0.5, "ch": 0.5, "cap": 0.7, "ic": 1.0, "lh": 1.2}
"""Units that go by the size of the letters."""
SIZES = {"xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32}
MOST = 100_000.0
_LENGTH = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?)([a-z]+|%|)")
_SUM = re.compile(rf"{_LENGTH.pattern}|(calc|min|max|clamp|abs|-webkit-calc)?(\()|([-+*/,)])")
_MOST_PARTS = 200


def read_length(text: str, *, em: float = 16.0, whole: float = 800.0) -> float | None:
    """Give a length in pixels; None where it is none."""
    text = text.strip().lower()
    found = _LENGTH.match(text)
    length = _scale(found[1], found[2], em, whole) if found else _calculate(text, em, whole) if "(" in text else None
    return None if length is None else max(min(length, MOST), -MOST)


def read_number(text: str) -> float | None:
    """Give a number or a share; None where it is none."""
    return read_length(text, whole=1.0)


def read_size(text: str, *, parent: float) -> float:
    """Give a size of letters in pixels."""
    if text in SIZES:
        return float(SIZES[text])
    if text in {"smaller", "larger"}:
        return parent * (0.83 if text == "smaller" else 1.2)
    size = read_length(text, em=parent, whole=parent)
    return parent if size is None else size


def _scale(number: str, unit: str, em: float, whole: float) -> float:
    if unit == "%":
        return float(number) * whole / 100
    return float(number) * (LETTERS[unit] * em if unit in LETTERS else PIXELS.get(unit, 1.0))


def _calculate(text: str, em: float, whole: float) -> float | None:
    """Work out a sum such as `calc(0px - 9999px)` or `min(1px, 2em)`; None where it is none."""
    parts: list[str | float] = []
    for found in _SUM.finditer(text):
        number, unit, name, opening, sign = found.groups()
        parts.append(_scale(number, unit, em, whole) if number else (name or "calc") if opening else sign)
        if number and len(parts) > 1 and isinstance(parts[-2], float):
            parts.insert(-1, "+")
    try:
        made = _Sum(parts[:_MOST_PARTS]).add()
    except (IndexError, ValueError, ZeroDivisionError, OverflowError, RecursionError):
        return None
    return made if isfinite(made) else None


class _Sum:
    def __init__(self, parts: list[str | float]) -> None:
        self._parts = parts[::-1]

    def add(self) -> float:
        total = self._multiply()
        while self._parts and self._parts[-1] in {"+", "-"}:
            total += self._multiply() if self._parts.pop() == "+" else -self._multiply()
        return total

    def _multiply(self) -> float:
        total = self._take()
        while self._parts and self._parts[-1] in {"*", "/"}:
            total = total * self._take() if self._parts.pop() == "*" else total / self._take()
        return total

    def _take(self) -> float:
        part = self._parts.pop()
        if isinstance(part, float):
            return part
        if part in {"+", "-"}:
            return self._take() * (1 if part == "+" else -1)
        if part in {",", ")", "*", "/"}:
            raise ValueError(part)
        return self._call(part)

    def _call(self, name: str) -> float:
        given = [self.add()]
        while self._parts and self._parts.pop() == ",":
            given.append(self.add())
        if name == "clamp":
            low, middle, high = (*given, inf, inf)[:3]
            return max(low, min(middle, high))
        return {"min": min(given), "max": max(given), "abs": abs(given[0])}.get(name, given[0])
