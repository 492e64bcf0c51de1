"""The recogniser whose engine comes in a wheel, and whose language data the machine must have."""

import os
from collections.abc import Iterator, Mapping
from math import atan2, degrees
from pathlib import Path
from statistics import median
from typing import Any

from dibs.services.resumes.reading.scan.recogniser import Seen, SeenWord

FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
LANGUAGES = ("eng", "deu", "fra", "spa")
DPI = 200


def find_data(env: Mapping[str, str] = os.environ) -> Path | None:
    """Look where the language data is; None: there is none."""
    folders = [env["TESSDATA_PREFIX"]] if env.get("TESSDATA_PREFIX") else FOLDERS
    return next((Path(folder) for folder in folders if (Path(folder) / "eng.traineddata").is_file()), None)


class TesseractRecogniser:
    """Reads with tesserocr."""

    name = "tesserocr"
    needs_level_lines = True

    def __init__(self, data: Path) -> None:
        # More threads make one page slower, and are dead in a forked child.
        os.environ["OMP_THREAD_LIMIT"] = "1"
        import tesserocr  # noqa: PLC0415 - needed for pictures only

        self._library = tesserocr
        languages = "+".join(name for name in LANGUAGES if (data / f"{name}.traineddata").is_file())
        self._engine = tesserocr.PyTessBaseAPI(path=f"{data}/", lang=languages, psm=tesserocr.PSM.AUTO)

    def see(self, picture: Any) -> Seen:
        """Find the words of a picture."""
        self._engine.SetImage(picture)
        self._engine.SetSourceResolution(DPI)
        try:
            if not self._engine.Recognize():
                return Seen([])
            slopes: list[float] = []
            words = list(self._words(slopes))
            return Seen(words, median(slopes) if slopes else 0.0)
        finally:
            self._engine.Clear()

    def _words(self, slopes: list[float]) -> Iterator[SeenWord]:
        word, line = self._library.RIL.WORD, self._library.RIL.TEXTLINE
        height = 0.0
        iterator = self._engine.GetIterator()
        if iterator is None:
            return
        for place in self._library.iterate_level(iterator, word):
            if place.Empty(word):
                continue
            if place.IsAtBeginningOf(line) or not height:
                height = self._measure_line(place, line, slopes)
            text, box = (place.GetUTF8Text(word) or "").strip(), place.BoundingBox(word)
            if text and box:
                left, top, right, bottom = box
                yield SeenWord(text, left, top, right, bottom, height, place.Confidence(word) / 100)

    def _measure_line(self, place: Any, line: Any, slopes: list[float]) -> float:
        baseline = place.Baseline(line)
        if baseline:
            (left, start), (right, end) = baseline
            if right > left:
                slopes.append(degrees(atan2(end - start, right - left)))
        attributes = place.RowAttributes()
        return float(attributes["row_height"]) if attributes else 0.0
