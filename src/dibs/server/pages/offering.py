"""What the engine's pages put into the navigation, and what of the audit log they show."""

from pathlib import Path

from dibs.access.scopes import Scope
from dibs.web.pages.navigation import NavItem
from dibs.web.pages.subjects import SubjectPage

TEMPLATES = Path(__file__).parent / "templates"
OPERATING, ALLOWING = "Operate", "Access"
NAV = (
    NavItem(label="Overview", path="/", scope=Scope.QUEUES_READ, icon="overview"),
    NavItem(label="Jobs", path="/jobs", scope=Scope.JOBS_READ, icon="jobs"),
    NavItem(label="Schedules", path="/schedules", scope=Scope.SCHEDULES_READ, icon="calendar"),
    NavItem(label="Workers", path="/workers", scope=Scope.WORKERS_READ, for_installation=True, icon="chip"),
    NavItem(label="Sources", path="/sources", scope=Scope.SOURCES_READ, for_installation=True, icon="globe"),
    NavItem(label="Gate", path="/gate", scope=Scope.GATE_READ, group=OPERATING, icon="gate"),
    NavItem(label="Tenants and budgets", path="/tenants", scope=Scope.BUDGETS_READ, group=OPERATING, icon="coins"),
    NavItem(label="Audit log", path="/audit", scope=Scope.AUDIT_READ, group=OPERATING, icon="seal"),
    NavItem(label="Keys", path="/keys", scope=Scope.KEYS_READ, group=ALLOWING, icon="key"),
    NavItem(label="Users", path="/users", scope=Scope.USERS_WRITE, group=ALLOWING, icon="person"),
)
SUBJECTS = (
    SubjectPage(prefix="job:", address="/jobs/{name}", scope=Scope.JOBS_READ),
    SubjectPage(prefix="queue:", address="/jobs?queue={name}", scope=Scope.JOBS_READ),
    SubjectPage(prefix="schedule:", address="/schedules/one?tenant={tenant}&name={name}", scope=Scope.SCHEDULES_READ),
    SubjectPage(prefix="source:", address="/sources", scope=Scope.SOURCES_READ, for_installation=True),
    SubjectPage(prefix="gate:", address="/gate", scope=Scope.GATE_READ),
    SubjectPage(prefix="tenant:", address="/tenants", scope=Scope.BUDGETS_READ),
    SubjectPage(prefix="audit:", address="/audit/seals", scope=Scope.AUDIT_READ),
    SubjectPage(prefix="key:", address="/keys", scope=Scope.KEYS_READ),
    SubjectPage(prefix="user:", address="/users", scope=Scope.USERS_WRITE),
)
