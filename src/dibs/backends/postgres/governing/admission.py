"""The rules, and what they mean for one job. The claim itself is `sql/migrations/0004/claiming`."""

from datetime import UTC, timedelta
from typing import Any

import msgspec
from asyncpg.pool import PoolConnectionProxy
from msgspec.structs import replace

from dibs.backends.postgres.governing.sources import read_source
from dibs.backends.postgres.statements import Statements
from dibs.backends.postgres.wire.connections import Connections
from dibs.engine.admission.entries import rule_action, rule_body, rule_subject, rule_tenant
from dibs.engine.admission.gate import Gate, GateScope
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import QueueRule, Rule, TenantRule, is_same, rule_key, says_nothing
from dibs.engine.admission.source import Source, new_source
from dibs.engine.store.moves import ClaimRequest, OperatorAct

# Waiting jobs that a new rule catches up with are sent into their lanes so many at a time.
BATCH = 5_000
_rules = msgspec.json.Decoder(Rule)
_answers = msgspec.json.Decoder(dict[str, Any])


class PostgresAdmission:
    """Set and read."""

    def __init__(self, connections: Connections, statements: Statements) -> None:
        self._connections = connections
        self._sql = statements

    async def set_rule(self, rule: Rule, act: OperatorAct, expected: Rule | None = None) -> bool:
        """Keep a rule, or take it away if it says nothing."""
        body = None if says_nothing(rule) else rule_body(rule).decode()
        audited = (rule_action(rule).value, rule_subject(rule), rule_tenant(rule), act.actor, act.reason)
        values = (*rule_key(rule), body, *_gate_columns(rule), *audited)
        if expected is None:
            await self._connections.write(self._sql["admission/set_rule"], *values)
        elif not await self._connections.work(lambda connection: self._replace(connection, values, expected)):
            return False
        if body is not None:
            await self._relane(rule)
        return True

    async def _replace(self, connection: PoolConnectionProxy, values: tuple[Any, ...], expected: Rule) -> bool:
        if isinstance(expected, TenantRule):
            # In the order in which set_rule takes them.
            await connection.execute(self._sql["admission/lock_callers"])
        # What is read by the same statement that waits for the lock may be older than the lock.
        await connection.execute(self._sql["admission/lock_rules"])
        found = await connection.fetchval(self._sql["admission/find_rule"], *rule_key(expected))
        if not is_same(None if found is None else _rules.decode(found), expected):
            return False
        await connection.execute(self._sql["admission/set_rule"], *values)
        return True

    async def _relane(self, rule: Rule) -> None:
        """Send waiting jobs into their lanes. A claim that meets one before we do sends it there itself."""
        queue = rule.name if isinstance(rule, QueueRule) else None
        is_of_tenant = isinstance(rule, TenantRule) or (isinstance(rule, Gate) and rule.scope is GateScope.TENANT)
        tenant = rule.name if is_of_tenant else None
        count = 0 if queue is tenant is None else BATCH
        while count == BATCH:
            rows = await self._connections.write(self._sql["admission/relane_jobs"], queue, tenant, BATCH)
            count = rows[0]["count"]

    async def list_rules(self) -> list[Rule]:
        """Read all rules that hold."""
        rows = await self._connections.read(self._sql["admission/list_rules"])
        return [_dated(_rules.decode(row["body"]), row["set_at"]) for row in rows]

    async def find_standing(self, job_id: str) -> Standing | None:
        """Read all that decides whether a job may run."""
        rows = await self._connections.read(self._sql["admission/find_standing"], job_id)
        text = rows[0]["standing"]
        return None if text is None else _standing(_answers.decode(text))

    async def find_first(self, job_id: str) -> str | None:
        """Name the job that stands first where this one waits."""
        rows = await self._connections.read(self._sql["admission/find_first"], job_id)
        first: str | None = rows[0]["first"]
        return first

    async def find_wake(self, request: ClaimRequest) -> timedelta | None:
        """Tell after how long this claim may bring something by the passing of time alone."""
        values = (request.queues, request.job_types, request.tenant)
        rows = await self._connections.write(self._sql["admission/find_wake"], *values)
        wake = rows[0]["wake"]
        return None if wake is None else timedelta(microseconds=wake)


def _gate_columns(rule: Rule) -> tuple[Any, ...]:
    if not isinstance(rule, Gate):
        return None, None, None, None
    return rule.scope.value, rule.name or None, rule.mode.value, rule.expires_at


def _dated(rule: Rule, set_at: Any) -> Rule:
    return replace(rule, set_at=set_at) if isinstance(rule, Gate) else rule


def _standing(facts: dict[str, Any]) -> Standing:
    gates = [_gate(fact) for fact in facts.pop("gates") or ()]
    source = _source(facts.pop("source"), facts.pop("source_name")) if "source" in facts else None
    return replace(msgspec.convert(facts, Standing), gates=tuple(gates), source=source)


def _gate(fact: dict[str, Any]) -> Gate:
    gate = msgspec.convert({**fact["body"], "set_at": fact["set_at"]}, Gate)
    return replace(gate, set_at=gate.set_at.astimezone(UTC)) if gate.set_at else gate


def _source(row: dict[str, Any] | None, name: str) -> Source:
    return new_source(name) if row is None else read_source(row)
