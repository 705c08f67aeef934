// The players on the hem: a plate with arms, name and counters, what they hold inward of it, their cards
// on the table, and what they just said. In the page they are a list in turn order.

import { avatar } from './avatar.js';
import { cardView, eye, mini, nameOf } from './cards.js';
import { does, el } from './dom.js';
import { isAway } from './page.js';
import { icon } from './icons.js';
import { clean, say, value } from './words.js';

const FAN = 6;
const BACKS = 2;
const FACES = 5;

export function nameView(name) {
  return el('bdi', {}, clean(name));
}

// Seats other than the viewer's, in the order in which they sit clockwise from the viewer's left.
export function around(screen) {
  const { seats, you } = screen;
  const from = you === null ? seats.length - 1 : you;
  const order = seats.map((_, i) => seats[(from + 1 + i) % seats.length]);
  return you === null ? order : order.slice(0, -1);
}

// `said` maps a seat to the words of its bubble.
export function seatsView(screen, geometry, said, gnav) {
  const others = around(screen).map((seat, i) => ({ seat, place: geometry.places[i] }));
  if (screen.turn_direction === 'ccw') others.reverse();
  return el(
    'ol',
    { class: 'players', 'aria-label': say('page.players'), data: { region: 'players' } },
    others.map(({ seat, place }) =>
      el(
        'li',
        { data: { key: `seat-${seat.seat}` } },
        plateOnHem(seat, place, said.get(seat.seat), geometry),
        near(seat, place, gnav),
      ),
    ),
  );
}

function plateOnHem(seat, place, bubble, geometry) {
  const side =
    geometry.upright || Math.abs(place.ny) > 0.5
      ? geometry.upright
        ? 'below'
        : 'beside'
      : place.nx < 0
        ? 'east'
        : 'west';
  const done = seat.counters.some(({ kind }) => kind === 'place');
  const state = [seat.turn && 'turn', seat.out && (done ? 'done' : 'out'), isAway(seat) && 'away'];
  return el(
    'div',
    {
      class: ['at', 'seat', ...state],
      vars: { x: place.x.toFixed(1), y: place.y.toFixed(1) },
      data: { seat: seat.seat },
    },
    plate(seat, bubble && el('span', { class: ['bubble', side], 'aria-hidden': 'true' }, bubble)),
  );
}

// The plate of a seat, also of the viewer's own.
export function plate(seat, ...more) {
  const lines = [
    ...seat.counters.map(counter),
    seat.note ? el('span', {}, value(seat.note)) : null,
  ].filter(Boolean);
  const away = isAway(seat);
  return el(
    'div',
    { class: 'plate' },
    avatar(seat.key),
    el(
      'div',
      { class: 'who' },
      el(
        'b',
        {},
        seat.you ? say('page.you') : nameView(seat.name),
        seat.bot &&
          el(
            'span',
            { class: 'machine', title: say('page.bot') },
            icon('bot'),
            el('span', { class: 'sr' }, say('page.bot')),
          ),
      ),
      away
        ? el('small', {}, say('page.away', { n: Math.round(seat.away) }))
        : lines.length > 0 && el('small', {}, lines),
    ),
    seat.turn && el('span', { class: 'sr' }, say('page.to-act')),
    seat.dealer &&
      el(
        'span',
        { class: 'mini dealer', title: say('page.dealer') },
        el('span', { 'aria-hidden': 'true' }, say('page.dealer-letter')),
        el('span', { class: 'sr' }, say('page.dealer')),
      ),
    seat.impostor &&
      el(
        'span',
        { class: 'mini impostor', title: say('page.impostor') },
        el('span', { 'aria-hidden': 'true' }, '!'),
        el('span', { class: 'sr' }, say('page.impostor')),
      ),
    ...more,
  );
}

function counter(c) {
  switch (c.kind) {
    case 'bid':
      return c.bid === null || c.bid === undefined
        ? null
        : el('span', { class: 'counter' }, say('page.bid', { n: c.bid }), ' ', pegs(c.bid, c.won));
    case 'lives':
      return eggs(c.left, c.of);
    case 'role':
      return el('i', { class: 'counter' }, say(c.code, c.args));
    case 'place':
      return el('span', { class: 'counter' }, say('page.place', { n: c.place }));
    case 'points':
      return el('span', { class: 'counter' }, say('page.points', { n: c.points }));
    default:
      return el('span', { class: 'counter' }, say(c.code, c.args ?? {}));
  }
}

