"""Whether the audit log is what it was when it was sealed."""

import math
from collections.abc import Sequence

import msgspec

from dibs.engine.audit.actions import AuditAction
from dibs.engine.audit.heads import NotedHeads
from dibs.engine.audit.keys import SealKeys, name_key_of
from dibs.engine.audit.sealing import Seal, SealedEntry, next_seal
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditEntry, AuditFilter, PageRequest
from dibs.settings import Settings

PAGE = 1_000
MOST_UNSEALED = 100_000
FORGOTTEN = AuditAction.FORGOTTEN
NO_KEYS = SealKeys()


class ChainReport(msgspec.Struct, frozen=True, kw_only=True):
    """What verifying one tenant's chain has shown. `fault` is None if every seal fits."""

    tenant: str
    sealed: int
    unsealed: int
    begins_at: int
    head: str
    fault: str | None = None


async def verify_chains(backend: Backend, tenant: str | None, settings: Settings) -> list[ChainReport]:
    """Check the chain of one tenant, or of all, with the keys and the noted heads that the settings name."""
    keys = SealKeys.of(settings)
    noted = NotedHeads(settings.audit_heads, keys)
    tenants = [tenant] if tenant is not None else await list_tenants(backend)
    return [await verify_chain(backend, one, keys=keys, noted=noted) for one in tenants]


async def verify_chain(
    backend: Backend, tenant: str, *, keys: SealKeys = NO_KEYS, noted: NotedHeads | None = None
) -> ChainReport:
    """Check every seal of a tenant, from the first or from where the log was cut, and that none is missing."""
    tail = [entry for entry in await backend.audit.list_unsealed(MOST_UNSEALED) if entry.tenant == tenant]
    numbers = {entry.sequence for entry in tail}
    walk = _Walk(begins_at=1, tail=numbers, covered=set(numbers), cuts={_cut_of(entry) for entry in tail})
    fault = await _follow(backend, tenant, walk, keys) or _find_open_end(walk.last, keys)
    if fault is None and walk.begins_at > 1 and walk.begins_at - 1 not in walk.cuts:
        fault = f"the entries before position {walk.begins_at} are gone, and no {FORGOTTEN} entry says who forgot them."
    fault = fault or await _find_other_head(backend, walk.last)
    fault = fault or (None if noted is None else await noted.find_break(backend, tenant))
    if fault is None:
        fault = await _find_stranger(backend, tenant, walk)
    else:
        walk.unsealed = await backend.audit.count_unsealed(tenant)
    return ChainReport(
        tenant=tenant,
        sealed=walk.checked,
        unsealed=walk.unsealed,
        begins_at=walk.begins_at,
        head="" if walk.last is None else walk.last.hash,
        fault=fault,
    )


class _Walk(msgspec.Struct):
    """How far a check has come, which entries it has seen, and where the log was cut on purpose."""

    begins_at: int
    tail: set[int]
    covered: set[int]
    cuts: set[int]
    checked: int = 0
    unsealed: int = 0
    last: Seal | None = None


async def _follow(backend: Backend, tenant: str, walk: _Walk, keys: SealKeys) -> str | None:
    while page := await backend.audit.list_sealed(tenant, 0 if walk.last is None else walk.last.position, PAGE):
        if walk.last is None and page[0].entry is None:
            # An anchor; whether the cut was made on purpose is said by an entry behind it.
            walk.last, walk.begins_at, page = page[0].seal, page[0].seal.position + 1, page[1:]
        fault = _find_fault(page, walk.last, keys)
        walk.cuts |= {_cut_of(one.entry) for one in page}
        walk.covered |= {one.seal.sequence for one in page}
        walk.checked += len(page)
        walk.last = page[-1].seal if page else walk.last
        if fault is not None:
            return fault
    return None


def _find_open_end(last: Seal | None, keys: SealKeys) -> str | None:
    """Whoever makes all seals anew has no key; that the first seals were made without one is no fault."""
    if keys.current and last is not None and not name_key_of(last.hash):
        return "the last seal was made without a key: no worker has DIBS_AUDIT_KEY yet, or the seals were made anew."
    return None


