"""A person for whom agents apply, and the resumes that they send. Pure."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from msgspec import Struct

from dibs.apps.postings.answers import Answer, AnswerSource, question_key
from dibs.errors import BadInput

LONGEST_NAME = 100
LONGEST_ID = 200
LONGEST_LINE = 300
LONGEST_QUESTION = 2_000
LONGEST_VALUE = 4_000
MOST_ANSWERS = 200


class Profile(Struct, frozen=True, kw_only=True):
    """Somebody who applies. `contact`: where an employer reaches them; `given_by`: who said all this last."""

    name: str
    full_name: str
    contact: str
    answers: dict[str, str]
    given_by: str
    created_at: datetime
    updated_at: datetime


class ProfileDraft(Struct, frozen=True, kw_only=True):
    """What a profile is to say. None: as it is."""

    name: str
    full_name: str | None = None
    contact: str | None = None
    answers: dict[str, str] | None = None


class Variant(Struct, frozen=True, kw_only=True):
    """A resume of a profile, by the id that agents name. `resume`: where it is."""

    variant_id: str
    profile: str
    resume: str
    note: str
    created_at: datetime


class VariantDraft(Struct, frozen=True, kw_only=True):
    """What a variant is to say."""

    variant_id: str
    profile: str
    resume: str = ""
    note: str = ""


def check_profile(draft: ProfileDraft) -> None:
    """Refuse a profile that cannot be kept; all faults at once."""
    faults = [] if _is_line(draft.name, LONGEST_NAME) else [f"name {draft.name[:40]!r} is no name"]
    faults += [] if draft.full_name is None or _is_line(draft.full_name) else ["full_name is empty or too long"]
    faults += [] if not draft.contact or _is_line(draft.contact) else ["contact is too long, or not on one line"]
    faults += list(_find_answer_faults(draft.answers or {}))
    _refuse(faults)


def check_variant(draft: VariantDraft) -> None:
    """Refuse a variant that cannot be kept; all faults at once."""
    named = {"variant_id": draft.variant_id, "profile": draft.profile}
    faults = [f"{name} {text[:40]!r} is no name" for name, text in named.items() if not _is_line(text, LONGEST_ID)]
    said = {"resume": draft.resume, "note": draft.note}
    long = [name for name, text in said.items() if text and not _is_line(text)]
    _refuse(faults + [f"{name} is too long, or not on one line" for name in long])


def list_own(profile: Profile) -> dict[str, Answer]:
    """Give a profile's answers as the ledger has them, by `question_key`: its person has given them."""
    return {
        question_key(question): Answer(
            question=question,
            value=value,
            source=AnswerSource.PROFILE,
            approved_by=profile.given_by,
            approved_at=profile.updated_at,
        )
        for question, value in profile.answers.items()
    }


def _find_answer_faults(answers: Mapping[str, str]) -> Iterator[str]:
    if len(answers) > MOST_ANSWERS:
        yield f"{len(answers)} answers, over the limit of {MOST_ANSWERS}"
    keys: dict[str, str] = {}
    for question, value in list(answers.items())[:MOST_ANSWERS]:
        key = question_key(question)
        if not key or len(question) > LONGEST_QUESTION or "\x00" in question:
            yield f"question {question[:40]!r} has no words, or is too long"
        elif keys.setdefault(key, question) != question:
            yield f"questions {keys[key][:40]!r} and {question[:40]!r} are the same"
        if len(value) > LONGEST_VALUE or "\x00" in value:
            yield f"the answer to {question[:40]!r} is longer than {LONGEST_VALUE} characters, or holds a NUL"


def _is_line(text: str, longest: int = LONGEST_LINE) -> bool:
    return bool(text.strip()) and len(text) <= longest and text.isprintable()


def _refuse(faults: list[str]) -> None:
    if faults:
        message = f"{'; '.join(faults[:20])}. Correct this, and send it again; nothing was changed."
        raise BadInput(message)
