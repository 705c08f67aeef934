// A table that is filling up: who sits where, the link with its QR code for the others, the options, and
// what the host may do.

import { avatar } from './avatar.js';
import { does, el, svg } from './dom.js';
import { icon } from './icons.js';
import { gameTitle, page } from './page.js';
import { nameView } from './seats.js';
import { clean, has, say } from './words.js';

export function formingView() {
  const { forming } = page;
  const free = Math.max(forming.seats - forming.players.length, 0);
  const can = forming.can ?? [];
  return el(
    'main',
    { class: 'forming', 'aria-label': say('page.forming'), data: { key: 'forming' } },
    el(
      'section',
      { class: 'paper gathering', data: { region: 'gathering' } },
      el(
        'h2',
        {},
        gameTitle(forming.game),
        ' ',
        forming.title && el('small', {}, nameView(forming.title)),
      ),
      el(
        'p',
        { class: 'sub', role: 'status' },
        free > 0 ? say('page.waiting-for', { n: free }) : say('page.all-here'),
      ),
      page.error && el('p', { class: 'warning', role: 'alert' }, say(page.error)),
      el(
        'ol',
        { class: 'guests' },
        forming.players.map((player) => guest(player, forming)),
        Array.from({ length: free }, () =>
          el('li', { class: 'free' }, el('i'), el('span', {}, say('page.free-seat'))),
        ),
      ),
      el(
        'div',
        { class: 'acts start' },
        can.includes('start') &&
          el(
            'button',
            { class: 'btn go', type: 'button', data: does('send', { do: 'start' }) },
            say('page.start'),
          ),
        can.includes('ready') &&
          el(
            'button',
            { class: 'btn go', type: 'button', data: does('send', { do: 'ready' }) },
            say('page.ready'),
          ),
        el('button', { class: 'btn', type: 'button', data: does('leave') }, say('page.leave')),
      ),
    ),
    (forming.link || forming.addresses?.length > 0) &&
      el(
        'section',
        { class: 'paper inviting', 'aria-label': say('page.invite') },
        el('h2', {}, say('page.invite')),
        el('p', { class: 'sub' }, say('page.invite-how')),
        forming.qr && qr(forming.qr),
        forming.link &&
          el(
            'p',
            { class: 'link' },
            el('code', {}, clean(forming.link)),
            el(
              'button',
              { class: 'chip', type: 'button', data: does('copy', forming.link) },
              say('page.copy'),
            ),
          ),
        forming.addresses?.length > 0 &&
          el(
            'p',
            { class: 'sub' },
            say('page.addresses'),
            ' ',
            forming.addresses.map((address) => el('code', {}, clean(address))),
          ),
        optionsOf(forming),
      ),
  );
}

function guest(player, forming) {
  return el(
    'li',
    { data: { key: player.key } },
    avatar(player.key),
    el(
      'div',
      {},
      el(
        'b',
        {},
        player.you ? say('page.you') : nameView(player.name),
        player.bot &&
          el(
            'span',
            { class: 'machine' },
            icon('bot'),
            el('span', { class: 'sr' }, say('page.bot')),
          ),
      ),
      !player.bot && el('span', { class: 'sub' }, clean(player.words ?? '')),
      player.impostor && el('span', { class: 'warning' }, say('page.impostor')),
    ),
    player.ready !== undefined &&
      el('span', { class: 'readiness' }, say(player.ready ? 'page.is-ready' : 'page.not-ready')),
    forming.host &&
      !player.you &&
      !player.bot &&
      el(
        'button',
        { class: 'chip', type: 'button', data: does('kick', player.key) },
        say('page.kick'),
      ),
  );
}

// Rows of "0" and "1" as one path, dark on paper with the quiet zone that cameras need.
function qr(rows) {
  const n = rows.length;
  const d = rows
    .flatMap((row, y) => [...row].map((module, x) => (module === '1' ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return svg(
    'svg',
    {
      class: 'qr',
      viewBox: `-4 -4 ${n + 8} ${n + 8}`,
      role: 'img',
      'aria-label': say('page.qr'),
      'shape-rendering': 'crispEdges',
      'data-memo': d.length,
    },
    svg('path', { d, fill: '#000' }),
  );
}

function optionsOf({ game, options }) {
  const set = Object.entries(options ?? {});
  if (set.length === 0) return null;
  const label = (code, otherwise) => (has(code) ? say(code, {}) : String(otherwise));
  return el(
    'details',
    { class: 'house' },
    el('summary', {}, say('page.house-rules')),
    el(
      'dl',
      { class: 'keys' },
      set.map(([name, value]) => [
        el('dt', {}, label(`option.${game}.${name}`, name.replaceAll('_', ' '))),
        el(
          'dd',
          {},
          value === null ? say('page.auto') : label(`option.${game}.${name}.${value}`, value),
        ),
      ]),
    ),
  );
}
