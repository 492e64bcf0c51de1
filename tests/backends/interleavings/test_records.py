"""The checks see what they are there to see."""

from tests.backends.interleavings.records import (
    Broke,
    Granted,
    Hold,
    Let,
    Taken,
    find_disregard,
    find_haste,
    most_at_once,
)


def hold(job_id: str, begin: float, end: float | None, cost: int = 1) -> list[Hold | Let]:
    began = Hold(job_id=job_id, token=1, at=begin, lapses_at=begin + 5, tenant="t", key="k", source=None, max_cost=cost)
    return [began] if end is None else [began, Let(job_id=job_id, token=1, at=end)]


def count(*spans: list[Hold | Let], weight: str = "") -> float:
    records = [one for span in spans for one in span]
    return most_at_once([one for one in records if isinstance(one, Hold)], records, weight)


def test_holds_that_overlap_are_counted_together() -> None:
    assert count(hold("a", 0, 2), hold("b", 1, 3)) == 2
    assert count(hold("a", 0, 1), hold("b", 1, 3)) == 1
    assert count(hold("a", 0, None), hold("b", 1, 3)) == 1
    assert count(hold("a", 0, 9), hold("b", 6, 7)) == 1, "its lease may have lapsed"
    assert count(hold("a", 0, 2, cost=5), hold("b", 1, 3, cost=7), weight="max_cost") == 12


def grants(*instants: float) -> list[Granted]:
    return [Granted(source="s", asked_at=at - 0.001, at=at) for at in instants]


def test_permits_that_come_too_fast_are_seen() -> None:
    assert find_haste(grants(0, 1, 2, 3), interval=1, burst=1) is None
    assert find_haste(grants(0, 0.001, 1, 2), interval=1, burst=2) is None
    assert find_haste(grants(0, 1, 1.5, 2), interval=1, burst=1) is not None
    assert find_haste(grants(0, 0.1, 0.2), interval=1, burst=2) is not None


def test_a_claim_during_a_pause_is_seen() -> None:
    pause = Broke(source="s", at=10, until=20)
    assert find_disregard([pause, Taken(source="s", asked_at=11, at=12)], "s") is not None
    assert find_disregard([pause, Taken(source="s", asked_at=9, at=12)], "s") is None
    assert find_disregard([pause, Taken(source="s", asked_at=19, at=21)], "s") is None
    assert find_disregard([pause, Taken(source="other", asked_at=11, at=12)], "s") is None
