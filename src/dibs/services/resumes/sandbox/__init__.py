"""A child process for every document, forked from a warm parent, with as little around it as the system can enforce."""

from dibs.services.resumes.sandbox.allowance import Allowance
from dibs.services.resumes.sandbox.client import Sandbox
from dibs.services.resumes.sandbox.requests import Answer, Parse, Read, Request, Scan, Understand

__all__ = ["Allowance", "Answer", "Parse", "Read", "Request", "Sandbox", "Scan", "Understand"]
