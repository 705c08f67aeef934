// The page: takes the server's documents, draws what they say, and turns what a person does into
// commands. Holds the threads together and knows no game.

import { announce } from './announce.js';
import { loadSprite, nameSprite } from './cards.js';
import { hear } from './chat.js';
import { grain } from './cloth.js';
import { draw, el, listen } from './dom.js';
import { draggable } from './drag.js';
import { formingView } from './forming.js';
import { quiet } from './hand.js';
import { listenToKeys } from './keys.js';
import { freshDraft, lobbyView } from './lobby.js';
import { avatar } from './avatar.js';
import * as motion from './motion.js';
import * as moves from './moves.js';
import { gameTitle, hands, isGnav, page, setting } from './page.js';
import { LOW } from './places.js';
import { fetchRules } from './rules.js';
import { nameView } from './seats.js';
import { settle } from './settle.js';
import { wear } from './settings.js';
import { sheetView } from './sheet.js';
import { connect } from './socket.js';
import * as sound from './sound.js';
import { tableView } from './table.js';
import { shieldButton } from './trail.js';
import { clean, introduce, learn, say, value } from './words.js';

const RAIL = 60;
const SHEET = 422;
const WIDE = 1100;
const SWEPT = 900;

const room = document.querySelector('#room');
let send = () => false;
let nudge = null;
let taker = null;

// --- drawing -------------------------------------------------------------------------------------

function redraw() {
  if (!page.hello) return;
  const before = motion.remember(room);
  const sheet = sheetView();
  const { main, geometry } = mainView(sheet);
  const covers = sheet && (page.shown !== 'screen' || innerWidth < WIDE);
  room.className = ['room', `on-${page.shown}`, covers && 'covered'].filter(Boolean).join(' ');
  draw(room, railView(), main, sheet, page.gone && el('p', { class: 'goodbye', role: 'alert' }, say('page.gone')));
  if (geometry) settle(room.querySelector('main.table'), geometry);
  const moved = motion.move(room, before, taker);
  if (moved > 0) sound.play(moved > 4 ? 'riffle' : 'card');
  taker = null;
}

function mainView(sheet) {
  if (page.shown === 'screen') {
    const aside = sheet && innerWidth >= WIDE;
    const { node, geometry } = tableView(page.screen, { width: innerWidth - (aside ? SHEET : 0), height: innerHeight - (innerHeight < LOW && innerWidth > innerHeight ? 0 : RAIL) });
    return { main: node, geometry };
  }
  return { main: page.shown === 'forming' ? formingView() : page.shown === 'lobby' ? lobbyView() : el('main', { class: 'waiting' }, el('p', {}, say('page.connecting'))) };
}

function railView() {
  const { hello, screen } = page;
  if (page.shown !== 'screen') {
    return el('header', { class: 'rail', data: { region: 'rail', key: 'rail' } }, el('h1', {}, 'p2pcards', el('small', {}, say('page.tagline'))),
      el('nav', { 'aria-label': say('page.menu') },
        el('div', { class: 'id' }, el('div', {}, el('b', {}, say('page.you-are'), ' ', nameView(hello.me.name)), el('span', {}, say('page.your-words'), ' ', clean(hello.me.words))), avatar(hello.me.key)),
        sheetButton('more', 'menu', say('page.settings'))));
  }
  return el('header', { class: 'rail', data: { region: 'rail', key: 'rail' } }, el('h1', {}, gameTitle(screen.game), el('small', {}, value(screen.phase))),
    el('nav', { 'aria-label': say('page.menu') }, shieldButton(screen, page.sheet === 'shield'),
      ['score', 'log', 'rules'].map((name) => sheetButton(name, name, say(`page.${name}`))),
      sheetButton('more', 'menu', say('page.more'))));
}

function sheetButton(name, image, words) {
  return quiet(words, image, { name: 'sheet', argument: name, pressed: page.sheet === name, cls: `to-${name}`, key: name });
}

// --- the server's documents ------------------------------------------------------------------------

