"""Rules as the scripts keep them: as JSON, and beside it the few numbers by which a claim decides."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from dibs.backends.redis.rows import instant, pack, unpack
from dibs.engine.admission.entries import rule_body
from dibs.engine.admission.gate import Gate
from dibs.engine.admission.rules import KeyRule, Rule, TenantRule
from dibs.kit.clock import to_micros

_decode = msgspec.json.Decoder(Rule).decode


def pack_rule(rule: Rule) -> bytes:
    """Pack a rule; `governed/rules.lua` knows the places. The script dates a gate."""
    return pack((rule_body(rule).decode(), *_numbers(rule)))


def _numbers(rule: Rule) -> tuple[Any, ...]:
    if isinstance(rule, Gate):
        expires_at = False if rule.expires_at is None else to_micros(rule.expires_at)
        return 0, expires_at, rule.mode.value
    if isinstance(rule, TenantRule):
        budgets = rule.daily_budget_microcents, rule.monthly_budget_microcents
        return _or_false(rule.max_running), rule.turn, *(_or_false(budget) for budget in budgets)
    return (rule.max_running if isinstance(rule, KeyRule) else rule.fair,)


def _or_false(number: int | None) -> int | bool:
    # What is None ends an array in Lua.
    return False if number is None else number


def build_rule(packed: bytes) -> Rule:
    """Build a rule from what is kept."""
    body, *numbers = unpack(packed)
    rule: Rule = _decode(body)
    return replace(rule, set_at=instant(numbers[0])) if isinstance(rule, Gate) else rule


def build_gates(found: Sequence[bytes | None]) -> list[Gate]:
    """Build the gates among what was found, in the order of their names."""
    rules = [build_rule(packed) for packed in found if packed is not None]
    return sorted((rule for rule in rules if isinstance(rule, Gate)), key=lambda gate: gate.key)
