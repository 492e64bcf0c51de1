"""Whether the audit log is what it was when it was sealed."""

from collections.abc import Sequence

import msgspec

from dibs.engine.sealing import Seal, SealedEntry, next_seal
from dibs.engine.store.backend import Backend
from dibs.engine.store.reading import AuditEntry, AuditFilter, PageRequest

PAGE = 1_000
MOST_UNSEALED = 100_000
FORGOTTEN = "AUDIT_FORGOTTEN"


class ChainReport(msgspec.Struct, frozen=True, kw_only=True):
    """What verifying one tenant's chain has shown. `fault` is None if every seal fits."""

    tenant: str
    sealed: int
    unsealed: int
    begins_at: int
    head: str
    fault: str | None = None


async def verify_chain(backend: Backend, tenant: str, *, key: bytes = b"") -> ChainReport:
    """Check every seal of a tenant, from the first or from where the log was cut, and that none is missing."""
    tail = [entry for entry in await backend.audit.list_unsealed(MOST_UNSEALED) if entry.tenant == tenant]
    walk = _Walk(begins_at=1, covered={entry.sequence for entry in tail}, cuts={_cut_of(entry) for entry in tail})
    fault = await _follow(backend, tenant, walk, key)
    if fault is None and walk.begins_at > 1 and walk.begins_at - 1 not in walk.cuts:
        fault = f"the entries before position {walk.begins_at} are gone, and no {FORGOTTEN} entry says who forgot them."
    fault = fault or await _find_stranger(backend, tenant, walk.covered)
    return ChainReport(
        tenant=tenant,
        sealed=walk.checked,
        unsealed=await backend.audit.count_unsealed(tenant),
        begins_at=walk.begins_at,
        head="" if walk.last is None else walk.last.hash,
        fault=fault,
    )


class _Walk(msgspec.Struct):
    """How far a check has come, which entries it has seen, and where the log was cut on purpose."""

    begins_at: int
    covered: set[int]
    cuts: set[int]
    checked: int = 0
    last: Seal | None = None


async def _follow(backend: Backend, tenant: str, walk: _Walk, key: bytes) -> str | None:
    while page := await backend.audit.list_sealed(tenant, 0 if walk.last is None else walk.last.position, PAGE):
        if walk.last is None and page[0].entry is None:
            # An anchor; whether the cut was made on purpose is said by an entry behind it.
            walk.last, walk.begins_at, page = page[0].seal, page[0].seal.position + 1, page[1:]
        fault = _find_fault(page, walk.last, key)
        walk.cuts |= {_cut_of(one.entry) for one in page}
        walk.covered |= {one.seal.sequence for one in page}
        walk.checked += len(page)
        walk.last = page[-1].seal if page else walk.last
        if fault is not None:
            return fault
    return None


async def _find_stranger(backend: Backend, tenant: str, covered: set[int]) -> str | None:
    """Find an entry that is neither sealed nor in the tail: it was put where nobody would seal it."""
    cursor: int | None = None
    while True:
        page = await backend.reader.list_audit(AuditFilter(tenant=tenant), PageRequest(cursor=cursor, limit=PAGE))
        # Those that were written while we looked are not strange.
        strange = [entry for entry in page.items if entry.sequence not in covered]
        known = {entry.sequence for entry in await backend.audit.list_unsealed(MOST_UNSEALED)} if strange else set()
        for entry in strange:
            if entry.sequence not in known and not await _is_sealed(backend, entry):
                return f"entry number {entry.sequence} is neither sealed nor waiting to be: it was inserted."
        if page.next_cursor is None:
            return None
        cursor = page.next_cursor


async def _is_sealed(backend: Backend, entry: AuditEntry) -> bool:
    head = next((seal for seal in await backend.audit.list_heads() if seal.tenant == entry.tenant), None)
    if head is None:
        return False
    behind = await backend.audit.list_sealed(entry.tenant, max(0, head.position - PAGE), PAGE)
    return any(one.seal.sequence == entry.sequence for one in behind)


def _find_fault(page: Sequence[SealedEntry], last: Seal | None, key: bytes) -> str | None:
    for one in page:
        if one.entry is None:
            return f"the entry at position {one.seal.position} (number {one.seal.sequence}) is gone."
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
    return int(entry.detail.get("through", 0))


async def list_tenants(backend: Backend) -> list[str]:
    """Name the tenants that have anything in the log, sealed or not."""
    sealed = [head.tenant for head in await backend.audit.list_heads()]
    unsealed = [entry.tenant for entry in await backend.audit.list_unsealed(MOST_UNSEALED)]
    return sorted({*sealed, *unsealed})
