"""The whole page: every route with its parameters, body and answer, then the shapes that they are made of."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from dibs.access.keeper import StoreGatekeeper
from dibs.assembly import Dibs, make_directory
from dibs.server.application import make_server
from dibs.server.description import list_codes
from dibs.server.reference.kinds import Schema, has_place, may_be_null, name_of, write_default, write_kind
from dibs.web.answers.problems import PROBLEMS, REFUSALS, ROUTING
from dibs.web.doors import SCOPE_MARK
from dibs.web.idempotency import HEADER

HEAD = """# The HTTP API

Written from the API's own description by `python -m dibs.server.reference`; a server gives the whole of it, with
schemas and examples, at `/api/v1/openapi.json`. [Use it over HTTP](../how-to/use-it-over-http.md) shows the way.
"""
SHAPES = """## Shapes

What answers, and parts of bodies, are made of. An instant is a text such as `2027-01-31T09:00:00Z`, with its offset
from UTC.
"""
JSON = "application/json"


def write_page() -> str:
    """Write the whole page."""
    # Nothing is opened: only the description is asked for.
    directory = make_directory(None)
    server = make_server(Dibs("memory://"), StoreGatekeeper(directory), directory)
    description = server.openapi()
    about = f"{description['info']['description']}\n"
    return "\n".join([HEAD, about, *_write_routes(description), *_write_problems(), *_write_shapes(description)])


def _write_routes(description: dict[str, Any]) -> Iterator[str]:
    operations = [
        (f"{method.upper()} {path}", operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    for tag in dict.fromkeys(operation["tags"][0] for _, operation in operations):
        yield f"## {tag.capitalize()}\n"
        for title, operation in operations:
            if operation["tags"][0] == tag:
                yield from _write_route(title, operation, description["components"]["schemas"])


def _write_route(title: str, operation: dict[str, Any], shapes: dict[str, Schema]) -> Iterator[str]:
    yield f"### {title}\n"
    scope = operation.get(SCOPE_MARK)
    needs = f"Scope `{scope}`." if scope else "No key needed."
    yield f"{' '.join(operation['description'].split())} {needs} {_write_answers(operation['responses'])}\n"
    # What every POST takes stands in the head of the page; what is in a path, in the path.
    told = [one for one in operation.get("parameters", ()) if one["in"] != "path" and one["name"] != HEADER]
    rows = [_write_parameter(one, shapes) for one in told]
    if rows:
        yield _write_table(("parameter", "in", "type", "default", ""), rows)
    if "requestBody" in operation:
        yield from _write_body(operation["requestBody"]["content"], shapes)


def _write_answers(responses: dict[str, Any]) -> str:
    good = [status for status in sorted(responses) if status < "300"]
    refused = ", ".join(status for status in sorted(responses) if status >= "300")
    what = _name_content(responses[good[-1]].get("content", {}))
    return f"Answers {' or '.join(good)}{what}" + (f"; refuses with {refused}." if refused else ".")


def _name_content(content: dict[str, Any]) -> str:
    if JSON not in content:
        return f" with {' or '.join(f'`{kind}`' for kind in content)}" if content else ""
    name = name_of(content[JSON]["schema"])
    return f" with [{name}](#{name.lower()})" if name else ""


def _write_parameter(parameter: dict[str, Any], shapes: dict[str, Schema]) -> tuple[str, ...]:
    schema = parameter["schema"]
    about = parameter.get("description") or schema.get("description", "")
    default = write_default(schema, is_needed=parameter.get("required", False))
    return f"`{parameter['name']}`", parameter["in"], write_kind(schema, shapes), default, about


def _write_body(content: dict[str, Any], shapes: dict[str, Schema]) -> Iterator[str]:
    if JSON not in content:
        yield f"Body: a file, as {' or '.join(f'`{kind}`' for kind in content)}.\n"
        return
    schema = content[JSON]["schema"]
    # A body that a route reads by itself is described where it stands.
    shape = shapes.get(name_of(schema) or "", schema)
    yield f"Body: {_uncapitalise(shape['description'])}\n"
    yield _write_fields(shape, shapes)
    yield f"```json\n{json.dumps(shape['examples'][0], ensure_ascii=False)}\n```\n"


def _write_fields(shape: Schema, shapes: dict[str, Schema]) -> str:
    needed = shape.get("required", ())
    rows = [
        (
            f"`{name}`",
            write_kind(field, shapes),
            write_default(field, is_needed=name in needed),
            field.get("description", ""),
        )
        for name, field in shape["properties"].items()
    ]
    return _write_table(("field", "type", "default", ""), rows)


def _write_problems() -> Iterator[str]:
    statuses = {code: status for status, code in PROBLEMS.values()} | REFUSALS
    statuses |= {code: status for status, (code, _) in ROUTING.items()}
    yield "## Problems\n"
    yield _write_table(("code", "status"), [(f"`{code}`", str(statuses[code])) for code in list_codes()])


def _write_shapes(description: dict[str, Any]) -> Iterator[str]:
    shapes = description["components"]["schemas"]
    bodies = {name_of(content["schema"]) for content in _list_bodies(description)}
    yield SHAPES
    for name in sorted(shapes):
        if name not in bodies and has_place(shapes[name]):
            yield from _write_shape(name, shapes)


def _list_bodies(description: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for methods in description["paths"].values():
        for operation in methods.values():
            content = operation.get("requestBody", {}).get("content", {})
            if JSON in content:
                yield content[JSON]


def _write_shape(name: str, shapes: dict[str, Schema]) -> Iterator[str]:
    shape = shapes[name]
    yield f"### {name}\n"
    yield f"{' '.join(shape['description'].split())}\n"
    if "enum" in shape:
        yield f"One of {', '.join(f'`{word}`' for word in shape['enum'])}.\n"
    elif name.endswith(("Body", "Item")):
        yield _write_fields(shape, shapes)
    else:
        rows = [_write_told(one, field, shapes) for one, field in shape["properties"].items()]
        yield _write_table(("field", "type", ""), rows)


def _write_told(name: str, field: Schema, shapes: dict[str, Schema]) -> tuple[str, ...]:
    kind = write_kind(field, shapes)
    return f"`{name}`", f"{kind} or null" if may_be_null(field) else kind, field.get("description", "")


def _write_table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    if not any(cells[-1] for cells in rows):
        heads, rows = heads[:-1], [cells[:-1] for cells in rows]
    lines = [" | ".join(cells) for cells in (heads, *rows)]
    return "\n".join([f"| {lines[0]} |", f"|{'---|' * len(heads)}", *(f"| {line} |" for line in lines[1:])]) + "\n"


def _uncapitalise(sentence: str) -> str:
    text = " ".join(sentence.split())
    return text[:1].lower() + text[1:]
