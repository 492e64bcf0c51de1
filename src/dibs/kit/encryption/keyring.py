"""Keys of many owners, out of a few that somebody has set."""

import hashlib
import hmac
import os
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from dibs.errors import BadInput, Undecipherable
from dibs.kit.encryption.encrypted import MARK, find_key_name
from dibs.kit.encryption.secret import Secret

SHORTEST_KEY = 32
MOST_DERIVED = 10_000
OWN = ":"
# In the place of a key: what is written stays plain, and the keys behind it still read.
PLAIN = "plain"
_NONCE = 12
_NAME_LENGTH = 12


class Keyring:
    """Encrypts with the first key of an owner, decrypts with any: a new one is put in front, the old one goes later.

    A key given as `owner:key` is for that owner alone, and stands before those for everybody. Of each, every owner has
    a key of its own (HKDF), so that what one keeps can never be opened as another's.
    """

    def __init__(self, keys: Sequence[Secret], *, variable: str) -> None:
        self._variable = variable
        self._roots: dict[str, bytes] = {}
        self._given: dict[str, list[str]] = {}
        for key in keys:
            owner, _, secret = key.rpartition(OWN)
            self._given.setdefault(owner, []).append(self._add(secret))
        self._derived: dict[tuple[str, str], _Key] = {}

    def has_key(self, owner: str) -> bool:
        """Tell whether an owner has a key."""
        return any(self._names(owner)[:1])

    def encrypt(self, plain: bytes, owner: str, *place: str) -> str:
        """Encrypt with the owner's first key."""
        return self._write(self._first_name(owner), owner, os.urandom(_NONCE), plain, place)

    def encrypt_steadily(self, plain: bytes, owner: str, *place: str) -> str:
        """Encrypt the same to the same: the nonce follows from what is encrypted, and from where."""
        name = self._first_name(owner)
        digest = hmac.digest(self._key(name, owner).naming, _bind(place) + b"\x00" + plain, "sha256")
        return self._write(name, owner, digest[:_NONCE], plain, place)

    def decrypt(self, text: str, owner: str, *place: str) -> bytes:
        """Decrypt with the key that the text names, if it is one of this owner's."""
        name = find_key_name(text)
        if not name or name not in self._names(owner):
            raise Undecipherable.without_key(name, self._variable)
        try:
            raw = urlsafe_b64decode(text[len(MARK) + _NAME_LENGTH + 1 :])
            return self._key(name, owner).cipher.decrypt(raw[:_NONCE], raw[_NONCE:], _bind(place))
        except (InvalidTag, ValueError) as cause:
            raise Undecipherable.moved(name) from cause

    def name_content(self, content: bytes, owner: str) -> str:
        """Give a digest that only who has the key can make."""
        return hmac.digest(self._key(self._first_name(owner), owner).naming, content, "sha256").hex()

    def is_current(self, text: str, owner: str) -> bool:
        """Tell whether the owner's first key wrote it; without a key, whether it is plain."""
        return find_key_name(text) == next(iter(self._names(owner)), "")

    def _write(self, name: str, owner: str, nonce: bytes, plain: bytes, place: tuple[str, ...]) -> str:
        sealed = nonce + self._key(name, owner).cipher.encrypt(nonce, plain, _bind(place))
        return f"{MARK}{name}.{urlsafe_b64encode(sealed).decode()}"

    def _names(self, owner: str) -> list[str]:
        shared = self._given.get("", [])
        return [*self._given.get(owner, []), *shared] if owner in self._given and owner else shared

    def _first_name(self, owner: str) -> str:
        names = self._names(owner)
        if not any(names[:1]):
            raise Undecipherable.without_key("", self._variable)
        return names[0]

    def _key(self, name: str, owner: str) -> "_Key":
        found = self._derived.get((name, owner))
        if found is None:
            if len(self._derived) >= MOST_DERIVED:
                self._derived.clear()
            found = self._derived[name, owner] = _Key(self._roots[name], owner)
        return found

    def _add(self, secret: str) -> str:
        if secret == PLAIN:
            return ""
        if len(secret) < SHORTEST_KEY:
            message = f"a key in {self._variable} has {len(secret)} characters. Use {SHORTEST_KEY} or more, random ones"
            raise BadInput(f"{message} (openssl rand -base64 32).")
        root = hashlib.sha256(b"dibs.encryption.root\x00" + secret.encode()).digest()
        name = hashlib.sha256(b"dibs.encryption.name\x00" + root).hexdigest()[:_NAME_LENGTH]
        self._roots[name] = root
        return name


class _Key:
    """What one owner has of one key: one part encrypts, another makes names."""

    def __init__(self, root: bytes, owner: str) -> None:
        made = HKDF(SHA256(), length=64, salt=None, info=b"dibs.encryption.1\x00" + owner.encode()).derive(root)
        self.cipher = AESGCM(made[:32])
        self.naming = made[32:]


def _bind(place: tuple[str, ...]) -> bytes:
    # Lengths keep ("a", "bc") and ("ab", "c") apart, whatever is in them.
    return "".join([f"{len(part)}:{part}" for part in place]).encode()
