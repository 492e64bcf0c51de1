"""Pages of postings: the list, one posting's timeline, what is held, who applies, and how variants do."""

from fastapi import APIRouter

from dibs.access.scopes import Scope
from dibs.apps.postings.pages import postings, profiles
from dibs.web.pages.navigation import NavItem
from dibs.web.pages.subjects import SubjectPage

router = APIRouter(routes=[*postings.router.routes, *profiles.router.routes])
GROUP = "Apps"
NAV = (
    NavItem(label="Postings", path="/postings", scope=Scope.POSTINGS_READ, group=GROUP, icon="case"),
    NavItem(label="Held postings", path="/postings/held", scope=Scope.POSTINGS_READ, group=GROUP, icon="pause"),
    NavItem(label="Approvals", path="/postings/approvals", scope=Scope.POSTINGS_READ, group=GROUP, icon="check"),
    NavItem(label="Profiles", path="/postings/profiles", scope=Scope.POSTINGS_READ, group=GROUP, icon="person"),
    NavItem(label="Resume variants", path="/postings/variants", scope=Scope.POSTINGS_READ, group=GROUP, icon="bars"),
)
# What was done to rules, answers and people stands in the same book as what was done to postings.
SUBJECTS = tuple(
    SubjectPage(prefix=f"posting:{kind}", address=address, scope=Scope.POSTINGS_READ)
    for kind, address in {
        "": "/postings/known?id={name}&tenant={tenant}",
        "board:": "/postings?board={name}&tenant={tenant}",
        "profile:": "/postings/profiles?tenant={tenant}",
        "cap:": "",
        "answer:": "",
    }.items()
)
