"""What the Django backend must do. One scene a process: python -m tests.examples.django_scenes.scenes SCENE."""

import asyncio
import sqlite3
import sys
from contextlib import closing
from datetime import timedelta

from django.db import connection, transaction
from django.utils import timezone

import dibs
from tests.examples.django_scenes.project import FILE, OutOfStock, add, add_later, app, refuse, tell_attempt


def commit_stores_the_task():
    with transaction.atomic():
        result = order("Ada")
        assert app.sync.find_job(result.id) is None
    work()
    result.refresh()
    assert (result.status, result.return_value, result.attempts) == ("SUCCESSFUL", 3, 1)
    assert count_orders() == 1


def rollback_takes_the_task_along():
    with transaction.atomic():
        result = order("Ada")
        transaction.set_rollback(True)
    assert app.sync.find_job(result.id) is None
    assert count_orders() == 0


def a_failing_task_tells_its_error():
    result = refuse.enqueue()
    work()
    result.refresh()
    assert result.status == "FAILED"
    assert [error.exception_class for error in result.errors] == [OutOfStock]
    assert "none left" in result.errors[0].traceback


def a_task_may_take_its_context():
    result = tell_attempt.enqueue()
    work()
    result.refresh()
    assert result.return_value == 1


def an_async_task_runs():
    result = asyncio.run(add_later.aenqueue(1, 2))
    work()
    found = asyncio.run(add_later.aget_result(result.id))
    assert found.return_value == 3


def a_task_may_wait():
    result = add.using(run_after=timezone.now() + timedelta(hours=1)).enqueue(1, 2)
    work()
    result.refresh()
    assert (result.status, result.is_finished) == ("READY", False)


def only_tasks_are_run():
    job = app.sync.enqueue("DJANGO_TASK", {"path": "os.system", "args": ["true"], "kwargs": {}})
    assert job is not None
    work()
    found = app.sync.wait_for(job.id)
    assert found.error is not None
    assert (found.state, found.error.message) == (dibs.State.FAILED, "os.system is not a Django task")


SCENES = {
    one.__name__: one
    for one in (
        commit_stores_the_task,
        rollback_takes_the_task_along,
        a_failing_task_tells_its_error,
        a_task_may_take_its_context,
        an_async_task_runs,
        a_task_may_wait,
        only_tasks_are_run,
    )
}


def order(customer):
    connection.cursor().execute("INSERT INTO orders VALUES (%s)", [customer])
    return add.enqueue(1, other=2)


def count_orders():
    with closing(sqlite3.connect(FILE)) as connection:
        return connection.execute("SELECT count(*) FROM orders").fetchone()[0]


def work():
    asyncio.run(app.run_worker(until_drained=True, handle_signals=False))


def main():
    # The jobs' tables must be there before somebody begins a transaction on the file.
    app.sync.run(app.backend())
    with closing(sqlite3.connect(FILE)) as connection:
        connection.execute("CREATE TABLE orders (customer TEXT)")
    SCENES[sys.argv[1]]()
    app.sync.close()


if __name__ == "__main__":
    main()
