"""Documents: files in a folder, which only jobs lead to."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dibs.engine.job import Job
from dibs.engine.personal.holding import Erased, Held
from dibs.engine.personal.inquiry import Inquiry
from dibs.engine.personal.jobs import find_jobs, walk_jobs
from dibs.engine.store.moves import OperatorAct
from dibs.services.resumes.documents import FolderDocuments, is_key
from dibs.services.resumes.settings import ResumeSettings

_TYPES = ("RESUME_PARSE", "RESUME_SCAN")


def make_holding(*, app: Any) -> "DocumentsHolding":
    """Give the documents of an installation."""
    return DocumentsHolding(app, FolderDocuments(Path(ResumeSettings.from_env().folder)))


class DocumentsHolding:
    """Documents that jobs about a person open, and those whose key is given as a reference."""

    name = "documents"

    def __init__(self, app: Any, documents: FolderDocuments) -> None:
        self._app = app
        self._documents = documents

    async def trace(self, inquiry: Inquiry) -> Iterable[str]:
        """Give the keys of documents: other jobs may have opened them as well."""
        jobs = await find_jobs(await self._app.backend(), inquiry)
        return {key for job in jobs if (key := _find_key(job)) is not None}

    async def find(self, inquiry: Inquiry) -> list[Held]:
        """Give the files."""
        keys = await self._list_keys(inquiry)
        return [Held(kind="document", id=key, content=await self._documents.get(key)) for key in keys]

    async def erase(self, inquiry: Inquiry, act: OperatorAct) -> Erased:  # noqa: ARG002 - the audit log has it as one act
        """Delete the files, unless another tenant has handed in the very same one."""
        keys = await self._list_keys(inquiry)
        shared = await self._find_shared(inquiry.tenant, keys) if keys else set()
        for key in set(keys) - shared:
            await self._documents.forget(key)
        kept = tuple(f"the document {key}: another tenant has the same one" for key in sorted(shared))
        return Erased(count=len(set(keys) - shared), kept=kept)

    async def _list_keys(self, inquiry: Inquiry) -> list[str]:
        keys = [reference for reference in inquiry.references if is_key(reference)]
        return [key for key in keys if await asyncio.to_thread(self._documents.has, key)]

    async def _find_shared(self, tenant: str, keys: list[str]) -> set[str]:
        jobs = walk_jobs(await self._app.backend(), None)
        return {key async for job in jobs if job.tenant != tenant and (key := _find_key(job)) in keys and key}


def _find_key(job: Job) -> str | None:
    key = job.input.get("document") if job.job_type in _TYPES and isinstance(job.input, dict) else None
    return key if isinstance(key, str) and is_key(key) else None
