"""Picture files, opened with suspicion: a few bytes can claim to be gigapixels."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from typing import Any

from PIL import Image, ImageOps, ImageSequence, UnidentifiedImageError

from dibs.services.resumes.flags import Refusal, refuse
from dibs.services.resumes.reading.limits import Limits

FORMATS = ("PNG", "JPEG", "TIFF", "WEBP", "BMP", "GIF")
FAULTS = (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError, IndexError, TypeError, MemoryError)


def count_frames(data: bytes, limits: Limits) -> int:
    """Give how many pages a picture file has."""
    with _open(data, limits) as picture:
        try:
            return int(getattr(picture, "n_frames", 1))
        except FAULTS:
            return 1


def open_frame(data: bytes, number: int, limits: Limits) -> Any:
    """Give one page of a picture file, upright and in RGB. Pages count from 1."""
    with _open(data, limits) as picture:
        for index, frame in enumerate(ImageSequence.Iterator(picture), start=1):
            _check_size(frame, limits)
            if index == number:
                return _flatten(ImageOps.exif_transpose(frame))
    raise refuse(Refusal.CORRUPTED, what="it has no such page")


@contextmanager
def _open(data: bytes, limits: Limits) -> Iterator[Any]:
    with warnings.catch_warnings():
        # Our own limit is stricter than the warning, and refuses.
        warnings.simplefilter("ignore")
        try:
            with Image.open(BytesIO(data), formats=FORMATS) as picture:
                _check_size(picture, limits)
                yield picture
        except Image.DecompressionBombError as bomb:
            raise refuse(Refusal.TOO_MANY_PIXELS, limit=f"{limits.max_pixels:,}") from bomb
        except FAULTS as fault:
            if getattr(fault, "code", None):
                raise
            raise refuse(Refusal.CORRUPTED, what="it is no whole picture") from fault


def _check_size(picture: Any, limits: Limits) -> None:
    if picture.width * picture.height > limits.max_pixels:
        raise refuse(Refusal.TOO_MANY_PIXELS, limit=f"{limits.max_pixels:,}")


def _flatten(picture: Any) -> Any:
    """Put a see-through picture on white paper."""
    if picture.mode in {"RGBA", "LA", "PA"} or "transparency" in picture.info:
        paper = Image.new("RGBA", picture.size, "white")
        return Image.alpha_composite(paper, picture.convert("RGBA")).convert("RGB")
    return picture.convert("RGB")
