"""From what SQLAlchemy and its drivers raise to what Dibs raises."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError, IntegrityError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from dibs.errors import BadInput, DibsError, SchemaMismatch, StoreAccessDenied, StoreError, StoreUnavailable

_MIGRATE = "Run dibs db migrate."
_UNFIT = "a value cannot be kept, such as one with NUL or with half a character. Nothing was changed."
_BY_CODE: dict[str, tuple[type[DibsError], str]] = {
    "28P01": (StoreAccessDenied, "refused the user name or password. Correct them in the URL."),
    "28000": (StoreAccessDenied, "does not let this user in from here. Correct the URL, or the server's pg_hba.conf."),
    "42501": (StoreAccessDenied, "lacks a right for this user. Make it a member of the roles, or migrate as another."),
    "3D000": (StoreUnavailable, "has no such database. Create it with createdb, or correct the URL."),
    "22023": (SchemaMismatch, f"lacks the roles of Dibs. {_MIGRATE}"),
    "3F000": (SchemaMismatch, f"lacks the tables of Dibs. {_MIGRATE}"),
    "42P01": (SchemaMismatch, f"lacks the tables of Dibs. {_MIGRATE}"),
    "42703": (SchemaMismatch, f"has older tables. {_MIGRATE}"),
}
_BY_WORDS: dict[str, tuple[type[DibsError], str]] = {
    "no such table": (SchemaMismatch, f"lacks the tables of Dibs. {_MIGRATE}"),
    "no such column": (SchemaMismatch, f"has older tables. {_MIGRATE}"),
    "unable to open database": (StoreUnavailable, f"is no file that can be opened. Check the path. {_MIGRATE}"),
    "database is locked": (StoreUnavailable, "was locked by others for too long. Try again."),
    "database or disk is full": (StoreUnavailable, "has no room left on its disk. Free some space, then try again."),
    # Where a disk is full, SQLite may not even open what it keeps beside the file, and calls that so.
    "disk I/O error": (
        StoreUnavailable,
        "could not be read or written: its disk is full, or failed. Look at the disk.",
    ),
    "readonly database": (StoreAccessDenied, "may not be written. Check the rights on the file and its folder."),
    "not a database": (StoreError, "is no SQLite file. Correct DIBS_TABLES_URL."),
}


@contextmanager
def translating(shown: str) -> Iterator[None]:
    """Say in our words what goes wrong inside. `shown` names the store."""
    try:
        yield
    except IntegrityError:
        # What it means, only the one who writes knows.
        raise
    except UnicodeEncodeError as error:
        raise BadInput(_UNFIT) from error
    except (SQLAlchemyError, OSError) as error:
        raise translate(error, shown) from error


def translate(error: BaseException, shown: str) -> DibsError:
    """Find the class and the words."""
    said = str(getattr(error, "orig", None) or error).splitlines()[0] if str(error) else type(error).__name__
    kind, words = _find_words(error, said)
    if kind is BadInput:
        # The driver would repeat the value.
        return BadInput(_UNFIT)
    return kind(f"the store of tables {shown} {words} It says: {said}")


def _find_words(error: BaseException, said: str) -> tuple[type[DibsError], str]:
    code = _find_code(error)
    if code in _BY_CODE:
        return _BY_CODE[code]
    by_words = next((answer for words, answer in _BY_WORDS.items() if words in said), None)
    if by_words is not None:
        return by_words
    if code.startswith("22") or "invalid input for query argument" in said:
        return BadInput, ""
    is_away = isinstance(error, (OSError, PoolTimeout)) or (isinstance(error, DBAPIError) and not code)
    if is_away or code.startswith(("08", "53", "57")):
        return StoreUnavailable, "cannot be reached, or gave no answer in time. Check that it runs."
    return StoreError, "refused a call."


def _find_code(error: BaseException | None) -> str:
    while error is not None:
        code = getattr(error, "sqlstate", None)
        if isinstance(code, str):
            return code
        error = getattr(error, "orig", None) or error.__cause__
    return ""
