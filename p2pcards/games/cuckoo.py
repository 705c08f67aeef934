"""Gnav, also Cuckoo: one card each, and whoever is left with the lowest loses a life.

The rules are a function of what lies face up. What only the holder of a card can say of it is a
claim in a ruling: that it is no fool, that it is ordinary and so must be exchanged. A match is a
row of deals until one player is alive. In each deal the fools are announced, every participant in
turn keeps the card or asks the next one for an exchange, all cards are shown, and the living
confirm the next deal. protocol.md section 7.6.

    CUT -> DEAL -> KNOCK -> TURN -> ANSWER -> TURN ... -> SHOW -> SCORE -> DEAL ... -> END
                                    DRAW -> DRAWN
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from p2pcards.cards.claims import All, ClassIs, SuitIs
from p2pcards.cards.faces import MATADOR, ORDINARY
from p2pcards.cards.ops import (
    EVERYONE,
    Deck,
    Op,
    Put,
    Show,
    Top,
    Toss,
    Whole,
    deal,
    shuffle,
    swap,
)
from p2pcards.cards.rules import Await, Dealing, Moves, Option, Over, Ruling, Value, need
from p2pcards.cards.table import ASIDE, STOCK, Pile, Seat, Slot, Table, hand
from p2pcards.errors import IllegalMove
from p2pcards.games.cuckoo_house import (
    CAT,
    CUCKOO,
    FOOL,
    HORSE,
    HOUSE,
    NO_FOOL,
    OPTIONS,
    PACK,
    SEATS,
    check_house,
    read_house,
)
from p2pcards.games.cuckoo_match import (
    Exchange,
    Phase,
    State,
    begin_deal,
    go_on,
    lose_a_life,
    next_deal,
    settle,
    standing,
)


def drawn(seat: Seat) -> Pile:
    """Where the card lies that the stock answers a seat with, until it is known what it is."""
    return Pile("drawn", seat)


@dataclass(frozen=True, slots=True)
class Announce:
    """I was dealt this fool."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Knock:
    """I was dealt a fool, which I need not show."""


@dataclass(frozen=True, slots=True)
class NoFool:
    """I was not dealt a fool."""


@dataclass(frozen=True, slots=True)
class Keep:
    """I keep my card."""


@dataclass(frozen=True, slots=True)
class Ask:
    """I want another card for mine."""


@dataclass(frozen=True, slots=True)
class Accept:
    """I was asked, and my card is ordinary: we exchange."""


@dataclass(frozen=True, slots=True)
class Ordinary:
    """The card that I drew from the stock is ordinary: I take it for mine."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The card that answers is this matador."""

    card: Slot


@dataclass(frozen=True, slots=True)
class Ready:
    """I have seen who pays; deal again."""


Move = Announce | Knock | NoFool | Keep | Ask | Accept | Ordinary | Bar | Ready


# --- the game -------------------------------------------------------------------------------------


