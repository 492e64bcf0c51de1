"""What is held about somebody, in everything that is installed."""

import asyncio
import io
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from dibs.engine.personal.acting import count_held, erase_person, export_person, find_person
from dibs.engine.personal.archive import write_archive
from dibs.engine.personal.holding import Holding
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.server.call import Call
from dibs.server.shapes.people import ErasePersonBody, PersonBody


class Holdings:
    """All that holds something about people, opened for the first who asks."""

    def __init__(self, load: Callable[[], Awaitable[list[Holding]]]) -> None:
        self._load = load
        self._lock = asyncio.Lock()
        self._loaded: list[Holding] | None = None

    async def open(self) -> list[Holding]:
        """Give them."""
        async with self._lock:
            if self._loaded is None:
                self._loaded = await self._load()
        return self._loaded


async def export(call: Call, body: PersonBody) -> bytes:
    """Write an archive of all that is held about a person. No tenant does this for itself, nor what follows.

    A document is known by its content, and whoever names it would be given another tenant's.
    """
    call.for_installation()
    found = await export_person(await _open(call), _read(call, body), _act(call, body), call.backend)
    written = io.BytesIO()
    await asyncio.to_thread(write_archive, written, found)
    return written.getvalue()


async def erase(call: Call, body: ErasePersonBody) -> dict[str, Any]:
    """Forget all that is held about a person, or count it."""
    call.for_installation()
    holdings, inquiry = await _open(call), _read(call, body)
    if body.dry_run:
        counts = count_held(await find_person(holdings, inquiry))
        return {"id": None, "counts": counts, "kept": [], "left": sum(counts.values()), "dry_run": True}
    erasure = await erase_person(holdings, inquiry, _act(call, body), call.backend)
    return {**msgspec.structs.asdict(erasure), "dry_run": False}


async def _open(call: Call) -> list[Holding]:
    holdings: Holdings = call.app.state.holdings
    return await holdings.open()


def _read(call: Call, body: PersonBody) -> Inquiry:
    return Inquiry(call.get_tenant(body.tenant), body.references)


def _act(call: Call, body: PersonBody) -> OperatorAct:
    return OperatorAct(actor=call.actor, reason=body.reason)
