"""FlexiQ on SQLite, PostgreSQL or Redis: coroutines, pushed out as soon as they are stored where it can."""

import sys

from flexiq import Queue
from telling import enqueue, on_each_line, tell, tell_wait

url, command, *rest = sys.argv[1:]
kind = url.partition(":")[0]
if kind == "sqlite":
    queue = Queue(db_path=url.removeprefix("sqlite:///"), scheduler_poll_interval_ms=5)
else:
    backend = "postgres" if kind == "postgresql" else "redis"
    queue = Queue(backend=backend, db_url=url, scheduler_poll_interval_ms=5)


@queue.task(name="nothing")
def nothing(sent: float = 0.0) -> None:
    tell_wait(sent)


if command == "enqueue":
    enqueue(int(rest[0]), 1_000, lambda size: queue.enqueue_many("nothing", [()] * size) and None)
elif command == "enqueue-one":
    on_each_line(nothing.delay)
elif command == "work":
    tell(ready=True)
    queue.run_worker()
