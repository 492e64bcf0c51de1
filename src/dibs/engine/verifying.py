"""Whether the audit log is what it was when it was sealed."""

from collections.abc import Sequence

import msgspec

from dibs.engine.sealing import Seal, SealedEntry, next_seal
from dibs.engine.store.backend import Backend

PAGE = 1_000
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
    """Check every seal of a tenant, from the first or from where the log was cut on purpose."""
    last: Seal | None = None
    begins_at, checked, forgotten = 1, 0, set[int]()
    while page := await backend.audit.list_sealed(tenant, 0 if last is None else last.position, PAGE):
        if last is None and page[0].entry is None:
            # An anchor; whether the cut was made on purpose is said by an entry behind it.
            last, begins_at, page = page[0].seal, page[0].seal.position + 1, page[1:]
        fault = _find_fault(page, last, key)
        forgotten |= {_cut_of(one) for one in page}
        checked += len(page)
        last = page[-1].seal if page else last
        if fault is not None:
            return await _report(backend, tenant, checked, begins_at, last, fault)
    if begins_at > 1 and begins_at - 1 not in forgotten:
        fault = f"the entries before position {begins_at} are gone, and no {FORGOTTEN} entry says who forgot them."
        return await _report(backend, tenant, checked, begins_at, last, fault)
    return await _report(backend, tenant, checked, begins_at, last, None)


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


def _cut_of(sealed: SealedEntry) -> int:
    entry = sealed.entry
    is_cut = entry is not None and entry.action == FORGOTTEN and isinstance(entry.detail, dict)
    return int(entry.detail.get("through", 0)) if is_cut and entry is not None else 0


async def _report(
    backend: Backend, tenant: str, checked: int, begins_at: int, last: Seal | None, fault: str | None
) -> ChainReport:
    return ChainReport(
        tenant=tenant,
        sealed=checked,
        unsealed=await backend.audit.count_unsealed(tenant),
        begins_at=begins_at,
        head="" if last is None else last.hash,
        fault=fault,
    )


async def list_tenants(backend: Backend) -> list[str]:
    """Name the tenants that have anything in the log, sealed or not."""
    sealed = [head.tenant for head in await backend.audit.list_heads()]
    unsealed = [entry.tenant for entry in await backend.audit.list_unsealed(100_000)]
    return sorted({*sealed, *unsealed})
