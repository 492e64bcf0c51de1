"""Tenants, keys, users: records, and rules without input or output."""

import unicodedata
from datetime import datetime, timedelta
from enum import StrEnum

import msgspec

from dibs.access.principal import Principal
from dibs.access.scopes import SCOPES_OF_ROLES, Role, Scope
from dibs.errors import BadInput, Forbidden
from dibs.storage.sight import INSTALLATION

LONGEST_NAME = 200
LONGEST_PASSWORD, SHORTEST_PASSWORD = 1_000, 12
LONGEST_LIFE = timedelta(days=3_650)
ACCESS = "dibs:access"


class AccessAction(StrEnum):
    """What the audit log says of tenants, keys and users."""

    TENANT_CREATED = "TENANT_CREATED"
    KEY_CREATED = "KEY_CREATED"
    KEY_ROTATED = "KEY_ROTATED"
    KEY_REVOKED = "KEY_REVOKED"
    USER_CREATED = "USER_CREATED"
    USER_DISABLED = "USER_DISABLED"
    USER_PASSWORD_SET = "USER_PASSWORD_SET"  # noqa: S105 - the name of an act
    USER_SIGNED_IN = "USER_SIGNED_IN"
    USER_SIGNED_OUT = "USER_SIGNED_OUT"
    SIGN_IN_REFUSED = "SIGN_IN_REFUSED"
    SETUP_FINISHED = "SETUP_FINISHED"


class AccessRules(msgspec.Struct, frozen=True, kw_only=True):
    """How long things live, and how often may be guessed."""

    session_idle: timedelta = timedelta(hours=1)
    session_life: timedelta = timedelta(hours=12)
    setup_life: timedelta = timedelta(hours=24)
    rotation_overlap: timedelta = timedelta(hours=24)
    guess_window: timedelta = timedelta(minutes=15)
    guesses_an_account: int = 10
    guesses_an_address: int = 50
    use_noted_every: timedelta = timedelta(minutes=1)


class Tenant(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody whose jobs and rows nobody else sees."""

    name: str
    created_at: datetime


class ApiKey(msgspec.Struct, frozen=True, kw_only=True):
    """An API key without its secret. `tenant` None: may name any tenant. `hint` is how the secret begins."""

    id: str
    tenant: str | None
    name: str
    hint: str
    scopes: tuple[Scope, ...]
    created_by: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    last_used_at: datetime | None = None
    replaces: str | None = None

    def is_alive(self, now: datetime) -> bool:
        """Whether it opens anything."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for when a key is made."""

    tenant: str | None
    scopes: frozenset[Scope]
    name: str = ""
    life: timedelta | None = None


class User(msgspec.Struct, frozen=True, kw_only=True):
    """A user of the dashboard. `tenant` None: of the installation, and may name any tenant."""

    id: str
    tenant: str | None
    name: str
    role: Role
    created_at: datetime
    disabled_at: datetime | None = None
    last_sign_in_at: datetime | None = None

    def as_principal(self) -> Principal:
        """Say what the user may do."""
        scopes = SCOPES_OF_ROLES[self.role]
        return Principal(actor=f"user:{self.id}", tenant=self.tenant, scopes=scopes, kind="user", name=self.name)


class NewUser(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for when a user is made."""

    tenant: str | None
    name: str
    role: Role
    password: str


class By(msgspec.Struct, frozen=True, kw_only=True):
    """Who does something, and why. Both go into the audit log."""

    principal: Principal
    reason: str = ""


def by_system(actor: str, reason: str = "") -> By:
    """Act as the one who has the store itself in hand, such as at the command line."""
    return By(principal=Principal(actor=actor, tenant=None, scopes=frozenset(Scope), kind="system"), reason=reason)


def check_reach(by: By, tenant: str | None, scope: Scope) -> None:
    """Refuse whoever may not do this, or not to that tenant."""
    if scope not in by.principal.scopes:
        message = f"{by.principal.actor} lacks the scope {scope}. Use a key or a user that has it."
        raise Forbidden(message)
    if by.principal.tenant is not None and by.principal.tenant != tenant:
        message = f"{by.principal.actor} belongs to another tenant. Use a key or a user of that tenant."
        raise Forbidden(message)


def check_grant(by: By, scopes: frozenset[Scope]) -> None:
    """Refuse to give away what one does not have."""
    lacking = sorted(scopes - by.principal.scopes)
    if lacking:
        message = f"{by.principal.actor} cannot give {', '.join(lacking)}, which it lacks. Leave these scopes out."
        raise Forbidden(message)


def fit_name(value: object, field: str) -> str:
    """Refuse what is no name; names that look the same are the same."""
    name = unicodedata.normalize("NFKC", value) if isinstance(value, str) and len(value) <= LONGEST_NAME else ""
    if not 0 < len(name) <= LONGEST_NAME or not name.isprintable() or name != name.strip():
        message = (
            f"{field} {_shown(value)} is not a name. Use 1 to {LONGEST_NAME} printable characters, no outer blanks."
        )
        raise BadInput(message)
    return name


def fit_tenant(value: object) -> str:
    """Refuse what is no name of a tenant. It is kept as it was given: jobs already carry it so."""
    is_name = isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()
    if not is_name or value == INSTALLATION:
        message = f"tenant {_shown(value)} is not a name. Use 1 to {LONGEST_NAME} printable characters, and not *."
        raise BadInput(message)
    return str(value)


def fit_login(value: object) -> str:
    """Refuse what is no user's name; upper and lower case are the same."""
    return fit_name(fit_name(value, "user").casefold(), "user")


def fit_scopes(values: frozenset[str]) -> frozenset[Scope]:
    """Refuse what is no scope."""
    unknown = sorted(str(value)[:80] for value in values if value not in set(Scope))
    if unknown or not values:
        what = (
            f"no scope is called {', '.join(map(repr, unknown))}" if unknown else "a key without scopes opens nothing"
        )
        message = f"{what}. Scopes are {', '.join(Scope)}."
        raise BadInput(message)
    return frozenset(Scope(value) for value in values)


def check_life(life: timedelta | None) -> None:
    """Refuse a life that makes no sense."""
    if life is not None and not timedelta(0) < life <= LONGEST_LIFE:
        message = f"a life of {life} makes no sense. Use up to {LONGEST_LIFE.days} days, or none for no end."
        raise BadInput(message)


def check_password(password: object) -> None:
    """Refuse a password that is too short to hold, or too long to hash."""
    if not isinstance(password, str) or not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        message = f"the password is not usable. Use {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters."
        raise BadInput(message)
    if not _is_encodable(password):
        raise BadInput("the password holds characters that cannot be written as UTF-8. Use others.")


def _is_encodable(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)


def _shown(value: object) -> str:
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:80]}…"  # noqa: PLR2004 - as long as a line
