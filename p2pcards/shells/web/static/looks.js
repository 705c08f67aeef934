// A look at cards that everybody, or their owner, may see: the last trick, one's own won cards, and the
// known hand of another player.

import { cardView } from './cards.js';
import { el } from './dom.js';
import { ordered } from './order.js';
import { isGnav } from './page.js';
import { nameView } from './seats.js';
import { say } from './words.js';

function cards(list, screen) {
  const gnav = isGnav(screen);
  return el(
    'div',
    { class: 'looks' },
    list.map((card) => cardView(card, { gnav, follow: false })),
  );
}

export function lastSheet({ screen }) {
  const swept = screen?.middle.swept;
  if (!swept) return null;
  const gnav = isGnav(screen);
  return {
    title: say('page.last-trick'),
    sub:
      swept.to === null || swept.to === undefined
        ? null
        : say('page.taken-by', { name: { seat: swept.to } }),
    body: el(
      'ol',
      { class: 'looks named' },
      swept.cards.map(({ seat, card }) =>
        el(
          'li',
          {},
          cardView(card, { gnav, follow: false }),
          seat !== null &&
            seat !== undefined &&
            el(
              'span',
              {},
              screen.seats[seat].you ? say('page.you') : nameView(screen.seats[seat].name),
            ),
        ),
      ),
    ),
  };
}

export function wonSheet({ screen }) {
  const won = screen && screen.you !== null ? screen.seats[screen.you].won : null;
  if (!won?.cards) return null;
  const sorted = ordered(won.cards, screen.game, { sorting: 'suit', order: [] });
  return { title: say('page.won-cards', { n: won.count }), body: cards(sorted, screen) };
}

export function peekSheet({ screen, seat }) {
  const player = screen?.seats[seat];
  if (!player?.shown) return null;
  const sorted = ordered(player.shown, screen.game, { sorting: 'suit', order: [] });
  return {
    title: say('page.cards-of', { name: { seat } }),
    sub: say('page.everybody-knows'),
    body: cards(sorted, screen),
  };
}
