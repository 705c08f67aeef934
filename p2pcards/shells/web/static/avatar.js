// A coat of arms drawn from a key: 6 divisions x 42 pairs of tinctures x 12 charges, the same on every
// screen. A help to memory; the words beside it are the check.

import { svg } from './dom.js';

const TINCTURES = ['#1f5a5e', '#b3321f', '#dc9f35', '#5b3a63', '#6b7d3a', '#2c4f86', '#2a211b'];
const LIGHT = ['#fbf2df', '#f3d9a4', '#e7d5c6'];
const CHARGES = {
  leaf: 'M20 8C27 13 27 22 20 32 13 22 13 13 20 8ZM20 14V30',
  star: 'M20 7 23.500 16 33 16.500 25.500 22.500 28 32 20 26.500 12 32 14.500 22.500 7 16.500 16.500 16Z',
  fish: 'M8 20C13 12 23 12 28 19L33 14V26L28 21C23 28 13 28 8 20Z',
  moon: 'M24 8A12.500 12.500 0 1 0 32 25 10.500 10.500 0 0 1 24 8Z',
  key: 'M20 8A5 5 0 0 1 22 17.500V22H25V25H22V31H18V17.500A5 5 0 0 1 20 8Z',
  bell: 'M11 27C14 25 13 15 16 12 18 10 22 10 24 12 27 15 26 25 29 27ZM18 29H22V32H18Z',
  tower: 'M10 16H12V12H16V16H18V12H22V16H24V12H28V16H30V20H28V31H12V20H10Z',
  mascle: 'M20 9 31 20 20 31 9 20ZM20 15 15 20 20 25 25 20Z',
  boat: 'M9 22C14 19 16 25 20 22 24 19 26 25 31 22V26C26 29 24 23 20 26 16 29 14 23 9 26ZM12 18 20 8V18Z',
  acorn:
    'M20 10C25 10 29 13 29 18H11C11 13 15 10 20 10ZM12.500 20H27.500C27 27 24 31 20 33 16 31 13 27 12.500 20Z',
  cross: 'M18 8H22V18H32V22H22V32H18V22H8V18H18Z',
  butterfly:
    'M12 13C15 9 18 10 20 14 22 10 25 9 28 13 31 18 27 22 24 21 26 25 23 30 20 31 17 30 14 25 16 21 13 22 9 18 12 13Z',
};
const DIVISIONS = [
  { name: 'per pale', d: 'M20 1.500A18.500 18.500 0 0 1 20 38.500Z' },
  { name: 'per fess', d: 'M1.500 20A18.500 18.500 0 0 0 38.500 20Z' },
  { name: 'per bend', d: 'M6.900 33.100A18.500 18.500 0 0 1 33.100 6.900Z' },
  { name: 'chape', d: 'M20 18 34.500 31.500A18.500 18.500 0 0 1 5.500 31.500Z' },
  {
    name: 'quarterly',
    d: 'M20 1.500A18.500 18.500 0 0 1 38.500 20H20ZM20 38.500A18.500 18.500 0 0 1 1.500 20H20Z',
  },
  { name: 'bordure', d: 'M20 6A14 14 0 1 1 20 34 14 14 0 1 1 20 6Z' },
];
const RADIUS = 18.5;

// FNV-1a with a final mix: spreads similar keys; no security rests on it.
function hash(text) {
  let h = 2166136261;
  for (const letter of text) h = Math.imul(h ^ letter.codePointAt(0), 16777619);
  h = Math.imul(h ^ (h >>> 13), 0x5bd1e995);
  return (h ^ (h >>> 15)) >>> 0;
}

export function avatar(key) {
  let rest = hash(key);
  const pick = (n) => {
    const value = rest % n;
    rest = Math.floor(rest / n) || hash(`${key}${n}`);
    return value;
  };
  const field = TINCTURES[pick(7)];
  const second = TINCTURES.filter((tincture) => tincture !== field)[pick(6)];
  const light = LIGHT[pick(3)];
  const division = DIVISIONS[pick(6)];
  const [charge, d] = Object.entries(CHARGES)[pick(12)];
  const drawing = svg('path', { d, fill: light, 'fill-rule': 'evenodd' });
  if (charge === 'leaf') drawing.setAttribute('stroke', field);
  return svg(
    'svg',
    { viewBox: '0 0 40 40', class: 'av', 'aria-hidden': 'true', 'data-memo': key },
    svg('circle', { cx: 20, cy: 20, r: RADIUS, fill: field }),
    svg('path', { d: division.d, fill: second }),
    drawing,
    svg('circle', { cx: 20, cy: 20, r: RADIUS, fill: 'none', stroke: light, 'stroke-width': 2 }),
  );
}
