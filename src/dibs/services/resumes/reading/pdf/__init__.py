"""PDF: words with their places, read by PDFium."""

from dibs.services.resumes.reading.pdf.file import read_pdf

__all__ = ["read_pdf"]
