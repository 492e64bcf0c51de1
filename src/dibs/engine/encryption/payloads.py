"""What of a job is encrypted where it is kept: its input, output and progress, and what its errors say."""

from typing import Any

import msgspec
from msgspec.structs import replace

from dibs.engine.failure import ErrorInfo
from dibs.engine.job import Job
from dibs.engine.schedules.schedule import Schedule
from dibs.errors import Undecipherable
from dibs.kit.codec import NULL, Json, decode_json
from dibs.kit.encryption.encrypted import Cipher, is_encrypted, is_ours, spare, spare_json, unspare

INPUT, OUTPUT, PROGRESS, ERROR = "input", "output", "progress", "error"
_encode = msgspec.json.Encoder().encode


class Unreadable(dict[str, str]):
    """Stands where something is encrypted that cannot be read, and says what to do about it. Nothing stores it."""

    def __init__(self, fault: Undecipherable) -> None:
        super().__init__(unreadable=str(fault))


class UnreadableError(ErrorInfo, frozen=True):
    """Stands for an error whose words are encrypted and cannot be read; its message says what to do about it."""


class Payloads:
    """Encrypts and decrypts with the keys of each tenant. A tenant without a key keeps its payloads plain."""

    def __init__(self, cipher: Cipher) -> None:
        self.cipher = cipher

    def close_input(self, job: Job, encoded: Json) -> Json:
        """Encrypt what a job is given."""
        return self._close(encoded, job.tenant, *_place_of_input(job))

    def close_result(self, encoded: Json, tenant: str, job_id: str, field: str) -> Json:
        """Encrypt what a job makes: its output, or its progress."""
        return self._close(encoded, tenant, *_place(job_id, field))

    def _close(self, encoded: Json, tenant: str, *place: str) -> Json:
        if encoded == NULL or not self.cipher.has_key(tenant):
            return Json(spare_json(encoded))
        return Json(b'"' + self.cipher.encrypt(encoded, tenant, *place).encode() + b'"')

    def close_error(self, error: ErrorInfo, tenant: str, job_id: str) -> ErrorInfo:
        """Encrypt what an error says; of which class it is stays in sight, as it does in the audit log."""
        said = (error.message, error.traceback)
        if not any(said) or not self.cipher.has_key(tenant):
            return spare_error(error)
        text = self.cipher.encrypt(_encode(said), tenant, *_place(job_id, ERROR))
        return ErrorInfo(type=error.type, message=text)

    def open_job(self, job: Job) -> Job:
        """Decrypt a job. What cannot be read is replaced by a word about why."""
        facts: dict[str, Any] = {}
        if is_ours(job.input):
            facts[INPUT] = self._open(job.input, job.tenant, *_place_of_input(job))
        for field, value in ((OUTPUT, job.output), (PROGRESS, job.progress)):
            if is_ours(value):
                facts[field] = self._open(value, job.tenant, *_place(job.id, field))
        if job.error is not None and is_ours(job.error.message):
            facts[ERROR] = self.open_error(job.error, job.tenant, job.id)
        return replace(job, **facts) if facts else job

    def open_error(self, error: ErrorInfo, tenant: str, job_id: str) -> ErrorInfo:
        """Decrypt what an error says."""
        if not is_encrypted(error.message):
            return replace(error, message=unspare(error.message))
        said = self._open_or_tell(error.message, tenant, *_place(job_id, ERROR))
        if isinstance(said, Unreadable):
            return UnreadableError(type=error.type, message=said["unreadable"], traceback=error.traceback)
        return replace(error, message=said[0], traceback=said[1])

    def find_error(self, error: ErrorInfo, tenant: str, job_id: str) -> ErrorInfo | None:
        """Decrypt what an error says; None if that cannot be read."""
        said = self._open_or_tell(error.message, tenant, *_place(job_id, ERROR)) if is_encrypted(error.message) else ()
        return None if isinstance(said, Unreadable) else self.open_error(error, tenant, job_id)

    def _open(self, text: str, tenant: str, *place: str) -> Any:
        return self._open_or_tell(text, tenant, *place) if is_encrypted(text) else unspare(text)

    def _open_or_tell(self, text: str, tenant: str, *place: str) -> Any:
        try:
            return decode_json(self.cipher.decrypt(text, tenant, *place))
        except Undecipherable as fault:
            return Unreadable(fault)

    def close_schedule(self, schedule: Schedule) -> Schedule:
        """Encrypt what a schedule's jobs are given: the same to the same, for the log tells whether it was changed."""
        if isinstance(schedule.input, Unreadable):
            raise Undecipherable(schedule.input["unreadable"])
        if not self.cipher.has_key(schedule.tenant):
            is_text = isinstance(schedule.input, str)
            return replace(schedule, input=spare(schedule.input)) if is_text else schedule
        place = _place_of_schedule(schedule)
        text = self.cipher.encrypt_steadily(_encode(schedule.input), schedule.tenant, *place)
        return replace(schedule, input=text)

    def open_schedule(self, schedule: Schedule) -> Schedule:
        """Decrypt what a schedule's jobs are given."""
        if not is_ours(schedule.input):
            return schedule
        return replace(schedule, input=self._open(schedule.input, schedule.tenant, *_place_of_schedule(schedule)))


def spare_error(error: ErrorInfo) -> ErrorInfo:
    """Keep what an error says plain, and let nobody take it for something encrypted."""
    return replace(error, message=spare(error.message)) if is_ours(error.message) else error


def _place(job_id: str, field: str) -> tuple[str, ...]:
    return ("job", job_id, field)


def _place_of_input(job: Job) -> tuple[str, ...]:
    # A job that comes later under the same unique key may put its own input into the place of this one.
    if job.unique_key is not None:
        return ("unique", job.job_type, job.unique_key, INPUT)
    return _place(job.id, INPUT)


def _place_of_schedule(schedule: Schedule) -> tuple[str, ...]:
    return ("schedule", schedule.name, INPUT)
