"""Turns in a fair queue, alone."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from dibs.engine.admission.rules import TURN, TenantRule
from dibs.engine.admission.turns import Turns


@given(weights=st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 12), min_size=2))
def test_over_whole_rounds_every_tenant_gets_exactly_its_weight(weights: dict[str, int]) -> None:
    turns, given_to = Turns(), Counter[str]()
    for _ in range(3 * sum(weights.values())):
        tenant = turns.find_next(weights)
        turns.take(tenant, TenantRule(name=tenant, weight=weights[tenant]).turn)
        given_to[tenant] += 1
    for tenant, weight in weights.items():
        assert abs(given_to[tenant] - 3 * weight) <= 1


def test_small_weights_divide_a_turn_without_a_rest() -> None:
    assert all(TURN % weight == 0 for weight in range(1, 17))


def test_who_comes_late_is_next_and_then_takes_turns() -> None:
    turns = Turns()
    for _ in range(1_000):
        turns.take("whale", TURN)
    taken = []
    for _ in range(10):
        tenant = turns.find_next(["minnow", "whale"])
        turns.take(tenant, TURN)
        taken.append(tenant)
    assert taken[0] == "minnow"
    assert abs(taken.count("minnow") - taken.count("whale")) <= 2
