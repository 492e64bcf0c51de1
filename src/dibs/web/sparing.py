"""Calling a handler without the framework's search for all that a request might bring."""

import inspect
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from fastapi import Request, params
from fastapi.routing import APIRoute
from starlette.responses import Response

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
# One of FastAPI's fields: it gives a value and no faults, or None and what is wrong.
Field = Any
_JSON = b"application/json"
_UNFIT = object()


def spare_search(route: APIRoute, handle: Handler) -> Handler:
    """Call a handler by itself where no query came, and where its path and its body are as they should be.

    FastAPI looks for each parameter that there might be, which is a tenth of what a refused claim costs. Its own fields
    judge here as well, and whatever they find wrong goes its usual way: faults are told by one alone.
    """
    if not _is_plain(route):
        return handle
    name, endpoint, paths = route.dependant.request_param_name or "", route.endpoint, route.dependant.path_params
    defaults, body = _find_defaults(route), next(iter(route.dependant.body_params), None)

    async def spared(request: Request) -> Response:
        if request.scope["query_string"]:
            return await handle(request)
        values = {name: request, **defaults}
        is_fit = _read_path(request, paths, values) and (body is None or await _read_body(request, body, values))
        answer: Response = await (endpoint(**values) if is_fit else handle(request))
        return answer

    return spared


def _is_plain(route: APIRoute) -> bool:
    """Tell whether a handler takes nothing but the request, names in the path, a query that may be absent, one body."""
    found, signature = route.dependant, inspect.signature(route.endpoint)
    is_answer = isinstance(signature.return_annotation, type) and issubclass(signature.return_annotation, Response)
    if not is_answer or not inspect.iscoroutinefunction(route.endpoint) or route.dependencies:
        return False
    known = {found.request_param_name, *(field.name for field in (*found.path_params, *found.body_params))}
    return (
        found.request_param_name is not None
        and _are_plain_bodies(found.body_params)
        and set(signature.parameters) - known == set(_find_defaults(route))
    )


def _are_plain_bodies(fields: Sequence[Field]) -> bool:
    infos = [field.field_info for field in fields]
    return not infos or (len(infos) == 1 and type(infos[0]) is params.Body and not infos[0].embed)


def _find_defaults(route: APIRoute) -> dict[str, Any]:
    """Give what stands for the query where none came: None, for each parameter that may be left out."""
    given = inspect.signature(route.endpoint).parameters
    fields = [field for field in route.dependant.query_params if not field.field_info.is_required()]
    return {field.name: None for field in fields if given[field.name].default is None}


def _read_path(request: Request, fields: Sequence[Field], values: dict[str, Any]) -> bool:
    return all(_read(field, request.path_params[field.alias], values) for field in fields)


async def _read_body(request: Request, field: Field, values: dict[str, Any]) -> bool:
    given = await _read_json(request)
    return given is not _UNFIT and _read(field, given, values)


async def _read_json(request: Request) -> Any:
    kind = next((value for name, value in request.scope["headers"] if name == b"content-type"), None)
    if kind != _JSON:
        return _UNFIT
    try:
        return await request.json()
    except ValueError:
        return _UNFIT


def _read(field: Field, given: Any, values: dict[str, Any]) -> bool:
    values[field.name], faults = field.validate(given)
    return not faults
