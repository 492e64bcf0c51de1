"""The driver, chosen by the URL of the job store that the cache stands beside."""

from hashlib import sha1
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlencode, urlsplit

from redis.asyncio import Redis, RedisCluster, Sentinel
from redis.asyncio.cluster import ClusterNode
from redis.exceptions import NoScriptError

from dibs.kit.links import split_hosts
from dibs.outside.cache.scripts import read_script

# Options of the job store that the driver does not know.
_STORES_OWN = (
    "namespace",
    "timeout",
    "connect_timeout",
    "max_connections",
    "tls",
    "sentinel_username",
    "sentinel_password",
)
_TIMES: dict[str, Any] = {"socket_timeout": 10.0, "socket_connect_timeout": 5.0}
DEFAULT_PORT, SENTINEL_PORT = 6379, 26379


class Scripts:
    """Runs the scripts of the cache."""

    def __init__(self, url: str) -> None:
        parts = split_hosts(url)
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        self._tag = f"{{{options.get('namespace', 'dibs')}-cache}}"
        # The first one runs scripts; the others only know where it is.
        self._client, *self._guides = _make_clients(parts, options)

    async def run(self, name: str, *values: Any) -> Any:
        """Run one script; the server is told its text when it does not know it."""
        text = f"{_read('parts')}\n{_read(name)}"
        # Redis names scripts by this digest; nothing is protected by it.
        digest = sha1(text.encode(), usedforsecurity=False).hexdigest()
        try:
            return await self._client.evalsha(digest, 1, self._tag, *values)
        except NoScriptError:
            return await self._client.eval(text, 1, self._tag, *values)

    async def close(self) -> None:
        """Close the connections."""
        for client in (self._client, *self._guides):
            await client.aclose()


def _read(name: str) -> str:
    return read_script(__package__, f"lua/{name}.lua")


def _make_clients(parts: SplitResult, options: dict[str, str]) -> list[Any]:
    theirs = {name: value for name, value in options.items() if name not in _STORES_OWN}
    if parts.scheme in ("redis", "rediss"):
        return [Redis.from_url(parts._replace(query=urlencode(theirs)).geturl(), **_TIMES)]
    login: dict[str, Any] = {**_sign_in(parts), **_TIMES}
    if options.get("tls") in ("true", "1"):
        login["ssl"] = True
    if parts.scheme == "redis+cluster":
        nodes = [ClusterNode(host, port) for host, port in _read_hosts(parts, DEFAULT_PORT)]
        return [RedisCluster(startup_nodes=nodes, **login)]
    service, _, database = parts.path.strip("/").partition("/")
    named = {"username": options.get("sentinel_username"), "password": options.get("sentinel_password")}
    own = {**_TIMES, **{name: value for name, value in named.items() if value}}
    sentinel = Sentinel(_read_hosts(parts, SENTINEL_PORT), sentinel_kwargs=own)  # type: ignore[no-untyped-call]
    return [sentinel.master_for(service, db=int(database or 0), **login), *sentinel.sentinels]


def _sign_in(parts: SplitResult) -> dict[str, str]:
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    named = {"username": unquote(user), "password": unquote(password)}
    return {name: value for name, value in named.items() if value}


def _read_hosts(parts: SplitResult, default_port: int) -> list[tuple[str, int]]:
    hosts = (urlsplit(f"//{one}") for one in parts.netloc.rpartition("@")[2].split(",") if one)
    return [(one.hostname or "localhost", one.port or default_port) for one in hosts]
