"""Resumes over HTTP."""

from dibs.services.resumes.uploads.routes.doors import find_uploads, router

__all__ = ["find_uploads", "router"]
