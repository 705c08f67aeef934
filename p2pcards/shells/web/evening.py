"""An evening at the page: desk and server, from the command until Ctrl-C.

What the commands `p2pcards`, `play` and `join` do with a screen. Whatever cannot be is refused
before the page opens, so that the command line says it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from p2pcards.net.address import BrokerUrl
from p2pcards.net.interfaces import addresses
from p2pcards.net.store import Profile
from p2pcards.shells.web.desk import Desk
from p2pcards.shells.web.server import serving
from p2pcards.shells.web.settings import Settings, check_player
from p2pcards.shells.web.sight import Doc
from p2pcards.shells.web.sitting import Opening, Player, check_opening


@dataclass(frozen=True, slots=True)
class Evening:
    """`name` None: as the profile remembers, else `user`. `opening` or `wanted`: the table to open
    or to join at once. `announce` gets the page's address, `tell` all else."""

    name: str | None
    user: str
    profile: Path | None
    broker: str | None
    interface: str | None
    seed: int | None
    log: Path | None
    opening: Opening | None
    wanted: str | None
    port: int
    browser: bool
    announce: Callable[[str], None]
    tell: Callable[[str], None]


async def spend(evening: Evening) -> None:
    """Serves the page until it is cancelled. Raises what the options cannot be."""
    profile = Profile.open(evening.profile)
    addresses(evening.interface)
    if evening.broker is not None:
        BrokerUrl.parse(evening.broker)
    if evening.opening is not None:
        check_opening(evening.opening)
    given = {} if evening.name is None else {"name": check_player(evening.name)}
    player = Player(
        name=check_player(evening.name if evening.name is not None else evening.user),
        profile=profile,
        broker=evening.broker,
        interface=evening.interface,
        seed=evening.seed,
        log=evening.log,
    )
    settings = Settings(profile, **given)
    async with (
        Desk(player, settings, evening.tell) as desk,
        serving(desk, evening.port, evening.announce) as address,
    ):
        evening.announce(f"the page: {address}")
        if evening.browser and has_display():
            # A daemon: some browsers do not return before they are closed.
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        if evening.opening is not None:
            desk.open_table(evening.opening)
        elif evening.wanted is not None:
            command: Doc = {"table": evening.wanted}
            await desk.join(command)
        await asyncio.Event().wait()


def has_display() -> bool:
    """Whether a browser with windows could be opened here. Without one the terminal would be taken
    over by a browser for text."""
    if sys.platform in {"win32", "darwin"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
