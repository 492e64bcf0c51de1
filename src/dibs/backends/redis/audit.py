"""Reading the audit log, which is a stream whose ids are the entries' numbers."""

from collections.abc import AsyncIterator, Sequence

from dibs.backends.redis.rows import instant
from dibs.backends.redis.wire.connections import Lines
from dibs.engine.store.reading import AuditEntry, AuditFilter, Page, PageRequest
from dibs.kit.codec import decode_json

_LOOK = 1_000
Entry = tuple[bytes, Sequence[bytes]]


class AuditReading:
    """Walks the stream from its end."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first."""
        items: list[AuditEntry] = []
        async for entry in self._newest_first(page.cursor):
            if not wanted.fits(entry):
                continue
            if len(items) == page.limit:
                return Page(items=items, next_cursor=items[-1].sequence)
            items.append(entry)
        return Page(items=items)

    async def _newest_first(self, cursor: int | None) -> AsyncIterator[AuditEntry]:
        stream = f"{self._lines.address.tag}:audit"
        end = "+" if cursor is None else f"({cursor}-0"
        while found := await self._lines.ask("XREVRANGE", stream, end, "-", "COUNT", _LOOK):
            for entry in found:
                yield _build_entry(entry)
            end = f"({found[-1][0].decode()}"


def _build_entry(entry: Entry) -> AuditEntry:
    number, flat = entry
    facts = {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)}
    return AuditEntry(
        sequence=int(number.partition(b"-")[0]),
        at=instant(int(facts["at"])),
        tenant=facts["tenant"],
        actor=facts["actor"],
        action=facts["action"],
        subject=facts["subject"],
        reason=facts.get("reason", ""),
        token=int(facts["token"]) if facts["token"] else None,
        detail=decode_json(facts["detail"]) if facts.get("detail") else None,
    )
