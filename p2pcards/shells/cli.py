"""The command line: `p2pcards play | join | bot | tables | audit | rules`; alone it opens the page.

Data goes to stdout, everything else to stderr. Exit codes: 0 fine, 1 dishonesty proven, 2 usage,
3 input that cannot be read, 4 network or peers, 5 refused by others, 130 Ctrl-C. Heavy imports wait
until a command needs them, so that `--help` is quick.
"""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from p2pcards import __version__
from p2pcards.errors import (
    BadOption,
    LogError,
    P2PCardsError,
    Refused,
    SeatFault,
    StoreError,
    Unavailable,
)

if TYPE_CHECKING:
    from p2pcards.shells.session import Plan
    from p2pcards.shells.web.sitting import Opening

HONEST, DISHONEST, USAGE, UNREADABLE, NETWORK, REFUSED, INTERRUPTED = 0, 1, 2, 3, 4, 5, 130
BUG, UNHEARD = 70, 141
"""A fault of this program (EX_SOFTWARE of sysexits.h); and nobody reads our output any more (as a
shell reports SIGPIPE). Neither may look like a verdict."""

EXITS: tuple[tuple[type[P2PCardsError], int], ...] = (
    (SeatFault, DISHONEST),
    (LogError, UNREADABLE),
    (StoreError, UNREADABLE),
    (BadOption, USAGE),
    (Refused, REFUSED),
    (Unavailable, NETWORK),
)
"""Exit codes by kind of error; the first that fits."""

