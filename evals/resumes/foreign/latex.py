"""Resumes set by LaTeX classes that other people wrote."""

import os
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
    "altacv": "columns",
    "awesome": "single",
    "twentysecondcv": "sidebar",
    "minipages": "columns",
    "darkside": "sidebar",
}
ASIDE = {"darkside", "moderncv-banking", "moderncv-casual", "curve", "twentysecondcv"}
TRAITS = {
    "article": Traits(skills=("grouped",)),
    "moderncv-banking": Traits(skills=("grouped",)),
    "awesome": Traits(skills=("grouped",)),
    "twentysecondcv": Traits(shows_places=False, shows_label=1.0),
}
CLASSES = {
    "article": "titlesec.sty",
    "awesome": "awesome-cv.cls",
    "minipages": "titlesec.sty",
    "darkside": "paracol.sty",
}
OWN = {"minipages", "darkside"}
"""Documents of our own in the spirit of others' classes, on what every distribution of TeX has."""
ENGINES = {"awesome": "xelatex"}
OWN_CLASSES = Path("build/resumes/foreign/classes")
UNDISTRIBUTED = {"altacv", "awesome", "twentysecondcv"}
"""Classes that no distribution of TeX has; they go into the folder above."""
MARKS = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "º": r"\textordmasculine{}"}


def has_class(name: str) -> bool:
    """Whether the class that a template stands on is installed."""
    found = subprocess.run(["kpsewhich", _file_of(name)], capture_output=True, check=False, env=_environment())
    return found.returncode == 0


def say_remedy(name: str) -> str:
    """How to get the class that a template stands on."""
    if name in UNDISTRIBUTED:
        return f"no package has it: put {_file_of(name)} into {OWN_CLASSES}"
    return "apt install texlive-latex-extra texlive-fonts-extra"


def _file_of(name: str) -> str:
    stem = name.partition("-")[0]
    return CLASSES.get(stem, f"{stem}.cls")


def _environment() -> dict[str, str]:
    return {**os.environ, "TEXINPUTS": f".:{OWN_CLASSES.resolve()}:"}


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
    if name.startswith(("moderncv", "europasscv", "altacv", "awesome")):
        basics["profiles"] = [one for one in basics["profiles"] if one["network"] != "X"]
    else:
        basics.pop("url", None)
    if name in {"europecv", "twentysecondcv"}:
        basics["profiles"] = []
    if name == "twentysecondcv" and "url" in truth["basics"]:
        basics["url"] = truth["basics"]["url"]
    if not name.startswith(("moderncv", "curve", "altacv", "awesome", "twentysecondcv", *OWN)):
        basics.pop("label", None)
    cut = {**truth, "basics": basics}
    if name == "curve":
        cut = {key: value for key, value in cut.items() if key in {"basics", "work", "education", "skills"}}
    return cut


def set_pdf(name: str, source: str) -> bytes:
    with tempfile.TemporaryDirectory(prefix="dibs-latex-") as folder:
        (Path(folder) / "page.tex").write_text(source, encoding="utf-8")
        command = [ENGINES.get(name, "pdflatex"), "-interaction=nonstopmode", "-no-shell-escape", "page.tex"]
        for _ in range(2):
            done = subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=60, env=_environment())
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
