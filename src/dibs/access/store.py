"""Every statement on the tables of this section. Whose rows are meant, the transaction says."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import RowMapping, delete, or_, select, update
from sqlalchemy.exc import IntegrityError

from dibs.access.model import ApiKey, Tenant, User
from dibs.access.scopes import Role, Scope
from dibs.access.tables import ACTS, GUESSES, KEYS, SESSIONS, SETUPS, TENANTS, USERS
from dibs.errors import NameTaken
from dibs.kit.ids import new_id
from dibs.storage.sight import INSTALLATION, sight_of
from dibs.storage.tables import Tables
from dibs.storage.transaction import Transaction

MOST_ACTS = 1_000
DEFAULT_TENANT = "default"
_SCOPES = frozenset(Scope)


async def add_tenant(transaction: Transaction, name: str) -> bool:
    """Keep a tenant; False when it is there already."""
    return await transaction.add_if_new(TENANTS, name=name, created_at=transaction.now)


async def find_tenant(transaction: Transaction, name: str) -> Tenant | None:
    """Read one tenant."""
    row = await transaction.find(select(TENANTS).where(TENANTS.c.name == name))
    return None if row is None else Tenant(**row)


async def list_tenants(transaction: Transaction) -> list[Tenant]:
    """Read the tenants in sight, by name."""
    return [Tenant(**row) for row in await transaction.fetch(select(TENANTS).order_by(TENANTS.c.name))]


async def name_tenants(tables: Tables) -> list[str]:
    """Name all tenants of the installation; the default one is there without a row."""
    async with tables.reading(sight_of(None)) as transaction:
        return sorted({DEFAULT_TENANT, *(one.name for one in await list_tenants(transaction))})


async def add_key(transaction: Transaction, key: ApiKey, digest: str) -> None:
    """Keep a key, with the hash of its secret."""
    facts = {name: getattr(key, name) for name in key.__struct_fields__ if name != "tenant"}
    await transaction.add(KEYS, **facts, digest=digest)


async def find_key(transaction: Transaction, key_id: str) -> ApiKey | None:
    """Read one key of the tenant."""
    row = await transaction.find(select(KEYS).where(KEYS.c.id == key_id))
    return None if row is None else _as_key(row)


async def find_presented_key(transaction: Transaction, digest: str) -> tuple[ApiKey, str] | None:
    """Read the key whose secret was presented, and the hash that is stored of it."""
    row = await transaction.find(select(KEYS).where(KEYS.c.digest == digest))
    return None if row is None else (_as_key(row), row["digest"])


async def list_keys(transaction: Transaction) -> list[ApiKey]:
    """Read the tenant's keys, in the order they were made."""
    return [_as_key(row) for row in await transaction.fetch(select(KEYS).order_by(KEYS.c.id))]


async def revoke_key(transaction: Transaction, key_id: str) -> bool:
    """End a key; False when it was ended before."""
    is_alive = (KEYS.c.id == key_id) & KEYS.c.revoked_at.is_(None)
    return await transaction.change(update(KEYS).where(is_alive).values(revoked_at=transaction.now)) == 1


async def let_key_end(transaction: Transaction, key_id: str, at: datetime) -> bool:
    """Let a key end at an instant, if it does not end before; False when it has ended."""
    lives_on = or_(KEYS.c.expires_at.is_(None), KEYS.c.expires_at > transaction.now)
    is_alive = (KEYS.c.id == key_id) & KEYS.c.revoked_at.is_(None) & lives_on
    if await transaction.find(select(KEYS.c.id).where(is_alive)) is None:
        return False
    ends_later = or_(KEYS.c.expires_at.is_(None), KEYS.c.expires_at > at)
    await transaction.change(update(KEYS).where(is_alive & ends_later).values(expires_at=at))
    return True


async def rename_key(transaction: Transaction, key_id: str, name: str, created_by: str) -> None:
    """Call a key otherwise, and whoever made it; it goes on."""
    await transaction.change(update(KEYS).where(KEYS.c.id == key_id).values(name=name, created_by=created_by))


async def note_key_use(transaction: Transaction, key_id: str, every: timedelta) -> None:
    """Note that a key was used, unless that was noted a moment ago."""
    is_old = or_(KEYS.c.last_used_at.is_(None), KEYS.c.last_used_at <= transaction.now - every)
    await transaction.change(update(KEYS).where((KEYS.c.id == key_id) & is_old).values(last_used_at=transaction.now))


