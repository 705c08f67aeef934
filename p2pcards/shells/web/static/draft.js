// The form that opens a table of one's own: the game, its seats, computer players, and every option with
// what it means. What is filled in is kept in `page.draft` until the table opens.

import { picture } from './cards.js';
import { does, el } from './dom.js';
import { page } from './page.js';
import { has, say, value } from './words.js';

const SIGN = {
  'oh-hell': 'c-Ks',
  cuckoo: 'g-CUCKOO',
  rovhult: 'c-7c',
  twopart: 'c-Jc',
  president: 'c-X1',
};
const USUAL_BOT = 'simple';

export function usualBot(hello) {
  return hello.strategies.includes(USUAL_BOT) ? USUAL_BOT : hello.strategies[0];
}

export function freshDraft(game, hello) {
  const [least, most] = game.seats;
  const seats = Math.min(Math.max(4, least), most);
  return {
    game: game.key,
    seats,
    bots: Array.from({ length: seats - 1 }, () => usualBot(hello)),
    options: {},
    title: null,
  };
}

export function makeForm(hello) {
  const { draft } = page;
  const game = hello.games.find(({ key }) => key === draft.game);
  const [least, most] = game.seats;
  return el(
    'form',
    {
      class: 'paper make',
      'aria-label': say('page.open-own'),
      data: { on: 'host', region: 'make' },
    },
    el(
      'div',
      { class: 'scroll' },
      el('h2', {}, say('page.open-own')),
      el(
        'fieldset',
        {},
        el('legend', { class: 'lab' }, say('page.game')),
        el(
          'div',
          { class: 'games' },
          hello.games.map(({ key, title }) =>
            el(
              'label',
              { class: key === draft.game ? 'on' : '' },
              el('input', {
                class: 'sr',
                type: 'radio',
                name: 'game',
                value: key,
                checked: key === draft.game,
                data: { on: 'draft-game', with: JSON.stringify(key) },
              }),
              el('span', { class: 'card', 'aria-hidden': 'true' }, picture(SIGN[key] ?? 'back')),
              el('span', {}, title),
            ),
          ),
        ),
      ),
      el(
        'div',
        {},
        el('label', { class: 'lab', for: 'title' }, say('page.table-name')),
        el('input', {
          class: 'field',
          id: 'title',
          name: 'title',
          maxlength: 40,
          autocomplete: 'off',
          placeholder: say('page.table-of', { name: hello.me.name }),
        }),
      ),
      el(
        'div',
        { class: 'two-col' },
        stepper(
          say('page.seats'),
          say('page.from-to', { low: least, high: most }),
          draft.seats,
          least,
          most,
          'draft-seats',
        ),
        stepper(say('page.bots'), '', draft.bots.length, 0, draft.seats - 1, 'draft-bots'),
      ),
      draft.bots.length > 0 &&
        hello.strategies.length > 1 &&
        el(
          'div',
          { class: 'bots' },
          draft.bots.map((bot, i) =>
            el(
              'label',
              {},
              el('span', {}, say('page.bot-n', { n: i + 1 })),
              el(
                'select',
                { class: 'field', data: { on: 'draft-bot', with: String(i) } },
                hello.strategies.map((name) =>
                  el(
                    'option',
                    { value: name, selected: name === bot },
                    labelOf(`strategy.${name}`, name),
                  ),
                ),
              ),
            ),
          ),
        ),
      el(
        'details',
        { class: 'house' },
        el('summary', {}, say('page.house-rules')),
        el(
          'div',
          { class: 'opts' },
          game.options.map((option) => optionView(game.key, option, draft)),
        ),
      ),
      el(
        'p',
        {},
        el(
          'button',
          { class: 'linkish', type: 'button', data: does('sheet', 'rules') },
          say('page.read-rules'),
        ),
      ),
    ),
    el(
      'button',
      { class: 'btn open', type: 'submit', disabled: Boolean(page.lobby.busy) },
      say(page.lobby.busy ? 'page.on-the-way' : 'page.open-table'),
    ),
  );
}

function labelOf(code, otherwise) {
  return has(code) ? say(code, {}) : String(otherwise);
}

function stepper(label, note, value, least, most, name) {
  const step = (sign, words, to) =>
    el(
      'button',
      {
        type: 'button',
        'aria-label': `${label}: ${words}`,
        disabled: to < least || to > most,
        data: { ...does(name, to), key: sign },
      },
      sign,
    );
  return el(
    'div',
    {},
    el('span', { class: 'lab' }, label, ' ', note && el('i', {}, note)),
    el(
      'div',
      { class: 'step', role: 'group', 'aria-label': label },
      step('−', say('page.one-less'), value - 1),
      el('output', {}, String(value)),
      step('+', say('page.one-more'), value + 1),
    ),
  );
}

function optionView(game, option, draft) {
  const id = `option-${option.name}`;
  const code = `option.${game}.${option.name}`;
  const now = draft.options[option.name] ?? option.default;
  const on = { on: 'draft-option', with: JSON.stringify({ name: option.name, kind: option.kind }) };
  const auto = option.default === null;
  const words = [
    el('b', {}, labelOf(code, option.name.replaceAll('_', ' '))),
    el('span', {}, value(option.text)),
  ];
  if (option.kind === 'flag')
    return el(
      'label',
      { class: 'opt flag' },
      el('input', { type: 'checkbox', checked: Boolean(now), data: on }),
      el('span', { class: 'words' }, words),
    );
  const control =
    option.kind === 'number' &&
    option.values.length === 2 &&
    option.values[1] - option.values[0] > 20
      ? el('input', {
          class: 'field',
          id,
          type: 'number',
          min: option.values[0],
          max: option.values[1],
          value: now ?? '',
          placeholder: auto ? say('page.auto') : null,
          data: on,
        })
      : el(
          'select',
          { class: 'field', id, data: on },
          auto && el('option', { value: '', selected: now === null }, say('page.auto')),
          valuesOf(option).map((each) =>
            el(
              'option',
              { value: JSON.stringify(each), selected: each === now },
              labelOf(`${code}.${each}`, each),
            ),
          ),
        );
  return el('div', { class: 'opt' }, el('label', { class: 'words', for: id }, words), control);
}

function valuesOf({ kind, values }) {
  if (kind !== 'number') return values;
  const [low, high] = values;
  return Array.from({ length: high - low + 1 }, (_, i) => low + i);
}
