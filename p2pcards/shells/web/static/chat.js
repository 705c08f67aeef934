// Talk at the table: what was said, quick phrases, a line to type, and who is muted. Words of others are
// text; a muted player's are kept out of sight on this page only.

import { avatar } from './avatar.js';
import { does, el } from './dom.js';
import { page } from './page.js';
import { nameView } from './seats.js';
import { clean, codes, say } from './words.js';

const KEPT = 200;
const LONGEST = 200;
const BUBBLE = 6000;
const SHORT = 40;

export function hear(message) {
  page.chat.push({ ...message, heard: performance.now() });
  page.chat.splice(0, page.chat.length - KEPT);
  return BUBBLE;
}

function keyOf(message) {
  return page.screen?.seats[message.from]?.key ?? `${message.from}`;
}

function wordsOf(message) {
  if (message.phrase === 'phrase.knock')
    return say('phrase.knock', { name: { seat: message.to ?? message.from } });
  return message.phrase ? say(message.phrase, {}) : clean(message.text);
}

// The words still in the air, by seat.
export function bubbles() {
  const now = performance.now();
  const said = new Map();
  for (const message of page.chat) {
    if (now - message.heard > BUBBLE || page.muted.has(keyOf(message))) continue;
    const words = wordsOf(message);
    said.set(message.from, words.length > SHORT ? `${words.slice(0, SHORT)}…` : words);
  }
  return said;
}

export function chatSheet({ screen }) {
  if (!screen) return null;
  const phrases = codes('phrase.').filter((code) => code !== 'phrase.knock');
  return {
    title: say('page.say'),
    body: [
      el(
        'ol',
        { class: 'talk', 'aria-live': 'polite' },
        page.chat
          .filter((message) => !page.muted.has(keyOf(message)))
          .map((message) =>
            el(
              'li',
              {},
              avatar(keyOf(message)),
              el(
                'div',
                {},
                el('b', {}, nameView(message.name ?? screen.seats[message.from]?.name ?? '')),
                el('span', {}, wordsOf(message)),
              ),
            ),
          ),
      ),
      el(
        'div',
        { class: 'people' },
        screen.seats.filter((seat) => !seat.you).map((seat) => person(seat)),
      ),
    ],
    foot:
      screen.you === null
        ? null
        : el(
            'div',
            { class: 'speaking' },
            el(
              'div',
              { class: 'phrases', role: 'group', 'aria-label': say('page.phrases') },
              phrases.map((code) =>
                el(
                  'button',
                  { type: 'button', class: 'chip', data: does('phrase', code) },
                  say(code, {}),
                ),
              ),
            ),
            el(
              'form',
              { class: 'line', data: { on: 'speak' } },
              el('input', {
                class: 'field',
                name: 'text',
                maxlength: LONGEST,
                autocomplete: 'off',
                'aria-label': say('page.type-here'),
                placeholder: say('page.type-here'),
              }),
              el('button', { class: 'btn', type: 'submit' }, say('page.send')),
            ),
          ),
  };
}

function person(seat) {
  const muted = page.muted.has(seat.key);
  return el(
    'div',
    { class: 'person' },
    avatar(seat.key),
    nameView(seat.name),
    !seat.bot &&
      el(
        'button',
        { type: 'button', class: 'chip', data: does('knock', seat.seat) },
        say('page.knock'),
      ),
    el(
      'button',
      {
        type: 'button',
        class: 'chip',
        'aria-pressed': String(muted),
        data: does('mute', seat.key),
      },
      say(muted ? 'page.unmute' : 'page.mute'),
    ),
  );
}
