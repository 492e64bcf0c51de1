"""A client whose machine has the wrong time: `python -m tests.backends.skewed_client <url> <seconds>`.

Python is told the wrong time before anything of Dibs is imported, so that no module can have kept the right clock.
"""

import datetime as dt
import json
import sys
import time
from datetime import datetime as TrueDatetime  # noqa: N812 - the true one, under a name that stays

true_time, true_time_ns = time.time, time.time_ns
SKEW = float(sys.argv[2])


class AnyDatetime(type):
    """Drivers written in C make true datetimes: they are instances too."""

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, TrueDatetime)


class SkewedDatetime(TrueDatetime, metaclass=AnyDatetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(true_time() + SKEW, tz)

    @classmethod
    def utcnow(cls):
        return cls.fromtimestamp(true_time() + SKEW, dt.UTC).replace(tzinfo=None)


time.time = lambda: true_time() + SKEW
time.time_ns = lambda: true_time_ns() + int(SKEW * 1e9)
setattr(dt, "datetime", SkewedDatetime)  # noqa: B010 - mypy lets nobody assign to a type
assert not any(name.partition(".")[0] == "dibs" for name in sys.modules)

import asyncio  # noqa: E402 - the order is the point
from datetime import timedelta  # noqa: E402

import dibs  # noqa: E402
from dibs.engine.store.protocols import WorkerCard  # noqa: E402
from dibs.kit.clock import utc_now  # noqa: E402
from dibs.kit.ids import new_id  # noqa: E402

MINUTE = timedelta(minutes=1)
CARD = WorkerCard(worker_id="skewed", host="there", pid=1, state="working", job_types=("test",))


def assert_that_the_clock_is_wrong() -> None:
    id_seconds = int(new_id().replace("-", "")[:12], 16) / 1000
    for told in (utc_now().timestamp(), id_seconds, time.time(), SkewedDatetime.now().timestamp()):
        assert abs(told - true_time() - SKEW) < 60, told


async def work(backend: dibs.Backend) -> dict[str, object]:
    """Do what clients do; tell what the honest parent cannot see."""
    await backend.store_jobs([dibs.Job(id="held", job_type="test"), dibs.Job(id="done", job_type="test")])
    await backend.store_job(dibs.Job(id="keyed", job_type="test", unique_key="key"))
    await backend.copy_jobs([dibs.Job(id="copied", job_type="test"), dibs.Job(id="failed", job_type="test")])
    await backend.store_job(dibs.Job(id="delayed", job_type="test"), delay=5 * MINUTE)
    claimed = await backend.claim_pending_jobs(10, worker="skewed", lease=5 * MINUTE)
    held = {job.id: job for job in claimed}
    await backend.complete_job(held["done"].lease)
    failure = dibs.Failure(lease=held["failed"].lease, error=dibs.ErrorInfo(type="Boom"), retry_in=5 * MINUTE)
    await backend.fail_job(failure)
    beats = await backend.heartbeat_jobs([held["keyed"].lease], duration=20 * MINUTE)
    lease = await backend.leases.acquire("lock", "skewed", 5 * MINUTE)
    renewed = None if lease is None else await backend.leases.renew(lease, 5 * MINUTE)
    await backend.workers.announce(CARD, 5 * MINUTE)
    return {
        "claimed": [job.id for job in claimed],
        "beats": beats,
        "renewed": renewed is not None,
        "reclaimed": len(await backend.reap_jobs()),
        "pruned": await backend.prune_jobs(dibs.PruneRequest(older_than=MINUTE)),
        "now": (await backend.reader.now()).timestamp(),
    }


async def main(url: str) -> None:
    async with await dibs.open_backend(url) as backend:
        sys.stdout.write(json.dumps(await work(backend)))


if __name__ == "__main__":
    assert_that_the_clock_is_wrong()
    asyncio.run(main(sys.argv[1]))
