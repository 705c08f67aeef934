"""Every error of p2pcards, on one page.

An error says whose fault it is by its branch, and what happened by its `code`: a stable, dotted,
lower-case name that tests, logs and `--json` output may rely on. Words for people live in
`shells/text`; the text given here is for developers and for the log.

protocol.md section 9 lists the codes that travel on the wire.
"""

from __future__ import annotations

from collections.abc import Sequence


class P2PCardsError(Exception):
    """Root of the tree. `code` is stable; `detail` is for developers."""

    code = "error"

    def __init__(self, code: str | None = None, detail: str = "") -> None:
        self.code = code if code is not None else type(self).code
        self.detail = detail
        super().__init__(f"{self.code}: {detail}" if detail else self.code)


# --- nobody's fault, provably: the bytes are dropped and counted ----------------------------------


class Malformed(P2PCardsError):
    """Bytes that decode to nothing: not canonical, too long, too deep, unsigned, wrong table."""

    code = "malformed"


# --- cryptography: raised by `crypto`, turned into a fault by whoever knows the author ------------


class CryptoError(P2PCardsError):
    """Something that a kernel was given does not hold."""

    code = "crypto"


class BadPoint(CryptoError):
    """Not a point: wrong form, not on the curve, or at infinity."""

    code = "crypto.point"


class BadScalar(CryptoError):
    """Not a scalar: wrong length, zero, or not below the group order."""

    code = "crypto.scalar"


class BadProof(CryptoError):
    """A proof that does not convince."""

    code = "crypto.proof"


class BadFormula(CryptoError):
    """A claim that cannot be stated: nested too deep, too wide, an attribute out of range."""

    code = "crypto.formula"


class WrongWitness(CryptoError):
    """The prover was asked to prove what is not true of its cards; raised before it sends."""

    code = "crypto.witness"


class BadSignature(CryptoError):
    """A signature that does not stand, or a public key that is not one."""

    code = "crypto.signature"


# --- a seat's fault: it signed what it may not ----------------------------------------------------


class SeatFault(P2PCardsError):
    """A seat signed something that breaks the protocol or the rules; the match stops.

    `evidence` is the sequence of signed envelopes which, after the closed steps of the log up to
    `step`, convinces a third party.
    """

    code = "fault"

    def __init__(
        self, seat: int, step: int, code: str, evidence: Sequence[bytes] = (), detail: str = ""
    ) -> None:
        super().__init__(code, detail)
        self.seat = seat
        self.step = step
        self.evidence = tuple(evidence)

    @property
    def order(self) -> tuple[bool, int, int]:
        """Of several faults the one with the smallest order is the verdict: equivocation before all
        others, then the smallest step, then the smallest seat."""
        return self.code != "chain.equivocation", self.step, self.seat


# --- our own fault, refused on this screen; nothing is lost ---------------------------------------


class LocalError(P2PCardsError):
    """Refused here and now; no byte left this machine."""

    code = "local"


class IllegalMove(LocalError):
    """The rules do not allow this move; the code says which rule."""

    code = "play.illegal"


class StaleChoice(LocalError):
    """The choice was made on a view that is no longer the current one."""

    code = "choice.stale"


class BadOption(LocalError):
    """A game or table option that does not exist, or a value it does not take."""

    code = "option.value"


class FaceDown(LocalError):
    """The face of a slot was asked for that is not turned up: rules cannot see hidden cards."""

    code = "card.face_down"


class LogError(LocalError):
    """A log or fault file that cannot be read: not ours, truncated, altered."""

    code = "log.unreadable"


class StoreError(LocalError):
    """A profile directory that cannot be used (in use by another process, not writable)."""

    code = "profile.unusable"


# --- the world's fault ----------------------------------------------------------------------------


class Unavailable(P2PCardsError):
    """The broker is gone, the table cannot be found, a seat is silent."""

    code = "net.unavailable"


class Refused(P2PCardsError):
    """The others do not let us in: table full, version differs, not admitted."""

    code = "lobby.refused"
