"""What stands behind the jobs that are claimed: each case makes of a store with 10,000 waiting jobs a large one."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import msgspec

import dibs
from benchmarks.large.filling import copy, fill, settle

FEW = 10_000
BLOCKED, TENANTS, JOBS_A_TENANT = 100_000, 10_000, 10
SCHEDULED = 1_000_000
MANY = {"postgres": 10_000_000, "sqlite": 1_000_000, "redis": 1_000_000}
ACT = {"actor": "bench", "reason": "large tables"}
SHUT = "shut"


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """How many jobs there are, for quick tries a part of it."""

    many: int
    scheduled: int
    blocked: int
    tenants: int


Fill = Callable[[str, dibs.Backend, Sizes], Awaitable[None]]


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A store as it usually is, and the same store grown large."""

    title: str
    small: Fill
    large: Fill


async def fill_few(url: str, backend: dibs.Backend, _: Sizes) -> None:
    """10,000 plain jobs wait."""
    await fill(url, backend, "waiting", FEW)


async def fill_many(url: str, backend: dibs.Backend, sizes: Sizes) -> None:
    """Millions wait."""
    await fill(url, backend, "waiting", sizes.many)


async def fill_finished(url: str, backend: dibs.Backend, sizes: Sizes) -> None:
    """Millions are finished."""
    await fill(url, backend, "finished", sizes.many)
    await fill(url, backend, "waiting", FEW)


async def fill_scheduled(url: str, backend: dibs.Backend, sizes: Sizes) -> None:
    """A million is for later."""
    await fill(url, backend, "scheduled", sizes.scheduled)
    await fill(url, backend, "waiting", FEW)


async def fill_blocked(url: str, backend: dibs.Backend, sizes: Sizes) -> None:
    """Very many of a source that is paused stand before them."""
    await _block(backend, sizes.blocked)
    await fill(url, backend, "waiting", FEW)


async def fill_one_blocked(url: str, backend: dibs.Backend, _: Sizes) -> None:
    """One job of a source that is paused stands before them."""
    await _block(backend, 1)
    await fill(url, backend, "waiting", FEW)


async def _block(backend: dibs.Backend, count: int) -> None:
    await backend.sources.declare(dibs.SourceRule(name=SHUT), **ACT)
    await backend.sources.pause(SHUT, datetime.now(UTC) + timedelta(days=1), **ACT)
    await copy(backend, count, lambda _: {"source": SHUT})


async def fill_tenants(_: str, backend: dibs.Backend, sizes: Sizes) -> None:
    """The waiting jobs belong to very many tenants."""
    await copy(backend, sizes.tenants * JOBS_A_TENANT, lambda number: {"tenant": f"tenant-{number % sizes.tenants}"})


async def fill_fair(url: str, backend: dibs.Backend, sizes: Sizes) -> None:
    """Very many tenants take turns."""
    await backend.admission.set_rule(dibs.QueueRule(name="default", fair=True), **ACT)
    await copy(backend, sizes.tenants * JOBS_A_TENANT, lambda number: {"tenant": f"tenant-{number % sizes.tenants}"})
    await settle(url, backend)


async def fill_few_fair(url: str, backend: dibs.Backend, sizes: Sizes) -> None:
    """Ten tenants take turns."""
    await backend.admission.set_rule(dibs.QueueRule(name="default", fair=True), **ACT)
    await copy(backend, FEW, lambda number: {"tenant": f"tenant-{number % 10}"})
    await settle(url, backend)


CASES = {
    "waiting": Case(title="many waiting", small=fill_few, large=fill_many),
    "finished": Case(title="many finished", small=fill_few, large=fill_finished),
    "scheduled": Case(title="many for later", small=fill_few, large=fill_scheduled),
    "blocked": Case(title="many blocked by one source", small=fill_few, large=fill_blocked),
    "blocked-more": Case(title="many blocked, beside one blocked", small=fill_one_blocked, large=fill_blocked),
    "tenants": Case(title="many tenants", small=fill_few, large=fill_tenants),
    "fair": Case(title="many tenants taking turns, beside ten", small=fill_few_fair, large=fill_fair),
}


def make_sizes(backend: str, scale: float) -> Sizes:
    """The sizes for a store; a scale below one is for trying the program itself."""
    sizes = {"many": MANY[backend], "scheduled": SCHEDULED, "blocked": BLOCKED, "tenants": TENANTS}
    return Sizes(**{name: max(1, int(size * scale)) for name, size in sizes.items()})
