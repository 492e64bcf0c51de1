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
    Peer(
        name="graphile-worker",
        store=Store.POSTGRES,
        program="graphile.mjs",
        packages=("graphile-worker@0.17.3",),
        finished="SELECT {stored} - count(*) FROM graphile_worker._private_jobs",
        jobs=100_000,
        note="local queue of 500, completions in batches; rows deleted",
    ),
    Peer(
        name="pg-boss",
        store=Store.POSTGRES,
        program="pgboss.mjs",
        packages=("pg-boss@10.4.2",),
        finished="SELECT count(*) FROM pgboss.job WHERE state = 'completed'",
        jobs=60_000,
        note="fetched and completed by the thousand",
    ),
    Peer(
        name="awa",
        store=Store.POSTGRES,
        program="awa_.py",
        packages=("awa-pg==0.6.9",),
        finished="SELECT coalesce(sum(completed_count), 0) FROM awa.receipt_completion_batches",
        jobs=20_000,
        note="200 coroutines",
    ),
    Peer(
        name="FlexiQ",
        store=Store.POSTGRES,
        program="flexiq_.py",
        packages=("flexiq[postgres]==2.1.0",),
        finished="SELECT count(*) FROM flexiq.archived_jobs",
        jobs=5_000,
        note="threads",
    ),
    Peer(
        name="Procrastinate",
        store=Store.POSTGRES,
        program="procrastinate_.py",
        packages=("procrastinate==3.10.0", "psycopg[binary,pool]"),
        finished="SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'",
        jobs=3_000,
        note="100 coroutines",
    ),
    Peer(
        name="SAQ",
        store=Store.POSTGRES,
        program="saq_.py",
        packages=("saq[postgres]==0.26.4",),
        finished="SELECT count(*) FROM saq_jobs WHERE status = 'complete'",
        jobs=2_000,
        note="100 coroutines",
    ),
    Peer(
        name="BullMQ",
        store=Store.REDIS,
        program="bullmq.mjs",
        packages=("bullmq@6.7.0", "ioredis@5"),
        finished=lambda redis, _stored: redis.zcard("bull:nothing:completed"),
        jobs=40_000,
        note="200 at once",
    ),
    Peer(
        name="taskiq",
        store=Store.REDIS,
        program="taskiq_.py",
        packages=("taskiq==0.13.0", "taskiq-redis==1.2.4", "uvloop"),
        # Everything that is neither the stream nor its locks is a result.
        finished=lambda redis, _stored: max(0, redis.dbsize() - 2),
        jobs=15_000,
        note="streams, results recorded",
    ),
    Peer(
        name="FlexiQ",
        store=Store.REDIS,
        program="flexiq_.py",
        packages=("flexiq[redis]==2.1.0",),
        finished=lambda redis, stored: stored - redis.zcard("flexiq:jobs:all"),
        jobs=8_000,
        note="threads",
    ),
    Peer(
        name="SAQ",
        store=Store.REDIS,
        program="saq_.py",
        packages=("saq[hiredis]==0.26.4",),
        finished=lambda redis, stored: stored - redis.llen("saq:default:queued") - redis.llen("saq:default:active"),
        jobs=8_000,
        note="100 coroutines",
    ),
    Peer(
        name="Huey",
        store=Store.REDIS,
        program="huey_.py",
        packages=("huey==3.5.4", "redis"),
        finished=lambda redis, stored: stored - redis.llen("huey.redis.huey"),
        jobs=10_000,
        note="4 threads; at most once: a job leaves the queue before it runs",
    ),
    Peer(
        name="Dramatiq",
        store=Store.REDIS,
        program="dramatiq_.py",
        packages=("dramatiq[redis]==2.2.1",),
        finished=lambda redis, stored: stored - redis.hlen("dramatiq:default.msgs"),
        jobs=6_000,
        note="8 threads; rows deleted",
    ),
    Peer(
        name="arq",
        store=Store.REDIS,
        program="arq_.py",
        packages=("arq==0.28.0",),
        finished=lambda redis, stored: stored - redis.zcard("arq:queue"),
        jobs=4_000,
        note="100 coroutines",
    ),
    Peer(
        name="RQ",
        store=Store.REDIS,
        program="rq_.py",
        packages=("rq==2.12.0",),
        finished=lambda redis, _stored: redis.zcard("rq:finished:default"),
        jobs=2_000,
        note="in the worker's own process",
    ),
    Peer(
        name="Celery",
        store=Store.REDIS,
        program="celery_.py",
        packages=("celery[redis]==5.7.0",),
        finished=lambda redis, _stored: sum(1 for _ in redis.scan_iter("celery-task-meta-*", count=5_000)),
        jobs=3_000,
        note="solo pool, results recorded",
    ),
    Peer(
        name="Huey",
        store=Store.SQLITE,
        program="huey_.py",
        packages=("huey==3.5.4", "redis"),
        finished="SELECT {stored} - count(*) FROM task",
        jobs=8_000,
        note="4 threads, fsync; at most once",
    ),
    Peer(
        name="FlexiQ",
        store=Store.SQLITE,
        program="flexiq_.py",
        packages=("flexiq==2.1.0",),
        finished="SELECT count(*) FROM archived_jobs",
        jobs=8_000,
        note="threads",
    ),
)
EVERYBODY = (*OURS, *RAW, *PEERS)
