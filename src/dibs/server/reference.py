"""The reference page of the API, written from its description: `python -m dibs.server.reference`."""

import sys
from collections.abc import Iterator
from typing import Any

from dibs.access.keeper import StoreGatekeeper
from dibs.assembly import Dibs, make_directory
from dibs.server.application import make_server
from dibs.server.description import list_codes
from dibs.web.doors import SCOPE_MARK
from dibs.web.problems import PROBLEMS, REFUSALS, ROUTING

HEAD = """# The HTTP API

Written from the API's own description by `python -m dibs.server.reference`; a server gives the whole of it, with
schemas and examples, at `/api/v1/openapi.json`. [Use it over HTTP](../how-to/use-it-over-http.md) shows the way.
"""


def write_page() -> str:
    """Write the whole page."""
    # Nothing is opened: only the description is asked for.
    directory = make_directory(None)
    server = make_server(Dibs("memory://"), StoreGatekeeper(directory), directory)
    description = server.openapi()
    parts = [HEAD, f"{description['info']['description']}\n", *_write_routes(description), *_write_problems()]
    return "\n".join(parts)


def _write_routes(description: dict[str, Any]) -> Iterator[str]:
    operations = [
        (path, method, operation)
        for path, methods in description["paths"].items()
        for method, operation in methods.items()
    ]
    for tag in dict.fromkeys(operation["tags"][0] for _, _, operation in operations):
        yield f"## {tag.capitalize()}\n"
        for path, method, operation in operations:
            if operation["tags"][0] == tag:
                yield from _write_route(path, method, operation)


def _write_route(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    yield f"### {method.upper()} {path}\n"
    scope = operation.get(SCOPE_MARK)
    needs = f"Scope `{scope}`." if scope else "No key needed."
    statuses = ", ".join(sorted(operation["responses"]))
    yield f"{' '.join(operation['description'].split())} {needs} Answers {statuses}.\n"
    rows = [_write_parameter(one) for one in operation.get("parameters", ()) if one["in"] != "path"]
    if rows:
        yield "\n".join(["| parameter | in | |", "|---|---|---|", *rows]) + "\n"
    body = operation.get("requestBody")
    if body is not None:
        yield f"Body: {_name_body(body['content'])}.\n"


def _name_body(content: dict[str, Any]) -> str:
    if "application/json" not in content:
        return f"a file, as {' or '.join(f'`{kind}`' for kind in content)}"
    schema = content["application/json"]["schema"]
    # A body that a route reads by itself is described where it stands.
    return f"`{schema['title'] if 'title' in schema else schema['$ref'].rpartition('/')[2]}`"


def _write_parameter(parameter: dict[str, Any]) -> str:
    about = parameter.get("description") or parameter["schema"].get("description", "")
    return f"| `{parameter['name']}` | {parameter['in']} | {about} |"


def _write_problems() -> Iterator[str]:
    statuses = {code: status for status, code in PROBLEMS.values()} | REFUSALS
    statuses |= {code: status for status, (code, _) in ROUTING.items()}
    rows = [f"| `{code}` | {statuses[code]} |" for code in list_codes()]
    yield "## Problems\n"
    yield "\n".join(["| code | status |", "|---|---|", *rows]) + "\n"


if __name__ == "__main__":
    sys.stdout.write(write_page())
