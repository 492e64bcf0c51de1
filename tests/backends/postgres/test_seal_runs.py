"""Seals that are made together lie in one row; what is read, forgotten and sealed again is each of them."""

from typing import Any

import pytest

import dibs
from dibs.engine.audit.sealing import NewEntry, Seal, chain
from dibs.engine.audit.verifying import verify_chains
from dibs.settings import Settings

ENTRY = NewEntry(action="SAID", subject="it", actor="op")
ROWS = "SELECT count(*) FROM dibs.seals"
# As seals were kept before they lay in runs: one row each.
APART = "INSERT INTO dibs.seals (tenant, position, sequence, hash) VALUES ($1, $2, $3, $4)"


async def make_seals(backend: dibs.Backend, many: int) -> list[Seal]:
    """Add entries and make their seals, but do not keep these yet."""
    await backend.audit.append_own([ENTRY] * many)
    [seals] = chain(await backend.audit.list_unsealed(), await backend.audit.list_heads())
    return seals


async def list_positions(backend: dibs.Backend) -> list[tuple[int, bool]]:
    """List the positions of all seals, and whether the entry is still there."""
    sealed = await backend.audit.list_sealed("default")
    return [(one.seal.position, one.entry is not None) for one in sealed]


async def test_seals_made_together_are_one_row(backend: dibs.Backend, sql: Any) -> None:
    seals = await make_seals(backend, 5)
    assert await backend.audit.seal(seals)
    assert await sql.fetchval(ROWS) == 1
    assert [one.seal for one in await backend.audit.list_sealed("default")] == seals
    assert await backend.audit.list_heads() == seals[-1:]


async def test_reading_begins_and_ends_within_a_run(backend: dibs.Backend) -> None:
    for _ in range(2):
        assert await backend.audit.seal(await make_seals(backend, 5))
    read = await backend.audit.list_sealed("default", after=3, limit=4)
    assert [(one.seal.position, one.entry and one.entry.sequence) for one in read] == [
        (position, read[0].seal.sequence + place) for place, position in enumerate((4, 5, 6, 7))
    ]


@pytest.mark.parametrize("through", [1, 3, 5, 6, 8, 10])
async def test_forgetting_ends_within_a_run_and_leaves_its_anchor(backend: dibs.Backend, through: int) -> None:
    for _ in range(2):
        assert await backend.audit.seal(await make_seals(backend, 5))
    assert await backend.audit.forget_sealed("default", through) == through
    assert await list_positions(backend) == [(through, False), *((later, True) for later in range(through + 1, 11))]
    assert await backend.audit.forget_sealed("default", 10) == 10 - through
    assert await list_positions(backend) == [(10, False)]
    assert await backend.audit.seal(await make_seals(backend, 2))
    assert [position for position, _ in await list_positions(backend)] == [10, 11, 12]


async def test_runs_follow_seals_that_lie_apart_and_the_chain_holds(backend: dibs.Backend, sql: Any) -> None:
    for seal in await make_seals(backend, 3):
        await sql.execute(APART, seal.tenant, seal.position, seal.sequence, seal.hash)
    assert await backend.audit.list_unsealed() == []
    assert await backend.audit.seal(await make_seals(backend, 4))
    assert await list_positions(backend) == [(position, True) for position in range(1, 8)]
    [report] = await verify_chains(backend, "default", Settings())
    assert (report.fault, report.unsealed) == (None, 0)
    assert await backend.audit.forget_sealed("default", 2) == 2
    assert await list_positions(backend) == [(2, False), *((later, True) for later in range(3, 8))]


async def test_no_entry_is_sealed_twice_whatever_its_place_in_a_run(backend: dibs.Backend) -> None:
    seals = await make_seals(backend, 5)
    assert await backend.audit.seal(seals)
    for again in seals:
        later = Seal(tenant="default", position=6, sequence=again.sequence, hash="forged")
        assert not await backend.audit.seal([later])
    assert len(await backend.audit.list_sealed("default")) == 5


async def test_a_run_whose_numbers_fall_is_refused(backend: dibs.Backend) -> None:
    seals = await make_seals(backend, 2)
    turned = [
        Seal(tenant="default", position=1 + place, sequence=seal.sequence, hash=seal.hash)
        for place, seal in enumerate(seals[::-1])
    ]
    assert not await backend.audit.seal(turned)
    assert await backend.audit.count_unsealed() == 2
