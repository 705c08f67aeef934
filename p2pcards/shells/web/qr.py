"""Join links as QR codes, for the camera of a phone or of another laptop. Knows text only."""

from __future__ import annotations

import segno


def rows(text: str) -> list[str]:
    """The modules of the smallest code that holds the text, `1` is dark; without a quiet zone."""
    code = segno.make(text, micro=False, error="m", boost_error=False)
    return ["".join("1" if module else "0" for module in row) for row in code.matrix]
