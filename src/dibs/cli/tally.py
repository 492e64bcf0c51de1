"""How many jobs there are: by state in all, and by queue for those that are not finished."""

from datetime import datetime

import msgspec

from dibs.engine.states import State
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import JobFilter

Counts = dict[State, int]


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """The counts of about one moment, by the store's clock."""

    at: datetime
    states: Counts
    queues: dict[str, Counts]
    workers: int
    slots: int
    held: int


async def take_tally(backend: Backend) -> Tally:
    """Count jobs, and the slots of workers."""
    cards = await backend.workers.list_workers()
    return Tally(
        states=await backend.reader.count_jobs(JobFilter()),
        queues=await backend.reader.count_queues(),
        workers=len(cards),
        slots=sum(card.slots for card in cards),
        held=sum(card.held for card in cards),
        at=await backend.reader.now(),
    )
