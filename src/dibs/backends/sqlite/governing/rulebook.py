"""The rules, read once for every change of them."""

from typing import Self

import msgspec
from msgspec.structs import replace

from dibs.backends.sqlite.rows import instant
from dibs.backends.sqlite.transactions.transaction import Snapshot
from dibs.engine.admission.gate import Gate, GateScope
from dibs.engine.admission.rules import DEFAULT_KEY_LIMIT, KeyRule, QueueRule, Rule, TenantRule, key_families, rule_key
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest

MOST_REMEMBERED = 64
_decode = msgspec.json.Decoder(Rule).decode


class RuleBook(msgspec.Struct, frozen=True, kw_only=True):
    """All rules by kind and name, and what a claim asks of them."""

    rules: dict[tuple[str, str], Rule]
    gates: tuple[Gate, ...]
    tenants: frozenset[str]
    fair: frozenset[str]

    @classmethod
    def of(cls, rules: list[Rule]) -> Self:
        """Order the rules as they are asked for. A tenant with a rule or a gate of its own is governed."""
        gates = tuple(rule for rule in rules if isinstance(rule, Gate))
        gated = {gate.name for gate in gates if gate.scope is GateScope.TENANT}
        ruled = {rule.name for rule in rules if isinstance(rule, TenantRule)}
        fair = frozenset(rule.name for rule in rules if isinstance(rule, QueueRule) and rule.fair)
        return cls(
            rules={rule_key(rule): rule for rule in rules}, gates=gates, tenants=frozenset(gated | ruled), fair=fair
        )

    @property
    def governs_plain(self) -> bool:
        """Whether a job may be governed that names neither source nor key."""
        return bool(self.tenants or self.fair)

    def is_governed(self, job: Job) -> bool:
        """Tell whether more than a gate of its queue or type may hold a job back."""
        if job.source is not None or job.concurrency_key is not None:
            return True
        return self.governs(job.queue, job.tenant)

    def governs(self, queue: str, tenant: str) -> bool:
        """Tell the same of a job that names neither source nor key."""
        return tenant in self.tenants or queue in self.fair

    def find_fair(self, request: ClaimRequest) -> frozenset[str]:
        """Name the queues of a claim in which tenants take turns."""
        return self.fair if request.queues is None else self.fair.intersection(request.queues)

    def find_tenant(self, tenant: str) -> TenantRule | None:
        """Give the rule of a tenant."""
        rule = self.rules.get(("tenant", tenant))
        return rule if isinstance(rule, TenantRule) else None

    def find_source_gate(self, source: str) -> Gate | None:
        """Give the gate of a source, shut or expired."""
        rule = self.rules.get(("gate", f"{GateScope.SOURCE}:{source}"))
        return rule if isinstance(rule, Gate) else None

    def turn_of(self, tenant: str) -> int:
        """Tell how far one job moves a tenant back in a fair queue."""
        return (self.find_tenant(tenant) or TenantRule(name=tenant)).turn

    def key_limit(self, key: str) -> int:
        """Tell how many jobs with a concurrency key may run at once."""
        rules = (self.rules.get(("key", name)) for name in key_families(key))
        limits = (rule.max_running for rule in rules if isinstance(rule, KeyRule))
        return next(limits, None) or DEFAULT_KEY_LIMIT


NO_RULES = RuleBook.of([])
# By the number that every change of a rule draws anew, in whatever file.
_remembered: dict[int, RuleBook] = {0: NO_RULES}


def find_book(snapshot: Snapshot) -> RuleBook:
    """Give the rules that held when an operation began."""
    known = _remembered.get(snapshot.moment[1])
    return _read_book(snapshot) if known is None else known


def _read_book(snapshot: Snapshot) -> RuleBook:
    book = RuleBook.of([to_rule(text, set_at) for text, set_at in snapshot.read("admission/list_rules")])
    while len(_remembered) >= MOST_REMEMBERED:
        _remembered.pop(next(iter(_remembered)), None)
    _remembered[snapshot.moment[1]] = book
    return book


def to_rule(text: str, set_at: int) -> Rule:
    """Make the rule that a row tells of."""
    rule = _decode(text)
    return replace(rule, set_at=instant(set_at)) if isinstance(rule, Gate) else rule
