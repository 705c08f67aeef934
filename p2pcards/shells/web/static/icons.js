// The small drawings of the page that are not cards: line icons, the shield with the rose of eight, the
// rosette of the winner, a tick. All drawn here; nothing is loaded.

import { svg } from './dom.js';

const PATHS = {
  score: 'M5 3H19V21H5ZM8 8H16M8 12H16M8 16H13',
  log: 'M4 6H20M4 12H20M4 18H14',
  rules: 'M12 6C10 4 6 4 3 5V19C6 18 10 18 12 20 14 18 18 18 21 19V5C18 4 14 4 12 6ZM12 6V20',
  say: 'M4 5H20V16H12L7 20V16H4Z',
  menu: 'M5 12H5.010M12 12H12.010M19 12H19.010',
  sort: 'M4 7H11M4 12H9M4 17H7M16 5V19M12.500 15.500 16 19 19.500 15.500',
  eye: 'M2 12C5 7 8.500 5 12 5S19 7 22 12C19 17 15.500 19 12 19S5 17 2 12ZM12 9.200A2.800 2.800 0 1 0 12 14.800 2.800 2.800 0 1 0 12 9.200Z',
  back: 'M4 12A8 8 0 1 0 7 5.700M4 4V9H9',
  close: 'M6 6 18 18M18 6 6 18',
  last: 'M7 4H17V20H7ZM10 8H14',
  hint: 'M9 18H15M10 21H14M9 15C6.500 13.500 5.500 11.500 5.500 9.500A6.500 6.500 0 0 1 18.500 9.500C18.500 11.500 17.500 13.500 15 15V18H9Z',
  bot: 'M5 9H19V19H5ZM12 9V5M9 13H9.010M15 13H15.010M9 16.500H15',
  less: 'M5 12H19',
  more: 'M5 12H19M12 5V19',
};

export function icon(name, width = 2) {
  return svg(
    'svg',
    { viewBox: '0 0 24 24', 'aria-hidden': 'true', class: 'icon' },
    svg('path', {
      d: PATHS[name],
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': name === 'menu' ? 3.6 : width,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    }),
  );
}

// A heater shield with the rose in it. `lit`: how many of its eight leaves; `state`: ok, checking or fault.
export function shield(lit = 8, state = 'ok') {
  const leaf = (i) => {
    const a = (i * Math.PI) / 4;
    const at = (r, t) =>
      `${(15 + r * Math.sin(t)).toFixed(2)} ${(15.6 - r * Math.cos(t)).toFixed(2)}`;
    const d = `M${at(2.2, a)}L${at(5.2, a - 0.36)} ${at(9.4, a)} ${at(5.2, a + 0.36)}Z`;
    return svg('path', { d, fill: i < lit ? '#ffd98a' : '#ffffff30' });
  };
  return svg(
    'svg',
    { viewBox: '0 0 30 34', 'aria-hidden': 'true' },
    svg('path', {
      d: 'M15 1.500C19 4 24 5 28 5V16C28 25 21 30.500 15 32.500 9 30.500 2 25 2 16V5C6 5 11 4 15 1.500Z',
      fill: state === 'fault' ? '#8f2418' : '#1d6a54',
      stroke: '#f3dfae',
      'stroke-width': 1.8,
      'stroke-linejoin': 'round',
    }),
    Array.from({ length: 8 }, (_, i) => leaf(i)),
  );
}

export function rosette() {
  const leaves = Array.from({ length: 8 }, (_, i) => {
    const t = (i * Math.PI) / 4;
    const at = (r, a) => `${(r * Math.sin(a)).toFixed(2)} ${(-r * Math.cos(a)).toFixed(2)}`;
    return [
      svg('path', { d: `M0 0L${at(6, t - Math.PI / 8)} ${at(11.5, t)}Z`, fill: '#dc9f35' }),
      svg('path', { d: `M0 0L${at(6, t + Math.PI / 8)} ${at(11.5, t)}Z`, fill: '#b3321f' }),
    ];
  });
  return svg(
    'svg',
    { class: 'rosette', viewBox: '-12 -12 24 24', 'aria-hidden': 'true' },
    leaves.flat(),
    svg('circle', { r: 2.2, fill: '#f1e5cb' }),
  );
}

// How a checked fact stands: a tick, three dots while it is being checked, a cross at a fault.
export function verdict(state = 'ok') {
  const look = {
    ok: ['#1d6a3c', 'M10 17.500 15 22.500 24.500 11.500'],
    checking: ['#8a6a2c', 'M10 17H10.010M17 17H17.010M24 17H24.010'],
    fault: ['#a5281a', 'M11 11 23 23M23 11 11 23'],
  }[state];
  return svg(
    'svg',
    { viewBox: '0 0 34 34', 'aria-hidden': 'true' },
    svg('circle', { cx: 17, cy: 17, r: 15, fill: look[0] }),
    svg('path', {
      d: look[1],
      fill: 'none',
      stroke: '#fff',
      'stroke-width': 3.4,
      'stroke-linecap': 'round',
      'stroke-linejoin': 'round',
    }),
  );
}
