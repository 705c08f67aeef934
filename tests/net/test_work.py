"""Jobs off the event loop."""

import asyncio
import threading

import pytest

from p2pcards.net.work import Workshop
from tests.net.raw import until

Reports = list[tuple[str, object]]


def test_results_come_in_order_of_completion_and_in_the_loop() -> None:
    async def scenario() -> None:
        reports: Reports = []
        threads: list[threading.Thread] = []
        go = threading.Event()

        def slow() -> str:
            threads.append(threading.current_thread())
            go.wait(10)
            return "slow"

        def done(key: str, result: object) -> None:
            threads.append(threading.current_thread())
            reports.append((key, result))

        async with Workshop[str]() as workshop:
            workshop.submit("a", slow, done)
            workshop.submit("b", lambda: "quick", done)
            assert workshop.pending == 2
            await until(lambda: reports == [("b", "quick")])
            go.set()
            await until(lambda: reports == [("b", "quick"), ("a", "slow")])
            assert workshop.pending == 0
        assert threads[0] is not threading.main_thread()
        assert set(threads[1:]) == {threading.main_thread()}

    asyncio.run(scenario())


def test_what_a_job_raises_is_its_result() -> None:
    async def scenario() -> None:
        reports: Reports = []
        async with Workshop[str]() as workshop:
            workshop.submit("a", lambda: 1 // 0, lambda *report: reports.append(report))
            await until(lambda: reports)
        assert isinstance(reports[0][1], ZeroDivisionError)

    asyncio.run(scenario())


def test_closing_waits_for_running_jobs_drops_the_rest_and_reports_nothing() -> None:
    async def scenario() -> None:
        reports: Reports = []
        begun, ended = threading.Event(), threading.Event()

        def slow() -> None:
            begun.set()
            threading.Event().wait(0.1)
            ended.set()

        async with Workshop[str](threads=1) as workshop:
            workshop.submit("a", slow, lambda *report: reports.append(report))
            workshop.submit("b", begun.clear, lambda *report: reports.append(report))
            await until(begun.is_set)
        assert ended.is_set()
        assert begun.is_set()
        await asyncio.sleep(0)
        assert reports == []
        with pytest.raises(RuntimeError):
            workshop.submit("c", slow, lambda *report: reports.append(report))
        await workshop.close()

    asyncio.run(scenario())
