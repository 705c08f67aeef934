"""How each game looks: one small description a game, found by the key of its rules."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from p2pcards.shells.web.scenes.cuckoo import CuckooScene
from p2pcards.shells.web.scenes.oh_hell import OhHellScene
from p2pcards.shells.web.scenes.president import PresidentScene
from p2pcards.shells.web.scenes.rovhult import RovhultScene
from p2pcards.shells.web.scenes.scene import Scene
from p2pcards.shells.web.scenes.twopart import TwopartScene

SCENES: Mapping[str, Scene] = MappingProxyType(
    {
        scene.key: scene
        for scene in (
            OhHellScene(),
            RovhultScene(),
            TwopartScene(),
            PresidentScene(),
            CuckooScene(),
        )
    }
)
