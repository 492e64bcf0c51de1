"""Claims, the writes of holders, and what operators do."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from typing import cast

from msgspec.structs import replace

from dibs.engine.failure import MESSAGE_LIMIT, TRACEBACK_LIMIT, ErrorInfo, FailureKind
from dibs.engine.job import AttemptOutcome, Lease
from dibs.engine.states import FINAL
from dibs.engine.store.checks.values import (
    LARGEST_NUMBER,
    LONGEST_REASON,
    are_names,
    are_whole_numbers,
    check_batch,
    check_limit,
    check_name,
    check_names,
    check_optional_name,
    check_span,
    check_whole_number,
    fit_reason,
    is_name,
    shown,
)
from dibs.engine.store.moves import ClaimRequest, Completion, Deferral, Drop, Failure, OperatorAct, PruneRequest
from dibs.errors import BadInput
from dibs.kit.codec import NULL
from dibs.kit.text import printable

SHORTEST_LEASE = timedelta(milliseconds=1)
MOST_WORKER_DEATHS = 1_000_000
_HANDED_BACK = (AttemptOutcome.SNOOZED, AttemptOutcome.RELEASED)


def check_claim(request: ClaimRequest) -> None:
    """A claim names its worker and asks for something."""
    check_limit(request.limit)
    check_name(request.worker, "worker")
    check_span(request.lease, "lease", least=SHORTEST_LEASE)
    check_names(request.queues, "queues")
    check_names(request.job_types, "job_types")
    check_optional_name(request.tenant, "tenant")


def check_leases(leases: Sequence[Lease]) -> None:
    """Refuse leases that never were, and the same one twice."""
    check_batch(leases)
    job_ids = [lease.job_id for lease in leases]
    if not are_names(job_ids) or not _are_tokens([lease.token for lease in leases]):
        odd = next(lease for lease in leases if not (is_name(lease.job_id) and _are_tokens([lease.token])))
        message = f"{shown(odd)} is not a lease. Use the one that a claimed job carries."
        raise BadInput(message)
    # Names are hashed once for ever, leases each time.
    if len(set(job_ids)) < len(leases) and len(set(leases)) < len(leases):
        lease, times = Counter(leases).most_common(1)[0]
        message = f"{lease} stands {times} times in one batch. Send each lease once."
        raise BadInput(message)


def _are_tokens(tokens: list[int]) -> bool:
    return are_whole_numbers(tokens, 0, LARGEST_NUMBER)


def check_completions(completions: Sequence[Completion]) -> None:
    """Refuse outputs that did not go through `Backend.completion`."""
    check_leases([completion.lease for completion in completions])
    for completion in completions:
        if not completion.is_checked and completion.output is not NULL:
            message = f"output {shown(completion.output)} was not checked. Make completions with backend.completion()."
            raise BadInput(message)
        if completion.cost_microcents or type(completion.cost_microcents) is not int:
            _check_cost(completion.cost_microcents)


def fit_failures(failures: Sequence[Failure]) -> list[Failure]:
    """Refuse what no store can record; clean the error's texts."""
    check_leases([failure.lease for failure in failures])
    return [_fit_failure(failure) for failure in failures]


def _fit_failure(failure: Failure) -> Failure:
    check_span(failure.retry_in, "retry_in")
    check_whole_number(failure.max_worker_deaths, "max_worker_deaths", 1, MOST_WORKER_DEATHS)
    _check_cost(failure.cost_microcents)
    try:
        kind = FailureKind(failure.kind)
    except ValueError as cause:
        message = f"{cause}. Use one of {', '.join(FailureKind)}."
        raise BadInput(message) from cause
    return replace(failure, kind=kind, error=_fit_error(failure.error))


def _fit_error(error: ErrorInfo) -> ErrorInfo:
    if not isinstance(cast("object", error), ErrorInfo):
        message = f"error {shown(error)} is not an ErrorInfo. Make one: ErrorInfo(type=…, message=…)."
        raise BadInput(message)
    return ErrorInfo(
        type=printable(str(error.type), MESSAGE_LIMIT),
        message=printable(str(error.message), MESSAGE_LIMIT),
        traceback=printable(str(error.traceback), TRACEBACK_LIMIT),
    )


def check_deferrals(deferrals: Sequence[Deferral]) -> None:
    """Refuse a delay that makes no sense."""
    check_leases([deferral.lease for deferral in deferrals])
    for deferral in deferrals:
        check_span(deferral.delay, "delay")
        _check_cost(deferral.cost_microcents)
        if deferral.outcome not in _HANDED_BACK:
            message = f"outcome {shown(deferral.outcome)}: a job that is given back was snoozed or released."
            raise BadInput(message)


def fit_drops(drops: Sequence[Drop]) -> list[Drop]:
    """Clean the reasons."""
    check_leases([drop.lease for drop in drops])
    for drop in drops:
        _check_cost(drop.cost_microcents)
    return [replace(drop, reason=printable(str(drop.reason), LONGEST_REASON)) for drop in drops]


def _check_cost(microcents: object) -> None:
    check_whole_number(microcents, "cost_microcents", 0, LARGEST_NUMBER)


def check_ids(job_ids: Sequence[str]) -> None:
    """Refuse ids that never were, and the same one twice."""
    check_batch(job_ids)
    check_names(job_ids, "id")
    if len(set(job_ids)) < len(job_ids):
        job_id, times = Counter(job_ids).most_common(1)[0]
        message = f"job id {job_id!r} stands {times} times in one batch. Send each id once."
        raise BadInput(message)


def fit_act(act: OperatorAct) -> OperatorAct:
    """An operator has a name and a reason."""
    check_name(act.actor, "actor")
    return OperatorAct(actor=act.actor, reason=fit_reason(act.reason))


def fit_prune(request: PruneRequest) -> PruneRequest:
    """Only finished jobs can be forgotten."""
    check_limit(request.limit)
    check_span(request.older_than, "older_than")
    check_names(request.job_types, "job_types")
    check_optional_name(request.tenant, "tenant")
    if not request.states <= FINAL:
        odd = ", ".join(sorted(str(state) for state in request.states - FINAL))
        message = f"cannot prune {odd} jobs: only finished ones. Cancel them first."
        raise BadInput(message)
    return request if request.act is None else replace(request, act=fit_act(request.act))
