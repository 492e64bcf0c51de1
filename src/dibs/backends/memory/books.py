"""What the memory backend keeps for admission: the rules, the sources, and what running jobs hold of them."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime

from msgspec.structs import replace

from dibs.engine.admission.gate import Gate, GateScope
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import DEFAULT_KEY_LIMIT, KeyRule, QueueRule, Rule, TenantRule, key_families
from dibs.engine.admission.source import Source, new_source
from dibs.engine.admission.turns import Turns
from dibs.engine.job import Job, Lease
from dibs.kit.clock import utc_day, utc_month


class Books:
    """Rules by kind and name, sources by name, and what was spent by tenant and day.

    `permits` are the ids of running jobs that have not spent the permit of their claim; `probes` are the leases of
    those that try a broken source. All else that running jobs hold is counted from the jobs themselves.
    """

    def __init__(self) -> None:
        self.rules: dict[tuple[str, str], Rule] = {}
        self.sources: dict[str, Source] = {}
        self.permits: set[str] = set()
        self.probes: dict[str, Lease] = {}
        self.spent: defaultdict[tuple[str, datetime], int] = defaultdict(int)
        self.turns: defaultdict[str, Turns] = defaultdict(Turns)

    def find_source(self, name: str) -> Source:
        """Give a source as it stands; one that nobody declared stands well."""
        return self.sources.get(name) or new_source(name)

    def find_source_gate(self, name: str, now: datetime, *, is_in_job: bool) -> Gate | None:
        """Give the gate that keeps a source from being asked."""
        gate = self.rules.get(("gate", f"{GateScope.SOURCE}:{name}"))
        return gate if isinstance(gate, Gate) and gate.stops_fetches(now, is_in_job=is_in_job) else None

    def is_fair(self, queue: str) -> bool:
        """Tell whether the tenants of a queue take turns."""
        rule = self.rules.get(("queue", queue))
        return isinstance(rule, QueueRule) and rule.fair

    @property
    def has_gates(self) -> bool:
        """Whether any gate may be shut."""
        return any(kind == "gate" for kind, _ in self.rules)

    def is_governed(self, job: Job) -> bool:
        """Tell whether more than a gate of its queue or type may hold a job back."""
        if job.source is not None or job.concurrency_key is not None:
            return True
        if not self.rules:
            return False
        has_rule = ("tenant", job.tenant) in self.rules or ("gate", f"tenant:{job.tenant}") in self.rules
        return has_rule or self.is_fair(job.queue)

    def find_tenant(self, tenant: str) -> TenantRule | None:
        """Give the rule of a tenant."""
        rule = self.rules.get(("tenant", tenant))
        return rule if isinstance(rule, TenantRule) else None

    def take(self, job: Job) -> None:
        """Note what a job is given with its claim."""
        if job.source is not None:
            self.permits.add(job.id)
            if self.find_source(job.source).is_broken:
                self.probes[job.source] = job.lease
        if self.is_fair(job.queue):
            rule = self.find_tenant(job.tenant) or TenantRule(name=job.tenant)
            self.turns[job.queue].take(job.tenant, rule.turn)

    def free(self, job: Job) -> None:
        """Take back what a job held; it does not run any more."""
        self.permits.discard(job.id)
        if self.probes:
            self.probes = {source: lease for source, lease in self.probes.items() if lease.job_id != job.id}

    def pay(self, job: Job, cost_microcents: int, now: datetime) -> None:
        """Note what an attempt has cost its tenant."""
        self.spent[job.tenant, utc_day(now)] += cost_microcents

    def describe(self, job: Job, running: Iterable[Job], now: datetime) -> Standing:
        """Gather all that decides whether a job may run."""
        beside = [other for other in running if other.id != job.id]
        standing = Standing(gates=self._gates_before(job, now))
        if job.source is not None:
            standing = replace(standing, **self._source_facts(job, job.source, beside))
        if job.concurrency_key is not None:
            standing = replace(standing, **self._key_facts(job, job.concurrency_key, beside))
        tenant = self.find_tenant(job.tenant)
        return standing if tenant is None else replace(standing, **self._tenant_facts(tenant, beside, now))

    def _gates_before(self, job: Job, now: datetime) -> tuple[Gate, ...]:
        gates = [rule for _, rule in sorted(self.rules.items()) if isinstance(rule, Gate)]
        return tuple(gate for gate in gates if gate.is_shut(now) and gate.stands_before(job))

    def _source_facts(self, job: Job, name: str, running: list[Job]) -> dict[str, object]:
        reserved = sum(other.source == name and other.id in self.permits for other in running)
        is_probing = name in self.probes and self.probes[name].job_id != job.id
        return {"source": self.find_source(name), "reserved_permits": reserved, "is_probing": is_probing}

    def _key_facts(self, job: Job, key: str, running: list[Job]) -> dict[str, object]:
        rules = (self.rules.get(("key", name)) for name in key_families(key))
        limit = next((rule.max_running for rule in rules if isinstance(rule, KeyRule)), None) or DEFAULT_KEY_LIMIT
        count = sum(other.concurrency_key == key and other.tenant == job.tenant for other in running)
        return {"key_limit": limit, "key_running": count}

    def _tenant_facts(self, tenant: TenantRule, running: list[Job], now: datetime) -> dict[str, object]:
        theirs = [job for job in running if job.tenant == tenant.name]
        return {
            "tenant": tenant,
            "tenant_running": len(theirs),
            "reserved_microcents": sum(job.max_cost_microcents for job in theirs),
            "spent_today_microcents": self._sum_spent(tenant.name, utc_day(now)),
            "spent_this_month_microcents": self._sum_spent(tenant.name, utc_month(now)),
        }

    def _sum_spent(self, tenant: str, since: datetime) -> int:
        return sum(cost for (name, day), cost in self.spent.items() if name == tenant and day >= since)
