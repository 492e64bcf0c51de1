"""Style sheets that themes fetch from the net, out of npm: without them a page of two columns is printed as none."""

import re
from pathlib import Path

from evals.resumes.foreign.npm import fetch

PACKAGES = {"bootstrap": "bootstrap@3.4.1", "bootswatch": "bootswatch@3.4.1", "bulma": "bulma@0.7.5"}
"""One version of each is enough: what themes take of them, grids and sizes, is the same in all of one number."""
_HREF = re.compile(r"""(?<=href=)(["'])(?:https?:)?//([^"'>]+?\.css)[^"'>]*\1""")
_SWATCH = re.compile(r"bootswatch(?:\.com)?/(?:3[.\d]*/)?(\w+)/bootstrap(?:\.min)?\.css$")
_BOOTSTRAP = re.compile(r"bootstrap/3[.\d]*/css/bootstrap(?:\.min)?\.css$")
_BULMA = re.compile(r"bulma[/@]0\.[.\d]+/css/bulma(?:\.min)?\.css$")


def install(folder: Path) -> None:
    fetch([package for name, package in PACKAGES.items() if not (folder / "node_modules" / name).exists()], folder)


def localise(page: Path, folder: Path) -> Path:
    """The page as a browser shows it that reaches the net; the page itself where that changes nothing."""
    text = page.read_text(encoding="utf-8")

    def swap(match: re.Match[str]) -> str:
        sheet = find_sheet(match[2], folder)
        return f'"{sheet.resolve().as_uri()}"' if sheet else match[0]

    changed = _HREF.sub(swap, text)
    if changed == text:
        return page
    shown = page.with_suffix(".shown.html")
    shown.write_text(changed, encoding="utf-8")
    return shown


def find_sheet(address: str, folder: Path) -> Path | None:
    """The copy of a sheet, if it is one of those that make a layout."""
    modules = folder / "node_modules"
    if swatch := _SWATCH.search(address):
        found = modules / "bootswatch" / swatch[1] / "bootstrap.min.css"
    elif _BOOTSTRAP.search(address):
        found = modules / "bootstrap/dist/css/bootstrap.min.css"
    elif _BULMA.search(address):
        found = modules / "bulma/css/bulma.min.css"
    else:
        return None
    return found if found.exists() else None
