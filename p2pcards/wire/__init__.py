"""Bytes on the wire: strict canonical msgpack and every message as a frozen record."""
