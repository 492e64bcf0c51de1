"""The recogniser whose engine comes in a wheel, and whose language data the machine must have."""

import os
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import closing
from math import atan2, degrees
from pathlib import Path
from statistics import median
from typing import Any

from PIL import ImageOps

from dibs.services.resumes.reading.scan.addresses import group_lines, has_address, part_columns, put_addresses
from dibs.services.resumes.reading.scan.mail import find_mail, put_mail
from dibs.services.resumes.reading.scan.recogniser import Seen, SeenWord
from dibs.services.resumes.reading.scan.tongues import choose_tongue, weigh_tongues

FOLDERS = (
    "/usr/share/tesseract-ocr/5/tessdata",
    "/usr/share/tesseract-ocr/4.00/tessdata",
    "/usr/share/tessdata",
    "/usr/local/share/tessdata",
    "/opt/homebrew/share/tessdata",
)
ENGLISH = "eng"
LANGUAGES = (ENGLISH, "deu", "fra", "spa")
DPI = 200
MARGIN = 6
LARGER = 2
_MOST_LINES = 12
LineBox = tuple[int, int, int, int]


def find_data(env: Mapping[str, str] = os.environ) -> Path | None:
    """Look where the language data is; None: there is none."""
    folders = [env["TESSDATA_PREFIX"]] if env.get("TESSDATA_PREFIX") else FOLDERS
    return next((Path(folder) for folder in folders if (Path(folder) / "eng.traineddata").is_file()), None)


