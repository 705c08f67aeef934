// The lobby: tables on this network with their hosts' arms and words, a door for a code or an address,
// and the form that opens a table of one's own with every option and what it means.

import { avatar } from './avatar.js';
import { picture } from './cards.js';
import { does, el, svg } from './dom.js';
import { quiet } from './hand.js';
import { gameTitle, page } from './page.js';
import { nameView } from './seats.js';
import { clean, has, say, value } from './words.js';

const PEEK = {
  'oh-hell': ['c-9h', 'c-Kh', 'c-3s'], cuckoo: ['g-OWL', 'g-CUCKOO', 'g-CAT'], rovhult: ['c-7c', 'c-Td', 'c-2s'],
  twopart: ['c-8c', 'c-9c', 'c-Jc'], president: ['c-X1', 'c-2h', 'c-3d'],
};
const SIGN = { 'oh-hell': 'c-Ks', cuckoo: 'g-CUCKOO', rovhult: 'c-7c', twopart: 'c-Jc', president: 'c-X1' };
const MOST_FREE = 6;

export function lobbyView() {
  const { lobby, hello } = page;
  const { tables, network } = lobby;
  return el('main', { class: 'lobby', 'aria-label': say('page.lobby'), data: { key: 'lobby' } },
    el('section', { class: 'cloth2', 'aria-label': say('page.tables'), data: { region: 'tables' } }, hem(),
      el('div', { class: 'scroll' },
        el('h2', { class: 'big' }, say('page.who-is-there')),
        el('p', { class: 'lede' }, tables.length > 0 ? say('page.tables-here', { n: tables.length }) : say('page.no-tables')),
        page.error && el('p', { class: 'refusal', role: 'alert' }, value(page.error)),
        el('ul', { class: 'tables' }, tables.map(place))),
      el('div', { class: 'found' },
        el('span', {}, value(network)),
        page.joining ? joinForm() : quiet(say('page.join-with'), null, { name: 'joining' }))),
    makeForm(hello));
}

function hem() {
  return svg('svg', { class: 'hem', 'aria-hidden': 'true', 'data-memo': 'hem' },
    svg('defs', {}, svg('pattern', { id: 'weave', width: 15, height: 16, patternUnits: 'userSpaceOnUse' }, svg('path', { class: 'thread', d: 'M4 3.500l5 4.500-5 4.500' })),
      svg('pattern', { id: 'weave-back', width: 15, height: 16, patternUnits: 'userSpaceOnUse' }, svg('path', { class: 'thread', d: 'M9 3.500l-5 4.500 5 4.500' }))),
    svg('svg', { class: 'near', width: '100%', height: 16 }, svg('rect', { x: 28, width: '100%', height: 16, fill: 'url(#weave)' })),
    svg('svg', { class: 'far', y: '100%', width: '100%', height: 16, overflow: 'visible' }, svg('rect', { x: 28, y: -16, width: '100%', height: 16, fill: 'url(#weave-back)' })));
}

function place(table, i) {
  const open = table.state === 'open' || table.state === undefined;
  const free = Math.max(table.seats - table.taken, 0);
  const arms = table.players ?? (table.key ? [table.key] : []);
  const note = open ? say('page.seats-free', { n: free }) : say(`page.table-${table.state}`);
  return el('li', { class: ['place', !open && 'closed'], data: { key: `table-${table.id}` } },
    el('div', { class: 'peek', 'aria-hidden': 'true' }, (PEEK[table.game] ?? ['back', 'back', 'back']).map((id, n) => el('span', { class: 'card', vars: { dx: (n - 1) * 26, r: (n - 1) * 9 } }, picture(id)))),
    el('div', {},
      el('h3', {}, gameTitle(table.game), ' ', el('small', {}, nameView(table.name))),
      el('p', { class: 'sub' }, say('page.host-words'), ' ', el('q', {}, clean(table.words ?? ''))),
      table.impostor && el('p', { class: 'warning' }, say('page.impostor')),
      el('div', { class: 'seats' }, arms.map((key) => avatar(key)),
        Array.from({ length: Math.min(open ? table.seats - Math.max(arms.length, 1) : 0, MOST_FREE) }, (_, n) => el('i', { class: n + Math.max(arms.length, 1) < table.taken ? 'taken' : '' })),
        el('span', {}, note))),
    el('button', { class: ['btn', i === 0 && open && 'go'], type: 'button', disabled: !open || page.lobby.busy, data: { ...does('join', table.id), key: 'sit' } }, el('span', {}, say(open ? 'page.sit-down' : 'page.no-seat')), open && i < 9 && el('kbd', { 'aria-hidden': 'true' }, String(i + 1))));
}

function joinForm() {
  return el('form', { class: 'line join', data: { on: 'join-at' } },
    el('input', { class: 'field', name: 'table', autocomplete: 'off', spellcheck: 'false', 'aria-label': say('page.join-address'), placeholder: say('page.join-address') }),
    el('button', { class: 'btn', type: 'submit' }, say('page.sit-down')));
}

