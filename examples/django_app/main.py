"""A Django project in one file whose tasks are run by Dibs.

Once:        dibs db migrate --url sqlite:///shop.db
Web server:  uvicorn main:application
Worker:      dibs worker --app main:jobs
Jobs are in shop.db, the project's own database, or in the SQLite file that SHOP_DB names.
"""

import os

from django.conf import settings
from django.core.asgi import get_asgi_application
from django.db import transaction
from django.http import Http404, JsonResponse
from django.urls import path

import dibs

FILE = os.environ.get("SHOP_DB", "shop.db")
DATABASE = {"ENGINE": "django.db.backends.sqlite3", "NAME": FILE, "OPTIONS": {"transaction_mode": "IMMEDIATE"}}
settings.configure(
    ALLOWED_HOSTS=["127.0.0.1"],
    DATABASES={"default": DATABASE},
    ROOT_URLCONF=__name__,
    TASKS={"default": {"BACKEND": "dibs_backend.DibsBackend", "OPTIONS": {"database": "default"}}},
)

from dibs_backend import blueprint, exceptions, tasks  # noqa: E402 - `tasks` is django.tasks, and wants the settings

jobs = dibs.Dibs(f"sqlite:///{FILE}")
jobs.include(blueprint)


@tasks.task(priority=5)
def send_receipt(customer: str) -> str:
    """Thank the customer: a task as Django knows it."""
    return f"Thanks, {customer}"


def place_order(request):
    """Enqueue with the writes of a request: all of it commits, or none."""
    with transaction.atomic():
        result = send_receipt.enqueue(customer=request.POST["customer"])
    return JsonResponse({"id": result.id, "status": result.status}, status=202)


def show_receipt(_, result_id):
    """Tell what became of it."""
    try:
        result = send_receipt.get_result(result_id)
    except exceptions.TaskResultDoesNotExist:
        raise Http404 from None
    mail = result.return_value if result.status == "SUCCESSFUL" else None
    return JsonResponse({"status": result.status, "mail": mail})


urlpatterns = [path("orders", place_order), path("receipts/<str:result_id>", show_receipt)]
application = get_asgi_application()
