"""What is known of a resume that was handed in."""

import re
import unicodedata
from datetime import datetime
from enum import StrEnum
from typing import Any

from msgspec import Struct

from dibs.kit.text import printable

LONGEST_FILE_NAME = 200
FINISH = "RESUME_FINISH"
_TYPE = re.compile(r"[a-z0-9][a-z0-9.+-]{0,60}/[a-z0-9][a-z0-9.+-]{0,80}")


class UploadState(StrEnum):
    """How far a resume was read. `partial`: what is text is there, and a job goes on."""

    READING = "reading"
    PARTIAL = "partial"
    DONE = "done"


class UploadStatus(StrEnum):
    """What to do with a profile, as its `meta.status` says; `pending` before there is one."""

    PENDING = "pending"
    OK = "ok"
    NEEDS_REVIEW = "needs_review"
    ERROR = "error"


class ResumeAction(StrEnum):
    """What the audit log says of resumes."""

    ADDED = "RESUME_ADDED"
    READ_AGAIN = "RESUME_READ_AGAIN"
    CORRECTED = "RESUME_CORRECTED"
    REVIEWED = "RESUME_REVIEWED"
    REMOVED = "RESUME_REMOVED"


class Upload(Struct, frozen=True, kw_only=True):
    """One resume without its profile. `document` is the key of its file; `round` counts how often it was read."""

    id: str
    tenant: str
    document: str
    name: str
    declared: str
    size: int
    state: str
    status: str
    person: str
    round: int
    version: int
    uploaded_by: str
    created_at: datetime
    read_at: datetime | None = None
    reviewed_at: datetime | None = None
    reviewed_by: str | None = None


class Correction(Struct, frozen=True, kw_only=True):
    """What a person says that a field is. `anchor` tells which entry of a list they saw it in."""

    id: str
    resume_id: str
    section: str
    field: str
    value: Any
    anchor: Any
    actor: str
    at: datetime


class Reading(Struct, frozen=True, kw_only=True):
    """What reading a document gave: the profile, where its words stand, and whether there is more to come."""

    resume: dict[str, Any]
    sheet: str | None = None
    is_whole: bool = True

    @property
    def status(self) -> str:
        return str(self.resume["meta"]["status"])

    @property
    def person(self) -> str:
        return fit_person(self.resume.get("basics", {}).get("name"))


def fit_person(name: Any) -> str:
    """Make what a list calls a person of their name; empty where there is none."""
    return printable(str(name or ""), LONGEST_FILE_NAME)


def fit_file_name(name: str) -> str:
    """Make a name of what somebody calls a file: no folders, nothing that does not print, and not too long."""
    last = re.split(r"[/\\]", name)[-1]
    text = unicodedata.normalize("NFC", last.encode(errors="replace").decode())
    kept = "".join(char for char in text if char.isprintable()).strip(" .")
    if len(kept) <= LONGEST_FILE_NAME:
        return kept
    stem, dot, ending = kept.rpartition(".")
    fits = dot and len(ending) < 10  # noqa: PLR2004 - an ending, and not the tail of a sentence
    return f"{stem[: LONGEST_FILE_NAME - len(ending) - 1]}.{ending}" if fits else kept[:LONGEST_FILE_NAME]


def fit_type(declared: str | None) -> str:
    """Give a content type without its parameters; empty where it is none."""
    text = (declared or "").partition(";")[0].strip().lower()
    return text if _TYPE.fullmatch(text) else ""
