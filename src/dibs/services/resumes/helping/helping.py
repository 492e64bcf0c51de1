"""The whole way of the help: find what is unsure, ask once, keep what is true."""

import copy
from typing import Any

import structlog

from dibs.errors import OutsideError
from dibs.outside.models import Ask
from dibs.services.resumes.flags import Warned, flag
from dibs.services.resumes.helping.answers import keep_true
from dibs.services.resumes.helping.placing import put_in, write_anew
from dibs.services.resumes.helping.questions import find_unsure, make_question

_log = structlog.get_logger("dibs.resumes")


async def help_resume(resume: dict[str, Any], ask: Ask) -> dict[str, Any]:
    """Let a model read the unsure sections. Without an answer that is true, the resume stays as the rules read it."""
    sections = [one for one in find_unsure(resume) if _stands_alone(resume, one)]
    if not sections:
        return resume
    try:
        answer = await ask(make_question(sections))
    except OutsideError as fault:
        _log.warning("resumes.model.failed", error=type(fault).__name__)
        return resume
    kept = keep_true(answer, sections)
    return _put_all(resume, kept, sections) if kept else resume


def _stands_alone(resume: dict[str, Any], section: dict[str, Any]) -> bool:
    """Two sections of one kind cannot be told apart in the resume: neither is replaced."""
    kinds = [one["kind"] for one in resume["meta"]["sections"]]
    return kinds.count(section["kind"]) == 1


def _put_all(
    resume: dict[str, Any], kept: dict[int, list[dict[str, str]]], sections: list[dict[str, Any]]
) -> dict[str, Any]:
    helped = copy.deepcopy(resume)
    for number, entries in kept.items():
        put_in(helped, sections[number]["kind"], entries, sections[number])
    write_anew(helped)
    named = flag(Warned.MODEL_HELPED, sections=", ".join(sections[number]["kind"] for number in kept))
    helped["meta"]["flags"].append({"code": named.code, "message": named.message})
    return helped
