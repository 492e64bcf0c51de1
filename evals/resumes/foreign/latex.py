"""Resumes set by LaTeX classes that other people wrote."""

import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from evals.resumes.sheet import Sheet, Traits

FOLDER = Path(__file__).with_name("latex")
LAYOUTS = {
    "moderncv-classic": "rail",
    "moderncv-casual": "rail",
    "moderncv-banking": "single",
    "moderncv-oldstyle": "rail",
    "moderncv-fancy": "rail",
    "europasscv": "rail",
    "europecv": "rail",
    "article": "single",
    "curve": "single",
}
ASIDE = {"moderncv-banking", "moderncv-casual", "europecv", "curve"}
TRAITS = {"article": Traits(skills=("grouped",)), "moderncv-banking": Traits(skills=("grouped",))}
CLASSES = {"article": "titlesec.sty"}
MARKS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "º": r"\textordmasculine{}"}


def has_class(name: str) -> bool:
    """Whether the class that a template stands on is installed."""
    stem = name.partition("-")[0]
    wanted = CLASSES.get(stem, f"{stem}.cls")
    return subprocess.run(["kpsewhich", wanted], capture_output=True, check=False).returncode == 0


def write_tex(name: str, sheet: Sheet) -> str:
    stem, _, style = name.partition("-")
    basics = sheet.truth["basics"]
    given, _, family = sheet.name.partition(" ")
    place = basics["location"]
    seen = {"s": sheet, "style": style, "basics": basics, "given": given, "family": family}
    return _templates().get_template(f"{stem}.tex").render(**seen, city=place["city"], address=place.get("address", ""))


def cut_truth(name: str, truth: dict[str, Any]) -> dict[str, Any]:
    """What these classes have no place for is not expected."""
    basics = dict(truth["basics"])
    if name.startswith(("moderncv", "europasscv")):
        basics["profiles"] = [one for one in basics["profiles"] if one["network"] != "X"]
    else:
        basics.pop("url", None)
    if name == "europecv":
        basics["profiles"] = []
    if not name.startswith(("moderncv", "curve")):
        basics.pop("label", None)
    cut = {**truth, "basics": basics}
    if name == "curve":
        cut = {key: value for key, value in cut.items() if key in {"basics", "work", "education", "skills"}}
    return cut


def set_pdf(source: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="dibs-latex-") as folder:
        (Path(folder) / "page.tex").write_text(source, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "page.tex"]
        for _ in range(2):
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60)
        page = Path(folder) / "page.pdf"
        if not page.exists():
            said = [line for line in done.stdout.decode(errors="replace").splitlines() if line.startswith("!")]
            raise RuntimeError(f"LaTeX set no page: {said[:2]}; look at the class it stands on")
        return page.read_bytes()


@cache
def _templates() -> Environment:
    """Marks that TeX leaves free."""
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=False,  # noqa: S701 -- TeX, not HTML
        block_start_string="<%",
        block_end_string="%>",
        variable_start_string="<<",
        variable_end_string=">>",
        comment_start_string="<#",
        comment_end_string="#>",
    )
    made.filters["tex"] = _escape
    return made


def _escape(text: object) -> str:
    return "".join(MARKS.get(mark, f"\\{mark}" if mark in "&%$#_{}" else mark) for mark in str(text))
