"""DOCX: paragraphs, tables, text boxes, headers and footers, read out of the package by our own hand."""

from dibs.services.resumes.reading.docx.file import read_docx

__all__ = ["read_docx"]
