"""Small documents that make every reader load what it loads at first use."""

from datetime import date

from dibs.services.resumes.reading.reader import read_document
from dibs.services.resumes.reading.scan import Engine
from dibs.services.resumes.understanding import understand

PAGE = b"""<html><body><h1>Ada Sample</h1><p>ada@example.org +44 20 7946 0958</p><h2>Experience</h2>
<p><b>Engineer</b>, Example Ltd, London</p><p>January 2020 - present</p><h2>Skills</h2><p>Python, SQL</p></body>"""
PDF = b"""%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 53>>stream
BT /F 12 Tf 20 100 Td (Ada Sample, Engineer) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
"""


def read_samples() -> None:
    """Read and understand the samples once."""
    for data in (PAGE, PDF):
        understand(read_document(data, ocr=Engine.OFF), today=date(2020, 1, 1))