class Cuckoo:
    """The rules of Gnav; has no state of its own."""

    key = "cuckoo"
    title = "Gnav"
    seats = SEATS
    moves: tuple[type[Move], ...] = (
        Announce,
        Knock,
        NoFool,
        Keep,
        Ask,
        Accept,
        Ordinary,
        Bar,
        Ready,
    )
    options: tuple[Option, ...] = OPTIONS

    def check(self, options: Mapping[str, Value], seats: int) -> None:
        """Raises `BadOption` if the options do not fit the seats."""
        check_house(options, seats)

    def start(self, seats: int, options: Mapping[str, Value]) -> State:
        """Nobody has dealt yet."""
        house = read_house(options)
        return State(house, seats, (house.lives,) * seats)

    def awaits(self, s: State, t: Table) -> Await:
        """Whose turn it is: some seats', the cards', or nobody's."""
        match s.phase:
            case Phase.CUT:
                return Dealing((Toss(s.seats),))
            case Phase.DEAL:
                return Dealing((Deck(PACK, s.order), *shuffle(), *deal(s.order, 1)))
            case Phase.KNOCK:
                return Moves(frozenset(s.order) - s.answered, forced=True)
            case Phase.TURN:
                return Moves(frozenset((s.turn,)))
            case Phase.ANSWER if s.asked is not None:
                return Moves(frozenset((s.asked,)), forced=True)
            case Phase.DRAW:
                return Dealing((Show(Top(STOCK), s.turn), Put(Top(STOCK), drawn(s.turn))))
            case Phase.DRAWN:
                return Moves(frozenset((s.turn,)), forced=True)
            case Phase.SHOW:
                piles = (*(hand(seat) for seat in s.order), ASIDE)
                return Dealing(tuple(Show(Whole(pile), EVERYONE) for pile in piles))
            case Phase.SCORE:
                return Moves(s.alive - s.ready)
            case _:
                return standing(s)

    def resume(self, s: State, t: Table) -> State:
        """The lot has chosen the dealer, or cards are dealt, drawn or shown."""
        match s.phase:
            case Phase.CUT if t.toss is not None:
                return begin_deal(s, dealer=t.toss)
            case Phase.DEAL:
                return replace(s, phase=Phase.KNOCK)
            case Phase.DRAW:
                return replace(s, phase=Phase.DRAWN)
            case Phase.SHOW:
                return settle(s, {seat: t.face(t[hand(seat)][0]) for seat in s.order})
            case _:
                raise ValueError(f"no cards have moved in {s.phase}")

    def opens(self, m: Move) -> tuple[Slot, ...]:
        """A fool that is announced and a matador that bars are seen by all."""
        return (m.card,) if isinstance(m, Announce | Bar) else ()

    def judge(self, s: State, t: Table, seat: Seat, m: Move) -> Ruling[State]:
        """The ruling on a move, or `IllegalMove`."""
        match m:
            case Announce() | Knock() | NoFool():
                return _say(s, t, seat, m)
            case Keep() | Ask():
                need(s.phase is Phase.TURN, "phase.wrong")
                need(seat == s.turn, "turn.not_yours")
                if isinstance(m, Ask):
                    return Ruling(_request(s, t, s.following(seat)))
                return Ruling(go_on(s, s.following(seat)))
            case Accept():
                return _accept(s, t, seat)
            case Ordinary():
                return _take(s, t, seat)
            case Bar(card):
                return _bar(s, t, seat, card)
            case Ready():
                return _ready(s, seat)

    def candidates(self, s: State, t: Table, seat: Seat) -> Iterable[Move]:
        """What may be said at this point; `judge` decides."""
        match s.phase:
            case Phase.KNOCK:
                return (NoFool(), Knock(), *map(Announce, t[hand(seat)]))
            case Phase.TURN:
                return (Keep(), Ask())
            case Phase.ANSWER:
                return (Accept(), *map(Bar, t[hand(seat)]))
            case Phase.DRAWN:
                return (Ordinary(), *map(Bar, t[drawn(seat)]))
            case Phase.SCORE:
                return (Ready(),)
            case _:
                return ()

    def sheet(self, s: State) -> Sequence[Mapping[str, object]]:
        """A row for each deal. Per seat: the card shown at the end, `-` where there was none; lives
        lost and left; and 1 for who rests in the next deal."""
        return tuple(
            {
                "deal": number,
                "dealer": r.dealer,
                "cards": tuple("-" if face is None else PACK.name(face) for face in r.cards),
                "lost": r.lost,
                "lives": r.lives,
                "rest": tuple(int(seat in r.rest) for seat in range(s.seats)),
            }
            for number, r in enumerate(s.results, 1)
        )

    def standing(self, s: State) -> Over:
        """Who has most lives is first; of those who are out, who went last."""
        return standing(s)


# --- dealt fools ----------------------------------------------------------------------------------


def _say(s: State, t: Table, seat: Seat, m: Announce | Knock | NoFool) -> Ruling[State]:
    need(s.phase is Phase.KNOCK, "phase.wrong")
    need(seat in s.order and seat not in s.answered, "turn.not_yours")
    held = t[hand(seat)]
    answered = s.answered | {seat}
    after = replace(s, answered=answered)
    if len(answered) == len(s.order):
        after = replace(after, phase=Phase.TURN)

    if isinstance(m, NoFool):
        claim = All(SuitIs(slot, NO_FOOL) for slot in held)
        return Ruling(after, claim=claim, reasons=("fool.must_announce",))

    after = replace(after, knocked=s.knocked | {seat})
    need((s.house.fool_reveal == "knock") == isinstance(m, Knock), "fool.other_way")
    if isinstance(m, Knock):
        claim = All(SuitIs(slot, FOOL.suit) for slot in held)
        return Ruling(after, claim=claim, reasons=("fool.not_a_fool",))
    need(m.card in held, "card.not_held")
    need(t.face(m.card) == FOOL, "fool.not_a_fool")
    return Ruling(after)


