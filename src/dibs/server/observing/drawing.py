"""From samples to charts."""

from collections.abc import Callable, Sequence

from dibs.server.observing.sample import FAILED, SUCCEEDED, Sample, count_waiting, find_quantile
from dibs.web.pages.showing import Figures, Line

MOST_LINES = 5
MOST_POINTS = 225
OTHERS = "all others"


def thin(samples: Sequence[Sample]) -> Sequence[Sample]:
    """Leave out every other sample where there are more than a chart can show."""
    return samples[-1 :: -max(1, -(-len(samples) // MOST_POINTS))][::-1]


def draw_rates(samples: Sequence[Sample], tenant: str | None) -> Figures:
    """Endings a second, smoothed over a few samples: a rate of single jobs would be a comb."""
    kinds = ((SUCCEEDED, "ok"), (FAILED, "bad"))
    lines = [Line(label=kind, tone=tone, values=_smooth(samples, kind, tenant)) for kind, tone in kinds]
    return Figures(at=_instants(samples), series=lines, unit="/s", least=1)


def draw_latencies(samples: Sequence[Sample], tenant: str | None) -> Figures:
    """How long jobs waited and ran, the middle one and the slowest twentieth."""

    def find(what: str, part: float) -> list[float | None]:
        return [
            find_quantile([getattr(one, what) for one in sample.latencies if tenant in (None, one.tenant)], part)
            for sample in samples
        ]

    parts = (("waited, median", "waited", 0.5), ("waited, p95", "waited", 0.95), ("ran, p95", "ran", 0.95))
    lines = [Line(label=label, values=find(what, part)) for label, what, part in parts]
    return Figures(at=_instants(samples), series=lines, unit=" s", least=0.05)


def draw_queues(samples: Sequence[Sample]) -> Figures:
    """What waits in the fullest queues."""
    last = next((sample.queues for sample in reversed(samples) if sample.queues is not None), {})
    names = _fullest({name: count_waiting(states) for name, states in last.items()})

    def count(sample: Sample, name: str) -> float | None:
        return None if sample.queues is None else count_waiting(sample.queues.get(name, {}))

    return _draw_counts(samples, names, count)


def draw_tenants(samples: Sequence[Sample], tenant: str | None) -> Figures:
    """What is unfinished, of the tenants that have most."""
    last = next((sample.tenants for sample in reversed(samples) if sample.tenants is not None), {})
    names = _fullest(last) if tenant is None else [tenant]

    def count(sample: Sample, name: str) -> float | None:
        return None if sample.tenants is None else sample.tenants.get(name, 0)

    return _draw_counts(samples, names, count)


def find_rate(samples: Sequence[Sample], kind: str, tenant: str | None, seconds: float = 60) -> float:
    """Endings a second, over the last minute."""
    counted, spent = 0.0, 0.0
    for sample in reversed(samples):
        counted += _sum(sample, kind, tenant)
        spent += sample.seconds
        if spent >= seconds:
            break
    return counted / spent if spent else 0.0


def count_all(samples: Sequence[Sample], kind: str, tenant: str | None) -> int:
    """Endings in all samples."""
    return round(sum(_sum(sample, kind, tenant) for sample in samples))


def _draw_counts(
    samples: Sequence[Sample], names: Sequence[str], count: Callable[[Sample, str], float | None]
) -> Figures:
    lines = [Line(label=name, values=[count(sample, name) for sample in samples]) for name in names]
    return Figures(at=_instants(samples), series=lines, least=4)


def _fullest(counts: dict[str, int]) -> list[str]:
    fullest = sorted(counts, key=lambda name: (-counts[name], name))[:MOST_LINES]
    return sorted(fullest)


def _instants(samples: Sequence[Sample]) -> list[float]:
    return [round(sample.at.timestamp(), 1) for sample in samples]


def _sum(sample: Sample, kind: str, tenant: str | None) -> float:
    return sum(count for (whose, what), count in sample.ended.items() if what == kind and tenant in (None, whose))


def _smooth(samples: Sequence[Sample], kind: str, tenant: str | None, width: int = 5) -> list[float | None]:
    values: list[float | None] = []
    for place in range(len(samples)):
        window = samples[max(0, place - width + 1) : place + 1]
        seconds = sum(sample.seconds for sample in window)
        values.append(round(sum(_sum(one, kind, tenant) for one in window) / seconds, 2) if seconds else None)
    return values
