"""Where documents are kept until a job opens them. A job carries only the name of its document."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import IO, Protocol

from dibs.errors import BadInput
from dibs.kit.encryption.encrypted import Cipher, NoCipher
from dibs.settings import ENCRYPTION_KEYS

OWN_FOLDER, OWNER = "tenant-", "owner"
PLACE = "document"

CHUNK = 1024 * 1024


class Documents(Protocol):
    """A store of files by what they hold."""

    def of(self, tenant: str) -> "Documents":
        """Give the same store, for one tenant."""

    async def put(self, data: bytes) -> str:
        """Keep a file, and give its key."""

    async def get(self, key: str) -> bytes:
        """Give the file of a key; `BadInput` when there is none."""


class FolderDocuments:
    """Keeps files in a folder, named by their SHA-256: the same file is kept once, whatever it was called.

    A tenant that has a key keeps its own files in a folder of its own, encrypted.
    """

    def __init__(self, folder: Path, *, cipher: Cipher | None = None, tenant: str = "default") -> None:
        self._folder = folder
        self._cipher = cipher or NoCipher(ENCRYPTION_KEYS)
        self._tenant = tenant

    def of(self, tenant: str) -> "FolderDocuments":
        """Give the same folder, for one tenant."""
        return FolderDocuments(self._folder, cipher=self._cipher, tenant=tenant)

    async def put(self, data: bytes) -> str:
        """Keep a file, whole or not at all."""
        return await asyncio.to_thread(self._put, data)

    async def put_file(self, file: IO[bytes]) -> str:
        """Keep what an open file holds, without having all of it in memory."""
        return await asyncio.to_thread(self._put_file, file)

    async def get(self, key: str) -> bytes:
        """Give the file of a key."""
        return await asyncio.to_thread(self._get, key)

    async def forget(self, key: str, *, is_shared: bool = False) -> None:
        """Delete the file of a key, if there is one; where others have the same, only what is this tenant's own."""
        paths = [self._own_path(key)] if is_shared else [self._own_path(key), self._path(key)]
        for path in paths:
            await asyncio.to_thread(path.unlink, missing_ok=True)

    def check_folder(self, *, wanted: int) -> None:
        """Refuse to look for files where there is no folder: whatever leads to them would go, and they would stay."""
        if wanted and not self._folder.is_dir():
            message = (
                f"{wanted} of their documents should be in the folder {self._folder}, which is not there. Set DIBS_DATA"
                " or DIBS_RESUMES_FOLDER as it is where they are read, or make the folder if they are gone."
            )
            raise BadInput(message)

    def has(self, key: str) -> bool:
        """Tell whether there is a file of a key."""
        return self._own_path(key).is_file() or self.has_plain(key)

    def has_plain(self, key: str) -> bool:
        """Tell whether there is one that is not encrypted, which tenants share."""
        return self._path(key).is_file()

    def list_encrypted(self) -> Iterator[tuple[str, "FolderDocuments", str]]:
        """Name all that is encrypted in this folder and below: the tenant, the folder it is in, the key."""
        for owner in self._folder.rglob(f"{OWN_FOLDER}*/{OWNER}"):
            tenant = owner.read_text()
            place = FolderDocuments(owner.parents[1], cipher=self._cipher, tenant=tenant)
            yield from ((tenant, place, path.name) for path in sorted(owner.parent.glob("??/*")) if is_key(path.name))

    def _put(self, data: bytes) -> str:
        key = sha256(data).hexdigest()
        if self._cipher.has_key(self._tenant):
            self._put_encrypted(key, data)
        elif not self._path(key).exists():
            _write(self._path(key), data)
        return key

    def put_again(self, key: str, *, is_dry: bool) -> None:
        """Read an encrypted file and write it as it would be written today."""
        data = self._get(key)
        if is_dry:
            return
        self._put(data)
        if not self._cipher.has_key(self._tenant):
            self._own_path(key).unlink(missing_ok=True)

    def list_plain(self) -> list[str]:
        """Name all that is not encrypted in this folder."""
        return sorted(path.name for path in self._folder.glob("??/*") if is_key(path.name))

    def has_cipher(self) -> bool:
        """Tell whether this tenant's files are to be encrypted."""
        return self._cipher.has_key(self._tenant)

    def has_own(self, key: str) -> bool:
        """Tell whether this tenant has a file of a key for itself, encrypted."""
        return self._own_path(key).is_file()

    def close_plain(self, key: str) -> None:
        """Keep a plain file encrypted as well, for this tenant alone."""
        if not self.has_own(key):
            self._put_encrypted(key, self._path(key).read_bytes())

    def drop_plain(self, key: str) -> None:
        """Delete a plain file: all whose it is have their own."""
        self._path(key).unlink(missing_ok=True)

    def _put_encrypted(self, key: str, data: bytes) -> None:
        path = self._own_path(key)
        owner = path.parents[1] / OWNER
        if not owner.exists():
            _write(owner, self._tenant.encode())
        _write(path, self._cipher.encrypt(data, self._tenant, PLACE, key).encode())

    def is_current(self, key: str) -> bool:
        """Tell whether an encrypted file was written with the tenant's first key."""
        return self._cipher.is_current(self._own_path(key).read_text(), self._tenant)

    def _put_file(self, file: IO[bytes]) -> str:
        digest = sha256()
        file.seek(0)
        if self._cipher.has_key(self._tenant):
            # What is encrypted is written whole, so that nobody reads half of it unchecked.
            return self._put(file.read())
        waiting, path = _begin(self._folder)
        with waiting:
            while part := file.read(CHUNK):
                digest.update(part)
                waiting.write(part)
        _keep(path, self._path(digest.hexdigest()))
        return digest.hexdigest()

    def _get(self, key: str) -> bytes:
        if self._own_path(key).is_file():
            return self._cipher.decrypt(self._own_path(key).read_text(), self._tenant, PLACE, key)
        path = self._path(key)
        if not path.is_file():
            message = f"there is no document {key!r} in {self._folder}. Upload it again."
            raise BadInput(message)
        return path.read_bytes()

    def _own_path(self, key: str) -> Path:
        # A tenant may be called anything, and a folder may not.
        name = sha256(self._tenant.encode()).hexdigest()[:32]
        return self._folder / f"{OWN_FOLDER}{name}" / self._path(key).relative_to(self._folder)

    def _path(self, key: str) -> Path:
        if not is_key(key):
            message = f"{key[:80]!r} is no key of a document. Use the key that storing it gave."
            raise BadInput(message)
        return self._folder / key[:2] / key


def _write(path: Path, data: bytes) -> None:
    """Write a file, whole or not at all."""
    waiting, name = _begin(path.parent)
    with waiting:
        waiting.write(data)
    _keep(name, path)


def _begin(folder: Path) -> tuple[IO[bytes], Path]:
    """Open a file under a name of its own: two who put the same must not write into one another's."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    number, name = tempfile.mkstemp(suffix=".part", dir=folder)
    return os.fdopen(number, "wb"), Path(name)


def _keep(waiting: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    waiting.replace(path)


def is_key(text: str) -> bool:
    """Tell whether a text can be the key of a document."""
    return len(text) == 2 * sha256().digest_size and set(text) <= set("0123456789abcdef")
