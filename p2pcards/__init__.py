"""p2pcards: a card table between peers, where nobody has to be trusted with the deck.

The package is a house of floors: `errors`, then `cards` and `crypto`, `games` and `wire`, `engine`,
`net` and `testing`, and `shells` on top; a floor imports only floors below it. Importing this
module imports none of them. protocol.md says what peers say to each other.
"""

__version__ = "0.1.0"
