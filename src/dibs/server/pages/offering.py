"""What the engine's pages put into the navigation."""

from pathlib import Path

from dibs.access.scopes import Scope
from dibs.web.pages.navigation import NavItem

TEMPLATES = Path(__file__).parent / "templates"
OPERATING, ALLOWING = "Operate", "Access"
NAV = (
    NavItem(label="Overview", path="/", scope=Scope.QUEUES_READ),
    NavItem(label="Jobs", path="/jobs", scope=Scope.JOBS_READ),
    NavItem(label="Schedules", path="/schedules", scope=Scope.SCHEDULES_READ),
    NavItem(label="Workers", path="/workers", scope=Scope.WORKERS_READ, for_installation=True),
    NavItem(label="Sources", path="/sources", scope=Scope.SOURCES_READ, for_installation=True),
    NavItem(label="Gate", path="/gate", scope=Scope.GATE_READ, group=OPERATING),
    NavItem(label="Tenants and budgets", path="/tenants", scope=Scope.BUDGETS_READ, group=OPERATING),
    NavItem(label="Audit log", path="/audit", scope=Scope.AUDIT_READ, group=OPERATING),
    NavItem(label="Keys", path="/keys", scope=Scope.KEYS_READ, group=ALLOWING),
    NavItem(label="Users", path="/users", scope=Scope.USERS_WRITE, group=ALLOWING),
)
