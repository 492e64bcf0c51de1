"""Real PostgreSQL and Redis-compatible servers out of wheels, and etcd out of a package, for tests and demos."""

from dibs.testing.servers.etcd import EtcdCluster, EtcdServer
from dibs.testing.servers.postgres import PostgresServer
from dibs.testing.servers.process import ServerFailed, ServerMissing
from dibs.testing.servers.topologies import ValkeyCluster, ValkeySentinel
from dibs.testing.servers.valkey import ValkeyServer

__all__ = [
    "EtcdCluster",
    "EtcdServer",
    "PostgresServer",
    "ServerFailed",
    "ServerMissing",
    "ValkeyCluster",
    "ValkeySentinel",
    "ValkeyServer",
]
