"""The verbs for tenants, keys and users: one transaction each."""

from datetime import timedelta

from dibs.access import store
from dibs.access.directory import Directory, note
from dibs.access.model import (
    AccessAction,
    ApiKey,
    By,
    NewKey,
    NewUser,
    Tenant,
    User,
    check_grant,
    check_life,
    check_password,
    check_reach,
    fit_login,
    fit_name,
    fit_scopes,
    fit_tenant,
)
from dibs.access.scopes import SCOPES_OF_ROLES, Scope
from dibs.access.secrets import HINT_LENGTH, Minted, mint_key
from dibs.errors import BadInput, KeyNotFound, NameTaken, TenantNotFound, UserNotFound
from dibs.kit.ids import new_id
from dibs.storage.sight import sight_of
from dibs.storage.transaction import Transaction


async def create_tenant(directory: Directory, name: str, by: By) -> Tenant:
    """Make a tenant; only the installation can."""
    name = fit_tenant(name)
    check_reach(by, None, Scope.TENANTS_WRITE)
    async with directory.tables.writing(sight_of(name)) as transaction:
        if not await store.add_tenant(transaction, name):
            message = f"there is a tenant {name!r} already. Choose another name, or go on with this one."
            raise NameTaken(message)
        await note(transaction, AccessAction.TENANT_CREATED, f"tenant:{name}", by)
    await directory.forward_acts([name])
    return Tenant(name=name, created_at=transaction.now)


async def list_tenants(directory: Directory, by: By) -> list[Tenant]:
    """Read the tenants: all for the installation, only itself for a tenant."""
    check_reach(by, by.principal.tenant, Scope.TENANTS_READ)
    async with directory.tables.reading(sight_of(by.principal.tenant)) as transaction:
        return await store.list_tenants(transaction)


async def get_tenant(directory: Directory, name: str, by: By) -> Tenant:
    """Read one tenant; for a tenant, every other one is missing."""
    check_reach(by, by.principal.tenant, Scope.TENANTS_READ)
    async with directory.tables.reading(sight_of(by.principal.tenant)) as transaction:
        found = await store.find_tenant(transaction, name)
    if found is None:
        message = f"there is no tenant {name[:80]!a} here. Make it with: dibs tenants create"
        raise TenantNotFound(message)
    return found


async def create_key(directory: Directory, wanted: NewKey, by: By) -> tuple[ApiKey, str]:
    """Make a key, and give its secret, which nobody can read again."""
    tenant = None if wanted.tenant is None else fit_tenant(wanted.tenant)
    scopes = fit_scopes(wanted.scopes)
    check_life(wanted.life)
    check_reach(by, tenant, Scope.KEYS_WRITE)
    check_grant(by, scopes)
    minted = mint_key()
    async with directory.tables.writing(sight_of(tenant)) as transaction:
        await _need_tenant(transaction, tenant)
        key = _make_key(transaction, minted, wanted, by)
        await store.add_key(transaction, key, minted.digest)
        await note(transaction, AccessAction.KEY_CREATED, f"key:{key.id}", by)
    await directory.forward_acts([tenant])
    return key, minted.secret


async def _need_tenant(transaction: Transaction, tenant: str | None) -> None:
    if tenant is not None and await store.find_tenant(transaction, tenant) is None:
        message = f"there is no tenant {tenant!r}. Make it with: dibs tenants create"
        raise TenantNotFound(message)


def _make_key(transaction: Transaction, minted: Minted, wanted: NewKey, by: By) -> ApiKey:
    return ApiKey(
        id=new_id(),
        tenant=wanted.tenant,
        name=fit_name(wanted.name, "name") if wanted.name else "",
        hint=minted.secret[:HINT_LENGTH],
        scopes=tuple(sorted(wanted.scopes)),
        created_by=by.principal.actor,
        created_at=transaction.now,
        expires_at=None if wanted.life is None else transaction.now + wanted.life,
    )


async def list_keys(directory: Directory, tenant: str | None, by: By) -> list[ApiKey]:
    """Read the keys of a tenant; None: those of the installation."""
    check_reach(by, tenant, Scope.KEYS_READ)
    async with directory.tables.reading(sight_of(tenant)) as transaction:
        return await store.list_keys(transaction)


async def get_key(directory: Directory, tenant: str | None, key_id: str, by: By) -> ApiKey:
    """Read one key of a tenant."""
    check_reach(by, tenant, Scope.KEYS_READ)
    async with directory.tables.reading(sight_of(tenant)) as transaction:
        return await _need_key(transaction, key_id)


async def revoke_key(directory: Directory, tenant: str | None, key_id: str, by: By) -> ApiKey:
    """End a key, in every process within a second. Ending it twice does nothing more."""
    check_reach(by, tenant, Scope.KEYS_WRITE)
    async with directory.tables.writing(sight_of(tenant)) as transaction:
        await _need_key(transaction, key_id)
        if await store.revoke_key(transaction, key_id):
            await note(transaction, AccessAction.KEY_REVOKED, f"key:{key_id}", by)
        key = await _need_key(transaction, key_id)
    await directory.forward_acts([tenant])
    return key


