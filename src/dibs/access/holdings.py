"""What the house itself knows of a person: an account on the dashboard, keys that are called after somebody."""

import msgspec

from dibs.access import store
from dibs.access.model import ApiKey, User
from dibs.engine.personal.holding import Erased, Held, Untraced
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.store.moves import OperatorAct
from dibs.storage.sight import sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction


class AccountsHolding(Untraced):
    """Accounts and keys of a tenant. The log calls both by their ids, which say nothing about anybody."""

    name = "accounts"

    def __init__(self, tables: Tables) -> None:
        self._tables = tables

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give them, without hashes of secrets."""
        async with self._tables.reading(sight_of(inquiry.tenant)) as transaction:
            users, keys = await _find(transaction, inquiry)
        accounts = [Held(kind="user", id=one.id, data=msgspec.to_builtins(one)) for one in users]
        return accounts + [Held(kind="key", id=one.id, data=msgspec.to_builtins(one)) for one in keys]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Forget accounts with their sessions. Keys go on under a name that says nothing: programs need them."""
        async with self._tables.writing(sight_of(inquiry.tenant)) as transaction:
            users, keys = await _find(transaction, inquiry)
            for user in users:
                await store.forget_user(transaction, user.id)
            for key in keys:
                await store.rename_key(transaction, key.id, inquiry.redact(key.name), inquiry.redact(key.created_by))
        return Erased(count=len(users) + len(keys))


async def _find(transaction: Transaction, inquiry: Inquiry) -> tuple[list[User], list[ApiKey]]:
    users = [one for one in await store.list_users(transaction) if inquiry.names(one.name)]
    keys = [one for one in await store.list_keys(transaction) if inquiry.names([one.name, one.created_by])]
    return users, keys
