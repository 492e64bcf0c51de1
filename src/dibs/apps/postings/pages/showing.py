"""Postings in the words of pages."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from dibs.apps.postings.model import Pay, Period, Posting, PostingState, Workplace
from dibs.apps.postings.pages.asking import make_address
from dibs.web.pages.showing import number

MOST_PLACES = 3
_PER = {Period.HOUR: "an hour"}
_WORK = {Workplace.REMOTE: "remote", Workplace.HYBRID: "hybrid", Workplace.ONSITE: "on site"}


def show_pay(pay: Pay | None) -> str:
    """Write a range of pay with its currency and what it is for; empty where the board says nothing."""
    if pay is None or (pay.min is None and pay.max is None):
        return ""
    low, high = _amount(pay.min), _amount(pay.max)
    shown = f"from {low}" if not high else f"up to {high}" if not low else low if low == high else f"{low} to {high}"
    per = "" if pay.period is None else _PER.get(pay.period, f"a {pay.period}")
    return " ".join(part for part in (shown, pay.currency, per) if part)


def _amount(value: Decimal | None) -> str:
    return (
        "" if value is None else number(int(value)) if value == int(value) else f"{value:,.2f}".replace(",", "\u202f")
    )


def show_places(posting: Posting) -> str:
    """Name where a posting is for, and how many more places there are."""
    names = [place.name for place in posting.places]
    more = len(names) - MOST_PLACES
    return ", ".join(names[:MOST_PLACES]) + (f" and {more} more" if more > 0 else "")


def show_work(posting: Posting) -> str:
    """Say from where the work is done, where the board does."""
    return "" if posting.workplace is None else _WORK[posting.workplace]


def show_kind(posting: Posting) -> str:
    """Say what kind of employment it is."""
    return (posting.employment_type or "").replace("_", " ")


def find_answers(artifacts: dict[str, Any]) -> dict[str, Any]:
    """Give what a run answers, by question: a person reads that better than JSON, in whatever script it is."""
    answers = artifacts.get("answers")
    return answers if isinstance(answers, dict) else {}


def leave_out_answers(artifacts: dict[str, Any]) -> dict[str, Any]:
    """Give the rest of what a run left."""
    return {name: value for name, value in artifacts.items() if name != "answers"}


def make_tabs(given: dict[str, Any], counts: dict[PostingState, int] | None) -> Sequence[dict[str, Any]]:
    """Offer each state, with what else is asked for; how many there are is told of all postings, not of a choice."""
    others = {name: value for name, value in given.items() if name != "status"}
    by_state = counts if counts and not others.keys() - {"tenant"} else {}
    return [
        {
            "label": state or "all",
            "href": make_address("/postings", {**others, "status": state}),
            "is_current": given.get("status") == state,
            "count": (sum(by_state.values()) if state is None else by_state.get(state)) if by_state else None,
        }
        for state in (None, *PostingState)
    ]
