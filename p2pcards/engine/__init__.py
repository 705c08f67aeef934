"""The protocol's core without input or output: chain, dealer, match, peer, view, lobby and audit.

Events go in, effects come out; time and randomness are arguments. It knows the rules of no game
and the mathematics of no proof: those are `games` and `crypto`, reached through the `Rules` and
`Kernel` protocols.
"""
