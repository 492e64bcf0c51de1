"""What a schema allows, in words."""

import json
from typing import Any

Schema = dict[str, Any]
# More words than this have a place of their own.
MOST_WORDS = 8
_NULL = {"type": "null"}
NOTHING = "–"  # noqa: RUF001 - a dash that stands alone
_PLAIN = {"boolean": "true or false", "null": "null"}


def name_of(schema: Schema) -> str | None:
    """Name the shape that a schema refers to, if it does."""
    return schema["$ref"].rpartition("/")[2] if "$ref" in schema else None


def has_place(schema: Schema) -> bool:
    """Tell whether a shape is told of in a place of its own; a few words stand where they are used."""
    return len(schema.get("enum", range(MOST_WORDS + 1))) > MOST_WORDS


def write_kind(schema: Schema, shapes: dict[str, Schema]) -> str:
    """Say what values a schema takes."""
    name = name_of(schema)
    if name is not None:
        return f"[{name}](#{name.lower()})" if has_place(shapes[name]) else write_kind(shapes[name], shapes)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            return " or ".join(write_kind(one, shapes) for one in schema[several] if one != _NULL)
    if "const" in schema or "enum" in schema:
        return ", ".join(f"`{word}`" for word in schema.get("enum", [schema.get("const")]))
    return _write_plain(schema, shapes)


def write_default(schema: Schema, *, is_needed: bool) -> str:
    """Say what a field is if it is left out."""
    if is_needed:
        return "needed"
    default = schema.get("default")
    return NOTHING if default in (None, "") else f"`{json.dumps(default).strip(chr(34))}`"


def may_be_null(schema: Schema) -> bool:
    """Tell whether null is among the values."""
    return _NULL in schema.get("anyOf", ())


def _write_plain(schema: Schema, shapes: dict[str, Schema]) -> str:
    kind = schema.get("type")
    match kind:
        case "string" if schema.get("format") == "date-time":
            return "instant"
        case "string":
            return _within("text", _span(schema, "minLength", "maxLength"), "characters")
        case "integer" | "number":
            return _within(kind, _span(schema, "minimum", "maximum", over="exclusiveMinimum"))
        case "array":
            # A pair names the kind of each of its two.
            each = write_kind(schema.get("items") or schema["prefixItems"][0], shapes)
            span = _span(schema, "minItems", "maxItems")
            return f"list of {span}: {each}" if span else f"list of {each}"
        case "object":
            return _write_object(schema, shapes)
    return _PLAIN.get(kind or "", "any JSON")


def _write_object(schema: Schema, shapes: dict[str, Schema]) -> str:
    values = schema.get("additionalProperties")
    if not isinstance(values, dict):
        return "object"
    return f"object, of each name {write_kind(values, shapes)}"


def _span(schema: Schema, least: str, most: str, *, over: str = "") -> str:
    low, high = schema.get(least), schema.get(most)
    if over in schema:
        return f"above {_count(schema[over])}" + ("" if high is None else f", up to {_count(high)}")
    if high is None:
        return "" if low is None else f"{_count(low)} or more"
    if low == high:
        return _count(high)
    return f"up to {_count(high)}" if low is None else f"{_count(low)} to {_count(high)}"


def _count(number: float) -> str:
    return f"{number:,.0f}" if number == int(number) else f"{number:,}"


def _within(kind: str, span: str, of_what: str = "") -> str:
    return f"{kind} ({f'{span} {of_what}'.rstrip()})" if span else kind
