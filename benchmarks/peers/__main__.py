"""Dibs beside its peers: the same work on the same kind of servers, in one run.

    python -m benchmarks.peers [--only NAME …] [--store postgres …] [--rounds 3] [--processes 1 2] [--scale 1.0]
        [--persistence everysec] [--out build/peers.json]

Everybody works off jobs that do nothing; what counts is what the store has recorded as finished. Servers are durable:
PostgreSQL with fsync, Redis with an append-only file. Rates of a shared machine mean little; ratios within one run do.
"""

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.peers.catalogue import EVERYBODY, Peer, Store
from benchmarks.peers.chart import draw
from benchmarks.peers.environments import NotInstalled, command_of
from benchmarks.peers.measuring import Failed, Figures, measure

Results = dict[str, list[Figures]]


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--only", nargs="+", default=None, metavar="NAME", help="Dibs and the raw loop always run")
    parser.add_argument("--store", nargs="+", type=Store, default=[Store.POSTGRES, Store.REDIS, Store.SQLITE])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--processes", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--scale", type=float, default=1.0, help="of the number of jobs")
    parser.add_argument("--persistence", choices=("none", "everysec", "always"), default="everysec")
    parser.add_argument("--out", type=Path, default=Path("build/peers.json"))
    return parser.parse_args()


def choose(arguments: argparse.Namespace) -> list[Peer]:
    """Say who takes part."""
    wanted = None if arguments.only is None else {name.lower() for name in arguments.only}
    return [
        peer
        for peer in EVERYBODY
        if peer.store in arguments.store and (wanted is None or not peer.packages or peer.name.lower() in wanted)
    ]


def run(arguments: argparse.Namespace, console: Console) -> Results:
    """Measure everybody in turns, so that a busy minute of the machine hits all alike."""
    results: Results = {}
    peers = choose(arguments)
    for number in range(arguments.rounds):
        for peer in peers:
            with console.status(f"round {number + 1}: {peer.label}"):
                try:
                    command = command_of(peer)
                    figures = measure(
                        peer, command, arguments.processes, scale=arguments.scale, persistence=arguments.persistence
                    )
                except (NotInstalled, Failed, subprocess.TimeoutExpired, ValueError) as error:
                    console.print(f"[yellow]{peer.label}: {error}")
                    continue
            results.setdefault(peer.label, []).append(figures)
    return results


def tabulate(results: Results, processes: list[int], kind: Store) -> Table:
    """Put the medians of one store into a table, with ratios to Dibs."""
    drains = [f"drain, {count} proc." for count in processes]
    table = Table("", *drains, "ratio", "spread", "bulk store", "pick-up p50", title=f"On {kind.value}, jobs a second")
    ours = results.get(f"Dibs on {kind.value}", [])
    base = median([one.drained[processes[0]] for one in ours])
    for label, rounds in results.items():
        if not label.endswith(f" on {kind.value}"):
            continue
        rates = [median([one.drained[count] for one in rounds]) for count in processes]
        first = [one.drained[processes[0]] for one in rounds]
        table.add_row(
            label.removesuffix(f" on {kind.value}"),
            *(f"{rate:,.0f}" for rate in rates),
            f"{rates[0] / base:.2f}",
            f"{min(first):,.0f} to {max(first):,.0f}",
            f"{median([one.stored for one in rounds]):,.0f}",
            f"{median([one.picked_up_ms for one in rounds]):.1f} ms",
        )
    return table


def median(values: list[float]) -> float:
    """The middle one; NaN of nothing."""
    return statistics.median(values) if values else float("nan")


def main() -> None:
    """Measure, print tables, and keep figures and a chart."""
    arguments = read_arguments()
    console = Console(width=110)
    results = run(arguments, console)
    for kind in arguments.store:
        console.print(tabulate(results, arguments.processes, kind))
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    plain = {label: [vars_of(one) for one in rounds] for label, rounds in results.items()}
    arguments.out.write_text(json.dumps(plain, indent=1))
    chart = arguments.out.with_suffix(".svg")
    first = arguments.processes[0]
    chart.write_text(draw({label: median([one.drained[first] for one in rounds]) for label, rounds in results.items()}))
    console.print(f"figures in {arguments.out}, chart in {chart}")
    sys.exit(0 if results else 1)


def vars_of(figures: Figures) -> dict[str, object]:
    """A record as JSON."""
    return {"stored": figures.stored, "drained": figures.drained, "picked_up_ms": figures.picked_up_ms}


if __name__ == "__main__":
    main()
