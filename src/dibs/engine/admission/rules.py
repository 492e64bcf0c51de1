"""What operators decide about tenants, queues and concurrency keys."""

import msgspec
from msgspec.structs import replace

from dibs.engine.admission.gate import Gate

DEFAULT_KEY_LIMIT = 1
MOST_WEIGHT = 1_000
# One turn of a tenant of weight 1 in a fair queue. Divisible by every small weight, so that shares are exact.
TURN = 720_720


class TenantRule(msgspec.Struct, frozen=True, kw_only=True, tag="tenant"):
    """How much one tenant may have: running at once, of a fair queue's turns, and spent a UTC day and month."""

    name: str
    max_running: int | None = None
    weight: int = 1
    daily_budget_microcents: int | None = None
    monthly_budget_microcents: int | None = None

    @property
    def turn(self) -> int:
        """How far one job of this tenant moves it back in a fair queue."""
        return TURN // self.weight


class QueueRule(msgspec.Struct, frozen=True, kw_only=True, tag="queue"):
    """Whether the tenants of a queue take turns."""

    name: str
    fair: bool = False


class KeyRule(msgspec.Struct, frozen=True, kw_only=True, tag="key"):
    """How many jobs with a concurrency key may run at once, in each tenant.

    A name that ends in a colon speaks for every key that begins with it and has no rule of its own: `account:` for
    `account:42`. A key without a rule allows one; None takes a rule away.
    """

    name: str
    max_running: int | None = None


Rule = Gate | TenantRule | QueueRule | KeyRule


def rule_key(rule: Rule) -> tuple[str, str]:
    """Tell the kind of a rule, and its name among its kind."""
    return rule.__struct_config__.tag, rule.key if isinstance(rule, Gate) else rule.name  # type: ignore[return-value]


def is_same(kept: Rule | None, expected: Rule) -> bool:
    """Tell whether a rule that is kept says what is expected; when a gate was set does not count."""
    return kept is not None and _undated(kept) == _undated(expected)


def _undated(rule: Rule) -> Rule:
    return replace(rule, set_at=None) if isinstance(rule, Gate) else rule


def says_nothing(rule: Rule) -> bool:
    """Tell whether a rule is the one that holds anyway: then it is taken away instead of kept."""
    if isinstance(rule, Gate):
        return rule.mode.value == "open"
    if isinstance(rule, KeyRule):
        return rule.max_running is None
    return rule == type(rule)(name=rule.name)


def key_families(key: str) -> tuple[str, ...]:
    """Name the rules that may speak for a concurrency key, the nearest first."""
    family, colon, _ = key.partition(":")
    return (key, family + colon) if colon else (key,)
