"""Postings over the wire: what bodies and answers are made of."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, JsonValue, StringConstraints

from dibs.apps.postings.answers import AnswerSource, Approval, Topic
from dibs.apps.postings.claims.reconciling import Finding
from dibs.apps.postings.claims.requests import LONGEST_ERROR, LONGEST_ID
from dibs.apps.postings.claims.runs import Fence
from dibs.apps.postings.ledger.store import LONGEST_QUESTION, LONGEST_VALUE
from dibs.apps.postings.limits.caps import EVERY, LONGEST_COOL_DOWN, MOST_A_DAY, Cap, CapScope
from dibs.apps.postings.model import PostingState
from dibs.apps.postings.records import BoardPolicy, RoleRule
from dibs.web.paging import PageQuery
from dibs.web.shapes.parts import WORD, Body, Name, Reason, Version

Id = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_ID)]
RunStatus = Literal["pending", "submitting", "submitted", "success", "failed", "unknown"]
ARTIFACTS: dict[str, JsonValue] = {"resume_url": "s3://resumes/v2.pdf"}


def fit_text(text: str) -> str:
    """Refuse what no table can hold."""
    if "\x00" in text or any("\ud800" <= char <= "\udfff" for char in text):
        message = "must be text without NUL"
        raise ValueError(message)
    return text


class ClaimBody(Body):
    """A run that an agent wants to begin."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "action": "run",
                    "run_id": "6f1c9a52-2d0e-4c57-9a3b-1f0f6f6f9f11",
                    "job_id": "12345",
                    "board": "ramp",
                    "variant_id": "resume-v2",
                    "artifacts": ARTIFACTS,
                }
            ]
        }
    )

    action: Literal["run"] = Field(description="There is no other.")
    run_id: Id = Field(description="Your name for the run, a new one each time.")
    job_id: Id | int = Field(description="The posting, by the id that its board gave it.")
    board: Id = Field(description="The board, by our name for it.")
    variant_id: Annotated[str, StringConstraints(max_length=LONGEST_ID)] | None = Field(
        None, description="Which resume is sent."
    )
    artifacts: dict[str, Any] = Field(default_factory=dict, description="Whatever the run is to begin with.")


class ReportBody(Body):
    """What an agent says about its run."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"run_id": "6f1c9a52-2d0e-4c57-9a3b-1f0f6f6f9f11", "status": "submitting", "artifacts": {}}]
        }
    )

    run_id: Id = Field(description="The run that is told of.")
    status: RunStatus | None = Field(None, description="Where it stands now; as before if left out.")
    artifacts: dict[str, Any] = Field(default_factory=dict, description="Merged into what is there.")
    error: Annotated[str, StringConstraints(max_length=LONGEST_ERROR)] | None = Field(
        None, description="What went wrong."
    )


class PostingQuery(PageQuery):
    """Which postings, or whose runs."""

    runs_for: str | None = Field(None, max_length=LONGEST_ID, description="The id of a posting: give the runs at it.")
    board: str | None = Field(None, max_length=LONGEST_ID, description="The board, by our name for it.")
    status: PostingState | None = Field(None, description="Only postings in this state.")
    held: bool | None = Field(None, description="Only postings that are held until somebody finds out, or only others.")
    claimable: bool = Field(
        False, description="Only postings that nobody has: discovered ones, and queued ones whose claim has lapsed."
    )
    tenant: Name | None = Field(None, description="Only for keys that belong to no tenant; `default` if left out.")


class MoveBody(Body):
    """Why, and on which board if several have a posting of this id."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"reason": "filled", "board": "ramp"}]}
    )

    reason: Reason
    board: Id | None = Field(None, description="Needed only where several have a posting of this id.")


class WhyBody(Body):
    """Why."""

    model_config = ConfigDict(extra="forbid", strict=True, json_schema_extra={"examples": [{"reason": "looks good"}]})

    reason: Reason


class ApprovalBody(WhyBody):
    """Why, and what was looked at."""

    version: int | None = Field(
        None, ge=1, description="Of the run that was looked at: 409 with the rule `changed`, if it has reported since."
    )


class FindingBody(Body):
    """What somebody found out about a run, and how."""

    model_config = ConfigDict(
        extra="forbid", strict=True, json_schema_extra={"examples": [{"finding": "submitted", "reason": "a mail came"}]}
    )

    finding: Annotated[Finding, WORD] = Field(description="Whether it was submitted.")
    reason: Reason


class PolicyBody(Body):
    """How agents are to treat a board, all of it at once, and why."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"fence": "required", "approval": "when_guessed", "reason": "its form lies"}]},
    )

    reason: Reason
    fence: Annotated[Fence, WORD] = Field(
        Fence.OPTIONAL, description="`required`: hold every run that falls silent, also one that announced nothing."
    )
    approval: Annotated[Approval, WORD] = Field(
        Approval.EVERY_TIME, description="When a person has to agree before an agent submits."
    )
    role_rule: Annotated[RoleRule, WORD] = Field(
        RoleRule.WARN, description="What a second posting of a role that was applied to means for a claim."
    )

    def make_policy(self) -> BoardPolicy:
        """Make the record."""
        return BoardPolicy(fence=self.fence, approval=self.approval, role_rule=self.role_rule)


class AnswerBody(Body):
    """An answer, and why it may be given or not."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"question": "Do you require a visa?", "value": "no", "reason": "a citizen"}]},
    )

    question: Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_QUESTION), AfterValidator(fit_text)] = (
        Field(description="In the words of the form.")
    )
    value: Annotated[str, StringConstraints(max_length=LONGEST_VALUE), AfterValidator(fit_text)] = Field(
        description="What is answered."
    )
    reason: Reason


