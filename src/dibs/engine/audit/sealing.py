"""The seal on the audit log: a chain of hashes a tenant, made behind the writers.

Each seal covers one entry and the seal before it. Whoever changes, removes or inserts a sealed entry breaks every seal
after it; with a key (`DIBS_AUDIT_KEY`) nobody without it can make them anew, and the seal begins with the key's name.
What is not sealed yet is the tail.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Protocol

import msgspec

from dibs.engine.audit.keys import name_key
from dibs.engine.store.reading import AuditEntry
from dibs.kit.clock import to_micros

# The detail comes after them, and the instant last of all.
_read_facts = attrgetter(*(name for name in AuditEntry.__struct_fields__ if name not in ("at", "detail")))
_encode = msgspec.json.Encoder(order="sorted").encode


class NewEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What an app adds to the log; the store numbers and dates it. Name people by reference, never by what they are."""

    action: str
    subject: str
    actor: str
    tenant: str = "default"
    reason: str = ""
    detail: Any = None


class Seal(msgspec.Struct, frozen=True, kw_only=True):
    """The hash over one entry and all before it. Positions count from 1 in each tenant, without a gap."""

    tenant: str
    position: int
    sequence: int
    hash: str


class SealedEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A seal, and the entry under it; None where it is gone."""

    seal: Seal
    entry: AuditEntry | None


class AuditLog(Protocol):
    """What a store must do for the log, beside what every move appends and `JobReader.list_audit` reads."""

    async def append(self, entries: Sequence[NewEntry], *, connection: Any = None) -> None:
        """Add entries, all or none; with `connection`, inside the caller's transaction."""

    async def list_unsealed(self, limit: int) -> list[AuditEntry]:
        """Read entries that no seal covers, of all tenants, the oldest first."""

    async def count_unsealed(self, tenant: str | None) -> int:
        """Count the tail."""

    async def list_heads(self) -> list[Seal]:
        """Read the last seal of each tenant that has one, by tenant."""

    async def seal(self, seals: Sequence[Seal]) -> bool:
        """Add seals of one tenant right behind its last one; False when they do not fit there: somebody was quicker."""

    async def list_sealed(self, tenant: str, after: int, limit: int) -> list[SealedEntry]:
        """Read a tenant's seals behind a position, with their entries, in order."""

    async def forget_sealed(self, tenant: str, through: int) -> int:
        """Forget a tenant's entries up to a position, and the seals before it; the seal there stays as the anchor."""


def chain(entries: Iterable[AuditEntry], heads: Sequence[Seal], key: bytes = b"") -> list[list[Seal]]:
    """Make the next seals of every tenant that has entries, behind their heads."""
    last = {head.tenant: head for head in heads}
    ordered = sorted(entries, key=lambda entry: (entry.tenant, entry.sequence))
    return [
        _chain_one(list(group), last.get(tenant), key) for tenant, group in groupby(ordered, key=attrgetter("tenant"))
    ]


def _chain_one(entries: list[AuditEntry], head: Seal | None, key: bytes) -> list[Seal]:
    seals = []
    for entry in entries:
        head = next_seal(entry, head, key)
        seals.append(head)
    return seals


def next_seal(entry: AuditEntry, head: Seal | None, key: bytes = b"") -> Seal:
    """Seal one entry behind another."""
    position = 1 if head is None else head.position + 1
    before = "" if head is None else head.hash
    return Seal(tenant=entry.tenant, position=position, sequence=entry.sequence, hash=_hash(before, entry, key))


def _hash(before: str, entry: AuditEntry, key: bytes) -> str:
    text = _encode((before, *_read_facts(entry), _plain(entry.detail), to_micros(entry.at)))
    if not key:
        return hashlib.sha256(text).hexdigest()
    return f"{name_key(key)}:{hmac.new(key, text, hashlib.sha256).hexdigest()}"


def _plain(value: Any) -> Any:
    # Stores give numbers back as JSON does: a whole float must not seal otherwise than the integer that it was.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _plain(inner) for name, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, (list, tuple)) else value
