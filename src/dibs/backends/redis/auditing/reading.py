"""Reading the audit log, which is a stream whose ids are the entries' numbers."""

from collections.abc import AsyncIterator, Sequence

from msgspec.structs import replace

from dibs.backends.redis.rows import instant
from dibs.backends.redis.wire.connections import Lines
from dibs.engine.audit import job_subject
from dibs.engine.store.reading import AuditEntry, AuditFilter, Page, PageRequest
from dibs.kit.codec import decode_json

# One entry of the stream may tell of a hundred jobs.
_LOOK = 100
_DIGITS = 16


class AuditReading:
    """Walks the stream from its end."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first."""
        items: list[AuditEntry] = []
        looked = 0
        async for entry in self._newest_first(page.cursor):
            if page.reach is not None and looked >= page.reach:
                return Page(items=items, next_cursor=entry.sequence + 1)
            looked += 1
            if not wanted.fits(entry):
                continue
            if len(items) == page.limit:
                return Page(items=items, next_cursor=items[-1].sequence)
            items.append(entry)
        return Page(items=items)

    async def _newest_first(self, cursor: int | None) -> AsyncIterator[AuditEntry]:
        end = "+" if cursor is None else f"({cursor}-0"
        while True:
            found, gone = await self._lines.run("reading/list_audit", [end, _LOOK], is_write=False)
            forgotten = {int(number) for number in gone}
            for number, flat in found:
                for entry in reversed(read_entries(number, flat)):
                    if entry.sequence not in forgotten and (cursor is None or entry.sequence < cursor):
                        yield entry
            if len(found) < _LOOK:
                return
            end = f"({found[-1][0].decode()}"


def read_entries(number: bytes, flat: Sequence[bytes]) -> list[AuditEntry]:
    """Read what one entry of the stream tells; see `parts/audit.lua` for successes that are told together."""
    facts = {name.decode(): value.decode() for name, value in zip(flat[::2], flat[1::2], strict=True)}
    first = _build_entry(int(number.partition(b"-")[0]), facts)
    others = facts["others"].split("\x1f") if facts.get("others") else []
    return [first, *(_build_other(first, place, member) for place, member in enumerate(others, start=1))]


def _build_other(first: AuditEntry, place: int, member: str) -> AuditEntry:
    token, job_id = int(member[:_DIGITS]), member[_DIGITS:]
    return replace(first, sequence=first.sequence + place, subject=job_subject(job_id), token=token)


def _build_entry(sequence: int, facts: dict[str, str]) -> AuditEntry:
    return AuditEntry(
        sequence=sequence,
        at=instant(int(facts["at"])),
        tenant=facts["tenant"],
        actor=facts["actor"],
        action=facts["action"],
        subject=facts["subject"],
        reason=facts.get("reason", ""),
        token=int(facts["token"]) if facts["token"] else None,
        detail=decode_json(facts["detail"]) if facts.get("detail") else None,
    )
