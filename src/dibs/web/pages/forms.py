"""What comes in by a form."""

from typing import TypeVar
from urllib.parse import parse_qsl

from fastapi import Request
from pydantic import BaseModel, ValidationError

from dibs.errors import RequestRefused

KIND = "application/x-www-form-urlencoded"
MOST_FIELDS = 200
Shape = TypeVar("Shape", bound=BaseModel)


async def read_form(request: Request, shape: type[Shape]) -> Shape:
    """Read a form into its shape; a field that was left empty was not filled in."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != KIND:
        message = f"this takes a form ({KIND}). Use the page that has it."
        raise RequestRefused(message, code="bad_header", field="Content-Type")
    fields = _parse(await request.body())
    many = {name for name, field in shape.model_fields.items() if "list" in str(field.annotation)}
    given = {name: values if name in many else values[-1] for name, values in fields.items()}
    try:
        return shape.model_validate(given)
    except ValidationError as error:
        fault = error.errors()[0]
        field = ".".join(map(str, fault["loc"]))
        message = f"{field}: {fault['msg']}. Go back, correct it and send it again; nothing was changed."
        raise RequestRefused(message, code="bad_field", field=field) from error


def _parse(body: bytes) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=False, max_num_fields=MOST_FIELDS, errors="strict")
    except ValueError as cause:
        message = "the form cannot be read. Send it again from its page; nothing was changed."
        raise RequestRefused(message, code="bad_field") from cause
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        if value.strip():
            fields.setdefault(name, []).append(value)
    return fields
