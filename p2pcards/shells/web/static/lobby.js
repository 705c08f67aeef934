// The lobby: tables on this network with their hosts' arms and words, and a door for a link or an address.
// The form beside them, for a table of one's own, is in `draft`.

import { avatar } from './avatar.js';
import { picture } from './cards.js';
import { does, el, svg } from './dom.js';
import { makeForm } from './draft.js';
import { quiet } from './hand.js';
import { gameTitle, page } from './page.js';
import { nameView } from './seats.js';
import { clean, say, value } from './words.js';

const PEEK = {
  'oh-hell': ['c-9h', 'c-Kh', 'c-3s'],
  cuckoo: ['g-OWL', 'g-CUCKOO', 'g-CAT'],
  rovhult: ['c-7c', 'c-Td', 'c-2s'],
  twopart: ['c-8c', 'c-9c', 'c-Jc'],
  president: ['c-X1', 'c-2h', 'c-3d'],
};
const MOST_FREE = 6;

export function lobbyView() {
  const { lobby, hello } = page;
  const { tables, network } = lobby;
  return el(
    'main',
    { class: 'lobby', 'aria-label': say('page.lobby'), data: { key: 'lobby' } },
    el(
      'section',
      { class: 'cloth2', 'aria-label': say('page.tables'), data: { region: 'tables' } },
      hem(),
      el(
        'div',
        { class: 'scroll' },
        el('h2', { class: 'big' }, say('page.who-is-there')),
        el(
          'p',
          { class: 'lede' },
          tables.length > 0 ? say('page.tables-here', { n: tables.length }) : say('page.no-tables'),
        ),
        page.error && el('p', { class: 'refusal', role: 'alert' }, value(page.error)),
        el('ul', { class: 'tables' }, tables.map(place)),
      ),
      el(
        'div',
        { class: 'found' },
        el('span', { role: 'status' }, network.code ? value(network) : say('page.looking')),
        page.joining ? joinForm() : quiet(say('page.join-with'), null, { name: 'joining' }),
      ),
    ),
    makeForm(hello),
  );
}

function hem() {
  return svg(
    'svg',
    { class: 'hem', 'aria-hidden': 'true', 'data-memo': 'hem' },
    svg(
      'defs',
      {},
      svg(
        'pattern',
        { id: 'weave', width: 15, height: 16, patternUnits: 'userSpaceOnUse' },
        svg('path', { class: 'thread', d: 'M4 3.500l5 4.500-5 4.500' }),
      ),
      svg(
        'pattern',
        { id: 'weave-back', width: 15, height: 16, patternUnits: 'userSpaceOnUse' },
        svg('path', { class: 'thread', d: 'M9 3.500l-5 4.500 5 4.500' }),
      ),
    ),
    svg(
      'svg',
      { class: 'near', width: '100%', height: 16 },
      svg('rect', { x: 28, width: '100%', height: 16, fill: 'url(#weave)' }),
    ),
    svg(
      'svg',
      { class: 'far', y: '100%', width: '100%', height: 16, overflow: 'visible' },
      svg('rect', { x: 28, y: -16, width: '100%', height: 16, fill: 'url(#weave-back)' }),
    ),
  );
}

function place(table, i) {
  const open = table.state === 'open' || table.state === undefined;
  const free = Math.max(table.seats - table.taken, 0);
  const arms = table.players ?? (table.key ? [table.key] : []);
  const note = open ? say('page.seats-free', { n: free }) : say(`page.table-${table.state}`);
  return el(
    'li',
    { class: ['place', !open && 'closed'], data: { key: `table-${table.id}` } },
    el(
      'div',
      { class: 'peek', 'aria-hidden': 'true' },
      (PEEK[table.game] ?? ['back', 'back', 'back']).map((id, n) =>
        el('span', { class: 'card', vars: { dx: (n - 1) * 26, r: (n - 1) * 9 } }, picture(id)),
      ),
    ),
    el(
      'div',
      {},
      el('h3', {}, gameTitle(table.game), ' ', el('small', {}, nameView(table.name))),
      el('p', { class: 'sub' }, say('page.host-words'), ' ', el('q', {}, clean(table.words ?? ''))),
      table.impostor && el('p', { class: 'warning' }, say('page.impostor')),
      el(
        'div',
        { class: 'seats' },
        arms.map((key) => avatar(key)),
        Array.from(
          { length: Math.min(open ? table.seats - Math.max(arms.length, 1) : 0, MOST_FREE) },
          (_, n) => el('i', { class: n + Math.max(arms.length, 1) < table.taken ? 'taken' : '' }),
        ),
        el('span', {}, note),
      ),
    ),
    el(
      'button',
      {
        class: ['btn', i === 0 && open && 'go'],
        type: 'button',
        disabled: !open || page.lobby.busy,
        data: { ...does('join', table.id), key: 'sit' },
      },
      el('span', {}, say(open ? 'page.sit-down' : 'page.no-seat')),
      open && i < 9 && el('kbd', { 'aria-hidden': 'true' }, String(i + 1)),
    ),
  );
}

function joinForm() {
  return el(
    'form',
    { class: 'line join', data: { on: 'join-at' } },
    el('input', {
      class: 'field',
      name: 'table',
      autocomplete: 'off',
      spellcheck: 'false',
      'aria-label': say('page.join-address'),
      placeholder: say('page.join-address'),
    }),
    el('button', { class: 'btn', type: 'submit' }, say('page.sit-down')),
  );
}
