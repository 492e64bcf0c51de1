"""The only place that wires the parts together."""

import inspect
from collections.abc import Awaitable, Callable, Iterator, Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from dibs.engine.app import App
from dibs.engine.encryption.fitting import put_cipher
from dibs.engine.personal.holding import Unseen
from dibs.engine.personal.jobs import AuditHolding, JobsHolding, SchedulesHolding
from dibs.engine.personal.rules import RulesHolding
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import LeaseParts, Parts, SchemaState
from dibs.engine.tasks.builtin import make_builtin
from dibs.engine.telemetry.traces import bind_traces
from dibs.errors import BadInput, MissingExtra, SchemaMismatch, UnknownBackend
from dibs.kit.encryption import encrypted
from dibs.kit.encryption.encrypted import Cipher, NoCipher
from dibs.kit.links import show_url, split_url
from dibs.kit.log import get_logger
from dibs.settings import ENCRYPTION_KEYS, Settings

if TYPE_CHECKING:
    from dibs.access.directory import Directory
    from dibs.engine.personal.holding import Holding
    from dibs.storage.migrating import TablesSchema
    from dibs.storage.tables import Tables

log = get_logger("dibs.assembly")
_MODULES = {
    "memory": "dibs.backends.memory",
    "sqlite": "dibs.backends.sqlite",
    "postgresql": "dibs.backends.postgres",
    "postgres": "dibs.backends.postgres",
    "redis": "dibs.backends.redis",
    "rediss": "dibs.backends.redis",
    "redis+sentinel": "dibs.backends.redis",
    "redis+cluster": "dibs.backends.redis",
}
_LEASE_MODULES = {"etcd": "dibs.backends.etcd", "etcds": "dibs.backends.etcd"}
_EXTRAS = {
    "dibs.backends.postgres": "postgres",
    "dibs.backends.redis": "redis",
    "dibs.backends.etcd": "etcd",
    "dibs.storage.database.address": "server",
    "dibs.storage.roles": "server",
    "dibs.storage.tables": "server",
    "dibs.storage.migrating": "server",
    "dibs.access.directory": "server",
}
# The packages of services and apps. Which parts each may have is in ARCHITECTURE.md, under "What is installed".
INSTALLED: tuple[str, ...] = (
    "dibs.services.resumes",
    "dibs.services.resumes.uploads",
    "dibs.services.webhooks",
    "dibs.apps.postings",
)
_OWN_SECTIONS = ("dibs.access.tables", "dibs.web.kept.tables")
# The command line looks for the first in what it passes on, and leaves out the second, which only code can do.
MISSING = "missing"
OR_IN_CODE = ", or open it once with migrate=True"
OpenParts = Callable[[str], Awaitable[Parts]]
OpenLeases = Callable[[str], Awaitable[LeaseParts]]
# What a part may ask for by name, made when it is asked for.
Offer = Mapping[str, Callable[[], Any]]


async def open_backend(url: str | None = None, *, migrate: bool = True, settings: Settings | None = None) -> Backend:
    """Open the store that `url` names, installing or upgrading its schema unless told not to."""
    backend = await connect_backend(url, settings=settings)
    try:
        await _fit_schema(backend, migrate=migrate)
    except BaseException:
        await backend.close()
        raise
    return backend


async def connect_backend(url: str | None = None, *, settings: Settings | None = None) -> Backend:
    """Open the store that `url` names, whatever its schema: for those who look after the schema themselves."""
    settings = settings or Settings.from_env()
    # First: a key that is no key is refused before anything is opened.
    make_cipher(settings)
    open_parts: OpenParts = _load(_find_module(url or settings.url)).open_parts
    if not settings.leases_url:
        return make_backend(await open_parts(url or settings.url), settings)
    # First: it asks nobody, so a bad URL of the leases is refused before anything is opened.
    leases = await _open_leases(settings.leases_url)
    try:
        parts = await open_parts(url or settings.url)
    except BaseException:
        await leases.close()
        raise
    return make_backend(_put_leases(parts, leases), settings)