class TesseractRecogniser:
    """Reads with tesserocr, in the language that a few lines of the page are in.

    All languages together take up to four times as long as one, and read German, French and Spanish worse than their
    own data. They are for pages whose lines do not tell. Lines with addresses are read with the data for English, too:
    that for Spanish does not know the @.
    """

    name = "tesserocr"
    needs_level_lines = True

    def __init__(self, data: Path) -> None:
        # More threads make one page slower, and are dead in a forked child.
        os.environ["OMP_THREAD_LIMIT"] = "1"
        import tesserocr  # noqa: PLC0415 - needed for pictures only

        self._library = tesserocr
        found = [name for name in LANGUAGES if (data / f"{name}.traineddata").is_file()]
        self._engines = {name: self._load(data, name) for name in found}
        self._any = self._load(data, "+".join(found)) if len(found) > 1 else self._engines[found[0]]

    def _load(self, data: Path, languages: str) -> Any:
        return self._library.PyTessBaseAPI(path=f"{data}/", lang=languages, psm=self._library.PSM.AUTO)

    def see(self, picture: Any) -> Seen:
        """Find the words of a picture."""
        grey = picture.convert("L")
        engine = self._choose_engine(grey)
        _show(engine, grey)
        try:
            if not engine.Recognize():
                return Seen([])
            slopes: list[float] = []
            words = list(self._words(engine, slopes))
        finally:
            engine.Clear()
        if engine not in {self._any, self._engines[ENGLISH]}:
            words = list(self._with_addresses(grey, words))
        words = [word for line in self._with_mail(grey, words) for word in line]
        return Seen(words, median(slopes) if slopes else 0.0)

    def _choose_engine(self, grey: Any) -> Any:
        if len(self._engines) == 1:
            return self._any
        told: Counter[str] = Counter()
        with closing(self._read_lines(grey)) as lines:
            for text in lines:
                told += weigh_tongues(text)
                name = choose_tongue(told)
                if name is not None:
                    return self._engines.get(name, self._any)
        return self._any

    def _with_addresses(self, grey: Any, words: list[SeenWord]) -> Iterator[SeenWord]:
        """Give words with the addresses among them as the data for English reads them."""
        engine, modes = self._engines[ENGLISH], self._library.PSM
        engine.SetPageSegMode(modes.SINGLE_LINE)
        try:
            for line in (part for whole in group_lines(words) for part in part_columns(whole)):
                seen = self._read_again(engine, grey, line) if has_address(line) else []
                yield from put_addresses(line, seen)
        finally:
            engine.SetPageSegMode(modes.AUTO)
            engine.Clear()

    def _with_mail(self, grey: Any, words: list[SeenWord]) -> Iterator[list[SeenWord]]:
        """Give lines with their mail addresses as they are read at twice the size."""
        engine, modes = self._engines[ENGLISH], self._library.PSM
        engine.SetPageSegMode(modes.SINGLE_LINE)
        try:
            for line in group_lines(words):
                span = find_mail(line)
                again = self._read_larger(engine, grey, line[slice(*span)]) if span else []
                yield put_mail(line, span, again) if span else line
        finally:
            engine.SetPageSegMode(modes.AUTO)
            engine.Clear()

    def _read_again(self, engine: Any, grey: Any, line: list[SeenWord]) -> list[SeenWord]:
        left, top, right, bottom = _bound(line)
        left, top = max(left - MARGIN, 0), max(top - MARGIN, 0)
        _show(engine, grey.crop((left, top, min(right + MARGIN, grey.width), min(bottom + MARGIN, grey.height))))
        if not engine.Recognize():
            return []
        moved = ((word, word.left + left, word.right + left) for word in self._words(engine, []))
        return [
            word._replace(left=begin, right=end, top=word.top + top, bottom=word.bottom + top, size=line[0].size)
            for word, begin, end in moved
        ]

    def _read_larger(self, engine: Any, grey: Any, words: list[SeenWord]) -> list[SeenWord]:
        """Read words at twice the size, without the edges of what stands beside them."""
        part = grey.crop(_bound(words))
        ground = max(enumerate(part.histogram()), key=lambda shade: shade[1])[0]
        framed = ImageOps.expand(part, MARGIN, fill=ground)
        _show(engine, framed.resize((LARGER * framed.width, LARGER * framed.height)), LARGER * DPI)
        return list(self._words(engine, [])) if engine.Recognize() else []

    def _read_lines(self, grey: Any) -> Generator[str]:
        """Read a few lines with the data for English, those with the most text first."""
        engine, modes = self._engines[ENGLISH], self._library.PSM
        boxes = pick_lines(self._find_lines(engine, grey))
        engine.SetPageSegMode(modes.SINGLE_LINE)
        try:
            for left, top, right, bottom in boxes:
                _show(engine, grey.crop((max(left - MARGIN, 0), max(top - MARGIN, 0), right + MARGIN, bottom + MARGIN)))
                yield engine.GetUTF8Text()
        finally:
            engine.SetPageSegMode(modes.AUTO)
            engine.Clear()

    def _find_lines(self, engine: Any, grey: Any) -> list[LineBox]:
        """Lines are found in a picture of half the size: that takes a quarter of the time."""
        level = self._library.RIL.TEXTLINE
        _show(engine, grey.reduce(2), DPI // 2)
        places = engine.AnalyseLayout()
        if places is None:
            return []
        boxes = [place.BoundingBox(level) for place in self._library.iterate_level(places, level)]
        return [(2 * left, 2 * top, 2 * right, 2 * bottom) for left, top, right, bottom in filter(None, boxes)]

    def _words(self, engine: Any, slopes: list[float]) -> Iterator[SeenWord]:
        word, line = self._library.RIL.WORD, self._library.RIL.TEXTLINE
        height = 0.0
        iterator = engine.GetIterator()
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


def pick_lines(boxes: list[LineBox]) -> list[LineBox]:
    """Give the widest lines of the common height: rules and frames are higher or lower, and tell nothing."""
    if not boxes:
        return []
    common = median(bottom - top for _, top, _, bottom in boxes)
    texts = [box for box in boxes if 0.75 * common < box[3] - box[1] < 1.5 * common]
    return sorted(texts, key=lambda box: box[0] - box[2])[:_MOST_LINES]


def _bound(words: list[SeenWord]) -> LineBox:
    left, top = (int(min(side)) for side in zip(*((word.left, word.top) for word in words), strict=True))
    right, bottom = (int(max(side)) for side in zip(*((word.right, word.bottom) for word in words), strict=True))
    return left, top, right + 1, bottom + 1


def _show(engine: Any, grey: Any, dpi: int = DPI) -> None:
    engine.SetImageBytes(grey.tobytes(), grey.width, grey.height, 1, grey.width)
    engine.SetSourceResolution(dpi)
