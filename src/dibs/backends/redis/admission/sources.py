"""Sources on Redis: a hash each."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from dibs.backends.redis.rows import instant, pack, running_member
from dibs.backends.redis.wire.connections import Lines, Word
from dibs.engine.admission.entries import BREAKER
from dibs.engine.admission.source import LIMITED_FOR, FetchReport, Permit, Source, SourceRule
from dibs.engine.job import Lease
from dibs.engine.store.moves import OperatorAct
from dibs.kit.clock import EPOCH, span_micros, to_micros

_STREAKS = ("failure_streak", "parser_streak", "host_streak", "quota_used", "earlier_used", "lone_probe")
_INSTANTS = ("last_success_at", "last_failure_at", "paused_until", "held_until", "next_free_at", "limited_until")
_DAYS = ("quota_day", "earlier_day")
_ENABLED = ',"enabled":'


class RedisSources:
    """What is declared of sources, and how they stand."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    async def declare(self, rule: SourceRule, act: OperatorAct, expected: SourceRule | None = None) -> Source | None:
        """Keep what is declared of a source."""
        kept: Word | None = "" if expected is None else await self._find_kept(expected)
        if kept is None:
            return None
        enabled = "" if rule.enabled is None else int(rule.enabled)
        return build_source(
            await self._lines.run("sources/declare", [*_describe(rule), enabled, act.actor, act.reason, kept])
        )

    async def _find_kept(self, expected: SourceRule) -> bytes | None:
        """Read what is declared as it is kept, byte for byte, if it is what is expected: the script looks again."""
        [row] = await self._lines.run("sources/find", [expected.name], is_write=False)
        source = build_source(row)
        return _tell(row) if source is not None and source.rule == expected else None

    async def find_sources(self, names: Sequence[str]) -> list[Source | None]:
        """Read sources by name."""
        rows = await self._lines.run("sources/find", names, is_write=False) if names else []
        return [build_source(row) for row in rows]

    async def list_sources(self) -> list[Source]:
        """Read all sources."""
        rows = await self._lines.run("sources/find", is_write=False)
        return [source for row in rows if (source := build_source(row)) is not None]

    async def pause(self, name: str, until: datetime | None, act: OperatorAct) -> Source:
        """Give no permit before `until`."""
        micros = "" if until is None else to_micros(until)
        return await self._move("pause", SourceRule(name=name), micros, act.actor, act.reason)

    async def resume(self, name: str, act: OperatorAct) -> Source:
        """Enable a source, end its pause and its wait, close its breaker."""
        return await self._move("resume", SourceRule(name=name), act.actor, act.reason)

    async def take_permit(self, name: str, lease: Lease | None, hop_of: int | None) -> Permit:
        """Spend one permit now."""
        asked = ("" if lease is None else running_member(lease), "" if hop_of is None else hop_of)
        word, *more = await self._lines.run("sources/take_permit", [*_describe(SourceRule(name=name)), *asked])
        if word == b"granted":
            return Permit(granted=True, token=int(more[0]))
        if word == b"refused":
            return Permit(granted=False, until=None if more[0] is None else instant(more[0]))
        return Permit(granted=False, is_lease_lost=True)

    async def report(self, report: FetchReport) -> Source:
        """Note how a fetch went."""
        wait = span_micros(LIMITED_FOR if report.retry_after is None else report.retry_after)
        return await self._move(
            "report", SourceRule(name=report.source), report.verdict.value, report.token, wait, BREAKER
        )

    async def _move(self, script: str, rule: SourceRule, *facts: Word) -> Source:
        flat = await self._lines.run(f"sources/{script}", [*_describe(rule), *facts])
        return _build(flat)


def _describe(rule: SourceRule) -> tuple[Word, ...]:
    """Name a source, pack the numbers by which scripts decide, and tell its rule without whether it is enabled."""
    limits = (
        span_micros(rule.interval),
        span_micros(rule.tolerance),
        rule.burst,
        False if rule.daily_quota is None else rule.daily_quota,
        rule.failure_limit,
        span_micros(rule.pause),
    )
    told = msgspec.json.encode(rule).decode().partition(_ENABLED)[0]
    return rule.name, pack(limits), told


def build_source(flat: Sequence[bytes]) -> Source | None:
    """Build a source from its hash; None where there is none."""
    return _build(flat) if flat else None


def _build(flat: Sequence[bytes]) -> Source:
    kept = _name(flat)
    facts: dict[str, Any] = {name: int(kept[name]) for name in _STREAKS if name in kept}
    facts |= {name: instant(kept[name]) for name in _INSTANTS if name in kept}
    facts |= {name: EPOCH + timedelta(days=int(kept[name])) for name in _DAYS if name in kept}
    return Source(rule=msgspec.json.decode(_tell(flat), type=SourceRule), **facts)


def _name(flat: Sequence[bytes]) -> dict[str, bytes]:
    return {name.decode(): value for name, value in zip(flat[::2], flat[1::2], strict=True)}


def _tell(flat: Sequence[bytes]) -> bytes:
    """Tell the rule of a source in JSON, as the scripts do."""
    kept = _name(flat)
    enabled = b"true" if kept["enabled"] == b"1" else b"false"
    return kept["told"] + _ENABLED.encode() + enabled + b"}"
