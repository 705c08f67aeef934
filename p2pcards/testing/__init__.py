"""Shipped stand-ins: a simulated network, the open kernel, the referee, cheaters, a virtual clock.

They are fakes that keep the contracts of what they stand for, not mocks, so that a new game or a
new shell can be tried without a broker and without cryptography. Nothing here may be reached from
a real match: the open kernel hides nothing.
"""
