"""Rules for Prometheus that name a figure which nobody serves would never call anybody."""

import re
from typing import Any

import pytest
import yaml

from dibs.engine.events import Events
from dibs.engine.states import State
from dibs.server.figures import Figures
from tests.docs.pages import DOCS, read_blocks

PAGE = DOCS / "how-to" / "monitor-it.md"
BLOCKS = [yaml.safe_load(block.text) for block in read_blocks(PAGE) if block.language == "yaml"]
RULES = [rule for block in BLOCKS for group in block.get("groups", []) for rule in group["rules"]]
OUTCOMES = {"succeeded", "errored", "snoozed", "dropped", "released"}


class NobodyWaits:
    watchers = 0


@pytest.fixture(scope="module")
def served() -> set[str]:
    hub: Any = NobodyWaits()
    families = Figures(Events(), hub)._registry.collect()
    return {f"{family.name}{ending}" for family in families for ending in ("", "_total", "_bucket", "_count", "_sum")}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_a_rule_asks_for_figures_that_are_served(rule, served):
    named = set(re.findall(r"dibs_\w+", rule["expr"]))
    assert named <= served
    assert named or rule["expr"].startswith("up{")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule["alert"])
def test_a_rule_compares_with_values_that_occur(rule):
    assert set(re.findall(r'\bstate="(\w+)"', rule["expr"])) <= {state.value for state in State}
    assert set(re.findall(r'outcome="(\w+)"', rule["expr"])) <= OUTCOMES
    assert rule["expr"].count("(") == rule["expr"].count(")")
    assert rule["annotations"]["summary"].endswith(".")


def test_the_page_tells_how_to_read_the_figures_and_what_to_be_called_for():
    (scrape,) = [block for block in BLOCKS if "scrape_configs" in block]
    assert scrape["scrape_configs"][0]["metrics_path"] == "/api/v1/metrics"
    assert len(RULES) > 5
