// The shield: the small sign that every shuffle, share and claim so far has been checked by this
// computer, and its panel in plain words: what was checked and by whom, what it cannot do, the words to
// compare aloud, the signed record, and the numbers last.

import { avatar } from './avatar.js';
import { does, el } from './dom.js';
import { isAway } from './page.js';
import { shield, verdict } from './icons.js';
import { nameView } from './seats.js';
import { clean, has, rich, say, value } from './words.js';

const LEAVES = 8;

export function shieldButton(screen, open) {
  const { checked, of, state } = screen.shield;
  const away = screen.seats.filter((seat) => isAway(seat)).length;
  const words =
    state === 'fault'
      ? 'page.shield-fault'
      : away > 0
        ? 'page.shield-here'
        : state === 'checking'
          ? 'page.shield-checking'
          : 'page.shield-ok';
  const count = away > 0 && state !== 'fault' ? screen.seats.length - away : checked;
  return el(
    'button',
    {
      class: ['quiet', 'shield', state !== 'ok' && state],
      type: 'button',
      'aria-pressed': String(open),
      data: does('sheet', 'shield'),
    },
    shield(of > 0 ? Math.floor((LEAVES * count) / of) : LEAVES, state),
    el('b', {}, say('page.count-of', { n: count, of })),
    el('span', {}, say(words)),
  );
}

export function trailSheet({ screen }) {
  if (!screen) return null;
  const { shield: sign, seats } = screen;
  const title = { ok: 'page.trail-ok', checking: 'page.trail-checking', fault: 'page.trail-fault' }[
    sign.state
  ];
  return {
    title: say(title, { n: sign.checked, of: sign.of }),
    sub: sign.state === 'fault' ? null : say('page.trail-sub', { n: sign.of }),
    body: [
      el(
        'ol',
        { class: 'trail' },
        sign.facts.map((fact) =>
          el(
            'li',
            {},
            el('span', { class: 'tick' }, verdict(fact.state)),
            el(
              'div',
              {},
              el('b', {}, rich(fact)),
              more(fact) && el('span', {}, more(fact)),
              fact.seats?.length > 0 &&
                el(
                  'div',
                  { class: 'arms' },
                  fact.seats.map((seat) => avatar(seats[seat].key)),
                ),
            ),
          ),
        ),
      ),
      peers(seats),
    ],
    foot: el(
      'div',
      { class: 'limits' },
      el('p', {}, el('b', {}, say('page.cannot')), ' ', say('page.cannot-what')),
      sign.words && el('p', {}, say('page.compare-words'), ' ', el('b', {}, clean(sign.words))),
      el(
        'p',
        {},
        el(
          'a',
          { class: 'linkish', href: 'record', download: 'match.p2plog' },
          say('page.save-record'),
        ),
      ),
      sign.numbers &&
        el(
          'details',
          {},
          el('summary', {}, say('page.numbers')),
          el(
            'dl',
            { class: 'numbers' },
            sign.numbers.map(([name, number]) => [
              el('dt', {}, value(name)),
              el('dd', {}, clean(number)),
            ]),
          ),
        ),
    ),
  };
}

// A longer sentence under a fact: its own, or the one that the catalogue has for its code.
function more(fact) {
  if (fact.more) return value(fact.more);
  return has(`${fact.code}.more`) ? say({ code: `${fact.code}.more`, args: fact.args }) : null;
}

function peers(seats) {
  if (!seats.some((seat) => seat.latency !== null && seat.latency !== undefined)) return null;
  return el(
    'div',
    { class: 'peers' },
    el('h3', {}, say('page.lines')),
    el(
      'ul',
      {},
      seats
        .filter((seat) => !seat.you)
        .map((seat) =>
          el(
            'li',
            {},
            avatar(seat.key),
            nameView(seat.name),
            el(
              'span',
              {},
              isAway(seat)
                ? say('page.away', { n: Math.round(seat.away) })
                : seat.latency !== null && seat.latency !== undefined
                  ? say('page.latency', { n: Math.round(seat.latency) })
                  : '',
            ),
          ),
        ),
    ),
  );
}
