// Cards that go from hand to hand or to the table: the exchange after a deal, and the three places before
// the viewer while they are arranged.

import { cardView, nameOf } from './cards.js';
import { does, el } from './dom.js';
import { shield } from './icons.js';
import { say, value } from './words.js';

// What the viewer was given and what it gives back; the chosen cards of the hand lie in their places.
export function exchangeView({ screen, gnav }, { got, give }, chosen) {
  const cards = screen.hand.filter(({ slot }) => chosen.includes(slot));
  const name = (seat) => ({ name: { seat } });
  const empty = give ? Math.max(give.count - cards.length, 0) : 0;
  return el(
    'div',
    { class: 'paper swap' },
    got &&
      el(
        'div',
        {},
        el('h3', {}, say('page.gave-you', name(got.seat))),
        got.code && el('p', { class: 'sub proven' }, shield(), value(got)),
        el(
          'div',
          { class: 'row' },
          got.cards.map((card) => cardView(card, { gnav, follow: false })),
        ),
      ),
    got && give && el('hr'),
    give &&
      el(
        'div',
        {},
        el('h3', {}, say('page.you-give', name(give.seat))),
        give.code && el('p', { class: 'sub' }, value(give)),
        el(
          'div',
          { class: 'row' },
          cards.map((card) => cardView(card, { gnav, follow: false, cls: 'best' })),
          Array.from({ length: empty }, () => el('span', { class: 'card ghost' })),
        ),
      ),
  );
}

// The viewer's own three places while arranging: click one and a card of the hand to swap them, or drag.
export function arrangeView({ gnav }, { row: places, picked }) {
  const cells = places.map(({ down, up }) =>
    el(
      'div',
      { class: 'two' },
      down && cardView(down, { gnav }),
      cardView(up, {
        gnav,
        tag: 'button',
        cls: picked === up.slot ? 'can chosen' : 'can',
        label: [nameOf(up, gnav), say('page.face-up'), picked === up.slot && say('page.chosen')]
          .filter(Boolean)
          .join(', '),
        data: { ...does('arrange', up.slot), drag: 'row' },
      }),
    ),
  );
  return el(
    'div',
    { class: 'arranging', role: 'group', 'aria-label': say('page.your-row') },
    el('div', { class: 'tabled big' }, cells),
    el('p', { class: 'note' }, say('page.your-row')),
  );
}
