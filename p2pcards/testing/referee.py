"""One process that holds the true cards and plays a game by its rules, without any message.

A referee is what peers replace: it knows every face, hands each seat its view and nothing more, and
refuses what the rules refuse. Laws of games are tried on it, bots are measured on it, and a new
game runs here first. What a seat knows follows the operations exactly as protocol.md section 6
says; what it may not know is in no view.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from p2pcards.cards.faces import Face, Pack
from p2pcards.cards.ops import Deck, Everyone, Give, Mix, Op, Put, Show, Toss, resolve
from p2pcards.cards.rules import Await, Dealing, Moves, Over, Value, settle
from p2pcards.cards.table import STOCK, Seat, Slot, Table, hand
from p2pcards.engine.view import AnyRules, AnyRuling, Choice, SeatView, look
from p2pcards.errors import FaceDown, IllegalMove, StaleChoice

Chooser = Callable[[SeatView], str]
"""A player: reads a view and gives the id of one of its options."""

_NOBODY: frozenset[Seat] = frozenset()
_NOT_ASKED: Await = Dealing(())


@dataclass(slots=True)
class Referee:
    """A match on true faces. `deal` and `at` make one; `play` and `choose` move it on.

    `pack` is that of the last deal, `truth` the face of every card on the table; `known`, per seat,
    are the faces that seat has been shown. `said` holds the moves of a step that is still open.
    `history` lists the accepted moves in the order of play.
    """

    rules: AnyRules
    seats: int
    rng: Random = field(compare=False, repr=False)
    state: Any
    pack: Pack | None = None
    table: Table = field(default_factory=Table)
    truth: dict[Slot, Face] = field(default_factory=dict)
    known: list[dict[Slot, Face]] = field(default_factory=list)
    step: int = 0
    awaits: Await = _NOT_ASKED
    said: dict[Seat, Any] = field(default_factory=dict)
    history: list[tuple[Seat, Any]] = field(default_factory=list)

    @classmethod
    def deal(
        cls,
        rules: AnyRules,
        seats: int,
        options: Mapping[str, Value] | None = None,
        *,
        rng: Random,
    ) -> Referee:
        """A new match, up to the first move that somebody owes. Raises `BadOption`.

        `rng` decides the lots and the order of the cards, and nothing else.
        """
        settled = settle(rules.options, options or {})
        rules.check(settled, seats)
        known: list[dict[Slot, Face]] = [{} for _ in range(seats)]
        referee = cls(rules, seats, rng, rules.start(seats, settled), known=known)
        referee._settle()
        return referee

    @classmethod
    def at(
        cls,
        rules: AnyRules,
        seats: int,
        state: object,
        position: tuple[Table, Mapping[Slot, Face]],
        *,
        rng: Random | None = None,
        known: Sequence[Mapping[Slot, Face]] | None = None,
    ) -> Referee:
        """A match from the middle: a position, e.g. from `lay`, and the rules' own state.

        Unless `known` says otherwise each seat knows the cards of its hand.
        """
        table, truth = position
        if known is None:
            known = [{slot: truth[slot] for slot in table[hand(seat)]} for seat in range(seats)]
        referee = cls(
            rules,
            seats,
            rng or Random(0),
            state,
            table=table,
            truth=dict(truth),
            known=[dict(faces) for faces in known],
        )
        referee._settle()
        return referee

    # --- looking ---------------------------------------------------------------------------------

    @property
    def owing(self) -> frozenset[Seat]:
        """The seats whose move the open step still lacks."""
        return self.awaits.seats - self.said.keys() if isinstance(self.awaits, Moves) else _NOBODY

    @property
    def outcome(self) -> Over | None:
        """How the match ended; None while it runs."""
        return self.awaits if isinstance(self.awaits, Over) else None

    def view(self, seat: Seat | None) -> SeatView:
        """What a seat sees and may choose; None is a spectator."""
        return look(
            self.rules,
            self.state,
            self.table,
            seat,
            {} if seat is None else self.known[seat],
            awaits=self.rules.awaits(self.state, self.table),
            pack=self.pack,
            seats=self.seats,
            step=self.step,
            owes=seat in self.owing,
        )

    def options(self, seat: Seat) -> tuple[Choice, ...]:
        """What a seat may choose now; empty if it owes nothing."""
        return self.view(seat).options

    # --- playing ---------------------------------------------------------------------------------

    def choose(self, seat: Seat, choice: str) -> None:
        """The seat takes one of its options by id; `StaleChoice` if there is none of that id."""
        self._choose(seat, self.options(seat), choice)

    def _choose(self, seat: Seat, options: Sequence[Choice], choice: str) -> None:
        for option in options:
            if option.id == choice:
                return self.play(seat, option.move)
        raise StaleChoice(detail=choice)

    def play(self, seat: Seat, move: object) -> None:
        """A seat makes a move. `IllegalMove`, and nothing has changed, if the rules refuse it or
        what it claims is false of the seat's cards."""
        ruling = self._judge(seat, move)
        if seat not in self.owing:
            raise IllegalMove("turn.not_yours")
        reason = ruling.broken(self.table.turn_up(self.known[seat]).face)
        if reason is not None:
            raise IllegalMove(reason)

        self.said[seat] = move
        if self.owing:
            return
        # A step counts when all of it is there, in seat order.
        said, self.said = self.said, {}
        for author in sorted(said):
            self._accept(author, said[author], ruling if len(said) == 1 else None)
        self._settle()

    def play_out(self, players: Sequence[Chooser], most: int = 20_000) -> Over:
        """One player a seat plays the match to its end. ValueError after `most` moves."""
        for _ in range(most):
            if isinstance(self.awaits, Over):
                return self.awaits
            seat = min(self.owing)
            view = self.view(seat)
            self._choose(seat, view.options, players[seat](view))
        raise ValueError(f"the match has not ended after {most} moves")

    def _judge(self, seat: Seat, move: object) -> AnyRuling:
        known, opened = self.known[seat], self.rules.opens(move)
        shown = self.table.turn_up({slot: known[slot] for slot in opened if slot in known})
        try:
            return self.rules.judge(self.state, shown, seat, move)
        except FaceDown:
            # A blind card: the rules have let it pass as far as they can without its face.
            shown = self.table.turn_up({slot: self.truth[slot] for slot in opened})
            return self.rules.judge(self.state, shown, seat, move)

    def _accept(self, seat: Seat, move: object, ruling: AnyRuling | None) -> None:
        if ruling is None:
            ruling = self._judge(seat, move)
        opened = self.rules.opens(move)
        self.table = self.table.turn_up({slot: self.truth[slot] for slot in opened})
        self.state = ruling.state
        for op in ruling.ops:
            self.perform(op)
        self.history.append((seat, move))

    def _settle(self) -> None:
        self.step += 1
        self.awaits = self.rules.awaits(self.state, self.table)
        while isinstance(self.awaits, Dealing):
            for op in self.awaits.ops:
                self.perform(op)
            self.state = self.rules.resume(self.state, self.table)
            self.step += 1
            self.awaits = self.rules.awaits(self.state, self.table)

    # --- the six operations ----------------------------------------------------------------------

    def perform(self, op: Op) -> None:
        """Cards move, and seats see what the operation shows them."""
        match op:
            case Deck(pack):
                self.pack = pack
                self.table = self.table.with_deck(len(pack.faces))
                self.truth = dict(zip(self.table[STOCK], pack.faces, strict=True))
                self.known = [{} for _ in range(self.seats)]
            case Toss(sides):
                self.table = self.table.with_toss(self.rng.randrange(sides))
            case Put(cards, to):
                self.table = self.table.put(resolve(cards, self.table), to)
            case Show(cards, to):
                faces = self._faces(resolve(cards, self.table))
                if isinstance(to, Everyone):
                    self.table = self.table.turn_up(faces)
                else:
                    self.known[to].update(faces)
            case Mix(cards, by):
                self._mix(resolve(cards, self.table), by)
            case Give(cards, giver, to):
                slots = resolve(cards, self.table)
                hers = self.table.turn_up(self.known[giver])
                self.known[to].update({slot: hers.face(slot) for slot in slots})

    def _faces(self, slots: tuple[Slot, ...]) -> dict[Slot, Face]:
        return {slot: self.truth[slot] for slot in slots}

    def _mix(self, old: tuple[Slot, ...], by: tuple[Seat, ...] | Everyone) -> None:
        # Who mixes alone keeps the thread; everybody else, and all of several, lose it.
        alone = by[0] if not isinstance(by, Everyone) and len(by) == 1 else None
        followed = {**self.table.faces, **self.known[alone]} if alone is not None else {}

        self.table, fresh = self.table.mixed(old)
        came_from = dict(zip(fresh, sorted(old, key=lambda _: self.rng.random()), strict=True))
        self.truth.update({new: self.truth[slot] for new, slot in came_from.items()})
        for slot in old:
            del self.truth[slot]
            for known in self.known:
                known.pop(slot, None)
        if alone is not None:
            seen = {new: followed[slot] for new, slot in came_from.items() if slot in followed}
            self.known[alone].update(seen)