# --- asking and answering -------------------------------------------------------------------------


def _request(s: State, t: Table, asked: Seat | None) -> State:
    """The request of `s.turn` goes to this seat, or to the stock. Where that is used up the card
    is kept."""
    if asked is not None:
        return replace(s, phase=Phase.ANSWER, asked=asked)
    if t[STOCK]:
        return replace(s, phase=Phase.DRAW, asked=None)
    return go_on(s, s.following(s.turn))


def _accept(s: State, t: Table, seat: Seat) -> Ruling[State]:
    need(s.phase is Phase.ANSWER, "phase.wrong")
    need(seat == s.asked, "turn.not_yours")
    (given,), (taken,) = t[hand(s.turn)], t[hand(seat)]
    after = replace(s, exchanges=(*s.exchanges, Exchange(s.turn, seat, given, taken)))
    return Ruling(
        go_on(after, s.following(s.turn) if s.house.jumped_holder_acts else seat),
        ops=swap(s.turn, seat),
        claim=All((ClassIs(taken, ORDINARY),)),
        reasons=("swap.must_bar",),
    )


def _take(s: State, t: Table, seat: Seat) -> Ruling[State]:
    need(s.phase is Phase.DRAWN, "phase.wrong")
    need(seat == s.turn, "turn.not_yours")
    (given,), (taken,) = t[hand(seat)], t[drawn(seat)]
    after = replace(s, exchanges=(*s.exchanges, Exchange(seat, None, given, taken)))
    # all who come after the asker of the stock were passed over
    return Ruling(
        go_on(after, s.following(seat) if s.house.jumped_holder_acts else None),
        ops=(Put((given,), ASIDE), Put((taken,), hand(seat))),
        claim=All((ClassIs(taken, ORDINARY),)),
        reasons=("swap.must_bar",),
    )


def _bar(s: State, t: Table, seat: Seat, card: Slot) -> Ruling[State]:
    match s.phase:
        case Phase.ANSWER if s.asked is not None:
            holder, pile, after = s.asked, hand(s.asked), s.following(s.asked)
            aside: tuple[Op, ...] = ()
        case Phase.DRAWN:
            holder, pile, after = s.turn, drawn(s.turn), None
            aside = (Put((card,), ASIDE),)
        case _:
            raise IllegalMove("phase.wrong")
    need(seat == holder, "turn.not_yours")
    need(card in t[pile], "card.not_held")
    face = t.face(card)
    need(face.klass == MATADOR, "swap.not_a_matador")

    if face in {HOUSE, HORSE}:
        return Ruling(_request(s, t, after), aside)
    if face == CUCKOO:
        return Ruling(go_on(s, None), aside)
    punished = lose_a_life(s, after)
    if face == CAT and s.house.cat_effect == "undo_all":
        return Ruling(replace(punished, exchanges=()), (*aside, *_undo(s.exchanges)))
    return Ruling(punished, aside)


def _undo(exchanges: tuple[Exchange, ...]) -> tuple[Op, ...]:
    """Every exchange of the deal read backwards. What came from the stock goes aside."""
    return tuple(
        op
        for e in reversed(exchanges)
        for op in (
            Put((e.taken,), ASIDE if e.other is None else hand(e.other)),
            Put((e.given,), hand(e.asker)),
        )
    )


def _ready(s: State, seat: Seat) -> Ruling[State]:
    need(s.phase is Phase.SCORE, "phase.wrong")
    need(seat in s.alive - s.ready, "turn.not_yours")
    after = replace(s, ready=s.ready | {seat})
    return Ruling(next_deal(after) if after.ready == s.alive else after)
