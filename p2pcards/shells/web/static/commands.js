// What clicks, forms and keys may ask for, by name (see `does` and `listen`): cards go to `moves`, the rest
// changes the page or becomes a command to the server.

import { freshDraft, usualBot } from './draft.js';
import * as moves from './moves.js';
import { page } from './page.js';
import { fetchRules } from './rules.js';
import { wear } from './settings.js';

export function commandsFor(send, redraw) {
  const commands = {
    card: (slot, _, event) =>
      moves.chooseCard(slot, { part: event.ctrlKey || event.metaKey || event.shiftKey }),
    arrange: (slot) => moves.chooseCard(slot),
    play: () => moves.playChosen(),
    option: (id) => moves.makeMove(id),
    arranged: () => moves.arranged(),
    resize: (step) => moves.changeSize(step),
    'take-back': () => moves.takeBack(),
    sort: () => moves.sortHand(),
    send: (command) => send(command),
    hint: () => send({ do: 'hint' }),
    rematch: () => send({ do: 'rematch' }),
    leave: () => {
      page.sheet = null;
      send({ do: 'leave' });
    },
    join: (table) => send({ do: 'join', table }),
    'join-at': (_, form) => {
      const table = form.elements.table.value.trim();
      if (table) send({ do: 'join', table });
    },
    joining: () => {
      page.joining = true;
      redraw();
      document.querySelector('.join input').focus();
    },
    host: (_, form) => {
      const { game, seats, bots, options } = page.draft;
      send({
        do: 'host',
        game,
        seats,
        bots,
        options,
        title: form.elements.title.value.trim() || null,
      });
    },
    kick: (key) => send({ do: 'kick', key }),
    copy: (link) => navigator.clipboard?.writeText(link),
    phrase: (phrase) => send({ do: 'say', phrase }),
    speak: (_, form) => {
      const text = form.elements.text.value.trim();
      if (text && send({ do: 'say', text })) form.reset();
    },
    knock: (seat) => send({ do: 'knock', seat }),
    mute: (key) => {
      if (!page.muted.delete(key)) page.muted.add(key);
      redraw();
    },
    peek: (seat) => {
      page.seat = seat;
      commands.sheet('peek');
    },
    sheet: (name, opener) => {
      page.sheet = page.sheet === name ? null : name;
      if (page.sheet === 'rules') fetchRules(page.screen?.game ?? page.draft.game, redraw);
      redraw();
      if (page.sheet) document.querySelector('.sheet .close')?.focus();
      else opener?.focus?.();
    },
    close: () => {
      const closed = page.sheet;
      Object.assign(page, { sheet: null, joining: false, error: null });
      redraw();
      document.querySelector(`.to-${closed}, .${closed}`)?.focus();
    },
    set: ({ name, kind }, field) => {
      const value = {
        flag: () => field.checked,
        number: () => Number(field.value),
        string: () => field.value,
      }[kind]();
      page.hello.settings = { ...page.hello.settings, [name]: value };
      send({ do: 'setting', name, value });
      wear();
      redraw();
    },
    rename: (_, form) =>
      send({ do: 'setting', name: 'name', value: form.elements.name.value.trim() }),
    'draft-game': (key) => {
      page.draft = freshDraft(
        page.hello.games.find((game) => game.key === key),
        page.hello,
      );
      redraw();
    },
    'draft-seats': (seats) => {
      const { bots } = page.draft;
      const full = bots.length === page.draft.seats - 1;
      const more = full && seats > page.draft.seats ? [...bots, usualBot(page.hello)] : bots;
      Object.assign(page.draft, { seats, bots: more.slice(0, seats - 1) });
      redraw();
    },
    'draft-bots': (count) => {
      const { bots } = page.draft;
      page.draft.bots =
        count > bots.length ? [...bots, usualBot(page.hello)] : bots.slice(0, count);
      redraw();
    },
    'draft-bot': (i, field) => {
      page.draft.bots[i] = field.value;
    },
    'draft-option': ({ name, kind }, field) => {
      const value =
        kind === 'flag'
          ? field.checked
          : field.type === 'number'
            ? field.value === ''
              ? null
              : Number(field.value)
            : field.value === ''
              ? null
              : JSON.parse(field.value);
      page.draft.options = { ...page.draft.options, [name]: value };
      redraw();
    },
  };
  return commands;
}
