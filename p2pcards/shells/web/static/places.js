// Where things are on the cloth: the rounded rectangle, its hem as a length to walk along, and the
// place of each seat on it. Opponents sit at equal steps of the hem, clockwise from the viewer's left,
// whatever way the turn goes. Plain geometry; draws nothing and knows no game.

import { svg } from './dom.js';

export const LOW = 560;

// For one to so many opponents: how far along the hem the first of them sits (the last one mirrors it).
const FIRST = [
  [1, 0.5],
  [2, 0.335],
  [3, 0.25],
  [4, 0.235],
  [5, 0.225],
  [7, 0.19],
  [12, 0.165],
  [Infinity, 0.145],
];
// on a low screen the near corners belong to one's own buttons
const LOWEST = 0.215;
const RING = 11;
const SMALL = 6;
// seats a row, and px from row to row, where they sit in a strip across the top
const STRIP = 5;
const CROWD = 10;
const ROWS = { usual: 136, crowd: 86 };

let last = { key: '', geometry: null };

// `width`, `height` of the table in px, `others` seats besides the viewer, `tall`: a large single card below.
export function layOut({ width, height, others, tall }) {
  const key = [width, height, others, tall].join();
  if (last.key !== key) last = { key, geometry: measure({ key, width, height, others, tall }) };
  return last.geometry;
}

function measure({ key, width, height, others, tall }) {
  const low = height < LOW && width > height;
  const upright = width < 700 && !low;
  const ring = others >= RING || upright;
  const box = boxOf({ width, height, low, upright, ring, tall });
  const radius = Math.min(upright ? 70 : low ? 96 : ring ? 230 : 190, box.h / 2, box.w / 2);
  const hem = low || upright ? 8 : 13;
  const middle = svg('path', { d: rounded(box, radius, hem) });
  const length = middle.getTotalLength();
  const walk = (s) => {
    const p = middle.getPointAtLength(s);
    const q = middle.getPointAtLength(s + 1);
    return { x: p.x, y: p.y, nx: -(q.y - p.y), ny: q.x - p.x, s };
  };
  const places = Array.from({ length: others }, (_, i) =>
    walk(fraction(i + 1, others, low) * length),
  );
  if (upright) strip(places, width, length, walk);
  const size = others >= SMALL && !ring ? 'small' : ring ? 'ring' : '';
  return {
    key,
    width,
    height,
    low,
    upright,
    ring,
    size,
    box,
    radius,
    hem,
    length,
    walk,
    places,
    own: { s: 0 },
  };
}

function boxOf({ width, height, low, upright, ring, tall }) {
  if (upright) return { x: 8, y: 40, w: width - 16, h: height - 40 - 150 };
  if (low) return { x: 46, y: 26, w: width - 92, h: height - 26 - 52 };
  const side = ring ? 76 : 104;
  return { x: side, y: ring ? 54 : 46, w: width - 2 * side, h: height - (tall ? 190 : 172) };
}

function fraction(i, others, low) {
  if (others === 1) return FIRST[0][1];
  const usual = FIRST.find(([most]) => others <= most)[1];
  const first = low ? Math.max(usual, LOWEST) : usual;
  return first + ((1 - 2 * first) * (i - 1)) / (others - 1);
}

// Upright screens: seats in rows across the top, in their order; the glow is at the nearest point of the hem.
function strip(places, width, length, walk) {
  const rows = Math.ceil(places.length / STRIP);
  const each = Math.ceil(places.length / rows);
  places.forEach((place, i) => {
    const row = Math.floor(i / each);
    const count = Math.min(each, places.length - row * each);
    const x = (width / count) * ((i % each) + 0.5);
    let best = walk(0.25 * length);
    for (let s = 0.25; s < 0.75; s += 0.01) {
      const p = walk(s * length);
      if (p.ny > 0.5 && Math.abs(p.x - x) < Math.abs(best.x - x)) best = p;
    }
    Object.assign(place, {
      x,
      y: 46 + row * (places.length > CROWD ? ROWS.crowd : ROWS.usual),
      nx: 0,
      ny: 1,
      s: best.s,
      strip: true,
    });
  });
}

// The outline of the cloth, drawn in by so many px, clockwise from the middle of the near edge.
export function rounded(box, radius, inset = 0) {
  const x = box.x + inset;
  const y = box.y + inset;
  const r = Math.max(radius - inset, 1);
  const right = box.x + box.w - inset;
  const bottom = box.y + box.h - inset;
  const arc = (tx, ty) => `A${r} ${r} 0 0 1 ${tx} ${ty}`;
  return `M${(x + right) / 2} ${bottom}H${x + r}${arc(x, bottom - r)}V${y + r}${arc(x + r, y)}H${right - r}${arc(right, y + r)}V${bottom - r}${arc(right - r, bottom)}Z`;
}
