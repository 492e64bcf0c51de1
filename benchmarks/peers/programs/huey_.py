"""Huey on Redis or SQLite: one thread, its fastest here. A job leaves the queue before it runs: at most once."""

import logging
import sys

from huey import RedisHuey, SqliteHuey
from telling import enqueue, on_each_line, tell, tell_wait

url, command, *rest = sys.argv[1:]
is_file = url.startswith("sqlite:///")
huey = SqliteHuey(filename=url.removeprefix("sqlite:///"), fsync=True) if is_file else RedisHuey(url=url)


@huey.task()
def nothing(sent: float = 0.0) -> None:
    tell_wait(sent)


def store(size: int) -> None:
    for _ in range(size):
        nothing()


if command == "enqueue":
    enqueue(int(rest[0]), 1_000, store)
elif command == "enqueue-one":
    on_each_line(nothing)
elif command == "work":
    logging.getLogger("huey").setLevel(logging.ERROR)
    tell(ready=True)
    huey.create_consumer(workers=1, initial_delay=0.005, max_delay=0.05, backoff=1.0).run()
