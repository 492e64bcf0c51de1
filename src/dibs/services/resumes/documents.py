"""Where documents are kept until a job opens them. A job carries only the name of its document."""

import asyncio
import os
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import IO, Protocol

from dibs.errors import BadInput

CHUNK = 1024 * 1024


class Documents(Protocol):
    """A store of files by what they hold."""

    async def put(self, data: bytes) -> str:
        """Keep a file, and give its key."""

    async def get(self, key: str) -> bytes:
        """Give the file of a key; `BadInput` when there is none."""


class FolderDocuments:
    """Keeps files in a folder, named by their SHA-256: the same file is kept once, whatever it was called."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def put(self, data: bytes) -> str:
        """Keep a file, whole or not at all."""
        return await asyncio.to_thread(self._put, data)

    async def put_file(self, file: IO[bytes]) -> str:
        """Keep what an open file holds, without having all of it in memory."""
        return await asyncio.to_thread(self._put_file, file)

    async def get(self, key: str) -> bytes:
        """Give the file of a key."""
        return await asyncio.to_thread(self._get, key)

    async def forget(self, key: str) -> None:
        """Delete the file of a key, if there is one."""
        await asyncio.to_thread(self._path(key).unlink, missing_ok=True)

    def has(self, key: str) -> bool:
        """Tell whether there is a file of a key."""
        return self._path(key).is_file()

    def _put(self, data: bytes) -> str:
        key = sha256(data).hexdigest()
        if not self._path(key).exists():
            waiting, path = self._begin()
            with waiting:
                waiting.write(data)
            self._keep(path, key)
        return key

    def _put_file(self, file: IO[bytes]) -> str:
        digest = sha256()
        file.seek(0)
        waiting, path = self._begin()
        with waiting:
            while part := file.read(CHUNK):
                digest.update(part)
                waiting.write(part)
        self._keep(path, digest.hexdigest())
        return digest.hexdigest()

    def _begin(self) -> tuple[IO[bytes], Path]:
        """Open a file under a name of its own: two who put the same must not write into one another's."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        number, name = tempfile.mkstemp(suffix=".part", dir=self._folder)
        return os.fdopen(number, "wb"), Path(name)

    def _keep(self, waiting: Path, key: str) -> None:
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        waiting.replace(path)

    def _get(self, key: str) -> bytes:
        path = self._path(key)
        if not path.is_file():
            message = f"there is no document {key!r} in {self._folder}. Upload it again."
            raise BadInput(message)
        return path.read_bytes()

    def _path(self, key: str) -> Path:
        if not is_key(key):
            message = f"{key[:80]!r} is no key of a document. Use the key that storing it gave."
            raise BadInput(message)
        return self._folder / key[:2] / key


def is_key(text: str) -> bool:
    """Tell whether a text can be the key of a document."""
    return len(text) == 2 * sha256().digest_size and set(text) <= set("0123456789abcdef")