app = typer.Typer(
    name="p2pcards",
    help="Card games with hidden cards between peers that need not trust each other.",
    epilog="Examples: `p2pcards` opens the page in the browser; "
    "`p2pcards play oh-hell --bots 3` opens it with a table against three bots; "
    "`p2pcards play oh-hell --seats 4 --bots 4 --headless` plays a table of bots; "
    "`p2pcards tables` lists the tables on the network, `p2pcards join Ada` takes a seat at one; "
    "`p2pcards audit evening.p2plog` verifies what was played. `p2pcards COMMAND --help` has more.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Game = Annotated[str, typer.Argument(help="The game, e.g. oh-hell.")]
NoBrowser = Annotated[
    bool, typer.Option("--no-browser", help="Only print the page's address, do not open it.")
]
Port = Annotated[
    int, typer.Option(min=0, max=65535, help="Port of the page on this machine; 0: a free one.")
]
Interface = Annotated[
    str | None,
    typer.Option(
        envvar="P2PCARDS_INTERFACE",
        help="Use only this local address (or interface name) for broker and discovery.",
    ),
]
ProfileDir = Annotated[
    Path | None,
    typer.Option(
        "--profile",
        envvar="P2PCARDS_PROFILE",
        help="Directory of identity and journals, so that several peers live on one machine.",
    ),
]
Broker = Annotated[
    str | None,
    typer.Option(help="An MQTT broker, mqtt://user:password@host:port, instead of our own."),
]
LogFile = Annotated[
    Path | None, typer.Option("--log", help="Where the match's log goes (.p2plog).")
]
Name = Annotated[str | None, typer.Option(help="Your name at the table.")]
AsJson = Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")]
ResultAsJson = Annotated[
    bool, typer.Option("--json", help="One JSON document on stdout; plays without a screen.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"p2pcards {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    debug: Annotated[
        bool, typer.Option(help="Log on stderr, and show tracebacks of errors.")
    ] = False,
    _version: Annotated[
        bool,
        # eager: it needs no command after it
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
    no_browser: NoBrowser = False,
) -> None:
    """Options of every command."""
    if debug:
        import logging

        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr)
    if context.invoked_subcommand is None:
        interface = os.environ.get("P2PCARDS_INTERFACE") or None
        _open_page(_plan(None, None, None, None, None, interface, None, quiet=False), no_browser)


@app.command(
    epilog="Examples: `p2pcards play oh-hell --seats 4 --bots 4 --headless` plays a table of bots; "
    "`p2pcards play oh-hell --seats 4 --bots 2 --name Ada` hosts a table for one more player; "
    "`--option hook=true --option sequence=up_down` sets rules of the game."
)
def play(
    game: Annotated[
        str | None, typer.Argument(help="The game, e.g. oh-hell; none: choose it on the page.")
    ] = None,
    seats: Annotated[int, typer.Option(help="Seats at the table.")] = 4,
    bots: Annotated[
        int, typer.Option(help="Seats that bots take; as many as there are seats: all of them.")
    ] = 0,
    headless: Annotated[
        bool, typer.Option("--headless", help="No screen: a bot plays our seat, too.")
    ] = False,
    no_browser: NoBrowser = False,
    port: Port = 0,
    option: Annotated[
        list[str] | None, typer.Option("--option", "-o", help="A rule, NAME=VALUE; repeatable.")
    ] = None,
    hands: Annotated[int, typer.Option(help="Stop after this many hands; 0: play all.")] = 0,
    openings: Annotated[
        str, typer.Option(help="Open all keys after-hand, for the audit, or never.")
    ] = "after-hand",
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="How bots play: simple or random; repeat it seat by seat."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Fixes the choices of bots, never the cryptography.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="What the table is called.")] = None,
    name: Name = None,
    log: LogFile = None,
    broker: Broker = None,
    interface: Interface = None,
    profile: ProfileDir = None,
    as_json: ResultAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Host a table: alone with bots on this machine, or for others on the network. Opens the page,
    unless bots take all seats or --headless is given."""
    plan = _plan(name, seed, strategy, log, broker, interface, profile, quiet)
    if game is None and (headless or as_json):
        raise BadOption("game.unknown", "which one, without a screen?")
    if game is None or not (headless or as_json or bots == seats or _nobody_watches(no_browser)):
        opening = None
        if game is not None:
            opening = _opening(plan, game, seats, bots, option or [], hands, openings, title)
        _open_page(plan, no_browser, port, name, opening=opening)
        return
    from p2pcards.shells.session import host

    _finish(
        lambda: host(
            plan,
            game,
            seats=seats,
            bots=bots,
            options=_pairs(option or []),
            hands=hands,
            openings=openings,
            title=title,
        ),
        as_json,
    )


@app.command(
    epilog="Examples: `p2pcards join Ada` joins the table called Ada; `p2pcards join 192.168.1.23` "
    "the one at that address; `p2pcards join` the only one on the network."
)
def join(
    table: Annotated[
        str | None, typer.Argument(help="A table's name or id, or an address; none: the only one.")
    ] = None,
    headless: Annotated[
        bool, typer.Option("--headless", help="No screen: a bot plays our seat.")
    ] = False,
    no_browser: NoBrowser = False,
    port: Port = 0,
    strategy: Annotated[
        list[str] | None,
        typer.Option(help="How a bot plays our seat, without a screen: simple or random."),
    ] = None,
    wait: Annotated[
        float, typer.Option(min=0, max=3600, help="Seconds to look for the table.")
    ] = 5.0,
    seed: Annotated[
        int | None, typer.Option(help="Fixes the bot's choices, never the cryptography.")
    ] = None,
    name: Name = None,
    log: LogFile = None,
    broker: Broker = None,
    interface: Interface = None,
    profile: ProfileDir = None,
    as_json: ResultAsJson = False,
    quiet: Quiet = False,
) -> None:
    """Take a seat at a table that somebody hosts. Opens the page, unless a bot shall play."""
    plan = _plan(name, seed, strategy, log, broker, interface, profile, quiet)
    if not (headless or as_json or strategy or _nobody_watches(no_browser)):
        _open_page(plan, no_browser, port, name, wanted=table)
        return
    from p2pcards.shells.session import join as join_table

    _finish(lambda: join_table(plan, table, wait=wait), as_json)


@app.command(
    epilog="Example: `p2pcards bot Ada --stdio` joins the table called Ada and writes a JSON line "
    'for each decision; answer each with a line like `{"move": "o0"}`. '
    "scripts/example_bot.py is one in Python."
)
def bot(
    table: Annotated[
        str | None, typer.Argument(help="A table's name or id, or an address; none: the only one.")
    ] = None,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Ask on stdout, read answers from stdin.")
    ] = False,
    wait: Annotated[
        float, typer.Option(min=0, max=3600, help="Seconds to look for the table.")
    ] = 5.0,
    name: Name = None,
    log: LogFile = None,
    broker: Broker = None,
    interface: Interface = None,
    profile: ProfileDir = None,
    quiet: Quiet = False,
) -> None:
    """Take a seat and let another program play it, in any language."""
    if not stdio:
        raise BadOption("bot.stdio", "how to reach the program: --stdio")
    plan = _plan(name, None, None, log, broker, interface, profile, quiet)
    from p2pcards.shells.session import converse

    _, path = _run(
        lambda: converse(plan, table, wait=wait, answers=sys.stdin, questions=sys.stdout)
    )
    _tell(f"log: {path}")


@app.command(epilog="Example: `p2pcards tables --json | jq '.tables[].name'`.")
def tables(
    wait: Annotated[float, typer.Option(min=0, max=3600, help="Seconds to listen.")] = 2.0,
    interface: Interface = None,
    as_json: AsJson = False,
) -> None:
    """List the tables on the network."""
    from p2pcards.net.discovery import browse
    from p2pcards.shells import report

    found = _run(lambda: browse(wait, interface))
    if as_json:
        _print_json(report.tables_json(found))
    elif found:
        typer.echo(report.tables(found))
    else:
        _tell("no table on this network; `p2pcards join ADDRESS` works without discovery")


@app.command(
    epilog="Exit codes: 0 honest; 1 dishonesty proven (who, what and which step); 3 not a whole "
    "log on which the players' signatures stand. Example: `p2pcards audit evening.p2plog`."
)
def audit(
    file: Annotated[Path, typer.Argument(help="A .p2plog, or a .p2pfault that convicts.")],
    as_json: AsJson = False,
) -> None:
    """Verify a log from its bytes alone: signatures, shuffles, proofs, rules, scores."""
    from p2pcards.crypto.kernel import RealKernel
    from p2pcards.engine import audit as engine
    from p2pcards.shells import report

    try:
        data = file.read_bytes()
    except OSError as error:
        raise LogError("log.file", f"{file}: {error.strerror}") from None
    result = engine.audit(data, RealKernel())
    if as_json:
        _print_json(result.as_json())
    else:
        typer.echo(report.audit(result))
    codes = {"honest": HONEST, "dishonest": DISHONEST}
    raise typer.Exit(codes.get(result.verdict, UNREADABLE))


@app.command(epilog="Example: `p2pcards rules oh-hell`.")
def rules(game: Game) -> None:
    """Show a game's rules as they are implemented, with all options."""
    from p2pcards.games import find
    from p2pcards.shells.text import rules_text

    typer.echo(rules_text(find(game)))


# --- running --------------------------------------------------------------------------------------


def main() -> int:
    """The command line; gives the exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name of another script must not end a program whose terminal lacks the letters.
        sys.stdout.reconfigure(errors="replace")
    try:
        app()
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):
            return UNHEARD
        return end.code if isinstance(end.code, int) else USAGE
    except Exception as error:
        if "--debug" in sys.argv:
            raise
        return _complain(error)
    return HONEST


def _complain(error: Exception) -> int:
    """Says what went wrong; gives the exit code."""
    from p2pcards.shells.text import explain

    if isinstance(error, P2PCardsError):
        exit_code = next((code for kind, code in EXITS if isinstance(error, kind)), USAGE)
        code, words = error.code, explain(error)
    else:
        exit_code, code = BUG, "bug"
        words = f"a fault of this program: {error!r}; p2pcards --debug ... shows where"
    _tell(words)
    if "--json" in sys.argv:
        _print_json({"schema": 1, "error": {"code": code, "message": words}})
    return exit_code


def _run(make: Callable[[], Coroutine[Any, Any, Any]]) -> Any:
    """Runs a coroutine. The first Ctrl-C (or SIGTERM) ends it politely, the second at once."""
    import asyncio
    import signal

    async def body() -> Any:
        task = asyncio.current_task()
        if task is not None and sys.platform != "win32":
            asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        return await make()

    # The MQTT client needs a selector loop, which Windows does not choose by itself.
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        try:
            return runner.run(body())
        except (KeyboardInterrupt, asyncio.CancelledError):
            _tell("left the table")
            raise typer.Exit(INTERRUPTED) from None


def _opening(
    plan: Plan,
    game: str,
    seats: int,
    bots: int,
    option: list[str],
    hands: int,
    openings: str,
    title: str | None,
) -> Opening:
    from p2pcards.shells.web.sitting import Opening

    if not 0 <= bots < seats:
        raise BadOption("option.bots", f"0 to {seats} bots on {seats} seats")
    return Opening(
        game=game,
        seats=seats,
        bots=tuple(plan.strategy(i) for i in range(1, bots + 1)),
        options=_pairs(option),
        hands=hands,
        openings=openings,
        title=title,
    )


def _nobody_watches(no_browser: bool) -> bool:
    """Whether a page would wait for ever for somebody to look at it: started by a program, where
    there is neither a display nor a terminal to read the page's address from."""
    from p2pcards.shells.web.evening import has_display

    if no_browser or has_display() or sys.stdin.isatty() or sys.stderr.isatty():
        return False
    _tell("neither display nor terminal here: a bot plays our seat (--no-browser for the page)")
    return True


def _open_page(
    plan: Plan,
    no_browser: bool,
    port: int = 0,
    name: str | None = None,
    *,
    opening: Opening | None = None,
    wanted: str | None = None,
) -> None:
    """The page, until Ctrl-C. Its address is told even where nothing else is."""
    from p2pcards.shells.web.evening import Evening, spend

    evening = Evening(
        name=name,
        user=plan.name,
        profile=plan.profile,
        broker=plan.broker,
        interface=plan.interface,
        seed=plan.seed,
        log=plan.log,
        opening=opening,
        wanted=wanted,
        port=port,
        browser=not no_browser,
        announce=_tell,
        tell=plan.tell,
    )
    _run(lambda: spend(evening))


def _finish(make: Callable[[], Coroutine[Any, Any, Any]], as_json: bool) -> None:
    from p2pcards.shells import report

    result, path = _run(make)
    if as_json:
        _print_json(report.result_json(result, str(path)))
    else:
        typer.echo(report.sheet(result.sheet, result.players))
        typer.echo()
        typer.echo(report.ranking(result))
    _tell(f"log: {path}")


def _plan(
    name: str | None,
    seed: int | None,
    strategies: list[str] | None,
    log: Path | None,
    broker: str | None,
    interface: str | None,
    profile: Path | None,
    quiet: bool,
) -> Plan:
    from p2pcards.shells.session import Plan

    return Plan(
        name=name or _user(),
        seed=seed,
        strategies=tuple(strategies or ()),
        log=log,
        broker=broker,
        interface=interface,
        profile=profile,
        tell=(lambda text: None) if quiet else _tell,
    )


def _user() -> str:
    import getpass

    from p2pcards.net.advert import printable

    try:
        return printable(getpass.getuser())[:20].strip() or "player"
    except (OSError, KeyError, ImportError):
        return "player"


def _pairs(given: list[str]) -> dict[str, str]:
    pairs = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise BadOption("option.form", f"{text}: write NAME=VALUE")
        pairs[name.strip()] = value.strip()
    return pairs


def _tell(text: str) -> None:
    """A line for people. Much of it comes from others; what a terminal would obey is taken out."""
    from p2pcards.net.advert import printable

    typer.echo(f"p2pcards: {printable(text)}", err=True)


def _print_json(document: dict[str, Any]) -> None:
    # ASCII alone: neither a name nor a path can then reach a terminal or break an encoding.
    typer.echo(json.dumps(document, indent=2))
