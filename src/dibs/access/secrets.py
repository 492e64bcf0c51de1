"""Making secrets, and what is kept of them."""

import asyncio
import hashlib
import hmac
import secrets
import string
import zlib

import argon2
import msgspec

KEY_PREFIX = "dibs_"
HINT_LENGTH = 11
_LETTERS = string.ascii_letters + string.digits
# 40 of 62 letters: 238 bits. So a plain hash keeps it; only what people choose needs a slow one.
_KEY_LENGTH = 40
_CHECK_LENGTH = 8
# Memory of 64 MiB each: more at once would let strangers use up the machine by guessing.
_HASHES_AT_ONCE = 2
_hasher = argon2.PasswordHasher()


class Minted(msgspec.Struct, frozen=True, kw_only=True):
    """A secret, to be shown once, and what is stored."""

    secret: str
    digest: str

    def __repr__(self) -> str:
        return "Minted(…)"


def mint_key() -> Minted:
    """Make an API key: prefix, chance, and a checksum that refuses typing errors without asking the store."""
    body = KEY_PREFIX + "".join(secrets.choice(_LETTERS) for _ in range(_KEY_LENGTH))
    return _as_minted(body + _checksum(body))


def mint_token() -> Minted:
    """Make the id of a session, or the secret part of a link."""
    return _as_minted(secrets.token_urlsafe(32))


def _as_minted(secret: str) -> Minted:
    return Minted(secret=secret, digest=digest_of(secret))


def digest_of(secret: str) -> str:
    """Hash a secret of high entropy."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def is_same(digest: str, other: str) -> bool:
    """Compare in a time that tells nothing."""
    return hmac.compare_digest(digest.encode(), other.encode())


def is_key_shaped(secret: object) -> bool:
    """Whether it can be one of our keys at all."""
    length = len(KEY_PREFIX) + _KEY_LENGTH + _CHECK_LENGTH
    if not isinstance(secret, str) or len(secret) != length or not secret.isascii():
        return False
    body, check = secret[:-_CHECK_LENGTH], secret[-_CHECK_LENGTH:]
    return body.startswith(KEY_PREFIX) and is_same(_checksum(body), check)


def _checksum(body: str) -> str:
    return f"{zlib.crc32(body.encode()):08x}"


class Passwords:
    """Hashing with argon2id, in threads, a few at a time."""

    def __init__(self, hasher: argon2.PasswordHasher = _hasher) -> None:
        self._hasher = hasher
        self._turns = asyncio.Semaphore(_HASHES_AT_ONCE)
        self._nobodys: str | None = None

    async def hash(self, password: str) -> str:
        """Hash a new password."""
        async with self._turns:
            return await asyncio.to_thread(self._hasher.hash, password)

    async def verify(self, stored: str | None, password: str) -> bool:
        """Check a password; an account that does not exist takes as long as one that does."""
        if self._nobodys is None:
            self._nobodys = await self.hash(secrets.token_urlsafe())
        async with self._turns:
            is_right = await asyncio.to_thread(self._verify, stored or self._nobodys, password)
        return is_right and stored is not None

    def is_outdated(self, stored: str) -> bool:
        """Whether it was hashed with parameters that are no longer ours."""
        return self._hasher.check_needs_rehash(stored)

    def _verify(self, stored: str, password: str) -> bool:
        try:
            return self._hasher.verify(stored, password)
        except (argon2.exceptions.VerificationError, argon2.exceptions.InvalidHashError, UnicodeEncodeError):
            return False
