"""What the engine's pages put into the navigation."""

from pathlib import Path

from dibs.access.scopes import Scope
from dibs.web.pages.navigation import NavItem

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