const documents = {
  hello(hello) {
    page.hello = hello;
    learn(hello.words, hello.lang);
    document.documentElement.lang = hello.lang;
    nameSprite();
    wear();
    page.draft ??= freshDraft(hello.games[0], hello);
  },
  lobby(lobby) {
    if (page.shown !== 'lobby') Object.assign(page, { sheet: null, screen: null, forming: null, chat: [] });
    Object.assign(page, { lobby, shown: 'lobby' });
    document.title = 'p2pcards';
  },
  forming(forming) {
    Object.assign(page, { forming, shown: 'forming', screen: null, joining: false, error: null });
    if (page.sheet && page.sheet !== 'more') page.sheet = null;
    document.title = `${gameTitle(forming.game)} – p2pcards`;
  },
  screen(screen) {
    const before = page.shown === 'screen' ? page.screen : null;
    introduce(screen.seats.map((seat) => seat.name), isGnav(screen));
    Object.assign(page, { screen, shown: 'screen', since: performance.now(), joining: false, error: null });
    document.title = `${gameTitle(screen.game)} – p2pcards`;
    moves.meet(screen, before);
    follow(screen, before);
    announce(screen.log);
  },
  chat(message) {
    const airtime = hear(message);
    setTimeout(redraw, airtime + 50);
    if (message.phrase === 'phrase.knock' && message.to === page.screen?.you) sound.play('knock');
  },
  hint({ option, at }) {
    if (page.screen?.step === at) moves.showHint(option);
  },
  error(error) {
    if (page.shown === 'screen') moves.moveRefused(error);
    else page.error = error;
  },
  away() {
    page.gone = true;
  },
};

function receive(document) {
  documents[document.t]?.(document);
  redraw();
}

// What changed from one screen to the next, as far as it is shown for a moment or heard.
function follow(screen, before) {
  const { swept } = screen.middle;
  if (swept && swept.step !== hands.swept) {
    if (before) hold(swept);
    hands.swept = swept.step;
  }
  const asked = (each) => each && each.you !== null && each.seats[each.you].turn && !each.over;
  if (asked(screen) && !asked(before)) remind();
  if (!asked(screen)) clearTimeout(nudge);
  if (screen.over && before && !before.over) sound.play('end');
  if (screen.shield.state === 'fault' && before?.shield.state !== 'fault') page.sheet = 'shield';
}

// The last trick stays a moment before it goes to its winner.
function hold(swept) {
  hands.leaving = swept.cards;
  setTimeout(() => {
    if (hands.leaving !== swept.cards) return;
    hands.leaving = null;
    taker = swept.to;
    redraw();
  }, SWEPT);
}

function remind() {
  sound.play('knock');
  clearTimeout(nudge);
  const seconds = setting('nudge');
  if (seconds > 0) nudge = setTimeout(remind, seconds * 1000);
}

// --- what a person does ------------------------------------------------------------------------------

const commands = {
  card: (slot, _, event) => moves.chooseCard(slot, { part: event.ctrlKey || event.metaKey || event.shiftKey }),
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
    send({ do: 'host', game, seats, bots, options, title: form.elements.title.value.trim() || null });
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
    const value = { flag: () => field.checked, number: () => Number(field.value), string: () => field.value }[kind]();
    page.hello.settings = { ...page.hello.settings, [name]: value };
    send({ do: 'setting', name, value });
    wear();
    redraw();
  },
  rename: (_, form) => send({ do: 'setting', name: 'name', value: form.elements.name.value.trim() }),
  'draft-game': (key) => {
    page.draft = freshDraft(page.hello.games.find((game) => game.key === key), page.hello);
    redraw();
  },
  'draft-seats': (seats) => {
    const { bots } = page.draft;
    const full = bots.length === page.draft.seats - 1;
    const more = full && seats > page.draft.seats ? [...bots, page.hello.strategies[0]] : bots;
    Object.assign(page.draft, { seats, bots: more.slice(0, seats - 1) });
    redraw();
  },
  'draft-bots': (count) => {
    const { bots } = page.draft;
    page.draft.bots = count > bots.length ? [...bots, page.hello.strategies[0]] : bots.slice(0, count);
    redraw();
  },
  'draft-bot': (i, field) => {
    page.draft.bots[i] = field.value;
  },
  'draft-option': ({ name, kind }, field) => {
    const value = kind === 'flag' ? field.checked : field.type === 'number' ? (field.value === '' ? null : Number(field.value)) : field.value === '' ? null : JSON.parse(field.value);
    page.draft.options = { ...page.draft.options, [name]: value };
    redraw();
  },
};

// --- start -----------------------------------------------------------------------------------------

async function start() {
  document.body.prepend(grain());
  listen(room, commands);
  listenToKeys(commands);
  draggable(room, { play: moves.dropOnTable, sort: moves.sortCard, swap: moves.swap });
  const sprite = loadSprite().then(nameSprite);
  send = connect(receive, (online) => {
    Object.assign(page, { online, gone: online ? false : page.gone });
    redraw();
  });
  moves.connectMoves((command) => send(command), redraw);
  addEventListener('resize', redraw);
  setInterval(countSeconds, 1000);
  await sprite;
}

// Seconds that a lost player has been away go on between documents.
function countSeconds() {
  if (page.shown !== 'screen') return;
  const away = page.screen.seats.filter((seat) => seat.away !== null && seat.away !== undefined);
  if (away.length === 0) return;
  for (const seat of away) seat.away += 1;
  redraw();
}

start();
