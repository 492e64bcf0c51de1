"""Postings over HTTP: what agents ask for, and what people do."""

from fastapi import APIRouter

from dibs.apps.postings.routes import agents, people, profiles, rules

# Profiles before postings: an id of a posting may be any word.
_PARTS = (agents.crawler, agents.api, profiles.router, people.router, rules.router)
router = APIRouter(routes=[route for part in _PARTS for route in part.routes])
