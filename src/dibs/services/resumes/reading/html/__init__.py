"""HTML: the text that a browser would show, with as much of its arrangement as style sheets tell cheaply."""

from dibs.services.resumes.reading.html.file import read_html

__all__ = ["read_html"]
