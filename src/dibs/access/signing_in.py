"""Coming in: by a password, and the first time by a link that is printed once."""

from datetime import datetime, timedelta

import msgspec

from dibs.access import store
from dibs.access.directory import Directory, note
from dibs.access.model import ACCESS, AccessAction, By, NewUser, User, by_system, check_password, fit_login
from dibs.access.scopes import Role
from dibs.access.secrets import digest_of, mint_token
from dibs.errors import BadInput, SignInRefused, TooManySignIns
from dibs.kit.figures import show_span
from dibs.kit.ids import new_id
from dibs.storage.sight import sight_of

_REFUSED = "the name or the password is wrong, or the user is disabled. Try again, or ask an admin."
_NOBODY = "user:unknown"
# Whoever comes in at the same time may have had the same password hashed anew. That happens once.
_LOOKS = 2


class SignIn(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody types, and the network address it came from."""

    name: str
    password: str
    address: str

    def __repr__(self) -> str:
        return "SignIn(…)"


async def sign_in(directory: Directory, asked: SignIn) -> tuple[User, str]:
    """Begin a session; gives the user, and the session's id for the cookie, which is stored nowhere."""
    name = _read_name(asked.name)
    await _count_guess(directory, name, asked.address)
    for _ in range(_LOOKS):
        # After counting: guesses made at the same time are all counted before the first is answered.
        found = await _find_user(directory, name)
        stored = None if found is None else found[1]
        is_right = await directory.passwords.verify(stored, asked.password)
        if found is None or not is_right or found[0].disabled_at is not None:
            break
        cookie = await _begin_session(directory, found[0], asked, stored or "")
        if cookie is not None:
            return found[0], cookie
    await _note_refusal(directory, found[0] if found else None)
    raise SignInRefused(_REFUSED)


def _read_name(text: str) -> str:
    try:
        return fit_login(text)
    except BadInput:
        # Nobody is called so. It is answered like every name that nobody has.
        return ""


async def _find_user(directory: Directory, name: str) -> tuple[User, str] | None:
    if not name:
        return None
    async with directory.tables.reading(sight_of(None, presented=name)) as transaction:
        return await store.find_presented_user(transaction, name)


async def _count_guess(directory: Directory, name: str, address: str) -> None:
    rules = directory.rules
    limits = {_account(name): rules.guesses_an_account, _address(address): rules.guesses_an_address}
    waits: list[timedelta] = []
    async with directory.tables.writing(sight_of(None)) as transaction:
        for subject in sorted(limits):
            count, begun_at = await store.count_guess(transaction, subject, rules.guess_window)
            if count > limits[subject]:
                waits.append(_rest(begun_at, rules.guess_window, transaction.now))
    if waits:
        message = f"too many wrong passwords. Try again in {show_span(max(waits))}."
        raise TooManySignIns(message, retry_after=max(waits))


def _rest(begun_at: datetime, window: timedelta, now: datetime) -> timedelta:
    return max(begun_at + window - now, timedelta(seconds=1))


def _account(name: str) -> str:
    return f"account:{digest_of(name)}"


def _address(address: str) -> str:
    return f"address:{digest_of(address)}"


async def _note_refusal(directory: Directory, user: User | None) -> None:
    tenant, subject = (None, _NOBODY) if user is None else (user.tenant, f"user:{user.id}")
    async with directory.tables.writing(sight_of(tenant)) as transaction:
        await note(transaction, AccessAction.SIGN_IN_REFUSED, subject, by_system(ACCESS, "wrong name or password"))
    await directory.forward_acts([tenant])


async def _begin_session(directory: Directory, user: User, asked: SignIn, stored: str) -> str | None:
    """Begin a session, unless the user was disabled, or the password hashed anew, while it was being checked."""
    minted = mint_token()
    newer = await directory.passwords.hash(asked.password) if directory.passwords.is_outdated(stored) else None
    async with directory.tables.writing(sight_of(user.tenant)) as transaction:
        # The write itself judges: whoever looks first can be overtaken, and would begin a session after all others
        # were ended.
        if not await store.note_sign_in(transaction, user.id, stored):
            return None
        if newer is not None:
            await store.set_password(transaction, user.id, newer)
        await store.add_session(transaction, minted.digest, user.id, directory.rules.session_life)
        await note(transaction, AccessAction.USER_SIGNED_IN, f"user:{user.id}", By(principal=user.as_principal()))
    async with directory.tables.writing(sight_of(None)) as transaction:
        await store.forgive_guesses(transaction, _account(user.name), _address(asked.address))
    await directory.forward_acts([user.tenant])
    return minted.secret


async def sign_out(directory: Directory, cookie: str) -> None:
    """End the session of a cookie; one that is no session's ends nothing."""
    digest = digest_of(cookie)
    async with directory.tables.reading(sight_of(None, presented=digest)) as transaction:
        found = await store.find_presented_session(transaction, digest)
    if found is None:
        return
    async with directory.tables.writing(sight_of(found["tenant"])) as transaction:
        if await store.end_session(transaction, digest):
            user = f"user:{found['user_id']}"
            await note(transaction, AccessAction.USER_SIGNED_OUT, user, by_system(user))
    await directory.forward_acts([found["tenant"]])


async def begin_setup(directory: Directory) -> str | None:
    """Make the secret of a setup link, while the installation has no admin; None when it has one."""
    minted = mint_token()
    async with directory.tables.writing(sight_of(None)) as transaction:
        if await store.has_admin(transaction):
            return None
        await store.add_setup(transaction, minted.digest, directory.rules.setup_life)
    return minted.secret


async def is_setup_open(directory: Directory, secret: str) -> bool:
    """Tell whether a link can still be used."""
    async with directory.tables.reading(sight_of(None)) as transaction:
        is_alive = await store.has_setup(transaction, digest_of(secret))
        return is_alive and not await store.has_admin(transaction)


async def finish_setup(directory: Directory, secret: str, name: str, password: str) -> User:
    """Make the first admin, by a link that nobody has used. All other links end with it."""
    wanted = NewUser(tenant=None, name=fit_login(name), role=Role.ADMIN, password=password)
    check_password(password)
    password_hash = await directory.passwords.hash(password)
    async with directory.tables.writing(sight_of(None)) as transaction:
        is_spent = await store.spend_setup(transaction, digest_of(secret))
        # Each of two links is spent by somebody: voiding the other makes the second wait for the first.
        await store.void_setups(transaction)
        if not is_spent or await store.has_admin(transaction):
            raise SignInRefused("this setup link is spent, too old or wrong. Start the server again for a new one.")
        user = User(id=new_id(), tenant=None, name=wanted.name, role=wanted.role, created_at=transaction.now)
        await store.add_user(transaction, user, password_hash)
        await note(transaction, AccessAction.SETUP_FINISHED, f"user:{user.id}", by_system(f"user:{user.id}"))
    await directory.forward_acts([None])
    return user
