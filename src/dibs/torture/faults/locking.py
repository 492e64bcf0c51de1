"""Another process that holds the write lock: `python -m dibs.torture.faults.locking URL TABLE SECONDS`."""

import asyncio
import sys
from contextlib import suppress

from dibs.assembly import open_backend


async def hold_lock(url: str, table: str, seconds: float) -> None:
    """Write something, and be long about it; then undo it."""
    async with await open_backend(url, migrate=False) as backend:
        if backend.transactions is None:
            sys.exit("this store has no transactions to hold a lock with")
        with suppress(TimeoutError):
            async with backend.transactions.begin() as connection:
                await connection.execute(f"INSERT INTO {table} VALUES ('never', 0)")
                sys.stdout.write("locked\n")
                sys.stdout.flush()
                async with asyncio.timeout(seconds):
                    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(hold_lock(sys.argv[1], sys.argv[2], float(sys.argv[3])))
