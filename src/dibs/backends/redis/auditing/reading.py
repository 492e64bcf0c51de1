"""Reading the audit log, which is a stream whose ids are the entries' numbers."""

from collections.abc import Sequence

from msgspec.structs import replace

from dibs.backends.redis.rows import instant
from dibs.backends.redis.wire.connections import Lines
from dibs.engine.audit.actions import job_subject
from dibs.engine.store.reading import AuditEntry, AuditFilter, Page, PageRequest
from dibs.kit.codec import decode_json

# One entry of the stream may tell of a hundred jobs. Most pages are full after a short look; who looks for what is rare
# must not ask a hundred times, and a longer look would keep others waiting.
_LOOK, _LONG_LOOK = 100, 1_000
_DIGITS = 16


class AuditReading:
    """Walks the stream from its end."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def list_audit(self, wanted: AuditFilter, page: PageRequest) -> Page[AuditEntry]:
        """Read one page of the audit log, newest entry first. A page reaches as far as its last piece does."""
        items: list[AuditEntry] = []
        looked, look, cursor = 0, _LOOK, page.cursor
        end = "+" if cursor is None else f"({cursor}-0"
        while page.reach is None or looked < page.reach:
            most = look if page.reach is None else min(look, page.reach - looked)
            found, last, told = await self._read_piece(wanted, end, most)
            for entry in found:
                if not wanted.fits(entry) or (page.cursor is not None and entry.sequence >= page.cursor):
                    continue
                if len(items) == page.limit:
                    return Page(items=items, next_cursor=items[-1].sequence)
                items.append(entry)
            if not last:
                return Page(items=items)
            looked, look, end, cursor = looked + told, _LONG_LOOK, f"({last}", int(last.partition("-")[0])
        return Page(items=items, next_cursor=cursor)

    async def _read_piece(self, wanted: AuditFilter, end: str, most: int) -> tuple[list[AuditEntry], str, int]:
        filters = [name or "" for name in (wanted.tenant, wanted.actor, wanted.action, wanted.without)]
        given: list[str | bytes | int | float] = [end, most, *filters]
        found, gone, last, told = await self._lines.run("reading/list_audit", given, is_write=False)
        forgotten = {int(number) for number in gone}
        entries = [entry for number, flat in found for entry in reversed(read_entries(number, flat))]
        return [entry for entry in entries if entry.sequence not in forgotten], last.decode(), told


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
