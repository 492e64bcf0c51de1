"""Reading the audit log, which is a stream whose ids are the entries' numbers."""

from collections.abc import Sequence
from functools import lru_cache

from msgspec.structs import replace

from dibs.backends.redis.wire.connections import Lines
from dibs.engine.audit.actions import job_subject
from dibs.engine.store.reading import AuditEntry, AuditFilter, Page, PageRequest
from dibs.engine.store.unreadable import find_detail, find_moment, find_number

# One entry of the stream may tell of a hundred jobs. Most pages are full after a short look; who looks for what is rare
# must not ask a hundred times, and a longer look would keep others waiting.
_LOOK, _LONG_LOOK = 100, 1_000
_DIGITS = 16
# Entries that are told together share their instant.
_entry_instant = lru_cache(maxsize=4096)(find_moment)


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
    words = [word.decode(errors="backslashreplace") for word in flat]
    facts = dict(zip(words[::2], words[1::2], strict=True))
    first = _build_entry(int(number.partition(b"-")[0]), facts)
    others = facts["others"].split("\x1f") if facts.get("others") else []
    return [first, *(_build_other(first, place, member) for place, member in enumerate(others, start=1))]


def _build_other(first: AuditEntry, place: int, member: str) -> AuditEntry:
    token, job_id = _read_token(member[:_DIGITS]), member[_DIGITS:]
    return replace(first, sequence=first.sequence + place, subject=job_subject(job_id), token=token)


def _build_entry(sequence: int, facts: dict[str, str]) -> AuditEntry:
    return AuditEntry(
        sequence=sequence,
        at=_entry_instant(facts.get("at")),
        tenant=facts.get("tenant", ""),
        actor=facts.get("actor", ""),
        action=facts.get("action", ""),
        subject=facts.get("subject", ""),
        reason=facts.get("reason", ""),
        token=_read_token(facts["token"]) if facts.get("token") else None,
        detail=find_detail(facts.get("detail") or None),
    )


def _read_token(text: str) -> int:
    # No token is below nothing: what cannot be read must not pass for none.
    token = find_number(text)
    return -1 if token is None else token
