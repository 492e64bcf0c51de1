"""Elements that move: how they look when they have come to rest."""

import re

from dibs.services.resumes.reading.html.css.declarations import Declarations, split_declarations
from dibs.services.resumes.reading.html.css.splitting import split_rules

Frames = dict[str, dict[str, Declarations]]
_NAMED = re.compile(r"@(?:-webkit-)?keyframes\s+[\"']?([\w-]+)", re.IGNORECASE)
_SECONDS = re.compile(r"(?<![\w.-])(\d*\.?\d+)(m?s)\b")
_LONG = 60.0
"""Who waits longer than this sees the beginning."""


def find_frames(css: str) -> Frames:
    """Give the first and the last look of each movement, by its name."""
    frames: Frames = {}
    for prelude, body in split_rules(css) if "keyframes" in css else ():
        named = _NAMED.match(prelude)
        if named and body:
            frames[named[1].lower()] = _read_frames(body)
    return frames


def _read_frames(body: str) -> dict[str, Declarations]:
    found: dict[str, Declarations] = {"from": {}, "to": {}}
    for prelude, inner in split_rules(body):
        plain, _ = split_declarations(inner or "")
        for place in prelude.lower().split(","):
            name = {"0%": "from", "100%": "to"}.get(place.strip(), place.strip())
            found.setdefault(name, {}).update(plain)
    return found


def settle(style: Declarations, frames: Frames) -> Declarations:
    """Give the declarations of an element when its movement is over, or all that stays the same if it never is."""
    words = " ".join(style.get(name, "") for name in style if name.startswith("animation"))
    for name in [word for word in words.replace(",", " ").split() if word in frames]:
        style = {**style, **_rest(frames[name], words)}
    return style


def _rest(frames: dict[str, Declarations], words: str) -> Declarations:
    times = [float(number) / (1000 if unit == "ms" else 1) for number, unit in _SECONDS.findall(words)]
    if "paused" in words or (times and max(times) > _LONG):
        return frames["from"]
    if "infinite" in words:
        return {
            name: text for name, text in frames["to"].items() if all(one.get(name) == text for one in frames.values())
        }
    return frames["to"] if re.search(r"\b(?:forwards|both)\b", words) else {}
