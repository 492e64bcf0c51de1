"""Models that answer over the network: any endpoint that speaks as OpenAI's does. Absent unless one is named."""

from dibs.outside.models.asking import Ask, open_ask
from dibs.outside.models.question import Question
from dibs.outside.models.settings import ModelSettings

__all__ = ["Ask", "ModelSettings", "Question", "open_ask"]
