"""Profiles over the wire: what bodies and answers are made of."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from dibs.apps.postings.profiles.actions import ProfileStory
from dibs.apps.postings.profiles.model import (
    LONGEST_LINE,
    LONGEST_QUESTION,
    LONGEST_VALUE,
    MOST_ANSWERS,
    Profile,
    ProfileDraft,
    Variant,
)
from dibs.apps.postings.routes.shapes import fit_text
from dibs.web.answers.json import make_version
from dibs.web.shapes.parts import Body, Reason, Version

Line = Annotated[str, StringConstraints(max_length=LONGEST_LINE), AfterValidator(fit_text)]
Asked = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION), AfterValidator(fit_text)]
Given = Annotated[str, StringConstraints(max_length=LONGEST_VALUE), AfterValidator(fit_text)]


class ProfileBody(Body):
    """Who somebody is and what they answer, all of it at once, and why."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={
            "examples": [
                {
                    "full_name": "Ada Byron",
                    "contact": "ada@example.org",
                    "answers": {"Do you require a visa?": "no"},
                    "reason": "she asked us to",
                }
            ]
        },
    )

    full_name: Annotated[Line, Field(min_length=1, description="As it is to stand in a form.")]
    reason: Reason
    contact: Line = Field("", description="An address of mail, a phone number, or both.")
    answers: Annotated[
        dict[Asked, Given],
        Field(default_factory=dict, max_length=MOST_ANSWERS, description="What they answer, by question."),
    ]

    def make_draft(self, name: str) -> ProfileDraft:
        """Make the record."""
        return ProfileDraft(name=name, full_name=self.full_name, contact=self.contact, answers=self.answers)


class VariantBody(Body):
    """Where a resume is, and why it is there."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"resume": "s3://resumes/v2.pdf", "note": "two pages", "reason": "shorter"}]},
    )

    reason: Reason
    resume: Line = Field("", description="Where it lies.")
    note: Line = Field("", description="For whoever chooses among them.")


class VariantShape(BaseModel):
    """What came of a variant's runs; without `rate` and `interval` there are too few to say."""

    variant_id: str
    n: int
    successes: int
    unknown: int
    rate: float | None
    interval: tuple[float, float] | None
    profile: str | None = Field(description="Whose resume it is, if somebody has said so.")


class VariantList(BaseModel):
    """Variants by id."""

    variants: list[VariantShape]


class OwnVariantShape(VariantShape):
    """A variant of a profile: where it is, and what came of its runs."""

    resume: str
    note: str
    created_at: datetime


class ProfileShape(BaseModel):
    """Somebody who applies. `outcomes`: what came of the runs of all variants together."""

    name: str
    full_name: str
    contact: str
    answers: dict[str, str]
    given_by: str
    created_at: datetime
    updated_at: datetime
    variants: list[OwnVariantShape]
    outcomes: VariantShape
    version: Version = Field(description="That of the person and the variants; what came of runs moves on under it.")


class ProfileList(BaseModel):
    """Profiles by name."""

    profiles: list[ProfileShape]


class ForgottenShape(BaseModel):
    """What is gone."""

    forgotten: str


def show_profile(story: ProfileStory) -> dict[str, Any]:
    """Write a profile with its variants and how they do."""
    own = [{**_facts(story.measures[one.variant_id]), **_facts(one)} for one in story.variants]
    told = {**_facts(story.profile), "variants": own, "outcomes": story.together}
    return {**told, "version": make_version(list_said(story))}


def list_said(story: ProfileStory) -> list[Profile | Variant]:
    """List what people have said of a profile: that is what they replace."""
    return [story.profile, *story.variants]


def _facts(record: Any) -> dict[str, Any]:
    return {name: getattr(record, name) for name in record.__struct_fields__}
