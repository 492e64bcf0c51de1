"""Which cache goes with which store."""

from importlib import import_module
from pathlib import Path
from urllib.parse import unquote

from msgspec.structs import replace

from dibs.errors import BadInput, UnknownBackend
from dibs.kit.links import show_url, split_url
from dibs.outside.cache.cache import Cache
from dibs.outside.cache.keeping import CacheStore
from dibs.outside.cache.sqlite.file import IN_MEMORY
from dibs.outside.cache.sqlite.store import SqliteCache
from dibs.outside.extra import name_extra
from dibs.settings import Settings

_SHARED = {
    "postgresql": ("dibs.outside.cache.postgres.store", "PostgresCache", "postgres"),
    "postgres": ("dibs.outside.cache.postgres.store", "PostgresCache", "postgres"),
    "redis": ("dibs.outside.cache.redis.store", "RedisCache", "redis"),
    "rediss": ("dibs.outside.cache.redis.store", "RedisCache", "redis"),
    "redis+sentinel": ("dibs.outside.cache.redis.store", "RedisCache", "redis"),
    "redis+cluster": ("dibs.outside.cache.redis.store", "RedisCache", "redis"),
}


def make_cache(settings: Settings, url: str | None = None) -> Cache:
    """Make the cache that the settings ask for, for jobs in the store at `url`. Nothing is opened yet."""
    store = _make_store(settings, url or settings.url) if settings.cache_enabled else None
    return Cache(store, ttl=settings.cache_ttl, max_body_bytes=settings.cache_max_body_bytes)


def make_kept_cache(settings: Settings, url: str | None = None) -> Cache:
    """The same, for who looks at what was kept: a file counts if it is there, whatever the settings say."""
    file = find_cache_file(settings, url)
    is_kept = settings.cache_enabled if file is None else file.exists()
    return make_cache(replace(settings, cache_enabled=is_kept), url)


async def grant_cache(settings: Settings, url: str | None, role: str) -> None:
    """Let a role use the cache that lies beside the jobs, in the same PostgreSQL; one elsewhere knows other roles."""
    if not settings.cache_enabled or settings.cache_url:
        return
    module, name, _ = _SHARED["postgresql"]
    store = getattr(import_module(module), name)(url or settings.url, max_bytes=settings.cache_max_bytes)
    try:
        await store.grant(role)
    finally:
        await store.close()


def _make_store(settings: Settings, url: str) -> CacheStore:
    wanted = settings.cache_url or url
    scheme = split_url(wanted).scheme
    if scheme == "memory":
        return SqliteCache(IN_MEMORY, max_bytes=settings.cache_max_bytes)
    file = find_cache_file(settings, url)
    if file is not None:
        return SqliteCache(str(file), max_bytes=settings.cache_max_bytes)
    return _make_shared(scheme, wanted, settings.cache_max_bytes)


def find_cache_file(settings: Settings, url: str | None = None) -> Path | None:
    """Name the file that the cache is kept in, whether or not it exists; None where it is kept elsewhere."""
    wanted = settings.cache_url or url or settings.url
    if split_url(wanted).scheme != "sqlite":
        return None
    path = Path(_read_path(wanted))
    return path if settings.cache_url else path.with_name(f"{path.stem}-cache.db")


def _make_shared(scheme: str, url: str, max_bytes: int) -> CacheStore:
    if scheme not in _SHARED:
        message = (
            f"no cache for {scheme!r}. Set DIBS_CACHE_URL to sqlite:///file, postgresql://…, redis://… or memory://."
        )
        raise UnknownBackend(message)
    module, name, extra = _SHARED[scheme]
    try:
        kind = getattr(import_module(module), name)
    except ModuleNotFoundError as cause:
        raise name_extra(cause, extra) from cause
    try:
        store: CacheStore = kind(url, max_bytes=max_bytes)
    except BadInput:
        raise
    except Exception:  # noqa: BLE001 - each driver has its own
        # The cause may quote the URL, and with it the password.
        message = f"{show_url(url)!r} cannot be read as the URL of a cache. Correct DIBS_CACHE_URL."
        raise BadInput(message) from None
    return store


def _read_path(url: str) -> str:
    # sqlite:///name is relative, sqlite:////name is not: the first slash after the empty host only parts them.
    path = unquote(split_url(url).path.removeprefix("/")) or "dibs.db"
    if "\0" in path:
        message = f"{show_url(url)!r} names no file for the cache. Use sqlite:///relative.db or sqlite:////absolute.db."
        raise BadInput(message)
    return path
