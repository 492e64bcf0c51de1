"""Who is measured, on which store, and how one sees in that store what has been done."""

from collections.abc import Callable
from enum import StrEnum
from typing import Any

import msgspec


class Store(StrEnum):
    """A kind of store."""

    POSTGRES = "postgres"
    REDIS = "redis"
    SQLITE = "sqlite"
    MEMORY = "memory"


class Peer(msgspec.Struct, frozen=True, kw_only=True):
    """A library on a store.

    `program` speaks the protocol of programs/README.md. `finished` looks into the store itself: an SQL question, or a
    function of a Redis connection and the number of jobs stored. `jobs` is what keeps it busy for some seconds.
    """

    name: str
    store: Store
    program: str
    packages: tuple[str, ...] = ()
    finished: str | Callable[[Any, int], int]
    jobs: int = 10_000
    note: str = ""

    @property
    def is_node(self) -> bool:
        """Whether it runs on Node."""
        return self.program.endswith(".mjs")

    @property
    def label(self) -> str:
        """How it is called in tables."""
        return f"{self.name} on {self.store.value}"


OURS = (
    Peer(
        name="Dibs",
        store=Store.POSTGRES,
        program="ours.py",
        finished="SELECT count(*) FROM dibs.finished_jobs WHERE state = 'succeeded'",
        jobs=100_000,
        note="fenced, with history and audit",
    ),
    Peer(
        name="Dibs",
        store=Store.REDIS,
        program="ours.py",
        finished=lambda redis, _stored: redis.zcard("{dibs}:done:succeeded"),
        jobs=60_000,
        note="fenced, with history and audit",
    ),
    Peer(
        name="Dibs",
        store=Store.SQLITE,
        program="ours.py",
        finished="SELECT count(*) FROM dibs_jobs WHERE state = 'succeeded'",
        jobs=100_000,
        note="every commit synced",
    ),
)
RAW = (
    Peer(
        name="raw loop",
        store=Store.POSTGRES,
        program="raw.py",
        finished="SELECT count(*) FROM raw_jobs WHERE state = 'succeeded'",
        jobs=100_000,
        note="batches of 500, no engine",
    ),
    Peer(
        name="raw loop",
        store=Store.REDIS,
        program="raw.py",
        finished=lambda redis, stored: stored - redis.zcard("{raw}:ready"),
        jobs=100_000,
        note="batches of 500, no engine",
    ),
    Peer(
        name="raw loop",
        store=Store.SQLITE,
        program="raw.py",
        finished="SELECT count(*) FROM jobs WHERE state = 'succeeded'",
        jobs=100_000,
        note="batches of 500, no engine",
    ),
)
PEERS = (
    Peer(
        name="PgQueuer",
        store=Store.POSTGRES,
        program="pgqueuer_.py",
        packages=("pgqueuer==1.6.0", "asyncpg", "uvloop"),
        finished="SELECT count(*) FROM pgqueuer_log WHERE status = 'successful'",
        jobs=40_000,
        note="uvloop, batches of 1,000",
    ),
)
EVERYBODY = (*OURS, *RAW, *PEERS)
