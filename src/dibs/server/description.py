"""The OpenAPI description, completed."""

import asyncio
import threading
from typing import Any

import msgspec
from fastapi import FastAPI, Request
from fastapi.openapi.utils import get_openapi
from starlette.responses import Response
from starlette.routing import Match, Route

from dibs.server.examples import add_examples
from dibs.web.answers.problems import PROBLEMS, REFUSALS, ROUTING
from dibs.web.doors import describe_problem
from dibs.web.idempotency import HEADER

ABOUT = """Jobs over HTTP. Send your key with every request: `Authorization: Bearer …`.

Errors are `application/problem+json` with a stable `code`, the `field` where there is one, and what to do next.
Lists come in pages: give `next_cursor` back as `cursor`. Every POST takes an `Idempotency-Key`: the same key and body
get the same answer, another body gets 409. HEAD answers as GET does, without the body. Another tenant's things answer
exactly like missing ones."""
PROBLEM = {
    "type": "object",
    "description": "An error, as RFC 9457 has it.",
    "required": ["type", "title", "status", "code", "detail"],
    "examples": [
        {
            "type": "urn:dibs:problem:job_not_found",
            "title": "Not Found",
            "status": 404,
            "code": "job_not_found",
            "detail": "no job has the id 'x'. It may never have been stored, or it was pruned.",
        }
    ],
    "properties": {
        "type": {"type": "string", "examples": ["urn:dibs:problem:job_not_found"]},
        "title": {"type": "string", "examples": ["Not Found"]},
        "status": {"type": "integer", "examples": [404]},
        "code": {"type": "string", "enum": [], "examples": ["job_not_found"]},
        "detail": {"type": "string", "description": "What went wrong, with which value, and what to do next."},
        "field": {"type": "string", "description": "Where in the request."},
        "rule": {"type": "string", "description": "Of a posting: which rule refuses it.", "examples": ["claimed"]},
        "holder": {"type": "string", "description": "Of a posting: the run that has it."},
        "retry_at": {"type": "string", "format": "date-time", "description": "When to try again, if that is known."},
        "faults": {"type": "array", "items": {"type": "string"}, "description": "All that is wrong at once."},
    },
}
REPEATING = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": "Your name for this request: asking again under it does nothing twice.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
    "example": "6f1c9a52-2d0e-4c57-9a3b-1f0f6f6f9f11",
}


def describe(server: FastAPI, path: str) -> None:
    """Let the server describe itself, completely, and to whoever asks at a path."""
    making = threading.Lock()
    written: list[bytes] = []

    def openapi() -> dict[str, Any]:
        with making:
            if server.openapi_schema is None:
                server.openapi_schema = _complete(_generate(server))
        return server.openapi_schema

    def write() -> bytes:
        return msgspec.json.encode(openapi())

    async def give(_: Request) -> Response:
        if not written:
            # Making it takes a third of a second: in a thread, so that nobody else waits for it.
            written.append(await asyncio.to_thread(write))
        return Response(written[0], media_type="application/json")

    server.openapi = openapi  # type: ignore[method-assign]
    server.add_route(path, give, include_in_schema=False)


def list_codes() -> list[str]:
    """Name every code that a problem may have."""
    routing = {code for code, _ in ROUTING.values()}
    return sorted({code for _, code in PROBLEMS.values()} | set(REFUSALS) | routing)


def find_methods(request: Request) -> list[str]:
    """Name the methods that a path has; the framework knows only those of the first route that fits."""
    routes = (route for route in request.app.routes if isinstance(route, Route))
    fitting = [route for route in routes if route.matches(request.scope)[0] is not Match.NONE]
    # A path of its own is not one of those with something in the place of its last word.
    named = [route for route in fitting if route.path_format == request.url.path]
    methods = {method for route in named or fitting for method in route.methods or ()}
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


def _generate(server: FastAPI) -> dict[str, Any]:
    return get_openapi(title=server.title, version=server.version, description=ABOUT, routes=server.routes)


def _complete(schema: dict[str, Any]) -> dict[str, Any]:
    components = schema.setdefault("components", {})
    properties = {**PROBLEM["properties"], "code": {"type": "string", "enum": list_codes()}}  # type: ignore[dict-item]
    components.setdefault("schemas", {})["Problem"] = {**PROBLEM, "properties": properties}
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "An API key."}}
    for name in ("HTTPValidationError", "ValidationError"):
        components["schemas"].pop(name, None)
    for path in schema["paths"].values():
        for method, operation in path.items():
            if method == "post":
                operation.setdefault("parameters", []).append(REPEATING)
                operation["responses"].setdefault("409", describe_problem(409))
    add_examples(schema)
    return schema
