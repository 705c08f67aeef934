// The middle of the table: the trick (one card before each seat) or the plays in a row, stock and piles,
// an exchange, and one's own cards while they are arranged (both in `giving`). Each item says where it wants to be from
// the centre (`data-dx`, `data-dy`); `settle` finds the room.

import { avatar } from './avatar.js';
import { cardView, nameOf } from './cards.js';
import { el } from './dom.js';
import { arrangeView, exchangeView } from './giving.js';
import { shield } from './icons.js';
import { nameView } from './seats.js';
import { say, value } from './words.js';

const PLAYS = 5;
const BACKS = 3;
const SPREAD = 30;

function stockBeside(look) {
  if (look.geometry.upright) return [];
  return lying(look.screen.middle)
    .filter((pile) => pile.count > 0)
    .map((pile) => heap(look, pile, []));
}

function item(dx, dy, key, ...kids) {
  return el('div', { class: 'at mid', data: { dx, dy, key: `mid-${key}` } }, kids);
}

// `pending`: cards of the viewer that are on their way; `leaving`: a trick just swept, shown a moment longer.
export function middleView(screen, geometry, { pending, leaving, arranged, chosen, gnav }) {
  const middle = screen.middle;
  const look = { screen, geometry, gnav };
  if (arranged)
    return section([
      item(
        0,
        0,
        'arrange',
        el('div', { class: 'spread' }, stockBeside(look), arrangeView(look, arranged)),
      ),
    ]);
  if (middle.exchange)
    return section([item(0, 0, 'exchange', exchangeView(look, middle.exchange, chosen))]);
  const trick = middle.trick.length > 0 || pending.length > 0 ? middle.trick : (leaving ?? []);
  const mine = pending.map((card) => ({ seat: screen.you, card, pending: true, play: 'mine' }));
  const all = [...trick, ...mine];
  const kind = layout(middle, all);
  if (kind === 'ring') return section([...piles(look, middle), ...ring(look, all)]);
  const heaps = lying(middle).map((pile) => heap(look, pile, kind === 'piles' ? mine : []));
  return section([
    item(
      0,
      0,
      'row',
      el('div', { class: 'spread' }, heaps, kind === 'row' && all.length > 0 && row(look, all)),
      need(middle.need),
    ),
  ]);
}

function section(items) {
  return el(
    'section',
    { class: 'middle', 'aria-label': say('page.middle'), data: { region: 'middle' } },
    items,
  );
}

// A stock that is used up is not worth a place.
function lying(middle) {
  return middle.piles.filter((pile) => pile.count > 0 || pile.name !== 'stock');
}

function layout(middle, trick) {
  if (middle.layout) return middle.layout;
  if (middle.trick.length === 0 && middle.piles.length > 0) return 'piles';
  const seats = trick.map(({ seat }) => seat);
  return new Set(seats).size === seats.length ? 'ring' : 'row';
}

function piles(look, middle) {
  const shown = lying(middle);
  const n = shown.length;
  return shown.map((pile, i) =>
    item((i - (n - 1) / 2) * 168, 0, `pile-${pile.name}`, heap(look, pile, [])),
  );
}

// One card before each seat, at even angles, the viewer's own nearest.
function ring({ screen, geometry, gnav }, trick) {
  const n = screen.seats.length;
  const wide = screen.middle.piles.length > 0 ? 1.2 : 1;
  const [rx, ry] = geometry.upright ? [96, 116] : geometry.low ? [128, 61] : [172, 122];
  const from = screen.you ?? n - 1;
  const spot = (seat) => {
    const angle = (2 * Math.PI * ((seat - from + n) % n)) / n;
    return [-rx * wide * Math.sin(angle), ry * wide * Math.cos(angle)].map(Math.round);
  };
  const cards = trick.map(({ seat, card, best, proof, pending }) => {
    const who = screen.seats[seat].you ? say('page.you') : say('page.name', { name: { seat } });
    const label = [
      `${who}: ${nameOf(card, gnav)}`,
      best && say('page.winning'),
      proof && say('page.proven', { what: proof }),
      pending && say('page.on-its-way'),
    ]
      .filter(Boolean)
      .join(', ');
    return item(
      ...spot(seat),
      `play-${seat}`,
      cardView(
        card,
        {
          gnav,
          cls: [best && 'best', pending && 'pending'].filter(Boolean).join(' '),
          label,
          data: { from: `seat-${seat}` },
        },
        proof && proofTag(proof),
      ),
    );
  });
  const played = trick.some(({ seat }) => seat === screen.you);
  const hole =
    screen.you !== null &&
    !played &&
    screen.seats[screen.you].turn &&
    screen.hand.some((card) => card.options?.length > 0);
  return hole
    ? [
        ...cards,
        item(...spot(screen.you), `play-${screen.you}`, el('span', { class: 'card ghost' })),
      ]
    : cards;
}

