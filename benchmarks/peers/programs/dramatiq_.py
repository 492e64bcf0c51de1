"""Dramatiq on Redis: eight threads, the default."""

import signal
import sys
import time

import dramatiq
from dramatiq.brokers.redis import RedisBroker
from dramatiq.worker import Worker
from telling import enqueue, on_each_line, tell, tell_wait

url, command, *rest = sys.argv[1:]
broker = RedisBroker(url=url)
dramatiq.set_broker(broker)


@dramatiq.actor
def nothing(sent: float = 0.0) -> None:
    tell_wait(sent)


def store(size: int) -> None:
    for _ in range(size):
        nothing.send()


if command == "enqueue":
    enqueue(int(rest[0]), 1_000, store)
elif command == "enqueue-one":
    on_each_line(nothing.send)
elif command == "work":
    worker = Worker(broker, worker_threads=8)
    worker.start()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    tell(ready=True)
    while True:
        time.sleep(1)
