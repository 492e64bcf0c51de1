"""Postings over HTTP: what agents ask for, and what people do."""

from fastapi import APIRouter

from dibs.apps.postings.routes import agents, people, rules

router = APIRouter(routes=[*agents.crawler.routes, *agents.api.routes, *people.router.routes, *rules.router.routes])
