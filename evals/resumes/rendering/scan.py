"""A page as a scanner gives it: pixels, a little crooked, a little grey, with noise."""

from io import BytesIO
from random import Random

import numpy as np
import pypdfium2
from PIL import Image

GIVEN_AS = ("pdf", "png", "jpg")


def scan(pdf: bytes, *, seed: str) -> tuple[bytes, str]:
    """The scan of a PDF and its extension. An image holds one page, so longer ones become a PDF of images."""
    chance = Random(seed)
    dpi = chance.choice([150, 175, 200])
    document = pypdfium2.PdfDocument(pdf)
    try:
        pages = [_roughen(page.render(scale=dpi / 72).to_pil(), chance) for page in document]
    finally:
        document.close()
    form = "pdf" if len(pages) > 1 else chance.choice(GIVEN_AS)
    return _save(pages, form, dpi), form


def _roughen(image: Image.Image, chance: Random) -> Image.Image:
    angle = chance.uniform(-0.6, 0.6)
    turned = image.convert("L").rotate(angle, resample=Image.Resampling.BICUBIC, fillcolor=255)
    noise = np.random.default_rng(chance.randrange(2**32)).normal(
        0, chance.uniform(3, 9), (turned.height, turned.width)
    )
    faded = np.asarray(turned, dtype=np.float32) * chance.uniform(0.9, 1.0) + noise + chance.uniform(0, 12)
    return Image.fromarray(np.clip(faded, 0, 255).astype(np.uint8))


def _save(pages: list[Image.Image], form: str, dpi: int) -> bytes:
    buffer = BytesIO()
    if form == "pdf":
        pages[0].save(buffer, "PDF", save_all=True, append_images=pages[1:], resolution=dpi, quality=80)
    elif form == "jpg":
        pages[0].save(buffer, "JPEG", quality=78, dpi=(dpi, dpi))
    else:
        pages[0].save(buffer, "PNG", dpi=(dpi, dpi))
    return buffer.getvalue()
