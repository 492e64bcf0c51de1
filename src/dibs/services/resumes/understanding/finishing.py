"""What is said of a whole profile: its flags, its status, and the text by which it is found."""

from collections.abc import Iterator, Sequence
from datetime import date

from dibs.services.resumes.document import Document, Flag
from dibs.services.resumes.flags import REVIEWED, Warned, flag
from dibs.services.resumes.profile import Basics, Field, Part, Section, Status, Work
from dibs.services.resumes.understanding.language import HANDLED

UNSURE = 0.7
_LANGUAGES = {
    "it": "Italian", "pt": "Portuguese", "nl": "Dutch", "pl": "Polish", "sv": "Swedish", "da": "Danish", "no": "Norwegian",
    "fi": "Finnish", "cs": "Czech", "ro": "Romanian", "hu": "Hungarian", "tr": "Turkish", "ru": "Russian",
    "uk": "Ukrainian", "el": "Greek", "ja": "Japanese", "zh": "Chinese", "ko": "Korean", "ar": "Arabic", "fa": "Persian",
    "he": "Hebrew", "hi": "Hindi", "th": "Thai",
}  # fmt: skip


def list_flags(document: Document, basics: Basics, language: str | None, *, unheaded: bool) -> list[Flag]:
    """List what a person should know, the reader's flags first."""
    flags = list(document.flags)
    if any(known.code == Warned.NO_TEXT for known in flags):
        return flags
    if unheaded:
        flags.append(flag(Warned.NO_SECTIONS))
    if basics.name is None:
        flags.append(flag(Warned.NO_NAME))
    if basics.email is None and basics.phone is None:
        flags.append(flag(Warned.NO_CONTACT))
    if language is not None and language not in HANDLED:
        flags.append(
            flag(Warned.LANGUAGE_NOT_HANDLED, language=_LANGUAGES.get(language, f"another language ({language})"))
        )
    return flags


def flag_dates(works: Sequence[Work], today: date) -> list[Flag]:
    """A position that begins later than this month was hardly meant."""
    limit = f"{today:%Y-%m}"
    later = [work for work in works if work.start_date and work.start_date.value[:7] > limit]
    return [flag(Warned.FUTURE_DATE, today=today)] if later else []


def flag_sections(sections: Sequence[Section]) -> list[Flag]:
    unsure = [section for section in sections if section.confidence < UNSURE]
    return [flag(Warned.LOW_CONFIDENCE, section=one.kind, percent=round(100 * one.confidence)) for one in unsure]


def find_status(flags: Sequence[Flag]) -> Status:
    return Status.NEEDS_REVIEW if any(one.code in REVIEWED for one in flags) else Status.OK


def mean_confidence(parts: Sequence[Part]) -> float:
    """How sure the fields of some parts are, on the whole; a section that gave nothing is unsure."""
    sure = [field.confidence for part in parts for field in _fields(part)]
    return sum(sure) / len(sure) if sure else 0.2


def _fields(value: object) -> Iterator[Field]:
    if isinstance(value, Field):
        yield value
    elif isinstance(value, tuple):
        for item in value:
            yield from _fields(item)
    elif isinstance(value, Part):
        for name in value.__struct_fields__:
            yield from _fields(getattr(value, name))
