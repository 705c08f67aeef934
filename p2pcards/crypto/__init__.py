"""Points, proofs and keys: what a table without a trusted dealer rests on.

Everything here is a pure function of its arguments; randomness comes in as `rng`. Outside this
package a point, a scalar, a mask and a proof are bytes. protocol.md sections 3 to 5.
"""
