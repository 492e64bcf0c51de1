"""Layouts that are not ours: JSON Resume themes and LaTeX classes. What is not installed is left out, with a word."""

import hashlib
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

from msgspec import json

from evals.resumes.cases import Case
from evals.resumes.foreign import latex, sheets, themes
from evals.resumes.library import scan_once
from evals.resumes.people import Person, make_person
from evals.resumes.printed import cut_to_print
from evals.resumes.rendering.chromium import open_browser
from evals.resumes.rendering.missing import has
from evals.resumes.sheet import Traits, make_sheet

MOST_PEOPLE = 5
"""Foreign layouts are many and slow to draw: more of them say more than more people on each."""


def build_foreign(
    people: int, formats: set[str], *, folder: Path, names: set[str] | None = None, scans: int = 0
) -> list[Case]:
    """Cases of both kinds. A tool that is missing gives none."""
    people = min(people, MOST_PEOPLE)
    folder.mkdir(parents=True, exist_ok=True)
    cases: list[Case] = []
    if has("themes") and has("chromium"):
        wanted = [name for name in themes.LAYOUTS if names is None or name in names]
        cases += _build_themes(wanted, people, folder)
    if has("latex"):
        for name in (name for name in latex.LAYOUTS if names is None or name in names):
            cases += _build_latex(name, people, folder)
    scanned = [_scan(case) for case in cases if case.format == "pdf" and int(case.name.split(".")[0][-2:]) < scans]
    return [case for case in cases + scanned if case.format in formats]


def _scan(case: Case) -> Case:
    printed = Path(case.file)
    truth = cut_to_print(case.truth, printed)
    changed = {
        "name": case.name.replace(".pdf", ".scan"),
        "format": "scan",
        "file": str(scan_once(printed)),
        "truth": truth,
    }
    return Case(**{**{key: getattr(case, key) for key in case.__struct_fields__}, **changed})


def find_people(prefix: str, amount: int, languages: tuple[str, ...]) -> list[Person]:
    """The first people of these languages whose letters old fonts know."""
    drawn = (make_person(f"{prefix}-{number}") for number in count())
    fitting = (one for one in drawn if one.language in languages and _is_western(one))
    return [next(fitting) for _ in range(amount)]


def _is_western(person: Person) -> bool:
    return all(ord(mark) < 0x180 or mark in "–—’'•·›▪◦" for mark in json.encode(person.resume).decode())


def _case(name: str, number: int, file: Path, **more: Any) -> Case:
    module, kind = (latex, "latex") if name in latex.LAYOUTS else (themes, "theme")
    group = "foreign_aside" if name in module.ASIDE else "foreign"
    form = file.suffix.lstrip(".")
    full = f"{kind}-{name}"
    return Case(
        name=f"{full}-{number:02d}.{form}",
        group=group,
        template=full,
        layout=module.LAYOUTS[name],
        format=form,
        file=str(file),
        **more,
    )


def _build_latex(name: str, people: int, folder: Path) -> Iterator[Case]:
    if not latex.has_class(name):
        print(f"missing: the LaTeX class of {name}; left out ({latex.say_remedy(name)})", file=sys.stderr)
        return
    for number, person in enumerate(find_people(f"latex/{name}", people, ("en", "de", "fr", "es"))):
        sheet = make_sheet(person, latex.TRAITS.get(name, Traits()), seed=name)
        source = latex.write_tex(name, sheet)
        file = folder / f"{name}-{number:02d}-{_digest(source.encode())}.pdf"
        try:
            _ = file.exists() or file.write_bytes(latex.set_pdf(name, source))
        except RuntimeError as raised:
            print(f"left out: {name}-{number:02d}: {raised}", file=sys.stderr)
            continue
        yield _case(name, number, file, truth=latex.cut_truth(name, sheet.truth), language=person.language)


def _build_themes(names: list[str], people: int, folder: Path) -> list[Case]:
    """Pages of all themes first, then their prints in one start of the browser."""
    sheets.install(folder / "npm")
    sources = {name: _write_sources(name, people, folder) for name in themes.install(names, folder / "npm")}
    rendered = {name: pairs for name, pairs in sources.items() if _render_theme(name, pairs, folder)}
    _print([source for pairs in rendered.values() for _, source in pairs])
    return [
        case
        for name, pairs in rendered.items()
        for number, (dressed, source) in enumerate(pairs)
        for case in _list_theme(name, number, dressed, source)
    ]


def _write_sources(name: str, people: int, folder: Path) -> list[tuple[dict[str, Any], Path]]:
    pairs = []
    for number, person in enumerate(find_people(f"theme/{name}", people, ("en",))):
        dressed = themes.dress(person.resume, number)
        dressed = themes.fill(dressed) if name in themes.DEMANDING else dressed
        source = folder / f"{name}-{number:02d}-{_digest(json.encode(dressed))}.json"
        source.write_bytes(json.encode(dressed))
        pairs.append((dressed, source))
    return pairs


def _render_theme(name: str, pairs: list[tuple[dict[str, Any], Path]], folder: Path) -> bool:
    missing = [(source, source.with_suffix(".html")) for _, source in pairs if not source.with_suffix(".html").exists()]
    try:
        if missing:
            themes.render(name, missing, folder / "npm")
    except RuntimeError as raised:
        print(f"left out: {raised}", file=sys.stderr)
        return False
    return True


def _print(sources: list[Path]) -> None:
    missing = [source for source in sources if not source.with_suffix(".pdf").exists()]
    if not missing:
        return
    with open_browser() as browser:
        for source in missing:
            printed = browser.print_page(sheets.localise(source.with_suffix(".html"), source.parent / "npm"))
            source.with_suffix(".txt").write_text(browser.read_text(), encoding="utf-8")
            source.with_suffix(".pdf").write_bytes(printed)


def _list_theme(name: str, number: int, dressed: dict[str, Any], source: Path) -> Iterator[Case]:
    page, text = source.with_suffix(".html"), source.with_suffix(".txt")
    truth = themes.cut_truth(dressed, page.read_text(encoding="utf-8"), text.read_text(encoding="utf-8"))
    for file in (page, source.with_suffix(".pdf")):
        yield _case(name, number, file, truth=truth, lenient_dates=True)


def _digest(source: bytes) -> str:
    return hashlib.sha256(source).hexdigest()[:10]
