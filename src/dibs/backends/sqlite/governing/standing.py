"""All that decides whether one job may run, read from the rows of the jobs that do."""

from datetime import datetime
from typing import Any

import msgspec

from dibs.backends.sqlite.governing.rulebook import RuleBook
from dibs.backends.sqlite.rows import instant
from dibs.backends.sqlite.transactions.transaction import Snapshot
from dibs.engine.admission.obstacle import Standing
from dibs.engine.admission.rules import TenantRule
from dibs.engine.admission.source import Source, new_source
from dibs.engine.job import Job, Lease
from dibs.kit.clock import to_micros, utc_day, utc_month

# No job has it: for one that does not run yet, all others count.
NOBODY = 0
_decode = msgspec.json.Decoder(Source).decode


class SourceRow(msgspec.Struct, frozen=True):
    """A source as it stands, whether anything is kept of it, and the lease of the job that tries it."""

    source: Source
    is_kept: bool
    probe: Lease | None


def describe(snapshot: Snapshot, book: RuleBook, job: Job, seq: int = NOBODY) -> Standing:
    """Gather all that decides whether a job may run."""
    now = instant(snapshot.now)
    facts: dict[str, Any] = {"gates": _gates_before(book, job, now)}
    if job.source is not None:
        facts |= _source_facts(snapshot, job, job.source, seq)
    if job.concurrency_key is not None:
        facts["key_limit"] = book.key_limit(job.concurrency_key)
        facts["key_running"] = snapshot.read("admission/count_running_of_key", job.tenant, job.concurrency_key, seq)[0][
            0
        ]
    tenant = book.find_tenant(job.tenant)
    return Standing(**facts) if tenant is None else Standing(**facts, **_tenant_facts(snapshot, tenant, seq, now))


def find_source(snapshot: Snapshot, name: str) -> SourceRow:
    """Read how a source stands; one that nobody declared stands well."""
    row = snapshot.find("sources/find_source", name)
    if row is None:
        return SourceRow(new_source(name), is_kept=False, probe=None)
    text, job_id, token = row
    return SourceRow(to_source(text), is_kept=True, probe=None if job_id is None else Lease(job_id, token))


def to_source(text: str) -> Source:
    """Make the source that a row tells of."""
    return _decode(text)


def count_permits(snapshot: Snapshot, name: str, seq: int) -> int:
    """Count the permits of a source that other running jobs have reserved and not spent."""
    count: int = snapshot.read("sources/count_permits", name, seq)[0][0]
    return count


def _gates_before(book: RuleBook, job: Job, now: datetime) -> tuple[Any, ...]:
    return tuple(gate for gate in book.gates if gate.is_shut(now) and gate.stands_before(job))


def _source_facts(snapshot: Snapshot, job: Job, name: str, seq: int) -> dict[str, Any]:
    found = find_source(snapshot, name)
    is_probing = found.probe is not None and found.probe.job_id != job.id
    return {"source": found.source, "reserved_permits": count_permits(snapshot, name, seq), "is_probing": is_probing}


def _tenant_facts(snapshot: Snapshot, tenant: TenantRule, seq: int, now: datetime) -> dict[str, Any]:
    count, high, low = snapshot.read("admission/count_running_of_tenant", tenant.name, seq)[0]
    since = (to_micros(utc_month(now)), to_micros(utc_day(now)))
    today, month = snapshot.read("spending/sum_spent", tenant.name, *since)[0]
    return {
        "tenant": tenant,
        "tenant_running": count,
        "reserved_microcents": (high << 32) + low,
        "spent_today_microcents": today,
        "spent_this_month_microcents": month,
    }
