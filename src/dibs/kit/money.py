"""Money as whole millionths of a cent, so that sums are exact."""

from decimal import Decimal

from dibs.errors import BadInput

MICROCENTS_PER_CENT = 1_000_000
# Every store keeps whole numbers up to here exactly.
MOST_MICROCENTS = 2**53 - 1


def to_microcents(cents: float | str | Decimal) -> int:
    """Turn cents into micro-cents, rounding half to even at the last place."""
    try:
        exact = Decimal(str(cents)) * MICROCENTS_PER_CENT if cents else Decimal(0)
        # First: a whole number of millions of digits takes long to make.
        amount = int(exact.to_integral_value()) if abs(exact) <= MOST_MICROCENTS else -1
    except (ArithmeticError, ValueError):
        amount = -1
    if not 0 <= amount <= MOST_MICROCENTS:
        message = f"{cents!r} is no cost. Use a number of cents from 0 to {MOST_MICROCENTS // MICROCENTS_PER_CENT:,}."
        raise BadInput(message)
    return amount


def to_cents(microcents: int) -> Decimal:
    """Turn micro-cents into cents, exactly."""
    return Decimal(microcents) / MICROCENTS_PER_CENT
