"""From what the driver raises to what Dibs raises."""

from enum import Enum
from typing import Any

import asyncpg

from dibs.errors import (
    BadInput,
    DibsError,
    NotSupported,
    OutcomeUnknown,
    SchemaMismatch,
    StoreAccessDenied,
    StoreError,
    StoreUnavailable,
)


class Phase(Enum):
    """How far a call had come when it failed."""

    CONNECTING = "connecting"
    READING = "reading"
    WRITING = "writing"


# The server ended the session. Before version 15 it may say so just after a commit, so this proves nothing.
_ENDED_BY_SERVER = frozenset({"57P01", "57P02", "57P03", "57P05"})
_COLLISIONS = frozenset({"40001", "40P01"})
_BROKEN = (OSError, TimeoutError, asyncpg.InterfaceError, asyncpg.PostgresConnectionError, asyncpg.InternalClientError)

_WORDS: dict[str, tuple[type[DibsError], str]] = {
    "28P01": (StoreAccessDenied, "refused the user name or password. Correct them in the URL"),
    "28000": (StoreAccessDenied, "does not let this user in from here. Correct the URL, or the server's pg_hba.conf"),
    "3D000": (StoreUnavailable, "has no such database. Create it with createdb, or correct the URL"),
    "42501": (StoreAccessDenied, "lacks a right for this user. Grant it, or use the owner of the schema"),
    "25006": (StoreUnavailable, "only lets us read: it is a standby, or set to read-only. Use the primary's address"),
    "0A000": (NotSupported, "cannot do this"),
    "3F000": (SchemaMismatch, "has no Dibs schema here. Run dibs db migrate, or open it once with migrate=True"),
    "42P01": (SchemaMismatch, "lacks a table of Dibs. Run dibs db migrate, or open it once with migrate=True"),
    "42883": (SchemaMismatch, "lacks a function of Dibs. Run dibs db migrate, or open it once with migrate=True"),
    "40001": (StoreUnavailable, "undid the call again and again because others were quicker. Try later"),
    "40P01": (StoreUnavailable, "undid the call again and again to resolve a deadlock. Try later"),
    "55P03": (StoreUnavailable, "waited too long for a lock. Look for long transactions, then try again"),
    "57014": (StoreUnavailable, "cancelled the call: its statement_timeout is over, or somebody cancelled it"),
    "53100": (StoreUnavailable, "has no disk space left. Free some, then try again"),
    "53200": (StoreUnavailable, "is out of memory. Try again later"),
    "53300": (StoreUnavailable, "has no connection left. Lower pool_size, or raise its max_connections"),
}


def find_sqlstate(error: BaseException | None) -> str | None:
    """Find the code that the server gave, also through the wrappers of SQLAlchemy."""
    while error is not None:
        code = getattr(error, "sqlstate", None)
        if isinstance(code, str):
            return code
        error = getattr(error, "orig", None) or error.__cause__
    return None


def is_collision(error: BaseException) -> bool:
    """Whether the same call may simply be made again: others were quicker."""
    return find_sqlstate(error) in _COLLISIONS


def may_repeat(error: BaseException, phase: Phase) -> bool:
    """Whether a call whose connection was gone may be made again, on a new one: it was a read, or was never sent."""
    return _was_never_sent(error) or (phase is Phase.READING and _is_broken(error))


def _was_never_sent(error: BaseException) -> bool:
    return isinstance(error, asyncpg.InterfaceError) and "connection is closed" in str(error)


def _is_broken(error: BaseException) -> bool:
    is_slow = isinstance(error, TimeoutError)
    return not is_slow and (isinstance(error, _BROKEN) or find_sqlstate(error) in _ENDED_BY_SERVER)


def is_gone(connection: Any) -> bool:
    """Whether a connection has broken. If it was lent by a pool, that has taken it back, and it answers nothing."""
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


def translate(error: BaseException, *, shown: str, phase: Phase) -> DibsError:
    """Say in our words what happened. `shown` names the server."""
    if isinstance(error, DibsError):
        return error
    code = find_sqlstate(error)
    if code in _WORDS:
        kind, words = _WORDS[code]
        return kind(f"PostgreSQL at {shown} {words}. It says: {_first_line(error)}")
    if (code is not None and code.startswith("22")) or isinstance(error, asyncpg.DataError):
        return BadInput(f"PostgreSQL cannot store a value: {_first_line(error)} Nothing was changed.")
    if phase is Phase.CONNECTING or _was_never_sent(error):
        return _unreachable(error, shown)
    if isinstance(error, TimeoutError) or _is_broken(error):
        return _broken(error, shown, phase)
    return StoreError(f"PostgreSQL at {shown} refused a call: {_first_line(error)}")


def _unreachable(error: BaseException, shown: str) -> DibsError:
    if isinstance(error, asyncpg.ClientConfigurationError):
        return BadInput(f"the PostgreSQL URL cannot be used: {_first_line(error)}")
    if "configuration parameter" in str(error):
        # What is no option of ours or the driver's goes to the server as a setting of the session.
        message = f"PostgreSQL at {shown} knows no such setting: {_first_line(error)}. Correct the options in the URL."
        return BadInput(message)
    if "startup parameter" in str(error):
        message = f"a pooler stands before PostgreSQL at {shown} ({_first_line(error)})."
        return BadInput(f"{message} Say so in the URL: pooler=transaction or pooler=session, as it is set up.")
    why = "no answer or no free connection in time" if isinstance(error, TimeoutError) else _first_line(error)
    message = f"cannot reach PostgreSQL at {shown} ({why}). Check that it runs and that the URL is right."
    return StoreUnavailable(message)


def _broken(error: BaseException, shown: str, phase: Phase) -> DibsError:
    why = "no answer in time" if isinstance(error, TimeoutError) else _first_line(error)
    if phase is Phase.READING:
        return StoreUnavailable(f"the connection to PostgreSQL at {shown} broke ({why}). Try again.")
    message = (
        f"the connection to PostgreSQL at {shown} broke after a write was sent ({why})."
        " It may or may not have happened: look before trying again."
    )
    return OutcomeUnknown(message)


def _first_line(error: BaseException) -> str:
    lines = str(error).splitlines()
    return lines[0] if lines else type(error).__name__
