"""CPU-bound tasks that harm the process they run in."""

import os

from dibs import Blueprint

blueprint = Blueprint()


@blueprint.task("DIE", cpu_bound=True)
def die() -> None:
    os.abort()


@blueprint.task("SPIN", cpu_bound=True, timeout=1.5, max_retries=0)
def spin() -> None:
    while True:
        pass


@blueprint.task("SUM", cpu_bound=True)
def add_up(most: int) -> int:
    return sum(range(most))
