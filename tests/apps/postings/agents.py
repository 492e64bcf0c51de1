"""What agents and people do in tests."""

from datetime import timedelta

from dibs.apps.postings.claims.claiming import claim_posting
from dibs.apps.postings.claims.reporting import record_progress
from dibs.apps.postings.claims.requests import ClaimRequest, ProgressReport
from dibs.apps.postings.claims.runs import RunState
from dibs.apps.postings.office import lock_name
from tests.apps.postings.conftest import TENANT

JOB = "12345"


async def claim(office, run_id="run-1", job_id=JOB, board="ramp", **more):
    return await claim_posting(office, TENANT, ClaimRequest(run_id=run_id, job_id=job_id, board=board, **more))


async def report(office, run_id="run-1", status=None, **more):
    wanted = None if status is None else RunState(status)
    return await record_progress(office, TENANT, ProgressReport(run_id=run_id, status=wanted, **more))


async def lapse(office, clock, locks, run_id="run-1", job_id=JOB, board="ramp"):
    """Let the claim lapse: in the tables by moving their clock, on Redis by forgetting the lock, as its end would."""
    clock.advance(timedelta(seconds=301))
    if locks is not None:
        found = await locks.find(lock_name(TENANT, board, job_id))
        if found is not None:
            await locks.release(found)
