// The table itself: wood with a few long drawn lines, and the wool cloth with its woven hem. The
// chevrons of the hem point the way the turn goes, glow at whoever is to act, and fray at a lost peer.

import { svg } from './dom.js';
import { rounded } from './places.js';

const PLANKS = 7;
const REACH = { own: 330, ownLow: 190, other: 120, otherLow: 64 };
const FRAYED = 130;
const GLIDE = 420;

export function grain() {
  let seed = 7;
  const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  const line = (y, x, a, b) =>
    `M0 ${y}C${x - 180} ${y + a} ${x - 120} ${y + b} ${x} ${y + b}S${x + 240} ${y - a} 1440 ${y + a}`;
  const wood = svg('svg', {
    class: 'grain',
    'aria-hidden': 'true',
    viewBox: '0 0 1440 900',
    preserveAspectRatio: 'xMidYMid slice',
    'data-memo': 'grain',
  });
  wood.append(svg('rect', { class: 'ground', width: 1440, height: 900 }));
  for (let plank = 0; plank < PLANKS; plank += 1) {
    const top = plank * 130;
    wood.append(
      svg('rect', {
        class: 'lit',
        y: top,
        width: 1440,
        height: 130,
        opacity: (0.08 + random() * 0.34).toFixed(2),
      }),
    );
    for (let i = 0; i < 6; i += 1) {
      const d = line(
        top + 12 + i * 20 + random() * 8,
        200 + random() * 1000,
        8 * (random() - 0.5),
        14 * (random() - 0.5),
      );
      wood.append(
        svg('path', {
          class: 'line',
          d,
          'stroke-width': (0.7 + random()).toFixed(1),
          opacity: 0.35,
        }),
      );
    }
    wood.append(svg('path', { class: 'line', d: `M0 ${top}H1440`, 'stroke-width': 2.5 }));
    if (plank)
      wood.append(
        svg('path', {
          class: 'line',
          d: `M${150 + random() * 1100} ${top}V${top + 130}`,
          'stroke-width': 2,
        }),
      );
  }
  return wood;
}

// `turns`: the lengths along the hem where somebody is to act; `own`: whether the viewer is; `lost`: where it frays.
export function cloth(geometry, { clockwise, turns, own, lost }) {
  const { box, radius, hem, width, height, low } = geometry;
  const inside = hem * 2;
  const woven = weave(geometry, { clockwise, turns, own, lost });
  const lamp = { gradientUnits: 'userSpaceOnUse', cx: box.x + box.w / 2 };
  return svg(
    'svg',
    {
      class: 'cloth',
      'aria-hidden': 'true',
      viewBox: `0 0 ${width} ${height}`,
      'data-memo': [geometry.key, clockwise, turns, own, lost].join(';'),
    },
    svg(
      'defs',
      {},
      svg(
        'radialGradient',
        { id: 'lamp', ...lamp, cy: box.y + box.h * 0.46, r: box.w * 0.56 },
        svg('stop', { class: 'near', offset: 0 }),
        svg('stop', { class: 'far', offset: 1 }),
      ),
      svg(
        'radialGradient',
        { id: 'glow', ...lamp, cy: box.y + box.h * 0.42, r: box.h * 0.62 },
        svg('stop', { class: 'warm', offset: 0 }),
        svg('stop', { class: 'none', offset: 1 }),
      ),
    ),
    svg('path', {
      class: 'shadow',
      d: rounded({ x: box.x - 2, y: box.y + 6, w: box.w + 4, h: box.h + 6 }, radius),
    }),
    svg('path', { class: 'band', d: rounded(box, radius) }),
    svg('path', { fill: 'url(#lamp)', d: rounded(box, radius, inside) }),
    svg('path', { fill: 'url(#glow)', d: rounded(box, radius, inside) }),
    [3, inside - 3].map((inset) =>
      svg('path', { class: 'edge', d: rounded(box, radius, inset), 'stroke-width': low ? 1 : 1.6 }),
    ),
    svg('path', { class: 'thread', d: woven.plain, 'stroke-width': low ? 1.6 : 2.4 }),
    svg('path', { class: 'thread lit', d: woven.lit, 'stroke-width': low ? 2.4 : 3.4 }),
    lost.map((s) => svg('path', { class: 'frayed', d: fray(geometry, s) })),
  );
}

