// The score sheet and the log of the match in words.

import { avatar } from './avatar.js';
import { el } from './dom.js';
import { nameView } from './seats.js';
import { rich, say, value } from './words.js';

export function scoreSheet({ screen }) {
  if (!screen?.sheet) return null;
  const { heads, rows, sums, note, sub } = screen.sheet;
  const columns = heads.length;
  const last =
    sums &&
    el(
      'tr',
      { class: 'sum' },
      el('th', { scope: 'row' }, say('page.sum')),
      sums.map((sum) => cellView(sum)),
    );
  return {
    title: say('page.score'),
    sub: sub && value(sub),
    body: el(
      'table',
      { class: 'score' },
      el(
        'thead',
        {},
        el(
          'tr',
          {},
          el('td', {}),
          heads.map((head) => headView(head, screen)),
        ),
      ),
      el(
        'tbody',
        {},
        rows.map((row, i) => rowView(row, i, columns, screen)),
        last,
      ),
    ),
    foot: note && el('p', { class: 'limits' }, rich(note)),
  };
}

function headView(head, screen) {
  if (typeof head !== 'object' || head.seat === undefined)
    return el('th', { scope: 'col' }, value(head));
  const seat = screen.seats[head.seat];
  return el(
    'th',
    { scope: 'col' },
    avatar(seat.key),
    seat.you ? say('page.you') : nameView(seat.name),
  );
}

function rowView(row, i, columns, screen) {
  const state = row.state ?? (screen.sheet.current === i ? 'now' : 'done');
  return el(
    'tr',
    { class: state },
    el('th', { scope: 'row' }, value(row.label ?? i + 1)),
    row.span
      ? el('td', { colspan: columns }, value(row.span))
      : row.cells
        ? row.cells.map(cellView)
        : el('td', { colspan: columns }),
  );
}

function cellView(cell) {
  if (cell === null || typeof cell !== 'object' || 'code' in cell) return el('td', {}, value(cell));
  const text = value(cell.text);
  const small = cell.small === undefined || cell.small === null ? null : String(cell.small);
  if (cell.miss)
    return el(
      'td',
      { class: 'miss' },
      el('s', {}, small ?? text),
      el('span', { class: 'sr' }, ` ${say('page.missed')}`),
    );
  if (cell.ring) return el('td', {}, el('span', { class: 'ring1' }, text || small));
  return el('td', {}, small !== null && el('small', {}, small, ' '), text);
}

export function logSheet({ screen }) {
  if (!screen) return null;
  return {
    title: say('page.log'),
    body: el(
      'ol',
      { class: 'log' },
      [...screen.log].reverse().map((line) => el('li', {}, rich(line))),
    ),
  };
}
