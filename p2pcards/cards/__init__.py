"""The words of a card table: faces, slots, piles, card operations, claims, the rules protocol.

This floor knows no cryptography, no bytes and no I/O. Everything here is immutable and comparable.
"""
