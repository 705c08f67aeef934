// The rail at the top: in the lobby who you are, at the table the game, the shield and the sheets.

import { avatar } from './avatar.js';
import { el } from './dom.js';
import { quiet } from './hand.js';
import { gameTitle, page } from './page.js';
import { nameView } from './seats.js';
import { shieldButton } from './trail.js';
import { clean, say, value } from './words.js';

export function railView() {
  const { hello, screen } = page;
  if (page.shown !== 'screen') {
    return el(
      'header',
      { class: 'rail', data: { region: 'rail', key: 'rail' } },
      el('h1', {}, 'p2pcards', el('small', {}, say('page.tagline'))),
      el(
        'nav',
        { 'aria-label': say('page.menu') },
        el(
          'div',
          { class: 'id' },
          el(
            'div',
            {},
            el('b', {}, say('page.you-are'), ' ', nameView(hello.me.name)),
            el('span', {}, say('page.your-words'), ' ', clean(hello.me.words)),
          ),
          avatar(hello.me.key),
        ),
        sheetButton('more', 'menu', say('page.settings')),
      ),
    );
  }
  return el(
    'header',
    { class: 'rail', data: { region: 'rail', key: 'rail' } },
    el('h1', {}, gameTitle(screen.game), el('small', {}, value(screen.phase))),
    el(
      'nav',
      { 'aria-label': say('page.menu') },
      shieldButton(screen, page.sheet === 'shield'),
      ['score', 'log', 'rules'].map((name) => sheetButton(name, name, say(`page.${name}`))),
      sheetButton('more', 'menu', say('page.more')),
    ),
  );
}

function sheetButton(name, image, words) {
  return quiet(words, image, {
    name: 'sheet',
    argument: name,
    pressed: page.sheet === name,
    cls: `to-${name}`,
    key: name,
  });
}