def make_backend(parts: Parts, settings: Settings) -> Backend:
    """Make a backend of the parts of a store, with encryption in between as the settings have it."""
    cipher = make_cipher(settings)
    return Backend(put_cipher(parts, cipher, is_on=not isinstance(cipher, NoCipher)), settings)


def make_cipher(settings: Settings) -> Cipher:
    """Make what encrypts payloads and documents, with the keys that are set."""
    return encrypted.make_cipher(settings.encryption_keys, ENCRYPTION_KEYS)


class Dibs(App):
    """An app on the store that `url` names: `app = dibs.Dibs("sqlite:///dibs.db")`.

    Without a URL, `DIBS_URL` decides. Nothing is opened before the first enqueue or the first worker.
    """

    def __init__(self, url: str | None = None, *, settings: Settings | None = None, migrate: bool = True) -> None:
        settings = settings or Settings.from_env()
        self.url = url or settings.url
        _find_module(self.url)
        if settings.leases_url:
            _find_lease_module(settings.leases_url)
        super().__init__(self._open_store, settings)
        self._migrate = migrate

    async def _open_store(self) -> Backend:
        return await open_backend(self.url, settings=self.settings, migrate=self._migrate)


def _find_module(url: str) -> str:
    scheme = split_url(url).scheme
    module_name = _MODULES.get(scheme)
    if module_name is None:
        raise UnknownBackend(_say_what_is_wrong(scheme, show_url(url)))
    return module_name


def _say_what_is_wrong(scheme: str, shown: str) -> str:
    if scheme in _LEASE_MODULES:
        return f"{scheme} keeps named leases only. Set DIBS_LEASES_URL to it, and give the jobs another store."
    stores = "Use memory://, sqlite:///file.db, postgresql://… or redis://…"
    if scheme:
        return f"no backend for {scheme!r}. {stores}"
    is_path = "://" not in shown
    return f"{shown!r} is no URL. {f'For a file of this name write sqlite:///{shown}. ' if is_path else ''}{stores}"


def _find_lease_module(url: str) -> str:
    scheme = split_url(url).scheme
    module_name = _LEASE_MODULES.get(scheme)
    if module_name is None:
        shown = scheme or show_url(url)
        message = (
            f"no store of named leases for {shown!r}. Use etcd://host:2379,host:2379/prefix, or etcds://… for TLS."
        )
        raise UnknownBackend(f"{message} Unset DIBS_LEASES_URL to keep them beside the jobs.")
    return module_name


async def _open_leases(url: str) -> LeaseParts:
    open_leases: OpenLeases = _load(_find_lease_module(url)).open_leases
    return await open_leases(url)


def _put_leases(parts: Parts, leases: LeaseParts) -> Parts:
    """Replace the store's own named leases."""

    async def close() -> None:
        # First: both belong to one event loop and process, and these always refuse another, before anything is gone.
        await leases.close()
        await parts.close()

    return replace(parts, leases=leases.leases, house_leases=parts.leases, lease_examiner=leases.examiner, close=close)


def _load(module_name: str) -> Any:
    try:
        return import_module(module_name)
    except ModuleNotFoundError as cause:
        extra = _EXTRAS.get(module_name, "all")
        message = f"{cause.name} is not installed. Run: pip install 'dibs[{extra}]'"
        raise MissingExtra(message) from cause


async def _fit_schema(backend: Backend, *, migrate: bool) -> None:
    state = await backend.schema.state()
    if migrate and state.found < state.wanted:
        await backend.schema.migrate()
        state = await backend.schema.state()
    if not state.is_usable:
        raise SchemaMismatch(explain_schema(state, in_code=True))


def explain_schema(state: SchemaState, *, in_code: bool = False) -> str:
    """Say why a schema cannot be used, and what to do; with `in_code`, also what only those can do who write code."""
    if state.found < state.wanted:
        found = f"version {state.found}" if state.found else MISSING
        advice = f"Run dibs db migrate{OR_IN_CODE if in_code else ''}."
        return f"the store's schema is {found}, this Dibs needs {state.wanted}. {advice}"
    return (
        f"the store's schema (version {state.found}) needs a Dibs that knows version {state.oldest_code};"
        f" this one knows {state.wanted}. Upgrade Dibs. Nothing was changed."
    )


