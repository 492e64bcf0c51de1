"""Money as whole millionths of a cent, so that sums are exact."""

from decimal import Decimal

MICROCENTS_PER_CENT = 1_000_000


def to_microcents(cents: float | str | Decimal) -> int:
    """Turn cents into micro-cents, rounding half to even at the last place."""
    if isinstance(cents, int):
        return cents * MICROCENTS_PER_CENT
    return int((Decimal(str(cents)) * MICROCENTS_PER_CENT).to_integral_value())


def to_cents(microcents: int) -> Decimal:
    """Turn micro-cents into cents, exactly."""
    return Decimal(microcents) / MICROCENTS_PER_CENT
