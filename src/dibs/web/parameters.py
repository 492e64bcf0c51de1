"""What a route can be asked for by name, and what a request names that it cannot."""

from collections.abc import Iterator
from typing import Any, get_args, get_origin

from fastapi import Request
from fastapi.dependencies.models import Dependant
from pydantic import BaseModel
from starlette.responses import Response

from dibs.errors import BadInput, RequestRefused
from dibs.web.sparing import Handler


def find_parameters(dependant: Dependant) -> dict[str, bool]:
    """Name the query parameters of a route, those of its models and dependencies included; which may be repeated?"""
    known: dict[str, bool] = {}
    for field in dependant.query_params:
        kind = field.field_info.annotation
        is_model = isinstance(kind, type) and issubclass(kind, BaseModel)
        fields = kind.model_fields if is_model else {field.alias: field.field_info}  # type: ignore[union-attr]
        known |= {name: _is_many(one.annotation) for name, one in fields.items()}
    for below in dependant.dependencies:
        known |= find_parameters(below)
    return known


def find_body_fields(dependant: Dependant) -> Iterator[str]:
    """Name the fields of the bodies of a route."""
    for field in dependant.body_params:
        kind = field.field_info.annotation
        yield from kind.model_fields if isinstance(kind, type) and issubclass(kind, BaseModel) else (field.alias,)


def name_fields(handle: Handler, fields: frozenset[str]) -> Handler:
    """Let refusals from below say which field of the request they mean: they begin with its name."""

    async def naming(request: Request) -> Response:
        try:
            return await handle(request)
        except BadInput as error:
            first = str(error).partition(" ")[0].rstrip(":")
            if error.field is None and first in fields:
                error.field = first
            raise

    return naming


def _is_many(kind: Any) -> bool:
    return get_origin(kind) in (list, tuple, set, frozenset) or any(map(_is_many, get_args(kind)))


def refuse_unknown(request: Request, known: dict[str, bool]) -> None:
    """Refuse a parameter that does not exist, or one too many: it would be a filter that filters nothing."""
    given = request.query_params
    unknown = sorted(set(given) - set(known))
    if unknown:
        there_are = f"There are: {', '.join(sorted(known))}." if known else "There are none."
        message = f"this path has no query parameter {unknown[0][:80]!r}. {there_are}"
        raise RequestRefused(message, code="unknown_parameter", field=unknown[0][:80])
    if len(given) == len(given.multi_items()):
        return
    repeated = next((name for name in given if not known[name] and len(given.getlist(name)) > 1), None)
    if repeated is not None:
        message = f"the query parameter {repeated!r} is there more than once, and stands for one thing. Give it once."
        raise RequestRefused(message, code="repeated_parameter", field=repeated)
