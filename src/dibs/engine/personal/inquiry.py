"""Who is meant, and whether something names them. Pure."""

import re
from collections.abc import Iterable
from functools import cached_property
from typing import Any

from dibs.engine.store.checks.values import LONGEST_NAME, check_name, shown
from dibs.errors import BadInput
from dibs.kit.codec import decode_json

SHORTEST_REFERENCE = 4


class Inquiry:
    """A person, by references: whatever names this person and nobody else, such as an address of mail or an id.

    A text names the person when it holds one of them as a word of its own, in upper or lower case: `person-1` is not
    in `person-12`, nor in `person-1-b`.
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
            return self._pattern.search(value) is not None
        if isinstance(value, dict):
            return any(self.names(key) or self.names(inner) for key, inner in value.items())
        return isinstance(value, (list, tuple)) and any(map(self.names, value))

    def names_in_json(self, encoded: str) -> bool:
        """Tell whether what a JSON text says names the person. As it is written, a line would begin with `\\n`."""
        return self.names(decode_json(encoded))

    def redact(self, text: str) -> str:
        """Take the references out of a text."""
        return self._pattern.sub("[erased]", text)

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        # The longest first: of two that begin alike, the whole one is meant.
        words = sorted(map(re.escape, self.references), key=len, reverse=True)
        return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])", re.IGNORECASE)
