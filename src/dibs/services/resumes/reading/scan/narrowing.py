"""Lines on their way to the recogniser: as high as it needs them, and no wider than they are.

Left to itself, the library makes a line of 35 pixels 48 high and half as wide again as it was. Reading takes time by
the width, and the added pixels tell nothing: without them it takes a quarter less, and scans are read no worse.
"""

from math import ceil
from typing import Any

HEIGHT = 48
"""What the model takes."""
NARROWEST = 0.6
"""Letters of very small print would become too narrow to be told apart."""


def fit_line(line: Any, widest: float) -> Any:
    """Give a line as the model takes it. `widest` is the breadth of the widest one beside it, in heights."""
    import cv2  # noqa: PLC0415 - comes with the recogniser
    import numpy as np  # noqa: PLC0415 - the same

    height, width = line.shape[:2]
    narrowing = min(1.0, max(height / HEIGHT, NARROWEST))
    room = max(int(HEIGHT * widest * narrowing), 1)
    taken = min(room, max(ceil(HEIGHT * width / height * narrowing), 1))
    fitted = cv2.resize(line, (taken, HEIGHT)).astype("float32").transpose(2, 0, 1) / 127.5 - 1.0
    paper = np.zeros((3, HEIGHT, room), dtype="float32")
    paper[:, :, :taken] = fitted
    return paper
