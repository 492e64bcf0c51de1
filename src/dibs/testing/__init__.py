"""For tests: ours, and those of people who build on Dibs or write a backend for it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dibs.testing.harness import StoreHarness
    from dibs.testing.kit import Kit, Moment, SyncKit, WorkerDied
    from dibs.testing.stores.etcd import EtcdLeaseStore
    from dibs.testing.stores.memory import MemoryStore
    from dibs.testing.stores.postgres import PostgresStore
    from dibs.testing.stores.redis import RedisStore
    from dibs.testing.stores.sqlite import SqliteStore
    from dibs.testing.suite import BackendSuite, LeaseSuite

__all__ = [
    "BackendSuite",
    "EtcdLeaseStore",
    "Kit",
    "LeaseSuite",
    "MemoryStore",
    "Moment",
    "PostgresStore",
    "RedisStore",
    "SqliteStore",
    "StoreHarness",
    "SyncKit",
    "WorkerDied",
]

_HOMES = {
    "BackendSuite": "dibs.testing.suite",
    "EtcdLeaseStore": "dibs.testing.stores.etcd",
    "Kit": "dibs.testing.kit",
    "LeaseSuite": "dibs.testing.suite",
    "MemoryStore": "dibs.testing.stores.memory",
    "Moment": "dibs.testing.kit",
    "PostgresStore": "dibs.testing.stores.postgres",
    "RedisStore": "dibs.testing.stores.redis",
    "SqliteStore": "dibs.testing.stores.sqlite",
    "StoreHarness": "dibs.testing.harness",
    "SyncKit": "dibs.testing.kit",
    "WorkerDied": "dibs.testing.kit",
}


def __getattr__(name: str) -> Any:
    # On demand: the servers in this package are also for demos, where pytest is not installed, and drivers are extras.
    if name not in _HOMES:
        raise AttributeError(name)
    if name in ("BackendSuite", "LeaseSuite"):
        import pytest  # noqa: PLC0415 - the same

        pytest.register_assert_rewrite("dibs.testing.suite")
    return getattr(import_module(_HOMES[name]), name)
