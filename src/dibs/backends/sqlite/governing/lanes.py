"""Where governed jobs stand: one lane for each queue, type, tenant, source, key and cost.

All jobs of a lane meet the same obstacles, so that the first one speaks for them all. A lane's row names its first job,
or one more urgent that has left since; whoever comes to it looks.
"""

from collections.abc import Iterable
from typing import Self

import msgspec

from dibs.backends.sqlite.governing.rulebook import RuleBook
from dibs.backends.sqlite.transactions.transaction import Row, Transaction
from dibs.engine.job import Job

RELANED_AT_ONCE = 1_000
PLAIN, LANED, LATER = 1, 2, 0
Urgency = tuple[int, int]
Place = tuple[int, int | None]
Identity = tuple[str, str, str, str, str, int]


class Lane(msgspec.Struct, frozen=True):
    """A lane as its row tells; '' stands for no source, and for no key."""

    number: int
    queue: str
    job_type: str
    tenant: str
    source: str
    key: str
    max_cost_microcents: int
    priority: int
    seq: int
    parked_on: str

    @property
    def urgency(self) -> Urgency:
        """The lower, the sooner."""
        return -self.priority, self.seq

    def speaker(self) -> Job:
        """Give as much of the lane's jobs as admission asks for."""
        return Job(
            id="",
            job_type=self.job_type,
            tenant=self.tenant,
            queue=self.queue,
            concurrency_key=self.key or None,
            source=self.source or None,
            max_cost_microcents=self.max_cost_microcents,
        )


class Stray(msgspec.Struct, frozen=True):
    """A waiting job, as far as its lane is concerned."""

    seq: int
    queue: str
    job_type: str
    tenant: str
    source: str | None
    key: str | None
    max_cost_microcents: int
    priority: int

    @classmethod
    def of(cls, job: Job, seq: int) -> Self:
        """Describe a job."""
        names = (job.queue, job.job_type, job.tenant, job.source, job.concurrency_key)
        return cls(seq, *names, job.max_cost_microcents, job.priority)

    @property
    def identity(self) -> Identity:
        """What makes its lane one lane."""
        return self.queue, self.job_type, self.tenant, self.source or "", self.key or "", self.max_cost_microcents

    def is_governed(self, book: RuleBook) -> bool:
        """Tell whether it belongs into a lane of its own kind."""
        return self.source is not None or self.key is not None or book.governs(self.queue, self.tenant)


def find_place(transaction: Transaction, book: RuleBook, job: Job, seq: int, run_at: int) -> Place:
    """Tell where a job has to wait: `ready`, and its lane if it is governed and due."""
    if not transaction.is_due(run_at):
        return LATER, None
    if not book.is_governed(job):
        return PLAIN, None
    return LANED, join(transaction, [Stray.of(job, seq)])


def join(transaction: Transaction, strays: list[Stray]) -> int:
    """Give the number of the lane that some jobs have in common; the most urgent of them may become its head."""
    identity, (priority, seq) = strays[0].identity, min((-one.priority, one.seq) for one in strays)
    found = transaction.find("lanes/find_lane", *identity)
    if found is None:
        number: int = transaction.read("lanes/add_lane", *identity, -priority, seq)[0][0]
        return number
    number, old_priority, old_seq = found
    if (priority, seq) < (-old_priority, old_seq):
        transaction.write("lanes/set_head", number, -priority, seq)
    return number


def join_all(transaction: Transaction, strays: Iterable[Stray]) -> dict[int, int]:
    """Give the lane of each of some governed jobs, by the job's number."""
    together: dict[Identity, list[Stray]] = {}
    for one in strays:
        together.setdefault(one.identity, []).append(one)
    return {one.seq: lane for group in together.values() for lane in [join(transaction, group)] for one in group}


def relane(transaction: Transaction, book: RuleBook, rows: Iterable[Row]) -> int:
    """Move those of some due jobs that are governed from the plain lanes to their own; tells how many."""
    strays = [stray for row in rows if (stray := Stray(*row)).is_governed(book)]
    members: dict[int, list[int]] = {}
    for seq, lane in join_all(transaction, strays).items():
        members.setdefault(lane, []).append(seq)
    for lane, seqs in members.items():
        transaction.write("moving/move_to_lane", _listed(seqs), lane)
    return len(strays)


def relane_some(transaction: Transaction, book: RuleBook, seqs: list[int]) -> int:
    """The same, by number."""
    return relane(transaction, book, transaction.read("moving/list_strays", _listed(seqs)))


def relane_front(transaction: Transaction, book: RuleBook, queue: str, job_type: str) -> int:
    """The same for the first jobs of a plain lane."""
    return relane(transaction, book, transaction.read("moving/list_front", queue, job_type, RELANED_AT_ONCE))


def leave_lane(transaction: Transaction, seq: int) -> None:
    """Let claims look into the lane of a job that goes away: another one speaks for it now."""
    transaction.write("lanes/reopen_lane", seq)


def _listed(seqs: list[int]) -> str:
    return msgspec.json.encode(seqs).decode()