// The chevrons as two paths: those that glow and those that do not.
function weave(geometry, { clockwise, turns, own, lost }) {
  const { length, low, upright } = geometry;
  const fine = low || upright;
  const reach = (t) =>
    own && t === 0 ? (fine ? REACH.ownLow : REACH.own) : fine ? REACH.otherLow : REACH.other;
  const away = (s, t) => Math.min(Math.abs(s - t), length - Math.abs(s - t));
  const out = { plain: '', lit: '' };
  for (const { s, right, left } of chevrons(geometry)) {
    if (lost.some((t) => away(s, t) < FRAYED)) continue;
    out[turns.some((t) => away(s, t) < reach(t)) ? 'lit' : 'plain'] += clockwise ? right : left;
  }
  return out;
}

let glowing = { key: '', s: null, run: 0 };

// When the turn passes from one place to another, the glow runs along the hem to it; call after each drawing.
export function glide(drawing, geometry, look, calm) {
  const [s] = look.turns;
  const single = look.turns.length === 1;
  const from = glowing.key === geometry.key && single ? glowing.s : null;
  if (glowing.key === geometry.key && glowing.s === (single ? s : null)) return;
  const run = glowing.run + 1;
  glowing = { key: geometry.key, s: single ? s : null, run };
  if (from === null || calm) return;
  const { length } = geometry;
  const way = ((s - from + 1.5 * length) % length) - length / 2;
  const began = performance.now();
  const [plain, lit] = drawing.querySelectorAll('.thread');
  const step = (now) => {
    if (glowing.run !== run || !drawing.isConnected) return;
    const part = Math.min(Math.max((now - began) / GLIDE, 0), 1);
    const at = (from + way * (1 - (1 - part) ** 3) + length) % length;
    const paths = weave(geometry, {
      ...look,
      turns: [part < 1 ? at : s],
      own: look.own && part === 1,
    });
    plain.setAttribute('d', paths.plain);
    lit.setAttribute('d', paths.lit);
    if (part < 1) requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

const woven = new WeakMap();

// One every 17 px (12 where it is small), pointing either way.
function chevrons(geometry) {
  if (!woven.has(geometry)) {
    const { length, walk, low, upright } = geometry;
    const fine = low || upright;
    const count = Math.floor(length / (fine ? 12 : 17));
    const size = fine ? 3 : 5;
    woven.set(
      geometry,
      Array.from({ length: count }, (_, i) => {
        const s = ((i + 0.5) * length) / count;
        const p = walk(s);
        const point = (u, v, way) =>
          `${(p.x + way * (p.ny * u + p.nx * v)).toFixed(1)} ${(p.y + way * (-p.nx * u + p.ny * v)).toFixed(1)}`;
        const d = (way) =>
          `M${point(-size * 0.7, -size, way)}L${point(size * 0.7, 0, way)} ${point(-size * 0.7, size, way)}`;
        return { s, right: d(1), left: d(-1) };
      }),
    );
  }
  return woven.get(geometry);
}

function fray({ walk }, at) {
  let d = '';
  for (let s = at - 126; s < at + 126; s += 11) {
    const { x, y, nx, ny } = walk(s);
    const a = 5 * Math.sin(s * 1.7);
    const b = 4 * Math.cos(s * 2.3);
    d += `M${(x - nx * (6 + a)).toFixed(1)} ${(y - ny * (6 + a) - 4).toFixed(1)}q${a.toFixed(1)} ${(4 + b).toFixed(1)} ${(nx * 12 + b).toFixed(1)} ${(ny * 12 + 7 + a).toFixed(1)}`;
  }
  return d;
}