async def rotate_key(
    directory: Directory, tenant: str | None, key_id: str, by: By, *, overlap: timedelta | None = None
) -> tuple[ApiKey, str]:
    """Make a key that can do the same; the old one goes on for the overlap, and then ends.

    The new one lives as long as the old one was meant to.
    """
    check_reach(by, tenant, Scope.KEYS_WRITE)
    overlap = directory.rules.rotation_overlap if overlap is None else overlap
    check_life(overlap or None)
    minted = mint_key()
    async with directory.tables.writing(sight_of(tenant)) as transaction:
        old = await _need_key(transaction, key_id)
        check_grant(by, frozenset(old.scopes))
        if not await store.let_key_end(transaction, old.id, transaction.now + overlap):
            message = f"the key {key_id!r} has ended, so there is nothing to rotate. Make a new one."
            raise BadInput(message)
        key = _succeed(transaction, old, minted, by)
        await store.add_key(transaction, key, minted.digest)
        await note(transaction, AccessAction.KEY_ROTATED, f"key:{old.id}", by)
    await directory.forward_acts([tenant])
    return key, minted.secret


def _succeed(transaction: Transaction, old: ApiKey, minted: Minted, by: By) -> ApiKey:
    return ApiKey(
        id=new_id(),
        tenant=old.tenant,
        name=old.name,
        hint=minted.secret[:HINT_LENGTH],
        scopes=old.scopes,
        created_by=by.principal.actor,
        created_at=transaction.now,
        expires_at=None if old.expires_at is None else transaction.now + (old.expires_at - old.created_at),
        replaces=old.id,
    )


async def _need_key(transaction: Transaction, key_id: str) -> ApiKey:
    key = await store.find_key(transaction, key_id) if key_id.isprintable() else None
    if key is None:
        message = f"there is no key {key_id[:80]!a} here. See: dibs keys list"
        raise KeyNotFound(message)
    return key


async def create_user(directory: Directory, wanted: NewUser, by: By) -> User:
    """Make a user of the dashboard."""
    tenant = None if wanted.tenant is None else fit_tenant(wanted.tenant)
    name = fit_login(wanted.name)
    check_password(wanted.password)
    check_reach(by, tenant, Scope.USERS_WRITE)
    check_grant(by, SCOPES_OF_ROLES[wanted.role])
    password_hash = await directory.passwords.hash(wanted.password)
    async with directory.tables.writing(sight_of(tenant)) as transaction:
        await _need_tenant(transaction, tenant)
        user = User(id=new_id(), tenant=tenant, name=name, role=wanted.role, created_at=transaction.now)
        await store.add_user(transaction, user, password_hash)
        await note(transaction, AccessAction.USER_CREATED, f"user:{user.id}", by)
    await directory.forward_acts([tenant])
    return user


async def list_users(directory: Directory, tenant: str | None, by: By) -> list[User]:
    """Read the users of a tenant; None: those of the installation."""
    check_reach(by, tenant, Scope.USERS_READ)
    async with directory.tables.reading(sight_of(tenant)) as transaction:
        return await store.list_users(transaction)


async def get_user(directory: Directory, tenant: str | None, name: str, by: By) -> User:
    """Read one user of a tenant."""
    check_reach(by, tenant, Scope.USERS_READ)
    async with directory.tables.reading(sight_of(tenant)) as transaction:
        return await _need_user(transaction, name)


async def disable_user(directory: Directory, tenant: str | None, name: str, by: By) -> User:
    """Shut a user out, and end all of the user's sessions."""
    check_reach(by, tenant, Scope.USERS_WRITE)
    async with directory.tables.writing(sight_of(tenant)) as transaction:
        user = await _need_user(transaction, name)
        check_grant(by, SCOPES_OF_ROLES[user.role])
        if await store.disable_user(transaction, user.id):
            await note(transaction, AccessAction.USER_DISABLED, f"user:{user.id}", by)
        user = await _need_user(transaction, name)
    await directory.forward_acts([tenant])
    return user


async def set_password(directory: Directory, tenant: str | None, name: str, password: str, by: By) -> User:
    """Give a user another password, and end all of the user's sessions."""
    check_password(password)
    check_reach(by, tenant, Scope.USERS_WRITE)
    password_hash = await directory.passwords.hash(password)
    async with directory.tables.writing(sight_of(tenant)) as transaction:
        user = await _need_user(transaction, name)
        # Whoever sets a password can come in with it.
        check_grant(by, SCOPES_OF_ROLES[user.role])
        await store.set_password(transaction, user.id, password_hash)
        await store.end_sessions(transaction, user.id)
        await note(transaction, AccessAction.USER_PASSWORD_SET, f"user:{user.id}", by)
    await directory.forward_acts([tenant])
    return user


async def _need_user(transaction: Transaction, name: str) -> User:
    user = await store.find_user(transaction, fit_login(name))
    if user is None:
        message = f"there is no user {name[:80]!a} here. See: dibs users list"
        raise UserNotFound(message)
    return user
