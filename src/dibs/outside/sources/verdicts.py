"""How a fetch went, and whose fault it was. Pure."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import msgspec

from dibs.engine.admission.source import FetchVerdict
from dibs.errors import AddressRefused, HostFault, OutsideError, RobotsRefused

TOO_MANY, UNAVAILABLE = 429, 503
_FAULTY_BELOW_500 = {408, 425}
_FIRST_SERVER_FAULT = 500
# "Too many requests, come back now" is said in whole seconds, and believed literally it would be asked without end.
SHORTEST_WAIT = timedelta(seconds=1)
# More digits than any pause that somebody could mean.
_MOST_DIGITS = 9


class Judgement(msgspec.Struct, frozen=True):
    """The verdict on an answer, and how long the other side wants to be left alone."""

    verdict: FetchVerdict
    retry_after: timedelta | None = None


def judge_error(error: OutsideError) -> FetchVerdict | None:
    """Judge a fetch that brought no answer. None: we did not even try, which says nothing about the source.

    A redirect to where we do not go is the provider's fault; a URL of the caller's that leads there is not. One to
    where robots.txt keeps us from comes from a site that is well.
    """
    if isinstance(error, HostFault):
        return FetchVerdict.HOST_FAULT
    if isinstance(error, RobotsRefused):
        return FetchVerdict.OK
    if isinstance(error, AddressRefused) and not error.is_redirected:
        return None
    return FetchVerdict.PROVIDER_FAULT


def judge_answer(status: int, headers: Mapping[str, str], longest: timedelta) -> Judgement:
    """Judge an answer by its status. Who asks for a pause is busy, not broken; no time at all is no pause."""
    retry_after = read_retry_after(headers, longest)
    if status == TOO_MANY or (status == UNAVAILABLE and retry_after):
        return Judgement(FetchVerdict.LIMITED, None if retry_after is None else max(retry_after, SHORTEST_WAIT))
    if status >= _FIRST_SERVER_FAULT or status in _FAULTY_BELOW_500:
        return Judgement(FetchVerdict.PROVIDER_FAULT)
    return Judgement(FetchVerdict.OK)


def read_retry_after(headers: Mapping[str, str], longest: timedelta) -> timedelta | None:
    """Read a Retry-After of either form, seconds or a date, at most `longest`; None: it says nothing usable."""
    text = headers.get("retry-after", "").strip()
    if text.isascii() and text.isdigit():
        seconds = int(text) if len(text) <= _MOST_DIGITS else 10**_MOST_DIGITS
        return min(timedelta(seconds=seconds), longest)
    until = _read_date(text)
    if until is None:
        return None
    # Its own date tells what time the other side thinks it is; only without one does our clock have to do.
    sent_at = _read_date(headers.get("date", "")) or datetime.now(UTC)
    return min(max(until - sent_at, timedelta(0)), longest)


def _read_date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found
