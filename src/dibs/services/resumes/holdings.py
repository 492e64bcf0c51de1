"""Documents: files in a folder, which only jobs lead to."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dibs.engine.encryption.payloads import Unreadable
from dibs.engine.job import Job
from dibs.engine.personal.holding import Erased, Held
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.personal.jobs import find_jobs, walk_jobs
from dibs.engine.store.moves import OperatorAct
from dibs.errors import Undecipherable
from dibs.kit.encryption.encrypted import make_cipher
from dibs.kit.encryption.renewed import Tally
from dibs.services.resumes.documents import FolderDocuments, is_key
from dibs.services.resumes.settings import ResumeSettings
from dibs.settings import ENCRYPTION_KEYS

_TYPES = ("RESUME_PARSE", "RESUME_SCAN")


def make_holding(*, app: Any) -> "DocumentsHolding":
    """Give the documents of an installation."""
    cipher = make_cipher(app.settings.encryption_keys, ENCRYPTION_KEYS)
    return DocumentsHolding(
        app, FolderDocuments(Path(ResumeSettings.from_env(data=app.settings.data).folder), cipher=cipher)
    )


class DocumentsHolding:
    """Documents that jobs about a person open, and those whose key is given as a reference."""

    name = "documents"

    def __init__(self, app: Any, documents: FolderDocuments) -> None:
        self._app = app
        self._documents = documents

    async def trace(self, inquiry: Inquiry) -> Iterable[str]:
        """Give the keys of documents: other jobs may have opened them as well."""
        jobs = await find_jobs(await self._app.backend(), inquiry)
        keys = {key for job in jobs if (key := _find_key(job)) is not None}
        self._documents.check_folder(wanted=len(keys))
        return keys

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the files."""
        keys, documents = await self._list_keys(inquiry), self._documents.of(inquiry.tenant)
        return [Held(kind="document", id=key, content=await documents.get(key)) for key in keys]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Delete the files, unless another tenant has handed in the very same one."""
        keys, documents = await self._list_keys(inquiry), self._documents.of(inquiry.tenant)
        asked = [key for key in keys if await asyncio.to_thread(documents.has_plain, key)]
        shared = await self._find_shared(inquiry.tenant, asked) if asked else set()
        for key in keys:
            await documents.forget(key, is_shared=key in shared)
        kept = tuple(f"the document {key}: another tenant has the same one" for key in sorted(shared))
        return Erased(count=len(set(keys) - shared), kept=kept)

    async def _list_keys(self, inquiry: Inquiry) -> list[str]:
        keys = [reference for reference in inquiry.references if is_key(reference)]
        documents = self._documents.of(inquiry.tenant)
        return [key for key in keys if await asyncio.to_thread(documents.has, key)]

    async def renew(self, *, tenant: str | None = None, is_dry: bool = False) -> Tally:
        """Write files anew that the first key has not written, and plain ones of those who have a key by now."""
        plain = await asyncio.to_thread(self._documents.list_plain)
        tally = await asyncio.to_thread(self._renew, tenant, is_dry=is_dry)
        owners = await self._find_owners(plain) if plain else {}
        for key in plain:
            await asyncio.to_thread(self._renew_plain, key, owners.get(key, set()), tenant, tally, is_dry=is_dry)
        return tally

    async def _find_owners(self, keys: list[str]) -> dict[str, set[str]]:
        """Tell whose files these are: those whose jobs name them. The rest nobody can tell."""
        owners: dict[str, set[str]] = {key: set() for key in keys}
        async for job in walk_jobs(await self._app.backend(), None):
            key = _find_key(job)
            if key in owners:
                owners[key].add(job.tenant)
            elif isinstance(job.input, Unreadable) and job.job_type in _TYPES:
                # It may name any of them.
                return {}
        return owners

    def _renew_plain(self, key: str, owners: set[str], wanted: str | None, tally: Tally, *, is_dry: bool) -> None:
        places = {tenant: self._documents.of(tenant) for tenant in owners}
        if not owners:
            tally.ownerless += wanted is None
            return
        for tenant in owners if wanted is None else owners & {wanted}:
            is_closed = places[tenant].has_cipher()
            tally.renewed += is_closed
            tally.current += not is_closed
            if is_closed and not is_dry:
                places[tenant].close_plain(key)
        if not is_dry and all(place.has_cipher() and place.has_own(key) for place in places.values()):
            self._documents.drop_plain(key)

    def _renew(self, wanted: str | None, *, is_dry: bool) -> Tally:
        tally = Tally()
        for tenant, documents, key in self._documents.list_encrypted():
            if wanted in (None, tenant):
                self._renew_one(documents, key, tally, is_dry=is_dry)
        return tally

    def _renew_one(self, documents: FolderDocuments, key: str, tally: Tally, *, is_dry: bool) -> None:
        if documents.is_current(key):
            tally.current += 1
            return
        try:
            documents.put_again(key, is_dry=is_dry)
        except Undecipherable:
            tally.refuse(f"document {key}")
        else:
            tally.renewed += 1

    async def _find_shared(self, tenant: str, keys: list[str]) -> set[str]:
        jobs = walk_jobs(await self._app.backend(), None)
        return {key async for job in jobs if job.tenant != tenant and (key := _find_key(job)) in keys and key}


def _find_key(job: Job) -> str | None:
    key = job.input.get("document") if job.job_type in _TYPES and isinstance(job.input, dict) else None
    return key if isinstance(key, str) and is_key(key) else None
