"""The seed's own words on the wire, read with all their faults at once, and written. Pure."""

from typing import Any

from dibs.apps.postings.claims.artifacts import MOST_FAULTS
from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport, check_claim, check_report
from dibs.apps.postings.claims.runs import ACTIVE, LEASE, RunState
from dibs.apps.postings.model import show_posting as show_content
from dibs.apps.postings.records import Run, Tracked
from dibs.errors import PostingMalformed

ACTION = "run"
_CLAIM = {"action", "run_id", "job_id", "board", "variant_id", "artifacts"}
_SAID = (
    "title",
    "company",
    "locations",
    "remote",
    "department",
    "employment_type",
    "pay",
    "posted_at",
    "updated_at",
    "apply_url",
)
_KEPT = ("id", "reason", "role", "first_seen_at", "last_seen_at", "is_held", "holder", "expires_at", "applied_run")
_REPORT = {"run_id", "status", "artifacts", "error"}


def read_claim(body: Any) -> ClaimRequest:
    """Read the body of a claim: `{action: "run", run_id, job_id, board, variant_id, artifacts}`."""
    given, faults = _read_object(body, _CLAIM)
    if given.get("action") != ACTION:
        faults.append(f'action {given.get("action")!r}: use "{ACTION}"')
    if isinstance(given.get("job_id"), int) and not isinstance(given.get("job_id"), bool):
        # Ids of some boards are numbers, and agents send them as they found them.
        given["job_id"] = str(given["job_id"])
    faults += [f"{name} is missing" for name in ("run_id", "job_id", "board") if given.get(name) is None]
    faults += _find_other_kinds(given, ("run_id", "job_id", "board", "variant_id"))
    request = ClaimRequest(
        run_id=_text(given, "run_id"),
        job_id=_text(given, "job_id"),
        board=_text(given, "board"),
        variant_id=_text(given, "variant_id", missing=""),
        artifacts=_artifacts(given),
    )
    _refuse(faults, request, check_claim)
    return request


def read_report(body: Any) -> ProgressReport:
    """Read the body of a report: `{run_id, status, artifacts, error}`."""
    given, faults = _read_object(body, _REPORT)
    faults += ["run_id is missing"] if given.get("run_id") is None else []
    faults += _find_other_kinds(given, ("run_id", "status", "error"))
    status = given.get("status")
    if isinstance(status, str) and status not in list(RunState):
        faults.append(f"status {status[:40]!r}: use {', '.join(RunState)}")
    report = ProgressReport(
        run_id=_text(given, "run_id"),
        status=RunState(status) if isinstance(status, str) and status in list(RunState) else None,
        artifacts=_artifacts(given),
        error=given["error"] if isinstance(given.get("error"), str) else None,
    )
    _refuse(faults, report, check_report)
    return report


def show_run(run: Run, tracked: Tracked) -> dict[str, Any]:
    """Write a run with the names that agents know."""
    return {
        "run_id": run.run_id,
        "job_id": tracked.external_id,
        "board": tracked.board,
        "variant_id": run.variant_id,
        "status": run.state.value,
        "artifacts": run.artifacts,
        "error": run.error,
        "version": run.version,
        "warnings": run.akin,
        "breach": run.breach,
        "lease_seconds": _find_lease(run, tracked),
        "approved_at": run.approved_at,
        "created_at": run.created_at,
        "updated_at": run.updated_at,
        "ended_at": run.ended_at,
    }


def _find_lease(run: Run, tracked: Tracked) -> int | None:
    """Tell how long a run has its posting from each answer on; None: it is over, unknown, or another has it.

    A span and no instant: it is the same when the same is asked again, and asks nothing of the agent's clock.
    """
    return int(LEASE.total_seconds()) if tracked.holder == run.run_id and run.state in ACTIVE else None


def show_posting(tracked: Tracked) -> dict[str, Any]:
    """Write a posting with the names that agents know; its text is left to who asks for the one."""
    shown = {"job_id": tracked.external_id, "board": tracked.board, "status": tracked.state.value}
    said = show_content(tracked.posting)
    shown |= {name: said[name] for name in _SAID}
    return shown | {name: getattr(tracked, name) for name in _KEPT}


def _read_object(body: Any, known: set[str]) -> tuple[dict[str, Any], list[str]]:
    if not isinstance(body, dict):
        raise PostingMalformed(["the body is no object"])
    return dict(body), [f"{name[:40]!r} is no field" for name in sorted(body.keys() - known)[:MOST_FAULTS]]


def _find_other_kinds(given: dict[str, Any], names: tuple[str, ...]) -> list[str]:
    return [f"{name} is no text" for name in names if given.get(name) is not None and not isinstance(given[name], str)]


def _text(given: dict[str, Any], name: str, *, missing: str = "?") -> str:
    """Give a text; another value where there is none, because that fault is told already."""
    value = given.get(name)
    return value if isinstance(value, str) else missing


def _artifacts(given: dict[str, Any]) -> Any:
    return given.get("artifacts", {})


def _refuse(faults: list[str], asked: Any, check: Any) -> None:
    """Refuse with the faults of the form, and with those of what it says."""
    try:
        check(asked)
    except PostingMalformed as error:
        faults.extend(error.faults)
    if faults:
        raise PostingMalformed(faults)
