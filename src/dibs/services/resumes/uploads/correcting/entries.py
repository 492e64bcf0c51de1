"""Entries of a list, found again after a document was read anew: they may stand elsewhere then, or be gone."""

from typing import Any

from msgspec import Struct

LIKE = 0.5
"""So much of an entry must be the same for it to be the one that a person saw."""


class Entry(Struct):
    """One entry. `read` is how the document gave it, at `index`; `added`: the correction that brought it."""

    plain: dict[str, Any]
    read: dict[str, Any] | None = None
    index: int | None = None
    added: str | None = None
    is_removed: bool = False
    corrected: dict[str, Any] = {}
    """The last correction of each field, by its name."""

    def make_anchor(self) -> dict[str, Any]:
        """Say which entry it is, so that it is found again."""
        return {"added": self.added} if self.read is None else {"read": self.read, "index": self.index}


def find_entry(entries: list[Entry], anchor: dict[str, Any]) -> Entry | None:
    """Find the entry that is meant; None where there is none like it."""
    if "added" in anchor:
        return next((one for one in entries if one.added == anchor["added"]), None)
    seen, index = anchor["read"], anchor["index"]
    likely = [one for one in entries if one.read is not None and _liken(one.read, seen) >= LIKE]
    return max(likely, key=lambda one: (_liken(one.read or {}, seen), -abs((one.index or 0) - index)), default=None)


def _liken(one: dict[str, Any], other: dict[str, Any]) -> float:
    """Tell how much two entries have in common, from 0 to 1: by their short fields, which say what an entry is."""
    mine, theirs = _name(one), _name(other)
    if not mine and not theirs:
        return 1.0 if one == other else 0.0
    return len(mine & theirs) / max(len(mine), len(theirs))


def _name(entry: dict[str, Any]) -> set[tuple[str, str]]:
    return {(name, " ".join(value.split()).lower()) for name, value in entry.items() if isinstance(value, str)}
