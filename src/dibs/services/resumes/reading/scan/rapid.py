"""The recogniser that comes with its models in its wheel."""

import re
import warnings
from collections.abc import Iterator
from math import atan2, ceil, degrees
from statistics import median
from typing import Any

from dibs.services.resumes.reading.scan.narrowing import PatientReader
from dibs.services.resumes.reading.scan.recogniser import Seen, SeenWord

LONGEST_SIDE = 1_120
"""Lines are found in a smaller picture, and read in the full one: that takes half the time and finds the same."""
FULL_SIDE = 2_000
"""How long the longer side of a whole page is, where lines are read."""
SEPARATOR = re.compile(r"([|•·])")
PARAMETERS = {
    "EngineConfig.onnxruntime.intra_op_num_threads": 1,
    "EngineConfig.onnxruntime.inter_op_num_threads": 1,
    # A child reads one page and ends: asking the system for the same memory again and again is a twentieth of its time.
    "EngineConfig.onnxruntime.enable_cpu_mem_arena": True,
    "Global.use_cls": False,
    "Global.log_level": "critical",
    "Global.text_score": 0.0,
    "Global.max_side_len": FULL_SIDE,
    "Det.limit_side_len": LONGEST_SIDE,
    "Det.limit_type": "max",
    "Rec.rec_batch_num": 1,
}


class RapidRecogniser:
    """Reads with rapidocr. Its check for upside-down lines is off: it turns good ones around."""

    name = "rapidocr"
    needs_level_lines = False

    def __init__(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from dibs.services.resumes.reading.scan.margins import find_print  # noqa: PLC0415 - needs numpy

            self._find_print = find_print
            self._engine = _load_engine()

    def see(self, picture: Any) -> Seen:
        """Find the words of a picture."""
        import numpy as np  # noqa: PLC0415 - comes with the recogniser

        grey = np.asarray(picture.convert("L")).astype("int16")
        left, top, right, bottom = self._find_print(grey)
        # As fine as the whole page would have been: only the margins are gone.
        share = max(right - left, bottom - top) / max(picture.size)
        self._engine.max_side_len = ceil(FULL_SIDE * share)
        self._engine.text_det.limit_side_len = ceil(LONGEST_SIDE * share)
        part = np.ascontiguousarray(np.asarray(picture)[top:bottom, left:right, ::-1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = self._engine(part, use_det=True, use_cls=False, return_word_box=True)
        if found.boxes is None:
            return Seen([])
        slopes = [degrees(atan2(box[1][1] - box[0][1], box[1][0] - box[0][0])) for box in found.boxes]
        words = [word for line in found.word_results for part in line for word in _part_at_separators(*part)]
        return Seen([_move(word, left, top) for word in words], float(median(slopes)))


def _move(word: SeenWord, across: int, down: int) -> SeenWord:
    """Give a word its place on the whole page."""
    left, right = word.left + across, word.right + across
    return word._replace(left=left, right=right, top=word.top + down, bottom=word.bottom + down)


def _load_engine() -> Any:
    """Its models are loaded at the first picture; a blank one loads them now, before children are forked."""
    import numpy as np  # noqa: PLC0415 - comes with the recogniser
    from rapidocr import RapidOCR  # noqa: PLC0415 - takes seconds, and is needed for pictures only

    engine: Any = RapidOCR(params=PARAMETERS)
    engine(np.full((64, 64, 3), 255, "uint8"), use_cls=False)
    engine(np.full((48, 96, 3), 255, "uint8"), use_det=False, use_cls=False)
    reader: Any = PatientReader(engine.text_rec)
    engine.text_rec = reader
    return engine


def _surround(corners: Any) -> tuple[float, float, float, float]:
    across, down = [float(x) for x, _ in corners], [float(y) for _, y in corners]
    return min(across), min(down), max(across), max(down)


def _part_at_separators(text: str, confidence: float, corners: Any) -> Iterator[SeenWord]:
    """Give a word; one that was read together with the bar beside it falls apart again."""
    first, top, last, bottom = _surround(corners)
    step = (last - first) / max(len(text), 1)
    start = 0
    for part in SEPARATOR.split(text):
        left = first + start * step
        if part.strip():
            yield SeenWord(part.strip(), left, top, left + len(part) * step, bottom, 0.0, float(confidence))
        start += len(part)
