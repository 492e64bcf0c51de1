"""Whose store it is, and how acts come into the audit log."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any

from dibs.access import store
from dibs.access.model import AccessRules, By
from dibs.access.secrets import Passwords
from dibs.engine.audit.sealing import NewEntry
from dibs.engine.store.checks.values import LONGEST_REASON, check_name
from dibs.engine.store.guards import GuardedAudit
from dibs.errors import StoreError
from dibs.kit.text import printable
from dibs.storage.sight import INSTALLATION, sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction


class Directory:
    """What actions work on: the tables, the rules, and the engine's audit log where one is at hand."""

    def __init__(
        self,
        tables: Tables,
        *,
        audit: GuardedAudit | None = None,
        rules: AccessRules | None = None,
        passwords: Passwords | None = None,
    ) -> None:
        self.tables = tables
        self.rules = rules or AccessRules()
        self.passwords = passwords or Passwords()
        self._audit = audit

    async def forward_acts(self, tenants: Iterable[str | None]) -> None:
        """Bring acts into the audit log. Those that cannot be brought now stay, and go with the next.

        The act itself was committed before: that the log's store is away must not make it look undone.
        """
        for tenant in tenants:
            try:
                await self._forward(tenant)
            except StoreError:
                return

    async def _forward(self, tenant: str | None) -> None:
        if self._audit is None:
            return
        async with self.tables.reading(sight_of(tenant)) as transaction:
            acts = await store.list_acts(transaction)
        if acts:
            await self._audit.append([_as_entry(act) for act in acts])
            async with self.tables.writing(sight_of(tenant)) as transaction:
                await store.forget_acts(transaction, [act["id"] for act in acts])


async def note(transaction: Transaction, action: StrEnum, subject: str, by: By) -> None:
    """Note an act in its own transaction, as the audit log will take it."""
    check_name(by.principal.actor, "actor")
    reason = printable(by.reason, LONGEST_REASON)
    await store.add_act(transaction, action, subject=subject, actor=by.principal.actor, reason=reason)


def _as_entry(act: Any) -> NewEntry:
    # The id tells an act that was brought twice, because the store went away in between, from one that was done twice.
    return NewEntry(
        action=act["action"],
        subject=act["subject"],
        actor=act["actor"],
        tenant=act["tenant"] or INSTALLATION,
        reason=act["reason"],
        detail={"act": act["id"], "at": act["at"].isoformat()},
    )
