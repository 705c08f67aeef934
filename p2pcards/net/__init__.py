"""Sockets, files, threads and the clock: the only floor that knows asyncio.

May import `engine` and everything below it; knows no screens and no command line.
"""
