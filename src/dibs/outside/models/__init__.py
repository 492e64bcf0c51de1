"""Models that answer over the network: any endpoint that speaks as OpenAI's does. Absent unless one is named."""

from dibs.outside.models.chat import ChatModel, Question
from dibs.outside.models.settings import ModelSettings

__all__ = ["ChatModel", "ModelSettings", "Question"]