// --- opening one's own ------------------------------------------------------------------------------

export function freshDraft(game, hello) {
  const [least, most] = game.seats;
  const seats = Math.min(Math.max(4, least), most);
  return { game: game.key, seats, bots: Array.from({ length: seats - 1 }, () => hello.strategies[0]), options: {}, title: null };
}

function makeForm(hello) {
  const { draft } = page;
  const game = hello.games.find(({ key }) => key === draft.game);
  const [least, most] = game.seats;
  return el('form', { class: 'paper make', 'aria-label': say('page.open-own'), data: { on: 'host', region: 'make' } },
    el('div', { class: 'scroll' },
      el('h2', {}, say('page.open-own')),
      el('fieldset', {}, el('legend', { class: 'lab' }, say('page.game')), el('div', { class: 'games' }, hello.games.map(({ key, title }) => el('label', { class: key === draft.game ? 'on' : '' },
        el('input', { class: 'sr', type: 'radio', name: 'game', value: key, checked: key === draft.game, data: { on: 'draft-game', with: JSON.stringify(key) } }),
        el('span', { class: 'card', 'aria-hidden': 'true' }, picture(SIGN[key] ?? 'back')), el('span', {}, title))))),
      el('div', {}, el('label', { class: 'lab', for: 'title' }, say('page.table-name')), el('input', { class: 'field', id: 'title', name: 'title', maxlength: 40, autocomplete: 'off', placeholder: say('page.table-of', { name: hello.me.name }) })),
      el('div', { class: 'two-col' },
        stepper(say('page.seats'), say('page.from-to', { low: least, high: most }), draft.seats, least, most, 'draft-seats'),
        stepper(say('page.bots'), '', draft.bots.length, 0, draft.seats - 1, 'draft-bots')),
      draft.bots.length > 0 && hello.strategies.length > 1 && el('div', { class: 'bots' }, draft.bots.map((bot, i) => el('label', {}, el('span', {}, say('page.bot-n', { n: i + 1 })),
        el('select', { class: 'field', data: { on: 'draft-bot', with: String(i) } }, hello.strategies.map((name) => el('option', { value: name, selected: name === bot }, labelOf(`strategy.${name}`, name))))))),
      el('details', { class: 'house' }, el('summary', {}, say('page.house-rules')), el('div', { class: 'opts' }, game.options.map((option) => optionView(game.key, option, draft)))),
      el('p', {}, el('button', { class: 'linkish', type: 'button', data: does('sheet', 'rules') }, say('page.read-rules')))),
    el('button', { class: 'btn open', type: 'submit', disabled: Boolean(page.lobby.busy) }, say(page.lobby.busy ? 'page.on-the-way' : 'page.open-table')));
}

function labelOf(code, otherwise) {
  return has(code) ? say(code, {}) : String(otherwise);
}

function stepper(label, note, value, least, most, name) {
  const step = (sign, words, to) => el('button', { type: 'button', 'aria-label': `${label}: ${words}`, disabled: to < least || to > most, data: { ...does(name, to), key: sign } }, sign);
  return el('div', {}, el('span', { class: 'lab' }, label, ' ', note && el('i', {}, note)), el('div', { class: 'step', role: 'group', 'aria-label': label },
    step('−', say('page.one-less'), value - 1), el('output', {}, String(value)), step('+', say('page.one-more'), value + 1)));
}

function optionView(game, option, draft) {
  const id = `option-${option.name}`;
  const code = `option.${game}.${option.name}`;
  const now = draft.options[option.name] ?? option.default;
  const on = { on: 'draft-option', with: JSON.stringify({ name: option.name, kind: option.kind }) };
  const auto = option.default === null;
  const words = [el('b', {}, labelOf(code, option.name.replaceAll('_', ' '))), el('span', {}, value(option.text))];
  if (option.kind === 'flag') return el('label', { class: 'opt flag' }, el('input', { type: 'checkbox', checked: Boolean(now), data: on }), el('span', { class: 'words' }, words));
  const control = option.kind === 'number' && option.values.length === 2 && option.values[1] - option.values[0] > 20
    ? el('input', { class: 'field', id, type: 'number', min: option.values[0], max: option.values[1], value: now ?? '', placeholder: auto ? say('page.auto') : null, data: on })
    : el('select', { class: 'field', id, data: on }, auto && el('option', { value: '', selected: now === null }, say('page.auto')),
      valuesOf(option).map((each) => el('option', { value: JSON.stringify(each), selected: each === now }, labelOf(`${code}.${each}`, each))));
  return el('div', { class: 'opt' }, el('label', { class: 'words', for: id }, words), control);
}

function valuesOf({ kind, values }) {
  if (kind !== 'number') return values;
  const [low, high] = values;
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}
