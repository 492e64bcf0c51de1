"""What agents ask for, checked: all faults at once."""

import re
from datetime import datetime
from hashlib import sha256
from typing import Any

from msgspec import Struct

from dibs.apps.postings.claims.artifacts import LARGEST, check_artifacts, check_size
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.records import Kin, Run, Tracked
from dibs.errors import PostingMalformed
from dibs.kit.codec import encode_json

LONGEST_ID = 200
LONGEST_ERROR = 2_000
# Neither signs that control something, nor half a character: what no store can keep would hurt all who share a look.
_ODD = r"\x00-\x1f\x7f\ud800-\udfff"
_ID = re.compile(rf"[^\s{_ODD}](?:[^{_ODD}]*[^\s{_ODD}])?")


class ClaimRequest(Struct, frozen=True, kw_only=True):
    """A run that an agent wants to begin."""

    run_id: str
    job_id: str
    board: str
    variant_id: str = ""
    artifacts: dict[str, Any] = {}

    @property
    def digest(self) -> str:
        """The hash of what was asked, by which the same request is known again."""
        asked = [self.job_id, self.board, self.variant_id, _sorted(self.artifacts)]
        return sha256(encode_json(asked, limit=2 * LARGEST, what="the claim")).hexdigest()

    def begin(self, posting: Tracked, now: datetime, akin: tuple[Kin, ...]) -> Run:
        """Make the run that claims a posting, under the posting's next token."""
        return Run(
            run_id=self.run_id,
            posting_id=posting.id,
            variant_id=self.variant_id,
            state=RunState.PENDING,
            artifacts=self.artifacts,
            token=posting.token + 1,
            version=1,
            request_digest=self.digest,
            created_at=now,
            updated_at=now,
            akin=akin,
        )


class ProgressReport(Struct, frozen=True, kw_only=True):
    """What an agent says about its run. Without a status it only adds artifacts and renews its claim."""

    run_id: str
    status: RunState | None = None
    artifacts: dict[str, Any] = {}
    error: str | None = None


def check_claim(request: ClaimRequest) -> None:
    """Refuse a claim that is not one."""
    named = (("run_id", request.run_id), ("job_id", request.job_id), ("board", request.board))
    faults = [f"{name} {value[:40]!r} is no id" for name, value in named if not _is_id(value)]
    if request.variant_id and not _is_id(request.variant_id):
        faults.append(f"variant_id {request.variant_id[:40]!r} is no id")
    _refuse(faults + (check_artifacts(request.artifacts) or check_size(request.artifacts)))


def check_report(report: ProgressReport) -> None:
    """Refuse a report that is not one."""
    faults = [] if _is_id(report.run_id) else [f"run_id {report.run_id[:40]!r} is no id"]
    if report.error is not None and (len(report.error) > LONGEST_ERROR or "\x00" in report.error):
        faults.append(f"error is longer than {LONGEST_ERROR} characters, or holds a NUL")
    _refuse(faults + check_artifacts(report.artifacts))


def _refuse(faults: list[str]) -> None:
    if faults:
        raise PostingMalformed(faults)


def _is_id(value: str) -> bool:
    return 0 < len(value) <= LONGEST_ID and _ID.fullmatch(value) is not None


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(inner) for inner in value] if isinstance(value, list) else value
