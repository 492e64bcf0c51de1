"""Celery on Redis: one process in the pool, generous prefetching, results recorded."""

import sys

from celery import Celery
from telling import enqueue, on_each_line, tell, tell_wait

url, command, *rest = sys.argv[1:]
app = Celery("peers", broker=url, backend=url)
app.conf.update(
    worker_prefetch_multiplier=128,
    worker_hijack_root_logger=False,
    worker_redirect_stdouts=False,
    broker_connection_retry_on_startup=True,
)


@app.task(name="nothing")
def nothing(sent: float = 0.0) -> None:
    tell_wait(sent)


def store(size: int) -> None:
    with app.producer_pool.acquire() as producer:
        for _ in range(size):
            nothing.apply_async(producer=producer)


if command == "enqueue":
    enqueue(int(rest[0]), 1_000, store)
elif command == "enqueue-one":
    on_each_line(nothing.delay)
elif command == "work":
    tell(ready=True)
    app.worker_main(["worker", "--pool=solo", "--loglevel=ERROR", "--without-gossip", "--without-mingle"])
