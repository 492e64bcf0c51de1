"""The only place that wires the parts together."""

from collections.abc import Awaitable, Callable
from importlib import import_module
from urllib.parse import urlsplit

from dibs.engine.app import App
from dibs.engine.store.backend import Backend
from dibs.engine.store.protocols import Parts, SchemaState
from dibs.errors import MissingExtra, SchemaMismatch, UnknownBackend
from dibs.settings import Settings

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
_EXTRAS = {"dibs.backends.postgres": "postgres", "dibs.backends.redis": "redis"}
# What only those who write code can do; the command line leaves it out.
OR_IN_CODE = ", or open it once with migrate=True"
OpenParts = Callable[[str], Awaitable[Parts]]


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
    open_parts = _find_opener(url or settings.url)
    return Backend(await open_parts(url or settings.url), settings)


class Dibs(App):
    """An app on the store that `url` names: `app = dibs.Dibs("sqlite:///dibs.db")`.

    Without a URL, `DIBS_URL` decides. Nothing is opened before the first enqueue or the first worker.
    """

    def __init__(self, url: str | None = None, *, settings: Settings | None = None, migrate: bool = True) -> None:
        settings = settings or Settings.from_env()
        self.url = url or settings.url
        _find_module(self.url)
        super().__init__(self._open_store, settings)
        self._migrate = migrate

    async def _open_store(self) -> Backend:
        return await open_backend(self.url, settings=self.settings, migrate=self._migrate)


def _find_module(url: str) -> str:
    module_name = _MODULES.get(urlsplit(url).scheme)
    if module_name is None:
        shown = urlsplit(url).scheme or url[:40]
        message = f"no backend for {shown!r}. Use memory://, sqlite:///file.db, postgresql://… or redis://…"
        raise UnknownBackend(message)
    return module_name


def _find_opener(url: str) -> OpenParts:
    module_name = _find_module(url)
    try:
        opener: OpenParts = import_module(module_name).open_parts
    except ModuleNotFoundError as cause:
        extra = _EXTRAS.get(module_name, "all")
        message = f"{cause.name} is not installed. Run: pip install 'dibs[{extra}]'"
        raise MissingExtra(message) from cause
    return opener


async def _fit_schema(backend: Backend, *, migrate: bool) -> None:
    state = await backend.schema.state()
    if migrate and state.found < state.wanted:
        await backend.schema.migrate()
        state = await backend.schema.state()
    if not state.is_usable:
        raise SchemaMismatch(explain_schema(state))


def explain_schema(state: SchemaState) -> str:
    """Say why a schema cannot be used, and what to do."""
    if state.found < state.wanted:
        found = f"version {state.found}" if state.found else "missing"
        return f"the store's schema is {found}, this Dibs needs {state.wanted}. Run dibs db migrate{OR_IN_CODE}."
    return (
        f"the store's schema (version {state.found}) needs a Dibs that knows version {state.oldest_code};"
        f" this one knows {state.wanted}. Upgrade Dibs. Nothing was changed."
    )
