"""One question to a language model, and its answer as JSON of a given form."""

import hashlib
from collections import OrderedDict
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import msgspec

from dibs.errors import ProviderFault
from dibs.outside.models.question import Question
from dibs.outside.models.settings import ModelSettings
from dibs.outside.transport.rules import Limits, Rules
from dibs.outside.transport.transport import HttpRequest, HttpResponse, Transport

_OK = 200
_LONGEST_ANSWER = 1024 * 1024


class _Message(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Message


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class ChatModel:
    """Asks an OpenAI-compatible endpoint through the guarded transport. The same question is asked once."""

    def __init__(self, settings: ModelSettings, transport: Transport) -> None:
        self._settings = settings
        self._transport = transport
        self._answers: OrderedDict[str, Any] = OrderedDict()

    async def ask(self, question: Question) -> Any:
        """Give the answer as plain JSON. Raises an `OutsideError` when none came that could be read."""
        body = self._write(question)
        key = hashlib.sha256(body).hexdigest()
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]
        answer = _read(await self._send(body))
        self._answers[key] = answer
        while len(self._answers) > self._settings.kept_answers:
            self._answers.popitem(last=False)
        return answer

    def _write(self, question: Question) -> bytes:
        form = {"name": question.name, "schema": question.schema, "strict": True}
        return msgspec.json.encode(
            {
                "model": self._settings.name,
                "temperature": 0,
                "messages": [
                    {"role": "system", "content": question.task},
                    {"role": "user", "content": question.text},
                ],
                "response_format": {"type": "json_schema", "json_schema": form},
            }
        )

    async def _send(self, body: bytes) -> HttpResponse:
        headers = {"Content-Type": "application/json"}
        if self._settings.key:
            headers["Authorization"] = f"Bearer {self._settings.key}"
        url = self._settings.url.rstrip("/") + "/chat/completions"
        request = HttpRequest(url=url, method="POST", headers=headers, body=body)
        return await self._transport.send(request, _rules(url, self._settings.timeout))


def _rules(url: str, timeout: timedelta) -> Rules:
    """The endpoint that the operator named, wherever it lies, and nothing else."""
    parts = urlsplit(url)
    port = parts.port or (443 if parts.scheme == "https" else 80)
    host = parts.hostname or ""
    limits = Limits(body_bytes=_LONGEST_ANSWER, wire_bytes=_LONGEST_ANSWER, redirects=0, total=timeout, silence=timeout)
    return Rules(allow_hosts=frozenset({f"{host}:{port}", host}), only_hosts=frozenset({host}), limits=limits)


def _read(response: HttpResponse) -> Any:
    if response.status != _OK:
        message = f"the language model answered with status {response.status}. Look at DIBS_MODEL_URL and its key."
        raise ProviderFault(message)
    try:
        completion = msgspec.json.decode(response.body, type=_Completion)
        return msgspec.json.decode(completion.choices[0].message.content or "")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, IndexError) as fault:
        message = "the language model answered with something that is not JSON. Choose one that follows a schema."
        raise ProviderFault(message) from fault
