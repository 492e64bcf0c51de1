"""A question to a language model. Asking needs a way out; writing a question needs nothing."""

from typing import Any

import msgspec


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked: the rules of the game, the text, and the JSON schema that the answer must have."""

    task: str
    text: str
    name: str
    schema: dict[str, Any]
