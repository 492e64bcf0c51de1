"""Positions that a person held, paid or not."""

import re
from collections.abc import Sequence

from dibs.services.resumes.profile import Field, Volunteer, Work
from dibs.services.resumes.understanding.fields.answers import (
    ANSWERED,
    Answers,
    drop_heads,
    get_piece,
    list_dates,
    part_address,
    read_answers,
)
from dibs.services.resumes.understanding.fields.entries import Entry, find_entries
from dibs.services.resumes.understanding.fields.making import make_dates, make_field, make_highlights
from dibs.services.resumes.understanding.fields.slots import Dealt, deal
from dibs.services.resumes.understanding.normal.organisations import judge_organisation, simplify_organisation
from dibs.services.resumes.understanding.normal.titles import judge_title, name_title
from dibs.services.resumes.understanding.sections.asking import Asked
from dibs.services.resumes.understanding.sections.rows import Row

_URL = re.compile(r"(?:https?://|www\.)\S+|\b[\w-]+\.(?:com|org|net|io|dev|example)\b\S*", re.IGNORECASE)

_FEWEST_TOLD = 3


def _judge_position(text: str) -> float:
    title = judge_title(text)
    return title - 0.5 * (judge_organisation(text) >= 1) if not _URL.search(text) else -1.0


def _judge_employer(text: str) -> float:
    if _URL.search(text):
        return -0.8
    title, organisation = judge_title(text), judge_organisation(text)
    return organisation - (0.8 * title if title > 0 and organisation < 1 else 0.3 * max(title, 0))


_JUDGES = {"position": _judge_position, "name": _judge_employer}


def read_work(rows: Sequence[Row]) -> tuple[Work, ...]:
    """Read the entries of a section of work."""
    if answers := read_answers(rows):
        return tuple(_make_answered(entry) for entry in answers)
    entries = find_entries(drop_heads(rows))
    dealt = deal(entries, _JUDGES)
    found = [_make(entry, labels) for entry, labels in zip(entries, dealt, strict=True)]
    return tuple(_share_employers([work for work in found if _is_real(work)]))


def read_volunteer(rows: Sequence[Row]) -> tuple[Volunteer, ...]:
    return tuple(
        Volunteer(
            organization=work.name, position=work.position, location=work.location, start_date=work.start_date,
            end_date=work.end_date, summary=work.summary, highlights=work.highlights,
        )
        for work in read_work(rows)
    )  # fmt: skip


def _make(entry: Entry, dealt: Dealt) -> Work:
    start, end = make_dates(entry.dated)
    highlights, summary = make_highlights([*_find_told(entry, dealt), *entry.body])
    position, name, place = (dealt.labels.get(label, (None, 0.0)) for label in ("position", "name", "location"))
    return Work(
        position=_titled(make_field(*position)),
        name=make_field(name[0], name[1], normal=simplify_organisation(name[0].text) if name[0] else None),
        location=make_field(*place),
        start_date=start,
        end_date=end,
        summary=summary,
        highlights=highlights,
    )


def _make_answered(answers: Answers) -> Work:
    start, end = make_dates(list_dates(answers))
    highlights, summary = make_highlights(answers.get(Asked.DUTIES, []))
    name, place = part_address(get_piece(answers, Asked.EMPLOYER))
    return Work(
        position=_titled(make_field(get_piece(answers, Asked.POSITION), ANSWERED)),
        name=make_field(name, ANSWERED, normal=simplify_organisation(name.text) if name else None),
        location=make_field(get_piece(answers, Asked.PLACE) or place, ANSWERED),
        start_date=start,
        end_date=end,
        summary=summary,
        highlights=highlights,
    )


def _find_told(entry: Entry, dealt: Dealt) -> list[Row]:
    """Give the rows below the names that were none: a short sentence may look like one."""
    used = {id(word) for piece, _ in dealt.labels.values() for word in piece.words}
    last = max(
        (at for at, row in enumerate(entry.head) if row.spans or any(id(w) in used for w in row.words)), default=0
    )
    return [
        row for row in entry.head[last + 1 :] if len(row.text.split()) >= _FEWEST_TOLD or row.text.split()[-1].islower()
    ]


def _titled(field: Field | None) -> Field | None:
    if field is None:
        return None
    return Field(field.value, field.confidence, field.boxes, name_title(field.value))


def _is_real(work: Work) -> bool:
    return bool(work.position or work.name)


def _share_employers(works: list[Work]) -> list[Work]:
    """Several positions at one employer: the name stands once, over all of them."""
    shared: list[Work] = []
    holder: Work | None = None
    for index, work in enumerate(works):
        following = works[index + 1] if index + 1 < len(works) else None
        if work.name and not work.position and following is not None and following.position and not following.name:
            holder = work
            continue
        if not work.name and work.position and holder is not None and holder.name:
            name = Field(holder.name.value, holder.name.confidence * 0.9, holder.name.boxes, holder.name.normal)
            shared.append(_with_name(work, name, holder.location))
            continue
        holder = work if work.name else holder
        shared.append(work)
    return shared


def _with_name(work: Work, name: Field, location: Field | None) -> Work:
    return Work(
        name=name, position=work.position, location=work.location or location, start_date=work.start_date,
        end_date=work.end_date, summary=work.summary, highlights=work.highlights,
    )  # fmt: skip
