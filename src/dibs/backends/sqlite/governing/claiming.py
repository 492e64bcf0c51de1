"""A claim where governed jobs wait, or a rule holds: plain and governed lanes side by side, one job after another."""

from operator import attrgetter

import msgspec
from msgspec.structs import replace

from dibs.backends.sqlite.governing.directory import NOT_PARKED, Directory
from dibs.backends.sqlite.governing.lanes import Lane, relane_front, relane_some
from dibs.backends.sqlite.governing.parks import close_park, find_park, holds_all_alike, list_open
from dibs.backends.sqlite.governing.plain import PlainStream, by_urgency, is_stray
from dibs.backends.sqlite.governing.rulebook import RuleBook
from dibs.backends.sqlite.governing.standing import describe
from dibs.backends.sqlite.rows import ID, SEQ, WAITING_JOB_TYPE, WAITING_QUEUE, Holding, instant
from dibs.backends.sqlite.transactions.transaction import Row, Transaction
from dibs.engine.admission.obstacle import Obstacle, Standing, find_obstacle
from dibs.engine.job import Job
from dibs.engine.store.moves import ClaimRequest
from dibs.kit.clock import span_micros

# So many lanes are looked at in vain by one transaction: others must get their turn to write.
MOST_PARKED = 1_000
# What holds one lane back may hold all of its tenant and source: so many are parked with it, by one statement.
MOST_ALIKE = 5_000
# So many thousands of jobs are moved into lanes of a queue that has become fair.
MOST_ROUNDS = 5


