// The sentence above the hand, the quieter line that says why, and the buttons under it: what is
// happening, or what you can do now. One button is the golden one; it always names what it will do.

import { exact, plays, resize } from './choosing.js';
import { cardName, has, rich, say, value } from './words.js';
import { does, el } from './dom.js';
import { icon } from './icons.js';
import { picture } from './cards.js';
import { hands, isAway, isGnav, page, setting } from './page.js';

const MANY = 4;
const LADDER = [
  'FOOL',
  'OWL',
  'POT',
  '0',
  'I',
  'II',
  'III',
  'IV',
  'V',
  'VI',
  'VII',
  'VIII',
  'IX',
  'X',
  'XI',
  'XII',
  'HOUSE',
  'HORSE',
  'CAT',
  'DRAGOON',
  'CUCKOO',
];

export function facesOf(screen) {
  const row =
    screen.you === null
      ? []
      : (screen.seats[screen.you].row ?? []).flatMap(({ up }) => (up ? [up] : []));
  return new Map([...screen.hand, ...row].map((card) => [card.slot, card.face]));
}

// The buttons of now: [{words, go, key, off, do, with}].
export function actionsOf(screen) {
  const { pending, arranging, chosen } = hands;
  if (pending)
    return pending.sent ? [] : [{ words: say('page.take-back'), key: 'Esc', do: 'take-back' }];
  if (arranging) {
    const ready = screen.arrange?.ids[arrangedKey(arranging.up)];
    return [{ words: say('page.arranged'), go: true, key: 'Enter', off: !ready, do: 'arranged' }];
  }
  const all = plays(screen);
  const play = chosen.length > 0 ? exact(all, chosen) : null;
  const own = play
    ? [{ words: verbOf(play, screen), go: true, key: 'Enter', do: 'play', with: play.id }]
    : [];
  return [
    ...own,
    ...sizes(screen, all, play),
    ...screen.actions.map((action) => ({
      words: value(action.verb),
      go: Boolean(action.primary) && !play,
      key: action.key,
      off: action.off,
      ...(action.send ? { do: 'send', with: action.send } : { do: 'option', with: action.id }),
    })),
    ...knocks(screen),
  ];
}

// Knocking for those the table waits for in vain.
function knocks(screen) {
  const waited = performance.now() - page.since > setting('nudge') * 1000;
  const slow = setting('nudge') > 0 && waited;
  return screen.seats
    .filter((seat) => seat.turn && !seat.you && !seat.bot && (slow || isAway(seat)))
    .slice(0, 1)
    .map(({ seat }) => ({
      words: say('page.knock-for', { name: { seat } }),
      key: screen.actions.some(({ key }) => key === 'k') ? null : 'k',
      do: 'knock',
      with: seat,
    }));
}

export function arrangedKey(up) {
  return [...up].sort((a, b) => a - b).join(',');
}

function verbOf(play, screen) {
  if (play.verb) return value(play.verb);
  const face = facesOf(screen).get(play.slots[0]);
  return face ? say('page.play-card', { card: { card: face } }) : say('page.turn-over');
}

// Fewer or more of the same kind, where there is a choice.
function sizes(screen, all, play) {
  if (!play) return [];
  const faces = facesOf(screen);
  const can = (step) => resize(all, faces, hands.chosen, hands.anchor, step) !== hands.chosen;
  return [
    can(-1) && { words: say('page.fewer'), icon: 'less', key: '-', do: 'resize', with: -1 },
    can(1) && { words: say('page.more-cards'), icon: 'more', key: '+', do: 'resize', with: 1 },
  ].filter(Boolean);
}

export function button({ words, go, key, off, do: name, with: argument, icon: image }, wide = '') {
  const shortcut =
    key &&
    key !== words &&
    el('kbd', { 'aria-hidden': 'true' }, key.length === 1 ? key.toUpperCase() : key);
  return el(
    'button',
    {
      class: ['btn', go && 'go', image && 'icon', wide],
      type: 'button',
      disabled: off,
      'aria-keyshortcuts': key === 'Esc' ? 'Escape' : key,
      'aria-label': image ? words : null,
      title: image ? words : null,
      data: { ...does(name, argument), key: `${name}-${JSON.stringify(argument ?? null)}` },
    },
    image ? icon(image, 2.6) : el('span', {}, words),
    !image && shortcut,
  );
}

export function actionsView(actions, cls = '') {
  if (actions.length === 0) return null;
  const short =
    actions.length > MANY &&
    actions.every(({ words }) => words.length <= 3 || actions.length > MANY * 2);
  return el(
    'div',
    {
      class: ['acts', cls, short && 'bids'],
      role: 'group',
      'aria-label': say('page.actions'),
      data: { region: 'acts', key: 'acts' },
    },
    actions.map((action) => button(action)),
  );
}

// The sentence as it stands: a refusal and a lost line come first, then what is on its way.
function sentenceOf(screen) {
  if (!page.online)
    return { first: { code: 'page.reconnecting' }, why: { code: 'page.reconnecting-why' } };
  if (hands.refused) return { first: hands.refused, why: screen.say };
  if (hands.pending)
    return {
      first: { code: hands.pending.sent ? 'page.on-the-way' : 'page.can-take-back' },
      why: null,
    };
  if (hands.hint) return { first: screen.say, why: { code: 'page.hint-is' } };
  if (hands.arranging && has('page.arrange'))
    return { first: screen.say, why: screen.why ?? { code: 'page.arrange' } };
  return { first: screen.say, why: screen.why };
}

export function sayingView(screen, geometry, actions) {
  const { first, why } = sentenceOf(screen);
  const [card] = screen.hand;
  const ladder =
    isGnav(screen) &&
    card?.face &&
    geometry.height > 700 &&
    geometry.width > (geometry.ring ? 1200 : 900);
  return el(
    'section',
    { class: 'saying', 'aria-label': say('page.what-now'), data: { region: 'saying' } },
    el(
      'p',
      { class: ['say', hands.refused && 'refusal'], role: 'status', 'aria-live': 'polite' },
      rich(first),
    ),
    why && el('p', { class: 'why' }, rich(why)),
    actionsView(actions),
    ladder && ladderView(card.face),
  );
}

// All of Gnav's values with the viewer's among them, so that nobody must know that the owl is low.
function ladderView(here) {
  const label = say('page.ladder', {
    card: cardName(here, true),
    n: LADDER.indexOf(here) + 1,
    of: LADDER.length,
  });
  return el(
    'div',
    { class: 'ladder', role: 'img', 'aria-label': label, data: { memo: label } },
    el(
      'ol',
      { 'aria-hidden': 'true' },
      LADDER.map((face) =>
        el(
          'li',
          { class: face === here ? 'here' : '' },
          el('span', { class: 'card' }, picture(`g-${face}`)),
        ),
      ),
    ),
    el(
      'p',
      { 'aria-hidden': 'true' },
      el('span', {}, say('page.ladder-low')),
      el('span', {}, say('page.ladder-high')),
    ),
  );
}
