"""Every scope, role and act is documented, and the table says what the roles really have; or the build fails."""

import pytest

from dibs.access.model import AccessAction
from dibs.access.scopes import SCOPES_OF_ROLES, Role, Scope
from dibs.storage.roles import TablesRole
from tests.docs.pages import DOCS

PAGE = (DOCS / "reference" / "access.md").read_text()


@pytest.mark.parametrize("scope", Scope)
def test_every_scope_is_documented_with_the_roles_that_have_it(scope):
    [line] = [line for line in PAGE.splitlines() if line.startswith(f"| `{scope}` |")]
    marks = [cell.strip() == "yes" for cell in line.strip("|").split("|")[2:]]
    assert marks == [scope in SCOPES_OF_ROLES[role] for role in Role]


@pytest.mark.parametrize("role", Role)
def test_every_role_is_documented(role):
    assert f"`{role}`" in PAGE


@pytest.mark.parametrize("action", AccessAction)
def test_every_act_is_documented(action):
    assert f"`{action}`" in PAGE


@pytest.mark.parametrize("role", TablesRole)
def test_every_role_of_the_database_is_documented(role):
    assert f"`{role.named('dibs')}`" in (DOCS / "reference" / "tables.md").read_text()
