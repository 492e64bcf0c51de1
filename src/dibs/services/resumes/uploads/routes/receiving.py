"""A file out of a request: as the body itself, or as a part of a form. No more of it is in memory than a little."""

import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO

from fastapi import Request

from dibs.errors import RequestRefused
from dibs.services.resumes.uploads.actions import GivenFile
from dibs.services.resumes.uploads.routes.forms import FIELD, FORM, FormFile

IN_MEMORY = 256 * 1024


@asynccontextmanager
async def receive_file(request: Request, most: int) -> AsyncIterator[GivenFile]:
    """Receive a file, and refuse one that is empty or too large. It is there as long as it is needed."""
    kind = request.headers.get("content-type", "")
    with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as spool:
        given = await _receive(request, kind, spool)
        if not 0 < given.size <= most:
            raise _unfit_size(given.size, most)
        yield given


async def _receive(request: Request, kind: str, spool: IO[bytes]) -> GivenFile:
    if kind.partition(";")[0].strip().lower() == FORM:
        form = FormFile(kind, spool)
        async for part in request.stream():
            form.feed(part)
        form.check()
        return GivenFile(content=spool, size=form.size, name=form.name, declared=form.declared)
    size = 0
    async for part in request.stream():
        size += len(part)
        spool.write(part)
    return GivenFile(content=spool, size=size, name=request.query_params.get("name", ""), declared=kind)


def _unfit_size(size: int, most: int) -> RequestRefused:
    if size:
        message = f"the file has {size:,} bytes, over the limit of {most:,}. Upload one with smaller pictures."
        return RequestRefused(message, code="body_too_large")
    return RequestRefused("the file is empty. Upload it again.", code="bad_field", field=FIELD)
