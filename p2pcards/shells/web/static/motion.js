// How cards get from where they were to where they are. `remember` before a redraw, `move` after it: a
// card that stays slides from its old place, a new one comes from its seat or the stock, one that is gone
// leaves for whoever took it. Only translate, scale and opacity; nothing waits for it.

import { setting } from './page.js';

const MOVE = 280;
const STAGGER = 60;
const LONGEST = 1200;
const DROP = 'cubic-bezier(.3,1.25,.5,1)';
const OUT = 'cubic-bezier(.2,.75,.25,1)';
const NEAR = 4;

export function calm() {
  return setting('calm') || matchMedia('(prefers-reduced-motion: reduce)').matches;
}

function centre(node) {
  const { left, top, width, height } = node.getBoundingClientRect();
  return { x: left + width / 2, y: top + height / 2, width };
}

// Places of all cards, seats and piles on the screen before it changes.
export function remember(root) {
  const table = root.querySelector('main.table');
  if (!table) return null;
  const cards = new Map(
    [...table.querySelectorAll('[data-slot]')].map((node) => [
      node.dataset.slot,
      { node, ...centre(node), hand: Boolean(node.closest('.own')) },
    ]),
  );
  const from = new Map(
    [...table.querySelectorAll('.at.seat, .me')].map((node) => [
      `seat-${node.dataset.seat}`,
      centre(node),
    ]),
  );
  for (const node of table.querySelectorAll('.at.near'))
    from.set(`seat-${node.dataset.near}`, centre(node));
  for (const node of table.querySelectorAll('[data-pile]'))
    from.set(node.dataset.pile, centre(node.querySelector('.stack')));
  if (!from.has('stock')) from.set('stock', centre(table));
  return { cards, from };
}

// `taker`: the seat that took what left the middle, or null. Returns how many cards moved.
export function move(root, before, taker) {
  const table = root.querySelector('main.table');
  if (!before || !table) return 0;
  const now = new Set();
  let moved = 0;
  for (const node of table.querySelectorAll('[data-slot]')) {
    now.add(node.dataset.slot);
    const old = before.cards.get(node.dataset.slot);
    const origin = old ?? before.from.get(node.dataset.from) ?? null;
    if (origin && slide(node, origin, old ? 0 : moved)) moved += 1;
  }
  for (const [slot, old] of before.cards)
    if (!now.has(slot) && !old.hand) leave(old, before.from.get(`seat-${taker}`));
  return moved;
}

function slide(node, origin, rank) {
  const to = centre(node);
  const dx = origin.x - to.x;
  const dy = origin.y - to.y;
  if (Math.hypot(dx, dy) < NEAR) return false;
  if (calm()) {
    node.animate([{ opacity: 0.3 }, { opacity: 1 }], { duration: 120 });
    return true;
  }
  const scaled = node.closest('.mid');
  const k = scaled ? parseFloat(scaled.style.getPropertyValue('--k')) || 1 : 1;
  node.animate(
    [
      {
        translate: `${dx / k}px ${dy / k}px`,
        scale: origin.width && origin.width < 200 ? origin.width / to.width : 1,
      },
      { translate: '0 0', scale: 1 },
    ],
    {
      duration: MOVE,
      easing: DROP,
      delay: Math.min(rank * STAGGER, LONGEST - MOVE),
      fill: 'backwards',
    },
  );
  return true;
}

// A picture of the card gathers with the others and goes to its taker, or fades at the edge.
function leave({ node, x, y, width }, target) {
  if (calm()) return;
  const ghost = node.cloneNode(true);
  ghost.removeAttribute('data-slot');
  ghost.removeAttribute('data-key');
  ghost.className = 'card ghosted';
  ghost.setAttribute('aria-hidden', 'true');
  ghost.style.cssText = '';
  ghost.style.setProperty('--w', `${width}px`);
  ghost.style.setProperty('--gx', `${x}px`);
  ghost.style.setProperty('--gy', `${y}px`);
  document.body.append(ghost);
  const to = target ?? { x: innerWidth + 80, y: y - 40, width };
  ghost
    .animate(
      [
        { translate: '0 0', opacity: 1 },
        { translate: `${to.x - x}px ${to.y - y}px`, scale: 0.4, opacity: target ? 0.6 : 0 },
      ],
      { duration: MOVE + 140, easing: OUT, fill: 'forwards' },
    )
    .finished.finally(() => ghost.remove());
}

// A card that cannot be played shakes its head.
export function shake(slot) {
  const node = document.querySelector(`.own [data-slot="${slot}"]`);
  if (!node || calm()) return;
  node.animate(
    [{ translate: '0 0' }, { translate: '-6px 0' }, { translate: '6px 0' }, { translate: '0 0' }],
    { duration: 240 },
  );
}
