"""Which recogniser there is, and which is taken."""

from enum import StrEnum
from functools import lru_cache
from importlib.util import find_spec

from dibs.services.resumes.reading.scan.rapid import RapidRecogniser
from dibs.services.resumes.reading.scan.recogniser import Recogniser
from dibs.services.resumes.reading.scan.tesseract import TesseractRecogniser, find_data


class Engine(StrEnum):
    """What may be asked for. `AUTO` takes the quicker one that is complete."""

    AUTO = "auto"
    TESSERACT = "tesserocr"
    RAPID = "rapidocr"
    OFF = "off"
    LATER = "later"
    """Pictures are left for a later call, and flagged as pending."""


def name_engine(wanted: Engine) -> Engine:
    """Say which engine a wish comes to on this machine; `OFF` where it is not installed."""
    has_tesseract = find_spec("tesserocr") is not None and find_data() is not None
    if wanted in {Engine.AUTO, Engine.TESSERACT} and has_tesseract:
        return Engine.TESSERACT
    if wanted in {Engine.AUTO, Engine.RAPID} and find_spec("rapidocr") and find_spec("onnxruntime"):
        return Engine.RAPID
    return Engine.OFF


@lru_cache(maxsize=2)
def load_recogniser(engine: Engine) -> Recogniser | None:
    """Load an engine once, and keep it."""
    data = find_data()
    if engine is Engine.TESSERACT and data is not None:
        return TesseractRecogniser(data)
    return RapidRecogniser() if engine is Engine.RAPID else None


def find_recogniser(wanted: Engine = Engine.AUTO) -> Recogniser | None:
    """Give the recogniser for a wish; None where there is none."""
    return load_recogniser(name_engine(wanted))
