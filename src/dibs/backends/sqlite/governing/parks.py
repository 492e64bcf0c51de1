"""What lanes are parked on, and the events that open it again.

All lanes of a park are held back by the same thing: what refuses one of them refuses all. So a park is closed and
opened as a whole, by one row.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from dibs.backends.sqlite.governing.rulebook import RuleBook
from dibs.backends.sqlite.rows import instant
from dibs.backends.sqlite.transactions.transaction import Transaction
from dibs.engine.admission.gate import Gate
from dibs.engine.admission.obstacle import Obstacle, ObstacleKind
from dibs.engine.admission.rules import KeyRule, Rule, TenantRule, key_families
from dibs.engine.admission.source import SLACK
from dibs.engine.job import Job
from dibs.kit.clock import span_micros, to_micros

# An open park with few lanes is given up, so that claims need not look into thousands of small ones.
FEW_LANES = 8
# More of them are left for the next claims.
MOST_OPENED = 500
# Through a gate that is open again go so many lanes a claim.
MOST_LEAVING = 1_000
# Where only an event frees, somebody looks now and then all the same: older code on the same file tells of none.
UNSEEN_MICROS = 60_000_000
_BUDGETS = (ObstacleKind.DAILY_BUDGET, ObstacleKind.MONTHLY_BUDGET)


class Park(msgspec.Struct, frozen=True):
    """What it is called, and what opens it. No name has a line break in it."""

    name: str
    subject: str


def find_park(job: Job, obstacle: Obstacle) -> Park:
    """Tell where to park the lane of a job."""
    if obstacle.kind is ObstacleKind.KEY_LIMIT:
        return Park(key_subject(job), key_subject(job))
    if obstacle.kind is ObstacleKind.TENANT_CAP:
        return Park(tenant_subject(job.tenant), tenant_subject(job.tenant))
    if obstacle.kind in _BUDGETS:
        # Another lane may cost less, and find room.
        return Park(f"budget\n{job.tenant}\n{job.max_cost_microcents}", tenant_subject(job.tenant))
    if obstacle.kind is ObstacleKind.GATE:
        return Park(gate_subject(obstacle.name), gate_subject(obstacle.name))
    return Park(source_subject(obstacle.name), source_subject(obstacle.name))


def holds_all_alike(obstacle: Obstacle) -> bool:
    """Tell whether all lanes of the same queue, type, tenant and source meet this, whatever their key and cost."""
    return obstacle.kind is not ObstacleKind.KEY_LIMIT and obstacle.kind not in _BUDGETS


def tenant_subject(tenant: str) -> str:
    """Name what is freed by any end of a tenant's job."""
    return f"tenant\n{tenant}"


def gate_subject(key: str) -> str:
    """Name what is freed by a gate that is opened."""
    return f"gate\n{key}"


def source_subject(source: str) -> str:
    """Name what is freed by a source that stands otherwise."""
    return f"source\n{source}"


def key_subject(job: Job) -> str:
    """Name what is freed by the end of a job with this key."""
    return f"key\n{job.tenant}\n{job.concurrency_key}"


def close_park(transaction: Transaction, park: Park, obstacle: Obstacle) -> None:
    """Let nobody look into a park before something opens it."""
    until = transaction.now + UNSEEN_MICROS if obstacle.until is None else to_micros(obstacle.until)
    transaction.write("parks/close_park", park.name, park.subject, until, transaction.now)


def has_closed(transaction: Transaction) -> bool:
    """Tell whether anybody waits for an event: otherwise nobody need tell of one."""
    return transaction.find("parks/find_closed_park") is not None


def open_for(transaction: Transaction, subjects: Iterable[str]) -> None:
    """Let claims look again, and tell the queues whose lanes may go on."""
    listed = msgspec.json.encode(sorted(set(subjects))).decode()
    for (name,) in transaction.read("parks/open_parks", listed):
        transaction.announce(row[0] for row in transaction.read("directory/list_queues", name))


def open_for_rule(transaction: Transaction, rule: Rule) -> None:
    """Let claims look again into what a rule held back that has changed."""
    if isinstance(rule, Gate):
        open_for(transaction, [gate_subject(rule.key)])
    elif isinstance(rule, TenantRule):
        open_for(transaction, [tenant_subject(rule.name)])
    elif isinstance(rule, KeyRule):
        closed = (row[0] for row in transaction.read("parks/list_closed_keys"))
        open_for(transaction, [name for name in closed if rule.name in key_families(name.split("\n")[2])])


def _is_at_open_gate(name: str, book: RuleBook, now: datetime) -> bool:
    kind, _, key = name.partition("\n")
    gate = book.rules.get(("gate", key)) if kind == "gate" else None
    return kind == "gate" and not (isinstance(gate, Gate) and gate.is_shut(now))


def list_open(transaction: Transaction, book: RuleBook) -> Sequence[str]:
    """Open what time has opened, give up what is small or before no gate any more, and name what is left."""
    transaction.write("parks/open_due_parks", transaction.now)
    # What was found out by a clock that has been set back since is found out anew.
    transaction.write("parks/open_misjudged_parks", transaction.now + span_micros(SLACK))
    large = []
    for name, lanes in transaction.read("parks/list_open_parks", FEW_LANES + 1, MOST_OPENED):
        if lanes > FEW_LANES:
            large.append(name)
            if _is_at_open_gate(name, book, instant(transaction.now)):
                # Nobody in it has to come back, as most would to a source that has a pace.
                transaction.write("parks/leave_park_in_part", name, MOST_LEAVING)
        else:
            transaction.write("parks/leave_park", name)
            transaction.write("parks/forget_park", name)
    return large