// One peg a trick: those bid stand empty until they are won, those won too many are turned.
function pegs(bid, won) {
  return el(
    'span',
    { class: 'tally', role: 'img', 'aria-label': say('page.tricks-won', { n: won }) },
    Array.from({ length: Math.max(bid, won) }, (_, i) =>
      el('i', { class: ['peg', i >= bid ? 'over' : i < won ? 'won' : ''] }),
    ),
  );
}

function eggs(left, of) {
  return el(
    'span',
    { class: 'eggs', role: 'img', 'aria-label': say('page.lives', { n: left, of }) },
    Array.from({ length: of }, (_, i) => el('i', { class: ['egg', i < left ? '' : 'lost'] })),
  );
}

function near(seat, place, gnav) {
  const held = heldView(seat, place, gnav);
  if (!held) return null;
  return el(
    'div',
    {
      class: 'at near',
      vars: { x: place.x.toFixed(1), y: place.y.toFixed(1) },
      data: { near: seat.seat, nx: place.nx.toFixed(3), ny: place.ny.toFixed(3) },
    },
    held,
  );
}

function heldView(seat, place, gnav) {
  const shown = seat.peek ? [] : (seat.shown ?? []);
  const hidden = seat.peek ? (seat.count ?? 0) : (seat.held ?? 0);
  const parts = [];
  if (shown.length === 1 && hidden === 0) parts.push(known(seat, shown[0], gnav));
  else if (shown.length > 0) parts.push(mixed(seat, hidden, shown, gnav));
  else if (gnav && hidden === 1)
    parts.push(cardView({ face: null }, { gnav, cls: 'one', label: say('page.holds', { n: 1 }) }));
  else if (hidden > 0) parts.push(fan(seat, hidden, gnav));
  if ((seat.row ?? []).length > 0) parts.push(rowView(seat.row, gnav));
  return (
    parts.length > 0 &&
    el(
      'div',
      {
        class: ['held', parts.length > 1 && Math.abs(place.ny) > 0.5 && !place.strip && 'sideways'],
      },
      parts,
    )
  );
}

function fan(seat, count, gnav) {
  const backs = Array.from({ length: Math.min(count, FAN) }, () =>
    cardView({ face: null }, { gnav }),
  );
  const label = say('page.holds', { n: count });
  const number = (count > 1 || !gnav) && mini(String(count));
  if (seat.peek && seat.shown?.length > 0)
    return el(
      'button',
      {
        class: 'fan',
        type: 'button',
        'aria-label': `${label}, ${say('page.look-at')}`,
        data: does('peek', seat.seat),
      },
      backs,
      number,
    );
  return el('div', { class: 'fan', role: 'img', 'aria-label': label }, backs, number);
}

// A hand of which some faces are known: a few backs and a few faces; a look shows them all.
function mixed(seat, hidden, shown, gnav) {
  const n = hidden + shown.length;
  const backs = Array.from({ length: Math.min(hidden, BACKS) }, () =>
    cardView({ face: null }, { gnav }),
  );
  const faces = shown
    .slice(-FACES)
    .map((card) => cardView(card, { gnav, label: nameOf(card, gnav) }));
  const names = shown.map((card) => nameOf(card, gnav)).join(', ');
  return el(
    'button',
    {
      class: 'fan',
      type: 'button',
      'aria-label': `${say('page.holds', { n })}: ${names}`,
      data: does('peek', seat.seat),
    },
    backs,
    faces,
    mini(String(n)),
  );
}

function known(seat, card, gnav) {
  const secret = !card.up;
  const words = secret ? say('page.only-you-know') : '';
  return el(
    'div',
    { class: 'known' },
    cardView(
      card,
      {
        gnav,
        cls: secret ? 'seen' : '',
        label: [nameOf(card, gnav), words].filter(Boolean).join(', '),
      },
      secret && eye(),
    ),
    (seat.mark || secret) && el('span', { class: 'note' }, seat.mark ? value(seat.mark) : words),
  );
}

// Cards on the table before a seat: a face-down one under a face-up one, three times in Røvhult.
export function rowView(row, gnav) {
  return el(
    'div',
    { class: 'tabled' },
    row.map(({ down, up }) =>
      el(
        'div',
        { class: 'two' },
        down && cardView(down, { gnav }),
        up && cardView(up, { gnav }),
        !down && !up && el('span', { class: 'card gone' }),
      ),
    ),
  );
}
