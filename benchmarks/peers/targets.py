"""What Dibs is to reach beside its peers: what it must, and what we aim at."""

import statistics

import msgspec

POSTGRES_PEERS = tuple(
    f"{name} on postgres"
    for name in ("PgQueuer", "graphile-worker", "pg-boss", "awa", "FlexiQ", "Oban for Python", "Procrastinate", "SAQ")
)


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of ours, as a ratio to the best of `peers`, or by itself where there are none.

    `four_to_one` is the ratio of four processes to one. Less is better where `falling`.
    """

    name: str
    ours: str
    figure: str = "drained"
    processes: int = 1
    peers: tuple[str, ...] = ()
    must: float | None = None
    aim: float | None = None
    four_to_one: bool = False
    falling: bool = False

    @property
    def must_words(self) -> str:
        """What must be."""
        return self._words(self.must)

    @property
    def aim_words(self) -> str:
        """What we aim at."""
        return self._words(self.aim)

    def is_must(self, value: float) -> bool:
        """Whether a value is enough."""
        return self._reaches(value, self.must)

    def is_aim(self, value: float) -> bool:
        """Whether a value is what we aim at."""
        return self._reaches(value, self.aim)

    def tell(self, found: list[float]) -> str:
        """The middle one of the values found, and their spread."""
        return f"{self._words(statistics.median(found))} ({min(found):.2f} to {max(found):.2f})"

    def _reaches(self, value: float, wanted: float | None) -> bool:
        if wanted is None:
            return False
        return value <= wanted if self.falling else value >= wanted

    def _words(self, value: float | None) -> str:
        if value is None:
            return "-"
        return f"{value:.3g} ms" if self.falling else f"{value:.3g} x"


def _drain(store: str, peer: str, processes: int, *, must: float | None = None, aim: float | None = None) -> Target:
    words = "one process" if processes == 1 else "two processes"
    return Target(
        name=f"{store} drain, {words}, to {peer}",
        ours=f"Dibs on {store}",
        processes=processes,
        peers=(f"{peer} on {store}",),
        must=must,
        aim=aim,
    )


TARGETS = (
    _drain("postgres", "PgQueuer", 1, must=1.5),
    _drain("postgres", "graphile-worker", 1, aim=1.0),
    _drain("postgres", "pg-boss", 1, aim=1.0),
    _drain("postgres", "PgQueuer", 2, must=2.0),
    _drain("postgres", "graphile-worker", 2, aim=1.0),
    _drain("postgres", "raw loop", 2, aim=0.5),
    _drain("redis", "BullMQ", 1, must=1.2, aim=3.0),
    _drain("sqlite", "Huey", 1, must=5.0),
    _drain("sqlite", "raw loop", 1, aim=0.25),
    Target(
        name="postgres bulk store, to the best peer",
        ours="Dibs on postgres",
        figure="stored",
        peers=POSTGRES_PEERS,
        must=1.5,
    ),
    Target(
        name="postgres bulk store, to the raw loop",
        ours="Dibs on postgres",
        figure="stored",
        peers=("raw loop on postgres",),
        aim=0.6,
    ),
    Target(name="postgres pick-up", ours="Dibs on postgres", figure="picked_up", must=5.0, aim=2.5, falling=True),
    Target(name="redis pick-up", ours="Dibs on redis", figure="picked_up", must=2.0, aim=1.1, falling=True),
    *(
        Target(name=f"{store}: four processes against one", ours=f"Dibs on {store}", four_to_one=True, must=1.0)
        for store in ("postgres", "redis", "sqlite")
    ),
)
