"""The files that pages load: ours, and those that the build made, if it ran."""

import hashlib
from pathlib import Path

import msgspec
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.responses import Response

HERE = Path(__file__).parent
PLACES = (HERE / "static", HERE / "built")
PREFIX = "/static"
_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
# An address names the content, so that what is kept under it never changes.
_FOREVER = "public, max-age=31536000, immutable"

open_router = APIRouter()


class StaticFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file, with the address that names its content."""

    address: str
    body: bytes
    kind: str


class StaticFiles:
    """Read once, when they are first asked for: they are few and small."""

    def __init__(self, places: tuple[Path, ...] = PLACES) -> None:
        self._places = places
        self._by_name: dict[str, StaticFile] = {}

    def find(self, name: str) -> StaticFile | None:
        """Give a file by its name, such as `built/dibs.js`; None when there is none."""
        if not self._by_name:
            self._by_name = {f"{file.parent.name}/{file.name}": _read(file) for file in self._list()}
        return self._by_name.get(name)

    def _list(self) -> list[Path]:
        return [file for place in self._places if place.is_dir() for file in place.iterdir() if file.suffix in _KINDS]


FILES = StaticFiles()


@open_router.get(PREFIX + "/{digest}/{place}/{name}", include_in_schema=False)
async def give_file(digest: str, place: str, name: str) -> Response:
    """Give a file to anybody: there is nothing about anybody in it."""
    found = FILES.find(f"{place}/{name}")
    if found is None or found.address != f"{PREFIX}/{digest}/{place}/{name}":
        raise HTTPException(404)
    return Response(found.body, headers={"Cache-Control": _FOREVER}, media_type=found.kind)


def _read(file: Path) -> StaticFile:
    body = file.read_bytes()
    digest = hashlib.sha256(body).hexdigest()[:16]
    address = f"{PREFIX}/{digest}/{file.parent.name}/{file.name}"
    return StaticFile(address=address, body=body, kind=_KINDS[file.suffix])