async def add_user(transaction: Transaction, user: User, password_hash: str) -> None:
    """Keep a user; a name that is taken is refused, in whichever tenant it is."""
    facts = {name: getattr(user, name) for name in user.__struct_fields__ if name != "tenant"}
    try:
        await transaction.add(USERS, **facts, password_hash=password_hash)
    except IntegrityError as error:
        message = f"a user is called {user.name!r} already. Choose another name."
        raise NameTaken(message) from error


async def find_user(transaction: Transaction, name: str) -> User | None:
    """Read one user of the tenant by name."""
    row = await transaction.find(select(USERS).where(USERS.c.name == name))
    return None if row is None else _as_user(row)


async def find_presented_user(transaction: Transaction, name: str) -> tuple[User, str] | None:
    """Read the user whose name was presented, and the hash of the password."""
    row = await transaction.find(select(USERS).where(USERS.c.name == name))
    return None if row is None else (_as_user(row), row["password_hash"])


async def list_users(transaction: Transaction) -> list[User]:
    """Read the tenant's users by name."""
    return [_as_user(row) for row in await transaction.fetch(select(USERS).order_by(USERS.c.name))]


async def find_names(transaction: Transaction, ids: Collection[str]) -> dict[str, str]:
    """Give the names of those users and keys that are in sight, by how the log calls them."""
    named: dict[str, str] = {}
    for kind, table in (("user", USERS), ("key", KEYS)):
        rows = await transaction.fetch(select(table.c.id, table.c.name).where(table.c.id.in_(ids)))
        named |= {f"{kind}:{row['id']}": row["name"] for row in rows if row["name"]}
    return named


async def has_admin(transaction: Transaction) -> bool:
    """Whether the installation has an admin who can come in."""
    is_admin = (USERS.c.tenant == INSTALLATION) & (USERS.c.role == Role.ADMIN) & USERS.c.disabled_at.is_(None)
    return await transaction.find(select(USERS.c.id).where(is_admin)) is not None


async def disable_user(transaction: Transaction, user_id: str) -> bool:
    """Shut a user out; False when that was done before."""
    is_enabled = (USERS.c.id == user_id) & USERS.c.disabled_at.is_(None)
    is_done = await transaction.change(update(USERS).where(is_enabled).values(disabled_at=transaction.now)) == 1
    await end_sessions(transaction, user_id)
    return is_done


async def forget_user(transaction: Transaction, user_id: str) -> None:
    """Forget a user, and end the sessions."""
    await end_sessions(transaction, user_id)
    await transaction.change(delete(USERS).where(USERS.c.id == user_id))


async def set_password(transaction: Transaction, user_id: str, password_hash: str) -> None:
    """Keep another hash."""
    await transaction.change(update(USERS).where(USERS.c.id == user_id).values(password_hash=password_hash))


async def note_sign_in(transaction: Transaction, user_id: str, password_hash: str) -> bool:
    """Note that a user came in; False when the user was shut out meanwhile, or was given another password."""
    is_same = (USERS.c.id == user_id) & (USERS.c.password_hash == password_hash) & USERS.c.disabled_at.is_(None)
    return await transaction.change(update(USERS).where(is_same).values(last_sign_in_at=transaction.now)) == 1


async def add_session(transaction: Transaction, digest: str, user_id: str, life: timedelta) -> None:
    """Keep a session, and forget the user's old ones that have ended."""
    now = transaction.now
    has_ended = (SESSIONS.c.user_id == user_id) & (SESSIONS.c.expires_at <= now)
    await transaction.change(delete(SESSIONS).where(has_ended))
    await transaction.add(SESSIONS, digest=digest, user_id=user_id, created_at=now, seen_at=now, expires_at=now + life)


async def find_presented_session(transaction: Transaction, digest: str) -> RowMapping | None:
    """Read the session whose id was presented."""
    return await transaction.find(select(SESSIONS).where(SESSIONS.c.digest == digest))


async def find_session_user(transaction: Transaction, digest: str, since: datetime) -> User | None:
    """Read the user of a session that is alive, was seen after `since`, and whose user may still come in."""
    own = USERS.join(SESSIONS, SESSIONS.c.user_id == USERS.c.id)
    is_alive = (SESSIONS.c.expires_at > transaction.now) & (SESSIONS.c.seen_at > since)
    wanted = select(USERS).select_from(own).where((SESSIONS.c.digest == digest) & is_alive)
    row = await transaction.find(wanted.where(USERS.c.disabled_at.is_(None)))
    return None if row is None else _as_user(row)


