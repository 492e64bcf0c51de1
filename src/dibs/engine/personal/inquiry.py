"""Who is meant, and whether something names them. Pure."""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from dibs.engine.personal.reading import find_spans, fold, read_all
from dibs.engine.store.checks.values import LONGEST_NAME, check_name, shown
from dibs.errors import BadInput
from dibs.kit.codec import decode_json

SHORTEST_REFERENCE = 4
SHORTEST_PHONE = 7
ERASED = "[erased]"
# What does not begin like the number of a phone may be any other number, and is taken as it is.
_PHONE = re.compile(r"(?:\+|(?=[0-9]+[\s()./-])0|\()[0-9\s()./-]+")
_MAIL = re.compile(r"[^\s@]+@[^\s@]+")
_DIGITS = re.compile(r"[0-9]+")
_NUMBERS = (int, float)
# As long as the name before the @ may be. Without an end, a text of many tags would be read again from each of them.
_LONGEST_TAG = 64
# In a link, a space is a plus.
_ANY_SPACE = r"[\s+_]+"
_NOTHING = r"(?!)"


class Inquiry:
    """A person, by references: whatever names this person and nobody else, such as an address of mail or an id.

    A text names the person when it holds one of them as a word of its own: `person-1` is not in `person-12`, nor in
    `person-1-b`. How it is written does not matter: in which case, width or form of Unicode, escaped or not.
    """

    def __init__(self, tenant: str, references: Iterable[str]) -> None:
        check_name(tenant, "tenant")
        self.tenant = tenant
        self.references = tuple(sorted(set(references)))
        for reference in self.references:
            if not SHORTEST_REFERENCE <= len(reference.strip()) <= LONGEST_NAME or not reference.isprintable():
                message = f"reference {shown(reference)}: use {SHORTEST_REFERENCE} to {LONGEST_NAME} printable"
                raise BadInput(f"{message} characters that name one person and nobody else.")
        if not self.references:
            raise BadInput("nobody is named. Give a reference, such as an address of mail or an id.")

    def widen(self, further: Iterable[str]) -> "Inquiry":
        """The same person, with further references."""
        return Inquiry(self.tenant, {*self.references, *further})

    def names(self, value: Any) -> bool:
        """Tell whether a value as JSON has them names the person, in texts or in keys."""
        if isinstance(value, str):
            return any(self._pattern.search(text) for text in read_all(value) if self._may_name(text))
        if isinstance(value, dict):
            return any(self.names(key) or self.names(inner) for key, inner in value.items())
        if type(value) in _NUMBERS:
            return self.names(str(value))
        return isinstance(value, (list, tuple)) and any(map(self.names, value))

    def names_in_json(self, encoded: str) -> bool:
        """Tell whether what a JSON text says names the person. As it is written, a line would begin with `\\n`."""
        return self.names(decode_json(encoded))

    def redact(self, text: str) -> str:
        """Take the references out of a text."""
        if not self.names(text):
            return text
        left = text
        for start, end in reversed(_join(find_spans(text, self._pattern))):
            left = left[:start] + ERASED + left[end:]
        # Whoever cannot tell where in a text somebody is named keeps nothing of it.
        return ERASED if self.names(left) else left

    def _may_name(self, text: str) -> bool:
        """Tell fast of most texts that they do not name anybody."""
        if any(word in text for word in self._words):
            return True
        return bool(self._numbers) and any(map("".join(_DIGITS.findall(text)).__contains__, self._numbers))

    @cached_property
    def _words(self) -> list[str]:
        """What stands in every way of writing each reference that is no number."""
        plain = [fold(one.strip()) for one in self.references]
        return [max(re.findall(r"[^\W_]+", one), key=len, default="") for one in plain if not _find_digits(one)]

    @cached_property
    def _numbers(self) -> list[str]:
        return [digits for one in self.references if (digits := _find_digits(fold(one.strip())))]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The longest first: of two that begin alike, the whole one is meant. What nobody sees names nobody.
        words = sorted(filter(None, map(_spell, self.references)), key=len, reverse=True) or [_NOTHING]
        return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])")


def is_address(text: str) -> bool:
    """Tell whether a text is an address of mail or the number of a phone: of others, nobody knows whom they name."""
    plain = fold(text.strip())
    is_fit = SHORTEST_REFERENCE <= len(text.strip()) <= LONGEST_NAME and text.isprintable()
    return is_fit and bool(_MAIL.fullmatch(plain) or _find_digits(plain))


def _find_digits(plain: str) -> str:
    """Give the digits of what looks like the number of a phone, without what calls abroad; else nothing."""
    digits = re.sub(r"^00|[^0-9]", "", plain) if _PHONE.fullmatch(plain) else ""
    return digits if len(digits) >= SHORTEST_PHONE else ""


def _spell(reference: str) -> str:
    """Give a pattern for the ways in which others may write a reference."""
    plain = fold(reference.strip())
    if digits := _find_digits(plain):
        return r"(?:\+|00)?" + r"[\s()./-]*".join(digits)
    if _MAIL.fullmatch(plain):
        return _spell_mail(plain)
    return _ANY_SPACE.join(map(re.escape, plain.split()))


def _spell_mail(address: str) -> str:
    """An address may have a tag, and stand without its signs where something is called after it."""
    name, _, host = map(re.escape, address.rpartition("@"))
    tag = "" if "+" in name else rf"(?:\+[^\s@]{{0,{_LONGEST_TAG}}})?"
    words = [re.findall(r"\w+", part) for part in address.rpartition("@")[::2]]
    # Where either half has no word, the other alone would stand for others, too, and none for everybody.
    bare = [" ".join(words[0] + words[1])] if all(words) else []
    # `john.smith@…` is somebody else than `smith@…`.
    return "|".join([rf"(?<!\w[.+]){name}{tag}@{host}", *map(re.escape, bare)])


def _join(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Put those that touch together, in their order."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
