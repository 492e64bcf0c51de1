"""Which field of a profile is meant, such as `work[0].position`, and what it may be."""

import re
from functools import cache
from typing import Any, get_args, get_type_hints

from msgspec import Struct, structs

from dibs.errors import BadInput
from dibs.services.resumes.profile import Field, Part, Profile

BASICS = "basics"
NEW = "-"
LONGEST_TEXT = 10_000
LONGEST_PATH = 100
MOST_TEXTS = 200
_PATH = re.compile(r"(basics\.profiles|[a-z]+)(?:\[(\d{1,4}|-)\])?(?:\.([A-Za-z.]+))?")
_DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
Kinds = dict[str, str]


class Place(Struct, frozen=True, kw_only=True):
    """A field, an entry of a list (`field` is empty), or a new entry (`index` is None)."""

    section: str
    index: int | None = None
    field: str = ""

    @property
    def is_new(self) -> bool:
        return self.section != BASICS and self.index is None


def read_place(path: str) -> Place:
    """Read a path. One that no profile can have is refused."""
    found = _PATH.fullmatch(path) if len(path) <= LONGEST_PATH else None
    if found is None:
        raise _unknown(path)
    section, index, field = found[1], found[2], found[3] or ""
    if section == BASICS:
        if index is not None or _basics().get(field) is None:
            raise _unknown(path)
        return Place(section=section, field=field)
    kinds = _lists().get(section)
    if kinds is None or index is None or (field and (index == NEW or field not in kinds)):
        raise _unknown(path)
    return Place(section=section, index=None if index == NEW else int(index), field=field)


def check_value(place: Place, path: str, value: Any) -> Any:
    """Check what a field is to be; None takes it out. An entry is an object of its fields."""
    if value is None and not place.is_new:
        return None
    if place.section == BASICS:
        return _fit_text(path, place.field.rpartition(".")[2], value)
    kinds = _lists()[place.section]
    if place.field:
        return _fit(path, place.field, kinds[place.field], value)
    if not isinstance(value, dict) or not value or not set(value) <= set(kinds):
        message = f"{path} is an entry: give an object with any of {', '.join(kinds)}."
        raise BadInput(message)
    return {name: _fit(f"{path}.{name}", name, kinds[name], inner) for name, inner in value.items()}


def _fit(path: str, name: str, kind: str, value: Any) -> Any:
    if kind == "text":
        return _fit_text(path, name, value)
    if not isinstance(value, list) or len(value) > MOST_TEXTS:
        message = f"{path} is a list: give up to {MOST_TEXTS} texts."
        raise BadInput(message)
    return [_fit_text(path, name, one) for one in value]


def _fit_text(path: str, name: str, value: Any) -> str:
    text = value.strip() if isinstance(value, str) else ""
    is_clean = all(char.isprintable() or char in "\n\t" for char in text)
    if not text or len(text) > LONGEST_TEXT or not is_clean:
        message = f"{path} is a text: give 1 to {LONGEST_TEXT:,} printable characters, or null to take it out."
        raise BadInput(message)
    if name.lower().endswith("date") and not _DATE.fullmatch(text):
        message = f"{path} is a date: give YYYY, YYYY-MM or YYYY-MM-DD instead of {text[:40]!r}, or null for none."
        raise BadInput(message)
    return text


def _unknown(path: str) -> BadInput:
    return BadInput(
        f"a profile has no field {path[:LONGEST_PATH]!a}. Name one as meta.fields does, such as basics.name or"
        " work[0].position; work[0] is an entry, and work[-] a new one."
    )


@cache
def _basics() -> Kinds:
    kinds = _kinds_of(get_type_hints(Profile)["basics"])
    return {name: kind for name, kind in kinds.items() if kind == "text"}


@cache
def _lists() -> dict[str, Kinds]:
    hints = get_type_hints(Profile)
    found = {name: _kinds_of(part) for name, hint in hints.items() if (part := _part_in(hint, Part)) is not None}
    accounts = _part_in(get_type_hints(hints[BASICS])["profiles"], Part)
    assert accounts is not None  # noqa: S101 - our own records say so
    return {**found, "basics.profiles": _kinds_of(accounts)}


def _kinds_of(part: Any, prefix: str = "") -> Kinds:
    """Name the fields of a record as JSON has them; those of a record within it after a dot."""
    hints, kinds = get_type_hints(part), {}
    for info in structs.fields(part):
        hint, name = hints[info.name], f"{prefix}{info.encode_name}"
        inner = next((one for one in get_args(hint) if isinstance(one, type) and issubclass(one, Part)), None)
        if Field in get_args(hint):
            kinds[name] = "texts" if Ellipsis in get_args(hint) else "text"
        elif inner is not None and Ellipsis not in get_args(hint):
            kinds |= _kinds_of(inner, f"{name}.")
    return kinds


def _part_in(hint: Any, wanted: type) -> Any:
    """Give the record that a hint is a tuple of."""
    given = get_args(hint)
    is_tuple_of = len(given) == 2 and given[1] is Ellipsis and isinstance(given[0], type)  # noqa: PLR2004
    return given[0] if is_tuple_of and issubclass(given[0], wanted) else None
