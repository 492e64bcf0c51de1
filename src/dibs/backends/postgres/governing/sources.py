"""Sources, one row each. What is decided about permits is decided in SQL, where claims decide it too."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from asyncpg.pool import PoolConnectionProxy

from dibs.backends.postgres.rows import in_utc
from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections
from dibs.engine.admission.source import LIMITED_FOR, FetchReport, Permit, Source, SourceRule
from dibs.engine.job import Lease
from dibs.engine.store.moves import OperatorAct
from dibs.kit.clock import span_micros

_PAST = ("last_success_at", "last_failure_at", "quota_day", "earlier_day")
_INSTANTS = (*_PAST, "paused_until", "held_until", "next_free_at", "limited_until")


class PostgresSources:
    """What is declared of sources, and how they stand."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def declare(self, rule: SourceRule, act: OperatorAct, expected: SourceRule | None = None) -> Source | None:
        """Keep what is declared of a source."""
        limits = (rule.rate_limit_per_minute, rule.burst, rule.daily_quota, rule.failure_limit)
        values = (rule.name, *limits, span_micros(rule.pause), rule.enabled, act.actor, act.reason)
        if expected is None:
            return await self._change("sources/declare", *values)
        return await self._connections.work(lambda connection: self._replace(connection, values, expected))

    async def _replace(
        self, connection: PoolConnectionProxy, values: tuple[Any, ...], expected: SourceRule
    ) -> Source | None:
        # What is read by the same statement that waits for the lock may be older than the lock.
        await connection.execute(self._sql["admission/lock_rules"])
        rows: list[Any] = await connection.fetch(self._sql["sources/find"], [expected.name])
        if [read_source(row).rule for row in rows] != [expected]:
            return None
        changed: list[Any] = await connection.fetch(self._sql["sources/declare"], *values)
        return read_source(changed[0])

    async def find_sources(self, names: Sequence[str]) -> list[Source | None]:
        """Read sources by name."""
        rows = await self._connections.read(self._sql["sources/find"], list(names))
        found = {row["name"]: read_source(row) for row in rows}
        return [found.get(name) for name in names]

    async def list_sources(self) -> list[Source]:
        """Read all sources."""
        return [read_source(row) for row in await self._connections.read(self._sql["sources/list"])]

    async def pause(self, name: str, until: datetime | None, act: OperatorAct) -> Source:
        """Give no permit before `until`."""
        return await self._change("sources/pause", name, until, act.actor, act.reason)

    async def resume(self, name: str, act: OperatorAct) -> Source:
        """Enable a source, end its pause and its wait, close its breaker."""
        return await self._change("sources/resume", name, act.actor, act.reason)

    async def take_permit(self, name: str, lease: Lease | None, hop_of: int | None) -> Permit:
        """Spend one permit now."""
        values = (name, None, None) if lease is None else (name, lease.job_id, lease.token)
        [row] = await self._connections.write(self._sql["sources/take_permit"], *values, hop_of)
        if row["granted"]:
            return Permit(granted=True, token=row["report_token"])
        return Permit(granted=False, until=row["until"], is_lease_lost=row["is_lease_lost"])

    async def report(self, report: FetchReport) -> Source:
        """Note how a fetch went."""
        pause = LIMITED_FOR if report.retry_after is None else report.retry_after
        return await self._change(
            "sources/report", report.source, report.verdict.value, report.token, span_micros(pause)
        )

    async def _change(self, name: str, *values: Any) -> Source:
        [row] = await self._connections.write(self._sql[name], *values)
        return read_source(row)


def read_source(row: Mapping[str, Any]) -> Source:
    """Read a row, as the driver gives it or as JSON."""
    facts = dict(row)
    pause = timedelta(microseconds=facts["pause_micros"])
    rule = SourceRule(**{name: facts[name] for name in SourceRule.__struct_fields__ if name != "pause"}, pause=pause)
    standing = {name: facts[name] for name in Source.__struct_fields__ if name != "rule"}
    return in_utc(msgspec.convert({**standing, "rule": rule}, Source), _INSTANTS)
