// One card on the page: its drawing from the sprite, its spoken name, and the states that a card may be
// in. A card is {slot, face, up, mine} of the document; a face of null is a back. `data-slot` marks the
// elements that are the card itself, so that motion can follow it from place to place.

import { el, svg } from './dom.js';
import { icon } from './icons.js';
import { cardName, has, say } from './words.js';

const JOKERS = 4;

// Puts the drawings into the page once.
export async function loadSprite() {
  const text = await (await fetch('cards.svg')).text();
  const sprite = document.importNode(
    new DOMParser().parseFromString(text, 'image/svg+xml').documentElement,
    true,
  );
  sprite.setAttribute('aria-hidden', 'true');
  sprite.classList.add('sprite');
  document.body.prepend(sprite);
}

// The names on Gnav's pictures, in the page's language.
export function nameSprite() {
  for (const text of document.querySelectorAll('.gname')) {
    const code = `gnav.${text.dataset.name}`;
    const name = has(code) ? say(code) : text.dataset.name;
    text.textContent = name.charAt(0).toLocaleUpperCase() + name.slice(1);
  }
}

export function drawing(card, gnav) {
  if (card.face === null) return gnav ? 'back-gnav' : 'back';
  if (gnav) return `g-${card.face}`;
  return `c-${card.face[0] === 'X' ? `X${((card.slot ?? 0) % JOKERS) + 1}` : card.face}`;
}

export function nameOf(card, gnav) {
  return card.face === null ? say('page.face-down') : cardName(card.face, gnav);
}

// `tag` is "button" for cards that can be chosen; `follow` false for pictures that are not the card itself.
export function cardView(
  card,
  {
    gnav = false,
    tag = 'span',
    cls = '',
    label,
    vars,
    data = {},
    follow = true,
    attributes = {},
  } = {},
  ...kids
) {
  const id = drawing(card, gnav);
  const name = label ?? (card.face === null && tag === 'span' ? null : nameOf(card, gnav));
  const slot = follow && card.slot !== undefined ? card.slot : null;
  return el(
    tag,
    {
      class: ['card', cls],
      type: tag === 'button' ? 'button' : null,
      role: tag === 'span' && name ? 'img' : null,
      'aria-label': name,
      'aria-hidden': tag === 'span' && !name ? 'true' : null,
      vars,
      data: { key: slot === null ? null : `card-${slot}`, slot, ...data },
      ...attributes,
    },
    picture(id),
    ...kids,
  );
}

export function picture(id) {
  return svg(
    'svg',
    { viewBox: '0 0 100 140', 'aria-hidden': 'true' },
    svg('use', { href: `#${id}` }),
  );
}

export function suitMark(suit) {
  return svg(
    'svg',
    { viewBox: '0 0 22 23', 'aria-hidden': 'true' },
    svg('use', { href: `#s-${suit}`, width: 22, height: 23 }),
  );
}

// A small round tag on a card or plate: a number, a letter or an icon.
export function mini(content, cls = '') {
  return el('span', { class: ['mini', cls], 'aria-hidden': 'true' }, content);
}

export function eye() {
  return mini(icon('eye', 2.2), 'eye');
}