async def _find_other_head(backend: Backend, last: Seal | None) -> str | None:
    """Compare the end of a chain with what the store says its end is: behind a wrong one nobody could ever seal."""
    if last is None:
        return None
    head = next((seal for seal in await backend.audit.list_heads() if seal.tenant == last.tenant), None)
    if head == last:
        return None
    if (
        head is not None
        and head.position > last.position
        and await backend.audit.list_sealed(head.tenant, last.position, 1)
    ):
        # It was sealed while we looked.
        return None
    said = "nothing of it" if head is None else f"position {head.position}"
    return (
        f"the chain ends at position {last.position}, and the store knows {said} as its end: one of them was changed."
    )


def _name_foreign_key(seal: Seal, name: str) -> str:
    advice = "set that one as DIBS_AUDIT_KEY, or among DIBS_AUDIT_OLD_KEYS if it is not used any more."
    return f"position {seal.position} is sealed with another key ({name}), so that nothing can be said: {advice}"


async def _find_stranger(backend: Backend, tenant: str, walk: _Walk) -> str | None:
    """Count the entries without a seal, and find one that nobody would ever seal: it was put where none is looked for.

    All entries are looked at: the mark up to which a store takes everything as sealed may have been moved.
    """
    cursor: int | None = None
    while True:
        page = await backend.reader.list_audit(AuditFilter(tenant=tenant), PageRequest(cursor=cursor, limit=PAGE))
        # Those that were written while we looked are not strange.
        strange = [entry for entry in page.items if entry.sequence not in walk.covered]
        walk.unsealed += len(strange) + sum(entry.sequence in walk.tail for entry in page.items)
        known = {entry.sequence for entry in await backend.audit.list_unsealed(MOST_UNSEALED)} if strange else set()
        # What stands behind more than were listed waits as well.
        end = max(known) if len(known) >= MOST_UNSEALED else math.inf
        for entry in strange:
            if entry.sequence not in known and entry.sequence <= end and not await _is_sealed(backend, entry):
                return f"entry number {entry.sequence} has no seal, and is not among those that will be sealed."
        if page.next_cursor is None:
            return None
        cursor = page.next_cursor


async def _is_sealed(backend: Backend, entry: AuditEntry) -> bool:
    head = next((seal for seal in await backend.audit.list_heads() if seal.tenant == entry.tenant), None)
    if head is None:
        return False
    behind = await backend.audit.list_sealed(entry.tenant, max(0, head.position - PAGE), PAGE)
    return any(one.seal.sequence == entry.sequence for one in behind)


def _find_fault(page: Sequence[SealedEntry], last: Seal | None, keys: SealKeys) -> str | None:
    for one in page:
        if one.entry is None:
            return f"the entry at position {one.seal.position} (number {one.seal.sequence}) is gone."
        name, before = name_key_of(one.seal.hash), "" if last is None else name_key_of(last.hash)
        key = keys.find(name)
        if key is None:
            return _name_foreign_key(one.seal, name)
        if before and not name:
            return f"position {one.seal.position} is sealed without a key, behind one that was sealed with {before}."
        expected = next_seal(one.entry, last, key)
        if one.seal.position != expected.position:
            return f"position {expected.position} is missing: {one.seal.position} follows."
        if one.seal.hash != expected.hash:
            return f"the entry at position {one.seal.position} (number {one.seal.sequence}) is not what was sealed."
        last = one.seal
    return None


def _cut_of(entry: AuditEntry | None) -> int:
    if entry is None or entry.action != FORGOTTEN or not isinstance(entry.detail, dict):
        return 0
    through = entry.detail.get("through")
    return int(through) if isinstance(through, (int, float)) else 0


async def list_tenants(backend: Backend) -> list[str]:
    """Name the tenants that have anything in the log, sealed or not."""
    tenants = {head.tenant for head in await backend.audit.list_heads()}
    cursor: int | None = None
    while True:
        page = await backend.reader.list_audit(AuditFilter(), PageRequest(cursor=cursor, limit=PAGE))
        tenants |= {entry.tenant for entry in page.items}
        if page.next_cursor is None:
            return sorted(tenants)
        cursor = page.next_cursor
