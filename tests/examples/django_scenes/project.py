"""A Django project with tasks of several kinds, on the backend of examples/django_app; its file is SHOP_DB."""

import importlib
import os
import sys
from pathlib import Path

from django.conf import settings

import dibs

FILE = os.environ["SHOP_DB"]
DATABASE = {"ENGINE": "django.db.backends.sqlite3", "NAME": FILE, "OPTIONS": {"transaction_mode": "IMMEDIATE"}}
settings.configure(
    DATABASES={"default": DATABASE},
    TASKS={"default": {"BACKEND": "dibs_backend.DibsBackend", "OPTIONS": {"database": "default"}}},
)
sys.path.insert(0, str(Path(__file__).parents[3] / "examples" / "django_app"))
backend = importlib.import_module("dibs_backend")
task = backend.tasks.task
app = dibs.Dibs(f"sqlite:///{FILE}")
app.include(backend.blueprint)


class OutOfStock(dibs.Permanent):
    """An error of the project's own."""


@task()
def add(one, other):
    return one + other


@task()
def refuse():
    message = "none left"
    raise OutOfStock(message)


@task(takes_context=True)
def tell_attempt(context):
    return context.attempt


@task()
async def add_later(one, other):
    return one + other
