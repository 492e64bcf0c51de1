"""Texts that stand encrypted where they are kept, and how to tell them from others. Needs no library of ciphers."""

import re
from collections.abc import Iterable, Sequence
from importlib import import_module
from operator import methodcaller
from typing import Final, Protocol

from dibs.errors import MissingExtra, Undecipherable
from dibs.kit.encryption.secret import Secret

# Before every encrypted text: whoever finds one knows what it is, and under which name its key goes.
MARK: Final = "dibs.encrypted.1."
# Only the head is looked at: a text may have a million characters.
_HEAD = re.compile(rf"{re.escape(MARK)}([0-9a-f]{{12}})\.[\w-]")
# Before a plain text that begins like an encrypted one, or like this: anybody may hand in such a text.
SPARED: Final = "dibs.plain.1."
_OURS: Final = ("dibs.encrypted.", "dibs.plain.")
_OURS_IN_JSON: Final = tuple(b'"' + one.encode() for one in _OURS)
_starts_like_ours = methodcaller("startswith", _OURS_IN_JSON)


class Cipher(Protocol):
    """Encrypts for owners, each with keys of their own; what it makes opens at its place only, and nowhere else."""

    def has_key(self, owner: str) -> bool:
        """Tell whether what an owner keeps is to be encrypted."""

    def encrypt(self, plain: bytes, owner: str, *place: str) -> str:
        """Encrypt something that an owner keeps at a place."""

    def encrypt_steadily(self, plain: bytes, owner: str, *place: str) -> str:
        """Encrypt so that the same thing at the same place gives the same text: it tells whether something changed."""

    def decrypt(self, text: str, owner: str, *place: str) -> bytes:
        """Give what was encrypted; `Undecipherable` says why not."""

    def name_content(self, content: bytes, owner: str) -> str:
        """Name something by what it is; who has no key cannot tell from the name what that may be."""

    def is_current(self, text: str, owner: str) -> bool:
        """Tell whether a text is as it would be written today: with the owner's first key, or plain without one."""


class NoCipher:
    """Where nobody has set a key: what is written stays plain, and what is encrypted stays shut."""

    def __init__(self, variable: str) -> None:
        self._variable = variable

    def has_key(self, owner: str) -> bool:  # noqa: ARG002 - nobody has one
        """Nobody has one."""
        return False

    def encrypt(self, plain: bytes, owner: str, *place: str) -> str:  # noqa: ARG002 - there is no key to do it with
        """Refuse: nothing may look encrypted that is not."""
        raise Undecipherable.without_key("", self._variable)

    encrypt_steadily = encrypt

    def decrypt(self, text: str, owner: str, *place: str) -> bytes:  # noqa: ARG002 - there is no key to do it with
        """Say which key is missing."""
        raise Undecipherable.without_key(find_key_name(text), self._variable)

    def name_content(self, content: bytes, owner: str) -> str:  # noqa: ARG002 - who can read the content needs no name
        """Say that names are the caller's business."""
        raise Undecipherable.without_key("", self._variable)

    def is_current(self, text: str, owner: str) -> bool:  # noqa: ARG002 - the same for all
        """Plain texts are."""
        return not is_encrypted(text)


def is_encrypted(value: object) -> bool:
    """Tell whether a value, read from where it is kept, is an encrypted text."""
    return type(value) is str and value.startswith(MARK) and _HEAD.match(value) is not None


def is_ours(value: object) -> bool:
    """Tell whether a value, read from where it is kept, is not what somebody gave: it is encrypted, or was spared."""
    return type(value) is str and value.startswith(_OURS)


def has_ours(encoded: Iterable[bytes]) -> bool:
    """Tell whether one of several values that were written as JSON looks like that."""
    return any(map(_starts_like_ours, encoded))


def spare(text: str) -> str:
    """Give a text as it can be kept plain beside encrypted ones: nobody will take it for one of those."""
    return SPARED + text if text.startswith(_OURS) else text


def spare_json(encoded: bytes) -> bytes:
    """Do the same for a value that was written as JSON."""
    return b'"' + SPARED.encode() + encoded[1:] if encoded.startswith(_OURS_IN_JSON) else encoded


def unspare(text: str) -> str:
    """Give a plain text as it was before it was kept."""
    return text.removeprefix(SPARED)


def find_key_name(text: str) -> str:
    """Tell which key an encrypted text names; empty if it is none."""
    found = _HEAD.match(text)
    return "" if found is None else found[1]


def make_cipher(keys: Sequence[Secret], variable: str) -> Cipher:
    """Make a cipher of the keys that a variable has; without any, nothing is encrypted."""
    if not keys:
        return NoCipher(variable)
    try:
        made: Cipher = import_module("dibs.kit.encryption.keyring").Keyring(keys, variable=variable)
    except ModuleNotFoundError as cause:
        message = f"{variable} is set, and {cause.name} is not installed. Run: pip install 'dibs[encryption]'"
        raise MissingExtra(message) from cause
    return made
