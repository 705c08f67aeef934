// The end of a match on a sheet of paper: who won, places and points, how it went hand by hand, what was
// checked, and another match.

import { avatar } from './avatar.js';
import { does, el, svg } from './dom.js';
import { rosette, shield } from './icons.js';
import { button } from './say.js';
import { nameView } from './seats.js';
import { clean, rich, say, value } from './words.js';

const COLOURS = [
  '#b3321f',
  '#1f5a5e',
  '#b07a14',
  '#5b3a63',
  '#6b5d4e',
  '#2c4f86',
  '#566726',
  '#8c4b2f',
];
const CHART = { width: 440, height: 216, left: 30, right: 380, top: 12, bottom: 190 };

export function overView(screen, geometry) {
  const { over, seats } = screen;
  const places = over.places ?? seats.map(() => null);
  const order = seats
    .map((_, seat) => seat)
    .sort((a, b) => (places[a] ?? 0) - (places[b] ?? 0) || a - b);
  const best = places.some((place) => place === 1);
  const asked = Boolean(screen.rematch?.wanted);
  const course = over.course?.length > 1 && !geometry.low ? chart(over.course, screen) : null;
  return el(
    'section',
    {
      class: ['paper', 'end', !course && 'narrow', seats.length > 8 && 'many'],
      role: 'dialog',
      'aria-label': say('page.end'),
      data: { region: 'over', key: 'over' },
    },
    el(
      'div',
      { class: 'left' },
      el(
        'div',
        {},
        best && rosette(),
        el('h2', {}, rich(over)),
        over.sub && el('p', { class: 'sub' }, value(over.sub)),
      ),
      over.places &&
        el(
          'ol',
          { class: 'rank' },
          order.map((seat) => rank(screen, seat)),
        ),
    ),
    el(
      'div',
      { class: 'right' },
      course && el('h3', {}, say('page.how-it-went')),
      course,
      el(
        'div',
        { class: 'proofline' },
        shield(8, screen.shield.state),
        el(
          'p',
          {},
          el('b', {}, say(screen.shield.state === 'fault' ? 'page.end-fault' : 'page.end-checked')),
          el(
            'span',
            {},
            say('page.end-record'),
            ' ',
            el(
              'a',
              { class: 'linkish', href: 'record', download: 'match.p2plog' },
              say('page.save-record'),
            ),
          ),
        ),
      ),
      screen.rematch?.invited &&
        !asked &&
        el('p', { class: 'sub', role: 'status' }, say('page.rematch-invited')),
      el(
        'div',
        { class: 'acts' },
        screen.you !== null &&
          button({
            words: say(asked ? 'page.rematch-asked' : 'page.rematch'),
            go: true,
            off: asked,
            key: 'Enter',
            do: 'rematch',
          }),
        el('button', { class: 'btn', type: 'button', data: does('leave') }, say('page.to-lobby')),
      ),
    ),
  );
}

function rank({ over, seats }, seat) {
  const player = seats[seat];
  const detail = over.details?.[seat];
  return el(
    'li',
    { class: over.places[seat] === 1 ? 'first' : '' },
    el('span', { class: 'n' }, say('page.rank', { n: over.places[seat] })),
    avatar(player.key),
    el(
      'span',
      {},
      player.you ? say('page.you') : nameView(player.name),
      detail && el('small', {}, value(detail)),
    ),
    over.points && el('span', { class: 'pts' }, String(over.points[seat])),
  );
}

// Points after each hand, a line a player; the viewer's drawn on top.
function chart(course, screen) {
  const most = Math.max(...course.flat(), 1);
  const least = Math.min(...course.flat(), 0);
  const { left, right, top, bottom } = CHART;
  const x = (i) => left + ((right - left) * i) / course.length;
  const y = (points) => bottom - ((bottom - top) * (points - least)) / (most - least);
  const drawing = svg('svg', {
    class: 'chart',
    viewBox: `0 0 ${CHART.width} ${CHART.height}`,
    role: 'img',
    'aria-label': say('page.how-it-went'),
  });
  for (const points of [...new Set([least, Math.round((least + most) / 2), most])]) {
    drawing.append(
      svg('path', { class: 'rule', d: `M${left} ${y(points)}H${right}` }),
      label(0, y(points) + 4.5, String(points)),
    );
  }
  const seats = screen.seats
    .map((seat) => seat.seat)
    .sort((a, b) => (a === screen.you ? 1 : 0) - (b === screen.you ? 1 : 0));
  for (const seat of seats) {
    const d = [0, ...course.map((row) => row[seat])]
      .map((points, i) => `${x(i).toFixed(1)} ${y(points).toFixed(1)}`)
      .join('L');
    drawing.append(
      svg('path', {
        d: `M${d}`,
        fill: 'none',
        stroke: COLOURS[seat % COLOURS.length],
        'stroke-width': seat === screen.you ? 3.4 : 2,
        'stroke-linejoin': 'round',
      }),
    );
  }
  ends(course.at(-1), screen).forEach(({ at, seat, names }) => {
    const text = label(right + 6, y(at) + 4.5, names);
    text.setAttribute('fill', COLOURS[seat % COLOURS.length]);
    text.setAttribute('class', 'name');
    drawing.append(text);
  });
  return drawing;
}

// Names at the right ends of the lines, joined where they meet and moved apart where they are close.
function ends(points, screen) {
  const { top, bottom } = CHART;
  const span = Math.max(...points) - Math.min(...points, 0) || 1;
  const gap = (span * 15) / (bottom - top);
  const groups = new Map();
  points.forEach((at, seat) => groups.set(at, [...(groups.get(at) ?? []), seat]));
  let above = Infinity;
  return [...groups]
    .sort(([a], [b]) => b - a)
    .map(([at, seats]) => {
      above = Math.min(at, above - gap);
      const names = seats
        .map((seat) =>
          screen.seats[seat].you ? say('page.you') : clean(screen.seats[seat].name).slice(0, 9),
        )
        .join(', ');
      return { at: above, seat: seats.includes(screen.you) ? screen.you : seats[0], names };
    });
}

function label(x, y, words) {
  const text = svg('text', { x, y });
  text.textContent = words;
  return text;
}
