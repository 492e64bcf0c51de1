"""Finding the app that `--app module:attribute` names."""

import asyncio
import os
import sys
import traceback
from functools import reduce
from importlib import import_module
from types import ModuleType
from typing import Any

from dibs.assembly import Dibs, furnish, migrate_tables
from dibs.engine.app import App
from dibs.engine.tasks.blueprint import Blueprint
from dibs.errors import BadInput, DibsError

DEFAULT_NAME = "app"


def load_app(path: str | None, *, url: str | None = None) -> App:
    """Import the module and give its app, on another store if a URL is given; or say what to do instead."""
    if not path:
        message = "no app is named. Say where it is: --app module:app, or DIBS_APP=module:app."
        raise BadInput(message)
    module_name, _, name = path.partition(":")
    name = name or DEFAULT_NAME
    is_named = all(part.isidentifier() for part in f"{module_name}.{name}".split("."))
    if not is_named or module_name.endswith(".py"):
        message = f"--app {path!r} is not of the form module:app. For the file shop/tasks.py write shop.tasks:app."
        raise BadInput(message)
    module = _import(module_name)
    app = _check(_find(module, name), f"{module_name}:{name}")
    if url is not None:
        _move(app, url)
    return app


def open_installed(url: str | None) -> Dibs:
    """Give the app of all that is installed, on a store whose tables are up to date."""
    app = Dibs(url)
    furnish(app)
    asyncio.run(migrate_tables(app))
    return app


def _import(name: str) -> ModuleType:
    folder = os.getcwd()  # noqa: PTH109 - sys.path holds strings
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return import_module(name)
    except DibsError:
        raise
    except ModuleNotFoundError as cause:
        if cause.name is not None and f"{name}.".startswith(f"{cause.name}."):
            raise BadInput(_explain_missing(name, cause.name, folder)) from cause
        raise BadInput(_explain_failed(name, cause)) from cause
    except (Exception, SystemExit) as cause:
        raise BadInput(_explain_failed(name, cause)) from cause


def _explain_missing(name: str, missing: str, folder: str) -> str:
    where = f"{missing.replace('.', '/')}.py"
    return (
        f"there is no module {missing!r} for --app {name}. Run dibs in the folder that holds {where}"
        f" (now: {folder}), install the package, or correct the name."
    )


def _explain_failed(name: str, cause: BaseException) -> str:
    frames = traceback.extract_tb(cause.__traceback__)
    if isinstance(cause, SyntaxError):
        place = f"{cause.filename}, line {cause.lineno}"
    else:
        place = f"{frames[-1].filename}, line {frames[-1].lineno}"
    what = f"{type(cause).__name__}: {cause}"
    return f"importing {name!r} failed with {what} ({place}). Repair that first; --debug shows the traceback."


def _find(module: ModuleType, name: str) -> Any:
    try:
        return reduce(getattr, name.split("."), module)
    except AttributeError as cause:
        apps = [f"{module.__name__}:{key}" for key, value in vars(module).items() if isinstance(value, App)]
        advice = f"Use --app {apps[0]}." if apps else "Make one there: app = dibs.Dibs(…)."
        message = f"module {module.__name__!r} has no {name!r}. {advice}"
        raise BadInput(message) from cause


def _check(found: Any, path: str) -> App:
    if isinstance(found, App):
        return found
    if isinstance(found, Blueprint):
        message = f"{path} is a blueprint. Collect it in an app, app.include(…), and name that app."
    else:
        message = f"{path} is of type {type(found).__name__}, not dibs.Dibs. Name the app itself: --app module:app."
    raise BadInput(message)


def _move(app: App, url: str) -> None:
    if not isinstance(app, Dibs):
        message = "this app opens its store by itself, so --url has no effect on it. Leave --url out."
        raise BadInput(message)
    app.url = url
