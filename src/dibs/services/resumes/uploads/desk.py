"""What resumes are worked on with: their tables, the folder of their files, the parser, and the jobs that go on."""

import asyncio
import os
from datetime import timedelta
from hashlib import sha256
from pathlib import Path

from dibs.access.directory import Directory
from dibs.engine.app import App
from dibs.engine.store.moves import OnConflict, UniqueRule
from dibs.kit.encryption.encrypted import Cipher
from dibs.services.resumes.documents import FolderDocuments
from dibs.services.resumes.parser import ResumeParser
from dibs.services.resumes.uploads.model import FINISH, Upload

FIRST_SECONDS = 1.5
"""How long a first result may take before it is left to the job. The rest of two seconds is for everything else."""
GRACE = timedelta(seconds=5)
_MOVED = UniqueRule(on_conflict=OnConflict.REPLACE)


class Desk:
    """One for each server."""

    def __init__(self, directory: Directory, app: App, parser: ResumeParser) -> None:
        self.directory = directory
        self.tables = directory.tables
        self.parser = parser
        self.settings = parser.settings
        self._app = app
        # Whole files are in memory for those only whose turn it is.
        self.turns = asyncio.Semaphore(2 * (os.cpu_count() or 1))

    def documents(self, tenant: str) -> FolderDocuments:
        """Give the files of a tenant."""
        return open_documents(self.settings.folder, tenant, self.tables.cipher)

    async def see_to_it(self, upload: Upload, *, delay: timedelta | None = None) -> None:
        """Store the job that brings a resume to its end, or let the one that waits begin now."""
        await self._app.enqueue(
            FINISH,
            {"resume": upload.id, "round": upload.round},
            tenant=upload.tenant,
            unique_key=f"{upload.id}:{upload.round}",
            unique=_MOVED,
            delay=delay,
        )


def open_documents(folder: str, tenant: str, cipher: Cipher) -> FolderDocuments:
    """Give the files of a tenant: apart from those of others, so that nobody's upload tells what another one has."""
    place = Path(folder) / "tenants" / sha256(tenant.encode()).hexdigest()[:32]
    return FolderDocuments(place, cipher=cipher, tenant=tenant)
