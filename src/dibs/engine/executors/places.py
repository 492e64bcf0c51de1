"""Where a task is defined, so that another process can find it again."""

import runpy
import sys
from functools import cache
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from dibs.engine.executors.messages import Place
from dibs.engine.tasks.task import Task
from dibs.errors import BadInput

MAIN = "__main__"
MAIN_ELSEWHERE = "__dibs_main__"


def find_place(task: Task[Any, Any]) -> Place:
    """Say where another process finds a task; refuse one that only this process can reach."""
    module = getattr(task.handler, "__module__", None) or ""
    attribute = _find_attribute(task, sys.modules.get(module))
    if attribute is None:
        called = getattr(task.handler, "__qualname__", repr(task.handler))
        message = (
            f"task {task.name!r} is CPU-bound, so another process must find it by module and name, and under "
            f"{module}.{called} it cannot. Define it at module level: a plain function right under its @task line."
        )
        raise BadInput(message)
    if module == MAIN:
        return _find_place_in_main(task, attribute)
    return Place(module=module, attribute=attribute)


def _find_attribute(task: Task[Any, Any], module: ModuleType | None) -> str | None:
    if module is None:
        return None
    called = getattr(task.handler, "__qualname__", "")
    if _find(module, called) is task:
        return str(called)
    return next((name for name, value in vars(module).items() if value is task), None)


def _find_place_in_main(task: Task[Any, Any], attribute: str) -> Place:
    main = sys.modules[MAIN]
    # `python -m package.module` has a real name; a script has only its file.
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.name != MAIN:
        return Place(module=spec.name, attribute=attribute)
    script = getattr(main, "__file__", None)
    if script is None or not Path(script).is_file():
        message = (
            f"task {task.name!r} is CPU-bound and defined in __main__, which is no file that another process could "
            "read. Define it in a module."
        )
        raise BadInput(message)
    return Place(module=MAIN, attribute=attribute, script=script)


@cache
def load_task(place: Place) -> Task[Any, Any]:
    """Import a task in this process."""
    module = import_module(place.module) if place.script is None else _import_script(place.script)
    task = _find(module, place.attribute)
    if isinstance(task, Task):
        return task
    message = (
        f"a new process finds no task {place.attribute!r} in {place.script or place.module}. "
        'Define it at module level, and not under `if __name__ == "__main__"`.'
    )
    raise BadInput(message)


@cache
def _import_script(script: str) -> ModuleType:
    # Under another name, so that its `if __name__ == "__main__"` part does not run: as multiprocessing does.
    module = ModuleType(MAIN_ELSEWHERE)
    module.__dict__.update(runpy.run_path(script, run_name=MAIN_ELSEWHERE))
    sys.modules[MAIN] = sys.modules[MAIN_ELSEWHERE] = module
    return module


def _find(module: ModuleType, attribute: str) -> Any:
    try:
        return attrgetter(attribute)(module)
    except AttributeError:
        return None
