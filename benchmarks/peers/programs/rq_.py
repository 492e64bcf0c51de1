"""RQ: jobs in the worker's own process, as its guide suggests for speed; bulk enqueue."""

import sys
from typing import Any

from redis import Redis
from rq import Queue, SimpleWorker
from telling import enqueue, on_each_line, tell, tell_wait


def nothing(sent: float = 0.0) -> None:
    tell_wait(sent)


def main(url: str, command: str, *rest: str) -> None:
    connection: Any = Redis.from_url(url)
    queue = Queue(connection=connection)

    def store(size: int) -> None:
        queue.enqueue_many([Queue.prepare_data("rq_.nothing") for _ in range(size)])

    if command == "enqueue":
        enqueue(int(rest[0]), 1_000, store)
    elif command == "enqueue-one":
        on_each_line(lambda sent: queue.enqueue("rq_.nothing", sent))
    elif command == "work":
        tell(ready=True)
        SimpleWorker([queue], connection=connection).work(logging_level="ERROR")


if __name__ == "__main__":
    main(*sys.argv[1:])
