"""A program that wants a lock: run beside others, it tells when it surely held it.

python -m tests.backends.etcd.rival URL OWNER race ROUNDS      takes and releases it ROUNDS times
python -m tests.backends.etcd.rival URL OWNER doze SECONDS     takes it once, waits for a line, renews, releases
"""

import asyncio
import json
import sys
import time
from datetime import timedelta
from typing import Any

from dibs.backends.etcd import open_leases
from dibs.engine.store.protocols import NamedLease, NamedLeases
from dibs.errors import StoreError

NAME = "lock"
TTL = timedelta(seconds=30)


def tell(**facts: Any) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


async def take(leases: NamedLeases, owner: str, ttl: timedelta = TTL) -> NamedLease:
    """Try until it is ours, through every outage."""
    while True:
        try:
            if taken := await leases.acquire(NAME, owner, ttl):
                return taken
        except StoreError as error:
            tell(fault=type(error).__name__)
        await asyncio.sleep(0.01)


async def give_up(leases: NamedLeases, lease: NamedLease) -> None:
    """Release until it is gone; after an unknown outcome it may be gone already."""
    while True:
        try:
            await leases.release(lease)
        except StoreError as error:
            tell(fault=type(error).__name__)
            await asyncio.sleep(0.01)
        else:
            return


async def race(leases: NamedLeases, owner: str, rounds: int) -> None:
    for _ in range(rounds):
        lease = await take(leases, owner)
        began = time.monotonic()
        await asyncio.sleep(0.002)
        ended = time.monotonic()
        await give_up(leases, lease)
        tell(token=lease.token, began=began, ended=ended)


async def doze(leases: NamedLeases, owner: str, seconds: int) -> None:
    lease = await take(leases, owner, timedelta(seconds=seconds))
    tell(token=lease.token)
    await asyncio.to_thread(sys.stdin.readline)
    renewed = await leases.renew(lease, TTL)
    tell(renewed=renewed is not None, released=await leases.release(lease))


async def main(url: str, owner: str, part: str, number: int) -> None:
    parts = await open_leases(url)
    await {"race": race, "doze": doze}[part](parts.leases, owner, number)
    await parts.close()


if __name__ == "__main__":
    _, where, who, what, how_much = sys.argv
    asyncio.run(main(where, who, what, int(how_much)))
