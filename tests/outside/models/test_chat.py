from datetime import timedelta

import msgspec
import pytest

from dibs.errors import BadInput, OutsideError, ProviderFault
from dibs.kit.encryption.secret import Secret
from dibs.outside.models import ModelSettings, Question, open_ask
from dibs.outside.models.chat import ChatModel
from dibs.outside.transport.transport import HttpRequest, HttpResponse, Transport

QUESTION = Question(task="copy", text="SECTION 0", name="sections", schema={"type": "object"})


class Wire(Transport):
    """A transport that keeps what is sent and answers what it was given."""

    def __init__(self, body: bytes, status: int = 200) -> None:
        super().__init__()
        self.response = HttpResponse(url="", status=status, headers={}, body=body)
        self.sent: list[HttpRequest] = []

    async def send(self, request, rules=None, *, on_redirect=None) -> HttpResponse:
        self.sent.append(request)
        return self.response


def say(content: str) -> bytes:
    return msgspec.json.encode({"choices": [{"message": {"content": content}}]})


def model(wire: Transport) -> ChatModel:
    settings = ModelSettings(
        url="http://127.0.0.1:8000/v1", name="small", key=Secret("sk-1"), timeout=timedelta(seconds=1)
    )
    return ChatModel(settings, wire)


async def test_a_question_is_sent_with_its_schema_and_answered_with_json():
    wire = Wire(say('{"section_0": []}'))
    assert await model(wire).ask(QUESTION) == {"section_0": []}
    (request,) = wire.sent
    body = msgspec.json.decode(request.body)
    assert request.url == "http://127.0.0.1:8000/v1/chat/completions"
    assert request.headers["Authorization"] == "Bearer sk-1"
    assert body["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert body["temperature"] == 0


async def test_the_same_question_is_asked_once():
    wire = Wire(say("{}"))
    asked = model(wire)
    await asked.ask(QUESTION)
    await asked.ask(QUESTION)
    assert len(wire.sent) == 1


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"no json", 200),
        (say("no json"), 200),
        (b'{"choices": []}', 200),
        (say("{}"), 500),
        (say("[" * 100_000), 200),
        (b"[" * 100_000, 200),
        (b'{"choices": [{"message": {"content": "\xff"}}]}', 200),
    ],
)
async def test_an_answer_that_cannot_be_used_is_the_providers_fault(body, status):
    with pytest.raises(ProviderFault):
        await model(Wire(body, status)).ask(QUESTION)


async def test_an_endpoint_that_is_not_there_is_an_error_of_the_outside():
    async with Transport() as transport:
        settings = ModelSettings(url="http://127.0.0.1:9", name="small", timeout=timedelta(seconds=1))
        with pytest.raises(OutsideError):
            await ChatModel(settings, transport).ask(QUESTION)


def test_no_model_is_asked_unless_one_is_named():
    assert not ModelSettings.from_env({}).is_on
    named = ModelSettings.from_env({"DIBS_MODEL_URL": "http://127.0.0.1:8000/v1", "DIBS_MODEL_NAME": "small"})
    assert named.is_on


@pytest.mark.parametrize("url", ["localhost:8000/v1", "ftp://x/v1", "http://", "http://[::1", "http://x:99999/v1"])
def test_an_endpoint_that_leads_nowhere_is_refused_before_anybody_is_asked(url):
    with pytest.raises(BadInput, match="is no address"):
        ModelSettings.from_env({"DIBS_MODEL_URL": url, "DIBS_MODEL_NAME": "small"})


@pytest.mark.parametrize(
    "env",
    [{"DIBS_MODEL_URL": "http://x"}, {"DIBS_MODEL_TIMEOUT_SECONDS": "soon"}, {"DIBS_MODEL_TIMEOUT_SECONDS": "-1"}],
)
def test_settings_that_cannot_work_are_refused(env):
    with pytest.raises(BadInput, match="DIBS_MODEL"):
        ModelSettings.from_env(env)


async def test_there_is_nobody_to_ask_where_no_model_is_named():
    async with open_ask(ModelSettings()) as ask:
        assert ask is None
    async with open_ask(ModelSettings(url="http://127.0.0.1:9", name="small")) as ask:
        assert ask is not None
