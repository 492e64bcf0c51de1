"""What a scenario says of itself."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from enum import StrEnum

import msgspec

from dibs.torture.checker.cases import Account
from dibs.torture.stage.crew import PLAIN_TYPES, CrewPlan
from dibs.torture.stage.stage import Stage


class Need(StrEnum):
    """What must be there for a scenario to be played."""

    WIRE = "a store that is reached over TCP without TLS, on one host"
    POSTGRES_SERVER = "hands on the PostgreSQL server itself"
    REDIS_SERVER = "hands on the Redis server itself"
    FILE = "a store that is a file"
    SMALL_DISK = "a file system of at most 256 MiB, which is filled"
    LINUX = "Linux"
    NAMESPACES = "the right to make network namespaces"


Strike = Callable[[Stage], Awaitable[None]]
Expect = Callable[[Mapping[str, Account]], list[str]]


class Scenario(msgspec.Struct, frozen=True, kw_only=True):
    """One way of breaking things. `strike` returns when the fault is over; `expect` says what else should have been.

    A bare scenario has neither crew nor load: it does everything by itself. Unless it `kills`, no worker may die.
    """

    name: str
    title: str
    strike: Strike
    needs: tuple[Need, ...] = ()
    crews: dict[str, CrewPlan] = msgspec.field(default_factory=lambda: {"crew": CrewPlan()})
    types: tuple[str, ...] = PLAIN_TYPES
    max_worker_deaths: int = 20
    expect: Expect = lambda _: []
    is_bare: bool = False
    kills: bool = False
    longest: timedelta = timedelta(minutes=15)


def expect_state(job_id: str, state: str, **facts: int) -> Expect:
    """Expect a job to end in a state, with these counters."""

    def look(accounts: Mapping[str, Account]) -> list[str]:
        account = accounts.get(job_id)
        if account is None or account.job is None:
            return [f"{job_id} is not there"]
        found = {
            "state": str(account.job.state),
            "attempts": len(account.attempts),
            "deaths": account.job.worker_deaths,
        }
        wanted = {"state": state, **facts}
        wrong = {name: found[name] for name in wanted if found[name] != wanted[name]}
        return [f"{job_id} should have {wanted}, and has {wrong}"] if wrong else []

    return look


def expect_all(*expectations: Expect) -> Expect:
    """Expect several things."""
    return lambda accounts: [complaint for expect in expectations for complaint in expect(accounts)]
