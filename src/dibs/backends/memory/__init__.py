"""Jobs in this process's memory: the executable specification, and the fastest store for tests.

Read `world.py` for what is kept, `jobs.py` for what may happen to it.
"""

from dibs.backends.memory.admission import MemoryAdmission
from dibs.backends.memory.audit_log import MemoryAuditLog
from dibs.backends.memory.jobs import MemoryJobs
from dibs.backends.memory.leases import MemoryLeases
from dibs.backends.memory.notices import MemoryNotices
from dibs.backends.memory.reader import MemoryReader
from dibs.backends.memory.schedules import MemorySchedules
from dibs.backends.memory.schema import MemorySchema
from dibs.backends.memory.sources import MemorySources
from dibs.backends.memory.workers import MemoryWorkers
from dibs.backends.memory.world import World
from dibs.engine.store.protocols import Capabilities, Parts
from dibs.kit.clock import Clock, utc_now

CAPABILITIES = Capabilities(durable=False, shared=False, transactions=False)


async def open_parts(_url: str) -> Parts:
    """Make an empty store; the URL is just `memory://`."""
    return build_parts()


def build_parts(clock: Clock = utc_now) -> Parts:
    """Make an empty store. Its clock is the given one: here the store and its only client share a process."""
    notices = MemoryNotices()
    world = World(clock, notices)
    jobs = MemoryJobs(world)
    return Parts(
        jobs=jobs,
        reader=MemoryReader(world),
        notices=notices,
        leases=MemoryLeases(world),
        schema=MemorySchema(),
        workers=MemoryWorkers(world),
        admission=MemoryAdmission(world),
        sources=MemorySources(world),
        audit=MemoryAuditLog(world),
        schedules=MemorySchedules(world, jobs),
        capabilities=CAPABILITIES,
        close=_nothing_to_close,
    )


async def _nothing_to_close() -> None:
    return None
