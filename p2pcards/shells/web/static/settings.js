// What a person may set: language, room, deck, print, motion, sound, how a click counts. All of it is
// kept by the server in the profile, so that every tab and the next evening look the same.

import { does, el } from './dom.js';
import { page, setting } from './page.js';
import { clean, say } from './words.js';

const NUDGES = [0, 30, 60, 120];

export function wear() {
  const root = document.documentElement;
  const put = (name, value) =>
    value
      ? root.setAttribute(`data-${name}`, value === true ? '' : value)
      : root.removeAttribute(`data-${name}`);
  put('room', setting('room'));
  put('deck', setting('deck') === 'four' ? 'four' : '');
  put('print', setting('print'));
  put('calm', setting('calm'));
}

function flag(name) {
  return el(
    'label',
    { class: 'check' },
    el('input', {
      type: 'checkbox',
      checked: Boolean(setting(name)),
      data: { on: 'set', with: JSON.stringify({ name, kind: 'flag' }) },
    }),
    el('span', {}, say(`page.set-${name}`)),
  );
}

function choice(name, values) {
  const now = String(setting(name) ?? '');
  return el(
    'fieldset',
    { class: 'choice' },
    el('legend', {}, say(`page.set-${name}`)),
    el(
      'div',
      { class: 'pace' },
      values.map(([value, words]) =>
        el(
          'label',
          { class: now === String(value) ? 'on' : '' },
          el('input', {
            type: 'radio',
            class: 'sr',
            name: `set-${name}`,
            value: String(value),
            checked: now === String(value),
            data: { on: 'set', with: JSON.stringify({ name, kind: typeof value }) },
          }),
          words,
        ),
      ),
    ),
  );
}

export function settingsSheet({ hello, screen, forming }) {
  const named = (name, values) =>
    choice(
      name,
      values.map((value) => [value, say(`page.${name}-${value || 'auto'}`)]),
    );
  return {
    title: say(screen || forming ? 'page.more' : 'page.settings'),
    body: el(
      'div',
      { class: 'settings' },
      page.shown === 'screen' &&
        screen &&
        el(
          'div',
          { class: 'acts start' },
          screen.you !== null &&
            !screen.over &&
            el('button', { class: 'btn', type: 'button', data: does('hint') }, say('page.hint')),
          el('button', { class: 'btn', type: 'button', data: does('leave') }, say('page.leave')),
        ),
      el(
        'label',
        {},
        el('span', { class: 'lab' }, say('page.set-lang')),
        el(
          'select',
          {
            class: 'field',
            data: { on: 'set', with: JSON.stringify({ name: 'lang', kind: 'string' }) },
          },
          hello.languages.map((language) =>
            el(
              'option',
              { value: language, selected: language === hello.lang, lang: language },
              languageName(language),
            ),
          ),
        ),
      ),
      el(
        'form',
        { class: 'line', data: { on: 'rename' } },
        el(
          'label',
          { class: 'grow' },
          el('span', { class: 'lab' }, say('page.set-name')),
          el('input', {
            class: 'field',
            name: 'name',
            maxlength: 40,
            value: clean(hello.me.name),
            autocomplete: 'off',
          }),
        ),
        el('button', { class: 'btn', type: 'submit' }, say('page.save')),
      ),
      named('room', ['', 'evening', 'day']),
      named('deck', ['two', 'four']),
      named('print', ['', 'large']),
      choice(
        'nudge',
        NUDGES.map((n) => [n, n ? say('page.seconds', { n }) : say('page.never')]),
      ),
      ['sound', 'calm', 'grace', 'confirm', 'autoplay', 'letters'].map(flag),
      el(
        'label',
        {},
        el('span', { class: 'lab' }, say('page.set-volume')),
        el('input', {
          type: 'range',
          class: 'range',
          min: 0,
          max: 100,
          value: setting('volume'),
          data: { on: 'set', with: JSON.stringify({ name: 'volume', kind: 'number' }) },
        }),
      ),
      el(
        'p',
        {},
        el(
          'button',
          { type: 'button', class: 'linkish', data: does('sheet', 'keys') },
          say('page.keys'),
        ),
      ),
      el('p', { class: 'sub' }, `p2pcards ${clean(hello.version)}`),
    ),
  };
}

function languageName(language) {
  const name = new Intl.DisplayNames([language], { type: 'language' }).of(language);
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
}

const KEYS = [
  ['← →', 'walk'],
  ['↑ Space', 'choose'],
  ['Enter', 'play'],
  ['Esc', 'unchoose'],
  ['− +', 'size'],
  ['Alt ← →', 'move'],
  ['T', 'take'],
  ['P', 'pass'],
  ['K', 'keep'],
  ['S', 'swap'],
  ['0–9', 'bid'],
  ['H', 'hint'],
  ['L', 'last'],
  ['G', 'log'],
  ['O', 'score'],
  ['V', 'shield'],
  ['R', 'rules'],
  ['C', 'say'],
  ['F6', 'regions'],
  ['?', 'list'],
];

export function keysSheet() {
  return {
    title: say('page.keys'),
    body: el(
      'dl',
      { class: 'keys' },
      KEYS.map(([keys, what]) => [
        el(
          'dt',
          {},
          keys.split(' ').map((key) => el('kbd', {}, key)),
        ),
        el('dd', {}, say(`page.key-${what}`)),
      ]),
    ),
    foot: el('p', { class: 'limits' }, say('page.keys-note')),
  };
}
