"""FlexiQ on SQLite, PostgreSQL or Redis: claims by the batch, sixteen threads, a short poll, a quiet log."""

import os
import sys
from typing import Any

from flexiq import Queue
from telling import enqueue, on_each_line, tell, tell_wait

os.environ["FLEXIQ_LOG_LEVEL"] = "ERROR"
url, command, *rest = sys.argv[1:]
kind = url.partition(":")[0]
# Being woken, which is the default on Redis, picks up a lone job sooner and drains a full queue many times slower.
is_woken = kind == "redis" and rest == ["lone"]
fast: Any = {"scheduler_poll_interval_ms": 5, "scheduler_batch_size": 32, "workers": 16, "push_dispatch": is_woken}
if kind == "sqlite":
    queue = Queue(db_path=url.removeprefix("sqlite:///"), **fast)
else:
    queue = Queue(backend="postgres" if kind == "postgresql" else "redis", db_url=url, **fast)


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
