"""Lines on their way to the recogniser: as high as it needs them, and no wider than they are.

Left to itself, the library makes a line of 35 pixels 48 high and half as wide again as it was. Reading takes time by
the width, and for most print the added pixels tell nothing: without them it takes a quarter less. Narrow letters are
lost so; the reader is then not sure of the line, and reads it again as wide as the library would have made it.
"""

from dataclasses import replace
from math import ceil
from typing import Any

HEIGHT = 48
"""What the model takes."""
NARROWEST = 0.6
"""Letters of very small print would become too narrow to be told apart."""
SURE = 0.95
"""Lines that were read with less confidence are read again."""


class PatientReader:
    """Takes the place of the library's reader of lines: narrowed lines first, the doubtful ones again in full."""

    def __init__(self, reader: Any) -> None:
        self._reader = reader

    def __call__(self, asked: Any) -> Any:
        """Read the lines that are asked for."""
        found = self._read(asked, NARROWEST)
        unsure = [at for at, score in enumerate(found.scores) if score < SURE]
        if not unsure:
            return found
        again = self._read(replace(asked, img=[asked.img[at] for at in unsure]), 1.0)
        return _merge(found, again, unsure)

    def _read(self, asked: Any, narrowest: float) -> Any:
        self._reader.resize_norm_img = lambda line, widest: fit_line(line, widest, narrowest=narrowest)
        return self._reader(asked)


def _merge(found: Any, again: Any, places: list[int]) -> Any:
    """Put the lines that were read again, and better, in their places."""
    texts, scores, words = list(found.txts), list(found.scores), list(found.word_results)
    for at, text, score, parts in zip(places, again.txts, again.scores, again.word_results, strict=True):
        if score > scores[at]:
            texts[at], scores[at], words[at] = text, score, parts
    return replace(found, txts=tuple(texts), scores=tuple(scores), word_results=tuple(words))


def fit_line(line: Any, widest: float, *, narrowest: float = NARROWEST) -> Any:
    """Give a line as the model takes it. `widest` is the breadth of the widest one beside it, in heights."""
    import cv2  # noqa: PLC0415 - comes with the recogniser
    import numpy as np  # noqa: PLC0415 - the same

    height, width = line.shape[:2]
    narrowing = min(1.0, max(height / HEIGHT, narrowest))
    room = max(int(HEIGHT * widest * narrowing), 1)
    taken = min(room, max(ceil(HEIGHT * width / height * narrowing), 1))
    fitted = cv2.resize(line, (taken, HEIGHT)).astype("float32").transpose(2, 0, 1) / 127.5 - 1.0
    paper = np.zeros((3, HEIGHT, room), dtype="float32")
    paper[:, :, :taken] = fitted
    return paper
