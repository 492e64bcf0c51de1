"""PostgreSQL at half load while somebody keeps an old snapshot: what is left of the rate, and when is it clean again?

    python -m benchmarks.pinned [--minutes 10] [--calm 20] [--share 0.5]

First one worker drains empty jobs as fast as it can. Then jobs come at a share of that rate: for a while as usual, then
beside a transaction that does not end, so that no dead row can be removed, then until the dead rows
are gone. Rates are of recorded successes; a pace that cannot be kept shows as jobs that pile up.
"""

import argparse
import asyncio
import os
import statistics
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
import msgspec

import dibs
from dibs.testing.servers import PostgresServer

CALIBRATING = 20_000
TICK = 0.05
LOOK = 5.0
MUST = 0.75
RECOVERY_SECONDS = 120.0
# After this share of the peak is gone, vacuum has caught up: new dead rows come all the time.
CLEAN = 0.1
DEAD = "SELECT n_dead_tup, n_live_tup FROM pg_stat_user_tables WHERE schemaname = 'dibs' AND relname = 'jobs'"


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """What happened in a few seconds."""

    phase: str
    seconds: float
    offered: float
    rate: float
    waiting_ms: float
    dead: int
    waiting: int


class Line:
    """Jobs that come at a pace, one worker, and what is seen of them."""

    def __init__(self, app: dibs.Dibs, statistics_connection: asyncpg.Connection) -> None:
        self._app = app
        self._connection = statistics_connection
        self._begun = time.monotonic()
        self.done = 0
        self.waits: list[float] = []
        self.stored = 0
        self.rows: list[Row] = []

        @app.task("TIMED")
        async def timed(at: float) -> None:
            self.done += 1
            self.waits.append(time.monotonic() - at)

    async def offer(self, pace: float) -> None:
        """Store jobs at an even pace; what could not be stored in time is stored later."""
        begin, sent = time.monotonic(), 0
        while True:
            await asyncio.sleep(TICK)
            due = int((time.monotonic() - begin) * pace) - sent
            if due > 0:
                await self._app.enqueue_many("TIMED", [{"at": time.monotonic()}] * due)
                sent, self.stored = sent + due, self.stored + due

    async def watch(self, phase: str, seconds: float) -> list[Row]:
        """Look every few seconds, and tell."""
        end, rows = time.monotonic() + seconds, []
        while time.monotonic() < end:
            rows.append(await self._look(phase))
            shown = rows[-1]
            print(
                f"{phase:10} {shown.seconds:6.0f} s  offered {shown.offered:6,.0f}/s  done {shown.rate:6,.0f}/s"
                f"  waited {shown.waiting_ms:9,.1f} ms  dead {shown.dead:9,}  waiting {shown.waiting:9,}",
                flush=True,
            )
        self.rows += rows
        return rows

    async def _look(self, phase: str) -> Row:
        begin, done, stored = time.monotonic(), self.done, self.stored
        self.waits.clear()
        await asyncio.sleep(LOOK)
        spent = time.monotonic() - begin
        dead = await self.count_dead()
        return Row(
            phase=phase,
            seconds=time.monotonic() - self._begun,
            offered=(self.stored - stored) / spent,
            rate=(self.done - done) / spent,
            waiting_ms=statistics.median(self.waits) * 1000 if self.waits else float("nan"),
            dead=dead,
            waiting=self.stored - self.done,
        )

    async def count_dead(self) -> int:
        """How many dead rows the statistics know of in the table of unfinished jobs."""
        await self._connection.execute("SELECT pg_stat_clear_snapshot()")
        found = await self._connection.fetchrow(DEAD)
        return 0 if found is None else int(found[0])

    async def until_clean(self, peak: int) -> float:
        """Wait until the dead rows are gone; tells how long that took."""
        begin = time.monotonic()
        while await self.count_dead() > peak * CLEAN and time.monotonic() < begin + 2 * RECOVERY_SECONDS:
            await self.watch("released", LOOK)
        return time.monotonic() - begin


async def calibrate(app: dibs.Dibs) -> float:
    """Tell how many jobs a second a worker can do."""

    @app.task("NOTHING")
    async def nothing() -> None: ...

    for _ in range(0, CALIBRATING, 5_000):
        await app.enqueue_many("NOTHING", [{}] * 5_000)
    begin = time.perf_counter()
    await app.make_worker(concurrency=1_000, until_drained=True).run()
    return CALIBRATING / (time.perf_counter() - begin)


@asynccontextmanager
async def pinned(url: str) -> AsyncIterator[None]:
    """Keep a snapshot."""
    connection = await asyncpg.connect(url)
    transaction = connection.transaction(isolation="repeatable_read", readonly=True)
    await transaction.start()
    await connection.fetch("SELECT count(*) FROM pg_class")
    try:
        yield
    finally:
        await transaction.rollback()
        await connection.close()


async def run(given: argparse.Namespace) -> bool:
    """Play the three acts; tells whether it is good enough."""
    with PostgresServer(durable=True) as server:
        connection = await asyncpg.connect(server.url)
        async with dibs.Dibs(server.url) as app:
            full = await calibrate(app)
            pace = given.pace or full * given.share
            print(f"full rate {full:,.0f} jobs/s, offered {pace:,.0f}; load {os.getloadavg()[0]:.0f}", flush=True)
            line = Line(app, connection)
            worker = app.make_worker(concurrency=1_000)
            tasks = [asyncio.create_task(worker.run()), asyncio.create_task(line.offer(pace))]
            calm = await line.watch("calm", given.calm)
            async with pinned(server.url):
                held = await line.watch("pinned", given.minutes * 60)
            took = await line.until_clean(max(row.dead for row in held))
            tasks[1].cancel()
            worker.stop()
            await asyncio.gather(*tasks, return_exceptions=True)
        await connection.close()
    return tell(calm, held, took)


def tell(calm: list[Row], held: list[Row], took: float) -> bool:
    """Sum up."""
    before = statistics.mean(row.rate for row in calm)
    whole = statistics.mean(row.rate for row in held)
    last = statistics.mean(row.rate for row in held[-max(1, len(held) // 5) :])
    print(f"calm {before:,.0f}/s; pinned {whole:,.0f}/s = {whole / before:.2f}, its last fifth {last / before:.2f}")
    print(f"peak {max(row.dead for row in held):,} dead rows, gone to a tenth after {took:.0f} s")
    return min(whole, last) >= MUST * before and took <= RECOVERY_SECONDS


def main() -> int:
    """Run it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--calm", type=float, default=20.0, help="seconds before the snapshot is taken")
    parser.add_argument("--share", type=float, default=0.5, help="of the full rate")
    parser.add_argument("--pace", type=float, help="jobs a second, instead of a share of the full rate")
    return 0 if asyncio.run(run(parser.parse_args())) else 1


if __name__ == "__main__":
    raise SystemExit(main())
