"""What was measured, one file for each round of each peer: a run that was broken off goes on where it stopped."""

import re
from pathlib import Path

import msgspec

from benchmarks.peers.catalogue import EVERYBODY, Peer, Store

EVERYSEC = "everysec"


class Round(msgspec.Struct, kw_only=True):
    """What one round of one peer gave. Rates are jobs a second, by the number of processes."""

    label: str
    number: int
    persistence: str = EVERYSEC
    jobs: int = 0
    stored: dict[int, float] = {}
    drained: dict[int, float] = {}
    picked_up_ms: float | None = None
    loads: list[float] = []


class Book:
    """The folder of the figures."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def open_round(self, peer: Peer, number: int, persistence: str) -> Round:
        """Give what there is of a round; the number of jobs is that of the first one."""
        kept = Round(label=peer.label, number=number, persistence=persistence)
        path = self._path(kept)
        if path.exists():
            kept = msgspec.json.decode(path.read_bytes(), type=Round)
        if not kept.jobs:
            kept.jobs = next((one.jobs for one in self.read(persistence) if one.label == peer.label), 0)
        return kept

    def write(self, kept: Round) -> None:
        """Keep a round."""
        self.folder.mkdir(parents=True, exist_ok=True)
        self._path(kept).write_bytes(msgspec.json.format(msgspec.json.encode(kept), indent=1))

    def read(self, persistence: str = EVERYSEC) -> list[Round]:
        """Give all rounds, in the order of the catalogue."""
        order = {peer.label: place for place, peer in enumerate(EVERYBODY)}
        found = [msgspec.json.decode(path.read_bytes(), type=Round) for path in self.folder.glob("*.json")]
        fitting = [one for one in found if one.label in order and _fits(one, persistence)]
        return sorted(fitting, key=lambda one: (order[one.label], one.number))

    def _path(self, kept: Round) -> Path:
        name = re.sub(r"\W+", "-", kept.label.lower())
        return self.folder / f"{name}.{kept.persistence}.{kept.number}.json"


def _fits(kept: Round, persistence: str) -> bool:
    # Only Redis has something to choose.
    return kept.persistence == persistence or not kept.label.endswith(Store.REDIS.value)
