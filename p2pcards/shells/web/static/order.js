// The order of the hand on the screen: as dealt, by suit, by rank, or as moved by its owner. Only ever a
// matter of this page; nothing of it is sent.

const SORTS = ['suit', 'rank', 'dealt'];
const USUAL = { rovhult: 'rank', president: 'rank' };
const SUITS = 'shcd';
const RANKS = { president: '3456789TJQKA2X' };
const COMMON = '23456789TJQKAX';

// `sorting` null: as the game is usually held.
function sortOf(game, sorting) {
  return sorting ?? USUAL[game] ?? 'suit';
}

export function nextSort(game, sorting) {
  return SORTS[(SORTS.indexOf(sortOf(game, sorting)) + 1) % SORTS.length];
}

export function ordered(cards, game, { sorting, order }) {
  const ranks = RANKS[game] ?? COMMON;
  const rank = ({ face }) => ranks.indexOf(face[0]);
  const suit = ({ face }) => (face[0] === 'X' ? SUITS.length : SUITS.indexOf(face[1]));
  const place = ({ slot }) => (order.includes(slot) ? order.indexOf(slot) : order.length);
  const by = {
    dealt: () => 0,
    suit: (a, b) => suit(a) - suit(b) || rank(a) - rank(b),
    rank: (a, b) => rank(a) - rank(b) || suit(a) - suit(b),
    own: (a, b) => place(a) - place(b),
  }[sortOf(game, sorting)];
  return cards.some(({ face }) => face === null) ? [...cards] : [...cards].sort(by);
}

// The order after one card was moved to a new place in it.
export function moved(slots, slot, to) {
  const rest = slots.filter((other) => other !== slot);
  return [...rest.slice(0, to), slot, ...rest.slice(to)];
}
