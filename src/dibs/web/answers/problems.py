"""Errors as answers (RFC 9457, application/problem+json): the one table from error classes to statuses."""

import math
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any

import msgspec
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from dibs import errors
from dibs.kit.clock import utc_now
from dibs.kit.log import get_logger, trace_of

log = get_logger("dibs.web")
MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:dibs:problem:"

# The nearest class of an error decides. The code is part of the contract: programs go by it.
PROBLEMS: dict[type[BaseException], tuple[int, str]] = {
    Exception: (500, "fault"),
    errors.DibsError: (500, "fault"),
    errors.BadInput: (422, "bad_input"),
    errors.NotJson: (422, "not_json"),
    errors.PayloadTooLarge: (413, "payload_too_large"),
    errors.NotSupported: (422, "not_supported"),
    errors.JobNotFound: (404, "job_not_found"),
    errors.SourceNotFound: (404, "source_not_found"),
    errors.ScheduleNotFound: (404, "schedule_not_found"),
    errors.JobConflict: (409, "job_conflict"),
    errors.DuplicateJob: (409, "duplicate_job"),
    errors.UniqueKeyTaken: (409, "unique_key_taken"),
    errors.ScheduleConflict: (409, "schedule_conflict"),
    errors.VersionMoved: (412, "version_moved"),
    errors.RecordMoved: (412, "version_moved"),
    errors.PostingMalformed: (400, "posting_malformed"),
    errors.BoardNotFound: (404, "board_not_found"),
    errors.AnswerNotFound: (404, "answer_not_found"),
    errors.ProfileNotFound: (404, "profile_not_found"),
    errors.PostingNotFound: (404, "posting_not_found"),
    errors.RunNotFound: (404, "run_not_found"),
    errors.PostingConflict: (409, "posting_conflict"),
    errors.PostingUnfit: (400, "posting_unfit"),
    errors.ResumeNotFound: (404, "resume_not_found"),
    errors.ResumeMoved: (412, "resume_moved"),
    errors.WebhookNotFound: (404, "webhook_not_found"),
    errors.LeaseLost: (409, "lease_lost"),
    errors.Undecipherable: (503, "undecipherable"),
    errors.StoreError: (503, "store_unavailable"),
    errors.OutcomeUnknown: (503, "outcome_unknown"),
    errors.TenantNotFound: (404, "tenant_not_found"),
    errors.KeyNotFound: (404, "key_not_found"),
    errors.UserNotFound: (404, "user_not_found"),
    errors.NameTaken: (409, "name_taken"),
    errors.AccessError: (403, "forbidden"),
    errors.SignInRefused: (401, "sign_in_refused"),
    errors.TooManySignIns: (429, "too_many_sign_ins"),
    RequestValidationError: (422, "invalid"),
}

# What the entrance itself refuses, by the code that a RequestRefused carries.
REFUSALS: dict[str, int] = {
    "refused": 400,
    "not_authenticated": 401,
    "scope_missing": 403,
    "other_tenant": 403,
    "installation_only": 403,
    "cross_site": 403,
    "not_at_home": 403,
    "queue_not_found": 404,
    "setup_closed": 404,
    "worker_not_found": 404,
    "budget_not_found": 404,
    "slow_request": 408,
    "idempotency_key_reused": 409,
    "idempotency_key_in_use": 409,
    "body_too_large": 413,
    "body_too_deep": 400,
    "body_not_json": 400,
    "body_not_form": 400,
    "body_cut_off": 400,
    "bad_cursor": 422,
    "bad_field": 422,
    "bad_header": 422,
    "repeated_parameter": 422,
    "unknown_parameter": 422,
    "version_needed": 428,
    "too_many_requests": 429,
    "too_many_bodies": 503,
    "too_many_headers": 431,
    "too_many_streams": 503,
}

# What the framework itself refuses before a route is reached.
ROUTING: dict[int, tuple[str, str]] = {
    400: ("body_not_json", "the body is not JSON in UTF-8. Correct it and send it again; nothing was changed."),
    404: ("no_such_path", "nothing is at this path. /api/v1/openapi.json lists what there is."),
    405: ("method_not_allowed", "this path has no such method. The header Allow lists those that it has."),
}

# Headers that say to try again, where waiting helps.
RETRY_LATER = 2


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One error as the caller sees it. The detail says what went wrong, with which value, and what to do next."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    field: str | None = None
    rule: str | None = None
    holder: str | None = None
    retry_at: datetime | None = None
    faults: tuple[str, ...] = ()


# What an error may know besides its message, and tells under the same names.
_TOLD = ("field", "rule", "holder", "retry_at", "faults")


def make_problem(error: BaseException) -> Problem:
    """Describe an error; what nobody foresaw is logged, and tells nothing of the inside."""
    if isinstance(error, errors.RequestRefused):
        return _problem(REFUSALS[error.code], error.code, str(error), error.field)
    if isinstance(error, HTTPException):
        code, said = ROUTING.get(error.status_code, ("refused", str(error.detail)))
        return _problem(error.status_code, code, said)
    status, code = next(PROBLEMS[kind] for kind in type(error).__mro__ if kind in PROBLEMS)
    if isinstance(error, RequestValidationError):
        field, said = _first_fault(error)
        return _problem(status, code, said, field)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _hide(error, status, code)
    told = {name: value for name in _TOLD if (value := getattr(error, name, None))}
    return msgspec.structs.replace(_problem(status, code, str(error)), **told)


def render_problem(error: BaseException) -> Response:
    """Answer with an error."""
    problem = make_problem(error)
    headers: dict[str, str] = dict(getattr(error, "headers", None) or {})
    retry_after: timedelta | int | None = getattr(error, "retry_after", None)
    if retry_after is None and problem.retry_at is not None:
        retry_after = problem.retry_at - utc_now()
    if isinstance(retry_after, timedelta):
        retry_after = max(1, math.ceil(retry_after.total_seconds()))
    if retry_after is None and problem.status == HTTPStatus.SERVICE_UNAVAILABLE:
        retry_after = RETRY_LATER
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    if problem.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="dibs"'
    return Response(msgspec.json.encode(problem), problem.status, headers, MEDIA_TYPE)


def _problem(status: int, code: str, detail: str, field: str | None = None) -> Problem:
    title = HTTPStatus(status).phrase
    return Problem(type=TYPE_PREFIX + code, title=title, status=status, code=code, detail=detail, field=field)


def _hide(error: BaseException, status: int, code: str) -> Problem:
    # A message may hold what a handler or a driver said; callers get a sentence of ours, operators the log.
    log.error("web.request.failed", **trace_of(error))
    advice = {
        "store_unavailable": "the store of jobs did not do its part; nothing was written. Try again in a moment.",
        "outcome_unknown": "the store broke off while it wrote. Look whether it happened, or send the same"
        " Idempotency-Key again.",
    }
    return _problem(status, code, advice.get(code, "this is a fault of the server, which has logged it. Report it."))


def _first_fault(error: RequestValidationError) -> tuple[str | None, str]:
    fault: dict[str, Any] = dict(error.errors()[0])
    place = [str(part) for part in fault["loc"]]
    # What cannot be read at all has no fields; the parser tells an offset in the place of one.
    where = None if fault["type"] == "json_invalid" else ".".join(place[1:]) or None
    if isinstance(error.body, bytes) and place == ["body"]:
        return None, "the body was not sent as JSON. Send it with the header Content-Type: application/json."
    shown = f"{place[0]} {where}" if where else place[0]
    return where, f"{shown}: {fault['msg']}. Correct it and send it again; nothing was changed."
