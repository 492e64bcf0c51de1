"""A sheet as a web page: what Chromium prints, and what the HTML format is."""

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from evals.resumes.sheet import Sheet

FOLDER = Path(__file__).parents[1] / "templates" / "html"


@cache
def _templates() -> Environment:
    return Environment(loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, trim_blocks=True)


def render_html(template: str, sheet: Sheet) -> str:
    return _templates().get_template(f"{template}.html").render(s=sheet)
