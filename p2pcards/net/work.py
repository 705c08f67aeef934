"""Slow work off the event loop: proofs, checks and key stretching run in two threads.

Knows neither what it computes nor for whom. The engine asks with `Compute` effects; the driver
hands them here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Generic, Self, TypeVar

K = TypeVar("K", bound=Hashable)

THREADS = 2
"""The curve library lets go of the interpreter while it computes, so a second thread helps; more
would only make several peers on one machine wait for each other."""


class Workshop(Generic[K]):
    """Runs jobs and reports in the event loop, in the order in which they end.

    To be made inside the loop. `async with` or `close` ends it: running jobs are waited for, those
    that have not begun are dropped, and nothing is reported after that.
    """

    def __init__(self, threads: int = THREADS) -> None:
        self._loop = asyncio.get_running_loop()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="p2pcards-work")
        self._closed = False
        self.pending = 0
        """Jobs submitted and not yet reported."""

    def submit(
        self, key: K, job: Callable[[], Any], done: Callable[[K, Any | BaseException], None]
    ) -> None:
        """Runs `job()` in a thread, then `done(key, result)` in the loop.

        What the job raises is delivered as its result. Raises `RuntimeError` after `close`.
        """
        future = self._pool.submit(job)
        self.pending += 1
        future.add_done_callback(lambda ended: self._hand_over(key, ended, done))

    async def close(self) -> None:
        """Ends the threads. May be called again."""
        self._closed = True
        self.pending = 0
        await asyncio.to_thread(self._pool.shutdown, wait=True, cancel_futures=True)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _hand_over(
        self, key: K, ended: Future[Any], done: Callable[[K, Any | BaseException], None]
    ) -> None:
        """In the worker's thread (or, for a dropped job, in the closing one)."""
        if not ended.cancelled():
            self._loop.call_soon_threadsafe(self._report, key, ended, done)

    def _report(
        self, key: K, ended: Future[Any], done: Callable[[K, Any | BaseException], None]
    ) -> None:
        if self._closed:
            return
        self.pending -= 1
        error = ended.exception()
        done(key, ended.result() if error is None else error)
