"""What `--help` says is what the command does."""

import re

import pytest

from dibs.engine.states import REVIVABLE, UNFINISHED, State


@pytest.mark.parametrize(("command", "taken"), [("retry", REVIVABLE), ("cancel", UNFINISHED)])
def test_only_states_that_an_act_leads_out_of_are_offered(dibs, command, taken):
    told = dibs("jobs", command, "--help").out
    offered = re.search(r"--state STATE(.*?)may be repeated", " ".join(told.split()))
    assert offered is not None
    assert {state for state in State if state in offered[1]} == taken


def test_the_folder_of_dibs_up_is_named_where_stores_are_chosen(dibs):
    assert "$DIBS_DATA" in dibs("jobs", "list", "--help").out


@pytest.mark.parametrize("command", ["keys", "users", "webhooks"])
def test_whoever_makes_something_is_told_to_say_whose_it_is(dibs, command):
    told = " ".join(dibs(command, "add" if command == "webhooks" else "create", "--help").out.split())
    assert "Say this, or --all-tenants." in told