function proofTag(words) {
  return el(
    'span',
    { class: 'proof', 'aria-hidden': 'true' },
    shield(),
    el('span', {}, value(words)),
  );
}

// Plays side by side, the last one at the right; only the last few when there are many.
function row({ screen, gnav }, trick) {
  const plays = new Map();
  trick.forEach((entry, i) => {
    const key = entry.play ?? i;
    plays.set(key, [...(plays.get(key) ?? []), entry]);
  });
  const shown = [...plays].slice(-PLAYS);
  return el(
    'div',
    { class: 'plays' },
    shown.map(([key, entries], i) => {
      const last = i === shown.length - 1 && !entries[0].pending;
      const seat = screen.seats[entries[0].seat] ?? null;
      const proof = entries.find((entry) => entry.proof)?.proof;
      return el(
        'figure',
        { class: ['playset', last && 'last'], data: { key: `set-${key}` } },
        el(
          'div',
          { class: 'row' },
          entries.map(({ card, pending }) =>
            cardView(card, {
              gnav,
              cls: pending ? 'pending' : '',
              data: { from: `seat-${seat?.seat}` },
            }),
          ),
          proof && proofTag(proof),
        ),
        seat &&
          el('figcaption', {}, avatar(seat.key), seat.you ? say('page.you') : nameView(seat.name)),
      );
    }),
  );
}

function need(words) {
  if (!words) return null;
  return el(
    'p',
    { class: 'need' },
    Array.from({ length: words.of }, (_, i) =>
      el('i', { class: ['peg', i < words.done && 'won'] }),
    ),
    el('span', {}, value(words)),
  );
}

// A pile: its top cards fanned out, or a few backs, or an empty place; its count is in the words below.
function heap({ gnav }, pile, mine) {
  const fan = [
    ...(pile.fan ?? []),
    ...(pile.name === 'pile' ? mine.map(({ card }) => ({ ...card, pending: true })) : []),
  ];
  const hidden =
    fan.length === 0 && !pile.top
      ? Math.min(pile.count, BACKS)
      : Math.min(Math.max(pile.count - 1, 0), pile.top ? BACKS - 1 : 0);
  const tilt = (slot) => ((slot * 37) % 15) - 7;
  const cards = [
    ...Array.from({ length: hidden }, (_, i) =>
      cardView({ face: null }, { gnav, vars: { dx: i * 3, dy: -i * 3 } }),
    ),
    ...fan.map((card, i) =>
      cardView(card, {
        gnav,
        cls: card.pending ? 'pending' : i === fan.length - 1 ? 'best' : '',
        vars: {
          dx: i * SPREAD,
          dy: tilt(card.slot + 3) / 2,
          r: card.pending ? 3 : tilt(card.slot),
        },
      }),
    ),
    pile.top &&
      fan.length === 0 &&
      cardView(pile.top, { gnav, vars: { dx: hidden * 2, dy: -hidden * 2 } }),
  ];
  const empty = pile.count === 0 && fan.length === 0 && !pile.top;
  const words = !pile.label
    ? say('page.cards', { n: pile.count })
    : empty && pile.label.args?.n !== undefined
      ? ''
      : value(pile.label);
  return el(
    'figure',
    {
      class: 'heap',
      data: { key: `heap-${pile.name}`, pile: pile.name },
      title: say('page.cards', { n: pile.count }),
    },
    el(
      'div',
      { class: 'stack', vars: { more: Math.max(fan.length - 1, 0) * SPREAD } },
      cards,
      empty && el('span', { class: 'ghost' }, say('page.empty')),
    ),
    words && el('figcaption', {}, el('b', {}, words)),
  );
}
