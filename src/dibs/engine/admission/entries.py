"""What the audit log says of rules and sources."""

from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from dibs.engine.admission.gate import Gate, GateScope
from dibs.engine.admission.rules import Rule, TenantRule, rule_key, says_nothing
from dibs.engine.admission.source import Source
from dibs.engine.audit.actions import ALL_TENANTS

BREAKER = "dibs:breaker"


class AdmissionAction(StrEnum):
    """The entries that admission writes, each in the transaction of the change that it records."""

    GATE_SHUT = "GATE_SHUT"
    GATE_OPENED = "GATE_OPENED"
    RULE_SET = "RULE_SET"
    SOURCE_DECLARED = "SOURCE_DECLARED"
    SOURCE_PAUSED = "SOURCE_PAUSED"
    SOURCE_RESUMED = "SOURCE_RESUMED"
    SOURCE_BROKEN = "SOURCE_BROKEN"
    SOURCE_MENDED = "SOURCE_MENDED"


def rule_action(rule: Rule) -> AdmissionAction:
    """Name what setting a rule does."""
    if isinstance(rule, Gate):
        return AdmissionAction.GATE_OPENED if says_nothing(rule) else AdmissionAction.GATE_SHUT
    return AdmissionAction.RULE_SET


def rule_tenant(rule: Rule) -> str:
    """Name the tenant whose log tells of a rule."""
    is_of_tenant = isinstance(rule, TenantRule) or (isinstance(rule, Gate) and rule.scope is GateScope.TENANT)
    return rule.name if is_of_tenant else ALL_TENANTS


def rule_subject(rule: Rule) -> str:
    """Name a rule as the subject of an audit entry."""
    return ":".join(rule_key(rule))


def rule_body(rule: Rule) -> bytes:
    """Write a rule as the store and the audit log keep it; when it was set stands beside it."""
    return msgspec.json.encode(rule)


def rule_change(before: bytes | None, after: bytes | None) -> Any:
    """Tell what held before and after, None where nothing did."""
    return {"before": _read(before), "after": _read(after)}


def source_subject(name: str) -> str:
    """Name a source as the subject of an audit entry."""
    return f"source:{name}"


def source_change(before: Source | None, after: Source) -> Any:
    """Tell how a source stood before an operator's act, and after it; None where nothing was known of it."""
    return {"before": _stand(before), "after": _stand(after)}


def _stand(source: Source | None) -> Any:
    if source is None:
        return None
    return {
        "enabled": source.rule.enabled,
        "failure_streak": source.failure_streak,
        "paused_until": _iso(source.paused_until),
        "limited_until": _iso(source.limited_until),
    }


def _iso(instant: datetime | None) -> str | None:
    return None if instant is None else instant.isoformat(timespec="microseconds")


def _read(body: bytes | None) -> Any:
    return None if body is None else msgspec.json.decode(body)
