// The whole table as a tree: cloth, sentence, own place, middle and players, in the order in which the
// page is read. Gathers what the parts draw; decides only which part goes where on this screen.

import { plays } from './choosing.js';
import { cloth } from './cloth.js';
import { el } from './dom.js';
import { handView, lastTrick, ownPlate, ownRow, quiet, trumpView, wonPile } from './hand.js';
import { middleView } from './middle.js';
import { ordered } from './order.js';
import { overView } from './over.js';
import { hands, isAway, isGnav, page, setting } from './page.js';
import { layOut } from './places.js';
import { actionsOf, actionsView, sayingView } from './say.js';
import { around, seatsView } from './seats.js';
import { suitMark } from './cards.js';
import { bubbles } from './chat.js';
import { say } from './words.js';

const LARGE = 150;
const UPRIGHT = { one: 116, many: 84 };
const TIGHT = { width: 1060, height: 700 };

function px(name) {
  return parseFloat(getComputedStyle(document.documentElement).getPropertyValue(`--${name}`));
}

// The cards of the hand as they lie on the screen: sorted, without those on their way, and as arranged so far.
export function shownHand(screen) {
  const { pending, arranging } = hands;
  let cards = screen.hand;
  if (arranging) {
    const row = screen.seats[screen.you].row.map(({ up }) => up);
    cards = [...screen.hand, ...row]
      .filter(({ slot }) => !arranging.up.includes(slot))
      .map((card) => ({ ...card, options: [] }));
  }
  if (pending && !arranging) cards = cards.filter(({ slot }) => !pending.slots.includes(slot));
  return ordered(cards, screen.game, hands);
}

function onTheirWay(screen) {
  if (!hands.pending || hands.arranging) return [];
  const row = screen.seats[screen.you].row ?? [];
  const cards = [...screen.hand, ...row.flatMap(({ up, down }) => [up, down].filter(Boolean))];
  return cards.filter(({ slot }) => hands.pending.slots.includes(slot));
}

// {node, geometry, hem}: the table for a screen of this size.
export function tableView(screen, { width, height }) {
  const gnav = isGnav(screen);
  const me = screen.you === null ? null : { ...screen.seats[screen.you], shown: [] };
  const others = around(screen);
  const tall = gnav;
  const geometry = layOut({ width, height, others: others.length, tall });
  const look = { gnav, all: plays(screen), chosen: hands.chosen, asked: false };
  if (hands.arranging)
    look.all = shownHand(screen).map(({ slot }) => ({ id: null, slots: [slot] }));
  look.asked = look.all.length > 0 && !hands.pending;
  const size = setting('print') === 'large' ? 1.4 : 1;
  const actions = screen.over ? [] : actionsOf(screen);
  const spots = { middle: actions, side: [] };
  if ((gnav && !geometry.upright && actions.length <= 3) || (geometry.low && actions.length <= 3))
    Object.assign(spots, { middle: [], side: actions });

  const hem = glow(screen, geometry, others);
  const node = el(
    'main',
    {
      class: [
        'table',
        gnav && 'gnav',
        geometry.size,
        geometry.upright && 'upright',
        !geometry.low && (width < TIGHT.width * size || height < TIGHT.height) && 'tight',
        others.length > 10 && 'crowd',
        !page.online && 'offline',
      ],
      'aria-label': say('page.table'),
      data: { key: 'table' },
      vars: { 'own-h': ownHeight(screen, geometry, gnav).toFixed(0) },
    },
    cloth(geometry, hem),
    screen.over ? null : sayingView(screen, geometry, spots.middle),
    ownPlace(screen, me, geometry, look, spots.side),
    middleView(screen, geometry, {
      gnav,
      chosen: hands.chosen,
      pending: onTheirWay(screen),
      leaving: hands.leaving,
      arranged: hands.arranging && arrangement(screen),
    }),
    trumpPlace(screen, geometry, gnav),
    seatsView(screen, geometry, bubbles(), gnav),
    screen.over && overView(screen, geometry),
  );
  return { node, geometry, hem };
}

function arrangement(screen) {
  const { row } = screen.seats[screen.you];
  const cards = new Map(
    [...screen.hand, ...row.map(({ up }) => up)].map((card) => [card.slot, card]),
  );
  return {
    picked: hands.arranging.picked,
    row: row.map(({ down }, i) => ({ down, up: cards.get(hands.arranging.up[i]) })),
  };
}

