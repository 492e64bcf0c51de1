"""Resumes over the wire: what bodies and answers are made of."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from dibs.services.resumes.uploads.correcting.places import LONGEST_PATH
from dibs.services.resumes.uploads.model import UploadState, UploadStatus
from dibs.web.paging import PageQuery
from dibs.web.shapes.parts import Body, Name, Reason

MOST_AT_ONCE = 100
Path = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_PATH)]


class UploadShape(BaseModel):
    """A resume without its profile. `document` is the SHA-256 of its file, `round` how often it was read."""

    id: str
    tenant: str
    document: str
    name: str
    declared: str
    size: int
    state: UploadState
    status: UploadStatus
    person: str
    round: int
    version: int
    uploaded_by: str
    created_at: datetime
    read_at: datetime | None
    reviewed_at: datetime | None
    reviewed_by: str | None


class ResumeShape(UploadShape):
    """A resume: JSON Resume with `meta`, which has confidence and evidence of each field; null before the first."""

    resume: dict[str, Any] | None


class ResumeList(BaseModel):
    """A page of resumes."""

    resumes: list[UploadShape]
    next_cursor: str | None


class ResumeQuery(PageQuery):
    """Which resumes."""

    status: UploadStatus | None = Field(None, description="Only those with this status.")
    state: UploadState | None = Field(None, description="Only those that were read so far.")
    tenant: Name | None = Field(None, description="Only for keys that belong to no tenant; `default` if left out.")


class CorrectionBody(Body):
    """What a person corrects: fields by their paths, as `meta.fields` names them; null takes one out."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"fields": {"basics.name": "Jane Roe", "work[0].endDate": None}, "reason": "misread"}]
        }
    )

    fields: dict[Path, Any] = Field(
        default_factory=dict, max_length=MOST_AT_ONCE, description="What is right, by path, such as `work[0].endDate`."
    )
    reviewed: bool | None = Field(None, description="Whether a person has seen all of it; as before if left out.")
    reason: Reason


class ReadAgainBody(Body):
    """Why it is done."""

    reason: Reason
