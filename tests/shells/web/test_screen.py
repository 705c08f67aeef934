"""The screen of a seat: nothing hidden in it, every option on it, words for all that it says."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any

import pytest

from p2pcards.cards.table import Seat
from p2pcards.games import GAMES, find
from p2pcards.shells.text.en import WORDS
from p2pcards.shells.web.scenes import SCENES
from p2pcards.testing.referee import Referee
from tests.laws.worlds import hidden_from, pick, random_options, swapped
from tests.shells.web.stage import Stage, codes, walk

MOVES = 60
"""Moves of a random match that are looked at."""
PLACEHOLDER = re.compile(r"\{(\w+)")
NAMED = ("card", "cards")
"""Arguments that name faces."""

every_game = pytest.mark.parametrize("key", sorted(GAMES))


def random_stage(key: str, seed: int) -> tuple[Stage, Random]:
    """A new match with any number of seats and any options."""
    rng, rules = Random(seed), GAMES[key]
    seats = pick(rules.seats, rng)
    return Stage.deal(rules, seats, random_options(rules, seats, rng), rng), rng


def faces_of(document: object) -> set[tuple[int, str]]:
    """Every face of a document with its slot."""
    return {
        (each["slot"], each["face"])
        for each in walk(document)
        if "slot" in each and each.get("face") is not None
    }


def named_faces(document: object) -> set[str]:
    """Every face that words of a document name."""
    names: set[str] = set()
    for _, args in codes(document):
        for value in args.values():
            if isinstance(value, dict):
                names.update(n for k in NAMED for n in _listed(value.get(k)))
    return names


def _listed(value: object) -> list[str]:
    if isinstance(value, list):
        return [str(each) for each in value]
    return [value] if isinstance(value, str) else []


# --- [VIEW-1] of protocol.md: nothing hidden ------------------------------------------------------


def check_faces(stage: Stage, viewer: Seat | None, document: object) -> None:
    """Each face in a document is true, and its seat may know it."""
    referee = stage.referee
    known = {} if viewer is None else referee.known[viewer]
    assert referee.pack is not None
    for slot, name in faces_of(document):
        if slot in referee.truth:
            assert referee.table.is_up(slot) or slot in known, (viewer, slot, name)
            assert name == referee.pack.name(referee.truth[slot])


@every_game
@pytest.mark.parametrize("seed", range(3))
def test_a_screen_shows_no_face_that_its_seat_may_not_know(key: str, seed: int) -> None:
    stage, rng = random_stage(key, seed)
    shown = 0
    for _ in range(MOVES):
        for viewer in stage.viewers:
            document = stage.screen(viewer)
            check_faces(stage, viewer, document)
            shown += len(faces_of(document))
        if stage.referee.outcome is not None:
            break
        stage.step(rng)
    assert shown > 50


def test_the_law_bites() -> None:
    stage = oh_hell()
    with pytest.raises(AssertionError):
        check_faces(stage, 0, stage.screen(1))


@every_game
@pytest.mark.parametrize("seed", range(3))
def test_worlds_that_a_seat_cannot_tell_apart_look_the_same(key: str, seed: int) -> None:
    """Two hidden cards lie the other way round: neither a face, nor a word, nor an order, nor a
    count on the page may depend on which is which."""
    stage, rng = random_stage(key, 10 + seed)
    compared = 0
    for _ in range(MOVES // 3):
        viewer = pick(stage.viewers, rng)
        hidden = hidden_from(stage.referee, viewer)
        if len(hidden) > 1:
            compared += 1
            a, b = rng.sample(hidden, 2)
            other = Stage(swapped(stage.referee, a, b), stage.stories, stage.cards)
            assert stage.screen(viewer) == other.screen(viewer)
        for _ in range(3):
            if stage.referee.outcome is None:
                stage.step(rng)
    assert compared > 3


@every_game
def test_words_name_no_face_that_is_hidden(key: str) -> None:
    stage, rng = random_stage(key, 20)
    public: set[str] = set()
    for _ in range(MOVES):
        referee = stage.referee
        assert referee.pack is not None
        public |= {referee.pack.name(face) for face in referee.table.faces.values()}
        for viewer in stage.viewers:
            known = {} if viewer is None else referee.known[viewer]
            mine = {referee.pack.name(face) for face in known.values()}
            assert named_faces(stage.screen(viewer)) <= public | mine
        if referee.outcome is not None:
            break
        stage.step(rng)


@every_game
def test_a_spectator_sees_what_everybody_sees_and_is_asked_nothing(key: str) -> None:
    stage, rng = random_stage(key, 30)
    for _ in range(MOVES // 2):
        document = stage.screen(None)
        assert document["you"] is None
        assert document["hand"] == document["actions"] == document["groups"] == []
        assert document["arrange"] is None
        assert all(card["up"] for card in walk(document) if card.get("face") is not None)
        assert not any(seat["you"] for seat in document["seats"])
        if stage.referee.outcome is not None:
            break
        stage.step(rng)


# --- everything is there --------------------------------------------------------------------------


def offered(document: dict[str, Any]) -> set[str]:
    """The options that a page can choose."""
    arrange = document["arrange"]
    return {
        *(action["id"] for action in document["actions"]),
        *(group["id"] for group in document["groups"]),
        *(arrange["ids"].values() if arrange else ()),
    }


@every_game
def test_every_option_can_be_chosen(key: str) -> None:
    """All of them, but for other orders of the same cards; and nothing else."""
    stage, rng = random_stage(key, 40)
    scene, asked = SCENES[key], 0
    for _ in range(MOVES):
        for seat in sorted(stage.referee.owing):
            view, document = stage.referee.view(seat), stage.screen(seat)
            ids = offered(document)
            assert ids <= {choice.id for choice in view.options}
            for choice in view.options:
                slots = frozenset(scene.slots(choice.move))
                same = [g["id"] for g in document["groups"] if frozenset(g["slots"]) == slots]
                forced = getattr(view.awaits, "forced", False)
                assert forced or choice.id in ids or same
            for card in document["hand"]:
                assert set(card["options"]) <= ids
                asked += 1
        if stage.referee.outcome is not None:
            break
        stage.step(rng)
    assert asked > 20


@every_game
def test_a_card_that_cannot_be_played_says_why(key: str) -> None:
    stage, rng = random_stage(key, 50)
    for _ in range(MOVES):
        for seat in sorted(stage.referee.owing):
            document = stage.screen(seat)
            for card in document["hand"]:
                refused = card["refused"]
                assert not (refused and card["options"])
                if document["groups"] and not card["options"] and SCENES[key].layout == "ring":
                    assert refused
                if refused:
                    assert refused in WORDS, refused
        if stage.referee.outcome is not None:
            break
        stage.step(rng)


@every_game
@pytest.mark.parametrize("seed", range(60, 64))
def test_there_are_words_for_everything_with_all_their_arguments(key: str, seed: int) -> None:
    stage, rng = random_stage(key, seed)
    while True:
        # one who is asked, one who waits, and a spectator say all there is to say
        asked = min(stage.referee.owing, default=0)
        for viewer in (asked, (asked + 1) % stage.referee.seats, None):
            document = stage.screen(viewer)
            assert json.loads(json.dumps(document)) == document
            for code, args in codes(document):
                assert code in WORDS, code
                assert set(PLACEHOLDER.findall(WORDS[code])) <= args.keys(), code
        if stage.referee.outcome is not None or stage.referee.step > 150:
            break
        stage.step(rng)


@every_game
def test_counts_add_up(key: str) -> None:
    stage, rng = random_stage(key, 70)
    for _ in range(MOVES // 2):
        for viewer in stage.viewers:
            for seat in stage.screen(viewer)["seats"]:
                if not seat["you"]:
                    assert seat["held"] + len(seat["shown"]) == seat["count"]
        if stage.referee.outcome is not None:
            break
        stage.step(rng)


@every_game
def test_the_end_names_places(key: str) -> None:
    stage, rng = random_stage(key, 81)
    while stage.referee.outcome is None and stage.referee.step < 4000:
        stage.referee.choose(
            seat := min(stage.referee.owing), rng.choice(stage.referee.options(seat)).id
        )
    over = stage.referee.outcome
    if over is None:
        pytest.skip("random play has not come to an end")
    document = stage.screen(0)
    assert document["over"]["places"] == list(over.places)
    assert document["over"]["code"] in WORDS
    assert document["say"] is None


def test_every_game_has_a_scene() -> None:
    assert SCENES.keys() == GAMES.keys()


# --- one game each: what its scene promises -------------------------------------------------------


def oh_hell(seed: int = 0, **options: Any) -> Stage:
    """Oh Hell with hands of three cards."""
    return Stage.deal(find("oh-hell"), 4, {"max_hand": 3, **options}, Random(seed))


def test_a_seat_that_does_not_follow_has_proven_that_it_could_not() -> None:
    tags = 0
    for seed in range(8):
        stage, rng = oh_hell(seed), Random(seed)
        while stage.referee.outcome is None:
            trick = stage.screen(None)["middle"]["trick"]
            for play in trick:
                follows = play["card"]["face"][1] == trick[0]["card"]["face"][1]
                left = stage.screen(None)["seats"][play["seat"]]["count"]
                assert (play["proof"] is not None) == (not follows and left > 0)
                tags += play["proof"] is not None
            assert sum(play["best"] for play in trick) == bool(trick)
            stage.step(rng)
    assert tags > 5


def test_the_last_trick_stays_to_be_seen_with_who_won_it() -> None:
    stage, rng = oh_hell(), Random(0)
    while stage.screen(0)["middle"]["swept"] is None:
        stage.step(rng)
    swept = stage.screen(0)["middle"]["swept"]
    assert [play["seat"] for play in swept["cards"]] != []
    assert {play["seat"] for play in swept["cards"]} == {0, 1, 2, 3}
    tricks = [c["won"] for s in stage.screen(0)["seats"] for c in s["counters"] if "won" in c]
    assert not tricks or tricks[swept["to"]] > 0


def test_the_hook_is_told_to_the_last_bidder_alone() -> None:
    told = 0
    for seed in range(6):
        stage, rng = oh_hell(seed, hook=True), Random(seed)
        while stage.referee.outcome is None:
            for seat in stage.referee.owing:
                document = stage.screen(seat)
                if document["why"] and document["why"]["code"] == "why.oh-hell.hook":
                    told += 1
                    bids = {action["verb"]["args"]["n"] for action in document["actions"]}
                    forbidden = document["why"]["args"]["n"]["code"].removeprefix("number.")
                    assert bids == set(range(stage.referee.state.hand.cards + 1)) - {int(forbidden)}
            stage.step(rng)
    assert told > 3


def test_arranging_offers_every_three_of_six() -> None:
    stage = Stage.deal(find("rovhult"), 3, None, Random(0))
    document = stage.screen(1)
    assert document["arrange"]["count"] == 3
    assert len(document["arrange"]["ids"]) == 20
    assert document["actions"] == document["groups"] == []
    me = document["seats"][1]
    six = {card["slot"] for card in document["hand"]} | {pair["up"]["slot"] for pair in me["row"]}
    assert {int(s) for key in document["arrange"]["ids"] for s in key.split(",")} == six
    assert all(pair["down"]["face"] is None for pair in me["row"])


def test_cards_that_were_drawn_are_new_until_the_next_move() -> None:
    stage, rng = Stage.deal(find("rovhult"), 2, None, Random(3)), Random(3)
    fresh = 0
    for _ in range(60):
        if stage.referee.outcome is not None:
            break
        (seat, *_) = sorted(stage.referee.owing)
        before = {card["slot"] for card in stage.screen(seat)["hand"]}
        stage.step(rng)
        for card in stage.screen(seat)["hand"]:
            assert not (card["fresh"] and card["slot"] in before and not card["up"])
            fresh += card["fresh"]
    assert fresh > 5


def test_in_part_two_of_twopart_plays_lie_in_a_row_with_what_is_missing() -> None:
    stage, rng = Stage.deal(find("twopart"), 3, None, Random(1)), Random(1)
    while stage.screen(0)["middle"]["layout"] == "ring":
        assert stage.screen(0)["seats"][1]["peek"] is False
        stage.step(rng)
    for _ in range(10):
        document = stage.screen(0)
        need, trick = document["middle"]["need"], document["middle"]["trick"]
        if need is None:
            break
        assert need["done"] == len({play["play"] for play in trick})
        assert document["seats"][1]["peek"] is True
        assert document["trump"]["known"] is True
        stage.step(rng)


def test_gifts_are_shown_to_the_two_who_exchange_and_to_nobody_else() -> None:
    stage, rng = Stage.deal(find("president"), 4, {"deals": 2}, Random(2)), Random(2)
    seen = 0
    while stage.referee.outcome is None:
        exchanging = [
            viewer for viewer in stage.viewers if stage.screen(viewer)["middle"]["exchange"]
        ]
        assert None not in exchanging
        for viewer in exchanging:
            got = stage.screen(viewer)["middle"]["exchange"]["got"]
            seen += got is not None and len(got["cards"]) > 0
        stage.step(rng)
    assert seen > 0


def test_who_knows_a_passed_card_alone_sees_it_with_the_eye() -> None:
    """After a swap both know both cards; to the others they are hidden."""
    found = 0
    for seed in range(6):
        stage, rng = Stage.deal(find("cuckoo"), 4, {"lives": 2}, Random(seed)), Random(seed)
        while stage.referee.outcome is None:
            for viewer in range(4):
                for seat in stage.screen(viewer)["seats"]:
                    found += any(card["mine"] for card in seat["shown"])
            stage.step(rng)
    assert found > 0


def test_pages_of_one_seat_are_built_from_the_view_alone() -> None:
    """The same view and story give the same document: nothing comes from elsewhere."""
    stage = Stage.of(Referee.deal(find("oh-hell"), 4, {"max_hand": 2}, rng=Random(5)))
    assert stage.screen(2) == stage.screen(2)
