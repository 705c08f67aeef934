// The one paper sheet at the right: score, log, rules, shield, chat, settings, or a look at some cards.
// Frames what the others draw; a sheet is known by its name.

import { chatSheet } from './chat.js';
import { el } from './dom.js';
import { quiet } from './hand.js';
import { lastSheet, peekSheet, wonSheet } from './looks.js';
import { page } from './page.js';
import { rulesSheet } from './rules.js';
import { logSheet, scoreSheet } from './score.js';
import { keysSheet, settingsSheet } from './settings.js';
import { trailSheet } from './trail.js';
import { say } from './words.js';

const SHEETS = {
  score: scoreSheet,
  log: logSheet,
  rules: rulesSheet,
  shield: trailSheet,
  say: chatSheet,
  more: settingsSheet,
  keys: keysSheet,
  last: lastSheet,
  won: wonSheet,
  peek: peekSheet,
};

export function sheetView() {
  const make = SHEETS[page.sheet];
  const content = make?.(page);
  if (!content) return null;
  return el(
    'aside',
    {
      class: ['sheet', `sheet-${page.sheet}`],
      'aria-label': content.title,
      data: { region: 'sheet', key: `sheet-${page.sheet}` },
    },
    quiet(say('page.close'), 'close', { name: 'close', cls: 'close' }),
    page.sheet === 'score' &&
      el(
        'div',
        { class: 'holes', 'aria-hidden': 'true' },
        Array.from({ length: 17 }, () => el('i')),
      ),
    el('h2', {}, content.title),
    content.sub && el('p', { class: 'sub' }, content.sub),
    el(
      'div',
      { class: 'inside', tabindex: '0', role: 'group', 'aria-label': content.title },
      content.body,
    ),
    content.foot,
  );
}