class GovernedClaim:
    """One claim. What governed jobs are given is written at once, so that the next one is judged by it."""

    def __init__(self, transaction: Transaction, book: RuleBook, request: ClaimRequest) -> None:
        self._transaction = transaction
        self._book = book
        self._request = request
        self._rows: list[Row] = []
        # The numbers of plain jobs in `_rows` that have yet to be held, at the same places.
        self._unheld: list[int | None] = []
        self._first_token = 0
        self._parked = 0
        # How lanes stood whose first job may run, as long as nothing was given since.
        self._judged: dict[int, Standing] = {}

    def take(self) -> tuple[list[Row], Holding | None]:
        """Give the jobs whose turn it is; gives their rows as they were before, and what all of them got."""
        self._open_fair_queues()
        self._parks = list_open(self._transaction, self._book)
        self._begin()
        while len(self._rows) < self._request.limit and self._take_next():
            pass
        self._plain.close()
        self._hold_plain()
        self._directory.rotation.keep(self._transaction)
        return self._rows, self._holding() if self._rows else None

    @property
    def is_cut_short(self) -> bool:
        """Whether lanes were left for the next claim to look at."""
        return self._parked >= MOST_PARKED

    def _open_fair_queues(self) -> None:
        """Let everybody stand in a lane of the own tenant where tenants take turns: a turn counts all of them."""
        for queue in sorted(self._book.find_fair(self._request)):
            for (job_type,) in self._transaction.read("claiming/list_types_of_queue", queue):
                self._open_lanes(queue, job_type)

    def _open_lanes(self, queue: str, job_type: str) -> None:
        for _ in range(MOST_ROUNDS):
            if not relane_front(self._transaction, self._book, queue, job_type):
                return

    def _begin(self) -> None:
        self._directory = Directory(self._transaction, self._book, self._request, self._parks)
        self._plain = PlainStream(self._transaction, self._book, self._request)

    def _take_next(self) -> bool:
        """Give the most urgent job that may run, or learn that one may not; False when there is nothing to look at."""
        candidates, row = [] if self.is_cut_short else self._directory.find_candidates(), self._plain.first()
        # Who is blocked must not stand for its queue: between queues, only those who may run are compared.
        if not all(lane.queue not in self._book.fair or self._may_run(lane) for lane in candidates):
            return True
        lane = min(candidates, key=attrgetter("urgency"), default=None)
        if row is not None and (lane is None or by_urgency(row) < lane.urgency):
            self._take_plain(row)
        elif lane is not None and self._may_run(lane):
            self._give_first(lane)
        return lane is not None or row is not None

    def _take_plain(self, row: Row) -> None:
        if is_stray(row, self._book):
            self._begin_anew(row)
            return
        self._plain.leave_out()
        self._give(row, row[SEQ])

    def _begin_anew(self, stray: Row) -> None:
        """Move a governed job away that stands in a plain lane, and look at everything again."""
        self._plain.close()
        self._hold_plain()
        self._directory.rotation.keep(self._transaction)
        relane_some(self._transaction, self._book, [stray[SEQ]])
        relane_front(self._transaction, self._book, stray[WAITING_QUEUE], stray[WAITING_JOB_TYPE])
        self._begin()

    def _may_run(self, lane: Lane) -> bool:
        """Tell whether the first job of a lane may run; if not, the lane is put where it does not stand in the way."""
        if lane.number in self._judged:
            return True
        found = self._transaction.find("lanes/find_head", lane.number)
        if found != (lane.priority, lane.seq):
            self._directory.leave_out(lane)
            self._set_head(lane, found)
            return False
        job = lane.speaker()
        standing = describe(self._transaction, self._book, job)
        obstacle = find_obstacle(job, standing, instant(self._transaction.now))
        if obstacle is None:
            self._judged[lane.number] = standing
            return True
        self._park(lane, job, obstacle)
        return False

    def _set_head(self, lane: Lane, found: Row | None) -> None:
        """Let a lane stand where its first job of now belongs."""
        if found is None:
            self._transaction.write("lanes/forget_lane", lane.number)
            return
        priority, seq = found
        self._transaction.write("lanes/set_head", lane.number, priority, seq)
        moved = replace(lane, priority=priority, seq=seq, parked_on=NOT_PARKED)
        self._directory.put(moved)

    def _park(self, lane: Lane, job: Job, obstacle: Obstacle) -> None:
        self._directory.leave_out(lane)
        self._parked += 1
        park = find_park(job, obstacle)
        close_park(self._transaction, park, obstacle)
        if lane.parked_on != park.name:
            self._transaction.write("lanes/park_lane", lane.number, park.name)
            if holds_all_alike(obstacle):
                alike = (lane.parked_on, lane.queue, lane.job_type, lane.tenant, lane.source, MOST_ALIKE)
                self._transaction.write("lanes/park_lanes_like", park.name, *alike)
                self._directory.leave_out_like(lane)
        self._directory.close(park)
        self._parks = [name for name in self._parks if name != park.name]

    def _give_first(self, lane: Lane) -> None:
        standing = self._judged[lane.number]
        self._judged.clear()
        self._directory.leave_out(lane)
        row = self._transaction.read("moving/find_waiting_job", lane.seq)[0]
        token = self._give(row, None)
        held = (lane.seq, token, self._request.worker, self._transaction.now, self._lease_end)
        self._transaction.write("moving/hold_governed_job", *held)
        if standing.source is not None and standing.source.is_broken:
            self._transaction.write("sources/set_probe", lane.source, row[ID], token)
        self._directory.rotation.take(lane.queue, lane.tenant)
        self._set_head(lane, self._transaction.find("lanes/find_head", lane.number))

    def _give(self, row: Row, unheld: int | None) -> int:
        """Put a job among those given; gives its token."""
        if not self._rows:
            self._first_token = self._transaction.take_numbers("token", self._request.limit)
        self._rows.append(row)
        self._unheld.append(unheld)
        return self._first_token + len(self._rows) - 1

    def _hold_plain(self) -> None:
        if any(seq is not None for seq in self._unheld):
            chosen = msgspec.json.encode(self._unheld).decode()
            held = (chosen, self._first_token, self._request.worker, self._transaction.now, self._lease_end)
            self._transaction.write("claiming/hold_jobs", *held)
            self._unheld = [None] * len(self._rows)

    def _holding(self) -> Holding:
        return Holding(
            worker=self._request.worker,
            first_token=self._first_token,
            locked_at=instant(self._transaction.now),
            lease_expires_at=instant(self._lease_end),
        )

    @property
    def _lease_end(self) -> int:
        return self._transaction.now + span_micros(self._request.lease)