def has_tables(url: str | None = None, *, settings: Settings | None = None) -> bool:
    """Whether tables can be beside these jobs: their extra is installed, and the jobs are not merely in memory."""
    settings = settings or Settings.from_env()
    is_private = split_url(url or settings.url).scheme == "memory" and not settings.tables_url
    return not is_private and all(find_spec(name) is not None for name in ("sqlalchemy", "alembic", "aiosqlite"))


def find_tables_schema(url: str | None = None, *, settings: Settings | None = None) -> "TablesSchema":
    """Give the layout of the tables that belong to the jobs at `url`."""
    migrating = _load("dibs.storage.migrating")
    address = _load("dibs.storage.database.address")
    modules = [*map(import_module, _OWN_SECTIONS), *load_parts("tables")]
    sections = [module.SECTION for module in modules]
    schema: TablesSchema = migrating.TablesSchema(
        address.find_tables_url(settings or Settings.from_env(), url), sections
    )
    return schema


async def migrate_tables(app: "Dibs") -> None:
    """Bring the tables up to date for the tasks of what is installed, if any of it keeps some."""
    if any(load_parts("tables")) and has_tables(app.url, settings=app.settings):
        await find_tables_schema(app.url, settings=app.settings).migrate()


def make_directory(backend: Backend | None, url: str | None = None, *, settings: Settings | None = None) -> "Directory":
    """Make what tenants, keys and users are worked on with; acts go into the backend's audit log."""
    directory = _load("dibs.access.directory")
    address = _load("dibs.storage.database.address")
    tables = _load("dibs.storage.tables")
    settings = settings or Settings.from_env()
    opened = tables.Tables.at(address.find_tables_url(settings, url), cipher=make_cipher(settings))
    made: Directory = directory.Directory(opened, audit=None if backend is None else backend.audit)
    return made


def load_parts(part: str) -> Iterator[ModuleType]:
    """Load one part of everything installed that has it. What lacks a package of its extra is left out."""
    for package in INSTALLED:
        if find_spec(f"{package}.{part}") is None:
            continue
        module, missing = _load_part(f"{package}.{part}")
        if module is not None:
            yield module
            continue
        # Whoever installs the engine alone knows; but what is held about a person must not be missed in silence.
        tell = log.warning if part == "holdings" else log.debug
        tell("assembly.part.left_out", package=package, part=part, missing=missing)


def find_left_out(part: str) -> dict[str, str]:
    """Name what has this part and is left out here, each with the package that it lacks."""
    having = [package for package in INSTALLED if find_spec(f"{package}.{part}") is not None]
    found = {package: _load_part(f"{package}.{part}")[1] for package in having}
    return {package: missing for package, missing in found.items() if missing is not None}


def name_part(package: str) -> str:
    """Call something installed as people do: `resumes.uploads`, not where it stands."""
    return package.partition(".")[2].partition(".")[2] or package


def _load_part(name: str) -> tuple[ModuleType | None, str | None]:
    """Give a module, or the name of the package that it lacks."""
    try:
        return import_module(name), None
    except ModuleNotFoundError as cause:
        if (cause.name or "dibs").partition(".")[0] == "dibs":
            raise
        return None, cause.name
    except MissingExtra as cause:
        lacking = cause.__cause__.name if isinstance(cause.__cause__, ImportError) else None
        return None, lacking or "a package"


def furnish(app: App) -> None:
    """Give an app the built-in tasks, and those of everything installed; spans as well, if they are wanted."""
    if app.settings.traces_share:
        bind_traces(app, share=app.settings.traces_share)
    app.include(make_builtin())
    offer = _offer(app, lambda: _open_tables(app))
    for module in load_parts("tasks"):
        app.include(_ask(module, "make_blueprint", offer))


