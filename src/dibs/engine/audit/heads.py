"""How far the audit log was sealed, noted outside of the store: whoever begins a chain anew is seen and not served."""

import hashlib
import hmac
from pathlib import Path

import msgspec

from dibs.engine.audit.keys import SealKeys
from dibs.engine.audit.sealing import Seal
from dibs.engine.store.backend import Backend
from dibs.errors import BadInput


class _File(msgspec.Struct):
    heads: list[Seal]
    proof: str


class NotedHeads:
    """The last seals that we know of, a tenant each; kept in a file if there is one, else for as long as we live."""

    def __init__(self, path: str = "", keys: SealKeys | None = None) -> None:
        self._path = Path(path) if path else None
        self._keys = keys or SealKeys()
        self._heads = {head.tenant: head for head in self._read()}

    def note(self, heads: list[Seal]) -> None:
        """Remember these. Raises OSError or BadInput where the file cannot be read and written; they are remembered."""
        self._heads |= {head.tenant: head for head in heads}
        if self._path is not None and heads:
            # Workers share the file, and each has sealed only for a while.
            for head in self._read():
                mine = self._heads.get(head.tenant)
                self._heads[head.tenant] = head if mine is None or mine.position < head.position else mine
            listed = list(self._heads.values())
            beside = self._path.with_name(f"{self._path.name}.new")
            beside.write_bytes(msgspec.json.encode(_File(heads=listed, proof=_prove(listed, self._keys.current))))
            beside.replace(self._path)

    async def find_break(self, backend: Backend, tenant: str) -> str | None:
        """Tell how a chain differs from what was noted; None: it goes on from there, or nothing was noted."""
        noted = self._heads.get(tenant)
        if noted is None:
            return None
        found = await backend.audit.list_sealed(tenant, noted.position - 1, 1)
        if not found:
            return f"the seals end before position {noted.position}, which was sealed: they were taken away."
        seal = found[0].seal
        if seal.position == noted.position and seal.hash != noted.hash:
            return f"the seal at position {seal.position} is not the one that was noted: the chain was made anew."
        return None

    def _read(self) -> list[Seal]:
        if self._path is None or not self._path.exists():
            return []
        try:
            kept = msgspec.json.decode(self._path.read_bytes(), type=_File)
        except (OSError, msgspec.DecodeError) as error:
            message = f"DIBS_AUDIT_HEADS={str(self._path)!r} cannot be read: {error}. Put it back from a copy."
            raise BadInput(message) from error
        keys = (self._keys.current, *self._keys.old)
        if not any(hmac.compare_digest(_prove(kept.heads, key), kept.proof) for key in keys):
            message = f"DIBS_AUDIT_HEADS={str(self._path)!r} was changed, or written with another DIBS_AUDIT_KEY."
            raise BadInput(message)
        return kept.heads


def _prove(heads: list[Seal], key: bytes) -> str:
    return hmac.new(key, msgspec.json.encode(heads), hashlib.sha256).hexdigest()