function glow(screen, geometry, others) {
  const along = others.map((seat, i) => ({ seat, s: geometry.places[i].s }));
  const own = screen.you !== null && screen.seats[screen.you].turn && !screen.over;
  return {
    clockwise: screen.turn_direction !== 'ccw',
    own,
    turns: screen.over
      ? []
      : [...(own ? [0] : []), ...along.filter(({ seat }) => seat.turn).map(({ s }) => s)],
    lost: along.filter(({ seat }) => isAway(seat)).map(({ s }) => s),
  };
}

function cardWidth(geometry, gnav, cards) {
  const common = px('w-hand');
  if (geometry.upright) return gnav ? UPRIGHT.one : UPRIGHT.many;
  if (!gnav || cards !== 1 || geometry.low) return common;
  return Math.round(LARGE * Math.min(1, geometry.height / 840));
}

function ownHeight(screen, geometry, gnav) {
  const width = cardWidth(geometry, gnav, screen.hand.length);
  return width * 1.4 + (geometry.low ? 14 : hands.chosen.length > 0 || hands.arranging ? 46 : 26);
}

function ownPlace(screen, me, geometry, look, side) {
  if (!me)
    return el(
      'section',
      { class: 'own watching', 'aria-label': say('page.your-place') },
      el(
        'div',
        { class: 'mine' },
        tools(screen, false),
        el('p', { class: 'note' }, say('page.watching')),
      ),
    );
  const { low, upright, width } = geometry;
  const cards = shownHand(screen);
  const inRow = (me.row ?? []).some(({ up, down }) => up || down) && !hands.arranging;
  const rowNow = inRow && cards.length === 0 && !hands.pending;
  const room =
    width -
    (upright ? 16 : 2 * (low ? (side.length > 0 || inRow ? 196 : 150) : width < 1100 ? 236 : 262));
  const hand = rowNow
    ? ownRow(me, look, true)
    : handView(cards, {
        ...look,
        width: cardWidth(geometry, look.gnav, cards.length),
        room,
        fine: low,
        upright,
        at: hands.at,
      });
  const row = inRow && !rowNow ? ownRow(me, look, false) : null;
  const left = low && side.length > 0 && row ? row : tools(screen, cards.length > 1);
  return el(
    'section',
    { class: 'own', 'aria-label': say('page.your-place') },
    el('div', { class: 'mine' }, left, ownPlate(me, bubbles().get(me.seat))),
    el('div', { class: 'held-hand' }, hand),
    el(
      'div',
      { class: 'right' },
      side.length > 0 && actionsView(side, look.gnav ? 'big' : 'side'),
      side.length === 0 && (row ?? corner(screen, me, geometry, look.gnav)),
    ),
  );
}

function tools(screen, sorts) {
  return el(
    'div',
    { class: 'tools' },
    sorts && quiet(say('page.sort'), 'sort', { name: 'sort' }),
    quiet(say('page.say'), 'say', {
      name: 'sheet',
      argument: 'say',
      pressed: page.sheet === 'say',
    }),
  );
}

// The corner at the right of the hand: the trump on a phone, else the last trick, else the cards won.
function corner(screen, me, { low, upright }, gnav) {
  if ((low || upright) && screen.trump) {
    const { words, card } = trumpView(screen.trump, gnav, true);
    return el(
      'figure',
      { class: 'lasttrick' },
      card ?? mark(screen.trump),
      el('figcaption', { class: 'note' }, words),
    );
  }
  if (upright) return null;
  const swept = screen.middle.swept;
  return el(
    'div',
    { class: 'corner' },
    me.won?.cards?.length > 0 && wonPile(me.won, gnav),
    swept && swept.cards.length <= 8 && !hands.leaving && lastTrick(swept, screen, gnav),
  );
}

function mark(trump) {
  return trump.suit
    ? el('span', { class: 'trumpmark', 'aria-hidden': 'true' }, suitMark(trump.suit))
    : null;
}

function trumpPlace(screen, geometry, gnav) {
  if (!screen.trump || geometry.low || geometry.upright || screen.over) return null;
  const { words, card } = trumpView(screen.trump, gnav, false);
  return el(
    'figure',
    { class: 'trump', data: { key: 'trump' } },
    card ?? mark(screen.trump),
    el('figcaption', { class: 'note' }, words),
  );
}
