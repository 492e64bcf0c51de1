"""Somebody else takes every connection that the server has, and the workers lose theirs."""

import asyncio
from contextlib import AsyncExitStack

from dibs.assembly import open_backend
from dibs.engine.store.protocols import Transactions
from dibs.errors import StoreError
from dibs.torture.scenarios.scenario import Need, Scenario
from dibs.torture.stage.stage import Stage

ROUNDS, PAUSE = 15, 0.4
MOST = 2_000


async def strike(stage: Stage) -> None:
    """Take all there are; break those of the workers again and again, and be quicker than they are."""
    with stage.broken("no connection left"):
        async with AsyncExitStack() as stack:
            greedy = await stack.enter_async_context(await open_backend(stage.place.add_options(pool_size=str(MOST))))
            taken = await _take_all(greedy.transactions, stack)
            for _ in range(ROUNDS):
                for wire in stage.wires.values():
                    wire.reset()
                taken += await _take_all(greedy.transactions, stack)
                await asyncio.sleep(PAUSE)
    stage.notes.append(f"{taken} connections taken")


async def _take_all(transactions: Transactions | None, stack: AsyncExitStack) -> int:
    if transactions is None:
        raise RuntimeError("connections are held by transactions, and this store has none")
    for taken in range(MOST):
        try:
            await stack.enter_async_context(transactions.begin())
        except StoreError:
            return taken
    return MOST


SCENARIO = Scenario(
    name="postgres-connections-taken",
    title="every connection of PostgreSQL taken by somebody else",
    strike=strike,
    needs=(Need.POSTGRES_SERVER,),
)
