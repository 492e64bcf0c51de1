"""What can be allowed, and which of it the roles have."""

from enum import StrEnum


class Scope(StrEnum):
    """One thing that a key or a user may be allowed to do."""

    JOBS_READ = "jobs:read"
    JOBS_WRITE = "jobs:write"
    JOBS_OPERATE = "jobs:operate"
    QUEUES_READ = "queues:read"
    WORKERS_READ = "workers:read"
    SCHEDULES_READ = "schedules:read"
    SCHEDULES_WRITE = "schedules:write"
    SOURCES_READ = "sources:read"
    SOURCES_OPERATE = "sources:operate"
    GATE_READ = "gate:read"
    GATE_OPERATE = "gate:operate"
    AUDIT_READ = "audit:read"
    AUDIT_OPERATE = "audit:operate"
    TENANTS_READ = "tenants:read"
    TENANTS_WRITE = "tenants:write"
    KEYS_READ = "keys:read"
    KEYS_WRITE = "keys:write"
    USERS_READ = "users:read"
    USERS_WRITE = "users:write"
    BUDGETS_READ = "budgets:read"
    BUDGETS_WRITE = "budgets:write"
    WEBHOOKS_READ = "webhooks:read"
    WEBHOOKS_WRITE = "webhooks:write"
    METRICS_READ = "metrics:read"
    PERSON_READ = "person:read"
    PERSON_ERASE = "person:erase"
    POSTINGS_READ = "postings:read"
    POSTINGS_WRITE = "postings:write"
    POSTINGS_OPERATE = "postings:operate"
    RESUMES_READ = "resumes:read"
    RESUMES_WRITE = "resumes:write"


class Role(StrEnum):
    """What a user of the dashboard is."""

    ADMIN = "admin"
    OPERATOR = "operator"
    RECRUITER = "recruiter"
    VIEWER = "viewer"


_LOOKING = frozenset(
    {
        Scope.JOBS_READ,
        Scope.QUEUES_READ,
        Scope.WORKERS_READ,
        Scope.SCHEDULES_READ,
        Scope.SOURCES_READ,
        Scope.GATE_READ,
        Scope.POSTINGS_READ,
    }
)
_OPERATING = frozenset(
    {
        Scope.JOBS_WRITE,
        Scope.JOBS_OPERATE,
        Scope.SCHEDULES_WRITE,
        Scope.SOURCES_OPERATE,
        Scope.GATE_OPERATE,
        Scope.AUDIT_READ,
        Scope.BUDGETS_READ,
        Scope.WEBHOOKS_READ,
        Scope.METRICS_READ,
        Scope.POSTINGS_OPERATE,
    }
)
SCOPES_OF_ROLES = {
    Role.ADMIN: frozenset(Scope),
    Role.OPERATOR: _LOOKING | _OPERATING,
    Role.RECRUITER: frozenset(
        {
            Scope.JOBS_READ,
            Scope.JOBS_WRITE,
            Scope.QUEUES_READ,
            Scope.POSTINGS_READ,
            Scope.POSTINGS_OPERATE,
            Scope.RESUMES_READ,
            Scope.RESUMES_WRITE,
        }
    ),
    Role.VIEWER: _LOOKING,
}