async def fill_demo(app: App, directory: "Directory") -> None:
    """Let everything installed fill its tables with made-up things."""
    offer: Offer = {"app": lambda: app, "directory": lambda: directory, "tables": lambda: directory.tables}
    for module in load_parts("demo"):
        await _ask(module, "fill", offer)


def _offer(app: App, get_tables: "Callable[[], Tables | None]") -> Offer:
    return {"app": lambda: app, "settings": lambda: app.settings, "tables": get_tables}


def _ask(module: ModuleType, name: str, offer: Offer) -> Any:
    """Call a function of a part with what it asks for by the names of its parameters."""
    make = getattr(module, name)
    wanted = inspect.signature(make).parameters
    strange = [one for one in wanted if one not in offer]
    if strange:
        message = f"{module.__name__}.{name} asks for {strange[0]!r}. There are: {', '.join(offer)}."
        raise BadInput(message)
    return make(**{one: offer[one]() for one in wanted})


async def load_holdings(app: App, tables: "Tables | None") -> "list[Holding]":
    """Give all that holds something about people, what leads to other things last. Closed with the app.

    Jobs lead to documents; a resume leads to jobs by its id, a profile to accounts, too, by where its owner is reached.
    Without tables, what keeps its things there is left out: it has none.
    """
    backend = await app.backend()
    cache = _load("dibs.outside.cache.opening").make_kept_cache(app.settings, getattr(app, "url", None))
    app.closers.append(cache.close)
    offered = _offer(app, lambda: tables)
    holders = list(load_parts("holdings"))
    inside = [module for module in holders if "tables" in inspect.signature(module.make_holding).parameters]
    made = [_ask(module, "make_holding", offered) for module in holders if module not in inside]
    made += [Unseen(name_part(package), missing=missing) for package, missing in find_left_out("holdings").items()]
    made.append(_load("dibs.outside.cache.holding").CacheHolding(cache))
    made += [hold(backend) for hold in (SchedulesHolding, JobsHolding)]
    if tables is not None:
        made.append(_load("dibs.access.holdings").AccountsHolding(tables))
        made += [_ask(module, "make_holding", offered) for module in inside]
    made += [hold(backend) for hold in (RulesHolding, AuditHolding)]
    return [*made, _load("dibs.backends.sqlite.journals").JournalsHolding(_find_files(app, tables))]


def _find_files(app: App, tables: "Tables | None") -> list[Path]:
    """Name the SQLite files that an app keeps its things in."""
    url = getattr(app, "url", None) or app.settings.url
    cache = _load("dibs.outside.cache.opening").find_cache_file(app.settings, url)
    jobs = Path(_load("dibs.backends.sqlite.address").parse_url(url).path) if url.startswith("sqlite:") else None
    held = None if tables is None or tables.address.is_postgres else Path(tables.address.target)
    return list(dict.fromkeys(file.resolve() for file in (held, cache, jobs) if file is not None))


async def load_renewals(app: "Dibs", tables: "Tables | None") -> list[Any]:
    """Give what else has to be written anew when the keys were changed: holdings that can, and the tables."""
    holdings: list[Any] = await load_holdings(app, tables)
    return [*holdings, *_make_renewals(tables)]


def _make_renewals(tables: "Tables | None") -> list[Any]:
    if tables is None:
        return []
    name_tenants = _load("dibs.access.store").name_tenants
    installation = _load("dibs.storage.sight").INSTALLATION

    async def name_owners() -> list[str]:
        return [installation, *await name_tenants(tables)]

    return [_load("dibs.storage.encryption.renewing").TablesRenewal(tables, name_owners)]


def _open_tables(app: App) -> "Tables":
    """Give a worker's view of the tables, closed with the app; nothing is opened before it is used."""
    address, roles, tables = map(_load, ("dibs.storage.database.address", "dibs.storage.roles", "dibs.storage.tables"))
    url = address.find_tables_url(app.settings, getattr(app, "url", None))
    opened: Tables = tables.Tables.at(url, role=roles.TablesRole.WORKER, cipher=make_cipher(app.settings))
    app.closers.append(opened.close)
    return opened
