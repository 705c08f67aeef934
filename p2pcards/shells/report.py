"""Reports for a terminal: score sheets, tables on the network, audits. Text in, text out.

Names come from other people: what could command a terminal is taken out before anything is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from p2pcards.engine.audit import Report
from p2pcards.engine.fingerprint import words
from p2pcards.net.advert import Found, printable
from p2pcards.shells.script import Result
from p2pcards.shells.text import say


def columns(rows: Iterable[Sequence[object]]) -> str:
    """Rows as aligned columns, numbers to the right."""
    table = [["" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))] if table else []
    return "\n".join(
        "  ".join(
            cell.rjust(width) if cell.lstrip("-").isdecimal() else cell.ljust(width)
            for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in table
    )


def clean(name: str) -> str:
    """A name that somebody else chose, safe to print."""
    return printable(name).strip() or "?"


def sheet(rows: Sequence[Mapping[str, object]], players: Sequence[str]) -> str:
    """The score sheet: a line a hand; what is kept per seat stands under the players' names,
    divided by slashes in the order of the last column's heading."""
    if not rows:
        return ""
    kept = [key for key, value in rows[0].items() if isinstance(value, tuple)]
    plain = [key for key in rows[0] if key not in kept]
    table: list[list[object]] = [[*plain, *map(clean, players), "/".join(kept)]]
    for row in rows:
        cells = ["/".join(_cells(row[key], seat) for key in kept) for seat in range(len(players))]
        table.append([*("-" if row[key] is None else row[key] for key in plain), *cells, ""])
    return columns(table)


def _cells(values: object, seat: int) -> str:
    return str(values[seat]) if isinstance(values, tuple) else ""


def ranking(result: Result) -> str:
    """Who came where."""
    order = sorted(range(len(result.players)), key=lambda seat: result.places[seat])
    points = result.points or (None,) * len(order)
    rows = [[f"{result.places[s]}.", clean(result.players[s]), points[s]] for s in order]
    return columns(rows)


def result_json(result: Result, log: str | None) -> dict[str, Any]:
    """A result as plain values, with a `schema` number."""
    return {
        "schema": 1,
        "game": result.game,
        "players": list(result.players),
        "seat": result.seat,
        "places": list(result.places),
        "points": None if result.points is None else list(result.points),
        "sheet": [dict(row) for row in result.sheet],
        "log": log,
    }


def tables(found: Sequence[Found]) -> str:
    """The tables on the network, one a line."""
    rows = [["TABLE", "GAME", "SEATS", "ID", "HOST'S WORDS"]]
    rows.extend(
        [
            clean(table.name),
            table.game,
            f"{table.taken}/{table.seats}",
            table.table,
            words(bytes.fromhex(table.key)),
        ]
        for table in found
    )
    return columns(rows)


def tables_json(found: Sequence[Found]) -> dict[str, Any]:
    """The same as plain values."""
    return {
        "schema": 1,
        "tables": [
            {
                "name": table.name,
                "id": table.table,
                "game": table.game,
                "taken": table.taken,
                "seats": table.seats,
                "addresses": list(table.addresses),
                "port": table.port,
                "fingerprint": words(bytes.fromhex(table.key)),
            }
            for table in found
        ],
    }


def audit(report: Report) -> str:
    """An audit in words: the verdict first, then what was checked, who played, and the result."""
    lines = [verdict(report)]
    if report.game is not None:
        options = ", ".join(f"{name}={_value(value)}" for name, value in report.options.items())
        lines += ["", f"game     {report.game} ({options})", f"table    {report.table}"]
        lines += [
            f"seat {player['seat']}   {clean(player['name'])}: {player['fingerprint']}"
            for player in report.players
        ]
    if report.checks:
        lines += ["", "checked:", columns(_checks(report))]
    if report.unopened:
        hands = ", ".join(map(str, report.unopened))
        lines += ["", f"keys not opened after hand {hands}: only the proofs speak for them"]
    if report.verdict == "honest":
        names = [player["name"] for player in report.players]
        lines += ["", sheet(report.sheet, names)] if report.sheet else []
        if report.over is not None:
            lines += ["", columns(_standing(report, names))]
    return "\n".join(lines)


def verdict(report: Report) -> str:
    """The first line of an audit."""
    if report.fault is not None:
        name = clean(report.players[report.fault.seat]["name"]) if report.players else "?"
        detail = f" ({printable(report.fault.detail)})" if report.fault.detail else ""
        return (
            f"DISHONEST: seat {report.fault.seat}, {name}, at step {report.fault.step}: "
            f"{say(report.fault.code)} [{report.fault.code}]{detail}"
        )
    if report.verdict == "honest":
        return "HONEST: every signature, proof and rule holds, from the agreement to the result"
    problem = printable(report.problem or "")
    return f"UNREADABLE: {say(report.code or 'log.unreadable')} [{report.code}] {problem}"


def _checks(report: Report) -> list[list[object]]:
    return [[count, name] for name, count in sorted(report.checks.items())]


def _standing(report: Report, names: Sequence[str]) -> list[list[object]]:
    if report.over is None:
        return []
    points = report.over.points or (None,) * len(names)
    order = sorted(range(len(names)), key=report.over.places.__getitem__)
    return [[f"{report.over.places[seat]}.", clean(names[seat]), points[seat]] for seat in order]


def _value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) or value is None else str(value)
