"""The audit log in memory: how much of it is looked at while it is sealed."""

from typing import Any, SupportsIndex, overload

from dibs.backends.memory.audit_log import MemoryAuditLog
from dibs.backends.memory.notices import MemoryNotices
from dibs.backends.memory.world import World
from dibs.engine.audit.sealing import NewEntry, chain
from dibs.engine.store.reading import AuditEntry
from dibs.kit.clock import utc_now

ENTRIES, BATCH = 5_000, 100


class CountedLog(list[AuditEntry]):
    """A log that counts how many entries were looked at."""

    looks = 0

    def __iter__(self) -> Any:
        self.looks += len(self)
        return super().__iter__()

    @overload
    def __getitem__(self, place: SupportsIndex) -> AuditEntry: ...
    @overload
    def __getitem__(self, place: slice) -> list[AuditEntry]: ...
    def __getitem__(self, place: Any) -> Any:
        self.looks += 1
        return super().__getitem__(place)


async def test_sealing_looks_at_what_is_not_sealed_and_not_at_all_for_each_batch() -> None:
    world = World(utc_now, MemoryNotices())
    world.audit = counted = CountedLog()
    log = MemoryAuditLog(world)
    await log.append([NewEntry(action="SAID", subject="it", actor="op")] * ENTRIES)
    while entries := await log.list_unsealed(BATCH):
        heads = await log.list_heads()
        if heads:
            assert (await log.list_sealed("default", heads[0].position - 1, 1))[0].seal == heads[0]
        assert await log.seal(chain(entries, heads)[0])
    assert await log.count_unsealed(None) == 0
    assert counted.looks <= 6 * ENTRIES
