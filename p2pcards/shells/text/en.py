"""English words for error codes and phases. A plain dict, so that another language is a copy."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    # --- moves that the rules refuse
    "bid.hook": "The dealer may not bid this: the bids would add up to the number of tricks.",
    "bid.range": "A bid is a number from zero to the number of cards in the hand.",
    "card.face_down": "That card lies face down.",
    "card.not_held": "You do not hold that card.",
    "phase.wrong": "That cannot be done at this point of the game.",
    "play.illegal": "The rules do not allow that.",
    "play.must_follow": "You hold a card of the suit that was led, and must play one.",
    "play.must_trump": "You cannot follow suit but hold a trump, and must play one.",
    "turn.not_yours": "It is not your turn.",
    # --- choices and options
    "choice.stale": "The table has moved on since that choice was offered; look again.",
    "game.unknown": "There is no game of that name.",
    "option.conflict": "These options do not go together.",
    "option.seats": "That does not fit the number of seats.",
    "option.unknown": "The game has no option of that name.",
    "option.value": "The option does not take that value.",
    "strategy.unknown": "There is no bot of that name.",
    # --- what others send, and the world
    "crypto": "A proof or a key does not hold.",
    "error": "Something went wrong.",
    "fault": "A player has broken the protocol; the match stops.",
    "lobby.refused": "The table does not let you in.",
    "local": "That is refused here; nothing was sent.",
    "log.unreadable": "The file cannot be read as a log.",
    "malformed": "A message that makes no sense was dropped.",
    "net.unavailable": "The table or its broker cannot be reached.",
    "profile.unusable": "The profile directory cannot be used.",
    # --- phases
    "phase.cut": "The first dealer is drawn.",
    "phase.deal": "The cards are dealt.",
    "phase.bid": "The players bid.",
    "phase.play": "The tricks are played.",
    "phase.score": "The hand is scored.",
    "phase.end": "The match is over.",
    # --- headings
    "rules.options": "Options",
}
