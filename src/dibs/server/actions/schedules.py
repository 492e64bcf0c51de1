"""Schedules, for a caller who may see some of them."""

from dibs.engine.schedules.declaring import check_input, take_settings
from dibs.engine.schedules.schedule import Schedule
from dibs.errors import RequestRefused
from dibs.server.call import Call
from dibs.server.shapes.schedules import ScheduleBody


async def get_schedule(call: Call, name: str, tenant: str) -> Schedule:
    """Read a schedule."""
    return await call.backend.schedules.get(name, tenant=tenant)


async def put_schedule(call: Call, schedule: Schedule, reason: str, version: int | None) -> tuple[Schedule, bool]:
    """Create a schedule, or change the one that has this version; tells whether it is new."""
    found = await call.backend.schedules.find(schedule.name, tenant=schedule.tenant)
    if version is not None:
        return await call.backend.schedules.change(schedule, version=version, actor=call.actor, reason=reason), False
    if found is not None:
        message = (
            f"schedule {schedule.name!r} exists. Say which version you change: If-Match with the ETag of reading it."
        )
        raise RequestRefused(message, code="version_needed", field="If-Match")
    return await call.backend.schedules.create(schedule, actor=call.actor, reason=reason), True


def make_schedule(call: Call, body: ScheduleBody, name: str, tenant: str) -> Schedule:
    """Make the record, its input checked by the task if the app knows it."""
    task = call.engine.tasks.get(body.job_type)
    if task is None:
        return body.make_schedule(name, tenant, {})
    check_input(body.make_schedule(name, tenant, {}), task)
    return body.make_schedule(name, tenant, take_settings(task, body.input))
