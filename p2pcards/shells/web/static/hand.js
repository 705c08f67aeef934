// The viewer's own place: the hand, the cards on the table before them, the last trick, the plate, and
// the buttons Sort and Say. Cards are buttons in every state, so that one can walk over them all and
// hear why one cannot be played.

import { cardView, eye, nameOf } from './cards.js';
import { does, el } from './dom.js';
import { icon } from './icons.js';
import { playing } from './choosing.js';
import { plate } from './seats.js';
import { say, value } from './words.js';

// `width` of a card in px, `room` for the whole hand. `table` is the page's state of the table (see table.js).
export function handView(cards, { gnav, width, room, chosen, all, asked, fine, upright, at }) {
  const n = cards.length;
  const step = n > 1 ? Math.min(width * (fine ? 0.8 : 0.84), (room - width) / (n - 1)) : width;
  const arc = gnav || n < 2 ? 0 : Math.min(2, 9 / n);
  const common = cards.every((card) => card.up);
  const first = cards.some(({ slot }) => slot === at) ? at : cards[0]?.slot;
  return el(
    'div',
    {
      class: ['hand', upright && 'scrolls'],
      role: 'group',
      'aria-label': say('page.hand', { n }),
      vars: {
        step: `${(upright ? Math.max(step, width * 0.55) : step).toFixed(1)}px`,
        'w-hand': `${width}px`,
      },
      data: { region: 'hand', key: 'hand' },
    },
    cards.map((card, i) => {
      const k = i - (n - 1) / 2;
      const states = statesOf(card, { chosen, all, asked });
      const words = [nameOf(card, gnav), ...spokenStates(card, states)].join(', ');
      return cardView(
        card,
        {
          gnav,
          tag: 'button',
          cls: states.join(' '),
          label: words,
          vars: { r: (k * arc).toFixed(2), sag: ((k * k * step * arc * Math.PI) / 360).toFixed(1) },
          data: { ...does('card', card.slot), drag: 'hand', from: 'stock' },
          attributes: {
            tabindex: card.slot === first ? '0' : '-1',
            'aria-disabled': states.includes('cannot') ? 'true' : null,
          },
        },
        card.up && !(common && n > 1) && eye(),
      );
    }),
  );
}

// Nothing is dimmed while nobody asks for a card.
function statesOf(card, { chosen, all, asked }) {
  const can = playing(all, card.slot).length > 0;
  return [
    asked && (can ? 'can' : 'cannot'),
    chosen.includes(card.slot) && 'chosen',
    card.fresh && 'new',
  ].filter(Boolean);
}

function spokenStates(card, states) {
  const out = [];
  if (states.includes('chosen')) out.push(say('page.chosen'));
  else if (states.includes('can')) out.push(say('page.playable'));
  else if (states.includes('cannot'))
    out.push(
      card.refused ? say('page.not-now-for', { why: { code: card.refused } }) : say('page.not-now'),
    );
  if (card.up) out.push(say('page.exposed'));
  if (states.includes('new')) out.push(say('page.new'));
  return out;
}

// The viewer's cards on the table; buttons, since the face-up and face-down ones are played in the end.
export function ownRow(seat, { gnav, chosen, all, asked }, big) {
  const cell = (card) => {
    const playable = playing(all, card.slot).length > 0;
    const states = playable ? statesOf(card, { chosen, all, asked }) : [];
    const words = [nameOf(card, gnav), ...spokenStates(card, states)].join(', ');
    return cardView(card, {
      gnav,
      tag: 'button',
      cls: states.join(' '),
      label: words,
      data: { ...does('card', card.slot), drag: 'row' },
      attributes: { 'aria-disabled': playable ? null : 'true' },
    });
  };
  return el(
    'div',
    { class: ['own-table', big && 'big'], role: 'group', 'aria-label': say('page.your-row') },
    el(
      'div',
      { class: ['tabled', big && 'big'] },
      seat.row.map(({ down, up }) =>
        el(
          'div',
          { class: 'two' },
          down && (playing(all, down.slot).length > 0 ? cell(down) : cardView(down, { gnav })),
          up && cell(up),
          !down && !up && el('span', { class: 'card gone' }),
        ),
      ),
    ),
    !big && el('p', { class: 'note' }, say('page.row-later')),
  );
}

export function lastTrick({ cards, to }, screen, gnav) {
  const words =
    to === null || to === undefined
      ? say('page.last-trick')
      : screen.seats[to].you
        ? say('page.last-trick-yours')
        : say('page.last-trick-of', { name: { seat: to } });
  return el(
    'button',
    { class: 'lasttrick', type: 'button', 'aria-label': words, data: does('sheet', 'last') },
    el(
      'span',
      { class: 'row' },
      cards.slice(-8).map(({ card }) => cardView(card, { gnav, follow: false })),
    ),
    el('span', { class: 'note' }, words),
  );
}

export function wonPile(won, gnav) {
  return el(
    'button',
    { class: 'lasttrick', type: 'button', data: does('sheet', 'won') },
    el(
      'span',
      { class: 'row' },
      Array.from({ length: Math.min(won.count, 3) }, () => cardView({ face: null }, { gnav })),
    ),
    el('span', { class: 'note' }, say('page.won-cards', { n: won.count })),
  );
}

export function trumpView(trump, gnav, small) {
  const words = trump.label
    ? value(trump.label)
    : trump.suit
      ? say('page.trump-is', { suit: { suit: trump.suit } })
      : trump.known
        ? say('page.no-trump')
        : say('page.trump-later');
  return { words, card: trump.card ? cardView(trump.card, { gnav, follow: !small }) : null };
}

export function quiet(words, image, { name, argument, pressed, cls, key } = {}) {
  return el(
    'button',
    {
      class: ['quiet', cls],
      type: 'button',
      'aria-pressed': pressed === undefined ? null : String(pressed),
      data: { ...does(name, argument), key },
    },
    image && (typeof image === 'string' ? icon(image) : image),
    el('span', {}, words),
  );
}

export function ownPlate(seat, bubble) {
  return el(
    'div',
    { class: ['me', seat.turn && 'turn', seat.out && 'out'], data: { seat: seat.seat } },
    plate(seat, bubble && el('span', { class: 'bubble west', 'aria-hidden': 'true' }, bubble)),
  );
}
