"""All that decides about one job, built from what `admission/find_standing.lua` answers."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from dibs.backends.redis.admission.rules import build_gates, build_rule
from dibs.backends.redis.admission.sources import build_source
from dibs.backends.redis.rows import instant
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import KeyRule
from dibs.engine.admission.source import new_source
from dibs.kit.clock import EPOCH, utc_day, utc_month

Facts = dict[str, Any]


def build_standing(answer: Sequence[Any]) -> Standing:
    """Put together what concerns the job."""
    stamp, gates, source, key, tenant = answer
    now = instant(stamp)
    facts: Facts = {"gates": tuple(gate for gate in build_gates(gates) if gate.is_shut(now))}
    if source is not None:
        facts |= _source_facts(*source)
    if key is not None:
        facts |= _key_facts(*key)
    if tenant is not None:
        facts |= _tenant_facts(*tenant, now=now)
    return Standing(**facts)


def _source_facts(name: bytes, flat: Sequence[bytes], reserved: int, is_probing: int) -> Facts:
    source = build_source(flat) or new_source(name.decode())
    return {"source": source, "reserved_permits": reserved, "is_probing": is_probing == 1}


def _key_facts(rules: Sequence[bytes | None], running: int) -> Facts:
    nearest = next((build_rule(packed) for packed in rules if packed is not None), None)
    limit = {"key_limit": nearest.max_running} if isinstance(nearest, KeyRule) and nearest.max_running else {}
    return {**limit, "key_running": running}


def _tenant_facts(
    packed: bytes, running: int, reserved: bytes, mine: bytes, flat: Sequence[bytes], *, now: datetime
) -> Facts:
    spent = {int(day): int(amount) for day, amount in zip(flat[::2], flat[1::2], strict=True)}
    return {
        "tenant": build_rule(packed),
        "tenant_running": running,
        "reserved_microcents": int(reserved) - int(mine),
        "spent_today_microcents": _sum_since(spent, utc_day(now)),
        "spent_this_month_microcents": _sum_since(spent, utc_month(now)),
    }


def _sum_since(spent: dict[int, int], since: datetime) -> int:
    first = (since - EPOCH).days
    return sum(amount for day, amount in spent.items() if day >= first)
