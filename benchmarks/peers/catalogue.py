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
    function of a Redis connection and the number of jobs stored. `python` is the least version it asks for.
    """

    name: str
    store: Store
    program: str
    packages: tuple[str, ...] = ()
    finished: str | Callable[[Any, int], int]
    note: str = ""
    python: tuple[int, int] = (3, 11)
    processes: tuple[int, ...] = (1, 2)

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
        note="fenced, with history and audit",
        processes=(1, 2, 4),
    ),
    Peer(
        name="Dibs",
        store=Store.REDIS,
        program="ours.py",
        finished=lambda redis, _stored: redis.zcard("{dibs}:done:succeeded"),
        note="fenced, with history and audit",
        processes=(1, 2, 4),
    ),
    Peer(
        name="Dibs",
        store=Store.SQLITE,
        program="ours.py",
        finished="SELECT count(*) FROM dibs_jobs WHERE state = 'succeeded'",
        note="fenced, with history and audit; every commit synced",
        processes=(1, 2, 4),
    ),
)
RAW = (
    Peer(
        name="raw loop",
        store=Store.POSTGRES,
        program="raw.py",
        # Jobs are claimed in order: all but the batches in hand are finished. Counting takes too long.
        finished=(
            "SELECT coalesce((SELECT seq - 1 FROM raw_jobs WHERE state = 'pending'"
            " ORDER BY priority DESC, seq LIMIT 1), {stored})"
        ),
        note="batches of 500, no engine",
    ),
    Peer(
        name="raw loop",
        store=Store.REDIS,
        program="raw.py",
        finished=lambda redis, stored: stored - redis.zcard("{raw}:ready"),
        note="batches of 500, no engine",
    ),
    Peer(
        name="raw loop",
        store=Store.SQLITE,
        program="raw.py",
        finished="SELECT {stored} - count(*) FROM jobs WHERE state = 'pending'",
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
        note="uvloop, batches of 1,000",
    ),
    Peer(
        name="graphile-worker",
        store=Store.POSTGRES,
        program="graphile.mjs",
        packages=("graphile-worker@0.17.3",),
        finished="SELECT {stored} - count(*) FROM graphile_worker._private_jobs",
        note="local queue of 500, completions in batches; rows deleted, no record",
    ),
    Peer(
        name="pg-boss",
        store=Store.POSTGRES,
        program="pgboss.mjs",
        packages=("pg-boss@12.35.0",),
        finished="SELECT count(*) FROM pgboss.job WHERE state = 'completed'",
        note="2 workers, batches of 1,000, burst",
    ),
    Peer(
        name="awa",
        store=Store.POSTGRES,
        program="awa_.py",
        packages=("awa-pg==0.6.9",),
        finished="SELECT coalesce(sum(completed_count), 0) FROM awa.receipt_completion_batches",
        note="200 coroutines",
    ),
    Peer(
        name="FlexiQ",
        store=Store.POSTGRES,
        program="flexiq_.py",
        packages=("flexiq[postgres]==2.1.0",),
        finished="SELECT count(*) FROM flexiq.archived_jobs",
        note="16 threads, batches of 32",
    ),
    Peer(
        name="Oban for Python",
        store=Store.POSTGRES,
        program="oban_.py",
        packages=("oban==0.7.0", "uvloop"),
        python=(3, 12),
        finished="SELECT count(*) FROM oban_jobs WHERE state = 'completed'",
        note="uvloop, 200 at once",
    ),
    Peer(
        name="Procrastinate",
        store=Store.POSTGRES,
        program="procrastinate_.py",
        packages=("procrastinate==3.10.0", "psycopg[binary,pool]"),
        finished="SELECT count(*) FROM procrastinate_jobs WHERE status = 'succeeded'",
        note="100 coroutines",
    ),
    Peer(
        name="SAQ",
        store=Store.POSTGRES,
        program="saq_.py",
        packages=("saq[postgres]==0.26.4", "uvloop"),
        finished="SELECT count(*) FROM saq_jobs WHERE status = 'complete'",
        note="25 coroutines",
    ),
    Peer(
        name="BullMQ",
        store=Store.REDIS,
        program="bullmq.mjs",
        packages=("bullmq@6.7.0", "ioredis@5"),
        finished=lambda redis, _stored: redis.zcard("bull:nothing:completed"),
        note="200 at once",
    ),
    Peer(
        name="taskiq",
        store=Store.REDIS,
        program="taskiq_.py",
        packages=("taskiq==0.13.0", "taskiq-redis==1.2.4", "hiredis", "uvloop"),
        # Everything that is neither the stream nor its locks is a result.
        finished=lambda redis, _stored: max(0, redis.dbsize() - 2),
        note="streams, results recorded",
    ),
    Peer(
        name="FlexiQ",
        store=Store.REDIS,
        program="flexiq_.py",
        packages=("flexiq[redis]==2.1.0",),
        finished=lambda redis, stored: stored - redis.zcard("flexiq:jobs:all"),
        note="16 threads, batches of 32",
    ),
    Peer(
        name="SAQ",
        store=Store.REDIS,
        program="saq_.py",
        packages=("saq[hiredis]==0.26.4", "typing-extensions", "uvloop"),
        finished=lambda redis, stored: stored - redis.llen("saq:default:queued") - redis.llen("saq:default:active"),
        note="25 coroutines",
    ),
    Peer(
        name="Huey",
        store=Store.REDIS,
        program="huey_.py",
        packages=("huey==3.5.4", "redis[hiredis]"),
        finished=lambda redis, stored: stored - redis.llen("huey.redis.huey"),
        note="1 thread; at most once: a job leaves the queue before it runs",
    ),
    Peer(
        name="Dramatiq",
        store=Store.REDIS,
        program="dramatiq_.py",
        packages=("dramatiq[redis]==2.2.1", "hiredis"),
        finished=lambda redis, stored: stored - redis.hlen("dramatiq:default.msgs"),
        note="8 threads; rows deleted, no record",
    ),
    Peer(
        name="arq",
        store=Store.REDIS,
        program="arq_.py",
        packages=("arq==0.28.0", "hiredis", "uvloop"),
        finished=lambda redis, stored: stored - redis.zcard("arq:queue"),
        note="100 coroutines",
    ),
    Peer(
        name="RQ",
        store=Store.REDIS,
        program="rq_.py",
        packages=("rq==2.12.0", "hiredis"),
        finished=lambda redis, _stored: redis.zcard("rq:finished:default"),
        note="in the worker's own process",
    ),
    Peer(
        name="Celery",
        store=Store.REDIS,
        program="celery_.py",
        packages=("celery[redis]==5.7.0", "hiredis"),
        finished=lambda redis, _stored: sum(1 for _ in redis.scan_iter("celery-task-meta-*", count=5_000)),
        note="solo pool, results recorded",
    ),
    Peer(
        name="Huey",
        store=Store.SQLITE,
        program="huey_.py",
        packages=("huey==3.5.4", "redis[hiredis]"),
        finished="SELECT {stored} - count(*) FROM task",
        note="1 thread, fsync; at most once",
    ),
    Peer(
        name="FlexiQ",
        store=Store.SQLITE,
        program="flexiq_.py",
        packages=("flexiq==2.1.0",),
        finished="SELECT count(*) FROM archived_jobs",
        note="16 threads, batches of 32; commits not synced",
    ),
)
EVERYBODY = (*OURS, *RAW, *PEERS)
