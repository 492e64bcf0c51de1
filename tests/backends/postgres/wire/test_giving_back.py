"""A connection that cannot be given back harms neither the call that it served nor those that come after."""

from collections.abc import AsyncIterator
from typing import Any, cast

import pytest

from dibs.backends.postgres.wire.address import read_address
from dibs.backends.postgres.wire.connections import Connections
from dibs.errors import BadInput


class GrudgingPool:
    """Gives connections out, and fails when one comes back, as the driver's own does when the network is cut."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    def __getattr__(self, name: str) -> Any:
        return getattr(self._pool, name)

    async def release(self, connection: Any) -> None:
        await self._pool.release(connection)
        raise TimeoutError


@pytest.fixture
async def connections(postgres_url: str) -> AsyncIterator[Connections]:
    opened = await Connections.open(read_address(postgres_url))
    opened._pool = cast("Any", GrudgingPool(opened._pool))
    yield opened
    await opened.close()


async def test_an_answer_that_came_is_given(connections):
    assert (await connections.write("SELECT 1"))[0][0] == 1


async def test_an_error_is_told_as_what_it_was(connections):
    with pytest.raises(BadInput, match="division by zero"):
        await connections.write("SELECT 1 / 0")


async def test_a_transaction_that_committed_has_committed(connections):
    async with connections.transaction() as connection:
        assert await connection.fetchval("SELECT 2") == 2