class CapBody(Body):
    """A cap or a cool-down, and why."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        json_schema_extra={"examples": [{"scope": "company", "name": "*", "most_a_day": 2, "reason": "be polite"}]},
    )

    scope: Annotated[CapScope, WORD] = Field(description="What is counted together.")
    reason: Reason
    name: Name = Field(EVERY, description="Which board or company; `*`: each that has no cap of its own.")
    most_a_day: Annotated[int, Field(ge=1, le=MOST_A_DAY)] | None = Field(None, description="Within any 24 hours.")
    cool_down_seconds: Annotated[int, Field(ge=1, le=int(LONGEST_COOL_DOWN.total_seconds()))] | None = Field(
        None, description="After the last one."
    )

    def make_cap(self) -> Cap:
        """Make the record."""
        cool_down = None if self.cool_down_seconds is None else timedelta(seconds=self.cool_down_seconds)
        return Cap(scope=self.scope, name=self.name, most_a_day=self.most_a_day, cool_down=cool_down)


class KinShape(BaseModel):
    """Another posting that may be the same: of the same role, or with nearly the same text."""

    ring: Literal["role", "text"]
    board: str
    job_id: str
    run_id: str | None = Field(None, description="The run that applied to it, or applies.")
    is_same_place: bool | None = Field(None, description="For a role: whether it is for the same place, too.")
    similarity: float | None = Field(None, description="For a text: which part of it is common, 0 to 1.")


class RunShape(BaseModel):
    """A run, with the names that agents know.

    `warnings`: other postings that may be the same, when it began. `breach`: what its agent did that it may not.
    """

    run_id: str
    job_id: str
    board: str
    variant_id: str
    status: RunStatus
    artifacts: dict[str, Any]
    error: str | None
    version: int
    warnings: list[KinShape]
    breach: Literal["approval"] | None
    lease_seconds: int | None = Field(
        description="How long it has the posting from the answer to a claim or report on; null if it has it no more."
    )
    approved_at: datetime | None = Field(description="When a person let it submit as it is now.")
    created_at: datetime
    updated_at: datetime
    ended_at: datetime | None


class PostingShape(BaseModel):
    """A posting, with the names that agents know. `holder`: the run that has it, until `expires_at`."""

    job_id: str
    board: str
    status: PostingState
    title: str
    company: str | None
    locations: list[str]
    remote: bool | None
    department: str | None
    employment_type: str | None
    pay: dict[str, Any] | None
    posted_at: str | None
    updated_at: str | None
    apply_url: str | None
    id: str
    reason: str
    role: str
    first_seen_at: datetime
    last_seen_at: datetime
    is_held: bool
    holder: str | None
    expires_at: datetime | None
    applied_run: str | None


class FoundShape(BaseModel):
    """A page of postings (`jobs`), or with `runs_for` one posting (`job`) and its runs, oldest first."""

    jobs: list[PostingShape] = []
    next_cursor: str | None = None
    job: PostingShape | None = None
    runs: list[RunShape] = []


class ActShape(BaseModel):
    """What somebody did, and why."""

    id: str
    posting_id: str
    action: str
    actor: str
    reason: str
    at: datetime


class TimelineShape(BaseModel):
    """A posting with its text, all runs at it and all that people did, oldest first."""

    job: PostingShape
    text: str
    questions: list[dict[str, Any]] = Field(description="What its form asks, where the board publishes it.")
    unanswered: list[str] = Field(description="Those of them that a person has to answer before an agent may.")
    runs: list[RunShape]
    acts: list[ActShape]


class VersionShape(BaseModel):
    """One report of a run."""

    version: int
    state: RunStatus
    patch: dict[str, Any]
    at: datetime
    error: str | None


class RunStoryShape(BaseModel):
    """A run with all its reports, oldest first."""

    run: RunShape
    versions: list[VersionShape]


class AwaitingShape(BaseModel):
    """A run that a person has to approve, with the posting that it is at."""

    title: str
    company: str | None
    run: RunShape
    answers: int = Field(description="How many answers it has told of so far; with none it may not be ready.")
    guessed: list[str] = Field(description="The questions that nobody may guess, and that no person has answered.")


class AwaitingList(BaseModel):
    """Runs that wait for approval, those heard of last first."""

    approvals: list[AwaitingShape]


class MovedPostingShape(BaseModel):
    """A posting as it is now."""

    job: PostingShape


class PolicyShape(BaseModel):
    """How a board is treated."""

    fence: Fence
    approval: Approval
    role_rule: RoleRule


class BoardShape(BaseModel):
    """A board that we know."""

    name: str
    provider: str
    token: str
    policy: PolicyShape
    created_at: datetime
    crawled_at: datetime | None
    complete_at: datetime | None
    version: Version = Field(description="That of its policy, which is replaced whole.")


class BoardList(BaseModel):
    """Boards by name."""

    boards: list[BoardShape]


class AnswerShape(BaseModel):
    """A line of the ledger. What is about any `topic` but `other`, nobody may guess."""

    question: str
    value: str
    source: AnswerSource
    topic: Topic
    approved_by: str | None
    approved_at: datetime | None
    run_id: str | None


class AnswerList(BaseModel):
    """Answers by question."""

    answers: list[AnswerShape]


class CapShape(BaseModel):
    """How often agents may apply; the name `*` means each that has no cap of its own."""

    scope: CapScope
    name: str
    most_a_day: int | None
    cool_down_seconds: int | None
    version: Version


class CapList(BaseModel):
    """Caps by scope and name."""

    caps: list[CapShape]
