"""Pictures of text: pages that are rendered or unpacked, and read by a recogniser."""

from dibs.services.resumes.reading.scan.engines import Engine, find_recogniser
from dibs.services.resumes.reading.scan.pages import read_scan
from dibs.services.resumes.reading.scan.recogniser import Recogniser

__all__ = ["Engine", "Recogniser", "find_recogniser", "read_scan"]