async def note_session_use(transaction: Transaction, digest: str) -> None:
    """Note that a session was used."""
    await transaction.change(update(SESSIONS).where(SESSIONS.c.digest == digest).values(seen_at=transaction.now))


async def end_session(transaction: Transaction, digest: str) -> bool:
    """End one session."""
    return await transaction.change(delete(SESSIONS).where(SESSIONS.c.digest == digest)) == 1


async def end_sessions(transaction: Transaction, user_id: str) -> int:
    """End all sessions of a user."""
    return await transaction.change(delete(SESSIONS).where(SESSIONS.c.user_id == user_id))


async def add_setup(transaction: Transaction, digest: str, life: timedelta) -> None:
    """Keep the hash of a setup link."""
    await transaction.add(SETUPS, digest=digest, created_at=transaction.now, expires_at=transaction.now + life)


async def has_setup(transaction: Transaction, digest: str) -> bool:
    """Whether a setup link is alive."""
    is_alive = SETUPS.c.used_at.is_(None) & (SETUPS.c.expires_at > transaction.now)
    return await transaction.find(select(SETUPS.c.digest).where((SETUPS.c.digest == digest) & is_alive)) is not None


async def spend_setup(transaction: Transaction, digest: str) -> bool:
    """Spend a link that is alive. Of two at once, one waits for the other here and finds it spent."""
    is_alive = SETUPS.c.used_at.is_(None) & (SETUPS.c.expires_at > transaction.now)
    change = update(SETUPS).where((SETUPS.c.digest == digest) & is_alive).values(used_at=transaction.now)
    return await transaction.change(change) == 1


async def void_setups(transaction: Transaction) -> int:
    """Spend every link that is left."""
    return await transaction.change(update(SETUPS).where(SETUPS.c.used_at.is_(None)).values(used_at=transaction.now))


async def count_guess(transaction: Transaction, subject: str, window: timedelta) -> tuple[int, datetime]:
    """Count one more guess, and tell how many there are since when; a window that is over begins anew."""
    now, row = transaction.now, GUESSES.c.subject == subject
    await transaction.change(delete(GUESSES).where(GUESSES.c.begun_at <= now - window))
    await transaction.add_if_new(GUESSES, subject=subject, count=0, begun_at=now)
    await transaction.change(update(GUESSES).where(row).values(count=GUESSES.c.count + 1))
    found = await transaction.find(select(GUESSES.c.count, GUESSES.c.begun_at).where(row))
    return (1, now) if found is None else (found["count"], found["begun_at"])


async def forgive_guesses(transaction: Transaction, account: str, address: str) -> None:
    """Forget the guesses at an account, and take back the one that was right from its address."""
    await transaction.change(delete(GUESSES).where(GUESSES.c.subject == account))
    is_counted = (GUESSES.c.subject == address) & (GUESSES.c.count > 0)
    await transaction.change(update(GUESSES).where(is_counted).values(count=GUESSES.c.count - 1))


async def add_act(transaction: Transaction, action: StrEnum, **facts: str) -> None:
    """Keep an act for the audit log, in the transaction of the act itself."""
    await transaction.add(ACTS, id=new_id(), action=action.value, at=transaction.now, **facts)


async def list_acts(transaction: Transaction) -> Sequence[RowMapping]:
    """Read acts of the tenant that are not in the audit log yet, oldest first."""
    return await transaction.fetch(select(ACTS).order_by(ACTS.c.id).limit(MOST_ACTS))


async def forget_acts(transaction: Transaction, ids: Sequence[str]) -> None:
    """Forget acts that are in the audit log now."""
    await transaction.change(delete(ACTS).where(ACTS.c.id.in_(ids)))


def _as_key(row: RowMapping) -> ApiKey:
    facts = _facts(row, ApiKey)
    return ApiKey(**{**facts, "scopes": tuple(Scope(one) for one in row["scopes"] if one in _SCOPES)})


def _as_user(row: RowMapping) -> User:
    return User(**{**_facts(row, User), "role": Role(row["role"])})


def _facts(row: RowMapping, kind: Any) -> dict[str, Any]:
    facts = {name: row[name] for name in kind.__struct_fields__}
    return {**facts, "tenant": None if row["tenant"] == INSTALLATION else row["tenant"]}
