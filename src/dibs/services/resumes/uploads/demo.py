"""Made-up resumes for `dibs up --demo`. They are handed in like any others, and jobs read them."""

import io

from dibs.access.directory import Directory
from dibs.access.model import by_system
from dibs.engine.app import App
from dibs.services.resumes.tasks import find_parser
from dibs.services.resumes.uploads.actions import GivenFile, keep_file
from dibs.services.resumes.uploads.desk import Desk

TENANT = "default"
ACTOR, REASON = "demo", "made up for the demo"
PEOPLE = (
    ("Mira Okafor", "Backend engineer", "Lisbon, Portugal", "Lumen Labs", "Quill Studio", "Python, PostgreSQL, Redis"),
    ("Jonas Lindqvist", "Data analyst", "Oslo, Norway", "Atlas Rail", "Harbour Foods", "SQL, Python, Tableau"),
    ("Ines Carvalho", "Product designer", "Leipzig, Germany", "Northwind Press", "Lumen Labs", "Figma, HTML, CSS"),
)
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title><body>
<h1>{name}</h1><p>{role}</p><p>{mail} | +49 30 901820 | {place}</p>
<h2>Experience</h2>
<h3>{role}, {now}</h3><p>March 2021 - Present</p>
<ul><li>Led a team of four, and halved what the nightly run took.</li></ul>
<h3>Junior {lower}, {before}</h3><p>September 2017 - February 2021</p>
<ul><li>Wrote the first version of the order desk.</li></ul>
<h2>Education</h2><h3>BSc Computer Science, University of Porto</h3><p>2014 - 2017</p>
<h2>Skills</h2><p>{skills}</p>
</body></html>
"""


async def fill(*, app: App, directory: Directory) -> None:
    """Hand in a few resumes for the default tenant, whose resumes the pages show first."""
    desk = Desk(directory, app, find_parser(app))
    for person in PEOPLE:
        data = write_resume(*person).encode()
        name = f"{person[0].lower().replace(' ', '-')}.html"
        given = GivenFile(content=io.BytesIO(data), size=len(data), name=name, declared="text/html")
        await keep_file(desk, TENANT, given, by_system(ACTOR, REASON))


def write_resume(name: str, role: str, place: str, now: str, before: str, skills: str) -> str:
    """Write the resume of somebody who does not exist."""
    mail = f"{name.lower().replace(' ', '.')}@example.com"
    return PAGE.format(
        name=name, role=role, lower=role.lower(), place=place, now=now, before=before, skills=skills, mail=mail
    )
