"""Dibs beside its peers: the same work on the same kind of servers, in one run.

    python -m benchmarks.peers [--only NAME …] [--store postgres …] [--rounds 3] [--persistence everysec]
        [--realtime] [--report-only] [--folder build/peers/figures]

Everybody works off jobs that do nothing; what counts is what the store has recorded as finished. Servers are durable:
PostgreSQL with fsync, Redis with an append-only file. Rates of a shared machine mean little; ratios within one run do.
What was measured is kept, and not measured again: remove the folder to begin anew.
"""

import argparse
import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from benchmarks.peers.catalogue import EVERYBODY, OURS, RAW, Peer, Store
from benchmarks.peers.chart import draw
from benchmarks.peers.environments import NotInstalled, command_of
from benchmarks.peers.keeping import EVERYSEC, Book, Round
from benchmarks.peers.measuring import choose_jobs, measure_enough, measure_pick_up
from benchmarks.peers.report import Report
from benchmarks.peers.running import Failed

REALTIME_PRIORITY = 20
# So long everybody else on the machine gets its turn between two measurements in real time.
BREATH_SECONDS = 1.0


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=None, metavar="NAME")
    parser.add_argument("--store", nargs="+", type=Store, default=[Store.POSTGRES, Store.REDIS, Store.SQLITE])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--persistence", choices=("none", EVERYSEC, "always"), default=EVERYSEC, help="of Redis")
    parser.add_argument("--realtime", action="store_true", help="before everything else on the machine; needs root")
    parser.add_argument("--report-only", action="store_true", help="of what was measured before")
    parser.add_argument("--folder", type=Path, default=Path("build/peers/figures"))
    return parser.parse_args()


def choose(arguments: argparse.Namespace) -> list[Peer]:
    """Say who takes part. What Redis keeps is only varied for Dibs and the raw loop, unless others are named."""
    everybody = EVERYBODY if arguments.persistence == EVERYSEC else (*OURS, *RAW)
    stores = arguments.store if arguments.persistence == EVERYSEC else [Store.REDIS]
    if arguments.only is None:
        return [peer for peer in everybody if peer.store in stores]
    wanted = {name.lower() for name in arguments.only}
    return [peer for peer in EVERYBODY if peer.store in stores and peer.name.lower() in wanted]


class Run:
    """One run: everybody in turns, so that a busy minute of the machine hits all alike."""

    def __init__(self, arguments: argparse.Namespace, console: Console) -> None:
        self._arguments = arguments
        self._console = console
        self._book = Book(arguments.folder)

    def measure(self) -> None:
        """Measure whatever is missing."""
        for number in range(1, self._arguments.rounds + 1):
            for peer in choose(self._arguments):
                begin = time.monotonic()
                try:
                    self._measure_round(peer, number)
                except (NotInstalled, Failed) as error:
                    self._console.print(f"{peer.label}, round {number}: {error}", style="yellow", markup=False)
                else:
                    self._console.print(f"{peer.label}, round {number}: {time.monotonic() - begin:.0f} s")

    def _measure_round(self, peer: Peer, number: int) -> None:
        command = command_of(peer)
        persistence = self._arguments.persistence
        kept = self._book.open_round(peer, number, persistence)
        if not kept.jobs:
            with self._turn(kept):
                kept.jobs = choose_jobs(peer, command, persistence)
        for count in peer.processes:
            if count not in kept.drained:
                with self._turn(kept):
                    # As many jobs for four processes as for one: a store with more in it is slower for everybody.
                    kept.jobs, found = measure_enough(peer, command, persistence, jobs=kept.jobs, processes=count)
                    kept.stored[count], kept.drained[count] = found.stored, found.drained
        if peer not in RAW and kept.picked_up_ms is None:
            with self._turn(kept):
                kept.picked_up_ms = measure_pick_up(peer, command, persistence)

    @contextmanager
    def _turn(self, kept: Round) -> Iterator[None]:
        if self._arguments.realtime:
            time.sleep(BREATH_SECONDS)
            os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(REALTIME_PRIORITY))
        try:
            yield
        finally:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        kept.loads.append(os.getloadavg()[0])
        self._book.write(kept)


def main() -> None:
    """Measure, print tables, and keep figures and a chart."""
    arguments = read_arguments()
    console = Console(width=120)
    # Whoever ends us ends the programs and servers as well.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if not arguments.report_only:
        Run(arguments, console).measure()
    report = Report(Book(arguments.folder).read(arguments.persistence))
    text = "\n\n".join([*(report.table(kind) for kind in arguments.store), report.targets()])
    console.print(text, markup=False)
    arguments.folder.mkdir(parents=True, exist_ok=True)
    (arguments.folder / "report.md").write_text(text + "\n")
    (arguments.folder / "peers.svg").write_text(draw(report.bars(arguments.store)))
    console.print(f"tables and chart in {arguments.folder}")


if __name__ == "__main__":
    main()
