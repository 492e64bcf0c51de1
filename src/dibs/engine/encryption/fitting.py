"""Putting encryption between a store and whoever uses it."""

from typing import cast

from msgspec.structs import replace

from dibs.engine.encryption.jobs import Careful, EncryptedJobs
from dibs.engine.encryption.payloads import Payloads
from dibs.engine.encryption.reading import DecryptingReader, EncryptedSchedules
from dibs.engine.encryption.renewing import Renewal
from dibs.engine.schedules.keeping import Schedules
from dibs.engine.store.protocols import JobReader, JobStore, Parts
from dibs.kit.encryption.encrypted import Cipher


def put_cipher(parts: Parts, cipher: Cipher, *, is_on: bool) -> Parts:
    """Let payloads be encrypted on their way in and decrypted on their way out.

    Without a key nothing is encrypted, but what others have encrypted is still recognised, and never given to handlers.
    """
    payloads = Payloads(cipher)
    jobs = EncryptedJobs(parts.jobs, parts.reader, payloads) if is_on else Careful(parts.jobs, payloads)
    return replace(
        parts,
        jobs=cast("JobStore", jobs),
        reader=cast("JobReader", DecryptingReader(parts.reader, payloads)),
        schedules=cast("Schedules", EncryptedSchedules(parts.schedules, payloads)),
        renewal=Renewal(parts, payloads),
    )
