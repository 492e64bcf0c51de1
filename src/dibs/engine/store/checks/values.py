"""Names, numbers, durations, texts."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import cast

from dibs.errors import BadInput
from dibs.kit.text import printable

LONGEST_NAME = 200
LONGEST_REASON = 2_000
LONGEST_SHOWN = 80
EARLIEST, LATEST = datetime(1970, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
LONGEST_SPAN = timedelta(days=36_500)
LARGEST_NUMBER = 2**53 - 1
LARGEST_BATCH = 100_000
_PRINTABLE_ASCII = bytes(range(32, 127))


def is_name(value: object) -> bool:
    """A name is a short, non-empty string that prints on one line."""
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def are_names(values: Sequence[object]) -> bool:
    """Tell whether all are names: the same as `is_name` for each, in a quarter of the time."""
    if not values:
        return True
    try:
        # Most jobs of a batch have the same names.
        names = cast("set[str]", set(values))
        joined = "".join(names)
    except TypeError:
        return False
    lengths = set(map(len, names))
    return min(lengths) > 0 and max(lengths) <= LONGEST_NAME and _is_printable(joined)


def _is_printable(text: str) -> bool:
    """Tell the same as `text.isprintable()`, which looks up every character in the tables of Unicode."""
    return (text.isascii() and not text.encode().translate(None, _PRINTABLE_ASCII)) or text.isprintable()


def check_name(value: object, field: str) -> None:
    """Refuse what is not a name."""
    if not is_name(value):
        message = f"{field} {shown(value)} is not a name. Use 1 to {LONGEST_NAME} printable characters."
        raise BadInput(message)


def check_optional_name(value: object, field: str) -> None:
    """Refuse what is neither a name nor None."""
    if value is not None:
        check_name(value, field)


def check_names(values: Collection[object] | None, field: str) -> None:
    """Refuse a list with something in it that is not a name; None is no list at all."""
    if isinstance(values, (str, bytes)):
        message = f"{field} {shown(values)} is one name. Pass a list of names."
        raise BadInput(message)
    for value in values or ():
        check_name(value, field)


def check_whole_number(value: object, field: str, least: int, most: int) -> None:
    """Refuse what is not a whole number within its range."""
    if not isinstance(value, int) or type(value) is bool or not least <= value <= most:
        message = f"{field} {shown(value)} is out of range. Use a whole number from {least} to {most}."
        raise BadInput(message)


def are_whole_numbers(values: Sequence[int], least: int, most: int) -> bool:
    """Tell whether all are plain whole numbers within their range: one look at all of them."""
    if set(map(type, values)) - {int}:
        return False
    # Most jobs of a batch have the same numbers.
    numbers = set(values) or {least}
    return least <= min(numbers) and max(numbers) <= most


def check_limit(limit: object, most: int = LARGEST_BATCH) -> None:
    """Refuse a number of jobs that makes no sense."""
    check_whole_number(limit, "limit", 1, most)


def check_batch(batch: Collection[object]) -> None:
    """Refuse more than a store should be asked for at once."""
    if len(batch) > LARGEST_BATCH:
        message = f"{len(batch):,} in one batch, over the limit of {LARGEST_BATCH:,}. Send several batches."
        raise BadInput(message)


def check_instant(instant: object, field: str) -> None:
    """Refuse what is not an instant that every store can keep."""
    if not isinstance(instant, datetime) or instant.tzinfo is None or not EARLIEST <= instant < LATEST:
        message = f"{field} {shown(instant)} is not an instant. Use an aware datetime between 1970 and 2200."
        raise BadInput(message)


def check_span(span: object, field: str, *, least: timedelta = timedelta(0)) -> None:
    """Refuse what is not a duration that a store can add to its clock."""
    if not isinstance(span, timedelta) or not least <= span <= LONGEST_SPAN:
        most = LONGEST_SPAN.days
        message = f"{field} {shown(span)} is not a usable duration. Use a timedelta from {least} to {most} days."
        raise BadInput(message)


def fit_reason(reason: object) -> str:
    """Refuse an empty or endless reason; give it without what a store cannot keep."""
    if not isinstance(reason, str) or not 0 < len(reason.strip()) <= LONGEST_REASON:
        most = LONGEST_REASON
        message = f"reason {shown(reason)}: say why, in 1 to {most} characters; it goes into the audit log."
        raise BadInput(message)
    return printable(reason, LONGEST_REASON)


def shown(value: object) -> str:
    """Show a value in an error, cut to a length."""
    text = repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}…"
